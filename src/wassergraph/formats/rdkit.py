"""From RDKit molecules and SMILES."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, GraphParts, pack_parts
from wassergraph.optional import require

AtomProperty: TypeAlias = str | Callable[[Any], float]
AtomProperties: TypeAlias = AtomProperty | Iterable[AtomProperty]

#: What an atom can tell of itself, by the name to give as ``node_attributes``. ``coordinates`` is another: x, y and z.
ATOM_PROPERTIES: dict[str, Callable[[Any], float]] = {
    "atomic_number": lambda atom: atom.GetAtomicNum(),
    "mass": lambda atom: atom.GetMass(),
    "charge": lambda atom: atom.GetFormalCharge(),
    "degree": lambda atom: atom.GetDegree(),
    "valence": lambda atom: atom.GetTotalValence(),
    "hydrogens": lambda atom: atom.GetTotalNumHs(),
    "aromatic": lambda atom: atom.GetIsAromatic(),
    "in_ring": lambda atom: atom.IsInRing(),
    "radical_electrons": lambda atom: atom.GetNumRadicalElectrons(),
}


def from_rdkit(molecules: Any | Iterable[Any], *, node_attributes: AtomProperties | None = None) -> GraphBatch:
    """Read one RDKit molecule or several: atomic numbers become node labels, bond types edge labels.

    The edge labels are RDKit's numbers for bond types: 1 single, 2 double, 3 triple, 12 aromatic. Hydrogens are nodes
    where the molecule has them as atoms (``Chem.AddHs``).

    Parameters
    ----------
    molecules : rdkit.Chem.Mol, or an iterable of them
        A None among them (what RDKit gives for what it cannot read) is an error that tells its position.
    node_attributes : str, callable, or list of them, optional
        What to use as attributes: names from ``atomic_number, mass, charge, degree, valence, hydrogens, aromatic,
        in_ring, radical_electrons``, or ``coordinates`` (x, y, z of the first conformer), or functions of an atom.

    Examples
    --------
    >>> from rdkit import Chem
    >>> import wassergraph as wg
    >>> wg.from_rdkit([Chem.MolFromSmiles("c1ccccc1O")], node_attributes=["charge", "hydrogens"])
    GraphBatch(1 graph, 7 nodes, 7 edges; node labels (2 kinds), node attributes (2-d), edge labels (2 kinds))
    """
    require("rdkit")
    from rdkit import Chem

    listed = [molecules] if isinstance(molecules, Chem.Mol) else list(molecules)
    _report_unreadable([(i, molecule) for i, molecule in enumerate(listed) if not isinstance(molecule, Chem.Mol)])
    wanted = [] if node_attributes is None else _wanted(node_attributes)
    return pack_parts((_parts(molecule, i, wanted) for i, molecule in enumerate(listed)), EdgeRules())


def from_smiles(smiles: str | Iterable[str], *, node_attributes: AtomProperties | None = None) -> GraphBatch:
    """Read one SMILES string or several; otherwise as :func:`wassergraph.from_rdkit`.

    A string that RDKit cannot read is an error that tells the positions of all such strings; none is left out.

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.from_smiles(["CCO", "c1ccccc1"])
    GraphBatch(2 graphs, 9 nodes, 8 edges; node labels (2 kinds), edge labels (2 kinds))
    """
    require("rdkit")
    from rdkit import Chem

    wanted = None if node_attributes is None else _wanted(node_attributes)
    if wanted is not None and "coordinates" in wanted:
        raise ValueError(
            "SMILES have no coordinates: make them with rdkit.Chem.AllChem.EmbedMolecule and use from_rdkit instead"
        )
    listed = [smiles] if isinstance(smiles, str) else list(smiles)
    # What RDKit finds behind a line break it would pass over in silence.
    molecules = [
        Chem.MolFromSmiles(text) if isinstance(text, str) and len(text.splitlines()) < 2 else None for text in listed
    ]
    _report_unreadable([(i, listed[i]) for i, molecule in enumerate(molecules) if molecule is None])
    return from_rdkit(molecules, node_attributes=wanted)


def _wanted(node_attributes: AtomProperties) -> list[AtomProperty]:
    wanted: list[Any] = (
        [node_attributes] if isinstance(node_attributes, str) or callable(node_attributes) else list(node_attributes)
    )
    if not wanted:
        raise ValueError("node_attributes is an empty list: give None for no attributes")
    for name in wanted:
        if not callable(name) and name != "coordinates" and name not in ATOM_PROPERTIES:
            raise ValueError(
                f"{name!r} is not known of an atom: choose among {', '.join(ATOM_PROPERTIES)}, coordinates"
            )
    return wanted


def _report_unreadable(unreadable: list[tuple[int, Any]]) -> None:
    if unreadable:
        shown = ", ".join(f"{value!r} at position {position}" for position, value in unreadable[:10])
        more = f" and {len(unreadable) - 10} more" if len(unreadable) > 10 else ""
        raise ValueError(f"{len(unreadable)} molecule(s) cannot be read: {shown}{more}; correct them or leave them out")


def _parts(molecule: Any, position: int, wanted: list[AtomProperty]) -> GraphParts:
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType())) for bond in molecule.GetBonds()]
    table = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    columns = [_atom_values(molecule, position, property_) for property_ in wanted]
    return GraphParts(
        n_nodes=molecule.GetNumAtoms(),
        edges=table[:, :2],
        undirected=True,
        node_labels=np.array([atom.GetAtomicNum() for atom in molecule.GetAtoms()], dtype=np.int64),
        node_attributes=np.column_stack(columns) if columns else None,
        edge_labels=table[:, 2],
    )


def _atom_values(molecule: Any, position: int, property_: AtomProperty) -> FloatArray:
    if property_ == "coordinates":
        if molecule.GetNumConformers() == 0:
            raise ValueError(
                f"molecule {position} has no coordinates: make them with rdkit.Chem.AllChem.EmbedMolecule, or read "
                "them from a file that has them"
            )
        return np.array(molecule.GetConformer().GetPositions(), dtype=np.float64)
    value = property_ if callable(property_) else ATOM_PROPERTIES[property_]
    try:
        return np.array([value(atom) for atom in molecule.GetAtoms()], dtype=np.float64)
    except Exception as error:  # RDKit's, or whatever a function of the user's raises
        raise ValueError(f"molecule {position}: {property_} cannot be had of its atoms ({error})") from error
