"""The time of compiling, which is not that of a computation."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time

import pytest

from wassergraph.parallel import compilation
from wassergraph.parallel.compilation import CompileClock, StepTimes, compile_clock, working_time, worth_showing
from wassergraph.parallel.progress import Progress, show_compiling


class Time:
    """A time that tests set, with a clock of compiling."""

    def __init__(self) -> None:
        self.now = 50.0
        self.compiling = CompileClock(lambda: self.now)

    def compile(self, seconds: float) -> None:
        self.compiling.begin()
        self.now += seconds
        self.compiling.end()


@pytest.fixture
def moment(monkeypatch):
    """Return a time that tests set, which the functions of the module use."""
    moment = Time()
    monkeypatch.setattr(time, "perf_counter", lambda: moment.now)
    monkeypatch.setattr(compilation, "_compile_clock", moment.compiling)
    return moment


def test_only_the_outermost_function_counts():
    moment = Time()
    clock = moment.compiling
    clock.begin()
    moment.now += 1.0
    clock.begin()
    moment.now += 2.0
    assert clock.seconds == 3.0  # also while it goes on
    clock.end()
    moment.now += 4.0
    clock.end()
    moment.now += 8.0
    assert clock.seconds == 7.0
    clock.end()  # what began before anybody listened
    moment.compile(0.5)
    assert (clock.seconds, clock.functions) == (7.5, 3)


def test_time_stands_still_while_code_is_compiled(moment):
    begin = working_time()
    moment.now += 1.0
    moment.compile(20.0)
    assert working_time() - begin == 1.0


def test_steps_do_not_contain_the_time_of_compiling(moment):
    times = StepTimes()
    with times.step("one"):
        moment.now += 1.0
        moment.compile(20.0)
    with times.step("two"):
        moment.now += 2.0
    with times.step("one"):
        moment.now += 4.0
        moment.compile(0.25)
    assert times.seconds == {"compiling": 20.25, "one": 5.0, "two": 2.0}
    assert list(times.seconds) == ["compiling", "one", "two"]


def test_little_is_not_shown():
    assert worth_showing({"compiling": 0.04, "training": 0.01}) == {"training": 0.01}
    assert worth_showing({"compiling": 0.05, "training": 0.01}) == {"compiling": 0.05, "training": 0.01}
    assert worth_showing({"training": 0.01}) == {"training": 0.01}  # a model of an older version


def test_the_bar_says_that_code_is_compiled_and_does_not_count_it(moment):
    stream = io.StringIO()
    with Progress("distances", 10, "pairs", stream=stream, show=True) as bar:
        moment.now += 1.0
        bar.update(2)
        moment.compile(30.0)
        moment.now += 1.0
        bar.update(2)
    moment.compile(1.0)
    lines = [line.rstrip() for line in stream.getvalue().split("\r")[1:]]
    assert [line.partition("  ")[2][:8] for line in lines] == ["█████░░░", "compilin", "████████", "████████"]
    assert lines[1] == "distances  compiling, once per installation"
    assert lines[2].endswith("4 pairs of 10 pairs  2 pairs/s  3 s left")


def test_work_without_a_bar_says_once_that_code_is_compiled(moment):
    stream = io.StringIO()
    with show_compiling("distances", show=True, stream=stream):
        moment.compile(1.0)
        moment.compile(2.0)
    moment.compile(4.0)
    assert stream.getvalue() == "distances  compiling, once per installation\n"
    for show in (True, False):
        with show_compiling("kernels", show=show, stream=stream):
            if not show:
                moment.compile(1.0)
    assert "kernels" not in stream.getvalue()


def test_a_hidden_bar_does_not_watch(moment):
    stream = io.StringIO()
    with Progress("distances", 10, "pairs", stream=stream, show=False):
        moment.compile(1.0)
    assert stream.getvalue() == ""


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")
def test_numba_is_listened_to():
    import numba

    before = compile_clock().seconds
    assert numba.njit(lambda x: x + 1)(1) == 2
    after = compile_clock().seconds
    assert after > before
    with StepTimes().step("work"):
        numba.njit(lambda x: x + 2)(1)
    assert compile_clock().seconds > after


def test_numba_is_not_imported_to_listen_to_it():
    code = """if True:
        import sys
        from wassergraph.parallel.compilation import compile_clock
        from wassergraph.parallel.progress import Progress, show_compiling
        with Progress("work", 2, "x", show=True) as bar:
            bar.update(2)
        assert compile_clock().seconds == 0.0
        print("numba" in sys.modules)
    """
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "False\n"
