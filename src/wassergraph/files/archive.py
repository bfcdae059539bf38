"""A header and arrays in one zip archive, which may be larger than the memory: the container of models and of indexes.

    <header member>         JSON: the name of the format, its version, and every number that is not an array
    <name>.npy              one array each, beginning at a multiple of 64 bytes, so that the file can be used as memory

Parts are neither compressed nor overlapping, so a small file cannot expand to a large one, and nothing is unpacked to
disk. The comment at the end of the archive is the SHA-256 of all bytes before it: a damaged or incomplete file is not
read. Whether arrays have the right types and shapes is checked by those who asked for them.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wassergraph.errors import InputError
from wassergraph.files.atomic import atomic_file

#: How many bytes are written, or hashed, at once.
BLOCK = 2**22
#: The number of hexadecimal digits of a SHA-256.
DIGITS = 64
#: Arrays begin at multiples of this number of bytes: a line of the processor's cache.
_ALIGNMENT = 64


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
    identity = {"format": archive_format.name, "format_version": archive_format.version}
    text = json.dumps({**identity, "library_version": version("wassergraph"), **header}, indent=1, ensure_ascii=False)
    for name, array in arrays.items():
        if not is_plain(array.dtype):
            problem = f"{name} is an array of {array.dtype}, but a {archive_format.noun} holds numbers and strings only"
            raise archive_format.error(problem, file=path)
    with atomic_file(path) as file:
        stream = _HashedStream(file)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            with _new_part(archive, archive_format.header_member) as part:
                part.write(text.encode())
            for name, array in arrays.items():
                with _new_part(archive, f"{name}.npy") as part:
                    _write_array(part, stream.position, array)
            archive.comment = b"0" * DIGITS
        stream.finish()


class _HashedStream:
    """A file that is written from its beginning to its end and hashed on the way.

    It cannot seek: zipfile therefore writes the checksum of each part behind it, instead of going back. The last bytes
    are kept back, since those of the whole file, the comment of the archive, become the hash of all others.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.position = 0
        self._file = file
        self._digest = hashlib.sha256()
        self._last = b""

    def write(self, data: bytes) -> int:
        """Write what was kept back, and bytes, except the last ones of both."""
        self.position += len(data)
        known = self._last + data
        ready, self._last = memoryview(known)[:-DIGITS], known[-DIGITS:]
        self._digest.update(ready)
        self._file.write(ready)
        return len(data)

    def finish(self) -> None:
        """Write the hash instead of the last bytes."""
        self._file.write(self._digest.hexdigest().encode())

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
        buffersize=max(BLOCK // dtype.itemsize, 1),
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


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Return whether arrays of a type consist of numbers, truth values or strings."""
    return dtype.kind in "iubUf" and dtype.itemsize > 0
