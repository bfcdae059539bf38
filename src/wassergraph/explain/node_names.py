"""The names that the nodes of a graph have in tables: the symbols of atoms, the numbers of other labels."""

from __future__ import annotations

from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.elements import SYMBOLS


def node_names(graph: GraphBatch) -> list[str]:
    """Return the position of every node, with the symbol of an atom.

    Examples
    --------
    >>> import wassergraph as wg
    >>> node_names(wg.from_smiles("CO"))
    ['0 (C)', '1 (O)']
    """
    labels = [None] * graph.n_nodes if graph.node_labels is None else graph.node_labels.tolist()
    return [f"{node}{_suffix(label, graph.molecules)}" for node, label in enumerate(labels)]


def _suffix(label: int | None, molecule: bool) -> str:
    if label is None:
        return ""
    return f" ({label_name(label)})" if molecule and is_element(label) else f" (label {label})"


def label_name(label: int) -> str:
    """Return the symbol of an element by its atomic number; any other number as it is.

    Examples
    --------
    >>> label_name(6), label_name(1000)
    ('C', '1000')
    """
    return SYMBOLS[label] if is_element(label) else str(label)


def is_element(label: int) -> bool:
    """Return whether a label is an atomic number."""
    return 0 <= label < len(SYMBOLS)
