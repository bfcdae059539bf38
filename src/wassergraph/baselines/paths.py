"""Shortest paths: how far nodes of which labels are from each other."""

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.baselines.counts import CountedLabels, CountKernel
from wassergraph.distances.histograms import LabelBags
from wassergraph.embedding.labels import mix
from wassergraph.embedding.scheme import learn_scheme
from wassergraph.graphs.batch import GraphBatch

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")
#: The length of the first arrays and tables; a power of 2.
_FIRST_LENGTH = 256
#: Odd numbers below 2^31 that scramble the lower and the upper half of a key: their products do not overflow.
_LOWER, _UPPER = 0x1E3779B1, 0x45EBCA6B
_HALF_MASK = 0xFFFFFFFF


class ShortestPath(CountKernel):
    """Kernel of labels and how far apart they are (Borgwardt and Kriegel 2005): k(G, G') = Σ_t n(t) n'(t).

    n(t) is the number of ordered pairs of different, connected nodes (u, v) of G with t = (label of u, steps from u to
    v, label of v). Every edge counts as one step; weights are ignored. In graphs without labels the
    degree of a node is its label.

    Parameters
    ----------
    normalize : bool
        Whether to divide by the root of k(G, G) k(G', G'); graphs without edges have a similarity of 0 to all graphs.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.

    Attributes
    ----------
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    n_train_ : int
        The number of training graphs.

    Notes
    -----
    Pairs are counted source by source, and never listed: for each graph, the memory is proportional to its nodes and to
    the number of different t. With l labels and distances up to d there are at most l² d of these; if every node has
    a label of its own, there are as many as pairs of nodes.

    See Also
    --------
    GraphHopper : the nodes along shortest paths
    HashGraphKernel : shortest paths between hashed attributes
    VertexHistogram : counts of node labels

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.ShortestPath().fit_transform(wg.from_smiles(["CCO", "OCC"]))
    array([[8., 8.],
           [8., 8.]])
    """

    def _learn(self, batch: GraphBatch) -> CountedLabels:
        self.scheme_ = learn_scheme(batch, kind="categorical", edge_labels="ignore")
        return self._paths(batch)

    def _represent(self, batch: GraphBatch) -> tuple[LabelBags, LabelBags]:
        return self._paths(batch), self._training

    def _paths(self, batch: GraphBatch) -> CountedLabels:
        return Connections(batch).count(self.scheme_.labels(batch).astype(np.uint64))


@dataclass(frozen=True)
class Connections:
    """All ordered pairs of different, connected nodes of many graphs, which are never listed.

    With ``all_pairs`` also each node with itself, and pairs that are not connected, whose steps are -1.
    """

    batch: GraphBatch
    all_pairs: bool = False

    def count(self, labels: NDArray[np.uint64]) -> CountedLabels:
        """Count the pairs of each graph by the code of (label, steps, label)."""
        distinct, numbers = np.unique(labels, return_inverse=True)
        sizes = len(distinct), int(self.batch.sizes.max(initial=0)) + 1
        graphs = self.batch.node_ptr, self.batch.indptr, self.batch.indices
        ptr, keys, counts = count_pairs(*graphs, numbers, *sizes, self.all_pairs)
        return CountedLabels(ptr, _encode(keys, mix(distinct), *sizes)[None], counts)


def _encode(keys: IntArray, labels: NDArray[np.uint64], n_labels: int, n_steps: int) -> NDArray[np.uint64]:
    """Return the codes of pairs that are numbered by the labels of both nodes and the steps between them."""
    keys, heads = np.divmod(keys, max(n_labels, 1))
    tails, steps = np.divmod(keys, n_steps)
    return mix(mix(labels[tails] + (steps - 1).astype(np.uint64)) + labels[heads])


@_jit
def reach(source: int, indptr: IntArray, indices: IntArray, base: int, steps: IntArray, order: IntArray) -> int:
    """Search a graph with nodes numbered from ``base`` breadth-first; return how many nodes the source reaches.

    ``order`` (n) receives them in the order of the search, and ``steps`` (n) their distances, -1 for the others.
    """
    steps[:] = -1
    steps[source], order[0] = 0, source
    n_reached, position = 1, 0
    while position < n_reached:
        u = order[position]
        position += 1
        for k in range(indptr[base + u], indptr[base + u + 1]):
            w = indices[k] - base
            if steps[w] < 0:
                steps[w] = steps[u] + 1
                order[n_reached] = w
                n_reached += 1
    return n_reached


