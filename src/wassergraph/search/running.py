"""Run a searcher for many queries, on threads; search among embedded graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from wassergraph.arrays import IntArray, Stop
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine
from wassergraph.search.making import make_searcher, too_far
from wassergraph.search.neighbors import SETTLED, Neighbors, Wanted
from wassergraph.search.searcher import Searcher

#: How many queries are searched one after the other in a piece of work.
_QUERIES = 16


def run_searcher(
    searcher: Searcher, queries: Any, n: int, wanted: Wanted, n_jobs: int | None, progress: bool
) -> tuple[list[Neighbors], IntArray]:
    """Search for n prepared queries on threads; return what was found, and by what how many graphs were settled."""
    found: list[Neighbors | None] = [None] * n
    counts = np.zeros(len(SETTLED), dtype=np.int64)
    with Progress("search", n, "queries", show=progress) as bar:

        def done(rows: range, result: tuple[list[Neighbors], IntArray]) -> None:
            found[rows.start : rows.stop] = result[0]
            np.add(counts, result[1], out=counts)
            bar.update(len(rows))

        ThreadEngine(n_jobs).run(partial(_find, searcher, queries, wanted), _chunks(n), done)
    return [each for each in found if each is not None], counts


def _find(
    searcher: Searcher, queries: Any, wanted: Wanted, rows: range, stop: Stop
) -> tuple[list[Neighbors], IntArray]:
    return searcher.find(queries, rows, wanted, stop)


def _chunks(n: int) -> Iterator[range]:
    return (range(first, min(first + _QUERIES, n)) for first in range(0, n, _QUERIES))


class EmbeddedSearch:
    """Find the nearest of embedded graphs, whose nodes have equal masses.

    Parameters
    ----------
    embedding : NodeEmbedding
        The graphs.
    """

    def __init__(self, embedding: NodeEmbedding) -> None:
        self._embedding, self._searcher = embedding, self._make(embedding)

    @staticmethod
    def _make(embedding: NodeEmbedding, farthest: float = 0.0) -> Searcher:
        return make_searcher(embedding, weighted=False, largest=1, farthest=farthest)

    def find(
        self, queries: NodeEmbedding, k: int, *, n_jobs: int | None = None, progress: bool = False
    ) -> list[Neighbors]:
        """Find the k nearest graphs of others, embedded in the same way: for each, the first of equal ones first."""
        farthest = too_far(self._searcher, queries)
        searcher = self._make(self._embedding, farthest) if farthest else self._searcher
        prepared = searcher.prepare(queries)
        return run_searcher(searcher, prepared, len(queries), Wanted(min(k, len(searcher))), n_jobs, progress)[0]
