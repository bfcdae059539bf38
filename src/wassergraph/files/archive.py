"""A header and arrays in one zip archive, which may be larger than the memory: the container of models and of indexes.

    <header member>         JSON: the name of the format, its version, and every number that is not an array
    <name>.npy              one array each, beginning at a multiple of 64 bytes, so that the file can be used as memory

Parts are neither compressed nor overlapping, so a small file cannot expand to a large one, and nothing is unpacked to
disk. The comment at the end of the archive is the SHA-256 of all bytes before it: a damaged or incomplete file is not
read. Whether arrays have the right types and shapes is checked by those who asked for them.
"""

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
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wassergraph.errors import InputError
from wassergraph.files.atomic import atomic_file

#: Arrays begin at multiples of this number of bytes: a line of the processor's cache.
_ALIGNMENT = 64
_BLOCK = 2**22  # bytes that are written, or hashed, at once
_DIGEST = 64  # hexadecimal digits of a SHA-256
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # of a part: the signature, and the lengths of the name and the extra field
_END_RECORD = struct.Struct("<4s16xH")  # of the archive: the signature, and the length of the comment
#: What reading a zip archive, or JSON, can raise on a file that is neither.
_UNREADABLE = (
    zipfile.BadZipFile,
    struct.error,
    KeyError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    RecursionError,
    OverflowError,
)
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
#: Makes the error of a format about a file.
_Fail: TypeAlias = Callable[..., InputError]


class ArchiveFormat(NamedTuple):
    """A kind of file: what its header says, and what errors about it say.

    Attributes
    ----------
    name : str
        What the header gives as the format, such as "wassergraph model".
    noun : str
        What errors call a file, such as "model file".
    header_member : str
        The name of the header in the archive, such as "model.json".
    version : int
        The format version that is written; it and all earlier ones from 1 on are read.
    remedy : str
        What to pass instead of a file of another kind.
    error : type of InputError
        What is raised about a file that cannot be read.
    """

    name: str
    noun: str
    header_member: str
    version: int
    remedy: str
    error: type[InputError]


# Writing


