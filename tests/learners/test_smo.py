from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC
from wassergraph._core.testing import newton_steps, solve_system

from wassergraph import _core
from wassergraph.learners.svm.pairs import Deciders, count_votes, decide_pairs
from wassergraph.learners.svm.smo import Problems, Solutions, Starts, decide, solve_problems, starts_of, svm_path
from wassergraph.status import NOT_CONVERGED, STOPPED

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
    solutions, intercepts, _ = svm_path(kernel, y, C_VALUES, 1e-10, 10**6, GO)
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
    solutions, _, steps = svm_path(kernel, y, C_VALUES, 1e-6, 10**7, GO)
    assert (steps >= 0).all()
    for b, c in zip(solutions, C_VALUES, strict=True):
        assert abs(b.sum()) <= 1e-9 * c * n
        assert ((y * b >= 0) & (y * b <= c)).all()
        assert residual(kernel, y, b, c) < 2e-6


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_equals_libsvm_on_a_large_problem_with_much_set_aside(noise):
    kernel, y = problem(700, 1, noise=noise)
    rows = problem(50, 2)[0][:, :1] * kernel[:50]
    solutions, intercepts, steps = svm_path(kernel, y, C_VALUES, 1e-7, 10**8, GO)
    assert steps.max() > 1000  # so coefficients were set aside on the way
    for b, intercept, c in zip(solutions, intercepts, C_VALUES, strict=True):
        peer = SVC(kernel="precomputed", C=c, tol=1e-7).fit(kernel, y)
        # libsvm keeps the kernel in single precision.
        np.testing.assert_allclose(rows @ b + intercept, peer.decision_function(rows), atol=2e-4 * max(1, c**0.5))


def test_a_path_has_the_solutions_of_each_value_of_c_alone():
    kernel, y = problem(150, 3)
    together, intercepts, steps = svm_path(kernel, y, C_VALUES, 1e-9, 10**8, GO)
    alone_steps = np.zeros(len(C_VALUES))
    for k, c in enumerate(C_VALUES):
        alone, intercept, (alone_steps[k],) = svm_path(kernel, y, np.array([c]), 1e-9, 10**8, GO)
        np.testing.assert_allclose(together[k], alone[0], atol=1e-6 * c)
        np.testing.assert_allclose(intercepts[k], intercept[0], atol=1e-6)
    # Between these two, most coefficients stay at their bound: scaling them leaves next to nothing to do.
    assert steps[1] < alone_steps[1] / 2


def test_once_no_coefficient_is_at_its_bound_larger_values_of_c_need_no_step():
    kernel, y = problem(40, 4, noise=0.0)
    solutions, _, steps = svm_path(kernel, y, np.array([1e3, 1e4, 1e5]), 1e-6, 10**7, GO)
    assert np.abs(solutions[0]).max() < 1e3
    assert steps[1:].tolist() == [0, 0]
    np.testing.assert_array_equal(solutions[1], solutions[0])


def test_equal_points_of_different_classes_are_no_obstacle():
    kernel, y = problem(30, 5)
    kernel = np.block([[kernel, kernel], [kernel, kernel]])
    y = np.concatenate([y, -y])
    solutions, _, steps = svm_path(kernel, y, C_VALUES, 1e-6, 10**6, GO)
    assert (steps >= 0).all()
    for b, c in zip(solutions, C_VALUES, strict=True):
        assert residual(kernel, y, b, c) < 2e-6


def test_unsolved_fits_have_a_status():
    kernel, y = problem(300, 6)
    stop = np.ones(1, dtype=np.bool_)
    assert (svm_path(kernel, y, C_VALUES, 1e-3, 10**7, stop)[2] == STOPPED).all()
    steps = svm_path(kernel, y, C_VALUES, 1e-9, 400, GO)[2]
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
    near, _, _ = svm_path(small, y, c_values, 1e-8, 10**7, GO)
    starts = starts_of(near, c_values, 10.0)
    assert starts.shape == (5, 120)
    assert (np.abs(starts) <= c_values[:5, None]).all()
    np.testing.assert_allclose(starts.sum(axis=1), 0, atol=1e-3)
    cold, intercepts, _ = svm_path(large, y, c_values, 1e-8, 10**7, GO)
    warm, others, _ = svm_path(large, y, c_values, 1e-8, 10**7, GO, starts)
    np.testing.assert_allclose(large @ warm.T + others, large @ cold.T + intercepts, atol=1e-5)
    loose = [svm_path(large, y, c_values, 1e-3, 10**7, GO, begin)[2][:4].sum() for begin in (starts, None)]
    assert loose[0] < loose[1] / 2  # 38 and 405 when this was written


