"""Data with one Python object per node or edge, under names, → arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option, StructuredError, did_you_mean
from wassergraph.formats.impute import FillValues, Impute, flag_missing
from wassergraph.formats.labels import Labels, LabelTypeError
from wassergraph.graphs.fields import NETWORKX_NAMES, check_type
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.packing import GraphParts
from wassergraph.graphs.vocabulary import Vocabulary

#: The name of one value (a number or a vector), or the names of several that are put side by side.
Names: TypeAlias = str | Sequence[str]

Thing: TypeAlias = Literal["node", "edge"]
THINGS: tuple[Thing, ...] = ("node", "edge")

#: The names of positions that are read without being asked for, the first that all nodes have.
USUAL_POSITIONS: tuple[tuple[str, ...], ...] = (("pos",), ("x", "y", "z"), ("x", "y"))


class Columns(NamedTuple):
    """The data of the nodes, or of the edges, of a graph.

    Attributes
    ----------
    values : callable
        Returns the values under a name; None where there is none.
    names : sequence of str
        The names that some nodes, or edges, have.
    """

    values: Callable[[str], Sequence[Any]]
    names: Sequence[str]


@dataclass(frozen=True)
class FeatureNames:
    """The names under which a library keeps each field of a batch; None for a field that is not read."""

    node_labels: str | None = None
    node_attributes: Names | None = None
    edge_weights: str | None = None
    edge_labels: str | None = None
    edge_attributes: Names | None = None
    node_positions: Names | None = None
    impute: Impute = "error"
    fill_values: FillValues | None = None

    def __post_init__(self) -> None:
        check_choice("impute", self.impute, Impute)
        if self.fill_values is not None and self.impute == "error":
            needed = [Option("fill_values"), Option("impute", "mean"), Option("impute", "flag")]
            raise InputError("{} needs {} or {}", options=needed)
        for field in ("node_labels", "edge_weights", "edge_labels"):
            _check_one_name(field, getattr(self, field))
        for field in ("node_attributes", "edge_attributes", "node_positions"):
            names = getattr(self, field)
            if names is not None and not isinstance(names, str):
                object.__setattr__(self, field, list(names))
                if not getattr(self, field):
                    remedy = "pass None for no attributes"
                    raise InputError("{} is an empty list", remedy=remedy, options=[Option(field)])

    def used(self, thing: Thing) -> set[str]:
        """Return the names that are read of nodes, or of edges."""
        fields = [field for field in (*NETWORKX_NAMES, "node_positions") if field.startswith(thing)]
        return {name for field in fields for name in as_list(getattr(self, field))}


def as_list(names: Names | None) -> list[str]:
    """Return one name, several or none as a list."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def _check_one_name(field: str, name: object) -> None:
    """Raise an error if several names are given where labels or weights need one."""
    if name is None or isinstance(name, str):
        return
    several = list(name) if isinstance(name, list | tuple) else []
    thing = field.partition("_")[0]
    remedy = "pass one name"
    if several:
        numbers = f"; numbers may be {{}}; to combine labels, store a tuple of them under one name of each {thing}"
        remedy = f"pass one of them, such as {{}}{numbers}"
    options = [Option(field, several[0]), Option(f"{thing}_attributes", several[1:] or several)] if several else []
    raise InputTypeError(
        f"{{}} is the name of one value, got {name!r}", remedy=remedy, options=[Option(field), *options]
    )


def named_parts(
    position: int,
    n_nodes: int,
    edges: IntArray,
    names: FeatureNames,
    *,
    of_nodes: Columns,
    of_edges: Columns,
    undirected: bool,
    node_names: Sequence[object] | None = None,
) -> GraphParts:
    """Return the graph at a position of a list, with its data looked up by name."""
    nodes, arcs = _Data("node", position, of_nodes, names.impute), _Data("edge", position, of_edges, names.impute)
    node_labels, node_label_names = nodes.labels(names.node_labels)
    edge_labels, edge_label_names = arcs.labels(names.edge_labels)
    node_attributes, columns = nodes.attributes(names.node_attributes)
    return GraphParts(
        n_nodes=n_nodes,
        edges=edges,
        undirected=undirected,
        node_labels=node_labels,
        node_attributes=node_attributes,
        edge_weights=arcs.weights(names.edge_weights),
        edge_labels=edge_labels,
        edge_attributes=arcs.attributes(names.edge_attributes)[0],
        node_positions=nodes.positions(names.node_positions),
        node_names=None if node_names is None else np.array([str(name) for name in node_names], dtype=np.str_),
        vocabulary=Vocabulary(node_label_names, edge_label_names, columns),
    )


