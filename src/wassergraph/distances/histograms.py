"""Label histograms of many graphs, by graph and by label, and the rows of a matrix cut into tasks by their work."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from wassergraph.arrays import IntArray
from wassergraph.parallel.threads import Task


def row_tasks(counted: list[Any], square: bool, fill: Callable[[int, int], None]) -> list[Task]:
    """Cut the rows of a matrix into tasks of about the same work, for histograms whose common labels are looked up.

    ``fill(first, last)`` settles the rows first … last - 1, in a square one what is right of the diagonal.
    """
    n, m = counted[0].ptr.shape[1] - 1, counted[-1].ptr.shape[1] - 1
    ends = np.concatenate([[0], np.cumsum(np.diff(counted[-1].start)[counted[0].label])])
    effort = (ends[counted[0].ptr[:, 1:]] - ends[counted[0].ptr[:, :-1]]).sum(axis=0) + m * len(counted[0].ptr)
    borders = np.unique(np.searchsorted(np.cumsum(effort), np.arange(0, effort.sum() + 1e7, 1e7)))
    edges = np.unique(np.concatenate([[0], borders, [n]])).tolist()

    def pairs(first: int, last: int) -> int:
        return sum(m - 1 - i for i in range(first, last)) if square else (last - first) * m

    return [Task(partial(fill, a, b), pairs(a, b)) for a, b in itertools.pairwise(edges)]


def histograms(sides: list[Any], masses: list[IntArray]) -> list[Any]:
    """Weigh the labels of every graph at every depth: one histogram for each side, with the same numbers for labels."""
    levels: list[list[Any]] = [[] for _ in sides]
    n_kinds = 0
    borders = np.cumsum([0, *(int(side.ptr[-1]) for side in sides)])
    for depth in range(sides[0].depth + 1):
        codes = np.concatenate([side.codes[depth] for side in sides if side.codes is not None])
        kinds, label = np.unique(codes, return_inverse=True)
        for k, side in enumerate(sides):
            own = label[borders[k] : borders[k + 1]]
            levels[k].append(_histogram(side, own, masses[k], len(kinds), n_kinds))
        n_kinds += len(kinds)
    return [_joined(side) for side in levels]


def _histogram(side: Any, label: IntArray, mass: IntArray, n_kinds: int, first_kind: int) -> Any:
    """Weigh the labels of every graph at one depth, where they get the numbers from ``first_kind`` on."""
    from wassergraph.transport.tree import Histogram

    # Sparse matrices sort within the rows alone, which are short, and turn by counting: no sort of all nodes is needed.
    graph = np.repeat(np.arange(len(side)), np.diff(side.ptr))
    by_graph = coo_array((mass.astype(np.float64), (graph, label)), shape=(len(side), n_kinds)).tocsr()
    by_graph.sum_duplicates()
    by_label = by_graph.tocsc()
    return Histogram(
        by_graph.indptr.astype(np.int64),
        by_graph.indices.astype(np.int64) + first_kind,
        by_graph.data,
        by_label.indptr.astype(np.int64),
        by_label.indices.astype(np.int32),
        by_label.data,
    )


def _joined(levels: list[Any]) -> Any:
    """Put the histograms of all depths behind each other, and let go of each part as it is copied."""
    from wassergraph.transport.tree import Histogram

    ptrs, labels, times, starts, graphs, found = (list(column) for column in zip(*levels, strict=True))
    levels.clear()
    before = np.cumsum([0, *(len(level) for level in labels)])
    ptr = np.stack([own + shift for own, shift in zip(ptrs, before, strict=False)])
    start = [own[:-1] + shift for own, shift in zip(starts, before, strict=False)]
    return Histogram(
        ptr,
        _put_together(labels),
        _put_together(times),
        _put_together([*start, before[-1:]]),
        _put_together(graphs),
        _put_together(found),
    )


def _put_together(parts: list[NDArray[Any]]) -> NDArray[Any]:
    whole = np.concatenate(parts)
    parts.clear()
    return whole
