"""Exact optimal transport by the network simplex, made for very many small dense problems.

The problem: move integer supplies (n) to integer demands (m) at costs (n, m). A basis is a spanning tree of the n + m
nodes; sources are the nodes 0 … n - 1, sinks n … n + m - 1. It is kept in arrays by node:

    parent     the node above, -1 at the root
    flow       what moves along the arc to the parent, always from the source to the sink
    below      the set of nodes in the subtree, as bits: whole subtrees are moved by a few logical operations
    u, v       the potentials of sources and sinks; cost = u + v on every arc of the tree

Supplies are perturbed: with K = 2n + 1, every supply becomes K times itself plus 1, and the last demand takes up the
rest. No flow of a basis is then zero, so every pivot lowers the total cost: neither cycling nor stalling can happen
(Charnes' method, equivalent to strongly feasible trees). Dividing by K and rounding gives the flows of the given problem,
exactly.
"""

from __future__ import annotations

from collections import namedtuple

import numba as nb
import numpy as np

#: No NaN gets here: attributes and weights are checked for it long before.
FASTMATH = {"reassoc", "contract", "arcp", "nsz", "nnan"}
#: Rows of the cost matrix that are looked at before an entering arc is chosen among them.
ROWS = 4

Tree = namedtuple("Tree", "parent flow u v below moved previous order known penalty")

_jit = nb.njit(nogil=True, cache=True, fastmath=FASTMATH, error_model="numpy")
_inlined = nb.njit(nogil=True, fastmath=FASTMATH, error_model="numpy", inline="always")
_ONE = np.uint64(1)
_BITS = np.uint64(63)
_HUGE = np.int64(2**62)


@_jit
def new_tree(n_max: int, m_max: int):
    """Allocate what a solver needs for problems of at most this size; one for each thread."""
    nodes = n_max + m_max
    words = (nodes + 63) // 64
    return Tree(
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(n_max, np.float64),
        np.empty(m_max, np.float64),
        np.empty(nodes * words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.bool_),
        np.empty(m_max, np.float64),
    )


@_jit
def start(n, m, cost, supply, demand, tree):
    """Build a first tree: source after source moves its supply to where it is cheapest, all columns made comparable.

    Supplies and demands are used up. Each step closes a node, which then hangs below the other end of the arc.
    """
    penalty, parent, flow, order = tree.penalty, tree.parent, tree.flow, tree.order
    for j in range(m):
        penalty[j] = -np.inf
    for i in range(n):
        for j in range(m):
            penalty[j] = max(penalty[j], -cost[i * m + j])
    closed = 0
    for i in range(n):
        while supply[i] > 0:
            j = _cheapest(m, cost, i * m, penalty)
            amount = min(supply[i], demand[j])
            supply[i] -= amount
            demand[j] -= amount
            child, above = (n + j, i) if supply[i] > 0 else (i, n + j)
            if demand[j] == 0:
                penalty[j] = np.inf
            parent[child] = above
            flow[child] = amount
            order[closed] = child
            closed += 1
    root = parent[order[closed - 1]]
    parent[root] = -1
    order[closed] = root
    _collect_subtrees(n + m, tree)


@_inlined
def _cheapest(m, cost, row, penalty):
    best, place = np.inf, 0
    for j in range(m):
        value = cost[row + j] + penalty[j]
        if value < best:
            best, place = value, j
    return place


@_jit
def _collect_subtrees(nodes, tree):
    words = (nodes + 63) // 64
    below = tree.below
    for k in range(nodes * words):
        below[k] = np.uint64(0)
    for k in range(nodes):
        below[k * words + (k >> 6)] = _ONE << (np.uint64(k) & _BITS)
    for step in range(nodes - 1):
        child = tree.order[step]
        above = tree.parent[child]
        for w in range(words):
            below[above * words + w] |= below[child * words + w]


@_jit
def set_potentials(n, m, cost, tree):
    """Compute the potentials of a tree anew, for new costs."""
    parent, u, v, stack, known = tree.parent, tree.u, tree.v, tree.order, tree.known
    for k in range(n + m):
        known[k] = False
    for first in range(n + m):
        k, height = first, 0
        while k >= 0 and not known[k]:
            stack[height] = k
            height += 1
            k = parent[k]
        while height > 0:
            height -= 1
            k = stack[height]
            above = parent[k]
            known[k] = True
            if k < n:
                u[k] = cost[k * m + above - n] - v[above - n] if above >= 0 else 0.0
            else:
                v[k - n] = cost[above * m + k - n] - u[above] if above >= 0 else 0.0


