"""Numbers that are hard on floats: very large and small ones, outliers, weights, and what else can go wrong."""

from __future__ import annotations

import threading
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from wassergraph._core.testing import Simplex

import wassergraph as wg
from made_metrics import solver_of, with_metric
from strategies import batches
from wassergraph import _core
from wassergraph.errors import NotSolvedError
from wassergraph.explain import transport
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.layout import Rules
from wassergraph.pairwise.masses import integer_masses, weighted_total
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.solve import solve
from wassergraph.pairwise.tiles import Tile
from wassergraph.pairwise.work import tiles
from wassergraph.status import NOT_STARTED, STOPPED

KINDS = ["categorical", "continuous", "joint"]


def dots(*graphs, labels=False) -> wg.GraphBatch:
    """Make graphs without edges, of one array of attributes (n, d) each; labels count the nodes of a graph."""
    sizes = [len(points) for points in graphs]
    data = {"node_labels": [np.arange(n) for n in sizes]} if labels else {}
    return wg.from_edges([[] for _ in graphs], n_nodes=sizes, node_attributes=list(graphs), **data)


def clouds(*sizes, dim=2, seed=0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, dim)) for n in sizes]


@pytest.fixture(scope="module")
def demo():
    return wg.datasets.make_demo()[0]


# Costs that are no numbers


@pytest.mark.parametrize("kind", ["auto", "continuous", "joint"])
def test_attributes_without_columns_are_refused(kind):
    graphs = dots(np.zeros((3, 0)), np.zeros((2, 0)), labels=True)
    with pytest.raises(ValueError, match=r"the node attributes have no columns; .* node_attributes=None"):
        wg.distances(graphs, metric=wg.WWL(kind=kind, standardize=False))
    with pytest.raises(ValueError, match="the node attributes have no columns"):
        wg.transport_plan(graphs, 0, 1, metric=wg.WWL(kind=kind, standardize=False))


def test_a_share_of_nothing_for_huge_attributes_is_nothing():
    graphs = dots(*(1e200 * points for points in clouds(20, 23, dim=3)), labels=True)
    options = {"kind": "joint", "label_weight": 1.0, "depth": 1}
    expected = wg.distances(graphs, metric=wg.WWL(depth=1, kind="categorical"))
    np.testing.assert_allclose(
        wg.distances(graphs, **with_metric(**{"standardize": False, **options})), expected, rtol=1e-12
    )
    assert wg.transport_plan(graphs, 0, 1, **with_metric(**{"standardize": False, **options})).cost == pytest.approx(
        expected[0, 1]
    )


@pytest.mark.parametrize(
    ("cost", "supply", "demand", "status"),
    [
        (0.0, [6, 6], [5, 7], 0),
        (0.0, [6, 6], [5, 0], NOT_STARTED),
        (0.0, [0, 0], [5, 7], NOT_STARTED),
        (0.0, [5, 5], [5, 5], NOT_STARTED),  # a tree of two parts
        (np.inf, [5, 5], [5, 5], NOT_STARTED),
        (np.nan, [5, 5], [5, 5], NOT_STARTED),
    ],
)
def test_the_first_tree_reports_what_it_cannot_do(cost, supply, demand, status):
    assert Simplex(np.full((2, 2), cost), np.array(supply), np.array(demand)).start() == status


def test_costs_that_are_not_numbers_are_an_error(demo):
    problem = prepare([wg.WWL(depth=1, kind="continuous", standardize=False).embed(demo[:2])], [1], Exact())
    side = problem.left._replace(rows=problem.left.rows * np.nan, columns=problem.left.columns * np.nan)
    with pytest.raises((NotSolvedError, ValueError), match="the graphs 0 and 1"):
        solve(replace(problem, left=side, right=side), Tile(0, 1, 1, 2))


def test_points_that_are_no_numbers_are_refused():
    for wrong in (np.nan, np.inf, -np.inf):
        points = NodeEmbedding(
            np.array([0, 1, 2]),
            0,
            kind="continuous",
            features=Features.NODE_ATTRIBUTES,
            points=np.array([[wrong], [0.0]]),
        )
        for solver in ("auto", "sliced"):
            with pytest.raises(ValueError, match="which is not a finite number"):
                embedding_distances(points, depths=[0], solver=solver)


