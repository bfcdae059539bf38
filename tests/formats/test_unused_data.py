"""What readers find and do not read, names that do not exist, missing attributes, and square arrays of vectors."""

from __future__ import annotations

import json
import warnings

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from wassergraph.cli.messages import as_flag
from wassergraph.errors import ImputedDataWarning, InputError, InputTypeError, UnusedDataWarning
from wassergraph.formats.detect import as_batch
from wassergraph.metrics.not_compared import not_compared


def club() -> nx.Graph:
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, {0: "a", 1: "b", 2: "a", 3: "b"}, "club")
    nx.set_node_attributes(graph, {0: 20, 1: 30, 2: 40, 3: 60}, "age")
    nx.set_edge_attributes(graph, 0.5, "weight")
    return graph


def test_what_is_not_read_is_said_with_the_options_that_read_it():
    with pytest.warns(UnusedDataWarning) as caught:
        wg.from_networkx(club())
    assert str(caught[0].message) == (
        "the nodes have 'club' and 'age' and the edges have 'weight', which are not read; "
        """pass node_labels="club", node_attributes=['age'], edge_weights="weight" to read them"""
    )
    assert caught[0].filename == __file__
    flags = caught[0].message.describe(as_flag)
    assert "pass --node-labels club, --node-attributes age, --edge-weights weight" in flags


def test_of_things_whose_data_is_named_the_rest_is_not_listed():
    with pytest.warns(UnusedDataWarning, match=r"^the edges have 'weight', which is not read"):
        wg.from_networkx(club(), node_labels="club")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wg.from_networkx(club(), node_labels="club", edge_weights="weight")


def test_public_functions_read_the_weights_and_say_the_rest():
    with pytest.warns(UnusedDataWarning, match=r"read the graphs by from_networkx with node_labels=\"club\""):
        batch = as_batch([club()])
    assert batch.edge_weights.tolist() == [0.5] * 6
    with pytest.warns(UnusedDataWarning, match="the nodes have 'club' and 'age', which"):
        wg.distances([club(), club()])


def test_names_and_layouts_are_not_unused_data():
    graph = nx.random_geometric_graph(5, 0.5, seed=1)
    nx.set_node_attributes(graph, "a", "name")
    nx.set_node_attributes(graph, {node: {"style": 1} for node in graph}, "viz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_batch(graph).node_positions.shape == (5, 2)


def test_igraph_says_it_too():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=2, edges=[(0, 1)], vertex_attrs={"kind": ["H", "O"], "name": ["p", "q"]})
    with pytest.warns(UnusedDataWarning, match=r"the nodes have 'kind', which is not read; pass node_labels=\"kind\""):
        batch = wg.from_igraph(graph)
    assert batch.node_names.tolist() == ["p", "q"]


def test_pytorch_geometric_says_it_too():
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    edges = torch.tensor([[0, 1, 0], [1, 0, 1]])
    graph = data.Data(z=torch.tensor([6, 8]), pos=torch.eye(2), edge_index=edges[:, :2], y=torch.tensor([1.0]))
    with pytest.warns(UnusedDataWarning, match=r"the nodes have 'z', which is not read; pass node_labels=\"z\""):
        batch = wg.from_pyg([graph])
    assert batch.node_positions.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    twice = data.Data(edge_index=edges, edge_weight=torch.tensor([1.0, 1.0, 2.0]))
    with pytest.raises(InputError, match=r'pass repeats="first" or repeats="last"'):
        wg.from_pyg([twice], symmetrize=True)
    assert wg.from_pyg([twice], symmetrize=True, repeats="last").edge_weights.tolist() == [2.0, 1.0]


@pytest.mark.filterwarnings("default")
def test_files_on_the_command_line(tmp_path, capsys):
    nx.write_graphml(club(), tmp_path / "a.graphml")
    _, _, messages = run(capsys, "datasets", tmp_path)
    assert "warning: the nodes have 'club' and 'age', which are not read; pass --node-labels club" in messages
    _, output, messages = run(capsys, "datasets", tmp_path, "--node-labels", "club", "--edge-weights", "weight")
    assert "2 kinds (a, b)" in output
    assert messages == ""


def test_a_misspelt_name_lists_those_that_exist():
    with pytest.raises(InputError, match=r"there is no 'clubb', only 'club', 'age'; did you mean 'club'\?"):
        wg.from_networkx(club(), node_labels="clubb")


def test_several_names_of_labels_are_an_error():
    with pytest.raises(
        InputTypeError, match=r"node_labels is the name of one value, got \['club', 'age'\]; pass one of"
    ):
        wg.from_networkx(club(), node_labels=["club", "age"])


