"""Which columns of a table are predicted: those that are named, all that can be, or the only one with a usual name."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence

from wassergraph.datasets.tables import Table, named_column, usual_columns
from wassergraph.datasets.targets import MAX_CLASSES, is_number, rows_with_values
from wassergraph.errors import InputError, Option
from wassergraph.graphs.values import TaskName, decide_task

#: The plain names that columns of targets usually have.
TARGET_COLUMNS = ("class", "classes", "label", "labels", "target", "y", "activity", "active", "outcome")
#: The name that stands for all columns of numbers.
ALL_TARGETS = "all"
#: Whole numbers are identifiers if at least this share of the rows has one of its own, and there are so many rows.
_IDENTIFIERS, _FEW = 0.95, 3


def target_columns(
    table: Table,
    names: str | Sequence[str] | None,
    used: Sequence[str | None],
    *,
    needed: bool,
    task: TaskName = "auto",
) -> list[str]:
    """Return the columns that are named, or else the only one with a usual name.

    Parameters
    ----------
    table : Table
        The table.
    names : str, sequence of str, or None
        The names; "all" alone, unless it is a column, stands for all columns of numbers.
    used : sequence of str or None
        The columns of SMILES, of names, and others that "all" leaves out.
    needed : bool
        Whether it is an error if no column is named, and not exactly one has a usual name.
    task : "auto", "classification" or "regression"
        Whether targets are classes or numbers.

    Returns
    -------
    list of str
    """
    listed = [names] if isinstance(names, str) else list(names or [])
    if listed == [ALL_TARGETS] and ALL_TARGETS not in table.columns:
        return _all_columns(table, used, task)
    found = [_named_target(table, name, used[0]) for name in listed]
    twice = next((name for number, name in enumerate(found) if name in found[:number]), None)
    if twice is not None:
        problem, flag = f"{{}} names the column {twice!r} twice", Option("target", twice)
        raise InputError(problem, remedy="name it once", options=[flag], file=table.path)
    return found or _usual_column(table, used[0], needed=needed)


def _usual_column(table: Table, smiles: str | None, *, needed: bool) -> list[str]:
    """Return the only column with a usual name, if there is one."""
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
    return columns if len(columns) == 1 else []


def _named_target(table: Table, name: str, smiles: str | None) -> str:
    columns = [part.strip() for part in name.split(",")]
    if name not in table.columns and len(columns) > 1 and set(columns) <= set(table.columns):
        raise InputError(
            f"{{}} names {len(columns)} columns in one word",
            remedy=f"name them one after the other: {' '.join(map(repr, columns))}",
            options=[Option("target", name)],
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


def _all_columns(table: Table, used: Sequence[str | None], task: TaskName) -> list[str]:
    """Return all columns of numbers, and warn about others that are left out."""
    others = [name for name in table.columns if name not in used]
    reasons = {name: _why_not(table.cells(name), task) for name in others}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    found = [name for name in others if not reasons[name]]
    if not found:
        problem = "no column consists of numbers that differ"
        raise InputError(problem, remedy="name columns of classes with {}", options=[Option("target")], file=table.path)
    if left_out:
        listed = ", ".join(f"{name!r} ({reason})" for name, reason in left_out.items())
        warnings.warn(f"columns that are not taken for targets: {listed}", stacklevel=5)
    return found


def _why_not(cells: Sequence[str], task: TaskName = "auto") -> str:
    """Return why a column is not taken for a target; an empty text if it is.

    Examples
    --------
    >>> [_why_not(cells) for cells in (["1.5", "", "2"], ["a", "b"], ["7", "8", "9"], ["1", "1"], ["", "nan"])]
    ['', 'text', 'a different whole number in every row', 'one value only', 'no values']
    >>> _why_not(["0", "1", "1", "0", ""]), _why_not(["0", "1", "1", "0", "2", "2", "3"], "regression")
    ('', '')
    """
    values = [cells[row] for row in rows_with_values(cells)]
    if not values:
        return "no values"
    if not all(is_number(value.lstrip("<>=~≤≥ ")) for value in values):
        return "text"
    different = set(values)
    if len(different) == 1:
        return "one value only"
    are_whole = all(value.lstrip("+-").isdigit() for value in values)
    if are_whole and len(cells) >= _FEW and len(different) >= _IDENTIFIERS * len(cells):
        return "a different whole number in every row"
    numbers = [float(value) for value in values if is_number(value)]
    if task != "regression" and decide_task(numbers, most_classes=MAX_CLASSES) == "classification":
        rare = min(Counter(numbers).values())
        return "" if rare > 1 else "a class of one row; --task regression learns it as numbers"
    return ""
