"""Histograms: how often each label occurs among the nodes, or among the edges."""

from __future__ import annotations

import numpy as np

from wassergraph.baselines.counts import CountKernel
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.histograms import LabelBags


class VertexHistogram(CountKernel):
    """Kernel of the counts of node labels, the paper's V: k(G, G') = Σ_c n(c) n'(c).

    n(c) is the number of nodes of G with the label c. In graphs without labels the degree of a node is its label.

    Parameters
    ----------
    normalize : bool
        Whether to divide by the root of k(G, G) k(G', G').
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Attributes
    ----------
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    n_train_ : int
        The number of training graphs.

    See Also
    --------
    baselines.EdgeHistogram : counts of edge labels
    baselines.WLSubtree : counts of Weisfeiler–Lehman labels
    baselines.ContinuousVertexHistogram : sums of node attributes

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.baselines.VertexHistogram().fit(graphs[:40]).transform(graphs[40:]).shape
    (20, 40)
    """

    def _learn(self, batch: GraphBatch) -> LabelBags:
        self.scheme_ = WWL(kind="categorical", edge_labels="ignore").learn(batch)
        return self._form(batch)

    def _form(self, batch: GraphBatch) -> LabelBags:
        return LabelBags(batch.node_ptr, self.scheme_.labels(batch).astype(np.uint64)[None])


class EdgeHistogram(CountKernel):
    """Kernel of the counts of edge labels, the paper's E: k(G, G') = Σ_c m(c) m'(c).

    m(c) is the number of edges of G with the label c. Both directions of an edge count, as in GraKeL: the kernel is
    four times that of edges counted once, which changes neither a normalized kernel nor, once C is chosen, an SVM.
    Without edge labels all edges have the same label.

    Parameters
    ----------
    normalize : bool
        Whether to divide by the root of k(G, G) k(G', G'); graphs without edges have a similarity of 0 to all graphs.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Attributes
    ----------
    n_train_ : int
        The number of training graphs.

    See Also
    --------
    baselines.VertexHistogram : counts of node labels
    baselines.ShortestPath : counts of pairs of labels, and how far apart they are

    Examples
    --------
    >>> import wassergraph as wg
    >>> molecules = wg.from_smiles(["CCO", "CC=O"])
    >>> wg.baselines.EdgeHistogram().fit_transform(molecules)
    array([[16.,  8.],
           [ 8.,  8.]])
    """

    def _learn(self, batch: GraphBatch) -> LabelBags:
        self._labeled = batch.edge_labels is not None
        return self._form(batch)

    def _form(self, batch: GraphBatch) -> LabelBags:
        if self._labeled and batch.edge_labels is None and batch.n_arcs:
            raise ValueError("these graphs have no edge labels, but the kernel was fitted on graphs that have them")
        labels = np.zeros(batch.n_arcs, dtype=np.int64)
        if self._labeled and batch.edge_labels is not None:
            labels = batch.edge_labels
        return LabelBags(batch.indptr[batch.node_ptr], labels.astype(np.uint64)[None])
