"""Tridiagonal matrices, and LAPACK called by address: equal to numpy, for every kind of matrix and on any threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassergraph.learners.lapack import factorize, invert_factor, reduce_to_tridiagonal
from wassergraph.learners.tridiagonal import Tridiagonal, tridiagonalize

SHIFTS = np.array([1e-3, 0.1, 1.0, 30.0])


def with_eigenvalues(values, seed: int = 0) -> np.ndarray:
    """Return a symmetric matrix with these eigenvalues and random eigenvectors."""
    n = len(values)
    vectors, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))
    matrix = vectors * np.asarray(values, dtype=np.float64) @ vectors.T
    return (matrix + matrix.T) / 2


def dense(parts: Tridiagonal) -> np.ndarray:
    return np.diag(parts.diagonal) + np.diag(parts.beside, 1) + np.diag(parts.beside, -1)


def flipped_solution(matrix, right, shift: float, limit: float = -1e-10) -> np.ndarray:
    """Return S (|K| + shift)⁻¹ right, by all eigenvectors, with the signs S of eigenvalues below the limit negative."""
    values, vectors = np.linalg.eigh(matrix)
    signs = np.where(values < limit, -1.0, 1.0)
    return vectors @ (signs * (vectors.T @ right) / (signs * values + shift))


def right_side(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=n)


MATRICES = {
    "definite": with_eigenvalues(np.linspace(0.01, 5, 30)),
    "one negative": with_eigenvalues([-0.5, *np.linspace(0.01, 5, 29)]),
    "half negative": with_eigenvalues(np.linspace(-3, 4, 31)),
    "all negative": with_eigenvalues(-np.linspace(0.5, 4, 12)),
    "repeated": with_eigenvalues([-1.0] * 5 + [2.0] * 10),
    "wide range": with_eigenvalues(np.concatenate([-np.logspace(-6, 1, 8), np.logspace(-8, 3, 12)])),
    "two rows": np.array([[1.0, 0.4], [0.4, 2.0]]),
    "two rows, indefinite": np.array([[1.0, 3.0], [3.0, 1.0]]),
    "three rows": np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 1.0], [0.5, 1.0, 2.0]]),
    "three rows, indefinite": np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.5], [0.0, 0.5, 1.0]]),
    "identity": np.eye(7),
    "diagonal": np.diag([3.0, -1.0, 2.0, 0.5]),
    "zeros": np.zeros((5, 5)),
    "ones": np.ones((6, 6)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_reduced_matrices_have_the_same_eigenvalues(name):
    matrix = MATRICES[name]
    before = matrix.copy()
    parts = tridiagonalize(matrix)
    np.testing.assert_array_equal(matrix, before)
    scale = max(1.0, np.abs(matrix).max())
    np.testing.assert_allclose(np.linalg.eigvalsh(dense(parts)), np.linalg.eigvalsh(matrix), atol=1e-12 * scale)


@pytest.mark.parametrize("name", MATRICES)
def test_eigenpairs_below_a_limit_are_those_of_numpy(name):
    matrix = MATRICES[name]
    parts, expected = tridiagonalize(matrix), np.linalg.eigvalsh(matrix)
    for limit in (-100.0, -1e-9, 1.2345, 1e5):
        values, vectors = parts.eigenpairs_below(limit)
        np.testing.assert_allclose(np.sort(values), expected[expected < limit], rtol=1e-9, atol=1e-11)
        assert vectors.shape == (len(matrix), len(values))
        np.testing.assert_allclose(dense(parts) @ vectors, vectors * values, atol=1e-9)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-9)


@pytest.mark.parametrize("name", [name for name, each in MATRICES.items() if np.linalg.eigvalsh(each)[0] > -1e-12])
def test_solutions_are_those_of_numpy(name):
    matrix = MATRICES[name]
    right = right_side(len(matrix))
    solutions, solved = tridiagonalize(matrix).solve(right, SHIFTS)
    assert solutions.shape == (len(SHIFTS), len(matrix))
    assert solved.all()
    for solution, shift in zip(solutions, SHIFTS, strict=True):
        expected = np.linalg.solve(matrix + shift * np.eye(len(matrix)), right)
        np.testing.assert_allclose(solution, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", MATRICES)
def test_flipped_solutions_are_those_of_all_eigenvectors(name):
    matrix = MATRICES[name]
    right, parts = right_side(len(matrix)), tridiagonalize(matrix)
    solutions, solved = parts.solve(right, SHIFTS, parts.eigenpairs_below(-1e-10))
    assert solved.all()
    for solution, shift in zip(solutions, SHIFTS, strict=True):
        expected = flipped_solution(matrix, right, shift)
        np.testing.assert_allclose(solution, expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())


def test_a_shift_that_is_minus_an_eigenvalue_does_no_harm():
    """K + shift is singular there, but K with flipped eigenvalues is not."""
    matrix = np.diag([-1.0, 2.0, 3.0, 0.5])
    right, parts = right_side(4), tridiagonalize(matrix)
    for shift in (1.0, 1.0 + 1e-9):
        (solution,), solved = parts.solve(right, np.array([shift]), parts.eigenpairs_below(-1e-10))
        assert solved[0]
        np.testing.assert_allclose(solution, flipped_solution(matrix, right, shift), rtol=1e-6)


def test_near_a_negative_eigenvalue_the_solution_stays_precise():
    matrix = with_eigenvalues([-1.0, -0.3, *np.linspace(0.1, 4, 18)])
    right, parts = right_side(20), tridiagonalize(matrix)
    shifts = np.array([1.0 + 1e-7, 1.0 - 1e-7, 0.3 + 1e-6])
    solutions, solved = parts.solve(right, shifts, parts.eigenpairs_below(-1e-10))
    assert solved.all()
    for solution, shift in zip(solutions, shifts, strict=True):
        np.testing.assert_allclose(solution, flipped_solution(matrix, right, shift), rtol=1e-5, atol=1e-6)


def test_a_singular_matrix_without_a_shift_is_not_solved():
    solutions, solved = tridiagonalize(np.zeros((3, 3))).solve(np.ones(3), np.array([0.0, 2.0]))
    assert solved.tolist() == [False, True]
    np.testing.assert_allclose(solutions[1], 0.5)


def test_an_indefinite_matrix_that_is_taken_for_definite_is_not_solved():
    _, solved = tridiagonalize(MATRICES["three rows, indefinite"]).solve(np.ones(3), np.array([0.1, 10.0]))
    assert solved.tolist() == [False, True]


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0.01, 1.0, 50.0]))
def test_any_kernel_with_repeated_rows(n, seed, n_different, shift):
    """Graphs that come twice make a singular kernel; its distances may make an indefinite one."""
    random = np.random.default_rng(seed)
    which = random.integers(0, n_different, n)
    distances = np.abs(random.normal(size=(n_different, n_different)))
    distances = (distances + distances.T) * (1 - np.eye(n_different))
    matrix, right = np.exp(-distances)[np.ix_(which, which)], random.normal(size=n)
    parts = tridiagonalize(matrix)
    limit = -1e-9
    (solution,), solved = parts.solve(right, np.array([shift]), parts.eigenpairs_below(limit))
    assert solved[0]
    gap = np.abs(np.linalg.eigvalsh(matrix) + shift).min()  # near 0 next to a flipped eigenvalue
    if gap > 1e-4:
        np.testing.assert_allclose(solution, flipped_solution(matrix, right, shift, limit), rtol=1e-5, atol=1e-6)


# LAPACK


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_factors_and_inverses_are_those_of_numpy(n):
    matrix = with_eigenvalues(np.linspace(0.5, 3, n), seed=n)
    factor = np.array(matrix, order="F")
    assert factorize(factor)
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(matrix), atol=1e-12)
    invert_factor(factor)
    lower = np.tril(factor)
    np.testing.assert_allclose(lower + np.tril(lower, -1).T, np.linalg.inv(matrix), atol=1e-10)


def test_a_matrix_that_is_not_positive_definite_has_no_factor():
    assert not factorize(np.array(MATRICES["three rows, indefinite"], order="F"))
    assert not factorize(np.zeros((2, 2), order="F"))


def test_only_the_lower_triangle_is_used():
    matrix = np.array(MATRICES["three rows"], order="F")
    matrix[np.triu_indices(3, 1)] = np.nan
    assert factorize(matrix)
    np.testing.assert_allclose(np.tril(matrix), np.linalg.cholesky(MATRICES["three rows"]), atol=1e-12)


def test_wrong_arrays_are_refused():
    with pytest.raises(AssertionError, match="LAPACK takes matrices by columns"):
        reduce_to_tridiagonal(np.arange(9.0).reshape(3, 3))
    with pytest.raises(AssertionError, match="take doubles"):
        factorize(np.eye(3, dtype=np.float32, order="F"))


def test_several_threads_at_once_compute_the_same():
    matrices = [with_eigenvalues(np.linspace(-1, 4, 60 + seed), seed) for seed in range(12)]

    def solve(matrix):
        parts = tridiagonalize(matrix)
        solutions, _ = parts.solve(np.ones(len(matrix)), SHIFTS, parts.eigenpairs_below(-1e-10))
        factor = np.asfortranarray(matrix + 2 * np.eye(len(matrix)))
        assert factorize(factor)
        return np.vstack([solutions, np.tril(factor)])

    alone = [solve(matrix) for matrix in matrices]
    with ThreadPoolExecutor(6) as threads:
        together = list(threads.map(solve, matrices * 5))
    for number, result in enumerate(together):
        np.testing.assert_allclose(result, alone[number % 12], rtol=1e-9, atol=1e-9)
