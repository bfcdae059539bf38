"""Gaussian processes of bounds: exact where there is a formula, near to slow integrals, and better than no bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_ndtr
from scipy.stats import multivariate_normal, norm, truncnorm

from wassergraph.learners import gaussian
from wassergraph.learners.censored import (
    _Minus,
    _Numbers,
    cut_off,
    fit_censored,
    fit_censored_processes,
    propagate,
)
from wassergraph.learners.gaussian import fit_process, process_at

PARAMETERS = [(0.0, -2.0, 0.0, 0.0), (0.5, -1.0, 0.3, 0.4), (-1.0, -6.0, 0.1, -0.2), (0.3, 1.0, -1.0, 0.0)]


@pytest.fixture(scope="module")
def made():
    """Points, the distances between them, and numbers that are a Gaussian process of them, with noise."""
    random = np.random.default_rng(0)
    points = random.normal(size=(90, 2))
    distances = np.abs(points[:, None] - points).sum(axis=-1)
    latent = np.linalg.cholesky(np.exp(-distances) + 1e-10 * np.eye(90)) @ random.normal(size=90)
    return distances, 2 * latent + 5, 2 * (latent + np.sqrt(0.1) * random.normal(size=90)) + 5


def censor(numbers, low=-np.inf, high=np.inf):
    """Return numbers or bounds, and which are bounds."""
    return np.clip(numbers, low, high), (numbers > high).astype(int) - (numbers < low)


def covariance_of(distances, gamma, noise, scale):
    return scale**2 * (np.exp(-gamma * distances) + noise * np.eye(len(distances)))


# Sites


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("z", [-300.0, -50.1, -49.9, -8.0, -1.0, 0.0, 0.5, 3.0, 8.0])
def test_a_site_has_the_moments_of_what_is_beyond_a_bound(z, side):
    mean, variance = 2.0, 0.25
    bound = mean - side * z * 0.5
    site = cut_off(np.array([mean]), np.array([variance]), np.array([bound]), np.array([side]))
    precision = 1 / variance + site.precision[0]
    center = (mean / variance + site.precision[0] * site.value[0]) / precision

    def moment(power):
        """Integrate a power of the excess over the bound, in standard deviations, with its density."""
        end = 12 + z if z > 0 else 60 / max(5.0, -z)
        return quad(lambda e: e**power * np.exp(-(e**2) / 2 + z * e - max(z, 0.0) ** 2 / 2), 0, end, epsabs=0)[0]

    first, second = moment(1) / moment(0), moment(2) / moment(0)
    assert center == pytest.approx(bound + side * 0.5 * first, rel=1e-9)
    assert 1 / precision == pytest.approx(variance * (second - first**2), rel=1e-7)
    assert site.log_share[0] == pytest.approx(norm.logcdf(z), rel=1e-12)


def test_one_bound_is_exact():
    sites = propagate(np.array([1.0]), np.array([[4.0]]), np.array([2.5]), np.array([1]))
    expected = truncnorm((2.5 - 1) / 2, np.inf, loc=1, scale=2)
    variance = 1 / (1 / 4 + sites.precision[0])
    assert variance == pytest.approx(expected.var(), rel=1e-9)
    assert variance * (1 / 4 + sites.shift[0]) == pytest.approx(expected.mean(), rel=1e-9)


def test_moments_of_several_bounds_are_near_those_of_draws(made):
    distances, *_ = made
    mean, covariance = np.zeros(5), covariance_of(distances[:5, :5], 1.0, 0.1, 1.0)
    bounds, sides = np.array([0.5, -0.5, 0.0, 1.0, -1.0]), np.array([1, -1, 1, -1, 1])
    sites = propagate(mean, covariance, bounds, sides)
    together = np.linalg.inv(np.linalg.inv(covariance) + np.diag(sites.precision))
    draws = np.random.default_rng(0).multivariate_normal(mean, covariance, size=1_000_000)
    draws = draws[(sides * (draws - bounds) > 0).all(axis=1)]
    assert len(draws) > 3000
    np.testing.assert_allclose(together @ sites.shift, draws.mean(axis=0), atol=0.04)
    np.testing.assert_allclose(np.diag(together), draws.var(axis=0), rtol=0.1)


def test_sites_do_not_depend_on_where_the_search_begins(made):
    distances, _, numbers = made
    covariance = covariance_of(distances[:40, :40], 0.7, 0.05, 1.0)
    bounds, sides = np.zeros(40), np.where(numbers[:40] > 5, 1, -1)
    one = propagate(np.zeros(40), covariance, bounds, sides)
    other = propagate(np.zeros(40), 1.3 * covariance, bounds + 0.1, sides)
    again = propagate(np.zeros(40), covariance, bounds, sides, other)
    np.testing.assert_allclose(again.precision, one.precision, rtol=1e-6)
    np.testing.assert_allclose(again.shift, one.shift, rtol=1e-6)
    assert again.log_factor == pytest.approx(one.log_factor, rel=1e-8)


# The likelihood


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_the_likelihood_of_one_bound_is_a_density_times_a_probability(made, parameters):
    distances, _, numbers = made
    values, sides = censor(numbers[:30], high=np.sort(numbers[:30])[-2] + 1e-9)
    assert np.abs(sides).sum() == 1
    made_of, _ = _Numbers.of(distances[:30, :30], values, sides, np.ones(30))
    value, _ = _Minus(made_of)(np.array(parameters))
    (gamma, noise, scale), mean = made_of.read(np.array(parameters))
    covariance = covariance_of(made_of.distances, gamma, noise, scale)
    known = made_of.values[:-1] - mean
    weights = np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])
    deviation = np.sqrt(covariance[-1, -1] - covariance[:-1, -1] @ weights)
    probability = log_ndtr((mean + weights @ known - made_of.values[-1]) / deviation)
    density = multivariate_normal(np.zeros(29), covariance[:-1, :-1]).logpdf(known)
    assert value == pytest.approx(-density - probability, rel=1e-9)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_the_likelihood_of_several_bounds_is_near_an_integral(made, parameters):
    distances, _, numbers = made
    values, sides = censor(numbers[:30], low=3.5, high=6.5)
    made_of, _ = _Numbers.of(distances[:30, :30], values, sides, np.ones(30))
    n = made_of.n_known
    value, _ = _Minus(made_of)(np.array(parameters))
    (gamma, noise, scale), mean = made_of.read(np.array(parameters))
    covariance = covariance_of(made_of.distances, gamma, noise, scale)
    known, side = made_of.values[:n] - mean, made_of.sides
    weights = np.linalg.solve(covariance[:n, :n], covariance[:n, n:])
    rest = (covariance[n:, n:] - covariance[n:, :n] @ weights) * side * side[:, None]
    limits = side * (mean + weights.T @ known - made_of.values[n:])
    probability = multivariate_normal(np.zeros(30 - n), rest, seed=0).logcdf(limits)
    density = multivariate_normal(np.zeros(n), covariance[:n, :n]).logpdf(known)
    assert value == pytest.approx(-density - probability, abs=0.05)


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_the_likelihood(made, parameters, weighted):
    distances, _, numbers = made
    values, sides = censor(numbers[:40], low=3.5, high=6)
    relative = np.random.default_rng(1).uniform(0.5, 2, size=40) if weighted else np.ones(40)
    made_of, _ = _Numbers.of(distances[:40, :40], values, sides, relative)
    at = np.array(parameters)
    _, gradient = _Minus(made_of)(at)
    numeric = approx_fprime(at, lambda each: _Minus(made_of)(each)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)


def test_the_likelihood_is_the_largest(made):
    distances, _, numbers = made
    values, sides = censor(numbers[:50], high=6)
    process = fit_censored(distances[:50, :50], values, sides)
    made_of, _ = _Numbers.of(distances[:50, :50], values, sides, np.ones(50))
    slow = minimize(lambda at: _Minus(made_of)(at)[0], [0.0, -2.0, 0.5, 0.0], method="Nelder-Mead")
    assert process.log_likelihood == pytest.approx(-slow.fun, abs=1e-3)


# Processes


def test_without_bounds_it_is_the_ordinary_process(made):
    distances, _, numbers = made
    one, other = fit_censored(distances, numbers, np.zeros(90, dtype=int)), fit_process(distances, numbers)
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_bounds_that_say_nothing_change_nothing(made):
    distances, _, numbers = made
    values, sides = numbers.copy(), np.zeros(90, dtype=int)
    values[60:], sides[60:] = -1e4, 1
    made_of, order = _Numbers.of(distances, values, sides, np.ones(90))
    # With the unit and the center of known numbers, the parameters are those of the process of these alone.
    plain = process_at(distances[:60, :60], numbers[:60], 1.0, 0.1)
    made_of = made_of._replace(center=plain.mean, unit=1.0)
    at = np.array([0.0, np.log(0.1), np.log(plain.signal) / 2, 0.0])
    value, gradient = _Minus(made_of)(at)
    assert -value == pytest.approx(plain.log_likelihood, rel=1e-10)
    assert gradient[2] == pytest.approx(0, abs=1e-8)  # the signal variance of the ordinary process is the best
    assert order.tolist() == list(range(90))


def test_predictions_from_one_bound_are_moments_of_the_truth(made):
    distances, _, numbers = made
    sides = np.zeros(31, dtype=int)
    sides[7] = 1
    process = fit_censored(distances[:31, :31], numbers[:31], sides)
    mean, deviation = process.predict(distances[31:40, :31])
    covariance = process.signal * np.exp(-process.gamma * distances[:40, :40]) + process.noise * np.eye(40)
    known, new = np.delete(np.arange(31), 7), np.arange(31, 40)
    # Given the known numbers, the one above its bound has a truncated normal distribution; the new ones follow it.
    every = np.r_[7, new]
    solved = np.linalg.solve(covariance[np.ix_(known, known)], covariance[np.ix_(known, every)])
    center = process.mean + solved.T @ (numbers[known] - process.mean)
    rest = covariance[np.ix_(every, every)] - covariance[np.ix_(every, known)] @ solved
    deviation_7 = np.sqrt(rest[0, 0])
    above = truncnorm((numbers[7] - center[0]) / deviation_7, np.inf, loc=center[0], scale=deviation_7)
    slope = rest[1:, 0] / rest[0, 0]
    np.testing.assert_allclose(mean, center[1:] + slope * (above.mean() - center[0]), rtol=1e-7)
    variance = np.diag(rest)[1:] - slope**2 * (rest[0, 0] - above.var())
    np.testing.assert_allclose(deviation**2, variance, rtol=1e-6)


def test_the_order_of_graphs_does_not_matter(made):
    distances, _, numbers = made
    values, sides = censor(numbers[:50], low=3.5, high=6)
    order = np.random.default_rng(0).permutation(50)
    one = fit_censored(distances[:50, :50], values, sides)
    other = fit_censored(distances[np.ix_(order, order)], values[order], sides[order])
    assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-6)
    new = distances[50:, :50]
    np.testing.assert_allclose(other.predict(new[:, order])[0], one.predict(new)[0], rtol=1e-3)


def test_units_do_not_matter(made):
    distances, _, numbers = made
    values, sides = censor(numbers[:50], high=6)
    one = fit_censored(distances[:50, :50], values, sides)
    other = fit_censored(distances[:50, :50], -1e4 * values + 7, -sides)
    np.testing.assert_allclose(
        other.predict(distances[50:, :50])[0], -1e4 * one.predict(distances[50:, :50])[0] + 7, rtol=1e-3
    )
    assert other.signal == pytest.approx(1e8 * one.signal, rel=1e-2)


def test_bounds_are_better_than_nothing_and_than_numbers(made):
    distances, latent, numbers = made
    values, sides = censor(numbers[:60], high=4.5)
    assert 20 <= sides.sum() <= 30
    known = np.flatnonzero(sides == 0)
    errors = {}
    for name, used, process in [
        ("drop", known, fit_process(distances[np.ix_(known, known)], values[known])),
        ("value", np.arange(60), fit_process(distances[:60, :60], values)),
        ("bounds", np.arange(60), fit_censored(distances[:60, :60], values, sides)),
    ]:
        mean, _ = process.predict(distances[60:][:, used])
        errors[name] = np.sqrt(np.mean((mean - latent[60:]) ** 2))
    assert errors["bounds"] < 0.9 * min(errors["drop"], errors["value"])


def test_contradictory_bounds_are_noise(made):
    distances, _, numbers = made
    twice = np.r_[np.arange(30), np.arange(30)]
    sides = np.r_[np.zeros(30, dtype=int), np.where(np.arange(30) % 2, 1, -1)]
    bounds = numbers[:30] + np.where(np.arange(30) % 2, 1.0, -1.0)
    process = fit_censored(distances[np.ix_(twice, twice)], np.r_[numbers[:30], bounds], sides)
    assert process.noise > 0.5
    assert np.isfinite(process.predict(distances[30:, twice[:60]])[0]).all()


def test_a_kernel_that_is_not_positive_definite_gets_noise():
    random = np.random.default_rng(0)
    distances = np.abs(random.normal(size=(30, 30)))
    distances = (distances + distances.T) * (1 - np.eye(30))
    values, sides = censor(random.normal(size=30), low=-1, high=1)
    process = fit_censored(distances, values, sides)
    smallest = np.linalg.eigvalsh(np.exp(-process.gamma * distances))[0]
    assert process.noise_share > -smallest
    assert np.isfinite(process.predict(distances)[1]).all()


def test_weights_divide_the_noise(made):
    distances, _, numbers = made
    values, sides = censor(numbers[:40], high=6)
    weights = np.random.default_rng(0).uniform(0.5, 3, size=40)
    one = fit_censored(distances[:40, :40], values, sides, weights=weights)
    other = fit_censored(distances[:40, :40], values, sides, weights=10 * weights)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-6)
    assert other.noise == pytest.approx(10 * one.noise, rel=1e-2)
    np.testing.assert_allclose(other.predict(distances[40:, :40])[0], one.predict(distances[40:, :40])[0], rtol=1e-3)


def test_the_best_of_several_matrices(made, monkeypatch):
    distances, _, numbers = made
    values, sides = censor(numbers, high=6)
    shuffled = np.random.default_rng(0).permutation(90)
    matrices = [distances[np.ix_(shuffled, shuffled)], distances]
    whole = fit_censored_processes(matrices, values, sides, np.random.RandomState(0))
    assert whole[1].log_likelihood > whole[0].log_likelihood + 5
    alone = fit_censored(distances, values, sides)
    assert whole[1].log_likelihood == pytest.approx(alone.log_likelihood, rel=1e-9)
    monkeypatch.setattr(gaussian, "EVIDENCE_SAMPLE", 50)
    monkeypatch.setattr(gaussian, "FINALISTS", 1)
    part = fit_censored_processes(matrices, values, sides, np.random.RandomState(0))
    assert part.keys() == {1}
    assert part[1].log_likelihood == pytest.approx(whole[1].log_likelihood, abs=1e-2)
