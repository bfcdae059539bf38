"""Libraries that only some people need: what to say when one is not there."""

from __future__ import annotations

from importlib.util import find_spec

_EXTRAS = {
    "networkx": "networkx",
    "igraph": "igraph",
    "torch_geometric": "pyg",
    "rdkit": "rdkit",
    "matplotlib": "plots",
}


def require(library: str) -> None:
    """Make sure that a library can be imported, or say how to install it."""
    if find_spec(library) is None:
        extra = _EXTRAS[library]
        raise ModuleNotFoundError(f'this needs {library}: pip install "wassergraph[{extra}]"', name=library)
