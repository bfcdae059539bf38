"""Categorical distances in closed form, no solver: D = 1/(H+1) Σ_h ½‖p_h - q_h‖₁ = 1/(H+1) Σ_h (1 - Σ_c min(p_hc,
q_hc)).

Only labels that two graphs share count in the inner sum, so for every graph the lists of graphs that have its labels
are added up. Histograms are kept as counts and cross-multiplied by the graphs' totals: small integers, or with weights
integers times a power of two, exact in floats, so that equal graphs have a distance of exactly 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray


class Histogram(NamedTuple):
    """The label counts of many graphs at all depths, by graph and by label; no two depths share a label."""

    ptr: IntArray  # (depths, graphs + 1) at depth h, graph g has the labels label[ptr[h, g]:ptr[h, g + 1]]
    label: IntArray
    times: FloatArray  # and each so many times
    start: IntArray  # label c is found in the graphs graph[start[c]:start[c + 1]], in rising order
    graph: NDArray[np.int32]
    found: FloatArray  # and in each so many times


_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def add_row(
    i: int,
    after: int,
    depth: int,
    left: Histogram,
    right: Histogram,
    left_total: FloatArray,
    right_total: FloatArray,
    overlap: FloatArray,
    result: FloatArray,
) -> None:
    """Add the distance of graph i at one depth to the graphs j > ``after``: result[j] += ½‖p - q‖₁."""
    columns = len(right_total)
    own = left_total[i]
    overlap[after + 1 :] = 0.0
    for k in range(left.ptr[depth, i], left.ptr[depth, i + 1]):
        c = left.label[k]
        mine = left.times[k]
        begin, end = right.start[c], right.start[c + 1]
        if after >= 0:
            begin += np.searchsorted(right.graph[begin:end], after, side="right")
        for place in range(begin, end):
            j = right.graph[place]
            overlap[j] += min(mine * right_total[j], right.found[place] * own)
    for j in range(after + 1, columns):
        both = own * right_total[j]
        result[j] += (both - overlap[j]) / both


@_jit
def fill_rows(
    first: int,
    last: int,
    square: bool,
    left: Histogram,
    right: Histogram,
    left_total: FloatArray,
    right_total: FloatArray,
    wanted: BoolArray,
    stop: BoolArray,
    out: NDArray[Any],
) -> bool:
    """Fill the rows first … last - 1 of out (depths wanted, rows, columns); of a square one, what is right of the
    diagonal. Gives False if somebody set ``stop[0]``.
    """
    columns = len(right_total)
    overlap, result = np.empty(columns), np.empty(columns)
    for i in range(first, last):
        if stop[0]:
            return False
        after = i if square else -1
        result[:] = 0.0
        slot = 0
        for depth in range(len(wanted)):
            add_row(i, after, depth, left, right, left_total, right_total, overlap, result)
            if wanted[depth]:
                for j in range(after + 1, columns):
                    out[slot, i, j] = result[j] / (depth + 1)
                slot += 1
    return True


@_jit
def mirror(matrix: NDArray[Any]) -> None:
    """Copy what is above the diagonal below it, tile by tile."""
    n, tile = len(matrix), 64
    for i in range(0, n, tile):
        for j in range(i, n, tile):
            for a in range(i, min(i + tile, n)):
                for b in range(max(j, a + 1), min(j + tile, n)):
                    matrix[b, a] = matrix[a, b]
