"""Read tables of molecules, with targets and names."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.datasets.reading import InvalidRows, ReadingOptions
from wassergraph.datasets.smiles_columns import find_smiles_column
from wassergraph.datasets.source import Source, TableFacts
from wassergraph.datasets.tables import Table, usual_columns
from wassergraph.datasets.target_columns import target_columns
from wassergraph.datasets.targets import Target, is_number, read_target, rows_with_values
from wassergraph.errors import InputError, Option
from wassergraph.formats.rdkit import rdkit_molecules, read_sdf, read_smiles
from wassergraph.formats.standardize import MoleculeSteps
from wassergraph.formats.structures import plain_structure
from wassergraph.formats.unreadable import Unreadable, describe_skipped
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.texts import Texts

#: The plain names that columns of names usually have, the preferred one first.
NAME_COLUMNS = ("name", "recordname", "id", "compoundid", "compoundname", "moleculeid", "molid", "cid", "title")
#: The number of lines that a warning lists.
_LISTED = 10


def read_molecule_table(table: Table, options: ReadingOptions) -> Source:
    """Return the molecules of a table; its target is not guessed if that of earlier graphs is known."""
    smiles = _smiles_column(table, _chosen_column(table, options))
    columns = _target_columns(table, options, smiles)
    name_column = _name_column(table, (smiles, *columns))
    found = [_read_values(table, column, options) for column in columns]
    targets = [each for each in found if each is not None]
    kept = np.arange(len(table.rows)) if not (targets and options.need_target) else _rows_with_value(table, targets)
    graphs, positions, unreadable = _read(table.take(kept.tolist()), smiles, options.invalid, options.steps)
    readable = kept[positions]
    shown = kept if options.invalid == "nan" else readable
    names = list(map(str, range(len(table.rows)))) if name_column is None else table.cells(name_column)
    known = tuple(each.take(readable) for each in targets)
    n_without_target = len(table.rows) - len(_with_values(targets)) if targets else 0
    return Source(
        graphs=graphs,
        target=known[0] if len(columns) == 1 and known else None,
        names=[names[row] for row in readable],
        columns=table.columns,
        rows=[table.rows[row] for row in shown],
        positions=np.searchsorted(shown, readable),
        facts=TableFacts(smiles, name_column, len(table.rows), n_without_target, len(unreadable)),
        molecules=_molecules(table.take(readable.tolist()), smiles, graphs.structures if options.steps else None),
        named=name_column is not None,
        options={
            **({} if smiles is None else {"smiles_column": smiles}),
            **({"standardize_molecules": list(options.steps)} if options.steps else {}),
        },
        targets=known if len(columns) > 1 else (),
        places=[table.places[row] for row in readable],
    )


# Columns


def _chosen_column(table: Table, options: ReadingOptions) -> str | None:
    """Return the column of SMILES: as given, or else that of earlier graphs, if the table has it."""
    given, former = options.smiles_column, (options.like or {}).get("smiles_column")
    return str(former) if given is None and table.records is None and former in table.columns else given


def _target_columns(table: Table, options: ReadingOptions, smiles: str | None) -> list[str]:
    """Return the columns of targets: as given, or else those of earlier graphs that the table has."""
    names = options.target
    if names is None and options.like is not None:
        former = options.like.get("target") or []
        listed = [former] if isinstance(former, str) else former
        return [name for name in listed if name in table.columns and name != smiles]
    # What can be a target depends on which column has the names, and the other way round.
    used = (smiles, _name_column(table, (smiles,)), *options.not_targets)
    return target_columns(table, names, used, needed=options.need_target, task=options.task)


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
    return read_target(cells, table.places, name=column, task=options.task_of(column), censored=options.bounds)


def _with_values(targets: Sequence[Target]) -> IntArray:
    """Return the rows that have a value of one of the targets or more."""
    return np.unique(np.concatenate([each.positions for each in targets]))


def _rows_with_value(table: Table, targets: Sequence[Target]) -> IntArray:
    """Return the rows that have a target value; warn about those without any, not about bounds that are left out."""
    known = _with_values(targets)
    with_cells = np.unique(np.concatenate([rows_with_values(table.cells(str(each.name))) for each in targets]))
    missing = np.setdiff1d(np.arange(len(table.rows)), with_cells)
    if missing.size:
        lines = ", ".join(str(table.places[row].line) for row in missing[:_LISTED])
        more = f" and {len(missing) - _LISTED:,} more" if len(missing) > _LISTED else ""
        value = f"a value of {targets[0].name!r}" if len(targets) == 1 else "any value of the targets"
        warnings.warn(
            f"{len(missing):,} of {len(table.rows):,} rows left out for lack of {value}, in "
            f"{table.path.name}, line {lines}{more}",
            stacklevel=4,
        )
    return known


# Molecules


def _molecules(table: Table, smiles: str | None, standardized: Texts | None) -> list[Any]:
    """Return the readable molecules of a table, for what needs more of them than their graphs."""
    if standardized is not None:
        return [plain_structure(text) for text in standardized]
    return table.cells(str(smiles)) if table.records is None else rdkit_molecules(table.records)


def _read(
    table: Table, smiles: str | None, invalid: InvalidRows, steps: MoleculeSteps
) -> tuple[GraphBatch, IntArray, dict[int, Unreadable]]:
    """Read the molecules of all rows; raise an error or warn about those that cannot be read."""
    how: Literal["error"] | None = "error" if invalid == "error" else None
    try:
        if table.records is not None:
            graphs, positions, unreadable = read_sdf(table.records, invalid=how, steps=steps)
        else:
            graphs, positions, unreadable = read_smiles(table.cells(str(smiles)), invalid=how, steps=steps)
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
