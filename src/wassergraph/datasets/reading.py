"""ReadingOptions: how graphs are read, which the command line fills and ``load_graphs`` takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from wassergraph.datasets.censored import Censored
from wassergraph.errors import InputError, Option
from wassergraph.formats.impute import Impute
from wassergraph.formats.standardize import MoleculeStep, MoleculeSteps, read_steps
from wassergraph.formats.tu.reader import EmptyGraphs
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops
from wassergraph.graphs.values import TaskName

#: What to do with molecules that cannot be read: stop, leave out their rows, or keep them without a prediction.
InvalidRows: TypeAlias = Literal["error", "skip", "nan"]
#: The options that say what to read from graph files.
GRAPH_DATA = ("node_labels", "node_attributes", "edge_weights", "edge_label_name", "node_positions", "impute")


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How graphs are read from a TU data set, a table of molecules or graph files.

    Parameters
    ----------
    data_home : str or Path, optional
        The folder in which TU data sets are looked up first, and where downloads go.
    download : bool
        Whether other names than those of the catalogue may be downloaded, as in :func:`wassergraph.load_dataset`.
    smiles : bool
        Whether the source may be SMILES, whose graphs are named by them; otherwise that is an error.
    smiles_column : str, optional
        The column of SMILES; see :func:`wassergraph.datasets.smiles_columns.find_smiles_column` for the default.
    target : str or sequence of str, optional
        The column of classes or numbers, several columns of a table, or "all", all its columns of numbers; by default
        the only one with a name such as "class", "label", "target", "y" or "activity", in upper or lower case. If
        several columns may be meant, or none, the target is None. For a TU
        data set "labels" or "attributes", those of the graphs; by default the first of them that exists. If there are
        several columns, "attributes:2" is the second.
    not_targets : sequence of str
        Columns of a table that are used otherwise, and that "all" leaves out.
    task : "auto", "classification" or "regression"
        Whether the target is classes or numbers; "auto" decides, as in :mod:`wassergraph.datasets.targets`.
    censored : "error", "drop", "value" or "likelihood", optional
        What to do with values such as ">10" in a column of numbers, as in
        :func:`wassergraph.datasets.targets.read_target`; by default as before, if ``like`` is given, or else "error".
        Graphs like those of a model that learned from bounds are compared with known numbers only.
    invalid : "error", "skip" or "nan"
        What to do with molecules that cannot be read and with empty cells: raise an error, leave out their rows, or
        keep their rows without a graph; the latter two with a warning that names the lines.
    standardize_molecules : sequence of str, or "all", optional
        What is done with molecules first, as in :func:`wassergraph.from_rdkit`; by default what was done before, if
        ``like`` is given, or else nothing.
    labels_file : str or Path, optional
        A table with a header and two columns, file and class or number, that names every graph file once, with or
        without suffix; by default ``labels.csv``, ``labels.tsv`` or ``classes.csv`` in the folder. Without such a file
        the target is None.
    node_labels, node_attributes, edge_weights, node_positions : optional
        What to read from graph files, as in :func:`wassergraph.from_networkx`; if nothing of the nodes, or of the
        edges, is named, see :func:`wassergraph.formats.graph_files.names_to_read`.
    edge_label_name : str, optional
        The same for edge labels. On the command line, ``--edge-labels`` says whether they are compared.
    impute : "error", "mean" or "flag", optional
        What to do if attributes of graph files are missing, as in :func:`wassergraph.from_networkx`; by default as
        before, if ``like`` is given, or else "error".
    symmetrize, self_loops, repeats
        See :class:`wassergraph.graphs.packing.EdgeRules`, which has the defaults. Molecules and graph files never list
        an edge repeatedly.
    empty_graphs : "error" or "drop"
        What to do with graphs without nodes; for molecules, see ``invalid``.
    need_target : bool
        Whether a table without a target is an error, and rows without a value are left out, with a warning. Otherwise
        they are kept.
    like : dict, optional
        How earlier graphs were read, :meth:`Source.reading`, and their ``target``: options that are not given are
        these, where they apply and where a table has such a column. No other column of a table is taken for the target.
    """

    data_home: str | Path | None = None
    download: bool = False
    smiles: bool = False
    smiles_column: str | None = None
    target: str | Sequence[str] | None = None
    not_targets: Sequence[str] = ()
    task: TaskName = "auto"
    censored: Censored | None = None
    invalid: InvalidRows = "error"
    standardize_molecules: MoleculeSteps | None = None
    labels_file: str | Path | None = None
    node_labels: str | None = None
    node_attributes: Sequence[str] | None = None
    edge_weights: str | None = None
    edge_label_name: str | None = None
    node_positions: Sequence[str] | None = None
    impute: Impute | None = None
    symmetrize: bool | None = None
    self_loops: SelfLoops | None = None
    repeats: Repeats | None = None
    empty_graphs: EmptyGraphs = "error"
    need_target: bool = False
    like: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.target is not None and not isinstance(self.target, str) and len(self.target) == 1:
            object.__setattr__(self, "target", self.target[0])
        check_choice("empty_graphs", self.empty_graphs, EmptyGraphs)
        check_choice("task", self.task, TaskName)
        check_choice("invalid", self.invalid, InvalidRows)
        check_choice("censored", self.bounds, Censored)

    @property
    def bounds(self) -> Censored:
        """What to do with values that are bounds: as given, or else as before, or else an error."""
        before: Censored = (self.like or {}).get("censored", "error")
        return self.censored or ("drop" if before == "likelihood" else before)

    def task_of(self, column: str) -> TaskName:
        """Return whether a column is classes or numbers: as given, or as it was for earlier graphs."""
        tasks: Mapping[str, TaskName] = (self.like or {}).get("tasks", {})
        return tasks.get(column, "auto") if self.task == "auto" else self.task

    @property
    def one_target(self) -> str | None:
        """The only target that is named; raise an error if there are several, which tables have."""
        if self.target is None or isinstance(self.target, str):
            return self.target
        problem, option = "{} names several targets, which only tables of molecules have", Option("target", self.target)
        raise InputError(problem, remedy="name one", options=[option])

    @property
    def edge_rules(self) -> EdgeRules:
        """What to do with edges: as given, or else as before, or else by default."""
        given = {field.name: getattr(self, field.name) for field in fields(EdgeRules)}
        chosen = {name: (self.like or {}).get(name) if value is None else value for name, value in given.items()}
        return EdgeRules(**{name: value for name, value in chosen.items() if value is not None})

    @property
    def steps(self) -> tuple[MoleculeStep, ...]:
        """What is done with molecules: as given, or else as before, or else nothing."""
        given = self.standardize_molecules
        return read_steps((self.like or {}).get("standardize_molecules", ()) if given is None else given)

    @property
    def graph_data(self) -> dict[str, object]:
        """What to read from graph files, as arguments of :func:`wassergraph.from_networkx`."""
        return {name.replace("edge_label_name", "edge_labels"): getattr(self, name) for name in GRAPH_DATA}
