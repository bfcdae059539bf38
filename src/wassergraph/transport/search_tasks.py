"""What the compiled functions of the search get (tasks.py), and the memory they work in; nothing here is compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.transport.pair_solver import Costs, Query, Solver

#: What settled graphs, by the positions of their numbers.
VECTORS, IMAGE, ABANDONED, SOLVED = range(4)
#: How many potentials of earlier solutions are kept.
KEPT = 4
#: The relative error of bounds from short floats, of those from long ones, and of adding what is no transport.
SHORT, LONG, ROUNDING = 4e-6, 1e-12, 1e-15


class Library(NamedTuple):
    """Many graphs, packed for the search: their nodes as in layout.Side, and what bounds are made of."""

    ptr: IntArray  # (graphs + 1)
    mass: IntArray  # (nodes)
    total: IntArray  # (graphs)
    columns: FloatArray  # (nodes * width) the points, graph by graph and coordinate by coordinate
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    image: NDArray[np.float32]  # (nodes * image width), likewise
    means: NDArray[np.float32]  # (graphs * image width)
    parts: NDArray[np.float32]  # (graphs * image width * number of parts)
    reach: NDArray[np.float32]  # (graphs) the largest coordinate of an image


class QuantileTask(NamedTuple):
    """Graphs whose nodes are sorted and averaged; see ``average_quantiles`` in quantiles.py."""

    n_graphs: int
    width: int  # of a point
    n_parts: int
    ptr: IntArray
    mass: IntArray
    points: NDArray[np.float32]  # (nodes * width) node by node
    values: FloatArray  # (nodes of the largest graph) memory
    order: IntArray  # likewise
    other_order: IntArray
    out: NDArray[np.float32]  # (graphs, width, parts) 0


class VectorTask(NamedTuple):
    """Graphs whose vectors are compared with those of a query; see ``add_vector_bounds`` in quantiles.py."""

    n_graphs: int
    graphs: IntArray
    width: int  # of an image
    n_parts: int
    own: NDArray[np.float32]  # (width, parts) the vector of the query
    vectors: NDArray[np.float32]  # (all graphs, width, parts)
    own_reach: float
    reach: NDArray[np.float32]  # (all graphs)
    scale: float  # the unit of bounds
    bounds: FloatArray  # (graphs)


class Workspace(NamedTuple):
    """Memory for one pair: the query, whose nodes are the rows of costs, and a graph, whose nodes are the columns."""

    # All in the unit of images
    costs: NDArray[np.float32]
    squares: NDArray[np.float32]
    rows: NDArray[np.float32]  # the masses of the nodes of the query
    columns: NDArray[np.float32]  # the masses of the nodes of a graph
    v: NDArray[np.float32]  # potentials of the latter
    zero: NDArray[np.float32]
    duals: NDArray[np.float32]  # (KEPT, nodes of the query) potentials of earlier solutions
    n_duals: IntArray  # (1)


class Found(NamedTuple):
    """What a search has found so far."""

    best: FloatArray  # (k) the smallest distances, in rising order
    graphs: IntArray  # (graphs) those that were solved and may be among the nearest
    values: FloatArray  # (graphs) the cost of transport to them, without what is no transport
    lower: FloatArray  # (graphs) what their distances are at least
    number: IntArray  # (1) how many these are
    counts: IntArray  # how many were settled by what
    status: IntArray  # (1) 0, or that of the pair that could not be solved, whose graph is then the first


class Visited(NamedTuple):
    """Graphs to look at, in rising order of their bounds; there is room for all."""

    number: IntArray  # (1)
    graphs: IntArray
    bounds: FloatArray
    apart: FloatArray  # a part of distances that is no transport
    short_error: FloatArray  # by how much bounds from images may be too large, in their unit
    long_error: FloatArray  # likewise those of the exact solver


class VisitTask(NamedTuple):
    """Graphs to look at, and all that is needed for it; see ``visit`` in nearest.py."""

    visited: Visited
    radius: float
    k: int
    # The query
    n: int  # its number of nodes
    own_total: int
    own_codes: NDArray[np.uint64]
    own_image: NDArray[np.float32]
    # All graphs
    m: int  # the number of nodes of the largest
    n_nodes: int  # that of all
    ptr: IntArray  # this and the next five are those of Library
    mass: IntArray
    total: IntArray
    columns: FloatArray
    codes: NDArray[np.uint64]
    image: NDArray[np.float32]
    # Ground costs
    width: int
    image_width: int
    n_codes: int  # of a node
    label_cost: float
    counted: bool  # whether masses are counts
    price: float
    scale: float  # the unit of images
    use_image: bool
    work: Workspace
    found: Found
    solver: Solver


class PreparedTask(NamedTuple):
    """A function and its task, as ``NativeFunction.prepared`` returns them; see ``run_prepared`` in nearest.py."""

    function: int
    words: IntArray


def new_visited(n_graphs: int) -> Visited:
    """Allocate memory for at most so many graphs to look at."""
    bounds, apart, short_error, long_error = np.empty((4, n_graphs))
    return Visited(np.zeros(1, np.int64), np.empty(n_graphs, np.int64), bounds, apart, short_error, long_error)


def new_workspace(query: Query, costs: Costs, m: int) -> Workspace:
    """Allocate memory for a query and graphs of at most m nodes."""
    n, unit = len(query.mass), 1 if costs.price >= 0 else query.total
    return Workspace(
        costs=np.empty(n * m, np.float32),
        squares=np.empty(m, np.float32),
        rows=(query.mass / unit).astype(np.float32),
        columns=np.empty(m, np.float32),
        v=np.empty(m, np.float32),
        zero=np.zeros(n, np.float32),
        duals=np.empty(KEPT * n, np.float32),
        n_duals=np.zeros(1, np.int64),
    )


def new_found(k: int, n_graphs: int, counts: IntArray) -> Found:
    """Allocate memory for the k nearest of some graphs."""
    return Found(
        best=np.full(k, np.inf),
        graphs=np.empty(n_graphs, np.int64),
        values=np.empty(n_graphs),
        lower=np.empty(n_graphs),
        number=np.zeros(1, np.int64),
        counts=counts,
        status=np.zeros(1, np.int64),
    )
