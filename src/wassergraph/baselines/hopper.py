"""The GraphHopper kernel: nodes that have the same position on shortest paths of the same length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numba as nb
import numpy as np

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.baselines.kernel import GraphKernel, kernel_matrix
from wassergraph.baselines.paths import walk
from wassergraph.distances.tiles import Tile, mirror_upper
from wassergraph.distances.work import node_pair_work
from wassergraph.embedding.scheme import Standardize, learn_scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import check_gamma

NodeKernel: TypeAlias = Literal["gaussian", "linear", "dirac"]
_GAUSSIAN, _LINEAR, _DIRAC = range(3)
#: The exponential of minus this is 0 in floats.
_NOTHING = 746.0
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}
_jit = nb.njit(nogil=True, cache=True, fastmath=_FASTMATH, error_model="numpy")


class GraphHopper(GraphKernel["Hops"]):
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
        in :func:`wassergraph.wl_embedding`.
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
    ShortestPath : shortest paths between labels
    RBFWL : a Gaussian kernel of all pairs of nodes
    HashGraphKernel : attributes that are hashed to labels

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.GraphHopper().fit(graphs[:40]).transform(graphs[40:]).shape
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
        self.normalize = normalize
        self.n_jobs = n_jobs
        self.progress = progress

    def _learn(self, batch: GraphBatch) -> Hops:
        if self.node_kernel not in get_args(NodeKernel):
            raise ValueError(f"node_kernel must be one of {get_args(NodeKernel)}, got {self.node_kernel!r}")
        if self.node_kernel == "dirac":
            self.scheme_ = learn_scheme(batch, kind="categorical", edge_labels="ignore")
        else:
            self.scheme_ = learn_scheme(batch, kind="continuous", standardize=self.standardize)
        self._kind = get_args(NodeKernel).index(self.node_kernel)
        self.gamma_ = check_gamma(1.0 / max(self.scheme_.n_attributes, 1) if self.gamma is None else self.gamma)
        return self._hops(batch)

    def _represent(self, batch: GraphBatch) -> tuple[Hops, Hops]:
        return self._hops(batch), self._training

    def _hops(self, batch: GraphBatch) -> Hops:
        dirac = self._kind == _DIRAC
        points = np.empty((batch.n_nodes, 0)) if dirac else np.ascontiguousarray(self.scheme_.attributes(batch))
        labels = self.scheme_.labels(batch) if dirac else np.empty(0, dtype=np.int64)
        lengths, starts, counts = hop_counts(batch.node_ptr, batch.indptr, batch.indices)
        return Hops(batch.node_ptr, points, labels, lengths, starts, counts)

    def _compare(self, left: Hops, right: Hops | None) -> FloatArray:
        other = left if right is None else right
        solve = HopSums(left, other, self._kind, self.gamma_, right is None)
        lengths = float(left.lengths.mean()) if len(left.lengths) else 0.0
        work = node_pair_work(np.diff(left.ptr), np.diff(other.ptr), 5.0 + 0.5 * lengths)
        return kernel_matrix(solve, work, symmetric=right is None, n_jobs=self.n_jobs, progress=self.progress)

    def _self_similarity(self, graphs: Hops) -> FloatArray:
        arrays = graphs.arrays()
        return np.array([hop_sum(g, g, arrays, arrays, self._kind, self.gamma_) for g in range(len(graphs.ptr) - 1)])


@dataclass(frozen=True)
class Hops:
    """Graphs as the kernel needs them: the attributes or labels of nodes, and their positions on shortest paths.

    Node v of graph g, the k-th of its nodes, has the counts ``counts[starts[g] + k * lengths[g]:][:lengths[g]]``, for
    path length b and position a at index b (b + 1) / 2 + a: those of short paths come first, so that two graphs are
    compared by the lengths that both have.
    """

    ptr: IntArray
    points: FloatArray
    labels: IntArray
    lengths: IntArray
    starts: IntArray
    counts: FloatArray

    def arrays(self) -> tuple[IntArray, FloatArray, IntArray, IntArray, IntArray, FloatArray]:
        """Return all arrays, for compiled code."""
        return self.ptr, self.points.ravel(), self.labels, self.lengths, self.starts, self.counts


@dataclass(frozen=True)
class HopSums:
    """Sums over pairs of nodes of the node kernel times how often both have the same position, tile by tile."""

    left: Hops
    right: Hops
    kind: int
    gamma: float
    symmetric: bool

    def __call__(self, tile: Tile, stop: Stop) -> FloatArray:
        """Compute a tile (1, rows, columns)."""
        mirrored = self.symmetric and tile.on_diagonal
        out = np.zeros((1, *tile.shape))
        hop_tile(*tile, mirrored, self.left.arrays(), self.right.arrays(), self.kind, self.gamma, stop, out[0])
        if mirrored:
            mirror_upper(out)
        return out


@_jit
def hop_counts(node_ptr: IntArray, indptr: IntArray, indices: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Count, for all nodes of all graphs, how often they are the a-th node of a shortest path of b steps."""
    n_graphs = len(node_ptr) - 1
    spans = np.ones(n_graphs, np.int64)  # the number of nodes on the longest shortest path
    for g in range(n_graphs):
        spans[g] = _span(node_ptr[g], node_ptr[g + 1] - node_ptr[g], indptr, indices)
    lengths = spans * (spans + 1) // 2
    starts = np.zeros(n_graphs + 1, np.int64)
    for g in range(n_graphs):
        starts[g + 1] = starts[g] + (node_ptr[g + 1] - node_ptr[g]) * lengths[g]
    counts = np.zeros(starts[n_graphs])
    for g in range(n_graphs):
        n = node_ptr[g + 1] - node_ptr[g]
        table = counts[starts[g] : starts[g + 1]].reshape(n, lengths[g])
        _count_hops(node_ptr[g], n, spans[g], indptr, indices, table)
    return lengths, starts, counts


