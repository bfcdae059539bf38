"""Isomorphism of labelled graphs, compared with networkx."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from wassergraph.search.isomorphism import are_isomorphic, color, count_different


def relabelled(graph, seed):
    """Return the same graph with its nodes in another order."""
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    shuffled = nx.Graph()
    shuffled.add_nodes_from(sorted(order))
    copy = nx.relabel_nodes(graph, dict(enumerate(order)))
    shuffled.add_nodes_from(copy.nodes(data=True))
    shuffled.add_edges_from(copy.edges(data=True))
    return shuffled


def random_graph(seed, *, labelled=True):
    """Return a small random graph, with labels that often coincide."""
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(int(rng.integers(1, 7)), 0.5, seed=seed)
    for _, data in graph.nodes(data=True):
        data["label"] = int(rng.integers(0, 2)) if labelled else 0
    for _, _, data in graph.edges(data=True):
        data["bond"] = int(rng.integers(0, 2)) if labelled else 0
    if rng.random() < 0.2:
        graph.add_edge(0, 0, bond=0)
    return graph


def batch_of(graphs):
    return wg.from_networkx(graphs, node_labels="label", edge_labels="bond")


def answers(batch):
    colored = list(color(batch))
    return [[are_isomorphic(one, other) for other in colored] for one in colored]


@pytest.mark.parametrize("labelled", [True, False])
def test_answers_are_those_of_networkx(labelled):
    graphs = [random_graph(seed, labelled=labelled) for seed in range(40)]
    graphs += [relabelled(graph, seed) for seed, graph in enumerate(graphs)]
    same = {"node_match": lambda a, b: a["label"] == b["label"], "edge_match": lambda a, b: a["bond"] == b["bond"]}
    expected = [[nx.is_isomorphic(one, other, **same) for other in graphs] for one in graphs]
    found = answers(batch_of(graphs))
    assert found == expected
    assert 0 < np.sum(found) - len(graphs) < len(graphs) ** 2 / 2


@pytest.mark.parametrize("field", ["node_labels", "node_attributes", "edge_weights", "edge_labels", "edge_attributes"])
def test_all_data_counts(field):
    path = wg.from_edges([[(0, 1), (1, 2), (2, 3)]] * 2, symmetrize=True)
    n = path.n_nodes if field.startswith("node") else path.n_arcs
    values = np.zeros(n // 2) if field != "edge_attributes" else np.zeros((n // 2, 2))
    values = values if field != "node_attributes" else np.zeros((n // 2, 1))
    values = values.astype(np.int64 if "labels" in field else np.float64)
    other = values.copy()
    other[0] += 1
    assert count_different(replace(path, **{field: np.concatenate([values, values])}), [np.arange(2)]) == [1]
    assert count_different(replace(path, **{field: np.concatenate([values, other])}), [np.arange(2)]) == [2]
    mirrored = np.concatenate([other, other[::-1]])  # the path from its other end
    assert count_different(replace(path, **{field: mirrored}), [np.arange(2)]) == [1]


def test_the_two_directions_of_an_edge_may_differ():
    pairs = wg.from_edges([[(0, 1), (1, 0), (2, 3), (3, 2)]] * 2)
    there, back = [1, 2, 1, 2], [1, 2, 2, 1]  # each graph has two edges with the data 1 and 2, in either direction
    assert count_different(replace(pairs, edge_labels=np.array(there + back)), [np.arange(2)]) == [1]
    cycle = wg.from_edges([[(0, 1), (1, 2), (2, 0)]] * 2, symmetrize=True)
    around, mixed = [1, 2, 2, 1, 1, 2], [1, 1, 2, 1, 2, 2]  # once around, and two edges against the third
    assert count_different(replace(cycle, edge_labels=np.array(around + mixed)), [np.arange(2)]) == [2]


def test_zeros_of_either_sign_are_equal():
    pair = replace(wg.from_edges([[(0, 1)]] * 2, symmetrize=True), node_attributes=np.array([[0.0], [1], [-0.0], [1]]))
    assert count_different(pair, [np.arange(2)]) == [1]


def shrikhande():
    graph = nx.Graph()
    for i in range(4):
        for j in range(4):
            graph.add_edges_from(((i, j), ((i + a) % 4, (j + b) % 4)) for a, b in ((0, 1), (1, 0), (1, 1)))
    return nx.convert_node_labels_to_integers(graph)


def test_graphs_that_no_depth_tells_apart():
    """Two strongly regular graphs with the same parameters; and a triangle twice, beside a ring of six."""
    rook = nx.convert_node_labels_to_integers(nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    assert answers(wg.from_networkx([rook, shrikhande(), relabelled(shrikhande(), 1)]))[1] == [False, True, True]
    triangles = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3))
    assert answers(wg.from_networkx([triangles, nx.cycle_graph(6)])) == [[True, False], [False, True]]


def test_a_search_that_gives_up_is_unknown():
    graphs = wg.from_networkx([nx.line_graph(nx.complete_bipartite_graph(4, 4)), shrikhande(), nx.path_graph(3)])
    assert count_different(graphs, [np.arange(2)], max_steps=50) == [None]
    assert count_different(graphs, [np.arange(2), np.array([1, 2])], max_steps=1000) == [None, 2]
    assert count_different(graphs, [np.arange(2)]) == [2]


def test_many_equal_nodes_need_no_search():
    graphs = wg.from_networkx([nx.complete_graph(80), nx.complete_graph(80), nx.star_graph(79)])
    assert count_different(graphs, [np.arange(3)], max_steps=200) == [2]
