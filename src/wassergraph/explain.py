"""Why two graphs are as far apart as they are: the optimal plan between their nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from wassergraph.blocks import NotSolvedError, integer_masses
from wassergraph.embedding import Isolated, Kind, NodeEmbedding, wl_embedding
from wassergraph.graphs import FloatArray, GraphBatch


@dataclass(frozen=True)
class TransportPlan:
    """How the nodes of one graph are moved onto those of another at the least cost.

    Attributes
    ----------
    cost : float
        The total cost: the distance of the two graphs.
    matrix : (n, m) sparse array
        How much mass moves from each node of the first graph to each node of the second; rows and columns sum to the
        masses of the nodes.
    ground : (n, m) floats
        What it costs to move a mass of 1 from one node to another.
    """

    cost: float
    matrix: csr_array
    ground: FloatArray

    def pairs(self) -> Iterator[tuple[int, int, float, float]]:
        """Give the moves, the most expensive first: node, other node, mass, distance."""
        entries = self.matrix.tocoo()
        moves = zip(*(axis.tolist() for axis in entries.coords), entries.data.tolist(), strict=True)
        listed = [(i, j, mass, float(self.ground[i, j])) for i, j, mass in moves]
        return iter(sorted(listed, key=lambda move: (-move[2] * move[3], move[0], move[1])))


def transport_plan(
    graphs: GraphBatch,
    i: int,
    j: int,
    *,
    depth: int = 3,
    kind: Kind = "auto",
    standardise: bool = False,
    isolated: Isolated = "halve",
    label_weight: float = 0.5,
    weights: ArrayLike | None = None,
) -> TransportPlan:
    """Give the optimal plan between the graphs i and j of a batch; its cost is their distance.

    The parameters are those of :func:`wassergraph.wwl_distances`; attributes are scaled by all graphs of the batch.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> plan = wg.transport_plan(graphs, 0, 1, depth=1)
    >>> plan.matrix.shape, round(float(plan.matrix.sum()), 12)
    ((9, 9), 1.0)
    """
    from wassergraph.transport.exact import solve_plan

    for position in (i, j):
        if not 0 <= position < len(graphs):
            raise IndexError(f"graph {position} is out of range: there are {len(graphs)} graphs")
    embedding = wl_embedding(
        graphs,
        depth,
        kind=kind,
        standardise=standardise,
        isolated=isolated,
        label_weight=label_weight,
        weights=weights,
    )
    ground = ground_distances(embedding, i, j)
    n, m = ground.shape
    supply, demand = (_masses(embedding, position) for position in (i, j))
    unit = math.lcm(int(supply.sum()), int(demand.sum()))
    scaled = supply * (unit // supply.sum()), demand * (unit // demand.sum())
    stop = np.zeros(1, dtype=np.bool_)
    status, sources, sinks, flows = solve_plan(n, m, ground.ravel(), *scaled, 0, stop)
    if status < 0:
        raise NotSolvedError(f"no plan was found for the graphs {i} and {j}")
    cost = float(np.sum(ground[sources, sinks] * flows) / unit)
    return TransportPlan(cost, csr_array((flows / unit, (sources, sinks)), shape=(n, m)), ground)


def ground_distances(embedding: NodeEmbedding, i: int, j: int) -> FloatArray:
    """Give the distances between the nodes of two embedded graphs (n, m)."""
    one, two = (slice(embedding.ptr[g], embedding.ptr[g + 1]) for g in (i, j))
    hamming: Any = 0.0
    if embedding.codes is not None:
        hamming = (embedding.codes[:, one, None] != embedding.codes[:, None, two]).mean(axis=0)
    if embedding.points is None:
        return np.asarray(hamming)
    euclidean = cdist(embedding.points[one], embedding.points[two])
    if embedding.codes is None:
        return np.asarray(euclidean)
    share = embedding.label_weight
    return np.asarray(share * hamming + (1 - share) * euclidean / np.sqrt(embedding.points.shape[1]))


def _masses(embedding: NodeEmbedding, graph: int) -> Any:
    nodes = slice(embedding.ptr[graph], embedding.ptr[graph + 1])
    size = nodes.stop - nodes.start
    if embedding.weights is None:
        return np.ones(size, dtype=np.int64)
    return integer_masses(embedding.weights[nodes], np.array([0, size]))
