"""Eight floats at once: a type for compiled functions, whose operations are single vector instructions.

A compiler turns a loop over an array into vector instructions and a second loop, entry by entry, over what does not
fill a vector. The rows of small graphs are so short that most of the time is spent in the second one. Here rows are
padded to a multiple of eight instead, and eight entries are one value: one register of a processor with AVX-512, two
with AVX2, four with SSE2 or NEON; LLVM splits them as needed.

The positions of entries are not checked, and never negative.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import type_callable

from wassergraph.arrays import FloatArray
from wassergraph.transport.compiled import LanesType, first_entry, lower, signature_of, var_arg
from wassergraph.transport.layout import LANES

#: Eight floats; an array where nothing is compiled.
Lanes: TypeAlias = Any
#: :func:`with_numbers` replaces so many bits of a float.
NUMBER_BITS = 20

_LAST_BITS = (1 << NUMBER_BITS) - 1
_FLOATS, _WORDS, _FLAGS = (ir.VectorType(kind, LANES) for kind in (ir.DoubleType(), ir.IntType(64), ir.IntType(1)))
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)


_lanes, _floats, _places = LanesType(), types.Array(types.float64, 1, "C"), types.Array(types.int32, 1, "C")


def operation(plain: Callable[..., Any], result: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of compiled code from a function that generates it; called from Python, it is ``plain``."""

    def make(generate: Callable[..., Any]) -> Any:
        @functools.wraps(generate)
        def operation(*values: Any) -> Any:
            return plain(*values)

        @type_callable(operation)
        def typer(context: Any) -> Callable[..., Any]:
            def choose(*given: Any) -> Any:
                return signature_of(result, *map(_accepted, arguments, given))

            names = list(inspect.signature(generate).parameters.values())[1:]  # the first one is the builder
            choose.pysig = inspect.Signature(names)  # type: ignore[attr-defined]
            return choose

        @lower(operation, var_arg(types.Any))
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return generate(
                builder, *(first_entry(builder, *each) for each in zip(signature.args, values, strict=True))
            )

        return operation

    return make


def _accepted(wanted: Any, given: Any) -> Any:
    """Return the type of an argument: an array can be given by its address."""
    return given if isinstance(given, types.CPointer) and given.dtype == getattr(wanted, "dtype", None) else wanted


def _at(builder: Any, data: Any, index: Any) -> Any:
    """Generate the address of eight entries."""
    return builder.bitcast(builder.gep(data, [index]), _FLOATS.as_pointer())


def _choice(builder: Any, value: Any, places: list[int]) -> Any:
    """Generate a vector of some entries of another one."""
    mask = ir.Constant(ir.VectorType(_INT32, len(places)), places)
    return builder.shuffle_vector(value, ir.Constant(value.type, ir.Undefined), mask)


def _repeat(builder: Any, value: Any, kind: Any) -> Any:
    """Generate a vector whose entries all have one value."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_INT32, 0))
    return _choice(builder, one, [0] * LANES)


def _fold(builder: Any, value: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Generate one float from eight: halves are combined until one is left."""
    half = LANES // 2
    while half:
        low, high = (_choice(builder, value, list(range(first, first + half))) for first in (0, half))
        value = combine(low, high)
        half //= 2
    return builder.extract_element(value, ir.Constant(_INT32, 0))


def _call(builder: Any, name: str, *values: Any) -> Any:
    """Generate a call of an operation of LLVM on eight floats."""
    kind = ir.FunctionType(_FLOATS, [_FLOATS] * len(values))
    function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
        builder.module, kind, f"{name}.v{LANES}f64"
    )
    return builder.call(function, values)


# Memory


@operation(lambda array, index: array[index : index + LANES].copy(), _lanes, _floats, types.int64)
def load(builder: Any, array: Any, index: Any) -> Any:
    """Read eight entries of an array, from ``index`` on."""
    return builder.load(_at(builder, array, index), align=8)


@operation(lambda array, index: np.full(LANES, array[index]), _lanes, _floats, types.int64)
def load_repeated(builder: Any, array: Any, index: Any) -> Any:
    """Return eight times one entry of an array."""
    return _repeat(builder, builder.load(builder.gep(array, [index]), align=8), _FLOATS)


@operation(
    lambda array, first, places, index: array[first + places[index : index + LANES]],
    _lanes,
    *(_floats, types.int64, _places, types.int64),
)
def gather(builder: Any, array: Any, first: Any, places: Any, index: Any) -> Any:
    """Read the entries of an array at eight places, counted from ``first``; the places are those from ``index`` on."""
    result, data = ir.Constant(_FLOATS, ir.Undefined), builder.gep(array, [first])
    for k in range(LANES):
        place = builder.load(builder.gep(builder.gep(places, [index]), [ir.Constant(_INT32, k)]), align=4)
        entry = builder.load(builder.gep(data, [builder.sext(place, _INT64)]), align=8)
        result = builder.insert_element(result, entry, ir.Constant(_INT32, k))
    return result


def _store(array: FloatArray, index: int, value: Lanes) -> None:
    array[index : index + LANES] = value


@operation(_store, types.void, _floats, types.int64, _lanes)
def store(builder: Any, array: Any, index: Any, value: Any) -> Any:
    """Write eight entries of an array, from ``index`` on."""
    builder.store(value, _at(builder, array, index), align=8)
    return ir.Constant(ir.IntType(8).as_pointer(), None)


