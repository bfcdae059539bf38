"""Support vector machines for increasing values of C, each solved from the solution for the previous C.

The dual problem of a kernel K (n, n) and classes y of -1 and 1, written in the signed coefficients b = y * alpha:

    minimize ½ bᵀ K b - yᵀ b    where the sum of b is 0, and 0 ≤ y * b ≤ C * w

with weights w of the graphs, all 1 unless classes or graphs are weighted, as in libsvm.
A step takes two coefficients, moves one up and the other down by as much (sequential minimal optimization), and updates
the gradient, y - K b. The pair is that of libsvm: of the coefficients that may rise, the one with the largest gradient;
of those that may fall, the one with which the step gains most by its second-order estimate (Fan, Chen, Lin 2005). The
solver ends as libsvm does: when no two gradients violate the optimality conditions by more than ``tol``.

Four things make it faster than an SVM fitted for each C alone:

warm start      The solution for one C starts the next. While most support vectors are at their bound, which grows with
                C, all coefficients are scaled; later, with few at their bound, they are kept. Once none is at its
                bound, every larger C has the same solution and needs no step.
small problem   Coefficients that are at a bound and tend to stay there are set aside; the others are solved alone, on
                a copy of their part of the kernel. Then all are checked again.
Newton steps    Where steps of two coefficients alternate for long, all free coefficients are moved at once.
no overhead     All values of C, and all problems on parts of one kernel, are solved in one call of the core.

This module checks and packs; core/svm_path.cpp solves. There, ``alpha`` is b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wassergraph import _core
from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.errors import NotSolvedError
from wassergraph.status import STOPPED

#: How precisely SVMs are solved: ten times as precisely as SVC does, so that scores are those of the exact solution.
TOLERANCE = 1e-4


class Problems(NamedTuple):
    """Problems of two groups of training graphs each, one after the other.

    Attributes
    ----------
    ptr : (n_problems + 1) integers
        Problem p has the members ``ptr[p]`` to ``ptr[p + 1] - 1``.
    members : (n_members) integers
        The positions of training graphs.
    signs : (n_members) floats
        1 for the first group of a problem, -1 for the second.
    weights : (n_members) floats
        Factors of C, positive.
    """

    ptr: IntArray
    members: IntArray
    signs: FloatArray
    weights: FloatArray


class Starts(NamedTuple):
    """Coefficients that may be near the solutions; they change the number of steps, not the solutions.

    Attributes
    ----------
    coefficients : (k, n_members) floats
        Coefficients for the first k values of C, see :func:`starts_of`. They are used where they are better than the
        solution for the previous C.
    n_starts : (n_problems) integers
        For how many values of C they can be used in each problem.
    """

    coefficients: FloatArray
    n_starts: IntArray


class Options(NamedTuple):
    """How problems are solved; :func:`solve_problems` says what they mean."""

    C_values: FloatArray
    tol: float
    max_iter: int
    stop: BoolArray
    definite: bool
    skip_unsolved: bool


class Solutions(NamedTuple):
    """The solutions of problems for all values of C.

    Attributes
    ----------
    coefficients : (n_C, n_members) floats
        The coefficients.
    intercepts : (n_problems, n_C) floats
        The decision for a point x is the sum of ``kernel(x, member) * coefficient`` over the members of a problem, and
        the intercept.
    steps : (n_problems, n_C) integers
        The steps taken. From the first C on that was not solved they are a status, NOT_CONVERGED or STOPPED, and the
        coefficients are zero. They are STOPPED where a problem was not begun.
    skipped : (n_problems) booleans
        Which problems were not begun, since their kernel may have a negative eigenvalue.
    """

    coefficients: FloatArray
    intercepts: FloatArray
    steps: IntArray
    skipped: BoolArray


def solve_problems(
    kernel: FloatArray,
    problems: Problems,
    C_values: FloatArray,
    tol: float,
    max_iter: int,
    stop: BoolArray,
    starts: Starts | None = None,
    *,
    definite: bool = True,
    skip_unsolved: bool = False,
) -> Solutions:
    """Solve problems on parts of one kernel, for all values of C.

    Parameters
    ----------
    kernel : (n_train, n_train) floats
        The kernel of the training graphs.
    problems : Problems
        The problems.
    C_values : (n_C) floats
        The values of C, in increasing order.
    tol : float
        By how much gradients may violate the optimality conditions.
    max_iter : int
        The most steps for one C.
    stop : (1) booleans
        Becomes True if the work is to end.
    starts : Starts, optional
        Where to start.
    definite : bool
        Whether the kernel is known to have no negative eigenvalue.
    skip_unsolved : bool
        Whether other problems are solved after one that was not.

    Returns
    -------
    Solutions
    """
    n_problems, n_members, n_values = len(problems.ptr) - 1, len(problems.members), len(C_values)
    begun = starts or Starts(np.empty((0, n_members)), np.zeros(n_problems, dtype=np.int64))
    values = np.ascontiguousarray(C_values, dtype=np.float64)
    solutions = Solutions(
        np.zeros((n_values, n_members)),
        np.zeros((n_problems, n_values)),
        np.full((n_problems, n_values), STOPPED, dtype=np.int64),
        np.zeros(n_problems, dtype=np.bool_),
    )
    _core.solve_svm_problems(
        np.ascontiguousarray(kernel, dtype=np.float64),
        problems,
        Options(values, tol, max_iter, stop, definite, skip_unsolved),
        begun._replace(coefficients=np.ascontiguousarray(begun.coefficients)),
        solutions,
    )
    return solutions


def svm_path(
    kernel: FloatArray,
    y: FloatArray,
    C_values: FloatArray,
    tol: float,
    max_iter: int,
    stop: BoolArray,
    starts: FloatArray | None = None,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Solve one problem, of all training graphs, for all values of C.

    Parameters
    ----------
    kernel : (n, n) floats
        The kernel, without negative eigenvalues.
    y : (n) floats
        The classes, 1 and -1.
    C_values, tol, max_iter, stop
        As in :func:`solve_problems`.
    starts : (k, n) floats, optional
        Coefficients that may be near the solutions for the first k values of C.
    weights : (n) floats, optional
        Factors of C, positive; by default 1.

    Returns
    -------
    coefficients, intercepts, steps : (n_C, n), (n_C), (n_C)
        As in :class:`Solutions`.
    """
    n = len(y)
    members, ends = np.arange(n, dtype=np.int64), np.array([0, n], dtype=np.int64)
    factors = np.ones(n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    problems = Problems(ends, members, np.ascontiguousarray(y, dtype=np.float64), factors)
    begun = None if starts is None else Starts(starts, np.array([len(starts)], dtype=np.int64))
    solved = solve_problems(kernel, problems, C_values, tol, max_iter, stop, begun)
    return solved.coefficients, solved.intercepts[0], solved.steps[0]


def not_solved(value: float, max_iter: int, what: str = "machine") -> NotSolvedError:
    """Return the error for a C that was not solved in as many steps as are allowed."""
    problem = f"the support vector {what} with C={value:g} is not solved after {max_iter:,} steps"
    return NotSolvedError(f"{problem}: leave out such a large C")


def starts_of(
    coefficients: FloatArray, C_values: FloatArray, ratio: float, weights: FloatArray | float = 1.0
) -> FloatArray:
    """Compute starting coefficients for a gamma that is ``ratio`` times as large as the one that was solved.

    While gamma D is small, exp(-gamma D) is about 1 - gamma D, and the constant 1 has no effect because the
    coefficients sum to 0. So the SVM with ten times the gamma and a tenth of C is about the same, and its coefficients
    are about a tenth.

    Parameters
    ----------
    coefficients : (n_C, n) floats
        The solutions for the smaller gamma.
    C_values : (n_C) floats
        Their values of C, in increasing order.
    ratio : float
        The larger gamma divided by the smaller one.
    weights : (n) floats or 1
        Factors of C.

    Returns
    -------
    (k, n) floats
        Starts for the first k values of C: those for which ``ratio * C`` is among ``C_values``.
    """
    larger = start_sources(C_values, ratio)
    solved, bounds = coefficients[larger], C_values[: len(larger), None] * weights
    at_bound = np.abs(solved) >= C_values[larger, None] * weights
    return np.ascontiguousarray(np.where(at_bound, np.sign(solved) * bounds, solved / ratio))


def start_sources(C_values: FloatArray, ratio: float) -> IntArray:
    """Return, for the first values of C, the position of ``ratio * C`` among the values, up to one that is missing."""
    larger = np.searchsorted(C_values, np.asarray(C_values) * ratio * (1 - 1e-9))
    inside = larger < len(C_values)
    matches = np.isclose(C_values[larger[inside]], C_values[inside] * ratio, rtol=1e-9)
    return larger[: int(np.argmin(np.append(matches, False)))]


def decide(kernel: FloatArray, coefficients: FloatArray, intercepts: FloatArray) -> FloatArray:
    """Compute the decisions (n, n_problems) for rows of the kernel (n, n_train).

    They are summed in a fixed order, so a decision is the same to the last bit for any other rows, and on
    every computer; a matrix product guarantees neither. Coefficients of zero, as almost all are with many classes,
    are left out.
    """
    rows, weights, added = (np.ascontiguousarray(each, dtype=np.float64) for each in (kernel, coefficients, intercepts))
    decisions = np.empty((len(rows), len(weights)))
    _core.decide_rows(rows, weights, added, decisions)
    return decisions
