"""What an evaluation will take, in time and memory, told before it begins.

The matrices of WWL are timed on a sample of pairs, those of other methods by computing them for a few graphs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.evaluation.compared import Compared, Fingerprints, GivenDistances
from wassergraph.evaluation.forests import forest_seconds
from wassergraph.evaluation.matrices import MatrixOptions, Threads, solvers
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plan import Plan
from wassergraph.evaluation.trial import effort_of, learner_for
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pairwise.foresight import Sampled, sample_scheme, speedup, take_sample
from wassergraph.parallel.estimate import Estimate
from wassergraph.parallel.threads import n_threads
from wassergraph.scores.tasks import ClassTask, NumberTask
from wassergraph.tuning.candidates import Counts, Family, count_matrices
from wassergraph.tuning.foresight import (
    Choosing,
    Trend,
    check_fit,
    cpu_seconds,
    fit_bytes,
    pilot_distances,
    sample_order,
)
from wassergraph.tuning.foresight import selection_seconds as choosing_seconds
from wassergraph.tuning.screening import KEPT
from wassergraph.tuning.screening import SAMPLE as SCREENED
from wassergraph.tuning.wide import SCREENED_ABOVE

#: Of methods other than WWL, the matrices of so many graphs are computed for an estimate; of more, if these take less
#: than so many seconds.
_FEW, _MORE, _MOMENT = 50, 300, 0.05
#: Fits are timed with the matrix of depth 2, as for distances: without refined labels they take less time.
_PILOT_MATRIX = 3
#: How often the matrices are in memory at once, when they are put together.
_COPIES = 2


class Trials(NamedTuple):
    """How often models are fitted: the numbers of outer and inner folds, and of repetitions."""

    folds: int
    inner_folds: int
    repetitions: int

    def train_sizes(self, n_graphs: int, *, nested: bool) -> list[int]:
        """Return the number of training graphs of every fold that parameters are chosen in, in one repetition."""
        outer = n_graphs * (self.folds - 1) // max(self.folds, 2)
        if not nested:
            return [outer] * self.folds
        return [outer * (self.inner_folds - 1) // max(self.inner_folds, 2)] * (self.folds * self.inner_folds)


class Foreseen(NamedTuple):
    """What a method will take.

    Attributes
    ----------
    matrices, selection : float
        The seconds of its matrices, and of its cross-validation.
    shares : list of float
        The shares of the former.
    n_candidates : int
        How many candidates it chooses from.
    n_graphs : int
        The number of graphs.
    memory : float
        The bytes that it needs.
    """

    matrices: float
    selection: float
    shares: list[float]
    n_candidates: int
    n_graphs: int
    memory: float


def check_trial(graphs: Compared, plan: Plan, threads: Threads) -> None:
    """Raise an error if the matrices of a method would not fit in memory."""
    options = plan.options[0]
    check_fit(
        len(graphs),
        _n_stored(graphs, plan) * _COPIES,
        n_threads(threads.n_jobs),
        depths=options.depths,
        mass=options.masses[0] if len(options.masses) > 1 else None,
        copies=_COPIES,
    )


def foresee(graphs: Compared, plan: Plan, task: ClassTask | NumberTask, trials: Trials, threads: Threads) -> Foreseen:
    """Estimate what a method will take."""
    number, order, counts = n_threads(threads.n_jobs), sample_order(task.targets), _count(graphs, plan)
    if plan.ways is not None:  # kernels of labels are known to be positive definite
        plan = replace(plan, krein=counts.indefinite > 0)
    if METHODS[plan.options[0].method].distances and isinstance(graphs, GraphBatch):
        sample = take_sample(graphs, order)
        sampled = _sample(sample, plan, len(graphs), number)
        n, n_pairs = len(graphs), len(graphs) * (len(graphs) - 1) // 2
        times = [each.seconds(n, n_pairs, number) for each in sampled]
        pilot: NDArray[Any] = pilot_distances(sampled[0], sample, number)
    elif isinstance(graphs, GivenDistances):
        times, pilot = [0.0], graphs.stack[0][np.ix_(order[:_MORE], order[:_MORE])]
    else:
        times, pilot = _time_method(graphs, plan.options[0], order)
    of_matrix = 1 if plan.model == "gp" else math.prod(plan.grid.shape[1:])
    memory = fit_bytes(len(graphs), _COPIES * _n_stored(graphs, plan), number)
    n_candidates = counts.matrices * of_matrix
    foreseen = partial(Foreseen, n_candidates=n_candidates, n_graphs=len(graphs), memory=memory)
    if plan.model == "rf":
        return foreseen(sum(times), forest_seconds(pilot, task, trials.folds * trials.repetitions), [1.0])

    def choose(counts: Counts, share: float = 1.0) -> float:
        choosing = _choosing(plan, task, trials, counts, share)
        return choosing_seconds(pilot, choosing, order, number) * trials.repetitions

    if _is_screened(graphs, plan, counts):
        share = SCREENED / len(graphs)
        few, kept = sum(times) * share**2, counts._replace(matrices=KEPT)
        return foreseen(0.0, few + max(times) + choose(counts, share) + choose(kept), [])
    chosen = choose(counts) * len(plan.options)
    if plan.ways is not None:  # whose matrices are computed in the cross-validation
        return foreseen(0.0, sum(times) + chosen, [])
    shares = [time / max(sum(times), 1e-9) / len(plan.options) for time in times] * len(plan.options)
    return foreseen(sum(times) * len(plan.options), chosen, shares)


def _choosing(plan: Plan, task: ClassTask | NumberTask, trials: Trials, counts: Counts, share: float = 1.0) -> Choosing:
    """Return what is chosen from some matrices, for a share of the graphs."""
    nested, n_graphs = plan.model != "gp", round(share * len(task.targets))
    return Choosing(
        task.targets,
        trials.train_sizes(n_graphs, nested=nested),
        replace(plan.grid, n_simple=min(counts.simple, counts.matrices)),
        counts.matrices,
        min(counts.indefinite, counts.matrices),
        learner_for(plan, task) if nested else None,
        effort_of(plan, n_graphs),
        n_rounds=trials.inner_folds,
        relative=plan.wide,
    )


def _is_screened(graphs: Compared, plan: Plan, counts: Counts) -> bool:
    """Return whether many ways are compared on a sample first; then their matrices are part of the cross-validation."""
    return plan.wide and len(graphs) > SCREENED_ABOVE and counts.matrices > KEPT


def _families(graphs: Compared, plan: Plan) -> list[Family]:
    """Return the ways to compare graphs, if there are several; none for other methods."""
    if plan.ways is None or not isinstance(graphs, GraphBatch):
        return []
    return plan.ways.families(graphs, plan.options[0].depths)


def _count(graphs: Compared, plan: Plan) -> Counts:
    """Return how many matrices a method chooses from."""
    families, number = _families(graphs, plan), len(plan.grid.matrices)
    if families:
        return count_matrices(families)
    return Counts(number * len(plan.options), number, number if plan.krein else 0, 0)


def _n_stored(graphs: Compared, plan: Plan) -> int:
    """Return the number of matrices of a method that are in memory; others are computed from these."""
    counts = _count(graphs, plan)
    return min(counts.stored, 2 * KEPT) if _is_screened(graphs, plan, counts) else counts.stored


def estimate_all(foreseen: Sequence[Foreseen]) -> Estimate:
    """Return the estimate of several methods together, one after the other."""
    seconds = {
        "distances and kernels": sum(each.matrices for each in foreseen),
        "choosing parameters": sum(each.selection for each in foreseen),
    }
    n_graphs, memory = foreseen[0].n_graphs, max(each.memory for each in foreseen)
    of_methods = f"{len(foreseen)} methods" if len(foreseen) > 1 else ""
    n_candidates = sum(each.n_candidates for each in foreseen)
    return Estimate(n_graphs, n_graphs * (n_graphs - 1) // 2, seconds, memory, of_methods, n_candidates)


def _sample(sample: GraphBatch, plan: Plan, n_graphs: int, threads: int) -> list[Sampled]:
    """Measure the distances of a sample of graphs, for every matrix, or stack of them, that is computed."""
    n_pairs, options = n_graphs * (n_graphs - 1) // 2, plan.options[0]
    ways = [(family.scheme, family.depths) for family in _families(sample, plan)]
    if ways:
        return [sample_scheme(scheme, sample, depths, threads, n_pairs) for scheme, depths in ways]
    schemes = [options.metric(mass=mass).learn(sample) for mass in options.masses]
    return [
        sample_scheme(scheme, sample, options.depths, threads, n_pairs, solver)
        for scheme in schemes
        for solver in solvers(options)
    ]


def _time_method(
    graphs: GraphBatch | Fingerprints, options: MatrixOptions, order: Any
) -> tuple[list[float], NDArray[Any]]:
    """Return the time of the matrices of a method, from those of a few graphs, and one matrix of these."""
    method, found = METHODS[options.method], list[NDArray[Any]]()

    def compute(n: int) -> None:
        found.append(method.matrices(graphs[order[:n]], options, Threads(1))[:_PILOT_MATRIX][-1])

    compute(_FEW)  # loads what is needed
    number = _MORE if cpu_seconds(lambda: compute(_FEW)) < _MOMENT else _FEW
    trend = Trend.measure(lambda n: cpu_seconds(partial(compute, n)), min(number, len(graphs)), 2.0)
    return [trend.at(len(graphs)) / speedup(1)], np.asarray(found[-1])
