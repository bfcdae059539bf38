"""Neighbors: the graphs that a search has found for one query, sorted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wassergraph.arrays import FloatArray, IntArray


class Wanted(NamedTuple):
    """What is sought: at most ``k`` graphs, at a distance of at most ``radius``."""

    k: int
    radius: float = np.inf


class Neighbors(NamedTuple):
    """The graphs that were found, in the order of their distances; of equal distances, in the order of the index."""

    graphs: IntArray
    distances: FloatArray


#: The names of what settled graphs, in the order of core/library.hpp.
SETTLED = ("vectors", "image", "abandoned", "solved")


def nearest(graphs: IntArray, distances: FloatArray, wanted: Wanted) -> Neighbors:
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
    Neighbors
    """
    inside = distances <= wanted.radius
    graphs, distances = graphs[inside], distances[inside]
    if wanted.k < len(distances):  # most are left out before the rest is sorted
        kept = distances <= np.partition(distances, wanted.k - 1)[wanted.k - 1]
        graphs, distances = graphs[kept], distances[kept]
    order = np.lexsort((graphs, distances))[: wanted.k]
    return Neighbors(graphs[order], distances[order])
