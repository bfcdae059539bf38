"""SVMs for every two classes at once: the same as one by one, and as those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from svm_reference import new_svc, unclear
from wassergraph.kernels.eigenvalues import has_no_negative_part
from wassergraph.learners.protocol import FitOptions, KernelBlock
from wassergraph.learners.svm.krein import Flip, flip
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.learners.svm.multiclass import problems, vote
from wassergraph.learners.svm.pairs import decide_pairs
from wassergraph.learners.svm.smo import TOLERANCE, Problems, decide, solve_problems, starts_of, svm_path
from wassergraph.status import STOPPED

GO = np.zeros(1, dtype=np.bool_)
C_VALUES = (1e-2, 1e-1, 1.0, 10.0, 100.0)
N_CLASSES = 12


def many_classes(*, seed: int = 0, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make distances among training points and from test points to them, and classes of different sizes, unsorted."""
    rng = np.random.default_rng(seed)
    targets = rng.permutation(np.repeat(np.arange(N_CLASSES), np.arange(N_CLASSES) % 5 + 4))
    centers = rng.normal(size=(N_CLASSES, 3))
    points = centers[targets] + noise * rng.normal(size=(len(targets), 3))
    tests = centers[np.arange(40) % N_CLASSES] + noise * rng.normal(size=(40, 3))
    among, across = (np.abs(some[:, None] - points).sum(axis=2) for some in (points, tests))
    return among, across, targets


def one_by_one(block, targets, before=None):
    """Solve the problem of every two classes alone; return decisions (n_pairs, n_C, n_test), steps and solutions."""
    decisions, steps, solutions = [], [], []
    values = np.array(C_VALUES)
    for number, (members, signs) in enumerate(problems(targets, N_CLASSES)):
        kernel = block.kernel[np.ix_(members, members)]
        flipped = Flip(kernel) if block.definite else flip(kernel)
        starts = None if before is None else starts_of(before[1][number], values, block.gamma / before[0])
        solved, intercepts, taken = svm_path(flipped.kernel, signs, values, TOLERANCE, 10**7, GO, starts)
        decisions.append(decide(block.rows[:, members], flipped.map_back(solved), intercepts).T)
        steps.append(taken)
        solutions.append(solved)
    return np.array(decisions), np.array(steps), solutions


@pytest.mark.parametrize("power", [1.0, 3.0])
def test_all_pairs_at_once_are_those_solved_one_by_one(power):
    """With the power 3 most kernels of two classes are indefinite; the second gamma starts from the first."""
    among, across, targets = many_classes()
    learner, warm_start, before, n_flipped = SVMLearner(N_CLASSES, krein=power > 1), {}, None, 0
    for gamma in (0.01, 0.1):
        kernel, rows = np.exp(-gamma * among**power), np.exp(-gamma * across**power)
        block = KernelBlock(kernel, rows, gamma, power == 1)
        decisions, steps, solutions = one_by_one(block, targets, before)
        n_flipped += sum(
            not has_no_negative_part(kernel[np.ix_(pair.members, pair.members)])
            for pair in problems(targets, N_CLASSES)
        )
        path = learner.fit_path(block, targets, C_VALUES, FitOptions(warm_start=dict(warm_start)))
        deciders, _ = learner.solve(block, targets, C_VALUES, FitOptions(warm_start=warm_start))
        together = decide_pairs(deciders, slice(None))
        assert len(together) == N_CLASSES * (N_CLASSES - 1) // 2
        # A compiler may sum in another order in another function, and the solver take another step.
        scale = 1 + np.abs(decisions).max(axis=(1, 2))
        for pair, alone, unit in zip(together, decisions, scale, strict=True):
            np.testing.assert_allclose(pair, alone, atol=10 * TOLERANCE * unit)
        np.testing.assert_allclose(path.steps, steps.sum(axis=0), rtol=0.02, atol=10)
        expected = vote(np.stack(list(together), axis=-1), N_CLASSES)
        np.testing.assert_array_equal(path.predictions, expected)
        before = gamma, solutions
    assert n_flipped > 20 if power > 1 else n_flipped == 0


@pytest.mark.parametrize("C", C_VALUES)
def test_predictions_for_many_classes_are_those_of_svc(C):  # noqa: N803 - scikit-learn's name
    among, across, targets = many_classes(seed=1, noise=0.3)
    kernel, rows = np.exp(-0.3 * among), np.exp(-0.3 * across)
    svm = new_svc(C).fit(kernel, targets)
    learner, block = SVMLearner(N_CLASSES, krein=False), KernelBlock(kernel, rows, 0.3, True)
    path = learner.fit_path(block, targets, [value for value in C_VALUES if value <= C], FitOptions())
    decisions = learner.decide(block, targets, [C])
    np.testing.assert_allclose(decisions, svm.decision_function(rows), atol=1e-3)
    clear = ~unclear(svm.decision_function(rows))
    assert clear.mean() > 0.25
    np.testing.assert_array_equal(path.predictions[-1, clear], svm.predict(rows)[clear])


def test_no_pair_follows_one_that_was_stopped():
    among, across, targets = many_classes()
    block, stop = KernelBlock(np.exp(-among), np.exp(-across), 1.0, True), np.ones(1, dtype=np.bool_)
    learner = SVMLearner(N_CLASSES, krein=False)
    _, steps = learner.solve(block, targets, C_VALUES, FitOptions(stop))
    assert (steps == STOPPED).all()
    assert (learner.fit_path(block, targets, C_VALUES, FitOptions(stop)).steps == STOPPED).all()


@pytest.mark.parametrize("n", [1, 2, 30, 120])
def test_the_compiled_check_of_a_kernel_is_that_of_lapack(n):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(n, 3))
    points[n // 2 :] = points[: n - n // 2]  # equal points have eigenvalues of zero
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    for power, gamma in [(1.0, 0.1), (1.0, 10.0), (2.0, 0.1), (3.0, 0.1), (6.0, 1.0)]:
        kernel = np.exp(-gamma * distances**power)
        assert is_skipped(kernel) == (not has_no_negative_part(kernel))
    assert is_skipped(-np.eye(n))
    assert is_skipped(np.eye(1000))  # left to LAPACK


def is_skipped(kernel):
    """Return whether the solver skips a problem on a kernel that may have a negative eigenvalue."""
    n = len(kernel)
    problem = Problems(np.array([0, n]), np.arange(n), np.where(np.arange(n) % 2, 1.0, -1.0), np.ones(n))
    solved = solve_problems(kernel, problem, np.array([1.0]), TOLERANCE, 10**6, GO, definite=False)
    assert (solved.steps[0] == STOPPED) == solved.skipped[0]
    return solved.skipped[0]


def test_a_problem_without_members_has_no_steps():
    problems = Problems(np.array([0, 2, 2]), np.array([0, 1]), np.array([1.0, -1.0]), np.ones(2))
    solved = solve_problems(np.eye(2), problems, np.array([0.1, 1.0]), TOLERANCE, 10**6, GO)
    np.testing.assert_allclose(solved.coefficients[1], [1.0, -1.0])
    np.testing.assert_array_equal(solved.steps[1], 0)
