"""Running everything that has no result yet: each run once, by any number of processes, killed at any moment."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wassergraph.datasets.download import DownloadError
from wassergraph.evaluation.matrices import Threads
from wassergraph.files import provenance
from wassergraph.files.locks import HAS_LOCKS, claim
from wassergraph.formats.tu.archive import MissingFileError
from wassergraph.reproduction.results import Key, Run, read_results
from wassergraph.reproduction.runner import LOCKS, list_runs, run_all
from wassergraph.reproduction.setups import load_prepared

V, WL, VH = Key("demo", "v", "categorical"), Key("demo", "wl", "categorical"), Key("demo", "vh-c", "continuous")
LINE = re.compile(
    r"(\S+) on (\S+) \((\S+)\), repetition (\d+): \d+\.\d\d % in \d+ s; (\d+) of (\d+) left, \d+ min at this speed"
)

needs_locks = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no file locks")

#: Runs everything, and prints what is logged. It kills itself after so many results, or while it writes the next one.
WORKER = """
import json, os, signal, sys
from pathlib import Path
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.runner import list_runs, run_all
results, cache, keys, repetitions, results_before_death, dies_while_writing = json.loads(sys.argv[1])
n_results = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def log(line):
    global n_results
    print(line, flush=True)
    n_results += 1
    if n_results == results_before_death and not dies_while_writing:
        die()

rename = Path.replace

def replace(temporary, target):
    if dies_while_writing and n_results == results_before_death and target.suffix == ".json":
        die()
    return rename(temporary, target)

Path.replace = replace
print("ready", flush=True)
sys.stdin.readline()
runs = list_runs([Key(*key) for key in keys], range(repetitions))
run_all(runs, Path(results), cache=Path(cache), log=log)
"""


@pytest.fixture
def released(monkeypatch):
    """Let all results name the release, not a commit, which may change while tests run."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path(provenance.__file__).parents[2]))
    provenance.current_provenance.cache_clear()
    yield
    provenance.current_provenance.cache_clear()


@pytest.fixture
def start():
    """Start workers, which begin on command, and end them with the test."""
    workers = []

    def begin(folder: Path, keys, repetitions, *, results_before_death=-1, dies_while_writing=False):
        folders = [str(folder / "results"), str(folder / "matrices")]
        order = json.dumps([*folders, keys, repetitions, results_before_death, dies_while_writing])
        command = [sys.executable, "-c", WORKER, order]
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        workers.append(worker)
        return worker

    yield begin
    for worker in workers:
        worker.kill()
        worker.communicate()


def go(worker):
    assert worker.stdout.readline() == "ready\n"
    worker.stdin.write("go\n")
    worker.stdin.flush()


def logged_runs(lines):
    """Return the runs that lines are about."""
    matches = [LINE.fullmatch(line) for line in lines]
    assert all(matches), lines
    return [Run(match[2], match[1], match[3], int(match[4])) for match in matches]


def visible(results: Path):
    """Return all files but the locks."""
    found = (path.relative_to(results) for path in results.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if path.parts[0] != LOCKS}


def contents(results: Path):
    """Return the content of all results by their path, without the times."""
    found = {
        path: json.loads((results / path).read_text(encoding="utf-8"))
        for path in sorted(visible(results))
        if path.endswith(".json")
    }
    for record in found.values():
        del record["seconds"]
    return found


def test_runs_are_listed_key_by_key():
    assert list_runs([V, WL], range(2)) == [Run(*V, 0), Run(*V, 1), Run(*WL, 0), Run(*WL, 1)]
    assert list_runs(iter([V]), iter([3])) == [Run(*V, 3)]
    assert list_runs([], range(10)) == []


