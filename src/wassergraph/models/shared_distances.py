"""Distances between training graphs that several models share, each computed once.

requests (an embedding, graphs, depths) ──merged where that is less work──▶ blocks ──▶ the distances of each request
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.models.given_distances import read_given
from wassergraph.models.shared_training import SchemeKey, scheme_key
from wassergraph.parallel.memory import check_memory
from wassergraph.parallel.stages import next_part
from wassergraph.tuning.candidates import Family
from wassergraph.tuning.screening import EmbeddedFamily, embed_families

#: An embedding, whose family has the depths, and the positions of the graphs between which distances are needed.
DistanceRequest: TypeAlias = tuple[EmbeddedFamily, IntArray]


class _Block(NamedTuple):
    """Distances of some graphs, embedded in one way, for some depths; or a request for them.

    Attributes
    ----------
    key : SchemeKey
        The way.
    rows : (n) integers
        The positions of the graphs, in increasing order.
    depths : tuple of int
        The depths, in increasing order.
    distances : (n_depths, n, n) floats or None
        The distances, if they are computed.
    """

    key: SchemeKey
    rows: IntArray
    depths: tuple[int, ...]
    distances: NDArray[Any] | None = None

    @property
    def cost(self) -> int:
        """The number of distances."""
        return len(self.depths) * len(self.rows) ** 2

    def has(self, key: SchemeKey, rows: IntArray, depths: Sequence[int]) -> bool:
        """Return whether all of these distances are in the block."""
        return self.key == key and set(depths) <= set(self.depths) and bool(np.isin(rows, self.rows).all())

    def take(self, rows: IntArray, depths: Sequence[int]) -> NDArray[Any]:
        """Return the distances of some of the graphs, for some of the depths."""
        assert self.distances is not None
        if len(rows) == len(self.rows) and tuple(depths) == self.depths:
            return self.distances
        numbers, where = [self.depths.index(depth) for depth in depths], np.searchsorted(self.rows, rows)
        return np.stack([self.distances[number][np.ix_(where, where)] for number in numbers])


class SharedDistances:
    """The graphs of several models, embedded and compared once in every way.

    Parameters
    ----------
    graphs : GraphBatch
        All graphs.
    given : DistanceStore, array or None
        Distances between all graphs, if they are given.
    n_jobs, progress
        As in :func:`wassergraph.distances`.
    """

    def __init__(self, graphs: GraphBatch, given: Any, *, n_jobs: int | None, progress: bool) -> None:
        self.graphs, self.given, self.n_jobs, self.progress = graphs, given, n_jobs, progress
        self.seconds = 0.0
        self._embedded: dict[SchemeKey, EmbeddedFamily] = {}
        self._blocks: list[_Block] = []

    def embed(self, family: Family) -> EmbeddedFamily:
        """Return all graphs, embedded in the way of a family."""
        key = scheme_key(family.scheme)
        if key not in self._embedded or self._embedded[key].embedding.depth < max(family.depths):
            (self._embedded[key],) = embed_families([family], self.graphs)
        embedded = self._embedded[key]
        # Another salt than the scheme's may have been needed.
        return EmbeddedFamily(replace(family, scheme=embedded.family.scheme), embedded.embedding)

    def compute(self, requests: Sequence[DistanceRequest]) -> None:
        """Compute the distances that are requested, unless they are known."""
        begin = time.perf_counter()
        asked = [_Block(scheme_key(each.family.scheme), rows, each.family.depths) for each, rows in requests]
        wanted = merge([each for each in asked if not any(block.has(*each[:3]) for block in self._blocks)])
        families = {scheme_key(each.family.scheme): each.family for each, _ in requests}
        total = sum(block.cost for block in wanted)
        if self.given is None:
            what = f"learning from {len(self.graphs):,} graphs with {len(wanted)} blocks of distances"
            check_memory(
                2 * 8.0 * total, what, remedy="train one model for each target, or take a sample of the graphs"
            )
        for block in wanted:
            family = replace(families[block.key], depths=block.depths)
            with next_part(block.cost / total):
                self._blocks.append(block._replace(distances=self._distances(family, block.rows)))
        self.seconds += time.perf_counter() - begin

    def _distances(self, family: Family, rows: IntArray) -> NDArray[Any]:
        """Compute distances between some of the graphs, or take them from those that are given."""
        everything = len(rows) == len(self.graphs)
        if self.given is None:
            part = None if everything else rows
            return self.embed(family).distances(part, n_jobs=self.n_jobs, progress=self.progress)
        stack = read_given(self.given, self.graphs, family.scheme, family.depths)
        return stack if everything else stack[:, rows[:, None], rows]

    def between(self, embedded: EmbeddedFamily, rows: IntArray) -> NDArray[Any]:
        """Return distances that were computed, for the depths of a family (n_depths, n, n)."""
        key, depths = scheme_key(embedded.family.scheme), embedded.family.depths
        return next(block for block in self._blocks if block.has(key, rows, depths)).take(rows, depths)

    def add_time(self, seconds: dict[str, float], n_targets: int) -> None:
        """Add the share of one target in the time of all distances to the times of its model."""
        seconds["distances"] = seconds.get("distances", 0.0) + self.seconds / n_targets


def merge(requests: Sequence[_Block]) -> list[_Block]:
    """Return blocks that contain all requests, joined as long as that is not more work than to compute both.

    Examples
    --------
    >>> few, all_ = np.arange(3), np.arange(5)
    >>> blocks = merge([_Block((), all_, (0, 1)), _Block((), few, (1,)), _Block((), np.array([9]), (0,))])
    >>> [(block.rows.tolist(), block.depths) for block in blocks]
    [([0, 1, 2, 3, 4], (0, 1)), ([9], (0,))]
    """
    blocks: list[_Block] = []
    for request in sorted(requests, key=lambda each: -each.cost):
        joined = [_join(block, request) for block in blocks]
        gains = [
            block.cost + request.cost - both.cost if block.key == request.key else -1
            for block, both in zip(blocks, joined, strict=True)
        ]
        if gains and max(gains) >= 0:
            blocks[gains.index(max(gains))] = joined[gains.index(max(gains))]
        else:
            blocks.append(request)
    return blocks


def _join(one: _Block, other: _Block) -> _Block:
    depths = tuple(sorted({*one.depths, *other.depths}))
    return _Block(one.key, np.union1d(one.rows, other.rows), depths)
