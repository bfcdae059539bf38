"""The page on what goes beyond the paper: the wide search on the same folds, with and without duplicates.

    results/**/*.json ──read_results──▶ results ─┐
    results/duplicates.csv ──────────────────────┼──beyond_text──▶ docs/beyond.md
    docs/beyond/notes/*.md ──────────────────────┘

The page depends on nothing else: the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wassergraph.files.atomic import atomic_file
from wassergraph.reproduction.beyond_tables import (
    deduplicated_rows,
    deduplicated_table,
    main_rows,
    main_table,
    summary_lines,
)
from wassergraph.reproduction.duplicates import EQUAL_DEPTH, DuplicateRow, read_duplicates
from wassergraph.reproduction.experiments import BEYOND_KEYS, WIDE
from wassergraph.reproduction.paper import TABLES, dataset_title
from wassergraph.reproduction.results import Key, RunResult, read_results
from wassergraph.reproduction.sections import hours_section, place_notes, provenance_lines, read_notes, read_prose
from wassergraph.reproduction.statistics import LEVEL, REPETITIONS, Cell, make_cells
from wassergraph.reproduction.tables import markdown, paragraphs, parameter_table


def _yes_or_no(value: float) -> str:
    return "yes" if value else "no"


_COMPARED = {"categorical": "labels", "continuous": "attributes", "joint": "both"}
#: The columns of the table of choices: the name of the parameter, and its value in words.
_CHOICES: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "compared": ("kind", lambda kind: _COMPARED[kind]),
    "edge labels": ("edge_labels", _yes_or_no),
    "degrees": ("degrees", _yes_or_no),
    "mass": ("mass", str),
    "size term": ("size_weight", _yes_or_no),
    "depth": ("depth", int),
}


def render_beyond(results: Path, page: Path) -> None:
    """Write the page.

    Parameters
    ----------
    results : Path
        The folder of the results.
    page : Path
        The file to write, ``docs/beyond.md``; notes are read from ``docs/beyond/notes/*.md``.
    """
    table = results / "duplicates.csv"
    duplicates = read_duplicates(table) if table.exists() else []
    text = beyond_text(read_results(results), duplicates, read_notes(page.with_suffix("")))
    with atomic_file(page, "w") as file:
        file.write(text)


def beyond_text(
    results: Sequence[RunResult], duplicates: Sequence[DuplicateRow] = (), notes: Mapping[str, str] | None = None
) -> str:
    """Return the text of the page.

    Parameters
    ----------
    results : sequence of RunResult
        All results, in any order.
    duplicates : sequence of DuplicateRow
        The equal graphs of every set; none if they were not counted.
    notes : dict, optional
        Markdown text by the name of its file; names that begin with 0 are placed before the tables, others at the end.

    Returns
    -------
    str
        Markdown.
    """
    cells = make_cells(results)
    added = [result for result in results if result.run.key in BEYOND_KEYS]
    early, late = place_notes(notes or {})
    sections = [_main_section(cells, added), _duplicate_section(cells, duplicates), _choice_section(added)]
    sections += [hours_section(added, read_prose("beyond_hours")), *late]
    return paragraphs(read_prose("beyond_introduction"), *early, *sections) + "\n"


def _main_section(cells: Mapping[Key, Cell], added: Sequence[RunResult]) -> str:
    rows = main_rows(cells)
    summary = "\n".join([*summary_lines(rows), *provenance_lines(added)])
    reading = read_prose("beyond_reading", level=LEVEL, repetitions=REPETITIONS)
    return paragraphs("## The wide search on all sets", reading, main_table(rows), "### Summary", summary)


def _duplicate_section(cells: Mapping[Key, Cell], duplicates: Sequence[DuplicateRow]) -> str:
    """Return how many graphs are equal, and the accuracies without them."""
    rows = deduplicated_rows(cells)
    text = read_prose("beyond_duplicates", depth=EQUAL_DEPTH)
    counts = _count_table(duplicates) if duplicates else "They are counted by `wassergraph reproduce duplicates`."
    summary = "\n".join(summary_lines(rows)) if any(row.wide for row in rows) else "These have not been run yet."
    kernels = read_prose("beyond_kernels")
    return paragraphs("## Without duplicates", text, counts, kernels, deduplicated_table(rows), summary)


def _count_table(duplicates: Sequence[DuplicateRow]) -> str:
    """Return the equal graphs of every set, in the order of the tables of the paper."""
    order = [(dataset, table.kind) for table in TABLES for dataset in table.datasets]
    lines = [
        [dataset_title(row.set), row.kind, *map(str, (row.graphs, row.groups, row.disagreeing, row.left_out))]
        for row in sorted(duplicates, key=lambda row: order.index((row.set, row.kind)))
    ]
    columns = ["set", "kind", "graphs", "groups of equal graphs", "with different classes", "graphs left out"]
    return markdown(columns, lines)


def _choice_section(added: Sequence[RunResult]) -> str:
    keys = [Key(dataset, WIDE, table.kind) for table in TABLES for dataset in table.datasets]
    chosen = [_with_choices(result) for result in added if result.run.key in keys]
    if not chosen:
        return ""
    table = parameter_table(chosen, keys, tuple(_CHOICES))
    return paragraphs("## What the wide search chose", read_prose("beyond_choices"), table)


def _with_choices(result: RunResult) -> RunResult:
    """Return a result with its chosen parameters in words."""
    parameters: Any = tuple(map(_in_words, result.scores.parameters))
    return replace(result, scores=replace(result.scores, parameters=parameters))


def _in_words(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return chosen parameters by the columns of the table; those that a result does not have are left out."""
    return {column: word(parameters[name]) for column, (name, word) in _CHOICES.items() if name in parameters}
