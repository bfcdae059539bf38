"""Categorical embedding: node labels refined by the Weisfeiler–Lehman scheme, as 64-bit codes."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wassergraph import _core
from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.slices import ranges
from wassergraph.metrics.node_embedding import Codes

Unsigned = TypeVar("Unsigned", np.uint64, NDArray[np.uint64])


class CollisionError(ArithmeticError):
    """Two different neighborhoods have the same 64-bit code."""


def wl_codes(
    graphs: GraphBatch, labels: IntArray, depth: int, *, edge_labels: IntArray | None = None, salt: int = 0
) -> Codes:
    """Refine labels: ℓ^{h+1}(v) = hash(ℓ^h(v), {ℓ^h(u) : u neighbor of v}) for h < depth.

    With edge labels, the set is that of the pairs (label of the edge from v to u, ℓ^h(u)).

    A code depends on the content of the neighborhood alone, so it is the same in every batch, in every process and on
    every computer.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    labels : (n_nodes) integers
        The labels at depth 0.
    depth : int
        The number of refinements.
    edge_labels : (n_arcs) integers, optional
        The labels of the arcs.
    salt : int
        The seed of the hash function.

    Returns
    -------
    codes : (depth + 1, n_nodes) uint64

    Raises
    ------
    CollisionError
        If two different neighborhoods have the same code.
    """
    codes = np.empty((depth + 1, graphs.n_nodes), dtype=np.uint64)
    codes[0] = mix(labels.astype(np.uint64) + mix(np.uint64(salt)))
    bonds = np.uint64(0) if edge_labels is None else mix(edge_labels.astype(np.uint64))
    for h in range(depth):
        arcs = mix(codes[h][graphs.indices] + bonds)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(arcs, dtype=np.uint64)])
        neighbors = sums[graphs.indptr[1:]] - sums[graphs.indptr[:-1]]  # modulo 2^64, like all sums here
        codes[h + 1] = mix(mix(codes[h] ^ np.uint64(0x5851F42D4C957F2D)) + neighbors)
        _check_within(Arcs(graphs, edge_labels), codes[h], codes[h + 1])
    return codes


def mix(values: Unsigned) -> Unsigned:
    """Scramble 64-bit integers one to one (the finalizer of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = values + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def first_equal(codes: Codes) -> IntArray:
    """Return the position of the first code that equals each code, without sorting them.

    Examples
    --------
    >>> first_equal(np.array([7, 9, 7, 7, 9], dtype=np.uint64))
    array([0, 1, 0, 0, 1])
    """
    distinct, numbers = _core.number_codes(np.ascontiguousarray(codes))
    first = np.empty(len(distinct), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(codes))[::-1]  # the last that is written counts
    return np.asarray(first[numbers])


class Arcs(NamedTuple):
    """The arcs of graphs, and the labels that they are told apart by, if any."""

    graphs: GraphBatch
    labels: IntArray | None = None


def _check_within(arcs: Arcs, before: Codes, after: Codes) -> None:
    """Raise CollisionError if nodes with the same new code differ in their old code, or in those of their neighbors."""
    representative = first_equal(after)
    others = np.flatnonzero(representative != np.arange(len(representative)))
    _check_equal(arcs, before, others, arcs, before, representative[others])


def check_codes(arcs: Arcs, codes: Codes) -> None:
    """Raise CollisionError if different neighborhoods have the same code, among graphs that were embedded in parts."""
    for h in range(1, len(codes)):
        _check_within(arcs, codes[h - 1], codes[h])


def check_across(arcs: Arcs, codes: Codes | None, other_arcs: Arcs, other_codes: Codes | None) -> None:
    """Raise CollisionError if different neighborhoods of two batches have the same code.

    Each batch was checked before, so it is enough to compare one node of each batch for every code that both have.
    """
    if codes is None or other_codes is None or not codes.size:
        return
    for h in range(1, len(codes)):
        distinct, nodes = np.unique(codes[h], return_index=True)
        position = np.minimum(np.searchsorted(distinct, other_codes[h]), len(distinct) - 1)
        shared = np.flatnonzero(distinct[position] == other_codes[h])
        other_nodes = np.full(len(distinct), -1)
        other_nodes[position[shared]] = shared
        both = other_nodes >= 0
        _check_equal(arcs, codes[h - 1], nodes[both], other_arcs, other_codes[h - 1], other_nodes[both])


def _check_equal(
    arcs: Arcs, codes: Codes, nodes: IntArray, other_arcs: Arcs, other_codes: Codes, other_nodes: IntArray
) -> None:
    """Raise CollisionError unless nodes and other nodes agree, pair by pair, in their codes and their neighbors'."""
    same = codes[nodes] == other_codes[other_nodes]
    same &= arcs.graphs.degrees[nodes] == other_arcs.graphs.degrees[other_nodes]
    if not same.all() or not np.array_equal(
        _neighborhoods(arcs, codes, nodes), _neighborhoods(other_arcs, other_codes, other_nodes)
    ):
        raise CollisionError("two different neighborhoods have the same 64-bit code")


def _neighborhoods(arcs: Arcs, codes: Codes, nodes: IntArray) -> Codes:
    """Return the codes of the neighbors of nodes, with the edge labels if there are any, sorted for each node."""
    graphs, labels = arcs
    degrees = graphs.degrees[nodes]
    owner = np.repeat(np.arange(len(nodes)), degrees)
    chosen = ranges(graphs.indptr[nodes], degrees)
    rows = [codes[graphs.indices[chosen]]]
    if labels is not None:
        rows.append(labels[chosen].astype(np.uint64))
    return np.stack(rows)[:, np.lexsort((*rows, owner))]
