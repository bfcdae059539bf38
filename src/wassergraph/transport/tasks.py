"""What compiled functions get: named tuples of numbers, arrays and other such tuples, and the memory they work in."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.layout import (
    LANES,
    MOST_IN_SETS,
    ROWS_AT_ONCE,
    SHORT,
    Histogram,
    Side,
    Sizes,
    matrix_size,
    padded,
)

Nodes: TypeAlias = NDArray[np.uint32]


class Tree(NamedTuple):
    """The arrays of a spanning tree, and working memory of the network simplex (simplex.py)."""

    parent: Nodes
    flow: IntArray
    potential: FloatArray  # with some entries more, which are NO_ARC
    low: NDArray[np.uint64]  # the nodes 0 … 63 of the subtree, as bits
    high: NDArray[np.uint64]  # the nodes 64 … 127
    order: Nodes
    turn: IntArray
    known: BoolArray
    penalty: FloatArray
    share: FloatArray  # the masses as floats, divided by their unit; needed for a cutoff only


class Lists(NamedTuple):
    """What trees of more than 128 nodes need: a list of all nodes, and short lists of sinks (list_pivots.py)."""

    size: Nodes  # the number of nodes in the subtree
    following: Nodes  # the next node of the list; behind each node is its subtree, and the first follows the last
    preceding: Nodes
    last: Nodes  # the last node of the subtree in the list
    sinks: NDArray[np.int32]  # (sources, SHORT) the short lists of sinks
    costs: FloatArray  # their costs
    old_parent: Nodes  # the tree before a new start
    old_flow: IntArray


class Memory(NamedTuple):
    """Memory of the exact solver for one pair after the other; each thread needs its own."""

    tree: Tree
    cost: FloatArray
    squares: FloatArray
    mismatches: FloatArray
    supply: IntArray
    demand: IntArray


class Graphs(NamedTuple):
    """What :class:`wassergraph.transport.layout.Side` has, as compiled functions get it: codes are in one row."""

    ptr: IntArray
    mass: IntArray
    total: IntArray
    rows: FloatArray
    columns: FloatArray
    codes: NDArray[np.uint64]
    level: IntArray
    n_nodes: int  # of all graphs, which is the number of codes of a depth


class Merged(NamedTuple):
    """Memory for those nodes of the graph with the sources, and of the other one, that differ at a depth (exact.py)."""

    one: Graphs
    two: Graphs


class BlockTask(NamedTuple):
    """Pairs of graphs to solve, and where the results are to go; see ``solve_block`` in exact.py."""

    n_pairs: int
    pairs: IntArray
    left: Graphs
    right: Graphs
    rules: Rules
    memory: Memory
    lists: Lists | None  # for pairs of more than 128 nodes, as is the next; both are None for others
    merged: Merged | None
    n_wanted: int
    out: FloatArray
    status: IntArray
    cutoff: FloatArray  # (1) a pair is abandoned if its distance exceeds it
    hinted: IntArray  # (2) how many potentials the hint has; then whether the graph on the left was the source
    hint: FloatArray  # potentials of the nodes of the graph on the left, which are tried first


class CostTask(NamedTuple):
    """Ground costs between the nodes of two graphs; see ``ground_costs`` in ground.py."""

    n: int
    stride: int
    width: int
    rows: FloatArray
    columns: FloatArray
    cost: FloatArray


class Balance(NamedTuple):
    """Memory of Sinkhorn: marginals, potentials and factors of rows and columns, sums of columns, and the kernel."""

    a: FloatArray
    b: FloatArray
    f: FloatArray
    g: FloatArray
    u: FloatArray
    v: FloatArray  # zero behind the columns
    sums: FloatArray
    tops: FloatArray
    kernel: FloatArray


class SinkhornTask(NamedTuple):
    """Pairs of graphs whose entropic plans are sought; see ``sinkhorn_block`` in sinkhorn.py."""

    n_pairs: int
    pairs: IntArray
    left: Graphs
    right: Graphs
    rules: Rules
    memory: Memory
    balance: Balance
    reg: float
    tol: float
    n_wanted: int
    out: FloatArray
    status: IntArray


class LabelTileTask(NamedTuple):
    """A rectangle of distances between histograms; see ``label_tile`` in tree.py."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int
    above_diagonal: bool
    n_left: int
    n_right: int
    left: Histogram
    right: Histogram
    left_sizes: Sizes
    right_sizes: Sizes
    n_depths: int
    wanted: BoolArray
    stop: BoolArray
    overlap: FloatArray  # (columns) memory
    result: FloatArray  # (columns) memory
    out: FloatArray


class LabelPairsTask(NamedTuple):
    """Pairs of histograms; see ``label_pairs`` in tree.py."""

    n_pairs: int
    pairs: IntArray
    n_left: int
    n_right: int
    left: Histogram
    right: Histogram
    left_sizes: Sizes
    right_sizes: Sizes
    n_depths: int
    wanted: BoolArray
    stop: BoolArray
    out: FloatArray


class NumberTask(NamedTuple):
    """Codes to number, and a table of those that were seen; see ``number_codes`` in numbering.py."""

    n_codes: int
    codes: NDArray[np.uint64]
    numbers: IntArray
    n_slots: int  # a power of 2
    slots: IntArray  # the number of the code in each slot, or -1
    distinct: NDArray[np.uint64]  # half as many as there are slots
    progress: IntArray  # (2) how many codes were numbered, and how many are different