# Very large and very small attributes

PATHS = [
    {"kind": "continuous"},
    {"kind": "continuous", "solver": "sliced", "random_state": 0},
    {"kind": "continuous", "solver": "sinkhorn", "reg": 1.0},
    {"kind": "joint", "label_weight": 0.0},
]


@pytest.mark.parametrize("options", PATHS)
@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("exponent", [-1000, -600, 1, 550, 1000])
def test_a_power_of_two_goes_through_without_a_bit_changing(options, dim, exponent):
    points = clouds(5, 7, 4, dim=dim)
    expected = wg.distances(dots(*points, labels=True), **with_metric(depth=0, **{"standardize": False, **options}))
    if "reg" in options:
        options = options | {"reg": np.ldexp(options["reg"], exponent)}
    scaled = dots(*(np.ldexp(p, exponent) for p in points), labels=True)
    np.testing.assert_array_equal(
        wg.distances(scaled, **with_metric(depth=0, **{"standardize": False, **options})), np.ldexp(expected, exponent)
    )
    plain = {"kind": options["kind"], "label_weight": options.get("label_weight", 0.5)}
    plan = wg.transport_plan(scaled, 0, 1, **with_metric(depth=0, **{"standardize": False, **plain}))
    assert np.ldexp(plan.cost, -exponent) == pytest.approx(
        wg.distances(dots(*points, labels=True), **with_metric(depth=0, **{"standardize": False, **plain}))[0, 1],
        rel=1e-12,
    )


def test_joint_distances_weigh_huge_and_tiny_attributes_against_labels():
    points = clouds(5, 6)
    labels = wg.distances(dots(*points, labels=True), metric=wg.WWL(depth=0, kind="categorical"))[0, 1]
    tiny = wg.distances(
        dots(*(1e-200 * p for p in points), labels=True), metric=wg.WWL(depth=0, kind="joint", standardize=False)
    )[0, 1]
    assert tiny == pytest.approx(labels / 2)
    huge = wg.distances(
        dots(*(1e200 * p for p in points), labels=True), metric=wg.WWL(depth=0, kind="joint", standardize=False)
    )[0, 1]
    assert huge == pytest.approx(
        wg.distances(dots(*points), metric=wg.WWL(depth=0, standardize=False))[0, 1] / np.sqrt(8) * 1e200
    )


@pytest.mark.parametrize("solver", ["exact", "sliced"])
def test_distances_beyond_the_range_are_an_error(solver):
    for dim in (1, 2):
        far = dots(np.full((2, dim), 1.7e308), np.full((3, dim), -1.7e308))
        with pytest.raises(
            ValueError, match=r"the distance between the graphs 0 and 1 is too large for float64; scale"
        ):
            wg.distances(far, **with_metric(depth=0, solver=solver, standardize=False))
        near = dots(np.full((2, dim), 1e100), np.zeros((3, dim)))
        with pytest.raises(ValueError, match="too large for float32"):
            wg.distances(near, **with_metric(depth=0, solver=solver, standardize=False), dtype=np.float32)
    with pytest.raises(ValueError, match="the ground costs between the graphs 0 and 1 are too large for float64"):
        wg.transport_plan(far, 0, 1, metric=wg.WWL(depth=0, standardize=False))


def test_sinkhorn_says_when_reg_is_lost_in_rounding():
    with pytest.raises(NotSolvedError, match="Sinkhorn did not reach the marginals of"):
        wg.distances(
            dots(*clouds(3, 5)), metric=wg.WWL(depth=0, solver=wg.Sinkhorn(reg=1e-320, max_iter=50), standardize=False)
        )


# Outliers


@pytest.mark.parametrize("outlier", [1e6, 1e10, 1e16, 1e100, 1e200])
def test_an_outlier_that_both_graphs_have_does_not_spoil_the_distance(outlier):
    for seed in range(10):
        one, two = clouds(12, 12, dim=3, seed=seed)
        ground = cdist(one[1:], two[1:])
        expected = ground[linear_sum_assignment(ground)].sum() / 12
        one[0] = two[0] = outlier
        graphs = dots(one, two)
        assert wg.distances(graphs, metric=wg.WWL(depth=0, standardize=False))[0, 1] == pytest.approx(
            expected, rel=1e-12
        )
        plan = wg.transport_plan(graphs, 0, 1, metric=wg.WWL(depth=0, standardize=False))
        assert plan.cost == pytest.approx(expected, rel=1e-12)
        assert plan.matrix[0, 0] == pytest.approx(1 / 12)


