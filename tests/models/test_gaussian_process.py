"""Gaussian processes: equal to scikit-learn's, with the largest likelihood, and with deviations that are true."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel
from sklearn.model_selection import KFold

import wassergraph as wg
from made_metrics import model_options
from wassergraph.errors import NotSolvedError
from wassergraph.learners import gaussian
from wassergraph.learners.gaussian import _minus_likelihood, fit_process, process_at


class Given(Kernel):
    """A kernel of scikit-learn that looks its values up: its X are positions of graphs."""

    def __init__(self, matrix):
        self.matrix = matrix

    def __call__(self, X, Y=None, eval_gradient=False):  # noqa: N803 - scikit-learn's names
        rows = X[:, 0].astype(int)
        return self.matrix[np.ix_(rows, rows if Y is None else Y[:, 0].astype(int))]

    def diag(self, X):  # noqa: N803 - scikit-learn's name
        return np.diag(self.matrix)[X[:, 0].astype(int)]

    def is_stationary(self):
        return False


@pytest.fixture(scope="module")
def numbers():
    graphs, classes = wg.load_dataset("demo")
    random = np.random.default_rng(0)
    return graphs, np.log(graphs.sizes) + 0.3 * classes + 0.05 * random.normal(size=len(graphs))


@pytest.fixture(scope="module")
def distances(numbers):
    return wg.distances(numbers[0], metric=wg.WWL(depth=1, kind="categorical", mass="count"))


@pytest.fixture(scope="module")
def model(numbers):
    graphs, y = numbers
    return wg.GraphGaussianProcess(wg.WWL(depth=[0, 1], kind="categorical", mass="count")).fit(graphs[:45], y[:45])


def test_mean_deviation_and_evidence_are_those_of_scikit_learn(numbers, distances):
    _, y = numbers
    process = process_at(distances[:45, :45], y[:45], 0.2, 0.05)
    peer = GaussianProcessRegressor(
        Given(process.signal * np.exp(-0.2 * distances)), alpha=process.noise, optimizer=None
    ).fit(np.arange(45)[:, None], y[:45] - y[:45].mean())
    mean, deviation = peer.predict(np.arange(45, 60)[:, None], return_std=True)
    ours, ours_deviation = process.predict(distances[45:, :45])
    np.testing.assert_allclose(ours, y[:45].mean() + mean, rtol=1e-6)
    # scikit-learn's deviation is that of the signal, without the noise of a new measurement.
    np.testing.assert_allclose(ours_deviation**2, deviation**2 + process.noise, rtol=1e-6)
    assert process.log_likelihood == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-9)


def test_the_gradient_is_that_of_the_likelihood(numbers, distances):
    _, y = numbers
    for logs in ([-2.0, -3.0], [0.5, -1.0]):
        arguments = distances, y - y.mean()
        _, gradient = _minus_likelihood(np.array(logs), *arguments)
        numeric = approx_fprime(np.array(logs), lambda at, *rest: _minus_likelihood(at, *rest)[0], 1e-6, *arguments)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)


def test_the_likelihood_is_the_largest(numbers, distances):
    _, y = numbers
    best = fit_process(distances, y)
    random = np.random.default_rng(1)
    for _ in range(50):
        gamma, noise = best.gamma * np.exp(random.normal()), best.noise / best.signal * np.exp(random.normal())
        assert process_at(distances, y, gamma, noise).log_likelihood <= best.log_likelihood + 1e-3
    signal = best.signal * np.exp(random.normal(size=20) / 10)
    covariance = np.exp(-best.gamma * distances) + best.noise / best.signal * np.eye(len(y))
    _, determinant = np.linalg.slogdet(covariance)
    square = (y - y.mean()) @ np.linalg.solve(covariance, y - y.mean())
    others = -0.5 * (square / signal + len(y) * np.log(2 * np.pi * signal) + determinant)
    assert (others <= best.log_likelihood + 1e-9).all()


def test_leaving_one_out_is_leaving_one_out(numbers, distances):
    _, y = numbers
    process = fit_process(distances, y)
    centered = y - y.mean()
    means, deviations = process.leave_out(y)
    covariance = process.signal * np.exp(-process.gamma * distances) + process.noise * np.eye(len(y))
    for left in (0, 17, 59):
        others = np.delete(np.arange(len(y)), left)
        row = covariance[left, others]
        solved = np.linalg.solve(covariance[np.ix_(others, others)], np.column_stack([centered[others], row]))
        assert means[left] == pytest.approx(y.mean() + row @ solved[:, 0])
        assert deviations[left] ** 2 == pytest.approx(covariance[left, left] - row @ solved[:, 1])


def test_deviations_are_true_of_numbers_that_are_a_gaussian_process(distances):
    covariance = np.exp(-0.3 * distances) + 0.05 * np.eye(60)
    factor = np.linalg.cholesky(covariance)
    inside = []
    for seed in range(60):
        y = 3.0 + factor @ np.random.default_rng(seed).normal(size=60)
        mean, deviation = process_at(distances[:40, :40], y[:40], 0.3, 0.05).predict(distances[40:, :40])
        inside.append(np.abs(y[40:] - mean) <= 1.6449 * deviation)
    assert 0.85 < np.mean(inside) < 0.95


@pytest.mark.filterwarnings("ignore::wassergraph.errors.UnusedDataWarning")
def test_intervals_of_real_molecules_contain_what_they_say(molecules_home):
    """In five folds of ESOL, the intervals of the level 0.9 contain 87 to 93 % of the solubilities.

    The standard error of a share of 0.9 of 1,128 molecules is 0.009; three are allowed. No theorem promises coverage,
    since the numbers of molecules are not a Gaussian process.
    """
    with (molecules_home / "ESOL.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    graphs = wg.from_smiles([row["smiles"] for row in rows])
    y = np.array([float(row["measured log solubility in mols per litre"]) for row in rows])
    inside = np.zeros(len(y), dtype=bool)
    for train, test in KFold(5, shuffle=True, random_state=0).split(y):
        model = wg.GraphGaussianProcess(wg.WWL(depth=1, kind="categorical", mass="count"), n_jobs=1).fit(
            graphs[train], y[train]
        )
        lower, upper = model.predict_interval(graphs[test], level=0.9).T
        inside[test] = (lower <= y[test]) & (y[test] <= upper)
        assert 0.87 < model.coverage_ < 0.93
    assert 0.87 < inside.mean() < 0.93


def test_the_model_is_the_process_with_the_largest_evidence(numbers, model):
    graphs, y = numbers
    stack = wg.distances(graphs, metric=wg.WWL(depth=[0, 1], kind="categorical", mass="count"))
    fitted = [fit_process(each[:45, :45], y[:45]) for each in stack]
    best = int(np.argmax([process.log_likelihood for process in fitted]))
    assert model.best_params_ == {"depth": best, "gamma": pytest.approx(fitted[best].gamma, rel=1e-4)}
    assert model.evidence_ == pytest.approx(fitted[best].log_likelihood, rel=1e-6)
    expected, deviation = fitted[best].predict(stack[best, 45:, :45])
    ours, ours_deviation = model.predict(graphs[45:], return_std=True)
    np.testing.assert_allclose(ours, expected, rtol=1e-4)
    np.testing.assert_allclose(ours_deviation, deviation, rtol=1e-3)
    np.testing.assert_array_equal(model.predict(graphs[45:]), ours)
    intervals = model.predict_interval(graphs[45:], level=0.9)
    reach = 1.644854 * ours_deviation
    np.testing.assert_allclose(intervals, np.column_stack([ours - reach, ours + reach]), rtol=1e-6)
    everything = model.predictions(graphs[45:])
    np.testing.assert_array_equal(np.column_stack([everything.lower, everything.upper]), intervals)
    means, deviations = fitted[best].leave_out(y[:45])
    assert model.coverage_ == pytest.approx(np.mean(np.abs(y[:45] - means) <= 1.644854 * deviations), abs=0.03)
    assert model.score(graphs[45:], y[45:]) > 0.5
    assert model.predict(graphs[:0]).shape == (0,)


def test_depths_of_many_graphs_are_compared_on_a_part(numbers, monkeypatch):
    graphs, y = numbers
    options = {"depth": range(5), "kind": "categorical", "mass": "count"}
    whole = wg.GraphGaussianProcess(**model_options(**options)).fit(graphs, y)
    monkeypatch.setattr(gaussian, "EVIDENCE_SAMPLE", 40)
    part = wg.GraphGaussianProcess(**model_options(**options)).fit(graphs, y)
    again = wg.GraphGaussianProcess(**model_options(**options)).fit(graphs, y)
    assert part.evidence_ == pytest.approx(again.evidence_, rel=1e-6)
    assert part.evidence_ <= whole.evidence_ + 1e-3
    assert part.evidence_ > whole.evidence_ - 5


def test_a_kernel_that_is_not_positive_definite_gets_noise():
    random = np.random.default_rng(0)
    distances = np.abs(random.normal(size=(30, 30)))
    distances = (distances + distances.T) * (1 - np.eye(30))
    process = fit_process(distances, random.normal(size=30))
    smallest = np.linalg.eigvalsh(np.exp(-process.gamma * distances))[0]
    assert process.noise / process.signal > -smallest
    mean, deviation = process.predict(distances)
    assert np.isfinite(mean).all()
    assert (deviation > 0).all()
    with pytest.raises(NotSolvedError, match="not positive definite"):
        process_at(distances, random.normal(size=30), 0.3, 1e-9)


def test_a_model_comes_back_as_it_was(numbers, model, tmp_path):
    graphs, _ = numbers
    model.save(tmp_path / "m.wgm")
    loaded = wg.load_model(tmp_path / "m.wgm")
    for one, other in zip(loaded.predict(graphs, return_std=True), model.predict(graphs, return_std=True), strict=True):
        np.testing.assert_array_equal(one, other)
    for name in ("evidence_", "signal_", "noise_", "coverage_", "best_params_", "n_negative_"):
        assert getattr(loaded, name) == getattr(model, name)


def test_bad_input(numbers, model):
    graphs, y = numbers
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 90"):
        model.predict_interval(graphs, level=90)
    with pytest.raises(ValueError, match="all graphs have the number 2"):
        wg.GraphGaussianProcess().fit(graphs, np.full(60, 2.0))
    with pytest.raises(ValueError, match="there is one graph to learn from"):
        wg.GraphGaussianProcess().fit(graphs[:1], y[:1])
