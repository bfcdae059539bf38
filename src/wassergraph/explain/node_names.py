"""The names of nodes and labels in tables: the symbols of atoms, the names of bonds, the numbers of other labels."""

from __future__ import annotations

from wassergraph.formats.elements import SYMBOLS
from wassergraph.graphs.batch import GraphBatch

#: The names of RDKit's bond types.
_BONDS = {
    0: "unspecified",
    1: "single",
    2: "double",
    3: "triple",
    4: "quadruple",
    12: "aromatic",
    13: "ionic",
    14: "hydrogen",
    17: "dative",
    21: "zero-order",
}


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


def _suffix(label: int | None, molecules: bool) -> str:
    return "" if label is None else f" ({node_label_text(label, molecules=molecules)})"


def node_label_text(label: int, *, molecules: bool) -> str:
    """Return what a node label is called where labels of several kinds are listed.

    Examples
    --------
    >>> node_label_text(26, molecules=True), node_label_text(26, molecules=False)
    ('Fe', 'label 26')
    """
    return label_name(label) if molecules and is_element(label) else f"label {label}"


def edge_label_text(label: int, *, molecules: bool) -> str:
    """Return what an edge label is called where labels of several kinds are listed.

    Examples
    --------
    >>> edge_label_text(2, molecules=True), edge_label_text(2, molecules=False)
    ('double bond', 'edge label 2')
    """
    return f"{_BONDS[label]} bond" if molecules and label in _BONDS else f"edge label {label}"


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
