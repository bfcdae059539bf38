"""From embeddings to distance matrices: the pairs are cut into blocks, run on threads, gathered, and watched.

Whatever the number of threads and the cut, each pair is computed by the same steps: results are the same to the last
bit.
"""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wassergraph.embedding import Isolated, Kind, NodeEmbedding, embed_all, learn_scheme
from wassergraph.graphs import FloatArray, GraphBatch, IntArray
from wassergraph.progress import Progress

Solver: TypeAlias = Literal["auto", "exact", "sinkhorn", "sliced"]
RandomState: TypeAlias = int | np.random.Generator | None

#: How much work a block may hold, in estimated nanoseconds: little enough that progress moves and a stop is quick.
BLOCK = 1e8
#: The total mass of a graph whose nodes are weighted: a number that products with it stay below 2^63.
WEIGHTED_TOTAL = 2**40


class NotSolvedError(RuntimeError):
    """A solver did not reach its goal within the steps that it was allowed."""


def wwl_distances(
    graphs: GraphBatch,
    others: GraphBatch | None = None,
    *,
    depth: int | Sequence[int] = 3,
    kind: Kind = "auto",
    standardise: bool = False,
    isolated: Isolated = "halve",
    label_weight: float = 0.5,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Compute the Wasserstein Weisfeiler–Lehman distances between graphs, exactly unless another solver is asked for.

    D(G, G') is the least cost of moving the nodes of G onto those of G', each graph having a mass of 1, where moving a
    node costs the distance of the embeddings (:func:`wassergraph.wl_embedding`): normalised Hamming for labels,
    Euclidean for attributes.

    Parameters
    ----------
    graphs : GraphBatch
        N graphs. The embedding (which kind, the scale of the attributes) is learnt from these.
    others : GraphBatch, optional
        M graphs to compare them with; by default the graphs themselves.
    depth : int or sequence of int
        The Weisfeiler–Lehman iterations H. All depths of a sequence are computed in one go.
    kind, standardise, isolated, label_weight
        How to embed the nodes: see :func:`wassergraph.wl_embedding`.
    weights, other_weights : (n_nodes) floats, optional
        The mass of every node of the graphs, and of the others; all alike by default.
    solver : "auto", "exact", "sinkhorn" or "sliced"
        "auto" is exact: a closed form for labels and for one-dimensional attributes, a network simplex otherwise.
        "sinkhorn" gives the cost of the entropic plan, as in the paper; "sliced" the mean over random lines, which is
        fast for large graphs and gives a positive definite kernel.
    reg : float
        With "sinkhorn", the strength of the entropy, the paper's γ.
    tol : float
        With "sinkhorn", how far the marginals may be off, added up over all nodes.
    max_iter : int, optional
        The most pivots, or rounds of Sinkhorn, per pair of graphs; reaching it is an error.
    n_projections, random_state
        With "sliced", how many random lines, and the seed that draws them.
    n_jobs : int, optional
        The number of threads; None means 1, and -1 all processors.
    progress : bool
        Whether to show a progress bar.
    dtype : float64 or float32
        The type of the result; the computation is always in float64.

    Returns
    -------
    distances : (N, M), or (len(depth), N, M) for a sequence of depths

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.wwl_distances(graphs, depth=2)
    >>> D.shape, float(D[0, 0])
    ((60, 60), 0.0)
    """
    depths = [operator.index(h) for h in depth] if np.ndim(depth) else [operator.index(depth)]  # type: ignore[union-attr,arg-type]
    if not depths or min(depths) < 0:
        raise ValueError(f"depth must be a number from 0 on, or a sequence of them, got {depth!r}")
    scheme = learn_scheme(graphs, kind=kind, standardise=standardise, isolated=isolated, label_weight=label_weight)
    if others is not None and not isinstance(others, GraphBatch):
        raise TypeError(f"others must be a GraphBatch, got a {type(others).__name__}")
    batches = [graphs] if others is None else [graphs, others]
    _, embedded = embed_all(scheme, batches, max(depths), [weights, other_weights][: len(batches)])
    result = embedding_distances(
        embedded[0],
        None if others is None else embedded[1],
        depths=depths,
        solver=solver,
        reg=reg,
        tol=tol,
        max_iter=max_iter,
        n_projections=n_projections,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        dtype=dtype,
    )
    return result if np.ndim(depth) else result[0]


def embedding_distances(
    left: NodeEmbedding,
    right: NodeEmbedding | None = None,
    *,
    depths: Sequence[int],
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Compute the distances between embedded graphs for several depths (len(depths), N, M).

    The parameters are those of :func:`wwl_distances`.
    """
    _check_options(left, right, solver, reg, tol, max_iter, n_projections, dtype)
    steps = sorted(set(depths))
    left = left.upto(steps[-1])
    right = None if right is None else right.upto(steps[-1])
    out = np.zeros((len(steps), len(left), len(left if right is None else right)), dtype=dtype)
    stop = np.zeros(1, dtype=np.bool_)
    wanted = np.isin(np.arange(steps[-1] + 1), steps)
    if solver in ("auto", "exact") and left.kind == "categorical":
        plan = _tree_tasks(left, right, wanted, out, stop)
    elif solver == "sliced":
        plan = _sliced_tasks(left, right, steps, n_projections, random_state, out, stop)
    elif solver in ("auto", "exact") and left.dim == 1 and left.depth == 0 and left.codes is None:
        plan = _line_tasks(left, right, out, stop)
    else:
        plan = _pair_tasks(left, right, wanted, solver, reg, tol, max_iter, out, stop)
    _run(plan, stop, n_jobs, progress)
    if right is None:
        from wassergraph.transport.tree import mirror

        for matrix in out:
            mirror(matrix)
    places = [steps.index(depth) for depth in depths]
    return out if places == list(range(len(steps))) else out[places]


def _check_options(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    solver: str,
    reg: float | None,
    tol: float,
    max_iter: int | None,
    n_projections: int,
    dtype: DTypeLike,
) -> None:
    if solver not in get_args(Solver):
        raise ValueError(f"solver must be one of {get_args(Solver)}, got {solver!r}")
    if (solver == "sinkhorn") != (reg is not None):
        raise ValueError('reg is the strength of the entropy with solver="sinkhorn", and has no meaning otherwise')
    for name, number in [("reg", reg), ("tol", tol), ("max_iter", max_iter), ("n_projections", n_projections)]:
        if number is not None and not (number > 0 and np.isfinite(number)):
            raise ValueError(f"{name} must be a positive number, got {number}")
    if solver == "sliced" and left.kind != "continuous":
        raise ValueError(f'solver="sliced" projects points on lines; the {left.kind} kind has labels: use "auto"')
    if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"dtype must be float64 or float32, got {dtype}")
    if right is not None and (right.kind, right.dim, right.depth) != (left.kind, left.dim, left.depth):
        raise ValueError(
            f"the embeddings differ: {left.kind} with {left.dim} attributes and depth {left.depth} against "
            f"{right.kind} with {right.dim} attributes and depth {right.depth}"
        )


# Running


@dataclass(frozen=True)
class _Task:
    """A piece of work: a function without arguments, and how many pairs it settles."""

    work: Callable[[], None]
    pairs: int


def _run(tasks: list[_Task], stop: NDArray[np.bool_], n_jobs: int | None, progress: bool) -> None:
    """Run tasks on threads; an interrupt or an error stops all of them, soon."""
    total = sum(task.pairs for task in tasks)
    with Progress("distances", total, "pairs", show=progress) as bar, ThreadPoolExecutor(_n_threads(n_jobs)) as pool:
        running: dict[Future[None], int] = {}
        try:
            running = {pool.submit(task.work): task.pairs for task in tasks}
            pending = set(running)
            while pending:
                done, pending = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    bar.update(running[future])
        except BaseException:
            stop[0] = True
            for future in running:
                future.cancel()
            raise


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if operator.index(n_jobs) == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, or -1 for all processors")
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return n_jobs if n_jobs > 0 else max(1, processors + 1 + n_jobs)


def _cut(pairs: IntArray, work: FloatArray) -> Iterator[IntArray]:
    """Cut pairs into blocks of about the same amount of work, the heaviest pairs first."""
    order = np.argsort(-work, kind="stable")
    ends = np.cumsum(work[order])
    borders = np.searchsorted(ends, np.arange(BLOCK, ends[-1] + BLOCK, BLOCK))
    for first, last in zip(np.concatenate([[0], borders]), np.concatenate([borders, [len(pairs)]]), strict=True):
        if last > first:
            yield pairs[order[first:last]]


def _all_pairs(n: int, m: int, square: bool) -> IntArray:
    if square:
        return np.column_stack(np.triu_indices(n, k=1)).astype(np.int64)
    return np.column_stack([np.repeat(np.arange(n), m), np.tile(np.arange(m), n)])


# Points, or points and labels: pair by pair


def _pair_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    wanted: NDArray[np.bool_],
    solver: str,
    reg: float | None,
    tol: float,
    max_iter: int | None,
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[_Task]:
    from wassergraph.transport.exact import solve_block
    from wassergraph.transport.sinkhorn import sinkhorn_block

    weighted = left.weights is not None or (right is not None and right.weights is not None)
    one = _side(left, weighted)
    two = one if right is None else _side(right, weighted)
    width, dim, share = left.dim * (left.depth + 1), left.dim, left.label_weight
    limit = max_iter or (10_000 if solver == "sinkhorn" else np.iinfo(np.int64).max // 2)

    def task(pairs: IntArray) -> _Task:
        def work() -> None:
            values = np.empty((len(pairs), int(wanted.sum())))
            status = np.zeros(len(pairs), dtype=np.int64)
            if solver == "sinkhorn":
                sinkhorn_block(pairs, one, two, width, dim, wanted, share, reg or 0.0, tol, limit, stop, values, status)
            else:
                solve_block(pairs, one, two, width, dim, wanted, share, limit, stop, values, status)
            _check_status(pairs, status, solver, limit)
            if not stop[0]:
                out[:, pairs[:, 0], pairs[:, 1]] = values.T

        return _Task(work, len(pairs))

    pairs = _all_pairs(len(left), out.shape[2], right is None)
    n, m = np.diff(one.ptr)[pairs[:, 0]], np.diff(two.ptr)[pairs[:, 1]]
    # Nanoseconds: costs are built for every pair of nodes, and pivots grow with the number of nodes.
    estimate = n * m * (0.15 * width + 3.0) + (n + m) * (400.0 + 3.0 * (n + m)) * (2.0 if wanted.sum() > 1 else 1.0)
    return [task(block) for block in _cut(pairs, estimate)] if len(pairs) else []


def _check_status(pairs: IntArray, status: IntArray, solver: str, limit: int) -> None:
    failed = np.flatnonzero(status == -1)
    if failed.size:
        i, j = pairs[failed[0]]
        what = "Sinkhorn did not meet its marginals" if solver == "sinkhorn" else "the network simplex did not end"
        raise NotSolvedError(
            f"{what} for the graphs {i} and {j} within max_iter={limit}: raise max_iter"
            + (", reg or tol" if solver == "sinkhorn" else "")
        )


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


def _tree_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    wanted: NDArray[np.bool_],
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[_Task]:
    from wassergraph.transport.tree import fill_rows

    sides = [left] if right is None else [left, right]
    histograms = _histograms(sides)
    totals = [_totals(side) for side in sides]
    n, m = out.shape[1:]

    def task(first: int, last: int) -> _Task:
        def work() -> None:
            fill_rows(
                first, last, right is None, histograms[0], histograms[-1], totals[0], totals[-1], wanted, stop, out
            )

        pairs = sum(m - 1 - i for i in range(first, last)) if right is None else (last - first) * m
        return _Task(work, pairs)

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


def _line_tasks(
    left: NodeEmbedding, right: NodeEmbedding | None, out: NDArray[Any], stop: NDArray[np.bool_]
) -> list[_Task]:
    assert left.points is not None
    points = [left.points[:, 0]] if right is None or right.points is None else [left.points[:, 0], right.points[:, 0]]
    return _projected_tasks(left, right, [(0, points)], 1, out, stop)


def _sliced_tasks(
    left: NodeEmbedding,
    right: NodeEmbedding | None,
    steps: list[int],
    n_projections: int,
    random_state: RandomState,
    out: NDArray[Any],
    stop: NDArray[np.bool_],
) -> list[_Task]:
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
) -> list[_Task]:
    """Settle pairs on all lines at once: a line is where the nodes of each side lie, and the result it counts for."""
    from wassergraph.transport.sliced import line_block

    weighted = left.weights is not None or (right is not None and right.weights is not None)
    sides = [left] if right is None else [left, right]
    sorted_lines = [
        (slot, [_sorted_side(s, p, weighted) for s, p in zip(sides, places, strict=True)]) for slot, places in lines
    ]

    def task(pairs: IntArray) -> _Task:
        def work() -> None:
            values = np.zeros((len(out), len(pairs)))
            for slot, prepared in sorted_lines:
                line_block(pairs, *prepared[0], *prepared[-1], stop, values[slot])
            if not stop[0]:
                out[:, pairs[:, 0], pairs[:, 1]] = values / count

        return _Task(work, len(pairs))

    pairs = _all_pairs(len(left), out.shape[2], right is None)
    sizes = [np.diff(side.ptr) for side in sides]
    estimate = (sizes[0][pairs[:, 0]] + sizes[-1][pairs[:, 1]]) * 5.0 * len(lines)
    return [task(block) for block in _cut(pairs, estimate)] if len(pairs) else []


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
