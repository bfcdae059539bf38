"""Kernels that count: bags of labels, and sums over the labels that two bags share.

As in the closed form of the categorical distance, for every graph the lists of graphs that have its labels are added
up, so that pairs without a common label cost nothing. Counts are integers, so all sums are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.baselines.kernel import GraphKernel
from wassergraph.distances.histograms import histograms, row_tasks
from wassergraph.embedding.node_embedding import Codes
from wassergraph.formats.detect import as_batch
from wassergraph.parallel.threads import Task, run_tasks
from wassergraph.transport.tree import Histogram, mirror

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")

#: Up to so many columns a full table is faster than lists of who has which label.
_NARROW = 128
#: How many pairs of graphs a task of full tables settles.
_PAIRS = 1_000_000
_PIECE = 1024


@dataclass(frozen=True)
class Bags:
    """The labels of many graphs: graph g has the items ``ptr[g]`` to ``ptr[g + 1] - 1``, with codes at every level.

    Codes of different levels are different labels, even if they are equal.
    """

    ptr: IntArray
    codes: Codes  # (levels, n_items)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def depth(self) -> int:
        """The number of the last level."""
        return len(self.codes) - 1


def shared_labels(
    left: Any, right: Any = None, *, intersect: bool = False, n_jobs: int | None = None, progress: bool = False
) -> FloatArray:
    """Add up, over the labels that two graphs share, the products of their counts (N, M), or the smaller counts."""
    sides = [left] if right is None else [left, right]
    out = np.empty((len(left), len(sides[-1])))
    stop = np.zeros(1, dtype=np.bool_)
    tables = None if intersect else _tables(sides)
    if tables is not None:
        tasks = _table_tasks(tables[0], np.ascontiguousarray(tables[-1].T), out)
    else:
        counted = histograms(sides, [np.ones(int(side.ptr[-1]), dtype=np.int64) for side in sides])

        def fill(first: int, last: int) -> None:
            fill_shared(first, last, right is None, intersect, counted[0], counted[-1], stop, out)

        tasks = row_tasks(counted, right is None, fill)
    run_tasks(tasks, stop, n_jobs, label="kernel", unit="pairs", progress=progress)
    if right is None and tables is None:
        mirror(out)
    return out


def _tables(sides: list[Any]) -> list[FloatArray] | None:
    """Count labels that are few small numbers into full tables (N, n_labels); None if they are not.

    Then the sums are a product of matrices, of which the first is mostly zeros.
    """
    if any(len(side.codes) != 1 or not side.codes.size for side in sides):
        return None
    labels = [side.codes[0].view(np.int64) for side in sides]
    least, most = min(int(own.min()) for own in labels), max(int(own.max()) for own in labels)
    width = most - least + 1
    if width > _NARROW:
        return None
    tables = []
    for side, own in zip(sides, labels, strict=True):
        places = np.repeat(np.arange(len(side)) * width - least, np.diff(side.ptr)) + own
        tables.append(np.bincount(places, minlength=len(side) * width).reshape(-1, width).astype(np.float64))
    return tables


def _table_tasks(left: FloatArray, right: FloatArray, out: FloatArray) -> list[Task]:
    rows = max(1, _PAIRS // max(1, out.shape[1]))
    return [
        Task(partial(multiply_rows, first, min(first + rows, len(out)), left, right, out), rows * out.shape[1])
        for first in range(0, len(out), rows)
    ]


@_jit
def multiply_rows(first: int, last: int, left: FloatArray, right: FloatArray, out: FloatArray) -> None:
    """Fill rows of ``left @ right``, passing over zeros, a piece at a time that stays near the processor."""
    for i in range(first, last):
        for begin in range(0, out.shape[1], _PIECE):
            piece = out[i, begin : begin + _PIECE]
            piece[:] = 0.0
            for c in range(left.shape[1]):
                if left[i, c] != 0.0:
                    _add_scaled(left[i, c], right[c, begin : begin + _PIECE], piece)


@_jit
def _add_scaled(factor: float, values: FloatArray, total: FloatArray) -> None:
    for t in range(len(total)):
        total[t] += factor * values[t]


@_jit
def fill_shared(
    first: int,
    last: int,
    square: bool,
    intersect: bool,
    left: Histogram,
    right: Histogram,
    stop: NDArray[np.bool_],
    out: FloatArray,
) -> None:
    """Fill the rows first … last - 1 of out (rows, columns), over all levels; of a square one, from the diagonal on."""
    for i in range(first, last):
        if stop[0]:
            return
        out[i] = 0.0
        for level in range(len(left.ptr)):
            for k in range(left.ptr[level, i], left.ptr[level, i + 1]):
                _add_label(i if square else 0, left.label[k], left.times[k], intersect, right, out[i])


@_jit
def _add_label(least: int, label: int, mine: float, intersect: bool, right: Histogram, row: FloatArray) -> None:
    """Add what one label, found ``mine`` times, contributes to the graphs from ``least`` on."""
    begin, end = right.start[label], right.start[label + 1]
    if least > 0:
        begin += np.searchsorted(right.graph[begin:end], least)
    if intersect:
        for place in range(begin, end):
            row[right.graph[place]] += min(mine, right.found[place])
    else:
        for place in range(begin, end):
            row[right.graph[place]] += mine * right.found[place]


def self_similarity(bags: Any, *, intersect: bool = False) -> FloatArray:
    """Give what :func:`shared_labels` gives for every graph with itself (N)."""
    if intersect:
        return np.asarray(np.diff(bags.ptr) * float(bags.depth + 1))
    (counted,) = histograms([bags], [np.ones(int(bags.ptr[-1]), dtype=np.int64)])
    own = np.zeros(len(bags))
    for level in counted.ptr:
        owner = np.repeat(np.arange(len(bags)), np.diff(level))
        own += np.bincount(owner, weights=counted.times[level[0] : level[-1]] ** 2, minlength=len(bags))
    return own


class Vocabulary:
    """The labels of the training graphs, as columns: level by level, in the order of their codes."""

    def __init__(self, bags: Any) -> None:
        self.levels = [np.unique(codes) for codes in bags.codes]

    def __len__(self) -> int:
        return sum(len(level) for level in self.levels)

    def count(self, bags: Any) -> csr_array:
        """Count the labels of graphs (n_graphs, n_labels), sparse; labels that are not in here have no column."""
        owner = np.repeat(np.arange(len(bags)), np.diff(bags.ptr))
        rows, columns, first = [], [], 0
        for known, codes in zip(self.levels, bags.codes, strict=True):
            found = np.isin(codes, known)
            rows.append(owner[found])
            columns.append(np.searchsorted(known, codes[found]) + first)
            first += len(known)
        entries = np.concatenate(rows), np.concatenate(columns)
        table = csr_array((np.ones(len(entries[0])), entries), shape=(len(bags), len(self)))
        table.sum_duplicates()
        return table


class CountKernel(GraphKernel):
    """A kernel whose features are counts of labels; it says which, by ``_bags``."""

    intersect = False

    def __init__(self, *, normalize: bool = False, n_jobs: int | None = None, progress: bool = False) -> None:
        self.normalize = normalize
        self.n_jobs = n_jobs
        self.progress = progress

    def features(self, graphs: Any) -> csr_array:
        """Count the labels of graphs (n_graphs, n_labels), sparse: a column for each label of the training graphs.

        The kernel of the training graphs is ``features @ features.T``, before it is normalized.
        """
        check_is_fitted(self)
        new, training = self._represent(as_batch(graphs))
        return Vocabulary(training).count(new)

    def _compare(self, left: Any, right: Any) -> FloatArray:
        return shared_labels(left, right, intersect=self.intersect, n_jobs=self.n_jobs, progress=self.progress)

    def _own(self, graphs: Any) -> FloatArray:
        return self_similarity(graphs, intersect=self.intersect)
