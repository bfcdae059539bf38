"""Duplicates: groups of graphs that are equal, or near each other, as a table."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, IntArray
from wassergraph.graphs.invariants import count
from wassergraph.notebook import aligned, html_heading, html_note, html_table

#: How many groups, names and values a table shows.
_SHOWN_GROUPS, _SHOWN_NAMES, _SHOWN_VALUES = 12, 4, 4
#: The warning below a table.
BIAS = (
    "If equal graphs are in both parts of a split, a model is tested on graphs that it has seen: see Ivanov, Sviridov "
    "and Burnaev (2019), Understanding isomorphism bias in graph data sets, https://arxiv.org/abs/1910.12091"
)


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Groups of graphs that are equal, or near each other; ``print`` it for a table.

    Attributes
    ----------
    groups : list of (n) integers
        The positions of the graphs of each group, in rising order; the largest group first.
    different : list of int or None
        How many graphs of each group are different, that is, not isomorphic to each other with all data of nodes and
        edges, also what was not compared: 1 if all are copies of one graph. None if the search for an isomorphism gave
        up.
    names : (N) array of str
        The names of all graphs.
    targets : list or None
        The class, or the number, of all graphs; None where it is not known.
    radius : float
        The largest distance of neighbors.
    depth : int
        The depth of the distances.
    compared : str
        What was compared, such as "node attributes, standardized".
    noun : str
        What a graph is called: "graph" or "molecule".
    n_graphs : int
        The number of all graphs.
    counts : (n_groups) integers
        The number of graphs of each group.
    representatives : (n_groups) integers
        The first graph of each group.
    kept : (N) booleans
        True for graphs in no group and for the first graph of each: ``graphs[found.kept]`` are all different.
    isomorphic : list of bool or None
        Whether all graphs of a group are isomorphic, with all their data; None if it is not known.
    values : list of dict
        For each group, how many graphs have each known class or number, the most frequent first.
    disagreeing : integers
        The positions in ``groups`` of those whose graphs have different classes or numbers.

    See Also
    --------
    find_duplicates : find the groups
    GraphIndex : the nearest graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> found = wg.find_duplicates(["CCO", "CCN", "OCC"], y=[0, 0, 1], names=["a", "b", "c"])
    >>> found.kept.tolist(), found.values, found.disagreeing.tolist()
    ([True, True, False], [{0: 1, 1: 1}], [0])
    >>> print(found.to_csv())
    group,graph,first,different_graphs,target
    1,a,a,1,0
    1,c,a,1,1
    <BLANKLINE>
    """

    groups: list[IntArray]
    different: list[int | None]
    names: NDArray[np.str_]
    targets: list[Any] | None
    radius: float
    depth: int
    compared: str
    noun: str = "graph"

    @property
    def n_graphs(self) -> int:
        """The number of all graphs."""
        return len(self.names)

    @property
    def representatives(self) -> IntArray:
        """The first graph of each group."""
        return np.array([group[0] for group in self.groups], dtype=np.int64)

    @property
    def counts(self) -> IntArray:
        """The number of graphs of each group."""
        return np.array([len(group) for group in self.groups], dtype=np.int64)

    @property
    def isomorphic(self) -> list[bool | None]:
        """Whether all graphs of a group are isomorphic, with all their data; None if it is not known."""
        return [None if number is None else number == 1 for number in self.different]

    @property
    def kept(self) -> BoolArray:
        """True for graphs in no group and for the first graph of each: ``graphs[found.kept]`` are all different."""
        kept = np.ones(self.n_graphs, dtype=np.bool_)
        kept[np.concatenate([np.zeros(0, dtype=np.int64), *(group[1:] for group in self.groups)])] = False
        return kept

    @property
    def values(self) -> list[dict[Any, int]]:
        """For each group, how many graphs have each known class or number, the most frequent first."""
        if self.targets is None:
            return [{} for _ in self.groups]
        known = [[self.targets[g] for g in group.tolist() if self.targets[g] is not None] for group in self.groups]
        return [dict(Counter(each).most_common()) for each in known]

    @property
    def disagreeing(self) -> IntArray:
        """The positions in ``groups`` of those whose graphs have different classes or numbers."""
        return np.flatnonzero([len(each) > 1 for each in self.values])

    def to_dict(self) -> dict[str, Any]:
        """Return the groups in a form that can be written as JSON.

        Returns
        -------
        dict
            What was compared, and a list of groups with the positions, names and targets of their graphs.
        """
        return {
            "graphs": self.n_graphs,
            "compared": self.compared,
            "depth": self.depth,
            "radius": self.radius,
            "left": int(self.kept.sum()),
            "disagreeing": len(self.disagreeing),
            "groups": [
                {
                    "positions": group.tolist(),
                    "names": self.names[group].tolist(),
                    "different": different,
                    **({} if self.targets is None else {"targets": [self.targets[g] for g in group.tolist()]}),
                }
                for group, different in zip(self.groups, self.different, strict=True)
            ],
        }

    def to_csv(self) -> str:
        """Return the graphs of all groups as a table.

        Returns
        -------
        str
            A header, and a row for each graph: its group, counted from 1, its name, the name of the first graph of the
            group, how many graphs of the group are different, and its class or number, if these are known.
        """
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["group", "graph", "first", "different_graphs", *([] if self.targets is None else ["target"])])
        for number, (group, different) in enumerate(zip(self.groups, self.different, strict=True), 1):
            for g in group.tolist():
                row = [number, self.names[g], self.names[group[0]], "" if different is None else different]
                writer.writerow([*row, *([] if self.targets is None else [self.targets[g]])])
        return table.getvalue()

    def __str__(self) -> str:
        table = ["", *aligned([self._header(), *self._lines()], (0, 1)), ""] if self.groups else []
        return "\n".join([self._heading(), *table, *self._notes()])

    def _repr_html_(self) -> str:
        table = html_table(self._lines(), header=self._header(), numbers=(0, 1)) if self.groups else ""
        return html_heading(self._heading()) + table + "".join(html_note(note) for note in self._notes())

    def _heading(self) -> str:
        near = "at distance 0" if self.radius == 0 else f"connected through distances of at most {self.radius:g}"
        groups = f"{count(len(self.groups), 'group')} of" if self.groups else "no"
        graphs = count(self.n_graphs, self.noun)
        return f"{graphs}, {self.compared}, depth {self.depth}: {groups} {self.noun}s {near}"

    def _header(self) -> list[str]:
        return [f"{self.noun}s", "different", *([] if self.targets is None else ["targets"]), "names"]

    def _lines(self) -> list[list[str]]:
        """Return the cells of the table, for the largest groups."""
        lines = []
        for group, different, values in zip(self.groups, self.different, self.values, strict=True):
            cells = [str(len(group)), "?" if different is None else str(different)]
            if self.targets is not None:
                cells.append(_few([f"{value} ({number})" for value, number in values.items()], _SHOWN_VALUES))
            lines.append([*cells, _few(self.names[group].tolist(), _SHOWN_NAMES)])
        return lines[:_SHOWN_GROUPS]

    def _notes(self) -> list[str]:
        """Return the sentences below the table."""
        if not self.groups:
            return []
        others = len(self.groups) - _SHOWN_GROUPS
        notes = [f"{count(others, 'smaller group')} not shown."] if others > 0 else []
        members, left = int(self.counts.sum()), count(int(self.kept.sum()), self.noun)
        notes.append(f"{members:,} {self.noun}s are in a group; with one of each group, {left} are left.")
        answers = Counter(self.isomorphic)
        unknown = f", unknown in {answers[None]}" if answers[None] else ""
        same = f"{answers[True]} of {count(len(self.groups), 'group')}{unknown}"
        notes.append(f"All {self.noun}s are isomorphic, with all their data, in {same}.")
        if self.targets is not None:
            n_groups = len(self.disagreeing)
            notes.append(f"{count(n_groups, 'group') if n_groups else 'No group'} with different targets.")
        return [*notes, BIAS]


def _few(texts: list[str], most: int) -> str:
    """Return texts in a line; if there are more, the first ones and the number of the others."""
    more = [f"and {len(texts) - most:,} more"] if len(texts) > most else []
    return ", ".join([*texts[:most], *more])
