"""The matrices of several ways to compare graphs, of which a nested cross-validation computes those that it needs.

    outer folds ──a sample of each training part──▶ the best ways ──▶ distances of all graphs, once for all folds

Without a wide search, and with few graphs, all ways are computed for all graphs. The sample is that of
:mod:`wassergraph.tuning.screening`, and what it decides in an outer fold depends on the training part of that fold
alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.matrix_cache import cached
from wassergraph.files.content_keys import content_key
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import ColumnScheme, GraphColumns, ImputeColumns, column_distances
from wassergraph.learners.gaussian import fit_processes
from wassergraph.learners.matrices import DerivedMatrix, Matrices, median_distance
from wassergraph.learners.protocol import Learner, TargetArray
from wassergraph.metrics.saved_scheme import scheme_to_json
from wassergraph.metrics.wwl import WWL
from wassergraph.parallel.stages import part as share_of_bar
from wassergraph.tuning.candidates import Candidates, Family, families_of
from wassergraph.tuning.folds import NestedFolds
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.screening import (
    EmbeddedFamily,
    best_of_matrices,
    compute_candidates,
    embed_families,
    keep_families,
    screen,
    screening_sample,
)
from wassergraph.tuning.selection import score_grid
from wassergraph.tuning.wide import WIDE_EFFORT, wide_families

#: The share of the work that the sample takes, about.
_SAMPLED = 0.5


@dataclass(frozen=True, eq=False)
class Ways:
    """The ways to compare graphs that a model chooses from.

    Attributes
    ----------
    metrics : WWL, or tuple of WWL
        The metrics; or one from which the wide search makes them.
    wide : bool
        Whether the wide search compares them.
    columns : GraphColumns or None
        The columns of the graphs, whose weight is chosen.
    impute : "error" or "median"
        What to do with missing cells of columns.
    learned : bool
        Whether the weight of columns is learned by a Gaussian process.
    """

    metrics: WWL | tuple[WWL, ...]
    wide: bool = True
    columns: GraphColumns | None = field(default=None, repr=False)
    impute: ImputeColumns = "error"
    learned: bool = False

    def families(self, graphs: GraphBatch, depths: tuple[int, ...]) -> list[Family]:
        """Return the ways; those that are made from one metric have some of the given depths."""
        if isinstance(self.metrics, WWL):
            families = wide_families(graphs, clone(self.metrics).set_params(depth=depths))
        else:
            families = wide_families(graphs, self.metrics) if self.wide else families_of(self.metrics, graphs)
        return (
            families if self.columns is None else [family.beside_columns(learned=self.learned) for family in families]
        )

    def apart(self, folds: NestedFolds) -> FloatArray | None:
        """Return how far all graphs are apart in their columns (N, N), scaled as those of the training part of a fold.

        None is returned without columns. The scales, and medians for missing cells, are those of the only outer fold.
        """
        if self.columns is None:
            return None
        ((train, _),) = folds.outer
        return column_distances(ColumnScheme.learn(self.columns.take(train), self.impute).scaled(self.columns))

    def grid(self, grid: Grid, candidates: Candidates) -> Grid:
        """Return a grid with some matrices; in a wide search, the median of each is the unit of gamma."""
        grid = replace(grid, matrices=tuple(candidates.parameters))
        return replace(grid, scales=candidates.medians(), n_simple=candidates.n_simple) if self.wide else grid


class FoldMatrices(NamedTuple):
    """What is chosen from in several outer folds.

    Attributes
    ----------
    matrices : (n_matrices, N, N) floats, or list of DerivedMatrix or None
        The matrices; None for those that no fold chooses from.
    grid : Grid
        The candidates.
    kept : (n_folds, n_matrices) booleans, or None
        Which matrices each fold chooses from; None if all do from all.
    """

    matrices: Matrices
    grid: Grid
    kept: NDArray[np.bool_] | None


class WayMatrices:
    """The matrices of several ways to compare graphs, computed when they are needed, and kept.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    ways : Ways
        The ways to compare them.
    depths : tuple of int
        The depths to choose from.
    cache : Path, optional
        A folder to keep distances in.
    threads : Threads
        How to compute.
    """

    def __init__(
        self, graphs: GraphBatch, ways: Ways, depths: tuple[int, ...], cache: Path | None, threads: Threads
    ) -> None:
        self.graphs, self.ways, self.cache, self.threads = graphs, ways, cache, threads
        self.embedded = embed_families(ways.families(graphs, depths), graphs)
        self.seconds = 0.0
        self._known: dict[str, NDArray[Any]] = {}

    def for_folds(self, folds: NestedFolds, targets: TargetArray, grid: Grid, learner: Learner | None) -> FoldMatrices:
        """Return the matrices that are worth computing in some outer folds.

        Parameters
        ----------
        folds : NestedFolds
            The outer and inner folds.
        targets : (N) array
            What is learned.
        grid : Grid
            The candidates, but for the matrices and the unit of gamma.
        learner : Learner or None
            What is fitted in the inner folds; None for Gaussian processes, which are compared by their evidence.

        Returns
        -------
        FoldMatrices
        """
        part, columns = self._sample(folds, targets), self.ways.apart(folds)
        if part is None:
            ways = compute_candidates(self.embedded, self.graphs, self._distances, columns=columns)
            return FoldMatrices(ways.matrices, self.ways.grid(grid, ways), None)
        sample, known = folds.of_part(part), targets[part]

        def compute(each: EmbeddedFamily) -> NDArray[Any]:
            return each.distances(part, **vars(self.threads))

        def score(ways: Candidates) -> list[FloatArray]:
            """Return how good each way is in each outer fold, on its training part alone."""
            if learner is None:
                return [_evidence(ways, known, train, folds.random_state, self.threads) for train, _ in sample.outer]
            options: Any = {"groups": sample.groups, "effort": WIDE_EFFORT, **vars(self.threads)}
            own_grid = self.ways.grid(grid, ways)
            scores = score_grid(ways.matrices, known, sample.all_inner, own_grid, learner, **options)
            return [best_of_matrices(scores.take(own)) for own in sample.by_group]

        own = None if columns is None else columns[np.ix_(part, part)]
        with share_of_bar(_SAMPLED):
            ways, kept = screen(self.embedded, self.graphs[part], compute, score, columns=own)
        with share_of_bar(1 - _SAMPLED):
            matrices = self._compute(ways, np.asarray(kept.any(axis=0)), columns)
        scales = tuple(1.0 if matrix is None else median_distance(matrix) for matrix in matrices)
        return FoldMatrices(matrices, replace(self.ways.grid(grid, ways), scales=scales), kept)

    def _sample(self, folds: NestedFolds, targets: TargetArray) -> IntArray | None:
        """Return the graphs that ways are compared on, of which each training part has its share; None for all."""
        if not self.ways.wide:
            return None
        families, among = [each.family for each in self.embedded], np.arange(len(targets))
        share = float(np.mean([len(train) for train, _ in folds.outer])) / len(targets)
        return screening_sample(families, targets, folds.all_inner, folds.random_state, among=among, share=share)

    def _compute(
        self, ways: Candidates, wanted: NDArray[np.bool_], columns: FloatArray | None
    ) -> list[DerivedMatrix | None]:
        """Return the matrices of the ways that are wanted, between all graphs."""
        kept = keep_families(self.embedded, ways, wanted)
        numbers = sorted({origin.family for origin, is_wanted in zip(ways.origins, wanted, strict=True) if is_wanted})
        own = compute_candidates(kept, self.graphs, self._distances, columns=columns)
        found = {
            origin._replace(family=numbers[origin.family]): matrix
            for origin, matrix in zip(own.origins, own.matrices, strict=True)
        }
        return [found[origin] if is_wanted else None for origin, is_wanted in zip(ways.origins, wanted, strict=True)]

    def _distances(self, each: EmbeddedFamily) -> NDArray[Any]:
        """Return the distances of a family between all graphs, computed once."""
        name = content_key(
            self.graphs, (scheme_to_json(each.family.scheme), each.family.scheme.standardized, each.family.depths)
        )
        if name not in self._known:
            compute = partial(each.distances, **vars(self.threads))
            self._known[name], seconds = cached(self.cache, name, compute)
            self.seconds += seconds
        return self._known[name]


def _evidence(
    ways: Candidates, targets: TargetArray, train: IntArray, random_state: int, threads: Threads
) -> FloatArray:
    blocks = [np.asarray(matrix)[np.ix_(train, train)] for matrix in ways.matrices]
    fitted = fit_processes(blocks, targets[train], np.random.RandomState(random_state), n_jobs=threads.n_jobs)
    return np.array([fitted[m].log_likelihood if m in fitted else -np.inf for m in range(len(blocks))])
