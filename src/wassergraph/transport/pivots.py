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

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.transport.ground import NO_ARC
from wassergraph.transport.list_pivots import SHORT, fill_short_lists, pivot_in_list
from wassergraph.transport.set_pivots import pivot_in_sets
from wassergraph.transport.simplex import MOST_IN_SETS, Tree, dual_value, jit, set_potentials
from wassergraph.transport.status import ABANDONED, NOT_CONVERGED, STOPPED

#: The potentials are recomputed after so many pivots, with a list after as many as there are nodes if these are more,
#: because rounding errors add up.
REFRESH = 512
#: With a cutoff, the dual value is computed every nodes / CHECKS + 8 pivots.
CHECKS = 3
#: Reduced costs above minus this share of the largest cost count as zero; too small to affect the distance.
TOLERANCE = 1e-13


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
    filled = 0 if in_sets or fill_short_lists(n, m, stride, cost, tree.potential, tolerance, sinks, costs) else -1
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
                more = fill_short_lists(n, m, stride, cost, tree.potential, tolerance, sinks, costs)
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
        return pivot_in_sets(n, m, stride, cost, parent, flow, potential, low, high, row, tolerance, most, stop)
    size, following, preceding, last = tree.size, tree.following, tree.preceding, tree.last
    return pivot_in_list(
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
