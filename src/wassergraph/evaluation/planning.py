"""Planning: from a model and the names of methods to what is evaluated of graphs.

A model says for all methods what is compared, what is fitted, and which values are chosen from, as far as they do so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from wassergraph.errors import InputError, InputTypeError, Option, did_you_mean
from wassergraph.evaluation.compared import Compared, Fingerprints, GivenDistances
from wassergraph.evaluation.methods import METHODS, Method, method_title
from wassergraph.evaluation.plan import Choices, Plan, with_options
from wassergraph.evaluation.plans import FITTED, SEARCHING, make_plan, plan_for
from wassergraph.evaluation.preparation import Preparations, preparation_for
from wassergraph.evaluation.repetition import Repetition
from wassergraph.evaluation.row import OtherFeatures, Row
from wassergraph.evaluation.ways import Ways
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import GraphColumns, ImputeColumns
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.values import DecidedTask
from wassergraph.metrics.decisions import Kind, check_standardize, choose_kind
from wassergraph.metrics.node_embedding import EmbeddingKind, Features
from wassergraph.metrics.wwl import WWL
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.gaussian_process import GraphGaussianProcess
from wassergraph.models.model_search import read_metrics
from wassergraph.models.regressor import GraphRegressor, RegressorKind
from wassergraph.scores.tasks import ClassTask, NumberTask, read_task
from wassergraph.tuning.folds import Auto
from wassergraph.tuning.grid import DEPTHS, is_auto
from wassergraph.tuning.wide import DecidedSearch, Search, decide_search, decides_itself

#: The name for every method that applies to the graphs.
ALL = "all"
#: The models that say what is evaluated.
EvaluatedModel: TypeAlias = GraphClassifier | GraphRegressor | GraphGaussianProcess
#: Parameters of models that an evaluation does not make use of.
_NOT_USED = ("power", "gamma_scale", "epsilon")


def read_evaluated(model: Any, y: Any, n_graphs: int) -> tuple[EvaluatedModel, ClassTask | NumberTask]:
    """Return a model, of several the first, and what it learns; by default that of the classes, or numbers, in y."""
    if isinstance(model, Mapping) and model:
        first, *_ = (read_evaluated(each, y, n_graphs) for each in model.values())
        return first
    if model is None:
        task = read_task(y, n_graphs, for_numbers=Option("model", GraphRegressor()))
        return (GraphClassifier() if isinstance(task, ClassTask) else GraphRegressor()), task
    if not isinstance(model, EvaluatedModel):
        problem = f"{{}} must be a GraphClassifier, GraphRegressor or GraphGaussianProcess, got {model!r}"
        raise InputTypeError(problem, options=[Option("model")])
    given = _given(model)
    for name in _NOT_USED:
        if name in given:
            remedy = "remove it, or evaluate the model with sklearn.model_selection.cross_val_score"
            raise InputError("an evaluation does not use {}", remedy=remedy, options=[Option(name, given[name])])
    return model, read_task(y, n_graphs, "classification" if isinstance(model, GraphClassifier) else "regression")


def inner_folds_of(model: EvaluatedModel) -> int | Auto:
    """Return the number of inner folds that a model asks for."""
    cv = getattr(model, "cv", "auto")
    if not isinstance(cv, int | np.integer | str):
        problem = f"an evaluation makes the inner folds itself, so that {{}} must be a number, got {cv!r}"
        raise InputTypeError(problem, options=[Option("cv")])
    return cv if isinstance(cv, str) else int(cv)  # type: ignore[return-value]


def _given(model: EvaluatedModel) -> dict[str, Any]:
    """Return the parameters of a model that have other values than by default."""
    defaults = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if not (isinstance(value, type(defaults[name])) and value == defaults[name])
    }


@dataclass(frozen=True)
class Settings:
    """What is common to all methods of an evaluation.

    Attributes
    ----------
    task : "classification" or "regression"
        What is learned.
    metrics : WWL or list of WWL
        What the model compares.
    search : "auto", "metric" or "wide"
        What the model chooses.
    choices : Choices
        The values to choose from.
    variant : "svr", "gp" or ""
        What is fitted to numbers, unless it is ridge regression.
    preparations : Preparation, dict of Preparation or None
        How graphs are prepared.
    molecules : list or None
        The graphs as molecules.
    columns : GraphColumns or None
        The columns of the graphs, which the model uses.
    impute : "error" or "median"
        What to do with missing cells of columns.
    """

    task: DecidedTask
    metrics: WWL | list[WWL]
    search: Search
    choices: Choices
    variant: str
    preparations: Preparations | None
    molecules: Any
    columns: GraphColumns | None = None
    impute: ImputeColumns = "error"

    @classmethod
    def of(
        cls, model: EvaluatedModel, task: DecidedTask, preparations: Preparations | None, molecules: Any
    ) -> Settings:
        """Return what a model says."""
        metrics, given = read_metrics(model.metric, "an evaluation"), _given(model)
        # The paper's depths are what methods choose from by themselves.
        own = isinstance(metrics, WWL) and not is_auto(metrics.depth) and tuple(np.atleast_1d(metrics.depth)) != DEPTHS
        depth = metrics.depth if own and isinstance(metrics, WWL) else None
        choices = Choices.read(depth, *(given.get(name) for name in ("gamma", "C", "alpha")))
        variant = "gp" if isinstance(model, GraphGaussianProcess) else ""
        if isinstance(model, GraphRegressor):
            check_choice("regressor", model.regressor, RegressorKind)
            variant = "svr" if model.regressor == "svr" else ""
        return cls(task, metrics, model.search, choices, variant, preparations, molecules)

    @property
    def several(self) -> tuple[WWL, ...]:
        """The metrics that the model chooses from."""
        return (self.metrics,) if isinstance(self.metrics, WWL) else tuple(self.metrics)

    @cached_property
    def metric(self) -> WWL:
        """What all metrics say, and other methods follow as far as they can."""
        if isinstance(self.metrics, WWL):
            return self.metrics
        every, default = [metric.get_params(deep=False) for metric in self.several], WWL().get_params(deep=False)
        common = {name for name, each in every[0].items() if all(one[name] == each for one in every)}
        return WWL(**{name: each if name in common else default[name] for name, each in every[0].items()})

    def fitted(self, name: str) -> str:
        """Return the name of a method together with what is fitted, unless it says that itself, or needs nothing."""
        method, *variants = name.split("+")
        alone = not self.variant or METHODS[method].is_forest or bool(set(variants) & set(FITTED))
        return name if alone else f"{name}+{self.variant}"

    def search_of(self, name: str, graphs: GraphBatch) -> DecidedSearch | None:
        """Return the search of a method; None for methods that have one way to compare graphs."""
        method, *variants = name.split("+")
        if method != "wwl" or not set(variants) <= SEARCHING:
            return None
        numbers, choices = self.task == "regression", self.choices
        decided = not isinstance(self.metrics, WWL) or decides_itself(self.metrics)
        pinned = decided or any((choices.gammas, choices.C_values and not numbers))
        return decide_search(self.search, graphs, numbers=numbers, pinned=pinned)

    def check(self, plans: Sequence[Plan]) -> None:
        """Raise an error if an option is given that no method has."""
        self.choices.check(plans)
        if self.columns is not None and all(plan.ways is None for plan in plans):
            problem, remedy = "{} are used by wwl, which is not among the methods", "add it, or leave them out"
            raise InputError(problem, remedy=remedy, options=[Option("columns")])
        mass = self.metric.mass
        for name, value in (("mass", mass), ("edge_labels", self.metric.edge_labels)):
            templates = [plan.ways.metrics for plan in plans if plan.ways is not None]
            if value != "auto" and any(getattr(template, name, value) == "auto" for template in templates):
                problem = "wwl-wide chooses this itself, but {} is given"
                raise InputError(problem, remedy="leave out one of them", options=[Option(name)])
        counts = mass not in ("auto", "share")  # all methods give graphs the same mass
        if counts and not any(plan.wide or METHODS[plan.options[0].method].has_masses for plan in plans):
            problem = "{} is an option of exact WWL distances, which none of these methods uses"
            raise InputError(problem, remedy="remove it", options=[Option("mass")])


@dataclass(frozen=True, eq=False)
class PlannedMethod:
    """A method with its plan, the prepared graphs, and what it uses of them."""

    name: str
    plan: Plan
    graphs: Compared
    features: Features | OtherFeatures
    is_named: bool = False

    @property
    def title(self) -> str:
        """The name for tables: that of the method, unless the user has named a model."""
        return self.name if self.is_named else method_title(self.name)

    @property
    def stages(self) -> tuple[str, str]:
        """The stages of the method: its matrices, and its cross-validation."""
        return f"{self.title}: matrices", f"{self.title}: cross-validation"

    def row(self, repetitions: Sequence[Repetition]) -> Row:
        """Return the results of the repetitions."""
        options = self.plan.options[0]
        used = (options.kind, self.features, options.standardize)
        return Row(self.title, *used, tuple(repetitions), self.plan.model)


def plan_methods(graphs: GraphBatch, method: str | Sequence[str], settings: Settings) -> list[PlannedMethod]:
    """Plan all methods, so that errors are raised before any computation."""
    metric = settings.metric
    check_choice("kind", metric.kind, Kind)
    check_standardize(metric.standardize)
    several = not isinstance(method, str) and isinstance(method, Iterable)
    names = [_known_method(str(name)) for name in (method if several else [method])]
    if ALL in names:
        has_molecules = settings.molecules is not None
        applicable = applicable_methods(graphs, metric.kind, settings.preparations, molecules=has_molecules)
        names = [each for name in names for each in (applicable if name == ALL else [name])]
    if not names:
        remedy = f"choose {{}} from {', '.join(METHODS)}, or {ALL}"
        raise InputError("there is no method to evaluate", remedy=remedy, options=[Option("method")])
    # A kind is for the methods that have it; if none has, that is an error.
    having = [name for name in names if metric.kind in METHODS[name.partition("+")[0]].kinds] or names
    kinds: dict[str, Kind] = {name: metric.kind if name in having else "auto" for name in names}
    planned = [_plan_method(graphs, name, kind, settings) for name, kind in kinds.items()]
    settings.check([each.plan for each in planned])
    return planned


def plan_models(graphs: GraphBatch, models: Mapping[str, EvaluatedModel], settings: Settings) -> list[PlannedMethod]:
    """Plan models that have names, which agree in what is common to all methods of an evaluation."""
    planned, first = list[PlannedMethod](), next(iter(models.values()))
    for name, model in models.items():
        if str(name).strip().lower().partition("+")[0] in METHODS:
            raise InputError(f"{name!r} is the name of a method", remedy="give the model another name")
        if type(model) is not type(first):
            problem = f"all models must be of one class, but {name!r} is a {type(model).__name__}"
            raise InputError(problem, remedy=f"evaluate it alone; the first is a {type(first).__name__}")
        for common in ("cv", "scoring", "class_weight"):
            if getattr(model, common, None) != getattr(first, common, None):
                problem = f"all models must have the same {{}}, but {name!r} differs from the first"
                raise InputError(problem, remedy="evaluate it alone, in the same folds", options=[Option(common)])
        own = Settings.of(model, settings.task, settings.preparations, settings.molecules)
        own = replace(own, columns=settings.columns, impute=settings.impute)
        planned += [replace(each, name=name, is_named=True) for each in plan_methods(graphs, "wwl", own)]
    return planned


def plan_given(given: GivenDistances, settings: Settings) -> PlannedMethod:
    """Plan the model of a metric for distances that are given."""
    plan = with_options(depths=given.depths)(make_plan(settings.fitted("wwl"), "continuous", task=settings.task))
    plan = replace(settings.choices, depths=None).apply(plan)
    settings.choices.check([plan])
    return PlannedMethod("wwl", plan, given, OtherFeatures.GIVEN)


def _known_method(name: str) -> str:
    """Return the name of a method in lower case; raise an error that names a similar one if there is none."""
    base = name.lower().partition("+")[0]
    if base not in METHODS and base != ALL:
        problem = f"{{}} must be one of {', '.join(METHODS)}, {ALL}, or a variant such as wwl+joint, got {name!r}"
        raise InputError(problem, remedy=did_you_mean(base, [*METHODS, ALL]), options=[Option("method")])
    return name.lower()


def _plan_method(graphs: GraphBatch, name: str, kind: Kind, settings: Settings) -> PlannedMethod:
    metric, preparations, fitted = settings.metric, settings.preparations, settings.fitted(name)
    if METHODS[name.partition("+")[0]].compares_fingerprints:
        return _plan_fingerprints(name, fitted, settings)
    search = settings.search_of(fitted, graphs)
    chooses = len(settings.several) > 1 or is_auto(metric.size_weight) or settings.columns is not None
    if search == "wide" or (search is not None and chooses):
        return _plan_ways(graphs, name, fitted, settings, wide=search == "wide")
    used = _default_kind(graphs, name, preparations) if kind == "auto" else kind
    preparation = preparation_for(used, preparations)
    if metric.standardize != "auto":
        preparation = replace(preparation, standardize=bool(metric.standardize))
    prepared = preparation.prepare(graphs)
    plan = settings.choices.apply(plan_for(prepared, fitted, used, preparation, metric, settings.task))
    return PlannedMethod(name, plan, prepared, _features(graphs, prepared, plan))


def _plan_ways(graphs: GraphBatch, name: str, fitted: str, settings: Settings, *, wide: bool) -> PlannedMethod:
    """Plan the choice among several metrics, or the wide search, as models make it, on the graphs as they are."""
    first = settings.metric.kind if wide else choose_kind(graphs, settings.several[0].kind)[0]
    kind: EmbeddingKind = "categorical" if first == "categorical" else "continuous"
    method = fitted.replace("wwl", "wwl-wide", 1) if wide else fitted
    template = wide and isinstance(settings.metrics, WWL)
    metrics = settings.metric if template else settings.several
    plan = settings.choices.apply(make_plan(method, kind, task=settings.task))
    return PlannedMethod(
        name,
        replace(plan, krein=True, ways=Ways(metrics, wide, settings.columns, settings.impute, plan.model == "gp")),
        graphs,
        OtherFeatures.CHOSEN,
    )


def _plan_fingerprints(name: str, fitted: str, settings: Settings) -> PlannedMethod:
    if settings.molecules is None:
        problem = "{} compares molecules, since graphs have neither charges nor hydrogens"
        remedy = "use SMILES strings, RDKit molecules or a table of molecules"
        raise InputError(problem, remedy=remedy, options=[Option("method", name)])
    plan = settings.choices.apply(make_plan(fitted, "categorical", task=settings.task))
    return PlannedMethod(name, plan, Fingerprints.of(settings.molecules), OtherFeatures.FINGERPRINTS)


def _default_kind(graphs: GraphBatch, name: str, preparations: Preparations | None) -> EmbeddingKind:
    """Return the kind that a method uses by default."""
    prepared = preparation_for("continuous", preparations).prepare(graphs)
    automatic = WWL(kind="auto").learn(prepared).kind
    method = METHODS[name.partition("+")[0]]
    if method.wide:
        return "categorical" if automatic == "categorical" else "continuous"
    return automatic if automatic in method.kinds else method.kinds[0]


def _features(graphs: GraphBatch, prepared: GraphBatch, plan: Plan) -> Features | OtherFeatures:
    """Return what is compared; attributes that are labels or degrees count as these."""
    options = plan.options[0]
    if METHODS[options.method].wide:
        return OtherFeatures.CHOSEN
    if METHODS[options.method].compares_edges:
        return OtherFeatures.EDGE_COUNT if prepared.edge_labels is None else OtherFeatures.EDGE_LABELS
    after = WWL(kind=options.kind, edge_labels=options.refined_over, stereo=options.marked_by).learn(prepared)
    if options.kind != "continuous" or graphs.node_attributes is not None:
        return after.features
    before = WWL(kind=options.kind).learn(graphs)
    are_equal = np.array_equal(before.attributes(graphs), after.attributes(prepared))
    return before.features if are_equal else after.features


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
