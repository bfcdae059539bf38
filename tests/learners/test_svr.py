"""Support vector regression: equal to scikit-learn's, on kernels of any sort, alone and in GraphRegressor."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import wassergraph as wg
from command_line import run
from made_metrics import model_options, plain_parameters
from wassergraph.errors import NotSolvedError
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners import svr as svr_module
from wassergraph.learners.effort import Effort
from wassergraph.learners.protocol import FitOptions, KernelBlock
from wassergraph.learners.svr import SVRLearner, fit_svr
from wassergraph.models.summary import training_summary, training_table
from wassergraph.status import NOT_CONVERGED, STOPPED
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.selection import score_grid

TIGHT = 1e-10
SMALL = {"regressor": "svr", "depth": (0, 1), "gamma": (0.1, 1.0), "C": (1.0, 10.0), "mass": "count"}


@pytest.fixture(scope="module")
def numbers():
    graphs, classes = wg.load_dataset("demo")
    random = np.random.default_rng(0)
    return graphs, np.log(graphs.sizes) + 0.3 * classes + 0.05 * random.normal(size=len(graphs))


@pytest.fixture(scope="module")
def kernel(numbers):
    return laplacian_kernel(wg.distances(numbers[0], metric=wg.WWL(depth=1, kind="categorical", mass="count")), 0.1)


@pytest.fixture(scope="module")
def model(numbers):
    graphs, y = numbers
    return wg.GraphRegressor(**model_options(kind="categorical", **SMALL)).fit(graphs[:45], y[:45])


def indefinite(n: int) -> np.ndarray:
    """Return a kernel with a large negative part."""
    random = np.random.default_rng(3)
    points = random.normal(size=(n, 4))
    distances = [((points[:, None, part] - points[:, part]) ** 2).sum(axis=2) for part in (slice(2), slice(2, 4))]
    return np.exp(-0.5 * distances[0]) - 0.5 * np.exp(-0.5 * distances[1]) + 0.5


def fit_slowly(kernel, y, C, epsilon):  # noqa: N803 - scikit-learn's name
    """Return coefficients and intercept, by all eigenvalues of the kernel and scikit-learn's SVR."""
    eigenvalues, vectors = np.linalg.eigh(kernel)
    absolute, signs = vectors * np.abs(eigenvalues) @ vectors.T, vectors * np.sign(eigenvalues) @ vectors.T
    svr = SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=TIGHT).fit(absolute, (y - y.mean()) / y.std())
    coefficients = np.zeros(len(y))
    coefficients[svr.support_] = svr.dual_coef_[0]
    return y.std() * signs @ coefficients, y.mean() + y.std() * svr.intercept_[0]


# The regression


@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_it_is_that_of_scikit_learn(numbers, kernel, C, epsilon):  # noqa: N803 - scikit-learn's name
    _, y = numbers
    peer = TransformedTargetRegressor(
        SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=TIGHT), transformer=StandardScaler()
    ).fit(kernel[:40, :40], y[:40])
    svr = fit_svr(kernel[:40, :40], y[:40], C, epsilon, tol=TIGHT)
    np.testing.assert_allclose(svr.predict(kernel[40:, :40]), peer.predict(kernel[40:, :40]), rtol=1e-6)
    usual = fit_svr(kernel[:40, :40], y[:40], C, epsilon)
    np.testing.assert_allclose(usual.predict(kernel[40:, :40]), peer.predict(kernel[40:, :40]), rtol=1e-3)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_an_indefinite_kernel_is_flipped(C):  # noqa: N803 - scikit-learn's name
    kernel = indefinite(50)
    assert np.linalg.eigvalsh(kernel[:40, :40])[0] < -1
    y = np.random.default_rng(0).normal(size=40)
    coefficients, intercept = fit_slowly(kernel[:40, :40], y, C, 0.1)
    expected = intercept + kernel[40:, :40] @ coefficients
    svr = fit_svr(kernel[:40, :40], y, C, 0.1, tol=TIGHT)
    np.testing.assert_allclose(svr.predict(kernel[40:, :40]), expected, rtol=1e-5, atol=1e-6)
    block = KernelBlock(kernel[:40, :40], kernel[40:, :40], None, definite=False)
    path = SVRLearner(epsilon=0.1, tol=TIGHT).fit_path(block, y, [C], FitOptions())
    np.testing.assert_allclose(path.predictions[0], expected, rtol=1e-5, atol=1e-6)


