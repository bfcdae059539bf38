"""``wassergraph compare``: compute the distance of two graphs, and where it comes from."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.cli.options import STANDARDIZE, add_given_mass, add_kind, add_out, add_sources, load_source
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands
    from wassergraph.explain.plan import TransportPlan
    from wassergraph.graphs.batch import GraphBatch

#: What to do if there are not two graphs.
_REMEDY, _ROWS = "pass two SMILES, or a data set and {}", Option("rows", "I J")


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "compare",
        usage="wassergraph compare SMILES SMILES [options]\n       wassergraph compare DATA --rows I J [options]",
        help="compute the distance of two graphs, and where it comes from",
        description="Print the distance of two graphs, and which nodes are moved onto which, beginning with the most "
        "expensive moves. The graphs are two SMILES, or two rows of a data set.",
        epilog="example: wassergraph compare CCO CCN -o plan.svg, or wassergraph compare BACE.csv --rows 1 2",
    )
    command.add_argument(
        "graphs",
        nargs="+",
        metavar="GRAPH",
        help="two SMILES; or, with --rows, what the other commands read graphs from, such as MUTAG or molecules.csv",
    )
    command.add_argument(
        "--rows",
        type=int,
        nargs=2,
        metavar=("I", "J"),
        help="the rows of two graphs in a table, without the header, or their positions, both counted from 1",
    )
    command.add_argument(
        "--depth", type=int, default=3, metavar="H", help="number of Weisfeiler-Lehman iterations (default: 3)"
    )
    add_kind(command)
    add_given_mass(command)
    command.add_argument("--json", action="store_true", help="print JSON, with all moves")
    add_out(command, "save a picture of both graphs and the plan as .png, .svg or .pdf", required=False)
    add_sources(command, invalid=("nan", "error"))
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the distance of two graphs, and the most expensive moves."""
    from wassergraph.explain.plan_table import plan_dict, plan_table
    from wassergraph.pictures.plans import draw_plan
    from wassergraph.pictures.style import check_picture

    if options.out is not None:
        check_picture(options.out)
    plan, names = _plan_of_smiles(options) if options.rows is None else _plan_of_rows(options)
    print(json.dumps(plan_dict(plan, names), indent=2) if options.json else plan_table(plan, names))
    if options.out is not None:
        draw_plan(plan, path=options.out, title=" → ".join(names))


def _plan_of_smiles(options: argparse.Namespace) -> tuple[TransportPlan, tuple[str, str]]:
    """Compare two SMILES."""
    from wassergraph.graphs.batch import GraphBatch

    if len(options.graphs) != 2:
        n_given = len(options.graphs)
        problem = f"two graphs are compared, but {n_given} {'is' if n_given == 1 else 'are'} given"
        raise InputError(problem, remedy=_REMEDY, options=[_ROWS])
    one, other = options.graphs
    return _plan(options, GraphBatch.concatenate([_read_smiles(one), _read_smiles(other)]), 0, 1), (one, other)


def _read_smiles(text: str) -> GraphBatch:
    from wassergraph.formats.rdkit import from_smiles

    try:
        return from_smiles(text)
    except InputError as error:
        raise InputError(error.problem, remedy=_REMEDY, options=[_ROWS]) from error


def _plan_of_rows(options: argparse.Namespace) -> tuple[TransportPlan, tuple[str, str]]:
    """Compare two graphs of a data set."""
    if len(options.graphs) != 1:
        problem = f"{{}} applies to one data set, but {len(options.graphs)} are given"
        raise InputError(problem, remedy="pass one, or remove {}", options=[Option("rows"), Option("rows")])
    source = load_source(options, options.graphs[0])
    one, other = (source.graph_in_row(row, Option("rows")) for row in options.rows)
    first, second = (f"row {row} ({source.names[g]})" for row, g in zip(options.rows, (one, other), strict=True))
    return _plan(options, source.graphs, one, other), (first, second)


def _plan(options: argparse.Namespace, graphs: object, one: int, other: int) -> TransportPlan:
    from wassergraph.explain.transport import transport_plan

    return transport_plan(
        graphs,
        one,
        other,
        depth=options.depth,
        kind=options.kind,
        standardize=STANDARDIZE[options.standardize],
        edge_labels=options.edge_labels,
        mass=options.mass,
    )
