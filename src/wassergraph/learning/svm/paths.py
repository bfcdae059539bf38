"""The compiled part of smo.py: problems are solved one after the other, each for all values of C."""

from __future__ import annotations

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.learning.svm.cholesky import is_definite
from wassergraph.learning.svm.compiled import compiled_svm
from wassergraph.learning.svm.limits import BURST, MAX_PART, STRETCH
from wassergraph.learning.svm.newton import copy_block, take_newton_steps, update_slopes
from wassergraph.learning.svm.pair_steps import NEVER, take_pair_steps
from wassergraph.learning.svm.tasks import Coefficients, PathMemory, PathTask
from wassergraph.transport.status import NOT_CONVERGED, STOPPED


@compiled_svm
def solve_paths(task: PathTask) -> None:
    """Solve problems for all values of C; those whose kernel may have a negative eigenvalue are skipped."""
    kernel, block = task.kernel, task.memory.block
    for p in range(task.n_problems):
        first = task.ptr[p]
        n = task.ptr[p + 1] - first
        if not task.everyone:
            copy_block(task.n_train, task.kernel, n, task.members, first, block)
            kernel = block
        if not task.definite and not is_definite(n, kernel, task.memory.newton.root):
            task.skipped[p] = True
            continue
        status = _solve_path(n, kernel, p, first, task)
        if status == STOPPED or (status == NOT_CONVERGED and not task.skip_unsolved):
            return


@compiled_svm
def _solve_path(n: int, kernel: FloatArray, p: int, first: int, task: PathTask) -> int:
    """Solve a problem, whose members begin at ``first``; return the steps for the last value of C, or a status."""
    of, memory, n_members, steps = task.memory.whole, task.memory, task.ptr[task.n_problems], 0
    for t in range(n):
        of.b[t], of.slope[t], of.diagonal[t] = 0.0, task.signs[first + t], kernel[t * n + t]
    for k in range(task.n_values):
        value, place = task.C_values[k], k * n_members + first
        if k > 0:
            _grow(n, of, task.signs, task.weights, first, task.C_values[k - 1], value)
        if k < task.n_starts[p]:
            _start_if_better(n, kernel, of, task.signs, first, task.starts, place, memory.other_slope)
        for t in range(n):
            bound = value * task.weights[first + t]
            of.low[t] = -bound if task.signs[first + t] < 0.0 else 0.0
            of.high[t] = bound if task.signs[first + t] > 0.0 else 0.0
        steps = _solve(n, kernel, of, memory, task.tol, task.max_iter, task.stop)
        if steps < 0:
            _fill(task.steps, p * task.n_values + k, (p + 1) * task.n_values, steps)
            return steps
        task.steps[p * task.n_values + k] = steps
        task.intercepts[p * task.n_values + k] = _intercept(n, of)
        for t in range(n):
            task.coefficients[place + t] = of.b[t]
    return steps


@compiled_svm
def _fill(values: IntArray, begin: int, end: int, value: int) -> None:
    """Set values from ``begin`` to before ``end``."""
    for k in range(begin, end):
        values[k] = value


@compiled_svm
def _start_if_better(
    n: int,
    kernel: FloatArray,
    of: Coefficients,
    signs: FloatArray,
    first: int,
    starts: FloatArray,
    place: int,
    other_slope: FloatArray,
) -> None:
    """Replace ``b`` and ``slope`` by the starts at a place, and their slopes, if the objective is better there."""
    b, slope = of.b, of.slope
    for t in range(n):
        other_slope[t] = signs[first + t]
    for t in range(n):
        amount, row = starts[place + t], t * n
        if amount != 0.0:
            for u in range(n):
                other_slope[u] -= amount * kernel[row + u]
    value, other_value = 0.0, 0.0
    for t in range(n):
        value += b[t] * (signs[first + t] + slope[t])
        other_value += starts[place + t] * (signs[first + t] + other_slope[t])
    if other_value > value:
        for t in range(n):
            b[t], slope[t] = starts[place + t], other_slope[t]


@compiled_svm
def _grow(
    n: int, of: Coefficients, signs: FloatArray, weights: FloatArray, first: int, smaller: float, larger: float
) -> None:
    """Start the next C: if most coefficients are at their bound, scale all of them as far as the objective falls."""
    b, slope = of.b, of.slope
    bound = free = 0
    linear = quadratic = 0.0
    for t in range(n):
        bound += abs(b[t]) >= smaller * weights[first + t]
        free += 0.0 < abs(b[t]) < smaller * weights[first + t]
        linear += signs[first + t] * b[t]
        quadratic += b[t] * (signs[first + t] - slope[t])
    if bound <= free:
        return
    whole = larger / smaller
    scale = whole
    if quadratic * whole > linear:
        scale = linear / quadratic if linear > quadratic else 1.0
    for t in range(n):
        # A coefficient at its bound is set to the next bound exactly; slightly below, it would count as free.
        at_bound = abs(b[t]) >= smaller * weights[first + t] and scale == whole
        y = signs[first + t]
        slope[t] = y - scale * (y - slope[t])
        b[t] = y * larger * weights[first + t] if at_bound else scale * b[t]


