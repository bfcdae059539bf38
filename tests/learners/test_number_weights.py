"""Weights and groups of graphs with numbers: as in scikit-learn, and as repeated graphs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import PairwiseKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GroupKFold
from sklearn.svm import SVR

import wassergraph as wg
from made_metrics import model_options, with_metric
from wassergraph.learners.gaussian import _minus_likelihood, fit_process, process_at
from wassergraph.learners.protocol import FitOptions, KernelBlock
from wassergraph.learners.ridge import RidgeLearner, fit_ridge
from wassergraph.learners.svr import SVRLearner, fit_svr
from wassergraph.tuning.groups import whole_groups

LABELS = {"depth": 1, "kind": "categorical", "mass": "count"}
ONE = {**LABELS, "gamma": 0.3}
MODELS = [
    wg.GraphRegressor(**model_options(alpha=0.1, **ONE)),
    wg.GraphRegressor(**model_options(regressor="svr", C=1.0, **ONE)),
    wg.GraphGaussianProcess(**model_options(**LABELS)),
]


@pytest.fixture(scope="module")
def numbers():
    graphs, classes = wg.load_dataset("demo")
    random = np.random.default_rng(0)
    return graphs, np.log(graphs.sizes) + 0.3 * classes + 0.05 * random.normal(size=len(graphs))


@pytest.fixture(scope="module")
def distances(numbers):
    return wg.distances(numbers[0], **with_metric(**LABELS))


@pytest.fixture(scope="module")
def kernel(distances):
    return np.exp(-0.3 * distances)


@pytest.fixture(scope="module")
def weights(numbers):
    return np.random.default_rng(1).uniform(0.2, 4.0, len(numbers[1]))


def indefinite(n):
    matrix = np.random.default_rng(3).normal(size=(n, n))
    return (matrix + matrix.T) / 4 + np.eye(n)


# Regressions


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_weighted_ridge_is_that_of_scikit_learn(numbers, kernel, weights, alpha):
    _, y = numbers
    own, mean = weights[:40], np.average(y[:40], weights=weights[:40])
    peer = KernelRidge(alpha=alpha, kernel="precomputed").fit(kernel[:40, :40], y[:40] - mean, sample_weight=own)
    expected = mean + peer.predict(kernel[40:, :40])
    ridge = fit_ridge(kernel[:40, :40], y[:40], alpha, weights=own)
    np.testing.assert_allclose(ridge.coefficients, peer.dual_coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ridge.predict(kernel[40:, :40]), expected, rtol=1e-6)
    block = KernelBlock(kernel[:40, :40], kernel[40:, :40], None, definite=True, weights=own)
    path = RidgeLearner().fit_path(block, y[:40], [0.5 / alpha], FitOptions())
    np.testing.assert_allclose(path.predictions[0], expected, rtol=1e-6)


@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_weighted_svr_is_that_of_scikit_learn(numbers, kernel, weights, C):  # noqa: N803 - scikit-learn's name
    _, y = numbers
    own = weights[:40]
    mean = np.average(y[:40], weights=own)
    scale = np.sqrt(np.average((y[:40] - mean) ** 2, weights=own))
    peer = SVR(kernel="precomputed", C=C, epsilon=0.1, tol=1e-9)
    peer.fit(kernel[:40, :40], (y[:40] - mean) / scale, sample_weight=own)
    expected = mean + scale * peer.predict(kernel[40:, :40])
    svr = fit_svr(kernel[:40, :40], y[:40], C, 0.1, tol=1e-9, weights=own)
    np.testing.assert_allclose(svr.predict(kernel[40:, :40]), expected, rtol=1e-6)
    block = KernelBlock(kernel[:40, :40], kernel[40:, :40], None, definite=True, weights=own)
    path = SVRLearner(epsilon=0.1, tol=1e-9).fit_path(block, y[:40], [C / 10, C], FitOptions())
    np.testing.assert_allclose(path.predictions[1], expected, rtol=1e-6)


def test_a_bound_is_that_of_each_weight(numbers, kernel, weights):
    """A path may end early only where no graph is at its own bound, which a small weight lowers."""
    _, y = numbers
    few = np.where(np.arange(len(y)) == y.argmax(), 1e-3, weights)
    block = KernelBlock(kernel, kernel, None, definite=True, weights=few)
    values = [1.0, 100.0, 1e4]
    path = SVRLearner(epsilon=0.1, tol=1e-9).fit_path(block, y, values, FitOptions())
    for predictions, value in zip(path.predictions, values, strict=True):
        expected = fit_svr(kernel, y, value, 0.1, tol=1e-9, weights=few).predict(kernel)
        np.testing.assert_allclose(predictions, expected, rtol=1e-5)


@pytest.mark.parametrize("definite", [True, False])
def test_a_graph_of_weight_two_counts_as_two_graphs(numbers, kernel, definite):
    y = numbers[1][:40]
    matrix = kernel if definite else indefinite(60)
    repeats = np.arange(40) % 3 + 1
    rows = np.repeat(np.arange(40), repeats)
    every = matrix[np.ix_(rows, rows)]
    once = fit_ridge(matrix[:40, :40], y, 0.3, weights=repeats.astype(float)).predict(matrix[40:, :40])
    np.testing.assert_allclose(once, fit_ridge(every, y[rows], 0.3).predict(matrix[40:, rows]), rtol=1e-6)
    if definite:
        once = fit_svr(matrix[:40, :40], y, 0.5, 0.1, tol=1e-9, weights=repeats.astype(float))
        twice = fit_svr(every, y[rows], 0.5, 0.1, tol=1e-9)
        np.testing.assert_allclose(once.predict(matrix[40:, :40]), twice.predict(matrix[40:, rows]), rtol=1e-5)


# Gaussian processes


def test_noise_is_divided_by_the_weights_as_in_scikit_learn(numbers, distances, weights):
    _, y = numbers
    own, mean = weights[:45], np.average(y[:45], weights=weights[:45])
    process = process_at(distances[:45, :45], y[:45], 0.2, 0.05, own)
    kernel = process.signal * np.exp(-0.2 * distances)
    peer = GaussianProcessRegressor(
        PairwiseKernel(metric=lambda a, b, gamma: kernel[int(a[0]), int(b[0])], gamma_bounds="fixed"),
        alpha=process.noise / own,
        optimizer=None,
    ).fit(np.arange(45)[:, None], y[:45] - mean)
    expected, deviation = peer.predict(np.arange(45, 60)[:, None], return_std=True)
    ours, ours_deviation = process.predict(distances[45:, :45])
    np.testing.assert_allclose(ours, mean + expected, rtol=1e-6)
    np.testing.assert_allclose(ours_deviation**2, deviation**2 + process.noise, rtol=1e-6)
    assert process.log_likelihood == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-9)


def test_the_gradient_with_weights_is_that_of_the_likelihood(numbers, distances, weights):
    _, y = numbers
    for logs in ([-2.0, -3.0], [0.5, -1.0]):
        arguments = distances, y - y.mean(), 1 / weights
        _, gradient = _minus_likelihood(np.array(logs), *arguments)
        numeric = approx_fprime(np.array(logs), lambda at, *rest: _minus_likelihood(at, *rest)[0], 1e-6, *arguments)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_weights_is_that_of_the_noise(numbers, distances, weights, unit):
    _, y = numbers
    one, other = (fit_process(distances, y, weights=each) for each in (weights, unit * weights))
    assert other.gamma == pytest.approx(one.gamma, rel=1e-4)
    assert other.noise == pytest.approx(one.noise * unit, rel=1e-4)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-6)
    again = fit_process(distances, y, weights=unit * weights, start=(other.gamma, other.noise_share))
    assert again.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-6)


def test_groups_are_left_out_as_a_whole(numbers, distances, weights):
    _, y = numbers
    groups = np.random.default_rng(2).integers(0, 7, len(y))
    process, mean = process_at(distances, y, 0.3, 0.1, weights), np.average(y, weights=weights)
    means, deviations = process.leave_out(y, groups)
    covariance = process.signal * np.exp(-0.3 * distances) + np.diag(process.noise / weights)
    for left in (0, 17, 59):
        others = np.flatnonzero(groups != groups[left])
        row = covariance[left, others]
        solved = np.linalg.solve(covariance[np.ix_(others, others)], np.column_stack([y[others] - mean, row]))
        assert means[left] == pytest.approx(mean + row @ solved[:, 0])
        assert deviations[left] ** 2 == pytest.approx(covariance[left, left] - row @ solved[:, 1])


# Models


def test_models_use_the_weights_of_their_graphs(numbers, distances, kernel, weights):
    graphs, y = numbers
    ridge, svr, process = (model.fit(graphs, y, sample_weight=weights) for model in MODELS)
    np.testing.assert_allclose(ridge.dual_coef_, fit_ridge(kernel, y, 0.1, weights=weights).coefficients, rtol=1e-6)
    np.testing.assert_allclose(svr.predict(graphs), fit_svr(kernel, y, 1.0, 0.1, weights=weights).predict(kernel))
    expected = fit_process(distances, y, weights=weights)
    assert (process.noise_, process.evidence_) == pytest.approx((expected.noise, expected.log_likelihood), rel=1e-3)
    proper = np.flatnonzero(ridge.interval_coef_)
    own = fit_ridge(kernel[np.ix_(proper, proper)], y[proper], 0.1, weights=weights[proper])
    np.testing.assert_allclose(ridge.interval_coef_[proper], own.coefficients, rtol=1e-6)


def test_the_search_uses_the_weights_of_its_graphs(numbers, kernel):
    graphs, y = numbers
    few = np.where(np.arange(len(y)) % 2, 0.05, 20.0)
    train, test = np.arange(40), np.arange(40, 60)
    options = {**ONE, "alpha": (0.1, 1.0), "calibration": 0, "cv": [(train, test)]}
    model = wg.GraphRegressor(**model_options(**options)).fit(graphs, y, sample_weight=few)
    errors = [
        np.mean((y[test] - fit_ridge(kernel[:40, :40], y[:40], alpha, weights=few[:40]).predict(kernel[40:, :40])) ** 2)
        for alpha in (0.1, 1.0)
    ]
    np.testing.assert_allclose(sorted(-model.cv_results_["split0_test_score"]), sorted(errors), rtol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=["ridge", "svr", "process"])
@pytest.mark.parametrize(
    ("weight", "message"),
    [(0.0, "sample_weight is 0, "), (-1.0, "sample_weight is -1, "), (np.nan, "sample_weight is nan, ")],
)
def test_wrong_weights(numbers, model, weight, message):
    graphs, y = numbers
    with pytest.raises(ValueError, match=rf"graph 2: .*{message}but weights must be positive"):
        model.fit(graphs, y, sample_weight=np.where(np.arange(len(y)) == 2, weight, 1.0))
    with pytest.raises(ValueError, match="one weight for each graph"):
        model.fit(graphs, y, sample_weight=[1.0])
    with pytest.raises(ValueError, match="there are 60 graphs, but 2 values in the column 'groups'"):
        model.fit(graphs, y, groups=[1, 2])


def test_no_group_is_split(numbers, monkeypatch):
    graphs, y = numbers
    groups = np.array([f"group {number}" for number in np.arange(len(y)) % 12])
    seen = []
    choose = wg.GraphRegressor._select

    def record(self, candidates, scored):
        seen.append(scored.folds)
        return choose(self, candidates, scored)

    monkeypatch.setattr(wg.GraphRegressor, "_select", record)
    for cv in (4, "auto", GroupKFold(3)):
        model = wg.GraphRegressor(**model_options(alpha=0.1, cv=cv, **ONE)).fit(graphs, y, groups=groups)
        held_out = np.flatnonzero(model.interval_coef_ == 0)
        assert len(model.calibration_errors_) == len(held_out) == 10  # two groups of five, of twelve graphs that fit
        assert not set(groups[held_out]) & set(np.delete(groups, held_out))
    assert [len(folds) for folds in seen] == [4, 5, 3]
    for train, test in (fold for folds in seen for fold in folds):
        assert not set(groups[train]) & set(groups[test])


def test_groups_that_are_too_large_for_the_calibration_set(numbers):
    graphs, y = numbers
    with pytest.warns(UserWarning, match="no intervals: every group has more than the 12 graphs"):
        model = wg.GraphRegressor(**model_options(alpha=0.1, cv=3, **ONE)).fit(graphs, y, groups=np.arange(len(y)) % 3)
    assert model.predictions(graphs[:2]).lower is None


def test_groups_are_drawn_while_they_fit():
    groups = np.array([0, 0, 0, 0, 0, 1, 1, 2, 3])
    for seed in range(20):
        drawn = whole_groups(groups, 4, np.random.RandomState(seed))
        assert drawn.tolist() == [False] * 5 + [True] * 4
        assert whole_groups(np.arange(9), 4, np.random.RandomState(seed)).sum() == 4


def test_coverage_is_that_of_other_groups(numbers):
    graphs, y = numbers
    groups = np.arange(len(y)) // 20
    model, alone = (
        wg.GraphGaussianProcess(**model_options(**LABELS)).fit(graphs, y + groups, groups=each)
        for each in (groups, None)
    )
    mean, deviation = model._process.leave_out(y + groups, groups)
    assert model.coverage_ == pytest.approx(np.mean(np.abs(y + groups - mean) <= 1.644854 * deviation), abs=1e-9)
    assert model.coverage_ < alone.coverage_
    assert model.noise_ == alone.noise_
