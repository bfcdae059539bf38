"""The checks that :class:`~wassergraph.GraphBatch` runs once, when it is made."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.fields import EDGE_DATA, OF_NODES, OPTIONAL

if TYPE_CHECKING:
    from wassergraph.graphs.flat_graphs import FlatGraphs


# Structure


def check_structure(batch: FlatGraphs) -> None:
    """Raise an error unless the arrays describe undirected graphs, separate from each other, each with a node."""
    check_pointers(batch)
    check_sizes(batch.sizes)
    _check_targets(batch)
    _check_order(batch)
    _check_directions(batch)


def check_pointers(batch: FlatGraphs) -> None:
    """Raise an error unless pointers rise from 0 to the number of nodes and of arcs."""
    _check_pointer("node_ptr", batch.node_ptr, batch.n_nodes, "nodes")
    _check_pointer("indptr", batch.indptr, batch.n_arcs, "arcs")


def check_sizes(sizes: IntArray) -> None:
    """Raise an error unless every graph has a node."""
    empty = np.flatnonzero(sizes < 1)
    if empty.size:
        raise InputError("the graph has no nodes", remedy="remove it or add a node", graph=empty[0])


def _check_pointer(name: str, pointer: IntArray, end: int, things: str) -> None:
    inside = len(pointer) > 0 and pointer.min() == pointer[0] == 0 and pointer.max() == pointer[-1] == end
    if not inside or (np.diff(pointer) < 0).any():
        raise InputError(f"{name} must rise from 0 to the number of {things}, {end}, without falling; got {pointer}")


def _check_targets(batch: FlatGraphs) -> None:
    """Raise an error unless every arc leads to a node of the graph that it starts in."""
    tails, heads = batch.arc_tails, batch.indices
    first = np.repeat(batch.node_ptr[:-1], batch.sizes)[tails]
    last = np.repeat(batch.node_ptr[1:], batch.sizes)[tails]
    outside = np.flatnonzero((heads < first) | (heads >= last))
    if outside.size:
        arc = outside[0]
        graph, node = locate_node(batch, tails[arc])
        raise InputError(f"there is an edge to {_describe_target(batch, heads[arc])}", graph=graph, node=node)


def _check_order(batch: FlatGraphs) -> None:
    """Raise an error unless the neighbors of every node rise, without repeats."""
    tails, heads = batch.arc_tails, batch.indices
    unsorted = np.flatnonzero((tails[1:] == tails[:-1]) & (heads[1:] <= heads[:-1]))
    if unsorted.size:
        graph, node = locate_node(batch, tails[unsorted[0]])
        raise InputError(
            "the neighbors are repeated or not in rising order",
            remedy="use from_edges, which sorts them and merges repeats",
            graph=graph,
            node=node,
        )


def _check_directions(batch: FlatGraphs) -> None:
    """Raise an error unless every edge is there in both directions."""
    arc = _first_one_way_arc(batch)
    if arc is None:
        return
    graph, node, head = locate_arc(batch, arc)
    raise InputError(
        f"the edge to node {head} has no edge back, but graphs are undirected",
        remedy="list both directions, or pass {} to add the missing ones",
        options=[Option("symmetrize", True)],
        graph=graph,
        node=node,
    )


def _first_one_way_arc(batch: FlatGraphs) -> int | None:
    transposed = csr_array(
        (np.ones(batch.n_arcs, dtype=np.int8), batch.indices, batch.indptr), shape=(batch.n_nodes,) * 2
    ).tocsc()
    if np.array_equal(transposed.indptr, batch.indptr) and np.array_equal(transposed.indices, batch.indices):
        return None
    tails, heads, n = batch.arc_tails, batch.indices, batch.n_nodes
    return int(np.flatnonzero(~np.isin(tails * n + heads, heads * n + tails))[0])


def _describe_target(batch: FlatGraphs, node: int) -> str:
    if not 0 <= node < batch.n_nodes:
        return f"node {node}, but node ids run from 0 to {batch.n_nodes - 1} in this batch"
    return "node {1} of graph {0}, but an edge cannot join two graphs".format(*locate_node(batch, node))


# Data


def check_data(batch: FlatGraphs) -> None:
    """Raise an error unless there is one row of finite data per node or arc."""
    check_lengths(batch)
    for name in (*OPTIONAL, "node_positions"):
        value = getattr(batch, name)
        if value is not None and value.dtype == np.float64 and not np.isfinite(value).all():
            _raise_not_finite(batch, name, value)


def check_lengths(batch: FlatGraphs) -> None:
    """Raise an error unless there is one row of data per node or arc."""
    check_rows(batch, OF_NODES, batch.n_nodes, "node")
    check_rows(batch, EDGE_DATA, batch.n_arcs, "arc")
    if batch.node_positions is not None and batch.node_positions.shape[1] not in (2, 3):
        columns = batch.node_positions.shape[1]
        raise InputError(
            f"node_positions must have 2 or 3 columns, got {columns}", remedy="pass x and y, or x, y and z"
        )
    if batch.structures is not None:
        batch.structures.check(batch.n_graphs)


def check_rows(source: object, names: Iterable[str], n_rows: int, thing: str, graph: int | None = None) -> None:
    """Raise an error unless the fields that an object has under these names have so many rows, one for each thing."""
    for name in names:
        value = getattr(source, name)
        if value is not None and len(value) != n_rows:
            raise InputError(f"{name} has {count(len(value), 'row')} for {count(n_rows, thing)}", graph=graph)


def _raise_not_finite(batch: FlatGraphs, name: str, value: NDArray[np.float64]) -> NoReturn:
    table = value.reshape(len(value), -1)
    row, column = np.argwhere(~np.isfinite(table))[0]
    in_column = f" in column {column}" if value.ndim == 2 else ""
    graph, node, head = locate_arc(batch, row) if name in EDGE_DATA else (*locate_node(batch, row), None)
    edge = "" if head is None else f" of the edge to node {head}"
    raise InputError(
        f"{name}{edge} is {table[row, column]}{in_column}",
        remedy="replace it with a finite number or remove the graph",
        graph=graph,
        node=node,
    )


def require_field(batch: FlatGraphs, name: str) -> NDArray[Any]:
    """Return a field of a batch; raise an error that says what the graphs have if they do not have it."""
    value: NDArray[Any] | None = getattr(batch, name)
    if value is None:
        present = [field.replace("_", " ") for field in OPTIONAL if getattr(batch, field) is not None]
        known = f"they have {', '.join(present)}" if present else "they have neither labels nor attributes"
        raise InputError(f"the graphs have no {name.replace('_', ' ')}; {known}")
    return value


def take_columns(batch: FlatGraphs, name: str, columns: Iterable[int]) -> NDArray[Any]:
    """Return columns of the attributes of nodes, or of edges, which must have them."""
    attributes, chosen = require_field(batch, name), list(columns)
    width = attributes.shape[1]
    for column in chosen:
        if not -width <= operator.index(column) < width:
            has = f"the {name.replace('_', ' ')} have {count(width, 'column')}"
            raise InputError(f"column {column} is out of range: {has}")
    return attributes[:, chosen]


# Parameters


def check_whole(name: str, value: SupportsIndex, least: int) -> int:
    """Return a parameter as an int; raise an error unless it is a whole number, and large enough."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputTypeError(f"{{}} must be a whole number, got {value!r}", options=[Option(name)]) from None
    if number < least:
        raise InputError(f"{{}} must be at least {least}, got {value}", options=[Option(name)])
    return number


def check_choice(name: str, value: object, choices: object) -> None:
    """Raise an error unless the value of a parameter is among the choices of a ``Literal`` type."""
    if value not in get_args(choices):
        allowed = ", ".join(map(repr, get_args(choices)))
        raise InputError(f"{{}} must be one of {allowed}, got {value!r}", options=[Option(name)])


# Words


def locate_node(batch: FlatGraphs, node: int) -> tuple[int, int]:
    """Return the graph that a node of a batch belongs to, and the position of the node in that graph."""
    graph = int(np.searchsorted(batch.node_ptr, node, side="right")) - 1
    return graph, int(node - batch.node_ptr[graph])


def locate_arc(batch: FlatGraphs, arc: int) -> tuple[int, int, int]:
    """Return the graph that an arc belongs to, and the positions in that graph of the nodes that it joins."""
    graph, node = locate_node(batch, batch.arc_tails[arc])
    return graph, node, int(batch.indices[arc] - batch.node_ptr[graph])


def count(number: int, noun: str) -> str:
    """Return a number and what it counts: 1 graph, 2 graphs."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
