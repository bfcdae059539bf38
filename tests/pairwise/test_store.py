"""Distances on disk: the same bits as in memory, kept through failures, and checked when they are read."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import zarr

import wassergraph as wg
from executors import FailingExecutor, SynchronousExecutor
from made_metrics import with_metric
from specimens.write_stores import FOLDER, SPECIMEN, specimen_graphs, write_store
from stores import (
    CASES,
    GRAPHS,
    assert_identical,
    edit_attributes,
    flip,
    stamps,
    tile_file,
    tile_files,
)
from wassergraph import optional
from wassergraph.errors import DiskError, InputError, NotSolvedError
from wassergraph.files.locks import HAS_LOCKS, claim_file
from wassergraph.pairwise import fill_store, store
from wassergraph.pairwise.store import FORMAT
from wassergraph.pairwise.tiles import Tile
from wassergraph.pairwise.workers import SolveStored

pytestmark = pytest.mark.usefixtures("small_tiles")

posix_only = pytest.mark.skipif(os.name != "posix", reason="this system has no links and limits of POSIX")
needs_locks = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no file locks")

#: How many files of tiles a case must have at least, so that there is something to put together.
FEW_TILES = {"one graph": 1, "one graph with entropy": 1, "thin": 1, "flat": 2} | dict.fromkeys(
    (name for name in CASES if name.startswith("no graphs")), 0
)
ENGINES = {
    "one thread": lambda: {"n_jobs": 1},
    "two threads": lambda: {"n_jobs": 2},
    "a pool of threads": lambda: {"executor": ThreadPoolExecutor(2)},
    "another executor": lambda: {"executor": SynchronousExecutor()},
}


@pytest.fixture(params=CASES)
def case(request):
    return request.param


@pytest.fixture(params=ENGINES)
def engine(request):
    chosen = ENGINES[request.param]()
    yield chosen
    if "executor" in chosen:
        chosen["executor"].shutdown()


# The same bits as in memory


def test_a_store_equals_memory(case, engine, path):
    expected = wg.distances(**with_metric(**CASES[case]))
    distances = wg.distances(**with_metric(**CASES[case], **engine), out=path)
    assert isinstance(distances, wg.DistanceStore)
    assert_identical(distances, expected)
    assert_identical(wg.open_distances(path, verify=True), expected)
    assert len(tile_files(path)) >= FEW_TILES.get(case, 4)
    assert [entry.name for entry in path.parent.iterdir()] == ["D.zarr"]


def test_an_executor_computes_what_is_in_memory(case, tmp_path, monkeypatch):
    expected = wg.distances(**with_metric(**CASES[case]))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    executor = SynchronousExecutor()
    assert_identical(wg.distances(**with_metric(**CASES[case]), executor=executor), expected)
    assert executor.n_calls >= (2 if FEW_TILES.get(case, 4) > 1 else FEW_TILES[case])
    assert list(tmp_path.iterdir()) == []


def test_a_pool_of_threads_needs_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with ThreadPoolExecutor(2) as pool:
        assert_identical(
            wg.distances(**with_metric(**CASES["joint"]), executor=pool),
            wg.distances(**with_metric(**CASES["joint"])),
        )


def test_the_last_tiles_may_be_smaller(path):
    distances = wg.distances(**with_metric(**CASES["continuous"]), out=path)
    assert distances.tile_shape == (4, 4)  # 4 + 4 + 4 + 1 graphs
    assert len(tile_files(path)) == 16


def test_a_tile_of_zeros_is_done(path):
    executor = SynchronousExecutor()
    distances = wg.distances(**with_metric(**CASES["equal graphs"]), out=path)
    assert not np.asarray(distances).any()
    wg.distances(**with_metric(**CASES["equal graphs"]), out=path, executor=executor)
    assert executor.n_calls == 0


def test_another_store_may_take_the_place_of_a_removed_one(path):
    for name in ("continuous", "one depth", "float32", "rectangle"):
        assert_identical(
            wg.distances(**with_metric(**CASES[name]), out=path), wg.distances(**with_metric(**CASES[name]))
        )
        shutil.rmtree(path)


def test_an_empty_folder_becomes_the_store(path):
    path.mkdir()
    assert_identical(
        wg.distances(**with_metric(**CASES["one depth"]), out=str(path)),
        wg.distances(**with_metric(**CASES["one depth"])),
    )


@posix_only
def test_a_link_leads_to_the_store(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "D.zarr").symlink_to(tmp_path / "disk" / "any name")
    distances = wg.distances(**with_metric(**CASES["one depth"]), out=tmp_path / "D.zarr")
    assert distances.path == tmp_path / "D.zarr"  # as workers on other machines see it
    assert (tmp_path / "disk" / "any name" / "zarr.json").exists()
    assert (tmp_path / "D.zarr").is_symlink()
    assert_identical(wg.open_distances(tmp_path / "D.zarr"), wg.distances(**with_metric(**CASES["one depth"])))


# What must not be mixed


class LateExecutor(SynchronousExecutor):
    """Keep the calls, to run them later than the caller expects."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = []

    def submit(self, fn, /, *args, **kwargs):
        self.calls.append(pickle.dumps((fn, args, kwargs)))  # a process would not see that the caller has stopped
        future = Future()
        future.set_exception(KeyboardInterrupt())
        return future


