"""The matrices of a wide search, of which those are computed that a nested cross-validation needs.

    outer folds ──a sample of each training part──▶ the best ways ──▶ distances of all graphs, once for all folds

With few graphs, all ways are computed for all graphs. The sample is that of :mod:`wassergraph.learning.screening`, and
what it decides in an outer fold depends on the training part of that fold alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.scheme import EdgeLabels, Kind, Masses, Standardize
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.matrix_cache import cached
from wassergraph.files.content_keys import content_key
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.candidates import (
    Candidates,
    DerivedMatrix,
    Matrices,
    Origin,
    make_candidates,
    median_distance,
)
from wassergraph.learning.gaussian import fit_processes
from wassergraph.learning.grid import Grid
from wassergraph.learning.learners import Learner, Targets
from wassergraph.learning.screening import (
    KEPT,
    SAMPLE,
    EmbeddedFamily,
    NestedFolds,
    best_of_matrices,
    can_be_screened,
    count_matrices,
    draw_sample,
    embed_families,
    sample_random,
    worth_computing,
)
from wassergraph.learning.selection import score_grid
from wassergraph.learning.wide import MANY_GRAPHS, WIDE_EFFORT, wide_families
from wassergraph.parallel.stages import part as share_of_bar

#: The shares of the work that distances of the sample take, and the choice of the best ways, about.
_SAMPLED, _SCORED = 0.3, 0.2


@dataclass(frozen=True)
class WideOptions:
    """Everything that the ways of a wide search depend on besides the graphs.

    Attributes
    ----------
    kind, edge_labels, mass, standardize, isolated
        As in :class:`wassergraph.WWLClassifier`.
    """

    kind: Kind = "auto"
    edge_labels: EdgeLabels = "auto"
    mass: Masses = "auto"
    standardize: Standardize = "auto"
    isolated: Isolated = "halve"


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


class WideMatrices:
    """The matrices of a wide search, computed when they are needed, and kept.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    options : WideOptions
        The ways to compare them.
    depths : sequence of int
        The depths to choose from.
    cache : Path, optional
        A folder to keep distances in.
    threads : Threads
        How to compute.
    """

    def __init__(
        self, graphs: GraphBatch, options: WideOptions, depths: Sequence[int], cache: Path | None, threads: Threads
    ) -> None:
        self.graphs, self.options, self.depths, self.cache, self.threads = graphs, options, depths, cache, threads
        self.embedded = embed_families(wide_families(graphs, **vars(options)), graphs, depths)
        self.seconds = 0.0
        self._known: dict[tuple[int, tuple[int, ...]], NDArray[Any]] = {}

    def for_folds(self, folds: NestedFolds, targets: Targets, grid: Grid, learner: Learner | None) -> FoldMatrices:
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
        part = self._sample(folds, targets)
        sample = folds.of_part(part)
        if count_matrices(self.embedded, self.depths) <= KEPT or not can_be_screened(sample.all_inner, targets[part]):
            part = np.arange(len(targets))
        if len(part) == len(targets):
            ways = self._candidates(part)
            return FoldMatrices(ways.matrices, with_matrices(grid, ways), None)
        with share_of_bar(_SAMPLED):
            ways = self._candidates(part)
        with share_of_bar(_SCORED):
            scores = _score_ways(ways, sample, targets[part], with_matrices(grid, ways), learner, self.threads)
        kept = np.array([worth_computing(each, ways) for each in scores])
        with share_of_bar(1 - _SAMPLED - _SCORED):
            matrices = self._compute(ways, np.asarray(kept.any(axis=0)))
        scales = tuple(1.0 if matrix is None else median_distance(matrix) for matrix in matrices)
        return FoldMatrices(matrices, replace(with_matrices(grid, ways), scales=scales), kept)

    def _sample(self, folds: NestedFolds, targets: Targets) -> IntArray:
        """Return the graphs that ways are compared on; all if there are few. Each training part has its share."""
        everything = np.arange(len(targets))
        if len(targets) <= MANY_GRAPHS:
            return everything
        share = np.mean([len(train) for train, _ in folds.outer]) / len(targets)
        return draw_sample(targets, everything, round(SAMPLE / share), sample_random(folds.random_state))

    def _candidates(self, part: IntArray) -> Candidates:
        """Return the matrices of all ways, between the graphs of a part."""
        stacks = []
        for number in range(len(self.embedded)):
            with share_of_bar(1 / len(self.embedded)):
                stacks.append(self._distances(number, self._depths(number), part))
        families = [each.family for each in self.embedded]
        return make_candidates(families, stacks, self.graphs[part], self.depths)

    def _depths(self, number: int) -> tuple[int, ...]:
        return tuple(self.embedded[number].family.depths(self.depths))

    def _compute(self, ways: Candidates, wanted: NDArray[np.bool_]) -> list[DerivedMatrix | None]:
        """Return the matrices of the ways that are wanted, between all graphs."""
        everything = np.arange(len(self.graphs))
        found: dict[Origin, DerivedMatrix] = {}
        origins = [origin for origin, is_wanted in zip(ways.origins, wanted, strict=True) if is_wanted]
        wanted_families = sorted({origin.family for origin in origins})
        for number in wanted_families:
            depths = tuple(sorted({origin.depth for origin in origins if origin.family == number}))
            family = replace(self.embedded[number].family, only=depths)
            with share_of_bar(1 / len(wanted_families)):
                stack = self._distances(number, depths, everything)
            own = make_candidates([family], [stack], self.graphs, self.depths)
            found |= {
                each._replace(family=number): matrix for each, matrix in zip(own.origins, own.matrices, strict=True)
            }
        return [found[origin] if is_wanted else None for origin, is_wanted in zip(ways.origins, wanted, strict=True)]

    def _distances(self, number: int, depths: tuple[int, ...], part: IntArray) -> NDArray[Any]:
        """Return the distances of a family, computed once for all graphs."""
        family, embedding = self.embedded[number]
        each = EmbeddedFamily(replace(family, only=depths), embedding)
        if len(part) < len(self.graphs):
            return each.distances(depths, part, **vars(self.threads))
        key = number, depths
        if key not in self._known:
            name = content_key(self.graphs, (self.options, family.parameters, depths))
            stack, seconds = cached(self.cache, name, lambda: each.distances(depths, **vars(self.threads)))
            self._known[key], self.seconds = stack, self.seconds + seconds
        return self._known[key]


def with_matrices(grid: Grid, candidates: Candidates) -> Grid:
    """Return a grid with some matrices, and the median of each as the unit of gamma."""
    return replace(
        grid, matrices=tuple(candidates.parameters), scales=candidates.medians(), n_simple=candidates.n_simple
    )


def _score_ways(
    ways: Candidates,
    folds: NestedFolds,
    targets: Targets,
    grid: Grid,
    learner: Learner | None,
    threads: Threads,
) -> list[FloatArray]:
    """Return how good each way is in each outer fold, on its training part alone."""
    if learner is None:
        return [_evidence(ways, targets, train, folds.random_state, threads) for train, _ in folds.outer]
    options: Any = {"groups": folds.groups, "effort": WIDE_EFFORT, **vars(threads)}
    scores = score_grid(ways.matrices, targets, folds.all_inner, grid, learner, **options)
    return [best_of_matrices(scores.take(own)) for own in folds.by_group]


def _evidence(ways: Candidates, targets: Targets, train: IntArray, random_state: int, threads: Threads) -> FloatArray:
    blocks = [np.asarray(matrix)[np.ix_(train, train)] for matrix in ways.matrices]
    fitted = fit_processes(blocks, targets[train], np.random.RandomState(random_state), n_jobs=threads.n_jobs)
    return np.array([fitted[m].log_likelihood if m in fitted else -np.inf for m in range(len(blocks))])
