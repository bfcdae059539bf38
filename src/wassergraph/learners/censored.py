"""Gaussian processes of numbers of which some are only bounds, such as ">10", by expectation propagation.

A bound is an interval without an end: what is known of its number y is y > b, or y < b, noise included. So all numbers
together have the normal distribution of :mod:`wassergraph.learners.gaussian`, and the likelihood (that of Tobin's
model) is the density of the numbers that are known, times the probability that the others are beyond their bounds. The
latter has no closed form. Expectation propagation replaces each bound by a measurement with a precision and a value of
its own, a *site*, so that the normal distribution with all sites has, for each number, the mean and the variance that
it has with its bound in place of its site. Then

    log L = log N(v; m, C)  +  sum over bounds of  log Φ(z) + ½ log 2π(V + d) + ½ (μ - v)² / (V + d),

    C = s² (exp(-gamma D) + r I) + diag(d), with v the known numbers and the values of sites, and d the variances of
    sites (0 for known numbers); μ and V are the mean and the variance of a number without its own site, and
    z = ±(μ - b) / √V.

The derivative of log L by gamma, s², r and m is that of the normal density with fixed sites, since log L does not
change with these at a solution. The result is the ordinary Gaussian process of the values v, with the additional noise
d, so that predictions have no further formula. With one bound, all of this is exact.

Numbers that are known come first below, so that bounds need the last block of the Cholesky factor only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, lapack
from scipy.optimize import minimize
from scipy.special import erfcx, log_ndtr

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import NotSolvedError
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.covariance import factor_of
from wassergraph.learners.gaussian import Process, fit_finalists, fit_process, process_at, search_space
from wassergraph.learners.lapack import factorize, invert_factor

#: Up to how many rounds of expectation propagation there are, which change ends it, and the least share of a step.
_ROUNDS, _TOLERANCE, _LEAST_STEP = 200, 1e-9, 0.05
#: The least precision of a site, and the number from which on the ratio φ/Φ is expanded.
_LEAST_PRECISION, _FAR = 1e-12, 50.0
#: The bounds of the logarithm of s, and of the mean, both in standard deviations of the numbers.
_SCALES, _MEANS = (math.log(1e-3), math.log(1e3)), (-20.0, 20.0)
#: How much smaller than the best one a likelihood is taken to be if there is none.
_BARRIER = 100.0
_LOG_TWO_PI = math.log(2 * math.pi)


class Sites(NamedTuple):
    """What replaces the bounds: measurements with a precision, the inverse of a variance, and a value each.

    Attributes
    ----------
    precision, shift : (m) floats
        The precisions, and their products with the values.
    log_factor : float
        The sum over bounds in log L, as the head of this module says.
    """

    precision: FloatArray
    shift: FloatArray
    log_factor: float = 0.0

    @property
    def variance(self) -> FloatArray:
        """The variances, which are large if a bound says next to nothing."""
        return 1 / np.maximum(self.precision, _LEAST_PRECISION)


class Tilted(NamedTuple):
    """A normal distribution that is cut off at a bound, compared with that before: its site, and log Φ(z)."""

    precision: FloatArray
    value: FloatArray
    log_share: FloatArray


def cut_off(mean: FloatArray, variance: FloatArray, bounds: FloatArray, sides: IntArray) -> Tilted:
    """Return the sites that give normal distributions the moments which they have beyond their bounds.

    Parameters
    ----------
    mean, variance : (m) floats
        The normal distributions.
    bounds : (m) floats
        Where each is cut off.
    sides : (m) integers
        What is left: 1 what is above, -1 what is below.

    Returns
    -------
    Tilted
    """
    deviation = np.sqrt(variance)
    z = sides * (mean - bounds) / deviation
    ratio = math.sqrt(2 / math.pi) / erfcx(-z / math.sqrt(2))  # φ(z) / Φ(z), which is 0 where erfcx is infinite
    # The variance falls by the share (z + ratio) ratio, which is nearly 1 if almost everything is cut off.
    reach, kept = z + ratio, 1 - ratio * (z + ratio)
    far, square = z < -_FAR, 1 / np.maximum(z * z, _FAR**2)
    reach = np.where(far, -np.minimum(z, -_FAR) * square * (1 - 2 * square + 10 * square**2 - 74 * square**3), reach)
    kept = np.where(far, square * (1 - 6 * square + 50 * square**2 - 518 * square**3), kept)
    return Tilted((1 - kept) / (kept * variance), mean + sides * deviation / reach, log_ndtr(z))


def propagate(
    mean: FloatArray, covariance: FloatArray, bounds: FloatArray, sides: IntArray, start: Sites | None = None
) -> Sites | None:
    """Return the sites of bounds on numbers with a joint normal distribution; None if they are not found.

    Parameters
    ----------
    mean, covariance : (m) floats, (m, m) floats
        The normal distribution.
    bounds, sides
        As in :func:`cut_off`.
    start : Sites, optional
        Where to begin, such as the sites of a similar distribution.

    Returns
    -------
    Sites or None
    """
    with np.errstate(all="ignore"):  # what is lost to rounding, or diverges, is found by the check
        return _propagate(mean, covariance, bounds, sides, start)


def _propagate(
    mean: FloatArray, covariance: FloatArray, bounds: FloatArray, sides: IntArray, start: Sites | None
) -> Sites | None:
    nothing = np.zeros(len(mean))
    precision, shift = (nothing, nothing) if start is None else start[:2]
    step, last = 1.0, math.inf
    for _ in range(_ROUNDS):
        center, before, spread = _without_own(mean, covariance, precision, shift)
        if not (before > 0).all():
            return None
        found = cut_off(center, before, bounds, sides)
        new_shift = found.precision * found.value
        changes = np.abs(found.precision - precision) * spread, np.abs(new_shift - shift) * np.sqrt(spread)
        change = float(max(map(np.max, changes)))
        if change < _TOLERANCE:
            sites = Sites(precision, shift)
            wide = before + sites.variance
            value = shift * sites.variance
            factors = found.log_share + 0.5 * (_LOG_TWO_PI + np.log(wide) + (center - value) ** 2 / wide)
            return sites._replace(log_factor=float(factors.sum()))
        step, last = max(step / 2, _LEAST_STEP) if change > last else min(1.2 * step, 1.0), change
        precision = precision + step * (found.precision - precision)
        shift = shift + step * (new_shift - shift)
    return None


def _without_own(
    mean: FloatArray, covariance: FloatArray, precision: FloatArray, shift: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and variance of each number by all sites but its own, and its variance by all.

    With P the precisions and B = I + √P S √P, the covariance by all sites is S - S √P B⁻¹ √P S = √P⁻¹ B⁻¹ √P S, and the
    variance without the own site is that with it, divided by the diagonal of B⁻¹.
    """
    root = np.sqrt(np.maximum(precision, _LEAST_PRECISION))
    inverse = (root[:, None] * covariance * root).T
    inverse.flat[:: len(inverse) + 1] += 1
    factorize(inverse)  # positive definite, since the covariance of numbers with noise is
    invert_factor(inverse)
    lower = np.tril(inverse)
    own, moved = np.diagonal(lower), covariance @ (shift - precision * mean)
    spread = _times(lower * covariance, root) / root
    together = mean + moved - covariance @ (root * _times(lower, root * moved))
    before = spread / own
    return together + before * (precision * together - shift), before, spread


