"""A symmetric matrix as Q T Qᵀ, with T tridiagonal: shifted systems (K + alpha) x = y for the price of one."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import eigh_tridiagonal, lapack

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.learners.lapack import BLOCK_WIDTH, reduce_to_tridiagonal

#: By how much a shift is changed where it is minus an eigenvalue.
_NUDGE = 1e-9


#: Some eigenvalues of T (k), and their eigenvectors (n, k).
Eigenpairs: TypeAlias = tuple[FloatArray, FloatArray]


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

    def eigenpairs_below(self, limit: float) -> Eigenpairs:
        """Compute the eigenvalues below a limit, with their eigenvectors."""
        sides = np.abs(np.concatenate([[0.0], self.beside])) + np.abs(np.concatenate([self.beside, [0.0]]))
        lowest = float((self.diagonal - sides).min()) - 1.0  # no eigenvalue is lower (Gershgorin)
        if lowest >= limit:
            return np.empty(0), np.empty((len(self.diagonal), 0))
        options = {"select": "v", "select_range": (lowest, limit), "check_finite": False, "lapack_driver": "stemr"}
        values, vectors = eigh_tridiagonal(self.diagonal, self.beside, **options)
        return values[values < limit], vectors[:, values < limit]

    def solve(
        self, right: FloatArray, shifts: FloatArray, negative: Eigenpairs | None = None
    ) -> tuple[FloatArray, BoolArray]:
        """Solve (K + shift) x = right for every shift; or with the negative eigenvalues of K flipped.

        With V the eigenvectors of negative eigenvalues λ, and their share b in the right side, the solution is that of
        the rest, plus ``V b / (λ - shift)``: these are the coefficients of the original kernel in the problem of the
        flipped one, as in :class:`wassergraph.KreinSVC`.

        Parameters
        ----------
        right : (n) floats
            The right side.
        shifts : (n_shifts) floats
            What is added to the diagonal, all positive.
        negative : Eigenpairs, optional
            The negative eigenvalues; by default there are none.

        Returns
        -------
        solutions : (n_shifts, n) floats
            A row for every shift.
        solved : (n_shifts) booleans
            False where the shifted matrix is singular up to rounding; such a row has no meaning.
        """
        turned = self._reflect(right[:, None], "T")[:, 0]
        solutions, solved = np.zeros((len(right), len(shifts)), order="F"), np.zeros(len(shifts), dtype=np.bool_)
        for column, shift in enumerate(shifts):
            if negative is None or not len(negative[0]):
                solutions[:, column], solved[column] = self._solve_definite(turned, shift)
            else:
                solutions[:, column], solved[column] = self._solve_flipped(turned, shift, negative)
        return self._reflect(solutions, "N").T, solved

    def _solve_definite(self, right: FloatArray, shift: float) -> tuple[FloatArray, bool]:
        *_, solution, status = lapack.dptsv(self.diagonal + shift, self.beside, right)
        return solution.ravel(), status == 0

    def _solve_flipped(self, right: FloatArray, shift: float, negative: Eigenpairs) -> tuple[FloatArray, bool]:
        """Solve for the share of the eigenvectors and for the rest, without its rounding errors along them."""
        values, vectors = negative
        share = vectors.T @ right
        # A shift that is the opposite of a negative eigenvalue makes T + shift singular, in the share that is left out.
        for nudged in (shift, shift * (1 + _NUDGE)):
            *_, rest, status = lapack.dgtsv(self.beside, self.diagonal + nudged, self.beside, right - vectors @ share)
            if status == 0:
                break
        rest = rest.ravel()
        return rest - vectors @ (vectors.T @ rest) + vectors @ (share / (values - shift)), status == 0

    def _reflect(self, columns: FloatArray, which: str) -> FloatArray:
        """Multiply columns by Q ("N"), or by its transpose ("T"); Q leaves the first row as it is."""
        length = BLOCK_WIDTH * max(1, columns.shape[1])
        product, _, _ = lapack.dormqr("L", which, self.reflections[1:, :-1], self.scales, columns[1:], length)
        return np.concatenate([columns[:1], product])


def tridiagonalize(matrix: FloatArray) -> Tridiagonal:
    """Reduce a symmetric matrix to a tridiagonal one, in less than half the time of its eigenvectors.

    Parameters
    ----------
    matrix : (n, n) floats
        A symmetric matrix of two rows or more.

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
