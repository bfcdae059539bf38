"""Folds that respect groups."""

from __future__ import annotations

import csv
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdkit import Chem
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
from rdkit.Chem.Scaffolds import MurckoScaffold
from rdkit.DataStructs import TanimotoSimilarity
from rdkit.ML.Cluster import Butina
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

import wassergraph as wg
from wassergraph.formats.molecule_groups import butina_groups, morgan_counts, scaffold_groups, scaffolds
from wassergraph.tuning.groups import distance_groups, read_groups
from wassergraph.tuning.splits import given_folds, group_folds

SMILES = ["Cc1ccccc1", "CCO", "OC1CCCC1", "CC", "c1ccccc1CCc1ccccc1", "C[C@H]1CCCNC1", "C[C@@H]1CCCNC1", "[Na+].[Cl-]"]
# The groups of graphs, at least two of them.
group_lists = st.lists(st.integers(0, 9), min_size=2, max_size=60).filter(lambda groups: len(set(groups)) > 1)
seeds = st.none() | st.integers(0, 2**32 - 1)


def same_folds(left, right) -> bool:
    return len(left) == len(right) and all(
        np.array_equal(a, b) for fold, other in zip(left, right, strict=True) for a, b in zip(fold, other, strict=True)
    )


def check_partition(folds, n_graphs: int) -> None:
    """Check that every graph is tested once, and that the others are for training."""
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(n_graphs))
    for train, test in folds:
        assert len(test)
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(n_graphs))


def draw_groups(rng, n: int, n_groups: int) -> np.ndarray:
    """Draw groups of very different sizes, each with at least one graph."""
    return np.concatenate([np.arange(n_groups), np.minimum(rng.geometric(0.3, n - n_groups) - 1, n_groups - 1)])


# Folds of groups


@given(group_lists, seeds, st.data())
def test_no_group_is_on_both_sides(groups, seed, data):
    groups = np.array(groups)
    n_folds = data.draw(st.integers(2, len(np.unique(groups))))
    folds = group_folds(groups, n_folds, seed)
    assert len(folds) == n_folds
    check_partition(folds, len(groups))
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])


@given(group_lists, seeds, st.data())
def test_no_group_is_on_both_sides_with_classes(groups, seed, data):
    more = data.draw(st.lists(st.integers(0, 1), min_size=len(groups), max_size=len(groups)))
    y = np.array([0] * len(groups) + [1] * len(groups) + more)  # every group has both classes
    groups = np.array(groups * 3)
    n_folds = data.draw(st.integers(2, len(np.unique(groups))))
    folds = group_folds(groups, n_folds, seed, y)
    assert len(folds) == n_folds
    check_partition(folds, len(groups))
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])


def test_inner_folds_respect_the_groups_of_the_training_part():
    rng = np.random.default_rng(0)
    groups = draw_groups(rng, 200, 30)
    for train, test in group_folds(groups, 5, 0):
        for inner_train, inner_test in group_folds(groups[train], 4, 0):
            parts = [set(groups[test]), set(groups[train[inner_train]]), set(groups[train[inner_test]])]
            assert sum(map(len, parts)) == len(set().union(*parts)) == 30


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_sizes_are_those_of_scikit_learn(seed):
    """Which of two groups of the same size comes first does not change the sizes of the folds."""
    rng = np.random.default_rng(1)
    for n_groups in (6, 20, 100):
        groups = draw_groups(rng, 300, n_groups)
        sizes = sorted(len(test) for _, test in group_folds(groups, 5, seed))
        assert sizes == sorted(len(test) for _, test in GroupKFold(5).split(groups, groups=groups))


def test_groups_of_one_graph_make_equal_folds():
    sizes = [len(test) for _, test in group_folds(np.arange(103), 10, 0)]
    assert sorted(sizes) == [10] * 7 + [11] * 3


