"""``wassergraph evaluate`` of numbers and tables of molecules: targets, splits, measures, pictures and errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from command_line import run
from made_metrics import evaluate

RINGS = ("c1ccccc1", "C1CCCC1", "C1CCNCC1", "c1ccncc1", "C1CCOC1", "c1ccsc1")
SMILES = ["C" * length + ring for ring in RINGS for length in range(4)]
NUMBERS = [round(0.37 * len(text) - 3.05, 3) for text in SMILES]
SERIES = [f"s{number % 5}" for number in range(24)]
PARTS = ["test" if number % 4 == 0 else "train" for number in range(24)]
FEW = ("--folds", "3", "--cv", "2", "--depth", "1", "--gamma", "0.1", "--alpha", "0.1,1")
# For methods without depth and gamma.
PLAIN = ("--folds", "3", "--cv", "2")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{smiles},{number},{number > 0:d},{series},{part},{fold % 3}"
        for fold, (smiles, number, series, part) in enumerate(zip(SMILES, NUMBERS, SERIES, PARTS, strict=True))
    ]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["smiles,logS,active,series,part,fold", *rows]) + "\n")
    return path


def evaluated(capsys, *arguments):
    """Return the content of the JSON that the command prints."""
    code, out, err = run(capsys, "evaluate", "table.csv", *arguments, "--json", "--quiet")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_groups_of_a_column_as_json(capsys, table):
    options = ("--target", "logS", "--split", "group", "--split-column", "series", "--measures", "rmse", "mae", *FEW)
    content = evaluated(capsys, *options)
    assert (content["task"], content["split"], content["measures"]) == ("regression", "group", ["rmse", "mae"])
    assert (content["folds"], content["inner_folds"], content["graphs"]) == (3, 2, 24)
    expected = evaluate(
        SMILES,
        NUMBERS,
        split="group",
        groups=SERIES,
        measures=["rmse", "mae"],
        folds=3,
        inner_folds=2,
        depth=1,
        gamma=0.1,
        alpha=[0.1, 1],
    ).rows["wwl"]
    row = content["methods"]["wwl"]
    np.testing.assert_allclose(row["rmse"], expected.values("rmse"), rtol=1e-9)
    np.testing.assert_allclose(row["mae"], expected.values("mae"), rtol=1e-9)
    assert row["parameters"] == expected.parameters
    assert "r2" not in row
    assert set(content["constant"]) == {"rmse", "mae"}


def test_scaffolds_of_a_table(capsys, table):
    options = ("--target", "logS", "--split", "scaffold", "--method", "tanimoto", "v", *PLAIN)
    content = evaluated(capsys, *options)
    expected = evaluate(SMILES, NUMBERS, method=["tanimoto", "v"], split="scaffold", folds=3, inner_folds=2)
    for name, row in expected.rows.items():
        np.testing.assert_allclose(content["methods"][name]["rmse"], row.values("rmse"), rtol=1e-9)
    assert content["methods"]["tanimoto"]["features"] == "Morgan fingerprints"


@pytest.mark.parametrize(("column", "n_folds"), [("part", 1), ("fold", 3)])
def test_folds_of_a_column(capsys, table, column, n_folds):
    options = ("--target", "logS", "--split", "given", "--split-column", column, "--method", "v", "--cv", "2")
    content = evaluated(capsys, *options)
    assert (content["folds"], np.shape(content["methods"]["v"]["rmse"])) == (n_folds, (1, n_folds))


def test_the_first_line_and_the_table(capsys, table):
    code, out, err = run(capsys, "evaluate", "table.csv", "--target", "logS", "--method", "v", "tanimoto", *PLAIN)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    low, high = min(NUMBERS), max(NUMBERS)
    assert lines[0] == f"24 molecules, target logS: numbers from −{-low:g} to {high:g} → regression"
    assert any(line.startswith("method ") and "RMSE" in line and "Spearman's ρ" in line for line in lines)
    assert [line.split()[0] for line in lines if line.startswith(("V ", "Tanimoto ", "mean "))] == [
        "V",
        "Tanimoto",
        "mean",
    ]


def test_measures_of_classes(capsys, table):
    content = evaluated(capsys, "--target", "active", "--measures", "ROC-AUC", "mcc", "--method", "v", *PLAIN)
    assert (content["task"], content["measures"]) == ("classification", ["roc_auc", "mcc"])
    every = evaluated(capsys, "--target", "active", "--measures", "all", "--method", "v", *PLAIN)
    names = ["accuracy", "balanced_accuracy", "roc_auc", "pr_auc", "mcc", "enrichment_1", "enrichment_5", "log_loss"]
    assert every["measures"] == names
    assert every["methods"]["v"]["mcc"] == content["methods"]["v"]["mcc"]


def test_whole_numbers_on_request(capsys, table):
    content = evaluated(capsys, "--target", "fold", "--task", "regression", "--method", "v", *PLAIN)
    assert content["task"] == "regression"
    assert evaluated(capsys, "--target", "fold", "--method", "v", *PLAIN)["task"] == "classification"


def test_undefined_measures_are_null(capsys, table):
    content = evaluated(capsys, "--target", "logS", "--measures", "coverage", "rmse", "--method", "v", *PLAIN)
    assert content["methods"]["v"]["coverage"] == [[None] * 3]
    assert content["methods"]["v"]["mean"] is None
    code, out, _ = run(
        capsys, "evaluate", "table.csv", "--target", "logS", "--measures", "all", "--method", "v", *PLAIN
    )
    assert code == 0
    assert "V: coverage of 90% is not defined in 3 of 3 folds: the method has no intervals." in out.splitlines()


def test_errors_are_drawn(capsys, table, tmp_path):
    plot = tmp_path / "errors.svg"
    command = ("evaluate", "table.csv", "--target", "logS", "--method", "v", *PLAIN, "--plot", plot)
    code, _, err = run(capsys, *command)
    assert (code, err) == (0, f"Box plot written to {plot}\n")
    assert plot.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--split", "group"), "--split group needs a column; name it with --split-column"),
        (("--split", "given"), "--split given needs a column; name it with --split-column"),
        (
            ("--split-column", "series"),
            "--split-column is used with --split group or --split given only; remove it, or add one of them",
        ),
        (
            ("--split", "scaffold", "--split-column", "series"),
            "--split-column is used with --split group or --split given only",
        ),
        (
            ("--split", "group", "--split-column", "serie"),
            "--split-column serie: there is no such column, only 'smiles', 'logS', 'active', 'series', 'part', 'fold'; "
            "did you mean 'series'?",
        ),
        (("--split", "given", "--split-column", "series"), "has 's0', which is no part of a split; write train or"),
        (
            ("--split", "group", "--split-column", "series", "--folds", "6"),
            "there are 5 groups, but --folds is 6, and each fold needs a group to test; use at most 5 folds",
        ),
        (
            ("--split", "group", "--split-column", "series", "--folds", "5", "--cv", "5"),
            "--cv must be from 2 to 4, the number of groups in the training part of a fold, got 5",
        ),
        (("--split", "given", "--split-column", "part", "--folds", "4"), "--folds is 4, but the given split has 1"),
        (("--measures", "accuracy"), "--measures: 'accuracy' is a measure for classes, but the task is regression"),
        (("--measures", "rsme"), "--measures: there is no measure 'rsme'; did you mean 'rmse'?"),
        (("--method", "wwl+svc"), "the variant 'svc' learns classes, but the task is regression"),
        (("-C", "1"), "--C is not a parameter of these methods; remove it"),
        (("--folds", "25"), "--folds must be from 2 to 24, the number of graphs, got 25"),
    ],
)
def test_errors_name_flags(capsys, table, arguments, message):
    code, _, err = run(capsys, "evaluate", "table.csv", "--target", "logS", *arguments)
    assert code == 2
    assert message in err


def test_groups_that_are_missing_name_the_row(capsys, table):
    table.write_text(table.read_text().replace(",s3,", ",,"))
    options = ("--target", "logS", "--split", "group", "--split-column", "series")
    code, _, err = run(capsys, "evaluate", "table.csv", *options)
    assert code == 2
    assert "have no value, the first here; write the name of a group, or leave the row out" in err


def test_splits_of_molecules_and_columns_need_a_table(capsys):
    code, _, err = run(capsys, "evaluate", "demo", "--split", "scaffold")
    assert code == 2
    assert "--split scaffold needs molecules, since graphs have neither charges nor hydrogens" in err
    code, _, err = run(capsys, "evaluate", "demo", "--split", "group", "--split-column", "x")
    assert code == 2
    assert "--split-column x applies to a table of molecules; remove it" in err
    code, _, err = run(capsys, "evaluate", "demo", "--method", "tanimoto")
    assert code == 2
    assert "--method tanimoto compares molecules" in err


@pytest.mark.filterwarnings("always::UserWarning")
def test_rows_that_cannot_be_read_do_not_shift_the_groups(capsys, table):
    """A molecule that cannot be read is left out with its target and its group."""
    lines = table.read_text().splitlines()
    broken = "C(((,1.5,1,s4,train,1"
    table.write_text("\n".join([lines[0], lines[1], broken, *lines[2:]]) + "\n")
    options = ("--target", "logS", "--split", "group", "--split-column", "series", "--method", "v", *PLAIN, "--json")
    code, _, err = run(capsys, "evaluate", "table.csv", *options)
    assert (code, "table.csv, line 3: 'C(((' cannot be read as a molecule" in err) == (2, True)
    code, out, _ = run(capsys, "evaluate", "table.csv", *options, "--invalid", "skip")
    assert code == 0
    content = json.loads(out)
    assert content["graphs"] == 24
    expected = evaluate(SMILES, NUMBERS, method="v", split="group", groups=SERIES, folds=3, inner_folds=2)
    np.testing.assert_allclose(content["methods"]["v"]["rmse"], expected.rows["v"].values("rmse"), rtol=1e-9)


def test_real_molecules(capsys, molecules_home):
    options = ("--target", "expt", "--method", "tanimoto", "--split", "scaffold", "--folds", "5", "--cv", "3")
    code, out, err = run(capsys, "evaluate", molecules_home / "FreeSolv.csv", *options, "--json", "--quiet")
    assert (code, err) == (0, "")
    content = json.loads(out)
    assert content["graphs"] > 600
    assert np.mean(content["methods"]["tanimoto"]["rmse"]) < np.mean(content["constant"]["rmse"])
