"""Gaussian processes of several targets that share information, and whether that helps.

separate processes ──the best way to compare graphs──▶ one process of all targets ──▶ a TargetProcess for each model
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.learners.coregional import (
    CoregionalProcess,
    Observations,
    coregional_at,
    fit_coregional,
    target_scales,
)
from wassergraph.metrics.scheme import Scheme
from wassergraph.models.learning import Training
from wassergraph.models.shared_training import scheme_key
from wassergraph.models.training_graphs import TrainingGraphs
from wassergraph.pairwise.api import embedding_distances
from wassergraph.parallel.memory import check_memory
from wassergraph.scores.several import KnownTarget
from wassergraph.tuning.folds import FoldSeed

#: The most observations from which the parameters are learned; the process is then that of all of them.
_SAMPLE = 600
#: The most ways to compare graphs that are tried, and the most steps of each; then the best one has more.
_WAYS, _STEPS = 3, 20
#: The arrays of a process that are saved, of floats and of integers.
_FLOATS = ("covariance", "noise", "means", "scales", "coefficients", "factor")
_INTEGERS = ("graphs", "targets")


@dataclass(frozen=True, eq=False)
class TargetProcess:
    """What a process of several targets says of one of them, from distances to all graphs.

    Attributes
    ----------
    process : CoregionalProcess
        The process.
    target : int
        The number of the target.
    n_graphs : int
        The number of graphs.
    """

    process: CoregionalProcess
    target: int
    n_graphs: int

    @property
    def gamma(self) -> float:
        """The kernel parameter."""
        return self.process.gamma

    @property
    def log_likelihood(self) -> float:
        """The logarithm of the likelihood of all targets."""
        return self.process.log_likelihood

    @property
    def mean(self) -> float:
        """The mean of the target."""
        return float(self.process.means[self.target])

    @property
    def signal(self) -> float:
        """The variance of the signal."""
        return float(self.process.scales[self.target] ** 2 * self.process.covariance[self.target, self.target])

    @property
    def noise(self) -> float:
        """The variance of the noise."""
        return float(self.process.scales[self.target] ** 2 * self.process.noise[self.target])

    @property
    def coefficients(self) -> FloatArray:
        """The weight of the kernel with each training graph."""
        return self.process.of_graphs(self.target, self.n_graphs)

    def predict(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation of new targets, noise included, from distances (n, n_graphs)."""
        return self.process.predict(distances, self.target)

    def header(self, sharing: Sharing | None) -> dict[str, Any]:
        """Return the numbers of the process, which JSON can hold."""
        own = {"target": self.target, "gamma": self.gamma, "log_likelihood": self.log_likelihood}
        return {**own, "sharing": None if sharing is None else asdict(sharing)}

    def arrays(self) -> Arrays:
        """Return the arrays of the process, which are the same for all of its targets."""
        return {f"arrays/shared_{name}": getattr(self.process, name) for name in (*_FLOATS, *_INTEGERS)}

    @classmethod
    def read(cls, header: dict[str, Any], arrays: Arrays, n_graphs: int) -> TargetProcess:
        """Return what was saved; raise an error if its parts do not match."""
        n_targets, n = len(arrays["arrays/shared_means"]), len(arrays["arrays/shared_graphs"])
        shapes = [(n_targets, n_targets), *([(n_targets,)] * 3), (n,), (n, n)]
        floats = {
            name: finite_floats(arrays, f"shared_{name}", shape) for name, shape in zip(_FLOATS, shapes, strict=True)
        }
        limits = {"graphs": n_graphs, "targets": n_targets}
        integers = {name: _read_positions(arrays[f"arrays/shared_{name}"], n, limits[name]) for name in _INTEGERS}
        target = int(header["target"])
        if not 0 <= target < n_targets:
            raise ValueError(f"the process has no target {target}")
        parts: dict[str, Any] = {**floats, **integers}
        gamma, log_likelihood = float(header["gamma"]), float(header["log_likelihood"])
        return cls(CoregionalProcess(gamma=gamma, log_likelihood=log_likelihood, **parts), target, n_graphs)


