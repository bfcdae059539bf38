"""Distances that were computed before, given to a model instead of being computed by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import check_distances
from wassergraph.metrics.decisions import candidate_masses
from wassergraph.metrics.depths import check_depths
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.distance_store import DistanceStore
from wassergraph.pairwise.recipe import Recipe, differences, make_recipe
from wassergraph.tuning.grid import is_auto

#: The parts of a recipe in which stored distances may differ from those that a model needs: it takes some of their
#: depths, and last digits do not matter.
_MAY_DIFFER = ("depth", "dtype", "algorithm")


def read_given(
    distances: Any,
    graphs: GraphBatch,
    scheme: Scheme,
    depths: Sequence[int],
    *,
    weights: ArrayLike | None = None,
    used_by: str = "the model",
) -> NDArray[Any]:
    """Return given distances as an array (n_depths, N, N); raise an error if they are not those of the graphs.

    Parameters
    ----------
    distances : DistanceStore, or (n_depths, N, N) floats
        The distances; of a store, the depths are chosen that are needed.
    graphs : GraphBatch
        N graphs.
    scheme : Scheme
        How the graphs are embedded.
    depths : sequence of int
        The depths, in increasing order.
    weights : (n_nodes) floats, optional
        The mass of every node, if they differ.
    used_by : str
        What needs the distances, for messages.

    Returns
    -------
    (n_depths, N, N) floats
    """
    if isinstance(distances, DistanceStore):
        expected = make_recipe([graphs], [weights], scheme, list(depths), Exact())
        distances = _read_store(distances, expected, depths, used_by)
    stack = check_stack(distances)
    if stack.shape[:2] != (len(depths), len(graphs)):
        raise InputError(
            f"distances of {stack.shape[0]} depths and {stack.shape[1]} graphs were given, but there are "
            f"{len(depths)} depths and {len(graphs)} graphs",
            remedy=f"compute them with depth={list(depths)}",
        )
    return stack


def metric_of_given(distances: Any, graphs: GraphBatch, metrics: Sequence[WWL]) -> WWL:
    """Return the metric of given distances, with one mass; raise an error if it is not clear which one it is."""
    if len(metrics) > 1:
        problem = "the given distances belong to one metric, but {} has several"
        raise InputError(problem, remedy="pass the one that they were computed with", options=[Option("metric")])
    metric = metrics[0]
    depths = [] if is_auto(metric.depth) else check_depths(metric.depth)
    if not isinstance(distances, DistanceStore) and depths != sorted(set(depths)):
        problem = f"the depths of given distances must increase, but {{}} is {metric.depth!r}"
        raise InputError(problem, remedy="sort both", options=[Option("depth")])
    if metric.mass == "auto" and isinstance(distances, DistanceStore):
        stored: WWL = clone(metric).set_params(mass=distances.recipe["mass"])
        return stored
    if len(candidate_masses(graphs, metric.mass)) > 1:
        options = [Option("mass"), Option("mass", "share"), Option("mass", "count")]
        problem = f"the given distances belong to one mass, but {{}} is {metric.mass!r}"
        raise InputError(problem, remedy="pass {} or {}", options=options)
    return metric


def _read_store(store: DistanceStore, expected: Recipe, depths: Sequence[int], used_by: str) -> NDArray[Any]:
    stored = np.atleast_1d(store.recipe["depth"]).tolist()
    different = differences(store.recipe, {name: expected[name] for name in expected if name not in _MAY_DIFFER})
    different += [f"the store has no depth {depth}" for depth in depths if depth not in stored]
    if different:
        problem = f"these are not the distances that {used_by} needs: {'; '.join(different)}"
        raise InputError(problem, remedy=f"compute them with the parameters of {used_by}", file=store.path)
    if store.ndim == 2:
        return np.asarray(store)[None]
    return np.asarray(store[[stored.index(depth) for depth in depths]])


def check_stack(distances: ArrayLike | DistanceStore) -> NDArray[Any]:
    """Return distances as an array (n_depths, N, N); raise an error unless every matrix is square and symmetric."""
    stack = check_distances(distances)
    stack = stack[None] if stack.ndim == 2 else stack
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2]:
        raise ValueError(
            f"distances must be square, (N, N) or (n_depths, N, N), got the shape {np.shape(distances)}; "
            "distances(graphs, metric=wg.WWL(depth=range(8))) computes them"
        )
    for number, matrix in enumerate(stack):
        if not np.allclose(matrix, matrix.T, rtol=1e-5, atol=0):
            raise ValueError(
                f"matrix {number} of the distances is not symmetric: pass distances of the same graphs in rows and "
                "columns"
            )
    return stack
