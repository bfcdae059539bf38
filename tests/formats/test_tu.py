from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from oracles import read_tu_slowly
from wassergraph.datasets.catalogue import CATALOGUE
from wassergraph.formats.labels import encode_label
from wassergraph.formats.tu.reader import read_tu

# Two graphs, a path 1–2–3 and an edge 4–5, with everything the format has.
COMPLETE = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "graph_attributes": "0.5, 1\n1.5, 2\n",
    "node_labels": "0, 1\n1, 1\n0, 1\n2, 0\n2, 0\n",
    "node_attributes": "0.5\n1.5\n2.5\n3.5\n4.5\n",
    "edge_labels": "7\n7\n8\n8\n9\n9\n",
    "edge_attributes": "1, 2\n3, 4\n5, 6\n7, 8\n9, 10\n11, 12\n",
}


def write(folder: Path, **changes: str | None) -> Path:
    """Write the complete data set with some files changed, or left out (None)."""
    for suffix, text in {**COMPLETE, **changes}.items():
        if text is not None:
            (folder / f"SET_{suffix}.txt").write_text(text)
    return folder


def test_all_files(tmp_path):
    graphs, y = wg.load_dataset(write(tmp_path))
    assert graphs.sizes.tolist() == [3, 2]
    assert graphs.indices.tolist() == [1, 0, 2, 1, 4, 3]
    assert graphs.node_labels.tolist() == [encode_label(pair) for pair in [(0, 1), (1, 1), (0, 1), (2, 0), (2, 0)]]
    assert graphs.node_attributes.tolist() == [[0.5], [1.5], [2.5], [3.5], [4.5]]
    assert graphs.edge_labels.tolist() == [7, 7, 8, 8, 9, 9]
    assert graphs.edge_attributes.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]
    assert y.tolist() == [1, -1]


def test_targets(tmp_path):
    write(tmp_path)
    assert read_tu(tmp_path, target="attributes")[1].tolist() == [[0.5, 1], [1.5, 2]]
    (tmp_path / "SET_graph_labels.txt").write_text("1.0\n2.0\n")
    assert read_tu(tmp_path)[1].dtype == np.int64
    (tmp_path / "SET_graph_labels.txt").write_text("1.5\n2.0\n")
    assert read_tu(tmp_path)[1].tolist() == [1.5, 2.0]
    (tmp_path / "SET_graph_labels.txt").unlink()
    assert read_tu(tmp_path)[1].tolist() == [[0.5, 1], [1.5, 2]]
    with pytest.raises(ValueError, match=r'SET_graph_labels\.txt: the file is missing; .* pass target="attributes"'):
        read_tu(tmp_path, target="labels")
    (tmp_path / "SET_graph_attributes.txt").unlink()
    assert read_tu(tmp_path)[1] is None


@pytest.mark.parametrize("target", ["nonsense", "", "attributes:", "attributes:0", "attributes:-1", "auto:1", "x:1", 2])
def test_other_targets_raise(tmp_path, target):
    message = r"target must be one of 'auto', 'labels' and 'attributes', or .* as in 'attributes:2', got "
    with pytest.raises(ValueError, match=message + re.escape(repr(target))):
        wg.load_dataset(write(tmp_path), target=target)


def test_columns_of_targets(tmp_path):
    write(tmp_path)
    assert wg.load_dataset(tmp_path, target="attributes:1")[1].tolist() == [0.5, 1.5]
    assert wg.load_dataset(tmp_path, target="attributes:2")[1].tolist() == [1.0, 2.0]
    assert wg.load_dataset(tmp_path, target="labels:1")[1].tolist() == [1, -1]
    with pytest.raises(
        ValueError, match=r"attributes\.txt: there is no column 3, only 2 columns; choose .* 1 to 2 with"
    ):
        wg.load_dataset(tmp_path, target="attributes:3")
    with pytest.raises(ValueError, match=r"labels\.txt: there is no column 2, only 1 column; remove the number from t"):
        wg.load_dataset(tmp_path, target="labels:2")
    write(tmp_path, graph_attributes="0.5, 1\n1.5, inf\n")
    assert wg.load_dataset(tmp_path, target="attributes:1")[1].tolist() == [0.5, 1.5]
    message = r"attributes\.txt, line 2: the target inf is not finite; correct it, or remove the graph"
    with pytest.raises(ValueError, match=message):
        wg.load_dataset(tmp_path, target="attributes:2")
    message = (
        r'line 2: the target 1.5, inf is not finite; correct it, choose a column, such as target="attributes:1", or'
    )
    with pytest.raises(ValueError, match=message):
        wg.load_dataset(tmp_path, target="attributes")
    with pytest.raises(ValueError, match=r"demo: target: the graphs have one class each"):
        wg.load_dataset("demo", target="attributes")
    assert wg.load_dataset("demo", target="labels")[1].tolist() == wg.load_dataset("demo")[1].tolist()


