from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wassergraph as wg
from strategies import batches


@given(batches(min_graphs=2), st.sampled_from(["categorical", "continuous"]))
@settings(deadline=None, max_examples=40)
def test_plans_cost_the_distance_and_have_exact_marginals(batch, kind):
    plan = wg.transport_plan(batch, 0, 1, depth=2, kind=kind)
    assert plan.cost == pytest.approx(wg.wwl_distances(batch, depth=2, kind=kind)[0, 1], rel=1e-9, abs=1e-12)
    n, m = batch.sizes[:2]
    np.testing.assert_allclose(plan.matrix.sum(axis=1), 1 / n, rtol=1e-12)
    np.testing.assert_allclose(plan.matrix.sum(axis=0), 1 / m, rtol=1e-12)
    assert plan.matrix.nnz <= n + m - 1
    assert sum(mass * distance for _, _, mass, distance in plan.pairs()) == pytest.approx(plan.cost)


def test_weighted_and_joint_plans():
    graphs, _ = wg.make_demo()
    weights = np.random.default_rng(0).uniform(1, 2, graphs.n_nodes)
    plan = wg.transport_plan(graphs, 0, 4, kind="joint", weights=weights)
    assert plan.cost == pytest.approx(wg.wwl_distances(graphs, kind="joint", weights=weights)[0, 4], rel=1e-9)
    masses = weights[: graphs.node_ptr[1]]
    np.testing.assert_allclose(plan.matrix.sum(axis=1), masses / masses.sum(), rtol=1e-9)
    moves = [mass * distance for _, _, mass, distance in plan.pairs()]
    assert moves == sorted(moves, reverse=True)


@given(batches(min_graphs=2), st.sampled_from(["categorical", "continuous", "joint"]), st.sampled_from(["auto", 0.7]))
@settings(deadline=None, max_examples=60)
def test_plans_of_counts_cost_the_distance(batch, kind, unmatched):
    if kind == "joint" and (batch.node_labels is None or batch.node_attributes is None):
        return
    options = {"depth": 2, "kind": kind, "mass": "count", "unmatched": unmatched}
    plan = wg.transport_plan(batch, 0, 1, **options)
    assert plan.cost == pytest.approx(wg.wwl_distances(batch, **options)[0, 1], rel=1e-9, abs=1e-9)
    np.testing.assert_array_equal(plan.matrix.sum(axis=1) + plan.source_unmatched, 1.0)
    np.testing.assert_array_equal(plan.matrix.sum(axis=0) + plan.target_unmatched, 1.0)
    moved = sum(mass * distance for _, _, mass, distance in plan.pairs())
    alone = plan.price * (plan.source_unmatched.sum() + plan.target_unmatched.sum())
    assert moved + alone == pytest.approx(plan.cost)


def test_a_plan_names_the_atoms_without_a_partner():
    plan = wg.transport_plan(["CCO", "CO"], 0, 1, depth=0, kind="categorical", mass="count")
    assert plan.source_unmatched.sum() == 1.0
    assert plan.source_unmatched[2] == 0.0  # the oxygen has a partner
    assert plan.target_unmatched.tolist() == [0.0, 0.0]
    assert (plan.cost, plan.price) == (0.5, 0.5)
    html = plan._repr_html_()
    assert "Nodes without a partner: 1 of the first graph and 0 of the second, at 0.5 each, 100.0%" in html
    assert "without a partner" not in wg.transport_plan(["CCO", "CO"], 0, 1)._repr_html_()


def test_bad_positions():
    graphs, _ = wg.make_demo()
    with pytest.raises(IndexError, match="graph 60 is out of range: there are 60 graphs"):
        wg.transport_plan(graphs, 0, 60)
