"""From embeddings to pieces of work for the numeric core, one kind of task for each way through it.

pair_tasks      points, or points and labels: nodes that are alike merged, masses as integers, pairs cut into blocks
tree_tasks      labels: histograms by graph and by label, rows cut into blocks
line_tasks      points on a line; sliced_tasks: the mean over many lines
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.distances.histograms import histograms, row_tasks
from wassergraph.embedding.node_embedding import NodeEmbedding
from wassergraph.parallel.threads import Task

RandomState: TypeAlias = int | np.random.Generator | None

#: How much work a block may hold, in estimated nanoseconds: little enough that progress moves and a stop is quick.
BLOCK = 1e8
#: How many places of nodes on lines are kept at a time.
PLACES = 4_000_000
#: The largest cost is brought to about 2 to this power: its square is far from overflow, that of a cost 1e290 times
#: smaller far from underflow.
HEADROOM = 480


class NotSolvedError(RuntimeError):
    """A solver did not reach its goal within the steps that it was allowed."""


#: Pairs of one row: graph i with the graphs from begin to end - 1.
Segment: TypeAlias = tuple[int, int, int]


def _cut(
    n: int, m: int, square: bool, work: Callable[[int], FloatArray], *, diagonal: bool = False
) -> list[list[Segment]]:
    """Cut the pairs of n and m graphs into blocks of about the same amount of work, those with heavy pairs first.

    ``work`` estimates the effort of a row (m). Of a square matrix only what is right of the diagonal is taken, or from
    the ``diagonal`` on. Pairs are not written down here: a matrix may have very many of them.
    """
    blocks: list[tuple[float, list[Segment]]] = []
    block: list[Segment] = []
    filled = heaviest = 0.0
    for i in range(n):
        begin = first = i + (not diagonal) if square else 0
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


# Costs far from both ends of the range of floats


def scale_exponent(sides: list[NodeEmbedding], *others: float) -> int:
    """Give the power of two that all costs are divided by, that of points and ``others`` beside them.

    That is exact: results do not change by a bit, but attributes of 1e200 or of 1e-200 give the right ones.
    """
    points = [side.points for side in sides if side.points is not None and side.points.size]
    largest = max([*others, *(max(p.max(), -p.min()) for p in points)], default=0.0)
    if not np.isfinite(largest):
        raise ValueError(f"the embedding has a point with the coordinate {largest}: every one must be a finite number")
    return math.frexp(largest)[1] - HEADROOM


def _scaled(points: FloatArray, exponent: int) -> FloatArray:
    return np.asarray(np.ldexp(points.astype(np.float64, copy=False), -exponent))


def _write(out: NDArray[Any], pairs: IntArray, values: FloatArray, exponent: int) -> None:
    """Write the distances (depths, k) of pairs (k, 2), scaled back, to their places."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.ldexp(values, exponent).astype(out.dtype)
    wrong = np.argwhere(~np.isfinite(found))
    if wrong.size:
        i, j = pairs[wrong[0, 1]]
        raise ValueError(
            f"the distance of the graphs {i} and {j} is beyond the range of {out.dtype}: scale the attributes down"
        )
    out[:, pairs[:, 0], pairs[:, 1]] = found


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

    sides = [left] if right is None else [left, right]
    labels = 0.0 if left.codes is None else 1.0 if left.points is None else left.label_weight  # the cost of differing
    exponent = scale_exponent(sides, labels, reg or 0.0)
    prepared = _sides(sides, exponent)
    one, two = prepared[0], prepared[-1]
    width, dim, share = left.dim * (left.depth + 1), left.dim, left.label_weight
    label_cost, entropy = math.ldexp(labels, -exponent), math.ldexp(reg or 0.0, -exponent)
    depths = int(wanted.sum())
    limit = max_iter or (100_000 if solver == "sinkhorn" else 0)  # 0: as many as the size of the graphs suggests

    def work(block: list[Segment]) -> None:
        pairs = _pairs(block)
        values = np.empty((len(pairs), depths))
        status = np.zeros(len(pairs), dtype=np.int64)
        problem = pairs, one, two, width, dim, wanted, share, label_cost
        if solver == "sinkhorn":
            sinkhorn_block(*problem, entropy, float(tol), limit, stop, values, status)
        else:
            solve_block(*problem, limit, stop, values, status)
        _check_status(pairs, status, solver, limit)
        if not stop[0]:
            _write(out, pairs, values.T, exponent)

    estimate = _sinkhorn_effort if solver == "sinkhorn" else _simplex_effort
    n, m = np.diff(one.ptr), np.diff(two.ptr)
    diagonal = solver == "sinkhorn"  # the entropic plan of a graph with itself moves something: it costs more than 0
    blocks = _cut(len(n), len(m), right is None, lambda i: estimate(n[i], m, width, depths), diagonal=diagonal)
    return [Task(partial(work, block), _n_pairs(block)) for block in blocks]


