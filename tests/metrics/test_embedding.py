from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wassergraph as wg
from made_metrics import metric_of
from oracles import partition, wl_labels_slowly
from strategies import batches
from wassergraph.metrics import scheme
from wassergraph.metrics.embed import embed_new
from wassergraph.metrics.labels import CollisionError, wl_codes

LABELED = ["MUTAG", "PTC_MR", "NCI1", "DD", "ENZYMES", "PROTEINS", "BZR", "COX2", "BZR_MD", "COX2_MD"]


@given(batches())
def test_codes_are_the_classes_of_exact_refinement(batch):
    labels = batch.degrees if batch.node_labels is None else batch.node_labels
    codes = wl_codes(batch, labels, 3)
    for depth, slow in enumerate(wl_labels_slowly(batch, labels, 3)):
        assert partition(codes[depth].tolist()) == partition(slow)


@pytest.mark.parametrize("name", LABELED)
def test_codes_equal_a_dictionary_on_real_data(name, data_home):
    graphs, _ = wg.load_dataset(name, data_home=data_home)
    codes = wg.WWL(depth=3, kind="categorical").embed(graphs).codes
    for depth, slow in enumerate(wl_labels_slowly(graphs, graphs.node_labels, 3)):
        assert partition(codes[depth].tolist()) == partition(slow)


def test_codes_do_not_depend_on_the_batch_or_the_process():
    graphs, _ = wg.datasets.make_demo()
    codes = wg.WWL(depth=2, kind="categorical").embed(graphs).codes
    alone = wg.WWL(depth=2, kind="categorical").embed(graphs[7]).codes
    np.testing.assert_array_equal(alone, codes[:, graphs.node_ptr[7] : graphs.node_ptr[8]])
    metric, made = "wg.WWL(depth=2, kind='categorical')", "wg.datasets.make_demo()[0]"
    code = f"import wassergraph as wg; print({metric}.embed({made}).codes.sum())"
    assert int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) == int(codes.sum())


def test_after_a_collision_all_nodes_are_coded_with_another_salt(monkeypatch):
    real, salts = scheme.wl_codes, []
    graphs, _ = wg.datasets.make_demo()

    def collide_once(graphs, labels, depth, *, edge_labels=None, salt=0):
        salts.append(salt)
        if salt == 0:
            raise CollisionError("two different neighborhoods have the same 64-bit code")
        return real(graphs, labels, depth, salt=salt)

    monkeypatch.setattr(scheme, "wl_codes", collide_once)
    with pytest.warns(UserWarning, match="all nodes are embedded again with another salt"):
        codes = wg.WWL(depth=1, kind="categorical").embed(graphs).codes
    assert salts == [0, 1]
    assert (codes != real(graphs, graphs.node_labels, 1)).any()


def test_the_check_sees_a_collision(monkeypatch):
    monkeypatch.setattr("wassergraph.metrics.labels.mix", lambda values: values * np.uint64(0))
    graphs, _ = wg.datasets.make_demo()
    with pytest.raises(CollisionError, match="same 64-bit code"):
        wl_codes(graphs, graphs.node_labels, 2)


def test_graphs_of_other_libraries_are_converted():
    graphs = [nx.path_graph(3), nx.cycle_graph(4)]
    converted, direct = wg.WWL(depth=2).embed(graphs), wg.WWL(depth=2).embed(wg.from_networkx(graphs))
    np.testing.assert_array_equal(converted.points, direct.points)


def test_points_follow_the_formula():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 0.5)])
    graph.add_node(3)
    nx.set_node_attributes(graph, {0: [1.0, 0.0], 1: [2.0, 4.0], 2: [3.0, 0.0], 3: [8.0, 2.0]}, "x")
    batch = wg.from_networkx(graph, node_attributes="x", edge_weights="weight")
    points = wg.WWL(depth=1, standardize=False).embed(batch).points
    expected = [
        [(1 + 2 * 2) / 2, (0 + 2 * 4) / 2],
        [(2 + (2 * 1 + 0.5 * 3) / 2) / 2, (4 + 0) / 2],
        [(3 + 0.5 * 2) / 2, (0 + 0.5 * 4) / 2],
        [4.0, 1.0],
    ]
    np.testing.assert_allclose(points[:, 2:], expected)
    kept = wg.WWL(depth=1, standardize=False, isolated_nodes="keep").embed(batch).points
    assert kept[3].tolist() == [8.0, 2.0, 8.0, 2.0]
    unweighted = wg.WWL(depth=1, standardize=False).embed(replace(batch, edge_weights=None)).points
    assert unweighted[0, 2:].tolist() == [1.5, 2.0]


@given(batches(), st.integers(0, 3))
def test_upto_is_the_smaller_embedding_without_copying(batch, depth):
    full = wg.WWL(depth=3).embed(batch)
    part, direct = full.upto(depth), wg.WWL(depth=depth).embed(batch)
    for ours, theirs, whole in [(part.codes, direct.codes, full.codes), (part.points, direct.points, full.points)]:
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_array_equal(ours, theirs)
            assert ours.size == 0 or np.shares_memory(ours, whole)
    with pytest.raises(ValueError, match="this embedding has the depths 0 to 3"):
        full.upto(4)


