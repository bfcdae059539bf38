from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wassergraph as wg
from wassergraph.parallel.estimate import whole, with_one_bar
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.stages import Stages, current_stages, next_part, part, stage


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def loop(clock: Clock, n: int, seconds: float) -> None:
    """Do n units of work in some seconds."""
    with Progress("loop", n, "units", clock=clock) as bar:
        for _ in range(n):
            clock.now += seconds / n
            bar.update(1)


def test_the_share_is_that_of_the_time(clock):
    stages = Stages("work", show=False, clock=clock)
    stages.expect({"first": 20.0, "second": 60.0})
    with stages:
        assert stages.share() == 0
        with stage("first"):
            with part(0.5):
                loop(clock, 5, 10.0)
            assert stages.share() == pytest.approx(10 / 80)
            assert stages.seconds_left() == pytest.approx(70)
            with part(0.5):
                loop(clock, 5, 10.0)
        assert stages.share() == pytest.approx(20 / 80)
        with stage("second"):
            loop(clock, 3, 60.0)
        assert stages.share() == 0.99  # until everything is done
    assert current_stages() is None


def test_a_stage_that_takes_longer_corrects_what_is_left(clock):
    stages = Stages("work", show=False, clock=clock)
    stages.expect({"first": 10.0, "second": 10.0})
    with stages, stage("first"), Progress("loop", 10, "units", clock=clock) as bar:
        for _ in range(5):
            clock.now += 10.0  # ten times as long as expected
            bar.update(1)
        assert 35 < stages.seconds_left() < 60  # of 50 + 10


def test_a_stage_can_be_entered_again(clock):
    stages = Stages("work", show=False, clock=clock)
    stages.expect({"distances": 30.0, "rest": 10.0}, {"distances": [0.25, 0.75]})
    with stages:
        for seconds, left in ((7.5, 32.5), (22.5, 10.0)):
            with stage("distances"), next_part():
                loop(clock, 4, seconds)
            assert stages.seconds_left() == pytest.approx(left)


def test_loops_inside_of_loops_do_not_move_the_bar(clock):
    stages = Stages("work", show=False, clock=clock)
    stages.expect({"all": 10.0})
    with stages, stage("all"), Progress("outer", 2, "units", clock=clock) as bar:
        loop(clock, 3, 5.0)
        assert stages._stages["all"].share == 0
        bar.update(1)
        assert stages._stages["all"].share == 0.5


def test_without_a_bar_nothing_happens():
    with stage("a"), part(0.3), next_part():
        assert current_stages() is None


def test_a_computation_inside_of_another_has_no_bar_of_its_own():
    with whole("outer", progress=False) as outer, whole("inner", progress=True) as inner:
        assert inner is outer


steps = st.lists(st.tuples(st.floats(0.0, 50.0), st.integers(1, 5), st.floats(0.01, 0.7)), min_size=1, max_size=6)


@given(expected=st.lists(st.floats(0.0, 100.0), min_size=1, max_size=4), work=st.lists(steps, min_size=4, max_size=4))
def test_the_bar_never_moves_back(expected, work):
    """Whatever was expected of stages, and however long their parts take."""
    clock, shares = Clock(), []
    stages = Stages("work", show=False, clock=clock)
    stages.expect({str(number): seconds for number, seconds in enumerate(expected)})
    with stages:
        for number, parts in zip(range(len(expected)), work, strict=False):
            for seconds, n, share in parts:
                with stage(str(number)), part(share), Progress("loop", n, "units", clock=clock) as bar:
                    for _ in range(n):
                        clock.now += seconds / n
                        bar.update(1)
                        shares.append(stages.share())
                stages.expect({str(number): seconds})
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert stages.share() == 1


def test_one_line_for_everything(clock):
    stream = io.StringIO()
    stages = Stages("work", show=True, stream=stream, clock=clock)
    stages.expect({"first": 5.0, "second": 5.0})
    with stages:
        for name in ("first", "second"):
            with stage(name):
                loop(clock, 5, 5.0)
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert text.endswith("100%  done in 10 s" + " " * (len(text) - len(text.rstrip(" \n")) - 1) + "\n")
    assert "left  first, 3 units of 5 units" in text
    assert "left  second" in text


def test_an_interrupt_ends_the_line(clock):
    stream = io.StringIO()

    def work() -> None:
        stages = Stages("work", show=True, stream=stream, clock=clock)
        stages.expect({"first": 10.0})
        with stages, stage("first"), Progress("loop", 4, "units", clock=clock) as bar:
            clock.now += 5.0
            bar.update(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert current_stages() is None
    assert "done" not in stream.getvalue()
    assert stream.getvalue().endswith("\n")


def test_lines_fit_on_the_terminal(clock, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    with Progress("work", 10, "units of something long", stream=stream, clock=clock) as bar:
        clock.now += 1.0
        bar.update(1)
    assert max(map(len, re.split("[\r\n]", stream.getvalue()))) == 39


def test_units_that_differ_in_work(clock):
    with Progress("tiles", 100, "pairs", work=50.0, show=False, clock=clock) as bar:
        clock.now += 8.0
        bar.update(10, 40.0)  # the largest graphs come first
        assert "80%  10 pairs of 100 pairs  1 pairs/s  2 s left" in bar.text()
        clock.now += 2.0
        bar.update(90, 10.0)
        assert bar.text().endswith("done")


def test_work_that_was_done_before(clock):
    with Progress("tiles", 100, "pairs", done=50, work=10.0, show=False, clock=clock) as bar:
        clock.now += 1.0
        bar.update(10, 5.0)
        assert "75%" in bar.text()
        assert "1 s left" in bar.text()


# Models


@pytest.mark.parametrize(
    "model",
    [
        wg.GraphClassifier(wg.WWL(depth=[0, 1], mass=["share", "count"]), progress=True),
        wg.GraphClassifier(wg.WWL(depth=[0, 1]), search="wide", progress=True),
        wg.GraphRegressor(wg.WWL(depth=[0, 1], mass=["share", "count"]), progress=True),
        wg.GraphGaussianProcess(wg.WWL(depth=[0, 1]), progress=True),
    ],
    ids=["classifier", "wide", "regressor", "process"],
)
def test_models_show_one_bar(model, capsys, monkeypatch):
    monkeypatch.setattr(Stages, "interval", 0.0)
    graphs, y = wg.load_dataset("demo")
    model.fit(graphs, y if isinstance(model, wg.GraphClassifier) else y + 0.5)
    err = capsys.readouterr().err
    shares = [int(share) for share in re.findall(r"(\d+)%", err)]
    assert err.count("\n") == 1
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert len(set(shares)) > 3
    assert "distances, " in err


def test_methods_keep_their_signature():
    class Model:
        progress = False

        @with_one_bar("work")
        def fit(self, number: int, *, other: int = 2) -> int:
            """Return a sum."""
            return number + other

    assert Model().fit(1, other=3) == 4
    assert Model.fit.__doc__ == "Return a sum."
