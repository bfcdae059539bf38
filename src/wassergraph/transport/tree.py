"""Categorical distances in closed form: D = 1/(H+1) Σ_h ½‖p_h - q_h‖₁ = 1/(H+1) Σ_h (1 - Σ_c min(p_hc, q_hc)).

Only labels that two graphs share contribute to the inner sum. For every graph, therefore, the lists of graphs that
have its labels are added up. Histograms are kept as integers and multiplied crosswise by the totals of the graphs;
these are exact in floats, so that equal graphs have a distance of exactly 0, and the order of sums does not matter.

With counts n_h in place of shares, a node without a partner costs ½: D = 1/(H+1) Σ_h ½‖n_h - m_h‖₁ = 1/(H+1) Σ_h
((n + m)/2 - Σ_c min(n_hc, m_hc)). Then all totals are 1, and ``Sizes.extra`` is (n - 1)/2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.transport.compiled import compiled
from wassergraph.transport.tasks import LabelPairsTask, LabelTileTask

jit = compiled(set())


@jit
def label_tile(task: LabelTileTask) -> None:
    """Fill out (n_depths wanted, rows, columns); with ``above_diagonal`` only entries with row < column."""
    width, height = task.last_column - task.first_column, task.last_row - task.first_row
    for i in range(task.first_row, task.last_row):
        if task.stop[0]:
            return
        begin = i + 1 if task.above_diagonal and i + 1 > task.first_column else task.first_column
        for k in range(width):
            task.result[k] = 0.0
        row = (i - task.first_row) * width
        for depth in range(task.n_depths if begin < task.last_column else 0):
            _add_level(i, begin, task.last_column, depth, task)
            if task.wanted[depth]:
                for j in range(begin, task.last_column):
                    task.out[row + j - task.first_column] = task.result[j - begin] / (depth + 1)
                row += height * width


@jit
def _add_level(i: int, begin: int, end: int, level: int, task: LabelTileTask) -> None:
    """Add the distance at one level from graph i to the graphs begin … end - 1: result[j - begin] += ½‖p - q‖₁."""
    left, right, right_sizes, overlap = task.left, task.right, task.right_sizes, task.overlap
    total, extra = task.left_sizes.total[i], task.left_sizes.extra[i]
    for j in range(end - begin):
        overlap[j] = 0.0
    place = level * (task.n_left + 1) + i
    for k in range(left.ptr[place], left.ptr[place + 1]):
        label, mass = left.label[k], left.mass[k]
        first, last = right.start[label], right.start[label + 1]
        if end < task.n_right:
            last = first_from(right.graph, first, last, end)
        if begin > 0:
            first = first_from(right.graph, first, last, begin)
        for position in range(first, last):
            j = right.graph[position]
            one, two = mass * right_sizes.total[j], right.mass_in_graph[position] * total
            overlap[j - begin] += one if one < two else two
    for j in range(begin, end):
        both = total * right_sizes.total[j]
        task.result[j - begin] += (both + (extra + right_sizes.extra[j]) - overlap[j - begin]) / both


@jit
def first_from(graphs: NDArray[np.int32], first: int, last: int, least: int) -> int:
    """Return the first of the positions first … last - 1 with at least this graph; ``last`` if there is none."""
    while first < last:
        middle = (first + last) // 2
        if graphs[middle] < least:
            first = middle + 1
        else:
            last = middle
    return first


@jit
def label_pairs(task: LabelPairsTask) -> None:
    """Compute the distances of pairs (k, 2): out (n_depths wanted, k)."""
    for t in range(task.n_pairs):
        if task.stop[0]:
            return
        i, j = task.pairs[2 * t], task.pairs[2 * t + 1]
        total, right_total = task.left_sizes.total[i], task.right_sizes.total[j]
        both, extra = total * right_total, task.left_sizes.extra[i] + task.right_sizes.extra[j]
        result, place = 0.0, t
        for depth in range(task.n_depths):
            result += (both + extra - _overlap(i, j, depth, task, total, right_total)) / both
            if task.wanted[depth]:
                task.out[place] = result / (depth + 1)
                place += task.n_pairs


@jit
def _overlap(i: int, j: int, level: int, task: LabelPairsTask, left_total: float, right_total: float) -> float:
    """Sum the smaller masses of the labels that two graphs share, walking along both sorted lists."""
    left, right, overlap = task.left, task.right, 0.0
    i += level * (task.n_left + 1)
    j += level * (task.n_right + 1)
    a, b, a_end, b_end = left.ptr[i], right.ptr[j], left.ptr[i + 1], right.ptr[j + 1]
    while a < a_end and b < b_end:
        if left.label[a] == right.label[b]:
            one, two = left.mass[a] * right_total, right.mass[b] * left_total
            overlap += one if one < two else two
            a += 1
            b += 1
        elif left.label[a] < right.label[b]:
            a += 1
        else:
            b += 1
    return overlap
