"""Skeletal formulas as the explorer page draws them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rdkit import Chem

import wassergraph as wg
from wassergraph.explorer.formulas import DOUBLE, DOUBLE_LEFT, DOUBLE_RIGHT, SkeletalFormula
from wassergraph.explorer.node_places import node_places

MORPHINE = "CN1CC[C@]23c4c5ccc(O)c4O[C@H]2[C@@H](O)C=C[C@H]3[C@H]1C5"
#: The code of each bond that has a direction, and the atom at its narrow end: the first (0) or the second (1).
WEDGES = {
    31: (Chem.BondDir.BEGINWEDGE, 0),
    32: (Chem.BondDir.BEGINWEDGE, 1),
    33: (Chem.BondDir.BEGINDASH, 0),
    34: (Chem.BondDir.BEGINDASH, 1),
}


def drawn_edges(graph: wg.GraphBatch) -> list[tuple[int, int]]:
    return [edge for edge in zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True) if edge[0] < edge[1]]


def read_formula(graph: wg.GraphBatch) -> str:
    """Return the SMILES of what a formula shows: places, wedges, orders of bonds, and texts of atoms."""
    formula = SkeletalFormula(graph)
    molecule = Chem.RWMol()
    for symbol, hydrogens, charge in formula.atoms:
        atom = Chem.Atom(symbol or "C")
        atom.SetFormalCharge(charge)
        if symbol:
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(hydrogens)
        molecule.AddAtom(atom)
    for (one, two), code in zip(drawn_edges(graph), formula.bonds.tolist(), strict=True):
        direction, narrow = WEDGES.get(code, (Chem.BondDir.NONE, 0))
        order = {2: 2, DOUBLE_LEFT: 2, DOUBLE_RIGHT: 2, 3: 3}.get(code, 1)
        ends = (two, one) if narrow else (one, two)
        number = molecule.AddBond(*ends, Chem.BondType.values[order]) - 1
        molecule.GetBondWithIdx(number).SetBondDir(direction)
    conformer = Chem.Conformer(graph.n_nodes)
    conformer.Set3D(False)
    for atom, (x, y) in enumerate(formula.places.tolist()):
        conformer.SetAtomPosition(atom, (x, y, 0.0))
    molecule.AddConformer(conformer)
    Chem.SanitizeMol(molecule)
    Chem.AssignChiralTypesFromBondDirs(molecule)
    Chem.DetectBondStereochemistry(molecule)
    Chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
    return Chem.MolToSmiles(molecule)


@pytest.mark.parametrize(
    "smiles",
    [
        MORPHINE,
        r"c1ccccc1/C=C\c1ccccc1",
        "c1ccccc1/C=C/c1ccccc1",
        "[NH3+]CC(=O)[O-]",
        "[Na+].[O-]C(=O)c1ccccc1",
        "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
        "NCCc1c[nH]cn1",
        "C#CC",
        "O=C=O",
        "C",
    ],
)
def test_a_formula_says_what_was_read(smiles):
    assert read_formula(wg.from_smiles(smiles)) == Chem.CanonSmiles(smiles)


def test_texts_of_atoms():
    assert SkeletalFormula(wg.from_smiles("CC[NH3+]")).atoms == [("", 0, 0), ("", 0, 0), ("N", 3, 1)]
    assert SkeletalFormula(wg.from_smiles("[2H]O")).atoms == [("²H", 0, 0), ("O", 1, 0)]
    bare = replace(wg.from_smiles("CC[NH3+]"), structures=None)
    assert SkeletalFormula(bare).atoms[2] == ("N", 0, 0)


def test_second_lines_of_double_bonds_are_inside_of_rings():
    graph = wg.from_smiles("c1ccccc1")
    formula = SkeletalFormula(graph)
    middle = formula.places.mean(axis=0)
    doubles = 0
    for (one, two), code in zip(drawn_edges(graph), formula.bonds.tolist(), strict=True):
        if code == 1:
            continue
        along, inward = formula.places[two] - formula.places[one], middle - formula.places[one]
        left = along[0] * inward[1] - along[1] * inward[0] > 0
        assert code == (DOUBLE_LEFT if left else DOUBLE_RIGHT)
        doubles += 1
    assert doubles == 3


def test_a_carbonyl_has_its_lines_in_the_middle():
    assert SkeletalFormula(wg.from_smiles("CC(C)=O")).bonds.tolist() == [1, 1, DOUBLE]


def test_what_a_page_gets():
    drawn = node_places(wg.from_smiles(["CCO", "[Na+].[Cl-]"]))
    texts = [drawn["atoms"]["texts"][code] for code in drawn["atoms"]["codes"]]
    assert texts == [["", 0, 0], ["", 0, 0], ["O", 1, 0], ["Na", 0, 1], ["Cl", 0, -1]]
    assert drawn["bonds"].tolist() == [1, 1]
    assert drawn["places"].shape == (2, 5)
    assert node_places(wg.datasets.make_demo()[0])["atoms"] is None
    assert np.array_equal(node_places(wg.datasets.make_demo()[0])["placed"], np.zeros(60))
