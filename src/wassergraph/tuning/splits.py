"""Splits of graphs into folds that respect groups, such as molecules with the same scaffold.

    random                                       ──make_folds, make_number_folds (folds.py)──▶ folds
    scaffold, butina  molecules ──molecule_groups──▶ groups ┐
    wwl               distances ──distance_groups──▶ groups ├─group_folds──▶ folds
    group             a column  ──read_groups──────▶ groups ┘
    given             a column                     ──given_folds──▶ folds

Random folds ask how well a method does on graphs like those that it was trained on. Folds of whole groups ask how well
it does on graphs that are unlike them: no group has graphs in both the training part and the test part of a fold. The
inner folds, which choose parameters, must respect the groups as well, or they choose for the easier question; the same
functions make them, from the groups of the training graphs::

    for train, test in group_folds(groups, 10, random_state=0):
        inner = [(train[a], train[b]) for a, b in group_folds(groups[train], 5, random_state=0)]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.utils import check_random_state

from wassergraph.arrays import BoolArray, FloatArray, Fold, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.kernels.laplacian import check_distances
from wassergraph.scores.classes import check_classes_present
from wassergraph.tuning.folds import (
    USUAL_FOLDS,
    Auto,
    CrossValidation,
    RandomState,
    check_seed,
    fit_folds,
    make_folds,
    make_number_folds,
)

#: How graphs are split into outer folds.
Split: TypeAlias = Literal["random", "scaffold", "butina", "wwl", "group", "given"]
#: The distance of two clusters: the largest of their graphs, or the mean.
Linkage: TypeAlias = Literal["complete", "average"]
#: Cells without a value, in lower case, as tables and pandas write them.
_MISSING = ("", "nan", "<na>")
#: What a given split may say of a graph; and what other programs say, of graphs that choose parameters.
_PARTS = ("train", "test")
_VALIDATION = ("valid", "val", "validation", "dev")
_HOW_TO_SPLIT = "write train or test in every row, or the number of the fold that tests the graph"


# Folds of groups


def group_folds(
    groups: ArrayLike,
    n_folds: int,
    random_state: RandomState = None,
    y: ArrayLike | None = None,
    *,
    option: str = "folds",
) -> list[Fold]:
    """Split graphs into folds of whole groups, of about the same size.

    The largest group comes first, and each group goes to the fold that is smallest so far: without ``y`` these are the
    folds of scikit-learn's ``GroupKFold``, but for the order of groups of the same size, which is random. With ``y``,
    the fold is the one that has least of the classes that the group has, each class counted as a share of all its
    graphs. This takes a fraction of the time of ``StratifiedGroupKFold``, whose test parts differ more in size. A group
    with more graphs than a fold should have makes a larger fold, whatever the order. Groups of different sizes are not
    shuffled: if all groups are large, folds differ little from seed to seed.

    Parameters
    ----------
    groups : (n_graphs) array
        The group of every graph: numbers or text, all of which are names. :func:`read_groups` checks cells of a table.
    n_folds : int
        The number of folds.
    random_state : int, RandomState or None
        What groups of the same size are shuffled with; None sorts them by name.
    y : (n_graphs) array, optional
        The class of every graph, if there are classes. Not for numbers.
    option : str
        The name of the parameter for the number of folds, for messages.

    Returns
    -------
    list of (train, test)
        The positions of the training graphs and of the test graphs of every fold, in increasing order. Every graph is
        tested once, and every fold tests at least one group.

    Raises
    ------
    ValueError
        If there are fewer groups than folds, or if the training part of a fold lacks a class.

    Examples
    --------
    >>> groups = ["a", "b", "a", "c", "b", "a"]
    >>> [test.tolist() for _, test in group_folds(groups, 2)]
    [[0, 2, 5], [1, 3, 4]]
    """
    check_seed(random_state)
    names, group_indices = np.unique(np.asarray(groups), return_inverse=True)
    _check_n_groups(len(names), n_folds, option)
    if y is None:
        classes, class_indices = np.zeros(1), np.zeros(len(group_indices), dtype=np.int64)
    else:
        classes, class_indices = np.unique(_check_classes(y, len(group_indices)), return_inverse=True)
    fold_of_group = _distribute(_count_classes(group_indices, class_indices), n_folds, random_state)
    folds = _folds_of_numbers(fold_of_group[group_indices])
    for number, (train, _) in enumerate(folds):
        check_classes_present(class_indices[train], classes, f"the training part of fold {number}")
    return folds


def inner_folds(
    class_indices: IntArray,
    classes: NDArray[Any],
    cv: CrossValidation | Auto,
    random_state: RandomState,
    groups: IntArray | None,
) -> list[Fold]:
    """Split training graphs with classes into the folds that parameters are chosen in.

    Parameters
    ----------
    class_indices, classes, cv, random_state
        As in :func:`wassergraph.tuning.folds.make_folds`.
    groups : (n_graphs) integers, optional
        The group of every graph. A number of folds then means folds of whole groups, as :func:`group_folds` makes them;
        a splitter gets the groups.

    Returns
    -------
    list of (train, test)
    """
    if groups is None or not isinstance(cv, int | np.integer | str):
        return make_folds(class_indices, classes, cv, random_state, groups=groups)
    # Classes by name, for messages; as objects, since numbers with fractions are no classes elsewhere.
    return group_folds(
        groups, _count_folds(cv, groups), random_state, classes.astype(object)[class_indices], option="cv"
    )


def inner_number_folds(
    targets: FloatArray, cv: CrossValidation | Auto, random_state: RandomState, groups: IntArray | None
) -> list[Fold]:
    """Split training graphs with numbers as targets into folds, as :func:`inner_folds` does those with classes."""
    if groups is None or not isinstance(cv, int | np.integer | str):
        return make_number_folds(targets, cv, random_state, groups=groups)
    return group_folds(groups, _count_folds(cv, groups), random_state, option="cv")


def _count_folds(cv: int | Auto, groups: IntArray) -> int:
    return fit_folds(cv, USUAL_FOLDS, len(np.unique(groups)), limit="there are no more groups")


def _check_n_groups(n_groups: int, n_folds: int, option: str) -> None:
    if check_whole(option, n_folds, 2) <= n_groups:
        return
    if n_groups < 2:
        problem, remedy = "all graphs are in one group, which cannot be split", "use smaller groups, or a random split"
        raise InputError(problem, remedy=remedy)
    raise InputError(
        f"there are {n_groups} groups, but {{}} is {n_folds}, and each fold needs a group to test",
        remedy=f"use at most {n_groups} folds, or smaller groups",
        options=[Option(option)],
    )


def _check_classes(y: ArrayLike, n_graphs: int) -> NDArray[Any]:
    """Return classes as an array; raise an error if they are numbers with fractions, or not one for each graph."""
    classes = np.asarray(y)
    if classes.dtype.kind == "f":
        raise InputTypeError("y has numbers, but only classes can be balanced", remedy="pass y=None for numbers")
    _check_length(len(classes), n_graphs, "y")
    return classes


def _check_length(n_values: int, n_graphs: int, name: str) -> None:
    if n_values != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(n_values, 'value')} in {name}"
        raise InputError(problem, remedy="pass one value for each graph")


def _count_classes(group_indices: IntArray, class_indices: IntArray) -> IntArray:
    """Count the graphs of every class in every group (n_groups, n_classes)."""
    counts = np.zeros((group_indices.max() + 1, class_indices.max() + 1), dtype=np.int64)
    np.add.at(counts, (group_indices, class_indices), 1)
    return counts


def _distribute(counts: IntArray, n_folds: int, random_state: RandomState) -> IntArray:
    """Return the fold of every group, given how many graphs of each class it has (n_groups, n_classes).

    Put into a fold, a group adds to the sum of squares of the shares that folds have of the classes; it goes where it
    adds least. An empty fold adds least of all and is the smallest, so none stays empty.
    """
    n_groups = len(counts)
    order = np.arange(n_groups) if random_state is None else check_random_state(random_state).permutation(n_groups)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    # Shares as multiples of a common unit, in Python's integers: rounding would decide ties by the kind of processor.
    totals = counts.sum(axis=0).tolist()
    unit = math.lcm(*totals)
    weights = counts.astype(object) * np.array([(unit // total) ** 2 for total in totals], dtype=object)
    filled = np.zeros((n_folds, len(totals)), dtype=object)
    fold_of_group = np.empty(n_groups, dtype=np.int64)
    for group in order:
        added, sizes = filled @ weights[group], filled.sum(axis=1)
        fold = min(range(n_folds), key=lambda number: (added[number], sizes[number]))
        filled[fold] += counts[group]
        fold_of_group[group] = fold
    return fold_of_group


def _folds_of_numbers(numbers: IntArray) -> list[Fold]:
    """Return one fold for each number: the graphs that have it are tested, and the others are for training."""
    return [(np.flatnonzero(numbers != number), np.flatnonzero(numbers == number)) for number in np.unique(numbers)]


def whole_groups(groups: IntArray, n_graphs: int, random: np.random.RandomState) -> BoolArray:
    """Draw whole groups with up to so many graphs in all; return which graphs these are (n).

    Groups (n), numbered from 0, are taken in random order, except those that would be too many graphs.
    """
    sizes = np.bincount(groups)
    is_drawn = np.zeros(len(sizes), dtype=np.bool_)
    for group in random.permutation(len(sizes)):
        is_drawn[group] = sizes[group] <= n_graphs
        n_graphs -= sizes[group] * is_drawn[group]
    return is_drawn[groups]


# Groups


def optional_groups(groups: ArrayLike | None, n_graphs: int) -> IntArray | None:
    """Read the groups that a user passes to ``fit``, if any: see :func:`read_groups`."""
    return None if groups is None else read_groups(np.asarray(groups).tolist(), n_graphs)


def read_groups(column: Sequence[Any] | NDArray[Any], n_graphs: int, *, name: str = "groups") -> IntArray:
    """Read a column of group names.

    Parameters
    ----------
    column : (n_graphs) array
        The name of the group of every graph, as text or numbers. Spaces around a name are ignored.
    n_graphs : int
        The number of graphs.
    name : str
        The name of the column, for messages.

    Returns
    -------
    (n_graphs) integers
        The groups, numbered from 0.

    Raises
    ------
    ValueError
        If a cell has no value: is empty, None or NaN.

    Examples
    --------
    >>> read_groups(["b", "a ", "b"], 3)
    array([1, 0, 1])
    """
    cells = _read_cells(column, n_graphs, name, remedy="write the name of a group, or leave the row out")
    return np.unique(cells, return_inverse=True)[1]


def distance_groups(
    distances: ArrayLike,
    *,
    n_clusters: int | None = None,
    threshold: float | None = None,
    method: Linkage = "complete",
) -> IntArray:
    """Group graphs by hierarchical clustering of their distances.

    Parameters
    ----------
    distances : (n_graphs, n_graphs) floats
        The distances of the graphs, as of :func:`wassergraph.distances` for one depth.
    n_clusters : int, optional
        The number of clusters; there are fewer if distances are equal.
    threshold : float, optional
        The distance of clusters above which they are not joined. One of the two is needed.
    method : "complete" or "average"
        The distance of two clusters: the largest distance of their graphs, or the mean. With "complete", no two graphs
        of a cluster are farther apart than the threshold, and clusters are of more similar size.

    Returns
    -------
    (n_graphs) integers
        The groups, numbered from 0.

    Raises
    ------
    ValueError
        If the distances are not a symmetric matrix, or if none or both of n_clusters and threshold are given.

    Examples
    --------
    >>> distance_groups([[0, 1, 9], [1, 0, 8], [9, 8, 0]], threshold=2)
    array([0, 0, 1])
    """
    check_choice("method", method, Linkage)
    matrix = _square_distances(distances)
    if (n_clusters is None) == (threshold is None):
        options = [Option("n_clusters"), Option("threshold")]
        raise InputError("{} and {} are both given, or both missing", remedy="pass one of them", options=options)
    tree = linkage(squareform(matrix, checks=False), method)
    if n_clusters is not None and check_whole("n_clusters", n_clusters, 2) >= len(matrix):
        threshold = 0.0  # as many clusters as there are different graphs; "maxclust" would separate equal ones
    if threshold is not None:
        return np.asarray(fcluster(tree, threshold, "distance") - 1, dtype=np.int64)
    return np.asarray(fcluster(tree, n_clusters, "maxclust") - 1, dtype=np.int64)


def _square_distances(distances: ArrayLike) -> FloatArray:
    matrix = np.asarray(check_distances(distances), dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        problem = f"distances must be square, (N, N) of two graphs or more, got the shape {matrix.shape}"
        raise InputError(problem, remedy="pass those of one depth, such as distances[-1]")
    if not np.allclose(matrix, matrix.T, rtol=1e-5, atol=0):
        raise InputError("distances are not symmetric", remedy="pass distances of the same graphs in rows and columns")
    return matrix


# Splits that are given


def given_folds(column: Sequence[Any] | NDArray[Any], n_graphs: int, *, name: str = "split") -> list[Fold]:
    """Read a column that says which graphs are for training and which for testing.

    Parameters
    ----------
    column : (n_graphs) array
        Either "train" and "test", in upper or lower case, which is one fold; or whole numbers, the fold that tests the
        graph: as many folds as there are different numbers, in increasing order. 0 and 1 are two folds, too.
    n_graphs : int
        The number of graphs.
    name : str
        The name of the column, for messages.

    Returns
    -------
    list of (train, test)
        The positions of the training graphs and of the test graphs of every fold, in increasing order.

    Raises
    ------
    ValueError
        If a cell has no value or another one, or if there are no graphs to train or none to test with.

    Examples
    --------
    >>> given_folds(["train", "test", "train"], 3)
    [(array([0, 2]), array([1]))]
    >>> [test.tolist() for _, test in given_folds([2, 1, 2], 3)]
    [[1], [0, 2]]
    """
    cells = [cell.lower() for cell in _read_cells(column, n_graphs, name, remedy=_HOW_TO_SPLIT)]
    if not {*_PARTS, *_VALIDATION}.isdisjoint(cells):
        return [_named_fold(cells, name)]
    numbers = np.array([_fold_number(cell, row, name) for row, cell in enumerate(cells)], dtype=np.int64)
    folds = _folds_of_numbers(numbers)
    if len(folds) < 2:
        problem = f"all graphs are in fold {numbers[0]} of the column {name!r}, so that none are left for training"
        raise InputError(problem, remedy="number two folds or more, or write train and test")
    return folds


def _named_fold(cells: Sequence[str], name: str) -> Fold:
    for row, cell in enumerate(cells):
        if cell in _VALIDATION:
            remedy = "write train: parameters are chosen by cross-validation on the training graphs"
            raise InputError(f"the column {name!r} has {cell!r}", remedy=remedy, graph=row)
        if cell not in _PARTS:
            raise _unknown_value(cell, row, name)
    parts = [np.array([row for row, cell in enumerate(cells) if cell == part], dtype=np.int64) for part in _PARTS]
    for part, rows in zip(_PARTS, parts, strict=True):
        if not len(rows):
            raise InputError(f"no row of the column {name!r} has {part!r}", remedy=f"write {part} in some rows")
    return parts[0], parts[1]


def _fold_number(cell: str, row: int, name: str) -> int:
    try:
        number = float(cell)
    except ValueError:
        raise _unknown_value(cell, row, name) from None
    if not number.is_integer():
        raise _unknown_value(cell, row, name)
    return int(number)


def _unknown_value(cell: str, row: int, name: str) -> InputError:
    return InputError(f"the column {name!r} has {cell!r}, which is no part of a split", remedy=_HOW_TO_SPLIT, graph=row)


def _read_cells(column: Sequence[Any] | NDArray[Any], n_graphs: int, name: str, *, remedy: str) -> list[str]:
    """Return cells as text; raise an error if one has no value."""
    cells = ["" if cell is None else str(cell).strip() for cell in column]
    _check_length(len(cells), n_graphs, f"the column {name!r}")
    missing = [row for row, cell in enumerate(cells) if cell.lower() in _MISSING]
    if missing:
        problem = (
            f"{count(len(missing), 'cell')} of the column {name!r} {'has' if len(missing) == 1 else 'have'} no value"
        )
        raise InputError(f"{problem}, the first here", remedy=remedy, graph=missing[0])
    return cells