def without_plain_names(parts: list[GraphParts]) -> list[GraphParts]:
    """Return graphs without names of nodes if all of them are positions, counted from 0."""
    plain = all(
        part.node_names is not None and part.node_names.tolist() == [str(node) for node in range(part.n_nodes)]
        for part in parts
    )
    return [replace(part, node_names=None) for part in parts] if plain else parts


def array_fields(given: Mapping[str, ArrayLike | None], position: int) -> dict[str, Any]:
    """Return the arrays of the graph at a position as fields of :class:`GraphParts`, with the names of labels."""
    fields = {field: value for field, value in given.items() if value is not None}
    labels = {field: _label_rows(field, value, position) for field, value in fields.items() if field.endswith("labels")}
    rows = {field: as_rows(field, value, position) for field, value in fields.items() if field not in labels}
    codes = {field: each.codes for field, each in labels.items()}
    names = Vocabulary(**dict[str, Any]({field: each.names for field, each in labels.items()}))
    return {**codes, **rows, "vocabulary": names}


def as_rows(field: str, value: ArrayLike, position: int) -> NDArray[Any]:
    """Return the data of the graph at a position with the type and dimension that ``field`` has in a batch."""
    integers = field.endswith("labels")
    ndim = 2 if field.endswith(("attributes", "positions")) else 1
    try:
        array = np.asanyarray(value)
    except ValueError:
        raise InputError(f"the rows of {field} have different lengths", graph=position) from None
    check_type(field, array, integers=integers, graph=position)
    if array.size and array.ndim != ndim:
        raise InputError(f"{field} must have {ndim} dimension(s), got the shape {array.shape}", graph=position)
    rows = array if array.ndim == ndim else array.reshape((len(array), 0)[:ndim])
    return rows.astype(np.int64 if integers else np.float64)


def _label_rows(field: str, value: Any, position: int) -> Labels:
    """Return the labels of the graph at a position: integers as they are, texts and tuples with their names."""
    listed = value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "UOT" else value
    if not isinstance(listed, list | tuple) or not any(isinstance(label, str | tuple) for label in listed):
        return Labels(as_rows(field, value, position), {})
    try:
        return Labels.of(listed)
    except StructuredError as error:
        raise type(error)(f"{field}: {error.problem}", remedy=error.remedy, graph=position) from error


