"""The choice of depth, gamma and C by cross-validation, on matrices that were computed once.

    matrices (n_matrices, N, N) ──score_grid──▶ an accuracy for every matrix, gamma, C and fold ──best──▶ the best

The matrices are the distances for each depth, or kernels. A task takes one of them and one fold. It copies its part of
the matrix once, and makes the kernel of it for every gamma; for every two classes, one compiled call solves all C in a
row (:mod:`wassergraph.learning.svm.smo`). Nested selection is the same with more folds: those of all outer training sets at
once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.krein import Flip, flip, has_no_negative_part
from wassergraph.learning.svm.multiclass import Votes, present_classes, problems
from wassergraph.learning.svm.smo import INTERRUPTED, NO_STARTS, NOT_CONVERGED, starts_of, svm_path
from wassergraph.parallel.threads import Task, run_tasks

Fold: TypeAlias = tuple[IntArray, IntArray]
#: For every pair of classes the last gamma, its costs, and the coefficients found for them.
Memory: TypeAlias = dict[int, tuple[float, FloatArray, FloatArray]]

#: The paper's ranges (appendix A.6): gamma, and C for labels and for attributes.
GAMMAS = (1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1)
LABEL_COSTS = (1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5)
ATTRIBUTE_COSTS = (1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3)
#: How precisely the machines are solved: ten times as SVC does, so that scores are those of the exact solution.
TOLERANCE = 1e-4
#: The most steps of one machine, as in libsvm.
MAX_STEPS = 10_000_000


@dataclass(frozen=True)
class Grid:
    """The candidates: all matrices with all gammas with all C (``costs``), the numbers sorted and without repeats.

    ``matrices`` says what tells each matrix from the others, as ``{"depth": 3}``, the simplest first. They are
    distances, or, where ``gammas`` is None, kernels as they are.
    """

    matrices: tuple[Mapping[str, Any], ...]
    gammas: tuple[float, ...] | None = GAMMAS
    costs: tuple[float, ...] = ATTRIBUTE_COSTS

    @classmethod
    def of_depths(
        cls, depths: Iterable[int], gammas: tuple[float, ...] = GAMMAS, costs: tuple[float, ...] = ATTRIBUTE_COSTS
    ) -> Grid:
        """Make the grid of WWL, whose matrices are the distances for each depth."""
        return cls(tuple({"depth": depth} for depth in depths), gammas, costs)

    @property
    def scales(self) -> tuple[float | None, ...]:
        """What the matrices are made kernels with; None stands for kernels as they are."""
        return (None,) if self.gammas is None else self.gammas

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many matrices, gammas and C there are."""
        return len(self.matrices), len(self.scales), len(self.costs)

    def candidate(self, number: int) -> dict[str, Any]:
        """Give the parameters of one candidate, numbered matrix by matrix, gamma by gamma, C by C."""
        m, g, c = self.place(number)
        gamma = {} if self.gammas is None else {"gamma": self.gammas[g]}
        return {**self.matrices[m], **gamma, "C": self.costs[c]}

    def place(self, number: int) -> tuple[int, int, int]:
        """Give the numbers of the matrix, the gamma and the C of one candidate."""
        m, g, c = np.unravel_index(number, self.shape)
        return int(m), int(g), int(c)


def positive_numbers(name: str, values: Any) -> tuple[float, ...]:
    """Read one positive number or several, sorted and without repeats."""
    listed = [values] if np.ndim(values) == 0 and not isinstance(values, set) else list(values)
    try:
        numbers = {float(value) for value in listed}
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a positive number or several, got {values!r}") from None
    if not numbers or not all(0 < number < math.inf for number in numbers):
        raise ValueError(f"{name} must be a positive number or several, got {values!r}")
    return tuple(sorted(numbers))


