"""A tiny data set in TU format, as a folder or an archive."""

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
