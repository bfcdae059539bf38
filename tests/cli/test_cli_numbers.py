"""Numbers as targets from the command line, on all that it reads: announced, learned, predicted and checked."""

from __future__ import annotations

import csv
import io
import json

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from tu_files import write_tu
from wassergraph.cli.main import main

FEW = ("--depth", "1", "--gamma", "0.1,1", "--alpha", "0.01", "--kind", "categorical")
CLASSES = ("--depth", "1", "--gamma", "1", "-C", "1", "--kind", "categorical")


@pytest.fixture(scope="module")
def demo():
    """The demo graphs, their classes, and a number of each."""
    graphs, y = wg.load_dataset("demo")
    return graphs, y, np.round(np.log(graphs.sizes) + 0.3 * y, 4)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_numbers(folder, graphs, *columns, classes=None):
    """Write a TU data set with graph attributes."""
    write_tu(folder, graphs, classes)
    lines = [", ".join(map(str, row)) for row in zip(*columns, strict=True)]
    (folder / f"{folder.name}_graph_attributes.txt").write_text("\n".join(lines) + "\n")
    return folder


# TU data sets


@pytest.mark.parametrize("model", ["ridge", "gp"])
def test_graph_attributes_are_learned_and_predicted(capsys, here, demo, model):
    graphs, _, numbers = demo
    write_numbers(here / "OLD", graphs[:45], numbers[:45])
    write_numbers(here / "NEW", graphs[45:], numbers[45:])
    options = FEW if model == "ridge" else ("--model", "gp", "--depth", "1", "--kind", "categorical", "--mass", "count")
    code, out, err = run(capsys, "train", "OLD", "-o", "m.wgm", *options)
    assert (code, err) == (0, "")
    low, high = f"{numbers[:45].min():g}", f"{numbers[:45].max():g}"
    assert out.splitlines()[0] == f"45 graphs, target attributes: numbers from {low} to {high} → regression"
    code, out, err = run(capsys, "predict", "m.wgm", "NEW")
    assert (code, "'attributes' predicted for 15 graphs, compared with 'attributes': RMSE " in err) == (0, True)
    rows = list(csv.DictReader(io.StringIO(out)))
    predicted = wg.load_model("m.wgm").predict(wg.load_dataset("NEW")[0])
    np.testing.assert_allclose([float(row["predicted"]) for row in rows], predicted, rtol=1e-5)
    (here / "NEW" / "NEW_graph_attributes.txt").unlink()
    code, again, err = run(capsys, "predict", "m.wgm", "NEW")
    assert (code, again, "RMSE" in err) == (0, out, False)


def test_json_and_quiet_announce_nothing(capsys, here, demo):
    graphs, _, numbers = demo
    write_numbers(here / "SET", graphs, numbers)
    assert run(capsys, "train", "SET", "-o", "m.wgm", "--quiet", *FEW) == (0, "", "")
    code, out, _ = run(capsys, "train", "SET", "-o", "m.wgm", "--json", *FEW)
    assert (code, json.loads(out)["target"], json.loads(out)["task"]) == (0, "attributes", "regression")
    code, out, _ = run(capsys, "datasets", "SET")
    assert "target           attributes\ntask             regression: numbers from " in out


def test_labels_or_attributes(capsys, here, demo):
    graphs, classes, numbers = demo
    write_numbers(here / "SET", graphs, numbers, classes=classes)
    code, out, _ = run(capsys, "train", "SET", "-o", "m.wgm", *CLASSES)
    assert (code, out.splitlines()[0]) == (0, "trained on      60 graphs with node labels, 3 classes")
    first = {
        ("--target", "labels"): "3 classes (0: 20, 1: 20, 2: 20) → classification",
        ("--target", "attributes"): f"numbers from {numbers.min():g} to {numbers.max():g} → regression",
        ("--target", "labels", "--task", "regression"): "numbers from 0 to 2 → regression",
    }
    for target, announced in first.items():
        options = FEW if "regression" in announced else CLASSES
        code, out, _ = run(capsys, "train", "SET", "-o", "m.wgm", *target, *options)
        assert (code, out.splitlines()[0]) == (0, f"60 graphs, target {target[1]}: {announced}")
    code, out, err = run(capsys, "predict", "m.wgm", "SET", "--target", "labels", "-o", "p.csv")
    assert (code, "compared with 'labels': RMSE 0." in err) == (0, True)
    code, out, _ = run(capsys, "train", "SET", "-o", "m.wgm", "--task", "regression", *FEW)
    assert (code, out.splitlines()[0]) == (0, "60 graphs, target labels: numbers from 0 to 2 → regression")
    code, out, _ = run(capsys, "evaluate", "demo", "--method", "v", "--folds", 2, "--inner-folds", 2)
    assert (code, out.splitlines()[0]) == (0, "60 graphs, 3 classes")


