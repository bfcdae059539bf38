"""Metrics and solvers made of options by name, for tests that go through many combinations of these."""

from __future__ import annotations

import json
from typing import Any

import wassergraph as wg
from wassergraph.evaluation.evaluate import Request
from wassergraph.evaluation.matrices import Threads
from wassergraph.graphs.values import decide_task
from wassergraph.metrics.solvers import Solver
from wassergraph.models.model_files.parts import metrics_to_json, parameters_to_json


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


def model_options(**options: Any) -> dict[str, Any]:
    """Return options of a model: those of the metric become one if there are any, the others stay."""
    names = set(wg.WWL().get_params(deep=False))
    own = {name: value for name, value in options.items() if name not in names}
    metric = {name: value for name, value in options.items() if name in names}
    return own if not metric else {"metric": wg.WWL(**metric), **own}


def evaluate(graphs: Any, y: Any, *, task: str = "auto", method: Any = "wwl", **options: Any) -> wg.Evaluation:
    """Evaluate methods with options by name: those of the model, of its metric and of the folds."""
    numbers = task == "regression" or (task == "auto" and y is not None and decide_task(y) == "regression")
    of_folds = ("folds", "split", "groups", "repetitions", "random_state")
    folds = {"n_folds" if name == "folds" else name: options.pop(name) for name in of_folds if name in options}
    asked = {name: options.pop(name) for name in ("molecules", "deduplicate", "cache", "distances") if name in options}
    asked |= {"measures": options.pop("measures", None), "preparations": options.pop("preparation", None)}
    threads = Threads(options.pop("n_jobs", None), options.pop("progress", False))
    names = {"inner_folds": "cv"}
    options = {
        names.get(name, name): options[name] for name in options if name == "class_weight" or options[name] is not None
    }
    model = None
    if options or task != "auto":
        model = (wg.GraphRegressor if numbers else wg.GraphClassifier)(**model_options(**options))
    return Request(graphs, y, method, model, wg.Folds(**folds), threads=threads, **asked).run()


def plain_parameters(model: Any) -> Any:
    """Return the parameters of a model as a file has them, those of its metric too."""
    parameters = {**parameters_to_json(model), "metric": metrics_to_json(model.metric)}
    return json.loads(json.dumps(parameters))
