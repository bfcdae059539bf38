"""Read tables of molecules, with targets and names."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any, Literal

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.datasets.reading import InvalidRows, ReadingOptions
from wassergraph.datasets.smiles_columns import find_smiles_column
from wassergraph.datasets.source import Source, TableFacts
from wassergraph.datasets.tables import Table, named_column, usual_columns
from wassergraph.datasets.targets import Target, is_number, read_target, rows_with_values
from wassergraph.errors import InputError, Option
from wassergraph.formats.rdkit import rdkit_molecules, read_sdf, read_smiles
from wassergraph.formats.unreadable import Unreadable, describe_skipped
from wassergraph.graphs.batch import GraphBatch

#: The plain names that columns of targets and of names usually have; of the latter, the first is preferred.
TARGET_COLUMNS = ("class", "classes", "label", "labels", "target", "y", "activity", "active", "outcome")
NAME_COLUMNS = ("name", "recordname", "id", "compoundid", "compoundname", "moleculeid", "molid", "cid", "title")
#: The number of lines that a warning lists.
_LISTED = 10


def read_molecule_table(table: Table, options: ReadingOptions) -> Source:
    """Return the molecules of a table; its target is not guessed if that of earlier graphs is known."""
    smiles = _smiles_column(table, _chosen_column(table, "smiles_column", options))
    target = _chosen_column(table, "target", options)
    if target is not None or options.like is None:
        target = _target_column(table, target, smiles, options.need_target)
    values = None if target is None else _read_values(table, target, options)
    name_column = _name_column(table, (smiles, target))
    kept = np.arange(len(table.rows)) if values is None or not options.need_target else _rows_with_value(table, values)
    graphs, positions, unreadable = _read(table.take(kept.tolist()), smiles, options.invalid)
    readable = kept[positions]
    shown = kept if options.invalid == "nan" else readable
    names = list(map(str, range(len(table.rows)))) if name_column is None else table.cells(name_column)
    n_without_target = 0 if values is None else len(table.rows) - len(values.positions)
    return Source(
        graphs=graphs,
        target=None if values is None else values.take(readable),
        names=[names[row] for row in readable],
        columns=table.columns,
        rows=[table.rows[row] for row in shown],
        positions=np.searchsorted(shown, readable),
        facts=TableFacts(smiles, name_column, len(table.rows), n_without_target, len(unreadable)),
        molecules=_molecules(table.take(readable.tolist()), smiles),
        named=name_column is not None,
        options={} if smiles is None else {"smiles_column": smiles},
        places=[table.places[row] for row in readable],
    )


# Columns


def _chosen_column(table: Table, option: str, options: ReadingOptions) -> str | None:
    """Return the column of SMILES or targets: as given, or else that of earlier graphs, if the table has it."""
    given: str | None = getattr(options, option)
    like = options.like or {}
    usable = table.columns if table.records is None else [c for c in table.columns if c != like.get("smiles_column")]
    return str(like[option]) if given is None and like.get(option) in usable else given


def _smiles_column(table: Table, name: str | None) -> str | None:
    if table.records is None:
        return find_smiles_column(table, name)
    if name is not None:
        raise InputError(
            "{} applies to a table of SMILES, but this is an SDF file",
            remedy="remove {}",
            options=[Option("smiles_column"), Option("smiles_column")],
            file=table.path,
        )
    return None


def _target_column(table: Table, name: str | None, smiles: str | None, needed: bool) -> str | None:
    """Return the column that is named, or else the only one with a usual name."""
    if name is not None:
        return _named_target(table, name, smiles)
    columns = usual_columns(table, TARGET_COLUMNS, (smiles,))
    if needed and len(columns) != 1:
        several = f"the columns {' and '.join(map(repr, columns))} may all be the target"
        none = "there is no column of classes or numbers with a usual name, such as class or activity"
        others = table.column_list((smiles,))
        raise InputError(
            several if columns else none,
            remedy=f"name it with {{}}: {others}" if others else "add such a column, and name it with {}",
            options=[Option("target")],
            file=table.path,
        )
    return columns[0] if len(columns) == 1 else None


def _named_target(table: Table, name: str, smiles: str | None) -> str:
    columns = [part.strip() for part in name.split(",")]
    if name not in table.columns and len(columns) > 1 and set(columns) <= set(table.columns):
        raise InputError(
            f"{{}} names {len(columns)} columns, and a model predicts one",
            remedy="train one model for each column, the first with {}",
            options=[Option("target", name), Option("target", columns[0])],
            file=table.path,
        )
    column = named_column(table, Option("target", name))
    if column == smiles:
        raise InputError(
            "{}: this is the column of SMILES",
            remedy=f"name another column: {table.column_list((smiles,))}" if len(table.columns) > 1 else "",
            options=[Option("target", name)],
            file=table.path,
        )
    return column


def _name_column(table: Table, used: Collection[str | None]) -> str | None:
    """Return the column of names: one with a usual name, or else the first of text that is different in every row."""
    for usual in NAME_COLUMNS:
        columns = usual_columns(table, (usual,), used)
        if len(columns) == 1:
            return columns[0]
    for column in table.columns:
        cells = table.cells(column)
        is_text = not any(is_number(cell) for cell in cells)
        if column not in used and is_text and "" not in cells and len(set(cells)) == len(cells):
            return column
    return None


# Targets


def _read_values(table: Table, column: str, options: ReadingOptions) -> Target | None:
    """Return the target of every row; None if no row has one, unless it is needed."""
    cells = table.cells(column)
    if not options.need_target and not rows_with_values(cells):
        return None
    return read_target(cells, table.places, name=column, task=options.task)


def _rows_with_value(table: Table, target: Target) -> IntArray:
    """Return the rows that have a target value; warn about others."""
    missing = np.setdiff1d(np.arange(len(table.rows)), target.positions)
    if missing.size:
        lines = ", ".join(str(table.places[row].line) for row in missing[:_LISTED])
        more = f" and {len(missing) - _LISTED:,} more" if len(missing) > _LISTED else ""
        warnings.warn(
            f"{len(missing):,} of {len(table.rows):,} rows left out for lack of a value of {target.name!r}, in "
            f"{table.path.name}, line {lines}{more}",
            stacklevel=4,
        )
    return target.positions


# Molecules


def _molecules(table: Table, smiles: str | None) -> list[Any]:
    """Return the readable molecules of a table, for what needs more of them than their graphs."""
    return table.cells(str(smiles)) if table.records is None else rdkit_molecules(table.records)


def _read(table: Table, smiles: str | None, invalid: InvalidRows) -> tuple[GraphBatch, IntArray, dict[int, Unreadable]]:
    """Read the molecules of all rows; raise an error or warn about those that cannot be read."""
    how: Literal["error"] | None = "error" if invalid == "error" else None
    try:
        if table.records is not None:
            graphs, positions, unreadable = read_sdf(table.records, invalid=how)
        else:
            graphs, positions, unreadable = read_smiles(table.cells(str(smiles)), invalid=how)
    except InputError as error:
        raise error.in_places(table.places) from error
    if graphs is None:
        raise InputError(
            f"none of the {len(table.rows):,} molecules can be read, the first: {unreadable[0]}",
            remedy="check the file" if smiles is None else f"check that {smiles!r} is the column of SMILES",
            file=table.path,
        )
    if unreadable:
        by_line = {int(table.places[row].line or 0): problem for row, problem in unreadable.items()}
        outcome = "kept without a prediction" if invalid == "nan" else "left out"
        where = f"in {table.path.name}, line"
        warnings.warn(describe_skipped(by_line, len(table.rows), outcome=outcome, where=where), stacklevel=4)
    return graphs, positions, unreadable
