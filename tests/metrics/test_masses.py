"""Masses that count: every node has the mass 1, and a node without a partner has a price."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import eye_array, hstack, kron

import wassergraph as wg
from made_metrics import evaluate, metric_of, model_options, with_metric
from wassergraph.explain.transport import costs_between_nodes
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.problem import LabelProblem, TransportProblem

KINDS = ["categorical", "continuous", "joint"]
DEPTHS = [0, 1, 3]


def random_graphs(n_graphs: int, seed: int) -> wg.GraphBatch:
    """Draw graphs of 1 to 9 nodes, some of which are alike."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 10, n_graphs)
    edges = [[(i, j) for i in range(n) for j in range(i) if random.random() < 0.4] for n in sizes]
    return wg.from_edges(
        edges,
        n_nodes=sizes,
        node_labels=[random.integers(0, 3, n) for n in sizes],
        node_attributes=[random.normal(size=(n, 2)).round(random.integers(0, 3)) for n in sizes],
        symmetrize=True,
    )


def partial_transport(costs: np.ndarray, price: float) -> float:
    """Compute the least cost of matching nodes, or leaving them alone at a price, as a linear program."""
    n, m = costs.shape
    rows = hstack([kron(eye_array(n), np.ones((1, m))), eye_array(n), np.zeros((n, m))])
    columns = hstack([kron(np.ones((1, n)), eye_array(m)), np.zeros((m, n)), eye_array(m)])
    solution = linprog(
        np.concatenate([costs.ravel(), np.full(n + m, price)]),
        A_eq=np.vstack([rows.toarray(), columns.toarray()]),
        b_eq=np.ones(n + m),
    )
    assert solution.success
    return float(solution.fun)


def price_at(embedding: NodeEmbedding, depth: int) -> float:
    return embedding.unmatched * (np.sqrt(depth + 1) if embedding.kind == "continuous" else 1.0)


