"""Executors that the user brings: which one is used, and the engine that runs work on it.

An executor is any :class:`concurrent.futures.Executor`, or the client of a Dask cluster. Dask is recognized by the name
of its module and is not imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from wassergraph.arrays import Stop
from wassergraph.errors import InputError, InputTypeError, Option, WorkersLostError
from wassergraph.parallel.engine import Engine, Item, Value
from wassergraph.parallel.futures import run_on
from wassergraph.parallel.threads import ThreadEngine, n_threads

#: How often a Dask cluster repeats a task that failed, for example because a network drive was away for a moment.
_RETRIES = 3
_current: ContextVar[object] = ContextVar("executor", default=None)


@contextmanager
def use_executor(executor: object) -> Iterator[None]:
    """Compute matrices of distances inside a ``with`` block on an executor.

    This applies to :func:`wassergraph.distances`, and to estimators and functions that compute such a matrix, for
    example :class:`wassergraph.WWL`, :class:`wassergraph.GraphClassifier` and :func:`wassergraph.evaluate`, if
    they are called in the thread of the block: other threads and processes, such as those of
    ``cross_val_score(n_jobs=2)``, do not use the executor. Workers read the graphs from a folder that they must share
    with this process: that of ``out``, or a temporary one.

    Parameters
    ----------
    executor : Executor, Client or None
        An executor of :mod:`concurrent.futures`, or the client of a Dask cluster; None means threads of this process.

    Returns
    -------
    context manager
        The executor is used until the block ends; it is not shut down.

    See Also
    --------
    distances : its parameter ``executor`` is for one call
    open_distances : open distances that workers wrote

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> with ThreadPoolExecutor(2) as pool, wg.use_executor(pool):
    ...     D = wg.distances(graphs)
    >>> D.shape
    (60, 60)
    """
    token = _current.set(_check(executor))
    try:
        yield
    finally:
        _current.reset(token)


def engine_for(executor: object = None, n_jobs: int | None = None) -> Engine:
    """Return the engine for an executor; if it is None, for that of :func:`use_executor`, or ``n_jobs`` threads."""
    chosen = _current.get() if executor is None else _check(executor)
    if chosen is None:
        return ThreadEngine(n_jobs)
    return ExecutorEngine(chosen)


class ExecutorEngine:
    """Run work on an executor, which is not shut down.

    Parameters
    ----------
    executor : Executor or Client
        An executor of :mod:`concurrent.futures`, or the client of a Dask cluster.
    """

    def __init__(self, executor: Any) -> None:
        self.shares_memory = type(executor) is ThreadPoolExecutor  # subclasses may run work elsewhere
        self._executor: Executor
        self._n_workers: Callable[[], int]
        if _is_client(executor):
            # With pure=True, Dask would return the old result of a task that is submitted again.
            self._executor = executor.get_executor(pure=False, retries=_RETRIES)
            self._n_workers = lambda: sum(executor.nthreads().values())
        else:
            known = getattr(executor, "_max_workers", None)
            n_workers = known if isinstance(known, int) else n_threads(-1)
            self._executor, self._n_workers = executor, lambda: n_workers

    def run(
        self, work: Callable[[Item, Stop], Value], items: Iterable[Item], done: Callable[[Item, Value], None]
    ) -> None:
        """Run ``work(item, stop)`` for all items: see :class:`wassergraph.parallel.engine.Engine`."""
        try:
            stop = np.zeros(1, dtype=np.bool_)
            run_on(self._executor, self._n_workers, work, items, done, stop, sees_stop=self.shares_memory)
        except Exception as error:
            if not (isinstance(error, CancelledError) or _is_of_dask(type(error))):
                raise
            problem = f"the workers were lost: {error}" if str(error) else "the workers were lost"
            raise WorkersLostError(problem, remedy="repeat the call when they run again") from error


def _check(executor: object) -> object:
    """Return an executor; raise an error if it is not one."""
    if executor is None or isinstance(executor, Executor):
        return executor
    if not _is_client(executor):
        problem = f"{{}} must be a concurrent.futures.Executor or a dask.distributed.Client, got {executor!r}"
        raise InputTypeError(problem, options=[Option("executor")])
    if getattr(executor, "asynchronous", False):
        raise InputError("{} is an asynchronous client", remedy="pass Client(...)", options=[Option("executor")])
    if getattr(executor, "status", "running") != "running":
        raise InputError("{} is a closed client", remedy="make a new one", options=[Option("executor")])
    return executor


def _is_client(executor: object) -> bool:
    """Return whether an object is the client of a Dask cluster."""
    return any(kind.__name__ == "Client" and _is_of_dask(kind) for kind in type(executor).__mro__)


def _is_of_dask(kind: type) -> bool:
    return kind.__module__.startswith("distributed.")