@_inlined
def _contains(below, words, subtree, node):
    return (below[subtree * words + (node >> 6)] >> (np.uint64(node) & _BITS)) & _ONE != np.uint64(0)


@_inlined
def _entering_row(n, m, cost, tree, first, tolerance):
    """Look at rows from ``first`` on, a few at a time; give the one with the most negative reduced cost, or -1."""
    u, v = tree.u, tree.v
    best, place, row, seen, in_turn = -tolerance, -1, first, 0, 0
    while seen < n:
        lowest = np.inf
        base = row * m
        for j in range(m):
            lowest = min(lowest, cost[base + j] - v[j])
        lowest -= u[row]
        if lowest < best:
            best, place = lowest, row
        row += 1
        if row == n:
            row = 0
        seen += 1
        in_turn += 1
        if in_turn == ROWS:
            if place >= 0:
                break
            in_turn = 0
    return place, row


@_inlined
def _pivot(n, m, i, j, reduced, tree):
    """Bring the arc from source i to sink j into the tree, and the arc out that runs empty first."""
    parent, flow, below, moved, previous = tree.parent, tree.flow, tree.below, tree.moved, tree.previous
    words = (n + m + 63) // 64
    sink = n + j
    amount, leaving, sink_side = _HUGE, -1, False
    k = i
    while not _contains(below, words, k, sink):
        if k < n and flow[k] < amount:
            amount, leaving = flow[k], k
        k = parent[k]
    top = k
    k = sink
    while k != top:
        if k >= n and flow[k] < amount:
            amount, leaving, sink_side = flow[k], k, True
        k = parent[k]

    for w in range(words):
        moved[w] = below[leaving * words + w]
        previous[w] = np.uint64(0)
    # The subtree below the leaving arc is hung up by its end of the entering arc: the way in between turns around.
    k, above, carried = (sink, i, amount) if sink_side else (i, sink, amount)
    other = above
    while True:
        old_above = parent[k]
        old_flow = flow[k] - amount if (k < n) != sink_side else flow[k] + amount
        for w in range(words):
            old = below[k * words + w]
            below[k * words + w] = moved[w] & ~previous[w]
            previous[w] = old
        parent[k], flow[k] = above, carried
        above, carried = k, old_flow
        last = k
        k = old_above
        if last == leaving:
            break
    while k != top:
        flow[k] += -amount if (k < n) != sink_side else amount
        for w in range(words):
            below[k * words + w] &= ~moved[w]
        k = parent[k]
    k = other
    while k != top:
        flow[k] += amount if (k < n) != sink_side else -amount
        for w in range(words):
            below[k * words + w] |= moved[w]
        k = parent[k]
    _shift_potentials(n, m, -reduced if sink_side else reduced, tree)


@_inlined
def _shift_potentials(n, m, amount, tree):
    """Raise the potentials of the moved sources, and lower those of the moved sinks."""
    u, v, moved = tree.u, tree.v, tree.moved
    for i in range(n):
        u[i] += amount * np.float64((moved[i >> 6] >> (np.uint64(i) & _BITS)) & _ONE)
    for j in range(m):
        k = n + j
        v[j] -= amount * np.float64((moved[k >> 6] >> (np.uint64(k) & _BITS)) & _ONE)


@_jit
def optimise(n, m, cost, tree, tolerance, max_iter, stop):
    """Pivot until no arc is worth entering; give the number of pivots, or -1 if ``max_iter`` were not enough.

    ``stop[0]`` is looked at before every pivot: somebody else may set it to end the work early (-2).
    """
    u, v = tree.u, tree.v
    row = 0
    for pivots in range(max_iter + 1):
        if stop[0]:
            return -2
        place, row = _entering_row(n, m, cost, tree, row, tolerance)
        if place < 0:
            return pivots
        best, column = np.inf, 0
        for j in range(m):
            reduced = cost[place * m + j] - v[j]
            if reduced < best:
                best, column = reduced, j
        _pivot(n, m, place, column, best - u[place], tree)
    return -1


@_jit
def total_cost(n, m, cost, tree, perturbation, total):
    """Add up what the flows of the tree cost, in shares of the total mass."""
    result = 0.0
    for k in range(n + m):
        above = tree.parent[k]
        if above >= 0:
            arc = k * m + above - n if k < n else above * m + k - n
            result += cost[arc] * true_flow(tree.flow[k], perturbation)
    return result / total


@_jit
def true_flow(flow, perturbation):
    """Give the flow of the given problem for one of the perturbed problem."""
    return (flow + perturbation // 2) // perturbation


@_jit
def largest(cost, length):
    """Give the largest of the costs."""
    result = 0.0
    for k in range(length):
        result = max(result, cost[k])
    return result
