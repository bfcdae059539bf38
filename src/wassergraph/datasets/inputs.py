"""Graphs from whatever lies on disk, with their classes and names: TU data sets, tables of SMILES, folders of files.

a name, folder or .zip in TU format     ──▶ load_dataset
a .csv, .tsv or .smi with a header      ──▶ from_smiles
a folder of .graphml and .gml files     ──▶ from_networkx, the classes from a table
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from wassergraph.datasets import BUILT_IN, load_dataset
from wassergraph.datasets.catalogue import CATALOGUE
from wassergraph.datasets.data_home import expand, find, homes, is_name
from wassergraph.datasets.download import UnknownDatasetError
from wassergraph.datasets.tables import Table, find_column, read_classes, read_table
from wassergraph.formats.detect import GRAPH_FILES, from_graph_files, located, read_graph_file
from wassergraph.formats.rdkit import from_smiles
from wassergraph.formats.tu.archive import MissingFileError, read_files
from wassergraph.formats.tu.numbers import parse_integers
from wassergraph.formats.tu.reader import EmptyGraphs
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops

TABLES = (".csv", ".tsv", ".smi")
CLASS_FILES = ("labels.csv", "labels.tsv", "classes.csv")
CLASS_COLUMNS = ("class", "label", "target", "y")
NAME_COLUMNS = ("name", "id")

Kind: TypeAlias = Literal["a TU data set", "a table of SMILES", "a folder of graph files"]
_ACCEPTED = (
    "give the name of a TU data set, a folder or .zip in TU format, a .csv, .tsv or .smi file with a header and a "
    "column of SMILES, or a folder of .graphml and .gml files"
)


@dataclass(frozen=True, eq=False)
class Source:
    """Graphs, the class of each (None where none is known), and what each is called."""

    graphs: GraphBatch
    y: NDArray[Any] | None
    names: list[str]


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
        What :func:`wassergraph.load_dataset` loads, whose graphs are named by their position from 0 on; a .csv, .tsv or
        .smi file in UTF-8 whose first line names its columns, the rows named by the column "name" or "id" or else by
        their position; or a folder of .graphml and .gml files, in the order of their names, hidden ones left out.
    data_home : str or Path, optional
        Where to look for TU data sets first, and where downloads go.
    smiles_column, target_column : str, optional
        The columns of SMILES and classes; by default those named "smiles" and "class", "label", "target" or "y", in any
        capitals. If several may be the classes, or none, y is None. Classes are integers if all are, or else texts.
    labels_file : str or Path, optional
        A table with a header and two columns, file and class, that names every graph file once, with or without suffix;
        by default ``labels.csv``, ``labels.tsv`` or ``classes.csv`` in the folder, and without it y is None.
    node_labels, node_attributes, edge_weights : optional
        What to read of graph files, as in :func:`wassergraph.from_networkx`; if none is given, the convention of
        :func:`wassergraph.formats.detect.from_graph_files` holds.
    symmetrize, self_loops, repeats
        See :class:`wassergraph.graphs.packing.EdgeRules`. Molecules and graph files never list an edge repeatedly.
    empty_graphs : "error" or "drop"
        What becomes of graphs without nodes, and of rows without a SMILES.
    need_classes : bool
        Whether a class that is missing in a table is an error; otherwise y is None if one is.
    """
    if empty_graphs not in get_args(EmptyGraphs):
        raise ValueError(f"empty_graphs must be one of {get_args(EmptyGraphs)}, got {empty_graphs!r}")
    rules = EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats)
    names = {"node_labels": node_labels, "node_attributes": node_attributes, "edge_weights": edge_weights}
    kind = _kind(source, data_home)
    _refuse(source, kind, "a table of SMILES", smiles_column=smiles_column, target_column=target_column)
    _refuse(source, kind, "a folder of graph files", labels_file=labels_file, **names)
    if kind == "a table of SMILES":
        return _from_table(read_table(expand(source)), smiles_column, target_column, empty_graphs, need_classes)
    if kind == "a folder of graph files":
        return _from_folder(expand(source), labels_file, names, rules, empty_graphs, need_classes)
    return _from_tu(source, data_home, rules, empty_graphs)


def _kind(source: str | Path, data_home: str | Path | None) -> Kind:
    """Say what a source is, without reading it."""
    path = expand(source)
    suffix = path.suffix.lower()
    if suffix in TABLES and path.is_file():
        return "a table of SMILES"
    if source == "" or source in (*BUILT_IN, *CATALOGUE) or (is_name(source) and find(str(source), homes(data_home))):
        return "a TU data set"
    if path.is_dir():
        return _kind_of_folder(path)
    if path.is_file() and suffix != ".zip":
        raise ValueError(f"{path} is not a kind of file that is read here: {_ACCEPTED}")
    if not path.exists() and (not is_name(source) or suffix in TABLES + GRAPH_FILES):
        raise MissingFileError(f"{path} does not exist: {_ACCEPTED}")
    return "a TU data set"


def _kind_of_folder(path: Path) -> Kind:
    tu = any(path.glob("*_A.txt")) or any(path.glob("*/*_A.txt"))
    if tu == bool(_graph_files(path)):
        which = "a TU data set as well as" if tu else "neither a TU data set nor"
        raise ValueError(f"{path} holds {which} .graphml or .gml files: {_ACCEPTED}")
    return "a TU data set" if tu else "a folder of graph files"


