"""The plan of a method, or of a variant of it such as ``wwl+svc``: a change to the plan, written after the name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.evaluation.matrices import OF_METRIC, MatrixOptions
from wassergraph.evaluation.methods import METHODS, Method
from wassergraph.evaluation.plan import Plan, with_options
from wassergraph.evaluation.preparation import Preparation
from wassergraph.evaluation.ways import Ways
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.values import DecidedTask
from wassergraph.metrics.decisions import Kind, candidate_masses, should_standardize, should_use_edge_labels
from wassergraph.metrics.node_embedding import EmbeddingKind
from wassergraph.metrics.wwl import WWL
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES, DEPTHS, SVR_C_VALUES, neighbor_grid

#: How many kernels of a random method are drawn; the mean is taken of them, or of their accuracies.
DRAWS = 10


def plan_for(
    graphs: GraphBatch,
    method: str,
    kind: EmbeddingKind,
    preparation: Preparation,
    metric: WWL | None = None,
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
    metric : WWL, optional
        What else says how graphs are compared, such as its masses, as far as the method does so.
    task : "classification" or "regression"
        What is learned.

    Returns
    -------
    Plan
    """
    metric = WWL() if metric is None else metric
    given = {name: getattr(metric, name) for name in OF_METRIC if getattr(metric, name) != getattr(WWL(), name)}
    given |= {"kind": kind, "masses": candidate_masses(graphs, metric.mass)}
    given["standardize"] = should_standardize(
        preparation.standardize, graphs, WWL(kind=kind).learn(graphs).n_attributes
    )
    given["edge_labels"] = should_use_edge_labels(graphs, metric.edge_labels)
    return make_plan(method, iterations=preparation.iterations, task=task, **given)


def make_plan(
    method: str,
    kind: EmbeddingKind,
    *,
    standardize: bool = False,
    iterations: int = 20,
    task: DecidedTask = "classification",
    **given: Any,
) -> Plan:
    """Return the plan of a method, or of one with variants, as in ``method+variant``; see :func:`plan_for`.

    ``given`` are options of the matrices; the method takes those that it has.
    """
    name, *variants = method.split("+")
    chosen = _method(name, kind)
    given["standardize"] = standardize and (kind != "categorical" or "joint" in variants)
    has = {"edge_labels": chosen.refines, "stereo": chosen.distances, "masses": chosen.has_masses}
    options = MatrixOptions(
        name,
        kind,
        **{option: value for option, value in given.items() if has.get(option, True)},
        depths=chosen.depths,
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
        ways=Ways(WWL(kind=labels_only, standardize=standardize)) if chosen.wide else None,
    )
    fitted = [variant for variant in variants if variant in FITTED]
    if len(set(variants)) < len(variants) or len(fitted) > 1:
        problem = f"{{}} must have each variant once, and one of {', '.join(FITTED)} at most, got {method!r}"
        raise InputError(problem, remedy="remove variants", options=[Option("method")])
    for variant in sorted(variants, key=lambda variant: variant in FITTED):  # a model replaces candidates of others
        plan = _variant(variant, plan).apply(plan, variant)
    return plan


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
    problem, remedy = f"{method.title} has no variant {name!r}", "; ".join(filter(None, remedies))
    raise InputError(problem, remedy=remedy, options=[Option("method")])


def _method(name: str, kind: EmbeddingKind) -> Method:
    if name not in METHODS:
        problem = f"{{}} must be one of {', '.join(METHODS)}, or a variant such as wwl+joint, got {name!r}"
        raise InputError(problem, options=[Option("method")])
    if kind not in METHODS[name].kinds:
        problem = f"{METHODS[name].title} is defined for the kind {' or '.join(METHODS[name].kinds)}, not for {kind}"
        options = [Option("method"), Option("kind")]
        raise InputError(problem, remedy="choose another {}, or another {}", options=options)
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
        if (method.wide and name not in FITTED) or method.is_forest:
            reason = "it makes its own choices" if method.wide else "it has nothing to choose"
            raise InputError(f"{method.title} has no variant {name!r}, because {reason}")
        if not self.applies(method, plan.options[0]):
            raise InputError(f"{method.title} has no variant {name!r}, because it {self.otherwise}")
        if self.task not in (None, plan.task):
            learned = "classes" if self.task == "classification" else "numbers"
            problem = f"the variant {name!r} learns {learned}, but the task is {plan.task}"
            raise InputError(problem, remedy="leave it out", options=[])
        return self.change(plan)


