"""Labels that are refined over edge labels: bonds of different types count."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import wassergraph as wg
from made_metrics import evaluate
from oracles import exact_distance, inner_products, optimal_assignment_slowly, partition, wl_labels_slowly
from strategies import batches
from wassergraph import baselines
from wassergraph.metrics.labels import CollisionError, wl_codes

SMILES = [
    "CC",
    "C=C",
    "C#C",
    "c1ccccc1",
    "C1CCCCC1",
    "CCO",
    "CC=O",
    "OCC",
    "CC(=O)Nc1ccc(O)cc1",
    "CC(=O)Oc1ccccc1C(=O)O",
]


@pytest.fixture(scope="module")
def molecules() -> wg.GraphBatch:
    return wg.from_smiles(SMILES, node_attributes=None)


# Codes


@given(batches())
def test_codes_are_the_classes_of_exact_refinement(batch):
    random = np.random.default_rng(batch.n_arcs)
    batch = replace(batch, edge_labels=random.integers(-1, 3, batch.n_arcs))
    labels = batch.degrees if batch.node_labels is None else batch.node_labels
    codes = wl_codes(batch, labels, 3, edge_labels=batch.edge_labels)
    for depth, slow in enumerate(wl_labels_slowly(batch, labels, 3, edge_labels=True)):
        assert partition(codes[depth].tolist()) == partition(slow)


@pytest.mark.parametrize("name", ["MUTAG", "PTC_MR"])
def test_codes_equal_a_dictionary_on_real_data(name, data_home):
    graphs, _ = wg.load_dataset(name, data_home=data_home)
    codes = wg.WWL(depth=3, kind="categorical", edge_labels="use").embed(graphs).codes
    plain = wg.WWL(depth=3, kind="categorical").embed(graphs).codes
    for depth, slow in enumerate(wl_labels_slowly(graphs, graphs.node_labels, 3, edge_labels=True)):
        assert partition(codes[depth].tolist()) == partition(slow)
        assert len(np.unique(codes[depth])) >= len(np.unique(plain[depth]))
    assert len(np.unique(codes[1])) > len(np.unique(plain[1]))


def test_codes_are_the_classes_of_networkx(molecules):
    codes = wg.WWL(depth=3, kind="categorical").embed(molecules).codes
    hashes: list[list[str]] = [[], [], []]
    for graph in molecules.to_networkx():
        named = nx.Graph()
        named.add_nodes_from((node, {"label": f"<{data['label']}>"}) for node, data in graph.nodes(data=True))
        named.add_edges_from((u, v, {"label": f"[{data['label']}]"}) for u, v, data in graph.edges(data=True))
        options = {"edge_attr": "label", "node_attr": "label", "iterations": 3, "digest_size": 16}
        for node in sorted(by_node := nx.weisfeiler_lehman_subgraph_hashes(named, **options)):
            for depth, text in enumerate(by_node[node]):
                hashes[depth].append(text)
    for depth in range(3):
        assert partition(codes[depth + 1].tolist()) == partition(hashes[depth])


def test_without_edge_labels_codes_are_those_of_earlier_versions(molecules):
    """Models that were saved before use these codes."""
    plain = replace(molecules, edge_labels=None, molecules=False)
    old = wg.WWL(depth=2, kind="categorical").embed(plain)
    ignored = wg.WWL(depth=2, kind="categorical", edge_labels="ignore").embed(molecules)
    np.testing.assert_array_equal(old.codes, ignored.codes)
    assert (str(old.features), str(ignored.features)) == ("node labels", "node labels")


def test_neighborhoods_that_differ_in_edge_labels_only_are_seen_as_a_collision(monkeypatch):
    graphs = wg.from_edges([[(0, 1)], [(0, 1)]], node_labels=[[0, 0], [0, 0]], edge_labels=[[1], [2]], symmetrize=True)
    monkeypatch.setattr("wassergraph.metrics.labels.mix", lambda values: values * np.uint64(0) + np.uint64(7))
    with pytest.raises(CollisionError):
        wl_codes(graphs, graphs.node_labels, 1, edge_labels=graphs.edge_labels)


# Distances


@pytest.mark.parametrize("kind", ["auto", "categorical"])
def test_bonds_count_by_default(kind):
    distances = wg.distances(SMILES, metric=wg.WWL(kind=kind))
    apart = distances + np.eye(len(SMILES))
    apart[5, 7] = apart[7, 5] = 1.0  # CCO and OCC are the same molecule
    assert apart.min() > 0
    assert distances[5, 7] == 0
    old = wg.distances(SMILES, metric=wg.WWL(kind="categorical", edge_labels="ignore"))
    assert old[0, 1] == old[0, 2] == old[3, 4] == 0


@pytest.mark.parametrize("kind", ["categorical", "joint"])
def test_distances_equal_pot_at_all_depths(kind):
    graphs = wg.from_smiles(SMILES, node_attributes=["charge", "hydrogens", "degree"])
    embedding = wg.WWL(depth=3, kind=kind).embed(graphs)
    distances = wg.distances(graphs, metric=wg.WWL(depth=range(4), kind=kind))
    for depth in range(4):
        for i, j in [(0, 1), (1, 2), (3, 4), (5, 6), (8, 9), (2, 9)]:
            expected = exact_distance(embedding, embedding, i, j, depth)
            np.testing.assert_allclose(distances[depth, i, j], expected, rtol=0, atol=1e-9)


def test_kernels_of_labels_are_positive_definite(molecules):
    for depth in range(4):
        assert wg.kernels.conditional_definiteness(wg.distances(molecules, metric=wg.WWL(depth=depth))).n_negative == 0


# Comparison kernels


def test_subtrees_and_assignments_over_edge_labels(molecules):
    labels = np.array(wl_labels_slowly(molecules, molecules.node_labels, 2, edge_labels=True))
    counts = [Counter(part.ravel().tolist()) for part in np.split(labels, molecules.node_ptr[1:-1], axis=1)]
    subtrees = baselines.WLSubtree(depth=2).fit_transform(molecules)
    np.testing.assert_array_equal(subtrees, inner_products(counts, counts))
    assert (subtrees != baselines.WLSubtree(depth=2, edge_labels="ignore").fit_transform(molecules)).any()
    assignments = baselines.WLOptimalAssignment(depth=2).fit_transform(molecules)
    np.testing.assert_array_equal(assignments, optimal_assignment_slowly(molecules, 2, edge_labels=True))


# What is used, and where it is said


def test_molecules_are_molecules_after_everything_that_keeps_their_atoms(molecules):
    assert molecules.molecules
    assert molecules[2:5].molecules
    assert wg.GraphBatch.concatenate([molecules, molecules[:2]]).molecules
    assert molecules.keep_edges([1, 2, 3, 12]).molecules
    assert not molecules.degree_labels().molecules
    assert not molecules.line_graph().molecules
    assert not wg.datasets.make_demo()[0].molecules
    assert repr(molecules).startswith("GraphBatch(10 molecules, ")
    assert molecules != replace(molecules, molecules=False)


@pytest.mark.parametrize(
    ("kind", "edge_labels", "uses"),
    [
        ("categorical", "auto", "node labels, edge labels"),
        ("categorical", "ignore", "node labels"),
        ("joint", "use", "node labels, edge labels and node attributes"),
        ("continuous", "auto", "node attributes"),
    ],
)
def test_the_embedding_says_what_it_uses(kind, edge_labels, uses):
    graphs = wg.from_smiles(SMILES, node_attributes="charge")
    assert str(wg.WWL(depth=1, kind=kind, edge_labels=edge_labels).embed(graphs).features) == uses


def test_graphs_that_are_not_molecules_use_edge_labels_on_request_only(molecules):
    graphs = replace(molecules, molecules=False)
    assert str(wg.WWL(depth=1).embed(graphs).features) == "node labels"
    assert str(wg.WWL(depth=1, edge_labels="use").embed(graphs).features) == "node labels, edge labels"
    degrees = replace(graphs, node_labels=None)
    embedding = wg.WWL(depth=1, kind="categorical", edge_labels="use").embed(degrees)
    assert str(embedding.features) == "degrees, edge labels"


def test_the_table_says_what_methods_use(molecules):
    graphs, y = wg.GraphBatch.concatenate([molecules] * 3), np.tile(molecules.sizes > 5, 3)
    few = {"folds": 3, "inner_folds": 2, "search": "metric"}
    report = evaluate(graphs, y, method=["wwl", "wl", "v", "wwl+no-edge-labels"], **few)
    uses = {name: str(row.features) for name, row in report.rows.items()}
    assert uses == {
        "wwl": "node labels, edge labels",
        "wl": "node labels, edge labels",
        "v": "node labels",
        "wwl+no-edge-labels": "node labels",
    }
    ignored = evaluate(graphs, y, method="wwl", edge_labels="ignore", **few)
    assert str(ignored.rows["wwl"].features) == "node labels"


# Models


def test_models_keep_edge_labels(molecules, tmp_path):
    graphs, y = wg.GraphBatch.concatenate([molecules] * 3), np.tile(np.arange(10) % 2, 3)
    model = wg.GraphClassifier(wg.WWL(depth=[1, 2])).fit(graphs, y)
    assert "node labels, edge labels" in model.trained_on()
    model.save(tmp_path / "m.wgm")
    loaded = wg.load_model(tmp_path / "m.wgm")
    np.testing.assert_array_equal(loaded.decision_function(molecules), model.decision_function(molecules))
    with pytest.raises(
        ValueError, match="these graphs have no edge labels, but the model was trained on 30 graphs with"
    ):
        loaded.predict(replace(molecules, edge_labels=None))
    ignoring = wg.GraphClassifier(wg.WWL(depth=[1, 2], edge_labels="ignore")).fit(graphs, y)
    assert ignoring.trained_on() == "30 graphs with node labels, 2 classes"
    assert len(set(ignoring.decision_function(molecules[:3]))) == 1  # CC, C=C and C#C
    assert len(set(model.decision_function(molecules[:3]))) == 3


# Errors


def test_errors(molecules):
    demo, _ = wg.datasets.make_demo()
    with pytest.raises(ValueError, match=r'edge_labels="use" needs edge labels, but these graphs have none'):
        wg.distances(demo, metric=wg.WWL(edge_labels="use"))
    with pytest.raises(
        ValueError, match=r'edge_labels="use" refines node labels, which kind="continuous" does not use'
    ):
        wg.distances(molecules, metric=wg.WWL(kind="continuous", edge_labels="use"))
    with pytest.raises(ValueError, match=r"edge_labels must be .*, got 'yes'"):
        wg.distances(molecules, metric=wg.WWL(edge_labels="yes"))
    without = replace(molecules, edge_labels=None)
    with pytest.raises(ValueError, match="these graphs have no edge labels, but the embedding was learned on graphs"):
        wg.WWL().fit(molecules).transform(without)


def test_a_store_of_other_labels_is_not_continued(molecules, tmp_path):
    wg.distances(molecules, out=tmp_path / "D.zarr")
    with pytest.raises(ValueError, match="features is node labels, edge labels in the store, and node labels now"):
        wg.distances(molecules, metric=wg.WWL(edge_labels="ignore"), out=tmp_path / "D.zarr")
