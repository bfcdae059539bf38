"""Entropic transport in the log domain: the cost ⟨P, M⟩ of the plan that minimises ⟨P, M⟩ - reg · H(P), as in the paper."""

from __future__ import annotations

import numba as nb
import numpy as np

from wassergraph.transport.exact import ground_cost, largest_sizes
from wassergraph.transport.ground import add_mismatches, add_squares

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def sinkhorn_block(pairs, left, right, width, dim, wanted, label_weight, reg, tol, max_iter, stop, out, status):
    """Solve pairs (k, 2) for the depths where ``wanted`` is True; a status is the number of rounds, or negative.

    The statuses are those of :func:`wassergraph.transport.exact.solve_block`.
    """
    n_max, m_max = largest_sizes(pairs, left.ptr, right.ptr)
    cost, squares, mismatches = np.empty(n_max * m_max), np.empty(n_max * m_max), np.empty(n_max * m_max)
    f, g_, a, b = np.empty(n_max), np.empty(m_max), np.empty(n_max), np.empty(m_max)
    for t in range(len(pairs)):
        g, h = pairs[t]
        n, m = left.ptr[g + 1] - left.ptr[g], right.ptr[h + 1] - right.ptr[h]
        squares[: n * m] = 0.0
        mismatches[: n * m] = 0.0
        for i in range(n):
            a[i] = left.mass[left.ptr[g] + i] / left.total[g]
            f[i] = 0.0
        for j in range(m):
            b[j] = right.mass[right.ptr[h] + j] / right.total[h]
            g_[j] = 0.0
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
            rounds = balance(n, m, cost, a, b, reg, tol, max_iter, stop, f, g_)
            if rounds < 0:
                status[t] = rounds
                break
            status[t] += rounds
            out[t, solved] = plan_cost(n, m, cost, reg, f, g_)
            solved += 1


@_jit
def balance(n, m, cost, a, b, reg, tol, max_iter, stop, f, g):
    """Adjust the potentials f (n) and g (m) until the plan exp((f + g - cost) / reg) has the marginals a and b to ``tol``.

    Gives the number of rounds, -1 if ``max_iter`` were not enough, -2 if somebody set ``stop[0]``.
    """
    log_a, log_b = np.log(a[:n]), np.log(b[:m])
    highest, total = np.empty(m), np.empty(m)
    for rounds in range(1, max_iter + 1):
        if stop[0]:
            return -2
        error = 0.0
        for i in range(n):
            top = -np.inf
            for j in range(m):
                top = max(top, g[j] - cost[i * m + j])
            mass = 0.0
            for j in range(m):
                mass += np.exp((g[j] - cost[i * m + j] - top) / reg)
            new = reg * (log_a[i] - np.log(mass)) - top
            # Before this step the columns were met exactly; how far a row's potential moves tells how far off the row was.
            error += a[i] * abs(np.expm1(min((f[i] - new) / reg, 700.0)))
            f[i] = new
        highest[:] = -np.inf
        total[:] = 0.0
        for i in range(n):
            for j in range(m):
                highest[j] = max(highest[j], f[i] - cost[i * m + j])
        for i in range(n):
            for j in range(m):
                total[j] += np.exp((f[i] - cost[i * m + j] - highest[j]) / reg)
        for j in range(m):
            g[j] = reg * (log_b[j] - np.log(total[j])) - highest[j]
        if rounds > 1 and error < tol:
            return rounds
    return -1


@_jit
def plan_cost(n, m, cost, reg, f, g):
    """Add up what the plan of the potentials costs."""
    result = 0.0
    for i in range(n):
        for j in range(m):
            result += cost[i * m + j] * np.exp((f[i] + g[j] - cost[i * m + j]) / reg)
    return result
