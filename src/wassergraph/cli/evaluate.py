"""``wassergraph evaluate``: estimate the accuracy of methods by nested cross-validation."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from wassergraph.cli.messages import print_message
from wassergraph.cli.options import (
    DATA,
    STANDARDIZE,
    add_choice_of_mass,
    add_cluster,
    add_kind,
    add_output,
    add_parameters,
    add_sources,
    describe_target,
    load_training_source,
    read_folds,
    show_progress,
)
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "evaluate",
        help="estimate the accuracy of methods by nested cross-validation",
        description="Split the graphs into folds. For each fold, choose the parameters of a method on the training "
        "graphs alone, fit an SVM and compute its accuracy on the test graphs. The table shows the accuracy and the "
        "running time of each method. Data sets of the paper are prepared as in the paper; they are recognized by "
        "their content, not by their name.",
        epilog="example: wassergraph evaluate ENZYMES --method wwl rbf-wl wl --repetitions 10 --plot enzymes.png, or "
        "wassergraph evaluate BACE.csv --target Class --method wwl wl",
    )
    command.add_argument("data", metavar="DATA", help=DATA)
    command.add_argument(
        "--method",
        nargs="+",
        default=["wwl"],
        metavar="M",
        help="methods to compare: wwl (default); on labels v, e, wl, wl-oa; on attributes vh-c, rbf-wl, hgk-wl, "
        "hgk-sp, gh, wwl-sinkhorn; a variant such as wwl+joint; or all, every method that applies to these graphs",
    )
    add_kind(command)
    add_choice_of_mass(command)
    add_parameters(command)
    _add_folds(command)
    command.add_argument("--plot", metavar="FILE", help="save a box plot of the accuracies as .png, .svg or .pdf")
    add_cluster(command)
    add_output(command, quiet="print only the result")
    add_sources(command, task=True)
    command.set_defaults(run=run)


def _add_folds(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--repetitions", type=int, default=1, metavar="N", help="repeat with new random folds (default: 1)"
    )
    command.add_argument(
        "--folds",
        type=read_folds,
        default="auto",
        metavar="N",
        help="number of outer folds (default: auto, 10, or fewer if no class has as many graphs)",
    )
    command.add_argument(
        "--inner-folds",
        type=read_folds,
        default="auto",
        metavar="N",
        help="number of inner folds, used to choose parameters (default: auto, 5, or fewer if no class has as many "
        "graphs)",
    )
    command.add_argument(
        "--random-state",
        type=int,
        default=0,
        metavar="N",
        help="random seed of the folds of the first repetition; each further one adds 1 (default: 0)",
    )


def run(options: argparse.Namespace) -> None:
    """Print the accuracy of methods, and save a picture of it on request."""
    from wassergraph.evaluation.evaluate import evaluate
    from wassergraph.pictures.accuracies import draw_accuracies
    from wassergraph.pictures.style import check_picture
    from wassergraph.reproduction.setups import paper_setups

    if options.plot is not None:
        check_picture(options.plot)
    source, y = load_training_source(options)
    if source.target is not None and source.target.task == "regression":
        raise InputError(
            "methods are compared on classes only",
            remedy="pass {} if the numbers are classes, or use train, which prints the error in its inner folds",
            options=[Option("task", "classification")],
            file=options.data,
        )
    report = evaluate(
        source.graphs,
        y,
        method=options.method,
        kind=options.kind,
        standardize=STANDARDIZE[options.standardize],
        edge_labels=options.edge_labels,
        mass=options.mass,
        depth=options.depth,
        gamma=options.gamma,
        C=options.C,
        preparation=None if source.published is None else paper_setups(source.published),
        repetitions=options.repetitions,
        folds=options.folds,
        inner_folds=options.inner_folds,
        random_state=options.random_state,
        n_jobs=options.n_jobs,
        progress=show_progress(options),
    )
    facts = {"data": options.data, **describe_target(source)}
    print(json.dumps({**facts, **report.to_dict()}, indent=2) if options.json else report)
    if options.plot is not None:
        draw_accuracies(report, path=options.plot, title=Path(options.data).name)
        if not options.quiet:
            print_message(f"Box plot written to {options.plot}")
