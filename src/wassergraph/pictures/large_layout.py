"""Places for the nodes of large graphs, in time and memory that are nearly proportional to nodes and edges.

Distances are computed from a few nodes only, the pivots, which are far from each other. Classical scaling of these
distances (pivot MDS of Brandes and Pich, 2007) gives first places; then the stress of edges and of distances to pivots
is reduced, where a pivot stands for the nodes around it (the sparse stress model of Ortmann, Klimenta and Brandes,
2017).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.layout import GOLDEN_ANGLE, given_places, spread, start_places, stress_layout

#: Up to this number of nodes all distances in the graph are computed.
MAX_ALL_DISTANCES = 300
#: The number of pivots, of other nodes that each node is kept apart from, and of steps that reduce the stress.
_PIVOTS, _OTHERS, _STEPS = 40, 8, 80
#: The weight of keeping nodes apart: the distances are estimates.
_APART = 0.2
#: The distance between components.
_GAP = 1.5


def place_nodes(graph: GraphBatch) -> FloatArray:
    """Compute places for the nodes of one graph of any size; the same graph always gets the same places.

    Parameters
    ----------
    graph : GraphBatch
        One graph.

    Returns
    -------
    (n_nodes, 2) floats
        The places, with the mean at the origin. They are the positions that the nodes have, if they have any; of up to
        300 nodes, those of the stress layout.
    """
    given = given_places(graph)
    if given is not None:
        return given
    if graph.n_nodes <= MAX_ALL_DISTANCES:
        return stress_layout(graph)
    adjacency = graph.adjacency()
    n_parts, part = connected_components(adjacency, directed=False)
    members = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part, minlength=n_parts))[:-1])
    places = [pivot_layout(csr_array(adjacency[nodes][:, nodes])) if len(nodes) > 1 else ORIGIN for nodes in members]
    points = np.empty((graph.n_nodes, 2))
    for nodes, corner, each in zip(members, _pack(places), places, strict=True):
        points[nodes] = each - each.min(axis=0) + corner
    return np.asarray(points - points.mean(axis=0))


#: The place of a node that is alone.
ORIGIN = np.zeros((1, 2))


def pivot_layout(adjacency: csr_array) -> FloatArray:
    """Compute places for the nodes of a connected graph from their distances to a few of them.

    Parameters
    ----------
    adjacency : (n, n) sparse array
        The edges; their weights do not matter.

    Returns
    -------
    (n, 2) floats
        The places.
    """
    pivots, distances = _choose_pivots(adjacency)
    points = _pivot_scaling(distances)
    terms = _Terms.of(adjacency, pivots, distances)
    for _ in range(_STEPS):
        points = terms.step(points)
    return points


def _choose_pivots(adjacency: csr_array) -> tuple[IntArray, FloatArray]:
    """Return pivots (k) and the distances from them (k, n).

    The first has the most neighbors; each of the others is as far as possible from those before it.
    """
    pivots: list[int] = []
    rows: list[FloatArray] = []
    nearest = np.diff(adjacency.indptr).astype(np.float64)
    while len(pivots) < _PIVOTS and nearest.any():
        pivots.append(int(np.argmax(nearest)))
        rows.append(dijkstra(adjacency, directed=False, indices=pivots[-1], unweighted=True))
        nearest = np.minimum(nearest, rows[-1]) if len(rows) > 1 else rows[0]
    return np.array(pivots), np.array(rows)


def _pivot_scaling(distances: FloatArray) -> FloatArray:
    """Return places (n, 2) by classical scaling of distances from pivots (k, n)."""
    squares = distances.T**2
    centered = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    vectors = np.linalg.eigh(centered.T @ centered)[1]
    leading = centered @ vectors[:, -2:]
    leading *= np.sqrt(np.mean(squares) / 2) / max(spread(leading), 1e-12)
    return start_places(leading, 0.1, GOLDEN_ANGLE * np.arange(len(leading)))


class _Terms(NamedTuple):
    """The terms of the stress: pairs of nodes, how far apart they should be, and the weights of pairs and of nodes."""

    one: IntArray
    two: IntArray
    lengths: FloatArray
    weights: FloatArray
    totals: FloatArray

    @classmethod
    def of(cls, adjacency: csr_array, pivots: IntArray, distances: FloatArray) -> _Terms:
        """Return a term of every edge, of every pair of a pivot and another node, and of a few other pairs."""
        edges = adjacency.tocoo()
        once = edges.coords[0] < edges.coords[1]
        k, n = distances.shape
        one, two, lengths = _other_pairs(distances)
        parts = [
            (edges.coords[0][once], edges.coords[1][once], np.ones(once.sum()), np.ones(once.sum())),
            (np.tile(np.arange(n), k), np.repeat(pivots, n), distances.ravel(), _represented(distances).ravel()),
            (one, two, lengths, np.full(len(one), _APART * n / _OTHERS)),
        ]
        one, two = (np.concatenate([part[end] for part in parts]).astype(np.int64) for end in (0, 1))
        lengths, shares = (np.concatenate([part[place] for part in parts]) for place in (2, 3))
        weights = np.divide(shares, lengths**2, out=np.zeros_like(lengths), where=lengths > 0)
        totals = np.bincount(one, weights, minlength=n) + np.bincount(two, weights, minlength=n)
        return cls(one, two, lengths, weights, np.asarray(totals, dtype=np.float64))

    def step(self, points: FloatArray) -> FloatArray:
        """Return places with less stress: a step of half the length that would be best if other nodes did not move."""
        apart = points[self.one] - points[self.two]
        found = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        stretch = self.weights * (1 - np.divide(self.lengths, found, out=np.zeros_like(found), where=found > 1e-12))
        pull = stretch[:, None] * apart
        n = len(points)
        forces = [np.bincount(self.one, part, n) - np.bincount(self.two, part, n) for part in pull.T]
        return np.asarray(points - 0.5 * np.column_stack(forces) / self.totals[:, None])


def _other_pairs(distances: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return pairs of nodes spread over the graph, and estimates of their distances.

    The distance is at least the difference, and at most the sum, of those from any pivot; the estimate is in the middle
    between the tightest of these bounds. Without such pairs, all nodes that are equally far from the pivots would be at
    the same place.
    """
    n = distances.shape[1]
    shifts = (n * ((np.sqrt(5) - 1) / 2 * np.arange(1, _OTHERS + 1) % 1)).astype(np.int64)
    one = np.tile(np.arange(n), _OTHERS)
    two = (one + np.repeat(shifts, n)) % n
    bounds = np.zeros(len(one)), np.full(len(one), np.inf)
    for row in distances:
        np.maximum(bounds[0], np.abs(row[one] - row[two]), out=bounds[0])
        np.minimum(bounds[1], row[one] + row[two], out=bounds[1])
    return one, two, np.where(one == two, 0.0, (bounds[0] + bounds[1]) / 2)