@_jit
def _span(base: int, n: int, indptr: IntArray, indices: IntArray) -> int:
    """Return the number of nodes on the longest shortest path of a graph."""
    steps, order, paths = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    span = 1
    for source in range(n):
        n_reached = walk(source, indptr, indices, base, steps, order, paths)
        span = max(span, steps[order[n_reached - 1]] + 1)
    return span


@_jit
def _count_hops(base: int, n: int, span: int, indptr: IntArray, indices: IntArray, counts: FloatArray) -> None:
    """Count the positions of the nodes of one graph (n, span * (span + 1) / 2), source by source."""
    steps, order, paths = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    onward = np.empty((n, span))
    for source in range(n):
        n_reached = walk(source, indptr, indices, base, steps, order, paths)
        for position in range(n_reached - 1, -1, -1):
            v = order[position]
            a = steps[v]
            _count_onward(v, base, indptr, indices, steps, onward)
            for b in range(a, span):
                counts[v, b * (b + 1) // 2 + a] += paths[v] * onward[v, b - a]


@_jit
def _count_onward(v: int, base: int, indptr: IntArray, indices: IntArray, steps: IntArray, onward: FloatArray) -> None:
    """Count the ways on from a node, away from the source, by their length: one of no step, the others by a child."""
    row = onward[v]
    row[:] = 0.0
    row[0] = 1.0
    for k in range(indptr[base + v], indptr[base + v + 1]):
        w = indices[k] - base
        if steps[w] == steps[v] + 1:
            for t in range(len(row) - 1):
                row[t + 1] += onward[w, t]


@_jit
def hop_tile(
    first_row: int,
    last_row: int,
    first_column: int,
    last_column: int,
    from_diagonal: bool,
    left: object,
    right: object,
    kind: int,
    gamma: float,
    stop: Stop,
    out: FloatArray,
) -> None:
    """Fill a tile (rows, columns); with ``from_diagonal`` only entries with row ≤ column."""
    for i in range(first_row, last_row):
        for j in range(max(first_column, i) if from_diagonal else first_column, last_column):
            if stop[0]:
                return
            out[i - first_row, j - first_column] = hop_sum(i, j, left, right, kind, gamma)


@_jit
def hop_sum(i: int, j: int, left: Any, right: Any, kind: int, gamma: float) -> float:
    """Compare two graphs: the kernel of every two nodes, times how often they have the same position.

    Indices are unsigned, so that compiled code need not check for negative ones, and can vectorize the loops.
    """
    ptr, points, labels, lengths, starts, counts = left
    other_ptr, other_points, other_labels, other_lengths, other_starts, other_counts = right
    length, width = np.uint64(min(lengths[i], other_lengths[j])), np.uint64(len(points) // max(ptr[-1], 1))
    total = 0.0
    for v in range(np.uint64(ptr[i]), np.uint64(ptr[i + 1])):
        begin = np.uint64(starts[i]) + (v - np.uint64(ptr[i])) * np.uint64(lengths[i])
        for w in range(np.uint64(other_ptr[j]), np.uint64(other_ptr[j + 1])):
            if kind == _DIRAC:
                similarity = 1.0 if labels[v] == other_labels[w] else 0.0
            else:
                similarity = _node_kernel(v * width, w * width, width, points, other_points, kind == _LINEAR, gamma)
            if similarity == 0.0:
                continue
            other = np.uint64(other_starts[j]) + (w - np.uint64(other_ptr[j])) * np.uint64(other_lengths[j])
            weight = 0.0
            for t in range(length):
                weight += counts[begin + t] * other_counts[other + t]
            total += weight * similarity
    return total


@_jit
def _node_kernel(v: Any, w: Any, width: Any, x: FloatArray, y: FloatArray, linear: bool, gamma: float) -> float:
    """Compare two nodes, whose attributes begin at x[v] and at y[w]."""
    value = 0.0
    if linear:
        for t in range(width):
            value += x[v + t] * y[w + t]
        return value
    for t in range(width):
        value += (x[v + t] - y[w + t]) ** 2
    return float(np.exp(-gamma * value)) if gamma * value < _NOTHING else 0.0