def test_auto_takes_what_the_paper_takes(data_home):
    def chosen(graphs, **options):
        result = metric_of(depth=1, **options).embed(graphs)
        return result.kind, result.features

    enzymes = wg.load_dataset("ENZYMES", data_home=data_home)[0]
    assert chosen(enzymes) == ("continuous", "node attributes")
    assert chosen(wg.load_dataset("MUTAG", data_home=data_home)[0]) == ("categorical", "node labels")
    assert chosen(wg.load_dataset("IMDB-BINARY", data_home=data_home)[0]) == ("continuous", "degrees")
    bonded = wg.load_dataset("BZR_MD", data_home=data_home)[0].drop_edges(1).weights_from_attributes()
    assert chosen(bonded) == ("continuous", "one-hot labels")
    assert wg.WWL(depth=1).embed(bonded).dim == 8
    assert chosen(enzymes, kind="joint") == ("joint", "node labels and node attributes")
    assert chosen(wg.from_edges([[(0, 1), (1, 0)]]), kind="categorical") == ("categorical", "degrees")


def test_standardizing_is_learned_on_the_training_graphs():
    graphs, _ = wg.datasets.make_demo()
    train, test = graphs[:30], graphs[30:]
    scheme = wg.WWL(standardize=True).learn(train)
    points = scheme.embed(train, 0).points
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(points.std(axis=0), 1)
    np.testing.assert_allclose(
        scheme.embed(test, 0).points,
        (test.node_attributes - train.node_attributes.mean(axis=0)) / train.node_attributes.std(axis=0),
    )
    constant = replace(train, node_attributes=np.ones((train.n_nodes, 1)))
    assert (wg.WWL(depth=0, standardize=True).embed(constant).points == 0).all()


def test_new_graphs_with_unseen_labels_work_and_of_another_kind_do_not():
    graphs, _ = wg.datasets.make_demo()
    labeled = replace(graphs, node_attributes=None)
    scheme = wg.WWL(standardize=False).learn(labeled)
    assert scheme.features == "one-hot labels"  # because the demo set has edge weights
    unseen = replace(labeled, node_labels=labeled.node_labels + 1)
    assert scheme.embed(unseen, 0).points.sum(axis=1).min() == 0
    with pytest.raises(ValueError, match="have no node attributes, but the embedding was learned"):
        wg.WWL().learn(graphs).embed(labeled, 1)
    with pytest.raises(ValueError, match="these graphs have 1 node attributes, but the embedding was learned with 2"):
        wg.WWL().learn(graphs).embed(graphs.degree_attributes(), 1)
    with pytest.raises(ValueError, match="have no node labels, but the embedding was learned"):
        wg.WWL(kind="categorical").learn(graphs).embed(replace(graphs, node_labels=None), 1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"depth": -1}, ValueError, "depth must be a whole number of at least 0, .*, got -1"),
        ({"depth": 1.5}, TypeError, "depth must be a whole number of at least 0, .*, got 1.5"),
        ({"kind": "nonsense"}, ValueError, "kind must be one of"),
        ({"isolated_nodes": "nonsense"}, ValueError, "isolated_nodes must be one of"),
        (
            {"degrees": True, "kind": "categorical"},
            ValueError,
            "degrees=True adds the degree to node attributes",
        ),
        ({"mass": "count", "unmatched_cost": -1}, ValueError, "unmatched_cost must be positive"),
        ({"label_weight": 1.5}, ValueError, "label_weight must lie between 0 and 1, .*, got 1.5"),
        (
            {"weights": [1.0]},
            ValueError,
            r"weights must have one number for each of the 840 nodes, got the shape \(1,\)",
        ),
        (
            {"weights": np.zeros(840)},
            ValueError,
            "graph 0, node 0: the weight is 0.0; weights must be positive numbers",
        ),
        ({"weights": np.full(840, np.nan)}, ValueError, "graph 0, node 0: the weight is nan"),
    ],
)
def test_bad_options(options, error, message):
    graphs, weights = wg.datasets.make_demo()[0], options.get("weights")
    metric = wg.WWL(**{name: value for name, value in options.items() if name != "weights"})
    with pytest.raises(error, match=message):
        metric.embed(graphs, weights=weights)


def test_bad_graphs():
    with pytest.raises(TypeError, match="graph 0: the type int is not a graph"):
        wg.WWL().embed([7])
    with pytest.raises(ValueError, match=r"kind=\"joint\" needs .*, but these graphs have no node attributes"):
        wg.WWL(kind="joint").embed(wg.from_smiles("CCO", node_attributes=None))
    huge = wg.from_edges([[(0, 1), (1, 0)]], node_attributes=[[[1e308], [1e308]]], edge_weights=[[1e10, 1e10]])
    with (
        pytest.raises(ValueError, match="the averages of the attributes overflow"),
        np.errstate(over="ignore", invalid="ignore"),
    ):
        wg.WWL(depth=3).embed(huge)


