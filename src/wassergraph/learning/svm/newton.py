"""Newton steps of the solver: all free coefficients are moved at once."""

from __future__ import annotations

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.cholesky import decompose, solve_triangles
from wassergraph.learning.svm.compiled import compiled_svm
from wassergraph.learning.svm.limits import MAX_FREE, MAX_WORK
from wassergraph.learning.svm.tasks import Coefficients, NewtonMemory

#: What is added to the diagonal, as a share of it, so that a system with equal rows can be solved.
_RIDGE = 1e-11
#: A coefficient that is this close to its bound, as a share of its range, is set to it.
_CLOSE = 1e-12


@compiled_svm
def take_newton_steps(n: int, kernel: FloatArray, of: Coefficients, memory: NewtonMemory) -> None:
    """Move all free coefficients at once to where their slopes are equal, as far as the bounds allow.

    This is Newton's step on the free coefficients. It is fast where steps of two would alternate for long: with a
    kernel of low rank and a large C. Coefficients that reach a bound stay there, and the step is computed again for the
    others. ``b`` and ``slope`` are changed.
    """
    work, inside = 0.0, False
    while work < MAX_WORK and not inside:
        n_free = _find_free(n, of, memory)
        work += float(n_free) * float(n_free) * float(n_free)
        if n_free < 2 or n_free > MAX_FREE:
            return
        copy_block(n, kernel, n_free, memory.free, 0, memory.block)
        _solve_newton(n_free, memory)
        if _stay_within(n_free, memory) <= 0.0:
            return
        update_slopes(n, kernel, of.slope, n_free, memory.free, memory.step)
        inside = _move(n_free, of, memory)


@compiled_svm
def _find_free(n: int, of: Coefficients, memory: NewtonMemory) -> int:
    """Find the coefficients that are not at a bound, how far they may move, and their slopes; return their number.

    If there are too many of them, only their number has a meaning.
    """
    n_free = 0
    for t in range(n):
        if of.low[t] < of.b[t] < of.high[t]:
            if n_free < MAX_FREE:
                memory.free[n_free] = t
                memory.least[n_free], memory.most[n_free] = of.low[t] - of.b[t], of.high[t] - of.b[t]
                memory.slope[n_free] = of.slope[t]
            n_free += 1
    return n_free


@compiled_svm
def _solve_newton(n: int, memory: NewtonMemory) -> None:
    """Compute the step to where all slopes are equal, which does not change the sum of the coefficients."""
    block, step, ones = memory.block, memory.step, memory.ones
    largest = 0.0
    for a in range(n):
        step[a], ones[a] = memory.slope[a], 1.0
        largest = block[a * n + a] if block[a * n + a] > largest else largest
    added = _RIDGE * largest
    decompose(n, block, added, 0.1 * added, True, memory.root)
    solve_triangles(n, memory.root, step)
    solve_triangles(n, memory.root, ones)
    step_sum, ones_sum = 0.0, 0.0
    for a in range(n):
        step_sum += step[a]
        ones_sum += ones[a]
    for a in range(n):
        step[a] -= step_sum / ones_sum * ones[a]


@compiled_svm
def _stay_within(n: int, memory: NewtonMemory) -> float:
    """Change the step to one within the bounds; return its gain, or 1 if it is within already.

    Either the whole step is shortened, or each coefficient is cut at its bound, whichever gains more.
    """
    step, cut, least, most, slope = memory.step, memory.cut, memory.least, memory.most, memory.slope
    share = 1.0
    for a in range(n):
        room = most[a] if step[a] > 0.0 else least[a]
        if share * abs(step[a]) > abs(room):
            share = room / step[a]
    if share == 1.0:
        return 1.0
    _cut(n, memory)
    straight, linear, quadratic = 0.0, 0.0, _square(n, memory.block, cut)
    for a in range(n):
        straight += slope[a] * step[a]
        linear += slope[a] * cut[a]
    length = linear / quadratic if quadratic > 0.0 and linear < quadratic else 1.0
    gain, other = length * (linear - 0.5 * length * quadratic), share * (1.0 - 0.5 * share) * straight
    for a in range(n):
        step[a] = length * cut[a] if gain > other else share * step[a]
    return gain if gain > other else other


@compiled_svm
def _cut(n: int, memory: NewtonMemory) -> None:
    """Cut the step of each coefficient at its bound, and shorten those up or those down so that their sum is 0."""
    step, cut, least, most = memory.step, memory.cut, memory.least, memory.most
    up, down = 0.0, 0.0
    for a in range(n):
        value = step[a] if step[a] > least[a] else least[a]
        cut[a] = value if value < most[a] else most[a]
        if cut[a] > 0.0:
            up += cut[a]
        else:
            down -= cut[a]
    for a in range(n):
        if cut[a] > 0.0 and down < up:
            cut[a] *= down / up
        elif cut[a] < 0.0 and up < down:
            cut[a] *= up / down


@compiled_svm
def _square(n: int, block: FloatArray, vector: FloatArray) -> float:
    """Return the product of a vector, a matrix and the vector."""
    result = 0.0
    for a in range(n):
        total = 0.0
        for c in range(n):
            total += block[a * n + c] * vector[c]
        result += vector[a] * total
    return result


@compiled_svm
def _move(n: int, of: Coefficients, memory: NewtonMemory) -> bool:
    """Move the free coefficients, those that are close to a bound to it; return whether none is."""
    inside = True
    for a in range(n):
        t, least, most, moved = memory.free[a], memory.least[a], memory.most[a], memory.step[a]
        close = _CLOSE * (most - least)
        if moved <= least + close:
            of.b[t], inside = of.low[t], False
        elif moved >= most - close:
            of.b[t], inside = of.high[t], False
        else:
            of.b[t] += moved
    return inside


@compiled_svm
def update_slopes(
    n: int, kernel: FloatArray, slope: FloatArray, n_moved: int, positions: IntArray, moved: FloatArray
) -> None:
    """Update the slopes after the coefficients at some positions have moved."""
    for a in range(n_moved):
        amount, row = moved[a], positions[a] * n
        if amount != 0.0:
            for t in range(n):
                slope[t] -= amount * kernel[row + t]


@compiled_svm
def copy_block(n: int, kernel: FloatArray, n_kept: int, positions: IntArray, first: int, block: FloatArray) -> None:
    """Copy the rows and columns of a kernel at some positions, which are listed from ``first`` on."""
    for a in range(n_kept):
        row, place = positions[first + a] * n, a * n_kept
        for c in range(n_kept):
            block[place + c] = kernel[row + positions[first + c]]