def _refuse(source: str | Path, kind: Kind, other: Kind, **options: Any) -> None:
    """Refuse options that are for another kind of source."""
    for option, value in options.items():
        if value is not None and kind != other:
            raise ValueError(f"{option} is for {other}, but {source} is {kind}: leave it out")


def _from_tu(source: str | Path, data_home: str | Path | None, rules: EdgeRules, empty_graphs: EmptyGraphs) -> Source:
    try:
        graphs, y = load_dataset(source, data_home=data_home, empty_graphs=empty_graphs, **asdict(rules))
    except UnknownDatasetError as error:
        raise UnknownDatasetError(f"{error}. If it is no name of a TU data set: {_ACCEPTED}") from error
    positions = np.arange(len(graphs))
    if empty_graphs == "drop" and source not in BUILT_IN:  # the positions in the file, which the others keep
        found = find(str(source), [*homes(data_home), Path()]) if is_name(source) else None
        files = read_files(found or expand(source))
        positions = np.unique(parse_integers(files.require("graph_indicator"), files.file("graph_indicator"))) - 1
    return Source(graphs, y, [str(position) for position in positions])


def _from_table(
    table: Table, smiles_column: str | None, target_column: str | None, empty: EmptyGraphs, need_classes: bool
) -> Source:
    smiles = find_column(table, smiles_column, "smiles")
    if smiles is None:
        raise ValueError(
            f"{table.path} has no column named smiles, or several: name it with smiles_column, or in the first line of "
            f"the file, which has the columns {', '.join(map(repr, table.columns))}"
        )
    target = find_column(table, target_column, *CLASS_COLUMNS, but=smiles)
    cells = table.cells(smiles)
    if "" in cells and empty == "error":
        where = table.places[cells.index("")]
        raise ValueError(f'{where}: the SMILES is empty: give one, or pass empty_graphs="drop" to leave such rows out')
    kept = [position for position, cell in enumerate(cells) if cell]
    table = table.take(kept)
    try:
        graphs = from_smiles(table.cells(smiles))
    except ValueError as error:
        raise located(error, table.places) from error
    name = next((found for usual in NAME_COLUMNS if (found := find_column(table, None, usual, but=smiles))), None)
    names = [str(position) for position in kept] if name is None else table.cells(name)
    return Source(graphs, None if target is None else read_classes(table, target, needed=need_classes), names)


def _graph_files(folder: Path) -> list[Path]:
    files = [file for file in folder.iterdir() if file.suffix.lower() in GRAPH_FILES and file.is_file()]
    return sorted((file for file in files if not file.name.startswith(".")), key=lambda file: file.name)


def _from_folder(
    folder: Path,
    labels_file: str | Path | None,
    names: dict[str, Any],
    rules: EdgeRules,
    empty_graphs: EmptyGraphs,
    need_classes: bool,
) -> Source:
    files = _graph_files(folder)
    path = _class_table(folder, labels_file)
    table = None if path is None else _in_the_order_of(files, read_table(path), need_classes)
    graphs = [read_graph_file(file) for file in files]
    kept = [position for position, graph in enumerate(graphs) if len(graph) or empty_graphs == "error"]
    files = [files[position] for position in kept]
    batch = from_graph_files(files, [graphs[position] for position in kept], names, rules)
    y = None if table is None else read_classes(table.take(kept), table.columns[1], needed=need_classes)
    return Source(batch, y, [file.name for file in files])


def _class_table(folder: Path, labels_file: str | Path | None) -> Path | None:
    """Give the path of the table with the classes of the files in a folder; None if there is none."""
    usual = [folder / name for name in CLASS_FILES if (folder / name).is_file()]
    found = usual if labels_file is None else [expand(labels_file)]
    if labels_file is not None and not found[0].is_file():
        raise MissingFileError(f"{labels_file} does not exist: labels_file is a .csv or .tsv file with the classes")
    if len(found) > 1:
        raise ValueError(f"{found[0]} and {found[1].name} are both there: name the one that counts with labels_file")
    return found[0] if found else None


def _in_the_order_of(files: list[Path], table: Table, need_classes: bool) -> Table | None:
    """Give the rows of a table of classes in the order of the files, after making sure that each file has just one.

    A file without a row is an error, or, if the classes are not needed, means that they are not known: None.
    """
    if len(table.columns) != 2:
        raise ValueError(f"{table.path} has {count(len(table.columns), 'column')}: it needs two, file and class")
    meant: dict[str, list[Path]] = {}
    for file in files:
        meant.setdefault(file.stem, []).append(file)
    meant |= {file.name: [file] for file in files}
    row_of: dict[Path, int] = {}
    for row, (name, _) in enumerate(table.rows):
        if len(meant.get(name, [])) != 1:
            what = f"may be {' or '.join(file.name for file in meant[name])}" if name in meant else "is no graph file"
            raise ValueError(f"{table.places[row]}: {name!r} {what}: give the name of one file in the folder")
        if row_of.setdefault(meant[name][0], row) != row:
            raise ValueError(f"{table.places[row]}: {name!r} has a row already: give each file one class")
    missing = [file for file in files if file not in row_of]
    if missing and not need_classes:
        return None
    if missing:
        raise ValueError(f"{missing[0]} has no row in {table.path}, whose first line is the header: add one")
    return table.take([row_of[file] for file in files])
