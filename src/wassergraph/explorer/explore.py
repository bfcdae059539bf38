"""Make a page that shows a collection of graphs.

graphs, y ──▶ target, predictions ──▶ collection (embedded graphs) ──▶ distances ──▶ content ──▶ page
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.errors import InputError, Option
from wassergraph.evaluation.evaluation import Evaluation
from wassergraph.explorer.assemble import assemble
from wassergraph.explorer.collection import Collection, check_alone, check_number
from wassergraph.explorer.content import page_content
from wassergraph.explorer.explorer_page import ExplorerPage
from wassergraph.explorer.foresight import estimate_page
from wassergraph.explorer.shown_predictions import read_predictor, read_shown
from wassergraph.explorer.targets import GivenTarget, clean_text
from wassergraph.formats.detect import as_batch, list_molecules
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.graphs.values import TaskName
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.saved_model import read_target_name
from wassergraph.parallel.estimate import Estimate, announce, announce_later, whole
from wassergraph.parallel.stages import Stages
from wassergraph.parallel.threads import n_threads


def explore(
    graphs: Any,
    y: Any = None,
    *,
    metric: Metric | None = None,
    names: Sequence[str] | None = None,
    title: str | None = None,
    task: TaskName = "auto",
    predicted_by: GraphModel | Evaluation | None = None,
    distances: Any = None,
    weights: ArrayLike | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> ExplorerPage:
    """Make a page that shows a collection of graphs: one HTML file, which any browser opens and which loads nothing.

    The page shows a map of the graphs, a heat map of their distances, the transport plan of any two graphs, the nearest
    neighbors of a graph and, with predictions, the graphs that are predicted wrongly.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        N graphs, at most 20,000.
    y : (N) array, or dict of one, optional
        The class, or the number, of every graph; None or NaN where it is not known. ``{"solubility": y}`` says what
        they are called, as does the name of a Series of pandas; by default it is the target of the model, or "class" or
        "number".
    metric : WWL, optional
        How graphs are compared, with one depth and the exact solver; by default ``WWL()``. A model has a metric of its
        own.
    names : (N) sequence of str, optional
        The name of every graph; by default SMILES strings, if the graphs are such, or else their positions.
    title : str, optional
        The title of the page; by default the number of graphs.
    task : "auto", "classification" or "regression"
        Whether y has classes or numbers; "auto" decides as :func:`wassergraph.evaluate` does.
    predicted_by : GraphClassifier, GraphRegressor, GraphGaussianProcess or Evaluation, optional
        What the page shows predictions of. A fitted model predicts the graphs, which are then embedded as those of the
        model, with its depth. Of the result of :func:`wassergraph.evaluate` for the same graphs, what was predicted for
        every graph while it was a test graph, in the first repetition of the first method; ``result["wl"]`` has
        another method alone.
    distances : (N, N) floats, DistanceStore or path of a store, optional
        The distances, if they were computed before with the same options. A few of them are computed again, to check.
    weights : (n_nodes) floats, optional
        The mass of every node, as in :func:`wassergraph.distances`; not with a model.
    random_state : int
        The seed of the map.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    ExplorerPage
        The page; ``save`` writes it to a file.

    Raises
    ------
    ValueError
        If there are no graphs or too many, or if options, distances, model or evaluation do not fit the graphs.

    See Also
    --------
    ExplorerPage : what is returned
    plot.draw_map : the map as a figure
    plot.draw_plan : a transport plan as a figure
    evaluate : predictions for the page

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> page = wg.explore(graphs, {"ring": y}, metric=wg.WWL(depth=1), title="Three classes")
    >>> page.n_graphs, page.title
    (60, 'Three classes')
    """
    target = _read_target(y, task)
    options: Any = {"weights": weights, "random_state": random_state, "n_jobs": n_jobs, "progress": progress}
    return PageRequest(graphs, target, metric, names, title, predicted_by, distances=distances, **options).make()


@dataclass(frozen=True, eq=False)
class PageRequest:
    """What is asked of a page: the arguments of :func:`explore`, the name of the target, and columns for a model."""

    graphs: Any
    target: GivenTarget
    metric: Metric | None = None
    names: Sequence[str] | None = None
    title: str | None = None
    predicted_by: object = None
    columns: Any = None
    distances: Any = None
    weights: ArrayLike | None = None
    random_state: int = 0
    n_jobs: int | None = None
    progress: bool = False

    def make(self) -> ExplorerPage:
        """Make the page."""
        check_choice("task", self.target.task, TaskName)
        random_state = check_whole("random_state", self.random_state, 0)
        graphs = list(self.graphs) if isinstance(self.graphs, Iterator) else self.graphs
        batch = as_batch(graphs)
        check_number(len(batch))
        names = _read_names(self.names, graphs, len(batch))
        model = read_predictor(self.predicted_by)
        if model is not None:
            check_alone(model, metric=self.metric, weights=self.weights)
        metric = read_metric(self.metric)
        require_exact(metric, "a page")
        title = clean_text(self.title or "").strip() or count(len(batch), batch.noun)
        options: Any = {"n_jobs": self.n_jobs, "progress": self.progress}
        with whole("page", progress=self.progress) as stages:
            given = self.distances is not None
            if stages.told:
                expected = expect_page(batch, metric, stages, model=model, given=given, n_jobs=self.n_jobs)
            known, predictions = read_shown(batch, self.target, self.predicted_by, self.columns)
            if stages.told:  # no model told it
                announce(expected, stages)
            own = Collection.embed_like(model, batch) if model else Collection.embed(batch, metric, self.weights)
            shown = names, own, own.distances(self.distances, **options), known, predictions
            content = page_content(title, *shown, random_state=random_state, progress=self.progress)
        return ExplorerPage(assemble(title, content), len(batch), title)


def _read_target(y: Any, task: TaskName) -> GivenTarget:
    """Return the classes or numbers, with their name if there is one."""
    if not isinstance(y, Mapping):
        return GivenTarget(y, task, read_target_name(None, y))
    if len(y) != 1:
        problem = f"{{}} must have one entry, a name with the classes or numbers of all graphs, got {len(y)}"
        raise InputError(problem, options=[Option("y")])
    ((name, values),) = y.items()
    return GivenTarget(values, task, str(name))


def expect_page(
    graphs: GraphBatch,
    metric: Metric,
    stages: Stages,
    *,
    model: GraphModel | None = None,
    given: bool = False,
    n_jobs: int | None = None,
) -> Estimate:
    """Let a bar expect a page of graphs, so that whoever computes predictions before tells what both take.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    metric, model
        How they are compared: as in :func:`explore`.
    stages : Stages
        The bar.
    given : bool
        Whether the distances are there already.
    n_jobs : int, optional
        The number of threads.

    Returns
    -------
    Estimate
        What the page will take.
    """
    scheme = metric.learn(graphs) if model is None else model.scheme_
    deep = single_depth(metric.depth) if model is None else model.best_params_["depth"]
    estimate = estimate_page(graphs, scheme, deep, n_threads(n_jobs), given=given)
    announce_later(estimate, stages)
    return estimate


def _read_names(names: Sequence[str] | None, graphs: Any, n_graphs: int) -> list[str]:
    """Return a name for every graph: those given, SMILES strings, or positions."""
    if names is None:
        molecules = list_molecules(graphs) or []
        texts = molecules if all(isinstance(each, str) for each in molecules) else []
        return [clean_text(each) for each in texts or range(n_graphs)]
    listed = [clean_text(name) for name in np.asarray(names, dtype=object).ravel().tolist()]
    if len(listed) != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(len(listed), 'name')}"
        raise InputError(problem, remedy="pass one of {} for each graph", options=[Option("names")])
    return listed
