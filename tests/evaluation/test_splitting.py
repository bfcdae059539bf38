"""Splits of an evaluation: no group on both sides of any fold, the same folds for all methods, friendly errors."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles
from sklearn.model_selection import KFold

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.splitting import Folds, Splitting, read_splitting
from wassergraph.formats.molecule_groups import butina_groups
from wassergraph.tuning.splits import group_folds

RINGS = ("c1ccccc1", "C1CCCC1", "C1CCNCC1", "c1ccncc1", "C1CCOC1", "c1ccc2ccccc2c1", "C1CC1", "c1ccsc1")
SMILES = ["C" * length + ring for ring in RINGS for length in range(4)] + ["CCO", "CCN", "CCCCO", "CC(=O)O"]
NUMBERS = np.array([len(text) + 0.5 * text.count("c") + 0.1 for text in SMILES])
CLASSES = np.array([len(text) % 2 for text in SMILES])
COLUMN = np.array([f"batch {number % 7}" for number in range(len(SMILES))])
FEW = {"folds": 4, "inner_folds": 3}


@pytest.fixture
def recorded(monkeypatch):
    """Return a dictionary that the folds of an evaluation are written to: by outer seed, and by training part."""
    outer, inner = Splitting.outer, Splitting.inner
    folds = {"outer": [], "inner": []}

    def record_outer(self, *arguments):
        folds["outer"].append(outer(self, *arguments))
        return folds["outer"][-1]

    def record_inner(self, task, train, *arguments):
        folds["inner"].append((train, inner(self, task, train, *arguments)))
        return folds["inner"][-1][1]

    monkeypatch.setattr(Splitting, "outer", record_outer)
    monkeypatch.setattr(Splitting, "inner", record_inner)
    return folds


GROUPS = {
    "scaffold": [MurckoScaffoldSmiles(text) for text in SMILES],
    "butina": butina_groups(SMILES).tolist(),
    "group": COLUMN.tolist(),
}


def check_no_leak(groups, train, test) -> None:
    assert len(train)
    assert len(test)
    assert not set(train.tolist()) & set(test.tolist())
    assert not {groups[graph] for graph in train} & {groups[graph] for graph in test}


@pytest.mark.parametrize("target", [NUMBERS, CLASSES], ids=["numbers", "classes"])
@pytest.mark.parametrize("split", ["scaffold", "butina", "wwl", "group"])
def test_no_group_is_on_both_sides_of_any_fold(recorded, split, target):
    options = {"groups": COLUMN} if split == "group" else {}
    report = evaluate(
        SMILES, target, method=["tanimoto", "v"], split=split, **options, **FEW, repetitions=2, random_state=1
    )
    groups = GROUPS.get(split, report.splitting.groups)
    assert len(set(groups)) >= 4
    # The groups of the report are the expected ones, by another name.
    assert len(set(zip(groups, report.splitting.groups.tolist(), strict=True))) == len(set(groups))
    assert len(set(report.splitting.groups.tolist())) == len(set(groups))
    for folds in recorded["outer"]:
        tested = np.concatenate([test for _, test in folds])
        assert sorted(tested.tolist()) == list(range(len(SMILES)))
        for train, test in folds:
            check_no_leak(groups, train, test)
            assert len(train) + len(test) == len(SMILES)
    assert len(recorded["inner"]) >= 2 * 2 * 4  # methods, repetitions, folds
    for outer_train, folds in recorded["inner"]:
        tested = np.concatenate([test for _, test in folds])
        assert sorted(tested.tolist()) == sorted(outer_train.tolist())
        for train, test in folds:
            check_no_leak(groups, train, test)
            assert set(train.tolist()) <= set(outer_train.tolist())
            assert set(test.tolist()) <= set(outer_train.tolist())
    metric = "rmse" if report.task.name == "regression" else "accuracy"
    assert all(np.isfinite(row.values(metric)).all() for row in report.rows.values())


def test_all_methods_have_the_same_folds(recorded):
    evaluate(SMILES, NUMBERS, method=["tanimoto", "v", "wl+svr"], depth=1, split="scaffold", **FEW)
    distinct = {tuple(tuple(test.tolist()) for _, test in folds) for folds in recorded["outer"]}
    assert len(distinct) == 1
    inner = {}
    for train, folds in recorded["inner"]:
        inner.setdefault(tuple(train.tolist()), set()).add(tuple(tuple(test.tolist()) for _, test in folds))
    assert len(inner) == 4
    assert all(len(each) == 1 for each in inner.values())


def test_group_folds_are_used_as_they_are(recorded):
    report = evaluate(SMILES, NUMBERS, method="v", split="group", groups=COLUMN, **FEW, random_state=3)
    expected = group_folds(COLUMN, 4, 3)
    for (train, test), (other_train, other_test) in zip(recorded["outer"][-1], expected, strict=True):
        np.testing.assert_array_equal(train, other_train)
        np.testing.assert_array_equal(test, other_test)
    for fold, (train, test) in enumerate(expected):
        residuals = NUMBERS[test] - NUMBERS[train].mean()
        assert report.rows["v"].constant["rmse"][0, fold] == pytest.approx(np.sqrt(np.mean(residuals**2)))


@pytest.mark.parametrize(
    ("column", "n_folds"),
    [(np.where(np.arange(36) % 3 == 0, "test", "train"), 1), (np.arange(36) % 5, 5), (list("012") * 12, 3)],
)
def test_a_given_split_is_used_as_given(recorded, column, n_folds):
    report = evaluate(SMILES, NUMBERS, method="v", split="given", groups=column, inner_folds=2)
    assert (report.folds, report.rows["v"].values("rmse").shape) == (n_folds, (1, n_folds))
    tested = ["test"] if n_folds == 1 else sorted(set(np.asarray(column).tolist()))
    for (train, test), name in zip(recorded["outer"][-1], tested, strict=True):
        assert {np.asarray(column)[graph] for graph in test} == {name}
        assert name not in {np.asarray(column)[graph] for graph in train}
    same = evaluate(SMILES, NUMBERS, method="v", split="given", groups=column, inner_folds=2, folds=n_folds)
    np.testing.assert_array_equal(same.rows["v"].values("rmse"), report.rows["v"].values("rmse"))
    assert f"with {n_folds} outer fold{'s' if n_folds > 1 else ''} as given, the same for every method." in str(report)


def test_inner_folds_of_a_given_split_are_random(recorded):
    evaluate(SMILES, NUMBERS, method="v", split="given", groups=np.arange(36) % 2, inner_folds=3, random_state=2)
    for train, folds in recorded["inner"]:
        expected = KFold(3, shuffle=True, random_state=2).split(train)
        assert [test.tolist() for _, test in folds] == [train[test].tolist() for _, test in expected]


def test_what_a_report_says_of_its_folds():
    def protocol(split, **options):
        lines = str(evaluate(SMILES, NUMBERS, method="v", split=split, **options)).splitlines()
        return [line for line in lines if line.startswith(("Nested", "Parameters"))]

    assert protocol("scaffold", **FEW) == [
        "Nested cross-validation with 4 outer folds of whole scaffolds, the same for every method.",
        "Parameters are chosen with 3 inner folds on the training part of each outer fold, by the same groups.",
    ]
    assert "4 outer folds of whole clusters of fingerprints," in protocol("butina", **FEW)[0]
    assert "4 outer folds of whole clusters of WWL distances," in protocol("wwl", **FEW)[0]
    assert "4 outer folds of whole groups," in protocol("group", groups=COLUMN, **FEW)[0]
    given = protocol("given", groups=np.arange(36) % 2, inner_folds=2, repetitions=2)
    assert given[0].endswith(
        "2 outer folds as given, the same for every method, repeated 2 times with new random inner folds."
    )
    assert given[1] == "Parameters are chosen with 2 inner folds on the training part of each outer fold."


def test_folds_shrink_to_the_number_of_groups():
    outer, inner = "^7 folds instead of 10, since there are no more groups", "^4 inner folds instead of 5, since there"
    with pytest.warns(UserWarning, match=outer):
        report = evaluate(SMILES, NUMBERS, method="v", split="group", groups=COLUMN)
    assert (report.folds, report.inner_folds) == (7, 5)
    with pytest.warns(UserWarning, match="^5 folds instead of 10"), pytest.warns(UserWarning, match=inner):
        report = evaluate(SMILES, NUMBERS, method="v", split="group", groups=np.arange(36) % 5)
    assert (report.folds, report.inner_folds) == (5, 4)
    with pytest.warns(UserWarning, match="^8 folds instead of 10, since there are no more graphs"):
        assert evaluate(SMILES[:8], NUMBERS[:8], method="v").folds == 8


@pytest.mark.parametrize(
    "groups",
    [
        list(COLUMN),
        pd.Series(COLUMN, index=range(50, 86)),
        np.array(COLUMN, dtype=object),
        np.arange(36) % 7,
        pd.Categorical(COLUMN),
        (name for name in COLUMN),
    ],
    ids=["list", "series", "objects", "numbers", "categories", "iterator"],
)
def test_groups_of_any_form(groups):
    found = read_splitting(Folds(split="group", groups=groups), wg.from_smiles(SMILES), None, Threads())
    assert found.groups.tolist() == [number % 7 for number in range(36)]


# Errors


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"split": "scafold"}, ValueError, "split must be one of 'random', 'scaffold', 'butina', 'wwl', 'group',"),
        ({"split": None}, ValueError, "split must be one of"),
        ({"split": "group"}, ValueError, 'split="group" needs groups; pass a value for every graph'),
        ({"split": "given"}, ValueError, 'split="given" needs groups; pass a value for every graph'),
        (
            {"groups": COLUMN},
            ValueError,
            'split="random" does not use groups; pass split="group" or split="given"',
        ),
        ({"split": "scaffold", "groups": COLUMN}, ValueError, 'split="scaffold" does not use groups; pass split='),
        ({"split": "group", "groups": COLUMN[1:]}, ValueError, "there are 36 graphs, but 35 values in the column"),
        ({"split": "group", "groups": ["a"] * 36}, ValueError, "all graphs are in one group, which cannot be split"),
        (
            {"split": "group", "groups": ["a", "b"] * 18, "folds": 2},
            ValueError,
            "the training part of a fold has 1 group, too few for inner folds; add graphs, or use more and smaller",
        ),
        (
            {"split": "group", "groups": COLUMN, "folds": 8},
            ValueError,
            "there are 7 groups, but folds is 8, and each fold needs a group to test; use at most 7 folds, or smaller",
        ),
        (
            {"split": "group", "groups": COLUMN, "folds": 4, "inner_folds": 6},
            ValueError,
            "cv must be from 2 to 5, the number of groups in the training part of a fold, got 6",
        ),
        ({"split": "group", "groups": [None, *COLUMN[1:]]}, ValueError, "graph 0: 1 cell of the column 'groups' has"),
        ({"split": "group", "groups": 5}, TypeError, "groups must have one value for every graph, in their order, got"),
        ({"split": "group", "groups": "abc"}, TypeError, "in their order, got str; pass a list or an array"),
        ({"split": "group", "groups": set(COLUMN)}, TypeError, "in their order, got set; pass a list or an array"),
        ({"split": "group", "groups": np.ones((36, 2))}, ValueError, "groups must have one value for every graph, got"),
        ({"split": "group", "groups": [["a"], ["b", "c"]] * 18}, ValueError, "got a table; pass one column"),
        (
            {"split": "given", "groups": ["train", "test"] * 18, "folds": 3},
            ValueError,
            "folds is 3, but the given spli",
        ),
        ({"split": "given", "groups": ["train", "valid"] * 18}, ValueError, "graph 1: the column 'groups' has 'valid'"),
        (
            {"split": "given", "groups": ["train"] * 3 + ["test"] * 33},
            ValueError,
            "the training part of a fold has 3 graphs, too few for inner folds; add graphs",
        ),
        ({"folds": 37}, ValueError, "folds must be from 2 to 36, the number of graphs, got 37"),
        ({"folds": 1}, ValueError, "folds must be at least 2, got 1"),
        ({"folds": 2.5}, TypeError, "folds must be a whole number, got 2.5"),
        ({"folds": None}, TypeError, "folds must be a whole number, got None"),
        ({"folds": 3, "inner_folds": 1.5}, TypeError, "so that cv must be a number, got 1.5"),
        (
            {"folds": 3, "inner_folds": 25},
            ValueError,
            "cv must be from 2 to 24, the number of graphs in the training part of a fold, got 25",
        ),
    ],
)
def test_splits_that_are_refused_before_anything_is_computed(tmp_path, options, error, message):
    cache = tmp_path / "matrices"
    with pytest.raises(error, match=re.escape(message)):
        evaluate(SMILES, NUMBERS, method="v", cache=cache, **options)
    assert not cache.exists()


@pytest.mark.parametrize("split", ["scaffold", "butina"])
def test_splits_of_molecules_need_molecules(split):
    graphs = wg.from_smiles(SMILES)
    message = (
        f'split="{split}" needs molecules, since graphs have neither charges nor hydrogens; use SMILES strings, RDKit'
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(graphs, NUMBERS, method="v", split=split)
    given = evaluate(graphs, NUMBERS, method="v", split=split, molecules=SMILES, **FEW)
    same = evaluate(SMILES, NUMBERS, method="v", split=split, **FEW)
    np.testing.assert_array_equal(given.splitting.groups, same.splitting.groups)
    np.testing.assert_array_equal(given.rows["v"].values("rmse"), same.rows["v"].values("rmse"))


def test_classes_that_a_fold_lacks_are_named_before_anything_is_computed(tmp_path):
    """One class is in two groups: if one of these is tested, an inner fold is trained without it."""
    rare = np.where(np.isin(COLUMN, ["batch 0", "batch 1"]), "rare", "usual")
    with pytest.raises(ValueError, match=r"the training part of fold . has no graph of the class 'rare'; use other"):
        evaluate(SMILES, rare, method="v", split="group", groups=COLUMN, cache=tmp_path / "matrices", **FEW)
    assert not (tmp_path / "matrices").exists()
    numbered = np.where(rare == "rare", 7.0, 2.0)  # whole numbers are classes
    with pytest.raises(ValueError, match=r"has no graph of the class 7\.0; use other folds"):
        evaluate(SMILES, numbered, method="v", split="group", groups=COLUMN, **FEW)


def test_one_molecule_many_times_cannot_be_split():
    for split in ("scaffold", "butina", "wwl"):
        with pytest.raises(ValueError, match="all graphs are in one group, which cannot be split"):
            evaluate(["CCO"] * 12, np.arange(12) / 7, method="v", split=split)