def test_values_of_c_without_a_match_have_no_starts():
    assert starts_of(np.zeros((3, 4)), np.array([1.0, 3.0, 7.0]), 10.0).shape == (0, 4)
    assert starts_of(np.zeros((3, 4)), np.array([1.0, 2.0, 4.0]), 2.0).shape == (2, 4)


def test_low_rank_and_a_large_c_are_solved_by_newton_steps():
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, size=(400, 12)).astype(float)
    kernel = counts @ counts.T / 100
    y = np.where(rng.random(400) < 0.5, 1.0, -1.0)  # nothing to learn: no SVM separates these
    solutions, intercepts, steps = svm_path(kernel, y, np.array([1.0, 1e2, 1e4]), 1e-4, 10**6, GO)
    assert (steps >= 0).all()
    for coefficients, intercept, c in zip(solutions, intercepts, (1.0, 1e2, 1e4), strict=True):
        margins = y * (kernel @ coefficients + intercept)
        alpha = y * coefficients
        assert abs(coefficients.sum()) < 1e-8 * c * 400
        assert (margins[alpha <= 0] >= 1 - 1e-3).all()
        assert (margins[alpha >= c] <= 1 + 1e-3).all()
        free = (alpha > 0) & (alpha < c)
        np.testing.assert_allclose(margins[free], 1, atol=1e-3)


def test_a_newton_step_leaves_out_equal_rows():
    """Equal graphs have equal rows, whose coefficients are not determined; the objective falls all the same."""
    rng = np.random.default_rng(3)
    n, y = 40, np.where(np.arange(40) % 4 < 2, 1.0, -1.0)
    kernel = kernel_of(np.repeat(rng.normal(size=(20, 2)), 2, axis=0)) - 1e-9 * np.eye(n)  # slightly indefinite
    alpha = 0.5 * y
    gradient = y - kernel @ alpha
    before = 0.5 * alpha @ kernel @ alpha - y @ alpha
    newton_steps(kernel, alpha, gradient, -np.ones(n), np.ones(n))
    assert 0.5 * alpha @ kernel @ alpha - y @ alpha < before
    assert np.abs(alpha).max() <= 1.0
    np.testing.assert_allclose(gradient, y - kernel @ alpha, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 9, 60])
def test_linear_systems_are_solved_as_by_numpy(n):
    rng = np.random.default_rng(n)
    points, values = rng.normal(size=(n, n + 3)), rng.normal(size=n)
    matrix = points @ points.T
    solution = values.copy()
    assert solve_system(matrix, 0.5, 0.0, False, solution)
    np.testing.assert_allclose(solution, np.linalg.solve(matrix + 0.5 * np.eye(n), values), rtol=1e-9)


