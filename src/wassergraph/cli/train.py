"""``wassergraph train``: fit a model of classes or numbers and save it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from wassergraph.cli.column_options import COLUMNS, imputed_columns, take_columns_of, training_columns
from wassergraph.cli.messages import as_flag
from wassergraph.cli.metric_options import add_metric
from wassergraph.cli.model_options import KERNEL, MODEL, model_of
from wassergraph.cli.options import (
    DATA,
    Commands,
    OptionTable,
    add_common,
    add_options,
    load_training_source,
)
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.arrays import IntArray
    from wassergraph.datasets.source import Source

_OPTIONS: OptionTable = {
    "data": ("DATA", DATA),
    "-o --out": (
        "FILE",
        "file to save the model to, usually *.wgm (default: the name of the data with .wgm, in the current folder)",
    ),
}
_SPLIT: OptionTable = {
    "--split-column": (
        "NAME",
        "a column of a table with train or test in every row: train on the one, and print the accuracy or error "
        "on the other (default: train on all rows)",
    ),
    "--random-state": (
        {"type": int, "default": 0, "metavar": "N"},
        "random seed of the folds and of the calibration set (default: 0)",
    ),
}
_CENSORED: OptionTable = {
    "--censored": (
        ("error", "drop", "value", "likelihood"),
        "what to do with values such as >10, <0.1 and ≤3 in a column of numbers: stop, leave them out, read them as "
        "the numbers 10, 0.1 and 3, or, with --model gp, learn from their likelihood, the probability that a number is "
        "beyond its bound; they are counted. Approximate values such as ~5 are read as the numbers by all but error "
        "(default: error)",
    ),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "train",
        help="fit a model of classes or numbers and save it",
        description="Compute the distances between all graphs, choose parameters by cross-validation (a Gaussian "
        "process: by its likelihood), fit a model with them and save it: a support vector machine for classes; ridge "
        "regression, support vector regression or a Gaussian process for numbers. Of several targets, with gaps where "
        "a row has no value, one model is fitted to each, and distances are computed once. A summary shows the "
        "parameters and their accuracy or error.",
        epilog="example: wassergraph train ENZYMES -o enzymes.wgm, or "
        "wassergraph train BACE.csv --target Class -o bace.wgm, or wassergraph train assays.csv --target all, or "
        "wassergraph train assay.csv --target IC50 --model gp --censored likelihood",
    )
    add_options(command, _OPTIONS)
    add_metric(command, depths=True, chosen=True)
    add_options(command, {**COLUMNS, **MODEL, **KERNEL, **_SPLIT})
    add_common(command, task=True, several=True, censored=_CENSORED)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Fit a model, save it and print a summary."""
    from wassergraph.cli.targets import learned_bounds, measure_test_rows, train_targets
    from wassergraph.files.atomic import check_target
    from wassergraph.models.summary import training_summary, training_table

    out = _default_out(options.data) if options.out is None else options.out
    if out == "-":
        raise InputError(
            "a model cannot be written to standard output", remedy="name a file with {}", options=[Option("out")]
        )
    if check_target(out) == Path(options.data).resolve():
        raise InputError("{} is the file of the data", remedy="name another file", options=[Option("out", out)])
    if options.censored == "likelihood" and options.model != "gp":
        problem, flags = "{} is for a Gaussian process", [Option("censored", "likelihood"), Option("model", "gp")]
        raise InputError(problem, remedy="add {}, or choose drop or value", options=flags)
    source = load_training_source(options)
    train, test = _split(options, source)
    if source.targets:
        train_targets(options, source, train, test, out)
        return
    assert source.target is not None
    y, target, bounds = source.target.values, source.target, learned_bounds(options, source.target)
    graphs = source.graphs if test is None else source.graphs[train]
    columns = training_columns(options, source)
    model = model_of(options, numbers=target.task == "regression").fit(
        graphs,
        y[train],
        names=[source.names[row] for row in train],
        target_name=target.name,
        source=source.reading,
        columns=take_columns_of(columns, train),
        impute=imputed_columns(options),
        **({} if bounds is None else {"censored": bounds[train]}),
    )
    model.save(out)
    if test is not None and bounds is not None:
        test = test[bounds[test] == 0]
    tested = (
        None if test is None else measure_test_rows(model, source.graphs[test], y[test], take_columns_of(columns, test))
    )
    if options.json:
        scores = {} if tested is None else {"test": tested.to_dict()}
        print(json.dumps({**source.describe_target(), **training_summary(model), **scores, "model": out}, indent=2))
    elif not options.quiet:
        row = "" if tested is None else f"\ntest rows of {options.split_column!r}: {tested}\n"
        print(f"{training_table(model, as_flag)}\n{row}\nModel written to {out}")


def _split(options: argparse.Namespace, source: Source) -> tuple[IntArray, IntArray | None]:
    """Return the rows to train on, and those to test with, if a column says it."""
    import numpy as np

    from wassergraph.tuning.splits import given_folds

    if options.split_column is None:
        return np.arange(len(source.graphs)), None
    cells = source.column(Option("split_column", options.split_column))
    folds = given_folds(cells, len(cells), name=options.split_column)
    if len(folds) > 1:
        problem = f"{{}} has {len(folds)} folds, but one model is trained"
        remedy = "write train and test, or estimate the accuracy of all folds with wassergraph evaluate and {}"
        flags = [Option("split_column", options.split_column), Option("split", "given")]
        raise InputError(problem, remedy=remedy, options=flags)
    return folds[0]


def _default_out(data: str) -> str:
    """Return the name of the data with the ending of models; raise an error if there is such a file already."""
    name = Path(data).resolve().name
    for ending in (".gz", ".zip", ".csv", ".tsv", ".smi", ".sdf"):
        name = name.removesuffix(ending)
    if Path(f"{name}.wgm").exists():
        problem = "this file exists already"
        raise InputError(problem, remedy="name a file with {}", options=[Option("out")], file=f"{name}.wgm")
    return f"{name}.wgm"
