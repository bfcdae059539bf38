"""The columns of a table that models use beside the graphs, as numbers, and descriptors of its molecules."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.datasets.source import Source
from wassergraph.datasets.targets import has_no_number, is_number
from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.formats.molecule_descriptors import descriptors
from wassergraph.graphs.columns import GraphColumns, ImputeColumns, refuse_missing


def source_columns(
    source: Source, names: Sequence[str], computed: Sequence[str] | None = (), *, impute: ImputeColumns = "error"
) -> GraphColumns | None:
    """Return columns of a table, and descriptors of its molecules; None if there are none.

    Parameters
    ----------
    source : Source
        The graphs, and their table.
    names : sequence of str
        The columns.
    computed : sequence of str or None
        The descriptors; None for all.
    impute : "error" or "median"
        What a model does with cells without a number: with "error", they are one here, which names the line.

    Returns
    -------
    GraphColumns or None
        Cells without a number are NaN.

    Raises
    ------
    ValueError
        If the graphs are from no table, or not molecules; if there is no such column, if it is the target, or if it has
        text that is no number.
    """
    parts = []
    if len(names):
        values = [_numbers(source, name, Option("columns", name)) for name in names]
        parts.append(GraphColumns(np.column_stack(values), tuple(names), np.zeros(len(names), dtype=np.bool_)))
        if impute == "error":
            _refuse_missing(source, parts[0])
    if computed is None or len(computed):
        parts.append(source_descriptors(source, computed))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else parts[0].beside(parts[1])


def source_descriptors(source: Source, names: Sequence[str] | None = None) -> GraphColumns:
    """Return descriptors of the molecules of a source, by default all; other graphs are an error."""
    if source.molecules is None:
        problem = "{} are computed of molecules, but these graphs are not known as such"
        raise InputError(problem, remedy="use a table of molecules", options=[Option("descriptors")])
    return descriptors(source.molecules, names)


def columns_like(
    source: Source, names: Sequence[str] | None, computed: BoolArray, impute: ImputeColumns
) -> GraphColumns | None:
    """Return the same columns of new graphs as a model was trained with: from their table, or computed."""
    if names is None:
        problem = f"the model was trained with {len(computed)} columns without names, which a table does not have"
        raise InputError(problem, remedy="predict in Python, or train with columns that have names")
    given = [name for name, is_computed in zip(names, computed, strict=True) if not is_computed]
    missing = [name for name in given if source.facts is None or name not in source.columns]
    if missing:
        listed, plural = ", ".join(map(repr, missing)), "" if len(missing) == 1 else "s"
        similar = "" if source.facts is None else did_you_mean(missing[0], source.columns)
        problem = f"the model was trained with the column{plural} {listed}, which these graphs lack"
        raise InputError(problem, remedy=similar or "add what is missing to a table of these graphs")
    chosen = [name for name, each in zip(names, computed, strict=True) if each]
    found = source_columns(source, given, chosen, impute=impute)
    if found is None or found.names == tuple(names):
        return found
    order = [(found.names or ()).index(name) for name in names]
    return GraphColumns(found.values[:, order], tuple(names), found.computed[order])


def _refuse_missing(source: Source, columns: GraphColumns) -> None:
    """Raise an error about a cell without a number that names its line."""
    try:
        refuse_missing(columns)
    except InputError as error:
        raise error if source.places is None else error.in_places(source.places) from error


def _numbers(source: Source, name: str, option: Option) -> FloatArray:
    """Return the numbers of a column, NaN where there is none."""
    cells = source.column(option)
    if name in {each.name for each in (source.target, *source.targets) if each is not None}:
        raise InputError(
            "{}: this is a target" if source.targets else "{}: this is the target",
            remedy="leave it out",
            options=[option],
        )
    wrong = [row for row, cell in enumerate(cells) if not (is_number(cell) or has_no_number(cell))]
    if wrong:
        first, *more = wrong
        error = InputError(
            f"{cells[first]!r} in the column {name!r} is not a number",
            remedy="correct or empty such cells, or leave the column out",
            graph=first,
            also=[(row, repr(cells[row])) for row in more[:9]],
        )
        raise error if source.places is None else error.in_places(source.places)
    return np.array([float(cell) if is_number(cell) else math.nan for cell in cells])
