"""The masses of nodes as integers, so that solvers add and compare them exactly."""

from __future__ import annotations

import itertools

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.metrics.node_embedding import NodeEmbedding


def weighted_total(nodes: int) -> int:
    """Return the integer mass of a graph with weighted nodes, if no graph has more than ``nodes`` of them.

    It is a power of two, so that multiplying by it is exact; and small enough that sums of floats are exact, and that
    the perturbed masses of the network simplex stay below 2^62.
    """
    return int(min(2**52, 2 ** (61 - (2 * nodes + 1).bit_length())))


def integer_masses(shares: FloatArray, ptr: IntArray, total: int) -> IntArray:
    """Round shares to positive integers that sum to ``total`` in every graph, by the largest remainders.

    Among equal remainders the larger shares are rounded up, so that the order of the nodes does not matter.
    """
    exact = shares * total
    mass = np.maximum(np.floor(exact), 1).astype(np.int64)
    for first, last in itertools.pairwise(ptr):
        in_graph = mass[first:last]
        rest = total - int(in_graph.sum())
        if 0 < rest <= len(in_graph):
            in_graph[np.lexsort((-exact[first:last], in_graph - exact[first:last]))[:rest]] += 1
        else:  # the shares do not sum to 1, or many of them were below 1 / total
            in_graph[np.argmax(in_graph)] += rest
    return mass


def node_masses(embedding: NodeEmbedding, *, weighted: bool, total: int) -> tuple[IntArray, IntArray]:
    """Return the integer masses of all nodes (n_nodes) and of all graphs (n_graphs).

    Without weights every node has a mass of 1, and a graph its number of nodes. With weights, on either side of a
    matrix, every graph has the mass ``total``.
    """
    sizes = np.diff(embedding.ptr).astype(np.int64)
    if not weighted:
        return np.ones(sizes.sum(), dtype=np.int64), sizes
    shares = np.repeat(1 / sizes, sizes) if embedding.weights is None else embedding.weights
    return integer_masses(shares, embedding.ptr, total), np.full(len(sizes), total, dtype=np.int64)
