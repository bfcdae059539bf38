"""Exponentials, eight at once: NumPy computes several at once on some processors only."""

from __future__ import annotations

from wassergraph.transport.compiled import compiled
from wassergraph.transport.lanes import (
    ROUND,
    Lanes,
    keep_above,
    larger,
    load,
    load_repeated,
    multiply,
    multiply_add,
    repeat,
    scale_by_power,
    smaller,
    smallest,
    store,
    subtract,
)
from wassergraph.transport.layout import LANES
from wassergraph.transport.tasks import DecayTask

_LOG2_E = 1.4426950408889634
#: The logarithm of 2 as a sum; the product of the first part with a whole number below 2048 is exact.
_LOG_2, _LOG_2_REST = 0.6931471803691238, 1.9082149292705877e-10
#: Exponents below this give 0 in :func:`decay`: most of their exponentials are not normal floats, with fewer digits.
_LEAST = -708.0


@compiled(set())
def decay(task: DecayTask) -> None:
    """Compute the exponentials of ``-rate * x``."""
    x, out, n, rate = task.x, task.out, task.n, repeat(-task.rate)
    whole = n // LANES * LANES
    for t in range(0, whole, LANES):
        store(out, t, _exponential_or_zero(multiply(load(x, t), rate)))
    for t in range(whole, n):
        out[t] = smallest(_exponential_or_zero(multiply(load_repeated(x, t), rate)))


@compiled(set())
def _exponential_or_zero(x: Lanes) -> Lanes:
    return keep_above(x, repeat(_LEAST), exponential(x))


@compiled(set())
def exponential(x: Lanes) -> Lanes:
    """Return the exponentials of eight floats, within 1e-15 of them; below -708 and above 708 they no longer change.

    With k the whole number next to x / log 2, exp(x) is 2ᵏ times exp(r), and r is at most log(2) / 2 in size: there
    the Taylor polynomial of degree 13 is exact up to rounding.
    """
    x = smaller(larger(x, repeat(-708.0)), repeat(708.0))
    rounded = multiply_add(x, repeat(_LOG2_E), repeat(ROUND))
    k = subtract(rounded, repeat(ROUND))
    r = multiply_add(k, repeat(-_LOG_2), x)
    r = multiply_add(k, repeat(-_LOG_2_REST), r)
    value = repeat(1.0 / 6227020800.0)
    value = multiply_add(value, r, repeat(1.0 / 479001600.0))
    value = multiply_add(value, r, repeat(1.0 / 39916800.0))
    value = multiply_add(value, r, repeat(1.0 / 3628800.0))
    value = multiply_add(value, r, repeat(1.0 / 362880.0))
    value = multiply_add(value, r, repeat(1.0 / 40320.0))
    value = multiply_add(value, r, repeat(1.0 / 5040.0))
    value = multiply_add(value, r, repeat(1.0 / 720.0))
    value = multiply_add(value, r, repeat(1.0 / 120.0))
    value = multiply_add(value, r, repeat(1.0 / 24.0))
    value = multiply_add(value, r, repeat(1.0 / 6.0))
    value = multiply_add(value, r, repeat(0.5))
    value = multiply_add(value, r, repeat(1.0))
    value = multiply_add(value, r, repeat(1.0))
    return scale_by_power(value, rounded)
