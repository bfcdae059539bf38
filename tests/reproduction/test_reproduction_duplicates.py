"""Equal graphs in the data sets of the paper, and runs without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.evaluation.plans import make_plan
from wassergraph.evaluation.trial import Trial
from wassergraph.reproduction import runner
from wassergraph.reproduction.csv_tables import is_quick
from wassergraph.reproduction.duplicates import (
    DuplicateRow,
    find_equal_graphs,
    read_duplicates,
    without_duplicates,
)
from wassergraph.reproduction.experiments import BEST_COMPARISONS, WITH_DUPLICATES
from wassergraph.reproduction.reproduce import make_settings, reproduce
from wassergraph.reproduction.results import Run, read_results
from wassergraph.reproduction.runner import run_all, split_variants
from wassergraph.reproduction.setups import load_prepared

COUNTS = Path(__file__).parents[2] / "results" / "duplicates.csv"


def doubled():
    """Return the demo with 20 graphs twice, two of these in another class, and where the copies begin."""
    graphs, y = wg.load_dataset("demo")
    order = np.r_[np.arange(len(y)), np.arange(20)]
    classes = y[order].copy()
    others = np.unique(y)
    classes[-2:] = [others[others != each][0] for each in classes[-2:]]
    return graphs[order], classes, len(y)


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_of_equal_graphs_the_first_of_each_class_is_kept(kind):
    graphs, y, n = doubled()
    already = find_equal_graphs(graphs[:n], y[:n], kind)
    found = find_equal_graphs(graphs, y, kind)
    assert found.n_left_out == already.n_left_out + 18
    assert found.n_disagreeing >= 2
    kept, classes = without_duplicates(graphs, y, kind)
    assert len(kept) == len(classes) == len(y) - found.n_left_out
    np.testing.assert_array_equal(classes, y[found.kept])
    assert kept == graphs[found.kept]


def test_graphs_with_other_attributes_are_equal_for_labels_only():
    graphs, y, n = doubled()
    shifted = graphs.node_attributes.copy()
    shifted[graphs.graph_of_node >= n] += 1
    changed = wg.GraphBatch(
        graphs.node_ptr,
        graphs.indptr,
        graphs.indices,
        node_labels=graphs.node_labels,
        node_attributes=shifted,
    )
    assert find_equal_graphs(changed, y, "categorical").n_left_out >= 18
    assert find_equal_graphs(changed, y, "continuous").n_left_out == 0


def test_the_variant_is_taken_out_of_a_name():
    assert split_variants("wwl") == ("wwl", [])
    assert split_variants("wwl+deduplicated") == ("wwl", ["deduplicated"])
    assert split_variants("wwl+deduplicated+svc") == ("wwl+svc", ["deduplicated"])
    assert split_variants("wwl+deduplicated+degree") == ("wwl", ["degree", "deduplicated"])


def test_a_run_without_duplicates_has_fewer_graphs_and_their_classes(tmp_path, monkeypatch):
    graphs, y, _ = doubled()
    monkeypatch.setattr(runner, "load_prepared", lambda *_: (graphs, y))
    run = Run("demo", "v+deduplicated", "categorical", 0)
    run_all([run], tmp_path, log=lambda _: None)
    (result,) = read_results(tmp_path)
    kept, classes = without_duplicates(graphs, y, "categorical")
    expected = Trial(kept, classes, make_plan("v", "categorical")).run(0)
    assert result.run == run
    assert result.scores.n_graphs == len(kept) < len(graphs)
    assert result.scores.majority == pytest.approx(np.unique(classes, return_counts=True)[1].max() / len(classes))
    assert result.scores.accuracy == expected.accuracy


def test_the_experiment_counts_equal_graphs_once(tmp_path, monkeypatch, data_home):
    lines = []
    settings = make_settings(tmp_path, quick=True, data_home=data_home, log=lines.append)
    reproduce(["duplicates"], settings)
    reproduce(["duplicates"], settings)
    path = tmp_path / "duplicates.csv"
    assert lines == [f"{path} is written", f"{path} exists already: remove it to run it again"]
    assert is_quick(path)
    committed = {(row.set, row.kind): row for row in read_duplicates(COUNTS)}
    rows = read_duplicates(path)
    assert rows[0] == DuplicateRow("MUTAG", "categorical", 188, 11, 13, 0)
    assert [committed[row.set, row.kind] for row in rows] == rows


def test_a_set_without_duplicates_has_as_many_graphs_as_the_table_says(data_home):
    counts = {(row.set, row.kind): row for row in read_duplicates(COUNTS)}
    for dataset in ("MUTAG", "PTC_MR"):
        row = counts[dataset, "categorical"]
        kept, classes = without_duplicates(*load_prepared(dataset, "categorical", data_home), "categorical")
        assert len(kept) == len(classes) == row.graphs - row.left_out


def test_sets_that_are_run_again_are_those_with_equal_graphs():
    rows = read_duplicates(COUNTS)
    assert not is_quick(COUNTS)
    assert [(row.set, row.kind) for row in rows] == list(BEST_COMPARISONS)
    assert {(row.set, row.kind) for row in rows if row.left_out} == WITH_DUPLICATES
