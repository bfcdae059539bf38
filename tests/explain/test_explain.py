from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wassergraph as wg
from made_metrics import with_metric
from strategies import batches


@given(batches(min_graphs=2), st.sampled_from(["categorical", "continuous"]))
@settings(deadline=None, max_examples=40)
def test_plans_cost_the_distance_and_have_exact_marginals(batch, kind):
    plan = wg.transport_plan(batch, 0, 1, metric=wg.WWL(depth=2, kind=kind, standardize=False))
    assert plan.cost == pytest.approx(
        wg.distances(batch, metric=wg.WWL(depth=2, kind=kind, standardize=False))[0, 1], rel=1e-9, abs=1e-12
    )
    n, m = batch.sizes[:2]
    np.testing.assert_allclose(plan.matrix.sum(axis=1), 1 / n, rtol=1e-12)
    np.testing.assert_allclose(plan.matrix.sum(axis=0), 1 / m, rtol=1e-12)
    assert plan.matrix.nnz <= n + m - 1
    assert sum(mass * distance for _, _, mass, distance in plan.pairs()) == pytest.approx(plan.cost)


def test_weighted_and_joint_plans():
    graphs, _ = wg.datasets.make_demo()
    weights = np.random.default_rng(0).uniform(1, 2, graphs.n_nodes)
    plan = wg.transport_plan(graphs, 0, 4, metric=wg.WWL(kind="joint", standardize=False), weights=weights)
    assert plan.cost == pytest.approx(
        wg.distances(graphs, metric=wg.WWL(kind="joint", standardize=False), weights=weights)[0, 4], rel=1e-9
    )
    masses = weights[: graphs.node_ptr[1]]
    np.testing.assert_allclose(plan.matrix.sum(axis=1), masses / masses.sum(), rtol=1e-9)
    moves = [mass * distance for _, _, mass, distance in plan.pairs()]
    assert moves == sorted(moves, reverse=True)


@given(batches(min_graphs=2), st.sampled_from(["categorical", "continuous", "joint"]), st.sampled_from(["auto", 0.7]))
@settings(deadline=None, max_examples=60)
def test_plans_of_counts_cost_the_distance(batch, kind, unmatched):
    if kind == "joint" and (batch.node_labels is None or batch.node_attributes is None):
        return
    options = {"depth": 2, "kind": kind, "mass": "count", "unmatched_cost": unmatched}
    plan = wg.transport_plan(batch, 0, 1, **with_metric(**{"standardize": False, **options}))
    assert plan.cost == pytest.approx(
        wg.distances(batch, **with_metric(**{"standardize": False, **options}))[0, 1], rel=1e-9, abs=1e-9
    )
    np.testing.assert_array_equal(plan.matrix.sum(axis=1) + plan.source_unmatched, 1.0)
    np.testing.assert_array_equal(plan.matrix.sum(axis=0) + plan.target_unmatched, 1.0)
    moved = sum(mass * distance for _, _, mass, distance in plan.pairs())
    alone = plan.price * (plan.source_unmatched.sum() + plan.target_unmatched.sum())
    assert moved + alone == pytest.approx(plan.cost)


def test_a_plan_names_the_atoms_without_a_partner():
    plan = wg.transport_plan(["CCO", "CO"], 0, 1, metric=wg.WWL(depth=0, kind="categorical", mass="count"))
    assert plan.source_unmatched.sum() == 1.0
    assert plan.source_unmatched[2] == 0.0  # the oxygen has a partner
    assert plan.target_unmatched.tolist() == [0.0, 0.0]
    assert (plan.cost, plan.price) == (0.5, 0.5)
    html = plan._repr_html_()
    assert "Nodes without a partner: 1 of the first graph and 0 of the second, at 0.5 each, 100.0%" in html
    assert "without a partner" not in wg.transport_plan(["CCO", "CO"], 0, 1)._repr_html_()


@given(
    batches(min_graphs=2),
    st.sampled_from(["categorical", "continuous", "joint"]),
    st.sampled_from(["share", "count"]),
    st.integers(0, 3),
)
@settings(deadline=None, max_examples=100)
def test_costs_by_node_label_and_depth_sum_to_the_distance(batch, kind, mass, depth):
    if kind == "joint" and (batch.node_labels is None or batch.node_attributes is None):
        return
    plan = wg.transport_plan(batch, 0, 1, metric=wg.WWL(depth=depth, kind=kind, mass=mass, standardize=False))
    near = {"rel": 1e-12, "abs": 1e-14}
    assert plan.source_costs.shape == (batch.sizes[0],)
    assert plan.target_costs.shape == (batch.sizes[1],)
    assert (plan.source_costs >= 0).all()
    for costs in (plan.source_costs, plan.target_costs, list(plan.label_costs().values())):
        assert math.fsum(costs) == pytest.approx(plan.cost, **near)
    assert plan.depth_costs.shape == (depth + 1,)
    assert math.fsum(plan.depth_costs) + plan.unmatched_cost == pytest.approx(plan.cost, rel=1e-9, abs=1e-12)


