"""One progress bar for all long computations: how much is done, how fast, and how long the rest will take."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from types import TracebackType
from typing import Self, TextIO

from wassergraph.parallel.compilation import compile_clock, working_time

_COMPILING = "compiling, once per installation"


class Progress:
    """Show the progress of a computation, on one line that is rewritten in place.

    Parameters
    ----------
    label : str
        What is being computed.
    total : int or None
        The number of units, if it is known.
    unit : str
        What is counted: "pairs", or "B" for bytes, which are shown as kB, MB, ….
    done : int
        How many units were done before; they do not count for the speed.
    show : bool, optional
        Whether to show the bar; by default only if the stream is a terminal.
    stream : text file, optional
        Where to write; standard error by default.
    clock : callable
        Returns the time in seconds; by default one that stands still while code is compiled.

    Notes
    -----
    While code is compiled, which happens once per installation, the bar says so. Speed and time left follow the recent
    past more than the beginning: see :class:`Speed`.

    Examples
    --------
    >>> with Progress("squares", total=3, unit="numbers", show=False) as progress:
    ...     for number in range(3):
    ...         progress.update(1)
    >>> progress.done
    3
    """

    width = 24
    interval = 0.1

    def __init__(
        self,
        label: str,
        total: int | None,
        unit: str,
        *,
        done: int = 0,
        show: bool | None = None,
        stream: TextIO | None = None,
        clock: Callable[[], float] = working_time,
    ) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.stream = sys.stderr if stream is None else stream
        self.show = self.stream is not None and (self.stream.isatty() if show is None else show)
        self.done = done
        self._clock = clock
        self._drawn = clock()
        self._speed = Speed(self._drawn)
        self._length = 0
        self._watching = ExitStack()

    def update(self, amount: int) -> None:
        """Count ``amount`` more units as done."""
        self.done += amount
        now = self._clock()
        self._speed.add(amount, now)
        if self.show and now - self._drawn >= self.interval:
            self._drawn = now
            self._draw(self.text())

    def __enter__(self) -> Self:
        if self.show:
            self._watching.enter_context(compile_clock().watched_by(self._show_compiling))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Draw the last state of the bar, and end the line."""
        self._watching.close()
        if self.show:
            self._draw(self.text())
            self.stream.write("\n")
            self.stream.flush()

    def _show_compiling(self) -> None:
        self._draw(f"{self.label}  {_COMPILING}")

    def _draw(self, line: str) -> None:
        self.stream.write("\r" + line.ljust(self._length))
        self.stream.flush()
        self._length = len(line)

    def text(self) -> str:
        """Return the text of the bar."""
        rate = self._speed.mean(self._clock()) if self.done == self.total else self._speed.recent()
        counted = self._amount(self.done)
        if self.total is None:
            return f"{self.label}  {counted}  {self._amount(rate)}/s"
        share = min(self.done / self.total, 1.0) if self.total else 1.0
        full = round(share * self.width)
        left = "done" if share == 1 else f"{_duration((self.total - self.done) / rate)} left" if rate else ""
        bar = "█" * full + "░" * (self.width - full)
        return (
            f"{self.label}  {bar} {share:4.0%}  {counted} of {self._amount(self.total)}  {self._amount(rate)}/s  {left}"
        )

    def _amount(self, number: float) -> str:
        if self.unit != "B":
            return f"{number:,.0f} {self.unit}"
        for prefix in ("", "k", "M", "G"):
            if number < 1000 or prefix == "G":
                return f"{number:.{1 if prefix else 0}f} {prefix}B"
            number /= 1000
        raise AssertionError("unreachable")


@contextmanager
def show_compiling(label: str, *, show: bool, stream: TextIO | None = None) -> Iterator[None]:
    """Write a line if code is compiled within a ``with`` block, for work that no bar shows.

    Parameters
    ----------
    label, show, stream
        As in :class:`Progress`.
    """
    out = sys.stderr if stream is None else stream
    begun = False

    def begin() -> None:
        nonlocal begun
        if not begun:
            out.write(f"{label}  {_COMPILING}\n")
            out.flush()
        begun = True

    with compile_clock().watched_by(begin) if show and out is not None else nullcontext():
        yield


class Speed:
    """Units per second, as a mean in which a moment counts the less the longer ago it was.

    Parameters
    ----------
    now : float
        The time in seconds at which the work begins.

    Notes
    -----
    The weight of a moment falls to 1/e within ten seconds, or within a fifth of the time that has passed if that is
    longer. The first updates therefore have equal weights, and work that becomes slower, as when large graphs follow
    small ones, is noticed soon.
    """

    shortest, share = 10.0, 0.2

    def __init__(self, now: float) -> None:
        self._begin = self._last = now
        self._total = 0
        self._units = self._seconds = 0.0  # both weighted

    def add(self, amount: int, now: float) -> None:
        """Count units that were done between the last call and now."""
        elapsed, self._last = max(now - self._last, 0.0), now
        memory = max(self.shortest, self.share * (now - self._begin))
        weight = math.exp(-elapsed / memory)
        seconds = memory * (1 - weight)  # the integral of the weights over the time that has elapsed
        self._units = self._units * weight + (amount * seconds / elapsed if elapsed else amount)
        self._seconds = self._seconds * weight + seconds
        self._total += amount

    def recent(self) -> float:
        """Return the weighted mean, 0 if no time has passed."""
        return self._units / self._seconds if self._seconds else 0.0

    def mean(self, now: float) -> float:
        """Return the mean over all the time."""
        return self._total / (now - self._begin) if now > self._begin else 0.0


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
