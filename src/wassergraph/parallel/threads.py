"""Threads: the default engine, for work that releases Python's global lock, as the compiled core and NumPy do."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from wassergraph.arrays import Stop
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.parallel.engine import Item, Value
from wassergraph.parallel.futures import run_on
from wassergraph.parallel.progress import Progress


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means in joblib.

    None is 1, unless a ``joblib.parallel_config`` is active; -1 is all processors, -2 all but one.
    """
    remedy = "pass a number of threads, or -1 for all processors"
    try:
        number = None if n_jobs is None else operator.index(n_jobs)
    except TypeError:
        problem = f"{{}} must be a whole number or None, got {n_jobs!r}"
        raise InputTypeError(problem, remedy=remedy, options=[Option("n_jobs")]) from None
    if number == 0:
        raise InputError("{} must not be 0", remedy=remedy, options=[Option("n_jobs")])
    if number is None and "joblib" not in sys.modules:  # which takes a tenth of a second to import
        return 1
    import joblib

    return int(joblib.effective_n_jobs(number))


def n_processors() -> int:
    """Return how many processors this process may use."""
    import joblib

    return int(joblib.cpu_count())


class ThreadEngine:
    """Run work on threads of this process.

    Parameters
    ----------
    n_jobs : int, optional
        The number of threads, in joblib's meaning: None is 1, and -1 all processors.
    stop : (1) bool, optional
        A flag that becomes True when the work must end early, for one ``run``; by default each has its own.
    """

    shares_memory = True

    def __init__(self, n_jobs: int | None = None, stop: Stop | None = None) -> None:
        self.n_threads = n_threads(n_jobs)
        self._stop = stop

    def run(
        self, work: Callable[[Item, Stop], Value], items: Iterable[Item], done: Callable[[Item, Value], None]
    ) -> None:
        """Run ``work(item, stop)`` for all items: see :class:`wassergraph.parallel.engine.Engine`."""
        stop = np.zeros(1, dtype=np.bool_) if self._stop is None else self._stop
        with ThreadPoolExecutor(self.n_threads) as pool:
            run_on(pool, lambda: self.n_threads, work, items, done, stop, sees_stop=True)


@dataclass(frozen=True)
class Task:
    """A piece of work: a function without arguments, and how much of the whole it is."""

    work: Callable[[], None]
    amount: int


def run_tasks(tasks: Sequence[Task], stop: Stop, n_jobs: int | None, *, label: str, unit: str, progress: bool) -> None:
    """Run tasks on threads with a progress bar; ``stop[0]`` becomes True if one fails or the user interrupts."""
    total = sum(task.amount for task in tasks)
    with Progress(label, total, unit, show=progress) as bar:
        ThreadEngine(n_jobs, stop).run(lambda task, _: task.work(), tasks, lambda task, _: bar.update(task.amount))