def test_a_late_worker_does_not_write_to_another_store_at_the_same_path(path):
    late = LateExecutor()
    with pytest.raises(KeyboardInterrupt):
        wg.distances(GRAPHS[:13], metric=wg.WWL(standardize=False), out=path, executor=late)
    shutil.rmtree(path)
    with pytest.raises(KeyboardInterrupt):
        wg.distances(GRAPHS[:13], metric=wg.WWL(standardize=True), out=path, executor=LateExecutor())
    for fn, args, kwargs in map(pickle.loads, late.calls):
        with pytest.raises(ValueError, match="another store has taken the place of this one"):
            fn(*args, **kwargs)
    assert tile_files(path) == []
    distances = wg.distances(GRAPHS[:13], metric=wg.WWL(standardize=True), out=path)
    assert_identical(distances, wg.distances(GRAPHS[:13], metric=wg.WWL(standardize=True)))


def test_an_opened_store_is_not_mistaken_for_another_one(path):
    old = wg.distances(GRAPHS[:6], metric=wg.WWL(standardize=False), out=path)
    shutil.rmtree(path)
    with pytest.raises(ValueError, match=r"D\.zarr"):
        old[0]
    wg.distances(GRAPHS[:6], metric=wg.WWL(standardize=True), out=path)
    with pytest.raises(ValueError, match="another store has taken the place of this one; open it again"):
        np.asarray(old)


@pytest.mark.parametrize("executor", [None, SynchronousExecutor()])
def test_lost_inputs_are_not_zeros(path, executor):
    wg.distances(GRAPHS[:13], metric=wg.WWL(kind="continuous"), out=path)
    (path / "inputs" / "left" / "points" / "c" / "0" / "0").unlink()
    tile_file(path, 0, 0).unlink()
    with pytest.raises(ValueError, match="the embedded graphs of this store were changed or damaged"):
        wg.distances(GRAPHS[:13], metric=wg.WWL(kind="continuous"), out=path, executor=executor)


class LyingExecutor(SynchronousExecutor):
    """Return the same answer to every call, and do nothing."""

    def __init__(self, answer) -> None:
        super().__init__()
        self.answer = answer

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(self.answer)
        return future


@pytest.mark.parametrize("answer", [None, np.zeros((1, 1, 1)), 3.0])
def test_what_an_executor_did_not_compute_is_missed(path, answer):
    with pytest.raises(OSError, match="tiles are missing although they were computed"):
        wg.distances(GRAPHS[:13], out=path, executor=LyingExecutor(answer))
    with pytest.raises(TypeError, match=r"executor returned .* in place of \d+ × \d+ distances"):
        wg.distances(GRAPHS[:13], executor=LyingExecutor(answer))