@_jit
def count_pairs(
    node_ptr: IntArray,
    indptr: IntArray,
    indices: IntArray,
    labels: IntArray,
    n_labels: int,
    n_steps: int,
    all_pairs: bool,
) -> tuple[IntArray, IntArray, IntArray]:
    """Count the pairs of all graphs, one graph after the other: where each graph begins, different keys, and counts.

    The key of a pair is (tail * n_steps + steps + 1) * n_labels + head, with the labels of both nodes. Pairs are
    counted source by source, so that only the different keys, and the pairs of one source, are held.
    """
    ptr = np.zeros(len(node_ptr), np.int64)
    keys, counts = np.empty(_FIRST_LENGTH, np.int64), np.empty(_FIRST_LENGTH, np.int64)
    for g in range(len(node_ptr) - 1):
        base, n, end = node_ptr[g], node_ptr[g + 1] - node_ptr[g], ptr[g]
        steps, order, pairs = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
        slots = np.full(_FIRST_LENGTH, -1)
        for source in range(n):
            n_reached = reach(source, indptr, indices, base, steps, order)
            tail = labels[base + source] * n_steps + 1
            n_pairs = _list_pairs(tail, n_labels, order[:n_reached], steps, labels[base : base + n], all_pairs, pairs)
            if end + n_pairs > len(keys):
                keys, counts = _lengthen(keys, end + n_pairs), _lengthen(counts, end + n_pairs)
            if 2 * (end - ptr[g] + n_pairs) > len(slots):
                slots = _find_slots(keys[ptr[g] : end], 4 * (end - ptr[g] + n_pairs))
            end = _tally(pairs[:n_pairs], slots, ptr[g], end, keys, counts)
        ptr[g + 1] = end
    return ptr, keys[: ptr[-1]].copy(), counts[: ptr[-1]].copy()


@_jit
def _list_pairs(
    tail: int, n_labels: int, order: IntArray, steps: IntArray, labels: IntArray, all_pairs: bool, pairs: IntArray
) -> int:
    """Write the keys of the pairs of one source, which reached nodes in this order; return how many there are."""
    n_pairs = 0
    for position in range(0 if all_pairs else 1, len(order)):
        v = order[position]
        pairs[n_pairs] = (tail + steps[v]) * n_labels + labels[v]
        n_pairs += 1
    if all_pairs and len(order) < len(steps):
        for v in range(len(steps)):
            if steps[v] < 0:
                pairs[n_pairs] = (tail - 1) * n_labels + labels[v]
                n_pairs += 1
    return n_pairs


@_jit
def _tally(pairs: IntArray, slots: IntArray, begin: int, end: int, keys: IntArray, counts: IntArray) -> int:
    """Count keys of a graph whose different keys begin at ``begin`` and end before ``end``; return the new end."""
    for t in range(len(pairs)):
        slot = _find(pairs[t], slots, keys[begin:])
        if slots[slot] < 0:
            slots[slot], keys[end], counts[end] = end - begin, pairs[t], 0
            end += 1
        counts[begin + slots[slot]] += 1
    return end


@_jit
def _find(key: int, slots: IntArray, keys: IntArray) -> int:
    """Return the place of a key in a table, or the free one where it belongs."""
    last = len(slots) - 1
    scrambled = ((key & _HALF_MASK) * _LOWER) ^ ((key >> 32) * _UPPER)
    scrambled ^= scrambled >> 32
    slot = (scrambled ^ (scrambled >> 16)) & last
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & last
    return slot


@_jit
def _find_slots(keys: IntArray, at_least: int) -> IntArray:
    """Return a table with the places of different keys; its length is a power of 2."""
    length = _FIRST_LENGTH
    while length < at_least:
        length *= 2
    slots = np.full(length, -1)
    for item in range(len(keys)):
        slots[_find(keys[item], slots, keys)] = item
    return slots


@_jit
def _lengthen(values: IntArray, at_least: int) -> IntArray:
    """Return a longer array that begins with the same values."""
    longer = np.empty(at_least + at_least // 2, np.int64)
    longer[: len(values)] = values
    return longer
