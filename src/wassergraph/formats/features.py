"""Data with one Python object per node or edge, under names, → arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option, StructuredError
from wassergraph.formats.labels import LabelTypeError, encode_labels
from wassergraph.graphs.fields import check_type
from wassergraph.graphs.packing import GraphParts

#: The name of one value (a number or a vector), or the names of several that are put side by side.
Names: TypeAlias = str | Sequence[str]

#: Returns the values that the nodes (or edges) of a graph have under a name; None where one has no such value.
Lookup: TypeAlias = Callable[[str], Sequence[Any]]

Thing: TypeAlias = Literal["node", "edge"]


@dataclass(frozen=True)
class FeatureNames:
    """The names under which a library keeps each field of a batch; None for a field that is not read."""

    node_labels: str | None
    node_attributes: Names | None
    edge_weights: str | None
    edge_labels: str | None
    edge_attributes: Names | None

    def __post_init__(self) -> None:
        for field in ("node_attributes", "edge_attributes"):
            names = getattr(self, field)
            if names is not None and not isinstance(names, str):
                object.__setattr__(self, field, list(names))
                if not getattr(self, field):
                    raise InputError(
                        "{} is an empty list", remedy="pass None for no attributes", options=[Option(field)]
                    )


def named_parts(
    position: int,
    n_nodes: int,
    edges: IntArray,
    names: FeatureNames,
    *,
    of_nodes: Lookup,
    of_edges: Lookup,
    undirected: bool,
) -> GraphParts:
    """Return the graph at a position of a list, with its data looked up by name."""
    nodes, arcs = _Column("node", position, of_nodes), _Column("edge", position, of_edges)
    return GraphParts(
        n_nodes=n_nodes,
        edges=edges,
        undirected=undirected,
        node_labels=nodes.labels(names.node_labels),
        node_attributes=nodes.attributes(names.node_attributes),
        edge_weights=arcs.weights(names.edge_weights),
        edge_labels=arcs.labels(names.edge_labels),
        edge_attributes=arcs.attributes(names.edge_attributes),
    )


def as_rows(field: str, value: ArrayLike, position: int) -> NDArray[Any]:
    """Return the data of the graph at a position with the type and dimension that ``field`` has in a batch."""
    integers = field.endswith("labels")
    ndim = 2 if field.endswith("attributes") else 1
    try:
        array = np.asanyarray(value)
    except ValueError:
        raise InputError(f"the rows of {field} have different lengths", graph=position) from None
    check_type(field, array, integers=integers, graph=position)
    if array.size and array.ndim != ndim:
        raise InputError(f"{field} must have {ndim} dimension(s), got the shape {array.shape}", graph=position)
    rows = array if array.ndim == ndim else array.reshape((len(array), 0)[:ndim])
    return rows.astype(np.int64 if integers else np.float64)


@dataclass(frozen=True)
class _Column:
    """The values that the nodes, or the edges, of the graph at a position have under names."""

    thing: Thing
    graph: int
    lookup: Lookup

    def labels(self, name: str | None) -> IntArray | None:
        """Return the labels found under a name (n)."""
        if name is None:
            return None
        values = self._present(name)
        try:
            return encode_labels(values)
        except LabelTypeError as error:
            row = next(row for row, value in enumerate(values) if value is error.label)
            raise self._error(row, f"{name!r} cannot be a label: {error.problem}", InputTypeError) from error
        except InputError as error:
            raise InputError(error.problem, remedy=error.remedy, graph=self.graph) from error

    def weights(self, name: str | None) -> FloatArray | None:
        """Return the numbers found under a name (n)."""
        if name is None:
            return None
        column = self._numbers(name)
        if column.ndim != 1:
            raise self._error(0, f"{name!r} must be a single number, got an array of shape {column.shape[1:]}")
        return column

    def attributes(self, names: Names | None) -> FloatArray | None:
        """Return the numbers or vectors found under one name, or under several, side by side (n, d)."""
        if names is None:
            return None
        columns = [self._numbers(name) for name in ([names] if isinstance(names, str) else names)]
        return np.column_stack([column.reshape(len(column), -1 if len(column) else 1) for column in columns])

    def _present(self, name: str) -> Sequence[Any]:
        values = self.lookup(name)
        for row, value in enumerate(values):
            if value is None:
                remedy = f"add it to every {self.thing}, or do not read it"
                raise self._error(row, f"there is no {name!r}", remedy=remedy)
        return values

    def _numbers(self, name: str) -> FloatArray:
        values = self._present(name)
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
        self, row: int, problem: str, kind: type[StructuredError] = InputError, *, remedy: str = ""
    ) -> StructuredError:
        node, edge = (row, None) if self.thing == "node" else (None, row)
        return kind(problem, remedy=remedy, graph=self.graph, node=node, edge=edge)