def test_parameters_do_not_depend_on_the_unit_of_targets(numbers, kernel):
    _, y = numbers
    one, other = (fit_svr(kernel, targets, 1.0, 0.2, tol=TIGHT) for targets in (y, 300.0 * y - 70.0))
    np.testing.assert_allclose(300.0 * one.predict(kernel) - 70.0, other.predict(kernel), rtol=1e-6)


def test_targets_that_are_all_equal_are_predicted():
    """A training part may have such targets, although all graphs together have not."""
    targets = np.full(7, 0.1)  # the mean is not exactly 0.1
    for epsilon in (0.0, 0.1):
        model = fit_svr(np.eye(7), targets, 10.0, epsilon)
        np.testing.assert_allclose(model.predict(np.eye(7)), targets)
        assert np.abs(model.coefficients).max() < 1e-9


# The search


def test_search_is_that_of_scikit_learn(numbers):
    """With targets standardized in every fold, the SVR of scikit-learn has the same scores."""
    graphs, y = numbers
    distances = wg.distances(graphs, metric=wg.WWL(depth=[0, 2], kind="categorical"))
    folds = list(KFold(3, shuffle=True, random_state=1).split(y))
    c_values = (0.1, 1.0, 10.0, 100.0)
    grid = Grid.of_depths((0, 2), (0.1, 1.0), c_values)
    learner = SVRLearner(epsilon=0.2, tol=1e-8)
    scores = score_grid(distances, y, folds, grid, learner).score
    for m, matrix in enumerate(distances):
        for g, gamma in enumerate(grid.gammas):
            kernel = laplacian_kernel(matrix, gamma)
            for fold, (train, test) in enumerate(folds):
                mean, deviation = y[train].mean(), y[train].std()
                search = GridSearchCV(
                    SVR(kernel="precomputed", epsilon=0.2, tol=1e-8),
                    {"C": c_values},
                    scoring="neg_mean_squared_error",
                    cv=[(train, test)],
                    refit=False,
                ).fit(kernel, (y - mean) / deviation)
                expected = deviation**2 * search.cv_results_["mean_test_score"]
                np.testing.assert_allclose(scores[m, g, :, fold], expected, rtol=1e-4)


def test_scores_on_indefinite_kernels_are_those_of_the_slow_way():
    kernel, y = indefinite(60), np.random.default_rng(1).normal(size=60)
    folds = list(KFold(3).split(y))
    grid = Grid(({},), None, (0.1, 1.0))
    scores = score_grid(kernel[None], y, folds, grid, SVRLearner(epsilon=0.1, tol=1e-8)).score
    for fold, (train, test) in enumerate(folds):
        for c, value in enumerate(grid.C_values):
            coefficients, intercept = fit_slowly(kernel[np.ix_(train, train)], y[train], value, 0.1)
            errors = intercept + kernel[np.ix_(test, train)] @ coefficients - y[test]
            assert scores[0, 0, c, fold] == pytest.approx(-np.mean(errors**2), rel=1e-4)


def test_no_larger_c_is_fitted_once_no_coefficient_is_at_its_bound():
    random = np.random.default_rng(0)
    points, y = np.sort(random.normal(size=50)), random.normal(size=40)
    kernel = np.exp(-np.abs(points[:, None] - points)) + 0.1 * np.eye(50)
    block = KernelBlock(kernel[:40, :40], kernel[40:, :40], None, definite=True)
    c_values = (0.1, 1.0, 1e3, 1e4, 1e5)
    path = SVRLearner(epsilon=0.1, tol=TIGHT).fit_path(block, y, c_values, FitOptions())
    assert (path.steps[:3] > 0).all()
    assert path.steps[3:].tolist() == [0, 0]
    for value, predicted in zip(c_values, path.predictions, strict=True):
        expected = fit_svr(kernel[:40, :40], y, value, 0.1, tol=TIGHT).predict(kernel[40:, :40])
        np.testing.assert_allclose(predicted, expected, rtol=1e-6)


def test_a_fit_that_is_not_solved_is_an_error_or_left_out(numbers, kernel, monkeypatch):
    _, y = numbers
    block = KernelBlock(kernel, kernel, 0.1, definite=True)
    few, skip = Effort(max_iter=3), Effort(max_iter=3, skip_unsolved=True)
    with pytest.raises(NotSolvedError, match="regression with C=1 is not solved after 3 steps: leave out such a large"):
        SVRLearner(epsilon=0.1).fit_path(block, y, [1.0, 1e3], FitOptions(effort=few))
    path = SVRLearner(epsilon=0.1).fit_path(block, y, [1.0, 1e3], FitOptions(effort=skip))
    assert path.steps.tolist() == [NOT_CONVERGED] * 2
    wide = SVRLearner(epsilon=100.0)  # nothing is outside of so wide a tube, which takes no step
    folds, grid = list(KFold(3).split(y)), Grid(({},), None, (1.0, 1e3))
    assert np.isnan(score_grid(kernel[None], y, folds, grid, SVRLearner(epsilon=0.1), effort=skip).score).all()
    assert np.isfinite(score_grid(kernel[None], y, folds, grid, wide, effort=skip).score).all()
    monkeypatch.setattr(svr_module, "MAX_ITER", 3)
    with pytest.raises(NotSolvedError, match="C=10 is not solved after 3 steps"):
        fit_svr(kernel, y, 10.0, 0.1)


