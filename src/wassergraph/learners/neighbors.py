"""Nearest neighbors as learners: what most of the k nearest training graphs are, or their mean.

They work on distances as they are, so that there is no gamma; in the place of C is k, the number of neighbors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.learners.matrices import Matrix
from wassergraph.learners.number_learner import NumberLearner
from wassergraph.learners.protocol import Choice, FitOptions, KernelBlock, Needed, Path
from wassergraph.scores.classes import check_classes_present
from wassergraph.scores.outputs import Outputs
from wassergraph.scores.scoring import ACCURACY, Scoring

#: Distances, and sums of them, that differ by less than this share of the largest one are equal up to rounding.
_DIGITS = 12


class Nearest(NamedTuple):
    """The nearest training graphs of test graphs.

    Attributes
    ----------
    positions : (n_test, k) integers
        Their positions; of equal distances, the first comes first.
    distances : (n_test, k) floats
        Their distances, in rising order, as shares of the largest one.
    """

    positions: IntArray
    distances: FloatArray


def nearest_graphs(rows: FloatArray, k: int) -> Nearest:
    """Find the k nearest training graphs, or all if there are fewer, from distances (n_test, n_train)."""
    largest = float(rows.max(initial=0.0)) or 1.0
    shares = np.round(rows / largest, _DIGITS)
    positions = np.argsort(shares, axis=1, kind="stable")[:, :k]
    return Nearest(positions, np.take_along_axis(shares, positions, axis=1))


@dataclass(frozen=True)
class NeighborClassifier:
    """A vote among the nearest training graphs, for classes that are numbered from 0.

    Of classes with the same number of votes, the one whose voters are nearer, by the sum of their distances, is
    predicted, then the first one.

    Parameters
    ----------
    n_classes : int
        The number of classes.
    scoring : Scoring
        What the number of neighbors is chosen by.
    """

    n_classes: int
    scoring: Scoring = ACCURACY

    @property
    def may_be_indefinite(self) -> bool:
        """Whether kernels may be indefinite: there are none."""
        return False

    def check_training(self, targets: IntArray, where: str) -> None:
        """Raise an error if a class is missing."""
        check_classes_present(targets, range(self.n_classes), where)

    def order(self, targets: IntArray) -> IntArray:
        """Return the order of the graphs, which decides between equal distances."""
        return np.arange(len(targets))

    def fit_path(self, block: KernelBlock, targets: IntArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """Predict with every k, from distances in the place of a kernel: see :class:`Learner`."""
        nearest = nearest_graphs(block.rows, int(max(C_values)))
        classes, shares = zip(*(self._vote(nearest, targets, int(k)) for k in C_values), strict=True)
        scores = np.stack([self._scores(each) for each in shares])
        return Path(np.stack(classes), np.ones(len(C_values), dtype=np.int64), scores)

    def _scores(self, shares: FloatArray) -> FloatArray:
        return np.asarray(shares[:, 1] - shares[:, 0]) if self.n_classes == 2 else shares

    def test(
        self, matrix: Matrix, targets: IntArray, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """Classify one part of a fold by its neighbors in the other: see :class:`Learner`.

        Probabilities are shares of votes. The score of the second of two classes is the difference of both shares.
        """
        train, test = fold
        k = int(choice.C_values[-1])
        rows = np.asarray(matrix[np.ix_(test, train)], dtype=np.float64)
        classes, shares = self._vote(nearest_graphs(rows, k), targets[train], k)
        return Outputs(classes, self._scores(shares), shares)

    def score(self, path: Path, targets: IntArray) -> FloatArray:
        """Return the score of every k; the accuracy, unless another was asked for."""
        return self.scoring(targets, path.predictions, path.scores)

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if they were independent."""
        return self.scoring.standard_error(score, n_tested)

    def _vote(self, nearest: Nearest, targets: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return the winners (n_test), and the share of votes of each class (n_test, n_classes)."""
        voters = targets[nearest.positions[:, :k], None] == np.arange(self.n_classes)
        votes = voters.sum(axis=1)
        sums = np.round((voters * nearest.distances[:, :k, None]).sum(axis=1), _DIGITS - 2)
        sums = np.where(votes == votes.max(axis=1, keepdims=True), sums, np.inf)
        return sums.argmin(axis=1), votes / voters.shape[1]


class NeighborRegressor(NumberLearner):
    """The mean of the nearest training graphs, all of which count the same."""

    def __init__(self) -> None:
        super().__init__(krein=False)

    def fit_path(self, block: KernelBlock, targets: FloatArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """Predict with every k, from distances in the place of a kernel: see :class:`Learner`."""
        nearest = targets[nearest_graphs(block.rows, int(max(C_values))).positions]
        predictions = [nearest[:, : int(k)].mean(axis=1) for k in C_values]
        return Path(np.stack(predictions), np.ones(len(C_values), dtype=np.int64))
