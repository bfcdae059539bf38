"""Ground costs between the nodes of two graphs, summed up depth by depth.

A matrix of costs has rows of ``stride`` entries, a multiple of eight: lanes.py says why. The nodes of the second graph
are its columns; what is behind them is :data:`NO_ARC`. Behind its rows there is memory for three more, which have no
meaning: rows are computed four at a time.

Points are stored twice: by node for the first graph, by feature, in rows of ``stride`` entries, for the second.
Differences are squared, not ‖x‖² + ‖y‖² - 2xy: that would lose half of the digits, and the distance of a graph to
itself would not be zero.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.transport.lanes import LANES, load, load_repeated, multiply_add, store, subtract

#: The cost of what is no arc; larger than any cost (distances/scaling.py).
NO_ARC = 1e300
#: How many rows are computed at a time, so that every point of the second graph is read once for all of them.
ROWS_AT_ONCE = 4

_jit = nb.njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "arcp", "nsz"}, error_model="numpy")


@_jit
def padded(length: int) -> int:
    """Return the number of entries in a row of costs."""
    return (length + LANES - 1) // LANES * LANES


@_jit
def first_column(ptr: IntArray, g: int) -> int:
    """Return where the points of a graph begin in an array by feature, divided by the number of features.

    All graphs have room for as many nodes as a row might be padded with.
    """
    return int(ptr[g] + (LANES - 1) * g)


@_jit
def by_feature(ptr: IntArray, rows: FloatArray, width: int) -> FloatArray:
    """Return points, which are given node by node, feature by feature in each graph."""
    result = np.zeros(first_column(ptr, len(ptr) - 1) * width)
    for g in range(len(ptr) - 1):
        n, first = ptr[g + 1] - ptr[g], first_column(ptr, g) * width
        stride = padded(n)
        for c in range(width):
            for i in range(n):
                result[first + c * stride + i] = rows[(ptr[g] + i) * width + c]
    return result


@_jit
def add_squares(
    n: int,
    stride: int,
    left: FloatArray,
    left_row: int,
    right: FloatArray,
    right_row: int,
    width: int,
    first: int,
    last: int,
    squares: FloatArray,
) -> None:
    """Add the squared differences of the features first … last - 1 to ``squares`` (n * stride).

    ``left`` has rows of ``width`` features per node, ``right`` has ``width`` rows of ``stride`` nodes; the graphs begin
    at the given rows.
    """
    x, y = left_row * width, right_row * width
    for i in range(0, n, ROWS_AT_ONCE):
        x0 = x + i * width
        x1, x2, x3 = x0 + width, x0 + 2 * width, x0 + 3 * width
        for j in range(0, stride, LANES):
            at = i * stride + j
            s0, s1 = load(squares, at), load(squares, at + stride)
            s2, s3 = load(squares, at + 2 * stride), load(squares, at + 3 * stride)
            for k in range(first, last):
                column = load(right, y + k * stride + j)
                d = subtract(load_repeated(left, x0 + k), column)
                s0 = multiply_add(d, d, s0)
                d = subtract(load_repeated(left, x1 + k), column)
                s1 = multiply_add(d, d, s1)
                d = subtract(load_repeated(left, x2 + k), column)
                s2 = multiply_add(d, d, s2)
                d = subtract(load_repeated(left, x3 + k), column)
                s3 = multiply_add(d, d, s3)
            store(squares, at, s0)
            store(squares, at + stride, s1)
            store(squares, at + 2 * stride, s2)
            store(squares, at + 3 * stride, s3)


@_jit
def add_mismatches(
    n: int, m: int, stride: int, left: NDArray[Any], right: NDArray[Any], mismatches: FloatArray
) -> None:
    """Add 1 for every pair of nodes whose codes differ."""
    for i in range(n):
        code, row = left[i], mismatches[i * stride : i * stride + m]
        for j in range(m):
            row[j] += np.float64(code != right[j])


@_jit
def euclidean(length: int, squares: FloatArray, scale: float, cost: FloatArray) -> None:
    """Compute distances from squares, times a scale."""
    for k in range(length):
        cost[k] = np.sqrt(squares[k]) * scale


@_jit
def add_scaled(length: int, values: FloatArray, scale: float, cost: FloatArray) -> None:
    """Add values times a scale."""
    for k in range(length):
        cost[k] += values[k] * scale


@_jit
def close_rows(n: int, m: int, stride: int, cost: FloatArray) -> None:
    """Write :data:`NO_ARC` behind the columns."""
    for i in range(n):
        for j in range(m, stride):
            cost[i * stride + j] = NO_ARC
