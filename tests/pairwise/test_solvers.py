"""The compiled solvers against slow and obvious ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import ot
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from wassergraph._core.testing import entropic_plan

import wassergraph as wg
from fuzz import fuzz
from made_metrics import metric_of, with_metric
from oracles import exact_distance
from wassergraph.errors import NotSolvedError
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.solve import solve
from wassergraph.pairwise.tiles import Tile
from wassergraph.search.transport_search import TransportSearch
from wassergraph.status import NOT_CONVERGED


def test_the_solver_is_right_on_graphs_that_are_made_to_be_hard():
    """`make fuzz` does the same with two hundred thousand pairs."""
    tally = fuzz(1_500, seed=19)
    assert tally.pairs >= 1_500
    assert tally.wrong == []


# Sinkhorn


def log_domain(costs, reg, tol=1e-12):
    """Return the cost of the entropic plan, by iterations in the log domain."""
    n, m = costs.shape
    f, g, a, b = np.zeros(n), np.zeros(m), -np.log(n), -np.log(m)
    while True:
        f = reg * (a - logsumexp((g - costs) / reg, axis=1))
        g = reg * (b - logsumexp((f[:, None] - costs) / reg, axis=0))
        plan = np.exp((f[:, None] + g - costs) / reg)
        if np.abs(plan.sum(axis=1) - 1 / n).sum() < tol:
            return float((plan * costs).sum())


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 6), (7, 8), (20, 33)])
@pytest.mark.parametrize("reg", [10.0, 0.3, 0.05])
def test_sinkhorn_equals_iterations_in_the_log_domain(n, m, reg):
    random = np.random.default_rng(n + m)
    one, two = random.standard_normal((n, 3)), random.standard_normal((m, 3))
    graphs = wg.from_edges([[], []], n_nodes=[n, m], node_attributes=[one, two])
    options = {"depth": 0, "kind": "continuous", "solver": "sinkhorn", "reg": reg, "tol": 1e-11, "max_iter": 10**6}
    ours = wg.distances(graphs[:1], graphs[1:], **with_metric(**{"standardize": False, **options}))[0, 0]
    costs = np.linalg.norm(one[:, None] - two, axis=2)
    np.testing.assert_allclose(ours, log_domain(costs, reg), rtol=1e-8)


@pytest.mark.parametrize("reg", [0.3, 0.1, 0.03])
def test_sinkhorn_between_equal_graphs(reg):
    random = np.random.default_rng(7)
    points = [random.standard_normal((n, 3)) for n in (1, 5, 7, 12)]
    graphs = wg.from_edges([[]] * 5, n_nodes=[1, 5, 7, 12, 12], node_attributes=[*points, points[-1]])
    options = {"depth": 0, "kind": "continuous", "solver": "sinkhorn", "reg": reg}
    distances = wg.distances(graphs, **with_metric(**{"standardize": False, **options}))
    assert distances[3, 4] == distances[3, 3] == distances[4, 4]
    assert distances[0, 0] == 0.0
    for i in (1, 2, 3):  # iterations in the log domain, beginning with equal potentials, for as long as is feasible
        costs = np.linalg.norm(points[i][:, None] - points[i], axis=2)
        np.testing.assert_allclose(distances[i, i], symmetric_log_domain(costs, reg), rtol=1e-6, atol=1e-12)


def symmetric_log_domain(costs, reg):
    """Return the cost of the entropic plan between equal graphs, by means of potentials in the log domain."""
    f = np.zeros(len(costs))
    for _ in range(2_000):
        f = 0.5 * (f + reg * (-np.log(len(costs)) - logsumexp((f - costs) / reg, axis=1)))
    plan = np.exp((f[:, None] + f - costs) / reg)
    np.testing.assert_allclose(plan.sum(axis=1), 1 / len(costs), rtol=1e-9)
    return float((plan * costs).sum())


def test_sinkhorn_ends_if_the_regularization_underflows():
    graphs = wg.from_edges([[], []], n_nodes=[3, 4], node_attributes=[1e200 * np.eye(3), 1e200 * np.ones((4, 3))])
    options = {"depth": 0, "kind": "continuous", "solver": "sinkhorn", "reg": 1e-300, "max_iter": 50}
    with pytest.raises(NotSolvedError, match="increase max_iter, reg or tol"):
        wg.distances(graphs, **with_metric(**{"standardize": False, **options}))


@given(st.integers(2, 12), st.integers(2, 12), st.floats(0.005, 1.0), st.sampled_from([1e-2, 1e-4, 1e-8]))
def test_the_marginals_of_sinkhorn_are_within_the_tolerance(n, m, reg, tol):
    random = np.random.default_rng(n * m)
    plan = random.random((n, m))
    n_iterations = entropic_plan(plan, reg, tol, 10**5)  # writes the plan over its costs
    assume(n_iterations != NOT_CONVERGED)  # as some with little regularization
    assert n_iterations > 0
    np.testing.assert_allclose(plan.sum(axis=0), 1 / m, rtol=1e-9)
    assert np.abs(plan.sum(axis=1) - 1 / n).sum() < 1.01 * tol


def test_sinkhorn_with_very_little_regularization_is_near_the_exact_distance():
    random = np.random.default_rng(3)
    graphs = wg.from_edges([[]] * 3, n_nodes=[9, 30, 70], node_attributes=[random.random((n, 2)) for n in (9, 30, 70)])
    exact = wg.distances(graphs, metric=wg.WWL(depth=0, kind="continuous", standardize=False))
    options = {"depth": 0, "kind": "continuous", "solver": "sinkhorn", "reg": 1e-3, "tol": 1e-6, "max_iter": 10**6}
    soft = wg.distances(graphs, **with_metric(**{"standardize": False, **options}))
    above = soft[np.triu_indices(3, 1)] - exact[np.triu_indices(3, 1)]
    assert (above > -1e-6).all()
    assert (above < 3e-3).all()


# Large graphs: all depths, and search


def large_trees(random, sizes, n_attributes):
    """Make random trees; without attributes their degrees are used."""
    edges = [np.column_stack([[random.integers(k) for k in range(1, n)], np.arange(1, n)]) for n in sizes]
    attributes = {"node_attributes": [random.random((n, n_attributes)) for n in sizes]} if n_attributes else {}
    return wg.from_edges(edges, n_nodes=list(sizes), symmetrize=True, **attributes)


@pytest.mark.parametrize("n_attributes", [0, 2])
def test_all_depths_of_large_graphs_equal_pot(n_attributes):
    graphs = large_trees(np.random.default_rng(1), (150, 220, 300, 400), n_attributes)
    depths = range(5)
    distances = wg.distances(graphs, metric=wg.WWL(depth=depths, kind="continuous", standardize=False))
    embedding = wg.WWL(depth=4, kind="continuous", standardize=False).embed(graphs)
    parts = np.split(embedding.points, embedding.ptr[1:-1])
    for depth in depths:
        for i, j in zip(*np.triu_indices(4, 1), strict=True):
            width = (depth + 1) * embedding.dim
            costs = cdist(parts[i][:, :width], parts[j][:, :width])
            np.testing.assert_allclose(distances[depth, i, j], ot.emd2([], [], costs, numItermax=10**7), rtol=1e-9)


def repetitive_trees(random, sizes):
    """Make trees with few labels and few different attributes, so that many nodes are equal at the first depths."""
    graphs = large_trees(random, sizes, 0)
    labels, attributes = random.integers(0, 2, graphs.n_nodes), random.integers(0, 2, (graphs.n_nodes, 1))
    return replace(graphs, node_labels=labels, node_attributes=attributes.astype(float))


REPETITIVE = {
    "continuous": {"kind": "continuous"},
    "joint": {"kind": "joint"},
    "counts": {"kind": "continuous", "mass": "count", "unmatched_cost": 0.8},
    "joint counts": {"kind": "joint", "mass": "count"},
    "weights": {"kind": "continuous"},
}


@pytest.mark.parametrize("name", REPETITIVE)
def test_depths_at_which_many_nodes_are_equal(name):
    """Pairs of more than 128 nodes are solved with the nodes that differ at a depth, if these are fewer."""
    random, depths = np.random.default_rng(4), [0, 1, 2, 4]
    sizes = (140, 170, 200, 140, 30)  # two graphs have as many nodes
    graphs = repetitive_trees(random, sizes)
    weights = random.integers(1, 5, graphs.n_nodes).astype(float) if name == "weights" else None
    embedding = metric_of(depth=4, **{"standardize": False, **REPETITIVE[name]}).embed(graphs, weights=weights)
    assert number_at(embedding, 0) < number_at(embedding, 1) < 0.8 * number_at(embedding, 4)
    distances = embedding_distances(embedding, depths=depths)
    np.testing.assert_array_equal(distances, distances.transpose(0, 2, 1))
    for slot, depth in enumerate(depths):
        alone = embedding_distances(embedding.upto(depth), depths=[depth])[0]
        np.testing.assert_allclose(distances[slot], alone, rtol=1e-9, atol=1e-12)
        for i, j in zip(*np.triu_indices(len(sizes), 1), strict=True):
            expected = exact_distance(embedding, embedding, i, j, depth)
            np.testing.assert_allclose(distances[slot, i, j], expected, rtol=1e-9)
    moved = [3, 4, 0, 2, 1]  # where a graph stands does not matter, nor on which side
    other = embedding_distances(embedding.take(moved[:2]), embedding.take(moved), depths=depths)
    np.testing.assert_array_equal(other, distances[:, moved[:2]][:, :, moved])
    tile = solve(prepare([embedding], depths, Exact()), Tile(2, 5, 0, 2))
    np.testing.assert_array_equal(tile, distances[:, 2:5, 0:2])


def number_at(embedding, depth):
    """Return how many nodes differ at a depth from all others of their graph."""
    graph = np.repeat(np.arange(len(embedding)), np.diff(embedding.ptr))
    table = [graph] + ([] if embedding.codes is None else list(embedding.codes[: depth + 1].view(np.int64)))
    coordinates = embedding.points[:, : (depth + 1) * embedding.dim].view(np.int64)
    return len(np.unique(np.column_stack([*table, coordinates]), axis=0))


@pytest.mark.parametrize("mass", ["share", "count"])
def test_search_among_large_graphs_gives_the_same_bits(mass):
    random = np.random.default_rng(2)
    graphs = large_trees(random, random.integers(60, 140, size=14), 3)
    options = {"depth": 1, "kind": "continuous", "mass": mass}
    found, _ = wg.GraphIndex(graphs[:10], **with_metric(**{"standardize": False, **options})).query(graphs[10:], k=4)
    expected = np.sort(
        wg.distances(graphs[:10], graphs[10:], **with_metric(**{"standardize": False, **options})).T, axis=1
    )[:, :4]
    np.testing.assert_array_equal(found, expected)


def test_images_of_the_search_are_centered_at_the_nodes():
    graphs = large_trees(np.random.default_rng(3), (5, 9, 12), 6)
    points = graphs.node_attributes + 1e6
    embedding = replace(wg.WWL(depth=0, kind="continuous", standardize=False).embed(graphs), points=points)
    search = TransportSearch.of(embedding, weighted=False, largest=12)
    np.testing.assert_allclose(search.arrays["center"], np.ldexp(points.mean(axis=0), -search.exponent), rtol=1e-12)
