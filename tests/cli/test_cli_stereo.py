"""Stereochemistry on the command line: the option of the metric, what models remember, and who is told what."""

from __future__ import annotations

import json

import numpy as np
import pytest

import wassergraph as wg
from command_line import run

TOLD = "12 molecules in 6 groups differ only in stereochemistry, which is not compared; pass --stereo use to compare it"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "alcohols.csv"
    rows = [f"{'C' * n}[C@{at}H](O)F,{form}" for n in range(1, 7) for at, form in (("", "R"), ("@", "S"))]
    path.write_text("smiles,class\n" + "\n".join(rows) + "\nCCO,R\nCCN,S\n", encoding="utf-8")
    return path


def train(capsys, table, path, *options):
    code, out, err = run(capsys, "train", table, "--out", path, "--depth", 1, "--cv", 2, *options)
    assert code == 0, err
    return out, err


def test_a_model_remembers_that_stereochemistry_is_compared(table, tmp_path, capsys):
    out, err = train(capsys, table, tmp_path / "m.wgm", "--stereo", "use", "--kind", "categorical")
    assert "node labels with stereochemistry, edge labels" in out
    assert "stereochemistry" not in err
    code, out, _ = run(capsys, "predict", tmp_path / "m.wgm", "CCCCCCCCC[C@H](O)F", "CCCCCCCCC[C@@H](O)F", "--json")
    assert code == 0
    assert [row["class"] for row in json.loads(out)] == ["R", "S"]
    assert wg.load_model(tmp_path / "m.wgm").metric.stereo == "use"


@pytest.mark.filterwarnings("always::UserWarning")
def test_one_warning_counts_molecules_that_differ_in_stereochemistry_only(table, tmp_path, capsys):
    _, err = train(capsys, table, tmp_path / "m.wgm")
    assert err.count("differ only in stereochemistry") == 1
    assert f"wassergraph: warning: {TOLD}" in err
    for command in (("duplicates", table), ("index", table, "--out", tmp_path / "i.wgi")):
        assert run(capsys, *command)[2].splitlines() == [TOLD]
        for decided in ("use", "ignore"):
            assert "stereochemistry" not in run(capsys, *command, "--stereo", decided)[2]
    assert "stereochemistry" not in run(capsys, "duplicates", table, "--quiet")[2]
    evaluated = run(capsys, "evaluate", table, "--method", "wwl", "--folds", 2, "--inner-folds", 2, "--depth", 1)
    assert evaluated[2].count("differ only in stereochemistry") == 1


def test_distances_and_duplicates_compare_it_on_request(table, tmp_path, capsys):
    for stereo in ("use", "ignore"):
        assert run(capsys, "distances", table, "--out", tmp_path / "D.npy", "--stereo", stereo)[0] == 0
        distances = np.load(tmp_path / "D.npy")
        assert (distances[0, 1] > 0) == (stereo == "use")
        np.testing.assert_array_equal(distances, wg.distances(smiles_of(table), metric=wg.WWL(stereo=stereo)))
    assert "no molecules at distance 0" in run(capsys, "duplicates", table, "--stereo", "use")[1]


def test_plans_name_centers(capsys):
    pair = ("compare", "C[C@H](O)F", "C[C@@H](O)F", "--depth", 0)
    code, out, err = run(capsys, *pair, "--stereo", "use")
    assert (code, err) == (0, "")
    assert "1 (C (R))" in out
    assert "1 (C (S))" in out
    code, out, err = run(capsys, *pair)
    assert "(R)" not in out
    assert err == f"{TOLD.replace('12', '2').replace('6 groups', '1 group')}\n"


def test_graphs_that_are_no_molecules_have_no_stereochemistry(capsys):
    code, _, err = run(capsys, "duplicates", "demo", "--stereo", "use")
    assert code == 2
    assert "--stereo use needs molecules, but these are other graphs; leave it out" in err


def smiles_of(table):
    return [line.partition(",")[0] for line in table.read_text(encoding="utf-8").splitlines()[1:]]
