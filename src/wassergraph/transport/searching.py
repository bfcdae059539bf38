"""The search, as it is called from Python; nothing here is compiled, or imports numba."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.transport.native import NativeFunction
from wassergraph.transport.pair_solver import Costs, Query, Solver
from wassergraph.transport.search_tasks import (
    IMAGE,
    LONG,
    SHORT,
    VECTORS,
    Found,
    Library,
    PreparedTask,
    QuantileTask,
    VectorTask,
    Visited,
    VisitTask,
    new_found,
    new_visited,
    new_workspace,
)

_average_quantiles = NativeFunction("wassergraph.transport.quantiles", "average_quantiles")
_add_vector_bounds = NativeFunction("wassergraph.transport.quantiles", "add_vector_bounds")
_visit = NativeFunction("wassergraph.transport.nearest", "visit")
_run_prepared = NativeFunction("wassergraph.transport.nearest", "run_prepared")

#: How many graphs are looked at first, for each neighbor that is sought, before all bounds are compared.
FIRST = 2
Number = TypeVar("Number", bound=np.generic)


def quantile_means(
    ptr: IntArray, mass: IntArray, points: NDArray[np.float32], width: int, n_parts: int
) -> NDArray[np.float32]:
    """Sort the nodes of every graph by each coordinate, and average them over parts of equal mass.

    ``points`` has rows of ``width`` coordinates per node; the result has (graphs, width, parts), in one row.
    """
    n_graphs, largest = len(ptr) - 1, int(np.diff(ptr).max(initial=1))
    order, other_order = np.empty((2, largest), dtype=np.int64)
    out = np.zeros(n_graphs * width * n_parts, dtype=np.float32)
    given = np.ascontiguousarray(mass, dtype=np.int64), np.ascontiguousarray(points, dtype=np.float32)
    _average_quantiles(QuantileTask(n_graphs, width, n_parts, ptr, *given, np.empty(largest), order, other_order, out))
    return out


def turn_points(ptr: IntArray, rows: NDArray[Number], width: int) -> NDArray[Number]:
    """Return points, which are given node by node, coordinate by coordinate in each graph."""
    sizes = np.diff(ptr)
    size, before = np.repeat(sizes, sizes), np.repeat(ptr[:-1] * (width - 1), sizes)
    place, result = before + np.arange(ptr[-1]), np.empty_like(rows)
    for c, coordinate in enumerate(rows.reshape(-1, width).T if width else ()):
        result[place + c * size] = coordinate
    return result


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
    lower bound of distances without that of Euclidean distances; ``apart`` (graphs) is a part of distances that is no
    transport. If a pair cannot be solved, its graph is returned with a negative status. ``solver`` is that of
    pair_solver.solver_of.
    """
    n_graphs, before = len(bound), -np.inf
    rough = _with_vectors(library, query, costs, np.arange(n_graphs, dtype=np.int64), bound, 1)
    least = min(n_graphs, FIRST * (k + 1)) - 1
    most = float(np.partition(rough, least)[least])
    visited, found = new_visited(n_graphs), new_found(k, n_graphs, counts)
    task = _visit_task(visited, library, query, costs, radius, found, solver)
    prepared = PreparedTask(*_visit.prepared(task))
    for _ in range(2):
        graphs = np.flatnonzero((rough > before) & (rough <= most))
        better = _with_vectors(library, query, costs, graphs, bound[graphs], costs.n_parts)
        order = np.argsort(better, kind="stable")
        _set_visited(visited, graphs[order], better[order], apart, library, query, costs)
        _run_prepared(prepared)
        if found.status[0] < 0:
            return int(found.status[0]), found.graphs[:1], found.values[:0]
        before, most = most, min(radius, float(found.best[-1]))
    counts[VECTORS] += n_graphs - counts[IMAGE:].sum()
    near = np.flatnonzero(found.lower[: found.number[0]] <= most)
    return 0, found.graphs[near], found.values[near]


def _with_vectors(
    library: Library, query: Query, costs: Costs, graphs: IntArray, bounds: FloatArray, n_parts: int
) -> FloatArray:
    """Return bounds of some graphs with that of Euclidean distances, from vectors of so many parts."""
    if not costs.use_vectors:
        return bounds
    own, vectors = (query.means, library.means) if n_parts == 1 else (query.parts, library.parts)
    result, shape = bounds.copy(), (costs.image_width, n_parts)
    reach = query.reach, library.reach
    _add_vector_bounds(VectorTask(len(graphs), graphs, *shape, own, vectors, *reach, costs.image_scale, result))
    return result


def _set_visited(
    visited: Visited,
    graphs: IntArray,
    bounds: FloatArray,
    apart: FloatArray,
    library: Library,
    query: Query,
    costs: Costs,
) -> None:
    """Set the graphs to look at, in this order, with the errors of their bounds."""
    number, dearest, scale = len(graphs), max(costs.label_cost, costs.price), costs.image_scale
    visited.number[0] = number
    visited.graphs[:number], visited.bounds[:number], visited.apart[:number] = graphs, bounds, apart[graphs]
    reach = query.reach + library.reach[graphs].astype(np.float64)
    weight = np.maximum(library.total[graphs], query.total) if costs.price >= 0 else 1.0
    with np.errstate(over="ignore"):  # then nothing is abandoned
        visited.short_error[:number] = SHORT * (reach + dearest / scale) * weight
        visited.long_error[:number] = LONG * weight * (math.sqrt(costs.image_width) * reach * scale + dearest)


def _visit_task(
    visited: Visited,
    library: Library,
    query: Query,
    costs: Costs,
    radius: float,
    found: Found,
    solver: Solver,
) -> VisitTask:
    """Return the task of looking at graphs, which are yet to be set."""
    m = len(solver.mass)
    return VisitTask(
        visited=visited,
        radius=radius,
        k=len(found.best),
        n=len(query.mass),
        own_total=query.total,
        own_codes=query.codes,
        own_image=query.image,
        m=m,
        n_nodes=len(library.mass),
        ptr=library.ptr,
        mass=library.mass,
        total=library.total,
        columns=library.columns,
        codes=library.codes,
        image=library.image,
        width=costs.width,
        image_width=costs.image_width,
        n_codes=len(library.codes),
        label_cost=costs.label_cost,
        counted=costs.price >= 0,
        price=costs.price,
        scale=costs.image_scale,
        use_image=costs.use_image,
        work=new_workspace(query, costs, m),
        found=found,
        solver=solver,
    )
