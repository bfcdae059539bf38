"""The paper's kernel of distances, exp(-gamma * D), other powers of D, and the checks of gamma and D."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wassergraph import _core
from wassergraph.arrays import FloatArray
from wassergraph.kernels.finite import finite_array, first_entry


def laplacian_kernel(D: ArrayLike, gamma: float, *, power: float = 1.0) -> NDArray[Any]:  # noqa: N803
    """Compute ``exp(-gamma * D**power)``, entry by entry: similarities between 0 and 1.

    With the power 1 this is the paper's kernel, with ``gamma`` for its λ. It is not scikit-learn's function of the same
    name, which takes features: given D, that one compares the rows of D with each other.

    Parameters
    ----------
    D : (..., N, M) numbers
        Distances, finite and not negative: square or not, for one depth or for several.
    gamma : float
        How fast the similarity falls with the distance; positive.
    power : float
        The power of the distances; positive. Where D is conditionally negative definite, as distances of labels always
        are, the kernel is positive definite for every power up to 1. With the power 2, exp(-gamma * D²), it is so for
        every gamma only if D is the distance of points in a Euclidean space, which WWL distances rarely are: use
        :class:`wassergraph.KreinSVC`, and see :func:`wassergraph.kernels.definiteness`.

    Returns
    -------
    K : (..., N, M) floats
        In single precision if D is, otherwise in double precision.

    Raises
    ------
    ValueError
        If an entry of D is negative or not finite, or if gamma or power is not positive.
    TypeError
        If D is not an array of real numbers, or gamma or power not a number.

    See Also
    --------
    LaplacianKernel : the same as a step of a pipeline
    distances : the distances
    kernels.definiteness : whether a kernel is positive definite
    KreinSVC : an SVM for kernels that are not

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> distances = wg.distances(graphs, metric=wg.WWL(kind="categorical"))
    >>> kernel = wg.kernels.laplacian_kernel(distances, gamma=0.5)
    >>> kernel.shape, float(kernel[0, 0])
    ((60, 60), 1.0)
    """
    gamma = check_gamma(gamma)
    power = _positive("power", power)
    distances = check_distances(D)
    dtype = np.float32 if distances.dtype == np.float32 else np.float64
    with np.errstate(over="ignore", under="ignore"):
        return exponential(distances if power == 1 else np.power(distances, power), gamma, dtype)


def exponential(
    distances: NDArray[Any], gamma: float, dtype: DTypeLike = np.float64, out: FloatArray | None = None
) -> NDArray[Any]:
    """Compute ``exp(-gamma * D)`` of distances and a gamma that have been checked.

    Parameters
    ----------
    distances : array of numbers
        Finite distances, of any shape.
    gamma : float
        A positive number.
    dtype : float32 or float64
        The type of the result.
    out : contiguous array of float64, optional
        Where the kernel is written; otherwise a new array is made.

    Returns
    -------
    array of floats
        The kernel, of the same shape.
    """
    short = distances.dtype == np.float32 and dtype == np.float32
    values: NDArray[np.floating] = np.asarray(distances, dtype=np.float32 if short else np.float64, order="C")
    kernel = np.empty_like(values) if out is None else out
    _core.decay(values, gamma, kernel)
    return kernel.astype(dtype, copy=False)


def check_gamma(gamma: Any) -> float:
    """Return gamma as a float; raise an error unless it is a positive finite number."""
    return _positive("gamma", gamma)


def _positive(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be positive and finite, got {number}")
    return number


def check_distances(D: ArrayLike) -> NDArray[Any]:  # noqa: N803 - D and K are matrices
    """Return D as an array; raise an error unless its entries are finite numbers and none is negative."""
    distances = finite_array("D", D)
    if distances.size and distances.min() < 0:
        entry = first_entry("D", distances, distances < 0)
        raise ValueError(
            f"Negative values in data: {entry}, and distances are at least 0; if it is rounding, pass np.maximum(D, 0)"
        )
    return distances
