"""TrainingGraphs: the graphs that a model keeps, and how far new graphs are from them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import process_time
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.embed import embed_new
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact
from wassergraph.models.column_term import TrainingColumns
from wassergraph.models.unseen import unseen_labels
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.foresight import pair_seconds, sample_graphs, speedup
from wassergraph.pairwise.prepare import prepare
from wassergraph.parallel.estimate import Estimate
from wassergraph.search.equal_graphs import equal_groups, rounding_of
from wassergraph.search.running import EmbeddedSearch

#: How many distances to new graphs are in memory at a time: a third of a gigabyte for any number of graphs.
_MAX_DISTANCES = 40_000_000
#: How often they are in memory: as distances, and as a kernel.
_COPIES = 2
#: How many of the training graphs are compared with new ones for an estimate.
_SAMPLE = 400
#: The stage in which new graphs are compared with training graphs.
PREDICTIONS = "predictions"
#: A new graph is inside the domain if it is as near to a training graph as this share of them are to another one.
DOMAIN = 0.95


@dataclass(frozen=True)
class TrainingGraphs:
    """Graphs that new ones are compared with.

    Attributes
    ----------
    scheme : Scheme
        How graphs are embedded.
    graphs : GraphBatch
        The graphs.
    embedding : NodeEmbedding
        Their nodes, embedded for one depth.
    columns : TrainingColumns or None
        The numbers that they have beside, whose distances are added to those of the graphs.
    """

    scheme: Scheme
    graphs: GraphBatch
    embedding: NodeEmbedding
    columns: TrainingColumns | None = None

    @classmethod
    def embed(cls, scheme: Scheme, graphs: GraphBatch, depth: int, columns: TrainingColumns | None = None) -> Self:
        """Embed graphs."""
        return cls(scheme, graphs, scheme.embed(graphs, depth), columns)

    def __len__(self) -> int:
        return len(self.graphs)

    def take(self, positions: IntArray) -> TrainingGraphs:
        """Return some of the graphs."""
        columns = None if self.columns is None else self.columns.take(positions)
        graphs, embedding = self.graphs[positions], self.embedding.take(positions)
        return replace(self, graphs=graphs, embedding=embedding, columns=columns)

    def parts(self, n_new: int) -> list[slice]:
        """Return the positions of new graphs in parts, so that the distances of one part fit in memory."""
        size = max(1, _MAX_DISTANCES // max(1, len(self)))
        return [slice(first, first + size) for first in range(0, n_new, size)]

    def foresee(self, batch: GraphBatch, n_threads: int) -> Estimate:
        """Estimate what the distances of new graphs to these will take, from samples of both."""
        new, n_pairs = sample_graphs(batch), len(batch) * len(self)
        some = self.take(np.random.default_rng(0).permutation(len(self))[:_SAMPLE])
        begin = process_time()
        sides = list(embed_new(self.scheme, some.graphs, some.embedding, new))
        problem = prepare(sides, [self.embedding.depth], Exact())
        embedding = (process_time() - begin) / max(len(new) + len(some), 1) * (len(batch) + len(self))
        seconds = embedding + n_pairs * pair_seconds(problem, n_threads, n_pairs) / speedup(n_threads)
        memory = 8.0 * _COPIES * min(n_pairs, max(_MAX_DISTANCES, len(self)))
        return Estimate(len(batch), n_pairs, {PREDICTIONS: seconds}, memory)

    def distances_from(
        self, batch: GraphBatch, columns: FloatArray | None = None, *, n_jobs: int | None, progress: bool
    ) -> FloatArray:
        """Compute the distances of new graphs, with their scaled columns, to these (n_new, n_graphs)."""
        new, own = embed_new(self.scheme, self.graphs, self.embedding, batch)
        distances = embedding_distances(new, own, depths=[own.depth], n_jobs=n_jobs, progress=progress)
        return self.with_columns(self.without_rounding(np.asarray(distances[0])), columns)

    @property
    def columns_count(self) -> bool:
        """Whether columns are a part of distances."""
        return self.columns is not None and self.columns.weight > 0

    def with_columns(self, distances: FloatArray, columns: FloatArray | None) -> FloatArray:
        """Return distances of new graphs, to which those of their scaled columns are added."""
        if self.columns is None or columns is None or not self.columns_count:
            return distances
        return distances + self.columns.distances_from(columns)

    def nearest_to(
        self, batch: GraphBatch, columns: FloatArray | None = None, *, n_jobs: int | None, progress: bool
    ) -> tuple[IntArray, FloatArray]:
        """Find the nearest of these graphs, and how far it is, for each new graph.

        Without columns most distances are not computed.
        """
        if columns is not None and self.columns_count:
            positions, least = np.zeros(len(batch), dtype=np.int64), np.zeros(len(batch))
            for rows in self.parts(len(batch)):
                apart = self.distances_from(batch[rows], columns[rows], n_jobs=n_jobs, progress=progress)
                positions[rows], least[rows] = apart.argmin(axis=1), apart.min(axis=1)
            return positions, least
        new, own = embed_new(self.scheme, self.graphs, self.embedding, batch)
        search = self._search if own is self.embedding else EmbeddedSearch(own)
        found = search.find(new, 1, n_jobs=n_jobs, progress=progress)
        positions = np.array([each.graphs[0] for each in found], dtype=np.int64)
        distances = np.array([each.distances[0] for each in found], dtype=np.float64)
        return positions, self.without_rounding(distances)

    def without_rounding(self, distances: FloatArray) -> FloatArray:
        """Return distances to these graphs, which are changed, with 0 for graphs that are equal but for rounding."""
        rounding = rounding_of(self.embedding)
        if rounding > 0:
            distances[distances <= rounding] = 0.0
        return distances

    @property
    def compared(self) -> TrainingGraphs:
        """The graphs that new ones are compared with: these, or more if several models share them."""
        return self

    def forget(self) -> None:
        """Forget distances to new graphs, if any are remembered."""

    def unseen_in(self, batch: GraphBatch) -> NDArray[Any]:
        """Return the labels of each new graph that none of these graphs has, as text."""
        return unseen_labels(batch, self.graphs, self.scheme.features)

    @functools.cached_property
    def equal(self) -> list[IntArray]:
        """The positions of graphs at distance 0 from each other, in groups of two or more."""
        groups = equal_groups(self.embedding)
        if self.columns is None or not self.columns_count:
            return groups
        return [part for group in groups for part in self.columns.split(group)]

    @functools.cached_property
    def _search(self) -> EmbeddedSearch:
        return EmbeddedSearch(self.embedding)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept in a pickle: what was computed from the graphs is made again when it is needed."""
        return {name: value for name, value in vars(self).items() if name not in ("_search", "equal")}


