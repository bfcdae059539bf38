"""NumberLearner: what regressions on kernels share in parameter search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.errors import InputError
from wassergraph.learners.matrices import Matrix
from wassergraph.learners.protocol import Choice, FitOptions, KernelBlock, Needed, Path, predict_fold
from wassergraph.scores.outputs import Outputs


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


@dataclass(frozen=True)
class NumberLearner:
    """A regression for parameter search; the score is minus the mean squared error.

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

    def check_training(self, targets: FloatArray, where: str) -> None:
        """Raise an error if there is nothing to learn from; ``where`` names the fold."""
        if len(targets) < 2:
            raise InputError(f"{where} has {len(targets)} graph to learn from", remedy="use fewer folds")

    def order(self, targets: FloatArray) -> IntArray:
        """Return the order of the graphs, which does not matter here."""
        return np.arange(len(targets))

    def fit_path(self, block: KernelBlock, targets: FloatArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """As in :class:`Learner`."""
        raise NotImplementedError

    def test(
        self, matrix: Matrix, targets: FloatArray, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """As in :class:`Learner`."""
        return predict_fold(self, matrix, targets, fold, choice)

    def score(self, path: Path, targets: FloatArray) -> FloatArray:
        """Return minus the mean squared error for each C."""
        return np.asarray(-np.mean((path.predictions - targets) ** 2, axis=-1))

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if squared errors were those of a Gaussian."""
        return float(-2 * score / np.sqrt(n_tested))