def _read_positions(positions: IntArray, n: int, limit: int) -> IntArray:
    if (
        positions.dtype != np.int64
        or positions.shape != (n,)
        or (len(positions) and not 0 <= positions.min() <= positions.max() < limit)
    ):
        raise ValueError("the observations of the process are not those of its graphs and targets")
    return positions


@dataclass(frozen=True)
class Sharing:
    """What a target gains from others: root mean squared errors of its numbers, each predicted without it.

    Attributes
    ----------
    alone : float
        By the process of this target alone.
    new_graphs : float
        By the process of all targets, without any number of the same graph: as new graphs are predicted.
    known_graphs : float
        The same with the numbers that the graph has of other targets: as gaps are filled.
    correlations : dict of float
        How the target goes together with each of the others.

    See Also
    --------
    GraphGaussianProcess : its ``share_targets``
    """

    alone: float
    new_graphs: float
    known_graphs: float
    correlations: dict[str, float]

    @property
    def helps(self) -> bool:
        """Whether new graphs are predicted better than by the process of this target alone."""
        return self.new_graphs < self.alone

    def __str__(self) -> str:
        """Return in words whether other targets help."""
        outcome = "other targets help" if self.helps else "other targets do not help"
        return (
            f"{outcome}: RMSE of graphs that are left out {self.new_graphs:.4g} with them and {self.alone:.4g} alone; "
            f"{self.known_graphs:.4g} where the other targets of the graph are known"
        )


class _Way(NamedTuple):
    """A way to compare graphs, as a model has chosen it, with gamma where its search begins."""

    scheme: Scheme
    depth: int
    gamma: float
    parameters: dict[str, Any]

    def distances(self, graphs: GraphBatch, *, n_jobs: int | None) -> FloatArray:
        """Compute the distances between graphs."""
        embedding = TrainingGraphs.embed(self.scheme, graphs, self.depth).embedding
        return np.asarray(embedding_distances(embedding, depths=[self.depth], n_jobs=n_jobs)[0])


@dataclass(frozen=True, eq=False)
class SharedFit:
    """A process of several targets.

    Attributes
    ----------
    rows : (n_graphs) integers
        The positions of the graphs that have a value of one target or more.
    scheme, parameters : Scheme, dict
        How they are compared.
    distances : (n_graphs, n_graphs) floats
        The distances between them.
    process : CoregionalProcess
        The process.
    observed : Observations
        What it was fitted to.
    groups : (n_graphs) integers
        The graphs that are left out together.
    """

    rows: IntArray
    scheme: Scheme
    parameters: dict[str, Any]
    distances: FloatArray
    process: CoregionalProcess
    observed: Observations
    groups: IntArray

    @cached_property
    def left_out(self) -> tuple[FloatArray, FloatArray]:
        """The mean and the standard deviation of each observation, predicted from those of all other groups."""
        return self.process.leave_out(self.observed.values, self.groups[self.observed.graphs])

    @cached_property
    def filled(self) -> FloatArray:
        """The mean of each observation, predicted from all others."""
        return self.process.leave_out(self.observed.values, np.arange(len(self.observed.values)))[0]

    def sharing(self, target: int, alone: float, names: Sequence[str]) -> Sharing:
        """Return what a target gains, of which the error alone is known."""
        own, values = self.observed.targets == target, self.observed.values
        predicted = self.left_out[0], self.filled
        new, filled = (float(np.sqrt(np.mean((each - values)[own] ** 2))) for each in predicted)
        row = self.process.correlations[target].tolist()
        others = {name: each for other, (name, each) in enumerate(zip(names, row, strict=True)) if other != target}
        return Sharing(alone, new, filled, others)


