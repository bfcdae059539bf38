"""What the compiled functions of the solver get: named tuples of numbers and arrays, and the memory they work in.

Several problems are solved in one call. Each separates some of the training graphs, its members, into two groups; what
belongs to members is in arrays in which those of problem p are at ``ptr[p]`` to ``ptr[p + 1] - 1``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.learning.svm.limits import MAX_FREE, MAX_PART


class Coefficients(NamedTuple):
    """The coefficients of a problem, and what steps of them need (n each); smo.py says what they mean."""

    b: FloatArray
    slope: FloatArray
    low: FloatArray  # the least that a coefficient may be
    high: FloatArray
    diagonal: FloatArray  # of the kernel


class NewtonMemory(NamedTuple):
    """Memory for Newton steps of all free coefficients (newton.py)."""

    free: IntArray  # their positions
    block: FloatArray  # (n_free * n_free) their part of the kernel
    root: FloatArray  # (n_free * n_free) the triangle whose square that is
    slope: FloatArray
    least: FloatArray  # how far each may move down
    most: FloatArray
    step: FloatArray  # the step that would make all slopes equal
    ones: FloatArray  # the solution of a system of ones
    cut: FloatArray  # the step cut at the bounds


class PathMemory(NamedTuple):
    """Memory for one problem after the other."""

    block: FloatArray  # (n * n) the kernel of the members, if they are not all training graphs
    whole: Coefficients
    up: FloatArray  # 0 where a coefficient may move up, otherwise a negative number of no meaning
    down: FloatArray
    other_slope: FloatArray
    kept: IntArray  # the positions of coefficients that are not set aside
    part_block: FloatArray
    part: Coefficients
    newton: NewtonMemory


class PathTask(NamedTuple):
    """Problems to solve for several values of C; see ``solve_paths`` in paths.py."""

    n_train: int
    kernel: FloatArray  # (n_train * n_train)
    n_problems: int
    ptr: IntArray
    members: IntArray
    signs: FloatArray  # 1 for members of the first group, -1 for others
    weights: FloatArray  # the bound of a member's coefficient is this times C
    everyone: bool  # whether all training graphs, in their order, are the members of the only problem
    definite: bool  # whether the kernel is known to have no negative eigenvalue
    skip_unsolved: bool  # whether other problems are solved after one that was not
    n_values: int
    C_values: FloatArray
    tol: float
    max_iter: int
    stop: BoolArray
    n_starts: IntArray  # (n_problems) for how many values of C, from the first on, there are starts
    starts: FloatArray  # (values of C * members)
    memory: PathMemory
    coefficients: FloatArray  # (n_values * members)
    intercepts: FloatArray  # (n_problems * n_values)
    steps: IntArray  # (n_problems * n_values)
    skipped: BoolArray  # (n_problems) becomes True if the kernel of the members may have a negative eigenvalue


class DecisionTask(NamedTuple):
    """Problems to decide by; see ``decide_problems`` in decisions.py."""

    begin: int  # the first problem
    end: int
    ptr: IntArray
    n_members: int  # of all problems
    members: IntArray
    first_value: int  # the first value of C
    n_values: int
    all_values: int  # the number of all values of C
    coefficients: FloatArray  # (all_values * members)
    intercepts: FloatArray  # (all problems * all_values)
    n_test: int
    columns: FloatArray  # (n_train * n_test) the kernel of the training graphs with others
    stride: int  # how far the decisions of one problem are from those of the next; 0 if only votes are wanted
    decisions: FloatArray  # (problems * n_values * n_test), or those of one problem
    classes: IntArray  # (all problems * 2) the classes of each problem
    n_classes: int
    votes: NDArray[np.int32] | None  # (n_values * n_classes * n_test)


class SumTask(NamedTuple):
    """Decisions to sum in a fixed order; see ``sum_decisions`` in decisions.py."""

    n_rows: int
    n_train: int
    n_problems: int
    kernel: FloatArray  # (n_rows * n_train)
    coefficients: FloatArray  # (n_problems * n_train)
    intercepts: FloatArray  # (n_problems)
    used: IntArray  # (n_train) memory
    decisions: FloatArray  # (n_rows * n_problems)


def new_memory(n: int, *, everyone: bool) -> PathMemory:
    """Allocate memory for problems of at most n members; Linux and macOS provide it where it is first used."""
    part, free = int(MAX_PART * n), min(n, MAX_FREE)
    return PathMemory(
        block=np.empty(0 if everyone else n * n),
        whole=_new_coefficients(n),
        up=np.empty(n),
        down=np.empty(n),
        other_slope=np.empty(n),
        kept=np.empty(n, dtype=np.int64),
        part_block=np.empty(part * part),
        part=_new_coefficients(part),
        newton=NewtonMemory(
            np.empty(free, dtype=np.int64), np.empty(free * free), np.empty(free * free), *np.empty((6, free))
        ),
    )


def _new_coefficients(n: int) -> Coefficients:
    return Coefficients(*np.empty((5, n)))
