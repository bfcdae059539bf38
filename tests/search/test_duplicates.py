"""find_duplicates: groups are those of all distances, radius 0 forgives rounding, tables and the command line."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import wassergraph as wg
from command_line import run
from made_metrics import with_metric
from wassergraph.search.equal_graphs import equal_groups

MOLECULES = ["CCO", "CCN", "OCC", "C1CCCCC1", "C1CCCC1", "CCO"]


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


def lists(groups):
    return sorted(group.tolist() for group in groups)


def expected_groups(graphs, radius, **options):
    """Return the components of all distances up to the radius."""
    numbers = connected_components(wg.distances(graphs, **with_metric(**options)) <= radius)[1]
    groups = [np.flatnonzero(numbers == number).tolist() for number in np.unique(numbers)]
    return sorted(group for group in groups if len(group) > 1)


def shuffled(batch, seed=0):
    """Return graphs with their nodes in another order."""
    rng, graphs = np.random.default_rng(seed), []
    for graph in batch.to_networkx():
        order = rng.permutation(len(graph)).tolist()
        other = nx.Graph()
        other.add_nodes_from((v, graph.nodes[v]) for v in order)
        other.add_edges_from(graph.edges(data=True))
        graphs.append(other)
    names = {"node_labels": "label", "node_attributes": "attributes", "edge_weights": "weight"}
    return wg.from_networkx(graphs, **{name: key for name, key in names.items() if getattr(batch, name) is not None})


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
@pytest.mark.parametrize("mass", ["share", "count"])
def test_copies_with_other_orders_of_nodes_are_found(demo, kind, mass):
    """Means over neighbors in another order differ in their last digits, which must not hide a copy."""
    graphs = wg.GraphBatch.concatenate([demo[0], shuffled(demo[0])])
    found = wg.find_duplicates(graphs, metric=wg.WWL(depth=4, kind=kind, mass=mass))
    assert lists(found.groups) == expected_groups(graphs, 1e-9, kind=kind, mass=mass, depth=4)
    group_of = {g: number for number, group in enumerate(found.groups) for g in group.tolist()}
    assert all(group_of[g] == group_of[g + 60] for g in range(60))
    assert not found.kept[60:].any()
    assert [2 * number for number in found.different] == found.counts.tolist()  # attributes and weights all differ


@pytest.mark.parametrize("options", [{}, {"mass": "count"}, {"size_weight": 0.1}, {"label_weight": 1.0}])
@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_equal_graphs_are_those_at_distance_zero(options, kind):
    """Rings and their unions have equal shares of labels and equal points, whatever their size."""
    rings = [nx.cycle_graph(n) for n in (3, 4, 5)]
    rings += [nx.disjoint_union(rings[0], rings[0]), nx.path_graph(4), nx.path_graph(4), nx.path_graph(5)]
    graphs = wg.from_networkx(rings)
    data = {
        "node_labels": np.ones(graphs.n_nodes, dtype=np.int64),
        "node_attributes": np.full((graphs.n_nodes, 1), 0.1),
    }
    graphs = replace(graphs, **data)
    found = wg.find_duplicates(graphs, **with_metric(kind=kind, depth=2, **options))
    expected = expected_groups(graphs, 1e-9, kind=kind, depth=2, **options)
    assert lists(found.groups) == expected
    assert expected


@pytest.mark.parametrize("label_weight", [0.0, 0.3, 1.0])
def test_what_has_no_weight_does_not_tell_graphs_apart(label_weight):
    """Two edges that differ in labels alone, and two that differ in attributes alone."""
    graphs = wg.from_edges([[(0, 1)]] * 3, symmetrize=True)
    data = {"node_labels": [1, 1, 2, 2, 1, 1], "node_attributes": [[0.0], [0], [0], [0], [3], [3]]}
    graphs = replace(graphs, **{name: np.array(value) for name, value in data.items()})
    found = wg.find_duplicates(graphs, metric=wg.WWL(kind="joint", label_weight=label_weight))
    assert lists(found.groups) == {0.0: [[0, 1]], 0.3: [], 1.0: [[0, 2]]}[label_weight]


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_groups_with_a_radius_are_connected_through_small_distances(demo, kind):
    nearest = np.sort(wg.GraphIndex(demo[0], wg.WWL(depth=1, kind=kind)).kneighbors(1)[0].ravel())
    k = 15 + int(np.diff(nearest[15:40]).argmax())
    radius = (nearest[k] + nearest[k + 1]) / 2  # not at a distance, where rounding would decide
    found = wg.find_duplicates(demo[0], metric=wg.WWL(depth=1, kind=kind), radius=radius)
    expected = expected_groups(demo[0], radius, kind=kind, depth=1)
    assert lists(found.groups) == expected
    assert 0 < sum(map(len, expected)) < 60
    assert [len(group) for group in found.groups] == sorted(map(len, expected), reverse=True)


def test_blocks_leave_little_to_compare(demo, monkeypatch):
    compared = []

    def count(part, **options):
        compared.append(len(part))
        return np.zeros((1, len(part), len(part)))

    monkeypatch.setattr("wassergraph.search.equal_graphs.embedding_distances", count)
    graphs = wg.GraphBatch.concatenate([demo[0], shuffled(demo[0])])
    equal_groups(wg.WWL(depth=2, kind="continuous").embed(graphs))
    assert compared == [2] * 60


def test_molecules_with_classes():
    found = wg.find_duplicates(MOLECULES, ["a", "b", "a", "b", None, "c"], names=list("uvwxyz"))
    assert lists(found.groups) == [[0, 2, 5], [3, 4]]
    assert (found.different, found.isomorphic) == ([1, 2], [True, False])
    assert (found.representatives.tolist(), found.counts.tolist()) == ([0, 3], [3, 2])
    assert (found.values, found.disagreeing.tolist()) == ([{"a": 2, "c": 1}, {"b": 1}], [0])
    content = json.loads(json.dumps(found.to_dict()))
    assert (content["graphs"], content["left"], content["disagreeing"]) == (6, 3, 1)
    assert content["groups"][0] == {
        "positions": [0, 2, 5],
        "names": ["u", "w", "z"],
        "different": 1,
        "targets": ["a", "a", "c"],
    }


def test_tables_as_text_and_html():
    found = wg.find_duplicates(MOLECULES, [1, 2, 1, 2, 2, 3], names=["<u>", *"vwxyz"])
    text = str(found)
    assert text.startswith(
        "6 molecules, node labels, edge labels and node attributes, not standardized, depth 3: 2 groups of molecules at"
    )
    assert "        3          1  1 (2), 3 (1)  <u>, w, z" in text.splitlines()
    assert "5 molecules are in a group; with one of each group, 3 molecules are left." in text
    assert "All molecules are isomorphic, with all their data, in 1 of 2 groups." in text
    assert "1 group with different targets." in text
    assert "Understanding isomorphism bias in graph data sets" in text
    html = found._repr_html_()
    assert "&lt;u&gt;, w, z" in html
    assert "<u>" not in html
    assert "targets" not in str(wg.find_duplicates(MOLECULES))


def test_without_duplicates_there_is_no_table(demo):
    found = wg.find_duplicates(demo[0], demo[1])
    assert (found.groups, found.different, found.kept.all()) == ([], [], True)
    assert str(found) == "60 graphs, node attributes, standardized, depth 3: no graphs at distance 0"
    assert "<table" not in found._repr_html_()


def test_long_tables_are_cut():
    graphs = [nx.path_graph(n) for n in range(2, 17) for _ in range(n)]
    text = str(wg.find_duplicates(graphs, np.arange(len(graphs)) % 7))
    assert "3 smaller groups not shown." in text
    assert "and 12 more" in text
    assert "and 3 more" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -1}, "radius must be at least 0, got -1"),
        ({"radius": float("nan")}, "radius must be at least 0"),
        ({"y": [1, 2]}, "there are 6 graphs, but 2 values in y; pass one for each graph"),
        ({"y": "abcdef"}, "y must have one value for every graph"),
        ({"radius": "0.5"}, "radius must be a number, got '0.5'"),
        ({"names": ["a"]}, "there are 6 graphs, but 1 name in names; pass one for each graph"),
        ({"depth": -1}, "depth"),
        ({"mass": "weight"}, "mass"),
    ],
)
def test_wrong_input_is_named(options, message):
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        wg.find_duplicates(MOLECULES, **with_metric(**options))


def test_there_must_be_graphs(demo):
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.find_duplicates(demo[0][:0])


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_there_may_be_no_pair_within_a_radius(demo, kind):
    different = demo[0][wg.find_duplicates(demo[0], metric=wg.WWL(kind=kind)).kept]
    found = wg.find_duplicates(different, metric=wg.WWL(kind=kind), radius=1e-9)
    assert (found.groups, found.kept.all()) == ([], True)
    assert "no graphs connected through distances of at most 1e-09" in str(found)


def test_unknown_numbers_do_not_disagree():
    found = wg.find_duplicates(MOLECULES, np.array([0.5, 1, np.nan, 2, 2, 0.5]))
    assert found.disagreeing.tolist() == []
    assert found.targets[2] is None


# The command line


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"m{number},{smiles},{number % 2}" for number, smiles in enumerate(MOLECULES)]
    (tmp_path / "molecules.csv").write_text("\n".join(["name,smiles,class", *rows]) + "\n")
    return tmp_path


def test_the_command_prints_groups_by_name(capsys, table):
    code, out, err = run(capsys, "duplicates", "molecules.csv")
    assert (code, err) == (0, "")
    assert "m0, m2, m5" in out
    assert "0 (2), 1 (1)" in out


def test_the_command_writes_json_and_a_table(capsys, table):
    code, out, err = run(capsys, "duplicates", "molecules.csv", "--mass", "count", "--json", "-o", "groups.csv")
    content = json.loads(out)
    assert (code, content["data"], content["left"]) == (0, "molecules.csv", 4)
    assert [group["names"] for group in content["groups"]] == [["m0", "m2", "m5"]]
    with (table / "groups.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["group"], row["graph"], row["first"]) for row in rows] == [("1", f"m{n}", "m0") for n in (0, 2, 5)]
    assert {row["different_graphs"] for row in rows} == {"1"}
    assert "groups.csv" in err


def test_the_command_names_a_wrong_radius(capsys, table):
    code, out, err = run(capsys, "duplicates", "molecules.csv", "--radius", "-2")
    assert (code, out) == (2, "")
    assert "--radius must be at least 0, got -2.0" in err


def test_known_duplicates_of_imdb(data_home):
    """The isomorphic graphs of IMDB-BINARY, found by networkx among those of equal degrees."""
    graphs, y = wg.load_dataset("IMDB-BINARY", data_home=data_home)
    found = wg.find_duplicates(graphs, y, metric=wg.WWL(kind="categorical"))
    assert (len(found.groups), int(found.counts.sum()), set(found.isomorphic)) == (116, 579, {True})
    some = found.groups[::10]
    listed = {g: graphs[g].to_networkx()[0] for group in some for g in group.tolist()}
    for group in some:
        assert all(nx.is_isomorphic(listed[group[0]], listed[g]) for g in group.tolist())
    alone = np.setdiff1d(np.arange(1000), np.concatenate(found.groups))[:60]
    others = [graphs[g].to_networkx()[0] for g in alone.tolist()]
    pairs = [(one, other) for k, one in enumerate(others) for other in others[:k]]
    assert not any(nx.faster_could_be_isomorphic(*pair) and nx.is_isomorphic(*pair) for pair in pairs)
