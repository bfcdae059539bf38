"""The GraphHopper kernel: nodes that have the same position on shortest paths of the same length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numba as nb
import numpy as np

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.baselines.kernel import GraphKernel, kernel_matrix
from wassergraph.baselines.paths import reach
from wassergraph.distances.tiles import Tile, mirror_upper
from wassergraph.distances.work import node_pair_work
from wassergraph.embedding.scheme import Standardize, learn_scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import check_gamma

NodeKernel: TypeAlias = Literal["gaussian", "linear", "dirac"]
_GAUSSIAN, _LINEAR, _DIRAC = range(3)
#: The exponential of minus this is 0 in floats.
_NOTHING = 746.0
#: So many counts of a node are held at a time: all of a graph in which no two nodes are more than 62 steps apart.
WINDOW = 1024
#: So many rows are multiplied with another one at a time.
_ROWS = 4
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
        arrays = batch.node_ptr, batch.indptr, batch.indices
        lengths = table_lengths(*arrays)
        if self._kind == _DIRAC:
            ptr, row, labels = _merge_labels(batch, self.scheme_.labels(batch))
            return Hops(*arrays, ptr, row, np.empty((len(labels), 0)), labels, lengths)
        points = np.ascontiguousarray(self.scheme_.attributes(batch))
        return Hops(*arrays, batch.node_ptr, np.arange(batch.n_nodes), points, np.empty(0, dtype=np.int64), lengths)

    def _compare(self, left: Hops, right: Hops | None) -> FloatArray:
        other = left if right is None else right
        kernel = np.zeros((len(left), len(other)))
        for window in range(min(left.n_windows, other.n_windows)):
            solve = HopSums(left.side(window), other.side(window), window, self._kind, self.gamma_, right is None)
            work = node_pair_work(np.diff(left.ptr), np.diff(other.ptr), 5.0 + 0.25 * left.mean_length(window))
            kernel += kernel_matrix(solve, work, symmetric=right is None, n_jobs=self.n_jobs, progress=self.progress)
        return kernel

    def _self_similarity(self, graphs: Hops) -> FloatArray:
        similarity = np.zeros(len(graphs))
        for window in range(graphs.n_windows):
            side, weights = graphs.side(window), window_weights(window)
            for g in range(len(graphs)):
                similarity[g] += hop_sum(g, g, side, side, weights, self._kind, self.gamma_)
        return similarity


def _merge_labels(batch: GraphBatch, labels: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return one row for each label of each graph: where those of each graph begin, that of each node, its label."""
    distinct, number = np.unique(labels, return_inverse=True)
    owner = np.repeat(np.arange(len(batch)), np.diff(batch.node_ptr))
    keys, row = np.unique(owner * max(len(distinct), 1) + number, return_inverse=True)
    graph, number = np.divmod(keys, max(len(distinct), 1))
    return np.searchsorted(graph, np.arange(len(batch) + 1)), row, distinct[number]


#: The arrays of graphs that compiled code compares: rows, attributes, labels, and the counts of one window.
Side: TypeAlias = tuple[IntArray, FloatArray, IntArray, IntArray, IntArray, FloatArray]