def test_rows_are_read_one_after_the_other_as_from_an_array(path):
    for depth in (1, [0, 1]):
        distances = wg.distances(GRAPHS[:13], metric=wg.WWL(depth=depth), out=path)
        np.testing.assert_array_equal(np.stack(list(distances)), np.asarray(distances))
        shutil.rmtree(path)


# Going on after a failure


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt(), OSError(errno.EIO, "broken")])
@pytest.mark.parametrize("name", ["continuous", "rectangle", "sliced"])
@pytest.mark.parametrize("n_tiles", [0, 1, 5])
def test_a_run_that_failed_goes_on_where_it_ended(path, error, name, n_tiles):
    with pytest.raises(type(error)):
        wg.distances(**with_metric(**CASES[name]), out=path, executor=FailingExecutor(n_tiles, error))
    before, n_all = stamps(path), {"continuous": 10, "sliced": 10, "rectangle": 12}[name]
    with pytest.raises(ValueError, match=rf"{n_all - n_tiles} of {n_all} tiles \(\d+%\) are missing; repeat the call"):
        wg.open_distances(path)
    executor = SynchronousExecutor()
    assert_identical(
        wg.distances(**with_metric(**CASES[name]), out=path, executor=executor),
        wg.distances(**with_metric(**CASES[name])),
    )
    assert executor.n_calls == n_all - n_tiles
    after = stamps(path)
    assert {file: after[file] for file in before} == before


@pytest.mark.parametrize("engine", ENGINES, indirect=True)
@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt()])
def test_any_engine_leaves_a_store_that_goes_on(path, engine, error, monkeypatch):
    write, n_written = store.StoreSink.write, []

    def write_some(sink, tile, values):
        if len(n_written) == 4:
            raise error
        n_written.append(tile)
        write(sink, tile, values)

    with monkeypatch.context() as patch:
        patch.setattr(store.StoreSink, "write", write_some)
        with pytest.raises(type(error)):
            wg.distances(**with_metric(**CASES["joint"], **engine), out=path)
    before = stamps(path)
    assert before
    assert_identical(
        wg.distances(**with_metric(**CASES["joint"]), out=path), wg.distances(**with_metric(**CASES["joint"]))
    )
    after = stamps(path)
    assert {file: after[file] for file in before} == before


def test_progress_goes_on_where_it_ended(path, capsys):
    for n_tiles in (1, 0):
        executor = FailingExecutor(n_tiles, ZeroDivisionError())
        with pytest.raises(ZeroDivisionError):
            wg.distances(**with_metric(**CASES["rectangle"]), out=path, executor=executor, progress=True)
    assert "16 pairs of 143 pairs  0 pairs/s" in capsys.readouterr().err
    wg.distances(**with_metric(**CASES["rectangle"]), out=path, progress=True)
    assert "143 pairs of 143 pairs" in capsys.readouterr().err
    wg.distances(**with_metric(**CASES["rectangle"]), out=path, verify=True, progress=True)
    shown = capsys.readouterr().err
    assert "12 tiles of 12 tiles" in shown
    assert "pairs" not in shown


def test_more_iterations_may_be_allowed_when_a_run_goes_on(path):
    for engine in ({}, {"executor": SynchronousExecutor()}):
        with pytest.raises(NotSolvedError, match="within max_iter=1; increase max_iter"):
            wg.distances(**with_metric(max_iter=1, **CASES["continuous"], **engine), out=path)
    distances = wg.distances(
        **with_metric(max_iter=10_000, **CASES["continuous"]), out=path, executor=SynchronousExecutor()
    )
    assert_identical(distances, wg.distances(**with_metric(**CASES["continuous"])))


