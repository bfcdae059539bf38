"""Options that several commands share: what to read and how, how to compute, and what to print."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from wassergraph.cli.messages import describe_error, print_message
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.reading import ReadingOptions
    from wassergraph.datasets.source import Source
    from wassergraph.graphs.batch import GraphBatch

#: What commands are added to.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
#: What a command reads graphs from.
DATA = (
    "a name such as drugs or MUTAG; a folder or .zip in TU format; a .csv, .tsv or .smi table with a column of SMILES, "
    "or an .sdf file, perhaps as .gz; or a .graphml or .gml file, or a folder of these with the classes or numbers in "
    "labels.csv"
)
#: The values of --standardize.
STANDARDIZE: dict[str, bool | Literal["auto"]] = {"auto": "auto", "yes": True, "no": False}
#: Options by their names: what a value is called, its choices, or the arguments of ``add_argument``; then the help.
OptionTable: TypeAlias = Mapping[str, tuple[str | tuple[str, ...] | Mapping[str, Any], str]]
#: Options without a value, and those that also have a form with --no.
FLAG: Mapping[str, Any] = {"action": "store_true"}
YES_OR_NO: Mapping[str, Any] = {"action": argparse.BooleanOptionalAction}


def add_options(command: argparse._ActionsContainer, table: OptionTable, **words: str) -> None:
    """Add options to a command or a group; in their help, names in braces are replaced by words."""
    for names, (value, text) in table.items():
        keyword = "metavar" if isinstance(value, str) else "choices"
        how = value if isinstance(value, Mapping) else {keyword: value}
        command.add_argument(*names.split(), help=text.format(**words), **how)


class _OneColumn(argparse.Action):
    """Store a column; a second one is an error, since it would replace the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option} is given twice: name all columns after one {option}")
        setattr(namespace, self.dest, values)


#: The folder of data sets.
DATA_HOME: OptionTable = {
    "--data-home": ("DIR", "folder that is searched first for data sets, and to which they are downloaded"),
}
# Options without a default here have that of load_graphs, or what a model was trained with.
_READING: OptionTable = {
    **DATA_HOME,
    "--download": (
        FLAG,
        "download DATA from the TUDataset site if it is a name that is not on disk (default: only the data sets "
        "that wassergraph datasets lists are downloaded; none if WASSERGRAPH_OFFLINE=1)",
    ),
    "--symmetrize": (YES_OR_NO, "add the missing direction of one-way edges (default: no)"),
    "--self-loops": (("keep", "drop", "error"), "what to do with self-loops (default: keep)"),
    "--repeats": (
        ("error", "first", "last"),
        "which row to use if an edge is listed repeatedly with different data (default: error)",
    ),
    "--empty-graphs": (
        {"choices": ("error", "drop"), "default": "error"},
        "what to do with graphs without nodes (default: error)",
    ),
}
_TARGET: OptionTable = {
    "--target": (
        {"metavar": "NAME", "action": _OneColumn},
        "of a table, the column to predict (default: the one with a name such as class, label, target, y or "
        "activity). Rows without a value are left out where a model learns, and counted. Of a TU data set, labels or "
        "attributes, those of the graphs (default: labels if there are any), or attributes:2, their second column",
    ),
}
#: The same where a model may have several targets.
TARGET_OF_MODEL: OptionTable = {
    "--target": (
        {"metavar": "NAME", "action": _OneColumn},
        "of a model of several targets, the one to predict (default: all; explain needs one); otherwise the column of "
        "a table to compare with (default: the one that the model learned)",
    ),
}
#: The same where several targets can be learned.
_TARGETS: OptionTable = {
    "--target": (
        {"metavar": "NAME", "nargs": "+", "action": _OneColumn},
        "of a table, the column to predict, or several, or all, for all columns of numbers (default: the one with a "
        "name such as class, label, target, y or activity). Rows without any value are left out where a model learns, "
        "and counted. Of a TU data set, labels or attributes, those of the graphs (default: labels if there are any), "
        "or attributes:2, their second column",
    ),
}
_FORMER_TARGET: OptionTable = {
    # The name in earlier versions.
    "--target-column": ({"dest": "target", "action": _OneColumn}, argparse.SUPPRESS),
}
_TASK: OptionTable = {
    "--task": (
        {"choices": ("auto", "classification", "regression"), "default": "auto"},
        "whether the target is classes or numbers (default: auto: text is classes, and so are whole numbers "
        "with at most two different values, or at most 20 with two rows each on average; of a TU data set, labels "
        "are classes and attributes are numbers)",
    ),
}
#: What commands can do with bounds among numbers.
CENSORED: OptionTable = {
    "--censored": (
        ("error", "drop", "value"),
        "what to do with values such as >10, <0.1 and ≤3 in a column of numbers: stop, leave them out where a model "
        "learns or is compared, or read them as the numbers 10, 0.1 and 3; they are counted. Approximate values such "
        "as ~5 are read as the numbers by drop, too (default: error)",
    ),
}
_SMILES: OptionTable = {
    "--smiles-column": (
        "NAME",
        "the column of SMILES (default: the one with smiles in its name, or else the one whose cells are SMILES)",
    ),
    "--standardize-molecules": (
        {"nargs": "*", "metavar": "STEP", "choices": ("fragment", "neutral", "tautomer")},
        "standardize molecules by RDKit: keep the largest fragment, its neutral form, its canonical tautomer; all of "
        "these if none is named (default: none; of a model or an index, as before)",
    ),
}
_GRAPH_FILES: OptionTable = {
    "--labels-file": ("FILE", "a table with the columns file and class, or number (default: labels.csv in the folder)"),
    "--node-labels": (
        "NAME",
        "name of the node data to use as labels (default: label, unless other node data is named)",
    ),
    "--node-attributes": (
        {"metavar": "NAME", "nargs": "+"},
        "names of the node data to use as attributes (default: attributes, unless other node data is named)",
    ),
    "--edge-weights": (
        "NAME",
        "name of the edge data to use as weights (default: weight, unless edge labels are named)",
    ),
    "--edge-label-name": (
        "NAME",
        "name of the edge data to use as labels (default: label, unless edge weights are named); --edge-labels "
        "use compares them",
    ),
    "--node-positions": (
        {"metavar": "NAME", "nargs": "+"},
        "names of the node data that say where drawings show the nodes (default: pos, or else x and y, and z if "
        "there is one)",
    ),
    "--impute": (
        ("error", "mean", "flag", "median"),
        "what to do with missing attributes: fail, use the mean, or the mean and a column that marks them; of "
        "--columns of a table, median uses the median (default: error)",
    ),
}
_CLUSTER: OptionTable = {
    "--workers": (
        {"type": int, "metavar": "N"},
        "compute distances in N processes of this machine, instead of threads",
    ),
    "--scheduler": (
        "ADDRESS",
        "compute distances on the Dask cluster of this scheduler: tcp://10.0.0.1:8786, or a scheduler file .json",
    ),
}
#: The number of threads.
N_JOBS: OptionTable = {
    "--n-jobs": ({"type": int, "default": -1, "metavar": "N"}, "number of threads (default: -1, all processors)"),
}