def test_rows_that_depend_on_others_are_left_out():
    """The system without the last row is solved, which is a multiple of the first."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(5, 4))
    points[4] = 2 * points[0]
    matrix, values = points @ points.T, rng.normal(size=5)
    solution = values.copy()
    assert not solve_system(matrix, 0.0, 1e-9, False, solution)
    np.testing.assert_array_equal(solution, values)
    assert not solve_system(matrix, 0.0, 1e-9, True, solution)
    np.testing.assert_allclose(solution[:4], np.linalg.solve(matrix[:4, :4], values[:4]), rtol=1e-6)
    assert abs(solution[4]) < 1e-100


def test_a_newton_step_is_that_of_numpy():
    """Without bounds, one step solves the equations of all free coefficients: equal gradients, and a sum of 0."""
    rng = np.random.default_rng(1)
    n, kernel, y = 30, kernel_of(rng.normal(size=(30, 2))), np.where(np.arange(30) % 2, 1.0, -1.0)
    alpha = 1e-3 * y
    gradient = y - kernel @ alpha
    newton_steps(kernel, alpha, gradient, np.full(n, -1e9), np.full(n, 1e9))
    system = np.block([[kernel, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.append(y, 0.0))
    np.testing.assert_allclose(alpha, expected[:n], rtol=1e-6, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_allclose(gradient, expected[n], atol=1e-6)


def test_a_newton_step_ends_at_the_bounds():
    rng = np.random.default_rng(2)
    kernel, y = kernel_of(rng.normal(size=(40, 2))), np.where(np.arange(40) % 2, 1.0, -1.0)
    lower, upper, alpha = np.minimum(y, 0.0), np.maximum(y, 0.0), 0.5 * y
    gradient = y - kernel @ alpha
    before = 0.5 * alpha @ kernel @ alpha - y @ alpha
    newton_steps(kernel, alpha, gradient, lower, upper)
    assert 0.5 * alpha @ kernel @ alpha - y @ alpha < before
    assert ((alpha >= lower) & (alpha <= upper)).all()
    assert ((alpha == lower) | (alpha == upper)).any()
    assert abs(alpha.sum()) < 1e-12
    np.testing.assert_allclose(gradient, y - kernel @ alpha, atol=1e-12)


@pytest.fixture
def each_level():
    """Return a function that calls another one with the instructions of every level, and returns all results."""
    before = _core.level()

    def call(function):
        results = []
        for level in _core.levels():
            _core.use_level(level)
            results.append(function())
        return results

    yield call
    _core.use_level(before)


def low_rank(n):
    """Make a problem that needs Newton steps."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, size=(n, 12)).astype(float)
    return counts @ counts.T / 100, np.where(rng.random(n) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize("make", [lambda: problem(37, 0), lambda: problem(300, 1, noise=2.0), lambda: low_rank(150)])
def test_solutions_and_decisions_have_the_same_bits_on_every_level(each_level, make):
    kernel, y = make()
    problems = Problems(np.array([0, len(y)]), np.arange(len(y)), y, np.ones(len(y)))

    def solve():
        solved = solve_problems(kernel, problems, C_VALUES, 1e-4, 10**6, GO, definite=False, skip_unsolved=True)
        if solved.skipped[0]:  # kernels of more than 200 graphs are not checked
            solved = solve_problems(kernel, problems, C_VALUES, 1e-4, 10**6, GO, skip_unsolved=True)
        deciders = Deciders(problems, 2, solved.coefficients, solved.intercepts, kernel)
        rows = decide(kernel, solved.coefficients, solved.intercepts[0])
        return *solved, decide_pairs(deciders, slice(None)), count_votes(deciders), rows

    first, *others = each_level(solve)
    assert (first[2] >= 0).any()
    for other in others:
        for expected, found in zip(first, other, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_wrong_arrays_are_errors():
    kernel, y = problem(8, 0)
    good = Problems(np.array([0, 8]), np.arange(8), y, np.ones(8))
    wrong = [
        (kernel[:, :7], good, ValueError),
        (kernel, good._replace(ptr=np.array([0, 9])), ValueError),
        (kernel, good._replace(ptr=np.array([1, 8])), ValueError),
        (kernel, good._replace(members=np.arange(1, 9)), ValueError),
        (kernel, good._replace(members=np.arange(8, dtype=np.int32)), TypeError),
        (kernel, good._replace(signs=y[:7]), ValueError),
        (kernel, good._replace(weights=np.ones(16)[::2]), TypeError),
    ]
    for matrix, problems, error in wrong:
        with pytest.raises(error):
            solve_problems(matrix, problems, C_VALUES, 1e-4, 10**6, GO)
    with pytest.raises(ValueError, match="stop"):
        solve_problems(kernel, good, C_VALUES, 1e-4, 10**6, np.zeros(2, dtype=np.bool_))
    with pytest.raises(ValueError, match="starts"):
        solve_problems(kernel, good, C_VALUES, 1e-4, 10**6, GO, Starts(np.zeros((1, 8)), np.array([2])))
    solved: Solutions = solve_problems(kernel, good, C_VALUES, 1e-4, 10**6, GO)
    deciders = Deciders(good, 2, solved.coefficients, solved.intercepts, kernel)
    with pytest.raises(ValueError, match="members"):
        count_votes(deciders._replace(columns=kernel[:7]))
    with pytest.raises(TypeError, match="columns"):
        count_votes(deciders._replace(columns=kernel.astype(np.float32)))
    with pytest.raises(ValueError, match="column for every coefficient"):
        decide(kernel[:, :7], solved.coefficients, solved.intercepts[0])


def kernel_of(points):
    """Return a definite kernel of points."""
    return np.exp(-np.abs(points[:, None] - points).sum(axis=2))