def test_an_error_of_another_process_names_graphs_of_the_whole_collection(tmp_path, monkeypatch):
    """Two graphs of one node need no step, so that compiling in this process succeeds."""
    single = wg.from_edges([[], []], n_nodes=[1, 1], node_labels=[[0]] * 2, node_attributes=[np.zeros((1, 2))] * 2)
    graphs = [*wg.datasets.make_demo()[0][:9].to_networkx(), *single.to_networkx()]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for out in (None, tmp_path / "D.zarr"):
        executor = SynchronousExecutor()
        with pytest.raises(NotSolvedError, match=r"for the graphs \d and \d within max_iter=1") as caught:
            wg.distances(
                graphs,
                metric=wg.WWL(depth=[0, 1], kind="continuous", solver=wg.Exact(max_iter=1)),
                executor=executor,
                out=out,
            )
        assert executor.n_calls > 0
        first, second = caught.value.graphs
        assert 0 <= first < second < 9
        assert list(tmp_path.glob("wassergraph-*")) == []


def test_a_worker_says_that_it_does_not_see_the_store(path):
    distances = wg.distances(**with_metric(**CASES["one depth"]), out=path)
    tile, stop = Tile(0, 2, 3, 5), np.zeros(1, dtype=np.bool_)
    assert_identical(SolveStored(path, distances.digest)(tile, stop)[0], distances[:2, 3:5])
    with pytest.raises(
        FileNotFoundError, match="a worker finds no such folder; put it on a file system that all workers"
    ):
        SolveStored(path.with_name("E.zarr"), distances.digest)(tile, stop)
    with pytest.raises(ValueError, match="another store has taken the place of this one"):
        SolveStored(path, "0" * 64)(tile, stop)


def test_what_killed_processes_left_is_removed(path):
    complete = wg.distances(**with_metric(**CASES["joint"]), out=path)
    partial = tile_file(path, 0, 1).with_suffix(".0123456789abcdef.partial")
    folder, other = path.with_name(".D.zarr-123-abcdef01.part"), path.with_name(".E.zarr-123-abcdef01.part")
    for missing in ([], [tile_file(path, 1, 2)]):
        partial.write_bytes(b"half")
        for leftover in (folder, other):
            (leftover / "inputs").mkdir(parents=True, exist_ok=True)
            (leftover / "zarr.json").write_text("{")
        for file in missing:
            file.unlink()
        assert_identical(wg.distances(**with_metric(**CASES["joint"]), out=path), complete)
        assert not partial.exists()
        assert not folder.exists()
        assert other.exists()


def test_of_a_symmetric_matrix_the_tile_below_the_diagonal_is_written_first(path, monkeypatch):
    class Array:
        """Fails at the second write: that of a tile above the diagonal, whose copy is below."""

        def __init__(self, array):
            self.array, self.n_writes = array, 0

        def __setitem__(self, key, values):
            if self.n_writes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.n_writes += 1
            self.array[key] = values

    real = store.open_array
    with monkeypatch.context() as patch:
        patch.setattr(
            store, "open_array", lambda path, mode="r": real(path) if mode == "r" else Array(real(path, mode))
        )
        with pytest.raises(DiskError, match="this store cannot be written: No space left on device; finished tiles"):
            wg.distances(**with_metric(**CASES["continuous"]), out=path, n_jobs=1)
    below = [file for file in tile_files(path) if int(file.parent.name) > int(file.name)]
    assert below
    for file in below:
        assert not tile_file(path, int(file.name), int(file.parent.name)).exists()
    n_done = len(tile_files(path)) - len(below)
    with pytest.raises(ValueError, match=rf"{10 - n_done} of 10 tiles"):
        wg.open_distances(path)
    assert_identical(
        wg.distances(**with_metric(**CASES["continuous"]), out=path),
        wg.distances(**with_metric(**CASES["continuous"])),
    )


# Damage


def cut(file, length):
    file.write_bytes(file.read_bytes()[:length])


