"""Executors for tests: they run everything in the calling thread, count what they are given, and fail where told to."""

from __future__ import annotations

import pickle
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
