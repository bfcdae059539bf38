"""The public functions: distances between all graphs of one or two collections, or between chosen pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wassergraph.arrays import IntArray, Stop
from wassergraph.distances.compute import fill_array
from wassergraph.distances.distance_store import DistanceStore
from wassergraph.distances.fill_store import fill_store
from wassergraph.distances.foresight import check_result, estimate_distances, faster_kind, threads_of
from wassergraph.distances.options import RandomState, Solver, SolverOptions, check_depths
from wassergraph.distances.prepare import prepare
from wassergraph.distances.problem import Problem
from wassergraph.distances.recipe import make_recipe
from wassergraph.distances.solve import solve, solve_pairs
from wassergraph.distances.tiles import IN_MEMORY, ON_DISK
from wassergraph.distances.work import estimate, tiles
from wassergraph.distances.workers import stored_inputs
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.node_embedding import Mass, NodeEmbedding
from wassergraph.metrics.scheme import EdgeLabels, Kind, LabelWeight, Scheme, Standardize, Unmatched, learn_scheme
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.estimate import estimate_wanted, tell
from wassergraph.parallel.executors import engine_for
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine


def wwl_distances(
    graphs: object,
    others: object = None,
    *,
    depth: int | Sequence[int] = 3,
    kind: Kind = "auto",
    standardize: Standardize = False,
    isolated: Isolated = "halve",
    label_weight: LabelWeight = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Mass = "share",
    unmatched: Unmatched = "auto",
    size_weight: float = 0.0,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    executor: object = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
    out: str | Path | None = None,
    verify: bool = False,
) -> Any:
    """Compute the Wasserstein Weisfeiler–Lehman distances between graphs, exactly unless another solver is chosen.

    D(G, G') is the least cost of moving the nodes of G onto those of G', where each graph has a total mass of 1, and
    moving a node costs the distance between the embeddings (:func:`wassergraph.wl_embedding`): the normalized Hamming
    distance for labels, the Euclidean distance for attributes.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader accepts
        N graphs. The embedding (its kind, the scale of the attributes) is learned from these.
    others : GraphBatch, or anything that a reader accepts, optional
        M graphs to compare them with; by default the graphs themselves.
    depth : int or sequence of int
        The number of Weisfeiler–Lehman iterations, the paper's H. All depths of a sequence are computed together.
    kind, standardize, isolated, label_weight, edge_labels, mass, unmatched, size_weight
        How to embed the nodes: see :func:`wassergraph.wl_embedding`.
    weights, other_weights : (n_nodes) floats, optional
        The mass of every node of the graphs, and of the others; equal masses by default. How masses are rounded is
        described in :func:`wassergraph.wl_embedding`.
    solver : "auto", "exact", "sinkhorn" or "sliced"
        "auto" is exact: a closed form for labels and for one-dimensional attributes, a network simplex otherwise.
        "sinkhorn" returns the cost of the entropic plan, as in the paper, which is not 0 even between equal graphs;
        "sliced" the mean over random lines, another distance, whose kernel is positive definite.
    reg : float, optional
        With "sinkhorn", the strength of the entropy, the paper's γ.
    tol : float
        With "sinkhorn", the largest error of the marginals, summed over all nodes.
    max_iter : int, optional
        The largest number of pivots, or of Sinkhorn iterations, for each pair of graphs and each depth; exceeding it
        is an error.
    n_projections : int
        With "sliced", the number of random lines.
    random_state : int, Generator or None
        With "sliced", the seed that the lines are drawn with.
    n_jobs : int, optional
        The number of threads, as in joblib: None means 1 (unless a ``joblib.parallel_config`` is active), and -1 all
        processors.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        What computes the distances instead of threads: processes of this machine, or a cluster. Workers read the graphs
        from a folder that they must share with this process: ``out``, or a temporary folder. By default the executor
        of :func:`wassergraph.use_executor`, if there is one.
    progress : bool
        Whether to show a progress bar and, before work of more than some seconds, what it will take in time and memory.
    dtype : float64 or float32
        The type of the result; the computation is always in float64.
    out : str or Path, optional
        A folder, whose name ends with ``.zarr``, to write the distances to, part by part; they need not fit in memory.
        After an interrupt, repeat the same call, which computes only what is missing.
    verify : bool
        With ``out``, whether to read everything that was computed before, and to compute what is damaged again.

    Returns
    -------
    distances : (N, M) floats, or (len(depth), N, M) for a sequence of depths
        The distances: an array or, with ``out``, a :class:`wassergraph.DistanceStore`. They do not depend on ``n_jobs``
        or ``executor``, to the last bit.

    Raises
    ------
    MemoryError
        If the result would not fit in memory, or in what the environment variable ``WASSERGRAPH_MEMORY_LIMIT`` allows,
        as in ``8GB``. Nothing is computed then.
    NotSolvedError
        If a solver did not reach the solution within ``max_iter``.
    ValueError
        If ``out`` was begun with other graphs, depths or options; the message says which.
    OSError
        If ``out`` cannot be written, for example because the disk is full. What was computed before is kept.

    See Also
    --------
    pair_distances : distances of chosen pairs only
    WWLDistance : an estimator for distances to training graphs
    laplacian_kernel : the kernel of distances
    GraphIndex : the nearest graphs, without all distances
    open_distances : open what ``out`` wrote

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.wwl_distances(graphs, depth=2)
    >>> D.shape, float(D[0, 0])
    ((60, 60), 0.0)
    """
    depths = check_depths(depth)
    embedding = _Embedding(kind, standardize, isolated, label_weight, edge_labels, mass, unmatched, size_weight)
    inputs = _read_inputs(graphs, others, weights, other_weights, embedding)
    options = SolverOptions(solver, reg, tol, max_iter, n_projections, random_state, dtype)
    engine = engine_for(executor, n_jobs)
    if out is not None:
        recipe = make_recipe(*inputs, depths if np.ndim(depth) else depths[0], options)
        embed = partial(inputs.embed, max(depths))
        fill = partial(fill_store, max_iter=max_iter, n_jobs=n_jobs, verify=verify, progress=progress)
        return DistanceStore(fill(out, recipe, embed, engine))
    if verify:
        raise InputError("{} is used with {} only", options=[Option("verify", True), Option("out")])
    check_result((len(inputs.batches[0]), len(inputs.batches[-1])), depths, dtype)
    sides = inputs.embed(max(depths))
    distances = _compute(sides, depths, options, engine, progress, inputs if estimate_wanted(progress) else None)
    return distances if np.ndim(depth) else distances[0]


def pair_distances(
    left: object,
    right: object,
    pairs: ArrayLike,
    *,
    depth: int | Sequence[int] = 3,
    kind: Kind = "auto",
    standardize: Standardize = False,
    isolated: Isolated = "halve",
    label_weight: LabelWeight = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Mass = "share",
    unmatched: Unmatched = "auto",
    size_weight: float = 0.0,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Compute the distances of chosen pairs of graphs, without the rest of the matrix.

    Parameters
    ----------
    left : GraphBatch, or anything that a reader accepts
        N graphs. The embedding is learned from these.
    right : GraphBatch, anything that a reader accepts, or None
        M graphs; None means the same graphs as on the left.
    pairs : (k, 2) integers
        In each row the position of a graph on the left and of one on the right.
    depth, kind, standardize, isolated, label_weight, edge_labels, mass, unmatched, size_weight, weights, \
other_weights, solver, reg, tol, max_iter, n_projections, random_state, n_jobs, progress, dtype
        As in :func:`wassergraph.wwl_distances`.

    Returns
    -------
    distances : (k) floats, or (len(depth), k) for a sequence of depths
        Equal to ``wwl_distances(left, right)[pairs[:, 0], pairs[:, 1]]``, to the last bit.

    See Also
    --------
    wwl_distances : all distances
    transport_plan : the plan behind one distance

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.wwl_distances(graphs, depth=2)
    >>> bool((wg.pair_distances(graphs, None, [(0, 5), (7, 3)], depth=2) == [D[0, 5], D[7, 3]]).all())
    True
    """
    depths = check_depths(depth)
    embedding = _Embedding(kind, standardize, isolated, label_weight, edge_labels, mass, unmatched, size_weight)
    sides = _read_inputs(left, right, weights, other_weights, embedding).embed(max(depths))
    chosen = _check_pairs(pairs, len(sides[0]), len(sides[-1]))
    options = SolverOptions(solver, reg, tol, max_iter, n_projections, random_state, dtype)
    problem = prepare(sides, depths, options.with_seed())
    values = _compute_pairs(problem, chosen, n_jobs, progress)
    slots = [problem.depths.index(step) for step in depths]
    return values[slots] if np.ndim(depth) else values[slots[0]]


def embedding_distances(
    left: NodeEmbedding,
    right: NodeEmbedding | None = None,
    *,
    depths: Sequence[int],
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Compute the distances between embedded graphs for several depths, on the executor in use if there is one.

    Parameters
    ----------
    left, right : NodeEmbedding
        The embedded graphs; without ``right``, those on the left are compared with each other.
    depths : sequence of int
        The depths.
    solver, reg, tol, max_iter, n_projections, random_state, n_jobs, progress, dtype
        As in :func:`wwl_distances`; but what the distances will take is told by whoever needs them.
    out : (len(depths), N, M) floats, optional
        The array to write the distances to, of the same type; then the depths must increase.

    Returns
    -------
    (len(depths), N, M) floats
        The distances.
    """
    options = SolverOptions(solver, reg, tol, max_iter, n_projections, random_state, dtype)
    sides = [left] if right is None else [left, right]
    return _compute(sides, depths, options, engine_for(None, n_jobs), progress, out=out)


class _Embedding(NamedTuple):
    """How nodes are embedded: parameters of :func:`wassergraph.wl_embedding`."""

    kind: Kind
    standardize: Standardize
    isolated: Isolated
    label_weight: LabelWeight
    edge_labels: EdgeLabels
    mass: Mass
    unmatched: Unmatched
    size_weight: float


class _Inputs(NamedTuple):
    """What is compared: one or two batches, the masses of their nodes, and how they are embedded."""

    batches: list[GraphBatch]
    weights: list[ArrayLike | None]
    scheme: Scheme

    def embed(self, depth: int) -> list[NodeEmbedding]:
        """Embed all batches in the same way."""
        return embed_all(self.scheme, self.batches, depth, self.weights)[1]


def _read_inputs(
    graphs: object,
    others: object,
    weights: ArrayLike | None,
    other_weights: ArrayLike | None,
    embedding: _Embedding,
) -> _Inputs:
    if others is None and other_weights is not None:
        raise InputError(
            "{} are the masses of the nodes of the other graphs, but there are none",
            remedy="pass {} or {}",
            options=[Option("other_weights"), Option("others"), Option("weights")],
        )
    batches = [as_batch(graphs)] if others is None else [as_batch(graphs), as_batch(others)]
    scheme = learn_scheme(batches[0], **embedding._asdict())
    return _Inputs(batches, [weights, other_weights][: len(batches)], scheme)


def _compute(
    sides: Sequence[NodeEmbedding],
    depths: Sequence[int],
    options: SolverOptions,
    engine: Engine,
    progress: bool,
    told: _Inputs | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Compute the distances (n_depths, N, M) in memory; tell before what they will take, if the inputs are given."""
    options = options.with_seed()
    problem = prepare(sides, depths, options)
    if told is not None:
        _tell(problem, told, engine)
    n_layers = len(problem.depths)
    fill = partial(fill_array, n_layers=n_layers, dtype=problem.dtype, engine=engine, progress=progress, out=out)
    if engine.shares_memory:
        distances = fill(partial(solve, problem), tiles(problem))
    else:
        grid = tiles(problem, ON_DISK)
        with stored_inputs(sides, depths, options, grid) as stored:
            distances = fill(stored, grid)
    slots = [problem.depths.index(depth) for depth in depths]
    return distances if slots == list(range(len(slots))) else distances[slots]


def _tell(problem: Problem, inputs: _Inputs, engine: Engine) -> None:
    """Announce what distances will take, and what is faster if that is long."""
    estimate = estimate_distances(problem, engine)
    given = inputs.batches[0], inputs.scheme, problem.depths, estimate.n_pairs, threads_of(engine)
    faster, seconds = faster_kind(*given, estimate.total)
    tell(replace(estimate, faster=faster, faster_seconds=seconds))


def _check_pairs(pairs: ArrayLike, n: int, m: int) -> IntArray:
    array = np.asarray(pairs)
    if array.shape == (0,):
        array = np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        problem = f"{{}} must be integers with the shape (k, 2), got {array.dtype} with the shape {array.shape}"
        raise InputError(problem, options=[Option("pairs")])
    outside = np.argwhere((array < 0) | (array >= [n, m]))
    if outside.size:
        row, side = outside[0]
        raise IndexError(
            f"pair {row} contains the graph {array[row, side]} on the {('left', 'right')[side]}, but there are only "
            f"{(n, m)[side]} graphs, counted from 0"
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def _compute_pairs(problem: Problem, pairs: IntArray, n_jobs: int | None, progress: bool) -> NDArray[Any]:
    """Compute the distances of pairs on threads: (n_depths, k)."""
    distances = np.empty((len(problem.depths), len(pairs)), dtype=problem.dtype)
    most = IN_MEMORY.largest // (len(problem.depths) * problem.dtype.itemsize)
    at_a_time = int(np.clip(IN_MEMORY.target / max(estimate(problem).mean(), 1.0), 1, most))
    chunks = (slice(first, min(first + at_a_time, len(pairs))) for first in range(0, len(pairs), at_a_time))
    with Progress("distances", len(pairs), "pairs", show=progress) as bar:

        def done(chunk: slice, values: NDArray[Any]) -> None:
            distances[:, chunk] = values
            bar.update(chunk.stop - chunk.start)

        ThreadEngine(n_jobs).run(partial(_solve_chunk, problem, pairs), chunks, done)
    return distances


def _solve_chunk(problem: Problem, pairs: IntArray, chunk: slice, stop: Stop) -> NDArray[Any]:
    return solve_pairs(problem, pairs[chunk], stop)
