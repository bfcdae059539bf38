"""Numbers and arrays that were read from a file, and what they must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray

#: The arrays of a file by name.
Arrays: TypeAlias = dict[str, NDArray[Any]]


def number_between(name: str, value: Any, least: float, most: float) -> float:
    """Return a number from a header; raise an error unless it lies between two limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}, which does not lie between {least} and {most:g}")
    return float(value)


def finite_floats(arrays: Arrays, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Return an array of a file; raise an error unless it has this shape and holds finite floats."""
    array = arrays[f"arrays/{name}"]
    if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} should be {shape} finite numbers, but is {array.dtype} {array.shape}")
    return np.ascontiguousarray(array)


def present(arrays: Mapping[str, NDArray[Any] | None]) -> Arrays:
    """Return the arrays that are not None."""
    return {name: array for name, array in arrays.items() if array is not None}
