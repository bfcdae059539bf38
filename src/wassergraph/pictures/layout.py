"""Places for the nodes of a graph in the plane."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch

#: Successive multiples of this angle are directions that are far from each other.
GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def stress_layout(graph: GraphBatch, *, iterations: int = 200) -> FloatArray:
    """Compute places for the nodes of one graph, so that distances in the plane approximate those in the graph.

    Nodes that have positions are placed there.

    This is stress majorization (SMACOF) of the lengths of shortest paths, which starts from classical scaling.
    Components that are not connected are placed next to each other.

    Parameters
    ----------
    graph : GraphBatch
        One graph.
    iterations : int
        The number of steps.

    Returns
    -------
    (n_nodes, 2) floats
        The places, with the mean at the origin.
    """
    given = given_places(graph)
    if given is not None:
        return given
    n = graph.n_nodes
    distances: FloatArray = shortest_path(graph.adjacency(), unweighted=True, directed=False)
    finite = np.isfinite(distances)
    distances[~finite] = distances[finite].max(initial=0) + 1
    points = _classical_scaling(distances)
    weights = np.divide(1.0, distances**2, out=np.zeros_like(distances), where=distances > 0)
    laplacian = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(iterations if n > 1 else 0):
        lengths = cdist(points, points)
        ratio = weights * np.divide(distances, lengths, out=np.zeros_like(lengths), where=lengths > 1e-12)
        # Matrices meet only the two columns of places: a product of two matrices would take cubic time in every step.
        points = laplacian @ (ratio.sum(axis=1)[:, None] * points - ratio @ points)
    return np.asarray(points - points.mean(axis=0))


def given_places(graph: GraphBatch) -> FloatArray | None:
    """Return the positions of the nodes of one graph in the plane, with edges of length 1 on average.

    Positions in space are seen from where they spread most.

    Returns
    -------
    (n_nodes, 2) floats or None
        The places, with the mean at the origin; None if the nodes have no positions.
    """
    if graph.node_positions is None:
        return None
    points = graph.node_positions - graph.node_positions.mean(axis=0)
    if points.shape[1] == 3:
        points = points @ np.linalg.svd(points, full_matrices=False)[2][:2].T if len(points) > 2 else points[:, :2]
    lengths = np.linalg.norm(points[graph.arc_tails] - points[graph.indices], axis=1)
    unit = float(lengths.mean()) if lengths.any() else float(np.abs(points).max())
    return np.asarray(points / unit if unit > 0 else points)


def _classical_scaling(distances: FloatArray) -> FloatArray:
    """Return places (n, 2) from the two leading eigenvectors of the centered squared distances."""
    n = len(distances)
    centering = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centering @ distances**2 @ centering)
    leading = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    return start_places(leading, 0.01, 2 * np.pi * np.arange(n) / n)


def start_places(leading: FloatArray, apart: float, angles: FloatArray) -> FloatArray:
    """Return places (n, 2) from one or two leading coordinates in increasing order, displaced in these directions.

    Nodes with equal distances to all others, such as the leaves of a star, must not start at the same place: no step
    that reduces the stress would part them.
    """
    points = np.zeros((len(leading), 2))
    points[:, : leading.shape[1]] = leading[:, ::-1]
    return np.asarray(points + apart * np.column_stack([np.cos(angles), np.sin(angles)]))


def spread(points: FloatArray) -> float:
    """Return the root mean square of the distances of points from their mean."""
    return float(np.sqrt(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=1))))
