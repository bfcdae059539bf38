"""The check that all matrices share: an array of finite real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def finite_array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return the values as an array; raise an error unless all of them are finite real numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} must be an array of real numbers, got a {type(values).__name__} with entries of type {array.dtype}"
        )
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{first_entry(name, array, ~finite)}: every entry must be a finite number")
    return array


def first_entry(name: str, array: NDArray[Any], mask: NDArray[np.bool_]) -> str:
    """Return the position and value of the first entry where the mask is true, as in "D[0, 2] is nan"."""
    position = np.unravel_index(mask.argmax(), array.shape)
    where = f"[{', '.join(str(int(i)) for i in position)}]" if position else ""
    return f"{name}{where} is {array[position]}"
