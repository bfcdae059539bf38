"""Find the column of SMILES of a table, by its name or by its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from wassergraph.datasets.tables import Table, named_column, plain_name
from wassergraph.errors import InputError, Option
from wassergraph.formats.rdkit import read_smiles

#: Names of columns of molecules that are often something else, such as names; their cells are checked.
_USUAL = ("structure", "structures", "mol", "mols", "molecule", "molecules", "compound", "smi", "drug", "ligand")
#: The number of cells of a column that are tried.
_SAMPLE = 50
#: What few words have: branches, bonds, brackets and the digits of rings.
_STRUCTURE = re.compile(r"[()=#\[\]@0-9]")


class _Likeness(IntEnum):
    """How much the cells of a column look like SMILES."""

    NONE = 0
    WORDS = 1
    SMILES = 2


def find_smiles_column(table: Table, name: str | None) -> str:
    """Return the column of SMILES.

    It is the one that is named; or else the only one whose name contains "smiles"; or else the only one with another
    usual name, such as "structure" or "mol", whose cells are molecules; or else the only one whose cells are. Cells
    are molecules if at least half of those tried can be read. Short words such as "CN" or "CI" can be read, too:
    columns of them are used only if they hold different words and if no other column has rings, branches or bonds.

    Parameters
    ----------
    table : Table
        The table.
    name : str or None
        The name that the user gave.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no such column, or if there are several.
    """
    if name is not None:
        return named_column(table, Option("smiles_column", name))
    by_name = [column for column in table.columns if "smiles" in plain_name(column)]
    if len(by_name) == 1:
        return by_name[0]
    groups = [by_name, [column for column in table.columns if plain_name(column) in _USUAL], table.columns]
    for group in groups:
        columns = _molecule_columns(table, group)
        if len(columns) > 1:
            raise _several(table, columns)
        if columns:
            _check_header(table, columns[0])
            return columns[0]
    if by_name:
        raise _several(table, by_name)
    raise InputError(
        "there is no column of SMILES",
        remedy=f"name it with {{}}; the columns are {table.column_list()}",
        options=[Option("smiles_column")],
        file=table.path,
    )


def _several(table: Table, columns: Iterable[str]) -> InputError:
    return InputError(
        f"the columns {' and '.join(map(repr, columns))} may all be the SMILES",
        remedy="name the one to use with {}",
        options=[Option("smiles_column")],
        file=table.path,
    )


def _molecule_columns(table: Table, columns: Iterable[str]) -> list[str]:
    """Return the columns whose cells look most like SMILES, if they do at all."""
    likeness = {column: _likeness(table.cells(column)) for column in columns}
    best = max(likeness.values(), default=_Likeness.NONE)
    return [column for column, each in likeness.items() if each is best and best is not _Likeness.NONE]


def _likeness(cells: list[str]) -> _Likeness:
    filled = [cell for cell in cells if cell]
    sample = [filled[row] for row in np.unique(np.linspace(0, len(filled) - 1, _SAMPLE).astype(int))] if filled else []
    readable = [sample[position] for position in read_smiles(sample, None, invalid=None).positions]
    if 2 * len(readable) < max(len(sample), 1):
        return _Likeness.NONE
    if 4 * sum(_STRUCTURE.search(cell) is not None for cell in readable) >= len(readable):
        return _Likeness.SMILES
    return _Likeness.WORDS if 2 * len(set(readable)) >= len(sample) else _Likeness.NONE


def _check_header(table: Table, column: str) -> None:
    """Raise an error if the name of a column is a molecule: then the first line is a row, and would be lost."""
    if read_smiles([column], None, invalid=None).graphs is not None:
        raise InputError(
            f"the first line must name the columns, but {column!r} is a molecule",
            remedy="add a line such as smiles,class, or name the column with {} if the first line does name it",
            options=[Option("smiles_column")],
            file=table.path,
            line=1,
        )
