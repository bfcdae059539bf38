"""The graphs of a page: embedded, and compared with each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.explorer.foresight import DISTANCES, check_page
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.metric import Metric
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.models.given_distances import read_given
from wassergraph.models.graph_model import GraphModel
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.distance_store import open_distances
from wassergraph.parallel.stages import stage

#: More graphs would need more memory than a page, and the machine that makes it, should take.
MAX_GRAPHS = 20_000
#: Given distances are compared with those of so many graphs: 21 pairs.
_SAMPLE = 7
#: Up to which relative difference they are the same: they may be float32.
_SAME = 1e-5


@dataclass(frozen=True, eq=False)
class Collection:
    """Graphs that are embedded in the same way.

    Attributes
    ----------
    graphs : GraphBatch
        The graphs.
    scheme : Scheme
        How they are embedded.
    embedding : NodeEmbedding
        Their nodes, embedded for one depth.
    weights : array or None
        The mass of every node, if they differ.
    """

    graphs: GraphBatch
    scheme: Scheme
    embedding: NodeEmbedding
    weights: ArrayLike | None = None

    @classmethod
    def embed(cls, graphs: GraphBatch, metric: Metric, weights: ArrayLike | None) -> Collection:
        """Embed graphs for a metric."""
        scheme, (embedding,) = embed_all(metric.learn(graphs), [graphs], single_depth(metric.depth), [weights])
        return cls(graphs, scheme, embedding, weights)

    @classmethod
    def embed_like(cls, model: GraphModel, graphs: GraphBatch) -> Collection:
        """Embed graphs as a fitted model does."""
        scheme, (embedding,) = embed_all(model.scheme_, [graphs], model.best_params_["depth"], [None])
        return cls(graphs, scheme, embedding)

    def distances(self, given: Any = None, *, n_jobs: int | None = None, progress: bool = False) -> FloatArray:
        """Compute all distances (N, N), or check those that were computed before.

        Parameters
        ----------
        given : (N, N) floats, DistanceStore, path of a store, or None
            Distances of the same graphs with the same options.
        n_jobs, progress
            As in :func:`wassergraph.distances`.

        Returns
        -------
        (N, N) floats
        """
        depths = [self.embedding.depth]
        if given is None:
            with stage(DISTANCES):
                computed = embedding_distances(self.embedding, depths=depths, n_jobs=n_jobs, progress=progress)
            return np.asarray(computed[0])
        opened = open_distances(given) if isinstance(given, str | Path) else given
        stack = read_given(opened, self.graphs, self.scheme, depths, weights=self.weights, used_by="the page")
        matrix = np.asarray(stack[0], dtype=np.float64)
        self._check_sample(matrix, n_jobs)
        return matrix

    def _check_sample(self, matrix: FloatArray, n_jobs: int | None) -> None:
        """Raise an error unless the diagonal is zero and the distances between a few graphs are those of the graphs."""
        n = len(self.graphs)
        chosen = np.sort(np.random.default_rng(0).choice(n, min(n, _SAMPLE), replace=False))
        some = embedding_distances(self.embedding.take(chosen), depths=[self.embedding.depth], n_jobs=n_jobs)[0]
        rounding = 1e-9 * float(matrix.max(initial=0.0))
        wrong = np.flatnonzero(matrix.diagonal() > rounding)
        if wrong.size:
            raise _not_those(wrong[:1].repeat(2), matrix[wrong[0], wrong[0]], 0.0)
        block = matrix[np.ix_(chosen, chosen)]
        different = np.argwhere(np.abs(block - some) > _SAME * np.maximum(block, some) + rounding)
        if different.size:
            i, j = different[0]
            raise _not_those(chosen[[i, j]], block[i, j], some[i, j])


def _not_those(pair: IntArray, given: float, computed: float) -> InputError:
    return InputError(
        f"{{}} are not those of the graphs: the distance of the graphs {pair[0]} and {pair[1]} is {given:.6g}, but "
        f"should be {computed:.6g}",
        remedy="pass the {} that they were computed with, or leave them out",
        options=[Option("distances"), Option("metric")],
    )


def check_number(n_graphs: int) -> None:
    """Raise an error unless a page can show so many graphs, and fits in memory."""
    if not n_graphs:
        raise InputError("there are no graphs to show", remedy="pass at least one")
    if n_graphs > MAX_GRAPHS:
        problem = f"there are {n_graphs:,} graphs, but a page shows at most {MAX_GRAPHS:,}"
        raise InputError(problem, remedy="pass a sample of them")
    check_page(n_graphs)


def check_alone(model: GraphModel, **others: object) -> None:
    """Raise an error if something is given that a model has of its own: its metric, and equal masses of nodes.

    Parameters
    ----------
    model : GraphModel
        A fitted model.
    **others
        What may be given beside it, by name; None if it is not.
    """
    for name, given in others.items():
        if given is not None:
            problem = "{} cannot be combined with {}, which has its own"
            options = [Option(name), Option("predicted_by")]
            raise InputError(problem, remedy="leave one of them out", options=options)
