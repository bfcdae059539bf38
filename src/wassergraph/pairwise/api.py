"""The public functions: distances between all graphs of one or two collections, or between chosen pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wassergraph.arrays import IntArray, Stop
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.depths import check_depths
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.metric import Metric, chosen_solver, read_metric
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact, Solver, seeded
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.compute import fill_array
from wassergraph.pairwise.distance_store import DistanceStore
from wassergraph.pairwise.fill_store import fill_store
from wassergraph.pairwise.foresight import check_result, estimate_distances, faster_kind, threads_of
from wassergraph.pairwise.options import most_steps
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.problem import Problem
from wassergraph.pairwise.recipe import make_recipe
from wassergraph.pairwise.solve import solve, solve_pairs
from wassergraph.pairwise.tiles import IN_MEMORY, ON_DISK
from wassergraph.pairwise.work import estimate, tiles
from wassergraph.pairwise.workers import stored_inputs
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.estimate import estimate_wanted, tell
from wassergraph.parallel.executors import engine_for
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine


@overload
def distances(
    graphs: object,
    others: object = ...,
    *,
    metric: Metric | None = ...,
    weights: ArrayLike | None = ...,
    other_weights: ArrayLike | None = ...,
    n_jobs: int | None = ...,
    executor: object = ...,
    progress: bool = ...,
    dtype: DTypeLike = ...,
    out: None = ...,
    verify: bool = ...,
) -> NDArray[Any]: ...
@overload
def distances(
    graphs: object,
    others: object = ...,
    *,
    metric: Metric | None = ...,
    weights: ArrayLike | None = ...,
    other_weights: ArrayLike | None = ...,
    n_jobs: int | None = ...,
    executor: object = ...,
    progress: bool = ...,
    dtype: DTypeLike = ...,
    out: str | Path,
    verify: bool = ...,
) -> DistanceStore: ...
def distances(
    graphs: object,
    others: object = None,
    *,
    metric: Metric | None = None,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    n_jobs: int | None = None,
    executor: object = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
    out: str | Path | None = None,
    verify: bool = False,
) -> NDArray[Any] | DistanceStore:
    """Compute the distances between graphs, all pairs.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        N graphs. The metric learns from these, unless it was fitted before.
    others : GraphBatch, or graphs of another library, optional
        M graphs to compare them with; by default the graphs themselves.
    metric : WWL, optional
        How graphs are compared; by default ``WWL()``. All depths of a sequence are computed together.
    weights, other_weights : (n_nodes) floats, optional
        The mass of every node of the graphs, and of the others; equal masses by default. How masses are rounded is
        described in :meth:`wassergraph.WWL.embed`.
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
    (N, M) floats, or (n_depths, N, M) for a metric with several depths
        The distances: an array or, with ``out``, a :class:`wassergraph.DistanceStore`. They do not depend on ``n_jobs``
        or ``executor``, to the last bit.

    Raises
    ------
    MemoryError
        If the result would not fit in memory, or in what the environment variable ``WASSERGRAPH_MEMORY_LIMIT`` allows,
        as in ``8GB``. Nothing is computed then.
    NotSolvedError
        If a solver did not reach the solution within its ``max_iter``.
    ValueError
        If ``out`` was begun with other graphs, depths or options; the message says which.
    OSError
        If ``out`` cannot be written, for example because the disk is full. What was computed before is kept.

    See Also
    --------
    WWL : the metric, and what it computes
    pair_distances : distances of chosen pairs only
    kernels.laplacian_kernel : the kernel of distances
    GraphIndex : the nearest graphs, without all distances
    open_distances : open what ``out`` wrote

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.distances(graphs, metric=wg.WWL(depth=2))
    >>> D.shape, float(D[0, 0])
    ((60, 60), 0.0)
    """
    metric = read_metric(metric)
    depths, solver = check_depths(metric.depth), chosen_solver(metric)
    several = bool(np.ndim(metric.depth))
    inputs = _read_inputs(graphs, others, weights, other_weights, metric)
    engine = engine_for(executor, n_jobs)
    if out is not None:
        recipe = make_recipe(
            inputs.batches, inputs.weights, inputs.scheme, depths if several else depths[0], solver, dtype
        )
        embed = partial(inputs.embed, max(depths))
        steps = most_steps(solver)
        fill = partial(fill_store, max_iter=steps, n_jobs=n_jobs, verify=verify, progress=progress)
        return DistanceStore(fill(out, recipe, embed, engine))
    if verify:
        raise InputError("{} is used with {} only", options=[Option("verify", True), Option("out")])
    check_result((len(inputs.batches[0]), len(inputs.batches[-1])), depths, dtype)
    sides = inputs.embed(max(depths))
    told = inputs if estimate_wanted(progress) else None
    computed = _compute(sides, depths, solver, dtype, engine, progress, told)
    return computed if several else np.asarray(computed[0])


def pair_distances(
    left: object,
    right: object,
    pairs: ArrayLike,
    *,
    metric: Metric | None = None,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Compute the distances of chosen pairs of graphs, without the rest of the matrix.

    Parameters
    ----------
    left : GraphBatch, or graphs of another library
        N graphs. The metric learns from these, unless it was fitted before.
    right : GraphBatch, graphs of another library, or None
        M graphs; None means the same graphs as on the left.
    pairs : (k, 2) integers
        In each row the position of a graph on the left and of one on the right.
    metric, weights, other_weights, n_jobs, progress, dtype
        As in :func:`wassergraph.distances`.

    Returns
    -------
    (k) floats, or (n_depths, k) for a metric with several depths
        Equal to ``distances(left, right)[pairs[:, 0], pairs[:, 1]]``, to the last bit.

    See Also
    --------
    distances : all distances
    transport_plan : the plan behind one distance

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> metric = wg.WWL(depth=2)
    >>> D = wg.distances(graphs, metric=metric)
    >>> bool((wg.pair_distances(graphs, None, [(0, 5), (7, 3)], metric=metric) == [D[0, 5], D[7, 3]]).all())
    True
    """
    metric = read_metric(metric)
    depths, solver = check_depths(metric.depth), chosen_solver(metric)
    sides = _read_inputs(left, right, weights, other_weights, metric).embed(max(depths))
    chosen = _check_pairs(pairs, len(sides[0]), len(sides[-1]))
    problem = prepare(sides, depths, seeded(solver), dtype)
    values = _compute_pairs(problem, chosen, n_jobs, progress)
    slots = [problem.depths.index(step) for step in depths]
    return values[slots] if np.ndim(metric.depth) else values[slots[0]]


