"""Load graphs from disk, with their targets and names.

a name, folder or .zip in TU format     ──▶ tu_sources
"drugs"                                 ──▶ drugs
a .csv, .tsv, .smi or .sdf, or its .gz  ──▶ molecule_tables
a .graphml or .gml file, or a folder    ──▶ graph_folders
one or several SMILES                   ──▶ molecules without a table
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from wassergraph.datasets.data_home import expand
from wassergraph.datasets.download import UnknownDatasetError
from wassergraph.datasets.drugs import DRUGS, read_drugs_source
from wassergraph.datasets.graph_folders import read_folder
from wassergraph.datasets.molecule_tables import read_molecule_table
from wassergraph.datasets.reading import GRAPH_DATA, ReadingOptions
from wassergraph.datasets.source import Source, source_of_names
from wassergraph.datasets.source_kind import ACCEPTED, SourceKind, find_kind, names_beside
from wassergraph.datasets.tables import read_table
from wassergraph.datasets.tu_sources import read_tu_source
from wassergraph.errors import InputError, MissingFileError, Option, did_you_mean
from wassergraph.formats.graph_files import from_graph_files, names_to_read, read_graph_file
from wassergraph.formats.rdkit import from_smiles
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules

#: What the options apply to that do not apply to all sources.
_APPLIES = {
    "smiles_column": (SourceKind.MOLECULE_TABLE,),
    "standardize_molecules": (SourceKind.MOLECULE_TABLE, SourceKind.SMILES),
    "target": (SourceKind.MOLECULE_TABLE, SourceKind.TU),
    "censored": (SourceKind.MOLECULE_TABLE, SourceKind.GRAPH_FILES),
    **dict.fromkeys(("labels_file", *GRAPH_DATA), (SourceKind.GRAPH_FILES,)),
}


def load_graphs(source: str | Path | Sequence[str], options: ReadingOptions | None = None) -> Source:
    """Load graphs from a TU data set, a table of molecules or graph files, with their targets and names.

    Parameters
    ----------
    source : str or Path
        What :func:`wassergraph.load_dataset` accepts, with graphs named by their position, counted from 0, and drugs by
        their names; a .csv, .tsv or .smi file in UTF-8 whose first line names its columns, or an .sdf file, each
        perhaps compressed as .gz, with molecules named by a column such as "name" or "id", or else by the first column
        of text that is different in every row, or else by their position; or a .graphml or .gml file, or a folder of
        these, sorted by name, without hidden files; or, if they are accepted, one or several SMILES.
    options : ReadingOptions, optional
        How to read them.

    Returns
    -------
    Source
    """
    options = options or ReadingOptions()
    kind = find_kind(source, options)
    path = source if isinstance(source, str | Path) else source[0]
    _refuse_others(path, kind, options)
    rules, default = asdict(options.edge_rules), asdict(EdgeRules())
    changed: dict[str, object] = {} if options.bounds == "error" else {"censored": options.bounds}
    if kind is SourceKind.SMILES:
        texts = [str(source)] if isinstance(source, str | Path) else list(source)
        graphs = from_smiles(texts, standardize_molecules=options.steps)
        how = {"standardize_molecules": list(options.steps)} if options.steps else {}
        return replace(source_of_names(graphs, None, texts), columns=["smiles"], molecules=texts, options=how)
    if path == DRUGS:
        return read_drugs_source(options)
    if kind is SourceKind.MOLECULE_TABLE:
        table = read_molecule_table(read_table(expand(path)), options)
        return replace(table, options={**table.options, **changed})
    if kind is SourceKind.GRAPH_FILES:
        found = read_folder(expand(path), options)
    else:
        try:
            found = read_tu_source(path, options)
        except UnknownDatasetError as error:
            raise error.with_advice(ACCEPTED) from error
    changed |= {name: value for name, value in rules.items() if value != default[name]}
    return replace(found, options={**found.options, **changed})


def load_graph_files(files: Sequence[str | Path], options: ReadingOptions) -> GraphBatch:
    """Load the graphs of some .graphml and .gml files together, so that all of them get the same fields."""
    paths = [expand(file) for file in files]
    for path in paths:
        if not path.is_file():
            remedy = did_you_mean(path.name, names_beside(path)) or "pass the name of a .graphml or .gml file"
            raise MissingFileError("it does not exist", remedy=remedy, file=path)
    graphs = [read_graph_file(path) for path in paths]
    names = names_to_read(paths, graphs, options.graph_data)
    return from_graph_files(paths, graphs, names, options.edge_rules)[0]


def _refuse_others(source: str | Path, kind: SourceKind, options: ReadingOptions) -> None:
    """Raise an error if an option is set that applies to another kind of source."""
    for name, kinds in _APPLIES.items():
        if getattr(options, name) is not None and kind not in kinds:
            others = " or ".join(other.value for other in kinds)
            raise InputError(
                f"{{}} applies to {others}, but this is {kind.value}",
                remedy="remove {}",
                options=[Option(name), Option(name)],
                file=source,
            )
    if kind is SourceKind.MOLECULE_TABLE and options.empty_graphs == "drop":
        raise InputError(
            "{} applies to graphs without nodes, but this is a table of molecules",
            remedy="pass {} to leave out rows without a molecule",
            options=[Option("empty_graphs"), Option("invalid", "skip")],
            file=source,
        )
