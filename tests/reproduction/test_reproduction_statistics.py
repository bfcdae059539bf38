from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import ttest_ind

from wassergraph.evaluation.methods import method_title
from wassergraph.evaluation.repetition import Repetition
from wassergraph.files.provenance import Provenance
from wassergraph.reproduction.paper import SINKHORN, TABLES, PaperNumber, dataset_title
from wassergraph.reproduction.results import Key, Run, RunResult
from wassergraph.reproduction.statistics import (
    Cell,
    average_ranks,
    choices,
    compare,
    majorities,
    make_cells,
    p_value,
    resolution,
    seconds_by_set,
    total_seconds,
    verdict,
)

PRINTED = [(table, dataset) for table in TABLES for dataset in table.datasets]


def make_result(
    dataset="MUTAG",
    method="wwl",
    kind="categorical",
    repetition=0,
    *,
    accuracy=(0.8,) * 10,
    parameters=({"depth": 2, "gamma": 0.1, "C": 10.0},) * 10,
    seconds=None,
):
    scores = Repetition({"accuracy": tuple(accuracy)}, tuple(parameters), 0.625, 188, repetition, 5, 0, seconds or {})
    return RunResult(Run(dataset, method, kind, repetition), scores, Provenance("abc1234", {}))


def cell(method, *accuracies):
    return Cell("MUTAG", method, "categorical", tuple(map(float, accuracies)), 50.0)


def printed_cell(number, method):
    """Ten repetitions that have the printed mean and deviation."""
    return cell(method, *[number.mean - number.std] * 5, *[number.mean + number.std] * 5)


def test_the_paper_has_84_cells_and_no_other():
    assert [len(table.numbers) for table in TABLES] == [30, 42, 12]
    for table in TABLES:
        assert {(method, dataset) for dataset, method, _ in table.keys} == set(table.numbers)


@pytest.mark.parametrize(
    ("number", "method", "dataset", "expected"),
    [
        (1, "wl-oa", "PROTEINS", PaperNumber(76.37, 0.30, bold=True, asterisk=True)),
        (1, "e", "PTC_MR", PaperNumber(55.82, 0.00)),
        (1, "wl", "DD", PaperNumber(78.29, 0.30)),
        (1, "wwl", "ENZYMES", PaperNumber(59.13, 0.80, bold=True)),
        (2, "wwl", "ENZYMES", PaperNumber(73.25, 0.87, bold=True, asterisk=True)),
        (2, "gh", "BZR_MD", PaperNumber(69.14, 2.08, bold=True)),
        (2, "vh-c", "COX2", PaperNumber(48.51, 0.63)),
        (2, "hgk-sp", "IMDB-BINARY", PaperNumber(73.06, 0.27)),
        (3, "hgk-wl", "SYNTHETICnew", PaperNumber(95.96, 0.25, bold=True, asterisk=True)),
        (3, "rbf-wl", "Synthie", PaperNumber(94.43, 0.55)),
    ],
)
def test_numbers_are_as_printed(number, method, dataset, expected):
    assert TABLES[number - 1].numbers[method, dataset] == expected


def test_titles():
    assert (dataset_title("DD"), dataset_title("BZR_MD"), dataset_title("MUTAG")) == ("D&D", "BZR-MD", "MUTAG")
    assert (method_title("wl-oa"), method_title("hgk-wl+results")) == ("WL-OA", "HGK-WL + results")
    assert (SINKHORN.mean, SINKHORN.std) == (72.08, 0.93)


@pytest.mark.parametrize(("table", "dataset"), PRINTED, ids=[f"{table.name}-{dataset}" for table, dataset in PRINTED])
def test_our_rules_give_the_paper_its_own_marks(table, dataset):
    numbers = {method: table.numbers[method, dataset] for method in table.methods}
    comparison = compare([printed_cell(number, method) for method, number in numbers.items()], len(numbers))
    assert comparison.bold == {method for method, number in numbers.items() if number.bold}
    assert [comparison.winner or "none"] == ([m for m, number in numbers.items() if number.asterisk] or ["none"])


