"""Places of nodes that a page does not compute itself: those of atoms, and those of the nodes of large graphs."""

from __future__ import annotations

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.explorer.container import smallest
from wassergraph.explorer.formulas import AtomText, Formula
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.large_layout import MAX_ALL_DISTANCES, place_nodes
from wassergraph.pictures.molecules import can_draw_molecules

#: Places are multiples of this part of the larger side of a graph.
_STEPS = 4095


class NodePlaces(NamedTuple):
    """Places of nodes in the plane, with the first axis to the right and the second one upwards.

    Attributes
    ----------
    placed : (n_graphs) 0 or 1
        Which graphs have places.
    places : (2, n_nodes) integers
        The places of the nodes of these graphs, from 0 to 4095 on the larger side of each graph.
    bonds : (n_edges) integers or None
        How each bond is drawn, as in :mod:`wassergraph.explorer.formulas`. None unless graphs are molecules.
    atoms : dict or None
        What is written at atoms: different texts, and the number of the text of each atom.
    """

    placed: NDArray[Any]
    places: NDArray[Any]
    bonds: NDArray[Any] | None
    atoms: dict[str, Any] | None


def node_places(graphs: GraphBatch) -> NodePlaces:
    """Compute places of atoms with RDKit, if it is installed, and of nodes of large graphs, or with positions."""
    if can_draw_molecules(graphs):
        return _place_molecules(graphs)
    placed = (graphs.sizes > (MAX_ALL_DISTANCES if graphs.node_positions is None else 0)).astype(np.uint8)
    return NodePlaces(placed, _join([_steps(place_nodes(graph)) for graph in compress(graphs, placed)]), None, None)


def _place_molecules(graphs: GraphBatch) -> NodePlaces:
    formulas = [Formula(graph) for graph in graphs]
    texts: dict[AtomText, int] = {}
    codes = [texts.setdefault(text, len(texts)) for formula in formulas for text in formula.atoms]
    return NodePlaces(
        placed=np.ones(len(graphs), dtype=np.uint8),
        places=_join([_steps(formula.places) for formula in formulas]),
        bonds=smallest(np.concatenate([formula.bonds for formula in formulas])),
        atoms={"texts": [list(text) for text in texts], "codes": smallest(np.array(codes))},
    )


def _join(places: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(places, axis=1) if places else np.zeros((2, 0), np.uint16)


def _steps(points: FloatArray) -> NDArray[Any]:
    """Return places (2, n) as integers."""
    low = points.min(axis=0)
    extent = max(float(np.ptp(points, axis=0).max()), 1e-12)
    steps: NDArray[Any] = np.rint((points - low) * (_STEPS / extent)).astype(np.uint16).T
    return steps
