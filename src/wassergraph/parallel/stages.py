"""One bar for a computation of several stages: distances, the choice of parameters, calibration.

    with Stages("training", show=True) as stages:
        stages.expect({"distances": 20.0, "selection": 60.0})
        with stage("distances"):
            with part(0.5): …       # the bars of inner loops move this one, and are not drawn themselves
            with part(0.5): …
        with stage("selection"): …

How far the bar is follows from the time that has passed and the time that is left, which is estimated from the seconds
that were expected of each stage and, as a stage goes on, from its own speed. The bar never moves back.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TextIO

#: What was expected of a stage counts as much as the speed that was observed while this share of it was done.
_PRIOR = 0.1
#: The most that the bar shows before everything is done.
_NEARLY = 0.99


class TerminalLine:
    """A line of a terminal that is rewritten in place; what is too long for the terminal is cut off.

    Parameters
    ----------
    stream : text file, optional
        Where to write; standard error by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self._length = 0

    @property
    def on_terminal(self) -> bool:
        """Whether the line is shown on a terminal."""
        return self.stream is not None and self.stream.isatty()

    def draw(self, text: str) -> None:
        """Replace what the line shows."""
        if self.on_terminal:
            text = text[: shutil.get_terminal_size().columns - 1]  # a wrapped line could not be replaced
        self.stream.write("\r" + text.ljust(self._length))
        self.stream.flush()
        self._length = len(text)

    def end(self) -> None:
        """End the line."""
        self.stream.write("\n")
        self.stream.flush()


@dataclass
class Span:
    """A part of a stage, and how far it is done, all as shares of the stage."""

    begin: float
    end: float
    position: float


@dataclass
class _Stage:
    """What was expected of a stage, how much of it is done, and in how many seconds."""

    expected: float
    share: float = 0.0
    seconds: float = 0.0

    def left(self, running: float) -> float:
        """Return the seconds that are left, if the stage has been running for some seconds since it was entered."""
        spent = self.seconds + running
        return (1 - self.share) * (spent + _PRIOR * self.expected) / (self.share + _PRIOR)


_current: ContextVar[Stages | None] = ContextVar("stages", default=None)