@compiled_svm
def _solve(
    n: int, kernel: FloatArray, of: Coefficients, memory: PathMemory, tol: float, max_iter: int, stop: BoolArray
) -> int:
    """Solve one problem starting from ``b`` and ``slope``, which are changed; return the steps, or a status.

    Coefficients that tend to stay at their bound are set aside.
    """
    burst = n if 0 < n < BURST else BURST
    burst = burst if burst < max_iter else max_iter
    total = 0
    while total < max_iter:
        steps = take_pair_steps(n, kernel, of, memory.up, memory.down, tol, burst, stop)
        if steps < burst:
            return total + steps if steps >= 0 else steps
        total += steps
        n_kept = _find_undecided(n, of, memory.kept)
        if n <= BURST // 5 or n_kept > MAX_PART * n:
            if total % STRETCH < burst:
                take_newton_steps(n, kernel, of, memory.newton)
            continue
        steps = _solve_part(n, kernel, of, n_kept, memory, tol, max_iter - total, stop)
        if steps < 0:
            return steps
        total += steps
    return NOT_CONVERGED


@compiled_svm
def _solve_part(
    n: int,
    kernel: FloatArray,
    of: Coefficients,
    n_kept: int,
    memory: PathMemory,
    tol: float,
    max_iter: int,
    stop: BoolArray,
) -> int:
    """Solve for the coefficients that are kept alone, and update ``b`` and ``slope``; return the steps."""
    kept, part = memory.kept, memory.part
    copy_block(n, kernel, n_kept, kept, 0, memory.part_block)
    for a in range(n_kept):
        t = kept[a]
        part.b[a], part.slope[a], part.diagonal[a] = of.b[t], of.slope[t], of.diagonal[t]
        part.low[a], part.high[a] = of.low[t], of.high[t]
    steps = _take_steps(n_kept, part, memory, tol, max_iter, stop)
    if steps >= 0:
        for a in range(n_kept):  # the slopes of the part are no longer needed
            part.slope[a] = part.b[a] - of.b[kept[a]]
            of.b[kept[a]] = part.b[a]
        update_slopes(n, kernel, of.slope, n_kept, kept, part.slope)
    return steps


@compiled_svm
def _take_steps(n: int, of: Coefficients, memory: PathMemory, tol: float, max_iter: int, stop: BoolArray) -> int:
    """Take steps until no pair gains, at most ``max_iter``, with Newton steps in between; return their number."""
    kernel, total = memory.part_block, 0
    while total < max_iter:
        steps = take_pair_steps(n, kernel, of, memory.up, memory.down, tol, STRETCH, stop)
        if steps < 0:
            return steps
        total += steps
        if steps < STRETCH:
            break
        take_newton_steps(n, kernel, of, memory.newton)
    return total


@compiled_svm
def _find_undecided(n: int, of: Coefficients, kept: IntArray) -> int:
    """Find the coefficients that are not at a bound, or may leave it; return their number."""
    b, slope, low, high = of.b, of.slope, of.low, of.high
    steepest, lowest, number = -NEVER, NEVER, 0
    for t in range(n):
        if b[t] < high[t] and slope[t] > steepest:
            steepest = slope[t]
        if b[t] > low[t] and slope[t] < lowest:
            lowest = slope[t]
    for t in range(n):
        at_low, at_high = b[t] <= low[t], b[t] >= high[t]
        if not (at_low or at_high) or (at_low and slope[t] >= lowest) or (at_high and slope[t] <= steepest):
            kept[number] = t
            number += 1
    return number


@compiled_svm
def _intercept(n: int, of: Coefficients) -> float:
    """Return the mean slope of the free support vectors; without one, the middle of the range that the others allow."""
    free, total = 0, 0.0
    least, most = -NEVER, NEVER
    for t in range(n):
        if of.low[t] < of.b[t] < of.high[t]:
            free += 1
            total += of.slope[t]
        elif of.b[t] < of.high[t]:
            least = of.slope[t] if of.slope[t] > least else least
        else:
            most = of.slope[t] if of.slope[t] < most else most
    return total / free if free > 0 else 0.5 * (least + most)
