"""Decisions of many SVMs, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.learning.svm.compiled import compiled_svm
from wassergraph.learning.svm.tasks import DecisionTask, SumTask
from wassergraph.transport.compiled import compiled


@compiled_svm
def decide_problems(task: DecisionTask) -> None:
    """Compute the decisions of problems, for several values of C, and count votes if they are wanted."""
    for p in range(task.begin, task.end):
        place = (p - task.begin) * task.stride
        for k in range(task.n_values):
            intercept = task.intercepts[p * task.all_values + task.first_value + k]
            for t in range(task.n_test):
                task.decisions[place + k * task.n_test + t] = intercept
        _add_members(p, place, task)
        _count_votes(p, place, task, task.votes)


@compiled_svm
def _add_members(p: int, place: int, task: DecisionTask) -> None:
    """Add what the members of a problem contribute to decisions, which begin at a place."""
    n_test, columns, decisions = task.n_test, task.columns, task.decisions
    for position in range(task.ptr[p], task.ptr[p + 1]):
        column = task.members[position] * n_test
        for k in range(task.n_values):
            amount = task.coefficients[(task.first_value + k) * task.n_members + position]
            if amount != 0.0:  # as almost all are with many classes
                row = place + k * n_test
                for t in range(n_test):
                    decisions[row + t] += amount * columns[column + t]


@compiled_svm
def _count_votes(p: int, place: int, task: DecisionTask, votes: NDArray[np.int32] | None) -> None:
    """Add a vote for the first class of a problem where the decision is positive, otherwise for its second."""
    if votes is None:
        return
    first, second = task.classes[2 * p], task.classes[2 * p + 1]
    for k in range(task.n_values):
        for t in range(task.n_test):
            chosen = first if task.decisions[place + k * task.n_test + t] > 0.0 else second
            votes[(k * task.n_classes + chosen) * task.n_test + t] += 1


@compiled(set())
def sum_decisions(task: SumTask) -> None:
    """Compute decisions (n_rows, n_problems), each summed in the order of the training graphs, without zeros."""
    for p in range(task.n_problems):
        n_used = 0
        for t in range(task.n_train):
            if task.coefficients[p * task.n_train + t] != 0.0:
                task.used[n_used] = t
                n_used += 1
        for i in range(task.n_rows):
            total = 0.0
            for u in range(n_used):
                t = task.used[u]
                total += task.kernel[i * task.n_train + t] * task.coefficients[p * task.n_train + t]
            task.decisions[i * task.n_problems + p] = total + task.intercepts[p]
