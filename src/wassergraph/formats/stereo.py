"""Read the stereochemistry of RDKit molecules: CIP descriptors of centers, and of double bonds.

Molecules without stereochemistry, which are most, cost a look at their SMILES, or at their atoms and bonds. RDKit
perceives stereochemistry when it reads SMILES, but for centers such as those of cis-1,4-dimethylcyclohexane, whose
neighbors differ in stereochemistry only. Where it leaves such a center, all descriptors of the molecule come from
``rdCIPLabeler``, which knows them and takes some times longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.stereo import stereo_number

if TYPE_CHECKING:
    from rdkit import Chem

_DESCRIPTOR = "_CIPCode"
#: How long RDKit searches for descriptors, in its own steps, about a second; cages would take it hours.
_MOST_STEPS = 1_250_000


def read_stereo(
    molecule: Chem.Mol, atoms: Sequence[Chem.Atom], origin: object = None, position: int | None = None
) -> IntArray | None:
    """Return the number of the stereochemistry at each atom of a molecule, None if there is none.

    Parameters
    ----------
    molecule : rdkit.Chem.Mol
        The molecule.
    atoms : sequence of rdkit.Chem.Atom
        Its atoms.
    origin : object
        What it was read from: a SMILES string, or anything else.
    position : int, optional
        The position of the molecule, which is named in errors.

    Returns
    -------
    (n_atoms) integers or None
        See :data:`wassergraph.graphs.stereo.STEREO_NAMES`.

    Examples
    --------
    >>> from rdkit import Chem
    >>> for smiles in ("C[C@H](O)F", "F/C=C/F", "CCO"):
    ...     molecule = Chem.MolFromSmiles(smiles)
    ...     print(read_stereo(molecule, molecule.GetAtoms(), smiles))
    [0 1 0 0]
    [0 8 8 0]
    None
    """
    from rdkit import Chem

    if isinstance(origin, str):
        if not any(mark in origin for mark in "@/\\|"):
            return None
    elif not _is_marked(molecule, atoms):
        return None
    # Descriptors of a molecule that was not read here may be missing, or those of another that it was made from.
    if isinstance(origin, str) and Chem.GetUseLegacyStereoPerception():
        return _numbers(molecule, atoms)
    molecule = _perceived(molecule, position)
    return _numbers(molecule, molecule.GetAtoms())


def _is_marked(molecule: Chem.Mol, atoms: Sequence[Chem.Atom]) -> bool:
    """Return whether an atom or a bond of a molecule is marked as specified."""
    from rdkit import Chem

    if any(map(Chem.Atom.GetChiralTag, atoms)):
        return True
    return any(map(Chem.Bond.GetStereo, map(molecule.GetBondWithIdx, range(molecule.GetNumBonds()))))


def _perceived(molecule: Chem.Mol, position: int | None) -> Chem.Mol:
    """Return a copy of a molecule whose stereochemistry RDKit has perceived again, as when it reads SMILES."""
    from rdkit import Chem

    copy = Chem.Mol(molecule)
    Chem.SanitizeMol(copy, catchErrors=True)
    try:
        Chem.AssignStereochemistry(copy, cleanIt=True, force=True)
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"the stereochemistry cannot be perceived ({' '.join(str(error).split())})",
            remedy="complete the molecule with Chem.SanitizeMol, or drop it with Chem.RemoveStereochemistry",
            graph=position,
        ) from error
    return copy


def _numbers(molecule: Chem.Mol, atoms: Iterable[Chem.Atom]) -> IntArray | None:
    """Return the numbers of descriptors at each atom of a molecule that was perceived."""
    from rdkit.Chem import BondStereo, rdCIPLabeler

    centers = [atom for atom in atoms if atom.GetChiralTag()]
    marked = [bond for bond in molecule.GetBonds() if bond.GetStereo()]
    bonds = [bond for bond in marked if bond.GetStereo() != BondStereo.STEREOANY]
    if not centers and not bonds:
        return None
    usual = {BondStereo.STEREOE: "E", BondStereo.STEREOZ: "Z"}
    of_centers = [_descriptor(atom) for atom in centers]
    of_bonds = [usual.get(bond.GetStereo(), "") for bond in bonds]
    if "" in of_centers or "" in of_bonds:
        with suppress(RuntimeError):  # of a search that takes too long: what is known by now is kept
            rdCIPLabeler.AssignCIPLabels(molecule, maxRecursiveIterations=_MOST_STEPS)
            of_centers = [_descriptor(atom) for atom in centers]
            of_bonds = [_descriptor(bond) or known for bond, known in zip(bonds, of_bonds, strict=True)]
    numbers = np.zeros(molecule.GetNumAtoms(), dtype=np.int64)
    for atom, name in zip(centers, of_centers, strict=True):
        numbers[atom.GetIdx()] = stereo_number(name)
    for bond, name in zip(bonds, of_bonds, strict=True):
        ends = [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()]
        numbers[ends] = numbers[ends] % stereo_number(bond="E") + stereo_number(bond=name)
    return numbers if numbers.any() else None


def _descriptor(thing: Chem.Atom | Chem.Bond) -> str:
    return str(thing.GetProp(_DESCRIPTOR)) if thing.HasProp(_DESCRIPTOR) else ""
