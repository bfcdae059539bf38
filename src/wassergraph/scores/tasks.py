"""Tasks: what is learned from graphs, classes or numbers, and the constant prediction that models are compared with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.values import DecidedTask, TaskName, decide_task, value_array
from wassergraph.scores.classes import read_classes
from wassergraph.scores.numbers import read_numbers
from wassergraph.scores.outputs import Outputs

_AS_NUMBERS = Option("task", "regression")


@dataclass(frozen=True, eq=False)
class ClassTask:
    """Classes to learn.

    Attributes
    ----------
    classes : (n_classes) array
        The classes, sorted.
    targets : (n_graphs) integers
        The class of every graph, numbered from 0.
    """

    name: ClassVar[DecidedTask] = "classification"
    constant_title: ClassVar[str] = "largest class"
    classes: NDArray[Any]
    targets: IntArray

    @property
    def class_counts(self) -> dict[str, int]:
        """The number of graphs in each class."""
        return {str(name): int(n) for name, n in zip(self.classes, np.bincount(self.targets), strict=True)}

    @property
    def majority(self) -> float:
        """The share of the largest class."""
        return float(np.bincount(self.targets).max() / len(self.targets))

    def describe(self) -> str:
        """Return what is learned, in words."""
        return f"{len(self.classes)} classes"

    def constant(self, train: IntArray, n_test: int) -> Outputs:
        """Return what is predicted without looking at a graph: the largest class of the training graphs."""
        shares = np.bincount(self.targets[train], minlength=len(self.classes)) / len(train)
        scores = np.zeros(n_test) if len(self.classes) == 2 else np.tile(shares, (n_test, 1))
        return Outputs(np.full(n_test, shares.argmax()), scores, np.tile(shares, (n_test, 1)))


@dataclass(frozen=True, eq=False)
class NumberTask:
    """Numbers to learn.

    Attributes
    ----------
    targets : (n_graphs) floats
        The number of every graph.
    """

    name: ClassVar[DecidedTask] = "regression"
    constant_title: ClassVar[str] = "mean"
    targets: FloatArray

    def describe(self) -> str:
        """Return what is learned, in words."""
        low, high = (f"{number:.6g}".replace("-", "−") for number in (self.targets.min(), self.targets.max()))
        return f"numbers from {low} to {high}"

    def constant(self, train: IntArray, n_test: int) -> Outputs:
        """Return what is predicted without looking at a graph: the mean of the training graphs."""
        return Outputs(np.full(n_test, self.targets[train].mean()))


def read_task(
    y: ArrayLike | None, n_graphs: int, task: TaskName = "auto", *, for_numbers: Option = _AS_NUMBERS
) -> ClassTask | NumberTask:
    """Read what is to be learned of graphs.

    Parameters
    ----------
    y : (n_graphs) array
        The class, or the number, of every graph.
    n_graphs : int
        The number of graphs.
    task : "auto", "classification" or "regression"
        Which of both; "auto" decides by :func:`wassergraph.graphs.values.decide_task`.
    for_numbers : Option
        What to do for numbers instead, for messages.

    Returns
    -------
    ClassTask or NumberTask

    Examples
    --------
    >>> read_task([1, 2, 1, 2], 4).describe(), read_task([1.5, 2.0, 3.0], 3).describe()
    ('2 classes', 'numbers from 1.5 to 3')
    """
    check_choice("task", task, TaskName)
    if task == "regression" or (task == "auto" and y is not None and decide_task(y) == "regression"):
        return NumberTask(read_numbers(y, n_graphs))
    try:
        return ClassTask(*read_classes(y, n_graphs))
    except InputError as error:
        if task == "auto" and error.graph is None and _may_be_numbers(y, n_graphs):
            remedy = f"{error.remedy}, or pass {{}} to predict numbers"
            raise InputError(error.problem, remedy=remedy, options=[for_numbers]) from None
        raise


def _may_be_numbers(y: ArrayLike | None, n_graphs: int) -> bool:
    """Return whether whole numbers are one for each graph, and some of them occur once, as classes should not."""
    values = [] if y is None else value_array(y).ravel().tolist()
    if len(values) != n_graphs or any(isinstance(each, bool) or not isinstance(each, Real) for each in values):
        return False
    counts = Counter(values).values()
    return len(counts) > 2 and min(counts) == 1
