"""The graphs that a search is to find, and those that it has found for one query, sorted."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option


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


def all_solved(n_distances: int) -> IntArray:
    """Return how often each of the outcomes is if no distance is spared."""
    return np.array([n_distances if outcome == "solved" else 0 for outcome in OUTCOMES], dtype=np.int64)


def check_radius(radius: Any) -> float:
    """Return a radius as a float; raise an error unless it is a number of at least 0."""
    if not isinstance(radius, Real):
        raise InputTypeError(f"{{}} must be a number, got {radius!r}", options=[Option("radius")])
    if not float(radius) >= 0:
        raise InputError(f"{{}} must be at least 0, got {radius}", options=[Option("radius")])
    return float(radius)
