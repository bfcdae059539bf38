"""What choosing parameters will take, in time and memory, told before the distances are computed.

Distances are timed on a sample of pairs (pairwise/foresight.py). The distances of some graphs are computed, one fold
is fitted with them, and the time of that is continued to all folds, matrices and graphs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.gaussian import EVIDENCE_SAMPLE, FINALISTS, fit_process
from wassergraph.learners.matrices import median_distance
from wassergraph.learners.neighbors import NeighborClassifier, NeighborRegressor
from wassergraph.learners.protocol import Learner, TargetArray
from wassergraph.learners.ridge import RidgeLearner
from wassergraph.learners.svr import SVRLearner
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.node_embedding import Mass
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.foresight import Sampled, sample_scheme, speedup, take_sample
from wassergraph.parallel.estimate import LONG, Estimate
from wassergraph.parallel.memory import available_memory, check_memory, size_text
from wassergraph.tuning.candidates import Family
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.selection import round_shares, score_task

#: The seconds that the distances of the pilot may take, and the least and the largest number of its graphs.
_PILOT_SECONDS, _PILOT_LEAST, _PILOT_MOST = 0.5, 60, 400
#: The power of the number of training graphs that the time of fits grows with, as measured from 200 to 4,000 graphs.
_GROWTH: dict[type, float] = {RidgeLearner: 2.4, SVRLearner: 1.8, NeighborClassifier: 2.0, NeighborRegressor: 2.0}
_SVM_GROWTH, _PROCESS_GROWTH = 2.2, 2.7
#: The seconds of a candidate in a fold where there are too few graphs to measure it.
_SHORT_FIT = 1e-4
#: The least share of a time that grows with the number of graphs, since short times are not measured precisely.
_LEAST_GROWTH = 0.2
#: Work of fewer seconds is timed so many times.
_SHORT_WORK, _TRIES = 0.02, 3
#: The seconds of one floating point operation: in a Cholesky decomposition on one thread, and for eigenvalues.
_CHOLESKY, _EIGENVALUES = 1 / 15e9, 1 / 10e9
#: How many matrices a thread needs at once to choose parameters, and how many the final fit needs.
_PER_THREAD, _FINAL = 3, 5
#: Another kind of distance is named if everything takes less than this share of the time.
_MUCH_FASTER = 0.3


@dataclass(frozen=True, eq=False)
class Choosing:
    """What is chosen from, and how.

    Attributes
    ----------
    targets : (N) array
        What is learned.
    train_sizes : sequence of int
        The numbers of training graphs of the folds that candidates are scored in: of a nested search, of the inner
        folds of all outer ones; of a Gaussian process, which has no folds, of all that it is fitted to.
    grid : Grid
        The candidates of one matrix.
    n_matrices, n_indefinite : int
        The number of matrices, and of those whose kernels are not known to be positive definite.
    learner : Learner or None
        What is fitted; None is a Gaussian process.
    effort : Effort
        Which candidates may be left out.
    n_rounds : int
        After how many folds candidates may be left out.
    relative : bool
        Whether the median of a matrix is the unit of gamma.
    """

    targets: TargetArray
    train_sizes: Sequence[int]
    grid: Grid
    n_matrices: int
    n_indefinite: int
    learner: Learner | None
    effort: Effort = NO_LIMITS
    n_rounds: int = 1
    relative: bool = False

    @property
    def n_candidates(self) -> int:
        """The number of candidates; 0 if there is nothing to choose."""
        number = self.n_matrices * math.prod(self.grid.shape[1:]) if self.learner is not None else self.n_matrices
        return number if number > 1 else 0


def sample_order(targets: TargetArray) -> IntArray:
    """Return the positions of graphs in random order, but two of each class first."""
    order = np.random.default_rng(0).permutation(len(targets))
    if targets.dtype.kind not in "iu":
        return order
    by_class = order[np.argsort(targets[order], kind="stable")]
    starts = np.searchsorted(targets[by_class], np.unique(targets))
    first = np.unique(np.concatenate([starts, np.minimum(starts + 1, len(order) - 1)]))
    return np.concatenate([by_class[first], order[~np.isin(order, by_class[first])]])


def estimate_fit(
    graphs: GraphBatch, families: Sequence[Family], choosing: Choosing, n_threads: int, *, given: bool = False
) -> tuple[Estimate, list[float]]:
    """Estimate what it takes to fit a model.

    Parameters
    ----------
    graphs : GraphBatch
        The training graphs.
    families : sequence of Family
        The ways to compare them that are chosen from.
    choosing : Choosing
        How parameters are chosen.
    n_threads : int
        How many threads compute.
    given : bool
        Whether the distances are there already.

    Returns
    -------
    estimate : Estimate
        With the stages "distances", "selection" (or "evidence") and "training".
    shares : list of float
        How much of the time of distances each way to compare graphs takes.
    """
    n, order = len(graphs), sample_order(choosing.targets)
    n_stored = sum(len(family.depths) for family in families)
    n_pairs = n * (n - 1) // 2
    sample, total = take_sample(graphs, order), n_pairs * len(families)
    sampled = [sample_scheme(family.scheme, sample, family.depths, n_threads, total) for family in families]
    times = [each.seconds(n, n_pairs, n_threads) for each in sampled]
    selection = selection_seconds(pilot_distances(sampled[0], sample, n_threads), choosing, order, n_threads)
    name = "evidence" if choosing.learner is None else "selection"
    seconds = {"distances": 0.0 if given else sum(times), name: selection, "training": _training_seconds(n)}
    memory = fit_bytes(n, n_stored, n_threads)
    estimate = Estimate(n, n_pairs, seconds, memory, _describe(families), choosing.n_candidates)
    if estimate.total >= LONG and not given:
        estimate = _by_labels(estimate, sample, families, n_threads)
    return estimate, [time / max(sum(times), 1e-9) for time in times]


def later_seconds(estimate: Estimate, shares: Sequence[float], n_graphs: int, kept: float) -> dict[str, float]:
    """Continue the estimate for a sample of graphs to all of them; of the ways a share is kept, the slowest included.

    Parameters
    ----------
    estimate : Estimate
        What it takes to fit a model to the sample.
    shares : sequence of float
        How much of the time of distances each way to compare graphs takes.
    n_graphs : int
        The number of all graphs.
    kept : float
        The share of the matrices that are kept.

    Returns
    -------
    dict
        The seconds of each stage.
    """
    growth = n_graphs / estimate.n_graphs
    later = {name: seconds * kept * growth**_SVM_GROWTH for name, seconds in estimate.seconds.items()}
    distances = estimate.seconds["distances"] * max(shares) * growth**2
    return {**later, "distances": distances, "training": _training_seconds(n_graphs)}


def pilot_distances(sampled: Sampled, sample: GraphBatch, n_threads: int) -> FloatArray:
    """Compute the distances of the first graphs of a sample, as many as that takes a moment for.

    If these are too few, the distances of their labels take the place of others: fits take about as long with them.
    """
    pairs = _PILOT_SECONDS * speedup(n_threads) / max(sampled.seconds_per_pair, 1e-9)
    n, embedding = int(math.sqrt(2 * pairs)), sampled.embedding
    if n < _PILOT_LEAST:
        _, (embedding,) = embed_all(WWL(kind="categorical").learn(sample), [sample], 2, [None])
        n = _PILOT_MOST
    few = embedding.take(np.arange(min(n, _PILOT_MOST, len(embedding))))
    return np.asarray(embedding_distances(few, depths=[min(2, few.depth)], n_jobs=n_threads)[0])


def selection_seconds(pilot: NDArray[Any], choosing: Choosing, order: IntArray, n_threads: int) -> float:
    """Estimate the time of choosing parameters, from fits to some graphs.

    Parameters
    ----------
    pilot : (n, n) floats
        The distances, or a kernel, of the first graphs of ``order``.
    choosing : Choosing
        What is chosen.
    order : (N) integers
        The positions of graphs.
    n_threads : int
        How many threads compute.

    Returns
    -------
    float
        The seconds.
    """
    if not choosing.n_candidates:
        return 0.0
    some, n = choosing.targets[order[: len(pilot)]], len(choosing.targets)
    sizes = np.array(choosing.train_sizes, dtype=np.float64)
    # So many of the first graphs of the order have all classes, or are enough to fit numbers.
    least = max(2 * len(np.unique(choosing.targets)) if choosing.targets.dtype.kind in "iu" else 0, 10)
    if len(pilot) < 2 * least:
        return _SHORT_FIT * choosing.n_candidates * len(sizes)
    with threadpool_limits(1):  # as the tasks themselves run
        if choosing.learner is None:
            return _evidence_seconds(pilot, some, choosing.n_matrices, sizes) / speedup(n_threads)
        growth = _GROWTH.get(type(choosing.learner), _SVM_GROWTH)
        task = Trend.measure(lambda n: _task_seconds(pilot[:n, :n], some[:n], choosing), len(pilot), growth)
    # Candidates are left out as usual, and kernels are checked that may not be positive definite.
    shares = round_shares(choosing.effort, choosing.n_matrices, choosing.grid.n_simple, choosing.n_rounds)
    n_tasks = choosing.n_matrices * len(choosing.train_sizes) * float(np.mean(shares))
    n_checks = choosing.n_indefinite * choosing.grid.shape[1] if choosing.learner.may_be_indefinite else 0
    fits = float(np.mean([task.at(size) for size in sizes])) * n_tasks
    return (fits + float(n_checks * n * n * n / 3 * _CHOLESKY)) / speedup(n_threads)


class Trend(NamedTuple):
    """A time that grows with a number of graphs, as constant + factor * n ** power."""

    constant: float
    factor: float
    power: float

    @classmethod
    def measure(cls, seconds: Callable[[int], float], n: float, power: float) -> Trend:
        """Follow the seconds of some work for n graphs, and for half of them."""
        numbers = [max(int(n / 2), 1), max(int(n), 2)]
        seconds(numbers[0])  # loads what is needed
        less, more = (seconds(number) for number in numbers)
        low, high = (float(number) ** power for number in numbers)
        factor = min(max(more - less, _LEAST_GROWTH * more) / (high - low), more / high)
        return cls(max(more - factor * high, 0.0), factor, power)

    def at(self, n: float) -> float:
        """Return the time for n graphs."""
        return float(self.constant + self.factor * n**self.power)


def _task_seconds(pilot: NDArray[Any], targets: TargetArray, choosing: Choosing) -> float:
    """Return the time of scoring the candidates of one matrix; all graphs train, and some of them are predicted.

    What a search does once, such as starting threads, takes longer than to fit few graphs, and is not part of it.
    """
    grid = replace(choosing.grid, matrices=choosing.grid.matrices[:1], scales=None, n_simple=0)
    if choosing.relative:
        grid = replace(grid, scales=(median_distance(pilot),))
    everything = np.arange(len(pilot))
    assert choosing.learner is not None
    fold = everything, everything[: max(len(pilot) // 4, 1)]
    # A pilot must not fail because of a single candidate.
    patient = replace(choosing.effort, margin=None, keep=(), skip_unsolved=True)
    return cpu_seconds(score_task(pilot, targets, fold, grid, choosing.learner, patient))


def _evidence_seconds(pilot: NDArray[Any], targets: FloatArray, n_matrices: int, sizes: FloatArray) -> float:
    """Return the time of fitting Gaussian processes: with many graphs, to a part of them first."""

    def fit(n: int) -> float:
        return cpu_seconds(partial(fit_process, pilot[:n, :n], targets[:n]))

    one = Trend.measure(fit, len(pilot), _PROCESS_GROWTH)
    few = sum(n_matrices * one.at(min(n, EVIDENCE_SAMPLE)) for n in sizes.tolist())
    return few + sum(min(n_matrices, FINALISTS) * one.at(n) / 2 for n in sizes.tolist() if n > EVIDENCE_SAMPLE)


def _training_seconds(n: int) -> float:
    """Return the time of the final fit: mostly that of the eigenvalues of its kernel."""
    return float(4 / 3 * n**3 * _EIGENVALUES)


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that the processors spend on some work of this process; of short work the least of a few."""
    least = math.inf
    for _ in range(_TRIES):
        begin = process_time()
        work()
        least = min(least, process_time() - begin)
        if least > _SHORT_WORK:
            break
    return least


