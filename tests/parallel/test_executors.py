"""Executors of concurrent.futures and clients of Dask as engines: which one is used, and how work is given to it."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor

import numpy as np
import pytest

import wassergraph as wg
from executors import FailingExecutor, SynchronousExecutor
from made_metrics import with_metric
from wassergraph import optional
from wassergraph.parallel.dask import connected, local_cluster
from wassergraph.parallel.executors import ExecutorEngine, engine_for
from wassergraph.parallel.futures import run_on
from wassergraph.parallel.threads import ThreadEngine

GRAPHS = wg.datasets.make_demo()[0]


def run(executor, work, items, done=lambda item, value: None, n_workers=1):
    """Run work on an executor, and return the flag that tells workers to stop."""
    stop = np.zeros(1, dtype=np.bool_)
    run_on(executor, lambda: n_workers, work, items, done, stop, sees_stop=False)
    return stop


# Running work on an executor


def test_every_item_is_run_and_reported_once():
    reported = []
    executor = SynchronousExecutor()
    stop = run(executor, double, iter(range(50)), lambda item, value: reported.append((item, value)))
    assert sorted(reported) == [(item, 2 * item) for item in range(50)]
    assert executor.n_calls == 50
    assert not stop[0]


def double(item, stop):
    return 2 * item


@pytest.mark.parametrize("n_workers", [0, 1, 2, 5])
def test_so_many_items_are_under_way_and_no_more(n_workers):
    """No item ends before as many were submitted as may be; then each that is submitted takes the place of another."""
    most = 2 * max(1, n_workers) + 2
    full, under_way, counts = threading.Event(), set(), []

    class Executor(ThreadPoolExecutor):
        def submit(self, fn, item, stop):
            under_way.add(item)
            counts.append(len(under_way))
            if len(under_way) == most:
                full.set()
            return super().submit(fn, item, stop)

    with Executor(2) as executor:
        run(executor, lambda item, stop: full.wait(60), range(100), lambda item, _: under_way.remove(item), n_workers)
    assert counts[:most] == list(range(1, most + 1))
    assert len(counts) == 100
    assert max(counts) == most


def test_a_cluster_may_grow_and_shrink():
    """Items end in the order in which they were submitted, each when the next one has to wait for it."""
    size, under_way, counts = [1], [], []

    class Executor(SynchronousExecutor):
        def submit(self, fn, item, stop):
            counts.append(len(under_way) + 1)
            under_way.append(item)
            future = super().submit(fn, item, stop)
            size[0] = 3 if item < 20 else 1
            return future

    run_on(
        Executor(),
        lambda: size[0],
        double,
        range(40),
        lambda item, value: under_way.remove(item),
        np.zeros(1, dtype=np.bool_),
        sees_stop=False,
    )
    assert max(counts[:20]) == 8
    assert max(counts[22:]) <= 4


def test_the_first_error_cancels_what_was_not_begun():
    futures, begun, gate = [], [], threading.Event()

    class Executor(ThreadPoolExecutor):
        def submit(self, fn, /, *args):
            futures.append(super().submit(fn, *args))
            if len(futures) == 6:
                gate.set()
            return futures[-1]

    def work(item, stop):
        begun.append(item)
        assert gate.wait(60)
        if item == 0:
            raise ZeroDivisionError
        for _ in range(6000):
            if stop[0]:
                return
            pause.wait(0.01)

    pause, stop = threading.Event(), np.zeros(1, dtype=np.bool_)
    with Executor(2) as executor:
        with pytest.raises(ZeroDivisionError):
            run_on(executor, lambda: 2, work, range(1000), lambda item, value: None, stop, sees_stop=False)
        assert stop[0]
    assert len(futures) == 6
    assert set(begun) >= {0, 1}
    assert sum(future.cancelled() for future in futures) == 6 - len(begun)
    assert len(begun) < 6


@pytest.mark.parametrize("place", ["an item", "taking items", "reporting"])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_error_anywhere_ends_the_run(place, error):
    def items():
        yield from range(5)
        if place == "taking items":
            raise error
        yield from range(5, 10)

    def done(item, value):
        if place == "reporting":
            raise error

    executor = FailingExecutor(3, error()) if place == "an item" else SynchronousExecutor()
    with pytest.raises(error):
        run(executor, double, items(), done)
    assert executor.n_calls <= 6


def test_an_executor_is_not_shut_down():
    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            ExecutorEngine(pool).run(double, range(3), lambda item, value: None)
        assert pool.submit(int).result() == 0


def test_the_number_of_workers_is_that_of_the_executor():
    with ThreadPoolExecutor(3) as pool:
        assert ExecutorEngine(pool)._n_workers() == 3
    assert ExecutorEngine(SynchronousExecutor())._n_workers() >= 1


def test_threads_share_memory():
    with ThreadPoolExecutor(1) as pool:
        assert ExecutorEngine(pool).shares_memory
    assert not ExecutorEngine(SynchronousExecutor()).shares_memory


# Which executor is used


def test_an_executor_is_used_inside_the_block_only():
    outer, inner = SynchronousExecutor(), SynchronousExecutor()

    def compute(**options):
        before = outer.n_calls, inner.n_calls
        wg.distances(GRAPHS[:4], **with_metric(depth=1, **options))
        return outer.n_calls > before[0], inner.n_calls > before[1]

    assert compute() == (False, False)
    with wg.use_executor(outer):
        assert compute() == (True, False)
        with wg.use_executor(inner):
            assert compute() == (False, True)
            assert compute(executor=outer) == (True, False)
            with wg.use_executor(None):
                assert compute() == (False, False)
        assert compute() == (True, False)
        with pytest.raises(ZeroDivisionError), wg.use_executor(inner):
            raise ZeroDivisionError
        assert compute() == (True, False)
    assert compute() == (False, False)
    assert compute(executor=inner) == (False, True)


def test_without_an_executor_there_are_threads():
    engine = engine_for(None, 3)
    assert isinstance(engine, ThreadEngine)
    assert engine.n_threads == 3


@pytest.mark.parametrize("executor", ["threads", 2, threading.Thread(), ThreadPoolExecutor, object()])
def test_what_is_no_executor_is_named(executor):
    message = r"executor must be a concurrent\.futures\.Executor or a dask\.distributed\.Client, got "
    with pytest.raises(TypeError, match=message):
        wg.distances(GRAPHS[:3], executor=executor)
    with pytest.raises(TypeError, match=message), wg.use_executor(executor):
        pass
    assert isinstance(engine_for(), ThreadEngine)


# Clients of Dask


class Client:
    """Looks like the client of a cluster with two workers of three threads."""

    __module__ = "distributed.client"
    asynchronous = False

    def __init__(self):
        self.options = []

    def get_executor(self, **options):
        self.options.append(options)
        return SynchronousExecutor()

    def nthreads(self):
        return {"tcp://a": 3, "tcp://b": 3}


class DerivedClient(Client):
    __module__ = "somewhere"


@pytest.mark.parametrize("kind", [Client, DerivedClient])
def test_a_client_is_recognized_by_its_module(kind):
    client = kind()
    engine = engine_for(client)
    assert not engine.shares_memory
    assert engine._n_workers() == 6
    assert client.options == [{"pure": False, "retries": 3}]
    expected = wg.distances(GRAPHS[:4])
    np.testing.assert_array_equal(wg.distances(GRAPHS[:4], executor=client), expected)


def test_another_client_is_no_executor():
    other = type("Client", (), {"__module__": "somewhere.distributed"})()
    with pytest.raises(TypeError, match="executor must be"):
        wg.distances(GRAPHS[:3], executor=other)


def test_an_asynchronous_client_is_refused():
    client = Client()
    client.asynchronous = True
    with pytest.raises(ValueError, match=r"executor is an asynchronous client; pass Client\(\.\.\.\)"):
        wg.distances(GRAPHS[:3], executor=client)


def test_dask_is_not_imported_for_a_client():
    script = """
