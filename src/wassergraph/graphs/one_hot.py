"""One-hot encoded labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.invariants import check_choice, locate_node

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch

#: What to do with a label that has no column.
Unseen: TypeAlias = Literal["error", "zeros"]


def one_hot(batch: GraphBatch, labels: IntArray, columns: IntArray, unseen: Unseen) -> FloatArray:
    """Return a row for each label and a column for each label of the alphabet, with ones where they are equal."""
    check_choice("unseen", unseen, Unseen)
    if len(np.unique(columns)) < len(columns):
        raise InputError(f"the alphabet has a label twice: {columns.tolist()}")
    encoded = labels[:, None] == columns
    outside = np.flatnonzero(~encoded.any(axis=1))
    if outside.size and unseen == "error":
        graph, node = locate_node(batch, outside[0])
        raise InputError(
            f"the label {batch.vocabulary.node_label(int(labels[outside[0]]))} is not in the alphabet",
            remedy="add it, or pass {} for a row of zeros",
            options=[Option("unseen", "zeros")],
            graph=graph,
            node=node,
        )
    return np.asarray(encoded, dtype=np.float64)
