"""Several targets of the same graphs, side by side, with gaps where a graph has no value of a target."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError, Option, warn_outside
from wassergraph.graphs.values import missing_values, value_array
from wassergraph.scores.numbers import read_sides


class KnownTarget(NamedTuple):
    """What is known of one target.

    Attributes
    ----------
    name : str
        What it is called.
    rows : (n_known) integers
        The positions of the graphs that have a value, in increasing order.
    values : (n_known) array
        Their classes or numbers.
    sides : (n_known) integers or None
        Which numbers are bounds, as :func:`wassergraph.scores.numbers.read_sides` returns it.
    """

    name: str
    rows: IntArray
    values: NDArray[Any]
    sides: IntArray | None = None

    def bounded_by(self, censored: NDArray[Any]) -> KnownTarget:
        """Return the same with what is said of all graphs: which of their numbers are bounds."""
        return self._replace(sides=read_sides(censored[self.rows], len(self.rows)))

    def at(self, rows: IntArray) -> NDArray[Any]:
        """Return the values at some positions, all of which have one."""
        return np.asarray(self.values[np.searchsorted(self.rows, rows)])

    @contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Let errors in a ``with`` block name this target, and graphs by their positions among all."""
        about, failed = f"target {self.name!r}", list[InputError | InputTypeError]()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            except (InputError, InputTypeError) as error:
                failed.append(error)
        for each_error in failed:
            raise each_error.among(self.rows.tolist()).about(about) from each_error
        for each in caught:
            plain = type(each.message) in (UserWarning, RuntimeWarning)
            warn_outside(type(each.message)(f"{about}: {each.message}") if plain else each.message)  # type: ignore[arg-type]


def n_columns(y: Any) -> int:
    """Return how many targets there are: the number of columns of a table, otherwise 1.

    Examples
    --------
    >>> n_columns([1.0, 2.0]), n_columns([[1.0, None], [2.0, 3.0]]), n_columns(np.zeros((5, 1)))
    (1, 2, 1)
    """
    if isinstance(y, Mapping):
        return len(y)
    shape = getattr(y, "shape", None)
    if shape is None:
        shape = value_array(y).shape if isinstance(y, list | tuple) and y and np.ndim(y[0]) == 1 else ()
    return int(shape[1]) if len(shape) == 2 else 1


def read_several(y: Any, n_graphs: int, names: Any = None, *, empty: bool = False) -> list[KnownTarget]:
    """Read several targets, and which graphs have a value of each.

    Parameters
    ----------
    y : (n_graphs, n_targets) array, masked array, DataFrame of pandas or polars, or dict of columns
        The targets; None, NaN, a masked value, and what these libraries write for a missing value, is a gap.
    n_graphs : int
        The number of graphs.
    names : sequence of str, optional
        What the targets are called; by default the columns of a DataFrame, or "target 1" and so on.
    empty : bool
        Whether a target may have no value.

    Returns
    -------
    list of KnownTarget

    Raises
    ------
    ValueError
        If there are not so many rows, names are wrong, or a target has no value.

    Examples
    --------
    >>> [(each.rows.tolist(), each.values.tolist()) for each in read_several([[1.5, "a"], [None, "b"]], 2)]
    [([0], [1.5]), ([0, 1], ['a', 'b'])]
    """
    columns = _columns(y)
    for column in columns:
        if len(column) != n_graphs:
            problem = f"there are {n_graphs} graphs, but {len(column)} rows in y"
            raise InputError(problem, remedy="pass a row for each graph, with None or NaN for what is not known")
    found = []
    for name, column in zip(_read_names(names, y, len(columns)), columns, strict=True):
        rows = np.flatnonzero(~missing_values(column))
        if not len(rows) and not empty:
            raise InputError(f"target {name!r}: no graph has a value", remedy="leave this column out")
        found.append(KnownTarget(name, rows, _plain(column[rows])))
    return found


def _columns(y: Any) -> list[NDArray[Any]]:
    """Return the columns of a table, as objects where values may be missing without being NaN."""
    if isinstance(y, np.ma.MaskedArray):
        filled = y.data.astype(object)
        filled[np.ma.getmaskarray(y)] = None
        y = filled
    if isinstance(y, Mapping):
        return [_objects(column) for column in y.values()]
    if hasattr(y, "columns"):  # a DataFrame
        listed = [str(name) for name in y.columns]
        if len(set(listed)) < len(listed):
            raise InputError("two columns of y have the same name", remedy="rename one of them")
        return [_objects(y[name]) for name in y.columns]
    values = value_array(y)
    if values.ndim != 2 or not values.shape[1]:
        problem = f"y has the shape {values.shape}, but there are several targets"
        raise InputError(problem, remedy="pass a row for each graph, with a value of each target, or None")
    return [values[:, number] for number in range(values.shape[1])]


def _objects(column: Iterable[Any]) -> NDArray[Any]:
    listed = list(column)
    values = np.empty(len(listed), dtype=object)
    values[:] = [value.item() if isinstance(value, np.generic) else value for value in listed]
    return values


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return values of one type as an array of that type; others stay objects."""
    if values.dtype != object or len({type(value) for value in values.tolist()}) > 1:
        return values
    plain = np.array(values.tolist())
    return plain if plain.ndim == 1 and plain.dtype.kind in "biufU" else values


def default_names(n_targets: int) -> list[str]:
    """Return what targets are called that have no names."""
    return [f"target {number}" for number in range(1, n_targets + 1)]


def _read_names(names: Any, y: Any, n_targets: int) -> Sequence[str]:
    if names is None:
        columns = list(y) if isinstance(y, Mapping) else getattr(y, "columns", None)
        return default_names(n_targets) if columns is None else list(map(str, columns))
    listed = [names] if isinstance(names, str) else list(names)
    if len(listed) != n_targets or not all(isinstance(name, str) for name in listed) or len(set(listed)) < n_targets:
        problem = f"{{}} must be {n_targets} different names, one for each target, got {names!r}"
        raise InputError(problem, options=[Option("target_name")])
    return listed
