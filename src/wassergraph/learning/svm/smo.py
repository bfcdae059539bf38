"""The support vector machine for a row of growing C, each solved from where the one before ended.

The dual problem of a kernel K (n, n) and classes y of -1 and 1, written in the signed coefficients b = y * alpha:

    minimize ½ bᵀ K b - yᵀ b    where the sum of b is 0, and 0 ≤ y * b ≤ C

A step takes two coefficients, moves one up and the other down by as much (sequential minimal optimization), and keeps
``slope = y - K b`` up to date. The pair is that of libsvm: the steepest one up, and the one down that gains most by its
second-order estimate (Fan, Chen, Lin 2005). It ends as libsvm ends: when no two slopes are the wrong way round by more
than ``tol``.

Four things make it faster than a support vector machine for each C of its own:

warm start      The solution of one C begins the next. While most support vectors are held by their bound they grow with
                it, so all coefficients are scaled; later, with few at their bound, they are kept. Once none is at its
                bound, every larger C has the same solution and costs nothing.
small problem   Coefficients that are at a bound, and want to stay there, are set aside: the others, with their part of
                the kernel copied together, are solved alone; then all are looked at again.
settling        Where steps of two go to and fro, all free coefficients are moved at once, by Newton's step.
no overhead     The whole row of C is one compiled call on one block of the kernel.
"""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}
_jit = nb.njit(nogil=True, cache=True, fastmath=_FASTMATH, error_model="numpy")

#: What the curvature of a pair is at least, as in libsvm: two equal rows of the kernel have none.
_FLAT = 1e-12
#: Larger than any slope; marks a coefficient that cannot move up, or down.
_NEVER = 1e300
#: So many entries are looked through at once when the largest is searched.
_PIECE = 64
#: After so many steps, at most, coefficients are set aside.
_BURST = 1000
#: Setting aside pays if no more than this share is left, of more coefficients than _BURST // 5.
_WORTH = 0.6
#: After so many steps without an end, all free coefficients are settled at once, if they are not too many; and again if
#: some meet their bound, until the cubes of their numbers add up to so much work.
_STRETCH, _MOST_FREE, _WORK = 10_000, 1500, 5e8
#: What is added to the diagonal, as a share of it, so that a system of equal rows can be solved.
_RIDGE = 1e-11
#: For svm_path, where nothing near is known.
NO_STARTS = np.empty((0, 0))
#: What svm_path gives for the number of steps where it did not get there.
INTERRUPTED, NOT_CONVERGED = -1, -2