def embedding_distances(
    left: NodeEmbedding,
    right: NodeEmbedding | None = None,
    *,
    depths: Sequence[int],
    solver: Solver | None = None,
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
    solver : Exact, Sinkhorn or Sliced, optional
        What computes them; exact by default.
    n_jobs, progress, dtype
        As in :func:`distances`; but what the distances will take is told by whoever needs them.
    out : (len(depths), N, M) floats, optional
        The array to write the distances to, of the same type; then the depths must increase.

    Returns
    -------
    (len(depths), N, M) floats
        The distances.
    """
    sides = [left] if right is None else [left, right]
    return _compute(sides, depths, solver or Exact(), dtype, engine_for(None, n_jobs), progress, out=out)


class _Inputs(NamedTuple):
    """What is compared: one or two batches, masses of nodes, how they are embedded, and whether there are kinds."""

    batches: list[GraphBatch]
    weights: list[ArrayLike | None]
    scheme: Scheme
    has_kinds: bool

    def embed(self, depth: int) -> list[NodeEmbedding]:
        """Embed all batches in the same way."""
        return embed_all(self.scheme, self.batches, depth, self.weights)[1]


def _read_inputs(
    graphs: object,
    others: object,
    weights: ArrayLike | None,
    other_weights: ArrayLike | None,
    metric: Metric,
) -> _Inputs:
    if others is None and other_weights is not None:
        raise InputError(
            "{} are the masses of the nodes of the other graphs, but there are none",
            remedy="pass {} or {}",
            options=[Option("other_weights"), Option("others"), Option("weights")],
        )
    batches = [as_batch(graphs)] if others is None else [as_batch(graphs), as_batch(others)]
    return _Inputs(batches, [weights, other_weights][: len(batches)], metric.learn(batches[0]), isinstance(metric, WWL))


def _compute(
    sides: Sequence[NodeEmbedding],
    depths: Sequence[int],
    solver: Solver,
    dtype: DTypeLike,
    engine: Engine,
    progress: bool,
    told: _Inputs | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Compute the distances (n_depths, N, M) in memory; tell before what they will take, if the inputs are given."""
    solver = seeded(solver)
    problem = prepare(sides, depths, solver, dtype)
    if told is not None:
        _tell(problem, told, engine)
    n_layers = len(problem.depths)
    fill = partial(fill_array, n_layers=n_layers, dtype=problem.dtype, engine=engine, progress=progress, out=out)
    if engine.shares_memory:
        computed = fill(partial(solve, problem), tiles(problem))
    else:
        grid = tiles(problem, ON_DISK)
        with stored_inputs(sides, depths, solver, dtype, grid) as stored:
            computed = fill(stored, grid)
    slots = [problem.depths.index(depth) for depth in depths]
    return computed if slots == list(range(len(slots))) else computed[slots]


def _tell(problem: Problem, inputs: _Inputs, engine: Engine) -> None:
    """Announce what distances will take, and what is faster if that is long."""
    estimate = estimate_distances(problem, engine)
    given = inputs.batches[0], inputs.scheme, problem.depths, estimate.n_pairs, threads_of(engine)
    faster, seconds = faster_kind(*given, estimate.total) if inputs.has_kinds else (None, 0.0)
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
