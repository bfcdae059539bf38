"""TransportPlan: how the nodes of one graph are moved onto those of another, and what it costs where."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray
from wassergraph.explain.node_names import node_names
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import stereo_labels, stereo_vocabulary
from wassergraph.notebook import html_heading, html_note, html_table

#: The name of a label, or the label itself; None for nodes without labels, or without a partner.
LabelKey: TypeAlias = str | int | None
#: How many moves a table shows.
_SHOWN_MOVES = 10


@dataclass(frozen=True, eq=False)
class TransportPlan:
    """The cheapest way to move the nodes of one graph onto those of another.

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
    depth_costs : (depth + 1) floats
        The cost of the moves by Weisfeiler–Lehman iteration: that of labels that differ after so many iterations, and
        that of attributes, which is shared among iterations in proportion to their squared differences. The sum, with
        that of nodes without a partner, is the cost.
    source_potentials, target_potentials : (n), (m) floats
        The solution of the dual problem, which proves that no plan costs less. For no pair of nodes the sum of their
        potentials exceeds the ground cost (or, with counts, twice the price), up to rounding; the sum of potentials
        times masses is the cost.
    source, target : GraphBatch
        The two graphs; of molecules, with their stereochemistry if it was compared.
    move_costs : (n, m) sparse array
        The cost of every move: mass times ground cost.
    source_costs, target_costs : (n), (m) floats
        The cost by node of the first graph, and of the second, each with the sum ``cost``. A node pays for its moves,
        and for itself if it has no partner; what nodes of the other graph without a partner cost is shared equally.
    unmatched_cost : float
        The cost of nodes without a partner.

    See Also
    --------
    transport_plan : compute a plan
    plot.draw_plan : draw it
    plot.draw_hits : draw several plans from one graph
    Explanation : predictions that are explained by plans

    Examples
    --------
    >>> import wassergraph as wg
    >>> plan = wg.transport_plan("CCO", "CCN", metric=wg.WWL(depth=0, kind="categorical"))
    >>> round(plan.cost, 3), plan.matrix.shape
    (0.333, (3, 3))
    >>> {labels: round(cost, 3) for labels, cost in plan.label_costs().items() if cost}  # oxygen becomes nitrogen
    {('O', 'N'): 0.333}
    """

    cost: float
    matrix: csr_array
    ground: FloatArray
    source_unmatched: FloatArray
    target_unmatched: FloatArray
    price: float
    depth_costs: FloatArray
    source_potentials: FloatArray
    target_potentials: FloatArray
    source: GraphBatch
    target: GraphBatch

    @property
    def move_costs(self) -> csr_array:
        """The cost of every move (n, m): mass times ground cost."""
        return csr_array(self.matrix * self.ground)

    @property
    def unmatched_cost(self) -> float:
        """The cost of nodes without a partner."""
        return float(self.price * (self.source_unmatched.sum() + self.target_unmatched.sum()))

    @property
    def source_costs(self) -> FloatArray:
        """The cost by node of the first graph (n), with the sum ``cost``.

        A node pays for its moves, and for itself if it has no partner. What nodes of the other graph without a partner
        cost is shared equally by all nodes of this graph.
        """
        return self._node_costs(1, self.source_unmatched, self.target_unmatched)

    @property
    def target_costs(self) -> FloatArray:
        """The cost by node of the second graph (m), with the sum ``cost``: see ``source_costs``."""
        return self._node_costs(0, self.target_unmatched, self.source_unmatched)

    def _node_costs(self, axis: int, own: FloatArray, others: FloatArray) -> FloatArray:
        moved = np.asarray(self.move_costs.sum(axis=axis), dtype=np.float64)
        return np.asarray(moved + self.price * (own + others.sum() / len(own)))

    def label_costs(self) -> dict[tuple[LabelKey, LabelKey], float]:
        """Return the cost by the labels of the nodes between which mass moves, the most expensive first.

        Returns
        -------
        dict of float
            By pairs of node labels, of the first graph and of the second: their names, or the labels themselves if they
            have none; None for nodes without a partner, and for all nodes of graphs without labels. The sum is the
            cost.
        """
        moves = self.move_costs.tocoo()
        source, target = (_labels(graph) for graph in (self.source, self.target))
        costs: defaultdict[tuple[LabelKey, LabelKey], float] = defaultdict(float)
        for i, j, cost in zip(*moves.coords, moves.data.tolist(), strict=True):
            costs[source[i], target[j]] += cost
        for i in np.flatnonzero(self.source_unmatched):
            costs[source[i], None] += float(self.price * self.source_unmatched[i])
        for j in np.flatnonzero(self.target_unmatched):
            costs[None, target[j]] += float(self.price * self.target_unmatched[j])
        return dict(sorted(costs.items(), key=lambda item: -item[1]))

    def pairs(self) -> Iterator[tuple[int, int, float, float]]:
        """Iterate over the moves, the most expensive first.

        Yields
        ------
        node, other_node, mass, ground_cost : int, int, float, float
            A node of the first graph, one of the second, the mass that moves between them, and the cost per mass.

        Examples
        --------
        >>> import wassergraph as wg
        >>> plan = wg.transport_plan("CCO", "CCN", metric=wg.WWL(depth=0, kind="categorical"))
        >>> node, other_node, mass, ground_cost = next(plan.pairs())
        >>> node, other_node, round(mass, 3), ground_cost
        (2, 2, 0.333, 1.0)
        """
        entries = self.matrix.tocoo()
        moves = zip(*(axis.tolist() for axis in entries.coords), entries.data.tolist(), strict=True)
        listed = [(i, j, mass, float(self.ground[i, j])) for i, j, mass in moves]
        return iter(sorted(listed, key=lambda move: (-move[2] * move[3], move[0], move[1])))

    def _repr_html_(self) -> str:
        moves = list(self.pairs())
        rows = move_rows(self, moves)
        header = ["node of the first graph", "node of the second", "mass", "ground cost", "share of the cost"]
        n, m = self.matrix.shape
        heading = f"Transport plan from {n} to {m} nodes, cost {self.cost:.6g}"
        shown = f"The {len(rows)} most expensive of {len(moves):,} moves. " if moves else ""
        note = html_note(shown + self._unmatched_text())
        return html_heading(heading) + html_table(rows, header=header, numbers=range(2, 5)) + note

    def _unmatched_text(self) -> str:
        """Return a sentence about nodes without a partner, if there are any."""
        left, right = self.source_unmatched.sum(), self.target_unmatched.sum()
        if not left + right:
            return ""
        nodes = f"{left:.4g} of the first graph and {right:.4g} of the second"
        share = f"{self.unmatched_cost / self.cost:.1%}" if self.cost else "–"
        return f"Nodes without a partner: {nodes}, at {self.price:.4g} each, {share} of the cost."


def _labels(graph: GraphBatch) -> list[LabelKey]:
    if graph.node_labels is None:
        return [None] * graph.n_nodes
    return list(map(stereo_vocabulary(graph).node_label_key, stereo_labels(graph).tolist()))


def move_rows(plan: TransportPlan, moves: Iterable[tuple[int, int, float, float]]) -> list[list[str]]:
    """Return the first rows of a table of moves: both nodes, the mass, its ground cost, and the share of the cost."""
    source, target = node_names(plan.source), node_names(plan.target)
    return [
        [source[i], target[j], f"{mass:.4g}", f"{price:.4g}", f"{mass * price / plan.cost:.1%}" if plan.cost else "–"]
        for i, j, mass, price in itertools.islice(moves, _SHOWN_MOVES)
    ]
