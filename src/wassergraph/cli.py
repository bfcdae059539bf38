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
from typing import Any, NoReturn

_EXAMPLES = """\
examples:
  wassergraph datasets                    list the data sets that are known, and which are on disk
  wassergraph datasets ENZYMES            describe one; it is downloaded if it is not on disk
  wassergraph datasets my/folder --json   describe your own, in TU format, for a program
  wassergraph train MUTAG --out m.wgm     choose parameters, train, and write the model
  wassergraph predict m.wgm new.zip --out predictions.csv
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
    message = message.replace("symmetrise=True", "--symmetrise")
    message = re.sub(
        r'\b(self_loops|repeats|empty_graphs|node_labels|node_attributes|edge_weights)="(\w+)"',
        lambda found: f"{_flag(found[1])} {found[2]}",
        message,
    )
    return re.sub(r"\b(data_home|labels_file|smiles_column|target_column)\b", lambda found: _flag(found[1]), message)


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
    _add_train(commands)
    _add_predict(commands)
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
    _add_reading(command)
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
        symmetrise=options.symmetrise,
        self_loops=options.self_loops,
        repeats=options.repeats,
        empty_graphs=options.empty_graphs,
    )
    print(json.dumps(description.to_dict(), indent=2) if options.json else description)


def _add_reading(command: argparse.ArgumentParser) -> None:
    """Add the options of how graphs are read, the same for all commands."""
    command.add_argument("--data-home", metavar="DIR", help="where to look first, and where downloads go")
    command.add_argument("--symmetrise", action="store_true", help="add the missing direction of one-way edges")
    command.add_argument(
        "--self-loops",
        choices=("keep", "drop", "error"),
        default="keep",
        help="what becomes of self-loops (default: keep)",
    )
    command.add_argument(
        "--repeats",
        choices=("error", "first", "last"),
        default="error",
        help="which data counts where an edge is listed repeatedly with different data (default: error)",
    )
    command.add_argument(
        "--empty-graphs",
        choices=("error", "drop"),
        default="error",
        help="what becomes of graphs without nodes (default: error)",
    )


def _add_sources(command: argparse.ArgumentParser) -> None:
    """Add the options for graphs that are not in TU format."""
    command.add_argument("--smiles-column", metavar="NAME", help="of a table, the column of SMILES (default: smiles)")
    command.add_argument(
        "--target-column", metavar="NAME", help="of a table, the column of classes (default: class, label, target or y)"
    )
    command.add_argument(
        "--labels-file",
        metavar="FILE",
        help="for a folder of graph files, a table of file and class (default: labels.csv)",
    )
    command.add_argument("--node-labels", metavar="NAME", help="of graph files, what to read as node labels")
    command.add_argument(
        "--node-attributes", metavar="NAME", nargs="+", help="of graph files, what to read as node attributes"
    )
    command.add_argument("--edge-weights", metavar="NAME", help="of graph files, what to read as edge weights")
    _add_reading(command)


_DATA = (
    "a name such as MUTAG; a folder or .zip in TU format; a .csv, .tsv or .smi table with a column of SMILES; or a "
    "folder of .graphml and .gml files with the classes in labels.csv"
)


_STANDARDISE: dict[str, Any] = {"auto": "auto", "yes": True, "no": False}


def _add_train(commands: Any) -> None:
    command = commands.add_parser(
        "train",
        help="train a classifier and write it to a file",
        description="Compute the distances of all graphs, choose depth, gamma and C by cross-validation, train, and "
        "write the model. At the end a table tells what was chosen and how good it was.",
        epilog="example: wassergraph train ENZYMES --out enzymes.wgm",
    )
    command.add_argument("data", metavar="DATA", help=_DATA)
    command.add_argument("--out", required=True, metavar="FILE", help="where the model goes, usually *.wgm")
    command.add_argument(
        "--depth", type=_depths, default=range(8), metavar="H", help="as 3, 0-7 or 0,2,4 (default: 0-7)"
    )
    command.add_argument("--gamma", type=_numbers, metavar="G", help="as 1 or 0.1,1,10 (default: 1e-4 to 1e1)")
    command.add_argument(
        "-C",
        "--C",
        dest="cost",
        type=_numbers,
        metavar="C",
        help="as 1 or 1,10,100 (default: 1e-4 to 1e5 for labels, 1e-3 to 1e3 else)",
    )
    command.add_argument(
        "--kind",
        choices=("auto", "categorical", "continuous", "joint"),
        default="auto",
        help="whether labels, attributes or both are compared (default: attributes if there are any)",
    )
    command.add_argument(
        "--standardise", choices=tuple(_STANDARDISE), default="auto", help="scale attributes (default: if several)"
    )
    command.add_argument(
        "--classifier",
        choices=("auto", "svc", "krein"),
        default="auto",
        help="the support vector machine (default: auto)",
    )
    command.add_argument("--cv", type=int, default=5, metavar="N", help="the number of inner folds (default: 5)")
    command.add_argument("--random-state", type=int, metavar="N", help="shuffle the inner folds with this seed")
    _add_output(command)
    _add_sources(command)
    command.set_defaults(run=_train)


def _add_output(command: argparse.ArgumentParser) -> None:
    command.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="threads (default: -1, all processors)")
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
    command.add_argument("--quiet", action="store_true", help="no progress bar, and no table at the end")


def _depths(text: str) -> list[int]:
    """Read ``3``, ``0-7`` or ``0,2,4``."""
    first, dash, last = text.partition("-")
    try:
        return list(range(int(first), int(last) + 1)) if dash else [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a depth: write 3, 0-7 or 0,2,4") from None


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, or several with commas between them") from None


def _load(options: argparse.Namespace, *, need_classes: bool) -> Any:
    from wassergraph.datasets.sources import load_graphs

    names = (
        "data_home target_column smiles_column labels_file node_labels node_attributes edge_weights symmetrise "
        "self_loops repeats empty_graphs"
    )
    given = {name: getattr(options, name) for name in names.split()}
    return load_graphs(options.data, need_classes=need_classes, **given)


def _train(options: argparse.Namespace) -> None:
    from wassergraph.learning.classifier import WWLClassifier
    from wassergraph.learning.summary import training_summary, training_table
    from wassergraph.writing import check_target

    check_target(options.out)
    source = _load(options, need_classes=True)
    if source.y is None:
        raise ValueError(
            f"{options.data} has no classes to learn from: a TU data set has them in its graph labels, a table in the "
            "column that target_column names, a folder of graph files in labels.csv"
        )
    given = {"gamma": options.gamma, "C": options.cost}
    model = WWLClassifier(
        depth=options.depth,
        kind=options.kind,
        standardise=_STANDARDISE[options.standardise],
        classifier=options.classifier,
        cv=options.cv,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        progress=_bars(options),
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
    command.add_argument("data", metavar="NEW", help=f"the new graphs: {_DATA}; classes need not be known")
    command.add_argument("--out", metavar="FILE", help="where the table goes (default: to standard output)")
    _add_output(command)
    _add_sources(command)
    command.set_defaults(run=_predict)


def _predict(options: argparse.Namespace) -> None:
    from wassergraph.learning.classifier import load_model
    from wassergraph.learning.predictions import predict_all
    from wassergraph.writing import check_target, write_atomically

    if options.out is not None:
        check_target(options.out)
    model = load_model(options.model).set_params(n_jobs=options.n_jobs, progress=_bars(options))
    source = _load(options, need_classes=False)
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


def _bars(options: argparse.Namespace) -> bool:
    return not options.quiet and sys.stderr is not None and sys.stderr.isatty()
