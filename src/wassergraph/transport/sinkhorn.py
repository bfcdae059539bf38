"""Entropic transport: the cost ⟨P, M⟩ of the plan that minimizes ⟨P, M⟩ - reg · H(P), by Sinkhorn's iterations.

The plan is P = diag(u) K diag(v) with K = exp((f + g - M) / reg). An iteration adjusts u, then v, to the marginals, in
one pass over K. The factors u and v must not become too large or small: they are then absorbed into the potentials
f and g, which are adjusted once in the log domain, where nothing overflows, and K is computed anew.

Two things make the number of iterations small. The regularization is lowered to ``reg`` step by step from the size of
the costs, so that the potentials are nearly right when it is reached. And near the solution, where errors shrink by a
constant factor, every step goes further than to the marginals, by as much as that factor suggests (overrelaxation: with
a factor of 1 - d per iteration, d small, the new one is about 1 - 2 √d). The last iteration is a plain one.

The plan between two equal graphs is nearly the identity, from which these iterations stay far for very long. There both
potentials are equal, and taking the mean of them and of what an iteration makes of them converges at once.
"""

from __future__ import annotations

import math

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.transport import lanes
from wassergraph.transport.compiled import compiled
from wassergraph.transport.exact import add_depths, clear, ground_cost, padded
from wassergraph.transport.exponential import exponential
from wassergraph.transport.lanes import (
    add,
    larger,
    load,
    load_repeated,
    multiply,
    multiply_add,
    repeat,
    store,
    subtract,
)
from wassergraph.transport.layout import LANES
from wassergraph.transport.simplex import largest
from wassergraph.transport.status import NOT_CONVERGED, STOPPED
from wassergraph.transport.tasks import Balance, SinkhornTask

#: The regularization is divided by this factor from step to step, and each step but the last reaches this error.
STEP, STEP_ERROR = 4.0, 0.05
#: Factors beyond this, or its inverse, are absorbed into the potentials.
LARGEST_FACTOR = 1e30
#: Steps are lengthened below this error; by how much is decided anew after so many iterations.
NEAR, PERIOD = 0.05, 16
#: The largest overrelaxation; 2 would not converge.
MOST_RELAXED = 1.98

jit = compiled(set())


@jit
def sinkhorn_block(task: SinkhornTask) -> None:
    """Solve pairs (k, 2) for the depths where ``wanted`` is True: out (k, depths wanted), status (k).

    A status is the number of iterations, or one of :mod:`wassergraph.transport.status`.
    """
    pairs, status = task.pairs, task.status
    for t in range(task.n_pairs):
        status[t] = _solve_pair(pairs[2 * t], pairs[2 * t + 1], task, t * task.n_wanted)
        if status[t] == STOPPED:
            break


@jit
def _solve_pair(g: int, h: int, task: SinkhornTask, place: int) -> int:
    """Solve a pair at all depths; the results go to ``out``, from a place on. Returns a status."""
    left, right, rules, memory, balance = task.left, task.right, task.rules, task.memory, task.balance
    out, reg, tol, max_iter, stop = task.out, task.reg, task.tol, rules.max_iter, rules.stop
    n, m = left.ptr[g + 1] - left.ptr[g], right.ptr[h + 1] - right.ptr[h]
    stride = padded(m)
    clear(n, stride, rules, memory)
    for i in range(n):
        balance.a[i] = left.mass[left.ptr[g] + i] / left.total[g]
    for j in range(m):
        balance.b[j] = right.mass[right.ptr[h] + j] / right.total[h]
    for j in range(stride):
        balance.g[j] = 0.0
    status, solved, added = 0, 0, 0
    for depth in range(rules.n_depths):
        if not rules.wanted[depth]:
            continue
        add_depths(g, h, n, m, left, right, rules, added, depth + 1, memory)
        added = depth + 1
        ground_cost(n, n, stride, rules, depth, memory)
        rounds = lower(n, m, stride, memory.cost, balance, reg, tol, max_iter, solved > 0, stop)
        if rounds < 0:
            return rounds
        out[place + solved] = plan_cost(n, m, stride, memory.cost, balance)
        status += rounds
        solved += 1
    return status