def add_sources(
    command: argparse.ArgumentParser,
    *,
    invalid: Sequence[str] = ("error", "skip"),
    task: bool = False,
    several: bool = False,
    target: OptionTable | None = None,
    censored: OptionTable | None = None,
) -> None:
    """Add the options for reading graphs from any source.

    Parameters
    ----------
    command : ArgumentParser
        The command.
    invalid : sequence of str
        What the command can do with molecules that cannot be read, beginning with the default.
    task : bool
        Whether the command learns from the target, which is then classes or numbers; others only read classes.
    several : bool
        Whether the command learns from several targets.
    target : OptionTable, optional
        The option of the target, if it is another.
    censored : OptionTable, optional
        What the command can do with bounds among numbers; by default as :data:`CENSORED` says if it learns from the
        target, and otherwise nothing, since it reads no numbers.
    """
    molecules = command.add_argument_group("tables of molecules")
    add_options(molecules, _SMILES)
    bounds = censored or (CENSORED if task else {})
    target = {**(target or (_TARGETS if several else _TARGET)), **_FORMER_TARGET, **(_TASK if task else {}), **bounds}
    add_options(command.add_argument_group("what to predict"), target)
    if not task:
        command.set_defaults(task="classification")
    meaning = {"error": "stop", "skip": "leave out their rows", "nan": "keep their rows without a prediction"}
    molecules.add_argument(
        "--invalid",
        choices=invalid,
        default=invalid[0],
        help="what to do with molecules that cannot be read, and with empty cells: "
        + ", ".join(f"{choice}: {meaning[choice]}" for choice in invalid)
        + f" (default: {invalid[0]})",
    )
    add_options(command.add_argument_group("folders of graph files"), _GRAPH_FILES)
    add_options(command.add_argument_group("how to read graphs"), _READING)


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Add the options for computing distances in other processes."""
    group = command.add_argument_group("computing on other processes and machines")
    add_options(group.add_mutually_exclusive_group(), _CLUSTER)


@contextmanager
def chosen_executor(options: argparse.Namespace) -> Iterator[None]:
    """Compute distances where the options of a command say."""
    workers: int | None = getattr(options, "workers", None)
    scheduler: str | None = getattr(options, "scheduler", None)
    with ExitStack() as stack:
        if workers is not None or scheduler is not None:
            from wassergraph.parallel.dask import connected, local_cluster
            from wassergraph.parallel.executors import use_executor

            cluster = local_cluster(workers) if workers is not None else connected(str(scheduler))
            stack.enter_context(use_executor(stack.enter_context(cluster)))
        yield


def add_common(
    command: argparse.ArgumentParser,
    *,
    cluster: bool = True,
    quiet: str = "print no progress bar and no summary",
    **sources: Any,
) -> None:
    """Add the options for where to compute, what to print, and how to read graphs, as :func:`add_sources` says."""
    if cluster:
        add_cluster(command)
    add_options(command, {**N_JOBS, "--json": (FLAG, "print JSON"), "--quiet": (FLAG, quiet)})
    add_sources(command, **sources)


def read_depths(text: str) -> list[int]:
    """Read depths in the form ``3``, ``0-7`` or ``0,2,4``."""
    first, dash, last = text.partition("-")
    try:
        depths = list(range(int(first), int(last) + 1)) if dash else [int(part) for part in text.split(",")]
        if not depths:
            raise ValueError
        return depths
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a depth; use the form 3, 0-7 or 0,2,4") from None


def or_auto(read: Callable[[str], Any], noun: str) -> Callable[[str], Any]:
    """Return what reads a value of an option, or auto."""

    def read_option(text: str) -> Any:
        try:
            return "auto" if text == "auto" else read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {noun} or auto") from None

    return read_option


#: Reads a number of folds.
folds_option = or_auto(int, "a number of folds")


def numbers_option(text: str) -> list[float]:
    """Read numbers in the form ``1`` or ``0.1,1,10``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number or a list such as 0.1,1,10") from None


