"""What the models of graphs do to choose a way to compare graphs, and parameters.

families ──▶ a sample of many graphs ──▶ the best few ways ──▶ distances ──inner folds──▶ a matrix, and parameters
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.matrices import DerivedMatrix
from wassergraph.learners.protocol import Learner, TargetArray
from wassergraph.metrics.metric import require_exact
from wassergraph.metrics.wwl import WWL
from wassergraph.models.given_distances import metric_of_given, read_given
from wassergraph.parallel.estimate import announce, tell
from wassergraph.parallel.stages import current_stages, stage
from wassergraph.parallel.step_times import StepTimes
from wassergraph.parallel.threads import n_threads
from wassergraph.tuning.candidates import Candidates, ChosenMatrix, Family, count_matrices, families_of
from wassergraph.tuning.folds import FoldSeed, restrict_folds
from wassergraph.tuning.foresight import Choosing, check_fit, estimate_fit, later_seconds
from wassergraph.tuning.grid import Grid, GridScores
from wassergraph.tuning.screening import (
    KEPT,
    EmbeddedFamily,
    best_of_matrices,
    compute_candidates,
    embed_families,
    keep_families,
    screen,
    screening_sample,
)
from wassergraph.tuning.selection import choose, score_targets
from wassergraph.tuning.wide import (
    SCREENED_ABOVE,
    WIDE_EFFORT,
    DecidedSearch,
    Search,
    decide_search,
    decides_itself,
    wide_families,
)

#: The step in which many ways to compare graphs are tried on a sample.
SCREENING = "screening"


class Scored(NamedTuple):
    """What candidates are scored by.

    Attributes
    ----------
    targets : (N) array
        The targets of the training graphs, as the learner expects them.
    folds : list of (train, test)
        The inner folds.
    learner : callable or None
        Returns what is fitted to some candidates; None if they are not scored in folds.
    weights : (N) floats or None
        How much each graph counts in the fits.
    sides : (N) integers or None
        Which targets are bounds, -1 or 1, as in :class:`wassergraph.models.learning.Training`.
    """

    targets: TargetArray
    folds: list[Fold]
    learner: Callable[[Candidates], Learner] | None = None
    weights: FloatArray | None = None
    sides: IntArray | None = None

    def of_part(self, part: IntArray) -> Scored:
        """Return the same for a part of the graphs."""
        weights = None if self.weights is None else self.weights[part]
        sides = None if self.sides is None else self.sides[part]
        return Scored(self.targets[part], restrict_folds(self.folds, part), self.learner, weights, sides)


class ModelSearch(BaseEstimator):  # type: ignore[misc]
    """An estimator that compares training graphs in several ways, and chooses one of them.

    Its parameters are attributes, as in scikit-learn. A model adds its grid of candidates and its learner.
    """

    metric: WWL | Sequence[WWL] | None
    search: Search
    n_jobs: int | None
    random_state: FoldSeed
    progress: bool

    search_: DecidedSearch
    screening_: dict[str, int]
    best_params_: dict[str, Any]
    best_score_: float | None
    cv_results_: dict[str, Any]
    grid_scores_: GridScores | None
    seconds_: dict[str, float]
    #: Whether the targets are numbers, not classes.
    _learns_numbers = True
    #: Whether the weight of columns is learned, not chosen.
    _learns_weight = False

    def set_params(self, **params: Any) -> Self:
        """Replace parameters; those of the metric, as ``metric__depth``, also where it is the default one.

        Parameters
        ----------
        **params : object
            Values by name.

        Returns
        -------
        self
        """
        metric, nested = params.get("metric", self.metric), any(name.startswith("metric__") for name in params)
        if nested and metric is None:
            self.metric = WWL()
            params.pop("metric", None)
        if nested and isinstance(metric, list | tuple):
            problem, remedy = "{} has several metrics, whose parameters are their own", "replace the metrics"
            raise InputError(problem, remedy=remedy, options=[Option("metric")])
        changed: Self = super().set_params(**params)
        return changed

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        """Add the time of a ``with`` block to a step, which is a stage of the bar."""
        with StepTimes(self.seconds_).step(step), stage(step):
            yield

    def _foresee(self, embedded: Sequence[EmbeddedFamily], batch: GraphBatch, scored: Scored, given: Any) -> None:
        """Announce what the fit will take."""
        stages = current_stages()
        if stages is None or not stages.told:
            return
        compared = [each.family for each in embedded]
        choosing, threads = self._choosing(compared, scored), n_threads(self.n_jobs)
        estimate, shares = estimate_fit(batch, compared, choosing, threads, given=given is not None)
        announce(estimate, stages, parts={"distances": shares})

    def _foresee_screening(
        self,
        embedded: Sequence[EmbeddedFamily],
        sample: GraphBatch,
        n_graphs: int,
        scored: Scored,
    ) -> None:
        """Announce what it takes to compare all ways on a sample, after which more is known."""
        stages = current_stages()
        if stages is None or not stages.told:
            return
        compared = [each.family for each in embedded]
        choosing = self._choosing(compared, scored)
        estimate, shares = estimate_fit(sample, compared, choosing, n_threads(self.n_jobs))
        screening = replace(estimate, seconds={SCREENING: estimate.total - estimate.seconds["training"]})
        stages.expect({**screening.seconds, **later_seconds(estimate, shares, n_graphs, KEPT / choosing.n_matrices)})
        tell(screening)

    def _choosing(self, families: Sequence[Family], scored: Scored) -> Choosing:
        """Return what is chosen from, as far as that is known without distances."""
        counts = count_matrices(families, self._powers())
        matrix = DerivedMatrix(np.zeros((1, 1)), np.zeros(1), definite=not counts.indefinite)
        one = Candidates([matrix], [families[0].scheme], [{}], 0, [])
        grid = self._grid(one) if scored.learner is not None else Grid(({},))
        return Choosing(
            scored.targets,
            [len(train) for train, _ in scored.folds],
            replace(grid, n_simple=counts.simple),
            counts.matrices,
            counts.indefinite,
            None if scored.learner is None else scored.learner(one),
            self._effort(),
            n_rounds=len(scored.folds),
            relative=grid.scales is not None,
        )

    def _check_memory(self, families: Sequence[Family], n_graphs: int, *, screened: bool) -> None:
        """Refuse what will not fit in memory."""
        first, stored = families[0], count_matrices(families).stored
        mass = first.scheme.mass if len({each.scheme.mass for each in families}) > 1 else None
        kept = min(stored, KEPT) if screened else stored
        kept += any(any(family.column_shares) for family in families)  # the distances of columns
        check_fit(n_graphs, kept, n_threads(self.n_jobs), depths=first.depths, mass=mass)

    def _choose(self, batch: GraphBatch, scored: Scored, given: Any, columns: FloatArray | None = None) -> ChosenMatrix:
        """Compare the training graphs in all ways of the search, and choose one of them with its parameters.

        ``columns`` are how far the graphs are apart in their columns (N, N), if they have some, whose weight is chosen.
        """
        families = self._open_search(batch, given)
        if columns is not None and columns.any():
            families = [family.beside_columns(learned=self._learns_weight) for family in families]
        screened = self.search_ == "wide" and len(batch) > SCREENED_ABOVE
        if given is None:
            self._check_memory(families, len(batch), screened=screened)
        with self._timed("embedding"):
            embedded = embed_families(families, batch)
        (embedded,) = self._screen(embedded, batch, [scored], columns)
        self._foresee(embedded, batch, scored, given)
        return self._select(self._candidates(embedded, batch, given, columns), scored)

    def _open_search(self, batch: GraphBatch, given: Any) -> list[Family]:
        """Decide the search, and return the ways to embed the graphs that are chosen from."""
        metrics = read_metrics(self.metric, "a model")
        self.search_ = self._decide_search(batch, metrics, given)
        return self._families(batch, metrics, given)

    def _decide_search(self, batch: GraphBatch, metrics: WWL | list[WWL], given: Any) -> DecidedSearch:
        """Return which search is made; raise an error if it would choose what is given."""
        search = decide_search(self.search, batch, numbers=self._learns_numbers, pinned=self._is_pinned(metrics, given))
        if search == "wide" and given is not None:
            problem = "{} compares the graphs in several ways, but the given distances belong to one"
            options = [Option("search", "wide"), Option("search", "metric")]
            raise InputError(problem, remedy="pass {}, or no distances", options=options)
        return search

    def _is_pinned(self, metrics: WWL | list[WWL], given: Any) -> bool:
        """Return whether values are given for parameters that a wide search chooses."""
        return given is not None or not isinstance(metrics, WWL) or decides_itself(metrics)

    def _families(self, batch: GraphBatch, metrics: WWL | list[WWL], given: Any) -> list[Family]:
        """Return the ways to embed the graphs that are chosen from: those of the metrics, one for each mass."""
        if self.search_ == "wide":
            return wide_families(batch, metrics)
        several = [metrics] if isinstance(metrics, WWL) else metrics
        return families_of(several if given is None else [metric_of_given(given, batch, several)], batch)

    def _candidates(
        self, embedded: list[EmbeddedFamily], batch: GraphBatch, given: Any, columns: FloatArray | None
    ) -> Candidates:
        """Compute the distances of all families between the training graphs, or read those that are given."""

        def compute(each: EmbeddedFamily) -> NDArray[Any]:
            if given is not None:
                return read_given(given, batch, each.family.scheme, each.family.depths)
            return each.distances(n_jobs=self.n_jobs, progress=self.progress)

        with self._timed("distances"):
            return compute_candidates(embedded, batch, compute, powers=self._powers(), columns=columns)

    def _powers(self) -> tuple[float, ...]:
        return (1.0,)

    def _screen(
        self,
        embedded: list[EmbeddedFamily],
        batch: GraphBatch,
        several: Sequence[Scored],
        columns: FloatArray | None,
    ) -> list[list[EmbeddedFamily]]:
        """Compare many ways on a sample of the graphs; return the families that are worth computing for all.

        There is a list of them for each of several targets of the same graphs, in the same folds.
        """
        if self.search_ != "wide":
            return [embedded for _ in several]
        first = several[0]
        among = np.unique(np.concatenate([part for fold in first.folds for part in fold]))
        families = [each.family for each in embedded]
        part = screening_sample(families, first.targets, first.folds, self.random_state, among=among)
        if part is None:
            return [embedded for _ in several]
        samples = [each.of_part(part) for each in several]
        self._foresee_screening(embedded, batch[part], len(batch), samples[0])

        def compute(each: EmbeddedFamily) -> NDArray[Any]:
            return each.distances(part, n_jobs=self.n_jobs, progress=self.progress)

        def score(candidates: Candidates) -> list[FloatArray]:
            return self._score_matrices(candidates, samples)

        options: Any = {"powers": self._powers(), "columns": None if columns is None else columns[np.ix_(part, part)]}
        with self._timed(SCREENING):
            candidates, kept = screen(embedded, batch[part], compute, score, **options)
        self.screening_ = {"ways": kept.shape[1], "graphs": len(part), "kept": int(kept[0].sum())}
        return [keep_families(embedded, candidates, each) for each in kept]

    def _score_matrices(self, candidates: Candidates, several: Sequence[Scored]) -> list[FloatArray]:
        """Return how good the best candidate of each matrix is, for each of several targets."""
        return [best_of_matrices(each) for each in self._score(candidates, self._grid(candidates), several)]

    def _score(
        self,
        candidates: Candidates,
        grid: Grid,
        several: Sequence[Scored],
        allowed: Sequence[NDArray[np.bool_]] | None = None,
    ) -> list[GridScores]:
        """Score the candidates for each of several targets of the same graphs, in the same folds."""
        _, folds, learner, weights, _ = several[0]
        assert learner is not None
        options: Any = {"effort": self._effort(), "n_jobs": self.n_jobs, "progress": self.progress}
        targets = [each.targets for each in several]
        fitted = learner(candidates)
        return score_targets(
            candidates.matrices, targets, folds, grid, fitted, weights=weights, allowed=allowed, **options
        )

    def _effort(self) -> Effort:
        return WIDE_EFFORT if self.search_ == "wide" else NO_LIMITS

    def _grid(self, candidates: Candidates) -> Grid:
        """Return the candidates to choose from."""
        raise NotImplementedError

    def _select(self, candidates: Candidates, scored: Scored) -> ChosenMatrix:
        """Choose a matrix and parameters in the inner folds."""
        grid, scores = self._grid(candidates), None
        with self._timed("selection"):
            if self._is_choice(grid, scored):
                (scores,) = self._score(candidates, grid, [scored])
        return self._adopt(candidates, grid, scores, scored)

    @staticmethod
    def _is_choice(grid: Grid, scored: Scored) -> bool:
        """Return whether there is something to choose."""
        return int(np.prod(grid.shape)) > 1 and scored.learner is not None

    def _adopt(self, candidates: Candidates, grid: Grid, scores: GridScores | None, scored: Scored) -> ChosenMatrix:
        """Take the candidate with the best scores; the only one, if there are no scores."""
        number, self.best_score_, self.grid_scores_, self.cv_results_ = 0, None, scores, {}
        if scores is not None:
            assert scored.learner is not None
            n_tested = sum(len(test) for _, test in scored.folds)
            number, self.best_score_ = choose(scores, n_tested, scored.learner(candidates), self._effort())
            self.cv_results_ = scores.table()
        self.best_params_ = grid.candidate(number)
        return candidates.chosen(grid.indices(number)[0])


def read_metrics(given: Any, what: str) -> WWL | list[WWL]:
    """Return the metric of a model, or the metrics that it chooses from, which have learned nothing.

    An error says that there is no metric, or that its solver is not one that ``what`` uses.
    """
    given = WWL() if given is None else given
    metrics = [given] if isinstance(given, WWL) else list(given) if isinstance(given, Iterable) else []
    if not metrics or not all(isinstance(metric, WWL) for metric in metrics):
        problem = f"{{}} must be a WWL, such as WWL(depth=3), or a sequence of these, got {given!r}"
        raise InputTypeError(problem, options=[Option("metric")])
    for metric in metrics:
        require_exact(metric, what)
    return clone(given) if isinstance(given, WWL) else [clone(metric) for metric in metrics]
