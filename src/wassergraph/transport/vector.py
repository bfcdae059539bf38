"""Operations that are compiled to vector instructions in loops over arrays.

A loop that keeps ``max(best, x[t])`` is compiled entry by entry: the comparison that numba makes of ``max`` is one that
LLVM does not turn into vector instructions. :func:`larger` and :func:`smaller` are the operations of LLVM itself, and
loops with them take a fraction of the time. Likewise, :func:`decay` computes several exponentials at once; NumPy does
so on some processors only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba as nb
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray


def _operation(name: str, plain: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """Return an operation of LLVM on two floats, or the same in Python where nothing is compiled."""
    if nb.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return plain

    def declare(context: Any, first: Any, second: Any) -> Any:
        return nb.float64(nb.float64, nb.float64), generate

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = values[0].type
        function = builder.module.declare_intrinsic(name, [kind], ir.FunctionType(kind, [kind, kind]))
        return builder.call(function, values, fastmath=("nnan", "nsz"))

    return cast(Callable[[float, float], float], intrinsic(declare))


#: The larger, and the smaller, of two floats, neither of which is NaN; for compiled functions.
larger = _operation("llvm.maxnum", max)
smaller = _operation("llvm.minnum", min)

#: Exponents below this give 0: most of their exponentials are not normal floats, which have fewer digits.
_LEAST = -708.0
_LOG2_E = 1.4426950408889634
#: The logarithm of 2 as a sum; the product of the first part with a whole number below 2048 is exact.
_LOG_2 = 0.6931471803691238
_LOG_2_REST = 1.9082149292705877e-10
#: Added to a float, this rounds it to a whole number, which is then in the lowest bits.
_ROUND = 6755399441055744.0


@nb.njit(nogil=True, cache=True)
def take_block(matrix: NDArray[Any], rows: IntArray, columns: IntArray, out: FloatArray) -> None:
    """Write ``matrix[np.ix_(rows, columns)]`` to ``out``, in a fraction of the time that NumPy takes.

    The positions are not checked.
    """
    for i in range(len(rows)):
        row, part = matrix[rows[i]], out[i]
        for j in range(len(columns)):
            part[j] = row[columns[j]]


@nb.njit(nogil=True, cache=True)
def add_differences(matrix: FloatArray, weight: float, rows: FloatArray, columns: FloatArray) -> None:
    """Add ``weight * abs(rows[i] - columns[j])`` to every entry of a matrix."""
    for i in range(len(rows)):
        for j in range(len(columns)):
            matrix[i, j] += weight * abs(rows[i] - columns[j])


@nb.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def decay(x: FloatArray, rate: float, out: FloatArray) -> None:
    """Compute the exponentials of ``-rate * x``, with an error of at most two units in the last place.

    With k the whole number next to v / log 2, exp(v) is 2ᵏ times exp(r), and r is at most log(2) / 2 in size: there
    the Taylor polynomial of degree 13 is exact up to rounding.

    Parameters
    ----------
    x : (n) floats
        Numbers that are not negative, and not NaN.
    rate : float
        A positive number.
    out : (n) floats
        The result.
    """
    bits = out.view(np.int64)
    for t in range(len(x)):
        exponent = -rate * x[t]
        inside = exponent > _LEAST
        exponent = exponent if inside else 0.0
        rounded = exponent * _LOG2_E + _ROUND
        out[t] = rounded
        power = bits[t]
        k = rounded - _ROUND
        r = exponent - k * _LOG_2 - k * _LOG_2_REST
        value = 1.0 / 6227020800.0
        value = value * r + 1.0 / 479001600.0
        value = value * r + 1.0 / 39916800.0
        value = value * r + 1.0 / 3628800.0
        value = value * r + 1.0 / 362880.0
        value = value * r + 1.0 / 40320.0
        value = value * r + 1.0 / 5040.0
        value = value * r + 1.0 / 720.0
        value = value * r + 1.0 / 120.0
        value = value * r + 1.0 / 24.0
        value = value * r + 1.0 / 6.0
        value = value * r + 0.5
        value = value * r + 1.0
        value = value * r + 1.0
        out[t] = value
        bits[t] += power << 52
        out[t] = out[t] if inside else 0.0
