"""The permutation test: the energy statistic against loops and scipy, ties, units and p values without differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from oracles import energy
from wassergraph.comparison.permutations import energy_test, holm


def random_distances(n: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 2))
    return np.abs(points[:, None] - points).sum(axis=2)


def run_test(distances, n_first, permutations=999, seed=0):
    return energy_test(distances, np.arange(len(distances)) < n_first, permutations, np.random.default_rng(seed))


@pytest.mark.parametrize("n_first", [2, 4, 5, 8])
def test_all_splits_are_those_of_a_slow_loop(n_first):
    distances = random_distances(10, n_first)
    result = run_test(distances, n_first)
    statistics = [energy(distances, set(chosen)) for chosen in itertools.combinations(range(10), n_first)]
    observed = energy(distances, set(range(n_first)))
    assert result.exact
    assert result.n_permutations == len(statistics) // (2 if n_first == 5 else 1)
    assert result.statistic == pytest.approx(observed)
    assert result.p_value == pytest.approx(np.mean(np.array(statistics) >= observed - 1e-9))


@pytest.mark.parametrize("n_first", [3, 4])
def test_all_splits_are_those_of_scipy(n_first):
    distances = random_distances(8, 7 + n_first)

    def statistic(first, second):
        return energy(distances, {int(i) for i in first})

    groups = (np.arange(n_first), np.arange(n_first, 8))
    expected = stats.permutation_test(groups, statistic, alternative="greater", n_resamples=np.inf)
    result = run_test(distances, n_first)
    assert result.exact
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue)


def test_random_splits_are_near_the_exact_p_value():
    distances = random_distances(14, 3)
    distances[:6, 6:] += 0.15
    distances[6:, :6] += 0.15
    exact, random = run_test(distances, 6, 3003), run_test(distances, 6, 2000)
    assert (exact.exact, random.exact) == (True, False)
    assert 0.01 < exact.p_value < 0.99
    spread = math.sqrt(exact.p_value * (1 - exact.p_value) / 2000)
    assert abs(random.p_value - exact.p_value) < 5 * spread + 1 / 2000
    assert (random.p_value * 2001) % 1 == pytest.approx(0, abs=1e-6)


def test_random_splits_in_several_chunks(monkeypatch):
    distances = random_distances(30, 5)
    expected = run_test(distances, 12, 500)
    monkeypatch.setattr("wassergraph.comparison.permutations._ENTRIES", 100)
    chunked = run_test(distances, 12, 500)
    assert chunked.statistic == pytest.approx(expected.statistic)
    assert abs(chunked.p_value - expected.p_value) < 0.15
    assert run_test(distances[:9, :9], 4).p_value == pytest.approx(
        np.mean(
            [
                energy(distances[:9, :9], set(chosen)) >= energy(distances[:9, :9], set(range(4))) - 1e-9
                for chosen in itertools.combinations(range(9), 4)
            ]
        )
    )


def test_equal_distances_are_ties():
    """Every split has the same statistic, which is 0 up to rounding."""
    distances = np.full((40, 40), 0.1)
    np.fill_diagonal(distances, 0.0)
    for n_first in (2, 13, 20, 38):
        result = run_test(distances, n_first, 99)
        assert result.p_value == 1.0
        assert result.statistic == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_the_unit_of_distances_does_not_matter(factor):
    distances = random_distances(20, 1)
    result, scaled = run_test(distances, 8), run_test(distances * factor, 8)
    assert scaled.statistic == pytest.approx(result.statistic * factor)
    assert scaled.p_value == result.p_value


def test_the_diagonal_does_not_matter():
    distances = random_distances(12, 2)
    assert run_test(distances + np.eye(12), 5) == run_test(distances, 5)


def test_p_values_are_uniform_if_groups_are_alike():
    p_values = [run_test(random_distances(24, seed), 10, 99, seed).p_value for seed in range(300)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert np.mean(np.array(p_values) <= 0.05) < 0.1


def test_p_values_of_several_tests_are_adjusted():
    # Sorted: 0.01 * 4, 0.02 * 3, 0.03 * 2 raised to the one before it, 0.9.
    np.testing.assert_allclose(holm(np.array([0.02, 0.9, 0.01, 0.03])), [0.06, 0.9, 0.04, 0.06])
    np.testing.assert_allclose(holm(np.array([0.5, 0.6])), [1.0, 1.0])
    np.testing.assert_allclose(holm(np.array([0.3])), [0.3])
