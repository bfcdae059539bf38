"""The time that is spent compiling, apart from the time of the work itself.

Functions are compiled when they are first called, wherever that happens, and stored on disk: a cost of the
installation, not of the computation that happens to be the first. numba reports when it begins and ends to compile a
function, as transport/native.py does; the clock here stands still in between.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

#: The name of the time that is spent compiling, beside the steps of a computation.
COMPILING = "compiling"
#: Less than this many seconds of compiling are not worth a line.
WORTH_SHOWING = 0.05


class CompileClock:
    """Measures how long code is compiled in this process, and says when that begins.

    Functions that call each other are compiled inside one another; only the outermost counts. What several threads
    compile at once counts once.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.

    Attributes
    ----------
    functions : int
        How many functions were compiled, each once for every type of its arguments.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._finished, self._begin, self._depth = 0.0, 0.0, 0
        self.functions = 0
        self._lock = threading.Lock()
        self._watchers: list[Callable[[], None]] = []

    @property
    def seconds(self) -> float:
        """The seconds of compiling so far, also of what is being compiled now."""
        return self._finished + (self._clock() - self._begin if self._depth else 0.0)

    def begin(self) -> None:
        """Note that a function begins to be compiled."""
        with self._lock:
            self._depth += 1
            outermost = self._depth == 1
            if outermost:
                self._begin = self._clock()
        for watcher in tuple(self._watchers) if outermost else ():
            watcher()

    def end(self) -> None:
        """Note that a function has been compiled."""
        with self._lock:
            if self._depth == 0:  # it began before anybody listened
                return
            self._depth -= 1
            self.functions += 1
            if self._depth == 0:
                self._finished += self._clock() - self._begin

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Count the time of a ``with`` block as compiling."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    @contextmanager
    def watched_by(self, watcher: Callable[[], None]) -> Iterator[None]:
        """Call a function whenever compiling begins, within a ``with`` block."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)


_compile_clock = CompileClock()
_listening = False


def compile_clock() -> CompileClock:
    """Return the clock of this process; it listens to numba as soon as that is imported, and does not import it."""
    global _listening
    if not _listening and "numba" in sys.modules:
        _listen()
        _listening = True
    return _compile_clock


def _listen() -> None:
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, _: object) -> None:
            _compile_clock.begin()

        def on_end(self, _: object) -> None:
            _compile_clock.end()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def working_time() -> float:
    """Return a time in seconds that stands still while code is compiled; differences of it have a meaning."""
    return time.perf_counter() - compile_clock().seconds


@dataclass
class StepTimes:
    """The seconds of the steps of a computation, and of compiling, which does not count for any of them.

    Attributes
    ----------
    seconds : dict of float
        The time by the name of the step, "compiling" first.
    """

    seconds: dict[str, float] = field(default_factory=lambda: {COMPILING: 0.0})

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the time of a ``with`` block to a step."""
        begin, compiled = working_time(), compile_clock().seconds
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + working_time() - begin
        self.seconds[COMPILING] += compile_clock().seconds - compiled


def worth_showing(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return the time of each step, and of compiling if it took long enough to be shown."""
    return {step: spent for step, spent in seconds.items() if step != COMPILING or spent >= WORTH_SHOWING}