class CountTask(NamedTuple):
    """Numbered items of graphs to count; see ``count_numbers`` in numbering.py."""

    n_graphs: int
    ptr: IntArray
    numbers: IntArray
    weights: IntArray
    totals: FloatArray  # (numbers) memory
    last_graph: IntArray  # (numbers) -1
    indptr: IntArray
    indices: IntArray
    sums: FloatArray


class ProjectTask(NamedTuple):
    """Points to project on a line; see ``project`` in lines.py."""

    n_nodes: int
    width: int  # of a point
    length: int  # of the direction, in the first coordinates
    points: FloatArray
    direction: FloatArray
    coordinates: FloatArray


class LineTask(NamedTuple):
    """Pairs of graphs on a line; see ``add_line`` in lines.py."""

    n_pairs: int
    pairs: IntArray
    left: Line
    right: Line
    stop: BoolArray
    out: FloatArray


class TakeTask(NamedTuple):
    """Rows and columns of a matrix to copy; see ``take_block`` in vector.py. One of both matrices is given."""

    n_rows: int
    n_columns: int
    rows: IntArray
    columns: IntArray
    width: int  # of the matrix
    matrix: FloatArray | None
    short: NDArray[np.float32] | None
    out: FloatArray


class DifferenceTask(NamedTuple):
    """Differences to add to a matrix; see ``add_differences`` in vector.py."""

    n_rows: int
    n_columns: int
    weight: float
    rows: FloatArray
    columns: FloatArray
    matrix: FloatArray


class DecayTask(NamedTuple):
    """Exponentials to compute; see ``decay`` in exponential.py."""

    n: int
    x: FloatArray
    rate: float
    out: FloatArray


def graphs_of(side: Side) -> Graphs:
    """Return packed graphs as compiled functions get them."""
    return Graphs(*side[:-2], side.codes.reshape(-1), side.level, side.codes.shape[1])


def new_memory(n: int, m: int, *, coded: bool, several: bool) -> Memory:
    """Allocate memory for graphs of at most n and m nodes, with codes or not, at several depths or one.

    At one depth, sums of squares become costs in place.
    """
    cost = np.empty(matrix_size(n, m))
    squares = np.empty(matrix_size(n, m)) if coded or several else cost
    mismatches = np.empty(matrix_size(n, m) if coded else 0)
    most = max(n, m) + 1  # either graph may be the one with the sources, of which there may be one more
    supply, demand = np.empty((2, most), dtype=np.int64)
    return Memory(new_tree(most), cost, squares, mismatches, supply, demand)


def new_tree(most: int) -> Tree:
    """Allocate a tree for at most so many sources, and sinks."""
    nodes, in_sets = 2 * most, min(2 * most, MOST_IN_SETS)
    return Tree(
        parent=np.empty(nodes, np.uint32),
        flow=np.empty(nodes, np.int64),
        potential=np.empty(nodes + LANES),
        low=np.empty(in_sets, np.uint64),
        high=np.empty(in_sets, np.uint64),
        order=np.empty(nodes, np.uint32),
        turn=np.empty(most, np.int64),
        known=np.empty(nodes, np.bool_),
        penalty=np.empty(most + LANES),
        share=np.empty(nodes),
    )


def new_lists(most: int) -> Lists:
    """Allocate lists for trees of at most so many sources, and sinks."""
    return Lists(
        size=np.empty(2 * most, np.uint32),
        following=np.empty(2 * most, np.uint32),
        preceding=np.empty(2 * most, np.uint32),
        last=np.empty(2 * most, np.uint32),
        sinks=np.empty(most * SHORT, np.int32),
        costs=np.empty(most * SHORT),
        old_parent=np.empty(2 * most, np.uint32),
        old_flow=np.empty(2 * most, np.int64),
    )


def new_merged(most: int, rules: Rules) -> Merged:
    """Allocate memory for graphs of at most so many nodes; none if only the last depth is wanted, where none merge."""
    width, n_codes = (rules.width, rules.n_depths * rules.coded) if rules.wanted[:-1].any() else (0, 0)
    return Merged(new_graph(most, width, n_codes), new_graph(most, width, n_codes))


def new_graph(n: int, width: int, n_codes: int) -> Graphs:
    """Allocate one graph of at most n nodes, with points of so many coordinates and so many codes per node."""
    return Graphs(
        ptr=np.zeros(2, np.int64),
        mass=np.empty(n, np.int64),
        total=np.empty(1, np.int64),
        rows=np.zeros((n + ROWS_AT_ONCE - 1) * width),
        columns=np.zeros(padded(n) * width),
        codes=np.empty(n * n_codes, np.uint64),
        level=np.empty(0, np.int64),
        n_nodes=n,
    )


def new_balance(n: int, m: int) -> Balance:
    """Allocate memory of Sinkhorn for graphs of at most n and m nodes."""
    rows, columns = n, m + LANES
    return Balance(
        a=np.empty(rows),
        b=np.empty(columns),
        f=np.empty(rows),
        g=np.empty(columns),
        u=np.empty(rows),
        v=np.empty(columns),
        sums=np.empty(columns),
        tops=np.empty(columns),
        kernel=np.empty(matrix_size(n, m)),
    )
