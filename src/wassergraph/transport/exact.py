"""Exact distances for a block of pairs: ground costs and a network simplex per pair, all depths with warm starts."""

from __future__ import annotations

import math

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport import layout
from wassergraph.transport.ground import add_mismatches, add_scaled, add_squares, euclidean
from wassergraph.transport.layout import ROWS_AT_ONCE
from wassergraph.transport.pivots import TOLERANCE, optimize
from wassergraph.transport.simplex import (
    dual_value,
    jit,
    largest,
    moves_above,
    restart,
    set_potentials,
    start,
    total_cost,
)
from wassergraph.transport.status import ABANDONED, STOPPED
from wassergraph.transport.tasks import BlockTask, Graphs, Lists, Memory, Merged, Rules

#: If the largest cost exceeds the result by this factor, the problem is solved again with a smaller tolerance.
REACH = 1e3
#: A depth is solved with the nodes that differ there if they leave at most this share of the costs.
MOST_MERGED = 0.75

padded, first_column = jit(layout.padded), jit(layout.first_column)


@jit
def solve_block(task: BlockTask) -> None:
    """Solve pairs (k, 2) of graphs for the depths where ``wanted`` is True: out (k, depths wanted), status (k).

    A status is the number of pivots, or one of :mod:`wassergraph.transport.status`.

    Without ``prices`` all graphs have the same mass. With them, masses are counts, and a node without a partner costs
    the price of the depth. Ground costs are then cut at twice the price, for which two nodes can be left alone, so
    that some optimal plan leaves nodes of the larger graph alone only: one more source, with the mass that the smaller
    graph lacks, sends to them at that price.
    """
    pairs, status, out = task.pairs, task.status, task.out
    for t in range(task.n_pairs):
        status[t] = solve_pair(
            pairs[2 * t],
            pairs[2 * t + 1],
            task.left,
            task.right,
            task.rules,
            task.cutoff[0],
            task.hinted,
            task.hint,
            task.memory,
            task.lists,
            task.merged,
            out,
            t * task.n_wanted,
        )
        if status[t] == STOPPED:
            break


@jit
def solve_pair(
    g: int,
    h: int,
    left: Graphs,
    right: Graphs,
    rules: Rules,
    cutoff: float,
    hinted: IntArray,
    hint: FloatArray,
    memory: Memory,
    lists: Lists | None,
    merged: Merged | None,
    out: FloatArray,
    place: int,
) -> int:
    """Solve one pair of graphs: out (depths wanted), from a place on; see :func:`solve_block`.

    Returns the number of pivots, or a negative status: ABANDONED if the distance at a depth exceeds the cutoff, which
    is tried with the hint first, if there is one.
    """
    from_left = starts_left(g, h, left, right, rules)
    hinted[1] = from_left
    if from_left:
        one, two = left, right
    else:
        one, two, g, h = right, left, h, g
    n, m = one.ptr[g + 1] - one.ptr[g], two.ptr[h + 1] - two.ptr[h]
    sources, stride = n + 1 if rules.counted and one.total[g] < two.total[h] else n, padded(m)
    status, solved, added, unit, trying = 0, 0, 0, 1, True
    for depth in range(rules.n_depths):
        if not rules.wanted[depth]:
            continue
        if added == 0 and _merges(g, h, one, two, rules, depth, merged):
            pivots, value = _solve_merged(g, h, one, two, rules, depth, hinted, hint, memory, lists, merged)
        else:
            ground_cost_at(g, h, n, sources, m, one, two, rules, added, depth, memory)
            if added == 0:
                unit = _first_tree(g, h, n, sources, m, one, two, rules, cutoff, hinted, hint, memory, lists)
            elif trying:
                trying = _start_anew(g, h, n, sources, m, one, two, rules, memory, lists, unit)
            added = depth + 1
            most = limit(sources + m, rules.max_iter)
            pivots, value = improve(sources, m, stride, memory, lists, unit, most, cutoff, rules.stop)
        if pivots < 0:
            return pivots
        out[place + solved] = value
        status += pivots
        solved += 1
    return status


# Nodes that are equal at a depth


