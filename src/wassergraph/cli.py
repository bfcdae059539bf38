"""The command line: parse, one library call, print. Nothing heavy is loaded before a command runs."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

_EXAMPLES = """\
examples:
  wassergraph datasets                    list the data sets that are known, and which are on disk
  wassergraph datasets ENZYMES            describe one; it is downloaded if it is not on disk
  wassergraph datasets my/folder --json   describe your own, in TU format, for a program
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code: 0 fine, 2 bad input, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ░ or – gets a ? instead of a traceback
    options = _parser().parse_args(arguments)
    try:
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
        return 2
    return 0


def _complain(text: str) -> None:
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def _flags(message: str) -> str:
    """Write the options that a message names as they are written here: ``repeats="last"`` as ``--repeats last``."""
    message = message.replace("symmetrise=True", "--symmetrise").replace("data_home", "--data-home")
    return re.sub(
        r'\b(self_loops|repeats|empty_graphs)="(\w+)"', lambda m: f"--{m[1].replace('_', '-')} {m[2]}", message
    )


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
    command.add_argument("--data-home", metavar="DIR", help="where to look first, and where downloads go")
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
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
