"""Numbers to predict: read and checked."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.invariants import count
from wassergraph.graphs.values import value_array

_CORRECT = "correct it, or leave the graph out"
_CENSORED = Option("censored")
#: What is known of a number: that it is below a bound, the number itself, or that it is above a bound.
_SIDES = {"<": -1, "=": 0, ">": 1, -1: -1, 0: 0, 1: 1}


def read_numbers(y: ArrayLike | None, n_graphs: int) -> FloatArray:
    """Read the numbers that belong to graphs.

    Parameters
    ----------
    y : (n_graphs) floats
        The number of every graph.
    n_graphs : int
        The number of graphs.

    Returns
    -------
    (n_graphs) floats

    Raises
    ------
    ValueError
        If there are fewer than two graphs, a value is not a finite number, all are equal, or there are several columns.

    Examples
    --------
    >>> read_numbers([1, 2.5], 2)
    array([1. , 2.5])
    """
    if n_graphs < 2:
        problem = f"there {'is one graph' if n_graphs == 1 else 'are no graphs'} to learn from"
        raise InputError(problem, remedy="pass two or more")
    numbers = finite_numbers(y, n_graphs)
    if numbers.min() == numbers.max():
        problem = f"all graphs have the number {numbers[0]:g}"
        raise InputError(problem, remedy="pass numbers that differ, since there is nothing else to learn")
    return numbers


def read_sides(censored: ArrayLike | None, n_graphs: int) -> IntArray | None:
    """Read which numbers are only bounds.

    Parameters
    ----------
    censored : (n_graphs) array, or None
        For each number "=" or 0, or "<" or -1 if it is only known to be below, or ">" or 1 if it is above.
    n_graphs : int
        The number of graphs.

    Returns
    -------
    (n_graphs) integers, or None
        -1, 0 or 1 for each; None if no number is a bound.

    Raises
    ------
    ValueError
        If there is another value, or if fewer than two numbers are known.

    Examples
    --------
    >>> read_sides(["=", "<", "=", ">"], 4).tolist()
    [0, -1, 0, 1]
    """
    if censored is None:
        return None
    values = value_array(censored).ravel()
    if len(values) != n_graphs:
        problem = f"there are {n_graphs} graphs, but {{}} has {count(len(values), 'value')}"
        raise InputError(problem, remedy='pass "<", "=" or ">" for each graph', options=[_CENSORED])
    sides = np.zeros(n_graphs, dtype=np.int64)
    for position, value in enumerate(values.tolist()):
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value not in _SIDES:
            problem, remedy = f"{{}} is {value!r}", 'pass "<", "=" or ">", or -1, 0 or 1'
            raise InputError(problem, remedy=remedy, options=[_CENSORED], graph=position)
        sides[position] = _SIDES[value]
    n_known = n_graphs - np.count_nonzero(sides)
    if n_known < 2:
        problem = f"{count(int(n_known), 'number')} of {n_graphs} {'is' if n_known == 1 else 'are'} known, by {{}}"
        raise InputError(problem, remedy="pass two or more that are no bounds", options=[_CENSORED])
    return sides if sides.any() else None


def finite_numbers(y: ArrayLike | None, n_graphs: int) -> FloatArray:
    """Read the numbers of graphs as :func:`read_numbers` does, of any number, which may be equal."""
    if y is None:
        raise InputError("y is None", remedy="pass the number of every graph")
    values = value_array(y)
    if values.ndim == 2 and values.shape[1] > 1:
        first = "y[:, 0]" if isinstance(y, np.ndarray) else "numpy.asarray(y)[:, 0]"
        problem = f"y has {values.shape[1]} columns, and a model predicts one number"
        raise InputError(problem, remedy=f"train one model for each column, such as {first}")
    if values.size != n_graphs:
        problem = f"there are {n_graphs} graphs, but {count(values.size, 'number')} in y"
        raise InputError(problem, remedy="pass one number for each graph")
    return _read_values(values.ravel())


def _read_values(values: NDArray[Any]) -> FloatArray:
    """Return finite floats; text, truth values, complex numbers and None are not taken for numbers."""
    numbers = np.full(len(values), np.inf)
    for position, value in enumerate(values.tolist()):
        plain = value.item() if hasattr(value, "item") else value  # an element of an array of another library
        if isinstance(plain, bool) or not isinstance(plain, Real | Decimal):
            raise _not_a_number(plain, position)
        with suppress(OverflowError):  # an integer with more than 308 digits stays infinite
            numbers[position] = plain
    infinite = np.flatnonzero(~np.isfinite(numbers))
    if infinite.size:
        raise InputError(f"y is {numbers[infinite[0]]}", remedy=_CORRECT, graph=int(infinite[0]))
    return numbers


def _not_a_number(value: object, position: int) -> InputError:
    if isinstance(value, bool):
        remedy = "learn classes with GraphClassifier, or pass 0.0 and 1.0"
        return InputError(f"y is {value}, which is a truth value", remedy=remedy, graph=position)
    remedy = "convert y to numbers, or leave the graph out" if isinstance(value, str) else _CORRECT
    return InputError(f"y is {value!r}, which is not a number", remedy=remedy, graph=position)
