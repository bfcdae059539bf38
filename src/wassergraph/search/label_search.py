"""LabelSearch: distances of labels to all graphs at once, from inverted lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.layout import Histogram, Sizes
from wassergraph.pairwise.prepare import size_terms
from wassergraph.search.label_lists import LabelLists
from wassergraph.search.neighbors import FoundGraphs, Wanted, all_solved, nearest
from wassergraph.search.stored import Stored, check_finite


class LabelQueries(NamedTuple):
    """Graphs whose labels were counted, and the terms of their sizes."""

    counted: Histogram
    sizes: Sizes
    apart: FloatArray | None


class LabelSearch:
    """Find the nearest graphs by their labels.

    Parameters
    ----------
    lists : LabelLists
        The labels of the graphs.
    depth : int
        The depth of the distances.
    apart : (n_graphs) floats or None
        A number for each graph; the absolute difference of two is added to their distance.
    weighted : bool
        Whether nodes have weights.
    """

    def __init__(self, lists: LabelLists, depth: int, apart: FloatArray | None, *, weighted: bool) -> None:
        self._lists, self._depth, self._apart, self._weighted = lists, depth, apart, weighted

    @classmethod
    def of(cls, embedding: NodeEmbedding, *, weighted: bool) -> LabelSearch:
        """Return the search among embedded graphs."""
        lists = LabelLists.of(embedding, weighted=weighted)
        return cls(lists, embedding.depth, size_terms(embedding), weighted=weighted)

    def __len__(self) -> int:
        return len(self._lists)

    @property
    def exponent(self) -> int | None:
        """There are no points."""
        return None

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        return self._lists.arrays | ({} if self._apart is None else {"apart": self._apart})

    def prepare(self, embedding: NodeEmbedding) -> LabelQueries:
        """Count the labels of other graphs."""
        return LabelQueries(*self._lists.count(embedding, weighted=self._weighted), size_terms(embedding))

    def prepare_own(self) -> LabelQueries:
        """Return the labels of the graphs themselves."""
        return LabelQueries(self._lists.histogram, self._lists.sizes, self._apart)

    def find(
        self, queries: LabelQueries, rows: Sequence[int], wanted: Wanted, stop: Stop
    ) -> tuple[list[FoundGraphs], IntArray]:
        """Find the nearest graphs of some queries: see :class:`wassergraph.search.searcher.Searcher`."""
        return [self._find(queries, row, wanted, stop) for row in rows], all_solved(len(rows) * len(self))

    def _find(self, queries: LabelQueries, position: int, wanted: Wanted, stop: Stop) -> FoundGraphs:
        distances = self._lists.distances(position, queries.counted, queries.sizes, self._depth, stop)
        if self._apart is not None and queries.apart is not None:
            distances = distances + np.abs(queries.apart[position] - self._apart)
        return nearest(np.arange(len(distances)), distances, wanted)

    # In files

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that a file holds beside the arrays."""
        return {}

    @classmethod
    def from_stored(cls, stored: Stored) -> LabelSearch:
        """Return the search of a file: see :class:`wassergraph.search.searcher.Searcher`."""
        return cls(LabelLists.from_stored(stored), stored.example.depth, stored.apart(), weighted=stored.weighted)

    def check(self, stored: Stored) -> None:
        """Raise an error unless all numbers are possible."""
        self._lists.check(stored)
        if self._apart is not None:
            check_finite("apart", self._apart)
