"""``wassergraph predict``: predict the classes or numbers of new graphs."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.cli.messages import print_message
from wassergraph.cli.options import DATA, add_cluster, add_out, add_output, add_sources, load_source, show_progress

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands
    from wassergraph.datasets.source import Source
    from wassergraph.learning.predictions import Predictions
    from wassergraph.learning.summary import Model


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "predict",
        help="predict the classes or numbers of new graphs",
        description="Write one row per graph: the predicted class, a score and a probability for every class, and "
        "the class that is most probable; or the predicted number and an interval that contains the true one for at "
        "least 90 percent of graphs like those of the training. Then the nearest training graph, its distance, the "
        "percentage of training graphs that are nearer than that to another one, whether the graph is inside the "
        "domain of the training graphs (up to 95 percent, and no unseen labels), and the unseen labels: elements, "
        "bonds or labels that no training graph has. A table of molecules is written with all its columns, in its "
        "order, followed by those of the predictions; the name of a prediction that is also the name of a column, in "
        "upper or lower case, begins with predicted_.",
        epilog="example: wassergraph predict enzymes.wgm new.zip -o predictions.csv, or wassergraph predict bace.wgm "
        "new.csv -o - | head",
    )
    command.add_argument("model", metavar="MODEL", help="file written by wassergraph train or WWLClassifier.save")
    command.add_argument("data", metavar="NEW", help=f"the new graphs: {DATA}; classes may be unknown")
    add_out(command, "file to write the table to (default: -, standard output)", required=False)
    add_cluster(command)
    add_output(command)
    add_sources(command, invalid=("nan", "skip", "error"))
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print or save the predictions for new graphs."""
    from wassergraph.files.atomic import check_target, write_atomically
    from wassergraph.learning.classifier import WWLClassifier
    from wassergraph.learning.model_files.loading import load_model
    from wassergraph.learning.predictions import predict_all

    out = None if options.out == "-" else options.out
    if out is not None:
        check_target(out)
    model = load_model(options.model).set_params(n_jobs=options.n_jobs, progress=show_progress(options))
    options.task = "classification" if isinstance(model, WWLClassifier) else "auto"
    source = load_source(options)
    predictions = predict_all(model, source.graphs, source.columns, source.rows, source.positions)
    text = json.dumps(predictions.to_dicts(), indent=2) + "\n" if options.json else predictions.to_csv()
    if out is None:
        print(text, end="")
    else:
        write_atomically(out, text.encode())
    if not options.quiet:
        print_message(_summary(source, model, predictions, out))


def _less_probable(model: Model, predictions: Predictions) -> list[str]:
    """Return of how many graphs the predicted class is not the most probable one, and why."""
    number = predictions.n_less_probable
    threshold = getattr(model, "threshold_", None)
    if not number:
        return []
    why = "since the class is that of most decisions between two classes"
    if threshold is not None:
        second = model.classes_.tolist()[1]
        why = f"since {second} is predicted from a probability of {threshold:.4g} on"
    return [f"{number:,} with a class that is not the most probable one, {why}"]


def _summary(source: Source, model: Model, predictions: Predictions, out: str | None) -> str:
    n_graphs = len(source.graphs)
    parts = [f"{n_graphs:,} graph{'' if n_graphs == 1 else 's'} predicted", *_less_probable(model, predictions)]
    target = source.target
    agreement = None if target is None else predictions.agreement(target.values, target.positions)
    if agreement is not None:
        parts.append(str(agreement))
    n_outside = predictions.cells.get("domain", []).count("outside")
    if n_outside:
        n_unseen = sum(map(bool, predictions.cells["unseen"]))
        unseen = f", {n_unseen:,} of them with labels that no training graph has" if n_unseen else ""
        parts.append(f"{n_outside:,} outside the domain of the training graphs{unseen}")
    if out is not None:
        parts.append(f"table written to {out}")
    return ", ".join(parts)