@jit
def _merges(g: int, h: int, one: Graphs, two: Graphs, rules: Rules, depth: int, merged: Merged | None) -> bool:
    """Return whether a pair has so few different nodes at a depth that it is solved with these alone.

    Only for pairs of more than 128 nodes, and not at the last depth, at which all nodes differ.
    """
    if merged is None:
        return False
    if depth + 1 == rules.n_depths:
        return False
    n, m = one.ptr[g + 1] - one.ptr[g], two.ptr[h + 1] - two.ptr[h]
    return bool(_number_at(g, one, depth) * _number_at(h, two, depth) <= MOST_MERGED * n * m)


@jit
def _number_at(g: int, graphs: Graphs, depth: int) -> int:
    """Return the number of different nodes of a graph at a depth."""
    number = 0
    for k in range(graphs.ptr[g], graphs.ptr[g + 1]):
        number += graphs.level[k] <= depth
    return number


@jit
def _solve_merged(
    g: int,
    h: int,
    one: Graphs,
    two: Graphs,
    rules: Rules,
    depth: int,
    hinted: IntArray,
    hint: FloatArray,
    memory: Memory,
    lists: Lists | None,
    merged: Merged | None,
) -> tuple[int, float]:
    """Solve one depth for nodes that differ there, from a first tree of its own; the sums of costs are overwritten."""
    if merged is None:
        return 0, 0.0
    few, others = merged.one, merged.two
    _merge(g, one, rules, depth, few)
    _merge(h, two, rules, depth, others)
    _set_columns(rules, depth, others)
    n, m = few.ptr[1], others.ptr[1]
    sources, stride = n + 1 if rules.counted and few.total[0] < others.total[0] else n, padded(m)
    ground_cost_at(0, 0, n, sources, m, few, others, rules, 0, depth, memory)
    unit = _first_tree(0, 0, n, sources, m, few, others, rules, np.inf, hinted, hint, memory, lists)
    most = limit(sources + m, rules.max_iter)
    return improve(sources, m, stride, memory, lists, unit, most, np.inf, rules.stop)


@jit
def _merge(g: int, graphs: Graphs, rules: Rules, depth: int, result: Graphs) -> None:
    """Copy the nodes of a graph that differ at a depth, each with the masses of those that are equal to it."""
    number, width, used = 0, rules.width, (depth + 1) * rules.dim
    for k in range(graphs.ptr[g], graphs.ptr[g + 1]):
        if graphs.level[k] > depth:
            result.mass[number - 1] += graphs.mass[k]
            continue
        result.mass[number] = graphs.mass[k]
        for c in range(used):
            result.rows[number * width + c] = graphs.rows[k * width + c]
        for each in range(depth + 1 if rules.coded else 0):
            result.codes[each * result.n_nodes + number] = graphs.codes[each * graphs.n_nodes + k]
        number += 1
    result.ptr[1], result.total[0] = number, graphs.total[g]


@jit
def _set_columns(rules: Rules, depth: int, merged: Graphs) -> None:
    """Store the points of merged nodes by feature, too, with zeros behind them."""
    m, width = merged.ptr[1], rules.width
    stride = padded(m)
    for c in range((depth + 1) * rules.dim):
        for j in range(stride):
            merged.columns[c * stride + j] = merged.rows[j * width + c] if j < m else 0.0


# Parts of the solution


@jit
def _first_tree(
    g: int,
    h: int,
    n: int,
    sources: int,
    m: int,
    one: Graphs,
    two: Graphs,
    rules: Rules,
    cutoff: float,
    hinted: IntArray,
    hint: FloatArray,
    memory: Memory,
    lists: Lists | None,
) -> int:
    """Set the masses of a pair, and build a first tree; return what flows are divided by, or a negative status."""
    stride, unit = padded(m), set_masses(g, h, n, sources, m, one, two, rules, memory)
    if cutoff < np.inf:
        set_shares(sources, m, unit, memory)
        if hinted[0] > 0 and hint_exceeds(sources, m, stride, memory, hinted, hint, cutoff):
            return ABANDONED
    started = start(sources, m, stride, memory.cost, memory.supply, memory.demand, memory.tree, lists)
    return unit if started == 0 else started


@jit
def _start_anew(
    g: int,
    h: int,
    n: int,
    sources: int,
    m: int,
    one: Graphs,
    two: Graphs,
    rules: Rules,
    memory: Memory,
    lists: Lists | None,
    unit: int,
) -> bool:
    """Replace the tree of the previous depth by a new first tree if that costs less; see ``restart`` in simplex.py."""
    if lists is None:
        return False
    set_masses(g, h, n, sources, m, one, two, rules, memory)
    return restart(sources, m, padded(m), memory.cost, memory.supply, memory.demand, memory.tree, lists, unit)


