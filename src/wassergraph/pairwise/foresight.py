"""What distances will take, in time and memory, told before they are computed; and the refusal of what will not fit.

Times are measured on a sample of pairs (timing.py). Where graphs are not embedded yet, a sample of them is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact, Solver
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.problem import Problem
from wassergraph.pairwise.tiles import TileSize
from wassergraph.pairwise.timing import OBVIOUS, assumed_seconds, count_pairs, sampled_seconds
from wassergraph.pairwise.work import tiles
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.estimate import LONG, Estimate
from wassergraph.parallel.memory import available_memory, check_memory, size_text
from wassergraph.parallel.threads import ThreadEngine, n_processors

#: A sample has at most so many graphs, and of large graphs as few as have so many nodes; but not fewer than so many.
_MOST_GRAPHS, _MOST_NODES, _FEWEST_GRAPHS = 400, 20_000, 30
#: How much of the time of several threads is not lost by waiting for each other.
_EFFICIENCY = 0.9
#: The memory of a thread, as a multiple of that of a tile.
_TILES_PER_THREAD = 5
#: Another kind of distance is named if it takes less than this share of the time.
_MUCH_FASTER = 0.1


class Sampled(NamedTuple):
    """What a sample of graphs says about all of them.

    Attributes
    ----------
    embedding : NodeEmbedding
        The graphs of the sample, embedded.
    seconds_per_graph : float
        The time to embed and pack a graph.
    seconds_per_pair : float
        The time of a pair on one of the threads.
    """

    embedding: NodeEmbedding
    seconds_per_graph: float
    seconds_per_pair: float

    def seconds(self, n_graphs: int, n_pairs: int, n_threads: int) -> float:
        """Return the time of all graphs and pairs."""
        return n_graphs * self.seconds_per_graph + n_pairs * self.seconds_per_pair / speedup(n_threads)


def speedup(n_threads: int) -> float:
    """Return how many times as fast several threads are as one, if nothing else runs on this machine."""
    together = min(n_threads, n_processors())
    return float(together if together == 1 else _EFFICIENCY * together)


def threads_of(engine: Engine) -> int:
    """Return the number of threads of an engine; those of other processes and machines count as one."""
    return engine.n_threads if isinstance(engine, ThreadEngine) else 1


def sample_graphs(graphs: GraphBatch) -> GraphBatch:
    """Return some graphs in random order, always the same ones; all if they are few."""
    return take_sample(graphs, np.random.default_rng(0).permutation(len(graphs)))


def take_sample(graphs: GraphBatch, order: IntArray) -> GraphBatch:
    """Return the first graphs of an order, as many as are a sample."""
    first = order[:_MOST_GRAPHS]
    n = int(np.searchsorted(np.cumsum(graphs.sizes[first]), _MOST_NODES))
    return graphs[first[: max(n, _FEWEST_GRAPHS)]]


def sample_scheme(
    scheme: Scheme,
    sample: GraphBatch,
    depths: Sequence[int],
    n_threads: int,
    total: int,
    solver: Solver | None = None,
) -> Sampled:
    """Embed a sample of graphs, and measure what that takes, and what their distances take.

    Parameters
    ----------
    scheme : Scheme
        How to embed them.
    sample : GraphBatch
        Some graphs in random order.
    depths : sequence of int
        The depths.
    n_threads : int
        How many threads will compute distances.
    total : int
        How many pairs there will be; if they obviously take little time, nothing is measured.
    solver : Exact, Sinkhorn or Sliced, optional
        The solver; exact by default.

    Returns
    -------
    Sampled
    """
    begin = process_time()
    _, (embedding,) = embed_all(scheme, [sample], max(depths), [None])
    problem = prepare([embedding], depths, solver or Exact())
    per_graph = (process_time() - begin) / max(len(sample), 1)
    return Sampled(embedding, per_graph, pair_seconds(problem, n_threads, total))


def pair_seconds(problem: Problem, n_threads: int, total: int | None = None) -> float:
    """Return the seconds of the mean pair on one of several threads; measured, unless all are obviously done soon."""
    assumed = assumed_seconds(problem)
    obvious = assumed * (count_pairs(problem) if total is None else total) < OBVIOUS
    return assumed if obvious else sampled_seconds(problem, n_threads)


def estimate_distances(
    problem: Problem, engine: Engine, *, share: float = 1.0, size: TileSize | None = None, stored: bool = False
) -> Estimate:
    """Estimate what the distances of a problem will take.

    Parameters
    ----------
    problem : Problem
        The distances.
    engine : Engine
        What computes them.
    share : float
        The share of them that is still to be computed.
    size : TileSize, optional
        How large tiles are made.
    stored : bool
        Whether tiles are written to files, so that the result need not be in memory.

    Returns
    -------
    Estimate
    """
    n_threads, n_pairs = threads_of(engine), count_pairs(problem)
    seconds = share * n_pairs * pair_seconds(problem, n_threads) / speedup(n_threads)
    edges = tiles(problem, size).edges
    working = n_threads * _TILES_PER_THREAD * _stack_bytes(edges, problem)
    result = 0.0 if stored else _stack_bytes(problem.shape, problem)
    n_graphs = problem.shape[0] if problem.symmetric else sum(problem.shape)
    depths = f"{len(problem.depths)} depths" if len(problem.depths) > 1 else ""
    return Estimate(n_graphs, n_pairs, {"distances": seconds}, result + working + array_bytes(problem), depths)


def faster_kind(
    graphs: GraphBatch, scheme: Scheme, depths: Sequence[int], n_pairs: int, n_threads: int, seconds: float
) -> tuple[Option | None, float]:
    """Return the option for labels alone, and the time they take, if other distances take long and they do not.

    Labels have a closed form. Every graph has labels: if no others, the degrees of its nodes.
    """
    if seconds < LONG or scheme.kind == "categorical":
        return None, 0.0
    sample = sample_graphs(graphs)
    labels = WWL(kind="categorical", mass=scheme.mass).learn(sample)
    needed = sample_scheme(labels, sample, depths, n_threads, n_pairs).seconds(len(graphs), n_pairs, n_threads)
    return (Option("kind", "categorical"), needed) if needed < _MUCH_FASTER * seconds else (None, 0.0)


def check_result(shape: tuple[int, int], depths: Sequence[int], dtype: Any) -> None:
    """Raise an error if the distances would not fit in memory, which names what would."""
    entries, itemsize = math.prod(shape), np.dtype(dtype).itemsize
    needed, available = len(set(depths)) * entries * itemsize, available_memory()
    if available is None or needed <= available:
        return
    options = [Option("out", "D.zarr")]
    remedy = "write them to disk with {}"
    if itemsize == 8 and needed / 2 <= available:
        options.append(Option("dtype", "float32"))
        remedy += f", or pass {{}}, which needs {size_text(needed / 2)}"
    elif len(depths) > 1 and entries * itemsize <= available:
        options.append(Option("depth"))
        remedy += f", or pass fewer values of {{}}: each needs {size_text(entries * itemsize)}"
    what = f"the distances of {shape[0]:,} × {shape[1]:,} graphs at {len(set(depths))} depths"
    check_memory(needed, what.replace(" at 1 depths", ""), remedy=remedy, options=options)


def array_bytes(problem: object) -> int:
    """Return the bytes of all arrays in a problem; both sides may have the same ones."""
    return sum({id(array): array.nbytes for array in _arrays(problem)}.values())


def _arrays(part: object) -> Iterator[NDArray[Any]]:
    if isinstance(part, np.ndarray):
        yield part
    elif is_dataclass(part) or isinstance(part, tuple):
        inner = part if isinstance(part, tuple) else (getattr(part, field.name) for field in fields(part))
        for each in inner:
            yield from _arrays(each)


def _stack_bytes(shape: tuple[int, int], problem: Problem) -> float:
    return float(math.prod(shape) * len(problem.depths) * problem.dtype.itemsize)
