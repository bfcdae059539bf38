"""How the paper uses its data sets."""

from __future__ import annotations

import numpy as np

import wassergraph as wg
from wassergraph.evaluation.preparation import Preparation, unchanged
from wassergraph.reproduction.setups import SETUPS, load_prepared, paper_setup, paper_setups


def test_molecules_of_md_keep_their_bonds_with_lengths_and_atoms_one_hot(data_home):
    raw, y = wg.load_dataset("BZR_MD", data_home=data_home)
    graphs, same = load_prepared("BZR_MD", "continuous", data_home)
    np.testing.assert_array_equal(same, y)
    bonds = raw.edge_labels != 1
    assert 0 < bonds.sum() < len(bonds)
    assert 1 not in graphs.edge_labels
    np.testing.assert_array_equal(graphs.node_ptr, raw.node_ptr)
    np.testing.assert_array_equal(graphs.arc_tails, raw.arc_tails[bonds])
    np.testing.assert_array_equal(graphs.indices, raw.indices[bonds])
    np.testing.assert_array_equal(graphs.edge_weights, raw.edge_attributes[bonds, 0])
    assert 0.9 < graphs.edge_weights.min() < graphs.edge_weights.max() < 3  # ångström
    labels = np.unique(raw.node_labels)
    assert graphs.node_attributes.shape == (raw.n_nodes, len(labels))
    assert (graphs.node_attributes.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(labels[graphs.node_attributes.argmax(axis=1)], raw.node_labels)


def test_the_attribute_of_imdb_is_the_degree(data_home):
    raw, _ = wg.load_dataset("IMDB-BINARY", data_home=data_home)
    graphs, _ = load_prepared("IMDB-BINARY", "continuous", data_home)
    assert raw.node_attributes is None
    np.testing.assert_array_equal(graphs.node_attributes, raw.degrees[:, None])


def test_all_other_sets_are_used_as_they_are(data_home):
    for name, kind in (("BZR", "continuous"), ("MUTAG", "categorical")):
        assert load_prepared(name, kind, data_home)[0] == wg.load_dataset(name, data_home=data_home)[0]
    untouched = [key for key, setup in SETUPS.items() if setup.prepare is unchanged]
    assert SETUPS.keys() - untouched == {(name, "continuous") for name in ("IMDB-BINARY", "BZR_MD", "COX2_MD")}


def test_several_attributes_are_standardized_except_coordinates():
    scaled = {name for (name, _), setup in SETUPS.items() if setup.standardize}
    assert scaled == {"ENZYMES", "PROTEINS_full", "BZR_MD", "COX2_MD", "Synthie"}
    assert not any(setup.standardize for (_, kind), setup in SETUPS.items() if kind == "categorical")
    assert {name for (name, _), setup in SETUPS.items() if setup.iterations != 20} == {"SYNTHETICnew"}


def test_a_data_set_that_is_not_in_the_paper_has_the_default_preparation():
    graphs, y = wg.load_dataset("demo")
    prepared, same = load_prepared("demo", "continuous")
    assert prepared == graphs
    np.testing.assert_array_equal(same, y)
    assert paper_setup("demo", "continuous") == Preparation()
    assert paper_setups("demo") == {}


def test_setups_by_name_and_kind():
    assert paper_setup("BZR", "continuous") is SETUPS["BZR", "continuous"]
    assert paper_setup("ENZYMES", "joint") is SETUPS["ENZYMES", "continuous"]
    assert paper_setup("ENZYMES", "categorical") is SETUPS["ENZYMES", "categorical"]
    assert paper_setups("ENZYMES") == {kind: SETUPS["ENZYMES", kind] for kind in ("categorical", "continuous")}
