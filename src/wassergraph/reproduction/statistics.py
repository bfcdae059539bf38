"""Statistics of results: the best method and its significance, ranks, and whether a number is reproduced.

    results ──make_cells──▶ Cell ──compare──▶ MethodComparison    within a data set: best, bold, asterisk
                            ──average_ranks──▶               over the data sets of a table
                            ──verdict──▶                     compared with the paper

A *cell* contains all repetitions of one method on one data set.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata, ttest_ind_from_stats, ttest_rel

from wassergraph.reproduction.results import Key, RunResult

#: The significance level of the tests, before the correction for their number.
LEVEL = 0.05
#: The number of repetitions in the paper, and of a complete cell.
REPETITIONS = 10
#: The last digit that the paper prints: smaller differences cannot be seen.
LAST_DIGIT = 0.01
#: Accuracies that differ by less differ by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """The accuracy of one method on one data set.

    Attributes
    ----------
    dataset, method, kind : str
        What was measured.
    accuracies : tuple of float
        The mean over the folds in percent, by repetition.
    majority : float
        The percentage of graphs in the largest class: the accuracy of always predicting that class.
    numbers : tuple of int, optional
        The number of every repetition, which is the seed of its folds; by default 0, 1, and so on.
    """

    dataset: str
    method: str
    kind: str
    accuracies: tuple[float, ...]
    majority: float
    numbers: tuple[int, ...] = ()

    @property
    def by_number(self) -> dict[int, float]:
        """The accuracies by the number of the repetition."""
        return dict(zip(self.numbers or range(len(self.accuracies)), self.accuracies, strict=True))

    @property
    def repetitions(self) -> int:
        """The number of repetitions."""
        return len(self.accuracies)

    @property
    def mean(self) -> float:
        """The mean over the repetitions."""
        return float(np.mean(self.accuracies))

    @property
    def std(self) -> float:
        """The standard deviation over the repetitions (``ddof=0``); it is 0 for a single one.

        The paper does not specify the divisor. With this one, :func:`compare` reproduces its asterisks from its
        printed standard deviations; with ``ddof=1`` there would be two more, on NCI1 and on D&D.
        """
        return float(np.std(self.accuracies))

    @property
    def variance(self) -> float:
        """The estimated variance of a repetition (``ddof=1``), for tests; it needs two repetitions."""
        return float(np.var(self.accuracies, ddof=1))


@dataclass(frozen=True)
class MethodComparison:
    """The comparison of all methods on one data set.

    Attributes
    ----------
    best : str
        The method with the highest mean.
    bold : frozenset of str
        The best method, and those that do not differ from it by more than the :func:`resolution`.
    p_values : dict
        The two-sided tests of the best method against each other one, corrected for the number of comparisons.
    untested : tuple of str
        Methods that could not be tested, because they or the best one have a single repetition.
    winner : str or None
        The method that is significantly better than all others, if there is one; none if a method is missing or
        untested.
    """

    best: str
    bold: frozenset[str]
    p_values: Mapping[str, float]
    untested: tuple[str, ...]
    winner: str | None


def make_cells(results: Sequence[RunResult]) -> dict[Key, Cell]:
    """Return one cell for every method on every data set, in alphabetical order.

    Raises
    ------
    ValueError
        If there are two results of the same run, or accuracies are not between 0 and 1.
    """
    groups: dict[Key, dict[int, RunResult]] = defaultdict(dict)
    for result in results:
        repetitions = groups[result.run.key]
        if result.run.repetition in repetitions:
            raise ValueError(f"there are two results for {result.run}: remove one of the files")
        repetitions[result.run.repetition] = result
    return {key: _cell(key, groups[key]) for key in sorted(groups)}


def _cell(key: Key, repetitions: Mapping[int, RunResult]) -> Cell:
    numbers = tuple(sorted(repetitions))
    ordered = [repetitions[number] for number in numbers]
    majority = ordered[0].scores.majority
    assert majority is not None, "the paper has classes only"
    return Cell(*key, tuple(map(_accuracy, ordered)), 100 * majority, numbers)


def compare(row: Sequence[Cell], n_methods: int) -> MethodComparison:
    """Return the best method on a data set, those as good, and whether it is significantly better than all others.

    The tests are those of the paper: Student's two-sample t-test of the means of the repetitions, two-sided, with
    Bonferroni's correction for the ``n_methods - 1`` comparisons within the data set. The repetitions share their
    graphs, so the samples are less independent than the test assumes.

    Parameters
    ----------
    row : sequence of Cell
        The methods that have results; at least one.
    n_methods : int
        The number of methods in the table.

    Returns
    -------
    MethodComparison
    """
    best = max(row, key=lambda cell: cell.mean)
    others = [cell for cell in row if cell is not best]
    testable = [cell for cell in others if min(cell.repetitions, best.repetitions) > 1]
    p_values = {cell.method: min(1.0, p_value(best, cell) * (n_methods - 1)) for cell in testable}
    complete = len(p_values) == n_methods - 1
    return MethodComparison(
        best=best.method,
        bold=frozenset(cell.method for cell in row if best.mean - cell.mean <= resolution(best, cell)),
        p_values=p_values,
        untested=tuple(cell.method for cell in others if cell not in testable),
        winner=best.method if complete and all(p < LEVEL for p in p_values.values()) else None,
    )


def p_value(one: Cell, other: Cell) -> float:
    """Return the p-value of Student's two-sided t-test for equal means of two cells.

    Where neither varies, for instance because the SVM always predicts the largest class, it is 1 for equal means and 0
    for different ones.
    """
    if min(one.repetitions, other.repetitions) < 2:
        raise ValueError(f"{one.method} and {other.method} on {one.dataset} need two repetitions each for a test")
    if abs(one.mean - other.mean) < _ROUNDING:
        return 1.0
    if max(one.variance, other.variance) < _ROUNDING**2:
        return 0.0
    test = ttest_ind_from_stats(
        one.mean, math.sqrt(one.variance), one.repetitions, other.mean, math.sqrt(other.variance), other.repetitions
    )
    return float(test.pvalue)


def shared_repetitions(one: Cell, other: Cell) -> tuple[Cell, Cell]:
    """Return two cells with the repetitions that both have, whose folds are the same if the graphs are."""
    accuracies = one.by_number, other.by_number
    numbers = tuple(sorted(accuracies[0].keys() & accuracies[1].keys()))
    first, second = (
        replace(cell, accuracies=tuple(by_number[number] for number in numbers), numbers=numbers)
        for cell, by_number in zip((one, other), accuracies, strict=True)
    )
    return first, second


def paired_p_value(one: Cell, other: Cell) -> float | None:
    """Return the p-value of the two-sided paired t-test for equal means, over the repetitions that both cells have.

    Where the difference does not vary, it is 1 if there is none, and 0 otherwise. It is None if there are fewer than
    two such repetitions. The repetitions share their graphs, so the differences are less independent than the test
    assumes.
    """
    one, other = shared_repetitions(one, other)
    differences = np.subtract(one.accuracies, other.accuracies)
    if len(differences) < 2:
        return None
    if np.ptp(differences) < _ROUNDING:
        return 1.0 if abs(differences[0]) < _ROUNDING else 0.0
    return float(ttest_rel(one.accuracies, other.accuracies).pvalue)


def resolution(one: Cell, other: Cell) -> float:
    """Return the largest difference of two means that does not count: the pooled standard deviation.

    The paper prints in bold what is best "up to the resolution implied by the standard deviation" and gives no formula.
    This one, the standard deviation that the t-test uses, reproduces the bold figures in all 84 cells. Overlapping
    intervals of mean ± standard deviation would lead to seven more.
    """
    freedom = one.repetitions + other.repetitions - 2
    squares = sum(cell.repetitions * cell.std**2 for cell in (one, other))
    return max(math.sqrt(squares / freedom) if freedom else 0.0, _ROUNDING)


def average_ranks(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the rank of each method, averaged over data sets; 1 is the best, and equal means share a rank.

    Parameters
    ----------
    means : dict of dict
        The mean accuracy by data set and method; the methods must be the same on each data set.

    Returns
    -------
    dict of float
        The average rank by method.
    """
    if not means:
        return {}
    methods = list(next(iter(means.values())))
    for dataset, row in means.items():
        if set(row) != set(methods):
            raise ValueError(
                f"{dataset} has results of {sorted(row)}, not of {sorted(methods)}: leave the data set out"
            )
    scores = np.array([[row[method] for method in methods] for row in means.values()])
    ranks = rankdata(-scores.round(9), axis=1).mean(axis=0)
    return dict(zip(methods, ranks.tolist(), strict=True))


