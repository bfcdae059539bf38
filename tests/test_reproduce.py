"""The command that runs the paper's experiments, goes on where it was, and writes the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from test_cli import run
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plans import make_plan
from wassergraph.reproduction.csv_tables import is_quick, read_rows, write_rows
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.reproduce import (
    CELLS,
    EXPERIMENTS,
    QUICK_SETS,
    VARIED,
    Surroundings,
    _is_wanted,
    _once,
    render,
    reproduce,
    surroundings,
)
from wassergraph.reproduction.results import read_records
from wassergraph.reproduction.setups import SETUPS

MUTAG_V = "categorical/MUTAG/v/00.json"


def files_in(folder: Path):
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if path.parts[0] != ".locks"}


@pytest.fixture(scope="module")
def results(tmp_path_factory, data_home):
    """The first repetition of V on MUTAG, with the lines that were told."""
    folder, lines = tmp_path_factory.mktemp("reproduced") / "results", []
    around = surroundings(str(folder), str(folder.parent / "page.md"))
    options = {"only": ["MUTAG", "v"], "repetitions": 1, "data_home": data_home}
    reproduce(["table1"], around, **options, tell=lines.append)
    return folder, lines


# What there is


def test_the_experiments_are_those_of_the_paper_and_variants_of_them():
    paper = ["table1", "table2", "table3", "sinkhorn", "runtime", "noise", "definiteness"]
    assert sorted(EXPERIMENTS) == sorted([*paper, "variants"])


def test_the_cells_are_the_84_of_the_tables_and_the_one_of_sinkhorn():
    printed = {(dataset, table.kind, method) for table in TABLES for method, dataset in table.numbers}
    assert len(printed) == 84
    assert len(CELLS) == len(set(CELLS)) == 85
    assert set(CELLS) - printed == {("ENZYMES", "continuous", "wwl-sinkhorn")}


@pytest.mark.parametrize("cell", [*CELLS, *VARIED], ids="-".join)
def test_every_cell_has_a_data_set_that_is_known_and_a_plan(cell):
    dataset, kind, method = cell
    plan = make_plan(method, kind, SETUPS[dataset, kind])
    main, _, variant = method.partition("+")
    used = f"{main}-{variant}" if variant in ("gaussian", "columns") else main
    assert {recipe.method for recipe in plan.recipes} == {used}
    assert len(plan.grid.matrices) == len(METHODS[plan.recipes[0].method].names(plan.recipes[0]))


def test_every_variant_changes_something_where_it_is_run():
    assert len(set(VARIED)) == len(VARIED)
    assert not set(VARIED) & set(CELLS)
    for dataset, kind, method in VARIED:
        main, plus, _ = method.partition("+")
        if plus:
            used = SETUPS[dataset, kind]
            assert make_plan(method, kind, used) != make_plan(main, kind, used), (dataset, method)
            assert (dataset, kind, main) in CELLS


def test_quick_sets_are_in_every_table():
    for table in TABLES:
        assert set(QUICK_SETS) & set(table.datasets)
    assert set(QUICK_SETS) <= {dataset for dataset, _, _ in CELLS}


# Running


def test_a_cell_of_a_table_is_run_and_told(results):
    folder, lines = results
    assert files_in(folder) == {MUTAG_V}
    (record,) = read_records(folder)
    assert (record["n_graphs"], len(record["accuracy"]), record["random_state"]) == (188, 10, 0)
    assert record["majority"] == pytest.approx(125 / 188)
    published = TABLES[0].numbers["v", "MUTAG"].mean
    assert 100 * sum(record["accuracy"]) / 10 == pytest.approx(published, abs=3)
    assert len(lines) == 1
    assert lines[0].startswith("MUTAG categorical v repetition 0: ")
    assert "0 of 1 left" in lines[0]


def test_what_has_a_result_is_left_alone(results, data_home):
    folder, _ = results
    before, lines = (folder / MUTAG_V).stat().st_mtime_ns, []
    reproduce(
        ["table1", "table3"],
        surroundings(str(folder)),
        only=["MUTAG", "v"],
        repetitions=1,
        data_home=data_home,
        tell=lines.append,
    )
    assert lines == ["nothing to run on Synthie, SYNTHETICnew with these options"]
    assert (folder / MUTAG_V).stat().st_mtime_ns == before
    assert files_in(folder) == {MUTAG_V}


def test_a_quick_run_has_one_repetition_in_a_place_of_its_own(tmp_path, monkeypatch, data_home):
    monkeypatch.chdir(tmp_path)
    around = surroundings(quick=True)
    assert (around.results, around.page) == (Path("out/quick/results"), Path("out/quick/docs/reproduction.md"))
    reproduce(["table1"], around, only=["MUTAG", "NCI1", "v"], data_home=data_home, tell=lambda _: None)
    assert files_in(tmp_path / "out" / "quick" / "results") == {MUTAG_V}
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    usual = surroundings()
    assert (usual.results, usual.page, usual.quick) == (Path("results"), Path("docs/reproduction.md"), False)


@pytest.mark.parametrize(
    ("what", "options", "error", "message"),
    [
        (["table4"], {}, ValueError, "there is no experiment 'table4': choose from noise, runtime, table1.* and all"),
        (["noise", "nope"], {}, ValueError, "there is no experiment 'nope'"),
        (
            ["table1"],
            {"only": ["MUTAG", "NOPE"]},
            ValueError,
            "no table has a data set or method 'NOPE': choose from B",
        ),
        (["table1"], {"repetitions": 0}, ValueError, "repetitions must be at least 1"),
        (["table1"], {"repetitions": 1.5}, TypeError, "repetitions must be a whole number"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(tmp_path, what, options, error, message):
    with pytest.raises(error, match=message):
        reproduce(what, surroundings(str(tmp_path / "results")), **options, tell=pytest.fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("only", "wanted"),
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
def test_data_sets_and_methods_that_are_named_both_count(only, wanted):
    assert _is_wanted(("MUTAG", "categorical", "v"), only) == wanted
    by_set = any(name in ("MUTAG", "NCI1") for name in only)
    assert _is_wanted(("MUTAG", "categorical"), only) == (not by_set or "MUTAG" in only)  # it is for all methods


@pytest.mark.parametrize(
    ("only", "quick", "names"),
    [
        (
            ("MUTAG", "ENZYMES"),
            False,
            {("MUTAG", "categorical"), ("ENZYMES", "categorical"), ("ENZYMES", "continuous")},
        ),
        (("MUTAG", "ENZYMES", "wwl"), True, {("MUTAG", "categorical")}),
        (("wwl",), False, set(SETUPS)),
        ((), True, {cell for cell in SETUPS if cell[0] in QUICK_SETS}),
    ],
)
def test_definiteness_is_examined_on_the_sets_that_are_named(tmp_path, monkeypatch, only, quick, names):
    seen, lines = [], []

    def look(path, sets, **options):
        seen.append((path, {(dataset, kind) for dataset, kind, _ in sets}, options["quick"]))

    monkeypatch.setattr("wassergraph.reproduction.reproduce.run_spectra", look)
    reproduce(["definiteness"], surroundings(str(tmp_path), quick=quick), only=only, tell=lines.append)
    path = tmp_path / "definiteness.csv"
    assert seen == [(path, names, quick)]
    assert lines == [f"{path} is written"]


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
        ValueError, match=r"noise\.csv is no table of this experiment .*it has no rows.* remove it, run"
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
    around = Surroundings(tmp_path, quick=quick, tell=lines.append)

    def run_it(target):
        ran.append(target)
        write_rows(target, "noise", ROWS[:1], quick=quick)

    _once(around, "noise.csv", run_it)
    assert ran == [path] * runs
    assert read_rows(path, "noise", Made) == (ROWS[:1] if runs else ROWS)
    assert is_quick(path) == (quick if runs else there == "quick")
    assert lines == [f"{path} is written" if runs else f"{path} is there already: remove it to run it again"]
    _once(around, "noise.csv", run_it)
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
    assert err == f"{table.relative_to(tmp_path)} is there already: remove it to run it again\n"
    assert table.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is nothing to run; name an experiment such as table1, or pass --render"),
        (("--quick",), "there is nothing to run; name an experiment such as table1, or pass --render"),
        (("--render",), "there is no folder results: run an experiment first, or name another folder"),
        (("--render", "--quick"), "there is no folder out/quick/results: run an experiment first"),
        (("table4",), "there is no experiment 'table4'"),
        (("table1", "--only", "NOPE"), "no table has a data set or method 'NOPE'"),
        (("table1", "--repetitions", "0"), "repetitions must be at least 1"),
    ],
)
def test_mistakes_have_the_code_2_and_leave_nothing_behind(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "reproduce", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_the_command_renders_a_page_that_is_the_same_every_time(capsys, results, tmp_path):
    folder, _ = results
    page = tmp_path / "docs" / "page.md"
    command = ("reproduce", "--render", "--results", folder, "--page", page)
    assert run(capsys, *command) == (0, f"Page written to {page}\n", "")
    text, figure = page.read_bytes(), (tmp_path / "docs" / "page" / "table1.svg").read_bytes()
    assert b"1 of 84 cells have results, 0 of them all 10 repetitions" in text
    assert b"(page/table1.svg)" in text
    assert b"<svg" in figure
    assert files_in(tmp_path) == {"docs/page.md", "docs/page/table1.svg"}
    assert run(capsys, *command)[0] == 0
    assert (page.read_bytes(), (tmp_path / "docs" / "page" / "table1.svg").read_bytes()) == (text, figure)
    assert files_in(folder) == {MUTAG_V}


def test_a_broken_result_is_named_when_a_page_is_rendered(capsys, results, tmp_path):
    folder, _ = results
    copy = tmp_path / "results" / MUTAG_V
    copy.parent.mkdir(parents=True)
    copy.write_bytes((folder / MUTAG_V).read_bytes()[:-20])
    code, _, err = run(capsys, "reproduce", "--render", "--results", tmp_path / "results", "--page", tmp_path / "p.md")
    assert code == 2
    assert f"{copy} is not a result of an experiment: remove it, and run it again" in err
    assert not (tmp_path / "p.md").exists()


def test_the_command_runs_a_cell_and_renders_it(capsys, tmp_path, monkeypatch, results, data_home):
    monkeypatch.chdir(tmp_path)
    command = ("reproduce", "table1", "--only", "MUTAG", "v", "--repetitions", "1", "--render", "--n-jobs", "1")
    code, out, err = run(capsys, *command, "--data-home", data_home)
    assert (code, out) == (0, f"Page written to {Path('docs', 'reproduction.md')}\n")
    assert "MUTAG categorical v repetition 0: " in err
    found = json.loads((tmp_path / "results" / MUTAG_V).read_text(encoding="utf-8"))
    before = json.loads((results[0] / MUTAG_V).read_text(encoding="utf-8"))
    assert found["accuracy"] == before["accuracy"]
    assert found["parameters"] == before["parameters"]
    assert len(list((tmp_path / "out" / "matrices").glob("*.npz"))) == 1
    assert render(surroundings()) == Path("docs/reproduction.md")
