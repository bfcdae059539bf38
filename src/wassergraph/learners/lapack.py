"""LAPACK's decompositions of symmetric matrices, on as many threads as one likes.

SciPy's own interface to LAPACK keeps the lock of the interpreter, so that only one thread would decompose at a time.
These routines are therefore called by their addresses, which SciPy publishes for compiled code. Matrices are in
LAPACK's order of entries, by columns, and are overwritten; only their lower triangles are used.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_lapack

from wassergraph.arrays import FloatArray

#: The width of the blocks in which LAPACK works.
BLOCK_WIDTH = 64


def factorize(matrix: FloatArray) -> bool:
    """Replace the lower triangle of a matrix by its Cholesky factor; return whether it is positive definite."""
    return _call("dpotrf", b"L", len(matrix), matrix, len(matrix)) == 0


def invert_factor(factor: FloatArray) -> None:
    """Replace the lower Cholesky factor of a matrix by the lower triangle of the inverse of the matrix."""
    _call("dpotri", b"L", len(factor), factor, len(factor))


def reduce_to_tridiagonal(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Reduce a symmetric matrix to Q T Qᵀ with T tridiagonal; the matrix is replaced by the reflections that make Q.

    Returns
    -------
    diagonal, beside : (n), (n - 1) floats
        The entries of T.
    scales : (n - 1) floats
        The scales of the reflections.
    """
    n = len(matrix)
    diagonal, beside, scales, work = np.empty(n), np.empty(n - 1), np.empty(n - 1), np.empty(BLOCK_WIDTH * n)
    _call("dsytrd", b"L", n, matrix, n, diagonal, beside, scales, work, len(work))
    return diagonal, beside, scales


def _call(name: str, *arguments: bytes | int | FloatArray) -> int:
    """Call a routine of LAPACK, and return its status: positive if it fails."""
    status = ctypes.c_int(0)
    _routine(name)(*map(_argument, arguments), ctypes.byref(status))
    assert status.value >= 0, f"argument {-status.value} of {name} is wrong"
    return status.value


def _argument(value: bytes | int | NDArray[Any]) -> Any:
    """Return what LAPACK takes: the address of a text, number or array."""
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    if isinstance(value, int):
        return ctypes.byref(ctypes.c_int(value))
    assert value.dtype == np.float64, "routines that begin with d take doubles"
    assert value.flags.f_contiguous, "LAPACK takes matrices by columns"
    return ctypes.c_void_p(value.ctypes.data)


@cache
def _routine(name: str) -> Any:
    """Return a routine of LAPACK as a function that releases the lock of the interpreter."""
    capsule = cython_lapack.__pyx_capi__[name]
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.CFUNCTYPE(None)(address_of(capsule, name_of(capsule)))
