"""Read molecules: RDKit objects, SMILES strings and SDF files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, Place
from wassergraph.formats.atoms import AtomProperties, BondWeights, MoleculePacker, needs_coordinates, read_properties
from wassergraph.formats.data_frames import only_column
from wassergraph.formats.sdf import SdfRecord, read_records
from wassergraph.formats.standardize import MoleculeSteps, standardizer
from wassergraph.formats.unreadable import Unreadable, check_readable, describe_skipped, unread_part, unreadable_reason
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.optional import require

if TYPE_CHECKING:
    from rdkit import Chem

#: What to do with molecules that cannot be read.
Invalid: TypeAlias = Literal["error", "skip"]


class Molecules(NamedTuple):
    """What was read.

    Attributes
    ----------
    graphs : GraphBatch or None
        The molecules that could be read; None if there are none.
    positions : (n_graphs) integers
        Their positions among all.
    unreadable : dict of Unreadable
        The others, by position.
    """

    graphs: GraphBatch | None
    positions: IntArray
    unreadable: dict[int, Unreadable]


@overload
def from_rdkit(
    molecules: Chem.Mol | Iterable[Chem.Mol],
    *,
    node_attributes: AtomProperties = ...,
    edge_weights: BondWeights = ...,
    standardize_molecules: MoleculeSteps = ...,
    invalid: Invalid = ...,
    return_positions: Literal[False] = ...,
) -> GraphBatch: ...
@overload
def from_rdkit(
    molecules: Chem.Mol | Iterable[Chem.Mol],
    *,
    node_attributes: AtomProperties = ...,
    edge_weights: BondWeights = ...,
    standardize_molecules: MoleculeSteps = ...,
    invalid: Invalid = ...,
    return_positions: Literal[True],
) -> tuple[GraphBatch, IntArray]: ...
def from_rdkit(
    molecules: Chem.Mol | Iterable[Chem.Mol],
    *,
    node_attributes: AtomProperties = "auto",
    edge_weights: BondWeights = None,
    standardize_molecules: MoleculeSteps = (),
    invalid: Invalid = "error",
    return_positions: bool = False,
) -> GraphBatch | tuple[GraphBatch, IntArray]:
    """Read RDKit molecules: atomic numbers become node labels, bond types edge labels, atom properties attributes.

    The edge labels are RDKit's numbers for bond types: 1 single, 2 double, 3 triple, 12 aromatic. Hydrogens are nodes
    if the molecule has them as atoms (``Chem.AddHs``). A salt or a mixture is one graph of several parts, each of which
    counts in distances. Stereochemistry is kept, and compared by ``WWL(stereo="use")``.

    Parameters
    ----------
    molecules : rdkit.Chem.Mol, or an iterable of them
        RDKit has None in place of what it cannot read.
    node_attributes : str, callable, list of them, "auto" or None
        The properties to use as attributes: names from ``atomic_number, mass, charge, degree, valence, hydrogens,
        aromatic, in_ring, radical_electrons``, or functions of an atom. With coordinates (those of the first
        conformer), also ``centroid_distance``, the distance to the mean of all atoms, and ``coordinates``, x, y and z,
        which change when a molecule is turned. "auto" is charge, hydrogens, aromatic, in_ring and degree. None reads
        no attributes.
    edge_weights : "length" or None
        "length" uses the length of each bond, computed from coordinates, as its weight.
    standardize_molecules : "fragment", "neutral", "tautomer", a list of them, or "all"
        What RDKit does with each molecule first: keep the largest fragment, so that a salt is read as its base or acid;
        remove charges by adding and removing hydrogens; choose the canonical tautomer, which loses stereochemistry
        that tautomers do not share. By default nothing.
    invalid : "error" or "skip"
        What to do with molecules that cannot be read: raise an error that names them, or leave them out with a warning
        that does.
    return_positions : bool
        Whether to return the positions of the molecules that were read, too.

    Returns
    -------
    graphs : GraphBatch
        The molecules, in the order in which they were passed.
    positions : (n_graphs) integers
        Only with ``return_positions``: ``y[positions]`` are the targets of ``graphs``.

    See Also
    --------
    from_smiles : read SMILES strings
    from_sdf : read an SDF file
    GraphBatch : what is returned

    Examples
    --------
    >>> from rdkit import Chem
    >>> import wassergraph as wg
    >>> wg.from_rdkit([Chem.MolFromSmiles("c1ccccc1O")], node_attributes=["charge", "hydrogens"])
    GraphBatch(1 molecule, 7 nodes, 7 edges; node labels (2 kinds), node attributes (2-d), edge labels (2 kinds))
    """
    require("rdkit")
    from rdkit import Chem

    check_choice("invalid", invalid, Invalid)
    listed = [molecules] if isinstance(molecules, Chem.Mol) else only_column(molecules)
    pairs = ((molecule, molecule) for molecule in listed)
    read = read_molecules(pairs, node_attributes, edge_weights, invalid, steps=standardize_molecules)
    return _result(read, return_positions)


@overload
def from_smiles(
    smiles: str | Iterable[str],
    *,
    node_attributes: AtomProperties = ...,
    standardize_molecules: MoleculeSteps = ...,
    invalid: Invalid = ...,
    return_positions: Literal[False] = ...,
) -> GraphBatch: ...
@overload
def from_smiles(
    smiles: str | Iterable[str],
    *,
    node_attributes: AtomProperties = ...,
    standardize_molecules: MoleculeSteps = ...,
    invalid: Invalid = ...,
    return_positions: Literal[True],
) -> tuple[GraphBatch, IntArray]: ...
def from_smiles(
    smiles: str | Iterable[str],
    *,
    node_attributes: AtomProperties = "auto",
    standardize_molecules: MoleculeSteps = (),
    invalid: Invalid = "error",
    return_positions: bool = False,
) -> GraphBatch | tuple[GraphBatch, IntArray]:
    """Read SMILES strings: atomic numbers become node labels, bond types edge labels, atom properties attributes.

    Parameters
    ----------
    smiles : str, or an iterable of str
        The molecules.
    node_attributes : str, callable, list of them, "auto" or None
        As in :func:`wassergraph.from_rdkit`, without those that need coordinates.
    standardize_molecules, invalid, return_positions
        As in :func:`wassergraph.from_rdkit`.

    Returns
    -------
    graphs : GraphBatch
        The molecules, in the order in which they were passed.
    positions : (n_graphs) integers
        Only with ``return_positions``: ``y[positions]`` are the targets of ``graphs``.

    See Also
    --------
    from_rdkit : read RDKit molecules
    from_sdf : read an SDF file
    GraphBatch : what is returned

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.from_smiles(["CCO", "c1ccccc1"])
    GraphBatch(2 molecules, 9 nodes, 8 edges; node labels (2 kinds), node attributes (5-d), edge labels (2 kinds))
    """
    check_choice("invalid", invalid, Invalid)
    return _result(read_smiles(smiles, node_attributes, invalid, steps=standardize_molecules), return_positions)


@overload
def from_sdf(
    path: str | Path,
    *,
    node_attributes: AtomProperties = ...,
    edge_weights: BondWeights = ...,
    standardize_molecules: MoleculeSteps = ...,
    invalid: Invalid = ...,
    return_positions: Literal[False] = ...,
) -> GraphBatch: ...
@overload
def from_sdf(
    path: str | Path,
    *,
    node_attributes: AtomProperties = ...,
    edge_weights: BondWeights = ...,
    standardize_molecules: MoleculeSteps = ...,
    invalid: Invalid = ...,
    return_positions: Literal[True],
) -> tuple[GraphBatch, IntArray]: ...
def from_sdf(
    path: str | Path,
    *,
    node_attributes: AtomProperties = "auto",
    edge_weights: BondWeights = None,
    standardize_molecules: MoleculeSteps = (),
    invalid: Invalid = "error",
    return_positions: bool = False,
) -> GraphBatch | tuple[GraphBatch, IntArray]:
    r"""Read the molecules of an SDF file.

    Hydrogens are removed, as RDKit does by default; to keep them, pass
    ``Chem.SDMolSupplier(path, removeHs=False)`` to :func:`wassergraph.from_rdkit`.

    Parameters
    ----------
    path : str or Path
        A .sdf or .sdf.gz file.
    node_attributes, edge_weights, standardize_molecules, invalid, return_positions
        As in :func:`wassergraph.from_rdkit`.

    Returns
    -------
    graphs : GraphBatch
        The molecules, in the order of the file.
    positions : (n_graphs) integers
        Only with ``return_positions``: the positions of the records that were read, counted from 0.

    See Also
    --------
    from_rdkit : read RDKit molecules
    from_smiles : read SMILES strings
    GraphBatch : what is returned

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rdkit import Chem
    >>> import wassergraph as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ethanol.sdf"
    ...     _ = path.write_text(Chem.MolToMolBlock(Chem.MolFromSmiles("CCO")) + "$$$$\n")
    ...     wg.from_sdf(path)
    GraphBatch(1 molecule, 3 nodes, 2 edges; node labels (2 kinds), node attributes (5-d), edge labels (1 kind))
    """
    check_choice("invalid", invalid, Invalid)
    records = list(read_records(path))
    if not records:
        raise InputError("the file has no molecules", remedy="add at least one record", file=path)
    places = [Place(path, record.line) for record in records]
    try:
        read = read_sdf(records, node_attributes, edge_weights, invalid, standardize_molecules)
    except InputError as error:
        raise error.in_places(places) from error
    return _result(read, return_positions)


def _result(read: Molecules, return_positions: bool) -> GraphBatch | tuple[GraphBatch, IntArray]:
    if read.graphs is None:
        n_unreadable = count(len(read.unreadable), "molecule")
        problem = f"none of {n_unreadable} can be read" if read.unreadable else "there are no graphs"
        raise InputError(problem, remedy="pass at least one molecule")
    return (read.graphs, read.positions) if return_positions else read.graphs


# Reading, for functions that need to know which molecules cannot be read


def read_smiles(
    smiles: str | Iterable[str],
    node_attributes: AtomProperties = "auto",
    invalid: Invalid | None = "error",
    how_to_skip: str | None = "pass {}",
    steps: MoleculeSteps = (),
) -> Molecules:
    """Read SMILES strings; the parameters are those of :func:`read_molecules` and :func:`from_smiles`."""
    require("rdkit")
    properties = read_properties(node_attributes)
    if needs_coordinates(properties):
        remedy = "compute them with rdkit.Chem.AllChem.EmbedMolecule and use from_rdkit"
        raise InputError("SMILES strings have no coordinates", remedy=remedy)
    listed = [smiles] if isinstance(smiles, str) else only_column(smiles)
    molecules = ((text, _parse(text)) for text in listed)
    return read_molecules(molecules, properties or None, None, invalid, how_to_skip, steps)


def _parse(smiles: object) -> Chem.Mol | None:
    """Return the molecule of a SMILES string; None if it cannot be read."""
    from rdkit import Chem

    return None if unread_part(smiles) else Chem.MolFromSmiles(smiles)


def rdkit_molecules(molecules: Iterable[object]) -> list[Chem.Mol]:
    """Return RDKit molecules, from SMILES strings, records of an SDF file or such molecules.

    Raises
    ------
    ValueError
        If one cannot be read.
    """
    require("rdkit")
    from rdkit import Chem, rdBase

    unreadable: dict[int, Unreadable] = {}
    read: list[Chem.Mol] = []
    with rdBase.BlockLogs():  # the reasons are part of our message
        for position, origin in enumerate(molecules):
            molecule = _molecule_of(origin)
            if isinstance(molecule, Chem.Mol) and molecule.GetNumAtoms():
                read.append(molecule)
            else:
                unreadable[position] = Unreadable(origin, unreadable_reason(origin, molecule))
    check_readable(unreadable, how_to_skip=None)
    return read


def _molecule_of(origin: object) -> object:
    """Return the molecule of a record or of a SMILES string, None if it cannot be read; anything else as it is."""
    from rdkit import Chem

    if isinstance(origin, SdfRecord):
        return Chem.MolFromMolBlock(origin.block) if origin.complete else None
    return _parse(origin) if isinstance(origin, str) else origin


def read_sdf(
    records: Iterable[SdfRecord],
    node_attributes: AtomProperties = "auto",
    edge_weights: BondWeights = None,
    invalid: Invalid | None = "error",
    steps: MoleculeSteps = (),
) -> Molecules:
    """Read the molecules of the records of an SDF file; the parameters are those of :func:`read_molecules`."""
    require("rdkit")
    molecules = ((record, _molecule_of(record)) for record in records)
    return read_molecules(molecules, node_attributes, edge_weights, invalid, steps=steps)


def read_molecules(
    molecules: Iterable[tuple[object, object]],
    node_attributes: AtomProperties = "auto",
    edge_weights: BondWeights = None,
    invalid: Invalid | None = "error",
    how_to_skip: str | None = "pass {}",
    steps: MoleculeSteps = (),
) -> Molecules:
    """Read molecules one by one, so that not all of them are in memory.

    Parameters
    ----------
    molecules : iterable of (object, rdkit.Chem.Mol or None)
        What each molecule was read from, and the molecule.
    node_attributes, edge_weights
        As in :func:`from_rdkit`.
    invalid : "error", "skip" or None
        As in :func:`from_rdkit`; None leaves unreadable molecules out without a warning.
    how_to_skip : str or None
        What an error says about leaving them out, as in :func:`wassergraph.formats.unreadable.check_readable`.
    steps : sequence of str
        How molecules are standardized, as in :func:`from_rdkit`.

    Returns
    -------
    Molecules
    """
    from rdkit import Chem, rdBase

    packer, standardize = MoleculePacker(node_attributes, edge_weights), standardizer(steps)
    unreadable: dict[int, Unreadable] = {}
    positions: list[int] = []
    with rdBase.BlockLogs():  # the reasons are part of our messages
        for position, (origin, molecule) in enumerate(molecules):
            if not isinstance(molecule, Chem.Mol) or not molecule.GetNumAtoms():
                unreadable[position] = Unreadable(origin, unreadable_reason(origin, molecule))
            elif invalid != "error" or not unreadable:  # otherwise the rest is only searched for more of them
                if standardize is not None:
                    origin = molecule = standardize(molecule, position)
                packer.add(molecule, position, origin)
                positions.append(position)
    if invalid == "error":
        check_readable(unreadable, how_to_skip)
    elif invalid == "skip" and unreadable:
        warnings.warn(describe_skipped(unreadable, len(positions) + len(unreadable)), stacklevel=4)
    return Molecules(packer.pack() if positions else None, np.array(positions, dtype=np.int64), unreadable)
