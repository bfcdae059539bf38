"""Evaluations without duplicates: which graphs are kept, what the report says, and what a page shows."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import evaluate
from wassergraph.explorer.shown_predictions import predictions_of_evaluation

FEW = {"method": "wl", "folds": 3, "inner_folds": 2}
# Graphs 60 to 79 are copies of the first ones; the last four of them have another class.
COPIED = [*range(60), *range(20)]


@pytest.fixture(scope="module")
def copies():
    graphs, y = wg.load_dataset("demo")
    y = y[COPIED]
    y[76:] = (y[76:] + 1) % 3
    return graphs[COPIED], y


KEPT = [*range(60), 76, 77, 78, 79]


def test_one_graph_of_each_class_is_evaluated(copies):
    graphs, y = copies
    report = evaluate(graphs, y, deduplicate=True, **FEW)
    expected = evaluate(graphs[KEPT], y[KEPT], **FEW)
    np.testing.assert_array_equal(report.rows["wl"].accuracy, expected.rows["wl"].accuracy)
    assert (report.n_graphs, report.deduplication.kept.tolist()) == (64, KEPT)
    assert report.deduplication.to_dict() == {
        "graphs": 80,
        "left_out": 16,
        "groups": 20,
        "disagreeing": 4,
        "depth": 7,
    }
    assert report.to_dict()["deduplication"] == report.deduplication.to_dict()
    assert report.full_task.targets.tolist() == y.tolist()


def test_the_report_says_what_is_left_out(copies):
    graphs, y = copies
    text = str(evaluate(graphs, y, deduplicate=True, depth=[0, 2], **FEW))
    assert text.startswith("64 graphs, 3 classes, without 16 duplicates of 80\n")
    assert (
        "There are 20 groups of equal graphs at depth 2, 4 with different classes: in each, the first graph of each of "
        "the classes is evaluated." in text
    )
    agreeing = str(evaluate(graphs[:70], y[:70], deduplicate=True, **FEW))
    assert "There are 10 groups of equal graphs at depth 7: the first graph of each is evaluated." in agreeing
    none = evaluate(graphs[:60], y[:60], deduplicate=True, **FEW)
    assert str(none).startswith("60 graphs, 3 classes, without 0 duplicates of 60\n")
    assert "There are no equal graphs at depth 7." in str(none)
    plain = evaluate(graphs, y, **FEW)
    assert plain.deduplication is None
    assert "deduplication" not in plain.to_dict()
    assert "duplicate" not in str(plain)


def test_equal_numbers_are_left_out_and_different_ones_stay(copies):
    graphs, _ = copies
    numbers = np.log(graphs.sizes)
    numbers[70:] += 0.5
    report = evaluate(graphs, numbers, deduplicate=True, **FEW)
    assert report.deduplication.kept.tolist() == [*range(60), *range(70, 80)]
    expected = evaluate(graphs[report.deduplication.kept], numbers[report.deduplication.kept], **FEW)
    np.testing.assert_array_equal(report.rows["wl"].values("rmse"), expected.rows["wl"].values("rmse"))
    assert "10 with different numbers" in str(report)


def test_what_is_compared_is_labels_and_attributes_unless_a_kind_is_given(copies):
    """Graphs with the same labels and other attributes are different, but not for labels alone."""
    graphs, y = copies
    shifted = graphs.node_attributes.copy()
    shifted[graphs.node_ptr[60] :] += 1
    changed = replace(graphs, node_attributes=shifted)
    assert evaluate(changed, y, deduplicate=True, **FEW).deduplication.n_groups == 0
    by_labels = evaluate(changed, y, deduplicate=True, kind="categorical", **FEW).deduplication
    assert (
        by_labels.n_groups
        == len(wg.find_duplicates(graphs, metric=wg.WWL(depth=7, kind="categorical", mass="count")).groups)
        >= 20
    )


@pytest.mark.parametrize("kind", ["auto", "continuous"])
def test_attributes_are_compared_without_edge_labels(copies, kind):
    graphs, y = copies
    bare = replace(graphs, node_labels=None, edge_labels=np.ones(graphs.n_arcs, dtype=np.int64))
    options = {**FEW, "method": "wwl", "depth": 1, "gamma": 0.1, "C": 1.0}
    report = evaluate(bare, y, deduplicate=True, kind=kind, edge_labels="use", **options)
    assert report.deduplication.kept.tolist() == KEPT


def test_graphs_of_different_sizes_are_not_equal():
    rings = [f"C1{'C' * n}C1" for n in range(1, 13)]
    chains = ["C" * n for n in range(2, 14)]
    report = evaluate(rings + chains, [0] * 12 + [1] * 12, deduplicate=True, folds=2, inner_folds=2, method="wl")
    assert report.n_graphs == 24


def test_groups_and_molecules_follow_the_graphs():
    smiles = [f"{'C' * n}{end}" for end in ("O", "N", "F") for n in range(1, 9)]
    y, series = np.arange(24) % 2, [f"s{n % 5}" for n in range(24)]
    doubled = [*smiles, *smiles[:6]]
    options = {"split": "group", "folds": 2, "inner_folds": 2, "method": ["wl", "tanimoto"]}
    report = evaluate(doubled, [*y, *y[:6]], groups=[*series, *(["s9"] * 6)], deduplicate=True, **options)
    expected = evaluate(smiles, y, groups=series, **options)
    for name in options["method"]:
        np.testing.assert_array_equal(report.rows[name].accuracy, expected.rows[name].accuracy)


def test_groups_of_another_number_raise(copies):
    with pytest.raises(ValueError, match="there are 80 graphs, but 3 values in groups; pass one for each graph"):
        evaluate(*copies, deduplicate=True, split="group", groups=[1, 2, 3], **FEW)


def test_a_class_of_copies_alone_is_too_small(copies):
    graphs, _ = copies
    only = [0, 60, *range(1, 20)]
    classes = ["rare", "rare", *("ab"[n % 2] for n in range(1, 20))]
    with pytest.raises(ValueError, match="the class 'rare' has only one graph"):
        evaluate(graphs[only], classes, deduplicate=True, **FEW)


# Pages


def test_duplicates_have_no_prediction_on_a_page(copies):
    graphs, y = copies
    report = evaluate(graphs, y, deduplicate=True, **FEW)
    shown = predictions_of_evaluation(report)
    assert np.flatnonzero(shown.tested).tolist() == KEPT
    first = report.rows["wl"].repetitions[0]
    np.testing.assert_array_equal(shown.predicted[KEPT], first.predictions)
    np.testing.assert_array_equal(shown.decisions[KEPT], first.decisions)
    assert shown.source.endswith("not trained on it; duplicates were left out.")
    page = wg.explore(graphs, y, metric=wg.WWL(depth=1), predicted_by=report)
    assert page.n_graphs == 80


def test_numbers_of_duplicates_have_no_prediction_on_a_page(copies):
    graphs, _ = copies
    numbers = np.log(graphs.sizes)
    report = evaluate(graphs, numbers, deduplicate=True, **FEW)
    shown = predictions_of_evaluation(report)
    assert np.flatnonzero(shown.tested).tolist() == list(range(60))
    assert np.isnan(shown.predicted[60:]).all()
    with pytest.raises(ValueError, match="predicted_by is of 80 graphs, but there are 60"):
        wg.explore(graphs[:60], numbers[:60], metric=wg.WWL(depth=1), predicted_by=report)


def test_the_command_line(capsys, tmp_path):
    smiles = [f"{'C' * n}{end}" for end in ("O", "N") for n in range(1, 9)]
    rows = [f"{text},{n % 2}" for n, text in enumerate([*smiles, *smiles[:4]])]
    (tmp_path / "t.csv").write_text("\n".join(["smiles,class", *rows]) + "\n")
    options = ("--method", "wl", "--deduplicate", "--folds", "2", "--inner-folds", "2", "--json", "--quiet")
    code, out, _ = run(capsys, "evaluate", tmp_path / "t.csv", *options)
    content = json.loads(out)
    assert (code, content["graphs"], content["deduplication"]["left_out"]) == (0, 16, 4)
