"""The page on what goes beyond the paper: its tables, tests, counts and sections."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from made_results import make, rows_of, save
from rules import for_each
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plans import make_plan
from wassergraph.reproduction.beyond import beyond_text, render_beyond
from wassergraph.reproduction.beyond_tables import corrected_p_values, main_rows
from wassergraph.reproduction.csv_tables import write_rows
from wassergraph.reproduction.duplicates import DuplicateRow
from wassergraph.reproduction.experiments import (
    BEST_COMPARISONS,
    BEYOND_KEYS,
    PAPER_KEYS,
    PUBLISHED_KEYS,
    VARIANT_KEYS,
    WITH_DUPLICATES,
    check_names,
)
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.render import render_page
from wassergraph.reproduction.results import Key, read_results
from wassergraph.reproduction.runner import split_variants
from wassergraph.reproduction.setups import SETUPS
from wassergraph.reproduction.statistics import make_cells, paired_p_value, shared_repetitions

ROOT = Path(__file__).parents[2]
MAIN, WITHOUT, CHOSEN = "## The wide search on all sets", "## Without duplicates", "## What the wide search chose"
MUTAG, PTC = ("MUTAG", "categorical"), ("PTC_MR", "categorical")
PAIRS = [(dataset, table.kind) for table in TABLES for dataset in table.datasets]


def key(pair, method):
    return Key(pair[0], method, pair[1])


def varied(pair, method, mean, seed, repetitions=range(10)):
    """Return made-up results whose repetitions differ at random."""
    made = make(key(pair, method), mean, 0.0, 10)
    noise = np.random.default_rng(seed).normal(size=10) / 100
    shifted = [
        replace(
            result,
            scores=replace(result.scores, scores={"accuracy": tuple(a + e for a in result.scores.accuracy)}),
        )
        for result, e in zip(made, noise, strict=True)
    ]
    return [shifted[number] for number in repetitions]


def everything():
    """Return results of all cells: WWL and other kernels as in the paper, the wide search one point above WWL."""
    results = []
    for table in TABLES:
        for cell in table.keys:
            number = table.numbers[cell.method, cell.dataset]
            results += make(cell, number.mean, number.std)
            if cell.method == "wwl":
                results += make(cell._replace(method="wwl-wide"), number.mean + 1, number.std)
    for cell in BEYOND_KEYS:
        if "+" in cell.method:
            results += make(cell, 71.0 if "wide" in cell.method else 70.0)
    return results


# Keys


def test_keys_are_the_wide_search_everywhere_then_what_is_repeated_without_duplicates():
    assert set(BEST_COMPARISONS) == set(PAIRS)
    assert len(PAIRS) == 15
    assert [cell.method for cell in BEYOND_KEYS[:15]] == ["wwl-wide"] * 15
    assert {(cell.dataset, cell.kind) for cell in BEYOND_KEYS[:15]} == set(PAIRS)
    assert BEYOND_KEYS[0].dataset == "MUTAG"
    assert BEYOND_KEYS[14].dataset == BEYOND_KEYS[-1].dataset == "NCI1"
    assert all(cell.method.endswith("+deduplicated") for cell in BEYOND_KEYS[15:])
    assert {(cell.dataset, cell.kind) for cell in BEYOND_KEYS[15:]} == WITH_DUPLICATES
    assert len(set(BEYOND_KEYS)) == len(BEYOND_KEYS) == 15 + 3 * len(WITH_DUPLICATES)
    assert not set(BEYOND_KEYS) & {*PAPER_KEYS, *VARIANT_KEYS, *PUBLISHED_KEYS}
    check_names(["wwl-wide", "wwl-wide+deduplicated", "wl-oa+deduplicated"])


@for_each(BEYOND_KEYS)
def test_every_key_has_a_known_data_set_and_a_plan(cell):
    assert (cell.dataset, cell.kind) in SETUPS
    method, _ = split_variants(cell.method)
    plan = make_plan(method, cell.kind)
    assert method in METHODS
    assert {options.method for options in plan.options} == {method}


def test_the_comparison_kernels_are_the_best_ones_of_the_results():
    rows = main_rows(make_cells(read_results(ROOT / "results")))
    assert {(row.dataset, row.kind): row.other.method for row in rows} == BEST_COMPARISONS


# Statistics


def test_the_p_value_is_that_of_scipy_on_the_repetitions_that_both_have():
    wide, plain = varied(MUTAG, "wwl-wide", 88.0, 0), varied(MUTAG, "wwl", 87.5, 1, [9, 2, 3, 5, 6, 8])
    cells = make_cells(wide + plain)
    one, other = cells[key(MUTAG, "wwl-wide")], cells[key(MUTAG, "wwl")]
    numbers = [2, 3, 5, 6, 8, 9]
    means = [100 * np.mean(result.scores.accuracy) for result in wide]
    expected = ttest_rel([means[number] for number in numbers], other.accuracies).pvalue
    assert other.numbers == tuple(numbers)
    assert shared_repetitions(one, other)[0].accuracies == pytest.approx([means[number] for number in numbers])
    assert paired_p_value(one, other) == pytest.approx(expected)
    assert 0.001 < expected < 0.999


def test_differences_that_do_not_vary_are_tested_too():
    cells = make_cells(
        make(key(MUTAG, "wwl-wide"), 88.0) + make(key(MUTAG, "wwl"), 87.0) + make(key(MUTAG, "wl"), 88.0)
    )
    wide = cells[key(MUTAG, "wwl-wide")]
    assert paired_p_value(wide, cells[key(MUTAG, "wwl")]) == 0.0
    assert paired_p_value(wide, cells[key(MUTAG, "wl")]) == 1.0
    assert paired_p_value(wide, replace(wide, accuracies=(1.0,), numbers=(3,))) is None
    assert paired_p_value(wide, replace(wide, accuracies=(1.0,), numbers=(20,))) is None


def test_p_values_are_multiplied_by_the_number_of_rows_that_have_both():
    results = varied(MUTAG, "wwl-wide", 88.0, 0) + varied(MUTAG, "wwl", 87.5, 1)
    results += varied(PTC, "wwl-wide", 66.0, 2) + varied(PTC, "wwl", 66.0, 3)
    results += varied(("NCI1", "categorical"), "wwl-wide", 86.0, 4)
    cells = make_cells(results)
    alone = {pair: paired_p_value(cells[key(pair, "wwl-wide")], cells[key(pair, "wwl")]) for pair in (MUTAG, PTC)}
    corrected = corrected_p_values(main_rows(cells))
    assert corrected == {
        "MUTAG (categorical)": pytest.approx(min(1.0, 2 * alone[MUTAG])),
        "PTC-MR (categorical)": pytest.approx(min(1.0, 2 * alone[PTC])),
    }
    rows = {row[0]: row for row in rows_of(beyond_text(results), MAIN)}
    assert rows["MUTAG †"][-1] == f"{corrected['MUTAG (categorical)']:.3f}"
    assert rows["NCI1"][-1] == "–"


# The page


def test_a_full_page_has_every_row_and_no_gap():
    text = beyond_text(everything())
    rows = rows_of(text, MAIN)
    assert rows[0] == [
        "set",
        "kind",
        "paper's best",
        "WWL as in the paper",
        "WWL wide",
        "best comparison kernel here",
        "wide − paper's best",
        "wide − WWL",
        "p",
    ]
    assert len(rows) == 16
    assert "–" not in [part for row in rows for part in row]
    assert rows[1] == [
        "MUTAG †",
        "categorical",
        "WWL 87.27 ± 1.50",
        "87.27 ± 1.50",
        "**88.27 ± 1.50**",
        "WL-OA 87.15 ± 1.82",
        "+1.00",
        "+1.00",
        "< 0.001",
    ]
    assert sum(row[0].endswith("†") for row in rows) == 9
    assert "Wide is above the paper's best printed number, on sets without †, on" in text
    proteins = next(row for row in rows if row[:2] == ["PROTEINS", "categorical"])
    assert proteins[2:7] == [
        "WL-OA **76.37 ± 0.30**",
        "74.28 ± 0.56",
        "75.28 ± 0.56",
        "WL-OA **76.37 ± 0.30**",
        "−1.09",
    ]
    assert next(row for row in rows if row[:2] == ["PROTEINS", "continuous"])[2] == "WWL 77.91 ± 0.80"


def test_the_summary_counts_what_is_above_and_below():
    text = beyond_text(everything())
    summary = text.split("### Summary", 1)[1].split("##", 1)[0]
    assert "- 15 of 15 rows have results of the wide search, 15 of them all 10 repetitions.\n" in summary
    below = "PROTEINS (categorical) −1.09, SYNTHETIC-new (continuous) −8.19"
    assert f"- Wide is above the paper's best printed number on 13 of 15; not above it on: {below}.\n" in summary
    assert f"- Wide is above the best comparison kernel here on 13 of 15; not above it on: {below}.\n" in summary
    assert "- Wide is above our plain WWL on 15 of 15; not above it on: none.\n" in summary
    assert "significantly below it on: none." in summary
    assert "More than a pooled standard deviation below our plain WWL on: none.\n" in summary
    assert "- The wide search is the best of its row on 13 of 15.\n" in summary
    assert "- Computed by the commits `abc1234` (330)" in summary


def test_losses_are_named():
    results = make(key(MUTAG, "wwl-wide"), 85.0) + make(key(MUTAG, "wwl"), 87.0)
    results += make(key(PTC, "wwl-wide"), 65.5) + make(key(PTC, "wwl"), 66.0)
    text = beyond_text(results)
    assert "More than a pooled standard deviation below our plain WWL on: MUTAG (categorical).\n" in text
    assert "not above it on: MUTAG (categorical) −2.00, PTC-MR (categorical) −0.50.\n" in text
    assert (
        "Significantly above our plain WWL on: none; "
        "significantly below it on: MUTAG (categorical), PTC-MR (categorical).\n"
    ) in text
    assert "- The wide search is the best of its row on 0 of 2.\n" in text


def test_equal_printed_numbers_are_both_bold():
    results = make(key(MUTAG, "wwl-wide"), 87.271) + make(key(MUTAG, "wl"), 87.268)
    row = rows_of(beyond_text(results), MAIN)[1]
    assert row[2:7] == [
        "WWL **87.27 ± 1.50**",
        "–",
        "**87.27 ± 1.00**",
        "WL **87.27 ± 1.00**",
        "0.00",
    ]


def test_partial_results_are_marked():
    results = make(key(MUTAG, "wwl-wide"), 88.0, 0.0, 1) + make(key(MUTAG, "wwl"), 87.0, 0.0, 10)
    results += make(key(PTC, "wwl"), 66.0, 1.0, 4)
    text = beyond_text(results)
    rows = rows_of(text, MAIN)
    assert rows[1][3:] == ["87.00 ± 0.00", "**88.00**<sup>1</sup>", "–", "+0.73", "+1.00", "–"]
    assert rows[2][2:] == ["WWL **66.31 ± 1.21**", "66.00 ± 1.00<sup>4</sup>", "–", "–", "–", "–", "–"]
    assert rows[3][3:] == ["–"] * 6
    assert "- 1 of 15 rows have results of the wide search, 0 of them all 10 repetitions.\n" in text
    # One repetition has no standard deviation.
    worse = make(key(MUTAG, "wwl-wide"), 80.0, 0.0, 1) + make(key(MUTAG, "wwl"), 87.0, 0.0, 1)
    assert "deviation below our plain WWL on: none.\n" in beyond_text(worse)


def test_a_page_without_results():
    text = beyond_text([])
    assert len(rows_of(text, MAIN)) == 16
    assert [row[3:] for row in rows_of(text, MAIN)[1:]] == [["–"] * 6] * 15
    assert "0 of 15 rows have results" in text
    assert "They are counted by `wassergraph reproduce duplicates`." in text
    assert CHOSEN not in text
    assert "## Hours" not in text
    assert "Computed by" not in text


def test_sets_without_duplicates_have_a_table_of_their_own():
    duplicates = [
        DuplicateRow("IMDB-BINARY", "continuous", 1000, 116, 419, 44),
        DuplicateRow("MUTAG", "categorical", 188, 11, 13, 0),
    ]
    results = make(key(MUTAG, "wwl-wide+deduplicated"), 86.0) + make(key(MUTAG, "wwl+deduplicated"), 85.0)
    results += make(key(MUTAG, "wl+deduplicated"), 87.0)
    text = beyond_text(results, duplicates)
    assert rows_of(text, WITHOUT)[1:] == [
        ["MUTAG", "categorical", "188", "11", "0", "13"],
        ["IMDB-B", "continuous", "1000", "116", "44", "419"],
    ]
    rows = rows_of(text, "The comparison kernel is the best one with duplicates.")
    assert len(rows) == 1 + len(WITH_DUPLICATES)
    assert rows[1][2:] == ["85.00 ± 1.00", "86.00 ± 1.00", "WL **87.00 ± 1.00**", "−1.00", "+1.00", "< 0.001"]
    assert rows[2][2:] == ["–"] * 6
    assert "- Wide is above the best comparison kernel here on 0 of 1; not above it on: MUTAG" in text
    # The other table does not show them.
    assert rows_of(text, MAIN)[1][3:] == ["–"] * 6


def test_choices_are_in_words():
    labels = {"kind": "categorical", "edge_labels": True, "degrees": False, "mass": "count", "size_weight": 0.0}
    attributes = {"kind": "continuous", "edge_labels": False, "degrees": True, "mass": "share", "size_weight": 0.25}
    both = attributes | {"kind": "joint", "degrees": False}
    folds = [{**chosen, "depth": depth, "gamma": 1.0, "C": 1.0} for depth, chosen in enumerate([labels, attributes])]
    folds = folds * 4 + [{**both, "depth": depth} for depth in (2, 3)]
    text = beyond_text(make(("BZR_MD", "wwl-wide", "continuous"), 75.0, parameters=folds))
    assert rows_of(text, CHOSEN) == [
        ["set", "kind", "compared", "edge labels", "degrees", "mass", "size term", "depth"],
        [
            "BZR-MD",
            "continuous",
            "attributes (40 %), labels (40 %), both (20 %)",
            "no (60 %), yes (40 %)",
            "no (60 %), yes (40 %)",
            "share (60 %), count (40 %)",
            "yes (60 %), no (40 %)",
            "0 (40 %), 1 (40 %), 2 (10 %), …",
        ],
    ]


def test_hours_are_those_of_the_wide_search_and_of_sets_without_duplicates():
    results = make(key(MUTAG, "wwl-wide"), 87.0, matrices=1800.0) + make(key(MUTAG, "wwl"), 87.0, matrices=7200.0)
    results += make(key(MUTAG, "wwl+deduplicated"), 86.0, repetitions=1)
    assert rows_of(beyond_text(results), "## Hours of computing by set")[1:] == [
        ["MUTAG", "categorical", "0.50", "0.22", "0.72"]
    ]


def test_notes_go_where_their_names_say():
    text = beyond_text([], (), {"20-b.md": "## Last\n\nb\n\n", "01-a.md": "## Before"})
    places = [text.index(part) for part in ("# Beyond", "## Before", MAIN, WITHOUT, "## Last")]
    assert places == sorted(places)
    assert text.endswith("## Last\n\nb\n")
    assert "\n\n\n" not in text


def test_the_order_of_results_does_not_matter():
    results = everything()
    assert beyond_text(results) == beyond_text(random.Random(0).sample(results, len(results)))


def test_rendering_twice_gives_the_same_bytes(tmp_path):
    save(varied(MUTAG, "wwl-wide", 88.0, 0) + varied(MUTAG, "wwl", 87.5, 1), tmp_path / "results")
    write_rows(
        tmp_path / "results" / "duplicates.csv", "duplicates", [DuplicateRow("MUTAG", "categorical", 188, 11, 13, 0)]
    )
    page = tmp_path / "docs" / "beyond.md"
    notes = page.with_suffix("") / "notes"
    notes.mkdir(parents=True)
    (notes / "10-why.md").write_text("## Why\n\nµ is a letter.\n", encoding="utf-8")
    render_beyond(tmp_path / "results", page)
    before = page.read_bytes()
    render_beyond(tmp_path / "results", page)
    assert page.read_bytes() == before
    assert before.decode().endswith("## Why\n\nµ is a letter.\n")
    assert "| MUTAG | categorical | 188 | 11 | 0 | 13 |" in before.decode()


def test_the_page_of_the_reproduction_does_not_show_what_goes_beyond_it(tmp_path):
    save(make(key(MUTAG, "wwl"), 87.5, repetitions=2), tmp_path / "results")
    render_page(tmp_path / "results", tmp_path / "page.md")
    before = (tmp_path / "page.md").read_bytes()
    added = make(key(MUTAG, "wwl-wide"), 88.0, repetitions=2) + make(
        key(MUTAG, "wwl+deduplicated"), 86.0, repetitions=1
    )
    save(added, tmp_path / "results")
    render_page(tmp_path / "results", tmp_path / "page.md")
    assert (tmp_path / "page.md").read_bytes() == before
