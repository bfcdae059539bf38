"""Models in files: what was learned, as arrays and JSON in one zip, without a byte of code.

    model.json              what the model is, and every number that is not an array
    arrays/*.npy            coefficients, the scheme's mean and scale, the table of the selection
    graphs/*.npy            the support graphs, as a GraphBatch has them

Nothing is compressed and no parts overlap, so a small file cannot swell; nothing is unpacked to disk. The comment at
the end of the zip is the SHA-256 of all bytes before it: a file that was damaged, or cut short, does not load. What
loads is checked again in :mod:`wassergraph.learning.model_files.classifier_state`: that arrays have the types and shapes that belong together,
and that graphs are graphs.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wassergraph.files.atomic import write_atomically

FORMAT = "wassergraph model"
FORMAT_VERSION = 1
_DIGEST = 64  # hexadecimal digits of a SHA-256


class ModelFileError(ValueError):
    """A file is not a model, or not one that can be trusted."""


# Writing


def write_model(path: str | Path, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a model to one file, at once or not at all."""
    identity = {"format": FORMAT, "format_version": FORMAT_VERSION, "library_version": version("wassergraph")}
    write_atomically(path, _pack({**identity, **header}, arrays))


def _pack(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, "model.json", json.dumps(header, indent=1, ensure_ascii=False).encode())
        for name, array in arrays.items():
            content = io.BytesIO()
            npy.write_array(content, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
            _add(archive, f"{name}.npy", content.getvalue())
        archive.comment = b"0" * _DIGEST
    body = buffer.getvalue()[:-_DIGEST]
    return body + hashlib.sha256(body).hexdigest().encode()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a member that has no date: the same model is the same file."""
    archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), content)


# Reading


def read_model(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what :func:`write_model` wrote, and refuse any other file."""
    return _unpack(Path(path).read_bytes(), str(path))


def _unpack(data: bytes, path: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if data[30:40] != b"model.json" or data[:4] != b"PK\x03\x04":
        raise ModelFileError(f"{path} is not a model that wassergraph saved")
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ModelFileError(f"{path} is damaged or cut short: its checksum is wrong; save the model again")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_members(members, len(data), path)
            content = {member.filename: archive.read(member) for member in members}
        header = json.loads(content.pop("model.json"))
    except (
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        RecursionError,
    ) as error:
        raise ModelFileError(f"{path} cannot be read as a model: {error}") from error
    _check_version(header, path)
    return header, {name.removesuffix(".npy"): _read_array(raw, name, path) for name, raw in content.items()}


def _check_members(members: list[zipfile.ZipInfo], size: int, path: str) -> None:
    """Refuse what could swell: parts that are compressed, that overlap, or that share a name."""
    if any(m.compress_type != zipfile.ZIP_STORED or m.compress_size != m.file_size for m in members):
        raise ModelFileError(f"{path} has compressed parts, which no model has")
    if sum(m.file_size for m in members) > size or len({m.filename for m in members}) < len(members):
        raise ModelFileError(f"{path} has parts that overlap or share a name, which no model has")


def _check_version(header: Any, path: str) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError(f"{path} is not a model that wassergraph saved")
    version = header.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path} has the format version {version!r}, which never was")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path} was written by wassergraph {header.get('library_version')} in the format version {version}; this "
            f"one knows versions up to {FORMAT_VERSION}: update wassergraph"
        )


def _read_array(raw: bytes, name: str, path: str) -> NDArray[Any]:
    """Read an array whose header promises exactly what is there, and no objects."""
    try:
        stream = io.BytesIO(raw)
        if npy.read_magic(stream) != (1, 0):
            raise ValueError("the version of the array is not 1.0")
        shape, _, dtype = npy.read_array_header_1_0(stream)
        if (
            dtype.kind not in "iubUf"
            or dtype.itemsize == 0
            or len(raw) - stream.tell() != math.prod(shape) * dtype.itemsize
        ):
            raise ValueError(f"the header tells of {dtype} {shape}, which is not what follows")
        stream.seek(0)
        return np.asarray(npy.read_array(stream, allow_pickle=False))
    except Exception as error:  # whatever numpy's reader of headers stumbles over
        raise ModelFileError(f"{path}: {name} is not an array of numbers or texts: {error}") from error