def test_a_stopped_path_has_the_status_stopped(numbers, kernel):
    block, stop = KernelBlock(kernel, kernel, 0.1, definite=True), np.ones(1, dtype=np.bool_)
    assert (
        SVRLearner(epsilon=0.1).fit_path(block, numbers[1], [1.0, 2.0], FitOptions(stop)).steps.tolist()
        == [STOPPED] * 2
    )


# The model


def test_the_model_is_the_sum_of_its_parts(numbers, model):
    graphs, y = numbers
    chosen = model.best_params_
    assert set(chosen) == {"depth", "gamma", "C"}
    assert sorted(set(model.cv_results_["param_C"])) == [1.0, 10.0]
    distances = wg.distances(graphs, metric=wg.WWL(depth=chosen["depth"], kind="categorical", mass="count"))
    kernel = laplacian_kernel(distances, chosen["gamma"])
    expected = fit_svr(kernel[:45, :45], y[:45], chosen["C"], 0.1).predict(kernel[45:, :45])
    np.testing.assert_allclose(model.predict(graphs[45:]), expected, rtol=1e-3)
    assert model.score(graphs[45:], y[45:]) > 0.5
    summary, table = training_summary(model), training_table(model)
    assert 0 < summary["support_graphs"] == np.count_nonzero(model.dual_coef_) < 45
    assert f"support graphs    {summary['support_graphs']} of 45" in table
    assert json.loads(json.dumps(summary)) == summary


def test_intervals_do_not_use_the_calibration_set(numbers, model):
    graphs, y = numbers
    order = np.random.RandomState(0).permutation(45)
    proper, held_out = np.sort(order[9:]), np.sort(order[:9])
    assert not model.interval_coef_[held_out].any()
    chosen = model.best_params_
    distances = wg.distances(graphs, metric=wg.WWL(depth=chosen["depth"], kind="categorical", mass="count"))
    kernel = laplacian_kernel(distances, chosen["gamma"])
    svr = fit_svr(kernel[np.ix_(proper, proper)], y[proper], chosen["C"], 0.1)
    errors = np.sort(np.abs(svr.predict(kernel[np.ix_(held_out, proper)]) - y[held_out]))
    np.testing.assert_allclose(model.calibration_errors_, errors, atol=1e-3)
    centers = svr.predict(kernel[45:, proper])
    expected = np.column_stack([centers - errors[7], centers + errors[7]])
    np.testing.assert_allclose(model.predict_interval(graphs[45:], level=0.8), expected, atol=1e-2)


def test_the_negative_part_of_the_kernel_is_counted_and_flipped(numbers):
    graphs, y = numbers
    random = np.random.default_rng(0)
    distances = np.abs(random.normal(size=(60, 60)))
    distances = (distances + distances.T) * (1 - np.eye(60))
    model = wg.GraphRegressor(wg.WWL(depth=1, kind="categorical"), regressor="svr", gamma=0.5, C=1.0, calibration=0)
    model.fit(graphs, y, distances=distances[None])
    kernel = np.exp(-0.5 * distances)
    assert model.n_negative_ == np.count_nonzero(np.linalg.eigvalsh(kernel) < 0) > 0
    coefficients, intercept = fit_slowly(kernel, y, 1.0, 0.1)
    np.testing.assert_allclose(
        model.intercept_ + kernel @ model.dual_coef_, intercept + kernel @ coefficients, atol=1e-3
    )


def test_a_model_comes_back_as_it_was(numbers, model, tmp_path):
    graphs, _ = numbers
    model.save(tmp_path / "m.wgm")
    loaded = wg.load_model(tmp_path / "m.wgm")
    np.testing.assert_array_equal(loaded.predict(graphs), model.predict(graphs))
    np.testing.assert_array_equal(loaded.predict_interval(graphs, 0.8), model.predict_interval(graphs, 0.8))
    assert loaded.best_params_ == model.best_params_
    assert loaded.cv_results_["params"] == model.cv_results_["params"]
    assert plain_parameters(loaded) == plain_parameters(model)
    assert training_table(loaded) == training_table(model)


