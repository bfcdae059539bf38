from __future__ import annotations

import numpy as np
import pytest
from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem

import wassergraph as wg
from wassergraph.formats.atoms import ATOM_PROPERTIES

RDLogger.DisableLog("rdApp.*")
SMILES = ["CCO", "c1ccccc1", "C#N", "[Na+].[Cl-]", "O"]


def test_atoms_and_bonds_equal_rdkit():
    batch = wg.from_smiles(SMILES)
    for graph, smiles in zip(batch, SMILES, strict=True):
        molecule = Chem.MolFromSmiles(smiles)
        np.testing.assert_array_equal(graph.adjacency().toarray(), Chem.GetAdjacencyMatrix(molecule))
        assert graph.node_labels.tolist() == [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
        assert graph.n_edges == molecule.GetNumBonds()
    assert set(batch[0].edge_labels) == {1}
    assert set(batch[1].edge_labels) == {12}
    assert set(batch[2].edge_labels) == {3}
    assert wg.from_smiles("CCO") == batch[0]


def test_every_atom_property():
    molecule = Chem.MolFromSmiles("C[NH3+]")
    batch = wg.from_rdkit(molecule, node_attributes=list(ATOM_PROPERTIES))
    found = dict(zip(ATOM_PROPERTIES, batch.node_attributes.T.tolist(), strict=True))
    assert found["atomic_number"] == [6, 7]
    assert found["charge"] == [0, 1]
    assert found["hydrogens"] == [3, 3]
    assert found["degree"] == [1, 1]
    assert found["valence"] == [4, 4]
    assert found["aromatic"] == found["in_ring"] == found["radical_electrons"] == [0, 0]
    assert found["mass"] == pytest.approx([12.011, 14.007])


def test_functions_of_atoms_and_coordinates():
    molecule = Chem.AddHs(Chem.MolFromSmiles("CO"))
    assert AllChem.EmbedMolecule(molecule, randomSeed=1) == 0
    with pytest.warns(UserWarning, match="coordinates change when a molecule is turned"):
        batch = wg.from_rdkit([molecule], node_attributes=["coordinates", lambda atom: 2 * atom.GetIdx()])
    assert batch.node_attributes.shape == (6, 4)
    np.testing.assert_array_equal(batch.node_attributes[:, :3], molecule.GetConformer().GetPositions())
    assert batch.node_attributes[:, 3].tolist() == [0, 2, 4, 6, 8, 10]


def test_unreadable_molecules_raise_with_all_positions():
    with pytest.raises(
        ValueError,
        match=r"^graph 1: 'x\(' cannot be read as a molecule \(it is not a SMILES string\) \(also graph 3: 'C1CC'\)",
    ):
        wg.from_smiles(["C", "x(", "O", "C1CC"])
    with pytest.raises(
        ValueError, match=r"graph 1: None cannot be read as a molecule \(RDKit could not read it\); correct"
    ):
        wg.from_rdkit([Chem.MolFromSmiles("C"), None])
    with pytest.raises(ValueError, match="graph 0: nan cannot be read"):
        wg.from_smiles([float("nan")])
    with pytest.raises(ValueError, match=r"also graph 1: .*graph 9: 'x\('\); .*12 molecules, of which 10 are shown"):
        wg.from_smiles(["x("] * 12)


def test_molecules_without_attributes():
    assert wg.from_smiles(["CCO", "C"], node_attributes=None).node_attributes is None


def test_a_generator_of_properties_is_read_once():
    batch = wg.from_smiles(["CCO", "C"], node_attributes=(name for name in ["charge", "mass"]))
    assert batch.node_attributes.shape == (4, 2)
    assert wg.from_smiles("CO", node_attributes=lambda atom: atom.GetIdx()).node_attributes.tolist() == [[0], [1]]


def test_bad_input():
    with pytest.raises(ValueError, match=r"graph 0: 'CCO\\nCCC' cannot be read as a molecule"):
        wg.from_smiles("CCO\nCCC")
    with pytest.raises(ValueError, match="node_attributes is an empty list"):
        wg.from_smiles("C", node_attributes=[])
    with pytest.raises(ValueError, match=r"graph 1: the property hydrogens cannot be computed"):
        wg.from_rdkit([Chem.MolFromSmiles("C"), Chem.MolFromSmiles("C", sanitize=False)], node_attributes="hydrogens")
    with pytest.raises(ValueError, match=r"graph 1: '' cannot be read as a molecule \(it is empty\)"):
        wg.from_smiles(["C", ""])
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.from_smiles([])
    with pytest.raises(ValueError, match="'color' is not a property of atoms; choose among atomic_number"):
        wg.from_smiles(["C"], node_attributes="color")
    with pytest.raises(ValueError, match=r"SMILES strings have no coordinates; .*EmbedMolecule"):
        wg.from_smiles(["C"], node_attributes=["coordinates"])
    with pytest.raises(ValueError, match="graph 0: the molecule has no coordinates"):
        wg.from_rdkit([Chem.MolFromSmiles("C")], node_attributes="centroid_distance")


BONDS = [
    "CC",
    "C=C",
    "C#N",
    "c1ccccc1O",
    "C$C",
    "C~C",
    "N->[Fe]<-N",
    "[Na+].[Cl-]",
    "F/C=C/F",
    "CC(=O)Nc1ccc(O)cc1.Cl",
    "[Ru+2](Cl)(Cl)<-N1CCCCC1",
]


@pytest.mark.parametrize("smiles", BONDS)
def test_bonds_are_those_that_rdkit_lists_one_by_one(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    for kekulized in (False, True):
        if kekulized:
            Chem.Kekulize(molecule, clearAromaticFlags=True)
        batch = wg.from_rdkit(molecule)
        found = {
            (int(tail), int(head), int(kind))
            for tail, head, kind in zip(batch.arc_tails, batch.indices, batch.edge_labels, strict=True)
        }
        listed = {(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondType())) for b in molecule.GetBonds()}
        assert found == listed | {(head, tail, kind) for tail, head, kind in listed}
        assert batch.node_labels.tolist() == [atom.GetAtomicNum() for atom in molecule.GetAtoms()]


def test_a_molecule_that_was_changed_is_read_as_it_is_now():
    molecule = Chem.MolFromSmiles("CC")
    assert wg.from_rdkit(molecule).edge_labels.tolist() == [1, 1]
    molecule.GetBondWithIdx(0).SetBondType(Chem.BondType.DOUBLE)
    assert wg.from_rdkit(molecule).edge_labels.tolist() == [2, 2]
    molecule.GetBondWithIdx(0).SetBondType(Chem.BondType.ZERO)
    assert wg.from_rdkit(molecule).edge_labels.tolist() == [21, 21]
