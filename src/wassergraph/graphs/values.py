"""Values that belong to graphs, one to each, such as classes and numbers: which are missing, and of what type."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import BoolArray
from wassergraph.errors import InputError

#: What is learned: classes or numbers; "auto" decides by the values.
TaskName: TypeAlias = Literal["auto", "classification", "regression"]
DecidedTask: TypeAlias = Literal["classification", "regression"]
#: Kinds of arrays whose values can be compared, all with all: truth values, numbers, texts and times.
_COMPARABLE = "biufUSmM"


def value_array(values: ArrayLike) -> NDArray[Any]:
    """Return values as an array that keeps what a list has: None stays None beside texts, and NaN does not become one.

    Examples
    --------
    >>> value_array(["a", float("nan")]).tolist(), value_array(np.array([1, 2])).dtype.kind
    (['a', nan], 'i')
    """
    return np.asarray(values, dtype=object) if isinstance(values, list | tuple) else np.asarray(values)


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, or one of pandas' signs for a missing value."""
    is_sign = value is None or type(value).__name__ in ("NAType", "NaTType")
    return is_sign or (isinstance(value, float | np.floating) and math.isnan(value))


def missing_values(values: NDArray[Any]) -> BoolArray:
    """Return which values are missing.

    Examples
    --------
    >>> missing_values(value_array(["a", None, float("nan")])).tolist()
    [False, True, True]
    """
    if values.dtype.kind == "O":
        return np.array([is_missing(value) for value in values.ravel()], dtype=np.bool_).reshape(values.shape)
    return np.asarray(values != values, dtype=np.bool_)  # NaN and NaT differ from themselves


def decide_task(values: ArrayLike, *, most_classes: float = math.inf) -> DecidedTask:
    """Return whether values are classes or numbers.

    Numbers with fractions are numbers. Whole numbers are classes if at most two are different, or if there are at most
    ``most_classes``, with two graphs each on average; otherwise they are numbers. Everything else is classes.

    Examples
    --------
    >>> decide_task([0, 1, 1]), decide_task([1, 2, 3]), decide_task([0.5, 1.0]), decide_task(["a", "b"])
    ('classification', 'regression', 'regression', 'classification')
    """
    plain = value_array(values).ravel().tolist()
    if _have_fractions(plain):
        return "regression"
    if not plain or any(isinstance(each, bool | np.bool_) or not isinstance(each, Real) for each in plain):
        return "classification"
    n_different = len(set(plain))
    are_few = n_different <= 2 or (n_different <= most_classes and 2 * n_different <= len(plain))
    return "classification" if are_few and all(map(math.isfinite, plain)) else "regression"


def _have_fractions(values: list[Any]) -> bool:
    """Return whether some values are numbers with fractions, also if others are text, which is then an error."""
    numbers = (float(value) for value in values if isinstance(value, Real | Decimal))
    return any(math.isfinite(number) and not number.is_integer() for number in numbers)


def read_known_values(values: ArrayLike, remedy: str) -> NDArray[Any]:
    """Return the values of all graphs as an array that can be sorted; raise an error that names the first bad one.

    Parameters
    ----------
    values : (n_graphs) array
        Numbers, texts, truth values or times. Numbers that a list has among texts become texts.
    remedy : str
        What to do about a value that is missing or infinite.

    Returns
    -------
    (n_graphs) array
        The values, of one type.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or if values cannot be compared with each other.

    Examples
    --------
    >>> read_known_values([2, 1.0], "").tolist()
    [2.0, 1.0]
    >>> read_known_values(["a", None], "leave the graph out")
    Traceback (most recent call last):
    wassergraph.errors.InputError: graph 1: y is None; leave the graph out
    """
    given = value_array(values)
    infinite = [isinstance(each, float | np.floating) and math.isinf(each) for each in given.tolist()]
    bad = np.flatnonzero(missing_values(given) | infinite)
    if bad.size:
        raise InputError(f"y is {given[bad[0]]}", remedy=remedy, graph=int(bad[0]))
    several = next((position for position, each in enumerate(given) if np.ndim(each)), None)
    if several is not None:
        raise InputError(f"y is {given[several]!r}", remedy="pass one value for each graph", graph=several)
    return _of_one_type(np.asarray(values))


def _of_one_type(values: NDArray[Any]) -> NDArray[Any]:
    """Convert values that came as objects, as from a table, to the type that all of them share."""
    remedy = "pass classes that are all strings, or all numbers"
    array = values
    if values.dtype == object:
        plain = [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]
        types = {type(value) for value in plain}
        if not (types <= {int, float} or types in ({str}, {bool})):
            names = ", ".join(sorted(kind.__name__ for kind in types))
            raise InputError(f"y contains values of the types {names}", remedy=remedy)
        array = np.array(plain)
    if array.dtype == object:
        raise InputError("y contains whole numbers of more than 64 bits", remedy="pass classes as text")
    if array.dtype.kind not in _COMPARABLE:
        raise InputError(f"y contains values of the type {array.dtype}", remedy=remedy)
    return array
