from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from rdkit import RDLogger

import wassergraph as wg
from tu_files import make_folder, make_zip
from wassergraph.cli.messages import as_flag
from wassergraph.datasets import load
from wassergraph.datasets.download import UnknownDatasetError
from wassergraph.datasets.inputs import load_graphs
from wassergraph.datasets.reading import ReadingOptions
from wassergraph.errors import InputError, UnusedDataWarning
from wassergraph.formats.labels import encode_label

#: What is not read is the topic of test_unused_data.py.
pytestmark = pytest.mark.filterwarnings("ignore::wassergraph.errors.UnusedDataWarning")

RDLogger.DisableLog("rdApp.*")


@pytest.fixture(autouse=True)
def _no_download(monkeypatch):
    def refuse(name, folder):
        raise UnknownDatasetError(f"there is no data set {name!r}")

    monkeypatch.setattr(load, "download_dataset", refuse)


def table(folder: Path, text: str, name: str = "molecules.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


# TU data sets


@pytest.mark.parametrize("place", ["folder", "zip", "name in data_home", "name here"])
def test_tu_data_sets_equal_load_dataset(tmp_path, monkeypatch, place):
    folder = make_folder(tmp_path / "TINY")
    monkeypatch.chdir(tmp_path if place == "name here" else folder)
    path = {"folder": folder, "zip": make_zip(tmp_path / "other.ZIP")}.get(place, "TINY")
    source = load_graphs(path, ReadingOptions(data_home=tmp_path if place == "name in data_home" else None))
    graphs, y = wg.load_dataset(folder)
    assert source.graphs == graphs
    assert source.y.tolist() == y.tolist() == [1, -1]
    assert source.names == ["0", "1"]


def test_demo_and_edge_rules(tmp_path):
    assert len(load_graphs("demo", ReadingOptions(empty_graphs="drop")).names) == 60
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_A.txt").write_text("1, 2\n3, 3\n")
    with pytest.raises(ValueError, match="has no edge back"):
        load_graphs(folder)
    assert load_graphs(folder, ReadingOptions(symmetrize=True, self_loops="drop")).graphs.n_edges == 1
    with pytest.raises(ValueError, match="self_loops must be one of"):
        load_graphs(folder, ReadingOptions(self_loops="nonsense"))
    with pytest.raises(ValueError, match="empty_graphs must be one of"):
        load_graphs(folder, ReadingOptions(empty_graphs="nonsense"))


@pytest.mark.parametrize("by_name", [True, False])
def test_names_of_tu_graphs_stay_when_others_are_dropped(tmp_path, by_name):
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_graph_indicator.txt").write_text("2\n2\n4\n")
    (folder / "TINY_graph_labels.txt").write_text("1\n2\n3\n4\n")
    with pytest.raises(ValueError, match='empty_graphs="drop"'):
        load_graphs(folder)
    source = load_graphs("TINY" if by_name else folder, ReadingOptions(data_home=tmp_path, empty_graphs="drop"))
    assert (source.names, source.y.tolist()) == (["1", "3"], [2, 4])


def test_published_data_sets_are_recognized_by_their_content(tmp_path, monkeypatch, data_home):
    make_folder(tmp_path / "MUTAG")
    shutil.copy(data_home / "MUTAG.zip", tmp_path / "mine.zip")
    monkeypatch.chdir(tmp_path)
    assert load_graphs("mine.zip").published == "MUTAG"
    assert load_graphs("MUTAG", ReadingOptions(data_home=data_home)).published == "MUTAG"
    assert load_graphs("MUTAG").published is None
    assert load_graphs("demo").published is None
    assert load_graphs(table(tmp_path, "smiles\nC\n")).published is None


NUMBERS = "0.5, 7\n1.5, 8\n"


@pytest.mark.parametrize(
    ("files", "target", "name", "task", "values"),
    [
        ({"graph_attributes": "0.5\n1.5\n"}, None, None, "classification", [1, -1]),
        ({"graph_attributes": "0.5\n1.5\n"}, "auto", None, "classification", [1, -1]),
        ({"graph_attributes": "0.5\n1.5\n"}, "labels", "labels", "classification", [1, -1]),
        ({"graph_attributes": "0.5\n1.5\n"}, "attributes", "attributes", "regression", [0.5, 1.5]),
        ({"graph_attributes": NUMBERS}, "attributes:2", "attributes:2", "regression", [7.0, 8.0]),
        ({"graph_attributes": NUMBERS, "graph_labels": None}, None, None, None, None),
        ({"graph_attributes": "0.5, nan\n1.5, 8\n"}, "attributes:1", "attributes:1", "regression", [0.5, 1.5]),
        ({"graph_attributes": "1\n0\n", "graph_labels": None}, None, "attributes", "regression", [1.0, 0.0]),
        ({"graph_labels": "0.5\n1\n"}, None, "labels", "regression", [0.5, 1.0]),
        ({"graph_labels": "3, 0\n4, 1\n"}, "labels:2", "labels:2", "classification", [0, 1]),
        ({"graph_labels": None}, None, None, None, None),
    ],
)
def test_targets_of_tu_data_sets(tmp_path, files, target, name, task, values):
    source = load_graphs(make_folder(tmp_path / "TINY", **files), ReadingOptions(target=target))
    assert len(source.graphs) == 2
    if task is None:
        assert source.target is None
    else:
        assert (source.target.name, source.target.task, source.y.tolist()) == (name, task, values)
        assert source.y.dtype == (np.int64 if task == "classification" else np.float64)


def test_the_task_of_a_tu_data_set_may_be_given(tmp_path):
    folder = make_folder(tmp_path / "TINY", graph_attributes="0.5\n2\n")
    numbers = load_graphs(folder, ReadingOptions(task="regression"))
    assert (numbers.target.name, numbers.y.tolist()) == ("labels", [1.0, -1.0])
    assert str(numbers) == "2 graphs, target labels: numbers from −1 to 1 → regression"
    classes = load_graphs(folder, ReadingOptions(target="attributes", task="classification"))
    assert str(classes) == "2 graphs, target attributes: 2 classes (0.5: 1, 2: 1) → classification"
    assert load_graphs("demo", ReadingOptions(task="regression")).target.name == "labels"


def test_a_model_predicts_one_column_of_a_tu_data_set(tmp_path):
    folder = make_folder(tmp_path / "TINY", graph_attributes=NUMBERS, graph_labels=None)
    message = (
        r"TINY: the graph attributes have 2 columns, and a model predicts one; train one model for each column: "
        r"target=\"attributes:1\" for the first, up to attributes:2"
    )
    for options in ({"need_target": True}, {"target": "attributes"}):
        with pytest.raises(ValueError, match=message):
            load_graphs(folder, ReadingOptions(**options))


# Folders of graph files


def chain(*elements: str, **edge_data: float | str) -> nx.Graph:
    """Make a chain of atoms; networkx calls its nodes n0, n1, …"""
    graph = nx.Graph()
    for number, element in enumerate(elements):
        graph.add_node(f"n{number}", element=element, charge=number, mass=number / 2)
    graph.add_edges_from([(f"n{i}", f"n{i + 1}", edge_data) for i in range(len(elements) - 1)])
    return graph


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "graphs"
    path.mkdir()
    nx.write_graphml(chain("C", "C", "O", length=1.5), path / "b.graphml")
    nx.write_gml(chain("C", "N", length=2.0), path / "a.GML")
    nx.write_graphml(chain("O", "O", length=2.5), path / "c.d.GraphML")
    (path / "readme.txt").write_text("not a graph")
    (path / "._b.graphml").write_text("what macOS leaves behind")
    return path


CHAINS = [chain("C", "N", length=2.0), chain("C", "C", "O", length=1.5), chain("O", "O", length=2.5)]


def test_graph_files_in_the_order_of_their_names(folder):
    source = load_graphs(
        folder, ReadingOptions(node_labels="element", node_attributes=["charge", "mass"], edge_weights="length")
    )
    assert source.names == ["a.GML", "b.graphml", "c.d.GraphML"]
    assert source.y is None
    assert source.graphs == wg.from_networkx(
        CHAINS, node_labels="element", node_attributes=["charge", "mass"], edge_weights="length"
    )
    assert load_graphs(str(folder), ReadingOptions(node_labels="element")).graphs == wg.from_networkx(
        CHAINS, node_labels="element"
    )


def test_one_graph_file(folder):
    """Its name is that of the file, and a table beside it is about a folder."""
    file = folder / "b.graphml"
    (folder / "labels.csv").write_text("file,class\nnothing.gml,1\n")
    source = load_graphs(file)
    assert (len(source.graphs), source.names, source.target) == (1, [file.name], None)
    (folder / "own.csv").write_text(f"file,class\n{file.name},b\n")
    assert load_graphs(file, ReadingOptions(labels_file=folder / "own.csv")).y.tolist() == ["b"]


def test_nothing_by_convention_where_nothing_has_its_names(folder):
    assert load_graphs(folder).graphs == wg.from_networkx(CHAINS)


def test_the_convention_of_as_batch(tmp_path):
    for name, label in [("a", "C"), ("b", "O")]:
        graph = chain("C", "C", weight=0.5, label=2)
        nx.set_node_attributes(graph, label, "label")
        nx.set_node_attributes(graph, 1.5, "attributes")
        nx.write_graphml(graph, tmp_path / f"{name}.graphml")
    batch = load_graphs(tmp_path).graphs
    assert batch.node_labels.tolist() == [encode_label(label) for label in "CCOO"]
    assert batch.node_attributes.tolist() == [[1.5]] * 4
    assert batch.edge_weights.tolist() == [0.5] * 4
    assert batch.edge_labels.tolist() == [2] * 4
    nx.write_graphml(chain("C"), tmp_path / "c.graphml")
    with pytest.raises(
        ValueError, match=r"c\.graphml, node 0: there is no 'label', but other nodes have it; add it to"
    ):
        load_graphs(tmp_path)
    # Names of node data do not change what is read of the edges, and the other way round.
    assert load_graphs(tmp_path, ReadingOptions(node_labels="element")).graphs.edge_weights.tolist() == [0.5] * 4
    (tmp_path / "c.graphml").unlink()
    assert load_graphs(tmp_path, ReadingOptions(edge_label_name="label")).graphs.node_attributes.tolist() == [[1.5]] * 4


def test_usual_data_that_some_edges_lack_is_not_read_if_nodes_are_named(tmp_path):
    graph = chain("C", "C", "O", weight=0.5)
    del graph.edges["n0", "n1"]["weight"]
    nx.write_graphml(graph, tmp_path / "a.graphml")
    with pytest.warns(UnusedDataWarning, match="the edges have 'weight', which is not read"):
        assert load_graphs(tmp_path, ReadingOptions(node_labels="element")).graphs.edge_weights is None


def test_edge_labels_and_positions_are_named(tmp_path):
    graph = chain("C", "O", bond="single")
    nx.set_node_attributes(graph, {"n0": 1.0, "n1": 2.0}, "lon")
    nx.set_node_attributes(graph, {"n0": 3.0, "n1": 4.0}, "lat")
    nx.write_graphml(graph, tmp_path / "a.graphml")
    names = {"node_labels": "element", "edge_label_name": "bond", "node_positions": ["lon", "lat"]}
    first = load_graphs(tmp_path, ReadingOptions(**names))
    for source in (first, load_graphs(tmp_path, ReadingOptions(like=first.reading))):
        assert source.graphs.vocabulary.edge_labels == {encode_label("single"): "single"}
        assert source.graphs.node_positions.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    with pytest.warns(UnusedDataWarning) as caught:
        load_graphs(tmp_path, ReadingOptions(node_labels="element"))
    assert "pass --edge-label-name bond to read it" in caught[0].message.describe(as_flag)
    with pytest.raises(InputError, match="edge_label_name applies to a graph file or a folder of them"):
        load_graphs("drugs", ReadingOptions(edge_label_name="bond"))


GML = 'graph [ node [ id 5 label "{}" ] node [ id 3 label "{}" ] edge [ source 5 target 3 ] ]'


def test_labels_in_gml_are_names_of_nodes_unless_one_repeats(tmp_path):
    (tmp_path / "a.gml").write_text(GML.format("C", "O"))
    assert load_graphs(tmp_path).graphs.node_labels is None
    expected = [encode_label("C"), encode_label("O")]
    assert load_graphs(tmp_path, ReadingOptions(node_labels="label")).graphs.node_labels.tolist() == expected
    (tmp_path / "b.gml").write_text(GML.format("C", "C"))
    assert load_graphs(tmp_path).graphs.node_labels.tolist() == [*expected, expected[0], expected[0]]
    (tmp_path / "b.gml").write_text(GML.replace('label "{}"', "").format())
    assert load_graphs(tmp_path).graphs.node_labels is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.csv", "file,class\nc.d,yes\na.GML,no\nb,no\n"),
        ("labels.tsv", "name\ty\nb.graphml\tno\na\tno\nc.d.GraphML\tyes\n"),
        ("classes.csv", "\ufefffile,class\r\nb.graphml,no\r\na,no\r\nc.d,yes\r\n"),
        ("mine.txt", "file,class\na,no\nb,no\nc.d,yes\n"),
    ],
)
def test_classes_from_a_table(folder, name, text):
    table(folder, text, name)
    source = load_graphs(folder, ReadingOptions(labels_file=folder / name if name == "mine.txt" else None))
    assert source.y.tolist() == ["no", "no", "yes"]
    other = table(folder.parent, "file,class\na,1\nb,2\nc.d,3\n", "other.csv")
    assert load_graphs(folder, ReadingOptions(labels_file=str(other))).y.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "file,class\na,1\nb,2\n",
            r"labels\.csv: there is no row for c\.d\.GraphML; add one below the header",
        ),
        ("a,1\nb,2\nc.d,3\n", r"labels\.csv: there is no row for a\.GML; add one below the header"),
        (
            "file,class\na,1\nb,2\nc.d,3\nd,4\n",
            r"labels\.csv, line 5: 'd' is not a graph file of the folder; use the name",
        ),
        (
            "file,class\na,1\nb,2\nb.graphml,2\nc.d,3\n",
            r"labels\.csv, line 4: 'b\.graphml' has a row already; list each",
        ),
        (
            "file,class\na,1\nb,\nc.d,3\n",
            r"labels\.csv, line 3: the cell of 'class' is empty; every file needs a class",
        ),
        ("file,y\na,1.5\nb,nan\nc.d,3\n", r"labels\.csv, line 3: the cell of 'y' is 'nan'; every file needs a class"),
        ("file,y\na,1.5\nb,2.5\nc.d,NA\n", r"labels\.csv, line 4: the cell of 'y' is 'NA'; every file needs a class"),
        ("file,y\na,1.5\nb,inf\nc.d,3\n", r"labels\.csv, line 3: 'inf' in the column 'y' is not a number"),
        ("file,y\na,1.5\nb,high\nc.d,3\n", r"labels\.csv, line 3: 'high' in the column 'y' is not a number"),
        ("file,class,more\na,1,1\n", r"labels\.csv: the file has 3 columns; use two columns, file and class"),
        ("file\na\n", r"labels\.csv: the file has 1 column; use two"),
        ("", r"labels\.csv: the file is empty"),
    ],
)
def test_bad_tables_of_classes(folder, text, message):
    table(folder, text, "labels.csv")
    with pytest.raises(ValueError, match=message):
        load_graphs(folder, ReadingOptions(need_target=True))


