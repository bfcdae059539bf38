"""Gaussian kernels on the continuous Weisfeiler–Lehman embedding: of all pairs of nodes, or of the sums of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np
from scipy.spatial.distance import cdist

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.baselines.kernel import GraphKernel, kernel_matrix
from wassergraph.distances.tiles import Tile, mirror_upper
from wassergraph.distances.work import node_pair_work
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.embed import embed_all, embed_new
from wassergraph.embedding.node_embedding import NodeEmbedding
from wassergraph.embedding.scheme import Standardize, learn_scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole
from wassergraph.kernels.laplacian import check_gamma

_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}
_jit = nb.njit(nogil=True, cache=True, fastmath=_FASTMATH, error_model="numpy")


class AttributeKernel(GraphKernel[NodeEmbedding]):
    """A kernel on node attributes that were averaged over neighbors ``depth`` times, as WWL does it."""

    def __init__(
        self,
        depth: int = 3,
        *,
        gamma: float | None = None,
        standardize: Standardize = False,
        isolated: Isolated = "halve",
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.depth = depth
        self.gamma = gamma
        self.standardize = standardize
        self.isolated = isolated
        self.normalize = normalize
        self.n_jobs = n_jobs
        self.progress = progress

    def _learn(self, batch: GraphBatch) -> NodeEmbedding:
        scheme = learn_scheme(batch, kind="continuous", standardize=self.standardize, isolated=self.isolated)
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
    standardize, isolated
        How nodes are embedded: see :func:`wassergraph.wl_embedding`.
    normalize : bool
        Changes nothing: every graph has a similarity of 1 to itself.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.

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
    RBFWL : all pairs of nodes in place of sums
    VertexHistogram : counts of node labels
    wl_embedding : the embedding of the nodes

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.ContinuousVertexHistogram().fit_transform(graphs).shape
    (60, 60)
    """

    def __init__(
        self,
        depth: int = 0,
        *,
        gamma: float | None = None,
        standardize: Standardize = False,
        isolated: Isolated = "halve",
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        super().__init__(
            depth,
            gamma=gamma,
            standardize=standardize,
            isolated=isolated,
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
    standardize, isolated
        How nodes are embedded: see :func:`wassergraph.wl_embedding`.
    normalize : bool
        Whether to divide by the root of k(G, G) k(G', G').
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.

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
    ContinuousVertexHistogram : the sums of the same embeddings
    GraphHopper : nodes along shortest paths
    wl_embedding : the embedding of the nodes

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.RBFWL(depth=2).fit(graphs[:40]).transform(graphs[40:]).shape
    (20, 40)
    """

    def _compare(self, left: NodeEmbedding, right: NodeEmbedding | None) -> FloatArray:
        other = left if right is None else right
        solve = GaussianSums(left.ptr, _points(left), other.ptr, _points(other), self.gamma_, right is None)
        work = node_pair_work(np.diff(left.ptr), np.diff(other.ptr), 4.0 + 0.3 * solve.left.shape[1])
        return kernel_matrix(solve, work, symmetric=right is None, n_jobs=self.n_jobs, progress=self.progress)

    def _self_similarity(self, graphs: NodeEmbedding) -> FloatArray:
        similarity = np.empty(len(graphs))
        self_sums(graphs.ptr, _points(graphs), self.gamma_, similarity)
        return similarity


@dataclass(frozen=True)
class GaussianSums:
    """Sums of a Gaussian kernel over all pairs of nodes, tile by tile."""

    left_ptr: IntArray
    left: FloatArray
    right_ptr: IntArray
    right: FloatArray
    gamma: float
    symmetric: bool

    def __call__(self, tile: Tile, stop: Stop) -> FloatArray:
        """Compute a tile (1, rows, columns)."""
        mirrored = self.symmetric and tile.on_diagonal
        out = np.zeros((1, *tile.shape))
        points = self.left_ptr, self.left, self.right_ptr, self.right
        gaussian_tile(*tile, mirrored, *points, self.gamma, stop, out[0])
        if mirrored:
            mirror_upper(out)
        return out


@_jit
def gaussian_sum(left: FloatArray, right: FloatArray, gamma: float) -> float:
    """Sum exp(-gamma ‖x - x'‖²) over all rows x of one matrix and x' of the other."""
    total = 0.0
    for v in range(len(left)):
        x = left[v]
        for w in range(len(right)):
            y = right[w]
            square = 0.0
            for t in range(len(x)):
                square += (x[t] - y[t]) ** 2
            total += np.exp(-gamma * square)
    return total


@_jit
def gaussian_tile(
    first_row: int,
    last_row: int,
    first_column: int,
    last_column: int,
    from_diagonal: bool,
    left_ptr: IntArray,
    left: FloatArray,
    right_ptr: IntArray,
    right: FloatArray,
    gamma: float,
    stop: Stop,
    out: FloatArray,
) -> None:
    """Fill a tile (rows, columns); with ``from_diagonal`` only entries with row ≤ column."""
    for i in range(first_row, last_row):
        rows = left[left_ptr[i] : left_ptr[i + 1]]
        for j in range(max(first_column, i) if from_diagonal else first_column, last_column):
            if stop[0]:
                return
            out[i - first_row, j - first_column] = gaussian_sum(rows, right[right_ptr[j] : right_ptr[j + 1]], gamma)


@_jit
def self_sums(ptr: IntArray, points: FloatArray, gamma: float, out: FloatArray) -> None:
    """Compute the similarity of every graph to itself."""
    for i in range(len(ptr) - 1):
        rows = points[ptr[i] : ptr[i + 1]]
        out[i] = gaussian_sum(rows, rows, gamma)
