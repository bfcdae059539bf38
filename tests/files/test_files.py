"""Atomic writes, claims between processes, names by content, and the provenance of results."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.evaluation.matrices import MatrixOptions
from wassergraph.files import locks, provenance
from wassergraph.files.atomic import atomic_file, atomic_folder, remove_leftovers, write_atomically
from wassergraph.files.content_keys import content_key
from wassergraph.files.locks import HAS_LOCKS, claim, claim_file
from wassergraph.files.provenance import current_provenance
from wassergraph.graphs.fields import ARRAYS

OPTIONS = MatrixOptions("hgk-wl", "continuous", depths=(0, 1), iterations=4, draws=2)

posix_only = pytest.mark.skipif(os.name != "posix", reason="this system has no pipes, links and permissions of POSIX")
needs_locks = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no file locks")


@pytest.fixture(scope="module")
def graphs():
    return wg.load_dataset("demo")[0][:12]


# Atomic writes


@pytest.mark.parametrize(("mode", "content"), [("wb", b"new\r\n\xff"), ("w", "new\n\u00b5\n")])
def test_file_appears_when_the_block_ends(tmp_path, mode, content):
    path = tmp_path / "a"
    with atomic_file(path, mode) as file:
        file.write(content)
        assert not path.exists()
    assert path.read_bytes() == (content if mode == "wb" else content.encode())
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    "problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), ValueError()]
)
def test_error_in_the_block_leaves_the_old_file(tmp_path, problem):
    path = tmp_path / "a"
    write_atomically(path, b"old")

    def write():
        with atomic_file(path) as file:
            file.write(b"ne")
            raise problem

    with pytest.raises(type(problem)):
        write()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


@posix_only
def test_new_file_keeps_permissions_and_follows_links(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    with atomic_file(link, "w") as file:
        file.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@posix_only
def test_pipe_is_written_to_directly(tmp_path):
    pipe, content = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: content.append(pipe.read_bytes()))
    reader.start()
    with atomic_file(pipe) as file:
        file.write(b"content")
    reader.join()
    assert content == [b"content"]
    assert pipe.is_fifo()


@pytest.mark.parametrize(("name", "error"), [("", IsADirectoryError), ("no/a", FileNotFoundError)])
def test_bad_path_raises_before_the_block(tmp_path, name, error):
    with pytest.raises(error):
        atomic_file(tmp_path / name)


@posix_only
def test_leftover_of_a_killed_process_is_removed(tmp_path):
    script = "import os, sys\nfrom wassergraph.files.atomic import atomic_file\n"
    script += "with atomic_file(sys.argv[1]) as file:\n    file.write(b'ne')\n    file.flush()\n"
    script += "    os.kill(os.getpid(), 9)\n"
    path = tmp_path / "a"
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    (leftover,) = tmp_path.iterdir()
    assert (leftover.name[:3], leftover.suffix) == (".a-", ".part")
    remove_leftovers(path)
    assert list(tmp_path.iterdir()) == []


def test_folder_appears_when_the_block_ends(tmp_path):
    path = tmp_path / "a"
    with atomic_folder(path) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("content")
        assert not path.exists()
        assert folder.parent == tmp_path
    assert (path / "inner" / "file").read_text() == "content"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    "problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), ValueError()]
)
def test_error_in_the_block_leaves_no_folder(tmp_path, problem):
    def write():
        with atomic_folder(tmp_path / "a") as folder:
            (folder / "file").write_text("content")
            raise problem

    with pytest.raises(type(problem)):
        write()
    assert list(tmp_path.iterdir()) == []


def test_what_a_thread_writes_after_an_error_is_removed_too(tmp_path, monkeypatch):
    late = []

    def remove(folder, **options):
        rmtree(folder, **options)
        if not late:  # a thread that was writing another file makes its folder again
            late.append(folder)
            folder.mkdir()
            (folder / "late").write_text("content")

    def write():
        with atomic_folder(tmp_path / "a"):
            raise OSError(errno.ENOSPC, "No space left on device")

    rmtree = shutil.rmtree
    monkeypatch.setattr("wassergraph.files.atomic.shutil.rmtree", remove)
    with pytest.raises(OSError, match="No space left"):
        write()
    assert late
    assert list(tmp_path.iterdir()) == []


def test_folder_takes_the_place_of_an_empty_one_only(tmp_path):
    path = tmp_path / "a"
    path.mkdir()

    def write(content):
        with atomic_folder(path) as folder:
            (folder / "file").write_text(content)

    write("first")
    with pytest.raises(OSError, match="a"):
        write("second")
    assert (path / "file").read_text() == "first"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_leftovers_of_a_folder_are_removed_with_their_content(tmp_path):
    names = [".a[1]-12-0123abcd.part", ".a1-12-0123abcd.part", ".a[1]-2-12-0123abcd.part", "a[1]"]
    for name in names:
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "file").write_text("content")
    remove_leftovers(tmp_path / "a[1]")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(names[1:])


# Provenance


def test_provenance_names_commit_and_versions():
    now = current_provenance()
    assert now.commit
    assert now.versions["numpy"] == np.__version__
    assert now.versions["wassergraph"] == wg.__version__
    assert {"scipy", "scikit-learn", "python"} < now.versions.keys()


def test_where_there_is_no_repository_the_commit_is_the_release(monkeypatch):
    package = Path(provenance.__file__).parents[1]
    released = f"release {wg.__version__}"
    for name, value in (("GIT_CEILING_DIRECTORIES", str(package.parent)), ("PATH", "")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert current_provenance.__wrapped__().commit == released
            if name == "PATH":
                assert provenance._git("--version") == ""


def test_another_repository_that_the_package_lies_in_does_not_lend_its_commit(monkeypatch):
    root = Path(provenance.__file__).resolve().parents[3]
    answers = {"rev-parse": str(root), "describe": "v9-1-gabcdef0"}
    monkeypatch.setattr(provenance, "_git", lambda command, *_: answers[command])
    assert current_provenance.__wrapped__().commit == "v9-1-gabcdef0"
    for elsewhere in (str(root.parent), ""):
        answers["rev-parse"] = elsewhere
        assert current_provenance.__wrapped__().commit == f"release {wg.__version__}"


def test_a_package_without_metadata_is_unknown(monkeypatch):
    monkeypatch.setattr(provenance, "_git", lambda *_: "")
    monkeypatch.setattr(provenance, "_PACKAGES", ("wassergraph", "numpy", "no-such-package"))
    assert current_provenance.__wrapped__().versions["no-such-package"] == "unknown"
    assert current_provenance.__wrapped__().versions["numpy"] == np.__version__

    def missing(package):
        raise provenance.importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(provenance.importlib.metadata, "version", missing)
    assert current_provenance.__wrapped__().commit == "release unknown"


# Claims

HOLD = """
import sys, time
from pathlib import Path
from wassergraph.files.locks import claim
with claim(Path(sys.argv[1]), "work", wait=False) as ours:
    print(ours, flush=True)
    time.sleep(600)
