"""Training and prediction from the command line, on all that it reads."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from test_cli import run
from wassergraph.learning.effort import Effort
from wassergraph.learning.selection import score_grid

FAST = ("--depth", "0-1", "--gamma", "0.1,1", "-C", "1,100", "--cv", "2")


def write_tu(folder, graphs, y=None):
    """Write graphs with node labels and attributes in TU format."""
    folder.mkdir()
    name = folder.name
    tails = graphs.arc_tails + 1
    rows = {
        "A": [f"{a}, {b}" for a, b in zip(tails, graphs.indices + 1, strict=True)],
        "graph_indicator": [str(g + 1) for g in graphs.graph_of_node],
        "node_labels": [str(label) for label in graphs.node_labels],
        "node_attributes": [", ".join(map(repr, row)) for row in graphs.node_attributes.tolist()],
    }
    if y is not None:
        rows["graph_labels"] = [str(c) for c in y]
    for part, lines in rows.items():
        (folder / f"{name}_{part}.txt").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def trained(demo, tmp_path_factory):
    """A model of the first 40 demo graphs, and the others as a TU folder without classes."""
    graphs, y = demo
    folder = tmp_path_factory.mktemp("trained")
    write_tu(folder / "OLD", graphs[:40], y[:40])
    write_tu(folder / "NEW", graphs[40:])
    from wassergraph.cli.main import main

    arguments = ["train", str(folder / "OLD"), "--out", str(folder / "m.wgm"), "--kind", "joint", "--quiet", *FAST]
    assert main(arguments) == 0
    return folder


def test_train_prints_a_summary(capsys, tmp_path):
    code, out, err = run(capsys, "train", "demo", "--out", tmp_path / "m.wgm", "--kind", "joint", *FAST)
    assert (code, err) == (0, "")
    for text in (
        "60 graphs with node labels and node attributes",
        "of 8 candidates",
        "inner accuracy",
        "majority class",
    ):
        assert text in out
    for step in ("kernel", "distances", "selection", "training", "calibration", str(tmp_path / "m.wgm")):
        assert step in out
    assert wg.load_model(tmp_path / "m.wgm").n_train_ == 60


def test_the_summary_is_json_on_request(capsys, tmp_path):
    code, out, _ = run(capsys, "train", "demo", "--out", tmp_path / "m.wgm", "--json", "--random-state", 1, *FAST)
    summary = json.loads(out)
    assert code == 0
    assert summary["best_params"].keys() == {"depth", "gamma", "C"}
    assert summary["majority_class"] == pytest.approx(1 / 3)


def test_quiet_is_quiet(capsys, tmp_path):
    assert run(capsys, "train", "demo", "--out", tmp_path / "m.wgm", "--quiet", *FAST) == (0, "", "")
    out = tmp_path / "p.csv"
    assert run(capsys, "predict", tmp_path / "m.wgm", "demo", "--out", out, "--quiet") == (0, "", "")
    assert out.read_text().startswith("graph,class,score_0")


def test_new_graphs_without_classes_are_predicted(capsys, trained, demo):
    _, y = demo
    code, out, err = run(capsys, "predict", trained / "m.wgm", trained / "NEW")
    assert code == 0
    assert "20 graphs predicted" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    model = wg.load_model(trained / "m.wgm")
    expected, _ = wg.load_dataset(trained / "NEW")
    assert [int(row["class"]) for row in rows] == model.predict(expected).tolist()
    scores = [[float(row[f"score_{c}"]) for c in range(3)] for row in rows]
    np.testing.assert_array_equal(scores, model.decision_function(expected))
    p = [[float(row[f"probability_{c}"]) for c in range(3)] for row in rows]
    np.testing.assert_array_equal(p, model.predict_proba(expected))
    assert np.mean([int(row["class"]) for row in rows] == y[40:]) > 0.8
    code, out, _ = run(capsys, "predict", trained / "m.wgm", trained / "NEW", "--json")
    assert [row["class"] for row in json.loads(out)] == model.predict(expected).tolist()


def test_accuracy_is_printed_if_classes_are_known(capsys, trained, tmp_path):
    code, out, err = run(capsys, "predict", trained / "m.wgm", trained / "OLD", "--out", tmp_path / "p.csv")
    assert (code, out) == (0, "")
    assert "40 graphs predicted, accuracy on the given classes " in err
    assert f"%, table written to {tmp_path / 'p.csv'}" in err
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 41


def test_a_table_of_smiles(capsys, tmp_path):
    alcohols, rings = ["CCO", "CCCO", "CCCCO", "CC(C)O"], ["c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "CCCc1ccccc1"]
    lines = ["name,smiles,class", *(f"a{i},{s},alcohol" for i, s in enumerate(alcohols))]
    lines += [f"r{i},{s},ring" for i, s in enumerate(rings)]
    (tmp_path / "molecules.csv").write_text("\n".join(lines))
    (tmp_path / "new.csv").write_text("name,smiles\nx,CCCCCO\ny,CCCCc1ccccc1\n")
    assert run(capsys, "train", tmp_path / "molecules.csv", "--out", tmp_path / "m.wgm", *FAST)[0] == 0
    code, out, _ = run(capsys, "predict", tmp_path / "m.wgm", tmp_path / "new.csv")
    assert code == 0
    assert [(row["graph"], row["class"]) for row in csv.DictReader(io.StringIO(out))] == [
        ("x", "alcohol"),
        ("y", "ring"),
    ]
    (tmp_path / "odd.csv").write_text(
        "structure,activity\n" + "\n".join(f"{s},{s.count('O')}" for s in alcohols + rings)
    )
    code, _, err = run(capsys, "train", tmp_path / "odd.csv", "--out", tmp_path / "n.wgm", *FAST)
    assert code == 2
    assert "--smiles-column" in err
    columns = ("--smiles-column", "structure", "--target-column", "activity")
    assert run(capsys, "train", tmp_path / "odd.csv", "--out", tmp_path / "n.wgm", *columns, *FAST)[0] == 0


@pytest.mark.parametrize("suffix", ["graphml", "gml"])
def test_a_folder_of_graph_files(capsys, tmp_path, suffix):
    folder = tmp_path / "graphs"
    folder.mkdir()
    write = nx.write_graphml if suffix == "graphml" else nx.write_gml
    table = ["file,class"]
    for n in range(5, 11):
        for name, graph in [(f"ring{n}", nx.cycle_graph(n)), (f"path{n}", nx.path_graph(n))]:
            nx.set_node_attributes(graph, {v: v % 2 for v in graph}, "sort")
            write(graph, folder / f"{name}.{suffix}")
            table.append(f"{name}.{suffix},{name[:4]}")
    (folder / "labels.csv").write_text("\n".join(table))
    options = ("--node-labels", "sort", *FAST)
    assert run(capsys, "train", folder, "--out", tmp_path / "m.wgm", *options)[0] == 0
    code, out, err = run(capsys, "predict", tmp_path / "m.wgm", folder, "--node-labels", "sort")
    assert (code, len(out.splitlines())) == (0, 13)
    assert "accuracy on the given classes 100.00%" in err
    (folder / "labels.csv").unlink()
    code, _, err = run(capsys, "train", folder, "--out", tmp_path / "n.wgm", *options)
    assert code == 2
    assert f"{folder}: there are no classes to learn from; " in err
    assert "--target-column" in err
    assert "--labels-file" in err
    assert not (tmp_path / "n.wgm").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "demo", "--out", "no/such/folder/m.wgm"), "there is no folder no/such/folder"),
        (("train", "nothing/here", "--out", "m.wgm"), "nothing/here: it does not exist"),
        (("train", "demo", "--out", "m.wgm", "--cv", "1"), "--cv must be from 2"),
        (("train", "demo", "--out", "m.wgm", "--random-state", "-5"), "--random-state must be at least 0, got -5"),
        (("train", "demo", "--out", "m.wgm", "--gamma", "-1"), "gamma must be a positive number"),
        (("train", "demo", "--out", "m.wgm", "--n-jobs", "0"), "--n-jobs must not be 0; pass a number of threads"),
        (("predict", "nothing.wgm", "demo"), "nothing.wgm: No such file"),
        (("predict", __file__, "demo"), "this is not a model file"),
        (("predict", "MODEL", "nothing/here"), "nothing/here: it does not exist"),
        (("predict", "MODEL", "demo", "--out", "no/such/folder/p.csv"), "there is no folder"),
    ],
)
def test_wrong_input_has_exit_code_2(capsys, tmp_path, monkeypatch, trained, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *(trained / "m.wgm" if word == "MODEL" else word for word in arguments))
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", [("--depth", "deep"), ("--gamma", "a,b"), ("-C", ""), ("--kind", "both")])
def test_arguments_that_are_not_numbers(capsys, tmp_path, bad):
    from wassergraph.cli.main import main

    with pytest.raises(SystemExit) as stop:
        main(["train", "demo", "--out", str(tmp_path / "m.wgm"), *bad])
    assert stop.value.code == 2
    assert bad[0].lstrip("-") in capsys.readouterr().err


def test_failed_computation_has_exit_code_1(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(score_grid.__kwdefaults__, "effort", Effort(max_iter=1))
    code, _, err = run(capsys, "train", "demo", "--out", tmp_path / "m.wgm", *FAST)
    assert code == 1
    assert "wassergraph: failed: the support vector machine with C=" in err
    assert not (tmp_path / "m.wgm").exists()


def test_a_model_of_attributes_refuses_graphs_without(capsys, tmp_path, data_home):
    assert run(capsys, "train", "demo", "--out", tmp_path / "m.wgm", "--kind", "continuous", *FAST)[0] == 0
    code, _, err = run(capsys, "predict", tmp_path / "m.wgm", "MUTAG", "--data-home", data_home)
    assert code == 2
    assert (
        "these graphs have no node attributes, but the model was trained on 60 graphs with node attributes (2-d)" in err
    )


def test_train_and_predict_in_separate_processes(tmp_path):
    command = [sys.executable, "-m", "wassergraph"]
    train = subprocess.run([*command, "train", "demo", "--out", "m.wgm", *FAST], cwd=tmp_path, capture_output=True)
    assert (train.returncode, train.stderr) == (0, b"")
    predict = subprocess.run([*command, "predict", "m.wgm", "demo"], cwd=tmp_path, capture_output=True, text=True)
    assert predict.returncode == 0
    assert len(predict.stdout.splitlines()) == 61
    for name in ("train", "predict"):
        told = subprocess.run([*command, name, "--help"], capture_output=True, text=True, check=True).stdout
        assert f"example: wassergraph {name}" in told


def test_warnings_are_printed_in_one_line(tmp_path, demo):
    graphs, y = demo
    write_tu(tmp_path / "RARE", graphs[:30], np.where(np.arange(30) < 3, 7, y[:30] % 2))
    command = [sys.executable, "-m", "wassergraph", "train", "RARE", "--out", "m.wgm", *FAST[:-1], "5"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stderr
    rare = "the class 7 has 3 graphs, fewer than the 5 folds: some folds test without it"
    assert told == f"wassergraph: warning: {rare}\n"


EVALUATE = ("--method", "vh-c", "--folds", 2, "--inner-folds", 2, "--json", "--quiet")


def test_a_folder_with_the_name_of_a_published_data_set_is_used_as_it_is(capsys, tmp_path, monkeypatch, demo):
    """The paper removes edges from BZR_MD by their labels, which these graphs do not have."""
    write_tu(tmp_path / "BZR_MD", *demo)
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "evaluate", "BZR_MD", *EVALUATE)
    assert (code, err) == (0, "")
    assert json.loads(out)["methods"]["vh-c"]["features"] == "node attributes"


def test_a_published_data_set_with_another_name_is_used_as_in_the_paper(capsys, tmp_path, data_home):
    """The paper uses the one-hot labels of BZR_MD, standardized."""
    shutil.copy(data_home / "BZR_MD.zip", tmp_path / "mine.zip")
    code, out, _ = run(capsys, "evaluate", tmp_path / "mine.zip", *EVALUATE)
    assert code == 0
    row = json.loads(out)["methods"]["vh-c"]
    assert (row["features"], row["standardized"]) == ("one-hot labels", True)
    code, out, _ = run(capsys, "evaluate", tmp_path / "mine.zip", "--standardize", "no", *EVALUATE)
    assert json.loads(out)["methods"]["vh-c"]["standardized"] is False