# The domain of the training graphs


class Neighbors(NamedTuple):
    """The training graph that is nearest to each new graph.

    Attributes
    ----------
    positions : (n) integers
        The position of the nearest training graph; of several, the first.
    distances : (n) floats
        How far it is.
    percentiles : (n) floats
        The share of training graphs, in percent, that are nearer to another training graph than that.
    inside : (n) booleans
        Whether the new graph is in the domain of the training graphs: the percentile is at most 95, and it has no
        label that no training graph has.
    unseen : (n) array of str
        The labels of the new graph that no training graph has, such as "Fe" or "dative bond", with commas between
        them; empty if there are none. Labels count if the model compares them, and elements of molecules always.
    """

    positions: IntArray
    distances: FloatArray
    percentiles: FloatArray
    inside: BoolArray
    unseen: NDArray[Any]


#: The neighbors of no graphs.
NO_NEIGHBORS = Neighbors(
    np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.str_)
)


def join_neighbors(parts: Iterable[Neighbors]) -> Neighbors:
    """Return the neighbors of several parts of a collection as one."""
    return Neighbors(*(np.concatenate(columns) for columns in zip(NO_NEIGHBORS, *parts, strict=True)))


def nearest_distances(distances: FloatArray) -> FloatArray:
    """Return how far each graph is from the nearest other one, sorted; from all distances between them (n, n)."""
    others = np.array(distances, dtype=np.float64)
    np.fill_diagonal(others, np.inf)
    return np.sort(others.min(axis=1, initial=np.inf))


def find_neighbors(distances: FloatArray, nearest: FloatArray) -> Neighbors:
    """Find the nearest training graphs.

    Parameters
    ----------
    distances : (n, n_train) floats
        The distances of new graphs to the training graphs.
    nearest : (n_train) floats
        The result of :func:`nearest_distances` for the training graphs.

    Returns
    -------
    Neighbors

    Examples
    --------
    >>> found = find_neighbors(np.array([[0.5, 0.2], [3.0, 4.0]]), np.array([0.3, 0.3]))
    >>> found.positions.tolist(), found.percentiles.tolist(), found.inside.tolist()
    ([1, 0], [0.0, 100.0], [True, False])
    """
    positions = distances.argmin(axis=1)
    return place_neighbors(positions, distances[np.arange(len(distances)), positions], nearest)


def place_neighbors(positions: IntArray, least: FloatArray, nearest: FloatArray) -> Neighbors:
    """Return the nearest training graphs, at some positions and distances, with their place by distance."""
    share = np.searchsorted(nearest, least, side="left") / len(nearest)
    return Neighbors(positions, least, 100 * share, share <= DOMAIN, np.full(len(least), ""))


def mark_unseen(neighbors: Neighbors, unseen: NDArray[Any]) -> Neighbors:
    """Return neighbors of new graphs that are outside, at any distance, if they have labels that were never seen."""
    return neighbors._replace(inside=neighbors.inside & (unseen == ""), unseen=unseen)


def training_copies(neighbors: Neighbors | None) -> BoolArray | None:
    """Return which graphs are at distance 0 from a training graph, so that the model cannot tell them from it.

    None is returned for models of earlier versions, which do not know all of their training graphs.
    """
    if neighbors is None:
        return None
    return np.asarray(neighbors.distances == 0)
