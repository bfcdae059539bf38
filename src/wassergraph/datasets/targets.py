"""What is to be predicted: classes or numbers, decided by the values of a column.

- Text is classes.
- Whole numbers are classes if there are at most two different ones, or at most 20 with two rows each on average.
- All other numbers are numbers: with fractions, or with many different values.
- Text among numbers that are no classes, such as "1,5", is an error, unless most cells are text.
- Numbers with a sign, such as ">10", are numbers among others that are no classes; what is done with them is an option,
  and an error by default.

Graph labels of a TU data set are classes by their format, as many as there are, unless they cannot be: if more than two
are different, and fewer than two graphs have the same one on average. Graph attributes are numbers.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.datasets.censored import Censored, Censoring, sides, split_sign
from wassergraph.errors import InputError, Option, Place
from wassergraph.graphs.values import DecidedTask, TaskName, decide_task

#: The largest number of different whole numbers that are taken for classes.
MAX_CLASSES = 20
#: The number of classes that a description lists.
_LISTED = 10
#: Cells without a value, in lower case: in any column, and besides in columns of numbers.
_MISSING = ("", "nan")
_NO_NUMBER = ("na", "n/a", "<na>", "null", "none")
_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})")  # up to 18 digits fit into 64 bits; 01 is text
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted for graphs.

    Attributes
    ----------
    name : str or None
        The column that it is from; for numbers of a TU data set "labels" or "attributes", perhaps with the number of a
        column. None for the classes that a TU data set has by default.
    task : "classification" or "regression"
        Whether the values are classes or numbers.
    values : (n_known) array
        The classes, as integers if all of them are whole numbers and as text otherwise, or the numbers.
    positions : (n_known) integers
        The graphs that have a value, in increasing order.
    censored : (n_known) integers or None
        Which values are only bounds: -1 if the value is below the number, 1 if it is above, and 0 if it is the number;
        None if none is a bound.
    censoring : Censoring or None
        How many values of the column have a sign such as ">", and what was done with them; None if none has.
    """

    name: str | None
    task: DecidedTask
    values: NDArray[Any]
    positions: IntArray
    censored: IntArray | None = None
    censoring: Censoring | None = None

    def take(self, kept: IntArray) -> Target:
        """Return the target of some of the graphs, given by increasing positions."""
        has_value = np.isin(self.positions, kept)
        positions = np.searchsorted(kept, self.positions[has_value])
        censored = None if self.censored is None else self.censored[has_value]
        return replace(self, values=self.values[has_value], positions=positions, censored=censored)

    def to_dict(self) -> dict[str, Any]:
        """Return its name, whether it is classes or numbers, and what was done with bounds, ready for JSON."""
        bounds = {} if self.censoring is None else {"censored": self.censoring.to_dict()}
        return {"target": self.name, "task": self.task, **bounds}

    def class_counts(self) -> dict[str, int] | None:
        """Return the number of graphs in each class; None if the values are numbers."""
        if self.task == "regression":
            return None
        classes, counts = np.unique(self.values, return_counts=True)
        return dict(zip(map(str, classes), counts.tolist(), strict=True))

    def values_text(self) -> str:
        """Return the classes with their sizes, or the range of the numbers, in words."""
        counts = self.class_counts()
        if counts is None:
            low, high = (f"{number:.6g}".replace("-", "−") for number in (self.values.min(), self.values.max()))
            return f"numbers from {low} to {high}"
        listed = ", ".join(f"{name}: {number:,}" for name, number in list(counts.items())[:_LISTED])
        more = ", …" if len(counts) > _LISTED else ""
        return f"{len(counts):,} class{'' if len(counts) == 1 else 'es'} ({listed}{more})"

    def __str__(self) -> str:
        name = "" if self.name is None else f" {self.name}"
        return f"target{name}: {self.values_text()} → {self.task}"


def target_of_array(values: NDArray[Any], task: TaskName = "auto") -> Target:
    """Return the target of graphs whose format says what it is.

    Parameters
    ----------
    values : (n_graphs) integers or floats
        Integers are classes, unless there are too many different ones; floats are numbers.
    task : "auto", "classification" or "regression"
        What the values are, if not as the format says. Fractions are classes by their value, as text.

    Returns
    -------
    Target
        Without a name.
    """
    decided = _decide_array(values) if task == "auto" else task
    if decided == "regression":
        values = values.astype(np.float64)
    elif values.dtype.kind == "f":
        values = _read_classes([repr(value).removesuffix(".0") for value in values.tolist()])
    return Target(None, decided, values, np.arange(len(values)))


def _decide_array(values: NDArray[Any]) -> DecidedTask:
    return "regression" if values.dtype.kind == "f" else decide_task(values)


