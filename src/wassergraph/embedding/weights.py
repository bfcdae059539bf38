"""The masses of the nodes, where they differ."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import name_node


def node_weights(graphs: GraphBatch, weights: ArrayLike | None) -> FloatArray | None:
    """Check the masses of the nodes and scale them to a sum of 1 in every graph; None if they are alike in each."""
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"weights must be real numbers, got values of type {array.dtype}")
    array = array.astype(np.float64)
    if array.shape != (graphs.n_nodes,):
        raise ValueError(
            f"weights must have one number for each of the {graphs.n_nodes} nodes, got shape {array.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        raise ValueError(
            f"{name_node(graphs, wrong[0])} has the weight {array[wrong[0]]}: weights must be positive numbers"
        )
    largest, least = (f.reduceat(array, graphs.node_ptr[:-1]) for f in (np.maximum, np.minimum))
    if (largest == least).all():
        return None
    # Divided by the largest first, so that the sum is finite; the sum is that of fsum, whatever the order of the nodes.
    shares = array / largest[graphs.graph_of_node]
    sums = [math.fsum(own) for own in np.split(shares, graphs.node_ptr[1:-1])]
    return np.asarray(shares / np.array(sums)[graphs.graph_of_node])
