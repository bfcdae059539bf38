"""Pack numbers and texts into a string that a page of HTML can contain, and unpack it.

The string is the base64 of gzip of these bytes: the length of a JSON text as 4 bytes with the lowest first, the text
in UTF-8, and the bytes of all arrays. In the JSON text, an array is ``{"$": [type, shape, offset]}`` with a type of
numpy and the offset of its first byte. Of numbers with several bytes, the first bytes of all come first, then the
second ones and so on, which compresses better. ``page/container.js`` reads it.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray

#: The types of arrays, by their names in a page.
_TYPES = ("u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8")


def pack_content(content: Any) -> str:
    """Pack nested dictionaries and lists of numbers, texts and arrays.

    Parameters
    ----------
    content : dict
        What JSON can represent, and numpy arrays of the types u1, u2, u4, i1, i2, i4, f4 and f8.

    Returns
    -------
    str
        Letters, digits and the signs ``+/=``.

    Examples
    --------
    >>> unpack_content(pack_content({"name": "a < b", "values": np.arange(3, dtype=np.uint8)}))
    {'name': 'a < b', 'values': array([0, 1, 2], dtype=uint8)}
    """
    blocks: list[bytes] = []

    def reference(value: object) -> dict[str, Any]:
        """Return what stands for an array, whose bytes are appended to the blocks."""
        if not isinstance(value, np.ndarray):
            raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
        name = value.dtype.str[1:]
        if name not in _TYPES:
            raise TypeError(f"arrays of the type {value.dtype} cannot be packed")
        offset = sum(map(len, blocks))
        ordered = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False)
        blocks.append(ordered.reshape(-1, 1).view(np.uint8).T.tobytes())
        return {"$": [name, list(value.shape), offset]}

    style: dict[str, Any] = {"separators": (",", ":"), "ensure_ascii": False, "allow_nan": False}
    text = json.dumps(content, default=reference, **style).encode()
    data = b"".join([struct.pack("<I", len(text)), text, *blocks])
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def unpack_content(text: str) -> Any:
    """Return the content that a string was packed from.

    Parameters
    ----------
    text : str
        The result of :func:`pack_content`.

    Returns
    -------
    dict
    """
    data = gzip.decompress(base64.b64decode(text))
    (length,) = struct.unpack_from("<I", data)
    blocks = data[4 + length :]

    def array(found: dict[str, Any]) -> Any:
        """Return the array that a dictionary stands for, or else the dictionary."""
        if "$" not in found:
            return found
        name, shape, offset = found["$"]
        kind = np.dtype(f"<{name}")
        count = int(np.prod(shape, dtype=np.int64))
        planes = np.frombuffer(blocks, dtype=np.uint8, count=count * kind.itemsize, offset=offset)
        return np.ascontiguousarray(planes.reshape(kind.itemsize, count).T).view(kind).reshape(shape)

    return json.loads(data[4 : 4 + length], object_hook=array)


def smallest(values: NDArray[Any] | IntArray) -> NDArray[Any]:
    """Return integers as the smallest type that holds them.

    Parameters
    ----------
    values : array of integers
        Numbers of at most 32 bits.

    Returns
    -------
    array
        The same numbers.
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for name in ("u1", "i1", "u2", "i2", "u4", "i4"):
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:
            return values.astype(name)
    raise OverflowError(f"the integers {low} to {high} do not fit into 32 bits")