@jit
def clear(n: int, stride: int, rules: Rules, memory: Memory) -> None:
    """Set sums to zero, also of rows that are computed together with the last ones."""
    for k in range((n + ROWS_AT_ONCE - 1) * stride):
        memory.squares[k] = 0.0
    if rules.coded:
        for k in range(n * stride):
            memory.mismatches[k] = 0.0


@jit
def starts_left(g: int, h: int, left: Graphs, right: Graphs, rules: Rules) -> bool:
    """Return whether the graph on the left is the source.

    That is the one with fewer nodes, since fewer and longer rows are faster; with counts, the one with less mass. Of
    two that are alike in this, it is the one whose content comes first, so that a distance does not depend, to the last
    bit, on which graph is on the left.
    """
    if rules.costs_given:
        return True
    if rules.counted and left.total[g] != right.total[h]:
        return bool(left.total[g] < right.total[h])
    n, m = left.ptr[g + 1] - left.ptr[g], right.ptr[h + 1] - right.ptr[h]
    if n != m:
        return bool(n < m)
    return _comes_first(n, left, left.ptr[g], right, right.ptr[h], rules)


@jit
def _comes_first(n: int, left: Graphs, first: int, right: Graphs, other: int, rules: Rules) -> bool:
    """Return whether n nodes come before n others, by masses, then labels, then points."""
    for k in range(n):
        if left.mass[first + k] != right.mass[other + k]:
            return bool(left.mass[first + k] < right.mass[other + k])
    for depth in range(rules.n_depths if rules.coded else 0):
        i, j = depth * left.n_nodes + first, depth * right.n_nodes + other
        for k in range(n):
            if left.codes[i + k] != right.codes[j + k]:
                return bool(left.codes[i + k] < right.codes[j + k])
    i, j = first * rules.width, other * rules.width
    for k in range(n * rules.width):
        if left.rows[i + k] != right.rows[j + k]:
            return bool(left.rows[i + k] < right.rows[j + k])
    return True


@jit
def set_shares(n: int, m: int, unit: int, memory: Memory) -> None:
    """Set the masses of a tree as floats, from perturbed ones."""
    perturbation, share = 2 * n + 1, memory.tree.share
    for i in range(n):
        share[i] = memory.supply[i] // perturbation / float(unit)
    for j in range(m):
        share[n + j] = memory.demand[j] // perturbation / float(unit)


@jit
def hint_exceeds(
    n: int, m: int, stride: int, memory: Memory, hinted: IntArray, hint: FloatArray, cutoff: float
) -> bool:
    """Return whether potentials of the sources, or of the sinks, prove that the solution costs more than the cutoff.

    An additional source has the potential 0.
    """
    tree, cost = memory.tree, memory.cost
    share, potential = tree.share, tree.potential
    if hinted[1]:
        for i in range(n):
            potential[i] = hint[i] if i < hinted[0] else 0.0
        return dual_value(n, m, stride, cost, share, share, n, potential, np.inf, tree.penalty) > cutoff
    value = 0.0
    for j in range(m):
        value += share[n + j] * hint[j]
    for i in range(n):
        least = np.inf
        for j in range(m):
            reduced = cost[i * stride + j] - hint[j]
            least = reduced if reduced < least else least
        value += share[i] * least
    return value > cutoff


@jit
def improve(
    n: int,
    m: int,
    stride: int,
    memory: Memory,
    lists: Lists | None,
    unit: int,
    max_iter: int,
    cutoff: float,
    stop: BoolArray,
) -> tuple[int, float]:
    """Pivot from the current tree to an optimal one: (number of pivots or a negative status, cost of its flows).

    The tolerance is relative to the largest cost. If that is far above the result, as when both graphs have the same
    outlier, the problem is solved again with all costs above a bound lowered to it. This can only lower the optimum: if
    the plan then found moves nothing at a lowered cost, it is optimal without the bound too. If not, the bound is
    raised. Flows are divided by ``unit``; one below 0 is the status of a tree that could not be built.
    """
    if unit < 0:
        return unit, 0.0
    cost, tree = memory.cost, memory.tree
    top = largest(n, m, stride, cost)
    bound, reach, total = top, REACH, 0
    while True:
        set_potentials(n, m, stride, cost, bound, tree)
        pivots = optimize(n, m, stride, cost, bound, tree, lists, TOLERANCE * bound, max_iter, cutoff, stop)
        value = total_cost(n, m, stride, cost, tree, unit)
        total += pivots
        if pivots < 0:
            return pivots, value
        if bound < top and moves_above(n, m, stride, cost, tree, bound):
            reach *= REACH
            bound = bound * REACH if bound * REACH < top else top
        elif 0.0 < reach * value < bound:
            bound = reach * value
        else:
            return total, value


