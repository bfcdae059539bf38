"""Listed nodes and edges → :class:`~wassergraph.GraphBatch`. Every reader ends here.

A reader passes how many nodes each graph has, and one row per edge that its source lists, with global node ids. Here
self-loops are handled, missing directions added on request, repeated rows merged, and arcs sorted. The batch itself
then checks the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import EDGE_DATA, NODE_ANNOTATIONS, NODE_DATA
from wassergraph.graphs.invariants import check_choice, check_rows, check_sizes, count
from wassergraph.graphs.joining import stack_if_all
from wassergraph.graphs.slices import offsets
from wassergraph.graphs.vocabulary import EMPTY, Vocabulary, join_vocabularies

SelfLoops: TypeAlias = Literal["keep", "drop", "error"]
Repeats: TypeAlias = Literal["error", "first", "last"]


@dataclass(frozen=True)
class EdgeRules:
    """What to do with one-way edges, self-loops and repeated edges.

    Parameters
    ----------
    symmetrize : bool
        Whether to add the opposite direction of every edge that lacks it, with the same data. Otherwise such an edge
        is an error.
    self_loops : "keep", "drop" or "error"
        What to do with an edge from a node to itself.
    repeats : "error", "first" or "last"
        Which row to use if an edge is listed repeatedly with different data. Equal rows are always merged.
    """

    symmetrize: bool = False
    self_loops: SelfLoops = "keep"
    repeats: Repeats = "error"

    def __post_init__(self) -> None:
        check_choice("self_loops", self.self_loops, SelfLoops)
        check_choice("repeats", self.repeats, Repeats)


# Edges of all graphs in flat arrays


def pack_arrays(
    sizes: IntArray,
    tails: IntArray,
    heads: IntArray,
    *,
    rules: EdgeRules,
    node_data: Mapping[str, NDArray[Any] | None] | None = None,
    edge_data: Mapping[str, NDArray[Any] | None] | None = None,
    vocabulary: Vocabulary = EMPTY,
) -> GraphBatch:
    """Pack graphs into a batch.

    The reader must check that node ids are in range, and that there are as many rows of data as nodes or edges,
    because it can name them in messages.

    Parameters
    ----------
    sizes : (n_graphs) integers
        The number of nodes of each graph.
    tails, heads : (m) integers
        The two ends of each listed edge, as global node ids.
    rules : EdgeRules
        What to do with one-way edges, self-loops and repeated edges.
    node_data, edge_data : dict of array, optional
        Fields of the batch, with one row per node or per listed edge.
    vocabulary : Vocabulary
        The names of labels and attributes.

    Returns
    -------
    GraphBatch
    """
    if len(sizes) == 0:
        raise InputError("there are no graphs", remedy="pass at least one")
    check_sizes(sizes)
    node_ptr = offsets(sizes)
    data: dict[str, Any] = {name: value for name, value in (edge_data or {}).items() if value is not None}
    listed = _Listed(node_ptr, tails, heads)
    rows = _usable_rows(listed, rules.self_loops)
    rows = rows[_merge(listed.take(rows), {name: value[rows] for name, value in data.items()}, rules.repeats)]
    arcs = listed.take(rows)
    if rules.symmetrize:
        arcs, origins = _add_missing_directions(arcs)
        rows = rows[origins]
    return GraphBatch(
        node_ptr=node_ptr,
        indptr=np.searchsorted(arcs.tails, np.arange(node_ptr[-1] + 1)),
        indices=arcs.heads,
        **dict[str, Any](node_data or {}),
        **{name: value[rows] for name, value in data.items()},
        vocabulary=vocabulary,
    )


@dataclass(frozen=True)
class _Listed:
    """Edges as a source lists them: their ends as global node ids."""

    node_ptr: IntArray
    tails: IntArray
    heads: IntArray

    def take(self, rows: IntArray) -> _Listed:
        return _Listed(self.node_ptr, self.tails[rows], self.heads[rows])

    def keys(self) -> IntArray:
        """Return one integer per row that orders the rows by tail, then by head."""
        return np.asarray(self.tails * self.node_ptr[-1] + self.heads)

    def error(self, row: int, problem: str, remedy: str, *options: Option) -> InputError:
        """Return an error about the edge in a row."""
        graph = int(np.searchsorted(self.node_ptr, self.tails[row], side="right")) - 1
        node, head = self.tails[row] - self.node_ptr[graph], self.heads[row] - self.node_ptr[graph]
        return InputError(f"the edge to node {head} {problem}", remedy=remedy, options=options, graph=graph, node=node)


def _usable_rows(listed: _Listed, self_loops: SelfLoops) -> IntArray:
    """Return the rows to use: all of them, or those that are not self-loops."""
    loop = listed.tails == listed.heads
    if self_loops == "error" and loop.any():
        keep, drop = Option("self_loops", "keep"), Option("self_loops", "drop")
        raise listed.error(int(loop.argmax()), "is a self-loop", "pass {} or {}", keep, drop)
    return np.flatnonzero(~loop) if self_loops == "drop" else np.arange(len(loop))


def _merge(listed: _Listed, edge_data: Mapping[str, NDArray[Any]], repeats: Repeats) -> IntArray:
    """Return the rows to use, one for each arc, in the order of the arcs."""
    keys = listed.keys()
    order: IntArray = np.argsort(keys, kind="stable")  # repeats stay in the order in which they are listed
    changes = np.diff(keys[order]) > 0
    if changes.all():
        return order
    first, last = np.concatenate([[True], changes]), np.concatenate([changes, [True]])
    if repeats == "error":
        _check_repeats(listed, edge_data, order[first][np.cumsum(first) - 1], order)
    return np.asarray(order[last if repeats == "last" else first])


def _check_repeats(
    listed: _Listed, edge_data: Mapping[str, NDArray[Any]], originals: IntArray, repeats: IntArray
) -> None:
    """Raise an error if a row has other data than the row that lists the same arc first."""
    for name, value in edge_data.items():
        left, right = value[originals], value[repeats]
        unequal = (left != right) & ~((left != left) & (right != right))  # the batch itself reports a repeated NaN
        differs = np.flatnonzero(unequal.reshape(len(repeats), -1).any(axis=1))
        if differs.size:
            row = differs[0]
            raise listed.error(
                originals[row],
                f"is listed repeatedly with different {name}, {left[row]} and {right[row]}",
                "pass {} or {} to use one of them",
                Option("repeats", "first"),
                Option("repeats", "last"),
            )


def _add_missing_directions(arcs: _Listed) -> tuple[_Listed, IntArray]:
    """Return sorted arcs in both directions, and for each the arc that its data comes from."""
    keys, opposite = arcs.keys(), _Listed(arcs.node_ptr, arcs.heads, arcs.tails).keys()
    missing = np.flatnonzero(~np.isin(opposite, keys, assume_unique=True))
    origins = np.concatenate([np.arange(len(keys)), missing])
    order = np.argsort(np.concatenate([keys, opposite[missing]]))
    tails = np.concatenate([arcs.tails, arcs.heads[missing]])
    heads = np.concatenate([arcs.heads, arcs.tails[missing]])
    return _Listed(arcs.node_ptr, tails[order], heads[order]), origins[order]


# Graphs one by one


@dataclass(frozen=True)
class GraphParts:
    """One graph as a reader finds it.

    Parameters
    ----------
    n_nodes : int
        The number of nodes, which are counted from 0.
    edges : (m, 2) integers
        The two ends of each listed edge.
    undirected : bool
        Whether each row of ``edges`` means both directions.
    node_labels, node_attributes : (n_nodes) integers, (n_nodes, d) floats, optional
    edge_weights, edge_labels, edge_attributes : (m) floats, (m) integers, (m, e) floats, optional
    node_positions, node_names : (n_nodes, 2 or 3) floats, (n_nodes) texts, optional
    vocabulary : Vocabulary
        The names of labels and attributes.
    """

    n_nodes: int
    edges: IntArray
    undirected: bool = False
    node_labels: IntArray | None = None
    node_attributes: FloatArray | None = None
    edge_weights: FloatArray | None = None
    edge_labels: IntArray | None = None
    edge_attributes: FloatArray | None = None
    node_positions: FloatArray | None = None
    node_names: NDArray[np.str_] | None = None
    vocabulary: Vocabulary = EMPTY


def pack_parts(graphs: Iterable[GraphParts], rules: EdgeRules) -> GraphBatch:
    """Pack graphs that were read one by one into a batch."""
    parts = list(graphs)
    for position, part in enumerate(parts):
        _check_ends(part, position)
        check_rows(part, NODE_DATA + NODE_ANNOTATIONS, part.n_nodes, "node", position)
        check_rows(part, EDGE_DATA, len(part.edges), "listed edge", position)
    parts = [_both_directions(part) if part.undirected else part for part in parts]
    sizes = np.array([part.n_nodes for part in parts], dtype=np.int64)
    first = np.repeat(np.cumsum(sizes) - sizes, [len(part.edges) for part in parts])
    edges = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(part.edges for part in parts)])
    return pack_arrays(
        sizes,
        edges[:, 0] + first,
        edges[:, 1] + first,
        rules=rules,
        node_data={
            **{name: _stack(parts, name) for name in NODE_DATA},
            **{name: stack_if_all(parts, name) for name in NODE_ANNOTATIONS},
        },
        edge_data={name: _stack(parts, name) for name in EDGE_DATA},
        vocabulary=join_vocabularies(part.vocabulary for part in parts),
    )


def _check_ends(part: GraphParts, position: int) -> None:
    outside = np.argwhere((part.edges < 0) | (part.edges >= part.n_nodes))
    if outside.size:
        tail, head = part.edges[outside[0, 0]]
        raise InputError(
            f"the edge ({tail}, {head}) names a node out of range",
            remedy=f"ids are counted from 0, and the graph has {count(part.n_nodes, 'node')}",
            graph=position,
            edge=outside[0, 0],
        )


def _both_directions(part: GraphParts) -> GraphParts:
    reversible = np.flatnonzero(part.edges[:, 0] != part.edges[:, 1])
    rows = np.concatenate([np.arange(len(part.edges)), reversible])
    data = {name: value[rows] for name in EDGE_DATA if (value := getattr(part, name)) is not None}
    return replace(part, edges=np.concatenate([part.edges, part.edges[reversible, ::-1]]), **data)


def _stack(parts: list[GraphParts], name: str) -> NDArray[Any] | None:
    """Join one field of all graphs; all must have it, with vectors of one length."""
    values = [getattr(part, name) for part in parts]
    lacking = [position for position, value in enumerate(values) if value is None]
    if len(lacking) == len(values):
        return None
    if lacking:
        problem = f"the graph has no {name}, but another one has"
        raise InputError(problem, remedy="add them to all or to none", graph=lacking[0])
    filled = {position: value for position, value in enumerate(values) if len(value)}
    for position, value in filled.items():
        width, expected = value.shape[1:], next(iter(filled.values())).shape[1:]
        if width != expected:
            raise InputError(
                f"{name} has {count(width[0], 'column')}, but {expected[0]} in the first graph",
                remedy="use the same columns in all graphs",
                graph=position,
            )
    return np.concatenate(list(filled.values())) if filled else values[0]
