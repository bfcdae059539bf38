"""Equal training graphs: at distance 0 from each other, so that a model cannot tell them apart.

Their coefficients may be large and of opposite sign; predictions depend on the sum of their contributions only. If
their classes or numbers differ, no model that compares graphs in this way is right about all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray


class EqualGraphs(NamedTuple):
    """Training graphs at distance 0 from each other, and what they contribute together; often a single graph.

    Attributes
    ----------
    positions : (n) integers
        The training graphs, as positions in ``model.graphs_``: those with the largest absolute contribution first, and
        last those with a coefficient of 0.
    names : (n) array of str
        Their names.
    targets : (n) array or None
        Their classes or numbers; None in models of earlier versions.
    distance : float
        The distance of the explained graph to all of them.
    contribution : float
        The sum of their contributions.
    share : float
        Its part of the sum of the absolute contributions of all groups.
    censored : (n) integers or None
        Which of their numbers are bounds: -1 if a number is below, 1 if it is above; None if the model learned none.

    See Also
    --------
    Explanation : what a prediction is made of

    Examples
    --------
    >>> import wassergraph as wg
    >>> model = wg.GraphClassifier(wg.WWL(depth=1, kind="categorical", mass="share"), gamma=1.0, C=10.0, cv=2)
    >>> model.fit(["CCO", "OCC", "CCN", "CN"], ["yes", "no", "no", "yes"], names=["a", "b", "c", "d"]).n_train_
    4
    >>> group = next(group for group in model.explain("CCC").groups if "a" in group.names)
    >>> sorted(group.names.tolist()), sorted(group.targets.tolist())
    (['a', 'b'], ['no', 'yes'])
    """

    positions: IntArray
    names: NDArray[Any]
    targets: NDArray[Any] | None
    distance: float
    contribution: float
    share: float
    censored: IntArray | None = None

    @property
    def title(self) -> str:
        """The name of the first graph, and how many are equal to it."""
        more = len(self.names) - 1
        return str(self.names[0]) + (f" (+{more:,} equal graph{'' if more == 1 else 's'})" if more else "")

    def target_text(self, *, numbers: bool) -> str:
        """Return the class, or how many graphs have each class; or the number, or the range of the numbers."""
        if self.targets is None:
            return "–"
        if numbers:
            known = np.flatnonzero(~np.isnan(self.targets))  # several targets that share information have gaps
            if not len(known):
                return "–"
            numbers_of = self.targets[known]
            least, largest = (
                self._number_text(int(known[each])) for each in (numbers_of.argmin(), numbers_of.argmax())
            )
            return least if least == largest else f"{least} to {largest}"
        counts = Counter(self.targets.tolist()).most_common()
        return str(counts[0][0]) if len(counts) == 1 else ", ".join(f"{each}: {number:,}" for each, number in counts)

    def _number_text(self, position: int) -> str:
        """Return a number, with the sign of a bound."""
        assert self.targets is not None
        sign = "" if self.censored is None else ("", ">", "<")[int(self.censored[position])]
        return f"{sign}{self.targets[position]:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Return the group in a form that can be written as JSON."""
        return {
            "positions": self.positions.tolist(),
            "names": self.names.tolist(),
            "targets": None if self.targets is None else self.targets.tolist(),
            "distance": self.distance,
            "contribution": self.contribution,
            "share": self.share,
            **({} if self.censored is None else {"censored": self.censored.tolist()}),
        }


def sum_of_equals(
    deciding: IntArray,
    distances: FloatArray,
    contributions: FloatArray,
    *,
    equal: Sequence[IntArray],
    names: NDArray[Any],
    targets: NDArray[Any] | None,
) -> tuple[EqualGraphs, ...]:
    """Sum the contributions of equal training graphs.

    Parameters
    ----------
    deciding, distances, contributions : (n_deciding) arrays
        The positions of training graphs, their distances, and their contributions, the largest absolute ones first.
    equal : sequence of (n) integers
        The positions of equal training graphs, in groups of two or more.
    names, targets : (n_train) arrays
        The names and the targets of all training graphs; the latter may be unknown.

    Returns
    -------
    tuple of EqualGraphs
        Those with the largest absolute sum first.
    """
    group_of = {position: group for group in equal for position in group.tolist()}
    rows: dict[int, list[int]] = {}
    for row, position in enumerate(deciding.tolist()):
        rows.setdefault(int(group_of[position][0]) if position in group_of else position, []).append(row)
    sums = [float(contributions[each].sum()) for each in rows.values()]
    total = float(np.abs(sums).sum()) or 1.0
    found = []
    for each, contribution in zip(rows.values(), sums, strict=True):
        first = deciding[each]
        members = np.concatenate([first, np.setdiff1d(group_of.get(int(first[0]), first), first)])
        known = None if targets is None else targets[members]
        found.append(
            EqualGraphs(
                members, names[members], known, float(distances[each[0]]), contribution, abs(contribution) / total
            )
        )
    return tuple(sorted(found, key=lambda group: -abs(group.contribution)))


class Contradictions(NamedTuple):
    """Equal training graphs with different classes or numbers.

    Attributes
    ----------
    n_groups : int
        How many groups of equal graphs have different targets.
    n_graphs : int
        How many graphs these have.
    best_accuracy : float or None
        For classes, the share of training graphs that a model can be right about at most, if it compares graphs in this
        way: of each group, those of the most frequent class.
    least_rmse : float or None
        For numbers, the least root mean squared error on the training graphs: that of the mean of each group.
    """

    n_groups: int
    n_graphs: int
    best_accuracy: float | None
    least_rmse: float | None

    def sentence(self) -> str:
        """Return what the groups are, and what they mean."""
        values = "classes" if self.least_rmse is None else "numbers"
        groups = f"{self.n_groups:,} group{'' if self.n_groups == 1 else 's'} of equal graphs with different {values}"
        if self.least_rmse is None:
            limit = f"accuracy at most {self.best_accuracy:.2%}"
        else:
            limit = f"RMSE at least {self.least_rmse:.4g}"
        return f"{groups}, {self.n_graphs:,} graphs: {limit} on the training graphs, compared in this way"


def find_contradictions(equal: Sequence[IntArray], targets: NDArray[Any], *, numbers: bool) -> Contradictions:
    """Find equal training graphs with different classes or numbers.

    Parameters
    ----------
    equal : sequence of (n) integers
        The positions of equal training graphs, in groups of two or more.
    targets : (n_train) array
        The classes or numbers of all training graphs.
    numbers : bool
        Whether these are numbers.

    Returns
    -------
    Contradictions

    Examples
    --------
    >>> groups = [np.array([0, 1, 4]), np.array([2, 3])]
    >>> find_contradictions(groups, np.array(["a", "b", "a", "a", "b"]), numbers=False).best_accuracy
    0.8
    >>> find_contradictions(groups, np.array([1.0, 1.0, 3.0, 3.0, 4.0]), numbers=True)
    Contradictions(n_groups=1, n_graphs=3, best_accuracy=None, least_rmse=1.0954451150103321)
    """
    known = [values[values == values] for values in (targets[group] for group in equal)]  # NaN is a gap
    differing = [values for values in known if len(np.unique(values)) > 1]
    n_graphs = sum(map(len, differing))
    if numbers:
        squares = sum(len(values) * float(np.var(values)) for values in differing)
        return Contradictions(len(differing), n_graphs, None, float(np.sqrt(squares / len(targets))))
    n_wrong = n_graphs - sum(int(np.unique(values, return_counts=True)[1].max()) for values in differing)
    return Contradictions(len(differing), n_graphs, 1 - n_wrong / len(targets), None)