def write_archive(
    path: str | Path, archive_format: ArchiveFormat, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays to one file, completely or not at all; the same content is the same file.

    Parameters
    ----------
    path : str or Path
        The file.
    archive_format : ArchiveFormat
        The kind of file.
    header : mapping
        What JSON can hold. The format, its version and the version of the library are added.
    arrays : mapping
        Arrays of numbers or strings, by name. They may be maps of files, and are never copied as a whole.
    """
    identity = {
        "format": archive_format.name,
        "format_version": archive_format.version,
        "library_version": version("wassergraph"),
    }
    text = json.dumps({**identity, **header}, indent=1, ensure_ascii=False).encode()
    for name, array in arrays.items():
        if not _is_plain(array.dtype):
            problem = f"{name} is an array of {array.dtype}, but a {archive_format.noun} holds numbers and strings only"
            raise archive_format.error(problem, file=path)
    with atomic_file(path) as file:
        stream = _HashedStream(file)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            with _new_part(archive, archive_format.header_member) as part:
                part.write(text)
            for name, array in arrays.items():
                with _new_part(archive, f"{name}.npy") as part:
                    _write_array(part, stream.position, array)
            archive.comment = b"0" * _DIGEST
            stream.hold()
        stream.finish()


class _HashedStream:
    """A file that is written from its beginning to its end and hashed on the way.

    It cannot seek: zipfile therefore writes the checksum of each part behind it, instead of going back.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.position = 0
        self._file = file
        self._digest = hashlib.sha256()
        self._held: bytearray | None = None

    def write(self, data: bytes) -> int:
        """Write bytes, or keep them in memory if they are to be held."""
        self.position += len(data)
        if self._held is None:
            self._digest.update(data)
            self._file.write(data)
        else:
            self._held += data
        return len(data)

    def hold(self) -> None:
        """Keep what comes from now on, the directory of the archive, until its comment is known."""
        self._held = bytearray()

    def finish(self) -> None:
        """Write what was held, with the hash instead of its last bytes."""
        end = bytes(self._held or b"")[:-_DIGEST]
        self._digest.update(end)
        self._file.write(end + self._digest.hexdigest().encode())

    def flush(self) -> None:
        """Do nothing: the file is flushed when it is complete."""

    def close(self) -> None:
        """Do nothing: who has opened the file closes it."""


def _new_part(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Open a part for writing that has no date and no system, so that the same content is the same file."""
    part = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    part.create_system = 3
    return archive.open(part, "w", force_zip64=True)


def _write_array(part: IO[bytes], position: int, array: NDArray[Any]) -> None:
    dtype = array.dtype.newbyteorder("<")
    part.write(_array_header(dtype, array.shape, position))
    blocks = np.nditer(
        array,
        ["external_loop", "buffered", "zerosize_ok"],
        op_dtypes=[dtype],
        order="C",
        casting="equiv",
        buffersize=max(_BLOCK // dtype.itemsize, 1),
    )
    for block in blocks:
        part.write(np.asarray(block).tobytes())


def _array_header(dtype: np.dtype[Any], shape: tuple[int, ...], position: int) -> bytes:
    """Return the header of a .npy file, with as many spaces as the data behind it need to be aligned."""
    text = f"{{'descr': {dtype.str!r}, 'fortran_order': False, 'shape': {shape!r}, }}".encode()
    magic = npy.magic(1, 0)
    length = len(text) + 1
    length += -(position + len(magic) + 2 + length) % _ALIGNMENT
    return magic + length.to_bytes(2, "little") + text.ljust(length - 1) + b"\n"


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Return whether arrays of a type consist of numbers, truth values or strings."""
    return dtype.kind in "iubUf" and dtype.itemsize > 0


# Reading


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
    fail = partial(archive_format.error, file=path)
    with Path(path).open("rb") as opened:
        # A pipe is read once, and cannot be mapped.
        file = opened if opened.seekable() else io.BytesIO(opened.read())
        _check_beginning(file, archive_format, fail)
        end = _find_end(file, archive_format, fail)
        if verify:
            _check_digest(file, end, archive_format, fail)
        header, parts = _read_directory(file, end, archive_format, fail)
        _check_header(header, archive_format, fail)
        memory = _map(opened) if memory_map and file is opened else None
        return header, {part.name: _read_array(file, memory, part, fail) for part in parts}


class _Part(NamedTuple):
    """An array in a file: its name, and where its header begins and its data end."""

    name: str
    start: int
    stop: int


def _check_beginning(file: io.BufferedIOBase, archive_format: ArchiveFormat, fail: _Fail) -> None:
    """Raise an error unless a file begins with a part that has the name of the header."""
    name = archive_format.header_member.encode()
    beginning = file.read(_LOCAL_HEADER.size + max(len(name), *map(len, _KINDS)))
    if not beginning.startswith(b"PK\x03\x04") or not beginning[_LOCAL_HEADER.size :].startswith(name):
        raise _another_kind(archive_format, fail, beginning)


def _another_kind(archive_format: ArchiveFormat, fail: _Fail, beginning: bytes = b"") -> InputError:
    """Return an error that says what a file is not and, if it is known, what it is."""
    problem = f"this is not a {archive_format.noun}"
    for member, (kind, remedy) in _KINDS.items():
        if beginning.startswith(b"PK\x03\x04") and beginning[_LOCAL_HEADER.size :].startswith(member.encode()):
            return fail(f"{problem}, but {kind}", remedy=remedy)
    return fail(problem, remedy=archive_format.remedy)


def _damaged(what: str, archive_format: ArchiveFormat, fail: _Fail) -> InputError:
    problem = f"the {archive_format.noun} is damaged or incomplete: {what}"
    return fail(problem, remedy="copy the file again, or write it again")


def _find_end(file: io.BufferedIOBase, archive_format: ArchiveFormat, fail: _Fail) -> int:
    """Return where the last record begins; raise an error unless it is there, with a checksum and nothing behind it."""
    size = file.seek(0, io.SEEK_END)
    end = max(size - _END_RECORD.size - _DIGEST, 0)
    file.seek(end)
    record = file.read()
    if len(record) != _END_RECORD.size + _DIGEST or _END_RECORD.unpack_from(record) != (b"PK\x05\x06", _DIGEST):
        raise _damaged("its end is missing", archive_format, fail)
    return end


def _check_digest(file: io.BufferedIOBase, end: int, archive_format: ArchiveFormat, fail: _Fail) -> None:
    digest, left = hashlib.sha256(), end + _END_RECORD.size
    file.seek(0)
    while left and (block := file.read(min(left, _BLOCK))):
        digest.update(block)
        left -= len(block)
    if digest.hexdigest().encode() != file.read():
        raise _damaged("its checksum is wrong", archive_format, fail)


def _read_directory(
    file: io.BufferedIOBase, end: int, archive_format: ArchiveFormat, fail: _Fail
) -> tuple[Any, list[_Part]]:
    """Return the header of an archive, and where its arrays are."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            _check_stored(members, archive_format, fail)
            parts = [_locate(file, member) for member in members]
            _check_apart(members, parts, end, archive_format, fail)
            for member in members:
                archive.open(member).close()  # compares the name in front of each part with that in the directory
            return json.loads(archive.read(members[0])), parts[1:]
    except archive_format.error:
        raise
    except _UNREADABLE as error:
        raise fail(f"the {archive_format.noun} cannot be read: {error}") from error


def _check_stored(members: list[zipfile.ZipInfo], archive_format: ArchiveFormat, fail: _Fail) -> None:
    """Raise an error unless the parts, the header first, are not compressed."""
    if not members or members[0].filename != archive_format.header_member or members[0].header_offset != 0:
        raise _damaged("its parts are not where they should be", archive_format, fail)
    if any(m.compress_type != zipfile.ZIP_STORED or m.compress_size != m.file_size for m in members):
        raise fail(f"the file has compressed parts, which no {archive_format.noun} has")


def _locate(file: io.BufferedIOBase, member: zipfile.ZipInfo) -> _Part:
    file.seek(member.header_offset)
    signature, *lengths = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    if signature != b"PK\x03\x04":
        raise ValueError(f"{member.filename} is not where it should be")
    start = member.header_offset + _LOCAL_HEADER.size + sum(lengths)
    return _Part(member.filename.removesuffix(".npy"), start, start + member.file_size)


def _check_apart(
    members: list[zipfile.ZipInfo], parts: list[_Part], end: int, archive_format: ArchiveFormat, fail: _Fail
) -> None:
    """Raise an error for parts that overlap, or that share a name."""
    next_parts = [*(member.header_offset for member in members[1:]), end]
    overlap = any(part.stop > following for part, following in zip(parts, next_parts, strict=True))
    if overlap or len({part.name for part in parts}) < len(parts):
        raise fail(f"the file has parts that overlap or share a name, which no {archive_format.noun} has")


def _check_header(header: Any, archive_format: ArchiveFormat, fail: _Fail) -> None:
    """Raise an error unless a header is one of this format, in a version that is known."""
    if not isinstance(header, dict) or header.get("format") != archive_format.name:
        raise _another_kind(archive_format, fail)
    number = header.get("format_version")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise fail(f"the format version is {number!r}, which no version of wassergraph writes")
    if number > archive_format.version:
        raise fail(
            f"the file was written by wassergraph {header.get('library_version')} with the format version {number}, "
            f"but the installed wassergraph reads format versions up to {archive_format.version} only",
            remedy="update wassergraph",
        )


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


def _read_array(file: io.BufferedIOBase, memory: NDArray[np.uint8] | None, part: _Part, fail: _Fail) -> NDArray[Any]:
    """Return an array: a part of the memory, if there is one that is aligned, and otherwise a copy."""
    shape, dtype, start = _describe(file, part, fail)
    if memory is not None:
        array: NDArray[Any] = np.ndarray(shape, dtype, buffer=memory, offset=start)
        array = array if array.flags.aligned else array.copy()  # files of earlier versions are not
    else:
        array = np.empty(shape, dtype)
        file.seek(start)
        if file.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:
            raise fail(f"{part.name} ends too early: the file was changed while it was read")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _describe(file: io.BufferedIOBase, part: _Part, fail: _Fail) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Return the shape and the type of an array, and where its data begin.

    Raises an error unless the header describes exactly the data that follow, and no objects.
    """
    try:
        file.seek(part.start)
        if npy.read_magic(file) != (1, 0):
            raise ValueError("the version of the array is not 1.0")
        shape, is_fortran, dtype = npy.read_array_header_1_0(file)
        start = file.tell()
        if not _is_plain(dtype) or part.stop - start != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"its header describes {dtype} {shape}, which are not the data that follow")
        if is_fortran:
            raise ValueError("its columns follow each other, instead of its rows")
        np.broadcast_to(np.empty((), dtype), shape)  # raises an error for shapes that no array has
    except Exception as error:  # numpy's reader of headers can raise almost anything
        raise fail(f"{part.name}.npy is not an array of numbers or strings: {error}") from error
    return shape, dtype, start
