"""Results as files, claims between processes, and matrices that are computed once."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.evaluation.methods import Recipe
from wassergraph.reproduction import results as store
from wassergraph.reproduction.results import Unit, cached, claim, content_key, read_records, write_record

UNIT = Unit("demo", "categorical", "wl", 3)
RECORD = {
    "accuracy": [0.5, 0.75],
    "parameters": [{"depth": 2, "C": 0.1}] * 2,
    "majority": 0.6,
    "seconds": {"selection": 1.5},
}
RECIPE = Recipe("hgk-wl", "continuous", depths=(0, 1), iterations=4, draws=2)

needs_locks = pytest.mark.skipif(store._LOCKS is None, reason="this system has no locks of files")


@pytest.fixture(scope="module")
def graphs():
    return wg.load_dataset("demo")[0][:12]


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


# Records


def test_a_unit_is_kept_by_kind_data_set_method_and_repetition(tmp_path):
    assert UNIT.path(tmp_path) == tmp_path / "categorical" / "demo" / "wl" / "03.json"
    assert replace(UNIT, method="wwl+svc", repetition=12).path(tmp_path).parts[-2:] == ("wwl+svc", "12.json")
    assert not UNIT.is_done(tmp_path)
    write_record(tmp_path, UNIT, RECORD)
    assert UNIT.is_done(tmp_path)
    assert not replace(UNIT, repetition=0).is_done(tmp_path)


def test_records_are_read_as_they_were_written_and_say_what_they_were_made_with(tmp_path):
    write_record(tmp_path, UNIT, RECORD)
    (record,) = read_records(tmp_path)
    about = {"dataset": "demo", "kind": "categorical", "method": "wl", "repetition": 3}
    assert {name: record[name] for name in (*about, *RECORD)} == {**about, **RECORD}
    assert record.keys() == {*about, *RECORD, "versions", "commit"}
    assert record["versions"]["numpy"] == np.__version__
    assert record["versions"]["wassergraph"] == wg.__version__
    assert {"scipy", "scikit-learn", "numba", "python"} < record["versions"].keys()
    assert record["commit"]


def test_a_record_has_an_entry_on_each_line(tmp_path):
    write_record(tmp_path, UNIT, {**RECORD, "note": "Kreĭn"})
    lines = UNIT.path(tmp_path).read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[-1]) == ("{", "}")
    assert lines[5] == '  "accuracy": [0.5, 0.75],'
    assert '  "note": "Kreĭn",' in lines
    assert len(lines) == 2 + len(json.loads("".join(lines)))


def test_records_are_sorted_by_kind_data_set_method_and_repetition(tmp_path):
    units = [
        Unit(dataset, kind, method, repetition)
        for kind in ("categorical", "continuous")
        for dataset in ("A", "B")
        for method in ("v", "wl")
        for repetition in (0, 1, 10)
    ]
    for place in np.random.default_rng(0).permutation(len(units)):
        write_record(tmp_path, units[place], RECORD)
    assert [Unit(*(r[f.name] for f in fields(Unit))) for r in read_records(tmp_path)] == units


def test_other_files_are_no_records(tmp_path):
    assert read_records(tmp_path / "missing") == []
    write_record(tmp_path, UNIT, RECORD)
    (tmp_path / "noise.csv").write_text("a,b\n")
    (tmp_path / ".locks").mkdir()
    (tmp_path / ".locks" / "demo.lock").touch()
    (UNIT.path(tmp_path).parent / ".04.json-1-abc.part").write_text('{"dataset": "de')
    assert len(read_records(tmp_path)) == 1


@pytest.mark.parametrize("text", ["", '{"dataset": "de', "[]", "null", "3", '{"dataset": "demo"}', "\x00\xff"])
def test_what_is_no_record_is_refused_with_its_name(tmp_path, text):
    path = UNIT.path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"categorical.demo.wl.03\.json is not a result of an experiment: remove it"):
        read_records(tmp_path)


@pytest.mark.parametrize("key", store._KEYS)
def test_a_record_that_lacks_something_is_refused_with_its_name(tmp_path, key):
    write_record(tmp_path, UNIT, RECORD)
    path = UNIT.path(tmp_path)
    record = json.loads(path.read_text(encoding="utf-8"))
    assert set(store._KEYS) <= record.keys()
    del record[key]
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ValueError, match=r"categorical.demo.wl.03\.json is not a result of an experiment: remove it"):
        read_records(tmp_path)


@pytest.mark.parametrize(
    "place", ["categorical/demo/wl/04.json", "categorical/demo/v/03.json", "joint/demo/wl/03.json", "03.json"]
)
def test_a_record_in_the_wrong_place_is_refused_with_its_name(tmp_path, place):
    write_record(tmp_path, UNIT, RECORD)
    target = tmp_path / place
    target.parent.mkdir(parents=True, exist_ok=True)
    UNIT.path(tmp_path).rename(target)
    with pytest.raises(ValueError, match="put it where it belongs") as caught:
        read_records(tmp_path)
    assert str(target) in str(caught.value)
    assert "'categorical', 'demo', 'wl', 3" in str(caught.value)


def test_a_copy_of_a_record_under_another_name_is_refused_with_its_name(tmp_path):
    write_record(tmp_path, UNIT, RECORD)
    copy = UNIT.path(tmp_path).with_name("copy.json")
    copy.write_bytes(UNIT.path(tmp_path).read_bytes())
    with pytest.raises(ValueError, match="put it where it belongs") as caught:
        read_records(tmp_path)
    assert str(copy) in str(caught.value)


def test_while_a_record_is_written_the_old_one_is_whole(tmp_path, monkeypatch):
    write_record(tmp_path, UNIT, RECORD)
    seen, real = [], os.fsync

    def look(file: int) -> None:
        seen.extend(record["accuracy"] for record in read_records(tmp_path))
        real(file)

    monkeypatch.setattr(os, "fsync", look)
    write_record(tmp_path, UNIT, {**RECORD, "accuracy": [1.0]})
    assert seen == [RECORD["accuracy"]]
    assert [record["accuracy"] for record in read_records(tmp_path)] == [[1.0]]
    assert files_in(tmp_path) == {"categorical/demo/wl/03.json"}


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_record_that_could_not_be_written_leaves_nothing_behind(tmp_path, monkeypatch, problem):
    def fail(_: int) -> None:
        raise problem

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(problem)):
        write_record(tmp_path, UNIT, RECORD)
    assert files_in(tmp_path) == set()
    assert not UNIT.is_done(tmp_path)


def test_a_reader_never_sees_half_a_record(tmp_path):
    long = {**RECORD, "accuracy": [1 / 3] * 20_000}
    write_record(tmp_path, UNIT, long)
    writer = threading.Thread(target=lambda: [write_record(tmp_path, UNIT, long) for _ in range(20)])
    writer.start()
    reads = 0
    while writer.is_alive() or reads == 0:
        (record,) = read_records(tmp_path)
        assert record["accuracy"] == long["accuracy"]
        reads += 1
    writer.join()
    assert files_in(tmp_path) == {"categorical/demo/wl/03.json"}


def test_where_there_is_no_repository_the_commit_is_the_release(monkeypatch):
    package = Path(store.__file__).parents[1]
    released = f"release {wg.__version__}"
    for name, value in (("GIT_CEILING_DIRECTORIES", str(package.parent)), ("PATH", "")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert store.circumstances.__wrapped__()["commit"] == released
            if name == "PATH":
                assert store._git("--version") == ""


def test_another_repository_that_the_package_lies_in_does_not_lend_its_commit(monkeypatch):
    root = Path(store.__file__).resolve().parents[3]
    answers = {"rev-parse": str(root), "describe": "v9-1-gabcdef0"}
    monkeypatch.setattr(store, "_git", lambda command, *_: answers[command])
    assert store.circumstances.__wrapped__()["commit"] == "v9-1-gabcdef0"
    for elsewhere in (str(root.parent), ""):
        answers["rev-parse"] = elsewhere
        assert store.circumstances.__wrapped__()["commit"] == f"release {wg.__version__}"


def test_a_package_without_metadata_is_unknown(monkeypatch):
    monkeypatch.setattr(store, "_git", lambda *_: "")
    monkeypatch.setattr(store, "_PACKAGES", ("wassergraph", "numpy", "no-such-package"))
    assert store.circumstances.__wrapped__()["versions"]["no-such-package"] == "unknown"
    assert store.circumstances.__wrapped__()["versions"]["numpy"] == np.__version__

    def missing(package):
        raise store.importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(store.importlib.metadata, "version", missing)
    assert store.circumstances.__wrapped__()["commit"] == "release unknown"


# Claims

HOLD = """
import sys, time
from pathlib import Path
from wassergraph.reproduction.results import claim
with claim(Path(sys.argv[1]), "work", wait=False) as ours:
    print(ours, flush=True)
    time.sleep(60)
