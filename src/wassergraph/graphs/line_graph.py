"""Line graphs: edges as nodes, so that edges take part in the distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.invariants import locate_arc
from wassergraph.graphs.slices import offsets, opposite_arcs
from wassergraph.graphs.vocabulary import Vocabulary

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch


def line_graph(batch: GraphBatch) -> GraphBatch:
    """Return the line graph of every graph; see :meth:`wassergraph.GraphBatch.line_graph`."""
    arcs = np.flatnonzero(batch.arc_tails <= batch.indices)  # one direction of every edge
    sizes = np.bincount(batch.graph_of_node[batch.arc_tails[arcs]], minlength=len(batch))
    if (sizes == 0).any():
        empty = int(sizes.argmin())
        raise InputError("there are no edges, hence no line graph", remedy="remove the graph", graph=empty)
    _check_directions(batch, arcs)
    joined = _joined_edges(batch, arcs)
    return type(batch)(
        node_ptr=offsets(sizes),
        indptr=joined.indptr,
        indices=joined.indices,
        node_labels=None if batch.edge_labels is None else batch.edge_labels[arcs],
        node_attributes=None if batch.edge_attributes is None else batch.edge_attributes[arcs],
        vocabulary=Vocabulary(node_labels=batch.vocabulary.edge_labels),
    )


def _joined_edges(batch: GraphBatch, arcs: IntArray) -> csr_array:
    """Return the matrix (n_edges, n_edges) whose entries are the pairs of different edges that share an end."""
    n_edges = len(arcs)
    ends = np.concatenate([batch.arc_tails[arcs], batch.indices[arcs]])
    edges = np.tile(np.arange(n_edges), 2)
    incidence = coo_array((np.ones(2 * n_edges), (edges, ends)), shape=(n_edges, batch.n_nodes)).tocsr()
    joined = (incidence @ incidence.T).tocsr()
    joined.setdiag(0)
    joined.eliminate_zeros()
    joined.sort_indices()
    return joined


def _check_directions(batch: GraphBatch, arcs: IntArray) -> None:
    """Raise an error if edge labels or edge attributes depend on the direction."""
    reverse = opposite_arcs(batch.arc_tails, batch.indices)[arcs]
    for name in ("edge_labels", "edge_attributes"):
        value = getattr(batch, name)
        if value is None:
            continue
        differs = (value[arcs] != value[reverse]).reshape(len(arcs), -1).any(axis=1)
        if differs.any():
            arc = arcs[differs.argmax()]
            graph, node, head = locate_arc(batch, arc)
            raise InputError(
                f"{name} of the edge to node {head} differ between the two directions",
                remedy="use the same in both, because a line graph has one node per edge",
                graph=graph,
                node=node,
            )
