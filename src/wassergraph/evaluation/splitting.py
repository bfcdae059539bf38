"""Splitting: how graphs are split into outer and inner folds, at random or by groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import Fold, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.evaluation.compared import GivenDistances
from wassergraph.evaluation.matrices import Threads
from wassergraph.formats.molecule_groups import butina_groups, scaffold_groups
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.api import distances
from wassergraph.scores.classes import class_name, rare_class_remedy
from wassergraph.scores.tasks import ClassTask, NumberTask
from wassergraph.tuning.folds import (
    INNER_FOLDS,
    OUTER_FOLDS,
    Auto,
    check_seed,
    fit_folds,
    warn_of_rare_class,
    wrong_number,
)
from wassergraph.tuning.groups import distance_groups, read_groups
from wassergraph.tuning.splits import Split, given_folds, split_graphs

#: The depth of the distances that "wwl" clusters.
_CLUSTER_DEPTH = 2
#: How many training graphs there must be, so that two of them remain in the training part of an inner fold.
_LEAST_GRAPHS = 4
#: What each split is called in a sentence about folds.
_WORDS: dict[Split, str] = {
    "random": "",
    "scaffold": " of whole scaffolds",
    "butina": " of whole clusters of fingerprints",
    "wwl": " of whole clusters of WWL distances",
    "group": " of whole groups",
    "given": " as given",
}


@dataclass(frozen=True, eq=False)
class Folds:
    """The outer folds of an evaluation: how many, how graphs are split into them, and how often.

    Parameters
    ----------
    n_folds : int or "auto"
        How many; they are shuffled, and stratified for classes. "auto" is 10, or fewer, with a warning, if no class has
        as many graphs, or if there are not as many graphs or groups.
    split : "random", "scaffold", "butina", "wwl", "group" or "given"
        How to split graphs: at random; or such that graphs of one group are in one fold, and in one inner fold. The
        groups are the Bemis–Murcko scaffolds of molecules, Butina's clusters of their fingerprints, clusters of WWL
        distances (depth 2, complete linkage, as many as the square root of the number of graphs, but at least 20), or
        ``groups``. "given" takes the folds from ``groups``; inner folds are random.
    groups : (N) array, optional
        For "group", the group of every graph; for "given", "train" or "test", or the number of the fold that tests it.
    repetitions : int
        How often to repeat the cross-validation with new random folds.
    random_state : int
        The seed of the folds; each repetition has the next one.

    Attributes
    ----------
    n_folds, split, groups, repetitions, random_state : as above
        The parameters.

    See Also
    --------
    evaluate : what splits graphs into folds

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> series = wg.Folds(3, split="group", groups=[g // 5 for g in range(60)])
    >>> wg.evaluate(graphs, y, "v", folds=series).splitting.split
    'group'
    """

    n_folds: int | Auto = "auto"
    split: Split = "random"
    groups: ArrayLike | None = None
    repetitions: int = 1
    random_state: int = 0


def read_folds(folds: int | Auto | Folds) -> Folds:
    """Return folds whose numbers of repetitions and seeds are right."""
    folds = folds if isinstance(folds, Folds) else Folds(folds)
    check_whole("repetitions", folds.repetitions, 1)
    check_seed(check_whole("random_state", folds.random_state, 0) + folds.repetitions - 1)
    return folds


@dataclass(frozen=True, eq=False)
class Splitting:
    """How graphs are split into folds.

    Attributes
    ----------
    split : str
        How, by name.
    groups : (n_graphs) integers or None
        The group of every graph, whose graphs are never in both parts of an outer or inner fold; None for no groups.
    given : list of (train, test) or None
        The outer folds, if they are given.
    """

    split: Split = "random"
    groups: IntArray | None = None
    given: list[Fold] | None = None

    @property
    def words(self) -> str:
        """What is to be said after the word "folds"."""
        return _WORDS[self.split]

    def outer(self, task: ClassTask | NumberTask, n_folds: int, random_state: int) -> list[Fold]:
        """Split all graphs; classes are balanced."""
        if self.given is not None:
            return self.given
        return self._split(task, np.arange(len(task.targets)), n_folds, random_state, "folds")

    def inner(self, task: ClassTask | NumberTask, train: IntArray, n_folds: int, random_state: int) -> list[Fold]:
        """Split the training graphs of an outer fold, by the same groups; positions are those among all graphs."""
        folds = self._split(task, train, n_folds, random_state, "cv")
        return [(train[a], train[b]) for a, b in folds]

    def _split(
        self, task: ClassTask | NumberTask, graphs: IntArray, n_folds: int, random_state: int, option: str
    ) -> list[Fold]:
        """Split some of the graphs into folds; positions are those among them."""
        classes = task.classes if isinstance(task, ClassTask) else None
        groups = None if self.groups is None else self.groups[graphs]
        return split_graphs(task.targets[graphs], classes, n_folds, random_state, groups, option=option)


#: Folds at random.
RANDOM = Splitting()


def read_splitting(folds: Folds, graphs: GraphBatch | GivenDistances, molecules: Any, threads: Threads) -> Splitting:
    """Return how to split graphs, with their groups.

    Parameters
    ----------
    folds : Folds
        What was asked for.
    graphs : GraphBatch or GivenDistances
        The graphs, or what is known of them.
    molecules : SMILES strings or RDKit molecules, or None
        The same as molecules, for "scaffold" and "butina".
    threads : Threads
        How to compute distances.

    Returns
    -------
    Splitting

    Raises
    ------
    ValueError
        If the split is unknown, or if what it needs is missing.
    """
    split, groups = folds.split, folds.groups
    check_choice("split", split, Split)
    takes_groups, takes_molecules = split in ("group", "given"), split in ("scaffold", "butina")
    if takes_groups != (groups is not None):
        raise _wrong_groups(split, given=groups is not None)
    if (takes_molecules and molecules is None) or (split == "wwl" and isinstance(graphs, GivenDistances)):
        raise _nothing_to_split(split)
    if groups is not None:
        column = read_column(groups)
        if split == "group":
            return Splitting(split, read_groups(column, len(graphs)))
        return Splitting(split, given=given_folds(column, len(graphs), name="groups"))
    if takes_molecules:
        return Splitting(split, scaffold_groups(molecules) if split == "scaffold" else butina_groups(molecules))
    if isinstance(graphs, GivenDistances) or split == "random":
        return RANDOM
    # As many clusters as the square root of the number of graphs, but at least 20.
    n_clusters = min(len(graphs), max(2 * OUTER_FOLDS, math.isqrt(len(graphs))))
    matrix = distances(graphs, metric=WWL(_CLUSTER_DEPTH), **vars(threads))
    return Splitting(split, distance_groups(matrix, n_clusters=n_clusters))


def _nothing_to_split(split: Split) -> InputError:
    options = [Option("split", split)]
    if split == "wwl":
        return InputError("{} compares graphs, but there are distances alone", remedy="pass graphs", options=options)
    problem = "{} needs molecules, since graphs have neither charges nor hydrogens"
    remedy = "use SMILES strings, RDKit molecules or a table of molecules"
    return InputError(problem, remedy=remedy, options=options)


def read_column(groups: Any) -> list[Any]:
    """Return groups as a list; raise an error unless they are a sequence of single values."""
    if isinstance(groups, str | Mapping | Set) or not isinstance(groups, Iterable):
        problem = f"{{}} must have one value for every graph, in their order, got {type(groups).__name__}"
        raise InputTypeError(problem, remedy="pass a list or an array", options=[Option("groups")])
    try:
        values = np.asarray(list(groups) if isinstance(groups, Iterator) else groups)
    except ValueError:  # lists of different lengths
        values = np.empty((0, 0))
    if values.ndim != 1:
        problem = "{} must have one value for every graph, got a table"
        raise InputError(problem, remedy="pass one column", options=[Option("groups")])
    return list(values.tolist())


def _wrong_groups(split: Split, *, given: bool) -> InputError:
    options = [Option("split", split), Option("groups")]
    if not given:
        return InputError("{} needs {}", remedy="pass a value for every graph", options=options)
    options += [Option("split", "group"), Option("split", "given")]
    return InputError("{} does not use {}", remedy="pass {} or {}", options=options)


def count_folds(
    task: ClassTask | NumberTask,
    splitting: Splitting,
    folds: int | Auto,
    inner_folds: int | Auto,
    seeds: Sequence[int],
    *,
    has_inner: bool = True,
) -> tuple[int, int]:
    """Return the numbers of outer and inner folds; "auto" is 10 and 5, or fewer, with a warning.

    All folds of all repetitions are made, so that errors are raised before any computation.

    Parameters
    ----------
    task : ClassTask or NumberTask
        What is learned.
    splitting : Splitting
        How graphs are split.
    folds, inner_folds : int or "auto"
        The numbers that were asked for.
    seeds : sequence of int
        The seeds of the repetitions.
    has_inner : bool
        Whether a method chooses parameters in inner folds.

    Returns
    -------
    folds, inner_folds : int

    Raises
    ------
    ValueError
        If there are too few graphs or groups for them.
    """
    if isinstance(task, ClassTask) and splitting.split == "random":
        return _count_class_folds(task, folds, inner_folds, has_inner=has_inner)
    units = np.arange(len(task.targets)) if splitting.groups is None else splitting.groups
    kind = "graphs" if splitting.groups is None else "groups"
    limit = f"there are no more {kind}"
    if splitting.given is None:
        folds = check_whole("folds", fit_folds(folds, OUTER_FOLDS, _count(units), limit=limit), 2)
    else:
        if folds not in ("auto", len(splitting.given)):
            problem = f"{{}} is {folds}, but the given split has {len(splitting.given)}"
            raise InputError(problem, remedy="leave it out", options=[Option("folds")])
        folds = len(splitting.given)
    outer = {seed: splitting.outer(task, folds, seed) for seed in seeds}
    if not has_inner:
        return folds, INNER_FOLDS
    least = min(_count(units[train]) for each in outer.values() for train, _ in each)
    if least < (_LEAST_GRAPHS if splitting.groups is None else 2):
        problem = f"the training part of a fold has {count(least, kind[:-1])}, too few for inner folds"
        remedy = f"add graphs{'' if splitting.groups is None else ', or use more and smaller groups'}"
        raise InputError(problem, remedy=remedy)
    inner_folds = fit_folds(inner_folds, INNER_FOLDS, least, what="inner folds", limit=limit)
    _check_number("cv", inner_folds, least, f"{kind} in the training part of a fold")
    for seed, each in outer.items():  # raise errors before anything is computed
        for train, _ in each:
            splitting.inner(task, train, inner_folds, seed)
    return folds, inner_folds


def _count(units: IntArray) -> int:
    return len(np.unique(units))


def _count_class_folds(
    task: ClassTask, folds: int | Auto, inner_folds: int | Auto, *, has_inner: bool
) -> tuple[int, int]:
    """Return the numbers of stratified folds; raise an error if a class has too few graphs for them."""
    classes, counts = task.classes, np.bincount(task.targets)
    folds = check_whole("folds", fit_folds(folds, OUTER_FOLDS, int(counts.max())), 2)
    training = counts - -(-counts // folds)  # the smallest number of training graphs of each class in any fold
    _check_number("folds", folds, int(counts.max()), "graphs in the largest class")
    inner_folds = fit_folds(inner_folds, INNER_FOLDS, int(training.max()), what="inner folds")
    things = "graphs in the largest class in the training part of a fold"
    _check_number("cv", inner_folds, int(training.max()), things)
    if training.min() < 2 and has_inner:
        few = f"the class {class_name(classes[counts.argmin()])} has {counts.min()} graphs"
        problem = f"{few}, but nested cross-validation with {folds} folds needs {3 if folds > 2 else 4}"
        raise InputError(problem, remedy=rare_class_remedy(task.targets))
    warn_of_rare_class(classes, counts, folds)
    return folds, inner_folds


def _check_number(option: str, n_folds: int, most: int, things: str) -> None:
    if check_whole(option, n_folds, 2) > most:
        raise wrong_number(option, n_folds, most, things)
