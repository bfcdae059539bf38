"""Support vector machines for increasing values of C, each solved from the solution for the previous C.

The dual problem of a kernel K (n, n) and classes y of -1 and 1, written in the signed coefficients b = y * alpha:

    minimize ½ bᵀ K b - yᵀ b    where the sum of b is 0, and 0 ≤ y * b ≤ C

A step takes two coefficients, moves one up and the other down by as much (sequential minimal optimization), and updates
``slope = y - K b``. The pair is that of libsvm: the coefficient with the steepest slope up, and the one down that gains
most by its second-order estimate (Fan, Chen, Lin 2005). The solver ends as libsvm does: when no two slopes violate the
optimality conditions by more than ``tol``.

Four things make it faster than an SVM fitted for each C alone:

warm start      The solution for one C starts the next. While most support vectors are at their bound, which grows with
                C, all coefficients are scaled; later, with few at their bound, they are kept. Once none is at its
                bound, every larger C has the same solution and needs no step.
small problem   Coefficients that are at a bound and tend to stay there are set aside; the others are solved alone, on
                a copy of their part of the kernel. Then all are checked again.
Newton steps    Where steps of two coefficients alternate for long, all free coefficients are moved at once.
no overhead     All values of C are solved in one compiled call on one block of the kernel.
"""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.compiled import inner, jit
from wassergraph.learning.svm.newton import copy_block, take_newton_steps, update_slopes
from wassergraph.learning.svm.pair_steps import NEVER, take_pair_steps
from wassergraph.transport.status import NOT_CONVERGED

#: Coefficients are set aside after at most this many steps.
_BURST = 1000
#: Coefficients are set aside if at most this share is left, of more coefficients than _BURST // 5.
_WORTH = 0.6
#: A Newton step is taken after this many steps without an end.
_STRETCH = 10_000
#: For svm_path, where no starting coefficients are known.
NO_STARTS = np.empty((0, 0))


