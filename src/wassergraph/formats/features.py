"""Values as other libraries keep them, under names and one Python object per node or edge, to arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.formats.labels import encode_labels
from wassergraph.graphs.invariants import check_type
from wassergraph.graphs.packing import GraphParts

#: The name of one value (a number or a vector), or the names of several that are put side by side.
Names: TypeAlias = str | Sequence[str]

#: Gives the values that every node (or edge) of a graph has under a name; None where one has no such value.
Lookup: TypeAlias = Callable[[str], Sequence[Any]]


@dataclass(frozen=True)
class FeatureNames:
    """Under which names a library keeps what a batch calls node labels, edge weights, and so on; None: not wanted."""

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
                    raise ValueError(f"{field} is an empty list of names: give None for no attributes")


def named_parts(
    position: int,
    n_nodes: int,
    edges: NDArray[np.int64],
    names: FeatureNames,
    *,
    of_nodes: Lookup,
    of_edges: Lookup,
    undirected: bool,
) -> GraphParts:
    """Put together the graph at a position of a list, its data looked up by name."""
    node, edge = f"graph {position}, node", f"graph {position}, edge"
    return GraphParts(
        n_nodes=n_nodes,
        edges=edges,
        undirected=undirected,
        node_labels=_labels(of_nodes, names.node_labels, node),
        node_attributes=_attributes(of_nodes, names.node_attributes, node),
        edge_weights=_weights(of_edges, names.edge_weights, edge),
        edge_labels=_labels(of_edges, names.edge_labels, edge),
        edge_attributes=_attributes(of_edges, names.edge_attributes, edge),
    )


def as_rows(field: str, value: ArrayLike, position: int) -> NDArray[Any]:
    """Bring the data of the graph at a position into the type and dimension that ``field`` has in a batch."""
    integers = field.endswith("labels")
    ndim = 2 if field.endswith("attributes") else 1
    try:
        array = np.asanyarray(value)
    except ValueError:
        raise ValueError(f"graph {position}: {field} has ragged rows; all need the same length") from None
    check_type(f"graph {position}: {field}", array, integers=integers)
    if array.size and array.ndim != ndim:
        raise ValueError(f"graph {position}: {field} must have {ndim} dimension(s), got the shape {array.shape}")
    rows = array if array.ndim == ndim else array.reshape((len(array), 0)[:ndim])
    return rows.astype(np.int64 if integers else np.float64)


def _labels(lookup: Lookup, name: str | None, thing: str) -> NDArray[np.int64] | None:
    """Give the labels found under a name (n); ``thing`` is what errors call their owners, "graph 3, node"."""
    if name is None:
        return None
    values = _present(lookup(name), name, thing)
    try:
        return encode_labels(values)
    except TypeError as error:
        raise TypeError(f"{thing}: {name!r} cannot be a label: {error}") from error


def _weights(lookup: Lookup, name: str | None, thing: str) -> NDArray[np.float64] | None:
    """Give the numbers found under a name (n)."""
    if name is None:
        return None
    column = _numbers(_present(lookup(name), name, thing), name, thing)
    if column.ndim != 1:
        raise ValueError(f"{thing}: {name!r} must be one number each, got vectors of shape {column.shape[1:]}")
    return column


def _attributes(lookup: Lookup, names: Names | None, thing: str) -> NDArray[np.float64] | None:
    """Give the numbers or vectors found under one name, or under several, side by side (n, d)."""
    if names is None:
        return None
    listed = [names] if isinstance(names, str) else names
    columns = [_numbers(_present(lookup(name), name, thing), name, thing) for name in listed]
    return np.column_stack([column.reshape(len(column), -1 if len(column) else 1) for column in columns])


def _present(values: Sequence[Any], name: str, thing: str) -> Sequence[Any]:
    for position, value in enumerate(values):
        if value is None:
            raise ValueError(f"{thing} {position} has no {name!r}: give it to every one, or do not ask for it")
    return values


def _numbers(values: Sequence[Any], name: str, thing: str) -> NDArray[np.float64]:
    try:
        array = np.array(values)
    except ValueError:
        array = np.empty(0, dtype=object)  # ragged: the loop below says where
    if array.dtype.kind in "iufb" or len(values) == 0:
        return array.astype(np.float64)
    shape = np.shape(values[0])
    for position, value in enumerate(values):
        if np.asarray(value).dtype.kind not in "iufb":
            raise ValueError(f"{thing} {position}: {name!r} is {value!r}, which is not a number")
        if np.shape(value) != shape:
            raise ValueError(f"{thing} {position}: {name!r} has the shape {np.shape(value)}, the first one has {shape}")
    raise ValueError(f"{thing}: {name!r} cannot be read as numbers")
