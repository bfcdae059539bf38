"""Transport on lines, where sorting solves it: one dimension exactly, more as a mean over random lines."""

from __future__ import annotations

import numba as nb

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.exact import Side, common_total

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def line_block(
    pairs: IntArray,
    left: Side,
    left_place: FloatArray,
    right: Side,
    right_place: FloatArray,
    stop: BoolArray,
    out: FloatArray,
) -> bool:
    """Add the distances of pairs (k, 2) of graphs on a line to out (k).

    ``left`` and ``right`` tell the masses; places (nodes) are sorted within each graph. Mass is moved in order, from
    the left end to the right end. Gives False if somebody set ``stop[0]``.
    """
    for t in range(len(pairs)):
        if stop[0]:
            return False
        g, h = pairs[t]
        unit = common_total(left.total[g], right.total[h])
        scale, other_scale = unit // left.total[g], unit // right.total[h]
        i, j = left.ptr[g], right.ptr[h]
        ours, theirs, moved, result = left.mass[i] * scale, right.mass[j] * other_scale, 0, 0.0
        while True:
            amount = min(ours, theirs)
            result += amount * abs(left_place[i] - right_place[j])
            moved += amount
            if moved == unit:
                break
            ours -= amount
            theirs -= amount
            if ours == 0:
                i += 1
                ours = left.mass[i] * scale
            if theirs == 0:
                j += 1
                theirs = right.mass[j] * other_scale
        out[t] += result / unit
    return True
