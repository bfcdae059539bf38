"""Read graphs of any kind that a reader accepts, with the defaults of that reader.

The kind of a graph is recognized by the name of its class, so that no optional library is imported to find out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.formats.arrays import from_adjacency
from wassergraph.formats.convention import names_by_convention
from wassergraph.formats.data_frames import class_origins, only_column
from wassergraph.formats.features import FeatureNames
from wassergraph.formats.igraph import igraph_columns, read_igraph
from wassergraph.formats.networkx import networkx_columns, read_networkx
from wassergraph.formats.pyg import from_pyg
from wassergraph.formats.rdkit import Molecules, rdkit_molecules, read_molecules, read_smiles
from wassergraph.formats.standardize import MoleculeSteps
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules

if TYPE_CHECKING:
    from rdkit import Chem


class GraphKind(Enum):
    """What a graph is, as messages say it."""

    BATCH = "a GraphBatch"
    NETWORKX = "a networkx graph"
    IGRAPH = "an igraph graph"
    PYG = "a PyTorch Geometric Data"
    RDKIT = "an RDKit molecule"
    SMILES = "a SMILES string"
    ADJACENCY = "an adjacency matrix"


# The library and the name of a class → the kind of its objects.
_CLASSES = {
    ("networkx", "Graph"): GraphKind.NETWORKX,
    ("igraph", "Graph"): GraphKind.IGRAPH,
    ("torch_geometric", "Data"): GraphKind.PYG,
    ("rdkit", "Mol"): GraphKind.RDKIT,
}


def _read_networkx(graphs: list[Any]) -> GraphBatch:
    names = FeatureNames(**names_by_convention(graphs, networkx_columns), node_positions="auto")
    return read_networkx(graphs, names, EdgeRules(), chosen=(), reader="from_networkx")


def _read_igraph(graphs: list[Any]) -> GraphBatch:
    names = FeatureNames(**names_by_convention(graphs, igraph_columns), node_positions="auto")
    return read_igraph(graphs, names, EdgeRules(), chosen=(), reader="from_igraph")


def _read_adjacency(matrices: list[Any]) -> GraphBatch:
    """Read adjacency matrices; an array that is not symmetric is an error: it may be vectors, and square by chance."""
    for position, matrix in enumerate(matrices):
        if not issparse(matrix) and matrix.shape[0] == matrix.shape[1] and matrix.dtype.kind in "iufb":
            _check_symmetric(matrix, position)
    return from_adjacency(matrices)


def _check_symmetric(matrix: NDArray[Any], position: int) -> None:
    differs = (matrix != matrix.T) & (matrix == matrix)  # from_adjacency reports nan
    if not differs.any():
        return
    i, j = np.argwhere(differs)[0].tolist()
    raise InputError(
        f"an array of the shape {matrix.shape} would be read as an adjacency matrix, but it is not symmetric: it has "
        f"{matrix[i, j]} at ({i}, {j}) and {matrix[j, i]} at ({j}, {i})",
        remedy="if it is one, read it by from_adjacency, perhaps with {}; vectors of nodes are {} of from_edges",
        options=[Option("symmetrize", True), Option("node_attributes")],
        graph=position,
    )


def _read_rdkit(molecules: list[Any], steps: MoleculeSteps = ()) -> GraphBatch:
    pairs = ((molecule, molecule) for molecule in molecules)
    return _all_of(read_molecules(pairs, how_to_skip=_how_to_skip("from_rdkit", molecules), steps=steps))


def _read_smiles(texts: list[Any], steps: MoleculeSteps = ()) -> GraphBatch:
    return _all_of(read_smiles(texts, how_to_skip=_how_to_skip("from_smiles", texts), steps=steps))


def _how_to_skip(reader: str, molecules: list[Any]) -> str | None:
    """Return how to leave out some of several molecules: only a reader has an option for it."""
    return f"read the others by {reader} with {{}}" if len(molecules) > 1 else None


def _all_of(read: Molecules) -> GraphBatch:
    assert read.graphs is not None
    return read.graphs


_READERS: dict[GraphKind, Callable[[list[Any]], GraphBatch]] = {
    GraphKind.BATCH: GraphBatch.concatenate,
    GraphKind.NETWORKX: _read_networkx,
    GraphKind.IGRAPH: _read_igraph,
    GraphKind.PYG: from_pyg,
    GraphKind.ADJACENCY: _read_adjacency,
}
_MOLECULE_READERS = {GraphKind.RDKIT: _read_rdkit, GraphKind.SMILES: _read_smiles}
_ACCEPTED = (
    "graphs can be read from networkx (from_networkx), igraph (from_igraph), PyTorch Geometric (from_pyg), RDKit "
    "molecules (from_rdkit), SMILES strings (from_smiles), adjacency matrices, numpy or sparse (from_adjacency), lists "
    "of edges (from_edges) and files (load_dataset)"
)


def as_batch(graphs: Any, like: Mapping[str, Any] | None = None) -> GraphBatch:
    """Read graphs of any kind that a reader accepts, one or several, with the defaults of that reader.

    Of networkx and igraph graphs, the data with the names of :meth:`wassergraph.GraphBatch.to_networkx` is read:
    ``label`` and ``attributes`` of the nodes as node labels and node attributes; ``weight``, ``label`` and
    ``attributes`` of the edges as edge weights, edge labels and edge attributes. A name is read if every node (or edge)
    of every graph has it; it is an error if only some of them have it. To read other names, call the reader; a warning
    lists them.

    Parameters
    ----------
    graphs : GraphBatch, a graph, or an iterable of graphs of one kind
        A batch is returned as it is. A graph may be a networkx or igraph graph, a PyTorch Geometric ``Data``, an RDKit
        molecule, a SMILES string, an adjacency matrix (a symmetric numpy array of two dimensions or a scipy sparse
        matrix), or a batch, several of which are concatenated. A column of a pandas or polars DataFrame is an iterable;
        a DataFrame with one column stands for that column.
    like : dict, optional
        How earlier graphs were read, as models and indexes keep it: molecules are standardized like them.

    Returns
    -------
    GraphBatch

    Raises
    ------
    TypeError
        If there is no reader for the graphs, or if they are of different kinds.
    ValueError
        If there are no graphs, or if their reader does not accept them.

    Examples
    --------
    >>> as_batch(["CCO", "c1ccccc1"])
    GraphBatch(2 molecules, 9 nodes, 8 edges; node labels (2 kinds), node attributes (5-d), edge labels (2 kinds))
    >>> import networkx as nx
    >>> as_batch(nx.Graph([(0, 1, {"weight": 0.5})]))
    GraphBatch(1 graph, 2 nodes, 1 edge; edge weights)
    """
    if isinstance(graphs, GraphBatch):
        return graphs
    listed = _list_graphs(graphs)
    kind = _common_kind(listed)
    if kind in _MOLECULE_READERS:
        return _MOLECULE_READERS[kind](listed, (like or {}).get("standardize_molecules", ()))
    return _READERS[kind](listed)


def as_molecules(molecules: Any) -> list[Chem.Mol]:
    """Return RDKit molecules, for what needs more of a molecule than its graph.

    Parameters
    ----------
    molecules : SMILES strings or RDKit molecules, one or several
        Not a batch, which has neither charges nor hydrogens. A column of a pandas or polars DataFrame is fine.

    Returns
    -------
    list of rdkit.Chem.Mol

    Raises
    ------
    TypeError
        If they are graphs of another kind.
    ValueError
        If there are none, or if one cannot be read.

    Examples
    --------
    >>> [molecule.GetNumAtoms() for molecule in as_molecules(["CCO", "c1ccccc1"])]
    [3, 6]
    """
    listed = _list_graphs(molecules)
    kind = _common_kind(listed)
    if kind not in (GraphKind.SMILES, GraphKind.RDKIT):
        problem = f"{kind.value} lacks what a molecule has, such as charges and hydrogens"
        raise InputTypeError(problem, remedy="pass SMILES strings or RDKit molecules")
    return rdkit_molecules(listed)


def list_molecules(graphs: Any) -> list[Any] | None:
    """Return a list of the SMILES strings or RDKit molecules that graphs are; None if they are something else.

    Parameters
    ----------
    graphs : anything that :func:`as_batch` accepts
        The graphs.

    Returns
    -------
    list of str or rdkit.Chem.Mol, or None

    Examples
    --------
    >>> list_molecules("CCO"), list_molecules([np.eye(2)])
    (['CCO'], None)
    """
    if isinstance(graphs, GraphBatch):
        return None
    listed = _list_graphs(graphs)
    return listed if _common_kind(listed) in (GraphKind.SMILES, GraphKind.RDKIT) else None


def _kind(graph: object) -> GraphKind | None:
    """Return what a graph is; None if no reader accepts it as one graph."""
    if isinstance(graph, GraphBatch):
        return GraphKind.BATCH
    if isinstance(graph, str):
        return GraphKind.SMILES
    if issparse(graph) or (isinstance(graph, np.ndarray) and graph.ndim == 2):
        return GraphKind.ADJACENCY
    return next((_CLASSES[origin] for origin in class_origins(graph) if origin in _CLASSES), None)


def _list_graphs(graphs: Any) -> list[Any]:
    """Return one graph, or the values of an iterable, unless it has no order or would yield keys instead of values."""
    if _kind(graphs):
        return [graphs]
    graphs = only_column(graphs)
    try:
        iterator = None if isinstance(graphs, Mapping | Set) else iter(graphs)
    except TypeError:
        iterator = None
    if iterator is None:
        raise InputTypeError(f"{_type_name(graphs)} is neither a graph nor a list of graphs", remedy=_ACCEPTED)
    return list(iterator)


def _common_kind(listed: list[object]) -> GraphKind:
    """Return the kind that all graphs of a list have."""
    if not listed:
        raise InputError("there are no graphs", remedy=f"pass at least one; {_ACCEPTED}")
    first = _kind(listed[0])
    for position, graph in enumerate(listed):
        kind = _kind(graph)
        if first is GraphKind.SMILES and _is_missing(graph):
            continue  # the reader of SMILES names all such positions
        if kind is None or first is None:
            raise InputTypeError(f"the type {_type_name(graph)} is not a graph", remedy=_ACCEPTED, graph=position)
        if kind is not first:
            raise InputTypeError(
                f"{kind.value} ({_type_name(graph)}) follows {first.value}",
                remedy="pass graphs of one kind, or read each kind with its reader and join them with "
                f"GraphBatch.concatenate; {_ACCEPTED}",
                graph=position,
            )
    assert first is not None
    return first


def _is_missing(value: object) -> bool:
    """Return whether a value stands for an empty cell of a table."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _type_name(thing: object) -> str:
    module = type(thing).__module__
    return type(thing).__qualname__ if module == "builtins" else f"{module}.{type(thing).__qualname__}"
