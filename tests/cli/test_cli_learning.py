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
from command_line import run
from tu_files import write_tu
from wassergraph.cli.main import _parser
from wassergraph.cli.model_options import model_of
from wassergraph.learners.effort import Effort

FAST = ("--depth", "0-1", "--gamma", "0.1,1", "-C", "1,100", "--cv", "2")


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
    np.testing.assert_allclose(scores, model.decision_function(expected), rtol=1e-5)
    p = [[float(row[f"probability_{c}"]) for c in range(3)] for row in rows]
    np.testing.assert_allclose(p, model.predict_proba(expected), rtol=1e-5)
    assert np.mean([int(row["class"]) for row in rows] == y[40:]) > 0.8
    code, out, _ = run(capsys, "predict", trained / "m.wgm", trained / "NEW", "--json")
    assert [row["class"] for row in json.loads(out)] == model.predict(expected).tolist()


def test_accuracy_is_printed_if_classes_are_known(capsys, trained, tmp_path):
    code, out, err = run(capsys, "predict", trained / "m.wgm", trained / "OLD", "--out", tmp_path / "p.csv")
    assert (code, out) == (0, "")
    assert "40 graphs predicted, compared with the graph labels: accuracy " in err
    assert f"% on 40 training rows (not a test), table written to {tmp_path / 'p.csv'}" in err
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 41


