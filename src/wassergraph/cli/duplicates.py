"""``wassergraph duplicates``: find graphs that are equal, or near each other."""

from __future__ import annotations

import argparse
import json

from wassergraph.cli.messages import print_message
from wassergraph.cli.metric_options import add_metric, metric_of
from wassergraph.cli.options import (
    DATA,
    Commands,
    OptionTable,
    add_common,
    add_options,
    load_source,
    show_progress,
    tell_not_compared,
)

_OPTIONS: OptionTable = {
    "data": ("DATA", f"{DATA}; these may be unknown"),
    "--radius": ({"type": float, "default": 0.0, "metavar": "R"}, "the largest distance of neighbors (default: 0)"),
    "-o --out": ("FILE", "a .csv table to write, with a row for each graph of a group"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "duplicates",
        help="find graphs that are equal, or near each other",
        description="Find groups of graphs that the distance does not tell apart, or that are connected through small "
        "distances; how many graphs of each group are really different; and which groups have graphs of different "
        "classes. Duplicates in both parts of a split make a model look better than it is.",
        epilog="example: wassergraph duplicates NCI1 --kind categorical -o duplicates.csv",
    )
    add_options(command, _OPTIONS)
    add_metric(command)
    add_common(command, cluster=False, quiet="print only the result", task=True)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print groups of duplicates, and write them to a table on request."""
    from wassergraph.files.atomic import atomic_file, check_target
    from wassergraph.search.duplicates import find_duplicates

    if options.out is not None:
        check_target(options.out)
    source = load_source(options)
    tell_not_compared(options, source.graphs)
    found = find_duplicates(
        source.graphs,
        source.known_targets,
        radius=options.radius,
        names=source.names,
        metric=metric_of(options),
        n_jobs=options.n_jobs,
        progress=show_progress(options),
    )
    print(json.dumps({"data": options.data, **found.to_dict()}, indent=2) if options.json else found)
    if options.out is not None:
        with atomic_file(options.out, "w") as file:
            file.write(found.to_csv())
        if not options.quiet:
            print_message(f"Table written to {options.out}")
