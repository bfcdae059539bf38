"""Continuous embedding: node attributes averaged over neighbors by the Weisfeiler–Lehman scheme."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.graphs.batch import GraphBatch

Isolated: TypeAlias = Literal["halve", "keep"]


def wl_points(graphs: GraphBatch, attributes: FloatArray, depth: int, *, isolated: Isolated = "halve") -> FloatArray:
    """Average attributes over neighbors: a^{h+1}(v) = ½ (a^h(v) + 1/deg(v) Σ_u w(v, u) a^h(u)).

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    attributes : (n_nodes, d) floats
        The attributes at depth 0.
    depth : int
        The number of averaging steps.
    isolated : "halve" or "keep"
        How to average over no neighbors: with a sum of 0, or not at all.

    Returns
    -------
    points : (n_nodes, (depth + 1) * d) floats
        One block of columns per depth.
    """
    n, d = attributes.shape
    points = np.empty((n, (depth + 1) * d))
    points[:, :d] = attributes
    adjacency, degrees = graphs.adjacency(), np.maximum(graphs.degrees, 1)[:, None]
    is_isolated = graphs.degrees == 0
    for h in range(depth):
        before = points[:, h * d : (h + 1) * d]
        with np.errstate(over="ignore", invalid="ignore"):  # an error below
            after = 0.5 * (before + adjacency @ before / degrees)
        if isolated == "keep":
            after[is_isolated] = before[is_isolated]
        points[:, (h + 1) * d : (h + 2) * d] = after
    if not np.isfinite(points).all():
        raise InputError("the averages of the attributes overflow", remedy="scale the attributes or edge weights down")
    return points


def mean_and_scale(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the mean and the standard deviation of every column; for a constant column, its value and 1.

    Every column is divided by a power of two, which is exact, so that squares do not overflow. A column is constant if
    its minimum equals its maximum; its computed standard deviation may be 1e-17 because of rounding.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    exponents = np.frexp(np.maximum(-low, high))[1]
    scaled = np.ldexp(values, -exponents)
    deviation = np.maximum(np.ldexp(scaled.std(axis=0), exponents), np.finfo(np.float64).smallest_subnormal)
    mean = np.ldexp(scaled.mean(axis=0), exponents)
    return np.where(low < high, mean, low), np.where(low < high, deviation, 1.0)
