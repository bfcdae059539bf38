from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import laplacian_kernel as laplacian_kernel_of_features

import wassergraph as wg
from strategies import batches
from wassergraph.kernels.eigenvalues import Definiteness, conditional_definiteness, definiteness
from wassergraph.kernels.laplacian import laplacian_kernel

shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
gammas = st.floats(1e-6, 1e6)
# A busy computer makes examples slow, but not wrong.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The shortest-path distances of the bipartite graph K(2, 3): a metric, and the smallest that is not of negative type.
BIPARTITE = np.array(
    [[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 2], [1, 1, 2, 0, 2], [1, 1, 2, 2, 0]], dtype=np.float64
)


# The kernel


@patient
@given(npst.arrays(np.float64, shapes, elements=st.floats(0, 1e6)), gammas)
def test_the_kernel_is_the_formula_and_nothing_else(distances, gamma):
    before = distances.copy()
    kernel = laplacian_kernel(distances, gamma)
    assert kernel.dtype == np.float64
    np.testing.assert_allclose(kernel, np.exp(-gamma * distances), rtol=1e-14, atol=1e-300)
    assert np.array_equal(distances, before)


@patient
@given(npst.arrays(np.float32, shapes, elements=st.floats(0, 1e6, width=32)), gammas)
def test_single_precision_stays_single(distances, gamma):
    for number in (gamma, np.float64(gamma)):
        kernel = laplacian_kernel(distances, number)
        assert kernel.dtype == np.float32
        assert np.allclose(kernel, np.exp(-gamma * distances.astype(np.float64)), rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, ">f4", ">f8", np.longdouble])
def test_other_numbers_become_double_precision(dtype):
    kernel = laplacian_kernel(np.array([[0, 2], [2, 0]], dtype=dtype), 0.5)
    assert kernel.dtype == np.float64
    assert kernel.dtype.isnative
    np.testing.assert_allclose(kernel, [[1, np.exp(-1)], [np.exp(-1), 1]], rtol=1e-15)


def test_lists_rows_and_strided_arrays_are_fine():
    np.testing.assert_allclose(laplacian_kernel([[0, 1]], 1), [[1, np.exp(-1)]], rtol=1e-15)
    distances = np.arange(24.0).reshape(4, 6)
    np.testing.assert_allclose(laplacian_kernel(distances.T[::2], 0.1), np.exp(-0.1 * distances.T[::2]), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [5e-324, 1e-300, 1e300, 1.7e308])
def test_no_gamma_makes_nan_or_a_warning(dtype, gamma):
    distances = np.array([0, 1e-3, 1, 1e38], dtype=dtype)
    expected = [1, 0, 0, 0] if gamma > 1 else [1, 1, 1, 1]
    assert laplacian_kernel(distances, gamma).tolist() == expected


@pytest.mark.parametrize("gamma", [2, np.int8(2), np.float32(2), Fraction(2)])
def test_gamma_is_any_real_number(gamma):
    assert laplacian_kernel([0.5], gamma).tolist() == [pytest.approx(np.exp(-1), rel=1e-15)]


def test_it_is_not_the_function_of_scikit_learn():
    """The reference package took one for the other: scikit-learn's wants features, and compares the rows of D."""
    distances = cdist([[0.0], [1.0], [3.0]], [[0.0], [1.0], [3.0]])
    ours, theirs = laplacian_kernel(distances, 1.0), laplacian_kernel_of_features(distances, gamma=1.0)
    assert abs(ours - theirs).max() > 0.2
    assert np.allclose(theirs, np.exp(-cdist(distances, distances, "cityblock")))


def test_on_manhattan_distances_it_is_scikit_learns_kernel():
    points = np.random.default_rng(0).normal(size=(7, 3))
    expected = laplacian_kernel_of_features(points, gamma=0.7)
    assert np.allclose(laplacian_kernel(cdist(points, points, "cityblock"), 0.7), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("distances", "error", "message"),
    [
        (
            [[0, 1], [-0.5, -1]],
            ValueError,
            r"^Negative values in data: D\[1, 0\] is -0\.5, and .* np\.maximum\(D, 0\)$",
        ),
        ([[[0, 1], [1, -1e-17]]], ValueError, r"D\[0, 1, 1\] is -1e-17"),
        (-1.0, ValueError, "D is -1.0"),
        ([[0, np.nan], [np.inf, 0]], ValueError, r"^D\[0, 1\] is nan: every entry must be a finite number$"),
        ([[0, -np.inf]], ValueError, r"D\[0, 1\] is -inf"),
        ([["a"]], TypeError, "^D must be an array of real numbers, got a list with entries of type <U1$"),
        (np.eye(2, dtype=bool), TypeError, "got a ndarray with entries of type bool"),
        (np.eye(2, dtype=complex), TypeError, "entries of type complex128"),
        (csr_array(np.eye(2)), TypeError, "got a csr_array with entries of type object"),
    ],
)
def test_bad_distances(distances, error, message):
    with pytest.raises(error, match=message):
        laplacian_kernel(distances, 1.0)


