"""What all comparison kernels have in common: fitting, square and rectangle, normalization."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.parallel.threads import Task, run_tasks

#: Fills the rows first … last - 1 of a matrix, of a square one from the diagonal on, unless it is told to stop.
Fill: TypeAlias = Callable[[int, int, NDArray[np.bool_], FloatArray], None]
#: How many pairs of nodes a task compares, about.
BLOCK = 500_000


class GraphKernel(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A kernel between graphs; those of this room say what they make of graphs, and how they compare it.

    A kernel defines ``_learn``, which keeps what the training graphs tell and gives them in its own form;
    ``_represent``, which brings new graphs, and with them the training graphs, into that form; ``_compare``, which
    gives the matrix; and ``_own``, which gives the similarity of every graph to itself.
    """

    normalize: bool

    def fit(self, graphs: Any, y: Any = None) -> Self:
        """Learn from the training graphs, a :class:`GraphBatch` or anything that a reader takes; ``y`` is not used."""
        batch = as_batch(graphs)
        if not len(batch):
            raise ValueError("there are no graphs to learn from: give at least one")
        self._training = self._learn(batch)
        self.n_train_ = len(batch)
        return self

    def fit_transform(self, graphs: Any, y: Any = None) -> FloatArray:
        """Fit, and give the similarities of the training graphs (n_train, n_train), each pair computed once."""
        self.fit(graphs)
        return self._matrix(self._training, None)

    def transform(self, graphs: Any) -> FloatArray:
        """Give the similarities of any graphs with the training graphs (n_graphs, n_train)."""
        check_is_fitted(self)
        return self._matrix(*self._represent(as_batch(graphs)))

    def _matrix(self, left: Any, right: Any) -> FloatArray:
        matrix = self._compare(left, right)
        if self.normalize:
            rows = self._own(left)
            normalize(matrix, rows, rows if right is None else self._own(right))
        return matrix

    def _learn(self, batch: GraphBatch) -> Any:
        raise NotImplementedError

    def _represent(self, batch: GraphBatch) -> tuple[Any, Any]:
        raise NotImplementedError

    def _compare(self, left: Any, right: Any) -> FloatArray:
        raise NotImplementedError

    def _own(self, graphs: Any) -> FloatArray:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_training")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # what comes in is graphs
        return tags


def fill_rows(left: IntArray, right: IntArray | None, fill: Fill, n_jobs: int | None, progress: bool) -> FloatArray:
    """Compare graphs pair by pair, on threads: (N, M), or (N, N) without a right side, where every pair counts once.

    ``left`` and ``right`` say where the nodes of each graph begin; all tasks have about as many pairs of nodes.
    """
    from wassergraph.transport.tree import mirror

    sizes, others = np.diff(left), np.diff(left if right is None else right)
    out = np.zeros((len(sizes), len(others)))
    stop = np.zeros(1, dtype=np.bool_)
    beyond = np.cumsum(others[::-1])[::-1] if right is None else np.full(len(sizes), others.sum())
    pairs = np.arange(len(others), 0, -1) if right is None else np.full(len(sizes), len(others))
    ends = np.cumsum(sizes * beyond, dtype=np.float64)
    cuts = np.searchsorted(ends, np.arange(BLOCK, ends[-1], BLOCK)) + 1 if len(sizes) else np.zeros(0, np.int64)
    borders = np.unique(np.concatenate([[0], cuts, [len(sizes)]])).tolist()
    tasks = [
        Task(partial(fill, first, last, stop, out), int(pairs[first:last].sum()))
        for first, last in itertools.pairwise(borders)
    ]
    run_tasks(tasks, stop, n_jobs, label="kernel", unit="pairs", progress=progress)
    if right is None:
        mirror(out)
    return out


def normalize(matrix: FloatArray, rows: FloatArray, columns: FloatArray) -> None:
    """Divide a kernel, in place, by the roots of the similarities of its rows and columns to themselves."""
    columns = _or_one(columns)
    for row, own in zip(matrix, _or_one(rows), strict=True):  # row by row: no second matrix is needed
        row /= _mean(own, columns)


def _mean(one: float, others: FloatArray) -> FloatArray:
    """Give geometric means: the root of the product, whose rounding makes 1 of a diagonal, or where that would overflow
    the product of roots.
    """
    if 1e-150 < one < 1e150 and others.min() > 1e-150 and others.max() < 1e150:
        return np.asarray(np.sqrt(one * others))
    return np.asarray(np.sqrt(one) * np.sqrt(others))


def _or_one(own: FloatArray) -> FloatArray:
    """Spare graphs in which nothing is counted: they are similar to none, not even to themselves, and stay 0."""
    return np.where(own > 0, own, 1.0)
