"""``wassergraph compare``: compute the distance of two graphs, and where it comes from."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.cli.metric_options import add_metric, metric_of
from wassergraph.cli.options import (
    FLAG,
    Commands,
    OptionTable,
    add_options,
    add_sources,
    load_source,
    reading_options,
    tell_not_compared,
)
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.explain.plan import TransportPlan
    from wassergraph.graphs.batch import GraphBatch

#: What to do if there are not two graphs.
_REMEDY, _ROWS = "pass two SMILES, two .graphml or .gml files, or a data set and {}", Option("rows", "I J")

_OPTIONS: OptionTable = {
    "graphs": (
        {"nargs": "+", "metavar": "GRAPH"},
        "two graphs, each a SMILES, a .graphml or .gml file, or a data set of one graph; or, with --rows, what "
        "the other commands read graphs from, such as MUTAG or molecules.csv",
    ),
    "--rows": (
        {"type": int, "nargs": 2, "metavar": ("I", "J")},
        "the rows of two graphs in a table, without the header, or their positions, both counted from 1",
    ),
}
_PRINTED: OptionTable = {
    "--json": (FLAG, "print JSON, with all moves"),
    "-o --out": ("FILE", "save a picture of both graphs and the plan as .png, .svg or .pdf"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "compare",
        usage="wassergraph compare GRAPH GRAPH [options]\n       wassergraph compare DATA --rows I J [options]",
        help="compute the distance of two graphs, and where it comes from",
        description="Print the distance of two graphs, and which nodes are moved onto which, beginning with the most "
        "expensive moves. The graphs are two SMILES, two .graphml or .gml files, or two rows of a data set.",
        epilog="example: wassergraph compare CCO CCN -o plan.svg, or wassergraph compare BACE.csv --rows 1 2",
    )
    add_options(command, _OPTIONS)
    add_metric(command)
    add_options(command, _PRINTED)
    add_sources(command, invalid=("nan", "error"))
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the distance of two graphs, and the most expensive moves."""
    from wassergraph.explain.plan_table import plan_dict, plan_table
    from wassergraph.pictures.plans import draw_plan
    from wassergraph.pictures.style import check_picture

    if options.out is not None:
        check_picture(options.out)
    plan, names = _plan_of_two(options) if options.rows is None else _plan_of_rows(options)
    print(json.dumps(plan_dict(plan, names), indent=2) if options.json else plan_table(plan, names))
    if options.out is not None:
        draw_plan(plan, path=options.out, title=" → ".join(names))


def _plan_of_two(options: argparse.Namespace) -> tuple[TransportPlan, tuple[str, str]]:
    """Compare two graphs that are given one by one."""
    if len(options.graphs) != 2:
        n_given = len(options.graphs)
        problem = f"two graphs are compared, but {n_given} {'is' if n_given == 1 else 'are'} given"
        raise InputError(problem, remedy=_REMEDY, options=[_ROWS])
    one, other = options.graphs
    return _plan(options, _read_two(options, one, other), 0, 1), (one, other)


def _read_two(options: argparse.Namespace, one: str, other: str) -> GraphBatch:
    """Read two graphs; files of graphs together, since what is a label depends on both."""
    from wassergraph.datasets.inputs import load_graph_files
    from wassergraph.datasets.source_kind import is_graph_file
    from wassergraph.graphs.batch import GraphBatch

    if is_graph_file(one) and is_graph_file(other):
        return load_graph_files([one, other], reading_options(options))
    return GraphBatch.concatenate([_read_one(options, one), _read_one(options, other)])


def _read_one(options: argparse.Namespace, text: str) -> GraphBatch:
    """Read a graph file, a data set of one graph, or a SMILES."""
    from wassergraph.datasets.inputs import load_graph_files
    from wassergraph.datasets.source_kind import is_graph_file

    if is_graph_file(text):
        return load_graph_files([text], reading_options(options))
    graphs = load_source(options, text, smiles=True).graphs
    if len(graphs) != 1:
        problem = f"there are {len(graphs):,} graphs, but one is compared with one"
        raise InputError(problem, remedy="choose two of them with {}", options=[_ROWS], file=text)
    return graphs


def _plan_of_rows(options: argparse.Namespace) -> tuple[TransportPlan, tuple[str, str]]:
    """Compare two graphs of a data set."""
    if len(options.graphs) != 1:
        problem = f"{{}} applies to one data set, but {len(options.graphs)} are given"
        raise InputError(problem, remedy="pass one, or remove {}", options=[Option("rows"), Option("rows")])
    source = load_source(options, options.graphs[0])
    one, other = (source.graph_in_row(row, Option("rows")) for row in options.rows)
    titles = [source.title(graph) for graph in (one, other)]
    names = [f"row {row}" if t is None else f"row {row} ({t})" for row, t in zip(options.rows, titles, strict=True)]
    return _plan(options, source.graphs, one, other), (names[0], names[1])


def _plan(options: argparse.Namespace, graphs: GraphBatch, one: int, other: int) -> TransportPlan:
    from wassergraph.explain.transport import transport_plan

    tell_not_compared(options, graphs)
    if options.size_weight is not None:
        problem, remedy = "{} is no part of a plan", "leave it out; wassergraph distances adds it to the distance"
        raise InputError(problem, remedy=remedy, options=[Option("size_weight")])
    return transport_plan(graphs, one, other, metric=metric_of(options))
