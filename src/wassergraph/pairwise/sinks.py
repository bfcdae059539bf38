"""Sinks: where the tiles of a matrix go."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from wassergraph.pairwise.tiles import Tile


class Sink(Protocol):
    """Takes the tiles of a matrix, each once, in any order and from several threads at the same time."""

    @property
    def is_shared(self) -> bool:
        """Whether a copy in another process can be written to; such a sink can be pickled."""
        ...

    def write(self, tile: Tile, values: NDArray[Any]) -> None:
        """Take the values (n_depths, rows, columns) of a tile."""
        ...


class ArraySink:
    """Collect tiles in an array (n_depths, N, M); those of a symmetric matrix on both sides of the diagonal."""

    is_shared = False

    def __init__(self, out: NDArray[Any], *, symmetric: bool) -> None:
        self.out = out
        self.symmetric = symmetric

    def write(self, tile: Tile, values: NDArray[Any]) -> None:
        """Copy the values of a tile to their place."""
        self.out[:, tile.rows, tile.columns] = values
        if self.symmetric and not tile.on_diagonal:
            self.out[:, tile.columns, tile.rows] = values.transpose(0, 2, 1)
