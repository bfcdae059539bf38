"""Convert graphs to networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassergraph.graphs.fields import EDGE_DATA, NODE_ANNOTATIONS, NODE_DATA, as_dictionaries, equal, take_rows
from wassergraph.graphs.slices import opposite_arcs
from wassergraph.optional import require

if TYPE_CHECKING:
    import networkx

    from wassergraph.graphs.batch import GraphBatch


def to_networkx(graph: GraphBatch) -> networkx.Graph:
    """Convert a batch of one graph; see :meth:`wassergraph.GraphBatch.to_networkx`."""
    require("networkx")
    import networkx as nx

    nodes = as_dictionaries({name: getattr(graph, name) for name in (*NODE_DATA, *NODE_ANNOTATIONS)}, graph.n_nodes)
    edges = as_dictionaries({name: getattr(graph, name) for name in EDGE_DATA}, graph.n_arcs)
    converted = nx.Graph() if _is_symmetric(graph) else nx.DiGraph()
    converted.add_nodes_from(zip(range(graph.n_nodes), nodes, strict=True))
    converted.add_edges_from(zip(graph.arc_tails.tolist(), graph.indices.tolist(), edges, strict=True))
    return converted


def _is_symmetric(graph: GraphBatch) -> bool:
    """Return whether both directions of every edge have the same data."""
    reverse = opposite_arcs(graph.arc_tails, graph.indices)
    values = [getattr(graph, name) for name in EDGE_DATA]
    return all(equal(value, take_rows(value, reverse)) for value in values)
