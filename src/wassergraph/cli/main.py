"""The command line: parse, one library call, print. Nothing heavy is loaded before a command runs."""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from wassergraph.cli.options import (
    DATA,
    STANDARDIZE,
    add_kind,
    add_output,
    add_reading,
    add_sources,
    load_source,
    read_depths,
    read_numbers,
    show_bars,
)

_EXAMPLES = """\
examples:
  wassergraph datasets                    list the data sets that are known, and which are on disk
  wassergraph datasets ENZYMES            describe one; it is downloaded if it is not on disk
  wassergraph datasets my/folder --json   describe your own, in TU format, for a program
  wassergraph evaluate MUTAG --method wwl wl v
                                          tell how well methods classify, by nested cross-validation
  wassergraph train MUTAG --out m.wgm     choose parameters, train, and write the model
  wassergraph predict m.wgm new.zip --out predictions.csv
  wassergraph reproduce table1 --render   the paper's experiments, and a page beside the paper
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code: 0 fine, 1 it could not be computed, 2 bad input, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ░ or – gets a ? instead of a traceback
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        _complain("\nwassergraph: interrupted")
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough; let Python not stumble over it at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        _complain(f"wassergraph: error: {_flags(str(error))}")
        return 1 if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else 2
    except (RuntimeError, ArithmeticError, MemoryError) as error:  # a solver, or the machine, did not make it
        _complain(f"wassergraph: failed: {str(error) or 'out of memory'}")
        return 1
    return 0


def _complain(text: str) -> None:
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"wassergraph: warning: {message}")


def _flags(message: str) -> str:
    """Write the options that a message names as they are written here: ``repeats="last"`` as ``--repeats last``."""
    message = message.replace("symmetrize=True", "--symmetrize")
    message = re.sub(
        r'\b(self_loops|repeats|empty_graphs|node_labels|node_attributes|edge_weights)="(\w+)"',
        lambda found: f"{_flag(found[1])} {found[2]}",
        message,
    )
    return re.sub(
        r"\b(data_home|labels_file|smiles_column|target_column|inner_folds|random_state)\b",
        lambda found: _flag(found[1]),
        message,
    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wassergraph",
        description="Wasserstein Weisfeiler-Lehman graph kernels.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_datasets(commands)
    _add_evaluate(commands)
    _add_train(commands)
    _add_predict(commands)
    _add_reproduce(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, *_: Any) -> NoReturn:
        import wassergraph

        print(f"wassergraph {wassergraph.__version__}")
        raise SystemExit(0)


def _add_datasets(commands: Any) -> None:
    command = commands.add_parser(
        "datasets",
        help="list data sets, or describe one",
        description="List the data sets that are known by name and those on disk; with DATA, describe one.",
        epilog="example: WASSERGRAPH_DATA=~/graphs wassergraph datasets MUTAG",
    )
    command.add_argument("data", nargs="?", metavar="DATA", help="a name, or the path of a folder or .zip in TU format")
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
    add_reading(command)
    command.set_defaults(run=_datasets)


def _datasets(options: argparse.Namespace) -> None:
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


def _add_evaluate(commands: Any) -> None:
    command = commands.add_parser(
        "evaluate",
        help="tell how well methods classify graphs, by nested cross-validation",
        description="Cut the graphs into folds; in each, choose the parameters of a method on the training part alone, "
        "train, and test on the rest. A table tells how accurate each method is, and where the time went. Data "
        "sets of the paper that are given by name are used as the paper does.",
        epilog="example: wassergraph evaluate ENZYMES --method wwl rbf-wl wl --repetitions 10 --plot enzymes.png",
    )
    command.add_argument("data", metavar="DATA", help=DATA)
    command.add_argument(
        "--method",
        nargs="+",
        default=["wwl"],
        metavar="M",
        help="wwl (the default); on labels v, e, wl, wl-oa; on attributes vh-c, rbf-wl, hgk-wl, hgk-sp, gh, "
        "wwl-sinkhorn; a variant such as wwl+joint; or all that find in the graphs what they compare: all",
    )
    add_kind(command)
    command.add_argument("--repetitions", type=int, default=1, metavar="N", help="with other folds each (default: 1)")
    command.add_argument("--folds", type=int, default=10, metavar="N", help="the outer folds (default: 10)")
    command.add_argument("--inner-folds", type=int, default=5, metavar="N", help="those inside of each (default: 5)")
    command.add_argument(
        "--random-state", type=int, default=0, metavar="N", help="the seed of the first repetition (default: 0)"
    )
    command.add_argument("--plot", metavar="FILE", help="draw a box plot of the accuracies (.png, .svg, .pdf)")
    add_output(command, quiet="nothing but the result")
    add_sources(command)
    command.set_defaults(run=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    from wassergraph.evaluation.evaluate import evaluate, paper_setups
    from wassergraph.pictures.draw import check_picture, draw_accuracies

    if options.plot is not None:
        check_picture(options.plot)
    source = load_source(options, need_classes=True)
    report = evaluate(
        source.graphs,
        source.y,
        method=options.method,
        kind=options.kind,
        standardize=STANDARDIZE[options.standardize],
        setup=paper_setups(options.data),
        repetitions=options.repetitions,
        folds=options.folds,
        inner_folds=options.inner_folds,
        random_state=options.random_state,
        n_jobs=options.n_jobs,
        progress=show_bars(options),
    )
    print(json.dumps({"data": options.data, **report.to_dict()}, indent=2) if options.json else report)
    if options.plot is not None:
        draw_accuracies(report, path=options.plot, title=Path(options.data).name)
        if not options.quiet:
            _complain(f"The picture is in {options.plot}")


def _add_train(commands: Any) -> None:
    command = commands.add_parser(
        "train",
        help="train a classifier and write it to a file",
        description="Compute the distances of all graphs, choose depth, gamma and C by cross-validation, train, and "
        "write the model. At the end a table tells what was chosen and how good it was.",
        epilog="example: wassergraph train ENZYMES --out enzymes.wgm",
    )
    command.add_argument("data", metavar="DATA", help=DATA)
    command.add_argument("--out", required=True, metavar="FILE", help="where the model goes, usually *.wgm")
    command.add_argument(
        "--depth", type=read_depths, default=range(8), metavar="H", help="as 3, 0-7 or 0,2,4 (default: 0-7)"
    )
    command.add_argument("--gamma", type=read_numbers, metavar="G", help="as 1 or 0.1,1,10 (default: 1e-4 to 1e1)")
    command.add_argument(
        "-C",
        "--C",
        dest="cost",
        type=read_numbers,
        metavar="C",
        help="as 1 or 1,10,100 (default: 1e-4 to 1e5 for labels, 1e-3 to 1e3 else)",
    )
    add_kind(command)
    command.add_argument(
        "--classifier",
        choices=("auto", "svc", "krein"),
        default="auto",
        help="the support vector machine (default: auto)",
    )
    command.add_argument("--cv", type=int, default=5, metavar="N", help="the number of inner folds (default: 5)")
    command.add_argument(
        "--random-state", type=int, default=0, metavar="N", help="what the inner folds are shuffled with (default: 0)"
    )
    add_output(command)
    add_sources(command)
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> None:
    from wassergraph.files.atomic import check_target
    from wassergraph.learning.classifier import WWLClassifier
    from wassergraph.learning.summary import training_summary, training_table

    check_target(options.out)
    source = load_source(options, need_classes=True)
    given = {"gamma": options.gamma, "C": options.cost}
    model = WWLClassifier(
        depth=options.depth,
        kind=options.kind,
        standardize=STANDARDIZE[options.standardize],
        classifier=options.classifier,
        cv=options.cv,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        progress=show_bars(options),
        **{name: value for name, value in given.items() if value is not None},
    )
    model.fit(source.graphs, source.y).save(options.out)
    if options.json:
        print(json.dumps({**training_summary(model), "model": str(options.out)}, indent=2))
    elif not options.quiet:
        print(f"{training_table(model)}\n\nThe model is in {options.out}")


def _add_predict(commands: Any) -> None:
    command = commands.add_parser(
        "predict",
        help="predict the classes of new graphs with a trained model",
        description="Write a row for every graph: its class, and a score and a probability for every class.",
        epilog="example: wassergraph predict enzymes.wgm new.zip --out predictions.csv",
    )
    command.add_argument("model", metavar="MODEL", help="a file that wassergraph train, or model.save, wrote")
    command.add_argument("data", metavar="NEW", help=f"the new graphs: {DATA}; classes need not be known")
    command.add_argument("--out", metavar="FILE", help="where the table goes (default: to standard output)")
    add_output(command)
    add_sources(command)
    command.set_defaults(run=_predict)


def _predict(options: argparse.Namespace) -> None:
    from wassergraph.files.atomic import check_target, write_atomically
    from wassergraph.learning.model_files.loading import load_model
    from wassergraph.learning.predictions import predict_all

    if options.out is not None:
        check_target(options.out)
    model = load_model(options.model).set_params(n_jobs=options.n_jobs, progress=show_bars(options))
    source = load_source(options, need_classes=False)
    found = predict_all(model, source.graphs, source.names)
    text = json.dumps(found.rows(), indent=2) + "\n" if options.json else found.to_csv()
    if options.out is None:
        print(text, end="")
    else:
        write_atomically(options.out, text.encode())
    if not options.quiet:
        where = "" if options.out is None else f" The table is in {options.out}."
        share = None if source.y is None else found.accuracy(source.y)
        known = "" if share is None else f" {share:.2%} of them have the class that the data tells."
        _complain(f"{len(source.graphs):,} graphs predicted.{known}{where}")


def _add_reproduce(commands: Any) -> None:
    command = commands.add_parser(
        "reproduce",
        help="run the paper's experiments, and set them beside the paper",
        description="Run the tables and figures of the paper, and write a file for every repetition as soon as it is "
        "done. What is there already is not run again: a run that was killed goes on, and several may share the work.",
        epilog="example: wassergraph reproduce table3 --render",
    )
    command.add_argument(
        "what",
        nargs="*",
        metavar="WHAT",
        help="table1, table2, table3, sinkhorn, variants, runtime, noise, definiteness, or all",
    )
    command.add_argument("--render", action="store_true", help="write the page with all results, after what is run")
    command.add_argument("--quick", action="store_true", help="a few minutes of it, into out/quick")
    command.add_argument("--only", nargs="+", default=(), metavar="NAME", help="of tables, these sets or methods only")
    command.add_argument("--repetitions", type=int, default=10, metavar="N", help="of each method (default: 10)")
    command.add_argument("--results", metavar="DIR", help="where results are (default: results)")
    command.add_argument("--page", metavar="FILE", help="where the page goes (default: docs/reproduction.md)")
    command.add_argument("--cache", default="out/matrices", metavar="DIR", help="for matrices (default: out/matrices)")
    command.add_argument("--data-home", metavar="DIR", help="where to look first, and where downloads go")
    command.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="threads (default: -1, all processors)")
    command.add_argument("--quiet", action="store_true", help="no progress bars, and no line for what is done")
    command.set_defaults(run=_reproduce)


def _reproduce(options: argparse.Namespace) -> None:
    from wassergraph.reproduction.reproduce import render, reproduce, surroundings

    if not options.what and not options.render:
        raise ValueError("nothing to do: say what to run, such as table1, or --render")
    around = surroundings(options.results, options.page, quick=options.quick)
    if options.what:
        reproduce(
            options.what,
            around,
            cache=options.cache,
            data_home=options.data_home,
            only=options.only,
            repetitions=options.repetitions,
            n_jobs=options.n_jobs,
            progress=show_bars(options),
            tell=(lambda _: None) if options.quiet else _complain,
        )
    if options.render:
        print(f"The page is in {render(around)}")
