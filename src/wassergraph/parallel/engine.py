"""Engine: what runs pieces of work, here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from wassergraph.arrays import Stop

Item = TypeVar("Item")
Value = TypeVar("Value")


class Engine(Protocol):
    """Runs the same work on many items. The result must not depend on their order, or on which run at a time."""

    @property
    def shares_memory(self) -> bool:
        """Whether workers run in this process, so that they can write to the same arrays."""
        ...

    def run(
        self, work: Callable[[Item, Stop], Value], items: Iterable[Item], done: Callable[[Item, Value], None]
    ) -> None:
        """Run ``work(item, stop)`` for all items.

        Parameters
        ----------
        work : callable
            What to run; picklable if workers are other processes. It ends early if ``stop[0]`` becomes True.
        items : iterable
            What to run it on; taken one by one, as workers become free.
        done : callable
            Called with every item and its value, in the thread that called ``run``.

        Raises
        ------
        BaseException
            The first error of any item, or the user's interrupt. Then no other item is begun, and those under way are
            stopped if workers run in this process; workers elsewhere finish them.
        """
        ...
