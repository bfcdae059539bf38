from __future__ import annotations

import numba as nb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wassergraph.transport.blocks import add_differences, decay, take_block
from wassergraph.transport.vector import larger, smaller


@nb.njit
def extremes(x, y):
    """Return the elementwise larger and smaller numbers, and the extremes of all, in loops as the solvers have them."""
    high, low = np.empty(len(x)), np.empty(len(x))
    most, least = -np.inf, np.inf
    for t in range(len(x)):
        high[t], low[t] = larger(x[t], y[t]), smaller(x[t], y[t])
        most, least = larger(most, x[t]), smaller(least, x[t])
    return high, low, most, least


numbers = st.floats(-1e300, 1e300)


@given(st.integers(1, 70).flatmap(lambda n: st.tuples(*[arrays(np.float64, n, elements=numbers)] * 2)))
def test_larger_and_smaller_are_those_of_numpy(pair):
    x, y = pair
    high, low, most, least = extremes(x, y)
    np.testing.assert_array_equal(high, np.maximum(x, y))
    np.testing.assert_array_equal(low, np.minimum(x, y))
    assert (most, least) == (x.max(), x.min())


@pytest.mark.parametrize("rate", [1e-300, 1e-9, 0.37, 1.0, 1e5, 1e300])
def test_decay_equals_exp(rate):
    rng = np.random.default_rng(0)
    special = [0.0, 5e-324, 1e-300, 1e-17, 0.5 * np.log(2), np.log(2), 1.0, 700.0, 707.9, 1e9, 1e300, 1.7e308]
    x = np.concatenate([special, rng.uniform(0, 50, 10_000), rng.uniform(0, 800, 10_000)])
    out = np.full(len(x), np.nan)
    decay(x, rate, out)
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(-rate * x)
    normal = expected > 1e-306
    np.testing.assert_allclose(out[normal], expected[normal], rtol=1e-15)
    assert (out[~normal] >= 0).all()
    assert (out[~normal] <= 1e-305).all()


@pytest.mark.parametrize("n", range(20))
def test_decay_of_any_length(n):
    x = np.linspace(0, 3, n)
    out = np.empty(n)
    decay(x, 2.0, out)
    np.testing.assert_allclose(out, np.exp(-2 * x), rtol=1e-15)


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
    np.testing.assert_allclose(block, expected, rtol=1e-15)
