"""Numbers of documents that come from a table: a comment below a paragraph names the cell of each.

    <!-- measured
    2.9 s: Distances | ENZYMES attributes, depth 3, all pairs, 2 cores | ours
    2.9 times: Distances | depths 0…7 | ours ÷ Distances | depth 3 | ours
    3 to 54 ms: Comparison kernels #2 | ENZYMES | V & Comparison kernels #2 | ENZYMES | WL-OA
    -->

The source of a number is a cell of benchmarks/RESULTS.md: its section (with #2, the second table there), the first
cell of its row, or the first two with a comma, and its column. Or it is one cell divided by another, or by a number. A
range has two sources.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

RESULTS = Path(__file__).parents[1] / "benchmarks" / "RESULTS.md"
#: Units in documents and in tables, in seconds; sizes in kB, and ratios without a unit.
UNITS = {
    **{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "seconds": 1.0, "min": 60.0, "minutes": 60.0, "h": 3600.0},
    **{"kB": 1.0, "MiB": 1.0, "times": 1.0, "×": 1.0, "": 1.0},
}
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
TIME_UNITS = "ns|µs|ms|s|seconds|min|minutes|h|hours|times|×"
TIMED = re.compile(rf"(?<![\w.,]){NUMBER}(?: (?:to|and) {NUMBER})? ?(?:{TIME_UNITS})(?!\w)")
COMMENT = re.compile(r"<!-- measured\n(.*?)-->", flags=re.DOTALL)


class Claim(NamedTuple):
    """A number with its unit in a document, the text above its comment, and the sources that the comment names."""

    shown: str
    text: str
    sources: list[str]


def claims(document: str) -> list[Claim]:
    """Return all claims of a document; the text of each reaches back to the comment or heading before."""
    found, begin = [], 0
    for comment in COMMENT.finditer(document):
        text = re.split(r"^#+ .*$", document[begin : comment.start()], flags=re.MULTILINE)[-1]
        for line in comment[1].strip().splitlines():
            shown, _, source = line.partition(": ")
            found.append(Claim(shown, " ".join(text.split()), source.split(" & ")))
        begin = comment.end()
    return found


def agrees(claim: Claim) -> bool:
    """Return whether the numbers of a claim are those of its sources, rounded to the digits that are shown."""
    unit = UNITS[re.sub(rf"{NUMBER}|\bto\b|\band\b", "", claim.shown).strip()]
    numbers = re.findall(NUMBER, claim.shown)
    assert len(numbers) == len(claim.sources), claim
    return all(
        abs(value_of(number) - source_value(source) / unit) <= _half_a_digit(number)
        for number, source in zip(numbers, claim.sources, strict=True)
    )


def unmeasured(document: str) -> list[str]:
    """Return times and ratios in the prose of a document that no comment names; code and other tables do not count."""
    named: dict[str, int] = {}
    for claim in claims(document):
        named[claim.shown] = named.get(claim.shown, 0) + 1
    prose = re.sub(r"```.*?```|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)", "", document, flags=re.DOTALL)
    found = [match[0] for match in TIMED.finditer(" ".join(prose.split()))]
    return [shown for shown in found if shown not in named]


def value_of(text: str) -> float:
    """Return a number without the commas between thousands."""
    return float(text.replace(",", ""))


def _half_a_digit(number: str) -> float:
    """Return half of the last digit that is shown; zeros at the end of a large whole number are not."""
    digits = number.replace(",", "")
    if "." in digits:
        return 0.5 * 10.0 ** -len(digits.partition(".")[2]) * (1 + 1e-9)
    zeros = len(digits) - len(digits.rstrip("0")) if len(digits) > 3 else 0
    return 0.5 * 10.0**zeros * (1 + 1e-9)


def source_value(source: str) -> float:
    """Return the value that a source names, in seconds or without a unit."""
    above, _, below = source.partition(" ÷ ")
    return _term(above) / _term(below) if below else _term(above)


def _term(text: str) -> float:
    if re.fullmatch(NUMBER, text.strip()):
        return value_of(text.strip())
    found = re.match(rf"({NUMBER}) ?([µa-zA-Z×]*)", cell(*(part.strip() for part in text.split(" | "))))
    assert found is not None, text
    return value_of(found[1]) * UNITS[found[2]]


def cell(section: str, row: str, column: str) -> str:
    """Return the only cell of benchmarks/RESULTS.md in this row and column of a section."""
    name, _, number = section.partition(" #")
    chosen = tables()[name]
    chosen = [chosen[int(number) - 1]] if number else chosen
    found = [
        line[header.index(column)]
        for header, *lines in chosen
        if column in header
        for line in lines
        if row in (line[0], ", ".join(line[:2]))
    ]
    assert len(found) == 1, (section, row, column, found)
    return found[0]


@cache
def tables() -> dict[str, list[list[list[str]]]]:
    """Return the tables of every section, as rows of cells, the header first."""
    found: dict[str, list[list[list[str]]]] = {}
    for part in re.split(r"^## ", RESULTS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        blocks = re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.MULTILINE)
        found[title.strip()] = [
            [[each.strip() for each in line.strip("|").split("|")] for line in block.splitlines() if "|---" not in line]
            for block in blocks
        ]
    return found
