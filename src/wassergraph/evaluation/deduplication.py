"""Deduplication: an evaluation with one graph of each group of equal graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.evaluation.matrices import Threads
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.metrics.decisions import EdgeLabels, Kind, Stereo
from wassergraph.metrics.wwl import WWL
from wassergraph.scores.tasks import ClassTask, NumberTask
from wassergraph.search.duplicates import find_duplicates


@dataclass(frozen=True, eq=False)
class Deduplication:
    """Which graphs are evaluated, and which are left out since they equal one of these.

    Attributes
    ----------
    task : ClassTask or NumberTask
        What is known of all graphs.
    kept : (n) integers
        The positions of the graphs that are evaluated, in rising order.
    n_groups : int
        The number of groups of equal graphs.
    n_disagreeing : int
        How many of these have different classes or numbers; one graph of each class or number is kept.
    depth : int
        The depth at which graphs were compared.
    """

    task: ClassTask | NumberTask
    kept: IntArray
    n_groups: int
    n_disagreeing: int
    depth: int

    @property
    def n_graphs(self) -> int:
        """The number of all graphs."""
        return len(self.task.targets)

    @property
    def n_left_out(self) -> int:
        """The number of graphs that are left out."""
        return self.n_graphs - len(self.kept)

    def take(self, values: Any) -> list[Any] | None:
        """Return what belongs to the graphs that are evaluated, of a value for every graph; None stays None."""
        if values is None:
            return None
        listed = list(values)
        return [listed[g] for g in self.kept.tolist()]

    def spread(self, values: NDArray[Any], missing: float) -> NDArray[Any]:
        """Return rows for all graphs, of those for the graphs that are evaluated."""
        everything = np.full((self.n_graphs, *values.shape[1:]), missing, dtype=values.dtype)
        everything[self.kept] = values
        return everything

    def words(self) -> str:
        """Return what was left out, for a heading."""
        return f"without {count(self.n_left_out, 'duplicate')} of {self.n_graphs:,}"

    def note(self) -> str:
        """Return a sentence that says which graphs are kept."""
        values = "classes" if isinstance(self.task, ClassTask) else "numbers"
        disagree = f", {self.n_disagreeing} with different {values}" if self.n_disagreeing else ""
        groups = f"{count(self.n_groups, 'group')} of equal graphs at depth {self.depth}{disagree}"
        if not self.n_groups:
            return f"There are no equal graphs at depth {self.depth}."
        kept = f"in each, the first graph of each of the {values}" if disagree else "the first graph of each"
        return f"There are {groups}: {kept} is evaluated."

    def to_dict(self) -> dict[str, int]:
        """Return the numbers in a form that can be written as JSON."""
        return {
            "graphs": self.n_graphs,
            "left_out": self.n_left_out,
            "groups": self.n_groups,
            "disagreeing": self.n_disagreeing,
            "depth": self.depth,
        }


def deduplicate_graphs(
    graphs: GraphBatch,
    task: ClassTask | NumberTask,
    *,
    depth: int,
    kind: Kind,
    edge_labels: EdgeLabels,
    stereo: Stereo = "auto",
    threads: Threads,
) -> Deduplication:
    """Find equal graphs, and choose the first one of each class or number.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    task : ClassTask or NumberTask
        What is known of them.
    depth : int
        The depth; graphs of different sizes are never equal.
    kind : "auto", "categorical", "continuous" or "joint"
        What is compared; "auto" is labels and attributes, if there are both.
    edge_labels : "auto", "use" or "ignore"
        Whether labels are refined over edge labels.
    stereo : "auto", "use" or "ignore"
        Whether stereochemistry is compared.
    threads : Threads
        How to compute.

    Returns
    -------
    Deduplication
    """
    has_both = graphs.node_labels is not None and graphs.node_attributes is not None
    compared: Kind = "joint" if kind == "auto" and has_both else kind
    # Attributes alone are not refined over edge labels, whatever other methods do with these.
    refined: EdgeLabels = "ignore" if WWL(kind=compared).learn(graphs).kind == "continuous" else edge_labels
    metric = WWL(depth, kind=compared, standardize=False, mass="count", stereo=stereo).set_params(edge_labels=refined)
    found = find_duplicates(graphs, task.targets, metric=metric, **vars(threads))
    kept = np.ones(len(graphs), dtype=np.bool_)
    for group in found.groups:
        first = np.unique(task.targets[group], return_index=True)[1]
        kept[np.delete(group, first)] = False
    return Deduplication(task, np.flatnonzero(kept), len(found.groups), len(found.disagreeing), depth)