def _times(lower: FloatArray, vector: FloatArray) -> FloatArray:
    """Multiply the symmetric matrix with this lower triangle by a vector."""
    product: FloatArray = lower @ vector + lower.T @ vector - np.diagonal(lower) * vector
    return product


def fit_censored(
    distances: NDArray[np.floating],
    targets: FloatArray,
    sides: IntArray,
    *,
    weights: FloatArray | None = None,
    start: tuple[float, float] | None = None,
    max_iter: int = 60,
) -> Process:
    """Fit a Gaussian process to numbers of which some are bounds, by maximizing the marginal likelihood.

    Parameters
    ----------
    distances : (n, n) floats
        The distances between the training graphs.
    targets : (n) floats
        Their numbers, or bounds of these.
    sides : (n) integers
        What is known of each: 0 the number, -1 that it is below, and 1 that it is above. Without bounds, the process is
        that of :func:`wassergraph.learners.gaussian.fit_process`; with bounds, also the mean maximizes the likelihood.
    weights, start, max_iter
        As in :func:`wassergraph.learners.gaussian.fit_process`.

    Returns
    -------
    Process
        The process of known numbers and of sites in place of bounds.

    Raises
    ------
    NotSolvedError
        If the kernel has no positive definite covariance with any noise that is allowed, or no sites are found.
    """
    matrix = np.asarray(distances, dtype=np.float64)
    if not sides.any():
        return fit_process(matrix, targets, weights=weights, start=start, max_iter=max_iter)
    usual = 1.0 if weights is None else float(weights.mean())
    relative = np.ones(len(targets)) if weights is None else usual / weights
    numbers, order = _Numbers.of(matrix, targets, sides, relative)
    bounds, starts = search_space(matrix, relative, None if start is None else (start[0], start[1] / usual))
    unit = math.log(numbers.unit)
    limits = [*bounds, (unit + _SCALES[0], unit + _SCALES[1]), _MEANS]
    function = _Minus(numbers)
    for gamma, noise in starts:
        plain = process_at(matrix, targets, math.exp(gamma), math.exp(noise) * usual, weights)
        clipped = np.clip([gamma, noise, math.log(plain.signal) / 2, 0.0], *np.transpose(limits))
        options: Any = {"jac": True, "method": "L-BFGS-B", "bounds": limits, "options": {"maxiter": max_iter}}
        minimize(function, clipped, **options)
    if function.best is None:
        raise NotSolvedError("the kernel is not positive definite, even with the largest noise that is allowed")
    return _process(function.best, numbers, order, usual, matrix)


