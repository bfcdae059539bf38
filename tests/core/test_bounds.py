"""Lower bounds of transport never exceed the distance, which a linear program computes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import wassergraph as wg
from wassergraph import _core
from wassergraph.pairwise.layout import by_coordinate
from wassergraph.search.images import Images
from wassergraph.search.making import make_searcher
from wassergraph.status import NOT_STARTED


def proved(costs, rows, columns, u, **alone):
    """Return the bound of potentials, the completed one, and the potentials of the columns."""
    short = (np.asarray(each, dtype=np.float32) for each in (costs, rows, columns, u))
    return _core.testing.dual_bounds(*short, **alone)


def near(value):
    """Return how wrong a bound from floats may be."""
    return 1e-5 * max(1.0, abs(value))


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
        first, completed, v = proved(costs, rows, columns, u)
        best = (costs - u[:, None]).min(axis=0)
        assert first <= completed + near(first)
        assert completed <= least + near(np.abs(costs).max() + np.abs(u).max())
        assert math.isclose(first, columns @ best + rows @ u, abs_tol=near(np.abs(costs).max() + np.abs(u).max()))
        np.testing.assert_allclose(v, best, rtol=1e-5, atol=1e-4)


@given(problems(), st.floats(0.05, 5.0))
def test_potentials_never_prove_too_much_of_counts(drawn, price):
    clouds, _, random = drawn
    costs = np.minimum(distances_of(clouds), 2 * price)
    n, m = costs.shape
    alone = {"lack": float(max(n - m, 0)), "excess": float(max(m - n, 0)), "price": price}
    least = counted_transport(costs, price)
    for u in (np.zeros(n), random.normal(size=n)):
        first, completed, _ = proved(costs, np.ones(n), np.ones(m), u, **alone)
        assert first <= completed + near(first)
        assert completed <= least + near(least)


@given(problems())
def test_relaxed_transport_moves_every_node_to_the_nearest(drawn):
    clouds, masses, _ = drawn
    costs = distances_of(clouds)
    rows, columns = (mass / mass.sum() for mass in masses)
    first, completed, _ = proved(costs, rows, columns, np.zeros(len(costs)))
    relaxed = columns @ costs.min(axis=0)
    assert math.isclose(first, relaxed, rel_tol=1e-5)
    assert completed >= relaxed - near(relaxed)
    assert completed >= rows @ (costs - costs.min(axis=0)).min(axis=1) + relaxed - near(relaxed)


@given(problems(), st.sampled_from([1, 2, 5, 8]))
def test_vectors_never_exceed_the_distance(drawn, parts):
    clouds, masses, _ = drawn
    images = Images.of(np.vstack(clouds))
    vectors = []
    for cloud, mass in zip(clouds, masses, strict=True):
        image = images.map(cloud)
        out = _core.quantile_means(np.array([0, len(cloud)]), mass, image, parts)
        vectors.append(out.reshape(images.width, parts))
        if parts == 1:
            np.testing.assert_allclose(out, mass @ image / mass.sum(), rtol=1e-4, atol=1e-5)
    rows, columns = (mass / mass.sum() for mass in masses)
    least = transport(distances_of(clouds), rows, columns) / 2.0**images.exponent
    bound = _core.testing.vector_bound(*vectors)
    apart = np.abs(vectors[0].astype(float) - vectors[1]).mean(axis=1)
    assert bound <= least + 1e-5
    assert math.isclose(bound, math.sqrt((apart**2).sum()), rel_tol=1e-5, abs_tol=2e-5)


@given(problems())
@settings(max_examples=60)
def test_images_are_never_farther_apart_than_points(drawn):
    clouds, _, _ = drawn
    images = Images.of(np.vstack(clouds))
    one, two = (images.map(cloud) for cloud in clouds)
    apart = np.empty((len(one), len(two)), dtype=np.float32)
    _core.testing.image_costs(one, two, apart)
    true = distances_of(clouds) / 2.0**images.exponent
    np.testing.assert_allclose(apart, np.sqrt(((one[:, None] - two[None]) ** 2).sum(axis=2)), rtol=1e-4, atol=1e-5)
    assert (apart <= true + 1e-5).all()
    if images.complete:
        np.testing.assert_allclose(apart, true, atol=1e-5)


@pytest.mark.parametrize("parts", [1, 3, 4])
def test_quantile_means_of_a_simple_graph(parts):
    points = np.array([3.0, 0.0, 1.0], dtype=np.float32)
    out = _core.quantile_means(np.array([0, 3]), np.array([1, 2, 1]), points[:, None], parts)
    sorted_with_repeats = np.repeat([0.0, 0.0, 1.0, 3.0], 12)  # every unit of mass as 12 equal ones
    np.testing.assert_allclose(out, sorted_with_repeats.reshape(parts, -1).mean(axis=1), rtol=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 70))
def test_quantile_means_are_those_of_a_stable_order(seed, n):
    """Some of the points are equal, of different masses; the second graph has one node."""
    random = np.random.default_rng(seed)
    points, mass = random.integers(0, 9, size=(n + 1, 2)).astype(np.float32), random.integers(1, 5, size=n + 1)
    out = _core.quantile_means(np.array([0, n, n + 1]), mass, points, 3).reshape(2, 2, 3)
    for c in range(2):
        order = np.argsort(points[:n, c], kind="stable")
        units = np.repeat(points[order, c], 3 * mass[order])  # every unit of mass as three equal ones
        np.testing.assert_allclose(out[0, c], units.reshape(3, -1).mean(axis=1), rtol=1e-5)
        np.testing.assert_array_equal(out[1, c], points[n, c])


def test_points_are_stored_by_coordinate():
    random = np.random.default_rng(0)
    ptr = np.array([0, 2, 2, 5])
    points = random.normal(size=(5, 3)).astype(np.float32)
    columns = by_coordinate(ptr, points.ravel(), 3)
    assert columns.dtype == np.float32
    np.testing.assert_array_equal(columns[:6].reshape(3, 2), points[:2].T)
    np.testing.assert_array_equal(columns[6:].reshape(3, 3), points[2:].T)


# Wrong arrays


def search_of(n_graphs=5):
    """Return the arguments of a search among small graphs with labels, by name."""
    graphs, _ = wg.load_dataset("demo")
    searcher = make_searcher(wg.WWL(depth=1, kind="joint").embed(graphs[:n_graphs]), weighted=False, largest=1)
    packed = searcher._packed
    return {
        "library": packed.library,
        "queries": packed.library,
        "position": 1,
        "rules": searcher._rules.at_depth(np.zeros(1, dtype=np.bool_)),
        "images": searcher._image_rules(packed, 1, 0.0),
        "bounds": np.zeros(n_graphs),
        "apart": np.zeros(n_graphs),
        "k": 2,
        "radius": np.inf,
        "counts": np.zeros(4, dtype=np.int64),
    }


def test_a_right_search_finds_the_query_itself():
    given = search_of()
    status, graphs, values = _core.find_nearest(**given)
    assert status == 0
    assert given["counts"].sum() == 5
    assert values[graphs == 1] == 0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("position", lambda position: -1),
        ("position", lambda position: 5),
        ("k", lambda k: 0),
        ("k", lambda k: 6),
        ("bounds", lambda bounds: bounds[:4]),
        ("bounds", lambda bounds: np.where(np.arange(5) == 0, np.nan, bounds)),
        ("bounds", lambda bounds: bounds - np.inf),
        ("apart", lambda apart: apart + np.nan),
        ("radius", lambda radius: np.nan),
        ("images", lambda images: images._replace(reach=np.inf)),
        ("bounds", lambda bounds: bounds.astype(np.float32)),
        ("apart", lambda apart: apart[::2]),
        ("counts", lambda counts: counts[:3]),
        ("library", lambda library: library._replace(ptr=library.ptr[:-1])),
        ("library", lambda library: library._replace(ptr=library.ptr + 1)),
        ("library", lambda library: library._replace(ptr=np.sort(library.ptr)[::-1].copy())),
        ("library", lambda library: library._replace(ptr=np.zeros_like(library.ptr))),
        ("library", lambda library: library._replace(mass=library.mass[:-1])),
        ("library", lambda library: library._replace(total=-library.total)),
        ("library", lambda library: library._replace(columns=library.columns[:-1])),
        ("library", lambda library: library._replace(codes=library.codes[:1])),
        ("library", lambda library: library._replace(image=library.image[:-1])),
        ("library", lambda library: library._replace(means=library.means.astype(float))),
        ("queries", lambda library: library._replace(parts=library.parts[:-1])),
        ("queries", lambda library: library._replace(reach=library.reach[:-1])),
        ("images", lambda images: images._replace(width=images.width + 1)),
        ("images", lambda images: images._replace(width=-1)),
        ("images", lambda images: images._replace(width=2**62)),
        ("images", lambda images: images._replace(n_parts=0)),
        ("images", lambda images: images._replace(scale=0.0)),
        ("rules", lambda rules: rules._replace(wanted=np.ones_like(rules.wanted))),
        ("rules", lambda rules: rules._replace(width=2**62)),
        ("rules", lambda rules: rules._replace(counted=True)),
    ],
)
def test_wrong_arrays_are_errors(name, change):
    given = search_of()
    given[name] = change(given[name])
    with pytest.raises((TypeError, ValueError)):
        _core.find_nearest(**given)


@pytest.mark.parametrize("factor", [2, 2**58])
def test_masses_that_do_not_fit_are_not_solved(factor):
    given = search_of()
    library = given["library"]
    given["library"] = library._replace(
        mass=factor * library.mass, total=(1 if factor == 2 else factor) * library.total
    )
    status, graphs, _ = _core.find_nearest(**given)
    assert status == NOT_STARTED
    assert len(graphs) == 1


def test_a_search_is_the_same_on_every_level():
    found, before = [], _core.level()
    for level in _core.levels():
        _core.use_level(level)
        given = search_of(30)
        _, graphs, values = _core.find_nearest(**given)
        found.append((graphs.tolist(), values.tobytes(), given["counts"].tolist()))
    _core.use_level(before)
    assert all(each == found[0] for each in found)
