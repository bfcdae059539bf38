"""``wassergraph report``: write a page that shows a collection of graphs."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wassergraph.cli.column_options import new_columns
from wassergraph.cli.metric_options import add_metric, check_without_metric, metric_of
from wassergraph.cli.models import compared_target, load_new_source, load_trained_for_one, predicts_classes
from wassergraph.cli.options import (
    DATA,
    FLAG,
    Commands,
    OptionTable,
    add_common,
    add_options,
    load_source,
    load_training_source,
    number_of_graphs,
    print_result,
    show_progress,
    tell_not_compared,
)
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source
    from wassergraph.evaluation.evaluation import Evaluation
    from wassergraph.graphs.values import TaskName

_OPTIONS: OptionTable = {
    "data": ("DATA", f"{DATA}; these may be unknown"),
    "-o --out": ({"required": True, "metavar": "FILE"}, "the .html file to write"),
    "--title": ("TEXT", "title of the page (default: the name of the data)"),
}
_PREDICTIONS: OptionTable = {
    "--model": (
        "MODEL",
        "show the predictions of a model that wassergraph train has written; graphs are compared as by the model",
    ),
    "--evaluate": (
        FLAG,
        "show the predictions of a nested cross-validation, as wassergraph evaluate computes them in ten folds; "
        "this takes longer than all the rest",
    ),
}
_PAGE: OptionTable = {
    "--method": ("M", "the method that --evaluate evaluates (default: wwl)"),
    "--random-state": (
        {"type": int, "default": 0, "metavar": "N"},
        "random seed of the map, and of folds (default: 0)",
    ),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "report",
        help="write a page that shows a collection of graphs",
        description="Write one HTML file, which any browser opens and which loads nothing else: a map of the graphs, a "
        "heat map of their distances, the transport plan of any two graphs, the nearest neighbors of a graph and, with "
        "--model or --evaluate, the graphs that are predicted wrongly.",
        epilog="example: wassergraph report MUTAG --evaluate -o mutag.html, or wassergraph report new.csv --model "
        "bace.wgm -o new.html",
    )
    add_options(command, _OPTIONS)
    add_metric(command)
    add_options(command.add_mutually_exclusive_group(), _PREDICTIONS)
    add_options(command, _PAGE)
    add_common(command, task=True)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the page, and print its size."""
    from wassergraph.explorer.collection import check_number
    from wassergraph.explorer.explore import PageRequest, expect_page
    from wassergraph.explorer.explorer_page import check_page_path
    from wassergraph.explorer.targets import GivenTarget
    from wassergraph.parallel.estimate import whole

    check_page_path(options.out, Option("out"))
    if options.method is not None and not options.evaluate:
        problem, flags = "{} is used with {} only", [Option("method", options.method), Option("evaluate", True)]
        raise InputError(problem, remedy="remove it, or add the other", options=flags)
    model = None if options.model is None else _load_model(options)
    source = _load_source(options, model)
    if model is None:
        tell_not_compared(options, source.graphs)
    target = source.target
    check_number(len(source.graphs))  # before an evaluation
    metric = metric_of(options)
    if model is not None:
        check_without_metric(options)
    with whole("page", progress=show_progress(options)) as stages:
        if options.evaluate and stages.told:
            expect_page(source.graphs, metric, stages, n_jobs=options.n_jobs)
        task: TaskName = "auto" if target is None else target.task
        name = getattr(model, "target_name_", None) if target is None else target.name
        page = PageRequest(
            source.graphs,
            GivenTarget(source.known_targets, task, name),
            names=source.names,
            title=Path(options.data).name if options.title is None else options.title,
            predicted_by=_evaluate(options, source) if options.evaluate else model,
            columns=None if model is None else new_columns(options, model, source),
            metric=metric if model is None else None,
            random_state=options.random_state,
            n_jobs=options.n_jobs,
            progress=show_progress(options),
        ).make()
    page.save(options.out)
    if options.json or not options.quiet:
        text = f"{options.out}: {number_of_graphs(page.n_graphs, source.graphs)}, {page.n_bytes / 1000:,.0f} kB"
        print_result(options, {"path": options.out, "graphs": page.n_graphs, "bytes": page.n_bytes}, text)


def _load_model(options: argparse.Namespace) -> Any:
    """Load the model, and let the target be read as what it predicts."""
    model = load_trained_for_one(options)
    if options.task == "auto":
        options.task = "classification" if predicts_classes(model) else "regression"
    return model


def _load_source(options: argparse.Namespace, model: Any) -> Source:
    """Load the graphs; with a model, their target is the one that it learned, or that is named."""
    if model is None:
        return load_training_source(options) if options.evaluate else load_source(options)
    source = load_new_source(options, model)
    return replace(source, target=compared_target(options, model, source))


def _evaluate(options: argparse.Namespace, source: Source) -> Evaluation:
    """Evaluate a model of the metric, or another method, as ``wassergraph evaluate`` does by default."""
    from wassergraph.evaluation.evaluate import evaluate
    from wassergraph.evaluation.splitting import Folds
    from wassergraph.models.classifier import GraphClassifier
    from wassergraph.models.regressor import GraphRegressor

    assert source.target is not None
    model = GraphRegressor if source.target.task == "regression" else GraphClassifier
    return evaluate(
        source.graphs,
        source.target.values,
        options.method or "wwl",
        model=model(metric_of(options)),
        folds=Folds(random_state=options.random_state),
        molecules=source.molecules,
        n_jobs=options.n_jobs,
        progress=show_progress(options),
    )
