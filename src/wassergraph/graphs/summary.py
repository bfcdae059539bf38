"""Counts and sizes of a batch of graphs, as a table or as a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.fields import OPTIONAL
from wassergraph.graphs.invariants import count
from wassergraph.graphs.slices import offsets

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch

#: How many names of labels or attributes a table lists.
_SHOWN = 12


@dataclass(frozen=True)
class Spread:
    """The minimum, mean and maximum of several numbers."""

    min: float
    mean: float
    max: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} on average ({self.min:g} to {self.max:g})"


@dataclass(frozen=True)
class Summary:
    """Counts and sizes of a :class:`~wassergraph.GraphBatch`; ``print`` it for a table.

    A batch without graphs has zeros everywhere.

    Attributes
    ----------
    n_graphs, n_nodes, n_edges, n_self_loops, n_isolated : int
        The numbers of graphs, nodes, edges, self-loops and nodes without neighbors.
    nodes, edges, degree : Spread
        The numbers of nodes and edges per graph, and of neighbors per node.
    node_labels, edge_labels : int or None
        The number of different labels; None if there are none.
    node_attributes, edge_attributes : int or None
        The number of attributes; None if there are none.
    edge_weights : Spread or None
        The edge weights; None if there are none.
    node_label_names, edge_label_names, node_attribute_names : tuple of str
        The names of labels and attributes that have one.

    See Also
    --------
    GraphBatch : the graphs, whose method ``summary`` returns this
    load_dataset : read a data set

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> summary = graphs.summary()
    >>> summary.n_nodes, summary.node_labels, summary.degree.max
    (840, 3, 3.0)
    """

    n_graphs: int
    n_nodes: int
    n_edges: int
    n_self_loops: int
    n_isolated: int
    nodes: Spread
    edges: Spread
    degree: Spread
    node_labels: int | None
    node_attributes: int | None
    edge_weights: Spread | None
    edge_labels: int | None
    edge_attributes: int | None
    node_label_names: tuple[str, ...] = ()
    edge_label_names: tuple[str, ...] = ()
    node_attribute_names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in a form that can be written as JSON.

        Returns
        -------
        dict
            The attributes by name.
        """
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def rows(self) -> list[tuple[str, str]]:
        """Return the rows of the table.

        Returns
        -------
        list of (str, str)
            What is counted, and the count.
        """
        return [
            ("graphs", f"{self.n_graphs:,}"),
            ("nodes", f"{self.n_nodes:,}, {self.nodes} per graph"),
            ("edges", f"{self.n_edges:,}, {self.edges} per graph"),
            ("degree", str(self.degree)),
            ("isolated nodes", f"{self.n_isolated:,}"),
            ("self-loops", f"{self.n_self_loops:,}"),
            ("node labels", _count_any(self.node_labels, "kind") + _listed(self.node_label_names)),
            ("node attributes", _count_any(self.node_attributes, "dimension") + _listed(self.node_attribute_names)),
            ("edge weights", "–" if self.edge_weights is None else str(self.edge_weights)),
            ("edge labels", _count_any(self.edge_labels, "kind") + _listed(self.edge_label_names)),
            ("edge attributes", _count_any(self.edge_attributes, "dimension")),
        ]

    def __str__(self) -> str:
        return format_rows(self.rows())


def describe(batch: GraphBatch) -> str:
    """Return what a batch consists of, in one line."""
    counts = [(batch.n_graphs, batch.noun), (batch.n_nodes, "node"), (batch.n_edges, "edge")]
    data = [
        f"{name.replace('_', ' ')}{_extent(value)}" for name in OPTIONAL if (value := getattr(batch, name)) is not None
    ]
    parts = [[count(number, noun) for number, noun in counts], data]
    return f"GraphBatch({'; '.join(', '.join(part) for part in parts if part)})"


def _extent(value: NDArray[Any]) -> str:
    if value.ndim == 2:
        return f" ({value.shape[1]}-d)"
    return f" ({count(len(np.unique(value)), 'kind')})" if value.dtype == np.int64 else ""


def format_rows(rows: list[tuple[str, str]]) -> str:
    """Return a table of two columns, name and value."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def summarize(batch: GraphBatch) -> Summary:
    """Compute the summary of a batch."""
    loops = np.flatnonzero(batch.arc_tails == batch.indices)
    per_node = batch.degrees + np.bincount(batch.indices[loops], minlength=batch.n_nodes)
    twice_edges = np.diff(offsets(per_node)[batch.node_ptr])
    return Summary(
        n_graphs=batch.n_graphs,
        n_nodes=batch.n_nodes,
        n_edges=batch.n_edges,
        n_self_loops=len(loops),
        n_isolated=int(np.count_nonzero(batch.degrees == 0)),
        nodes=_spread(batch.sizes),
        edges=_spread(twice_edges / 2),
        degree=_spread(batch.degrees),
        node_labels=_n_distinct(batch.node_labels),
        node_attributes=_n_columns(batch.node_attributes),
        edge_weights=None if batch.edge_weights is None else _spread(batch.edge_weights),
        edge_labels=_n_distinct(batch.edge_labels),
        edge_attributes=_n_columns(batch.edge_attributes),
        node_label_names=_names(batch.node_labels, batch.vocabulary.node_labels),
        edge_label_names=_names(batch.edge_labels, batch.vocabulary.edge_labels),
        node_attribute_names=batch.vocabulary.node_attributes,
    )


def _spread(values: NDArray[Any]) -> Spread:
    if not values.size:
        return Spread(0.0, 0.0, 0.0)
    return Spread(float(values.min()), float(values.mean()), float(values.max()))


def _n_distinct(labels: IntArray | None) -> int | None:
    return None if labels is None else len(np.unique(labels))


def _n_columns(attributes: FloatArray | None) -> int | None:
    return None if attributes is None else attributes.shape[1]


def _names(labels: IntArray | None, names: Mapping[int, str]) -> tuple[str, ...]:
    """Return the names of labels, the most frequent first."""
    if labels is None or not names:
        return ()
    values, counts = np.unique(labels, return_counts=True)
    ordered = values[np.argsort(-counts, kind="stable")].tolist()
    return tuple(names[code] for code in ordered if code in names)


def _listed(names: tuple[str, ...]) -> str:
    """Return some names in parentheses."""
    shown = [*names[:_SHOWN], *(["…"] if len(names) > _SHOWN else [])]
    return f" ({', '.join(shown)})" if shown else ""


def _count_any(number: int | None, noun: str) -> str:
    return "–" if number is None else count(number, noun)
