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
from wassergraph.transport.exact import common_total, ground_cost, limit
from wassergraph.transport.ground import add_mismatches, add_squares
from wassergraph.transport.simplex import (
    TOLERANCE,
    Tree,
    largest,
    new_tree,
    optimize,
    set_potentials,
    start,
    total_cost,
)
from wassergraph.transport.status import NOT_CONVERGED, STOPPED

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")

#: What settled graphs, by the positions of their numbers.
VECTORS, IMAGE, GROUND, ABANDONED, SOLVED = range(5)
#: How many potentials of earlier solutions are kept.
KEPT = 16
#: After so many pivots per node the bound of the simplex is computed.
CHECK = 0.5
#: A bound below this share of what is needed is not completed.
NEARLY = 0.7
#: The relative error of bounds from short floats, of those from long ones, and of solutions.
SHORT, LONG, SOLUTION = 2e-6, 1e-12, 4e-13
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


class Workspace(NamedTuple):
    """Memory for one pair: the query, whose nodes are the rows of costs, and a graph, whose nodes are the columns."""

    tree: Tree
    costs: FloatArray
    turned: FloatArray
    squares: FloatArray
    mismatches: FloatArray
    short: NDArray[np.float32]
    supply: IntArray
    demand: IntArray
    rows: FloatArray
    columns: FloatArray
    potential: FloatArray
    least: FloatArray
    zero: FloatArray
    duals: FloatArray  # (KEPT, nodes of the query)
    n_duals: IntArray  # (1)


@_jit
def new_workspace(n: int, m: int) -> Workspace:
    """Allocate memory for a query of n nodes and graphs of at most m."""
    most = (n + 1) * (m + 1)
    side = max(n, m) + 1
    return Workspace(
        new_tree(side, side),
        np.empty(most),
        np.empty(most),
        np.empty(most),
        np.empty(most),
        np.empty(m, np.float32),
        np.empty(side, np.int64),
        np.empty(side, np.int64),
        np.empty(side),
        np.empty(side),
        np.empty(side),
        np.empty(side),
        np.zeros(n),
        np.empty((KEPT, n)),
        np.zeros(1, np.int64),
    )