@pytest.mark.parametrize("share", [2.0**-30, 2.0**-45])
def test_a_small_mass_that_must_go_far_does_go_there(share):
    one, two = np.array([[0.0, 0], [1e12, 0]]), np.array([[0.0, 0], [1, 0]])
    weights = np.array([1 - share, share, 1 - share, share])
    distance = wg.distances(dots(one, two), metric=wg.WWL(depth=0, standardize=False), weights=weights)[0, 1]
    assert distance == pytest.approx(share * (1e12 - 1), rel=1e-12)


# Standardizing


@pytest.mark.parametrize("value", [0.1, 0.3, 1e-300, 1e300, -7.7])
def test_a_constant_column_stays_constant(value):
    graphs = dots(*(np.hstack([p, np.full((len(p), 1), value)]) for p in clouds(4, 5, 13, dim=1)))
    scheme = wg.WWL(standardize=True).learn(graphs)
    assert (scheme.mean[1], scheme.scale[1]) == (value, 1)
    assert not scheme.embed(graphs, 0).points[:, 1].any()
    alone = dots(*clouds(4, 5, 13, dim=1))
    np.testing.assert_allclose(
        wg.distances(graphs, metric=wg.WWL(depth=0, standardize=True)),
        wg.distances(alone, metric=wg.WWL(depth=0, standardize=True)),
        rtol=1e-12,
    )


def test_standardizing_takes_columns_of_any_size():
    points = clouds(6, 7, 5, dim=3)
    expected = wg.WWL(depth=0, standardize=True).embed(dots(*points)).points
    scaled = dots(*(np.ldexp(p, [-1000, 0, 1000]) for p in points))
    np.testing.assert_array_equal(wg.WWL(depth=0, standardize=True).embed(scaled).points, expected)
    smallest = dots(np.array([[0.0], [0.0], [5e-324]]))
    assert np.isfinite(wg.WWL(depth=0, standardize=True).embed(smallest).points).all()


def test_nothing_to_standardize_by_is_an_error(demo):
    with pytest.raises(ValueError, match=r"there are no graphs to compute the mean .* standardize=False"):
        wg.distances(demo[:0], demo, metric=wg.WWL(standardize=True))
    assert wg.distances(demo[:0], demo, metric=wg.WWL(kind="categorical")).shape == (0, 60)


# Weights


def test_weighted_categorical_distances_are_never_negative():
    graphs = wg.from_edges([[] for _ in range(6)], n_nodes=[20] * 6, node_labels=[np.arange(20)] * 6)
    for seed in range(30):
        weights = np.tile(np.random.default_rng(seed).random(20), 6)
        distances = wg.distances(
            graphs, graphs, metric=wg.WWL(depth=[0, 2], standardize=False), weights=weights, other_weights=weights
        )
        assert not distances.any()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_near_the_ends_of_the_range(demo, kind):
    graphs = demo[:4]
    expected = wg.distances(graphs, metric=wg.WWL(depth=1, kind=kind, standardize=False))
    for weight in (5e-324, 1e308):
        alike = wg.distances(
            graphs, metric=wg.WWL(depth=1, kind=kind, standardize=False), weights=np.full(graphs.n_nodes, weight)
        )
        np.testing.assert_array_equal(alike, expected)
    weights = np.random.default_rng(0).uniform(1, 2, graphs.n_nodes)
    expected = wg.distances(graphs, metric=wg.WWL(depth=1, kind=kind, standardize=False), weights=weights)
    huge = wg.distances(graphs, metric=wg.WWL(depth=1, kind=kind, standardize=False), weights=np.ldexp(weights, 1022))
    np.testing.assert_array_equal(huge, expected)


def test_equal_weights_within_each_graph_are_no_weights(demo):
    own = np.random.default_rng(0).uniform(1, 2, len(demo))[demo.graph_of_node]
    assert wg.WWL(depth=1, standardize=False).embed(demo, weights=own).weights is None


