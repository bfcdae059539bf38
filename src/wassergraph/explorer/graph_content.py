"""What a page knows of the graphs, so that it can draw any of them and compute the plan between any two.

Labels are not refined here, nor attributes averaged: the page does it for the two graphs that it shows, from the labels
and attributes at depth 0, which take much less space than the embedding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.explorer.container import smallest
from wassergraph.explorer.node_places import node_places
from wassergraph.explorer.targets import clean_text
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.slices import opposite_arcs
from wassergraph.graphs.stereo import as_compared, stereo_labels, stereo_vocabulary
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.metrics.saved_scheme import scheme_to_json
from wassergraph.metrics.scheme import Scheme
from wassergraph.pairwise.masses import integer_masses, weighted_total

#: The largest number of decimals of attributes that are stored as integers.
_DECIMALS = 9


def embedding_content(scheme: Scheme, embedding: NodeEmbedding, graphs: GraphBatch) -> dict[str, Any]:
    """Return how the page embeds nodes: the fields of :class:`Scheme`, and what follows from them."""
    features = scheme.features
    points = "one-hot" if scheme.alphabet is not None else "degrees" if features.uses_degrees else "attributes"
    codes = "degrees" if features.uses_degrees else "labels"
    return {
        **scheme_to_json(scheme),
        "depth": embedding.depth,
        "codes": None if scheme.kind == "continuous" else codes,
        "points": None if scheme.kind == "categorical" else points,
        "columns": _one_hot_columns(scheme, graphs),
        "edge_labels": features.uses_edge_labels,
        "mean": None if scheme.mean is None else scheme.mean.tolist(),
        "scale": None if scheme.scale is None else scheme.scale.tolist(),
        "price": float(embedding.prices[-1]) if embedding.counted else None,
    }


def _one_hot_columns(scheme: Scheme, graphs: GraphBatch) -> NDArray[Any] | None:
    """Return the one-hot column of each distinct label of the graphs; -1 for labels that the scheme does not know."""
    if scheme.alphabet is None or graphs.node_labels is None:
        return None
    labels = np.unique(graphs.node_labels)
    columns = np.searchsorted(scheme.alphabet, labels)
    return smallest(np.where(np.isin(labels, scheme.alphabet), columns, -1))


def graph_content(graphs: GraphBatch, embedding: NodeEmbedding) -> dict[str, Any]:
    """Return the nodes and edges of all graphs, with their data.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    embedding : NodeEmbedding
        Their nodes, embedded.

    Returns
    -------
    dict
        Nodes of an edge are counted within its graph, the first at most the second; data of edges has a second column
        if it is different in the opposite direction.
    """
    tails, heads = graphs.arc_tails, graphs.indices
    edges = tails <= heads
    graph_of_edge = graphs.graph_of_node[tails[edges]]
    first_node = graphs.node_ptr[graph_of_edge]
    back = opposite_arcs(tails, heads)[edges]
    uses_labels = embedding.features.uses_edge_labels
    return {
        "sizes": smallest(graphs.sizes),
        "n_edges": smallest(np.bincount(graph_of_edge, minlength=len(graphs))),
        "edges": smallest(np.stack([tails[edges] - first_node, heads[edges] - first_node])),
        "edge_labels": _edge_labels(graphs, edges, back) if uses_labels else None,
        "edge_weights": _edge_weights(graphs, edges, back) if embedding.points is not None else None,
        "labels": _labels(as_compared(graphs, embedding.features.uses_stereo)),
        "node_names": None if graphs.node_names is None else list(map(clean_text, graphs.node_names.tolist())),
        "attributes": _attributes(graphs, embedding.features),
        "masses": _masses(embedding),
        "molecules": graphs.molecules,
        **node_places(graphs),
    }


def _labels(graphs: GraphBatch) -> dict[str, Any] | None:
    """Return the names of labels, and the number of the label of each node."""
    if graphs.node_labels is None:
        return None
    values, codes = np.unique(stereo_labels(graphs), return_inverse=True)
    names = [clean_text(stereo_vocabulary(graphs).node_label(value)) for value in values.tolist()]
    return {"names": names, "codes": smallest(codes)}


def _edge_labels(graphs: GraphBatch, edges: NDArray[np.bool_], back: IntArray) -> NDArray[Any] | None:
    if graphs.edge_labels is None:
        return None
    codes = np.unique(graphs.edge_labels, return_inverse=True)[1]
    return smallest(_both_ways(codes[edges], codes[back]))


def _edge_weights(graphs: GraphBatch, edges: NDArray[np.bool_], back: IntArray) -> list[dict[str, Any]] | None:
    if graphs.edge_weights is None:
        return None
    return [number_column(row) for row in _both_ways(graphs.edge_weights[edges], graphs.edge_weights[back])]


def _both_ways(forth: NDArray[Any], back: NDArray[Any]) -> NDArray[Any]:
    """Return data of edges as one row, or as two if it depends on the direction."""
    return np.stack([forth] if np.array_equal(forth, back) else [forth, back])


def _attributes(graphs: GraphBatch, features: Features) -> list[dict[str, Any]] | None:
    if graphs.node_attributes is None or not features.uses_attributes:
        return None
    return [number_column(column) for column in graphs.node_attributes.T]


def number_column(values: FloatArray) -> dict[str, Any]:
    """Return numbers as short integers and what to divide them by, if this gives the very same numbers.

    Attributes in files often have a few decimals. A quotient of integers is rounded like the decimal number when it
    was read, so that nothing is lost.

    Parameters
    ----------
    values : (n) floats
        The numbers.

    Returns
    -------
    dict
        ``values`` and ``divisor``.

    Examples
    --------
    >>> number_column(np.array([0.1, 2.5]))
    {'values': array([ 1, 25], dtype=uint8), 'divisor': 10}
    """
    with np.errstate(over="ignore"):  # numbers that are too large for an integer, or for a short float
        short, single = _as_integers(values), values.astype(np.float32)
    if short is not None:
        return short
    return {"values": single if np.array_equal(single, values) else values.astype(np.float64), "divisor": 1}


def _as_integers(values: FloatArray) -> dict[str, Any] | None:
    for decimals in range(_DECIMALS + 1):
        divisor = 10**decimals
        integers = np.rint(values * divisor)
        if not (np.abs(integers) < 2**31).all():
            break
        same = integers / divisor == values
        if same.all() and not np.signbit(values[values == 0]).any():
            return {"values": smallest(integers.astype(np.int64)), "divisor": divisor}
    return None


def _masses(embedding: NodeEmbedding) -> FloatArray | None:
    """Return the masses of weighted nodes as integers, which floats represent exactly; None if all are equal."""
    if embedding.weights is None:
        return None
    total = weighted_total(int(np.diff(embedding.ptr).max(initial=1)))
    return integer_masses(embedding.weights, embedding.ptr, total).astype(np.float64)