def test_results_are_written_in_order_and_logged(tmp_path):
    runs = [Run(*WL, 1), Run(*V, 0), Run(*VH, 0)]
    lines = []
    run_all(runs, tmp_path / "results", log=lines.append)
    assert logged_runs(lines) == runs
    assert [LINE.fullmatch(line).group(5, 6) for line in lines] == [("2", "3"), ("1", "3"), ("0", "3")]
    places = {"categorical/demo/wl/01.json", "categorical/demo/v/00.json", "continuous/demo/vh-c/00.json"}
    assert visible(tmp_path / "results") == places
    results = read_results(tmp_path / "results")
    assert [(result.run, result.scores.random_state) for result in results] == [
        (Run(*V, 0), 0),
        (Run(*WL, 1), 1),
        (Run(*VH, 0), 0),
    ]
    for result in results:
        assert len(result.scores.accuracy) == len(result.scores.parameters) == 10
        assert (result.scores.n_graphs, result.scores.inner_folds) == (60, 5)
    mean = 100 * sum(results[0].scores.accuracy) / 10
    assert f"v on demo (categorical), repetition 0: {mean:.2f} % in" in lines[1]


def test_what_is_done_is_not_run_again(tmp_path):
    runs, lines = list_runs([V], range(2)), []
    run_all(runs, tmp_path, log=lines.append)
    before = {
        path: ((tmp_path / path).stat().st_mtime_ns, (tmp_path / path).read_bytes()) for path in visible(tmp_path)
    }
    run_all(runs, tmp_path, data_home=tmp_path / "nowhere", log=lines.append)
    after = {path: ((tmp_path / path).stat().st_mtime_ns, (tmp_path / path).read_bytes()) for path in visible(tmp_path)}
    assert after == before
    assert len(lines) == 2
    run_all([*runs, Run(*V, 2)], tmp_path, log=lines.append)
    assert logged_runs(lines[2:]) == [Run(*V, 2)]
    assert LINE.fullmatch(lines[2]).group(5, 6) == ("0", "3")
    runs[1].path(tmp_path).unlink()
    run_all(runs, tmp_path, log=lines.append)
    assert logged_runs(lines[3:]) == [runs[1]]


def test_a_result_is_the_same_with_and_without_kept_matrices(tmp_path, released):
    for folder, cache in (("one", None), ("two", tmp_path / "matrices"), ("three", tmp_path / "matrices")):
        run_all([Run(*VH, 0)], tmp_path / folder, cache=cache, threads=Threads(n_jobs=2), log=lambda _: None)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "three")
    assert len(list((tmp_path / "matrices").glob("*.npz"))) == 1


def test_lines_are_printed_if_nothing_else_is_said(tmp_path, capsys):
    run_all([Run(*V, 0)], tmp_path)
    out, err = capsys.readouterr()
    assert (logged_runs(out.splitlines()), err) == ([Run(*V, 0)], "")


def test_error_leaves_no_result(tmp_path):
    for unit, message in (
        (Run("demo", "nope", "categorical", 0), "method must be one of .* got 'nope'"),
        (Run("demo", "wl", "continuous", 0), "WL is defined for the kind categorical"),
    ):
        with pytest.raises(ValueError, match=message):
            run_all([unit], tmp_path, log=lambda _: None)
    assert visible(tmp_path) == set()


@pytest.mark.parametrize("error", [DownloadError, MissingFileError])
def test_a_data_set_that_cannot_be_loaded_does_not_keep_the_others_from_running(tmp_path, monkeypatch, error):
    asked, lines = [], []

    def offline(name, kind, data_home):
        asked.append(name)
        if name != "demo":
            raise error(f"{name} is out of reach")
        return load_prepared(name, kind, data_home)

    monkeypatch.setattr("wassergraph.reproduction.runner.load_prepared", offline)
    far = [Key("MUTAG", method, "categorical") for method in ("v", "wl")]
    runs = list_runs([far[0], V, Key("NCI1", "v", "categorical"), far[1], VH], range(2))
    with pytest.raises(MissingFileError) as caught:
        run_all(runs, tmp_path, data_home=tmp_path, log=lines.append)
    reasons = "MUTAG: MUTAG is out of reach; NCI1: NCI1 is out of reach"
    assert str(caught.value) == f"these data sets could not be loaded (all others are done): {reasons}"
    assert logged_runs(lines) == list_runs([V, VH], range(2))
    assert asked == ["MUTAG", "demo", "NCI1", "demo"]  # what is missing is looked for once
    assert visible(tmp_path) == {unit.path(Path()).as_posix() for unit in list_runs([V, VH], range(2))}