@_jit
def svm_path(
    kernel: FloatArray,
    y: FloatArray,
    costs: FloatArray,
    tol: float,
    max_iter: int,
    stop: NDArray[np.bool_],
    starts: FloatArray,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Solve for all ``costs`` C, in growing order: the coefficients (n_costs, n), the intercepts, and the steps taken.

    The decision for a point x is ``kernel(x, training) @ coefficients[k] + intercepts[k]``. The number of steps is
    INTERRUPTED or NOT_CONVERGED from the C on where that happened. ``starts`` are coefficients that may be near, for
    the first of the costs (at most n_costs, n; see :func:`starts_of`): they begin a C where they are better than the
    solution of the C before. They change where the way begins, not where it ends.
    """
    n, n_costs = len(y), len(costs)
    coefficients, intercepts, steps = np.zeros((n_costs, n)), np.zeros(n_costs), np.zeros(n_costs, np.int64)
    diagonal = np.empty(n)
    for t in range(n):
        diagonal[t] = kernel[t, t]
    b, slope = np.zeros(n), y.copy()
    for k in range(n_costs):
        if k:
            _grow(b, slope, y, costs[k - 1], costs[k])
        if k < len(starts):
            _begin_better(kernel, y, starts[k], b, slope)
        low, high = np.minimum(y, 0.0) * costs[k], np.maximum(y, 0.0) * costs[k]
        steps[k] = _solve(kernel, diagonal, low, high, b, slope, tol, max_iter, stop)
        if steps[k] < 0:
            steps[k:] = steps[k]
            break
        coefficients[k] = b
        intercepts[k] = _intercept(b, slope, low, high)
    return coefficients, intercepts, steps


def starts_of(coefficients: FloatArray, costs: FloatArray, ratio: float) -> FloatArray:
    """Turn the coefficients for one gamma (n_costs, n) into starts for another that is ``ratio`` times as large.

    While gamma D is small, exp(-gamma D) is about 1 - gamma D, and the 1 is nothing to a machine whose coefficients add
    up to 0. So with a gamma ten times as large, and a C a tenth, the machine is about the same; the coefficients, too,
    are a tenth.
    """
    later = np.searchsorted(costs, np.asarray(costs) * ratio * (1 - 1e-9))
    known = later < len(costs)
    fits = np.isclose(costs[later[known]], costs[known] * ratio, rtol=1e-9)
    count = int(np.argmin(np.append(fits, False)))
    found, bounds = coefficients[later[:count]], costs[:count, None]
    at_bound = np.abs(found) >= costs[later[:count], None]
    return np.ascontiguousarray(np.where(at_bound, np.sign(found) * bounds, found / ratio))


@_jit
def _begin_better(kernel: FloatArray, y: FloatArray, start: FloatArray, b: FloatArray, slope: FloatArray) -> None:
    """Go over to other coefficients if the objective is better there."""
    there = y.copy()
    for t in range(len(b)):
        if start[t] != 0.0:
            row = kernel[t]
            for u in range(len(b)):
                there[u] -= start[t] * row[u]
    here, better = 0.0, 0.0
    for t in range(len(b)):
        here += b[t] * (y[t] + slope[t])
        better += start[t] * (y[t] + there[t])
    if better > here:
        b[:] = start
        slope[:] = there


@_jit
def _grow(b: FloatArray, slope: FloatArray, y: FloatArray, cost: float, larger: float) -> None:
    """Begin the next C: scale the coefficients as far as the objective falls, if most of them are at their bound."""
    bound = free = 0
    linear = quadratic = 0.0
    for t in range(len(b)):
        bound += abs(b[t]) >= cost
        free += 0.0 < abs(b[t]) < cost
        linear += y[t] * b[t]
        quadratic += b[t] * (y[t] - slope[t])
    if bound <= free:
        return
    scale = larger / cost
    if quadratic * scale > linear:
        scale = max(1.0, linear / quadratic)
    for t in range(len(b)):
        # A coefficient at its bound goes to the next one exactly; a hair below it would count as free.
        at_bound = abs(b[t]) >= cost and scale == larger / cost
        slope[t] = y[t] - scale * (y[t] - slope[t])
        b[t] = y[t] * larger if at_bound else scale * b[t]


@_jit
def _solve(
    kernel: FloatArray,
    diagonal: FloatArray,
    low: FloatArray,
    high: FloatArray,
    b: FloatArray,
    slope: FloatArray,
    tol: float,
    max_iter: int,
    stop: NDArray[np.bool_],
) -> int:
    """Solve one problem from where ``b`` and ``slope`` are, setting aside what need not be looked at every time."""
    n = len(b)
    burst = min(max(n, 1), _BURST, max_iter)
    total = 0
    while total < max_iter:
        steps = _descend(kernel, diagonal, low, high, b, slope, tol, burst, stop)
        if steps < burst:
            return total + steps if steps >= 0 else steps
        total += steps
        kept = _undecided(b, slope, low, high)
        if n <= _BURST // 5 or len(kept) > _WORTH * n:
            if total % _STRETCH < burst:
                _settle(kernel, low, high, b, slope)
            continue
        part, own = b[kept], slope[kept]
        steps = _persist(
            _block(kernel, kept), diagonal[kept], low[kept], high[kept], part, own, tol, max_iter - total, stop
        )
        if steps < 0:
            return steps
        total += steps
        _move(kernel, slope, kept, part - b[kept])
        for a in range(len(kept)):
            b[kept[a]] = part[a]
    return NOT_CONVERGED


@_jit
def _persist(
    kernel: FloatArray,
    diagonal: FloatArray,
    low: FloatArray,
    high: FloatArray,
    b: FloatArray,
    slope: FloatArray,
    tol: float,
    max_iter: int,
    stop: NDArray[np.bool_],
) -> int:
    """Take steps until no pair gains, or ``max_iter``; where that takes long, settle all free ones now and then."""
    total = 0
    while total < max_iter:
        steps = _descend(kernel, diagonal, low, high, b, slope, tol, _STRETCH, stop)
        if steps < 0:
            return steps
        total += steps
        if steps < _STRETCH:
            break
        _settle(kernel, low, high, b, slope)
    return total


@_jit
def _move(kernel: FloatArray, slope: FloatArray, places: IntArray, moved: FloatArray) -> None:
    """Bring the slopes up to date after some coefficients have moved."""
    for a in range(len(places)):
        if moved[a] != 0.0:
            row = kernel[places[a]]
            for t in range(len(slope)):
                slope[t] -= moved[a] * row[t]


@_jit
def _settle(kernel: FloatArray, low: FloatArray, high: FloatArray, b: FloatArray, slope: FloatArray) -> None:
    """Move all coefficients that are free to where their slopes are equal, at once, as far as the bounds allow.

    That is Newton's step on the free ones. It is short work where pairs of them would go to and fro: with a kernel of
    low rank and a large C. Those that meet their bound stay there, and the step is computed again for the rest.
    """
    work = 0.0
    while work < _WORK:
        free = np.flatnonzero((b > low) & (b < high))
        work += float(len(free)) ** 3
        if not 2 <= len(free) <= _MOST_FREE:
            return
        block = _block(kernel, free)
        least, most = low[free] - b[free], high[free] - b[free]
        moved, gain = _within(block, _newton(block, slope[free]), least, most, slope[free])
        if gain <= 0.0:
            return
        _move(kernel, slope, free, moved)
        close = 1e-12 * (most - least)
        for a in range(len(free)):
            at_low, at_high = moved[a] <= least[a] + close[a], moved[a] >= most[a] - close[a]
            b[free[a]] = low[free[a]] if at_low else high[free[a]] if at_high else b[free[a]] + moved[a]
        if ((moved > least + close) & (moved < most - close)).all():
            return


@_jit
def _newton(block: FloatArray, slope: FloatArray) -> FloatArray:
    """Give the step to where all slopes are equal, the sum of the coefficients staying what it is."""
    n = len(slope)
    system, targets = block.copy(), np.ones((n, 2))
    targets[:, 0] = slope
    largest = 0.0
    for a in range(n):
        largest = max(largest, block[a, a])
    for a in range(n):
        system[a, a] += _RIDGE * largest
    solved = np.linalg.solve(system, targets)
    step: FloatArray = solved[:, 0] - solved[:, 0].sum() / solved[:, 1].sum() * solved[:, 1]
    return step


@_jit
def _within(
    block: FloatArray, move: FloatArray, least: FloatArray, most: FloatArray, slope: FloatArray
) -> tuple[FloatArray, float]:
    """Bring a step within the bounds: cut short as a whole, or every coefficient at its own bound; what gains more."""
    share = 1.0
    for a in range(len(move)):
        room = most[a] if move[a] > 0 else least[a]
        if share * abs(move[a]) > abs(room):
            share = room / move[a]
    if share == 1.0:
        return move, 1.0
    cut = np.minimum(np.maximum(move, least), most)
    up, down = cut[cut > 0].sum(), -cut[cut < 0].sum()
    for a in range(len(cut)):
        cut[a] *= min(1.0, down / up) if cut[a] > 0 else min(1.0, up / down)
    straight, linear, quadratic = float(slope @ move), float(slope @ cut), float(cut @ (block @ cut))
    length = min(1.0, linear / quadratic) if quadratic > 0 else 1.0
    gain, other = length * (linear - 0.5 * length * quadratic), share * (1.0 - 0.5 * share) * straight
    if gain > other:
        return length * cut, gain
    return share * move, other


@_jit
def _descend(
    kernel: FloatArray,
    diagonal: FloatArray,
    low: FloatArray,
    high: FloatArray,
    b: FloatArray,
    slope: FloatArray,
    tol: float,
    max_steps: int,
    stop: NDArray[np.bool_],
) -> int:
    """Take steps until no pair gains, or ``max_steps``; give their number. The slopes are up to date afterwards."""
    n = len(b)
    up, down = np.empty(n), np.empty(n)
    for t in range(n):
        _mark(t, b, low, high, up, down)
    row_i = row_j = kernel[0]
    move = 0.0
    for step in range(max_steps):
        i, steepest, lowest = _update(slope, row_i, row_j, move, up, down)
        move = 0.0
        if steepest - lowest < tol:
            return step
        if step % 512 == 0 and stop[0]:
            return INTERRUPTED
        row_i = kernel[i]
        j = _partner(slope, row_i, diagonal, diagonal[i], steepest, down)
        row_j = kernel[j]
        move = (steepest - slope[j]) / max(diagonal[i] + diagonal[j] - 2.0 * row_i[j], _FLAT)
        room_i, room_j = high[i] - b[i], b[j] - low[j]
        move = min(move, room_i, room_j)
        b[i] = high[i] if move == room_i else b[i] + move
        b[j] = low[j] if move == room_j else b[j] - move
        _mark(i, b, low, high, up, down)
        _mark(j, b, low, high, up, down)
    _update(slope, row_i, row_j, move, up, down)
    return max_steps


@_jit
def _mark(t: int, b: FloatArray, low: FloatArray, high: FloatArray, up: FloatArray, down: FloatArray) -> None:
    up[t] = 0.0 if b[t] < high[t] else -_NEVER
    down[t] = 0.0 if b[t] > low[t] else _NEVER


@_jit
def _update(
    slope: FloatArray, row_i: FloatArray, row_j: FloatArray, move: float, up: FloatArray, down: FloatArray
) -> tuple[int, float, float]:
    """Bring the slopes up to date, and find the steepest that may go up, its slope, and the lowest that may go down."""
    n = len(slope)
    steepest, lowest, place = -_NEVER, _NEVER, 0
    for begin in range(0, n, _PIECE):
        end = min(n, begin + _PIECE)
        s, a, c, u, d = slope[begin:end], row_i[begin:end], row_j[begin:end], up[begin:end], down[begin:end]
        best, worst = -_NEVER, _NEVER
        for t in range(end - begin):
            s[t] -= move * (a[t] - c[t])
            best = max(best, s[t] + u[t])
            worst = min(worst, s[t] + d[t])
        lowest = min(lowest, worst)
        if best > steepest:
            steepest, place = best, begin
    while place < n - 1 and slope[place] + up[place] != steepest:
        place += 1
    return place, steepest, lowest


@_jit
def _partner(
    slope: FloatArray, row: FloatArray, diagonal: FloatArray, own: float, steepest: float, down: FloatArray
) -> int:
    """Find which coefficient to move down: the one whose step gains most, by the curvature of the pair."""
    best, place = 0.0, 0
    for t in range(len(slope)):
        fall = steepest - (slope[t] + down[t])
        gain = fall * fall / max(own + diagonal[t] - 2.0 * row[t], _FLAT) if fall > 0.0 else -1.0
        if gain > best:
            best, place = gain, t
    return place


@_jit
def _undecided(b: FloatArray, slope: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """List the coefficients that are not at a bound, or may want to leave it."""
    steepest, lowest = -_NEVER, _NEVER
    for t in range(len(b)):
        if b[t] < high[t]:
            steepest = max(steepest, slope[t])
        if b[t] > low[t]:
            lowest = min(lowest, slope[t])
    wanted = ((b > low) & (b < high)) | ((b <= low) & (slope >= lowest)) | ((b >= high) & (slope <= steepest))
    return np.flatnonzero(wanted)


@_jit
def _block(kernel: FloatArray, kept: IntArray) -> FloatArray:
    block = np.empty((len(kept), len(kept)))
    for a in range(len(kept)):
        row = kernel[kept[a]]
        for c in range(len(kept)):
            block[a, c] = row[kept[c]]
    return block


@_jit
def _intercept(b: FloatArray, slope: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Take the mean slope of the free support vectors; without one, the middle of what the others allow."""
    free, total = 0, 0.0
    least, most = -_NEVER, _NEVER
    for t in range(len(b)):
        if low[t] < b[t] < high[t]:
            free += 1
            total += slope[t]
        elif b[t] < high[t]:
            least = max(least, slope[t])
        else:
            most = min(most, slope[t])
    return total / free if free else 0.5 * (least + most)


@nb.njit(nogil=True, cache=True)
def decide(kernel: FloatArray, coefficients: FloatArray, intercepts: FloatArray) -> FloatArray:
    """Give the decisions (n, n_problems) for rows of the kernel (n, n_train).

    They are added up in a fixed order, so they are the same to the last bit whatever other rows are asked for, and on
    every machine; a matrix product promises neither.
    """
    decisions = np.empty((len(kernel), len(coefficients)))
    for i in range(len(kernel)):
        for p in range(len(coefficients)):
            total = 0.0
            for t in range(kernel.shape[1]):
                total += kernel[i, t] * coefficients[p, t]
            decisions[i, p] = total + intercepts[p]
    return decisions
