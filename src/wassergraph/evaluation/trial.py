"""Trial: a plan on graphs, whose matrices are computed once and cross-validated as often as needed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, Fold
from wassergraph.evaluation.compared import Compared, GivenDistances
from wassergraph.evaluation.forests import nested_forests
from wassergraph.evaluation.matrices import MatrixOptions, Threads
from wassergraph.evaluation.matrix_cache import cached
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plan import WITHOUT_INNER_FOLDS, Plan
from wassergraph.evaluation.repetition import ChosenParameters, Repetition, Scores
from wassergraph.evaluation.splitting import RANDOM, Splitting
from wassergraph.evaluation.ways import FoldMatrices, WayMatrices
from wassergraph.files.content_keys import content_key
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learners.effort import Effort
from wassergraph.learners.matrices import Matrices
from wassergraph.learners.neighbors import NeighborClassifier, NeighborRegressor
from wassergraph.learners.protocol import Learner
from wassergraph.learners.ridge import RidgeLearner
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.learners.svr import SVRLearner
from wassergraph.parallel.stages import part
from wassergraph.scores.measures import NUMBER_MEASURES, UNEQUAL_MEASURES, Measure, MeasuredValue, measures_for
from wassergraph.scores.outputs import Outputs
from wassergraph.scores.rare_classes import are_unequal
from wassergraph.scores.scoring import ClassOptions
from wassergraph.scores.tasks import ClassTask, NumberTask, read_task
from wassergraph.tuning.folds import INNER_FOLDS, OUTER_FOLDS, NestedFolds
from wassergraph.tuning.nested import NestedScores, join_folds, nested_cross_validation, nested_processes
from wassergraph.tuning.wide import WIDE_EFFORT

#: The value of every measure in every fold.
Measured: TypeAlias = dict[str, list[MeasuredValue]]

#: How much work the choice of parameters may be: fits that take more steps are left out. Such fits are rare; they are
#: those with the largest C on kernels of low rank.
EFFORT = Effort(max_iter=300_000, skip_unsolved=True)
#: With more graphs than this, candidates that are far behind after an inner fold are not evaluated on the next ones.
MANY_GRAPHS = 2000
#: The share of the time of a wide search that its matrices take, about.
_MATRICES = 0.5
RACE = replace(EFFORT, margin=3.0)


class ComputedMatrices(NamedTuple):
    """The matrices of a method (n_matrices, N, N), and how long they took."""

    stack: Matrices
    seconds: float


#: Matrices by graphs and options.
SharedMatrices: TypeAlias = dict[Hashable, ComputedMatrices | WayMatrices]


def matrix_keys(graphs: Compared, plan: Plan) -> list[Hashable]:
    """Return what identifies the matrices of a plan among those of the same evaluation."""
    return [(id(graphs), options, repr(plan.ways)) for options in plan.options]


class Trial:
    """A method on graphs: its matrices are computed, and can be cross-validated as often as needed.

    Parameters
    ----------
    graphs : GraphBatch or Fingerprints
        The prepared graphs.
    y : (N) array
        The class, or the number, of every graph, as the model of the plan learns them.
    plan : Plan
        What is evaluated.
    measures : sequence of Measure, optional
        What is measured; by default those of :func:`default_measures`.
    splitting : Splitting
        How graphs are split into folds; by default at random.
    class_options : ClassOptions, optional
        What parameters of classifiers are chosen by, and what classes weigh; by default the accuracy, and all the same.
    cache : Path, optional
        A folder to keep the matrices in, under names that depend on the content of graphs and options.
    shared : dict, optional
        The matrices of other trials of the same graphs, which are taken from there, or added.
    threads : Threads
        How to compute.
    """

    def __init__(
        self,
        graphs: Compared,
        y: ArrayLike,
        plan: Plan,
        *,
        measures: Sequence[Measure] | None = None,
        splitting: Splitting = RANDOM,
        class_options: ClassOptions | None = None,
        cache: Path | None = None,
        shared: SharedMatrices | None = None,
        threads: Threads | None = None,
    ) -> None:
        self.class_options = class_options or ClassOptions()
        self.task, self.plan, self.threads = read_task(y, len(graphs), plan.task), plan, threads or Threads()
        self.measures, self.splitting = measures or default_measures(self.task), splitting
        self.effort = effort_of(plan, len(graphs))
        self._computed = self._compute(graphs, cache, {} if shared is None else shared)

    @property
    def seconds(self) -> float:
        """The time that the matrices took."""
        return sum(each.seconds for each in self._computed)

    def _compute(
        self, graphs: Compared, cache: Path | None, shared: SharedMatrices
    ) -> list[ComputedMatrices | WayMatrices]:
        """Compute the matrices of the plan; those of several ways are computed in the folds that need them."""
        for key, options in zip(matrix_keys(graphs, self.plan), self.plan.options, strict=True):
            if key in shared:
                continue
            if isinstance(graphs, GivenDistances):
                shared[key] = ComputedMatrices(graphs.stack, 0.0)
            elif self.plan.ways is not None and isinstance(graphs, GraphBatch):
                shared[key] = WayMatrices(graphs, self.plan.ways, options.depths, cache, self.threads)
            else:
                shared[key] = ComputedMatrices(*compute_matrices(graphs, options, cache, self.threads))
        return [shared[key] for key in matrix_keys(graphs, self.plan)]

    def run(self, random_state: int, *, folds: int = OUTER_FOLDS, inner_folds: int = INNER_FOLDS) -> Repetition:
        """Return the result of one nested cross-validation.

        Parameters
        ----------
        random_state : int
            The seed of the folds; the same seed gives the same folds for every method.
        folds, inner_folds : int
            The numbers of outer and inner folds.

        Returns
        -------
        Repetition
        """
        outer = self.splitting.outer(self.task, folds, random_state)
        inner: list[list[Fold]] = [[] for _ in outer]
        if self.plan.model not in WITHOUT_INNER_FOLDS:
            inner = [self.splitting.inner(self.task, train, inner_folds, random_state) for train, _ in outer]
        nested = NestedFolds(outer, inner, random_state)
        results = self._results(nested)
        constant = [self.task.constant(train, len(test)) for train, test in outer]
        measured = [self._measure(result.outputs, outer) for result in results]
        times = {step: sum(result.seconds[step] for result in results) for step in results[0].seconds}
        # The measures of several matrices are averaged, so that no predictions belong to them.
        predictions, decisions = _by_graph(results[0].outputs, outer, self.task) if len(results) == 1 else (None, None)
        return Repetition(
            scores=_mean_scores(measured),
            parameters=_parameters(results),
            majority=self.task.majority if isinstance(self.task, ClassTask) else None,
            n_graphs=len(self.task.targets),
            random_state=random_state,
            inner_folds=inner_folds,
            unsolved=sum(result.n_unsolved for result in results),
            seconds={**times, "matrices": self.seconds},
            constant=_mean_scores([self._measure(constant, outer)]),
            undefined=self._undefined(measured),
            predictions=predictions,
            decisions=decisions,
        )

    def _measure(self, outputs: Sequence[Outputs], outer: Sequence[Fold]) -> Measured:
        """Compute every measure in every fold."""
        tested = [(self.task.targets[test], each) for each, (_, test) in zip(outputs, outer, strict=True)]
        return {measure.name: [measure.of(targets, each) for targets, each in tested] for measure in self.measures}

    def _undefined(self, measured: Sequence[Measured]) -> dict[str, str]:
        """Return, of the measures that are not defined in every fold, in how many they are not, and why."""
        reasons = {
            measure.name: measure.describe_undefined([value for each in measured for value in each[measure.name]])
            for measure in self.measures
        }
        return {name: reason for name, reason in reasons.items() if reason}

    def _results(self, folds: NestedFolds) -> list[NestedScores]:
        """Return the result of all matrices together; where there are several stacks of them, one for each.

        Columns are scaled as those of the training part, so that each outer fold has matrices of its own.
        """
        if self.plan.ways is None or self.plan.ways.columns is None:
            return [self._cross_validate(matrices, folds) for matrices in self._fold_matrices(folds)]
        found = []
        for fold in folds.one_by_one():
            with part(1 / len(folds.outer)):
                (matrices,) = self._fold_matrices(fold)
                found.append(self._cross_validate(matrices, fold))
        return [join_folds(found)]

    def _fold_matrices(self, folds: NestedFolds) -> list[FoldMatrices]:
        """Return what is chosen from; where there are several, each is evaluated alone."""
        ways = self._computed[0]
        if not isinstance(ways, WayMatrices):
            stacks = [each.stack for each in self._computed if isinstance(each, ComputedMatrices)]
            return [FoldMatrices(stack, self.plan.grid, None) for stack in stacks]
        learner = None if self.plan.model == "gp" else learner_for(self.plan, self.task, self.class_options)
        with part(_MATRICES):
            return [ways.for_folds(folds, self.task.targets, self.plan.grid, learner)]

    def _cross_validate(self, found: FoldMatrices, folds: NestedFolds) -> NestedScores:
        matrices, grid, kept = found
        options: Any
        if self.plan.model == "gp" and isinstance(self.task, NumberTask):
            options = {"kept": kept, "random_state": folds.random_state, **vars(self.threads)}
            return nested_processes(matrices, self.task.targets, folds.outer, grid, **options)
        if self.plan.model == "rf":
            options = {"class_weight": self.class_options.class_weight, "random_state": folds.random_state}
            return nested_forests(np.asarray(matrices)[0], self.task, folds.outer, **options, **vars(self.threads))
        learner = learner_for(self.plan, self.task, self.class_options)
        options = {"needs": {measure.needs for measure in self.measures}, "kept": kept, "effort": self.effort}
        return nested_cross_validation(
            matrices, self.task.targets, folds, grid, learner, **options, **vars(self.threads)
        )


def learner_for(plan: Plan, task: ClassTask | NumberTask, class_options: ClassOptions | None = None) -> Learner:
    """Return what a plan fits to classes or numbers, other than a Gaussian process or a forest."""
    if isinstance(task, ClassTask):
        scoring, class_weight = class_options or ClassOptions()
        n_classes = len(task.classes)
        if plan.model == "knn":
            return NeighborClassifier(n_classes, scoring)
        return SVMLearner(n_classes, plan.krein, class_weight, scoring)
    if plan.model == "knn":
        return NeighborRegressor()
    learner = SVRLearner if plan.model == "svr" else RidgeLearner
    return learner(krein=plan.krein)


def effort_of(plan: Plan, n_graphs: int) -> Effort:
    """Return how much work the choice of parameters may be for a plan."""
    if plan.wide:
        return WIDE_EFFORT
    return RACE if n_graphs > MANY_GRAPHS else EFFORT


def default_measures(task: ClassTask | NumberTask) -> list[Measure]:
    """Return what is measured by default: the accuracy of classes, for unequal ones also what counts each of them.

    For numbers, these are errors and correlations.
    """
    if isinstance(task, NumberTask):
        return measures_for(task.name, NUMBER_MEASURES)
    return measures_for(task.name, UNEQUAL_MEASURES if are_unequal(task.targets) else "accuracy")


def _mean_scores(measured: Sequence[Measured]) -> Scores:
    """Return the mean of every measure over matrices that were evaluated alone, by fold."""
    return {
        name: tuple(np.mean([[value.value for value in each[name]] for each in measured], axis=0).tolist())
        for name in measured[0]
    }


def _by_graph(
    outputs: Sequence[Outputs], outer: Sequence[Fold], task: ClassTask | NumberTask
) -> tuple[NDArray[Any], FloatArray | None]:
    """Return the predictions, and the decisions if there are any, of all graphs in their order."""
    n_graphs, tested = len(task.targets), np.concatenate([test for _, test in outer])
    unknown = -1 if isinstance(task, ClassTask) else np.nan
    predictions = np.full(n_graphs, unknown, dtype=task.targets.dtype)
    predictions[tested] = np.concatenate([each.predictions for each in outputs])
    scores = [each.scores.reshape(len(each.predictions), -1) for each in outputs if each.scores is not None]
    if len(scores) < len(outputs):
        return predictions, None
    decisions = np.full((n_graphs, scores[0].shape[1]), np.nan)
    decisions[tested] = np.concatenate(scores)
    return predictions, decisions


def compute_matrices(
    graphs: Compared, options: MatrixOptions, cache: Path | None, threads: Threads
) -> tuple[NDArray[Any], float]:
    """Return the matrices of graphs (n_matrices, N, N), from the cache if they are there, and the seconds they took."""
    method = METHODS[options.method]
    return cached(cache, content_key(graphs, options), lambda: method.matrices(graphs, options, threads))


def _parameters(results: Sequence[NestedScores]) -> tuple[ChosenParameters, ...]:
    """Return the chosen parameters by fold; where several matrices were evaluated, a list for each parameter."""
    if len(results) == 1:
        return tuple(results[0].parameters)
    folds = zip(*(result.parameters for result in results), strict=True)
    return tuple({name: [chosen[name] for chosen in fold] for name in fold[0]} for fold in folds)
