"""Machine code on disk: when it is compiled, when it is loaded, and what happens if it is damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba as nb
import numpy as np
import pytest
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.transport import native
from wassergraph.transport.compiled import compiled, from_entry, run_task
from wassergraph.transport.compiler import compile_task
from wassergraph.transport.native import NativeFunction

pytestmark = pytest.mark.skipif(native.compiling_is_off(), reason="nothing is compiled")


class Inner(NamedTuple):
    factor: float
    values: FloatArray


class Task(NamedTuple):
    n: int
    negative: bool
    inner: Inner
    more: IntArray | None
    out: FloatArray


@compiled(set())
def scaled(value: float, task: Task) -> float:
    return value * task.inner.factor


@compiled(set())
def added(k: int, more: IntArray | None) -> float:
    if more is None:
        return 0.5
    return more[k]


@compiled(set())
def scale_all(task: Task) -> None:
    for k in range(task.n):
        value = scaled(task.inner.values[k], task) + added(k, task.more)
        task.out[k] = -value if task.negative else value


@compiled(set())
def needs_python(task: Task) -> None:
    print(task.n)


def task(more=None, *, negative=False):
    return Task(3, negative, Inner(2.0, np.array([1.0, 2.0, 4.0])), more, np.empty(3))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return an empty folder for machine code."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path / "wassergraph"


def run(**fields):
    """Run a function that nothing is known of in this process."""
    given = task(**fields)
    NativeFunction(__name__, "scale_all")(given)
    return given.out.tolist()


def test_fields_reach_compiled_code(cache):
    assert run() == [2.5, 4.5, 8.5]
    assert run(negative=True) == [-2.5, -4.5, -8.5]
    assert run(more=np.array([10, 20, 30])) == [12.0, 24.0, 38.0]
    assert len(list(cache.iterdir())) == 2  # with the field that may be None, and without


def test_what_was_compiled_is_not_compiled_again(cache, monkeypatch):
    run()
    monkeypatch.setattr(native, "_COMPILER", "there is no such module")
    assert run(negative=True) == [-2.5, -4.5, -8.5]


@pytest.mark.parametrize(
    "damage", [lambda code: code[:-1], lambda code: b"", lambda code: code[:50] + b"x" + code[51:]]
)
def test_a_damaged_file_is_replaced(cache, damage):
    run()
    (file,) = cache.iterdir()
    code = file.read_bytes()
    file.write_bytes(damage(code))
    assert run() == [2.5, 4.5, 8.5]
    assert native._read(file.name) is not None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert run() == [2.5, 4.5, 8.5]


def test_code_in_a_folder_that_cannot_be_written_is_used(cache, tmp_path, monkeypatch):
    run()
    monkeypatch.setattr(native, "cache_folders", lambda: [tmp_path / "nothing", cache])
    monkeypatch.setattr(native, "_COMPILER", "there is no such module")
    assert run() == [2.5, 4.5, 8.5]


@pytest.fixture
def forgotten():
    """Let the key be computed anew, and again afterwards."""
    before = native._key(b"")
    native._key.cache_clear()
    yield before
    native._key.cache_clear()


@pytest.mark.parametrize("name", ["CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "OPT"])
def test_machine_code_is_for_one_processor_and_setting(monkeypatch, forgotten, name):
    monkeypatch.setenv(f"NUMBA_{name}", "other")
    assert native._key(b"") != forgotten


def test_machine_code_is_for_one_version_of_the_sources(tmp_path, monkeypatch, forgotten):
    """Those of its own package, and of transport/, which the functions of all packages call."""
    assert native._key(b"changed") != forgotten
    package = tmp_path / "some_package"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    hashes = []
    for content in ("x = 1", "x = 2"):
        (package / "__init__.py").write_text(content)
        native._hash_sources.cache_clear()
        hashes.append(NativeFunction("some_package.module", "function")._sources)
    native._hash_sources.cache_clear()
    alone = NativeFunction(__name__, "scale_all")._sources
    assert len({*hashes, alone}) == 3
    assert all(each.startswith(native._hash_sources("wassergraph.transport")) for each in (*hashes, alone))


def test_machine_code_is_for_one_version_of_numba(monkeypatch, forgotten):
    monkeypatch.setattr(native, "version", lambda name: "0.0")
    assert native._key(b"") != forgotten


def test_code_that_needs_numba_is_not_stored(cache):
    assert not compile_task(needs_python, ("more",))[2]
    assert compile_task(scale_all, ("more",))[2]


@nb.njit
def run_twice(function, words, out):
    run_task(function, words)
    first = out.sum()
    run_task(function, words)
    return first + out.sum()


def test_compiled_code_calls_machine_code(cache):
    given = task()
    function, words = NativeFunction(__name__, "scale_all").prepared(given)
    assert words.tolist()[:3] == [3, 0, np.float64(2.0).view(np.int64)]
    assert run_twice(function, words, given.out) == 31.0


class PreparedTask(NamedTuple):
    function: int
    words: IntArray


class PartTask(NamedTuple):
    n: int
    first: int
    values: NDArray[np.float32]
    out: NDArray[np.float32]


@compiled(set())
def run_prepared(prepared: PreparedTask) -> None:
    run_task(prepared.function, prepared.words)


@compiled(set())
def doubled(value: np.float32) -> np.float32:
    return value + value


@compiled(set())
def double_from_entry(task: PartTask) -> None:
    part = from_entry(task.values, task.first)
    for k in range(task.n):
        task.out[k] = doubled(part[k])


def test_machine_code_calls_machine_code(cache):
    given = task()
    NativeFunction(__name__, "run_prepared")(PreparedTask(*NativeFunction(__name__, "scale_all").prepared(given)))
    assert given.out.tolist() == [2.5, 4.5, 8.5]


@pytest.mark.parametrize("off", [False, True])
def test_what_begins_at_an_entry(cache, monkeypatch, off):
    monkeypatch.setattr(native, "compiling_is_off", lambda: off)
    values, out = np.arange(6, dtype=np.float32) + np.float32(0.1), np.empty(2, dtype=np.float32)
    NativeFunction(__name__, "double_from_entry")(PartTask(2, 3, values, out))
    assert out.tolist() == (2 * values[3:5]).tolist()


@pytest.mark.parametrize("more", [np.arange(3.0), np.arange(3, dtype=np.int32), np.arange(6)[::2], 7])
def test_arrays_of_another_type_are_refused(cache, more):
    with pytest.raises(TypeError, match="more must be a contiguous array of int64, got"):
        run(more=more)


def test_numbers_of_another_type_are_refused(cache):
    function = NativeFunction(__name__, "scale_all")
    with pytest.raises(TypeError, match="integer"):
        function(task()._replace(n=2.7))
    with pytest.raises(TypeError, match="out must be a contiguous array of float64, got 3"):
        function(task()._replace(out=3.0))
    with pytest.raises(TypeError, match="a field of inner is None"):
        function(task()._replace(inner=Inner(2.0, None)))


def test_python_runs_the_same_function(monkeypatch):
    monkeypatch.setattr(native, "compiling_is_off", lambda: True)
    assert run(more=np.array([10, 20, 30])) == [12.0, 24.0, 38.0]
    given = task()
    run_task(*NativeFunction(__name__, "scale_all").prepared(given))
    assert given.out.tolist() == [2.5, 4.5, 8.5]


@pytest.mark.parametrize(
    "work",
    [
        *(f"wg.wwl_distances(graphs, kind={kind!r}, depth=1)" for kind in ("categorical", "continuous", "joint")),
        *(f"wg.GraphIndex(graphs, kind={kind!r}, depth=1).query(graphs[:2], k=1)" for kind in ("continuous", "joint")),
        "wg.WWLClassifier((0, 1), (0.1, 1.0), (1.0,), cv=2, random_state=0).fit(graphs, y).predict(graphs)",
    ],
)
def test_numba_is_not_imported_again(tmp_path, work):
    code = f"""if True:
        import sys
        import wassergraph as wg
        graphs, y = wg.make_demo(3)
        {work}
        print("numba" in sys.modules)
    """
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    outputs = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs == ["True\n", "False\n"]
    assert not list(Path(tmp_path).rglob("*.part"))
