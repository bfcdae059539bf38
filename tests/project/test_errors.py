"""Errors carry their facts as fields, and the sentence is put together from the fields."""

from __future__ import annotations

import pickle
import re

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from wassergraph.datasets.download import DownloadError, UnknownDatasetError
from wassergraph.errors import InputError, InputTypeError, MissingFileError, Option, Place, StructuredError
from wassergraph.graphs.invariants import check_choice, check_whole
from wassergraph.graphs.packing import Repeats

KINDS = [InputError, InputTypeError, MissingFileError, DownloadError, UnknownDatasetError]


def fields(error):
    return error.graph, error.node, error.edge


# The sentence


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ({}, "it is wrong"),
        ({"graph": 3}, "graph 3: it is wrong"),
        ({"graph": 3, "node": 1}, "graph 3, node 1: it is wrong"),
        ({"graph": 3, "edge": 1}, "graph 3, edge 1: it is wrong"),
        ({"node": 1}, "node 1: it is wrong"),
        ({"file": "a.csv"}, "a.csv: it is wrong"),
        ({"file": "a.csv", "line": 2}, "a.csv, line 2: it is wrong"),
        ({"file": "a.gml", "graph": 3, "node": 1}, "a.gml, node 1: it is wrong"),
    ],
)
def test_where(where, sentence):
    assert str(InputError("it is wrong", **where)) == sentence
    assert str(InputError("it is wrong", remedy="fix it", **where)) == f"{sentence}; fix it"


def test_options_are_spelled_as_parameters_or_as_flags():
    options = [Option("self_loops", "drop"), Option("data_home")]
    error = InputError("{} is wrong", remedy="pass {}", options=options)
    assert str(error) == 'self_loops="drop" is wrong; pass data_home'
    assert error.describe(Option.as_flag) == "--self-loops drop is wrong; pass --data-home"
    assert error.option == "self_loops"
    assert InputError("wrong").option is None


@pytest.mark.parametrize("text", ["'{}'", "{0}", "{", "{}{}"])
def test_braces_in_the_text_of_a_user_are_kept(text):
    error = InputError(f"{text} is wrong", remedy="pass {}", options=[Option("repeats", "last")])
    assert str(error) == f'{text} is wrong; pass repeats="last"'
    error = InputError(f"{{}} must not be {text}", options=[Option("C")])
    assert str(error) == f"C must not be {text}"
    assert str(InputError(text)) == text


def test_several_graphs():
    error = InputError("'x(' is wrong", remedy="fix it", graph=1, also=[(3, "'y('"), (4, "'z('")])
    assert str(error) == "graph 1: 'x(' is wrong (also graph 3: 'y(', graph 4: 'z('); fix it"
    places = [Place("a.csv", line) for line in range(2, 7)]
    assert str(error.in_places(places)) == "a.csv, line 3: 'x(' is wrong (also line 5: 'y(', line 6: 'z('); fix it"
    files = [Place(f"{name}.gml") for name in "abcde"]
    assert str(error.in_places(files)) == "b.gml: 'x(' is wrong (also d.gml: 'y(', e.gml: 'z('); fix it"


def test_in_file_and_in_places_keep_the_fields():
    error = InputTypeError("wrong", remedy="pass {}", options=[Option("C")], graph=np.int64(1), node=np.int64(2))
    for moved in (error.in_file("b.gml"), error.in_places([Place("a.gml"), Place("b.gml")])):
        assert type(moved) is InputTypeError
        assert str(moved) == "b.gml, node 2: wrong; pass C"
        assert (moved.graph, moved.node, moved.file, moved.line, moved.option) == (1, 2, "b.gml", None, "C")
    assert str(InputError("wrong").in_places([])) == "wrong"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_structured_and_can_be_pickled(kind):
    error = kind("{} is wrong", remedy="fix it", options=[Option("C")], graph=1, node=2, also=[(3, "x")])
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, StructuredError)
    assert type(again) is kind
    assert str(again) == str(error) == "graph 1, node 2: C is wrong (also graph 3: x); fix it"
    assert again.describe(Option.as_flag) == "graph 1, node 2: --C is wrong (also graph 3: x); fix it"
    assert error.args == (str(error),)