def test_one_column_of_several(capsys, here, demo):
    graphs, _, numbers = demo
    write_numbers(here / "SET", graphs, range(60), numbers)
    for target in ((), ("--target", "attributes")):
        code, out, err = run(capsys, "train", "SET", *target)
        assert (code, out) == (2, "")
        assert "SET: the graph attributes have 2 columns, and a model predicts one; train one model for each" in err
        assert "column: --target attributes:1 for the first, up to attributes:2" in err
    code, out, _ = run(capsys, "train", "SET", "-o", "m.wgm", "--target", "attributes:2", *FEW)
    assert (code, out.startswith("60 graphs, target attributes:2: numbers from 2.1")) == (0, True)
    code, _, err = run(capsys, "predict", "m.wgm", "SET", "-o", "p.csv")
    assert (code, err.startswith("'attributes:2' predicted for 60 graphs, compared with 'attributes:2': RMSE 0.")) == (
        0,
        True,
    )
    assert run(capsys, "predict", "m.wgm", "SET", "-o", "p.csv", "--target", "attributes:2") == (0, "", err)
    write_tu(here / "OTHER", graphs[:5], None)
    code, _, err = run(capsys, "predict", "m.wgm", "OTHER", "-o", "p.csv")
    assert (code, err) == (
        0,
        "'attributes:2' predicted for 5 graphs, 5 graphs equal to training graphs, table written to p.csv\n",
    )


def test_classes_by_value(capsys, here, demo):
    graphs, classes, _ = demo
    write_numbers(here / "SET", graphs, classes / 2)
    code, out, err = run(capsys, "train", "SET", "-o", "m.wgm", "--task", "classification", *CLASSES)
    assert (code, err) == (0, "")
    code, out, _ = run(capsys, "predict", "m.wgm", "SET")
    assert out.startswith("graph,class,score_0,score_0.5,score_1,")


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        (["1.5"] * 60, (), "all graphs have the number 1.5; pass numbers that differ"),
        ([*["1.5", "2.5"] * 29, "3.5", "high"], (), "SET_graph_attributes.txt, line 60: 'high' is not a number; every"),
        (
            [*["1.5", "2.5"] * 29, "inf", "3.5"],
            (),
            "SET_graph_attributes.txt, line 59: the target inf is not finite; c",
        ),
        (["nan", *["1.5"] * 59], (), "SET_graph_attributes.txt, line 1: the target nan is not finite; correct it"),
        (["1.5"] * 59, (), "the largest graph id is 60, but there are targets for 59 graphs; the numbers must match"),
        (
            ["1.5"] * 60,
            ("--target", "labels"),
            "SET_graph_labels.txt: the file is missing; add it, or pass --target at",
        ),
        (
            ["1.5"] * 60,
            ("--target", "attributes:2"),
            "there is no column 2, only 1 column; remove the number from --ta",
        ),
        (
            ["1.5"] * 60,
            ("--target", "logS"),
            "--target must be one of 'auto', 'labels' and 'attributes', or name a col",
        ),
        (
            [f"{n / 7:.3f}" for n in range(60)],
            ("--task", "classification"),
            "the class '0' has only one graph, but cross-validation needs",
        ),
    ],
)
@pytest.mark.filterwarnings("always::UserWarning")  # scikit-learn says that there are many classes
def test_bad_numbers_of_a_tu_data_set(capsys, here, demo, lines, options, message):
    write_tu(here / "SET", demo[0])
    (here / "SET" / "SET_graph_attributes.txt").write_text("\n".join(lines) + "\n")
    code, _, err = run(capsys, "train", "SET", *options)
    assert code == 2
    assert message in err
    assert not (here / "SET.wgm").exists()


def test_one_graph(capsys, here, demo):
    graphs, _, numbers = demo
    write_numbers(here / "SET", graphs[:1], numbers[:1])
    code, _, err = run(capsys, "train", "SET")
    assert (code, "there is one graph to learn from; pass two or more" in err) == (2, True)


# Folders of graph files


@pytest.fixture
def folder(here):
    """Return a folder of rings and paths, with their numbers of nodes and edges in labels.csv."""
    path = here / "graphs"
    path.mkdir()
    lines = ["file,size"]
    for n in range(4, 20):
        for kind, graph in [("ring", nx.cycle_graph(n)), ("path", nx.path_graph(n))]:
            nx.write_graphml(graph, path / f"{kind}{n}.graphml")
            lines.append(f"{kind}{n},{0.5 * len(graph) + graph.number_of_edges()}")
    (path / "labels.csv").write_text("\n".join(lines))
    return path


