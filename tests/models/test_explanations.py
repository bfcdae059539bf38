"""Explanations of predictions: exact sums, training graphs that decide, and scores of nodes."""

from __future__ import annotations

import csv
import itertools
import json
import math
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from made_metrics import model_options
from wassergraph.errors import InputError, InputTypeError
from wassergraph.learners.svm.multiclass import class_pairs
from wassergraph.models.explaining import alike_nodes

SPECIMENS = Path(__file__).parents[1] / "specimens"
SMILES = ["CCO", "CCCO", "CCCCO", "CCN", "CCCN", "CCCCN", "c1ccccc1O", "c1ccccc1N", "CC(C)O", "CC(C)N", "CO", "CN"]
NEW = ["CCCCCO", "c1ccc(N)cc1C", "C", "CCO"]
ALCOHOL = [int("N" not in text) for text in SMILES]
FIXED = {"depth": 1, "gamma": 1.0, "C": 10.0, "cv": 2}
EMBEDDINGS = {
    "categorical": {"kind": "categorical", "mass": "share"},
    "continuous": {"kind": "continuous", "mass": "share"},
    "joint": {"kind": "joint", "mass": "share"},
    "counts of labels": {"kind": "categorical", "mass": "count"},
    "counts of attributes": {"kind": "continuous", "mass": "count"},
    "counts of both": {"kind": "joint", "mass": "count"},
    "expensive counts": {"kind": "categorical", "mass": "count", "unmatched_cost": 0.9},
    "sizes": {"kind": "joint", "mass": "share", "size_weight": 0.3},
}
NUMBER_MODELS = {
    "ridge": wg.GraphRegressor(wg.WWL(depth=1), gamma=0.5, alpha=0.01),
    "svr": wg.GraphRegressor(wg.WWL(depth=1), gamma=0.5, regressor="svr", C=10.0),
    "gp": wg.GraphGaussianProcess(wg.WWL(depth=1)),
}


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def three_classes(demo):
    graphs, y = demo
    model = wg.GraphClassifier(**model_options(kind="joint", standardize=False, **FIXED))
    return model.fit(graphs[:40], y[:40], names=[f"g{i}" for i in range(40)])


def check_sums(explanation, value):
    assert explanation.value == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert explanation.node_scores.sum() == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert explanation.base + explanation.contributions.sum() == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert explanation.node_scores.shape == (explanation.graph.n_nodes,)
    assert (np.diff(np.abs(explanation.contributions)) <= 0).all()
    assert explanation.shares.sum() == pytest.approx(1.0)


# Sums


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_scores_of_two_classes_sum_to_the_decision(embedding):
    model = wg.GraphClassifier(**model_options(**FIXED, **EMBEDDINGS[embedding])).fit(SMILES, ALCOHOL)
    for smiles in NEW:
        (decision,) = model.decision_function(smiles)
        check_sums(model.explain(smiles, classes=(1, 0)), decision)
        check_sums(model.explain(smiles, classes=(0, 1)), -decision)
        predicted = model.explain(smiles)
        assert predicted.classes == ((1, 0) if decision > 0 else (0, 1))
        check_sums(predicted, abs(decision))


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("name", NUMBER_MODELS)
def test_scores_of_numbers_sum_to_the_prediction(name, embedding):
    model = NUMBER_MODELS[name].set_params(metric=wg.WWL(1, **EMBEDDINGS[embedding]))
    model.fit(SMILES, [len(text) + 0.5 * is_alcohol for text, is_alcohol in zip(SMILES, ALCOHOL, strict=True)])
    for smiles in NEW:
        explanation = model.explain(smiles)
        assert explanation.classes is None
        check_sums(explanation, model.predict(smiles)[0])


def test_every_pair_of_three_classes_is_explained(three_classes, demo):
    model, graph = three_classes, demo[0][45]
    distances = wg.distances(
        graph, model.graphs_[model.support_], metric=wg.WWL(depth=1, kind="joint", standardize=False)
    )
    kernel = wg.kernels.laplacian_kernel(distances, 1.0)[0]
    for pair, (one, other) in enumerate(class_pairs(3).tolist()):
        decision = model.intercept_[pair] + kernel @ model.dual_coef_[pair]
        check_sums(model.explain(graph, classes=[one, other]), decision)
        check_sums(model.explain(graph, classes=np.array([other, one])), -decision)
        decides = model.support_[np.flatnonzero(model.dual_coef_[pair])]
        explanation = model.explain(graph, classes=(one, other))
        assert sorted(explanation.positions.tolist()) == decides.tolist()
        assert set(explanation.targets.tolist()) <= {one, other}


