"""Quantile means: a short vector for every graph, whose differences are lower bounds of transport (bounds.py)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.transport.compiled import compiled, from_entry
from wassergraph.transport.search_tasks import SHORT, QuantileTask, VectorTask
from wassergraph.transport.simplex import FASTMATH

jit, _exactly = compiled(FASTMATH), compiled(set())


@jit
def average_quantiles(task: QuantileTask) -> None:
    """Sort the nodes of every graph by each coordinate, and average them over parts of equal mass."""
    width, values, order = task.width, task.values, task.order
    for g in range(task.n_graphs):
        first, n = task.ptr[g], task.ptr[g + 1] - task.ptr[g]
        for c in range(width):
            for i in range(n):
                values[i] = task.points[(first + i) * width + c]
            sort(n, values, order, task.other_order)
            out = from_entry(task.out, (g * width + c) * task.n_parts)
            _average(n, from_entry(task.mass, first), values, order, task.n_parts, out)


@jit
def _average(n: int, mass: IntArray, values: FloatArray, order: IntArray, parts: int, out: NDArray[np.float32]) -> None:
    """Average values, in some order, over parts of equal mass."""
    total = 0.0
    for i in range(n):
        total += mass[i]
    part, room, sums, value = 0, total / parts, 0.0, 0.0
    for position in range(n):
        left = float(mass[order[position]])
        value = values[order[position]]
        while part < parts - 1 and left >= room:
            out[part] = (sums + room * value) * parts / total
            left -= room
            part, room, sums = part + 1, total / parts, 0.0
        sums += left * value
        room -= left
    out[part] = sums / (total / parts - room) if total / parts > room else value


@jit
def sort(n: int, values: FloatArray, order: IntArray, other: IntArray) -> None:
    """Find the order of n values; of equal ones, the first comes first. ``other`` is memory for as many numbers."""
    for i in range(n):
        order[i] = i
    length = 1
    while length < n:
        for first in range(0, n, 2 * length):
            _merge(first, length, n, values, order, other)
        for i in range(n):
            order[i] = other[i]
        length *= 2


@jit
def _merge(first: int, length: int, n: int, values: FloatArray, order: IntArray, other: IntArray) -> None:
    """Merge two runs of sorted numbers, the first of a length, the second of at most the same; n is the end of all."""
    middle = first + length if first + length < n else n
    last = middle + length if middle + length < n else n
    i, j = first, middle
    for place in range(first, last):
        if j == last or (i < middle and values[order[i]] <= values[order[j]]):
            other[place] = order[i]
            i += 1
        else:
            other[place] = order[j]
            j += 1


@_exactly
def add_vector_bounds(task: VectorTask) -> None:
    """Add lower bounds from the vectors of graphs, of the cost of moving points, to ``bounds``."""
    length = task.width * task.n_parts
    for t in range(task.n_graphs):
        g = task.graphs[t]
        raw = vector_bound(task.width, task.n_parts, task.own, from_entry(task.vectors, g * length))
        bound = raw - SHORT * (task.own_reach + float(task.reach[g]))
        task.bounds[t] += bound * task.scale if bound > 0.0 else 0.0


@jit
def vector_bound(length: int, parts: int, one: NDArray[np.float32], two: NDArray[np.float32]) -> float:
    """Return the bound from the vectors (length * parts) of two graphs."""
    squares = np.float32(0.0)
    for c in range(length):
        differences = np.float32(0.0)
        for b in range(parts):
            differences += abs(one[c * parts + b] - two[c * parts + b])
        squares += differences * differences
    return math.sqrt(np.float64(squares)) / parts
