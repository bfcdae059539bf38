"""Make the searcher of embedded graphs: which one fits is decided as for the solvers of distances."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, Stop
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import EDGE_DATA, OPTIONAL
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.labels import CollisionError, check_codes
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.masses import weighted_total
from wassergraph.pairwise.problem import LabelProblem, LineProblem
from wassergraph.pairwise.scaling import scale_exponent
from wassergraph.pairwise.solve import problem_type
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.progress import Progress
from wassergraph.search.label_search import LabelSearch
from wassergraph.search.line_search import LineSearch
from wassergraph.search.searcher import Searcher
from wassergraph.search.transport_search import TransportSearch

#: Coordinates of queries may exceed those of graphs by two to this power: squares do not overflow then.
_BEYOND = 16
#: How many graphs are embedded at a time.
_PART = 5000
_Field: TypeAlias = NDArray[Any] | None


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
    kind = problem_type(embedding, Exact())
    if kind is LabelProblem:
        return LabelSearch
    return LineSearch if kind is LineProblem else TransportSearch


def too_far(searcher: Searcher, queries: NodeEmbedding) -> float:
    """Return the largest coordinate of queries if it is beyond what a searcher is made for; otherwise 0."""
    if searcher.exponent is None or queries.points is None or not queries.points.size:
        return 0.0
    farthest = float(np.abs(queries.points).max())
    return farthest if scale_exponent([queries]) > searcher.exponent + _BEYOND else 0.0


def rounding(weighted: bool, largest: int) -> int:
    """Return what the masses of weighted nodes sum to; 0 without weights. Searchers with the same value are equal."""
    return weighted_total(largest) if weighted else 0


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
    if is_used:
        return left, right
    return (left, right) if _shape(left) == _shape(right) else (None, None)


def _shape(field: _Field) -> tuple[int, ...] | None:
    """Return the number of columns of a field, if there are any; None without a field."""
    return None if field is None else field.shape[1:]


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
    first = parts[0]
    codes = [part.codes for part in parts if part.codes is not None]
    points = [part.points for part in parts if part.points is not None]
    sizes = np.concatenate([np.diff(part.ptr) for part in parts])
    return replace(
        first,
        ptr=np.concatenate([[0], np.cumsum(sizes)]),
        codes=np.concatenate(codes, axis=1) if codes else None,
        points=np.concatenate(points) if points else None,
    )
