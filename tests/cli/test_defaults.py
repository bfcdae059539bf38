"""What a command does by default is what its function does: every flag is compared with its parameter, and results."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from tu_files import write_tu
from wassergraph.cli.main import _parser

METRIC = [wg.WWL]
MODELS = [wg.GraphClassifier, wg.GraphRegressor, wg.GraphGaussianProcess]
READERS = [wg.load_dataset, wg.from_smiles, wg.from_networkx]
#: What each command calls; its flags are parameters of these.
CALLED = {
    "distances": [wg.distances, *METRIC, wg.Exact, wg.Sinkhorn, wg.Sliced],
    "duplicates": [wg.find_duplicates, *METRIC],
    "compare": [wg.transport_plan, *METRIC],
    "index": [wg.GraphIndex, *METRIC],
    "search": [wg.load_index, wg.GraphIndex.query, wg.GraphIndex.radius_neighbors],
    "train": [*MODELS, *METRIC],
    "evaluate": [wg.evaluate, wg.Folds, *MODELS, *METRIC],
    "predict": [],
    "explain": [wg.GraphClassifier.explain],
    "report": [wg.explore, *METRIC],
    "datasets": [],
}
#: Flags with another name than their parameter.
NAMES = {"folds": "n_folds", "edge_label_name": "edge_labels"}
NAMES_OF_PAGES = {"model": "predicted_by", "method": "predicted_by"}
#: Flags of commands alone: files, columns, what is printed, and who computes.
OF_COMMANDS = {
    *("data", "index", "evaluate", "out", "json", "quiet", "smiles_column", "target", "labels_file", "row", "rows"),
    *("plot", "workers", "scheduler", "n_jobs", "no_verify", "split_column", "protocol", "censored"),
    *("columns", "descriptors"),
}
#: Flags whose default is not that of the parameter, and why.
DIFFERENT = {
    ("datasets", "invalid"): "a description counts molecules that cannot be read",
    ("predict", "invalid"): "rows that cannot be read stay in the table, without a prediction",
    ("explain", "invalid"): "rows are counted as in the table",
    ("compare", "invalid"): "rows are counted as in the table",
    ("explain", "row"): "the first row",
}
#: Flags that choose the function that is called, which decides by the same rule if they are not given.
CHOOSE = {(command, "model") for command in ("train", "predict", "explain")} | {
    (command, "task") for command in ("train", "evaluate", "datasets", "duplicates")
}


def flags():
    """Yield each command with the name and the default of each of its flags."""
    (commands,) = [action for action in _parser()._actions if isinstance(action.choices, dict)]
    assert set(commands.choices) == {*CALLED, "reproduce"}, "a new command needs an entry in CALLED"
    for command, parser in commands.choices.items():
        for action in parser._actions:
            if command in CALLED and action.dest != "help":
                yield command, action.dest, action.default


def defaults(command: str, name: str) -> list[object]:
    """Return the defaults of the parameters with a name, in all that a command calls, and in readers."""
    signatures = [inspect.signature(each) for each in [*CALLED[command], *READERS]]
    return [each.parameters[name].default for each in signatures if name in each.parameters]


def test_flags_have_the_default_of_their_parameter():
    problems = []
    for command, name, default in flags():
        if name in OF_COMMANDS or (command, name) in DIFFERENT or (command, name) in CHOOSE:
            continue
        names = NAMES | NAMES_OF_PAGES if command == "report" else NAMES
        parameters = defaults(command, names.get(name, name))
        if not parameters:
            problems.append(f"{command} {name} is no parameter")
        elif default is not None and not any(_same(default, each) for each in parameters):
            problems.append(f"{command} {name} is {default!r}, and not {parameters!r}")
    assert problems == []


def _same(flag: object, parameter: object) -> bool:
    return flag == parameter or flag == [parameter] or (flag == "float64" and parameter is np.float64)


def test_the_exceptions_exist():
    existing = {(command, name) for command, name, _ in flags()}
    assert (DIFFERENT.keys() | CHOOSE) <= existing
    assert {name for _, name in existing} >= OF_COMMANDS | NAMES.keys()


@pytest.fixture(scope="module")
def scaled(tmp_path_factory):
    """Return a data set whose second attribute is much larger than its first, so that standardizing matters."""
    graphs, y = wg.datasets.make_demo()
    graphs = replace(graphs, node_attributes=graphs.node_attributes * [1.0, 50.0])[:40]
    folder = write_tu(tmp_path_factory.mktemp("data") / "SCALED", graphs, y[:40])
    return folder, *wg.load_dataset(folder)


def result(capsys, *arguments):
    """Return what a command prints as JSON."""
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_distances_of_the_command_are_those_of_the_function(capsys, scaled, tmp_path):
    folder, graphs, _ = scaled
    result(capsys, "distances", folder, "--depth", 3, "--out", tmp_path / "D.npy", "--quiet")
    metric = wg.WWL(depth=3)
    np.testing.assert_array_equal(np.load(tmp_path / "D.npy"), wg.distances(graphs, metric=metric))
    assert np.abs(np.load(tmp_path / "D.npy") - wg.distances(graphs, metric=wg.WWL(3, standardize=False))).max() > 1


def test_plans_of_the_command_are_those_of_the_function(capsys, scaled):
    folder, graphs, _ = scaled
    found = result(capsys, "compare", folder, "--rows", 1, 2)
    assert found["distance"] == wg.transport_plan(graphs, 0, 1).cost


def test_neighbors_of_the_command_are_those_of_the_index(capsys, scaled, tmp_path):
    folder, graphs, _ = scaled
    result(capsys, "index", folder, "--out", tmp_path / "graphs.wgi", "--quiet")
    found = result(capsys, "search", tmp_path / "graphs.wgi", folder, "--quiet")
    distances, positions = wg.GraphIndex(graphs).query(graphs)
    assert [[hit["distance"] for hit in query["hits"]] for query in found] == distances.tolist()
    assert [[hit["neighbor"] for hit in query["hits"]] for query in found] == positions.astype(str).tolist()


def test_duplicates_of_the_command_are_those_of_the_function(capsys, scaled):
    folder, graphs, y = scaled
    found = result(capsys, "duplicates", folder, "--radius", 1, "--quiet")
    expected = wg.find_duplicates(graphs, y, radius=1)
    assert [group["positions"] for group in found["groups"]] == [list(group) for group in expected.groups]
    assert found["groups"]


def test_models_of_the_command_are_those_of_the_class(capsys, scaled, tmp_path):
    folder, graphs, y = scaled
    trained = result(capsys, "train", folder, "--out", tmp_path / "model.wgm", "--quiet")
    model = wg.GraphClassifier().fit(graphs, y)
    assert trained["best_params"] == model.best_params_
    predicted = result(capsys, "predict", tmp_path / "model.wgm", folder, "--quiet")
    scores = [[row["scores"][str(name)] for name in model.classes_] for row in predicted]
    np.testing.assert_allclose(scores, model.decision_function(graphs), rtol=1e-5, atol=1e-6)
    explained = result(capsys, "explain", tmp_path / "model.wgm", folder, "--quiet")
    assert explained["value"] == pytest.approx(model.explain(graphs[0]).value)


def test_evaluations_of_the_command_are_those_of_the_function(capsys, scaled):
    folder, graphs, y = scaled
    found = result(capsys, "evaluate", folder, "--method", "wwl", "vh-c", "--kind", "continuous", "--quiet")
    model = wg.GraphClassifier(wg.WWL(kind="continuous"))
    expected = wg.evaluate(graphs, y, ["wwl", "vh-c"], model=model)
    assert {name: row["accuracy"] for name, row in found["methods"].items()} == {
        name: row.accuracy.tolist() for name, row in expected.rows.items()
    }
    assert found["methods"]["vh-c"]["standardized"] is True


def test_pages_of_the_command_are_those_of_the_function(capsys, scaled, tmp_path):
    folder, graphs, y = scaled
    result(capsys, "report", folder, "--out", tmp_path / "page.html", "--quiet")
    page = wg.explore(graphs, y, title="SCALED")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
