"""The progress bar of a loop: how much is done, how fast, and how long the rest will take.

A computation of several loops has one bar: see stages.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self, TextIO

from wassergraph.parallel.stages import Span, TerminalLine, current_stages, duration


class Progress:
    """Show the progress of a loop, on one line that is rewritten in place.

    Inside of :class:`wassergraph.parallel.stages.Stages`, nothing is drawn: the bar of the whole moves instead.

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
    work : float, optional
        The work of all units that are still to be done, if they differ in it: then bar and time left follow the work.
    show : bool, optional
        Whether to show the bar; by default only if the stream is a terminal.
    stream : text file, optional
        Where to write; standard error by default.
    clock : callable
        Returns the time in seconds.

    Notes
    -----
    Speed and time left follow the recent past more than the beginning: see :class:`Speed`.

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
        work: float | None = None,
        show: bool | None = None,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.label, self.total, self.unit = label, total, unit
        self._line, self._whole = TerminalLine(stream), current_stages()
        wanted = self._line.on_terminal if show is None else show
        self.show = self._line.stream is not None and wanted and self._whole is None
        self.done, self._done_before = done, done
        self._work, self._worked = work, 0.0
        self._clock = clock
        self._drawn = clock()
        self._speed, self._pace = Speed(self._drawn), Speed(self._drawn)
        self._span: Span | None = None
        self._begin = 0.0
        self._open = ExitStack()

    def update(self, amount: int, work: float | None = None) -> None:
        """Count ``amount`` more units as done, and their share of the work if they differ in it."""
        self.done += amount
        done = amount if work is None else work
        self._worked += done
        now = self._clock()
        self._speed.add(amount, now)
        self._pace.add(done, now)
        if self._whole is not None and self._span is not None:
            self._whole.move(self._span, self._begin, self._share(), f"{self._amount(self.done)}{self._of_total()}")
        elif self.show and now - self._drawn >= self.interval:
            self._drawn = now
            self._line.draw(self.text())

    def __enter__(self) -> Self:
        if self._whole is not None:
            self._span = self._open.enter_context(self._whole.loop())
            self._begin = 0.0 if self._span is None else self._span.position
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Draw the last state of the bar, and end the line."""
        self._open.close()
        if self._whole is not None and self._span is not None and error is None:
            self._whole.move(self._span, self._begin, 1.0, "")
        if self.show:
            self._line.draw(self.text())
            self._line.end()

    def text(self) -> str:
        """Return the text of the bar."""
        rate = self._speed.mean(self._clock()) if self.done == self.total else self._speed.recent()
        counted = self._amount(self.done)
        if self.total is None:
            return f"{self.label}  {counted}  {self._amount(rate)}/s"
        share = self._share()
        full = round(share * self.width)
        bar = "█" * full + "░" * (self.width - full)
        return f"{self.label}  {bar} {share:4.0%}  {counted}{self._of_total()}  {self._amount(rate)}/s  {self._left()}"

    def _of_total(self) -> str:
        return "" if self.total is None else f" of {self._amount(self.total)}"

    def _share(self) -> float:
        """Return how much is done: of the units, or of the work that is known of those that were not done before."""
        if not self.total or self.done >= self.total:
            return 1.0
        before = self._done_before / self.total
        return before + (1 - before) * min(self._worked / self._to_do(), 1.0)

    def _to_do(self) -> float:
        """Return the work of all units that were not done before."""
        return (self.total or 0) - self._done_before if not self._work else self._work

    def _left(self) -> str:
        if self._share() == 1:
            return "done"
        pace = self._pace.recent()
        return f"{duration((self._to_do() - self._worked) / pace)} left" if pace else ""

    def _amount(self, number: float) -> str:
        if self.unit != "B":
            return f"{number:,.0f} {self.unit}"
        for prefix in ("", "k", "M", "G"):
            if number < 1000 or prefix == "G":
                return f"{number:.{1 if prefix else 0}f} {prefix}B"
            number /= 1000
        raise AssertionError("unreachable")


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
        self._total = 0.0
        self._units = self._seconds = 0.0  # both weighted

    def add(self, amount: float, now: float) -> None:
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
