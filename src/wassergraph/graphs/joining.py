"""Several batches as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError
from wassergraph.graphs.fields import ALL_DATA, OPTIONAL
from wassergraph.graphs.flat_graphs import FlatGraphs
from wassergraph.graphs.slices import offsets
from wassergraph.graphs.texts import Texts
from wassergraph.graphs.vocabulary import Vocabulary, join_vocabularies

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch


def join_batches(batches: Sequence[GraphBatch]) -> GraphBatch:
    """Return the graphs of all batches; see :meth:`wassergraph.GraphBatch.concatenate`."""
    if not batches:
        raise InputError("there are no batches to concatenate", remedy="pass at least one")
    for position, batch in enumerate(batches):
        if not isinstance(batch, FlatGraphs):
            raise InputTypeError(f"batch {position} is of the type {type(batch).__name__}, not a GraphBatch")
        _check_same_fields(batches[0], batch, position)
    nodes = offsets([batch.n_nodes for batch in batches])
    return type(batches[0])._trusted(
        node_ptr=offsets(np.concatenate([batch.sizes for batch in batches])),
        indptr=offsets(np.concatenate([batch.degrees for batch in batches])),
        indices=np.concatenate([b.indices + first for b, first in zip(batches, nodes, strict=False)]),
        **{name: stack_if_all(batches, name) for name in ALL_DATA},
        node_stereo=_join_stereo(batches),
        molecules=all(batch.molecules for batch in batches),
        vocabulary=_join_names(batches),
        structures=_join_structures(batches),
    )


def stack_if_all(sources: Sequence[object], name: str) -> NDArray[Any] | None:
    """Join one field of all batches, or of all graphs; None if one lacks it, or has another number of columns."""
    values = [getattr(source, name) for source in sources]
    columns = {None if value is None else value.shape[1:] for value in values}
    return np.concatenate(values) if len(columns) == 1 and None not in columns else None


def _check_same_fields(reference: GraphBatch, batch: GraphBatch, position: int) -> None:
    """Raise an error unless the batch at a position of a list has the same fields as the first one."""
    for name in OPTIONAL:
        left, right = getattr(reference, name), getattr(batch, name)
        if (left is None) != (right is None):
            with_field, without = (0, position) if right is None else (position, 0)
            raise InputError(
                f"batch {with_field} has {name} but batch {without} does not",
                remedy="add the field to all batches or remove it from all",
            )
        if left is not None and left.shape[1:] != right.shape[1:]:
            raise InputError(
                f"{name} has {left.shape[1]} columns in batch 0 and {right.shape[1]} in batch {position}",
                remedy="use the same columns in all batches",
            )


def _join_names(batches: Sequence[GraphBatch]) -> Vocabulary:
    """Return the names of several batches."""
    joined = join_vocabularies(batch.vocabulary for batch in batches)
    others = [batch for batch in batches if not batch.molecules]
    # Beside molecules, a label of other graphs that has no name is no element.
    unnamed = any(batch.node_labels is not None and not batch.vocabulary.node_labels for batch in others)
    return join_vocabularies(batch.vocabulary for batch in others) if unnamed else joined


def _join_stereo(batches: Sequence[GraphBatch]) -> IntArray | None:
    """Return the stereochemistry of all batches; a batch without any has zeros."""
    parts = [batch.node_stereo for batch in batches]
    if all(part is None for part in parts):
        return None
    zeros = (np.zeros(batch.n_nodes, dtype=np.int64) for batch in batches)
    return np.concatenate([none if part is None else part for part, none in zip(parts, zeros, strict=True)])


def _join_structures(batches: Sequence[GraphBatch]) -> Texts | None:
    """Return the structures of all batches; those of a batch without any are empty."""
    if all(batch.structures is None for batch in batches):
        return None
    parts = (Texts.of([""] * len(batch)) if batch.structures is None else batch.structures for batch in batches)
    return Texts.concatenate(parts)
