"""What was found for many queries, as tables and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.search.neighbors import FoundGraphs

#: What the entries of a matrix of neighbors are: distances, or ones.
GraphMode: TypeAlias = Literal["distance", "connectivity"]


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
