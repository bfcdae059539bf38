"""The domain of a model: labels that no training graph has are named, and copies of training graphs are at 0."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from made_metrics import model_options
from wassergraph.metrics.node_embedding import Features
from wassergraph.models.unseen import unseen_labels

FERROCENE = "[CH-]1C=CC=C1.[CH-]1C=CC=C1.[Fe+2]"
SMILES = ["CCO", "CCN", "c1ccccc1", "c1ccccc1O", "CC(C)O", "CC(C)N", "CO", "CN", "c1ccncc1", "Cc1ccccc1"]
MODELS = {
    "svm": wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=10.0, cv=2),
    "ridge": wg.GraphRegressor(wg.WWL(depth=1), gamma=0.5, alpha=0.01),
    "gp": wg.GraphGaussianProcess(wg.WWL(depth=1)),
}


def slow_unseen(new, training, field):
    """Return the labels of each new graph that no training graph has, one node or edge at a time."""
    seen = {int(label) for graph in training for label in getattr(graph, field)}
    return [sorted({int(label) for label in getattr(graph, field)} - seen) for graph in new]


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
@pytest.mark.parametrize("name", MODELS)
def test_an_element_that_no_training_graph_has_is_named(name, kind):
    model = MODELS[name].set_params(metric__kind=kind).fit(SMILES, [0.0, 1.0] * 5)
    new = ["CCO", "[Fe]CCO", "BrCC[Fe]"]
    for found in (model.neighbors(new), model.predictions(new).neighbors):
        assert found.unseen.tolist() == ["", "Fe", "Fe, Br"]
        assert found.inside.tolist() == [True, False, False]
    explanation = model.explain(new[1])
    assert explanation.unseen == explanation.to_dict()["unseen"] == "Fe"
    assert "No training graph has Fe: this graph is outside the domain" in str(explanation)
    assert "outside" not in str(model.explain(new[0]))


def test_a_near_graph_with_an_unseen_element_is_outside():
    """Ferrocene is nearly two rings of carbon: by its distance alone it would be inside."""
    options = {"kind": "categorical", "edge_labels": "ignore", "mass": "share"}
    model = wg.GraphClassifier(**model_options(depth=0, gamma=1.0, C=1.0, cv=2, **options))
    model.fit(["C1C=CC=C1", "CCO", "CO", "OO"], [0, 0, 1, 1])
    found = model.neighbors([FERROCENE])
    assert found.distances[0] == pytest.approx(1 / 11)
    assert (found.percentiles[0], found.inside[0], found.unseen[0]) == (0, False, "Fe")


def test_bonds_count_if_they_are_compared():
    training, new = wg.from_smiles(["CCO", "CCN"]), wg.from_smiles(["C=C", "C#N", "CC"])
    used = unseen_labels(new, training, Features.NODE_AND_EDGE_LABELS)
    assert used.tolist() == ["double bond", "triple bond", ""]
    assert unseen_labels(new, training, Features.NODE_LABELS).tolist() == [""] * 3
    without_bonds = wg.from_smiles(["C", "N"])
    assert unseen_labels(new, without_bonds, Features.NODE_AND_EDGE_LABELS)[2] == "single bond"


def test_labels_of_other_graphs_count_if_they_are_compared():
    graphs, _ = wg.datasets.make_demo(8)
    training, rng = graphs[:10], np.random.default_rng(0)
    new = replace(graphs[10:], node_labels=rng.integers(0, 6, graphs[10:].n_nodes))
    expected = slow_unseen(new, training, "node_labels")
    found = unseen_labels(new, training, Features.LABELS_AND_ATTRIBUTES)
    assert found.tolist() == [", ".join(f"label {label}" for label in each) for each in expected]
    assert any(found)
    assert not any(unseen_labels(new, training, Features.NODE_ATTRIBUTES))
    assert not any(unseen_labels(replace(new, node_labels=None), training, Features.DEGREES))


@pytest.mark.parametrize("mass", ["share", "count"])
@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_copies_of_training_graphs_have_distance_and_percentile_zero(kind, mass):
    """Means over neighbors in another order differ in their last digits; the copies are at distance 0 all the same."""
    graphs, y = wg.datasets.make_demo(8)
    rng, copies = np.random.default_rng(1), []
    for graph in graphs.to_networkx():
        order = rng.permutation(len(graph)).tolist()
        copy = nx.Graph()
        copy.add_nodes_from((node, graph.nodes[node]) for node in order)
        copy.add_edges_from(graph.edges(data=True))
        copies.append(copy)
    again = wg.from_networkx(copies, node_labels="label", node_attributes="attributes", edge_weights="weight")
    model = wg.GraphClassifier(wg.WWL(depth=3, kind=kind, mass=mass, standardize=True), gamma=1.0, C=1.0).fit(graphs, y)
    for found in (model.neighbors(again), model.predictions(again).neighbors):
        assert (found.distances == 0).all()
        assert (found.percentiles == 0).all()
        assert found.inside.all()
    assert min(group.distance for group in model.explain(again[3]).groups) == 0
