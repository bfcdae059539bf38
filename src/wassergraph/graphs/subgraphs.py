"""Parts of a batch: some of its graphs, or all of them with some of their edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wassergraph.arrays import BoolArray, IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.fields import EDGE_DATA, OF_NODES, take_rows
from wassergraph.graphs.invariants import locate_arc
from wassergraph.graphs.slices import offsets, opposite_arcs, ranges

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch


def take_graphs(batch: GraphBatch, graphs: IntArray) -> GraphBatch:
    """Return the graphs at positions."""
    sizes = batch.node_ptr[graphs + 1] - batch.node_ptr[graphs]
    nodes = ranges(batch.node_ptr[graphs], sizes)
    node_ptr = offsets(sizes)
    degrees = batch.indptr[nodes + 1] - batch.indptr[nodes]
    arcs = ranges(batch.indptr[nodes], degrees)
    # Node ids are global: the heads of a graph's arcs shift by as much as its first node does.
    shift = np.repeat(node_ptr[:-1] - batch.node_ptr[graphs], sizes)
    return type(batch)._trusted(
        node_ptr=node_ptr,
        indptr=offsets(degrees),
        indices=batch.indices[arcs] + np.repeat(shift, degrees),
        **{name: take_rows(getattr(batch, name), nodes) for name in OF_NODES},
        **{name: take_rows(getattr(batch, name), arcs) for name in EDGE_DATA},
        molecules=batch.molecules,
        vocabulary=batch.vocabulary,
        structures=None if batch.structures is None else batch.structures.take(graphs),
    )


def keep_arcs(batch: GraphBatch, kept: BoolArray) -> GraphBatch:
    """Return the graphs with some of their arcs; raise an error unless the opposite of each is kept, too."""
    tails = batch.arc_tails
    one_way = np.flatnonzero(kept & ~kept[opposite_arcs(tails, batch.indices)])
    if one_way.size:
        graph, node, head = locate_arc(batch, one_way[0])
        raise InputError(
            f"the edge to node {head} would be kept but not the edge back, which has another label",
            remedy="keep or drop both labels",
            graph=graph,
            node=node,
        )
    return type(batch)._trusted(
        node_ptr=batch.node_ptr,
        indptr=offsets(np.bincount(tails[kept], minlength=batch.n_nodes)),
        indices=batch.indices[kept],
        **{name: getattr(batch, name) for name in OF_NODES},
        **{name: take_rows(getattr(batch, name), kept) for name in EDGE_DATA},
        molecules=batch.molecules,
        vocabulary=batch.vocabulary,
        structures=batch.structures,
    )
