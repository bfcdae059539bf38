"""What makes a batch a batch: the checks that :class:`~wassergraph.GraphBatch` runs once, when it is made."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch

NODE_DATA = ("node_labels", "node_attributes")
EDGE_DATA = ("edge_weights", "edge_labels", "edge_attributes")


def check_type(name: str, array: NDArray[Any], *, integers: bool) -> None:
    """Make sure that an array holds what becomes int64, or float64, without loss."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: fill or drop what is masked first")
    too_large = array.dtype.kind == "u" and array.size > 0 and int(array.max()) > np.iinfo(np.int64).max
    if array.size and (array.dtype.kind not in ("iub" if integers else "iufb") or (integers and too_large)):
        kind = "integers" if integers else "real numbers"
        raise TypeError(f"{name} must be {kind}, got {array.dtype}{' beyond 64 bits' if too_large else ''}")


def check_structure(batch: GraphBatch) -> None:
    """Make sure that the arrays describe graphs: undirected, apart from each other, each with a node."""
    _check_pointer("node_ptr", batch.node_ptr, batch.n_nodes, "nodes")
    _check_pointer("indptr", batch.indptr, batch.n_arcs, "arcs")
    check_sizes(batch.sizes)
    _check_arcs(batch)
    one_way = _first_one_way_arc(batch)
    if one_way is not None:
        tail, head = one_way
        first = batch.node_ptr[batch.graph_of_node[tail]]
        raise ValueError(
            f"{name_node(batch, tail)} has an edge to node {head - first}, but there is no edge back: graphs are "
            "undirected here; list both directions, or pass symmetrize=True to the reader, which adds the missing ones"
        )


def check_sizes(sizes: NDArray[np.int64]) -> None:
    """Make sure that every graph has a node."""
    empty = np.flatnonzero(sizes < 1)
    if empty.size:
        raise ValueError(f"graph {empty[0]} has no nodes: leave it out, or give it the node that it lacks")


def _check_pointer(name: str, pointer: NDArray[np.int64], end: int, things: str) -> None:
    inside = len(pointer) > 0 and pointer.min() == pointer[0] == 0 and pointer.max() == pointer[-1] == end
    if not inside or (np.diff(pointer) < 0).any():
        raise ValueError(f"{name} must rise from 0 to the number of {things}, {end}, without falling; got {pointer}")


def _check_arcs(batch: GraphBatch) -> None:
    tails, heads = batch.arc_tails, batch.indices
    first = np.repeat(batch.node_ptr[:-1], batch.sizes)[tails]
    last = np.repeat(batch.node_ptr[1:], batch.sizes)[tails]
    outside = np.flatnonzero((heads < first) | (heads >= last))
    if outside.size:
        arc = outside[0]
        raise ValueError(f"{name_node(batch, tails[arc])} has an edge to {_name_target(batch, heads[arc])}")
    unsorted = np.flatnonzero((tails[1:] == tails[:-1]) & (heads[1:] <= heads[:-1]))
    if unsorted.size:
        raise ValueError(
            f"the neighbors of {name_node(batch, tails[unsorted[0]])} are repeated or not in rising order; "
            "from_edges sorts them and merges repeats"
        )


def check_data(batch: GraphBatch) -> None:
    """Make sure that there is one row of finite data per node or arc."""
    for names, rows, thing in [(NODE_DATA, batch.n_nodes, "node"), (EDGE_DATA, batch.n_arcs, "arc")]:
        for name in names:
            value = getattr(batch, name)
            if value is None:
                continue
            if len(value) != rows:
                raise ValueError(f"{name} has {count(len(value), 'row')} for {count(rows, thing)}")
            if value.dtype == np.float64 and not np.isfinite(value).all():
                _raise_not_finite(batch, name, value)


def _raise_not_finite(batch: GraphBatch, name: str, value: NDArray[np.float64]) -> None:
    row = np.argwhere(~np.isfinite(value.reshape(len(value), -1)))[0]
    found = value.reshape(len(value), -1)[tuple(row)]
    column = f" in column {row[1]}" if value.ndim == 2 else ""
    if name in NODE_DATA:
        where = name_node(batch, row[0])
    else:
        tail, head = batch.arc_tails[row[0]], batch.indices[row[0]]
        where = f"{name_node(batch, tail)}, edge to node {head - batch.node_ptr[batch.graph_of_node[tail]]},"
    raise ValueError(f"{where} has {found} in {name}{column}: replace it by a number, or leave the graph out")


def check_same_kind(reference: GraphBatch, batch: GraphBatch, position: int) -> None:
    """Make sure that the batch at a position of a list can be joined to the first one."""
    for name in NODE_DATA + EDGE_DATA:
        left, right = getattr(reference, name), getattr(batch, name)
        if (left is None) != (right is None):
            has, lacks = (0, position) if right is None else (position, 0)
            raise ValueError(f"batch {has} has {name}, batch {lacks} has not: give all of them, or drop it from all")
        if left is not None and left.shape[1:] != right.shape[1:]:
            raise ValueError(
                f"{name} has {left.shape[1]} columns in batch 0 and {right.shape[1]} in batch {position}: "
                "they must mean the same"
            )


def _first_one_way_arc(batch: GraphBatch) -> tuple[int, int] | None:
    transposed = csr_array(
        (np.ones(batch.n_arcs, dtype=np.int8), batch.indices, batch.indptr), shape=(batch.n_nodes,) * 2
    ).tocsc()
    if np.array_equal(transposed.indptr, batch.indptr) and np.array_equal(transposed.indices, batch.indices):
        return None
    tails, heads, n = batch.arc_tails, batch.indices, batch.n_nodes
    arc = np.flatnonzero(~np.isin(tails * n + heads, heads * n + tails))[0]
    return int(tails[arc]), int(heads[arc])


def name_node(batch: GraphBatch, node: int) -> str:
    """Say which graph a node belongs to, and which of its nodes it is."""
    graph = int(np.searchsorted(batch.node_ptr, node, side="right")) - 1
    return f"graph {graph}, node {node - batch.node_ptr[graph]}"


def _name_target(batch: GraphBatch, node: int) -> str:
    if not 0 <= node < batch.n_nodes:
        return f"node {node}, but the node ids run from 0 to {batch.n_nodes - 1}"
    return f"{name_node(batch, node)}: an edge cannot join two graphs"


def count(number: int, noun: str) -> str:
    """Write a number and what it counts: 1 graph, 2 graphs."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def check_whole(name: str, value: Any, least: int) -> int:
    """Make sure that a parameter is a whole number, and large enough."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return number
