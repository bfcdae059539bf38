"""Tiles: the rectangles that a matrix is divided into, each computed separately.

They form a regular grid, so that they can also be the chunks of a file. Of a symmetric matrix only tiles on and above
the diagonal are computed. The edge of a tile follows from an estimate of the work; listing the tiles of a matrix costs
next to nothing, however many graphs there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

#: The work of a tile, in estimated nanoseconds: enough to make handing it out cheap, little enough that progress moves,
#: that a stop is quick, and that all threads end at about the same time.
TARGET, LEAST = 1e8, 4e6
#: So many tiles are enough to keep threads busy until the end; more are made only if they would exceed the target,
#: and more than the largest number only if they would exceed the largest size.
ENOUGH, MOST = 128, 100_000
#: The largest number of entries of a tile, over all depths: 64 MiB.
LARGEST = 2**23


class Tile(NamedTuple):
    """A rectangle of a matrix: the rows ``row_begin … row_end - 1`` and columns ``column_begin … column_end - 1``."""

    row_begin: int
    row_end: int
    column_begin: int
    column_end: int

    @property
    def rows(self) -> slice:
        """The rows, to index a matrix with."""
        return slice(self.row_begin, self.row_end)

    @property
    def columns(self) -> slice:
        """The columns, to index a matrix with."""
        return slice(self.column_begin, self.column_end)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.row_end - self.row_begin, self.column_end - self.column_begin

    @property
    def on_diagonal(self) -> bool:
        """Whether rows and columns are the same."""
        return (self.row_begin, self.row_end) == (self.column_begin, self.column_end)


class Work(NamedTuple):
    """The estimated work of every pair: nanoseconds[i, j] = Σ_k left[i, k] right[j, k].

    A sum of products of one factor for each graph is enough to estimate any tile from sums over its graphs.
    """

    left: FloatArray
    right: FloatArray

    def mean(self) -> float:
        """Return the mean over all pairs."""
        return float(self.left.mean(axis=0) @ self.right.mean(axis=0)) if len(self.left) and len(self.right) else 0.0


@dataclass(frozen=True)
class TileGrid:
    """The tiles of a matrix, iterated over with the most expensive first.

    Attributes
    ----------
    shape : (N, M)
        The shape of the matrix.
    symmetric : bool
        Whether entries below the diagonal are copies of those above it.
    includes_diagonal : bool
        Whether the entries on the diagonal of a symmetric matrix are computed.
    edge : int
        The number of rows and columns of a tile; the last ones may be smaller.
    order : (n_tiles, 2) integers
        The row and the column of every tile in the grid.
    """

    shape: tuple[int, int]
    symmetric: bool
    includes_diagonal: bool
    edge: int
    order: IntArray

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Tile]:
        return (self._tile(row, column) for row, column in self.order.tolist())

    def _tile(self, row: int, column: int) -> Tile:
        (n, m), edge = self.shape, self.edge
        return Tile(row * edge, min((row + 1) * edge, n), column * edge, min((column + 1) * edge, m))

    def n_pairs(self, tile: Tile | None = None) -> int:
        """Return how many pairs of graphs are computed for a tile, or for the whole matrix."""
        rows, columns = self.shape if tile is None else tile.shape
        if not self.symmetric or (tile is not None and not tile.on_diagonal):
            return rows * columns
        return rows * (rows + 1) // 2 if self.includes_diagonal else rows * (rows - 1) // 2


def make_grid(
    shape: tuple[int, int], work: Work, *, symmetric: bool, includes_diagonal: bool = True, n_layers: int = 1
) -> TileGrid:
    """Cut a matrix into tiles of about the same work.

    Parameters
    ----------
    shape : (N, M)
        The shape of the matrix.
    work : Work
        The estimated work of every pair.
    symmetric, includes_diagonal
        See :class:`TileGrid`.
    n_layers : int
        How many matrices of this shape are computed together, one for each depth.
    """
    edge = _edge(shape, work.mean(), n_layers)
    left, right = (_sums_over_blocks(factors, edge) for factors in work)
    estimates = left @ right.T
    if symmetric:
        row, column = np.triu_indices(len(left))
        order = np.column_stack([row, column])
    else:
        order = np.column_stack([axis.ravel() for axis in np.indices(estimates.shape)])
    heaviest_first = np.argsort(-estimates[order[:, 0], order[:, 1]], kind="stable")
    return TileGrid(shape, symmetric, includes_diagonal, edge, order[heaviest_first])


def _edge(shape: tuple[int, int], mean_work: float, n_layers: int) -> int:
    """Return the edge of a tile: as large as the target allows, but small enough to have enough tiles."""
    total = math.prod(shape) * mean_work
    work = max(min(TARGET, max(LEAST, total / ENOUGH)), total / MOST)
    pairs = min(work / mean_work if mean_work > 0 else LARGEST, LARGEST / n_layers)
    return max(1, min(int(math.sqrt(pairs)), max(shape)))


def _sums_over_blocks(factors: FloatArray, edge: int) -> FloatArray:
    """Sum the factors (n, k) over blocks of ``edge`` graphs: (n_blocks, k)."""
    starts = np.arange(0, len(factors), edge)
    return np.add.reduceat(factors, starts, axis=0) if len(starts) else np.zeros((0, factors.shape[1]))


def mirror_upper(values: NDArray[Any]) -> None:
    """Copy what is above the diagonal of square matrices (n_layers, n, n) below it, where there are zeros now."""
    values += np.triu(values, 1).transpose(0, 2, 1)
