"""Places of nodes that a page does not compute itself: those of atoms, and those of the nodes of large graphs."""

from __future__ import annotations

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.explorer.container import smallest
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.large_layout import MAX_ALL_DISTANCES, place_nodes
from wassergraph.pictures.molecules import can_draw_molecules, place_atoms

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
        The order of each bond as it is drawn: 1, 2, 3, or 12 for an aromatic one. None unless graphs are molecules.
    """

    placed: NDArray[Any]
    places: NDArray[Any]
    bonds: NDArray[Any] | None


def node_places(graphs: GraphBatch) -> NodePlaces:
    """Compute places of atoms with RDKit, if it is installed, of nodes with positions, and of graphs over 300 nodes."""
    molecules = can_draw_molecules(graphs)
    drawn = [_place_molecule(graph) for graph in graphs] if molecules else []
    if molecules:
        placed = np.ones(len(graphs), dtype=np.uint8)
        points = [places for places, _ in drawn]
    else:
        has_places = (graphs.sizes > MAX_ALL_DISTANCES) | (graphs.node_positions is not None)
        placed = has_places.astype(np.uint8)
        points = [_steps(place_nodes(graph)) for graph in compress(graphs, placed)]
    bonds = smallest(np.concatenate([each for _, each in drawn])) if molecules else None
    return NodePlaces(placed, np.concatenate(points, axis=1) if points else np.zeros((2, 0), np.uint16), bonds)


def _place_molecule(graph: GraphBatch) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the places of atoms, and the orders of bonds."""
    molecule = place_atoms(graph)
    orders = {}
    for bond in molecule.GetBonds():
        ends = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        orders[min(ends), max(ends)] = int(bond.GetBondType())
    one, two = graph.arc_tails.tolist(), graph.indices.tolist()
    edges = [edge for edge in zip(one, two, strict=True) if edge[0] <= edge[1]]
    places: FloatArray = molecule.GetConformer().GetPositions()[:, :2]
    return _steps(places), np.array([orders.get(edge, 1) for edge in edges], dtype=np.int64)


def _steps(points: FloatArray) -> NDArray[Any]:
    """Return places (2, n) as integers."""
    low = points.min(axis=0)
    extent = max(float(np.ptp(points, axis=0).max()), 1e-12)
    steps: NDArray[Any] = np.rint((points - low) * (_STEPS / extent)).astype(np.uint16).T
    return steps