# Arithmetic


@operation(lambda value: np.full(LANES, value), _lanes, types.float64)
def repeat(builder: Any, value: Any) -> Any:
    """Return eight times the same float."""
    return _repeat(builder, value, _FLOATS)


@operation(np.add, _lanes, _lanes, _lanes)
def add(builder: Any, a: Any, b: Any) -> Any:
    """Return a + b."""
    return builder.fadd(a, b)


@operation(np.subtract, _lanes, _lanes, _lanes)
def subtract(builder: Any, a: Any, b: Any) -> Any:
    """Return a - b."""
    return builder.fsub(a, b)


@operation(np.multiply, _lanes, _lanes, _lanes)
def multiply(builder: Any, a: Any, b: Any) -> Any:
    """Return a * b."""
    return builder.fmul(a, b)


@operation(lambda a, b, c: a * b + c, _lanes, _lanes, _lanes, _lanes)
def multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a * b + c, rounded once where the processor can."""
    return _call(builder, "llvm.fmuladd", a, b, c)


@operation(np.sqrt, _lanes, _lanes)
def square_root(builder: Any, a: Any) -> Any:
    """Return the square roots."""
    return _call(builder, "llvm.sqrt", a)


@operation(np.minimum, _lanes, _lanes, _lanes)
def smaller(builder: Any, a: Any, b: Any) -> Any:
    """Return the smaller of a and b; b if one of them is NaN."""
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


@operation(np.maximum, _lanes, _lanes, _lanes)
def larger(builder: Any, a: Any, b: Any) -> Any:
    """Return the larger of a and b; b if one of them is NaN."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


@operation(np.min, types.float64, _lanes)
def smallest(builder: Any, a: Any) -> Any:
    """Return the smallest entry."""
    return _fold(builder, a, lambda x, y: builder.select(builder.fcmp_ordered("<", x, y), x, y))


@operation(np.max, types.float64, _lanes)
def largest(builder: Any, a: Any) -> Any:
    """Return the largest entry."""
    return _fold(builder, a, lambda x, y: builder.select(builder.fcmp_ordered(">", x, y), x, y))


def _sum_of_halves(a: Lanes) -> float:
    while len(a) > 1:
        a = a[: len(a) // 2] + a[len(a) // 2 :]
    return float(a[0])


@operation(_sum_of_halves, types.float64, _lanes)
def total(builder: Any, a: Any) -> Any:
    """Return the sum of the entries: halves are added until one is left."""
    return _fold(builder, a, builder.fadd)


# Bits


#: Added to a float, this rounds it to a whole number, which is then in its last bits.
ROUND = 6755399441055744.0


def _scaled(a: Lanes, rounded: Lanes) -> Lanes:
    return np.ldexp(a, (rounded - ROUND).astype(np.int64))


@operation(_scaled, _lanes, _lanes, _lanes)
def scale_by_power(builder: Any, a: Any, rounded: Any) -> Any:
    """Return a times two to the power of ``rounded - ROUND``; neither a nor the result may be subnormal."""
    power = builder.shl(builder.bitcast(rounded, _WORDS), ir.Constant(_WORDS, [52] * LANES))
    return builder.bitcast(builder.add(builder.bitcast(a, _WORDS), power), _FLOATS)


def _kept(bits: int, a: Lanes) -> Lanes:
    return np.where(((int(bits) & 255) >> np.arange(LANES)) & 1, a, 0.0)


@operation(_kept, _lanes, types.uint64, _lanes)
def keep(builder: Any, bits: Any, a: Any) -> Any:
    """Return the entries whose bit is set, and 0 in place of the others."""
    flags = builder.bitcast(builder.trunc(bits, ir.IntType(LANES)), _FLAGS)
    return builder.select(flags, a, ir.Constant(_FLOATS, [0.0] * LANES))


@operation(lambda x, least, a: np.where(x > least, a, 0.0), _lanes, _lanes, _lanes, _lanes)
def keep_above(builder: Any, x: Any, least: Any, a: Any) -> Any:
    """Return the entries of a where x exceeds ``least``, and 0 in place of the others."""
    return builder.select(builder.fcmp_ordered(">", x, least), a, ir.Constant(_FLOATS, [0.0] * LANES))


def _numbered(a: Lanes, first: int) -> Lanes:
    words = a.view(np.int64) & ~_LAST_BITS
    return (words | (first + np.arange(LANES))).view(np.float64)


@operation(_numbered, _lanes, _lanes, types.int64)
def with_numbers(builder: Any, a: Any, first: Any) -> Any:
    """Replace the last bits of the entries by the numbers from ``first`` on; their signs stay.

    The smallest of many such entries then tells its number, for one comparison each.
    """
    mask = ir.Constant(_WORDS, [~_LAST_BITS] * LANES)
    numbers = builder.add(_repeat(builder, first, _WORDS), ir.Constant(_WORDS, list(range(LANES))))
    words = builder.or_(builder.and_(builder.bitcast(a, _WORDS), mask), numbers)
    return builder.bitcast(words, _FLOATS)


@operation(lambda value: int(np.float64(value).view(np.int64)) & _LAST_BITS, types.int64, types.float64)
def number_of(builder: Any, value: Any) -> Any:
    """Return the number in the last bits of a float."""
    return builder.and_(builder.bitcast(value, _INT64), ir.Constant(_INT64, _LAST_BITS))
