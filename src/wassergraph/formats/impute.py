"""Fill in attributes that some nodes or edges lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.graphs.packing import GraphParts

#: What to do with missing attributes: raise an error, use the mean of those that exist, or the mean and a flag.
Impute: TypeAlias = Literal["error", "mean", "flag"]


def flag_missing(table: FloatArray, titles: tuple[str, ...], impute: Impute) -> tuple[FloatArray, tuple[str, ...]]:
    """Return attributes and their names, with "flag" followed by a column each that says where a value is missing.

    All columns get a flag, also those that are complete: graphs that are read later must have the same columns.
    """
    if impute != "flag":
        return table, titles
    return np.hstack([table, np.isnan(table)]), (*titles, *(f"{title} missing" for title in titles))


def fill_means(parts: Sequence[GraphParts], impute: Impute) -> list[GraphParts]:
    """Replace missing attributes, which are nan, by the mean of those that exist in all graphs."""
    if impute == "error":
        return list(parts)
    for field in ("node_attributes", "edge_attributes"):
        tables = [table for part in parts if (table := getattr(part, field)) is not None]
        if len(tables) == len(parts) and len({table.shape[1] for table in tables}) == 1:
            means = _means(np.concatenate(tables), field)
            filled = [np.where(np.isnan(table), means, table) for table in tables]
            parts = [replace(part, **dict[str, Any]({field: table})) for part, table in zip(parts, filled, strict=True)]
    return list(parts)


def _means(table: FloatArray, field: str) -> FloatArray:
    known = ~np.isnan(table)
    counts = known.sum(axis=0)
    if len(table) and not counts.all():
        problem = f"{field} has no value at all in column {int(counts.argmin())}, so that there is no mean"
        raise InputError(problem, remedy="do not read it")
    return np.asarray(np.where(known, table, 0.0).sum(axis=0) / np.maximum(counts, 1))
