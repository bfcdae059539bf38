"""The command that runs the paper's experiments, goes on where it was, and writes the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from command_line import run
from rules import for_each
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plans import make_plan
from wassergraph.reproduction.csv_tables import is_quick, read_rows, write_rows
from wassergraph.reproduction.definiteness import read_spectra
from wassergraph.reproduction.experiments import PAPER_KEYS, VARIANT_KEYS, is_selected, select
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.reproduce import (
    EXPERIMENTS,
    QUICK_SETS,
    RunSettings,
    _run_once,
    make_settings,
    render,
    reproduce,
)
from wassergraph.reproduction.results import Key, read_results
from wassergraph.reproduction.setups import SETUPS

MUTAG_V = "categorical/MUTAG/v/00.json"


def files_in(folder: Path):
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if path.parts[0] != ".locks"}


@pytest.fixture(scope="module")
def results(tmp_path_factory, data_home):
    """Return the folder with the first repetition of V on MUTAG, and the lines that were logged."""
    folder, lines = tmp_path_factory.mktemp("reproduced") / "results", []
    page = folder.parent / "page.md"
    settings = make_settings(folder, page, only=["MUTAG", "v"], repetitions=1, data_home=data_home, log=lines.append)
    reproduce(["table1"], settings)
    return folder, lines


# What there is


def test_the_experiments_are_those_of_the_paper_variants_of_them_and_what_goes_beyond():
    paper = ["table1", "table2", "table3", "sinkhorn", "runtime", "noise", "definiteness"]
    assert sorted(EXPERIMENTS) == sorted([*paper, "variants", "published", "duplicates", "beyond", "others"])


def test_keys_are_the_84_of_the_tables_and_the_one_of_sinkhorn():
    printed = {Key(dataset, method, table.kind) for table in TABLES for method, dataset in table.numbers}
    assert len(printed) == 84
    assert len(PAPER_KEYS) == len(set(PAPER_KEYS)) == 85
    assert set(PAPER_KEYS) - printed == {("ENZYMES", "wwl-sinkhorn", "continuous")}


@for_each([*PAPER_KEYS, *VARIANT_KEYS])
def test_every_key_has_a_known_data_set_and_a_plan(key):
    assert (key.dataset, key.kind) in SETUPS
    plan = make_plan(key.method, key.kind)
    main, _, variant = key.method.partition("+")
    used = f"{main}-{variant}" if variant in ("gaussian", "columns") else main
    assert {options.method for options in plan.options} == {used}
    assert len(plan.grid.matrices) == len(METHODS[used].parameters(plan.options[0]))


def test_every_variant_changes_something_where_it_is_run():
    assert len(set(VARIANT_KEYS)) == len(VARIANT_KEYS)
    assert not set(VARIANT_KEYS) & set(PAPER_KEYS)
    for key in VARIANT_KEYS:
        main, plus, _ = key.method.partition("+")
        if plus:
            standardize = SETUPS[key.dataset, key.kind].standardize
            plan, varied = (make_plan(name, key.kind, standardize=standardize) for name in (main, key.method))
            assert varied != plan, key
            assert key._replace(method=main) in PAPER_KEYS


def test_quick_sets_are_in_every_table():
    for table in TABLES:
        assert set(QUICK_SETS) & set(table.datasets)
    assert set(QUICK_SETS) <= {dataset for dataset, _, _ in PAPER_KEYS}


# Running


def test_a_cell_of_a_table_is_run_and_logged(results):
    folder, lines = results
    assert files_in(folder) == {MUTAG_V}
    (result,) = read_results(folder)
    scores = result.scores
    assert (scores.n_graphs, len(scores.accuracy), scores.random_state) == (188, 10, 0)
    assert scores.majority == pytest.approx(125 / 188)
    published = TABLES[0].numbers["v", "MUTAG"].mean
    assert 100 * sum(scores.accuracy) / 10 == pytest.approx(published, abs=3)
    assert len(lines) == 1
    assert lines[0].startswith("v on MUTAG (categorical), repetition 0: ")
    assert "0 of 1 left" in lines[0]


def test_existing_results_are_not_run_again(results, data_home):
    folder, _ = results
    before, lines = (folder / MUTAG_V).stat().st_mtime_ns, []
    options = {"only": ["MUTAG", "v"], "repetitions": 1, "data_home": data_home, "log": lines.append}
    reproduce(["table1", "table3"], make_settings(folder, **options))
    assert lines == ["nothing to run on Synthie, SYNTHETICnew with these options"]
    assert (folder / MUTAG_V).stat().st_mtime_ns == before
    assert files_in(folder) == {MUTAG_V}


def test_quick_run_has_one_repetition_in_a_folder_of_its_own(tmp_path, monkeypatch, data_home):
    monkeypatch.chdir(tmp_path)
    settings = make_settings(quick=True, only=["MUTAG", "NCI1", "v"], data_home=data_home, log=lambda _: None)
    assert (settings.results, settings.page) == (Path("out/quick/results"), Path("out/quick/docs/reproduction.md"))
    reproduce(["table1"], settings)
    assert files_in(tmp_path / "out" / "quick" / "results") == {MUTAG_V}
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    usual = make_settings()
    assert (usual.results, usual.page, usual.quick) == (Path("results"), Path("docs/reproduction.md"), False)


@pytest.mark.parametrize(
    ("names", "options", "error", "message"),
    [
        (["table4"], {}, ValueError, "there is no experiment 'table4'; choose from noise, runtime, table1.* and all"),
        (["noise", "nope"], {}, ValueError, "there is no experiment 'nope'"),
        (
            ["table1"],
            {"only": ["MUTAG", "NOPE"]},
            ValueError,
            "only must name data sets or methods of the experiments, got 'NOPE'; choose from B",
        ),
        (["table1"], {"repetitions": 0}, ValueError, "repetitions must be at least 1"),
        (["table1"], {"repetitions": 1.5}, TypeError, "repetitions must be a whole number"),
    ],
)
def test_errors_are_raised_before_anything_is_done(tmp_path, names, options, error, message):
    settings = make_settings(tmp_path / "results", **options, log=pytest.fail)
    with pytest.raises(error, match=message):
        reproduce(names, settings)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("only", "selected"),
    [
        ((), True),
        (("MUTAG",), True),
        (("NCI1",), False),
        (("v",), True),
        (("wl",), False),
        (("MUTAG", "v"), True),
        (("v", "NCI1", "wl", "MUTAG"), True),
        (("NCI1", "v"), False),
        (("MUTAG", "wl"), False),
        (("v+normalized",), False),
    ],
)
def test_data_set_and_method_must_both_be_named(only, selected):
    key = Key("MUTAG", "v", "categorical")
    assert select([key], only) == [key] * selected
    names_a_set = any(name in ("MUTAG", "NCI1") for name in only)
    assert is_selected("MUTAG", only) == (not names_a_set or "MUTAG" in only)


def test_definiteness_is_examined_on_the_sets_that_are_named(tmp_path, data_home):
    lines = []
    settings = make_settings(
        tmp_path, quick=True, only=("MUTAG", "ENZYMES", "wwl"), data_home=data_home, log=lines.append
    )
    reproduce(["definiteness"], settings)
    path = tmp_path / "definiteness.csv"
    assert lines == [f"{path} is written"]
    assert is_quick(path)
    assert {(row.dataset, row.kind, row.graphs) for row in read_spectra(path)} == {("MUTAG", "categorical", 188)}


# Tables


@dataclass(frozen=True)
class Made:
    name: str
    value: float | None


ROWS = [Made("a", 0.5), Made("b", None)]


@pytest.mark.parametrize("quick", [False, True])
def test_a_table_says_whether_a_quick_run_wrote_it(tmp_path, quick):
    path = tmp_path / "noise.csv"
    write_rows(path, "noise", ROWS, quick=quick)
    assert is_quick(path) == quick
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first == "# command: wassergraph reproduce noise" + " --quick" * quick
    assert read_rows(path, "noise", Made) == ROWS


@pytest.mark.parametrize("text", ["", "# command: wassergraph reproduce noise\n", "# a\nname,value\n", "name,value\n"])
def test_a_table_without_rows_is_refused(tmp_path, text):
    path = tmp_path / "noise.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"noise\.csv: this is not a table of the experiment .*it has no rows.* remove it and run"
    ):
        read_rows(path, "noise", Made)


@pytest.mark.parametrize(
    ("there", "quick", "runs"),
    [
        (None, False, 1),
        (None, True, 1),
        ("quick", False, 1),
        ("quick", True, 0),
        ("whole", False, 0),
        ("whole", True, 0),
    ],
)
def test_a_table_of_a_quick_run_does_not_count_as_a_whole_one(tmp_path, there, quick, runs):
    path, ran, lines = tmp_path / "noise.csv", [], []
    if there:
        write_rows(path, "noise", ROWS, quick=there == "quick")
    settings = RunSettings(tmp_path, quick=quick, log=lines.append)

    def run_it(target, *, quick, **_):
        ran.append(target)
        write_rows(target, "noise", ROWS[:1], quick=quick)

    _run_once("noise", run_it, settings)
    assert ran == [path] * runs
    assert read_rows(path, "noise", Made) == (ROWS[:1] if runs else ROWS)
    assert is_quick(path) == (quick if runs else there == "quick")
    assert lines == [f"{path} is written" if runs else f"{path} exists already: remove it to run it again"]
    _run_once("noise", run_it, settings)
    assert len(ran) == runs


# The command


def test_the_command_runs_a_quick_experiment_once(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "reproduce", "noise", "--quick", "--quiet", "--n-jobs", "1") == (0, "", "")
    table = tmp_path / "out" / "quick" / "results" / "noise.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# command: wassergraph reproduce noise --quick"
    assert lines[-1].startswith("1.0,WWL,")
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    before = table.stat().st_mtime_ns
    code, out, err = run(capsys, "reproduce", "noise", "--quick")
    assert (code, out) == (0, "")
    assert err == f"{table.relative_to(tmp_path)} exists already: remove it to run it again\n"
    assert table.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is nothing to run; name an experiment such as table1, or pass --render"),
        (("--quick",), "there is nothing to run; name an experiment such as table1, or pass --render"),
        (
            ("--render",),
            "results: there is no such folder; run an experiment first",
        ),
        (("--render", "--quick"), "out/quick/results: there is no such folder; run an experiment first"),
        (("--render", "--page", "beyond.md"), "--page must not be beyond.md, the name of another page"),
        (("--render", "--page", "benchmarks.md"), "--page must not be benchmarks.md, the name of another page"),
        (("table4",), "there is no experiment 'table4'"),
        (("table1", "--only", "NOPE"), "--only must name data sets or methods of the experiments, got 'NOPE'"),
        (("table1", "--repetitions", "0"), "repetitions must be at least 1"),
    ],
)
def test_errors_have_the_exit_code_2_and_leave_no_files(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "reproduce", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_the_command_renders_a_page_that_is_the_same_every_time(capsys, results, tmp_path):
    folder, _ = results
    page, beyond, benchmarks = (tmp_path / "docs" / name for name in ("page.md", "beyond.md", "benchmarks.md"))
    command = ("reproduce", "--render", "--results", folder, "--page", page)
    assert run(capsys, *command) == (0, f"Pages written to {page}, {beyond} and {benchmarks}\n", "")
    text, figure = page.read_bytes(), (tmp_path / "docs" / "page" / "table1.svg").read_bytes()
    other, third = beyond.read_bytes(), benchmarks.read_bytes()
    assert b"0 of 15 rows have results of the wide search" in other
    assert b"0 of 240 splits and methods have results" in third
    assert b"1 of 84 cells have results, 0 of them all 10 repetitions" in text
    assert b"(page/table1.svg)" in text
    assert b"<svg" in figure
    assert files_in(tmp_path) == {"docs/page.md", "docs/page/table1.svg", "docs/beyond.md", "docs/benchmarks.md"}
    assert run(capsys, *command)[0] == 0
    assert (page.read_bytes(), (tmp_path / "docs" / "page" / "table1.svg").read_bytes()) == (text, figure)
    assert (beyond.read_bytes(), benchmarks.read_bytes()) == (other, third)
    assert files_in(folder) == {MUTAG_V}


def test_a_broken_result_is_named_when_a_page_is_rendered(capsys, results, tmp_path):
    folder, _ = results
    copy = tmp_path / "results" / MUTAG_V
    copy.parent.mkdir(parents=True)
    copy.write_bytes((folder / MUTAG_V).read_bytes()[:-20])
    code, _, err = run(capsys, "reproduce", "--render", "--results", tmp_path / "results", "--page", tmp_path / "p.md")
    assert code == 2
    assert f"{copy}: this is not a result of an experiment; remove it and run the experiment again" in err
    assert not (tmp_path / "p.md").exists()


def test_the_command_runs_a_cell_and_renders_it(capsys, tmp_path, monkeypatch, results, data_home):
    monkeypatch.chdir(tmp_path)
    command = ("reproduce", "table1", "--only", "MUTAG", "v", "--repetitions", "1", "--render", "--n-jobs", "1")
    code, out, err = run(capsys, *command, "--data-home", data_home)
    pages = [Path("docs") / name for name in ("reproduction.md", "beyond.md", "benchmarks.md")]
    assert (code, out) == (0, f"Pages written to {pages[0]}, {pages[1]} and {pages[2]}\n")
    assert "v on MUTAG (categorical), repetition 0: " in err
    found = json.loads((tmp_path / "results" / MUTAG_V).read_text(encoding="utf-8"))
    before = json.loads((results[0] / MUTAG_V).read_text(encoding="utf-8"))
    assert found["accuracy"] == before["accuracy"]
    assert found["parameters"] == before["parameters"]
    assert len(list((tmp_path / "out" / "matrices").glob("*.npz"))) == 1
    assert render(make_settings()) == tuple(pages)
