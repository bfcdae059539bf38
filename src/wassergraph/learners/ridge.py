"""Kernel ridge regression: one decomposition of a kernel serves every strength of the penalty.

With the kernel K of the training graphs, and targets y of mean m, the prediction for a graph with the kernel row k is
m + k (K + alpha)⁻¹ (y - m): kernel ridge regression with a constant. The kernel is reduced to a tridiagonal matrix,
K = Q T Qᵀ, which takes less than half the time of its eigenvectors; then (K + alpha)⁻¹ = Q (T + alpha)⁻¹ Qᵀ costs next
to nothing for each alpha. The negative eigenvalues of an indefinite kernel are flipped, as in
:class:`wassergraph.KreinSVC`.

With weights w, m is the weighted mean, and with the roots R of the weights on a diagonal, the coefficients are
R (R K R + alpha)⁻¹ R (y - m). The negative eigenvalues are those of R K R: a graph of weight 2 counts as two graphs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.errors import NotSolvedError
from wassergraph.kernels.eigenvalues import rounding_error
from wassergraph.learners.number_learner import KernelModel, NumberLearner
from wassergraph.learners.protocol import FitOptions, KernelBlock, Path
from wassergraph.learners.tridiagonal import tridiagonalize
from wassergraph.status import NOT_CONVERGED


class RidgeLearner(NumberLearner):
    """Kernel ridge regression for parameter search; C is 1 / (2 alpha)."""

    def fit_path(self, block: KernelBlock, targets: FloatArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """As in :class:`Learner`."""
        mean, alphas = np.average(targets, weights=block.weights), penalties(C_values)
        coefficients, solved = _coefficients(
            block.kernel, targets - mean, alphas, definite=block.definite, weights=block.weights
        )
        if not solved.all() and not options.effort.skip_unsolved:
            raise _not_solved(alphas[~solved].max())
        predictions = mean + coefficients @ block.rows.T
        return Path(predictions, np.where(solved, 1, NOT_CONVERGED))


def penalties(C_values: Sequence[float]) -> FloatArray:
    """Return the penalty alpha that belongs to each C."""
    return 0.5 / np.asarray(C_values, dtype=np.float64)


def fit_ridge(
    kernel: FloatArray, targets: FloatArray, alpha: float, *, weights: FloatArray | None = None
) -> KernelModel:
    """Fit kernel ridge regression.

    Parameters
    ----------
    kernel : (n, n) floats
        The kernel of the training graphs.
    targets : (n) floats
        Their numbers.
    alpha : float
        The strength of the penalty.
    weights : (n) floats, optional
        How much the squared error of each graph counts; by default 1.

    Returns
    -------
    KernelModel

    Examples
    --------
    >>> ridge = fit_ridge(np.eye(2), np.array([1.0, 3.0]), alpha=1.0)
    >>> ridge.intercept, ridge.predict(np.eye(2)).tolist()
    (2.0, [1.5, 2.5])
    """
    mean = float(np.average(targets, weights=weights))
    coefficients, solved = _coefficients(kernel, targets - mean, np.array([alpha]), definite=False, weights=weights)
    if not solved.all():
        raise _not_solved(alpha)
    return KernelModel(coefficients[0], mean)


def _coefficients(
    kernel: FloatArray, targets: FloatArray, alphas: FloatArray, *, definite: bool, weights: FloatArray | None
) -> tuple[FloatArray, BoolArray]:
    """Return the coefficients for every alpha (n_alphas, n), and whether each could be computed."""
    if weights is not None:
        roots = np.sqrt(weights)
        weighted, right = kernel * np.outer(roots, roots), roots * targets
        coefficients, solved = _coefficients(weighted, right, alphas, definite=definite, weights=None)
        return roots * coefficients, solved
    reduced = tridiagonalize(kernel)
    negative = None if definite else reduced.eigenpairs_below(-rounding_error(kernel))
    return reduced.solve(targets, alphas, negative)


def _not_solved(alpha: float) -> NotSolvedError:
    return NotSolvedError(f"ridge regression with alpha={alpha:g} cannot be solved precisely: use a larger alpha")
