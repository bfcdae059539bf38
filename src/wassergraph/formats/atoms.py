"""Read the atoms and bonds of RDKit molecules, one molecule after the other, into a few flat lists.

    molecules ──MoleculePacker.add──▶ atoms, bonds, columns of atom properties ──MoleculePacker.pack──▶ GraphBatch

Atomic numbers become node labels, bond types edge labels and atom properties node attributes.
"""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.formats.stereo import read_stereo
from wassergraph.formats.structures import write_structure
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.slices import offsets
from wassergraph.graphs.texts import Texts
from wassergraph.graphs.vocabulary import Vocabulary

if TYPE_CHECKING:
    from rdkit import Chem

AtomProperty: TypeAlias = "str | Callable[[Chem.Atom], float]"
AtomProperties: TypeAlias = "AtomProperty | Iterable[AtomProperty] | None"
BondWeights: TypeAlias = Literal["length"] | None

#: Properties of an atom, by the name to pass as ``node_attributes``, and the methods of RDKit's atoms that return them.
ATOM_PROPERTIES = {
    "atomic_number": "GetAtomicNum",
    "mass": "GetMass",
    "charge": "GetFormalCharge",
    "degree": "GetDegree",
    "valence": "GetTotalValence",
    "hydrogens": "GetTotalNumHs",
    "aromatic": "GetIsAromatic",
    "in_ring": "IsInRing",
    "radical_electrons": "GetNumRadicalElectrons",
}
#: Properties that need coordinates, and their numbers of columns: x, y and z; the distance to the center of all atoms.
SPATIAL_PROPERTIES = {"coordinates": 3, "centroid_distance": 1}
#: What ``node_attributes="auto"`` reads; docs/molecules.md shows how it was chosen.
DEFAULT_PROPERTIES = ("charge", "hydrogens", "aromatic", "in_ring", "degree")
#: RDKit's bond type for twice the order of a bond: single, aromatic, double and triple.
_BOND_TYPES = np.array([-1, -1, 1, 12, 2, -1, 3])
#: The largest number of atoms whose bonds are read from a matrix, which takes 8 bytes per pair of atoms.
_LARGEST_MATRIX = 1000


class MoleculePacker:
    """Collects molecules, and packs them into a batch.

    Parameters
    ----------
    node_attributes : str, callable, list of them, "auto" or None
        The properties to read, as in :func:`wassergraph.from_rdkit`.
    edge_weights : "length" or None
        Whether the length of a bond is its weight.
    """

    def __init__(self, node_attributes: AtomProperties, edge_weights: BondWeights = None) -> None:
        from rdkit import Chem

        self.properties = read_properties(node_attributes)
        if edge_weights is not None:
            check_choice("edge_weights", edge_weights, Literal["length"])
        if "coordinates" in self.properties:
            warnings.warn(
                "coordinates change when a molecule is turned or moved, and so do distances between graphs; "
                'centroid_distance and edge_weights="length" do not',
                stacklevel=4,
            )
        self._number = Chem.Atom.GetAtomicNum
        self._readers = [_reader(name) for name in self.properties]
        self._adjacency = Chem.GetAdjacencyMatrix
        self._unusual = Chem.MolFromSmarts("*!-;!=;!#;!:*")
        self._weighted = edge_weights == "length"
        self._spatial = self._weighted or needs_coordinates(self.properties)
        self._sizes: list[int] = []
        self._structures: list[str] = []
        # Arrays of the standard library: numpy takes twice as long to convert lists of numbers.
        self._labels = array("q")
        self._columns = [array("d") for _ in self.properties]
        self._cells: list[IntArray] = []
        #: The orders of bonds; of those that have none, the type with a minus.
        self._orders: list[FloatArray] = []
        self._lengths: list[FloatArray] = []
        self._places: list[FloatArray] = []
        #: The stereochemistry of those molecules that have some, by their number.
        self._stereo: dict[int, IntArray] = {}

    def add(self, molecule: Chem.Mol, position: int, origin: object = None) -> None:
        """Add a molecule of one or more atoms, read from an origin; its position is named in errors."""
        # Half the time of list(molecule.GetAtoms()), which checks at every step that the molecule was not changed.
        atoms = list(map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms())))
        places: Any = molecule.GetConformer().GetPositions() if molecule.GetNumConformers() else None
        if self._spatial and places is None:
            remedy = "compute them with rdkit.Chem.AllChem.EmbedMolecule, or read them from a file"
            raise InputError("the molecule has no coordinates", remedy=remedy, graph=position)
        for column, name, reader in zip(self._columns, self.properties, self._readers, strict=True):
            if reader is not None:
                _read_property(column, name, reader, atoms, position)
            else:
                values = places if name == "coordinates" else np.linalg.norm(places - places.mean(axis=0), axis=1)
                column.frombytes(values.tobytes())
        if (stereo := read_stereo(molecule, atoms, origin, position)) is not None:
            self._stereo[len(self._sizes)] = stereo
        self._sizes.append(len(atoms))
        self._structures.append(write_structure(origin, molecule))
        self._labels.extend(map(self._number, atoms))
        cells, orders = self._read_bonds(molecule)
        self._cells.append(cells)
        self._orders.append(orders)
        if places is not None:
            self._places.append(places)
        if self._weighted:
            tails, heads = np.divmod(cells, len(atoms))
            self._lengths.append(np.linalg.norm(places[tails] - places[heads], axis=1))

    def pack(self) -> GraphBatch:
        """Return all molecules that were added, of which there must be one or more."""
        sizes = np.array(self._sizes, dtype=np.int64)
        node_ptr, n_arcs = offsets(sizes), [len(cells) for cells in self._cells]
        tails, heads = np.divmod(np.concatenate(self._cells), np.repeat(sizes, n_arcs))
        shift = np.repeat(node_ptr[:-1], n_arcs)
        columns = [
            np.array(column).reshape(-1, SPATIAL_PROPERTIES.get(name, 1) if isinstance(name, str) else 1)
            for name, column in zip(self.properties, self._columns, strict=True)
        ]
        return GraphBatch(
            node_ptr=node_ptr,
            indptr=offsets(np.bincount(tails + shift, minlength=node_ptr[-1])),
            indices=heads + shift,
            node_labels=np.array(self._labels),
            node_attributes=np.column_stack(columns) if columns else None,
            edge_weights=np.concatenate(self._lengths) if self._weighted else None,
            edge_labels=_bond_types(np.concatenate(self._orders)),
            molecules=True,
            node_positions=self._positions(),
            vocabulary=Vocabulary(node_attributes=tuple(title for name in self.properties for title in _titles(name))),
            structures=Texts.of(self._structures),
            node_stereo=self._node_stereo(node_ptr),
        )

    def _node_stereo(self, node_ptr: IntArray) -> IntArray | None:
        """Return the stereochemistry of all atoms, if any molecule has some."""
        if not self._stereo:
            return None
        numbers = np.zeros(node_ptr[-1], dtype=np.int64)
        for molecule, stereo in self._stereo.items():
            numbers[node_ptr[molecule] : node_ptr[molecule + 1]] = stereo
        return numbers

    def _positions(self) -> FloatArray | None:
        """Return the coordinates of atoms, if all molecules have them; without z if all of them are flat."""
        if len(self._places) < len(self._sizes):
            return None
        places = np.concatenate(self._places)
        if not np.isfinite(places).all():
            return None
        return places if places[:, 2].any() else places[:, :2]

    def _read_bonds(self, molecule: Chem.Mol) -> tuple[IntArray, FloatArray]:
        """Return the cells of the adjacency matrix that are bonds, row by row, and the orders of these bonds."""
        # A matrix of bond orders is read many times faster than bonds one by one. It does not tell unusual bonds, such
        # as dative ones, from others, and omits bonds of order 0.
        if molecule.GetNumAtoms() <= _LARGEST_MATRIX and not molecule.HasSubstructMatch(self._unusual):
            orders = self._adjacency(molecule, useBO=True, force=True).ravel()
            (cells,) = orders.nonzero()
            if len(cells) == 2 * molecule.GetNumBonds():
                return cells, orders[cells]
        bonds = [
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType())) for bond in molecule.GetBonds()
        ]
        both = np.array(sorted(bonds + [(head, tail, kind) for tail, head, kind in bonds]), dtype=np.int64)
        tails, heads, types = both.reshape(-1, 3).T
        return tails * molecule.GetNumAtoms() + heads, -types.astype(np.float64)


