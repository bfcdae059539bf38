"""The parser and the exit codes of the command line."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from enum import IntEnum
from typing import NoReturn

from wassergraph.cli import (
    compare,
    datasets,
    distances,
    duplicates,
    evaluate,
    explain,
    index,
    predict,
    report,
    reproduce,
    search,
    train,
)
from wassergraph.cli.messages import describe_error, print_estimate, print_message, print_warning
from wassergraph.cli.options import chosen_executor
from wassergraph.errors import DiskError
from wassergraph.parallel.estimate import hear_estimates

_EXAMPLES = """\
examples:
  wassergraph datasets                    list known data sets, and their location on disk
  wassergraph datasets ENZYMES            describe a data set; it is downloaded if it is not on disk
  wassergraph datasets my/folder --json   describe a data set in TU format, as JSON
  wassergraph distances MUTAG --out D.zarr
                                          compute the distances between graphs; a killed run can be continued
  wassergraph duplicates MUTAG            find graphs that are equal, and classes that contradict each other
  wassergraph evaluate MUTAG --method wwl wl v
                                          estimate the accuracy of methods by nested cross-validation
  wassergraph train MUTAG -o m.wgm        choose parameters, fit a classifier and save it
  wassergraph predict m.wgm new.zip -o predictions.csv
                                          predict the classes of new graphs
  wassergraph explain m.wgm new.zip --row 3 -o graph.svg
                                          explain the prediction for one graph
  wassergraph report MUTAG -o mutag.html  show a map, distances, plans and neighbors of all graphs in a browser
  wassergraph index ZINC.csv -o zinc.wgi  prepare a collection for searches
  wassergraph search zinc.wgi CCO -k 10   find the nearest graphs of a molecule, or of many graphs
  wassergraph compare CCO CCN             compute the distance of two molecules, and where it comes from
  wassergraph train BACE.csv --target Class -o bace.wgm
                                          the same for a table with a column of SMILES
  wassergraph reproduce table1 --render   run experiments of the paper and write a page with the results

exit codes:
  0 success, 1 the computation failed, 2 wrong input, 130 interrupted
"""
#: Errors of the operating system that are not caused by the input: no space left, quota exceeded, input/output error.
_SYSTEM_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class ExitCode(IntEnum):
    """What the command line returns to the shell."""

    SUCCESS = 0
    FAILURE = 1
    INPUT_ERROR = 2
    INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        The exit code: 0 success, 1 the computation failed, 2 wrong input, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ░ or – shows ? instead of a traceback
    try:
        _run(_parser().parse_args(arguments))
    except KeyboardInterrupt:
        print_message("\nwassergraph: interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader of the output has stopped; Python must not write to it again when it exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, OSError, ImportError) as error:
        print_message(f"wassergraph: error: {describe_error(error)}")
        failed = getattr(error, "errno", None) in _SYSTEM_FAILURES or isinstance(error, DiskError)
        return ExitCode.FAILURE if failed else ExitCode.INPUT_ERROR
    except (RuntimeError, ArithmeticError, MemoryError) as error:  # a solver did not converge, or memory ran out
        print_message(f"wassergraph: failed: {describe_error(error) or 'out of memory'}")
        return ExitCode.FAILURE
    return ExitCode.SUCCESS


def _run(options: argparse.Namespace) -> None:
    with warnings.catch_warnings():
        warnings.showwarning = print_warning
        with chosen_executor(options), hear_estimates(None if getattr(options, "quiet", False) else print_estimate):
            options.run(options)
    if sys.stdout is not None:
        sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wassergraph",
        description="Wasserstein Weisfeiler-Lehman graph kernels.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="print the version and the level of the core in use, and exit",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    learning = evaluate, train, predict, explain
    for command in (datasets, duplicates, distances, compare, index, search, *learning, report, reproduce):
        command.add_parser(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        import wassergraph
        from wassergraph import _core

        level = _core.level()
        print(f"wassergraph {wassergraph.__version__} (core: {level if level == 'base' else f'x86-64-{level}'})")
        raise SystemExit(0)
