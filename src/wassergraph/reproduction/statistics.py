"""From results to statements: cells, which method is best and how surely, ranks, and whether a number is reproduced.

    records ──cells──▶ Cell ──compare──▶ Comparison    within a data set: best, bold, asterisk
                            ──average_ranks──▶         over the data sets of a table
                            ──verdict──▶               beside the paper

A *record* is what one repetition of a 10-fold cross-validation left behind, a dictionary read from a file. A *cell* is
all the repetitions of one method on one data set.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import rankdata, ttest_ind_from_stats

Record: TypeAlias = Mapping[str, Any]
#: Data set, method and kind.
Key: TypeAlias = tuple[str, str, str]

#: The level of the tests, before the correction for their number.
LEVEL = 0.05
#: The number of repetitions that the paper, hence a whole cell, has.
REPETITIONS = 10
#: One in the last digit that the paper prints: no nearer can two numbers be told apart.
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
        Per repetition, the mean over the folds in per cent.
    majority : float
        What always answering with the largest class would reach, in per cent.
    """

    dataset: str
    method: str
    kind: str
    accuracies: tuple[float, ...]
    majority: float

    @property
    def repetitions(self) -> int:
        """How often the cross-validation was repeated."""
        return len(self.accuracies)

    @property
    def mean(self) -> float:
        """The mean over the repetitions."""
        return float(np.mean(self.accuracies))

    @property
    def std(self) -> float:
        """The standard deviation of the repetitions (``ddof=0``); of a single one it is 0 and says nothing.

        The paper does not name its divisor. With this one its printed deviations lead, by :func:`compare`, to each
        asterisk it prints and to no other; with ``ddof=1`` there would be two more, on NCI1 and on D&D.
        """
        return float(np.std(self.accuracies))

    @property
    def variance(self) -> float:
        """The estimated variance of a repetition (``ddof=1``), which tests need; at least two repetitions."""
        return float(np.var(self.accuracies, ddof=1))


@dataclass(frozen=True)
class Comparison:
    """The methods on one data set, compared.

    Attributes
    ----------
    best : str
        The method with the highest mean.
    bold : frozenset of str
        The methods that are as good up to the resolution of the numbers, the best among them.
    p_values : dict
        The best method against each other: two-sided, corrected for the number of comparisons.
    untested : tuple of str
        Methods that could not be tested, since they, or the best one, have a single repetition.
    winner : str or None
        The method that is significantly better than all others, if one is; never where one is missing or untested.
    """

    best: str
    bold: frozenset[str]
    p_values: Mapping[str, float]
    untested: tuple[str, ...]
    winner: str | None


def cells(records: Sequence[Record]) -> dict[Key, Cell]:
    """Gather the repetitions of every method on every data set, in alphabetical order."""
    groups: dict[Key, dict[int, Record]] = defaultdict(dict)
    for record in records:
        repetitions = groups[record["dataset"], record["method"], record["kind"]]
        if record["repetition"] in repetitions:
            raise ValueError(f"there are two results for {_name(record)}: remove one of the files")
        repetitions[record["repetition"]] = record
    found = {}
    for key in sorted(groups):
        ordered = [groups[key][repetition] for repetition in sorted(groups[key])]
        found[key] = Cell(*key, tuple(_accuracy(record) for record in ordered), 100 * ordered[0]["majority"])
    return found


def compare(row: Sequence[Cell], n_methods: int) -> Comparison:
    """Find the best method on a data set, its equals, and whether it significantly outperforms all others.

    Tests are Student's for two samples, the repetitions' means, two-sided, as the paper has them, with Bonferroni's
    correction for the ``n_methods - 1`` comparisons within the data set. Repetitions share their graphs, so the samples
    are less independent than the test assumes; it is the paper's test, not the best one.

    Parameters
    ----------
    row : sequence of Cell
        The methods that have results; at least one.
    n_methods : int
        How many methods the table has.
    """
    best = max(row, key=lambda cell: cell.mean)
    others = [cell for cell in row if cell is not best]
    testable = [cell for cell in others if min(cell.repetitions, best.repetitions) > 1]
    p_values = {cell.method: min(1.0, p_value(best, cell) * (n_methods - 1)) for cell in testable}
    complete = len(p_values) == n_methods - 1
    return Comparison(
        best=best.method,
        bold=frozenset(cell.method for cell in row if best.mean - cell.mean <= resolution(best, cell)),
        p_values=p_values,
        untested=tuple(cell.method for cell in others if cell not in testable),
        winner=best.method if complete and all(p < LEVEL for p in p_values.values()) else None,
    )


