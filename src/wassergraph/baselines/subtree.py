"""Kernels on Weisfeiler–Lehman labels: shared subtrees, and their optimal assignment."""

from __future__ import annotations

from wassergraph.baselines.counts import CountKernel
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole
from wassergraph.metrics.decisions import EdgeLabels
from wassergraph.metrics.embed import embed_all, embed_new
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.histograms import LabelBags


class WLSubtree(CountKernel):
    """Kernel of the Weisfeiler–Lehman subtrees that graphs share (Shervashidze and Borgwardt 2009), the paper's WL.

    k(G, G') = Σ_{h ≤ depth} Σ_c n_h(c) n'_h(c), where n_h(c) is how many nodes of G have the label c after h
    iterations. In graphs without labels the degree of a node is its label, as in
    :class:`wassergraph.WWL`.

    Parameters
    ----------
    depth : int
        The iterations, the paper's h; 0 is the vertex histogram.
    edge_labels : "auto", "use" or "ignore"
        Whether labels are refined over edge labels: see :class:`wassergraph.WWL`.
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
    baselines.WLOptimalAssignment : the same labels, assigned to each other
    distances : distances that compare the same labels
    baselines.VertexHistogram : counts of node labels

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> kernel = wg.baselines.WLSubtree(depth=2)
    >>> kernel.fit_transform(graphs[:40]).shape, kernel.transform(graphs[40:]).shape
    ((40, 40), (20, 40))
    >>> kernel.features(graphs[40:]).shape[0]  # sparse, with a column for each label
    20
    """

    def __init__(
        self,
        depth: int = 3,
        *,
        edge_labels: EdgeLabels = "auto",
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.depth = depth
        self.edge_labels = edge_labels
        super().__init__(normalize=normalize, n_jobs=n_jobs, progress=progress)

    def _learn(self, batch: GraphBatch) -> LabelBags:
        scheme = WWL(kind="categorical", edge_labels=self.edge_labels).learn(batch)
        depth = check_whole("depth", self.depth, 0)
        self.scheme_, (self._embedding,) = embed_all(scheme, [batch], depth, [None])
        self._graphs = batch
        return _labels(self._embedding)

    def _represent(self, batch: GraphBatch) -> tuple[LabelBags, LabelBags]:
        new, training = embed_new(self.scheme_, self._graphs, self._embedding, batch)
        return _labels(new), _labels(training)


def _labels(embedding: NodeEmbedding) -> LabelBags:
    assert embedding.codes is not None
    return LabelBags(embedding.ptr, embedding.codes)


class WLOptimalAssignment(WLSubtree):
    """Kernel of the best assignment of nodes by Weisfeiler–Lehman labels (Kriege et al. 2016), WL-OA.

    The similarity of two nodes is the number of iterations, 0 … depth, after which they have the same label, and
    k(G, G') is the largest sum over one-to-one assignments. Since labels only ever refine, that is the intersection of
    histograms, Σ_{h ≤ depth} Σ_c min(n_h(c), n'_h(c)), and a positive definite kernel. Nodes of the
    larger graph that are not assigned contribute nothing. The product of ``features`` is not this kernel.

    Parameters
    ----------
    depth, edge_labels, normalize, n_jobs, progress
        As in :class:`wassergraph.baselines.WLSubtree`.

    Attributes
    ----------
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    n_train_ : int
        The number of training graphs.

    See Also
    --------
    baselines.WLSubtree : counts of Weisfeiler–Lehman labels
    distances : the optimal transport between the same labels

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.baselines.WLOptimalAssignment(depth=1).fit_transform(wg.from_smiles(["CCO", "CCN"]))
    array([[6., 3.],
           [3., 6.]])
    """

    intersect = True
