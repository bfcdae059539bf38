"""Locks between processes, so that only one of them does a piece of work."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

_fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None

#: Whether the system has file locks. Windows does not: there, two processes may do the same work and write equal files.
HAS_LOCKS = _fcntl is not None
#: The open files that this process has claimed.
_descriptors: set[int] = set()


@contextlib.contextmanager
def claim(folder: Path, name: str, *, wait: bool) -> Iterator[bool]:
    """Claim a piece of work, so that other processes do not do it at the same time.

    The operating system releases a claim when its process ends, even if it is killed.

    Parameters
    ----------
    folder : Path
        The folder of the lock files; it is created if it does not exist.
    name : str
        The name of the work.
    wait : bool
        Whether to wait until another process that has claimed the work releases it.

    Yields
    ------
    bool
        Whether this process has the claim.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("a") as file:
        yield not HAS_LOCKS or _lock(file, wait=wait)


@contextlib.contextmanager
def claim_file(path: Path) -> Iterator[bool]:
    """Claim an existing file, so that other processes cannot do so at the same time; nothing is written to it.

    Where the file system has no locks, as some network drives, the claim is always granted.

    Yields
    ------
    bool
        Whether this process has the claim.
    """
    if not HAS_LOCKS:
        yield True
        return
    descriptor = os.open(path, os.O_RDWR)  # NFS grants locks on files that are open for writing only
    _descriptors.add(descriptor)
    try:
        yield _lock_if_possible(descriptor)
    finally:
        _descriptors.discard(descriptor)
        with contextlib.suppress(OSError):
            _fcntl.flock(descriptor, _fcntl.LOCK_UN)  # a forked process may still have it open
        os.close(descriptor)


def _close_in_child() -> None:
    """Close the claims of the parent in a forked process, which would keep them after the parent is killed."""
    for descriptor in _descriptors:
        os.close(descriptor)
    _descriptors.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def _lock_if_possible(descriptor: int) -> bool:
    try:
        return _lock(descriptor, wait=False)
    except OSError:  # the file system has no such locks
        return True


def _lock(file: TextIO | int, *, wait: bool) -> bool:
    try:
        _fcntl.flock(file, _fcntl.LOCK_EX | (0 if wait else _fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