@dataclass(frozen=True)
class Hops:
    """Graphs as the kernel needs them: the attributes or labels of nodes, and their positions on shortest paths.

    The positions of a node are a row of counts. A path read backwards is a shortest path, too, so M(v)[a, b] =
    M(v)[b - a, b], and the smaller of a and c = b - a is enough: the count for b and c is at ⌊(b + 1)² / 4⌋ + c. Those
    of short paths come first, so that two graphs are compared by the lengths that both have.

    A row has about a quarter of the square of the longest distance of its graph. No more than ``WINDOW`` entries of it
    are held at a time: rows are cut into windows, and all but the first, which is the only one of most graphs, are
    counted anew whenever they are needed. So the memory is proportional to the nodes, however far they are apart. With
    a Dirac kernel, nodes of the same label share a row.

    Parameters
    ----------
    node_ptr, indptr, indices
        The nodes of each graph, and their neighbors, as in a GraphBatch.
    ptr : (n_graphs + 1) integers
        Graph g has the rows ``ptr[g]`` to ``ptr[g + 1] - 1``.
    row : (n_nodes) integers
        The row of each node.
    points, labels : (n_rows, m) floats, (n_rows) integers
        The attributes or the label of each row.
    lengths : (n_graphs) integers
        The number of entries of each row of a graph, in all windows.
    """

    node_ptr: IntArray
    indptr: IntArray
    indices: IntArray
    ptr: IntArray
    row: IntArray
    points: FloatArray
    labels: IntArray
    lengths: IntArray

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def n_windows(self) -> int:
        """The number of windows of the longest row."""
        return -(-int(self.lengths.max(initial=0)) // WINDOW)

    def widths(self, window: int) -> IntArray:
        """Return the number of entries that rows of each graph have in a window."""
        return np.clip(self.lengths - window * WINDOW, 0, WINDOW)

    def mean_length(self, window: int) -> float:
        """Return the mean number of entries of a window over all graphs."""
        return float(self.widths(window).mean()) if len(self) else 0.0

    @cached_property
    def first(self) -> Side:
        """The arrays with the counts of the first window, which are kept."""
        return self._count(0)

    def side(self, window: int) -> Side:
        """Return the arrays with the counts of a window."""
        return self._count(window) if window else self.first

    def _count(self, window: int) -> Side:
        widths = self.widths(window)
        starts = np.concatenate([[0], np.cumsum(np.diff(self.ptr) * widths)])
        counts = np.zeros(starts[-1])
        count_window(
            window * WINDOW, self.node_ptr, self.indptr, self.indices, self.ptr, self.row, widths, starts, counts
        )
        return self.ptr, self.points.ravel(), self.labels, widths, starts, counts


@dataclass(frozen=True)
class HopSums:
    """Sums over pairs of rows of the node kernel times how often both have the same position, tile by tile."""

    left: Side
    right: Side
    window: int
    kind: int
    gamma: float
    symmetric: bool

    def __call__(self, tile: Tile, stop: Stop) -> FloatArray:
        """Compute a tile (1, rows, columns)."""
        mirrored = self.symmetric and tile.on_diagonal
        out = np.zeros((1, *tile.shape))
        weights = window_weights(self.window)
        hop_tile(*tile, mirrored, self.left, self.right, weights, self.kind, self.gamma, stop, out[0])
        if mirrored:
            mirror_upper(out)
        return out


def window_weights(window: int) -> FloatArray:
    """Return how often each entry of a window counts: twice, but once in the middle of a path, where c = b - c."""
    entries = np.arange(window * WINDOW, (window + 1) * WINDOW)
    steps = np.sqrt(4 * entries + 1).astype(np.int64)  # about b + 1, from the number of the first entry of b
    steps += (steps + 1) ** 2 // 4 <= entries
    steps -= steps**2 // 4 > entries
    return np.where(2 * (entries - steps**2 // 4) == steps - 1, 1.0, 2.0)


@_jit
def table_lengths(node_ptr: IntArray, indptr: IntArray, indices: IntArray) -> IntArray:
    """Return the number of entries of the rows of each graph, by the longest distance between its nodes."""
    lengths = np.zeros(len(node_ptr) - 1, np.int64)
    for g in range(len(lengths)):
        base, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        steps, order = np.empty(n, np.int64), np.empty(n, np.int64)
        longest = 0
        for source in range(n):
            n_reached = reach(source, indptr, indices, base, steps, order)
            longest = max(longest, steps[order[n_reached - 1]])
        lengths[g] = (longest + 2) ** 2 // 4
    return lengths


@_jit
def count_window(
    begin: int,
    node_ptr: IntArray,
    indptr: IntArray,
    indices: IntArray,
    ptr: IntArray,
    row: IntArray,
    widths: IntArray,
    starts: IntArray,
    counts: FloatArray,
) -> None:
    """Count, in all graphs, the positions of nodes for the entries of rows from ``begin`` on, into ``counts``."""
    for g in range(len(widths)):
        if widths[g] > 0:
            base, end = node_ptr[g], node_ptr[g + 1]
            n_arcs = indptr[end] - indptr[base]
            table = counts[starts[g] : starts[g + 1]].reshape(-1, widths[g])
            _count_graph(begin, base, n_arcs, indptr, indices, row[base:end] - ptr[g], table)


@_jit
def _count_graph(
    begin: int, base: int, n_arcs: int, indptr: IntArray, indices: IntArray, row: IntArray, table: FloatArray
) -> None:
    """Count the positions of the nodes of one graph, source by source, in memory linear in its nodes and arcs."""
    n = len(row)
    steps, order, rank = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    levels, first_child, children = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n_arcs, np.int64)
    paths, onward, rows = np.empty(n), np.empty(n), np.empty(n, np.int64)
    for source in range(n):
        n_reached = reach(source, indptr, indices, base, steps, order)
        n_levels = _list_levels(order[:n_reached], steps, rank, levels)
        _list_children(order[:n_reached], steps, rank, base, indptr, indices, first_child, children, paths)
        for position in range(n_reached):
            rows[position] = row[order[position]]
        _count_source(begin, levels[: n_levels + 1], first_child, children, paths, onward, rows, table)


@_jit
def _list_levels(order: IntArray, steps: IntArray, rank: IntArray, levels: IntArray) -> int:
    """Find the place of every node in the order of a search, and where each level of it begins; return the levels."""
    n_levels = 0
    for position in range(len(order)):
        v = order[position]
        rank[v] = position
        if steps[v] == n_levels:
            levels[n_levels] = position
            n_levels += 1
    levels[n_levels] = len(order)
    return n_levels


@_jit
def _list_children(
    order: IntArray,
    steps: IntArray,
    rank: IntArray,
    base: int,
    indptr: IntArray,
    indices: IntArray,
    first_child: IntArray,
    children: IntArray,
    paths: FloatArray,
) -> None:
    """List the neighbors of each node that are one step farther from the source, and count the shortest paths to all.

    Nodes, those that are listed, too, are numbered in the order of the search.
    """
    paths[:] = 0.0
    paths[0] = 1.0
    n_children = 0
    for position in range(len(order)):
        v = order[position]
        first_child[position] = n_children
        for k in range(indptr[base + v], indptr[base + v + 1]):
            w = indices[k] - base
            if steps[w] == steps[v] + 1:
                children[n_children] = rank[w]
                n_children += 1
                paths[rank[w]] += paths[position]
    first_child[len(order)] = n_children


@_jit
def _count_source(
    begin: int,
    levels: IntArray,
    first_child: IntArray,
    children: IntArray,
    paths: FloatArray,
    onward: FloatArray,
    rows: IntArray,
    table: FloatArray,
) -> None:
    """Add the paths from one source: those to a node, times the ways of c steps on from there, for every c.

    A way of c steps begins with a step to a child. That is as far beyond the source, both steps added, so only lengths
    that the window has are followed, and nodes that are at least c steps from the source.
    """
    end = begin + table.shape[1]
    shortest, longest = _steps_of(begin), min(_steps_of(end - 1), len(levels) - 2)
    for c in range(longest // 2 + 1):
        for b in range(max(shortest, 2 * c), longest + 1):
            first, last = levels[b - c], levels[b - c + 1]
            _step_on(c, first, last, first_child, children, onward)
            entry = (b + 1) ** 2 // 4 + c
            if begin <= entry < end:
                for position in range(first, last):
                    table[rows[position], entry - begin] += paths[position] * onward[position]


@_jit
def _steps_of(entry: int) -> int:
    """Return the path length of an entry of a row: the largest b with ⌊(b + 1)² / 4⌋ ≤ entry."""
    b = int(np.sqrt(4.0 * entry + 1.0))
    while (b + 1) ** 2 // 4 > entry:
        b -= 1
    return b


@_jit
def _step_on(c: int, first: int, last: int, first_child: IntArray, children: IntArray, onward: FloatArray) -> None:
    """Replace the ways of c - 1 steps on from nodes by those of c steps; their children still have c - 1."""
    for position in range(first, last):
        ways = 1.0 if c == 0 else 0.0
        for k in range(first_child[position], first_child[position + 1] if c else first_child[position]):
            ways += onward[children[k]]
        onward[position] = ways


@_jit
def hop_tile(
    first_row: int,
    last_row: int,
    first_column: int,
    last_column: int,
    from_diagonal: bool,
    left: object,
    right: object,
    weights: FloatArray,
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
            out[i - first_row, j - first_column] = hop_sum(i, j, left, right, weights, kind, gamma)


@_jit
def hop_sum(i: int, j: int, left: Any, right: Any, weights: FloatArray, kind: int, gamma: float) -> float:
    """Compare two graphs: the kernel of every two nodes, times how often they have the same position."""
    ptr, points, labels, widths, starts, counts = left
    other_ptr, other_points, other_labels, other_widths, other_starts, other_counts = right
    length, n, m = min(widths[i], other_widths[j]), ptr[i + 1] - ptr[i], other_ptr[j + 1] - other_ptr[j]
    if length == 0:
        return 0.0
    table = counts[starts[i] : starts[i + 1]].reshape(n, widths[i])
    other = other_counts[other_starts[j] : other_starts[j + 1]].reshape(m, other_widths[j])
    if kind == _DIRAC:
        own, others = labels[ptr[i] : ptr[i + 1]], other_labels[other_ptr[j] : other_ptr[j + 1]]
        return _sum_labels(own, others, table, other, weights[:length])
    width = len(points) // max(ptr[-1], 1)
    x, y = points[ptr[i] * width : ptr[i + 1] * width], other_points[other_ptr[j] * width : other_ptr[j + 1] * width]
    return _sum_points(x, y, width, table, other, weights[:length], kind == _LINEAR, gamma)


@_jit
def _sum_labels(labels: IntArray, others: IntArray, table: FloatArray, other: FloatArray, weights: FloatArray) -> float:
    """Sum the weighted products of the rows of labels that two graphs share; labels are sorted."""
    total, v, w = 0.0, 0, 0
    while v < len(labels) and w < len(others):
        if labels[v] == others[w]:
            for t in range(len(weights)):
                total += weights[t] * table[v, t] * other[w, t]
        smaller = labels[v] <= others[w]
        w += labels[v] >= others[w]
        v += smaller
    return total


@_jit
def _sum_points(
    x: FloatArray,
    y: FloatArray,
    width: int,
    table: FloatArray,
    other: FloatArray,
    weights: FloatArray,
    linear: bool,
    gamma: float,
) -> float:
    """Sum the kernel of every two nodes times the weighted product of their rows, for four nodes at a time.

    Indices are unsigned, so that compiled code need not check for negative ones, and can vectorize the loops.
    """
    n, m, length, size = len(table), np.uint64(len(other)), np.uint64(len(weights)), np.uint64(width)
    rows, products = np.zeros((_ROWS, len(weights))), np.empty(_ROWS)
    total = 0.0
    for first in range(0, n, _ROWS):
        n_rows = min(_ROWS, n - first)
        for r in range(n_rows):
            for t in range(length):
                rows[r, t] = weights[t] * table[first + r, t]
        for w in range(m):
            _multiply_rows(rows, other[w], length, products)
            for r in range(n_rows):
                similarity = _node_kernel(np.uint64(first + r) * size, w * size, size, x, y, linear, gamma)
                if similarity != 0.0:
                    total += products[r] * similarity
    return total


@_jit
def _multiply_rows(rows: FloatArray, other: FloatArray, length: Any, products: FloatArray) -> None:
    """Multiply four rows with another one."""
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    for t in range(length):
        value = other[t]
        one += rows[0, t] * value
        two += rows[1, t] * value
        three += rows[2, t] * value
        four += rows[3, t] * value
    products[0], products[1], products[2], products[3] = one, two, three, four


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