@dataclass(frozen=True)
class Effort:
    """How much work selection may be; by default all that it takes.

    Attributes
    ----------
    margin : float or None
        After every fold, leave out candidates that are behind the best one, on the folds so far, by more than so many
        standard errors (of the difference of two shares, as if both were independent, which is cautious).
    max_steps : int
        The most steps of one machine.
    leave_out : bool
        Whether a candidate whose machine is not solved in so many steps is left out, and so are those with larger C;
        otherwise it is an error.
    """

    margin: float | None = None
    max_steps: int = MAX_STEPS
    leave_out: bool = False

    def still_in(self, accuracy: FloatArray, n_tested: int) -> NDArray[np.bool_]:
        """Say which candidates (...) stay, by their accuracy in the folds so far (..., n_folds)."""
        means = accuracy.mean(axis=-1)
        present = ~np.isnan(means)
        if self.margin is None or not present.any():
            return np.asarray(present)
        best = means[present].max()
        error = np.sqrt(2 * max(best * (1 - best), 1 / n_tested) / n_tested)
        return np.asarray(present & (means >= best - self.margin * error))


FULL = Effort()


@dataclass(frozen=True)
class GridScores:
    """What every candidate reached in every fold: (n_matrices, n_gammas, n_costs, n_folds) each.

    ``seconds`` is the time of the row of C that a candidate lies on, shared equally; ``steps`` those of its solver,
    NOT_CONVERGED where it was not solved. The accuracy of candidates that were left out is NaN.
    """

    grid: Grid
    accuracy: FloatArray
    seconds: FloatArray
    steps: IntArray

    def take(self, folds: Sequence[int]) -> GridScores:
        """Give the scores in some of the folds."""
        chosen = np.asarray(folds)
        return GridScores(
            self.grid, self.accuracy[..., chosen], self.seconds[..., chosen], np.asarray(self.steps[..., chosen])
        )

    def best(self) -> tuple[int, float]:
        """Give the number and the mean accuracy of the best candidate.

        Of several that are equally good the simplest is taken: the first matrix, then the smallest C, then gamma.
        """
        means = self.accuracy.mean(axis=-1)
        means = np.where(np.isnan(means), -1.0, means)
        if means.max() < 0:
            raise RuntimeError("no candidate could be solved: take a smaller C, or allow more steps")
        ties = np.argwhere(means >= means.max() - 1e-12)
        h, g, c = min(ties.tolist(), key=lambda place: (place[0], place[2], place[1]))
        return int(np.ravel_multi_index((h, g, c), means.shape)), float(means[h, g, c])

    def table(self) -> dict[str, Any]:
        """Give a row for every candidate, in the columns of scikit-learn's ``cv_results_``."""
        accuracy = self.accuracy.reshape(-1, self.accuracy.shape[-1])
        candidates = [self.grid.candidate(number) for number in range(len(accuracy))]
        means = accuracy.mean(axis=1)
        rounded = np.round(means, 12)
        return {
            "params": candidates,
            **{f"param_{name}": np.array([row[name] for row in candidates]) for name in candidates[0]},
            **{f"split{fold}_test_score": accuracy[:, fold] for fold in range(accuracy.shape[1])},
            "mean_test_score": means,
            "std_test_score": accuracy.std(axis=1),
            "rank_test_score": 1 + (rounded[None, :] > rounded[:, None]).sum(axis=1),
            "mean_fit_time": self.seconds.reshape(accuracy.shape).mean(axis=1),
            "mean_steps": self.steps.reshape(accuracy.shape).mean(axis=1),
        }


