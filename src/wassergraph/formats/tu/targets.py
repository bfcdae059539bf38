"""Targets of TU data sets: graph labels or graph attributes, all columns or one."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, MissingFileError, Option
from wassergraph.formats.tu.archive import TUFiles
from wassergraph.formats.tu.numbers import parse_numbers
from wassergraph.graphs.invariants import count

#: What targets are read from: ``NAME_graph_labels.txt`` or ``NAME_graph_attributes.txt``.
Part: TypeAlias = Literal["labels", "attributes"]
TARGET_PARTS: tuple[Part, ...] = ("labels", "attributes")
TUTargets: TypeAlias = IntArray | FloatArray
_CHOICE = re.compile(r"(auto|labels|attributes)|(labels|attributes):([1-9][0-9]{0,8})")


class TargetChoice(NamedTuple):
    """Which numbers of a data set are its targets.

    Attributes
    ----------
    part : "labels", "attributes" or None
        The file to read; None is the first of them that exists.
    column : int or None
        The column of the file, counted from 1; None means all.
    """

    part: Part | None
    column: int | None


def read_choice(target: str) -> TargetChoice:
    """Read what is meant by "auto", "labels", "attributes", or one of the latter two with the number of a column.

    Examples
    --------
    >>> read_choice("attributes:2")
    TargetChoice(part='attributes', column=2)
    """
    match = _CHOICE.fullmatch(target) if isinstance(target, str) else None
    if match is None:
        raise InputError(
            "{} must be one of 'auto', 'labels' and 'attributes', or name a column by its number, counted from 1, as "
            f"in 'attributes:2', got {target!r}",
            options=[Option("target")],
        )
    whole, part, column = match.groups()
    if column is not None:
        return TargetChoice(cast(Part, part), int(column))
    return TargetChoice(None if whole == "auto" else cast(Part, whole), None)


def first_part(files: TUFiles) -> Part | None:
    """Return what targets are read from unless a choice is made: labels, or else attributes; None without either."""
    return next((part for part in TARGET_PARTS if f"graph_{part}" in files.files), None)


def read_tu_targets(files: TUFiles, choice: TargetChoice) -> TUTargets | None:
    """Read the targets of a data set.

    Parameters
    ----------
    files : TUFiles
        The data set.
    choice : TargetChoice
        What to read.

    Returns
    -------
    (n_graphs) integers or floats, (n_graphs, k) floats, or None if there are none
        Labels are integers if all of them are; attributes are always floats.
    """
    part = choice.part or first_part(files)
    if part is None:
        return None
    suffix = f"graph_{part}"
    if suffix not in files.files and first_part(files) is not None:
        other, file = Option("target", first_part(files)), files.file(suffix)
        raise MissingFileError("the file is missing", remedy="add it, or pass {}", options=[other], file=file)
    table = parse_numbers(files.require(suffix), files.file(suffix))
    if choice.column is not None:
        table = _take_column(table, choice.column, files.file(suffix))
    _check_finite(table, part, files.file(suffix))
    column = table[:, 0] if table.shape[1] == 1 else table
    are_classes = part == "labels" and (table == np.floor(table)).all()
    return column.astype(np.int64) if are_classes else column.astype(np.float64)


def _take_column(table: TUTargets, column: int, file: str) -> TUTargets:
    n_columns = table.shape[1]
    if column > n_columns:
        raise InputError(
            f"there is no column {column}, only {count(n_columns, 'column')}",
            remedy=f"choose a column from 1 to {n_columns} with {{}}" if n_columns > 1 else "remove the number from {}",
            options=[Option("target")],
            file=file,
        )
    return table[:, column - 1 : column]


def _check_finite(table: TUTargets, part: Part, file: str) -> None:
    finite = np.isfinite(table).all(axis=1)
    if finite.all():
        return
    row = int(finite.argmin())
    several = table.shape[1] > 1
    values = ", ".join(f"{value:g}" for value in table[row])
    raise InputError(
        f"the target {values} is not finite",
        remedy=f"correct it, {'choose a column, such as {}, ' if several else ''}or remove the graph",
        options=[Option("target", f"{part}:1")] if several else [],
        file=file,
        line=row + 1,
    )
