"""Read .graphml and .gml files, one, some or a folder of them, with classes or numbers from a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wassergraph.datasets.data_home import expand
from wassergraph.datasets.reading import ReadingOptions
from wassergraph.datasets.source import Source, source_of_names
from wassergraph.datasets.tables import Table, read_table
from wassergraph.datasets.targets import Target, read_target, rows_with_values
from wassergraph.errors import InputError, MissingFileError, Option
from wassergraph.formats.graph_files import GRAPH_FILES, from_graph_files, names_to_read, read_graph_file
from wassergraph.graphs.invariants import count

CLASS_FILES = ("labels.csv", "labels.tsv", "classes.csv")


def read_folder(folder: Path, options: ReadingOptions) -> Source:
    """Return the graphs of a folder, or of one file."""
    files = list_graph_files(folder)
    path = _class_table(folder, options.labels_file)
    table = None if path is None else _rows_of_files(read_table(path), files, options.need_target)
    graphs = [read_graph_file(file) for file in files]
    kept = [position for position, graph in enumerate(graphs) if len(graph) or options.empty_graphs == "error"]
    target = None if table is None else _read_values(table.take(kept), options)
    if target is not None and options.need_target and len(target.values) < len(kept):  # bounds that are left out
        kept, target = [kept[each] for each in target.positions], target.take(target.positions)
    files = [files[position] for position in kept]
    graphs = [graphs[position] for position in kept]
    names = names_to_read(files, graphs, options.graph_data, options.like)
    batch, names = from_graph_files(files, graphs, names, options.edge_rules)
    return replace(source_of_names(batch, target, [file.name for file in files]), options=names)


def _read_values(table: Table, options: ReadingOptions) -> Target | None:
    """Return the targets of the files, None if no file has one; if they are needed, every file must have one."""
    column = table.columns[1]
    cells = table.cells(column)
    missing = sorted(set(range(len(cells))) - set(rows_with_values(cells)))
    if options.need_target and missing:
        cell = cells[missing[0]]
        problem = f"the cell of {column!r} is {repr(cell) if cell else 'empty'}"
        raise _row_error(table, missing[0], problem, "every file needs a class or number")
    if len(missing) == len(cells):
        return None
    return read_target(cells, table.places, name=column, task=options.task, censored=options.bounds)


def list_graph_files(folder: Path) -> list[Path]:
    """Return the graph files of a folder, sorted by name, without hidden files; a graph file itself, if it is one."""
    if folder.is_file():
        return [folder]
    files = [file for file in folder.iterdir() if file.suffix.lower() in GRAPH_FILES and file.is_file()]
    return sorted((file for file in files if not file.name.startswith(".")), key=lambda file: file.name)


def _class_table(folder: Path, labels_file: str | Path | None) -> Path | None:
    """Return the path of the table with the targets of the files in a folder; None if there is none."""
    option = Option("labels_file")
    if labels_file is not None:
        path = expand(labels_file)
        if not path.is_file():
            raise MissingFileError(
                "it does not exist", remedy="pass a .csv or .tsv file as {}", options=[option], file=labels_file
            )
        return path
    # A table in a folder is about all of its files, and is not read for a single one.
    usual = [folder / name for name in CLASS_FILES if folder.is_dir() and (folder / name).is_file()]
    if len(usual) > 1:
        problem = f"there are {usual[0].name} and {usual[1].name}"
        raise InputError(problem, remedy="pass the one to use as {}", options=[option], file=folder)
    return usual[0] if usual else None


def _rows_of_files(table: Table, files: list[Path], need_target: bool) -> Table | None:
    """Return the rows of a table of targets in the order of the files.

    Every file must have exactly one row. A file without a row is an error, or, if targets are not needed, means that
    they are unknown: then None is returned.
    """
    if len(table.columns) != 2:
        problem = f"the file has {count(len(table.columns), 'column')}"
        raise InputError(problem, remedy="use two columns, file and class or number", file=table.path)
    candidates = _files_by_name(files)
    row_of: dict[Path, int] = {}
    for row, (name, _) in enumerate(table.rows):
        file = _only_file(table, row, candidates.get(name, []))
        if row_of.setdefault(file, row) != row:
            raise _row_error(table, row, f"{name!r} has a row already", "list each file once")
    missing = [file for file in files if file not in row_of]
    if missing and not need_target:
        return None
    if missing:
        remedy = "add one below the header, which is the first line"
        raise InputError(f"there is no row for {missing[0].name}", remedy=remedy, file=table.path)
    return table.take([row_of[file] for file in files])


def _files_by_name(files: list[Path]) -> dict[str, list[Path]]:
    """Return the files that a name may stand for, with or without suffix."""
    by_name: dict[str, list[Path]] = {}
    for file in files:
        by_name.setdefault(file.stem, []).append(file)
    return by_name | {file.name: [file] for file in files}


def _only_file(table: Table, row: int, candidates: list[Path]) -> Path:
    if len(candidates) != 1:
        several = " or ".join(file.name for file in candidates)
        problem = f"may be {several}" if candidates else "is not a graph file of the folder"
        raise _row_error(table, row, f"{table.rows[row][0]!r} {problem}", "use the name of one file, with its suffix")
    return candidates[0]


def _row_error(table: Table, row: int, problem: str, remedy: str) -> InputError:
    file, line = table.places[row]
    return InputError(problem, remedy=remedy, file=file, line=line)
