"""Lower bounds of optimal transport, cheaper than its solution: no plan costs less.

    vectors           in every coordinate, transport between two graphs costs at least the difference of their sorted
                      coordinates, averaged over a few parts of equal mass; the bounds of orthogonal coordinates are
                      the sides of a rectangle, whose diagonal is a bound as well (quantiles.py)
    relaxed           every node of one graph moves to the nearest node of the other, whatever the others do
    duals             any numbers of the nodes of one graph, completed by the best ones of the other, are a solution
                      of the dual problem; those of an earlier solution are good ones

All of them hold for masses that are shares. For counts (see exact.py) a node without a partner has a price.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.transport.compiled import compiled, from_entry
from wassergraph.transport.simplex import FASTMATH, Floats, dual_value

jit = compiled(FASTMATH)


class Alone(NamedTuple):
    """Masses without a partner: what the graph of the columns has too little, or too much, and the price of both."""

    lack: float
    excess: float
    price: float


@jit
def dual_bound(
    n: int,
    m: int,
    costs: Floats,
    rows: Floats,
    columns: Floats,
    u: Floats,
    alone: Alone,
    v: Floats,
) -> float:
    """Return Σ_j columns_j v_j + Σ_i rows_i u_i, where v_j = min_i (costs_ij - u_i) is written to ``v``.

    The rows are the nodes of one graph (n), the columns those of the other (m). With u = 0, every column moves to its
    nearest row.
    """
    result = dual_value(n, m, m, costs, rows, columns, 0, u, alone.price if alone.excess > 0.0 else np.inf, v)
    if alone.lack > 0.0:
        greatest = u[0]
        for i in range(n):
            greatest = u[i] if u[i] > greatest else greatest
        result += alone.lack * (alone.price - greatest)
    return result


@jit
def completed_bound(
    n: int,
    m: int,
    costs: Floats,
    rows: Floats,
    columns: Floats,
    u: Floats,
    alone: Alone,
    v: Floats,
) -> float:
    """Return the bound of potentials v of the columns, which :func:`dual_bound` finds for u, and the best ones of rows.

    It is at least that of u and v, since the best potentials of rows are not below u.
    """
    dual_bound(n, m, costs, rows, columns, u, alone, v)
    result, greatest, highest = 0.0, -np.inf, -np.inf
    for j in range(m):
        result += columns[j] * v[j]
        highest = v[j] if v[j] > highest else highest
    for i in range(n):
        greatest = u[i] if u[i] > greatest else greatest
    last = alone.price - greatest  # the potential of an additional column
    start = alone.price - last if alone.lack > 0.0 else np.inf
    for i in range(n):
        row, least = from_entry(costs, i * m), start
        for j in range(m):
            value = row[j] - v[j]
            least = value if value < least else least
        result += rows[i] * least
    if alone.lack > 0.0:
        result += alone.lack * last
    if alone.excess > 0.0:
        result += alone.excess * (alone.price - highest)
    return result


@jit
def image_costs(
    n: int,
    m: int,
    rows: NDArray[np.float32],
    columns: NDArray[np.float32],
    width: int,
    squares: NDArray[np.float32],
    costs: NDArray[np.float32],
) -> None:
    """Compute the distances of points (n * width), node by node, and others (width * m), coordinate by coordinate.

    Four coordinates at a time: every loop over the columns has some cost of its own.
    """
    for i in range(n):
        x, out = from_entry(rows, i * width), from_entry(costs, i * m)
        for j in range(m):
            squares[j] = np.float32(0.0)
        k = 0
        while k + 3 < width:
            x0, x1, x2, x3, y = x[k], x[k + 1], x[k + 2], x[k + 3], from_entry(columns, k * m)
            for j in range(m):
                d0, d1, d2, d3 = x0 - y[j], x1 - y[m + j], x2 - y[2 * m + j], x3 - y[3 * m + j]
                squares[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
            k += 4
        while k < width:
            for j in range(m):
                d0 = x[k] - columns[k * m + j]
                squares[j] += d0 * d0
            k += 1
        for j in range(m):
            out[j] = math.sqrt(squares[j])
