"""What all comparison kernels have in common: fitting, square and rectangular matrices, normalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray, Stop
from wassergraph.errors import InputError
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pairwise.compute import SolveTile, fill_array
from wassergraph.pairwise.tiles import Tile, Work, make_grid, mirror_upper

#: Graphs in the form that a kernel compares them in.
Form = TypeVar("Form")


class GraphKernel(TransformerMixin, BaseEstimator, Generic[Form]):  # type: ignore[misc]
    """The base class of the comparison kernels.

    A subclass defines four methods. ``_learn`` keeps what is learned from the training graphs, and returns them in the
    form that the kernel compares; ``_form`` returns new graphs in that form, or, where that of the training graphs
    depends on them, ``_represent`` returns both; ``_compare`` computes the matrix; ``_self_similarity`` the similarity
    of every graph to itself.
    """

    def __init__(self, *, normalize: bool = False, n_jobs: int | None = None, progress: bool = False) -> None:
        self.normalize = normalize
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, graphs: object, y: object = None) -> Self:
        """Learn from the training graphs.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self
        """
        batch = as_batch(graphs)
        if not len(batch):
            raise InputError("there are no graphs to learn from", remedy="pass at least one")
        self._training = self._learn(batch)
        self.n_train_ = len(batch)
        return self

    def fit_transform(self, graphs: object, y: object = None) -> FloatArray:
        """Fit the kernel, and compute the similarities of the training graphs; each pair is computed once.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        (n_train, n_train) floats
            The kernel matrix.
        """
        self.fit(graphs)
        return self._matrix(self._training, None)

    def transform(self, graphs: object) -> FloatArray:
        """Compute the similarities of graphs to the training graphs.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.

        Returns
        -------
        (n_graphs, n_train) floats
            The kernel matrix.
        """
        check_is_fitted(self)
        return self._matrix(*self._represent(as_batch(graphs)))

    def _matrix(self, left: Form, right: Form | None) -> FloatArray:
        matrix = self._compare(left, right)
        if self.normalize:
            rows = self._self_similarity(left)
            normalize(matrix, rows, rows if right is None else self._self_similarity(right))
        return matrix

    def _learn(self, batch: GraphBatch) -> Form:
        raise NotImplementedError

    def _form(self, batch: GraphBatch) -> Form:
        raise NotImplementedError

    def _represent(self, batch: GraphBatch) -> tuple[Form, Form]:
        """Return new graphs, and the training graphs, in the form that the kernel compares."""
        return self._form(batch), self._training

    def _compare(self, left: Form, right: Form | None) -> FloatArray:
        raise NotImplementedError

    def _self_similarity(self, graphs: Form) -> FloatArray:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_training")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # the input is graphs
        return tags


def kernel_matrix(
    solve: SolveTile, work: Work, *, symmetric: bool, n_jobs: int | None = None, progress: bool = False
) -> FloatArray:
    """Compute a kernel (N, M) tile by tile, on threads.

    Parameters
    ----------
    solve : callable
        Computes a tile (1, rows, columns) of the kernel.
    work : Work
        The estimated work of every pair of graphs.
    symmetric : bool
        Whether both sides are the same graphs, so that every pair is computed once.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    (N, M) floats
        The kernel matrix.
    """
    grid = make_grid((len(work.left), len(work.right)), work, symmetric=symmetric)
    kernel: FloatArray = fill_array(solve, grid, n_jobs=n_jobs, label="kernel", progress=progress)[0]
    return kernel


def core_tiles(compute: Callable[..., None], *arguments: Any, symmetric: bool) -> SolveTile:
    """Return what computes tiles (1, rows, columns) by a function of the core, whose arguments are those of all tiles.

    If both sides are the same graphs, the core computes the upper half of a tile on the diagonal.
    """

    def solve(tile: Tile, stop: Stop) -> FloatArray:
        mirrored = symmetric and tile.on_diagonal
        out = np.zeros((1, *tile.shape))
        compute(tile, mirrored, *arguments, stop, out[0])
        if mirrored:
            mirror_upper(out)
        return out

    return solve


def diagonal(solve: SolveTile, work: Work, *, n_jobs: int | None = None) -> FloatArray:
    """Compute the similarities of graphs to themselves (N) on threads, from what computes the tiles of their kernel."""

    def solve_rows(tile: Tile, stop: Stop) -> FloatArray:
        alone = (solve(Tile(g, g + 1, g, g + 1), stop) for g in range(tile.row_begin, tile.row_end))
        return np.concatenate([np.empty((1, 0, 1)), *alone], axis=1)

    rows = Work((work.left * work.right).sum(axis=1, keepdims=True), np.ones((1, 1)))
    return kernel_matrix(solve_rows, rows, symmetric=False, n_jobs=n_jobs)[:, 0]


def normalize(matrix: FloatArray, rows: FloatArray, columns: FloatArray) -> None:
    """Divide a kernel, in place, by the roots of the similarities of its rows and columns to themselves."""
    # Graphs without anything to count have a similarity of 0, to all graphs, and keep it.
    rows, columns = (np.where(similarity > 0, similarity, 1.0) for similarity in (rows, columns))
    for row, similarity in zip(matrix, rows, strict=True):  # no second matrix is needed
        row /= _geometric_mean(similarity, columns)


def _geometric_mean(one: float, others: FloatArray) -> FloatArray:
    """Return the root of the product, which makes a diagonal exactly 1, or of each factor if that would overflow."""
    if 1e-150 < one < 1e150 and others.min() > 1e-150 and others.max() < 1e150:
        return np.asarray(np.sqrt(one * others))
    return np.asarray(np.sqrt(one) * np.sqrt(others))