def _bond_types(orders: FloatArray) -> IntArray:
    """Return RDKit's numbers of bond types, from orders of bonds or negative types."""
    types = -orders.astype(np.int64)
    usual = orders > 0
    types[usual] = _BOND_TYPES[(2 * orders[usual]).astype(np.int64)]
    return types


def read_properties(node_attributes: AtomProperties) -> list[AtomProperty]:
    """Return the properties to read, as a list; raise an error if one is unknown."""
    if node_attributes is None:
        return []
    if isinstance(node_attributes, str) and node_attributes == "auto":
        return list(DEFAULT_PROPERTIES)
    single = isinstance(node_attributes, str) or callable(node_attributes)
    properties: list[Any] = [node_attributes] if single else list(node_attributes)  # type: ignore[arg-type]
    option = Option("node_attributes")
    if not properties:
        raise InputError("{} is an empty list", remedy="pass None for no attributes", options=[option])
    known = [*ATOM_PROPERTIES, *SPATIAL_PROPERTIES]
    for name in properties:
        if not callable(name) and name not in known:
            remedy = f"choose among {', '.join(known)}"
            raise InputError(f"{{}}: {name!r} is not a property of atoms", remedy=remedy, options=[option])
    return properties


def _titles(name: AtomProperty) -> list[str]:
    """Return the names of the columns of a property."""
    if name == "coordinates":
        return ["x", "y", "z"]
    return [name if isinstance(name, str) else getattr(name, "__name__", "property")]


def needs_coordinates(properties: Iterable[AtomProperty]) -> bool:
    """Return whether a property is computed from coordinates."""
    return any(name in SPATIAL_PROPERTIES for name in properties if isinstance(name, str))


def _reader(name: AtomProperty) -> Callable[[Any], Any] | None:
    """Return the function that reads a property of an atom; None if it is read from coordinates."""
    from rdkit import Chem

    if callable(name):
        return name
    return None if name in SPATIAL_PROPERTIES else getattr(Chem.Atom, ATOM_PROPERTIES[name])


def _read_property(
    column: array[float], name: AtomProperty, reader: Callable[[Any], Any], atoms: list[Any], position: int
) -> None:
    """Add a property of all atoms of a molecule to a column."""
    try:
        column.extend(map(reader, atoms))
    except Exception as error:  # of RDKit, whose messages have several lines, or of a function that the user passed
        reason = " ".join(str(error).split()) or type(error).__name__
        remedy = "return a number for every atom" if callable(name) else "complete the molecule with Chem.SanitizeMol"
        raise InputError(
            f"the property {name} cannot be computed ({reason})",
            remedy=f"{remedy}, or choose other {{}}",
            options=[Option("node_attributes")],
            graph=position,
        ) from error
