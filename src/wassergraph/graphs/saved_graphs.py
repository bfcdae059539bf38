"""Graphs in a file: the arrays of a batch by name, and the names of labels in the header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import ALL_ARRAYS, ARRAYS, check_stored
from wassergraph.graphs.invariants import check_data, check_lengths, check_pointers, check_structure
from wassergraph.graphs.saved_values import Arrays, present
from wassergraph.graphs.texts import Texts
from wassergraph.graphs.vocabulary import EMPTY, Vocabulary, molecule_names, own_names

#: The arrays that a file of graphs holds: no distance depends on attributes of edges, and nothing shows them.
_USED_ARRAYS = tuple(name for name in ALL_ARRAYS if name != "edge_attributes")
#: The arrays of what molecules were read from.
_STRUCTURES = ("graphs/structures_ptr", "graphs/structures_bytes")

#: How many graphs are checked at a time: checking all at once would need several times the memory of the graphs.
_PART = 10_000


def graph_arrays(graphs: GraphBatch, names: Iterable[str] = _USED_ARRAYS) -> Arrays:
    """Return the arrays of graphs that have these names, and what molecules were read from."""
    arrays, texts = present({f"graphs/{name}": getattr(graphs, name) for name in names}), graphs.structures
    return arrays if texts is None else {**arrays, _STRUCTURES[0]: texts.ptr, _STRUCTURES[1]: texts.bytes}


def graph_header(graphs: GraphBatch) -> dict[str, Any]:
    """Return what the header of a file says about graphs: whether they are molecules, and names of labels."""
    names = own_names(graphs.vocabulary, graphs.molecules)
    return {"molecules": graphs.molecules, **({"vocabulary": names.to_dict()} if names else {})}


def read_vocabulary(header: Mapping[str, Any], molecules: bool) -> Vocabulary:
    """Return the names that the header of a file has; files of earlier versions have none."""
    names = Vocabulary.from_dict(header.get("vocabulary", {}))
    return molecule_names(names) if molecules else names


def read_graphs(arrays: Arrays, *, molecules: bool, vocabulary: Vocabulary = EMPTY) -> GraphBatch:
    """Return the graphs of a file, validated as all graphs are."""
    fields: dict[str, Any] = {name: arrays[f"graphs/{name}"] for name in _USED_ARRAYS if f"graphs/{name}" in arrays}
    return GraphBatch(**fields, molecules=molecules, vocabulary=vocabulary, structures=_read_structures(arrays))


def _read_structures(arrays: Arrays) -> Texts | None:
    """Return what molecules were read from; None in files of earlier versions."""
    return Texts(*(arrays[name] for name in _STRUCTURES)) if all(name in arrays for name in _STRUCTURES) else None


def open_graphs(arrays: Arrays, *, molecules: bool, verify: bool, vocabulary: Vocabulary | None = None) -> GraphBatch:
    """Return the graphs of a file without copying its arrays, which may be larger than the memory.

    Parameters
    ----------
    arrays : dict
        The arrays of the file.
    molecules : bool
        Whether the graphs are molecules.
    verify : bool
        Whether they are validated as all graphs are, a part at a time; otherwise only types and lengths are checked.
    vocabulary : Vocabulary, optional
        The names of labels and attributes.

    Returns
    -------
    GraphBatch
    """
    stored = {name: arrays[f"graphs/{name}"] for name in ALL_ARRAYS if f"graphs/{name}" in arrays}
    for name in ARRAYS[:3]:
        if name not in stored:
            raise ValueError(f"{name} is missing")
    for name, array in stored.items():
        check_stored(name, array)
    graphs = GraphBatch._trusted(
        molecules=molecules, vocabulary=vocabulary, structures=_read_structures(arrays), **stored
    )
    _check_ends(graphs)
    check_lengths(graphs)
    if verify:
        check_pointers(graphs)
        for first in range(0, len(graphs), _PART):
            part = graphs[first : first + _PART]
            check_structure(part)
            check_data(part)
    return graphs


def _check_ends(graphs: GraphBatch) -> None:
    """Raise an error unless the pointers end at the numbers of nodes and of arcs."""
    for name, pointer, end in [("node_ptr", graphs.node_ptr, graphs.n_nodes), ("indptr", graphs.indptr, graphs.n_arcs)]:
        if not len(pointer) or pointer[-1] != end:
            raise ValueError(f"{name} does not end at {end}")
