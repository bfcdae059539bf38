"""Choose the searcher that fits queries, and run it for many of them, on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from wassergraph.arrays import IntArray, Stop
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.masses import weighted_total
from wassergraph.pairwise.scaling import scale_exponent
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine
from wassergraph.search.making import make_searcher
from wassergraph.search.neighbors import OUTCOMES, FoundGraphs, Wanted
from wassergraph.search.searcher import Searcher

#: Coordinates of queries may exceed those of graphs by two to this power: squares do not overflow then.
_BEYOND = 16
#: How many queries are searched one after the other in a piece of work.
_QUERIES = 16


class Searchers:
    """Searchers among the same graphs: one for each way to round masses, if weights are involved.

    Parameters
    ----------
    embed : callable
        Returns the embedded graphs.
    largest : int
        Their largest number of nodes.
    weighted : bool
        Whether their nodes have weights.

    Attributes
    ----------
    by_total : dict of Searcher
        The searchers that were made, by what the masses of weighted nodes sum to; 0 without weights.
    """

    def __init__(self, embed: Callable[[], NodeEmbedding], largest: int, *, weighted: bool) -> None:
        self._embed, self._own_largest, self._weighted = embed, largest, weighted
        self.by_total: dict[int, Searcher] = {}

    def keep(self, searcher: Searcher) -> None:
        """Use a searcher of the graphs that was made before, or read from a file."""
        self.by_total[self._total(None)] = searcher

    def make(self, embedding: NodeEmbedding, queries: NodeEmbedding | None = None, farthest: float = 0.0) -> Searcher:
        """Return a searcher of embedded graphs that fits queries; their largest coordinate is given if it is far."""
        weighted = self._total(queries) > 0
        return make_searcher(embedding, weighted=weighted, largest=self._largest(queries), farthest=farthest)

    def find(
        self, queries: NodeEmbedding | None, wanted: Wanted, n_jobs: int | None, progress: bool
    ) -> tuple[list[FoundGraphs], IntArray]:
        """Find the nearest graphs of embedded queries, or of the graphs themselves, on threads.

        Returns
        -------
        found : list of FoundGraphs
            For each query.
        counts : (len(OUTCOMES)) integers
            How often the search ended in each way, for all queries.
        """
        searcher = self.fitting(queries)
        prepared = searcher.prepare_own() if queries is None else searcher.prepare(queries)
        n_queries = len(searcher if queries is None else queries)
        return _run(searcher, prepared, n_queries, wanted, n_jobs, progress)

    def fitting(self, queries: NodeEmbedding | None = None) -> Searcher:
        """Return the searcher for queries; without any, the one for the graphs themselves."""
        total = self._total(queries)
        if total not in self.by_total:
            self.by_total[total] = self.make(self._embed(), queries)
        searcher = self.by_total[total]
        farthest = 0.0 if queries is None else _too_far(searcher, queries)
        return self.make(self._embed(), queries, farthest) if farthest else searcher

    def _total(self, queries: NodeEmbedding | None) -> int:
        """Return what the masses of weighted nodes sum to; 0 without weights."""
        weighted = self._weighted or (queries is not None and queries.weights is not None)
        return weighted_total(self._largest(queries)) if weighted else 0

    def _largest(self, queries: NodeEmbedding | None) -> int:
        """Return the largest number of nodes of the graphs and queries."""
        sizes = np.diff([] if queries is None else queries.ptr)
        return int(sizes.max(initial=self._own_largest))


class EmbeddedSearch:
    """Find the nearest of embedded graphs, whose nodes have equal masses.

    Parameters
    ----------
    embedding : NodeEmbedding
        The graphs.
    """

    def __init__(self, embedding: NodeEmbedding) -> None:
        self._n_graphs, self._searchers = len(embedding), Searchers(lambda: embedding, 1, weighted=False)

    def find(
        self, queries: NodeEmbedding, k: int, *, n_jobs: int | None = None, progress: bool = False
    ) -> list[FoundGraphs]:
        """Find the k nearest graphs of others, embedded in the same way: for each, the first of equal ones first."""
        return self._searchers.find(queries, Wanted(min(k, self._n_graphs)), n_jobs, progress)[0]


def _too_far(searcher: Searcher, queries: NodeEmbedding) -> float:
    """Return the largest coordinate of queries if it is beyond what a searcher is made for; otherwise 0."""
    if searcher.exponent is None or queries.points is None or not queries.points.size:
        return 0.0
    farthest = float(np.abs(queries.points).max())
    return farthest if scale_exponent([queries]) > searcher.exponent + _BEYOND else 0.0


def _run(
    searcher: Searcher, queries: Any, n: int, wanted: Wanted, n_jobs: int | None, progress: bool
) -> tuple[list[FoundGraphs], IntArray]:
    """Search for n prepared queries on threads; return what was found, and how often each of the outcomes is."""
    found: list[FoundGraphs | None] = [None] * n
    counts = np.zeros(len(OUTCOMES), dtype=np.int64)
    with Progress("search", n, "queries", show=progress) as bar:

        def done(rows: range, result: tuple[list[FoundGraphs], IntArray]) -> None:
            found[rows.start : rows.stop] = result[0]
            np.add(counts, result[1], out=counts)
            bar.update(len(rows))

        ThreadEngine(n_jobs).run(partial(_find, searcher, queries, wanted), _chunks(n), done)
    return [each for each in found if each is not None], counts


def _find(
    searcher: Searcher, queries: Any, wanted: Wanted, rows: range, stop: Stop
) -> tuple[list[FoundGraphs], IntArray]:
    return searcher.find(queries, rows, wanted, stop)


def _chunks(n: int) -> Iterator[range]:
    return (range(first, min(first + _QUERIES, n)) for first in range(0, n, _QUERIES))
