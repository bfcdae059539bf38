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
        """Count the pairs of each graph by the code of (label, steps, label), in memory linear in what is counted."""
        graphs = self.batch.node_ptr, self.batch.indptr, self.batch.indices
        ptr, codes, counts = count_pairs(*graphs, mix(labels), self.all_pairs)
        return CountedLabels(ptr, codes[None], counts)


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
    node_ptr: IntArray, indptr: IntArray, indices: IntArray, labels: NDArray[np.uint64], all_pairs: bool
) -> tuple[IntArray, NDArray[np.uint64], IntArray]:
    """Count the pairs of all graphs, one graph after the other: where each graph begins, different codes, and counts.

    Pairs are counted source by source, so that only their codes, once each, and the pairs of one source are held.
    """
    ptr = np.zeros(len(node_ptr), np.int64)
    codes, counts = np.empty(_FIRST_LENGTH, np.uint64), np.empty(_FIRST_LENGTH, np.int64)
    for g in range(len(node_ptr) - 1):
        base, n, end = node_ptr[g], node_ptr[g + 1] - node_ptr[g], ptr[g]
        steps, order, found = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.uint64)
        slots = np.full(_FIRST_LENGTH, -1)
        for source in range(n):
            n_reached = reach(source, indptr, indices, base, steps, order)
            n_found = _encode(order[:n_reached], steps, labels[base : base + n], all_pairs, found)
            if end + n_found > len(codes):
                codes, counts = _lengthen(codes, counts, end + n_found)
            if 2 * (end - ptr[g] + n_found) > len(slots):
                slots = _find_slots(codes[ptr[g] : end], 4 * (end - ptr[g] + n_found))
            end = _tally(found[:n_found], ptr[g], end, slots, codes, counts)
        ptr[g + 1] = end
    return ptr, codes[: ptr[-1]].copy(), counts[: ptr[-1]].copy()


@_jit
def _encode(
    order: IntArray, steps: IntArray, labels: NDArray[np.uint64], all_pairs: bool, codes: NDArray[np.uint64]
) -> int:
    """Write the codes of the pairs of one source, from which nodes were reached in this order; return their number."""
    source, distance, tail, n_codes = order[0], np.int64(-1), np.uint64(0), 0
    for position in range(0 if all_pairs else 1, len(order)):
        v = order[position]
        if steps[v] != distance:
            distance = steps[v]
            tail = _mix(labels[source] + np.uint64(distance))
        codes[n_codes] = _mix(tail + labels[v])
        n_codes += 1
    tail = _mix(labels[source] + np.uint64(-1))
    for v in range(len(steps) if all_pairs and len(order) < len(steps) else 0):
        if steps[v] < 0:
            codes[n_codes] = _mix(tail + labels[v])
            n_codes += 1
    return n_codes


@_jit
def _mix(value: np.uint64) -> np.uint64:
    """Scramble a 64-bit integer like :func:`wassergraph.embedding.labels.mix`."""
    z = value + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@_jit
def _tally(
    found: NDArray[np.uint64],
    begin: int,
    end: int,
    slots: IntArray,
    codes: NDArray[np.uint64],
    counts: IntArray,
) -> int:
    """Count codes of a graph whose different codes begin at ``begin`` and end before ``end``; return the new end."""
    for t in range(len(found)):
        slot = _find(found[t], begin, slots, codes)
        item = slots[slot]
        if item < 0:
            item = end - begin
            slots[slot], codes[end], counts[end] = item, found[t], 0
            end += 1
        counts[begin + item] += 1
    return end


@_jit
def _find(code: np.uint64, begin: int, slots: IntArray, codes: NDArray[np.uint64]) -> np.uint64:
    """Return the place of a code in a table, or the free one where it belongs; codes are scrambled already."""
    last = np.uint64(len(slots) - 1)
    slot = code & last
    while slots[slot] >= 0 and codes[begin + slots[slot]] != code:
        slot = (slot + np.uint64(1)) & last
    return slot


@_jit
def _find_slots(codes: NDArray[np.uint64], at_least: int) -> IntArray:
    """Return a table of a length that is a power of 2 with the places of different codes."""
    length = _FIRST_LENGTH
    while length < at_least:
        length *= 2
    slots = np.full(length, -1)
    for item in range(len(codes)):
        slots[_find(codes[item], 0, slots, codes)] = item
    return slots


@_jit
def _lengthen(codes: NDArray[np.uint64], counts: IntArray, at_least: int) -> tuple[NDArray[np.uint64], IntArray]:
    """Return longer arrays with the same codes and counts."""
    longer = np.empty(at_least + at_least // 2, np.uint64), np.empty(at_least + at_least // 2, np.int64)
    longer[0][: len(codes)], longer[1][: len(codes)] = codes, counts
    return longer