def test_attributes_are_numbers_even_if_they_are_whole(tmp_path):
    _, y = read_tu(write(tmp_path, graph_attributes="1\n2\n"), target="attributes")
    assert (y.dtype, y.tolist()) == (np.float64, [1.0, 2.0])


def test_the_order_of_rows_and_of_nodes_does_not_matter(tmp_path):
    graphs, _ = read_tu(write(tmp_path))
    # The same graphs with the nodes of the two interleaved: old ids 1 2 3 4 5 are now 1 3 5 2 4.
    shuffled = tmp_path / "shuffled"
    shuffled.mkdir()
    write(
        shuffled,
        A="2, 4\n5, 3\n3, 5\n1, 3\n3, 1\n4, 2\n",
        graph_indicator="1\n2\n1\n2\n1\n",
        node_labels="0, 1\n2, 0\n1, 1\n2, 0\n0, 1\n",
        node_attributes="0.5\n3.5\n1.5\n4.5\n2.5\n",
        edge_labels="9\n8\n8\n7\n7\n9\n",
        edge_attributes="9, 10\n7, 8\n5, 6\n1, 2\n3, 4\n11, 12\n",
    )
    assert read_tu(shuffled)[0] == graphs


def test_repeated_rows_are_set_not_summed(tmp_path):
    rows = COMPLETE["A"]
    write(
        tmp_path, A=rows * 2, edge_labels=COMPLETE["edge_labels"] * 2, edge_attributes=COMPLETE["edge_attributes"] * 2
    )
    assert read_tu(tmp_path)[0] == read_tu(write(tmp_path))[0]


def test_self_loops_and_graphs_of_one_node(tmp_path):
    write(tmp_path, A="1, 1\n", graph_indicator="1\n2\n", node_labels=None, node_attributes=None)
    write(tmp_path)
    only = dict.fromkeys(COMPLETE)
    folder = tmp_path / "loops"
    folder.mkdir()
    write(folder, **{**only, "A": "1, 1\n", "graph_indicator": "1\n2\n"})
    graphs, y = wg.load_dataset(folder)
    assert (len(graphs), graphs.n_self_loops, y) == (2, 1, None)
    assert wg.load_dataset(folder, self_loops="drop")[0].n_arcs == 0
    with pytest.raises(ValueError, match="is a self-loop"):
        wg.load_dataset(folder, self_loops="error")


@pytest.mark.parametrize("separator", [",", ", ", " , ", "\t", " "])
def test_separators(tmp_path, separator):
    graphs, _ = read_tu(write(tmp_path))
    changed = {name: text.replace(", ", separator) for name, text in COMPLETE.items()}
    assert read_tu(write(tmp_path, **changed))[0] == graphs


