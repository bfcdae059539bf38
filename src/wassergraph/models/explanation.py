"""Explanation: which training graphs and which nodes a prediction is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.explain.node_names import node_names
from wassergraph.graphs.batch import GraphBatch
from wassergraph.models.equal_training import EqualGraphs
from wassergraph.notebook import aligned, html_heading, html_note, html_table

#: How many groups of equal training graphs, and how many nodes, a table shows.
_SHOWN_GROUPS, _SHOWN_NODES = 5, 10


#: What is said of a graph at distance 0 from a training graph.
_NO_TEST = "The model cannot tell this graph from a training graph: what is predicted for it is not a test."


@dataclass(frozen=True, eq=False)
class Explanation:
    """The parts of a prediction: the contributions of training graphs, and the scores of nodes.

    A model predicts ``f(G) = b + sum_s c_s k_s`` with ``k_s = exp(-gamma D(G, G_s))``, or a power of D: the decision
    between two classes, or a number. The *contribution* of the training graph ``G_s`` is ``c_s (k_s - k)``, where k is
    the mean of ``k_s`` over all training graphs with a coefficient that is not 0: what it adds because ``G`` is more,
    or less, similar to it than to others. What all have in common, ``k sum_s c_s``, belongs to the *base*; of an SVM it
    is 0, unless negative eigenvalues are flipped.

    With an optimal transport plan between ``G`` and ``G_s``, the distance is a sum over the nodes i of ``G``:
    ``D(G, G_s) = sum_i d_i(s)``, what the moves of this node cost (``TransportPlan.source_costs``). What belongs to
    no node is shared equally by all: with ``mass="count"``, the cost of nodes of ``G_s`` without a partner, and with
    ``size_weight``, that of the difference in size. Because ``c_s k_s = c_s - c_s (1 - k_s)``, the *score* of one of n
    nodes is::

        score_i = (b + sum_s c_s) / n - sum_s c_s (1 - k_s) d_i(s) / D(G, G_s)

    Terms with ``D = 0`` are 0. Of a model with columns, D is the distance with them, and their part of it goes
    to the columns, in proportion to their squared differences. The sum of all scores, of nodes and of columns, is
    ``f(G)``. Nodes that are embedded alike have the same score: of the plans that differ by an exchange of such nodes,
    which cost the same, the mean is taken.

    Attributes
    ----------
    value : float
        What is explained: the decision between two classes, positive for the first, or the predicted number.
    classes : (class, class) or None
        The two classes, that which scores speak for and that which they speak against; None for a number.
    base : float
        The value of a graph that is as similar to every training graph as this one is on average, ``b + k sum_s c_s``:
        with all contributions, the value.
    node_base : float
        The value of a graph at the distance 0 from all training graphs, ``b + sum_s c_s``, of which every node has an
        equal share.
    positions : (n_deciding) integers
        The training graphs with a coefficient that is not 0, as positions in ``model.graphs_``; those with the
        largest absolute contribution first.
    names : (n_deciding) array of str
        Their names.
    targets : (n_deciding) array or None
        Their classes or numbers; None in models of earlier versions.
    distances, contributions : (n_deciding) floats
        The distances D of the graph to them, and their contributions.
    shares : (n_deciding) floats
        Their shares in the sum of all absolute contributions.
    groups : tuple of EqualGraphs
        The same training graphs, in groups of equal ones, at distance 0 from each other, with the sums of their
        contributions and the shares of these; the largest absolute sum first. Equal graphs of different classes may
        have large contributions that cancel; only the sum counts.
    node_scores : (n_nodes) floats
        The score of every node; with those of columns, the sum is ``value``.
    graph : GraphBatch
        The graph.
    unseen : str
        Its labels that no training graph has, such as "Fe"; the model has learned nothing about them. Empty if there
        are none.
    training_row : bool or None
        Whether it is at distance 0 from a training graph, so that the model cannot tell them apart, and its prediction
        is not a test; None if the model was saved by an earlier version and does not know.
    target_name : str or None
        What is predicted, such as "pEC50 (nM)", if the model knows.
    column_names : tuple of str
        The columns beside the graph, if the model was trained with some.
    column_scores : (n_columns) floats
        The score of every column.
    column_share : float
        The share of columns in what the distances to the training graphs take away: the mean of their part of each
        distance, weighted by ``abs(c_s (1 - k_s))``.
    headline : str
        The value, and what it is, in a few words.

    See Also
    --------
    plot.draw_explanation : draw the scores of the nodes
    GraphClassifier : its method ``explain`` explains a decision
    GraphRegressor : its method ``explain`` explains a number
    TransportPlan : what moves between two graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> model = wg.GraphClassifier(wg.WWL(depth=1, kind="joint"), gamma=1.0, C=10.0).fit(graphs[:40], y[:40])
    >>> explanation = model.explain(graphs[40])
    >>> bool(abs(explanation.node_scores.sum() - explanation.value) < 1e-9)
    True
    """

    value: float
    classes: tuple[Any, Any] | None
    base: float
    node_base: float
    positions: IntArray
    names: NDArray[Any]
    targets: NDArray[Any] | None
    distances: FloatArray
    contributions: FloatArray
    shares: FloatArray
    groups: tuple[EqualGraphs, ...]
    node_scores: FloatArray
    graph: GraphBatch
    unseen: str
    training_row: bool | None
    target_name: str | None
    column_names: tuple[str, ...] = ()
    column_scores: FloatArray = field(default_factory=lambda: np.zeros(0))
    column_share: float = 0.0

    @property
    def headline(self) -> str:
        """The value, and what it is, in a few words."""
        what = f"predicted {self._number_name}"
        if self.classes is not None:
            what = f"class {self.classes[0]} against {self.classes[1]}: decision"
        return f"{what} {self.value:.4g}{' (training graph)' if self.training_row else ''}"

    @property
    def _number_name(self) -> str:
        return self.target_name or "number"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the graph in a form that can be written as JSON.

        Returns
        -------
        dict
            Numbers in full precision; training graphs, and groups of equal ones, as lists of dictionaries, the largest
            contribution first.
        """
        targets = [None] * len(self.names) if self.targets is None else self.targets.tolist()
        columns = {
            "position": self.positions.tolist(),
            "name": self.names.tolist(),
            "target": targets,
            "distance": self.distances.tolist(),
            "contribution": self.contributions.tolist(),
            "share": self.shares.tolist(),
        }
        return {
            "target_name": self.target_name,
            "value": self.value,
            "classes": None if self.classes is None else list(self.classes),
            "base": self.base,
            "node_base": self.node_base,
            "unseen": self.unseen,
            "training_row": self.training_row,
            "groups": [group.to_dict() for group in self.groups],
            "training_graphs": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
            "node_scores": self.node_scores.tolist(),
            **self._columns_dict(),
        }

    def _columns_dict(self) -> dict[str, Any]:
        if not self.column_names:
            return {}
        scores = zip(self.column_names, self.column_scores.tolist(), strict=True)
        return {"columns": dict(scores), "column_share": self.column_share}

    def __str__(self) -> str:
        tables = [
            "\n".join(aligned([header, *rows], range(1, len(header))))
            for header, rows in (self._graph_table(), self._node_table(), *self._column_tables())
        ]
        return "\n\n".join([f"{self.headline[0].upper()}{self.headline[1:]}", *tables, "\n".join(self._notes())])

    def _repr_html_(self) -> str:
        (graph_header, graph_rows), (node_header, node_rows) = self._graph_table(), self._node_table()
        return (
            html_heading(f"{self.headline[0].upper()}{self.headline[1:]}")
            + html_table(graph_rows, header=graph_header, numbers=range(2, 5))
            + html_table(node_rows, header=node_header, numbers=range(1, 2))
            + "".join(html_table(rows, header=header, numbers=range(1, 2)) for header, rows in self._column_tables())
            + "".join(map(html_note, self._notes()))
        )

    def _graph_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the rows of the table of training graphs: their contributions sum to the value."""
        numbers = self.classes is None
        rows = [
            [group.title, group.target_text(numbers=numbers), f"{group.distance:.4g}", *_amounts([group])]
            for group in self.groups[:_SHOWN_GROUPS]
        ]
        left = self.groups[_SHOWN_GROUPS:]
        if left:
            n_left = sum(len(group.positions) for group in left)
            rows.append([f"{n_left:,} other training graph{'' if n_left == 1 else 's'}", "", "", *_amounts(left)])
        rows.append(["base", "", "", f"{self.base:+.4g}", ""])
        return ["training graph", self._number_name if numbers else "class", "distance", "contribution", "share"], rows

    def _node_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the rows of the table of nodes, those with the largest absolute scores first."""
        names, order = node_names(self.graph), np.argsort(-np.abs(self.node_scores), kind="stable")
        rows = [[names[node], f"{self.node_scores[node]:+.4g}"] for node in order[:_SHOWN_NODES]]
        return ["atom" if self.graph.molecules else "node", "score"], rows

    def _column_tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return the header and the rows of the table of columns, the largest absolute scores first; none without."""
        if not self.column_names:
            return []
        order = np.argsort(-np.abs(self.column_scores), kind="stable")
        rows = [[self.column_names[k], f"{self.column_scores[k]:+.4g}"] for k in order[:_SHOWN_NODES]]
        left = order[_SHOWN_NODES:]
        if len(left):
            rows.append([f"{len(left):,} other columns", f"{self.column_scores[left].sum():+.4g}"])
        return [(["column", "score"], rows)]

    def _notes(self) -> list[str]:
        """Return sentences that say what the tables leave out."""
        n_nodes = self.graph.n_nodes
        noun = "atoms" if self.graph.molecules else "nodes"
        equal = any(len(group.positions) > 1 for group in self.groups[:_SHOWN_GROUPS])
        together = " Equal training graphs, which the model cannot tell apart, are one row." if equal else ""
        unseen = f"No training graph has {self.unseen}: this graph is outside the domain of the model."
        return [
            *([_NO_TEST] if self.training_row else []),
            *([unseen] if self.unseen else []),
            "All contributions, with the base, sum to the value. A training graph contributes by being more, or less, "
            f"similar than the mean.{together}",
            f"{min(n_nodes, _SHOWN_NODES)} of {n_nodes:,} {noun}; all scores sum to the value"
            + (f", with those of columns, {self.column_scores.sum():+.4g}." if self.column_names else "."),
            *([f"Columns are {self.column_share:.1%} of the distances that count."] if self.column_names else []),
        ]


def _amounts(groups: Sequence[EqualGraphs]) -> list[str]:
    """Return the net contribution of groups, and their share, as text."""
    return [f"{sum(group.contribution for group in groups):+.4g}", f"{sum(group.share for group in groups):.1%}"]
