"""Write files completely or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, overload

from wassergraph.errors import FolderError, MissingFolderError, NotWritableError

#: When a folder is removed after a failed write, in seconds: threads that write other files may take a moment to end.
_PAUSES = (0.0, 0.02, 0.1, 0.3)


def check_target(path: str | Path) -> Path:
    """Check that a file can be written to a path, and return the path with all links resolved.

    Call it before long computations whose result is to be written there.

    Parameters
    ----------
    path : str or Path
        Where the file will be written.

    Returns
    -------
    Path
        The file that a link points to, or the path itself.

    Raises
    ------
    OSError
        If the path is a folder, its folder does not exist, or writing is not permitted.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FolderError("this is a folder", remedy="pass the name of a file", file=path)
    if not target.parent.is_dir():
        raise MissingFolderError(f"there is no folder {Path(path).parent}", remedy="create it first", file=path)
    if not os.access(target if _is_special(target) else target.parent, os.W_OK):
        raise NotWritableError("there is no permission to write this file", remedy="choose another path", file=path)
    return target


@overload
def atomic_file(path: str | Path, mode: Literal["wb"] = "wb") -> contextlib.AbstractContextManager[BinaryIO]: ...


@overload
def atomic_file(path: str | Path, mode: Literal["w"]) -> contextlib.AbstractContextManager[TextIO]: ...


def atomic_file(path: str | Path, mode: Literal["wb", "w"] = "wb") -> contextlib.AbstractContextManager[Any]:
    """Open a file for writing that appears under its name only when it is complete.

    The file is written under a temporary name in the same folder, flushed to disk, and renamed when the ``with`` block
    ends. If the block raises an error, the temporary file is removed, and an older file stays as it was. The new file
    has the permissions of the older one. Pipes and devices are written to directly.

    Parameters
    ----------
    path : str or Path
        The file to write; links are followed.
    mode : "wb" or "w"
        Bytes, or text in UTF-8 with line ends as written.

    Returns
    -------
    context manager
        Yields the open file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/a.txt", "w") as file:
    ...         written = file.write("complete")
    ...         before = Path(folder, "a.txt").exists()
    ...     before, Path(folder, "a.txt").read_text()
    (False, 'complete')
    """
    target = check_target(path)
    return _open(target, mode) if _is_special(target) else _replacing(target, mode)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder that appears under its name only when the ``with`` block ends.

    If the block raises an error, the folder is removed. At the end, nothing but an empty folder may be at the path.

    Parameters
    ----------
    path : Path
        The name of the folder.

    Yields
    ------
    Path
        The folder to write to, beside the path.
    """
    temporary = _temporary(path)
    try:
        temporary.mkdir()
        yield temporary
        # On Windows, a folder does not take the place of another one, even if that is empty.
        with contextlib.suppress(OSError):
            path.rmdir()
        temporary.replace(path)
    except BaseException:
        for pause in _PAUSES:
            time.sleep(pause)
            shutil.rmtree(temporary, ignore_errors=True)
        raise


def write_atomically(path: str | Path, data: bytes | memoryview) -> None:
    """Write bytes to a file, completely or not at all."""
    with atomic_file(path) as file:
        file.write(data)


def remove_leftovers(path: str | Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote a file or folder.

    No process may be writing it at that moment.
    """
    target = Path(path)
    name = re.compile(rf"\.{re.escape(target.name)}-\d+-[0-9a-f]{{8}}\.part")
    siblings = target.parent.iterdir() if target.parent.is_dir() else ()
    for leftover in (each for each in siblings if name.fullmatch(each.name)):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


@contextlib.contextmanager
def _replacing(target: Path, mode: str) -> Iterator[IO[Any]]:
    temporary = _temporary(target)
    try:
        with _open(temporary, mode.replace("w", "x")) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name}-{os.getpid()}-{secrets.token_hex(4)}.part")


def _open(path: Path, mode: str) -> IO[Any]:
    return path.open(mode) if "b" in mode else path.open(mode, encoding="utf-8", newline="")


def _is_special(target: Path) -> bool:
    """Return whether a path is a pipe or a device, which is written to and never replaced."""
    return target.exists() and not target.is_file()
