"""Where data sets lie on disk."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


def cache_folder() -> Path | None:
    """Give the folder that downloads go to, the place for caches of this system and user; None if there is none."""
    try:
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a user without a home
        return None
    return base / "wassergraph"


def expand(path: str | Path) -> Path:
    """Give a path with ~ replaced by the home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{path}: there is no such home folder") from error


def homes(data_home: str | Path | None) -> list[Path]:
    """Give the folders to look for data sets in, the first choice first."""
    given = [expand(home) for home in (data_home, os.environ.get("WASSERGRAPH_DATA")) if home]
    cache = cache_folder()
    return given if cache is None else [*given, cache]


def is_name(name_or_path: str | Path) -> bool:
    """Whether this may be the name of a data set; otherwise it can only be a path."""
    if not isinstance(name_or_path, str) or name_or_path.lower().endswith(".zip"):
        return False
    return bool(_NAME.fullmatch(name_or_path))


def find(name: str, folders: list[Path]) -> Path | None:
    """Give the folder or archive of a data set in the first of some folders that has it."""
    for home in folders:
        folder, archive = home / name, home / f"{name}.zip"
        if any(folder.glob("*_A.txt")) or any(folder.glob("*/*_A.txt")):
            return folder
        if archive.is_file():
            return archive
    return None


def names_on_disk(folders: list[Path]) -> list[str]:
    """Give the names under which :func:`find` finds something."""
    children = [child for home in folders if home.is_dir() for child in home.iterdir()]
    names = {child.name.removesuffix(".zip") for child in children}
    return sorted(name for name in names if is_name(name) and find(name, folders) is not None)