class Stages:
    """One bar for a computation of several stages, which the bars of inner loops move.

    Parameters
    ----------
    label : str
        What is being computed.
    show : bool
        Whether to show the bar. If not, the bars of inner loops are not shown either.
    told : bool
        Whether somebody wants to know before what the stages will take; kept for those who can estimate it.
    stream, clock
        As in :class:`wassergraph.parallel.progress.Progress`.

    Attributes
    ----------
    later : mapping of float
        The seconds of stages that follow after what is estimated next, which are told with it.
    later_memory : float
        The bytes of memory that these need.
    """

    width = 24
    interval = 0.1

    def __init__(
        self,
        label: str,
        *,
        show: bool,
        told: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.told = told
        self.later: Mapping[str, float] = {}
        self.later_memory = 0.0
        self.label, self._line, self._clock = label, TerminalLine(stream), clock
        self.show = show and self._line.stream is not None
        self._stages: dict[str, _Stage] = {}
        self._shares: dict[str, list[float]] = {}
        self._running: str | None = None
        self._spans: list[Span | None] = []
        self._detail, self._shown = "", 0.0
        self._begin = self._entered = self._drawn = clock()
        self._token: Token[Stages | None] | None = None

    def __enter__(self) -> Self:
        self._token = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Draw the last state of the bar, and end the line."""
        assert self._token is not None
        _current.reset(self._token)
        if error is None:
            self._shown, self._detail = 1.0, ""
        if self.show:
            self._line.draw(self.text())
            self._line.end()

    def expect(self, seconds: Mapping[str, float], parts: Mapping[str, Sequence[float]] | None = None) -> None:
        """Set which stages there will be.

        Parameters
        ----------
        seconds : mapping of float
            The seconds that are expected of each stage, by its name, in their order; when more is known, of some.
        parts : mapping of sequences of float, optional
            The shares of the parts of a stage that :meth:`next_part` takes.
        """
        for name, expected in seconds.items():
            self._stages.setdefault(name, _Stage(0.0)).expected = max(expected, 1e-3)
        self._shares |= {name: list(shares) for name, shares in (parts or {}).items()}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count a ``with`` block as a stage, or as a further part of one; one inside another is a part of that."""
        if self._running is not None or name not in self._stages:
            yield
            return
        entered = self._stages[name]
        self._running, self._entered, self._detail = name, self._clock(), ""
        own = Span(0.0, 1.0, entered.share)
        self._spans = [own]
        self.redraw()
        yield
        entered.seconds += self._clock() - self._entered
        entered.share = own.position or 1.0  # without parts and loops, it is done
        self._running, self._spans = None, []
        self.redraw()

    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Let the bars of inner loops in a ``with`` block cover a share of the stage, or of the part, around it."""
        around = self._spans[-1] if self._spans else None
        if around is None:
            yield
            return
        end = min(around.position + share * (around.end - around.begin), around.end)
        self._spans.append(Span(around.position, end, around.position))
        yield
        self._spans.pop()
        self._advance(around, end)

    def next_part(self, share: float = 1.0) -> AbstractContextManager[None]:
        """Let a ``with`` block be the next of the expected parts of the stage, or a share if none were expected."""
        shares = self._shares.get(self._running or "", [])
        return self.part(shares.pop(0) if shares else share)

    @contextmanager
    def loop(self) -> Iterator[Span | None]:
        """Return the span that is left for one inner loop; loops inside of it get none."""
        span = self._spans[-1] if self._spans else None
        self._spans.append(None)
        try:
            yield span
        finally:
            self._spans.pop()

    def move(self, span: Span, begin: float, share: float, detail: str) -> None:
        """Note how much of an inner loop is done, which began somewhere in a span and covers the rest of it."""
        self._detail = detail
        self._advance(span, begin + share * (span.end - begin))
        self.redraw()

    def _advance(self, span: Span, position: float) -> None:
        span.position = position
        if self._running is not None:
            self._stages[self._running].share = position

    def redraw(self) -> None:
        """Draw the bar, unless that was done a moment ago."""
        now = self._clock()
        if self.show and now - self._drawn >= self.interval:
            self._drawn = now
            self._line.draw(self.text())

    def seconds_left(self) -> float:
        """Return how many seconds the stages that are not done will take."""
        running = self._clock() - self._entered
        return sum(stage.left(running if name == self._running else 0.0) for name, stage in self._stages.items())

    def share(self) -> float:
        """Return how much of the whole is done; never less than before, and not all before the end."""
        spent, left = self._clock() - self._begin, self.seconds_left()
        now = spent / (spent + left) if spent + left > 0 else 0.0
        self._shown = max(self._shown, min(now, _NEARLY))
        return self._shown

    def text(self) -> str:
        """Return the text of the bar."""
        share, left = self.share(), self.seconds_left()
        full = round(share * self.width)
        bar = "█" * full + "░" * (self.width - full)
        spent = duration(self._clock() - self._begin)
        if share == 1:
            return f"{self.label}  {bar} 100%  done in {spent}"
        doing = ", ".join(filter(None, (self._running, self._detail)))
        return f"{self.label}  {bar} {share:4.0%}  {duration(left)} left  {doing}"


def current_stages() -> Stages | None:
    """Return the bar of the computation that this thread is part of, if there is one."""
    return _current.get()


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Count a ``with`` block as a stage of the computation that it is part of, if that has such a bar."""
    stages = _current.get()
    with nullcontext() if stages is None else stages.stage(name):
        yield


@contextmanager
def part(share: float) -> Iterator[None]:
    """Let a ``with`` block be a share of the stage, or of the part, that it is in, if there is one."""
    stages = _current.get()
    with nullcontext() if stages is None else stages.part(share):
        yield


@contextmanager
def next_part(share: float = 1.0) -> Iterator[None]:
    """Let a ``with`` block be the next of the parts that are expected of the stage that it is in, if there is one.

    If none were expected, it is a share of the stage, or of the part, around it.
    """
    stages = _current.get()
    with nullcontext() if stages is None else stages.next_part(share):
        yield


def duration(seconds: float) -> str:
    """Return a time in words that fit on a line.

    Examples
    --------
    >>> duration(8.2), duration(130.0), duration(3723.0)
    ('8 s', '2 min 10 s', '1 h 02 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
