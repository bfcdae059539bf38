"""Split SDF files into records: a molecule, its name and its data fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wassergraph.errors import InputError
from wassergraph.formats.compressed import open_bytes

_FIELD = re.compile(r">.*?<(.+)>")
_END_OF_MOLECULE, _END_OF_RECORD = "M  END", "$$$$"


class SdfRecord(NamedTuple):
    """One record of an SDF file.

    Attributes
    ----------
    block : str
        The molecule, as a MOL block.
    name : str
        The first line of the block; it may be empty.
    fields : dict of str
        The data fields, by name.
    line : int
        The line of the file on which the record begins, counted from 1.
    complete : bool
        Whether the molecule has an end; if not, the file was probably cut off.
    """

    block: str
    name: str
    fields: dict[str, str]
    line: int
    complete: bool


def read_records(path: str | Path) -> Iterator[SdfRecord]:
    """Yield the records of an SDF file, compressed with gzip or not.

    Parameters
    ----------
    path : str or Path
        A file in UTF-8.

    Yields
    ------
    SdfRecord
    """
    lines: list[str] = []
    first = 1
    for number, line in enumerate(_lines(Path(path)), start=1):
        if line.startswith(_END_OF_RECORD):
            yield _record(lines, first)
            lines, first = [], number + 1
        else:
            lines.append(line)
    if any(line.strip() for line in lines):  # the last record of some files has no end
        yield _record(lines, first)


def _record(lines: list[str], first: int) -> SdfRecord:
    ends = [number for number, line in enumerate(lines) if line.startswith(_END_OF_MOLECULE)]
    end = ends[0] + 1 if ends else len(lines)
    name = lines[0].strip() if lines else ""
    return SdfRecord("\n".join(lines[:end]) + "\n", name, _fields(lines[end:]), first, bool(ends))


def _fields(lines: list[str]) -> dict[str, str]:
    """Read data fields: a line ``> <name>``, lines of text, and an empty line."""
    fields: dict[str, list[str]] = {}
    name = None
    for line in lines:
        header = _FIELD.match(line)
        if header is not None and name is None:
            name = header.group(1)
            fields[name] = []
        elif not line.strip():
            name = None
        elif name is not None:
            fields[name].append(line.strip())
    return {name: "\n".join(text) for name, text in fields.items()}


def _lines(path: Path) -> Iterator[str]:
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"the text is not UTF-8 ({error.reason})"
                raise InputError(problem, remedy="save the file as UTF-8", file=path, line=number) from error
            yield text.rstrip("\r\n")