def test_numbers_of_graph_files(capsys, folder):
    few = ("--depth", "1", "--gamma", "0.01,0.1", "--alpha", "0.001", "--mass", "count")
    code, out, err = run(capsys, "train", folder, "-o", "m.wgm", *few)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "32 graphs, target size: numbers from 5 to 28.5 → regression"
    code, out, err = run(capsys, "predict", "m.wgm", folder)
    assert (code, len(out.splitlines()), "compared with 'size': RMSE " in err) == (0, 33, True)
    assert out.splitlines()[0].startswith("graph,predicted,")
    assert out.splitlines()[1].startswith("path10.graphml,")
    (folder / "labels.csv").unlink()
    code, again, _ = run(capsys, "predict", "m.wgm", folder)
    assert (code, again) == (0, out)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("", "labels.csv, line 2: the cell of 'size' is empty; every file needs a class or number"),
        ("NaN", "labels.csv, line 2: the cell of 'size' is 'NaN'; every file needs a class or number"),
        (
            "inf",
            "labels.csv, line 2: 'inf' in the column 'size' is not a number, but 31 cells are; correct or empty such",
        ),
        ("long", "labels.csv, line 2: 'long' in the column 'size' is not a number, but 31 cells are"),
    ],
)
def test_bad_numbers_of_graph_files(capsys, folder, cell, message):
    header, first, *lines = (folder / "labels.csv").read_text().splitlines()
    changed = f"{first.split(',')[0]},{cell}"
    (folder / "labels.csv").write_text("\n".join([header, changed, *lines]))
    code, _, err = run(capsys, "train", folder)
    assert code == 2
    assert message in err


def test_equal_numbers_of_graph_files(capsys, folder):
    names = [line.split(",")[0] for line in (folder / "labels.csv").read_text().splitlines()[1:]]
    (folder / "labels.csv").write_text("\n".join(["file,size", *(f"{name},1.5" for name in names)]))
    code, _, err = run(capsys, "train", folder)
    assert (code, "all graphs have the number 1.5; pass numbers that differ" in err) == (2, True)


# Tables of molecules


def write_table(folder, cells, header="smiles,logS"):
    rows = [f"{'C' * (n + 1)}O,{cell}" for n, cell in enumerate(cells)]
    (folder / "a.csv").write_text("\n".join([header, *rows]))


@pytest.mark.parametrize(
    ("cells", "options", "message"),
    [
        (["1.5"] * 6, (), "all graphs have the number 1.5; pass numbers that differ"),
        (["1.5"], (), "there is one graph to learn from; pass two or more"),
        (["1.5", "2.5", "high", "3.5"], (), "a.csv, line 4: 'high' in the column 'logS' is not a number, but 3 cells"),
        (["1.5", "2.5", "inf", "3.5"], (), "a.csv, line 4: 'inf' in the column 'logS' is not a number"),
        (["x", "y"] * 3, ("--task", "regression"), "a.csv, line 2: 'x' in the column 'logS' is not a number"),
    ],
)
def test_bad_numbers_of_a_table(capsys, here, cells, options, message):
    write_table(here, cells)
    code, _, err = run(capsys, "train", "a.csv", "--target", "logS", *options)
    assert code == 2
    assert message in err


def test_one_column_of_a_table(capsys, here):
    write_table(here, ["1.5,2.5", "2.5,3.5", "3.5,4.5"], header="smiles,logS,logP")
    code, _, err = run(capsys, "train", "a.csv", "--target", "logS,logP")
    assert code == 2
    assert "a.csv: --target logS,logP names 2 columns in one word; name them one after the other: 'logS' 'logP'" in err
    with pytest.raises(SystemExit) as stop:
        main(["train", "a.csv", "--target", "logS", "--target", "logP"])
    assert stop.value.code == 2
    message = "--target is given twice: name all columns after one --target"
    assert message in capsys.readouterr().err


def test_a_gaussian_process_has_no_penalty(capsys, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("smiles,y\n" + "".join(f"{'C' * n}O,{n}.5\n" for n in range(1, 13)))
    code, _, err = run(capsys, "evaluate", table, "--target", "y", "--model", "gp", "--alpha", "1", "--quiet")
    assert (code, "--alpha is not a parameter of the model gp; remove it" in err) == (2, True)