def read_target(
    cells: Sequence[str],
    places: Sequence[Place],
    *,
    name: str,
    task: TaskName = "auto",
    censored: Censored = "error",
) -> Target:
    """Read a column of classes or numbers.

    Parameters
    ----------
    cells : sequence of str
        The cells. An empty one and "nan" have no value; in a column of numbers neither do "NA", "N/A", "null" and
        "none". Upper and lower case are the same.
    places : sequence of Place
        Where each of them is, for messages.
    name : str
        The name of the column.
    task : "auto", "classification" or "regression"
        What the values are; "auto" decides, as the head of this module says.
    censored : "error", "drop", "value" or "likelihood"
        What to do with numbers that have a sign, in a column of numbers: raise an error; leave out those that are
        bounds, as if they had no value; or read them as the numbers, which "likelihood" does, too, for a model that
        learns from bounds. A warning counts them. Approximate values, such as "~5", are read as the numbers by all.

    Returns
    -------
    Target

    Raises
    ------
    ValueError
        If no cell has a value, or if a cell is not a number in a column of numbers.
    """
    known = rows_with_values(cells)
    if not known:
        raise _no_value(places, name, "no cell")
    values = [cells[row] for row in known]
    decided = _decide(values) if task == "auto" else task
    if decided == "classification":
        return Target(name, decided, _read_classes(values), np.array(known))
    _check_numbers(values, [places[row] for row in known], name, censored)
    target = _read_numbers(values, known, name, censored)
    if not len(target.values):
        raise _no_value(places, name, "no cell that is not censored")
    if target.censoring is not None:
        warnings.warn(target.censoring.describe(name), stacklevel=2)
    return target


def _no_value(places: Sequence[Place], name: str, what: str) -> InputError:
    file = places[0].file if places else None
    return InputError(f"{what} of the column {name!r} has a value", remedy="choose another column", file=file)


def _read_numbers(values: Sequence[str], rows: Sequence[int], name: str, how: Censored) -> Target:
    """Return the numbers of cells that are numbers, with or without a sign."""
    signs, numbers = zip(*map(split_sign, values), strict=True)
    side, array, positions = sides(signs), np.array(numbers, dtype=np.float64), np.array(rows)
    censoring = Censoring.of(signs, how)
    if how == "drop":
        return Target(name, "regression", array[side == 0], positions[side == 0], censoring=censoring)
    return Target(name, "regression", array, positions, side if side.any() else None, censoring)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number; numbers with a leading zero or more than 18 digits are text.

    Examples
    --------
    >>> [is_number(cell) for cell in ("1", "-2.50", "1e-3", "01", ">10", "nan", "")]
    [True, True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))


def has_sign(cell: str) -> bool:
    """Return whether a cell is a number with a sign of :mod:`wassergraph.datasets.censored`.

    Examples
    --------
    >>> [has_sign(cell) for cell in (">10", "≤ 1e-3", "~5", "10", "> ten", ">")]
    [True, True, True, False, False, False]
    """
    sign, rest = split_sign(cell)
    return sign != "" and is_number(rest)


def has_no_number(cell: str) -> bool:
    """Return whether a cell of a column of numbers is empty, or says that there is none.

    Examples
    --------
    >>> [has_no_number(cell) for cell in ("", "NaN", "n/a", "0", "x")]
    [True, True, True, False, False]
    """
    return cell.lower() in (*_MISSING, *_NO_NUMBER)


def rows_with_values(cells: Sequence[str]) -> list[int]:
    """Return the rows whose cells have a value."""
    known = [row for row, cell in enumerate(cells) if cell.lower() not in _MISSING]
    others = [row for row in known if cells[row].lower() not in _NO_NUMBER]
    is_plain = [is_number(cells[row]) for row in others]
    are_numbers = any(is_plain) and all(
        plain or has_sign(cells[row]) for row, plain in zip(others, is_plain, strict=True)
    )
    return others if are_numbers else known


def _decide(values: Sequence[str]) -> DecidedTask:
    """Return whether values are classes; a few cells of text do not make classes of measured numbers."""
    points = [value.replace(",", ".") for value in values]
    numbers = [float(value) for value in points if is_number(value)]
    n_signs = sum(map(has_sign, points))  # without plain numbers, these may be ranges, such as <1, 1-10 and >10
    are_most = 2 * (len(numbers) + n_signs) > len(values)
    return decide_task(numbers, most_classes=MAX_CLASSES) if numbers and are_most else "classification"


def _check_numbers(values: Sequence[str], places: Sequence[Place], name: str, censored: Censored) -> None:
    """Raise an error if cells are not numbers, or have a sign, unless these are accepted."""
    others = [row for row, value in enumerate(values) if not is_number(value)]
    signed = [row for row in others if has_sign(values[row])]
    if censored != "error":
        others = sorted(set(others) - set(signed))
    if not others:
        return
    first, *more = others
    n_numbers = len(values) - len(others)
    commas = "write numbers with a decimal point, " if "," in values[first] else ""
    options, bounds = [Option("task", "classification")], ""
    if censored == "error" and signed:
        n_signed = f"{len(signed):,} {'number has' if len(signed) == 1 else 'numbers have'}"
        bounds = f"{n_signed} a sign such as > or <: pass {{}} to leave out bounds, or {{}} to read the numbers; or "
        options = [Option("censored", "drop"), Option("censored", "value"), *options]
    raise InputError(
        f"{values[first]!r} in the column {name!r} is not a number"
        + (f", but {n_numbers:,} cell{' is' if n_numbers == 1 else 's are'}" if n_numbers else ""),
        remedy=f"{bounds}{commas}correct or empty such cells, or pass {{}} if the values are classes",
        options=options,
        file=places[first].file,
        line=places[first].line,
        also=[(places[row], repr(values[row])) for row in more[:9]],
    )


def _read_classes(values: Sequence[str]) -> NDArray[Any]:
    """Return classes: integers if all of them are whole numbers, and text otherwise."""
    if all(is_number(value) and float(value).is_integer() and abs(float(value)) < 1e18 for value in values):
        return np.array([int(value) if _INTEGER.fullmatch(value) else int(float(value)) for value in values])
    return np.array(values)
