"""Nested cross-validation of one method or several, on the same folds, in one call.

graphs, y, a model ──planning──▶ a plan for each method ──Trial──▶ repetitions ──▶ a Row for each ──▶ Evaluation
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from wassergraph.errors import ImputedDataWarning, InputError, InputTypeError, Option, warn_outside
from wassergraph.evaluation.compared import GivenDistances
from wassergraph.evaluation.deduplication import Deduplication, deduplicate_graphs
from wassergraph.evaluation.evaluation import Evaluation
from wassergraph.evaluation.foresight import Trials, check_trial, estimate_all, foresee
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.plan import WITHOUT_INNER_FOLDS
from wassergraph.evaluation.planning import (
    ALL,
    EvaluatedModel,
    PlannedMethod,
    Settings,
    inner_folds_of,
    plan_given,
    plan_methods,
    plan_models,
    read_evaluated,
)
from wassergraph.evaluation.preparation import Preparations
from wassergraph.evaluation.row import Row
from wassergraph.evaluation.splitting import Folds, Splitting, count_folds, read_column, read_folds, read_splitting
from wassergraph.evaluation.trial import SharedMatrices, Trial, default_measures, matrix_keys
from wassergraph.formats.detect import as_batch, list_molecules
from wassergraph.graphs.columns import GraphColumns, ImputeColumns, read_columns, refuse_missing
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.models.classifier import GraphClassifier
from wassergraph.pairwise.distance_store import DistanceStore
from wassergraph.parallel.estimate import LONG, announce, whole
from wassergraph.parallel.stages import Stages
from wassergraph.scores.measures import Measure, measures_for
from wassergraph.scores.scoring import ClassOptions
from wassergraph.scores.tasks import ClassTask, NumberTask, read_task
from wassergraph.tuning.folds import Auto
from wassergraph.tuning.foresight import with_faster
from wassergraph.tuning.grid import DEPTHS, is_auto


def evaluate(
    graphs: Any,
    y: ArrayLike,
    method: str | Sequence[str] = "wwl",
    *,
    model: EvaluatedModel | Mapping[str, EvaluatedModel] | None = None,
    folds: int | Auto | Folds = "auto",
    measures: str | Sequence[str] | None = None,
    molecules: Any = None,
    distances: DistanceStore | ArrayLike | None = None,
    deduplicate: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
    cache: str | Path | None = None,
) -> Evaluation:
    """Estimate how well a model predicts classes or numbers of graphs, and others, in nested cross-validation.

    In every outer fold, the parameters of a method are chosen by cross-validation on the training graphs (the inner
    folds), a model is trained with them, and it is tested on the graphs of the fold, which were used for neither. With
    more than 2,000 graphs, candidates that are far behind the best after an inner fold are not evaluated on the next
    ones. The matrices of a method are computed once, for all graphs: if attributes are standardized, the mean and
    standard deviation are those of all graphs, but classes and numbers are not used.

    Parameters
    ----------
    graphs : GraphBatch, graphs of another library, SMILES, or a path; or None
        The graphs; None if ``distances`` are given.
    y : (N) array
        The class, or the number, of every graph.
    method : str or sequence of str
        "wwl", which is the model; and others on the same folds: "v", "e", "wl" and "wl-oa", which compare labels;
        "vh-c", "rbf-wl", "hgk-wl", "hgk-sp" and "gh", which compare attributes; "wwl-sinkhorn"; for molecules
        "tanimoto", Morgan fingerprints (radius 2, 2,048 bits) with Tanimoto similarity, "tanimoto-counts", the same
        with counts, and "rf", a random forest of 500 trees on these counts, as a reference; "wwl+knn", the nearest
        neighbors: the class of most of them, or of equally many the nearer ones, and for numbers their mean; "wwl-wide"
        the wide search; or "all", which is every method that applies to these graphs, without other forms of a method
        such as "wwl-sinkhorn". Upper and lower case are the same.
    model : GraphClassifier, GraphRegressor or GraphGaussianProcess, or dict of these, optional
        What is evaluated, by default ``GraphClassifier()`` for classes; numbers are for ``GraphRegressor()``. Its
        metric says what is compared, and its C, alpha, class_weight, scoring and cv what is chosen from, and how; other
        methods follow it as far as they have such a parameter, such as a kind that they are defined for, and what none
        of the methods has is an error. ``cv`` is the number of inner folds. The number of threads, the progress bar and
        the seed are those of the evaluation. ``{"labels": model, "both": other}`` compares several models by their
        names, which agree in cv, scoring and class_weight; other methods follow the first.
    folds : int, "auto" or Folds
        The number of outer folds, or how graphs are split, and how often. "auto" is 10, or fewer, with a warning, if no
        class has as many graphs.
    measures : str or sequence of str, optional
        What to measure; by default "accuracy" for classes, and "rmse", "mae", "r2" and "spearman" for numbers. For
        unequal classes "balanced_accuracy", "roc_auc", "pr_auc" and "mcc" are measured, too. There are also
        "enrichment_1", "enrichment_5" and "log_loss" for classes, and for Gaussian processes "coverage", the share of
        numbers in their intervals of the level 0.9; "all" is all for the task. The mean over folds is shown.
    molecules : SMILES strings or RDKit molecules, optional
        The graphs as molecules, for their scaffolds and fingerprints; by default ``graphs``, if they are such.
    distances : DistanceStore, or (n_depths, N, N) or (N, N) floats, optional
        Distances that were computed before, for the depths of the metric in increasing order, by default those of the
        store, or 0, 1, 2, … The model is fitted to them, and nothing else is compared.
    deduplicate : bool
        Whether to leave out duplicates: of equal graphs, the first one of each class, or of each number, is evaluated.
        Graphs are equal if they have as many nodes, and if these have the same labels and attributes at all depths up
        to the largest one of the metric, or up to 7; with a ``kind``, if that is equal. The result says how many graphs
        are left out, and how many groups of equal graphs have different classes or numbers, all of which stay: no
        method can predict them all. See :func:`wassergraph.find_duplicates`.
    n_jobs, progress
        As in :func:`wassergraph.distances`.
    cache : str or Path, optional
        A folder to keep matrices in, so that the next call need not compute them.

    Returns
    -------
    Evaluation
        The measures, chosen parameters and times of every method; ``print`` it for a table.

    Raises
    ------
    ValueError
        If an option is wrong, a method does not apply to the graphs, or there are too few graphs for the folds.

    See Also
    --------
    Evaluation : what is returned
    Folds : how graphs are split
    plot.draw_accuracies : draw it
    GraphClassifier : a model for new graphs
    find_duplicates : what ``deduplicate`` leaves out

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> result = wg.evaluate(graphs, y, ["wl", "v"], folds=4)
    >>> result.rows["wl"].accuracy.shape, result.rows["wl"].mean > result.rows["v"].mean
    ((1, 4), True)
    >>> model = wg.GraphRegressor(wg.WWL(depth=1))
    >>> result = wg.evaluate(graphs, graphs.sizes**0.5, model=model, folds=wg.Folds(3, repetitions=2))
    >>> result.rows["wwl"].values("r2").shape
    (2, 3)
    """
    options: Any = {"deduplicate": deduplicate, "threads": Threads(n_jobs, progress), "cache": cache}
    return Request(graphs, y, method, model, folds, measures, molecules, distances, **options).run()


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of an evaluation: the arguments of :func:`evaluate`, and how the paper prepares the graphs."""

    graphs: Any
    y: ArrayLike
    method: str | Sequence[str] = "wwl"
    model: EvaluatedModel | Mapping[str, EvaluatedModel] | None = None
    folds: int | Auto | Folds = "auto"
    measures: str | Sequence[str] | None = None
    molecules: Any = None
    distances: Any = None
    deduplicate: bool = False
    threads: Threads = field(default_factory=Threads)
    cache: str | Path | None = None
    preparations: Preparations | None = None
    columns: Any = None
    impute: ImputeColumns = "error"

    def run(self) -> Evaluation:
        """Evaluate all methods on the same folds."""
        asked = self._of_graphs() if self.distances is None else self._of_distances()
        folds = read_folds(self.folds)
        seeds = range(folds.random_state, folds.random_state + folds.repetitions)
        has_inner = any(each.plan.model not in WITHOUT_INNER_FOLDS for each in asked.planned)
        wanted = (folds.n_folds, inner_folds_of(asked.model))
        outer, inner = count_folds(asked.task, asked.splitting, *wanted, seeds, has_inner=has_inner)
        measures, class_options = _read_measures(self.measures, asked.task), asked.class_options
        options: Any = {"measures": measures, "splitting": asked.splitting, "class_options": class_options}
        options |= {"cache": None if self.cache is None else Path(self.cache), "threads": self.threads}
        rows: dict[str, Row] = {}
        shared: SharedMatrices = {}
        with whole("evaluation", progress=self.threads.progress) as stages:
            self._foresee(asked, Trials(outer, inner, folds.repetitions), stages)
            for number, each in enumerate(asked.planned, 1):
                with stages.stage(each.stages[0]):
                    trial = Trial(each.graphs, asked.y, each.plan, shared=shared, **options)
                repeated = []
                for seed in seeds:
                    with stages.stage(each.stages[1]), stages.part(1 / len(seeds)), _without_repeated_warnings():
                        repeated.append(trial.run(seed, folds=outer, inner_folds=inner))
                rows[each.name] = each.row(repeated)
                needed = {key for later in asked.planned[number:] for key in matrix_keys(later.graphs, later.plan)}
                shared = {key: matrices for key, matrices in shared.items() if key in needed}
        result = (rows, asked.task, measures, asked.splitting, outer, inner, folds.random_state)
        return Evaluation(*result, asked.deduplication, class_options)

    def _of_graphs(self) -> _Asked:
        """Return what is asked about graphs."""
        graphs = list(self.graphs) if isinstance(self.graphs, Iterator) else self.graphs
        batch, y, folds = as_batch(graphs), self.y, read_folds(self.folds)
        model, task = read_evaluated(self.model, y, len(batch))
        molecules = _read_molecules(graphs, self.molecules, len(batch))
        columns = self._columns(len(batch))
        settings = replace(
            Settings.of(model, task.name, self.preparations, molecules), columns=columns, impute=self.impute
        )
        left: Deduplication | None = None
        if self.deduplicate:
            if isinstance(self.model, Mapping):
                problem = "graphs are equal for one metric, but {} has names of several models"
                raise InputError(problem, remedy="find duplicates first", options=[Option("model")])
            metric, depth = settings.metric, max(settings.choices.depths or DEPTHS)
            options: Any = {name: getattr(metric, name) for name in ("kind", "edge_labels", "stereo")}
            left = deduplicate_graphs(batch, task, depth=depth, **options, threads=self.threads)
            batch, y = batch[left.kept], np.asarray(left.take(y))
            own = None if columns is None else columns.take(left.kept)
            settings = replace(settings, molecules=left.take(molecules), columns=own)
            folds = replace(folds, groups=left.take(_check_groups(folds.groups, left.n_graphs)))
            task = read_task(y, len(batch), task.name)
        planned = plan_methods(batch, self.method, settings)
        if isinstance(self.model, Mapping):
            models = plan_models(batch, self.model, settings)
            if all(one.name != "wwl" for one in planned):
                problem = "{} has names of models, but wwl, which they stand for, is not among the methods"
                raise InputError(problem, remedy="add wwl", options=[Option("model")])
            planned = [each for one in planned for each in (models if one.name == "wwl" else [one])]
        labels = replace(settings, metrics=clone(settings.metric).set_params(kind="categorical"))
        splitting = read_splitting(folds, batch, settings.molecules, self.threads)
        return _Asked(model, y, task, planned, splitting, left, partial(plan_methods, batch, self.method, labels))

    def _columns(self, n_graphs: int) -> GraphColumns | None:
        """Return the columns of the graphs, checked; a warning says how many cells are filled in."""
        if self.columns is None:
            return None
        check_choice("impute", self.impute, ImputeColumns)
        columns = read_columns(self.columns, n_graphs)
        if self.impute == "error":
            refuse_missing(columns)
        missing = np.isnan(columns.values) & ~columns.computed
        if missing.any():
            text = f"medians of each training part fill in {count(int(missing.sum()), 'missing cell')} of columns"
            warn_outside(ImputedDataWarning(text))
        return columns

    def _of_distances(self) -> _Asked:
        """Return what is asked about given distances."""
        methods = [self.method] if isinstance(self.method, str) else list(self.method)
        if self.columns is not None:
            problem = "{} are given, beside which columns are not evaluated"
            raise InputError(problem, remedy="pass graphs", options=[Option("distances")])
        if [str(name).strip().lower() for name in methods] != ["wwl"] or self.deduplicate:
            problem = "{} are given, from which other methods, and duplicates, cannot be computed"
            raise InputError(problem, remedy="pass graphs, or ask for the model alone", options=[Option("distances")])
        if isinstance(self.model, Mapping) or isinstance(getattr(self.model, "metric", None), list | tuple):
            problem = "the given distances are those of one metric, but {} has several"
            raise InputError(problem, remedy="pass graphs, or a model with one", options=[Option("model")])
        depth = getattr(getattr(self.model, "metric", None), "depth", None)
        given = GivenDistances.read(self.distances, None if is_auto(depth) else depth)
        model, task = read_evaluated(self.model, self.y, len(given))
        planned = [plan_given(given, Settings.of(model, task.name, None, None))]
        batch = None if self.graphs is None else as_batch(self.graphs)
        if batch is not None and len(batch) != len(given):
            problem = f"{{}} are of {count(len(given), 'graph')}, but there are {len(batch)}"
            raise InputError(problem, options=[Option("distances")])
        molecules = None if batch is None else _read_molecules(self.graphs, self.molecules, len(batch))
        splitting = read_splitting(read_folds(self.folds), given if batch is None else batch, molecules, self.threads)
        return _Asked(model, self.y, task, planned, splitting)

    def _foresee(self, asked: _Asked, trials: Trials, stages: Stages) -> None:
        """Refuse what will not fit in memory, and tell what the methods will take."""
        for each in asked.planned:
            check_trial(each.graphs, each.plan, self.threads)
        if not stages.told:
            return
        one = partial(foresee, task=asked.task, trials=trials, threads=self.threads)
        foreseen = [one(each.graphs, each.plan) for each in asked.planned]
        expected: dict[str, float] = {}
        for each, took in zip(asked.planned, foreseen, strict=True):
            expected |= zip(each.stages, (took.matrices, took.selection), strict=True)
        estimate = estimate_all(foreseen)
        if estimate.total >= LONG and asked.by_labels is not None:  # labels alone may take much less
            with suppress(InputError):  # some methods compare attributes alone
                others = asked.by_labels()
                if [each.name for each in others] == [each.name for each in asked.planned]:
                    faster = estimate_all([one(each.graphs, each.plan) for each in others])
                    estimate = with_faster(estimate, faster.total)
        parts = {each.stages[0]: took.shares for each, took in zip(asked.planned, foreseen, strict=True)}
        announce(estimate, stages, expected, parts)


