"""The solvers of optimal transport, as they are called from Python; nothing here is compiled, or imports numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph import _core
from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.layout import (
    NOBODY,
    Histogram,
    Side,
    Sizes,
    largest_sizes,
)
from wassergraph.transport.native import NativeFunction
from wassergraph.transport.tasks import (
    CountTask,
    LabelPairsTask,
    LabelTileTask,
    Line,
    LineTask,
    NumberTask,
    ProjectTask,
    Rules,
    SinkhornTask,
    graphs_of,
    new_balance,
    new_memory,
)

solve_block_task = NativeFunction("wassergraph.transport.exact", "solve_block")
_sinkhorn_block = NativeFunction("wassergraph.transport.sinkhorn", "sinkhorn_block")
_label_tile = NativeFunction("wassergraph.transport.tree", "label_tile")
_label_pairs = NativeFunction("wassergraph.transport.tree", "label_pairs")
_number_codes = NativeFunction("wassergraph.transport.numbering", "number_codes")
_count_numbers = NativeFunction("wassergraph.transport.numbering", "count_numbers")
_project = NativeFunction("wassergraph.transport.lines", "project")
_add_line = NativeFunction("wassergraph.transport.lines", "add_line")

#: The length of the first table of codes; a power of 2. One that is half full is replaced by one of twice its length.
_FIRST_LENGTH = 1024


# Attributes


def solve_block(pairs: IntArray, left: Side, right: Side, rules: Rules, out: FloatArray, status: IntArray) -> None:
    """Solve pairs (k, 2) of graphs for the depths that are wanted: out (k, depths wanted), status (k).

    A status is the number of pivots, or one of :mod:`wassergraph.transport.status`.
    """
    _core.solve_block(np.ascontiguousarray(pairs, dtype=np.int64), left, right, rules, out, status)


def sinkhorn_block(
    pairs: IntArray,
    left: Side,
    right: Side,
    rules: Rules,
    reg: float,
    tol: float,
    out: FloatArray,
    status: IntArray,
) -> None:
    """Solve pairs (k, 2) by Sinkhorn's iterations, as :func:`solve_block` does; a status is a number of iterations."""
    n, m = largest_sizes(pairs, left, right)
    memory, balance = new_memory(n, m, coded=rules.coded, several=out.shape[1] > 1), new_balance(n, m)
    graphs = graphs_of(left), graphs_of(right)
    given = len(pairs), np.ascontiguousarray(pairs, dtype=np.int64), *graphs, rules, memory, balance
    _sinkhorn_block(SinkhornTask(*given, reg, tol, out.shape[1], out, status))


def ground_costs(points: FloatArray, others: FloatArray) -> FloatArray:
    """Return the Euclidean distances (n, m) between points (n, width) and others (m, width)."""
    result = np.empty((len(points), len(others)))
    _core.ground_costs(np.ascontiguousarray(points), np.ascontiguousarray(others), result)
    return result


def solve_plan(
    cost: FloatArray, supply: IntArray, demand: IntArray, max_iter: int, stop: BoolArray
) -> tuple[int, IntArray, IntArray, IntArray, FloatArray]:
    """Solve one problem with costs (n, m): (status, sources, sinks, flows, potentials), the flows that are not zero.

    The potentials are u of a source, -v of a sink.
    """
    n, nodes = len(cost), sum(cost.shape)
    parent, flow, potential = np.empty(nodes, np.uint32), np.empty(nodes, np.int64), np.empty(nodes)
    given = (np.ascontiguousarray(each, dtype=np.int64) for each in (supply, demand))
    status = _core.solve_plan(np.ascontiguousarray(cost), *given, max_iter, stop, parent, flow, potential)
    if status < 0:
        return status, *np.empty((3, 0), dtype=np.int64), np.empty(0)
    below, above = np.arange(nodes), parent.astype(np.int64)
    amounts = (flow + n) // (2 * n + 1)  # without the perturbation: core/simplex.hpp
    used = (parent != NOBODY) & (amounts > 0)
    sources, sinks = np.where(below < n, below, above), np.where(below < n, above, below) - n
    return status, sources[used], sinks[used], amounts[used], potential


# Labels


