"""Nested cross-validation of one method or several, on the same folds, in one call.

graphs, y ──▶ a plan for each method ──Trial──▶ repetitions ──▶ a Row for each method ──▶ Report
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.errors import InputError, InputTypeError, Option, did_you_mean
from wassergraph.evaluation.deduplication import Deduplication, deduplicate_graphs
from wassergraph.evaluation.fingerprints import Fingerprints
from wassergraph.evaluation.foresight import Foreseen, Trials, check_trial, estimate_all, foresee
from wassergraph.evaluation.matrices import DEPTHS, Threads
from wassergraph.evaluation.methods import METHODS, Compared, Method, method_title
from wassergraph.evaluation.plans import WITHOUT_INNER_FOLDS, Choices, Plan, make_plan, plan_for
from wassergraph.evaluation.preparation import Preparations, preparation_for
from wassergraph.evaluation.repetition import Repetition
from wassergraph.evaluation.report import OtherFeatures, Report, Row
from wassergraph.evaluation.splitting import count_folds, read_column, read_splitting
from wassergraph.evaluation.trial import SharedMatrices, Trial, default_metrics, matrix_keys
from wassergraph.evaluation.wide_matrices import WideOptions
from wassergraph.formats.detect import as_batch, list_molecules
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.metrics.decisions import EdgeLabels, Kind, Masses, Standardize, check_standardize
from wassergraph.metrics.node_embedding import EmbeddingKind, Features
from wassergraph.metrics.wwl import WWL
from wassergraph.parallel.estimate import LONG, announce, whole
from wassergraph.parallel.stages import Stages
from wassergraph.scores.measures import Metric, metrics_for
from wassergraph.scores.rare_classes import ClassWeight
from wassergraph.scores.scoring import ClassOptions
from wassergraph.scores.tasks import ClassTask, DecidedTask, NumberTask, Task, read_task
from wassergraph.tuning.folds import Auto, check_seed
from wassergraph.tuning.foresight import with_faster
from wassergraph.tuning.splits import Split
from wassergraph.tuning.wide import DecidedSearch, Search, decide_search

#: The name for every method that applies to the graphs.
ALL = "all"


def evaluate(
    graphs: Any,
    y: ArrayLike,
    *,
    method: str | Sequence[str] = "wwl",
    task: Task = "auto",
    metrics: str | Sequence[str] | None = None,
    split: Split = "random",
    groups: ArrayLike | None = None,
    molecules: Any = None,
    search: Search = "auto",
    kind: Kind = "auto",
    standardize: Standardize = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Masses = "auto",
    depth: int | Sequence[int] | None = None,
    gamma: float | Sequence[float] | None = None,
    C: float | Sequence[float] | None = None,  # noqa: N803 - scikit-learn's name
    alpha: float | Sequence[float] | None = None,
    k: int | Sequence[int] | None = None,
    class_weight: ClassWeight = "auto",
    scoring: str | Callable[..., Any] = "auto",
    preparation: Preparations | None = None,
    deduplicate: bool = False,
    repetitions: int = 1,
    folds: int | Auto = "auto",
    inner_folds: int | Auto = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    cache: str | Path | None = None,
) -> Report:
    """Estimate how well methods predict classes or numbers of graphs, by nested cross-validation on the same folds.

    In every outer fold, the parameters of a method are chosen by cross-validation on the training graphs (the inner
    folds), a model is trained with them, and it is tested on the graphs of the fold, which were used for neither. The
    model is an SVM for classes, and kernel ridge regression for numbers. With more than 2,000 graphs, candidates that
    are far behind the best after an inner fold are not evaluated on the next ones. The matrices of a method are
    computed once, for all graphs: if attributes are standardized, the mean and standard deviation are those of all
    graphs, but classes and numbers are not used.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader accepts
        The graphs.
    y : (N) array
        The class, or the number, of every graph.
    method : str or sequence of str
        "wwl", which is what the models of this library do, see ``search``; "wwl-wide", the same with the wide search:
        for the kind "categorical" by labels alone, otherwise by all that graphs have; "v", "e", "wl" and "wl-oa", which
        compare labels; "vh-c", "rbf-wl", "hgk-wl", "hgk-sp" and "gh", which compare attributes; "wwl-sinkhorn"; for
        molecules "tanimoto", Morgan fingerprints (radius 2, 2,048 bits) with Tanimoto similarity,
        "tanimoto-counts", the same with counts, and "rf", a random forest of 500 trees on these counts, as a reference;
        a variant such as "wwl+joint" or "wwl+svc"; for numbers "wwl+svr" (or
        any other method with support vector regression), and "wwl+gp", a Gaussian process; "wwl+knn", the nearest
        neighbors: the class of most of them, or of equally many the nearer ones, and for numbers their mean; or "all",
        which is every method that applies to these graphs, without other forms of a method such as "wwl-sinkhorn".
        Upper and lower case are the same.
    task : "auto", "classification" or "regression"
        Whether y has classes or numbers; "auto" takes numbers with fractions for numbers, and everything else for
        classes, also whole numbers as floats.
    metrics : str or sequence of str, optional
        What to measure; by default "accuracy" for classes, and "rmse", "mae", "r2" and "spearman" for numbers. For
        unequal classes "balanced_accuracy", "roc_auc", "pr_auc" and "mcc" are measured, too. There are also
        "enrichment_1", "enrichment_5" and "log_loss" for classes, and for Gaussian processes "coverage", the share of
        numbers in their intervals of the level 0.9; "all" is all for the task. The mean over folds is shown.
    split : "random", "scaffold", "butina", "wwl", "group" or "given"
        How to split graphs into outer folds: at random; or such that graphs of one group are in one fold, and in one
        inner fold. The groups are the Bemis–Murcko scaffolds of molecules, Butina's clusters of their fingerprints,
        clusters of WWL distances (depth 2, complete linkage, as many as the square root of the number of graphs, but at
        least 20), or ``groups``. "given" takes the folds from ``groups``; inner folds are random.
    groups : (N) array, optional
        For "group", the group of every graph; for "given", "train" or "test", or the number of the fold that tests it.
    molecules : SMILES strings or RDKit molecules, optional
        The graphs as molecules, for "scaffold", "butina" and fingerprints; by default ``graphs``, if they are such.
    search : "auto", "paper" or "wide"
        What "wwl", "wwl+svr", "wwl+gp" and "wwl+knn" choose: "paper" depth, gamma and the regularization, "wide" also
        what graphs are compared by. "auto" decides as :class:`wassergraph.GraphClassifier` and
        :class:`wassergraph.GraphRegressor` do, so that what is evaluated is what they fit; a wide search takes the
        graphs as they are, without a ``preparation``. With many graphs, it compares all ways on a sample of the
        training part of every outer fold first.
    kind : "auto", "categorical", "continuous" or "joint"
        Whether labels, attributes or both are compared. With "auto", a method that is defined for one kind uses that
        one; others use attributes if there are any, as :class:`wassergraph.WWL` does. Where graphs have no
        labels, degrees take their place; where they have no attributes, one-hot labels or degrees do.
    standardize : bool or "auto"
        Whether to standardize attributes. "auto" follows ``preparation``; without one, attributes are
        standardized if there are two or more of them, as in :class:`wassergraph.WWL`. The report shows the
        decision.
    edge_labels : "auto", "use" or "ignore"
        Whether methods that refine labels do so over edge labels, too; "auto" does so for molecules.
    mass : "auto", "share", "count", or a sequence of the last two
        The masses that WWL chooses from; "auto" is both for molecules and "share" for other graphs, as in
        :class:`wassergraph.GraphClassifier`.
    depth, gamma, C, alpha, k : number or sequence of numbers, optional
        The values to choose from, for the methods that have such a parameter: C is that of support vector machines and
        support vector regression, alpha that of ridge regression, k the number of neighbors (by default 1, 3, 5, 7,
        11 or 15); a Gaussian process has only a depth to choose. By default those of the paper for classes, and those
        of :class:`wassergraph.GraphRegressor` for numbers.
    class_weight, scoring
        For classes, what they weigh, and what parameters are chosen by: :class:`wassergraph.GraphClassifier` decides
        in the same way. "auto" makes a difference for unequal classes only. Nearest neighbors have no weights.
    preparation : Preparation, or dict of Preparation by kind, optional
        How to prepare the graphs of a data set before they are compared; the command line uses it for the data sets of
        the paper.
    deduplicate : bool
        Whether to leave out duplicates: of equal graphs, the first one of each class, or of each number, is evaluated.
        Graphs are equal if they have as many nodes, and if these have the same labels and attributes at all depths up
        to the largest one of ``depth``, or up to 7; with a ``kind``, if that is equal. The report says how many graphs
        are left out, and how many groups of equal graphs have different classes or numbers, all of which stay: no
        method can predict them all. See :func:`wassergraph.find_duplicates`.
    repetitions : int
        How often to repeat the cross-validation with new random folds.
    folds, inner_folds : int or "auto"
        The numbers of outer folds, and of inner folds, which are used to choose parameters. Both are shuffled, and
        stratified for classes. "auto" is 10 outer and 5 inner folds, or fewer, with a warning, if no class has as many
        graphs, or if there are not as many graphs or groups.
    random_state : int
        The seed of the folds; each repetition has the next one.
    n_jobs, progress
        As in :func:`wassergraph.distances`.
    cache : str or Path, optional
        A folder to keep matrices in, so that the next call need not compute them.

    Returns
    -------
    Report
        The metrics, chosen parameters and times of every method; ``print`` it for a table.

    Raises
    ------
    ValueError
        If an option is wrong, a method does not apply to the graphs, or there are too few graphs for the folds.

    See Also
    --------
    Report : what is returned
    evaluate_distances : the same for distances that are known
    plot.draw_accuracies : draw a report
    GraphClassifier : a model for new graphs
    find_duplicates : what ``deduplicate`` leaves out

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> report = wg.evaluate(graphs, y, method=["wl", "v"], folds=4, inner_folds=3)
    >>> report.rows["wl"].accuracy.shape, report.rows["wl"].mean > report.rows["v"].mean
    ((1, 4), True)
    >>> report = wg.evaluate(graphs, graphs.sizes**0.5, task="regression", depth=1, folds=3)
    >>> report.rows["wwl"].values("r2").shape
    (1, 3)
    """
    graphs = list(graphs) if isinstance(graphs, Iterator) else graphs
    batch = as_batch(graphs)
    check_whole("repetitions", repetitions, 1)
    check_seed(check_whole("random_state", random_state, 0) + repetitions - 1)
    learned = read_task(y, len(batch), task)
    measured = _read_metrics(metrics, learned)
    molecules = _read_molecules(graphs, molecules, len(batch))
    threads = Threads(n_jobs, progress)
    choices = Choices.read(depth, gamma, C, alpha, k)
    left: Deduplication | None = None
    if deduplicate:
        options: Any = {"kind": kind, "edge_labels": edge_labels, "threads": threads}
        left = deduplicate_graphs(batch, learned, depth=max(choices.depths or DEPTHS), **options)
        batch, y, molecules = batch[left.kept], np.asarray(left.take(y)), left.take(molecules)
        groups, learned = left.take(_check_groups(groups, left.n_graphs)), read_task(y, len(batch), learned.name)
    settings = _Settings(learned.name, search, kind, standardize, edge_labels, mass, choices, preparation, molecules)
    planned = _plan_methods(batch, method, settings)
    class_options = _class_options(scoring, class_weight, learned)
    splitting = read_splitting(split, groups, batch, molecules, threads)
    seeds = range(random_state, random_state + repetitions)
    has_inner = any(each.plan.model not in WITHOUT_INNER_FOLDS for each in planned)
    folds, inner_folds = count_folds(learned, splitting, folds, inner_folds, seeds, has_inner=has_inner)
    rows: dict[str, Row] = {}
    shared: SharedMatrices = {}
    trials = Trials(folds, inner_folds, repetitions)
    with whole("evaluation", progress=progress) as stages:
        for each in planned:
            check_trial(each.graphs, each.plan, threads)
        if stages.told:
            by_labels = partial(_plan_methods, batch, method, settings._replace(kind="categorical"))
            _announce(planned, by_labels, partial(foresee, task=learned, trials=trials, threads=threads), stages)
        for number, each in enumerate(planned, 1):
            with _without_repeated_warnings():
                folder = None if cache is None else Path(cache)
                common: Any = {"metrics": measured, "splitting": splitting, "class_options": class_options}
                with stages.stage(each.stages[0]):
                    trial = Trial(each.graphs, y, each.plan, **common, cache=folder, shared=shared, threads=threads)
                repeated = []
                for seed in seeds:
                    with stages.stage(each.stages[1]), stages.part(1 / repetitions):
                        repeated.append(trial.run(seed, folds=folds, inner_folds=inner_folds))
                rows[each.name] = each.row(repeated)
            needed = {key for later in planned[number:] for key in matrix_keys(later.graphs, later.plan)}
            shared = {key: matrices for key, matrices in shared.items() if key in needed}
    return Report(rows, learned, measured, splitting, folds, inner_folds, random_state, left, class_options)


def _class_options(scoring: Any, class_weight: Any, task: ClassTask | NumberTask) -> ClassOptions | None:
    """Decide how classes of different sizes are treated; raise an error if this is asked for numbers."""
    if isinstance(task, ClassTask):
        return ClassOptions.read(scoring, class_weight, task.classes, task.targets)
    for name, value in (("scoring", scoring), ("class_weight", class_weight)):
        if not (isinstance(value, str) and value == "auto"):
            raise InputError(
                "{} is for classes, but the task is regression", remedy="remove it", options=[Option(name)]
            )
    return None


def _announce(
    planned: Sequence[_PlannedMethod],
    by_labels: Callable[[], list[_PlannedMethod]],
    foresee_method: Callable[[Compared, Plan], Foreseen],
    stages: Stages,
) -> None:
    """Tell what the methods will take; if that is long, also what they take if labels alone are compared."""
    foreseen = [foresee_method(each.graphs, each.plan) for each in planned]
    expected: dict[str, float] = {}
    for each, took in zip(planned, foreseen, strict=True):
        expected |= zip(each.stages, (took.matrices, took.selection), strict=True)
    estimate = estimate_all(foreseen)
    if estimate.total >= LONG:
        with suppress(InputError):  # some methods compare attributes alone
            others = by_labels()
            if [each.name for each in others] == [each.name for each in planned]:
                faster = estimate_all([foresee_method(each.graphs, each.plan) for each in others])
                estimate = with_faster(estimate, faster.total)
    parts = {each.stages[0]: took.shares for each, took in zip(planned, foreseen, strict=True)}
    announce(estimate, stages, expected, parts)


def _check_groups(groups: Any, n_graphs: int) -> list[Any] | None:
    """Return groups as a list; raise an error unless there is one for every graph."""
    listed = None if groups is None else read_column(groups)
    if listed is not None and len(listed) != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(len(listed), 'value')} in {{}}"
        raise InputError(problem, remedy="pass one for each graph", options=[Option("groups")])
    return listed


def _read_metrics(metrics: str | Sequence[str] | None, task: ClassTask | NumberTask) -> list[Metric]:
    if metrics is None:
        return default_metrics(task)
    names = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics)
    return metrics_for(task.name, None if ALL in (str(name).strip().lower() for name in names) else names)


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


def applicable_methods(
    graphs: GraphBatch, kind: Kind = "auto", preparation: Preparations | None = None, *, molecules: bool = False
) -> list[str]:
    """Return the names of the methods that apply to graphs, without other forms of a method.

    Methods that compare labels need node labels, and "e" needs edge labels; those that compare attributes need node
    attributes, or graphs without labels, whose degrees they use.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    kind : "auto", "categorical", "continuous" or "joint"
        If not "auto", only the methods that are defined for this kind are returned.
    preparation : Preparation, or dict of Preparation by kind, optional
        What is done to the graphs first.
    molecules : bool
        Whether they are known as molecules, whose fingerprints can be compared.

    Returns
    -------
    list of str
        Names of :data:`wassergraph.evaluation.methods.METHODS`.
    """
    prepared = preparation_for("continuous", preparation).prepare(graphs)
    has_labels = graphs.node_labels is not None
    present: set[str] = {"categorical"} if has_labels else set()
    present |= {"continuous"} if prepared.node_attributes is not None or not has_labels else set()
    kinds = present if kind == "auto" else {kind}

    def applies(method: Method) -> bool:
        if method.compares_fingerprints:
            return molecules and method.form_of is None and (kind == "auto" or kind in method.kinds)
        has_edges = graphs.edge_labels is not None or not method.compares_edges
        return method.form_of is None and has_edges and bool(kinds & set(method.kinds))

    return [name for name, method in METHODS.items() if applies(method)]


@dataclass(frozen=True, eq=False)
class _PlannedMethod:
    """A method with its plan, the prepared graphs, and what it uses of them."""

    name: str
    plan: Plan
    graphs: Compared
    features: Features | OtherFeatures

    @property
    def stages(self) -> tuple[str, str]:
        """The stages of the method: its matrices, and its cross-validation."""
        title = method_title(self.name)
        return f"{title}: matrices", f"{title}: cross-validation"

    def row(self, repetitions: Sequence[Repetition]) -> Row:
        options = self.plan.options[0]
        return Row(
            method_title(self.name),
            options.kind,
            self.features,
            options.standardize,
            tuple(repetitions),
            self.plan.model,
        )


class _Settings(NamedTuple):
    """What is common to all methods of an evaluation."""

    task: DecidedTask
    search: Search
    kind: Kind
    standardize: Standardize
    edge_labels: EdgeLabels
    mass: Masses
    choices: Choices
    preparations: Preparations | None
    molecules: Any

    def search_of(self, name: str, graphs: GraphBatch) -> DecidedSearch | None:
        """Return the search of a method; None for methods that have one way to compare graphs."""
        method, *variants = name.split("+")
        if method != "wwl" or not set(variants) <= {"svr", "gp", "knn"}:
            return None
        pinned = any((self.choices.depths, self.choices.gammas, self.choices.C_values and self.task != "regression"))
        return decide_search(self.search, graphs, numbers=self.task == "regression", pinned=pinned)

    def check(self, plans: Sequence[Plan]) -> None:
        """Raise an error if an option is given that no method has."""
        self.choices.check(plans)
        for name, value in (("mass", self.mass), ("edge_labels", self.edge_labels)):
            if value != "auto" and any(plan.wide is not None and getattr(plan.wide, name) == "auto" for plan in plans):
                problem = "wwl-wide chooses this itself, but {} is given"
                raise InputError(problem, remedy="leave out one of them", options=[Option(name)])
        if self.mass != "auto" and not any(plan.wide or METHODS[plan.options[0].method].has_masses for plan in plans):
            problem = "{} is an option of exact WWL distances, which none of these methods uses"
            raise InputError(problem, remedy="remove it", options=[Option("mass")])


def _plan_methods(graphs: GraphBatch, method: str | Sequence[str], settings: _Settings) -> list[_PlannedMethod]:
    """Plan all methods, so that errors are raised before any computation."""
    check_choice("kind", settings.kind, Kind)
    check_standardize(settings.standardize)
    several = not isinstance(method, str) and isinstance(method, Iterable)
    names = [_known_method(str(name)) for name in (method if several else [method])]
    applicable = (
        applicable_methods(graphs, settings.kind, settings.preparations, molecules=settings.molecules is not None)
        if ALL in names
        else []
    )
    names = [each for name in names for each in (applicable if name == ALL else [name])]
    if not names:
        raise InputError(
            "there is no method to evaluate",
            remedy=f"choose {{}} from {', '.join(METHODS)}, or {ALL}",
            options=[Option("method")],
        )
    planned = [_plan_method(graphs, name, settings) for name in dict.fromkeys(names)]
    settings.check([each.plan for each in planned])
    return planned


def _known_method(name: str) -> str:
    """Return the name of a method in lower case; raise an error that names a similar one if there is none."""
    base = name.lower().partition("+")[0]
    if base not in METHODS and base != ALL:
        raise InputError(
            f"{{}} must be one of {', '.join(METHODS)}, {ALL}, or a variant such as wwl+joint, got {name!r}",
            remedy=did_you_mean(base, [*METHODS, ALL]),
            options=[Option("method")],
        )
    return name.lower()


def _plan_method(graphs: GraphBatch, name: str, settings: _Settings) -> _PlannedMethod:
    kind, preparations = settings.kind, settings.preparations
    if METHODS[name.partition("+")[0]].compares_fingerprints:
        return _plan_fingerprints(name, settings)
    if settings.search_of(name, graphs) == "wide":
        return _plan_wide(graphs, name, settings)
    used = _default_kind(graphs, name, preparations) if kind == "auto" else kind
    preparation = preparation_for(used, preparations)
    if settings.standardize != "auto":
        preparation = replace(preparation, standardize=bool(settings.standardize))
    prepared = preparation.prepare(graphs)
    plan = settings.choices.apply(
        plan_for(
            prepared,
            name,
            used,
            preparation,
            edge_labels=settings.edge_labels,
            mass=settings.mass,
            task=settings.task,
        )
    )
    return _PlannedMethod(name, plan, prepared, _features(graphs, prepared, plan))


def _plan_wide(graphs: GraphBatch, name: str, settings: _Settings) -> _PlannedMethod:
    """Plan the wide search as models make it, on the graphs as they are."""
    kind: EmbeddingKind = "categorical" if settings.kind == "categorical" else "continuous"
    plan = settings.choices.apply(make_plan(name.replace("wwl", "wwl-wide", 1), kind, task=settings.task))
    mass = settings.mass if isinstance(settings.mass, str) else tuple(settings.mass)
    ways = WideOptions(settings.kind, settings.edge_labels, mass, settings.standardize)
    return _PlannedMethod(name, replace(plan, wide=ways), graphs, OtherFeatures.CHOSEN)


def _plan_fingerprints(name: str, settings: _Settings) -> _PlannedMethod:
    if settings.molecules is None:
        problem = "{} compares molecules, since graphs have neither charges nor hydrogens"
        raise InputError(
            problem,
            remedy="use SMILES strings, RDKit molecules or a table of molecules",
            options=[Option("method", name)],
        )
    plan = settings.choices.apply(make_plan(name, "categorical", task=settings.task))
    return _PlannedMethod(name, plan, Fingerprints.of(settings.molecules), OtherFeatures.FINGERPRINTS)


def _default_kind(graphs: GraphBatch, name: str, preparations: Preparations | None) -> EmbeddingKind:
    """Return the kind that a method uses by default; for an unknown method any kind, since an error is raised later."""
    prepared = preparation_for("continuous", preparations).prepare(graphs)
    automatic = WWL(kind="auto").learn(prepared).kind
    method = METHODS.get(name.partition("+")[0])
    if method is not None and method.wide:
        return "categorical" if automatic == "categorical" else "continuous"
    return automatic if method is None or automatic in method.kinds else method.kinds[0]


def _features(graphs: GraphBatch, prepared: GraphBatch, plan: Plan) -> Features | OtherFeatures:
    """Return what is compared; attributes that are labels or degrees count as these."""
    options = plan.options[0]
    if METHODS[options.method].wide:
        return OtherFeatures.CHOSEN
    if METHODS[options.method].compares_edges:
        return OtherFeatures.EDGE_COUNT if prepared.edge_labels is None else OtherFeatures.EDGE_LABELS
    after = WWL(kind=options.kind, edge_labels=options.refined_over).learn(prepared)
    if options.kind != "continuous" or graphs.node_attributes is not None:
        return after.features
    before = WWL(kind=options.kind).learn(graphs)
    are_equal = np.array_equal(before.attributes(graphs), after.attributes(prepared))
    return before.features if are_equal else after.features


@contextmanager
def _without_repeated_warnings() -> Iterator[None]:
    """Suppress the warning about rare classes, which is shown once for all methods."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the class .* fewer than the", category=UserWarning)
        yield