def load_source(options: argparse.Namespace, data: str | None = None, **how: Any) -> Source:
    """Load graphs, by default those of ``options.data``, with their targets if there are any.

    ``how`` are further options of reading, such as whether SMILES are accepted.
    """
    from wassergraph.datasets.inputs import load_graphs
    from wassergraph.formats.standardize import several_fragments

    source = load_graphs(options.data if data is None else data, reading_options(options, **how))
    if how.get("like") is None and options.standardize_molecules is None and not getattr(options, "quiet", False):
        several = several_fragments(source.graphs)
        if several is not None:
            print_message(describe_error(several))
    return source


def tell_not_compared(options: argparse.Namespace, graphs: GraphBatch, *, labels: bool = True) -> None:
    """Print what graphs have and the defaults do not compare, with the option that does, unless ``--quiet`` is set.

    Without ``labels``, only stereochemistry is meant.
    """
    from wassergraph.metrics.not_compared import not_compared, stereo_not_compared

    if getattr(options, "quiet", False):
        return
    unused = not_compared(graphs, options.kind or "auto", options.edge_labels or "auto") if labels else None
    for found in (unused, stereo_not_compared(graphs, options.stereo or "auto")):
        if found is not None:
            print_message(describe_error(found))


def reading_like(options: argparse.Namespace, graphs: GraphBatch, source: Mapping[str, Any]) -> dict[str, Any]:
    """Return how graphs of a model or an index were read, for new ones, whose missing attributes have the same mean."""
    from wassergraph.formats.impute import attribute_means

    imputed = options.impute or source.get("impute", "error")
    if imputed == "error" or "fill_values" in source:
        return dict(source)
    return {**source, "fill_values": attribute_means(graphs)}


def reading_options(options: argparse.Namespace, **how: Any) -> ReadingOptions:
    """Return how to read graphs: as the options of a command say, and further ones that it has not."""
    from wassergraph.datasets.reading import ReadingOptions

    given = {field.name: getattr(options, field.name, None) for field in fields(ReadingOptions)}
    if given["standardize_molecules"] == []:
        given["standardize_molecules"] = "all"
    if given["impute"] == "median":  # of columns, which are read later
        trained = hasattr(options, "model") and not hasattr(options, "columns")  # the model has columns, or refuses it
        if not trained and not getattr(options, "columns", None):
            flags = [Option("impute", "median"), Option("columns")]
            raise InputError("{} applies to {}, but there are none", remedy="remove it", options=flags)
        given["impute"] = None
    used = [*(getattr(options, "columns", None) or []), getattr(options, "split_column", None)]
    given["not_targets"] = [name for name in used if name is not None]
    return ReadingOptions(**{name: value for name, value in given.items() if value is not None}, **how)


def load_training_source(options: argparse.Namespace) -> Source:
    """Load the graphs that a command learns from, and their targets; raise an error if there are none.

    What was read is printed, since it was decided by columns and values, except for the classes of a TU data set.
    """
    source = load_source(options, need_target=True)
    if source.y is None and not source.targets:
        raise InputError(
            "there is nothing to learn: neither classes nor numbers",
            remedy="add graph labels or attributes to a TU data set, name the column of a table with {}, or name a "
            "table of graph files and targets with {}",
            options=[Option("target"), Option("labels_file")],
            file=options.data,
        )
    is_usual = source.target is not None and source.target.name is None
    if not is_usual and not options.json and not options.quiet:
        print(source, flush=True)
    return source


def print_result(options: argparse.Namespace, record: dict[str, Any], text: object) -> None:
    """Print the result of a command: as text, or with ``--json`` what is in a record."""
    print(json.dumps(record, indent=2) if options.json else text)


def number_of_graphs(number: int, graphs: GraphBatch) -> str:
    """Return a number with the word for what the graphs are."""
    return f"{number:,} {graphs.noun}{'' if number == 1 else 's'}"


def show_progress(options: argparse.Namespace) -> bool:
    """Return whether to show progress bars: on a terminal, unless ``--quiet`` is set."""
    return not options.quiet and sys.stderr is not None and sys.stderr.isatty()
