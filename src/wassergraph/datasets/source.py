"""Graphs with their targets and names, as the command line reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.datasets.targets import Target
from wassergraph.errors import InputError, Option, Place, did_you_mean
from wassergraph.graphs.batch import GraphBatch


@dataclass(frozen=True)
class TableFacts:
    """What a table of molecules has, and what was made of it.

    Attributes
    ----------
    smiles_column : str or None
        The column of SMILES; None if the molecules are the records of an SDF file.
    name_column : str or None
        The column of names; None if molecules are named by their position.
    n_rows : int
        The number of rows, or of records, in the file.
    n_without_target : int
        The number of rows without a target value, if there is a target.
    n_unreadable : int
        The number of rows, of those that were not left out before, whose molecules cannot be read.
    """

    smiles_column: str | None
    name_column: str | None
    n_rows: int
    n_without_target: int
    n_unreadable: int


@dataclass(frozen=True, eq=False)
class Source:
    """Graphs with their targets and names.

    Attributes
    ----------
    graphs : GraphBatch
    target : Target or None
        What is to be predicted; None if it is unknown.
    names : list of str
        The name of each graph.
    columns : list of str
        The columns of a table of the graphs: those of the file, or "graph", the name.
    rows : list of list of str
        The rows of this table, also of molecules that could not be read, unless they were left out.
    positions : (n_graphs) integers
        The row of each graph.
    published : str or None
        The name of the data set of the paper that graphs and classes are, by their content; None if they are none.
    facts : TableFacts or None
        What was read from a table of molecules; None for other sources.
    molecules : list of str or rdkit.Chem.Mol, or None
        The SMILES of each molecule, or the molecule of each record of an SDF file; None for other graphs.
    named : bool
        Whether the graphs have names; otherwise their names are their positions, counted from 0.
    options : dict
        The options of :func:`wassergraph.datasets.inputs.load_graphs` with which other graphs are read in the same way,
        as far as they are not the defaults: columns, names of node data, and what to do with edges.
    targets : tuple of Target
        What is to be predicted, if several columns are named or there are several of them; otherwise empty.
    places : list of Place or None
        Where each graph begins in the file of a table of molecules; None for other sources.
    """

    graphs: GraphBatch
    target: Target | None
    names: list[str]
    columns: list[str]
    rows: list[list[str]]
    positions: IntArray
    published: str | None = None
    facts: TableFacts | None = None
    molecules: list[Any] | None = None
    named: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
    places: list[Place] | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """How these graphs were read, for a model to remember: the options, and the column of names."""
        named = {} if self.facts is None or self.facts.name_column is None else {"name_column": self.facts.name_column}
        return {**named, **self.options}

    def with_target(self, target: Target) -> Source:
        """Return the graphs that have a value of a target, which is then what is to be predicted."""
        kept = target.positions
        return replace(
            self,
            graphs=self.graphs if len(kept) == len(self.graphs) else self.graphs[kept],
            target=target.take(kept),
            targets=(),
            names=[self.names[position] for position in kept],
            positions=self.positions[kept],
            molecules=None if self.molecules is None else [self.molecules[position] for position in kept],
            places=None if self.places is None else [self.places[position] for position in kept],
        )

    def title(self, graph: int) -> str | None:
        """Return the name of a graph; None if it is its position, counted from 0, which would contradict its row."""
        return self.names[graph] if self.named else None

    @property
    def titles(self) -> list[str]:
        """What each graph is shown as: its name, or the SMILES of a molecule that has none in its table."""
        unnamed = self.facts is not None and self.facts.name_column is None and self.facts.smiles_column is not None
        return list(self.molecules) if unnamed and self.molecules is not None else self.names

    def column(self, option: Option) -> list[str]:
        """Return the cells of the column that an option names, one for each graph; raise an error if there is none."""
        if self.facts is None:
            problem, remedy = "{} applies to a table of molecules", "remove it"
            raise InputError(problem, remedy=remedy, options=[option])
        if option.value not in self.columns:
            problem = f"{{}}: there is no such column, only {', '.join(map(repr, self.columns))}"
            raise InputError(problem, remedy=did_you_mean(str(option.value), self.columns), options=[option])
        number = self.columns.index(str(option.value))
        return [self.rows[row][number] for row in self.positions]

    def graph_in_row(self, row: int, option: Option) -> int:
        """Return the position of the graph in a row, counted from 1; raise an error, naming an option, without one."""
        if not 1 <= row <= len(self.rows):
            n_rows = len(self.rows)
            problem = f"{{}}: there is no row {row}, only {n_rows:,} {'row' if n_rows == 1 else 'rows'}, counted from 1"
            remedy = "pass 1" if n_rows == 1 else f"pass a number from 1 to {n_rows}"
            raise InputError(problem, remedy=remedy, options=[option])
        found = np.flatnonzero(self.positions == row - 1)
        if not found.size:
            problem = f"{{}}: the molecule of row {row} cannot be read"
            raise InputError(problem, remedy="correct it, or choose another row", options=[option])
        return int(found[0])

    @property
    def y(self) -> NDArray[Any] | None:
        """The target of each graph; None if it is unknown, also if only some graphs have one."""
        is_known = self.target is not None and len(self.target.values) == len(self.graphs)
        return self.target.values if self.target is not None and is_known else None

    @property
    def known_targets(self) -> list[Any] | None:
        """The class or number of each graph, None where it is not known; None if nothing is known of any."""
        if self.target is None:
            return None
        values: list[Any] = [None] * len(self.graphs)
        for position, value in zip(self.target.positions.tolist(), self.target.values.tolist(), strict=True):
            values[position] = value
        return values

    def describe_target(self) -> dict[str, Any]:
        """Return the column that is predicted, and the task, for JSON; nothing for the classes of a TU data set."""
        return {} if self.target is None or self.target.name is None else self.target.to_dict()

    def __str__(self) -> str:
        plural = "" if len(self.graphs) == 1 else "s"
        graphs = f"{len(self.graphs):,} {self.graphs.noun}{plural}"
        if self.targets:
            counts = (f"{len(each.values):,} values of {each}" for each in self.targets)
            return "\n".join([f"{graphs}, {len(self.targets)} targets", *counts])
        return f"{graphs}, {'no target' if self.target is None else self.target}"


def source_of_names(
    graphs: GraphBatch, target: Target | None, names: list[str], published: str | None = None, *, named: bool = True
) -> Source:
    """Return graphs that are not from a table, and of which only the names, or the positions, are known."""
    rows, positions = [[name] for name in names], np.arange(len(graphs))
    return Source(graphs, target, names, ["graph"], rows, positions, published, named=named)
