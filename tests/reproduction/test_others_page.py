"""The page on benchmarks that others have set: its means, ranks, tables and what it says of partial results."""

from __future__ import annotations

import random

import numpy as np
import pytest

from made_results import MADE_BY, rows_of
from wassergraph.reproduction.others.benchmarks import ADME, ENTRIES, ERRICA, MOLECULEACE, OURS, BenchmarkEntry
from wassergraph.reproduction.others.page import benchmarks_text, render_benchmarks
from wassergraph.reproduction.others.published import published_accuracies, published_errors
from wassergraph.reproduction.others.results import EntryResult, write_entry

MEANS, SETS, CLIFFS = "### Means and ranks", "### Every set\n", "### Every set, cliffs alone"
FOLDS, HOURS = "## The folds of Errica et al.", "## Hours of computing"
FIRST, SECOND = MOLECULEACE.sets[:2]
CHOSEN = {"kind": "joint", "mass": "count", "depth": 3, "gamma": 0.123456, "alpha": 1e-06}


def made(entry, parameters=CHOSEN, seconds=90.0, n_cliffs=7, **scores):
    """Return a made-up result."""
    return EntryResult(entry, 80, 20, n_cliffs, scores, parameters, {"training": seconds}, MADE_BY)


def on_molecules(name, rmse, cliffs, method=OURS):
    return made(BenchmarkEntry("moleculeace", name, method), rmse=rmse, cliff_rmse=cliffs)


def on_folds(name, accuracies):
    return [
        made(BenchmarkEntry("errica", name, OURS, fold), {"depth": fold % 2}, accuracy=a)
        for fold, a in enumerate(accuracies)
    ]


def everything():
    """Return results of all entries: ours are a little better than the best published ones, references worse."""
    results, published = [], published_errors()
    for number, entry in enumerate(ENTRIES):
        shift = -0.01 if entry.method == OURS else 0.5
        if entry.benchmark == "errica":
            results.append(made(entry, accuracy=0.85 + 0.001 * entry.fold))
        elif entry.benchmark == "adme":
            better = 0.8 if entry.method == OURS else 0.6
            results.append(made(entry, rmse=0.5 + shift, r2=better, pearson=better + 0.1))
        else:
            best = [
                min(getattr(sets[entry.set], each) for sets in published.values()) for each in ("rmse", "cliff_rmse")
            ]
            results.append(made(entry, seconds=float(number), rmse=best[0] + shift, cliff_rmse=best[1] + shift))
    return results


def test_means_and_ranks_are_over_the_sets_with_a_result_of_ours():
    published = published_errors()
    results = [on_molecules(FIRST, 0.1, 0.2), on_molecules(SECOND, 5.0, 0.1), on_molecules(FIRST, 0.3, 0.3, "weight")]
    rows = {row[0]: row[1:] for row in rows_of(benchmarks_text(results), MEANS)}
    assert len(rows) == 1 + 24 + 5
    assert rows["method"] == ["RMSE", "RMSE on cliffs", "rank", "rank on cliffs", "best of all on"]
    # Of 25 methods with both sets, ours is the first on one and the last on the other; the reference has one alone.
    assert rows["**ours**"] == ["2.550", "0.150", "13.00", "1.00", "1"]
    assert rows["molecular weight alone (run here)"] == ["–"] * 5
    svm = published["SVM ECFP"]
    means = [np.mean([getattr(svm[name], each) for name in (FIRST, SECOND)]) for each in ("rmse", "cliff_rmse")]
    assert rows["SVM ECFP"][:2] == [f"{mean:.3f}" for mean in means]
    assert "CheMeleon" not in rows


