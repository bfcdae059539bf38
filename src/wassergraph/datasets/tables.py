"""Tables: named columns of text, and one row per graph."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wassergraph.errors import InputError, Option, Place, did_you_mean
from wassergraph.formats.compressed import format_suffix, open_bytes
from wassergraph.formats.sdf import SdfRecord, read_records
from wassergraph.graphs.invariants import count

#: How the names of tables end; each may be followed by .gz.
TABLE_SUFFIXES = (".csv", ".tsv", ".smi", ".sdf")
_SEPARATORS = re.compile(r"[\s_.-]+")
#: The number of columns that a message lists.
_LISTED = 30


@dataclass(frozen=True)
class Table:
    """The rows of a table, as text, and the place of each row in its file.

    Attributes
    ----------
    path : Path
        The file.
    columns : list of str
        The names of the columns.
    rows : list of list of str
        The cells of each row.
    places : list of Place
        Where each row begins.
    records : list of SdfRecord, or None
        The molecule of each row, if the table is an SDF file.
    """

    path: Path
    columns: list[str]
    rows: list[list[str]]
    places: list[Place]
    records: list[SdfRecord] | None = None

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column."""
        number = self.columns.index(column)
        return [row[number] for row in self.rows]

    def take(self, rows: Sequence[int]) -> Table:
        """Return the table with only these rows."""
        return replace(
            self,
            rows=[self.rows[row] for row in rows],
            places=[self.places[row] for row in rows],
            records=None if self.records is None else [self.records[row] for row in rows],
        )

    def column_list(self, exclude: Collection[str | None] = ()) -> str:
        """Return the names of the columns, or of those that are not used for something else, for messages."""
        columns = [repr(column) for column in self.columns if column not in exclude]
        more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
        return ", ".join(columns[:_LISTED]) + more


def plain_name(column: str) -> str:
    """Return the name of a column in lower case, without spaces, hyphens, underscores and dots.

    Examples
    --------
    >>> plain_name("Canonical_SMILES"), plain_name("Compound ID")
    ('canonicalsmiles', 'compoundid')
    """
    return _SEPARATORS.sub("", column.lower())


def named_column(table: Table, option: Option) -> str:
    """Return the column that an option names; raise an error if there is none."""
    if option.value not in table.columns:
        raise InputError(
            f"{{}}: there is no such column, only {table.column_list()}",
            remedy=did_you_mean(option.value, table.columns),
            options=[option],
            file=table.path,
        )
    return str(option.value)


def usual_columns(table: Table, usual: Collection[str], exclude: Collection[str | None] = ()) -> list[str]:
    """Return the columns whose plain names are usual ones, without those that are used for something else."""
    return [column for column in table.columns if plain_name(column) in usual and column not in exclude]


def read_table(path: Path) -> Table:
    """Read a table.

    Parameters
    ----------
    path : Path
        A .csv or .tsv file whose first line names its columns; a .smi file, with such a line or with a SMILES and
        perhaps a name per line; or an .sdf file, whose columns are the names of the records and their data fields.
        Each may be compressed, with .gz at the end of its name. Spaces around a cell are ignored.

    Returns
    -------
    Table
    """
    return _read_sdf(path) if format_suffix(path) == ".sdf" else _read_text_table(path)


def _read_text_table(path: Path) -> Table:
    records = [(line, [cell.strip() for cell in cells]) for line, cells in _records(path)]
    if len(records) < 2:
        problem = "the file has a header but no rows" if records else "the file is empty"
        raise InputError(problem, remedy="it needs a header and one row per graph", file=path)
    (first, columns), *rows = records
    if not any(columns):
        raise InputError("the line is empty", remedy="remove it", file=path, line=first)
    if columns[0] == "" and "name" not in columns:
        columns[0] = "name"  # the index that some programs write as a first column without a name
    _check_columns(columns, Place(path, first))
    for line, cells in rows:
        if len(cells) != len(columns):
            problem = f"the row has {count(len(cells), 'cell')}, but the header has {len(columns)}"
            is_empty = not any(cells) and len(cells) < 2
            raise InputError(
                "the line is empty" if is_empty else problem,
                remedy="remove it" if is_empty else "check commas and quotes in this row",
                file=path,
                line=line,
            )
    return Table(path, columns, [cells for _, cells in rows], [Place(path, line) for line, _ in rows])


def _read_sdf(path: Path) -> Table:
    """Read an SDF file: a column of names, unless all are empty, and one for each data field."""
    records = list(read_records(path))
    if not records:
        raise InputError("the file has no molecules", remedy="add at least one record", file=path)
    fields = list(dict.fromkeys(field for record in records for field in record.fields))
    name = "name"
    while plain_name(name) in map(plain_name, fields):
        name = f"record_{name}"
    names = [name] if any(record.name for record in records) else []
    rows = [[record.name for _ in names] + [record.fields.get(field, "") for field in fields] for record in records]
    return Table(path, names + fields, rows, [Place(path, record.line) for record in records], records)


def _check_columns(columns: list[str], header: Place) -> None:
    for number, column in enumerate(columns):
        if not column or column in columns[:number]:
            problem = f"there are two columns named {column!r}" if column else f"column {number + 1} has no name"
            remedy = "name each column once in the first line"
            raise InputError(problem, remedy=remedy, file=header.file, line=header.line)


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, including the header, each with the line on which it begins."""
    text = _read_text(path).rstrip("\r\n")
    suffix, first = format_suffix(path), text.splitlines()[0] if text else ""
    if suffix == ".smi" and text and "smiles" not in first.lower():
        return _records_without_header(text)
    delimiter = _delimiter(suffix, first)
    if suffix == ".smi" and delimiter not in first:
        return enumerate((line.split() for line in io.StringIO(text, newline=None)), start=1)
    return _csv_records(text, delimiter, path)


def _delimiter(suffix: str, header: str) -> str:
    """Return what separates cells: some programs write .csv files with semicolons or tabs."""
    if suffix == ".tsv" or (suffix == ".smi" and "\t" in header):
        return "\t"
    if suffix != ".csv":
        return ","
    unquoted = re.sub(r'"[^"]*"', "", header)  # the names of columns may contain commas, as in "IC50, nM"
    return max(",;\t", key=unquoted.count)


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
    with open_bytes(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        problem = f"the text is not UTF-8 ({error.reason})"
        raise InputError(problem, remedy="save the file as UTF-8", file=path, line=line) from error
