"""Gaussian processes of several targets: the gradient, predictions and what is left out, against dense formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from wassergraph.learners.coregional import Observations, _Search, coregional_at, fit_coregional, target_scales
from wassergraph.learners.gaussian import process_at


def made(seed: int, n_graphs: int = 30, n_targets: int = 3, known: float = 0.6) -> tuple[np.ndarray, Observations]:
    """Return distances, and random numbers of several targets with gaps."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(n_graphs, 2))
    distances = np.abs(points[:, None] - points[None]).sum(axis=-1)
    root = np.tril(random.normal(size=(n_targets, n_targets)))
    covariance = np.kron(root @ root.T, np.exp(-0.5 * distances)) + 0.05 * np.eye(n_graphs * n_targets)
    table = (np.linalg.cholesky(covariance) @ random.normal(size=n_graphs * n_targets)).reshape(n_targets, n_graphs).T
    graphs, targets = np.nonzero(random.random(table.shape) < known)
    relative = random.uniform(0.5, 2.0, size=len(graphs))
    return distances, Observations(graphs, targets, 3 + 2 * table[graphs, targets], relative)


def dense_covariance(distances, observed, process) -> np.ndarray:
    """Return the covariance of all observations, entry by entry."""
    n = len(observed.values)
    found = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            pair = process.covariance[observed.targets[i], observed.targets[j]]
            found[i, j] = pair * np.exp(-process.gamma * distances[observed.graphs[i], observed.graphs[j]])
        found[i, i] += process.noise[observed.targets[i]] * observed.relative[i]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_process_is_that_of_dense_formulas(seed):
    distances, observed = made(seed)
    process = fit_coregional(distances[:25, :25], observed.take(np.flatnonzero(observed.graphs < 25)), 1.0)
    observed = observed.take(np.flatnonzero(observed.graphs < 25))
    covariance, means, scales = dense_covariance(distances, observed, process), process.means, process.scales
    values = (observed.values - means[observed.targets]) / scales[observed.targets]
    expected = multivariate_normal(cov=covariance).logpdf(values)
    assert process.log_likelihood == pytest.approx(expected, rel=1e-9)
    for target in range(3):
        rows = np.exp(-process.gamma * distances[25:, observed.graphs]) * process.covariance[target, observed.targets]
        mean = means[target] + scales[target] * rows @ np.linalg.solve(covariance, values)
        own = process.covariance[target, target] + process.noise[target]
        variance = own - np.einsum("ij,ji->i", rows, np.linalg.solve(covariance, rows.T))
        found = process.predict(distances[25:, :25], target)
        np.testing.assert_allclose(found[0], mean, rtol=1e-9)
        np.testing.assert_allclose(found[1], scales[target] * np.sqrt(variance), rtol=1e-9)
        by_graph = np.exp(-process.gamma * distances[25:, :25]) @ process.of_graphs(target, 25)
        np.testing.assert_allclose(means[target] + by_graph, mean, rtol=1e-9)


def test_the_gradient_is_that_of_differences():
    distances, observed = made(4)
    search = _Search(distances, observed.standardized(*target_scales(observed, 3)), 3)
    vector = search.pack(np.linalg.cholesky(0.4 * np.eye(3) + 0.3), 0.7)
    expected = approx_fprime(vector, lambda each: search.minus_likelihood(each)[0], 1e-6)
    np.testing.assert_allclose(search.minus_likelihood(vector)[1], expected, rtol=1e-3, atol=1e-3)


def test_what_is_left_out_is_predicted_from_the_rest():
    distances, observed = made(5)
    process = fit_coregional(distances, observed, 1.0)
    covariance = dense_covariance(distances, observed, process)
    means, scales = process.means[observed.targets], process.scales[observed.targets]
    values = (observed.values - means) / scales
    for groups in (observed.graphs, np.arange(len(values))):
        mean, deviation = process.leave_out(observed.values, groups)
        for group in np.unique(groups)[:8]:
            out, rest = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
            across = covariance[np.ix_(out, rest)]
            weights = np.linalg.solve(covariance[np.ix_(rest, rest)], across.T).T
            np.testing.assert_allclose(mean[out], means[out] + scales[out] * (weights @ values[rest]), rtol=1e-8)
            variance = np.diagonal(covariance[np.ix_(out, out)] - weights @ across.T)
            np.testing.assert_allclose(deviation[out], scales[out] * np.sqrt(variance), rtol=1e-8)


def test_one_target_is_an_ordinary_process():
    distances, observed = made(6, n_targets=1, known=1.0)
    observed = observed._replace(relative=np.ones(len(observed.values)))
    ordinary = process_at(distances, observed.values, 0.7, 0.1)
    scale = target_scales(observed, 1)
    signal = ordinary.signal / scale[1][0] ** 2
    shared = coregional_at(distances, observed, 0.7, np.array([[signal]]), np.array([0.1 * signal]), scale)
    for one, other in zip(shared.predict(distances[:5] + 0.1, 0), ordinary.predict(distances[:5] + 0.1), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_targets_that_go_together_are_found():
    random = np.random.default_rng(7)
    points = random.uniform(0, 4, size=(60, 1))
    distances = np.abs(points - points.T)
    signal = np.linalg.cholesky(np.exp(-distances) + 1e-8 * np.eye(60)) @ random.normal(size=60)
    table = np.column_stack([signal, -signal, random.normal(size=60)]) + 0.1 * random.normal(size=(60, 3))
    graphs, targets = np.nonzero(np.ones(table.shape))
    observed = Observations(graphs, targets, table.ravel(), np.ones(table.size))
    correlations = fit_coregional(distances, observed, 1.0).correlations
    assert correlations[0, 1] < -0.9
    assert np.all(np.abs(np.diagonal(correlations) - 1) < 1e-12)
