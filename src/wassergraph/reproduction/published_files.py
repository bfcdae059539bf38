"""The graphs as they stand in the files that the authors of the paper published with their code.

ENZYMES and MUTAG are published as one GML file for each graph, with the attributes in a file beside them. In all 788
graphs the nodes are sorted by degree, nodes of the same degree in the order of the TU file, and isolated nodes are left
out. Labels moved with their nodes. Attributes stayed in the order of the TU file, so that they belong to other nodes
than the edges do. The weight of every edge is the larger of the degrees of its ends. The functions here do the same to
the graphs of a TU file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from wassergraph.errors import InputError
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import take_rows
from wassergraph.graphs.slices import offsets


def as_published(graphs: GraphBatch) -> GraphBatch:
    """Return graphs without isolated nodes, whose attributes are given to nodes in the order of their degrees.

    Parameters
    ----------
    graphs : GraphBatch
        Graphs of a TU file.

    Returns
    -------
    GraphBatch
        In each graph, the node with the smallest degree has the attributes of the first node of the file, the next one
        those of the second, and so on; of nodes with the same degree the first in the file comes first. Edges and
        labels are those of the file.

    Raises
    ------
    ValueError
        If a graph has no edges, so that no node would be left.
    """
    connected = without_isolated_nodes(graphs)
    if connected.node_attributes is None:
        return connected
    by_degree = np.lexsort((connected.degrees, connected.graph_of_node))
    misplaced = np.empty_like(connected.node_attributes)
    misplaced[by_degree] = connected.node_attributes
    return replace(connected, node_attributes=misplaced)


def without_isolated_nodes(graphs: GraphBatch) -> GraphBatch:
    """Return graphs without the nodes that have no neighbor; an error if a graph has no others."""
    kept = graphs.degrees > 0
    sizes = np.bincount(graphs.graph_of_node[kept], minlength=len(graphs))
    if not sizes.all():
        raise InputError("no node of this graph has a neighbor", graph=int(sizes.argmin()))
    numbers = np.cumsum(kept) - 1
    return replace(
        graphs,
        node_ptr=offsets(sizes),
        indptr=offsets(graphs.degrees[kept]),
        indices=numbers[graphs.indices],
        node_labels=take_rows(graphs.node_labels, kept),
        node_attributes=take_rows(graphs.node_attributes, kept),
    )


def label_edges_by_degree(graphs: GraphBatch) -> GraphBatch:
    """Return graphs with the larger of the degrees of its two ends as the label of every edge."""
    degrees = graphs.degrees
    return replace(graphs, edge_labels=np.maximum(degrees[graphs.arc_tails], degrees[graphs.indices]))


#: Variants of a method that change the graphs, by name: written after the method, as in ``wwl+as-published``.
GRAPH_VARIANTS: Mapping[str, Callable[[GraphBatch], GraphBatch]] = {
    "as-published": as_published,
    "degree": label_edges_by_degree,
}
