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

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.transport.layout import NO_ARC
from wassergraph.transport.list_pivots import fill_short_lists, pivot_in_list
from wassergraph.transport.set_pivots import pivot_in_sets
from wassergraph.transport.simplex import dual_value, jit, set_potentials
from wassergraph.transport.status import ABANDONED, NOT_CONVERGED, STOPPED
from wassergraph.transport.tasks import Lists, Tree

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
    bound: float,
    tree: Tree,
    lists: Lists | None,
    tolerance: float,
    max_iter: int,
    cutoff: float,
    stop: BoolArray,
) -> int:
    """Pivot until no arc has a negative reduced cost; costs above the bound are lowered to it.

    Returns the number of pivots, NOT_CONVERGED after more than ``max_iter``, STOPPED if ``stop[0]`` was set, or
    ABANDONED as soon as the potentials prove that the solution costs more than a finite ``cutoff``, which is tried from
    time to time and does not change the pivots.
    """
    in_sets = lists is None
    tolerance = tolerance if tolerance > 1.0 / NO_ARC else 1.0 / NO_ARC
    period = REFRESH if in_sets or n + m < REFRESH else n + m
    check = (n + m) // CHECKS + 8
    pivots, row, refresh, until = 0, 0, period, check if cutoff < np.inf else max_iter + 1
    filled = 0 if _fill(n, m, stride, cost, bound, tree, lists, tolerance) else -1
    while filled >= 0:
        end = refresh if refresh < until else until
        most = (end if end < max_iter + 1 else max_iter + 1) - pivots
        made, row = _make_pivots(n, m, stride, cost, bound, tree, lists, row, tolerance, most, stop)
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
            set_potentials(n, m, stride, cost, bound, tree)
            refresh = pivots + period
            if made < most:
                filled = pivots if _fill(n, m, stride, cost, bound, tree, lists, tolerance) else -1
    return pivots


@jit
def _fill(
    n: int, m: int, stride: int, cost: FloatArray, bound: float, tree: Tree, lists: Lists | None, tolerance: float
) -> bool:
    """Fill the short lists, if there are any; return whether there is an arc to enter the tree."""
    if lists is None:
        return True
    return fill_short_lists(n, m, stride, cost, bound, tree.potential, tolerance, lists.sinks, lists.costs)


@jit
def _make_pivots(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    bound: float,
    tree: Tree,
    lists: Lists | None,
    row: int,
    tolerance: float,
    most: int,
    stop: BoolArray,
) -> tuple[int, int]:
    """Make at most so many pivots, in sets or in the list; see these."""
    parent, flow, potential = tree.parent, tree.flow, tree.potential
    if lists is None:
        low, high = tree.low, tree.high
        return pivot_in_sets(n, m, stride, cost, bound, parent, flow, potential, low, high, row, tolerance, most, stop)
    return pivot_in_list(
        n,
        n + m,
        lists.sinks,
        lists.costs,
        parent,
        flow,
        potential,
        lists.size,
        lists.following,
        lists.preceding,
        lists.last,
        row,
        tolerance,
        most,
        stop,
    )


@jit
def _exceeds(n: int, m: int, stride: int, cost: FloatArray, tree: Tree, cutoff: float) -> bool:
    """Return whether the potentials prove that the solution costs more than the cutoff."""
    share = tree.share
    return dual_value(n, m, stride, cost, share, share, n, tree.potential, np.inf, tree.penalty) > cutoff
