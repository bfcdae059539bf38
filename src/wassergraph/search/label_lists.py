"""LabelLists: for every label, the graphs that have it; distances of labels to all graphs follow from a few lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from wassergraph import _core
from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.histograms import LabelBags, histograms
from wassergraph.pairwise.layout import Histogram, Sizes
from wassergraph.pairwise.masses import node_masses, weighted_total
from wassergraph.pairwise.prepare import label_sizes
from wassergraph.pairwise.tiles import Tile
from wassergraph.search.stored import Stored, check_between, check_equal, check_rising


@dataclass(frozen=True, eq=False)
class LabelLists:
    """The labels of many graphs at all depths.

    Attributes
    ----------
    codes : (n_labels) uint64
        The code of every label, sorted within each depth.
    first : (depth + 2) integers
        Labels of depth h have the numbers ``first[h]`` to ``first[h + 1] - 1``.
    histogram : Histogram
        Their masses in the graphs.
    sizes : Sizes
        The sizes of graphs.
    """

    codes: NDArray[np.uint64]
    first: IntArray
    histogram: Histogram
    sizes: Sizes

    @classmethod
    def of(cls, embedding: NodeEmbedding, *, weighted: bool) -> LabelLists:
        """List the labels of embedded graphs."""
        assert embedding.codes is not None
        mass, total = node_masses(embedding, weighted=weighted, total=weighted_total(1))
        (histogram,) = histograms([LabelBags(embedding.ptr, embedding.codes)], [mass])
        distinct = [np.unique(level) for level in embedding.codes]
        sizes = label_sizes(embedding, total.astype(np.float64))
        return cls(np.concatenate(distinct), np.cumsum([0, *map(len, distinct)]), histogram, sizes)

    def __len__(self) -> int:
        return len(self.sizes.total)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        return {"codes": self.codes, "first": self.first, **self.histogram._asdict(), **self.sizes._asdict()}

    def count(self, embedding: NodeEmbedding, *, weighted: bool) -> tuple[Histogram, Sizes]:
        """Count the labels of other graphs, those that are known here; others are shared with no graph."""
        assert embedding.codes is not None
        mass, total = node_masses(embedding, weighted=weighted, total=weighted_total(1))
        graph = np.repeat(np.arange(len(embedding)), np.diff(embedding.ptr))
        ptr, labels, masses, before = [], [], [], 0
        for level, codes in enumerate(embedding.codes):
            known = self.codes[self.first[level] : self.first[level + 1]]
            position = np.minimum(np.searchsorted(known, codes), max(len(known) - 1, 0))
            here = np.flatnonzero(known[position] == codes) if len(known) else np.zeros(0, dtype=np.int64)
            entries = mass[here].astype(np.float64), (graph[here], position[here])
            table = coo_array(entries, shape=(len(embedding), max(len(known), 1))).tocsr()
            table.sum_duplicates()
            ptr.append(table.indptr.astype(np.int64) + before)
            labels.append(table.indices.astype(np.int64) + self.first[level])
            masses.append(table.data)
            before += len(table.data)
        by_graph = np.stack(ptr), np.concatenate(labels), np.concatenate(masses)
        nothing_by_label = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
        return Histogram(*by_graph, *nothing_by_label), label_sizes(embedding, total.astype(np.float64))

    def distances(self, row: int, counted: Histogram, sizes: Sizes, depth: int, stop: Stop) -> FloatArray:
        """Compute the distances (n_graphs) of one graph, whose labels were counted, to all of these."""
        wanted = np.arange(depth + 1) == depth
        out = np.empty((1, 1, len(self)))
        tile = Tile(row, row + 1, 0, len(self))
        _core.label_tile(tile, False, counted, self.histogram, sizes, self.sizes, wanted, stop, out)
        return np.asarray(out[0, 0])

    @classmethod
    def from_stored(cls, stored: Stored) -> LabelLists:
        """Return the lists of a file; raise an error unless their types and lengths fit together."""
        n_graphs, n_levels = len(stored.sizes), stored.example.depth + 1
        codes = stored.array("codes", np.uint64, None)
        label = stored.array("label", np.int64, None)
        first = stored.array("first", np.int64, n_levels + 1)
        histogram = Histogram(
            ptr=stored.array("ptr", np.int64, n_levels, n_graphs + 1),
            label=label,
            mass=stored.array("mass", np.float64, len(label)),
            start=stored.array("start", np.int64, len(codes) + 1),
            graph=stored.array("graph", np.int32, len(label)),
            mass_in_graph=stored.array("mass_in_graph", np.float64, len(label)),
        )
        sizes = Sizes(*(stored.array(name, np.float64, n_graphs) for name in Sizes._fields))
        return cls(codes, first, histogram, sizes)

    def check(self, stored: Stored) -> None:
        """Raise an error unless all numbers are possible, so that no list leads outside of another."""
        check_rising("first", self.first, len(self.codes))
        check_rising("ptr", self.histogram.ptr.ravel(), len(self.histogram.label))
        check_rising("start", self.histogram.start, len(self.histogram.graph))
        check_between("label", self.histogram.label, 0, len(self.codes) - 1)
        check_between("graph", self.histogram.graph, 0, len(self) - 1)
        total = stored.totals(weighted_total(1))
        check_between("mass", self.histogram.mass, 1, int(total.max()))
        check_between("mass_in_graph", self.histogram.mass_in_graph, 1, int(total.max()))
        expected = label_sizes(stored.example, total.astype(np.float64))
        check_equal("total", self.sizes.total, expected.total)
        check_equal("extra", self.sizes.extra, expected.extra)