def p_value(one: Cell, other: Cell) -> float:
    """Test whether two cells have the same mean: Student's two-sample t-test, two-sided.

    Where neither varies, as with a machine that always answers with the largest class, equal means are surely equal,
    and others surely are not.
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


def resolution(one: Cell, other: Cell) -> float:
    """Give the difference of means that drowns in the spread of the repetitions: the pooled standard deviation.

    The paper prints in bold what is best "up to the resolution implied by the standard deviation" and gives no formula.
    This one, the spread by which the t-test divides, yields its bold figures in all 84 cells. Overlapping intervals of
    mean ± deviation would yield seven more.
    """
    freedom = one.repetitions + other.repetitions - 2
    squares = sum(cell.repetitions * cell.std**2 for cell in (one, other))
    return max(math.sqrt(squares / freedom) if freedom else 0.0, _ROUNDING)


def average_ranks(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Rank the methods on every data set, the best first, and average; methods with equal means share a rank.

    Parameters
    ----------
    means : dict of dict
        By data set, the mean accuracy of every method: the same methods on each.
    """
    if not means:
        return {}
    methods = list(next(iter(means.values())))
    for dataset, row in means.items():
        if set(row) != set(methods):
            raise ValueError(f"{dataset} has results of {sorted(row)}, not of {sorted(methods)}: leave the set out")
    scores = np.array([[row[method] for method in methods] for row in means.values()])
    ranks = rankdata(-scores.round(9), axis=1).mean(axis=0)
    return dict(zip(methods, ranks.tolist(), strict=True))


def verdict(ours_mean: float, ours_std: float, paper_mean: float, paper_std: float) -> str:
    """Say whether an accuracy is the paper's: "reproduced", "above" or "below".

    It is reproduced if the two differ by at most two standard deviations of their difference, each cell taken as a draw
    with its own deviation, and by the last digit that is printed, which matters where nothing varies.
    """
    difference = ours_mean - paper_mean
    if abs(difference) <= 2 * math.hypot(ours_std, paper_std) + LAST_DIGIT + _ROUNDING:
        return "reproduced"
    return "above" if difference > 0 else "below"


def chosen(records: Sequence[Record]) -> dict[str, list[tuple[Any, float]]]:
    """Count how often each value of each parameter was chosen: its share of all folds, the most frequent first.

    Where a fold was evaluated several times, its parameters are lists, and each entry counts.
    """
    counts: dict[str, Counter[Any]] = defaultdict(Counter)
    for record in records:
        for parameters in record["parameters"]:
            for name, value in parameters.items():
                counts[name].update(value if isinstance(value, list) else [value])
    return {
        name: [(value, count / counter.total()) for value, count in sorted(counter.items(), key=_frequent_first)]
        for name, counter in sorted(counts.items())
    }


def total_seconds(records: Sequence[Record]) -> float:
    """Add up the time of all steps; matrices that several repetitions or variants share are counted once."""
    matrices = {(r["dataset"], r["kind"], r["seconds"]["matrices"]) for r in records if "matrices" in r["seconds"]}
    others = [time for r in records for step, time in r["seconds"].items() if step != "matrices"]
    return math.fsum(others) + math.fsum(time for _, _, time in matrices)


def majorities(found: Mapping[Key, Cell], kind: str) -> dict[str, float]:
    """Give the share of the largest class of every data set that has results, in per cent."""
    return {cell.dataset: cell.majority for cell in found.values() if cell.kind == kind}


def _frequent_first(item: tuple[Any, int]) -> tuple[int, str, float, str]:
    value, count = item
    number = isinstance(value, int | float)
    return (-count, "" if number else type(value).__name__, float(value) if number else 0.0, str(value))


def _accuracy(record: Record) -> float:
    """Give the mean over the folds in per cent."""
    folds = np.asarray(record["accuracy"], dtype=np.float64)
    if folds.size == 0 or not ((folds >= 0) & (folds <= 1)).all():
        raise ValueError(f"{_name(record)} has accuracies {folds.tolist()}: they must lie in 0 to 1, run it again")
    return 100 * float(folds.mean())


def _name(record: Record) -> str:
    return f"{record['method']} on {record['dataset']} ({record['kind']}), repetition {record['repetition']}"
