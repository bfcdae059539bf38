"""The masses of the nodes, if they differ."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.graphs.batch import GraphBatch


def node_weights(graphs: GraphBatch, weights: ArrayLike | None) -> FloatArray | None:
    """Check the masses of the nodes and scale them to a sum of 1 in every graph.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    weights : (n_nodes) numbers, optional
        A positive mass for every node.

    Returns
    -------
    shares : (n_nodes) floats or None
        None if all nodes of each graph have the same mass.
    """
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"weights must be real numbers, got values of type {array.dtype}")
    array = array.astype(np.float64)
    if array.shape != (graphs.n_nodes,):
        raise ValueError(
            f"weights must have one number for each of the {graphs.n_nodes} nodes, got the shape {array.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        graph = graphs.graph_of_node[wrong[0]]
        raise InputError(
            f"the weight is {array[wrong[0]]}",
            remedy="weights must be positive numbers",
            graph=graph,
            node=wrong[0] - graphs.node_ptr[graph],
        )
    largest, least = (f.reduceat(array, graphs.node_ptr[:-1]) for f in (np.maximum, np.minimum))
    if (largest == least).all():
        return None
    # Divided by the largest first, so that the sum is finite; fsum does not depend on the order of the nodes.
    shares = array / largest[graphs.graph_of_node]
    sums = [math.fsum(in_graph) for in_graph in np.split(shares, graphs.node_ptr[1:-1])]
    return np.asarray(shares / np.array(sums)[graphs.graph_of_node])
