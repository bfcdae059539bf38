"""``wassergraph predict``: predict the classes of new graphs."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.cli.messages import print_message
from wassergraph.cli.options import DATA, add_cluster, add_output, add_sources, load_source, show_progress

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "predict",
        help="predict the classes of new graphs",
        description="Write one row per graph: the predicted class, and a score and a probability for every class.",
        epilog="example: wassergraph predict enzymes.wgm new.zip --out predictions.csv",
    )
    command.add_argument("model", metavar="MODEL", help="file written by wassergraph train or WWLClassifier.save")
    command.add_argument("data", metavar="NEW", help=f"the new graphs: {DATA}; classes may be unknown")
    command.add_argument("--out", metavar="FILE", help="file to write the table to (default: standard output)")
    add_cluster(command)
    add_output(command)
    add_sources(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print or save the predictions for new graphs."""
    from wassergraph.files.atomic import check_target, write_atomically
    from wassergraph.learning.model_files.loading import load_model
    from wassergraph.learning.predictions import predict_all

    if options.out is not None:
        check_target(options.out)
    model = load_model(options.model).set_params(n_jobs=options.n_jobs, progress=show_progress(options))
    source = load_source(options)
    predictions = predict_all(model, source.graphs, source.names)
    text = json.dumps(predictions.rows(), indent=2) + "\n" if options.json else predictions.to_csv()
    if options.out is None:
        print(text, end="")
    else:
        write_atomically(options.out, text.encode())
    if not options.quiet:
        accuracy = None if source.y is None else predictions.accuracy(source.y)
        print_message(_summary(len(source.graphs), accuracy, options.out))


def _summary(n_graphs: int, accuracy: float | None, out: str | None) -> str:
    parts = [f"{n_graphs:,} graph{'' if n_graphs == 1 else 's'} predicted"]
    if accuracy is not None:
        parts.append(f"accuracy on the given classes {accuracy:.2%}")
    if out is not None:
        parts.append(f"table written to {out}")
    return ", ".join(parts)
