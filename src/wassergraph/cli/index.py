"""``wassergraph index``: prepare a collection of graphs for searches."""

from __future__ import annotations

import argparse
from pathlib import Path

from wassergraph.cli.metric_options import add_metric, metric_of
from wassergraph.cli.options import (
    DATA,
    Commands,
    OptionTable,
    add_common,
    add_options,
    load_source,
    number_of_graphs,
    print_result,
    show_progress,
    tell_not_compared,
)
from wassergraph.errors import InputError, Option

_OPTIONS: OptionTable = {
    "data": ("LIBRARY", f"the graphs: {DATA}; these are not used"),
    "-o --out": ({"required": True, "metavar": "FILE"}, "the file to write, by convention with the ending .wgi"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "index",
        help="prepare a collection of graphs for searches",
        description="Write a file in which wassergraph search finds the nearest graphs of new ones, exactly, without "
        "computing all distances. What is learned from the graphs, such as the scale of attributes, is kept in it. "
        "Graphs have the names of their table, or else their SMILES, or else their positions, counted from 0.",
        epilog="example: wassergraph index ZINC.csv -o zinc.wgi",
    )
    add_options(command, _OPTIONS)
    add_metric(command)
    add_common(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the index, and print what it holds."""
    from wassergraph.files.atomic import check_target
    from wassergraph.search.index import GraphIndex

    if options.out == "-":
        problem = "{} cannot be standard output, since an index is opened where it lies"
        raise InputError(problem, remedy="pass the name of a file", options=[Option("out")])
    check_target(options.out)
    source = load_source(options)
    tell_not_compared(options, source.graphs)
    index = GraphIndex(
        source.graphs,
        metric_of(options),
        names=source.titles,
        source=source.reading,
        n_jobs=options.n_jobs,
        progress=show_progress(options),
    )
    index.save(options.out)
    n_bytes, scheme = Path(options.out).stat().st_size, index.scheme
    if options.json or not options.quiet:
        facts = {"kind": scheme.kind, "compared": scheme.compared, "depth": index.depth, "bytes": n_bytes}
        size = f"{n_bytes / 1e6:,.0f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:,.0f} kB"
        embedded = f"{scheme.kind} ({scheme.compared}), depth {index.depth}"
        text = f"{options.out}: {number_of_graphs(len(index), index.graphs)}, {embedded}, {size}"
        print_result(options, {"path": options.out, "graphs": len(index), **facts}, text)
