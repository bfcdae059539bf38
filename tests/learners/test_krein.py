from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.metrics.pairwise import sigmoid_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import wassergraph as wg
from wassergraph.kernels.eigenvalues import has_no_negative_part
from wassergraph.learners.svm.krein import KreinSVC, flip


@parametrize_with_checks([KreinSVC(), KreinSVC(kernel="rbf"), KreinSVC(strategy="ovr")])
def test_it_passes_the_checks_of_scikit_learn(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else scikit-learn skips one of its checks
    if getattr(check, "func", check).__name__ == "check_classifier_data_not_an_array":
        return  # it needs pandas; the next test is what it does, without
    check(estimator)


def test_lists_and_what_numpy_can_read_give_the_same():
    class NotAnArray:
        def __init__(self, data):
            self.data = data

        def __array__(self, dtype=None, copy=None):
            return np.asarray(self.data, dtype=dtype)

    x, y = points(30, 2)
    expected = KreinSVC().fit(positive(x), y).predict(positive(x))
    for wrap in (NotAnArray, np.ndarray.tolist):
        np.testing.assert_array_equal(KreinSVC().fit(wrap(positive(x)), wrap(y)).predict(wrap(positive(x))), expected)


def points(n: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 4)) + 1.2 * np.eye(max(classes, 4))[y][:, :4], y


def positive(left, right=None) -> np.ndarray:
    right = left if right is None else right
    return np.exp(-0.2 * np.abs(left[:, None] - right).sum(axis=2))


def indefinite(left, right=None) -> np.ndarray:
    """A kernel with a negative part: that of the last two coordinates counts as negative."""
    right = left if right is None else right
    return positive(left[:, :2], right[:, :2]) - 0.7 * positive(left[:, 2:], right[:, 2:])


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}, {"class_weight": {0: 5.0, 1: 0.5}}])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize(("tol", "atol"), [(1e-3, 2e-3), (1e-8, 5e-6)])  # libsvm keeps kernels in single precision
def test_equals_svc_on_a_positive_definite_kernel(classes, options, C, tol, atol):  # noqa: N803 - scikit-learn's name
    x, y = points(90, classes)
    y = np.where(y == 1, 0, y) if classes == 5 else y  # classes of unequal size
    if classes == 5 and "class_weight" in options and isinstance(options["class_weight"], dict):
        options = {"class_weight": {0: 5.0, 2: 0.5}}
    kernel, rows = positive(x[:60]), positive(x[60:], x[:60])
    peer = SVC(kernel="precomputed", C=C, tol=tol, **options).fit(kernel, y[:60])
    ours = KreinSVC(C=C, tol=tol, **options).fit(kernel, y[:60])
    np.testing.assert_allclose(ours.decision_function(rows), peer.decision_function(rows), atol=atol)
    if tol < 1e-3:  # less precise solutions may differ in the class of a point between two
        np.testing.assert_array_equal(ours.predict(rows), peer.predict(rows))
        np.testing.assert_array_equal(ours.support_, np.sort(peer.support_))
    assert (ours.n_negative_, ours.negative_mass_) == (0, 0.0)
    peer.set_params(decision_function_shape="ovo")
    ours.set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(ours.decision_function(rows), peer.decision_function(rows), atol=atol)


def test_no_eigenvalues_are_computed_where_a_cholesky_decomposition_does(monkeypatch):
    x, y = points(40, 3)
    monkeypatch.setattr("wassergraph.learners.svm.krein.eigh", None)
    monkeypatch.setattr("wassergraph.kernels.eigenvalues.definiteness", None)
    KreinSVC().fit(positive(x), y)
    twice = np.concatenate([x, x])  # eigenvalues of zero count as none that is negative
    KreinSVC().fit(positive(twice), np.concatenate([y, y]))
    with pytest.raises(TypeError, match="not callable"):
        KreinSVC().fit(indefinite(x), y)