def test_kinds_are_what_callers_catch():
    assert issubclass(InputError, ValueError)
    assert issubclass(InputTypeError, TypeError)
    assert issubclass(MissingFileError, FileNotFoundError)
    assert issubclass(MissingFileError, ValueError)
    assert issubclass(DownloadError, OSError)
    assert issubclass(UnknownDatasetError, LookupError)
    assert issubclass(UnknownDatasetError, ValueError)
    error = UnknownDatasetError("there is no X", remedy="check it")
    assert str(error.with_advice("or pass a path")) == "there is no X; check it; or pass a path"


def test_check_whole_and_check_choice():
    assert check_whole("depth", np.int32(0), 0) == 0
    with pytest.raises(InputError, match=r"^depth must be at least 0, got -1$") as caught:
        check_whole("depth", -1, 0)
    assert caught.value.describe(Option.as_flag) == "--depth must be at least 0, got -1"
    with pytest.raises(InputTypeError, match=r"^depth must be a whole number, got 0\.5$"):
        check_whole("depth", 0.5, 0)
    check_choice("repeats", "last", Repeats)
    with pytest.raises(InputError, match=r"^repeats must be one of 'error', 'first', 'last', got '\{\}'$") as caught:
        check_choice("repeats", "{}", Repeats)
    assert caught.value.option == "repeats"


# Numbers of graphs, nodes and edges, in a graph that is not the first: its global node ids differ from its own

# A path 0–1–2, an edge 3–4, and a path 5–6–7.
THREE = {
    "node_ptr": [0, 3, 5, 8],
    "indptr": [0, 1, 3, 4, 5, 6, 7, 9, 10],
    "indices": [1, 0, 2, 1, 4, 3, 6, 5, 7, 6],
}
LAST_ARC = 8  # from node 6 to node 7, which are nodes 1 and 2 of graph 2


def changed(values, position, value):
    result = np.array(values)
    result[position] = value
    return result


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"indices": changed(THREE["indices"], LAST_ARC, 9)},
            "there is an edge to node 9, but node ids run from 0 to 7 in this batch",
        ),
        (
            {"indices": changed(THREE["indices"], LAST_ARC - 1, 4)},
            "there is an edge to node 1 of graph 1, but an edge cannot join two graphs",
        ),
        (
            {"indices": changed(THREE["indices"], LAST_ARC - 1, 0)},
            "there is an edge to node 0 of graph 0, but an edge cannot join two graphs",
        ),
        (
            {"indices": changed(THREE["indices"], LAST_ARC - 1, -1)},
            "there is an edge to node -1, but node ids run from 0 to 7 in this batch",
        ),
        ({"indices": [1, 0, 2, 1, 4, 3, 6, 5, 5, 6]}, "the neighbors are repeated or not in rising order; use"),
        ({"indices": [1, 0, 2, 1, 4, 3, 6, 7, 5, 6]}, "the neighbors are repeated or not in rising order; use"),
        (
            {"indices": changed(THREE["indices"], 9, 5)},
            "the edge to node 2 has no edge back, but graphs are undirected",
        ),
        ({"node_attributes": changed(np.zeros((8, 2)), (6, 1), np.nan)}, "node_attributes is nan in column 1; replace"),
        (
            {"edge_weights": changed(np.ones(10), LAST_ARC, np.inf)},
            "edge_weights of the edge to node 2 is inf; replace",
        ),
        (
            {"edge_attributes": changed(np.ones((10, 1)), (LAST_ARC, 0), -np.inf)},
            "edge_attributes of the edge to node 2 is -inf in column 0; replace",
        ),
    ],
)
def test_invalid_arrays_name_the_node_in_its_graph(change, sentence):
    with pytest.raises(InputError, match=re.escape(f"graph 2, node 1: {sentence}")) as caught:
        wg.GraphBatch(**{**THREE, **change})
    assert fields(caught.value) == (2, 1, None)