def test_ranks_are_those_of_sorting_by_hand():
    results = [on_molecules(FIRST, 0.4, 0.7), on_molecules(SECOND, 0.7, 0.7)]
    rows = {row[0]: row[1:] for row in rows_of(benchmarks_text(results), MEANS)}
    ours, places = {FIRST: 0.4, SECOND: 0.7}, []
    for name in (FIRST, SECOND):
        places.append(1 + sum(sets[name].rmse < ours[name] for sets in published_errors().values()))
    assert rows["**ours**"][2] == f"{np.mean(places):.2f}"
    by_set = {row[0]: row for row in rows_of(benchmarks_text(results), SETS)}
    assert [by_set[name][-1] for name in (FIRST, SECOND)] == [f"{place} of 25" for place in places]


def test_a_full_page_has_no_gap_in_what_was_run():
    text = benchmarks_text(everything())
    rows = rows_of(text, MEANS)
    assert rows[1][0] == "**ours**"
    assert rows[1][3:] == ["1.00", "1.00", "30"]
    assert [row for row in rows if row[0] == "CheMeleon"] == [["CheMeleon", "0.666", "0.765", "–", "–", "–"]]
    assert len(rows) == 1 + 24 + 5 + 1
    means = [float(row[1]) for row in rows[1:]]
    assert means == sorted(means)
    for heading in (SETS, CLIFFS):
        table = rows_of(text, heading)
        assert [row[0] for row in table[1:]] == list(MOLECULEACE.sets)
        assert "–" not in [part for row in table for part in row]
        assert all(row[3].startswith("**") and row[-1] == "1 of 25" for row in table[1:])
    assert "- 240 of 240 splits and methods have results.\n" in text
    assert "Ours is better than all of them on 30 sets; its mean rank among them is 1.00." in text
    assert "- ADME: ours has the least RMSE on 6 of 6 endpoints on which all methods have results.\n" in text
    assert "above the best published mean on 5 of 5 sets with results; not above it on: none.\n" in text
    assert "- Computed by the commits `abc1234` (240), with numpy 2.1.0, python 3.12.\n" in text


def test_cliffs_are_counted_apart():
    text = benchmarks_text([on_molecules(FIRST, 0.4, 0.1)])
    assert rows_of(text, SETS)[1][1:4] == ["80", "20", "0.400"]
    assert rows_of(text, CLIFFS)[0][2] == "test, on cliffs"
    assert rows_of(text, CLIFFS)[1][1:4] == ["80", "7", "**0.100**"]


def test_a_page_without_results_shows_the_published_numbers():
    text = benchmarks_text([])
    rows = {row[0]: row[1:] for row in rows_of(text, MEANS)}
    assert rows["**ours**"] == ["–"] * 5
    assert rows["SVM ECFP"][:2] == ["0.671", "0.751"]
    assert rows["CheMeleon"][:2] == ["0.666", "0.765"]
    assert "- 0 of 240 splits and methods have results.\n- MoleculeACE: no results yet.\n" in text
    assert rows_of(text, SETS)[1][:4] == [FIRST, "–", "–", "–"]
    assert rows_of(text, FOLDS)[1] == ["**ours**", *["–"] * 6]
    assert rows_of(text, HOURS)[1] == ["MoleculeACE", "ours", "0 of 30", "–"]
    assert "What was chosen" not in text
    assert "Computed by" not in text


def test_endpoints_have_the_measures_and_means_of_what_was_run():
    results = [
        made(BenchmarkEntry("adme", name, method), rmse=1.0 - gain, r2=gain - 0.2, pearson=gain)
        for method, gain in ((OURS, 0.5), ("morgan-rf", 0.1))
        for name in ADME.sets
    ]
    text = benchmarks_text(results)
    assert rows_of(text, "R²:")[1] == ["rPPB", "80", "20", "**0.300**", "–", "−0.100", "–", "–"]
    assert rows_of(text, "RMSE:")[-1] == ["*mean*", "", "", "**0.500**", "–", "0.900", "–", "–"]
    assert rows_of(text, "Pearson's correlation:")[1][3:] == ["**0.500**", "–", "0.100", "–", "–"]
    assert "- ADME: no endpoint has results of all methods yet.\n" in text


