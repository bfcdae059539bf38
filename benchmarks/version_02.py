"""Give version 0.2 the names of version 0.3 that `versions.py` calls."""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: The package, whose names are not those that a type checker sees.
wg: Any = import_module("wassergraph")
wg.baselines = import_module("wassergraph.baselines")
nodes: Any = import_module("wassergraph.embedding.node_embedding")
Features, NodeEmbedding = nodes.Features, nodes.NodeEmbedding
distances_of_embeddings: Any = import_module("wassergraph.distances.api").embedding_distances
OldIndex: Any = wg.GraphIndex


def distances(graphs: Any, *, metric: dict[str, Any], n_jobs: int | None = None) -> Any:
    """Compute distances; a metric is the list of its parameters."""
    return wg.wwl_distances(graphs, n_jobs=n_jobs, **metric)


def embedding_distances(*sides: Any, depths: list[int], n_jobs: int, solver: dict[str, Any] | None = None) -> Any:
    """Compute the distances between embedded graphs; a solver is the list of its parameters."""
    return distances_of_embeddings(*sides, depths=depths, n_jobs=n_jobs, **(solver or {}))


def evaluate_distances(given: Any, classes: Any, depths: list[int], folds: int, **values: Any) -> Any:
    """Evaluate a classifier of given distances, on one thread; return its accuracies."""
    options: dict[str, Any] = {"depth": depths, "cv": folds, "inner_cv": folds, "n_jobs": 1}
    return wg.evaluate_distances(given, classes, **options, **values).accuracy


def metric(depth: Any, **options: Any) -> dict[str, Any]:
    """List the parameters of a metric."""
    return {"depth": depth, **options}


def sinkhorn(reg: float, max_iter: int) -> dict[str, Any]:
    """List the parameters of a solver."""
    return {"solver": "sinkhorn", "reg": reg, "max_iter": max_iter}


def index(graphs: Any, metric: dict[str, Any]) -> Any:
    """Make an index of graphs."""
    return OldIndex(graphs, **metric)


def use_names() -> None:
    """Add the names to the package."""
    for name in ("ShortestPath", "GraphHopper", "RBFWL", "WLSubtree", "WLOptimalAssignment"):
        setattr(wg.baselines, name, getattr(wg, name))
    wg.WWL, wg.Sinkhorn, wg.distances, wg.GraphIndex = metric, sinkhorn, distances, index
