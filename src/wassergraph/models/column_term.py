"""The columns of training graphs as a term of distances: how far graphs are apart in them, times a weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option, warn_outside
from wassergraph.graphs.columns import ColumnScheme, GraphColumns, ImputeColumns, column_distances, read_columns
from wassergraph.graphs.saved_values import Arrays, finite_floats


@dataclass(frozen=True, eq=False)
class TrainingColumns:
    """The columns of training graphs.

    Attributes
    ----------
    scheme : ColumnScheme
        What was learned of them.
    columns : GraphColumns
        What was passed, without missing cells.
    weight : float
        The weight of their distances beside those of graphs; 0 if it was not chosen yet.
    """

    scheme: ColumnScheme
    columns: GraphColumns
    weight: float = 0.0

    @classmethod
    def learn(cls, given: Any, n_graphs: int, impute: ImputeColumns = "error") -> TrainingColumns:
        """Read columns, and learn their scales; a warning names those that are the same for all graphs."""
        columns = read_columns(given, n_graphs)
        scheme = ColumnScheme.learn(columns, impute)
        constant = np.flatnonzero(~scheme.used & ~scheme.computed).tolist()
        if constant and n_graphs:
            names = ", ".join(columns.title(number) for number in constant)
            warn_outside(UserWarning(f"not compared, since all training graphs have the same value: {names}"))
        return cls(scheme, scheme.fill(columns))

    def take(self, rows: IntArray) -> TrainingColumns:
        """Return the columns of some of the graphs, with the scales of all."""
        return replace(self, columns=self.columns.take(rows))

    @property
    def titles(self) -> tuple[str, ...]:
        """The names of the columns, or their numbers."""
        return self.scheme.names or tuple(map(str, range(self.scheme.n_columns)))

    @cached_property
    def scaled(self) -> FloatArray:
        """The columns that are compared (n, n_used), scaled."""
        return self.scheme.scaled(self.columns)

    @cached_property
    def between(self) -> FloatArray:
        """How far the training graphs are apart in their columns (n, n)."""
        return column_distances(self.scaled)

    def distances_from(self, new: FloatArray) -> FloatArray:
        """Return how far new graphs (m, n_used) are from the training graphs in their columns, times the weight."""
        return self.weight * column_distances(new, self.scaled)

    def shares(self, new: FloatArray, position: int) -> FloatArray:
        """Return the share of each column (n_columns) in the squared distance of a graph to a training graph."""
        apart = (new[0] - self.scaled[position]) ** 2
        shares = np.zeros(self.scheme.n_columns)
        shares[self.scheme.used] = apart / (apart.sum() or 1.0)
        return shares

    def split(self, group: IntArray) -> list[IntArray]:
        """Return graphs (n), which are equal but for their columns, in groups of two or more with equal ones."""
        keys = np.unique(self.scaled[group], axis=0, return_inverse=True)[1].reshape(-1)
        parts = [group[keys == key] for key in range(int(keys.max(initial=-1)) + 1)]
        return [each for each in parts if len(each) > 1]

    def read_new(self, given: Any, n_graphs: int) -> FloatArray:
        """Return the columns of new graphs (n_graphs, n_used), scaled; raise an error unless they are the same ones."""
        return self.scheme.scaled(self.scheme.read(given, n_graphs))


def refuse_columns(given: Any) -> None:
    """Raise an error if columns are passed to a model without."""
    if given is not None:
        problem = "the model was trained without columns, but {} are given"
        raise InputError(problem, remedy="leave them out, or train a model with them", options=[Option("columns")])


# Files


def columns_to_json(term: TrainingColumns | None) -> dict[str, Any] | None:
    """Return the part of the header of a model file that is about columns."""
    if term is None:
        return None
    names = None if term.scheme.names is None else list(term.scheme.names)
    return {"names": names, "computed": term.scheme.computed.tolist(), "impute": term.scheme.impute}


def column_arrays(term: TrainingColumns | None) -> Arrays:
    """Return the arrays of a model file that are about columns."""
    if term is None:
        return {}
    scheme = term.scheme
    known = {"values": term.columns.values, "center": scheme.center, "scale": scheme.scale, "median": scheme.median}
    return {f"arrays/column_{name}": array for name, array in known.items()}


def read_term(header: dict[str, Any] | None, arrays: Arrays, n_graphs: int, weight: float) -> TrainingColumns | None:
    """Return the columns of a model from its file; files of earlier versions have none."""
    if header is None:
        if weight:
            raise ValueError("columns have a weight, but there are none")
        return None
    names, computed, impute = header["names"], header["computed"], header["impute"]
    n_columns = len(computed)
    if names is not None and (len(names) != n_columns or not all(isinstance(name, str) for name in names)):
        raise ValueError(f"there are {n_columns} columns, but their names are {names!r}")
    if impute not in ("error", "median") or not all(isinstance(each, bool) for each in computed):
        raise ValueError("it is not said how columns are read")
    center, scale, median = (
        finite_floats(arrays, f"column_{name}", (n_columns,)) for name in ("center", "scale", "median")
    )
    if (scale < 0).any():
        raise ValueError("a scale of columns is negative")
    is_computed, kept = np.array(computed, dtype=np.bool_), None if names is None else tuple(names)
    values = finite_floats(arrays, "column_values", (n_graphs, n_columns))
    scheme = ColumnScheme(kept, center, scale, median, is_computed, impute)
    return TrainingColumns(scheme, GraphColumns(values, kept, is_computed), weight)
