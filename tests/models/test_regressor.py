"""Regression of numbers: equal to scikit-learn's, with intervals that keep their promise."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from scipy.stats import betabinom
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import wassergraph as wg
from made_metrics import model_options, plain_parameters, with_metric
from wassergraph.evaluation.trial import EFFORT
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners.ridge import RidgeLearner, fit_ridge
from wassergraph.models.training_graphs import find_neighbors, nearest_distances
from wassergraph.scores.conformal import conformal_radius
from wassergraph.scores.numbers import read_numbers
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.selection import score_grid

SMALL = {"depth": (0, 1), "gamma": (0.1, 1.0), "alpha": (0.01, 0.1), "mass": "count", "kind": "categorical"}


@pytest.fixture(scope="module")
def numbers():
    graphs, classes = wg.load_dataset("demo")
    random = np.random.default_rng(0)
    return graphs, np.log(graphs.sizes) + 0.3 * classes + 0.05 * random.normal(size=len(graphs))


@pytest.fixture(scope="module")
def model(numbers):
    graphs, y = numbers
    return wg.GraphRegressor(**model_options(**SMALL)).fit(graphs[:45], y[:45], names=[f"g{n}" for n in range(45)])


# The model


def test_ridge_is_that_of_scikit_learn(numbers):
    graphs, y = numbers
    kernel = laplacian_kernel(wg.distances(graphs, metric=wg.WWL(kind="categorical")), 1.0)
    for alpha in (1e-3, 1.0):
        ridge = fit_ridge(kernel[:40, :40], y[:40], alpha)
        expected = KernelRidge(alpha=alpha, kernel="precomputed").fit(kernel[:40, :40], y[:40] - y[:40].mean())
        np.testing.assert_allclose(ridge.coefficients, expected.dual_coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(
            ridge.predict(kernel[40:, :40]), y[:40].mean() + expected.predict(kernel[40:, :40]), rtol=1e-6
        )


def test_search_is_that_of_scikit_learn(numbers):
    """Centered in every fold, kernel ridge regression of scikit-learn has the same scores."""
    graphs, y = numbers
    distances = wg.distances(graphs, metric=wg.WWL(depth=[0, 2], kind="categorical"))
    folds = list(KFold(4, shuffle=True, random_state=1).split(y))
    alphas = (1.0, 0.1, 0.01)
    grid = Grid.of_depths((0, 2), (0.1, 1.0), tuple(0.5 / alpha for alpha in alphas))
    scores = score_grid(distances, y, folds, grid, RidgeLearner()).score
    for m, matrix in enumerate(distances):
        for g, gamma in enumerate(grid.gammas):
            kernel = laplacian_kernel(matrix, gamma)
            for fold, (train, test) in enumerate(folds):
                mean = y[train].mean()
                search = GridSearchCV(
                    KernelRidge(kernel="precomputed"),
                    {"alpha": alphas},
                    scoring="neg_mean_squared_error",
                    cv=[(train, test)],
                    refit=False,
                ).fit(kernel, y - mean)
                np.testing.assert_allclose(scores[m, g, :, fold], search.cv_results_["mean_test_score"], rtol=1e-6)


def test_an_indefinite_kernel_is_flipped():
    kernel = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.5], [0.0, 0.5, 1.0]])
    eigenvalues, vectors = np.linalg.eigh(kernel)
    assert eigenvalues[0] < -0.5
    absolute, signs = vectors * np.abs(eigenvalues) @ vectors.T, vectors * np.sign(eigenvalues) @ vectors.T
    y, row = np.array([1.0, 2.0, 6.0]), np.array([[0.3, -0.2, 0.9]])
    expected = 3.0 + row @ signs @ np.linalg.solve(absolute + 0.1 * np.eye(3), y - 3.0)
    np.testing.assert_allclose(fit_ridge(kernel, y, 0.1).predict(row), expected)


def test_parameters_are_chosen_without_the_calibration_set(numbers, model):
    graphs, y = numbers
    assert set(model.best_params_) == {"depth", "gamma", "alpha"}
    assert len(model.calibration_errors_) == 9
    assert np.count_nonzero(model.interval_coef_ == 0) == 9
    changed = y[:45].copy()
    changed[model.interval_coef_ == 0] += 100.0
    other = wg.GraphRegressor(**model_options(**SMALL)).fit(graphs[:45], changed)
    assert other.best_params_ == model.best_params_
    np.testing.assert_array_equal(other.interval_coef_, model.interval_coef_)
    assert other.calibration_errors_.min() > 90


def test_it_is_the_sum_of_its_parts(numbers, model):
    graphs, y = numbers
    chosen = model.best_params_
    options = {"depth": chosen["depth"], "kind": "categorical", "mass": "count"}
    distances = wg.distances(graphs, **with_metric(**options))
    kernel = laplacian_kernel(distances, chosen["gamma"])
    expected = fit_ridge(kernel[:45, :45], y[:45], chosen["alpha"]).predict(kernel[45:, :45])
    np.testing.assert_allclose(model.predict(graphs[45:]), expected, rtol=1e-9)
    assert model.score(graphs[45:], y[45:]) > 0.5
    assert model.baseline_score_ == pytest.approx(-np.var(y[:45]))
    assert model.trained_on() == "45 graphs with node labels, numbers"
    assert len(cross_val_score(wg.GraphRegressor(**model_options(**SMALL)), graphs, y, cv=3)) == 3


def test_molecules_choose_their_mass():
    smiles = ["C" * n + "O" for n in range(1, 16)]
    model = wg.GraphRegressor(wg.WWL(depth=1), gamma=(0.01, 0.1), alpha=0.01).fit(smiles, np.arange(15.0))
    assert model.best_params_["mass"] == "count"
    assert model.predict(["C" * 7 + "O"])[0] == pytest.approx(6.0, abs=0.5)


# Intervals


def test_the_radius_of_intervals():
    errors = np.arange(1.0, 20.0)
    assert conformal_radius(errors, 0.9) == 18.0
    assert conformal_radius(errors, 0.95) == 19.0
    assert conformal_radius(errors, 0.05) == 1.0
    with pytest.raises(ValueError, match=r"intervals of the level 0.99 need 99 graphs .*, but there were 19"):
        conformal_radius(errors, 0.99)
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 90"):
        conformal_radius(errors, 90)


def split_conformal(kernel, y, train, held_out, test, *, alpha, level):
    """Compute the intervals of test graphs, centered at a model of training graphs, with errors of others as radius."""
    ridge = fit_ridge(kernel[np.ix_(train, train)], y[train], alpha)
    errors = np.sort(np.abs(ridge.predict(kernel[np.ix_(held_out, train)]) - y[held_out]))
    centers, radius = ridge.predict(kernel[np.ix_(test, train)]), conformal_radius(errors, level)
    return np.column_stack([centers - radius, centers + radius])


@pytest.mark.parametrize(("level", "n_held_out"), [(0.8, 19), (0.9, 15), (0.9, 20), (0.5, 10)])
def test_intervals_contain_what_they_promise(numbers, level, n_held_out):
    """Over 200 random splits, the mean coverage is at least the level, and at most 1 / (n + 1) larger.

    In a random split, the errors of the n calibration graphs and the m test graphs are in random order. The radius is
    the k-th smallest calibration error, so the number of test graphs inside has the beta-binomial distribution of m, k
    and n + 1 - k, whatever the model is. This gives the standard error of the mean; four of them are allowed.
    """
    graphs, y = numbers
    kernel = laplacian_kernel(wg.distances(graphs, metric=wg.WWL(depth=1, kind="categorical", mass="count")), 0.1)
    inside = []
    for seed in range(200):
        held_out, test, train = np.split(np.random.default_rng(seed).permutation(60), [n_held_out, n_held_out + 15])
        lower, upper = split_conformal(kernel, y, train, held_out, test, alpha=0.01, level=level).T
        inside.append(np.mean((lower <= y[test]) & (y[test] <= upper)))
    k = math.ceil(level * (n_held_out + 1))
    error = betabinom.std(15, k, n_held_out + 1 - k) / 15 / math.sqrt(200)
    assert level - 4 * error <= np.mean(inside) <= level + 1 / (n_held_out + 1) + 4 * error
    assert abs(np.mean(inside) - k / (n_held_out + 1)) <= 4 * error


def test_intervals_of_the_model_are_split_conformal(numbers, model):
    graphs, y = numbers
    chosen = model.best_params_
    distances = wg.distances(graphs, metric=wg.WWL(depth=chosen["depth"], kind="categorical", mass="count"))
    train, held_out = np.flatnonzero(model.interval_coef_), np.flatnonzero(model.interval_coef_ == 0)
    assert (len(train), len(held_out)) == (36, 9)
    for level in (0.5, 0.8, 0.9):
        expected = split_conformal(
            laplacian_kernel(distances, chosen["gamma"]),
            y,
            train,
            held_out,
            np.arange(45, 60),
            alpha=chosen["alpha"],
            level=level,
        )
        np.testing.assert_allclose(model.predict_interval(graphs[45:], level), expected, rtol=1e-6)


def test_intervals_of_the_model(numbers, model):
    graphs, y = numbers
    intervals = model.predict_interval(graphs[45:], level=0.8)
    np.testing.assert_allclose(np.diff(intervals, axis=1), 2 * model.calibration_errors_[7])
    everything = model.predictions(graphs[45:], level=0.8)
    np.testing.assert_array_equal(everything.numbers, model.predict(graphs[45:]))
    np.testing.assert_array_equal(np.column_stack([everything.lower, everything.upper]), intervals)
    with pytest.raises(ValueError, match="need 19 graphs for calibration, but there were 9"):
        model.predict_interval(graphs[45:], level=0.95)
    assert model.predictions(graphs[45:], level=0.95).lower is None
    without = wg.GraphRegressor(**model_options(calibration=0, **SMALL)).fit(graphs[:45], y[:45])
    with pytest.raises(ValueError, match=r"trained without a calibration set.*calibration=0.2"):
        without.predict_interval(graphs[45:])


# The domain


def test_neighbors_are_the_nearest_training_graphs(numbers, model):
    graphs, _ = numbers
    distances = wg.distances(graphs, metric=wg.WWL(depth=model.best_params_["depth"], kind="categorical", mass="count"))
    found = model.neighbors(graphs[45:])
    np.testing.assert_array_equal(found.positions, distances[45:, :45].argmin(axis=1))
    np.testing.assert_allclose(found.distances, distances[45:, :45].min(axis=1))
    among = distances[:45, :45] + np.diag(np.full(45, np.inf))
    np.testing.assert_allclose(model.nearest_, np.sort(among.min(axis=1)))
    for position, percentile in zip(range(45, 60), found.percentiles, strict=True):
        assert percentile == pytest.approx(100 * np.mean(among.min(axis=1) < distances[position, :45].min() - 1e-12))
    assert (model.neighbors(graphs[:45]).distances == 0).all()
    assert model.neighbors(graphs[:45]).inside.all()


def test_new_graphs_unlike_all_others_are_outside_the_domain():
    nearest = nearest_distances(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]]))
    assert nearest.tolist() == [1.0, 1.0, 2.0]
    found = find_neighbors(np.array([[9.0, 8.0, 7.0], [0.0, 3.0, 3.0]]), nearest)
    assert (found.positions.tolist(), found.inside.tolist()) == ([2, 0], [False, True])
    hundred = np.arange(100.0)  # 95 of 100 are nearer than 95, and 96 than 95.5
    assert find_neighbors(np.array([[95.0], [95.5]]), hundred).inside.tolist() == [True, False]


def test_a_model_of_molecules_says_that_proteins_are_outside_its_domain(data_home):
    alcohols, rings = ["C" * n + "O" for n in range(1, 11)], ["C" * n + "c1ccccc1" for n in range(1, 11)]
    model = wg.GraphClassifier(
        wg.WWL(depth=1, kind="categorical", edge_labels="ignore", mass="share"), gamma=1.0, C=10.0
    )
    model.fit(alcohols + rings, np.repeat([0, 1], 10))
    proteins, _ = wg.load_dataset("ENZYMES", data_home=data_home)
    assert not model.neighbors(proteins).inside.any()
    assert model.neighbors(alcohols[2:8]).inside.all()


# Files


def test_a_model_comes_back_as_it_was(numbers, model, tmp_path):
    graphs, _ = numbers
    model.save(tmp_path / "m.wgm")
    loaded = wg.load_model(tmp_path / "m.wgm")
    assert isinstance(loaded, wg.GraphRegressor)
    np.testing.assert_array_equal(loaded.predict(graphs), model.predict(graphs))
    np.testing.assert_array_equal(loaded.predict_interval(graphs, 0.8), model.predict_interval(graphs, 0.8))
    for one, other in zip(loaded.neighbors(graphs), model.neighbors(graphs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert loaded.best_params_ == model.best_params_
    assert loaded.cv_results_["params"] == model.cv_results_["params"]
    assert loaded.names_.tolist() == [f"g{n}" for n in range(45)]
    assert plain_parameters(loaded) == plain_parameters(model)


# Bad input


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0] * 60, "all graphs have the number 1; pass numbers that differ"),
        ([*range(59), np.inf], "graph 59: y is inf; correct it, or leave the graph out"),
        ([*range(59), 10**400], "graph 59: y is inf; correct it"),
        ([math.nan, *range(59)], "graph 0: y is nan; correct it"),
        ([*range(59), "a lot"], "graph 59: y is 'a lot', which is not a number; convert y to numbers, or leave"),
        (["1.5", *range(59)], "graph 0: y is '1.5', which is not a number; convert y to numbers"),
        (np.array(["1.5", "2.5"] * 30), "graph 0: y is '1.5', which is not a number"),
        ([*range(59), None], "graph 59: y is None, which is not a number; correct it"),
        ([*range(59), 1 + 2j], r"graph 59: y is \(1\+2j\), which is not a number; correct it"),
        (np.arange(60) + 0j, "graph 0: y is 0j, which is not a number"),
        ([0.5, True, *range(58)], "graph 1: y is True, which is a truth value; learn classes with GraphClassifier, or"),
        (np.arange(60) > 30, "graph 0: y is False, which is a truth value"),
        ([*range(59), [1, 2]], r"graph 59: y is \[1, 2\], which is not a number"),
        (list(range(59)), "there are 60 graphs, but 59 numbers in y; pass one number for each graph"),
        ([1.5], "there are 60 graphs, but 1 number in y"),
        (7.5, "there are 60 graphs, but 1 number in y"),
        (None, "y is None; pass the number of every graph"),
    ],
)
@pytest.mark.parametrize("kind", [wg.GraphRegressor, wg.GraphGaussianProcess])
def test_bad_numbers(numbers, kind, y, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(numbers[0], y)


def test_columns_of_tables_are_numbers(numbers):
    pandas = pytest.importorskip("pandas")
    y = numbers[1]
    backwards = pandas.DataFrame({"a": y, "b": y > 1}, index=range(59, -1, -1))
    for values in (backwards["a"], backwards[["a"]], backwards["a"].astype("Float64"), y[:, None], list(y[:, None])):
        np.testing.assert_array_equal(read_numbers(values, 60), y)
    with pytest.raises(ValueError, match=r"y has 2 columns, .* such as numpy.asarray\(y\)\[:, 0\]"):
        read_numbers(backwards, 60)
    with pytest.raises(ValueError, match=r"graph \d+: y is True, which is a truth value"):
        read_numbers(pandas.Series([True] * 60), 60)
    with pytest.raises(ValueError, match=r"graph 2: y is (<NA>|nan)"):
        read_numbers(pandas.Series([1.5, 2, None], dtype="Float64"), 3)
    with pytest.raises(ValueError, match="graph 2: y is 'x', which is not a number"):
        read_numbers(pandas.Series([1.5, 2, "x"]), 3)


@pytest.mark.parametrize("numbers", [[Decimal("0.5"), Fraction(3, 2)], (np.float32(0.5), np.int8(1)), range(2)])
def test_other_types_of_numbers(numbers):
    assert read_numbers(numbers, 2).tolist() == [float(number) for number in numbers]


def test_numbers_of_networkx_graphs():
    graphs = [make(n) for n in range(4, 20) for make in (nx.path_graph, nx.cycle_graph)]
    y = [0.5 * graph.number_of_nodes() + graph.number_of_edges() for graph in graphs]
    for model in (wg.GraphRegressor(**model_options(**SMALL)), wg.GraphGaussianProcess(wg.WWL(depth=1, mass="count"))):
        model.fit(graphs[:8] + graphs[12:], y[:8] + y[12:])
        assert model.predict(graphs[8:12]).shape == (4,)
        assert model.score(graphs[8:12], y[8:12]) > 0.8


def test_bad_options(numbers):
    graphs, y = numbers
    with pytest.raises(ValueError, match="there is one graph to learn from; pass two or more"):
        wg.GraphRegressor(**model_options(**SMALL)).fit(graphs[:1], y[:1])
    with pytest.raises(ValueError, match="calibration must be at least 0 and below 1, got 1"):
        wg.GraphRegressor(**model_options(calibration=1, **SMALL)).fit(graphs, y)
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        wg.GraphRegressor(**model_options(**{**SMALL, "alpha": 0})).fit(graphs, y)
    with pytest.raises(ValueError, match="cv must be from 2 to 48, the number of graphs, got 99"):
        wg.GraphRegressor(**model_options(cv=99, **SMALL)).fit(graphs, y)


def test_small_numbers_are_chosen_and_ranked_as_large_ones(numbers):
    """Mean squared errors of numbers near 1e-9 are near 1e-18, but no more equal than others."""
    graphs, y = numbers
    models = [wg.GraphRegressor(**model_options(**SMALL)).fit(graphs, scale * y) for scale in (1.0, 1e-9)]
    assert models[0].best_params_ == models[1].best_params_
    ranks = [model.cv_results_["rank_test_score"].tolist() for model in models]
    assert ranks[0] == ranks[1]
    assert len(set(ranks[0])) > 1


def test_a_penalty_that_is_too_small_is_named(numbers):
    _, y = numbers
    alike = np.ones((1, 60, 60))  # all graphs are alike, and their kernel has the rank 1
    grid = Grid(({"depth": 0},), None, (0.5e300,), penalty=True)
    scores = score_grid(alike, y, list(KFold(3).split(y)), grid, RidgeLearner(krein=False), effort=EFFORT)
    with pytest.raises(RuntimeError, match="no candidate converged; use a larger alpha"):
        scores.best()


def test_given_folds_are_positions_among_all_graphs(numbers):
    graphs, y = numbers
    splits = list(KFold(3, shuffle=True, random_state=5).split(y))
    model = wg.GraphRegressor(**model_options(**{**SMALL, "cv": splits})).fit(graphs, y)
    proper = np.flatnonzero(model.interval_coef_)
    distances = wg.distances(graphs, metric=wg.WWL(depth=[0, 1], kind="categorical", mass="count"))
    folds = [(np.intersect1d(train, proper), np.intersect1d(test, proper)) for train, test in splits]
    expected = score_grid(distances, y, folds, model.grid_scores_.grid, RidgeLearner(krein=False)).score
    np.testing.assert_allclose(model.grid_scores_.score, expected, rtol=1e-9)