def test_folds_are_more_even_than_those_of_scikit_learn():
    """Averaged over many draws: the share of each class, and the size, vary less over folds."""
    rng = np.random.default_rng(2)
    spread = np.zeros(2)
    for seed in range(30):
        groups, y = draw_groups(rng, 150, 40), (rng.random(150) < 0.3).astype(int)
        splitter = StratifiedGroupKFold(5, shuffle=True, random_state=seed)
        for number, folds in enumerate([group_folds(groups, 5, seed, y), list(splitter.split(y, y, groups))]):
            counts = np.array([np.bincount(y[test], minlength=2) / np.bincount(y) for _, test in folds])
            spread[number] += counts.std(axis=0).sum()
    assert spread[0] < spread[1]


def test_classes_are_balanced():
    groups, y = np.arange(120) // 3, np.arange(120) // 3 % 4  # ten groups of three graphs in each of four classes
    for _, test in group_folds(groups, 5, 0, y):
        assert np.bincount(y[test]).tolist() == [6, 6, 6, 6]


def test_folds_depend_on_the_seed_alone():
    groups = draw_groups(np.random.default_rng(3), 100, 40)
    assert same_folds(group_folds(groups, 5, 1), group_folds(groups, 5, 1))
    assert same_folds(group_folds(groups, 5, 1), group_folds(groups, 5, np.random.RandomState(1)))
    assert same_folds(group_folds(groups, 5), group_folds(groups, 5, None))
    assert not same_folds(group_folds(groups, 5, 1), group_folds(groups, 5, 2))
    names = np.array([f"group {number:03}" for number in groups])
    assert same_folds(group_folds(groups, 5, 1), group_folds(names, 5, 1))


def test_class_names_do_not_change_the_folds():
    rng = np.random.default_rng(4)
    groups, y = draw_groups(rng, 100, 40), rng.integers(0, 3, 100)
    assert same_folds(group_folds(groups, 4, 0, y), group_folds(groups, 4, 0, np.array(["x", "y", "z"])[y]))


@pytest.mark.parametrize(
    ("groups", "n_folds", "y", "message"),
    [
        ([0, 0, 1, 1, 2], 4, None, "there are 3 groups, but folds is 4, .*; use at most 3 folds, or smaller groups"),
        ([5, 5, 5], 2, None, "all graphs are in one group, which cannot be split; use smaller groups, or a random"),
        ([0, 1, 2], 1, None, "folds must be at least 2, got 1"),
        ([0, 0, 1, 1], 2, ["a", "a", "a", "b"], "the training part of fold 1 has no graph of the class 'b'; use other"),
        ([0, 0, 1, 1], 2, [0, 1, 0], "there are 4 graphs, but 3 values in y; pass one value for each graph"),
    ],
)
def test_groups_that_cannot_be_split(groups, n_folds, y, message):
    with pytest.raises(ValueError, match=message):
        group_folds(groups, n_folds, y=y)


def test_the_seed_is_checked():
    with pytest.raises(ValueError, match="random_state must be at least 0, got -1"):
        group_folds([0, 1], 2, -1)


# Columns


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda cells: np.array(cells, dtype=object)])
def test_groups_of_a_column(make):
    assert read_groups(make(["b", " a", "b", "c "]), 4).tolist() == [1, 0, 1, 2]
    assert read_groups(make([3, 10, 3, 0]), 4).tolist() == [2, 1, 2, 0]


@pytest.mark.parametrize("empty", ["", "  ", "nan", None, np.nan, pd.NA])
def test_missing_groups_name_the_graph(empty):
    message = r"^graph 1: 2 cells of the column 'series' have no value, the first here; write the name of a group, or l"
    with pytest.raises(ValueError, match=message):
        read_groups(["a", empty, "b", empty], 4, name="series")


def test_groups_have_one_cell_for_each_graph():
    with pytest.raises(ValueError, match="there are 3 graphs, but 2 values in the column 'groups'"):
        read_groups(["a", "b"], 3)


@pytest.mark.parametrize("column", [["train", "test", "train"], ["Train", "TEST ", " train"]])
def test_a_given_split_is_one_fold(column):
    assert same_folds(given_folds(column, 3), [([0, 2], [1])])


@pytest.mark.parametrize("column", [[7, 2, 7, -1], ["7", "2", "7", "-1"], [7.0, 2.0, 7.0, -1.0]])
def test_given_folds_are_used_as_they_are(column):
    assert same_folds(given_folds(column, 4), [([0, 1, 2], [3]), ([0, 2, 3], [1]), ([1, 3], [0, 2])])


