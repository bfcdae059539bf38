"""The exact solver for one query and one graph after the other, as the search (nearest.py) needs it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.layout import MOST_IN_SETS, Side, padded
from wassergraph.transport.solvers import solve_block_task
from wassergraph.transport.tasks import BlockTask, Rules, graphs_of, new_graph, new_lists, new_memory, new_merged


class Query(NamedTuple):
    """One graph, packed for the search; its points node by node."""

    mass: IntArray  # (nodes)
    total: int
    rows: FloatArray  # as layout.Side has them
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    image: NDArray[np.float32]  # (nodes * image width)
    means: NDArray[np.float32]  # (image width)
    parts: NDArray[np.float32]  # (image width * number of parts)
    reach: float


class Costs(NamedTuple):
    """How ground costs are made; all in the unit of the points (distances/scaling.py)."""

    width: int
    dim: int
    depth: int
    label_weight: float
    label_cost: float
    price: float  # of a node without a partner; negative if masses are shares
    image_width: int
    n_parts: int
    image_scale: float  # the unit of images, times the factor of Euclidean distances
    use_vectors: bool
    use_image: bool


class Solver(NamedTuple):
    """The exact solver for one query and one graph after the other, whose arrays are here to be filled."""

    small: int  # for pairs of up to 128 nodes: native.py
    small_words: IntArray
    large: int
    large_words: IntArray
    ptr: IntArray  # (2) that of the graph: 0 and its number of nodes
    mass: IntArray  # (nodes of the graph)
    total: IntArray  # (1)
    rows: FloatArray  # the points, as layout.Side has them
    columns: FloatArray
    codes: NDArray[np.uint64]  # (depths * nodes), depth by depth
    potential: FloatArray  # (nodes of both) the potentials of the solution
    value: FloatArray  # (1) the cost of transport
    status: IntArray  # (1)
    cutoff: FloatArray  # (1) this and the next two are those of tasks.BlockTask
    hinted: IntArray
    hint: FloatArray


def pair_tasks(query: Query, costs: Costs, m: int, stop: BoolArray) -> tuple[BlockTask, BlockTask]:
    """Prepare the exact solver for a query and graphs of at most m nodes: for pairs of up to 128 nodes, and larger."""
    n, coded, counted = len(query.mass), len(query.codes) > 0, costs.price >= 0
    depths = np.arange(costs.depth + 1)
    prices = np.full(len(depths) if counted else 0, costs.price)
    rules = Rules(
        costs.width,
        costs.dim,
        coded,
        len(depths),
        depths == costs.depth,
        costs.label_weight,
        costs.label_cost,
        counted,
        prices,
        0,
        stop,
    )
    one = np.array([0, n], dtype=np.int64)
    own = Side(
        one,
        query.mass,
        np.array([query.total], dtype=np.int64),
        query.rows,
        _by_feature(query.rows, n, costs.width),
        query.codes,
        np.empty(0, dtype=np.int64),
    )
    graph = new_graph(m, costs.width, len(query.codes))
    memory, lists = new_memory(n, m, coded=coded, several=False), new_lists(max(n, m) + 1)
    value, status, limits = (
        np.empty(1),
        np.empty(1, dtype=np.int64),
        (np.empty(1), np.empty(2, dtype=np.int64), np.empty(n)),
    )
    given = 1, np.zeros(2, dtype=np.int64), graphs_of(own), graph, rules, memory
    small = BlockTask(*given, None, None, 1, value, status, *limits)
    large = small._replace(lists=lists, merged=new_merged(max(n, m), rules))
    return small, large if n + m + counted > MOST_IN_SETS else small


def solver_of(small: BlockTask, large: BlockTask) -> Solver:
    """Return the exact solver for prepared tasks, which must be kept for as long as it is used."""
    for_small = solve_block_task.prepared(small)
    for_large = for_small if large is small else solve_block_task.prepared(large)
    own: Any = *for_small, *for_large, *small.right[:-2]
    others: Any = small.memory.tree.potential, small.out, small.status, small.cutoff, small.hinted, small.hint
    return Solver(*own, *others)


def _by_feature(rows: FloatArray, n: int, width: int) -> FloatArray:
    """Return the points of one graph feature by feature; layout.by_feature, for many graphs, takes longer for one."""
    columns = np.zeros((width, padded(n)))
    columns[:, :n] = rows[: n * width].reshape(n, width).T
    return columns.reshape(-1)
