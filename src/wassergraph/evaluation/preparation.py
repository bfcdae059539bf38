"""Preparation: what is done to the graphs of a data set before methods compare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.decisions import Standardize
from wassergraph.metrics.node_embedding import EmbeddingKind


def unchanged(graphs: GraphBatch) -> GraphBatch:
    """Return the graphs as they are."""
    return graphs


@dataclass(frozen=True)
class Preparation:
    """How the graphs of a data set are used.

    Attributes
    ----------
    prepare : callable
        Takes a :class:`wassergraph.GraphBatch` and returns the one that methods compare; by default the same.
    standardize : bool or "auto"
        Whether node attributes are standardized; "auto" as in :class:`wassergraph.WWL`.
    iterations : int
        With the hash graph kernels, how often attributes are hashed.
    """

    prepare: Callable[[GraphBatch], GraphBatch] = unchanged
    standardize: Standardize = "auto"
    iterations: int = 20


#: One preparation for every kind, or one for each kind; kinds that are left out are not prepared.
Preparations: TypeAlias = Preparation | Mapping[str, Preparation]


def preparation_for(kind: EmbeddingKind, preparations: Preparations | None) -> Preparation:
    """Return the preparation for a kind; that for "continuous" is also used for "joint"."""
    if isinstance(preparations, Mapping):
        return preparations.get("continuous" if kind == "joint" else kind, Preparation())
    return Preparation() if preparations is None else preparations