def fit_shared(
    ways: Sequence[tuple[Scheme, dict[str, Any]]],
    known: Sequence[KnownTarget],
    training: Training,
    *,
    random_state: FoldSeed,
    n_jobs: int | None,
) -> SharedFit:
    """Fit one process to several targets, with the best of the ways that were chosen for each of them alone.

    Parameters
    ----------
    ways : sequence of (Scheme, dict)
        What was chosen for each target.
    known : sequence of KnownTarget
        The targets, of numbers.
    training : Training
        All graphs.
    random_state : int, RandomState or None
        Chooses the graphs that parameters are learned from, if there are many.
    n_jobs : int or None
        The number of threads.

    Returns
    -------
    SharedFit
    """
    rows = np.unique(np.concatenate([each.rows for each in known]))
    observed = _observe(known, rows, training.weights)
    scaling = target_scales(observed, len(known))
    n = len(observed.values)
    check_memory(4 * 8.0 * n**2, f"a process of {n:,} numbers of all targets", remedy="leave out share_targets")
    graphs = training.graphs if len(rows) == len(training) else training.graphs[rows]
    sample = observed.take(_sample(observed, len(known), check_random_state(random_state)))
    part = np.unique(sample.graphs)
    sample = sample._replace(graphs=np.searchsorted(part, sample.graphs))
    several = _different_ways(ways)
    blocks = [way.distances(graphs[part], n_jobs=n_jobs) for way in several]
    tried = [
        fit_coregional(each, sample, way.gamma, scaling, max_iter=_STEPS)
        for each, way in zip(blocks, several, strict=True)
    ]
    number = int(np.argmax([each.log_likelihood for each in tried]))
    way, found = several[number], fit_coregional(blocks[number], sample, tried[number].gamma, scaling)
    distances = way.distances(graphs, n_jobs=n_jobs)
    process = coregional_at(distances, observed, found.gamma, found.covariance, found.noise, scaling)
    if training.weights is not None:
        process = replace(process, noise=process.noise * training.weights.mean())  # that of weight 1
    groups = np.arange(len(rows)) if training.groups is None else training.groups[rows]
    return SharedFit(rows, way.scheme, way.parameters, distances, process, observed, groups)


def _different_ways(ways: Sequence[tuple[Scheme, dict[str, Any]]]) -> list[_Way]:
    """Return the ways that were chosen for most targets, each once."""
    chosen: dict[Any, list[_Way]] = {}
    for scheme, parameters in ways:
        way = _Way(scheme, parameters["depth"], parameters["gamma"], parameters)
        chosen.setdefault((*scheme_key(scheme), way.depth), []).append(way)
    return [same[0] for same in sorted(chosen.values(), key=lambda same: -len(same))[:_WAYS]]


def _observe(known: Sequence[KnownTarget], rows: IntArray, weights: FloatArray | None) -> Observations:
    graphs = [np.searchsorted(rows, each.rows) for each in known]
    targets = [np.full(len(each.rows), number) for number, each in enumerate(known)]
    # The search is for the noise of a number of mean weight, so that its bounds fit weights of any unit.
    relative = [np.ones(len(each.rows)) if weights is None else weights.mean() / weights[each.rows] for each in known]
    values = [np.asarray(each.values, dtype=np.float64) for each in known]
    return Observations(
        np.concatenate(graphs), np.concatenate(targets), np.concatenate(values), np.concatenate(relative)
    )


def _sample(observed: Observations, n_targets: int, random: np.random.RandomState) -> IntArray:
    """Return observations that parameters are learned from: as many of each target, as far as they reach.

    Those of the same graphs come first for all targets, since these show how targets go together.
    """
    order = random.permutation(int(observed.graphs.max()) + 1)
    several = [np.flatnonzero(observed.targets == target) for target in range(n_targets)]
    ranks = np.argsort(order)
    first = [own[np.argsort(ranks[observed.graphs[own]])][: _SAMPLE // n_targets + 1] for own in several]
    return np.sort(np.concatenate(first))
