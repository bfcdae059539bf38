"""Collect the figures of gallery scripts, those of wassergraph included, which are made without pyplot."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from matplotlib import pyplot
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_saved: WeakSet[Figure] = WeakSet()


def scrape_figures(_block: object, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save every figure that a variable of the script holds and that no earlier block has made, for the page."""
    paths = []
    for value in list(variables["example_globals"].values()):
        if isinstance(value, Figure) and value not in _saved:
            _saved.add(value)
            path = str(next(variables["image_path_iterator"]))
            value.savefig(path, dpi=144, bbox_inches="tight", facecolor="white")
            paths.append(path)
    pyplot.close("all")
    return figure_rst(paths, settings["src_dir"])
