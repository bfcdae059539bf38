"""Run pieces of work on threads, with one progress bar; an interrupt or an error stops all of them, soon.

Every piece writes to a place of its own, so the result does not depend on the number of threads. The work must release
Python's lock for most of its time, as compiled code and numpy do.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wassergraph.parallel.progress import Progress

#: Pieces that are handed out at a time, for each thread: enough to keep it busy, few enough to be watched cheaply.
AHEAD = 4


@dataclass(frozen=True)
class Task:
    """A piece of work: a function without arguments, how much of the whole it settles, and whether it runs alone.

    What runs alone begins after everything before it has ended, and ends before anything after it begins.
    """

    work: Callable[[], None]
    amount: int
    alone: bool = False


def run_tasks(
    tasks: Sequence[Task], stop: NDArray[np.bool_], n_jobs: int | None, *, label: str, unit: str, progress: bool
) -> None:
    """Run all tasks; ``stop`` (1) becomes True if one fails or the user interrupts, for the others to see."""
    total = sum(task.amount for task in tasks)
    threads = n_threads(n_jobs)
    with Progress(label, total, unit, show=progress) as bar, ThreadPoolExecutor(threads) as pool:
        running: dict[Future[None], int] = {}
        try:
            for task in tasks:
                _wait_for(running, 0 if task.alone else AHEAD * threads - 1, bar)
                running[pool.submit(task.work)] = task.amount
                if task.alone:
                    _wait_for(running, 0, bar)
            _wait_for(running, 0, bar)
        except BaseException:
            stop[0] = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _wait_for(running: dict[Future[None], int], most: int, bar: Progress) -> None:
    """Wait until no more than ``most`` are still running; raise what one of them raised."""
    while len(running) > most:
        done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
            bar.update(running.pop(future))


def n_threads(n_jobs: int | None) -> int:
    """Say how many threads ``n_jobs`` means: None is 1, -1 all processors, -2 all but one."""
    if n_jobs is None:
        return 1
    if operator.index(n_jobs) == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, or -1 for all processors")
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return n_jobs if n_jobs > 0 else max(1, processors + 1 + n_jobs)
