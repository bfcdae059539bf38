"""Pack embedded graphs for the solvers of :mod:`wassergraph.transport`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.distances.masses import node_masses, weighted_total
from wassergraph.distances.problem import Cloud
from wassergraph.distances.scaling import scale_down
from wassergraph.embedding.labels import mix
from wassergraph.embedding.node_embedding import NodeEmbedding
from wassergraph.transport.layout import ROWS_AT_ONCE, Side, by_feature


def is_weighted(embeddings: Sequence[NodeEmbedding]) -> bool:
    """Return whether the nodes of either side have weights."""
    return any(side.weights is not None for side in embeddings)


def pack_sides(embeddings: Sequence[NodeEmbedding], exponent: int) -> list[Side]:
    """Pack one or two embeddings for optimal transport, with masses and costs on the same scale."""
    largest = max(int(np.diff(side.ptr).max(initial=1)) for side in embeddings)
    total = weighted_total(largest)
    return [pack_side(side, is_weighted(embeddings), exponent, total) for side in embeddings]


def pack_side(embedding: NodeEmbedding, weighted: bool, exponent: int, total: int) -> Side:
    """Pack an embedding: nodes of a graph that are equal at all depths are merged, masses become integers."""
    first, merged = _merge_equal_nodes(embedding)
    graph = np.searchsorted(embedding.ptr, first, side="right") - 1
    ptr = np.searchsorted(graph, np.arange(len(embedding) + 1))
    mass, totals = node_masses(embedding, weighted=weighted, total=total)
    points = np.zeros((len(first), 0)) if embedding.points is None else scale_down(embedding.points[first], exponent)
    codes = np.zeros((0, len(first)), dtype=np.uint64) if embedding.codes is None else embedding.codes[:, first]
    rows = pack_rows(points)
    return Side(
        ptr.astype(np.int64),
        np.bincount(merged, weights=mass, minlength=len(first)).astype(np.int64),
        totals,
        rows,
        by_feature(ptr.astype(np.int64), rows, points.shape[1]),
        np.ascontiguousarray(codes),
    )


def pack_rows(points: FloatArray) -> FloatArray:
    """Return points node by node, as the solvers need them: in one row, with some more at its end."""
    return np.concatenate([points, np.zeros((ROWS_AT_ONCE - 1, points.shape[1]))]).ravel()


def _merge_equal_nodes(embedding: NodeEmbedding) -> tuple[IntArray, IntArray]:
    """Find nodes of the same graph with the same embedding.

    Returns
    -------
    first : (n_groups) integers
        The first node of each group of equal nodes, in rising order.
    group : (n_nodes) integers
        The group of each node.
    """
    graph = np.repeat(np.arange(len(embedding)), np.diff(embedding.ptr))
    columns = [graph, *_columns(embedding)]
    key = np.zeros(len(graph), dtype=np.uint64)
    for column in columns:  # nodes with different keys differ
        key = mix(key + column.view(np.uint64))
    group = _groups(key)
    first = np.unique(group, return_index=True)[1]
    if not all(np.array_equal(column, column[first[group]]) for column in columns):  # different nodes with one key
        group = _groups_of_all(columns)
        first = np.unique(group, return_index=True)[1]
    order = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return first[order], rank[group]


def _groups(values: NDArray[Any]) -> IntArray:
    """Return a number for each value, the same for equal ones."""
    return np.asarray(np.unique(values, return_inverse=True)[1])


def _groups_of_all(columns: Sequence[IntArray]) -> IntArray:
    """Return a number for each row of a table, given as columns, the same for equal ones."""
    group = _groups(columns[0])
    for column in columns[1:]:
        group = _groups(group * len(group) + _groups(column))
    return group


def _columns(embedding: NodeEmbedding) -> list[IntArray]:
    """Return what nodes must agree in to be equal, as integers: the code at the last depth and all coordinates."""
    columns = [] if embedding.codes is None else list(embedding.codes[-1:].view(np.int64))
    if embedding.points is not None:
        columns += list(np.ascontiguousarray(embedding.points).view(np.int64).T)
    return columns


def pack_clouds(embeddings: Sequence[NodeEmbedding], exponent: int) -> list[Cloud]:
    """Pack one or two continuous embeddings for transport on lines."""
    clouds = []
    for side in embeddings:
        assert side.points is not None
        mass, total = node_masses(side, weighted=is_weighted(embeddings), total=weighted_total(1))
        clouds.append(
            Cloud(side.ptr.astype(np.int64), np.ascontiguousarray(scale_down(side.points, exponent)), mass, total)
        )
    return clouds
