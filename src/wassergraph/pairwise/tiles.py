"""Tiles: the rectangles that a matrix is divided into, each computed separately.

They form a regular grid, so that they can also be the chunks of a file. Of a symmetric matrix only tiles on and above
the diagonal are computed. The edge of a tile follows from an estimate of the work; listing the tiles of a matrix costs
next to nothing, however many graphs there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray


class TileSize(NamedTuple):
    """How large tiles are made.

    Attributes
    ----------
    target, least : float
        The work of a tile, in estimated nanoseconds: enough to make handing it out cheap, little enough that progress
        moves, that a stop is quick, and that all workers end at about the same time.
    enough, most : int
        So many tiles are enough to keep workers busy until the end; more are made only if they would exceed the target,
        and more than the largest number only if they would exceed the largest size.
    largest : int
        The largest number of bytes of a tile, over all depths.
    """

    target: float
    least: float
    enough: int
    most: int = 100_000
    largest: int = 2**26


#: Tiles for threads, whose values go to an array.
IN_MEMORY = TileSize(target=1e8, least=4e6, enough=128)
#: Tiles for files and for other processes: some seconds of work, so that writing and sending cost little beside it.
ON_DISK = TileSize(target=4e9, least=3e8, enough=64)


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
    edges : (int, int)
        The number of rows and of columns of a tile; the last ones may be smaller.
    order : (n_tiles, 2) integers
        The row and the column of every tile in the grid.
    costs : (n_tiles) floats
        The estimated nanoseconds of every tile.
    """

    shape: tuple[int, int]
    symmetric: bool
    includes_diagonal: bool
    edges: tuple[int, int]
    order: IntArray
    costs: FloatArray

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Tile]:
        return (self._tile(row, column) for row, column in self.order.tolist())

    def _tile(self, row: int, column: int) -> Tile:
        (n, m), (height, width) = self.shape, self.edges
        return Tile(row * height, min((row + 1) * height, n), column * width, min((column + 1) * width, m))

    def where(self, mask: BoolArray) -> TileGrid:
        """Return a grid with the tiles, in their order, for which a mask is true."""
        return replace(self, order=self.order[mask], costs=self.costs[mask])

    def position(self, tile: Tile) -> tuple[int, int]:
        """Return the row and the column of a tile in the grid."""
        return tile.row_begin // self.edges[0], tile.column_begin // self.edges[1]

    def n_pairs(self, tile: Tile | None = None) -> int:
        """Return how many pairs of graphs are computed for a tile, or for the whole matrix."""
        rows, columns = self.shape if tile is None else tile.shape
        if not self.symmetric or (tile is not None and not tile.on_diagonal):
            return rows * columns
        return rows * (rows + 1) // 2 if self.includes_diagonal else rows * (rows - 1) // 2


def make_grid(
    shape: tuple[int, int],
    work: Work,
    *,
    symmetric: bool,
    includes_diagonal: bool = True,
    n_layers: int = 1,
    itemsize: int = 8,
    size: TileSize | None = None,
    edges: tuple[int, int] | None = None,
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
    itemsize : int
        The number of bytes of an entry.
    size : TileSize, optional
        How large tiles are made; by default for threads and arrays.
    edges : (int, int), optional
        The numbers of rows and columns of a tile, if they are given instead.
    """
    height, width = edges or _edges(shape, work.mean(), n_layers * itemsize, size or IN_MEMORY)
    left, right = _sums_over_blocks(work.left, height), _sums_over_blocks(work.right, width)
    estimates = left @ right.T
    if symmetric:
        row, column = np.triu_indices(len(left))
        order = np.column_stack([row, column])
    else:
        order = np.column_stack([axis.ravel() for axis in np.indices(estimates.shape)])
    row, column = order.T
    costs = estimates[row, column]
    heaviest_first = np.argsort(-costs, kind="stable")
    costs = np.where(symmetric & (row == column), costs / 2, costs)  # half of a tile on the diagonal is a copy
    return TileGrid(shape, symmetric, includes_diagonal, (height, width), order[heaviest_first], costs[heaviest_first])


def _edges(shape: tuple[int, int], mean_work: float, bytes_per_pair: int, size: TileSize) -> tuple[int, int]:
    """Return the rows and columns of a tile: as large as the target allows, but small enough to have enough tiles.

    Tiles are squares, unless one side of the matrix is shorter than that, and are nearly equal.
    """
    total = math.prod(shape) * mean_work
    work = max(min(size.target, max(size.least, total / size.enough)), total / size.most)
    largest = size.largest / bytes_per_pair
    pairs = min(work / mean_work if mean_work > 0 else largest, largest)
    square = math.sqrt(pairs)
    height, width = (square if square < other else pairs / max(other, 1) for other in reversed(shape))
    return _even(shape[0], height), _even(shape[1], width)


def _even(n: int, edge: float) -> int:
    """Return the largest edge up to this one that divides n graphs into nearly equal blocks."""
    n_blocks = max(1, math.ceil(n / max(1, int(edge))))
    return max(1, math.ceil(n / n_blocks))


def _sums_over_blocks(factors: FloatArray, edge: int) -> FloatArray:
    """Sum the factors (n, k) over blocks of ``edge`` graphs: (n_blocks, k)."""
    starts = np.arange(0, len(factors), edge)
    return np.add.reduceat(factors, starts, axis=0) if len(starts) else np.zeros((0, factors.shape[1]))


def mirror_upper(values: NDArray[Any]) -> None:
    """Copy what is above the diagonal of square matrices (n_layers, n, n) below it, where there are zeros now."""
    values += np.triu(values, 1).transpose(0, 2, 1)
