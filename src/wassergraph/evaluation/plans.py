"""Plan: what exactly is evaluated, for a method or for a variant of it such as ``wwl+svc``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.evaluation.matrices import DEPTHS, MatrixOptions
from wassergraph.evaluation.methods import METHODS, Method
from wassergraph.evaluation.preparation import Preparation
from wassergraph.evaluation.wide_matrices import WideOptions
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.decisions import (
    EdgeLabels,
    Kind,
    Masses,
    candidate_masses,
    should_standardize,
    should_use_edge_labels,
)
from wassergraph.metrics.node_embedding import EmbeddingKind, Mass
from wassergraph.metrics.wwl import WWL
from wassergraph.scores.tasks import DecidedTask
from wassergraph.tuning.grid import (
    ATTRIBUTE_C_VALUES,
    SVR_C_VALUES,
    Grid,
    depth_values,
    neighbor_grid,
    positive_numbers,
    ridge_grid,
    whole_numbers,
)

#: What is fitted.
Model: TypeAlias = Literal["svm", "ridge", "svr", "gp", "knn", "rf"]
#: Models without inner folds: what a Gaussian process has to choose is what is most likely, and a random forest has
#: nothing to choose.
WITHOUT_INNER_FOLDS: tuple[Model, ...] = ("gp", "rf")
#: The parameters, besides the depth, whose values a user may give for a model.
_PARAMETERS: dict[Model, tuple[str, ...]] = {
    "svm": ("gamma", "C"),
    "ridge": ("gamma", "alpha"),
    "svr": ("gamma", "C"),
    "gp": (),
    "knn": ("k",),
    "rf": (),
}
#: How many kernels of a random method are drawn; the mean is taken of them, or of their accuracies.
DRAWS = 10


@dataclass(frozen=True)
class Plan:
    """How to evaluate a method.

    Attributes
    ----------
    options : tuple of MatrixOptions
        The matrices to compute. Where there are several, each is evaluated alone, and the accuracies are averaged.
    grid : Grid
        The candidates to choose from in the inner folds.
    krein : bool
        Whether the model allows for kernels that are not positive definite.
    model : "svm", "ridge", "svr", "gp", "knn" or "rf"
        What is fitted: a support vector machine to classes; ridge regression, support vector regression or a Gaussian
        process to numbers; nearest neighbors or a random forest to either.
    task : "classification" or "regression"
        What the model learns.
    wide : WideOptions or None
        The ways to compare graphs that a wide search chooses from; None for other methods.
    """

    options: tuple[MatrixOptions, ...]
    grid: Grid
    krein: bool
    model: Model = "svm"
    task: DecidedTask = "classification"
    wide: WideOptions | None = None


@dataclass(frozen=True)
class Choices:
    """The values to choose from in place of those of a method; None leaves them.

    Attributes
    ----------
    depths, gammas, C_values, alphas, neighbors : tuple of numbers or None
        For the methods and models that have such a parameter.
    """

    depths: tuple[int, ...] | None = None
    gammas: tuple[float, ...] | None = None
    C_values: tuple[float, ...] | None = None
    alphas: tuple[float, ...] | None = None
    neighbors: tuple[int, ...] | None = None

    @classmethod
    def read(cls, depth: Any, gamma: Any, C: Any, alpha: Any = None, k: Any = None) -> Choices:  # noqa: N803
        """Check and sort what a user passed."""
        return cls(
            None if depth is None else depth_values(depth),
            None if gamma is None else positive_numbers("gamma", gamma),
            None if C is None else positive_numbers("C", C),
            None if alpha is None else positive_numbers("alpha", alpha),
            None if k is None else whole_numbers("k", k, least=1),
        )

    def check(self, plans: Iterable[Plan]) -> None:
        """Raise an error if values are given for a parameter that no plan has."""
        used = {name for plan in plans for name in _parameters(plan)}
        given = {"depth": self.depths, "gamma": self.gammas, "C": self.C_values, "alpha": self.alphas}
        for name, values in {**given, "k": self.neighbors}.items():
            if values is not None and name not in used:
                raise InputError("{} is not a parameter of these methods", remedy="remove it", options=[Option(name)])

    def apply(self, plan: Plan) -> Plan:
        """Return a plan with these values."""
        if self.depths is not None and plan.options[0].depths:
            plan = _with(depths=self.depths)(plan)
        if plan.model == "knn":
            return (
                plan
                if self.neighbors is None
                else replace(plan, grid=neighbor_grid(plan.grid.matrices, self.neighbors))
            )
        return replace(plan, grid=self._of_kernels(plan.grid))

    def _of_kernels(self, grid: Grid) -> Grid:
        """Return the candidates of a model on kernels with these values."""
        if self.gammas is not None and grid.gammas is not None:
            grid = replace(grid, gammas=self.gammas)
        if self.C_values is not None and not grid.penalty:
            grid = replace(grid, C_values=self.C_values)
        if self.alphas is not None and grid.penalty:
            grid = ridge_grid(grid.matrices, grid.gammas, self.alphas)
        return grid


def _parameters(plan: Plan) -> list[str]:
    """Return the parameters of a plan whose values are chosen."""
    depth = ["depth"] if plan.options[0].depths else []
    return depth + [name for name in _PARAMETERS[plan.model] if name != "gamma" or plan.grid.gammas is not None]


def plan_for(
    graphs: GraphBatch,
    method: str,
    kind: EmbeddingKind,
    preparation: Preparation,
    edge_labels: EdgeLabels = "auto",
    mass: Masses = "auto",
    task: DecidedTask = "classification",
) -> Plan:
    """Return the plan of a method for graphs that are already prepared.

    Parameters
    ----------
    graphs : GraphBatch
        The prepared graphs; the number of their attributes decides whether "auto" standardizes.
    method : str
        A name of :data:`METHODS`, or ``method+variant`` with one or more variants of :data:`VARIANTS`.
    kind : "categorical", "continuous" or "joint"
        Whether labels, attributes or both are compared.
    preparation : Preparation
        How the data set is used.
    edge_labels : "auto", "use" or "ignore"
        Whether labels are refined over edge labels, as in :class:`wassergraph.WWL`.
    mass : "auto", "share", "count", or a sequence of the last two
        The masses to choose from, as in :class:`wassergraph.GraphClassifier`; for methods that have them.
    task : "classification" or "regression"
        What is learned.

    Returns
    -------
    Plan
    """
    standardize = should_standardize(preparation.standardize, graphs, WWL(kind=kind).learn(graphs).n_attributes)
    refine = should_use_edge_labels(graphs, edge_labels)
    return make_plan(
        method,
        kind,
        standardize=standardize,
        edge_labels=refine,
        masses=candidate_masses(graphs, mass),
        iterations=preparation.iterations,
        task=task,
    )


def make_plan(
    method: str,
    kind: EmbeddingKind,
    *,
    standardize: bool = False,
    edge_labels: bool = False,
    masses: tuple[Mass, ...] = ("share",),
    iterations: int = 20,
    task: DecidedTask = "classification",
) -> Plan:
    """Return the plan of a method, or of one with variants, as in ``method+variant``; see :func:`plan_for`."""
    name, *variants = method.split("+")
    chosen = _method(name, kind)
    options = MatrixOptions(
        name,
        kind,
        depths=chosen.depths,
        standardize=standardize and (kind != "categorical" or "joint" in variants),
        edge_labels=edge_labels and chosen.refines,
        masses=masses if chosen.has_masses else ("share",),
        normalize=chosen.normalize,
        regs=chosen.regs,
        iterations=iterations if chosen.random else 0,
        draws=DRAWS if chosen.random else 0,
    )
    labels_only: Kind = "categorical" if kind == "categorical" else "auto"
    plan = Plan(
        (options,),
        chosen.grid(options, task),
        krein=chosen.wide or (chosen.distances and kind != "categorical"),
        model="rf" if chosen.is_forest else "svm" if task == "classification" else "ridge",
        task=task,
        wide=WideOptions(labels_only, standardize=standardize) if chosen.wide else None,
    )
    _check_chain(method, variants)
    for variant in sorted(variants, key=lambda variant: variant in _MODELS):  # a model replaces candidates of others
        plan = _variant(variant, plan).apply(plan, variant)
    return plan


def _check_chain(method: str, variants: list[str]) -> None:
    """Raise an error if a variant is repeated, or several choose the model."""
    models = [variant for variant in variants if variant in _MODELS]
    if len(set(variants)) < len(variants) or len(models) > 1:
        problem = f"{{}} must have each variant once, and one of {', '.join(_MODELS)} at most, got {method!r}"
        raise InputError(problem, remedy="remove variants", options=[Option("method")])


def _variant(name: str, plan: Plan) -> Variant:
    if name in VARIANTS:
        return VARIANTS[name]
    options = plan.options[0]
    method = METHODS[options.method]
    applicable = [
        f"{options.method}+{other}"
        for other, variant in VARIANTS.items()
        if variant.applies(method, options) and variant.task in (None, plan.task)
    ]
    remedies = [f"choose {{}} from {', '.join(applicable)}", did_you_mean(f"{options.method}+{name}", applicable)]
    raise InputError(
        f"{method.title} has no variant {name!r}",
        remedy="; ".join(filter(None, remedies)),
        options=[Option("method")],
    )


def _method(name: str, kind: EmbeddingKind) -> Method:
    if name not in METHODS:
        problem = f"{{}} must be one of {', '.join(METHODS)}, or a variant such as wwl+joint, got {name!r}"
        raise InputError(problem, options=[Option("method")])
    if kind not in METHODS[name].kinds:
        raise InputError(
            f"{METHODS[name].title} is defined for the kind {' or '.join(METHODS[name].kinds)}, not for {kind}",
            remedy="choose another {}, or another {}",
            options=[Option("method"), Option("kind")],
        )
    return METHODS[name]


# Variants


@dataclass(frozen=True)
class Variant:
    """A change to the plan of a method.

    Attributes
    ----------
    change : callable
        Takes a plan and returns the changed one.
    applies : callable
        Whether the variant makes a difference to a method with these options.
    otherwise : str
        Why it makes none, as the end of a sentence about the method.
    task : "classification", "regression" or None
        The task that it is for; None for both.
    """

    change: Callable[[Plan], Plan]
    applies: Callable[[Method, MatrixOptions], bool] = lambda method, options: True
    otherwise: str = ""
    task: DecidedTask | None = None

    def apply(self, plan: Plan, name: str) -> Plan:
        """Return the changed plan; raise an error if the variant does not apply to the method."""
        method = METHODS[plan.options[0].method]
        if (method.wide and name not in _MODELS) or method.is_forest:
            reason = "it makes its own choices" if method.wide else "it has nothing to choose"
            raise InputError(f"{method.title} has no variant {name!r}, because {reason}")
        if not self.applies(method, plan.options[0]):
            raise InputError(f"{method.title} has no variant {name!r}, because it {self.otherwise}")
        if self.task not in (None, plan.task):
            learned = "classes" if self.task == "classification" else "numbers"
            problem = f"the variant {name!r} learns {learned}, but the task is {plan.task}"
            raise InputError(problem, remedy="leave it out", options=[])
        return self.change(plan)


def _with(**changes: object) -> Callable[[Plan], Plan]:
    """Return a change of the matrix options."""

    def change(plan: Plan) -> Plan:
        options = tuple(replace(each, **changes) for each in plan.options)  # type: ignore[arg-type]
        parameters = METHODS[options[0].method].parameters(options[0])
        return replace(plan, options=options, grid=replace(plan.grid, matrices=parameters))

    return change


def _joint(plan: Plan) -> Plan:
    changed = _with(kind="joint")(plan)
    grid = changed.grid if changed.grid.penalty else replace(changed.grid, C_values=ATTRIBUTE_C_VALUES)
    return replace(changed, grid=grid, krein=True)


def _other_form(form: str) -> Callable[[Plan], Plan]:
    """Return a change to another form of the method, which is a separate method with its own depths."""

    def change(plan: Plan) -> Plan:
        name = f"{plan.options[0].method}-{form}"
        return _with(method=name, depths=METHODS[name].depths)(plan)

    return change


def _mean_of_accuracies(plan: Plan) -> Plan:
    (options,) = plan.options
    return replace(plan, options=tuple(replace(options, draws=1, seed=seed) for seed in range(options.draws)))


def _wider_ranges(plan: Plan) -> Plan:
    gammas = None if plan.grid.gammas is None else tuple(10.0**power for power in range(-6, 4))
    C_values = tuple(10.0**power for power in range(-5, 6))
    wide = replace(plan.grid, gammas=gammas, C_values=tuple(sorted({*plan.grid.C_values, *C_values})))
    return replace(plan, grid=wide)


def _uses_attributes(_: Method, options: MatrixOptions) -> bool:
    return options.kind != "categorical"


def _is_kernel(method: Method, _: MatrixOptions) -> bool:
    return not method.distances


def _refines(method: Method, options: MatrixOptions) -> bool:
    return method.refines and options.kind != "continuous"


_NO_ATTRIBUTES = "does not use attributes"
_NO_REFINEMENT = "does not refine labels"
_DISTANCES = "is computed from distances, which are not normalized"

#: The variants that choose the model that is fitted.
_MODELS = ("svc", "svr", "gp", "knn")
#: Variants by name: written after the method, as in ``wwl+svc``, or several as in ``wwl+joint+svc``.
VARIANTS: dict[str, Variant] = {
    # An ordinary SVM, although kernels may not be positive definite.
    "svc": Variant(
        lambda plan: replace(plan, krein=False),
        lambda method, options: method.distances and options.kind != "categorical",
        "has an ordinary SVM already",
        task="classification",
    ),
    # Support vector regression in place of ridge regression.
    "svr": Variant(
        lambda plan: replace(plan, grid=replace(plan.grid, C_values=SVR_C_VALUES, penalty=False), model="svr"),
        task="regression",
    ),
    # A Gaussian process in place of ridge regression: no inner folds, and intervals.
    "gp": Variant(
        lambda plan: replace(plan, model="gp"),
        lambda method, _: method.distances,
        "is not computed from distances",
        task="regression",
    ),
    "standardized": Variant(_with(standardize=True), _uses_attributes, _NO_ATTRIBUTES),
    "raw": Variant(_with(standardize=False), _uses_attributes, _NO_ATTRIBUTES),
    # Nodes without neighbors keep their attributes.
    "keep": Variant(
        _with(isolated_nodes="keep"),
        lambda method, options: method.averages and options.kind != "categorical",
        "does not average attributes",
    ),
    # Labels are refined over pairs of edge label and neighbor, or over neighbors alone.
    "edge-labels": Variant(_with(edge_labels=True), _refines, _NO_REFINEMENT),
    "no-edge-labels": Variant(_with(edge_labels=False), _refines, _NO_REFINEMENT),
    # Every node has the mass 1, so that the size of a graph counts.
    "count": Variant(
        _with(masses=("count",)), lambda method, _: method.has_masses, "has no exact transport of different masses"
    ),
    # Every graph has the mass 1, also for molecules.
    "share": Variant(
        _with(masses=("share",)), lambda method, _: method.has_masses, "has no exact transport of different masses"
    ),
    "normalized": Variant(_with(normalize=True), _is_kernel, _DISTANCES),
    "unnormalized": Variant(_with(normalize=False), _is_kernel, _DISTANCES),
    # All depths are candidates.
    "depths": Variant(_with(depths=DEPTHS), lambda _, options: bool(options.depths), "has no depth to choose"),
    "joint": Variant(
        _joint, lambda method, _: "joint" in method.kinds, "does not compare labels and attributes together"
    ),
    "gaussian": Variant(
        _other_form("gaussian"), lambda _, options: f"{options.method}-gaussian" in METHODS, "is not a histogram"
    ),
    # The gamma of the node kernel is one over the number of columns of the embedding.
    "columns": Variant(
        _other_form("columns"),
        lambda _, options: f"{options.method}-columns" in METHODS,
        "has no gamma that depends on the number of attributes",
    ),
    # A node with itself, and nodes that are not connected, are pairs, too, as in the code of the method's authors.
    "all-pairs": Variant(
        _other_form("all-pairs"),
        lambda _, options: f"{options.method}-all-pairs" in METHODS,
        "does not compare pairs of nodes",
    ),
    # The mean of the accuracies of random kernels, not the accuracy of their mean.
    "results": Variant(_mean_of_accuracies, lambda method, _: method.random, "is not random"),
    # More values of gamma and C.
    "ranges": Variant(_wider_ranges),
    # The nearest neighbors in place of a kernel.
    "knn": Variant(
        lambda plan: replace(plan, grid=neighbor_grid(plan.grid.matrices), krein=False, model="knn"),
        lambda method, _: method.distances,
        "is not computed from distances",
    ),
}
