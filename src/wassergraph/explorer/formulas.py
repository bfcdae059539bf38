"""Skeletal formulas of molecules, as a page draws them: what is written at atoms, and how bonds are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.molecules import place_atoms, wedge_bonds

if TYPE_CHECKING:
    from rdkit import Chem

#: What is written at an atom: a symbol, which is empty where lines meet at a carbon, hydrogens, and the charge.
AtomText: TypeAlias = tuple[str, int, int]

#: How bonds are drawn: orders, and for a double bond whose second line is beside the first, on which side that is, seen
#: from its first node; for a wedge, at which node it is narrow. formula.js has the same numbers.
SINGLE, DOUBLE, TRIPLE, AROMATIC = 1, 2, 3, 12
DOUBLE_LEFT, DOUBLE_RIGHT = 21, 22
WEDGE_FIRST, WEDGE_SECOND, HASH_FIRST, HASH_SECOND = 31, 32, 33, 34
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class SkeletalFormula:
    """The skeletal formula of one molecule.

    Parameters
    ----------
    graph : GraphBatch
        One molecule.

    Attributes
    ----------
    places : (n_nodes, 2) floats
        The places of atoms, with the first axis to the right and the second one upwards.
    atoms : list of AtomText
        What is written at them.
    bonds : (n_edges) integers
        How bonds are drawn.
    """

    def __init__(self, graph: GraphBatch) -> None:
        molecule = wedge_bonds(place_atoms(graph))
        self.places: FloatArray = molecule.GetConformer().GetPositions()[:, :2]
        self.atoms = [_atom_text(atom) for atom in molecule.GetAtoms()]
        arcs = zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True)
        bonds = [self._draw_bond(molecule.GetBondBetweenAtoms(one, two), one, two) for one, two in arcs if one <= two]
        self.bonds: IntArray = np.array(bonds, dtype=np.int64)

    def _draw_bond(self, bond: Chem.Bond, one: int, two: int) -> int:
        from rdkit import Chem

        is_first = bond.GetBeginAtomIdx() == one
        if bond.GetBondDir() == Chem.BondDir.BEGINWEDGE:
            return WEDGE_FIRST if is_first else WEDGE_SECOND
        if bond.GetBondDir() == Chem.BondDir.BEGINDASH:
            return HASH_FIRST if is_first else HASH_SECOND
        order = int(bond.GetBondType())
        if order == DOUBLE:
            return self._draw_double(bond, one, two)
        return order if order in (TRIPLE, AROMATIC) else SINGLE

    def _draw_double(self, bond: Chem.Bond, one: int, two: int) -> int:
        """Return where the second line is: inside of a ring, toward most neighbors, or for =O and =C= in the middle."""
        ends = bond.GetBeginAtom(), bond.GetEndAtom()
        others = _ring_of(bond) or [atom.GetIdx() for end in ends for atom in end.GetNeighbors()]
        if not bond.IsInRing() and min(end.GetDegree() for end in ends) == 1:
            return DOUBLE
        along, across = self.places[two] - self.places[one], self.places[others] - self.places[one]
        sides = np.sign(np.round(along[0] * across[:, 1] - along[1] * across[:, 0], 3))
        return DOUBLE_LEFT if sides.sum() >= 0 else DOUBLE_RIGHT


def _ring_of(bond: Chem.Bond) -> list[int]:
    """Return the atoms of a ring with a bond: of several, one with most double bonds; none if there is no ring."""
    molecule = bond.GetOwningMol()
    rings = molecule.GetRingInfo()
    found = zip(rings.AtomRings(), rings.BondRings(), strict=True)
    mine = [(atoms, bonds) for atoms, bonds in found if bond.GetIdx() in bonds and len(atoms) <= 8]
    n_doubles = [sum(int(molecule.GetBondWithIdx(each).GetBondType()) == DOUBLE for each in bonds) for _, bonds in mine]
    return list(mine[int(np.argmax(n_doubles))][0]) if mine else []


def _atom_text(atom: Chem.Atom) -> AtomText:
    """Return what is written at an atom."""
    charge, hydrogens = atom.GetFormalCharge(), atom.GetTotalNumHs()
    is_linear = atom.GetDegree() == 2 and all(int(bond.GetBondType()) == DOUBLE for bond in atom.GetBonds())
    is_plain = atom.GetAtomicNum() == 6 and not (charge or atom.GetIsotope() or atom.GetNumRadicalElectrons())
    if is_plain and atom.GetDegree() and not is_linear:
        return "", 0, 0
    isotope = str(atom.GetIsotope()).translate(_RAISED) if atom.GetIsotope() else ""
    return isotope + atom.GetSymbol(), hydrogens, charge
