from __future__ import annotations

import io

import pytest

from wassergraph.parallel.progress import Progress


def test_text():
    progress = Progress("pairs", total=1000, unit="pairs")
    progress.update(250)
    assert progress.text(2.0) == "pairs  ██████░░░░░░░░░░░░░░░░░░  25%  250 pairs of 1,000 pairs  125 pairs/s  6 s left"
    progress.update(750)
    assert progress.text(2.0).endswith("500 pairs/s  done")


def test_what_was_done_before_does_not_count_for_the_speed():
    progress = Progress("pairs", total=1000, unit="pairs", done=600)
    assert progress.text(2.0) == "pairs  ██████████████░░░░░░░░░░  60%  600 pairs of 1,000 pairs  0 pairs/s  "
    progress.update(200)
    assert progress.text(2.0).endswith("80%  800 pairs of 1,000 pairs  100 pairs/s  2 s left")
    assert Progress("pairs", total=1000, unit="pairs", done=1000).text(0.0).endswith("0 pairs/s  done")


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
    progress = Progress("work", total, "x")
    progress.update(done)
    assert words in progress.text(seconds)


def test_bytes_and_unknown_totals():
    progress = Progress("loading", None, "B")
    progress.update(1_500_000)
    assert progress.text(1.5) == "loading  1.5 MB  1.0 MB/s"
    progress.update(2 * 10**12)
    assert "2000.0 GB" in progress.text(1.0)


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
