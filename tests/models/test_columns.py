"""Columns beside graphs: equal to dense computations with D + w C, helpful where they must be, and checked."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel, StationaryKernelMixin
from sklearn.svm import SVC

import wassergraph as wg
from wassergraph.errors import ImputedDataWarning, InputError
from wassergraph.graphs.columns import ColumnScheme, GraphColumns, column_distances, read_columns
from wassergraph.learners.gaussian import _minus_likelihood
from wassergraph.learners.matrices import DerivedMatrix
from wassergraph.tuning.candidates import COLUMN_SHARES, Family, count_matrices, make_candidates

METRIC = {"depth": (0, 1), "kind": "categorical", "mass": "count"}
GAMMAS, ALPHAS = (0.03, 0.3), (1e-4, 1e-2)
SPECIMENS = Path(__file__).parents[1] / "specimens"
TRAIN, TEST = slice(0, 90), slice(90, 120)
NAMES = ["temperature", "noise"]


@pytest.fixture(scope="module")
def made():
    """Graphs, columns, and three targets: of the graph, of the first column, and of both."""
    graphs, _ = wg.datasets.make_demo(40)
    random = np.random.default_rng(2)
    columns = random.normal(size=(120, 2)) * (3.0, 0.5) + (20.0, 1.0)
    of_graph, of_column = np.log(graphs.sizes), np.sin(columns[:, 0] / 4)
    return graphs, columns, {"graph": of_graph, "column": of_column, "both": of_graph / of_graph.std() + 2 * of_column}


def new_regressor(**changes):
    return wg.GraphRegressor(wg.WWL(**METRIC), gamma=GAMMAS, alpha=ALPHAS, cv=3, **changes)


@pytest.fixture(scope="module")
def model(made):
    graphs, columns, targets = made
    frame = pd.DataFrame(columns[TRAIN], columns=NAMES)
    return new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=frame)


def slow_distances(graphs, columns, depth, weight):
    """Return D + w C of all graphs, with the columns scaled as those of the training graphs."""
    own = columns[TRAIN]
    scaled = np.clip((columns - own.mean(axis=0)) / own.std(axis=0), -5, 5)
    apart = np.sqrt(((scaled[:, None] - scaled[None]) ** 2).mean(axis=2))
    return wg.distances(graphs, metric=wg.WWL(**{**METRIC, "depth": depth})) + weight * apart


# Equal to slow and obvious versions


def test_a_regressor_is_ridge_regression_on_the_sum_of_distances(made, model):
    graphs, columns, targets = made
    chosen, y = model.best_params_, targets["both"][TRAIN]
    assert chosen["column_weight"] > 0
    kernel = np.exp(-chosen["gamma"] * slow_distances(graphs, columns, chosen["depth"], chosen["column_weight"]))
    coefficients = np.linalg.solve(kernel[TRAIN, TRAIN] + chosen["alpha"] * np.eye(90), y - y.mean())
    expected = y.mean() + kernel[TEST, TRAIN] @ coefficients
    found = model.predict(graphs[TEST], columns=columns[TEST])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    known = targets["both"][TEST]
    score = 1 - ((known - expected) ** 2).sum() / ((known - known.mean()) ** 2).sum()
    assert model.score(graphs[TEST], known, columns=columns[TEST]) == pytest.approx(score)


def test_the_weights_tried_are_shares_of_the_median_distance(made, model):
    graphs, columns, _ = made
    for depth in (0, 1):
        pairs = np.triu_indices(90, 1)
        distances = slow_distances(graphs, columns, depth, 0.0)[TRAIN, TRAIN][pairs]
        apart = slow_distances(graphs, columns, depth, 1.0)[TRAIN, TRAIN][pairs] - distances
        expected = [share * np.median(distances) / np.median(apart) for share in COLUMN_SHARES]
        tried = [each["column_weight"] for each in model.grid_scores_.grid.matrices if each["depth"] == depth]
        np.testing.assert_allclose(tried, expected, rtol=1e-5)


def test_a_classifier_is_a_support_vector_machine_on_the_sum_of_distances(made):
    graphs, columns, targets = made
    y = (targets["both"] > np.median(targets["both"])).astype(int)
    options = {"gamma": (0.03, 0.3), "C": (1.0, 10.0), "cv": 3, "class_weight": None}
    model = wg.GraphClassifier(wg.WWL(**METRIC), **options).fit(graphs[TRAIN], y[TRAIN], columns=columns[TRAIN])
    chosen = model.best_params_
    assert chosen["column_weight"] > 0
    kernel = np.exp(-chosen["gamma"] * slow_distances(graphs, columns, chosen["depth"], chosen["column_weight"]))
    expected = SVC(C=chosen["C"], kernel="precomputed", tol=1e-9).fit(kernel[TRAIN, TRAIN], y[TRAIN])
    decisions = model.decision_function(graphs[TEST], columns=columns[TEST])
    difference = decisions - expected.decision_function(kernel[TEST, TRAIN])
    np.testing.assert_allclose(difference, difference[0], atol=1e-4)  # the calibration may shift all of them
    assert model.predict_proba(graphs[TEST], columns=columns[TEST]).shape == (30, 2)
    predicted = model.predict(graphs[TEST], columns=columns[TEST])
    assert model.score(graphs[TEST], y[TEST], columns=columns[TEST]) == np.mean(predicted == y[TEST]) > 0.8
    np.testing.assert_array_equal(model.predictions(graphs[TEST], columns=columns[TEST]).classes, predicted)


class _Precomputed(StationaryKernelMixin, Kernel):
    """A kernel of scikit-learn whose inputs are positions in a matrix."""

    def __init__(self, matrix):
        self.matrix = matrix

    def __call__(self, X, Y=None, eval_gradient=False):  # noqa: N803 - scikit-learn's names
        rows, columns = np.ravel(X).astype(int), np.ravel(X if Y is None else Y).astype(int)
        return self.matrix[np.ix_(rows, columns)]

    def diag(self, X):  # noqa: N803
        return np.diag(self.matrix)[np.ravel(X).astype(int)]


def test_a_gaussian_process_is_that_of_scikit_learn_on_the_sum_of_distances(made):
    graphs, columns, targets = made
    y = targets["both"] + 0.1 * np.random.default_rng(0).normal(size=120)
    model = wg.GraphGaussianProcess(wg.WWL(**METRIC)).fit(graphs[TRAIN], y[TRAIN], columns=columns[TRAIN])
    chosen = model.best_params_
    covariance = model.signal_ * np.exp(
        -chosen["gamma"] * slow_distances(graphs, columns, chosen["depth"], chosen["column_weight"])
    )
    process = GaussianProcessRegressor(_Precomputed(covariance), alpha=model.noise_, optimizer=None)
    mean = y[TRAIN].mean()
    process.fit(np.arange(90)[:, None], y[TRAIN] - mean)
    expected, deviation = process.predict(np.arange(90, 120)[:, None], return_std=True)
    found, found_deviation = model.predict(graphs[TEST], return_std=True, columns=columns[TEST])
    np.testing.assert_allclose(found, mean + expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found_deviation, np.sqrt(deviation**2 + model.noise_), rtol=1e-7)
    assert model.evidence_ == pytest.approx(process.log_marginal_likelihood_value_, rel=1e-8)


def test_the_weight_of_a_process_is_the_most_likely_one(made):
    graphs, columns, targets = made
    y = targets["both"][TRAIN] + 0.1 * np.random.default_rng(0).normal(size=90)
    model = wg.GraphGaussianProcess(wg.WWL(**METRIC)).fit(graphs[TRAIN], y, columns=columns[TRAIN])
    chosen, ratio = model.best_params_, model.noise_ / model.signal_
    distances = slow_distances(graphs, columns, chosen["depth"], 0.0)[TRAIN, TRAIN]
    apart = slow_distances(graphs, columns, chosen["depth"], 1.0)[TRAIN, TRAIN] - distances

    def likelihood(factor_of_gamma, factor_of_weight):
        logs = np.log([chosen["gamma"] * factor_of_gamma, ratio, chosen["column_weight"] * factor_of_weight])
        return -_minus_likelihood(logs, distances, y - y.mean(), 1.0, apart)[0]

    assert likelihood(1, 1) == pytest.approx(model.evidence_, abs=1e-4)
    for one, other in ((1.1, 1), (1 / 1.1, 1), (1, 1.1), (1, 1 / 1.1), (1.1, 1 / 1.1), (1 / 1.1, 1.1)):
        assert likelihood(one, other) < model.evidence_ + 1e-3


def test_the_gradient_by_the_weight(made):
    graphs, columns, targets = made
    arguments = (slow_distances(graphs, columns, 1, 0.0), targets["both"] - 1.0, 1.0)
    arguments += (slow_distances(graphs, columns, 1, 1.0) - arguments[0],)
    for logs in ([-2.0, -1.0, 0.5], [-4.0, -3.0, -1.0]):
        _, gradient = _minus_likelihood(np.array(logs), *arguments)
        numeric = approx_fprime(np.array(logs), lambda at, *rest: _minus_likelihood(at, *rest)[0], 1e-6, *arguments)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)


def test_parts_of_a_matrix_have_the_term():
    random = np.random.default_rng(0)
    distances, apart = random.random((9, 9)), random.random((9, 9))
    matrix = DerivedMatrix(distances, np.zeros(9), 0.0, 2.0, False, apart, 0.7)
    expected, rows, others = (distances + 0.7 * apart) ** 2, np.array([4, 1]), np.array([0, 8, 3])
    np.testing.assert_allclose(np.asarray(matrix), expected)
    np.testing.assert_allclose(matrix[np.ix_(rows, others)], expected[np.ix_(rows, others)])
    np.testing.assert_allclose(np.asarray(matrix.take(rows)), expected[np.ix_(rows, rows)])


@pytest.mark.parametrize(("sizes", "n_simple"), [((0.0,), 16), ((0.0, 0.3), 8)])
def test_columns_need_no_lead_to_be_chosen(made, sizes, n_simple):
    graphs, columns, _ = made
    way = Family(wg.WWL(kind="categorical").learn(graphs), {}, (0, 1), sizes, True).beside_columns(learned=False)
    stack = np.random.default_rng(0).random((2, 120, 120)) + 1.0
    found = make_candidates([way, way], [stack, stack], graphs, columns=column_distances(columns))
    counts = count_matrices([way, way])
    assert (counts.matrices, counts.stored, counts.simple) == (16 * len(sizes), 4, n_simple)
    assert (len(found.matrices), found.n_simple) == (counts.matrices, n_simple)
    assert all(origin.size_share == 0 for origin in found.origins[: n_simple // 2])
    assert len(set(found.origins)) == counts.matrices
    assert [each["column_weight"] == 0 for each in found.parameters] == [o.column_share == 0 for o in found.origins]


def test_distances_of_columns_make_definite_kernels():
    scaled = np.random.default_rng(0).normal(size=(40, 3))
    for gamma in (0.1, 1.0, 10.0):
        assert np.linalg.eigvalsh(np.exp(-gamma * column_distances(scaled))).min() > -1e-10


# Made data


@pytest.mark.parametrize("new", [new_regressor, lambda: wg.GraphGaussianProcess(wg.WWL(**{**METRIC, "depth": 0}))])
def test_columns_help_where_they_must_and_do_no_harm_elsewhere(made, new):
    graphs, columns, targets = made
    scores = {}
    for name, y in targets.items():
        plain = new().fit(graphs[TRAIN], y[TRAIN])
        beside = new().fit(graphs[TRAIN], y[TRAIN], columns=columns[TRAIN])
        noise = new().fit(graphs[TRAIN], y[TRAIN], columns=columns[TRAIN, 1])
        scores[name] = (
            plain.score(graphs[TEST], y[TEST]),
            beside.score(graphs[TEST], y[TEST], columns=columns[TEST]),
            noise.score(graphs[TEST], y[TEST], columns=columns[TEST, 1]),
        )
    assert scores["column"][0] < 0.1
    assert scores["column"][1] > 0.7
    assert scores["both"][1] > scores["both"][0] + 0.4
    assert scores["both"][1] > 0.8
    assert scores["graph"][0] > 0.9
    assert min(scores["graph"]) > scores["graph"][0] - 0.05
    assert scores["both"][2] > scores["both"][0] - 0.15


def test_columns_that_are_noise_get_the_weight_0(made):
    graphs, columns, targets = made
    model = new_regressor().fit(graphs[TRAIN], targets["graph"][TRAIN], columns=columns[TRAIN])
    assert model.best_params_["column_weight"] == 0
    with pytest.raises(InputError, match="the model was trained with 2 columns, but there are none"):
        model.predict(graphs[TEST])
    plain = new_regressor().fit(graphs[TRAIN], targets["graph"][TRAIN])
    np.testing.assert_array_equal(model.predict(graphs[TEST], columns=columns[TEST]), plain.predict(graphs[TEST]))


# Neighbors, equal graphs, explanations, files


def test_neighbors_are_near_in_columns_too(made, model):
    graphs, columns, _ = made
    chosen = model.best_params_
    distances = slow_distances(graphs, columns, chosen["depth"], chosen["column_weight"])[TEST, TRAIN]
    found = model.neighbors(graphs[TEST], columns=columns[TEST])
    np.testing.assert_allclose(found.distances, distances.min(axis=1), rtol=1e-9)
    np.testing.assert_array_equal(found.positions, distances.argmin(axis=1))
    predicted = model.predictions(graphs[TEST], columns=columns[TEST])
    np.testing.assert_array_equal(predicted.neighbors.positions, found.positions)
    np.testing.assert_array_equal(predicted.neighbors.inside, found.inside)


def test_equal_graphs_with_other_columns_are_not_equal():
    smiles = ["CCO", "OCC", "CCO", "CCN", "NCC", "CCCC"] * 4
    columns = np.array([0.0, 1.0, 0.0, 2.0, 3.0, 1.0] * 4)
    metric = wg.WWL(depth=1, kind="categorical")
    model = wg.GraphRegressor(metric, gamma=1.0, alpha=0.1, calibration=0, cv=2).fit(smiles, columns, columns=columns)
    assert model.best_params_["column_weight"] > 0
    groups = [sorted({columns[k] for k in group}) for group in model._training.equal]
    assert all(len(values) == 1 for values in groups)
    assert len(groups) == 5
    found = model.neighbors(["OCC", "OCC"], columns=[1.0, 5.0])
    assert found.distances[0] == 0
    assert found.distances[1] > 0


@pytest.mark.parametrize("own", [new_regressor, lambda: wg.GraphGaussianProcess(wg.WWL(**METRIC))])
def test_scores_of_nodes_and_columns_sum_to_the_prediction(made, own):
    graphs, columns, targets = made
    model = own().fit(graphs[TRAIN], targets["both"][TRAIN], columns=pd.DataFrame(columns[TRAIN], columns=NAMES))
    found = model.explain(graphs[95], columns=columns[95:96])
    assert found.value == pytest.approx(model.predict(graphs[95], columns=columns[95:96])[0])
    assert found.node_scores.sum() + found.column_scores.sum() == pytest.approx(found.value)
    assert found.base + found.contributions.sum() == pytest.approx(found.value)
    assert found.column_names == tuple(NAMES)
    assert 0 < found.column_share < 1
    assert "Columns are" in str(found)
    assert "temperature" in str(found)
    assert "temperature" in found._repr_html_()
    assert found.to_dict()["columns"] == dict(zip(NAMES, found.column_scores.tolist(), strict=True))


def test_the_decision_of_a_classifier_is_explained(made):
    graphs, columns, targets = made
    y = np.where(targets["column"] > 0, "warm", "cold")
    model = wg.GraphClassifier(wg.WWL(**METRIC), gamma=0.1, C=10.0, cv=3).fit(
        graphs[TRAIN], y[TRAIN], columns=columns[TRAIN]
    )
    found = model.explain(graphs[100], columns=columns[100:101], classes=["warm", "cold"])
    decision = model.decision_function(graphs[100], columns=columns[100:101])[0]
    assert found.node_scores.sum() + found.column_scores.sum() == pytest.approx(decision)
    assert found.column_share > 0.1


def test_without_columns_explanations_have_none(made):
    graphs, _, targets = made
    found = new_regressor().fit(graphs[TRAIN], targets["graph"][TRAIN]).explain(graphs[100])
    assert found.column_names == ()
    assert "columns" not in found.to_dict()
    assert "olumn" not in str(found)


def test_files_keep_columns(made, model, tmp_path):
    graphs, columns, _ = made
    model.save(tmp_path / "model.wgm")
    loaded = wg.load_model(tmp_path / "model.wgm")
    for name in ("predict", "predict_interval"):
        found, expected = (getattr(each, name)(graphs[TEST], columns=columns[TEST]) for each in (loaded, model))
        np.testing.assert_array_equal(found, expected)
    one, other = (each.neighbors(graphs[TEST], columns=columns[TEST]) for each in (loaded, model))
    np.testing.assert_array_equal(one.percentiles, other.percentiles)
    assert loaded.best_params_ == model.best_params_
    assert loaded.columns_.names == tuple(NAMES)
    with pytest.raises(InputError, match="'noise'"):
        loaded.predict(graphs[TEST], columns={"temperature": columns[TEST, 0]})


@pytest.mark.parametrize("path", sorted(SPECIMENS.glob("columns-*.wgm")), ids=lambda path: path.stem)
def test_specimens_with_columns_load_and_predict_as_they_did(path):
    model, expected = wg.load_model(path), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    positions = np.arange(15, 24)
    columns = {"temperature": np.where(positions % 5, np.cos(positions), math.nan), "pH": np.sin(positions)}
    with pytest.warns(ImputedDataWarning):
        found = model.predict(wg.datasets.make_demo(8)[0][15:], columns=columns)
    np.testing.assert_allclose(found, expected["numbers"], rtol=1e-9)
    assert model.best_params_ == expected["best_params"]
    assert model.best_params_["column_weight"] > 0
    assert model.columns_.impute == "median"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, arrays: header.update(columns=None), "columns have a weight, but there are none"),
        (lambda header, arrays: header["columns"].update(names=["one"]), "their names are"),
        (lambda header, arrays: header["columns"].update(impute="mean"), "it is not said how columns are read"),
        (lambda header, arrays: header["columns"].update(computed=[False]), "their names are"),
        (lambda header, arrays: arrays["arrays/column_scale"].fill(-1.0), "a scale of columns is negative"),
        (lambda header, arrays: arrays.update({"arrays/column_values": np.ones((90, 1))}), "column_values should be"),
        (lambda header, arrays: arrays["arrays/column_center"].fill(np.nan), "column_center should be"),
        (lambda header, arrays: header["best_params"].update(column_weight=-1.0), "column_weight is -1.0"),
    ],
)
def test_damaged_files(model, change, message):
    state = model.to_state()
    header = json.loads(json.dumps(state.header))
    arrays = {name: array.copy() for name, array in state.arrays.items()}
    change(header, arrays)
    with pytest.raises(ValueError, match=message):
        wg.GraphRegressor.from_state(type(state)(header, arrays))


def test_a_wide_search_on_a_sample_chooses_the_weight(made):
    random = np.random.default_rng(0)
    graphs, _ = wg.datasets.make_demo(300)
    columns = random.normal(size=(900, 1))
    y = (columns[:, 0] + 0.1 * random.normal(size=900) > 0).astype(int)
    model = wg.GraphClassifier(wg.WWL(kind="categorical"), cv=2).fit(graphs[:850], y[:850], columns=columns[:850])
    assert model.screening_["graphs"] == 500
    assert model.best_params_["column_weight"] > 0
    assert model.score(graphs[850:], y[850:], columns=columns[850:]) > 0.85


# What is passed


def test_columns_are_found_by_name(made, model):
    graphs, columns, _ = made
    expected = model.predict(graphs[TEST], columns=columns[TEST])
    frame = pd.DataFrame(columns[TEST], columns=NAMES)
    others = [frame[NAMES[::-1]], {"noise": columns[TEST, 1], "temperature": columns[TEST, 0].tolist()}]
    others += [
        GraphColumns(columns[TEST], tuple(NAMES), np.zeros(2, dtype=np.bool_)),
        frame.astype(object),
        frame.convert_dtypes(),
    ]
    for given in others:
        np.testing.assert_array_equal(model.predict(graphs[TEST], columns=given), expected)


def test_polars_frames():
    polars = pytest.importorskip("polars")
    found = read_columns(polars.DataFrame({"a": [1, 2], "b": [0.5, None]}), 2)
    assert found.names == ("a", "b")
    np.testing.assert_array_equal(found.values, [[1, 0.5], [2, math.nan]])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, r"the model was trained with 2 columns \('temperature', 'noise'\), but there are none; pass those"),
        (np.ones((1, 3)), r"there are 3 columns, but the model was trained with 2 columns \('temperature', 'noise'\)"),
        ({"temperature": [1.0]}, "the model was trained with the column 'noise', which columns lacks; add"),
        (
            {"temperature": [1.0], "noise": [1.0], "pH": [7.0]},
            "the model was not trained with the column 'pH'; remove",
        ),
        ({"temperature": [1.0, 2.0], "noise": [1.0, 2.0]}, "there are? 1 graph, but columns has 2 rows"),
        ({"temperature": [math.nan], "noise": [1.0]}, "graph 0: the column 'temperature' has no value; fill it in"),
        ({"temperature": [math.inf], "noise": [1.0]}, "graph 0: the column 'temperature' is inf; correct it"),
        ({"temperature": ["warm"], "noise": [1.0]}, "graph 0: the column 'temperature' is 'warm', which is not"),
    ],
)
def test_wrong_columns_of_new_graphs(made, model, columns, message):
    graphs, *_ = made
    for method in (model.predict, model.neighbors, model.predict_interval, model.explain):
        with pytest.raises(InputError, match=message):
            method(graphs[0], columns=columns)


def test_columns_for_a_model_without(made):
    graphs, columns, targets = made
    plain = new_regressor().fit(graphs[TRAIN], targets["graph"][TRAIN])
    assert plain.columns_ is None
    with pytest.raises(InputError, match="the model was trained without columns, but columns are given"):
        plain.predict(graphs[TEST], columns=columns[TEST])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (np.ones((2, 2, 2)), "columns must have a row for each graph and a column for each number"),
        (np.ones((3, 2)), "there are 2 graphs, but columns has 3 rows"),
        ({}, "columns has no column"),
        ({"a": [1.0], "b": [1.0, 2.0]}, "columns has columns of different lengths"),
        (GraphColumns(np.ones((2, 2)), ("a", "a"), np.zeros(2, dtype=np.bool_)), "columns has two columns 'a'"),
        ([["1", 2], [3, 4]], "graph 0: the column 0 is '1', which is not a number"),
    ],
)
def test_wrong_columns(columns, message):
    with pytest.raises(InputError, match=message):
        read_columns(columns, 2)


def test_missing_cells_are_an_error_with_a_remedy(made):
    graphs, columns, targets = made
    holed = pd.DataFrame(columns[TRAIN], columns=NAMES)
    holed.iloc[3, 0] = math.nan
    with pytest.raises(InputError, match=r"graph 3: the column 'temperature' has no value; .* pass impute=\"median\""):
        new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=holed)
    with pytest.raises(InputError, match="impute must be one of"):
        new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=holed, impute="mean")
    with pytest.raises(InputError, match='impute="median" applies to columns, but there are none; leave it out'):
        new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], impute="median")


def test_medians_of_the_training_fill_in_missing_cells(made, tmp_path):
    graphs, columns, targets = made
    holed = columns[TRAIN].copy()
    holed[[3, 50], 0] = math.nan
    with pytest.warns(ImputedDataWarning, match="fill in 2 missing cells of columns, of 2 graphs"):
        model = new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=holed, impute="median")
    filled = np.where(np.isnan(holed), np.nanmedian(holed, axis=0), holed)
    expected = new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=filled)
    assert expected.best_params_ == model.best_params_
    new = columns[TEST].copy()
    new[0] = math.nan
    model.save(tmp_path / "model.wgm")
    for each in (model, wg.load_model(tmp_path / "model.wgm")):
        with pytest.warns(ImputedDataWarning, match="fill in 2 missing cells of columns, of 1 graph"):
            found = each.predict(graphs[TEST], columns=new)
        full = np.where(np.isnan(new), np.nanmedian(holed, axis=0), new)
        np.testing.assert_allclose(found, expected.predict(graphs[TEST], columns=full), rtol=1e-12)


def test_constant_columns_are_named_and_not_compared(made):
    graphs, columns, targets = made
    beside = pd.DataFrame({"temperature": columns[:, 0], "batch": 1.0})
    with pytest.warns(UserWarning, match="all training graphs have the same value: column 'batch'"):
        model = new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=beside[TRAIN])
    alone = new_regressor().fit(graphs[TRAIN], targets["both"][TRAIN], columns=beside[["temperature"]][TRAIN])
    beside["batch"] = 7.0
    found = model.predict(graphs[TEST], columns=beside[TEST])
    expected = alone.predict(graphs[TEST], columns=beside[["temperature"]][TEST])
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_only_constant_columns(made):
    graphs, _, targets = made
    with pytest.warns(UserWarning, match="same value"):
        model = new_regressor().fit(graphs[TRAIN], targets["graph"][TRAIN], columns=np.ones(90))
    assert model.best_params_["column_weight"] == 0
    assert len(model.grid_scores_.grid.matrices) == 2
    assert len(model.predict(graphs[TEST], columns=np.zeros(30))) == 30


def test_computed_columns_that_are_no_numbers_are_left_out():
    values = np.array([[1.0, np.inf, 3.0, 2.0], [2.0, 1.0, 3.0, np.nan], [4.0, 2.0, 3.0, 1.0]])
    computed = GraphColumns(values, tuple("abcd"), np.ones(4, dtype=np.bool_))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheme = ColumnScheme.learn(computed)
        assert scheme.used.tolist() == [True, False, False, False]
        assert scheme.scaled(computed).shape == (3, 1)
    new = GraphColumns(np.array([[np.nan, 1.0, 1.0, 1.0]]), computed.names, computed.computed)
    with pytest.warns(ImputedDataWarning, match="1 missing cell of columns, of 1 graph"):
        assert scheme.scaled(new)[0, 0] == pytest.approx((2.0 - 7 / 3) / np.std([1, 2, 4]))


def test_one_given_column_counts_as_much_as_many_computed_ones():
    random = np.random.default_rng(0)
    given, computed = random.normal(size=(50, 1)), random.normal(size=(50, 20))
    of_graphs = GraphColumns(computed, tuple(map(str, range(20))), np.ones(20, dtype=np.bool_))
    both = read_columns(pd.DataFrame(given, columns=["given"]), 50).beside(of_graphs)
    alone = [ColumnScheme.learn(each).scaled(each) for each in (read_columns(given, 50), read_columns(computed, 50))]
    expected = np.sqrt(np.mean([column_distances(each) ** 2 for each in alone], axis=0))
    np.testing.assert_allclose(column_distances(ColumnScheme.learn(both).scaled(both)), expected, atol=1e-12)


def test_single_values_far_away_are_limited():
    values = np.concatenate([np.random.default_rng(0).normal(size=200), [1e9]])[:, None]
    given = read_columns(values, 201)
    assert np.abs(ColumnScheme.learn(given).scaled(given)).max() == 5
