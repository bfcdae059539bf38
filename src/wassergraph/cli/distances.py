"""``wassergraph distances``: compute the distances between graphs and save them."""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wassergraph.cli.messages import print_message
from wassergraph.cli.metric_options import add_metric, metric_of
from wassergraph.cli.options import (
    DATA,
    FLAG,
    Commands,
    OptionTable,
    add_common,
    add_options,
    load_source,
    show_progress,
    tell_not_compared,
)
from wassergraph.errors import DiskError, InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source

_STORE, _ARRAY, _TABLE = ".zarr", ".npy", ".csv"

_OPTIONS: OptionTable = {
    "data": ("DATA", DATA),
    "--others": ("DATA", "graphs to compare with (default: the same graphs)"),
    "-o --out": (
        {"required": True, "metavar": "PATH"},
        "a .zarr folder, a .npy file for numpy, or a .csv table with the names of the graphs",
    ),
    "--verify": (FLAG, "read all parts of a .zarr folder that were computed before, and compute damaged ones again"),
    "--dtype": ({"choices": ("float64", "float32"), "default": "float64"}, "type of the numbers (default: float64)"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "distances",
        help="compute the distances between graphs and save them",
        description="Compute the distances between all graphs, or from all graphs to those of another collection. A "
        ".zarr folder is written part by part, so the distances need not fit in memory; after an interrupt or a crash "
        "the same command computes only what is missing. A .npy or .csv file is written at the end.",
        epilog="example: wassergraph distances ENZYMES --depth 0-7 --out enzymes.zarr",
    )
    add_options(command, _OPTIONS)
    add_metric(command, depths=True, solvers=True)
    add_common(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Compute distances, save them and print a summary."""
    from wassergraph.metrics.depths import check_depths
    from wassergraph.pairwise.api import distances

    metric = metric_of(options)
    depths = check_depths(metric.depth)
    _check_out(options, n_depths=len(depths))
    sources = [load_source(options)]
    if options.others is not None:
        sources.append(load_source(options, options.others))
    tell_not_compared(options, sources[0].graphs)
    in_store = Path(options.out).suffix == _STORE
    try:
        computed = distances(
            *(source.graphs for source in sources),
            metric=metric,
            n_jobs=options.n_jobs,
            progress=show_progress(options),
            dtype=options.dtype,
            out=options.out if in_store else None,
            verify=options.verify,
        )
    except KeyboardInterrupt:
        if in_store:
            print_message(f"\nwhat is finished is kept in {options.out}; the same command computes the rest")
        raise
    if not in_store:
        try:
            _write(Path(options.out), computed, sources)
        except OSError as error:
            problem = f"this file cannot be written: {error.strerror or error}"
            raise DiskError(problem, remedy="make room, or choose another path", file=options.out) from error
    if options.json:
        print(json.dumps(_summary(options, depths, computed), indent=2))
    elif not options.quiet:
        rows, columns = computed.shape[-2:]
        graphs = f"between {rows:,} graphs" if len(sources) == 1 else f"from {rows:,} to {columns:,} graphs"
        at = ", ".join(map(str, depths))
        compared = metric.learn(sources[0].graphs).compared
        print(f"Distances {graphs} ({compared}) at depth {at} written to {options.out}")


def _check_out(options: argparse.Namespace, n_depths: int) -> None:
    """Raise an error if the distances cannot be written, before they are computed."""
    from wassergraph.files.atomic import check_target
    from wassergraph.pairwise.fill_store import check_store_target

    suffix = Path(options.out).suffix
    if suffix not in (_STORE, _ARRAY, _TABLE):
        problem = f"{{}} must end with {_STORE}, {_ARRAY} or {_TABLE}, got {options.out!r}"
        raise InputError(problem, options=[Option("out")])
    if suffix == _TABLE and n_depths > 1:
        problem = f"a table has the distances of one depth, but {{}} has {n_depths}"
        raise InputError(problem, remedy=f"write a {_STORE} or {_ARRAY}", options=[Option("depth")])
    if options.verify and suffix != _STORE:
        raise InputError(f"{{}} is used with a {_STORE} folder only", options=[Option("verify", True)])
    if suffix == _STORE:
        check_store_target(options.out)
    else:
        check_target(options.out)


def _write(path: Path, distances: Any, sources: list[Source]) -> None:
    import numpy as np

    from wassergraph.files.atomic import atomic_file

    if path.suffix == _ARRAY:
        with atomic_file(path) as file:
            np.save(file, distances)
        return
    with atomic_file(path, "w") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["graph", *sources[-1].names])
        for name, row in zip(sources[0].names, distances, strict=True):
            writer.writerow([name, *row.tolist()])


def _summary(options: argparse.Namespace, depths: list[int], distances: Any) -> dict[str, Any]:
    summary = {"out": options.out, "shape": list(distances.shape), "depth": depths, "dtype": options.dtype}
    return {**summary, "recipe": dict(distances.recipe)} if hasattr(distances, "recipe") else summary
