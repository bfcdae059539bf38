"""Ground costs between the nodes of two graphs, summed up depth by depth; layout.py says how they are laid out.

Points are stored twice: by node for the first graph, by feature, in rows of ``stride`` entries, for the second.
Differences are squared, not ‖x‖² + ‖y‖² - 2xy: that would lose half of the digits, and the distance of a graph to
itself would not be zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.transport.compiled import compiled
from wassergraph.transport.lanes import (
    add,
    load,
    load_repeated,
    multiply,
    multiply_add,
    repeat,
    square_root,
    store,
    subtract,
)
from wassergraph.transport.layout import LANES, ROWS_AT_ONCE
from wassergraph.transport.tasks import CostTask

jit = compiled({"nsz"})


@jit
def ground_costs(task: CostTask) -> None:
    """Compute the Euclidean distances between all nodes of two graphs, from sums that are zero at first."""
    n, stride, width, cost = task.n, task.stride, task.width, task.cost
    add_squares(n, stride, task.rows, 0, task.columns, 0, width, 0, width, cost)
    euclidean(n * stride, cost, 1.0, cost)


@jit
def add_squares(
    n: int,
    stride: int,
    left: FloatArray,
    left_row: int,
    right: FloatArray,
    right_row: int,
    width: int,
    first: int,
    last: int,
    squares: FloatArray,
) -> None:
    """Add the squared differences of the features first … last - 1 to ``squares`` (n * stride).

    ``left`` has rows of ``width`` features per node, ``right`` has ``width`` rows of ``stride`` nodes; the graphs begin
    at the given rows.
    """
    x, y = left_row * width, right_row * width
    for i in range(0, n, ROWS_AT_ONCE):
        x0 = x + i * width
        x1, x2, x3 = x0 + width, x0 + 2 * width, x0 + 3 * width
        for j in range(0, stride, LANES):
            at = i * stride + j
            s0, s1 = load(squares, at), load(squares, at + stride)
            s2, s3 = load(squares, at + 2 * stride), load(squares, at + 3 * stride)
            for k in range(first, last):
                column = load(right, y + k * stride + j)
                d = subtract(load_repeated(left, x0 + k), column)
                s0 = multiply_add(d, d, s0)
                d = subtract(load_repeated(left, x1 + k), column)
                s1 = multiply_add(d, d, s1)
                d = subtract(load_repeated(left, x2 + k), column)
                s2 = multiply_add(d, d, s2)
                d = subtract(load_repeated(left, x3 + k), column)
                s3 = multiply_add(d, d, s3)
            store(squares, at, s0)
            store(squares, at + stride, s1)
            store(squares, at + 2 * stride, s2)
            store(squares, at + 3 * stride, s3)


@jit
def add_mismatches(
    n: int,
    m: int,
    stride: int,
    left: NDArray[np.uint64],
    first: int,
    right: NDArray[np.uint64],
    other: int,
    mismatches: FloatArray,
) -> None:
    """Add 1 for every pair of nodes whose codes differ; those of the graphs begin at ``first`` and at ``other``."""
    for i in range(n):
        code, row = left[first + i], i * stride
        for j in range(m):
            mismatches[row + j] += np.float64(code != right[other + j])


@jit
def euclidean(length: int, squares: FloatArray, scale: float, cost: FloatArray) -> None:
    """Compute distances from squares, times a scale; the length is a multiple of eight."""
    factor = repeat(scale)
    for k in range(0, length, LANES):
        store(cost, k, multiply(square_root(load(squares, k)), factor))


@jit
def add_scaled(length: int, values: FloatArray, scale: float, cost: FloatArray) -> None:
    """Add values times a scale; the length is a multiple of eight."""
    factor = repeat(scale)
    for k in range(0, length, LANES):
        store(cost, k, add(load(cost, k), multiply(load(values, k), factor)))
