"""Load graphs from disk, with their targets and names.

a name, folder or .zip in TU format     ──▶ tu_sources
"drugs"                                 ──▶ drugs
a .csv, .tsv, .smi or .sdf, or its .gz  ──▶ molecule_tables
a .graphml or .gml file, or a folder    ──▶ graph_folders
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path

from wassergraph.datasets.catalogue import CATALOGUE
from wassergraph.datasets.data_home import expand, find, homes, is_name
from wassergraph.datasets.download import UnknownDatasetError
from wassergraph.datasets.drugs import DRUGS, read_drugs_source
from wassergraph.datasets.graph_folders import list_graph_files, read_files, read_folder
from wassergraph.datasets.load import BUILT_IN
from wassergraph.datasets.molecule_tables import InvalidRows, read_molecule_table
from wassergraph.datasets.source import Source
from wassergraph.datasets.tables import TABLE_SUFFIXES, read_table
from wassergraph.datasets.targets import Task
from wassergraph.datasets.tu_sources import read_tu_source
from wassergraph.errors import InputError, MissingFileError, Option, did_you_mean
from wassergraph.formats.compressed import format_suffix
from wassergraph.formats.graph_files import GRAPH_FILES
from wassergraph.formats.impute import Impute
from wassergraph.formats.tu.reader import EmptyGraphs
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops


class SourceKind(Enum):
    """What graphs are read from."""

    TU = "tu"
    MOLECULE_TABLE = "molecule_table"
    GRAPH_FILES = "graph_files"


_NAMES = {
    SourceKind.TU: "a TU data set",
    SourceKind.MOLECULE_TABLE: "a table of molecules",
    SourceKind.GRAPH_FILES: "a graph file or a folder of them",
}
#: What the options apply to that do not apply to all sources.
_APPLIES = {
    "smiles_column": (SourceKind.MOLECULE_TABLE,),
    "target": (SourceKind.MOLECULE_TABLE, SourceKind.TU),
    "labels_file": (SourceKind.GRAPH_FILES,),
    "node_labels": (SourceKind.GRAPH_FILES,),
    "node_attributes": (SourceKind.GRAPH_FILES,),
    "edge_weights": (SourceKind.GRAPH_FILES,),
    "impute": (SourceKind.GRAPH_FILES,),
}
_ACCEPTED = (
    "pass the name of a TU data set, a folder or .zip in TU format, a .csv, .tsv or .smi file with a column of SMILES "
    "or an .sdf file, or a .graphml or .gml file or a folder of these"
)


def load_graphs(
    source: str | Path,
    *,
    data_home: str | Path | None = None,
    smiles_column: str | None = None,
    target: str | None = None,
    task: Task = "auto",
    invalid: InvalidRows = "error",
    labels_file: str | Path | None = None,
    node_labels: str | None = None,
    node_attributes: Sequence[str] | None = None,
    edge_weights: str | None = None,
    impute: Impute = "error",
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
    empty_graphs: EmptyGraphs = "error",
    need_target: bool = False,
) -> Source:
    """Load graphs from a TU data set, a table of molecules or graph files, with their targets and names.

    Parameters
    ----------
    source : str or Path
        What :func:`wassergraph.load_dataset` accepts, with graphs named by their position, counted from 0, and drugs by
        their names; a .csv, .tsv or .smi file in UTF-8 whose first line names its columns, or an .sdf file, each
        perhaps compressed as .gz, with molecules named by a column such as "name" or "id", or else by the first column
        of text that is different in every row, or else by their position; or a .graphml or .gml file, or a folder of
        these, sorted by name, without hidden files.
    data_home : str or Path, optional
        The folder in which TU data sets are looked up first, and where downloads go.
    smiles_column : str, optional
        The column of SMILES; see :func:`wassergraph.datasets.smiles_columns.find_smiles_column` for the default.
    target : str, optional
        The column of classes or numbers; by default the only one with a name such as "class", "label", "target", "y"
        or "activity", in upper or lower case. If several columns may be meant, or none, the target is None. For a TU
        data set "labels" or "attributes", those of the graphs; by default the first of them that exists. If there are
        several columns, "attributes:2" is the second.
    task : "auto", "classification" or "regression"
        Whether the target is classes or numbers; "auto" decides, as in :mod:`wassergraph.datasets.targets`.
    invalid : "error", "skip" or "nan"
        What to do with molecules that cannot be read and with empty cells: raise an error, leave out their rows, or
        keep their rows without a graph; the latter two with a warning that names the lines.
    labels_file : str or Path, optional
        A table with a header and two columns, file and class or number, that names every graph file once, with or
        without suffix; by default ``labels.csv``, ``labels.tsv`` or ``classes.csv`` in the folder. Without such a file
        the target is None.
    node_labels, node_attributes, edge_weights : optional
        What to read from graph files, as in :func:`wassergraph.from_networkx`; if none is named, see
        :func:`wassergraph.formats.graph_files.from_graph_files`.
    impute : "error", "mean" or "flag"
        What to do if attributes of graph files are missing, as in :func:`wassergraph.from_networkx`.
    symmetrize, self_loops, repeats
        See :class:`wassergraph.graphs.packing.EdgeRules`. Molecules and graph files never list an edge repeatedly.
    empty_graphs : "error" or "drop"
        What to do with graphs without nodes; for molecules, see ``invalid``.
    need_target : bool
        Whether a table without a target is an error, and rows without a value are left out, with a warning. Otherwise
        they are kept.

    Returns
    -------
    Source
    """
    check_choice("empty_graphs", empty_graphs, EmptyGraphs)
    check_choice("task", task, Task)
    check_choice("invalid", invalid, InvalidRows)
    rules = EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats)
    columns = {"smiles_column": smiles_column, "target": target}
    names = {"node_labels": node_labels, "node_attributes": node_attributes, "edge_weights": edge_weights}
    kind = _kind(source, data_home)
    filled = {"impute": None if impute == "error" else impute}
    _refuse_others(source, kind, {**columns, "labels_file": labels_file, **names, **filled})
    if source == DRUGS:
        return read_drugs_source(target, task)
    if kind is SourceKind.MOLECULE_TABLE:
        _refuse_empty_graphs(source, empty_graphs)
        table = read_table(expand(source))
        return read_molecule_table(table, **columns, task=task, invalid=invalid, need_target=need_target)
    if kind is SourceKind.GRAPH_FILES:
        folder, names = expand(source), {**names, "impute": impute}
        return read_folder(folder, labels_file, names, rules, task=task, empty=empty_graphs, need_target=need_target)
    try:
        return read_tu_source(
            source, data_home, rules, target=target, task=task, empty=empty_graphs, need_target=need_target
        )
    except UnknownDatasetError as error:
        raise error.with_advice(_ACCEPTED) from error


def is_graph_file(text: str) -> bool:
    """Return whether a text is the name of a .graphml or .gml file, which may not exist."""
    return Path(text).suffix.lower() in GRAPH_FILES and not Path(text).is_dir()


def load_graph_files(
    files: Sequence[str | Path],
    *,
    node_labels: str | None = None,
    node_attributes: Sequence[str] | None = None,
    edge_weights: str | None = None,
    impute: Impute = "error",
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> Source:
    """Load the graphs of some .graphml and .gml files, without targets; the parameters are those of load_graphs."""
    paths = [expand(file) for file in files]
    for path in paths:
        if not path.is_file():
            remedy = did_you_mean(path.name, _names_beside(path)) or "pass the name of a .graphml or .gml file"
            raise MissingFileError("it does not exist", remedy=remedy, file=path)
    names = {"node_labels": node_labels, "node_attributes": node_attributes, "edge_weights": edge_weights}
    return read_files(paths, {**names, "impute": impute}, EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def is_source(text: str, data_home: str | Path | None = None) -> bool:
    """Return whether a text is a path that exists, or the name of a data set that is known or on disk."""
    if text in (*BUILT_IN, *CATALOGUE) or (is_name(text) and find(text, homes(data_home)) is not None):
        return True
    try:
        return bool(text) and expand(text).exists()
    except (OSError, InputError):  # too long for a path, or without a home folder
        return False


def _kind(source: str | Path, data_home: str | Path | None) -> SourceKind:
    """Return what a source is, without reading it."""
    path = expand(source)
    suffix = format_suffix(path)
    if suffix in TABLE_SUFFIXES and path.is_file():
        return SourceKind.MOLECULE_TABLE
    if source == "" or source in (*BUILT_IN, *CATALOGUE) or (is_name(source) and find(str(source), homes(data_home))):
        return SourceKind.TU
    if path.is_dir():
        return _kind_of_folder(path)
    if path.is_file() and path.suffix.lower() in GRAPH_FILES:
        return SourceKind.GRAPH_FILES
    if path.is_file() and suffix != ".zip":
        raise InputError("graphs cannot be read from this kind of file", remedy=_ACCEPTED, file=path)
    if not path.exists() and (not is_name(source) or suffix in TABLE_SUFFIXES + GRAPH_FILES):
        remedy = did_you_mean(path.name, _names_beside(path)) or _ACCEPTED
        raise MissingFileError("it does not exist", remedy=remedy, file=path)
    return SourceKind.TU


def _names_beside(path: Path) -> list[str]:
    return [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []


def _kind_of_folder(path: Path) -> SourceKind:
    is_tu = any(path.glob("*_A.txt")) or any(path.glob("*/*_A.txt"))
    has_graph_files = bool(list_graph_files(path))
    if is_tu and has_graph_files:
        problem = "the folder contains both a TU data set and .graphml or .gml files"
        raise InputError(problem, remedy=_ACCEPTED, file=path)
    if not is_tu and not has_graph_files:
        problem = "the folder contains neither a TU data set nor .graphml or .gml files"
        raise InputError(problem, remedy=_ACCEPTED, file=path)
    return SourceKind.TU if is_tu else SourceKind.GRAPH_FILES


def _refuse_others(source: str | Path, kind: SourceKind, options: Mapping[str, object]) -> None:
    """Raise an error if an option is set that applies to another kind of source."""
    for name, value in options.items():
        if value is not None and kind not in _APPLIES[name]:
            others = " or ".join(_NAMES[other] for other in _APPLIES[name])
            raise InputError(
                f"{{}} applies to {others}, but this is {_NAMES[kind]}",
                remedy="remove {}",
                options=[Option(name), Option(name)],
                file=source,
            )


def _refuse_empty_graphs(source: str | Path, empty: EmptyGraphs) -> None:
    if empty == "drop":
        raise InputError(
            "{} applies to graphs without nodes, but this is a table of molecules",
            remedy="pass {} to leave out rows without a molecule",
            options=[Option("empty_graphs"), Option("invalid", "skip")],
            file=source,
        )
