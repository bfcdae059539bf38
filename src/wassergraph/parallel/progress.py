"""One progress bar for all long computations: how much is done, how fast, and how long the rest will take."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO


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
    ) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.stream = sys.stderr if stream is None else stream
        self.show = self.stream is not None and (self.stream.isatty() if show is None else show)
        self.done = self._before = done
        self._begin = self._drawn = time.monotonic()
        self._length = 0

    def update(self, amount: int) -> None:
        """Count ``amount`` more units as done."""
        self.done += amount
        now = time.monotonic()
        if self.show and now - self._drawn >= self.interval:
            self._draw(now)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Draw the last state of the bar, and end the line."""
        if self.show:
            self._draw(time.monotonic())
            self.stream.write("\n")
            self.stream.flush()

    def _draw(self, now: float) -> None:
        self._drawn = now
        line = self.text(now - self._begin)
        self.stream.write("\r" + line.ljust(self._length))
        self.stream.flush()
        self._length = len(line)

    def text(self, seconds: float) -> str:
        """Return the text of the bar after a number of seconds."""
        rate = (self.done - self._before) / seconds if seconds > 0 else 0.0
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


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
