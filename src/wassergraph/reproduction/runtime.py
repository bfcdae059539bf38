"""The runtime figure: exact transport and Sinkhorn, for graphs of growing size.

    random embeddings ──ground──▶ ground costs ──exact | sinkhorn──▶ distances

This is a figure of the paper's appendix. "exact" and "sinkhorn" are the times of the processor, of all threads, from
the embedding to the distances; "ground" is that of computing ground distances alone.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.datasets.synthetic import Seed
from wassergraph.files.atomic import check_target
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.metrics.solvers import Exact, Sinkhorn
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.solvers import ground_costs
from wassergraph.parallel.executors import use_executor
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import Task, run_tasks
from wassergraph.pictures.style import BLUE, GREEN, RED, new_figure, save_figure
from wassergraph.reproduction.csv_tables import read_rows, write_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = ("ground", "exact", "sinkhorn")
#: The average numbers of nodes; the number of nodes is normally distributed with a standard deviation of 10 %.
SIZES, QUICK_SIZES = (10, 20, 50, 100, 200, 400, 700), (10, 20, 50, 100, 200)
GRAPHS, QUICK_GRAPHS = 100, 20
#: The largest number of pairs of nodes, over all pairs of graphs, for Sinkhorn: with all graphs it would take hours.
WORK, QUICK_WORK = 13_000_000, 1_000_000
#: The number of coordinates of a point, about that of ENZYMES.
DIMENSION = 16
#: The regularization, which the paper does not give for this figure. What it chose on ENZYMES, 0.3 to 1, is 0.03 to
#: 0.16 of the root mean square of the ground distances there, with standardized attributes and depths 0 to 3.
REG = 0.1
#: How far the marginals may be off, summed over all nodes.
TOL = 1e-9
#: How many nodes are compared with the nodes of a graph at a time when ground distances are timed alone.
_BLOCK = 256
#: The number of repetitions, of which the fastest counts; no repetition begins after so many seconds.
REPEATS, PATIENCE = 5, 2.0
#: Names and colors in the figure.
LINES = {"ground": ("ground distances", GREEN), "exact": ("exact, total", BLUE), "sinkhorn": ("Sinkhorn, total", RED)}


@dataclasses.dataclass(frozen=True)
class RuntimeRow:
    """The time of one step: the shortest of several repetitions.

    ``nodes`` is the average number of nodes, ``graphs`` the number of graphs that were compared. The pairs of Sinkhorn
    include every graph with itself: its distance is not 0.
    """

    nodes: int
    step: str
    seconds: float
    graphs: int
    pairs: int
    repeats: int

    @property
    def total(self) -> float:
        """The seconds of the processor for all pairs of 100 graphs at the same speed."""
        return self.seconds / self.pairs * (GRAPHS * (GRAPHS - 1) // 2)


def run_runtime(
    path: Path, *, quick: bool = False, random_state: Seed = 0, n_jobs: int | None = None, progress: bool = False
) -> None:
    """Time ground distances, exact transport and Sinkhorn for graphs of growing size, and write a CSV file.

    Parameters
    ----------
    path : Path
        The file to write.
    quick : bool
        Whether to use fewer and smaller graphs.
    random_state : int, Generator or None
        The seed of the graphs.
    n_jobs, progress
        As in :func:`wassergraph.distances`. Nothing else should run at the same time.
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
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[RuntimeRow]:
    """Return the times of all steps for graphs of every size; before, each step runs once on small graphs."""
    rng = np.random.default_rng(random_state)
    for step in STEPS:
        _run_step(step, random_embedding(4, 3, rng), n_jobs)
    rows = []
    with Progress("runtime", len(sizes) * len(STEPS), "measurements", show=progress) as bar:
        for nodes in sizes:
            embedding = random_embedding(nodes, graphs, rng)
            for step in STEPS:
                count = affordable(nodes, graphs, work) if step == "sinkhorn" else graphs
                rows.append(_measure(step, nodes, embedding.take(range(count)), n_jobs))
                bar.update(1)
    return rows


def random_embedding(nodes: int, graphs: int, rng: np.random.Generator) -> NodeEmbedding:
    """Return random graphs as sets of points with a mean squared distance of 1."""
    sizes = np.maximum(np.rint(rng.normal(nodes, nodes / 10, size=graphs)), 1).astype(np.int64)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    points = rng.normal(scale=(2 * DIMENSION) ** -0.5, size=(int(ptr[-1]), DIMENSION))
    return NodeEmbedding(ptr=ptr, depth=0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=points)


def affordable(nodes: int, graphs: int, work: int) -> int:
    """Return how many graphs are compared by Sinkhorn: as many as the work allows, at least two."""
    pairs = work / nodes**2
    return max(2, min(graphs, int((2 * pairs + 0.25) ** 0.5 - 0.5)))


