"""The accuracies on the page about choosing a method, between two comments: a table for each of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wassergraph.evaluation.methods import method_title
from wassergraph.files.atomic import atomic_file
from wassergraph.reproduction.experiments import WIDE
from wassergraph.reproduction.paper import TABLES, PaperTable, dataset_title
from wassergraph.reproduction.results import Key, read_results
from wassergraph.reproduction.statistics import Cell, make_cells
from wassergraph.reproduction.tables import accuracy_text, markdown

BEGIN = "<!-- begin of the accuracies, written by wassergraph reproduce --render -->"
END = "<!-- end of the accuracies -->"
_FIRST_COLUMN = {"categorical": "labels", "continuous": "attributes"}


def render_choosing(results: Path, page: Path) -> None:
    """Replace the accuracies of a page; one without the two comments, or that does not exist, is left as it is.

    Parameters
    ----------
    results : Path
        The folder of the results.
    page : Path
        The page, ``docs/choosing.md``.
    """
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if begin and end:
        with atomic_file(page, "w") as file:
            file.write(f"{before}{begin}\n\n{accuracy_tables(make_cells(read_results(results)))}\n\n{end}{after}")


def accuracy_tables(cells: Mapping[Key, Cell]) -> str:
    """Return our accuracies for tables 1 to 3 of the paper and those of the wide search; the highest are bold."""
    return "\n\n".join(_accuracy_table(table, cells) for table in TABLES)


def _accuracy_table(table: PaperTable, cells: Mapping[Key, Cell]) -> str:
    methods = (*table.methods, WIDE)
    rows = {method: [cells.get(Key(dataset, method, table.kind)) for dataset in table.datasets] for method in methods}
    columns = zip(*rows.values(), strict=True)
    highest = [max((cell.mean for cell in column if cell is not None), default=None) for column in columns]
    lines = [
        [method_title(method), *(_text(cell, best) for cell, best in zip(row, highest, strict=True))]
        for method, row in rows.items()
    ]
    return markdown([_FIRST_COLUMN[table.kind], *map(dataset_title, table.datasets)], lines)


def _text(cell: Cell | None, highest: float | None) -> str:
    return accuracy_text(cell, bold=cell is not None and cell.mean == highest)
