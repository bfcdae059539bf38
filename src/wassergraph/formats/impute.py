"""Fill in attributes that some nodes or edges lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.errors import ImputedDataWarning, InputError, warn_outside
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.graphs.packing import GraphParts

#: What to do with missing attributes: raise an error, use the mean of those that exist, or the mean and a flag.
Impute: TypeAlias = Literal["error", "mean", "flag"]
#: What to fill in for each column of "node_attributes" and "edge_attributes".
FillValues: TypeAlias = Mapping[str, Sequence[float]]

_FIELDS = ("node_attributes", "edge_attributes")


def flag_missing(table: FloatArray, titles: tuple[str, ...], impute: Impute) -> tuple[FloatArray, tuple[str, ...]]:
    """Return attributes and their names, with "flag" followed by a column each that says where a value is missing.

    All columns get a flag, also those that are complete: graphs that are read later must have the same columns.
    """
    if impute != "flag":
        return table, titles
    return np.hstack([table, np.isnan(table)]), (*titles, *(f"{title} missing" for title in titles))


def fill_missing(
    parts: Sequence[GraphParts], impute: Impute, given: FillValues | None = None
) -> tuple[list[GraphParts], dict[str, list[float]]]:
    """Replace missing attributes, which are nan; a warning says how many there are.

    Parameters
    ----------
    parts : sequence of GraphParts
        The graphs.
    impute : "error", "mean" or "flag"
        With "error", nothing is replaced.
    given : dict of sequences of floats, optional
        What to fill in for each column of "node_attributes" and "edge_attributes"; by default the mean of the values
        that exist in these graphs.

    Returns
    -------
    parts : list of GraphParts
        The graphs without missing attributes.
    values : dict of lists of floats
        What is filled in for each column of each field, where it is missing.
    """
    if impute == "error":
        return list(parts), {}
    given = given or {}
    values, incomplete, n_missing = {}, np.zeros(len(parts), dtype=bool), 0
    for field in _FIELDS:
        tables = [table for part in parts if (table := getattr(part, field)) is not None]
        if len(tables) != len(parts) or len({table.shape[1] for table in tables}) != 1:
            continue
        fill = _given_values(given[field], field, tables[0]) if field in given else _means(tables, field)
        values[field] = fill.tolist()
        missing = [np.isnan(table) for table in tables]
        filled = [np.where(holes, fill, table) for holes, table in zip(missing, tables, strict=True)]
        parts = [replace(part, **dict[str, Any]({field: table})) for part, table in zip(parts, filled, strict=True)]
        incomplete |= [holes.any() for holes in missing]
        n_missing += sum(int(holes.sum()) for holes in missing)
    if n_missing:
        warn_outside(_imputed(n_missing, incomplete, given))
    return list(parts), values


def attribute_means(graphs: GraphBatch) -> dict[str, list[float]]:
    """Return what would be filled in for missing attributes of graphs like these.

    Values that were filled in before do not change the mean.
    """
    tables = {field: getattr(graphs, field) for field in _FIELDS}
    return {field: table.mean(axis=0).tolist() for field, table in tables.items() if table is not None and len(table)}


def _imputed(n_missing: int, incomplete: NDArray[np.bool_], given: FillValues) -> ImputedDataWarning:
    where = f"in {incomplete.sum():,} of {len(incomplete):,} graphs"
    filled = f"{'is' if n_missing == 1 else 'are'} the mean of {'earlier' if given else 'these'} graphs"
    return ImputedDataWarning(f"{count(n_missing, 'missing value')} of attributes, {where}, {filled} now")


def _given_values(values: Sequence[float], field: str, table: FloatArray) -> FloatArray:
    fill = np.asarray(values, dtype=np.float64)
    if fill.shape != table.shape[1:] or not np.isfinite(fill).all():
        problem = f"{field} has {count(table.shape[1], 'column')}, but the values to fill in are {list(values)}"
        raise InputError(problem, remedy="pass one finite number for each column")
    return fill


def _means(tables: Sequence[FloatArray], field: str) -> FloatArray:
    table = np.concatenate(tables)
    known = ~np.isnan(table)
    counts = known.sum(axis=0)
    if len(table) and not counts.all():
        problem = f"{field} has no value at all in column {int(counts.argmin())}, so that there is no mean"
        raise InputError(problem, remedy="do not read it")
    return np.asarray(np.where(known, table, 0.0).sum(axis=0) / np.maximum(counts, 1))
