"""What a computation will take, told before it begins.

    estimate_wanted(progress) ──▶ sample, Estimate ──tell──▶ a line on standard error, or whoever listens

A line is written only for work of more than some seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from wassergraph.errors import Option
from wassergraph.parallel.memory import size_text
from wassergraph.parallel.stages import Stages, current_stages

#: Work of fewer seconds is not worth a line.
WORTH_TELLING = 5.0
#: Work of fewer seconds is not worth looking for something faster.
LONG = 600.0


@dataclass(frozen=True)
class Estimate:
    """How much there is to compute, and what it will take.

    Attributes
    ----------
    n_graphs, n_pairs : int
        The number of graphs, and of pairs whose distance is computed; 0 if none is.
    seconds : mapping of float
        The time of each stage, by its name.
    memory : float
        The bytes of memory that are needed at once.
    compared : str
        What is computed for each pair, as "2 masses × 8 depths".
    n_candidates : int
        How many combinations of parameters are chosen from; 0 if nothing is chosen.
    faster : Option or None
        An option with which the same takes much less time.
    faster_seconds : float
        The time that it takes then.
    """

    n_graphs: int
    n_pairs: int
    seconds: Mapping[str, float]
    memory: float
    compared: str = ""
    n_candidates: int = 0
    faster: Option | None = field(default=None, kw_only=True)
    faster_seconds: float = field(default=0.0, kw_only=True)

    @property
    def total(self) -> float:
        """The seconds of all stages."""
        return sum(self.seconds.values())

    def followed_by(self, seconds: Mapping[str, float], memory: float) -> Estimate:
        """Return the same together with the time and memory of what is done afterwards."""
        return replace(self, seconds={**self.seconds, **seconds}, memory=max(self.memory, memory))

    def describe(self, spell: Callable[[Option], str] = str) -> str:
        """Return the estimate as one line, with options spelled as in Python or as flags."""
        counts = [f"{self.n_graphs:,} graphs", f"{self.n_pairs:,} pairs" if self.n_pairs else "", self.compared]
        counts += [f"{self.n_candidates:,} candidates"] if self.n_candidates else []
        least = 0.02 * self.total
        times = [f"{rough_time(seconds)} for {name}" for name, seconds in self.seconds.items() if seconds > least]
        line = f"{', '.join(filter(None, counts))}: about {', '.join(times)}; {size_text(self.memory)} of memory"
        if self.faster is None:
            return line
        return f"{line}; {spell(self.faster)} would take about {rough_time(self.faster_seconds)}"


def rough_time(seconds: float) -> str:
    """Return a time that is not known precisely.

    Examples
    --------
    >>> rough_time(0.4), rough_time(38.0), rough_time(130.0), rough_time(8300.0), rough_time(1.5e6)
    ('1 s', '40 s', '2 min', '2.3 h', '17 days')
    """
    if seconds < 95:
        return f"{max(round(seconds) if seconds < 20 else round(seconds / 10) * 10, 1)} s"
    if seconds < 5700:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{round(seconds / 86_400)} days"


Listener: TypeAlias = Callable[[Estimate], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def hear_estimates(listener: Listener | None) -> Iterator[None]:
    """Call a function with every estimate that is made within a ``with`` block, in place of writing a line."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def estimate_wanted(progress: bool) -> bool:
    """Return whether an estimate would be heard; that of a whole computation is enough, so not inside of one."""
    return (progress or _listener.get() is not None) and current_stages() is None


@contextmanager
def whole(label: str, *, progress: bool) -> Iterator[Stages]:
    """Show one bar for a ``with`` block; inside of another such block, that one goes on.

    Its attribute ``told`` says whether to estimate what the block will take.
    """
    around = current_stages()
    if around is not None:
        yield around
        return
    with Stages(label, show=progress, told=estimate_wanted(progress)) as stages:
        yield stages


class _HasProgress(Protocol):
    progress: bool


Owner = TypeVar("Owner", bound=_HasProgress)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def with_one_bar(
    label: str,
) -> Callable[[Callable[Concatenate[Owner, Parameters], Result]], Callable[Concatenate[Owner, Parameters], Result]]:
    """Let a method of an object with the attribute ``progress`` show one bar for all that it does."""

    def decorate(
        method: Callable[Concatenate[Owner, Parameters], Result],
    ) -> Callable[Concatenate[Owner, Parameters], Result]:
        @wraps(method)
        def run(owner: Owner, /, *args: Parameters.args, **options: Parameters.kwargs) -> Result:
            with whole(label, progress=owner.progress):
                return method(owner, *args, **options)

        return run

    return decorate


def announce(
    estimate: Estimate,
    stages: Stages,
    expected: Mapping[str, float] | None = None,
    parts: Mapping[str, Sequence[float]] | None = None,
) -> None:
    """Report what a whole computation will take, and let its bar expect that.

    Parameters
    ----------
    estimate : Estimate
        The estimate; if more follows (``stages.later``), that is told with it.
    stages : Stages
        The bar.
    expected : mapping of float, optional
        The seconds of the stages of the bar; by default those of the estimate.
    parts
        As in :meth:`wassergraph.parallel.stages.Stages.expect`.
    """
    stages.expect(estimate.seconds if expected is None else expected, parts)
    stages.told = False
    tell(estimate.followed_by(stages.later, stages.later_memory))


def announce_later(estimate: Estimate, stages: Stages) -> None:
    """Let the bar expect what will be done last, and the next estimate tell it."""
    stages.expect(estimate.seconds)
    stages.later, stages.later_memory = estimate.seconds, estimate.memory


def tell(estimate: Estimate) -> None:
    """Hand an estimate to whoever listens, or write a line to standard error if the work takes some time."""
    listener = _listener.get()
    if listener is not None:
        listener(estimate)
    elif estimate.total >= WORTH_TELLING and sys.stderr is not None:
        print(estimate.describe(), file=sys.stderr, flush=True)
