"""The GraphHopper kernel: nodes that have the same position on shortest paths of the same length."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from wassergraph import _core
from wassergraph.arrays import FloatArray
from wassergraph.baselines.hops import Hops, hops_of_labels, hops_of_points, window_weights
from wassergraph.baselines.kernel import GraphKernel, core_tiles, diagonal, kernel_matrix
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import check_gamma
from wassergraph.metrics.decisions import Standardize
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.compute import SolveTile
from wassergraph.pairwise.tiles import Work
from wassergraph.pairwise.work import node_pair_work

#: In the order of their numbers in the compiled core.
NodeKernel: TypeAlias = Literal["gaussian", "linear", "dirac"]


class GraphHopper(GraphKernel[Hops]):
    """Kernel of the nodes along all pairs of equally long shortest paths (Feragen et al. 2013), the paper's GH.

    k(G, G') = Σ_π Σ_π' Σ_i k_node(π_i, π'_i), over all shortest paths π of G and π' of G' with as many steps, paths of
    no step included, each counted in both directions, and all shortest ones between two nodes. Sorting the sum by nodes
    gives

        k(G, G') = Σ_v Σ_v' k_node(v, v') ⟨M(v), M(v')⟩

    where M(v)[a, b] counts how often v is the a-th node of a shortest path of b steps. Every edge counts as one step;
    weights are ignored.

    Parameters
    ----------
    node_kernel : "gaussian", "linear" or "dirac"
        exp(-gamma ‖x - x'‖²) or xᵀx' of the attributes, or whether the labels are equal.
    gamma : float, optional
        That of the Gaussian kernel; by default 1/m, with m the number of attributes, as in the paper.
    standardize : bool or "auto"
        Whether to shift and scale attributes to mean 0 and variance 1 over the nodes of the training graphs; "auto" as
        in :class:`wassergraph.WWL`.
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

    Notes
    -----
    Of each node at most 1024 counts (8 KiB) are held at a time, so the memory is proportional to the nodes of all
    graphs. That is all of M(v) in graphs with at most 62 steps between any two nodes. Counts of longer paths are
    computed in parts, which are not kept. For two graphs of n nodes whose longest shortest paths have d steps, the time
    is that of n² d² / 4 products, and with "dirac", where nodes of the same label are added up first, of d² / 4 for
    each label, besides n² d for the counts of each graph. Two paths of 5,000 nodes take hours with "gaussian" or
    "linear".

    See Also
    --------
    baselines.ShortestPath : shortest paths between labels
    baselines.RBFWL : a Gaussian kernel of all pairs of nodes
    baselines.HashGraphKernel : attributes that are hashed to labels

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.baselines.GraphHopper().fit(graphs[:40]).transform(graphs[40:]).shape
    (20, 40)
    """

    def __init__(
        self,
        *,
        node_kernel: NodeKernel = "gaussian",
        gamma: float | None = None,
        standardize: Standardize = False,
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.node_kernel = node_kernel
        self.gamma = gamma
        self.standardize = standardize
        super().__init__(normalize=normalize, n_jobs=n_jobs, progress=progress)

    def _learn(self, batch: GraphBatch) -> Hops:
        if self.node_kernel not in get_args(NodeKernel):
            raise ValueError(f"node_kernel must be one of {get_args(NodeKernel)}, got {self.node_kernel!r}")
        if self.node_kernel == "dirac":
            self.scheme_ = WWL(kind="categorical", edge_labels="ignore").learn(batch)
        else:
            self.scheme_ = WWL(kind="continuous", standardize=self.standardize).learn(batch)
        self._kernel = get_args(NodeKernel).index(self.node_kernel)
        self.gamma_ = check_gamma(1.0 / max(self.scheme_.n_attributes, 1) if self.gamma is None else self.gamma)
        return self._form(batch)

    def _form(self, batch: GraphBatch) -> Hops:
        if self.scheme_.kind == "categorical":
            return hops_of_labels(batch, self.scheme_.labels(batch))
        return hops_of_points(batch, self.scheme_.attributes(batch))

    def _compare(self, left: Hops, right: Hops | None) -> FloatArray:
        other = left if right is None else right
        kernel = np.zeros((len(left), len(other)))
        for window in range(min(left.n_windows, other.n_windows)):
            solve, work = self._sums(left, right, window)
            kernel += kernel_matrix(solve, work, symmetric=right is None, n_jobs=self.n_jobs, progress=self.progress)
        return kernel

    def _self_similarity(self, graphs: Hops) -> FloatArray:
        similarity = np.zeros(len(graphs))
        for window in range(graphs.n_windows):
            similarity += diagonal(*self._sums(graphs, None, window), n_jobs=self.n_jobs)
        return similarity

    def _sums(self, left: Hops, right: Hops | None, window: int) -> tuple[SolveTile, Work]:
        """Return what sums over pairs of rows of one window, tile by tile, and the work of it.

        The terms are the kernel of two nodes times how often both have the same position.
        """
        rows = left.tables(window)
        columns = rows if right is None else right.tables(window)
        sizes = np.diff(left.ptr), np.diff((left if right is None else right).ptr)
        arguments = rows, columns, window_weights(window), self._kernel, self.gamma_
        work = node_pair_work(*sizes, 2.0 + 0.1 * left.mean_width(window))
        return core_tiles(_core.hop_tile, *arguments, symmetric=right is None), work
