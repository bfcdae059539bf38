"""The exported names, and that asking for one loads no more than it must."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import wassergraph

NAMES = [
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
    "pair_distances",
    "transport_plan",
    "wl_embedding",
    "wwl_distances",
]


def test_exported_names():
    assert wassergraph.__all__ == NAMES == dir(wassergraph)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"__version__"}))
def test_every_name_loads_and_is_documented(name):
    thing = getattr(wassergraph, name)
    assert thing.__name__ == name
    first = inspect.getdoc(thing).splitlines()[0]
    assert len(first) > 20


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        wassergraph.nonsense  # noqa: B018 - the access is the test


def loaded_by(code: str) -> set[str]:
    """Return the packages that are loaded after running code in a new process."""
    program = f"{code}\nimport sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(result.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "numba", "networkx", "torch", "rdkit", "matplotlib", "pandas"}
    assert not loaded_by("import wassergraph") & heavy


def test_reading_data_loads_neither_sklearn_nor_numba_nor_optional_libraries():
    heavy = {"sklearn", "numba", "networkx", "igraph", "torch", "rdkit", "matplotlib", "pandas"}
    assert not loaded_by("import wassergraph; wassergraph.load_dataset('demo')") & heavy