@pytest.mark.parametrize(("seed", "unmatched"), list(enumerate(["auto", 0.5, 0.8, 5.0])))
@pytest.mark.parametrize("kind", KINDS)
def test_distances_equal_a_linear_program(kind, seed, unmatched):
    """1,000 random pairs of each kind, 250 for each price, all at three depths."""
    graphs, options = random_graphs(60, seed=1), {"kind": kind, "mass": "count", "unmatched_cost": unmatched}
    embedding = metric_of(depth=DEPTHS[-1], **{"standardize": False, **options}).embed(graphs)
    distances = wg.distances(graphs, **with_metric(depth=DEPTHS, **{"standardize": False, **options}))
    pairs = np.random.default_rng(seed).integers(0, len(graphs), size=(250, 2))
    for slot, depth in enumerate(DEPTHS):
        for i, j in pairs:
            expected = partial_transport(costs_between_nodes(embedding.upto(depth), i, j), price_at(embedding, depth))
            np.testing.assert_allclose(distances[slot, i, j], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_small_prices_cut_the_ground_costs(kind):
    graphs, price = random_graphs(20, seed=3), 0.5 if kind == "categorical" else 0.05
    options = {"kind": kind, "mass": "count", "unmatched_cost": price}
    embedding = metric_of(depth=1, **{"standardize": False, **options}).embed(graphs)
    distances = wg.distances(graphs, **with_metric(depth=1, **{"standardize": False, **options}))
    for i, j in [(0, 1), (2, 9), (5, 6), (10, 19)]:
        ground = np.minimum(costs_between_nodes(embedding, i, j), 2 * price_at(embedding, 1))
        np.testing.assert_allclose(distances[i, j], partial_transport(ground, price_at(embedding, 1)), atol=1e-9)


@pytest.mark.parametrize("unmatched", ["auto", 0.6])
@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_a_metric(kind, unmatched):
    distances = wg.distances(
        random_graphs(25, seed=4),
        metric=wg.WWL(depth=2, kind=kind, mass="count", unmatched_cost=unmatched, standardize=False),
    )
    np.testing.assert_array_equal(distances, distances.T)
    assert (np.diag(distances) == 0).all()
    detours = (distances[:, :, None] + distances[None, :, :]).min(axis=1)
    assert (distances <= detours + 1e-9).all()


def test_counts_of_labels_have_a_closed_form_and_a_positive_definite_kernel():
    graphs = random_graphs(30, seed=5)
    codes = wg.WWL(depth=2, kind="categorical").embed(graphs).codes
    counts = []
    for level in codes:
        labels, label = np.unique(level, return_inverse=True)
        table = np.zeros((len(graphs), len(labels)))
        np.add.at(table, (graphs.graph_of_node, label), 1)
        counts.append(table)
    features = np.hstack(counts)
    expected = np.abs(features[:, None] - features[None]).sum(axis=2) / 2 / 3
    distances = wg.distances(graphs, metric=wg.WWL(depth=2, kind="categorical", mass="count"))
    np.testing.assert_allclose(distances, expected, atol=1e-12)
    assert wg.kernels.conditional_definiteness(distances).n_negative == 0
    dear = wg.distances(graphs, metric=wg.WWL(depth=2, kind="categorical", mass="count", unmatched_cost=0.75))
    apart = np.abs(graphs.sizes[:, None] - graphs.sizes)
    np.testing.assert_allclose(dear, expected + 0.25 * apart, atol=1e-12)
    assert wg.kernels.conditional_definiteness(dear).n_negative == 0


def test_graphs_of_the_same_size_are_as_far_apart_as_with_shares_times_their_nodes():
    random = np.random.default_rng(6)
    graphs = wg.from_edges([[]] * 6, n_nodes=[5] * 6, node_attributes=[random.normal(size=(5, 2)) for _ in range(6)])
    shares = wg.distances(graphs, metric=wg.WWL(depth=0, standardize=False))
    counts = wg.distances(graphs, metric=wg.WWL(depth=0, mass="count", unmatched_cost=100.0, standardize=False))
    np.testing.assert_allclose(counts, 5 * shares, atol=1e-12)


def test_the_size_of_a_molecule_counts():
    graphs = wg.from_smiles(["C1CCCCC1", "C1CCCCCCCCC1"])
    assert wg.distances(graphs)[0, 1] == 0
    assert wg.distances(graphs, metric=wg.WWL(kind="categorical", mass="count"))[0, 1] == 4 / 2
    assert wg.distances(graphs, metric=wg.WWL(mass="count", unmatched_cost=0.75, standardize=False))[0, 1] == 4 * 0.75
    np.testing.assert_allclose(
        wg.distances(graphs, metric=wg.WWL(size_weight=2.0, standardize=False))[0, 1], 2 * np.log(10 / 6), rtol=1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mass", ["share", "count"])
def test_the_size_term_is_added(kind, mass):
    graphs, others = random_graphs(12, seed=7), random_graphs(5, seed=8)
    options = {"kind": kind, "mass": mass, "depth": [0, 2]}
    apart = np.abs(np.log(graphs.sizes)[:, None] - np.log(others.sizes))
    plain, moved = (
        wg.distances(graphs, others, **with_metric(size_weight=weight, **{"standardize": False, **options}))
        for weight in (0.0, 0.5)
    )
    np.testing.assert_allclose(moved, plain + 0.5 * apart, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_tiles_pairs_stores_and_depths_agree_bit_for_bit(kind, tmp_path):
    graphs, others = random_graphs(13, seed=9), random_graphs(6, seed=10)
    options = {"kind": kind, "mass": "count", "size_weight": 0.25}
    whole = wg.distances(graphs, others, **with_metric(depth=DEPTHS, **{"standardize": False, **options}))
    pairs = np.argwhere(np.ones(whole.shape[1:], dtype=bool))
    listed = wg.pair_distances(graphs, others, pairs, **with_metric(depth=DEPTHS, **{"standardize": False, **options}))
    np.testing.assert_array_equal(listed.reshape(whole.shape), whole)
    store = wg.distances(
        graphs, others, **with_metric(depth=DEPTHS, **{"standardize": False, **options}), out=tmp_path / "D.zarr"
    )
    np.testing.assert_array_equal(np.asarray(store), whole)
    for slot, depth in enumerate(DEPTHS):
        alone = wg.distances(graphs, others, **with_metric(depth=depth, **{"standardize": False, **options}))
        np.testing.assert_allclose(alone, whole[slot], atol=1e-12)
    model = metric_of(depth=3, **{"standardize": False, **options}).fit(others)
    expected = wg.distances(others, graphs, **with_metric(depth=3, **{"standardize": False, **options})).T
    np.testing.assert_allclose(model.transform(graphs), expected, atol=1e-12)


def test_the_price_is_that_of_the_training_graphs():
    train, new = random_graphs(10, seed=11), random_graphs(4, seed=12)
    model = wg.WWL(depth=1, kind="continuous", mass="count", standardize=False).fit(train)
    spread = np.sqrt(2 * train.node_attributes.var(axis=0).sum())
    assert model.scheme_.unmatched == pytest.approx(spread / 2)
    expected = wg.distances(train, new, metric=wg.WWL(depth=1, kind="continuous", mass="count", standardize=False)).T
    np.testing.assert_allclose(model.transform(new), expected, atol=1e-12)
    joint = wg.WWL(kind="joint", mass="count", label_weight=0.25, standardize=False).fit(train)
    assert joint.scheme_.unmatched == pytest.approx(0.125 + 0.75 * spread / 2 / np.sqrt(2))


def test_the_problem_of_counts_on_a_line_is_transport():
    embedding = wg.WWL(depth=0, kind="categorical", mass="count").embed(random_graphs(5, seed=13))
    assert isinstance(prepare([embedding], [0], Exact()), LabelProblem)
    line = wg.from_edges([[], []], n_nodes=[2, 3], node_attributes=[[[0.0], [1.0]], [[0.0], [1.0], [5.0]]])
    points = wg.WWL(depth=0, mass="count", unmatched_cost=1.5, standardize=False).embed(line)
    problem = prepare([points], [0], Exact())
    assert isinstance(problem, TransportProblem)
    assert embedding_distances(points, depths=[0])[0, 0, 1] == 1.5


def test_models_count(tmp_path):
    graphs, y = random_graphs(40, seed=14), np.arange(40) % 2
    for kind in KINDS:
        model = wg.GraphClassifier(wg.WWL(depth=[0, 1], kind=kind, mass="count", size_weight=0.5)).fit(graphs, y)
        model.save(tmp_path / "m.wgm")
        loaded = wg.load_model(tmp_path / "m.wgm")
        assert (loaded.scheme_.mass, loaded.scheme_.size_weight) == ("count", 0.5)
        assert loaded.scheme_.unmatched == model.scheme_.unmatched
        np.testing.assert_array_equal(loaded.decision_function(graphs), model.decision_function(graphs))
        shares = wg.GraphClassifier(wg.WWL(depth=[0, 1], kind=kind)).fit(graphs, y)
        assert (shares.decision_function(graphs) != model.decision_function(graphs)).any()


DRUGLIKE = ["CCO", "CCCO", "CCCCO", "CCCCCO", "c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "CCCc1ccccc1", "CC", "CCC", "CCCC"]


def test_the_mass_is_chosen_for_molecules_and_not_for_other_graphs(tmp_path):
    y = np.array(["polar"] * 4 + ["ring"] * 4 + ["chain"] * 3)
    choose = {"depth": [0, 1], "gamma": [0.1, 1.0], "C": [1.0, 100.0], "cv": 3}
    model = wg.GraphClassifier(**model_options(**choose)).fit(DRUGLIKE, y)
    assert len(model.cv_results_["params"]) == 16
    assert model.cv_results_["param_mass"].tolist() == ["share"] * 8 + ["count"] * 8
    chosen = model.best_params_
    assert model.scheme_.mass == chosen["mass"]
    for mass in ("share", "count"):
        alone = wg.GraphClassifier(**model_options(mass=mass, **choose)).fit(DRUGLIKE, y)
        assert "mass" not in alone.best_params_
        scores = [
            score
            for score, m in zip(model.cv_results_["mean_test_score"], model.cv_results_["param_mass"], strict=True)
            if m == mass
        ]
        np.testing.assert_array_equal(scores, alone.cv_results_["mean_test_score"])
        if mass == chosen["mass"]:
            assert alone.best_params_ == {name: value for name, value in chosen.items() if name != "mass"}
            np.testing.assert_array_equal(alone.decision_function(DRUGLIKE), model.decision_function(DRUGLIKE))
    model.save(tmp_path / "m.wgm")
    loaded = wg.load_model(tmp_path / "m.wgm")
    assert loaded.best_params_ == chosen
    assert loaded.metric.mass == "auto"
    assert loaded.graphs_.molecules
    assert loaded.cv_results_["params"] == model.cv_results_["params"]
    np.testing.assert_array_equal(loaded.decision_function(DRUGLIKE), model.decision_function(DRUGLIKE))
    plain = replace(wg.from_smiles(DRUGLIKE), molecules=False)
    assert "mass" not in wg.GraphClassifier(**model_options(**choose)).fit(plain, y).best_params_


def test_given_distances_have_one_mass(tmp_path):
    graphs, y = wg.from_smiles(DRUGLIKE), np.arange(len(DRUGLIKE)) % 2
    fixed = {"depth": 1, "gamma": 1.0, "C": 10.0, "standardize": False}
    store = wg.distances(graphs, metric=wg.WWL(depth=1, mass="count", standardize=False), out=tmp_path / "D.zarr")
    from_store = wg.GraphClassifier(**model_options(**fixed)).fit(graphs, y, distances=store)
    assert from_store.scheme_.mass == "count"
    from_array = wg.GraphClassifier(**model_options(mass="count", **fixed)).fit(graphs, y, distances=np.asarray(store))
    np.testing.assert_array_equal(from_store.dual_coef_, from_array.dual_coef_)
    with pytest.raises(ValueError, match=r"the given distances belong to one mass, but mass is 'auto'; pass mass=\"sh"):
        wg.GraphClassifier(**model_options(**fixed)).fit(graphs, y, distances=np.asarray(store))
    with pytest.raises(ValueError, match='mass must be "auto", "share", "count"'):
        wg.GraphClassifier(**model_options(mass=["count", "total"], **fixed)).fit(graphs, y)
    with pytest.raises(ValueError, match=r'mass must be "auto", .*got None'):
        wg.GraphClassifier(**model_options(mass=None, **fixed)).fit(graphs, y)


def test_evaluation_chooses_the_mass_of_molecules_too():
    y = np.arange(len(DRUGLIKE)) % 2
    few = {"folds": 3, "inner_folds": 2, "depth": 1, "gamma": [0.1, 1.0], "C": 10.0}
    report = evaluate(DRUGLIKE, y, method=["wwl", "wwl+count", "wwl+share", "wl"], **few)
    assert all(set(fold) == {"mass", "depth", "gamma", "C"} for fold in report.rows["wwl"].parameters[0])
    assert all(fold["mass"] == "count" for fold in report.rows["wwl+count"].parameters[0])
    assert all(set(fold) == {"depth", "gamma", "C"} for fold in report.rows["wwl+share"].parameters[0])
    assert all(fold == {"depth": 1, "C": 10.0} for fold in report.rows["wl"].parameters[0])
    counted = evaluate(DRUGLIKE, y, mass="count", **few)
    np.testing.assert_array_equal(counted.rows["wwl"].accuracy, report.rows["wwl+count"].accuracy)
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        evaluate(DRUGLIKE, y, **{**few, "gamma": -1.0})
    for options, name in [({"gamma": 1.0}, "gamma"), ({"mass": "count"}, "mass"), ({"depth": 1}, "depth")]:
        with pytest.raises(ValueError, match=f"^{name} is .*; remove it$"):
            evaluate(DRUGLIKE, y, method="v", folds=3, inner_folds=2, **options)


def test_a_store_is_continued_with_the_same_masses_only(tmp_path):
    graphs = random_graphs(6, seed=15)
    wg.distances(graphs, metric=wg.WWL(mass="count", standardize=False), out=tmp_path / "D.zarr")
    with pytest.raises(ValueError, match="mass is count in the store, and share now"):
        wg.distances(graphs, out=tmp_path / "D.zarr")
    with pytest.raises(ValueError, match=r"size_weight is 0\.0 in the store, and 1\.0 now"):
        wg.distances(graphs, metric=wg.WWL(mass="count", size_weight=1, standardize=False), out=tmp_path / "D.zarr")


def test_errors():
    graphs = random_graphs(5, seed=16)
    with pytest.raises(ValueError, match="mass must be"):
        wg.distances(graphs, metric=wg.WWL(mass="counts", standardize=False))
    for bad in (0.0, -1.0, np.inf, np.nan, "cheap", None):
        with pytest.raises(ValueError, match='unmatched_cost must be positive, or "auto", got'):
            wg.distances(graphs, metric=wg.WWL(mass="count", unmatched_cost=bad, standardize=False))
    with pytest.raises(ValueError, match=r"unmatched_cost must be at least 0\.5, half of the largest"):
        wg.distances(graphs, metric=wg.WWL(kind="categorical", mass="count", unmatched_cost=0.25))
    with pytest.raises(ValueError, match='size_weight must be at least 0, or "auto", got -1'):
        wg.distances(graphs, metric=wg.WWL(size_weight=-1, standardize=False))
    with pytest.raises(ValueError, match=r'mass="count" gives every node the mass 1, but there are weights'):
        wg.distances(graphs, metric=wg.WWL(mass="count", standardize=False), weights=np.ones(graphs.n_nodes))
    for solver in ({"solver": "sinkhorn", "reg": 1.0}, {"solver": "sliced"}):
        with pytest.raises(ValueError, match=r'mass="count" is exact, but the solver is'):
            wg.distances(graphs, **with_metric(kind="continuous", mass="count", **{"standardize": False, **solver}))
    one, two = (wg.WWL(depth=1, mass=mass, standardize=False).embed(graphs) for mass in ("share", "count"))
    with pytest.raises(ValueError, match="the embeddings differ: mass is share against count"):
        embedding_distances(one, two, depths=[1])
    with pytest.raises(ValueError, match="the embeddings differ: unmatched is"):
        embedding_distances(two, replace(two, unmatched=3.0), depths=[1])
