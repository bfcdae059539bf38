"""Read tables of SMILES, with classes and names."""

from __future__ import annotations

from wassergraph.datasets.source import Source
from wassergraph.datasets.tables import Table, find_column, read_classes
from wassergraph.errors import InputError, Option
from wassergraph.formats.rdkit import from_smiles
from wassergraph.formats.tu.reader import EmptyGraphs

CLASS_COLUMNS = ("class", "label", "target", "y")
NAME_COLUMNS = ("name", "id")


def read_molecules(
    table: Table,
    *,
    smiles_column: str | None = None,
    target_column: str | None = None,
    empty: EmptyGraphs = "error",
    need_classes: bool = True,
) -> Source:
    """Return the molecules of a table; the parameters are those of :func:`wassergraph.datasets.inputs.load_graphs`."""
    smiles = _smiles_column(table, smiles_column)
    target = find_column(table, Option("target_column", target_column), CLASS_COLUMNS, exclude=smiles)
    kept = _rows_with_smiles(table, smiles, empty)
    table = table.take(kept)
    try:
        graphs = from_smiles(table.cells(smiles))
    except InputError as error:
        raise error.in_places(table.places) from error
    y = None if target is None else read_classes(table, target, needed=need_classes)
    return Source(graphs, y, _names(table, kept, smiles))


def _smiles_column(table: Table, name: str | None) -> str:
    column = find_column(table, Option("smiles_column", name), ("smiles",))
    if column is None:
        raise InputError(
            "there is no column named smiles, or more than one",
            remedy=f"name it with {{}}; the columns are {table.column_list()}",
            options=[Option("smiles_column")],
            file=table.path,
        )
    return column


def _rows_with_smiles(table: Table, column: str, empty: EmptyGraphs) -> list[int]:
    cells = table.cells(column)
    if "" in cells and empty == "error":
        file, line = table.places[cells.index("")]
        raise InputError(
            "the SMILES is empty",
            remedy="add it, or pass {} to drop such rows",
            options=[Option("empty_graphs", "drop")],
            file=file,
            line=line,
        )
    return [row for row, cell in enumerate(cells) if cell]


def _names(table: Table, rows: list[int], smiles: str) -> list[str]:
    """Return the names of the molecules: those of a column, or else the positions of their rows."""
    for usual in NAME_COLUMNS:
        column = find_column(table, Option(usual), (usual,), exclude=smiles)
        if column is not None:
            return table.cells(column)
    return [str(row) for row in rows]
