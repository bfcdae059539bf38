"""The graphs of an index, and those that are added to it or compared with it: their names, weights and data."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import EDGE_DATA, OPTIONAL
from wassergraph.graphs.invariants import count
from wassergraph.metrics.node_embedding import Features
from wassergraph.metrics.scheme import Scheme

_Field: TypeAlias = NDArray[Any] | None


def read_names(names: Sequence[str] | None, n: int, *, first: int = 0) -> NDArray[np.str_]:
    """Return the names of graphs as an array; by default their positions, counted from ``first``."""
    if names is None:
        return np.arange(first, first + n).astype(np.str_)
    array = np.asarray([str(name) for name in names], dtype=np.str_)
    if len(array) != n:
        problem = f"there are {count(n, 'graph')}, but {count(len(array), 'name')} in {{}}"
        raise InputError(problem, remedy="pass one for each graph", options=[Option("names")])
    return array


def shares_of(graphs: GraphBatch, weights: FloatArray | None) -> FloatArray:
    """Return the weights of nodes, also if all of a graph are equal."""
    return np.repeat(1 / graphs.sizes, graphs.sizes) if weights is None else weights


def join_weights(
    own: FloatArray | None, new: GraphBatch, given: ArrayLike | None, added: FloatArray | None, noun: str
) -> FloatArray | None:
    """Return the weights of nodes of both; raise an error if weights are given and the index has none, or vice versa.

    ``added`` are the given weights, as the new graphs were embedded with them.
    """
    if given is None and own is not None and len(new):
        problem = f"the nodes of the index have weights, but those of the new {noun}s have none"
        raise InputError(problem, remedy="pass {}", options=[Option("weights")])
    if added is not None and own is None:
        problem = f"the nodes of the new {noun}s have {{}}, but those of the index have none"
        remedy = "leave them out, or make a new index with weights"
        raise InputError(problem, remedy=remedy, options=[Option("weights")])
    return None if own is None else np.concatenate([own, shares_of(new, added)])


def join_graphs(own: GraphBatch, new: GraphBatch, used: Collection[str]) -> GraphBatch:
    """Return graphs, followed by new ones, with the data that are used, and those that all of them have."""
    fields = {name: _same_field(own, new, name, name in used) for name in OPTIONAL}
    batches = []
    for side, batch in enumerate((own, new)):
        given: dict[str, Any] = {name: pair[side] for name, pair in fields.items()}
        is_same = all(getattr(batch, name) is field for name, field in given.items())
        batches.append(batch if is_same else replace(batch, **given))  # replace checks all graphs again
    return GraphBatch.concatenate(batches)


def _same_field(own: GraphBatch, new: GraphBatch, name: str, is_used: bool) -> tuple[_Field, _Field]:
    """Return a field of both batches; none if it is not used, and one of them lacks it or has other columns."""
    left, right = getattr(own, name), getattr(new, name)
    if name in EDGE_DATA and left is not None and right is None and not new.n_arcs:
        right = left[:0]
    if name in EDGE_DATA and right is not None and left is None and not own.n_arcs:
        left = right[:0]
    left_columns, right_columns = (None if field is None else field.shape[1:] for field in (left, right))
    return (left, right) if is_used or left_columns == right_columns else (None, None)


def check_molecules(batch: GraphBatch, own: GraphBatch, scheme: Scheme, index: str) -> None:
    """Raise an error if molecules would be compared with other graphs, whose labels and attributes mean others.

    Labels of molecules are elements. Those of other graphs are not, even if the graphs were molecules once, as in
    MUTAG. Degrees are the same everywhere. The error ends with what the index is.
    """
    is_same = batch.molecules == own.molecules or scheme.features is Features.DEGREES
    if is_same or not len(batch):
        return
    if batch.molecules:
        problem = "these are molecules, but the index holds other graphs, whose labels are no elements"
        remedy = "make an index of molecules, from SMILES or RDKit"
    else:
        problem = "the index holds molecules, but these graphs are not, and their labels are no elements"
        remedy = "pass molecules, such as SMILES"
    raise InputError(problem, remedy=f"{remedy}; this is {index}")
