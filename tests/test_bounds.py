"""Lower bounds of transport never exceed the distance, which a linear program computes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from wassergraph.arrays import FloatArray
from wassergraph.search.images import Images
from wassergraph.transport import bounds, simplex
from wassergraph.transport.bounds import Alone
from wassergraph.transport.compiled import compiled
from wassergraph.transport.native import NativeFunction
from wassergraph.transport.quantiles import vector_bound
from wassergraph.transport.search_tasks import VectorTask
from wassergraph.transport.searching import _add_vector_bounds, quantile_means, turn_points

NOBODY = Alone(0.0, 0.0, 0.0)


class DualTask(NamedTuple):
    """Potentials u, and what they prove: the value of the dual problem, the bound, and the completed one."""

    n: int
    m: int
    costs: FloatArray
    rows: FloatArray
    columns: FloatArray
    u: FloatArray
    alone: Alone
    v: FloatArray
    out: FloatArray


@compiled(set())
def prove(task: DualTask) -> None:
    n, m, costs, u, v, out = task.n, task.m, task.costs, task.u, task.v, task.out
    out[0] = simplex.dual_value(n, m, m, costs, task.rows, task.columns, 0, u, np.inf, v)
    out[1] = bounds.completed_bound(n, m, costs, task.rows, task.columns, u, task.alone, v)
    out[2] = bounds.dual_bound(n, m, costs, task.rows, task.columns, u, task.alone, v)


class ImageTask(NamedTuple):
    """Images, whose distances are sought."""

    n: int
    m: int
    one: NDArray[np.float32]
    two: NDArray[np.float32]
    width: int
    squares: NDArray[np.float32]
    costs: NDArray[np.float32]


@compiled(set())
def compare_images(task: ImageTask) -> None:
    bounds.image_costs(task.n, task.m, task.one, task.two, task.width, task.squares, task.costs)


native_prove, native_compare = NativeFunction(__name__, "prove"), NativeFunction(__name__, "compare_images")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Store machine code where no other version of this file looks for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def proved(costs, rows, columns, u, alone=NOBODY):
    """Return the value of the dual problem, the bound of potentials, the completed one, and the other potentials."""
    n, m = costs.shape
    task = DualTask(n, m, costs, rows, columns, u, alone, np.empty(m), np.empty(3))
    native_prove(task)
    value, completed, first = task.out.tolist()
    return value, first, completed, task.v


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
    n = len(costs)
    for u in (np.zeros(n), random.normal(size=n), 10 * random.normal(size=n)):
        value, first, completed, v = proved(costs, rows, columns, u)
        assert first <= completed + 1e-9 * max(1.0, abs(first))
        assert completed <= least + 1e-9 * max(1.0, least)
        assert math.isclose(first, value, abs_tol=1e-12)
        np.testing.assert_allclose(v, (costs - u[:, None]).min(axis=0))


@given(problems(), st.floats(0.05, 5.0))
def test_potentials_never_prove_too_much_of_counts(drawn, price):
    clouds, _, random = drawn
    costs = np.minimum(distances_of(clouds), 2 * price)
    n, m = costs.shape
    alone = Alone(float(max(n - m, 0)), float(max(m - n, 0)), price)
    least = counted_transport(costs, price)
    for u in (np.zeros(n), random.normal(size=n)):
        _, first, completed, _ = proved(costs, np.ones(n), np.ones(m), u, alone)
        assert first <= completed + 1e-9 * max(1.0, abs(first))
        assert completed <= least + 1e-9 * max(1.0, least)


@given(problems())
def test_relaxed_transport_moves_every_node_to_the_nearest(drawn):
    clouds, masses, _ = drawn
    costs = distances_of(clouds)
    rows, columns = (mass / mass.sum() for mass in masses)
    _, first, completed, _ = proved(costs, rows, columns, np.zeros(len(costs)))
    assert math.isclose(first, columns @ costs.min(axis=0), rel_tol=1e-12)
    assert completed >= columns @ costs.min(axis=0) - 1e-12


@given(problems(), st.sampled_from([1, 2, 5, 8]))
def test_vectors_never_exceed_the_distance(drawn, parts):
    clouds, masses, _ = drawn
    images = Images.of(np.vstack(clouds))
    vectors = []
    for cloud, mass in zip(clouds, masses, strict=True):
        image = images.map(cloud)
        out = quantile_means(np.array([0, len(cloud)]), mass, image.ravel(), images.width, parts)
        vectors.append(out)
        if parts == 1:
            np.testing.assert_allclose(out, mass @ image / mass.sum(), rtol=1e-4, atol=1e-5)
    rows, columns = (mass / mass.sum() for mass in masses)
    least = transport(distances_of(clouds), rows, columns) / 2.0**images.exponent
    found, graphs, reach = np.array([1.0]), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.float32)
    _add_vector_bounds(VectorTask(1, graphs, images.width, parts, *vectors, 0.0, reach, 1.0, found))
    assert found[0] - 1.0 <= least + 1e-5
    assert math.isclose(found[0] - 1.0, vector_bound(images.width, parts, *vectors), rel_tol=1e-5, abs_tol=1e-5)


@given(problems())
@settings(max_examples=60)
def test_images_are_never_farther_apart_than_points(drawn):
    clouds, _, _ = drawn
    images = Images.of(np.vstack(clouds))
    one, two = (images.map(cloud) for cloud in clouds)
    n, m = len(one), len(two)
    costs = np.empty(n * m, dtype=np.float32)
    native_compare(
        ImageTask(n, m, one, np.ascontiguousarray(two.T), images.width, np.empty(m, dtype=np.float32), costs)
    )
    true = distances_of(clouds) / 2.0**images.exponent
    apart = costs.reshape(n, m)
    np.testing.assert_allclose(apart, np.sqrt(((one[:, None] - two[None]) ** 2).sum(axis=2)), rtol=1e-4, atol=1e-5)
    assert (apart <= true + 1e-5).all()
    if images.complete:
        np.testing.assert_allclose(apart, true, atol=1e-5)


@pytest.mark.parametrize("parts", [1, 3, 4])
def test_quantile_means_of_a_simple_graph(parts):
    points = np.array([3.0, 0.0, 1.0], dtype=np.float32)
    out = quantile_means(np.array([0, 3]), np.array([1, 2, 1]), points, 1, parts)
    sorted_with_repeats = np.repeat([0.0, 0.0, 1.0, 3.0], 12)  # every unit of mass as 12 equal ones
    np.testing.assert_allclose(out, sorted_with_repeats.reshape(parts, -1).mean(axis=1), rtol=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 70))
def test_quantile_means_are_those_of_a_stable_order(seed, n):
    """Some of the points are equal, of different masses; the second graph has one node."""
    random = np.random.default_rng(seed)
    points, mass = random.integers(0, 9, size=(n + 1, 2)).astype(np.float32), random.integers(1, 5, size=n + 1)
    out = quantile_means(np.array([0, n, n + 1]), mass, points.ravel(), 2, 3).reshape(2, 2, 3)
    for c in range(2):
        order = np.argsort(points[:n, c], kind="stable")
        units = np.repeat(points[order, c], 3 * mass[order])  # every unit of mass as three equal ones
        np.testing.assert_allclose(out[0, c], units.reshape(3, -1).mean(axis=1), rtol=1e-5)
        np.testing.assert_array_equal(out[1, c], points[n, c])


def test_points_are_turned():
    random = np.random.default_rng(0)
    ptr = np.array([0, 2, 2, 5])
    points = random.normal(size=(5, 3)).astype(np.float32)
    columns = turn_points(ptr, points.ravel(), 3)
    assert columns.dtype == np.float32
    np.testing.assert_array_equal(columns[:6].reshape(3, 2), points[:2].T)
    np.testing.assert_array_equal(columns[6:].reshape(3, 3), points[2:].T)
