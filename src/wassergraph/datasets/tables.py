"""Tables of text: a first line that names the columns, and a row for every graph."""

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

from wassergraph.graphs.invariants import count

_INTEGER = re.compile("-?(0|[1-9][0-9]{0,17})")  # so many digits fit into 64 bits; 01 is a text


@dataclass(frozen=True)
class Table:
    """What a table holds, as text; ``places`` says where each row is, for errors."""

    path: Path
    columns: list[str]
    rows: list[list[str]]
    places: list[str]

    def cells(self, column: str) -> list[str]:
        """Give the cells of a column."""
        number = self.columns.index(column)
        return [row[number] for row in self.rows]

    def take(self, rows: Sequence[int]) -> Table:
        """Give some of the rows."""
        return replace(self, rows=[self.rows[row] for row in rows], places=[self.places[row] for row in rows])


def find_column(table: Table, given: str | None, *usual: str, but: str | None = None) -> str | None:
    """Give the column that is asked for, or else the one with a usual name, in any capitals; None if not just one."""
    if given is not None and given not in table.columns:
        raise ValueError(f"{table.path} has no column {given!r}: it has {', '.join(map(repr, table.columns))}")
    found = [column for column in table.columns if column.lower() in usual and column != but]
    return given or (found[0] if len(found) == 1 else None)


def read_classes(table: Table, column: str, *, needed: bool) -> NDArray[Any] | None:
    """Give a column of classes: integers if all of them are, and texts otherwise.

    An empty cell is an error, or, if the classes are not ``needed``, means that they are not known.
    """
    cells = table.cells(column)
    if "" in cells and not needed:
        return None
    if "" in cells:
        raise ValueError(f"{table.places[cells.index('')]}: the cell of {column!r} is empty: every row needs a class")
    return np.array([int(cell) for cell in cells] if all(map(_INTEGER.fullmatch, cells)) else cells)


def read_table(path: Path) -> Table:
    """Read a table whose first line names its columns; spaces around a cell are not part of it."""
    records = [(f"{path}, line {line}", [cell.strip() for cell in cells]) for line, cells in _records(path)]
    if len(records) < 2:
        raise ValueError(f"{path} is {'but a header' if records else 'empty'}: it needs a header, and rows below it")
    (first, columns), *rows = records
    if columns[0] == "" and "name" not in columns:
        columns[0] = "name"  # the index that some programs write in front, without a name
    for number, column in enumerate(columns):
        if not column or column in columns[:number]:
            what = f"has the name {column!r} again" if column else "has no name"
            raise ValueError(f"{first}: column {number + 1} {what}; the first line must name each column, once")
    for place, cells in rows:
        if len(cells) != len(columns):
            raise ValueError(f"{place}: {count(len(cells), 'cell')} where the first line has {len(columns)}")
    return Table(path, columns, [cells for _, cells in rows], [place for place, _ in rows])


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Give the rows of a table, the header among them, each with the line that it begins on."""
    text = _text(path).rstrip("\r\n")
    suffix, first = path.suffix.lower(), text.partition("\n")[0]
    if suffix == ".smi" and text and "smiles" not in re.split(r"[\s,]+", first.lower()):
        yield from _without_header(text)
        return
    delimiter = "\t" if suffix == ".tsv" or (suffix == ".smi" and "\t" in first) else ","
    if suffix == ".smi" and delimiter not in first:
        yield from enumerate((line.split() for line in io.StringIO(text, newline=None)), start=1)
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}, line {line}: {error}; see to the quotes in this row") from error


def _without_header(text: str) -> Iterator[tuple[int, list[str]]]:
    """Read the usual .smi file: a line is a SMILES and, after a space, a name. A header is put in front."""
    rows = [line.split(None, 1) for line in io.StringIO(text, newline=None)]
    named = any(len(row) > 1 for row in rows)
    yield 1, ["smiles", "name"] if named else ["smiles"]
    for line, row in enumerate(rows, start=1):
        yield line, [*row, "", ""][: 2 if named else 1]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: this is not UTF-8 ({error.reason}); save the file as UTF-8") from error
