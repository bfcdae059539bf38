"""Metric: what everything that compares graphs asks of the object that says how.

A further metric is one more class with these members, such as :class:`wassergraph.WWL`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.depths import Depth
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact, Solver, SolverChoice, read_solver
from wassergraph.metrics.wwl import WWL


@runtime_checkable
class Metric(Protocol):
    """How graphs are compared.

    A metric that does not change may annotate its members, as in ``depth: Depth = 0``. ``fit``, ``transform`` and
    ``embed`` are those of WWL, and optional; a metric that was fitted returns what it learned from ``learn``.

    Attributes
    ----------
    depth : int, sequence of int or "auto"
        The depths.
    solver : "exact", Exact, Sinkhorn or Sliced
        What computes distances of embedded graphs.
    """

    depth: Depth
    solver: SolverChoice

    def learn(self, graphs: GraphBatch) -> Scheme:
        """Return how graphs are embedded, as learned from training graphs, or else from these."""
        ...


def read_metric(metric: object) -> Metric:
    """Return a metric; WWL with its defaults in place of None."""
    if metric is None:
        return WWL()
    if isinstance(metric, type) or not isinstance(metric, Metric):
        problem = f"{{}} must be a metric, such as WWL(depth=3), got {metric!r}"
        raise InputTypeError(problem, options=[Option("metric")])
    return metric


def chosen_solver(metric: Metric) -> Solver:
    """Return the solver of a metric; that of a fitted one has its seed."""
    return getattr(metric, "solver_", None) or read_solver(metric.solver)


def require_exact(metric: Metric, what: str) -> None:
    """Raise an error unless the solver of a metric is exact."""
    solver = read_solver(metric.solver)
    if not isinstance(solver, Exact):
        problem = f"{what} is exact, but the solver is {solver.name}"
        raise InputError(problem, remedy="use {}", options=[Option("solver", "exact")])
