"""Pack embedded graphs for the solvers of the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.metrics.labels import first_equal, mix
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.layout import ROWS_AT_ONCE, Side, by_feature
from wassergraph.pairwise.masses import node_masses, weighted_total
from wassergraph.pairwise.problem import Cloud
from wassergraph.pairwise.scaling import scale_down


def is_weighted(embeddings: Sequence[NodeEmbedding]) -> bool:
    """Return whether the nodes of either side have weights."""
    return any(side.weights is not None for side in embeddings)


def pack_sides(embeddings: Sequence[NodeEmbedding], exponent: int, *, nested: bool = False) -> list[Side]:
    """Pack one or two embeddings for optimal transport, with masses and costs on the same scale; see pack_side."""
    largest = max(int(np.diff(side.ptr).max(initial=1)) for side in embeddings)
    total = weighted_total(largest)
    return [pack_side(side, is_weighted(embeddings), exponent, total, nested=nested) for side in embeddings]


def pack_side(embedding: NodeEmbedding, weighted: bool, exponent: int, total: int, *, nested: bool = False) -> Side:
    """Pack an embedding: nodes of a graph that are equal at all depths are merged, masses become integers.

    If it is to be nested, as for the exact distances at several depths, nodes that are equal at the first depths follow
    each other. Otherwise nodes keep their order, and count as different at all depths.
    """
    order, merged, level = _merge_equal_nodes(embedding, nested=nested)
    graph = np.searchsorted(embedding.ptr, order, side="right") - 1
    ptr = np.searchsorted(graph, np.arange(len(embedding) + 1))
    mass, totals = node_masses(embedding, weighted=weighted, total=total)
    points = np.zeros((len(order), 0)) if embedding.points is None else scale_down(embedding.points[order], exponent)
    codes = np.zeros((0, len(order)), dtype=np.uint64) if embedding.codes is None else embedding.codes[:, order]
    rows = pack_rows(points)
    return Side(
        ptr.astype(np.int64),
        np.bincount(merged, weights=mass, minlength=len(order)).astype(np.int64),
        totals,
        rows,
        by_feature(ptr.astype(np.int64), rows, points.shape[1]),
        np.ascontiguousarray(codes),
        level,
    )


def pack_rows(points: FloatArray) -> FloatArray:
    """Return points node by node, as the solvers need them: in one row, with some more at its end."""
    return np.concatenate([points, np.zeros((ROWS_AT_ONCE - 1, points.shape[1]))]).ravel()


def _merge_equal_nodes(embedding: NodeEmbedding, *, nested: bool) -> tuple[IntArray, IntArray, IntArray]:
    """Find nodes of the same graph with the same embedding.

    Returns
    -------
    order : (n_groups) integers
        The first node of each group of equal nodes: in rising order or, if nested, so that nodes that are equal up to a
        depth follow each other. This order does not depend on other graphs.
    group : (n_nodes) integers
        The position of the group of each node in this order.
    level : (n_groups) integers
        The first depth at which a node differs from the one before it in this order; if not nested, 0.
    """
    twins = [np.repeat(embedding.ptr[:-1], np.diff(embedding.ptr)).astype(np.int64)]
    for first, last in [(h, h) for h in range(embedding.depth + 1)] if nested else [(0, embedding.depth)]:
        twins.append(_split_groups(twins[-1], _columns(embedding, first, last)))
    order = np.flatnonzero(twins[-1] == np.arange(len(twins[-1])))
    level = np.zeros(len(order), dtype=np.int64)
    if nested:
        first_twins = [twin[order] for twin in twins[1:]]
        rank = np.lexsort(first_twins[::-1])
        order = order[rank]
        for twin in first_twins[:-1]:
            level[1:] += np.diff(twin[rank]) == 0
    position = np.empty(len(twins[-1]), dtype=np.int64)
    position[order] = np.arange(len(order))
    return order, position[twins[-1]], level


def _split_groups(twin: IntArray, columns: Sequence[IntArray]) -> IntArray:
    """Split groups of nodes by columns: the first node of the new group of each node, given that of the old one."""
    shared = np.flatnonzero(np.bincount(twin, minlength=len(twin))[twin] > 1)  # others are alone already
    compared = [column[shared] for column in (twin, *columns)]
    key = np.zeros(len(shared), dtype=np.uint64)
    for column in compared:  # nodes with different keys differ
        key = mix(key + column.view(np.uint64))
    first = first_equal(key)
    if not all(np.array_equal(column, column[first]) for column in compared):  # different nodes with one key
        first = first_equal(_groups_of_all(compared).view(np.uint64))
    split = np.arange(len(twin), dtype=np.int64)
    split[shared] = shared[first]
    return split


def _groups_of_all(columns: Sequence[IntArray]) -> IntArray:
    """Return a number for each row of a table, given as columns, the same for equal ones."""
    group = _groups(columns[0])
    for column in columns[1:]:
        group = _groups(group * len(group) + _groups(column))
    return group


def _groups(values: NDArray[Any]) -> IntArray:
    """Return a number for each value, the same for equal ones."""
    return np.asarray(np.unique(values, return_inverse=True)[1])


def _columns(embedding: NodeEmbedding, first: int, last: int) -> list[IntArray]:
    """Return what nodes that are equal at the depths before must agree in at some more, as integers.

    That is the code at the last of them, since labels only ever refine, and all coordinates.
    """
    columns = [] if embedding.codes is None else [embedding.codes[last].view(np.int64)]
    if embedding.points is not None:
        chosen = slice(first * embedding.dim, (last + 1) * embedding.dim)
        columns += list(np.ascontiguousarray(embedding.points[:, chosen]).view(np.int64).T)
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