@pytest.mark.parametrize(
    ("gamma", "error", "message"),
    [
        (0, ValueError, r"^gamma must be positive and finite, got 0\.0$"),
        (-1.0, ValueError, "got -1.0"),
        (np.nan, ValueError, "got nan"),
        (np.inf, ValueError, "got inf"),
        ("scale", TypeError, "^gamma must be a number, got 'scale'$"),
        (None, TypeError, "got None"),
        (True, TypeError, "got True"),
        ([1.0], TypeError, r"got \[1\.0\]"),
        (1j, TypeError, "got 1j"),
    ],
)
def test_bad_gamma(gamma, error, message):
    with pytest.raises(error, match=message):
        laplacian_kernel([[0.0]], gamma)


# Definiteness


def with_spectrum(spectrum, seed: int = 0) -> np.ndarray:
    """Make a symmetric matrix that has these eigenvalues, in a random basis."""
    n = len(spectrum)
    basis, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))
    matrix = basis * spectrum @ basis.T
    return (matrix + matrix.T) / 2


# Either clearly zero or clearly not, so that the verdict is known before rounding.
clear_values = st.one_of(st.just(0.0), st.floats(1e-3, 1e3), st.floats(-1e3, -1e-3))
spectra = st.lists(clear_values, min_size=1, max_size=12).map(np.array)


@patient
@given(spectra, st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e-200, 1e200]))
def test_a_known_spectrum_is_found_again(spectrum, seed, unit):
    result = definiteness(with_spectrum(spectrum, seed) * unit)
    largest = abs(spectrum).max()
    assert result.smallest_eigenvalue / unit == pytest.approx(spectrum.min(), abs=1e-12 * largest)
    assert result.largest_eigenvalue / unit == pytest.approx(spectrum.max(), abs=1e-12 * largest)
    assert result.n_negative == (spectrum < 0).sum()
    if largest:
        assert result.negative_mass == pytest.approx(-spectrum[spectrum < 0].sum() / abs(spectrum).sum(), abs=1e-11)
    expected = "indefinite" if spectrum.min() < 0 else "positive semidefinite"
    assert result.verdict == ("positive definite" if spectrum.min() > 0 else expected)
    assert result.tolerance == pytest.approx(10 * len(spectrum) * 2.0**-52 * largest * unit, rel=1e-9, abs=0)


@patient
@given(spectra.filter(lambda spectrum: spectrum.min() == 0), st.integers(0, 2**32 - 1))
def test_rounding_is_no_negative_mass(spectrum, seed):
    result = definiteness(with_spectrum(spectrum, seed))
    assert (result.verdict, result.n_negative, result.negative_mass) == ("positive semidefinite", 0, 0.0)


def test_numbers_worked_out_by_hand():
    assert definiteness([[1, 2], [2, 1]]) == Definiteness(
        smallest_eigenvalue=pytest.approx(-1),
        largest_eigenvalue=pytest.approx(3),
        n_negative=1,
        negative_mass=pytest.approx(1 / 4),
        tolerance=pytest.approx(10 * 2 * 3 * 2.0**-52, abs=0),
        verdict="indefinite",
    )
    assert definiteness(-np.eye(3)).negative_mass == pytest.approx(1)
    assert definiteness(np.zeros((3, 3))).verdict == "positive semidefinite"


def test_single_precision_is_judged_as_such():
    """A rank-one matrix has zeros in its spectrum; rounded to single precision, only single precision can see that."""
    vector = np.random.default_rng(0).normal(size=50)
    rounded = np.outer(vector, vector).astype(np.float32)
    assert definiteness(rounded).verdict == "positive semidefinite"
    assert definiteness(rounded.astype(np.float64)).verdict == "indefinite"


@pytest.mark.parametrize("dtype", [np.int64, np.longdouble])
def test_other_numbers_are_judged_as_double_precision(dtype):
    assert definiteness(np.array([[2, 1], [1, 2]], dtype=dtype)).tolerance == pytest.approx(
        10 * 2 * 3 * 2.0**-52, abs=0
    )


