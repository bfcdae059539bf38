"""Whether a kernel is positive definite, and if not, how large its negative part is.

In the theory of kernels, *positive definite* allows eigenvalues that are zero; for matrices it does not. Verdicts use
the words for matrices: a matrix is a kernel if it is "positive definite" or "positive semidefinite".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, eigvalsh

from wassergraph.arrays import FloatArray
from wassergraph.kernels.finite import finite_array
from wassergraph.notebook import html_heading, html_note, html_table


@dataclass(frozen=True)
class Definiteness:
    """The verdict on a matrix: whether it is positive definite and, if not, how large its negative part is.

    ``print`` it for a sentence.

    Attributes
    ----------
    smallest_eigenvalue, largest_eigenvalue : float
        The smallest and the largest eigenvalue.
    n_negative : int
        The number of eigenvalues below ``-tolerance``.
    negative_mass : float
        The share of these in the sum of the absolute values of all eigenvalues, from 0 to 1.
    tolerance : float
        Eigenvalues between ``-tolerance`` and ``tolerance`` count as zero. It is 10 × size × machine epsilon × the
        largest absolute value among eigenvalues and entries: ten times the threshold of
        :func:`numpy.linalg.matrix_rank`, since the entries come from rounded sums. Epsilon is that of the type of the
        matrix, single or double precision.
    verdict : str
        For a kernel: "positive definite" (all eigenvalues above ``tolerance``), "positive semidefinite" (none below
        ``-tolerance``) or "indefinite" (otherwise). For distances: "conditionally negative definite" or "not
        conditionally negative definite".

    See Also
    --------
    kernels.definiteness : check a kernel
    kernels.conditional_definiteness : check distances

    Examples
    --------
    >>> import wassergraph as wg
    >>> result = wg.kernels.definiteness([[1.0, 2.0], [2.0, 1.0]])
    >>> result.verdict, result.n_negative, round(result.negative_mass, 2)
    ('indefinite', 1, 0.25)
    """

    smallest_eigenvalue: float
    largest_eigenvalue: float
    n_negative: int
    negative_mass: float
    tolerance: float
    verdict: str

    def __str__(self) -> str:
        return f"{self.verdict}: {self._spectrum()}{self._consequence()}"

    def _repr_html_(self) -> str:
        rows = [
            ("smallest eigenvalue", f"{self.smallest_eigenvalue:.6g}"),
            ("largest eigenvalue", f"{self.largest_eigenvalue:.6g}"),
            ("negative eigenvalues", f"{self.n_negative:,}"),
            ("their share of the spectrum", f"{self.negative_mass:.2%}"),
            ("tolerance", f"{self.tolerance:.2g}"),
        ]
        return (
            html_heading(self.verdict)
            + html_table(rows, numbers=[1])
            + html_note(f"{self._spectrum()}{self._consequence()}.")
        )

    def _spectrum(self) -> str:
        if self.n_negative:
            subject, verb = ("eigenvalue is", "makes") if self.n_negative == 1 else ("eigenvalues are", "make")
            return (
                f"{self.n_negative} {subject} negative (down to {self.smallest_eigenvalue:.3g}, where the largest is "
                f"{self.largest_eigenvalue:.3g}) and {verb} up {self.negative_mass:.2%} of the spectrum"
            )
        ends = f"from {self.smallest_eigenvalue:.3g} to {self.largest_eigenvalue:.3g}"
        if self.smallest_eigenvalue > self.tolerance:
            return f"all eigenvalues are positive, {ends}"
        return f"no eigenvalue is negative beyond rounding ({self.tolerance:.1g}), they range {ends}"

    def _consequence(self) -> str:
        if "conditionally" not in self.verdict:
            return ""
        return f"; exp(-gamma * D) is {'not ' if self.n_negative else ''}a positive definite kernel for every gamma"


def definiteness(K: ArrayLike) -> Definiteness:  # noqa: N803 - D and K are matrices
    """Check whether a kernel matrix is positive definite, as support vector machines require.

    Parameters
    ----------
    K : (N, N) numbers
        Symmetric up to rounding: N, or 100 if that is more, times machine epsilon, relative to the largest entry.

    Returns
    -------
    Definiteness
        The verdict, and the eigenvalues behind it.

    See Also
    --------
    kernels.conditional_definiteness : the same for distances, and every gamma
    kernels.Definiteness : what is returned
    KreinSVC : an SVM for indefinite kernels

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> distances = wg.distances(graphs, metric=wg.WWL(kind="categorical"))
    >>> wg.kernels.definiteness(wg.kernels.laplacian_kernel(distances, gamma=1.0)).n_negative
    0
    >>> print(wg.kernels.definiteness([[1.0, 2.0], [2.0, 1.0]]))
    indefinite: 1 eigenvalue is negative (down to -1, where the largest is 3) and makes up 25.00% of the spectrum
    """
    matrix = _symmetric("K", K)
    verdicts = ("indefinite", "positive semidefinite", "positive definite")
    return _judge(eigvalsh(matrix.values, check_finite=False), matrix, verdicts)


def conditional_definiteness(D: ArrayLike) -> Definiteness:  # noqa: N803 - D and K are matrices
    """Check whether distances lead to a positive definite kernel ``exp(-gamma * D)`` for every gamma.

    They do if and only if D is conditionally negative definite (Schoenberg): Σ_ij c_i c_j D_ij ≤ 0 for all numbers c
    that sum to zero. Equivalently, -½ J D J, where J subtracts the mean, has no negative eigenvalue. The eigenvalue of
    the constant vector is zero for every D; it is left out, so N - 1 eigenvalues remain.

    Parameters
    ----------
    D : (N, N) numbers
        Distances between at least two graphs, symmetric up to rounding as in
        :func:`wassergraph.kernels.definiteness`.

    Returns
    -------
    Definiteness
        The verdict is "conditionally negative definite" or "not conditionally negative definite". The eigenvalues are
        those of -½ J D J; D is conditionally negative definite if none of them is negative.

    See Also
    --------
    kernels.definiteness : the same for one kernel
    kernels.Definiteness : what is returned
    distances : the distances

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.kernels.conditional_definiteness(wg.distances(graphs, metric=wg.WWL(kind="categorical"))).verdict
    'conditionally negative definite'
    """
    matrix = _symmetric("D", D)
    if len(matrix.values) < 2:
        raise ValueError(
            "D has one row, but conditional definiteness is defined for two graphs or more: pass more distances"
        )
    name = "conditionally negative definite"
    spectrum = eigvalsh(_without_mean(-0.5 * matrix.values), check_finite=False)
    return _judge(spectrum, matrix, (f"not {name}", name, name))


def negative_part(kernel: FloatArray) -> tuple[int, float]:
    """Return the number of negative eigenvalues of a kernel, and their share in the sum of all absolute values."""
    check_kernel(kernel)
    if has_no_negative_part(kernel):
        return 0, 0.0
    verdict = definiteness(kernel)
    return verdict.n_negative, verdict.negative_mass


def has_no_negative_part(kernel: FloatArray) -> bool:
    """Return whether no eigenvalue is negative beyond rounding, by a Cholesky decomposition.

    This takes a fraction of the time of computing eigenvalues. The diagonal is raised by what counts as rounding, so
    that a kernel with eigenvalues of zero, as equal graphs have, passes too.
    """
    raised = kernel.copy()
    raised.flat[:: len(kernel) + 1] += rounding_error(kernel)
    try:
        cholesky(raised, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def rounding_error(kernel: FloatArray) -> float:
    """Return up to which size an eigenvalue counts as zero.

    The largest row sum of absolute values bounds the largest eigenvalue.
    """
    return 10 * len(kernel) * float(np.finfo(np.float64).eps * np.abs(kernel).sum(axis=1).max())


class _Symmetric(NamedTuple):
    """A symmetric matrix ``values * 2**exponent``, and the machine epsilon of its original type."""

    values: FloatArray
    exponent: int
    epsilon: float


def _judge(eigenvalues: FloatArray, matrix: _Symmetric, verdicts: tuple[str, str, str]) -> Definiteness:
    """Return the verdict on sorted eigenvalues; ``verdicts`` are for a negative, a zero and a positive smallest one."""
    # The entries are included because those of a constant matrix cancel up to rounding without the constant vector.
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
    """Return a symmetric matrix (N, N) restricted to the vectors that sum to zero, in an orthonormal basis.

    The basis consists of all columns but the first of the reflection 1 - 2 v vᵀ / vᵀv that maps the first unit vector
    to the constant vector. The result (N - 1, N - 1) lacks exactly the eigenvalue of the constant vector; dropping the
    eigenvalue nearest to zero instead could drop another one.
    """
    n = len(matrix)
    v = np.full(n, 1 / math.sqrt(n))
    v[0] += 1
    beta = 2 / (v @ v)
    w = beta * (matrix @ v)
    w -= (0.5 * beta * (v @ w)) * v
    return (matrix - np.outer(v, w) - np.outer(w, v))[1:, 1:]


def check_kernel(K: ArrayLike) -> None:  # noqa: N803 - D and K are matrices
    """Raise an error unless K is a square matrix of finite numbers, symmetric up to rounding."""
    _symmetric("K", K)


def _symmetric(name: str, matrix: ArrayLike) -> _Symmetric:
    """Check that a matrix is square and symmetric; return it exactly symmetric, with entries of at most 1."""
    array = finite_array(name, matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(
            f"{name} must be a square matrix with at least one row, got the shape {array.shape}; "
            "use the same graphs for rows and columns, and one depth"
        )
    precision = np.finfo(array.dtype if array.dtype.kind == "f" else np.float64).eps
    epsilon = float(max(precision, np.finfo(np.float64).eps))
    # Near the limits of the range of floats, epsilon does not measure rounding; dividing by a power of two is exact.
    values = array.astype(np.float64)
    exponent = math.frexp(np.abs(values).max())[1]
    values = np.ldexp(values, -exponent)
    asymmetric = np.abs(values - values.T) > max(len(values), 100) * epsilon * np.abs(values).max()
    if asymmetric.any():
        i, j = np.unravel_index(asymmetric.argmax(), asymmetric.shape)
        raise ValueError(
            f"{name} is not symmetric: {name}[{i}, {j}] is {array[i, j]}, {name}[{j}, {i}] is {array[j, i]}; "
            f"if it is rounding, pass ({name} + {name}.T) / 2"
        )
    return _Symmetric((values + values.T) / 2, exponent, epsilon)
