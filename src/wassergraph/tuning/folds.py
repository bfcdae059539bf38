"""Folds for cross-validation: stratified and reproducible."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.invariants import check_choice, check_whole
from wassergraph.scores.classes import check_classes_present, class_name

#: What folds are shuffled with; None keeps the order.
RandomState: TypeAlias = int | np.random.RandomState | None
#: The largest seed of numpy's ``RandomState``, which shuffles the folds.
_LARGEST_SEED = 2**32 - 1


class Splitter(Protocol):
    """A splitter of scikit-learn, such as ``StratifiedKFold``."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[Any, Any]]:  # noqa: N803
        """Return pairs of training and test positions."""
        ...


#: A number of stratified folds, a splitter, or pairs of positions or masks.
CrossValidation: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
#: The default number of folds where as many are possible; fewer otherwise.
Auto: TypeAlias = Literal["auto"]
USUAL_FOLDS = 5
#: The default numbers of outer and inner folds of a nested cross-validation.
OUTER_FOLDS, INNER_FOLDS = 10, 5


def fit_folds(
    folds: int | Auto,
    usual: int,
    most: int,
    *,
    what: str = "folds",
    limit: str = "no class has more graphs to split",
) -> int:
    """Return a number of folds; "auto" is the usual number, or fewer, with a warning, if so many are not possible.

    Parameters
    ----------
    folds : int or "auto"
        The number; one that is given is returned as it is.
    usual : int
        What "auto" is, if there are enough graphs.
    most : int
        The largest number that is possible, such as the number of graphs in the largest class.
    what : str
        What these folds are called, for the warning.
    limit : str
        Why more are not possible, for the warning.

    Returns
    -------
    int
    """
    if not isinstance(folds, str):
        return folds
    check_choice(what.replace(" ", "_"), folds, Auto)
    if not 2 <= most < usual:
        return usual
    warnings.warn(f"{most} {what} instead of {usual}, since {limit}", stacklevel=4)
    return most


def make_folds(
    class_indices: IntArray,
    classes: NDArray[Any],
    cv: CrossValidation | Auto,
    random_state: RandomState = None,
    *,
    groups: IntArray | None = None,
    option: str = "cv",
) -> list[Fold]:
    """Split graphs into folds.

    Parameters
    ----------
    class_indices : (n_graphs) integers
        The class of every graph, numbered from 0.
    classes : (n_classes) array
        The names of the classes, for messages.
    cv : int, "auto", splitter or iterable
        The number of stratified folds, a splitter of scikit-learn, or splits. "auto" is 5, or as many as the largest
        class has graphs, if these are fewer.
    random_state : int, RandomState or None
        What stratified folds are shuffled with; None keeps the order of the graphs.
    groups : (n_graphs) integers, optional
        The groups of graphs, for a splitter that makes use of them.
    option : str
        The name of the parameter for the number of folds, for messages.

    Returns
    -------
    list of (train, test)
        The positions of the training graphs and of the test graphs of every fold.

    Raises
    ------
    ValueError
        If the number of folds or the seed is out of range, a training part lacks a class, or a test part is empty.
    """
    check_seed(random_state)
    if isinstance(cv, str):
        cv = fit_folds(cv, USUAL_FOLDS, int(np.bincount(class_indices).max()))
    if isinstance(cv, int | np.integer):
        folds = _stratified_folds(class_indices, classes, int(cv), random_state, option)
    else:
        splitter = check_cv(cv, class_indices, classifier=True)
        splits: Iterable[Any] = splitter.split(np.zeros(len(class_indices)), class_indices, groups)
        folds = [(_positions(train), _positions(test)) for train, test in splits]
    if not folds:
        raise InputError("{} has no folds", remedy="pass at least one", options=[Option(option)])
    for number, (train, test) in enumerate(folds):
        for part in (train, test):
            _check_positions(part, len(class_indices), number)
        check_classes_present(class_indices[train], classes, f"the training part of fold {number}")
        if not len(test):
            raise InputError(f"fold {number} has no graph to test with", remedy="use fewer folds")
    return folds


def make_number_folds(
    targets: FloatArray,
    cv: CrossValidation | Auto,
    random_state: RandomState = None,
    *,
    groups: IntArray | None = None,
    option: str = "cv",
) -> list[Fold]:
    """Split graphs with numbers as targets into folds; the parameters are those of :func:`make_folds`.

    Returns
    -------
    list of (train, test)
        The positions of the training graphs and of the test graphs of every fold.
    """
    check_seed(random_state)
    n_graphs = len(targets)
    if isinstance(cv, str):
        cv = fit_folds(cv, USUAL_FOLDS, n_graphs, limit="there are no more graphs")
    if isinstance(cv, int | np.integer):
        if not 2 <= cv <= n_graphs:
            problem = f"{{}} must be from 2 to {n_graphs}, the number of graphs, got {cv}"
            raise InputError(problem, options=[Option(option)])
        cv = KFold(int(cv), shuffle=random_state is not None, random_state=random_state)
    splits = check_cv(cv, targets, classifier=False).split(np.zeros(n_graphs), targets, groups)
    folds = [(_positions(train), _positions(test)) for train, test in splits]
    for number, (train, test) in enumerate(folds):
        for part in (train, test):
            _check_positions(part, n_graphs, number)
        if not len(test):
            raise InputError(f"fold {number} has no graph to test with", remedy="use fewer folds")
    return folds


def _check_positions(part: IntArray, n_graphs: int, number: int) -> None:
    outside = part[(part < 0) | (part >= n_graphs)]
    if outside.size:
        raise InputError(f"fold {number} names the graph {outside[0]}, but there are {n_graphs} graphs, counted from 0")


def check_seed(random_state: RandomState) -> None:
    """Raise an error unless a seed is a number that numpy accepts, a random generator or None."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return
    if check_whole("random_state", random_state, 0) > _LARGEST_SEED:
        problem = f"{{}} must be at most {_LARGEST_SEED}, got {random_state}"
        raise InputError(problem, options=[Option("random_state")])


def _stratified_folds(
    class_indices: IntArray, classes: NDArray[Any], cv: int, random_state: RandomState, option: str
) -> list[Fold]:
    counts = np.bincount(class_indices)
    if not 2 <= cv <= counts.max():
        problem = f"{{}} must be from 2 to {counts.max()}, the number of graphs in the largest class, got {cv}"
        raise InputError(problem, options=[Option(option)])
    if counts.min() < cv:
        rare = class_name(classes[counts.argmin()])
        warnings.warn(
            f"the class {rare} has {counts.min()} graphs, fewer than the {cv} folds: some folds test without it",
            stacklevel=4,
        )
    splitter = StratifiedKFold(cv, shuffle=random_state is not None, random_state=random_state)
    with warnings.catch_warnings():  # the warning above names the class
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(splitter.split(np.zeros(len(class_indices)), class_indices))
    return [(np.asarray(train), np.asarray(test)) for train, test in splits]


def _positions(selected: ArrayLike) -> IntArray:
    """Return positions, from positions or a mask."""
    array = np.asarray(selected)
    return np.flatnonzero(array) if array.dtype == bool else array
