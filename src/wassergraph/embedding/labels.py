"""Categorical embedding: node labels refined by the Weisfeiler–Lehman scheme, as 64-bit codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.embedding.node_embedding import Codes
from wassergraph.graphs.batch import GraphBatch


class CollisionError(ArithmeticError):
    """Two different neighborhoods have the same 64-bit code."""


def wl_codes(graphs: GraphBatch, labels: IntArray, depth: int, *, salt: int = 0) -> Codes:
    """Refine labels: ℓ^{h+1}(v) = hash(ℓ^h(v), {ℓ^h(u) : u neighbor of v}) for h < depth, as codes (depth + 1,
    n_nodes).

    A code depends on the content of the neighborhood alone, so it is the same in every batch, process and machine.
    """
    codes = np.empty((depth + 1, graphs.n_nodes), dtype=np.uint64)
    codes[0] = mix(labels.astype(np.uint64) + mix(np.uint64(salt)))
    for h in range(depth):
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mix(codes[h][graphs.indices]), dtype=np.uint64)])
        neighbors = sums[graphs.indptr[1:]] - sums[graphs.indptr[:-1]]  # modulo 2^64, like all sums here
        codes[h + 1] = mix(mix(codes[h] ^ np.uint64(0x5851F42D4C957F2D)) + neighbors)
        _check_codes(graphs, codes[h], codes[h + 1])
    return codes


def mix(values: Any) -> Any:
    """Scramble 64-bit integers one to one (the finalizer of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = values + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _check_codes(graphs: GraphBatch, before: Codes, after: Codes) -> None:
    """Make sure that nodes with the same new code have the same old code and the same old codes around them."""
    _, first, group = np.unique(after, return_index=True, return_inverse=True)
    if len(first) == len(after):
        return  # every node has a code of its own
    # Only nodes that share a code with another need a look, and the node that stands for all with their code.
    model = first[group]
    twins = np.flatnonzero(model != np.arange(len(model)))
    _check_alike(graphs, before, twins, graphs, before, model[twins])


def check_across(graphs: GraphBatch, codes: Codes | None, others: GraphBatch, other_codes: Codes | None) -> None:
    """Make sure that no neighborhood of one batch has the code of another neighborhood in another batch.

    Within each batch this is known, so one node for every code that both have is enough; others may be many.
    """
    if codes is None or other_codes is None or not graphs.n_nodes:
        return
    for h in range(1, len(codes)):
        kinds, mine = np.unique(codes[h], return_index=True)
        place = np.minimum(np.searchsorted(kinds, other_codes[h]), len(kinds) - 1)
        shared = np.flatnonzero(kinds[place] == other_codes[h])
        theirs = np.full(len(kinds), -1)
        theirs[place[shared]] = shared
        both = theirs >= 0
        _check_alike(graphs, codes[h - 1], mine[both], others, other_codes[h - 1], theirs[both])


def _check_alike(
    graphs: GraphBatch, codes: Codes, nodes: IntArray, others: GraphBatch, other_codes: Codes, other_nodes: IntArray
) -> None:
    """Make sure that nodes and other nodes, pair by pair, have the same code and the same codes around them."""
    same = (codes[nodes] == other_codes[other_nodes]) & (graphs.degrees[nodes] == others.degrees[other_nodes])
    if not same.all() or not np.array_equal(_around(graphs, codes, nodes), _around(others, other_codes, other_nodes)):
        raise CollisionError("two different neighborhoods have the same 64-bit code")


def _around(graphs: GraphBatch, codes: Codes, nodes: IntArray) -> Codes:
    """Give the sorted codes of the neighbors of some nodes, one node behind the other."""
    degrees = graphs.degrees[nodes]
    ends = np.cumsum(degrees)
    arcs = np.repeat(graphs.indptr[nodes] - ends + degrees, degrees) + np.arange(ends[-1] if len(ends) else 0)
    owner = np.repeat(np.arange(len(nodes)), degrees)
    found: Codes = codes[graphs.indices[arcs]]
    return np.asarray(found[np.lexsort((found, owner))])
