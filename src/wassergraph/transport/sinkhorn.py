"""Entropic transport in the log domain: the cost ⟨P, M⟩ of the plan that minimizes ⟨P, M⟩ - reg · H(P)."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.exact import Side, add_depth, ground_cost, largest_sizes
from wassergraph.transport.status import NOT_CONVERGED, STOPPED

#: The largest error of the total mass of a plan that rounding may cause.
MASS_ERROR = 1e-6

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def sinkhorn_block(
    pairs: IntArray,
    left: Side,
    right: Side,
    width: int,
    dim: int,
    wanted: BoolArray,
    label_weight: float,
    label_cost: float,
    reg: float,
    tol: float,
    max_iter: int,
    stop: BoolArray,
    out: NDArray[Any],
    status: IntArray,
) -> None:
    """Solve pairs (k, 2) for the depths where ``wanted`` is True: out (k, depths wanted), status (k).

    A status is the number of iterations, or one of :mod:`wassergraph.transport.status`.
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
            add_depth(g, h, n, m, left, right, width, dim, depth, squares, mismatches)
            if not wanted[depth]:
                continue
            ground_cost(n * m, squares, mismatches, dim, len(left.codes) > 0, depth, label_weight, label_cost, cost)
            rounds = balance(n, m, cost, a, b, reg, tol, max_iter, stop, f, g_)
            out[t, solved], mass = plan_cost(n, m, cost, reg, f, g_)
            rounds = check_mass(rounds, mass, tol)
            if rounds < 0:
                status[t] = rounds
                break
            status[t] += rounds
            solved += 1
        if status[t] == STOPPED:
            break


@_jit
def balance(
    n: int,
    m: int,
    cost: FloatArray,
    a: FloatArray,
    b: FloatArray,
    reg: float,
    tol: float,
    max_iter: int,
    stop: BoolArray,
    f: FloatArray,
    g: FloatArray,
) -> int:
    """Adjust f (n) and g (m) until the plan exp((f + g - cost) / reg) has the marginals a and b to ``tol``.

    Returns the number of iterations, NOT_CONVERGED after ``max_iter`` of them, or STOPPED if ``stop[0]`` was set.
    """
    for rounds in range(1, max_iter + 1):
        if stop[0]:
            return STOPPED
        error = _adjust_rows(n, m, cost, a, reg, f, g)
        _adjust_columns(n, m, cost, b, reg, f, g)
        if rounds > 1 and error < tol:
            return rounds
    return NOT_CONVERGED


@_jit
def _adjust_rows(n: int, m: int, cost: FloatArray, a: FloatArray, reg: float, f: FloatArray, g: FloatArray) -> float:
    """Adjust f so that the row sums are right; return their error before, when the column sums were right."""
    error = 0.0
    for i in range(n):
        costs = cost[i * m : (i + 1) * m]
        top, mass = -np.inf, 0.0
        for j in range(m):
            top = max(top, g[j] - costs[j])
        for j in range(m):
            mass += np.exp((g[j] - costs[j] - top) / reg)
        new = reg * (np.log(a[i]) - np.log(mass)) - top
        error += a[i] * abs(np.expm1(min((f[i] - new) / reg, 700.0)))
        f[i] = new
    return error


@_jit
def _adjust_columns(n: int, m: int, cost: FloatArray, b: FloatArray, reg: float, f: FloatArray, g: FloatArray) -> None:
    """Adjust g so that the column sums are right."""
    for j in range(m):
        top, mass = -np.inf, 0.0
        for i in range(n):
            top = max(top, f[i] - cost[i * m + j])
        for i in range(n):
            mass += np.exp((f[i] - cost[i * m + j] - top) / reg)
        g[j] = reg * (np.log(b[j]) - np.log(mass)) - top


@_jit
def check_mass(rounds: int, mass: float, tol: float) -> int:
    """Return the number of iterations, or NOT_CONVERGED for a plan whose total mass is not 1.

    If reg is lost in the rounding of the potentials, these do not change any more, as if the marginals were right.
    """
    return rounds if rounds < 0 or abs(mass - 1.0) <= max(tol, MASS_ERROR) else NOT_CONVERGED


@_jit
def plan_cost(n: int, m: int, cost: FloatArray, reg: float, f: FloatArray, g: FloatArray) -> tuple[float, float]:
    """Compute the cost of the plan of the potentials, and its total mass, which should be 1."""
    result, moved = 0.0, 0.0
    for i in range(n):
        for j in range(m):
            mass = np.exp((f[i] + g[j] - cost[i * m + j]) / reg)
            result += cost[i * m + j] * mass
            moved += mass
    return result, moved
