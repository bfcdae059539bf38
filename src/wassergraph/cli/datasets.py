"""``wassergraph datasets``: list data sets, or describe one."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.cli.options import add_reading

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "datasets",
        help="list data sets, or describe one",
        description="List the data sets that are known by name and those on disk. With DATA, describe one data set.",
        epilog="example: WASSERGRAPH_DATA=~/graphs wassergraph datasets MUTAG",
    )
    command.add_argument("data", nargs="?", metavar="DATA", help="a name, or the path of a folder or .zip in TU format")
    command.add_argument("--json", action="store_true", help="print JSON")
    add_reading(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list of data sets, or the description of one."""
    from wassergraph.datasets.description import describe_dataset, list_datasets

    if options.data is None:
        listing = list_datasets(options.data_home)
        print(json.dumps(listing.to_dict(), indent=2) if options.json else listing)
        return
    description = describe_dataset(
        options.data,
        data_home=options.data_home,
        symmetrize=options.symmetrize,
        self_loops=options.self_loops,
        repeats=options.repeats,
        empty_graphs=options.empty_graphs,
    )
    print(json.dumps(description.to_dict(), indent=2) if options.json else description)