def test_windows_line_ends_and_a_missing_last_newline(tmp_path):
    graphs, y = read_tu(write(tmp_path))
    again, y_again = read_tu(write(tmp_path, **{n: t.strip().replace("\n", "\r\n") for n, t in COMPLETE.items()}))
    assert again == graphs
    assert y_again.tolist() == y.tolist()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": None}, r"there is no NAME_A\.txt"),
        ({"A": ""}, r"SET_A\.txt: the file is empty"),
        ({"graph_indicator": ""}, r"SET_graph_indicator\.txt: the file is empty"),
        ({"graph_labels": ""}, r"SET_graph_labels\.txt: the file is empty"),
        ({"node_labels": "1\n2\n"}, r"SET_node_labels\.txt: the file has 2 rows, but SET_graph_indicator\.txt has 5"),
        (
            {"node_attributes": "1\n" * 6},
            r"SET_node_attributes\.txt: the file has 6 rows, but SET_graph_indicator\.txt has 5",
        ),
        ({"edge_labels": "1\n" * 5}, r"SET_edge_labels\.txt: the file has 5 rows, but SET_A\.txt has 6"),
        ({"edge_attributes": "1\n" * 7}, r"SET_edge_attributes\.txt: the file has 7 rows, but SET_A\.txt has 6"),
        (
            {"graph_labels": "1\n2\n3\n"},
            r"SET_graph_indicator\.txt: the largest graph id is 2, but there are targets for 3 graphs",
        ),
        (
            {"graph_labels": "1\n"},
            r"SET_graph_indicator\.txt: the largest graph id is 2, but there are targets for 1 graph;",
        ),
        (
            {"A": COMPLETE["A"].replace("4, 5", "3, 4")},
            r"SET_A\.txt, line 5: the edge 3, 4 joins the graphs with the ids 1 and 2",
        ),
        ({"A": COMPLETE["A"].replace("4, 5", "4, 6")}, r"SET_A\.txt, line 5: the edge 4, 6 names a node out of range"),
        ({"A": COMPLETE["A"].replace("1, 2", "0, 2")}, r"line 1: the edge 0, 2 names a node out of range.*1 to 5"),
        ({"A": "1\n2\n"}, r"SET_A\.txt: the file has 1 column;"),
        ({"A": COMPLETE["A"].replace("2, 3\n", "2, x\n")}, r"SET_A\.txt, line 3: 'x' is not a number"),
        (
            {"A": COMPLETE["A"].replace("2, 3\n", "2\n")},
            r"SET_A\.txt, line 3: 1 value instead of the 2 of the first line",
        ),
        (
            {"A": "1, 2\n2, 1\n2, 3\n1, 3\n4, 5\n5, 4\n"},
            "graph 0, node 0: the edge to node 2 has no edge back, .* symmetrize=True",
        ),
        (
            {"graph_indicator": "1\n1\n1\n3\n3\n", "graph_labels": "1\n1\n1\n"},
            r"the graph with the id 2 has no nodes; pass empty_graphs=\"drop\"",
        ),
        (
            {"graph_indicator": "0\n0\n0\n1\n1\n"},
            r"SET_graph_indicator\.txt, line 1: the graph id is 0; count graphs from 1",
        ),
        ({"graph_indicator": "1, 1\n" * 5}, r"SET_graph_indicator\.txt: the file has 2 columns instead of one"),
        ({"graph_labels": "1\nnan\n"}, r"SET_graph_labels\.txt, line 2: the target nan is not finite; correct it, or"),
        ({"node_attributes": "1\n2\nnan\n4\n5\n"}, "graph 0, node 2: node_attributes is nan in column 0"),
        (
            {"edge_attributes": "1\n2\n3\n4\n5\ninf\n"},
            "graph 1, node 1: edge_attributes of the edge to node 0 is inf in column 0",
        ),
        ({"node_attributes": "1, 2\n2\n3\n4\n5\n"}, r"SET_node_attributes\.txt, line 2: 1 value instead of the 2"),
        ({"node_labels": "1\n2\n0.5\n4\n5\n"}, r"SET_node_labels\.txt, line 3: 0\.5 is not an integer"),
        ({"node_labels": "1\n2\nC\n4\n5\n"}, r"SET_node_labels\.txt, line 3: 'C' is not a number"),
    ],
)
def test_invalid_files_raise(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        wg.load_dataset(write(tmp_path, **changes))


def test_one_way_edges_can_be_completed(tmp_path):
    rows = {"A": "1, 2\n2, 3\n5, 4\n", "edge_labels": "7\n8\n9\n", "edge_attributes": "1, 2\n5, 6\n9, 10\n"}
    graphs, _ = wg.load_dataset(write(tmp_path, **rows), symmetrize=True)
    assert graphs.edge_labels.tolist() == [7, 7, 8, 8, 9, 9]
    assert graphs.edge_attributes[:, 0].tolist() == [1, 1, 5, 5, 9, 9]


def test_graphs_without_nodes_can_be_left_out_with_their_classes(tmp_path):
    write(tmp_path, graph_indicator="2\n2\n2\n4\n4\n", graph_labels="0\n1\n2\n3\n4\n")
    graphs, y = wg.load_dataset(tmp_path, empty_graphs="drop")
    assert graphs.sizes.tolist() == [3, 2]
    assert y.tolist() == [1, 3]
    with pytest.raises(ValueError, match="empty_graphs must be one of"):
        read_tu(tmp_path, empty_graphs="nonsense")


# Real data


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_published_numbers(name, data_home):
    graphs, y = wg.load_dataset(name, data_home=data_home)
    published, summary = CATALOGUE[name], graphs.summary()
    assert (len(graphs), len(np.unique(y))) == (published.graphs, published.classes)
    assert round(summary.nodes.mean, 2) == published.mean_nodes
    assert round(summary.edges.mean, 2) == published.mean_edges


def test_facts_of_the_files(data_home):
    isolated = {"ENZYMES": 106, "NCI1": 428, "Synthie": 1361}
    for name, number in isolated.items():
        assert wg.load_dataset(name, data_home=data_home)[0].summary().n_isolated == number
    bonded = wg.load_dataset("BZR_MD", data_home=data_home)[0].drop_edges(1).weights_from_attributes()
    assert bonded.n_edges < 4 * bonded.n_nodes
    assert 0.9 < bonded.edge_weights.mean() < 1.9  # bond lengths in Ångström
    assert np.unique(wg.load_dataset("MUTAG", data_home=data_home)[1]).tolist() == [-1, 1]


@pytest.mark.parametrize("name", ["MUTAG", "ENZYMES", "BZR_MD", "Synthie", "IMDB-BINARY"])
def test_equal_to_the_slow_reader(name, data_home, tmp_path):
    archive = data_home / f"{name}.zip"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    slow = read_tu_slowly(tmp_path / name, name)
    fast, _ = wg.load_dataset(archive)
    assert fast == wg.load_dataset(tmp_path / name)[0] == wg.load_dataset(tmp_path)[0]
    assert len(slow) == len(fast)
    for expected, graph in zip(slow, fast, strict=True):
        arcs = list(zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True))
        assert arcs == sorted(expected.arcs)
        for values, key, records in [
            (graph.node_labels, "label", expected.nodes),
            (graph.node_attributes, "attributes", expected.nodes),
            (graph.edge_labels, "label", [expected.arcs[arc] for arc in arcs]),
            (graph.edge_attributes, "attributes", [expected.arcs[arc] for arc in arcs]),
        ]:
            if values is None:
                assert not any(key in record for record in records)
            else:
                assert np.reshape(values, (len(records), -1)).tolist() == [record[key] for record in records]


@pytest.mark.parametrize("name", ["MUTAG", "ENZYMES", "COX2_MD"])
def test_equal_to_pytorch_geometric(name, data_home, tmp_path):
    read_tu_data = pytest.importorskip("torch_geometric.io").read_tu_data
    with zipfile.ZipFile(data_home / f"{name}.zip") as packed:
        packed.extractall(tmp_path)
    for readme in tmp_path.rglob("README*"):
        readme.unlink()
    data, slices, _ = read_tu_data(str(tmp_path / name), name)
    graphs, y = wg.load_dataset(data_home / f"{name}.zip")
    assert graphs.node_ptr.tolist() == slices["x"].tolist()
    assert len(graphs) == len(data.y)
    ours = [(graph.arc_tails, graph.indices) for graph in graphs]
    for position, (tails, heads) in enumerate(ours):
        theirs = data.edge_index[:, slices["edge_index"][position] : slices["edge_index"][position + 1]].numpy()
        assert sorted(zip(tails, heads, strict=True)) == sorted(zip(*theirs, strict=True))
    assert np.unique(y, return_inverse=True)[1].tolist() == data.y.tolist()
