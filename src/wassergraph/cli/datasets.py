"""``wassergraph datasets``: list data sets, or describe one."""

from __future__ import annotations

import argparse
import json

from wassergraph.cli.options import DATA, Commands, add_sources, reading_options


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "datasets",
        help="list data sets, or describe one",
        description="List the data sets that are known by name and those on disk. With DATA, describe what train would "
        "read: graphs, columns, target, task and classes.",
        epilog="example: WASSERGRAPH_DATA=~/graphs wassergraph datasets MUTAG, or wassergraph datasets molecules.csv",
    )
    command.add_argument("data", nargs="?", metavar="DATA", help=DATA)
    command.add_argument("--json", action="store_true", help="print JSON")
    add_sources(command, invalid=("skip", "error"), task=True, several=True)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list of data sets, or the description of one."""
    from wassergraph.datasets.description import describe_dataset, list_datasets

    if options.data is None:
        listing = list_datasets(options.data_home)
        print(json.dumps(listing.to_dict(), indent=2) if options.json else listing)
        return
    description = describe_dataset(options.data, reading_options(options))
    print(json.dumps(description.to_dict(), indent=2) if options.json else description)
