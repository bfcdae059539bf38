"""The runtime figure: exact transport against Sinkhorn, for graphs of growing size.

    random embeddings ──ground──▶ cost matrices ──exact | sinkhorn──▶ distances

That is a figure of the paper's appendix. "exact" and "sinkhorn" are measured from the embedding to the distances, as
the library computes them, pair by pair. What a solver takes alone is the difference to "ground".
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wassergraph.arrays import FloatArray, Stop
from wassergraph.distances.api import embedding_distances
from wassergraph.distances.compute import fill_array
from wassergraph.distances.options import RandomState, SolverOptions
from wassergraph.distances.prepare import prepare
from wassergraph.distances.problem import TransportProblem
from wassergraph.distances.tiles import Tile
from wassergraph.distances.work import tiles
from wassergraph.embedding.node_embedding import Features, NodeEmbedding
from wassergraph.files.atomic import check_target
from wassergraph.optional import require
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import Task, run_tasks
from wassergraph.reproduction.csv_tables import read_rows, write_rows
from wassergraph.reproduction.figures import save_picture
from wassergraph.transport.exact import solve_block
from wassergraph.transport.ground import euclidean

STEPS = ("ground", "exact", "sinkhorn")
#: The average numbers of nodes; a graph has a normal number around that, with a tenth of it for standard deviation.
SIZES, QUICK_SIZES = (10, 20, 50, 100, 200, 400, 700), (10, 20, 50, 100, 200)
GRAPHS, QUICK_GRAPHS = 100, 20
#: Sinkhorn is timed with fewer graphs where all would take hours: pairs of nodes, over all pairs of graphs, at most.
WORK, QUICK_WORK = 13_000_000, 1_000_000
#: Points have so many coordinates, about as the attributes of ENZYMES, and a mean squared distance of 1.
DIMENSION = 16
#: The strength of the entropy, which the paper does not give for this figure. What it chose on ENZYMES, 0.3 to 1, is
#: 0.03 to 0.16 of the root mean square of the ground distances there, standardized and at depths 0 to 3.
REG = 0.1
#: How far the marginals may be off, added up over all nodes.
TOL = 1e-9
#: The best of so many repetitions counts, but no new one begins after so many seconds.
REPEATS, PATIENCE = 5, 2.0
#: Names in the figure, and colors of Okabe and Ito.
LINES = {
    "ground": ("ground distances", "#009E73"),
    "exact": ("exact, total", "#0072B2"),
    "sinkhorn": ("Sinkhorn, total", "#D55E00"),
}


@dataclasses.dataclass(frozen=True)
class RuntimeRow:
    """The seconds that one step took for so many pairs of graphs, the best of so many repetitions.

    ``nodes`` is the average that was asked for, ``graphs`` how many were compared. Sinkhorn's pairs include every graph
    with itself: that distance is not 0.
    """

    nodes: int
    step: str
    seconds: float
    graphs: int
    pairs: int
    repeats: int

    @property
    def total(self) -> float:
        """The seconds for all pairs of 100 graphs, at the same pace."""
        return self.seconds / self.pairs * (GRAPHS * (GRAPHS - 1) // 2)


def run_runtime(
    path: Path,
    *,
    quick: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> None:
    """Time ground distances, exact transport and Sinkhorn for graphs of growing size, and write a CSV file.

    Parameters
    ----------
    path : Path
        Where to write.
    quick : bool
        Whether to do with fewer and smaller graphs.
    random_state : int, Generator or None
        The same number gives the same graphs; the times are those of the machine.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`. Nothing else should run at the same time.
    """
    check_target(path)
    sizes, graphs, work = (QUICK_SIZES, QUICK_GRAPHS, QUICK_WORK) if quick else (SIZES, GRAPHS, WORK)
    rows = measure_runtime(sizes, graphs, work=work, random_state=random_state, n_jobs=n_jobs, progress=progress)
    write_rows(path, "runtime", rows, quick=quick)


def measure_runtime(
    sizes: Sequence[int],
    graphs: int,
    *,
    work: int = WORK,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[RuntimeRow]:
    """Time all steps for graphs of every size, after a first round on small graphs that compiles the code."""
    rng = np.random.default_rng(random_state)
    for step in STEPS:
        _run_step(step, random_embedding(4, 3, rng), n_jobs)
    rows = []
    with Progress("runtime", len(sizes) * len(STEPS), "measurements", show=progress) as bar:
        for nodes in sizes:
            embedding = random_embedding(nodes, graphs, rng)
            for step in STEPS:
                fewer = _first(embedding, affordable(nodes, graphs, work)) if step == "sinkhorn" else embedding
                rows.append(_measure(step, nodes, fewer, n_jobs))
                bar.update(1)
    return rows


def random_embedding(nodes: int, graphs: int, rng: np.random.Generator) -> NodeEmbedding:
    """Draw graphs as clouds of points, of about so many nodes each, whose squared distances have the mean 1."""
    sizes = np.maximum(np.rint(rng.normal(nodes, nodes / 10, size=graphs)), 1).astype(np.int64)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    points = rng.normal(scale=(2 * DIMENSION) ** -0.5, size=(int(ptr[-1]), DIMENSION))
    return NodeEmbedding(ptr=ptr, depth=0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=points)


def affordable(nodes: int, graphs: int, work: int) -> int:
    """Say how many of the graphs to compare by Sinkhorn: as many as the work allows, and two at least."""
    pairs = work / nodes**2
    return max(2, min(graphs, int((2 * pairs + 0.25) ** 0.5 - 0.5)))


def _first(embedding: NodeEmbedding, graphs: int) -> NodeEmbedding:
    assert embedding.points is not None
    ptr = embedding.ptr[: graphs + 1]
    return dataclasses.replace(embedding, ptr=ptr, points=embedding.points[: ptr[-1]])


def _measure(step: str, nodes: int, embedding: NodeEmbedding, n_jobs: int | None) -> RuntimeRow:
    graphs = len(embedding)
    pairs = graphs * (graphs + 1 if step == "sinkhorn" else graphs - 1) // 2
    seconds, repeats = _best(lambda: _run_step(step, embedding, n_jobs))
    return RuntimeRow(nodes, step, seconds, graphs, pairs, repeats)


def _best(work: Callable[[], Any]) -> tuple[float, int]:
    """Repeat some work and give its shortest time, and how often it was done."""
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < PATIENCE:
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times), len(times)


def _run_step(step: str, embedding: NodeEmbedding, n_jobs: int | None) -> None:
    if step == "ground":
        _ground_distances(embedding, n_jobs)
    elif step == "exact":
        embedding_distances(embedding, depths=[0], solver="exact", n_jobs=n_jobs)
    else:
        embedding_distances(embedding, depths=[0], solver="sinkhorn", reg=REG, tol=TOL, n_jobs=n_jobs)


def _ground_distances(embedding: NodeEmbedding, n_jobs: int | None) -> None:
    """Compute the ground costs of all pairs as the exact solver does, without solving.

    For a depth that is not wanted the solver computes squared distances only; the roots are taken here.
    """
    problem = prepare(embedding, None, [0], SolverOptions())
    assert isinstance(problem, TransportProblem)
    fill_array(partial(_square_tile, problem), tiles(problem), n_jobs=n_jobs)
    sizes = np.diff(embedding.ptr)
    roots = _root_tasks(int((sizes.sum() ** 2 - (sizes**2).sum()) // 2), int(sizes.max()) ** 2)
    run_tasks(roots, np.zeros(1, dtype=np.bool_), n_jobs, label="ground costs", unit="pairs", progress=False)


def _square_tile(problem: TransportProblem, tile: Tile, stop: Stop) -> FloatArray:
    """Compute the squared distances between the nodes of all pairs of a tile, and return zeros."""
    rows, columns = np.indices(tile.shape).reshape(2, -1)
    pairs = np.column_stack([rows + tile.row_begin, columns + tile.column_begin])
    pairs = np.ascontiguousarray(pairs[pairs[:, 0] < pairs[:, 1]])
    costs = problem.width, problem.dim, np.zeros(1, dtype=np.bool_), problem.label_weight, problem.label_cost
    solve_block(
        pairs, problem.left, problem.right, *costs, 0, stop, np.empty((len(pairs), 0)), np.zeros(len(pairs), np.int64)
    )
    return np.zeros((1, *tile.shape))


def _root_tasks(entries: int, largest: int) -> list[Task]:
    """Take so many roots, a matrix at a time as large as the largest one, for it is to stay in the cache."""
    length = max(largest, 1000)

    def take(count: int) -> None:
        squares, cost = np.ones(length), np.empty(length)
        for _ in range(count):
            euclidean(length, squares, 1.0, cost)

    matrices = -(-entries // length)
    return [Task(partial(take, min(100, matrices - begin)), 0) for begin in range(0, matrices, 100)]


def read_runtime(path: Path) -> list[RuntimeRow]:
    """Read the rows that :func:`run_runtime` wrote."""
    return read_rows(path, "runtime", RuntimeRow)


def draw_runtime(rows: Sequence[RuntimeRow], path: Path) -> None:
    """Draw the times over the size of the graphs, on plain and on logarithmic axes (.svg, .png).

    All are times for 100 graphs. A hollow mark says that fewer were compared, and their time scaled up.
    """
    require("matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    plain, logarithmic = figure.subplots(1, 2)
    for axis in (plain, logarithmic):
        for step in STEPS:
            _draw_line(axis, [row for row in rows if row.step == step], *LINES[step])
        axis.set(xlabel="average number of nodes", ylabel="seconds for all pairs of 100 graphs")
        axis.spines[["top", "right"]].set_visible(False)
    plain.set_xlim(left=0)
    plain.set_ylim(bottom=0)
    logarithmic.set(xscale="log", yscale="log")
    sizes = sorted({row.nodes for row in rows})
    logarithmic.set_xticks(sizes, [str(nodes) for nodes in sizes])
    logarithmic.minorticks_off()
    if any(row.graphs < GRAPHS for row in rows):
        plain.plot(
            [], [], color="#333333", marker="o", mfc="white", markersize=4, linestyle="", label="fewer graphs, scaled"
        )
    plain.legend(frameon=False, loc="upper left")
    save_picture(figure, path)


def _draw_line(axis: Any, rows: list[RuntimeRow], name: str, color: str) -> None:
    nodes, totals = [row.nodes for row in rows], [row.total for row in rows]
    faces = ["white" if row.graphs < GRAPHS else color for row in rows]
    axis.plot(nodes, totals, color=color, linewidth=1.5, label=name, zorder=2)
    axis.scatter(nodes, totals, c=faces, edgecolors=color, s=22, zorder=3, clip_on=False)


def runtime_summary(rows: Sequence[RuntimeRow]) -> str:
    """Say in a paragraph what the rows show, for Markdown."""
    total = {(row.step, row.nodes): row.total for row in rows}
    sizes = [n for n in sorted({row.nodes for row in rows}) if all((step, n) in total for step in STEPS)]
    if not sizes:
        return "No size of graphs was measured with all steps."
    ratios = [total["sinkhorn", nodes] / total["exact", nodes] for nodes in sizes]
    shares = [total["ground", nodes] / total["exact", nodes] for nodes in sizes]
    return (
        f"Random embeddings of {DIMENSION} dimensions, numbers of nodes with a standard deviation of 10 %, Sinkhorn "
        f"with reg = {REG} and tol = {TOL:g} where the mean squared ground distance is 1: {_verdict(sizes, ratios)} "
        f"(the paper: from about 100 nodes on, with other implementations). Sinkhorn takes {min(ratios):.3g} to "
        f"{max(ratios):.3g} times as long as exact transport, of whose time {min(shares):.0%} to {max(shares):.0%} "
        f"goes into ground distances.{_scaled_up(rows)}"
    )


def _verdict(sizes: list[int], ratios: list[float]) -> str:
    """Say at which sizes Sinkhorn is the faster one."""
    faster = [nodes for nodes, ratio in zip(sizes, ratios, strict=True) if ratio < 1]
    if not faster:
        return f"Sinkhorn is faster than exact transport at none of the sizes from {sizes[0]} to {sizes[-1]} nodes"
    if faster == sizes[-len(faster) :]:
        return f"Sinkhorn is faster than exact transport from {faster[0]} nodes on"
    return f"Sinkhorn is faster than exact transport at {_listed(faster)} nodes, and not at the other sizes"


def _scaled_up(rows: Sequence[RuntimeRow]) -> str:
    """Say which times come from fewer graphs than the figure speaks of."""
    parts = []
    for step in STEPS:
        fewer: dict[int, list[int]] = {}
        for row in rows:
            if row.step == step and row.graphs < GRAPHS:
                fewer.setdefault(row.graphs, []).append(row.nodes)
        if fewer:
            samples = [f"{graphs} graphs of {_listed(nodes)} nodes" for graphs, nodes in fewer.items()]
            parts.append(f"{LINES[step][0]} from {' and '.join(samples)}")
    return f" Scaled up to {GRAPHS} graphs: {'; '.join(parts)}." if parts else ""


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)