def test_empty_graph_is_named():
    with pytest.raises(InputError, match=r"^graph 2: the graph has no nodes; remove it") as caught:
        wg.GraphBatch(**{**THREE, "node_ptr": [0, 3, 5, 5, 8]})
    assert fields(caught.value) == (2, None, None)


def test_methods_of_a_batch_name_the_node_in_its_graph():
    batch = wg.GraphBatch(**THREE, node_labels=[1, 1, 1, 1, 1, 1, 7, 1], edge_labels=changed(np.full(10, 4), 8, 5))
    with pytest.raises(InputError, match=r"^graph 2, node 1: the label 7 is not in the alphabet; add it") as caught:
        batch.one_hot_labels([1])
    assert fields(caught.value) == (2, 1, None)
    assert caught.value.option == "unseen"
    message = "^graph 2, node 1: the edge to node 2 would be kept but not the edge back"
    with pytest.raises(InputError, match=message) as caught:
        batch.drop_edges(4)
    assert fields(caught.value) == (2, 1, None)


EDGE = [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("last", "options", "expected", "sentence"),
    [
        (
            [*EDGE, (1, 1)],
            {"self_loops": "error"},
            (2, 1, None),
            "node 1: the edge to node 1 is a self-loop; pass self",
        ),
        ([*EDGE, (1, 2)], {}, (2, 1, None), "node 1: the edge to node 2 has no edge back"),
        ([(0, 1), (1, 2), (2, 0)], {}, (2, 0, None), "node 0: the edge to node 1 has no edge back"),
        ([*EDGE, (1, 3)], {"n_nodes": [2, 2, 3]}, (2, None, 2), "edge 2: the edge (1, 3) names a node out of range"),
        ([*EDGE, (-1, 0)], {}, (2, None, 2), "edge 2: the edge (-1, 0) names a node out of range"),
    ],
)
def test_listed_edges_name_the_node_in_its_graph(last, options, expected, sentence):
    with pytest.raises(InputError, match=re.escape(f"graph 2, {sentence}")) as caught:
        wg.from_edges([EDGE, EDGE, last], **options)
    assert fields(caught.value) == expected


def test_repeated_edges_name_the_node_in_its_graph():
    edges = [EDGE, EDGE, [*EDGE, (1, 2), (2, 1), (1, 2)]]
    message = "^graph 2, node 1: the edge to node 2 is listed repeatedly with different edge_labels, 8 and 9; pass"
    with pytest.raises(InputError, match=message) as caught:
        wg.from_edges(edges, edge_labels=[[1, 1], [1, 1], [1, 1, 8, 1, 9]])
    assert fields(caught.value) == (2, 1, None)
    assert [str(option) for option in caught.value.options] == ['repeats="first"', 'repeats="last"']


