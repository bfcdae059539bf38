"""Wasserstein Weisfeiler–Lehman graph kernels: exact and fast distances between graphs, and learning with them.

The public names are listed in ``__init__.pyi``, once, for type checkers and for this module. Each is loaded when it is
first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pkgutil import get_data
from typing import TYPE_CHECKING

from wassergraph import notebook

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch


def _modules_by_name() -> dict[str, str]:
    """Return the module of every public name, as the stub file lists them."""
    tree = ast.parse(get_data(__name__, "__init__.pyi") or b"")
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_MODULES = _modules_by_name()
__all__ = sorted([*_MODULES, "__version__"])


def _draw_graphs(graphs: GraphBatch) -> str:
    from wassergraph.pictures.thumbnails import thumbnails

    return thumbnails(graphs)


# A batch shows its graphs in a notebook, but graphs may not import pictures, which are made of them.
notebook.draw_graphs = _draw_graphs


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("wassergraph")
    if name not in _MODULES:
        raise AttributeError(f"module 'wassergraph' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