"""


@needs_locks
def test_a_claim_that_another_process_holds_is_free_once_it_is_killed(tmp_path):
    folder = tmp_path / "locks"
    holder = start(HOLD, folder)
    try:
        assert holder.stdout.readline() == "True\n"
        with claim(folder, "work", wait=False) as ours:
            assert not ours
        with claim(folder, "other work", wait=False) as ours:
            assert ours
        os.kill(holder.pid, signal.SIGKILL)
        assert holder.wait(timeout=30) == -signal.SIGKILL
        with claim(folder, "work", wait=False) as ours:
            assert ours
    finally:
        end(holder)


@needs_locks
def test_a_claim_is_free_after_its_work_however_that_ended(tmp_path):
    def work():
        with claim(tmp_path, "work", wait=False) as ours, claim(tmp_path, "work", wait=False) as theirs:
            assert (ours, theirs) == (True, False)
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        work()
    with claim(tmp_path, "work", wait=True) as ours:
        assert ours


# Names of content

CHANGES = {
    "node_ptr": lambda batch: batch[[0, *range(len(batch))]],
    "indices": lambda batch: batch[::-1],
    "node_labels": lambda batch: replace(batch, node_labels=batch.node_labels + 1),
    "node_attributes": lambda batch: replace(batch, node_attributes=np.nextafter(batch.node_attributes, np.inf)),
    "edge_weights": lambda batch: replace(batch, edge_weights=None),
    "edge_labels": lambda batch: replace(batch, edge_labels=np.zeros(batch.n_arcs, dtype=int)),
    "edge_attributes": lambda batch: replace(batch, edge_attributes=np.zeros((batch.n_arcs, 2))),
}
SQUARE, CROSSED = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 2), (2, 1), (1, 3), (3, 0)]
OTHERS = {
    "method": "hgk-sp",
    "kind": "joint",
    "depths": (0, 2),
    "standardize": True,
    "isolated": "keep",
    "normalize": True,
    "regs": (0.5,),
    "iterations": 5,
    "draws": 1,
    "seed": 1,
}


def test_the_same_content_has_the_same_name(graphs):
    copy = replace(graphs, **{name: array.copy() for name, array in vars(graphs).items() if array is not None})
    assert content_key(copy, replace(RECIPE)) == content_key(graphs, RECIPE)
    assert content_key(wg.load_dataset("demo")[0][:12], RECIPE) == content_key(graphs, RECIPE)
    assert content_key(graphs, RECIPE).isalnum()


def test_other_graphs_have_another_name(graphs):
    names = {what: content_key(change(graphs), RECIPE) for what, change in CHANGES.items()}
    assert len({*names.values(), content_key(graphs, RECIPE)}) == len(CHANGES) + 1


def test_graphs_that_differ_in_one_array_only_have_different_names():
    square, crossed = (wg.from_edges([edges], symmetrize=True) for edges in (SQUARE, CROSSED))
    np.testing.assert_array_equal(square.indptr, crossed.indptr)
    assert content_key(square, RECIPE) != content_key(crossed, RECIPE)
    apart = wg.from_edges([[(0, 1)], [(0, 1)]], symmetrize=True)
    together = wg.from_edges([[(0, 1), (2, 3)]], symmetrize=True)
    np.testing.assert_array_equal(apart.indices, together.indices)
    assert content_key(apart, RECIPE) != content_key(together, RECIPE)


def test_every_field_of_a_recipe_makes_another_name(graphs):
    assert OTHERS.keys() == {field.name for field in fields(Recipe)}
    names = {name: content_key(graphs, replace(RECIPE, **{name: value})) for name, value in OTHERS.items()}
    assert len({*names.values(), content_key(graphs, RECIPE)}) == len(OTHERS) + 1


def test_the_same_numbers_in_another_array_have_another_name(graphs):
    zeros = np.zeros(graphs.n_arcs)
    as_weights = replace(graphs, edge_weights=zeros)
    as_attributes = replace(graphs, edge_weights=None, edge_attributes=zeros[:, None])
    as_labels = replace(graphs, edge_weights=None, edge_labels=zeros.astype(int))
    assert len({content_key(each, RECIPE) for each in (as_weights, as_attributes, as_labels)}) == 3


# Matrices

AWKWARD = np.array([[[0.1 + 0.2, -0.0], [np.nan, 5e-324]]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_matrices_are_computed_once_and_read_back_bit_by_bit(tmp_path, dtype):
    folder, calls = tmp_path / "matrices", []

    def compute():
        calls.append(1)
        return AWKWARD.astype(dtype)

    first, seconds = cached(folder, "key", compute)
    again, as_long = cached(folder, "key", compute)
    assert (len(calls), again.dtype, again.shape) == (1, first.dtype, first.shape)
    assert again.tobytes() == first.tobytes() == AWKWARD.astype(dtype).tobytes()
    assert as_long == seconds > 0
    cached(folder, "other", compute)
    assert len(calls) == 2
    assert files_in(folder) == {"key.npz", "key.lock", "other.npz", "other.lock"}


def test_without_a_folder_matrices_are_computed_every_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = []
    for _ in range(2):
        matrices, seconds = cached(None, "key", lambda: calls.append(1) or AWKWARD)
        assert matrices is AWKWARD
        assert seconds >= 0
    assert len(calls) == 2
    assert files_in(tmp_path) == set()


def test_matrices_that_could_not_be_computed_are_not_kept(tmp_path):
    def fail():
        raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        cached(tmp_path, "key", fail)
    assert files_in(tmp_path) == {"key.lock"}
    assert cached(tmp_path, "key", lambda: AWKWARD)[0] is AWKWARD


def test_matrices_that_are_not_whole_are_computed_again_and_replaced(tmp_path):
    matrices, path = np.arange(8.0).reshape(2, 2, 2), tmp_path / "key.npz"
    cached(tmp_path, "key", lambda: matrices)
    whole = path.read_bytes()
    other = io.BytesIO()
    np.savez(other, matrices=matrices)  # of something else: it does not say how long it took
    for broken in (b"", whole[:1], whole[: len(whole) // 2], whole[:-1], b"no archive at all", other.getvalue()):
        path.write_bytes(broken)
        calls = []
        again, _ = cached(tmp_path, "key", lambda calls=calls: calls.append(1) or matrices)
        assert again is matrices
        assert len(calls) == 1
        kept, _ = cached(tmp_path, "key", lambda: pytest.fail("the matrices were not kept"))
        np.testing.assert_array_equal(kept, matrices)
        assert files_in(tmp_path) == {"key.npz", "key.lock"}


def test_matrices_that_cannot_be_kept_are_given_with_a_warning(tmp_path, monkeypatch):
    (tmp_path / "key.npz").mkdir()
    with pytest.warns(UserWarning, match=r"the matrices are not kept in .*key\.npz is a folder") as told:
        matrices, seconds = cached(tmp_path, "key", lambda: AWKWARD)
    assert matrices is AWKWARD
    assert seconds >= 0
    assert len(told) == 1

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store, "write_atomically", full)
    for _ in range(2):
        with pytest.warns(UserWarning, match="the matrices are not kept in .*No space left on device"):
            assert cached(tmp_path, "other", lambda: AWKWARD)[0] is AWKWARD
    assert files_in(tmp_path) == {"key.lock", "other.lock"}


COMPUTE = """
import sys
from pathlib import Path
import numpy as np
from wassergraph.reproduction.results import cached

def compute():
    print("computing", flush=True)
    sys.stdin.readline()
    return np.full((1, 2, 2), 7.0)

cached(Path(sys.argv[1]), "key", compute)
"""


@needs_locks
@pytest.mark.parametrize("killed", [False, True])
def test_while_another_process_computes_matrices_we_wait_for_them(tmp_path, killed):
    calls, found = [], []

    def compute():
        calls.append(1)
        return np.full((1, 2, 2), 8.0)

    other = start(COMPUTE, tmp_path)
    try:
        assert other.stdout.readline() == "computing\n"
        waiter = threading.Thread(target=lambda: found.append(cached(tmp_path, "key", compute)[0]), daemon=True)
        waiter.start()
        waiter.join(0.3)
        assert waiter.is_alive()
        assert calls == []
        if killed:
            other.kill()
        else:
            other.stdin.write("\n")
            other.stdin.flush()
        waiter.join(30)
        assert not waiter.is_alive()
    finally:
        end(other)
    assert len(calls) == killed
    np.testing.assert_array_equal(found[0], np.full((1, 2, 2), 8.0 if killed else 7.0))
