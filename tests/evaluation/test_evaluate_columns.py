"""Evaluations with columns: scaled in each training part, and equal to dense computations with what was chosen."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from wassergraph.errors import ImputedDataWarning, InputError
from wassergraph.evaluation.evaluate import Request
from wassergraph.evaluation.splitting import RANDOM, Folds
from wassergraph.scores.tasks import read_task

METRIC = {"depth": (0, 1), "kind": "categorical", "mass": "count"}


@pytest.fixture(scope="module")
def made():
    graphs, _ = wg.datasets.make_demo(30)
    random = np.random.default_rng(2)
    columns = random.normal(size=(90, 2)) * (3.0, 0.5) + (20.0, 1.0)
    return graphs, np.log(graphs.sizes) + 0.2 * columns[:, 0], columns


def new_model():
    return wg.GraphRegressor(wg.WWL(**METRIC), gamma=(0.03, 0.3), alpha=(1e-4, 1e-2), cv=3)


def evaluate(graphs, y, columns, model=None, **options):
    return Request(graphs, y, model=model or new_model(), folds=Folds(3), columns=columns, **options).run()


def slow_predictions(graphs, y, columns, folds, chosen):
    """Return what ridge regression on D + w C predicts, with columns scaled on each training part."""
    found = np.zeros(len(y))
    for (train, test), own in zip(folds, chosen, strict=True):
        scaled = np.clip((columns - columns[train].mean(axis=0)) / columns[train].std(axis=0), -5, 5)
        apart = np.sqrt(((scaled[:, None] - scaled[None]) ** 2).mean(axis=2))
        distances = wg.distances(graphs, metric=wg.WWL(**{**METRIC, "depth": own["depth"]}))
        kernel = np.exp(-own["gamma"] * (distances + own["column_weight"] * apart))
        mean = y[train].mean()
        ridge = kernel[np.ix_(train, train)] + own["alpha"] * np.eye(len(train))
        found[test] = mean + kernel[np.ix_(test, train)] @ np.linalg.solve(ridge, y[train] - mean)
    return found


def test_predictions_are_those_of_dense_computations(made):
    graphs, y, columns = made
    (repetition,) = evaluate(graphs, y, columns).rows["wwl"].repetitions
    assert all(chosen["column_weight"] > 0 for chosen in repetition.parameters)
    folds = RANDOM.outer(read_task(y, 90, "regression"), 3, 0)
    expected = slow_predictions(graphs, y, columns, folds, repetition.parameters)
    np.testing.assert_allclose(repetition.predictions, expected, rtol=1e-8)


def test_columns_help(made):
    graphs, y, columns = made
    plain = wg.evaluate(graphs, y, model=new_model(), folds=Folds(3))
    with_columns = evaluate(graphs, y, columns, method=["wwl", "wl"])
    assert with_columns.rows["wwl"].values("r2").mean() > plain.rows["wwl"].values("r2").mean() + 0.3
    other = wg.evaluate(graphs, y, ["wwl", "wl"], model=new_model(), folds=Folds(3))
    np.testing.assert_array_equal(with_columns.rows["wl"].values("r2"), other.rows["wl"].values("r2"))


@pytest.mark.parametrize(
    "model",
    [
        wg.GraphGaussianProcess(wg.WWL(**METRIC)),
        wg.GraphRegressor(wg.WWL(**METRIC), regressor="svr", gamma=0.1, C=(1.0, 100.0), cv=3),
    ],
)
def test_other_models(made, model):
    graphs, y, columns = made
    (repetition,) = evaluate(graphs, y, columns, model).rows["wwl"].repetitions
    assert all(chosen["column_weight"] > 0 for chosen in repetition.parameters)
    assert np.mean(repetition.scores["r2"]) > 0.6


def test_a_wide_search_of_classes_on_samples(made):
    graphs, _ = wg.datasets.make_demo(280)
    columns = np.random.default_rng(0).normal(size=840)
    model = wg.GraphClassifier(wg.WWL((0, 1), kind="categorical"), search="wide", cv=2)
    result = evaluate(graphs, (columns > 0).astype(int), columns, model)
    assert result.rows["wwl"].mean > 0.9
    assert all(chosen["column_weight"] > 0 for chosen in result.rows["wwl"].repetitions[0].parameters)


def test_missing_cells(made):
    graphs, y, columns = made
    holed = columns.copy()
    holed[[4, 9], 1] = math.nan
    with pytest.raises(InputError, match=r"graph 4: the column 1 has no value \(also graph 9: no value\)"):
        evaluate(graphs, y, holed)
    with pytest.warns(ImputedDataWarning, match="of each training part fill in 2 missing cells of columns") as caught:
        result = evaluate(graphs, y, holed, impute="median")
    assert len(caught) == 1
    assert result.rows["wwl"].values("r2").mean() > 0.6


def test_computed_columns_that_are_missing_somewhere_are_left_out(made):
    graphs, y, columns = made
    values = np.column_stack([columns, np.where(np.arange(90) == 5, np.nan, 1000 * y)])
    computed = wg.datasets.GraphColumns(values, ("a", "b", "c"), np.ones(3, dtype=np.bool_))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate(graphs, y, computed).rows["wwl"].repetitions[0].predictions
        without = evaluate(graphs, y, columns).rows["wwl"].repetitions[0].predictions
    # The third column, which is the target, is compared only where graph 5 is not among the training graphs.
    folds = RANDOM.outer(read_task(y, 90, "regression"), 3, 0)
    (with_it,) = [test for _, test in folds if 5 in test]
    others = np.setdiff1d(np.arange(90), with_it)
    np.testing.assert_allclose(found[others], without[others], rtol=1e-10)
    assert not np.allclose(found[with_it], without[with_it], rtol=1e-4)


def test_duplicates_are_left_out_with_their_columns():
    smiles = ["C" * n + end for n in range(1, 16) for end in ("", "O", "N")] * 2
    y = np.arange(90) % 45 + 0.5
    options = {"model": new_model(), "folds": Folds(3), "columns": np.arange(90.0) % 45, "deduplicate": True}
    found = Request(smiles, y, **options).run()
    assert found.deduplication.n_left_out == 45
    assert found.rows["wwl"].values("r2").mean() > 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "wl", "model": wg.GraphRegressor()},
            "columns are used by wwl, which is not among the methods",
        ),
        ({"impute": "mean"}, "impute must be one of 'error', 'median'"),
        ({"distances": np.zeros((90, 90))}, "distances are given, beside which columns are not evaluated"),
    ],
)
def test_wrong_requests(made, options, message):
    graphs, y, columns = made
    with pytest.raises(InputError, match=message):
        evaluate(graphs, y, columns, **options)


def test_the_command(capsys, tmp_path):
    pytest.importorskip("rdkit")
    smiles = ["C" * n + end for n in range(1, 16) for end in ("", "O", "N")]
    temperature = np.random.default_rng(0).uniform(0, 9, size=45).round(2)
    lines = [f"{s},{t},{len(s) + 2 * t}" for s, t in zip(smiles, temperature, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["smiles,temperature,y", *lines]))
    fast = ("--depth", 0, "--kind", "categorical", "--gamma", "0.03,0.3", "--folds", 3, "--cv", 3, "--json")
    scores = {}
    for name, columns in {"none": (), "given": ("--columns", "temperature"), "all": ("--descriptors",)}.items():
        code, out, err = run(capsys, "evaluate", tmp_path / "t.csv", "--target", "y", *fast, *columns)
        assert (code, err) == (0, "")
        scores[name] = out
    assert '"column_weight"' in scores["given"]
    assert '"column_weight"' in scores["all"]
    assert '"column_weight"' not in scores["none"]
