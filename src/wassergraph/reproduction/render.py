"""The page of the reproduction: all results, beside the paper's, as one Markdown file with pictures.

    results/**/*.json ──read_records──▶ records ─┐
    results/*.csv ──────experiments.noise, …─────┼──page_text──▶ docs/reproduction.md
    docs/reproduction/notes/*.md ────────────────┘

The page is made of the results alone: the same results give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from wassergraph.evaluation.methods import REGS
from wassergraph.files.atomic import write_atomically
from wassergraph.reproduction.figures import draw_table, save_picture
from wassergraph.reproduction.paper import (
    SINKHORN,
    SINKHORN_CHOSEN,
    SINKHORN_GRID,
    TABLES,
    Table,
    dataset_title,
    method_title,
)
from wassergraph.reproduction.sections import extra_sections
from wassergraph.reproduction.statistics import REPETITIONS, Cell, Key, Record, cells, chosen, total_seconds
from wassergraph.reproduction.tables import (
    NOTHING,
    accuracy_text,
    beside_table,
    choices_text,
    comparisons,
    is_variant,
    judge,
    markdown,
    overview_table,
    parameter_table,
    variant_table,
    whole_sets,
)

_EXACT: Key = ("ENZYMES", "wwl", "continuous")
_ENTROPIC: Key = ("ENZYMES", "wwl-sinkhorn", "continuous")

_INTRODUCTION = """\
# The paper, reproduced

The accuracies of [Togninalli et al., NeurIPS 2019](https://arxiv.org/abs/1906.01277), measured again with this library
and set beside the printed ones. They are in per cent, as mean ± standard deviation over repetitions of a 10-fold
cross-validation, ten of them unless a number says otherwise, with all parameters chosen on the training part of each
fold; all methods see the same folds.

    wassergraph reproduce table1 table2 table3     # what has a result already is not computed again
    wassergraph reproduce sinkhorn variants noise runtime definiteness
    wassergraph reproduce --render                 # this page, from the results

This page is written by the last command from the files in `results/` and the notes in `docs/reproduction/notes/`;
change those, not the page."""

_READING = f"""\
## How to read the tables

- **Bold**: the best method, and those whose mean lies within the pooled standard deviation of its mean.
- \\*: significantly better than every other method, by two-sample t-tests, two-sided, at the level 0.05 with
  Bonferroni's correction within the data set. Applied to the paper's numbers, this rule and the one before give
  exactly its marks.
- <sup>n</sup>: n repetitions, not {REPETITIONS}; a single one has no deviation and cannot be tested. –: no result.
- *Reproduced*: ours differs from the paper's by at most 2·√(paper's deviation² + ours²), up to the last digit printed;
  otherwise it is *above* or *below*. Where ours is a single repetition, the paper's deviation stands in for its own."""


def render_page(results: Path, page: Path) -> None:
    """Write the page, and its pictures into the folder of the same name beside it.

    Parameters
    ----------
    results : Path
        The folder of the results.
    page : Path
        Where to write, ``docs/reproduction.md``; notes are read from ``docs/reproduction/notes/*.md``.
    """
    from wassergraph.reproduction.results import read_records

    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    records = read_records(results)
    figures = draw_figures(cells(records), folder)
    notes = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "notes").glob("*.md"))}
    text = page_text(records, notes, figures, extra_sections(results, folder))
    write_atomically(page, text.encode("utf-8"))


def draw_figures(found: Mapping[Key, Cell], folder: Path) -> dict[str, str]:
    """Draw every table that has results, and give the pictures' places as the page, beside the folder, names them."""
    figures = {}
    for table in TABLES:
        if any(key in found for key in table.keys):
            save_picture(draw_table(table, found), folder / f"{table.name}.svg")
            figures[table.name] = f"{folder.name}/{table.name}.svg"
    return figures