def score_grid(
    matrices: NDArray[Any],
    codes: IntArray,
    folds: Sequence[Fold],
    grid: Grid,
    *,
    krein: bool,
    groups: Sequence[int] | None = None,
    effort: Effort = FULL,
    n_jobs: int | None = None,
    progress: bool = False,
) -> GridScores:
    """Score every candidate in every fold.

    Parameters
    ----------
    matrices : (n_matrices, N, N) floats
        The distances, or kernels, that the grid names.
    codes : (N) integers
        The classes, numbered from 0.
    folds : sequence of (train, test)
        Positions of graphs; every class must be among the training graphs.
    grid : Grid
        The candidates.
    krein : bool
        Whether kernels may be indefinite, so that their negative part must be flipped. It costs a Cholesky
        decomposition per matrix and gamma where they are not.
    groups : (n_folds) integers, optional
        Which folds one choice is made on; by default all of them are for the same one.
    effort : Effort
        Which candidates may be left out.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.
    """
    n_classes = int(codes.max()) + 1
    for number, (train, _) in enumerate(folds):
        present_classes(codes[train], range(n_classes), f"the training part of fold {number}")
    shape = (*grid.shape, len(folds))
    scores = GridScores(grid, np.full(shape, np.nan), np.zeros(shape), np.zeros(shape, dtype=np.int64))
    stop = np.zeros(1, dtype=np.bool_)
    with threadpool_limits(1):  # the threads are ours; a second lot inside of each would only be in the way
        definite = np.ones(grid.shape[:2], dtype=np.bool_)
        if krein:
            checks = [Task(partial(_judge, matrices[m], grid.scales, definite[m]), 1) for m in range(len(matrices))]
            run_tasks(checks, stop, n_jobs, label="definiteness", unit="matrices", progress=progress)
        everything: list[dict[int, list[int]]] = [{f: [] for f in range(len(folds))}]
        rounds = everything if effort.margin is None else _rounds(groups or [0] * len(folds))
        work = _Work(matrices, codes, n_classes, folds, definite, effort, scores, stop)
        for number, before in enumerate(rounds, 1):
            tasks = [task for f, earlier in before.items() for task in _tasks(work, f, earlier)]
            label = "selection" if len(rounds) == 1 else f"selection, round {number} of {len(rounds)}"
            run_tasks(tasks, stop, n_jobs, label=label, unit="machines", progress=progress)
    return scores


def _rounds(groups: Sequence[int]) -> list[dict[int, list[int]]]:
    """Give the first folds of all groups, then the second ones, and so on, each with those of its group before it."""
    rounds: list[dict[int, list[int]]] = []
    seen: dict[int, list[int]] = {}
    for f, group in enumerate(groups):
        before = seen.setdefault(group, [])
        if len(rounds) == len(before):
            rounds.append({})
        rounds[len(before)][f] = before.copy()
        before.append(f)
    return rounds


def _tasks(work: _Work, f: int, before: list[int]) -> list[Task]:
    """Give a task for every matrix in one fold, for the candidates that are still in after the folds before it."""
    wanted = np.ones(work.scores.grid.shape, dtype=np.bool_)
    if before:
        tested = sum(len(work.folds[other][1]) for other in before)
        wanted = work.effort.still_in(work.scores.accuracy[..., before], tested)
    return [Task(partial(_score, work, m, f, chosen), int(chosen.sum())) for m, chosen in enumerate(wanted)]


def _judge(matrix: NDArray[Any], gammas: Sequence[float | None], definite: NDArray[np.bool_]) -> None:
    """Mark the gammas whose kernel has no negative part; then no part of that kernel has one."""
    for g, gamma in enumerate(gammas):
        definite[g] = has_no_negative_part(as_kernel(matrix, gamma))


def as_kernel(matrix: NDArray[Any], gamma: float | None) -> FloatArray:
    """Give exp(-gamma * D) of distances, or a kernel itself, both checked at the door: this runs for every fold."""
    if gamma is None:
        return np.asarray(matrix, dtype=np.float64)
    kernel = np.multiply(matrix, -gamma, dtype=np.float64)
    return np.asarray(np.exp(kernel, out=kernel))


class _Work(NamedTuple):
    """What all tasks of a selection share."""

    matrices: NDArray[Any]
    codes: IntArray
    n_classes: int
    folds: Sequence[Fold]
    definite: NDArray[np.bool_]
    effort: Effort
    scores: GridScores
    stop: NDArray[np.bool_]