@jit
def ground_cost_at(
    g: int,
    h: int,
    n: int,
    sources: int,
    m: int,
    one: Graphs,
    two: Graphs,
    rules: Rules,
    added: int,
    depth: int,
    memory: Memory,
) -> None:
    """Compute the ground costs of a pair at a depth, given how many depths were added to the sums before."""
    if rules.costs_given:
        return
    stride = padded(m)
    if added == 0:
        clear(n, stride, rules, memory)
    add_depths(g, h, n, m, one, two, rules, added, depth + 1, memory)
    ground_cost(n, sources, stride, rules, depth, memory)


@jit
def add_depths(
    g: int, h: int, n: int, m: int, left: Graphs, right: Graphs, rules: Rules, begin: int, end: int, memory: Memory
) -> None:
    """Add the contributions of the depths begin … end - 1 to the ground costs of a pair."""
    dim, width, stride = rules.dim, rules.width, padded(m)
    if dim > 0:
        row, column, rows, columns = left.ptr[g], first_column(right.ptr, h), left.rows, right.columns
        add_squares(n, stride, rows, row, columns, column, width, begin * dim, end * dim, memory.squares)
    for depth in range(begin, end if rules.coded else begin):
        first, other = depth * left.n_nodes + left.ptr[g], depth * right.n_nodes + right.ptr[h]
        add_mismatches(n, m, stride, left.codes, first, right.codes, other, memory.mismatches)


@jit
def ground_cost(n: int, sources: int, stride: int, rules: Rules, depth: int, memory: Memory) -> None:
    """Compute the ground costs at a depth from the sums so far: Euclidean, Hamming, or joint.

    ``label_cost`` is the cost of labels that differ at all depths, in the unit of the points (distances/scaling.py).
    With prices of nodes without a partner, costs are cut at twice the price, which is that of an additional source.
    """
    length, cost, scale = n * stride, memory.cost, 1.0
    if rules.coded and rules.dim > 0:
        scale = (1.0 - rules.label_weight) / math.sqrt(rules.dim * (depth + 1))
    if rules.dim > 0:
        euclidean(length, memory.squares, scale, cost)
    else:
        for k in range(length):
            cost[k] = 0.0
    if rules.coded:
        add_scaled(length, memory.mismatches, rules.label_cost / (depth + 1), cost)
    if rules.counted:
        price = rules.prices[depth]
        for k in range(length):
            cost[k] = cost[k] if cost[k] < 2.0 * price else 2.0 * price
        for k in range(length, sources * stride):
            cost[k] = price


@jit
def limit(nodes: int, max_iter: int) -> int:
    """Return the largest number of pivots for a pair: ``max_iter``, or if that is 0 far more than are ever needed."""
    return max_iter if max_iter > 0 else 1000 * nodes


@jit
def common_total(a: int, b: int) -> int:
    """Return the least common multiple of two total masses."""
    divisor, rest = a, b
    while rest:
        divisor, rest = rest, divisor % rest
    return a // divisor * b


@jit
def set_masses(
    g: int, h: int, n: int, sources: int, m: int, left: Graphs, right: Graphs, rules: Rules, memory: Memory
) -> int:
    """Set the perturbed supplies and demands of a pair (see simplex.py); return what flows are divided by.

    That is the total before the perturbation or, if masses are counts, 1.
    """
    supply, demand, perturbation = memory.supply, memory.demand, 2 * sources + 1
    unit = 1 if rules.counted else common_total(left.total[g], right.total[h])
    left_factor = 1 if rules.counted else unit // left.total[g]
    right_factor = 1 if rules.counted else unit // right.total[h]
    for i in range(n):
        supply[i] = left.mass[left.ptr[g] + i] * left_factor * perturbation + 1
    if sources > n:
        supply[n] = (right.total[h] - left.total[g]) * perturbation + 1
    for j in range(m):
        demand[j] = right.mass[right.ptr[h] + j] * right_factor * perturbation
    demand[m - 1] += sources
    return unit
