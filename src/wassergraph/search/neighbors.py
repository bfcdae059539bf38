"""The graphs that a search is to find, and those that it has found for one query, sorted."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option

#: What the entries of a matrix of neighbors are: distances, or ones.
GraphMode: TypeAlias = Literal["distance", "connectivity"]


class Wanted(NamedTuple):
    """What is sought: at most ``k`` graphs, at a distance of at most ``radius``."""

    k: int
    radius: float = np.inf


class FoundGraphs(NamedTuple):
    """The graphs that were found, in the order of their distances; of equal distances, in the order of the index."""

    graphs: IntArray
    distances: FloatArray


#: How a search ends for a graph, in the order of core/library.hpp. The first three rule it out, without its distance:
#: lower bounds from vectors or images, and a computation that was given up. The distance of "solved" ones is computed.
OUTCOMES = ("vectors", "image", "abandoned", "solved")


def nearest(graphs: IntArray, distances: FloatArray, wanted: Wanted) -> FoundGraphs:
    """Sort candidates by distance, then by position, and cut them.

    Parameters
    ----------
    graphs : (n) integers
        Positions.
    distances : (n) floats
        Their distances.
    wanted : Wanted
        What is sought.

    Returns
    -------
    FoundGraphs
    """
    inside = distances <= wanted.radius
    graphs, distances = graphs[inside], distances[inside]
    if wanted.k < len(distances):  # most are left out before the rest is sorted
        kept = distances <= np.partition(distances, wanted.k - 1)[wanted.k - 1]
        graphs, distances = graphs[kept], distances[kept]
    order = np.lexsort((graphs, distances))[: wanted.k]
    return FoundGraphs(graphs[order], distances[order])


def without(found: FoundGraphs, graph: int, k: int) -> FoundGraphs:
    """Remove a graph from its own neighbors; if so many others are as near that it is not there, the last one."""
    others = found.graphs != graph
    return FoundGraphs(found.graphs[others][:k], found.distances[others][:k])


def as_table(found: Sequence[FoundGraphs], k: int) -> tuple[FloatArray, IntArray]:
    """Return the neighbors of all queries as arrays (n, k)."""
    distances = np.array([each.distances for each in found], dtype=np.float64).reshape(len(found), k)
    return distances, np.array([each.graphs for each in found], dtype=np.int64).reshape(len(found), k)


def as_matrix(distances: FloatArray, positions: IntArray, mode: GraphMode, include_self: bool) -> csr_array:
    """Return the neighbors (n, k) of all n graphs as a sparse matrix (n, n), sorted by distance in each row."""
    n = len(distances)
    if include_self:
        distances, positions = np.insert(distances, 0, 0.0, axis=1), np.insert(positions, 0, np.arange(n), axis=1)
    values = distances if mode == "distance" else np.ones_like(distances)
    ends = np.arange(n + 1) * positions.shape[1]
    return csr_array((values.ravel(), positions.ravel(), ends), shape=(n, n))


def check_radius(radius: Any) -> float:
    """Return a radius as a float; raise an error unless it is a number of at least 0."""
    if not isinstance(radius, Real):
        raise InputTypeError(f"{{}} must be a number, got {radius!r}", options=[Option("radius")])
    if not float(radius) >= 0:
        raise InputError(f"{{}} must be at least 0, got {radius}", options=[Option("radius")])
    return float(radius)
