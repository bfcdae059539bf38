"""Check matrices of distances or similarities, and what is known of the graphs, before they are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, InputTypeError
from wassergraph.graphs.values import read_known_values, value_array

#: Differences up to this share of the largest entry are rounding; distances may be in single precision.
_ROUNDING = 1e-5
#: The largest number of different whole numbers that are taken for classes.
_MAX_CLASSES = 20


def read_matrix(name: str, values: ArrayLike) -> FloatArray:
    """Return a matrix of pairs of graphs; raise an error unless it is square, finite and symmetric but for rounding.

    Parameters
    ----------
    name : str
        What the entries are, such as "distances".
    values : (N, N) numbers
        An array, a list, or anything that numpy makes an array of.

    Returns
    -------
    (N, N) floats
        The matrix, which is not copied if it has this type already.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise InputTypeError(f"the {name} must be an array of real numbers, got {type(values).__name__}")
    if array.ndim == 3:
        problem = f"the {name} must be one matrix, got {len(array)}"
        raise InputError(problem, remedy="choose a depth, such as the last, with [-1]")
    if array.ndim != 2 or len(array) != array.shape[1]:
        problem = f"the {name} must have a row and a column for each graph, got the shape {array.shape}"
        raise InputError(problem, remedy="pass those of all graphs to all graphs")
    if not len(array):
        raise InputError("there are no graphs to draw", remedy=f"pass the {name} of at least one")
    matrix = array.astype(np.float64, copy=False)
    _check_entries(name, matrix)
    return matrix


def _check_entries(name: str, matrix: FloatArray) -> None:
    """Raise an error that names the first entry that is not finite, or that differs from the opposite one."""
    allowed = _ROUNDING * np.abs(matrix).max()
    # Row by row, so that no other matrix of this size is made.
    for i, row in enumerate(matrix):
        if not np.isfinite(row).all():
            j = int(np.argmin(np.isfinite(row)))
            raise InputError(f"the {name} must be finite, got {row[j]} for the graphs {i} and {j}")
        apart = np.abs(row - matrix[:, i])
        if np.isfinite(allowed) and apart.max() > allowed:
            j = int(np.argmax(apart))
            problem = f"the {name} must be symmetric, got {row[j]:g} for the graphs {i} and {j}, and {matrix[j, i]:g}"
            raise InputError(f"{problem} for {j} and {i}", remedy="pass those of all graphs to all graphs")


def read_distances(values: ArrayLike) -> FloatArray:
    """Return distances between all graphs; raise an error if they cannot be distances.

    Parameters
    ----------
    values : (N, N) numbers
        An array, a list or a :class:`wassergraph.DistanceStore`.

    Returns
    -------
    (N, N) floats
        Distances that are not negative; those below 0 by rounding are 0.
    """
    distances = read_matrix("distances", values)
    low, high = float(distances.min()), float(distances.max())
    if low < -_ROUNDING * max(high, -low):
        i, j = np.unravel_index(np.argmin(distances), distances.shape)
        raise InputError(f"distances must not be negative, got {low:g} for the graphs {i} and {j}")
    if high > 0 and len(distances) > 1 and (np.diag(distances) >= distances.max(axis=1)).all():
        remedy = "pass the result of distances"
        raise InputError("no graph is nearer to itself than to others: these are similarities", remedy=remedy)
    return np.maximum(distances, 0) if low < 0 else distances


def read_shown_targets(y: ArrayLike, n_graphs: int) -> NDArray[Any]:
    """Return what is known of the graphs, one class or number for each; raise an error otherwise."""
    shape = value_array(y).shape
    if shape != (n_graphs,):
        got = f"{shape[0]} entries" if len(shape) == 1 else f"the shape {shape}"
        raise InputError(f"y has {got} for {n_graphs} graphs", remedy="pass one class or number for each graph")
    return read_known_values(y, "correct it, or leave the graph out of y and of the matrix")


def are_numbers(targets: NDArray[Any]) -> bool:
    """Return whether targets are numbers rather than classes.

    Parameters
    ----------
    targets : (N) array
        Classes or numbers.

    Returns
    -------
    bool
        True for numbers with fractions, and for whole numbers of which more than two are different, unless at most 20
        are different and two graphs on average have the same one.
    """
    if targets.dtype.kind not in "iuf":
        return False
    if targets.dtype.kind == "f" and (targets != np.floor(targets)).any():
        return True
    n_different = len(np.unique(targets))
    return n_different > 2 and not (n_different <= _MAX_CLASSES and 2 * n_different <= len(targets))