@jit
def lower(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    balance: Balance,
    reg: float,
    tol: float,
    max_iter: int,
    warm: bool,
    stop: BoolArray,
) -> int:
    """Lower the regularization to ``reg``, and find its plan, from g on; if that is warm, in one step.

    Returns the number of iterations, NOT_CONVERGED after ``max_iter`` of them, or STOPPED if ``stop[0]`` was set.
    """
    if reg <= 0.0:  # it was so small that it underflowed
        return NOT_CONVERGED
    if _is_symmetric(n, m, stride, cost, balance):
        return _iterate_symmetric(n, stride, cost, balance, reg, tol, max_iter, stop)
    current, rounds = reg, 0
    if not warm:
        top = largest(n, m, stride, cost)
        while current < top / STEP**2:
            current *= STEP
    while True:
        goal = tol if current <= reg or tol > STEP_ERROR else STEP_ERROR
        more = _iterate(n, m, stride, cost, balance, current, goal, max_iter - rounds, stop)
        if more < 0:
            return more
        rounds += more
        if current <= reg:
            return rounds
        _absorb(m, balance, current)
        current = current / STEP if current / STEP > reg else reg


@jit
def _iterate(
    n: int,
    m: int,
    stride: int,
    cost: FloatArray,
    balance: Balance,
    reg: float,
    tol: float,
    max_iter: int,
    stop: BoolArray,
) -> int:
    """Find the plan of one regularization; see :func:`lower`."""
    _adjust_potentials(n, m, stride, cost, balance, reg)
    relaxation, previous, since = 1.0, np.inf, 0
    goal, finishing, plain = tol, False, True  # plain: the sums of columns are right, so those of rows tell the error
    for rounds in range(1, max_iter + 1):
        if stop[0]:
            return STOPPED
        used = 1.0 if finishing else relaxation
        error, extreme = _adjust_factors(n, m, stride, balance, used)
        if extreme:
            _absorb(m, balance, reg)
            _adjust_potentials(n, m, stride, cost, balance, reg)
            relaxation, previous, since, finishing, plain = 1.0, np.inf, 0, False, True
            continue
        if plain and used == 1.0 and error < tol:
            return rounds
        if finishing and plain and used == 1.0:
            goal, finishing, previous, since = 0.3 * goal, False, np.inf, 0
        elif error < goal:
            finishing = True
        plain = used == 1.0
        since += 1
        if error < NEAR and since >= PERIOD and not finishing:
            relaxation = _relaxation(relaxation, (error / previous) ** (1.0 / since))
            previous, since = error, 0
    return NOT_CONVERGED


@jit
def _is_symmetric(n: int, m: int, stride: int, cost: FloatArray, balance: Balance) -> bool:
    """Return whether rows and columns are the same nodes."""
    if n != m:
        return False
    for i in range(n):
        if balance.a[i] != balance.b[i] or cost[i * stride + i] != 0.0:
            return False
        for j in range(i):
            if cost[i * stride + j] != cost[j * stride + i]:
                return False
    return True


@jit
def _iterate_symmetric(
    n: int,
    stride: int,
    cost: FloatArray,
    balance: Balance,
    reg: float,
    tol: float,
    max_iter: int,
    stop: BoolArray,
) -> int:
    """Find the plan between two equal graphs; see :func:`lower`."""
    f, g = balance.f, balance.g
    for j in range(n, stride):
        g[j] = -np.inf
    for rounds in range(1, max_iter + 1):
        if stop[0]:
            return STOPPED
        _adjust_rows(n, stride, cost, balance, reg)
        error = 0.0
        for i in range(n):
            exponent = (g[i] - f[i]) / reg
            error += balance.a[i] * abs(math.expm1(exponent if exponent < 700.0 else 700.0))
        if error < tol:
            for i in range(n):
                f[i] = g[i]
            _set_kernel(n, n, stride, cost, balance, reg)
            return rounds
        for i in range(n):
            g[i] = 0.5 * (f[i] + g[i])
    return NOT_CONVERGED


@jit
def _relaxation(current: float, rate: float) -> float:
    """Return the best overrelaxation if errors shrink by a factor with the current one; 1 if they do not.

    It stays as it is if the factor is that of a relaxation which is large enough, or 0, and so unknown.

    If the factor of plain iterations is t, that of overrelaxed ones solves (x + w - 1)² = x w² t, and w = 2 / (1 +
    √(1 - t)) makes it smallest, w - 1 (Young's theory of successive overrelaxation).
    """
    if rate >= 1.0:
        return 1.0
    if rate <= current - 1.0:
        return current
    plain = (rate + current - 1.0) ** 2 / (rate * current**2)
    best = 2.0 / (1.0 + math.sqrt(1.0 - plain)) if plain < 1.0 else 2.0
    return best if best < MOST_RELAXED else MOST_RELAXED


