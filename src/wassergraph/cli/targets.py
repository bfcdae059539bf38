"""What commands do with several targets: train a model of each, write predictions side by side, evaluate each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.cli.column_options import imputed_columns, new_columns, take_columns_of, training_columns
from wassergraph.cli.messages import as_flag
from wassergraph.cli.model_options import models_of
from wassergraph.cli.prediction_table import Predictions, describe_predictions, predict_all
from wassergraph.errors import InputError
from wassergraph.evaluation.row import mean_of
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import GraphColumns
from wassergraph.models.learning import Asked
from wassergraph.models.several_targets import one_model
from wassergraph.models.summary import training_summary, training_table
from wassergraph.models.target_models import TargetModels
from wassergraph.notebook import aligned
from wassergraph.scores.agreement import Agreement
from wassergraph.scores.measures import MEASURES
from wassergraph.scores.several import KnownTarget

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source
    from wassergraph.datasets.targets import Target
    from wassergraph.evaluation.evaluation import Evaluation


def train_targets(
    options: argparse.Namespace, source: Source, train: IntArray, test: IntArray | None, out: str
) -> None:
    """Fit a model to each of several targets, save them in one file, and print a summary of each."""
    graphs = source.graphs if test is None else source.graphs[train]
    known = [
        KnownTarget(str(target.name), target.positions, target.values, learned_bounds(options, target))
        for target in (each if test is None else each.take(train) for each in source.targets)
    ]
    columns = training_columns(options, source)
    own = take_columns_of(columns, train)
    names = [source.names[row] for row in train]
    asked = Asked(names=names, source=source.reading, columns=own, impute=imputed_columns(options))
    fitted = TargetModels.fit(models_of(options, source.targets), graphs, known, asked)
    one_model(fitted).save(out)
    tested = (
        [None for _ in source.targets] if test is None else list(_test_each(options, fitted, source, test, columns))
    )
    if options.json:
        summaries = [
            {**training_summary(model), **({} if each is None else {"test": each.to_dict()})}
            for model, each in zip(fitted.estimators_, tested, strict=True)
        ]
        print(json.dumps({"graphs": len(graphs), "targets": summaries, "model": out}, indent=2))
    elif not options.quiet:
        for model, each in zip(fitted.estimators_, tested, strict=True):
            row = "" if each is None else f"\ntest rows of {options.split_column!r}: {each}"
            print(f"{training_table(model, as_flag)}{row}\n")
        print(f"Models of {len(known)} targets written to {out}")


def learned_bounds(options: argparse.Namespace, target: Target) -> IntArray | None:
    """Return which numbers a model learns as bounds; None if there are none, or if they are read as the numbers."""
    return target.censored if options.censored == "likelihood" else None


def _test_each(
    options: argparse.Namespace, fitted: TargetModels, source: Source, test: IntArray, columns: GraphColumns | None
) -> Iterator[Agreement | None]:
    """Yield how well each model predicts test graphs that have a value of its target, and not only a bound."""
    for model, target in zip(fitted.estimators_, source.targets, strict=True):
        known, bounds = target.take(test), learned_bounds(options, target.take(test))
        rows = np.arange(len(known.values)) if bounds is None else np.flatnonzero(bounds == 0)
        among = test[known.positions[rows]]
        own = take_columns_of(columns, among)
        yield measure_test_rows(model, source.graphs[among], known.values[rows], own) if len(rows) else None


def measure_test_rows(
    model: Any, graphs: GraphBatch, y: NDArray[Any], columns: GraphColumns | None = None
) -> Agreement | None:
    """Return how well a model predicts graphs that it was not trained on."""
    rows = np.arange(len(graphs))
    return predict_all(model, graphs, [], [[] for _ in rows], rows, columns).agreement(y, rows)


def predict_targets(options: argparse.Namespace, models: TargetModels, source: Source) -> dict[str, Predictions]:
    """Predict each target of all graphs, with distances computed once."""
    beside = new_columns(options, models, source)
    said = models.each(source.graphs, lambda model, part, own: model.predictions(part, columns=own), beside)
    return {
        name: describe_predictions(model, each, source.columns, source.rows, source.positions)
        for name, model, each in zip(models.target_names_, models.estimators_, said, strict=True)
    }


def describe_targets(models: TargetModels, source: Source, predictions: Mapping[str, Predictions]) -> list[str]:
    """Return a line for each target: how well predictions agree with a column of its name, and what is outside."""
    known = {each.name: each for each in (source.target, *source.targets) if each is not None}
    lines = []
    for name, each in predictions.items():
        target = known.get(name)
        agreement = None if target is None else each.agreement(target.values, target.positions)
        compared = "nothing to compare with" if agreement is None else str(agreement)
        n_outside = each.cells.get("domain", []).count("outside")
        lines.append(
            f"{name!r}: {compared}, {n_outside:,} outside the domain of {models[name].n_train_:,} training graphs"
        )
    return lines


def evaluate_targets(options: argparse.Namespace, source: Source, evaluate: Callable[[Source], Evaluation]) -> None:
    """Evaluate each of several targets on the graphs that have a value of it, and print a table each, and a summary."""
    results: dict[str, Evaluation] = {}
    failed: list[InputError] = []
    for target in source.targets:
        name = str(target.name)
        try:
            results[name] = evaluate(source.with_target(target))
        except InputError as error:  # the others are worth knowing
            failed.append(error.about(f"target {name!r}"))
            continue
        if not options.json:
            print(f"{name}: {results[name]}\n", flush=True)
    if options.json:
        record = {name: result.to_dict() for name, result in results.items()}
        print(json.dumps({"data": options.data, "targets": record}, indent=2))
    elif results:
        print(summary_of_targets(results))
    if failed:
        raise failed[0]


def measures_of_target(options: argparse.Namespace, source: Source) -> list[str] | None:
    """Return the measures that are asked for, of several targets those that fit this one."""
    if options.measures is None or not options.several or options.measures == ["all"]:
        return cast("list[str] | None", options.measures)
    assert source.target is not None
    plain = [name.strip().lower().replace("-", "_") for name in options.measures]
    fitting = [name for name in plain if name not in MEASURES or MEASURES[name].task == source.target.task]
    return fitting or plain  # those of the other task alone are an error


def summary_of_targets(results: Mapping[str, Evaluation]) -> str:
    """Return a row for each target and method with the means of all measures."""
    lines = []
    for measures in dict.fromkeys(tuple(each.measures) for each in results.values()):
        shown = {name: each for name, each in results.items() if tuple(each.measures) == measures}
        rows = [
            [
                name,
                f"{each.n_graphs:,}",
                row.title,
                *(measure.text(mean_of(row.values(measure.name))) for measure in measures),
            ]
            for name, each in shown.items()
            for row in each.rows.values()
        ]
        header = ["target", "graphs", "method", *(measure.title for measure in measures)]
        lines += [*aligned([header, *rows], [1, *range(3, 3 + len(measures))]), ""]
    return "\n".join(lines[:-1])