@pytest.mark.parametrize(
    ("first", "again", "message"),
    [
        (np.nan, np.nan, r"graph 0, node 0: edge_weights of the edge to node 1 is nan;"),
        (
            np.nan,
            2.0,
            r"graph 0, node 0: the edge to node 1 is listed repeatedly with different edge_weights, nan and 2",
        ),
        (
            2.0,
            np.nan,
            r"graph 0, node 0: the edge to node 1 is listed repeatedly with different edge_weights, 2.0 and n",
        ),
    ],
)
def test_repeated_edges_with_nan(first, again, message):
    with pytest.raises(InputError, match=message):
        wg.from_edges([[*EDGE, (0, 1)]], edge_weights=[[first, 1.0, again]])


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        ({"node_labels": [[1, 1], [1, 1], [1]], "n_nodes": [2, 2, 2]}, InputError, "node_labels has 1 row for 2 nodes"),
        ({"edge_weights": [[1, 1], [1, 1], [1]]}, InputError, "edge_weights has 1 row for 2 listed edges"),
        ({"node_labels": [[1, 1], [1, 1], [0.5, 1]]}, InputTypeError, "node_labels must be integers, got float64"),
        (
            {"node_attributes": [np.ones((2, 1))] * 2 + [np.ones((2, 3))]},
            InputError,
            "node_attributes has 3 columns, but 1 in",
        ),
        ({"node_attributes": [np.ones((2, 1))] * 2 + [[[1], [1, 2]]]}, InputError, "the rows of node_attributes have"),
    ],
)
def test_data_of_lists_names_the_graph(options, kind, sentence):
    with pytest.raises(kind, match=re.escape(f"graph 2: {sentence}")) as caught:
        wg.from_edges([EDGE, EDGE, EDGE], **options)
    assert fields(caught.value) == (2, None, None)


def networkx_graphs(node_value, edge_value):
    """Return three paths of three nodes; in the last one, node 2 and edge 1 have other values."""
    graphs = [nx.path_graph(3) for _ in range(3)]
    for graph in graphs:
        nx.set_node_attributes(graph, 1.0, "x")
        nx.set_edge_attributes(graph, 1.0, "w")
    graphs[2].nodes[2]["x"] = node_value
    graphs[2].edges[1, 2]["w"] = edge_value
    return graphs


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "there is no {!r}; add it to every {}"),
        ("a", "{!r} is 'a', which is not a number"),
        ([1.0, 2.0], "{!r} has the shape (2,), but () for {} 0"),
    ],
)
@pytest.mark.parametrize("of_nodes", [True, False])
def test_named_data_names_the_node_or_edge(of_nodes, value, sentence):
    graphs = networkx_graphs(value, value)
    names, expected, thing = ({"node_attributes": "x"}, (2, 2, None), "node") if of_nodes else (
        {"edge_attributes": "w"}, (2, None, 1), "edge"
    )  # fmt: skip
    place = f"graph 2, {thing} {2 if of_nodes else 1}: "
    with pytest.raises(InputError, match=re.escape(place + sentence.format("x" if of_nodes else "w", thing))) as caught:
        wg.from_networkx(graphs, **names)
    assert fields(caught.value) == expected


def test_labels_name_the_node_or_edge():
    graphs = networkx_graphs(1.0, 1.0)
    for graph in graphs:
        nx.set_node_attributes(graph, "a", "x")
        nx.set_edge_attributes(graph, "a", "w")
    graphs[2].nodes[1]["x"] = 0.5
    graphs[2].edges[1, 2]["w"] = 0.5
    with pytest.raises(InputTypeError, match=r"^graph 2, node 1: 'x' cannot be a label: .* got 0.5 of") as caught:
        wg.from_networkx(graphs, node_labels="x")
    assert fields(caught.value) == (2, 1, None)
    with pytest.raises(InputTypeError, match=r"^graph 2, edge 1: 'w' cannot be a label: .* got 0.5 of") as caught:
        wg.from_networkx(graphs, edge_labels="w")
    assert fields(caught.value) == (2, None, 1)


def test_line_graph_names_the_node_in_its_graph():
    batch = wg.GraphBatch(**THREE, edge_labels=changed(np.full(10, 4), 8, 5))
    message = "^graph 2, node 1: edge_labels of the edge to node 2 differ between the two directions; use"
    with pytest.raises(InputError, match=message) as caught:
        batch.line_graph()
    assert fields(caught.value) == (2, 1, None)
    with pytest.raises(InputError, match=r"^graph 1: there are no edges, hence no line graph; remove") as caught:
        wg.from_networkx([nx.path_graph(2), nx.empty_graph(1)]).line_graph()
    assert fields(caught.value) == (1, None, None)
