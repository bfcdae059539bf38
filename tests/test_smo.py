from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC

from wassergraph.learning.svm.smo import NO_STARTS, decide, starts_of, svm_path
from wassergraph.transport.status import NOT_CONVERGED, STOPPED

GO = np.zeros(1, dtype=np.bool_)
C_VALUES = np.array([1e-3, 1e-1, 1.0, 10.0, 1e3])


def problem(n: int, seed: int, *, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Make the kernel of n points and classes that depend on them, more or less."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    y = np.where(points[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    distances = np.abs(points[:, None] - points).sum(axis=2)
    return np.exp(-0.3 * distances), y


def residual(kernel, y, b, c) -> float:
    """How far the optimality conditions are violated: the largest slope upwards minus the smallest one downwards."""
    slope = y - kernel @ b
    up, down = np.where(y > 0, b < c, b < 0), np.where(y > 0, b > 0, b > -c)
    return slope[up].max() - slope[down].min()


@pytest.mark.parametrize("seed", range(5))
def test_equals_a_quadratic_program_solved_by_scipy(seed):
    kernel, y = problem(12, seed)
    solutions, intercepts, _ = svm_path(kernel, y, C_VALUES, 1e-10, 10**6, GO, NO_STARTS)
    for b, intercept, c in zip(solutions, intercepts, C_VALUES, strict=True):
        bounds = [(0, c) if sign > 0 else (-c, 0) for sign in y]
        slow = minimize(
            lambda b: 0.5 * b @ kernel @ b - y @ b,
            np.zeros(12),
            jac=lambda b: kernel @ b - y,
            bounds=bounds,
            constraints={"type": "eq", "fun": lambda b: b.sum(), "jac": lambda b: np.ones(12)},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        ).x
        np.testing.assert_allclose(b, slow, atol=1e-5 * max(c, 1))
        free = (np.abs(b) > 1e-7 * c) & (np.abs(b) < c * (1 - 1e-7))
        if free.any():  # a free support vector lies on its margin
            np.testing.assert_allclose((kernel @ b + intercept)[free], y[free], atol=1e-6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(4, 60), st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 3.0]))
def test_solutions_are_feasible_and_optimal_for_every_value_of_c(n, seed, noise):
    kernel, y = problem(n, seed, noise=noise)
    solutions, _, steps = svm_path(kernel, y, C_VALUES, 1e-6, 10**7, GO, NO_STARTS)
    assert (steps >= 0).all()
    for b, c in zip(solutions, C_VALUES, strict=True):
        assert abs(b.sum()) <= 1e-9 * c * n
        assert ((y * b >= 0) & (y * b <= c)).all()
        assert residual(kernel, y, b, c) < 2e-6


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_equals_libsvm_on_a_large_problem_with_much_set_aside(noise):
    kernel, y = problem(700, 1, noise=noise)
    rows = problem(50, 2)[0][:, :1] * kernel[:50]
    solutions, intercepts, steps = svm_path(kernel, y, C_VALUES, 1e-7, 10**8, GO, NO_STARTS)
    assert steps.max() > 1000  # so coefficients were set aside on the way
    for b, intercept, c in zip(solutions, intercepts, C_VALUES, strict=True):
        peer = SVC(kernel="precomputed", C=c, tol=1e-7).fit(kernel, y)
        # libsvm keeps the kernel in single precision.
        np.testing.assert_allclose(rows @ b + intercept, peer.decision_function(rows), atol=2e-4 * max(1, c**0.5))


def test_a_path_has_the_solutions_of_each_value_of_c_alone():
    kernel, y = problem(150, 3)
    together, intercepts, steps = svm_path(kernel, y, C_VALUES, 1e-9, 10**8, GO, NO_STARTS)
    alone_steps = np.zeros(len(C_VALUES))
    for k, c in enumerate(C_VALUES):
        alone, intercept, (alone_steps[k],) = svm_path(kernel, y, np.array([c]), 1e-9, 10**8, GO, NO_STARTS)
        np.testing.assert_allclose(together[k], alone[0], atol=1e-6 * c)
        np.testing.assert_allclose(intercepts[k], intercept[0], atol=1e-6)
    # Between these two, most coefficients stay at their bound: scaling them leaves next to nothing to do.
    assert steps[1] < alone_steps[1] / 2


