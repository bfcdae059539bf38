"""Names of labels, attributes and nodes: through slices, joins, files and copies."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from wassergraph.errors import InputError, InputTypeError
from wassergraph.explain.plan_table import plan_table
from wassergraph.explorer.graph_content import graph_content
from wassergraph.files.content_keys import array_digest, content_key
from wassergraph.formats.labels import encode_label
from wassergraph.formats.tu.names import read_readme
from wassergraph.graphs.elements import BOND_NAMES, SYMBOLS
from wassergraph.pictures.layout import stress_layout

NAMES = wg.Vocabulary(
    node_labels={0: "helix", 1: "sheet"}, edge_labels={5: "in space"}, node_attributes=["length", "charge"]
)


def two_graphs(vocabulary: wg.Vocabulary = NAMES) -> wg.GraphBatch:
    return wg.GraphBatch(
        node_ptr=[0, 3, 5],
        indptr=[0, 1, 3, 4, 5, 6],
        indices=[1, 0, 2, 1, 4, 3],
        node_labels=[0, 1, 0, 1, 2],
        node_attributes=np.arange(10.0).reshape(5, 2),
        edge_labels=[5, 5, 5, 5, 5, 5],
        node_positions=np.arange(10.0).reshape(5, 2) ** 2,
        node_names=["a", "b", "c", "d", "é"],
        vocabulary=vocabulary,
    )


def test_names_and_their_fallbacks():
    assert [NAMES.node_label(code) for code in (0, 1, 2)] == ["helix", "sheet", "2"]
    assert [NAMES.node_label_title(code) for code in (0, 2)] == ["helix", "label 2"]
    assert [NAMES.edge_label(code) for code in (5, 6)] == ["in space", "6"]
    assert [NAMES.node_attribute(column) for column in range(3)] == ["length", "charge", "attribute 3"]
    assert NAMES
    assert not wg.Vocabulary()


def test_slices_keep_names_and_positions():
    batch = two_graphs()
    part = batch[[1]]
    assert part.vocabulary is batch.vocabulary
    assert part.node_names.tolist() == ["d", "é"]
    assert part.node_positions.tolist() == batch.node_positions[3:].tolist()
    assert batch.drop_edges(5).node_names.tolist() == batch.node_names.tolist()
    assert batch.drop_edges(5).vocabulary == NAMES


def test_names_and_positions_are_not_part_of_equality_and_keys():
    named, plain = two_graphs(), replace(two_graphs(wg.Vocabulary()), node_positions=None, node_names=None)
    assert named == plain
    assert array_digest(named) == array_digest(plain)
    assert content_key(named, "x") == content_key(plain, "x")


def test_joined_batches_have_the_names_of_all():
    left = two_graphs(wg.Vocabulary(node_labels={0: "helix"}))
    right = two_graphs(wg.Vocabulary(node_labels={0: "helix", 1: "sheet"}, node_attributes=["length", "charge"]))
    joined = wg.GraphBatch.concatenate([left, right, left])
    assert dict(joined.vocabulary.node_labels) == {0: "helix", 1: "sheet"}
    assert joined.vocabulary.node_attributes == ("length", "charge")
    assert joined.node_names.tolist() == 3 * ["a", "b", "c", "d", "é"]
    assert joined.node_positions.shape == (15, 2)


def test_joined_batches_keep_positions_only_if_all_have_them():
    joined = wg.GraphBatch.concatenate([two_graphs(), replace(two_graphs(), node_positions=None)])
    assert joined.node_positions is None
    assert joined.node_names is not None


def test_a_label_with_two_names_cannot_be_joined():
    other = two_graphs(wg.Vocabulary(node_labels={0: "coil"}))
    with pytest.raises(InputError, match="the node label 0 is called 'helix' in some graphs and 'coil' in others"):
        wg.GraphBatch.concatenate([two_graphs(), other])
    other = two_graphs(wg.Vocabulary(node_attributes=["charge", "length"]))
    with pytest.raises(InputError, match="called length, charge in some graphs and charge, length in others"):
        wg.GraphBatch.concatenate([two_graphs(), other])


def test_labels_of_other_graphs_beside_molecules_are_no_elements():
    molecules = wg.from_smiles("CCO", node_attributes=None)
    plain = wg.from_edges([[(0, 1)]], node_labels=[[6, 6]], edge_labels=[[1]], symmetrize=True)
    assert wg.GraphBatch.concatenate([molecules, molecules]).vocabulary.node_label(6) == "C"
    assert wg.GraphBatch.concatenate([molecules, plain]).vocabulary.node_label(6) == "6"
    named = plain.with_names(node_labels={6: "Br"})
    with pytest.raises(InputError, match="the node label 6 is called 'C' in some graphs and 'Br' in others"):
        wg.GraphBatch.concatenate([molecules, named])


def test_pickled_batches_keep_everything():
    copy = pickle.loads(pickle.dumps(two_graphs()))
    assert copy.vocabulary == NAMES
    assert copy.node_names.tolist() == ["a", "b", "c", "d", "é"]
    assert copy.node_positions.tolist() == two_graphs().node_positions.tolist()
    assert pickle.loads(pickle.dumps(wg.from_smiles("CO"))).vocabulary.node_label(8) == "O"


def test_bonds_have_the_names_of_rdkit():
    chem = pytest.importorskip("rdkit.Chem")
    assert set(BOND_NAMES) == {int(number) for number in chem.BondType.names.values()}
    assert BOND_NAMES[int(chem.BondType.AROMATIC)] == "aromatic bond"
    table = chem.GetPeriodicTable()
    assert [table.GetElementSymbol(number) for number in range(len(SYMBOLS))] == list(SYMBOLS)


def test_derived_attributes_have_names():
    batch = two_graphs()
    assert batch.one_hot_labels().vocabulary.node_attributes == ("helix", "sheet", "2")
    assert batch.degree_attributes().vocabulary.node_attributes == ("degree",)
    assert batch.append_degrees().vocabulary.node_attributes == ("length", "charge", "degree")
    unnamed = two_graphs(wg.Vocabulary()).append_degrees()
    assert unnamed.vocabulary.node_attributes == ("attribute 1", "attribute 2", "degree")
    assert batch.degree_labels().vocabulary.node_label(1) == "1"
    assert batch.line_graph().vocabulary.node_label(5) == "in space"
    assert replace(batch, node_attributes=np.ones((5, 3))).vocabulary.node_attributes == ()


def test_names_can_be_given():
    batch = two_graphs(wg.Vocabulary()).with_names(node_labels={2: "coil"}, node_attributes=["x", "y"])
    assert batch.vocabulary.node_label(2) == "coil"
    assert batch.with_names(edge_labels={5: "near"}).vocabulary.node_label(2) == "coil"
    with pytest.raises(InputError, match="there are 1 name for 2 node attributes"):
        batch.with_names(node_attributes=["x"])
    with pytest.raises(InputTypeError, match="must be texts by integers, got 3 for 2"):
        batch.with_names(node_labels={2: 3})
    with pytest.raises(InputTypeError, match="must be a list, got 'xy'"):
        batch.with_names(node_attributes="xy")


def test_positions_from_attributes():
    batch = two_graphs().positions_from_attributes(columns=(1, 0))
    assert batch.node_positions.tolist() == batch.node_attributes[:, ::-1].tolist()
    with pytest.raises(InputError, match="column 2 is out of range: the node attributes have 2 columns"):
        batch.positions_from_attributes(columns=(0, 2))


# Readers


def regions() -> nx.Graph:
    """Return a graph whose labels become hashes."""
    graph = nx.Graph([("Ann", "Bob"), ("Bob", "Cem")])
    nx.set_node_attributes(graph, {"Ann": "R4", "Bob": "R5", "Cem": "R4"}, "region")
    nx.set_node_attributes(graph, {"Ann": (0, 0), "Bob": (2, 0), "Cem": (2, 2)}, "pos")
    nx.set_edge_attributes(graph, "road", "kind")
    return graph


def read_regions() -> wg.GraphBatch:
    return wg.from_networkx([regions(), regions()], node_labels="region", edge_labels="kind")


def test_networkx_names_and_positions():
    batch = read_regions()
    assert [batch.vocabulary.node_label(code) for code in batch.node_labels[:3].tolist()] == ["R4", "R5", "R4"]
    assert {batch.vocabulary.edge_label(code) for code in batch.edge_labels.tolist()} == {"road"}
    assert batch[0].node_names.tolist() == ["Ann", "Bob", "Cem"]
    assert batch[1].node_positions.tolist() == [[0, 0], [2, 0], [2, 2]]
    named = wg.from_networkx(nx.path_graph(2), node_positions=None)
    assert named.node_names is None
    copy = batch.to_networkx()[0]
    assert copy.nodes[0]["name"] == "Ann"
    assert copy.nodes[2]["pos"].tolist() == [2, 2]


def test_positions_by_name():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: {"lon": 1.0, "lat": 2.0}, 1: {"lon": 3.0, "lat": 4.0}})
    batch = wg.from_networkx(graph, node_positions=["lon", "lat"], node_attributes=["lat"])
    assert batch.node_positions.tolist() == [[1, 2], [3, 4]]
    assert batch.vocabulary.node_attributes == ("lat",)


def test_tables_show_names_and_no_hashes():
    batch = read_regions()
    hashes = {str(code) for code in np.unique(batch.node_labels).tolist()}
    plan = wg.transport_plan(
        batch[0], batch[1].degree_labels().with_names(node_labels={1: "end"}), metric=wg.WWL(depth=0)
    )
    graphs = wg.GraphBatch.concatenate([batch, batch])
    comparison = wg.compare_groups(graphs, [0, 0, 1, 1], metric=wg.WWL(depth=0, kind="categorical"), permutations=9)
    assert comparison.label_costs.names in {("R4", "R5"), ("R5", "R4")}
    assert {labels[0] for labels in plan.label_costs()} == {"R4", "R5"}
    texts = [str(comparison), comparison._repr_html_(), plan_table(plan, ("one", "two")), plan._repr_html_()]
    texts += [str(batch.summary()), batch._repr_html_(), json.dumps(graph_content_names(batch))]
    for text in texts:
        assert "R4" in text
        assert not any(number in text for number in hashes)
    assert "Ann (R4)" in plan_table(plan, ("one", "two"))


def graph_content_names(batch: wg.GraphBatch) -> list[str]:
    content = graph_content(batch, wg.WWL(depth=1).embed(batch))
    assert content["node_names"] == batch.node_names.tolist()
    assert content["placed"].tolist() == [1, 1]
    return content["labels"]["names"]


def test_legends_show_names():
    figure = wg.plot.draw_graphs(read_regions())
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {"R4", "R5"}


def test_drawings_use_positions():
    places = stress_layout(read_regions()[0])
    np.testing.assert_allclose(places - places[0], [[0, 0], [1, 0], [1, 1]])
    solid = replace(read_regions()[0], node_positions=[[0, 0, 0], [0, 0, 2], [0, 2, 2]])
    lengths = np.linalg.norm(np.diff(stress_layout(solid), axis=0), axis=1)
    np.testing.assert_allclose(lengths, 1)
    assert np.isfinite(stress_layout(replace(solid, node_positions=np.zeros((3, 2))))).all()


def test_arrays_of_texts():
    batch = wg.from_edges([[(0, 1)], [(0, 1)]], node_labels=[["C", "N"], np.array(["N", "O"])], symmetrize=True)
    assert [batch.vocabulary.node_label(code) for code in batch.node_labels.tolist()] == ["C", "N", "N", "O"]
    mixed = wg.from_adjacency(np.ones((2, 2)) - np.eye(2), node_labels=[[("C", 1), 7]])
    assert [mixed.vocabulary.node_label(code) for code in mixed.node_labels.tolist()] == ["(C, 1)", "7"]


def test_molecules_name_their_attributes():
    batch = wg.from_smiles("CO")
    assert batch.vocabulary.node_attributes == ("charge", "hydrogens", "aromatic", "in_ring", "degree")
    assert batch.vocabulary.edge_label(int(batch.edge_labels[0])) == "single bond"
    assert batch.node_positions is None


def test_molecules_keep_their_coordinates():
    chem = pytest.importorskip("rdkit.Chem")
    depictor = pytest.importorskip("rdkit.Chem.rdDepictor")
    molecule = chem.MolFromSmiles("CCO")
    depictor.Compute2DCoords(molecule)
    batch = wg.from_rdkit(molecule)
    assert batch.node_positions.tolist() == molecule.GetConformer().GetPositions()[:, :2].tolist()


README = b"""Node labels:

  0  C
  1  N

