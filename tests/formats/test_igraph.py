from __future__ import annotations

import igraph
import networkx as nx
import pytest

import wassergraph as wg

#: What is not read is the topic of test_unused_data.py.
pytestmark = pytest.mark.filterwarnings("ignore::wassergraph.errors.UnusedDataWarning")


def test_everything_by_name_equals_networkx():
    graph = igraph.Graph(n=4, edges=[(0, 1), (1, 2), (2, 2)])
    graph.vs["kind"] = ["C", "N", "C", "O"]
    graph.vs["position"] = [[0, 0], [1, 0], [2, 0], [3, 1]]
    graph.es["weight"] = [0.5, 1.5, 2.5]
    graph.es["order"] = [1, 2, 1]
    theirs = graph.to_networkx()
    names = {
        "node_labels": "kind",
        "node_attributes": ["position"],
        "edge_weights": "weight",
        "edge_labels": "order",
        "edge_attributes": ["weight", "order"],
    }
    batch = wg.from_igraph([graph], **names)
    assert batch == wg.from_networkx([theirs], **names)
    assert (batch.n_self_loops, batch.edge_attributes.shape) == (1, (5, 2))
    assert wg.from_igraph(graph) == wg.from_igraph([graph])


def test_zachary_equals_networkx():
    assert wg.from_igraph(igraph.Graph.Famous("Zachary")) == wg.from_networkx(
        nx.convert_node_labels_to_integers(igraph.Graph.Famous("Zachary").to_networkx())
    )


def test_directed_graphs():
    graph = igraph.Graph(n=2, edges=[(0, 1)], directed=True)
    with pytest.raises(ValueError, match=r"no edge back.*symmetrize=True"):
        wg.from_igraph([graph])
    assert wg.from_igraph([graph], symmetrize=True).n_edges == 1
    assert wg.from_igraph([igraph.Graph.Ring(3), graph], symmetrize=True).n_edges == 4


def test_graphs_without_edges_may_have_no_edge_attributes():
    graphs = [igraph.Graph(n=1), igraph.Graph(n=2, edges=[(0, 1)], edge_attrs={"weight": [2.0]})]
    assert wg.from_igraph(graphs, edge_weights="weight").edge_weights.tolist() == [2.0, 2.0]


def test_bad_input():
    multiple = igraph.Graph(n=2, edges=[(0, 1), (0, 1)])
    with pytest.raises(ValueError, match=r"graph 0: there are parallel edges; merge them with graph\.simplify"):
        wg.from_igraph([multiple])
    with pytest.raises(ValueError, match=r"graph 0, node 0: there is no 'kind', only 'name'"):
        wg.from_igraph([igraph.Graph(n=1, vertex_attrs={"name": ["a"]})], node_labels="kind")
    with pytest.raises(ValueError, match="graph 0, node 1: there is no 'kind'"):
        wg.from_igraph([igraph.Graph(n=2, vertex_attrs={"kind": ["a", None]})], node_labels="kind")
    with pytest.raises(TypeError, match=r"graph 0: the type int is not an igraph\.Graph"):
        wg.from_igraph([3])
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.from_igraph([])
    with pytest.raises(ValueError, match="graph 0: the graph has no nodes"):
        wg.from_igraph([igraph.Graph()])
