"""The folders in which data sets are looked up."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from wassergraph.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


def cache_folder() -> Path | None:
    """Return the cache folder of this user, where downloads go; None if the user has no home folder."""
    try:
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # the user has no home folder
        return None
    return base / "wassergraph"


def expand(path: str | Path) -> Path:
    """Return a path with ~ replaced by the home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InputError("there is no such home folder", file=path) from error


def homes(data_home: str | Path | None) -> list[Path]:
    """Return the folders in which data sets are looked up, in this order."""
    named = [expand(home) for home in (data_home, os.environ.get("WASSERGRAPH_DATA")) if home]
    cache = cache_folder()
    return named if cache is None else [*named, cache]


def is_name(name_or_path: str | Path) -> bool:
    """Return whether this may be the name of a data set; otherwise it is a path."""
    if not isinstance(name_or_path, str) or name_or_path.lower().endswith(".zip"):
        return False
    return bool(_NAME.fullmatch(name_or_path))


def is_tu_folder(folder: Path) -> bool:
    """Return whether a folder holds a data set in TU format, perhaps in a folder of its own."""
    return any(folder.glob("*_A.txt")) or any(folder.glob("*/*_A.txt"))


def find(name: str, folders: list[Path]) -> Path | None:
    """Return the folder or archive of a data set in the first folder that has it; None if no folder has it."""
    for home in folders:
        folder, archive = home / name, home / f"{name}.zip"
        if is_tu_folder(folder):
            return folder
        if archive.is_file():
            return archive
    return None


def names_on_disk(folders: list[Path]) -> list[str]:
    """Return the names of the data sets that :func:`find` finds in folders."""
    children = [child for home in folders if home.is_dir() for child in home.iterdir()]
    names = {child.name.removesuffix(".zip") for child in children}
    return sorted(name for name in names if is_name(name) and find(name, folders) is not None)
