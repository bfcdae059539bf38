"""How arrays are laid out for the compiled solvers; nothing here is compiled.

A matrix of costs has rows of ``stride`` entries, a multiple of eight: lanes.py says why. The nodes of the second graph
are its columns; what is behind them is finite, and has no meaning. Behind its rows there is memory for three more:
rows are computed four at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

#: How many floats are computed with at once.
LANES = 8
#: The cost of what is no arc; larger than any cost (distances/scaling.py).
NO_ARC = 1e300
#: The parent of the root of a tree. Nodes have no sign, since numba would then check whether an index is negative.
NOBODY = np.uint32(0xFFFFFFFF)
#: How many rows of costs are computed at a time, so that every point of the second graph is read once for all of them.
ROWS_AT_ONCE = 4
#: Up to so many nodes of both graphs, subtrees are sets of two words; beyond, all nodes are in one list (pivots.py).
MOST_IN_SETS = 128
#: The number of sinks in a short list (list_pivots.py).
SHORT = 2 * LANES


class Side(NamedTuple):
    """Many embedded graphs, packed for the solvers; nodes that are equal at all depths are merged, masses summed."""

    ptr: IntArray  # (graphs + 1)
    mass: IntArray  # (nodes)
    total: IntArray  # (graphs) the mass of each graph
    rows: FloatArray  # ((nodes + 3) * width) the points, node by node; the last three are none
    columns: FloatArray  # the points, graph by graph and feature by feature, as by_feature has them
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    level: IntArray  # (nodes) a node equals the one before it in its graph at the depths below its level; may be 0


class Histogram(NamedTuple):
    """The masses of the labels of many graphs at all levels, by graph and by label; no two levels share a label."""

    ptr: IntArray  # (n_levels, n_graphs + 1): at level h, graph g has the labels label[ptr[h, g]:ptr[h, g + 1]], sorted
    label: IntArray
    mass: FloatArray  # the mass of each
    start: IntArray  # label c occurs in the graphs graph[start[c]:start[c + 1]], sorted
    graph: NDArray[np.int32]
    mass_in_graph: FloatArray  # its mass in each


class Sizes(NamedTuple):
    """What the masses of graphs (n_graphs) are divided by, and what is added to the sum of two totals' product."""

    total: FloatArray
    extra: FloatArray


class Line(NamedTuple):
    """Graphs on a line: coordinates, sorted within each graph, and masses."""

    ptr: IntArray
    total: IntArray
    coordinates: FloatArray
    mass: IntArray


class Rules(NamedTuple):
    """How the distance of a pair is computed."""

    width: int  # the number of coordinates of a point
    dim: int  # that of one depth
    coded: bool  # whether nodes have codes
    n_depths: int
    wanted: BoolArray  # (n_depths) whether a distance is wanted
    label_weight: float
    label_cost: float  # of labels that differ at all depths
    counted: bool  # whether masses are counts
    prices: FloatArray  # (n_depths) what a node without a partner costs, then
    max_iter: int  # 0: as many as the size of the graphs suggests
    stop: BoolArray  # (1) whether to end early
    costs_given: bool = False  # whether those of the only pair are in the memory; then its source is on the left


def padded(length: int) -> int:
    """Return the number of entries in a row of costs."""
    return (length + LANES - 1) // LANES * LANES


def first_column(ptr: IntArray, g: int) -> int:
    """Return where the points of a graph begin in an array by feature, divided by the number of features.

    All graphs have room for as many nodes as a row might be padded with.
    """
    return int(ptr[g] + (LANES - 1) * g)


def by_feature(ptr: IntArray, rows: FloatArray, width: int) -> FloatArray:
    """Return points, which are given node by node, feature by feature in each graph, in rows of ``stride`` nodes."""
    sizes, n_graphs = np.diff(ptr), len(ptr) - 1
    graph = np.repeat(np.arange(n_graphs), sizes)
    place = (first_column_of_all(ptr)[:-1] * width - ptr[:-1])[graph] + np.arange(ptr[-1])
    stride = ((sizes + LANES - 1) // LANES * LANES)[graph]
    result = np.zeros(int(first_column_of_all(ptr)[-1]) * width)
    for c, feature in enumerate(rows[: len(graph) * width].reshape(len(graph), width).T):
        result[place + c * stride] = feature
    return result


def first_column_of_all(ptr: IntArray) -> IntArray:
    """Return :func:`first_column` of every graph, and of one more."""
    return ptr + (LANES - 1) * np.arange(len(ptr))


def largest_sizes(pairs: IntArray, left: Side, right: Side) -> tuple[int, int]:
    """Return the numbers of nodes of the largest graphs on both sides, among pairs (k, 2)."""
    sizes = (np.diff(side.ptr)[pairs[:, column]] for column, side in enumerate((left, right)))
    n, m = (int(each.max(initial=1)) for each in sizes)
    return n, m


def matrix_size(n: int, m: int) -> int:
    """Return the size of a matrix of costs between graphs of at most n and m nodes, in either order."""
    return (n + LANES) * (m + LANES)