def _measure(step: str, nodes: int, embedding: NodeEmbedding, n_jobs: int | None) -> RuntimeRow:
    """Return the shortest time of several repetitions.

    It is that of the processor, of all threads, which depends little on other programs.
    """
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < PATIENCE:
        begin = time.process_time()
        _run_step(step, embedding, n_jobs)
        times.append(time.process_time() - begin)
    graphs = len(embedding)
    pairs = graphs * (graphs + 1 if step == "sinkhorn" else graphs - 1) // 2
    return RuntimeRow(nodes, step, min(times), graphs, pairs, len(times))


def _run_step(step: str, embedding: NodeEmbedding, n_jobs: int | None) -> None:
    if step == "ground":
        _ground_distances(embedding, n_jobs)
        return
    solver = Exact() if step == "exact" else Sinkhorn(REG, TOL)
    with use_executor(None):  # the time of the solver is measured, not that of a cluster
        embedding_distances(embedding, depths=[0], n_jobs=n_jobs, solver=solver)


def _ground_distances(embedding: NodeEmbedding, n_jobs: int | None) -> None:
    """Compute the ground costs of all pairs of graphs with the functions of the exact solver."""
    assert embedding.points is not None
    nodes, ptr = np.ascontiguousarray(embedding.points), embedding.ptr
    tasks = [Task(partial(_costs_after, nodes, ptr[g], ptr[g + 1]), 0) for g in range(len(embedding) - 1)]
    run_tasks(tasks, np.zeros(1, dtype=np.bool_), n_jobs, label="ground distances", unit="pairs", progress=False)


def _costs_after(nodes: FloatArray, begin: int, end: int) -> None:
    """Compute the ground costs of the nodes of one graph to all nodes after it, in blocks that fit into the cache."""
    for first in range(end, len(nodes), _BLOCK):
        ground_costs(nodes[begin:end], nodes[first : first + _BLOCK])


def read_runtime(path: Path) -> list[RuntimeRow]:
    """Read the rows that :func:`run_runtime` wrote."""
    return read_rows(path, "runtime", RuntimeRow)


def draw_runtime(rows: Sequence[RuntimeRow], path: Path) -> None:
    """Draw the times by the size of the graphs, on linear and on logarithmic axes.

    All are times for 100 graphs. A hollow marker means that fewer were compared, and that their time is scaled up.
    """
    figure = new_figure(9.6, 4.2)
    plain, logarithmic = figure.subplots(1, 2)
    for axis in (plain, logarithmic):
        for step in STEPS:
            _draw_line(axis, [row for row in rows if row.step == step], *LINES[step])
        axis.set(xlabel="average number of nodes", ylabel="processor seconds for all pairs of 100 graphs")
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
    save_figure(figure, path)


def _draw_line(axis: Axes, rows: list[RuntimeRow], name: str, color: str) -> None:
    nodes, totals = [row.nodes for row in rows], [row.total for row in rows]
    faces = ["white" if row.graphs < GRAPHS else color for row in rows]
    axis.plot(nodes, totals, color=color, linewidth=1.5, label=name, zorder=2)
    axis.scatter(nodes, totals, c=faces, edgecolors=color, s=22, zorder=3, clip_on=False)


def runtime_summary(rows: Sequence[RuntimeRow]) -> str:
    """Return a paragraph of Markdown on what the rows show."""
    total = {(row.step, row.nodes): row.total for row in rows}
    sizes = [n for n in sorted({row.nodes for row in rows}) if all((step, n) in total for step in STEPS)]
    if not sizes:
        return "No size of graphs was measured with all steps."
    ratios = [total["sinkhorn", nodes] / total["exact", nodes] for nodes in sizes]
    shares = [total["ground", nodes] / total["exact", nodes] for nodes in sizes]
    return (
        f"Times of the processor. Random embeddings of {DIMENSION} dimensions, numbers of nodes with a standard "
        f"deviation of 10 %, Sinkhorn with reg = {REG} and tol = {TOL:g} for a mean squared ground distance of 1: "
        f"{_verdict(sizes, ratios)} (in the paper, with other implementations, from about 100 nodes on). "
        f"Sinkhorn takes {min(ratios):.3g} to {max(ratios):.3g} times as long as exact transport. "
        f"To compute ground distances alone takes {min(shares):.0%} to {max(shares):.0%} of the time of exact "
        f"transport.{_scaled_up(rows)}"
    )


def _verdict(sizes: list[int], ratios: list[float]) -> str:
    """Return at which sizes Sinkhorn is faster."""
    faster = [nodes for nodes, ratio in zip(sizes, ratios, strict=True) if ratio < 1]
    if not faster:
        return f"Sinkhorn is faster than exact transport at none of the sizes from {sizes[0]} to {sizes[-1]} nodes"
    if faster == sizes[-len(faster) :]:
        return f"Sinkhorn is faster than exact transport from {faster[0]} nodes on"
    return f"Sinkhorn is faster than exact transport at {_listed(faster)} nodes, and not at the other sizes"


def _scaled_up(rows: Sequence[RuntimeRow]) -> str:
    """Return which times were measured with fewer graphs than 100."""
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
