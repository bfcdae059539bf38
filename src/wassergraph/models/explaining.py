"""Compute explanations: one new graph is compared with training graphs, and the costs of plans become node scores.

graph ──▶ Comparison (embedded once, distances) ──the model's coefficients──▶ plans ──▶ Explanation
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.explain.transport import plan_of
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import as_compared
from wassergraph.learners.svm.multiclass import class_pairs
from wassergraph.metrics.embed import embed_new
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.models.column_term import TrainingColumns
from wassergraph.models.equal_training import sum_of_equals
from wassergraph.models.explanation import Explanation
from wassergraph.models.training_graphs import TrainingGraphs
from wassergraph.pairwise.api import embedding_distances
from wassergraph.parallel.progress import Progress
from wassergraph.scores.classes import class_name

#: Attributes of two nodes are alike if they differ by less than this share of the largest attribute.
_ALIKE = 1e-9


class KernelSum(NamedTuple):
    """A function of graphs, b + Σ c_s exp(-gamma D(G, G_s)^power), and its value for one graph.

    Attributes
    ----------
    value : float
        The value for the graph.
    base : float
        The constant b.
    coefficients : (n_training) floats
        The coefficients c_s.
    gamma, power : float
        The kernel parameters.
    classes : (class, class) or None
        The two classes that it decides between; None if it is a number.
    """

    value: float
    base: float
    coefficients: FloatArray
    gamma: float
    power: float = 1.0
    classes: tuple[Any, Any] | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """One new graph, and the training graphs that it is compared with.

    Attributes
    ----------
    graph : GraphBatch
        The graph.
    training_graphs : GraphBatch
        The training graphs.
    embedding, training_embedding : NodeEmbedding
        Their nodes, embedded in the same way.
    distances : (1, n_training) floats
        How far the graph is from them, with columns.
    columns : FloatArray or None
        The scaled columns of the graph, if there are some.
    training_columns : TrainingColumns or None
        Those of the training graphs.
    """

    graph: GraphBatch
    training_graphs: GraphBatch
    embedding: NodeEmbedding
    training_embedding: NodeEmbedding
    distances: FloatArray
    columns: FloatArray | None = None
    training_columns: TrainingColumns | None = None

    @classmethod
    def of(
        cls, graph: GraphBatch, training: TrainingGraphs, columns: FloatArray | None = None, *, n_jobs: int | None
    ) -> Comparison:
        """Embed a graph, and compute its distances, with those of its scaled columns."""
        if len(graph) != 1:
            problem = f"there are {len(graph)} graphs, but the prediction of one is explained"
            raise InputError(problem, remedy="pass a single graph, such as graphs[0]")
        new, own = embed_new(training.scheme, training.graphs, training.embedding, graph)
        distances = np.asarray(embedding_distances(new, own, depths=[own.depth], n_jobs=n_jobs)[0])
        apart = training.with_columns(training.without_rounding(distances), columns)
        return cls(graph, training.graphs, new, own, apart, columns, training.columns)

    @cached_property
    def column_shares(self) -> FloatArray:
        """The share of columns in the distance to each training graph (n_training)."""
        if self.training_columns is None or self.columns is None:
            return np.zeros(self.distances.shape[1])
        apart = self.training_columns.distances_from(self.columns)[0]
        total = self.distances[0]
        return np.asarray(np.divide(apart, total, out=np.zeros(len(apart)), where=total > 0))

    def shares_of_columns(self, position: int) -> FloatArray:
        """Return the share of every column in the distance of columns to a training graph (n_columns)."""
        if self.training_columns is None or self.columns is None:
            return np.zeros(0)
        return self.training_columns.shares(self.columns, position)

    def node_shares(self, position: int) -> FloatArray:
        """Return the share of every node in the distance of graphs to a training graph (n_nodes), with the sum 1."""
        pair = self.graph, self.training_graphs[position]
        joined = self.embedding.join(self.training_embedding.take(position))
        sizes = np.diff(joined.ptr)
        more = self.embedding.size_weight * abs(math.log(sizes[0]) - math.log(sizes[1]))
        costs = self._mean_of_alike(plan_of(joined, pair).source_costs) + more / sizes[0]
        total = costs.sum()
        return np.asarray(costs / total if total > 0 else np.full(len(costs), 1 / len(costs)))

    def _mean_of_alike(self, costs: FloatArray) -> FloatArray:
        """Return costs with the mean of all nodes that are embedded alike in place of each of them."""
        sums = np.bincount(self._groups, costs)
        return np.asarray((sums / np.bincount(self._groups))[self._groups])

    @cached_property
    def _groups(self) -> IntArray:
        """The number of the group of nodes that are embedded alike, for every node."""
        return alike_nodes(self.embedding)


def alike_nodes(embedding: NodeEmbedding) -> IntArray:
    """Return the number of the group of each node (n_nodes): same labels and, up to rounding, same attributes."""
    groups = np.zeros(int(embedding.ptr[-1]), dtype=np.int64)
    if embedding.codes is not None:
        groups = _number_rows(embedding.codes.T)
    if embedding.points is not None:
        largest = np.abs(embedding.points).max(initial=0.0)
        scaled = embedding.points / largest if largest > 0 else embedding.points
        # Sums over neighbors in another order differ in their last bits.
        rounded = _number_rows(np.round(scaled / _ALIKE))
        groups = _number_rows(np.column_stack([groups, rounded]))
    return groups


def _number_rows(rows: NDArray[Any]) -> IntArray:
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def explain_sum(
    comparison: Comparison,
    function: KernelSum,
    *,
    names: NDArray[Any],
    targets: NDArray[Any] | None,
    equal: Sequence[IntArray],
    unseen: str,
    knows_all: bool,
    target_name: str | None,
    progress: bool,
) -> Explanation:
    """Explain the value of a sum of kernels.

    Parameters
    ----------
    comparison : Comparison
        The graph, and the training graphs.
    function : KernelSum
        The function, with a coefficient for each of these.
    names, targets : (n_training) arrays
        Their names and targets; the latter may be unknown.
    equal : sequence of (n) integers
        The positions of training graphs that are equal, in groups.
    unseen : str
        The labels of the graph that no training graph has.
    knows_all : bool
        Whether the model knows all of its training graphs.
    target_name : str or None
        What is predicted, if that is known.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Explanation
        Plans are computed for training graphs with a coefficient that is not 0.
    """
    chosen = np.flatnonzero(function.coefficients)
    distances, coefficients = comparison.distances[0, chosen], function.coefficients[chosen]
    with np.errstate(over="ignore", under="ignore"):
        below_one = np.expm1(-function.gamma * distances**function.power)  # the kernel minus 1, which is precise near 0
    mean = below_one.mean() if len(chosen) else 0.0
    contributions, lost = coefficients * (below_one - mean), -coefficients * below_one
    node_base = function.base + coefficients.sum()
    scores = np.full(comparison.graph.n_nodes, node_base / comparison.graph.n_nodes)
    beside = comparison.column_shares[chosen]
    column_scores = np.zeros(len(comparison.shares_of_columns(0)))
    with Progress("transport plans", total=len(chosen), unit="graphs", show=progress) as bar:
        for position, amount, of_columns in zip(chosen.tolist(), lost.tolist(), beside.tolist(), strict=True):
            if amount and of_columns < 1:
                scores -= amount * (1 - of_columns) * comparison.node_shares(position)
            if amount and of_columns:
                column_scores -= amount * of_columns * comparison.shares_of_columns(position)
            bar.update(1)
    order = np.argsort(-np.abs(contributions), kind="stable")
    deciding, total = chosen[order], np.abs(contributions).sum()
    return Explanation(
        value=function.value,
        classes=function.classes,
        base=float(node_base + mean * coefficients.sum()),
        node_base=float(node_base),
        positions=deciding,
        names=names[deciding],
        targets=None if targets is None else targets[deciding],
        distances=distances[order],
        contributions=contributions[order],
        shares=np.abs(contributions[order]) / (total or 1.0),
        groups=sum_of_equals(
            deciding, distances[order], contributions[order], equal=equal, names=names, targets=targets
        ),
        node_scores=scores,
        graph=as_compared(comparison.graph, comparison.embedding.features.uses_stereo),
        unseen=unseen,
        training_row=bool((comparison.distances == 0).any()) if knows_all else None,
        target_name=target_name,
        column_names=() if comparison.training_columns is None else comparison.training_columns.titles,
        column_scores=column_scores,
        column_share=float(np.abs(lost) @ beside / (np.abs(lost).sum() or 1.0)),
    )


# The decision between two classes


def pair_of_classes(asked: Any, classes: NDArray[Any]) -> tuple[int, int]:
    """Return the numbers of two classes that are asked for; raise an error unless they are two different ones."""
    known = ", ".join(map(class_name, classes))
    if isinstance(asked, str) or not isinstance(asked, Sequence | np.ndarray) or len(asked) != 2:
        problem = f"{{}} must be two classes, got {asked!r}"
        raise InputTypeError(problem, remedy=f"pass two of {known}", options=[Option("classes")])
    numbers = [[number for number, known_class in enumerate(classes.tolist()) if known_class == each] for each in asked]
    for each, found in zip(asked, numbers, strict=True):
        if not found:
            problem = f"{{}}: the model does not know the class {each!r}"
            raise InputError(problem, remedy=f"pass two of {known}", options=[Option("classes")])
    one, other = (found[0] for found in numbers)
    if one == other:
        problem = f"{{}} must be two different classes, got {asked[0]!r} twice"
        raise InputError(problem, remedy=f"pass two of {known}", options=[Option("classes")])
    return one, other


def decision_between(one: int, other: int, n_classes: int) -> tuple[int, float]:
    """Return the number of the one-vs-one problem of two classes, and -1 if it decides for the second, otherwise 1."""
    pairs = class_pairs(n_classes)
    number = int(np.flatnonzero((pairs == sorted((one, other))).all(axis=1))[0])
    return number, 1.0 if one < other else -1.0
