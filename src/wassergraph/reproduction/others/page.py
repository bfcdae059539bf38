"""The page on benchmarks that others have set: our results beside the published ones.

    results/others/**/*.json ──read_entries──▶ results ─┐
    moleculeace.csv, errica.csv ────────────────────────┼──benchmarks_text──▶ docs/benchmarks.md
    docs/benchmarks/notes/*.md ─────────────────────────┘

The page depends on nothing else: the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wassergraph.files.atomic import atomic_file
from wassergraph.reproduction.others.benchmarks import ADME, ENTRIES, ERRICA, MOLECULEACE
from wassergraph.reproduction.others.error_tables import (
    CLIFFS,
    endpoint_table,
    errors_by_set,
    means_table,
    summary_of_endpoints,
    summary_of_errors,
)
from wassergraph.reproduction.others.fold_tables import accuracy_table, chosen_table, hours_table, summary_of_folds
from wassergraph.reproduction.others.results import EntryResult, read_entries
from wassergraph.reproduction.sections import commits_line, place_notes, read_notes, read_prose
from wassergraph.reproduction.tables import paragraphs

_CHOSEN = "### What was chosen{}"


def render_benchmarks(results: Path, page: Path) -> None:
    """Write the page.

    Parameters
    ----------
    results : Path
        The folder of the results.
    page : Path
        The file to write, ``docs/benchmarks.md``; notes are read from ``docs/benchmarks/notes/*.md``.
    """
    text = benchmarks_text(read_entries(results), read_notes(page.with_suffix("")))
    with atomic_file(page, "w") as file:
        file.write(text)


def benchmarks_text(results: Sequence[EntryResult], notes: Mapping[str, str] | None = None) -> str:
    """Return the text of the page.

    Parameters
    ----------
    results : sequence of EntryResult
        All results, in any order.
    notes : dict, optional
        Markdown text by the name of its file; names that begin with 0 are placed before the tables, others at the end.

    Returns
    -------
    str
        Markdown.
    """
    ordered = sorted(results, key=lambda result: ENTRIES.index(result.entry))
    early, late = place_notes(notes or {})
    sections = [_summary(ordered), *early, _moleculeace(ordered), _adme(ordered), _errica(ordered)]
    hours = paragraphs("## Hours of computing", read_prose("benchmarks_hours"), hours_table(ordered))
    return paragraphs(read_prose("benchmarks_introduction"), *sections, hours, *late) + "\n"


def _summary(results: Sequence[EntryResult]) -> str:
    lines = [f"- {len(results)} of {len(ENTRIES)} splits and methods have results."]
    lines += [*summary_of_errors(results), *summary_of_endpoints(results), *summary_of_folds(results)]
    lines += [commits_line([result.provenance for result in results])] if results else []
    return "\n".join(["## Summary", "", *lines])


def _moleculeace(results: Sequence[EntryResult]) -> str:
    return paragraphs(
        "## MoleculeACE",
        read_prose("benchmarks_moleculeace"),
        "### Means and ranks",
        means_table(results),
        "### Every set",
        errors_by_set(results, "rmse"),
        "### Every set, cliffs alone",
        errors_by_set(results, CLIFFS),
        *_chosen(results, MOLECULEACE.name),
    )


def _adme(results: Sequence[EntryResult]) -> str:
    return paragraphs(
        "## ADME",
        read_prose("benchmarks_adme"),
        "R²:",
        endpoint_table(results, "r2", max),
        "RMSE:",
        endpoint_table(results, "rmse", min),
        "Pearson's correlation:",
        endpoint_table(results, "pearson", max),
        *_chosen(results, ADME.name, " for every endpoint"),
    )


def _errica(results: Sequence[EntryResult]) -> str:
    return paragraphs(
        "## The folds of Errica et al.",
        read_prose("benchmarks_errica"),
        accuracy_table(results),
        *_chosen(results, ERRICA.name, " in the folds"),
    )


def _chosen(results: Sequence[EntryResult], benchmark: str, where: str = " for every set") -> list[str]:
    table = chosen_table(results, benchmark)
    return [_CHOSEN.format(where), table] if table else []