ALCOHOLS = ["CCO", "CCCO", "CCCCO", "CC(C)O", "CCCCCO", "CC(O)CC"]
RINGS = ["c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "CCCc1ccccc1", "CC(C)c1ccccc1", "Cc1ccccc1C"]
ONE = ("--depth", "1", "--gamma", "1", "-C", "1")


@pytest.fixture
def alcohols(tmp_path, monkeypatch):
    """Return a folder with a table of alcohols and rings, which is the current one."""
    rows = [f"m{n},{smiles},alcohol" for n, smiles in enumerate(ALCOHOLS)]
    rows += [f"m{n + 6},{smiles},ring" for n, smiles in enumerate(RINGS)]
    (tmp_path / "old.csv").write_text("\n".join(["name,smiles,class", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_similar_name_of_the_target_is_told(capsys, alcohols):
    assert run(capsys, "train", "old.csv", "-o", "m.wgm", *ONE)[0] == 0
    (alcohols / "new.csv").write_text("structure,Class\nCCCCCCO,alcohol\n")
    err = run(capsys, "predict", "m.wgm", "new.csv")[2]
    assert "no column 'class' to compare with (--target 'Class' is similar)" in err
    err = run(capsys, "predict", "m.wgm", "new.csv", "--target", "Class")[2]
    assert "compared with the column 'Class': accuracy 100.00% on 1 new row" in err


def test_a_table_of_molecules(capsys, alcohols):
    code, out, err = run(capsys, "train", "old.csv", "-o", "m.wgm", *ONE)
    assert (code, err) == (0, "")
    first = "12 molecules, target class: 2 classes (alcohol: 6, ring: 6) → classification"
    assert out.splitlines()[0] == first
    (alcohols / "new.csv").write_text("x,structure,class\n1.50,CCCCCCO,?\n2,CCCCc1ccccc1,ring\n3,CCCCCCCO,\n")
    code, out, err = run(capsys, "predict", "m.wgm", "new.csv")
    assert code == 0
    assert "3 graphs predicted, compared with the column 'class': accuracy 50.00% on 2 new rows" in err
    assert ", 1 row with a class that the model does not know (an error there)" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == [
        *("x", "structure", "class", "predicted_class"),
        *("score_alcohol", "score_ring", "probability_alcohol", "probability_ring", "most_probable"),
        *("nearest", "nearest_distance", "percentile", "domain", "unseen", "training_row"),
    ]
    assert [(row["x"], row["class"], row["predicted_class"]) for row in rows] == [
        ("1.50", "?", "alcohol"),
        ("2", "ring", "ring"),
        ("3", "", "alcohol"),
    ]
    code, out, _ = run(capsys, "train", "old.csv", "-o", "m.wgm", "--json", *ONE)
    assert (json.loads(out)["target"], json.loads(out)["task"]) == ("class", "classification")
    code, out, _ = run(capsys, "evaluate", "old.csv", "--method", "V", "--folds", 3, "--inner-folds", 2)
    assert code == 0
    assert out.splitlines()[0] == first


@pytest.mark.parametrize("flag", ["--target", "--target-column"])
def test_columns_are_named_or_guessed(capsys, alcohols, flag):
    text = (alcohols / "old.csv").read_text().replace("smiles,class", "drawing,what it is")
    (alcohols / "odd.csv").write_text(text)
    code, _, err = run(capsys, "train", "odd.csv", "-o", "n.wgm", *ONE)
    assert code == 2
    assert "name it with --target: 'name', 'what it is'" in err
    assert run(capsys, "train", "odd.csv", "-o", "n.wgm", flag, "what it is", *ONE)[0] == 0
    code, _, err = run(capsys, "train", "odd.csv", "-o", "n.wgm", flag, "what is it", *ONE)
    assert (code, "did you mean 'what it is'?" in err) == (2, True)


@pytest.mark.filterwarnings("always::UserWarning")
def test_unreadable_rows_stop_training_and_are_kept_in_predictions(capsys, alcohols):
    with (alcohols / "old.csv").open("a") as file:
        file.write("bad,x(,ring\nempty,,ring\nsalt,[Na+].[Cl-],\n")
    code, _, err = run(capsys, "train", "old.csv", "-o", "m.wgm", *ONE)
    assert code == 2
    assert "old.csv, line 14: 'x(' cannot be read" in err
    assert "(also line 15: ''); correct or remove such molecules, or pass --invalid skip" in err
    code, out, err = run(capsys, "train", "old.csv", "-o", "m.wgm", "--invalid", "skip", *ONE)
    assert code == 0
    assert "warning: 1 of 15 rows left out for lack of a value of 'class', in old.csv, line 16" in err
    assert "warning: 2 of 14 molecules cannot be read and are left out, in old.csv, line 14 (" in err
    assert out.startswith("12 molecules, ")
    code, out, err = run(capsys, "predict", "m.wgm", "old.csv", "-o", "-")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, len(rows)) == (0, 15)
    assert [row["name"] for row in rows if not row["predicted_class"]] == ["bad", "empty"]
    assert rows[-1]["predicted_class"] != ""
    assert "2 of 15 molecules cannot be read and are kept without a prediction" in err
    code, out, _ = run(capsys, "predict", "m.wgm", "old.csv", "--json")
    assert [row["name"] for row in json.loads(out) if row["predicted_class"] is None] == ["bad", "empty"]
    code, out, _ = run(capsys, "predict", "m.wgm", "old.csv", "--invalid", "skip", "-o", "p.csv")
    assert (code, out, len((alcohols / "p.csv").read_text().splitlines())) == (0, "", 14)
    assert run(capsys, "predict", "m.wgm", "old.csv", "--invalid", "error")[0] == 2


@pytest.mark.filterwarnings("always::UserWarning")
def test_numbers_are_learned_with_intervals(capsys, alcohols):
    chains = ["C" * n + end for n in range(1, 31) for end in ("O", "N")]
    rows = [f"m{n},{smiles},{len(smiles) * 0.37 - 2:.3f}" for n, smiles in enumerate(chains)]
    (alcohols / "numbers.csv").write_text("\n".join(["name,smiles,logS", *rows]))
    few = ("--depth", "1", "--gamma", "0.01,0.1", "--alpha", "0.001,0.1", "--kind", "categorical")
    code, out, err = run(capsys, "train", "numbers.csv", "-o", "m.wgm", "--target", "logS", *few)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "60 molecules, target logS: numbers from −1.26 to 9.47 → regression"
    assert "(of 8 candidates)" in out
    assert "for 90%, calibrated on 12 graphs" in out
    new = [f"{smiles},{value}" for smiles, value in [("CCCCCCCCCO", 1.7), ("C1CC", ""), ("c1ccccc1Cl", "")]]
    (alcohols / "new.csv").write_text("\n".join(["smiles,logS", *new]))
    code, out, err = run(capsys, "predict", "m.wgm", "new.csv", "--target", "logS")
    assert code == 0
    assert "'logS' predicted for 2 graphs, compared with the column 'logS': RMSE " in err
    assert "1 outside the domain of the training graphs, 1 of them with labels that no training graph has" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    columns = [
        "predicted",
        "lower_90",
        "upper_90",
        "target_name",
        "nearest",
        "nearest_distance",
        "percentile",
        "domain",
        "unseen",
        "training_row",
    ]
    assert list(rows[0]) == ["smiles", "logS", *columns]
    assert float(rows[0]["lower_90"]) < float(rows[0]["predicted"]) < float(rows[0]["upper_90"])
    assert (rows[0]["nearest"], rows[0]["nearest_distance"], rows[0]["domain"]) == ("m16", "0", "inside")
    assert [rows[1][name] for name in columns] == [""] * 10
    assert (rows[2]["domain"], rows[2]["unseen"]) == ("outside", "Cl, aromatic bond")
    code, out, _ = run(capsys, "predict", "m.wgm", "new.csv", "--json")
    assert json.loads(out)[0]["nearest"] == "m16"
    code, out, _ = run(capsys, "train", "numbers.csv", "-o", "m.wgm", "--target", "logS", "--json", *few)
    assert json.loads(out)["inner_rmse"] < json.loads(out)["rmse_of_the_mean"]
    gp = ("--model", "gp", "--depth", "1", "--kind", "categorical")
    code, out, _ = run(capsys, "train", "numbers.csv", "-o", "g.wgm", "--target", "logS", *gp)
    assert (code, "of training numbers, each predicted from the others, are in the 90% interval" in out) == (0, True)
    code, out, _ = run(capsys, "predict", "g.wgm", "new.csv")
    assert out.splitlines()[0] == "smiles,logS," + ",".join(columns)


def test_wrong_parameters_for_numbers_and_classes(capsys, alcohols):
    rows = [f"{smiles},{n * 0.37 - 2}" for n, smiles in enumerate(ALCOHOLS)]
    (alcohols / "numbers.csv").write_text("\n".join(["smiles,logS", *rows]))
    code, _, err = run(capsys, "train", "numbers.csv", "--target", "logS", "-C", "1")
    assert (code, "--C is not a parameter of the model ridge; remove it" in err) == (2, True)
    code, _, err = run(capsys, "train", "old.csv", "--calibration", "0.1")
    assert (code, "--calibration is not a parameter of the model svm" in err) == (2, True)
    code, _, err = run(capsys, "train", "old.csv", "--model", "gp")
    assert (code, "--model gp learns numbers, but the target is classes" in err) == (2, True)
    code, _, err = run(capsys, "evaluate", "numbers.csv", "--target", "logS", "-C", "1", "--folds", "2")
    assert (code, "--C is not a parameter of these methods; remove it" in err) == (2, True)
    code, _, err = run(capsys, "evaluate", "old.csv", "--alpha", "0.1", "--folds", "2")
    assert (code, "--alpha is not a parameter of the model svm; remove it" in err) == (2, True)
    code, _, err = run(capsys, "train", "old.csv", "-o", "m.wgm", "--task", "regression")
    assert (code, "line 2: 'alcohol' in the column 'class' is not a number" in err) == (2, True)


@pytest.mark.filterwarnings("always::UserWarning")
def test_an_sdf_file(capsys, alcohols):
    from rdkit import Chem

    molecules = [(smiles, smiles in RINGS) for smiles in ALCOHOLS + RINGS]
    blocks = [f"{Chem.MolToMolBlock(Chem.MolFromSmiles(s))}> <ring>\n{int(r)}\n\n$$$$\n" for s, r in molecules]
    (alcohols / "a.sdf").write_text("".join(blocks))
    code, out, _ = run(capsys, "train", "a.sdf", "--target", "ring", "-o", "m.wgm", *ONE)
    assert (code, out.splitlines()[0]) == (0, "12 molecules, target ring: 2 classes (0: 6, 1: 6) → classification")
    (alcohols / "half.sdf").write_text("".join(blocks)[: len("".join(blocks)) // 2])
    code, out, err = run(capsys, "predict", "m.wgm", "half.sdf")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, rows[0]["ring"], rows[0]["class"], rows[-1]["class"]) == (0, "0", "0", "")
    assert "cannot be read and is kept without a prediction, in half.sdf, line" in err


@pytest.mark.filterwarnings("always::UserWarning")
def test_default_folds_fit_small_tables(capsys, alcohols):
    lines = (alcohols / "old.csv").read_text().splitlines()
    (alcohols / "small.csv").write_text("\n".join([*lines[:3], *lines[-2:]]))
    code, _, err = run(capsys, "train", "small.csv", "-o", "m.wgm", *ONE)
    assert (code, err) == (0, "wassergraph: warning: 2 folds instead of 5, since no class has more graphs to split\n")
    code, _, err = run(capsys, "train", "small.csv", "-o", "m.wgm", "--cv", "5", *ONE)
    assert (code, "--cv must be from 2 to 2" in err) == (2, True)


def test_a_table_is_described(capsys, alcohols):
    code, out, err = run(capsys, "datasets", "old.csv")
    assert (code, err) == (0, "")
    assert "classification: 2 classes (alcohol: 6, ring: 6)" in out
    code, out, _ = run(capsys, "datasets", "old.csv", "--target", "name", "--json")
    assert (json.loads(out)["target"], json.loads(out)["smiles_column"]) == ("name", "smiles")
    code, _, err = run(capsys, "datasets", "odl.csv")
    assert (code, "odl.csv: it does not exist; did you mean 'old.csv'?" in err) == (2, True)


def test_a_model_has_the_name_of_its_data_unless_there_is_such_a_file(capsys, alcohols):
    code, out, _ = run(capsys, "train", "old.csv", *ONE)
    assert (code, out.splitlines()[-1]) == (0, "Model written to old.wgm")
    assert run(capsys, "predict", "old.wgm", "old.csv", "-o", "p.csv")[0] == 0
    code, _, err = run(capsys, "train", "old.csv", *ONE)
    assert (code, "old.wgm: this file exists already; name a file with --out" in err) == (2, True)


def test_the_summary_says_which_mass_was_given_or_chosen(capsys, alcohols):
    labels = ("--kind", "categorical", *ONE)
    _, out, _ = run(capsys, "train", "old.csv", "-o", "m.wgm", "--mass", "count", *labels)
    assert "kind            categorical, every node with the mass 1\n" in out
    assert "(of 1 candidate)" in out
    _, out, _ = run(capsys, "train", "old.csv", "-o", "m.wgm", "--mass", "share", *labels)
    assert "kind            categorical\n" in out
    _, out, _ = run(capsys, "train", "old.csv", "-o", "m.wgm", "--json", *labels)
    summary = json.loads(out)
    assert summary["mass"] == summary["best_params"]["mass"]


def test_evaluation_has_the_parameters_of_training(capsys, alcohols):
    few = ("--folds", 3, "--inner-folds", 2, "--json")
    code, out, _ = run(capsys, "evaluate", "old.csv", "--method", "WWL", "WL", *few, *ONE, "--mass", "count")
    assert code == 0
    methods = json.loads(out)["methods"]
    assert methods["wwl"]["parameters"] == [[{"mass": "count", "depth": 1, "gamma": 1.0, "C": 1.0}] * 3]
    assert methods["wl"]["parameters"] == [[{"depth": 1, "C": 1.0}] * 3]
    code, out, _ = run(capsys, "evaluate", "old.csv", *few, *ONE)
    assert json.loads(out)["methods"]["wwl"]["parameters"][0][0].keys() == {"mass", "depth", "gamma", "C"}


def test_a_model_is_not_written_to_standard_output(capsys, alcohols):
    code, _, err = run(capsys, "train", "old.csv", "-o", "-", *ONE)
    assert (code, "a model cannot be written to standard output; name a file with --out" in err) == (2, True)


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
    assert "compared with 'class': accuracy 100.00% on 12 training rows (not a test)" in err
    again = run(capsys, "predict", tmp_path / "m.wgm", folder)
    assert again == (code, out, err)
    assert run(capsys, "predict", tmp_path / "m.wgm", folder, "--node-labels", "other")[0] == 2
    (folder / "labels.csv").unlink()
    code, _, err = run(capsys, "train", folder, "--out", tmp_path / "n.wgm", *options)
    assert code == 2
    assert f"{folder}: there is nothing to learn: neither classes nor numbers; " in err
    assert "--target, or" in err
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
        (("predict", "MODEL", "nothing/here"), "and there is no such file or data set"),
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
    monkeypatch.setattr("wassergraph.models.model_search.NO_LIMITS", Effort(max_iter=1))
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


def test_the_wide_search_is_the_default_unless_parameters_are_given(capsys, tmp_path):
    searches = {}
    for options in ((), ("--kind", "categorical"), ("--gamma", 1), ("--size-weight", 0.5), ("--search", "metric")):
        code, out, _ = run(capsys, "train", "demo", "--out", tmp_path / "m.wgm", "--cv", 2, "--json", *options)
        assert code == 0
        searches[options] = "kind" in json.loads(out)["best_params"]
    assert list(searches.values()) == [True, True, False, False, False]
    options = _parser().parse_args(["train", "demo"])
    assert model_of(options, numbers=False).search == model_of(options, numbers=True).search == "auto"


def test_the_wide_search_on_the_command_line(capsys, tmp_path):
    path = tmp_path / "m.wgm"
    options = ("--search", "wide", "--depth", "0-2", "--cv", 3, "--json")
    code, out, _ = run(capsys, "train", "demo", "--out", path, *options)
    assert code == 0
    assert set(json.loads(out)["best_params"]) >= {"kind", "mass", "degrees", "size_weight", "depth", "gamma", "C"}
    assert run(capsys, "predict", path, "demo")[0] == 0
    code, out, _ = run(capsys, "train", "demo", "--out", path, "--power", 2, "--gamma-scale", "median", *FAST, "--json")
    assert code == 0
    assert json.loads(out)["best_params"]["power"] == 2
    code, _, err = run(capsys, "train", "demo", "--out", path, "--search", "wide", "--size-weight", 1, *FAST)
    assert code == 2
    assert "the wide search chooses this itself, but --size-weight 1.0 is given" in err
    code, _, err = run(capsys, "train", "demo", "--out", path, "--power", 0, *FAST)
    assert code == 2
    assert "--power must be a positive number" in err
