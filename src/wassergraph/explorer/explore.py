"""Make a page that shows a collection of graphs.

graphs, y ──▶ target, predictions ──▶ collection (embedded graphs) ──▶ distances ──▶ content ──▶ page
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.errors import InputError, Option
from wassergraph.evaluation.evaluation import Evaluation
from wassergraph.explorer.assemble import assemble
from wassergraph.explorer.collection import Collection, check_alone, check_number
from wassergraph.explorer.content import page_content
from wassergraph.explorer.explorer_page import ExplorerPage, check_page_path
from wassergraph.explorer.foresight import estimate_page
from wassergraph.explorer.shown_predictions import check_model, read_shown
from wassergraph.explorer.targets import GivenTarget, clean_text
from wassergraph.formats.detect import as_batch, list_molecules
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.graphs.values import TaskName
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.models.graph_model import GraphModel
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
    path: str | Path | None = None,
    task: TaskName = "auto",
    target_name: str | None = None,
    model: Any = None,
    evaluation: Evaluation | None = None,
    method: str | None = None,
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
    y : (N) array, optional
        The class, or the number, of every graph; None or NaN where it is not known.
    metric : WWL, optional
        How graphs are compared, with one depth and the exact solver; by default ``WWL()``. A model has a metric of its
        own.
    names : (N) sequence of str, optional
        The name of every graph; by default SMILES strings, if the graphs are such, or else their positions.
    title : str, optional
        The title of the page; by default the number of graphs.
    path : str or Path, optional
        A file to write the page to, whose name ends with ``.html``.
    task : "auto", "classification" or "regression"
        Whether y has classes or numbers; "auto" takes numbers with fractions for numbers, also whole numbers of which
        most graphs have one of their own, and everything else for classes.
    target_name : str, optional
        What the classes or numbers are called; by default as the model calls them, or "class" or "number".
    model : GraphClassifier, GraphRegressor or GraphGaussianProcess, optional
        A fitted model, whose predictions the page shows. Graphs are embedded as those of the model, with its depth.
    evaluation : Evaluation, optional
        The result of :func:`wassergraph.evaluate` for the same graphs. The page shows what was predicted for every
        graph while it was a test graph, in the first repetition.
    method : str, optional
        With ``evaluation``, the method whose predictions are shown; by default the first one.
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
    >>> page = wg.explore(graphs, y, metric=wg.WWL(depth=1), title="Three classes")
    >>> page.n_graphs, page.title
    (60, 'Three classes')
    """
    if path is not None:
        check_page_path(path)
    check_choice("task", task, TaskName)
    random_state = check_whole("random_state", random_state, 0)
    graphs = list(graphs) if isinstance(graphs, Iterator) else graphs
    batch = as_batch(graphs)
    check_number(len(batch))
    shown_names = _read_names(names, graphs, len(batch))
    if model is not None:
        check_alone(check_model(model), metric=metric, weights=weights)
    metric = read_metric(metric)
    require_exact(metric, "a page")
    heading = clean_text(title or "").strip() or count(len(batch), batch.noun)
    with whole("page", progress=progress) as stages:
        given = distances is not None
        if stages.told:
            expected = expect_page(batch, metric, stages, model=model, given=given, n_jobs=n_jobs)
        target = GivenTarget(y, task, None if target_name is None else clean_text(target_name))
        known, predictions = read_shown(batch, target, model, evaluation, method)
        if stages.told:  # no model told it
            announce(expected, stages)
        own = Collection.embed(batch, metric, weights) if model is None else Collection.embed_like(model, batch)
        matrix = own.distances(distances, n_jobs=n_jobs, progress=progress)
        content = page_content(
            *(heading, shown_names, own, matrix, known, predictions),
            random_state=random_state,
            progress=progress,
        )
    page = ExplorerPage(assemble(heading, content), len(batch), heading)
    if path is not None:
        page.save(path)
    return page


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