def primal_solution(kernel: np.ndarray, signs: np.ndarray, C: float) -> tuple[np.ndarray, float]:  # noqa: N803
    """Solve the primal problem in the space of |K| by scipy: the values of f at the training points, and the intercept.

    Stationarity in the Kreĭn space asks for the same values: minimize ½ fᵀ |K|⁻¹ f + C Σ ξ with y (f + b) ≥ 1 - ξ and
    ξ ≥ 0.
    """
    n = len(kernel)
    values, vectors = eigh(kernel)
    inverse = (vectors / np.abs(values)) @ vectors.T

    def objective(v):
        return 0.5 * v[:n] @ inverse @ v[:n] + C * v[n + 1 :].sum()

    def gradient(v):
        return np.concatenate([inverse @ v[:n], [0.0], np.full(n, C)])

    jacobian = np.column_stack([np.diag(signs), signs, np.eye(n)])
    margins = {"type": "ineq", "fun": lambda v: jacobian @ v - 1, "jac": lambda v: jacobian}
    begin = np.concatenate([np.zeros(n + 1), np.ones(n)])
    bounds = [(None, None)] * (n + 1) + [(0, None)] * n
    options = {"ftol": 1e-14, "maxiter": 3000}
    v = minimize(objective, begin, jac=gradient, bounds=bounds, constraints=margins, method="SLSQP", options=options).x
    return v[:n], float(v[n])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", [1.0, 5.0, 20.0])
def test_equals_a_slow_solution_on_an_indefinite_kernel(seed, C):  # noqa: N803 - scikit-learn's name
    x, y = points(34, 2, seed)
    kernel, rows = indefinite(x[:24]), indefinite(x[24:], x[:24])
    svm = KreinSVC(C=C, tol=1e-9).fit(kernel, y[:24])
    assert svm.n_negative_ == np.sum(np.linalg.eigvalsh(kernel) < 0) > 0
    values, intercept = primal_solution(kernel, np.where(y[:24] == 1, 1.0, -1.0), C)
    # These values at the training points belong to one function of the Kreĭn space; new points read it off.
    expected = rows @ np.linalg.solve(kernel, values) + intercept
    np.testing.assert_allclose(svm.decision_function(rows), expected, atol=2e-4 * max(1, np.abs(expected).max()))
    np.testing.assert_allclose(svm.decision_function(kernel), values + intercept, atol=2e-4)


def test_with_several_classes_each_pair_is_an_svm_of_its_own():
    x, y = points(75, 3)
    kernel, rows = indefinite(x[:50]), indefinite(x[50:], x[:50])
    ours = KreinSVC(decision_function_shape="ovo", tol=1e-8).fit(kernel, y[:50])
    for column, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        members = np.flatnonzero((y[:50] == a) | (y[:50] == b))
        alone = KreinSVC(tol=1e-8).fit(kernel[np.ix_(members, members)], y[:50][members])
        np.testing.assert_allclose(
            ours.decision_function(rows)[:, column], -alone.decision_function(rows[:, members]), atol=1e-5
        )
    peer = OneVsOneClassifier(KreinSVC(tol=1e-8)).fit(kernel, y[:50])
    assert accuracy_score(peer.predict(rows), ours.predict(rows)) > 0.9  # they break ties in different ways


def test_one_against_the_rest():
    x, y = points(90, 3)
    kernel, rows = indefinite(x[:60]), indefinite(x[60:], x[:60])
    ours = KreinSVC(strategy="ovr", tol=1e-8).fit(kernel, y[:60])
    for c in range(3):
        alone = KreinSVC(tol=1e-8).fit(kernel, y[:60] == c)
        # The groups come in another order, so the two agree up to the tolerance of the solver.
        np.testing.assert_allclose(ours.decision_function(rows)[:, c], alone.decision_function(rows), atol=1e-5)
    np.testing.assert_array_equal(ours.predict(rows), ours.decision_function(rows).argmax(axis=1))


