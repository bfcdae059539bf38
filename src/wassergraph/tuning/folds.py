"""Folds for cross-validation, stratified and reproducible; and those of a nested one."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from wassergraph.arrays import Fold, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.invariants import check_choice, check_whole
from wassergraph.scores.classes import check_classes_present, class_name

#: What folds are shuffled with; None keeps the order.
FoldSeed: TypeAlias = int | np.random.RandomState | None
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
    targets: NDArray[Any],
    classes: NDArray[Any] | None,
    cv: CrossValidation | Auto,
    random_state: FoldSeed = None,
    *,
    groups: IntArray | None = None,
    option: str = "cv",
) -> list[Fold]:
    """Split graphs into folds.

    Parameters
    ----------
    targets : (n_graphs) array
        The class of every graph, numbered from 0, or its number.
    classes : (n_classes) array or None
        The names of the classes, for messages; None if targets are numbers.
    cv : int, "auto", splitter or iterable
        The number of folds, which are stratified for classes; a splitter of scikit-learn; or splits. "auto" is 5, or as
        many as the largest class has graphs, or as there are graphs with numbers, if these are fewer.
    random_state : int, RandomState or None
        What folds are shuffled with; None keeps the order of the graphs.
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
        limit = "there are no more graphs" if classes is None else "no class has more graphs to split"
        cv = fit_folds(cv, USUAL_FOLDS, _most_folds(targets, classes), limit=limit)
    if isinstance(cv, int | np.integer):
        folds = _shuffled_folds(targets, classes, int(cv), random_state, option)
    else:
        splitter = check_cv(cv, targets, classifier=classes is not None)
        splits: Iterable[Any] = splitter.split(np.zeros(len(targets)), targets, groups)
        folds = [(_positions(train), _positions(test)) for train, test in splits]
    if not folds:
        raise InputError("{} has no folds", remedy="pass at least one", options=[Option(option)])
    for number, (train, test) in enumerate(folds):
        for part in (train, test):
            _check_positions(part, len(targets), number)
        if classes is not None:
            check_classes_present(targets[train], classes, f"the training part of fold {number}")
        if not len(test):
            raise InputError(f"fold {number} has no graph to test with", remedy="use fewer folds")
    return folds


def _check_positions(part: IntArray, n_graphs: int, number: int) -> None:
    outside = part[(part < 0) | (part >= n_graphs)]
    if outside.size:
        raise InputError(f"fold {number} names the graph {outside[0]}, but there are {n_graphs} graphs, counted from 0")


def check_seed(random_state: FoldSeed) -> None:
    """Raise an error unless a seed is a number that numpy accepts, a random generator or None."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return
    if check_whole("random_state", random_state, 0) > _LARGEST_SEED:
        problem = f"{{}} must be at most {_LARGEST_SEED}, got {random_state}"
        raise InputError(problem, options=[Option("random_state")])


def _most_folds(targets: NDArray[Any], classes: NDArray[Any] | None) -> int:
    return len(targets) if classes is None else int(np.bincount(targets).max())


def _shuffled_folds(
    targets: NDArray[Any], classes: NDArray[Any] | None, cv: int, random_state: FoldSeed, option: str
) -> list[Fold]:
    """Return so many folds, which are stratified for classes."""
    most = _most_folds(targets, classes)
    if not 2 <= cv <= most:
        raise wrong_number(option, cv, most, f"graphs{'' if classes is None else ' in the largest class'}")
    options = {"shuffle": random_state is not None, "random_state": random_state}
    splitter = KFold(cv, **options) if classes is None else StratifiedKFold(cv, **options)
    if classes is not None:
        warn_of_rare_class(classes, np.bincount(targets), cv)
    with warnings.catch_warnings():  # the warning above names the class
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(splitter.split(np.zeros(len(targets)), targets))
    return [(np.asarray(train), np.asarray(test)) for train, test in splits]


def wrong_number(option: str, n_folds: int, most: int, things: str) -> InputError:
    """Return the error for a number of folds that is not from 2 to the number of some things."""
    problem = f"{{}} must be from 2 to {most}, the number of {things}, got {n_folds}"
    return InputError(problem, options=[Option(option)])


def warn_of_rare_class(classes: NDArray[Any], counts: IntArray, n_folds: int) -> None:
    """Warn if the smallest class has fewer graphs than there are folds."""
    if counts.min() < n_folds:
        rare = class_name(classes[counts.argmin()])
        fewer = f"the class {rare} has {counts.min()} graphs, fewer than the {n_folds} folds"
        warnings.warn(f"{fewer}: some folds test without it", stacklevel=5)


def _positions(selected: ArrayLike) -> IntArray:
    """Return positions, from positions or a mask."""
    array = np.asarray(selected)
    return np.flatnonzero(array) if array.dtype == bool else array


# Nested folds


def restrict_folds(folds: Sequence[Fold], part: IntArray) -> list[Fold]:
    """Return the folds of a part of the graphs, as positions in that part."""
    return [(np.flatnonzero(np.isin(part, train)), np.flatnonzero(np.isin(part, test))) for train, test in folds]


class NestedFolds(NamedTuple):
    """The folds of a nested cross-validation.

    Attributes
    ----------
    outer : sequence of (train, test)
        The outer folds, as positions of graphs.
    inner : sequence of sequences of (train, test)
        For each outer fold, folds of its training graphs, as positions among all graphs.
    random_state : int
        Their seed.
    """

    outer: Sequence[Fold]
    inner: Sequence[Sequence[Fold]]
    random_state: int = 0

    @property
    def all_inner(self) -> list[Fold]:
        """The inner folds of all outer folds, one after the other."""
        return [fold for folds in self.inner for fold in folds]

    @property
    def groups(self) -> list[int]:
        """The number of the outer fold that each inner fold belongs to."""
        return [number for number, folds in enumerate(self.inner) for _ in folds]

    @property
    def by_group(self) -> list[list[int]]:
        """The numbers of the inner folds of each outer fold."""
        ends = np.cumsum([0, *map(len, self.inner)]).tolist()
        return [list(range(begin, end)) for begin, end in itertools.pairwise(ends)]

    def one_by_one(self) -> list[NestedFolds]:
        """Return each outer fold alone, with its inner folds."""
        return [NestedFolds([outer], [inner], self.random_state) for outer, inner in zip(*self[:2], strict=True)]

    def of_part(self, part: IntArray) -> NestedFolds:
        """Return the folds of a part of the graphs, as positions in that part."""
        inner = [restrict_folds(folds, part) for folds in self.inner]
        return NestedFolds(restrict_folds(self.outer, part), inner, self.random_state)
