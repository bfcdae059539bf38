"""Place the double bonds of aromatic rings, where the stored atoms and bonds leave no doubt about them.

Which nitrogen of an imidazole has the hydrogen is not stored, and neither are charges. Rings with several possible
answers, or with none, remain as they are stored: RDKit draws their bonds as a solid and a dashed line.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from rdkit import Chem

#: Elements that may have a hydrogen in an aromatic ring in place of a double bond: N, P and As.
_WITH_HYDROGEN = {7, 15, 33}
#: The most hydrogens of a ring system, and the most atoms that could have them.
_MAX_HYDROGENS, _MAX_ATOMS = 2, 8


def kekulize_where_clear(molecule: Chem.Mol) -> Chem.Mol:
    """Return a molecule with single and double bonds in place of aromatic ones, in every ring system where it is clear.

    Parameters
    ----------
    molecule : rdkit.Chem.Mol
        A molecule that knows its rings.

    Returns
    -------
    rdkit.Chem.Mol
        A copy; hydrogens and charges are those of the molecule.
    """
    from rdkit import Chem, rdBase

    drawn = Chem.RWMol(molecule)
    systems = _aromatic_systems(molecule)
    with rdBase.BlockLogs():
        for system in systems:
            others = [bond for other in systems if other is not system for bond in other]
            for bond, kind in (_bond_types(molecule, system, others) or {}).items():
                _set_type(drawn.GetBondWithIdx(bond), kind)
    return drawn.GetMol()


def _aromatic_systems(molecule: Chem.Mol) -> list[list[int]]:
    """Return the bonds of each connected system of aromatic bonds."""
    bonds = [bond for bond in molecule.GetBonds() if bond.GetIsAromatic()]
    if not bonds:
        return []
    ends = np.array([(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds])
    n = molecule.GetNumAtoms()
    adjacency = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    system = connected_components(adjacency, directed=False)[1][ends[:, 0]]
    return [[bonds[i].GetIdx() for i in np.flatnonzero(system == value)] for value in np.unique(system)]


def _bond_types(molecule: Chem.Mol, system: list[int], others: list[int]) -> dict[int, Chem.BondType] | None:
    """Return the only possible bond types of a ring system with the fewest hydrogens on its atoms, or None."""
    from rdkit import Chem

    alone = Chem.RWMol(molecule)
    for bond in others:
        _set_type(alone.GetBondWithIdx(bond), Chem.BondType.SINGLE)
    for hydrogens in range(_MAX_HYDROGENS + 1):
        answers = [types for atoms in _choices(alone, system, hydrogens) if (types := _kekulize(alone, system, atoms))]
        if answers:
            return answers[0] if len(answers) == 1 else None
    return None


def _choices(molecule: Chem.Mol, system: list[int], number: int) -> Iterator[tuple[int, ...]]:
    """Iterate over the sets of atoms that could have a number of hydrogens."""
    bonds = [molecule.GetBondWithIdx(bond) for bond in system]
    atoms = {atom.GetIdx(): atom for bond in bonds for atom in (bond.GetBeginAtom(), bond.GetEndAtom())}
    free = [i for i, atom in atoms.items() if atom.GetAtomicNum() in _WITH_HYDROGEN and atom.GetDegree() == 2]
    return combinations(sorted(free) if len(free) <= _MAX_ATOMS else [], number)


def _kekulize(molecule: Chem.Mol, system: list[int], atoms: tuple[int, ...]) -> dict[int, Chem.BondType] | None:
    """Return the bond types of a ring system with hydrogens on some atoms, or None if it would not be aromatic then."""
    from rdkit import Chem

    copy = Chem.RWMol(molecule)
    for atom in atoms:
        copy.GetAtomWithIdx(atom).SetNumExplicitHs(1)
    try:
        Chem.Kekulize(copy, clearAromaticFlags=True)
        types = {bond: copy.GetBondWithIdx(bond).GetBondType() for bond in system}
        for atom in copy.GetAtoms():
            atom.SetNoImplicit(False)
        copy.UpdatePropertyCache(strict=False)
        Chem.SetAromaticity(copy)
    except (Chem.MolSanitizeException, RuntimeError, ValueError):  # there is none, or a valence is impossible
        return None
    return types if all(copy.GetBondWithIdx(bond).GetIsAromatic() for bond in system) else None


def _set_type(bond: Chem.Bond, kind: Chem.BondType) -> None:
    """Change the type of an aromatic bond to one that is not aromatic."""
    bond.SetBondType(kind)
    bond.SetIsAromatic(False)
    for atom in (bond.GetBeginAtom(), bond.GetEndAtom()):
        atom.SetIsAromatic(any(other.GetIsAromatic() for other in atom.GetBonds()))
