"""Plan: what exactly is evaluated for a method, and Choices: the values that users give in place of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from wassergraph.errors import InputError, Option
from wassergraph.evaluation.matrices import MatrixOptions
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.ways import Ways
from wassergraph.graphs.values import DecidedTask
from wassergraph.tuning.grid import Grid, depth_values, positive_numbers, ridge_grid

#: What is fitted.
Fitted: TypeAlias = Literal["svm", "ridge", "svr", "gp", "knn", "rf"]
#: Models without inner folds: what a Gaussian process has to choose is what is most likely, and a random forest has
#: nothing to choose.
WITHOUT_INNER_FOLDS: tuple[Fitted, ...] = ("gp", "rf")
#: The parameters, besides the depth, whose values a user may give for a model.
_PARAMETERS: dict[Fitted, tuple[str, ...]] = {
    "svm": ("gamma", "C"),
    "ridge": ("gamma", "alpha"),
    "svr": ("gamma", "C"),
    "gp": (),
    "knn": (),
    "rf": (),
}


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
    ways : Ways or None
        The ways to compare graphs that are chosen from; None for methods that have one, with parameters.
    """

    options: tuple[MatrixOptions, ...]
    grid: Grid
    krein: bool
    model: Fitted = "svm"
    task: DecidedTask = "classification"
    ways: Ways | None = None

    @property
    def wide(self) -> bool:
        """Whether a wide search is made."""
        return self.ways is not None and self.ways.wide


@dataclass(frozen=True)
class Choices:
    """The values to choose from in place of those of a method; None leaves them.

    Attributes
    ----------
    depths, gammas, C_values, alphas : tuple of numbers or None
        For the methods and models that have such a parameter.
    """

    depths: tuple[int, ...] | None = None
    gammas: tuple[float, ...] | None = None
    C_values: tuple[float, ...] | None = None
    alphas: tuple[float, ...] | None = None

    @classmethod
    def read(cls, depth: Any, gamma: Any, C: Any, alpha: Any = None) -> Choices:  # noqa: N803 - scikit-learn's name
        """Check and sort what a user passed."""
        given = {"gamma": gamma, "C": C, "alpha": alpha}
        positive = (None if value is None else positive_numbers(name, value) for name, value in given.items())
        return cls(None if depth is None else depth_values(depth), *positive)

    def check(self, plans: Iterable[Plan]) -> None:
        """Raise an error if values are given for a parameter that no plan has."""
        used = {name for plan in plans for name in _parameters(plan)}
        given = {"depth": self.depths, "gamma": self.gammas, "C": self.C_values, "alpha": self.alphas}
        for name, values in given.items():
            if values is not None and name not in used:
                raise InputError("{} is not a parameter of these methods", remedy="remove it", options=[Option(name)])

    def apply(self, plan: Plan) -> Plan:
        """Return a plan with these values."""
        if self.depths is not None and plan.options[0].depths:
            plan = with_options(depths=self.depths)(plan)
        return replace(plan, grid=self._of_model(plan.grid, _PARAMETERS[plan.model]))

    def _of_model(self, grid: Grid, names: tuple[str, ...]) -> Grid:
        """Return the candidates of a model with these values, as far as it has such parameters."""
        if self.gammas is not None and "gamma" in names and grid.gammas is not None:
            grid = replace(grid, gammas=self.gammas)
        if self.C_values is not None and "C" in names:
            grid = replace(grid, C_values=self.C_values)
        if self.alphas is not None and "alpha" in names:
            grid = ridge_grid(grid.matrices, grid.gammas, self.alphas)
        return grid


def _parameters(plan: Plan) -> list[str]:
    """Return the parameters of a plan whose values are chosen."""
    depth = ["depth"] if plan.options[0].depths else []
    return depth + [name for name in _PARAMETERS[plan.model] if name != "gamma" or plan.grid.gammas is not None]


def with_options(**changes: object) -> Callable[[Plan], Plan]:
    """Return a change of the matrix options."""

    def change(plan: Plan) -> Plan:
        options = tuple(replace(each, **changes) for each in plan.options)  # type: ignore[arg-type]
        parameters = METHODS[options[0].method].parameters(options[0])
        return replace(plan, options=options, grid=replace(plan.grid, matrices=parameters))

    return change
