"""Convert graphs to networkx."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.graphs.fields import EDGE_DATA, NETWORKX_NAMES, OF_NODES
from wassergraph.graphs.slices import opposite_arcs
from wassergraph.optional import require

if TYPE_CHECKING:
    import networkx

    from wassergraph.graphs.batch import GraphBatch

_NAMES = {**NETWORKX_NAMES, "node_positions": "pos", "node_names": "name"}


def to_networkx(graph: GraphBatch) -> networkx.Graph:
    """Convert a batch of one graph; see :meth:`wassergraph.GraphBatch.to_networkx`."""
    require("networkx")
    import networkx as nx

    nodes = zip(range(graph.n_nodes), _as_dictionaries(graph, OF_NODES, graph.n_nodes), strict=True)
    arcs = graph.arc_tails.tolist(), graph.indices.tolist(), _as_dictionaries(graph, EDGE_DATA, graph.n_arcs)
    converted = nx.Graph() if _is_symmetric(graph) else nx.DiGraph()
    converted.add_nodes_from(nodes)
    converted.add_edges_from(zip(*arcs, strict=True))
    return converted


def _as_dictionaries(graph: GraphBatch, fields: Iterable[str], n_rows: int) -> list[dict[str, Any]]:
    """Return each row of several fields as a dictionary, under the names of networkx."""
    values = {_NAMES[field]: value for field in fields if (value := getattr(graph, field)) is not None}
    columns = {name: list(value) if value.ndim == 2 else value.tolist() for name, value in values.items()}
    return [{name: column[row] for name, column in columns.items()} for row in range(n_rows)]


def _is_symmetric(graph: GraphBatch) -> bool:
    """Return whether both directions of every edge have the same data."""
    reverse = opposite_arcs(graph.arc_tails, graph.indices)
    values = [value for name in EDGE_DATA if (value := getattr(graph, name)) is not None]
    return all(np.array_equal(value, value[reverse]) for value in values)