def verdict(ours_mean: float, ours_std: float, paper_mean: float, paper_std: float) -> str:
    """Return whether an accuracy agrees with that of the paper: "reproduced", "above" or "below".

    It is reproduced if the difference is at most two standard deviations of the difference, plus the last digit that is
    printed, which matters where nothing varies.
    """
    difference = ours_mean - paper_mean
    if abs(difference) <= 2 * math.hypot(ours_std, paper_std) + LAST_DIGIT + _ROUNDING:
        return "reproduced"
    return "above" if difference > 0 else "below"


def choices(results: Sequence[RunResult]) -> dict[str, list[tuple[Any, float]]]:
    """Return how often each value of each parameter was chosen, as a fraction of all folds, the most frequent first.

    Where several matrices were evaluated in a fold, its parameters are lists, and each entry counts.
    """
    counts: dict[str, Counter[Any]] = defaultdict(Counter)
    for result in results:
        for parameters in result.scores.parameters:
            for name, value in parameters.items():
                counts[name].update(value if isinstance(value, list) else [value])
    return {
        name: [(value, count / counter.total()) for value, count in sorted(counter.items(), key=_frequent_first)]
        for name, counter in sorted(counts.items())
    }


def total_seconds(results: Sequence[RunResult]) -> float:
    """Return the time of all steps; matrices that several repetitions or variants share are counted once."""
    return math.fsum(time for times in seconds_by_set(results).values() for time in times.values())


