"""A symmetric matrix as Q T Qᵀ, with T tridiagonal: shifted systems (K + alpha) x = y for the price of one.

SciPy's own interface to LAPACK keeps the lock of the interpreter, so that only one thread would decompose at a time.
The one routine that takes long is therefore called by its address, which SciPy publishes for compiled code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cython_lapack, lapack

from wassergraph.arrays import BoolArray, FloatArray

#: The width of the blocks in which LAPACK applies reflections.
_BLOCK = 64


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
        length = _BLOCK * max(1, columns.shape[1])
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
    n = len(matrix)
    reduced = np.array(matrix.T, dtype=np.float64, order="F")
    diagonal, beside, scales = np.empty(n), np.empty(max(n - 1, 0)), np.empty(max(n - 1, 0))
    work = np.empty(_BLOCK * max(n, 1))
    order, length, status = ctypes.c_int(n), ctypes.c_int(len(work)), ctypes.c_int(0)
    arrays = [array.ctypes.data for array in (reduced, diagonal, beside, scales, work)]
    a, d, e, tau, w = arrays
    _dsytrd()(b"L", order, a, order, d, e, tau, w, length, status)
    assert status.value == 0, "dsytrd fails only for wrong arguments"
    return Tridiagonal(diagonal, beside, reduced, scales)


@cache
def _dsytrd() -> Callable[..., Any]:
    """Return LAPACK's ``dsytrd`` as a function that releases the lock of the interpreter."""
    capsule = cython_lapack.__pyx_capi__["dsytrd"]
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    number, array = ctypes.POINTER(ctypes.c_int), ctypes.c_void_p
    signature = ctypes.CFUNCTYPE(
        None, ctypes.c_char_p, number, array, number, array, array, array, array, number, number
    )
    return signature(address_of(capsule, name_of(capsule)))
