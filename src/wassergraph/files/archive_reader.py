"""Read the archives that :func:`wassergraph.files.archive.write_archive` writes, and refuse all other files."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import math
import mmap
import platform
import struct
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wassergraph.errors import InputError
from wassergraph.files.archive import BLOCK, DIGITS, ArchiveFormat, is_plain

_LOCAL_HEADER = struct.Struct("<4s22xHH")  # of a part: the signature, and the lengths of the name and the extra field
_END_RECORD = struct.Struct("<4s16xH")  # of the archive: the signature, and the length of the comment
_SIGNATURE = b"PK\x03\x04"  # of a part
#: What reading a zip archive, or JSON, can raise on a file that is neither.
_UNREADABLE = (zipfile.BadZipFile, struct.error, KeyError, ValueError, RuntimeError, EOFError, OverflowError)
#: The flag of Linux for maps that need no memory before they are written to; Python 3.13 is the first to name it.
_NO_RESERVE: int = getattr(
    mmap,
    "MAP_NORESERVE",
    0x4000 if (sys.platform, platform.machine()) in {("linux", "x86_64"), ("linux", "aarch64")} else 0,
)

#: What files are, by the names of their headers, and what reads them.
_KINDS = {
    "model.json": ("a model", "open it with load_model, wassergraph predict or wassergraph explain"),
    "index.json": ("a graph index", "open it with load_index or wassergraph search"),
}


def read_archive(
    path: str | Path, archive_format: ArchiveFormat, *, memory_map: bool = False, verify: bool = True
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what :func:`write_archive` wrote, in this format version or an earlier one.

    Parameters
    ----------
    path : str or Path
        The file.
    archive_format : ArchiveFormat
        The kind of file that it must be.
    memory_map : bool
        Whether arrays are parts of the file itself, of which only what is used is read. They can be changed, but
        changes do not reach the file. The file must not be written to as long as they exist; replacing it is harmless.
    verify : bool
        Whether the whole file is read first and compared with its checksum. If not, a file that is incomplete, or whose
        parts are not described correctly, is still an error; changed numbers are not noticed.

    Returns
    -------
    header : dict
        The header.
    arrays : dict
        Aligned and contiguous arrays by name.

    Raises
    ------
    InputError
        If the file is of another kind, is damaged, or was written by a newer version of the library. It is of the
        class that the format names.
    """
    with Path(path).open("rb") as opened:
        # A pipe is read once, and cannot be mapped.
        file = opened if opened.seekable() else io.BytesIO(opened.read())
        archive = _OpenArchive(file, archive_format, path)
        archive.check_beginning()
        end = archive.find_end()
        if verify:
            archive.check_digest(end)
        header, parts = archive.read_directory(end)
        archive.check_header(header)
        memory = _map(opened) if memory_map and file is opened else None
        return header, {part.name: archive.read_array(part, memory) for part in parts}


class _Part(NamedTuple):
    """An array in a file: its name, and where its header begins and its data end."""

    name: str
    start: int
    stop: int


