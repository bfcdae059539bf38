"""Exact Gaussian process regression on several targets that share information: intrinsic coregionalization.

Target t of graph g, with mean 0 and variance 1, is f_t(g) plus noise, and the covariance of f_t(g) and f_s(g') is
B[t, s] exp(-gamma D(g, g')), with a matrix B = A Aᵀ that says how targets go together. Observations are all pairs of a
graph and a target that are known, so that gaps need no special care. With C the covariance of all observations y, noise
included, gamma, A (lower triangular) and the noise of each target maximize the likelihood, by its gradient:

    log L   = -½ (yᵀ C⁻¹ y + log |C| + n log 2π)
    d log L = tr(G dC),   G = ½ (a aᵀ - C⁻¹),   a = C⁻¹ y

so that the derivative by B[t, s] is the sum of G · K over the observations of t and s, and that by A is twice its
product with A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, lapack
from scipy.optimize import minimize

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import NotSolvedError
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.covariance import factor_of, left_out
from wassergraph.learners.lapack import invert_factor

#: The bounds of the variance of the noise, and of gamma times the median distance.
_NOISE = (1e-5, 1e2)
_REACH = (1e-3, 1e2)
#: Where the search begins: the share of the noise, and by how much correlations of targets are reduced.
_FIRST_NOISE, _SHRINKAGE = 0.3, 0.5
#: What the search takes for the likelihood where there is none, and the most entries of a matrix of predictions.
_BARRIER, _MOST_ENTRIES = 1e30, 10_000_000
#: The least number of graphs with two targets from which their correlation is taken.
_FEWEST = 8


class Observations(NamedTuple):
    """What is known of several targets of the same graphs, in any order.

    Attributes
    ----------
    graphs, targets : (n) integers
        The graph and the target of each observation, counted from 0.
    values : (n) floats
        The numbers.
    relative : (n) floats
        How large the variance of the noise of each is, as a share of that of its target.
    """

    graphs: IntArray
    targets: IntArray
    values: FloatArray
    relative: FloatArray

    def take(self, chosen: IntArray) -> Observations:
        """Return some of them."""
        return Observations(self.graphs[chosen], self.targets[chosen], self.values[chosen], self.relative[chosen])

    def standardized(self, means: FloatArray, scales: FloatArray) -> Observations:
        """Return the same with the mean 0 and the standard deviation 1 for each target."""
        return self._replace(values=(self.values - means[self.targets]) / scales[self.targets])


@dataclass(frozen=True, eq=False)
class CoregionalProcess:
    """A fitted Gaussian process of several targets.

    Attributes
    ----------
    gamma : float
        The kernel parameter.
    covariance : (n_targets, n_targets) floats
        The matrix B, of standardized targets.
    noise, means, scales : (n_targets) floats
        The variance of the noise of the standardized targets, and what was subtracted from numbers and divided by.
    graphs, targets : (n) integers
        The graph and the target of each observation.
    coefficients : (n) floats
        C⁻¹ y.
    factor : (n, n) floats
        The lower Cholesky factor of C.
    log_likelihood : float
        The logarithm of the marginal likelihood of the standardized targets.
    """

    gamma: float
    covariance: FloatArray
    noise: FloatArray
    means: FloatArray
    scales: FloatArray
    graphs: IntArray
    targets: IntArray
    coefficients: FloatArray
    factor: FloatArray
    log_likelihood: float

    @property
    def correlations(self) -> FloatArray:
        """How targets go together: B with the diagonal 1."""
        deviations = np.sqrt(np.maximum(np.diagonal(self.covariance), np.finfo(float).tiny))
        return np.asarray(self.covariance / np.outer(deviations, deviations))

    def predict(self, distances: FloatArray, target: int) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation of a target, noise included, from distances (n, n_graphs)."""
        size = max(1, _MOST_ENTRIES // max(1, len(self.graphs)))
        parts = [self._predict(distances[first : first + size], target) for first in range(0, len(distances), size)]
        means, deviations = zip(*parts, strict=True) if parts else ((np.empty(0),), (np.empty(0),))
        return np.concatenate(means), np.concatenate(deviations)

    def _predict(self, distances: FloatArray, target: int) -> tuple[FloatArray, FloatArray]:
        rows = exponential(distances, self.gamma)[:, self.graphs] * self.covariance[target, self.targets]
        half, _ = lapack.dtrtrs(self.factor, rows.T, lower=1)
        noise, scale = self.noise[target], self.scales[target]
        variance = np.maximum(self.covariance[target, target] + noise - np.sum(half**2, axis=0), noise)
        return self.means[target] + scale * (rows @ self.coefficients), scale * np.sqrt(variance)

    def of_graphs(self, target: int, n_graphs: int) -> FloatArray:
        """Return the weight of the kernel with each graph in the mean of a target."""
        weighted = self.covariance[target, self.targets] * self.coefficients
        return np.asarray(self.scales[target] * np.bincount(self.graphs, weighted, minlength=n_graphs))

    def leave_out(self, values: FloatArray, groups: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation of each observation, predicted from those of all other groups."""
        errors, variances = left_out(self.factor, self.coefficients, groups)
        scales = self.scales[self.targets]
        return values - scales * errors, scales * np.sqrt(variances)


def fit_coregional(
    distances: FloatArray,
    observed: Observations,
    gamma: float,
    scaling: tuple[FloatArray, FloatArray] | None = None,
    *,
    max_iter: int = 100,
) -> CoregionalProcess:
    """Fit a Gaussian process of several targets by maximizing the marginal likelihood.

    Parameters
    ----------
    distances : (n_graphs, n_graphs) floats
        The distances between the graphs.
    observed : Observations
        What is known of them.
    gamma : float
        Where the search for the kernel parameter begins.
    scaling : (n_targets) floats, (n_targets) floats, optional
        What is subtracted from the numbers of each target, and divided by; by default their means and deviations.
    max_iter : int
        The most steps from each of two starts: targets that share nothing, and targets that share what their
        correlations say.

    Returns
    -------
    CoregionalProcess
    """
    scaling = target_scales(observed, int(observed.targets.max()) + 1) if scaling is None else scaling
    n_targets, standardized = len(scaling[0]), observed.standardized(*scaling)
    search = _Search(np.asarray(distances, dtype=np.float64), standardized, n_targets)
    ends = []
    for correlations in (np.eye(n_targets), _correlations(standardized, n_targets)):
        root = np.asarray(np.linalg.cholesky((1 - _FIRST_NOISE) * correlations))
        start = search.with_enough_noise(search.pack(root, gamma))
        options: Any = {"jac": True, "method": "L-BFGS-B", "bounds": search.bounds(), "options": {"maxiter": max_iter}}
        ends.append(minimize(search.minus_likelihood, start, **options))
    best, root, noise = search.unpack(min(ends, key=lambda end: end.fun).x)
    return coregional_at(distances, observed, best, root @ root.T, noise, scaling)


def target_scales(observed: Observations, n_targets: int) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the standard deviation of each target; 1 for those whose numbers are equal."""
    means, scales = np.zeros(n_targets), np.ones(n_targets)
    for target in range(n_targets):
        own = np.flatnonzero(observed.targets == target)
        values, weights = observed.values[own], 1 / observed.relative[own]
        means[target] = np.average(values, weights=weights)
        scales[target] = math.sqrt(np.average((values - means[target]) ** 2, weights=weights)) or 1.0
    return means, scales


def coregional_at(
    distances: FloatArray,
    observed: Observations,
    gamma: float,
    covariance: FloatArray,
    noise: FloatArray,
    scaling: tuple[FloatArray, FloatArray],
) -> CoregionalProcess:
    """Return the process with these parameters; ``scaling`` are the means and scales of the targets."""
    standardized = observed.standardized(*scaling)
    factor = factor_of(_kernel(distances, standardized, gamma, covariance), noise[observed.targets] * observed.relative)
    if factor is None:
        raise NotSolvedError("the kernel of all targets is not positive definite with this noise")
    factor = np.asfortranarray(np.tril(factor))
    coefficients = cho_solve((factor, True), standardized.values)
    likelihood = _likelihood(factor, standardized.values, coefficients)
    graphs, targets = observed.graphs, observed.targets
    return CoregionalProcess(gamma, covariance, noise, *scaling, graphs, targets, coefficients, factor, likelihood)


class _Search:
    """The likelihood as a function of one vector: the entries of A, the logarithms of the noise, and that of gamma."""

    def __init__(self, distances: FloatArray, observed: Observations, n_targets: int) -> None:
        order = np.argsort(observed.targets, kind="stable")
        self.observed, self.n_targets = observed.take(order), n_targets
        self.distances = distances[np.ix_(self.observed.graphs, self.observed.graphs)]
        self.begins = np.searchsorted(self.observed.targets, np.arange(n_targets))
        self.entries = np.tril_indices(n_targets)
        self.median = float(np.median(distances[np.triu_indices(len(distances), 1)])) or 1.0

    def pack(self, root: FloatArray, gamma: float) -> FloatArray:
        """Return the vector of the first parameters."""
        noise = np.full(self.n_targets, math.log(_FIRST_NOISE))
        return np.concatenate([root[self.entries], noise, [math.log(gamma)]])

    def with_enough_noise(self, vector: FloatArray) -> FloatArray:
        """Return parameters with as much more noise as makes the covariance positive definite, or the most allowed."""
        n_entries, least = len(self.entries[0]), vector
        while self.minus_likelihood(least)[0] >= _BARRIER and least[n_entries] < math.log(_NOISE[1]):
            least = least.copy()
            least[n_entries:-1] = np.minimum(least[n_entries:-1] + math.log(10), math.log(_NOISE[1]))
        return least

    def unpack(self, vector: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return gamma, A and the noise."""
        root = np.zeros((self.n_targets, self.n_targets))
        root[self.entries] = vector[: len(self.entries[0])]
        noise = np.exp(vector[len(self.entries[0]) : -1])
        return float(np.exp(vector[-1])), root, np.asarray(noise)

    def bounds(self) -> list[tuple[float, float]]:
        """Return the bounds of all parameters."""
        noise = (math.log(_NOISE[0]), math.log(_NOISE[1]))
        reach = (math.log(_REACH[0] / self.median), math.log(_REACH[1] / self.median))
        return [*([(-30.0, 30.0)] * len(self.entries[0])), *([noise] * self.n_targets), reach]

    def minus_likelihood(self, vector: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the logarithm of the likelihood, and its gradient."""
        gamma, root, noise = self.unpack(vector)
        targets, relative = self.observed.targets, self.observed.relative
        kernel, pairs = exponential(self.distances, gamma), (root @ root.T)[np.ix_(targets, targets)]
        factor = factor_of(kernel * pairs, noise[targets] * relative)
        if factor is None:  # a barrier that a line search steps back from
            return _BARRIER, np.zeros(len(vector))
        coefficients = cho_solve((factor, True), self.observed.values)
        likelihood = _likelihood(factor, self.observed.values, coefficients)
        inverse = factor
        invert_factor(inverse)
        inverse = np.tril(inverse)
        inverse += np.tril(inverse, -1).T
        slopes = 0.5 * (np.outer(coefficients, coefficients) - inverse)
        by_pair = np.add.reduceat(np.add.reduceat(slopes * kernel, self.begins, axis=0), self.begins, axis=1)
        by_root = 2 * by_pair @ root
        by_noise = noise * np.add.reduceat(np.diagonal(slopes) * relative, self.begins)
        by_gamma = -gamma * float(np.sum(slopes * pairs * self.distances * kernel))
        return -likelihood, -np.concatenate([by_root[self.entries], by_noise, [by_gamma]])


def _kernel(distances: FloatArray, observed: Observations, gamma: float, covariance: FloatArray) -> FloatArray:
    kernel = exponential(np.asarray(distances, dtype=np.float64), gamma)
    pairs = covariance[np.ix_(observed.targets, observed.targets)]
    return np.asarray(kernel[np.ix_(observed.graphs, observed.graphs)] * pairs)


def _likelihood(factor: FloatArray, values: FloatArray, coefficients: FloatArray) -> float:
    determinant = 2 * float(np.log(np.diagonal(factor)).sum())
    return -0.5 * (float(values @ coefficients) + determinant + len(values) * math.log(2 * math.pi))


def _correlations(observed: Observations, n_targets: int) -> FloatArray:
    """Return how targets go together on graphs that have both, reduced towards 0, so that they are definite."""
    table = np.full((int(observed.graphs.max()) + 1, n_targets), np.nan)
    table[observed.graphs, observed.targets] = observed.values
    found = np.eye(n_targets)
    for one in range(n_targets):
        for other in range(one):
            both = ~np.isnan(table[:, one]) & ~np.isnan(table[:, other])
            if np.count_nonzero(both) >= _FEWEST and min(table[both, one].std(), table[both, other].std()) > 0:
                found[one, other] = found[other, one] = np.corrcoef(table[both, one], table[both, other])[0, 1]
    values, vectors = np.linalg.eigh(found)
    definite = (vectors * np.maximum(values, 1e-3)) @ vectors.T
    return np.asarray((1 - _SHRINKAGE) * definite + _SHRINKAGE * np.eye(n_targets))
