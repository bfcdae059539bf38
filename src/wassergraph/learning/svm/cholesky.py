"""The Cholesky decomposition of a small kernel: whether it is definite, and the solution of linear systems."""

from __future__ import annotations

from wassergraph.arrays import FloatArray
from wassergraph.learning.svm.compiled import compiled_svm
from wassergraph.learning.svm.limits import MAX_CHECKED

_EPSILON = 2.220446049250313e-16
#: The square root of a pivot that is too small: what is divided by it becomes 0.
_LEFT_OUT = 1e150


@compiled_svm
def is_definite(n: int, kernel: FloatArray, root: FloatArray) -> bool:
    """Return whether a small kernel has no eigenvalue that is negative beyond rounding; False for a large one.

    This is :func:`wassergraph.kernels.definiteness.has_no_negative_part`, without the time that a call of LAPACK from
    Python takes.
    """
    if n > MAX_CHECKED:
        return False
    largest = 0.0
    for i in range(n):
        row_sum = 0.0
        for j in range(n):
            row_sum += abs(kernel[i * n + j])
        largest = row_sum if row_sum > largest else largest
    return decompose(n, kernel, 10 * n * _EPSILON * largest, 0.0, False, root)


@compiled_svm
def decompose(n: int, kernel: FloatArray, added: float, least: float, leave_out: bool, root: FloatArray) -> bool:
    """Write the triangle ``root`` (n * n) whose square is the kernel, with a number added to its diagonal.

    Returns whether all pivots are above ``least``. At the first that is not the decomposition ends; or, with
    ``leave_out``, its row is left out: solutions are 0 there.
    """
    complete = True
    for i in range(n):
        row = i * n
        for j in range(i):
            root[row + j] = (kernel[row + j] - _dot(j, root, row, j * n)) / root[j * n + j]
        pivot = kernel[row + i] + added - _dot(i, root, row, row)
        if pivot > least:
            root[row + i] = pivot**0.5
        elif leave_out:
            root[row + i], complete = _LEFT_OUT, False
        else:
            return False
    return complete


@compiled_svm
def solve_triangles(n: int, root: FloatArray, values: FloatArray) -> None:
    """Replace the right side of a linear system by its solution; ``root`` is that of the matrix."""
    for i in range(n):
        total = values[i]
        for j in range(i):
            total -= root[i * n + j] * values[j]
        values[i] = total / root[i * n + i]
    for i in range(n - 1, -1, -1):
        values[i] /= root[i * n + i]
        for j in range(i):
            values[j] -= root[i * n + j] * values[i]


@compiled_svm
def _dot(n: int, root: FloatArray, one: int, other: int) -> float:
    """Return the inner product of the first n entries of two rows, which begin at ``one`` and ``other``."""
    total = 0.0
    for t in range(n):
        total += root[one + t] * root[other + t]
    return total