@pytest.mark.parametrize("n", [10, 100, 400])
def test_the_order_of_weighted_nodes_does_not_matter(n):
    rng = np.random.default_rng(n)
    (points,), weights, order = clouds(n, dim=3, seed=n), rng.random(n) ** 8 + 1e-12, rng.permutation(n)
    both = dots(points, points[order])
    assert not wg.distances(
        both, metric=wg.WWL(depth=0, standardize=False), weights=np.concatenate([weights, weights[order]])
    ).any()


@given(st.lists(st.floats(1e-30, 1.0), min_size=1, max_size=40), st.integers(1, 10**6))
def test_integer_masses_are_positive_and_as_near_as_they_can_be(weights, nodes):
    shares, total = np.array(weights) / np.sum(weights), weighted_total(nodes)
    mass = integer_masses(shares, np.array([0, len(shares)]), total)
    assert mass.min() >= 1
    assert mass.sum() == total
    assert np.abs(mass - shares * total).max() <= len(shares) + 1
    assert total * (2 * nodes + 1) + nodes < 2**62


def test_weights_that_are_no_real_numbers(demo):
    for wrong in (np.ones(840) * 1j, "a", ["1"] * 840):
        with pytest.raises(TypeError, match="weights must be real numbers, got values of type"):
            wg.WWL(depth=1, standardize=False).embed(demo, weights=wrong)


# Sinkhorn's diagonal, and the sizes of blocks


def test_the_diagonal_of_sinkhorn_is_like_any_other_pair(demo):
    graphs = demo[:5]
    for kind in KINDS:
        options = {"solver": "sinkhorn", "reg": 1.0, "depth": [0, 1], "kind": kind}
        square = wg.distances(graphs, **with_metric(**{"standardize": False, **options}))
        np.testing.assert_array_equal(square, np.swapaxes(square, 1, 2))
        np.testing.assert_allclose(
            square, wg.distances(graphs, graphs, **with_metric(**{"standardize": False, **options})), atol=1e-9
        )
        assert (np.diagonal(square, axis1=1, axis2=2) > 0).all()


def test_the_work_of_sinkhorn_is_cut_into_tiles(demo):
    options = solver_of(solver="sinkhorn", reg=1.0)
    assert len(tiles(prepare([wg.WWL(depth=1, standardize=False).embed(demo)], [1], options))) > 1


# Depths


@given(batches(), batches(), st.integers(0, 4))
@settings(deadline=None, max_examples=30)
def test_histograms_of_many_depths_equal_counting(batch, other, depth):
    pair = [replace(b, node_labels=b.degrees, node_attributes=None, edge_weights=None) for b in (batch, other)]
    stack = wg.distances(*pair, metric=wg.WWL(depth=list(range(depth + 1)), kind="categorical"))
    codes = [wg.WWL(depth=depth, kind="categorical").embed(b).codes for b in pair]
    for i in range(len(batch)):
        for j in range(len(other)):
            steps = []
            for h in range(depth + 1):
                own = codes[0][h, batch.node_ptr[i] : batch.node_ptr[i + 1]]
                theirs = codes[1][h, other.node_ptr[j] : other.node_ptr[j + 1]]
                kinds = np.union1d(own, theirs)
                shares = [(part[:, None] == kinds).mean(axis=0) for part in (own, theirs)]
                steps.append(np.abs(shares[0] - shares[1]).sum() / 2)
            np.testing.assert_allclose(stack[:, i, j], np.cumsum(steps) / np.arange(1, depth + 2), atol=1e-12)


# A stop


def test_a_stop_ends_the_loop_over_pairs():
    problem = prepare([wg.WWL(depth=0, standardize=False).embed(dots(*clouds(6, 6, 6, 6)))], [0], Exact())
    pairs, values, status = np.array([[0, 1], [1, 2]]), np.empty((2, 1)), np.zeros(2, dtype=np.int64)
    given = problem.width, problem.dim, False, problem.wanted, 0.0, 0.0, False, problem.prices, 0
    rules = Rules(*given, stop=np.ones(1, dtype=np.bool_))
    _core.solve_block(pairs, problem.left, problem.right, rules, values, status)
    assert status.tolist() == [STOPPED, 0]


# Sliced distances


