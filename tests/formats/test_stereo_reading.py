"""Stereochemistry that readers keep: perceived by RDKit, from SMILES, RDKit molecules and SDF files, and saved."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import AllChem

import wassergraph as wg
from wassergraph.formats.stereo import read_stereo
from wassergraph.graphs.stereo import BONDS, CENTERS, STEREO_NAMES, stereo_number

SMILES = {
    "C[C@H](O)F": ["", "R", "", ""],
    "C[C@@H](O)F": ["", "S", "", ""],
    "CC(O)F": None,
    "F/C=C/F": ["", "E", "E", ""],
    "F/C=C\\F": ["", "Z", "Z", ""],
    "FC=CF": None,
    "C[C@H](C)O": None,
    "C[C@H]1CC[C@H](C)CC1": ["", "r", "", "", "r", "", "", ""],
    "C[C@H]1CC[C@@H](C)CC1": ["", "s", "", "", "s", "", "", ""],
    "C/C=C/[C@H](F)O": ["", "E", "E", "S", "", ""],
}


def names_of(graphs: wg.GraphBatch) -> list[str] | None:
    return None if graphs.node_stereo is None else [STEREO_NAMES[number] for number in graphs.node_stereo.tolist()]


@pytest.mark.parametrize("smiles", SMILES)
def test_smiles(smiles):
    assert names_of(wg.from_smiles(smiles)) == SMILES[smiles]
    assert names_of(wg.from_rdkit(Chem.MolFromSmiles(smiles))) == SMILES[smiles]


def test_each_pair_of_descriptors_has_a_number():
    assert len(STEREO_NAMES) == len(CENTERS) * len(BONDS)
    assert STEREO_NAMES[stereo_number("R", "Z")] == "R, Z"
    assert len(set(STEREO_NAMES.values())) == len(STEREO_NAMES)


def test_sdf_files(tmp_path):
    path, expected = tmp_path / "isomers.sdf", []
    with Chem.SDWriter(str(path)) as writer:
        for smiles in ("C[C@H](O)F", "F/C=C\\F", "CCO", "C[C@H]1CC[C@H](C)CC1"):
            molecule = Chem.MolFromSmiles(smiles)
            AllChem.Compute2DCoords(molecule)
            writer.write(molecule)
            expected += SMILES.get(smiles) or [""] * molecule.GetNumAtoms()
    assert names_of(wg.from_sdf(path)) == expected


def test_coordinates_tell_centers_that_nobody_marked():
    molecule = Chem.AddHs(Chem.MolFromSmiles("C[C@H](O)F"))
    AllChem.EmbedMolecule(molecule, randomSeed=1)
    block = Chem.MolToMolBlock(molecule)
    assert "R" in names_of(wg.from_rdkit(Chem.MolFromMolBlock(block)))


def test_a_molecule_that_was_changed_is_perceived_again_and_stays_as_it_is():
    molecule = Chem.MolFromSmiles("C[C@H](O)F")
    molecule.GetAtomWithIdx(1).InvertChirality()
    assert molecule.GetAtomWithIdx(1).GetProp("_CIPCode") == "R"  # of the molecule before
    assert names_of(wg.from_rdkit(molecule)) == SMILES["C[C@@H](O)F"]
    assert molecule.GetAtomWithIdx(1).GetProp("_CIPCode") == "R"
    ring = Chem.MolFromSmiles("C[C@H]1CC[C@H](C)CC1")
    wg.from_rdkit(ring)
    assert not ring.GetAtomWithIdx(1).HasProp("_CIPCode")


def test_molecules_that_were_not_sanitized():
    molecule = Chem.MolFromSmiles("C[C@H](O)F", sanitize=False)
    assert names_of(wg.from_rdkit(molecule, node_attributes=None)) == SMILES["C[C@H](O)F"]
    assert names_of(wg.from_rdkit(Chem.MolFromSmiles("CCO", sanitize=False), node_attributes=None)) is None


def test_the_new_perception_of_rdkit_has_the_same_descriptors():
    legacy = Chem.GetUseLegacyStereoPerception()
    expected = {smiles: names_of(wg.from_smiles(smiles)) for smiles in SMILES}
    Chem.SetUseLegacyStereoPerception(not legacy)
    try:
        assert {smiles: names_of(wg.from_smiles(smiles)) for smiles in SMILES} == expected
        assert {s: names_of(wg.from_rdkit(Chem.MolFromSmiles(s))) for s in SMILES} == expected
    finally:
        Chem.SetUseLegacyStereoPerception(legacy)


def test_a_search_for_descriptors_that_takes_too_long_ends(monkeypatch):
    monkeypatch.setattr("wassergraph.formats.stereo._MOST_STEPS", 1)
    molecule = Chem.MolFromSmiles("C[C@H]1CC[C@H](C)CC1.C[C@H](O)F")
    numbers = read_stereo(molecule, molecule.GetAtoms(), "C[C@H]1CC[C@H](C)CC1.C[C@H](O)F")
    assert numbers is not None
    assert STEREO_NAMES[numbers[9]] == "R"  # what is known without the search


# Batches


@pytest.fixture(scope="module")
def graphs() -> wg.GraphBatch:
    return wg.from_smiles(list(SMILES))


def test_parts_of_a_batch_have_the_stereochemistry_of_their_molecules(graphs):
    for position, expected in enumerate(SMILES.values()):
        assert names_of(graphs[position]) == expected
    assert names_of(graphs[[0, 2]]) == ["", "R", "", "", "", "", "", ""]
    assert graphs[2] == wg.from_smiles("CC(O)F")
    assert graphs[0] != graphs[1]
    assert names_of(graphs.keep_edges([1])[0]) == SMILES["C[C@H](O)F"]


def test_batches_are_joined_whether_they_have_stereochemistry_or_not(graphs):
    joined = wg.GraphBatch.concatenate([graphs[2:3], graphs[:1], wg.from_smiles("CCO")])
    assert names_of(joined) == [""] * 4 + ["", "R", "", ""] + [""] * 3
    assert wg.GraphBatch.concatenate(list(graphs)) == graphs
    assert wg.GraphBatch.concatenate([graphs[2:3], wg.from_smiles("CCO")]).node_stereo is None


def test_batches_are_pickled_and_checked(graphs):
    copy = pickle.loads(pickle.dumps(graphs))
    assert copy == graphs
    np.testing.assert_array_equal(copy.node_stereo, graphs.node_stereo)
    assert replace(graphs, node_stereo=np.zeros(graphs.n_nodes, dtype=int)).node_stereo is None
    with pytest.raises(ValueError, match="node_stereo has 1 row for"):
        replace(graphs, node_stereo=[1])


def test_graphs_of_other_kinds_have_none(graphs):
    assert graphs[3].line_graph().node_stereo is None
    assert wg.load_dataset("demo")[0].node_stereo is None


# Files


def test_indexes_keep_stereochemistry(graphs, tmp_path):
    for stereo, nearest in (("use", 1), ("ignore", 0)):
        index = wg.GraphIndex(graphs[:3], metric=wg.WWL(2, stereo=stereo), names=["R", "S", "none"])
        index.save(tmp_path / "index.wgi")
        loaded = wg.load_index(tmp_path / "index.wgi")
        assert loaded.graphs == graphs[:3]
        assert loaded.query("O[C@H](C)F", k=1)[1][0, 0] == nearest
        loaded.add(["F/C=C/F"], names=["E"])
        assert loaded.graphs == graphs[:4]


def test_models_keep_stereochemistry(tmp_path):
    molecules = [form for n in range(1, 7) for form in (f"{'C' * n}[C@H](O)F", f"{'C' * n}[C@@H](O)F")]
    y = np.array([0, 1] * 6)
    model = wg.GraphClassifier(wg.WWL(1, kind="categorical", stereo="use"), cv=2).fit(molecules, y)
    model.save(tmp_path / "model.wgm")
    loaded = wg.load_model(tmp_path / "model.wgm")
    assert loaded.metric.stereo == "use"
    assert loaded.scheme_.features.uses_stereo
    new = ["CCCCCCCC[C@H](O)F", "CCCCCCCC[C@@H](O)F", "CCCCCCCCCO"]
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))
    assert loaded.predict(new[:2]).tolist() == [0, 1]


def test_stores_know_whether_stereochemistry_is_compared(tmp_path):
    left, right = ["C[C@H](O)F", "CCO"], ["C[C@@H](O)F", "CCO"]
    wg.distances(left, metric=wg.WWL(1), out=tmp_path / "ignored.zarr")
    wg.distances(right, metric=wg.WWL(1), out=tmp_path / "ignored.zarr")  # the same distances
    wg.distances(left, metric=wg.WWL(1, stereo="use"), out=tmp_path / "used.zarr")
    with pytest.raises(ValueError, match="this store was begun with other input: the graphs differ"):
        wg.distances(right, metric=wg.WWL(1, stereo="use"), out=tmp_path / "used.zarr")
    with pytest.raises(ValueError, match="features is node labels with stereochemistry, edge labels and"):
        wg.distances(left, metric=wg.WWL(1), out=tmp_path / "used.zarr")
