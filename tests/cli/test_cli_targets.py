"""Several targets from the command line: one model, one table of predictions, a table of results for each."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from wassergraph.models.target_models import TargetModels

FEW = ("--depth", "0,1", "--kind", "categorical", "--mass", "count", "--gamma", "0.1,1")
COLUMNS = "smiles,name,size,family,acid,part\n"


@pytest.fixture(scope="module")
def rows():
    """Rows of a table: the size of a molecule in two thirds of them, its family, and whether it is an acid in most."""
    drugs = wg.datasets.load_drugs()
    random = np.random.default_rng(0)
    found = []
    for smiles, name, family, size in zip(drugs.smiles, drugs.names, drugs.y, drugs.graphs.sizes, strict=True):
        number = f"{np.log(size):.4f}" if random.random() < 0.67 else ""
        acid = str(int("C(=O)O" in smiles)) if not number or random.random() < 0.8 else "NA"
        part = "train" if random.random() < 0.8 else "test"
        found.append([smiles, name, number, family, acid, part])
    return found


@pytest.fixture
def here(tmp_path, monkeypatch, rows):
    """Return the current folder, with the table."""
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS.strip().split(","), *rows])
    return tmp_path


def test_a_table_with_gaps_is_trained_predicted_and_compared(capsys, here, rows):
    code, out, err = run(capsys, "train", "t.csv", "--target", "size", "family", "-o", "m.wgm", *FEW)
    assert (code, err) == (0, "")
    n_sizes = sum(row[2] != "" for row in rows)
    assert out.startswith(f"152 molecules, 2 targets\n{n_sizes} values of target size: numbers from ")
    assert "target family: 10 classes" in out or "values of target family: " in out
    assert "Models of 2 targets written to m.wgm" in out
    models = wg.load_model("m.wgm")
    assert isinstance(models, TargetModels)
    code, out, err = run(capsys, "predict", "m.wgm", "t.csv")
    assert code == 0
    assert "2 targets predicted for 152 graphs\n'size': RMSE " in err
    table = list(csv.DictReader(io.StringIO(out)))
    graphs = wg.from_smiles([row[0] for row in rows])
    np.testing.assert_allclose(
        [float(row["size_predicted"]) for row in table], models["size"].predict(graphs), rtol=1e-5
    )
    assert [row["family_class"] for row in table] == models["family"].predict(graphs).tolist()
    groups = ("predicted", "lower_90", "upper_90", "nearest", "domain", "training_row")
    assert {f"size_{name}" for name in groups} < set(table[0])
    assert [row["size_training_row"] for row, known in zip(table, rows, strict=True) if known[2]] == ["yes"] * n_sizes


def test_test_rows_of_each_target(capsys, here, rows):
    options = ("--target", "size", "family", "--split-column", "part", "-o", "m.wgm", "--json", *FEW)
    code, out, _ = run(capsys, "train", "t.csv", *options)
    assert code == 0
    found = json.loads(out)
    assert found["graphs"] == sum(row[5] == "train" for row in rows)
    assert [each["target"] for each in found["targets"]] == ["size", "family"]
    n_tested = sum(row[5] == "test" and row[2] != "" for row in rows)
    tested = found["targets"][0]["test"]
    assert sum(tested[part]["n_rows"] for part in ("training", "new") if tested[part]) == n_tested


@pytest.mark.filterwarnings("default:columns that are not taken")
def test_all_columns_of_numbers_are_targets(capsys, here, rows):
    code, out, err = run(capsys, "train", "t.csv", "--target", "all", "-o", "m.wgm", *FEW)
    assert code == 0
    assert "columns that are not taken for targets: 'family' (text), 'part' (text)" in err
    assert wg.load_model("m.wgm").target_names_ == ["size", "acid"]
    assert "values of target acid: 2 classes (0: " in out


def test_one_target_of_several(capsys, here):
    run(capsys, "train", "t.csv", "--target", "size", "acid", "-o", "m.wgm", "--quiet", *FEW)
    code, out, err = run(capsys, "predict", "m.wgm", "CCO", "--target", "size")
    assert (code, out.splitlines()[0].split(",")[:2]) == (0, ["smiles", "predicted"])
    code, out, _ = run(capsys, "predict", "m.wgm", "CCO", "CCN", "--json")
    assert [list(row["predictions"]) for row in json.loads(out)] == [["size", "acid"]] * 2
    code, out, _ = run(capsys, "explain", "m.wgm", "CCO", "--target", "size")
    assert (code, "Predicted size" in out) == (0, True)
    code, _, err = run(capsys, "explain", "m.wgm", "CCO")
    assert (code, "the model has the targets 'size', 'acid'; name one of them with --target" in err) == (2, True)
    code, _, err = run(capsys, "predict", "m.wgm", "CCO", "--target", "sizes")
    assert (code, "--target sizes: the model has no such target" in err) == (2, True)


def test_targets_are_evaluated_one_by_one_and_in_a_summary(capsys, here):
    options = ("--folds", "3", "--cv", "2", *FEW)
    code, out, _ = run(capsys, "evaluate", "t.csv", "--target", "size", "acid", *options)
    assert code == 0
    assert "\nsize: " in out
    assert "\nacid: " in out
    summary = out[out.rindex("target  graphs") :]
    assert "acid" in summary
    code, out, _ = run(capsys, "evaluate", "t.csv", "--target", "size", "acid", "--json", *options)
    found = json.loads(out)["targets"]
    assert {name: each["task"] for name, each in found.items()} == {"size": "regression", "acid": "classification"}
    code, _, err = run(capsys, "evaluate", "t.csv", "--target", "size", "acid", "--plot", "a.png", *options)
    assert (code, "--plot a.png draws one target, but there are several" in err) == (2, True)


@pytest.mark.filterwarnings("default:.*rows left out")
def test_processes_share_from_the_command_line(capsys, here):
    options = ("--model", "gp", "--share-targets", "--depth", "0,1", "--kind", "categorical", "-o", "m.wgm")
    code, _, err = run(capsys, "train", "t.csv", "--target", "size", "family", *options)
    assert (code, "--share-targets needs two targets of numbers or more; remove it" in err) == (2, True)
    text = (here / "t.csv").read_text().splitlines()
    table = [f"{text[0]},twice", *(f"{line},{2 * float(line.split(',')[-4] or 'nan'):.3f}" for line in text[1:])]
    (here / "u.csv").write_text("\n".join(line.replace(",nan", ",") for line in table) + "\n")
    code, out, err = run(capsys, "train", "u.csv", "--target", "size", "twice", *options)
    assert (code, out.count("other targets ")) == (0, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--target", "size", "size"), "--target size names the column 'size' twice; name it once"),
        (("--target", "size", "sise"), "--target sise: there is no such column"),
        (("--target", "size", "smiles"), "--target smiles: this is the column of SMILES"),
        (("--target", "size", "acid", "--model", "gp", "--alpha", "1"), "--alpha is not a parameter"),
    ],
)
def test_bad_targets(capsys, here, arguments, message):
    code, _, err = run(capsys, "train", "t.csv", "-o", "m.wgm", *arguments)
    assert code == 2
    assert message in err
    assert not (here / "m.wgm").exists()


def test_several_targets_are_columns_of_tables(capsys, here):
    code, _, err = run(capsys, "train", "drugs", "--target", "family", "size")
    assert (code, "the drugs have one class each, their family; remove --target" in err) == (2, True)


# What is used once


def test_a_target_is_no_column(capsys, here):
    code, _, err = run(capsys, "train", "t.csv", "--target", "size", "acid", "--columns", "size", "-o", "m.wgm", *FEW)
    assert (code, "--columns size: this is a target; leave it out" in err) == (2, True)


@pytest.mark.filterwarnings("default:columns that are not taken")
@pytest.mark.filterwarnings("default:.*rows left out")
@pytest.mark.filterwarnings("default:medians of the training graphs")
def test_all_leaves_out_what_is_used_otherwise(capsys, here):
    run(capsys, "train", "t.csv", "--target", "all", "--columns", "acid", "--impute", "median", "-o", "m.wgm", *FEW)
    model = wg.load_model("m.wgm")
    assert (type(model), model.target_name_, model.columns_.names) == (wg.GraphRegressor, "size", ("acid",))


def test_the_data_are_not_overwritten(capsys, here):
    before = (here / "t.csv").read_bytes()
    code, _, err = run(capsys, "train", "t.csv", "--target", "size", "-o", "t.csv", *FEW)
    assert (code, "--out t.csv is the file of the data; name another file" in err) == (2, True)
    assert (here / "t.csv").read_bytes() == before


@pytest.mark.filterwarnings("default:medians of the training graphs")
@pytest.mark.filterwarnings("default:.*rows left out")
def test_cells_of_new_tables_are_filled_in_on_request(capsys, here):
    text = [
        f"{line},{number / 10 % 1 + 1:.2f}" for number, line in enumerate((here / "t.csv").read_text().splitlines())
    ]
    (here / "u.csv").write_text("\n".join([text[0].rpartition(",")[0] + ",heat", *text[1:]]) + "\n")
    targets = ("--target", "size", "family", "--columns", "heat")
    assert run(capsys, "train", "u.csv", *targets, "-o", "m.wgm", "--quiet", *FEW)[0] == 0
    (here / "new.csv").write_text("smiles,heat\nCCO,1.5\nCCN,\n")
    code, _, err = run(capsys, "predict", "m.wgm", "new.csv")
    assert (code, "--impute median" in err) == (2, True)
    code, out, _ = run(capsys, "predict", "m.wgm", "new.csv", "--impute", "median")
    assert (code, len(out.splitlines())) == (0, 3)
    run(capsys, "train", "t.csv", "--target", "family", "-o", "n.wgm", "--quiet", *FEW)
    code, _, err = run(capsys, "predict", "n.wgm", "new.csv", "--impute", "median")
    assert (code, "--impute median applies to --columns, but the model has none" in err) == (2, True)


def test_measures_are_of_the_targets_that_they_fit(capsys, here):
    options = ("--target", "size", "acid", "--folds", "3", "--cv", "2", "--json", *FEW)
    _, out, _ = run(capsys, "evaluate", "t.csv", "--measures", "pearson", "mcc", *options)
    found = json.loads(out)["targets"]
    assert {name: each["measures"] for name, each in found.items()} == {"size": ["pearson"], "acid": ["mcc"]}
    code, _, err = run(capsys, "evaluate", "t.csv", "--measures", "pearson", *options)
    assert (code, "target 'acid': --measures: 'pearson' is a measure for numbers" in err) == (2, True)


@pytest.mark.filterwarnings("default")
def test_a_target_that_cannot_be_evaluated_is_named_and_others_are_shown(capsys, here):
    lines = (here / "t.csv").read_text().splitlines()
    rare = [f"{lines[0]},rare", *(f"{line},{int(n < 2)}" for n, line in enumerate(lines[1:]))]
    (here / "u.csv").write_text("\n".join(rare) + "\n")
    code, out, err = run(capsys, "evaluate", "u.csv", "--target", "rare", "size", "--folds", "3", "--cv", "2", *FEW)
    assert (code, "target 'rare': " in err) == (2, True)
    assert "\nsize  " in out


def test_models_of_one_kind_are_loaded_as_one_model(capsys, here):
    run(capsys, "train", "t.csv", "--target", "acid", "family", "-o", "m.wgm", "--quiet", *FEW)
    model = wg.load_model("m.wgm")
    assert (type(model), model.target_name_) == (wg.GraphClassifier, ["acid", "family"])
    assert [len(each) for each in model.classes_] == [2, 8]
    assert model.predict(["CCO", "CCN"]).shape == (2, 2)
    run(capsys, "train", "t.csv", "--target", "size", "family", "-o", "n.wgm", "--quiet", *FEW)
    mixed = wg.load_model("n.wgm")
    assert repr(mixed) == "TargetModels({'size': GraphRegressor, 'family': GraphClassifier})"
    assert list(mixed.predict(["CCO"])) == ["size", "family"]


def test_targets_of_a_table_are_described(capsys, here):
    code, out, _ = run(capsys, "datasets", "t.csv", "--target", "size", "family")
    assert (code, out.count("values of target")) == (0, 2)


@pytest.mark.filterwarnings("default:.*rows left out")
def test_a_page_of_one_target_beside_columns(capsys, here):
    text = [f"{line},{number % 7 / 2}" for number, line in enumerate((here / "t.csv").read_text().splitlines())]
    (here / "u.csv").write_text("\n".join([text[0].rpartition(",")[0] + ",heat", *text[1:]]) + "\n")
    options = ("--target", "size", "acid", "--columns", "heat", "-o", "m.wgm", "--quiet", *FEW)
    assert run(capsys, "train", "u.csv", *options)[0] == 0
    code, _, err = run(capsys, "report", "u.csv", "--model", "m.wgm", "--target", "size", "-o", "r.html")
    assert (code, err, (here / "r.html").stat().st_size > 10_000) == (0, "", True)
    alcohols = ["C" * n + "O" for n in range(1, 13)]
    model = wg.GraphRegressor(wg.WWL(1), calibration=0).fit(alcohols, np.arange(24.0).reshape(12, 2))
    with pytest.raises(ValueError, match="predicts several targets, and a page shows one; pass one of its estimators_"):
        wg.explore(alcohols, predicted_by=model)