@jit
def svm_path(
    kernel: FloatArray,
    y: FloatArray,
    C_values: FloatArray,
    tol: float,
    max_iter: int,
    stop: NDArray[np.bool_],
    starts: FloatArray,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Solve the SVM for all values of C.

    Parameters
    ----------
    kernel : (n, n) floats
        The kernel, without negative eigenvalues.
    y : (n) floats
        The classes, 1 and -1.
    C_values : (n_C) floats
        The values of C, in increasing order.
    tol : float
        By how much slopes may violate the optimality conditions.
    max_iter : int
        The most steps for one C.
    stop : (1) booleans
        Becomes True if the work is to end.
    starts : (k, n) floats
        Coefficients that may be near the solutions for the first k values of C, see :func:`starts_of`, or NO_STARTS.
        They are used where they are better than the solution for the previous C. They change the number of steps, not
        the solution.

    Returns
    -------
    coefficients, intercepts : (n_C, n), (n_C) floats
        The decision for a point x is ``kernel(x, training) @ coefficients[k] + intercepts[k]``.
    steps : (n_C) integers
        The steps taken. From the first C on that was not solved they are a status, NOT_CONVERGED or STOPPED, and the
        coefficients are zero.
    """
    n, n_values = len(y), len(C_values)
    coefficients, intercepts, steps = np.zeros((n_values, n)), np.zeros(n_values), np.zeros(n_values, np.int64)
    diagonal = np.empty(n)
    for t in range(n):
        diagonal[t] = kernel[t, t]
    b, slope = np.zeros(n), y.copy()
    for k in range(n_values):
        if k:
            _grow(b, slope, y, C_values[k - 1], C_values[k])
        if k < len(starts):
            _start_if_better(kernel, y, starts[k], b, slope)
        low, high = np.minimum(y, 0.0) * C_values[k], np.maximum(y, 0.0) * C_values[k]
        steps[k] = _solve(kernel, diagonal, low, high, b, slope, tol, max_iter, stop)
        if steps[k] < 0:
            steps[k:] = steps[k]
            break
        coefficients[k] = b
        intercepts[k] = _intercept(b, slope, low, high)
    return coefficients, intercepts, steps


def starts_of(coefficients: FloatArray, C_values: FloatArray, ratio: float) -> FloatArray:
    """Compute starting coefficients for a gamma that is ``ratio`` times as large as the one that was solved.

    While gamma D is small, exp(-gamma D) is about 1 - gamma D, and the constant 1 has no effect because the
    coefficients sum to 0. So the SVM with ten times the gamma and a tenth of C is about the same, and its coefficients
    are about a tenth.

    Parameters
    ----------
    coefficients : (n_C, n) floats
        The solutions for the smaller gamma.
    C_values : (n_C) floats
        Their values of C, in increasing order.
    ratio : float
        The larger gamma divided by the smaller one.

    Returns
    -------
    (k, n) floats
        Starts for the first k values of C: those for which ``ratio * C`` is among ``C_values``.
    """
    larger = start_sources(C_values, ratio)
    solved, bounds = coefficients[larger], C_values[: len(larger), None]
    at_bound = np.abs(solved) >= C_values[larger, None]
    return np.ascontiguousarray(np.where(at_bound, np.sign(solved) * bounds, solved / ratio))


def start_sources(C_values: FloatArray, ratio: float) -> IntArray:
    """Return, for the first values of C, the position of ``ratio * C`` among the values, up to one that is missing."""
    larger = np.searchsorted(C_values, np.asarray(C_values) * ratio * (1 - 1e-9))
    inside = larger < len(C_values)
    matches = np.isclose(C_values[larger[inside]], C_values[inside] * ratio, rtol=1e-9)
    return larger[: int(np.argmin(np.append(matches, False)))]


@inner
def _start_if_better(kernel: FloatArray, y: FloatArray, start: FloatArray, b: FloatArray, slope: FloatArray) -> None:
    """Replace ``b`` and ``slope`` by other coefficients and their slopes if the objective is better there."""
    other_slope = y.copy()
    for t in range(len(b)):
        if start[t] != 0.0:
            row = kernel[t]
            for u in range(len(b)):
                other_slope[u] -= start[t] * row[u]
    value, other_value = 0.0, 0.0
    for t in range(len(b)):
        value += b[t] * (y[t] + slope[t])
        other_value += start[t] * (y[t] + other_slope[t])
    if other_value > value:
        for t in range(len(b)):
            b[t], slope[t] = start[t], other_slope[t]


@inner
def _grow(b: FloatArray, slope: FloatArray, y: FloatArray, smaller: float, larger: float) -> None:
    """Start the next C: if most coefficients are at their bound, scale all of them as far as the objective falls."""
    bound = free = 0
    linear = quadratic = 0.0
    for t in range(len(b)):
        bound += abs(b[t]) >= smaller
        free += 0.0 < abs(b[t]) < smaller
        linear += y[t] * b[t]
        quadratic += b[t] * (y[t] - slope[t])
    if bound <= free:
        return
    scale = larger / smaller
    if quadratic * scale > linear:
        scale = max(1.0, linear / quadratic)
    for t in range(len(b)):
        # A coefficient at its bound is set to the next bound exactly; slightly below, it would count as free.
        at_bound = abs(b[t]) >= smaller and scale == larger / smaller
        slope[t] = y[t] - scale * (y[t] - slope[t])
        b[t] = y[t] * larger if at_bound else scale * b[t]


@inner
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
    """Solve one problem starting from ``b`` and ``slope``, which are changed; return the steps, or a status.

    Coefficients that tend to stay at their bound are set aside.
    """
    n = len(b)
    burst = min(max(n, 1), _BURST, max_iter)
    total = 0
    while total < max_iter:
        steps = take_pair_steps(kernel, diagonal, low, high, b, slope, tol, burst, stop)
        if steps < burst:
            return total + steps if steps >= 0 else steps
        total += steps
        kept = _undecided(b, slope, low, high)
        if n <= _BURST // 5 or len(kept) > _WORTH * n:
            if total % _STRETCH < burst:
                take_newton_steps(kernel, low, high, b, slope)
            continue
        steps = _solve_part(kernel, diagonal, low, high, b, slope, kept, tol, max_iter - total, stop)
        if steps < 0:
            return steps
        total += steps
    return NOT_CONVERGED


@inner
def _solve_part(
    kernel: FloatArray,
    diagonal: FloatArray,
    low: FloatArray,
    high: FloatArray,
    b: FloatArray,
    slope: FloatArray,
    kept: IntArray,
    tol: float,
    max_iter: int,
    stop: NDArray[np.bool_],
) -> int:
    """Solve for the coefficients at some positions alone, and update ``b`` and ``slope``; return the steps."""
    part, part_slope = b[kept], slope[kept]
    block = copy_block(kernel, kept)
    steps = _take_steps(block, diagonal[kept], low[kept], high[kept], part, part_slope, tol, max_iter, stop)
    if steps >= 0:
        update_slopes(kernel, slope, kept, part - b[kept])
        for a in range(len(kept)):
            b[kept[a]] = part[a]
    return steps


@inner
def _take_steps(
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
    """Take steps until no pair gains, at most ``max_iter``, with Newton steps in between; return their number."""
    total = 0
    while total < max_iter:
        steps = take_pair_steps(kernel, diagonal, low, high, b, slope, tol, _STRETCH, stop)
        if steps < 0:
            return steps
        total += steps
        if steps < _STRETCH:
            break
        take_newton_steps(kernel, low, high, b, slope)
    return total


@jit
def _undecided(b: FloatArray, slope: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """Return the positions of the coefficients that are not at a bound, or may leave it."""
    steepest, lowest = -NEVER, NEVER
    for t in range(len(b)):
        if b[t] < high[t]:
            steepest = max(steepest, slope[t])
        if b[t] > low[t]:
            lowest = min(lowest, slope[t])
    wanted = ((b > low) & (b < high)) | ((b <= low) & (slope >= lowest)) | ((b >= high) & (slope <= steepest))
    return np.flatnonzero(wanted)


@inner
def _intercept(b: FloatArray, slope: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Return the mean slope of the free support vectors; without one, the middle of the range that the others allow."""
    free, total = 0, 0.0
    least, most = -NEVER, NEVER
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
    """Compute the decisions (n, n_problems) for rows of the kernel (n, n_train).

    They are summed in a fixed order, so a decision is the same to the last bit for any other rows, and on
    every computer; a matrix product guarantees neither. Coefficients of zero, as almost all are with many classes,
    are left out.
    """
    decisions = np.empty((len(kernel), len(coefficients)))
    for p in range(len(coefficients)):
        used = np.flatnonzero(coefficients[p])
        for i in range(len(kernel)):
            total = 0.0
            for t in used:
                total += kernel[i, t] * coefficients[p, t]
            decisions[i, p] = total + intercepts[p]
    return decisions
