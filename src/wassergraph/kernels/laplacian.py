"""From distances to kernels, and whether a kernel is one: is it positive definite, and if not, by how much?

    D ──laplacian_kernel──▶ K ──definiteness──▶ a verdict on K, hence for one gamma
    D ──conditional_definiteness─────────────▶ a verdict on D, hence for every gamma at once (Schoenberg)

In the language of kernels *positive definite* allows eigenvalues that are zero; in that of matrices, which the verdicts
speak, it does not: there a kernel is good if it is "positive definite" or "positive semidefinite".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigvalsh

from wassergraph.arrays import FloatArray


def laplacian_kernel(D: ArrayLike, gamma: float) -> NDArray[Any]:  # noqa: N803 - D and K are matrices
    """Turn distances into similarities between 0 and 1: ``exp(-gamma * D)``, entry by entry, and nothing else.

    This is the paper's kernel, with ``gamma`` for its λ. It is not scikit-learn's function of the same name, which
    takes features: given D, that one compares the rows of D with each other.

    Parameters
    ----------
    D : (..., N, M) numbers
        Distances, finite and not negative: square or not, for one depth or for several.
    gamma : float
        How fast the similarity falls with the distance; positive.

    Returns
    -------
    K : (..., N, M) floats
        In single precision if D is, otherwise in double precision.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> distances = wg.wwl_distances(graphs, kind="categorical")
    >>> kernel = wg.laplacian_kernel(distances, gamma=0.5)
    >>> kernel.shape, float(kernel[0, 0])
    ((60, 60), 1.0)
    """
    gamma = check_gamma(gamma)
    distances = check_distances(D)
    kernel = np.empty(distances.shape, np.float32 if distances.dtype == np.float32 else np.float64)
    # Where gamma * D overflows, the similarity is 0, as it should be. The product is taken in double precision, since a
    # gamma that single precision holds for infinite would make infinity times zero of the diagonal.
    with np.errstate(over="ignore", under="ignore"):
        np.multiply(distances, -gamma, out=kernel, dtype=np.float64, casting="same_kind")
        return np.exp(kernel, out=kernel)


@dataclass(frozen=True)
class Definiteness:
    """Say whether a matrix is positive definite and, if not, what its negative part weighs; print it for a sentence.

    Attributes
    ----------
    smallest_eigenvalue, largest_eigenvalue : float
        The ends of the spectrum.
    n_negative : int
        How many eigenvalues lie below ``-tolerance``.
    negative_mass : float
        The share of these in the sum of the absolute values of all eigenvalues, from 0 to 1.
    tolerance : float
        Up to where an eigenvalue counts as zero: 10 × size × machine epsilon × the largest absolute value among
        eigenvalues and entries. That is ten times the threshold of :func:`numpy.linalg.matrix_rank`, since the entries
        come from rounded sums. Epsilon is that of the matrix given: one in single precision is judged as such.
    verdict : str
        Of a kernel: "positive definite" (all eigenvalues above ``tolerance``), "positive semidefinite" (none below
        ``-tolerance``) or "indefinite" (any other). Of distances: "conditionally negative definite" or "not
        conditionally negative definite".
    """

    smallest_eigenvalue: float
    largest_eigenvalue: float
    n_negative: int
    negative_mass: float
    tolerance: float
    verdict: str

    def __str__(self) -> str:
        return f"{self.verdict}: {self._spectrum()}{self._consequence()}"

    def _spectrum(self) -> str:
        if self.n_negative:
            some, verb = ("eigenvalue is", "makes") if self.n_negative == 1 else ("eigenvalues are", "make")
            return (
                f"{self.n_negative} {some} negative (down to {self.smallest_eigenvalue:.3g}, where the largest is "
                f"{self.largest_eigenvalue:.3g}) and {verb} up {self.negative_mass:.2%} of the spectrum"
            )
        ends = f"from {self.smallest_eigenvalue:.3g} to {self.largest_eigenvalue:.3g}"
        if self.smallest_eigenvalue > self.tolerance:
            return f"all eigenvalues are positive, {ends}"
        return f"no eigenvalue is negative beyond rounding ({self.tolerance:.1g}), they reach {ends}"

    def _consequence(self) -> str:
        if "conditionally" not in self.verdict:
            return ""
        return f"; exp(-gamma * D) is {'not ' if self.n_negative else ''}a positive definite kernel for every gamma"


def definiteness(K: ArrayLike) -> Definiteness:  # noqa: N803 - D and K are matrices
    """Find out whether a kernel matrix is positive definite, as a support vector machine wants it.

    Parameters
    ----------
    K : (N, N) numbers
        Symmetric up to rounding: N, or 100 if that is more, times machine epsilon, relative to the largest entry.

    Returns
    -------
    Definiteness
        The verdict, with the numbers it rests on.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> distances = wg.wwl_distances(graphs, kind="categorical")
    >>> wg.definiteness(wg.laplacian_kernel(distances, gamma=1.0)).n_negative
    0
    >>> print(wg.definiteness([[1.0, 2.0], [2.0, 1.0]]))
    indefinite: 1 eigenvalue is negative (down to -1, where the largest is 3) and makes up 25.00% of the spectrum
    """
    matrix = _symmetric("K", K)
    verdicts = ("indefinite", "positive semidefinite", "positive definite")
    return _judge(eigvalsh(matrix.values, check_finite=False), matrix, verdicts)


def conditional_definiteness(D: ArrayLike) -> Definiteness:  # noqa: N803 - D and K are matrices
    """Find out whether distances give a positive definite kernel for every gamma.

    They do exactly if D is conditionally negative definite (Schoenberg): Σ_ij c_i c_j D_ij ≤ 0 for all numbers c that
    sum to zero. Equivalently, -½ J D J, where J takes the mean away, has no negative eigenvalue. One of its eigenvalues
    is zero whatever D is, that of the constant vector; it is left out, so N - 1 of them are judged.

    Parameters
    ----------
    D : (N, N) numbers
        Distances between at least two graphs, symmetric up to rounding as in :func:`definiteness`.

    Returns
    -------
    Definiteness
        The verdict is "conditionally negative definite" or "not conditionally negative definite"; the eigenvalues are
        those of -½ J D J, so negative ones speak against it.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.conditional_definiteness(wg.wwl_distances(graphs, kind="categorical")).verdict
    'conditionally negative definite'
    """
    matrix = _symmetric("D", D)
    if len(matrix.values) < 2:
        raise ValueError(
            "D has one row: whether it is conditionally negative definite takes two graphs or more to tell"
        )
    yes = "conditionally negative definite"
    spectrum = eigvalsh(_without_mean(-0.5 * matrix.values), check_finite=False)
    return _judge(spectrum, matrix, (f"not {yes}", yes, yes))


class _Symmetric(NamedTuple):
    """A symmetric matrix ``values * 2**exponent``, with the machine epsilon of what it was made from."""

    values: FloatArray
    exponent: int
    epsilon: float


def _judge(eigenvalues: FloatArray, matrix: _Symmetric, verdicts: tuple[str, str, str]) -> Definiteness:
    """Weigh the sorted eigenvalues; the verdicts are for a smallest one that is negative, zero or positive."""
    # The entries matter where the eigenvalues that are left are nothing but the rounding of those that were taken away.
    largest = max(np.abs(eigenvalues).max(), np.abs(matrix.values).max())
    tolerance = 10 * len(matrix.values) * matrix.epsilon * largest
    negative = eigenvalues[eigenvalues < -tolerance]
    return Definiteness(
        smallest_eigenvalue=float(np.ldexp(eigenvalues[0], matrix.exponent)),
        largest_eigenvalue=float(np.ldexp(eigenvalues[-1], matrix.exponent)),
        n_negative=len(negative),
        negative_mass=float(-negative.sum() / np.abs(eigenvalues).sum()) if len(negative) else 0.0,
        tolerance=float(np.ldexp(tolerance, matrix.exponent)),
        verdict=verdicts[0 if len(negative) else 1 if eigenvalues[0] <= tolerance else 2],
    )


def _without_mean(matrix: FloatArray) -> FloatArray:
    """Restrict a symmetric matrix (N, N) to the vectors that sum to zero, in an orthonormal basis: (N - 1, N - 1).

    The basis consists of the columns, but the first, of the reflection 1 - 2 v vᵀ / vᵀv that takes the first unit
    vector to the constant one. In this way the eigenvalue of the constant vector is gone, where picking the one nearest
    to zero would be a guess.
    """
    n = len(matrix)
    v = np.full(n, 1 / math.sqrt(n))
    v[0] += 1
    beta = 2 / (v @ v)
    w = beta * (matrix @ v)
    w -= (0.5 * beta * (v @ w)) * v
    return (matrix - np.outer(v, w) - np.outer(w, v))[1:, 1:]


# The door


def check_gamma(gamma: Any) -> float:
    """Make sure that gamma is a positive number."""
    if isinstance(gamma, bool) or not isinstance(gamma, Real):
        raise TypeError(f"gamma must be a number, got {gamma!r}")
    number = float(gamma)
    if not 0 < number < math.inf:
        raise ValueError(f"gamma must be positive and finite, got {number}")
    return number


def check_distances(D: ArrayLike) -> NDArray[Any]:  # noqa: N803 - D and K are matrices
    """Make sure that D is an array of finite numbers, none of them negative."""
    distances = _finite("D", D)
    if distances.size and distances.min() < 0:
        entry = _entry("D", distances, distances < 0)
        raise ValueError(
            f"Negative values in data: {entry}, and distances are at least 0; if it is rounding, pass np.maximum(D, 0)"
        )
    return distances


def check_kernel(K: ArrayLike) -> None:  # noqa: N803 - D and K are matrices
    """Make sure that K is a square matrix of finite numbers, and symmetric up to rounding."""
    _symmetric("K", K)


def _finite(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} must be an array of real numbers, got a {type(values).__name__} with entries of type {array.dtype}"
        )
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{_entry(name, array, ~finite)}: every entry must be a finite number")
    return array


def _symmetric(name: str, given: ArrayLike) -> _Symmetric:
    """Check that a matrix is square and symmetric, even out the rounding, and bring it to the size of 1."""
    array = _finite(name, given)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(
            f"{name} must be a square matrix with at least one row, got the shape {array.shape}; "
            "take the rows and columns of one set of graphs, and one depth"
        )
    own = np.finfo(array.dtype if array.dtype.kind == "f" else np.float64).eps
    epsilon = float(max(own, np.finfo(np.float64).eps))
    # Near the ends of the range of floats, epsilon would not measure the rounding; powers of two take us away exactly.
    values = array.astype(np.float64)
    exponent = math.frexp(np.abs(values).max())[1]
    values = np.ldexp(values, -exponent)
    wrong = np.abs(values - values.T) > max(len(values), 100) * epsilon * np.abs(values).max()
    if wrong.any():
        i, j = np.unravel_index(wrong.argmax(), wrong.shape)
        raise ValueError(
            f"{name} is not symmetric: {name}[{i}, {j}] is {array[i, j]}, {name}[{j}, {i}] is {array[j, i]}; "
            f"if it is rounding, pass ({name} + {name}.T) / 2"
        )
    return _Symmetric((values + values.T) / 2, exponent, epsilon)


def _entry(name: str, array: NDArray[Any], chosen: NDArray[np.bool_]) -> str:
    """Say where the first of the chosen entries is and what it is: "D[0, 2] is nan"."""
    place = np.unravel_index(chosen.argmax(), array.shape)
    where = f"[{', '.join(str(int(i)) for i in place)}]" if place else ""
    return f"{name}{where} is {array[place]}"