"""


@needs_locks
def test_a_claim_that_another_process_holds_is_free_once_it_is_killed(tmp_path):
    folder = tmp_path / "locks"
    command = [sys.executable, "-c", HOLD, str(folder)]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "True\n"
        with claim(folder, "work", wait=False) as ours:
            assert not ours
        with claim(folder, "other work", wait=False) as ours:
            assert ours
        os.kill(holder.pid, signal.SIGKILL)
        assert holder.wait() == -signal.SIGKILL
        with claim(folder, "work", wait=False) as ours:
            assert ours
    finally:
        holder.kill()
        holder.communicate()


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


@pytest.fixture
def claimed(tmp_path):
    file = tmp_path / "file"
    file.write_text("content")
    return file


HOLD_FILE = """
import sys, time
from pathlib import Path
from wassergraph.files.locks import claim_file
with claim_file(Path(sys.argv[1])) as is_mine:
    print(is_mine, flush=True)
    time.sleep(600)
"""


@needs_locks
def test_a_file_that_another_process_holds_is_free_once_it_is_killed(claimed):
    holder = subprocess.Popen([sys.executable, "-c", HOLD_FILE, str(claimed)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "True\n"
        with claim_file(claimed) as is_mine:
            assert not is_mine
        os.kill(holder.pid, signal.SIGKILL)
        assert holder.wait() == -signal.SIGKILL
        with claim_file(claimed) as is_mine:
            assert is_mine
    finally:
        holder.kill()
        holder.communicate()
    assert claimed.read_text() == "content"


@needs_locks
def test_a_file_is_free_after_its_work_however_that_ended(claimed):
    def work():
        with claim_file(claimed) as first, claim_file(claimed) as second:
            assert (first, second) == (True, False)
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        work()
    with claim_file(claimed) as is_mine:
        assert is_mine


@needs_locks
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)  # other tests started threads
def test_a_file_is_free_although_a_process_was_forked_meanwhile(claimed):
    with claim_file(claimed):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:  # waits until the test closes the pipe, with the file open
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
    try:
        with claim_file(claimed) as is_mine:
            assert is_mine
    finally:
        os.close(writing)
        os.waitpid(child, 0)
        os.close(reading)


def test_where_there_are_no_locks_every_claim_is_granted(claimed, monkeypatch):
    class Locks:
        LOCK_EX, LOCK_NB, LOCK_UN = 2, 4, 8

        @staticmethod
        def flock(*_):
            raise OSError(errno.ENOLCK, "No locks available")

    for name, value in (("_fcntl", Locks), ("HAS_LOCKS", False)):
        monkeypatch.setattr(locks, name, value)
        with claim_file(claimed) as first, claim_file(claimed) as second:
            assert (first, second) == (True, True)


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
    "isolated_nodes": "keep",
    "label_weight": 0.3,
    "unmatched_cost": 2.0,
    "size_weight": 0.1,
    "degrees": True,
    "edge_labels": True,
    "stereo": "use",
    "masses": ("count",),
    "normalize": True,
    "regs": (0.5,),
    "iterations": 5,
    "draws": 1,
    "seed": 1,
}


def test_the_same_content_has_the_same_name(graphs):
    copy = replace(graphs, **{name: array.copy() for name in ARRAYS if (array := getattr(graphs, name)) is not None})
    assert content_key(copy, replace(OPTIONS)) == content_key(graphs, OPTIONS)
    assert content_key(wg.load_dataset("demo")[0][:12], OPTIONS) == content_key(graphs, OPTIONS)
    assert content_key(graphs, OPTIONS).isalnum()


def test_other_graphs_have_another_name(graphs):
    names = {what: content_key(change(graphs), OPTIONS) for what, change in CHANGES.items()}
    assert len({*names.values(), content_key(graphs, OPTIONS)}) == len(CHANGES) + 1


def test_graphs_that_differ_in_one_array_only_have_different_names():
    square, crossed = (wg.from_edges([edges], symmetrize=True) for edges in (SQUARE, CROSSED))
    np.testing.assert_array_equal(square.indptr, crossed.indptr)
    assert content_key(square, OPTIONS) != content_key(crossed, OPTIONS)
    apart = wg.from_edges([[(0, 1)], [(0, 1)]], symmetrize=True)
    together = wg.from_edges([[(0, 1), (2, 3)]], symmetrize=True)
    np.testing.assert_array_equal(apart.indices, together.indices)
    assert content_key(apart, OPTIONS) != content_key(together, OPTIONS)


def test_every_option_makes_another_name(graphs):
    assert OTHERS.keys() == {field.name for field in fields(MatrixOptions)}
    names = {name: content_key(graphs, replace(OPTIONS, **{name: value})) for name, value in OTHERS.items()}
    assert len({*names.values(), content_key(graphs, OPTIONS)}) == len(OTHERS) + 1


def test_molecules_have_another_name_than_other_graphs(graphs):
    """Their distances are computed with other default options."""
    assert content_key(replace(graphs, molecules=True), OPTIONS) != content_key(graphs, OPTIONS)


def test_the_same_numbers_in_another_array_have_another_name(graphs):
    zeros = np.zeros(graphs.n_arcs)
    as_weights = replace(graphs, edge_weights=zeros)
    as_attributes = replace(graphs, edge_weights=None, edge_attributes=zeros[:, None])
    as_labels = replace(graphs, edge_weights=None, edge_labels=zeros.astype(int))
    assert len({content_key(each, OPTIONS) for each in (as_weights, as_attributes, as_labels)}) == 3
