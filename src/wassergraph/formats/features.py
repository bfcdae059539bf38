"""Values as other libraries keep them, under names and one Python object per node or edge, to arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.formats.labels import encode_labels
from wassergraph.packing import GraphParts

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
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"graph {position}: {field} has ragged rows; all need the same length") from None
    if array.size and array.dtype.kind not in ("iub" if integers else "iufb"):
        kind = "integers" if integers else "real numbers"
        raise TypeError(f"graph {position}: {field} must be {kind}, got {array.dtype}")
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
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise ValueError("an empty list of attribute names: give None for no attributes")
    columns = [_numbers(_present(lookup(name), name, thing), name, thing) for name in names]
    return np.column_stack([column.reshape(len(column), -1 if len(column) else 1) for column in columns])


def _present(values: Sequence[Any], name: str, thing: str) -> Sequence[Any]:
    for position, value in enumerate(values):
        if value is None:
            raise ValueError(f"{thing} {position} has no {name!r}: give it to every one, or do not ask for it")
    return values


def _numbers(values: Sequence[Any], name: str, thing: str) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    widths = []
    for position, value in enumerate(values):
        try:
            widths.append(np.shape(np.asarray(value, dtype=np.float64)))
        except (TypeError, ValueError):
            raise ValueError(f"{thing} {position}: {name!r} is {value!r}, which is not a number") from None
        if widths[-1] != widths[0]:
            raise ValueError(f"{thing} {position}: {name!r} has the shape {widths[-1]}, the first one has {widths[0]}")
    raise ValueError(f"{thing}: {name!r} cannot be read as numbers")
