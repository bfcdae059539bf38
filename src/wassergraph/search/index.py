"""GraphIndex: many graphs, prepared so that the nearest ones of a new graph are found with few distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.graphs.saved_source import read_source
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.pairwise.foresight import threads_of
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.estimate import whole
from wassergraph.parallel.executors import engine_for
from wassergraph.parallel.stages import stage
from wassergraph.search.foresight import EMBEDDING, LISTS, foresee_index
from wassergraph.search.found_tables import GraphMode, as_matrix, as_table, without
from wassergraph.search.index_files import IndexParts, write_index
from wassergraph.search.making import embed_in_parts
from wassergraph.search.members import check_molecules, join_graphs, join_weights, read_names, shares_of
from wassergraph.search.neighbors import OUTCOMES, FoundGraphs, Wanted, check_radius
from wassergraph.search.running import Searchers


class GraphIndex:
    """Index of many graphs, which finds those nearest to a graph exactly while almost no distance is computed.

    Every distance that is returned is that of :func:`wassergraph.distances`, to the last bit, and no graph is
    missed. Labels are compared with all graphs at once, through lists of the graphs that have a label. For attributes,
    lower bounds leave only a few graphs to solve; how many is in ``last_counts``.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        N graphs. The metric learns from these, unless it was fitted before.
    metric : WWL, optional
        How graphs are compared, with one depth; by default ``WWL()``. The solver must be exact: others have no lower
        bounds that could replace solutions.
    weights : (n_nodes) floats, optional
        The mass of every node, as in :func:`wassergraph.distances`.
    names : (N) sequence of str, optional
        The names of the graphs; by default their positions.
    source : dict, optional
        How the graphs were read: texts, numbers and lists of these by name. ``wassergraph index`` keeps the columns and
        options that it read graphs with, and ``wassergraph search`` reads queries in the same way.
    n_jobs, executor, progress
        As in :func:`wassergraph.distances`, for the embedding.

    Attributes
    ----------
    graphs : GraphBatch
        The graphs.
    names : (N) array of str
        Their names.
    depth : int
        The depth.
    scheme : Scheme
        How graphs are embedded.
    source : dict
        How the graphs were read, if that is known.
    last_counts : dict of int
        What ruled out graphs in the last search, without computing their distance, and of how many, summed over its
        queries: lower bounds ("vectors" and "image", the cheaper ones first), or ground costs or a solver that was
        stopped ("abandoned"). "solved" counts the distances that were computed.

    See Also
    --------
    load_index : open an index that was saved
    distances : all distances
    find_duplicates : groups of equal graphs
    plot.draw_hits : draw what was found

    Examples
    --------
    >>> import numpy as np, wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> index = wg.GraphIndex(graphs[:50], wg.WWL(depth=2))
    >>> distances, positions = index.query(graphs[50:], k=3)
    >>> bool((distances == np.sort(wg.distances(graphs[:50], graphs[50:], metric=wg.WWL(2)).T)[:, :3]).all())
    True
    """

    def __init__(
        self,
        graphs: object,
        metric: Metric | None = None,
        *,
        weights: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        source: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        executor: object = None,
        progress: bool = False,
    ) -> None:
        metric = read_metric(metric)
        require_exact(metric, "an index")
        self.source = read_source(source)
        self.depth = single_depth(metric.depth)
        batch = as_batch(graphs)
        if not len(batch):
            raise InputError("there are no graphs to search among", remedy="pass at least one")
        self.scheme = metric.learn(batch)
        shares, given_names = self.scheme.shares(batch, weights), read_names(names, len(batch))
        self._build(batch, shares, given_names, engine_for(executor, n_jobs), progress)

    def _build(
        self, graphs: GraphBatch, shares: FloatArray | None, names: NDArray[np.str_], engine: Engine, progress: bool
    ) -> None:
        """Embed graphs, and make their lists; tell before what that will take, and refuse what will not fit."""
        with whole("index", progress=progress) as stages:
            foresee_index(graphs, self.scheme, self.depth, shares is not None, threads_of(engine), stages)
            with stage(EMBEDDING):
                scheme, embedding = embed_in_parts(self.scheme, graphs, self.depth, shares, engine, progress)
            self._keep(graphs, scheme, embedding.weights, names)
            with stage(LISTS):
                self._searchers.keep(self._searchers.make(embedding))

    def _keep(self, graphs: GraphBatch, scheme: Scheme, weights: FloatArray | None, names: NDArray[np.str_]) -> None:
        self.graphs, self.scheme, self.names, self._weights = graphs, scheme, names, weights
        self.last_counts = dict.fromkeys(OUTCOMES, 0)
        self._searchers = Searchers(self._embed_own, int(graphs.sizes.max(initial=1)), weighted=weights is not None)

    def _embed_own(self) -> NodeEmbedding:
        return replace(self.scheme.embed(self.graphs, self.depth), weights=self._weights)

    def __len__(self) -> int:
        return len(self.graphs)

    def __repr__(self) -> str:
        graphs, scheme = count(len(self), self.graphs.noun), self.scheme
        return f"GraphIndex({graphs}, {scheme.kind}, {scheme.features}, depth {self.depth})"

    def query(
        self,
        graphs: object,
        k: int = 5,
        *,
        weights: ArrayLike | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> tuple[FloatArray, IntArray]:
        """Find the k nearest graphs of each new graph.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            n new graphs.
        k : int
            How many; if there are fewer graphs in the index, all are returned.
        weights : (n_nodes) floats, optional
            The mass of every node of the new graphs; equal masses by default.
        n_jobs, progress
            As in :func:`wassergraph.distances`.

        Returns
        -------
        distances : (n, k) floats
            The distances, in rising order.
        positions : (n, k) integers
            The positions of the graphs in the index; of equal distances, the first comes first.

        Examples
        --------
        >>> import wassergraph as wg
        >>> index = wg.GraphIndex(["CCO", "CCN", "c1ccccc1"], wg.WWL(depth=1))
        >>> distances, positions = index.query("CCO", k=2)
        >>> positions.tolist(), float(distances[0, 0])
        ([[0, 1]], 0.0)
        """
        wanted = Wanted(min(check_whole("k", k, 1), len(self)))
        return as_table(self._search(self._embed(graphs, weights), wanted, n_jobs, progress), wanted.k)

    def radius_neighbors(
        self,
        graphs: object,
        radius: float,
        *,
        weights: ArrayLike | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> tuple[list[FloatArray], list[IntArray]]:
        """Find all graphs within a distance of each new graph.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            n new graphs.
        radius : float
            The largest distance.
        weights, n_jobs, progress
            As in :meth:`query`.

        Returns
        -------
        distances : list of (n_found) floats
            For each new graph the distances, in rising order.
        positions : list of (n_found) integers
            The positions of the graphs in the index.

        Examples
        --------
        >>> import wassergraph as wg
        >>> index = wg.GraphIndex(["CCO", "CCN", "c1ccccc1"], wg.WWL(depth=1))
        >>> distances, positions = index.radius_neighbors(["OCC", "CCCCCl"], radius=0.0)
        >>> [found.tolist() for found in positions]
        [[0], []]
        """
        wanted = Wanted(len(self), check_radius(radius))
        found = self._search(self._embed(graphs, weights), wanted, n_jobs, progress)
        return [each.distances for each in found], [each.graphs for each in found]

    def kneighbors(
        self, k: int = 5, *, n_jobs: int | None = None, progress: bool = False
    ) -> tuple[FloatArray, IntArray]:
        """Find the k nearest other graphs of each graph in the index.

        Parameters
        ----------
        k : int
            How many; at most one less than there are graphs.
        n_jobs, progress
            As in :func:`wassergraph.distances`.

        Returns
        -------
        distances : (N, k) floats
            The distances, in rising order.
        positions : (N, k) integers
            The positions of the graphs; of equal distances, the first comes first.
        """
        wanted = Wanted(min(check_whole("k", k, 1), len(self) - 1) + 1)
        found = self._search(None, wanted, n_jobs, progress)
        return as_table([without(each, g, wanted.k - 1) for g, each in enumerate(found)], wanted.k - 1)

    def neighbors_within(
        self, radius: float, *, n_jobs: int | None = None, progress: bool = False
    ) -> tuple[list[FloatArray], list[IntArray]]:
        """Find all other graphs within a distance of each graph in the index.

        Parameters
        ----------
        radius : float
            The largest distance.
        n_jobs, progress
            As in :func:`wassergraph.distances`.

        Returns
        -------
        distances : list of (n_found) floats
            For each graph the distances, in rising order.
        positions : list of (n_found) integers
            The positions of the graphs in the index.
        """
        found = self._search(None, Wanted(len(self), check_radius(radius)), n_jobs, progress)
        others = [without(each, g, len(self)) for g, each in enumerate(found)]
        return [each.distances for each in others], [each.graphs for each in others]

    def kneighbors_graph(
        self,
        k: int = 5,
        *,
        mode: GraphMode = "distance",
        include_self: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> csr_array:
        """Return the k nearest graphs of each graph as a sparse matrix, for UMAP, t-SNE, clustering and others.

        Parameters
        ----------
        k : int
            How many other graphs.
        mode : "distance" or "connectivity"
            Whether the entries are distances or ones.
        include_self : bool
            Whether every graph is its own neighbor as well, as some libraries expect.
        n_jobs, progress
            As in :func:`wassergraph.distances`.

        Returns
        -------
        (N, N) sparse array
            With k entries in each row, or k + 1 with ``include_self``, sorted by distance. A distance of 0 is stored.

        Examples
        --------
        >>> import wassergraph as wg
        >>> graphs, y = wg.load_dataset("demo")
        >>> neighbors = wg.GraphIndex(graphs, wg.WWL(depth=1)).kneighbors_graph(3, mode="connectivity")
        >>> neighbors.shape, neighbors.nnz
        ((60, 60), 180)
        """
        check_choice("mode", mode, GraphMode)
        found = self.kneighbors(k, n_jobs=n_jobs, progress=progress)
        return as_matrix(*found, mode, include_self)

    def add(
        self,
        graphs: object,
        *,
        names: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
        n_jobs: int | None = None,
        executor: object = None,
        progress: bool = False,
    ) -> None:
        """Add graphs behind those in the index, embedded in the same way.

        All lists are made again, which takes as long as for a new index: add many graphs at a time. Data of graphs that
        the index does not compare, such as attributes in the categorical kind, are kept only if all graphs have them.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The graphs.
        names : sequence of str, optional
            Their names; by default their positions.
        weights : (n_nodes) floats, optional
            The masses of their nodes, if the index has weights.
        n_jobs, executor, progress
            As in :func:`wassergraph.distances`.
        """
        new = as_batch(graphs, self.source)
        added = self._embed(new, weights).weights  # raises an error if the graphs do not fit
        all_weights = join_weights(self._weights, new, weights, added, self.graphs.noun)
        joined = join_graphs(self.graphs, new, self.scheme.fields(self.depth))
        all_names = np.concatenate([self.names, read_names(names, len(new), first=len(self))])
        self._build(joined, all_weights, all_names, engine_for(executor, n_jobs), progress)

    def save(self, path: str | Path) -> None:
        """Write the index to one file, completely or not at all; :func:`wassergraph.load_index` opens it.

        Parameters
        ----------
        path : str or Path
            The file, whose name usually ends with ``.wgi``.
        """
        searcher = self._searchers.fitting()
        parts = self.graphs, self.scheme, self.depth, self._weights, self.names, searcher, self.source
        write_index(path, IndexParts(*parts))

    def embed_with(self, graph: GraphBatch, position: int) -> NodeEmbedding:
        """Embed a new graph and one of the index together, as they are compared: for the plan between them.

        Parameters
        ----------
        graph : GraphBatch
            One graph, whose nodes have equal masses.
        position : int
            The position of the other in the index.

        Returns
        -------
        NodeEmbedding
            Of two graphs.
        """
        position = range(len(self))[position]  # which may count from the end
        joined = self._embed(graph, None).join(self.scheme.embed(self.graphs[position], self.depth))
        if self._weights is None:
            return joined
        nodes = slice(self.graphs.node_ptr[position], self.graphs.node_ptr[position + 1])
        return replace(joined, weights=np.concatenate([shares_of(graph, None), self._weights[nodes]]))

    @classmethod
    def _of_parts(cls, parts: IndexParts) -> GraphIndex:
        """Return the index of a file."""
        index = cls.__new__(cls)
        index.source, index.depth = parts.source, parts.depth
        index._keep(parts.graphs, parts.scheme, parts.weights, parts.names)
        index._searchers.keep(parts.searcher)
        return index

    def _embed(self, graphs: object, weights: ArrayLike | None) -> NodeEmbedding:
        """Embed new graphs; raise an error that says what the index holds if they do not fit."""
        check_molecules(batch := as_batch(graphs, self.source), self.graphs, self.scheme, repr(self))
        try:
            return self.scheme.embed(batch, self.depth, weights=weights)
        except InputError as error:
            raise error.with_advice(f"this is {self!r}") from error

    def _search(
        self, queries: NodeEmbedding | None, wanted: Wanted, n_jobs: int | None, progress: bool
    ) -> list[FoundGraphs]:
        """Search for embedded graphs, or for those of the index."""
        found, counts = self._searchers.find(queries, wanted, n_jobs, progress)
        self.last_counts = dict(zip(OUTCOMES, counts.tolist(), strict=True))
        return found
