"""Nested cross-validation: parameters are chosen in inner folds, and tested in outer ones.

It works with any learner, on distances or kernels that were computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray
from wassergraph.learning.effort import NO_LIMITS, Effort
from wassergraph.learning.folds import Fold
from wassergraph.learning.grid import Grid, GridScores
from wassergraph.learning.learners import Learner, Targets, kernel_block
from wassergraph.learning.selection import score_grid
from wassergraph.parallel.compilation import StepTimes
from wassergraph.parallel.threads import n_threads
from wassergraph.transport.status import NOT_CONVERGED


@dataclass(frozen=True)
class NestedScores:
    """The result of a nested cross-validation.

    Attributes
    ----------
    score : (n_folds) floats
        The score on the test graphs of every outer fold.
    parameters : list of dict
        The parameters chosen in each outer fold, on its training part alone.
    inner_score : (n_folds) floats
        The mean score of these parameters in the inner folds.
    predictions : list of (n_test) arrays
        What was predicted for the test graphs of each outer fold.
    n_unsolved : int
        The number of candidates and inner folds that were left out because a fit took too many steps.
    seconds : dict
        The time of each step, and of compiling.
    """

    score: FloatArray
    parameters: list[dict[str, Any]]
    inner_score: FloatArray
    predictions: list[NDArray[Any]]
    n_unsolved: int
    seconds: dict[str, float]


def nested_cross_validation(
    matrices: NDArray[Any],
    targets: Targets,
    outer: Sequence[Fold],
    inner: Sequence[Sequence[Fold]],
    grid: Grid,
    learner: Learner,
    *,
    effort: Effort = NO_LIMITS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NestedScores:
    """Choose parameters in the inner folds of every outer fold, fit with them, and test.

    Parameters
    ----------
    matrices : (n_matrices, N, N) floats
        The distances, or kernels, of the grid.
    targets : (N) array
        What the learner predicts.
    outer : sequence of (train, test)
        The outer folds, as positions of graphs.
    inner : sequence of sequences of (train, test)
        For each outer fold, folds of its training graphs, as positions among all graphs.
    grid : Grid
        The candidates.
    learner : Learner
        What is fitted.
    effort : Effort
        Which candidates may be left out.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.

    Returns
    -------
    NestedScores
        Scores, choices and predictions by outer fold.
    """
    times = StepTimes()
    groups = np.repeat(np.arange(len(inner)), [len(folds) for folds in inner]).tolist()
    inner_folds = [fold for folds in inner for fold in folds]
    options: Any = {"groups": groups, "effort": effort, "n_jobs": n_jobs, "progress": progress}
    with times.step("selection"):
        scores = score_grid(matrices, targets, inner_folds, grid, learner, **options)
    best = _best_by_group(scores, [len(folds) for folds in inner])
    with times.step("training and test"), threadpool_limits(n_threads(n_jobs)):
        predictions = [
            _predict(matrices, targets, fold, grid, number, learner)
            for fold, (number, _) in zip(outer, best, strict=True)
        ]
    tested = zip(predictions, outer, strict=True)
    return NestedScores(
        score=np.array([learner.score(predicted, targets[test]) for predicted, (_, test) in tested]),
        parameters=[grid.candidate(number) for number, _ in best],
        inner_score=np.array([score for _, score in best]),
        predictions=predictions,
        n_unsolved=int((scores.steps == NOT_CONVERGED).sum()),
        seconds=times.seconds,
    )


def _best_by_group(scores: GridScores, sizes: Sequence[int]) -> list[tuple[int, float]]:
    """Return the best candidate, and its mean score, in each of several consecutive groups of folds."""
    ends = np.cumsum(sizes).tolist()
    return [scores.take(range(end - size, end)).best() for end, size in zip(ends, sizes, strict=True)]


def _predict(
    matrices: NDArray[Any], targets: Targets, fold: Fold, grid: Grid, number: int, learner: Learner
) -> NDArray[Any]:
    """Fit with the chosen candidate, and return the predictions for the test graphs."""
    train, test = fold
    m, g, c = grid.indices(number)
    definite = not learner.may_be_indefinite
    block = kernel_block(matrices[m], train, test, grid.kernel_gammas[g], definite=definite)
    # The path leads through the smaller values of C, as it did when the candidate was scored.
    stop = np.zeros(1, dtype=np.bool_)
    return np.asarray(learner.fit_path(block, targets[train], grid.C_values[: c + 1], stop=stop).predictions[-1])
