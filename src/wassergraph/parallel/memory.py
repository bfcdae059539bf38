"""The memory that is there, and the refusal of computations that need more, before they begin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from wassergraph.errors import InputError, NotEnoughMemoryError, Option

#: The environment variable that limits the memory of a computation, as in 8GB.
LIMIT = "WASSERGRAPH_MEMORY_LIMIT"
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def check_memory(needed: float, what: str, *, remedy: str, options: Sequence[Option] = ()) -> None:
    """Raise an error if a computation needs more memory than there is; if that is not known, none.

    Parameters
    ----------
    needed : float
        The bytes that the computation needs at once.
    what : str
        What needs them, as the beginning of a sentence.
    remedy, options
        What needs less memory, as in :class:`wassergraph.errors.StructuredError`.
    """
    available = available_memory()
    if available is None or needed <= available:
        return
    problem = f"{what} would need {size_text(needed)} of memory, but {size_text(available)} are available"
    raise NotEnoughMemoryError(problem, remedy=remedy, options=options)


def available_memory() -> int | None:
    """Return the bytes of memory that a computation can have; None if that cannot be found out.

    This is the least of ``WASSERGRAPH_MEMORY_LIMIT``, of what the operating system could give without swapping, and on
    Linux of what the limits of a container or batch job leave. Where the system says only how much memory it has, as
    on macOS, it is all of that.
    """
    known = [each for each in (_given_limit(), _of_system(), *_of_groups()) if each is not None]
    return min(known, default=None)


def size_text(n_bytes: float) -> str:
    """Return a number of bytes as text.

    Examples
    --------
    >>> size_text(1.13e9), size_text(28.2e9), size_text(350e6), size_text(2e3)
    ('1.1 GB', '28 GB', '350 MB', '1 MB')
    """
    if n_bytes < 1e9:
        return f"{max(round(n_bytes / 1e6), 1)} MB"
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes < 9.95e9 else f"{n_bytes / 1e9:,.0f} GB"


def _given_limit() -> int | None:
    text = os.environ.get(LIMIT, "").strip()
    if not text:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?B)?", text, re.IGNORECASE)
    if match is None:
        raise InputError(f"{LIMIT} must be a number of bytes such as 8GB or 500MB, got {text!r}")
    return int(float(match[1]) * _UNITS[(match[2] or "").upper()])


def _of_system() -> int | None:
    """Return the memory that is available on this machine, or all that it has."""
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _of_groups(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> Iterator[int]:
    """Yield what the limits of the control groups of this process, and of those around them, leave."""
    for line in _lines(own):
        _, controllers, path = line.split(":", 2)
        folder = root if not controllers else root / "memory"
        if controllers and "memory" not in controllers.split(","):
            continue
        group = folder / path.strip("/")
        for each in (group, *group.parents):
            yield from _left_in(each)
            if each == folder:
                break


def _left_in(group: Path) -> Iterator[int]:
    """Yield what the limit of one control group leaves, if it has one; cached files can be dropped."""
    for most, used, cached in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        limit, usage = _number(group / most), _number(group / used)
        if limit is not None and usage is not None:
            statistics = dict(line.split()[:2] for line in _lines(group / "memory.stat") if len(line.split()) == 2)
            yield max(limit - usage + int(statistics.get(cached, 0)), 0)


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is no file, or another word, as "max" for no limit."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
