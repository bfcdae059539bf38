"""Numbers to predict: read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError


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
    if y is None:
        raise InputError("y is None", remedy="pass the number of every graph")
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] > 1:
        problem = f"y has {values.shape[1]} columns, and a model predicts one number"
        raise InputError(problem, remedy="train one model for each column, such as y[:, 0]")
    flat = values.ravel()
    if len(flat) != n_graphs:
        problem = f"there are {n_graphs} graphs, but {len(flat)} numbers in y"
        raise InputError(problem, remedy="pass one number for each graph")
    return _check_values(flat)


def _check_values(values: Any) -> FloatArray:
    numbers = np.empty(len(values))
    for position, value in enumerate(values.tolist()):
        try:
            numbers[position] = value
        except (TypeError, ValueError):
            problem = f"y is {value!r}, which is not a number"
            raise InputError(problem, remedy="correct it, or leave the graph out", graph=position) from None
    infinite = np.flatnonzero(~np.isfinite(numbers))
    if infinite.size:
        remedy = "correct it, or leave the graph out"
        raise InputError(f"y is {numbers[infinite[0]]}", remedy=remedy, graph=int(infinite[0]))
    if numbers.min() == numbers.max():
        problem = f"all graphs have the number {numbers[0]:g}"
        raise InputError(problem, remedy="pass numbers that differ, since there is nothing else to learn")
    return numbers