def _joint(plan: Plan) -> Plan:
    plan = with_options(kind="joint")(plan)
    grid = plan.grid if plan.grid.penalty else replace(plan.grid, C_values=ATTRIBUTE_C_VALUES)
    return replace(plan, grid=grid, krein=True)


def _form(form: str, otherwise: str) -> Variant:
    """Return a variant that is another form of the method: a separate method with its own depths."""

    def change(plan: Plan) -> Plan:
        name = f"{plan.options[0].method}-{form}"
        return with_options(method=name, depths=METHODS[name].depths)(plan)

    return Variant(change, lambda _, options: f"{options.method}-{form}" in METHODS, otherwise)


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
_ONE_MASS = "has no exact transport of different masses"
_NO_REFINEMENT = "does not refine labels"
_DISTANCES = "is computed from distances, which are not normalized"
_NO_DISTANCES = "is not computed from distances"

#: The variants that choose the model that is fitted.
FITTED = ("svc", "svr", "gp", "knn")
#: Those of them that make the wide search as an SVM does, whose kernels may be indefinite; an ordinary SVM does not.
SEARCHING = {"svr", "gp", "knn"}
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
        _NO_DISTANCES,
        task="regression",
    ),
    "standardized": Variant(with_options(standardize=True), _uses_attributes, _NO_ATTRIBUTES),
    "raw": Variant(with_options(standardize=False), _uses_attributes, _NO_ATTRIBUTES),
    # Nodes without neighbors keep their attributes.
    "keep": Variant(
        with_options(isolated_nodes="keep"),
        lambda method, options: method.averages and options.kind != "categorical",
        "does not average attributes",
    ),
    # Labels are refined over pairs of edge label and neighbor, or over neighbors alone.
    "edge-labels": Variant(with_options(edge_labels=True), _refines, _NO_REFINEMENT),
    "no-edge-labels": Variant(with_options(edge_labels=False), _refines, _NO_REFINEMENT),
    # Every node has the mass 1, so that the size of a graph counts.
    "count": Variant(with_options(masses=("count",)), lambda method, _: method.has_masses, _ONE_MASS),
    # Every graph has the mass 1, also for molecules.
    "share": Variant(with_options(masses=("share",)), lambda method, _: method.has_masses, _ONE_MASS),
    "normalized": Variant(with_options(normalize=True), _is_kernel, _DISTANCES),
    "unnormalized": Variant(with_options(normalize=False), _is_kernel, _DISTANCES),
    # All depths are candidates.
    "depths": Variant(with_options(depths=DEPTHS), lambda _, options: bool(options.depths), "has no depth to choose"),
    "joint": Variant(
        _joint, lambda method, _: "joint" in method.kinds, "does not compare labels and attributes together"
    ),
    "gaussian": _form("gaussian", "is not a histogram"),
    # The gamma of the node kernel is one over the number of columns of the embedding.
    "columns": _form("columns", "has no gamma that depends on the number of attributes"),
    # A node with itself, and nodes that are not connected, are pairs, too, as in the code of the method's authors.
    "all-pairs": _form("all-pairs", "does not compare pairs of nodes"),
    # The mean of the accuracies of random kernels, not the accuracy of their mean.
    "results": Variant(_mean_of_accuracies, lambda method, _: method.random, "is not random"),
    # More values of gamma and C.
    "ranges": Variant(_wider_ranges),
    # The nearest neighbors in place of a kernel.
    "knn": Variant(
        lambda plan: replace(plan, grid=neighbor_grid(plan.grid.matrices), krein=False, model="knn"),
        lambda method, _: method.distances,
        _NO_DISTANCES,
    ),
}
