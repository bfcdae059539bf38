"""Pivots in trees of any size, with a list of all nodes and short lists of sinks; see pivots.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.lanes import (
    Lanes,
    add,
    gather,
    larger,
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
from wassergraph.transport.layout import LANES, NO_ARC, NOBODY, SHORT
from wassergraph.transport.simplex import jit
from wassergraph.transport.tasks import Nodes

#: How many short lists are searched before an entering arc is chosen among them.
SHORT_ROWS = 8

_HUGE = 2**62


@jit
def pivot_in_list(
    n: int,
    nodes: int,
    sinks: NDArray[np.int32],
    costs: FloatArray,
    parent: Nodes,
    flow: IntArray,
    potential: FloatArray,
    size: Nodes,
    following: Nodes,
    preceding: Nodes,
    last: Nodes,
    row: int,
    tolerance: float,
    most: int,
    stop: BoolArray,
) -> tuple[int, int]:
    """Make at most so many pivots: (their number, less than ``most`` if short lists are used up, row to go on with)."""
    for pivots in range(most):
        source, place, row = _entering_short(n, sinks, costs, potential, row, tolerance)
        if source < 0 or stop[0]:
            return pivots, row
        sink = n + sinks[place]
        reduced = costs[place] + potential[sink] - potential[source]
        start, end = np.uint32(source), np.uint32(sink)
        _exchange_in_list(nodes, start, end, reduced, parent, flow, potential, size, following, preceding, last)
    return most, row


@jit
def fill_short_lists(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    bound: float,
    potential: FloatArray,
    tolerance: float,
    sinks: NDArray[np.int32],
    costs: FloatArray,
) -> bool:
    """Find arcs with small reduced costs: in every row the two best ones of each of eight classes of columns.

    Costs above the bound are lowered to it. Returns whether one of the reduced costs is negative.
    """
    least, cut = repeat(-tolerance), repeat(bound)
    for i in range(n):
        shift, begin = load_repeated(potential, i), i * stride
        first, second = repeat(NO_ARC), repeat(NO_ARC)
        for j in range(0, stride, LANES):
            value = with_numbers(subtract(add(smaller(load(cost, begin + j), cut), load(potential, n + j)), shift), j)
            second = smaller(second, larger(first, value))
            first = smaller(first, value)
        least = smaller(first, least)
        _set_short_list(m, cost, bound, begin, first, i * SHORT, sinks, costs)
        _set_short_list(m, cost, bound, begin, second, i * SHORT + LANES, sinks, costs)
    return bool(smallest(least) < -tolerance)


@jit
def _set_short_list(
    m: int,
    cost: FloatArray,
    bound: float,
    begin: int,
    values: Lanes,
    place: int,
    sinks: NDArray[np.int32],
    costs: FloatArray,
) -> None:
    """Enter eight numbered columns of a row; what is no column becomes the last one."""
    store(costs, place, values)
    for k in range(place, place + LANES):
        number = number_of(costs[k])
        column = number if number < m else m - 1
        step = cost[begin + column]
        sinks[k], costs[k] = column, step if step < bound else bound


@jit
def _entering_short(
    n: int, sinks: NDArray[np.int32], costs: FloatArray, potential: FloatArray, row: int, tolerance: float
) -> tuple[int, int, int]:
    """Search short lists from ``row`` on, a few at a time, for the arc with the most negative reduced cost.

    Returns (row or -1, place of the arc in the lists, row to continue with).
    """
    seen = 0
    while seen < n:
        best, first = repeat(-tolerance), row
        for turn in range(SHORT_ROWS):
            shift, begin, number = load_repeated(potential, row), row * SHORT, turn * SHORT
            for j in range(0, SHORT, LANES):
                reduced = subtract(add(load(costs, begin + j), gather(potential, n, sinks, begin + j)), shift)
                best = smaller(with_numbers(reduced, number + j), best)
            row += 1
            if row == n:
                row = 0
        seen += SHORT_ROWS
        value = smallest(best)
        if value < -tolerance:
            number = number_of(value)
            source = (first + number // SHORT) % n
            return source, source * SHORT + number % SHORT, row
    return -1, 0, row


@jit
def _exchange_in_list(
    nodes: int,
    source: np.uint32,
    sink: np.uint32,
    reduced: float,
    parent: Nodes,
    flow: IntArray,
    potential: FloatArray,
    size: Nodes,
    following: Nodes,
    preceding: Nodes,
    last: Nodes,
) -> None:
    """Exchange the arc from a source to a sink for the one whose flow reaches zero first, in a tree with a list."""
    amount, leaving, sink_side, top = _leaving_in_list(source, sink, parent, flow, size)
    first, other = (sink, source) if sink_side else (source, sink)
    end, before, moved = last[leaving], preceding[leaving], size[leaving]
    following[before], preceding[following[end]] = following[end], before
    tail, above, change = _reverse_in_list(
        first, leaving, other, amount, moved, parent, flow, size, following, preceding, last
    )
    _send_up(above, top, change, -np.int64(moved), end, before, parent, flow, size, last)
    after = following[other]
    following[other], preceding[first] = first, other
    following[tail], preceding[after] = after, tail
    _send_up(other, top, -amount, np.int64(moved), other, tail, parent, flow, size, last)
    _shift_list(nodes, first, tail, moved, -reduced if sink_side else reduced, potential, following, preceding)


@jit
def _leaving_in_list(
    source: np.uint32, sink: np.uint32, parent: Nodes, flow: IntArray, size: Nodes
) -> tuple[int, np.uint32, bool, np.uint32]:
    """Find the arc whose flow reaches zero first; see ``_leaving_in_sets`` in set_pivots.py.

    Of two nodes on different sides of the cycle, the one with the smaller subtree is below its top.
    """
    amount, leaving, sink_side = _HUGE, source, False
    k, other, k_loses, other_loses = source, sink, True, True
    while k != other:
        if size[k] < size[other]:
            if k_loses and flow[k] < amount:
                amount, leaving, sink_side = flow[k], k, False
            k, k_loses = parent[k], not k_loses
        else:
            if other_loses and flow[other] < amount:
                amount, leaving, sink_side = flow[other], other, True
            other, other_loses = parent[other], not other_loses
    return amount, leaving, sink_side, k


@jit
def _reverse_in_list(
    first: np.uint32,
    leaving: np.uint32,
    other: np.uint32,
    amount: int,
    moved: int,
    parent: Nodes,
    flow: IntArray,
    size: Nodes,
    following: Nodes,
    preceding: Nodes,
    last: Nodes,
) -> tuple[np.uint32, np.uint32, int]:
    """Make ``first`` the root of the subtree below the leaving arc, by reversing the path between them.

    In the list, the subtree of the new root comes first, then that of its former parent without it, and so on. Returns
    (last node, former parent of the subtree, by how much the flow of its arc changes).
    """
    k, change = first, -amount
    tail, old_last, old_next, old_before = last[k], last[k], following[last[k]], preceding[k]
    next_above, carried, old_size = parent[k], flow[k] + change, size[k]
    parent[k], flow[k], size[k] = other, amount, moved
    while k != leaving:
        change = -change
        above = next_above
        above_last, above_before = last[above], preceding[above]
        above_next = old_next if above_last == old_last else following[above_last]
        following[tail], preceding[above] = above, tail
        tail = old_before
        if above_last != old_last:
            following[tail], preceding[old_next] = old_next, tail
            tail = above_last
        next_above, next_carried, next_size = parent[above], flow[above] + change, size[above]
        parent[above], flow[above], size[above] = k, carried, moved - old_size
        k, carried, old_size = above, next_carried, next_size
        old_last, old_next, old_before = above_last, above_next, above_before
    while k != other:
        last[k] = tail
        k = parent[k]
    return tail, next_above, -change


@jit
def _send_up(
    node: np.uint32,
    top: np.uint32,
    change: int,
    more: np.int64,
    old_last: np.uint32,
    new_last: np.uint32,
    parent: Nodes,
    flow: IntArray,
    size: Nodes,
    last: Nodes,
) -> None:
    """Change flows by turns and sizes from a node to the top of the cycle, and last nodes as far as needed."""
    k = node
    while k != top:
        flow[k] += change
        change = -change
        size[k] += more
        if last[k] == old_last:
            last[k] = new_last
        k = parent[k]
    while k != NOBODY and last[k] == old_last:
        last[k] = new_last
        k = parent[k]


@jit
def _shift_list(
    nodes: int,
    first: np.uint32,
    tail: np.uint32,
    moved: int,
    shift: float,
    potential: FloatArray,
    following: Nodes,
    preceding: Nodes,
) -> None:
    """Shift the potentials of a part of the list; or, which is the same, all others the other way.

    It is followed from both ends, since the processor waits for every step.
    """
    k, end, number, amount = first, tail, moved, shift
    if 2 * moved > nodes:
        k, end, number, amount = following[tail], preceding[first], nodes - moved, -shift
    for _ in range(number // 2):
        one, two = k, end
        k, end = following[k], preceding[end]
        potential[one] += amount
        potential[two] += amount
    if number % 2 > 0:
        potential[k] += amount
