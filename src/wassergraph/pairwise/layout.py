"""How arrays are laid out for the compiled core, which knows these tuples by the names of their fields.

Rows of points and of costs are padded to a multiple of eight: core/simd.hpp says why. There is memory for three more
rows than there are nodes, since rows are computed four at a time.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray

#: How many floats are computed with at once.
LANES = 8
#: The parent of the root of a tree.
NOBODY = np.uint32(0xFFFFFFFF)
#: How many rows of costs are computed at a time.
ROWS_AT_ONCE = 4
Number = TypeVar("Number", bound=np.generic)


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
    wanted: BoolArray  # (depths) whether a distance is wanted
    label_weight: float
    label_cost: float  # of labels that differ at all depths
    counted: bool  # whether masses are counts
    prices: FloatArray  # (depths) what a node without a partner costs, then
    max_iter: int  # 0: as many as the size of the graphs suggests
    stop: BoolArray  # (1) whether to end early


class Library(NamedTuple):
    """Many graphs, packed for the search: their nodes as in Side, and what bounds are made of."""

    ptr: IntArray  # (graphs + 1)
    mass: IntArray  # (nodes)
    total: IntArray  # (graphs)
    columns: FloatArray  # (nodes * width) the points, graph by graph and coordinate by coordinate
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    image: NDArray[np.float32]  # (nodes * image width), likewise
    means: NDArray[np.float32]  # (graphs * image width)
    parts: NDArray[np.float32]  # (graphs * image width * number of parts)
    reach: NDArray[np.float32]  # (graphs) the largest coordinate of an image


class ImageRules(NamedTuple):
    """How the images of a query and of graphs are compared."""

    width: int  # of an image
    n_parts: int  # of a vector
    scale: float  # the unit of images, times the factor of Euclidean distances, in that of the points
    reach: float  # the largest coordinate of the image of the query
    use_vectors: bool
    use_images: bool


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


def by_coordinate(ptr: IntArray, rows: NDArray[Number], width: int) -> NDArray[Number]:
    """Return points, which are given node by node, coordinate by coordinate in each graph, as Library has them."""
    sizes = np.diff(ptr)
    size, before = np.repeat(sizes, sizes), np.repeat(ptr[:-1] * (width - 1), sizes)
    place, result = before + np.arange(ptr[-1]), np.empty_like(rows)
    for c, coordinate in enumerate(rows.reshape(-1, width).T if width else ()):
        result[place + c * size] = coordinate
    return result
