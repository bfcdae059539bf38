"""Nested cross-validation: parameters are chosen in inner folds, and tested in outer ones.

It works with any learner, on distances or kernels that were computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, Fold
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.gaussian import fit_column_weight, fit_processes
from wassergraph.learners.matrices import DerivedMatrix, Matrices
from wassergraph.learners.protocol import Choice, Learner, Needed, Path, TargetArray
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.stages import part
from wassergraph.parallel.step_times import StepTimes
from wassergraph.parallel.threads import Task, run_tasks
from wassergraph.scores.outputs import Outputs
from wassergraph.status import NOT_CONVERGED
from wassergraph.tuning.folds import NestedFolds
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.selection import choose, score_grid

#: The share of the time of a nested cross-validation that choosing parameters takes, about.
_SELECTION = 0.95


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
    outputs : list of Outputs
        What was predicted for the test graphs of each outer fold.
    n_unsolved : int
        The number of candidates and inner folds that were left out because a fit took too many steps.
    seconds : dict
        The time of each step.
    """

    score: FloatArray
    parameters: list[dict[str, Any]]
    inner_score: FloatArray
    outputs: list[Outputs]
    n_unsolved: int
    seconds: dict[str, float]


def join_folds(parts: Sequence[NestedScores]) -> NestedScores:
    """Return the results of some outer folds after those of others."""
    return NestedScores(
        score=np.concatenate([part.score for part in parts]),
        parameters=[chosen for part in parts for chosen in part.parameters],
        inner_score=np.concatenate([part.inner_score for part in parts]),
        outputs=[each for part in parts for each in part.outputs],
        n_unsolved=sum(part.n_unsolved for part in parts),
        seconds={step: sum(part.seconds[step] for part in parts) for step in parts[0].seconds},
    )


def nested_cross_validation(
    matrices: Matrices,
    targets: TargetArray,
    folds: NestedFolds,
    grid: Grid,
    learner: Learner,
    *,
    needs: Needed = (),
    kept: NDArray[np.bool_] | None = None,
    effort: Effort = NO_LIMITS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NestedScores:
    """Choose parameters in the inner folds of every outer fold, fit with them, and test.

    Parameters
    ----------
    matrices : (n_matrices, N, N) floats, or sequence of DerivedMatrix
        The distances, or kernels, of the grid.
    targets : (N) array
        What the learner predicts.
    folds : NestedFolds
        The outer and inner folds.
    grid : Grid
        The candidates.
    learner : Learner
        What is fitted.
    needs : collection of str
        What metrics need of the outputs besides predictions.
    kept : (n_outer_folds, n_matrices) booleans, optional
        Which matrices are candidates in each outer fold; by default all. Those that are candidates in none may be None.
    effort : Effort
        Which candidates may be left out.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    NestedScores
        Scores, choices and predictions by outer fold.
    """
    times = StepTimes()
    inner, groups = folds.all_inner, folds.groups
    allowed = None if kept is None else kept[groups]
    options: Any = {"groups": groups, "allowed": allowed, "effort": effort, "n_jobs": n_jobs, "progress": progress}
    with times.step("selection"), part(_SELECTION):
        scores = score_grid(matrices, targets, inner, grid, learner, **options)
    best = [
        choose(scores.take(own), sum(len(inner[fold][1]) for fold in own), learner, effort) for own in folds.by_group
    ]
    tested: dict[int, Outputs] = {}

    def test(number: int) -> None:
        m, g, c = grid.indices(best[number][0])
        choice = Choice(grid.kernel_gammas(m)[g], grid.C_values[: c + 1])
        tested[number] = learner.test(matrices[m], targets, folds.outer[number], folds.inner[number], choice, needs)

    with times.step("training and test"):
        tasks = [Task(partial(test, number), 1) for number in range(len(best))]
        with threadpool_limits(1):
            run_tasks(tasks, np.zeros(1, dtype=np.bool_), n_jobs, label="test", unit="folds", progress=False)
    outputs = [tested[number] for number in range(len(best))]
    known = [targets[test] for _, test in folds.outer]
    return NestedScores(
        score=np.array([_score(learner, *each) for each in zip(outputs, known, strict=True)]),
        parameters=[grid.candidate(number) for number, _ in best],
        inner_score=np.array([score for _, score in best]),
        outputs=outputs,
        n_unsolved=int((scores.steps == NOT_CONVERGED).sum()),
        seconds=times.seconds,
    )


def _score(learner: Learner, outputs: Outputs, targets: TargetArray) -> float:
    """Return the score of what one model says."""
    scores = None if outputs.scores is None else outputs.scores[None]
    return float(learner.score(Path(outputs.predictions[None], np.ones(1, dtype=np.int64), scores), targets)[0])


def nested_processes(
    matrices: Matrices,
    targets: FloatArray,
    outer: Sequence[Fold],
    grid: Grid,
    *,
    kept: NDArray[np.bool_] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NestedScores:
    """Fit a Gaussian process to the training part of every outer fold, and test it.

    There are no inner folds: gamma, noise and signal variance maximize the marginal likelihood of the training part,
    and so does the matrix, as in :class:`wassergraph.GraphGaussianProcess`. The inner score is the logarithm of that
    likelihood, divided by the number of training graphs.

    Parameters
    ----------
    matrices : (n_matrices, N, N) floats
        The distances of the grid.
    targets : (N) floats
        The numbers to predict.
    outer : sequence of (train, test)
        The outer folds, as positions of graphs.
    grid : Grid
        The matrices to choose from; other parameters of the grid are not used.
    kept : (n_outer_folds, n_matrices) booleans, optional
        Which matrices are candidates in each outer fold; by default all.
    random_state : int
        The seed for the graphs that matrices are compared on, if there are many.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    NestedScores
    """
    times, found = StepTimes(), []
    with Progress("evidence", len(outer), "folds", show=progress) as bar:
        for number, (train, test) in enumerate(outer):
            used = list(range(len(matrices))) if kept is None else np.flatnonzero(kept[number]).tolist()
            with times.step("selection"):
                blocks = [matrices[m][np.ix_(train, train)] for m in used]
                fitted = fit_processes(blocks, targets[train], np.random.RandomState(random_state), n_jobs=n_jobs)
                best = max(fitted, key=lambda position: fitted[position].log_likelihood)
                matrix, process, own = matrices[used[best]], fitted[best], dict(grid.matrices[used[best]])
                if isinstance(matrix, DerivedMatrix) and matrix.column_weight:
                    weighed, process = fit_column_weight(matrix.take(train), process, targets[train])
                    matrix = replace(matrix, column_weight=weighed.column_weight)
                    own["column_weight"] = weighed.column_weight
            with times.step("training and test"):
                mean, deviation = process.predict(matrix[np.ix_(test, train)])
            found.append((own, process, Outputs(mean, deviations=deviation)))
            bar.update(1)
    tested = zip(found, outer, strict=True)
    return NestedScores(
        score=np.array([-np.mean((each.predictions - targets[test]) ** 2) for (*_, each), (_, test) in tested]),
        parameters=[{**own, "gamma": process.gamma} for own, process, _ in found],
        inner_score=np.array([process.log_likelihood / len(process.coefficients) for _, process, _ in found]),
        outputs=[each for *_, each in found],
        n_unsolved=0,
        seconds=times.seconds,
    )
