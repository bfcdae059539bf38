"""NumberLearner: what regressions on kernels share in parameter search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.errors import InputError
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.matrices import Matrix
from wassergraph.learners.protocol import Choice, KernelBlock, Needed, Path, Targets, WarmStart, predict_fold
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
        raise NotImplementedError

    def test(
        self, matrix: Matrix, targets: Targets, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """Fit to one part of a fold, and predict the other: see :class:`Learner`."""
        return predict_fold(self, matrix, targets, fold, choice)

    def score(self, path: Path, targets: Targets) -> FloatArray:
        """Return minus the mean squared error for each C."""
        return np.asarray(-np.mean((path.predictions - targets) ** 2, axis=-1))

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if squared errors were those of a Gaussian."""
        return float(-2 * score / np.sqrt(n_tested))
