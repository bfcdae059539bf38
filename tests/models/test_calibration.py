from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from wassergraph.learners.svm.calibration import fit_sigmoids, probabilities
from wassergraph.learners.svm.multiclass import class_pairs


def sample(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw decisions, and classes of which the first is the likelier the greater the decision."""
    rng = np.random.default_rng(seed)
    decisions = rng.normal(scale=2.0, size=n)
    return decisions, (rng.random(n) > expit(1.5 * decisions - 0.5)).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_a_sigmoid_is_that_of_logistic_regression_on_platts_targets(seed):
    decisions, targets = sample(80, seed)
    ((slope, offset),) = fit_sigmoids(decisions[:, None], targets, 2)
    first, second = (targets == 0).sum(), (targets == 1).sum()
    target = np.where(targets == 0, (first + 1) / (first + 2), 1 / (second + 2))
    # A target of 0.9 is nine tenths of a graph of the first class and a tenth of one of the second.
    peer = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000).fit(
        np.concatenate([decisions, decisions])[:, None],
        np.repeat([1, 0], len(targets)),
        sample_weight=np.concatenate([target, 1 - target]),
    )
    np.testing.assert_allclose([slope, offset], [peer.coef_[0, 0], peer.intercept_[0]], rtol=1e-4, atol=1e-5)


def test_probabilities_are_right_on_average():
    decisions, targets = sample(20_000, 1)
    p = probabilities(decisions[:, None], fit_sigmoids(decisions[:, None], targets, 2), 2)
    np.testing.assert_allclose(p[:, 0], expit(1.5 * decisions - 0.5), atol=0.02)


def test_the_scale_of_decisions_does_not_matter():
    decisions, targets = sample(60, 2)
    for factor in (1e-8, 1e8):
        sigmoids = fit_sigmoids(factor * decisions[:, None], targets, 2)
        expected = fit_sigmoids(decisions[:, None], targets, 2)
        np.testing.assert_allclose(sigmoids * [factor, 1], expected, rtol=1e-5)


def test_decisions_that_say_nothing_give_the_frequencies():
    targets = np.repeat([0, 1], [30, 10])
    p = probabilities(np.zeros((5, 1)), fit_sigmoids(np.zeros((40, 1)), targets, 2), 2)
    # Platt's targets have the mean (30 * 31/32 + 10 * 1/12) / 40.
    np.testing.assert_allclose(p[:, 0], (30 * 31 / 32 + 10 / 12) / 40, atol=1e-6)


def test_graphs_without_a_decision_are_left_out():
    decisions, targets = sample(60, 3)
    holes = decisions.copy()
    holes[::3] = np.nan
    seen = np.isfinite(holes)
    expected = fit_sigmoids(decisions[seen][:, None], targets[seen], 2)
    np.testing.assert_array_equal(fit_sigmoids(holes[:, None], targets, 2), expected)


def test_the_sigmoid_of_a_pair_is_fitted_to_its_two_classes_only():
    rng = np.random.default_rng(0)
    decisions, targets = rng.normal(size=(90, 3)), np.arange(90) % 3
    sigmoids = fit_sigmoids(decisions, targets, 3)
    for pair, (first, second) in enumerate(class_pairs(3)):
        members = (targets == first) | (targets == second)
        alone = fit_sigmoids(decisions[members, pair, None], (targets[members] == second).astype(int), 2)
        np.testing.assert_allclose(sigmoids[pair], alone[0], rtol=1e-9)


@pytest.mark.parametrize("slope", [1.0, -1.0])
def test_the_probability_of_a_pair_is_clipped_near_0_and_1(slope):
    decisions = np.array([[1e9], [-1e9], [40.0], [0.0]])
    p = probabilities(decisions, np.array([[slope, 0.0]]), 2)
    expected = np.array([[1 - 1e-7, 1e-7], [1e-7, 1 - 1e-7], [1 - 1e-7, 1e-7], [0.5, 0.5]])
    np.testing.assert_allclose(p, expected if slope > 0 else expected[:, ::-1], rtol=1e-6)
    assert ((p > 0) & (p < 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-15)


def test_probabilities_inside_the_limits_are_not_changed():
    z = np.array([[-16.0], [-10.0], [10.0], [16.0]])
    p = probabilities(z, np.array([[1.0, 0.0]]), 2)
    np.testing.assert_allclose(p, np.column_stack([expit(z), expit(-z)]), rtol=1e-8)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_certain_decisions_of_several_classes_give_probabilities(n_classes):
    """Every class beats the later ones with certainty, or all loop; probabilities stay between 0 and 1."""
    pairs = class_pairs(n_classes)
    sigmoids = np.tile([1.0, 0.0], (len(pairs), 1))
    ranked = np.full((1, len(pairs)), 1e9)
    circle = np.where((pairs.sum(axis=1) % 2 == 1), 1e9, -1e9)[None]
    p = probabilities(np.concatenate([ranked, -ranked, circle]), sigmoids, n_classes)
    assert np.isfinite(p).all()
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(p[0], [1] + [0] * (n_classes - 1), atol=1e-6)
    np.testing.assert_allclose(p[1], [0] * (n_classes - 1) + [1], atol=1e-6)
    if n_classes == 3:
        np.testing.assert_allclose(p[2], 1 / 3, rtol=1e-6)


def test_two_separated_classes_have_probabilities_near_0_and_1():
    decisions, targets = np.array([[2.0], [3.0], [-2.0], [-4.0]]), np.array([0, 0, 1, 1])
    p = probabilities(np.array([[1e9], [-1e9]]), fit_sigmoids(decisions, targets, 2), 2)
    np.testing.assert_allclose(p, [[1, 0], [0, 1]], atol=1e-6)
    assert p.max() < 1
    assert p.min() > 0


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_several_classes_agree_best_with_their_pairs(n_classes):
    rng = np.random.default_rng(n_classes)
    pairs = class_pairs(n_classes)
    decisions = rng.normal(scale=2, size=(6, len(pairs)))
    sigmoids = np.column_stack([rng.uniform(0.5, 2, len(pairs)), rng.normal(size=len(pairs))])
    p = probabilities(decisions, sigmoids, n_classes)
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    first = expit(decisions * sigmoids[:, 0] + sigmoids[:, 1])

    for row in range(6):

        def loss(q, r=first[row]):
            return sum(((1 - r[k]) * q[a] - r[k] * q[b]) ** 2 for k, (a, b) in enumerate(pairs))

        slow = minimize(
            loss,
            np.full(n_classes, 1 / n_classes),
            bounds=[(0, 1)] * n_classes,
            constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14},
        ).x
        np.testing.assert_allclose(p[row], slow, atol=1e-5)


def test_pairs_that_agree_with_each_other_give_their_probabilities_back():
    truth = np.array([0.5, 0.3, 0.15, 0.05])
    odds = np.array([[np.log(truth[a] / truth[b]) for a, b in class_pairs(4)]])
    p = probabilities(odds, np.tile([1.0, 0.0], (6, 1)), 4)
    np.testing.assert_allclose(p[0], truth, rtol=1e-9)
