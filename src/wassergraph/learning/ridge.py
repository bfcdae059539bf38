"""Kernel ridge regression: one eigendecomposition of a kernel serves every strength of the penalty.

With the eigenvalues l and eigenvectors V of the kernel of the training graphs, and targets y of mean m, the prediction
for a graph with the kernel row k is m + k V s / (|l| + alpha) Vᵀ (y - m), where s is the sign of l. For a positive
definite kernel that is ordinary kernel ridge regression with a constant. The negative eigenvalues of an indefinite one
are flipped, as in :class:`wassergraph.KreinSVC`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError
from wassergraph.learning.effort import NO_LIMITS, Effort
from wassergraph.learning.learners import KernelBlock, Path, Targets, WarmStart


class KernelModel(NamedTuple):
    """A fitted regression on a kernel.

    Attributes
    ----------
    coefficients : (n_train) floats
        The weight of the kernel with each training graph.
    intercept : float
        The constant.
    """

    coefficients: FloatArray
    intercept: float

    def predict(self, rows: FloatArray) -> FloatArray:
        """Predict numbers from the kernel of graphs with the training graphs (n, n_train)."""
        return np.asarray(self.intercept + rows @ self.coefficients)


class RidgeLearner:
    """Kernel ridge regression for parameter search; C is 1 / (2 alpha), the score minus the squared error."""

    #: Every kernel is decomposed anyway, so search need not check which are indefinite.
    may_be_indefinite = False

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
        eigenvalues, vectors = np.linalg.eigh(block.kernel)
        shares = (vectors.T @ (targets - mean)) * _signs(eigenvalues)
        weights = shares / (np.abs(eigenvalues) + penalties(C_values)[:, None])
        predictions = mean + weights @ (block.rows @ vectors).T
        return Path(predictions, np.ones(len(C_values), dtype=np.int64))

    def score(self, predictions: NDArray[np.float64], targets: Targets) -> FloatArray:
        """Return minus the mean squared error of predictions (..., n_test)."""
        return np.asarray(-np.mean((predictions - targets) ** 2, axis=-1))

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if squared errors were those of a Gaussian."""
        return float(-2 * score / np.sqrt(n_tested))


def penalties(C_values: Sequence[float]) -> FloatArray:
    """Return the penalty alpha that belongs to each C."""
    return 0.5 / np.asarray(C_values, dtype=np.float64)


def fit_ridge(kernel: FloatArray, targets: FloatArray, alpha: float) -> KernelModel:
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
    KernelModel

    Examples
    --------
    >>> ridge = fit_ridge(np.eye(2), np.array([1.0, 3.0]), alpha=1.0)
    >>> ridge.intercept, ridge.predict(np.eye(2)).tolist()
    (2.0, [1.5, 2.5])
    """
    mean = float(targets.mean())
    eigenvalues, vectors = np.linalg.eigh(kernel)
    shares = (vectors.T @ (targets - mean)) * _signs(eigenvalues) / (np.abs(eigenvalues) + alpha)
    return KernelModel(np.asarray(vectors @ shares), mean)


def _signs(eigenvalues: FloatArray) -> FloatArray:
    """Return -1 for negative eigenvalues and 1 for others; those that are zero up to rounding count as positive."""
    rounding = 10 * len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max()
    return np.where(eigenvalues < -rounding, -1.0, 1.0)