# Missing attributes


def holes() -> list[nx.Graph]:
    graphs = [club(), club()]
    del graphs[0].nodes[1]["age"]
    graphs[1].nodes[2]["age"] = float("nan")
    return graphs


READ = {"node_labels": "club", "node_attributes": ["age"], "edge_weights": "weight"}


def test_missing_attributes_are_an_error_that_names_the_remedy():
    with pytest.raises(InputError, match=r"graph 0, node 1: there is no 'age'; .*, or pass impute=\"mean\""):
        wg.from_networkx(holes(), **READ)
    with pytest.raises(InputError, match=r"graph 0, node 2: 'age' is nan; .*, or pass impute=\"mean\""):
        wg.from_networkx(holes()[1], **READ)


def test_missing_attributes_become_the_mean():
    mean = np.mean([20, 40, 60, 20, 30, 60])
    with pytest.warns(ImputedDataWarning, match="^2 missing values of attributes, in 2 of 2 graphs, are the") as caught:
        batch = wg.from_networkx(holes(), **READ, impute="mean")
    assert caught[0].filename == __file__
    assert batch.node_attributes[:, 0].tolist() == pytest.approx([20, mean, 40, 60, 20, 30, mean, 60])
    with pytest.warns(ImputedDataWarning):
        flagged = wg.from_networkx(holes(), **READ, impute="flag")
    assert flagged.node_attributes[:, 0].tolist() == batch.node_attributes[:, 0].tolist()
    assert flagged.node_attributes[:, 1].tolist() == [0, 1, 0, 0, 0, 0, 1, 0]
    assert flagged.vocabulary.node_attributes == ("age", "age missing")
    assert wg.from_networkx(club(), **READ, impute="flag").node_attributes.shape == (4, 2)


def test_an_attribute_without_any_value_has_no_mean():
    graph = club()
    nx.set_node_attributes(graph, float("nan"), "age")
    with pytest.raises(InputError, match="no value at all in column 0"):
        wg.from_networkx(graph, **READ, impute="mean")
    with pytest.raises(InputError, match="impute must be one of 'error', 'mean', 'flag', got 'median'"):
        wg.from_networkx(club(), **READ, impute="median")


def test_missing_attributes_become_given_values():
    training = wg.from_networkx(club(), **READ)
    fill = {"node_attributes": training.node_attributes.mean(axis=0)}
    with pytest.warns(ImputedDataWarning, match="^1 missing value .* is the mean of earlier graphs now$"):
        batch = wg.from_networkx(holes()[0], **READ, impute="mean", fill_values=fill)
    assert batch.node_attributes[:, 0].tolist() == [20, 37.5, 40, 60]
    with pytest.raises(InputError, match=r"node_attributes has 1 column, but the values to fill in are \[1, 2\]"):
        wg.from_networkx(holes(), **READ, impute="mean", fill_values={"node_attributes": [1, 2]})
    with pytest.raises(InputError, match=r'fill_values needs impute="mean" or impute="flag"'):
        wg.from_networkx(club(), **READ, fill_values=fill)


@pytest.mark.parametrize("at_training", [True, False])
@pytest.mark.filterwarnings("always")
def test_predictions_fill_in_the_means_of_the_training_graphs(tmp_path, capsys, at_training):
    """A model keeps what it filled in; one whose training graphs were complete has their means."""
    training, new = tmp_path / "training", tmp_path / "new"
    training.mkdir()
    new.mkdir()
    for number in range(12):
        graph = club()
        nx.set_node_attributes(graph, {node: node + 100.0 * (number % 2) for node in graph}, "age")
        nx.write_graphml(graph, training / f"g{number:02}.graphml")
    incomplete = club()
    del incomplete.nodes[2]["age"]
    if at_training:
        nx.write_graphml(incomplete, training / "g12.graphml")
    nx.write_graphml(incomplete, new / "new.graphml")
    files = sorted(path.name for path in training.iterdir())
    lines = [f"{name},{'ab'[number % 2]}\n" for number, name in enumerate(files)]
    (training / "labels.csv").write_text("file,class\n" + "".join(lines))
    model, names = tmp_path / "m.wgm", ["--node-attributes", "age", "--node-labels", "club"]
    impute = ["--impute", "mean"]
    code, _, said = run(capsys, "train", training, "-o", model, *names, "--depth", 0, *(impute if at_training else []))
    assert code == 0
    assert ("1 missing value of attributes, in 1 of 13 graphs, is the mean of these graphs now" in said) == at_training
    ages = np.tile([0, 1, 2, 3, 100, 101, 102, 103], 6)
    mean = np.mean([*ages, 20, 30, 60] if at_training else ages)
    kept = wg.load_model(model).source_.get("fill_values")
    assert kept == ({"node_attributes": [pytest.approx(mean)]} if at_training else None)
    code, out, said = run(capsys, "predict", model, new, "--json", *([] if at_training else impute))
    assert code == 0
    assert "1 missing value of attributes, in 1 of 1 graphs, is the mean of earlier graphs now" in said
    with pytest.warns(ImputedDataWarning):
        graph = wg.from_networkx(incomplete, **READ, impute="mean", fill_values={"node_attributes": [mean]})
    distance = wg.load_model(model).neighbors(graph).distances[0]
    assert json.loads(out)[0]["nearest_distance"] == pytest.approx(distance, rel=1e-4, abs=1e-6)


