"""Graphs in a file: the arrays of a batch by name."""

from __future__ import annotations

from typing import Any

from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.saved_values import Arrays, present

_GRAPH_ARRAYS = ("node_ptr", "indptr", "indices", "node_labels", "node_attributes", "edge_weights", "edge_labels")


def graph_arrays(graphs: GraphBatch) -> Arrays:
    """Return the arrays of graphs."""
    return present({f"graphs/{name}": getattr(graphs, name) for name in _GRAPH_ARRAYS})


def read_graphs(arrays: Arrays, *, molecules: bool) -> GraphBatch:
    """Return the graphs of a file, validated as all graphs are."""
    present: dict[str, Any] = {name: arrays[f"graphs/{name}"] for name in _GRAPH_ARRAYS if f"graphs/{name}" in arrays}
    return GraphBatch(**present, molecules=molecules)