@given(batches())
def test_line_graphs_equal_those_of_networkx(batch):
    plain = replace(batch, edge_weights=None, edge_labels=None, edge_attributes=None)
    kept = [graph for graph in plain if graph.n_edges]
    if not kept:
        with pytest.raises(ValueError, match="graph 0: there are no edges, hence no line graph"):
            plain.line_graph()
        return
    dual = wg.GraphBatch.concatenate(kept).line_graph()
    for graph, ours in zip(kept, dual.to_networkx(), strict=True):
        theirs = nx.line_graph(graph.to_networkx()[0])
        theirs.remove_edges_from(list(nx.selfloop_edges(theirs)))
        assert nx.is_isomorphic(ours, theirs)


def test_line_graphs_carry_the_data_of_the_edges():
    dual = wg.from_smiles(["CC=O"]).line_graph()
    assert sorted(dual.node_labels.tolist()) == [1, 2]
    lopsided = wg.from_edges([[(0, 1), (1, 0)]], edge_labels=[[1, 2]])
    with pytest.raises(ValueError, match="edge_labels of the edge to node 1 differ between the two directions"):
        lopsided.line_graph()


# New graphs beside old ones


def clash(monkeypatch, train, new) -> None:
    """Change the code of one new node, for the salt 0, to that of a training node with another neighborhood."""
    real = scheme.wl_codes
    codes = real(train, train.node_labels, 1)

    def wl_codes(graphs, labels, depth, *, edge_labels=None, salt=0):
        result = real(graphs, labels, depth, salt=salt)
        if salt == 0 and len(graphs) == len(new) and depth:
            strange = np.flatnonzero(~np.isin(codes[1], result[1]))[0]
            values, counts = np.unique(result[1], return_counts=True)
            result[1, result[1] == values[counts == 1][0]] = codes[1, strange]
        return result

    monkeypatch.setattr(scheme, "wl_codes", wl_codes)


@pytest.mark.parametrize("kind", ["categorical", "joint"])
def test_a_collision_of_new_graphs_with_old_ones_is_seen(monkeypatch, kind):
    demo, _ = wg.datasets.make_demo()
    train, new = demo[:10], demo[10:15]
    model = wg.WWL(depth=1, kind=kind, standardize=False).fit(train)
    expected = model.transform(new)
    clash(monkeypatch, train, new)
    with pytest.warns(UserWarning, match="same 64-bit code; all nodes are embedded again with another salt"):
        found = model.transform(new)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    with pytest.warns(UserWarning, match="same 64-bit code"):
        function = wg.distances(new, train, metric=wg.WWL(depth=1, kind=kind, standardize=False))
    np.testing.assert_allclose(function, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_new_graphs_are_embedded_beside_old_ones(kind, monkeypatch):
    demo, _ = wg.datasets.make_demo()
    train, new = demo[:10], demo[10:15]
    scheme = wg.WWL(kind=kind).learn(train)
    old = replace(scheme.embed(train, 1), weights=np.ones(train.n_nodes))
    fresh, same = embed_new(scheme, train, old, new)
    assert same is old
    for name in ("codes", "points"):
        ours, theirs = getattr(fresh, name), getattr(scheme.embed(new, 1), name)
        assert ours is theirs is None or np.array_equal(ours, theirs)
    assert len(embed_new(scheme, train, old, new[:0])[0]) == 0
    if kind != "continuous":
        clash(monkeypatch, train, new)
        with pytest.warns(UserWarning, match="all nodes are embedded again"):
            fresh, other = embed_new(scheme, train, old, new)
        assert (other.codes != old.codes).any()
        assert other.weights is old.weights
        assert np.array_equal(fresh.codes, replace(scheme, salt=1).embed(new, 1).codes)


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_edge_weights_must_be_there_for_all_or_none(kind):
    demo, _ = wg.datasets.make_demo()
    plain = replace(demo, edge_weights=None)
    lonely = wg.from_edges([[]], n_nodes=[2], node_attributes=[np.zeros((2, 2))], node_labels=[[0, 1]])
    for train, new, message in [
        (demo, plain, "no edge weights, but .* with edge weights"),
        (plain, demo, "edge weights, but"),
    ]:
        assert wg.distances(train[:3], lonely, metric=wg.WWL(depth=1, kind=kind)).shape == (3, 1)
        assert wg.distances(train[:3], new[:3], metric=wg.WWL(depth=0, kind=kind)).shape == (3, 3)
        if kind == "categorical":
            assert wg.distances(train[:3], new[:3], metric=wg.WWL(depth=1, kind=kind)).shape == (3, 3)
            continue
        with pytest.raises(ValueError, match=f"these graphs have {message}"):
            wg.distances(train[:3], new[:3], metric=wg.WWL(depth=1, kind=kind))
        with pytest.raises(ValueError, match=f"these graphs have {message}"):
            wg.WWL(kind=kind).fit(train[:3]).transform(new[:3])
