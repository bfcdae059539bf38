"""The stereochemistry of molecules: a number for each atom, its names, and labels that it is a part of.

A tetrahedral center has its CIP descriptor, R, S, or r and s if it is pseudoasymmetric. E and Z stand at both atoms of
a double bond, so that everything that compares labels of nodes sees them, also without labels of edges. What is not
specified has the number 0, as an atom without stereochemistry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.graphs.fields import STEREO
from wassergraph.graphs.vocabulary import Vocabulary

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch

#: The descriptors of centers, and those of bonds: of double bonds, and of axes between rings.
CENTERS, BONDS = ("", "R", "S", "r", "s"), ("", "E", "Z", "e", "z", "M", "P", "m", "p")
#: A number is that of the bond times this, plus that of the center.
_BOND = 8
#: What the name of each number is: "R", "E", or "R, E" for the rare center at the end of such a bond.
STEREO_NAMES = {
    _BOND * b + c: ", ".join(filter(None, (center, bond)))
    for b, bond in enumerate(BONDS)
    for c, center in enumerate(CENTERS)
}
#: Where the stereochemistry stands in a label that has both: labels without stereochemistry stay as they are.
_SHIFT = 1 << 40


def stereo_number(center: str = "", bond: str = "") -> int:
    """Return the number of descriptors; 0 for those that are not known.

    Examples
    --------
    >>> [stereo_number("S"), stereo_number(bond="Z"), stereo_number("?")]
    [2, 16, 0]
    """
    parts = (names.index(name) if name in names else 0 for names, name in ((BONDS, bond), (CENTERS, center)))
    return _BOND * next(parts) + next(parts)


def stereo_labels(graphs: GraphBatch) -> IntArray:
    """Return the node labels of molecules, with the stereochemistry as a part of them."""
    assert graphs.node_labels is not None
    if graphs.node_stereo is None:
        return graphs.node_labels
    return np.asarray(graphs.node_labels + graphs.node_stereo * _SHIFT)


def stereo_vocabulary(graphs: GraphBatch) -> Vocabulary:
    """Return the names of graphs, also of labels with stereochemistry: "C (R)".

    Examples
    --------
    >>> import wassergraph as wg
    >>> molecule = wg.from_smiles("C[C@H](F)Cl")
    >>> names = stereo_vocabulary(molecule)
    >>> list(map(names.node_label, stereo_labels(molecule).tolist()))
    ['C', 'C (R)', 'F', 'Cl']
    """
    if graphs.node_stereo is None:
        return graphs.vocabulary
    assert graphs.node_labels is not None
    marked = np.flatnonzero(graphs.node_stereo)
    pairs = np.unique(np.stack([graphs.node_labels[marked], graphs.node_stereo[marked]]), axis=1).T.tolist()
    names = {
        label + number * _SHIFT: f"{graphs.vocabulary.node_label(label)} ({STEREO_NAMES.get(number, number)})"
        for label, number in pairs
    }
    return graphs.vocabulary.updated({**graphs.vocabulary.node_labels, **names}, None, None)


def as_compared(graphs: GraphBatch, uses_stereo: bool) -> GraphBatch:
    """Return graphs without their stereochemistry unless it is compared, so that what is shown is what counts."""
    if uses_stereo or graphs.node_stereo is None:
        return graphs
    kept = {name: value for name, value in vars(graphs).items() if name != STEREO}
    return type(graphs)._trusted(**kept)
