"""Exact Gaussian process regression on distances that were computed once.

The covariance of two graphs at the distance D is s² exp(-gamma D); independent noise has the variance s² r. With
E = exp(-gamma D) + r I and targets y of mean 0, the signal variance that maximizes the likelihood is s² = yᵀ E⁻¹ y / n,
which leaves the two parameters gamma and r, found by their gradient:

    log L    = -½ (n log s² + log |E| + n + n log 2π)
    d log L  = ½ tr((a aᵀ / s² - E⁻¹) dE),   a = E⁻¹ y

Targets with weights w have noise of the variance s² r / w, so that E = exp(-gamma D) + r diag(1 / w), and their mean
is weighted.

The weight w of a term C of the distances, D + w C, is found in the same way, from a weight to begin with:

    d log L / d log w = ½ tr((a aᵀ / s² - E⁻¹) (-gamma w C ∘ exp(-gamma (D + w C))))

A kernel that is not positive definite has no likelihood with less noise than its most negative eigenvalue, so the noise
found covers the negative part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, lapack
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import NotSolvedError
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.covariance import factor_of, left_out
from wassergraph.learners.lapack import invert_factor
from wassergraph.learners.matrices import DerivedMatrix
from wassergraph.parallel.threads import Task, run_tasks

#: The bounds of the noise, as a share of the signal variance, and of gamma times the median distance.
_NOISE = (1e-6, 1e2)
_REACH = (1e-3, 1e2)
#: The least signal variance, for targets that are all equal, as those of the training part of a fold may be.
_LEAST_SIGNAL = 1e-300
#: Where the search begins: every pair of gamma times the median distance, and of the noise.
_STARTS = ((0.3, 0.1), (3.0, 0.03))
#: With more graphs than this, matrices are compared by the evidence of a random part of them first; the best few are
#: then fitted to all graphs.
EVIDENCE_SAMPLE, FINALISTS = 500, 3


class Process(NamedTuple):
    """A fitted Gaussian process.

    Attributes
    ----------
    gamma, signal, noise : float
        The kernel parameter, and the variances of signal and noise; the latter is that of targets of weight 1.
    mean : float
        The mean of the targets, weighted if they are.
    coefficients : (n_train) floats
        The weight of the kernel ``exp(-gamma D)`` with each training graph.
    factor : (n_train, n_train) floats
        The lower Cholesky factor of E.
    log_likelihood : float
        The logarithm of the marginal likelihood of the targets.
    """

    gamma: float
    signal: float
    noise: float
    mean: float
    coefficients: FloatArray
    factor: FloatArray
    log_likelihood: float

    @property
    def noise_share(self) -> float:
        """The variance of the noise as a share of that of the signal."""
        return self.noise / self.signal

    def predict(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation of new targets, noise included, from distances (n, n_train)."""
        rows = exponential(distances, self.gamma)
        half, _ = lapack.dtrtrs(self.factor, rows.T, lower=1)
        share = self.noise_share
        variance = self.signal * np.maximum(1.0 + share - np.sum(half**2, axis=0), share)
        return self.mean + rows @ self.coefficients, np.sqrt(variance)

    def leave_out(self, targets: FloatArray, groups: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation of each training target, noise included, without using it.

        Each is predicted from all others or, with the group of each (n_train), from those of all other groups.
        """
        groups = np.arange(len(targets)) if groups is None else groups
        errors, variances = left_out(self.factor, self.coefficients, groups)
        return targets - errors, np.sqrt(self.signal * variances)


#: Fits a process to distances between some graphs, given their positions, and perhaps where the search begins.
Fit: TypeAlias = Callable[[Any, IntArray | slice, tuple[float, float] | None], Process]


def fit_process(
    distances: NDArray[np.floating],
    targets: FloatArray,
    *,
    weights: FloatArray | None = None,
    start: tuple[float, float] | None = None,
    max_iter: int = 60,
) -> Process:
    """Fit a Gaussian process by maximizing the marginal likelihood.

    Parameters
    ----------
    distances : (n, n) floats
        The distances between the training graphs.
    targets : (n) floats
        Their numbers.
    weights : (n) floats, optional
        What the variance of the noise of each is divided by; by default 1.
    start : (gamma, noise_share), optional
        Where the search begins, such as the optimum of some of the graphs; by default at two places.
    max_iter : int
        The most steps from each start.

    Returns
    -------
    Process

    Raises
    ------
    NotSolvedError
        If the kernel has no positive definite covariance with any noise that is allowed.
    """
    matrix, mean = np.asarray(distances, dtype=np.float64), float(np.average(targets, weights=weights))
    # The search is for the noise of a target of mean weight, so that its bounds fit weights of any unit.
    usual = 1.0 if weights is None else float(weights.mean())
    relative = 1.0 if weights is None else usual / weights
    bounds, starts = search_space(matrix, relative, None if start is None else (start[0], start[1] / usual))
    ends = []
    for begin in starts:
        arguments, clipped = (matrix, targets - mean, relative), np.clip(begin, *np.transpose(bounds))
        options: Any = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": max_iter}}
        ends.append(minimize(_minus_likelihood, clipped, arguments, **options))
    gamma, noise = np.exp(min(ends, key=lambda end: end.fun).x).tolist()
    return process_at(matrix, targets, gamma, noise * usual, weights)


def search_space(
    distances: FloatArray, relative: float | FloatArray, start: tuple[float, float] | None = None
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the bounds of the logarithms of gamma and of the noise, and where their search begins, or a given start.

    The noise of each target is ``relative`` times the noise that is searched for.
    """
    median = float(np.median(distances[np.triu_indices(len(distances), 1)])) or 1.0
    bounds = [(math.log(low), math.log(high)) for low, high in ([reach / median for reach in _REACH], _NOISE)]
    starts = [(reach / median, noise) for reach, noise in _STARTS] if start is None else [start]
    enough = [(gamma, enough_noise(distances, gamma, noise, relative)) for gamma, noise in starts]
    return bounds, [(math.log(gamma), math.log(noise)) for gamma, noise in enough]


def fit_processes(
    matrices: Sequence[NDArray[np.floating]] | NDArray[np.floating],
    targets: FloatArray,
    random: np.random.RandomState,
    *,
    weights: FloatArray | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> dict[int, Process]:
    """Fit a Gaussian process for every matrix of distances; with many graphs, for the few that look best.

    Parameters
    ----------
    matrices : (n_matrices, n, n) floats
        The distances between the training graphs, as for several depths.
    targets : (n) floats
        Their numbers.
    random : RandomState
        Chooses the graphs that matrices are compared on, if there are more than 500.
    weights : (n) floats, optional
        What the variance of the noise of each number is divided by; by default 1.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    dict of Process
        The processes fitted to all graphs, by the number of the matrix.
    """

    def fit(matrix: FloatArray, part: IntArray | slice, start: tuple[float, float] | None) -> Process:
        own = None if weights is None else weights[part]
        return fit_process(matrix, targets[part], weights=own, start=start)

    return fit_finalists(fit, matrices, random, n_jobs=n_jobs, progress=progress)


def fit_finalists(
    fit: Fit,
    matrices: Sequence[NDArray[np.floating]] | NDArray[np.floating],
    random: np.random.RandomState,
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> dict[int, Process]:
    """Fit a process for every matrix; with many graphs, for the few that look best on a part of them.

    Parameters
    ----------
    fit : callable
        Fits a process: to the distances between some graphs, which it gets with their positions, and perhaps with
        (gamma, noise_share), where the search begins.
    matrices, random, n_jobs, progress
        As in :func:`fit_processes`.

    Returns
    -------
    dict of Process
        The processes fitted to all graphs, by the number of the matrix.
    """
    some, n_graphs = partial(_fit_some, fit, n_jobs=n_jobs, progress=progress), len(matrices[0])
    if n_graphs <= EVIDENCE_SAMPLE:
        return some(dict(enumerate(matrices)), slice(None))
    part = random.permutation(n_graphs)[:EVIDENCE_SAMPLE]
    first = some({number: matrix[np.ix_(part, part)] for number, matrix in enumerate(matrices)}, part)
    finalists = sorted(sorted(first, key=lambda number: first[number].log_likelihood)[-FINALISTS:])
    starts = {number: (first[number].gamma, first[number].noise_share) for number in finalists}
    return some({number: matrices[number] for number in finalists}, slice(None), starts)


def fit_column_weight(
    matrix: DerivedMatrix, process: Process, targets: FloatArray, weights: FloatArray | None = None
) -> tuple[DerivedMatrix, Process]:
    """Fit the weight of columns, too, by maximizing the marginal likelihood.

    Parameters
    ----------
    matrix : DerivedMatrix
        The distances between the training graphs, (n, n); without columns nothing is fitted.
    process : Process
        The process that was fitted to them.
    targets : (n) floats
        Their numbers.
    weights : (n) floats, optional
        As in :func:`fit_process`.

    Returns
    -------
    matrix : DerivedMatrix
        The distances with this weight.
    process : Process
        The process for them.
    """
    if matrix.columns is None or not matrix.column_weight:
        return matrix, process
    usual = 1.0 if weights is None else float(weights.mean())
    relative = 1.0 if weights is None else usual / weights
    plain = np.asarray(replace(matrix, column_weight=0.0))
    mean = float(np.average(targets, weights=weights))
    start = np.log([process.gamma, process.noise_share / usual, matrix.column_weight])
    bounds = [(middle - math.log(_REACH[1]), middle + math.log(_REACH[1])) for middle in start]
    bounds[1] = (math.log(_NOISE[0]), math.log(_NOISE[1]))
    arguments = (plain, targets - mean, relative, matrix.columns)
    options: Any = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": 60}}
    ends = []
    for more in (0.0, math.log(10)):  # at the least noise of an indefinite kernel, no step leads away
        begin = np.clip(np.add(start, [0.0, more, 0.0]), *np.transpose(bounds))
        ends.append(minimize(_minus_likelihood, begin, arguments, **options))
    gamma, noise, weight = np.exp(min(ends, key=lambda end: end.fun).x).tolist()
    found = replace(matrix, column_weight=weight)
    with suppress(NotSolvedError):  # if no step led to a positive definite covariance
        fitted = process_at(np.asarray(found), targets, gamma, noise * usual, weights)
        if fitted.log_likelihood > process.log_likelihood:
            return found, fitted
    return matrix, process


def _fit_some(
    fit: Fit,
    matrices: Mapping[int, NDArray[np.floating]],
    part: IntArray | slice,
    starts: Mapping[int, tuple[float, float]] | None = None,
    *,
    n_jobs: int | None,
    progress: bool,
) -> dict[int, Process]:
    """Fit a process for each of several matrices, by number, on threads."""
    fitted: dict[int, Process] = {}

    def fit_one(number: int) -> None:
        fitted[number] = fit(matrices[number], part, None if starts is None else starts[number])

    tasks = [Task(partial(fit_one, number), 1) for number in matrices]
    with threadpool_limits(1):  # every task runs on one thread; the threads of BLAS would compete with the tasks
        run_tasks(tasks, np.zeros(1, dtype=np.bool_), n_jobs, label="evidence", unit="matrices", progress=progress)
    return {number: fitted[number] for number in matrices}


def enough_noise(distances: FloatArray, gamma: float, noise: float, relative: float | FloatArray) -> float:
    """Return the least of noise, 10 noise, … that makes a kernel positive definite, or the largest that is allowed."""
    kernel = exponential(distances, gamma)
    while noise < _NOISE[1] and factor_of(kernel, noise * relative) is None:
        noise *= 10
    return min(noise, _NOISE[1])


def process_at(
    distances: FloatArray, targets: FloatArray, gamma: float, noise_share: float, weights: FloatArray | None = None
) -> Process:
    """Return the process with this gamma, and with noise that is this share of the signal variance at weight 1."""
    mean = float(np.average(targets, weights=weights))
    factor = factor_of(exponential(distances, gamma), noise_share / (1.0 if weights is None else weights))
    if factor is None:
        raise NotSolvedError("the kernel is not positive definite, even with the largest noise that is allowed")
    factor, centered = np.asfortranarray(np.tril(factor)), targets - mean
    coefficients = cho_solve((factor, True), centered)
    signal = _signal(centered, coefficients)
    return Process(gamma, signal, noise_share * signal, mean, coefficients, factor, _likelihood(factor, signal))


def _signal(targets: FloatArray, coefficients: FloatArray) -> float:
    """Return the signal variance with the largest likelihood; that of equal targets is the least that has one."""
    return max(float(targets @ coefficients) / len(targets), _LEAST_SIGNAL)


def _likelihood(factor: FloatArray, signal: float) -> float:
    n = len(factor)
    determinant = 2 * float(np.log(np.diagonal(factor)).sum())
    return -0.5 * (n * math.log(signal) + determinant + n + n * math.log(2 * math.pi))


def _minus_likelihood(
    logs: FloatArray,
    distances: FloatArray,
    targets: FloatArray,
    relative: float | FloatArray = 1.0,
    term: FloatArray | None = None,
) -> tuple[float, FloatArray]:
    """Return minus the logarithm of the likelihood, and its gradient by the logarithms of gamma and noise.

    The noise of each target is ``relative`` times this noise. With a term of the distances, its weight is the third.
    """
    gamma, noise, *weight = np.exp(logs)
    if term is not None:
        distances = distances + weight[0] * term
    kernel = exponential(distances, gamma)
    factor = factor_of(kernel, noise * relative)
    if factor is None:  # a barrier that a line search steps back from
        return 1e30, np.zeros(len(logs))
    coefficients = cho_solve((factor, True), targets)
    signal = _signal(targets, coefficients)
    likelihood = _likelihood(factor, signal)
    invert_factor(factor)

    def slope(product: FloatArray) -> float:
        half = np.triu(product)  # half of the derivative; zeros on the diagonal
        return float(-2 * gamma * (coefficients @ half @ coefficients / signal - np.vdot(factor.T, half)))

    by_weight = [] if term is None else [weight[0] * slope(kernel * term)]
    by_noise = noise * np.sum((coefficients**2 / signal - np.diagonal(factor)) * relative)
    gradient = [slope(np.multiply(kernel, distances, out=kernel)), by_noise, *by_weight]
    return -likelihood, -0.5 * np.array(gradient)
