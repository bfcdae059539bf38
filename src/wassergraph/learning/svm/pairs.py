"""SVMs for every two classes, in one compiled call: with many classes there are thousands, and each takes little time.

    kernel ──solve_pairs──▶ coefficients, intercepts, steps ──count_votes──▶ votes for every class
                                                            ──pair_decisions──▶ decisions of one pair

Coefficients are kept as libsvm does, (n_C, n_classes - 1, n_train): those of a training graph in the SVM of its own
class and another one are in the row of that other class, not counting its own. Training graphs are in the order of
their classes, and class c has the positions ``begins[c]`` to ``begins[c + 1] - 1`` in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.compiled import inner, jit
from wassergraph.learning.svm.newton import copy_block
from wassergraph.learning.svm.smo import svm_path
from wassergraph.transport.status import NOT_CONVERGED, STOPPED

#: Kernels of more graphs than this are checked by LAPACK, outside of compiled code, where it is faster.
_SMALL = 200


class ByClass(NamedTuple):
    """Training graphs by class.

    Attributes
    ----------
    positions : (n_train) integers
        Their positions, the first class first.
    begins : (n_classes + 1) integers
        Where each class begins there, and the last one ends.
    """

    positions: IntArray
    begins: IntArray


class Solutions(NamedTuple):
    """The SVMs for every two classes.

    Attributes
    ----------
    coefficients : (n_C, n_classes - 1, n_train) floats
        The coefficients, as this module keeps them.
    intercepts : (n_pairs, n_C) floats
        The intercepts.
    steps : (n_pairs, n_C) integers
        The steps of the solver, or a status; STOPPED for pairs that were not begun.
    """

    coefficients: FloatArray
    intercepts: FloatArray
    steps: IntArray


class Previous(NamedTuple):
    """The SVMs for a smaller gamma, which others start from.

    Attributes
    ----------
    coefficients : (n_C, n_classes - 1, n_train) floats
        Their coefficients.
    n_solved : (n_pairs) integers
        For how many values of C, from the first on, each pair was solved.
    C_values : (n_C) floats
        The values of C.
    sources : (k) integers
        For the first k values of C, the position of the value of C whose solution is a start: see
        :func:`wassergraph.learning.svm.smo.start_sources`.
    ratio : float
        The gamma to solve divided by the gamma that was solved.
    """

    coefficients: FloatArray
    n_solved: IntArray
    C_values: FloatArray
    sources: IntArray
    ratio: float


#: For fits that start from nothing.
NOTHING_BEFORE = Previous(
    np.empty((0, 0, 0)), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64), 1.0
)


def sort_by_class(targets: IntArray, n_classes: int) -> ByClass:
    """Return the positions of training graphs by class; the order within a class stays."""
    begins = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=n_classes))])
    return ByClass(np.argsort(targets, kind="stable").astype(np.int64), begins.astype(np.int64))


@jit
def solve_pairs(
    kernel: FloatArray,
    groups: ByClass,
    C_values: FloatArray,
    tol: float,
    max_iter: int,
    stop: NDArray[np.bool_],
    previous: Previous,
    definite: bool,
    skip_unsolved: bool,
) -> tuple[Solutions, NDArray[np.bool_]]:
    """Solve the SVMs of every two classes for all values of C.

    Parameters
    ----------
    kernel : (n_train, n_train) floats
        The kernel of the training graphs, in any order.
    groups : ByClass
        The training graphs by class.
    C_values, tol, max_iter, stop
        As in :func:`wassergraph.learning.svm.smo.svm_path`.
    previous : Previous
        The solutions for a smaller gamma, or NOTHING_BEFORE.
    definite : bool
        Whether the kernel is known to have no negative eigenvalue.
    skip_unsolved : bool
        Whether other pairs are solved after one that was not.

    Returns
    -------
    solutions : Solutions
        The SVMs.
    left : (n_pairs) booleans
        Which pairs are left to the caller, since their kernel may have a negative eigenvalue.
    """
    n_classes, n_values = len(groups.begins) - 1, len(C_values)
    n_pairs = n_classes * (n_classes - 1) // 2
    solutions = Solutions(
        np.zeros((n_values, n_classes - 1, len(kernel))),
        np.zeros((n_pairs, n_values)),
        np.full((n_pairs, n_values), STOPPED),
    )
    left = np.zeros(n_pairs, np.bool_)
    number = 0
    for first in range(n_classes):
        for second in range(first + 1, n_classes):
            block = pair_kernel(kernel, groups, first, second)
            if definite or is_surely_definite(block):
                starts = pair_starts(previous, groups.begins, first, second, number)[:n_values]
                y = pair_signs(groups.begins, first, second)
                solved, intercepts, steps = svm_path(block, y, C_values, tol, max_iter, stop, starts)
                keep_pair(solutions, groups.begins, first, second, number, solved, intercepts, steps)
                if steps[-1] == STOPPED or (steps[-1] == NOT_CONVERGED and not skip_unsolved):
                    return solutions, left
            else:
                left[number] = True
            number += 1
    return solutions, left


@jit
def pair_kernel(kernel: FloatArray, groups: ByClass, first: int, second: int) -> FloatArray:
    """Return the kernel of two classes, the first one first; the kernel itself if nothing else is in it."""
    begins, positions = groups.begins, groups.positions
    if len(begins) == 3 and (positions[1:] > positions[:-1]).all():
        return kernel
    one, other = positions[begins[first] : begins[first + 1]], positions[begins[second] : begins[second + 1]]
    return copy_block(kernel, np.concatenate((one, other)))


@jit
def pair_signs(begins: IntArray, first: int, second: int) -> FloatArray:
    """Return 1 for each graph of the first class, and -1 for each of the second."""
    n_first, n_second = begins[first + 1] - begins[first], begins[second + 1] - begins[second]
    signs = np.ones(n_first + n_second)
    signs[n_first:] = -1.0
    return signs


@jit
def keep_pair(
    solutions: Solutions,
    begins: IntArray,
    first: int,
    second: int,
    number: int,
    solved: FloatArray,
    intercepts: FloatArray,
    steps: IntArray,
) -> None:
    """Write the solutions of one pair, whose coefficients are (n_C, n), among those of all pairs."""
    keep_coefficients(solutions.coefficients, begins, first, second, solved)
    solutions.intercepts[number] = intercepts
    solutions.steps[number] = steps


@jit
def keep_coefficients(coefficients: FloatArray, begins: IntArray, first: int, second: int, solved: FloatArray) -> None:
    """Write the coefficients (n_C, n) of one pair among those of all pairs."""
    n_first, n_second = begins[first + 1] - begins[first], begins[second + 1] - begins[second]
    for k in range(len(solved)):
        for t in range(n_first):
            coefficients[k, second - 1, begins[first] + t] = solved[k, t]
        for t in range(n_second):
            coefficients[k, first, begins[second] + t] = solved[k, n_first + t]


@nb.njit(nogil=True, cache=True, fastmath=False)  # without it, numba would take the setting of the caller
def pair_starts(previous: Previous, begins: IntArray, first: int, second: int, number: int) -> FloatArray:
    """Return coefficients (k, n) that may be near the solutions of a pair for the first k values of C.

    They are those of :func:`wassergraph.learning.svm.smo.starts_of`.
    """
    sources, C_values, ratio = previous.sources, previous.C_values, previous.ratio
    count, n_solved = 0, previous.n_solved[number] if len(sources) else 0
    while count < len(sources) and count < n_solved and sources[count] < n_solved:
        count += 1
    n_first, n_second = begins[first + 1] - begins[first], begins[second + 1] - begins[second]
    starts = np.empty((count, n_first + n_second))
    for k in range(count):
        start, bound, larger = starts[k], C_values[k], C_values[sources[k]]
        solved = previous.coefficients[sources[k]]
        for t in range(n_first):
            start[t] = solved[second - 1, begins[first] + t]
        for t in range(n_second):
            start[n_first + t] = solved[first, begins[second] + t]
        for t in range(len(start)):
            start[t] = np.sign(start[t]) * bound if abs(start[t]) >= larger else start[t] / ratio
    return starts


@jit
def is_surely_definite(kernel: FloatArray) -> bool:
    """Return whether a small kernel has no eigenvalue that is negative beyond rounding; False for a large one.

    This is :func:`wassergraph.kernels.definiteness.has_no_negative_part`, a Cholesky decomposition, without the time
    that a call of LAPACK from Python takes.
    """
    n = len(kernel)
    if n > _SMALL:
        return False
    rounding = 10 * n * np.finfo(np.float64).eps * np.abs(kernel).sum(axis=1).max()
    root = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            root[i, j] = (kernel[i, j] - _dot(root[i], root[j], j)) / root[j, j]
        square = kernel[i, i] + rounding - _dot(root[i], root[i], i)
        if not square > 0.0:
            return False
        root[i, i] = np.sqrt(square)
    return True


@inner
def _dot(one: FloatArray, other: FloatArray, n: int) -> float:
    """Return the inner product of the first n entries."""
    total = 0.0
    for t in range(n):
        total += one[t] * other[t]
    return total


@nb.njit(nogil=True, cache=True)
def pair_decisions(
    coefficients: FloatArray, intercepts: FloatArray, columns: FloatArray, begins: IntArray, first: int, second: int
) -> FloatArray:
    """Compute the decisions (n_C, n_test) of one pair of classes; positive ones are for the first class.

    Parameters
    ----------
    coefficients : (n_C, n_classes - 1, n_train) floats
        The coefficients of all pairs.
    intercepts : (n_C) floats
        The intercepts of this pair.
    columns : (n_train, n_test) floats
        The kernel of the training graphs, in the order of their classes, with the graphs to predict.
    begins : (n_classes + 1) integers
        Where each class begins.
    first, second : int
        The classes.

    Returns
    -------
    (n_C, n_test) floats
    """
    one, other = slice(begins[first], begins[first + 1]), slice(begins[second], begins[second + 1])
    decisions: FloatArray = np.dot(np.ascontiguousarray(coefficients[:, second - 1, one]), columns[one])
    decisions += np.dot(np.ascontiguousarray(coefficients[:, first, other]), columns[other])
    for k in range(len(intercepts)):
        decisions[k] += intercepts[k]
    return decisions


@nb.njit(nogil=True, cache=True)
def count_votes(
    coefficients: FloatArray, intercepts: FloatArray, columns: FloatArray, begins: IntArray
) -> NDArray[np.int32]:
    """Count the votes for every class (n_C, n_classes, n_test): of each pair, one for its first class if the decision
    is positive, otherwise one for its second.

    The parameters are those of :func:`pair_decisions`, with the intercepts of all pairs (n_pairs, n_C).
    """
    n_classes, n_values, n_test = len(begins) - 1, intercepts.shape[1], columns.shape[1]
    votes = np.zeros((n_values, n_classes, n_test), np.int32)
    number = 0
    for first in range(n_classes):
        for second in range(first + 1, n_classes):
            decisions = pair_decisions(coefficients, intercepts[number], columns, begins, first, second)
            for k in range(n_values):
                for t in range(n_test):
                    positive = decisions[k, t] > 0
                    votes[k, first, t] += positive
                    votes[k, second, t] += not positive
            number += 1
    return votes


@nb.njit(nogil=True, cache=True)
def all_decisions(
    coefficients: FloatArray, intercepts: FloatArray, columns: FloatArray, begins: IntArray
) -> FloatArray:
    """Compute the decisions (n_test, n_pairs) of all pairs for the last value of C.

    The parameters are those of :func:`count_votes`.
    """
    n_classes = len(begins) - 1
    decisions = np.empty((len(intercepts), columns.shape[1]))
    number = 0
    for first in range(n_classes):
        for second in range(first + 1, n_classes):
            last = pair_decisions(coefficients[-1:], intercepts[number, -1:], columns, begins, first, second)
            for t in range(columns.shape[1]):
                decisions[number, t] = last[0, t]
            number += 1
    return decisions.T
