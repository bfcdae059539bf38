"""Executors for tests: they run everything in the calling thread, count what they are given, and fail where told to."""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import Executor, Future


class SynchronousExecutor(Executor):
    """Run each call when it is submitted, on copies of its arguments, as an executor of processes does.

    ``n_calls`` is the number of calls that were submitted.
    """

    def __init__(self) -> None:
        self.n_calls = 0

    def submit(self, fn, /, *args, **kwargs):
        self.n_calls += 1
        future = Future()
        try:
            function, arguments, options = pickle.loads(pickle.dumps((fn, args, kwargs)))
            future.set_result(function(*arguments, **options))
        except BaseException as error:
            future.set_exception(error)
        return future


class FailingExecutor(SynchronousExecutor):
    """Run a number of calls, and fail at the next one."""

    def __init__(self, n_calls: int, error: BaseException) -> None:
        super().__init__()
        self.most, self.error = n_calls, error

    def submit(self, fn, /, *args, **kwargs):
        if self.n_calls < self.most:
            return super().submit(fn, *args, **kwargs)
        future = Future()
        future.set_exception(self.error)
        return future


def die_once(marker: str, fn, /, *args):
    """Kill the process that this runs in, unless a file shows that this was done before; then call a function."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return fn(*args)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


class KillingExecutor(Executor):
    """Hand calls on to another executor; a worker that runs one of the chosen calls is killed while it does.

    Parameters
    ----------
    executor : Executor
        What runs the calls.
    fatal : dict of int, str
        The numbers of the calls, and a file that shows that a worker was killed.
    """

    def __init__(self, executor: Executor, fatal: dict[int, str]) -> None:
        self.executor, self.fatal, self.n_calls = executor, fatal, 0

    def submit(self, fn, /, *args):
        marker = self.fatal.get(self.n_calls)
        self.n_calls += 1
        return self.executor.submit(fn, *args) if marker is None else self.executor.submit(die_once, marker, fn, *args)
