"""Wasserstein Weisfeiler–Lehman graph kernels: exact, fast and pleasant.

The public names are below; each is loaded when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wassergraph.datasets import (
        load_dataset,
        make_demo,
        make_noisy_erdos_renyi,
        make_synthetic_new,
        make_synthie,
    )
    from wassergraph.formats.arrays import from_adjacency, from_edges
    from wassergraph.formats.igraph import from_igraph
    from wassergraph.formats.networkx import from_networkx
    from wassergraph.formats.pyg import from_pyg
    from wassergraph.formats.rdkit import from_rdkit, from_smiles
    from wassergraph.graphs import GraphBatch
    from wassergraph.plots import draw_graphs
    from wassergraph.summary import Summary

_HOME = {
    "GraphBatch": "graphs",
    "Summary": "summary",
    "draw_graphs": "plots",
    "from_adjacency": "formats.arrays",
    "from_edges": "formats.arrays",
    "from_igraph": "formats.igraph",
    "from_networkx": "formats.networkx",
    "from_pyg": "formats.pyg",
    "from_rdkit": "formats.rdkit",
    "from_smiles": "formats.rdkit",
    "load_dataset": "datasets",
    "make_demo": "datasets",
    "make_noisy_erdos_renyi": "datasets",
    "make_synthetic_new": "datasets",
    "make_synthie": "datasets",
}

__all__ = [
    "GraphBatch",
    "Summary",
    "__version__",
    "draw_graphs",
    "from_adjacency",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "from_rdkit",
    "from_smiles",
    "load_dataset",
    "make_demo",
    "make_noisy_erdos_renyi",
    "make_synthetic_new",
    "make_synthie",
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
