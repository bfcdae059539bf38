"""Estimates of the work of a problem, which decide how its matrix is cut into tiles."""

from __future__ import annotations

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.pairwise.layout import Histogram
from wassergraph.pairwise.problem import LabelProblem, LineProblem, Problem, TransportProblem
from wassergraph.pairwise.tiles import TileGrid, TileSize, Work, make_grid


def tiles(problem: Problem, size: TileSize | None = None, edges: tuple[int, int] | None = None) -> TileGrid:
    """Cut the matrix of a problem into tiles of about the same work, or of given numbers of rows and columns."""
    return make_grid(
        problem.shape,
        estimate(problem),
        symmetric=problem.symmetric,
        includes_diagonal=problem.includes_diagonal,
        n_layers=len(problem.depths),
        itemsize=problem.dtype.itemsize,
        size=size,
        edges=edges,
    )


def estimate(problem: Problem) -> Work:
    """Estimate the nanoseconds that each pair of graphs takes."""
    if isinstance(problem, LabelProblem):
        return shared_label_work(problem.left, problem.right)
    assert isinstance(problem, LineProblem | TransportProblem)
    n, m = np.diff(problem.left.ptr), np.diff(problem.right.ptr)
    if isinstance(problem, LineProblem):
        return _separable(n, m, per_node=5.0 * sum(len(lines) for lines in problem.directions))
    if problem.solver == "sinkhorn":  # two exponentials per pair of nodes and round, a hundred rounds per depth
        return _separable(n, m, per_pair_of_nodes=0.15 * problem.width + 1000.0 * len(problem.depths))
    # Costs are computed for every pair of nodes; the number of pivots, and the cost of one, grow with the nodes.
    warm = min(len(problem.depths), 2)
    return _separable(
        n, m, per_pair_of_nodes=0.15 * problem.width + 3.0 + 6.0 * warm, per_node=400.0 * warm, per_square=3.0 * warm
    )


def shared_label_work(left: Histogram, right: Histogram) -> Work:
    """Estimate the work of looking up the labels that graphs share: that of the mean pair, for all pairs."""
    n, m = left.ptr.shape[1] - 1, right.ptr.shape[1] - 1
    lookups = np.diff(right.start)[left.label].sum() / max(n * m, 1)
    return constant_work(n, m, 1.5 * float(lookups) + 1.5 * len(left.ptr) + 1.0)


def constant_work(n: int, m: int, nanoseconds: float) -> Work:
    """Estimate the same work for all pairs."""
    return Work(np.full((n, 1), nanoseconds), np.ones((m, 1)))


def node_pair_work(left: IntArray, right: IntArray, nanoseconds: float) -> Work:
    """Estimate work that is done for every pair of nodes, from the number of nodes of each graph."""
    return _separable(left, right, per_pair_of_nodes=nanoseconds)


def _separable(
    n: IntArray, m: IntArray, *, per_pair_of_nodes: float = 0.0, per_node: float = 0.0, per_square: float = 0.0
) -> Work:
    """Return nm·per_pair_of_nodes + (n + m)·per_node + (n² + m²)·per_square."""

    def alone(sizes: IntArray) -> FloatArray:
        return np.asarray(sizes * per_node + sizes.astype(np.float64) ** 2 * per_square)

    left = np.column_stack([n * per_pair_of_nodes, alone(n), np.ones(len(n))])
    right = np.column_stack([m.astype(np.float64), np.ones(len(m)), alone(m)])
    return Work(left, right)