def test_once_no_coefficient_is_at_its_bound_larger_values_of_c_need_no_step():
    kernel, y = problem(40, 4, noise=0.0)
    solutions, _, steps = svm_path(kernel, y, np.array([1e3, 1e4, 1e5]), 1e-6, 10**7, GO, NO_STARTS)
    assert np.abs(solutions[0]).max() < 1e3
    assert steps[1:].tolist() == [0, 0]
    np.testing.assert_array_equal(solutions[1], solutions[0])


def test_equal_points_of_different_classes_are_no_obstacle():
    kernel, y = problem(30, 5)
    kernel = np.block([[kernel, kernel], [kernel, kernel]])
    y = np.concatenate([y, -y])
    solutions, _, steps = svm_path(kernel, y, C_VALUES, 1e-6, 10**6, GO, NO_STARTS)
    assert (steps >= 0).all()
    for b, c in zip(solutions, C_VALUES, strict=True):
        assert residual(kernel, y, b, c) < 2e-6


def test_unsolved_fits_have_a_status():
    kernel, y = problem(300, 6)
    stop = np.ones(1, dtype=np.bool_)
    assert (svm_path(kernel, y, C_VALUES, 1e-3, 10**7, stop, NO_STARTS)[2] == STOPPED).all()
    steps = svm_path(kernel, y, C_VALUES, 1e-9, 400, GO, NO_STARTS)[2]
    assert steps[0] > 0
    assert steps[-1] == NOT_CONVERGED


def test_decisions_do_not_depend_on_the_other_rows():
    rng = np.random.default_rng(0)
    rows, coefficients, intercepts = rng.normal(size=(20, 33)), rng.normal(size=(3, 33)), rng.normal(size=3)
    decisions = decide(rows, coefficients, intercepts)
    np.testing.assert_allclose(decisions, rows @ coefficients.T + intercepts, atol=1e-13)
    for row in range(20):
        np.testing.assert_array_equal(decide(rows[row : row + 1], coefficients, intercepts)[0], decisions[row])


def test_starts_from_a_smaller_gamma_change_the_steps_but_not_the_solution():
    kernel, y = problem(120, 3)
    distances = -np.log(kernel)
    small, large = (np.exp(-gamma * distances / distances.max()) for gamma in (0.001, 0.01))
    c_values = 10.0 ** np.arange(0, 6)
    near, _, _ = svm_path(small, y, c_values, 1e-8, 10**7, GO, NO_STARTS)
    starts = starts_of(near, c_values, 10.0)
    assert starts.shape == (5, 120)
    assert (np.abs(starts) <= c_values[:5, None]).all()
    np.testing.assert_allclose(starts.sum(axis=1), 0, atol=1e-3)
    cold, intercepts, _ = svm_path(large, y, c_values, 1e-8, 10**7, GO, NO_STARTS)
    warm, others, _ = svm_path(large, y, c_values, 1e-8, 10**7, GO, starts)
    np.testing.assert_allclose(large @ warm.T + others, large @ cold.T + intercepts, atol=1e-5)
    loose = [svm_path(large, y, c_values, 1e-3, 10**7, GO, begin)[2][:4].sum() for begin in (starts, NO_STARTS)]
    assert loose[0] < loose[1] / 2  # 38 and 405 when this was written


def test_values_of_c_without_a_match_have_no_starts():
    assert starts_of(np.zeros((3, 4)), np.array([1.0, 3.0, 7.0]), 10.0).shape == (0, 4)
    assert starts_of(np.zeros((3, 4)), np.array([1.0, 2.0, 4.0]), 2.0).shape == (2, 4)


def test_low_rank_and_a_large_c_are_solved_by_newton_steps():
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, size=(400, 12)).astype(float)
    kernel = counts @ counts.T / 100
    y = np.where(rng.random(400) < 0.5, 1.0, -1.0)  # nothing to learn: no SVM separates these
    solutions, intercepts, steps = svm_path(kernel, y, np.array([1.0, 1e2, 1e4]), 1e-4, 10**6, GO, NO_STARTS)
    assert (steps >= 0).all()
    for coefficients, intercept, c in zip(solutions, intercepts, (1.0, 1e2, 1e4), strict=True):
        margins = y * (kernel @ coefficients + intercept)
        alpha = y * coefficients
        assert abs(coefficients.sum()) < 1e-8 * c * 400
        assert (margins[alpha <= 0] >= 1 - 1e-3).all()
        assert (margins[alpha >= c] <= 1 + 1e-3).all()
        free = (alpha > 0) & (alpha < c)
        np.testing.assert_allclose(margins[free], 1, atol=1e-3)
