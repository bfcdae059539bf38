"""Wasserstein Weisfeiler–Lehman graph kernels: exact and fast distances between graphs, and learning with them.

The public names are listed in ``__init__.pyi``, and those of :mod:`wassergraph.baselines`, :mod:`wassergraph.datasets`,
:mod:`wassergraph.kernels` and :mod:`wassergraph.plot` in theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassergraph import notebook
from wassergraph.lazy import attach

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch


def _draw_graphs(graphs: GraphBatch) -> str:
    from wassergraph.pictures.thumbnails import thumbnails

    return thumbnails(graphs)


# A batch shows its graphs in a notebook, but graphs may not import pictures, which are made of them.
notebook.draw_thumbnails = _draw_graphs

_load, _, _names = attach(__name__)
__all__ = sorted([*_names, "__version__"])


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("wassergraph")
    return _load(name)


def __dir__() -> list[str]:
    return __all__
