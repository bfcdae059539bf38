"""Read RDKit molecules and SMILES strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.slices import offsets
from wassergraph.optional import require

if TYPE_CHECKING:
    from rdkit import Chem

AtomProperty: TypeAlias = "str | Callable[[Chem.Atom], float]"
AtomProperties: TypeAlias = "AtomProperty | Iterable[AtomProperty]"

#: Properties of an atom, by the name to pass as ``node_attributes``. ``coordinates`` (x, y and z) is another.
ATOM_PROPERTIES: dict[str, Callable[[Chem.Atom], float]] = {
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
#: RDKit's bond type for twice the order of a bond: single, aromatic, double and triple.
_BOND_TYPES = np.array([-1, -1, 1, 12, 2, -1, 3])
#: The number of unreadable molecules that an error shows.
_SHOWN = 10


def from_rdkit(
    molecules: Chem.Mol | Iterable[Chem.Mol], *, node_attributes: AtomProperties | None = None
) -> GraphBatch:
    """Read RDKit molecules: atomic numbers become node labels, bond types edge labels.

    The edge labels are RDKit's numbers for bond types: 1 single, 2 double, 3 triple, 12 aromatic. Hydrogens are nodes
    if the molecule has them as atoms (``Chem.AddHs``).

    Parameters
    ----------
    molecules : rdkit.Chem.Mol, or an iterable of them
        A None among them, which RDKit returns for what it cannot read, is an error that names all such positions.
    node_attributes : str, callable, or list of them, optional
        The properties to use as attributes: names from ``atomic_number, mass, charge, degree, valence, hydrogens,
        aromatic, in_ring, radical_electrons``, or ``coordinates`` (x, y, z of the first conformer), or functions of an
        atom.

    Returns
    -------
    GraphBatch

    Examples
    --------
    >>> from rdkit import Chem
    >>> import wassergraph as wg
    >>> wg.from_rdkit([Chem.MolFromSmiles("c1ccccc1O")], node_attributes=["charge", "hydrogens"])
    GraphBatch(1 molecule, 7 nodes, 7 edges; node labels (2 kinds), node attributes (2-d), edge labels (2 kinds))
    """
    require("rdkit")
    from rdkit import Chem

    listed = [molecules] if isinstance(molecules, Chem.Mol) else molecules
    properties = [] if node_attributes is None else _properties(node_attributes)
    return _pack(((molecule, molecule) for molecule in listed), properties)


def from_smiles(smiles: str | Iterable[str], *, node_attributes: AtomProperties | None = None) -> GraphBatch:
    """Read SMILES strings: atomic numbers become node labels, bond types edge labels.

    Parameters
    ----------
    smiles : str, or an iterable of str
        A string that RDKit cannot read is an error that names all such positions.
    node_attributes : str, callable, or list of them, optional
        As in :func:`wassergraph.from_rdkit`, without ``coordinates``.

    Returns
    -------
    GraphBatch

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.from_smiles(["CCO", "c1ccccc1"])
    GraphBatch(2 molecules, 9 nodes, 8 edges; node labels (2 kinds), edge labels (2 kinds))
    """
    require("rdkit")
    from rdkit import Chem

    properties = [] if node_attributes is None else _properties(node_attributes)
    if "coordinates" in properties:
        raise InputError(
            "SMILES strings have no coordinates",
            remedy="compute them with rdkit.Chem.AllChem.EmbedMolecule and use from_rdkit",
        )
    # RDKit ignores what follows a line break.
    return _pack(
        (
            (text, Chem.MolFromSmiles(text) if isinstance(text, str) and len(text.splitlines()) < 2 else None)
            for text in ([smiles] if isinstance(smiles, str) else smiles)
        ),
        properties,
    )


def _pack(molecules: Iterable[tuple[object, object]], properties: list[AtomProperty]) -> GraphBatch:
    """Pack molecules one by one, so that not all of them are in memory; each comes with what it was read from."""
    from rdkit import Chem

    unreadable: dict[int, object] = {}
    parts: list[_Molecule] = []
    reader = _Reader(properties)
    for position, (origin, molecule) in enumerate(molecules):
        if not isinstance(molecule, Chem.Mol):
            unreadable[position] = origin
        elif not unreadable:  # otherwise the rest is only searched for more of them
            parts.append(reader.read(molecule, position))
    _check_readable(unreadable)
    if not parts:
        raise InputError("there are no graphs", remedy="pass at least one")
    return _concatenate(parts)


class _Molecule(NamedTuple):
    """One molecule: atoms, and its bonds in both directions, sorted by atom."""

    atoms: list[int]
    attributes: FloatArray | None
    tails: IntArray
    heads: IntArray
    bonds: IntArray


def _concatenate(parts: list[_Molecule]) -> GraphBatch:
    sizes = np.array([len(part.atoms) for part in parts], dtype=np.int64)
    node_ptr = offsets(sizes)
    shift = np.repeat(node_ptr[:-1], [len(part.tails) for part in parts])
    tails = np.concatenate([part.tails for part in parts]) + shift
    attributes = [part.attributes for part in parts if part.attributes is not None]
    return GraphBatch(
        node_ptr=node_ptr,
        indptr=offsets(np.bincount(tails, minlength=node_ptr[-1])),
        indices=np.concatenate([part.heads for part in parts]) + shift,
        node_labels=np.array([atom for part in parts for atom in part.atoms], dtype=np.int64),
        node_attributes=np.concatenate(attributes) if attributes else None,
        edge_labels=np.concatenate([part.bonds for part in parts]),
        molecules=True,
    )


class _Reader:
    """Reads molecules, with what needs to be made once for all of them."""

    def __init__(self, properties: list[AtomProperty]) -> None:
        from rdkit import Chem

        self._adjacency = Chem.GetAdjacencyMatrix
        self._unusual = Chem.MolFromSmarts("*!-;!=;!#;!:*")
        self._properties = properties

    def read(self, molecule: Chem.Mol, position: int) -> _Molecule:
        """Read one molecule."""
        atom = molecule.GetAtomWithIdx
        atoms = [atom(i).GetAtomicNum() for i in range(molecule.GetNumAtoms())]
        columns = [_atom_values(molecule, position, property_) for property_ in self._properties]
        attributes = np.column_stack(columns) if columns else None
        return _Molecule(atoms, attributes, *self._read_bonds(molecule))

    def _read_bonds(self, molecule: Chem.Mol) -> tuple[IntArray, IntArray, IntArray]:
        """Return the ends and the types of all bonds in both directions, sorted by the ends."""
        # A matrix of bond orders is read many times faster than bonds one by one. It does not tell unusual bonds, such
        # as dative ones, from others, and omits bonds of order 0.
        if not molecule.HasSubstructMatch(self._unusual):
            orders = self._adjacency(molecule, useBO=True, force=True)
            tails, heads = np.nonzero(orders)
            if len(tails) == 2 * molecule.GetNumBonds():
                return tails, heads, _BOND_TYPES[(2 * orders[tails, heads]).astype(np.int64)]
        bonds = [
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType())) for bond in molecule.GetBonds()
        ]
        both = np.array(sorted(bonds + [(head, tail, kind) for tail, head, kind in bonds]), dtype=np.int64)
        tails, heads, types = both.reshape(-1, 3).T
        return tails, heads, types


def _properties(node_attributes: AtomProperties) -> list[AtomProperty]:
    """Return the properties to read, as a list."""
    single = isinstance(node_attributes, str) or callable(node_attributes)
    properties: list[Any] = [node_attributes] if single else list(node_attributes)  # type: ignore[arg-type]
    option = Option("node_attributes")
    if not properties:
        raise InputError("{} is an empty list", remedy="pass None for no attributes", options=[option])
    for name in properties:
        if not callable(name) and name != "coordinates" and name not in ATOM_PROPERTIES:
            known = ", ".join([*ATOM_PROPERTIES, "coordinates"])
            raise InputError(
                f"{{}}: {name!r} is not a property of atoms", remedy=f"choose among {known}", options=[option]
            )
    return properties


def _check_readable(unreadable: Mapping[int, object]) -> None:
    """Raise an error about molecules that cannot be read, by position."""
    if not unreadable:
        return
    (first, value), *others = unreadable.items()
    shown = [(position, repr(other)) for position, other in others[: _SHOWN - 1]]
    hidden = len(unreadable) - _SHOWN
    more = f" ({len(unreadable)} molecules, of which {_SHOWN} are shown)" if hidden > 0 else ""
    raise InputError(
        f"{value!r} cannot be read as a molecule",
        remedy=f"correct or remove such molecules{more}",
        graph=first,
        also=shown,
    )


def _atom_values(molecule: Chem.Mol, position: int, property_: AtomProperty) -> FloatArray:
    if property_ == "coordinates":
        if molecule.GetNumConformers() == 0:
            raise InputError(
                "the molecule has no coordinates",
                remedy="compute them with rdkit.Chem.AllChem.EmbedMolecule, or read them from a file",
                graph=position,
            )
        return np.array(molecule.GetConformer().GetPositions(), dtype=np.float64)
    value = property_ if callable(property_) else ATOM_PROPERTIES[property_]
    try:
        return np.array([value(atom) for atom in molecule.GetAtoms()], dtype=np.float64)
    except Exception as error:  # of RDKit, or of a function that the user passed
        raise InputError(f"the property {property_} cannot be computed ({error})", graph=position) from error
