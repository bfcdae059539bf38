"""Measures by name, compared with scikit-learn and SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats
from sklearn import metrics as sk

from wassergraph.scores.measures import MEASURES, MeasuredValue, enrichment_measure, measures_for

NUMBERS = ["rmse", "mae", "r2", "spearman", "pearson"]
INTERVALS = ["coverage"]
SHARES = ["accuracy", "balanced_accuracy", "roc_auc", "pr_auc", "mcc", "log_loss"]
CLASSES = [*SHARES[:-1], "enrichment_1", "enrichment_5", "log_loss"]
finite = st.floats(-1e300, 1e300)


def value(name: str, targets, values) -> float:
    result = MEASURES[name](targets, values)
    assert result.reason == ""
    assert type(result.value) is float
    return result.value


def reason(name: str, targets, values) -> str:
    result = MEASURES[name](targets, values)
    assert np.isnan(result.value)
    return result.reason


def random_classes(n_classes: int, n: int = 80, seed: int = 0):
    """Return classes, predictions, scores and probabilities; every class occurs, and predictions are often right."""
    rng = np.random.default_rng(seed)
    targets = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    scores = rng.normal(size=(n, n_classes)) + 1.5 * (targets[:, None] == np.arange(n_classes))
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return targets, scores.argmax(axis=1), scores, probabilities


@pytest.mark.parametrize("seed", range(3))
def test_metrics_of_numbers_are_those_of_scikit_learn_and_scipy(seed):
    rng = np.random.default_rng(seed)
    targets = rng.normal(size=50).round(1)  # with ties
    predictions = targets + rng.normal(size=50)
    assert value("rmse", targets, predictions) == pytest.approx(sk.root_mean_squared_error(targets, predictions))
    assert value("mae", targets, predictions) == pytest.approx(sk.mean_absolute_error(targets, predictions))
    assert value("r2", targets, predictions) == pytest.approx(sk.r2_score(targets, predictions))
    assert value("spearman", targets, predictions) == pytest.approx(stats.spearmanr(targets, predictions).statistic)
    assert value("pearson", targets, predictions) == pytest.approx(np.corrcoef(targets, predictions)[0, 1])
    assert -1 < value("r2", targets, np.full(50, targets.mean())) == pytest.approx(0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_metrics_of_classes_are_those_of_scikit_learn(n_classes, seed):
    targets, predictions, _, probabilities = random_classes(n_classes, seed=seed)
    assert value("accuracy", targets, predictions) == pytest.approx(sk.accuracy_score(targets, predictions))
    balanced = sk.balanced_accuracy_score(targets, predictions)
    assert value("balanced_accuracy", targets, predictions) == pytest.approx(balanced)
    assert value("mcc", targets, predictions) == pytest.approx(sk.matthews_corrcoef(targets, predictions))
    assert value("log_loss", targets, probabilities) == pytest.approx(sk.log_loss(targets, probabilities))


@pytest.mark.parametrize("columns", ["one", "two"])
def test_areas_of_two_classes_are_about_the_second_one(columns):
    targets, _, scores, _ = random_classes(2)
    decisions = scores[:, 1] - scores[:, 0]
    given_scores = decisions if columns == "one" else np.column_stack([-decisions, decisions])
    assert value("roc_auc", targets, given_scores) == pytest.approx(sk.roc_auc_score(targets, decisions))
    precision = sk.average_precision_score(targets, decisions)
    assert value("pr_auc", targets, given_scores) == pytest.approx(precision)
    assert precision != pytest.approx(sk.average_precision_score(1 - targets, -decisions))


@pytest.mark.parametrize("n_classes", [3, 6])
def test_areas_of_several_classes_are_means_of_one_against_all_others(n_classes):
    targets, _, scores, probabilities = random_classes(n_classes)
    expected = sk.roc_auc_score(targets, probabilities, multi_class="ovr", average="macro")
    assert value("roc_auc", targets, probabilities) == pytest.approx(expected)
    for name, measure in [("roc_auc", sk.roc_auc_score), ("pr_auc", sk.average_precision_score)]:
        by_class = [measure(targets == c, scores[:, c]) for c in range(n_classes)]
        assert value(name, targets, scores) == pytest.approx(np.mean(by_class))


def test_probabilities_of_two_classes_may_have_one_column():
    targets, _, _, probabilities = random_classes(2)
    assert value("log_loss", targets, probabilities[:, 1]) == pytest.approx(sk.log_loss(targets, probabilities))


def test_accuracies_take_names_of_classes():
    targets, predictions = np.array(["a", "b", "b"]), np.array(["a", "b", "a"])
    assert value("accuracy", targets, predictions) == pytest.approx(2 / 3)
    assert value("balanced_accuracy", targets, predictions) == pytest.approx(3 / 4)
    assert value("mcc", targets, predictions) == pytest.approx(sk.matthews_corrcoef(targets, predictions))


@given(npst.arrays(np.float64, st.tuples(st.integers(1, 20), st.just(3)), elements=st.integers(-3, 3).map(float)))
def test_coverage_is_the_share_of_numbers_in_closed_intervals(table):
    targets, ends = table[:, 0], np.sort(table[:, 1:], axis=1)
    inside = sum(low <= target <= high for target, (low, high) in zip(targets, ends, strict=True))
    assert value("coverage", targets, ends) == pytest.approx(inside / len(targets))


# Where measures are not defined


@pytest.mark.parametrize(
    ("name", "targets", "values", "why"),
    [
        ("r2", [1.0], [1.0], "there is one graph only"),
        ("r2", [0.1, 0.1, 0.1], [0.1, 0.1, 0.1], "all targets are equal"),
        ("r2", [0.1, 0.1, 0.1], [1.0, 2.0, 3.0], "all targets are equal"),
        ("r2", [0.0, 1e-200], [1.0, 2.0], "the numbers are too large, or differ by too little, to compute with"),
        ("rmse", [0.0, 1e300], [0.0, 0.0], "the numbers are too large, or differ by too little, to compute with"),
        ("spearman", [1.0], [1.0], "there is one graph only"),
        ("spearman", [1.0, 1.0], [1.0, 2.0], "all targets are equal"),
        ("spearman", [1.0, 2.0], [3.0, 3.0], "all predictions are equal"),
        ("pearson", [1.0, 2.0], [3.0, 3.0], "all predictions are equal"),
        ("roc_auc", [1, 1], [0.5, 0.2], "only 1 of 2 classes is among the targets"),
        ("roc_auc", [0, 1], [[1, 2, 3], [4, 5, 6]], "only 2 of 3 classes are among the targets"),
        ("pr_auc", [0, 0], [0.5, 0.2], "only 1 of 2 classes is among the targets"),
        ("pr_auc", [1, 1], [0.5, 0.2], "only 1 of 2 classes is among the targets"),
        ("mcc", [1, 1], [1, 0], "all targets are of one class"),
        ("mcc", [1, 1], [1, 1], "all targets are of one class"),
    ],
)
def test_undefined_metrics_are_nan_with_a_reason_and_no_warning(name, targets, values, why):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert reason(name, targets, values) == why


@pytest.mark.parametrize("name", NUMBERS + INTERVALS + CLASSES)
def test_no_graphs(name):
    empty = np.array([]) if MEASURES[name].task == "regression" else np.array([], dtype=int)
    values = np.empty((0, 2)) if MEASURES[name].needs == "intervals" else empty
    assert reason(name, empty, values) == "there are no graphs"


def test_classes_that_no_test_graph_has_are_no_warning():
    assert value("balanced_accuracy", [0, 0, 1], [0, 2, 1]) == pytest.approx(3 / 4)
    assert value("accuracy", [1, 1], [1, 0]) == 0.5
    assert value("log_loss", [1, 1], [[0.5, 0.5], [0.5, 0.5]]) == pytest.approx(np.log(2))
    assert value("log_loss", [0], [[1 / 3] * 3]) == pytest.approx(np.log(3))


def test_one_class_predicted_for_all_has_a_correlation_of_zero():
    assert MEASURES["mcc"]([0, 1, 1], [1, 1, 1]) == MeasuredValue(0.0)


def test_two_graphs_have_ranks():
    assert value("spearman", [1.0, 2.0], [5.0, 7.0]) == pytest.approx(1)
    assert value("spearman", [1.0, 2.0], [7.0, 5.0]) == pytest.approx(-1)


def test_no_rank_is_decided_by_the_last_bits():
    """Predictions of graphs that are alike may differ by rounding."""
    targets, predictions = np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.1, 0.1, 0.2, 0.3])
    noisy = predictions * (1 + np.array([1, -1, 1, -1]) * 2.0**-52)
    assert value("spearman", targets, noisy) == pytest.approx(stats.spearmanr(targets, predictions).statistic)
    assert reason("spearman", targets, 0.1 * (noisy / predictions)) == "all predictions are equal"
    classes = np.array([0, 1, 0, 1])
    for name, measure in [("roc_auc", sk.roc_auc_score), ("pr_auc", sk.average_precision_score)]:
        expected = measure(classes, predictions)
        assert measure(classes, -noisy) != measure(classes, -predictions)
        assert value(name, classes, noisy) == value(name, classes, predictions) == pytest.approx(expected)
        table = np.column_stack([-noisy, noisy])
        assert value(name, classes, table) == pytest.approx(expected)


def test_reasons_are_counted_over_folds():
    measure = MEASURES["roc_auc"]
    folds = [measure([0, 1], [0.1, 0.2]), measure([1], [0.1]), measure([0], [0.1]), MeasuredValue(np.nan, "why not")]
    assert measure.describe_undefined(folds[:1]) == ""
    expected = "ROC AUC is not defined in 3 of 4 folds: only 1 of 2 classes is among the targets; why not"
    assert measure.describe_undefined(folds) == expected


@pytest.mark.parametrize("percent", [1, 5, 30])
def test_enrichment_is_the_mean_over_all_orders_of_equal_scores(percent):
    """A slow and obvious version: sort in many random orders, and count the second class in the first graphs."""
    rng = np.random.default_rng(percent)
    targets, scores = rng.integers(0, 2, 40), rng.integers(0, 5, 40).astype(float)
    n_first = max(1, -(-40 * percent // 100))
    found = []
    for _ in range(4000):
        order = rng.permutation(40)
        first = order[np.argsort(-scores[order], kind="stable")][:n_first]
        found.append(targets[first].mean() / targets.mean())
    measure = enrichment_measure(percent)
    assert measure(targets, scores).value == pytest.approx(np.mean(found), abs=4 * np.std(found) / 4000**0.5 + 1e-12)
    assert measure(targets, targets.astype(float)).value == pytest.approx(1 / targets.mean())
    assert measure(targets, np.column_stack([-scores, scores])) == measure(targets, scores)


# Properties


@given(npst.arrays(np.float64, st.tuples(st.integers(1, 8), st.just(2)), elements=finite))
def test_any_numbers_have_a_value_or_a_reason(table):
    for measure in measures_for("regression", NUMBERS):
        result = measure(table[:, 0], table[:, 1])
        assert np.isfinite(result.value) == (result.reason == "")


@given(st.integers(2, 4).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k - 1), min_size=1))))
def test_perfect_predictions_have_the_best_value_or_a_reason(drawn):
    n_classes, targets = drawn
    certain = np.eye(n_classes)[targets]
    by_need = {"predictions": np.array(targets), "scores": certain, "probabilities": certain}
    for measure in measures_for("classification", SHARES):
        result = measure(targets, by_need[measure.needs])
        best = 1.0 if measure.higher_is_better else 0.0
        assert result.reason or result.value == pytest.approx(best, abs=1e-12)
        assert np.isnan(result.value) == (result.reason != "")


@pytest.mark.parametrize("name", NUMBERS + CLASSES)
def test_better_predictions_have_better_values(name):
    measure = MEASURES[name]
    if measure.task == "regression":
        targets = np.arange(20.0)
        noise = np.random.default_rng(0).normal(size=20)
        good, bad = targets + 0.1 * noise, targets + 20 * noise
    else:
        targets, _, scores, _ = random_classes(3)
        truth = np.eye(3)[targets]
        ranked = {"good": truth + 0.01 * scores, "bad": scores - 1.5 * truth}
        rows = {key: np.exp(each) / np.exp(each).sum(axis=1, keepdims=True) for key, each in ranked.items()}
        good, bad = (
            rows[key].argmax(axis=1) if measure.needs == "predictions" else rows[key] for key in ("good", "bad")
        )
    assert (value(name, targets, good) > value(name, targets, bad)) == measure.higher_is_better


# Input


@pytest.mark.parametrize(
    ("name", "targets", "values", "message"),
    [
        ("mae", [1.0, 2.0], [1.0], r"targets of the shape \(2,\) and predictions of the shape \(1,\); pass one row"),
        ("mae", [1.0], [[1.0]], "one row for each graph"),
        ("coverage", [1.0], [1.0], "one row for each graph"),
        ("coverage", [1.0], [[0.0, np.nan]], "graph 0: intervals has the value nan"),
        ("rmse", [1.0, np.inf], [1.0, 1.0], "graph 1: targets has the value inf; leave the graph out"),
        ("rmse", [1.0, 1.0], [1.0, np.nan], "graph 1: predictions has the value nan"),
        ("roc_auc", [0, 1], [[0.0, np.nan], [0.0, 0.0]], "graph 0: scores has the value nan"),
        ("roc_auc", [1, 2], [0.1, 0.2], "graph 1: the target is the class 2, but there are scores of 2 classes"),
        ("log_loss", [-1, 1], [[0.5, 0.5]] * 2, "graph 0: the target is the class -1"),
        ("log_loss", [0, 1], [[0.5, 0.5], [0.5, 0.6]], "graph 1: the probabilities 0.5, 0.6 are not between 0 and 1"),
        ("log_loss", [0, 1], [0.5, 1.5], "graph 1: the probabilities -0.5, 1.5 are not between 0 and 1"),
    ],
)
def test_wrong_values_are_errors(name, targets, values, message):
    with pytest.raises(ValueError, match=message):
        MEASURES[name](targets, values)


def test_scores_need_numbered_classes():
    with pytest.raises(TypeError, match="classes must be numbered, got targets of the type <U1"):
        MEASURES["roc_auc"](["a", "b"], [0.1, 0.2])


# Names


def test_default_metrics():
    assert [measure.name for measure in measures_for("regression")] == NUMBERS + INTERVALS
    assert [measure.name for measure in measures_for("classification")] == CLASSES
    assert all(name == measure.name for name, measure in MEASURES.items())
    assert {name for name, measure in MEASURES.items() if not measure.higher_is_better} == {"rmse", "mae", "log_loss"}


def test_names_may_be_written_in_several_ways():
    assert [measure.name for measure in measures_for("classification", ["ROC-AUC", "Log_Loss", "roc_auc"])] == [
        "roc_auc",
        "log_loss",
    ]
    assert measures_for("regression", "R2") == [MEASURES["r2"]]


@pytest.mark.parametrize(
    ("task", "names", "message"),
    [
        (
            "classification",
            "acuracy",
            "measures: there is no measure 'acuracy'; did you mean 'accuracy'?; use accuracy,",
        ),
        ("regression", ["rmse", "xyz"], "measures: there is no measure 'xyz'; use rmse, mae, r2, spearman"),
        ("regression", "roc_auc", "'roc_auc' is a measure for classes, but the task is regression; use rmse"),
        ("classification", "rmse", "'rmse' is a measure for numbers, but the task is classification"),
        ("regression", [], "measures is empty; use rmse, mae, r2, spearman"),
        ("auto", None, "task must be one of 'classification', 'regression', got 'auto'"),
    ],
)
def test_wrong_names_are_answered(task, names, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        measures_for(task, names)
