"""The section of the page on the files that the paper's numbers were computed from, and what they explain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from wassergraph.evaluation.methods import method_title
from wassergraph.reproduction.experiments import published_readings
from wassergraph.reproduction.paper import TABLES, PaperTable, dataset_title
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.sections import read_prose
from wassergraph.reproduction.statistics import Cell
from wassergraph.reproduction.tables import accuracy_text, markdown, paragraphs
from wassergraph.reproduction.verdicts import (
    OPEN,
    Finding,
    is_of_the_files,
    judge,
    make_findings,
    reading_name,
    readings_text,
)

#: The title of the section, which other parts of the page refer to.
TITLE = "What the published numbers were computed from"
#: The entry of a table where the published files change nothing for a method.
UNCHANGED = "the same"
#: The entry of a reading that has no results yet.
NOT_RUN = "not run"


def published_section(cells: Mapping[Key, Cell], *, notes: bool = False) -> str:
    """Return the section: what the files show, every cell with its readings, and the cells below the paper.

    Parameters
    ----------
    cells : dict of Cell
        All cells that have results.
    notes : bool
        Whether the page has notes on the reasons of differences.

    Returns
    -------
    str
        Markdown; empty if no reading has a result.
    """
    findings = list(make_findings(cells).values())
    read = [finding for finding in findings if finding.readings]
    if not read:
        return ""
    parts = [_effect(read), _readings_table(read), _not_affected(), _below(findings, notes)]
    return paragraphs(f"## {TITLE}", read_prose("published_files"), *parts)


def _effect(findings: Sequence[Finding]) -> str:
    """Return how much the files alone change, and whether they bring accuracies closer to the paper."""
    compared = [(finding, cell) for finding in findings if (cell := finding.of_the_files) is not None]
    if not compared:
        return ""
    changes = [(abs(cell.mean - finding.cell.mean), finding.name) for finding, cell in compared]
    largest, where = max(changes, key=lambda change: change[0])
    described = sum(finding.described == "reproduced" for finding, _ in compared)
    published = sum(judge(cell, finding.number) == "reproduced" for finding, cell in compared)
    return (
        f"In the {len(compared)} cells that have a result for the files alone, these change the accuracy by "
        f"{median(change for change, _ in changes):.2f} points (the median) and by {largest:.2f} at most ({where}). "
        f"Reproduced as described: {described} of them; as published: {published}."
    )


def _readings_table(findings: Sequence[Finding]) -> str:
    """Return every cell that has readings with results next to these."""
    lines = [
        [*_begin(finding), _of_the_files_text(finding), _other_readings_text(finding), finding.verdict]
        for finding in findings
    ]
    return markdown(["set", "method", "paper", "as described", "as published", "other readings", "verdict"], lines)


def _other_readings_text(finding: Finding) -> str:
    keys = [key for key in published_readings(finding.key) if not is_of_the_files(key)]
    known = [key for key in keys if key in finding.readings]
    texts = [f"`{reading_name(key)}`: {accuracy_text(finding.readings[key])}" for key in known]
    return "; ".join(texts) or (NOT_RUN if keys else "none")


def _of_the_files_text(finding: Finding) -> str:
    if not any(map(is_of_the_files, published_readings(finding.key))):
        return UNCHANGED
    return NOT_RUN if finding.of_the_files is None else accuracy_text(finding.of_the_files)


def _begin(finding: Finding) -> list[str]:
    """Return the first entries of a row: set, method, the number of the paper, and ours."""
    dataset, method, _ = finding.key
    return [dataset_title(dataset), method_title(method), finding.number.text, accuracy_text(finding.cell)]


def _not_affected() -> str:
    """Return the cells that have no readings, and why."""
    labels, attributes = (
        _unread_cells([table for table in TABLES if table.kind == kind]) for kind in ("categorical", "continuous")
    )
    return (
        f"The other cells are not affected: {labels}, because all nodes of these sets have neighbors, and labels are "
        f"with their nodes; {attributes}, because the only attribute is the degree, which follows from the edges "
        f'themselves. The column "as published" has "{UNCHANGED}" where only other readings of the method make a '
        "difference: on that set, and for VH-C, a sum over all nodes, where all nodes have neighbors."
    )


def _unread_cells(tables: Iterable[PaperTable]) -> str:
    """Return the methods and sets of the cells without readings: ``V and WL on MUTAG and D&D``."""
    methods: dict[str, list[str]] = defaultdict(list)
    for key in (key for table in tables for key in table.keys if not published_readings(key)):
        methods[key.dataset].append(method_title(key.method))
    sets: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for dataset, names in methods.items():
        sets[tuple(names)].append(dataset_title(dataset))
    return "; ".join(f"{_enumerated(names)} on {_enumerated(titles)}" for names, titles in sets.items())


def _below(findings: Sequence[Finding], notes: bool) -> str:
    """Return the cells that are below the paper as it describes them, and what explains each."""
    below = [finding for finding in findings if finding.described == "below"]
    if not below:
        return ""
    lines = [[*_begin(finding), _explanation(finding)] for finding in below]
    n_open = sum(finding.verdict == OPEN for finding in below)
    text = f"Cells below the paper as it describes them: {len(below)}; open: {n_open}."
    if notes:
        text += " Their causes are discussed at the end of the page."
    table = markdown(["set", "method", "paper", "as described", "reading that reproduces it"], lines)
    return paragraphs("### The cells below the paper", text, table)


def _explanation(finding: Finding) -> str:
    if finding.reading is None:
        return f"{OPEN} ({readings_text(finding)})"
    accuracy = accuracy_text(finding.readings[finding.reading])
    return f"`{finding.reading.method}`: {accuracy} ({readings_text(finding)})"


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
