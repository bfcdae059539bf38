"""GraphIndex: many graphs, prepared so that the nearest ones of a new graph are found with few distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.graphs.saved_source import read_source
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.pairwise.foresight import threads_of
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.estimate import whole
from wassergraph.parallel.executors import engine_for
from wassergraph.parallel.stages import stage
from wassergraph.search.foresight import EMBEDDING, LISTS, foresee_index
from wassergraph.search.index_files import IndexParts, write_index
from wassergraph.search.making import embed_in_parts, join_graphs, make_searcher, rounding, too_far
from wassergraph.search.neighbors import SETTLED, Neighbors, Wanted
from wassergraph.search.running import run_searcher
from wassergraph.search.searcher import Searcher

GraphMode: TypeAlias = Literal["distance", "connectivity"]


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
        By what graphs were settled in the last search, summed over its queries: "vectors" and "image" (lower bounds,
        the cheaper one first), "abandoned" (by ground costs, or a solver that was stopped), and "solved".

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

    graphs: GraphBatch
    names: NDArray[np.str_]
    depth: int
    scheme: Scheme
    source: dict[str, Any]
    last_counts: dict[str, int]

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
        depth = single_depth(metric.depth)
        batch = as_batch(graphs)
        if not len(batch):
            raise InputError("there are no graphs to search among", remedy="pass at least one")
        scheme = metric.learn(batch)
        shares, given_names = scheme.shares(batch, weights), read_names(names, len(batch))
        self._build(batch, scheme, depth, shares, given_names, engine_for(executor, n_jobs), progress)

    def _build(
        self,
        graphs: GraphBatch,
        scheme: Scheme,
        depth: int,
        shares: FloatArray | None,
        names: NDArray[np.str_],
        engine: Engine,
        progress: bool,
    ) -> None:
        """Embed graphs, and make their lists; tell before what that will take, and refuse what will not fit."""
        with whole("index", progress=progress) as stages:
            foresee_index(graphs, scheme, depth, shares is not None, threads_of(engine), stages)
            with stage(EMBEDDING):
                scheme, embedding = embed_in_parts(scheme, graphs, depth, shares, engine, progress)
            self._keep(graphs, scheme, depth, embedding.weights, names)
            with stage(LISTS):
                self._remember(self._make(embedding), self._rounding(None))

    def _keep(
        self, graphs: GraphBatch, scheme: Scheme, depth: int, weights: FloatArray | None, names: NDArray[np.str_]
    ) -> None:
        self.graphs, self.scheme, self.depth, self.names, self._weights = graphs, scheme, depth, names, weights
        self.last_counts = dict.fromkeys(SETTLED, 0)
        self._searchers: dict[int, Searcher] = {}

    def __len__(self) -> int:
        return len(self.graphs)

    def __repr__(self) -> str:
        graphs = count(len(self), self.graphs.noun)
        return f"GraphIndex({graphs}, {self.scheme.kind}, {self.scheme.features}, depth {self.depth})"

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
        found = self._search(graphs, weights, wanted, n_jobs, progress)
        return _table(found, wanted.k)

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
        found = self._search(graphs, weights, Wanted(len(self), check_radius(radius)), n_jobs, progress)
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
        found = self._search_own(wanted, n_jobs, progress)
        return _table([_without(each, g, wanted.k - 1) for g, each in enumerate(found)], wanted.k - 1)

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
        found = self._search_own(Wanted(len(self), check_radius(radius)), n_jobs, progress)
        others = [_without(each, g, len(self)) for g, each in enumerate(found)]
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
        distances, positions = self.kneighbors(k, n_jobs=n_jobs, progress=progress)
        if include_self:
            distances = np.column_stack([np.zeros(len(self)), distances])
            positions = np.column_stack([np.arange(len(self)), positions])
        values = distances if mode == "distance" else np.ones_like(distances)
        ends = np.arange(len(self) + 1) * positions.shape[1]
        return csr_array((values.ravel(), positions.ravel(), ends), shape=(len(self), len(self)))

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
        new = as_batch(graphs)
        added = self._prepare(new, weights).weights  # raises an error if the graphs do not fit
        self._check_same_weights(new, weights, added)
        all_weights = None if self._weights is None else np.concatenate([self._weights, _shares(new, added)])
        joined = join_graphs(self.graphs, new, self.scheme.fields(self.depth))
        all_names = np.concatenate([self.names, read_names(names, len(new), first=len(self))])
        self._build(joined, self.scheme, self.depth, all_weights, all_names, engine_for(executor, n_jobs), progress)

    def _check_same_weights(self, new: GraphBatch, weights: ArrayLike | None, added: FloatArray | None) -> None:
        """Raise an error if the nodes of new graphs have weights, and those of the index have none, or vice versa."""
        if weights is None and self._weights is not None and len(new):
            problem = f"the nodes of the index have weights, but those of the new {self.graphs.noun}s have none"
            raise InputError(problem, remedy="pass {}", options=[Option("weights")])
        if added is not None and self._weights is None:
            problem = f"the nodes of the new {self.graphs.noun}s have {{}}, but those of the index have none"
            remedy = "leave them out, or make a new index with weights"
            raise InputError(problem, remedy=remedy, options=[Option("weights")])

    def save(self, path: str | Path) -> None:
        """Write the index to one file, completely or not at all; :func:`wassergraph.load_index` opens it.

        Parameters
        ----------
        path : str or Path
            The file, whose name usually ends with ``.wgi``.
        """
        searcher = self._searcher(None)
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
        other = self.graphs[position]
        joined = self._prepare(graph, None).join(self.scheme.embed(other, self.depth))
        if self._weights is None:
            return joined
        nodes = slice(self.graphs.node_ptr[position], self.graphs.node_ptr[position + 1])
        return replace(joined, weights=np.concatenate([_shares(graph, None), self._weights[nodes]]))

    @classmethod
    def _of_parts(cls, parts: IndexParts) -> GraphIndex:
        """Return the index of a file."""
        index = cls.__new__(cls)
        index.source = parts.source
        index._keep(parts.graphs, parts.scheme, parts.depth, parts.weights, parts.names)
        index._remember(parts.searcher, index._rounding(None))
        return index

    # Searching

    def _search(
        self, graphs: object, weights: ArrayLike | None, wanted: Wanted, n_jobs: int | None, progress: bool
    ) -> list[Neighbors]:
        embedding = self._prepare(as_batch(graphs), weights)
        searcher = self._searcher(embedding)
        return self._run(searcher, searcher.prepare(embedding), len(embedding), wanted, n_jobs, progress)

    def _search_own(self, wanted: Wanted, n_jobs: int | None, progress: bool) -> list[Neighbors]:
        searcher = self._searcher(None)
        queries = searcher.prepare_own(np.arange(len(self)))
        return self._run(searcher, queries, len(self), wanted, n_jobs, progress)

    def _prepare(self, batch: GraphBatch, weights: ArrayLike | None) -> NodeEmbedding:
        """Embed new graphs; raise an error that says what the index holds if they do not fit."""
        self._check_molecules(batch)
        try:
            return self.scheme.embed(batch, self.depth, weights=weights)
        except InputError as error:
            raise error.with_advice(f"this is {self!r}") from error

    def _check_molecules(self, batch: GraphBatch) -> None:
        """Raise an error if molecules would be compared with other graphs, whose labels and attributes mean others.

        Labels of molecules are elements. Those of other graphs are not, even if the graphs were molecules once, as in
        MUTAG. Degrees are the same everywhere.
        """
        is_same = batch.molecules == self.graphs.molecules or self.scheme.features is Features.DEGREES
        if is_same or not len(batch):
            return
        if batch.molecules:
            problem = "these are molecules, but the index holds other graphs, whose labels are no elements"
            remedy = "make an index of molecules, from SMILES or RDKit"
        else:
            problem = "the index holds molecules, but these graphs are not, and their labels are no elements"
            remedy = "pass molecules, such as SMILES"
        raise InputError(problem, remedy=f"{remedy}; this is {self!r}")

    def _run(
        self, searcher: Searcher, queries: Any, n: int, wanted: Wanted, n_jobs: int | None, progress: bool
    ) -> list[Neighbors]:
        """Search for all queries on threads."""
        found, counts = run_searcher(searcher, queries, n, wanted, n_jobs, progress)
        self.last_counts = dict(zip(SETTLED, counts.tolist(), strict=True))
        return found

    # Searchers: if weights are involved, one for each way to round them

    def _rounding(self, queries: NodeEmbedding | None) -> int:
        weighted = self._weights is not None or (queries is not None and queries.weights is not None)
        return rounding(weighted, self._largest(queries))

    def _largest(self, queries: NodeEmbedding | None) -> int:
        """Return the largest number of nodes of the graphs and queries."""
        sizes = [self.graphs.sizes, *([] if queries is None else [np.diff(queries.ptr)])]
        return max(int(each.max(initial=1)) for each in sizes)

    def _searcher(self, queries: NodeEmbedding | None) -> Searcher:
        wanted = self._rounding(queries)
        if wanted not in self._searchers:
            self._remember(self._make(self._embedding(), queries), wanted)
        searcher = self._searchers[wanted]
        farthest = 0.0 if queries is None else too_far(searcher, queries)
        return self._make(self._embedding(), queries, farthest) if farthest else searcher

    def _embedding(self) -> NodeEmbedding:
        return replace(self.scheme.embed(self.graphs, self.depth), weights=self._weights)

    def _make(self, embedding: NodeEmbedding, queries: NodeEmbedding | None = None, farthest: float = 0.0) -> Searcher:
        weighted = self._rounding(queries) > 0
        return make_searcher(embedding, weighted=weighted, largest=self._largest(queries), farthest=farthest)

    def _remember(self, searcher: Searcher, wanted: int) -> None:
        self._searchers[wanted] = searcher


def check_radius(radius: Any) -> float:
    """Return a radius as a float; raise an error unless it is a number of at least 0."""
    if not isinstance(radius, Real):
        raise InputTypeError(f"{{}} must be a number, got {radius!r}", options=[Option("radius")])
    if not float(radius) >= 0:
        raise InputError(f"{{}} must be at least 0, got {radius}", options=[Option("radius")])
    return float(radius)


def read_names(names: Sequence[str] | None, n: int, *, first: int = 0) -> NDArray[np.str_]:
    """Return the names of graphs as an array; by default their positions, counted from ``first``."""
    if names is None:
        return np.arange(first, first + n).astype(np.str_)
    array = np.asarray([str(name) for name in names], dtype=np.str_)
    if len(array) != n:
        problem = f"there are {count(n, 'graph')}, but {count(len(array), 'name')} in {{}}"
        raise InputError(problem, remedy="pass one for each graph", options=[Option("names")])
    return array


def _shares(graphs: GraphBatch, weights: FloatArray | None) -> FloatArray:
    """Return the weights of nodes, also if all of a graph are equal."""
    return np.repeat(1 / graphs.sizes, graphs.sizes) if weights is None else weights


def _without(found: Neighbors, graph: int, k: int) -> Neighbors:
    """Remove a graph from its own neighbors; if so many others are as near that it is not there, the last one."""
    others = found.graphs != graph
    return Neighbors(found.graphs[others][:k], found.distances[others][:k])


def _table(found: Sequence[Neighbors], k: int) -> tuple[FloatArray, IntArray]:
    """Return the neighbors of all queries as arrays (n, k)."""
    distances = np.array([each.distances for each in found], dtype=np.float64).reshape(len(found), k)
    return distances, np.array([each.graphs for each in found], dtype=np.int64).reshape(len(found), k)
