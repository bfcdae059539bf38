"""Newton steps of the solver: all free coefficients are moved at once."""

from __future__ import annotations

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.compiled import inner, jit
from wassergraph.transport.vector import take_block

#: No step is taken with more free coefficients than this.
_MAX_FREE = 1500
#: Steps end when the cubes of the numbers of free coefficients add up to this much work.
_MAX_WORK = 5e8
#: What is added to the diagonal, as a share of it, so that a system with equal rows can be solved.
_RIDGE = 1e-11


@inner
def take_newton_steps(kernel: FloatArray, low: FloatArray, high: FloatArray, b: FloatArray, slope: FloatArray) -> None:
    """Move all free coefficients at once to where their slopes are equal, as far as the bounds allow.

    This is Newton's step on the free coefficients. It is fast where steps of two would alternate for long: with a
    kernel of low rank and a large C. Coefficients that reach a bound stay there, and the step is computed again for the
    others. ``b`` and ``slope`` are changed.
    """
    work = 0.0
    while work < _MAX_WORK:
        free = np.flatnonzero((b > low) & (b < high))
        work += float(len(free)) ** 3
        if not 2 <= len(free) <= _MAX_FREE:
            return
        block = copy_block(kernel, free)
        least, most = low[free] - b[free], high[free] - b[free]
        moved, gain = _within(block, _newton(block, slope[free]), least, most, slope[free])
        if gain <= 0.0:
            return
        update_slopes(kernel, slope, free, moved)
        close = 1e-12 * (most - least)
        for a in range(len(free)):
            at_low, at_high = moved[a] <= least[a] + close[a], moved[a] >= most[a] - close[a]
            b[free[a]] = low[free[a]] if at_low else high[free[a]] if at_high else b[free[a]] + moved[a]
        if ((moved > least + close) & (moved < most - close)).all():
            return


@jit
def _newton(block: FloatArray, slope: FloatArray) -> FloatArray:
    """Return the step to where all slopes are equal, which does not change the sum of the coefficients."""
    n = len(slope)
    system, targets = block.copy(), np.ones((n, 2))
    largest = 0.0
    for a in range(n):
        targets[a, 0] = slope[a]
        largest = max(largest, block[a, a])
    for a in range(n):
        system[a, a] += _RIDGE * largest
    solved = np.linalg.solve(system, targets)
    step: FloatArray = solved[:, 0] - solved[:, 0].sum() / solved[:, 1].sum() * solved[:, 1]
    return step


@jit
def _within(
    block: FloatArray, move: FloatArray, least: FloatArray, most: FloatArray, slope: FloatArray
) -> tuple[FloatArray, float]:
    """Return a step within the bounds, and its gain.

    Either the whole step is shortened, or each coefficient is clipped at its bound, whichever gains more.
    """
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


@inner
def update_slopes(kernel: FloatArray, slope: FloatArray, positions: IntArray, moved: FloatArray) -> None:
    """Update the slopes after the coefficients at some positions have moved."""
    for a in range(len(positions)):
        if moved[a] != 0.0:
            row = kernel[positions[a]]
            for t in range(len(slope)):
                slope[t] -= moved[a] * row[t]


@jit
def copy_block(kernel: FloatArray, kept: IntArray) -> FloatArray:
    """Return the rows and columns of a kernel at some positions."""
    block = np.empty((len(kept), len(kept)))
    take_block(kernel, kept, kept, block)
    return block