def test_numbers_from_a_table(folder):
    table(folder, "file,length\nc.d,1.25\na,-2\nb,0.5\n", "labels.csv")
    source = load_graphs(folder, ReadingOptions(need_target=True))
    assert str(source) == "3 graphs, target length: numbers from −2 to 1.25 → regression"
    assert source.y.tolist() == [-2.0, 0.5, 1.25]
    table(folder, "file,length\nc.d,1.25\na,nan\nb,\n", "labels.csv")
    source = load_graphs(folder)
    assert (source.target.values.tolist(), source.target.positions.tolist()) == ([1.25], [2])
    table(folder, "file,length\nc.d,nan\na,nan\nb,\n", "labels.csv")
    assert load_graphs(folder).target is None


def test_ambiguous_tables_and_files_raise(folder):
    table(folder, "file,class\na,1\nb,2\nc.d,3\n", "labels.csv")
    path = table(folder, "file,class\na,4\nb,5\nc.d,6\n", "classes.csv")
    with pytest.raises(ValueError, match=r"there are labels\.csv and classes\.csv; pass the one to use as labels_file"):
        load_graphs(folder)
    assert load_graphs(folder, ReadingOptions(labels_file=path)).y.tolist() == [4, 5, 6]
    with pytest.raises(
        FileNotFoundError, match=r"nothing\.csv: it does not exist; pass a \.csv or \.tsv file as labels_file"
    ):
        load_graphs(folder, ReadingOptions(labels_file=folder / "nothing.csv"))
    nx.write_gml(chain("C"), folder / "b.gml")
    with pytest.raises(ValueError, match=r"classes\.csv, line 3: 'b' may be b\.gml or b\.graphml; use the name of one"):
        load_graphs(folder, ReadingOptions(labels_file=path))


