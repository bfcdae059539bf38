"""What exactly is evaluated: the paper's way for each method and data set, and variants of what it leaves open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wassergraph.evaluation.methods import DEPTHS, METHODS, Kind, Recipe
from wassergraph.learning.grid import ATTRIBUTE_C_VALUES, Grid
from wassergraph.reproduction.setups import Setup

#: How many kernels of a randomized method are drawn; their mean is used, or the mean of their results.
DRAWS = 10


@dataclass(frozen=True)
class Plan:
    """How to evaluate a method: the recipes of its matrices, the candidates, and the support vector machine.

    Of several recipes, each is evaluated on its own, and the accuracies are averaged.
    """

    recipes: tuple[Recipe, ...]
    grid: Grid
    krein: bool


def make_plan(method: str, kind: Kind, used: Setup) -> Plan:
    """Plan a method, or a variant ``method+variant`` of it, for a data set that is used in some way."""
    name, plus, variant = method.partition("+")
    if name not in METHODS:
        raise ValueError(f"there is no method {name!r}: choose from {', '.join(METHODS)}")
    if plus and variant not in VARIANTS:
        raise ValueError(f"there is no variant {variant!r}: choose from {', '.join(VARIANTS)}")
    chosen = METHODS[name]
    if kind not in chosen.kinds:
        raise ValueError(
            f"{chosen.title} is for {' or '.join(chosen.kinds)} graphs, not for {kind} ones: "
            "choose another method or kind"
        )
    recipe = Recipe(
        name,
        kind,
        depths=chosen.depths,
        standardize=used.standardize and (kind != "categorical" or variant == "joint"),
        normalize=chosen.normalize,
        regs=chosen.regs,
        iterations=used.iterations,
        draws=DRAWS,
    )
    recipe = recipe if name.startswith("hgk") else replace(recipe, iterations=0, draws=0)
    plan = Plan((recipe,), chosen.grid(recipe), krein=chosen.distances and kind != "categorical")
    if variant in _NEEDS and not _NEEDS[variant][0](recipe):
        raise ValueError(f"{chosen.title} has no variant {variant!r}: it {_NEEDS[variant][1]}")
    return VARIANTS[variant](plan) if plus else plan


def _with(**changes: object) -> Callable[[Plan], Plan]:
    """Change the recipe."""

    def change(plan: Plan) -> Plan:
        recipes = tuple(replace(recipe, **changes) for recipe in plan.recipes)  # type: ignore[arg-type]
        names = METHODS[recipes[0].method].names(recipes[0])
        return replace(plan, recipes=recipes, grid=replace(plan.grid, matrices=names))

    return change


def _joint(plan: Plan) -> Plan:
    changed = _with(kind="joint")(plan)
    return replace(changed, grid=replace(changed.grid, C_values=ATTRIBUTE_C_VALUES), krein=True)


def _form(name: str) -> Callable[[Plan], Plan]:
    """Take another form of the method, which is a method of its own."""
    return lambda plan: _with(method=f"{plan.recipes[0].method}-{name}")(plan)


def _mean_of_results(plan: Plan) -> Plan:
    (recipe,) = plan.recipes
    return replace(plan, recipes=tuple(replace(recipe, draws=1, seed=seed) for seed in range(recipe.draws)))


def _wide(plan: Plan) -> Plan:
    gammas = None if plan.grid.gammas is None else tuple(10.0**power for power in range(-6, 4))
    return replace(plan, grid=replace(plan.grid, gammas=gammas, C_values=tuple(10.0**power for power in range(-5, 6))))


#: What else the paper may have meant: written after the method, as in ``wwl+svc``.
VARIANTS: dict[str, Callable[[Plan], Plan]] = {
    "svc": lambda plan: replace(plan, krein=False),
    "standardized": _with(standardize=True),
    "raw": _with(standardize=False),
    "keep": _with(isolated="keep"),
    "normalized": _with(normalize=True),
    "unnormalized": _with(normalize=False),
    "depths": _with(depths=DEPTHS),
    "joint": _joint,
    "gaussian": _form("gaussian"),
    "columns": _form("columns"),
    "results": _mean_of_results,
    "wide": _wide,
}
#: Methods that average attributes over neighbors.
_AVERAGING = ("wwl", "wwl-sinkhorn", "rbf-wl", "vh-c")
#: What a method must have for some variants to mean anything, and what it is told otherwise.
_NEEDS: dict[str, tuple[Callable[[Recipe], bool], str]] = {
    "svc": (
        lambda recipe: METHODS[recipe.method].distances and recipe.kind != "categorical",
        "has an ordinary machine already",
    ),
    **dict.fromkeys(
        ("standardized", "raw"), (lambda recipe: recipe.kind != "categorical", "does not look at attributes")
    ),
    "keep": (lambda recipe: recipe.method in _AVERAGING and recipe.kind != "categorical", "averages no attributes"),
    **dict.fromkeys(
        ("normalized", "unnormalized"),
        (lambda recipe: not METHODS[recipe.method].distances, "is made of distances, which are not normalized"),
    ),
    "depths": (lambda recipe: bool(recipe.depths), "has no depth to choose"),
    "joint": (lambda recipe: "joint" in METHODS[recipe.method].kinds, "does not compare labels and attributes at once"),
    "gaussian": (lambda recipe: f"{recipe.method}-gaussian" in METHODS, "is no histogram"),
    "columns": (lambda recipe: f"{recipe.method}-columns" in METHODS, "has no gamma that depends on the attributes"),
    "results": (lambda recipe: recipe.draws > 0, "draws nothing at random"),
}
