"""Optimal transport for given costs, and ground costs of given points, as they are called from Python."""

from __future__ import annotations

import numpy as np

from wassergraph import _core
from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.pairwise.layout import NOBODY


def ground_costs(points: FloatArray, others: FloatArray) -> FloatArray:
    """Return the Euclidean distances (n, m) between points (n, width) and others (m, width)."""
    result = np.empty((len(points), len(others)))
    _core.ground_costs(np.ascontiguousarray(points), np.ascontiguousarray(others), result)
    return result


def solve_plan(
    cost: FloatArray, supply: IntArray, demand: IntArray, max_iter: int, stop: BoolArray
) -> tuple[int, IntArray, IntArray, IntArray, FloatArray]:
    """Solve one problem with costs (n, m): (status, sources, sinks, flows, potentials), the flows that are not zero.

    The potentials are u of a source, -v of a sink.
    """
    n, nodes = len(cost), sum(cost.shape)
    parent, flow, potential = np.empty(nodes, np.uint32), np.empty(nodes, np.int64), np.empty(nodes)
    given, wanted = (np.ascontiguousarray(each, dtype=np.int64) for each in (supply, demand))
    status = _core.solve_plan(np.ascontiguousarray(cost), given, wanted, max_iter, stop, parent, flow, potential)
    if status < 0:
        return status, *np.empty((3, 0), dtype=np.int64), np.empty(0)
    below, above = np.arange(nodes), parent.astype(np.int64)
    amounts = (flow + n) // (2 * n + 1)  # without the perturbation: core/simplex.hpp
    used = (parent != NOBODY) & (amounts > 0)
    sources, sinks = np.where(below < n, below, above), np.where(below < n, above, below) - n
    return status, sources[used], sinks[used], amounts[used], potential
