"""Names of labels, attributes and nodes: through slices, joins, files and copies."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.errors import InputError, InputTypeError
from wassergraph.files.content_keys import array_digest, content_key
from wassergraph.graphs.elements import BOND_NAMES, SYMBOLS

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
    assert wg.line_graph(batch).vocabulary.node_label(5) == "in space"
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
    model = wg.WWLClassifier(kind="categorical", depth=0, gamma=1.0, C=1.0, cv=2).fit(graphs, [0, 1] * 4)
    model.save(tmp_path / "a.wgm")
    loaded = wg.load_model(tmp_path / "a.wgm").graphs_
    assert loaded.vocabulary == NAMES
    assert loaded.node_names.tolist() == model.graphs_.node_names.tolist()
    assert loaded.node_positions.tolist() == model.graphs_.node_positions.tolist()


@pytest.mark.parametrize("verify", [True, False])
def test_indexes_keep_names(tmp_path, verify):
    wg.GraphIndex(two_graphs(), depth=1, kind="categorical").save(tmp_path / "a.wgi")
    loaded = wg.load_index(tmp_path / "a.wgi", verify=verify).graphs
    assert loaded.vocabulary == NAMES
    assert loaded.node_names.tolist() == two_graphs().node_names.tolist()
    assert loaded.node_positions.tolist() == two_graphs().node_positions.tolist()


def test_indexes_of_molecules_keep_the_names_of_attributes(tmp_path):
    graphs = wg.from_smiles(["CCO", "CCN"]).with_names(node_attributes=list("abcde"))
    wg.GraphIndex(graphs, depth=1).save(tmp_path / "a.wgi")
    loaded = wg.load_index(tmp_path / "a.wgi").graphs
    assert loaded.vocabulary == graphs.vocabulary
    assert loaded.vocabulary.node_label(7) == "N"