def test_asymmetry_within_rounding_is_let_pass_and_evened_out():
    kernel = RBF()(np.random.default_rng(0).normal(size=(20, 2)))
    nearly = kernel * (1 + 1e-15 * np.random.default_rng(1).normal(size=kernel.shape))
    assert (nearly != nearly.T).any()
    result, transposed = definiteness(nearly), definiteness(nearly.T)
    assert (result.verdict, result.n_negative) == (transposed.verdict, transposed.n_negative)
    assert result.smallest_eigenvalue == pytest.approx(transposed.smallest_eigenvalue, abs=1e-13)
    assert result.smallest_eigenvalue == pytest.approx(definiteness(kernel).smallest_eigenvalue, abs=1e-12)


def test_the_matrix_is_left_alone():
    matrix = BIPARTITE.copy()
    definiteness(matrix)
    conditional_definiteness(matrix)
    assert np.array_equal(matrix, BIPARTITE)


@pytest.mark.parametrize("judge", [definiteness, conditional_definiteness])
@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        (
            np.ones((2, 3)),
            ValueError,
            r" must be a square matrix with at least one row, got the shape \(2, 3\); use the",
        ),
        (
            np.ones((2, 3, 3)),
            ValueError,
            r"got the shape \(2, 3, 3\); .*, and one depth$",
        ),
        (np.ones((0, 0)), ValueError, r"got the shape \(0, 0\)"),
        (1.0, ValueError, r"got the shape \(\)"),
        ([[0, np.nan], [1, 0]], ValueError, r"\[0, 1\] is nan: every entry must be a finite number"),
        ([["a"]], TypeError, "must be an array of real numbers, got a list"),
    ],
)
def test_bad_matrices(judge, matrix, error, message):
    with pytest.raises(error, match=message):
        judge(matrix)


@pytest.mark.parametrize(("judge", "name"), [(definiteness, "K"), (conditional_definiteness, "D")])
def test_the_first_asymmetric_pair_is_named(judge, name):
    matrix = np.eye(4)
    matrix[1, 3], matrix[2, 3] = 0.5, 0.25
    message = (
        rf"^{name} is not symmetric: {name}\[1, 3\] is 0\.5, {name}\[3, 1\] is 0\.0; "
        rf"if it is rounding, pass \({name} \+ {name}\.T\) / 2$"
    )
    with pytest.raises(ValueError, match=message):
        judge(matrix)


def test_a_verdict_is_a_value():
    result = definiteness(np.eye(2))
    assert result == pickle.loads(pickle.dumps(result)) == copy.deepcopy(result)
    with pytest.raises(FrozenInstanceError):
        result.verdict = "good"


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (definiteness(2 * np.eye(2)), "positive definite: all eigenvalues are positive, from 2 to 2"),
        (
            definiteness(np.zeros((2, 2))),
            "positive semidefinite: no eigenvalue is negative beyond rounding (0), they range from 0 to 0",
        ),
        (
            definiteness([[0, 2], [2, 0]]),
            "indefinite: 1 eigenvalue is negative (down to -2, where the largest is 2) and makes up 50.00% of the "
            "spectrum",
        ),
        (
            definiteness(np.diag([-1.0, -2.0, 9.0])),
            "indefinite: 2 eigenvalues are negative (down to -2, where the largest is 9) and make up 25.00% of the "
            "spectrum",
        ),
        (
            conditional_definiteness([[0, 2], [2, 0]]),
            "conditionally negative definite: all eigenvalues are positive, from 1 to 1; "
            "exp(-gamma * D) is a positive definite kernel for every gamma",
        ),
        (
            conditional_definiteness(BIPARTITE),
            "not conditionally negative definite: 1 eigenvalue is negative (down to -0.2, where the largest is 1) and "
            "makes up 6.25% of the spectrum; exp(-gamma * D) is not a positive definite kernel for every gamma",
        ),
    ],
)
def test_a_verdict_prints_as_a_sentence(result, sentence):
    assert str(result) == sentence


# Distances


def centered_spectrum(distances: np.ndarray) -> np.ndarray:
    """Give the eigenvalues of -½ J D J the obvious way, with that of the constant vector moved far out and dropped."""
    n = len(distances)
    centring = np.eye(n) - 1 / n
    far = 1e3 * max(abs(distances).max(), 1) * n
    return np.linalg.eigvalsh(-0.5 * centring @ distances @ centring + far / n)[:-1]


