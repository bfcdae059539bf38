"""How often nodes have each position on shortest paths, window by window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from wassergraph import _core
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.baselines.points import PointSets, pack_points
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pairwise.layout import LANES, padded

#: So many counts of a node are held at a time: all of a graph in which no two nodes are more than 62 steps apart.
WINDOW = 1024


class HopTables(NamedTuple):
    """The counts of one window, and what nodes are compared by, as the compiled kernel reads them.

    Graph g has ``widths[g]`` counts in each of its rows. They are stored from ``starts[g]`` on: the first eight of all
    rows, then the next eight, and so on, with zeros behind the last ones.
    """

    points: PointSets  # of the rows; without features if they have labels
    labels: IntArray  # (n_rows) ascending in each graph, or none
    widths: IntArray  # (n_graphs)
    starts: IntArray  # (n_graphs + 1)
    counts: FloatArray


@dataclass(frozen=True)
class Hops:
    """Graphs as the kernel needs them: the attributes or labels of nodes, and their positions on shortest paths.

    The positions of a node are a row of counts: M(v)[a, b] says how often v is the a-th node of a shortest path of b
    steps. A path read backwards is a shortest path, too, so M(v)[a, b] = M(v)[b - a, b], and the smaller of a and
    c = b - a is enough: the count for b and c is at ⌊(b + 1)² / 4⌋ + c. Those of short paths come first, so that two
    graphs are compared by the lengths that both have.

    A row has about a quarter of the square of the longest distance of its graph. No more than ``WINDOW`` entries of it
    are held at a time: rows are cut into windows, and all but the first, which is the only one of most graphs, are
    counted anew whenever they are needed. So the memory is proportional to the nodes, however far they are apart. With
    a Dirac kernel, nodes of the same label share a row.

    Parameters
    ----------
    batch : GraphBatch
        The graphs.
    points : PointSets
        The rows of each graph, and the attributes of each row.
    labels : (n_rows) integers
        The label of each row, or none.
    row : (n_nodes) integers
        The row of each node.
    lengths : (n_graphs) integers
        The number of entries of each row of a graph, in all windows.
    """

    batch: GraphBatch
    points: PointSets
    labels: IntArray
    row: IntArray
    lengths: IntArray

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def ptr(self) -> IntArray:
        """Where the rows of each graph begin (n_graphs + 1)."""
        return self.points.ptr

    @property
    def n_windows(self) -> int:
        """The number of windows of the longest row."""
        return -(-int(self.lengths.max(initial=0)) // WINDOW)

    def widths(self, window: int) -> IntArray:
        """Return the number of entries that rows of each graph have in a window."""
        return np.clip(self.lengths - window * WINDOW, 0, WINDOW)

    def mean_width(self, window: int) -> float:
        """Return the mean number of entries of a window over all graphs."""
        return float(self.widths(window).mean()) if len(self) else 0.0

    def tables(self, window: int) -> HopTables:
        """Return the counts of a window."""
        return self._count(window) if window else self._first

    @cached_property
    def _first(self) -> HopTables:
        """The counts of the first window, which are kept."""
        return self._count(0)

    def _count(self, window: int) -> HopTables:
        widths = self.widths(window)
        stored = -(-widths // LANES) * LANES
        starts = np.concatenate([[0], np.cumsum(np.diff(self.ptr) * stored)])
        counts = np.zeros(starts[-1])
        graphs = self.batch.node_ptr, self.batch.indptr, self.batch.indices
        _core.count_hops(window * WINDOW, *graphs, self.ptr, self.row, widths, starts, counts)
        return HopTables(self.points, self.labels, widths, starts, counts)


def hops_of_points(batch: GraphBatch, points: FloatArray) -> Hops:
    """Return graphs whose nodes are compared by attributes (n_nodes, m): every node has a row."""
    no_labels = np.empty(0, dtype=np.int64)
    return Hops(batch, pack_points(batch.node_ptr, points), no_labels, np.arange(batch.n_nodes), _lengths(batch))


def hops_of_labels(batch: GraphBatch, labels: IntArray) -> Hops:
    """Return graphs whose nodes are compared by labels (n_nodes): there is one row for each label of each graph."""
    distinct, number = np.unique(labels, return_inverse=True)
    owner = np.repeat(np.arange(len(batch)), np.diff(batch.node_ptr))
    keys, row = np.unique(owner * max(len(distinct), 1) + number, return_inverse=True)
    graph, number = np.divmod(keys, max(len(distinct), 1))
    ptr = np.searchsorted(graph, np.arange(len(batch) + 1))
    return Hops(batch, pack_points(ptr, np.empty((len(keys), 0))), distinct[number], row, _lengths(batch))


def _lengths(batch: GraphBatch) -> IntArray:
    return _core.hop_lengths(batch.node_ptr, batch.indptr, batch.indices)


def window_weights(window: int) -> FloatArray:
    """Return how often each entry of a window counts: twice, but once in the middle of a path, where c = b - c.

    The weights are padded with entries of the next window, so that their number is a multiple of eight.
    """
    entries = window * WINDOW + np.arange(padded(WINDOW))
    steps = np.sqrt(4 * entries + 1).astype(np.int64)  # about b + 1, from the number of the first entry of b
    steps += (steps + 1) ** 2 // 4 <= entries
    steps -= steps**2 // 4 > entries
    return np.where(2 * (entries - steps**2 // 4) == steps - 1, 1.0, 2.0)
