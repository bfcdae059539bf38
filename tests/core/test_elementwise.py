"""The exponential and the logarithm of the core against Decimal, which rounds correctly; and loops over matrices."""

from __future__ import annotations

import math
from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wassergraph._core.testing import logarithms

from wassergraph import _core
from wassergraph._core import add_differences, decay, take_block

#: Forty digits, and exponents beyond those of doubles.
PRECISE = Context(prec=40, Emin=-9999, Emax=9999)


@pytest.fixture(params=_core.levels(), autouse=True)
def level(request):
    """Use one of the instruction sets that this processor has."""
    before = _core.level()
    _core.use_level(request.param)
    yield request.param
    _core.use_level(before)


def decayed(x, rate=1.0):
    """Return exp(-rate * x)."""
    x = np.asarray(x)
    out = np.full_like(x, np.nan)
    decay(x, rate, out)
    return out


def logarithm(x):
    out = np.full(len(x), np.nan)
    logarithms(np.asarray(x), out)
    return out


def errors(values, exact):
    """Return the errors of doubles in units of their last place."""
    differences = (abs(Decimal(value) - right) for value, right in zip(values.tolist(), exact, strict=True))
    return [float(each / Decimal(math.ulp(value))) for each, value in zip(differences, values.tolist(), strict=True)]


def exact_exponentials(x):
    return [PRECISE.exp(Decimal(value)) for value in x.tolist()]


# The exponential


def exponents():
    """Return exponents of all sizes: random ones, those next to multiples of log(2) / 2, and special ones."""
    rng = np.random.default_rng(0)
    halves = math.log(2) / 2 * np.arange(1, 2042)
    random = np.concatenate([rng.uniform(0, 708, 2000), rng.uniform(0, 2, 2000), 10.0 ** rng.uniform(-20, 0, 500)])
    special = [0.0, 5e-324, 1e-300, 2**-53, 2**-54, 1.0, 700.0, np.nextafter(708.0, 0.0)]
    return np.concatenate([special, random, np.nextafter(halves, 0), halves, np.nextafter(halves, 708)])


def test_exponentials_are_within_one_unit_of_the_last_place():
    x = exponents()
    assert max(errors(decayed(x), exact_exponentials(-x))) < 1.0
    assert max(errors(decayed(x, -1.0), exact_exponentials(x))) < 1.0


@pytest.mark.parametrize("rate", [1e-300, 1e-9, 0.37, 1e5, 1e300])
def test_the_exponent_is_a_rounded_product(rate):
    x = exponents() / rate
    x = x[(x < 1e308) & (rate * x < 708)]
    assert max(errors(decayed(x, rate), exact_exponentials(-(rate * x)))) < 1.0


def test_exponentials_in_single_precision_are_those_of_double_precision_rounded():
    x = np.random.default_rng(1).uniform(0, 110, 1000).astype(np.float32)
    np.testing.assert_array_equal(decayed(x, 0.7), decayed(x.astype(np.float64), 0.7).astype(np.float32))


def test_special_exponentials():
    assert decayed([0.0, -0.0, 1e-320, 5e-324]).tolist() == [1.0] * 4
    assert decayed([708.0, 708.1, 745.0, 1e9, 1.7e308, np.inf]).tolist() == [0.0] * 6  # too small for all digits
    least = decayed([np.nextafter(708.0, 0.0)])[0]
    assert least > np.finfo(np.float64).tiny
    assert decayed([1e-300, 1.0, 1e300], 1e300).tolist() == [*decayed([1.0]), 0.0, 0.0]
    assert decayed([1.0, 0.0], np.inf).tolist() == [0.0, 0.0]
    assert decayed([np.inf, 1.0], 0.0).tolist() == [0.0, 1.0]
    most = decayed([-708.0])
    assert decayed([-709.0, -1e300, -np.inf]).tolist() == most.tolist() * 3  # it grows no more


def test_what_is_no_number_becomes_zero():
    """Distances are checked before; and no other entry is spoiled."""
    x = np.array([1.0, np.nan, 2.0, -np.nan, 0.0])
    np.testing.assert_array_equal(decayed(x), np.where(np.isnan(x), 0.0, decayed(np.nan_to_num(x))))
    assert decayed(x.astype(np.float32))[1] == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", range(20))
def test_an_exponential_does_not_depend_on_where_it_is(n, dtype):
    x = np.linspace(0, 3, 24, dtype=dtype)
    np.testing.assert_array_equal(decayed(x[:n], 2.0), decayed(x, 2.0)[:n])


def test_exponentials_of_any_shape_may_replace_their_exponents():
    x = np.arange(24.0).reshape(2, 3, 4)
    expected = decayed(x)
    decay(x, 1.0, x)
    np.testing.assert_array_equal(x, expected)


# The logarithm


def positive_numbers():
    """Return positive numbers of all sizes, many of them near 1, and near powers of 2 and their roots."""
    rng = np.random.default_rng(0)
    powers = 2.0 ** np.arange(-1074, 1024)
    roots = powers[60:] * math.sqrt(0.5)
    near_one = 1 + np.outer([-1, 1], 2.0 ** rng.uniform(-52, -1, 1000)).ravel()
    random = 2.0 ** rng.uniform(-1074, 1023.9, 3000)
    special = [5e-324, 1e-310, np.finfo(float).tiny, np.nextafter(1, 0), 1.0, np.nextafter(1, 2), np.finfo(float).max]
    parts = [special, random, near_one, rng.uniform(0.5, 2, 3000), powers, roots, np.nextafter(powers[1:], 0)]
    return np.concatenate(parts)


def test_logarithms_are_within_one_unit_of_the_last_place():
    x = positive_numbers()
    x = x[x != 1.0]
    assert max(errors(logarithm(x), [PRECISE.ln(Decimal(value)) for value in x.tolist()])) < 1.0


def test_special_logarithms():
    assert logarithm([1.0, 0.0, -0.0]).tolist() == [0.0, -np.inf, -np.inf]


@given(st.floats(1e-300, 1e300))
def test_logarithms_of_exponentials(x):
    back = decayed(-logarithm([x]))[0]
    assert abs(back / x - 1) < 2e-13  # the logarithm is up to 691, and its last place that part of 1


# Matrices


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_are_those_of_numpy(dtype):
    rng = np.random.default_rng(1)
    matrix = rng.uniform(size=(12, 9)).astype(dtype)
    rows, columns = rng.permutation(12)[:5], rng.permutation(9)[:7]
    block = np.empty((5, 7))
    take_block(matrix, rows, columns, block)
    np.testing.assert_array_equal(block, matrix[np.ix_(rows, columns)])
    first, second = rng.normal(size=5), rng.normal(size=7)
    expected = block + 0.3 * np.abs(first[:, None] - second)
    add_differences(block, 0.3, first, second)
    np.testing.assert_array_equal(block, expected)


def test_blocks_without_rows_or_columns():
    nothing, matrix = np.zeros(0, dtype=np.int64), np.ones((3, 4))
    take_block(matrix, nothing, np.array([1]), np.zeros((0, 1)))
    take_block(np.ones((3, 0)), np.array([2]), nothing, np.zeros((1, 0)))
    add_differences(np.zeros((0, 2)), 1.0, np.zeros(0), np.zeros(2))
