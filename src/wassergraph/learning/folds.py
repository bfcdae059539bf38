"""Which graphs train and which test: stratified folds that are the same every time."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from wassergraph.arrays import IntArray
from wassergraph.learning.selection import Fold
from wassergraph.learning.svm.multiclass import class_name, present_classes


def read_classes(y: ArrayLike | None, n_graphs: int) -> tuple[NDArray[Any], IntArray]:
    """Give the classes, sorted, and the number of every graph's class among them."""
    if y is None:
        raise ValueError("y is None: a classifier learns from the class of every graph")
    targets = column_or_1d(y)
    if len(targets) != n_graphs:
        raise ValueError(f"there are {n_graphs} graphs, but {len(targets)} classes in y: give one for each graph")
    targets = _of_one_type(targets)
    check_classification_targets(targets)
    classes, codes, counts = np.unique(targets, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"all graphs are of the class {class_name(classes[0])}: a classifier needs two classes, or more"
        )
    if counts.min() < 2:
        alone = class_name(classes[counts.argmin()])
        raise ValueError(f"the class {alone} has one graph only: two are needed, one to train with and one to test")
    return classes, codes.astype(np.int64)


def _of_one_type(targets: NDArray[Any]) -> NDArray[Any]:
    """Give classes that came as objects, as tables have them, the type that all of them share."""
    if targets.dtype != object:
        return targets
    types = {type(target) for target in targets.tolist()}
    if len(types) != 1 or not types <= {str, int, bool, float}:
        named = ", ".join(sorted(kind.__name__ for kind in types))
        raise ValueError(f"y holds values of the types {named}: give classes that are all texts, or all numbers")
    return np.array(targets.tolist())


def make_folds(codes: IntArray, classes: NDArray[Any], cv: Any, random_state: Any = None) -> list[Fold]:
    """Cut graphs into folds: pairs of positions to train with and to test with.

    ``cv`` is a number of stratified folds, a splitter of scikit-learn or an iterable of splits. Stratified folds take
    the graphs in their order, or shuffled if there is a ``random_state``.
    """
    if isinstance(cv, int | np.integer):
        largest = int(np.bincount(codes).max())
        if not 2 <= cv <= largest:
            raise ValueError(f"cv must be from 2 to {largest}, the number of graphs in the largest class; got {cv}")
        splitter = StratifiedKFold(int(cv), shuffle=random_state is not None, random_state=random_state)
        _warn_of_rare_classes(codes, classes, int(cv))
        folds = _quietly_split(splitter, codes)
    else:
        splits: Iterable[Any] = check_cv(cv, codes, classifier=True).split(np.zeros(len(codes)), codes)
        folds = [(_positions(train), _positions(test)) for train, test in splits]
    for number, (train, test) in enumerate(folds):
        present_classes(codes[train], classes, f"the training part of fold {number}")
        if not len(test):
            raise ValueError(f"fold {number} has no graph to test with: use fewer folds")
    return folds


def _positions(chosen: Any) -> IntArray:
    """Read positions, or a mask."""
    array = np.asarray(chosen)
    return np.flatnonzero(array) if array.dtype == bool else array


def _quietly_split(splitter: StratifiedKFold, codes: IntArray) -> list[Fold]:
    with warnings.catch_warnings():  # said already, with the name of the class
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(np.zeros(len(codes)), codes)]


def _warn_of_rare_classes(codes: IntArray, classes: NDArray[Any], cv: int) -> None:
    counts = np.bincount(codes)
    if counts.min() < cv:
        rare = class_name(classes[counts.argmin()])
        warnings.warn(
            f"the class {rare} has {counts.min()} graphs, fewer than the {cv} folds: some folds test without it",
            stacklevel=4,
        )
