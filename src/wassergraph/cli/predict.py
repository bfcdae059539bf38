"""``wassergraph predict``: predict the classes or numbers of new graphs."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.cli.column_options import new_columns
from wassergraph.cli.messages import print_message
from wassergraph.cli.models import (
    compared_target,
    load_new_source,
    load_trained,
    model_of_target,
    predicts_classes,
    targets_of,
)
from wassergraph.cli.options import CENSORED, DATA, TARGET_OF_MODEL, Commands, OptionTable, add_common, add_options

if TYPE_CHECKING:
    from wassergraph.cli.prediction_table import Predictions
    from wassergraph.datasets.source import Source
    from wassergraph.datasets.targets import Target
    from wassergraph.models.graph_model import GraphModel
    from wassergraph.models.summary import Model
    from wassergraph.models.target_models import TargetModels

_OPTIONS: OptionTable = {
    "model": ("MODEL", "file written by wassergraph train or GraphClassifier.save"),
    "data": (
        {"nargs": "+", "metavar": "NEW"},
        f"one or several SMILES; or the new graphs: {DATA}; classes may be unknown",
    ),
    "-o --out": ("FILE", "file to write the table to (default: -, standard output)"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "predict",
        help="predict the classes or numbers of new graphs",
        description="Write one row per graph: the predicted class, a score and a probability for every class, and "
        "the class that is most probable; or the predicted number and an interval that contains the true one for at "
        "least 90 percent of graphs like those of the training, with the name of the learned column, which may have "
        "their unit. Then the nearest training graph, its distance, the "
        "percentage of training graphs that are nearer than that to another one, whether the graph is inside the "
        "domain of the training graphs (up to 95 percent, and no unseen labels), the unseen labels: elements, bonds or "
        "labels that no training graph has, and whether the graph is a training graph, or one that the model "
        "cannot tell from a training graph, at distance 0. A table of "
        "molecules is written with all its columns, in its order, followed by those of the predictions; the name of a "
        "prediction that is also the name of a column, in upper or lower case, begins with predicted_. New graphs are "
        "read as those of the training were, and predictions are compared with the column that the model learned, if "
        "the table has it, unless options say otherwise. Of a model of several targets there is a group of columns for "
        "each, whose names begin with its name; --target writes one alone.",
        epilog="example: wassergraph predict enzymes.wgm new.zip -o predictions.csv, or wassergraph predict bace.wgm "
        "new.csv -o - | head, or wassergraph predict bace.wgm CCO CCN",
    )
    add_options(command, _OPTIONS)
    add_common(command, target=TARGET_OF_MODEL, invalid=("nan", "skip", "error"), censored=CENSORED)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print or save the predictions for new graphs."""
    from wassergraph.cli.prediction_table import predict_all
    from wassergraph.files.atomic import check_target

    out = None if options.out == "-" else options.out
    if out is not None:
        check_target(out)
    model = load_trained(options)
    several = targets_of(model)
    if several is not None and options.target is None:
        predict_several(options, several, out)
        return
    model = model if several is None else model_of_target(options, several)
    options.task = "classification" if predicts_classes(model) else "auto"
    source = load_new_source(options, model, smiles=True)
    predictions = predict_all(
        model, source.graphs, source.columns, source.rows, source.positions, new_columns(options, model, source)
    )
    write_table(options, predictions, out)
    if not options.quiet:
        comparison = [*_less_probable(model, predictions), *_comparison(options, model, source, predictions)]
        print_message(_summary(model, source, predictions, comparison, out))


def predict_several(options: argparse.Namespace, models: TargetModels, out: str | None) -> None:
    """Print or save the predictions of several targets side by side."""
    from wassergraph.cli.prediction_table import side_by_side
    from wassergraph.cli.targets import describe_targets, predict_targets

    options.task = "auto"
    source = load_new_source(options, models, smiles=True)
    predictions = predict_targets(options, models, source)
    write_table(options, side_by_side(predictions), out)
    if not options.quiet:
        graphs = f"{len(source.graphs):,} graph{'' if len(source.graphs) == 1 else 's'}"
        print_message(f"{len(predictions)} targets predicted for {graphs}")
        for line in describe_targets(models, source, predictions):
            print_message(line)
        if out is not None:
            print_message(f"table written to {out}")