def test_accuracies_are_means_and_deviations_over_the_folds():
    accuracies = [0.7, 0.8] * 5
    results = [*on_folds("NCI1", accuracies), *on_folds("ENZYMES", [0.5, 0.6, 0.7]), *on_folds("PROTEINS_full", [0.9])]
    rows = rows_of(benchmarks_text(results), FOLDS)
    assert rows[0] == ["", "D&D", "NCI1", "PROTEINS", "ENZYMES †", "IMDB-B", "PROTEINS with attributes"]
    assert rows[1] == ["**ours**", "–", "75.0 ± 5.0", "–", "60.0 ± 8.2<sup>3</sup>", "–", "**90.0**<sup>1</sup>"]
    assert rows[2] == ["*our place*", "–", "10 of 11", "–", "2 of 7", "–", "–"]
    assert [row[0] for row in rows[3:]] == list(published_accuracies())
    assert rows[3][1:] == ["**78.4 ± 4.5**", "69.8 ± 2.2", "**75.8 ± 3.7**", "**65.2 ± 6.4**", "70.8 ± 5.0", "–"]
    text = benchmarks_text(results)
    assert "above the best published mean on 0 of 2 sets with results; not above it on: NCI1 −5.00, ENZYMES †" in text


@pytest.mark.parametrize(
    ("mean", "place", "bold"), [(0.801, "1 of 11", True), (0.80, "1 of 11", True), (0.79, "2 of 11", False)]
)
def test_means_that_are_printed_alike_share_a_place(mean, place, bold):
    rows = rows_of(benchmarks_text(on_folds("NCI1", [mean] * 10)), FOLDS)
    assert rows[1][2] == (f"**{100 * mean:.1f} ± 0.0**" if bold else f"{100 * mean:.1f} ± 0.0")
    assert rows[2][2] == place


def test_what_was_chosen_is_shown_with_the_time():
    text = benchmarks_text([on_molecules(FIRST, 0.4, 0.5), *on_folds("NCI1", [0.8] * 4)])
    assert rows_of(text, "### What was chosen for every set") == [
        ["set", "kind", "mass", "depth", "gamma", "alpha", "seconds"],
        [FIRST, "joint", "count", "3", "0.123", "1e-06", "90"],
    ]
    assert rows_of(text, "### What was chosen in the folds")[1] == ["NCI1", "0 (50 %), 1 (50 %)", "90"]
    assert rows_of(text, HOURS)[1] == ["MoleculeACE", "ours", "1 of 30", "0.03"]
    assert rows_of(text, HOURS)[-1] == ["Errica et al.", "ours", "4 of 60", "0.10"]


def test_the_order_of_results_does_not_matter():
    results = everything()
    assert benchmarks_text(results) == benchmarks_text(random.Random(0).sample(results, len(results)))


def test_notes_go_where_their_names_say():
    text = benchmarks_text([], {"20-b.md": "## Last\n\nb\n\n", "01-a.md": "## Before"})
    places = [
        text.index(part) for part in ("# Benchmarks", "## Summary", "## Before", "## MoleculeACE", HOURS, "## Last")
    ]
    assert places == sorted(places)
    assert text.endswith("## Last\n\nb\n")
    assert "\n\n\n" not in text


def test_rendering_twice_gives_the_same_bytes(tmp_path):
    results = [on_molecules(FIRST, 0.4, 0.5), *on_folds("DD", [0.8] * len(range(ERRICA.n_folds)))]
    for result in results:
        write_entry(tmp_path / "results", result)
    page = tmp_path / "docs" / "benchmarks.md"
    page.parent.mkdir()
    render_benchmarks(tmp_path / "results", page)
    before = page.read_bytes()
    render_benchmarks(tmp_path / "results", page)
    assert page.read_bytes() == before
    assert before.decode() == benchmarks_text(results)