@dataclass(frozen=True)
class _OpenArchive:
    """A file that was opened and should be an archive of a format; errors name its path."""

    file: io.BufferedIOBase
    format: ArchiveFormat
    path: str | Path

    def error(self, problem: str, remedy: str = "") -> InputError:
        """Return an error of the format about the file."""
        return self.format.error(problem, remedy=remedy, file=self.path)

    def another_kind(self, beginning: bytes = b"") -> InputError:
        """Return an error that says what the file is not and, if it is known, what it is."""
        problem = f"this is not a {self.format.noun}"
        for member, (kind, remedy) in _KINDS.items():
            if _begins_with_part(beginning, member):
                return self.error(f"{problem}, but {kind}", remedy)
        return self.error(problem, self.format.remedy)

    def damaged(self, what: str) -> InputError:
        """Return an error that says what is wrong with a file that was not copied as it is."""
        problem = f"the {self.format.noun} is damaged or incomplete: {what}"
        return self.error(problem, "copy the file again, or write it again")

    def check_beginning(self) -> None:
        """Raise an error unless the file begins with a part that has the name of the header."""
        name = self.format.header_member
        beginning = self.file.read(_LOCAL_HEADER.size + max(map(len, (name, *_KINDS))))
        if not _begins_with_part(beginning, name):
            raise self.another_kind(beginning)

    def find_end(self) -> int:
        """Return where the last record begins; raise an error unless it has a checksum, and nothing behind it."""
        size = self.file.seek(0, io.SEEK_END)
        end = max(size - _END_RECORD.size - DIGITS, 0)
        self.file.seek(end)
        record = self.file.read()
        if len(record) != _END_RECORD.size + DIGITS or _END_RECORD.unpack_from(record) != (b"PK\x05\x06", DIGITS):
            raise self.damaged("its end is missing")
        return end

    def check_digest(self, end: int) -> None:
        """Raise an error unless the comment is the checksum of what comes before it."""
        digest, left = hashlib.sha256(), end + _END_RECORD.size
        self.file.seek(0)
        while left and (block := self.file.read(min(left, BLOCK))):
            digest.update(block)
            left -= len(block)
        if digest.hexdigest().encode() != self.file.read():
            raise self.damaged("its checksum is wrong")

    def read_directory(self, end: int) -> tuple[Any, list[_Part]]:
        """Return the header of the archive, and where its arrays are."""
        try:
            with zipfile.ZipFile(self.file) as archive:
                members = archive.infolist()
                self._check_stored(members)
                parts = [self._locate(member) for member in members]
                self._check_apart(members, parts, end)
                for member in members:
                    archive.open(member).close()  # compares the name in front of each part with that in the directory
                return json.loads(archive.read(members[0])), parts[1:]
        except self.format.error:
            raise
        except _UNREADABLE as error:
            raise self.error(f"the {self.format.noun} cannot be read: {error}") from error

    def _check_stored(self, members: list[zipfile.ZipInfo]) -> None:
        """Raise an error unless the parts, the header first, are not compressed."""
        if not members or members[0].filename != self.format.header_member or members[0].header_offset != 0:
            raise self.damaged("its parts are not where they should be")
        if any(m.compress_type != zipfile.ZIP_STORED or m.compress_size != m.file_size for m in members):
            raise self.error(f"the file has compressed parts, which no {self.format.noun} has")

    def _locate(self, member: zipfile.ZipInfo) -> _Part:
        self.file.seek(member.header_offset)
        signature, *lengths = _LOCAL_HEADER.unpack(self.file.read(_LOCAL_HEADER.size))
        if signature != _SIGNATURE:
            raise ValueError(f"{member.filename} is not where it should be")
        start = member.header_offset + _LOCAL_HEADER.size + sum(lengths)
        return _Part(member.filename.removesuffix(".npy"), start, start + member.file_size)

    def _check_apart(self, members: list[zipfile.ZipInfo], parts: list[_Part], end: int) -> None:
        """Raise an error for parts that overlap, or that share a name."""
        next_parts = [*(member.header_offset for member in members[1:]), end]
        overlap = any(part.stop > following for part, following in zip(parts, next_parts, strict=True))
        if overlap or len({part.name for part in parts}) < len(parts):
            raise self.error(f"the file has parts that overlap or share a name, which no {self.format.noun} has")

    def check_header(self, header: Any) -> None:
        """Raise an error unless the header is one of this format, in a version that is known."""
        if not isinstance(header, dict) or header.get("format") != self.format.name:
            raise self.another_kind()
        number = header.get("format_version")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise self.error(f"the format version is {number!r}, which no version of wassergraph writes")
        if number > self.format.version:
            raise self.error(
                f"the file was written by wassergraph {header.get('library_version')} with the format version {number},"
                f" but the installed wassergraph reads format versions up to {self.format.version} only",
                "update wassergraph",
            )

    def read_array(self, part: _Part, memory: NDArray[np.uint8] | None) -> NDArray[Any]:
        """Return an array: a part of the memory, if there is one that is aligned, and otherwise a copy."""
        shape, dtype, start = self._describe(part)
        if memory is not None:
            array: NDArray[Any] = np.ndarray(shape, dtype, buffer=memory, offset=start)
            array = array if array.flags.aligned else array.copy()  # files of earlier versions are not
        else:
            array = np.empty(shape, dtype)
            self.file.seek(start)
            if self.file.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:
                raise self.error(f"{part.name} ends too early: the file was changed while it was read")
        return array.astype(dtype.newbyteorder("="), copy=False)

    def _describe(self, part: _Part) -> tuple[tuple[int, ...], np.dtype[Any], int]:
        """Return the shape and the type of an array, and where its data begin.

        Raises an error unless the header describes exactly the data that follow, and no objects.
        """
        try:
            self.file.seek(part.start)
            if npy.read_magic(self.file) != (1, 0):
                raise ValueError("the version of the array is not 1.0")
            shape, is_fortran, dtype = npy.read_array_header_1_0(self.file)
            start = self.file.tell()
            if not is_plain(dtype) or part.stop - start != math.prod(shape) * dtype.itemsize:
                raise ValueError(f"its header describes {dtype} {shape}, which are not the data that follow")
            if is_fortran:
                raise ValueError("its columns follow each other, instead of its rows")
            np.broadcast_to(np.empty((), dtype), shape)  # raises an error for shapes that no array has
        except Exception as error:  # numpy's reader of headers can raise almost anything
            raise self.error(f"{part.name}.npy is not an array of numbers or strings: {error}") from error
        return shape, dtype, start


def _begins_with_part(beginning: bytes, member: str) -> bool:
    """Return whether the beginning of a file is that of a part of this name."""
    return beginning.startswith(_SIGNATURE) and beginning[_LOCAL_HEADER.size :].startswith(member.encode())


def _map(file: io.BufferedIOBase) -> NDArray[np.uint8]:
    """Return the bytes of a file, of which what is changed is copied."""
    try:
        return np.memmap(file, mode="c")
    except OSError as error:
        if error.errno != errno.ENOMEM or not _NO_RESERVE:
            raise
    # Linux refuses a file larger than the memory, since all of it might be changed, unless it is told not to care.
    flags, protection = mmap.MAP_PRIVATE | _NO_RESERVE, mmap.PROT_READ | mmap.PROT_WRITE
    return np.frombuffer(mmap.mmap(file.fileno(), 0, flags=flags, prot=protection), np.uint8)