def fit_censored_processes(
    matrices: Sequence[NDArray[np.floating]] | NDArray[np.floating],
    targets: FloatArray,
    sides: IntArray,
    random: np.random.RandomState,
    *,
    weights: FloatArray | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> dict[int, Process]:
    """Fit a process as :func:`fit_censored` does for every matrix of distances; with many graphs, for the best few.

    Parameters
    ----------
    matrices, targets, random, weights, n_jobs, progress
        As in :func:`wassergraph.learners.gaussian.fit_processes`.
    sides : (n) integers
        Which targets are bounds, as in :func:`fit_censored`.

    Returns
    -------
    dict of Process
        The processes fitted to all graphs, by the number of the matrix.
    """

    def fit(matrix: FloatArray, part: IntArray | slice, start: tuple[float, float] | None) -> Process:
        own = None if weights is None else weights[part]
        return fit_censored(matrix, targets[part], sides[part], weights=own, start=start)

    return fit_finalists(fit, matrices, random, n_jobs=n_jobs, progress=progress)


class _Numbers(NamedTuple):
    """Numbers of which the last ones are bounds, with the distances between their graphs, in the same order."""

    distances: FloatArray
    values: FloatArray
    sides: IntArray
    relative: FloatArray
    center: float
    unit: float

    @classmethod
    def of(
        cls, distances: FloatArray, targets: FloatArray, sides: IntArray, relative: FloatArray
    ) -> tuple[_Numbers, IntArray]:
        """Return the numbers, and their positions before."""
        order = np.argsort(sides != 0, kind="stable")
        center, unit = float(np.average(targets, weights=1 / relative)), float(targets.std()) or 1.0
        return cls(
            distances[np.ix_(order, order)], targets[order], sides[sides != 0], relative[order], center, unit
        ), order

    @property
    def n_known(self) -> int:
        return len(self.values) - len(self.sides)

    def read(self, parameters: FloatArray) -> tuple[list[float], float]:
        """Return gamma, r and s, and the mean, from what is searched for."""
        return np.exp(parameters[:3]).tolist(), self.center + self.unit * float(parameters[3])


class _Minus:
    """Minus the logarithm of the likelihood, and its gradient, which remembers the best parameters.

    Sites are searched for from those of the last call.
    """

    def __init__(self, numbers: _Numbers) -> None:
        self.numbers = numbers
        self.sites: Sites | None = None
        self.best: _Solution | None = None

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        found = _solve(parameters, self.numbers, self.sites)
        if found is None:  # a barrier that a line search steps back from; if it were higher, to where it came from
            return (1e30 if self.best is None else _BARRIER - self.best.log_likelihood), np.zeros(4)
        self.sites = found.sites
        if self.best is None or found.log_likelihood > self.best.log_likelihood:
            self.best = found
        return -found.log_likelihood, -found.gradient


def _process(solution: _Solution, numbers: _Numbers, order: IntArray, usual: float, distances: FloatArray) -> Process:
    """Return the process of a solution, in the order of the distances."""
    (gamma, noise, scale), mean = numbers.read(solution.parameters)
    back = np.argsort(order)
    factor = factor_of(exponential(distances, gamma), (noise * numbers.relative + solution.variances)[back])
    if factor is None:  # unlike the same matrix in another order, by rounding
        raise NotSolvedError("the kernel is hardly positive definite with this noise")
    factor = np.asfortranarray(np.tril(factor))
    coefficients = cho_solve((factor, True), solution.values[back] - mean)
    return Process(gamma, scale**2, noise * usual * scale**2, mean, coefficients, factor, solution.log_likelihood)


class _Solution(NamedTuple):
    """Parameters with their likelihood and its gradient; values, also of sites, and what these add to r."""

    parameters: FloatArray
    log_likelihood: float
    gradient: FloatArray
    sites: Sites
    values: FloatArray
    variances: FloatArray


def _solve(parameters: FloatArray, numbers: _Numbers, start: Sites | None) -> _Solution | None:
    """Return the likelihood of log gamma, log r, log s and the mean, in units from the center; None if there is none.

    All is computed in units of s, from the mean.
    """
    (gamma, noise, scale), mean = numbers.read(parameters)
    kernel, known = exponential(numbers.distances, gamma), numbers.n_known
    factor = factor_of(kernel, noise * numbers.relative)
    if factor is None:
        return None
    scaled = (numbers.values - mean) / scale
    half = lapack.dtrtrs(factor[:known, :known], scaled[:known], lower=1)[0] if known else np.zeros(0)
    last = np.tril(factor[known:, known:])
    left, covariance = factor[known:, :known], last @ last.T
    sites = propagate(left @ half, covariance, scaled[known:], numbers.sides, start)
    if sites is None:
        return None
    scaled[known:] = sites.shift * sites.variance
    widened = factor_of(covariance, sites.variance)
    if widened is None:
        return None
    factor[known:, known:] = widened
    coefficients = cho_solve((factor, True), scaled)
    determinant = 2 * float(np.log(np.diagonal(factor)).sum())
    normal = -0.5 * (float(scaled @ coefficients) + determinant + len(scaled) * _LOG_TWO_PI)
    likelihood = normal + sites.log_factor - known * math.log(scale)
    additional = np.zeros(len(scaled))
    additional[known:] = sites.variance
    invert_factor(factor)
    inverse = np.diagonal(factor)
    by_gamma = np.triu(np.multiply(kernel, numbers.distances, out=kernel))
    gradient = np.array(
        [
            -gamma * (coefficients @ by_gamma @ coefficients - np.vdot(factor.T, by_gamma)),
            0.5 * noise * np.sum((coefficients**2 - inverse) * numbers.relative),
            scaled @ coefficients - np.sum(additional * (coefficients**2 - inverse)) - len(scaled),
            numbers.unit * coefficients.sum() / scale,
        ]
    )
    return _Solution(parameters.copy(), likelihood, gradient, sites, mean + scale * scaled, additional)
