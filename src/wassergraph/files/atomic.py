"""Write files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def check_target(path: str | Path) -> Path:
    """Make sure that a file can be written there, before long work begins; where a link points, that is the place."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder: give the name of a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {Path(path).parent} to write {target.name} into: make it first")
    if not os.access(target if _is_special(target) else target.parent, os.W_OK):
        raise PermissionError(f"{path} may not be written to: choose another place")
    return target


def _is_special(target: Path) -> bool:
    """Whether it is a pipe or a device, which is written into, never replaced."""
    return target.exists() and not target.is_file()


def write_atomically(path: str | Path, data: bytes | memoryview) -> None:
    """Write a file under another name beside its place, then put it there in one step.

    Whoever is interrupted, or runs out of disk, leaves the old file, or none; never a part of the new one. The new file
    has the permissions of the old one.
    """
    target = check_target(path)
    if _is_special(target):
        target.write_bytes(data)
        return
    temporary = target.with_name(f".{target.name}-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def remove_leftovers(path: str | Path) -> None:
    """Remove what writers of a file that were killed have left beside it; nobody may be writing it now."""
    target = Path(path)
    for leftover in target.parent.glob(f".{target.name}-*.part"):
        leftover.unlink(missing_ok=True)