DAMAGES = {
    "a flipped bit": lambda file: flip(file, 0),
    "a flipped bit of the checksum": lambda file: flip(file, -1),
    "no bytes": lambda file: cut(file, 0),
    "few bytes": lambda file: cut(file, 3),
    "half of the bytes": lambda file: cut(file, file.stat().st_size // 2),
    "more bytes": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "another tile": lambda file: file.write_bytes(tile_file(file.parents[4], 0, 0).read_bytes()),
}
#: A tile above the diagonal, one below, one on it, and two with fewer rows or columns.
PLACES = [(0, 2), (2, 1), (1, 1), (1, 3), (3, 2)]


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        *((damage, (1, 3)) for damage in DAMAGES),
        *(("a flipped bit", place) for place in PLACES[:-2]),
        ("no bytes", (3, 2)),
    ],
)
def test_damage_is_found_and_mended(path, damage, place):
    expected = wg.distances(**with_metric(**CASES["joint"]))
    wg.distances(**with_metric(**CASES["joint"]), out=path)
    before = stamps(path)
    DAMAGES[damage](tile_file(path, *place))
    with pytest.raises(ValueError, match=r"1 of 10 tiles are damaged; repeat the call .* with verify=True"):
        wg.open_distances(path, verify=True)
    executor = SynchronousExecutor()
    assert_identical(wg.distances(**with_metric(**CASES["joint"]), out=path, verify=True, executor=executor), expected)
    assert executor.n_calls == 1
    mended = {tile_file(path, *place), tile_file(path, *place[::-1])}
    after = stamps(path)
    assert {file for file in after if after[file] != before[file]} == mended
    assert_identical(wg.open_distances(path, verify=True), expected)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("damage", [name for name in DAMAGES if name != "another tile"])
def test_damaged_bytes_are_no_distances(path, damage, place):
    file = tile_file(path, *place)
    distances = wg.distances(**with_metric(**CASES["joint"]), out=path)
    DAMAGES[damage](file)
    row, column = 4 * place[0], 4 * place[1]
    for key in (..., (0, row), (slice(None), row, column), (0, [row], [column])):
        with pytest.raises(ValueError, match=r"a part of this store cannot be read, .* with verify=True"):
            distances[key]
    assert np.isfinite(distances[:, :4, :4]).all()  # other tiles can be read


def test_damage_to_a_rectangle_is_found_and_mended(path):
    expected = wg.distances(**with_metric(**CASES["rectangle"]))
    wg.distances(**with_metric(**CASES["rectangle"]), out=path)
    flip(tile_file(path, 3, 2))
    cut(tile_file(path, 0, 1), 0)
    with pytest.raises(ValueError, match="2 of 12 tiles are damaged"):
        wg.open_distances(path, verify=True)
    assert_identical(wg.distances(**with_metric(**CASES["rectangle"]), out=path, verify=True, n_jobs=2), expected)


@pytest.mark.parametrize("place", [(0, 2), (2, 0), (1, 1)])
@pytest.mark.parametrize("verify", [False, True])
def test_a_missing_tile_is_found_and_mended(path, place, verify):
    expected = wg.distances(**with_metric(**CASES["joint"]))
    wg.distances(**with_metric(**CASES["joint"]), out=path)
    tile_file(path, *place).unlink()
    with pytest.raises(ValueError, match=r"1 of 10 tiles \(10%\) are missing"):
        wg.open_distances(path, verify=verify)
    assert_identical(wg.distances(**with_metric(**CASES["joint"]), out=path, verify=verify), expected)


def test_changes_of_inputs_and_recipe_are_found(path):
    wg.distances(**with_metric(**CASES["joint"]), out=path)
    points = zarr.open_array(path / "inputs" / "left" / "points", mode="r+")
    original = points[0, 0]
    points[0, 0] = original + 1.0
    assert_changed(path)
    points[0, 0] = original
    assert wg.open_distances(path, verify=True).shape == (2, 13, 13)
    edit_attributes(path, digest="0" * 64)
    assert_changed(path)


