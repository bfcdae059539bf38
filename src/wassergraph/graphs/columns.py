"""Columns: numbers of graphs by name, such as a temperature, which models use beside the graphs.

what a user passes ──read_columns──▶ GraphColumns ──ColumnScheme.learn──▶ scales and medians ──scaled──▶ distances
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.errors import ImputedDataWarning, InputError, InputTypeError, Option, warn_outside
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.graphs.values import is_missing

#: What to do with missing cells of columns: raise an error, or fill in the median of the training graphs.
ImputeColumns: TypeAlias = Literal["error", "median"]
#: A column whose standard deviation is a smaller share of its largest number is constant.
_CONSTANT = 1e-12
#: How many standard deviations from the mean a value counts as at most, so that single ones do not decide.
_MOST = 5.0
#: The number of names, or of graphs, that a message lists.
_LISTED = 10


@dataclass(frozen=True, eq=False)
class GraphColumns:
    """Numbers that graphs have beside, such as descriptors of molecules.

    Attributes
    ----------
    values : (n, n_columns) floats
        The numbers, a row for each graph; NaN where there is none.
    names : tuple of str, or None
        The names of the columns, if they have names.
    computed : (n_columns) booleans
        Which of them are computed from the graphs, such as descriptors of molecules: these are left out where they are
        not numbers, while a number that is given and missing is an error.

    See Also
    --------
    datasets.descriptors : compute those of molecules

    Examples
    --------
    >>> import wassergraph as wg
    >>> smiles = ["CCO", "CCN", "CCCC", "CCCO"]
    >>> columns = wg.datasets.descriptors(smiles, ["MolLogP"]).beside({"temperature": [20, 25, 20, 30]})
    >>> columns.names, columns.values.shape
    (('MolLogP', 'temperature'), (4, 2))
    """

    values: FloatArray
    names: tuple[str, ...] | None
    computed: BoolArray

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: IntArray | slice) -> GraphColumns:
        """Return the numbers of some of the graphs.

        Parameters
        ----------
        rows : (n) integers or slice
            Their positions.

        Returns
        -------
        GraphColumns
            With the same names.
        """
        return replace(self, values=self.values[rows])

    def beside(self, others: Any) -> GraphColumns:
        """Return these columns, followed by others of the same graphs; all have names.

        Parameters
        ----------
        others : DataFrame, dict or GraphColumns
            The others, with names.

        Returns
        -------
        GraphColumns
            With the names of both, which differ.
        """
        more = read_columns(others, len(self))
        if self.names is None or more.names is None:
            raise InputError("columns that are put beside others need names", remedy="pass a data frame or a dict")
        names = (*self.names, *more.names)
        _check_names(names)
        return GraphColumns(
            np.hstack([self.values, more.values]), names, np.concatenate([self.computed, more.computed])
        )

    def title(self, number: int) -> str:
        """Return the name of a column, or its number, for messages.

        Parameters
        ----------
        number : int
            Its position.

        Returns
        -------
        str
            Such as "column 'temperature'".
        """
        return f"column {number}" if self.names is None else f"column {self.names[number]!r}"


def read_columns(given: Any, n_graphs: int) -> GraphColumns:
    """Read the columns of graphs.

    Parameters
    ----------
    given : DataFrame, dict, array or GraphColumns
        A row for each graph: a data frame of pandas or polars, a series, sequences of numbers by name, or an array.
    n_graphs : int
        The number of graphs.

    Returns
    -------
    GraphColumns

    Raises
    ------
    ValueError
        If there is not a row for each graph, there is no column, two have the same name, or a cell is infinite or not a
        number.

    Examples
    --------
    >>> found = read_columns({"logP": [1, 2.5], "charge": [0, None]}, 2)
    >>> found.names, found.values.tolist()
    (('logP', 'charge'), [[1.0, 0.0], [2.5, nan]])
    """
    if isinstance(given, GraphColumns):
        found = given
    else:
        names, columns = _split(given)
        lengths = {len(column) for column in columns}
        if not columns or len(lengths) > 1:
            problem = "{} has no column" if not columns else "{} has columns of different lengths"
            raise InputError(problem, remedy="pass a row for each graph", options=[Option("columns")])
        named = GraphColumns(np.zeros((0, len(columns))), names, np.zeros(len(columns), dtype=np.bool_))
        values = [_read_numbers(column, named.title(number)) for number, column in enumerate(columns)]
        found = replace(named, values=np.column_stack(values))
    if len(found) != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {{}} has {count(len(found), 'row')}"
        raise InputError(problem, remedy="pass a row for each graph", options=[Option("columns")])
    _check_names(found.names or ())
    return found


def _split(given: Any) -> tuple[tuple[str, ...] | None, list[Any]]:
    """Return the names, if there are any, and the columns of what a user passed."""
    if isinstance(given, Mapping):
        return _text_names(list(given)), list(given.values())
    if not isinstance(given, np.ndarray) and hasattr(given, "columns"):  # a data frame
        names = list(given.columns)
        own = getattr(given, "iloc", None)
        return _text_names(names), [given[n] if own is None else own[:, k] for k, n in enumerate(names)]
    name = getattr(given, "name", None)
    array = np.asarray(given, dtype=object if isinstance(given, list | tuple) else None)
    if array.ndim not in (1, 2):
        problem = f"{{}} must have a row for each graph and a column for each number, got the shape {array.shape}"
        raise InputError(problem, options=[Option("columns")])
    return (name,) if isinstance(name, str) else None, [array] if array.ndim == 1 else list(array.T)


def _text_names(names: Sequence[Any]) -> tuple[str, ...] | None:
    """Return names that are text; None for a table whose columns are numbered."""
    if all(isinstance(name, str) for name in names):
        return tuple(names)
    if any(isinstance(name, str) for name in names):
        problem, remedy = "some names of {} are text, and others are not", "name all with text"
        raise InputTypeError(problem, remedy=remedy, options=[Option("columns")])
    return None


def _check_names(names: Sequence[str]) -> None:
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise InputError(f"{{}} has two columns {twice!r}", remedy="name each once", options=[Option("columns")])


def _read_numbers(column: Any, title: str) -> FloatArray:
    """Return the numbers of a column, with NaN where there is none; raise an error about one that is no number."""
    array = np.asarray(column, dtype=object if isinstance(column, list | tuple) else None)
    if array.ndim != 1:
        raise InputError(f"the {title} has the shape {array.shape}", remedy="pass a number for each graph")
    if array.dtype.kind in "biuf":
        numbers = array.astype(np.float64)
    else:
        numbers = np.full(len(array), np.nan)
        for row, value in enumerate(array.tolist()):
            plain = value.item() if hasattr(value, "item") else value
            if is_missing(plain):
                continue
            if not isinstance(plain, Real | Decimal):
                problem = f"the {title} is {plain!r}, which is not a number"
                raise InputError(problem, remedy="pass columns of numbers", graph=row)
            numbers[row] = np.inf
            with suppress(OverflowError):  # an integer with more than 308 digits stays infinite
                numbers[row] = float(plain)
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        problem = f"the {title} is {numbers[infinite[0]]}"
        raise InputError(problem, remedy="correct it, or leave the graph out", graph=int(infinite[0]))
    return numbers


@dataclass(frozen=True, eq=False)
class ColumnScheme:
    """What a model learned of the columns of its training graphs.

    Attributes
    ----------
    names : tuple of str, or None
        The names of the columns, if they have names.
    center, scale : (n_columns) floats
        The mean and the standard deviation of each; a scale of 0 leaves the column out, since it is the same for all
        training graphs, or since it is computed and is not a number for some of them.
    median : (n_columns) floats
        What is filled in.
    computed : (n_columns) booleans
        Which columns are computed from the graphs.
    impute : "error" or "median"
        What to do with missing cells.
    """

    names: tuple[str, ...] | None
    center: FloatArray
    scale: FloatArray
    median: FloatArray
    computed: BoolArray
    impute: ImputeColumns = "error"

    @classmethod
    def learn(cls, columns: GraphColumns, impute: ImputeColumns = "error") -> ColumnScheme:
        """Learn the scale of columns, and their medians, from training graphs."""
        check_choice("impute", impute, ImputeColumns)
        values = columns.values
        if impute == "error":
            refuse_missing(columns)
        known = np.isfinite(values)
        empty = np.flatnonzero(~known.any(axis=0) & ~columns.computed)
        if empty.size:
            raise InputError(
                f"no training graph has a value in the {columns.title(int(empty[0]))}", remedy="leave it out"
            )
        filled = np.where(known, values, 0.0)
        median = np.array(
            [np.median(each[own]) if own.any() else 0.0 for each, own in zip(filled.T, known.T, strict=True)]
        )
        filled = np.where(known, values, median)
        with np.errstate(over="ignore", invalid="ignore"):
            center, scale = filled.mean(axis=0), filled.std(axis=0)
        left_out = ~(scale > _CONSTANT * np.abs(filled).max(axis=0, initial=0.0)) | ~np.isfinite(scale)
        left_out |= columns.computed & ~known.all(axis=0)
        return cls(
            columns.names,
            np.where(left_out, 0.0, center),
            np.where(left_out, 0.0, scale),
            median,
            columns.computed,
            impute,
        )

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.scale)

    @property
    def used(self) -> BoolArray:
        """Which columns are compared (n_columns)."""
        return np.asarray(self.scale > 0)

    def describe(self) -> str:
        """Return which columns are compared, in words."""
        parts = []
        given, n_computed = np.flatnonzero(~self.computed), int(self.computed.sum())
        if given.size:
            listed = "" if self.names is None else f" ({_listed([self.names[k] for k in given])})"
            parts.append(f"{count(len(given), 'column')}{listed}")
        if n_computed:
            parts.append(
                f"{count(n_computed, 'descriptor')}, {int((self.used & self.computed).sum())} of them compared"
            )
        return " and ".join(parts)

    def read(self, given: Any, n_graphs: int) -> GraphColumns:
        """Return columns of new graphs in the order of the training; raise an error unless they are the same ones."""
        if given is None:
            problem = f"the model was trained with {self.describe()}, but there are none"
            raise InputError(problem, remedy="pass those of the new graphs as {}", options=[Option("columns")])
        columns = read_columns(given, n_graphs)
        own = columns.values.shape[1]
        if self.names is not None and columns.names is not None:
            self._check_same(columns.names)
            order = [columns.names.index(name) for name in self.names]
            return GraphColumns(columns.values[:, order], self.names, self.computed)
        if own != self.n_columns:
            problem = f"there {'is' if own == 1 else 'are'} {count(own, 'column')}, but the model was trained with "
            raise InputError(f"{problem}{self.describe()}", remedy="pass the same ones", options=[])
        return GraphColumns(columns.values, self.names, self.computed)

    def _check_same(self, names: Sequence[str]) -> None:
        assert self.names is not None
        missing = [name for name in self.names if name not in names]
        unknown = [name for name in names if name not in self.names]
        if missing:
            problem = (
                f"the model was trained with the {_plural('column', missing)} {_listed(missing)}, which {{}} lacks"
            )
            raise InputError(problem, remedy="add what is missing", options=[Option("columns")])
        if unknown:
            problem = f"the model was not trained with the {_plural('column', unknown)} {_listed(unknown)}"
            raise InputError(problem, remedy="remove what the model does not know", options=[])

    def fill(self, columns: GraphColumns) -> GraphColumns:
        """Return columns without missing cells; a warning says how many are filled in, and others are an error."""
        if self.impute == "error":
            refuse_missing(columns)
        missing = ~np.isfinite(columns.values)
        counted = missing & self.used
        if counted.any():
            cells, of = count(int(counted.sum()), "missing cell"), count(int(counted.any(axis=1).sum()), "graph")
            warn_outside(ImputedDataWarning(f"medians of the training graphs fill in {cells} of columns, of {of}"))
        return replace(columns, values=np.where(missing, self.median, columns.values))

    def scaled(self, columns: GraphColumns) -> FloatArray:
        """Return the columns that are compared (n, n_used), filled in, scaled and limited."""
        used, filled = self.used, self.fill(columns).values
        limited = np.clip((filled[:, used] - self.center[used]) / self.scale[used], -_MOST, _MOST)
        return np.asarray(limited * self._balance())

    def _balance(self) -> FloatArray:
        """Return factors of the columns that are compared, by which those given count as much as all computed ones."""
        computed = self.computed[self.used]
        sizes = np.where(computed, computed.sum(), (~computed).sum())
        n_groups = int(computed.any()) + int((~computed).any())
        return np.asarray(np.sqrt(len(sizes) / (max(n_groups, 1) * sizes)))


def column_distances(one: FloatArray, other: FloatArray | None = None) -> FloatArray:
    """Return how far scaled columns of graphs are apart (n, m): the root of their mean squared difference."""
    other = one if other is None else other
    if not one.shape[1]:
        return np.zeros((len(one), len(other)))
    return np.asarray(cdist(one, other) / math.sqrt(one.shape[1]))


def refuse_missing(columns: GraphColumns) -> None:
    """Raise an error if a cell of a column that is not computed has no number."""
    missing = np.isnan(columns.values) & ~columns.computed
    if not missing.any():
        return
    row, number = np.argwhere(missing)[0].tolist()
    others = [(other, "no value") for other in np.flatnonzero(missing.any(axis=1)).tolist() if other != row]
    raise InputError(
        f"the {columns.title(number)} has no value",
        remedy="fill it in, leave the graph out, or pass {}",
        options=[Option("impute", "median")],
        graph=row,
        also=others[:_LISTED],
    )


def _plural(noun: str, several: Sequence[Any]) -> str:
    return noun if len(several) == 1 else f"{noun}s"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(repr, names[:_LISTED])) + more
