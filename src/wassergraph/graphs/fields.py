"""The arrays of a :class:`~wassergraph.GraphBatch`: their names, types and dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError

NODE_DATA = ("node_labels", "node_attributes")
EDGE_DATA = ("edge_weights", "edge_labels", "edge_attributes")
#: The fields that a batch may lack.
OPTIONAL = NODE_DATA + EDGE_DATA
#: The stereochemistry of molecules, which is kept if any molecule of a batch has some: no batch must have it.
STEREO = "node_stereo"
#: All arrays of a batch that distances depend on, and by which two batches are equal.
ARRAYS = ("node_ptr", "indptr", "indices", *OPTIONAL, STEREO)
#: What drawings and tables show of nodes, and no distance depends on.
NODE_ANNOTATIONS = ("node_positions", "node_names")
#: All that belongs to nodes.
OF_NODES = (*NODE_DATA, STEREO, *NODE_ANNOTATIONS)
#: What a batch may lack, and all of its arrays.
ALL_DATA, ALL_ARRAYS = OPTIONAL + NODE_ANNOTATIONS, ARRAYS + NODE_ANNOTATIONS
_INTEGER = ("node_ptr", "indptr", "indices", "node_labels", "edge_labels", STEREO)
_MATRIX = ("node_attributes", "edge_attributes", "node_positions")

#: The names under which networkx and igraph graphs keep each field.
NETWORKX_NAMES = {
    "node_labels": "label",
    "node_attributes": "attributes",
    "edge_weights": "weight",
    "edge_labels": "label",
    "edge_attributes": "attributes",
}


def check_type(name: str, array: NDArray[Any], *, integers: bool, graph: int | None = None) -> None:
    """Raise an error unless an array can be converted to int64, or to float64, without loss."""
    if isinstance(array, np.ma.MaskedArray):
        raise InputTypeError(f"{name} is a masked array", remedy="fill or remove the masked values", graph=graph)
    too_large = array.dtype.kind == "u" and array.size > 0 and int(array.max()) > np.iinfo(np.int64).max
    if array.size and (array.dtype.kind not in ("iub" if integers else "iufb") or (integers and too_large)):
        kind = "integers" if integers else "real numbers"
        beyond = " beyond 64 bits" if too_large else ""
        raise InputTypeError(f"{name} must be {kind}, got {array.dtype}{beyond}", graph=graph)


def read_field(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return a read-only copy of ``value`` with the type and dimension that the field ``name`` has."""
    if name == "node_names":
        return read_only(np.array(value, dtype=np.str_))
    array = np.asanyarray(value)
    ndim = 2 if name in _MATRIX else 1
    if array.ndim != ndim:
        raise InputError(f"{name} must have {ndim} dimension(s), got an array of shape {array.shape}")
    integers = name in _INTEGER
    check_type(name, array, integers=integers)
    return read_only(np.array(array, dtype=np.int64 if integers else np.float64, order="C"))


def check_stored(name: str, array: NDArray[Any]) -> None:
    """Raise an error unless an array of a file has exactly the type and dimension that the field ``name`` has."""
    dtype, ndim = np.dtype(np.int64 if name in _INTEGER else np.float64), 2 if name in _MATRIX else 1
    if name == "node_names" and array.dtype.kind == "U" and array.ndim == 1:
        return
    if array.dtype != dtype or array.ndim != ndim:
        raise InputError(f"{name} should be {dtype} with {ndim} dimension(s), but is {array.dtype} {array.shape}")


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def take_rows(array: NDArray[Any] | None, index: NDArray[Any]) -> NDArray[Any] | None:
    """Return the rows of an array at an index, or None if there is no array."""
    return None if array is None else array[index]


def as_labels(labels: int | Iterable[int]) -> IntArray:
    """Return a label, or several, as an array of integers."""
    array = np.atleast_1d(list(labels) if isinstance(labels, set | frozenset | Iterator) else labels)  # type: ignore[arg-type]
    check_type(f"labels ({labels!r})", array, integers=True)
    if array.ndim != 1:
        raise InputError(f"labels must be a number or a list of numbers, got an array of shape {array.shape}")
    return array.astype(np.int64)
