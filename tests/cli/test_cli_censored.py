"""Bounds such as ">10" from the command line: left out or read as numbers, counted, and remembered by models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from command_line import run

pytestmark = pytest.mark.filterwarnings("always::UserWarning")
TABLE = """smiles,IC50
CCO,1.5
CCCO,2.5
CCCCO,3.25
CCCCCO,>10
CCN,0.5
CCCN,<0.1
CCCCN,~1.25
c1ccccc1,NA
c1ccccc1C,4.5
c1ccccc1CC,≥ 5.5
c1ccccc1CCC,5.5
CC(C)O,1.75
"""
FEW = ("--target", "IC50", "--depth", "1", "--gamma", "1", "--alpha", "0.1", "--kind", "categorical")
DROPPED = "3 values of 'IC50' are censored (>: 2, <: 1): left out; 1 value is approximate (~): read as the numbers"
COUNTS = {">": 2, "<": 1, "~": 1}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table with bounds, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return path.name


def test_the_default_is_an_error_that_names_the_option(capsys, table):
    for command in (("train", table, *FEW), ("evaluate", table, *FEW), ("datasets", table, "--target", "IC50")):
        code, out, err = run(capsys, *command)
        assert (code, out) == (2, "")
        assert "t.csv, line 5: '>10' in the column 'IC50' is not a number, but 7 cells are" in err
        assert (
            "4 numbers have a sign such as > or <: pass --censored drop to leave out bounds, or --censored value" in err
        )


def test_counts_are_printed_and_the_model_remembers(capsys, table):
    code, out, err = run(capsys, "train", table, *FEW, "--censored", "drop", "-o", "m.wgm")
    assert (code, out.splitlines()[0]) == (0, "8 molecules, target IC50: numbers from 0.5 to 5.5 → regression")
    assert f"warning: {DROPPED}\n" in err
    assert "warning: 1 of 12 rows left out for lack of a value of 'IC50', in t.csv, line 9\n" in err
    assert wg.load_model("m.wgm").source_["censored"] == "drop"
    code, _, err = run(capsys, "predict", "m.wgm", table, "-o", "p.csv")
    assert (code, DROPPED in err, "on 8 training rows" in err) == (0, True, True)
    code, _, err = run(capsys, "predict", "m.wgm", table, "-o", "p.csv", "--censored", "value")
    assert (code, "on 3 new rows" in err) == (0, True)
    code, _, err = run(capsys, "predict", "m.wgm", table, "-o", "p.csv", "--censored", "error")
    assert (code, "'>10' in the column 'IC50' is not a number" in err) == (2, True)


def test_read_as_numbers(capsys, table):
    code, out, err = run(capsys, "train", table, *FEW, "--censored", "value", "-o", "m.wgm")
    assert (code, out.splitlines()[0]) == (0, "11 molecules, target IC50: numbers from 0.1 to 10 → regression")
    assert f"warning: {DROPPED.replace('left out', 'read as the numbers')}\n" in err
    assert sorted(wg.load_model("m.wgm").targets_.tolist())[-3:] == [5.5, 5.5, 10]


@pytest.mark.parametrize("how", ["drop", "value"])
def test_json(capsys, table, how):
    code, out, _ = run(capsys, "train", table, *FEW, "--censored", how, "-o", "m.wgm", "--json")
    assert (code, json.loads(out)["censored"]) == (0, {"how": how, "counts": COUNTS})
    folds = ("--folds", "2", "--inner-folds", "2", "--json")
    code, out, err = run(capsys, "evaluate", table, *FEW, "--censored", how, *folds)
    found = json.loads(out)
    assert (code, found["censored"]["counts"], found["graphs"]) == (0, COUNTS, 8 if how == "drop" else 11)
    assert "3 values of 'IC50' are censored" in err
    code, out, _ = run(capsys, "datasets", table, "--target", "IC50", "--censored", how, "--json")
    assert (code, json.loads(out)["censored"]["how"]) == (0, how)


def test_other_commands(capsys, table):
    code, out, err = run(capsys, "duplicates", table, "--target", "IC50", "--censored", "drop")
    assert (code, DROPPED in err) == (0, True)
    code, out, _ = run(capsys, "datasets", table, "--target", "IC50", "--censored", "drop")
    assert (code, f"IC50, 4 without a value; {DROPPED}" in out) == (0, True)
    code, _, err = run(capsys, "report", table, "--target", "IC50", "--censored", "drop", "-o", "r.html")
    assert (code, DROPPED in err) == (0, True)
    code, _, err = run(capsys, "datasets", "demo", "--censored", "drop")
    assert (code, "--censored applies to a table of molecules or a graph file" in err) == (2, True)


GP = ("--target", "IC50", "--depth", "1", "--kind", "categorical", "--model", "gp", "--censored", "likelihood")


def test_bounds_are_learned(capsys, table):
    code, out, err = run(capsys, "train", table, *GP, "-o", "m.wgm")
    assert (code, out.splitlines()[0]) == (0, "11 molecules, target IC50: numbers from 0.1 to 10 → regression")
    assert "\nbounds      3 of 11 numbers (>: 2, <: 1)\n" in out
    assert f"warning: {DROPPED.replace('left out', 'learned as bounds')}\n" in err
    model = wg.load_model("m.wgm")
    assert model.source_["censored"] == "likelihood"
    smiles, cells = zip(*(line.split(",") for line in TABLE.splitlines()[1:]), strict=True)
    rows = [row for row, cell in enumerate(cells) if cell != "NA"]
    y = [float(cells[row].lstrip("<>≥~ ")) for row in rows]
    sides = [{"<": "<", ">": ">", "≥": ">"}.get(cells[row][0], "=") for row in rows]
    same = wg.GraphGaussianProcess(wg.WWL(depth=1, kind="categorical"))
    same.fit([smiles[row] for row in rows], y, censored=sides)
    np.testing.assert_array_equal(model.predict(list(smiles)), same.predict(list(smiles)))
    code, _, err = run(capsys, "predict", "m.wgm", table, "-o", "p.csv")
    assert (code, DROPPED in err, "on 8 training rows" in err) == (0, True, True)
    code, out, _ = run(capsys, "train", table, *GP, "-o", "m.wgm", "--json")
    assert (code, json.loads(out)["bounds"], json.loads(out)["censored"]["how"]) == (0, {">": 2, "<": 1}, "likelihood")


def test_bounds_among_test_rows_do_not_count(capsys, table):
    rows = TABLE.splitlines()
    split = ["split", *("test" if row in (2, 4, 6) else "train" for row in range(1, len(rows)))]
    Path("s.csv").write_text("".join(f"{row},{part}\n" for row, part in zip(rows, split, strict=True)))
    code, out, _ = run(capsys, "train", "s.csv", *GP, "--split-column", "split", "-o", "m.wgm")
    assert (code, "bounds      1 of 8 numbers (>: 1)" in out) == (0, True)
    assert "on 1 " in next(line for line in out.splitlines() if line.startswith("test rows of 'split'"))


@pytest.mark.parametrize("model", [(), ("--model", "ridge")])
def test_other_models_do_not_learn_bounds(capsys, table, model):
    code, out, err = run(capsys, "train", table, "--target", "IC50", "--censored", "likelihood", *model)
    assert (code, out) == (2, "")
    assert "--censored likelihood is for a Gaussian process; add --model gp, or choose drop or value" in err