def test_the_predicted_class_is_compared_with_the_one_that_comes_closest(three_classes, demo):
    graphs, _ = demo
    for graph in graphs[40:46]:
        scores = three_classes.decision_function(graph)[0]
        one, other = three_classes.explain(graph).classes
        assert one == three_classes.predict(graph)[0]
        assert other == max(set(range(3)) - {one}, key=lambda each: scores[each])


def test_indefinite_kernels():
    """Pairs of corners of a square, and single corners, have a kernel with a negative eigenvalue."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    chosen = [[corner] for corner in range(4)] + [list(pair) for pair in itertools.combinations(range(4), 2)]
    graphs = wg.from_edges(
        [[] for _ in chosen], n_nodes=[len(each) for each in chosen], node_attributes=[corners[each] for each in chosen]
    )
    y = np.arange(10) % 2
    options = {"depth": 0, "gamma": 0.1, "kind": "continuous", "mass": "share", "standardize": False}
    classifier = wg.GraphClassifier(**model_options(C=1.0, cv=2, **options)).fit(graphs, y)
    regressor = wg.GraphRegressor(**model_options(alpha=0.1, **options)).fit(graphs, y.astype(float))
    assert classifier.n_negative_ == regressor.n_negative_ == 1
    new = wg.from_edges([[]], n_nodes=[2], node_attributes=[np.array([[0.2, 0.3], [0.9, 0.1]])])
    for graph in (new, *graphs):
        check_sums(classifier.explain(graph, classes=(1, 0)), classifier.decision_function(graph)[0])
        check_sums(regressor.explain(graph), regressor.predict(graph)[0])


# What the parts are


def test_a_case_computed_by_hand():
    """One atom against one training graph of each class: labels differ or not, so distances are 0 and 1."""
    model = wg.GraphClassifier(wg.WWL(depth=0, kind="categorical", mass="share"), gamma=1.0, C=0.25, cv=2)
    model.fit(["C", "C", "O", "O"], ["carbon", "carbon", "oxygen", "oxygen"])
    explanation = model.explain("CO")
    # All coefficients have the value C = 0.25, with the sign of the class. Half of the mass of CO moves for either.
    kernel = math.exp(-0.5)
    assert explanation.distances.tolist() == pytest.approx([0.5] * 4)
    assert explanation.contributions.tolist() == pytest.approx([0.0] * 4)  # none is nearer than any other
    # C itself is at the distances 0 and 1: more and less similar than the mean, which speaks for carbon twice.
    own = model.explain("C")
    assert own.contributions.tolist() == pytest.approx([0.125 * (1 - math.exp(-1))] * 4)
    assert own.shares.tolist() == pytest.approx([0.25] * 4)
    # For carbon: the oxygen of CO is moved to either carbon graph, and its carbon to either oxygen graph.
    explanation = model.explain("CO", classes=("carbon", "oxygen"))
    lost = 2 * 0.25 * (1 - kernel)
    shared = explanation.base / 2  # the coefficients of the two classes sum to 0
    assert explanation.node_base == pytest.approx(explanation.base)
    assert explanation.node_scores.tolist() == pytest.approx([shared + lost, shared - lost])
    assert explanation.value == pytest.approx(explanation.base, abs=1e-12)


def test_scores_follow_the_formula(demo):
    graphs, _ = demo
    model = wg.GraphRegressor(wg.WWL(depth=1, kind="categorical", mass="count", size_weight=0.2), gamma=0.3, alpha=0.01)
    model.fit(graphs[:20], np.log(graphs[:20].sizes))
    graph = graphs[30]
    n = graph.n_nodes
    expected = np.full(n, (model.intercept_ + model.dual_coef_.sum()) / n)
    for training, coefficient in zip(model.graphs_, model.dual_coef_, strict=True):
        plan = wg.transport_plan(graph, training, metric=wg.WWL(depth=1, kind="categorical", mass="count"))
        size = 0.2 * abs(math.log(n) - math.log(training.n_nodes))
        distance = plan.cost + size
        if distance > 0:
            loss = coefficient * (1 - math.exp(-0.3 * distance))
            expected -= loss * (plan.source_costs + size / n) / distance
    explanation = model.explain(graph)
    # Plans differ by exchanges of nodes that are alike: their mean score is the same for all plans.
    groups = alike_nodes(wg.WWL(depth=1, kind="categorical").embed(graph))
    for group in range(groups.max() + 1):
        assert explanation.node_scores[groups == group].mean() == pytest.approx(expected[groups == group].mean())


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_nodes_that_are_alike_have_the_same_score(kind):
    model = wg.GraphClassifier(wg.WWL(depth=2, kind=kind), gamma=1.0, C=10.0, cv=2).fit(SMILES, ALCOHOL)
    scores = model.explain("Cc1ccccc1").node_scores  # the two sides of toluene are mirror images
    np.testing.assert_allclose(scores[[2, 3]], scores[[6, 5]], rtol=1e-12, atol=1e-12)
    ring = model.explain("c1ccccc1").node_scores
    np.testing.assert_allclose(ring, ring[0], rtol=1e-12, atol=1e-12)


def test_alike_nodes():
    path = wg.from_networkx([nx.path_graph(4)])
    assert alike_nodes(wg.WWL(depth=0, kind="categorical").embed(path)).tolist() == [0, 1, 1, 0]
    embedding = wg.WWL(depth=0, kind="joint").embed(wg.from_smiles("CCO"))
    assert len(set(alike_nodes(embedding).tolist())) == 3  # carbons with two and three hydrogens


def test_atoms_that_bind_water_lower_the_free_energy_of_hydration(molecules_home):
    """Water binds to oxygen and nitrogen: on average, a model of measured numbers scores them lower than carbon."""
    with (molecules_home / "FreeSolv.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    order = np.random.default_rng(0).permutation(len(rows))[:180]
    smiles, y = [rows[i]["smiles"] for i in order], [float(rows[i]["expt"]) for i in order]
    model = wg.GraphRegressor(wg.WWL(depth=1, kind="categorical", mass="share"), gamma=0.1, alpha=0.1).fit(
        smiles[:150], y[:150]
    )
    explained = [model.explain(each) for each in smiles[150:]]
    labels = np.concatenate([each.graph.node_labels for each in explained])
    scores = np.concatenate([each.node_scores for each in explained])
    carbon, nitrogen, oxygen = (scores[labels == number].mean() for number in (6, 7, 8))
    assert max(nitrogen, oxygen) < carbon - 0.5


def test_a_training_graph_has_the_distance_zero():
    model = NUMBER_MODELS["gp"].set_params(metric=wg.WWL(1, **EMBEDDINGS["joint"]))
    model.fit(SMILES, np.arange(len(SMILES)), names=SMILES)
    explanation = model.explain("CCCN")
    number = explanation.names.tolist().index("CCCN")
    assert explanation.distances[number] == pytest.approx(0.0, abs=1e-12)
    assert explanation.targets[number] == 4
    kernel = np.exp(-model.best_params_["gamma"] * explanation.distances)
    expected = model._process.coefficients[explanation.positions] * (kernel - kernel.mean())
    np.testing.assert_allclose(explanation.contributions, expected, rtol=1e-9)
    base = model._process.mean + kernel.mean() * model._process.coefficients.sum()
    assert explanation.base == pytest.approx(base)
    assert (model.names_[explanation.positions] == explanation.names).all()


def test_training_graphs_are_marked_that_decide_nothing(demo):
    graphs, y = demo
    model = wg.GraphClassifier(**model_options(kind="joint", **FIXED)).fit(graphs[:40], y[:40])
    others = np.setdiff1d(np.arange(40), model.support_)
    assert len(others)
    assert all(model.explain(graphs[position]).training_row for position in (others[0], model.support_[0]))
    assert model.explain(graphs[50]).training_row is False


@pytest.mark.parametrize("gamma", [1e-6, 1e-4])
def test_what_is_similar_to_everything_does_not_cancel(demo, gamma):
    """With a small gamma, coefficients grow as 1 / gamma, and decisions do not: nor do contributions."""
    graphs, y = demo
    model = wg.GraphClassifier(wg.WWL(depth=1, kind="categorical"), gamma=gamma, C=1 / gamma, cv=2)
    model.fit(graphs[y < 2], y[y < 2])
    explanation = model.explain(graphs[0], classes=(0, 1))
    assert np.abs(model.dual_coef_).max() > 0.1 / gamma
    assert np.abs(explanation.contributions).max() < 10
    assert explanation.base == pytest.approx(model.intercept_[0], abs=1e-6)
    check_sums(explanation, -model.decision_function(graphs[0])[0])


def test_errors_that_cost_nothing_need_no_training_graphs():
    model = wg.GraphRegressor(wg.WWL(depth=0, kind="categorical"), gamma=1.0, C=1.0, regressor="svr", epsilon=5.0)
    model.fit(SMILES, [1.0, 3.0] * 6)
    assert model.predict("CCO")[0] == pytest.approx(2.0)
    explanation = model.explain("CCO")
    assert len(explanation.names) == len(explanation.shares) == 0
    assert explanation.node_scores.tolist() == pytest.approx([2 / 3] * 3)
    assert explanation.groups == ()
    assert [line.split() for line in str(explanation).splitlines()[3:5]] == [["base", "+2"], []]


def test_graphs_need_no_more_than_the_model_uses(demo):
    """A graph may lack labels if the model compares attributes only."""
    graphs, y = demo
    model = wg.GraphClassifier(**model_options(kind="continuous", **FIXED)).fit(graphs[:30], y[:30])
    with_attributes = graphs[30].to_networkx()[0]
    for node in with_attributes:
        del with_attributes.nodes[node]["label"]
    np.testing.assert_allclose(model.explain(with_attributes).node_scores, model.explain(graphs[30]).node_scores)


# Files


def test_a_loaded_model_explains_the_same(three_classes, demo, tmp_path):
    three_classes.save(tmp_path / "m.wgm")
    one, other = (model.explain(demo[0][50]) for model in (three_classes, wg.load_model(tmp_path / "m.wgm")))
    assert one.to_dict() == other.to_dict()
    regressor = wg.GraphRegressor(wg.WWL(depth=1), gamma=1.0, alpha=0.1).fit(demo[0][:30], demo[0][:30].sizes)
    regressor.save(tmp_path / "r.wgm")
    loaded = wg.load_model(tmp_path / "r.wgm").explain(demo[0][50])
    assert regressor.explain(demo[0][50]).to_dict() == loaded.to_dict()
    assert loaded.targets.tolist() == demo[0].sizes[loaded.positions].tolist()


@pytest.mark.parametrize("name", sorted(path.name for path in SPECIMENS.glob("*-v[123]*.wgm")))
def test_models_of_earlier_versions_explain_without_targets(name):
    model, graph = wg.load_model(SPECIMENS / name), wg.datasets.make_demo(8)[0][20]
    explanation = model.explain(graph)
    assert explanation.targets is None
    assert explanation.node_scores.sum() == pytest.approx(explanation.value, abs=1e-9)
    assert "–" in str(explanation)


@pytest.mark.parametrize("name", sorted(path.name for path in SPECIMENS.glob("*-v4*.wgm")))
def test_models_of_version_4_explain_with_targets(name):
    explanation = wg.load_model(SPECIMENS / name).explain(wg.datasets.make_demo(8)[0][20])
    assert len(explanation.targets) == len(explanation.positions)
    assert explanation.node_scores.sum() == pytest.approx(explanation.value, abs=1e-9)


def test_targets_that_do_not_match_are_a_damaged_file(three_classes):
    state = three_classes.to_state()
    arrays = {**state.arrays, "arrays/targets": np.zeros(3)}
    header = {**state.header, "format_version": 3}
    with pytest.raises(ValueError, match="there are 40 training graphs, but the targets are float64"):
        type(three_classes).from_state(state._replace(header=header, arrays=arrays))


# Text


def test_an_explanation_prints_itself(three_classes, demo):
    explanation = three_classes.explain(demo[0][45], classes=(2, 0))
    text, html = str(explanation), explanation._repr_html_()
    assert text.startswith(f"Class 2 against 0: decision {explanation.value:.4g}\n")
    for shown in (text, html):
        for name, share in zip(explanation.names[:5], explanation.shares, strict=False):
            assert name in shown
            assert f"{share:.1%}" in shown
        assert f"{explanation.node_scores[np.abs(explanation.node_scores).argmax()]:+.4g}" in shown
        assert "(label " in shown
        assert explanation.names[5] not in shown.split("node")[0].split()
    number = NUMBER_MODELS["svr"].fit(SMILES, [float(len(text)) for text in SMILES]).explain("CCO")
    assert str(number).startswith("Predicted number ")
    assert "atoms; all scores sum to the value" in str(number)
    json.dumps([explanation.to_dict(), number.to_dict()])


def test_a_progress_bar(three_classes, demo, capsys):
    three_classes.set_params(progress=True)
    explanation = three_classes.explain(demo[0][45])
    assert f"{len(explanation.names)} graphs of {len(explanation.names)} graphs" in capsys.readouterr().err
    three_classes.set_params(progress=False)


# Bad input


def test_one_graph_is_explained_at_a_time(three_classes, demo):
    with pytest.raises(InputError, match="there are 2 graphs, but the prediction of one is explained; pass a single"):
        three_classes.explain(demo[0][:2])


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ((0, 7), "the model does not know the class 7; pass two of 0, 1, 2"),
        ((1, 1), "classes must be two different classes, got 1 twice"),
        ((0, 1, 2), "classes must be two classes, got"),
        ("01", "classes must be two classes, got '01'"),
        (1, "classes must be two classes, got 1"),
    ],
)
def test_classes_that_are_not_two_of_the_model(three_classes, demo, classes, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        three_classes.explain(demo[0][0], classes=classes)


def test_what_the_model_needs_is_checked(three_classes):
    with pytest.raises(InputError, match="no node labels, but the model was trained on"):
        three_classes.explain(nx.path_graph(3))
    with pytest.raises(Exception, match="not fitted"):
        wg.GraphClassifier().explain("CCO")
