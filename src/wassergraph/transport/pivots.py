"""Pivots of the network simplex: which arc enters the tree, which one leaves it, and how the tree changes.

A pivot cuts the subtree below the leaving arc, makes one of its nodes the root, hangs it below the other end of the
entering arc, and shifts its potentials. There are two ways to keep subtrees:

    sets    For up to 128 nodes: every node has the set of the nodes below it, in two words. Sets change by a few
            logical operations, and potentials are shifted eight at a time. Rows of costs are searched as a whole.
    lists   For more: all nodes are in one list, in which the subtree of a node follows it. A pivot moves parts of the
            list, and shifts the potentials of the smaller part of the tree. Every source has a short list of its most
            promising sinks, and pivots use these arcs only, until none of them lowers the cost. Then all rows are
            searched, and the short lists filled again; if there is nothing to gain in any row, the tree is optimal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.ground import NO_ARC
from wassergraph.transport.lanes import (
    LANES,
    Lanes,
    add,
    gather,
    keep,
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
from wassergraph.transport.simplex import (
    MOST_IN_SETS,
    NOBODY,
    Nodes,
    Tree,
    bits_of,
    dual_value,
    inlined,
    jit,
    set_potentials,
)
from wassergraph.transport.status import ABANDONED, NOT_CONVERGED, STOPPED

#: How many rows of the cost matrix, or short lists, are searched before an entering arc is chosen among them.
ROWS, SHORT_ROWS = 4, 8
#: The number of sinks in a short list.
SHORT = 2 * LANES
#: The potentials are recomputed after so many pivots, with a list after as many as there are nodes if these are more,
#: because rounding errors add up.
REFRESH = 512
#: With a cutoff, the dual value is computed every nodes / CHECKS + 8 pivots.
CHECKS = 3
#: Reduced costs above minus this share of the largest cost count as zero; too small to affect the distance.
TOLERANCE = 1e-13

_COLUMN_BITS = 7  # of the number of an entry; the others are those of the row. There are at most 128 columns
_HUGE = 2**62


@jit
def optimize(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    tree: Tree,
    tolerance: float,
    max_iter: int,
    cutoff: float,
    stop: BoolArray,
) -> int:
    """Pivot until no arc has a negative reduced cost.

    Returns the number of pivots, NOT_CONVERGED after more than ``max_iter``, STOPPED if ``stop[0]`` was set, or
    ABANDONED as soon as the potentials prove that the solution costs more than a finite ``cutoff``, which is tried from
    time to time and does not change the pivots.
    """
    tolerance, nodes, in_sets = max(tolerance, 1.0 / NO_ARC), n + m, n + m <= MOST_IN_SETS
    length = 0 if in_sets else n * SHORT
    sinks, costs = np.empty(length, np.int32), np.empty(length)
    period, check = max(REFRESH, 0 if in_sets else nodes), nodes // CHECKS + 8
    pivots, row, refresh, until = 0, 0, period, check if cutoff < np.inf else max_iter + 1
    filled = 0 if in_sets or _fill_short_lists(n, m, stride, cost, tree.potential, tolerance, sinks, costs) else -1
    while filled >= 0:
        most = min(refresh, until, max_iter + 1) - pivots
        made, row = _make_pivots(n, m, stride, cost, tree, sinks, costs, row, tolerance, most, stop)
        pivots += made
        if stop[0] or pivots > max_iter:
            return STOPPED if stop[0] else NOT_CONVERGED
        if pivots == until:
            if _exceeds(n, m, stride, cost, tree, cutoff):
                return ABANDONED
            until += check
        if pivots == refresh or made < most:
            if made < most and (in_sets or pivots == filled):
                break
            set_potentials(n, m, stride, cost, tree)
            refresh = pivots + period
            if made < most:
                more = _fill_short_lists(n, m, stride, cost, tree.potential, tolerance, sinks, costs)
                filled = pivots if more else -1
    return pivots


@jit
def _make_pivots(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    tree: Tree,
    sinks: NDArray[np.int32],
    costs: FloatArray,
    row: int,
    tolerance: float,
    most: int,
    stop: BoolArray,
) -> tuple[int, int]:
    """Make at most so many pivots, in sets or in the list; see these."""
    parent, flow, potential = tree.parent, tree.flow, tree.potential
    if n + m <= MOST_IN_SETS:
        low, high = tree.low, tree.high
        return _pivot_in_sets(n, m, stride, cost, parent, flow, potential, low, high, row, tolerance, most, stop)
    size, following, preceding, last = tree.size, tree.following, tree.preceding, tree.last
    return _pivot_in_list(
        n,
        n + m,
        sinks,
        costs,
        parent,
        flow,
        potential,
        size,
        following,
        preceding,
        last,
        row,
        tolerance,
        most,
        stop,
    )


@jit
def _exceeds(n: int, m: int, stride: int, cost: FloatArray, tree: Tree, cutoff: float) -> bool:
    """Return whether the potentials prove that the solution costs more than the cutoff."""
    masses = tree.share
    return bool(dual_value(n, m, stride, cost, masses, masses[n:], tree.potential, np.inf, tree.penalty) > cutoff)


# Subtrees as sets


@jit
def _pivot_in_sets(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
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
    """Make at most so many pivots: (their number, less than ``most`` in an optimal tree, row to continue with)."""
    for pivots in range(most):
        source, column, row = _entering_arc(n, stride, cost, potential, row, tolerance)
        if source < 0 or stop[0]:
            return pivots, row
        reduced = cost[source * stride + column] + potential[n + column] - potential[source]
        _exchange_in_sets(n + m, np.uint32(source), np.uint32(n + column), reduced, parent, flow, potential, low, high)
    return most, row


@inlined
def _entering_arc(
    n: int, stride: int, cost: FloatArray, potential: FloatArray, row: int, tolerance: float
) -> tuple[int, int, int]:
    """Search rows from ``row`` on, a few at a time, for the arc with the most negative reduced cost.

    Returns (row or -1, column, row to continue with).
    """
    seen = 0
    while seen < n:
        best, first = repeat(-tolerance), row
        for turn in range(ROWS):
            shift, begin, number = load_repeated(potential, row), row * stride, turn << _COLUMN_BITS
            for j in range(0, stride, LANES):
                reduced = subtract(add(load(cost, begin + j), load(potential, n + j)), shift)
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


@inlined
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
    for begin in range(0, min(nodes, 64), LANES):
        store(potential, begin, add(load(potential, begin), keep(moved_low >> np.uint64(begin), shift)))
    for begin in range(64, nodes, LANES):
        store(potential, begin, add(load(potential, begin), keep(moved_high >> np.uint64(begin - 64), shift)))


@inlined
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
    sink_low, sink_high = bits_of(sink)
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


@inlined
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


# All nodes in one list


@jit
def _pivot_in_list(
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
def _fill_short_lists(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    potential: FloatArray,
    tolerance: float,
    sinks: NDArray[np.int32],
    costs: FloatArray,
) -> bool:
    """Find arcs with small reduced costs: in every row the two best ones of each of eight classes of columns.

    Returns whether one of them is negative.
    """
    least = repeat(-tolerance)
    for i in range(n):
        shift, begin = load_repeated(potential, i), i * stride
        first, second = repeat(NO_ARC), repeat(NO_ARC)
        for j in range(0, stride, LANES):
            value = with_numbers(subtract(add(load(cost, begin + j), load(potential, n + j)), shift), j)
            second = smaller(second, larger(first, value))
            first = smaller(first, value)
        least = smaller(first, least)
        _set_short_list(m, cost, begin, first, i * SHORT, sinks, costs)
        _set_short_list(m, cost, begin, second, i * SHORT + LANES, sinks, costs)
    return bool(smallest(least) < -tolerance)


@inlined
def _set_short_list(
    m: int, cost: FloatArray, begin: int, values: Lanes, place: int, sinks: NDArray[np.int32], costs: FloatArray
) -> None:
    """Enter eight numbered columns of a row; what is no column becomes the last one."""
    store(costs, place, values)
    for k in range(place, place + LANES):
        column = min(number_of(costs[k]), m - 1)
        sinks[k], costs[k] = column, cost[begin + column]


@inlined
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


@inlined
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
    _shift_list(nodes, first, tail, moved, -reduced if sink_side else reduced, potential, following)


@inlined
def _leaving_in_list(
    source: np.uint32, sink: np.uint32, parent: Nodes, flow: IntArray, size: Nodes
) -> tuple[int, np.uint32, bool, np.uint32]:
    """Find the arc whose flow reaches zero first; see :func:`_leaving_in_sets`.

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


@inlined
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


@inlined
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


@inlined
def _shift_list(
    nodes: int,
    first: np.uint32,
    tail: np.uint32,
    moved: int,
    shift: float,
    potential: FloatArray,
    following: Nodes,
) -> None:
    """Shift the potentials of a part of the list; or, which is the same, all others the other way."""
    k, number, amount = (first, moved, shift) if 2 * moved <= nodes else (following[tail], nodes - moved, -shift)
    for _ in range(number):
        potential[k] += amount
        k = following[k]
