from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg

MAKERS = [wg.datasets.make_synthetic_new, wg.datasets.make_synthie, wg.datasets.make_noisy_erdos_renyi]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_data(make):
    graphs, y = make(6, random_state=3)
    again, y_again = make(6, random_state=np.random.default_rng(3))
    assert graphs == again
    assert y.tolist() == y_again.tolist()
    assert graphs != make(6, random_state=4)[0]
    assert graphs.n_self_loops == 0


def edge_sets(graphs):
    return [{tuple(sorted(edge)) for edge in graph.edges} for graph in graphs.to_networkx()]


def test_synthetic_new_follows_its_recipe():
    graphs, y = wg.datasets.make_synthetic_new(random_state=0)
    assert (len(graphs), np.count_nonzero(y == 1), np.count_nonzero(y == -1)) == (300, 150, 150)
    assert set(graphs.sizes) == {100}
    assert {len(edges) for edges in edge_sets(graphs)} == {196}
    degrees = graphs.degrees.reshape(300, 100)
    assert (degrees == degrees[0]).all()
    # A rewiring replaces two edges: at most 10 are lost in class 1, and 20 in class -1.
    every = [edge for edges in edge_sets(graphs) for edge in edges]
    edges, counts = np.unique(every, axis=0, return_counts=True)
    base = {tuple(edge) for edge in edges[counts > 150]}
    assert len(base) == 196
    lost = np.array([len(base - edges) for edges in edge_sets(graphs)])
    assert lost[y == 1].max() == 10
    assert lost[y == -1].max() == 20
    assert lost[y == 1].mean() > 9
    assert lost[y == -1].mean() > 17
    attributes = graphs.node_attributes.reshape(300, 100)
    center = np.median(attributes, axis=0)
    assert np.median(np.abs(attributes - center)) * 1.4826 == pytest.approx(0.45, abs=0.05)
    assert center.std() == pytest.approx(1, abs=0.25)


def test_synthetic_new_resembles_the_published_set(data_home):
    ours, real = (
        wg.datasets.make_synthetic_new(random_state=0)[0],
        wg.load_dataset("SYNTHETICnew", data_home=data_home)[0],
    )
    assert ours.n_edges / 300 == pytest.approx(real.n_edges / 300, rel=0.01)
    assert ours.node_attributes.std() == pytest.approx(real.node_attributes.std(), rel=0.2)


def test_synthie_follows_its_recipe(data_home):
    graphs, y = wg.datasets.make_synthie(random_state=0)
    real, _ = wg.load_dataset("Synthie", data_home=data_home)
    assert np.bincount(y).tolist() == [100] * 4
    assert set(graphs.sizes) == {100}
    assert graphs.node_attributes.shape[1] == real.node_attributes.shape[1] == 15
    assert graphs.n_edges / 400 == pytest.approx(real.n_edges / 400, rel=0.1)
    # Edges inside the ten seeds and between them.
    block = np.arange(graphs.n_nodes) // 10
    between = np.count_nonzero(block[graphs.arc_tails] != block[graphs.indices]) / 2
    assert between == 83 * 400
    # Which cloud a node's attributes come from follows its seed: within a class the mean is a mixture, 4 to 1.
    means = np.array([graphs[y == label].node_attributes.mean(axis=0) for label in range(4)])
    same, other = np.linalg.norm(means[0] - means[3]), np.linalg.norm(means[0] - means[1])
    assert same < 0.3 * other


def test_noisy_families():
    graphs, y = wg.datasets.make_noisy_erdos_renyi(3, 4, noise=[0, 0, 0.1, 0.5], random_state=1)
    assert y.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    for family in range(3):
        first, copy, little, much = graphs[y == family].to_networkx()
        assert nx.is_isomorphic(first, copy)
        assert first.edges != copy.edges
        m = first.number_of_edges()
        assert [g.number_of_edges() for g in (little, much)] == [m - round(0.1 * m), m - round(0.5 * m)]
    assert graphs[0].n_edges == pytest.approx(0.2 * 435, rel=0.3)


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (wg.datasets.make_synthetic_new, {"n_graphs": 0}, "n_graphs must be at least 1, got 0"),
        (wg.datasets.make_synthetic_new, {"n_nodes": 3, "n_edges": 9}, "n_edges=9 is too large for a graph of 3 nodes"),
        (wg.datasets.make_synthetic_new, {"n_nodes": 3, "n_edges": 3}, "5 rewirings are not possible with n_edges=3"),
        (wg.datasets.make_synthie, {"n_graphs": 0}, "n_graphs must be at least 1"),
        (wg.datasets.make_noisy_erdos_renyi, {"noise": 1.5}, "noise must be a number between 0 and 1"),
        (wg.datasets.make_noisy_erdos_renyi, {"noise": [0.1]}, "noise must be a number between 0 and 1, or 20 of them"),
        (wg.datasets.make_noisy_erdos_renyi, {"edge_probability": -1}, "edge_probability must be between 0 and 1"),
        (wg.datasets.make_demo, {"n_recipes": 0}, "n_recipes must be at least 1"),
    ],
)
def test_bad_arguments(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)
