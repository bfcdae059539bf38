"""Kernels computed by GraKeL, to compare with ours."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np
import pytest


def import_grakel() -> ModuleType:
    """Import GraKeL, or skip the test where it is absent: it has no wheels for Python 3.13 and newer."""
    with warnings.catch_warnings():  # it warns about itself while it is imported
        warnings.simplefilter("ignore")
        return pytest.importorskip("grakel")


def to_grakel(graphs, *, attributes: bool = False) -> list[list[dict]]:
    """Convert each graph to the input of GraKeL: its neighbors, its node labels or attributes, its edge labels."""
    listed = []
    for graph in graphs:
        arcs = list(zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True))
        neighbors: dict[int, dict[int, float]] = {v: {} for v in range(graph.n_nodes)}
        for u, v in arcs:
            neighbors[u][v] = 1.0
        node_data = graph.node_attributes if attributes else graph.node_labels
        edge_labels = {} if graph.edge_labels is None else dict(zip(arcs, graph.edge_labels.tolist(), strict=True))
        listed.append([neighbors, dict(enumerate(node_data.tolist())), edge_labels])
    return listed


def grakel_kernel(name: str, graphs, new=None, *, attributes: bool = False, **options) -> np.ndarray:
    """Compute the square matrix of graphs, or the rectangle of new graphs against them."""
    model = getattr(import_grakel(), name)(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if new is None:
            return model.fit_transform(to_grakel(graphs, attributes=attributes))
        model.fit(to_grakel(graphs, attributes=attributes))
        return model.transform(to_grakel(new, attributes=attributes))