@given(st.lists(st.integers(0, 4), min_size=2).filter(lambda numbers: len(set(numbers)) > 1))
def test_any_given_folds(numbers):
    folds = given_folds(numbers, len(numbers))
    check_partition(folds, len(numbers))
    assert [{numbers[graph] for graph in test} for _, test in folds] == [{number} for number in sorted(set(numbers))]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["train", "train"], r"^no row of the column 'split' has 'test'; write test in some rows$"),
        (["test", "test"], r"^no row of the column 'split' has 'train'; write train in some rows$"),
        (["train", "Valid"], r"^graph 1: the column 'split' has 'valid'; write train: parameters are chosen by cross"),
        (["train", "tset"], r"^graph 1: the column 'split' has 'tset', which is no part of a split; write train or "),
        (["0", "1", "a"], r"^graph 2: the column 'split' has 'a', which is no part of a split; write train or test in"),
        (["0", "1.5"], "graph 1: the column 'split' has '1.5'"),
        (["inf", "1"], "graph 0: the column 'split' has 'inf'"),
        ([True, False], "graph 0: the column 'split' has 'true'"),
        (["train", "1"], "graph 1: the column 'split' has '1'"),
        (["train", ""], r"^graph 1: 1 cell of the column 'split' has no value, the first here; write train or test"),
        ([3, 3], "all graphs are in fold 3 of the column 'split', so that none are left for training; number two"),
    ],
)
def test_given_splits_that_cannot_be_used(column, message):
    with pytest.raises(ValueError, match=message):
        given_folds(column, len(column))


# Clusters of distances


def two_clusters():
    """Return distances of points on a line: 0, 1, 2 and 10, 11, and their clusters."""
    points = np.array([10.0, 0.0, 1.0, 11.0, 2.0])
    return np.abs(points[:, None] - points), [0, 1, 1, 0, 1]


def partition(groups) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.asarray(groups) == group).tolist()) for group in np.unique(groups)}


@pytest.mark.parametrize("method", ["complete", "average"])
@pytest.mark.parametrize("size", [{"n_clusters": 2}, {"threshold": 5.0}])
def test_graphs_that_are_near_are_one_group(method, size):
    distances, clusters = two_clusters()
    groups = distance_groups(distances, method=method, **size)
    assert groups.dtype == np.int64
    assert sorted(set(groups.tolist())) == [0, 1]
    assert partition(groups) == partition(clusters)


def test_every_two_graphs_of_a_group_are_within_the_threshold():
    graphs, _ = wg.load_dataset("demo")
    distances = wg.distances(graphs, metric=wg.WWL(depth=2))
    threshold = float(np.median(distances))
    groups = distance_groups(distances, threshold=threshold)
    alike = groups[:, None] == groups
    assert distances[alike].max() <= threshold
    assert 1 < groups.max() + 1 < len(graphs)
    assert len(np.unique(distance_groups(distances, n_clusters=7))) == 7


@pytest.mark.parametrize("n_clusters", [3, 4, 5, 6, 7])
def test_equal_graphs_are_one_group(n_clusters):
    """With as many clusters as graphs, too: equal graphs in two folds would be a leak."""
    points = np.array([2.0, 0.0, 2.0, 0.0, 5.0, 0.0])
    groups = distance_groups(np.abs(points[:, None] - points), n_clusters=n_clusters)
    assert partition(groups) == {frozenset({0, 2}), frozenset({1, 3, 5}), frozenset({4})}


def test_single_precision_and_the_diagonal():
    distances, clusters = two_clusters()
    noisy = (distances + 1e-7 * np.eye(5)).astype(np.float32)
    assert partition(distance_groups(noisy, n_clusters=2)) == partition(clusters)


