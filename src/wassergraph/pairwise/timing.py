"""How long distances will take: the estimated work of all pairs, measured on a sample of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import NotSolvedError
from wassergraph.pairwise.problem import Problem, TransportProblem
from wassergraph.pairwise.solve import solve, solve_pairs
from wassergraph.pairwise.tiles import Work
from wassergraph.pairwise.work import estimate, tiles
from wassergraph.parallel.threads import n_processors

#: The seconds that each thread spends on a sample, about.
BUDGET = 0.3
#: Work that is estimated to take less than this many seconds is not sampled.
OBVIOUS = 1.0
#: A sample is chosen from so many blocks of pairs, each of so many rows and columns.
_BLOCKS, _EDGE = 64, 16
#: So many groups of pairs of equal work are measured each alone: the largest graphs are few, but may take most of the
#: time, and more of it than their estimated work says.
_GROUPS = 6
#: A single pair that would take longer than this many seconds is not solved for a sample.
_LONGEST = 0.3
#: The seconds for every byte of the result, for labels more than it takes to compute them: new memory is cleared first,
#: and half of a symmetric matrix is written across its rows.
_NEW_BYTE = 1.5e-9


def count_pairs(problem: Problem) -> int:
    """Return how many pairs of graphs are computed."""
    n, m = problem.shape
    if not problem.symmetric:
        return n * m
    return n * (n + 1) // 2 if problem.includes_diagonal else n * (n - 1) // 2


def assumed_seconds(problem: Problem) -> float:
    """Return the seconds that the mean pair takes on one thread, from its estimated work alone."""
    return 1e-9 * estimate(problem).mean() + _writing(problem)


def _writing(problem: Problem) -> float:
    """Return the seconds that it takes to get the memory of the mean pair, and to write its distances there."""
    entries = problem.shape[0] * problem.shape[1] / max(count_pairs(problem), 1)
    return _NEW_BYTE * entries * len(problem.depths) * problem.dtype.itemsize


def sampled_seconds(problem: Problem, n_threads: int = 1, *, budget: float = BUDGET) -> float:
    """Measure the seconds that the mean pair takes on one of several threads that all compute, on a sample of pairs.

    Parameters
    ----------
    problem : Problem
        The distances.
    n_threads : int
        How many threads will compute them: they share memory and caches, and perhaps processors.
    budget : float
        The seconds that each thread spends, about.

    Returns
    -------
    float
        The mean over all pairs.
    """
    if count_pairs(problem) == 0:
        return 0.0
    work = estimate(problem)
    time_some: Any = _time_pairs if isinstance(problem, TransportProblem) else _time_tiles

    def measure(seed: int) -> tuple[float, float]:
        wall, own = perf_counter(), thread_time()
        factor = time_some(problem, work, budget, seed)
        return factor, (perf_counter() - wall) / max(thread_time() - own, 1e-6)

    with ThreadPoolExecutor(n_threads) as pool:
        factors, waiting = zip(*pool.map(measure, range(n_threads)), strict=True)
    load = np.mean(waiting) * min(n_threads, n_processors()) / n_threads  # of other programs on this machine
    return float(np.mean(factors) * max(load, 1.0)) * work.mean() + _writing(problem)


# Transport: pairs in groups of equal work


class _Group(NamedTuple):
    """Pairs of similar work."""

    pairs: IntArray
    work: FloatArray


def _time_pairs(problem: TransportProblem, work: Work, budget: float, seed: int) -> float:
    """Return the seconds that a unit of work takes on this thread, as the mean over groups of equal work."""
    groups = _groups(problem, work, np.random.default_rng(seed))
    factors: list[float] = []
    for group in groups:
        if factors and factors[-1] * group.work.min() > _LONGEST:
            factors.append(_extrapolated(groups, factors))
        else:
            factors.append(_time_group(problem, group, budget / len(groups)))
    return float(np.average(factors, weights=[group.work.sum() for group in groups]))


def _groups(problem: Problem, work: Work, random: np.random.Generator) -> list[_Group]:
    """Draw pairs, and divide them into groups of about the same total work, the lightest pairs first.

    All pairs of some rows and some columns are drawn, as in a tile, so that graphs are found in the processor's cache.
    """
    rows, columns = (random.integers(size, size=(_BLOCKS, _EDGE)) for size in problem.shape)
    pairs = np.stack(np.broadcast_arrays(rows[:, :, None], columns[:, None, :]), axis=-1).reshape(-1, 2)
    if problem.symmetric and not problem.includes_diagonal:
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    each = np.einsum("ik,ik->i", work.left[pairs[:, 0]], work.right[pairs[:, 1]])
    order = np.argsort(each, kind="stable")
    ends = np.searchsorted(np.cumsum(each[order]), each.sum() * np.arange(1, _GROUPS) / _GROUPS)
    in_blocks = [np.sort(positions) for positions in np.split(order, ends) if len(positions)]
    return [_Group(pairs[positions], each[positions]) for positions in in_blocks]


def _time_group(problem: TransportProblem, group: _Group, budget: float) -> float:
    """Return the seconds that a unit of work takes, from batches that become larger, of which the last one counts."""
    begin, size, spent, factor = 0, 1, 0.0, 0.0
    while begin < len(group.pairs) and spent < budget:
        batch = slice(begin, begin + size)
        seconds = _seconds(problem, group.pairs[batch])
        factor = seconds / float(group.work[batch].sum())
        begin, size, spent = begin + size, 2 * size, spent + seconds
    return factor


def _seconds(problem: TransportProblem, pairs: IntArray) -> float:
    begin = thread_time()
    with suppress(NotSolvedError):  # the computation itself will say so
        solve_pairs(problem, pairs)
    return thread_time() - begin


def _extrapolated(groups: list[_Group], factors: list[float]) -> float:
    """Continue the seconds per unit of work to the next group, by a power of the work between the last two."""
    known = len(factors)
    if known < 2:
        return factors[-1]
    earlier, last, following = (float(groups[g].work.mean()) for g in (known - 2, known - 1, known))
    power = np.log(factors[-1] / factors[-2]) / np.log(last / earlier)
    return float(factors[-1] * (following / last) ** np.clip(power, 0.0, 1.0))


# Labels and lines: tiles, whose pairs are computed together


def _time_tiles(problem: Problem, work: Work, budget: float, seed: int) -> float:
    """Return the seconds that a unit of work takes on this thread, from some tiles."""
    grid = tiles(problem)
    seconds = measured = 0.0
    for position in np.random.default_rng(seed).permutation(len(grid)).tolist():
        (tile,) = grid.where(np.arange(len(grid)) == position)
        begin = thread_time()
        solve(problem, tile)
        seconds, measured = seconds + thread_time() - begin, measured + float(grid.costs[position])
        if seconds >= budget:
            break
    return seconds / measured if measured else 0.0