def _simplex_effort(n: int, m: IntArray, width: int, depths: int) -> FloatArray:
    """Estimate nanoseconds: costs are built for every pair of nodes, and pivots grow with the number of nodes."""
    nodes = n + m
    return np.asarray(n * m * (0.15 * width + 3.0) + nodes * (400.0 + 3.0 * nodes) * min(depths, 2))


def _sinkhorn_effort(n: int, m: IntArray, width: int, depths: int) -> FloatArray:
    """Estimate nanoseconds: two exponentials for every pair of nodes in a round, and a hundred rounds for a depth."""
    return np.asarray(n * m * (0.15 * width + 1000.0 * depths), dtype=np.float64)


def _check_status(pairs: IntArray, status: IntArray, solver: str, limit: int) -> None:
    failed = np.flatnonzero(status == -3)
    if failed.size:
        i, j = pairs[failed[0]]
        raise NotSolvedError(f"no first plan was found for the graphs {i} and {j}: their ground costs are not numbers")
    failed = np.flatnonzero(status == -1)
    if failed.size:
        i, j = pairs[failed[0]]
        what = "Sinkhorn did not meet its marginals" if solver == "sinkhorn" else "the network simplex did not end"
        steps = f"max_iter={limit}" if limit else "1,000 pivots per node"
        remedy = "raise max_iter, reg or tol" if solver == "sinkhorn" else "raise max_iter"
        raise NotSolvedError(f"{what} for the graphs {i} and {j} within {steps}: {remedy}")


def _sides(embeddings: list[NodeEmbedding], exponent: int) -> list[Any]:
    """Prepare one or two embeddings for the solvers, with masses and costs of the same scale."""
    weighted = any(side.weights is not None for side in embeddings)
    largest = max((int(np.diff(side.ptr).max(initial=1)) for side in embeddings), default=1)
    return [_side(side, weighted, exponent, weighted_total(largest)) for side in embeddings]


