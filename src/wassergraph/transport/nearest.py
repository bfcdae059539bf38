"""Find the graphs nearest to one graph among many, exactly, while almost no pair is solved.

Every graph has a lower bound of its distance. Some graphs with the smallest bounds are looked at first; from then on a
graph is looked at only while its bound does not exceed the k-th smallest distance so far. Better bounds follow, the
cheaper ones first, and the last one is the network simplex itself, which is abandoned as soon as its potentials prove
that the distance is too large:

    VECTORS    quantile means of the images: bounds.vector_bound, with one part for all graphs, then with several
    IMAGE      relaxed transport and potentials of earlier solutions, on costs between images
    ABANDONED  potentials on ground costs: earlier ones, then those of the simplex from time to time
    SOLVED     the simplex, to its end

An image is a point of a few coordinates, whose distances never exceed those of the points themselves: the leading
principal axes, and the distance from them. Images are short floats, since bounds need not be exact; SHORT makes up for
their rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.bounds import Alone, completed_bound, dual_bound, image_costs, vector_bound
from wassergraph.transport.compiled import compiled, run_task
from wassergraph.transport.exact import padded
from wassergraph.transport.layout import MOST_IN_SETS
from wassergraph.transport.pair_solver import Costs, Query, Solver
from wassergraph.transport.status import ABANDONED as TOO_FAR

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")
_inner = compiled(set())

#: What settled graphs, by the positions of their numbers.
VECTORS, IMAGE, ABANDONED, SOLVED = range(4)
#: How many potentials of earlier solutions are kept.
KEPT = 4
#: How many graphs are looked at first, for each neighbor that is sought, before all bounds are compared.
FIRST = 2
#: A bound below this share of what is needed is not completed.
NEARLY = 0.7
#: The relative error of bounds from short floats, of those from long ones, and of adding what is no transport.
SHORT, LONG, ROUNDING = 4e-6, 1e-12, 1e-15


class Library(NamedTuple):
    """Many graphs, packed for the search: their nodes as in layout.Side, and what bounds are made of."""

    ptr: IntArray  # (graphs + 1)
    mass: IntArray  # (nodes)
    total: IntArray  # (graphs)
    columns: FloatArray  # (nodes * width) the points, graph by graph and coordinate by coordinate
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    image: NDArray[np.float32]  # (nodes * image width), likewise
    means: NDArray[np.float32]  # (graphs * image width)
    parts: NDArray[np.float32]  # (graphs * image width * number of parts)
    reach: NDArray[np.float32]  # (graphs) the largest coordinate of an image


class Workspace(NamedTuple):
    """Memory for one pair: the query, whose nodes are the rows of costs, and a graph, whose nodes are the columns."""

    # All in the unit of images
    costs: NDArray[np.float32]
    squares: NDArray[np.float32]
    rows: NDArray[np.float32]  # the masses of the nodes of the query
    columns: NDArray[np.float32]  # the masses of the nodes of a graph
    v: NDArray[np.float32]  # potentials of the latter
    zero: NDArray[np.float32]
    duals: NDArray[np.float32]  # (KEPT, nodes of the query) potentials of earlier solutions
    n_duals: IntArray  # (1)


@_jit
def new_workspace(query: Query, costs: Costs, m: int) -> Workspace:
    """Allocate memory for a query and graphs of at most m nodes."""
    n, counted = len(query.mass), costs.price >= 0
    rows = np.empty(n, np.float32)
    for i in range(n):
        rows[i] = query.mass[i] / (1.0 if counted else float(query.total))
    return Workspace(
        np.empty(n * m, np.float32),
        np.empty(m, np.float32),
        rows,
        np.empty(m, np.float32),
        np.empty(m, np.float32),
        np.zeros(n, np.float32),
        np.empty((KEPT, n), np.float32),
        np.zeros(1, np.int64),
    )


class Found(NamedTuple):
    """What a search has found so far."""

    best: FloatArray  # (k) the smallest distances, in rising order
    graphs: IntArray  # (graphs) those that were solved and may be among the nearest
    values: FloatArray  # (graphs) the cost of transport to them, without what is no transport
    lower: FloatArray  # (graphs) what their distances are at least
    number: IntArray  # (1) how many these are
    seen: BoolArray  # (graphs) those that were looked at
    counts: IntArray  # how many were settled by what


@_jit
def search_one(
    library: Library,
    query: Query,
    costs: Costs,
    bound: FloatArray,
    apart: FloatArray,
    k: int,
    radius: float,
    counts: IntArray,
    solver: Solver,
) -> tuple[int, IntArray, FloatArray]:
    """Find the candidates for the k nearest graphs within a radius: (status, graphs, costs of transport).

    No other graph can be among the k nearest; those that are returned must be sorted and cut. ``bound`` (graphs) is a
    lower bound of distances without that of Euclidean distances, and is changed; ``apart`` (graphs) is a part of
    distances that is no transport. If a pair cannot be solved, its graph is returned with a negative status. ``solver``
    is that of pair_solver.solver_of.
    """
    n_graphs = len(bound)
    base = bound.copy()
    largest = 1
    for g in range(n_graphs):
        largest = max(largest, library.ptr[g + 1] - library.ptr[g])
        if costs.use_vectors:
            bound[g] += _vector(library.means, library.reach, query.means, query.reach, costs, g, 1)
    found = Found(
        np.full(k, np.inf),
        np.empty(n_graphs, np.int64),
        np.empty(n_graphs),
        np.empty(n_graphs),
        np.zeros(1, np.int64),
        np.zeros(n_graphs, np.bool_),
        counts,
    )
    work = new_workspace(query, costs, largest)
    least = min(n_graphs, FIRST * (k + 1)) - 1
    most = np.partition(bound, least)[least]
    for _ in range(2):
        graphs = np.flatnonzero((bound <= most) & ~found.seen)
        found.seen[graphs] = True
        better = base[graphs]
        if costs.use_vectors:
            for position in range(len(graphs)):
                g = graphs[position]
                more = _vector(library.parts, library.reach, query.parts, query.reach, costs, g, costs.n_parts)
                better[position] += more
        status = _visit(library, query, costs, graphs, better, apart, radius, found, work, solver)
        if status < 0:
            return status, found.graphs[:1], found.values[:0]
        most = min(radius, found.best[-1])
    counts[VECTORS] += n_graphs - counts[IMAGE:].sum()
    near = np.flatnonzero(found.lower[: found.number[0]] <= most)
    return 0, found.graphs[near], found.values[near]


@_inner
def _vector(
    vectors: NDArray[np.float32],
    reach: NDArray[np.float32],
    own: NDArray[np.float32],
    own_reach: float,
    costs: Costs,
    g: int,
    n_parts: int,
) -> float:
    """Return the bound of a Euclidean distance from vectors."""
    length = costs.image_width * n_parts
    raw = vector_bound(costs.image_width, n_parts, own, vectors[g * length : (g + 1) * length])
    return float(max(0.0, raw - SHORT * (own_reach + reach[g])) * costs.image_scale)


@_inner
def _visit(
    library: Library,
    query: Query,
    costs: Costs,
    graphs: IntArray,
    bounds: FloatArray,
    apart: FloatArray,
    radius: float,
    found: Found,
    work: Workspace,
    solver: Solver,
) -> int:
    """Look at graphs in the order of their bounds, until these are too large; return a status."""
    best = found.best
    for position in np.argsort(bounds, kind="mergesort"):
        cutoff = min(radius, best[-1])
        if bounds[position] > cutoff:
            break
        g = graphs[position]
        if costs.use_image and _exceeds(library, query, costs, g, cutoff - apart[g], work):
            found.counts[IMAGE] += 1
            continue
        status = _solve(library, query, costs, g, cutoff - apart[g], work, solver)
        if status == TOO_FAR:
            found.counts[ABANDONED] += 1
            continue
        if status < 0:
            found.graphs[0] = g
            return status
        found.counts[SOLVED] += 1
        distance = solver.value[0] + apart[g]
        if distance * (1.0 - ROUNDING) > cutoff:
            continue
        number = found.number[0]
        found.graphs[number], found.values[number] = g, solver.value[0]
        found.lower[number] = distance * (1.0 - ROUNDING)
        found.number[0] += 1
        place = len(best) - 1
        while place > 0 and best[place - 1] > distance:
            best[place] = best[place - 1]
            place -= 1
        best[place] = min(best[place], distance)
    return 0


@_inner
def _exceeds(library: Library, query: Query, costs: Costs, g: int, cutoff: float, work: Workspace) -> bool:
    """Return whether transport between images costs more than the cutoff, by earlier potentials or if it is relaxed."""
    first, last = library.ptr[g], library.ptr[g + 1]
    n, m, counted = len(query.mass), last - first, costs.price >= 0
    rows, columns, v, duals, matrix = work.rows, work.columns, work.v, work.duals, work.costs
    total = 1.0 if counted else float(library.total[g])
    for j in range(m):
        columns[j] = library.mass[first + j] / total
    image = library.image[first * costs.image_width : last * costs.image_width]
    image_costs(n, m, query.image, image, costs.image_width, work.squares, matrix)
    if len(library.codes) > 0:
        _add_labels(query.codes, library.codes, first, n, m, costs.label_cost / costs.image_scale, matrix)
    alone, weight = Alone(0.0, 0.0, 0.0), 1.0
    if counted:
        alone = _cut(library.total[g], query.total, costs.price / costs.image_scale, n * m, matrix)
        weight = float(max(library.total[g], query.total))
    others = max(costs.label_cost, costs.price) / costs.image_scale
    most = cutoff / costs.image_scale + SHORT * (query.reach + library.reach[g] + others) * weight
    return _proves(n, m, matrix, rows, columns, work.n_duals[0], duals, work.zero, alone, most, v)


@_inner
def _proves(
    n: int,
    m: int,
    matrix: NDArray[np.float32],
    rows: NDArray[np.float32],
    columns: NDArray[np.float32],
    n_duals: int,
    duals: NDArray[np.float32],
    zero: NDArray[np.float32],
    alone: Alone,
    most: float,
    v: NDArray[np.float32],
) -> bool:
    """Return whether earlier potentials, or a relaxed problem, prove that transport costs more than ``most``."""
    best, position = -np.inf, -1
    for t in range(n_duals):
        bound = dual_bound(n, m, matrix, rows, columns, duals[t], alone, v)
        if bound > most:
            _move_to_front(t, duals)
            return True
        if bound > best:
            best, position = bound, t
    dual_bound(n, m, matrix, rows, columns, zero, alone, v)
    if completed_bound(n, m, matrix, rows, columns, zero, alone, v) > most:
        return True
    if position < 0 or best < NEARLY * most:
        return False
    _move_to_front(position, duals)
    dual_bound(n, m, matrix, rows, columns, duals[0], alone, v)
    return bool(completed_bound(n, m, matrix, rows, columns, duals[0], alone, v) > most)


@_inner
def _add_labels(
    own: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    first: int,
    n: int,
    m: int,
    label_cost: float,
    matrix: NDArray[np.float32],
) -> None:
    """Add the costs of labels: each depth at which they differ has its share of the cost."""
    share = np.float32(label_cost / len(codes))
    for depth in range(len(codes)):
        row = codes[depth, first : first + m]
        for i in range(n):
            code = own[depth, i]
            for j in range(m):
                matrix[i * m + j] += share if code != row[j] else np.float32(0.0)


@_inner
def _cut(total: int, own_total: int, price: float, length: int, matrix: NDArray[np.float32]) -> Alone:
    """Cut costs at twice the price of nodes without a partner; return what has none."""
    most = np.float32(2.0 * price)
    for k in range(length):
        matrix[k] = min(matrix[k], most)
    more = float(total - own_total)
    return Alone(max(-more, 0.0), max(more, 0.0), price)


@_inner
def _move_to_front(position: int, duals: NDArray[np.float32]) -> None:
    """Move potentials before all others, since they will often serve again."""
    for i in range(duals.shape[1] if position > 0 else 0):
        kept = duals[position, i]
        for later in range(position, 0, -1):
            duals[later, i] = duals[later - 1, i]
        duals[0, i] = kept


@_inner
def _solve(library: Library, query: Query, costs: Costs, g: int, cutoff: float, work: Workspace, solver: Solver) -> int:
    """Solve a pair by the function that computes all distances, or until it is proved to cost more than the cutoff.

    The potentials of the nodes of the query are kept, in place of the oldest ones.
    """
    n, m, counted = len(query.mass), library.ptr[g + 1] - library.ptr[g], costs.price >= 0
    error = np.sqrt(costs.image_width) * (query.reach + library.reach[g]) * costs.image_scale
    weight = float(max(library.total[g], query.total)) if counted else 1.0
    solver.cutoff[0] = cutoff + LONG * weight * (error + max(costs.label_cost, costs.price))
    solver.hinted[0] = n if work.n_duals[0] > 0 else 0
    for i in range(solver.hinted[0]):
        solver.hint[i] = float(work.duals[0, i]) * costs.image_scale
    _pose(library, costs.width, g, m, solver)
    if n + m + counted <= MOST_IN_SETS:
        run_task(solver.small, solver.small_words)
    else:
        run_task(solver.large, solver.large_words)
    status = int(solver.status[0])
    if status < 0:
        return status
    first, sign = 0, 1.0
    if not solver.hinted[1]:  # the sinks are the query
        first, sign = m, -1.0
        if counted and library.total[g] < query.total:
            first += 1
    number = min(work.n_duals[0] + 1, KEPT)
    work.n_duals[0] = number
    _move_to_front(number - 1, work.duals)
    for i in range(n):
        work.duals[0, i] = sign * solver.potential[first + i] / costs.image_scale
    return status


@_inner
def _pose(library: Library, width: int, g: int, m: int, solver: Solver) -> None:
    """Copy one of the graphs, as the exact solver has it."""
    first, stride, most = library.ptr[g], padded(m), len(solver.mass)
    solver.ptr[1], solver.total[0] = m, library.total[g]
    for j in range(m):
        solver.mass[j] = library.mass[first + j]
    for depth in range(len(library.codes)):
        for j in range(m):
            solver.codes[depth * most + j] = library.codes[depth, first + j]
    for c in range(width):
        for j in range(m):
            coordinate = library.columns[first * width + c * m + j]
            solver.rows[j * width + c] = solver.columns[c * stride + j] = coordinate
        for j in range(m, stride):
            solver.columns[c * stride + j] = 0.0
