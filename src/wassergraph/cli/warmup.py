"""``wassergraph warmup``: compile everything ahead."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wassergraph.errors import NotWritableError

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "warmup",
        help="compile everything ahead",
        description="Compile everything ahead, which takes about a minute, so that no later command has to: when a "
        "container is built, or before many jobs start on a cluster. Compiled code is stored on disk, in the folder "
        "NUMBA_CACHE_DIR if it is set. A second run has nothing to do.",
        epilog="example: NUMBA_CACHE_DIR=/shared/numba wassergraph warmup",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Compile everything, and print what was compiled and how long it took."""
    try:
        from wassergraph.compile_ahead import HEADER, Warmup, check_cache, compile_steps, step_line, warmup
    except RuntimeError as error:  # of numba, when it finds no folder
        problem = f"compiled code cannot be stored anywhere ({error})"
        raise NotWritableError(problem, remedy="set NUMBA_CACHE_DIR to a folder that can be written") from error
    if options.json:
        print(json.dumps(warmup().to_dict(), indent=2))
        return
    folder, steps = check_cache(), []
    print(HEADER)
    for step in compile_steps():
        steps.append(step)
        print(step_line(step), flush=True)
    result = Warmup(tuple(steps), folder)
    print("\n".join(str(result).splitlines()[len(steps) + 1 :]))
