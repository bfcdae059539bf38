"""The container of a model: a header and arrays in one zip archive.

    model.json              the name of the model, the format version, and every number that is not an array
    arrays/*.npy            coefficients, the scheme's mean and scale, the scores of the selection
    graphs/*.npy            the training graphs, as a GraphBatch holds them

Parts are neither compressed nor overlapping, so a small file cannot expand to a large one, and nothing is unpacked to
disk. The comment at the end of the archive is the SHA-256 of all bytes before it: a damaged or incomplete file does not
load. Whether arrays have the right types and shapes is checked by the model that reads them.

Format versions
---------------
1   written by wassergraph 0.1 before its first release; no name of the model, which is always a WWLClassifier
2   the header names the model; ``standardize``, ``C_values`` and ``score`` have these names
3   all training graphs, not only the support graphs, with their names and the distance of each to the nearest other;
    also with their targets, unless the file was written before these were kept
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wassergraph.errors import InputError
from wassergraph.files.atomic import write_atomically

FORMAT = "wassergraph model"
FORMAT_VERSION = 3
#: The model of files of version 1, whose header does not name it.
_MODEL_OF_VERSION_1 = "WWLClassifier"
_DIGEST = 64  # hexadecimal digits of a SHA-256
#: What reading a zip archive, or JSON, can raise on a file that is neither.
_UNREADABLE = (
    zipfile.BadZipFile,
    KeyError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    RecursionError,
)


class ModelFileError(InputError):
    """A file is not a model file, or it is damaged."""


class ModelState(NamedTuple):
    """The state of a fitted model: a header that JSON can hold, and arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


# Writing


def write_model(path: str | Path, model: str, state: ModelState) -> None:
    """Write a model to one file, completely or not at all.

    Parameters
    ----------
    path : str or Path
        The file.
    model : str
        The name of the estimator.
    state : ModelState
        The state of the fitted estimator.
    """
    identity = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "library_version": version("wassergraph"),
        "model": model,
    }
    write_atomically(path, _pack({**identity, **state.header}, state.arrays))


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
    """Add a member without a date, so that the same model is the same file."""
    archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), content)


# Reading


def read_model(path: str | Path) -> ModelState:
    """Read what :func:`write_model` wrote, in this format version or an earlier one.

    Returns
    -------
    ModelState
        The header, which names the model in every version, and the arrays.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a newer version of the library.
    """
    data = Path(path).read_bytes()
    if data[30:40] != b"model.json" or data[:4] != b"PK\x03\x04":
        raise _not_a_model(path)
    if hashlib.sha256(data[:-_DIGEST]).hexdigest().encode() != data[-_DIGEST:]:
        problem = "the model file is damaged or incomplete: its checksum is wrong"
        raise ModelFileError(problem, remedy="copy the file or save the model again", file=path)
    header, parts = _unpack(data, path)
    arrays = {name.removesuffix(".npy"): _read_array(content, name, path) for name, content in parts.items()}
    return ModelState(_check_header(header, path), arrays)


def _not_a_model(path: str | Path) -> ModelFileError:
    remedy = "pass a file that WWLClassifier.save or wassergraph train has written"
    return ModelFileError("this is not a model file", remedy=remedy, file=path)


def _unpack(data: bytes, path: str | Path) -> tuple[Any, dict[str, bytes]]:
    """Return the header and the other parts of an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_members(members, len(data), path)
            parts = {member.filename: archive.read(member) for member in members}
        return json.loads(parts.pop("model.json")), parts
    except ModelFileError:
        raise
    except _UNREADABLE as error:
        raise ModelFileError(f"the model file cannot be read: {error}", file=path) from error


def _check_members(members: list[zipfile.ZipInfo], size: int, path: str | Path) -> None:
    """Raise an error for parts that could expand: that are compressed, that overlap, or that share a name."""
    if any(m.compress_type != zipfile.ZIP_STORED or m.compress_size != m.file_size for m in members):
        raise ModelFileError("the file has compressed parts, which model files never have", file=path)
    if sum(m.file_size for m in members) > size or len({m.filename for m in members}) < len(members):
        raise ModelFileError("the file has parts that overlap or share a name, which model files never have", file=path)


def _check_header(header: Any, path: str | Path) -> dict[str, Any]:
    """Return the header, with the name of the model; raise an error unless its version is known."""
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _not_a_model(path)
    number = header.get("format_version")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ModelFileError(f"the format version is {number!r}, which no version of wassergraph writes", file=path)
    if number > FORMAT_VERSION:
        raise ModelFileError(
            f"the file was written by wassergraph {header.get('library_version')} with the format version {number}, "
            f"but the installed wassergraph reads format versions up to {FORMAT_VERSION} only",
            remedy="update wassergraph",
            file=path,
        )
    return {**header, "model": _MODEL_OF_VERSION_1} if number == 1 else header


def _read_array(content: bytes, name: str, path: str | Path) -> NDArray[Any]:
    """Return an array; raise an error unless its header describes exactly the data that follow, and no objects."""
    try:
        stream = io.BytesIO(content)
        if npy.read_magic(stream) != (1, 0):
            raise ValueError("the version of the array is not 1.0")
        shape, _, dtype = npy.read_array_header_1_0(stream)
        size = len(content) - stream.tell()
        if dtype.kind not in "iubUf" or dtype.itemsize == 0 or size != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"its header describes {dtype} {shape}, which are not the data that follow")
        stream.seek(0)
        return np.asarray(npy.read_array(stream, allow_pickle=False))
    except Exception as error:  # numpy's reader of headers can raise almost anything
        raise ModelFileError(f"{name} is not an array of numbers or strings: {error}", file=path) from error
