"""Where data sets lie on disk."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


def cache_folder() -> Path:
    """Give the folder that downloads go to: the place for caches of this system and user."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "wassergraph"


def homes(data_home: str | Path | None) -> list[Path]:
    """Give the folders to look for data sets in, the first choice first."""
    given = [Path(home).expanduser() for home in (data_home, os.environ.get("WASSERGRAPH_DATA")) if home]
    return [*given, cache_folder()]


def is_name(name_or_path: str | Path) -> bool:
    """Whether this may be the name of a data set; otherwise it can only be a path."""
    return isinstance(name_or_path, str) and bool(_NAME.fullmatch(name_or_path)) and not name_or_path.endswith(".zip")


def find(name: str, data_home: str | Path | None) -> Path | None:
    """Give the folder or archive of a data set, if it is on disk."""
    for home in homes(data_home):
        folder, archive = home / name, home / f"{name}.zip"
        if any(folder.glob("*_A.txt")) or any(folder.glob("*/*_A.txt")):
            return folder
        if archive.is_file():
            return archive
    return None


def names_on_disk(data_home: str | Path | None) -> list[str]:
    """Give the names under which :func:`find` finds something."""
    children = [child for home in homes(data_home) if home.is_dir() for child in home.iterdir()]
    names = {child.name.removesuffix(".zip") for child in children}
    return sorted(name for name in names if is_name(name) and find(name, data_home) is not None)