def _describe(families: Sequence[Family]) -> str:
    """Return what is compared, as "2 masses × 8 depths"."""
    masses, depths = {family.scheme.mass for family in families}, len(families[0].depths)
    of_depths = f"{depths} depths" if depths > 1 else "1 depth"
    if len(families) == 1:
        return of_depths
    if len(masses) == len(families):
        return f"{len(masses)} masses × {of_depths}"
    return f"{len(families)} kinds of distances × up to {of_depths}"


def _by_labels(estimate: Estimate, sample: GraphBatch, families: Sequence[Family], n_threads: int) -> Estimate:
    """Add what takes much less time: labels alone, whose distances have a closed form, if others are compared now."""
    if all(family.scheme.kind == "categorical" for family in families):
        return estimate
    labels = WWL(kind="categorical", mass=families[0].scheme.mass).learn(sample)
    each = sample_scheme(labels, sample, families[0].depths, n_threads, estimate.n_pairs)
    distances = each.seconds(estimate.n_graphs, estimate.n_pairs, n_threads)
    return with_faster(estimate, distances + estimate.total - estimate.seconds["distances"])


def with_faster(estimate: Estimate, by_labels: float) -> Estimate:
    """Name the option for labels alone in an estimate, if everything takes much less time with it."""
    if by_labels > _MUCH_FASTER * estimate.total:
        return estimate
    return replace(estimate, faster=Option("kind", "categorical"), faster_seconds=by_labels)