@patient
@given(npst.arrays(np.float64, st.integers(2, 9).map(lambda n: (n, n)), elements=st.floats(-100, 100)))
def test_the_constant_vector_is_left_out(matrix):
    matrix = matrix + matrix.T
    result, expected = conditional_definiteness(matrix), centered_spectrum(matrix)
    size = max(abs(matrix).max(), 1)
    assert result.smallest_eigenvalue == pytest.approx(expected[0], abs=1e-9 * size)
    assert result.largest_eigenvalue == pytest.approx(expected[-1], abs=1e-9 * size)
    assume(abs(expected).min() > 1e-6 * size)
    assert result.n_negative == (expected < 0).sum()
    mass = -expected[expected < 0].sum() / abs(expected).sum()
    assert result.negative_mass == pytest.approx(mass, abs=1e-6)


def test_equal_distances_have_no_zero_eigenvalue():
    """With the trivial eigenvalue counted, the smallest one would be 0."""
    result = conditional_definiteness(1 - np.eye(6))
    assert result.smallest_eigenvalue == pytest.approx(0.5)
    assert result.verdict == "conditionally negative definite"


def test_nothing_but_rounding_is_left_of_a_constant():
    verdicts = [conditional_definiteness(np.full((n, n), 1 / 3)) for n in range(2, 40)]
    assert {(result.verdict, result.n_negative) for result in verdicts} == {("conditionally negative definite", 0)}
    assert max(abs(result.smallest_eigenvalue) for result in verdicts) < 1e-13


@pytest.mark.parametrize("unit", [2.0**-1060, 2.0**-1000, 2.0**1000, 2.0**1020])
def test_the_verdict_does_not_depend_on_the_unit(unit):
    """Near the ends of the range of floats, too, where products vanish or overflow."""
    for judge in (definiteness, conditional_definiteness):
        here, there = judge(BIPARTITE), judge(BIPARTITE * unit)
        assert (there.verdict, there.n_negative) == (here.verdict, here.n_negative)
        assert there.negative_mass == pytest.approx(here.negative_mass, rel=1e-9)
        assert there.smallest_eigenvalue == pytest.approx(here.smallest_eigenvalue * unit, rel=1e-3, abs=0)
    apart = np.array([[0.0], [1.0], [0.0], [0.0]]) * unit
    assert conditional_definiteness(cdist(apart, apart, "cityblock")).verdict == "conditionally negative definite"


points = npst.arrays(np.float64, st.tuples(st.integers(2, 10), st.integers(1, 3)), elements=st.floats(-10, 10))


@patient
@given(points, gammas)
def test_manhattan_distances_give_a_kernel_for_every_gamma(points, gamma):
    distances = cdist(points, points, "cityblock")
    assert conditional_definiteness(distances).verdict == "conditionally negative definite"
    assert definiteness(laplacian_kernel(distances, gamma)).verdict != "indefinite"


def test_a_metric_that_gives_no_kernel_for_small_gamma():
    assert conditional_definiteness(BIPARTITE).verdict == "not conditionally negative definite"
    assert definiteness(laplacian_kernel(BIPARTITE, 0.1)).verdict == "indefinite"
    assert definiteness(laplacian_kernel(BIPARTITE, 3.0)).verdict == "positive definite"


def test_one_graph_has_no_conditional_definiteness():
    with pytest.raises(ValueError, match=r"^D has one row, .* defined for two graphs or more: pass more distances$"):
        conditional_definiteness([[0.0]])


# The paper's Theorem 1


@settings(patient, max_examples=50)
@given(batches(min_graphs=2), st.integers(0, 4), gammas)
def test_the_categorical_kernel_is_positive_definite_for_every_gamma(batch, depth, gamma):
    distances = wg.distances(batch, metric=wg.WWL(depth=depth, kind="categorical"))
    assert conditional_definiteness(distances).verdict == "conditionally negative definite"
    assert definiteness(laplacian_kernel(distances, gamma)).verdict != "indefinite"


def test_the_categorical_kernel_of_real_molecules_is_positive_definite(data_home):
    graphs, _ = wg.load_dataset("MUTAG", data_home=data_home)
    distances = wg.distances(graphs, metric=wg.WWL(depth=[0, 3], kind="categorical"))
    assert distances.max() > 0.5
    for level in distances:
        assert conditional_definiteness(level).verdict == "conditionally negative definite"
        assert definiteness(laplacian_kernel(level, 10.0)).verdict != "indefinite"
