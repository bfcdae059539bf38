"""Metrics and solvers made of options by name, for tests that go through many combinations of these."""

from __future__ import annotations

from typing import Any

import wassergraph as wg
from wassergraph.metrics.solvers import Solver


def solver_of(solver: str = "exact", **options: Any) -> Solver:
    """Return a solver of the name, with its options."""
    return {"exact": wg.Exact, "sinkhorn": wg.Sinkhorn, "sliced": wg.Sliced}[solver](**options)


def metric_of(**options: Any) -> wg.WWL:
    """Return WWL with options, among them the name of the solver and its options."""
    names = ("solver", "reg", "tol", "max_iter", "n_projections", "random_state")
    given = {name: options.pop(name) for name in names if name in options}
    known = given.get("solver", "exact") in ("exact", "sinkhorn", "sliced")
    return wg.WWL(**options, solver=solver_of(**given) if known else given["solver"])


def with_metric(**options: Any) -> dict[str, Any]:
    """Return options of a function that takes a metric: those of the metric become one, the others stay."""
    names = {*wg.WWL().get_params(deep=False), "reg", "tol", "max_iter", "n_projections"}
    names |= {"random_state"} if options.get("solver") == "sliced" else set()
    metric = metric_of(**{name: value for name, value in options.items() if name in names})
    return {"metric": metric, **{name: value for name, value in options.items() if name not in names}}
