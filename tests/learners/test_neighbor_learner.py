"""Nearest neighbors in evaluations: loops of scikit-learn, ties, probabilities and errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import wassergraph as wg
from command_line import run
from made_metrics import evaluate
from wassergraph.learners.neighbors import NeighborClassifier, NeighborRegressor, nearest_graphs
from wassergraph.learners.protocol import Choice, FitOptions, KernelBlock
from wassergraph.tuning.grid import NEIGHBORS

DEPTHS = (0, 1, 2)


@pytest.fixture(scope="module")
def demo():
    """Graphs whose distances are all different, so that it does not matter how equal ones are ordered."""
    graphs, y = wg.load_dataset("demo")
    return graphs, y, wg.distances(graphs, metric=wg.WWL(depth=DEPTHS, kind="continuous", standardize=True))


def searched(model, stack, y, train, inner, scoring):
    """Return the best depth, the best k and the fitted model, found by a loop over depths and scikit-learn's grid."""
    best = None
    for depth, matrix in zip(DEPTHS, stack, strict=True):
        search = GridSearchCV(model, {"n_neighbors": NEIGHBORS}, scoring=scoring, cv=inner)
        search.fit(matrix[np.ix_(train, train)], y[train])
        if best is None or search.best_score_ > best[0] + 1e-12:
            best = search.best_score_, depth, search
    return best[1], best[2].best_params_["n_neighbors"], best[2]


@pytest.mark.parametrize("seed", [0, 3])
def test_classes_are_those_of_scikit_learn(demo, seed):
    """Two classes and odd numbers of neighbors: there are no equal votes, which scikit-learn decides otherwise."""
    graphs, classes, stack = demo
    y = (classes > 0).astype(int)
    report = evaluate(graphs, y, method="wwl+knn", depth=DEPTHS, folds=4, inner_folds=3, random_state=seed)
    row, repetition = report.rows["wwl+knn"], report.rows["wwl+knn"].repetitions[0]
    for fold, (train, test) in enumerate(StratifiedKFold(4, shuffle=True, random_state=seed).split(stack[0], y)):
        inner = StratifiedKFold(3, shuffle=True, random_state=seed)
        model = KNeighborsClassifier(metric="precomputed")
        depth, k, fitted = searched(model, stack, y, train, inner, "accuracy")
        assert row.parameters[0][fold] == {"depth": depth, "k": k}
        rows = stack[depth][np.ix_(test, train)]
        np.testing.assert_array_equal(repetition.predictions[test], fitted.predict(rows))
        shares = fitted.predict_proba(rows)
        np.testing.assert_allclose(repetition.decisions[test, 0], shares[:, 1] - shares[:, 0], atol=1e-12)
    assert len({chosen["k"] for chosen in row.parameters[0]}) > 1


@pytest.mark.parametrize("seed", [0, 3])
def test_numbers_are_those_of_scikit_learn(demo, seed):
    graphs, classes, stack = demo
    y = np.log(graphs.sizes) + 0.3 * classes
    report = evaluate(graphs, y, method="wwl+knn", depth=DEPTHS, folds=4, inner_folds=3, random_state=seed)
    row, repetition = report.rows["wwl+knn"], report.rows["wwl+knn"].repetitions[0]
    for fold, (train, test) in enumerate(KFold(4, shuffle=True, random_state=seed).split(stack[0])):
        inner = KFold(3, shuffle=True, random_state=seed)
        model = KNeighborsRegressor(metric="precomputed")
        depth, k, fitted = searched(model, stack, y, train, inner, "neg_mean_squared_error")
        assert row.parameters[0][fold] == {"depth": depth, "k": k}
        np.testing.assert_allclose(repetition.predictions[test], fitted.predict(stack[depth][np.ix_(test, train)]))


