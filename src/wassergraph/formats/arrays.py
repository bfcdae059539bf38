"""Read graphs from plain arrays: adjacency matrices, dense or sparse, and lists of edges."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, issparse

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.formats.features import array_fields
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import check_type
from wassergraph.graphs.invariants import count
from wassergraph.graphs.packing import EdgeRules, GraphParts, Repeats, SelfLoops, pack_parts

#: One array per graph.
PerGraph: TypeAlias = Sequence[ArrayLike] | None


def from_edges(
    edges: Iterable[ArrayLike],
    *,
    n_nodes: Sequence[int] | None = None,
    node_labels: PerGraph = None,
    node_attributes: PerGraph = None,
    edge_weights: PerGraph = None,
    edge_labels: PerGraph = None,
    edge_attributes: PerGraph = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
) -> GraphBatch:
    """Read graphs from lists of edges, with one array per graph.

    Parameters
    ----------
    edges : iterable of (m, 2) integers
        The two ends of each edge; nodes are counted from 0 in each graph. List both directions, or each edge once and
        pass ``symmetrize=True``.
    n_nodes : sequence of int, optional
        The number of nodes of each graph; by default the number of node labels or attributes, or else the largest node
        id plus one.
    node_labels, node_attributes : sequence of (n) integers or texts, or of (n, d) floats, optional
        In the order of the nodes.
    edge_weights, edge_labels, edge_attributes : sequence of (m) floats, integers or texts, or (m, e) floats, optional
        In the order of the edges.
    symmetrize : bool
        Whether to add the opposite direction of every edge that lacks it, with the same data. By default such an edge
        is an error.
    self_loops : "keep", "drop" or "error"
        What to do with an edge from a node to itself.
    repeats : "error", "first" or "last"
        Which row to use if an edge is listed repeatedly with different data. Equal rows are always merged.

    Returns
    -------
    GraphBatch
        The graphs, in the order in which they were passed.

    See Also
    --------
    from_adjacency : read adjacency matrices
    from_networkx : read networkx graphs
    load_dataset : read a data set
    GraphBatch : what is returned

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.from_edges([[(0, 1), (1, 2)], []], n_nodes=[3, 1], node_labels=[[1, 8, 1], [2]], symmetrize=True)
    GraphBatch(2 graphs, 4 nodes, 2 edges; node labels (3 kinds))
    """
    listed = list(edges)
    fields = {
        "node_labels": node_labels,
        "node_attributes": node_attributes,
        "edge_weights": edge_weights,
        "edge_labels": edge_labels,
        "edge_attributes": edge_attributes,
    }
    for name, values in {"n_nodes": n_nodes, **fields}.items():
        _check_length(name, values, len(listed))
    parts = [
        _parts(position, rows, fields, None if n_nodes is None else operator.index(n_nodes[position]))
        for position, rows in enumerate(listed)
    ]
    return pack_parts(parts, EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats))


def from_adjacency(
    matrices: Any | Iterable[Any],
    *,
    node_labels: PerGraph = None,
    node_attributes: PerGraph = None,
    weighted: bool | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read graphs from adjacency matrices, in which each entry other than 0 is an edge.

    Parameters
    ----------
    matrices : (n, n) array or sparse matrix, or an iterable of them
        A sparse matrix that stores zeros is an error, because it is not clear whether they are edges.
    node_labels, node_attributes : sequence of (n) integers or texts, or of (n, d) floats, optional
        One array per graph.
    weighted : bool, optional
        Whether the entries are edge weights. By default they are, unless every entry of every matrix is 0 or 1.
    symmetrize, self_loops
        As in :func:`wassergraph.from_edges`.

    Returns
    -------
    GraphBatch
        The graphs, in the order in which they were passed.

    See Also
    --------
    from_edges : read lists of edges
    from_networkx : read networkx graphs
    GraphBatch : what is returned

    Examples
    --------
    >>> import numpy as np, wassergraph as wg
    >>> wg.from_adjacency([np.array([[0, 1], [1, 0]]), np.array([[0, 0.5], [0.5, 0]])])
    GraphBatch(2 graphs, 4 nodes, 2 edges; edge weights)
    """
    single = issparse(matrices) or (isinstance(matrices, np.ndarray) and matrices.ndim == 2)
    listed = [matrices] if single else list(matrices)
    entries = [_entries(matrix, position) for position, matrix in enumerate(listed)]
    if weighted is None:
        weighted = any((matrix.data != 1).any() for matrix in entries)
    edges = [np.column_stack(matrix.coords) for matrix in entries]
    return from_edges(
        edges,
        n_nodes=[matrix.shape[0] for matrix in entries],
        node_labels=node_labels,
        node_attributes=node_attributes,
        edge_weights=[matrix.data for matrix in entries] if weighted else None,
        symmetrize=symmetrize,
        self_loops=self_loops,
    )


def _check_length(name: str, values: Sequence[object] | None, n_graphs: int) -> None:
    if values is not None and not hasattr(values, "__len__"):
        raise InputTypeError(f"{{}} must be a list with one entry per graph, got {values!r}", options=[Option(name)])
    if values is not None and len(values) != n_graphs:
        raise InputError(
            f"{{}} has {len(values)} entries for {count(n_graphs, 'graph')}",
            remedy="pass one per graph",
            options=[Option(name)],
        )


def _parts(position: int, rows: ArrayLike, fields: Mapping[str, PerGraph], n_nodes: int | None) -> GraphParts:
    data = array_fields({name: values[position] for name, values in fields.items() if values is not None}, position)
    edges = _edges(rows, position)
    size = _size(edges, data, position) if n_nodes is None else n_nodes
    return GraphParts(n_nodes=size, edges=edges, **data)


def _edges(rows: ArrayLike, position: int) -> IntArray:
    try:
        array = np.asanyarray(rows if isinstance(rows, Sequence | np.ndarray) else list(rows))  # type: ignore[arg-type]
    except ValueError:
        raise InputError("the edges have different lengths", remedy="list two node ids each", graph=position) from None
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"edges must have the shape (m, 2), got {array.shape}", graph=position)
    check_type("edges", array, integers=True, graph=position)
    return array.astype(np.int64)


def _size(edges: IntArray, data: dict[str, Any], position: int) -> int:
    rows = [len(value) for name, value in data.items() if name.startswith("node")]
    largest = int(edges.max(initial=-1))
    if not rows and largest >= 2**31:
        raise InputError(f"an edge names node {largest}", remedy="count nodes from 0 in each graph", graph=position)
    return rows[0] if rows else largest + 1


def _entries(matrix: Any, position: int) -> coo_array:
    """Return the entries of one adjacency matrix that are edges."""
    matrix = matrix if issparse(matrix) else np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, got the shape {matrix.shape}", graph=position)
    if matrix.dtype.kind not in "iufb":
        raise InputTypeError(f"an adjacency matrix must contain real numbers, got {matrix.dtype}", graph=position)
    entries = coo_array(matrix).astype(np.float64)
    entries.sum_duplicates()
    _check_entry(entries, ~np.isfinite(entries.data), position, "replace it with a finite number")
    _check_entry(entries, entries.data == 0, position, "remove stored zeros with eliminate_zeros()")
    return entries


def _check_entry(entries: coo_array, wrong: NDArray[np.bool_], position: int, remedy: str) -> None:
    """Raise an error about the first entry of an adjacency matrix that is wrong."""
    if wrong.any():
        first = int(wrong.argmax())
        row, column = (int(axis[first]) for axis in entries.coords)
        value = entries.data[first]
        raise InputError(f"the adjacency matrix stores {value} at ({row}, {column})", remedy=remedy, graph=position)
