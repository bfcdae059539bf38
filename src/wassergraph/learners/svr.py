"""Support vector regression on precomputed kernels, definite or not.

Targets are standardized by the mean and the standard deviation of the training graphs, so that C and epsilon mean the
same for every target: an error of up to epsilon standard deviations costs nothing, and C is what each further one
costs. The negative eigenvalues of an indefinite kernel are flipped, as in :class:`wassergraph.KreinSVC`. Weights of
graphs are factors of C, and mean and standard deviation are weighted, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.svm import SVR

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option
from wassergraph.learners.effort import MAX_ITER
from wassergraph.learners.number_learner import KernelModel, NumberLearner
from wassergraph.learners.protocol import FitOptions, KernelBlock, Path
from wassergraph.learners.svm.krein import Flip, flip
from wassergraph.learners.svm.smo import TOLERANCE, not_solved
from wassergraph.status import NOT_CONVERGED, STOPPED

#: The default half width of the tube.
EPSILON = 0.1


def check_epsilon(epsilon: object) -> float:
    """Return the half width of the tube; raise an error unless it is a finite number of at least 0."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real) or not 0 <= float(epsilon) < np.inf:
        raise InputError(f"{{}} must be a number of at least 0, got {epsilon!r}", options=[Option("epsilon")])
    return float(epsilon)


@dataclass(frozen=True)
class SVRLearner(NumberLearner):
    """Support vector regression for parameter search.

    Parameters
    ----------
    krein : bool
        As in :class:`NumberLearner`.
    epsilon : float
        The half width of the tube, in standard deviations of the training targets.
    tol : float
        How precisely the regressions are solved, as in scikit-learn's ``SVR``.
    """

    epsilon: float = EPSILON
    tol: float = TOLERANCE

    def fit_path(self, block: KernelBlock, targets: FloatArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """As in :class:`Learner`."""
        flipped = Flip(block.kernel) if block.definite else flip(block.kernel)
        predictions = np.full((len(C_values), len(block.rows)), np.nan)
        steps = np.full(len(C_values), STOPPED, dtype=np.int64)
        for c, value in enumerate(C_values):
            if options.stop[0]:
                break
            max_iter = options.effort.max_iter
            model, steps[c], at_bound = _fit(flipped, targets, value, self.epsilon, self.tol, max_iter, block.weights)
            if steps[c] == NOT_CONVERGED:
                if not options.effort.skip_unsolved:
                    raise not_solved(value, max_iter, "regression")
                steps[c:] = NOT_CONVERGED
                break
            predictions[c] = model.predict(block.rows)
            if not at_bound:  # every larger C has the same solution, and needs no step
                predictions[c + 1 :], steps[c + 1 :] = predictions[c], 0
                break
        return Path(predictions, steps)


def fit_svr(
    kernel: FloatArray,
    targets: FloatArray,
    C: float,  # noqa: N803 - scikit-learn's name
    epsilon: float,
    *,
    tol: float = TOLERANCE,
    weights: FloatArray | None = None,
) -> KernelModel:
    """Fit support vector regression.

    Parameters
    ----------
    kernel : (n, n) floats
        The kernel of the training graphs.
    targets : (n) floats
        Their numbers.
    C : float
        The inverse strength of regularization, for targets in standard deviations.
    epsilon : float
        The half width of the tube, in standard deviations of the targets.
    tol : float
        How precisely it is solved, as in scikit-learn's ``SVR``.
    weights : (n) floats, optional
        Factors of C, one for each graph; by default 1.

    Returns
    -------
    KernelModel

    Raises
    ------
    NotSolvedError
        If it is not solved in as many steps as libsvm allows.

    Examples
    --------
    >>> svr = fit_svr(np.eye(2), np.array([1.0, 3.0]), C=10.0, epsilon=0.25)
    >>> svr.intercept, svr.predict(np.eye(2)).tolist()
    (2.0, [1.25, 2.75])
    """
    model, steps, _ = _fit(flip((kernel + kernel.T) / 2), targets, C, epsilon, tol, MAX_ITER, weights)
    if steps == NOT_CONVERGED:
        raise not_solved(C, MAX_ITER, "regression")
    return model


def _fit(
    flipped: Flip,
    targets: FloatArray,
    C: float,  # noqa: N803 - scikit-learn's name
    epsilon: float,
    tol: float,
    max_iter: int,
    weights: FloatArray | None,
) -> tuple[KernelModel, int, bool]:
    """Fit a model to a flipped kernel and standardized targets; return it for the original kernel and targets.

    The other values are the steps that its solution took, or NOT_CONVERGED, and whether C limits any coefficient.
    """
    mean, scale = _mean_and_scale(targets, weights)
    svr = _QuietSVR(kernel="precomputed", C=C, epsilon=epsilon, tol=tol, max_iter=max_iter)
    svr.fit(flipped.kernel, (targets - mean) / scale, sample_weight=weights)
    coefficients = np.zeros(len(targets))
    coefficients[svr.support_] = svr.dual_coef_[0]
    model = KernelModel(scale * flipped.map_back(coefficients), mean + scale * float(svr.intercept_[0]))
    at_bound = bool((np.abs(coefficients) >= C * (1.0 if weights is None else weights)).any())
    return model, NOT_CONVERGED if svr.fit_status_ else int(svr.n_iter_), at_bound


def _mean_and_scale(targets: FloatArray, weights: FloatArray | None) -> tuple[float, float]:
    """Return mean and standard deviation; the latter is 1 if all are equal, where rounding can make it tiny."""
    mean = float(np.average(targets, weights=weights))
    variance = float(np.average((targets - mean) ** 2, weights=weights))
    return mean, float(np.sqrt(variance)) if targets.min() < targets.max() else 1.0


class _QuietSVR(SVR):  # type: ignore[misc]
    """SVR that leaves it to its caller to look at the status.

    The fits of a search run in several threads, and a warning cannot be silenced in one of them alone.
    """

    def _warn_from_fit_status(self) -> None:
        pass