@pytest.mark.filterwarnings("always")
def test_imputing_on_the_command_line(tmp_path, capsys):
    for name, graph in zip("ab", holes(), strict=True):
        nx.write_graphml(graph, tmp_path / f"{name}.graphml")
    reading = ["--node-attributes", "age", "--node-labels", "club", "--edge-weights", "weight"]
    assert "--impute mean" in run(capsys, "datasets", tmp_path, *reading)[2]
    assert "2 dimensions (age, age missing)" in run(capsys, "datasets", tmp_path, *reading, "--impute", "flag")[1]


# What is read, and not compared

BOTH = "node attributes are compared, and node labels are not; pass --kind joint to compare both, or --kind categorical"


@pytest.mark.parametrize(
    "command",
    [
        ("distances", "demo", "--out", "D.npy"),
        ("index", "demo", "-o", "demo.wgi"),
        ("duplicates", "demo"),
        ("compare", "demo", "--rows", "1", "2"),
        ("evaluate", "demo", "--search", "metric", "--depth", "0", "--gamma", "1", "-C", "1", "--folds", "3"),
    ],
    ids=lambda command: command[0],
)
def test_commands_say_what_they_do_not_compare(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, _, said = run(capsys, *command)
    assert (code, said.count(BOTH)) == (0, 1)
    monkeypatch.chdir(tmp_path)
    for kind in ("joint", "continuous"):
        again = [each.replace("D.npy", "E.npy") for each in command]
        code, _, said = run(capsys, *again, "--kind", kind)
        assert (code, "are not; pass" in said) == (0, False)


def test_a_summary_says_what_a_model_does_not_compare(tmp_path, capsys):
    given = ["--gamma", "1", "-C", "1"]
    _, out, _ = run(capsys, "train", "demo", "-o", tmp_path / "a.wgm", "--depth", "1", *given)
    assert f"not compared    {BOTH} to compare labels only" in out
    _, out, _ = run(capsys, "train", "demo", "-o", tmp_path / "b.wgm", "--depth", "1", "--json", *given)
    assert 'pass kind="joint" to compare both' in json.loads(out)["not_compared"]
    _, out, _ = run(capsys, "train", "demo", "-o", tmp_path / "c.wgm", "--depth", "1", *given, "--kind", "joint")
    assert "not compared" not in out


def test_edge_labels_that_are_not_compared():
    graphs = wg.from_edges([[(0, 1), (1, 2)]], node_labels=[[0, 1, 0]], edge_labels=[[1, 2]], symmetrize=True)
    found = not_compared(graphs, "auto", "auto")
    assert (
        str(found) == 'node labels are compared, and edge labels are not; pass edge_labels="use" to compare them, too'
    )
    assert not_compared(graphs, "auto", "use") is None
    assert not_compared(graphs, "auto", "ignore") is None
    assert not_compared(as_batch(["CCO"]), "auto", "auto") is None  # molecules are compared by all


# Square arrays


def test_vectors_are_not_adjacency_matrices():
    vectors = np.random.default_rng(0).normal(size=(4, 4))
    with pytest.raises(InputError, match=r"graph 1: an array of the shape \(4, 4\) would be read as an adj"):
        wg.distances([vectors @ vectors.T, vectors])
    one_way = np.array([[0, 1], [0, 0]])
    with pytest.raises(InputError, match="by from_adjacency, perhaps with symmetrize=True"):
        as_batch(one_way)
    assert wg.from_adjacency(one_way, symmetrize=True).n_edges == 1
    assert wg.from_adjacency(vectors).n_nodes == 4