def test_beats_clipping_where_the_negative_part_separates_the_classes():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    plus, minus = rng.normal(size=(200, 3)), rng.normal(scale=0.3, size=(200, 3)) + np.where(y, 1.0, -1.0)[:, None]
    kernel = plus @ plus.T - minus @ minus.T
    train, test = np.arange(100), np.arange(100, 200)
    among, rows = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
    values, vectors = eigh(among)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    clipping = SVC(kernel="precomputed").fit(clipped, y[train]).score(rows, y[test])
    ours = KreinSVC().fit(among, y[train]).score(rows, y[test])
    assert ours > 0.97
    assert clipping < 0.75


def test_the_negative_part_is_reported():
    x, y = points(40, 2)
    kernel = indefinite(x)
    verdict = wg.kernels.definiteness(kernel)
    svm = KreinSVC().fit(kernel, y)
    assert (svm.n_negative_, svm.negative_mass_) == (verdict.n_negative, pytest.approx(verdict.negative_mass))
    assert svm.dual_coef_.shape == (1, 40)
    np.testing.assert_array_equal(svm.support_, np.flatnonzero(svm.dual_coef_[0]))


def test_flipping_keeps_the_function_values():
    x, _ = points(30, 2)
    kernel = indefinite(x)
    flipped = flip(kernel)
    assert np.linalg.eigvalsh(flipped.kernel).min() > 0
    coefficients = np.random.default_rng(0).normal(size=(2, 30))
    np.testing.assert_allclose(flipped.map_back(coefficients) @ kernel, coefficients @ flipped.kernel, atol=1e-12)
    assert flip(positive(x)).vectors is None
    assert has_no_negative_part(positive(x))
    assert not has_no_negative_part(kernel)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_kernels_of_points_are_those_of_svc(kernel):
    x, y = points(60, 2)
    if kernel == "sigmoid":
        ours = KreinSVC(kernel="sigmoid", gamma=0.5, coef0=-1.0, tol=1e-8).fit(x, y)
        by_hand = KreinSVC(tol=1e-8).fit(sigmoid_kernel(x, gamma=0.5, coef0=-1.0), y)
        assert ours.n_negative_ == by_hand.n_negative_ > 0
        np.testing.assert_allclose(
            ours.decision_function(x), by_hand.decision_function(sigmoid_kernel(x, gamma=0.5, coef0=-1.0)), atol=1e-5
        )
        return
    peer = SVC(kernel=kernel, tol=1e-8).fit(x, y)
    ours = KreinSVC(kernel=kernel, tol=1e-8).fit(x, y)
    np.testing.assert_allclose(ours.decision_function(x), peer.decision_function(x), atol=1e-4)


def test_a_kernel_may_be_a_function_and_gamma_a_rule():
    x, y = points(60, 2)
    np.testing.assert_array_equal(
        KreinSVC(kernel=positive).fit(x, y).predict(x), KreinSVC().fit(positive(x), y).predict(positive(x))
    )
    auto = KreinSVC(kernel="rbf", gamma="auto", tol=1e-8).fit(x, y).decision_function(x)
    np.testing.assert_allclose(auto, SVC(gamma="auto", tol=1e-8).fit(x, y).decision_function(x), atol=1e-4)


def test_it_works_in_searches_of_scikit_learn():
    x, y = points(60, 3)
    kernel = indefinite(x)
    assert get_tags(KreinSVC()).input_tags.pairwise
    assert not get_tags(KreinSVC(kernel="rbf")).input_tags.pairwise
    assert cross_val_score(KreinSVC(), kernel, y, cv=3).mean() > 0.5
    search = GridSearchCV(KreinSVC(), {"C": [0.1, 1.0, 10.0]}, cv=3).fit(kernel, y)
    assert search.best_score_ > 0.5
    assert clone(KreinSVC(C=3.0, strategy="ovr")).get_params()["strategy"] == "ovr"


