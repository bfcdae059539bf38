"""Going through units of work: each once, by any number of processes, killed and begun again as often as one likes."""

from __future__ import annotations

import _thread
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from wassergraph.datasets.download import DownloadError
from wassergraph.formats.tu.archive import MissingFileError
from wassergraph.reproduction import results as store
from wassergraph.reproduction.results import Unit, claim, read_records
from wassergraph.reproduction.runner import LOCKS, list_units, run_units
from wassergraph.reproduction.setups import load

V, WL, VH = ("demo", "categorical", "v"), ("demo", "categorical", "wl"), ("demo", "continuous", "vh-c")
WWL = ("demo", "continuous", "wwl")
LINE = re.compile(
    r"(\S+) (\S+) (\S+) repetition (\d+): \d+\.\d\d % in \d+ s; (\d+) of (\d+) left, \d+ min at this pace"
)

needs_locks = pytest.mark.skipif(store._LOCKS is None, reason="this system has no locks of files")

#: Runs units, and says so; with the word "dies" it is killed while it writes its first result.
WORKER = """
import json, os, signal, sys
from pathlib import Path
from wassergraph.reproduction.runner import list_units, run_units
results, cache, cells, repetitions, dies = json.loads(sys.argv[1])
if dies:
    import wassergraph.reproduction.results as store
    write = store.write_record
    def write_record(*arguments):
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
        write(*arguments)
    import wassergraph.reproduction.runner as running
    running.write_record = write_record
print("ready", flush=True)
sys.stdin.readline()
units = list_units(map(tuple, cells), range(repetitions))
run_units(units, Path(results), cache=Path(cache), tell=lambda line: print(line, flush=True))
"""


