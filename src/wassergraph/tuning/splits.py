"""Splits of graphs into folds that respect groups, such as molecules with the same scaffold.

    random                                       ──make_folds (folds.py)──▶ folds
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
from sklearn.utils import check_random_state

from wassergraph.arrays import Fold, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.invariants import check_whole
from wassergraph.scores.classes import check_classes_present
from wassergraph.tuning.folds import (
    USUAL_FOLDS,
    Auto,
    CrossValidation,
    FoldSeed,
    check_seed,
    fit_folds,
    make_folds,
)
from wassergraph.tuning.groups import check_length, read_cells

#: How graphs are split into outer folds.
Split: TypeAlias = Literal["random", "scaffold", "butina", "wwl", "group", "given"]
#: What a given split may say of a graph; and what other programs say, of graphs that choose parameters.
_PARTS = ("train", "test")
_VALIDATION = ("valid", "val", "validation", "dev")
_HOW_TO_SPLIT = "write train or test in every row, or the number of the fold that tests the graph"


# Folds of groups


def group_folds(
    groups: ArrayLike,
    n_folds: int,
    random_state: FoldSeed = None,
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
    class_of = np.zeros(len(group_indices), dtype=np.int64) if y is None else _check_classes(y, len(group_indices))
    classes, class_indices = np.unique(class_of, return_inverse=True)
    counts = np.zeros((len(names), len(classes)), dtype=np.int64)
    np.add.at(counts, (group_indices, class_indices), 1)
    fold_of_group = _distribute(counts, n_folds, random_state)
    folds = _folds_of_numbers(fold_of_group[group_indices])
    for number, (train, _) in enumerate(folds):
        check_classes_present(class_indices[train], classes, f"the training part of fold {number}")
    return folds


def split_graphs(
    targets: NDArray[Any],
    classes: NDArray[Any] | None,
    cv: CrossValidation | Auto,
    random_state: FoldSeed,
    groups: IntArray | None,
    *,
    option: str = "cv",
) -> list[Fold]:
    """Split graphs into folds, which keep groups together if there are any.

    Parameters
    ----------
    targets, classes, cv, random_state, option
        As in :func:`wassergraph.tuning.folds.make_folds`.
    groups : (n_graphs) integers, optional
        The group of every graph. A number of folds then means folds of whole groups, as :func:`group_folds` makes them;
        a splitter gets the groups.

    Returns
    -------
    list of (train, test)
    """
    if groups is None or not isinstance(cv, int | np.integer | str):
        return make_folds(targets, classes, cv, random_state, groups=groups, option=option)
    n_folds = fit_folds(cv, USUAL_FOLDS, len(np.unique(groups)), limit="there are no more groups")
    # Classes by name, for messages; as objects, since numbers with fractions are no classes elsewhere.
    y = None if classes is None else classes.astype(object)[targets]
    return group_folds(groups, n_folds, random_state, y, option=option)


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
    check_length(len(classes), n_graphs, "y")
    return classes


def _distribute(counts: IntArray, n_folds: int, random_state: FoldSeed) -> IntArray:
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
    cells = [cell.lower() for cell in read_cells(column, n_graphs, name, remedy=_HOW_TO_SPLIT)]
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
