"""GroupComparison and PairwiseComparisons: whether groups of graphs differ, and where."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.notebook import aligned, html_heading, html_note, html_table

#: How many labels a table shows.
_SHOWN_LABELS = 12
#: The header of the table of several comparisons, and the note below it.
_HEADER = ["groups", "graphs", "energy statistic", "p", "p (Holm)", "largest excess"]
_HOLM = "Holm's method adjusts p values for the number of pairs. Index the result with two names for details."


@dataclass(frozen=True, eq=False)
class GroupCosts:
    """Mean costs of moving graphs onto each other, by label or by depth.

    Attributes
    ----------
    names : tuple
        The labels, by their names if they have some, or the depths; the last depth is "unmatched", for nodes without a
        partner, if masses are counts.
    between : (k) floats
        The mean over pairs of graphs of different groups. The sum is the mean distance.
    within : (k), (k) floats
        The mean over pairs of different graphs of the first group, and of the second.
    errors : (k) floats
        The standard errors of ``excess`` that are due to the sample of pairs; 0 if all pairs were looked at.
    """

    names: tuple[Any, ...]
    between: FloatArray
    within: tuple[FloatArray, FloatArray]
    errors: FloatArray

    @property
    def excess(self) -> FloatArray:
        """Twice the cost between groups without the costs within both (k): the sum is the energy statistic."""
        return np.asarray(2 * self.between - self.within[0] - self.within[1])

    def to_dict(self) -> dict[Any, float]:
        """Return the excess by name, the largest first."""
        excess = self.excess
        return {self.names[k]: float(excess[k]) for k in np.argsort(-excess, kind="stable")}


@dataclass(frozen=True, eq=False)
class GroupComparison:
    """The comparison of two groups of graphs: whether they differ, and where; ``print`` it for a table.

    Attributes
    ----------
    groups : tuple
        The names of the two groups.
    sizes : (int, int)
        The numbers of their graphs.
    statistic : float
        The energy statistic: twice the mean distance between groups, minus the mean distances within both.
    p_value : float
        The share of splits of all graphs, into groups of the same sizes, with a statistic at least as large.
    n_permutations : int
        The number of splits that were looked at.
    exact : bool
        Whether these are all different splits, each once, rather than random ones.
    between : float
        The mean distance of graphs of different groups.
    within : (float, float)
        The mean distance of different graphs of the first group, and of the second.
    label_costs : GroupCosts or None
        Costs by node label; None if the graphs have no labels.
    depth_costs : GroupCosts
        Costs by Weisfeiler–Lehman iteration.
    n_pairs, n_all_pairs : (int, int, int)
        For how many pairs between the groups, within the first and within the second the costs are known, and how many
        pairs there are. If these are the same, costs are exact; otherwise they are estimates from a random sample.
    molecules : bool
        Whether the labels are elements.
    sampled : bool
        Whether costs are estimates from a sample of pairs.
    label_noun : str
        What a label is called in tables: "label" or "element".

    See Also
    --------
    compare_groups : compare groups

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> comparison = wg.compare_groups(graphs, y, metric=wg.WWL(depth=1, kind="categorical"), groups=[0, 1])
    >>> comparison.sizes, comparison.sampled, comparison.depth_costs.names
    ((20, 20), False, (0, 1))
    """

    groups: tuple[Any, Any]
    sizes: tuple[int, int]
    statistic: float
    p_value: float
    n_permutations: int
    exact: bool
    between: float
    within: tuple[float, float]
    label_costs: GroupCosts | None
    depth_costs: GroupCosts
    n_pairs: tuple[int, int, int]
    n_all_pairs: tuple[int, int, int]
    molecules: bool = False

    @property
    def label_noun(self) -> str:
        """What a label is called in tables."""
        return "element" if self.molecules else "label"

    @property
    def sampled(self) -> bool:
        """Whether costs are estimates from a sample of pairs."""
        return self.n_pairs != self.n_all_pairs

    def __str__(self) -> str:
        tables = ["\n".join(aligned([self._header(name), *rows], range(1, 7))) for name, rows in self._tables()]
        return "\n\n".join(["\n".join(self._sentences()), *tables, *self._notes()])

    def _repr_html_(self) -> str:
        first, *others = self._sentences()
        tables = [html_table(rows, header=self._header(name), numbers=range(1, 7)) for name, rows in self._tables()]
        return "".join([html_heading(first), *map(html_note, others), *tables, *map(html_note, self._notes())])

    def _sentences(self) -> list[str]:
        (one, two), (n, m) = self.groups, self.sizes
        splits = "all" if self.exact else "random"
        tested = f"p = {self.p_value:.3g} by {splits} permutations ({self.n_permutations:,})"
        inside = f"{self.within[0]:.4g} within {one!r}, {self.within[1]:.4g} within {two!r}"
        return [
            f"{one!r} ({n:,} graphs) and {two!r} ({m:,} graphs): energy statistic {self.statistic:.4g}, {tested}",
            f"Mean distance: {self.between:.4g} between the groups, {inside}.",
        ]

    def _header(self, name: str) -> list[str]:
        one, two = self.groups
        error = ["standard error"] if self.sampled else []
        return [name, "between", f"within {one!r}", f"within {two!r}", "excess", *error, "share of the statistic"]

    def _tables(self) -> Iterator[tuple[str, list[list[str]]]]:
        if self.label_costs is not None:
            order = np.argsort(-np.abs(self.label_costs.excess), kind="stable")
            yield self.label_noun, self._rows(self.label_costs, order[:_SHOWN_LABELS].tolist())
        yield "depth", self._rows(self.depth_costs, range(len(self.depth_costs.names)))

    def _rows(self, costs: GroupCosts, order: Sequence[int]) -> list[list[str]]:
        columns = [costs.between, *costs.within, costs.excess, *([costs.errors] if self.sampled else [])]
        rows = []
        for k in order:
            share = f"{costs.excess[k] / self.statistic:z.1%}" if self.statistic > 0 else "–"
            rows.append([str(costs.names[k]), *(self._number(column[k]) for column in columns), share])
        return rows

    def _number(self, value: float) -> str:
        """Return a number as text; what remains of a difference by rounding is 0."""
        return f"{value:.4g}" if abs(value) > 1e-12 * self.between else "0"

    def _notes(self) -> list[str]:
        notes = ["Excess: twice the cost between groups, minus those within both; the sum is the energy statistic."]
        n_labels = 0 if self.label_costs is None else len(self.label_costs.names)
        if n_labels > _SHOWN_LABELS:
            shown = f"{_SHOWN_LABELS} of {n_labels:,} {self.label_noun}s"
            notes.append(f"Shown are {shown}, those with the largest excess either way.")
        if self.sampled:
            seen = ", ".join(f"{k:,} of {n:,}" for k, n in zip(self.n_pairs, self.n_all_pairs, strict=True))
            notes.append(f"Costs are estimates from a random sample of pairs, between and within groups: {seen}.")
        return notes


@dataclass(frozen=True, eq=False)
class PairwiseComparisons:
    """The comparisons of all pairs of several groups; ``print`` it for a table.

    A sequence of :class:`wassergraph.GroupComparison`; an index may also be the names of two groups.

    Attributes
    ----------
    comparisons : tuple of GroupComparison
        One for each pair of groups.
    adjusted : (n_pairs) floats
        Their p values, adjusted by Holm's method for the number of pairs: if no groups differ, the probability that
        any of them is at most 0.05 is at most 0.05.

    See Also
    --------
    compare_groups : compare groups
    GroupComparison : the comparison of two of them

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> result = wg.compare_groups(graphs, y, metric=wg.WWL(depth=1, kind="categorical"), permutations=99)
    >>> len(result), result[0, 2].groups, result.adjusted.round(2).tolist()
    (3, (0, 2), [0.03, 0.03, 0.03])
    """

    comparisons: tuple[GroupComparison, ...]
    adjusted: FloatArray

    def __len__(self) -> int:
        return len(self.comparisons)

    def __iter__(self) -> Iterator[GroupComparison]:
        return iter(self.comparisons)

    def __getitem__(self, key: Any) -> GroupComparison:
        """Return a comparison by its position, or by the names of two groups, as in ``result["a", "b"]``."""
        if not isinstance(key, tuple):
            return self.comparisons[operator.index(key)]
        for each in self.comparisons:
            if each.groups == key:
                return each
        known = ", ".join(str(each.groups) for each in self.comparisons)
        raise InputError(f"{key!r} were not compared", remedy=f"choose one of {known}")

    def __str__(self) -> str:
        table = aligned([_HEADER, *self._rows()], range(2, 5))
        return "\n".join([self._heading(), "", *table, "", _HOLM])

    def _repr_html_(self) -> str:
        table = html_table(self._rows(), header=_HEADER, numbers=range(2, 5))
        return html_heading(self._heading()) + table + html_note(_HOLM)

    def _heading(self) -> str:
        groups = {name for each in self.comparisons for name in each.groups}
        return f"{len(groups)} groups of graphs, compared in {len(self)} pairs"

    def _rows(self) -> list[list[str]]:
        return [
            [
                " – ".join(map(repr, each.groups)),
                " + ".join(f"{size:,}" for size in each.sizes),
                f"{each.statistic:.4g}",
                f"{each.p_value:.3g}",
                f"{adjusted:.3g}",
                _largest(each),
            ]
            for each, adjusted in zip(self.comparisons, self.adjusted, strict=True)
        ]


def _largest(comparison: GroupComparison) -> str:
    """Return the label, or the depth, that most of the statistic is due to."""
    costs = comparison.depth_costs if comparison.label_costs is None else comparison.label_costs
    name, excess = next(iter(costs.to_dict().items()))
    noun = "depth" if comparison.label_costs is None else comparison.label_noun
    return f"{noun} {name}" + (f" ({excess / comparison.statistic:.0%})" if comparison.statistic > 0 else "")
