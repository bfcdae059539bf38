"""Convert molecules to RDKit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassergraph.errors import InputError
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.elements import SYMBOLS
from wassergraph.optional import require

if TYPE_CHECKING:
    from rdkit import Chem

#: Elements that give the two electrons of a dative bond: C, N, O, F, P, S, Cl, As, Se, Br and I.
_DONORS = {6, 7, 8, 9, 15, 16, 17, 33, 34, 35, 53}


def has_atoms_and_bonds(graphs: GraphBatch) -> bool:
    """Return whether all node labels are atomic numbers and all edges have labels, as those of molecules do."""
    labels = graphs.node_labels
    if not graphs.molecules or labels is None or graphs.edge_labels is None or graphs.n_self_loops:
        return False
    return bool(((labels >= 0) & (labels < len(SYMBOLS))).all())


def has_bond_types(graphs: GraphBatch) -> bool:
    """Return whether all edge labels are numbers of bond types of RDKit, which must be installed."""
    from rdkit import Chem

    return graphs.edge_labels is not None and set(graphs.edge_labels.tolist()) <= set(Chem.BondType.values)


def labelled_edges(graph: GraphBatch) -> list[tuple[int, int, int]]:
    """Return the two ends of each edge, the smaller one first, and its label, which it must have."""
    assert graph.edge_labels is not None
    arcs = zip(graph.arc_tails.tolist(), graph.indices.tolist(), graph.edge_labels.tolist(), strict=True)
    return [arc for arc in arcs if arc[0] < arc[1]]


def to_rdkit(graph: GraphBatch) -> Chem.Mol:
    """Convert one molecule to RDKit.

    A batch stores neither charges nor hydrogens that are no nodes. The molecule has none, therefore, not even implicit
    ones: it is made to be drawn, not to be computed with.

    Parameters
    ----------
    graph : GraphBatch
        One molecule.

    Returns
    -------
    rdkit.Chem.Mol
        The atoms in the order of the nodes. It is not sanitized, since without charges many valences are unusual.

    Raises
    ------
    ValueError
        If the graph is not a molecule, or if an edge label is not the number of a bond type of RDKit.
    """
    require("rdkit")
    from rdkit import Chem

    if len(graph) != 1 or not has_atoms_and_bonds(graph):
        raise InputError("only one molecule, as from_rdkit and from_smiles read it, can be converted to RDKit")
    assert graph.node_labels is not None
    molecule = Chem.RWMol()
    for number in graph.node_labels.tolist():
        atom = Chem.Atom(number)
        atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    for tail, head, label in labelled_edges(graph):
        _add_bond(molecule, tail, head, label)
    molecule.UpdatePropertyCache(strict=False)
    Chem.GetSymmSSSR(molecule)
    return molecule.GetMol()


def _add_bond(molecule: Chem.RWMol, tail: int, head: int, label: int) -> None:
    from rdkit import Chem

    if label not in Chem.BondType.values:
        raise InputError(f"the edge label {label} is not the number of a bond type of RDKit", node=tail)
    kind = Chem.BondType.values[label]
    if kind == Chem.BondType.DATIVE:
        tail, head, kind = _orient(molecule, tail, head)
    molecule.AddBond(tail, head, kind)
    if kind == Chem.BondType.AROMATIC:
        molecule.GetBondBetweenAtoms(tail, head).SetIsAromatic(True)
        for end in (tail, head):
            molecule.GetAtomWithIdx(end).SetIsAromatic(True)


def _orient(molecule: Chem.RWMol, tail: int, head: int) -> tuple[int, int, Chem.BondType]:
    """Return a dative bond from the donor to the acceptor; if that is not clear, a bond without a direction."""
    from rdkit import Chem

    gives = [molecule.GetAtomWithIdx(end).GetAtomicNum() in _DONORS for end in (tail, head)]
    if gives[0] == gives[1]:
        return tail, head, Chem.BondType.ZERO
    return (tail, head, Chem.BondType.DATIVE) if gives[0] else (head, tail, Chem.BondType.DATIVE)