Edge labels:

  0  aromatic
  1  no chemical bond

=== References ===
"""
MAP = b"""Node attributes: [x, y]
Node labels were converted to integer values using this map:

Component 0:
\t0\tC
\t1\tCl
Component 1:
\t0\tring
"""


def test_names_of_tu_data_sets():
    nodes, edges = np.array([[0], [1]]), np.array([[0], [1]])
    names = read_readme(README, nodes, edges)
    assert dict(names.node_labels) == {0: "C", 1: "N"}
    assert dict(names.edge_labels) == {0: "aromatic", 1: "no chemical bond"}
    assert not read_readme(b"Node labels are numbers\n 0 nothing", nodes, None)
    pairs = read_readme(MAP, np.array([[0, 0], [1, 5]]), None)
    assert pairs.node_attributes == ("x", "y")
    assert pairs.node_label(encode_label((0, 0))) == "(C, ring)"
    assert pairs.node_label(encode_label((1, 5))) == "(Cl, 5)"


# What a batch checks, and files


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"node_positions": np.ones((5, 4))}, "node_positions must have 2 or 3 columns, got 4"),
        ({"node_positions": np.ones((4, 2))}, "node_positions has 4 rows for 5 nodes"),
        ({"node_positions": np.full((5, 2), np.nan)}, "node_positions is nan in column 0"),
        ({"node_names": ["a"]}, "node_names has 1 row for 5 nodes"),
    ],
)
def test_positions_and_names_are_checked(change, message):
    with pytest.raises(InputError, match=message):
        replace(two_graphs(), **change)


def test_models_keep_names(tmp_path):
    graphs = wg.GraphBatch.concatenate([two_graphs()] * 4)
    model = wg.GraphClassifier(wg.WWL(depth=0, kind="categorical"), gamma=1.0, C=1.0, cv=2).fit(graphs, [0, 1] * 4)
    model.save(tmp_path / "a.wgm")
    loaded = wg.load_model(tmp_path / "a.wgm").graphs_
    assert loaded.vocabulary == NAMES
    assert loaded.node_names.tolist() == model.graphs_.node_names.tolist()
    assert loaded.node_positions.tolist() == model.graphs_.node_positions.tolist()


@pytest.mark.parametrize("verify", [True, False])
def test_indexes_keep_names(tmp_path, verify):
    wg.GraphIndex(two_graphs(), wg.WWL(depth=1, kind="categorical")).save(tmp_path / "a.wgi")
    loaded = wg.load_index(tmp_path / "a.wgi", verify=verify).graphs
    assert loaded.vocabulary == NAMES
    assert loaded.node_names.tolist() == two_graphs().node_names.tolist()
    assert loaded.node_positions.tolist() == two_graphs().node_positions.tolist()


def test_indexes_of_molecules_keep_the_names_of_attributes(tmp_path):
    graphs = wg.from_smiles(["CCO", "CCN"]).with_names(node_attributes=list("abcde"))
    wg.GraphIndex(graphs, wg.WWL(depth=1)).save(tmp_path / "a.wgi")
    loaded = wg.load_index(tmp_path / "a.wgi").graphs
    assert loaded.vocabulary == graphs.vocabulary
    assert loaded.vocabulary.node_label(7) == "N"


def test_labels_with_other_names_are_not_compared():
    """The label 0 of one batch must not be taken for the label 0 of another that has another name."""
    edges = [[(0, 1)], [(0, 1), (1, 2)], [(0, 1)], [(0, 1), (1, 2)]]
    labels = [[0, 1], [0, 1, 0], [1, 1], [1, 1, 1]]
    plain = wg.from_edges(edges, node_labels=labels, symmetrize=True)
    one, other = (plain.with_names(node_labels={0: name, 1: "N"}) for name in ("C", "In"))
    model = wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=1.0, cv=2).fit(one, [0, 0, 1, 1])
    for compare in (model.predict, model.neighbors, lambda new: wg.distances(one, new)):
        with pytest.raises(ValueError, match="the node label 0 is called 'C' in some graphs and 'In' in others"):
            compare(other)
        compare(plain)  # whose labels have no names
    sizes = wg.distances(one.degree_attributes(), other.degree_attributes(), metric=wg.WWL(kind="continuous"))
    assert sizes.shape == (4, 4)  # labels are not compared