@given(
    batches(min_graphs=2),
    st.sampled_from(["categorical", "continuous", "joint"]),
    st.sampled_from(["share", "count"]),
)
@settings(deadline=None, max_examples=100)
def test_potentials_prove_the_optimum(batch, kind, mass):
    if kind == "joint" and (batch.node_labels is None or batch.node_attributes is None):
        return
    plan = wg.transport_plan(batch, 0, 1, metric=wg.WWL(depth=2, kind=kind, mass=mass, standardize=False))
    limit = plan.ground if mass == "share" else np.minimum(plan.ground, 2 * plan.price)
    rounding = 1e-9 * max(float(plan.ground.max(initial=0.0)), plan.price)
    sums = plan.source_potentials[:, None] + plan.target_potentials
    assert (sums <= limit + rounding).all()
    masses = 1 / batch.sizes[:2] if mass == "share" else (1.0, 1.0)
    value = masses[0] * plan.source_potentials.sum() + masses[1] * plan.target_potentials.sum()
    assert value == pytest.approx(plan.cost, rel=1e-9, abs=rounding)
    if mass == "count":  # no node gives more than it costs to leave it alone, on the side that has more nodes
        larger = plan.source_potentials if batch.sizes[0] >= batch.sizes[1] else plan.target_potentials
        assert batch.sizes[0] == batch.sizes[1] or (larger <= plan.price + rounding).all()


def test_depths_of_labels_are_the_parts_of_the_closed_form():
    graphs, _ = wg.datasets.make_demo()
    distances = wg.distances(graphs, metric=wg.WWL(depth=range(4), kind="categorical"))[:, 3, 50]
    plan = wg.transport_plan(graphs, 3, 50, metric=wg.WWL(depth=3, kind="categorical"))
    # The sum of distances over iterations is (h + 1) times the mean of them.
    np.testing.assert_allclose(np.cumsum(plan.depth_costs) * 4, distances * [1, 2, 3, 4], rtol=1e-9)


def test_costs_by_label_name_the_labels():
    costs = wg.transport_plan("CCO", "CCN", metric=wg.WWL(depth=0, kind="categorical")).label_costs()
    assert costs == {("O", "N"): pytest.approx(1 / 3), ("C", "C"): 0.0}
    costs = wg.transport_plan("CCO", "CO", metric=wg.WWL(depth=0, kind="categorical", mass="count")).label_costs()
    assert costs == {("C", None): 0.5, ("C", "C"): 0.0, ("O", "O"): 0.0}


# Two graphs from anywhere


def test_positions_may_be_negative():
    graphs, _ = wg.datasets.make_demo()
    plan, same = wg.transport_plan(graphs, -1, 3), wg.transport_plan(graphs, 59, 3)
    assert plan.cost == same.cost
    assert plan.source.n_nodes == graphs.sizes[59]


def test_two_graphs_of_any_kind():
    graphs, _ = wg.datasets.make_demo()
    expected = wg.transport_plan(graphs, 4, 7, metric=wg.WWL(kind="joint", standardize=False))
    assert wg.transport_plan(graphs[4], graphs[7], metric=wg.WWL(kind="joint", standardize=False)).cost == expected.cost
    assert wg.transport_plan(
        graphs[4].to_networkx()[0], graphs[7].to_networkx()[0], metric=wg.WWL(kind="joint", standardize=False)
    ).cost == (pytest.approx(expected.cost))
    assert wg.transport_plan("CCO", "CCN").cost == wg.transport_plan(["CCO", "CCN"], 0, 1).cost
    for pair, position in ((("xx", "C"), 0), (("C", "xx"), 1), (("C", ["xx"]), 1)):
        with pytest.raises(ValueError, match=rf"^graph {position}: 'xx' cannot .*; correct or remove such molecules$"):
            wg.transport_plan(*pair)
    with pytest.raises(ValueError, match="there are 60 graphs in place of the second one; pass a single graph"):
        wg.transport_plan(graphs[0], graphs)
    with pytest.raises(TypeError, match="the second position is missing; pass two positions, or two graphs"):
        wg.transport_plan(graphs, 0)


@pytest.mark.parametrize("options", [{"standardize": True}, {"mass": "count"}, {"kind": "continuous"}])
def test_the_rest_of_the_batch_counts_for_what_is_learned_from_it(options):
    """Only two graphs are embedded, but the mean, the standard deviation and the price are those of all graphs."""
    graphs, _ = wg.datasets.make_demo()
    distances = wg.distances(graphs, **with_metric(depth=2, **{"standardize": False, **options}))
    for i, j in [(0, 41), (20, 2)]:
        assert wg.transport_plan(
            graphs, i, j, **with_metric(depth=2, **{"standardize": False, **options})
        ).cost == pytest.approx(distances[i, j], rel=1e-9)


def test_bad_positions():
    graphs, _ = wg.datasets.make_demo()
    for position in (60, -61):
        with pytest.raises(IndexError, match=f"graph {position} is out of range: there are 60 graphs"):
            wg.transport_plan(graphs, 0, position)
