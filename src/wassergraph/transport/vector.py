"""Operations that are compiled to vector instructions in loops over arrays; blocks.py calls them from Python.

A loop that keeps ``max(best, x[t])`` is compiled entry by entry: the comparison that numba makes of ``max`` is one that
LLVM does not turn into vector instructions. :func:`larger` and :func:`smaller` are the operations of LLVM itself, and
loops with them take a fraction of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.transport.compiled import compiled
from wassergraph.transport.lanes import operation
from wassergraph.transport.tasks import DifferenceTask, TakeTask


@operation(max, types.float64, types.float64, types.float64)
def larger(builder: Any, a: Any, b: Any) -> Any:
    """Return the larger of two floats, neither of which is NaN."""
    return _call(builder, "llvm.maxnum", a, b)


@operation(min, types.float64, types.float64, types.float64)
def smaller(builder: Any, a: Any, b: Any) -> Any:
    """Return the smaller of two floats, neither of which is NaN."""
    return _call(builder, "llvm.minnum", a, b)


def _call(builder: Any, name: str, a: Any, b: Any) -> Any:
    """Generate a call of an operation of LLVM on two floats."""
    function = builder.module.declare_intrinsic(name, [a.type], ir.FunctionType(a.type, [a.type, b.type]))
    return builder.call(function, [a, b], fastmath=("nnan", "nsz"))


@compiled(set())
def take_block(task: TakeTask) -> None:
    """Copy some rows and columns of a matrix of long or of short floats."""
    for i in range(task.n_rows):
        _take_row(task.rows[i] * task.width, i * task.n_columns, task, task.matrix, task.short)


@compiled(set())
def _take_row(
    row: int, place: int, task: TakeTask, matrix: FloatArray | None, short: NDArray[np.float32] | None
) -> None:
    """Copy some columns of the row that begins at a position."""
    columns, out = task.columns, task.out
    if matrix is not None:
        for j in range(task.n_columns):
            out[place + j] = matrix[row + columns[j]]
    if short is not None:
        for j in range(task.n_columns):
            out[place + j] = short[row + columns[j]]


@compiled(set())
def add_differences(task: DifferenceTask) -> None:
    """Add the weighted absolute differences of rows and columns to a matrix."""
    for i in range(task.n_rows):
        value, place = task.rows[i], i * task.n_columns
        for j in range(task.n_columns):
            task.matrix[place + j] += task.weight * abs(value - task.columns[j])
