"""From plain arrays: adjacency matrices, dense or sparse, and lists of edges."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, issparse

from wassergraph.arrays import IntArray
from wassergraph.formats.features import as_rows
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_type
from wassergraph.graphs.packing import EdgeRules, GraphParts, Repeats, SelfLoops, pack_parts


def from_edges(
    edges: Iterable[ArrayLike],
    *,
    n_nodes: Sequence[int] | None = None,
    node_labels: Sequence[ArrayLike] | None = None,
    node_attributes: Sequence[ArrayLike] | None = None,
    edge_weights: Sequence[ArrayLike] | None = None,
    edge_labels: Sequence[ArrayLike] | None = None,
    edge_attributes: Sequence[ArrayLike] | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
) -> GraphBatch:
    """Read one array of edges (m, 2) per graph, whose nodes count from 0; everything else is one array per graph, too.

    Parameters
    ----------
    edges : iterable of (m, 2) integers
        The two ends of each edge. List both directions, or each edge once and pass ``symmetrize=True``.
    n_nodes : sequence of int, optional
        The number of nodes of each graph; without it as many as there are labels or attributes, or as the edges name.
    node_labels, node_attributes : sequence of (n) integers, or of (n, d) floats, optional
        In the order of the nodes.
    edge_weights, edge_labels, edge_attributes : sequence of (m) floats, (m) integers or (m, e) floats, optional
        In the order of the edges.
    symmetrize, self_loops, repeats
        See :class:`wassergraph.graphs.packing.EdgeRules`.

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.from_edges([[(0, 1), (1, 2)], []], n_nodes=[3, 1], node_labels=[[1, 8, 1], [2]], symmetrize=True)
    GraphBatch(2 graphs, 4 nodes, 2 edges; node labels (3 kinds))
    """
    listed = list(edges)
    data = {
        "node_labels": node_labels,
        "node_attributes": node_attributes,
        "edge_weights": edge_weights,
        "edge_labels": edge_labels,
        "edge_attributes": edge_attributes,
    }
    for name, values in {"n_nodes": n_nodes, **data}.items():
        _check_length(name, values, len(listed))
    parts = []
    for position, rows in enumerate(listed):
        own: dict[str, Any] = {
            name: as_rows(name, values[position], position) for name, values in data.items() if values is not None
        }
        pairs = _pairs(rows, position)
        size = _size(pairs, own, position) if n_nodes is None else operator.index(n_nodes[position])
        parts.append(GraphParts(n_nodes=size, edges=pairs, **own))
    return pack_parts(parts, EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats))


def from_adjacency(
    matrices: Any | Iterable[Any],
    *,
    node_labels: Sequence[ArrayLike] | None = None,
    node_attributes: Sequence[ArrayLike] | None = None,
    weighted: bool | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read one square adjacency matrix per graph, numpy array or scipy sparse matrix; what is not 0 is an edge.

    Parameters
    ----------
    matrices : (n, n) array or sparse matrix, or an iterable of them
        A sparse matrix that stores zeros is refused, because they may be meant as edges or not.
    node_labels, node_attributes : sequence of (n) integers, or of (n, d) floats, optional
        One array per graph.
    weighted : bool, optional
        Whether the entries are edge weights. By default they are, unless every entry of every matrix is 0 or 1.
    symmetrize, self_loops
        See :class:`wassergraph.graphs.packing.EdgeRules`.

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


def _check_length(name: str, values: Sequence[Any] | None, n_graphs: int) -> None:
    if values is not None and not hasattr(values, "__len__"):
        raise TypeError(f"{name} must be a list with one entry per graph, got {values!r}")
    if values is not None and len(values) != n_graphs:
        raise ValueError(f"{name} has {len(values)} entries for {n_graphs} graphs: give one per graph")


def _pairs(rows: ArrayLike, position: int) -> IntArray:
    try:
        array = np.asanyarray(rows if isinstance(rows, Sequence | np.ndarray) else list(rows))  # type: ignore[arg-type]
    except ValueError:
        raise ValueError(f"graph {position}: its edges are ragged; each needs two node ids") from None
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"graph {position}: edges must have the shape (m, 2), got {array.shape}")
    check_type(f"graph {position}: edges", array, integers=True)
    return array.astype(np.int64)


def _size(edges: IntArray, data: dict[str, Any], position: int) -> int:
    rows = [len(value) for name, value in data.items() if name.startswith("node")]
    largest = int(edges.max(initial=-1))
    if not rows and largest >= 2**31:
        raise ValueError(f"graph {position} names node {largest}: the nodes of each graph count from 0")
    return rows[0] if rows else largest + 1


def _entries(matrix: Any, position: int) -> coo_array:
    """Give the entries of one adjacency matrix that are edges."""
    matrix = matrix if issparse(matrix) else np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"graph {position}: an adjacency matrix is square, got the shape {matrix.shape}")
    if matrix.dtype.kind not in "iufb":
        raise TypeError(f"graph {position}: an adjacency matrix holds real numbers, got {matrix.dtype}")
    entries = coo_array(matrix).astype(np.float64)
    entries.sum_duplicates()
    if not np.isfinite(entries.data).all():
        raise ValueError(f"graph {position}: the adjacency matrix holds {entries.data[~np.isfinite(entries.data)][0]}")
    zero = np.flatnonzero(entries.data == 0)
    if zero.size:
        row, column = (int(axis[zero[0]]) for axis in entries.coords)
        raise ValueError(
            f"graph {position}: the sparse matrix stores a zero at ({row}, {column}), which may be meant as an edge or "
            "not: call eliminate_zeros() on it, or give the edge a weight"
        )
    return entries
