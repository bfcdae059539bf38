"""Numbers and bounds from a list or a column, as text and numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.datasets.censored import sides, split_sign
from wassergraph.datasets.targets import is_number
from wassergraph.errors import InputError
from wassergraph.graphs.values import is_missing, value_array


class Bounds(NamedTuple):
    """Numbers, of which some are only bounds.

    Attributes
    ----------
    numbers : (n) floats
        The numbers, or bounds of these; NaN where there is no value.
    censored : (n) integers
        What is known of each: 0 the number, -1 that it is below, and 1 that it is above.

    See Also
    --------
    datasets.read_bounds : what returns them

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.datasets.read_bounds([">10"]).censored
    array([1])
    """

    numbers: FloatArray
    censored: IntArray


def read_bounds(values: ArrayLike) -> Bounds:
    """Read numbers of which some have a sign, such as ">10", from a list or a column of pandas.

    Parameters
    ----------
    values : (n) array
        Numbers, or texts such as "5", ">10", ">= 10", "≤0.1" and "~5", an approximate value, which is read as the
        number. None, NaN and "" are missing.

    Returns
    -------
    Bounds
        The numbers, and which of them are bounds, as ``fit`` of :class:`wassergraph.GraphGaussianProcess` takes them.

    Raises
    ------
    ValueError
        If a value is neither a number nor missing.

    See Also
    --------
    GraphGaussianProcess : a model that learns from bounds

    Examples
    --------
    >>> import wassergraph as wg
    >>> y, censored = wg.datasets.read_bounds([5.2, ">10", "<= 0.1", "~3", None])
    >>> y.tolist(), censored.tolist()
    ([5.2, 10.0, 0.1, 3.0, nan], [0, 1, -1, 0, 0])
    """
    cells = ["" if is_missing(value) else str(value).strip() for value in value_array(values).ravel().tolist()]
    signs, rest = zip(*map(split_sign, cells), strict=True) if cells else ((), ())
    numbers = np.full(len(cells), math.nan)
    for position, (cell, number) in enumerate(zip(cells, rest, strict=True)):
        if is_number(number):
            numbers[position] = float(number)
        elif cell not in ("", "nan"):
            problem = f"{cell!r} is not a number, also without a sign such as > or <"
            raise InputError(problem, remedy="correct it, or pass None if it is missing", graph=position)
    return Bounds(numbers, sides(signs))