@dataclass(frozen=True)
class _Data:
    """The values that the nodes, or the edges, of the graph at a position have under names."""

    thing: Thing
    graph: int
    columns: Columns
    impute: Impute

    def labels(self, name: str | None) -> tuple[IntArray | None, dict[int, str]]:
        """Return the labels found under a name (n), and their names."""
        if name is None:
            return None, {}
        values = self._present(name)
        try:
            return Labels.of(values)
        except LabelTypeError as error:
            row = next(row for row, value in enumerate(values) if value is error.label)
            raise self._error(row, f"{name!r} cannot be a label: {error.problem}", InputTypeError) from error
        except InputError as error:
            raise InputError(error.problem, remedy=error.remedy, graph=self.graph) from error

    def weights(self, name: str | None) -> FloatArray | None:
        """Return the numbers found under a name (n)."""
        if name is None:
            return None
        column = self._numbers(name, self._present(name))
        if column.ndim != 1:
            raise self._error(0, f"{name!r} must be a single number, got an array of shape {column.shape[1:]}")
        return column

    def attributes(self, names: Names | None) -> tuple[FloatArray | None, tuple[str, ...]]:
        """Return the numbers or vectors found under one name, or under several, side by side (n, d), and d names.

        Missing values are nan if they are to be imputed.
        """
        if names is None:
            return None, ()
        columns = {name: _as_table(self._numbers(name, self._known(name))) for name in as_list(names)}
        if self.impute == "error":
            for name, column in columns.items():
                self._check_known(name, column)
        titles = tuple(title for name, column in columns.items() for title in _titles(name, column.shape[1]))
        return flag_missing(np.column_stack(list(columns.values())), titles, self.impute)

    def positions(self, names: Names | None) -> FloatArray | None:
        """Return the positions under names (n, 2 or 3); with "auto" under usual names, if all nodes have them."""
        if names is None:
            return None
        if names != "auto":
            return np.column_stack([_as_table(self._numbers(name, self._present(name))) for name in as_list(names)])
        for usual in USUAL_POSITIONS:
            if set(usual) <= set(self.columns.names):
                found = _as_positions([self.columns.values(name) for name in usual])
                if found is not None:
                    return found
        return None

    def _known(self, name: str) -> Sequence[Any]:
        """Return the values under a name; nan for those that are missing, if they are to be imputed."""
        if self.impute == "error":
            return self._present(name, may_impute=True)
        values = self.columns.values(name)
        known = [value for value in values if value is not None]
        missing = np.full(np.shape(known[0]), np.nan) if known else np.nan
        return [missing if value is None else value for value in values]

    def _present(self, name: str, *, may_impute: bool = False) -> Sequence[Any]:
        values = self.columns.values(name)
        others = [other for other in self.columns.names if other != name]
        if name not in self.columns.names and others:
            problem = f"there is no {name!r}, only {', '.join(map(repr, others))}"
            raise self._error(0, problem, remedy=did_you_mean(name, others))
        for row, value in enumerate(values):
            if value is None:
                impute = [Option("impute", "mean")] if may_impute and name in self.columns.names else []
                remedy = f"add it to every {self.thing}, or do not read it{', or pass {}' if impute else ''}"
                raise self._error(row, f"there is no {name!r}", remedy=remedy, options=impute)
        return values

    def _check_known(self, name: str, column: FloatArray) -> None:
        missing = np.isnan(column).any(axis=1)
        if missing.any():
            remedy = f"replace it with a finite number, remove the {self.thing}, or pass {{}}"
            options = [Option("impute", "mean")]
            raise self._error(int(missing.argmax()), f"{name!r} is nan", remedy=remedy, options=options)

    def _numbers(self, name: str, values: Sequence[Any]) -> FloatArray:
        try:
            array = np.array(values)
        except ValueError:
            array = np.empty(0, dtype=object)  # vectors of different lengths: the loop below finds the first one
        if array.dtype.kind in "iufb" or len(values) == 0:
            return array.astype(np.float64)
        shape = np.shape(values[0])
        for row, value in enumerate(values):
            if np.asarray(value).dtype.kind not in "iufb":
                raise self._error(row, f"{name!r} is {value!r}, which is not a number")
            if np.shape(value) != shape:
                other = f"but {shape} for {self.thing} 0"
                raise self._error(row, f"{name!r} has the shape {np.shape(value)}, {other}")
        raise InputError(f"{name!r} cannot be read as numbers", graph=self.graph)

    def _error(
        self,
        row: int,
        problem: str,
        kind: type[StructuredError] = InputError,
        *,
        remedy: str = "",
        options: Sequence[Option] = (),
    ) -> StructuredError:
        node, edge = (row, None) if self.thing == "node" else (None, row)
        return kind(problem, remedy=remedy, options=options, graph=self.graph, node=node, edge=edge)


def _as_table(column: FloatArray) -> FloatArray:
    """Return numbers or vectors as a table (n, d)."""
    return column.reshape(len(column), -1 if len(column) else 1)


def _titles(name: str, width: int) -> list[str]:
    """Return the names of the columns of an attribute: its name, followed by a number if it is a vector."""
    return [name] if width == 1 else [f"{name} {column + 1}" for column in range(width)]


def _as_positions(columns: Sequence[Sequence[Any]]) -> FloatArray | None:
    """Return values as positions (n, 2 or 3); None if they are none."""
    try:
        arrays = [np.array(column, dtype=np.float64) for column in columns]
    except (ValueError, TypeError):
        return None
    places = np.column_stack([_as_table(array) for array in arrays])
    return places if places.shape[1] in (2, 3) and np.isfinite(places).all() else None
