"""Exact distances for a block of pairs: ground costs and a network simplex per pair, all depths with warm starts."""

from __future__ import annotations

from collections import namedtuple

import numba as nb
import numpy as np

from wassergraph.transport.ground import add_mismatches, add_scaled, add_squares, euclidean
from wassergraph.transport.simplex import largest, new_tree, optimise, set_potentials, start, total_cost, true_flow

#: Many embedded graphs, ready for the solvers. Nodes that are alike at all depths are one, with their masses added up.
#: ptr (graphs + 1); mass (nodes) integers; total (graphs), the mass of each graph; rows (nodes * width) the points node by
#: node; columns (nodes * width) the points graph by graph, feature by feature; codes (depths, nodes).
Side = namedtuple("Side", "ptr mass total rows columns codes")

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def solve_block(pairs, left, right, width, dim, wanted, label_weight, max_iter, stop, out, status):
    """Solve pairs (k, 2) of graphs for the depths where ``wanted`` is True: out (k, depths wanted), status (k).

    A status is the number of pivots, or negative: -1 not solved within ``max_iter`` pivots, -2 stopped.
    """
    n_max, m_max = largest_sizes(pairs, left.ptr, right.ptr)
    tree = new_tree(n_max, m_max)
    cost, squares, mismatches = np.empty(n_max * m_max), np.empty(n_max * m_max), np.empty(n_max * m_max)
    supply, demand = np.empty(n_max, np.int64), np.empty(m_max, np.int64)
    for t in range(len(pairs)):
        g, h = pairs[t]
        n, m = left.ptr[g + 1] - left.ptr[g], right.ptr[h + 1] - right.ptr[h]
        squares[: n * m] = 0.0
        mismatches[: n * m] = 0.0
        status[t] = 0
        solved = 0
        for depth in range(len(wanted)):
            if dim > 0:
                first = depth * dim
                add_squares(
                    n, m, left.rows, left.ptr[g], right.columns, right.ptr[h], width, first, first + dim, squares
                )
            if len(left.codes) > 0:
                mine = left.codes[depth, left.ptr[g] : left.ptr[g] + n]
                theirs = right.codes[depth, right.ptr[h] : right.ptr[h] + m]
                add_mismatches(n, m, mine, theirs, mismatches)
            if not wanted[depth]:
                continue
            ground_cost(n * m, squares, mismatches, dim, len(left.codes) > 0, depth, label_weight, cost)
            if solved == 0:
                unit = set_masses(g, h, n, m, left, right, supply, demand)
                start(n, m, cost, supply, demand, tree)
            set_potentials(n, m, cost, tree)
            pivots = optimise(n, m, cost, tree, 1e-14 * largest(cost, n * m), max_iter, stop)
            if pivots < 0:
                status[t] = pivots
                break
            status[t] += pivots
            out[t, solved] = total_cost(n, m, cost, tree, 2 * n + 1, unit)
            solved += 1


@_jit
def largest_sizes(pairs, left_ptr, right_ptr):
    n_max, m_max = 1, 1
    for t in range(len(pairs)):
        n_max = max(n_max, left_ptr[pairs[t, 0] + 1] - left_ptr[pairs[t, 0]])
        m_max = max(m_max, right_ptr[pairs[t, 1] + 1] - right_ptr[pairs[t, 1]])
    return n_max, m_max


@_jit
def ground_cost(length, squares, mismatches, dim, has_codes, depth, label_weight, cost):
    """Combine what was added up so far to the ground distance at a depth: Euclidean, Hamming, or the joint one."""
    if not has_codes:
        euclidean(length, squares, 1.0, cost)
    elif dim == 0:
        euclidean(length, squares, 0.0, cost)
        add_scaled(length, mismatches, 1.0 / (depth + 1), cost)
    else:
        euclidean(length, squares, (1.0 - label_weight) / np.sqrt(dim * (depth + 1)), cost)
        add_scaled(length, mismatches, label_weight / (depth + 1), cost)


@_jit
def common_total(a, b):
    """Give the least mass that both totals divide."""
    divisor, rest = a, b
    while rest:
        divisor, rest = rest, divisor % rest
    return a // divisor * b


@_jit
def set_masses(g, h, n, m, left, right, supply, demand):
    """Write the supplies and demands of a pair on one scale, perturbed (see simplex.py); give the total mass."""
    unit = common_total(left.total[g], right.total[h])
    perturbation = 2 * n + 1
    for i in range(n):
        supply[i] = left.mass[left.ptr[g] + i] * (unit // left.total[g]) * perturbation + 1
    for j in range(m):
        demand[j] = right.mass[right.ptr[h] + j] * (unit // right.total[h]) * perturbation
    demand[m - 1] += n
    return unit


@_jit
def solve_plan(n, m, cost, supply, demand, max_iter, stop):
    """Solve one problem and give its plan: (status, sources, sinks, flows), one entry per arc that carries something."""
    tree = new_tree(n, m)
    perturbation = 2 * n + 1
    for i in range(n):
        supply[i] = supply[i] * perturbation + 1
    for j in range(m):
        demand[j] = demand[j] * perturbation
    demand[m - 1] += n
    start(n, m, cost, supply, demand, tree)
    set_potentials(n, m, cost, tree)
    status = optimise(n, m, cost, tree, 1e-14 * largest(cost, n * m), max_iter, stop)
    sources, sinks, flows = np.empty(n + m, np.int64), np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    used = 0
    for k in range(n + m):
        above = tree.parent[k]
        if above >= 0:
            amount = true_flow(tree.flow[k], perturbation)
            if amount > 0:
                sources[used], sinks[used] = (k, above - n) if k < n else (above, k - n)
                flows[used] = amount
                used += 1
    return status, sources[:used], sinks[:used], flows[:used]
