"""Find the graphs nearest to one graph among many, exactly, while almost no pair is solved.

Every graph has a lower bound of its distance. The k graphs with the smallest bounds are solved first; from then on a
graph is looked at only while its bound does not exceed the k-th smallest distance so far. Better bounds follow, the
cheaper ones first, and the last one is the network simplex itself, which is abandoned as soon as its potentials prove
that the distance is too large:

    VECTORS    quantile means of the images: bounds.vector_bound, with one part for all graphs, then with several
    IMAGE      relaxed transport and earlier potentials, on costs between images
    GROUND     the same on ground costs
    ABANDONED  the simplex, stopped early
    SOLVED     the simplex, to its end

An image is a point of a few coordinates, whose distances never exceed those of the points themselves: the leading
principal axes, and the distance from them. Images are short floats, since bounds need not be exact; ``slack`` makes up
for their rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.bounds import Alone, completed_bound, dual_bound, image_costs, vector_bound
from wassergraph.transport.exact import Memory, Side, ground_cost, new_memory, solve_pair, starts_left
from wassergraph.transport.ground import add_mismatches, add_squares
from wassergraph.transport.status import ABANDONED as TOO_FAR

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")

#: What settled graphs, by the positions of their numbers.
VECTORS, IMAGE, GROUND, ABANDONED, SOLVED = range(5)
#: How many potentials of earlier solutions are kept.
KEPT = 10
#: A bound below this share of what is needed is not completed.
NEARLY = 0.7
#: The relative error of bounds from short floats, of those from long ones, and of adding what is no transport.
SHORT, LONG, ROUNDING = 4e-6, 1e-12, 1e-15
#: How many graphs are looked at first, for each neighbor that is sought, before all bounds are compared.
FIRST = 4


class Library(NamedTuple):
    """Many graphs, packed for the search: their nodes as in exact.Side, and what bounds are made of."""

    ptr: IntArray  # (graphs + 1)
    mass: IntArray  # (nodes)
    total: IntArray  # (graphs)
    columns: FloatArray  # (nodes * width) the points, graph by graph and coordinate by coordinate
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    image: NDArray[np.float32]  # (nodes * image width), likewise
    means: NDArray[np.float32]  # (graphs * image width)
    parts: NDArray[np.float32]  # (graphs * image width * number of parts)
    reach: NDArray[np.float32]  # (graphs) the largest coordinate of an image


class Query(NamedTuple):
    """One graph, packed for the search; its points node by node."""

    mass: IntArray  # (nodes)
    total: int
    rows: FloatArray  # (nodes * width)
    codes: NDArray[np.uint64]  # (depths, nodes), or no rows
    image: NDArray[np.float32]  # (nodes * image width)
    means: NDArray[np.float32]  # (image width)
    parts: NDArray[np.float32]  # (image width * number of parts)
    reach: float


class Costs(NamedTuple):
    """How ground costs are made; all in the unit of the points (distances/scaling.py)."""

    width: int
    dim: int
    depth: int
    label_weight: float
    label_cost: float
    price: float  # of a node without a partner; negative if masses are shares
    image_width: int
    n_parts: int
    image_scale: float  # the unit of images, times the factor of Euclidean distances
    use_vectors: bool
    use_image: bool


class Bounding(NamedTuple):
    """What bounds are computed from, for ground costs."""

    costs: FloatArray
    rows: FloatArray  # the masses of the nodes of the query
    columns: FloatArray  # the masses of the nodes of a graph
    v: FloatArray  # potentials of the latter
    zero: FloatArray
    duals: FloatArray  # (KEPT, nodes of the query) potentials of earlier solutions
    spare: FloatArray


class ShortBounding(NamedTuple):
    """The same in short floats, in the unit of images."""

    costs: NDArray[np.float32]
    rows: NDArray[np.float32]
    columns: NDArray[np.float32]
    v: NDArray[np.float32]
    zero: NDArray[np.float32]
    duals: NDArray[np.float32]
    spare: NDArray[np.float32]


class Workspace(NamedTuple):
    """Memory for one pair: the query, whose nodes are the rows of costs, and a graph, whose nodes are the columns."""

    memory: Memory
    query: Side
    wanted: BoolArray  # (depths) whether a distance is wanted: at the last depth only
    prices: FloatArray  # (depths) of nodes without a partner; none if masses are shares
    value: FloatArray  # (1) the cost of transport
    squares: FloatArray
    mismatches: FloatArray
    row: NDArray[np.float32]
    ground: Bounding
    image: ShortBounding
    n_duals: IntArray  # (1)


@_jit
def new_workspace(query: Query, costs: Costs, m: int) -> Workspace:
    """Allocate memory for a query and graphs of at most m nodes."""
    n, counted = len(query.mass), costs.price >= 0
    columns = np.empty(n * costs.width)
    for i in range(n):
        for c in range(costs.width):
            columns[c * n + i] = query.rows[i * costs.width + c]
    side = Side(np.array([0, n]), query.mass, np.array([query.total]), query.rows, columns, query.codes)
    return Workspace(
        new_memory(n, m, counted),
        side,
        np.arange(costs.depth + 1) == costs.depth,
        np.full(costs.depth + 1 if counted else 0, costs.price),
        np.empty(1),
        np.empty(n * m),
        np.empty(n * m),
        np.empty(m, np.float32),
        Bounding(
            np.empty(n * m), np.empty(n), np.empty(m), np.empty(m), np.zeros(n), np.empty((KEPT, n)), np.empty(n)
        ),
        ShortBounding(
            np.empty(n * m, np.float32),
            np.empty(n, np.float32),
            np.empty(m, np.float32),
            np.empty(m, np.float32),
            np.zeros(n, np.float32),
            np.empty((KEPT, n), np.float32),
            np.empty(n, np.float32),
        ),
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
    stop: BoolArray,
    counts: IntArray,
) -> tuple[int, IntArray, FloatArray]:
    """Find the candidates for the k nearest graphs within a radius: (status, graphs, costs of transport).

    No other graph can be among the k nearest; those that are returned must be sorted and cut. ``bound`` (graphs) is a lower bound of distances without that of Euclidean distances, and is changed; ``apart``
    (graphs) is a part of distances that is no transport. If a pair cannot be solved, its graph is returned with a
    negative status.
    """
    n_graphs = len(bound)
    if costs.use_vectors:
        _add_vectors(library, query, costs, np.arange(n_graphs), 1, bound)
    found = Found(
        np.full(k, np.inf),
        np.empty(n_graphs, np.int64),
        np.empty(n_graphs),
        np.empty(n_graphs),
        np.zeros(1, np.int64),
        np.zeros(n_graphs, np.bool_),
        counts,
    )
    work = new_workspace(query, costs, _largest_graph(library.ptr))
    least = min(n_graphs, FIRST * k + FIRST) - 1
    first = _not_seen(bound, np.partition(bound, least)[least], found)
    better = _first_bounds(library, query, costs, first, apart, work)
    status = _visit(library, query, costs, first, better, apart, radius, found, work, stop)
    if status == 0:
        rest = _not_seen(bound, min(radius, found.best[-1]), found)
        better = bound[rest]
        if costs.use_vectors and costs.n_parts > 1:
            better -= _means_of(library, query, costs, rest)
            _add_vectors(library, query, costs, rest, costs.n_parts, better)
        status = _visit(library, query, costs, rest, better, apart, radius, found, work, stop)
    if status < 0:
        return status, found.graphs[:1], found.values[:0]
    counts[VECTORS] += n_graphs - counts[IMAGE:].sum()
    near = np.flatnonzero(found.lower[: found.number[0]] <= min(radius, found.best[-1]))
    return 0, found.graphs[near], found.values[near]


@_jit
def _not_seen(bound: FloatArray, most: float, found: Found) -> IntArray:
    """Return the graphs whose bound is at most ``most`` and that were not looked at; they are from now on."""
    graphs = np.flatnonzero((bound <= most) & ~found.seen)
    found.seen[graphs] = True
    return graphs


@_jit
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
    stop: BoolArray,
) -> int:
    """Look at graphs in the order of their bounds, until these are too large; return a status."""
    for position in np.argsort(bounds, kind="mergesort"):
        cutoff = min(radius, found.best[-1])
        if bounds[position] > cutoff:
            break
        g = graphs[position]
        outcome, value = _settle(library, query, costs, g, apart[g], cutoff, work, stop)
        if outcome < 0:
            found.graphs[0] = g
            return outcome
        found.counts[outcome] += 1
        lower = (value + apart[g]) * (1.0 - ROUNDING)
        if outcome == SOLVED and lower <= cutoff:
            number = found.number[0]
            found.graphs[number], found.values[number], found.lower[number] = g, value, lower
            found.number[0] += 1
            _insert(found.best, value + apart[g])
    return 0


@_jit
def _insert(best: FloatArray, value: float) -> None:
    """Insert a distance into the smallest ones, if it is one of them."""
    position = len(best) - 1
    if value >= best[position]:
        return
    while position > 0 and best[position - 1] > value:
        best[position] = best[position - 1]
        position -= 1
    best[position] = value


@_jit
def _largest_graph(ptr: IntArray) -> int:
    result = 1
    for g in range(len(ptr) - 1):
        result = max(result, ptr[g + 1] - ptr[g])
    return result


# Vectors


@_jit
def _vector(library: Library, query: Query, costs: Costs, g: int, n_parts: int) -> float:
    """Return the bound of a Euclidean distance from vectors."""
    length = costs.image_width * n_parts
    if n_parts == 1:
        raw = vector_bound(costs.image_width, 1, query.means, library.means[g * length : (g + 1) * length])
    else:
        raw = vector_bound(costs.image_width, n_parts, query.parts, library.parts[g * length : (g + 1) * length])
    return max(0.0, raw - SHORT * (query.reach + library.reach[g])) * costs.image_scale


@_jit
def _add_vectors(
    library: Library, query: Query, costs: Costs, graphs: IntArray, n_parts: int, bound: FloatArray
) -> None:
    for position in range(len(graphs)):
        bound[position] += _vector(library, query, costs, graphs[position], n_parts)


@_jit
def _means_of(library: Library, query: Query, costs: Costs, graphs: IntArray) -> FloatArray:
    result = np.empty(len(graphs))
    for position in range(len(graphs)):
        result[position] = _vector(library, query, costs, graphs[position], 1)
    return result


# One pair


@_jit
def _settle(
    library: Library,
    query: Query,
    costs: Costs,
    g: int,
    apart: float,
    cutoff: float,
    work: Workspace,
    stop: BoolArray,
) -> tuple[int, float]:
    """Solve a pair, unless a bound exceeds the cutoff: (what settled it, or a negative status; the cost of transport)."""
    n, m = len(query.mass), library.ptr[g + 1] - library.ptr[g]
    weight = _weight(library, query, costs, g)
    _count_mismatches(library, query, g, n, m, work)
    if costs.use_image:
        alone = _set_image_costs(library, query, costs, g, n, m, work)
        most = (cutoff - apart) / costs.image_scale + _slack(library, query, costs, g)
        if _exceeds(n, m, work.image, alone, most, work):
            return IMAGE, 0.0
    alone = _set_ground_costs(library, query, costs, g, n, m, work)
    most = cutoff - apart + LONG * weight * _largest_cost(library, query, costs, g)
    if _exceeds(n, m, work.ground, alone, most, work):
        return GROUND, 0.0
    return _solve(library, query, costs, g, most, work, stop)


@_jit
def _first_bounds(
    library: Library, query: Query, costs: Costs, graphs: IntArray, apart: FloatArray, work: Workspace
) -> FloatArray:
    """Return bounds of distances by relaxed transport."""
    bounds = np.empty(len(graphs))
    n = len(query.mass)
    for position in range(len(graphs)):
        g = graphs[position]
        m = library.ptr[g + 1] - library.ptr[g]
        _count_mismatches(library, query, g, n, m, work)
        if costs.use_image:
            alone = _set_image_costs(library, query, costs, g, n, m, work)
            bound = _relaxed(n, m, work.image, alone) - _slack(library, query, costs, g)
            bounds[position] = bound * costs.image_scale + apart[g]
        else:
            alone = _set_ground_costs(library, query, costs, g, n, m, work)
            error = LONG * _weight(library, query, costs, g) * _largest_cost(library, query, costs, g)
            bounds[position] = _relaxed(n, m, work.ground, alone) + apart[g] - error
    return bounds


@_jit
def _relaxed(n: int, m: int, from_: Bounding, alone: Alone) -> float:
    """Return the bound by relaxed transport."""
    dual_bound(n, m, from_.costs, from_.rows, from_.columns, from_.zero, alone, from_.v)
    return completed_bound(n, m, from_.costs, from_.rows, from_.columns, from_.zero, alone, from_.v)


@_jit
def _weight(library: Library, query: Query, costs: Costs, g: int) -> float:
    """Return the mass that is moved, by which errors of costs are multiplied."""
    return 1.0 if costs.price < 0 else float(max(library.total[g], query.total))


@_jit
def _slack(library: Library, query: Query, costs: Costs, g: int) -> float:
    """Return the error of bounds from images, in their unit: that of coordinates, and of all other costs."""
    others = max(costs.label_cost, costs.price) / costs.image_scale
    return SHORT * (query.reach + library.reach[g] + others) * _weight(library, query, costs, g)


@_jit
def _largest_cost(library: Library, query: Query, costs: Costs, g: int) -> float:
    """Return a number that no ground cost exceeds."""
    euclidean = np.sqrt(costs.image_width) * (query.reach + library.reach[g]) * costs.image_scale
    return euclidean + max(costs.label_cost, costs.price)


@_jit
def _set_shares(library: Library, query: Query, costs: Costs, g: int, into: Bounding, price: float) -> Alone:
    """Set the masses of both graphs as floats; return what has no partner."""
    counted = costs.price >= 0
    for i in range(len(query.mass)):
        into.rows[i] = query.mass[i] / (1.0 if counted else float(query.total))
    first = library.ptr[g]
    for j in range(library.ptr[g + 1] - first):
        into.columns[j] = library.mass[first + j] / (1.0 if counted else float(library.total[g]))
    if not counted:
        return Alone(0.0, 0.0, 0.0)
    more = float(library.total[g] - query.total)
    return Alone(max(-more, 0.0), max(more, 0.0), price)


@_jit
def _count_mismatches(library: Library, query: Query, g: int, n: int, m: int, work: Workspace) -> None:
    first = library.ptr[g]
    if len(library.codes) > 0:
        work.mismatches[: n * m] = 0.0
    for depth in range(len(library.codes)):
        add_mismatches(n, m, query.codes[depth], library.codes[depth, first : first + m], work.mismatches)


@_jit
def _set_image_costs(library: Library, query: Query, costs: Costs, g: int, n: int, m: int, work: Workspace) -> Alone:
    """Compute costs from images and labels, in the unit of images; return what has no partner."""
    first, width, into = library.ptr[g], costs.image_width, work.image
    columns = library.image[first * width : (first + m) * width]
    image_costs(n, m, query.image, columns, width, work.row, into.costs)
    scale = np.float32(costs.label_cost / (costs.depth + 1) / costs.image_scale)
    if scale > 0.0:
        for k in range(n * m):
            into.costs[k] += scale * np.float32(work.mismatches[k])
    if costs.price >= 0:
        most = np.float32(2.0 * costs.price / costs.image_scale)
        for k in range(n * m):
            into.costs[k] = min(into.costs[k], most)
    return _set_shares(library, query, costs, g, into, costs.price / costs.image_scale)


@_jit
def _set_ground_costs(library: Library, query: Query, costs: Costs, g: int, n: int, m: int, work: Workspace) -> Alone:
    """Compute ground costs from points and labels; return what has no partner."""
    into = work.ground
    work.squares[: n * m] = 0.0
    if costs.dim > 0:
        add_squares(n, m, query.rows, 0, library.columns, library.ptr[g], costs.width, 0, costs.width, work.squares)
    has_codes = len(library.codes) > 0
    weights = costs.label_weight, costs.label_cost
    ground_cost(n * m, work.squares, work.mismatches, costs.dim, has_codes, costs.depth, *weights, into.costs)
    if costs.price >= 0:
        for k in range(n * m):
            into.costs[k] = min(into.costs[k], 2.0 * costs.price)
    return _set_shares(library, query, costs, g, into, costs.price)


@_jit
def _exceeds(n: int, m: int, from_: Bounding, alone: Alone, cutoff: float, work: Workspace) -> bool:
    """Return whether an earlier potential, or a relaxed problem, proves that transport costs more than the cutoff."""
    best, position = -np.inf, -1
    for t in range(work.n_duals[0]):
        bound = dual_bound(n, m, from_.costs, from_.rows, from_.columns, from_.duals[t], alone, from_.v)
        if bound > best:
            best, position = bound, t
        if bound > cutoff:
            _move_to_front(t, work)
            return True
    if _relaxed(n, m, from_, alone) > cutoff:
        return True
    if position < 0 or best < NEARLY * cutoff:
        return False
    u = from_.duals[position]
    dual_bound(n, m, from_.costs, from_.rows, from_.columns, u, alone, from_.v)
    if completed_bound(n, m, from_.costs, from_.rows, from_.columns, u, alone, from_.v) > cutoff:
        _move_to_front(position, work)
        return True
    return False


@_jit
def _move_to_front(position: int, work: Workspace) -> None:
    """Move a potential before all others, since it will often serve again."""
    if position > 0:
        _rotate(work.ground.duals, work.ground.spare, position)
        _rotate(work.image.duals, work.image.spare, position)


@_jit
def _rotate(duals: FloatArray, spare: FloatArray, position: int) -> None:
    spare[:] = duals[position]
    for later in range(position, 0, -1):
        duals[later] = duals[later - 1]
    duals[0] = spare


@_jit
def _solve(
    library: Library, query: Query, costs: Costs, g: int, cutoff: float, work: Workspace, stop: BoolArray
) -> tuple[int, float]:
    """Solve a pair as exact.solve_block does, or until potentials prove that it costs more than the cutoff."""
    graph = _side(library, costs, g)
    status = solve_pair(
        0,
        0,
        work.query,
        graph,
        costs.width,
        costs.dim,
        work.wanted,
        costs.label_weight,
        costs.label_cost,
        work.prices,
        0,
        cutoff,
        stop,
        work.memory,
        work.value,
    )
    if status < 0:
        return ABANDONED if status == TOO_FAR else status, 0.0
    n, m = len(query.mass), len(graph.mass)
    potential, counted = work.memory.tree.potential, costs.price >= 0
    if starts_left(0, 0, work.query, graph, counted):
        _keep(potential[:n], costs, work)
    else:
        sources = m + 1 if counted and graph.total[0] < query.total else m
        _keep(-potential[sources : sources + n], costs, work)
    return SOLVED, work.value[0]


@_jit
def _side(library: Library, costs: Costs, g: int) -> Side:
    """Return one of the graphs, as exact.py has it."""
    first, last, width = library.ptr[g], library.ptr[g + 1], costs.width
    m = last - first
    columns = library.columns[first * width : last * width]
    rows = np.empty(m * width)
    for c in range(width):
        for j in range(m):
            rows[j * width + c] = columns[c * m + j]
    codes = np.ascontiguousarray(library.codes[:, first:last])
    ptr = np.array([0, m])
    return Side(ptr, library.mass[first:last], library.total[g : g + 1], rows, columns, codes)


@_jit
def _keep(potentials: FloatArray, costs: Costs, work: Workspace) -> None:
    """Keep potentials of the nodes of the query, in place of the oldest ones."""
    number = min(work.n_duals[0] + 1, KEPT)
    work.n_duals[0] = number
    _rotate(work.ground.duals, work.ground.spare, number - 1)
    _rotate(work.image.duals, work.image.spare, number - 1)
    for i in range(len(potentials)):
        work.ground.duals[0, i] = potentials[i]
        work.image.duals[0, i] = potentials[i] / costs.image_scale
