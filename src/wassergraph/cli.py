"""The command line: parse, one library call, print. Nothing heavy is loaded before a command runs."""

from __future__ import annotations

import argparse
import json
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
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nwassergraph: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        return 0
    except (ValueError, TypeError, OSError) as error:
        print(f"wassergraph: error: {error}", file=sys.stderr)
        return 2
    return 0


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
