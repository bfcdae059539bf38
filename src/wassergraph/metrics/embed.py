"""Embed graphs: one batch, several batches in the same way, or new graphs to compare with training graphs.

The codes of labels are hashes, which are checked for collisions within a batch and between batches.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.vocabulary import Vocabulary, join_vocabularies
from wassergraph.metrics.labels import CollisionError, check_across
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme

#: How many salts are tried before a collision is an error.
_SALTS = 10


def embed_all(
    scheme: Scheme, batches: Sequence[GraphBatch], depth: int, weights: Sequence[ArrayLike | None]
) -> tuple[Scheme, list[NodeEmbedding]]:
    """Embed several batches in the same way.

    If two different neighborhoods have the same code, within a batch or across batches, all are embedded again with
    another salt.

    Returns
    -------
    scheme, embeddings
        The scheme that was used, with its salt, and one embedding per batch.
    """
    if operator.index(depth) < 0:
        raise InputError(f"{{}} must be at least 0, got {depth}", options=[Option("depth")])
    _check_names(scheme, batches)
    for salt in range(scheme.salt, scheme.salt + _SALTS):
        salted = replace(scheme, salt=salt)
        try:
            embedded = [salted.embed(batch, depth, weights=w) for batch, w in zip(batches, weights, strict=True)]
            for one, other in itertools.combinations(range(len(batches)), 2):
                ends = (
                    salted.arcs(batches[other]),
                    embedded[other].codes,
                    salted.arcs(batches[one]),
                    embedded[one].codes,
                )
                check_across(*ends)
            return salted, embedded
        except CollisionError as error:
            warnings.warn(f"{error}; all nodes are embedded again with another salt", stacklevel=3)
    raise CollisionError(f"{_SALTS} different salts all led to collisions, which cannot be a coincidence")


def _check_names(scheme: Scheme, batches: Sequence[GraphBatch]) -> None:
    """Raise an error if what is compared has one name in one batch, and another name in another."""
    used = scheme.fields(1) & {"node_labels", "edge_labels", "node_attributes"}
    names = [Vocabulary(**{field: getattr(batch.vocabulary, field) for field in used}) for batch in batches]
    join_vocabularies(names if len(batches) > 1 else [])


def embed_new(
    scheme: Scheme, training: GraphBatch, training_embedding: NodeEmbedding, new: GraphBatch
) -> tuple[NodeEmbedding, NodeEmbedding]:
    """Embed new graphs so that they can be compared with training graphs that were embedded before.

    Returns
    -------
    new, training : NodeEmbedding
        ``training`` is ``training_embedding``, unless two different neighborhoods have the same code. Then both batches
        are embedded again with another salt.
    """
    depth = training_embedding.depth
    _check_names(scheme, [training, new])
    try:
        embedded = scheme.embed(new, depth)
        check_across(scheme.arcs(new), embedded.codes, scheme.arcs(training), training_embedding.codes)
        return embedded, training_embedding
    except CollisionError as error:
        warnings.warn(f"{error}; all nodes are embedded again with another salt", stacklevel=3)
    salted = replace(scheme, salt=scheme.salt + 1)
    _, (embedded, again) = embed_all(salted, [new, training], depth, [None, None])
    return embedded, replace(again, weights=training_embedding.weights)
