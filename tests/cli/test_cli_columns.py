"""Columns of tables and descriptors of molecules, from the command line."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from tu_files import write_tu

FAST = ("--depth", "0-1", "--kind", "categorical", "--gamma", "0.03,0.3", "--cv", "3", "--quiet")
pytest.importorskip("rdkit")


@pytest.fixture(scope="module")
def smiles():
    chains = ["C" * n + end for n in range(1, 11) for end in ("", "O", "N", "Cl", "C(=O)O", "c1ccccc1")]
    return chains[:60]


@pytest.fixture(scope="module")
def table(smiles, tmp_path_factory):
    """Numbers that depend on the molecule and on a temperature."""
    folder = tmp_path_factory.mktemp("tables")
    random = np.random.default_rng(0)
    temperature = random.uniform(250, 350, size=len(smiles)).round(1)
    y = [len(each) + 0.1 * t for each, t in zip(smiles, temperature, strict=True)]
    rows = list(zip(smiles, temperature, y, ["a", "b", "c"] * 20, strict=True))
    write(folder / "old.csv", ["smiles", "temperature", "rate", "batch"], rows[:50])
    write(folder / "new.csv", ["batch", "temperature", "smiles"], [(b, t, s) for s, t, _, b in rows[50:]])
    return folder


def write(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def train(capsys, table, out, *arguments, name="old.csv"):
    return run(capsys, "train", table / name, "--target", "rate", "-o", out, *FAST, *arguments)


@pytest.fixture(scope="module")
def trained(table):
    from wassergraph.cli.main import main

    old, out = str(table / "old.csv"), str(table / "m.wgm")
    assert main(["train", old, "--target", "rate", "-o", out, "--columns", "temperature", *FAST]) == 0
    return table / "m.wgm"


def test_a_model_of_the_command_is_that_of_the_class(capsys, table, trained):
    rows, new = read(table / "old.csv"), read(table / "new.csv")
    own = wg.GraphRegressor(wg.WWL([0, 1], kind="categorical"), gamma=(0.03, 0.3), cv=3).fit(
        [row["smiles"] for row in rows],
        [float(row["rate"]) for row in rows],
        columns={"temperature": [float(row["temperature"]) for row in rows]},
    )
    code, out, err = run(capsys, "predict", trained, table / "new.csv", "--quiet")
    assert (code, err) == (0, "")
    found = [float(row["predicted"]) for row in csv.DictReader(io.StringIO(out))]
    columns = {"temperature": [float(row["temperature"]) for row in new]}
    np.testing.assert_allclose(found, own.predict([row["smiles"] for row in new], columns=columns), rtol=1e-5)
    assert own.best_params_["column_weight"] > 0


def test_the_summary_names_the_columns(capsys, table, tmp_path):
    arguments = ["train", table / "old.csv", "--target", "rate", "-o", tmp_path / "m.wgm", *FAST[:-1]]
    code, out, _ = run(capsys, *arguments, "--columns", "temperature")
    assert code == 0
    assert "1 column ('temperature')" in out
    assert "column_weight" in out
    code, out, _ = run(capsys, *arguments, "--columns", "temperature", "--descriptors", "--json")
    assert "1 column ('temperature') and 2" in json.loads(out)["columns"]


def test_explanations_have_columns(capsys, table, trained):
    code, out, err = run(capsys, "explain", trained, table / "new.csv", "--row", 2)
    assert (code, err) == (0, "")
    assert "temperature" in out
    assert "Columns are" in out
    code, out, _ = run(capsys, "explain", trained, table / "new.csv", "--row", 2, "--json")
    found = json.loads(out)
    assert sum(found["node_scores"]) + found["columns"]["temperature"] == pytest.approx(found["value"])


def test_descriptors_are_computed_again_for_new_molecules(capsys, table, tmp_path):
    code, *_ = train(capsys, table, tmp_path / "m.wgm", "--descriptors")
    assert code == 0
    model, rows = wg.load_model(tmp_path / "m.wgm"), read(table / "old.csv")
    found = wg.datasets.descriptors([row["smiles"] for row in rows])
    assert model.columns_.names == found.names
    assert model.columns_.computed.all()
    finite = np.isfinite(found.values).all(axis=0)
    assert 50 < model.columns_.used.sum() <= (finite & (np.ptp(found.values, axis=0) > 0)).sum()
    code, out, err = run(capsys, "predict", tmp_path / "m.wgm", "CCCO", "CCCCN", "--quiet")
    assert (code, err) == (0, "")
    predicted = [float(row["predicted"]) for row in csv.DictReader(io.StringIO(out))]
    columns = wg.datasets.descriptors(["CCCO", "CCCCN"])
    np.testing.assert_allclose(predicted, model.predict(["CCCO", "CCCCN"], columns=columns), rtol=1e-5)


def test_columns_and_descriptors_together(capsys, table, tmp_path):
    assert train(capsys, table, tmp_path / "m.wgm", "--descriptors", "--columns", "temperature")[0] == 0
    code, out, _ = run(capsys, "predict", tmp_path / "m.wgm", table / "new.csv", "--quiet")
    assert code == 0
    assert len(list(csv.DictReader(io.StringIO(out)))) == 10
    assert wg.load_model(tmp_path / "m.wgm").columns_.names[0] == "temperature"


def test_the_test_rows_of_a_column_have_columns_too(capsys, table, tmp_path):
    rows = read(table / "old.csv")
    parts = ["train"] * 40 + ["test"] * 10
    split = [(*row.values(), part) for row, part in zip(rows, parts, strict=True)]
    write(tmp_path / "old.csv", [*rows[0], "part"], split)
    arguments = ["--columns", "temperature", "--split-column", "part", "--json"]
    code, out, err = train(capsys, tmp_path, tmp_path / "m.wgm", *arguments)
    assert (code, err) == (0, "")
    assert json.loads(out)["graphs"] == 40
    assert json.loads(out)["test"]["new"]["n_rows"] == 10
    assert json.loads(out)["test"]["others"]["r2"] > 0.6


@pytest.mark.filterwarnings("default::wassergraph.errors.ImputedDataWarning")
def test_empty_cells(capsys, table, tmp_path):
    rows = [list(row.values()) for row in read(table / "old.csv")]
    rows[3][1], rows[7][1] = "", "NA"
    write(tmp_path / "old.csv", ["smiles", "temperature", "rate", "batch"], rows)
    code, _, err = train(capsys, tmp_path, tmp_path / "m.wgm", "--columns", "temperature")
    assert code != 0
    assert "old.csv, line 5: the column 'temperature' has no value (also line 9: no value)" in err
    assert "pass --impute median" in err
    code, _, err = train(capsys, tmp_path, tmp_path / "m.wgm", "--columns", "temperature", "--impute", "median")
    assert code == 0
    assert "medians of the training graphs fill in 2 missing cells of columns, of 2 graphs" in err
    rows = [list(row.values()) for row in read(table / "new.csv")]
    rows[0][1] = ""
    write(tmp_path / "new.csv", ["batch", "temperature", "smiles"], rows)
    code, out, err = run(capsys, "predict", tmp_path / "m.wgm", tmp_path / "new.csv")
    assert code == 0
    assert "1 missing cell of columns, of 1 graph" in err
    assert out.count("\n") == 11


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--columns", "pH"], "--columns pH: there is no such column, only 'smiles', 'temperature', 'rate', 'batch'"),
        (["--columns", "rate"], "--columns rate: this is the target"),
        (["--columns", "batch"], "old.csv, line 2: 'a' in the column 'batch' is not a number (also line 3: 'b'"),
        (["--columns", "temperature", "temperature"], "--columns has two columns 'temperature'"),
        (["--impute", "median"], "--impute median applies to --columns, but there are none"),
    ],
)
def test_wrong_columns(capsys, table, tmp_path, arguments, message):
    code, _, err = train(capsys, table, tmp_path / "m.wgm", *arguments)
    assert code != 0
    assert message in err


def test_tables_that_lack_columns(capsys, table, trained, tmp_path):
    write(tmp_path / "new.csv", ["smiles", "temprature"], [("CCO", 300)])
    code, _, err = run(capsys, "predict", trained, tmp_path / "new.csv")
    assert code != 0
    assert "trained with the column 'temperature', which these graphs lack; did you mean 'temprature'?" in err
    code, _, err = run(capsys, "predict", trained, "CCO")
    assert code != 0
    assert "which these graphs lack; add what is missing to a table of these graphs" in err


def test_columns_are_those_of_tables(capsys, tmp_path):
    graphs, y = wg.load_dataset("demo")
    write_tu(tmp_path / "SET", graphs, y)
    fast = ("--depth", 1, "--gamma", 1, "-C", 1, "--cv", 2)
    code, _, err = run(capsys, "train", tmp_path / "SET", "-o", tmp_path / "m.wgm", "--columns", "logP", *fast)
    assert code != 0
    assert "--columns logP applies to a table of molecules; remove it" in err
    code, _, err = run(capsys, "train", tmp_path / "SET", "-o", tmp_path / "m.wgm", "--descriptors", *fast)
    assert code != 0
    assert "--descriptors are computed of molecules, but these graphs are not known as such" in err


def test_models_with_columns_without_names_predict_in_python_only(capsys, table, smiles, tmp_path):
    model = wg.GraphRegressor(wg.WWL(1, kind="categorical"), gamma=0.1, alpha=0.1)
    model.fit(smiles, np.arange(60.0), columns=np.arange(60.0)).save(tmp_path / "m.wgm")
    code, _, err = run(capsys, "predict", tmp_path / "m.wgm", table / "new.csv")
    assert code != 0
    assert "trained with 1 columns without names" in err
