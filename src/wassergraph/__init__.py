"""Wasserstein Weisfeiler–Lehman graph kernels: exact, fast and pleasant.

The public names are below; each is loaded when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wassergraph.baselines.hashing import HashGraphKernel
    from wassergraph.baselines.histogram import EdgeHistogram, VertexHistogram
    from wassergraph.baselines.hopper import GraphHopper
    from wassergraph.baselines.paths import ShortestPath
    from wassergraph.baselines.rbf import RBFWL, ContinuousVertexHistogram
    from wassergraph.baselines.subtree import WLOptimalAssignment, WLSubtree
    from wassergraph.datasets import (
        load_dataset,
        make_demo,
        make_noisy_erdos_renyi,
        make_synthetic_new,
        make_synthie,
    )
    from wassergraph.distances.api import wwl_distances
    from wassergraph.embedding.embed import wl_embedding
    from wassergraph.embedding.line_graph import line_graph
    from wassergraph.embedding.node_embedding import NodeEmbedding
    from wassergraph.estimators import LaplacianKernel, WWLDistance
    from wassergraph.evaluation.evaluate import Report, evaluate
    from wassergraph.explain import TransportPlan, transport_plan
    from wassergraph.formats.arrays import from_adjacency, from_edges
    from wassergraph.formats.igraph import from_igraph
    from wassergraph.formats.networkx import from_networkx
    from wassergraph.formats.pyg import from_pyg
    from wassergraph.formats.rdkit import from_rdkit, from_smiles
    from wassergraph.graphs.batch import GraphBatch
    from wassergraph.graphs.summary import Summary
    from wassergraph.kernels.definiteness import Definiteness, conditional_definiteness, definiteness
    from wassergraph.kernels.laplacian import laplacian_kernel
    from wassergraph.learning.classification import Evaluation, evaluate_distances
    from wassergraph.learning.classifier import WWLClassifier
    from wassergraph.learning.model_files.loading import load_model
    from wassergraph.learning.svm.krein import KreinSVC
    from wassergraph.pictures.draw import draw_accuracies, draw_graphs, draw_kernel

_HOME = {
    "ContinuousVertexHistogram": "baselines.rbf",
    "Definiteness": "kernels.definiteness",
    "EdgeHistogram": "baselines.histogram",
    "Evaluation": "learning.classification",
    "GraphBatch": "graphs.batch",
    "GraphHopper": "baselines.hopper",
    "HashGraphKernel": "baselines.hashing",
    "KreinSVC": "learning.svm.krein",
    "LaplacianKernel": "estimators",
    "NodeEmbedding": "embedding.node_embedding",
    "RBFWL": "baselines.rbf",
    "Report": "evaluation.evaluate",
    "ShortestPath": "baselines.paths",
    "Summary": "graphs.summary",
    "TransportPlan": "explain",
    "VertexHistogram": "baselines.histogram",
    "WLOptimalAssignment": "baselines.subtree",
    "WLSubtree": "baselines.subtree",
    "WWLClassifier": "learning.classifier",
    "WWLDistance": "estimators",
    "conditional_definiteness": "kernels.definiteness",
    "definiteness": "kernels.definiteness",
    "draw_accuracies": "pictures.draw",
    "draw_graphs": "pictures.draw",
    "draw_kernel": "pictures.draw",
    "evaluate": "evaluation.evaluate",
    "evaluate_distances": "learning.classification",
    "from_adjacency": "formats.arrays",
    "from_edges": "formats.arrays",
    "from_igraph": "formats.igraph",
    "from_networkx": "formats.networkx",
    "from_pyg": "formats.pyg",
    "from_rdkit": "formats.rdkit",
    "from_smiles": "formats.rdkit",
    "laplacian_kernel": "kernels.laplacian",
    "line_graph": "embedding.line_graph",
    "load_dataset": "datasets",
    "load_model": "learning.model_files.loading",
    "make_demo": "datasets",
    "make_noisy_erdos_renyi": "datasets",
    "make_synthetic_new": "datasets",
    "make_synthie": "datasets",
    "transport_plan": "explain",
    "wl_embedding": "embedding.embed",
    "wwl_distances": "distances.api",
}

__all__ = [  # noqa: RUF022 - in the order of dir()
    "ContinuousVertexHistogram",
    "Definiteness",
    "EdgeHistogram",
    "Evaluation",
    "GraphBatch",
    "GraphHopper",
    "HashGraphKernel",
    "KreinSVC",
    "LaplacianKernel",
    "NodeEmbedding",
    "RBFWL",
    "Report",
    "ShortestPath",
    "Summary",
    "TransportPlan",
    "VertexHistogram",
    "WLOptimalAssignment",
    "WLSubtree",
    "WWLClassifier",
    "WWLDistance",
    "__version__",
    "conditional_definiteness",
    "definiteness",
    "draw_accuracies",
    "draw_graphs",
    "draw_kernel",
    "evaluate",
    "evaluate_distances",
    "from_adjacency",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "from_rdkit",
    "from_smiles",
    "laplacian_kernel",
    "line_graph",
    "load_dataset",
    "load_model",
    "make_demo",
    "make_noisy_erdos_renyi",
    "make_synthetic_new",
    "make_synthie",
    "transport_plan",
    "wl_embedding",
    "wwl_distances",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("wassergraph")
    if name not in _HOME:
        raise AttributeError(f"module 'wassergraph' has no attribute {name!r}")
    return getattr(import_module(f"wassergraph.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
