"""What is known of each graph, which the page colors by: a class or a number."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.explorer.container import smallest
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.graphs.values import DecidedTask, TaskName, decide_task, is_missing, value_array
from wassergraph.scores.classes import number_classes
from wassergraph.scores.numbers import finite_numbers

Read = TypeVar("Read")

#: The number of classes that a fact lists.
_LISTED = 10
#: The code of graphs whose class is not known.
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """Classes of graphs.

    Attributes
    ----------
    name : str
        What they are called.
    values : list of str
        The names of the classes.
    codes : (n_graphs) integers
        The position of each graph's class among the names; -1 if it is not known.
    """

    name: str
    values: list[str]
    codes: IntArray

    def content(self) -> dict[str, Any]:
        """Return the classes as the page reads them."""
        return {"kind": "classes", "name": self.name, "values": self.values, "codes": smallest(self.codes)}

    def order_by(self) -> IntArray:
        """Return a number for each graph that puts graphs of unknown class behind all others."""
        return np.where(self.codes == UNKNOWN, len(self.values), self.codes)

    def describe(self) -> str:
        """Return the names of the classes and their numbers of graphs."""
        sizes = np.bincount(self.codes[self.codes != UNKNOWN], minlength=len(self.values)).tolist()
        present = [f"{name}: {size:,}" for name, size in zip(self.values, sizes, strict=True) if size]
        more = [f"{len(present) - _LISTED:,} further classes"] if len(present) > _LISTED else []
        n_unknown = int(np.count_nonzero(self.codes == UNKNOWN))
        return ", ".join([*present[:_LISTED], *more, *([f"unknown: {n_unknown:,}"] if n_unknown else [])])


@dataclass(frozen=True, eq=False)
class ShownNumbers:
    """Numbers of graphs.

    Attributes
    ----------
    name : str
        What they are called.
    numbers : (n_graphs) floats
        The numbers; 0 where they are not known.
    known : (n_graphs) booleans
        Which of them are known.
    """

    name: str
    numbers: FloatArray
    known: BoolArray

    def content(self) -> dict[str, Any]:
        """Return the numbers as the page reads them."""
        known = None if self.known.all() else self.known.astype(np.uint8)
        return {"kind": "numbers", "name": self.name, "numbers": self.numbers, "known": known}

    def order_by(self) -> None:
        """Return nothing: numbers do not divide graphs into groups."""

    def describe(self) -> str:
        """Return the range of the numbers."""
        n_unknown = int(np.count_nonzero(~self.known))
        unknown = [f"unknown: {n_unknown:,}"] if n_unknown else []
        if not self.known.any():
            return unknown[0]
        known = self.numbers[self.known]
        low, high = (f"{number:.6g}".replace("-", "−") for number in (known.min(), known.max()))
        return ", ".join([f"{low} to {high}", *unknown])


ShownTarget: TypeAlias = ShownClasses | ShownNumbers


def read_shown_target(
    y: Any, n_graphs: int, *, task: TaskName = "auto", name: str | None = None, classes: Sequence[str] = ()
) -> ShownTarget | None:
    """Read the class or the number of every graph; None, NaN and pandas' NA mean that it is not known.

    Parameters
    ----------
    y : (n_graphs) array or None
        Classes or numbers.
    n_graphs : int
        The number of graphs.
    task : "auto", "classification" or "regression"
        Which of both; "auto" decides as :func:`wassergraph.evaluate` does, except that classes may have any number of
        graphs.
    name : str, optional
        What they are called; by default "class" or "number".
    classes : sequence of str
        Names of classes that come first, also those that no graph has.

    Returns
    -------
    ShownClasses, ShownNumbers or None
        None if y is None, or none of it is known.

    Examples
    --------
    >>> read_shown_target(["b", None, "a"], 3).codes.tolist()
    [1, -1, 0]
    >>> read_shown_target([0.5, float("nan")], 2).describe()
    '0.5 to 0.5, unknown: 1'
    """
    check_choice("task", task, TaskName)
    if y is None:
        return None
    values = _list_values(y, n_graphs)
    known = np.array([not is_missing(value) for value in values], dtype=np.bool_)
    if not known.any():
        return None
    present = [value for value, is_known in zip(values, known.tolist(), strict=True) if is_known]
    if (decide_task(present) if task == "auto" else task) == "regression":
        numbers = np.zeros(n_graphs)
        numbers[known] = _read_known(finite_numbers, present, known)
        return ShownNumbers(name or "number", numbers, known)
    with warnings.catch_warnings():
        # scikit-learn warns of classes of one graph each, which are fine to look at.
        warnings.simplefilter("ignore", UserWarning)
        found, positions = _read_known(number_classes, present, known)
    texts = [class_text(value) for value in found.tolist()]
    all_texts = list(dict.fromkeys([*classes, *texts]))
    codes = np.full(n_graphs, UNKNOWN, dtype=np.int64)
    codes[known] = np.array([all_texts.index(text) for text in texts], dtype=np.int64)[positions]
    return ShownClasses(name or "class", all_texts, codes)


class GivenTarget(NamedTuple):
    """The classes or numbers as they are given, the task that is asked for, and what they are called."""

    y: Any
    task: TaskName
    name: str | None

    def read(
        self, n_graphs: int, decided: DecidedTask | None = None, classes: Sequence[str] = ()
    ) -> ShownTarget | None:
        """Read them, as what a model or an evaluation predicts, if there is one."""
        if decided is not None and self.task not in ("auto", decided):
            predicted = "classes" if decided == "classification" else "numbers"
            problem = f"{{}} does not fit what is predicted, {predicted}"
            raise InputError(problem, remedy="leave it out", options=[Option("task", self.task)])
        return read_shown_target(self.y, n_graphs, task=decided or self.task, name=self.name, classes=classes)


def _list_values(y: ArrayLike, n_graphs: int) -> list[Any]:
    """Return one value for each graph; raise an error unless there are as many."""
    array = value_array(y)
    if array.size != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(array.size, 'value')} in y"
        raise InputError(problem, remedy="pass one value for each graph, None where it is not known")
    return [value.item() if isinstance(value, np.generic) else value for value in array.ravel().tolist()]


def _read_known(read: Callable[[Any, int], Read], present: list[Any], known: BoolArray) -> Read:
    """Read the values that are known; errors name the position of a graph among all."""
    try:
        return read(present, len(present))
    except InputError as error:
        raise error.among(np.flatnonzero(known).tolist()) from None


def class_text(value: object) -> str:
    """Return the name of a class: whole numbers without a decimal point.

    Examples
    --------
    >>> class_text(1.0), class_text("active"), class_text(True)
    ('1', 'active', 'True')
    """
    plain = value.item() if isinstance(value, np.generic) else value
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else clean_text(plain)


def clean_text(value: object) -> str:
    """Return a text that can be written as UTF-8: bytes of other encodings, and halves of characters, become �."""
    return re.sub("[\ud800-\udfff]", "�", str(value))