def assert_changed(path):
    message = (
        "the recipe or the embedded graphs of this store were changed or damaged after it was created; remove the store"
    )
    with pytest.raises(ValueError, match=message):
        wg.open_distances(path, verify=True)
    with pytest.raises(ValueError, match=message):
        wg.distances(**with_metric(**CASES["joint"]), out=path, verify=True)


def test_a_recipe_that_was_edited_is_not_that_of_the_call(path):
    recipe = dict(wg.distances(**with_metric(**CASES["joint"]), out=path).recipe)
    edit_attributes(path, recipe={**recipe, "label_weight": 0.4})
    with pytest.raises(ValueError, match=r"label_weight is 0\.4 in the store, and 0\.3 now"):
        wg.distances(**with_metric(**CASES["joint"]), out=path)
    with pytest.raises(ValueError, match="were changed or damaged after it was created"):
        wg.distances(**with_metric(**{**CASES["joint"], "label_weight": 0.4}), out=path, verify=True)


LOSSES = {
    "no recipe": (lambda path: edit_attributes(path, recipe=None), "the recipe"),
    "an array without description": (lambda path: (path / "distances" / "zarr.json").unlink(), "the array"),
    "an array with half a description": (lambda path: cut(path / "distances" / "zarr.json", 100), "the array"),
    "no array": (lambda path: shutil.rmtree(path / "distances"), "the array"),
    "no inputs": (lambda path: shutil.rmtree(path / "inputs"), "the embedded graphs"),
    "damaged inputs": (lambda path: flip(path / "inputs" / "left" / "ptr" / "c" / "0"), "the embedded graphs"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_cannot_be_mended_is_named(path, name):
    wg.distances(**with_metric(**CASES["joint"]), out=path)
    damage, part = LOSSES[name]
    damage(path)
    with pytest.raises(ValueError, match=rf"D\.zarr: {part} cannot be read, .*; remove the store and compute it again"):
        wg.open_distances(path, verify=True)
    with pytest.raises(ValueError, match=rf"D\.zarr: {part} cannot be read, .*; remove the store and compute it again"):
        wg.distances(**with_metric(**CASES["joint"]), out=path, verify=True)


# Where a store cannot be


def compute(path, **options):
    return wg.distances(GRAPHS[:5], **with_metric(kind="categorical", depth=1, **options), out=path)


def test_bad_targets_are_named_and_left_alone(tmp_path):
    (tmp_path / "file.zarr").write_text("text")
    (tmp_path / "folder.zarr").mkdir()
    (tmp_path / "folder.zarr" / "notes.txt").write_text("text")
    zarr.create_group(tmp_path / "group.zarr", attributes={"format": "of another program"})
    zarr.create_array(tmp_path / "array.zarr", shape=(3,), dtype="f8")
    content = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    for name, error, message in [
        ("no/D.zarr", FileNotFoundError, r"there is no folder .*no; create it first"),
        ("file.zarr", NotADirectoryError, r"file\.zarr: this is a file; remove it, or choose another path"),
        ("folder.zarr", ValueError, r"folder\.zarr: this folder is not a store of distances; pass the path of a store"),
        ("group.zarr", ValueError, r"group\.zarr: this folder is not a store of distances"),
        ("array.zarr", ValueError, r"array\.zarr: this folder is not a store of distances"),
        ("D.npy", ValueError, r"out must end with \.zarr, got '.*D\.npy'"),
        ("D", ValueError, r"out must end with \.zarr"),
    ]:
        with pytest.raises(error, match=message):
            compute(tmp_path / name)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == content


def test_what_is_no_store_cannot_be_opened(tmp_path):
    zarr.create_group(tmp_path / "group.zarr")
    (tmp_path / "file.zarr").write_text("text")
    for name in ("no.zarr", "file.zarr"):
        with pytest.raises(FileNotFoundError, match="there is no such store; check the path"):
            wg.open_distances(tmp_path / name)
    with pytest.raises(ValueError, match="this folder is not a store of distances"):
        wg.open_distances(tmp_path / "group.zarr")


def test_a_folder_without_permission_is_named(path, monkeypatch):
    monkeypatch.setattr(fill_store.os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(PermissionError, match=r"D\.zarr: there is no permission to write this store; choose another"):
        compute(path)


@pytest.mark.parametrize("name", ["mkdir", "replace"])
def test_a_store_that_cannot_be_created_leaves_nothing(path, name, monkeypatch):
    """Some file systems tell only when something is written that this is not permitted."""

    def refuse(self, *_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(Path, name, refuse)
        with pytest.raises(DiskError, match=r"D\.zarr: this store cannot be written: Read-only file system"):
            compute(path)
    assert list(path.parent.iterdir()) == []


@posix_only
def test_a_full_disk_loses_nothing(path, capsys):
    """Files may not become larger than 100 bytes, which has the effect of a full disk."""
    resource = pytest.importorskip("resource")
    expected = wg.distances(**with_metric(**CASES["continuous"]))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def compute_on_a_full_disk(**options):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            return wg.distances(**with_metric(**CASES["continuous"], **options), out=path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    with pytest.raises(DiskError, match=r"D\.zarr: this store cannot be written: File too large"):
        compute_on_a_full_disk()
    assert list(path.parent.iterdir()) == []
    with pytest.raises(ZeroDivisionError):
        wg.distances(**with_metric(**CASES["continuous"]), out=path, executor=FailingExecutor(3, ZeroDivisionError()))
    before = stamps(path)
    for options in ({}, {"executor": SynchronousExecutor()}):
        with pytest.raises(
            OSError, match=r"cannot be written: File too large; finished tiles are kept; repeat the same"
        ):
            compute_on_a_full_disk(**options)
        assert stamps(path) == before
    assert_identical(wg.distances(**with_metric(**CASES["continuous"]), out=path), expected)


@needs_locks
def test_two_processes_do_not_compute_the_same_store(path):
    compute(path)
    with claim_file(path / "zarr.json") as mine:
        assert mine
        with pytest.raises(ValueError, match=r"D\.zarr: another process is computing this store; wait until it ends"):
            compute(path)
        assert wg.open_distances(path).shape == (5, 5)  # reading is allowed
    compute(path)


def test_a_store_of_a_newer_version_is_named(path):
    compute(path)
    edit_attributes(path, version=FORMAT + 1)
    for use in (compute, wg.open_distances):
        with pytest.raises(
            ValueError, match=rf"this store has the format {FORMAT + 1}, but this version .* reads {FORMAT}"
        ):
            use(path)


def test_without_zarr_the_extra_is_named(path, monkeypatch):
    compute(path)
    found = optional.find_spec
    monkeypatch.setattr(optional, "find_spec", lambda name: None if name == "zarr" else found(name))
    for use in (
        lambda: compute(path.with_name("E.zarr")),
        lambda: compute(path),
        lambda: wg.open_distances(path),
        lambda: compute(None, executor=SynchronousExecutor()),
    ):
        with pytest.raises(ModuleNotFoundError, match=r'this needs zarr: pip install "wassergraph\[scale\]"'):
            use()
    assert [entry.name for entry in path.parent.iterdir()] == ["D.zarr"]


def test_verify_is_for_stores():
    with pytest.raises(ValueError, match="verify=True is used with out only"):
        wg.distances(GRAPHS[:3], verify=True)


# The files, as Zarr sees them


@pytest.mark.parametrize("name", ["one depth", "float32", "rectangle"])
def test_zarr_reads_the_same_numbers(path, name):
    expected = wg.distances(**with_metric(**CASES[name]))
    wg.distances(**with_metric(**CASES[name]), out=path)
    array = zarr.open(path, mode="r")["distances"]
    assert_identical(array[...], expected if expected.ndim == 3 else expected[None])
    assert array.fill_value != array.fill_value
    assert array.metadata.zarr_format == 3
    assert array.metadata.dimension_names == ("depth", "graph", "other")
    assert [codec.to_dict()["name"] for codec in array.metadata.codecs] == ["bytes", "crc32c"]
    assert array.shards is None
    assert array.chunks[0] == array.shape[0]  # a tile holds all depths


def test_inputs_are_the_embedding(path):
    case = CASES["weights on the left"]
    wg.distances(**with_metric(**case), out=path)
    embedding = wg.WWL(depth=2, kind="continuous").embed(case["graphs"], weights=case["weights"])
    left = zarr.open(path, mode="r")["inputs/left"]
    assert set(left.array_keys()) == {"ptr", "points", "weights"}
    for name, array in left.arrays():
        assert_identical(array[...], getattr(embedding, name))
        assert [codec.to_dict()["name"] for codec in array.metadata.codecs] == ["bytes", "crc32c"]
    names = ("depth", "kind", "features", "label_weight", "mass", "unmatched", "size_weight")
    assert dict(left.attrs) == {name: getattr(embedding, name) for name in names}
    assert set(zarr.open(path, mode="r")["inputs/right"].array_keys()) == {"ptr", "points"}


# Stores that earlier versions of the library wrote

SPECIMENS = sorted(FOLDER.glob("distances-*.zarr"))


def test_there_is_a_specimen_of_the_present_format():
    assert f"-v{FORMAT}-" in SPECIMEN.name
    assert SPECIMEN in SPECIMENS


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.name)
def test_specimens_can_be_opened(specimen):
    distances = wg.open_distances(specimen, verify=True)
    expected = wg.distances(specimen_graphs(), metric=wg.WWL(depth=[0, 2], kind="joint"))
    assert distances.shape == expected.shape
    assert distances.tile_shape == (2, 2)
    np.testing.assert_allclose(np.asarray(distances), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("specimen", set(SPECIMENS) - {SPECIMEN}, ids=lambda specimen: specimen.name)
def test_stores_of_earlier_algorithms_are_not_continued(specimen, path):
    shutil.copytree(specimen, path)
    tile_file(path, 0, 1).unlink()
    with pytest.raises(InputError, match=r"begun by another version of wassergraph.*begin anew"):
        wg.distances(specimen_graphs(), metric=wg.WWL(depth=[0, 2], kind="joint"), out=path)


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.name)
def test_models_take_stores_of_all_algorithms(specimen):
    model = wg.GraphClassifier(
        wg.WWL(depth=[0, 2], kind="joint", label_weight=0.5, mass="share", standardize=False), cv=2
    )
    model.fit(specimen_graphs(), [0, 1, 0, 1], distances=wg.open_distances(specimen))
    assert model.predict(specimen_graphs()).shape == (4,)


def test_the_specimen_can_be_continued(path):
    shutil.copytree(SPECIMEN, path)
    before = stamps(path)
    lost = [tile_file(path, 0, 1), tile_file(path, 0, 0)]
    for file in lost:
        file.unlink()
    distances = wg.distances(specimen_graphs(), metric=wg.WWL(depth=[0, 2], kind="joint"), out=path)
    np.testing.assert_allclose(np.asarray(distances), np.asarray(wg.open_distances(SPECIMEN)), rtol=0, atol=1e-12)
    after = stamps(path)
    assert {file for file in after if after[file] != before[file]} == {*lost, tile_file(path, 1, 0)}


def test_the_script_that_writes_the_specimen_works(path):
    write_store(path)
    names = {file.relative_to(path) for file in path.rglob("*")}
    assert names == {file.relative_to(SPECIMEN) for file in SPECIMEN.rglob("*")}
    recipe = dict(wg.open_distances(path).recipe)
    assert (recipe.pop("degrees"), recipe.pop("learned")) == (False, None)  # which the specimen does not have yet
    assert recipe == wg.open_distances(SPECIMEN).recipe