def test_ranks_of_the_paper_follow_from_its_table():
    table = TABLES[1]
    means = {dataset: {m: table.numbers[m, dataset].mean for m in table.methods} for dataset in table.datasets}
    ranks = average_ranks(means)
    assert {method: round(ranks[method], 2) for method in table.ranks} == table.ranks
    assert set(ranks) - set(table.ranks) == {"gh"}


def test_a_cell_is_the_mean_and_spread_of_repetitions():
    folds = np.random.default_rng(0).random((10, 10))
    results = [make_result(repetition=i, accuracy=row) for i, row in enumerate(folds)]
    found = make_cells(results[::-1])["MUTAG", "wwl", "categorical"]
    assert found.accuracies == pytest.approx(100 * folds.mean(axis=1))
    assert found.mean == pytest.approx(100 * folds.mean())
    assert found.std == pytest.approx(100 * folds.mean(axis=1).std())
    assert (found.repetitions, found.majority) == (10, 62.5)


def test_cells_keep_sets_methods_and_kinds_apart():
    results = [
        make_result(),
        make_result(kind="continuous"),
        make_result(method="wl"),
        make_result(dataset="DD"),
        make_result(repetition=3),
    ]
    found = make_cells(results)
    assert list(found) == sorted(found)
    assert {key: value.repetitions for key, value in found.items() if value.repetitions > 1} == {
        Key("MUTAG", "wwl", "categorical"): 2
    }
    assert majorities(found, "categorical") == {"DD": 62.5, "MUTAG": 62.5}


def test_bad_results_are_named():
    with pytest.raises(ValueError, match=r"two results for wwl on MUTAG \(categorical\), repetition 0: remove"):
        make_cells([make_result(), make_result()])
    for wrong in ([1.5], [float("nan")], [], [-0.1]):
        with pytest.raises(ValueError, match=r"wwl on MUTAG .* must lie between 0 and 1"):
            make_cells([make_result(accuracy=wrong)])


@pytest.mark.parametrize("sizes", [(10, 10), (10, 3), (2, 2)])
def test_p_values_are_those_of_scipy(sizes):
    random = np.random.default_rng(1)
    one, other = random.normal(80, 1, sizes[0]), random.normal(80.7, 2, sizes[1])
    assert p_value(cell("a", *one), cell("b", *other)) == pytest.approx(ttest_ind(one, other).pvalue, rel=1e-9)


def test_where_nothing_varies_the_test_is_certain():
    assert p_value(cell("a", 55.8, 55.8), cell("b", 55.8, 55.8)) == 1.0
    assert p_value(cell("a", 0.1 + 0.2, 0.3), cell("b", 0.3, 0.3)) == 1.0
    assert p_value(cell("a", 60, 60), cell("b", 55.8, 55.8)) == 0.0
    with pytest.raises(ValueError, match="a and b on MUTAG need two repetitions"):
        p_value(cell("a", 1), cell("b", 1, 2))


def test_bonferroni_counts_the_comparisons_of_the_table():
    row = [cell("a", 80, 82, 81, 83), cell("b", 78, 80, 79, 80), cell("c", 60, 61, 62, 60)]
    plain = ttest_ind(row[0].accuracies, row[1].accuracies).pvalue
    assert plain < 0.05 < 2 * plain < 1
    comparison = compare(row, 3)
    assert comparison.p_values["b"] == pytest.approx(2 * plain)
    assert (comparison.best, comparison.winner) == ("a", None)
    assert compare(row[:2], 2).winner == "a"
    assert compare(row[:2], 101).p_values == {"b": 1.0}


