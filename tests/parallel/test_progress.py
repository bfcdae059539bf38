from __future__ import annotations

import io

import pytest

from wassergraph.parallel.progress import Progress, Speed


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def after(seconds: float, done: int, total: int | None, unit: str = "x", label: str = "work") -> Progress:
    """Return a bar with one update after some seconds."""
    clock = Clock()
    progress = Progress(label, total, unit, clock=clock)
    clock.now += seconds
    progress.update(done)
    return progress


def test_text():
    clock = Clock()
    progress = Progress("pairs", total=1000, unit="pairs", clock=clock)
    clock.now += 2
    progress.update(250)
    assert progress.text() == "pairs  ██████░░░░░░░░░░░░░░░░░░  25%  250 pairs of 1,000 pairs  125 pairs/s  6 s left"
    clock.now += 2
    progress.update(750)
    assert progress.text().endswith("250 pairs/s  done")


def test_what_was_done_before_does_not_count_for_the_speed():
    clock = Clock()
    progress = Progress("pairs", total=1000, unit="pairs", done=600, clock=clock)
    assert progress.text() == "pairs  ██████████████░░░░░░░░░░  60%  600 pairs of 1,000 pairs  0 pairs/s  "
    clock.now += 2
    progress.update(200)
    assert progress.text().endswith("80%  800 pairs of 1,000 pairs  100 pairs/s  2 s left")
    assert Progress("pairs", total=1000, unit="pairs", done=1000).text().endswith("0 pairs/s  done")


@pytest.mark.parametrize(
    ("done", "total", "seconds", "words"),
    [
        (1, 3723, 1.0, "1 h 02 min left"),
        (1, 131, 1.0, "2 min 10 s left"),
        (1, 6, 1.0, "5 s left"),
        (0, 10, 1.0, "0 x/s"),
        (0, 0, 0.0, "100%"),
    ],
)
def test_time_left(done, total, seconds, words):
    assert words in after(seconds, done, total).text()


def test_bytes_and_unknown_totals():
    assert after(1.5, 1_500_000, None, "B", "loading").text() == "loading  1.5 MB  1.0 MB/s"
    assert "2000.0 GB" in after(1.0, 2 * 10**12, None, "B").text()


# Speed


def run(speed: Speed, begin: float, *phases: tuple[float, float, float]) -> float:
    """Do work in phases (seconds, seconds between updates, units per second); return the time at the end."""
    now = begin
    for seconds, pause, rate in phases:
        for _ in range(round(seconds / pause)):
            now += pause
            speed.add(round(rate * pause), now)
    return now


@pytest.mark.parametrize("pause", [0.5, 7.0, 60.0])
def test_a_constant_speed_is_the_mean(pause):
    speed = Speed(5.0)
    now = run(speed, 5.0, (840.0, pause, 100.0))
    assert speed.recent() == pytest.approx(100.0)
    assert speed.mean(now) == pytest.approx(100.0)


def test_the_recent_past_counts_more_than_the_beginning():
    speed = Speed(0.0)
    now = run(speed, 0.0, (60.0, 1.0, 1000.0), (60.0, 1.0, 10.0))
    assert speed.mean(now) == pytest.approx(505.0)
    assert 10.0 < speed.recent() < 100.0
    now = run(speed, now, (300.0, 1.0, 10.0))
    assert speed.recent() == pytest.approx(10.0, rel=0.2)


def test_a_single_slow_update_does_not_change_everything():
    speed = Speed(0.0)
    now = run(speed, 0.0, (100.0, 1.0, 100.0))
    speed.add(10, now + 2.0)
    assert 85.0 < speed.recent() < 100.0


def test_the_first_updates_have_nearly_equal_weights():
    speed = Speed(0.0)
    run(speed, 0.0, (0.5, 0.1, 100.0), (0.5, 0.1, 200.0))
    assert speed.recent() == pytest.approx(150.0, rel=0.02)


def test_no_time_has_passed():
    speed = Speed(1.0)
    assert speed.recent() == speed.mean(1.0) == 0.0
    speed.add(5, 1.0)
    assert speed.recent() == 0.0
    speed.add(5, 2.0)
    assert speed.recent() == pytest.approx(10.0, rel=0.1)


def test_silent_unless_on_a_terminal_or_asked_for():
    stream = io.StringIO()
    with Progress("work", 2, "x", stream=stream) as progress:
        progress.update(2)
    assert stream.getvalue() == ""
    with Progress("work", 2, "x", stream=stream, show=True) as progress:
        progress.interval = 0
        progress.update(1)
        progress.update(1)
    lines = stream.getvalue().split("\r")
    assert "50%" in lines[1]
    assert lines[-1].rstrip(" \n").endswith("done")
    assert stream.getvalue().endswith("\n")


def test_no_standard_error_at_all(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    with Progress("work", 2, "x", show=True) as progress:
        progress.update(2)
    assert not progress.show


def test_a_failure_leaves_the_line_where_it_was():
    stream = io.StringIO()

    def work() -> None:
        with Progress("work", 4, "x", stream=stream, show=True) as progress:
            progress.update(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert "25%" in stream.getvalue()
    assert stream.getvalue().endswith("\n")
