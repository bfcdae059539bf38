"""Solve a problem: any tile of its matrix, or any list of pairs. Which solver gets what is decided here.

    embedding          solver          problem             solved by             because
    ────────────────   ─────────────   ─────────────────   ───────────────────   ─────────────────────────────────────
    codes              exact           LabelProblem        core/labels.cpp       labels only ever refine: the Hamming
                                                                                 distance is a tree metric, on which
                                                                                 transport has a closed form
    points, 1 column   exact           LineProblem         core/lines.cpp        on a line, sorting solves it
    points             sliced          LineProblem         core/lines.cpp        the mean over random lines
    points, or both    exact           TransportProblem    core/exact.cpp        network simplex; the optimal basis at
                                                                                 one depth starts the next
    any                sinkhorn        TransportProblem    core/sinkhorn.cpp     entropic, by Sinkhorn's iterations

Functions are pure: they return values, and do not depend on what else is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph import _core
from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.errors import NotSolvedError
from wassergraph.graphs.slices import offsets, ranges
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Sinkhorn, Sliced, Solver
from wassergraph.pairwise.layout import Histogram, Line, Rules, Sizes
from wassergraph.pairwise.problem import Cloud, LabelProblem, LineProblem, Problem, TransportProblem
from wassergraph.pairwise.scaling import scale_up
from wassergraph.pairwise.tiles import Tile, mirror_upper
from wassergraph.status import NOT_CONVERGED, NOT_STARTED

#: In a tile, so many rows and columns are solved one after the other.
_BLOCK = 32
#: Computes the distances (n_depths, k) of pairs (k, 2) of graphs.
SolvePairs: TypeAlias = Callable[[Any, IntArray, Stop], NDArray[Any]]


def problem_type(embedding: NodeEmbedding, solver: Solver) -> type[Problem]:
    """Return the type of problem that an embedding makes for a solver: the table above."""
    if isinstance(solver, Sinkhorn):
        return TransportProblem
    if embedding.kind == "categorical":
        return LabelProblem
    on_a_line = embedding.dim == 1 and embedding.depth == 0 and embedding.codes is None and not embedding.counted
    return LineProblem if isinstance(solver, Sliced) or on_a_line else TransportProblem


def solve(problem: Problem, tile: Tile, stop: Stop | None = None) -> NDArray[Any]:
    """Compute a tile of the matrix of distances.

    Parameters
    ----------
    problem : Problem
        What :func:`wassergraph.pairwise.prepare.prepare` returned, perhaps in another process.
    tile : Tile
        Any rectangle of the matrix, also one below the diagonal of a symmetric matrix.
    stop : (1) bool, optional
        If another thread sets it to True, the computation ends early, and what is returned has no meaning.

    Returns
    -------
    distances : (n_depths, rows, columns)
        Equal to this part of the whole matrix bit for bit.

    Raises
    ------
    NotSolvedError
        If a solver did not reach the solution within its number of steps.
    """
    stop = np.zeros(1, dtype=np.bool_) if stop is None else stop
    if isinstance(problem, LabelProblem):
        return _add_sizes(problem, _label_tile(problem, tile, stop), tile.rows, tile.columns)
    rows, columns = np.indices(tile.shape, dtype=np.int64).reshape(2, -1)
    if problem.symmetric and tile.on_diagonal:
        upper = rows <= columns
        rows, columns = rows[upper], columns[upper]
    if isinstance(problem, TransportProblem):
        order = _block_order(rows, columns)
        rows, columns = rows[order], columns[order]
    values = solve_pairs(problem, np.column_stack([rows + tile.row_begin, columns + tile.column_begin]), stop)
    distances = np.empty((len(problem.depths), *tile.shape), dtype=problem.dtype)
    distances[:, rows, columns] = values
    if problem.symmetric and tile.on_diagonal:
        distances[:, columns, rows] = values
    return distances


def _block_order(rows: IntArray, columns: IntArray) -> IntArray:
    """Return an order of pairs, given row by row, in which those of a block follow each other.

    They share graphs, which then stay in the processor's cache.
    """
    block = rows // _BLOCK * (columns.max(initial=0) // _BLOCK + 1) + columns // _BLOCK
    return np.argsort(block.astype(np.min_scalar_type(block.max(initial=0))), kind="stable")  # few bits: radix sort


def _add_sizes(problem: Problem, values: NDArray[Any], rows: slice, columns: slice) -> NDArray[Any]:
    """Add to the distances of a tile what graphs of different size are moved apart by."""
    if problem.left_size is None or problem.right_size is None:
        return values
    apart = np.abs(problem.left_size[rows, None] - problem.right_size[columns])
    return np.asarray(values + apart.astype(values.dtype))


def solve_pairs(problem: Problem, pairs: IntArray, stop: Stop | None = None) -> NDArray[Any]:
    """Compute the distances (n_depths, k) of pairs (k, 2) of graphs; otherwise as :func:`solve`."""
    values = _solve_pairs(problem, pairs, stop)
    if problem.left_size is None or problem.right_size is None:
        return values
    apart = np.abs(problem.left_size[pairs[:, 0]] - problem.right_size[pairs[:, 1]])
    return np.asarray(values + apart.astype(values.dtype))


def _solve_pairs(problem: Problem, pairs: IntArray, stop: Stop | None) -> NDArray[Any]:
    stop = np.zeros(1, dtype=np.bool_) if stop is None else stop
    solver, pairs = _SOLVERS[type(problem)], np.ascontiguousarray(pairs, dtype=np.int64)
    if not problem.symmetric:
        return solver(problem, pairs, stop)
    # A pair is always solved in the order that the upper half of the matrix has it in.
    pairs = np.sort(pairs, axis=1)
    if problem.includes_diagonal:
        return solver(problem, pairs, stop)
    different = pairs[:, 0] != pairs[:, 1]
    distances = np.zeros((len(problem.depths), len(pairs)), dtype=problem.dtype)
    distances[:, different] = solver(problem, np.ascontiguousarray(pairs[different]), stop)
    return distances


# Labels


def _label_tile(problem: LabelProblem, tile: Tile, stop: Stop) -> NDArray[Any]:
    mirrored = problem.symmetric and tile.on_diagonal
    new = np.zeros if mirrored else np.empty  # of a mirrored tile only the upper half is computed
    distances = new((len(problem.depths), *tile.shape))
    _core.label_tile(tile, mirrored, *_histograms(problem), problem.wanted, stop, distances)
    if mirrored:
        mirror_upper(distances)
    elif problem.symmetric:  # labels that one graph alone has were left out, which matters on the diagonal only
        same = np.arange(max(tile.row_begin, tile.column_begin), min(tile.row_end, tile.column_end))
        distances[:, same - tile.row_begin, same - tile.column_begin] = 0.0
    return distances.astype(problem.dtype, copy=False)


def _label_pairs(problem: LabelProblem, pairs: IntArray, stop: Stop) -> NDArray[Any]:
    distances = np.empty((len(problem.depths), len(pairs)))
    _core.label_pairs(pairs, *_histograms(problem), problem.wanted, stop, distances)
    return distances.astype(problem.dtype, copy=False)


def _histograms(problem: LabelProblem) -> tuple[Histogram, Histogram, Sizes, Sizes]:
    return problem.left, problem.right, problem.left_sizes, problem.right_sizes


# Lines


def _line_pairs(problem: LineProblem, pairs: IntArray, stop: Stop) -> NDArray[Any]:
    """Compute the mean over all lines; only the graphs of these pairs are projected."""
    sides, columns = (problem.left, problem.right), []
    graphs = []
    for side in (0, 1):
        chosen, position = np.unique(pairs[:, side], return_inverse=True)
        graphs.append(chosen)
        columns.append(position.reshape(-1))
    local = np.column_stack(columns)
    sums = np.zeros((len(problem.depths), len(pairs)))
    for slot, directions in enumerate(problem.directions):
        for direction in directions:
            left, right = (_on_line(*side, direction) for side in zip(sides, graphs, strict=True))
            _core.add_line(local, left, right, stop, sums[slot])
        sums[slot] /= len(directions)
    return scale_up(sums, problem.exponent, problem.dtype, pairs)


def _on_line(cloud: Cloud, graphs: IntArray, direction: FloatArray) -> Line:
    """Project graphs on a line."""
    sizes = cloud.ptr[graphs + 1] - cloud.ptr[graphs]
    nodes = ranges(cloud.ptr[graphs], sizes)
    coordinates = np.zeros(len(nodes))
    for feature, factor in zip(cloud.points[nodes].T, direction, strict=False):  # a depth has the first features only
        coordinates += feature * factor  # not a matrix product, whose last bits depend on the other nodes
    order = np.lexsort((coordinates, np.repeat(np.arange(len(graphs)), sizes)))
    return Line(offsets(sizes), cloud.total[graphs], coordinates[order], cloud.mass[nodes][order])


# Optimal transport


def _transport_pairs(problem: TransportProblem, pairs: IntArray, stop: Stop) -> NDArray[Any]:
    values = np.empty((len(pairs), len(problem.depths)))
    status = np.zeros(len(pairs), dtype=np.int64)
    rules = Rules(
        width=problem.width,
        dim=problem.dim,
        coded=len(problem.left.codes) > 0,
        wanted=problem.wanted,
        label_weight=problem.label_weight,
        label_cost=problem.label_cost,
        counted=len(problem.prices) > 0,
        prices=problem.prices,
        max_iter=problem.max_iter,
        stop=stop,
    )
    given = pairs, problem.left, problem.right, rules
    if problem.solver == "sinkhorn":
        _core.sinkhorn_block(*given, problem.reg, problem.tol, values, status)
    else:
        _core.solve_block(*given, values, status)
    if stop[0]:
        return values.T
    check_status(problem, pairs, status)
    return scale_up(values.T, problem.exponent, problem.dtype, pairs)


def check_status(problem: TransportProblem, pairs: IntArray, status: IntArray) -> None:
    """Raise an error that names the graphs if the solver failed for one of the pairs (k, 2)."""
    for failure in (NOT_STARTED, NOT_CONVERGED):
        failed = np.flatnonzero(status == failure)
        if failed.size:
            i, j = pairs[failed[0]].tolist()
            raise NotSolvedError(_explain(problem, failure, f"the graphs {i} and {j}"), (i, j))


def _explain(problem: TransportProblem, failure: int, graphs: str) -> str:
    if failure == NOT_STARTED:
        return f"the solver found no initial plan for {graphs}: their ground costs are not finite numbers"
    if problem.solver == "sinkhorn":
        return (
            f"Sinkhorn did not reach the marginals of {graphs} within max_iter={problem.max_iter} iterations; increase "
            "max_iter, reg or tol"
        )
    steps = f"max_iter={problem.max_iter}" if problem.max_iter else "1,000 pivots per node"
    return f"the network simplex did not converge for {graphs} within {steps}; increase max_iter"


_SOLVERS: dict[type[Problem], SolvePairs] = {
    LabelProblem: _label_pairs,
    LineProblem: _line_pairs,
    TransportProblem: _transport_pairs,
}
