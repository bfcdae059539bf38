"""Steps of the solver that move two coefficients, one up and one down by as much (sequential minimal optimization)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.learning.svm.compiled import inner
from wassergraph.transport.status import STOPPED
from wassergraph.transport.vector import larger, smaller

#: The least curvature of a pair, as in libsvm: two equal rows of the kernel have none.
_FLAT = 1e-12
#: Larger than any slope; marks a coefficient that cannot move up, or down.
NEVER = 1e300
#: Extreme entries are searched in pieces of this many: first the piece, then the entry in it.
_PIECE = 64
#: ``stop`` is looked at after this many steps.
_CHECK_EVERY = 512


@inner
def take_pair_steps(
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
    """Take steps until no pair gains, at most ``max_steps``; return their number, or STOPPED.

    ``b`` and ``slope`` are changed.
    """
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
        if step % _CHECK_EVERY == 0 and stop[0]:
            return STOPPED
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


@inner
def _mark(t: int, b: FloatArray, low: FloatArray, high: FloatArray, up: FloatArray, down: FloatArray) -> None:
    """Record whether a coefficient may move up, and down."""
    up[t] = 0.0 if b[t] < high[t] else -NEVER
    down[t] = 0.0 if b[t] > low[t] else NEVER


@inner
def _update(
    slope: FloatArray, row_i: FloatArray, row_j: FloatArray, move: float, up: FloatArray, down: FloatArray
) -> tuple[int, float, float]:
    """Update the slopes; return the steepest that may go up, as position and slope, and the lowest that may go down."""
    n = len(slope)
    steepest, lowest, position = -NEVER, NEVER, 0
    for begin in range(0, n, _PIECE):
        end = min(n, begin + _PIECE)
        s, a, c, u, d = slope[begin:end], row_i[begin:end], row_j[begin:end], up[begin:end], down[begin:end]
        best, worst = -NEVER, NEVER
        for t in range(end - begin):
            s[t] -= move * (a[t] - c[t])
            best = larger(best, s[t] + u[t])
            worst = smaller(worst, s[t] + d[t])
        lowest = min(lowest, worst)
        if best > steepest:
            steepest, position = best, begin
    while position < n - 1 and slope[position] + up[position] != steepest:
        position += 1
    return position, steepest, lowest


@inner
def _partner(
    slope: FloatArray, row: FloatArray, diagonal: FloatArray, curvature: float, steepest: float, down: FloatArray
) -> int:
    """Return which coefficient to move down: the one whose step gains most, by the curvature of the pair."""
    n = len(slope)
    best, position = 0.0, 0
    for begin in range(0, n, _PIECE):
        end = min(n, begin + _PIECE)
        s, r, c, d = slope[begin:end], row[begin:end], diagonal[begin:end], down[begin:end]
        piece = 0.0
        for t in range(end - begin):
            piece = larger(piece, _gain(steepest - (s[t] + d[t]), curvature + c[t] - 2.0 * r[t]))
        if piece > best:
            best, position = piece, begin
    highest, partner = 0.0, position
    for t in range(position, min(n, position + _PIECE)):
        gain = _gain(steepest - (slope[t] + down[t]), curvature + diagonal[t] - 2.0 * row[t])
        if gain > highest:
            highest, partner = gain, t
    return partner


@inner
def _gain(fall: float, curvature: float) -> float:
    """Return twice the gain of a step between two coefficients whose slopes differ by ``fall``; 0 if it is negative."""
    possible = larger(fall, 0.0)
    return possible * possible / larger(curvature, _FLAT)