def _side(embedding: NodeEmbedding, weighted: bool, exponent: int = 0, total: int = 2**40) -> Any:
    """Prepare embedded graphs for the solvers: nodes that are alike at all depths merged, masses as integers."""
    from wassergraph.transport.exact import Side

    first, group = _alike(embedding)
    graph = np.searchsorted(embedding.ptr, first, side="right") - 1
    ptr = np.searchsorted(graph, np.arange(len(embedding) + 1))
    node_mass, totals = _masses(embedding, weighted, total)
    points = np.zeros((len(first), 0)) if embedding.points is None else _scaled(embedding.points[first], exponent)
    columns = [points[a:b].T.ravel() for a, b in itertools.pairwise(ptr)]
    codes = np.zeros((0, len(first)), dtype=np.uint64) if embedding.codes is None else embedding.codes[:, first]
    return Side(
        ptr.astype(np.int64),
        np.bincount(group, weights=node_mass, minlength=len(first)).astype(np.int64),
        totals,
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


def weighted_total(nodes: int) -> int:
    """Give the integer mass of a graph with weighted nodes, where no graph has more than so many.

    A power of two, so that multiplying by it is exact; small enough that sums of floats are exact, and that perturbed
    masses (simplex.py) are below 2^62.
    """
    return int(min(2**52, 2 ** (61 - (2 * nodes + 1).bit_length())))


def integer_masses(shares: FloatArray, ptr: IntArray, total: int) -> IntArray:
    """Round shares to positive integers that sum to ``total`` in every graph, those with the largest remainders up.

    Among equal remainders the larger shares go up, so that the order of the nodes does not matter.
    """
    exact = shares * total
    mass = np.maximum(np.floor(exact), 1).astype(np.int64)
    for first, last in itertools.pairwise(ptr):
        own = mass[first:last]
        rest = total - int(own.sum())
        if 0 < rest <= len(own):
            own[np.lexsort((-exact[first:last], own - exact[first:last]))[:rest]] += 1
        else:  # the shares do not sum to 1, or many of them were below 1 / total
            own[np.argmax(own)] += rest
    return mass


def _masses(embedding: NodeEmbedding, weighted: bool, total: int) -> tuple[IntArray, IntArray]:
    """Give integer masses: of all nodes, and of the graphs, their sizes or, where there are weights, ``total`` each."""
    sizes = np.diff(embedding.ptr).astype(np.int64)
    if not weighted:
        return np.ones(sizes.sum(), dtype=np.int64), sizes
    shares = np.repeat(1 / sizes, sizes) if embedding.weights is None else embedding.weights
    return integer_masses(shares, embedding.ptr, total), np.full(len(sizes), total, dtype=np.int64)


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
    weighted = any(side.weights is not None for side in sides)
    masses = [_masses(side, weighted, weighted_total(1)) for side in sides]
    counted = histograms(sides, [mass for mass, _ in masses])
    totals = [total.astype(np.float64) for _, total in masses]

    def fill(first: int, last: int) -> None:
        fill_rows(first, last, right is None, counted[0], counted[-1], totals[0], totals[-1], wanted, stop, out)

    return row_tasks(counted, right is None, fill)


# Lines


def line_tasks(
    left: NodeEmbedding, right: NodeEmbedding | None, out: NDArray[Any], stop: NDArray[np.bool_]
) -> list[Task]:
    """Settle pairs of graphs whose nodes lie on a line."""
    return _projected_tasks(left, right, [(0, np.ones(1))], 1, out, stop)


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
        own = directions[:, : (depth + 1) * left.dim]
        lines += [(slot, direction) for direction in own / np.linalg.norm(own, axis=1, keepdims=True)]
    return _projected_tasks(left, right, lines, n_projections, out, stop)


def _projected_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    lines: list[tuple[int, FloatArray]],
    count: int,
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[Task]:
    """Settle pairs on lines, some lines at a time: a line is a direction, and the result that it counts for."""
    from wassergraph.transport.lines import line_block

    sides = [left] if right is None else [left, right]
    exponent = scale_exponent(sides)
    clouds = _clouds(sides, exponent)
    sums = out if out.dtype == np.float64 else np.zeros(out.shape)
    prepared: list[tuple[int, list[Any]]] = []

    def prepare(some: list[tuple[int, FloatArray]]) -> None:
        prepared.clear()
        prepared.extend((slot, [_on_line(*cloud, direction) for cloud in clouds]) for slot, direction in some)

    def add(block: list[Segment], last: bool) -> None:
        pairs = _pairs(block)
        values = sums[:, pairs[:, 0], pairs[:, 1]]
        for slot, placed in prepared:
            (one, places), (two, other_places) = placed[0], placed[-1]
            line_block(pairs, one, places, two, other_places, stop, values[slot])
        if last and not stop[0]:
            _write(out, pairs, values / count, exponent)
        elif not stop[0]:
            sums[:, pairs[:, 0], pairs[:, 1]] = values

    at_a_time = max(1, PLACES // max(1, sum(int(side.ptr[-1]) for side in sides)))
    batches = [lines[begin : begin + at_a_time] for begin in range(0, len(lines), at_a_time)]
    n, m = (np.diff(side.ptr) for side in (sides[0], sides[-1]))
    blocks = _cut(len(n), len(m), right is None, lambda i: (n[i] + m) * 5.0 * len(batches[0]))
    tasks: list[Task] = []
    for number, some in enumerate(batches, start=1):
        tasks.append(Task(partial(prepare, some), 0, alone=True))
        for block in blocks:
            done, before = (_n_pairs(block) * k // len(batches) for k in (number, number - 1))
            tasks.append(Task(partial(add, block, number == len(batches)), done - before))
    return tasks


def _clouds(sides: list[NodeEmbedding], exponent: int) -> list[tuple[FloatArray, Any, bool]]:
    """Give the scaled points of each side, its masses, and whether these differ."""
    from wassergraph.transport.exact import Side

    weighted = any(side.weights is not None for side in sides)
    none, no_codes = np.zeros(0), np.zeros((0, 0), dtype=np.uint64)
    result = []
    for side in sides:
        mass, total = _masses(side, weighted, weighted_total(1))
        assert side.points is not None
        own = Side(side.ptr.astype(np.int64), mass, total, none, none, no_codes)
        result.append((_scaled(side.points, exponent), own, weighted))
    return result


def _on_line(points: FloatArray, side: Any, weighted: bool, direction: FloatArray) -> tuple[Any, FloatArray]:
    """Project the nodes on a line and sort those of every graph by their place on it: (side, places)."""
    places = points[:, : len(direction)] @ direction
    order = np.lexsort((places, np.repeat(np.arange(len(side.total)), np.diff(side.ptr))))
    return side._replace(mass=side.mass[order]) if weighted else side, places[order]
