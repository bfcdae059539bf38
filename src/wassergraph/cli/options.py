"""Options that several commands share: where graphs come from, how to read them, how to compute, what to print."""

from __future__ import annotations

import argparse
import sys
from typing import Any

#: What a command that takes graphs takes.
DATA = (
    "a name such as MUTAG; a folder or .zip in TU format; a .csv, .tsv or .smi table with a column of SMILES; or a "
    "folder of .graphml and .gml files with the classes in labels.csv"
)
#: What the words of --standardize mean.
STANDARDIZE: dict[str, Any] = {"auto": "auto", "yes": True, "no": False}


def add_reading(command: argparse.ArgumentParser) -> None:
    """Add the options of how graphs are read, the same for all commands."""
    command.add_argument("--data-home", metavar="DIR", help="where to look first, and where downloads go")
    command.add_argument("--symmetrize", action="store_true", help="add the missing direction of one-way edges")
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


def add_sources(command: argparse.ArgumentParser) -> None:
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
    add_reading(command)


def add_kind(command: argparse.ArgumentParser) -> None:
    """Add the options of what is compared."""
    command.add_argument(
        "--kind",
        choices=("auto", "categorical", "continuous", "joint"),
        default="auto",
        help="whether labels, attributes or both are compared (default: attributes if there are any)",
    )
    command.add_argument(
        "--standardize", choices=tuple(STANDARDIZE), default="auto", help="scale attributes (default: if several)"
    )


def add_output(command: argparse.ArgumentParser, quiet: str = "no progress bar, and no table at the end") -> None:
    """Add the options of how to compute, and of what is printed."""
    command.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="threads (default: -1, all processors)")
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
    command.add_argument("--quiet", action="store_true", help=quiet)


def read_depths(text: str) -> list[int]:
    """Read ``3``, ``0-7`` or ``0,2,4``."""
    first, dash, last = text.partition("-")
    try:
        return list(range(int(first), int(last) + 1)) if dash else [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a depth: write 3, 0-7 or 0,2,4") from None


def read_numbers(text: str) -> list[float]:
    """Read ``1`` or ``0.1,1,10``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, or several with commas between them") from None


def load_source(options: argparse.Namespace, *, need_classes: bool) -> Any:
    """Load the graphs that a command is given, and their classes; where these are needed but not there, say so."""
    from wassergraph.datasets.inputs import load_graphs

    names = (
        "data_home target_column smiles_column labels_file node_labels node_attributes edge_weights symmetrize "
        "self_loops repeats empty_graphs"
    )
    given = {name: getattr(options, name) for name in names.split()}
    source = load_graphs(options.data, need_classes=need_classes, **given)
    if need_classes and source.y is None:
        raise ValueError(
            f"{options.data} has no classes to learn from: a TU data set has them in its graph labels, a table in the "
            "column that target_column names, a folder of graph files in labels.csv"
        )
    return source


def show_bars(options: argparse.Namespace) -> bool:
    """Whether to show progress bars: on a terminal, unless they are not wanted."""
    return not options.quiet and sys.stderr is not None and sys.stderr.isatty()
