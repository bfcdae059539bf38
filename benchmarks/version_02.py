"""Give version 0.2 the names of version 0.3 that `versions.py` calls."""

from __future__ import annotations

from typing import Any

import wassergraph as wg
from wassergraph.distances.api import embedding_distances as distances_of_embeddings
from wassergraph.embedding.node_embedding import Features as Features
from wassergraph.embedding.node_embedding import NodeEmbedding as NodeEmbedding

GraphIndex = wg.GraphIndex


def distances(graphs: Any, *, metric: dict[str, Any], n_jobs: int | None = None) -> Any:
    """Compute distances; a metric is the list of its parameters."""
    return wg.wwl_distances(graphs, n_jobs=n_jobs, **metric)


def embedding_distances(*sides: Any, depths: list[int], n_jobs: int, solver: dict[str, Any] | None = None) -> Any:
    """Compute the distances between embedded graphs; a solver is the list of its parameters."""
    return distances_of_embeddings(*sides, depths=depths, n_jobs=n_jobs, **(solver or {}))


def use_names() -> None:
    """Add the names to the package."""
    wg.WWL = lambda depth, **options: {"depth": depth, **options}
    wg.Sinkhorn = lambda reg, max_iter: {"solver": "sinkhorn", "reg": reg, "max_iter": max_iter}
    wg.distances = distances
    wg.GraphIndex = lambda graphs, metric: GraphIndex(graphs, **metric)