def _represented(distances: FloatArray) -> FloatArray:
    """Return for each pivot and node (k, n) how many nodes near the pivot it stands for, as seen from that node.

    These are nodes of its region, where it is the nearest pivot, that are at most half as far from it.
    """
    nearest = np.argmin(distances, axis=0)
    regions = [np.sort(row[nearest == pivot]) for pivot, row in enumerate(distances)]
    counts = [np.searchsorted(region, row / 2, side="right") for region, row in zip(regions, distances, strict=True)]
    return np.maximum(np.array(counts, dtype=np.float64), 1.0)


def _pack(places: list[FloatArray]) -> FloatArray:
    """Return the corner of each component (k, 2), in rows from the largest one to the smallest."""
    sizes = np.array([np.ptp(each, axis=0) + _GAP for each in places])
    page = max(float(np.sqrt(np.prod(sizes, axis=1).sum())), float(sizes[:, 0].max()))
    corners = np.zeros_like(sizes)
    x = y = height = 0.0
    for i in np.lexsort((np.arange(len(sizes)), -sizes[:, 1])):
        if x and x + sizes[i, 0] > page:
            x, y, height = 0.0, y + height, 0.0
        corners[i] = x, y
        x, height = x + sizes[i, 0], max(height, sizes[i, 1])
    return corners
