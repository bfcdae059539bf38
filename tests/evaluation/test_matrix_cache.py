"""Matrices that are computed once and kept in a folder."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from wassergraph.evaluation.matrix_cache import cached
from wassergraph.files.locks import HAS_LOCKS

needs_locks = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no file locks")


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


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
    assert as_long == seconds >= 0
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
    with pytest.warns(UserWarning, match=r"the matrices cannot be saved to .*key\.npz: this is a folder") as told:
        matrices, seconds = cached(tmp_path, "key", lambda: AWKWARD)
    assert matrices is AWKWARD
    assert seconds >= 0
    assert len(told) == 1

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for _ in range(2):
        with pytest.warns(UserWarning, match="the matrices cannot be saved to .*No space left on device"):
            assert cached(tmp_path, "other", lambda: AWKWARD)[0] is AWKWARD
    assert files_in(tmp_path) == {"key.lock", "other.lock"}


COMPUTE = """
import sys
from pathlib import Path
import numpy as np
from wassergraph.evaluation.matrix_cache import cached

def compute():
    print("computing", flush=True)
    sys.stdin.readline()
    return np.full((1, 2, 2), 7.0)

cached(Path(sys.argv[1]), "key", compute)
"""


@needs_locks
@pytest.mark.parametrize("killed", [False, True])
def test_matrices_that_another_process_computes_are_awaited(tmp_path, killed):
    calls, found = [], []

    def compute():
        calls.append(1)
        return np.full((1, 2, 2), 8.0)

    command = [sys.executable, "-c", COMPUTE, str(tmp_path)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "computing\n"
        waiter = threading.Thread(target=lambda: found.append(cached(tmp_path, "key", compute)[0]), daemon=True)
        waiter.start()
        waiter.join(0.3)  # time to do the wrong thing
        assert (waiter.is_alive(), calls) == (True, [])
        if killed:
            other.kill()
        else:
            other.stdin.write("\n")
            other.stdin.flush()
        waiter.join()
    finally:
        other.kill()
        other.communicate()
    assert len(calls) == killed
    np.testing.assert_array_equal(found[0], np.full((1, 2, 2), 8.0 if killed else 7.0))
