"""The order of the scripts in the gallery: what most people look for first, then how it works."""

from __future__ import annotations

from pathlib import Path

ORDER = [
    "drug_plan",
    "drug_map",
    "nearest_drugs",
    "explain_prediction",
    "methods",
    "kernel",
    "dendrogram",
    "compare_groups",
    "regression",
    "calibration",
    "neighbor_graph",
    "attributed_graphs",
    "pipeline",
    "depths",
    "closed_form",
    "noise",
    "definiteness",
    "simplex",
    "solvers",
]


class GalleryOrder:
    """The key by which sphinx-gallery sorts the scripts of a folder; scripts that are not listed come last."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> tuple[int, str]:
        """Return the place of a script."""
        name = Path(file).stem.removeprefix("plot_")
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)

    def __repr__(self) -> str:
        return "GalleryOrder"
