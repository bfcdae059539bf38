"""Load graphs from disk, with their classes and names.

a name, folder or .zip in TU format     ──▶ load_dataset
a .csv, .tsv or .smi with a header      ──▶ molecule_tables
a folder of .graphml and .gml files     ──▶ graph_folders
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from pathlib import Path

import numpy as np

from wassergraph.datasets.catalogue import CATALOGUE, published_name
from wassergraph.datasets.data_home import expand, find, homes, is_name
from wassergraph.datasets.download import UnknownDatasetError
from wassergraph.datasets.graph_folders import list_graph_files, read_folder
from wassergraph.datasets.load import BUILT_IN, load_dataset
from wassergraph.datasets.molecule_tables import read_molecules
from wassergraph.datasets.source import Source
from wassergraph.datasets.tables import read_table
from wassergraph.errors import InputError, MissingFileError, Option
from wassergraph.formats.graph_files import GRAPH_FILES
from wassergraph.formats.tu.reader import EmptyGraphs, read_graph_ids
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops

TABLES = (".csv", ".tsv", ".smi")


class SourceKind(Enum):
    """What graphs are read from."""

    TU = "tu"
    MOLECULE_TABLE = "molecule_table"
    GRAPH_FOLDER = "graph_folder"


_NAMES = {
    SourceKind.TU: "a TU data set",
    SourceKind.MOLECULE_TABLE: "a table of SMILES",
    SourceKind.GRAPH_FOLDER: "a folder of graph files",
}
_ACCEPTED = (
    "pass the name of a TU data set, a folder or .zip in TU format, a .csv, .tsv or .smi file with a header and a "
    "column of SMILES, or a folder of .graphml and .gml files"
)


def load_graphs(
    source: str | Path,
    *,
    data_home: str | Path | None = None,
    target_column: str | None = None,
    smiles_column: str | None = None,
    labels_file: str | Path | None = None,
    node_labels: str | None = None,
    node_attributes: Sequence[str] | None = None,
    edge_weights: str | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
    empty_graphs: EmptyGraphs = "error",
    need_classes: bool = True,
) -> Source:
    """Load graphs from a TU data set, a table of SMILES or a folder of graph files, with their classes and names.

    Parameters
    ----------
    source : str or Path
        What :func:`wassergraph.load_dataset` accepts, with graphs named by their position, counted from 0; a .csv, .tsv
        or .smi file in UTF-8 whose first line names its columns, with graphs named by the column "name" or "id" or else
        by their position; or a folder of .graphml and .gml files, sorted by name, without hidden files.
    data_home : str or Path, optional
        The folder in which TU data sets are looked up first, and where downloads go.
    smiles_column, target_column : str, optional
        The columns of SMILES and classes; by default "smiles", and "class", "label", "target" or "y", in upper or lower
        case. If several columns may be the classes, or none, y is None. Classes are integers if all of them are, and
        strings otherwise.
    labels_file : str or Path, optional
        A table with a header and two columns, file and class, that names every graph file once, with or without suffix;
        by default ``labels.csv``, ``labels.tsv`` or ``classes.csv`` in the folder. Without such a file y is None.
    node_labels, node_attributes, edge_weights : optional
        What to read from graph files, as in :func:`wassergraph.from_networkx`; if none is named, see
        :func:`wassergraph.formats.graph_files.from_graph_files`.
    symmetrize, self_loops, repeats
        See :class:`wassergraph.graphs.packing.EdgeRules`. Molecules and graph files never list an edge repeatedly.
    empty_graphs : "error" or "drop"
        What to do with graphs without nodes, and with rows without a SMILES.
    need_classes : bool
        Whether a missing class in a table is an error; otherwise y is None if one is missing.

    Returns
    -------
    Source
    """
    check_choice("empty_graphs", empty_graphs, EmptyGraphs)
    rules = EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats)
    columns = {"smiles_column": smiles_column, "target_column": target_column}
    names = {"node_labels": node_labels, "node_attributes": node_attributes, "edge_weights": edge_weights}
    kind = _kind(source, data_home)
    if kind is not SourceKind.MOLECULE_TABLE:
        _refuse(source, kind, SourceKind.MOLECULE_TABLE, columns)
    if kind is not SourceKind.GRAPH_FOLDER:
        _refuse(source, kind, SourceKind.GRAPH_FOLDER, {"labels_file": labels_file, **names})
    if kind is SourceKind.MOLECULE_TABLE:
        return read_molecules(read_table(expand(source)), **columns, empty=empty_graphs, need_classes=need_classes)
    if kind is SourceKind.GRAPH_FOLDER:
        return read_folder(expand(source), labels_file, names, rules, empty=empty_graphs, need_classes=need_classes)
    return _load_tu(source, data_home, rules, empty_graphs)


def _kind(source: str | Path, data_home: str | Path | None) -> SourceKind:
    """Return what a source is, without reading it."""
    path = expand(source)
    suffix = path.suffix.lower()
    if suffix in TABLES and path.is_file():
        return SourceKind.MOLECULE_TABLE
    if source == "" or source in (*BUILT_IN, *CATALOGUE) or (is_name(source) and find(str(source), homes(data_home))):
        return SourceKind.TU
    if path.is_dir():
        return _kind_of_folder(path)
    if path.is_file() and suffix != ".zip":
        raise InputError("graphs cannot be read from this kind of file", remedy=_ACCEPTED, file=path)
    if not path.exists() and (not is_name(source) or suffix in TABLES + GRAPH_FILES):
        raise MissingFileError("it does not exist", remedy=_ACCEPTED, file=path)
    return SourceKind.TU


def _kind_of_folder(path: Path) -> SourceKind:
    is_tu = any(path.glob("*_A.txt")) or any(path.glob("*/*_A.txt"))
    has_graph_files = bool(list_graph_files(path))
    if is_tu and has_graph_files:
        problem = "the folder contains both a TU data set and .graphml or .gml files"
        raise InputError(problem, remedy=_ACCEPTED, file=path)
    if not is_tu and not has_graph_files:
        problem = "the folder contains neither a TU data set nor .graphml or .gml files"
        raise InputError(problem, remedy=_ACCEPTED, file=path)
    return SourceKind.TU if is_tu else SourceKind.GRAPH_FOLDER


def _refuse(source: str | Path, kind: SourceKind, other: SourceKind, options: Mapping[str, object]) -> None:
    """Raise an error if an option is set that applies to another kind of source."""
    for name, value in options.items():
        if value is not None:
            raise InputError(
                f"{{}} applies to {_NAMES[other]}, but this is {_NAMES[kind]}",
                remedy="remove {}",
                options=[Option(name), Option(name)],
                file=source,
            )


def _load_tu(source: str | Path, data_home: str | Path | None, rules: EdgeRules, empty: EmptyGraphs) -> Source:
    try:
        graphs, y = load_dataset(source, data_home=data_home, empty_graphs=empty, **asdict(rules))
    except UnknownDatasetError as error:
        raise error.with_advice(_ACCEPTED) from error
    positions = np.arange(len(graphs))
    if empty == "drop" and source not in BUILT_IN:  # graphs keep the positions that they have in the file
        path = find(str(source), [*homes(data_home), Path()]) if is_name(source) else None
        positions = read_graph_ids(path or expand(source)) - 1
    return Source(graphs, y, [str(position) for position in positions], published_name(graphs, y))
