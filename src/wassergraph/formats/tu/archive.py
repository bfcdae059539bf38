"""Read the files of a TU data set from a folder or a zip archive into memory; nothing is written to disk.

An archive may come from anywhere, so it is not trusted: paths that lead out of the folder, encryption, damage, and
members that unpack to more than they declare are errors.
"""

from __future__ import annotations

import copy
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wassergraph.errors import InputError, MissingFileError

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
MAX_RATIO = 200  # data sets compress by a factor of 3 to 10; a much larger one is meant to exhaust memory
_SMALL = 2**26
_ENCRYPTED = 0x1
_UNPACK = "if it is right, unpack it yourself and pass the folder"
#: What reading a damaged or foreign zip archive may raise.
UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, UnicodeDecodeError)


@dataclass(frozen=True)
class TUFiles:
    """The contents of a TU data set: ``files["A"]`` is the content of ``NAME_A.txt``.

    ``readme`` is the text beside them, empty if there is none.
    """

    name: str
    files: dict[str, bytes]
    readme: bytes = b""

    def require(self, suffix: str) -> bytes:
        """Return the content of a file; raise an error if the data set does not have it."""
        if suffix not in self.files:
            raise MissingFileError("the file is missing", remedy="add it to the data set", file=self.file(suffix))
        return self.files[suffix]

    def file(self, suffix: str) -> str:
        """Return the name of a file."""
        return f"{self.name}_{suffix}.txt"


def read_tu_files(path: Path, suffixes: Collection[str] = SUFFIXES) -> TUFiles:
    """Read all files, or some, of the only TU data set in a folder or zip archive, at its top or one folder deep."""
    if path.is_dir():
        return _read_folder(path, suffixes)
    if not path.exists():
        raise MissingFileError("it does not exist", remedy="pass a folder or a .zip in TU format", file=path)
    return _read_zip(path, suffixes)


def _read_folder(path: Path, suffixes: Collection[str]) -> TUFiles:
    candidates = [file for pattern in ("*_A.txt", "*/*_A.txt") for file in path.glob(pattern)]
    prefix = _only_prefix([file.relative_to(path).as_posix() for file in candidates], path)
    present = {f"{prefix.rpartition('/')[0]}/{child.name}".lstrip("/") for child in (path / prefix).parent.iterdir()}
    return _collect(prefix, present, suffixes, lambda name: (path / name).read_bytes())


def _read_zip(path: Path, suffixes: Collection[str]) -> TUFiles:
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path)
            prefix = _only_prefix(members, path)
            names = [*(f"{prefix}_{suffix}.txt" for suffix in SUFFIXES), *_readmes(prefix)]
            _check_size([members[name] for name in names if name in members], path)
            return _collect(prefix, set(members), suffixes, lambda name: _read_member(archive, members[name], path))
    except UNREADABLE as error:
        raise InputError(f"not a complete zip archive ({error})", remedy="download it again", file=path) from error


def _collect(prefix: str, present: set[str], wanted: Collection[str], read: Callable[[str], bytes]) -> TUFiles:
    """Read the wanted files of a data set that are present; a name that differs only in its case is an error."""
    suffixes = {f"{prefix}_{suffix}.txt": suffix for suffix in SUFFIXES}
    lower = {name.lower(): name for name in suffixes}
    for name in sorted(present):
        if name not in suffixes and name.lower() in lower:
            raise InputError("the case of the name is wrong", remedy=f"rename it to {lower[name.lower()]}", file=name)
    files = {suffix: read(name) for name, suffix in suffixes.items() if name in present and suffix in wanted}
    readme = b"\n".join(read(name) for name in _readmes(prefix) if name in present and wanted is SUFFIXES)
    return TUFiles(PurePosixPath(prefix).name, files, readme)


def _readmes(prefix: str) -> list[str]:
    """Return the names of files that may say what labels mean."""
    return [f"{prefix}_label_readme.txt", f"{prefix.rpartition('/')[0]}/README.txt".lstrip("/")]


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the members by their path with single forward slashes, after checking each of them.

    Some archives have ``NAME//NAME_A.txt``, ``./NAME_A.txt`` or backslashes.
    """
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = re.sub("/+", "/", info.filename.replace("\\", "/")).removeprefix("./")
        if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
            problem = f"the member {info.filename!r} leads out of the folder"
            raise InputError(problem, remedy="do not trust this archive", file=path)
        if info.flag_bits & _ENCRYPTED:
            problem = f"the member {info.filename} is encrypted"
            raise InputError(problem, remedy="unpack the archive yourself and pass the folder", file=path)
        if name in members:
            raise InputError(f"there are two members named {name}", remedy="remove one of them", file=path)
        members[name] = info
    return members


def _only_prefix(names: Iterable[str], path: Path) -> str:
    """Return ``folder/NAME`` for the only ``folder/NAME_A.txt`` among the names, ignoring what macOS adds to zips."""
    prefixes = sorted(
        name.removesuffix("_A.txt")
        for name in names
        if name.endswith("_A.txt") and name.count("/") <= 1 and not PurePosixPath(name).name.startswith("._")
    )
    if not prefixes:
        problem = "there is no NAME_A.txt, neither at the top nor one folder deep"
        raise MissingFileError(problem, remedy="pass a folder or a .zip in TU format", file=path)
    if len(prefixes) > 1:
        problem = f"there are several data sets, {', '.join(prefixes)}"
        raise InputError(problem, remedy="pass the folder of one of them", file=path)
    return prefixes[0]


def _check_size(members: list[zipfile.ZipInfo], path: Path) -> None:
    size = sum(info.file_size for info in members)
    if size > MAX_UNPACKED:
        problem = f"it would unpack to {size / 2**30:.1f} GiB, more than {MAX_UNPACKED / 2**30:.0f} GiB"
        raise InputError(problem, remedy=_UNPACK, file=path)
    packed = sum(info.compress_size for info in members)
    if size > max(_SMALL, MAX_RATIO * packed):
        problem = f"it would unpack to {size / max(packed, 1):.0f} times its size, which is unusual for a data set"
        raise InputError(problem, remedy=_UNPACK, file=path)


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    # zipfile stops at the size that a member declares. Reading one byte more shows whether it contains more than that.
    probe = copy.copy(info)
    probe.file_size += 1
    probe.CRC = None  # type: ignore[assignment]  # checked below: zipfile would check it against the longer text
    try:
        with archive.open(probe) as member:
            data = member.read(info.file_size + 1)
    except (*UNREADABLE, OSError) as error:
        problem = f"the member {info.filename} cannot be unpacked ({error})"
        raise InputError(problem, remedy="download it again", file=path) from error
    if len(data) > info.file_size:
        problem = f"the member {info.filename} unpacks to more than the {info.file_size} bytes that it declares"
        raise InputError(problem, remedy="do not trust this archive", file=path)
    if len(data) < info.file_size or zlib.crc32(data) != info.CRC:
        problem = f"the member {info.filename} is damaged: its size or checksum is wrong"
        raise InputError(problem, remedy="download it again", file=path)
    return data
