"""The thread engine: few items at a time, the first error or an interrupt ends all."""

from __future__ import annotations

import _thread
import itertools
import threading

import joblib
import numpy as np
import pytest

from wassergraph.parallel.threads import Task, ThreadEngine, n_threads, run_tasks


def test_n_jobs_means_what_joblib_means():
    for n_jobs in (1, 2, 7, -1, -2, None):
        assert n_threads(n_jobs) == joblib.effective_n_jobs(n_jobs)
    assert n_threads(None) == 1
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert n_threads(None) == 3
        assert n_threads(2) == 2
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        n_threads(0)
    with pytest.raises(TypeError):
        n_threads(1.5)


def test_every_item_is_run_and_reported_once():
    ran, reported, lock = [], [], threading.Lock()

    def work(item, stop):
        with lock:
            ran.append(item)
        return 2 * item

    ThreadEngine(3).run(work, iter(range(500)), lambda item, value: reported.append((item, value)))
    assert sorted(ran) == list(range(500))
    assert sorted(reported) == [(item, 2 * item) for item in range(500)]


def test_only_a_few_items_are_taken_ahead():
    taken, finished = itertools.count(), []
    ahead = []

    def items():
        for _ in range(300):
            ahead.append(next(taken) - len(finished))
            yield None

    ThreadEngine(2).run(lambda item, stop: None, items(), lambda item, value: finished.append(item))
    assert len(finished) == 300
    assert max(ahead) <= 6


def test_an_error_ends_the_items_under_way_and_begins_no_more():
    """The first item runs until it is stopped, and the others fail: no item is taken after the first failure is seen.

    Before that, three items for each of the two threads may have been handed out.
    """
    seen = []
    began = threading.Event()

    def work(item, stop):
        seen.append(item)
        if item == 0:
            began.set()
            wait_for(stop)
        else:
            assert began.wait(60)
            raise ZeroDivisionError

    engine = ThreadEngine(2)
    with pytest.raises(ZeroDivisionError):
        engine.run(work, range(1000), lambda item, value: None)
    reported = []
    engine.run(lambda item, stop: bool(stop[0]), [0], lambda item, value: reported.append(value))
    assert reported == [False]  # the next run is not stopped
    assert set(seen[:2]) == {0, 1}
    assert len(seen) <= 6


def wait_for(stop):
    """Wait until the flag is set, as compiled code does."""
    pause = threading.Event()
    for _ in range(6000):
        if stop[0]:
            return
        pause.wait(0.01)
    pytest.fail("nobody set the flag")


def test_an_interrupt_while_items_are_taken_stops_those_under_way():
    began, ended = threading.Event(), threading.Event()

    def work(item, stop):
        began.set()
        wait_for(stop)
        ended.set()

    def items():
        yield 0
        assert began.wait(60)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ThreadEngine(1).run(work, items(), lambda item, value: None)
    assert ended.is_set()


def test_a_signal_interrupts_the_run():
    with pytest.raises(KeyboardInterrupt):
        ThreadEngine(2).run(
            lambda item, stop: None,
            range(10_000_000),
            lambda item, value: _thread.interrupt_main() if item == 5 else None,
        )


def test_tasks_report_their_amounts(capsys):
    done, stop = [], np.zeros(1, dtype=np.bool_)
    tasks = [Task(lambda k=k: done.append(k), k) for k in range(5)]
    run_tasks(tasks, stop, 2, label="work", unit="steps", progress=True)
    assert sorted(done) == list(range(5))
    assert "10 steps of 10 steps" in capsys.readouterr().err
    assert not stop[0]


def test_a_failing_task_sets_the_flag_that_was_given():
    stop = np.zeros(1, dtype=np.bool_)

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_tasks([Task(fail, 1)], stop, 1, label="", unit="", progress=False)
    assert stop[0]
