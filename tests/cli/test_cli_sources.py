"""What the commands read: SMILES, files and data sets, told apart in one way, and never sent anywhere."""

from __future__ import annotations

import csv
import io
import json
import socket

import networkx as nx
import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import mean_absolute_error, r2_score

import wassergraph as wg
from command_line import run
from wassergraph.datasets import download

ALCOHOLS = ["CCO", "CCCO", "CCCCO", "CC(C)O", "CCCCCO", "CC(O)CC"]
RINGS = ["c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "CCCc1ccccc1", "CC(C)c1ccccc1", "Cc1ccccc1C"]
ONE = ("--depth", "1", "--gamma", "1", "-C", "1")
SECRET = "CCN1CCOCC1"
#: Every command that reads graphs; DATA is where they are named.
READ = [
    ("datasets", "DATA"),
    ("duplicates", "DATA"),
    ("distances", "DATA", "-o", "D.npy"),
    ("distances", "old.csv", "--others", "DATA", "-o", "D.npy"),
    ("compare", "DATA", "--rows", "1", "2"),
    ("index", "DATA", "-o", "i.wgi"),
    ("train", "DATA", "-o", "m2.wgm"),
    ("evaluate", "DATA"),
    ("report", "DATA", "-o", "r.html"),
    ("report", "DATA", "-o", "r.html", "--model", "m.wgm"),
]
#: Those that accept a SMILES, too.
READ_SMILES = [
    ("compare", "CCO", "DATA"),
    ("search", "i.wgi", "DATA"),
    ("predict", "m.wgm", "DATA"),
    ("predict", "m.wgm", "CCO", "DATA"),
    ("explain", "m.wgm", "DATA"),
]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a folder with a table, a model of it and an index of it."""
    folder = tmp_path_factory.mktemp("trained")
    graphs, y = wg.from_smiles(ALCOHOLS + RINGS), [0.5] * 6 + [1.5] * 6
    rows = [f"m{n},{smiles},{y[n]},{n % 2}" for n, smiles in enumerate(ALCOHOLS + RINGS)]
    (folder / "old.csv").write_text("\n".join(["name,smiles,pEC50 (nM),active", *rows]) + "\n")
    model = wg.GraphRegressor(wg.WWL(depth=1, kind="categorical"), gamma=0.1, alpha=0.01)
    model.fit(graphs, y, target_name="pEC50 (nM)").save(folder / "m.wgm")
    wg.GraphIndex(graphs).save(folder / "i.wgi")
    return folder


@pytest.fixture
def here(trained, monkeypatch):
    monkeypatch.chdir(trained)
    monkeypatch.delenv("WASSERGRAPH_OFFLINE")
    monkeypatch.setattr(download, "_fetch", lambda url, *_: pytest.fail(f"{url} was asked for"))
    return trained


def texts(command, text):
    return [text if word == "DATA" else word for word in command]


@pytest.mark.parametrize("command", READ, ids=" ".join)
@pytest.mark.parametrize("text", [SECRET, "F/C=C/F", "CC" * 200])
def test_a_smiles_is_no_data_set(here, capsys, command, text):
    code, out, err = run(capsys, *texts(command, text))
    assert (code, out) == (2, "")
    assert "is a SMILES, and there is no such file or data set, but a table or a data set is needed here" in err
    assert "write the SMILES into a .smi file" in err


@pytest.mark.parametrize("command", READ_SMILES, ids=" ".join)
@pytest.mark.parametrize("text", [SECRET, "F/C=C/F"])
def test_a_smiles_is_a_molecule(here, capsys, command, text):
    code, _, err = run(capsys, *texts(command, text))
    assert code == 0
    assert "error" not in err


@pytest.mark.parametrize("command", READ + READ_SMILES, ids=" ".join)
def test_a_missing_file_is_named(here, capsys, command):
    for name, remedy in (("odl.csv", "did you mean 'old.csv'?"), ("nothing.gml", "pass the name of")):
        code, out, err = run(capsys, *texts(command, name))
        assert (code, out) == (2, "")
        assert f"{name}: it does not exist; {remedy}" in err


@pytest.mark.parametrize("command", READ + READ_SMILES, ids=" ".join)
def test_a_misspelt_data_set_is_not_asked_for(here, capsys, command):
    code, out, err = run(capsys, *texts(command, "ENZYMS"))
    assert (code, out) == (2, "")
    assert "did you mean 'ENZYMES'?" in err
    code, out, err = run(capsys, *texts(command, "c1ccccc2"))
    assert (code, out) == (2, "")
    assert "--download" in err


def test_tests_that_use_the_network_fail(request):
    refused = request.getfixturevalue("_no_network")
    for host in ("127.0.0.1", "10.0.0.1", "www.example.org"):
        with pytest.raises(OSError, match="tests may not"):
            socket.create_connection((host, 80), timeout=1)
    assert len(refused) == 3
    refused.clear()  # otherwise this test would fail


def test_several_smiles_are_predicted_like_a_table(here, capsys, tmp_path):
    code, out, err = run(capsys, "predict", "m.wgm", SECRET, "CCO")
    rows = list(csv.DictReader(io.StringIO(out)))
    outside = "1 outside the domain of the training graphs, 1 of them with labels that no training graph has"
    assert (code, err) == (0, f"'pEC50 (nM)' predicted for 2 graphs, 1 graph equal to a training graph, {outside}\n")
    assert [row["smiles"] for row in rows] == [SECRET, "CCO"]
    assert [row["training_row"] for row in rows] == ["no", "yes"]
    (tmp_path / "new.smi").write_text(f"{SECRET}\nCCO\n")
    assert run(capsys, "predict", "m.wgm", tmp_path / "new.smi")[1] == out
    code, _, err = run(capsys, "predict", "m.wgm", "CCO", "old.csv")
    assert code == 2
    assert "there are 2 inputs, but 'old.csv' is a table of molecules; pass one file or data set, or" in err
    code, _, err = run(capsys, "predict", "m.wgm", "CCO", "--smiles-column", "x")
    assert (code, "--smiles-column applies to a table of molecules, but this is a SMILES" in err) == (2, True)


def test_a_smiles_is_explained_by_its_name(here, capsys):
    code, out, _ = run(capsys, "explain", "m.wgm", SECRET)
    assert (code, out.splitlines()[0]) == (0, f"Row 1, {SECRET}")


def test_predicted_numbers_are_shown_with_the_name_of_their_target(here, capsys):
    """The unit of a number is part of the name of its column."""
    _, out, _ = run(capsys, "predict", "m.wgm", "CCO", "CCCCCCO")
    assert [row["target_name"] for row in csv.DictReader(io.StringIO(out))] == ["pEC50 (nM)"] * 2
    _, out, _ = run(capsys, "predict", "m.wgm", "CCO", "--json")
    assert json.loads(out)[0]["target_name"] == "pEC50 (nM)"
    _, out, _ = run(capsys, "explain", "m.wgm", "CCCCCCO")
    assert "\nPredicted pEC50 (nM) " in out
    assert "pEC50 (nM)  distance" in out
    _, out, _ = run(capsys, "explain", "m.wgm", "CCO", "--json")
    assert json.loads(out)["target_name"] == "pEC50 (nM)"


def test_explanations_mark_training_graphs(here, capsys):
    for smiles, is_training in (("CCO", True), ("OCC", True), ("CCCCCCO", False)):
        code, out, _ = run(capsys, "explain", "m.wgm", smiles)
        assert code == 0
        assert out.splitlines()[2].endswith(" (training graph)") == is_training
        assert ("The model cannot tell this graph from a training graph: " in out) == is_training
        code, out, _ = run(capsys, "explain", "m.wgm", smiles, "--json")
        assert json.loads(out)["training_row"] is is_training


def test_predictions_are_compared_with_the_target_of_the_model_only(here, capsys, tmp_path):
    code, _, err = run(capsys, "predict", "m.wgm", "old.csv")
    assert code == 0
    assert "compared with the column 'pEC50 (nM)': RMSE 0." in err
    assert err.endswith(" on 12 training rows (not a test)\n")
    (tmp_path / "other.csv").write_text("smiles,active\nCCO,1\nCCCCCCO,0\n")
    code, _, err = run(capsys, "predict", "m.wgm", tmp_path / "other.csv")
    no_column = "no column 'pEC50 (nM)' to compare with"
    assert (code, err) == (0, f"'pEC50 (nM)' predicted for 2 graphs, 1 graph equal to a training graph, {no_column}\n")
    code, _, err = run(capsys, "predict", "m.wgm", tmp_path / "other.csv", "--target", "active")
    assert "compared with the column 'active': RMSE " in err
    assert "on 1 training row (not a test), " in err
    assert "on 1 new row" in err


def test_a_model_remembers_the_columns_of_its_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cells = [(f"m{n}", s, "CC", "a" if s in RINGS else "b") for n, s in enumerate(ALCOHOLS + RINGS)]
    lines = [",".join(row) for row in cells]
    (tmp_path / "old.csv").write_text("\n".join(["id,drawn,salt,kind", *lines]) + "\n")
    columns = ("--smiles-column", "drawn", "--target", "kind")
    code, out, _ = run(capsys, "train", "old.csv", "-o", "m.wgm", *columns, *ONE)
    assert code == 0
    assert "\ntarget          kind\n" in out
    model = wg.load_model("m.wgm")
    assert model.target_name_ == "kind"
    assert model.source_ == {"name_column": "id", "smiles_column": "drawn"}
    (tmp_path / "new.csv").write_text("drawn_smiles,drawn,kind,class\nC,CCCCCCO,b,x\nC,CCCCc1ccccc1,a,y\n")
    code, out, err = run(capsys, "predict", "m.wgm", "new.csv", "--json")
    assert (code, "compared with the column 'kind': accuracy 100.00% on 2 new rows" in err) == (0, True)
    assert [row["predicted_class"] for row in json.loads(out)] == ["b", "a"]
    (tmp_path / "plain.csv").write_text("smiles\nCCCCCCO\n")
    assert run(capsys, "predict", "m.wgm", "plain.csv")[0] == 0
    code, out, _ = run(capsys, "train", "old.csv", "-o", "m.wgm", *columns, *ONE, "--json")
    facts = json.loads(out)
    assert (facts["target"], facts["source"]) == ("kind", {"name_column": "id", "smiles_column": "drawn"})


def test_a_model_remembers_how_edges_were_read(tmp_path, capsys):
    folder = tmp_path / "graphs"
    folder.mkdir()
    rows = ["file,class"]
    for n in range(4, 9):
        for name, graph in [("ring", nx.cycle_graph(n)), ("path", nx.path_graph(n))]:
            directed = nx.DiGraph(graph.edges)
            directed.add_edge(0, 0)
            nx.write_graphml(directed, folder / f"{name}{n}.graphml")
            rows.append(f"{name}{n},{name}")
    (folder / "labels.csv").write_text("\n".join(rows))
    model = tmp_path / "m.wgm"
    flags = ("--symmetrize", "--self-loops", "drop")
    assert run(capsys, "train", folder, "-o", model, *flags, *ONE)[0] == 0
    assert wg.load_model(model).source_ == {"symmetrize": True, "self_loops": "drop"}
    code, out, _ = run(capsys, "predict", model, folder / "ring5.graphml")
    assert code == 0
    assert out.splitlines()[1].endswith(",yes")
    assert run(capsys, "explain", model, folder / "ring5.graphml")[0] == 0
    code, _, err = run(capsys, "predict", model, folder / "ring5.graphml", "--no-symmetrize")
    assert (code, "has no edge back" in err) == (2, True)


def test_a_split_column_trains_on_a_part(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    parts = ["Train"] * 4 + ["test"] * 2
    rows = [f"{s},{'a' if s in RINGS else 'b'},{parts[n % 6]}" for n, s in enumerate(ALCOHOLS + RINGS)]
    (tmp_path / "all.csv").write_text("\n".join(["smiles,class,split", *rows, "CCO,a,test"]) + "\n")
    train = ("train", "all.csv", "-o", "m.wgm", "--split-column", "split", "--cv", "3", *ONE)
    code, out, _ = run(capsys, *train)
    assert code == 0
    assert "trained on      8 graphs" in out
    assert "\ntest rows of 'split': accuracy 0.00% on 1 training row (not a test), 100.00% on 4 new rows\n" in out
    assert wg.load_model("m.wgm").n_train_ == 8
    code, out, _ = run(capsys, *train, "--json")
    assert json.loads(out)["test"] == {
        "measure": "accuracy",
        "training": {"n_rows": 1, "value": 0.0},
        "new": {"n_rows": 4, "value": 1.0},
        "told_apart": True,
        "others": {},
    }
    code, _, err = run(capsys, "train", "all.csv", "-o", "m.wgm", "--split-column", "spilt", *ONE)
    assert (code, "did you mean 'split'?" in err) == (2, True)
    (tmp_path / "folds.csv").write_text("\n".join(["smiles,class,fold", "CCO,a,0", "CCN,b,1", "CCC,a,2"]) + "\n")
    code, _, err = run(capsys, "train", "folds.csv", "-o", "m.wgm", "--split-column", "fold")
    assert code == 2
    assert "--split-column fold has 3 folds, but one model is trained; write train and test, or estimate" in err
    assert "wassergraph evaluate and --split given" in err


def test_numbers_of_test_rows_are_measured_as_evaluations_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    y = [float(len(s)) + 0.3 * (n % 3) for n, s in enumerate(ALCOHOLS + RINGS)]
    parts = np.array((["train"] * 4 + ["test"] * 2) * 2)
    rows = [",".join(map(str, row)) for row in zip(ALCOHOLS + RINGS, y, parts, strict=True)]
    (tmp_path / "all.csv").write_text("\n".join(["smiles,logP (-),split", *rows]) + "\n")
    numbers = (
        "--target",
        "logP (-)",
        "--depth",
        "1",
        "--gamma",
        "0.3",
        "--alpha",
        "0.1",
        "--cv",
        "2",
        "--calibration",
        "0",
    )
    train = ("train", "all.csv", "-o", "m.wgm", "--split-column", "split", *numbers)
    code, out, _ = run(capsys, *train)
    assert code == 0
    test = np.flatnonzero(parts == "test")
    known = np.array(y)[test]
    predicted = wg.load_model("m.wgm").predict([(ALCOHOLS + RINGS)[row] for row in test])
    mae, r2 = mean_absolute_error(known, predicted), r2_score(known, predicted)
    rho = spearmanr(known, predicted).statistic
    assert f" on 4 new rows (MAE {mae:#.4g}, R² {r2:#.4g}, Spearman's ρ {rho:#.4g})\n" in out
    code, out, _ = run(capsys, *train, "--json")
    found = json.loads(out)["test"]
    assert found["measure"] == "RMSE"
    assert found["others"] == pytest.approx({"mae": mae, "r2": r2, "spearman": rho})


def test_models_are_named_by_a_column_of_pandas():
    pandas = pytest.importorskip("pandas")
    graphs = wg.from_smiles(ALCOHOLS + RINGS)
    y = pandas.Series([0] * 6 + [1] * 6, name="active")
    model = wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=1.0)
    assert model.fit(graphs, y).target_name_ == "active"
    assert model.fit(graphs, y.to_numpy()).target_name_ is None
    assert model.fit(graphs, y, target_name="other").target_name_ == "other"
    assert (model.source_, model.fit(graphs, y, source={"a": ("b",)}).source_) == ({}, {"a": ["b"]})
    with pytest.raises(TypeError, match="target_name must be text, got 3"):
        model.fit(graphs, y, target_name=3)
    with pytest.raises(TypeError, match="source may have texts, numbers and lists of these, but 'a' is"):
        model.fit(graphs, y, source={"a": graphs})