# Memory


def fit_bytes(n_graphs: int, n_matrices: int, n_threads: int) -> float:
    """Return the memory of a fit: the matrices, and the kernels of each thread or of the final fit."""
    return 8.0 * n_graphs**2 * (n_matrices + max(_PER_THREAD * n_threads, _FINAL))


def check_fit(
    n_graphs: int,
    n_matrices: int,
    n_threads: int,
    *,
    depths: Sequence[int] = (),
    mass: Mass | None = None,
    copies: int = 1,
) -> None:
    """Raise an error if the matrices of a fit would not fit in memory, which names what would.

    Parameters
    ----------
    n_graphs, n_matrices, n_threads : int
        As in :func:`fit_bytes`.
    depths : sequence of int
        The depths that are chosen from.
    mass : str, optional
        One of the masses, if several are chosen from.
    copies : int
        How often a matrix counts.
    """
    available, needed = available_memory(), fit_bytes(n_graphs, n_matrices, n_threads)
    if available is None or needed <= available:
        return
    least = fit_bytes(n_graphs, copies, n_threads)
    single = [Option("depth", depths[-1])] if len(depths) > 1 else []
    single += [Option("mass", mass)] if mass is not None else []
    if least <= available and single:
        remedy = f"with {' and '.join('{}' for _ in single)} alone it needs {size_text(least)}"
    else:
        single, most = [], int(math.sqrt(available / fit_bytes(1, n_matrices, n_threads)))
        remedy = f"take a sample of at most {most:,} graphs"
    what = f"learning from {n_graphs:,} graphs with {n_matrices // copies} matrices"
    check_memory(needed, what.replace(" 1 matrices", " one matrix"), remedy=remedy, options=single)