class Found(NamedTuple):
    """What a search has found so far."""

    best: FloatArray  # (k) the smallest distances, in rising order
    graphs: IntArray  # (graphs) those that were solved and may be among the nearest
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
) -> tuple[int, IntArray]:
    """Find the candidates for the k nearest graphs within a radius: (status, graphs).

    No other graph can be among the k nearest; those that are returned must be solved by exact.solve_block and sorted.
    ``bound`` (graphs) is a lower bound of distances without that of Euclidean distances, and is changed; ``apart``
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
        np.zeros(1, np.int64),
        np.zeros(n_graphs, np.bool_),
        counts,
    )
    work = new_workspace(len(query.mass), _largest_graph(library.ptr))
    least = min(n_graphs, FIRST * k + FIRST) - 1
    first = _not_seen(bound, np.partition(bound, least)[least], found)
    better = _ground_bounds(library, query, costs, first, apart, work)
    status = _visit(library, query, costs, first, better, apart, radius, found, work, stop)
    if status == 0:
        rest = _not_seen(bound, min(radius, found.best[-1]), found)
        better = bound[rest]
        if costs.use_vectors and costs.n_parts > 1:
            better -= _means_of(library, query, costs, rest)
            _add_vectors(library, query, costs, rest, costs.n_parts, better)
        status = _visit(library, query, costs, rest, better, apart, radius, found, work, stop)
    if status < 0:
        return status, found.graphs[:1]
    counts[VECTORS] += n_graphs - counts[IMAGE:].sum()
    near = found.lower[: found.number[0]] <= min(radius, found.best[-1])
    return 0, found.graphs[: found.number[0]][near]


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
        outcome, value, error = _settle(library, query, costs, g, apart[g], cutoff, work, stop)
        if outcome < 0:
            found.graphs[0] = g
            return outcome
        found.counts[outcome] += 1
        if outcome == SOLVED and value - error <= cutoff:
            found.graphs[found.number[0]] = g
            found.lower[found.number[0]] = value - error
            found.number[0] += 1
            _insert(found.best, value)
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
) -> tuple[int, float, float]:
    """Solve a pair, unless a bound exceeds the cutoff: (what settled it, or a negative status; distance; its error)."""
    n, m = len(query.mass), library.ptr[g + 1] - library.ptr[g]
    alone = _set_shares(library, query, costs, g, n, m, work)
    weight = _weight(library, query, costs, g)
    _count_mismatches(library, query, g, n, m, work)
    if costs.use_image:
        _set_image_costs(library, query, costs, g, n, m, work)
        slack = SHORT * costs.image_scale * (query.reach + library.reach[g]) * weight
        if _exceeds(n, m, work, alone, cutoff - apart + slack):
            return IMAGE, 0.0, 0.0
    top = _set_ground_costs(library, query, costs, g, n, m, work)
    limited = cutoff - apart + LONG * top * weight
    if _exceeds(n, m, work, alone, limited):
        return GROUND, 0.0, 0.0
    outcome, value = _solve(library, query, costs, g, n, m, alone, top, limited, work, stop)
    return outcome, value + apart, SOLUTION * top * weight + 1e-14 * (value + apart)


@_jit
def _ground_bounds(
    library: Library, query: Query, costs: Costs, graphs: IntArray, apart: FloatArray, work: Workspace
) -> FloatArray:
    """Return bounds of distances by relaxed transport on ground costs."""
    bounds = np.empty(len(graphs))
    n = len(query.mass)
    for position in range(len(graphs)):
        g = graphs[position]
        m = library.ptr[g + 1] - library.ptr[g]
        alone = _set_shares(library, query, costs, g, n, m, work)
        _count_mismatches(library, query, g, n, m, work)
        top = _set_ground_costs(library, query, costs, g, n, m, work)
        dual_bound(n, m, work.costs, work.rows, work.columns, work.zero, alone, work.least)
        bound = completed_bound(n, m, work.costs, work.rows, work.columns, work.zero, alone, work.least)
        bounds[position] = bound + apart[g] - LONG * top * _weight(library, query, costs, g)
    return bounds


@_jit
def _weight(library: Library, query: Query, costs: Costs, g: int) -> float:
    """Return the mass that is moved, by which errors of costs are multiplied."""
    return 1.0 if costs.price < 0 else float(max(library.total[g], query.total))


@_jit
def _set_shares(library: Library, query: Query, costs: Costs, g: int, n: int, m: int, work: Workspace) -> Alone:
    """Set the masses of both graphs as floats; return what has no partner."""
    counted = costs.price >= 0
    for i in range(n):
        work.rows[i] = query.mass[i] / (1.0 if counted else float(query.total))
    for j in range(m):
        work.columns[j] = library.mass[library.ptr[g] + j] / (1.0 if counted else float(library.total[g]))
    if not counted:
        return Alone(0.0, 0.0, 0.0)
    more = float(library.total[g] - query.total)
    return Alone(max(-more, 0.0), max(more, 0.0), costs.price)


@_jit
def _count_mismatches(library: Library, query: Query, g: int, n: int, m: int, work: Workspace) -> None:
    first = library.ptr[g]
    if len(library.codes) > 0:
        work.mismatches[: n * m] = 0.0
    for depth in range(len(library.codes)):
        add_mismatches(n, m, query.codes[depth], library.codes[depth, first : first + m], work.mismatches)


@_jit
def _set_image_costs(library: Library, query: Query, costs: Costs, g: int, n: int, m: int, work: Workspace) -> None:
    """Compute costs from images and labels."""
    first, width = library.ptr[g], costs.image_width
    columns = library.image[first * width : (first + m) * width]
    image_costs(n, m, query.image, columns, width, work.short, costs.image_scale, work.costs)
    scale = costs.label_cost / (costs.depth + 1)
    if scale > 0.0:
        for k in range(n * m):
            work.costs[k] += scale * work.mismatches[k]
    _cut(n * m, costs, work)


@_jit
def _set_ground_costs(library: Library, query: Query, costs: Costs, g: int, n: int, m: int, work: Workspace) -> float:
    """Compute ground costs from points and labels; return the largest."""
    work.squares[: n * m] = 0.0
    if costs.dim > 0:
        add_squares(n, m, query.rows, 0, library.columns, library.ptr[g], costs.width, 0, costs.width, work.squares)
    has_codes = len(library.codes) > 0
    weights = costs.label_weight, costs.label_cost
    ground_cost(n * m, work.squares, work.mismatches, costs.dim, has_codes, costs.depth, *weights, work.costs)
    _cut(n * m, costs, work)
    return largest(work.costs, n * m)


@_jit
def _cut(length: int, costs: Costs, work: Workspace) -> None:
    """Cut costs at twice the price of nodes without a partner, if masses are counts."""
    if costs.price >= 0:
        for k in range(length):
            work.costs[k] = min(work.costs[k], 2.0 * costs.price)


@_jit
def _exceeds(n: int, m: int, work: Workspace, alone: Alone, cutoff: float) -> bool:
    """Return whether an earlier potential, or a relaxed problem, proves that transport costs more than the cutoff."""
    duals = work.duals
    best, position = -np.inf, -1
    for t in range(work.n_duals[0]):
        bound = dual_bound(n, m, work.costs, work.rows, work.columns, duals[t], alone, work.least)
        if bound > best:
            best, position = bound, t
        if bound > cutoff:
            _move_to_front(t, work)
            return True
    if dual_bound(n, m, work.costs, work.rows, work.columns, work.zero, alone, work.least) > cutoff:
        return True
    if completed_bound(n, m, work.costs, work.rows, work.columns, work.zero, alone, work.least) > cutoff:
        return True
    if position < 0 or best < NEARLY * cutoff:
        return False
    dual_bound(n, m, work.costs, work.rows, work.columns, duals[position], alone, work.least)
    bound = completed_bound(n, m, work.costs, work.rows, work.columns, duals[position], alone, work.least)
    if bound > cutoff:
        _move_to_front(position, work)
        return True
    return False


@_jit
def _move_to_front(position: int, work: Workspace) -> None:
    """Move a potential before all others, since it will often serve again."""
    if position > 0:
        n = work.duals.shape[1]
        work.potential[:n] = work.duals[position]
        for later in range(position, 0, -1):
            work.duals[later] = work.duals[later - 1]
        work.duals[0] = work.potential[:n]


@_jit
def _solve(
    library: Library,
    query: Query,
    costs: Costs,
    g: int,
    n: int,
    m: int,
    alone: Alone,
    top: float,
    cutoff: float,
    work: Workspace,
    stop: BoolArray,
) -> tuple[int, float]:
    """Pivot to an optimal plan, or until potentials prove that it costs more than the cutoff."""
    mass = library.mass[library.ptr[g] : library.ptr[g] + m]
    from_query = alone.excess > 0.0 or (alone.lack == 0.0 and n <= m)
    if from_query:
        sources, sinks, matrix = n, m, work.costs
        unit = _set_masses(query.mass, query.total, mass, library.total[g], costs.price >= 0, work)
        given, taken = work.rows, work.columns
    else:
        sources, sinks, matrix = m, n, work.turned
        for i in range(n):
            for j in range(m):
                matrix[j * n + i] = work.costs[i * m + j]
        unit = _set_masses(mass, library.total[g], query.mass, query.total, costs.price >= 0, work)
        given, taken = work.columns, work.rows
    missing = max(alone.lack, alone.excess)
    if missing > 0.0:
        matrix[sources * sinks : (sources + 1) * sinks] = costs.price
        given[sources] = missing
        sources += 1
    tree, potential, nobody = work.tree, work.potential, Alone(0.0, 0.0, 0.0)
    status = start(sources, sinks, matrix, work.supply, work.demand, tree)
    if status < 0:
        return status, 0.0
    set_potentials(sources, sinks, matrix, tree)
    steps, left = max(8, int(CHECK * (n + m))), limit(sources + sinks, 0)
    while True:
        status = optimize(sources, sinks, matrix, tree, TOLERANCE * max(top, costs.price), steps, stop)
        if status != NOT_CONVERGED:
            break
        left -= steps
        if left < 0:
            return status, 0.0
        potential[:sources] = tree.potential[:sources]
        if dual_bound(sources, sinks, matrix, given, taken, potential, nobody, work.least) > cutoff:
            return ABANDONED, 0.0
    if status == STOPPED:
        return status, 0.0
    _keep(tree.potential[:n] if from_query else -tree.potential[sources : sources + n], work)
    return SOLVED, total_cost(sources, sinks, matrix, tree, 2 * sources + 1, unit)


@_jit
def _set_masses(one: IntArray, one_total: int, two: IntArray, two_total: int, counted: bool, work: Workspace) -> int:
    """Set the perturbed supplies and demands (see exact.set_masses); return what flows are divided by."""
    unit = 1 if counted else common_total(one_total, two_total)
    one_factor, two_factor = (1, 1) if counted else (unit // one_total, unit // two_total)
    n = len(one)
    sources = n + 1 if counted and one_total < two_total else n
    perturbation = 2 * sources + 1
    for i in range(n):
        work.supply[i] = one[i] * one_factor * perturbation + 1
    if sources > n:
        work.supply[n] = (two_total - one_total) * perturbation + 1
    for j in range(len(two)):
        work.demand[j] = two[j] * two_factor * perturbation
    work.demand[len(two) - 1] += sources
    return unit


@_jit
def _keep(potentials: FloatArray, work: Workspace) -> None:
    """Keep potentials of the nodes of the query, in place of the oldest ones."""
    number = min(work.n_duals[0] + 1, KEPT)
    for later in range(number - 1, 0, -1):
        work.duals[later] = work.duals[later - 1]
    work.duals[0] = potentials
    work.n_duals[0] = number
