"""Edges as nodes: the dual of a graph, so that edges take part in the distance."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array

from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch


def line_graph(graphs: GraphBatch) -> GraphBatch:
    """Turn edges into nodes: the dual of every graph, in which two edges are joined if they share an end.

    Edge labels and attributes become those of the nodes, so that edges take part in the distance, as the paper
    suggests. A kernel on the graphs and one on their line graphs combine to a product, or to a weighted sum:

    >>> import numpy as np, wassergraph as wg
    >>> batch = wg.from_smiles(["CCO", "CC=O", "CC#N"])
    >>> nodes, edges = wg.wwl_distances(batch), wg.wwl_distances(wg.line_graph(batch))
    >>> kernel = np.exp(-(0.5 * nodes + 0.5 * edges))

    A graph without edges has no line graph, which is an error.
    """
    tails, heads = graphs.arc_tails, graphs.indices
    once = np.flatnonzero(tails <= heads)
    owner = graphs.graph_of_node[tails[once]]
    sizes = np.bincount(owner, minlength=len(graphs))
    if (sizes == 0).any():
        raise ValueError(f"graph {int(np.argmin(sizes))} has no edges, hence no line graph: leave it out")
    _check_both_directions(graphs, once)
    n_edges = len(once)
    ends = np.concatenate([tails[once], heads[once]])
    incidence = coo_array(
        (np.ones(2 * n_edges), (np.tile(np.arange(n_edges), 2), ends)), shape=(n_edges, graphs.n_nodes)
    ).tocsr()
    joined = (incidence @ incidence.T).tocsr()
    joined.setdiag(0)
    joined.eliminate_zeros()
    joined.sort_indices()
    return GraphBatch(
        node_ptr=np.concatenate([[0], np.cumsum(sizes)]),
        indptr=joined.indptr,
        indices=joined.indices,
        node_labels=None if graphs.edge_labels is None else graphs.edge_labels[once],
        node_attributes=None if graphs.edge_attributes is None else graphs.edge_attributes[once],
    )


def _check_both_directions(graphs: GraphBatch, once: IntArray) -> None:
    reverse = np.lexsort((graphs.arc_tails, graphs.indices))[once]
    for name in ("edge_labels", "edge_attributes"):
        value = getattr(graphs, name)
        if value is not None and not np.array_equal(value[once], value[reverse]):
            raise ValueError(f"the {name} depend on the direction: a line graph has one node for both")
