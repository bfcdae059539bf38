"""Load graphs from disk, with their targets and names.

a name, folder or .zip in TU format     ──▶ tu_sources
"drugs"                                 ──▶ drugs
a .csv, .tsv, .smi or .sdf, or its .gz  ──▶ molecule_tables
a .graphml or .gml file, or a folder    ──▶ graph_folders
one or several SMILES                   ──▶ molecules without a table
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wassergraph.datasets.data_home import expand
from wassergraph.datasets.download import UnknownDatasetError
from wassergraph.datasets.drugs import DRUGS, read_drugs_source
from wassergraph.datasets.graph_folders import read_files, read_folder
from wassergraph.datasets.molecule_tables import InvalidRows, columns_like, read_molecule_table
from wassergraph.datasets.source import Source, source_of_names
from wassergraph.datasets.source_kind import ACCEPTED, SourceKind, find_kind, names_beside
from wassergraph.datasets.tables import read_table
from wassergraph.datasets.tu_sources import read_tu_source
from wassergraph.errors import InputError, MissingFileError, Option, did_you_mean
from wassergraph.formats.impute import Impute
from wassergraph.formats.rdkit import from_smiles
from wassergraph.formats.tu.reader import EmptyGraphs
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops
from wassergraph.graphs.values import TaskName

#: What the options apply to that do not apply to all sources.
_APPLIES = {
    "smiles_column": (SourceKind.MOLECULE_TABLE,),
    "target": (SourceKind.MOLECULE_TABLE, SourceKind.TU),
    "labels_file": (SourceKind.GRAPH_FILES,),
    "node_labels": (SourceKind.GRAPH_FILES,),
    "node_attributes": (SourceKind.GRAPH_FILES,),
    "edge_weights": (SourceKind.GRAPH_FILES,),
    "edge_label_name": (SourceKind.GRAPH_FILES,),
    "node_positions": (SourceKind.GRAPH_FILES,),
    "impute": (SourceKind.GRAPH_FILES,),
}
_RULES = ("symmetrize", "self_loops", "repeats")


def load_graphs(
    source: str | Path | Sequence[str],
    *,
    data_home: str | Path | None = None,
    download: bool = False,
    smiles: bool = False,
    smiles_column: str | None = None,
    target: str | None = None,
    task: TaskName = "auto",
    invalid: InvalidRows = "error",
    labels_file: str | Path | None = None,
    node_labels: str | None = None,
    node_attributes: Sequence[str] | None = None,
    edge_weights: str | None = None,
    edge_label_name: str | None = None,
    node_positions: Sequence[str] | None = None,
    impute: Impute | None = None,
    symmetrize: bool | None = None,
    self_loops: SelfLoops | None = None,
    repeats: Repeats | None = None,
    empty_graphs: EmptyGraphs = "error",
    need_target: bool = False,
    like: Mapping[str, Any] | None = None,
) -> Source:
    """Load graphs from a TU data set, a table of molecules or graph files, with their targets and names.

    Parameters
    ----------
    source : str or Path
        What :func:`wassergraph.load_dataset` accepts, with graphs named by their position, counted from 0, and drugs by
        their names; a .csv, .tsv or .smi file in UTF-8 whose first line names its columns, or an .sdf file, each
        perhaps compressed as .gz, with molecules named by a column such as "name" or "id", or else by the first column
        of text that is different in every row, or else by their position; or a .graphml or .gml file, or a folder of
        these, sorted by name, without hidden files; or, if they are accepted, one or several SMILES.
    data_home : str or Path, optional
        The folder in which TU data sets are looked up first, and where downloads go.
    download : bool
        Whether other names than those of the catalogue may be downloaded, as in :func:`wassergraph.load_dataset`.
    smiles : bool
        Whether the source may be SMILES, whose graphs are named by them; otherwise that is an error.
    smiles_column : str, optional
        The column of SMILES; see :func:`wassergraph.datasets.smiles_columns.find_smiles_column` for the default.
    target : str, optional
        The column of classes or numbers; by default the only one with a name such as "class", "label", "target", "y"
        or "activity", in upper or lower case. If several columns may be meant, or none, the target is None. For a TU
        data set "labels" or "attributes", those of the graphs; by default the first of them that exists. If there are
        several columns, "attributes:2" is the second.
    task : "auto", "classification" or "regression"
        Whether the target is classes or numbers; "auto" decides, as in :mod:`wassergraph.datasets.targets`.
    invalid : "error", "skip" or "nan"
        What to do with molecules that cannot be read and with empty cells: raise an error, leave out their rows, or
        keep their rows without a graph; the latter two with a warning that names the lines.
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

    Returns
    -------
    Source
    """
    check_choice("empty_graphs", empty_graphs, EmptyGraphs)
    check_choice("task", task, TaskName)
    check_choice("invalid", invalid, InvalidRows)
    columns = {"smiles_column": smiles_column, "target": target}
    names = {
        "node_labels": node_labels,
        "node_attributes": node_attributes,
        "edge_weights": edge_weights,
        "edge_label_name": edge_label_name,
        "node_positions": node_positions,
        "impute": impute,
    }
    kind = find_kind(source, data_home, smiles=smiles, download=download)
    path = source if isinstance(source, str | Path) else source[0]
    _refuse_others(path, kind, {**columns, "labels_file": labels_file, **names})
    rules = _edge_rules({"symmetrize": symmetrize, "self_loops": self_loops, "repeats": repeats}, like or {})
    if kind is SourceKind.SMILES:
        return _read_smiles([str(source)] if isinstance(source, str | Path) else list(source))
    if path == DRUGS:
        return read_drugs_source(target, task)
    how: dict[str, Any] = {"task": task, "need_target": need_target}
    if kind is SourceKind.MOLECULE_TABLE:
        _refuse_empty_graphs(path, empty_graphs)
        return _read_table(expand(path), columns, like, invalid=invalid, **how)
    how["empty"] = empty_graphs
    if kind is SourceKind.GRAPH_FILES:
        found = read_folder(expand(path), labels_file, _as_fields(names), rules, like=like, **how)
        return _with_rules(found, rules)
    try:
        former = None if like is None else like.get("target")
        found = read_tu_source(path, data_home, rules, download=download, target=target, like=former, **how)
    except UnknownDatasetError as error:
        raise error.with_advice(ACCEPTED) from error
    return _with_rules(found, rules)


def _read_table(path: Path, columns: dict[str, str | None], like: Mapping[str, Any] | None, **how: Any) -> Source:
    """Return the molecules of a table; its target is not guessed if that of earlier graphs is known."""
    table = read_table(path)
    named = columns if like is None else columns_like(table, columns, like)
    return read_molecule_table(
        table, smiles_column=named["smiles_column"], target=named["target"], guess=like is None, **how
    )


def _edge_rules(given: Mapping[str, Any], like: Mapping[str, Any]) -> EdgeRules:
    """Return what to do with edges: as given, or else as before, or else by default."""
    chosen = {name: like.get(name) if value is None else value for name, value in given.items()}
    return EdgeRules(**{name: value for name, value in chosen.items() if value is not None})


def _with_rules(source: Source, rules: EdgeRules) -> Source:
    """Return a source that remembers what was done with edges, if it is not the default."""
    default = EdgeRules()
    changed = {name: getattr(rules, name) for name in _RULES if getattr(rules, name) != getattr(default, name)}
    return replace(source, options={**source.options, **changed})


def _read_smiles(texts: list[str]) -> Source:
    """Return molecules that are not from a table."""
    found = source_of_names(from_smiles(texts), None, texts)
    return replace(found, columns=["smiles"], molecules=texts)


def load_graph_files(
    files: Sequence[str | Path],
    *,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    **names: object,
) -> Source:
    """Load the graphs of some .graphml and .gml files, without targets.

    The parameters, and the names of what to read, are those of :func:`load_graphs`.
    """
    paths = [expand(file) for file in files]
    for path in paths:
        if not path.is_file():
            remedy = did_you_mean(path.name, names_beside(path)) or "pass the name of a .graphml or .gml file"
            raise MissingFileError("it does not exist", remedy=remedy, file=path)
    return read_files(paths, _as_fields(names), EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def _as_fields(names: Mapping[str, object]) -> dict[str, object]:
    """Return the names of what to read from graph files as arguments of :func:`wassergraph.from_networkx`."""
    return {"edge_labels" if name == "edge_label_name" else name: value for name, value in names.items()}


def _refuse_others(source: str | Path, kind: SourceKind, options: Mapping[str, object]) -> None:
    """Raise an error if an option is set that applies to another kind of source."""
    for name, value in options.items():
        if value is not None and kind not in _APPLIES[name]:
            others = " or ".join(other.value for other in _APPLIES[name])
            raise InputError(
                f"{{}} applies to {others}, but this is {kind.value}",
                remedy="remove {}",
                options=[Option(name), Option(name)],
                file=source,
            )


def _refuse_empty_graphs(source: str | Path, empty: EmptyGraphs) -> None:
    if empty == "drop":
        raise InputError(
            "{} applies to graphs without nodes, but this is a table of molecules",
            remedy="pass {} to leave out rows without a molecule",
            options=[Option("empty_graphs"), Option("invalid", "skip")],
            file=source,
        )
