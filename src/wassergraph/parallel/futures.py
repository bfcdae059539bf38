"""Run work on any executor of ``concurrent.futures``: few items at a time, and the first error ends all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from wassergraph.arrays import Stop
from wassergraph.parallel.engine import Item, Value

#: The seconds after which waiting is interrupted, so that Python can handle signals.
_INTERVAL = 0.2


def run_on(
    executor: Executor,
    n_workers: Callable[[], int],
    work: Callable[[Item, Stop], Value],
    items: Iterable[Item],
    done: Callable[[Item, Value], None],
    stop: Stop,
    *,
    sees_stop: bool,
) -> None:
    """Run ``work(item, stop)`` for all items on an executor.

    At most ``2 * n_workers() + 2`` items are under way: enough to keep all workers busy, few enough to hold their
    values.

    Parameters
    ----------
    executor : Executor
        What runs the work; it is not shut down.
    n_workers : callable
        Returns how many items the executor can run at the same time. It is asked before every item, since a cluster may
        grow and shrink.
    work, items, done
        As in :meth:`wassergraph.parallel.engine.Engine.run`.
    stop : (1) bool
        Becomes True if an item fails or the user interrupts.
    sees_stop : bool
        Whether workers see that, since they are in this process; then those that run are awaited.
    """
    running: dict[Future[Value], Item] = {}
    try:
        for item in items:
            _wait_until(running, 2 * max(1, n_workers()) + 1, done)
            running[executor.submit(work, item, stop)] = item
        _wait_until(running, 0, done)
    except BaseException:
        stop[0] = True
        for future in running:
            future.cancel()
        if sees_stop:
            wait(running)
        raise


def _wait_until(running: dict[Future[Value], Item], most: int, done: Callable[[Item, Value], None]) -> None:
    """Wait until no more than ``most`` items are under way; raise the error of one that failed."""
    while len(running) > most:
        finished, _ = wait(running, timeout=_INTERVAL, return_when=FIRST_COMPLETED)
        for future in finished:
            value = future.result()
            done(running.pop(future), value)
