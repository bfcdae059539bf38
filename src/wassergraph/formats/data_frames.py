"""Columns of tables of pandas and polars, recognized without importing these libraries."""

from __future__ import annotations

from typing import Any

from wassergraph.errors import InputError

#: The number of columns that an error shows.
_SHOWN = 10
# The libraries whose class DataFrame is a table.
_TABLES = {"pandas", "polars"}


def class_origins(thing: object) -> list[tuple[str, str]]:
    """Return the library and the name of each class of an object."""
    return [(base.__module__.partition(".")[0], base.__name__) for base in type(thing).__mro__]


def only_column(graphs: Any) -> Any:
    """Return the column of a DataFrame, which must have one only, and anything else as it is."""
    if not any(library in _TABLES and name == "DataFrame" for library, name in class_origins(graphs)):
        return graphs
    names = list(graphs.columns)
    if len(names) == 1:
        return graphs[names[0]]
    likely = next((name for name in names if "smiles" in str(name).lower()), "smiles")
    listed = f" ({', '.join(map(repr, names[:_SHOWN]))}{', …' if len(names) > _SHOWN else ''})"
    raise InputError(
        f"the DataFrame has {len(names)} columns{listed if names else ''}, and only one can contain the graphs",
        remedy=f"pass that column, such as df[{likely!r}]",
    )
