"""Data sets in TU format: a tiny one, as a folder or an archive, and any graphs."""

from __future__ import annotations

import zipfile
from pathlib import Path

FILES = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n2\n", "graph_labels": "1\n-1\n"}


def make_folder(folder: Path, name: str = "TINY", **changes: str | None) -> Path:
    """Write the data set with some files changed, added, or left out (None)."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / f"{name}_{suffix}.txt").write_text(text)
    return folder


def make_zip(path: Path, prefix: str = "TINY/TINY", extra: dict[str, str] | None = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for suffix, text in FILES.items():
            file.writestr(f"{prefix}_{suffix}.txt", text)
        for name, text in (extra or {}).items():
            file.writestr(name, text)
    return path


def write_tu(folder, graphs, y=None):
    """Write graphs with node labels and attributes in TU format."""
    folder.mkdir()
    name = folder.name
    tails = graphs.arc_tails + 1
    rows = {
        "A": [f"{a}, {b}" for a, b in zip(tails, graphs.indices + 1, strict=True)],
        "graph_indicator": [str(g + 1) for g in graphs.graph_of_node],
        "node_labels": [str(label) for label in graphs.node_labels],
        "node_attributes": [", ".join(map(repr, row)) for row in graphs.node_attributes.tolist()],
    }
    if y is not None:
        rows["graph_labels"] = [str(c) for c in y]
    for part, lines in rows.items():
        (folder / f"{name}_{part}.txt").write_text("\n".join(lines) + "\n")
    return folder
