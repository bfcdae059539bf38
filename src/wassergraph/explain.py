"""Explain a distance: the optimal transport plan between the nodes of two graphs."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.distances.masses import integer_masses, weighted_total
from wassergraph.distances.scaling import HEADROOM, scale_down, scale_exponent
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.embed import wl_embedding
from wassergraph.embedding.node_embedding import Mass, NodeEmbedding
from wassergraph.embedding.scheme import EdgeLabels, Kind, LabelWeight, Standardize, Unmatched
from wassergraph.errors import InputError, NotSolvedError
from wassergraph.formats.detect import as_batch
from wassergraph.notebook import html_heading, html_note, html_table
from wassergraph.parallel.threads import ThreadEngine
from wassergraph.transport.exact import solve_plan

#: How many moves a notebook shows.
_SHOWN_MOVES = 10
#: Status, sources, sinks and flows.
Solution: TypeAlias = tuple[int, IntArray, IntArray, IntArray]


@dataclass(frozen=True)
class TransportPlan:
    """How the nodes of one graph are moved onto those of another at the least cost.

    Attributes
    ----------
    cost : float
        The total cost: the distance between the two graphs.
    matrix : (n, m) sparse array
        How much mass moves from each node of the first graph to each node of the second. Rows and columns sum to the
        masses of the nodes, less what is unmatched.
    ground : (n, m) floats
        The ground cost: what it costs to move a mass of 1 from one node to another.
    source_unmatched, target_unmatched : (n), (m) floats
        With ``mass="count"``, the mass of each node that has no partner in the other graph; otherwise 0.
    price : float
        What a mass of 1 without a partner costs.
    """

    cost: float
    matrix: csr_array
    ground: FloatArray
    source_unmatched: FloatArray
    target_unmatched: FloatArray
    price: float

    def pairs(self) -> Iterator[tuple[int, int, float, float]]:
        """Iterate over the moves, the most expensive first.

        Yields
        ------
        node, other_node, mass, ground_cost
            A node of the first graph, one of the second, the mass that moves between them, and the cost per mass.
        """
        entries = self.matrix.tocoo()
        moves = zip(*(axis.tolist() for axis in entries.coords), entries.data.tolist(), strict=True)
        listed = [(i, j, mass, float(self.ground[i, j])) for i, j, mass in moves]
        return iter(sorted(listed, key=lambda move: (-move[2] * move[3], move[0], move[1])))

    def _repr_html_(self) -> str:
        moves = list(self.pairs())
        rows = [
            [f"{i}", f"{j}", f"{mass:.4g}", f"{price:.4g}", self._share(mass * price)]
            for i, j, mass, price in moves[:_SHOWN_MOVES]
        ]
        header = ["node of the first graph", "node of the second", "mass", "ground cost", "share of the cost"]
        n, m = self.matrix.shape
        heading = f"Transport plan from {n} to {m} nodes, cost {self.cost:.6g}"
        shown = f"The {len(rows)} most expensive of {len(moves):,} moves. " if moves else ""
        note = html_note(shown + self._unmatched_text())
        return html_heading(heading) + html_table(rows, header=header, numbers=range(5)) + note

    def _unmatched_text(self) -> str:
        """Return a sentence about nodes without a partner, if there are any."""
        left, right = self.source_unmatched.sum(), self.target_unmatched.sum()
        if not left + right:
            return ""
        nodes = f"{left:.4g} of the first graph and {right:.4g} of the second"
        share = self._share((left + right) * self.price)
        return f"Nodes without a partner: {nodes}, at {self.price:.4g} each, {share} of the cost."

    def _share(self, cost: float) -> str:
        return f"{cost / self.cost:.1%}" if self.cost else "–"


def transport_plan(
    graphs: object,
    i: int,
    j: int,
    *,
    depth: int = 3,
    kind: Kind = "auto",
    standardize: Standardize = False,
    isolated: Isolated = "halve",
    label_weight: LabelWeight = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Mass = "share",
    unmatched: Unmatched = "auto",
    weights: ArrayLike | None = None,
) -> TransportPlan:
    """Compute the optimal transport plan between two graphs; its cost is their distance.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader accepts
        The graphs. If attributes are standardized, mean and standard deviation are those of all graphs.
    i, j : int
        The positions of the two graphs, counted from 0.
    depth, kind, standardize, isolated, label_weight, edge_labels, mass, unmatched, weights
        As in :func:`wassergraph.wwl_distances`.

    Returns
    -------
    TransportPlan
        The plan, its cost, and the ground costs.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> plan = wg.transport_plan(graphs, 0, 1, depth=1)
    >>> plan.matrix.shape, round(float(plan.matrix.sum()), 12)
    ((9, 9), 1.0)
    """
    batch = as_batch(graphs)
    i, j = operator.index(i), operator.index(j)
    for position in (i, j):
        if not 0 <= position < len(batch):
            raise IndexError(f"graph {position} is out of range: there are {len(batch)} graphs, counted from 0")
    embedding = wl_embedding(
        batch,
        depth,
        kind=kind,
        standardize=standardize,
        isolated=isolated,
        label_weight=label_weight,
        edge_labels=edge_labels,
        mass=mass,
        unmatched=unmatched,
        weights=weights,
    )
    return _partial_plan(embedding, i, j) if embedding.counted else _optimal_plan(embedding, i, j)


def _optimal_plan(embedding: NodeEmbedding, i: int, j: int) -> TransportPlan:
    ground = ground_costs(embedding, i, j)
    supply, demand = (_masses(embedding, position, max(ground.shape)) for position in (i, j))
    unit = math.lcm(int(supply.sum()), int(demand.sum()))
    sources, sinks, flows = _solve(ground, supply * (unit // supply.sum()), demand * (unit // demand.sum()), (i, j))
    # The sum of scaled costs: those as they are may be too small or too large to be added.
    exponent = _exponent(ground)
    cost = math.ldexp(float(np.sum(np.ldexp(ground, -exponent)[sources, sinks] * flows) / unit), exponent)
    matrix = csr_array((flows / unit, (sources, sinks)), shape=ground.shape)
    return TransportPlan(cost, matrix, ground, np.zeros(ground.shape[0]), np.zeros(ground.shape[1]), 0.0)


def _partial_plan(embedding: NodeEmbedding, i: int, j: int) -> TransportPlan:
    """Match nodes of mass 1; some of the larger graph, and those that cost more than twice the price, stay alone."""
    ground = ground_costs(embedding, i, j)
    price = float(embedding.prices[-1])
    n, m = ground.shape
    # One node more on the smaller side takes what remains of the larger one.
    costs = np.pad(np.minimum(ground, 2 * price), ((0, int(n < m)), (0, int(m < n))), constant_values=price)
    supply, demand = np.ones(costs.shape[0], dtype=np.int64), np.ones(costs.shape[1], dtype=np.int64)
    supply[n:], demand[m:] = m - n, n - m
    sources, sinks, flows = _solve(costs, supply, demand, (i, j))
    real = (sources < n) & (sinks < m)
    matched = real & (np.pad(ground, ((0, 1), (0, 1)))[sources, sinks] <= 2 * price)
    matrix = csr_array((flows[matched].astype(np.float64), (sources[matched], sinks[matched])), shape=ground.shape)
    source_unmatched, target_unmatched = 1.0 - matrix.sum(axis=1), 1.0 - matrix.sum(axis=0)
    cost = float((matrix * ground).sum() + price * (source_unmatched.sum() + target_unmatched.sum()))
    return TransportPlan(cost, matrix, ground, source_unmatched, target_unmatched, price)


def _exponent(costs: FloatArray) -> int:
    """Return the power of two that costs are divided by for the solver, exactly."""
    return math.frexp(costs.max())[1] - HEADROOM


def _solve(
    ground: FloatArray, supply: IntArray, demand: IntArray, graphs: tuple[int, int]
) -> tuple[IntArray, IntArray, IntArray]:
    """Solve one problem on a thread, so that the user can interrupt it: (sources, sinks, flows)."""
    solutions: list[Solution] = []
    n, m = ground.shape
    costs = np.ldexp(ground, -_exponent(ground))

    def work(_: None, stop: Stop) -> Solution:
        status, sources, sinks, flows = solve_plan(n, m, costs.ravel(), supply, demand, 0, stop)
        return status, sources, sinks, flows

    ThreadEngine().run(work, [None], lambda _, solution: solutions.append(solution))
    status, *plan = solutions[0]
    if status < 0:
        raise NotSolvedError(f"the network simplex found no plan for the graphs {graphs[0]} and {graphs[1]}", graphs)
    return plan[0], plan[1], plan[2]


def ground_costs(embedding: NodeEmbedding, i: int, j: int) -> FloatArray:
    """Compute the ground costs between the nodes of two embedded graphs (n, m)."""
    one, two = (slice(embedding.ptr[g], embedding.ptr[g + 1]) for g in (i, j))
    hamming: Any = 0.0
    if embedding.codes is not None:
        hamming = (embedding.codes[:, one, None] != embedding.codes[:, None, two]).mean(axis=0)
    if embedding.points is None:
        return np.asarray(hamming)
    # Points are divided by a power of two, exactly, so that the squares of very large or small ones stay in range.
    exponent = scale_exponent([embedding])
    points = scale_down(embedding.points, exponent)
    with np.errstate(over="ignore", under="ignore"):
        if embedding.codes is None:
            return _finite(np.ldexp(cdist(points[one], points[two]), exponent), i, j)
        share = embedding.label_weight
        euclidean = (1 - share) * cdist(points[one], points[two]) / np.sqrt(points.shape[1])
        return _finite(share * hamming + np.ldexp(euclidean, exponent), i, j)


def _finite(ground: FloatArray, i: int, j: int) -> FloatArray:
    if not np.isfinite(ground).all():
        problem = f"the ground costs between the graphs {i} and {j} are too large for float64"
        raise InputError(problem, remedy="scale the attributes down")
    return ground


def _masses(embedding: NodeEmbedding, graph: int, largest: int) -> IntArray:
    nodes = slice(embedding.ptr[graph], embedding.ptr[graph + 1])
    size = nodes.stop - nodes.start
    if embedding.weights is None:
        return np.ones(size, dtype=np.int64)
    return integer_masses(embedding.weights[nodes], np.array([0, size]), weighted_total(largest))
