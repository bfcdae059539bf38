"""Shortest paths: how far nodes of which labels are from each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph import _core
from wassergraph.arrays import IntArray
from wassergraph.baselines.counts import CountedLabels, CountKernel
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.labels import mix
from wassergraph.metrics.wwl import WWL


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
        As in :func:`wassergraph.distances`.

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
    baselines.GraphHopper : the nodes along shortest paths
    baselines.HashGraphKernel : shortest paths between hashed attributes
    baselines.VertexHistogram : counts of node labels

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.baselines.ShortestPath().fit_transform(wg.from_smiles(["CCO", "OCC"]))
    array([[8., 8.],
           [8., 8.]])
    """

    def _learn(self, batch: GraphBatch) -> CountedLabels:
        self.scheme_ = WWL(kind="categorical", edge_labels="ignore").learn(batch)
        return self._form(batch)

    def _form(self, batch: GraphBatch) -> CountedLabels:
        return count_connected(batch, self.scheme_.labels(batch).astype(np.uint64))


def count_connected(batch: GraphBatch, labels: NDArray[np.uint64], *, all_pairs: bool = False) -> CountedLabels:
    """Count the ordered pairs of different, connected nodes of each graph by the code of (label, steps, label).

    With ``all_pairs`` also each node with itself, and pairs that are not connected, whose steps are -1.
    """
    distinct, numbers = np.unique(labels, return_inverse=True)
    sizes = len(distinct), int(batch.sizes.max(initial=0)) + 1
    ptr, keys, counts = _core.count_pairs(batch.node_ptr, batch.indptr, batch.indices, numbers, *sizes, all_pairs)
    return CountedLabels(ptr, _encode(keys, mix(distinct), *sizes)[None], counts)


def _encode(keys: IntArray, labels: NDArray[np.uint64], n_labels: int, n_steps: int) -> NDArray[np.uint64]:
    """Return the codes of pairs that are numbered by the labels of both nodes and the steps between them."""
    keys, heads = np.divmod(keys, max(n_labels, 1))
    tails, steps = np.divmod(keys, n_steps)
    return mix(mix(labels[tails] + (steps - 1).astype(np.uint64)) + labels[heads])