def page_text(
    records: Sequence[Record], notes: Mapping[str, str], figures: Mapping[str, str], extras: Sequence[str] = ()
) -> str:
    """Put the page together.

    Parameters
    ----------
    records : sequence of dict
        All results, in any order.
    notes : dict
        Free text by the name of its file, each with a heading of its own; names that begin with 0 go before the tables.
    figures : dict
        The place of the picture of "table1", "table2", "table3", as far as there is one.
    extras : sequence of str
        Sections on other experiments.
    """
    found = cells(records)
    early = [notes[name].strip() for name in sorted(notes) if name.startswith("0")]
    late = [notes[name].strip() for name in sorted(notes) if not name.startswith("0")]
    tables = [_table_section(table, found, figures.get(table.name)) for table in TABLES]
    sections = [_INTRODUCTION, _summary(records, found), _READING, *early, *tables, _parameter_section(records)]
    sections += [_variant_section(found), _sinkhorn_section(records, found), *extras, _other_section(found), *late]
    return "\n\n".join(section for section in sections if section) + "\n"


def _summary(records: Sequence[Record], found: Mapping[Key, Cell]) -> str:
    """Count what is there and what is reproduced, and say what the results were made with."""
    entries = [(table, key) for table in TABLES for key in table.keys]
    present = [(table, key) for table, key in entries if key in found]
    verdicts = {(table.number, key): judge(found[key], table.numbers[key[1], key[0]]) for table, key in present}
    counts = Counter(verdicts.values())
    whole = sum(found[key].repetitions >= REPETITIONS for _, key in present)
    lines = [
        f"- {len(present)} of {len(entries)} cells have results, {whole} of them all {REPETITIONS} repetitions.",
        f"- {counts['reproduced']} reproduced, {counts['above']} above the paper, {counts['below']} below.",
        f"- Below: {_named([entry for entry in verdicts if verdicts[entry] == 'below'], found)}.",
        f"- Above: {_named([entry for entry in verdicts if verdicts[entry] == 'above'], found)}.",
    ]
    return "\n".join(["## Summary", "", *lines, *_provenance(records)])


def _named(entries: Sequence[tuple[int, Key]], found: Mapping[Key, Cell]) -> str:
    """Name cells: the method, the data set, by how much, and the table they stand in."""
    parts = []
    for number, key in entries:
        difference = found[key].mean - TABLES[number - 1].numbers[key[1], key[0]].mean
        sign = "−" if difference < 0 else "+"
        parts.append(f"{method_title(key[1])} on {dataset_title(key[0])} (table {number}: {sign}{abs(difference):.2f})")
    return ", ".join(parts) or "none"


def _provenance(records: Sequence[Record]) -> list[str]:
    """Say which commits and versions made the results, and how long that took."""
    if not records:
        return []
    commits = Counter(str(record["commit"]) for record in records)
    versions = sorted({(str(name), str(version)) for record in records for name, version in record["versions"].items()})
    by_name = {name: " and ".join(v for n, v in versions if n == name) for name, _ in versions}
    hours = total_seconds(records) / 3600
    made = ", ".join(f"`{commit}` ({count})" for commit, count in sorted(commits.items()))
    return [
        f"- {len(records)} repetitions, variants included, took {hours:.1f} hours in all.",
        f"- Made by the commits {made}, with {', '.join(f'{name} {text}' for name, text in by_name.items())}.",
    ]


def _table_section(table: Table, found: Mapping[Key, Cell], figure: str | None) -> str:
    """Write a table as the paper does, a picture of it, and every number beside the paper's."""
    parts = [
        f"## Table {table.number}: {table.caption}",
        overview_table(table, found),
        _ranks_text(table, found),
    ]
    parts.append(_untested_text(table, found))
    if figure is not None:
        parts.append(f"![Accuracies of table {table.number}, ours and the paper's]({figure})")
    parts += [f"### Table {table.number}, number by number", beside_table(table, found)]
    return "\n\n".join(part for part in parts if part)