def test_it_is_an_estimator_of_scikit_learn(numbers, model):
    graphs, y = numbers
    parameters = wg.GraphRegressor().get_params()
    assert (parameters["regressor"], parameters["epsilon"]) == ("ridge", 0.1)
    again = clone(model)
    assert repr(again) == repr(model)
    np.testing.assert_allclose(again.fit(graphs[:45], y[:45]).predict(graphs), model.predict(graphs), rtol=1e-3)
    ridge = again.set_params(regressor="ridge", alpha=0.1).fit(graphs[:45], y[:45])
    assert set(ridge.best_params_) == {"depth", "gamma", "alpha"}
    assert "support_graphs" not in training_summary(ridge)


# Bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regressor": "svm"}, "regressor must be one of 'ridge', 'svr', got 'svm'"),
        ({"epsilon": -0.1}, "epsilon must be a number of at least 0, got -0.1"),
        ({"epsilon": np.inf}, "epsilon must be a number of at least 0, got inf"),
        ({"epsilon": np.nan}, "epsilon must be a number of at least 0, got nan"),
        ({"epsilon": "0.1"}, "epsilon must be a number of at least 0, got '0.1'"),
        ({"epsilon": [0.1, 0.2]}, "epsilon must be a number of at least 0"),
        ({"C": 0.0}, "C must be a positive number, or a sequence of positive numbers, got 0.0"),
        ({"C": (1.0, -1.0)}, "C must be a positive number, or a sequence of positive numbers"),
        ({"C": ()}, "C must be a positive number"),
    ],
)
def test_bad_options(numbers, parameters, message):
    with pytest.raises(ValueError, match=message):
        wg.GraphRegressor(**model_options(**{**SMALL, **parameters})).fit(*numbers)


def test_parameters_of_the_other_regressor_are_not_looked_at(numbers):
    one = {"depth": 0, "gamma": 1.0, "kind": "categorical"}
    wg.GraphRegressor(**model_options(alpha=1.0, C=-1.0, epsilon=-1.0, **one)).fit(*numbers)
    wg.GraphRegressor(**model_options(regressor="svr", alpha=-1.0, C=1.0, **one)).fit(*numbers)


# The command line


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write a table of molecules with numbers into the current folder."""
    rows = [f"{'C' * n}{end},{n * 0.37 - 2:.3f}" for n in range(1, 21) for end in ("O", "N")]
    (tmp_path / "numbers.csv").write_text("\n".join(["smiles,logS", *rows]))
    monkeypatch.chdir(tmp_path)
    return ("numbers.csv", "--target", "logS")


FEW = ("--depth", "1", "--gamma", "0.01,0.1", "--kind", "categorical")


def test_training_and_prediction_on_the_command_line(capsys, table):
    options = ("--model", "svr", "-C", "10,1000", "--epsilon", "0.05", "--calibration", "0.25", "--cv", "3")
    code, out, err = run(capsys, "train", *table, "-o", "m.wgm", *options, *FEW)
    assert (code, err) == (0, "")
    assert "(of 8 candidates)" in out
    assert ", C = 1" in out
    model = wg.load_model("m.wgm")
    assert (model.regressor, model.epsilon, model.calibration, model.cv) == ("svr", 0.05, 0.25, 3)
    assert model.C == [10.0, 1000.0]
    code, out, _ = run(capsys, "predict", "m.wgm", *table)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, len(rows)) == (0, 40)
    for row in rows:
        assert float(row["predicted"]) == pytest.approx(float(row["logS"]), abs=0.5)
    code, out, _ = run(capsys, "train", *table, "-o", "m.wgm", "--json", *options, *FEW)
    assert json.loads(out)["best_params"].keys() == {"mass", "depth", "gamma", "C"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "svr", "--alpha", "1"), "--alpha is not a parameter of the model svr; remove it"),
        (("--epsilon", "0.1"), "--epsilon is not a parameter of the model ridge; remove it"),
        (("--model", "gp", "--epsilon", "0.1"), "--epsilon is not a parameter of the model gp; remove it"),
        (("--model", "svr", "--epsilon", "-1"), "--epsilon must be a number of at least 0, got -1.0"),
        (("--model", "svr", "-C", "0"), "--C must be a positive number"),
        (("--model", "svr", "--task", "classification"), "--model svr learns numbers, but the target is classes"),
    ],
)
def test_wrong_options_on_the_command_line(capsys, table, options, message):
    code, out, err = run(capsys, "train", *table, "-o", "m.wgm", "--quiet", *options)
    assert (code, out) == (2, "")
    assert message in err
