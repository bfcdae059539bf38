"""Find the graphs nearest to one graph among many, exactly, while almost no pair is solved.

Every graph has a lower bound of its distance. Some graphs with the smallest bounds are looked at first; from then on a
graph is looked at only while its bound does not exceed the k-th smallest distance so far. Better bounds follow, the
cheaper ones first, and the last one is the network simplex itself, which is abandoned as soon as its potentials prove
that the distance is too large:

    VECTORS    quantile means of the images: quantiles.vector_bound, with one part for all graphs, then with several
    IMAGE      relaxed transport and potentials of earlier solutions, on costs between images
    ABANDONED  potentials on ground costs: earlier ones, then those of the simplex from time to time
    SOLVED     the simplex, to its end

An image is a point of a few coordinates, whose distances never exceed those of the points themselves: the leading
principal axes, and the distance from them. Images are short floats, since bounds need not be exact; SHORT makes up for
their rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.transport.bounds import Alone, completed_bound, dual_bound, image_costs
from wassergraph.transport.compiled import compiled, from_entry, run_task
from wassergraph.transport.exact import padded
from wassergraph.transport.layout import MOST_IN_SETS
from wassergraph.transport.search_tasks import (
    ABANDONED,
    IMAGE,
    KEPT,
    ROUNDING,
    SOLVED,
    Found,
    PreparedTask,
    VisitTask,
    Workspace,
)
from wassergraph.transport.status import ABANDONED as TOO_FAR

jit = compiled(set())

#: A bound below this share of what is needed is not completed.
NEARLY = 0.7


@jit
def run_prepared(task: PreparedTask) -> None:
    """Run a function on a task whose words are there already: making these takes longer than the call."""
    run_task(task.function, task.words)


@jit
def visit(task: VisitTask) -> None:
    """Look at graphs in the order of their bounds, until these are too large."""
    visited, found = task.visited, task.found
    for t in range(visited.number[0]):
        g, apart, farthest = visited.graphs[t], visited.apart[t], found.best[task.k - 1]
        cutoff = farthest if farthest < task.radius else task.radius
        if visited.bounds[t] > cutoff:
            break
        if task.use_image and _exceeds(g, (cutoff - apart) / task.scale + visited.short_error[t], task):
            found.counts[IMAGE] += 1
            continue
        status = _solve(g, cutoff - apart + visited.long_error[t], task)
        if status == TOO_FAR:
            found.counts[ABANDONED] += 1
            continue
        if status < 0:
            found.graphs[0], found.status[0] = g, status
            return
        found.counts[SOLVED] += 1
        _enter(g, task.solver.value[0], apart, cutoff, task.k, found)


@jit
def _enter(g: int, value: float, apart: float, cutoff: float, k: int, found: Found) -> None:
    """Enter a graph that was solved, unless it is too far away."""
    distance, best, number = value + apart, found.best, found.number[0]
    lower = distance * (1.0 - ROUNDING)
    if lower > cutoff:
        return
    found.graphs[number], found.values[number], found.lower[number] = g, value, lower
    found.number[0] = number + 1
    place = k - 1
    while place > 0 and best[place - 1] > distance:
        best[place] = best[place - 1]
        place -= 1
    best[place] = distance if distance < best[place] else best[place]


@jit
def _exceeds(g: int, most: float, task: VisitTask) -> bool:
    """Return whether transport between images costs too much, by earlier potentials or if it is relaxed."""
    work, first, total, lack = task.work, task.ptr[g], task.total[g], 0.0
    n, m, unit = task.n, task.ptr[g + 1] - first, 1 if task.counted else total
    for j in range(m):
        work.columns[j] = task.mass[first + j] / unit
    image = from_entry(task.image, first * task.image_width)
    image_costs(n, m, task.own_image, image, task.image_width, work.squares, work.costs)
    if task.n_codes > 0:
        _add_labels(first, m, task)
    price = task.price / task.scale
    if task.counted:
        lack = float(task.own_total - total)
        _cut(np.float32(2.0 * price), n * m, work.costs)
    alone = Alone(lack if lack > 0.0 else 0.0, -lack if lack < 0.0 else 0.0, price)
    return _proves(n, m, alone, most, work)


@jit
def _proves(n: int, m: int, alone: Alone, most: float, work: Workspace) -> bool:
    """Return whether earlier potentials, or a relaxed problem, prove that transport costs more than ``most``."""
    best, position = -np.inf, -1
    for t in range(work.n_duals[0]):
        bound = dual_bound(n, m, work.costs, work.rows, work.columns, from_entry(work.duals, t * n), alone, work.v)
        if bound > most:
            _move_to_front(t, n, work.duals)
            return True
        if bound > best:
            best, position = bound, t
    if completed_bound(n, m, work.costs, work.rows, work.columns, work.zero, alone, work.v) > most:
        return True
    if position < 0 or best < NEARLY * most:
        return False
    _move_to_front(position, n, work.duals)
    return completed_bound(n, m, work.costs, work.rows, work.columns, work.duals, alone, work.v) > most


@jit
def _add_labels(first: int, m: int, task: VisitTask) -> None:
    """Add the costs of labels: each depth at which they differ has its share of the cost."""
    n, costs, none = task.n, task.work.costs, np.float32(0.0)
    share = np.float32(task.label_cost / task.scale / task.n_codes)
    for depth in range(task.n_codes):
        row = from_entry(task.codes, depth * task.n_nodes + first)
        for i in range(n):
            code = task.own_codes[depth * n + i]
            for j in range(m):
                costs[i * m + j] += share if code != row[j] else none


@jit
def _cut(most: np.float32, length: int, costs: NDArray[np.float32]) -> None:
    """Cut costs, as at twice the price of nodes without a partner."""
    for k in range(length):
        costs[k] = costs[k] if costs[k] < most else most


@jit
def _move_to_front(position: int, n: int, duals: NDArray[np.float32]) -> None:
    """Move potentials before all others, since they will often serve again."""
    for i in range(n if position > 0 else 0):
        kept = duals[position * n + i]
        for later in range(position, 0, -1):
            duals[later * n + i] = duals[(later - 1) * n + i]
        duals[i] = kept


@jit
def _solve(g: int, cutoff: float, task: VisitTask) -> int:
    """Solve a pair by the function that computes all distances, or until it is proved to cost more than the cutoff."""
    solver, n, m = task.solver, task.n, task.ptr[g + 1] - task.ptr[g]
    solver.cutoff[0], solver.hinted[0] = cutoff, n if task.work.n_duals[0] > 0 else 0
    for i in range(solver.hinted[0]):
        solver.hint[i] = float(task.work.duals[i]) * task.scale
    _pose(g, m, task)
    if n + m + task.counted <= MOST_IN_SETS:
        run_task(solver.small, solver.small_words)
    else:
        run_task(solver.large, solver.large_words)
    if solver.status[0] >= 0:
        _keep(m + (task.counted and task.total[g] < task.own_total), task)
    return int(solver.status[0])


@jit
def _pose(g: int, m: int, task: VisitTask) -> None:
    """Copy one of the graphs, as the exact solver has it."""
    solver, width, first, stride = task.solver, task.width, task.ptr[g], padded(m)
    solver.ptr[1], solver.total[0] = m, task.total[g]
    for j in range(m):
        solver.mass[j] = task.mass[first + j]
    for depth in range(task.n_codes):
        for j in range(m):
            solver.codes[depth * task.m + j] = task.codes[depth * task.n_nodes + first + j]
    for c in range(width):
        for j in range(m):
            coordinate = task.columns[first * width + c * m + j]
            solver.rows[j * width + c] = solver.columns[c * stride + j] = coordinate
        for j in range(m, stride):
            solver.columns[c * stride + j] = 0.0


@jit
def _keep(sources: int, task: VisitTask) -> None:
    """Keep the potentials of the nodes of the query, in place of the oldest ones; if they are sinks, behind sources."""
    n, work, first, factor = task.n, task.work, sources, -1.0 / task.scale
    if work.n_duals[0] < KEPT:
        work.n_duals[0] += 1
    _move_to_front(work.n_duals[0] - 1, n, work.duals)
    if task.solver.hinted[1]:  # the query was the source
        first, factor = 0, 1.0 / task.scale
    for i in range(n):
        work.duals[i] = factor * task.solver.potential[first + i]
