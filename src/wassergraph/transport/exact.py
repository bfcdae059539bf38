"""Exact distances for a block of pairs: ground costs and a network simplex per pair, all depths with warm starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.ground import (
    ROWS_AT_ONCE,
    add_mismatches,
    add_scaled,
    add_squares,
    close_rows,
    euclidean,
    first_column,
    padded,
)
from wassergraph.transport.lanes import LANES
from wassergraph.transport.pivots import TOLERANCE, optimize
from wassergraph.transport.simplex import (
    MOST_IN_SETS,
    NOBODY,
    Tree,
    dual_value,
    largest,
    moves_above,
    new_tree,
    restart,
    set_potentials,
    start,
    total_cost,
    true_flow,
)
from wassergraph.transport.status import ABANDONED, STOPPED

#: If the largest cost exceeds the result by this factor, the problem is solved again with a smaller tolerance.
REACH = 1e3


class Side(NamedTuple):
    """Many embedded graphs, packed for the solvers; nodes that are equal at all depths are merged, masses summed."""

    ptr: IntArray  # (graphs + 1)
    mass: IntArray  # (nodes)
    total: IntArray  # (graphs) the mass of each graph
    rows: FloatArray  # ((nodes + 3) * width) the points, node by node; the last three are none
    columns: FloatArray  # the points, graph by graph and feature by feature, as ground.by_feature has them
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows


_jit = nb.njit(nogil=True, cache=True, error_model="numpy")
_inlined = nb.njit(nogil=True, error_model="numpy", inline="always")


@_jit
def solve_block(
    pairs: IntArray,
    left: Side,
    right: Side,
    width: int,
    dim: int,
    wanted: BoolArray,
    label_weight: float,
    label_cost: float,
    prices: FloatArray,
    max_iter: int,
    stop: BoolArray,
    space: FloatArray,
    out: NDArray[Any],
    status: IntArray,
) -> None:
    """Solve pairs (k, 2) of graphs for the depths where ``wanted`` is True: out (k, depths wanted), status (k).

    A status is the number of pivots, or one of :mod:`wassergraph.transport.status`. ``space`` is memory, as much as
    :func:`space_needed` returns.

    Without ``prices`` all graphs have the same mass. With them, masses are counts, and a node without a partner costs
    the price of the depth. Ground costs are then cut at twice the price, for which two nodes can be left alone, so
    that some optimal plan leaves nodes of the larger graph alone only: one more source, with the mass that the smaller
    graph lacks, sends to them at that price.
    """
    n_max, m_max = largest_sizes(pairs, left.ptr, right.ptr)
    memory, nothing = new_memory(n_max, m_max, len(prices) > 0, space), np.empty(0)
    for t in range(len(pairs)):
        status[t] = solve_pair(
            pairs[t, 0],
            pairs[t, 1],
            left,
            right,
            width,
            dim,
            wanted,
            label_weight,
            label_cost,
            prices,
            max_iter,
            np.inf,
            nothing,
            stop,
            memory,
            out[t],
        )
        if status[t] == STOPPED:
            break


class Memory(NamedTuple):
    """Memory of the solver for one pair after the other; each thread needs its own."""

    tree: Tree
    cost: FloatArray
    squares: FloatArray
    mismatches: FloatArray
    supply: IntArray
    demand: IntArray


@_jit
def new_memory(n: int, m: int, counted: bool, space: FloatArray) -> Memory:
    """Allocate memory for graphs of at most n and m nodes; ``space`` is that of :func:`space_needed`."""
    n_max, m_max = (max(n, m) + 1 if counted else min(n, m)), max(n, m)
    length = matrix_size(n, m)
    n_matrices = len(space) // length
    return Memory(
        new_tree(n_max, m_max),
        space[:length],
        space[length : 2 * length] if n_matrices > 1 else space[:length],
        space[2 * length : 3 * length],
        np.empty(n_max, np.int64),
        np.empty(m_max, np.int64),
    )


@_jit
def space_needed(n: int, m: int, coded: bool, several: bool) -> int:
    """Return the number of floats that the solver needs for costs between graphs of at most n and m nodes.

    That is one matrix of costs, in which sums of squares become costs; with several depths one more, and with codes
    two. NumPy should allocate them, since it asks for large pages of memory.
    """
    return matrix_size(n, m) * (3 if coded else 2 if several else 1)


@_jit
def matrix_size(n: int, m: int) -> int:
    """Return the size of a matrix of costs between graphs of at most n and m nodes, in either order."""
    return (n + LANES) * (m + LANES)


@_jit
def solve_pair(
    g: int,
    h: int,
    left: Side,
    right: Side,
    width: int,
    dim: int,
    wanted: BoolArray,
    label_weight: float,
    label_cost: float,
    prices: FloatArray,
    max_iter: int,
    cutoff: float,
    hint: FloatArray,
    stop: BoolArray,
    memory: Memory,
    out: NDArray[Any],
) -> int:
    """Solve one pair of graphs: out (depths wanted); see :func:`solve_block`.

    Returns the number of pivots, or a negative status: ABANDONED if the distance at a depth exceeds the cutoff, which
    is tried with ``hint`` first, potentials of the nodes of the graph on the left, if there are any.
    """
    counted = len(prices) > 0
    from_left = starts_left(g, h, left, right, width, counted)
    if from_left:
        one, two = left, right
    else:
        one, two, g, h = right, left, h, g
    tree, cost, squares, mismatches, supply, demand = memory
    n, m = one.ptr[g + 1] - one.ptr[g], two.ptr[h + 1] - two.ptr[h]
    sources, stride = n + 1 if counted and one.total[g] < two.total[h] else n, padded(m)
    clear(n, stride, squares, mismatches)
    status = solved = 0
    unit, trying = 1, sources + m > MOST_IN_SETS
    for depth in range(len(wanted)):
        add_depth(g, h, n, m, one, two, width, dim, depth, squares, mismatches)
        if not wanted[depth]:
            continue
        ground_cost(n * stride, squares, mismatches, dim, len(one.codes) > 0, depth, label_weight, label_cost, cost)
        set_prices(n * stride, sources * stride, prices, depth, cost)
        close_rows(sources, m, stride, cost)
        if solved == 0:
            unit = set_masses(g, h, n, sources, m, one, two, counted, supply, demand)
            if cutoff < np.inf and hint_exceeds(
                sources, m, stride, cost, supply, demand, unit, hint, from_left, cutoff, tree
            ):
                return ABANDONED
            started = start(sources, m, stride, cost, supply, demand, tree)
            unit = unit if started == 0 else started
        elif trying:
            set_masses(g, h, n, sources, m, one, two, counted, supply, demand)
            trying = restart(sources, m, stride, cost, supply, demand, tree)
        most = limit(sources + m, max_iter)
        pivots, out[solved] = improve(sources, m, stride, cost, tree, unit, most, cutoff, stop)
        if pivots < 0:
            return pivots
        status += pivots
        solved += 1
    return status


@_jit
def clear(n: int, stride: int, squares: FloatArray, mismatches: FloatArray) -> None:
    """Set sums to zero, also of rows that are computed together with the last ones."""
    length = (n + ROWS_AT_ONCE - 1) * stride
    squares[:length] = 0.0
    mismatches[:length] = 0.0


@_jit
def starts_left(g: int, h: int, left: Side, right: Side, width: int, counted: bool) -> bool:
    """Return whether the graph on the left is the source.

    That is the one with fewer nodes, since fewer and longer rows are faster; with counts, the one with less mass. Of
    two that are alike in this, it is the one whose content comes first, so that a distance does not depend, to the last
    bit, on which graph is on the left.
    """
    if counted and left.total[g] != right.total[h]:
        return bool(left.total[g] < right.total[h])
    n, m = left.ptr[g + 1] - left.ptr[g], right.ptr[h + 1] - right.ptr[h]
    if n != m:
        return bool(n < m)
    return _comes_first(g, h, n, width, left, right)


@_jit
def _comes_first(g: int, h: int, n: int, width: int, left: Side, right: Side) -> bool:
    """Return whether a graph comes before another one of n nodes, by masses, then labels, then points."""
    first, other = left.ptr[g], right.ptr[h]
    for k in range(n):
        if left.mass[first + k] != right.mass[other + k]:
            return bool(left.mass[first + k] < right.mass[other + k])
    for depth in range(len(left.codes)):
        for k in range(n):
            if left.codes[depth, first + k] != right.codes[depth, other + k]:
                return bool(left.codes[depth, first + k] < right.codes[depth, other + k])
    for k in range(n * width):
        if left.rows[first * width + k] != right.rows[other * width + k]:
            return bool(left.rows[first * width + k] < right.rows[other * width + k])
    return True


@_jit
def set_shares(n: int, m: int, supply: IntArray, demand: IntArray, unit: int, tree: Tree) -> None:
    """Set the masses of a tree as floats, from perturbed ones."""
    perturbation = 2 * n + 1
    for i in range(n):
        tree.share[i] = supply[i] // perturbation / float(unit)
    for j in range(m):
        tree.share[n + j] = demand[j] // perturbation / float(unit)


@_jit
def hint_exceeds(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    supply: IntArray,
    demand: IntArray,
    unit: int,
    hint: FloatArray,
    of_sources: bool,
    cutoff: float,
    tree: Tree,
) -> bool:
    """Return whether potentials of the sources, or of the sinks, prove that the solution costs more than the cutoff.

    An additional source has the potential 0. Without potentials, nothing is proved. The masses of the tree are set.
    """
    set_shares(n, m, supply, demand, unit, tree)
    if len(hint) == 0:
        return False
    share, sinks = tree.share[:n], tree.share[n : n + m]
    if of_sources:
        potential = np.zeros(n)
        potential[: len(hint)] = hint
        return bool(dual_value(n, m, stride, cost, share, sinks, potential, np.inf, tree.penalty) > cutoff)
    value = 0.0
    for j in range(m):
        value += sinks[j] * hint[j]
    for i in range(n):
        row = cost[i * stride : i * stride + m]
        least = np.inf
        for j in range(m):
            least = min(least, row[j] - hint[j])
        value += share[i] * least
    return bool(value > cutoff)


@_inlined
def improve(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    tree: Tree,
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
    top = largest(n, m, stride, cost)
    bound, reach, total, used = top, REACH, 0, cost
    while True:
        set_potentials(n, m, stride, used, tree)
        pivots = optimize(n, m, stride, used, tree, TOLERANCE * bound, max_iter, cutoff, stop)
        value = total_cost(n, m, stride, cost, tree, unit)
        total += pivots
        if pivots < 0:
            return pivots, value
        if bound < top and moves_above(n, m, stride, cost, tree, bound):
            reach *= REACH
            bound = min(bound * REACH, top)
        elif 0.0 < reach * value < bound:
            bound = reach * value
        else:
            return total, value
        used = np.minimum(cost[: n * stride], bound)
        close_rows(n, m, stride, used)


@_jit
def add_depth(
    g: int,
    h: int,
    n: int,
    m: int,
    left: Side,
    right: Side,
    width: int,
    dim: int,
    depth: int,
    squares: FloatArray,
    mismatches: FloatArray,
) -> None:
    """Add the contribution of one more depth to the ground costs of a pair."""
    if dim > 0:
        first, column = depth * dim, first_column(right.ptr, h)
        add_squares(n, padded(m), left.rows, left.ptr[g], right.columns, column, width, first, first + dim, squares)
    if len(left.codes) > 0:
        left_codes = left.codes[depth, left.ptr[g] : left.ptr[g] + n]
        right_codes = right.codes[depth, right.ptr[h] : right.ptr[h] + m]
        add_mismatches(n, m, padded(m), left_codes, right_codes, mismatches)


@_jit
def largest_sizes(pairs: IntArray, left_ptr: IntArray, right_ptr: IntArray) -> tuple[int, int]:
    """Return the sizes of the largest graphs on both sides."""
    n_max, m_max = 1, 1
    for t in range(len(pairs)):
        n_max = max(n_max, left_ptr[pairs[t, 0] + 1] - left_ptr[pairs[t, 0]])
        m_max = max(m_max, right_ptr[pairs[t, 1] + 1] - right_ptr[pairs[t, 1]])
    return n_max, m_max


@_jit
def ground_cost(
    length: int,
    squares: FloatArray,
    mismatches: FloatArray,
    dim: int,
    has_codes: bool,
    depth: int,
    label_weight: float,
    label_cost: float,
    cost: FloatArray,
) -> None:
    """Compute the ground costs at a depth from the sums so far: Euclidean, Hamming, or joint.

    ``label_cost`` is the cost of labels that differ at all depths, in the unit of the points (distances/scaling.py).
    """
    if not has_codes:
        euclidean(length, squares, 1.0, cost)
    elif dim == 0:
        cost[:length] = 0.0
        add_scaled(length, mismatches, label_cost / (depth + 1), cost)
    else:
        euclidean(length, squares, (1.0 - label_weight) / np.sqrt(dim * (depth + 1)), cost)
        add_scaled(length, mismatches, label_cost / (depth + 1), cost)


@_jit
def set_prices(length: int, end: int, prices: FloatArray, depth: int, cost: FloatArray) -> None:
    """Cut ground costs at twice the price of nodes without a partner, and set the costs of the additional source."""
    if len(prices) > 0:
        price = prices[depth]
        for k in range(length):
            cost[k] = min(cost[k], 2.0 * price)
        cost[length:end] = price


@_jit
def limit(nodes: int, max_iter: int) -> int:
    """Return the largest number of pivots for a pair: ``max_iter``, or if that is 0 far more than are ever needed."""
    return max_iter if max_iter > 0 else 1000 * nodes


@_jit
def common_total(a: int, b: int) -> int:
    """Return the least common multiple of two total masses."""
    divisor, rest = a, b
    while rest:
        divisor, rest = rest, divisor % rest
    return a // divisor * b


@_jit
def set_masses(
    g: int,
    h: int,
    n: int,
    sources: int,
    m: int,
    left: Side,
    right: Side,
    counted: bool,
    supply: IntArray,
    demand: IntArray,
) -> int:
    """Set the perturbed supplies and demands of a pair (see simplex.py); return what flows are divided by.

    That is the total before the perturbation or, if masses are counts, 1.
    """
    unit = 1 if counted else common_total(left.total[g], right.total[h])
    left_factor = 1 if counted else unit // left.total[g]
    right_factor = 1 if counted else unit // right.total[h]
    perturbation = 2 * sources + 1
    for i in range(n):
        supply[i] = left.mass[left.ptr[g] + i] * left_factor * perturbation + 1
    if sources > n:
        supply[n] = (right.total[h] - left.total[g]) * perturbation + 1
    for j in range(m):
        demand[j] = right.mass[right.ptr[h] + j] * right_factor * perturbation
    demand[m - 1] += sources
    return unit


@_jit
def solve_plan(
    n: int, m: int, cost: FloatArray, supply: IntArray, demand: IntArray, max_iter: int, stop: BoolArray
) -> tuple[int, IntArray, IntArray, IntArray, FloatArray]:
    """Solve one problem: (status, sources, sinks, flows, potentials), the flows of all arcs that have one.

    The potentials are those of simplex.py: u of a source, -v of a sink.
    """
    tree, stride = new_tree(n, m), padded(m)
    padded_cost = np.empty(n * stride)
    for i in range(n):
        padded_cost[i * stride : i * stride + m] = cost[i * m : (i + 1) * m]
    close_rows(n, m, stride, padded_cost)
    perturbation, unit = 2 * n + 1, supply[:n].sum()
    for i in range(n):
        supply[i] = supply[i] * perturbation + 1
    for j in range(m):
        demand[j] = demand[j] * perturbation
    demand[m - 1] += n
    started = start(n, m, stride, padded_cost, supply, demand, tree)
    unit = unit if started == 0 else started
    status, _ = improve(n, m, stride, padded_cost, tree, unit, limit(n + m, max_iter), np.inf, stop)
    if status < 0:
        nothing = np.empty(0, np.int64)
        return status, nothing, nothing, nothing, np.empty(0)
    sources, sinks, flows = np.empty(n + m, np.int64), np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    used = 0
    for k in range(n + m):
        above = tree.parent[k]
        if above != NOBODY:
            amount = true_flow(tree.flow[k], perturbation)
            if amount > 0:
                sources[used], sinks[used] = (k, above - n) if k < n else (above, k - n)
                flows[used] = amount
                used += 1
    return status, sources[:used], sinks[:used], flows[:used], tree.potential[: n + m]