import sys
import wassergraph as wg
from concurrent.futures import Executor, Future

class Pool(Executor):
    def submit(self, fn, *args):
        future = Future()
        future.set_result(fn(*args))
        return future

class Client:
    __module__ = "distributed.client"
    def get_executor(self, **options):
        return Pool()
    def nthreads(self):
        return {}

graphs = wg.datasets.make_demo()[0][:3]
assert wg.distances(graphs, executor=Client()).shape == (3, 3)
assert "zarr" in sys.modules
assert not {"dask", "distributed"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("start", [lambda: local_cluster(2), lambda: connected("tcp://127.0.0.1:1")])
def test_without_distributed_the_extra_is_named(start, monkeypatch):
    monkeypatch.setattr(optional, "find_spec", lambda _: None)
    with (
        pytest.raises(ModuleNotFoundError, match=r'this needs distributed: pip install "wassergraph\[scale\]"'),
        start(),
    ):
        pass


def test_a_cluster_has_workers():
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"), local_cluster(0):
        pass


# Lost workers


class KilledWorkerError(Exception):
    """Looks like the error of Dask when several workers died with the same task."""

    __module__ = "distributed.scheduler"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (CancelledError(), "the workers were lost; repeat the call when they run again"),
        (
            KilledWorkerError("4 workers died"),
            "the workers were lost: 4 workers died; repeat the call when they run again",
        ),
    ],
)
def test_lost_workers_are_named(error, message):
    with pytest.raises(RuntimeError, match=message):
        ExecutorEngine(FailingExecutor(1, error)).run(double, range(3), lambda item, value: None)


@pytest.mark.parametrize("error", [ZeroDivisionError, NotImplementedError, KeyboardInterrupt])
def test_other_errors_stay_what_they_are(error):
    with pytest.raises(error):
        ExecutorEngine(FailingExecutor(1, error())).run(double, range(3), lambda item, value: None)