@pytest.mark.parametrize(
    ("distances", "options", "message"),
    [
        (np.zeros((2, 2)), {}, "n_clusters and threshold are both given, or both missing; pass one of them"),
        (np.zeros((2, 2)), {"n_clusters": 2, "threshold": 1.0}, "n_clusters and threshold are both given"),
        (np.zeros((2, 2)), {"n_clusters": 1}, "n_clusters must be at least 2, got 1"),
        (np.zeros((2, 2)), {"n_clusters": 2, "method": "single"}, "method must be one of 'complete', 'average'"),
        (np.zeros((3, 2, 2)), {"n_clusters": 2}, r"got the shape \(3, 2, 2\); pass those of one depth"),
        (np.zeros((1, 1)), {"n_clusters": 2}, "two graphs or more"),
        ([[0.0, 1.0], [2.0, 0.0]], {"n_clusters": 2}, "distances are not symmetric"),
        ([[0.0, np.nan], [np.nan, 0.0]], {"n_clusters": 2}, "every entry must be a finite number"),
    ],
)
def test_wrong_distances(distances, options, message):
    with pytest.raises(ValueError, match=message):
        distance_groups(distances, **options)


# Molecules


def read_column(path, column: str) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [row[column].strip() for row in csv.DictReader(file)]


def test_scaffolds_are_those_of_rdkit():
    expected = [MurckoScaffold.MurckoScaffoldSmiles(text) for text in SMILES]
    assert scaffolds(SMILES) == scaffolds([Chem.MolFromSmiles(text) for text in SMILES]) == expected
    assert expected[1] == expected[3] == expected[7] == ""
    groups = scaffold_groups(SMILES)
    assert groups[1] == groups[3] == groups[7]
    assert groups[5] == groups[6]  # mirror images
    assert partition(groups) == partition(expected)


@pytest.mark.parametrize(("file", "column"), [("BACE.csv", "smiles"), ("FreeSolv.csv", "smiles")])
def test_scaffold_folds_of_real_molecules(molecules_home, file, column):
    smiles = read_column(molecules_home / file, column)
    expected = np.array([MurckoScaffold.MurckoScaffoldSmiles(text) for text in smiles])
    groups = scaffold_groups(smiles)
    assert partition(groups) == partition(expected)
    folds = group_folds(groups, 5, 0)
    check_partition(folds, len(smiles))
    for train, test in folds:
        assert not set(expected[train]) & set(expected[test])


def test_clusters_are_those_of_rdkit():
    smiles = ["C" * length + end for length in range(1, 9) for end in ("O", "N", "c1ccccc1", "C(=O)O")]
    fingerprints = [GetMorganGenerator(radius=2, fpSize=2048).GetFingerprint(Chem.MolFromSmiles(s)) for s in smiles]
    assert np.array_equal(np.minimum(morgan_counts(smiles), 1), np.array([list(each) for each in fingerprints]))
    for cutoff in (0.0, 0.4, 0.7, 1.0):
        distances = [1 - TanimotoSimilarity(fingerprints[i], fingerprints[j]) for i in range(32) for j in range(i)]
        clusters = Butina.ClusterData(distances, 32, cutoff, isDistData=True)
        groups = butina_groups(smiles, cutoff=cutoff)
        assert [sorted(cluster) for cluster in clusters] == [
            np.flatnonzero(groups == number).tolist() for number in range(len(clusters))
        ]
        assert groups.max() + 1 == len(clusters)
    assert np.array_equal(butina_groups(smiles), butina_groups(smiles, cutoff=0.4))
    assert 1 < butina_groups(smiles).max() + 1 < 32


def test_one_molecule_is_one_cluster():
    assert butina_groups(["CCO"]).tolist() == [0]


@pytest.mark.parametrize("function", [scaffolds, scaffold_groups, butina_groups, morgan_counts])
def test_groups_need_molecules(function):
    with pytest.raises(TypeError, match="pass SMILES strings or RDKit molecules"):
        function(wg.from_smiles(["C", "CC"]))
    with pytest.raises(ValueError, match=r"^graph 1: 'x\(' cannot be read as a molecule"):
        function(["C", "x("])


def test_the_cutoff_is_a_distance():
    with pytest.raises(ValueError, match=r"cutoff must be from 0 to 1, got 1.5"):
        butina_groups(["C"], cutoff=1.5)


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        group_folds([0, 1, 2, 3], 2, 0, [0, 1, 0, 1])
        butina_groups(SMILES)
