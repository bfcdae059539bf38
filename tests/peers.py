"""What GraKeL computes of our graphs."""

from __future__ import annotations

import warnings

import numpy as np

with warnings.catch_warnings():  # it warns about itself while it is imported
    warnings.simplefilter("ignore")
    import grakel


def for_grakel(graphs, *, attributes: bool = False) -> list[list[dict]]:
    """Write each graph as GraKeL reads it: its neighbors, its node labels or attributes, its edge labels."""
    listed = []
    for graph in graphs:
        arcs = list(zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True))
        neighbors: dict[int, dict[int, float]] = {v: {} for v in range(graph.n_nodes)}
        for u, v in arcs:
            neighbors[u][v] = 1.0
        of_nodes = graph.node_attributes if attributes else graph.node_labels
        edge_labels = {} if graph.edge_labels is None else dict(zip(arcs, graph.edge_labels.tolist(), strict=True))
        listed.append([neighbors, dict(enumerate(of_nodes.tolist())), edge_labels])
    return listed


def grakel_kernel(name: str, graphs, new=None, *, attributes: bool = False, **options) -> np.ndarray:
    """Give the square matrix of graphs, or the rectangle of new graphs against them."""
    model = getattr(grakel, name)(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if new is None:
            return model.fit_transform(for_grakel(graphs, attributes=attributes))
        model.fit(for_grakel(graphs, attributes=attributes))
        return model.transform(for_grakel(new, attributes=attributes))
