"""Gaussian kernels on the continuous Weisfeiler–Lehman embedding: of all pairs of nodes, or of the sums of nodes."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from wassergraph import _core
from wassergraph.arrays import FloatArray
from wassergraph.baselines.kernel import GraphKernel, core_tiles, diagonal, kernel_matrix
from wassergraph.baselines.points import pack_points
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole
from wassergraph.kernels.laplacian import check_gamma
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.decisions import Standardize
from wassergraph.metrics.embed import embed_all, embed_new
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.compute import SolveTile
from wassergraph.pairwise.tiles import Work
from wassergraph.pairwise.work import node_pair_work


class AttributeKernel(GraphKernel[NodeEmbedding]):
    """A kernel on node attributes that were averaged over neighbors ``depth`` times, as WWL does it."""

    def __init__(
        self,
        depth: int = 3,
        *,
        gamma: float | None = None,
        standardize: Standardize = False,
        isolated_nodes: Isolated = "halve",
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.depth = depth
        self.gamma = gamma
        self.standardize = standardize
        self.isolated_nodes = isolated_nodes
        super().__init__(normalize=normalize, n_jobs=n_jobs, progress=progress)

    def _learn(self, batch: GraphBatch) -> NodeEmbedding:
        scheme = WWL(kind="continuous", standardize=self.standardize, isolated_nodes=self.isolated_nodes).learn(batch)
        self.gamma_ = check_gamma(1.0 / scheme.n_attributes if self.gamma is None else self.gamma)
        self.scheme_, (embedding,) = embed_all(scheme, [batch], check_whole("depth", self.depth, 0), [None])
        self._graphs = batch
        return embedding

    def _represent(self, batch: GraphBatch) -> tuple[NodeEmbedding, NodeEmbedding]:
        return embed_new(self.scheme_, self._graphs, self._training, batch)


class ContinuousVertexHistogram(AttributeKernel):
    """Kernel of the sums of node embeddings, the paper's VH-C: k(G, G') = exp(-gamma ‖Σ_v x_v - Σ_v' x'_v'‖²).

    x_v is the embedding of a node, by default its attributes alone (depth 0). The paper does not state the depth.

    Parameters
    ----------
    depth : int
        How many times attributes are averaged over neighbors before they are summed.
    gamma : float, optional
        By default 1/m, with m the number of attributes, as in the paper.
    standardize, isolated_nodes
        How nodes are embedded: see :class:`wassergraph.WWL`.
    normalize : bool
        Changes nothing: every graph has a similarity of 1 to itself.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Attributes
    ----------
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    gamma_ : float
        The value of gamma that is used.
    n_train_ : int
        The number of training graphs.

    See Also
    --------
    baselines.RBFWL : all pairs of nodes in place of sums
    baselines.VertexHistogram : counts of node labels
    WWL : how nodes are embedded

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.baselines.ContinuousVertexHistogram().fit_transform(graphs).shape
    (60, 60)
    """

    def __init__(
        self,
        depth: int = 0,
        *,
        gamma: float | None = None,
        standardize: Standardize = False,
        isolated_nodes: Isolated = "halve",
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        super().__init__(
            depth,
            gamma=gamma,
            standardize=standardize,
            isolated_nodes=isolated_nodes,
            normalize=normalize,
            n_jobs=n_jobs,
            progress=progress,
        )

    def _compare(self, left: NodeEmbedding, right: NodeEmbedding | None) -> FloatArray:
        rows = _sums(left)
        squares = cdist(rows, rows if right is None else _sums(right), "sqeuclidean")
        return np.asarray(np.exp(-self.gamma_ * squares))

    def _self_similarity(self, graphs: NodeEmbedding) -> FloatArray:
        return np.ones(len(graphs))


def _points(embedding: NodeEmbedding) -> FloatArray:
    assert embedding.points is not None
    return np.ascontiguousarray(embedding.points)


def _sums(embedding: NodeEmbedding) -> FloatArray:
    points = _points(embedding)
    if not len(embedding):
        return np.empty((0, points.shape[1]))
    return np.asarray(np.add.reduceat(points, embedding.ptr[:-1], axis=0))


class RBFWL(AttributeKernel):
    """Sum of a Gaussian kernel over all pairs of nodes, the paper's RBF-WL.

    k(G, G') = Σ_v Σ_v' exp(-gamma ‖x_v - x'_v'‖²), where x_v is the continuous Weisfeiler–Lehman embedding of a node,
    the same as for WWL. The matrix of all nodes with all nodes is never kept in memory.

    Parameters
    ----------
    depth : int
        The iterations, the paper's H.
    gamma : float, optional
        By default 1/m, with m the number of attributes, as in the paper.
    standardize, isolated_nodes
        How nodes are embedded: see :class:`wassergraph.WWL`.
    normalize : bool
        Whether to divide by the root of k(G, G) k(G', G').
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Attributes
    ----------
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    gamma_ : float
        The value of gamma that is used.
    n_train_ : int
        The number of training graphs.

    See Also
    --------
    baselines.ContinuousVertexHistogram : the sums of the same embeddings
    baselines.GraphHopper : nodes along shortest paths
    WWL : how nodes are embedded

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.baselines.RBFWL(depth=2).fit(graphs[:40]).transform(graphs[40:]).shape
    (20, 40)
    """

    def _compare(self, left: NodeEmbedding, right: NodeEmbedding | None) -> FloatArray:
        solve, work = self._sums(left, right)
        return kernel_matrix(solve, work, symmetric=right is None, n_jobs=self.n_jobs, progress=self.progress)

    def _self_similarity(self, graphs: NodeEmbedding) -> FloatArray:
        return diagonal(*self._sums(graphs, None), n_jobs=self.n_jobs)

    def _sums(self, left: NodeEmbedding, right: NodeEmbedding | None) -> tuple[SolveTile, Work]:
        """Return what sums over pairs of nodes, tile by tile, and the work of it."""
        rows = pack_points(left.ptr, _points(left))
        columns = rows if right is None else pack_points(right.ptr, _points(right))
        work = node_pair_work(np.diff(rows.ptr), np.diff(columns.ptr), 2.0 + 0.1 * rows.width)
        return core_tiles(_core.gaussian_tile, rows, columns, self.gamma_, symmetric=right is None), work
