"""Places of nodes that a page does not compute itself: those of atoms, and those of the nodes of large graphs."""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.explorer.container import smallest
from wassergraph.explorer.formulas import AtomText, SkeletalFormula
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.large_layout import MAX_ALL_DISTANCES, place_nodes
from wassergraph.pictures.molecules import can_draw_molecules

#: Places are multiples of this part of the larger side of a graph.
_STEPS = 4095


def node_places(graphs: GraphBatch) -> dict[str, Any]:
    """Compute places of atoms with RDKit, if it is installed, and of nodes of large graphs, or with positions.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.

    Returns
    -------
    dict
        ``bonds`` (n_edges) integers, how each bond is drawn, as in :mod:`wassergraph.explorer.formulas`, and ``atoms``,
        different texts and the number of the text of each atom, both None unless graphs are molecules; ``placed``
        (n_graphs), which graphs have places, 0 or 1; and ``places`` (2, n_nodes) of the nodes of these graphs, with the
        first axis to the right and the second one upwards, from 0 to 4095 on the larger side of each graph.
    """
    if can_draw_molecules(graphs):
        formulas = [SkeletalFormula(graph) for graph in graphs]
        texts: dict[AtomText, int] = {}
        codes = [texts.setdefault(text, len(texts)) for formula in formulas for text in formula.atoms]
        bonds = smallest(np.concatenate([formula.bonds for formula in formulas]))
        atoms = {"texts": [list(text) for text in texts], "codes": smallest(np.array(codes))}
        places, placed = [formula.places for formula in formulas], np.ones(len(graphs), dtype=np.uint8)
        return {"bonds": bonds, "atoms": atoms, "placed": placed, "places": _steps(places)}
    placed = (graphs.sizes > (MAX_ALL_DISTANCES if graphs.node_positions is None else 0)).astype(np.uint8)
    places = [place_nodes(graph) for graph in compress(graphs, placed)]
    return {"bonds": None, "atoms": None, "placed": placed, "places": _steps(places)}


def _steps(places: list[FloatArray]) -> NDArray[np.uint16]:
    """Return the places of the nodes of graphs (2, n) as integers."""
    steps = [np.zeros((2, 0), np.uint16)]
    for points in places:
        low = points.min(axis=0)
        extent = max(float(np.ptp(points, axis=0).max()), 1e-12)
        steps.append(np.rint((points - low) * (_STEPS / extent)).astype(np.uint16).T)
    return np.concatenate(steps, axis=1)
