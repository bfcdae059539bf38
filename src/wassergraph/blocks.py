"""From embeddings to pieces of work for the numeric core, one kind of task for each way through it.

pair_tasks      points, or points and labels: nodes that are alike merged, masses as integers, pairs cut into blocks
tree_tasks      labels: histograms by graph and by label, rows cut into blocks
line_tasks      points on a line; sliced_tasks: the mean over many lines
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.embedding import NodeEmbedding
from wassergraph.graphs import FloatArray, IntArray
from wassergraph.threads import Task

RandomState: TypeAlias = int | np.random.Generator | None

#: How much work a block may hold, in estimated nanoseconds: little enough that progress moves and a stop is quick.
BLOCK = 1e8
#: The total mass of a graph whose nodes are weighted: a number that products with it stay below 2^63.
WEIGHTED_TOTAL = 2**40


class NotSolvedError(RuntimeError):
    """A solver did not reach its goal within the steps that it was allowed."""


#: Pairs of one row: graph i with the graphs from begin to end - 1.
Segment: TypeAlias = tuple[int, int, int]


def _cut(n: int, m: int, square: bool, work: Callable[[int], FloatArray]) -> list[list[Segment]]:
    """Cut the pairs of n and m graphs into blocks of about the same amount of work, those with heavy pairs first.

    ``work`` estimates the effort of a row (m). Pairs are not written down here: a matrix may have very many of them.
    """
    blocks: list[tuple[float, list[Segment]]] = []
    block: list[Segment] = []
    filled = heaviest = 0.0
    for i in range(n):
        begin = first = i + 1 if square else 0
        if first >= m:
            break
        efforts = work(i)[first:]
        ends = filled + np.cumsum(efforts)
        settled = 0.0
        for cut in np.unique(np.searchsorted(ends, np.arange(BLOCK, ends[-1], BLOCK))).tolist():
            end = first + cut + 1
            heaviest = max(heaviest, float(efforts[begin - first : cut + 1].max()))
            blocks.append((heaviest, [*block, (i, begin, end)]))
            block, begin, settled, heaviest = [], end, float(ends[cut]), 0.0
        filled = float(ends[-1]) - settled
        if begin < m:
            heaviest = max(heaviest, float(efforts[begin - first :].max()))
            block.append((i, begin, m))
    if block:
        blocks.append((heaviest, block))
    return [block for _, block in sorted(blocks, key=lambda item: -item[0])]


def _n_pairs(block: list[Segment]) -> int:
    return sum(end - begin for _, begin, end in block)


def _pairs(block: list[Segment]) -> IntArray:
    """Write down the pairs of a block (k, 2)."""
    rows = np.repeat([i for i, _, _ in block], [end - begin for _, begin, end in block])
    columns = np.concatenate([np.arange(begin, end) for _, begin, end in block])
    return np.column_stack([rows, columns]).astype(np.int64)


# Points, or points and labels: pair by pair


def pair_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    wanted: NDArray[np.bool_],
    solver: str,
    reg: float | None,
    tol: float,
    max_iter: int | None,
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[Task]:
    """Settle pairs one by one, by the network simplex or by Sinkhorn."""
    from wassergraph.transport.exact import solve_block
    from wassergraph.transport.sinkhorn import sinkhorn_block

    weighted = left.weights is not None or (right is not None and right.weights is not None)
    one = _side(left, weighted)
    two = one if right is None else _side(right, weighted)
    width, dim, share = left.dim * (left.depth + 1), left.dim, left.label_weight
    limit = max_iter or (10_000 if solver == "sinkhorn" else 0)  # 0: as many as the size of the graphs suggests

    def task(block: list[Segment]) -> Task:
        def work() -> None:
            pairs = _pairs(block)
            values = np.empty((len(pairs), int(wanted.sum())))
            status = np.zeros(len(pairs), dtype=np.int64)
            if solver == "sinkhorn":
                sinkhorn_block(pairs, one, two, width, dim, wanted, share, reg or 0.0, tol, limit, stop, values, status)
            else:
                solve_block(pairs, one, two, width, dim, wanted, share, limit, stop, values, status)
            _check_status(pairs, status, solver, limit)
            if not stop[0]:
                out[:, pairs[:, 0], pairs[:, 1]] = values.T

        return Task(work, _n_pairs(block))

    n, m = np.diff(one.ptr), np.diff(two.ptr)
    repeats = 2.0 if wanted.sum() > 1 else 1.0

    def estimate(i: int) -> FloatArray:
        """Nanoseconds: costs are built for every pair of nodes, and pivots grow with the number of nodes."""
        nodes = n[i] + m
        return np.asarray(n[i] * m * (0.15 * width + 3.0) + nodes * (400.0 + 3.0 * nodes) * repeats)

    return [task(block) for block in _cut(len(n), len(m), right is None, estimate)]


def _check_status(pairs: IntArray, status: IntArray, solver: str, limit: int) -> None:
    failed = np.flatnonzero(status == -1)
    if failed.size:
        i, j = pairs[failed[0]]
        what = "Sinkhorn did not meet its marginals" if solver == "sinkhorn" else "the network simplex did not end"
        steps = f"max_iter={limit}" if limit else "1,000 pivots per node"
        remedy = "raise max_iter, reg or tol" if solver == "sinkhorn" else "raise max_iter"
        raise NotSolvedError(f"{what} for the graphs {i} and {j} within {steps}: {remedy}")


def _side(embedding: NodeEmbedding, weighted: bool) -> Any:
    """Prepare embedded graphs for the solvers: nodes that are alike at all depths merged, masses as integers."""
    from wassergraph.transport.exact import Side

    first, group = _alike(embedding)
    graph = np.searchsorted(embedding.ptr, first, side="right") - 1
    ptr = np.searchsorted(graph, np.arange(len(embedding) + 1))
    sizes = np.diff(embedding.ptr)
    if weighted:
        shares = embedding.weights
        if shares is None:
            shares = np.repeat(1 / sizes, sizes)
        mass = integer_masses(np.bincount(group, weights=shares, minlength=len(first)).astype(np.float64), ptr)
        total = np.full(len(embedding), WEIGHTED_TOTAL, dtype=np.int64)
    else:
        mass, total = np.bincount(group, minlength=len(first)), sizes
    points = np.zeros((len(first), 0)) if embedding.points is None else embedding.points[first]
    columns = [points[a:b].T.ravel() for a, b in itertools.pairwise(ptr)]
    codes = np.zeros((0, len(first)), dtype=np.uint64) if embedding.codes is None else embedding.codes[:, first]
    return Side(
        ptr.astype(np.int64),
        mass.astype(np.int64),
        total.astype(np.int64),
        np.ascontiguousarray(points).ravel(),
        np.concatenate(columns) if columns else np.zeros(0),
        np.ascontiguousarray(codes),
    )


def _alike(embedding: NodeEmbedding) -> tuple[IntArray, IntArray]:
    """Find nodes of the same graph with the same embedding: (first node of each class, class of each node)."""
    n = int(embedding.ptr[-1])
    graph = np.repeat(np.arange(len(embedding)), np.diff(embedding.ptr))
    columns = [] if embedding.codes is None else list(embedding.codes[-1:].view(np.int64))
    if embedding.points is not None:
        columns += list(np.ascontiguousarray(embedding.points).view(np.int64).T)
    group = graph
    for column in columns:  # refine classes column by column; a class that is a single node stays one
        _, column_rank = np.unique(column, return_inverse=True)
        _, group = np.unique(group * n + column_rank, return_inverse=True)
        if len(group) and group.max() == n - 1:
            break
    _, first = np.unique(group, return_index=True)
    order = np.argsort(first)  # classes in the order of their first nodes, hence graph by graph
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return first[order], rank[group]


def integer_masses(shares: FloatArray, ptr: IntArray) -> IntArray:
    """Round shares to integers that sum to the same total in every graph; the largest node takes what is left over."""
    mass = np.maximum(np.floor(shares * WEIGHTED_TOTAL), 1).astype(np.int64)
    for first, last in itertools.pairwise(ptr):
        mass[first + int(np.argmax(mass[first:last]))] += WEIGHTED_TOTAL - mass[first:last].sum()
    return mass


# Labels: row by row


def tree_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    wanted: NDArray[np.bool_],
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[Task]:
    """Settle rows of pairs by their label histograms."""
    from wassergraph.transport.tree import fill_rows

    sides = [left] if right is None else [left, right]
    histograms = _histograms(sides)
    totals = [_totals(side) for side in sides]
    n, m = out.shape[1:]

    def task(first: int, last: int) -> Task:
        def work() -> None:
            fill_rows(
                first, last, right is None, histograms[0], histograms[-1], totals[0], totals[-1], wanted, stop, out
            )

        pairs = sum(m - 1 - i for i in range(first, last)) if right is None else (last - first) * m
        return Task(work, pairs)

    postings = [np.diff(level.start)[level.label] for level in histograms[0]] if right is None else []
    effort = np.full(n, float(m * len(wanted)))
    for level, found in zip(histograms[0], postings, strict=False):
        effort += np.add.reduceat(found, level.ptr[:-1])
    borders = np.unique(np.searchsorted(np.cumsum(effort), np.arange(0, effort.sum() + 1e7, 1e7)))
    edges = np.unique(np.concatenate([[0], borders, [n]]))
    return [task(int(a), int(b)) for a, b in itertools.pairwise(edges)]


def _totals(embedding: NodeEmbedding) -> FloatArray:
    return np.diff(embedding.ptr).astype(np.float64) if embedding.weights is None else np.ones(len(embedding))


def _histograms(sides: list[NodeEmbedding]) -> list[tuple[Any, ...]]:
    """Count the labels of every graph at every depth: for each side, one histogram per depth."""
    result: list[list[Any]] = [[] for _ in sides]
    for depth in range(sides[0].depth + 1):
        codes = np.concatenate([side.codes[depth] for side in sides if side.codes is not None])
        kinds, label = np.unique(codes, return_inverse=True)
        begin = 0
        for levels, side in zip(result, sides, strict=True):
            end = begin + int(side.ptr[-1])
            levels.append(_histogram(side, label[begin:end], len(kinds)))
            begin = end
    return [tuple(levels) for levels in result]


def _histogram(side: NodeEmbedding, label: IntArray, n_kinds: int) -> Any:
    from wassergraph.transport.tree import Histogram

    graph = np.repeat(np.arange(len(side)), np.diff(side.ptr))
    keys, where = np.unique(graph * n_kinds + label, return_inverse=True)
    count = np.bincount(where, weights=side.weights, minlength=len(keys)).astype(np.float64)
    owner, kind = keys // n_kinds, keys % n_kinds
    by_kind = np.argsort(kind, kind="stable")
    return Histogram(
        np.searchsorted(owner, np.arange(len(side) + 1)),
        kind,
        count,
        np.searchsorted(kind[by_kind], np.arange(n_kinds + 1)),
        owner[by_kind],
        count[by_kind],
    )


# Lines


def line_tasks(
    left: NodeEmbedding, right: NodeEmbedding | None, out: NDArray[Any], stop: NDArray[np.bool_]
) -> list[Task]:
    """Settle pairs of graphs whose nodes lie on a line."""
    assert left.points is not None
    points = [left.points[:, 0]] if right is None or right.points is None else [left.points[:, 0], right.points[:, 0]]
    return _projected_tasks(left, right, [(0, points)], 1, out, stop)


def sliced_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    steps: list[int],
    n_projections: int,
    random_state: RandomState,
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[Task]:
    """Project the points of every depth on the same random directions, and average over these."""
    rng = np.random.default_rng(random_state)
    directions = rng.normal(size=(operator.index(n_projections), left.dim * (left.depth + 1)))
    lines = []
    for slot, depth in enumerate(steps):
        width = (depth + 1) * left.dim
        own = directions[:, :width] / np.linalg.norm(directions[:, :width], axis=1, keepdims=True)
        for direction in own:
            projected = [
                side.points[:, :width] @ direction
                for side in (left, right)
                if side is not None and side.points is not None
            ]
            lines.append((slot, projected))
    return _projected_tasks(left, right, lines, n_projections, out, stop)


def _projected_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    lines: list[tuple[int, list[FloatArray]]],
    count: int,
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[Task]:
    """Settle pairs on all lines at once: a line is where the nodes of each side lie, and the result it counts for."""
    from wassergraph.transport.sliced import line_block

    weighted = left.weights is not None or (right is not None and right.weights is not None)
    sides = [left] if right is None else [left, right]
    sorted_lines = [
        (slot, [_sorted_side(s, p, weighted) for s, p in zip(sides, places, strict=True)]) for slot, places in lines
    ]

    def task(block: list[Segment]) -> Task:
        def work() -> None:
            pairs = _pairs(block)
            values = np.zeros((len(out), len(pairs)))
            for slot, prepared in sorted_lines:
                line_block(pairs, *prepared[0], *prepared[-1], stop, values[slot])
            if not stop[0]:
                out[:, pairs[:, 0], pairs[:, 1]] = values / count

        return Task(work, _n_pairs(block))

    sizes = [np.diff(side.ptr) for side in sides]
    blocks = _cut(len(sizes[0]), len(sizes[-1]), right is None, lambda i: (sizes[0][i] + sizes[-1]) * 5.0 * len(lines))
    return [task(block) for block in blocks]


def _sorted_side(embedding: NodeEmbedding, places: FloatArray, weighted: bool) -> tuple[Any, FloatArray]:
    """Sort the nodes of every graph by their place on a line."""
    from wassergraph.transport.exact import Side

    sizes = np.diff(embedding.ptr)
    graph = np.repeat(np.arange(len(embedding)), sizes)
    order = np.lexsort((places, graph))
    if weighted:
        shares = np.repeat(1 / sizes, sizes) if embedding.weights is None else embedding.weights
        mass, total = integer_masses(shares[order], embedding.ptr), np.full(len(sizes), WEIGHTED_TOTAL, dtype=np.int64)
    else:
        mass, total = np.ones(len(places), dtype=np.int64), sizes.astype(np.int64)
    nothing = np.zeros(0)
    side = Side(embedding.ptr.astype(np.int64), mass, total, nothing, nothing, np.zeros((0, 0), dtype=np.uint64))
    return side, places[order]
