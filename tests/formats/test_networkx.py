from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from wassergraph.formats.labels import encode_label

#: What is not read is the topic of test_unused_data.py.
pytestmark = pytest.mark.filterwarnings("ignore::wassergraph.errors.UnusedDataWarning")


@pytest.fixture
def water() -> nx.Graph:
    graph = nx.Graph()
    graph.add_node("O", element="O", position=[0.0, 0.0], charge=-2)
    nx.set_node_attributes(graph, {"O": {"huge": 10**400, "text": "1.5", "complex": 1j}})
    graph.add_node(("H", 1), element="H", position=(1.0, 0.5), charge=1)
    graph.add_node(frozenset({2}), element="H", position=np.array([-1.0, 0.5]), charge=1)
    for node in list(graph)[1:]:
        graph.nodes[node].update(huge=1, text=1, complex=1)
    graph.add_edge("O", ("H", 1), order=1, length=0.96, pair=[1, 2])
    graph.add_edge(frozenset({2}), "O", order=1, length=0.97, pair=[3, 4])
    return graph


def test_everything_by_name(water):
    batch = wg.from_networkx(
        [water, water],
        node_labels="element",
        node_attributes=["position", "charge"],
        edge_weights="length",
        edge_labels="order",
        edge_attributes="pair",
    )
    assert len(batch) == 2
    assert batch[0] == batch[1]
    one = batch[0]
    assert one.node_labels.tolist() == [encode_label("O"), encode_label("H"), encode_label("H")]
    assert one.node_attributes.tolist() == [[0, 0, -2], [1, 0.5, 1], [-1, 0.5, 1]]
    assert one.indices.tolist() == [1, 2, 0, 0]
    assert one.edge_weights.tolist() == [0.96, 0.97, 0.96, 0.97]
    assert one.edge_attributes.tolist() == [[1, 2], [3, 4], [1, 2], [3, 4]]
    assert one.edge_labels.tolist() == [1, 1, 1, 1]


def test_nothing_is_read_that_is_not_named(water):
    batch = wg.from_networkx(water)
    assert len(batch) == 1
    assert batch.node_labels is None
    assert batch.edge_weights is None


@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.petersen_graph(), nx.empty_graph(3), nx.star_graph(4)])
def test_adjacency_equals_networkx(graph):
    weight = "weight" if nx.is_weighted(graph) else None
    batch = wg.from_networkx([graph], edge_weights=weight)
    np.testing.assert_array_equal(batch.adjacency().toarray(), nx.to_numpy_array(graph, weight=weight))


def test_directed_graphs():
    one_way = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    with pytest.raises(ValueError, match=r"graph 0, node 1: the edge to node 2 has no edge back, .*symmetrize=True"):
        wg.from_networkx([one_way])
    assert wg.from_networkx([one_way], symmetrize=True) == wg.from_networkx([nx.path_graph(3)])
    both = nx.DiGraph()
    both.add_weighted_edges_from([(0, 1, 2.0), (1, 0, 3.0)])
    mixed = wg.from_networkx([both, nx.path_graph(2)])
    assert mixed.n_edges == 2
    assert wg.from_networkx(both, edge_weights="weight").edge_weights.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_multigraphs_raise(kind):
    with pytest.raises(
        TypeError, match=rf"graph 1: a {kind.__name__} may have parallel edges; .*networkx\.Graph\(graph\)"
    ):
        wg.from_networkx([nx.path_graph(2), kind([(0, 1), (0, 1)])])


def test_self_loops():
    graph = nx.Graph([(0, 0), (0, 1)])
    assert wg.from_networkx([graph]).n_self_loops == 1
    assert wg.from_networkx([graph], self_loops="drop") == wg.from_networkx([nx.path_graph(2)])


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({"node_labels": "nothing"}, ValueError, "graph 0, node 0: there is no 'nothing', only 'element',"),
        ({"edge_weights": "nothing"}, ValueError, "graph 0, edge 0: there is no 'nothing', only '"),
        ({"node_labels": "position"}, TypeError, "graph 0, node 0: 'position' cannot be a label"),
        ({"node_attributes": "element"}, ValueError, "graph 0, node 0: 'element' is 'O', which is not a number"),
        (
            {"edge_weights": "pair"},
            ValueError,
            r"graph 0, edge 0: 'pair' must be a single number, got an array of shape \(2,\)",
        ),
        ({"node_attributes": []}, ValueError, "node_attributes is an empty list; pass None"),
        ({"node_labels": "huge"}, ValueError, "graph 0: the label .* does not fit into 64 bits"),
        ({"node_attributes": "huge"}, ValueError, "'huge' is 1.*, which is not a number"),
        ({"node_attributes": "text"}, ValueError, "graph 0, node 0: 'text' is '1.5', which is not a number"),
        ({"node_attributes": "complex"}, ValueError, "'complex' is .* which is not a number"),
    ],
)
def test_bad_names_and_values(water, names, error, message):
    with pytest.raises(error, match=message):
        wg.from_networkx([water], **names)


def test_ragged_and_infinite_values(water):
    water.nodes[("H", 1)]["position"] = [1.0]
    with pytest.raises(ValueError, match=r"graph 0, node 1: 'position' has the shape \(1,\), but \(2,\) for node 0"):
        wg.from_networkx([water], node_attributes="position")
    water.nodes["O"]["charge"] = float("inf")
    with pytest.raises(ValueError, match="graph 0, node 0: node_attributes is inf in column 0"):
        wg.from_networkx([water], node_attributes="charge")


def test_no_graphs_and_things_that_are_not_graphs():
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.from_networkx([])
    with pytest.raises(ValueError, match="graph 0: the graph has no nodes"):
        wg.from_networkx([nx.Graph()])
    with pytest.raises(TypeError, match="graph 0: the type str is not a networkx graph"):
        wg.from_networkx(["graph"])
