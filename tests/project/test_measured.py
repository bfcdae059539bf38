"""Times and ratios in the documents are those of the tables in benchmarks/RESULTS.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from measured import Claim, agrees, claims, unmeasured

ROOT = Path(__file__).parents[2]
#: Pages on which every time and every ratio has a source.
COMPLETE = ["README.md", *(f"docs/{name}.md" for name in ("attributed-graphs", "choosing", "solver", "speed"))]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
PAGES["README.md"] = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if claims(PAGES[page])])
def test_numbers_are_those_of_the_tables(page):
    for claim in claims(PAGES[page]):
        assert claim.shown in claim.text, claim.shown
        assert agrees(claim), (claim.shown, claim.sources)


@pytest.mark.parametrize("page", COMPLETE)
def test_every_time_has_a_source(page):
    assert claims(PAGES[page])
    assert unmeasured(PAGES[page]) == []


def test_wrong_numbers_are_noticed():
    row = "ENZYMES, 336 candidates × 5 folds, n_jobs=2"
    source = [f"Selection | {row} | ours"]
    assert agrees(Claim("2.00 s", "", source))
    assert agrees(Claim("2 s", "", source))
    assert agrees(Claim("2,000 ms", "", source))
    assert not agrees(Claim("2.1 s", "", source))
    assert not agrees(Claim("2.00 ms", "", source))
    assert agrees(Claim("6.7 times", "", [f"Selection | {row} | GridSearchCV ÷ Selection | {row} | ours"]))
    with pytest.raises(AssertionError):
        agrees(Claim("2 s", "", ["Selection | ENZYMES | ours"]))
    page = "It takes 3 s, or 2 to 4 times as long.\n\n<!-- measured\n3 s: Selection | a | b\n-->\n\n    takes `5 s`"
    assert unmeasured(page) == ["2 to 4 times"]
    assert [claim.shown for claim in claims(page)] == ["3 s"]
