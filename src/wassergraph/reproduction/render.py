"""The page of the reproduction: all results next to those of the paper, as one Markdown file with figures.

    results/**/*.json ──read_results──▶ results ─┐
    results/*.csv ──────extra_sections───────────┼──page_text──▶ docs/reproduction.md
    docs/reproduction/notes/*.md ────────────────┘

The page depends on nothing else: the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wassergraph.evaluation.methods import REGS, method_title
from wassergraph.files.atomic import atomic_file
from wassergraph.pictures.style import save_figure
from wassergraph.reproduction.experiments import BEYOND_KEYS, PUBLISHED_KEYS
from wassergraph.reproduction.figures import draw_table
from wassergraph.reproduction.paper import SINKHORN, SINKHORN_CHOSEN, SINKHORN_GRID, TABLES, dataset_title
from wassergraph.reproduction.published_section import TITLE, published_section
from wassergraph.reproduction.results import Key, RunResult, read_results
from wassergraph.reproduction.sections import (
    extra_sections,
    hours_section,
    place_notes,
    provenance_lines,
    read_notes,
    read_prose,
)
from wassergraph.reproduction.statistics import REPETITIONS, Cell, choices, make_cells
from wassergraph.reproduction.tables import (
    NOTHING,
    accuracy_text,
    choices_text,
    is_variant,
    markdown,
    paragraphs,
    parameter_table,
    repetitions_mark,
    signed,
    table_section,
    variant_table,
)
from wassergraph.reproduction.verdicts import (
    ABOVE,
    AS_DESCRIBED,
    AS_PUBLISHED,
    OPEN,
    VERDICTS,
    Finding,
    judge,
    make_findings,
    readings_text,
)

_EXACT = Key("ENZYMES", "wwl", "continuous")
_ENTROPIC = Key("ENZYMES", "wwl-sinkhorn", "continuous")


def render_page(results: Path, page: Path) -> None:
    """Write the page, and its figures into the folder of the same name; results of the other page are left out.

    Parameters
    ----------
    results : Path
        The folder of the results.
    page : Path
        The file to write, ``docs/reproduction.md``; notes are read from ``docs/reproduction/notes/*.md``.
    """
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    all_results = [result for result in read_results(results) if result.run.key not in BEYOND_KEYS]
    figures = draw_figures(make_cells(all_results), folder)
    text = page_text(all_results, read_notes(folder), figures, extra_sections(results, folder))
    with atomic_file(page, "w") as file:
        file.write(text)


def draw_figures(cells: Mapping[Key, Cell], folder: Path) -> dict[str, str]:
    """Draw every table that has results, and return the paths of the figures relative to the page, by table."""
    figures = {}
    for table in TABLES:
        if any(key in cells for key in table.keys):
            save_figure(draw_table(table, cells), folder / f"{table.name}.svg")
            figures[table.name] = f"{folder.name}/{table.name}.svg"
    return figures


def page_text(
    results: Sequence[RunResult], notes: Mapping[str, str], figures: Mapping[str, str], extras: Sequence[str] = ()
) -> str:
    """Return the text of the page.

    Parameters
    ----------
    results : sequence of RunResult
        All results, in any order.
    notes : dict
        Markdown text by the name of its file; names that begin with 0 are placed before the tables, others at the end.
    figures : dict
        The path of the figure of "table1", "table2", "table3", as far as there is one.
    extras : sequence of str
        Sections on other experiments.

    Returns
    -------
    str
        Markdown.
    """
    cells = make_cells(results)
    early, late = place_notes(notes)
    tables = [table_section(table, cells, figures.get(table.name)) for table in TABLES]
    sections = [read_prose("introduction"), _summary(results, cells)]
    sections += [read_prose("reading", repetitions=REPETITIONS, title=TITLE), *early, *tables]
    sections += [published_section(cells, notes=bool(late)), _parameter_section(results), _variant_section(cells)]
    sections += [
        _sinkhorn_section(results, cells),
        *extras,
        _other_section(cells),
        hours_section(results, read_prose("hours")),
    ]
    return paragraphs(*sections, *late) + "\n"


def _summary(results: Sequence[RunResult], cells: Mapping[Key, Cell]) -> str:
    """Return how many cells have results and are reproduced, and what the results were computed with."""
    findings = make_findings(cells)
    groups = {verdict: [f for f in findings.values() if f.verdict == verdict] for verdict in VERDICTS}
    complete = sum(finding.cell.repetitions >= REPETITIONS for finding in findings.values())
    readings = [cells[key] for key in PUBLISHED_KEYS if key in cells]
    complete_readings = sum(cell.repetitions >= REPETITIONS for cell in readings)
    n_cells = sum(len(table.keys) for table in TABLES)
    lines = [
        f"- {len(findings)} of {n_cells} cells have results, {complete} of them all {REPETITIONS} repetitions.",
        f"- {len(groups[AS_DESCRIBED])} reproduced as the paper describes it, {len(groups[AS_PUBLISHED])} reproduced "
        f"as its files are or with another reading, {len(groups[ABOVE])} above the paper, {len(groups[OPEN])} open.",
        f"- Reproduced as its files are, or with another reading: {_listed_cells(groups[AS_PUBLISHED])}.",
        f"- Above: {_listed_cells(groups[ABOVE])}.",
        f"- Open, which are below: {_listed_cells(groups[OPEN])}.",
        f"- {len(readings)} of {len(PUBLISHED_KEYS)} readings have results, {complete_readings} of them all "
        f'{REPETITIONS} repetitions; see "{TITLE}".',
    ]
    return "\n".join(["## Summary", "", *lines, *provenance_lines(results)])


def _listed_cells(findings: Sequence[Finding]) -> str:
    """Return a list of cells: method, data set, table, difference to the paper, and what was tried."""
    parts = []
    for finding in findings:
        difference = signed(finding.cell.mean - finding.number.mean)
        parts.append(f"{finding.name} (table {finding.table}: {difference}; {_tried(finding)})")
    return ", ".join(parts) or "none"


def _tried(finding: Finding) -> str:
    """Return the reading that reproduces a cell, if one does, and how many readings were tried."""
    if finding.reading is None:
        return readings_text(finding)
    cell = finding.readings[finding.reading]
    difference = signed(cell.mean - finding.number.mean) + repetitions_mark(cell)
    return f"`{finding.reading.method}`: {difference}; {readings_text(finding)}"


def _parameter_section(results: Sequence[RunResult]) -> str:
    keys = [key for table in TABLES for key in table.keys if key.method == "wwl"]
    if not any(result.run.key in keys for result in results):
        return ""
    text = "How often each value was chosen in the folds of WWL, over all repetitions; the three most frequent values."
    return paragraphs("## Parameters chosen by WWL", text, parameter_table(results, keys))


def _variant_section(cells: Mapping[Key, Cell]) -> str:
    if not any(map(is_variant, cells)):
        return ""
    return paragraphs("## Variants", read_prose("variants"), variant_table(cells))


def _sinkhorn_section(results: Sequence[RunResult], cells: Mapping[Key, Cell]) -> str:
    """Return the accuracies on ENZYMES with entropic and exact distances, next to those of the paper."""
    if _ENTROPIC not in cells:
        return ""
    lines = []
    exact = TABLES[1].numbers[_EXACT.method, _EXACT.dataset]
    for title, key, number in (("exact", _EXACT, exact), ("Sinkhorn", _ENTROPIC, SINKHORN)):
        cell = cells.get(key)
        ours = [accuracy_text(cell), judge(cell, number) if cell else NOTHING]
        lines.append([title, number.text, *ours])
    regs = choices([result for result in results if result.run.key == _ENTROPIC]).get("reg", [])
    chosen = choices_text(regs, len(REGS)) or "none"
    lists = {"candidates": REGS, "candidates_of_paper": SINKHORN_GRID, "chosen_in_paper": SINKHORN_CHOSEN}
    text = read_prose("sinkhorn", chosen=chosen, **{name: _listed(numbers) for name, numbers in lists.items()})
    return paragraphs("## Sinkhorn", text, markdown(["WWL", "paper", "ours", "verdict"], lines))


def _other_section(cells: Mapping[Key, Cell]) -> str:
    """Return the results that belong to no table, so that none is missing from the page."""
    known = {key for table in TABLES for key in table.keys} | {_ENTROPIC, *PUBLISHED_KEYS}
    lines = [
        [dataset_title(key.dataset), key.kind, method_title(key.method), accuracy_text(cell)]
        for key, cell in cells.items()
        if key not in known and not is_variant(key)
    ]
    table = markdown(["set", "kind", "method", "ours"], lines)
    return paragraphs("## Other results", "These are not in the paper.", table) if lines else ""


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers[:-1]) + f" and {numbers[-1]:g}"
