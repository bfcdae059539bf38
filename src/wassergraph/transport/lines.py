"""Transport on lines, where sorting solves it: one dimension exactly, more dimensions as a mean over random lines."""

from __future__ import annotations

import numba as nb
import numpy as np

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.transport.exact import common_total

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


@_jit
def project(
    graphs: IntArray,
    ptr: IntArray,
    points: FloatArray,
    mass: IntArray,
    direction: FloatArray,
    coordinates: FloatArray,
    masses: IntArray,
) -> None:
    """Project the nodes of graphs on a line, and sort those of every graph by their coordinate on it.

    ``coordinates`` and ``masses`` receive the nodes of these graphs, one graph after the other. Every node is projected
    by the same sum, in the same order, so that the result does not depend on which graphs are projected together.
    """
    first = 0
    for g in graphs:
        n = ptr[g + 1] - ptr[g]
        projected = np.empty(n)
        for i in range(n):
            coordinate = 0.0
            for t in range(len(direction)):
                coordinate += points[ptr[g] + i, t] * direction[t]
            projected[i] = coordinate
        order = np.argsort(projected, kind="mergesort")  # stable
        for i in range(n):
            coordinates[first + i] = projected[order[i]]
            masses[first + i] = mass[ptr[g] + order[i]]
        first += n


@_jit
def add_line(
    pairs: IntArray,
    left_ptr: IntArray,
    left_total: IntArray,
    left_coordinates: FloatArray,
    left_mass: IntArray,
    right_ptr: IntArray,
    right_total: IntArray,
    right_coordinates: FloatArray,
    right_mass: IntArray,
    stop: Stop,
    out: FloatArray,
) -> None:
    """Add the distances of pairs (k, 2) of graphs on a line to out (k).

    Coordinates are sorted within each graph. Mass is moved in order, from the left end to the right end.
    """
    for t in range(len(pairs)):
        if stop[0]:
            return
        g, h = pairs[t]
        unit = common_total(left_total[g], right_total[h])
        scale, other_scale = unit // left_total[g], unit // right_total[h]
        i, j = left_ptr[g], right_ptr[h]
        supply, demand, moved, result = left_mass[i] * scale, right_mass[j] * other_scale, 0, 0.0
        while True:
            amount = min(supply, demand)
            result += amount * abs(left_coordinates[i] - right_coordinates[j])
            moved += amount
            if moved == unit:
                break
            supply -= amount
            demand -= amount
            if supply == 0:
                i += 1
                supply = left_mass[i] * scale
            if demand == 0:
                j += 1
                demand = right_mass[j] * other_scale
        out[t] += result / unit
