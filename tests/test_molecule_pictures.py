"""Drawings of molecules, and their conversion to RDKit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rdkit import Chem

import wassergraph as wg
from wassergraph.errors import InputError
from wassergraph.formats.to_rdkit import has_atoms_and_bonds, to_rdkit
from wassergraph.graphs.elements import SYMBOLS
from wassergraph.pictures.kekule import kekulize_where_clear
from wassergraph.pictures.molecules import molecule_svg, read_strokes
from wassergraph.pictures.thumbnails import graph_svg

ODD = [
    "C",
    "[He]",
    "[Na+].[Cl-]",
    "*c1ccccc1*",
    "[NH3]->[Pt](<-[NH3])(Cl)Cl",
    "[Fe]",
    "C[n+]1ccccc1",
    "[O-][n+]1ccccc1",
    "O=[N+]([O-])c1ccccc1",
    "c1ccc2c(c1)[nH]c1ccccc12",
    "[H][H]",
    "OS(=O)(=O)O",
    "C" * 480 + "c1ccccc1",
    "C~C",
    "c1ccccc1.c1c[nH]cn1.[Cu+2]",
    "[2H]C([2H])([2H])O",
    "C12C3C4C1C5C2C3C45",
    "[U](F)(F)(F)(F)(F)F",
]


def kekulized(smiles: str) -> Chem.Mol:
    return kekulize_where_clear(to_rdkit(wg.from_smiles(smiles)))


def bond_counts(molecule: Chem.Mol) -> dict[str, int]:
    names = [str(bond.GetBondType()) for bond in molecule.GetBonds()]
    return {name: names.count(name) for name in sorted(set(names))}


def test_symbols_are_those_of_rdkit():
    table = Chem.GetPeriodicTable()
    assert len(SYMBOLS) == 119
    assert list(SYMBOLS) == [table.GetElementSymbol(number) for number in range(119)]


@pytest.mark.parametrize("smiles", ODD)
def test_atoms_and_bonds_are_those_of_the_batch(smiles):
    batch = wg.from_smiles(smiles)
    molecule = to_rdkit(batch)
    assert [atom.GetAtomicNum() for atom in molecule.GetAtoms()] == batch.node_labels.tolist()
    assert molecule.GetNumBonds() == batch.n_edges
    assert sum(atom.GetTotalNumHs() for atom in molecule.GetAtoms()) == 0
    again = wg.from_rdkit(molecule)
    np.testing.assert_array_equal(again.edge_labels, batch.edge_labels)
    np.testing.assert_array_equal(again.indices, batch.indices)


def test_dative_bonds_lead_to_the_metal():
    molecule = to_rdkit(wg.from_smiles("[Pt]<-[NH3]"))
    (bond,) = molecule.GetBonds()
    assert (bond.GetBeginAtom().GetSymbol(), bond.GetEndAtom().GetSymbol()) == ("N", "Pt")
    (unclear,) = to_rdkit(wg.from_smiles("[Zn]->[Pt]")).GetBonds()
    assert unclear.GetBondType() == Chem.BondType.ZERO


def test_what_is_not_a_molecule():
    batch = wg.from_smiles(["CC", "C"])
    with pytest.raises(InputError, match="only one molecule"):
        to_rdkit(batch)
    with pytest.raises(InputError, match="the edge label 99 is not the number of a bond type"):
        to_rdkit(replace(batch[0], edge_labels=[99, 99]))
    assert not has_atoms_and_bonds(replace(batch, node_labels=[6, 6, 500]))
    assert not has_atoms_and_bonds(replace(batch, edge_labels=None))
    assert not has_atoms_and_bonds(wg.make_demo()[0])
    legend = wg.draw_graphs(replace(batch, edge_labels=None)).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["C"]


# Aromatic rings


@pytest.mark.parametrize(
    "smiles",
    [
        "c1ccccc1",
        "c1ccncc1",
        "c1cc[nH]c1",
        "c1ccc2[nH]ccc2c1",
        "c1ccc2ccccc2c1",
        "O=c1[nH]c2ccccc2[nH]1",
        "c1ccsc1",
        "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
        "c1ccc(-c2ccco2)cc1",
    ],
)
def test_clear_rings_get_the_double_bonds_of_the_molecule(smiles):
    molecule = kekulized(smiles)
    assert not any(bond.GetIsAromatic() for bond in molecule.GetBonds())
    expected = Chem.MolFromSmiles(smiles)
    Chem.Kekulize(expected, clearAromaticFlags=True)
    assert bond_counts(molecule) == bond_counts(expected)
    assert sum(atom.GetTotalNumHs() for atom in molecule.GetAtoms()) == 0


@pytest.mark.parametrize("smiles", ["c1c[nH]cn1", "c1cc[nH]n1", "C[n+]1ccccc1"])
def test_unclear_rings_stay_aromatic(smiles):
    assert "AROMATIC" in bond_counts(kekulized(smiles))
    assert "DOUBLE" not in bond_counts(kekulized(smiles))


def test_each_ring_system_is_decided_for_itself():
    assert bond_counts(kekulized("c1ccccc1Cc1c[nH]cn1")) == {"AROMATIC": 5, "DOUBLE": 3, "SINGLE": 5}


# Drawings


@pytest.mark.parametrize("smiles", ODD)
def test_every_molecule_is_drawn_within_its_frame(smiles):
    strokes = read_strokes(molecule_svg(wg.from_smiles(smiles), 200, 200))
    assert strokes
    places = np.concatenate([stroke.outline.vertices for stroke in strokes])
    assert places.min() >= 0
    assert places.max() <= 200


def test_a_page_of_molecules_has_bonds_and_letters_and_no_labels(tmp_path):
    figure = wg.draw_graphs(["CCO", "C#N", "[Na+].[Cl-]"], ["a", "b", "a"], path=tmp_path / "page.svg")
    assert not figure.legends
    assert [axis.get_title() for axis in figure.axes] == [f"graph {i} · class {c}" for i, c in enumerate("aba")]
    lines = [sum(patch.get_facecolor()[3] == 0 for patch in axis.patches) for axis in figure.axes]
    areas = [sum(patch.get_facecolor()[3] > 0 for patch in axis.patches) for axis in figure.axes]
    assert lines[0] >= 3  # a bond to another element has two colors
    assert areas == [1, 1, 4]  # O; N; N, a, C, l
    assert b"<image" not in (tmp_path / "page.svg").read_bytes()


def test_aromatic_bonds_are_dashed_where_double_bonds_are_unclear():
    dashed = [bool(stroke.dashes) for stroke in read_strokes(molecule_svg(wg.from_smiles("c1c[nH]cn1"), 200, 200))]
    assert sum(dashed) >= 5
    clear = read_strokes(molecule_svg(wg.from_smiles("c1ccccc1"), 200, 200))
    assert not any(stroke.dashes for stroke in clear)


def test_hydrogens_and_charges_are_not_invented():
    letters = [stroke for stroke in read_strokes(molecule_svg(wg.from_smiles("CC[NH3+]"), 200, 200)) if stroke.fill]
    assert len(letters) == 1


def test_ions_are_apart():
    letters = [stroke for stroke in read_strokes(molecule_svg(wg.from_smiles("[Na+].[Cl-]"), 200, 200)) if stroke.fill]
    left, right = (
        np.concatenate([each.outline.vertices for each in pair])[:, 0] for pair in (letters[:2], letters[2:])
    )
    gap = max(right.min() - left.max(), left.min() - right.max())
    assert gap > 5  # more than within a symbol


def test_the_same_molecule_has_the_same_drawing():
    one, two = (molecule_svg(wg.from_smiles("CC(=O)Oc1ccccc1C(=O)O"), 200, 200) for _ in range(2))
    assert one == two


def test_molecules_with_other_edge_labels_are_drawn_like_graphs():
    batch = wg.from_smiles(["CCO", "C"])
    changed = replace(batch, edge_labels=np.full(batch.n_arcs, 99))
    assert "<circle" not in graph_svg(batch[0], ["black"] * 3)
    assert graph_svg(changed[0], ["black"] * 3).count("<circle") == 3
    assert changed._repr_html_().count("<img") == 2
    assert wg.draw_graphs(changed).legends
