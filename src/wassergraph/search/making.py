"""Make the searcher of embedded graphs: which one fits is decided as for the solvers of distances."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from wassergraph.arrays import FloatArray, Stop
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.slices import offsets
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.labels import CollisionError, check_codes
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.problem import LabelProblem, LineProblem, Problem
from wassergraph.pairwise.solve import problem_type
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.progress import Progress
from wassergraph.search.label_search import LabelSearch
from wassergraph.search.line_search import LineSearch
from wassergraph.search.searcher import Searcher
from wassergraph.search.transport_search import TransportSearch

#: How many graphs are embedded at a time.
_PART = 5000
#: The searchers by the problems of distances, except those that need transport.
_SEARCHERS: dict[type[Problem], type[LabelSearch | LineSearch]] = {LabelProblem: LabelSearch, LineProblem: LineSearch}


def make_searcher(embedding: NodeEmbedding, *, weighted: bool, largest: int, farthest: float = 0.0) -> Searcher:
    """Return the searcher of embedded graphs.

    Parameters
    ----------
    embedding : NodeEmbedding
        The graphs.
    weighted : bool
        Whether nodes have weights, those of the graphs or of queries.
    largest : int
        The largest number of nodes of a graph or query, which determines how weights are rounded.
    farthest : float
        The largest coordinate of a query, if it is far beyond those of the graphs.

    Returns
    -------
    Searcher
    """
    kind = searcher_type(embedding)
    if issubclass(kind, TransportSearch):
        return kind.of(embedding, weighted=weighted, largest=largest, farthest=farthest)
    if issubclass(kind, LineSearch):
        return kind.of(embedding, weighted=weighted, farthest=farthest)
    return kind.of(embedding, weighted=weighted)


def searcher_type(embedding: NodeEmbedding) -> type[LabelSearch | LineSearch | TransportSearch]:
    """Return the type of searcher that embedded graphs need."""
    return _SEARCHERS.get(problem_type(embedding, Exact()), TransportSearch)


def embed_in_parts(
    scheme: Scheme, graphs: GraphBatch, depth: int, shares: FloatArray | None, engine: Engine, progress: bool
) -> tuple[Scheme, NodeEmbedding]:
    """Embed many graphs, a part at a time on an engine; their nodes have the masses that :meth:`Scheme.shares` returns.

    Returns
    -------
    scheme, embedding
        The scheme has another salt if two different neighborhoods had the same code.
    """
    firsts = range(0, max(len(graphs), 1), _PART)
    parts: list[NodeEmbedding | None] = [None] * len(firsts)
    with Progress("embedding", len(graphs), "graphs", show=progress) as bar:

        def done(item: tuple[int, GraphBatch], embedded: NodeEmbedding) -> None:
            parts[item[0]] = embedded
            bar.update(len(embedded))

        items = ((number, graphs[first : first + _PART]) for number, first in enumerate(firsts))
        engine.run(partial(_embed_part, scheme, depth), items, done)
    embedding = _join([part for part in parts if part is not None])
    try:
        if embedding.codes is not None:
            check_codes(scheme.arcs(graphs), embedding.codes)
    except CollisionError as error:
        warnings.warn(f"{error}; all nodes are embedded again with another salt", stacklevel=3)
        scheme, (embedding,) = embed_all(scheme, [graphs], depth, [None])
    return scheme, replace(embedding, weights=shares)


def _embed_part(scheme: Scheme, depth: int, item: tuple[int, GraphBatch], stop: Stop) -> NodeEmbedding:
    return embed_all(scheme, [item[1]], depth, [None])[1][0]


def _join(parts: Sequence[NodeEmbedding]) -> NodeEmbedding:
    """Return parts as one embedding."""
    codes = [part.codes for part in parts if part.codes is not None]
    points = [part.points for part in parts if part.points is not None]
    sizes = np.concatenate([np.diff(part.ptr) for part in parts])
    return replace(
        parts[0],
        ptr=offsets(sizes),
        codes=np.concatenate(codes, axis=1) if codes else None,
        points=np.concatenate(points) if points else None,
    )
