"""The matrices that learners are fitted to: distances, kernels, or what is computed from distances when needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wassergraph import _core
from wassergraph.arrays import FloatArray, IntArray

#: What ``np.ix_(rows, columns)`` returns.
Crossing: TypeAlias = tuple[IntArray, ...]


@dataclass(frozen=True, eq=False)
class DerivedMatrix:
    """``(D + size_weight * |log n - log n'| + column_weight * C) ** power``, computed for the entries asked for.

    The size term is conditionally negative definite, as |x - x'| is for numbers x, and so are the Euclidean
    distances C between columns. So is their sum with distances that are, and every power up to 1 of such a sum.

    Attributes
    ----------
    distances : (N, N) floats
        The distances D.
    log_sizes : (N) floats
        The logarithms of the numbers of nodes.
    size_weight, power : float
        The weight of the difference of sizes, and the power.
    definite : bool
        Whether every kernel exp(-gamma * matrix) is known to have no negative eigenvalue.
    columns : (N, N) floats or None
        The distances C between the columns of the graphs, if there are any.
    column_weight : float
        Their weight.
    """

    distances: NDArray[Any]
    log_sizes: FloatArray
    size_weight: float = 0.0
    power: float = 1.0
    definite: bool = False
    columns: FloatArray | None = None
    column_weight: float = 0.0

    def __getitem__(self, index: Crossing) -> FloatArray:
        """Return the part that ``np.ix_(rows, columns)`` selects."""
        values = self.with_terms(index)
        return values if self.power == 1 else np.asarray(values**self.power)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> FloatArray:
        return np.asarray(self[self._everything()], dtype=dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of rows and columns."""
        return self.distances.shape

    def take(self, rows: IntArray) -> DerivedMatrix:
        """Return the matrix of some of the graphs."""
        block = np.ix_(rows, rows)
        columns = None if self.columns is None else self.columns[block]
        return replace(self, distances=self.distances[block], log_sizes=self.log_sizes[rows], columns=columns)

    def with_terms(self, index: Crossing) -> FloatArray:
        """Return a part of the distances with what is added to them, and without the power."""
        rows, columns = index[0].ravel(), index[1].ravel()
        values = np.empty((len(rows), len(columns)))  # NumPy gives large arrays large pages
        _core.take_block(self.distances, rows, columns, values)
        if self.size_weight:
            _core.add_differences(values, self.size_weight, self.log_sizes[rows], self.log_sizes[columns])
        if self.column_weight:
            assert self.columns is not None
            more = np.empty_like(values)
            _core.take_block(self.columns, rows, columns, more)
            more *= self.column_weight
            values += more
        return values

    def all_distances(self) -> FloatArray:
        """Return all distances with what is added to them, and without the power (N, N)."""
        return self.with_terms(self._everything())

    def _everything(self) -> Crossing:
        positions = np.arange(len(self.log_sizes))
        return np.ix_(positions, positions)


#: Distances or a kernel (N, N), or a matrix that is computed from distances.
Matrix: TypeAlias = NDArray[Any] | DerivedMatrix
#: Several of them; None stands for those that are not used.
Matrices: TypeAlias = NDArray[Any] | Sequence[Any]


def is_known_definite(matrix: Matrix) -> bool:
    """Return whether a matrix is known to make positive definite kernels."""
    return isinstance(matrix, DerivedMatrix) and matrix.definite


def median_distance(matrix: Matrix) -> float:
    """Return the median over all pairs of different graphs, or 1 if it is 0."""
    values = np.asarray(matrix)
    median = float(np.median(values[np.triu_indices(len(values), 1)])) if len(values) > 1 else 0.0
    return median if median > 0 else 1.0