def label_tile(
    first_row: int,
    last_row: int,
    first_column: int,
    last_column: int,
    above_diagonal: bool,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    wanted: BoolArray,
    stop: BoolArray,
    out: FloatArray,
) -> None:
    """Fill out (n_depths wanted, rows, columns); with ``above_diagonal`` only entries with row < column."""
    overlap, result = np.empty((2, last_column - first_column))
    place = first_row, last_row, first_column, last_column, above_diagonal
    sides = left.ptr.shape[1] - 1, right.ptr.shape[1] - 1, left, right
    _label_tile(LabelTileTask(*place, *sides, left_sizes, right_sizes, len(wanted), wanted, stop, overlap, result, out))


def label_pairs(
    pairs: IntArray,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    wanted: BoolArray,
    stop: BoolArray,
    out: FloatArray,
) -> None:
    """Compute the distances of pairs (k, 2): out (n_depths wanted, k)."""
    sizes = left.ptr.shape[1] - 1, right.ptr.shape[1] - 1
    given = len(pairs), np.ascontiguousarray(pairs, dtype=np.int64), *sizes, left, right
    _label_pairs(LabelPairsTask(*given, left_sizes, right_sizes, len(wanted), wanted, stop, out))


def number_codes(codes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], IntArray]:
    """Return the different codes in the order in which they first occur, and the number of each code among them.

    Like ``np.unique(codes, return_inverse=True)`` but for the order, and in much less time where codes are repeated.

    Parameters
    ----------
    codes : (n) 64-bit integers
        Any codes.

    Returns
    -------
    distinct : (n_distinct) 64-bit integers
        The different codes.
    numbers : (n) integers
        The position of each code among them.
    """
    codes, numbers, progress = (
        np.ascontiguousarray(codes),
        np.empty(len(codes), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )
    distinct, length = np.empty(0, dtype=np.uint64), _FIRST_LENGTH
    while True:
        longer = np.empty(length // 2, dtype=np.uint64)
        longer[: len(distinct)] = distinct
        distinct, slots = longer, np.full(length, -1, dtype=np.int64)
        _number_codes(NumberTask(len(codes), codes, numbers, length, slots, distinct, progress))
        if progress[0] == len(codes):
            return distinct[: progress[1]], numbers
        length *= 2


def count_numbers(
    ptr: IntArray, numbers: IntArray, weights: IntArray, n_distinct: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Sum the weights of equal numbers in every graph.

    Parameters
    ----------
    ptr : (n_graphs + 1) integers
        Graph g has the items ``ptr[g]`` to ``ptr[g + 1] - 1``.
    numbers, weights : (n_items) integers
        The number, below ``n_distinct``, and the weight of every item.
    n_distinct : int
        How many numbers there are.

    Returns
    -------
    indptr, indices, sums : (n_graphs + 1), (n), (n) arrays
        The numbers that occur in each graph, in any order, and their weights, as a compressed sparse row matrix.
    """
    indptr, indices, sums = (
        np.zeros(len(ptr), dtype=np.int64),
        np.empty(len(numbers), dtype=np.int64),
        np.empty(len(numbers)),
    )
    given = (
        len(ptr) - 1,
        np.ascontiguousarray(ptr, dtype=np.int64),
        np.ascontiguousarray(numbers, dtype=np.int64),
        np.ascontiguousarray(weights, dtype=np.int64),
    )
    _count_numbers(
        CountTask(*given, np.empty(n_distinct), np.full(n_distinct, -1, dtype=np.int64), indptr, indices, sums)
    )
    return indptr, indices[: indptr[-1]].copy(), sums[: indptr[-1]].copy()


# Lines


def project(points: FloatArray, direction: FloatArray) -> FloatArray:
    """Return the coordinates of points (n, width) on a line, whose direction may have fewer coordinates.

    That of a point does not depend on the others.
    """
    coordinates, (n, width) = np.empty(len(points)), points.shape
    line = np.ascontiguousarray(direction)
    _project(ProjectTask(n, width, len(line), np.ascontiguousarray(points), line, coordinates))
    return coordinates


def add_line(pairs: IntArray, left: Line, right: Line, stop: BoolArray, out: FloatArray) -> None:
    """Add the distances of pairs (k, 2) of graphs on a line, sorted by coordinate within each graph, to out (k)."""
    _add_line(LineTask(len(pairs), np.ascontiguousarray(pairs, dtype=np.int64), left, right, stop, out))
