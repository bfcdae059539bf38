"""Compute the optimal transport plan between the nodes of two graphs."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.errors import InputError, InputTypeError, NotSolvedError, StructuredError
from wassergraph.explain.plan import TransportPlan
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import as_compared
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.weights import node_weights
from wassergraph.pairwise.masses import integer_masses, weighted_total
from wassergraph.pairwise.scaling import HEADROOM, scale_down, scale_exponent
from wassergraph.pairwise.solvers import solve_plan
from wassergraph.parallel.threads import ThreadEngine


def transport_plan(
    graphs: object,
    i: object,
    j: int | None = None,
    *,
    metric: Metric | None = None,
    weights: ArrayLike | None = None,
) -> TransportPlan:
    """Compute the optimal transport plan between two graphs; its cost is their distance, without the term of sizes.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        The graphs; or one graph, if the second parameter is the other one. What is learned from graphs, such as the
        mean and standard deviation of attributes if these are standardized, is learned from all of them.
    i : int, or one graph
        The position of the first graph, counted from 0, or from the end if it is negative; or the other graph itself.
    j : int, optional
        The position of the second graph; left out if ``i`` is a graph.
    metric : WWL, optional
        How graphs are compared, with one depth; by default ``WWL()``. The plan is that of the exact solver, and does
        not depend on ``size_weight``.
    weights : (n_nodes) floats, optional
        The mass of every node of all graphs, as in :func:`wassergraph.distances`.

    Returns
    -------
    TransportPlan
        The plan, its cost, and what it costs where.

    See Also
    --------
    TransportPlan : what is returned
    plot.draw_plan : draw a plan
    distances : the costs of all plans
    compare_groups : costs between groups of graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> plan = wg.transport_plan(graphs, 0, -1, metric=wg.WWL(depth=1))
    >>> plan.matrix.shape, round(float(plan.matrix.sum()), 12)
    ((9, 19), 1.0)
    >>> plan = wg.transport_plan("CCO", "CCN", metric=wg.WWL(0, kind="categorical"))  # two of three atoms are alike
    >>> plan.source_costs.round(3).tolist()
    [0.0, 0.0, 0.333]
    """
    batch, one, other = _read_pair(graphs, i, j)
    metric = read_metric(metric)
    require_exact(metric, "a plan")
    depth = single_depth(metric.depth)
    scheme = replace(metric.learn(batch), size_weight=0.0)
    shares = node_weights(batch, weights)
    if shares is not None:
        shares = np.concatenate([shares[batch.node_ptr[g] : batch.node_ptr[g + 1]] for g in (one, other)])
    pair = batch[[one, other]]
    _, (embedding,) = embed_all(scheme, [pair], depth, [shares])
    return plan_of(embedding, pair, (one, other))


def _read_pair(graphs: object, i: object, j: int | None) -> tuple[GraphBatch, int, int]:
    """Return a batch, and the positions of two graphs in it."""
    if j is None:
        if isinstance(i, int | np.integer):
            raise InputTypeError("the second position is missing", remedy="pass two positions, or two graphs")
        batch = as_batch([_one_graph(graphs, 0), _one_graph(i, 1)])
        return batch, 0, 1
    batch = as_batch(graphs)
    one, other = (_position(each, len(batch)) for each in (i, j))
    return batch, one, other


def _one_graph(graph: object, side: int) -> GraphBatch:
    """Read the first graph or the second; errors name its position among both."""
    try:
        batch = as_batch(graph)
    except StructuredError as error:
        # Other positions are those in a list of several graphs.
        raise (error.among([side]) if error.graph == 0 and not error.also else error) from None
    if len(batch) != 1:
        problem = f"there are {len(batch)} graphs in place of the {('first', 'second')[side]} one"
        raise InputError(problem, remedy="pass a single graph, or two positions after all graphs")
    return batch


def _position(position: Any, n_graphs: int) -> int:
    number = operator.index(position)
    if not -n_graphs <= number < n_graphs:
        raise IndexError(f"graph {number} is out of range: there are {n_graphs} graphs, counted from 0")
    return number % n_graphs


def plan_of(
    embedding: NodeEmbedding,
    pair: GraphBatch | Sequence[GraphBatch],
    names: tuple[int, int] = (0, 1),
    stop: Stop | None = None,
) -> TransportPlan:
    """Compute the plan between two graphs that are embedded together.

    Parameters
    ----------
    embedding : NodeEmbedding
        The two graphs, embedded.
    pair : GraphBatch or sequence of GraphBatch
        The two graphs, as one batch or as two.
    names : (int, int)
        Their positions in a larger collection, for messages.
    stop : (1) bool, optional
        A flag that ends the work early, if it runs on a thread of an engine; by default it gets a thread of its own.

    Returns
    -------
    TransportPlan
    """
    compute = _partial_plan if embedding.counted else _optimal_plan
    ground = costs_between_nodes(embedding, 0, 1, names)
    parts = compute(embedding, ground, names, stop)
    depth_costs = _depth_costs(embedding, parts["matrix"])
    source, target = (as_compared(pair[side], embedding.features.uses_stereo) for side in (0, 1))
    return TransportPlan(**parts, ground=ground, depth_costs=depth_costs, source=source, target=target)


def _optimal_plan(
    embedding: NodeEmbedding, ground: FloatArray, names: tuple[int, int], stop: Stop | None
) -> dict[str, Any]:
    """Move all of the mass of one graph onto that of the other."""
    supply, demand = (_masses(embedding, position, max(ground.shape)) for position in (0, 1))
    unit = math.lcm(int(supply.sum()), int(demand.sum()))
    masses = supply * (unit // supply.sum()), demand * (unit // demand.sum())
    sources, sinks, flows, *potentials = _solve(ground, *masses, names, stop)
    # The sum of scaled costs: those as they are may be too small or too large to be added.
    exponent = _exponent(ground)
    costs = np.ldexp(ground, -exponent)[sources, sinks] * flows
    return {
        "cost": math.ldexp(float(np.sum(costs) / unit), exponent),
        "matrix": csr_array((flows / unit, (sources, sinks)), shape=ground.shape),
        "source_unmatched": np.zeros(ground.shape[0]),
        "target_unmatched": np.zeros(ground.shape[1]),
        "price": 0.0,
        "source_potentials": potentials[0],
        "target_potentials": potentials[1],
    }


def _partial_plan(
    embedding: NodeEmbedding, ground: FloatArray, names: tuple[int, int], stop: Stop | None
) -> dict[str, Any]:
    """Match nodes of mass 1; some of the larger graph, and those that cost more than twice the price, stay alone."""
    price = float(embedding.prices[-1])
    n, m = ground.shape
    # One node more on the smaller side takes what remains of the larger one.
    costs = np.pad(np.minimum(ground, 2 * price), ((0, int(n < m)), (0, int(m < n))), constant_values=price)
    supply, demand = np.ones(costs.shape[0], dtype=np.int64), np.ones(costs.shape[1], dtype=np.int64)
    supply[n:], demand[m:] = m - n, n - m
    sources, sinks, flows, source_potentials, target_potentials = _solve(costs, supply, demand, names, stop)
    real = (sources < n) & (sinks < m)
    matched = real & (np.pad(ground, ((0, 1), (0, 1)))[sources, sinks] <= 2 * price)
    arcs = sources[matched], sinks[matched]
    matrix = csr_array((flows[matched].astype(np.float64), arcs), shape=ground.shape)
    source_unmatched, target_unmatched = 1.0 - matrix.sum(axis=1), 1.0 - matrix.sum(axis=0)
    # A constant may move from all sources to all sinks; the additional node gets the potential 0.
    shift = float(np.sum(source_potentials[n:]) - np.sum(target_potentials[m:]))
    return {
        "cost": float((matrix * ground).sum() + price * (source_unmatched.sum() + target_unmatched.sum())),
        "matrix": matrix,
        "source_unmatched": source_unmatched,
        "target_unmatched": target_unmatched,
        "price": price,
        "source_potentials": source_potentials[:n] - shift,
        "target_potentials": target_potentials[:m] + shift,
    }


def _depth_costs(embedding: NodeEmbedding, matrix: csr_array) -> FloatArray:
    """Compute the cost of the moves of a plan by Weisfeiler–Lehman iteration (depth + 1)."""
    moves = matrix.tocoo()
    one, two = moves.coords[0], moves.coords[1] + int(embedding.ptr[1])
    costs = np.zeros(embedding.depth + 1)
    share = embedding.label_weight if embedding.kind == "joint" else 1.0
    if embedding.codes is not None:
        differ = embedding.codes[:, one] != embedding.codes[:, two]
        costs += share * (differ @ moves.data) / (embedding.depth + 1)
    if embedding.points is not None:
        exponent = scale_exponent([embedding])
        points = scale_down(embedding.points, exponent)
        by_depth = len(one), embedding.depth + 1, points.shape[1] // (embedding.depth + 1)
        squares = ((points[one] - points[two]) ** 2).reshape(by_depth).sum(axis=2)
        lengths = np.sqrt(squares.sum(axis=1))
        scale = 1.0 if embedding.codes is None else (1 - share) / np.sqrt(points.shape[1])
        per_length = np.divide(moves.data, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        costs += np.ldexp(scale * (per_length @ squares), exponent)
    return costs


def _exponent(costs: FloatArray) -> int:
    """Return the power of two that costs are divided by for the solver, exactly."""
    return math.frexp(costs.max())[1] - HEADROOM


def _solve(
    ground: FloatArray, supply: IntArray, demand: IntArray, graphs: tuple[int, int], stop: Stop | None
) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """Solve one problem: return the sources, sinks and flows of arcs, and the potentials of sources and of sinks.

    Without a flag that stops it, it runs on a thread, so that the user can interrupt it.
    """
    solutions = []
    n = len(ground)
    costs = np.ldexp(ground, -_exponent(ground))

    def work(_: None, stop: Stop) -> None:
        solutions.append(solve_plan(costs, supply, demand, 0, stop))

    if stop is None:
        ThreadEngine().run(work, [None], lambda *_: None)
    else:
        work(None, stop)
    status, sources, sinks, flows, potentials = solutions[0]
    if status < 0:
        raise NotSolvedError(f"the network simplex found no plan for the graphs {graphs[0]} and {graphs[1]}", graphs)
    scaled = np.ldexp(potentials, _exponent(ground))
    return sources, sinks, flows, scaled[:n], -scaled[n:]


def costs_between_nodes(embedding: NodeEmbedding, i: int, j: int, names: tuple[int, int] | None = None) -> FloatArray:
    """Compute the ground costs between the nodes of two embedded graphs (n, m); messages call them by their names."""
    names = names or (i, j)
    one, two = (slice(embedding.ptr[g], embedding.ptr[g + 1]) for g in (i, j))
    hamming: Any = 0.0
    if embedding.codes is not None:
        hamming = (embedding.codes[:, one, None] != embedding.codes[:, None, two]).mean(axis=0)
    if embedding.points is None:
        return np.asarray(hamming)
    # Points are divided by a power of two, exactly, so that the squares of very large or small ones stay in range.
    exponent = scale_exponent([embedding])
    points = scale_down(embedding.points, exponent)
    with np.errstate(over="ignore", under="ignore"):
        ground: FloatArray = cdist(points[one], points[two])
        if embedding.codes is None:
            ground = np.ldexp(ground, exponent)
        else:
            share = embedding.label_weight
            ground = share * hamming + np.ldexp((1 - share) * ground / np.sqrt(points.shape[1]), exponent)
    if not np.isfinite(ground).all():
        problem = f"the ground costs between the graphs {names[0]} and {names[1]} are too large for float64"
        raise InputError(problem, remedy="scale the attributes down")
    return ground


def _masses(embedding: NodeEmbedding, graph: int, largest: int) -> IntArray:
    nodes = slice(embedding.ptr[graph], embedding.ptr[graph + 1])
    size = nodes.stop - nodes.start
    if embedding.weights is None:
        return np.ones(size, dtype=np.int64)
    return integer_masses(embedding.weights[nodes], np.array([0, size]), weighted_total(largest))
