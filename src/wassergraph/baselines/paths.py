"""Shortest paths: how far nodes of which labels are from each other."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.baselines.counts import CountKernel
from wassergraph.distances.histograms import LabelBags
from wassergraph.embedding.labels import mix
from wassergraph.embedding.scheme import learn_scheme
from wassergraph.graphs.batch import GraphBatch

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")


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

    def _learn(self, batch: GraphBatch) -> LabelBags:
        self.scheme_ = learn_scheme(batch, kind="categorical", edge_labels="ignore")
        return self._paths(batch)

    def _represent(self, batch: GraphBatch) -> tuple[LabelBags, LabelBags]:
        return self._paths(batch), self._training

    def _paths(self, batch: GraphBatch) -> LabelBags:
        return Connections(batch).bags(self.scheme_.labels(batch).astype(np.uint64))


class Connections:
    """All ordered pairs of different, connected nodes of many graphs, and how far they are apart.

    With ``all_pairs`` also each node with itself, and pairs that are not connected, whose steps are -1.
    """

    def __init__(self, batch: GraphBatch, *, all_pairs: bool = False) -> None:
        listed = list_pairs(batch.node_ptr, batch.indptr, batch.indices, all_pairs)
        self.ptr, self.tails, self.heads, self.steps = listed

    def bags(self, labels: NDArray[np.uint64]) -> LabelBags:
        """Return the labels of all pairs: the code of (label, steps, label)."""
        scrambled = mix(labels)
        codes = mix(mix(scrambled[self.tails] + self.steps.astype(np.uint64)) + scrambled[self.heads])
        return LabelBags(self.ptr, codes[None])


@_jit
def walk(
    source: int, indptr: IntArray, indices: IntArray, base: int, steps: IntArray, order: IntArray, paths: FloatArray
) -> int:
    """Search a graph with nodes numbered from ``base`` breadth-first; return how many nodes the source reaches.

    ``order`` (n) receives them in the order of the search, ``steps`` (n) their distances, -1 for the others, and
    ``paths`` (n) the number of shortest paths to each.
    """
    steps[:] = -1
    paths[:] = 0.0
    steps[source], paths[source], order[0] = 0, 1.0, source
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
            if steps[w] == steps[u] + 1:
                paths[w] += paths[u]
    return n_reached


@_jit
def list_pairs(
    node_ptr: IntArray, indptr: IntArray, indices: IntArray, all_pairs: bool
) -> tuple[IntArray, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """List the pairs of all graphs, one graph after the other: where each graph begins, tails, heads and steps."""
    n_graphs = len(node_ptr) - 1
    ptr = np.zeros(n_graphs + 1, np.int64)
    largest = 1
    for g in range(n_graphs):
        largest = max(largest, node_ptr[g + 1] - node_ptr[g])
    steps, order, paths = np.empty(largest, np.int64), np.empty(largest, np.int64), np.empty(largest)
    for g in range(n_graphs):
        base, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        ptr[g + 1] = ptr[g] + (n * n if all_pairs else 0)
        for source in range(0 if all_pairs else n):  # all pairs are counted already
            ptr[g + 1] += walk(source, indptr, indices, base, steps[:n], order, paths[:n]) - 1
    total = ptr[n_graphs]
    tails, heads, n_steps = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.int32)
    position = 0
    for g in range(n_graphs):
        base, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        for source in range(n):
            walk(source, indptr, indices, base, steps[:n], order, paths[:n])
            for target in range(n):
                if all_pairs or steps[target] > 0:
                    tails[position], heads[position] = base + source, base + target
                    n_steps[position] = steps[target]
                    position += 1
    return ptr, tails, heads, n_steps
