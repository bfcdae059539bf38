"""Lower bounds of transport never exceed the distance, which a linear program computes."""

from __future__ import annotations

import math

import numba as nb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from wassergraph.search.images import Images
from wassergraph.transport import bounds, simplex
from wassergraph.transport.bounds import Alone, quantile_means, turn_points

# Functions that compiled code calls are functions of Python; here they are compiled for arrays.
dual_value, dual_bound, completed_bound = map(nb.njit, (simplex.dual_value, bounds.dual_bound, bounds.completed_bound))
image_costs, vector_bound = nb.njit(bounds.image_costs), nb.njit(bounds.vector_bound)
NOBODY = Alone(0.0, 0.0, 0.0)


def transport(costs, rows, columns):
    """Return the least cost of moving masses, by a linear program."""
    n, m = costs.shape
    constraints = np.zeros((n + m, n * m))
    for i in range(n):
        constraints[i, i * m : (i + 1) * m] = 1
    for j in range(m):
        constraints[n + j, j::m] = 1
    return linprog(costs.ravel(), A_eq=constraints, b_eq=np.concatenate([rows, columns])).fun


def counted_transport(costs, price):
    """Return the least cost of matching nodes of mass 1, where one without a partner costs the price."""
    n, m = costs.shape
    padded = np.full((n + m, n + m), 0.0)
    padded[:n, :m] = costs
    padded[:n, m:] = price
    padded[n:, :m] = price
    return transport(padded, np.ones(n + m), np.ones(n + m))


@st.composite
def problems(draw):
    """Draw two clouds of points with masses."""
    seed, n, m = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    width, spread = draw(st.integers(1, 21)), draw(st.sampled_from([0.01, 1.0, 30.0]))
    random = np.random.default_rng(seed)
    clouds = [random.normal(size=(size, width)) + spread * random.normal(size=width) for size in (n, m)]
    masses = [random.integers(1, 4, size=size) for size in (n, m)]
    return clouds, masses, random


def distances_of(clouds):
    return np.sqrt(((clouds[0][:, None] - clouds[1][None]) ** 2).sum(axis=2))


@given(problems())
def test_potentials_never_prove_too_much(drawn):
    clouds, masses, random = drawn
    costs = distances_of(clouds)
    rows, columns = (mass / mass.sum() for mass in masses)
    least = transport(costs, rows, columns)
    n, m = costs.shape
    for u in (np.zeros(n), random.normal(size=n), 10 * random.normal(size=n)):
        v = np.empty(m)
        first = dual_bound(n, m, costs.ravel(), rows, columns, u, NOBODY, v)
        completed = completed_bound(n, m, costs.ravel(), rows, columns, u, NOBODY, v)
        assert first <= completed + 1e-9 * max(1.0, abs(first))
        assert completed <= least + 1e-9 * max(1.0, least)
        assert math.isclose(first, dual_value(n, m, m, costs.ravel(), rows, columns, 0, u, np.inf, v), abs_tol=1e-12)
        np.testing.assert_allclose(v, (costs - u[:, None]).min(axis=0))


@given(problems(), st.floats(0.05, 5.0))
def test_potentials_never_prove_too_much_of_counts(drawn, price):
    clouds, _, random = drawn
    costs = np.minimum(distances_of(clouds), 2 * price)
    n, m = costs.shape
    alone = Alone(float(max(n - m, 0)), float(max(m - n, 0)), price)
    least = counted_transport(costs, price)
    for u in (np.zeros(n), random.normal(size=n)):
        v = np.empty(m)
        first = dual_bound(n, m, costs.ravel(), np.ones(n), np.ones(m), u, alone, v)
        completed = completed_bound(n, m, costs.ravel(), np.ones(n), np.ones(m), u, alone, v)
        assert first <= completed + 1e-9 * max(1.0, abs(first))
        assert completed <= least + 1e-9 * max(1.0, least)


@given(problems())
def test_relaxed_transport_moves_every_node_to_the_nearest(drawn):
    clouds, masses, _ = drawn
    costs = distances_of(clouds)
    rows, columns = (mass / mass.sum() for mass in masses)
    n, m = costs.shape
    v = np.empty(m)
    assert math.isclose(
        dual_bound(n, m, costs.ravel(), rows, columns, np.zeros(n), NOBODY, v),
        columns @ costs.min(axis=0),
        rel_tol=1e-12,
    )
    completed = completed_bound(n, m, costs.ravel(), rows, columns, np.zeros(n), NOBODY, v)
    assert completed >= columns @ costs.min(axis=0) - 1e-12


@given(problems(), st.sampled_from([1, 2, 5, 8]))
def test_vectors_never_exceed_the_distance(drawn, parts):
    clouds, masses, _ = drawn
    images = Images.of(np.vstack(clouds))
    vectors = []
    for cloud, mass in zip(clouds, masses, strict=True):
        out = np.empty(images.width * parts, dtype=np.float32)
        image = images.map(cloud)
        quantile_means(np.array([0, len(cloud)]), mass, image.ravel(), images.width, parts, out)
        vectors.append(out)
        if parts == 1:
            np.testing.assert_allclose(out, mass @ image / mass.sum(), rtol=1e-4, atol=1e-5)
    rows, columns = (mass / mass.sum() for mass in masses)
    least = transport(distances_of(clouds), rows, columns) / 2.0**images.exponent
    assert vector_bound(images.width, parts, *vectors) <= least + 1e-5


@given(problems())
@settings(max_examples=60)
def test_images_are_never_farther_apart_than_points(drawn):
    clouds, _, _ = drawn
    images = Images.of(np.vstack(clouds))
    one, two = (images.map(cloud) for cloud in clouds)
    n, m = len(one), len(two)
    costs = np.empty(n * m, dtype=np.float32)
    image_costs(n, m, one.ravel(), np.ascontiguousarray(two.T).ravel(), images.width, np.empty(m, np.float32), costs)
    true = distances_of(clouds) / 2.0**images.exponent
    apart = costs.reshape(n, m)
    np.testing.assert_allclose(apart, np.sqrt(((one[:, None] - two[None]) ** 2).sum(axis=2)), rtol=1e-4, atol=1e-5)
    assert (apart <= true + 1e-5).all()
    if images.complete:
        np.testing.assert_allclose(apart, true, atol=1e-5)


@pytest.mark.parametrize("parts", [1, 3, 4])
def test_quantile_means_of_a_simple_graph(parts):
    points = np.array([3.0, 0.0, 1.0], dtype=np.float32)
    out = np.empty(parts, dtype=np.float32)
    quantile_means(np.array([0, 3]), np.array([1, 2, 1]), points, 1, parts, out)
    sorted_with_repeats = np.repeat([0.0, 0.0, 1.0, 3.0], 12)  # every unit of mass as 12 equal ones
    np.testing.assert_allclose(out, sorted_with_repeats.reshape(parts, -1).mean(axis=1), rtol=1e-6)


def test_points_are_turned():
    random = np.random.default_rng(0)
    ptr = np.array([0, 2, 2, 5])
    points = random.normal(size=(5, 3)).astype(np.float32)
    columns = np.empty(15, dtype=np.float32)
    turn_points(ptr, points.ravel(), 3, columns)
    np.testing.assert_array_equal(columns[:6].reshape(3, 2), points[:2].T)
    np.testing.assert_array_equal(columns[6:].reshape(3, 3), points[2:].T)