def test_nobody_wins_over_methods_that_are_missing_or_untested():
    strong, weak, single = cell("a", 90, 91), cell("b", 50, 51), cell("c", 40)
    assert compare([strong, weak], 2).winner == "a"
    assert compare([strong, weak], 3).winner is None
    comparison = compare([strong, weak, single], 3)
    assert (comparison.winner, comparison.untested, set(comparison.p_values)) == (None, ("c",), {"b"})
    comparison = compare([cell("a", 90), weak, single], 3)
    assert (comparison.best, comparison.untested, comparison.p_values) == ("a", ("b", "c"), {})


def test_bold_is_what_lies_within_the_pooled_deviation():
    best, near, far = cell("a", 79, 81), cell("b", 77.6, 79.6), cell("c", 77.5, 79.5)
    assert resolution(best, near) == pytest.approx(math.sqrt(2))  # of each the estimated variance is 2
    assert compare([far, near, best], 3).bold == {"a", "b"}
    assert compare([cell("a", 80), cell("b", 80), cell("c", 79.9)], 3).bold == {"a", "b"}


def test_ranks_by_hand():
    means = {"one": {"a": 90.0, "b": 80.0, "c": 70.0}, "two": {"a": 60.0, "b": 60.0, "c": 70.0}}
    assert average_ranks(means) == {"a": 1.75, "b": 2.25, "c": 2.0}
    assert average_ranks({}) == {}
    with pytest.raises(ValueError, match=r"two has results of \['a'\], not of \['a', 'b', 'c'\]: leave"):
        average_ranks({"one": means["one"], "two": {"a": 1.0}})


@pytest.mark.parametrize(
    ("ours", "expected"),
    [(76.0, "reproduced"), (76.01, "reproduced"), (76.011, "above"), (74.0, "reproduced"), (73.989, "below")],
)
def test_verdicts_change_at_two_deviations_and_a_digit(ours, expected):
    assert verdict(ours, 0.3, 75.0, 0.4) == expected


def test_verdicts_forgive_rounding_where_nothing_varies():
    assert verdict(100 * 192 / 344, 0.0, 55.82, 0.0) == "reproduced"
    assert verdict(55.85, 0.0, 55.82, 0.0) == "above"


def test_choices_are_counted_over_all_folds():
    first = make_result(parameters=[{"depth": 3, "reg": None}] * 2 + [{"depth": 1, "reg": 0.1}] * 2)
    second = make_result(repetition=1, parameters=[{"depth": 3, "reg": 0.1}] * 3 + [{"depth": 7, "reg": 0.1}])
    counts = choices([first, second])
    assert counts["depth"] == [(3, 0.625), (1, 0.25), (7, 0.125)]
    assert counts["reg"] == [(0.1, 0.75), (None, 0.25)]
    assert choices([make_result(parameters=[{"C": [1.0, 10.0, 10.0, 10.0]}])]) == {"C": [(10.0, 0.75), (1.0, 0.25)]}
    assert choices([]) == {}
    for shares in counts.values():
        assert all(before[1] >= after[1] for before, after in pairwise(shares))


def test_matrices_that_are_shared_count_once():
    shared = [make_result(repetition=i, seconds={"matrices": 100.0, "train": 1.5}) for i in range(4)]
    variant = make_result(method="wwl+svc", seconds={"matrices": 100.0, "train": 0.5})
    other = make_result(method="wl", seconds={"matrices": 7.0})
    assert total_seconds([*shared, variant, other]) == 113.5
    elsewhere = make_result(dataset="DD", seconds={"matrices": 7.0, "train": 1.0, "compiling": 2.0})
    by_set = seconds_by_set([elsewhere, *shared, variant, other])
    assert list(by_set) == [("DD", "categorical"), ("MUTAG", "categorical")]
    assert by_set["DD", "categorical"] == {"matrices": 7.0, "folds": 3.0}
    assert by_set["MUTAG", "categorical"] == {"matrices": 107.0, "folds": 6.5}
    assert (seconds_by_set([]), total_seconds([])) == ({}, 0.0)
