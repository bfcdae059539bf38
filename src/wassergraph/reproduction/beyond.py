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
from wassergraph.reproduction.duplicates import DEPTH, DuplicateRow, read_duplicates
from wassergraph.reproduction.experiments import BEYOND_KEYS, WIDE
from wassergraph.reproduction.paper import TABLES, dataset_title
from wassergraph.reproduction.results import Key, Result, read_results
from wassergraph.reproduction.sections import hours_section, place_notes, provenance_lines, read_notes
from wassergraph.reproduction.statistics import LEVEL, REPETITIONS, Cell, make_cells
from wassergraph.reproduction.tables import markdown, parameter_table

_INTRODUCTION = """\
# Beyond the paper

WWL with the wide search (`search="wide"` of the classifier, `wwl-wide` on the command line) is compared here with the
best number that [Togninalli et al., NeurIPS 2019](https://arxiv.org/abs/1906.01277) print for each data set of their
tables 1 to 3, with WWL as in the paper, and with the best of its comparison kernels in our own runs. The last two are
those of the [reproduction](reproduction.md). In each fold, the wide search also chooses which data of the graphs are
used (node labels, attributes, both, edge labels, degrees), whether every node has the mass 1 or the mass 1/n, and
whether a difference in the number of nodes is added to the distance; gamma is relative to the median distance.
These results compare all ways on all graphs; models now compare them on a sample first if there are more than 800.

    wassergraph reproduce table1 table2 table3     # WWL as in the paper, and the comparison kernels
    wassergraph reproduce duplicates               # equal graphs in every set
    wassergraph reproduce beyond                   # the wide search, then what is repeated without duplicates
    wassergraph reproduce --render                 # write this page from the results

- All accuracies are in percent, as mean ± standard deviation over ten repetitions of a nested 10-fold
  cross-validation. Repetition r has the same folds for every method. Parameters are chosen on the training part of each
  fold, never on test folds. Three scales are computed from all graphs, test graphs included, but without their classes:
  mean and variance of attributes, the median distance, which is the unit of gamma and of the size term, and the cost
  of a node without a partner where masses are counts. `GraphClassifier.fit` sees training graphs only.
- †: accuracies on this set were looked at while the search was designed, so that its number may be too good. See the
  last section.
- In the categorical rows, all methods use labels only: those of nodes, and E and the wide search those of edges, too,
  where a set has them (MUTAG and PTC-MR).
- In the continuous rows, the comparison kernels and WWL as in the paper use attributes alone, some of them with edge
  weights on BZR-MD and COX2-MD. The wide search may use node labels, edge labels and degrees, too, so that these
  rows do not compare methods on equal data; "What the wide search chose" shows where it uses labels in place of
  attributes.
- The best comparison kernel here is the one with the highest mean, chosen after all were run, which is in its favor.
- The numbers of the paper were computed on other folds, and perhaps on other graphs: see the reproduction.

`--render` writes this page from the files in `results/` and the notes in `docs/beyond/notes/`. To change the page, edit
these files."""

_READING = f"""\
- **Bold**: the highest mean of the row, as printed.
- Differences between our own numbers are over the repetitions that both have. *WWL as in the paper* is our own run,
  not the number that the paper prints; on SYNTHETIC-new these differ much, see the reproduction.
- p: a two-sided paired t-test of the wide search against WWL as in the paper, on the means of the repetitions, with
  Bonferroni's correction for the number of rows that have both. The level is {LEVEL}. The repetitions share their
  graphs, so they are less independent than the test assumes, and p tends to be too small.
- <sup>n</sup>: n repetitions instead of {REPETITIONS}; a single one has no standard deviation and cannot be tested.
- –: no result."""

_DUPLICATES = f"""\
Some sets contain equal graphs, and where one is in the training part and another in the test part, a model is tested on
a graph that it has seen. Here two graphs count as equal if they have the same number of nodes and the same
Weisfeiler–Lehman labels up to depth {DEPTH}, even if they are not isomorphic; in the continuous rows, the same
attributes and, if the set has them, labels. Edge labels are not compared: graphs that differ in these alone are equal
for WWL as in the paper, although the wide search may tell them apart. Of each group of equal graphs the first one is
kept; if they have different classes, the first one of each class."""

_HOURS = (
    "Only what this page adds to the reproduction: the wide search, and everything without duplicates. Matrices are "
    "computed once for all repetitions, and counted once; the folds are the choice of parameters, training and test."
)


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
    results: Sequence[Result], duplicates: Sequence[DuplicateRow] = (), notes: Mapping[str, str] | None = None
) -> str:
    """Return the text of the page.

    Parameters
    ----------
    results : sequence of Result
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
    sections = [_INTRODUCTION, *early, _main_section(cells, added), _duplicate_section(cells, duplicates)]
    sections += [_choice_section(added), hours_section(added, _HOURS), *late]
    return "\n\n".join(section for section in sections if section) + "\n"


def _main_section(cells: Mapping[Key, Cell], added: Sequence[Result]) -> str:
    rows = main_rows(cells)
    summary = "\n".join([*summary_lines(rows), *provenance_lines(added)])
    return "\n\n".join(["## The wide search on all sets", _READING, main_table(rows), "### Summary", summary])


def _duplicate_section(cells: Mapping[Key, Cell], duplicates: Sequence[DuplicateRow]) -> str:
    """Return how many graphs are equal, and the accuracies without them."""
    rows = deduplicated_rows(cells)
    text = (
        "The comparison kernel is the best one with duplicates. The paper has no numbers without them. Sets without "
        "equal graphs are not run again: their accuracies are those above. The tests are corrected for the number of "
        "rows of this table."
    )
    counts = _count_table(duplicates) if duplicates else "They are counted by `wassergraph reproduce duplicates`."
    summary = "\n".join(summary_lines(rows)) if any(row.wide for row in rows) else "These have not been run yet."
    return "\n\n".join(["## Without duplicates", _DUPLICATES, counts, text, deduplicated_table(rows), summary])


def _count_table(duplicates: Sequence[DuplicateRow]) -> str:
    """Return the equal graphs of every set, in the order of the tables of the paper."""
    order = [(dataset, table.kind) for table in TABLES for dataset in table.datasets]
    lines = [
        [dataset_title(row.set), row.kind, *map(str, (row.graphs, row.groups, row.disagreeing, row.left_out))]
        for row in sorted(duplicates, key=lambda row: order.index((row.set, row.kind)))
    ]
    columns = ["set", "kind", "graphs", "groups of equal graphs", "with different classes", "graphs left out"]
    return markdown(columns, lines)


def _choice_section(added: Sequence[Result]) -> str:
    keys = [Key(dataset, WIDE, table.kind) for table in TABLES for dataset in table.datasets]
    chosen = [_with_choices(result) for result in added if result.run.key in keys]
    if not chosen:
        return ""
    text = (
        "How often each value was chosen in the folds, over all repetitions; the three most frequent values. "
        "*Compared* is what graphs are compared by, *degrees* whether the degree is one more attribute, *size term* "
        "whether the difference of sizes is added to the distance."
    )
    return "\n\n".join(["## What the wide search chose", text, parameter_table(chosen, keys, tuple(_CHOICES))])


def _with_choices(result: Result) -> Result:
    """Return a result with its chosen parameters in words."""
    parameters: Any = tuple(map(_in_words, result.scores.parameters))
    return replace(result, scores=replace(result.scores, parameters=parameters))


def _in_words(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return chosen parameters by the columns of the table; those that a result does not have are left out."""
    return {column: word(parameters[name]) for column, (name, word) in _CHOICES.items() if name in parameters}
