"""The tables of the page in Markdown: overviews like those of the paper, and every number next to the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wassergraph.evaluation.methods import method_title
from wassergraph.reproduction.experiments import PUBLISHED_KEYS
from wassergraph.reproduction.paper import PaperNumber, PaperTable, dataset_title
from wassergraph.reproduction.results import Key, RunResult
from wassergraph.reproduction.statistics import (
    REPETITIONS,
    Cell,
    MethodComparison,
    average_ranks,
    choices,
    compare,
    majorities,
    resolution,
    shared_repetitions,
)
from wassergraph.reproduction.verdicts import make_findings

#: The entry of a table where there is no result.
NOTHING = "–"
#: Data sets and kinds for which the tables use another version of the data set.
VERSIONS = {("PROTEINS", "continuous"): "PROTEINS_full"}
_PARAMETERS = ("depth", "gamma", "C")


def markdown(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    rows = ["| " + " | ".join(row) + " |" for row in (columns, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(columns), *rows[1:]])


def paragraphs(*parts: str) -> str:
    """Return parts of a page in Markdown one below the other, without those that are empty."""
    return "\n\n".join(part for part in parts if part)


def accuracy_text(cell: Cell | None, *, bold: bool = False, asterisk: bool = False) -> str:
    """Return the text of a cell: mean ± standard deviation, marks, and the number of repetitions if it is not 10."""
    if cell is None:
        return NOTHING
    text = f"{cell.mean:.2f} ± {cell.std:.2f}" if cell.repetitions > 1 else f"{cell.mean:.2f}"
    return _marked(text, bold, asterisk) + repetitions_mark(cell)


def repetitions_mark(cell: Cell) -> str:
    """Return the number of repetitions as a mark, if it is not 10."""
    return f"<sup>{cell.repetitions}</sup>" if cell.repetitions != REPETITIONS else ""


def published_text(number: PaperNumber) -> str:
    """Return the text of a number of the paper, with its marks."""
    return _marked(number.text, number.bold, number.asterisk)


def comparisons(table: PaperTable, cells: Mapping[Key, Cell]) -> dict[str, MethodComparison]:
    """Return the comparison of methods on every data set of a table on which at least two methods have results."""
    rows = {dataset: _column(table, cells, dataset) for dataset in table.datasets}
    return {dataset: compare(row, len(table.methods)) for dataset, row in rows.items() if len(row) > 1}


def overview_table(table: PaperTable, cells: Mapping[Key, Cell]) -> str:
    """Return our accuracies by method and data set, as in the paper, followed by our ranks and those of the paper."""
    compared = comparisons(table, cells)
    ranks, published_ranks = our_ranks(table, cells), paper_ranks(table)
    lines = []
    for method in table.methods:
        line = [method_title(method)]
        for dataset in table.datasets:
            line.append(_compared_text(cells.get(Key(dataset, method, table.kind)), compared.get(dataset)))
        rank = f"{ranks[method]:.2f}" if ranks else NOTHING
        lines.append([*line, rank, f"{published_ranks[method]:.2f}"])
    largest = majorities(cells, table.kind)
    shares = [f"{largest[dataset]:.2f}" if dataset in largest else NOTHING for dataset in table.datasets]
    lines.append(["*largest class*", *shares, "", ""])
    titles = [dataset_title(dataset) for dataset in table.datasets]
    return markdown(["", *titles, "rank", "rank in the paper"], lines)


def complete_sets(table: PaperTable, cells: Mapping[Key, Cell]) -> list[str]:
    """Return the data sets on which every method of the table has a result: ranks are averages over these."""
    return [dataset for dataset in table.datasets if len(_column(table, cells, dataset)) == len(table.methods)]


def our_ranks(table: PaperTable, cells: Mapping[Key, Cell]) -> dict[str, float]:
    """Return the average ranks by our accuracies, over the data sets where all methods have results."""
    sets = complete_sets(table, cells)
    return average_ranks({dataset: {c.method: c.mean for c in _column(table, cells, dataset)} for dataset in sets})


def paper_ranks(table: PaperTable) -> dict[str, float]:
    """Return the average ranks by the accuracies of the paper; its text gives them for table 2, without GH."""
    return average_ranks(
        {
            dataset: {method: table.numbers[method, dataset].mean for method in table.methods}
            for dataset in table.datasets
        }
    )


def comparison_table(table: PaperTable, cells: Mapping[Key, Cell]) -> str:
    """Return every number of the table next to ours, with the difference and the verdict."""
    compared, findings = comparisons(table, cells), make_findings(cells)
    lines = []
    for key in table.keys:
        dataset, method, _ = key
        number, cell = table.numbers[method, dataset], cells.get(key)
        line = [dataset_title(dataset), method_title(method), published_text(number)]
        if cell is None:
            lines.append([*line, NOTHING, NOTHING, "no result"])
            continue
        ours = _compared_text(cell, compared.get(dataset))
        lines.append([*line, ours, signed(cell.mean - number.mean), findings[key].verdict])
    return markdown(["set", "method", "paper", "ours", "difference", "verdict"], lines)


def table_section(table: PaperTable, cells: Mapping[Key, Cell], figure: str | None) -> str:
    """Return a table like that of the paper, its figure, and every number next to that of the paper."""
    return paragraphs(
        f"## Table {table.number}: {table.caption}",
        overview_table(table, cells),
        _ranks_text(table, cells),
        _untested_text(table, cells),
        f"![Accuracies of table {table.number}, ours and those of the paper]({figure})" if figure is not None else "",
        f"### Table {table.number}, number by number",
        comparison_table(table, cells),
    )


def _ranks_text(table: PaperTable, cells: Mapping[Key, Cell]) -> str:
    """Return which data sets our ranks are averages of, and where those of the paper come from."""
    n_complete, n_sets = len(complete_sets(table, cells)), len(table.datasets)
    ours = f"Our average ranks are over the {n_complete} of {n_sets} data sets on which every method has a result."
    if table.ranks:
        missing = [method_title(method) for method in table.methods if method not in table.ranks]
        text = f"the text of the paper has the same numbers, without {', '.join(missing)}"
    else:
        text = "the text of the paper has none"
    return f"{ours} Those of the paper are computed from its table; {text}."


def _untested_text(table: PaperTable, cells: Mapping[Key, Cell]) -> str:
    """Return the data sets on which no method can have an asterisk, and why."""
    parts = []
    for dataset, comparison in comparisons(table, cells).items():
        missing = [method for method in table.methods if Key(dataset, method, table.kind) not in cells]
        reasons = {"no result": missing, "too few repetitions": comparison.untested}
        texts = [f"{why}: {', '.join(map(method_title, which))}" for why, which in reasons.items() if which]
        if texts:
            parts.append(f"{dataset_title(dataset)} ({'; '.join(texts)})")
    return f"Not every method could be tested against the best on {', '.join(parts)}." if parts else ""


def parameter_table(results: Sequence[RunResult], keys: Sequence[Key], parameters: Sequence[str] = _PARAMETERS) -> str:
    """Return how often each value of each parameter was chosen in the folds, with a row for each cell."""
    lines = []
    for key in keys:
        counts = choices([result for result in results if result.run.key == key])
        if counts:
            shares = [choices_text(counts[name]) if name in counts else NOTHING for name in parameters]
            lines.append([dataset_title(key.dataset), key.kind, *shares])
    return markdown(["set", "kind", *parameters], lines)


def choices_text(shares: Sequence[tuple[Any, float]], limit: int = 3) -> str:
    """Return the most frequent values with their percentages: ``2 (61 %), 3 (22 %), 1 (9 %), …``."""
    parts = [f"{_value_text(value)} ({100 * share:.0f} %)" for value, share in shares[:limit]]
    return ", ".join(parts + (["…"] if len(shares) > limit else []))


def is_variant(key: Key) -> bool:
    """Return whether a cell is another reading of the paper, not one of its tables nor of the published files."""
    return ("+" in key.method or (key.dataset, key.kind) in VERSIONS) and key not in PUBLISHED_KEYS


def main_of(key: Key) -> Key:
    """Return the cell that a variant is a variant of."""
    dataset = VERSIONS.get((key.dataset, key.kind), key.dataset)
    return Key(dataset, key.method.partition("+")[0], key.kind)


def variant_table(cells: Mapping[Key, Cell]) -> str:
    """Return every variant next to the cell that it is a variant of."""
    columns = ["set", "main", "variant", "main's accuracy", "variant's accuracy", "difference"]
    lines = []
    for key in sorted(filter(is_variant, cells), key=lambda key: (main_of(key)[2], *main_of(key)[:2], key)):
        variant, main = cells[key], cells.get(main_of(key))
        dataset, method, kind = main_of(key)
        change = key.method if key.dataset == dataset else f"{key.method} on {key.dataset}"
        line = [f"{dataset_title(dataset)} ({kind})", method_title(method), f"`{change}`"]
        line += [accuracy_text(main), accuracy_text(variant)]
        lines.append([*line, *(_difference(main, variant) if main else [NOTHING, NOTHING])])
    return markdown([*columns, "more than a standard deviation?"], lines)


def _difference(main: Cell, variant: Cell) -> list[str]:
    """Return the difference on the repetitions that both cells have, whose folds are the same."""
    main, variant = shared_repetitions(main, variant)
    if not main.repetitions:
        return [NOTHING, "unknown: no repetition is that of the other"]
    difference = variant.mean - main.mean
    if main.repetitions < 2:
        return [signed(difference), "unknown: one repetition has none"]
    return [signed(difference), "**yes**" if abs(difference) > resolution(main, variant) else "no"]


def _column(table: PaperTable, cells: Mapping[Key, Cell], dataset: str) -> list[Cell]:
    """Return the cells of a data set that have results, in the order of the table."""
    keys = [Key(dataset, method, table.kind) for method in table.methods]
    return [cells[key] for key in keys if key in cells]


def _compared_text(cell: Cell | None, comparison: MethodComparison | None) -> str:
    """Return the text of a cell with the marks that follow from the comparison on its data set."""
    if cell is None or comparison is None:
        return accuracy_text(cell)
    return accuracy_text(cell, bold=cell.method in comparison.bold, asterisk=cell.method == comparison.winner)


def _marked(text: str, bold: bool, asterisk: bool) -> str:
    return (f"**{text}**" if bold else text) + (r"\*" if asterisk else "")


def signed(number: float) -> str:
    """Return a difference with its sign; what rounds to zero has none."""
    return "0.00" if abs(number) < 0.005 else f"{number:+.2f}".replace("-", "−")


def _value_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
