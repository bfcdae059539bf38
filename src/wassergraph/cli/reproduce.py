"""``wassergraph reproduce``: run the experiments of the paper."""

from __future__ import annotations

import argparse

from wassergraph.cli.messages import print_message
from wassergraph.cli.options import (
    DATA_HOME,
    FLAG,
    N_JOBS,
    Commands,
    OptionTable,
    add_cluster,
    add_options,
    show_progress,
)
from wassergraph.errors import InputError, Option

_OPTIONS: OptionTable = {
    "what": (
        {"nargs": "*", "metavar": "WHAT"},
        "table1, table2, table3, sinkhorn, variants, published (the tables on the graphs as the authors published "
        "them), runtime, noise, definiteness, duplicates (equal graphs in the sets), beyond (the wide search, also "
        "without duplicates), or all of these; others (our defaults on benchmarks that others have set)",
    ),
    "--render": (FLAG, "write pages with all saved results next to those of the paper"),
    "--quick": (FLAG, "run one repetition on five small data sets, in out/quick"),
    "--only": (
        {"nargs": "+", "default": (), "metavar": "NAME"},
        "restrict tables to these data sets or methods; of others, also to the benchmarks moleculeace, adme or errica",
    ),
    "--repetitions": ({"type": int, "default": 10, "metavar": "N"}, "number of repetitions per method (default: 10)"),
    "--results": ("DIR", "folder of the results (default: results)"),
    "--page": (
        "FILE",
        "file of the page, next to which beyond.md and benchmarks.md are written (default: docs/reproduction.md)",
    ),
    "--benchmarks": (
        "DIR",
        "folder with the files of the benchmarks of others, which has the folders moleculeace, adme and errica "
        "(default: what WASSERGRAPH_BENCHMARKS names, or else ../shared/benchmarks)",
    ),
    "--cache": ({"default": "out/matrices", "metavar": "DIR"}, "folder for matrices (default: out/matrices)"),
    **DATA_HOME,
    **N_JOBS,
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "reproduce",
        help="run the experiments of the paper and compare the results",
        description="Run experiments of the paper and save the result of every repetition as soon as it is computed. "
        "Saved results are not computed again, so an interrupted run can be continued, and several runs can share the "
        "work.",
        epilog="example: wassergraph reproduce table3 --render",
    )
    add_options(command, _OPTIONS)
    add_cluster(command)
    add_options(command, {"--quiet": (FLAG, "print no progress")})
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Run experiments of the paper, and write the pages on request."""
    from wassergraph.reproduction.reproduce import make_settings, render, reproduce

    if not options.what and not options.render:
        raise InputError(
            "there is nothing to run",
            remedy="name an experiment such as table1, or pass {}",
            options=[Option("render", True)],
        )
    settings = make_settings(
        options.results,
        options.page,
        quick=options.quick,
        cache=options.cache,
        data_home=options.data_home,
        benchmarks=options.benchmarks,
        only=options.only,
        repetitions=options.repetitions,
        n_jobs=options.n_jobs,
        progress=show_progress(options),
        log=(lambda _: None) if options.quiet else print_message,
    )
    if options.what:
        reproduce(options.what, settings)
    if options.render:
        *others, last = map(str, render(settings))
        print(f"Pages written to {', '.join(others)} and {last}")
