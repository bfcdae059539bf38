"""Optional libraries: how to install one that is missing."""

from __future__ import annotations

from importlib.util import find_spec

_EXTRAS = {
    "networkx": "networkx",
    "igraph": "igraph",
    "torch_geometric": "pyg",
    "rdkit": "rdkit",
    "matplotlib": "plots",
    "zarr": "scale",
    "distributed": "scale",
}


def require(library: str) -> None:
    """Raise an error that explains how to install a library, unless it can be imported.

    Parameters
    ----------
    library : str
        The name that the library is imported under.

    Raises
    ------
    ModuleNotFoundError
        If the library is not installed.
    """
    if find_spec(library) is None:
        extra = _EXTRAS[library]
        raise ModuleNotFoundError(f'this needs {library}: pip install "wassergraph[{extra}]"', name=library)
