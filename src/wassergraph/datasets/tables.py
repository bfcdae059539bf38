"""Tables of text: a first line that names the columns, and one row per graph."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.errors import InputError, Option, Place
from wassergraph.graphs.invariants import count

_INTEGER = re.compile("-?(0|[1-9][0-9]{0,17})")  # up to 18 digits fit into 64 bits; 01 is a string


@dataclass(frozen=True)
class Table:
    """The rows of a table, as text, and the place of each row in its file."""

    path: Path
    columns: list[str]
    rows: list[list[str]]
    places: list[Place]

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column."""
        number = self.columns.index(column)
        return [row[number] for row in self.rows]

    def take(self, rows: Sequence[int]) -> Table:
        """Return the table with only these rows."""
        return replace(self, rows=[self.rows[row] for row in rows], places=[self.places[row] for row in rows])

    def column_list(self) -> str:
        """Return the names of the columns, for messages."""
        return ", ".join(map(repr, self.columns))


def find_column(table: Table, option: Option, usual: Sequence[str], *, exclude: str | None = None) -> str | None:
    """Return the column that an option names, or else the only one with a usual name, in upper or lower case.

    Parameters
    ----------
    table : Table
        The table.
    option : Option
        The parameter that may name the column; its value is None if it does not.
    usual : sequence of str
        The names to look for otherwise, in lower case.
    exclude : str, optional
        A column that is not meant.

    Returns
    -------
    str or None
        None if the option names no column and several columns have a usual name, or none.
    """
    if option.value is not None:
        if option.value not in table.columns:
            problem = f"{{}}: there is no such column, only {table.column_list()}"
            raise InputError(problem, options=[option], file=table.path)
        return str(option.value)
    columns = [column for column in table.columns if column.lower() in usual and column != exclude]
    return columns[0] if len(columns) == 1 else None


def read_classes(table: Table, column: str, *, needed: bool) -> NDArray[Any] | None:
    """Return a column of classes: integers if all of them are, and strings otherwise.

    An empty cell is an error, or, if classes are not ``needed``, means that they are unknown: then None is returned.
    """
    cells = table.cells(column)
    if "" in cells and not needed:
        return None
    if "" in cells:
        file, line = table.places[cells.index("")]
        raise InputError(f"the cell of {column!r} is empty", remedy="every row needs a class", file=file, line=line)
    return np.array([int(cell) for cell in cells] if all(map(_INTEGER.fullmatch, cells)) else cells)


def read_table(path: Path) -> Table:
    """Read a table whose first line names its columns; spaces around a cell are ignored."""
    records = [(line, [cell.strip() for cell in cells]) for line, cells in _records(path)]
    if len(records) < 2:
        problem = "the file has a header but no rows" if records else "the file is empty"
        raise InputError(problem, remedy="it needs a header and one row per graph", file=path)
    (first, columns), *rows = records
    if columns[0] == "" and "name" not in columns:
        columns[0] = "name"  # the index that some programs write as a first column without a name
    _check_columns(columns, Place(path, first))
    for line, cells in rows:
        if len(cells) != len(columns):
            problem = f"the row has {count(len(cells), 'cell')}, but the header has {len(columns)}"
            raise InputError(problem, file=path, line=line)
    return Table(path, columns, [cells for _, cells in rows], [Place(path, line) for line, _ in rows])


def _check_columns(columns: list[str], header: Place) -> None:
    for number, column in enumerate(columns):
        if not column or column in columns[:number]:
            problem = f"there are two columns named {column!r}" if column else f"column {number + 1} has no name"
            remedy = "name each column once in the first line"
            raise InputError(problem, remedy=remedy, file=header.file, line=header.line)


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, including the header, each with the line on which it begins."""
    text = _read_text(path).rstrip("\r\n")
    suffix, first = path.suffix.lower(), text.partition("\n")[0]
    if suffix == ".smi" and text and "smiles" not in re.split(r"[\s,]+", first.lower()):
        return _records_without_header(text)
    delimiter = "\t" if suffix == ".tsv" or (suffix == ".smi" and "\t" in first) else ","
    if suffix == ".smi" and delimiter not in first:
        return enumerate((line.split() for line in io.StringIO(text, newline=None)), start=1)
    return _csv_records(text, delimiter, path)


def _csv_records(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(str(error), remedy="check the quotes in this row", file=path, line=line) from error


def _records_without_header(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the usual .smi file, a SMILES and perhaps a name per line, after a header."""
    rows = [line.split(None, 1) for line in io.StringIO(text, newline=None)]
    named = any(len(row) > 1 for row in rows)
    yield 1, ["smiles", "name"] if named else ["smiles"]
    for line, row in enumerate(rows, start=1):
        yield line, [*row, "", ""][: 2 if named else 1]


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        problem = f"the text is not UTF-8 ({error.reason})"
        raise InputError(problem, remedy="save the file as UTF-8", file=path, line=line) from error