def test_all_metrics_of_three_classes(demo):
    graphs, y, stack = demo
    report = evaluate(graphs, y, method="wwl+knn", measures="all", depth=1, folds=3, inner_folds=2)
    row = report.rows["wwl+knn"]
    for fold, (train, test) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(stack[0], y)):
        model = KNeighborsClassifier(row.parameters[0][fold]["k"], metric="precomputed").fit(
            stack[1][np.ix_(train, train)], y[train]
        )
        shares = model.predict_proba(stack[1][np.ix_(test, train)])
        np.testing.assert_allclose(row.repetitions[0].decisions[test], shares, atol=1e-12)
        present = np.clip(shares[np.arange(len(test)), y[test]], np.finfo(float).eps, 1)
        assert row.values("log_loss")[0, fold] == pytest.approx(-np.log(present).mean())
    assert not any(np.isnan(row.values(name)).any() for name in row.measures)
    assert "k = " in str(report)
    assert row.model == "knn"


# Ties


def votes(distances, targets, k, n_classes=3):
    """Return the class that neighbors at these distances vote for."""
    block = KernelBlock(np.zeros((0, 0)), np.array([distances], dtype=float), None, True)
    learner = NeighborClassifier(n_classes)
    path = learner.fit_path(block, np.array(targets), [1.0, float(k)], FitOptions())
    assert path.steps.tolist() == [1, 1]
    return int(path.predictions[1, 0])


def test_equal_votes_are_decided_by_the_sum_of_distances_then_by_the_class():
    assert votes([1, 2, 3, 4], [2, 0, 0, 2], 4) == 0  # sums of 5 each
    assert votes([1, 2, 3, 3.5], [2, 0, 0, 2], 4) == 2  # 4.5 and 5
    assert votes([0.1, 0.2, 0.3, 0.2], [1, 2, 1, 2], 4) == 1  # 0.1 + 0.3 and 0.2 + 0.2 but for rounding
    assert votes([3, 2, 1], [0, 1, 2], 3) == 2
    assert votes([0, 0, 0], [2, 1, 0], 3) == 0


def test_of_equal_distances_the_first_graphs_are_taken():
    assert nearest_graphs(np.array([[2.0, 1, 1, 1]]), 2).positions.tolist() == [[1, 2]]
    assert nearest_graphs(np.array([[2.0, 0.1 + 0.2, 0.3, 0.3]]), 2).positions.tolist() == [[1, 2]]
    assert votes([2, 1, 1, 1], [0, 1, 1, 2], 2) == 1


def test_more_neighbors_than_graphs_are_all_graphs():
    assert votes([3, 2, 1], [0, 0, 2], 15) == 0
    block = KernelBlock(np.zeros((0, 0)), np.array([[3.0, 2, 1]]), None, True)
    path = NeighborRegressor().fit_path(block, np.array([1.0, 2, 6]), [1.0, 2, 9], FitOptions())
    assert path.predictions.ravel().tolist() == [6, 4, 3]


def test_distances_that_are_all_zero():
    matrix, targets = np.zeros((4, 4)), np.array([1, 1, 0, 0])
    fold = np.arange(3), np.array([3])
    outputs = NeighborClassifier(2).test(matrix, targets, fold, [], Choice(None, (1.0, 3.0)), ())
    assert (outputs.predictions.tolist(), outputs.probabilities.tolist()) == ([1], [[1 / 3, 2 / 3]])


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "wwl+knn", "gamma": 1.0}, "gamma is not a parameter of these methods"),
        ({"method": "wwl+knn", "C": 1.0}, "C is not a parameter of these methods"),
        ({"method": "wl+knn"}, "WL has no variant 'knn', because it is not computed from distances"),
    ],
)
def test_wrong_options_are_named(demo, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(*demo[:2], **options)


def test_values_for_other_methods_leave_neighbors_alone(demo):
    few = {"depth": [0, 1], "folds": 3, "inner_folds": 2}
    both = evaluate(*demo[:2], method=["wwl+knn", "wwl"], gamma=0.1, C=[1, 10], **few)
    alone = evaluate(*demo[:2], method="wwl+knn", **few)
    np.testing.assert_array_equal(both.rows["wwl+knn"].accuracy, alone.rows["wwl+knn"].accuracy)


def test_the_command_line(capsys):
    options = ("--method", "wwl+knn", "--depth", "1", "--folds", "3", "--cv", "2", "--json")
    code, out, _ = run(capsys, "evaluate", "demo", *options)
    row = json.loads(out)["methods"]["wwl+knn"]
    assert (code, row["title"]) == (0, "WWL + knn")
    assert {chosen["k"] for chosen in row["parameters"][0]} <= {1, 3, 5, 7, 11, 15}