def _score(work: _Work, m: int, f: int, wanted: NDArray[np.bool_]) -> None:
    """Score the wanted gammas and C (n_gammas, n_costs) with one matrix in one fold."""
    if not wanted.any():
        return
    (train, test), scores, codes = work.folds[f], work.scores, work.codes
    order = train[np.argsort(codes[train], kind="stable")]
    among, across = work.matrices[m][np.ix_(order, order)], work.matrices[m][np.ix_(test, order)]
    memory: Memory = {}
    for g in np.flatnonzero(wanted.any(axis=1)).tolist():
        if work.stop[0]:
            return
        begin = time.perf_counter()
        gamma = scores.grid.scales[g]
        costs = scores.grid.costs[: int(np.flatnonzero(wanted[g])[-1]) + 1]
        votes = Votes((len(costs), len(test)), work.n_classes)
        steps = np.zeros(len(costs), dtype=np.int64)
        for pair, decisions, taken in path_decisions(
            as_kernel(among, gamma),
            as_kernel(across, gamma),
            codes[order],
            work.n_classes,
            costs,
            work.definite[m, g],
            work.stop,
            work.effort,
            memory,
            gamma,
        ):
            votes.add(pair, decisions)
            steps = np.where((steps < 0) | (taken < 0), NOT_CONVERGED, steps + taken)
        accuracy = (votes.winners() == codes[test]).mean(axis=1)
        kept = wanted[g, : len(costs)] & (steps >= 0)
        scores.accuracy[m, g, : len(costs), f] = np.where(kept, accuracy, np.nan)
        scores.steps[m, g, : len(costs), f] = steps
        scores.seconds[m, g, : len(costs), f] = (time.perf_counter() - begin) / len(costs)


def path_decisions(
    kernel: FloatArray,
    rows: FloatArray,
    codes: IntArray,
    n_classes: int,
    costs: Sequence[float],
    definite: bool | np.bool_,
    stop: NDArray[np.bool_],
    effort: Effort = FULL,
    memory: Memory | None = None,
    gamma: float | None = None,
) -> Iterator[tuple[int, FloatArray, IntArray]]:
    """Train on a kernel (n, n) for all costs, and decide on other rows of it (m, n).

    For every pair of classes, give its number, the decisions (n_costs, m) and the steps that each cost took, which are
    NOT_CONVERGED, and the decisions without meaning, where that may be left out and was.
    ``definite`` says that the kernel is known to have no negative part; otherwise it is looked for, and flipped.
    ``memory`` keeps what was found for a ``gamma``, for the next one to begin with.
    """
    for pair, (members, signs) in enumerate(problems(codes, n_classes)):
        everyone = n_classes == 2 and bool((members[1:] > members[:-1]).all())
        block = kernel if everyone else kernel[np.ix_(members, members)]
        flipped = Flip(block) if definite else flip(block)
        row, starts = np.array(costs), NO_STARTS
        if memory and gamma and pair in memory:
            last, before, known = memory[pair]
            starts = starts_of(known, before, gamma / last)[: len(row)]
        coefficients, intercepts, steps = svm_path(
            flipped.kernel, signs, row, TOLERANCE, effort.max_steps, stop, starts
        )
        if memory is not None and gamma:
            solved = steps >= 0
            memory[pair] = gamma, row[solved], coefficients[solved]
        if steps.min() == INTERRUPTED:
            return  # that was reported where the interrupt came
        if steps.min() < 0 and not effort.leave_out:
            _refuse(steps, costs, effort.max_steps)
        own = rows if everyone else rows[:, members]
        yield pair, (own @ flipped.back(coefficients).T + intercepts).T, steps


def _refuse(steps: IntArray, costs: Sequence[float], most: int) -> None:
    cost = costs[int(np.argmax(steps == NOT_CONVERGED))]
    raise RuntimeError(
        f"the support vector machine with C={cost:g} is not solved after {most:,} steps: leave out such a large C"
    )


def out_of_fold(
    distances: NDArray[Any], codes: IntArray, folds: Iterable[Fold], gamma: float, cost: float, *, krein: bool
) -> FloatArray:
    """Decide on every graph by a machine that has not seen it (N, n_pairs); NaN for graphs that no fold tests."""
    n_classes = int(codes.max()) + 1
    decisions = np.full((len(codes), n_classes * (n_classes - 1) // 2), np.nan)
    stop = np.zeros(1, dtype=np.bool_)
    with threadpool_limits(1):
        for train, test in folds:
            order = train[np.argsort(codes[train], kind="stable")]
            kernel, rows = (as_kernel(distances[np.ix_(some, order)], gamma) for some in (order, test))
            for pair, found, _ in path_decisions(kernel, rows, codes[order], n_classes, [cost], not krein, stop):
                decisions[test, pair] = found[0]
    return decisions