def test_classes_may_be_texts():
    x, y = points(40, 2)
    names = np.array(["inactive", "active"])[y]
    svm = KreinSVC().fit(positive(x), names)
    assert set(svm.predict(positive(x))) == {"active", "inactive"}
    assert svm.classes_.tolist() == ["active", "inactive"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C must be a positive number, got 0"),
        ({"C": -1.0}, "C must be a positive number"),
        ({"C": "1"}, "C must be a positive number, got '1'"),
        ({"C": True}, "C must be a positive number, got True"),
        ({"tol": float("nan")}, "tol must be a positive number"),
        ({"strategy": "ova"}, 'strategy must be "ovo" or "ovr", got \'ova\''),
        ({"decision_function_shape": "no"}, "decision_function_shape must be"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    x, y = points(20, 2)
    with pytest.raises(ValueError, match=message):
        KreinSVC(**options).fit(positive(x), y)


def test_bad_kernels_are_refused():
    x, y = points(20, 2)
    kernel = positive(x)
    with pytest.raises(ValueError, match="1 class only"):
        KreinSVC().fit(kernel, np.zeros(20))
    asymmetric = kernel.copy()
    asymmetric[0, 1] = 0.3
    with pytest.raises(ValueError, match=r"K is not symmetric: K\[0, 1\]"):
        KreinSVC().fit(asymmetric, y)
    with pytest.raises(ValueError, match="square"):
        KreinSVC().fit(kernel[:, :10], y)
    with pytest.raises(ValueError, match="features"):
        KreinSVC().fit(kernel, y).predict(kernel[:, :10])
    kernel[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KreinSVC().fit(kernel, y)


def test_a_part_of_zeros_has_no_negative_part():
    np.testing.assert_array_equal(flip(np.zeros((6, 6))).map_back(np.arange(6.0)), np.arange(6.0))
    y = np.repeat([0, 1, 2], 4)
    kernel = np.zeros((12, 12))
    kernel[8:, 8:] = -np.eye(4)
    kernel[:8, 8:] = kernel[8:, :8].T + 0.1 * np.random.default_rng(0).normal(size=(8, 4))
    kernel = np.triu(kernel) + np.triu(kernel, 1).T
    svm = KreinSVC(decision_function_shape="ovo").fit(kernel, y)
    assert svm.n_negative_ > 0
    peer = SVC(kernel="precomputed").fit(kernel[:8, :8], y[:8])
    rows = np.random.default_rng(1).normal(size=(5, 12))
    np.testing.assert_allclose(svm.decision_function(rows)[:, 0], -peer.decision_function(rows[:, :8]), atol=1e-9)


def test_what_was_learned_does_not_change_when_parameters_do():
    x, y = points(60, 3)
    svm = KreinSVC().fit(indefinite(x), y)
    expected = svm.predict(indefinite(x))
    svm.set_params(strategy="ovr", kernel="rbf", C=1e-9)
    np.testing.assert_array_equal(svm.predict(indefinite(x)), expected)
    # A fit that fails leaves what was learned before, whole.
    svm.set_params(kernel="precomputed")
    with pytest.raises(ValueError, match="not symmetric"):
        svm.fit(indefinite(x) + np.triu(np.ones((60, 60)), 1), y + 10)
    np.testing.assert_array_equal(svm.predict(indefinite(x)), expected)


def test_a_kernel_function_of_the_wrong_shape_is_refused():
    x, y = points(20, 2)
    svm = KreinSVC(kernel=lambda a, b: positive(a, b) if len(a) == 20 else np.zeros((len(a), 99))).fit(x, y)
    with pytest.raises(ValueError, match=r"a column for each of the 20 training points, got the shape \(5, 99\)"):
        svm.predict(x[:5])


def test_weights_of_classes_must_be_positive():
    x, y = points(20, 2)
    with pytest.raises(ValueError, match=r"class_weight of the class 1 is 0\.0: weights must be positive"):
        KreinSVC(class_weight={0: 1.0, 1: 0.0}).fit(positive(x), y)
