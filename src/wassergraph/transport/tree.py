"""Categorical distances in closed form: D = 1/(H+1) Σ_h ½‖p_h - q_h‖₁ = 1/(H+1) Σ_h (1 - Σ_c min(p_hc, q_hc)).

Only labels that two graphs share contribute to the inner sum. For every graph, therefore, the lists of graphs that
have its labels are added up. Histograms are kept as integers and multiplied crosswise by the totals of the graphs;
these are exact in floats, so that equal graphs have a distance of exactly 0, and the order of sums does not matter.

With counts n_h in place of shares, a node without a partner costs ½: D = 1/(H+1) Σ_h ½‖n_h - m_h‖₁ = 1/(H+1) Σ_h
((n + m)/2 - Σ_c min(n_hc, m_hc)). Then all totals are 1, and ``Sizes.extra`` is (n - 1)/2.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray, Stop


class Histogram(NamedTuple):
    """The masses of the labels of many graphs at all levels, by graph and by label; no two levels share a label."""

    ptr: IntArray  # (n_levels, n_graphs + 1): at level h, graph g has the labels label[ptr[h, g]:ptr[h, g + 1]], sorted
    label: IntArray
    mass: FloatArray  # the mass of each
    start: IntArray  # label c occurs in the graphs graph[start[c]:start[c + 1]], sorted
    graph: NDArray[np.int32]
    mass_in_graph: FloatArray  # its mass in each


class Sizes(NamedTuple):
    """What the masses of graphs (n_graphs) are divided by, and what is added to the sum of two totals' product."""

    total: FloatArray
    extra: FloatArray


_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def add_level(
    i: int,
    begin: int,
    end: int,
    level: int,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    overlap: FloatArray,
    result: FloatArray,
) -> None:
    """Add the distance at one level from graph i to the graphs begin … end - 1: result[j - begin] += ½‖p - q‖₁."""
    total, extra, right_total = left_sizes.total[i], left_sizes.extra[i], right_sizes.total
    overlap[: end - begin] = 0.0
    whole = begin == 0 and end == len(right_total)
    for k in range(left.ptr[level, i], left.ptr[level, i + 1]):
        c = left.label[k]
        mass = left.mass[k]
        first, last = right.start[c], right.start[c + 1]
        if not whole:
            graphs = right.graph[first:last]
            last = first + np.searchsorted(graphs, end)
            first += np.searchsorted(graphs, begin)
        for position in range(first, last):
            j = right.graph[position]
            overlap[j - begin] += min(mass * right_total[j], right.mass_in_graph[position] * total)
    for j in range(begin, end):
        both = total * right_total[j]
        result[j - begin] += (both + (extra + right_sizes.extra[j]) - overlap[j - begin]) / both


@_jit
def label_tile(
    first_row: int,
    last_row: int,
    first_column: int,
    last_column: int,
    above_diagonal: bool,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    wanted: BoolArray,
    stop: Stop,
    out: FloatArray,
) -> None:
    """Fill out (n_depths wanted, rows, columns); with ``above_diagonal`` only entries with row < column."""
    width = last_column - first_column
    overlap, result = np.empty(width), np.empty(width)
    for i in range(first_row, last_row):
        if stop[0]:
            return
        begin = max(first_column, i + 1) if above_diagonal else first_column
        if begin >= last_column:
            continue
        result[:] = 0.0
        slot = 0
        for depth in range(len(wanted)):
            add_level(i, begin, last_column, depth, left, right, left_sizes, right_sizes, overlap, result)
            if wanted[depth]:
                row = out[slot, i - first_row]
                for j in range(begin, last_column):
                    row[j - first_column] = result[j - begin] / (depth + 1)
                slot += 1


@_jit
def label_pairs(
    pairs: IntArray,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    wanted: BoolArray,
    stop: Stop,
    out: FloatArray,
) -> None:
    """Compute the distances of pairs (k, 2): out (n_depths wanted, k)."""
    for t in range(len(pairs)):
        if stop[0]:
            return
        i, j = pairs[t]
        total, right_total = left_sizes.total[i], right_sizes.total[j]
        both, extra = total * right_total, left_sizes.extra[i] + right_sizes.extra[j]
        result, slot = 0.0, 0
        for depth in range(len(wanted)):
            result += (both + extra - _overlap(i, j, depth, left, right, total, right_total)) / both
            if wanted[depth]:
                out[slot, t] = result / (depth + 1)
                slot += 1


@_jit
def _overlap(
    i: int, j: int, level: int, left: Histogram, right: Histogram, left_total: float, right_total: float
) -> float:
    """Sum the smaller masses of the labels that two graphs share, walking along both sorted lists."""
    a, b, overlap = left.ptr[level, i], right.ptr[level, j], 0.0
    while a < left.ptr[level, i + 1] and b < right.ptr[level, j + 1]:
        if left.label[a] == right.label[b]:
            overlap += min(left.mass[a] * right_total, right.mass[b] * left_total)
            a += 1
            b += 1
        elif left.label[a] < right.label[b]:
            a += 1
        else:
            b += 1
    return overlap
