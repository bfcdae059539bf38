"""A symmetric matrix as Q T Qᵀ, with T tridiagonal: shifted systems (K + alpha) x = y for the price of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.learning.lapack import BLOCK, reduce_to_tridiagonal


class Tridiagonal(NamedTuple):
    """A symmetric matrix, reduced to a tridiagonal one.

    Attributes
    ----------
    diagonal, beside : (n), (n - 1) floats
        The entries of T.
    reflections, scales : (n, n), (n - 1) floats
        The reflections whose product is Q, as LAPACK's ``dsytrd`` stores them.
    """

    diagonal: FloatArray
    beside: FloatArray
    reflections: FloatArray
    scales: FloatArray

    def solve(self, right: FloatArray, shifts: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Solve (K + shift) x = right for every shift.

        Parameters
        ----------
        right : (n) floats
            The right side.
        shifts : (n_shifts) floats
            What is added to the diagonal.

        Returns
        -------
        solutions : (n_shifts, n) floats
            A row for every shift.
        solved : (n_shifts) booleans
            False where the shifted matrix is not positive definite, up to rounding; such a row has no meaning.
        """
        turned = self._reflect(right[:, None], "T")
        solutions, solved = np.zeros((len(right), len(shifts)), order="F"), np.zeros(len(shifts), dtype=np.bool_)
        for column, shift in enumerate(shifts):
            *_, solution, status = lapack.dptsv(self.diagonal + shift, self.beside, turned)
            solutions[:, column], solved[column] = solution[:, 0], status == 0
        return self._reflect(solutions, "N").T, solved

    def _reflect(self, columns: FloatArray, which: str) -> FloatArray:
        """Multiply columns by Q ("N"), or by its transpose ("T"); Q leaves the first row as it is."""
        length = BLOCK * max(1, columns.shape[1])
        product, _, _ = lapack.dormqr("L", which, self.reflections[1:, :-1], self.scales, columns[1:], length)
        return np.concatenate([columns[:1], product])


def tridiagonalize(matrix: FloatArray) -> Tridiagonal:
    """Reduce a symmetric matrix to a tridiagonal one, in less than half the time of its eigenvectors.

    Parameters
    ----------
    matrix : (n, n) floats
        A symmetric matrix, of which the lower triangle is used.

    Returns
    -------
    Tridiagonal

    Examples
    --------
    >>> parts = tridiagonalize(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]))
    >>> solutions, solved = parts.solve(np.array([4.0, 5.0, 4.0]), np.array([0.0, 1.0]))
    >>> solutions.round(6).tolist(), solved.tolist()
    ([[1.5, 1.0, 1.5], [1.0, 1.0, 1.0]], [True, True])
    """
    reflections = np.array(matrix.T, dtype=np.float64, order="F")
    diagonal, beside, scales = reduce_to_tridiagonal(reflections)
    return Tridiagonal(diagonal, beside, reflections, scales)