@needs_locks
def test_a_unit_that_another_has_claimed_is_left_alone(tmp_path):
    runs, lines = list_runs([V], range(3)), []
    run_all(runs[:1], tmp_path, log=lambda _: None)
    (lock,) = (tmp_path / LOCKS).iterdir()
    with claim(tmp_path / LOCKS, lock.stem.removesuffix("0") + "1", wait=False) as ours:
        assert ours
        run_all(runs, tmp_path, log=lines.append)
    assert logged_runs(lines) == [runs[2]]
    assert LINE.fullmatch(lines[0])[5] == "1"
    assert not runs[1].is_done(tmp_path)


@needs_locks
def test_interrupt_leaves_no_part_of_a_result_and_no_claim(tmp_path, monkeypatch):
    lines, fsync = [], os.fsync

    def interrupted_after_one_result(file: int) -> None:
        if lines:
            raise KeyboardInterrupt
        fsync(file)

    monkeypatch.setattr(os, "fsync", interrupted_after_one_result)
    with pytest.raises(KeyboardInterrupt):
        run_all([Run(*V, 0), Run(*WL, 0), Run(*WL, 1)], tmp_path, log=lines.append)
    assert logged_runs(lines) == [Run(*V, 0)]
    assert visible(tmp_path) == {"categorical/demo/v/00.json"}
    locks = list((tmp_path / LOCKS).iterdir())
    assert len(locks) == 2
    for lock in locks:
        with claim(tmp_path / LOCKS, lock.stem, wait=False) as is_ours:
            assert is_ours


@needs_locks
def test_processes_that_share_the_work_do_each_unit_once(tmp_path, start, released):
    cells, repetitions = [V, VH], 4
    workers = [start(tmp_path, cells, repetitions) for _ in range(2)]
    for worker in workers:
        go(worker)
    logged = [logged_runs(worker.communicate()[0].splitlines()) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    runs = list_runs(cells, range(repetitions))
    assert len(logged[0]) + len(logged[1]) == len(runs)
    assert {*logged[0], *logged[1]} == set(runs)
    assert visible(tmp_path / "results") == {unit.path(Path()).as_posix() for unit in runs}
    assert len(read_results(tmp_path / "results")) == len(runs)
    assert len(list((tmp_path / "matrices").glob("*.npz"))) == len(cells)


@needs_locks
def test_killed_runs_end_with_the_results_of_a_run_that_was_not_killed(tmp_path, start, released):
    keys, repetitions = [V, VH, WL], 3
    runs = list_runs(keys, range(repetitions))
    killed, results, lines = tmp_path / "killed", tmp_path / "killed" / "results", []
    for dies_while_writing in (False, True):
        worker = start(killed, keys, repetitions, results_before_death=2, dies_while_writing=dies_while_writing)
        go(worker)
        lines += worker.communicate()[0].splitlines()
        assert worker.returncode == -signal.SIGKILL
    assert logged_runs(lines) == runs[:4]
    assert [result.run for result in read_results(results)] == sorted(runs[:4], key=lambda run: run.path(Path()))
    before = contents(results)
    run_all(runs, results, cache=killed / "matrices", log=lines.append)
    run_all(runs, tmp_path / "undisturbed", log=lambda _: None)
    after = contents(results)
    assert {path: after[path] for path in before} == before
    assert after == contents(tmp_path / "undisturbed")
    assert logged_runs(lines) == runs


@needs_locks
def test_part_of_a_result_is_not_mistaken_for_one(tmp_path, start, released):
    results = tmp_path / "results"
    worker = start(tmp_path, [V], 1, results_before_death=0, dies_while_writing=True)
    go(worker)
    assert worker.communicate()[0] == ""
    assert worker.returncode == -signal.SIGKILL
    assert read_results(results) == []
    (left,) = visible(results)
    assert re.fullmatch(r"categorical/demo/v/\.00\.json-.*\.part", left)
    lines = []
    run_all([Run(*V, 0)], results, cache=tmp_path / "matrices", log=lines.append)
    assert logged_runs(lines) == [Run(*V, 0)]
    assert visible(results) == {"categorical/demo/v/00.json"}