def seconds_by_set(results: Sequence[RunResult]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the time of the matrices and of all other steps, which are the folds, by data set and kind.

    Matrices are computed once and kept, and every result that uses them has their time: equal times on a data set are
    those of the same matrices, and counted once.

    Parameters
    ----------
    results : sequence of RunResult
        All results, in any order.

    Returns
    -------
    dict of dict
        The seconds of "matrices" and "folds" by data set and kind, in alphabetical order.
    """
    matrices: dict[tuple[str, str], set[float]] = defaultdict(set)
    folds: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in results:
        place, seconds = (result.run.dataset, result.run.kind), result.scores.seconds
        matrices[place].update(time for step, time in seconds.items() if step == "matrices")
        folds[place] += [time for step, time in seconds.items() if step != "matrices"]
    return {
        place: {"matrices": math.fsum(matrices[place]), "folds": math.fsum(folds[place])} for place in sorted(folds)
    }


def majorities(cells: Mapping[Key, Cell], kind: str) -> dict[str, float]:
    """Return the percentage of graphs in the largest class, for every data set that has results."""
    return {cell.dataset: cell.majority for cell in cells.values() if cell.kind == kind}


def _frequent_first(item: tuple[Any, int]) -> tuple[int, str, float, str]:
    value, count = item
    number = isinstance(value, int | float)
    return (-count, "" if number else type(value).__name__, float(value) if number else 0.0, str(value))


def _accuracy(result: RunResult) -> float:
    """Return the mean over the folds in percent."""
    folds = np.asarray(result.scores.accuracy, dtype=np.float64)
    if folds.size == 0 or not ((folds >= 0) & (folds <= 1)).all():
        raise ValueError(f"{result.run} has accuracies {folds.tolist()}: they must lie between 0 and 1, run it again")
    return 100 * float(folds.mean())
