"""The files of a TU data set, taken from a folder or a zip archive into memory; nothing is ever written.

An archive may come from anywhere, so it is read with suspicion: paths that would leave the folder, encryption, damage,
and members that hold more than they claim are all refused.
"""

from __future__ import annotations

import copy
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

SUFFIXES = (
    "A",
    "graph_indicator",
    "graph_labels",
    "graph_attributes",
    "node_labels",
    "node_attributes",
    "edge_labels",
    "edge_attributes",
)
MAX_UNPACKED = 2 * 2**30
MAX_RATIO = 200  # data sets shrink to a third or a tenth; what shrinks to less than this is made to fill memory
_SMALL = 2**26
_ENCRYPTED = 0x1
#: What reading a damaged or foreign zip archive may raise.
UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, UnicodeDecodeError)


class MissingFileError(FileNotFoundError, ValueError):
    """A file or folder that must exist does not."""


@dataclass(frozen=True)
class TUFiles:
    """The contents of a TU data set: ``files["A"]`` is what ``NAME_A.txt`` holds."""

    name: str
    files: dict[str, bytes]

    def require(self, suffix: str) -> bytes:
        """Give the contents of a file that no data set can do without."""
        if suffix not in self.files:
            raise MissingFileError(f"{self.file(suffix)} is missing: it is needed here")
        return self.files[suffix]

    def file(self, suffix: str) -> str:
        """Give the name of a file."""
        return f"{self.name}_{suffix}.txt"


def read_files(path: Path) -> TUFiles:
    """Take the files of the one TU data set in a folder or zip archive, at its top or one folder deep."""
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        raise MissingFileError(f"{path} does not exist: give a folder or a .zip in TU format")
    return _read_zip(path)


def _read_folder(path: Path) -> TUFiles:
    candidates = [file for pattern in ("*_A.txt", "*/*_A.txt") for file in path.glob(pattern)]
    prefix = _the_one_prefix([file.relative_to(path).as_posix() for file in candidates], path)
    present = {f"{prefix.rpartition('/')[0]}/{child.name}".lstrip("/") for child in (path / prefix).parent.iterdir()}
    return _collect(prefix, present, lambda name: (path / name).read_bytes())


def _read_zip(path: Path) -> TUFiles:
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path)
            prefix = _the_one_prefix(members, path)
            _check_size([members[name] for suffix in SUFFIXES if (name := f"{prefix}_{suffix}.txt") in members], path)
            return _collect(prefix, set(members), lambda name: _read_member(archive, members[name], path))
    except UNREADABLE as error:
        raise ValueError(f"{path} is not a whole zip archive ({error}): get it anew") from error


def _collect(prefix: str, present: set[str], read: Callable[[str], bytes]) -> TUFiles:
    """Read the files of a data set that are present; one whose name differs only in its case is an error."""
    wanted = {f"{prefix}_{suffix}.txt": suffix for suffix in SUFFIXES}
    lower = {name.lower(): name for name in wanted}
    for name in sorted(present):
        if name not in wanted and name.lower() in lower:
            raise ValueError(f"the file {name} must be named {lower[name.lower()]}, also in its capitals: rename it")
    files = {suffix: read(name) for name, suffix in wanted.items() if name in present}
    return TUFiles(PurePosixPath(prefix).name, files)


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """Give the members by their path, written with single forward slashes, after a look at each of them.

    Some archives have ``NAME//NAME_A.txt``, ``./NAME_A.txt`` or backslashes.
    """
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = re.sub("/+", "/", info.filename.replace("\\", "/")).removeprefix("./")
        if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
            raise ValueError(f"{path} has a member {info.filename!r} that leads out of its folder: do not trust it")
        if info.flag_bits & _ENCRYPTED:
            raise ValueError(f"{path} is encrypted ({info.filename}): unpack it yourself and give the folder")
        if name in members:
            raise ValueError(f"{path} has two members named {name}: keep the right one")
        members[name] = info
    return members


def _the_one_prefix(names: Iterable[str], path: Path) -> str:
    """Give ``folder/NAME`` for the one ``folder/NAME_A.txt`` among the names, leaving out what macOS adds to zips."""
    found = sorted(
        name.removesuffix("_A.txt")
        for name in names
        if name.endswith("_A.txt") and name.count("/") <= 1 and not PurePosixPath(name).name.startswith("._")
    )
    if not found:
        raise MissingFileError(f"{path} holds no NAME_A.txt, neither at its top nor one folder deep: not in TU format")
    if len(found) > 1:
        raise ValueError(f"{path} holds several data sets, {', '.join(found)}: give the folder of one of them")
    return found[0]


def _check_size(members: list[zipfile.ZipInfo], path: Path) -> None:
    size = sum(info.file_size for info in members)
    if size > MAX_UNPACKED:
        raise ValueError(
            f"{path} would unpack to {size / 2**30:.1f} GiB, more than {MAX_UNPACKED / 2**30:.0f}: "
            "if that is right, unpack it yourself and give the folder"
        )
    packed = sum(info.compress_size for info in members)
    if size > max(_SMALL, MAX_RATIO * packed):
        raise ValueError(
            f"{path} would unpack to {size / max(packed, 1):.0f} times its size, which no data set does: "
            "if it is right, unpack it yourself and give the folder"
        )


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    # zipfile stops at the size that a member claims. Asking for one byte more tells whether it holds more than that.
    probe = copy.copy(info)
    probe.file_size += 1
    probe.CRC = None  # type: ignore[assignment]  # checked below: zipfile would check it against the longer text
    try:
        with archive.open(probe) as member:
            data = member.read(info.file_size + 1)
    except (*UNREADABLE, OSError) as error:
        raise ValueError(f"{path}: {info.filename} cannot be unpacked ({error}): get it anew") from error
    if len(data) > info.file_size:
        raise ValueError(f"{path}: {info.filename} unpacks to more than the {info.file_size} bytes it claims")
    if len(data) < info.file_size or zlib.crc32(data) != info.CRC:
        raise ValueError(f"{path}: {info.filename} is damaged (its size or checksum is wrong): get it anew")
    return data
