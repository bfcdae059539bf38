"""The options of columns beside the graphs: of a table, and descriptors of its molecules."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wassergraph.cli.options import FLAG, OptionTable
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source
    from wassergraph.graphs.columns import GraphColumns, ImputeColumns

COLUMNS: OptionTable = {
    "--columns": (
        {"nargs": "+", "metavar": "NAME"},
        "columns of a table with further numbers, such as a temperature, that the model uses beside the graphs; how "
        "much they weigh is chosen. New tables need the same columns. --impute median fills in empty cells",
    ),
    "--descriptors": (
        FLAG,
        "use RDKit's descriptors of molecules in the same way: those that are numbers for all training molecules, and "
        "not the same for all",
    ),
}


def training_columns(options: argparse.Namespace, source: Source) -> GraphColumns | None:
    """Return the columns that a command is asked to use; None if it is asked for none."""
    from wassergraph.datasets.table_columns import source_columns

    computed = None if options.descriptors else ()
    return source_columns(source, options.columns or (), computed, impute=imputed_columns(options))


def imputed_columns(options: argparse.Namespace) -> ImputeColumns:
    """Return what to do with empty cells of columns."""
    return "median" if options.impute == "median" else "error"


def new_columns(options: argparse.Namespace, model: Any, source: Source) -> GraphColumns | None:
    """Return the columns of new graphs that a model needs; None if it needs none."""
    from wassergraph.datasets.table_columns import columns_like

    learned, asked = model.columns_, imputed_columns(options)
    if learned is None:
        if asked == "median":
            flags = [Option("impute", asked), Option("columns")]
            raise InputError("{} applies to {}, but the model has none", remedy="remove it", options=flags)
        return None
    how = replace(learned, impute=asked) if asked == "median" else learned
    found = columns_like(source, how.names, how.computed, how.impute)
    return how.fill(found) if asked == "median" else found


def take_columns_of(columns: GraphColumns | None, rows: Any) -> GraphColumns | None:
    """Return the columns of some of the graphs, if there are any."""
    return None if columns is None else columns.take(rows)
