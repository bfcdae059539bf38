"""Loops over long arrays, as learning calls them from Python; nothing here is compiled, or imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.transport.native import NativeFunction
from wassergraph.transport.tasks import DecayTask, DifferenceTask, TakeTask

_take_block = NativeFunction("wassergraph.transport.vector", "take_block")
_add_differences = NativeFunction("wassergraph.transport.vector", "add_differences")
_decay = NativeFunction("wassergraph.transport.exponential", "decay")


def take_block(matrix: NDArray[Any], rows: IntArray, columns: IntArray, out: FloatArray) -> None:
    """Write ``matrix[np.ix_(rows, columns)]`` to ``out``, in a fraction of the time that NumPy takes.

    The matrix has floats of 64 or 32 bits. The positions are not checked.
    """
    given = np.ascontiguousarray(matrix)
    long, short = (given, None) if given.dtype == np.float64 else (None, given)
    chosen, others = (np.ascontiguousarray(each, dtype=np.int64) for each in (rows, columns))
    _take_block(TakeTask(len(rows), len(columns), chosen, others, matrix.shape[1], long, short, out))


def add_differences(matrix: FloatArray, weight: float, rows: FloatArray, columns: FloatArray) -> None:
    """Add ``weight * abs(rows[i] - columns[j])`` to every entry of a matrix."""
    _add_differences(DifferenceTask(len(rows), len(columns), weight, rows, columns, matrix))


def decay(x: FloatArray, rate: float, out: FloatArray) -> None:
    """Compute the exponentials of ``-rate * x``, with an error of at most two units in the last place.

    Parameters
    ----------
    x : (n) floats
        Numbers that are not negative, and not NaN.
    rate : float
        A positive number.
    out : (n) floats
        The result.
    """
    _decay(DecayTask(len(x), x, rate, out))
