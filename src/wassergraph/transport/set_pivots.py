"""Pivots in trees of up to 128 nodes, in which every node has the set of the nodes below it; see pivots.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.lanes import (
    add,
    keep,
    load,
    load_repeated,
    number_of,
    repeat,
    smaller,
    smallest,
    store,
    subtract,
    with_numbers,
)
from wassergraph.transport.layout import LANES
from wassergraph.transport.simplex import bits_of, jit
from wassergraph.transport.tasks import Nodes

#: How many rows of the cost matrix are searched before an entering arc is chosen among them.
ROWS = 4

_COLUMN_BITS = 7  # of the number of an entry; the others are those of the row. There are at most 128 columns
_HUGE = 2**62


@jit
def pivot_in_sets(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    bound: float,
    parent: Nodes,
    flow: IntArray,
    potential: FloatArray,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
    row: int,
    tolerance: float,
    most: int,
    stop: BoolArray,
) -> tuple[int, int]:
    """Make at most so many pivots: (their number, less than ``most`` in an optimal tree, row to continue with).

    Costs above the bound are lowered to it.
    """
    for pivots in range(most):
        source, column, row = _entering_arc(n, stride, cost, bound, potential, row, tolerance)
        if source < 0 or stop[0]:
            return pivots, row
        step = cost[source * stride + column]
        reduced = (step if step < bound else bound) + potential[n + column] - potential[source]
        _exchange_in_sets(n + m, np.uint32(source), np.uint32(n + column), reduced, parent, flow, potential, low, high)
    return most, row


@jit
def _entering_arc(
    n: int, stride: int, cost: FloatArray, bound: float, potential: FloatArray, row: int, tolerance: float
) -> tuple[int, int, int]:
    """Search rows from ``row`` on, a few at a time, for the arc with the most negative reduced cost.

    Returns (row or -1, column, row to continue with).
    """
    seen, cut = 0, repeat(bound)
    while seen < n:
        best, first = repeat(-tolerance), row
        for turn in range(ROWS):
            shift, begin, number = load_repeated(potential, row), row * stride, turn << _COLUMN_BITS
            for j in range(0, stride, LANES):
                reduced = subtract(add(smaller(load(cost, begin + j), cut), load(potential, n + j)), shift)
                best = smaller(with_numbers(reduced, number + j), best)
            row += 1
            if row == n:
                row = 0
        seen += ROWS
        value = smallest(best)
        if value < -tolerance:
            number = number_of(value)
            source = first + (number >> _COLUMN_BITS)
            while source >= n:
                source -= n
            return source, number & ((1 << _COLUMN_BITS) - 1), row
    return -1, 0, row


@jit
def _exchange_in_sets(
    nodes: int,
    source: np.uint32,
    sink: np.uint32,
    reduced: float,
    parent: Nodes,
    flow: IntArray,
    potential: FloatArray,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
) -> None:
    """Exchange the arc from a source to a sink for the one whose flow reaches zero first, in a tree with sets."""
    amount, leaving, sink_side, top = _leaving_in_sets(source, sink, parent, flow, low, high)
    first, other = (sink, source) if sink_side else (source, sink)
    moved_low, moved_high = low[leaving], high[leaving]
    k, change = _reverse_in_sets(first, leaving, other, amount, parent, flow, low, high)
    while k != top:
        flow[k] += change
        change = -change
        low[k] &= ~moved_low
        high[k] &= ~moved_high
        k = parent[k]
    k, change = other, -amount
    while k != top:
        flow[k] += change
        change = -change
        low[k] |= moved_low
        high[k] |= moved_high
        k = parent[k]
    shift = repeat(-reduced if sink_side else reduced)
    for begin in range(0, nodes if nodes < 64 else 64, LANES):
        store(potential, begin, add(load(potential, begin), keep(moved_low >> np.uint64(begin), shift)))
    for begin in range(64, nodes, LANES):
        store(potential, begin, add(load(potential, begin), keep(moved_high >> np.uint64(begin - 64), shift)))


@jit
def _leaving_in_sets(
    source: np.uint32,
    sink: np.uint32,
    parent: Nodes,
    flow: IntArray,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
) -> tuple[int, np.uint32, bool, np.uint32]:
    """Find the arc whose flow reaches zero first when flow is sent along the cycle.

    Sources and sinks alternate on the way up; only the arcs of every other node lose flow. Returns (amount, node below
    the arc, whether it is on the sink's side, top of the cycle).
    """
    sink_low, sink_high = bits_of(int(sink))
    amount, leaving, sink_side = _HUGE, source, False
    k = source
    while (low[k] & sink_low) | (high[k] & sink_high) == 0:
        if flow[k] < amount:
            amount, leaving = flow[k], k
        k = parent[k]
        if (low[k] & sink_low) | (high[k] & sink_high) != 0:
            break
        k = parent[k]
    top = k
    k = sink
    while k != top:
        if flow[k] < amount:
            amount, leaving, sink_side = flow[k], k, True
        k = parent[k]
        if k != top:
            k = parent[k]
    return amount, leaving, sink_side, top


@jit
def _reverse_in_sets(
    first: np.uint32,
    leaving: np.uint32,
    other: np.uint32,
    amount: int,
    parent: Nodes,
    flow: IntArray,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
) -> tuple[np.uint32, int]:
    """Make ``first`` the root of the subtree below the leaving arc, by reversing the path between them.

    Returns (former parent of the subtree, by how much the flow of its arc changes).
    """
    moved_low, moved_high = low[leaving], high[leaving]
    previous_low, previous_high = np.uint64(0), np.uint64(0)
    k, above, carried, change = first, other, amount, -amount
    while True:
        next_above, next_carried = parent[k], flow[k] + change
        old_low, old_high = low[k], high[k]
        low[k], high[k] = moved_low & ~previous_low, moved_high & ~previous_high
        previous_low, previous_high = old_low, old_high
        parent[k], flow[k] = above, carried
        change = -change
        if k == leaving:
            return next_above, change
        above, carried, k = k, next_carried, next_above