class _Asked(NamedTuple):
    """What is asked, after reading it: the model, what it learns, all methods, the folds and what is left out."""

    model: EvaluatedModel
    y: ArrayLike
    task: ClassTask | NumberTask
    planned: list[PlannedMethod]
    splitting: Splitting
    deduplication: Deduplication | None = None
    by_labels: Callable[[], list[PlannedMethod]] | None = None  # plans the same for labels alone

    @property
    def class_options(self) -> ClassOptions | None:
        """How classes of different sizes are treated; None for numbers."""
        if not isinstance(self.task, ClassTask) or not isinstance(self.model, GraphClassifier):
            return None
        return ClassOptions.read(self.model.scoring, self.model.class_weight, self.task.classes, self.task.targets)


def _check_groups(groups: Any, n_graphs: int) -> list[Any] | None:
    """Return groups as a list; raise an error unless there is one for every graph."""
    listed = None if groups is None else read_column(groups)
    if listed is not None and len(listed) != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(len(listed), 'value')} in {{}}"
        raise InputError(problem, remedy="pass one for each graph", options=[Option("groups")])
    return listed


def _read_measures(measures: str | Sequence[str] | None, task: ClassTask | NumberTask) -> list[Measure]:
    if measures is None:
        return default_measures(task)
    names = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else list(measures)
    return measures_for(task.name, None if ALL in (str(name).strip().lower() for name in names) else names)


def _read_molecules(graphs: Any, molecules: Any, n_graphs: int) -> Any:
    """Return the graphs as molecules, if they are known as such; raise an error unless there is one for each graph."""
    if molecules is None:
        return list_molecules(graphs)
    listed = list_molecules(molecules)
    if listed is None:
        problem, remedy = "{} must be SMILES strings or RDKit molecules", "pass one for each graph"
        raise InputTypeError(problem, remedy=remedy, options=[Option("molecules")])
    if len(listed) != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(len(listed), 'molecule')}"
        raise InputError(problem, remedy="pass one molecule for each graph")
    return listed


@contextmanager
def _without_repeated_warnings() -> Iterator[None]:
    """Suppress the warnings about rare classes, and about missing cells, which are shown once for all methods."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ImputedDataWarning)
        warnings.filterwarnings("ignore", message="the class .* fewer than the", category=UserWarning)
        yield
