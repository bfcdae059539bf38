"""The rows of the page on what goes beyond the paper: the wide search next to WWL as in the paper and to other kernels.

cells ──main_rows──▶ WideRow for each set and kind ──main_table, summary_lines──▶ Markdown
      ──deduplicated_rows──▶ the same without duplicates ──deduplicated_table──▶
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wassergraph.evaluation.methods import method_title
from wassergraph.reproduction.experiments import DESIGNED_ON, WIDE, WITH_DUPLICATES, deduplicated_keys
from wassergraph.reproduction.paper import TABLES, PaperNumber, PaperTable, dataset_title
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.statistics import LEVEL, REPETITIONS, Cell, paired_p_value, resolution, shared_repetitions
from wassergraph.reproduction.tables import NOTHING, accuracy_text, markdown, published_text, signed

#: Smaller p-values are not written in full.
_SMALLEST_P = 0.001
_OURS = ("WWL as in the paper", "WWL wide")


@dataclass(frozen=True)
class WideRow:
    """What is compared on one data set.

    Attributes
    ----------
    dataset, kind : str
        The data set, and the kind of the table of the paper.
    plain, wide, other : Cell or None
        WWL as in the paper, WWL with the wide search, and the best comparison kernel here; None without a result.
    paper : PaperNumber or None
        The best number of the paper; None without duplicates, for which the paper has no numbers.
    paper_method : str
        The method that the best number of the paper is of.
    """

    dataset: str
    kind: str
    plain: Cell | None
    wide: Cell | None
    other: Cell | None
    paper: PaperNumber | None = None
    paper_method: str = ""

    @property
    def name(self) -> str:
        """The data set and the kind, for a list."""
        return f"{dataset_title(self.dataset)} ({self.kind})"

    @property
    def best(self) -> float | None:
        """The highest mean of the row as it is printed; None if there is only one."""
        means = [_printed(each.mean) for each in (self.plain, self.wide, self.other, self.paper) if each is not None]
        return max(means) if len(means) > 1 else None

    @property
    def over_paper(self) -> float | None:
        """The mean of the wide search minus the best number of the paper."""
        return None if self.wide is None or self.paper is None else self.wide.mean - self.paper.mean

    @property
    def over_plain(self) -> float | None:
        """The mean of the wide search minus that of WWL as in the paper, over the repetitions that both have."""
        return _difference(self.wide, self.plain)

    @property
    def over_other(self) -> float | None:
        """The mean of the wide search minus that of the comparison kernel, over the repetitions that both have."""
        return _difference(self.wide, self.other)

    @property
    def is_clearly_below_plain(self) -> bool:
        """Whether the wide search is more than the pooled standard deviation below WWL as in the paper."""
        if self.wide is None or self.plain is None:
            return False
        wide, plain = shared_repetitions(self.wide, self.plain)
        return wide.repetitions > 1 and plain.mean - wide.mean > resolution(wide, plain)


def main_rows(cells: Mapping[Key, Cell]) -> list[WideRow]:
    """Return a row for every set of tables 1 to 3, in their order."""
    return [_main_row(table, dataset, cells) for table in TABLES for dataset in table.datasets]


def _main_row(table: PaperTable, dataset: str, cells: Mapping[Key, Cell]) -> WideRow:
    kind = table.kind
    others = [cells.get(Key(dataset, method, kind)) for method in table.methods if method != "wwl"]
    best = max(table.methods, key=lambda method: table.numbers[method, dataset].mean)
    return WideRow(
        dataset,
        kind,
        plain=cells.get(Key(dataset, "wwl", kind)),
        wide=cells.get(Key(dataset, WIDE, kind)),
        other=max((cell for cell in others if cell is not None), key=lambda cell: cell.mean, default=None),
        paper=table.numbers[best, dataset],
        paper_method=best,
    )


def deduplicated_rows(cells: Mapping[Key, Cell]) -> list[WideRow]:
    """Return a row for every set of tables 1 to 3 that has duplicates, without these."""
    pairs = [(dataset, table.kind) for table in TABLES for dataset in table.datasets]
    rows = []
    for pair in pairs:
        if pair in WITH_DUPLICATES:
            plain, wide, other = map(cells.get, deduplicated_keys(*pair))
            rows.append(WideRow(*pair, plain, wide, other))
    return rows


def corrected_p_values(rows: Sequence[WideRow]) -> dict[str, float]:
    """Return the p-values of the wide search against WWL as in the paper, by the name of the row.

    Those of the paired t-tests are multiplied by the number of rows that can be tested (Bonferroni's correction).
    """
    tested = {row.name: paired_p_value(row.wide, row.plain) for row in rows if row.wide and row.plain}
    found = {name: p for name, p in tested.items() if p is not None}
    return {name: min(1.0, p * len(found)) for name, p in found.items()}


def main_table(rows: Sequence[WideRow]) -> str:
    """Return the table of all sets."""
    columns = ["paper's best", *_OURS, "best comparison kernel here", "wide − paper's best"]
    return _table(columns, rows, [[_paper_text(row), *_our_texts(row), _signed(row.over_paper)] for row in rows])


def deduplicated_table(rows: Sequence[WideRow]) -> str:
    """Return the table of the sets without duplicates."""
    columns = [*_OURS, "comparison kernel", "wide − comparison kernel"]
    return _table(columns, rows, [[*_our_texts(row), _signed(row.over_other)] for row in rows])


def _table(columns: Sequence[str], rows: Sequence[WideRow], texts: Sequence[Sequence[str]]) -> str:
    """Return a table of these texts between the names of the sets and the comparison with WWL as in the paper."""
    p_values = corrected_p_values(rows)
    lines = []
    for row, own in zip(rows, texts, strict=True):
        p = p_values.get(row.name)
        p_text = NOTHING if p is None else f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.3f}"
        lines.append([f"{dataset_title(row.dataset)}{_mark(row)}", row.kind, *own, _signed(row.over_plain), p_text])
    return markdown(["set", "kind", *columns, "wide − WWL", "p"], lines)


def summary_lines(rows: Sequence[WideRow]) -> list[str]:
    """Return the points of a list: where the wide search has results, and what it is above and below."""
    wide = [row.wide for row in rows if row.wide]
    n_best = sum(row.wide is not None and _printed(row.wide.mean) == row.best for row in rows)
    complete = sum(cell.repetitions >= REPETITIONS for cell in wide)
    lines = [
        f"- {len(wide)} of {len(rows)} rows have results of the wide search, {complete} of them all {REPETITIONS} "
        "repetitions."
    ]
    if any(row.paper for row in rows):
        lines.append(_counted("the paper's best printed number", rows, [row.over_paper for row in rows]))
        others = [row for row in rows if not _mark(row)]
        where = "the paper's best printed number, on sets without †,"
        lines.append(_counted(where, others, [row.over_paper for row in others]))
    lines += [
        _counted("the best comparison kernel here", rows, [row.over_other for row in rows]),
        _counted("our plain WWL", rows, [row.over_plain for row in rows]),
        _significant(rows),
        f"- More than a pooled standard deviation below our plain WWL on: "
        f"{_listed([row.name for row in rows if row.is_clearly_below_plain])}.",
        f"- The wide search is the best of its row on {n_best} of {len(wide)}.",
    ]
    return lines


def _counted(what: str, rows: Sequence[WideRow], differences: Sequence[float | None]) -> str:
    """Return on how many rows the wide search is above something, and the rows on which it is not."""
    known = {row.name: value for row, value in zip(rows, differences, strict=True) if value is not None}
    others = [f"{name} {_signed(value)}" for name, value in known.items() if _printed(value) <= 0]
    return f"- Wide is above {what} on {len(known) - len(others)} of {len(known)}; not above it on: {_listed(others)}."


def _significant(rows: Sequence[WideRow]) -> str:
    """Return where the wide search differs significantly from WWL as in the paper."""
    p_values = corrected_p_values(rows)
    gains = {row.name: row.over_plain or 0.0 for row in rows if p_values.get(row.name, 1.0) < LEVEL}
    better, worse = [n for n, gain in gains.items() if gain > 0], [n for n, gain in gains.items() if gain < 0]
    return f"- Significantly above our plain WWL on: {_listed(better)}; significantly below it on: {_listed(worse)}."


def _mark(row: WideRow) -> str:
    """Return the mark of sets that the search was designed on."""
    return " †" if (row.dataset, row.kind) in DESIGNED_ON else ""


def _paper_text(row: WideRow) -> str:
    assert row.paper is not None
    marked = row.paper._replace(bold=_printed(row.paper.mean) == row.best, asterisk=False)
    return f"{method_title(row.paper_method)} {published_text(marked)}"


def _our_texts(row: WideRow) -> list[str]:
    """Return WWL as in the paper, the wide search, and the comparison kernel with its name; the best one is bold."""
    texts = [
        accuracy_text(cell, bold=cell is not None and _printed(cell.mean) == row.best)
        for cell in (row.plain, row.wide, row.other)
    ]
    if row.other is not None:
        texts[2] = f"{method_title(row.other.method.partition('+')[0])} {texts[2]}"
    return texts


def _difference(one: Cell | None, other: Cell | None) -> float | None:
    if one is None or other is None:
        return None
    one, other = shared_repetitions(one, other)
    return one.mean - other.mean if one.repetitions else None


def _printed(number: float) -> float:
    """Return a number as it is printed: what looks equal is equal."""
    return round(number, 2)


def _signed(number: float | None) -> str:
    return NOTHING if number is None else signed(number)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