@jit
def _adjust_factors(n: int, m: int, stride: int, balance: Balance, relaxation: float) -> tuple[float, bool]:
    """Adjust u to the marginals of the rows, then v to those of the columns, in one pass over the kernel.

    Returns the error of the sums of rows before, and whether a factor became too large or too small.
    """
    a, b, u, v, sums, kernel = balance.a, balance.b, balance.u, balance.v, balance.sums, balance.kernel
    more, error, least, most = relaxation - 1.0, 0.0, 1.0, 1.0
    for j in range(0, stride, LANES):
        store(sums, j, repeat(0.0))
    for i in range(n):
        first = i * stride
        whole = repeat(0.0)
        for j in range(0, stride, LANES):
            whole = multiply_add(load(kernel, first + j), load(v, j), whole)
        row = lanes.total(whole)
        error += abs(u[i] * row - a[i])
        new = a[i] / row
        new *= 1.0 + more * (new / u[i] - 1.0)
        u[i] = new
        least, most = new if new < least else least, new if new > most else most
        factor = repeat(new)
        for j in range(0, stride, LANES):
            store(sums, j, multiply_add(load(kernel, first + j), factor, load(sums, j)))
    for j in range(m):
        new = b[j] / sums[j]
        new *= 1.0 + more * (new / v[j] - 1.0)
        v[j] = new
        least, most = new if new < least else least, new if new > most else most
    return error, not (most < LARGEST_FACTOR and least > 1.0 / LARGEST_FACTOR)


@jit
def _absorb(m: int, balance: Balance, reg: float) -> None:
    """Add the logarithms of the factors of the columns to their potentials, from which those of the rows follow."""
    for j in range(m):
        if 0.0 < balance.v[j] < np.inf:
            balance.g[j] += reg * math.log(balance.v[j])


@jit
def _adjust_potentials(n: int, m: int, stride: int, cost: FloatArray, balance: Balance, reg: float) -> None:
    """Adjust f to the marginals of the rows, then g to those of the columns, in the log domain; compute the kernel."""
    for j in range(m, stride):
        balance.g[j] = -np.inf
    _adjust_rows(n, stride, cost, balance, reg)
    _adjust_columns(n, m, stride, cost, balance, reg)
    _set_kernel(n, m, stride, cost, balance, reg)


@jit
def _set_kernel(n: int, m: int, stride: int, cost: FloatArray, balance: Balance, reg: float) -> None:
    """Compute the kernel from the potentials; all factors are 1."""
    f, g, kernel, scale = balance.f, balance.g, balance.kernel, repeat(1.0 / reg)
    for i in range(n):
        first, shift = i * stride, load_repeated(f, i)
        for j in range(0, stride, LANES):
            exponent = subtract(add(shift, load(g, j)), load(cost, first + j))
            store(kernel, first + j, exponential(multiply(exponent, scale)))
    for i in range(n):
        balance.u[i] = 1.0
    for j in range(stride):
        balance.v[j] = 1.0 if j < m else 0.0


@jit
def _adjust_rows(n: int, stride: int, cost: FloatArray, balance: Balance, reg: float) -> None:
    """Adjust f so that the sums of rows are right."""
    g, scale = balance.g, repeat(1.0 / reg)
    for i in range(n):
        first = i * stride
        highest, whole = repeat(-np.inf), repeat(0.0)
        for j in range(0, stride, LANES):
            highest = larger(subtract(load(g, j), load(cost, first + j)), highest)
        top = lanes.largest(highest)
        base = repeat(top)
        for j in range(0, stride, LANES):
            exponent = subtract(subtract(load(g, j), load(cost, first + j)), base)
            whole = add(whole, exponential(multiply(exponent, scale)))
        balance.f[i] = reg * (math.log(balance.a[i]) - math.log(lanes.total(whole))) - top


@jit
def _adjust_columns(n: int, m: int, stride: int, cost: FloatArray, balance: Balance, reg: float) -> None:
    """Adjust g so that the sums of columns are right."""
    f, sums, tops, scale = balance.f, balance.sums, balance.tops, repeat(1.0 / reg)
    for j in range(stride):
        sums[j], tops[j] = 0.0, -np.inf
    for i in range(n):
        first, shift = i * stride, load_repeated(f, i)
        for j in range(0, stride, LANES):
            store(tops, j, larger(subtract(shift, load(cost, first + j)), load(tops, j)))
    for i in range(n):
        first, shift = i * stride, load_repeated(f, i)
        for j in range(0, stride, LANES):
            exponent = subtract(subtract(shift, load(cost, first + j)), load(tops, j))
            store(sums, j, add(load(sums, j), exponential(multiply(exponent, scale))))
    for j in range(m):
        balance.g[j] = reg * (math.log(balance.b[j]) - math.log(sums[j])) - tops[j]


@jit
def plan_cost(n: int, m: int, stride: int, cost: FloatArray, balance: Balance) -> float:
    """Compute the cost of the plan."""
    result = 0.0
    u, v, kernel = balance.u, balance.v, balance.kernel
    for i in range(n):
        for j in range(m):
            result += cost[i * stride + j] * u[i] * kernel[i * stride + j] * v[j]
    return result
