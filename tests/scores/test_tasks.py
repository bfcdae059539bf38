"""What is learned: classes or numbers, decided by the values, and the constant prediction of each."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.errors import InputError
from wassergraph.scores.tasks import ClassTask, NumberTask, read_task

FEW = {"folds": 3, "inner_folds": 2, "method": "v"}


@pytest.fixture(scope="module")
def graphs():
    return wg.load_dataset("demo")[0]


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 0, 1],
        [2.0, 7.0, 2.0, 7.0],
        ["1.5", "2.5", "1.5", "2.5"],
        [True, False, False, True],
        np.array(["a", "b", "a", "b"], dtype=object),
        pd.Series(["a", "b", "a", "b"], index=[7, 7, 3, 1]),
        np.array([1, 2, 1, 2], dtype=object),
    ],
)
def test_values_that_are_classes(y):
    task = read_task(y, 4)
    assert isinstance(task, ClassTask)
    assert (task.name, task.describe(), task.majority) == ("classification", "2 classes", 0.5)
    assert sum(task.class_counts.values()) == 4


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5, 1, 1],
        np.array([1, 2.5, 1, 1], dtype=np.float32),
        np.array([1.0, 2.5, 1.0, 1.0], dtype=object),
        [1, Decimal("2.5"), 1, 1],
        [1, Fraction(5, 2), 1, 1],
        [[1.0], [2.5], [1.0], [1.0]],
        pd.Series([1, 2.5, 1, 1], dtype="Float64"),
    ],
)
def test_values_that_are_numbers(y):
    task = read_task(y, 4)
    assert isinstance(task, NumberTask)
    assert (task.name, task.describe()) == ("regression", "numbers from 1 to 2.5")
    np.testing.assert_array_equal(task.targets, [1.0, 2.5, 1.0, 1.0])


def test_the_task_may_be_given():
    assert read_task([1, 2, 1, 2], 4, "regression").targets.tolist() == [1.0, 2.0, 1.0, 2.0]
    assert read_task([-3, 2], 2, "regression").describe() == "numbers from −3 to 2"
    with pytest.raises(ValueError, match="task must be one of 'auto', 'classification', 'regression', got 'numbers'"):
        read_task([1, 2], 2, "numbers")


def test_the_constant_prediction():
    classes = read_task(["b", "a", "b", "b", "a"], 5)
    outputs = classes.constant(np.array([0, 1, 2]), 2)
    assert outputs.predictions.tolist() == [1, 1]
    np.testing.assert_allclose(outputs.probabilities, [[1 / 3, 2 / 3]] * 2)
    numbers = read_task([1.5, 2.5, 7.0], 3)
    assert numbers.constant(np.array([0, 1]), 3).predictions.tolist() == [2.0] * 3


def test_whole_numbers_are_learned_on_request(graphs):
    report = evaluate(graphs, graphs.sizes, task="regression", **FEW)
    assert (report.task.name, report.classes) == ("regression", {})
    assert str(report).splitlines()[0] == f"60 graphs, numbers from {graphs.sizes.min()} to {graphs.sizes.max()}"
    assert report.rows["v"].values("r2").shape == (1, 3)
    assert report.to_dict()["task"] == "regression"
    assert "classes" not in report.to_dict()


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.filterwarnings("ignore:.* inner folds instead of 5:UserWarning")
def test_whole_numbers_that_hardly_repeat_are_no_classes(graphs):
    assert wg.evaluate(graphs, np.arange(60.0), "v", folds=3).task.name == "regression"
    assert wg.evaluate(graphs, np.arange(60) // 6, "v", folds=3).task.name == "classification"
    message = r"the class 7.0 has only one graph, .* or pass model=GraphRegressor\(\) to predict numbers"
    with pytest.raises(ValueError, match=message):
        wg.evaluate(graphs, [*[0.0, 1.0, 2.0] * 19, 0.0, 1.0, 7.0], "v", folds=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({3: "high"}, "graph 3: y is 'high', which is not a number; convert y to numbers"),
        ({3: np.inf}, "graph 3: y is inf; correct it, or leave the graph out"),
        ({3: np.nan}, "graph 3: y is nan; correct it"),
        ({3: None}, "graph 3: y is None, which is not a number; correct it"),
        ({3: True}, "graph 3: y is True, which is a truth value"),
        (dict.fromkeys(range(60), 1.5), "all graphs have the number 1.5; pass numbers that differ"),
    ],
)
@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("task", ["auto", "regression"])
def test_bad_numbers(graphs, change, message, task):
    y = [change.get(number, number + 0.5) for number in range(60)]
    with pytest.raises(ValueError, match=message):
        evaluate(graphs, y, task=task, **FEW)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_class_that_is_missing_is_named(graphs, missing):
    for y in ([missing, *[0, 1, 2] * 19, 0, 1], [missing, *["a", "b"] * 29, "a"]):
        with pytest.raises(InputError, match=r"graph 0: y is (None|nan|<NA>)"):
            evaluate(graphs, y, **FEW)


def test_numbers_of_the_wrong_shape(graphs):
    y = np.arange(60) + 0.5
    with pytest.raises(ValueError, match="60 graphs, but 59 numbers in y; pass one number for each graph"):
        evaluate(graphs, y[1:], **FEW)
    with pytest.raises(ValueError, match=r"y has 2 columns, .*; train one model for each column, such as y\[:, 0\]"):
        evaluate(graphs, np.column_stack([y, y]), **FEW)
    with pytest.raises(ValueError, match="there is one graph to learn from; pass two or more"):
        evaluate(graphs[:1], y[:1], **FEW)
    with pytest.raises(ValueError, match="y is None"):
        evaluate(graphs, None, task="regression", **FEW)


@pytest.mark.parametrize(
    ("numbers", "options", "message"),
    [
        (True, {"C": 1.0}, "C is not a parameter of these methods; remove it"),
        (True, {"method": "wwl+gp", "alpha": 1.0}, "alpha is not a parameter of these methods"),
        (True, {"method": "wwl+gp", "gamma": 1.0}, "gamma is not a parameter of these methods"),
        (True, {"method": "wwl+svr", "alpha": 1.0}, "alpha is not a parameter of these methods"),
        (True, {"alpha": 0.0}, "alpha must be a positive number, or a sequence of positive numbers, got 0"),
        (True, {"method": "wwl+svc"}, "the variant 'svc' learns classes, but the task is regression; leave it out"),
        (False, {"method": "wwl+gp"}, "the variant 'gp' learns numbers, but the task is classification"),
        (False, {"method": "wwl+svr"}, "the variant 'svr' learns numbers, but the task is classification"),
        (True, {"measures": "accuracy"}, "measures: 'accuracy' is a measure for classes, but the task is regression"),
        (False, {"measures": ["mcc", "rmse"]}, "measures: 'rmse' is a measure for numbers, but the task is classif"),
        (True, {"measures": []}, "measures is empty; use rmse, mae, r2, spearman, pearson, coverage"),
        (True, {"measures": 5}, "measures: there is no measure 5; use rmse"),
        (True, {"method": 5}, "method must be one of .*, got '5'"),
    ],
)
def test_options_for_the_other_task(graphs, numbers, options, message):
    y = np.arange(60) + 0.5 if numbers else np.arange(60) % 3
    with pytest.raises(ValueError, match=message):
        evaluate(graphs, y, **{"method": "wwl", **options})


def test_parameters_of_one_of_several_methods(graphs):
    """C is for the second method and alpha for the first; the third has neither."""
    y = np.log(graphs.sizes)
    options = {"method": ["v", "v+svr", "wwl+gp"], "C": [1.0, 10.0], "alpha": 0.5, "depth": 0, "kind": "categorical"}
    rows = evaluate(graphs, y, **options, folds=3, inner_folds=2).rows
    assert rows["v"].parameters[0] == [{"alpha": 0.5}] * 3
    assert {chosen["C"] for chosen in rows["v+svr"].parameters[0]} <= {1.0, 10.0}
    assert rows["wwl+gp"].parameters[0][0].keys() == {"depth", "gamma"}