def test_sliced_distances_of_many_lines_fit_into_little_memory():
    graphs = dots(*clouds(1000, 1000, 1000))
    options = {"depth": 0, "solver": "sliced", "random_state": 0}
    wg.distances(graphs, **with_metric(n_projections=1, **{"standardize": False, **options}))
    tracemalloc.start()
    try:
        wg.distances(graphs, **with_metric(n_projections=500, **{"standardize": False, **options}))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3e6  # all lines at once would take 12 million bytes for the places alone


# Options


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"other_weights": np.ones(10)}, ValueError, "other_weights are the masses of the nodes of the other graphs"),
        ({"max_iter": 2.5}, TypeError, "max_iter must be an integer, got 2.5"),
        ({"max_iter": 2**70}, ValueError, r"max_iter must be a positive integer below 2\*\*62"),
        ({"solver": "sliced", "n_projections": 2.5}, TypeError, "n_projections must be an integer, got 2.5"),
        ({"solver": "sinkhorn", "reg": "a"}, TypeError, "reg must be a number, got 'a'"),
        ({"solver": "sinkhorn", "reg": 1j}, TypeError, "reg must be a number, got 1j"),
        ({"solver": "sinkhorn", "reg": np.inf}, ValueError, "reg must be a positive number, got inf"),
        ({"solver": "sinkhorn", "reg": 1.0, "tol": "x"}, TypeError, "tol must be a number, got 'x'"),
        ({"solver": "sinkhorn", "reg": 1.0, "tol": np.nan}, ValueError, "tol must be a positive number, got nan"),
    ],
)
def test_bad_options(demo, options, error, message):
    with pytest.raises(error, match=message):
        wg.distances(demo[:3], **with_metric(**{"standardize": False, **options}))


def test_embeddings_must_be_compared_alike(demo):
    one, two = (
        wg.WWL(depth=1, kind="joint", label_weight=share, standardize=False).embed(demo[:3]) for share in (0.3, 0.4)
    )
    with pytest.raises(ValueError, match=r"the embeddings differ: label_weight is 0\.3 against 0\.4"):
        embedding_distances(one, two, depths=[1])
    with pytest.raises(ValueError, match="there are no depths; pass at least one"):
        embedding_distances(one, depths=[])


def test_the_estimator_takes_the_limits_of_the_solvers(demo):
    with pytest.raises(NotSolvedError, match="within max_iter=1;"):
        wg.WWL(solver=wg.Exact(max_iter=1), standardize=False).fit_transform(demo[:4])
    rough, fine = (
        wg.WWL(depth=1, solver=wg.Sinkhorn(reg=0.5, tol=tol), standardize=False).fit_transform(demo[:4])
        for tol in (0.1, 1e-9)
    )
    assert 1e-6 < np.abs(rough - fine).max() < 0.5


def test_the_estimator_takes_every_source_of_randomness(demo):
    def fit(random_state: object) -> wg.WWL:
        return wg.WWL(solver=wg.Sliced(random_state=random_state)).fit(demo[:3])

    seeds = [fit(np.random.default_rng(7)).solver_.random_state for _ in range(2)]
    assert seeds[0] == seeds[1]
    with pytest.raises(ValueError, match="random_state must be at least 0, got -1"):
        fit(-1)


def test_plans_take_whole_numbers_for_positions(demo):
    assert wg.transport_plan(demo, np.int64(0), 1).cost == wg.transport_plan(demo, 0, 1).cost
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        wg.transport_plan(demo, 0.0, 1)
    with pytest.raises(TypeError, match="graph 0: the type int is not a graph"):
        wg.transport_plan([1, 2], 0, 1)
    assert wg.transport_plan(["CCO", "CCN"], 0, 1).cost > 0


def test_a_plan_is_solved_on_a_thread_and_can_be_interrupted(demo, monkeypatch):
    real, threads = transport.solve_plan, []
    monkeypatch.setattr(transport, "solve_plan", lambda *a: threads.append(threading.current_thread()) or real(*a))
    wg.transport_plan(demo, 0, 1)
    assert threads[0] is not threading.main_thread()
    masses = np.ones(3, dtype=np.int64)
    status, *plan = real(np.eye(3), masses.copy(), masses.copy(), 0, np.ones(1, dtype=np.bool_))
    assert status == STOPPED
    assert all(not len(part) for part in plan)
