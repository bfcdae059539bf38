"""Write files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def check_target(path: str | Path) -> Path:
    """Make sure that a file can be written there, before long work begins."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: give the name of a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} into: make it first")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"the folder {target.parent} may not be written to: choose another")
    return target


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file under another name beside its place, then put it there in one step.

    Whoever is interrupted, or runs out of disk, leaves the old file, or none; never a part of the new one.
    """
    target = check_target(path)
    temporary = target.with_name(f".{target.name}-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
