"""Kernel ridge regression: one decomposition of a kernel serves every strength of the penalty.

With the kernel K of the training graphs, and targets y of mean m, the prediction for a graph with the kernel row k is
m + k (K + alpha)⁻¹ (y - m): kernel ridge regression with a constant. The kernel is reduced to a tridiagonal matrix,
K = Q T Qᵀ, which takes less than half the time of its eigenvectors; then (K + alpha)⁻¹ = Q (T + alpha)⁻¹ Qᵀ costs next
to nothing for each alpha. The negative eigenvalues of an indefinite kernel are flipped, as in
:class:`wassergraph.KreinSVC`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, lapack

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, NotSolvedError
from wassergraph.learning.effort import NO_LIMITS, Effort
from wassergraph.learning.folds import Fold
from wassergraph.learning.learners import Choice, KernelBlock, Needed, Path, Targets, WarmStart, predict_fold
from wassergraph.learning.outputs import Outputs
from wassergraph.learning.svm.krein import Flip, flip
from wassergraph.learning.tridiagonal import tridiagonalize
from wassergraph.transport.status import NOT_CONVERGED


class Ridge(NamedTuple):
    """A fitted kernel ridge regression.

    Attributes
    ----------
    coefficients : (n_train) floats
        The weight of the kernel with each training graph.
    intercept : float
        The constant: the mean of the training targets.
    """

    coefficients: FloatArray
    intercept: float

    def predict(self, rows: FloatArray) -> FloatArray:
        """Predict numbers from the kernel of graphs with the training graphs (n, n_train)."""
        return np.asarray(self.intercept + rows @ self.coefficients)


@dataclass(frozen=True)
class RidgeLearner:
    """Kernel ridge regression for parameter search; C is 1 / (2 alpha), the score minus the squared error.

    Parameters
    ----------
    krein : bool
        Whether kernels may be indefinite: then their negative eigenvalues are flipped.
    """

    krein: bool = True

    @property
    def may_be_indefinite(self) -> bool:
        """Whether kernels may be indefinite."""
        return self.krein

    def check_training(self, targets: Targets, where: str) -> None:
        """Raise an error if there is nothing to learn from; ``where`` names the fold."""
        if len(targets) < 2:
            raise InputError(f"{where} has {len(targets)} graph to learn from", remedy="use fewer folds")

    def order(self, targets: Targets) -> IntArray:
        """Return the order of the graphs, which does not matter here."""
        return np.arange(len(targets))

    def fit_path(
        self,
        block: KernelBlock,
        targets: Targets,
        C_values: Sequence[float],
        *,
        stop: NDArray[np.bool_],
        effort: Effort = NO_LIMITS,
        warm_start: WarmStart | None = None,
    ) -> Path:
        """Fit a model for every C, and predict with each: see :class:`Learner`."""
        mean = targets.mean()
        flipped = Flip(block.kernel) if block.definite else flip(block.kernel)
        solutions, solved = tridiagonalize(flipped.kernel).solve(targets - mean, penalties(C_values))
        if not solved.all() and not effort.skip_unsolved:
            raise _not_solved(penalties(C_values)[~solved].max())
        predictions = mean + flipped.map_back(solutions) @ block.rows.T
        return Path(predictions, np.where(solved, 1, NOT_CONVERGED))

    def test(
        self, matrix: NDArray[Any], targets: Targets, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """Fit to one part of a fold, and predict the other: see :class:`Learner`."""
        return predict_fold(self, matrix, targets, fold, choice)

    def score(self, predictions: NDArray[np.float64], targets: Targets) -> FloatArray:
        """Return minus the mean squared error of predictions (..., n_test)."""
        return np.asarray(-np.mean((predictions - targets) ** 2, axis=-1))

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if squared errors were those of a Gaussian."""
        return float(-2 * score / np.sqrt(n_tested))


def penalties(C_values: Sequence[float]) -> FloatArray:
    """Return the penalty alpha that belongs to each C."""
    return 0.5 / np.asarray(C_values, dtype=np.float64)


def fit_ridge(kernel: FloatArray, targets: FloatArray, alpha: float) -> Ridge:
    """Fit kernel ridge regression.

    Parameters
    ----------
    kernel : (n, n) floats
        The kernel of the training graphs.
    targets : (n) floats
        Their numbers.
    alpha : float
        The strength of the penalty.

    Returns
    -------
    Ridge

    Examples
    --------
    >>> ridge = fit_ridge(np.eye(2), np.array([1.0, 3.0]), alpha=1.0)
    >>> ridge.intercept, ridge.predict(np.eye(2)).tolist()
    (2.0, [1.5, 2.5])
    """
    mean, flipped = float(targets.mean()), flip(kernel)
    penalized = flipped.kernel.copy()
    penalized.flat[:: len(kernel) + 1] += alpha
    factor, status = lapack.dpotrf(penalized.T, lower=1, overwrite_a=1)
    if status:
        raise _not_solved(alpha)
    return Ridge(flipped.map_back(cho_solve((factor, True), targets - mean)), mean)


def _not_solved(alpha: float) -> NotSolvedError:
    return NotSolvedError(f"ridge regression with alpha={alpha:g} cannot be solved precisely: use a larger alpha")
