"""The plan of a method, or of a variant of it such as ``wwl+svc``."""

from __future__ import annotations

from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.evaluation.matrices import MatrixOptions
from wassergraph.evaluation.methods import METHODS, Method
from wassergraph.evaluation.plan import Plan, with_options
from wassergraph.evaluation.preparation import Preparation
from wassergraph.evaluation.variants import FITTED, VARIANTS, Variant
from wassergraph.evaluation.ways import Ways
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.values import DecidedTask
from wassergraph.metrics.decisions import Kind, candidate_masses, should_standardize, should_use_edge_labels
from wassergraph.metrics.node_embedding import EmbeddingKind, Mass
from wassergraph.metrics.wwl import WWL

#: How many kernels of a random method are drawn; the mean is taken of them, or of their accuracies.
DRAWS = 10
#: The parameters of a metric that are options of matrices under the same name.
_OF_METRIC = ("isolated_nodes", "label_weight", "unmatched_cost", "size_weight", "degrees")


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
    given = {name: getattr(metric, name) for name in _OF_METRIC if getattr(metric, name) != getattr(WWL(), name)}
    standardize = should_standardize(preparation.standardize, graphs, WWL(kind=kind).learn(graphs).n_attributes)
    plan = make_plan(
        method,
        kind,
        standardize=standardize,
        edge_labels=should_use_edge_labels(graphs, metric.edge_labels),
        masses=candidate_masses(graphs, metric.mass),
        iterations=preparation.iterations,
        task=task,
    )
    return with_options(**given)(plan) if given else plan


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
        ways=Ways(WWL(kind=labels_only, standardize=standardize)) if chosen.wide else None,
    )
    _check_chain(method, variants)
    for variant in sorted(variants, key=lambda variant: variant in FITTED):  # a model replaces candidates of others
        plan = _variant(variant, plan).apply(plan, variant)
    return plan


def _check_chain(method: str, variants: list[str]) -> None:
    """Raise an error if a variant is repeated, or several choose the model."""
    models = [variant for variant in variants if variant in FITTED]
    if len(set(variants)) < len(variants) or len(models) > 1:
        problem = f"{{}} must have each variant once, and one of {', '.join(FITTED)} at most, got {method!r}"
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
