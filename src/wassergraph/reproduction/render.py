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
from wassergraph.reproduction.paper import (
    SINKHORN,
    SINKHORN_CHOSEN,
    SINKHORN_GRID,
    TABLES,
    Published,
    Table,
    dataset_title,
)
from wassergraph.reproduction.published_section import TITLE, published_section
from wassergraph.reproduction.results import Key, Result, read_results
from wassergraph.reproduction.sections import extra_sections, hours_section, place_notes, provenance_lines, read_notes
from wassergraph.reproduction.statistics import (
    REPETITIONS,
    Cell,
    choices,
    make_cells,
)
from wassergraph.reproduction.tables import (
    NOTHING,
    accuracy_text,
    choices_text,
    comparison_table,
    comparisons,
    complete_sets,
    is_variant,
    markdown,
    overview_table,
    parameter_table,
    repetitions_mark,
    signed,
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

_INTRODUCTION = """\
# Reproduction of the paper

This page compares accuracies measured with this library with those printed in
[Togninalli et al., NeurIPS 2019](https://arxiv.org/abs/1906.01277). All accuracies are in percent, as mean ± standard
deviation over repetitions of a 10-fold cross-validation. There are ten repetitions unless stated otherwise. Parameters
are chosen on the training part of each fold, and all methods have the same folds.

    wassergraph reproduce table1 table2 table3     # results that exist are not computed again
    wassergraph reproduce published                # the tables on the graphs as the authors published them
    wassergraph reproduce sinkhorn variants noise runtime definiteness
    wassergraph reproduce --render                 # write this page from the results

The last command writes this page from the files in `results/` and the notes in `docs/reproduction/notes/`. To change
the page, edit these files."""

_READING = f"""\
## How to read the tables

- **Bold**: the best method, and those whose mean differs from it by at most the pooled standard deviation.
- \\*: significantly better than every other method, by two-sided two-sample t-tests at the level 0.05 with Bonferroni's
  correction within the data set. Applied to the numbers of the paper, this rule and the previous one reproduce its
  marks exactly.
- <sup>n</sup>: n repetitions instead of {REPETITIONS}; a single one has no standard deviation and cannot be tested.
- –: no result.
- *Reproduced*: our mean differs from that of the paper by at most 2·√(std² of the paper + our std²), plus the last
  printed digit; otherwise it is *above* or *below*. For a single repetition, the standard deviation of the paper is
  used for ours, too.
- Verdicts: *{AS_DESCRIBED}*, reproduced as the paper describes it; *{AS_PUBLISHED}*, not so, but as its files are or
  with another reading of the section "{TITLE}"; *{ABOVE}* and *{OPEN}*, above or below
  the paper, and reproduced by no reading that was run; the summary says how many were."""

_HOURS = (
    "All methods, variants and readings together. Matrices are computed once for all repetitions, and counted once; "
    "the folds are the choice of parameters, training and test."
)


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
    results: Sequence[Result], notes: Mapping[str, str], figures: Mapping[str, str], extras: Sequence[str] = ()
) -> str:
    """Return the text of the page.

    Parameters
    ----------
    results : sequence of Result
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
    tables = [_table_section(table, cells, figures.get(table.name)) for table in TABLES]
    sections = [_INTRODUCTION, _summary(results, cells), _READING, *early, *tables]
    sections += [published_section(cells, notes=bool(late)), _parameter_section(results), _variant_section(cells)]
    sections += [
        _sinkhorn_section(results, cells),
        *extras,
        _other_section(cells),
        hours_section(results, _HOURS),
        *late,
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _summary(results: Sequence[Result], cells: Mapping[Key, Cell]) -> str:
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


def _printed(table: Table, key: Key) -> Published:
    return table.numbers[key.method, key.dataset]


def _listed_cells(findings: Sequence[Finding]) -> str:
    """Return a list of cells: method, data set, table, difference to the paper, and what was tried."""
    parts = []
    for finding in findings:
        name = f"{method_title(finding.key.method)} on {dataset_title(finding.key.dataset)}"
        difference = signed(finding.cell.mean - finding.number.mean)
        parts.append(f"{name} (table {finding.table}: {difference}; {_tried(finding)})")
    return ", ".join(parts) or "none"


def _tried(finding: Finding) -> str:
    """Return the reading that reproduces a cell, if one does, and how many readings were tried."""
    if finding.reading is None:
        return readings_text(finding)
    cell = finding.readings[finding.reading]
    difference = signed(cell.mean - finding.number.mean) + repetitions_mark(cell)
    return f"`{finding.reading.method}`: {difference}; {readings_text(finding)}"


def _table_section(table: Table, cells: Mapping[Key, Cell], figure: str | None) -> str:
    """Return a table like that of the paper, its figure, and every number next to that of the paper."""
    parts = [
        f"## Table {table.number}: {table.caption}",
        overview_table(table, cells),
        _ranks_text(table, cells),
        _untested_text(table, cells),
        f"![Accuracies of table {table.number}, ours and those of the paper]({figure})" if figure is not None else "",
        f"### Table {table.number}, number by number",
        comparison_table(table, cells),
    ]
    return "\n\n".join(part for part in parts if part)


def _ranks_text(table: Table, cells: Mapping[Key, Cell]) -> str:
    """Return which data sets our ranks are averages of, and where those of the paper come from."""
    n_complete, n_sets = len(complete_sets(table, cells)), len(table.datasets)
    ours = f"Our average ranks are over the {n_complete} of {n_sets} data sets on which every method has a result."
    if table.ranks:
        missing = [method_title(method) for method in table.methods if method not in table.ranks]
        text = f"the text of the paper has the same numbers, without {', '.join(missing)}"
    else:
        text = "the text of the paper has none"
    return f"{ours} Those of the paper are computed from its table; {text}."


def _untested_text(table: Table, cells: Mapping[Key, Cell]) -> str:
    """Return the data sets on which no method can have an asterisk, and why."""
    parts = []
    for dataset, comparison in comparisons(table, cells).items():
        missing = [method for method in table.methods if Key(dataset, method, table.kind) not in cells]
        reasons = {"no result": missing, "too few repetitions": comparison.untested}
        texts = [f"{why}: {', '.join(map(method_title, which))}" for why, which in reasons.items() if which]
        if texts:
            parts.append(f"{dataset_title(dataset)} ({'; '.join(texts)})")
    return f"Not every method could be tested against the best on {', '.join(parts)}." if parts else ""


def _parameter_section(results: Sequence[Result]) -> str:
    keys = [key for table in TABLES for key in table.keys if key.method == "wwl"]
    if not any(result.run.key in keys for result in results):
        return ""
    introduction = (
        "How often each value was chosen in the folds of WWL, over all repetitions; the three most frequent values."
    )
    return "\n\n".join(["## Parameters chosen by WWL", introduction, parameter_table(results, keys)])


def _variant_section(cells: Mapping[Key, Cell]) -> str:
    if not any(map(is_variant, cells)):
        return ""
    introduction = (
        "Where the paper allows more than one interpretation, the tables use one of them, and this section compares "
        "others on the same folds. The difference is over the repetitions that both have; the standard deviation is "
        "pooled."
    )
    return "\n\n".join(["## Variants", introduction, variant_table(cells)])


def _sinkhorn_section(results: Sequence[Result], cells: Mapping[Key, Cell]) -> str:
    """Return the accuracies on ENZYMES with entropic and exact distances, next to those of the paper."""
    if _ENTROPIC not in cells:
        return ""
    lines = []
    for title, key, number in (("exact", _EXACT, _printed(TABLES[1], _EXACT)), ("Sinkhorn", _ENTROPIC, SINKHORN)):
        cell = cells.get(key)
        ours = [accuracy_text(cell), judge(cell, number) if cell else NOTHING]
        lines.append([title, f"{number.mean:.2f} ± {number.std:.2f}", *ours])
    regs = choices([result for result in results if result.run.key == _ENTROPIC]).get("reg", [])
    text = (
        "WWL on ENZYMES with entropic distances. The regularization is chosen in the folds, too, from "
        f"{_listed(REGS)}, where 0 is the exact distance. The candidates of the paper are {_listed(SINKHORN_GRID)}; "
        "with the smallest three, distances differ from the exact ones by 0.5 % on average and by 2.5 % at most, but "
        "would take half a day to compute, so exact distances are used for them. Marginals have a total error of up to "
        f"0.01. The chosen values are {choices_text(regs, len(REGS)) or 'none'}. According to the paper, "
        f"{_listed(SINKHORN_CHOSEN)} were chosen most of the time, although 0.3 is not among its candidates."
    )
    return "\n\n".join(["## Sinkhorn", text, markdown(["WWL", "paper", "ours", "verdict"], lines)])


def _other_section(cells: Mapping[Key, Cell]) -> str:
    """Return the results that belong to no table, so that none is missing from the page."""
    known = {key for table in TABLES for key in table.keys} | {_ENTROPIC, *PUBLISHED_KEYS}
    lines = [
        [dataset_title(key.dataset), key.kind, method_title(key.method), accuracy_text(cell)]
        for key, cell in cells.items()
        if key not in known and not is_variant(key)
    ]
    table = markdown(["set", "kind", "method", "ours"], lines)
    return "\n\n".join(["## Other results", "These are not in the paper.", table]) if lines else ""


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers[:-1]) + f" and {numbers[-1]:g}"
