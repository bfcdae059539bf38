"""Steps of the solver that move two coefficients, one up and one down by as much (sequential minimal optimization)."""

from __future__ import annotations

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.learning.svm.compiled import compiled_svm
from wassergraph.learning.svm.tasks import Coefficients
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


@compiled_svm
def take_pair_steps(
    n: int,
    kernel: FloatArray,
    of: Coefficients,
    up: FloatArray,
    down: FloatArray,
    tol: float,
    max_steps: int,
    stop: BoolArray,
) -> int:
    """Take steps until no pair gains, at most ``max_steps``; return their number, or STOPPED.

    ``b`` and ``slope`` are changed; ``up`` and ``down`` are memory.
    """
    b, slope, low, high, diagonal = of.b, of.slope, of.low, of.high, of.diagonal
    for t in range(n):
        _mark(t, of, up, down)
    row_i, row_j, move = 0, 0, 0.0
    for step in range(max_steps):
        i, steepest, lowest = _update(n, kernel, row_i, row_j, move, slope, up, down)
        move = 0.0
        if steepest - lowest < tol:
            return step
        if step % _CHECK_EVERY == 0 and stop[0]:
            return STOPPED
        row_i = i * n
        j = _partner(n, kernel, row_i, slope, diagonal, diagonal[i], steepest, down)
        row_j = j * n
        move = (steepest - slope[j]) / larger(diagonal[i] + diagonal[j] - 2.0 * kernel[row_i + j], _FLAT)
        room_i, room_j = high[i] - b[i], b[j] - low[j]
        move = smaller(move, smaller(room_i, room_j))
        b[i] = high[i] if move == room_i else b[i] + move
        b[j] = low[j] if move == room_j else b[j] - move
        _mark(i, of, up, down)
        _mark(j, of, up, down)
    _update(n, kernel, row_i, row_j, move, slope, up, down)
    return max_steps


@compiled_svm
def _mark(t: int, of: Coefficients, up: FloatArray, down: FloatArray) -> None:
    """Record whether a coefficient may move up, and down."""
    up[t] = 0.0 if of.b[t] < of.high[t] else -NEVER
    down[t] = 0.0 if of.b[t] > of.low[t] else NEVER


@compiled_svm
def _update(
    n: int,
    kernel: FloatArray,
    row_i: int,
    row_j: int,
    move: float,
    slope: FloatArray,
    up: FloatArray,
    down: FloatArray,
) -> tuple[int, float, float]:
    """Update the slopes; return the steepest that may go up, as position and slope, and the lowest that may go down."""
    steepest, lowest, position = -NEVER, NEVER, 0
    for begin in range(0, n, _PIECE):
        end = begin + _PIECE if begin + _PIECE < n else n
        best, worst = -NEVER, NEVER
        for t in range(begin, end):
            value = slope[t] - move * (kernel[row_i + t] - kernel[row_j + t])
            slope[t] = value
            best = larger(best, value + up[t])
            worst = smaller(worst, value + down[t])
        lowest = smaller(lowest, worst)
        if best > steepest:
            steepest, position = best, begin
    while position < n - 1 and slope[position] + up[position] != steepest:
        position += 1
    return position, steepest, lowest


@compiled_svm
def _partner(
    n: int,
    kernel: FloatArray,
    row: int,
    slope: FloatArray,
    diagonal: FloatArray,
    curvature: float,
    steepest: float,
    down: FloatArray,
) -> int:
    """Return which coefficient to move down: the one whose step gains most, by the curvature of the pair."""
    best, position = 0.0, 0
    for begin in range(0, n, _PIECE):
        end = begin + _PIECE if begin + _PIECE < n else n
        piece = 0.0
        for t in range(begin, end):
            fall = steepest - (slope[t] + down[t])
            piece = larger(piece, _gain(fall, curvature + diagonal[t] - 2.0 * kernel[row + t]))
        if piece > best:
            best, position = piece, begin
    highest, partner = 0.0, position
    end = position + _PIECE if position + _PIECE < n else n
    for t in range(position, end):
        gain = _gain(steepest - (slope[t] + down[t]), curvature + diagonal[t] - 2.0 * kernel[row + t])
        if gain > highest:
            highest, partner = gain, t
    return partner


@compiled_svm
def _gain(fall: float, curvature: float) -> float:
    """Return twice the gain of a step between two coefficients whose slopes differ by ``fall``; 0 if it is negative."""
    possible = larger(fall, 0.0)
    gain: float = possible * possible / larger(curvature, _FLAT)
    return gain
