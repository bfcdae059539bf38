"""Variants: changes to the plan of a method, written after its name, as in ``wwl+svc``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wassergraph.errors import InputError
from wassergraph.evaluation.matrices import DEPTHS, MatrixOptions
from wassergraph.evaluation.methods import METHODS, Method
from wassergraph.evaluation.plan import Plan, with_options
from wassergraph.graphs.values import DecidedTask
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES, SVR_C_VALUES, neighbor_grid


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
    changed = with_options(kind="joint")(plan)
    grid = changed.grid if changed.grid.penalty else replace(changed.grid, C_values=ATTRIBUTE_C_VALUES)
    return replace(changed, grid=grid, krein=True)


def _other_form(form: str) -> Callable[[Plan], Plan]:
    """Return a change to another form of the method, which is a separate method with its own depths."""

    def change(plan: Plan) -> Plan:
        name = f"{plan.options[0].method}-{form}"
        return with_options(method=name, depths=METHODS[name].depths)(plan)

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
_ONE_MASS = "has no exact transport of different masses"
_NO_REFINEMENT = "does not refine labels"
_DISTANCES = "is computed from distances, which are not normalized"

#: The variants that choose the model that is fitted.
FITTED = ("svc", "svr", "gp", "knn")
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
    "count": Variant(
        with_options(masses=("count",)),
        lambda method, _: method.has_masses,
        _ONE_MASS,
    ),
    # Every graph has the mass 1, also for molecules.
    "share": Variant(
        with_options(masses=("share",)),
        lambda method, _: method.has_masses,
        _ONE_MASS,
    ),
    "normalized": Variant(with_options(normalize=True), _is_kernel, _DISTANCES),
    "unnormalized": Variant(with_options(normalize=False), _is_kernel, _DISTANCES),
    # All depths are candidates.
    "depths": Variant(with_options(depths=DEPTHS), lambda _, options: bool(options.depths), "has no depth to choose"),
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
