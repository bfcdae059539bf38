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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, Fold
from wassergraph.kernels.eigenvalues import has_no_negative_part
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.matrices import Matrices, is_known_definite
from wassergraph.learners.protocol import (
    FitOptions,
    KernelBlock,
    Learner,
    LearningProblem,
    Path,
    SharingLearner,
    TargetArray,
    as_kernel,
)
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
    several = None if allowed is None else [allowed]
    options: Any = {"groups": groups, "weights": weights, "effort": effort, "n_jobs": n_jobs, "progress": progress}
    return score_targets(matrices, [targets], folds, grid, learner, allowed=several, **options)[0]


def score_targets(
    matrices: Matrices,
    targets: Sequence[TargetArray],
    folds: Sequence[Fold],
    grid: Grid,
    learner: Learner | SharingLearner,
    *,
    groups: Sequence[int] | None = None,
    allowed: Sequence[NDArray[np.bool_]] | None = None,
    weights: FloatArray | None = None,
    effort: Effort = NO_LIMITS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[GridScores]:
    """Score every candidate in every fold for several targets of the same graphs, whose fits share their work.

    The parameters are those of :func:`score_grid`, with an array of targets, and perhaps the matrices that are allowed,
    for each of several targets, which need a :class:`SharingLearner`. Each target has the scores that it has alone.
    """
    for number, (train, _) in enumerate(folds):
        for each in targets:
            learner.check_training(each[train], f"the training part of fold {number}")
    stop = np.zeros(1, dtype=np.bool_)
    run = partial(run_tasks, stop=stop, n_jobs=n_jobs, progress=progress)
    with threadpool_limits(1):  # every task runs on one thread; the threads of BLAS would compete with the tasks
        definite = np.ones(grid.shape[:2], dtype=np.bool_)
        if learner.may_be_indefinite:
            used = np.ones(len(matrices), dtype=np.bool_) if allowed is None else np.any(np.vstack(allowed), axis=0)
            checks = [
                Task(partial(_check_definite, matrices, grid, m, definite), 1) for m in np.flatnonzero(used).tolist()
            ]
            with part(_CHECKS):
                run(checks, label="definiteness", unit="matrices")
        scores = [GridScores.empty(grid, len(folds)) for _ in targets]
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
    definite, everything = np.ones((1, grid.shape[1]), dtype=np.bool_), np.ones((1, *grid.shape[1:]), dtype=np.bool_)
    if learner.may_be_indefinite:
        _check_definite(matrix[None], grid, 0, definite)
    scores, stop = [GridScores.empty(grid, 1)], np.zeros(1, dtype=np.bool_)
    search = _Search(matrix[None], [targets], [fold], learner, definite, effort, scores, stop, None, None)
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
    """What all tasks of a search share; targets, their scores and what is allowed for them are lists."""

    matrices: Matrices
    targets: Sequence[TargetArray]
    folds: Sequence[Fold]
    learner: Learner | SharingLearner
    definite: NDArray[np.bool_]
    effort: Effort
    scores: list[GridScores]
    stop: NDArray[np.bool_]
    weights: FloatArray | None
    allowed: Sequence[NDArray[np.bool_]] | None


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
    wanted = np.stack([_remaining(search, number, fold, before) for number in range(len(search.targets))], axis=1)
    sizes = wanted.sum(axis=(1, 2, 3)).tolist()
    return [Task(partial(_score, search, m, fold, wanted[m]), size) for m, size in enumerate(sizes)]


def _remaining(search: _Search, number: int, fold: int, before: list[int]) -> NDArray[np.bool_]:
    """Return which candidates (n_matrices, n_gammas, n_C) of a target remain after the folds before this one."""
    scores = search.scores[number]
    wanted = np.ones(scores.grid.shape, dtype=np.bool_)
    if before:
        n_tested = sum(len(search.folds[other][1]) for other in before)
        error = partial(search.learner.standard_error, n_tested=n_tested)
        wanted = search.effort.remaining(scores.score[..., before], error, scores.grid.n_simple)
    return wanted if search.allowed is None else wanted & search.allowed[number][fold][:, None, None]


def _check_definite(matrices: Matrices, grid: Grid, m: int, definite: NDArray[np.bool_]) -> None:
    """Mark the gammas whose kernel has no negative part; then no part of that kernel has one."""
    if is_known_definite(matrices[m]):
        return
    matrix = np.asarray(matrices[m])
    for g, gamma in enumerate(grid.kernel_gammas(m)):
        definite[m, g] = has_no_negative_part(as_kernel(matrix, gamma))


def _score(search: _Search, m: int, fold: int, wanted: NDArray[np.bool_]) -> None:
    """Score the wanted gammas and C (n_targets, n_gammas, n_C) with one matrix in one fold.

    Smaller C are fitted on the way.
    """
    if not wanted.any():
        return
    learner, grid, (train, test) = search.learner, search.scores[0].grid, search.folds[fold]
    train = train[learner.order(search.targets[0][train])] if len(search.targets) == 1 else train
    among, across = search.matrices[m][np.ix_(train, train)], search.matrices[m][np.ix_(test, train)]
    options = FitOptions(search.stop, search.effort, warm_start={})
    memory = np.empty(among.shape), np.empty(across.shape)  # for the kernels of one gamma after the other
    gammas = grid.kernel_gammas(m)
    for g in np.flatnonzero(wanted.any(axis=(0, 2))).tolist():
        if search.stop[0]:
            return
        begin = time.perf_counter()
        gamma, asked = gammas[g], np.flatnonzero(wanted[:, g].any(axis=1)).tolist()
        n_fits = [int(np.flatnonzero(wanted[number, g])[-1]) + 1 for number in asked]
        kernel, rows = as_kernel(among, gamma, memory[0]), as_kernel(across, gamma, memory[1])
        own = None if search.weights is None else search.weights[train]
        block = KernelBlock(kernel, rows, gamma, bool(search.definite[m, g]), own)
        problems = [
            LearningProblem(search.targets[number][train], grid.C_values[:n])
            for number, n in zip(asked, n_fits, strict=True)
        ]
        paths = _fit_paths(learner, block, problems, options)
        seconds = (time.perf_counter() - begin) / sum(n_fits)
        for number, n, path in zip(asked, n_fits, paths, strict=True):
            scored, cell = wanted[number, g, :n] & (path.steps >= 0), (m, g, slice(n), fold)
            scores, tested = search.scores[number], search.targets[number][test]
            scores.score[cell] = np.where(scored, learner.score(path, tested), np.nan)
            scores.steps[cell], scores.seconds[cell] = path.steps, seconds


def _fit_paths(
    learner: Learner | SharingLearner, block: KernelBlock, problems: Sequence[LearningProblem], options: FitOptions
) -> list[Path]:
    """Fit every C for each of several targets, or for the only one."""
    if len(problems) == 1:
        return [learner.fit_path(block, *problems[0], options)]
    assert isinstance(learner, SharingLearner)
    return learner.fit_paths(block, problems, options)
