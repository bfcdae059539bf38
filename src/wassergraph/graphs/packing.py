"""From loose nodes and edges to a :class:`~wassergraph.GraphBatch`: the one way in, which every reader takes.

A reader hands over how many nodes each graph has, and one row per edge that its source lists, with global node ids.
Here self-loops are dealt with, missing directions added on request, repeated rows merged, and everything sorted.
The batch itself then checks the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import EDGE_DATA, NODE_DATA, check_sizes

SelfLoops: TypeAlias = Literal["keep", "drop", "error"]
Repeats: TypeAlias = Literal["error", "first", "last"]


@dataclass(frozen=True)
class EdgeRules:
    """Say what happens to edges that are not plain, undirected and listed once.

    Parameters
    ----------
    symmetrize : bool
        Add the opposite direction of every edge that lacks it, with the same data. Otherwise such an edge is an error.
    self_loops : "keep", "drop" or "error"
        What becomes of an edge from a node to itself.
    repeats : "error", "first" or "last"
        Which data counts where an edge is listed repeatedly with different data. Equal repeats always become one.
    """

    symmetrize: bool = False
    self_loops: SelfLoops = "keep"
    repeats: Repeats = "error"

    def __post_init__(self) -> None:
        for name, choices in [("self_loops", SelfLoops), ("repeats", Repeats)]:
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name} must be one of {get_args(choices)}, got {getattr(self, name)!r}")


def pack(
    sizes: IntArray,
    tails: IntArray,
    heads: IntArray,
    *,
    rules: EdgeRules,
    node_data: Mapping[str, NDArray[Any] | None] | None = None,
    edge_data: Mapping[str, NDArray[Any] | None] | None = None,
) -> GraphBatch:
    """Pack graphs with ``sizes`` nodes each and edges from ``tails`` to ``heads`` (global node ids) into a batch.

    Rows of the node data follow the nodes, rows of the edge data follow ``tails`` and ``heads``. That the ids are in
    range, and the rows as many as there should be, is for the reader to see to: it knows what to call them.
    """
    if len(sizes) == 0:
        raise ValueError("there are no graphs: give at least one")
    check_sizes(sizes)
    node_ptr = np.concatenate([[0], np.cumsum(sizes)])
    data = {name: value for name, value in (edge_data or {}).items() if value is not None}
    rows = _usable_rows(node_ptr, tails, heads, rules.self_loops)
    rows = rows[_merge(node_ptr, tails[rows], heads[rows], {n: v[rows] for n, v in data.items()}, rules.repeats)]
    tails, heads = tails[rows], heads[rows]
    if rules.symmetrize:
        tails, heads, own = _add_missing_directions(node_ptr, tails, heads)
        rows = rows[own]
    return GraphBatch(
        node_ptr=node_ptr,
        indptr=np.searchsorted(tails, np.arange(node_ptr[-1] + 1)),
        indices=heads,
        **(node_data or {}),
        **{name: value[rows] for name, value in data.items()},
    )


@dataclass(frozen=True)
class GraphParts:
    """One graph as a reader finds it: nodes counted from 0, and a row of ``edges`` (m, 2) for every edge listed.

    ``undirected`` says that each row stands for both directions.
    """

    n_nodes: int
    edges: IntArray
    undirected: bool = False
    node_labels: IntArray | None = None
    node_attributes: FloatArray | None = None
    edge_weights: FloatArray | None = None
    edge_labels: IntArray | None = None
    edge_attributes: FloatArray | None = None


def pack_parts(graphs: Iterable[GraphParts], rules: EdgeRules) -> GraphBatch:
    """Pack graphs that were read one by one."""
    parts = list(graphs)
    for position, part in enumerate(parts):
        _check_part(part, position)
    parts = [_both_ways(part) if part.undirected else part for part in parts]
    sizes = np.array([part.n_nodes for part in parts], dtype=np.int64)
    first = np.repeat(np.cumsum(sizes) - sizes, [len(part.edges) for part in parts])
    edges = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(part.edges for part in parts)])
    return pack(
        sizes,
        edges[:, 0] + first,
        edges[:, 1] + first,
        rules=rules,
        node_data={name: _stack(parts, name) for name in NODE_DATA},
        edge_data={name: _stack(parts, name) for name in EDGE_DATA},
    )


def _check_part(part: GraphParts, position: int) -> None:
    outside = np.argwhere((part.edges < 0) | (part.edges >= part.n_nodes))
    if outside.size:
        tail, head = part.edges[outside[0, 0]]
        raise ValueError(
            f"graph {position}: the edge ({tail}, {head}) names a node out of range; it has {part.n_nodes} node(s), "
            "counted from 0"
        )
    for names, rows, things in [(NODE_DATA, part.n_nodes, "nodes"), (EDGE_DATA, len(part.edges), "listed edges")]:
        for name in names:
            value = getattr(part, name)
            if value is not None and len(value) != rows:
                raise ValueError(f"graph {position}: {name} has {len(value)} rows for {rows} {things}")


def _both_ways(part: GraphParts) -> GraphParts:
    turned = np.flatnonzero(part.edges[:, 0] != part.edges[:, 1])
    rows = np.concatenate([np.arange(len(part.edges)), turned])
    data = {name: value[rows] for name in EDGE_DATA if (value := getattr(part, name)) is not None}
    return replace(part, edges=np.concatenate([part.edges, part.edges[turned, ::-1]]), **data)


def _stack(parts: list[GraphParts], name: str) -> NDArray[Any] | None:
    """Join one kind of data of all graphs; all must have it, and vectors must have one length."""
    values: list[NDArray[Any] | None] = [getattr(part, name) for part in parts]
    present = [position for position, value in enumerate(values) if value is not None]
    if not present:
        return None
    if len(present) < len(values):
        lacking = next(position for position, value in enumerate(values) if value is None)
        raise ValueError(f"graph {present[0]} has {name}, graph {lacking} has not: give it to all graphs or to none")
    filled = [(position, value) for position, value in enumerate(values) if value is not None and len(value)]
    for position, value in filled:
        if value.shape[1:] != filled[0][1].shape[1:]:
            raise ValueError(
                f"{name} is {filled[0][1].shape[1:]} wide in graph {filled[0][0]}, but {value.shape[1:]} wide in graph "
                f"{position}: all graphs need the same columns"
            )
    return np.concatenate([value for _, value in filled]) if filled else values[0]


def _usable_rows(node_ptr: IntArray, tails: IntArray, heads: IntArray, self_loops: SelfLoops) -> IntArray:
    """Give the rows to use: all of them, or those that are not self-loops."""
    loop = tails == heads
    if self_loops == "error" and loop.any():
        where = _edge_name(node_ptr, tails, heads, int(np.flatnonzero(loop)[0]))
        raise ValueError(f'{where} is a self-loop: pass self_loops="keep" or self_loops="drop"')
    return np.flatnonzero(~loop) if self_loops == "drop" else np.arange(len(tails))


def _merge(
    node_ptr: IntArray, tails: IntArray, heads: IntArray, edge_data: Mapping[str, NDArray[Any]], repeats: Repeats
) -> IntArray:
    """Give the rows to take, one for each arc, in the order of the arcs."""
    key = tails * node_ptr[-1] + heads
    order: IntArray = np.argsort(key, kind="stable")  # repeats stay in the order in which they are listed
    changes = np.diff(key[order]) > 0
    if changes.all():
        return order
    first, last = np.concatenate([[True], changes]), np.concatenate([changes, [True]])
    if repeats == "error":
        original = order[first][np.cumsum(first) - 1]
        _check_repeats(node_ptr, tails, heads, edge_data, original, order)
    return np.asarray(order[last if repeats == "last" else first])


def _check_repeats(
    node_ptr: IntArray,
    tails: IntArray,
    heads: IntArray,
    edge_data: Mapping[str, NDArray[Any]],
    originals: IntArray,
    repeats: IntArray,
) -> None:
    """Refuse rows that say of an arc something else than the row that lists it first."""
    for name, value in edge_data.items():
        one, other = value[originals], value[repeats]
        unequal = (one != other) & ~((one != one) & (other != other))  # a repeated NaN is for the batch to report
        differs = np.flatnonzero(unequal.reshape(len(repeats), -1).any(axis=1))
        if differs.size:
            first = differs[0]
            raise ValueError(
                f"{_edge_name(node_ptr, tails, heads, originals[first])} is listed repeatedly with different {name}, "
                f'{one[first]} and {other[first]}: pass repeats="first" or repeats="last" to choose one'
            )


def _add_missing_directions(
    node_ptr: IntArray, tails: IntArray, heads: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Complete sorted arcs to both directions, sorted again: (tails, heads, the arc that each has its data from)."""
    key, opposite = tails * node_ptr[-1] + heads, heads * node_ptr[-1] + tails
    missing = np.flatnonzero(~np.isin(opposite, key, assume_unique=True))
    own = np.concatenate([np.arange(len(key)), missing])
    order = np.argsort(np.concatenate([key, opposite[missing]]))
    return (
        np.concatenate([tails, heads[missing]])[order],
        np.concatenate([heads, tails[missing]])[order],
        own[order],
    )


def _edge_name(node_ptr: IntArray, tails: IntArray, heads: IntArray, row: int) -> str:
    graph = int(np.searchsorted(node_ptr, tails[row], side="right")) - 1
    return f"graph {graph}, the edge from node {tails[row] - node_ptr[graph]} to node {heads[row] - node_ptr[graph]}"
