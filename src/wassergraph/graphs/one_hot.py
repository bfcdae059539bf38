"""One-hot encoded labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from wassergraph.errors import InputError, Option
from wassergraph.graphs.fields import as_labels
from wassergraph.graphs.invariants import check_choice, locate_node, require_field

if TYPE_CHECKING:
    from wassergraph.graphs.batch import GraphBatch

#: What to do with a label that has no column.
Unseen: TypeAlias = Literal["error", "zeros"]


def one_hot_labels(batch: GraphBatch, alphabet: Iterable[int] | None, unseen: Unseen) -> GraphBatch:
    """Replace the node attributes by encoded labels; see :meth:`wassergraph.GraphBatch.one_hot_labels`."""
    labels = require_field(batch, "node_labels")
    columns = np.unique(labels) if alphabet is None else as_labels(alphabet)
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
    names = replace(batch.vocabulary, node_attributes=tuple(map(batch.vocabulary.node_label, columns.tolist())))
    return replace(batch, node_attributes=encoded, vocabulary=names)