def test_graphs_without_nodes(folder):
    nx.write_graphml(nx.Graph(), folder / "b.graphml")
    table(folder, "file,class\na,1\nb,x\nc.d,3\n", "labels.csv")
    with pytest.raises(ValueError, match=r"b\.graphml: the graph has no nodes; remove it"):
        load_graphs(folder)
    source = load_graphs(folder, ReadingOptions(node_labels="element", empty_graphs="drop"))
    assert (source.names, source.y.tolist()) == (["a.GML", "c.d.GraphML"], [1, 3])
    assert source.graphs == wg.from_networkx([CHAINS[0], CHAINS[2]], node_labels="element")


def test_directed_graphs_and_self_loops(folder):
    nx.write_graphml(nx.DiGraph([(0, 1), (1, 1)]), folder / "b.graphml")
    with pytest.raises(ValueError, match=r"b\.graphml, node 0: the edge to node 1 has no edge back, .*symmetrize=True"):
        load_graphs(folder)
    assert load_graphs(folder, ReadingOptions(symmetrize=True, self_loops="drop")).graphs.sizes.tolist() == [2, 2, 2]
    assert load_graphs(folder, ReadingOptions(symmetrize=True, self_loops="drop")).graphs.n_edges == 3
    with pytest.raises(ValueError, match=r"b\.graphml, node 1: the edge to node 1 is a self-loop"):
        load_graphs(folder, ReadingOptions(symmetrize=True, self_loops="error"))


