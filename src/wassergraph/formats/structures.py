"""What a batch keeps of molecules besides atoms and bonds, so that they are drawn as they were written.

The structure of a molecule is its SMILES, with charges, hydrogens and stereochemistry. If its atoms have another order
than the nodes of the graph, a tab and the nodes of its atoms follow: ``OC<tab>1,0``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.formats.to_rdkit import labelled_edges
from wassergraph.graphs.batch import GraphBatch

if TYPE_CHECKING:
    from rdkit import Chem

_SEPARATOR = "\t"
#: RDKit writes SMILES by recursion, which ends the process in chains of some ten thousand atoms.
_MOST_ATOMS = 5_000


def write_structure(origin: object, molecule: Chem.Mol) -> str:
    """Return the structure of a molecule that was read from an origin: a SMILES string, or anything else.

    Parameters
    ----------
    origin : object
        What the molecule was read from; SMILES are kept as they are, which takes no time.
    molecule : rdkit.Chem.Mol
        The molecule.

    Returns
    -------
    str
        The structure; empty if RDKit cannot write SMILES of the molecule, or is not asked to, since it is too large.

    Examples
    --------
    >>> from rdkit import Chem
    >>> write_structure("OCC", Chem.MolFromSmiles("OCC"))
    'OCC'
    """
    if isinstance(origin, str):
        return origin.split(maxsplit=1)[0]  # what follows a space is a name
    if molecule.GetNumAtoms() > _MOST_ATOMS:
        return ""
    from rdkit import Chem

    try:
        smiles = Chem.MolToSmiles(molecule, canonical=False)
    except (RuntimeError, ValueError):  # properties that were not computed, or a valence that is impossible
        return ""
    order = list(molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"])
    if order == list(range(len(order))):
        return smiles
    return f"{smiles}{_SEPARATOR}{','.join(map(str, order))}"


def plain_structure(text: str) -> str:
    """Return the SMILES of a structure, without the order of its atoms."""
    return text.partition(_SEPARATOR)[0]


def read_structure(graph: GraphBatch) -> Chem.Mol | None:
    """Return one molecule with charges, hydrogens and stereochemistry.

    Parameters
    ----------
    graph : GraphBatch
        One molecule.

    Returns
    -------
    rdkit.Chem.Mol or None
        The atoms in the order of the nodes. None if the graph has no structure, or one with other atoms or bonds: its
        labels or edges may have been changed since it was read.
    """
    from rdkit import Chem, rdBase

    text = "" if graph.structures is None else graph.structures[0]
    smiles, _, order = text.partition(_SEPARATOR)
    if not smiles:
        return None
    with rdBase.BlockLogs():
        # Hydrogens that are nodes are atoms of the SMILES, which RDKit removes unless it is told not to.
        for remove in (True, False):
            options: Any = Chem.SmilesParserParams()
            options.removeHs = remove
            molecule = Chem.MolFromSmiles(smiles, options)
            if molecule is not None and molecule.GetNumAtoms() == graph.n_nodes:
                ordered = _in_order(molecule, order)
                return ordered if ordered is not None and _matches(graph, ordered) else None
    return None


def _in_order(molecule: Chem.Mol, order: str) -> Chem.Mol | None:
    """Return a molecule with its atoms in the order of the nodes; None if the order is not one of its atoms."""
    from rdkit import Chem

    if not order:
        return molecule
    nodes = [int(number) for number in order.split(",") if number.isdecimal()]
    if sorted(nodes) != list(range(molecule.GetNumAtoms())):
        return None
    return Chem.RenumberAtoms(molecule, np.argsort(nodes).tolist())


def _matches(graph: GraphBatch, molecule: Chem.Mol) -> bool:
    """Return whether a molecule has the atoms and bonds of a graph."""
    assert graph.node_labels is not None
    if [atom.GetAtomicNum() for atom in molecule.GetAtoms()] != graph.node_labels.tolist():
        return False
    bonds = {
        (*sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())), int(bond.GetBondType()))
        for bond in molecule.GetBonds()
    }
    return bonds == set(labelled_edges(graph))