@pytest.fixture
def released(monkeypatch):
    """Let all results name the release, not a commit, which may change while tests run."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path(store.__file__).parents[2]))
    store.circumstances.cache_clear()
    yield
    store.circumstances.cache_clear()


@pytest.fixture
def start():
    """Start workers, which begin when they are told so, and end them with the test."""
    workers = []

    def begin(folder: Path, cells, repetitions, *, dies=False):
        order = json.dumps([str(folder / "results"), str(folder / "matrices"), cells, repetitions, dies])
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


def told_units(lines):
    """Read which units lines are about."""
    matches = [LINE.fullmatch(line) for line in lines]
    assert all(matches), lines
    return [Unit(match[1], match[2], match[3], int(match[4])) for match in matches]


def visible(results: Path):
    """Name all files but the claims."""
    found = (path.relative_to(results) for path in results.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if path.parts[0] != LOCKS}


def contents(results: Path):
    """Read all results by their place, without the time they took."""
    found = {path: json.loads((results / path).read_text(encoding="utf-8")) for path in sorted(visible(results))}
    for record in found.values():
        del record["seconds"]
    return found


def test_units_are_listed_cell_by_cell():
    assert list_units([V, WL], range(2)) == [Unit(*V, 0), Unit(*V, 1), Unit(*WL, 0), Unit(*WL, 1)]
    assert list_units(iter([V]), iter([3])) == [Unit(*V, 3)]
    assert list_units([], range(10)) == []


def test_results_are_written_in_order_and_told(tmp_path):
    units = [Unit(*WL, 1), Unit(*V, 0), Unit(*VH, 0)]
    lines = []
    run_units(units, tmp_path / "results", tell=lines.append)
    assert told_units(lines) == units
    assert [LINE.fullmatch(line).group(5, 6) for line in lines] == [("2", "3"), ("1", "3"), ("0", "3")]
    places = {"categorical/demo/wl/01.json", "categorical/demo/v/00.json", "continuous/demo/vh-c/00.json"}
    assert visible(tmp_path / "results") == places
    records = read_records(tmp_path / "results")
    assert [(r["method"], r["repetition"], r["random_state"]) for r in records] == [
        ("v", 0, 0),
        ("wl", 1, 1),
        ("vh-c", 0, 0),
    ]
    for record in records:
        assert set(store._KEYS) < record.keys()
        assert len(record["accuracy"]) == len(record["parameters"]) == 10
        assert (record["dataset"], record["n_graphs"], record["inner_folds"]) == ("demo", 60, 5)
    mean = 100 * sum(records[0]["accuracy"]) / 10
    assert f"demo categorical v repetition 0: {mean:.2f} % in" in lines[1]


def test_what_is_done_is_not_run_again(tmp_path):
    units, lines = list_units([V], range(2)), []
    run_units(units, tmp_path, tell=lines.append)
    before = {
        path: ((tmp_path / path).stat().st_mtime_ns, (tmp_path / path).read_bytes()) for path in visible(tmp_path)
    }
    run_units(units, tmp_path, data_home=tmp_path / "nowhere", tell=lines.append)
    after = {path: ((tmp_path / path).stat().st_mtime_ns, (tmp_path / path).read_bytes()) for path in visible(tmp_path)}
    assert after == before
    assert len(lines) == 2
    run_units([*units, Unit(*V, 2)], tmp_path, tell=lines.append)
    assert told_units(lines[2:]) == [Unit(*V, 2)]
    assert LINE.fullmatch(lines[2]).group(5, 6) == ("0", "3")
    units[1].path(tmp_path).unlink()
    run_units(units, tmp_path, tell=lines.append)
    assert told_units(lines[3:]) == [units[1]]


def test_a_result_is_the_same_with_and_without_kept_matrices(tmp_path, released):
    for folder, cache in (("one", None), ("two", tmp_path / "matrices"), ("three", tmp_path / "matrices")):
        run_units([Unit(*VH, 0)], tmp_path / folder, cache=cache, n_jobs=2, tell=lambda _: None)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "three")
    assert len(list((tmp_path / "matrices").glob("*.npz"))) == 1


def test_lines_are_printed_if_nothing_else_is_said(tmp_path, capsys):
    run_units([Unit(*V, 0)], tmp_path)
    out, err = capsys.readouterr()
    assert (told_units(out.splitlines()), err) == ([Unit(*V, 0)], "")


def test_a_mistake_is_told_and_leaves_no_result(tmp_path):
    for unit, message in (
        (Unit("demo", "categorical", "nope", 0), "there is no method 'nope'"),
        (Unit("demo", "continuous", "wl", 0), "WL is for categorical graphs"),
    ):
        with pytest.raises(ValueError, match=message):
            run_units([unit], tmp_path, tell=lambda _: None)
    assert visible(tmp_path) == set()


@pytest.mark.parametrize("error", [DownloadError, MissingFileError])
def test_a_data_set_that_cannot_be_loaded_does_not_keep_the_others_from_running(tmp_path, monkeypatch, error):
    asked, lines = [], []

    def offline(name, kind, data_home):
        asked.append(name)
        if name != "demo":
            raise error(f"{name} is out of reach")
        return load(name, kind, data_home)

    monkeypatch.setattr("wassergraph.reproduction.runner.load", offline)
    far = [("MUTAG", "categorical", method) for method in ("v", "wl")]
    units = list_units([far[0], V, ("NCI1", "categorical", "v"), far[1], VH], range(2))
    with pytest.raises(MissingFileError) as caught:
        run_units(units, tmp_path, data_home=tmp_path, tell=lines.append)
    told = "MUTAG: MUTAG is out of reach; NCI1: NCI1 is out of reach"
    assert str(caught.value) == f"some data sets could not be loaded, all others are done. {told}"
    assert told_units(lines) == list_units([V, VH], range(2))
    assert asked == ["MUTAG", "demo", "NCI1", "demo"]  # what is missing is looked for once
    assert visible(tmp_path) == {unit.path(Path()).as_posix() for unit in list_units([V, VH], range(2))}


@needs_locks
def test_a_unit_that_another_has_claimed_is_left_alone(tmp_path):
    units, lines = list_units([V], range(3)), []
    run_units(units[:1], tmp_path, tell=lambda _: None)
    (lock,) = (tmp_path / LOCKS).iterdir()
    with claim(tmp_path / LOCKS, lock.stem.removesuffix("0") + "1", wait=False) as ours:
        assert ours
        run_units(units, tmp_path, tell=lines.append)
    assert told_units(lines) == [units[2]]
    assert LINE.fullmatch(lines[0])[5] == "1"
    assert not units[1].is_done(tmp_path)


@needs_locks
def test_an_interrupt_leaves_no_part_of_a_result_and_no_claim(tmp_path):
    units = [Unit(*V, 0), Unit(*WWL, 0), Unit(*WWL, 1)]
    timers = []

    def interrupt_the_next(_: str) -> None:
        timers.append(threading.Timer(0.15, _thread.interrupt_main))
        timers[0].start()

    with pytest.raises(KeyboardInterrupt):
        run_units(units, tmp_path, tell=interrupt_the_next)
    assert len(timers) == 1
    assert visible(tmp_path) == {"categorical/demo/v/00.json"}
    for lock in (tmp_path / LOCKS).iterdir():
        with claim(tmp_path / LOCKS, lock.stem, wait=False) as ours:
            assert ours


@needs_locks
def test_processes_that_share_the_work_do_each_unit_once(tmp_path, start, released):
    cells, repetitions = [V, VH], 4
    workers = [start(tmp_path, cells, repetitions) for _ in range(2)]
    for worker in workers:
        go(worker)
    told = [told_units(worker.communicate(timeout=120)[0].splitlines()) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    units = list_units(cells, range(repetitions))
    assert len(told[0]) + len(told[1]) == len(units)
    assert {*told[0], *told[1]} == set(units)
    assert visible(tmp_path / "results") == {unit.path(Path()).as_posix() for unit in units}
    assert len(read_records(tmp_path / "results")) == len(units)
    assert len(list((tmp_path / "matrices").glob("*.npz"))) == len(cells)


@needs_locks
def test_a_run_that_is_killed_again_and_again_ends_with_the_results_of_one_that_was_not(tmp_path, start, released):
    cells, repetitions, dice = [V, VH, WL], 3, random.Random(0)
    killed, results, told = tmp_path / "killed", tmp_path / "killed" / "results", []
    workers = [start(killed, cells, repetitions) for _ in range(2)]
    units = list_units(cells, range(repetitions))
    run_units(units, tmp_path / "undisturbed", tell=lambda _: None)
    for n_lines, worker in enumerate(workers, 1):
        go(worker)
        told += [worker.stdout.readline().rstrip() for _ in range(n_lines)]
        time.sleep(dice.uniform(0, 0.1))
        worker.kill()
        told += worker.communicate()[0].splitlines()
        assert worker.returncode == -signal.SIGKILL
        assert len(read_records(results)) < len(units)
    assert len(read_records(results)) >= 3
    before = contents(results)
    run_units(units, results, cache=killed / "matrices", tell=told.append)
    after = contents(results)
    assert {path: after[path] for path in before} == before
    assert after == contents(tmp_path / "undisturbed")
    assert len({*told_units(told)}) == len(told) <= len(units)


@needs_locks
def test_who_is_killed_while_writing_leaves_nothing_that_passes_for_a_result(tmp_path, start, released):
    results = tmp_path / "results"
    worker = start(tmp_path, [V], 1, dies=True)
    go(worker)
    assert worker.communicate(timeout=60)[0] == ""
    assert worker.returncode == -signal.SIGKILL
    assert read_records(results) == []
    (left,) = visible(results)
    assert re.fullmatch(r"categorical/demo/v/\.00\.json-.*\.part", left)
    lines = []
    run_units([Unit(*V, 0)], results, cache=tmp_path / "matrices", tell=lines.append)
    assert told_units(lines) == [Unit(*V, 0)]
    assert len(read_records(results)) == 1
    assert visible(results) == {"categorical/demo/v/00.json"}