def test_multigraphs(folder):
    nx.write_graphml(nx.MultiGraph([(0, 1), (0, 1)]), folder / "b.graphml")
    with pytest.raises(TypeError, match=r"b\.graphml: a MultiGraph may have parallel edges"):
        load_graphs(folder)
    nx.write_gml(nx.MultiGraph([(0, 1), (0, 1)]), folder / "a.GML")
    with pytest.raises(TypeError, match=r"a\.GML: a MultiGraph may have parallel edges"):
        load_graphs(folder)


def test_missing_data_raises(folder):
    with pytest.raises(ValueError, match=r"a\.GML, node 0: there is no 'color'"):
        load_graphs(folder, ReadingOptions(node_labels="color"))
    with pytest.raises(ValueError, match=r"a\.GML, node 0: 'element' is 'C', which is not a number"):
        load_graphs(folder, ReadingOptions(node_attributes=["charge", "element"]))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.graphml", "", r"x\.graphml: the file cannot be read as GraphML: no element found"),
        ("x.graphml", "<graphml><graph>", r"x\.graphml: the file cannot be read as GraphML: no element found"),
        ("x.graphml", "<html/>", r"x\.graphml: the file cannot be read as GraphML: "),
        (
            "x.graphml",
            '<graphml><graph edgedefault="undirected"/><graph edgedefault="undirected"/></graphml>',
            r"x\.graphml: there are 2 graphs; use one file per graph",
        ),
        (
            "x.graphml",
            '<graphml><graph edgedefault="undirected"><node id="a"/><node id="a"/></graph></graphml>',
            r"x\.graphml: the node 'a' is listed 2 times; list it once",
        ),
        (
            "x.graphml",
            '<graphml><graph edgedefault="undirected"><node id="a"/><edge source="a" target="b"/></graph></graphml>',
            r"x\.graphml: an edge names the node 'b', which is not listed; list",
        ),
        ("x.gml", "", r"x\.gml: the file cannot be read as GML: input contains no graph"),
        ("x.gml", "graph [ node [ id 0 ]", r"x\.gml: the file cannot be read as GML: "),
        (
            "x.gml",
            GML.format("a", "b").replace("target 3", "target 4"),
            "x.gml: the file cannot be read as GML: .*undefined target",
        ),
        ("x.gml", "graph [ node [ id 0 ] node [ id 0 ] ]", r"x\.gml: the file cannot be read as GML: .*duplicated"),
        ("x.gml", "graph [ ] graph [ ]", r"x\.gml: the file cannot be read as GML: .*more than one graph"),
    ],
)
def test_broken_files(folder, name, text, message):
    (folder / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        load_graphs(folder)


# What is what


def test_missing_sources_raise(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    accepted = r"pass the name of a TU data set, .*\.smi .*\.graphml or \.gml"
    for path in (tmp_path / "nothing", "no/such/folder", "nothing.csv", "nothing.GraphML", "nothing.zip"):
        with pytest.raises(FileNotFoundError, match=rf"{Path(path).name}: it does not exist; {accepted}"):
            load_graphs(path)
    with pytest.raises(UnknownDatasetError, match=rf"there is no data set 'NOTHING'.* {accepted}"):
        load_graphs("NOTHING")
    with pytest.raises(ValueError, match="the name of the data set is empty"):
        load_graphs("")


def test_unknown_kinds_of_sources_raise(tmp_path, monkeypatch):
    (tmp_path / "thing.xlsx").write_text("")
    with pytest.raises(
        ValueError, match=r"thing\.xlsx: graphs cannot be read from this kind of file; pass the name of a TU"
    ):
        load_graphs(tmp_path / "thing.xlsx")
    for path in (tmp_path, str(tmp_path)):
        with pytest.raises(
            ValueError, match=r"contains neither a TU data set nor \.graphml or \.gml files; pass the name"
        ):
            load_graphs(path)
    make_folder(tmp_path / "TINY")
    nx.write_gml(chain("C"), tmp_path / "a.gml")
    with pytest.raises(ValueError, match=r"contains both a TU data set and \.graphml or \.gml files; pass the name"):
        load_graphs(tmp_path)


def test_names_take_precedence_over_local_folders(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert load_graphs("graphs").names[0] == "a.GML"
    make_folder(folder.parent / "home" / "graphs")
    assert load_graphs("graphs", ReadingOptions(data_home="home")).names == ["0", "1"]
    assert load_graphs("./graphs", ReadingOptions(data_home="home")).names[0] == "a.GML"
    (folder.parent / "demo").mkdir()
    assert load_graphs("demo").names[-1] == "59"


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (
            "graphs",
            {"target": "y"},
            "graphs: target applies to a table of molecules or a TU data set, but this is a graph file or a folder of "
            "them; remove target",
        ),
        (
            "demo",
            {"smiles_column": "s"},
            "demo: smiles_column applies to a table of molecules, but this is a TU data set; remove smiles_column",
        ),
        (
            "demo",
            {"node_labels": "label"},
            "demo: node_labels applies to a graph file or a folder of them, but this is a TU data set",
        ),
        (
            "graphs",
            {"smiles_column": "s"},
            "graphs: smiles_column applies to a table of molecules, but this is a graph file or a folder of them",
        ),
        (
            "a.csv",
            {"labels_file": "b.csv"},
            "a.csv: labels_file applies to a graph file or a folder of them, but this is a table of molecules",
        ),
    ],
)
def test_options_for_another_kind_of_source(folder, monkeypatch, source, options, message):
    monkeypatch.chdir(folder.parent)
    table(folder.parent, "smiles,y\nC,1\n", "a.csv")
    with pytest.raises(ValueError, match=message):
        load_graphs(source, ReadingOptions(**options))


def test_each_kind_loads_only_what_it_needs(tmp_path):
    code = "import sys; from wassergraph.datasets.inputs import *; load_graphs(sys.argv[1]); print(*sys.modules)"
    path = table(tmp_path, "smiles\nC\n")
    run = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert "rdkit" in loaded
    assert not loaded & {"networkx", "igraph", "torch", "pandas", "sklearn"}