def _ranks_text(table: Table, found: Mapping[Key, Cell]) -> str:
    """Say over which data sets our ranks are averages, and where the paper's are from."""
    n_whole, n_sets = len(whole_sets(table, found)), len(table.datasets)
    ours = f"Our average ranks are over {n_whole} of {n_sets} data sets, those on which every method has a result."
    if table.ranks:
        missing = [method_title(method) for method in table.methods if method not in table.ranks]
        return f"{ours} The paper's follow from its table; its text has the same, without {', '.join(missing)}."
    return f"{ours} The paper's follow from its table; its text gives none."


def _untested_text(table: Table, found: Mapping[Key, Cell]) -> str:
    """Name the data sets on which no method could earn an asterisk, and why."""
    parts = []
    for dataset, comparison in comparisons(table, found).items():
        missing = [method for method in table.methods if (dataset, method, table.kind) not in found]
        reasons = {"no result": missing, "too few repetitions": comparison.untested}
        told = [f"{why}: {', '.join(map(method_title, which))}" for why, which in reasons.items() if which]
        if told:
            parts.append(f"{dataset_title(dataset)} ({'; '.join(told)})")
    return f"Not every method could be tested against the best on {', '.join(parts)}." if parts else ""


def _parameter_section(records: Sequence[Record]) -> str:
    keys = [key for table in TABLES for key in table.keys if key[1] == "wwl"]
    if not any((record["dataset"], record["method"], record["kind"]) in keys for record in records):
        return ""
    introduction = (
        "How often each value won within the folds of WWL, all repetitions together; the three most frequent."
    )
    return "\n\n".join(["## What WWL chose", introduction, parameter_table(records, keys)])


def _variant_section(found: Mapping[Key, Cell]) -> str:
    if not any(map(is_variant, found)):
        return ""
    introduction = (
        "Where the paper can be read in more than one way, the tables hold one reading and these are others, on the "
        "same folds; the difference is that of repetitions that both have. The standard deviation is the pooled one."
    )
    return "\n\n".join(["## What the paper leaves open", introduction, variant_table(found)])


def _sinkhorn_section(records: Sequence[Record], found: Mapping[Key, Cell]) -> str:
    """Set the entropic distance on ENZYMES beside the exact one, and both beside the paper."""
    if _ENTROPIC not in found:
        return ""
    exact = TABLES[1].numbers["wwl", "ENZYMES"]
    lines = []
    for title, key, number in (("exact", _EXACT, exact), ("Sinkhorn", _ENTROPIC, SINKHORN)):
        cell = found.get(key)
        lines.append(
            [
                title,
                f"{number.mean:.2f} ± {number.std:.2f}",
                accuracy_text(cell),
                judge(cell, number) if cell else NOTHING,
            ]
        )
    entropic = [r for r in records if (r["dataset"], r["method"], r["kind"]) == _ENTROPIC]
    strengths = chosen(entropic).get("reg", [])
    text = (
        f"WWL on ENZYMES with entropic distances, the strength of the regularization chosen in the folds as well, from "
        f"{_listed(REGS)}, where 0 is the exact distance. The paper's list is {_listed(SINKHORN_GRID)}; the smallest "
        "three are off the exact distances by 0.5 % on average, by 2.5 % at most, but would take half a day, so that "
        "exact distances stand for them. Marginals may be off by 0.01 in all. "
        f"We chose {choices_text(strengths, len(REGS)) or 'none'}. The paper says that {_listed(SINKHORN_CHOSEN)} were "
        "chosen most of the time, though 0.3 is not in its list."
    )
    return "\n\n".join(["## Sinkhorn", text, markdown(["WWL", "paper", "ours", "verdict"], lines)])


def _other_section(found: Mapping[Key, Cell]) -> str:
    """Show the results that belong to no table, so that none is dropped in silence."""
    known = {key for table in TABLES for key in table.keys} | {_ENTROPIC}
    lines = [
        [dataset_title(key[0]), key[2], method_title(key[1]), accuracy_text(cell)]
        for key, cell in found.items()
        if key not in known and not is_variant(key)
    ]
    table = markdown(["set", "kind", "method", "ours"], lines)
    return "\n\n".join(["## Other results", "These have no counterpart in the paper.", table]) if lines else ""


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers[:-1]) + f" and {numbers[-1]:g}"
