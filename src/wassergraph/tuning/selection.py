"""The choice of the matrix (depth), gamma and C by cross-validation, on matrices that were computed once.

    matrices (n_matrices, N, N) ──score_grid──▶ a score for every matrix, gamma, C and fold ──best──▶ the best candidate

The matrices are the distances for each depth, or kernels. A task takes one matrix and one fold. It copies its part of
the matrix once, computes the kernel for every gamma, and fits all C in one path. Nested selection is
the same with more folds: the inner folds of all outer training sets at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, Fold
from wassergraph.kernels.eigenvalues import has_no_negative_part
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.matrices import Matrices, is_known_definite
from wassergraph.learners.protocol import FitOptions, KernelBlock, Learner, TargetArray, as_kernel
from wassergraph.parallel.stages import part
from wassergraph.parallel.threads import Task, run_tasks
from wassergraph.tuning.grid import Grid, GridScores

#: The share of a search that checks of definiteness take, and that of the candidates that remain after a round, about.
_CHECKS, _NEAR_BEST = 0.1, 0.85


def score_grid(
    matrices: Matrices,
    targets: TargetArray,
    folds: Sequence[Fold],
    grid: Grid,
    learner: Learner,
    *,
    groups: Sequence[int] | None = None,
    allowed: NDArray[np.bool_] | None = None,
    weights: FloatArray | None = None,
    effort: Effort = NO_LIMITS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> GridScores:
    """Score every candidate in every fold.

    Parameters
    ----------
    matrices : (n_matrices, N, N) floats, or sequence of DerivedMatrix
        The distances, or kernels, of the grid.
    targets : (N) array
        What the learner predicts, as it expects it; for an SVM the classes, numbered from 0.
    folds : sequence of (train, test)
        Positions of graphs.
    grid : Grid
        The candidates.
    learner : Learner
        What is fitted. If its kernels may be indefinite, each is checked by a Cholesky decomposition first.
    groups : (n_folds) integers, optional
        Folds with the same number belong to the same choice of parameters; by default all do.
    allowed : (n_folds, n_matrices) booleans, optional
        Which matrices are candidates in each fold; by default all. Those that are candidates in none may be None.
    weights : (N) floats, optional
        How much each graph counts in the fits, for learners that weigh graphs.
    effort : Effort
        Which candidates may be left out.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    GridScores
        The score of every candidate in every fold.
    """
    for number, (train, _) in enumerate(folds):
        learner.check_training(targets[train], f"the training part of fold {number}")
    stop = np.zeros(1, dtype=np.bool_)
    run = partial(run_tasks, stop=stop, n_jobs=n_jobs, progress=progress)
    with threadpool_limits(1):  # every task runs on one thread; the threads of BLAS would compete with the tasks
        definite = np.ones(grid.shape[:2], dtype=np.bool_)
        if learner.may_be_indefinite:
            used = np.arange(len(matrices)) if allowed is None else np.flatnonzero(allowed.any(axis=0))
            checks = [Task(partial(_check_definite, matrices, grid, m, definite), 1) for m in used.tolist()]
            with part(_CHECKS):
                run(checks, label="definiteness", unit="matrices")
        scores = GridScores.empty(grid, len(folds))
        search = _Search(matrices, targets, folds, learner, definite, effort, scores, stop, weights, allowed)
        rounds = _rounds(effort, groups or [0] * len(folds))
        shares = round_shares(effort, len(matrices), grid.n_simple, len(rounds))
        for number, folds_before in enumerate(rounds, 1):
            tasks = [task for fold, before in folds_before.items() for task in _tasks(search, fold, before)]
            label = "selection" if len(rounds) == 1 else f"selection, round {number} of {len(rounds)}"
            with part(shares[number - 1] / sum(shares)):
                run(tasks, label=label, unit="fits")
    return search.scores


def score_task(
    matrix: NDArray[np.floating], targets: TargetArray, fold: Fold, grid: Grid, learner: Learner, effort: Effort
) -> Callable[[], None]:
    """Return one of the tasks of :func:`score_grid`: what scores the candidates of one matrix in one fold."""
    definite, everything = np.ones((1, grid.shape[1]), dtype=np.bool_), np.ones(grid.shape[1:], dtype=np.bool_)
    if learner.may_be_indefinite:
        _check_definite(matrix[None], grid, 0, definite)
    scores, stop = GridScores.empty(grid, 1), np.zeros(1, dtype=np.bool_)
    search = _Search(matrix[None], targets, [fold], learner, definite, effort, scores, stop, None, None)
    return partial(_score, search, 0, 0, everything)


def choose(scores: GridScores, n_tested: int, learner: Learner, effort: Effort) -> tuple[int, float]:
    """Return the number and the mean score of the candidate to use, from scores on ``n_tested`` graphs in all."""
    number, score = scores.best()
    return scores.best(effort.lead * learner.standard_error(score, n_tested)) if effort.lead else (number, score)


def round_shares(effort: Effort, n_matrices: int, n_simple: int, n_rounds: int) -> list[float]:
    """Return which share of the candidates is scored in each round, about: how many drop out is not known before."""
    if effort.margin is None:
        return [1.0] * n_rounds
    kept = [
        effort.keep[min(number, len(effort.keep) - 1)] + n_simple if effort.keep else n_matrices
        for number in range(n_rounds)
    ]
    return [1.0, *(_NEAR_BEST * min(most / n_matrices, 1.0) for most in kept)][:n_rounds]


class _Search(NamedTuple):
    """What all tasks of a search share."""

    matrices: Matrices
    targets: TargetArray
    folds: Sequence[Fold]
    learner: Learner
    definite: NDArray[np.bool_]
    effort: Effort
    scores: GridScores
    stop: NDArray[np.bool_]
    weights: FloatArray | None
    allowed: NDArray[np.bool_] | None


def _rounds(effort: Effort, groups: Sequence[int]) -> list[dict[int, list[int]]]:
    """Return the folds of every round, and for each the earlier folds of its group.

    If no candidate may be dropped, all folds are one round; otherwise the first folds of all groups are the first
    round, the second folds the next, and so on.
    """
    if effort.margin is None:
        return [{fold: [] for fold in range(len(groups))}]
    rounds: list[dict[int, list[int]]] = []
    members: dict[int, list[int]] = {}
    for fold, group in enumerate(groups):
        before = members.setdefault(group, [])
        if len(rounds) == len(before):
            rounds.append({})
        rounds[len(before)][fold] = before.copy()
        before.append(fold)
    return rounds


def _tasks(search: _Search, fold: int, before: list[int]) -> list[Task]:
    """Return a task for every matrix in one fold, for the candidates that remain after the folds before it."""
    wanted = np.ones(search.scores.grid.shape, dtype=np.bool_)
    if before:
        n_tested = sum(len(search.folds[other][1]) for other in before)
        error = partial(search.learner.standard_error, n_tested=n_tested)
        wanted = search.effort.remaining(search.scores.score[..., before], error, search.scores.grid.n_simple)
    if search.allowed is not None:
        wanted &= search.allowed[fold][:, None, None]
    return [Task(partial(_score, search, m, fold, chosen), int(chosen.sum())) for m, chosen in enumerate(wanted)]


def _check_definite(matrices: Matrices, grid: Grid, m: int, definite: NDArray[np.bool_]) -> None:
    """Mark the gammas whose kernel has no negative part; then no part of that kernel has one."""
    if is_known_definite(matrices[m]):
        return
    matrix = np.asarray(matrices[m])
    for g, gamma in enumerate(grid.kernel_gammas(m)):
        definite[m, g] = has_no_negative_part(as_kernel(matrix, gamma))


def _score(search: _Search, m: int, fold: int, wanted: NDArray[np.bool_]) -> None:
    """Score the wanted gammas and C (n_gammas, n_C) with one matrix in one fold; smaller C are fitted on the way."""
    if not wanted.any():
        return
    learner, targets, grid, (train, test) = search.learner, search.targets, search.scores.grid, search.folds[fold]
    train = train[learner.order(targets[train])]
    among, across = search.matrices[m][np.ix_(train, train)], search.matrices[m][np.ix_(test, train)]
    options = FitOptions(search.stop, search.effort, warm_start={})
    memory = np.empty(among.shape), np.empty(across.shape)  # for the kernels of one gamma after the other
    gammas = grid.kernel_gammas(m)
    for g in np.flatnonzero(wanted.any(axis=1)).tolist():
        if search.stop[0]:
            return
        begin = time.perf_counter()
        gamma, n_fits = gammas[g], int(np.flatnonzero(wanted[g])[-1]) + 1
        kernel, rows = as_kernel(among, gamma, memory[0]), as_kernel(across, gamma, memory[1])
        own = None if search.weights is None else search.weights[train]
        block = KernelBlock(kernel, rows, gamma, bool(search.definite[m, g]), own)
        path = learner.fit_path(block, targets[train], grid.C_values[:n_fits], options)
        scored = wanted[g, :n_fits] & (path.steps >= 0)
        cell = (m, g, slice(n_fits), fold)
        search.scores.score[cell] = np.where(scored, learner.score(path, targets[test]), np.nan)
        search.scores.steps[cell] = path.steps
        search.scores.seconds[cell] = (time.perf_counter() - begin) / n_fits
