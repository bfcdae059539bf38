"""What the compiled functions of count_tiles.py get."""

from __future__ import annotations

from typing import NamedTuple

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.transport.layout import Histogram


class ProductTask(NamedTuple):
    """A tile of a product of matrices."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int
    n_labels: int
    n_right: int
    left: FloatArray  # (graphs * n_labels)
    right: FloatArray  # (n_labels * n_right)
    stop: BoolArray
    out: FloatArray


class SharedTask(NamedTuple):
    """A tile of sums over the labels that two graphs share."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int
    from_diagonal: bool  # whether only entries with row ≤ column are wanted
    intersect: bool  # whether the smaller counts are summed, and not the products
    n_levels: int
    n_left: int
    left: Histogram
    right: Histogram
    stop: BoolArray
    out: FloatArray
