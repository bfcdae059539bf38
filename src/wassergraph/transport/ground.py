"""Ground costs between the nodes of two graphs, summed up depth by depth.

Points are stored twice: by node for the first graph, by feature for the second, so that the loop over the nodes of the
second graph reads consecutive numbers and is vectorized. Differences are squared, not ‖x‖² + ‖y‖² - 2xy: that would
lose half of the digits, and the distance of a graph to itself would not be zero.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray

_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}
_jit = nb.njit(nogil=True, cache=True, fastmath=_FASTMATH, error_model="numpy")


@_jit
def add_squares(
    n: int,
    m: int,
    left: NDArray[Any],
    left_row: int,
    right: NDArray[Any],
    right_row: int,
    width: int,
    first: int,
    last: int,
    squares: FloatArray,
) -> None:
    """Add the squared differences of the features first … last - 1 to ``squares`` (n * m).

    ``left`` has rows of ``width`` features per node. ``right`` has for each graph ``width`` rows of its nodes. Six
    features at a time keep the sums in registers.
    """
    for i in range(n):
        x = (left_row + i) * width
        row = squares[i * m : (i + 1) * m]
        k = first
        while k + 5 < last:
            x0, x1, x2 = left[x + k], left[x + k + 1], left[x + k + 2]
            x3, x4, x5 = left[x + k + 3], left[x + k + 4], left[x + k + 5]
            y = right_row * width + k * m
            y0, y1, y2 = right[y : y + m], right[y + m : y + 2 * m], right[y + 2 * m : y + 3 * m]
            y += 3 * m
            y3, y4, y5 = right[y : y + m], right[y + m : y + 2 * m], right[y + 2 * m : y + 3 * m]
            for j in range(m):
                d0, d1, d2 = x0 - y0[j], x1 - y1[j], x2 - y2[j]
                d3, d4, d5 = x3 - y3[j], x4 - y4[j], x5 - y5[j]
                row[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3) + (d4 * d4 + d5 * d5)
            k += 6
        while k + 1 < last:
            x0, x1 = left[x + k], left[x + k + 1]
            y = right_row * width + k * m
            y0, y1 = right[y : y + m], right[y + m : y + 2 * m]
            for j in range(m):
                d0, d1 = x0 - y0[j], x1 - y1[j]
                row[j] += d0 * d0 + d1 * d1
            k += 2
        if k < last:
            x0 = left[x + k]
            y = right_row * width + k * m
            y0 = right[y : y + m]
            for j in range(m):
                d0 = x0 - y0[j]
                row[j] += d0 * d0


@_jit
def add_mismatches(n: int, m: int, left: NDArray[Any], right: NDArray[Any], mismatches: FloatArray) -> None:
    """Add 1 for every pair of nodes whose codes differ."""
    for i in range(n):
        code = left[i]
        for j in range(m):
            mismatches[i * m + j] += np.float64(code != right[j])


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