def write_table(options: argparse.Namespace, predictions: Predictions, out: str | None) -> None:
    """Write a table of predictions, as CSV or JSON, to a file or to standard output."""
    from wassergraph.files.atomic import write_atomically

    text = json.dumps(predictions.to_dicts(), indent=2) + "\n" if options.json else predictions.to_csv()
    if out is None:
        print(text, end="")
    else:
        write_atomically(out, text.encode())


def _less_probable(model: Model, predictions: Predictions) -> list[str]:
    """Return of how many graphs the predicted class is not the most probable one, and why."""
    number = predictions.n_less_probable
    threshold = getattr(model, "threshold_", None)
    if not number:
        return []
    why = "since the class is that of most decisions between two classes"
    if len(model.classes_) == 2:
        why = "since the class follows from the decision, to which probabilities are fitted in the folds"
    if threshold is not None:
        second = model.classes_.tolist()[1]
        why = f"since {second} is predicted from a probability of {threshold:.4g} on"
    return [f"{number:,} with a class that is not the most probable one, {why}"]


def _summary(
    model: GraphModel, source: Source, predictions: Predictions, comparison: list[str], out: str | None
) -> str:
    graphs = f"{len(source.graphs):,} graph{'' if len(source.graphs) == 1 else 's'}"
    is_named = model.target_name_ is not None and not predicts_classes(model)
    parts = [f"{model.target_name_!r} predicted for {graphs}" if is_named else f"{graphs} predicted", *comparison]
    n_outside = predictions.cells.get("domain", []).count("outside")
    if n_outside:
        n_unseen = sum(map(bool, predictions.cells["unseen"]))
        unseen = f", {n_unseen:,} of them with labels that no training graph has" if n_unseen else ""
        parts.append(f"{n_outside:,} outside the domain of the training graphs{unseen}")
    if out is not None:
        parts.append(f"table written to {out}")
    return ", ".join(parts)


def _comparison(options: argparse.Namespace, model: GraphModel, source: Source, predictions: Predictions) -> list[str]:
    """Return how well predictions agree with the target that the model learned, or that there is none to compare."""
    target = compared_target(options, model, source)
    agreement = None if target is None else predictions.agreement(target.values, target.positions)
    if target is not None and agreement is not None:
        return [f"compared with {_target_text(target, source)}: {agreement}", *_unknown_classes(target, predictions)]
    copies = 0 if predictions.training is None else int(predictions.training.sum())
    equal = "1 graph equal to a training graph" if copies == 1 else f"{copies:,} graphs equal to training graphs"
    parts = [equal] if copies else []
    return parts + _why_not(options.target or model.target_name_, model, source)


def _unknown_classes(target: Target, predictions: Predictions) -> list[str]:
    """Return how many rows have a class that cannot be predicted, if there are any."""
    if predictions.classes is None:
        return []
    known = set(map(str, predictions.classes.tolist()))
    n_unknown = sum(str(each) not in known for each in target.values.tolist())
    rows = f"{n_unknown:,} {'row' if n_unknown == 1 else 'rows'}"
    return [f"{rows} with a class that the model does not know (an error there)"] if n_unknown else []


def _why_not(name: str | None, model: GraphModel, source: Source) -> list[str]:
    """Return why predictions of a table are not compared with a column, that of the target."""
    if source.facts is None or name is None:
        return []
    if name not in source.columns:
        similar = [f" (--target {each!r} is similar)" for each in source.columns if each.lower() == name.lower()]
        return [f"no column {name!r} to compare with{''.join(similar[:1])}"]
    known = "class that the model knows" if predicts_classes(model) else "number"
    return [f"not compared with the column {name!r}, which has no {known}"]


def _target_text(target: Target, source: Source) -> str:
    if target.name is None:
        return "the graph labels"
    return repr(target.name) if source.facts is None else f"the column {target.name!r}"
