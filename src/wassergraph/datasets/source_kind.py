"""What a source of graphs is: decided by its name and by what is on disk, without reading it, and off the network."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

from wassergraph.datasets.catalogue import CATALOGUE
from wassergraph.datasets.data_home import expand, find, homes, is_name, is_tu_folder
from wassergraph.datasets.graph_folders import list_graph_files
from wassergraph.datasets.load import BUILT_IN, known_names
from wassergraph.datasets.reading import ReadingOptions
from wassergraph.datasets.tables import TABLE_SUFFIXES
from wassergraph.errors import InputError, MissingFileError, Option, did_you_mean
from wassergraph.formats.compressed import format_suffix
from wassergraph.formats.graph_files import GRAPH_FILES
from wassergraph.formats.rdkit import read_smiles

ACCEPTED = (
    "pass the name of a TU data set, a folder or .zip in TU format, a .csv, .tsv or .smi file with a column of SMILES "
    "or an .sdf file, or a .graphml or .gml file or a folder of these"
)
#: How the names of files end from which graphs are read.
_FILES = (*TABLE_SUFFIXES, *GRAPH_FILES, ".zip")


class SourceKind(Enum):
    """What graphs are read from."""

    TU = "a TU data set"
    MOLECULE_TABLE = "a table of molecules"
    GRAPH_FILES = "a graph file or a folder of them"
    SMILES = "a SMILES"


def find_kind(source: str | Path | Sequence[str], options: ReadingOptions) -> SourceKind:
    """Return what a source is.

    What is on disk comes first, then the names of the catalogue, then SMILES. Therefore a SMILES is never taken for the
    name of a data set to download.

    Parameters
    ----------
    source : str, Path or sequence of str
        A path, a name or a SMILES; several must be SMILES.
    options : ReadingOptions
        In which folder data sets are looked up first, whether other names than those of the catalogue may be
        downloaded, and whether SMILES are accepted; otherwise they are an error that says what is.

    Returns
    -------
    SourceKind
        A TU data set also for names that are not known, which :func:`wassergraph.load_dataset` refuses.
    """
    if not isinstance(source, str | Path):
        return _kind_of_several(source, options)
    path = expand(source)
    is_there = _exists(path)
    if is_there and format_suffix(path) in TABLE_SUFFIXES and path.is_file():
        return SourceKind.MOLECULE_TABLE
    if (
        source == ""
        or source in (*BUILT_IN, *CATALOGUE)
        or (is_name(source) and find(str(source), homes(options.data_home)))
    ):
        return SourceKind.TU
    if is_there:
        return _kind_of_path(path)
    if isinstance(source, Path) or format_suffix(path) in _FILES:
        raise _missing(path)
    return _kind_of_text(source, path, options)


def is_graph_file(text: str) -> bool:
    """Return whether a text is the name of a .graphml or .gml file, which may not exist."""
    return Path(text).suffix.lower() in GRAPH_FILES and not Path(text).is_dir()


def names_beside(path: Path) -> list[str]:
    """Return the names of the files and folders beside a path."""
    return [other.name for other in path.parent.iterdir()] if _exists(path.parent) and path.parent.is_dir() else []


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path, as some SMILES are
        return False


def _kind_of_several(sources: Sequence[str], options: ReadingOptions) -> SourceKind:
    """Return the kind of the only source, or SMILES; raise an error if one of several is something else."""
    kinds = [find_kind(source, options) for source in sources]
    for source, kind in zip(sources, kinds, strict=True):
        if len(kinds) > 1 and kind is not SourceKind.SMILES:
            problem = f"there are {len(kinds)} inputs, but {source!r} is {kind.value}"
            raise InputError(problem, remedy="pass one file or data set, or one or several SMILES")
    return kinds[0]


def _kind_of_path(path: Path) -> SourceKind:
    """Return the kind of something on disk that is not a table."""
    if path.is_dir():
        return _kind_of_folder(path)
    suffix = path.suffix.lower()
    if suffix in GRAPH_FILES:
        return SourceKind.GRAPH_FILES
    if suffix != ".zip":
        raise InputError("graphs cannot be read from this kind of file", remedy=ACCEPTED, file=path)
    return SourceKind.TU


def _kind_of_folder(path: Path) -> SourceKind:
    is_tu = is_tu_folder(path)
    has_graph_files = bool(list_graph_files(path))
    if is_tu == has_graph_files:
        found = "both a TU data set and" if is_tu else "neither a TU data set nor"
        raise InputError(f"the folder contains {found} .graphml or .gml files", remedy=ACCEPTED, file=path)
    return SourceKind.TU if is_tu else SourceKind.GRAPH_FILES


def _kind_of_text(text: str, path: Path, options: ReadingOptions) -> SourceKind:
    """Return the kind of a text that is neither on disk nor in the catalogue."""
    problem = _why_no_smiles(text)
    if problem is None and options.smiles:
        return SourceKind.SMILES
    similar = did_you_mean(path.name, [*known_names(options.data_home), *names_beside(path)])
    if problem is None:
        raise InputError(
            f"{text!r} is a SMILES, and there is no such file or data set, but a table or a data set is needed here",
            remedy=similar or "write the SMILES into a .smi file, one in each line, and pass its name",
        )
    if is_name(text) and (options.download or not options.smiles):
        return SourceKind.TU
    if not options.smiles:
        raise _missing(path)
    raise InputError(
        f"{problem}, and there is no such file or data set",
        remedy=similar
        or "pass a SMILES string, a file or a data set; other names than those on disk and in the catalogue need {}",
        options=[] if similar else [Option("download", True)],
    )


def _why_no_smiles(text: str) -> str | None:
    """Return why a text is no SMILES, None if it is one."""
    if find_spec("rdkit") is None:
        return f"{text!r} cannot be read as a molecule without rdkit"
    try:
        read_smiles(text, None, how_to_skip=None)
    except InputError as error:
        return error.problem
    return None


def _missing(path: Path) -> MissingFileError:
    remedy = did_you_mean(path.name, names_beside(path)) or ACCEPTED
    return MissingFileError("it does not exist", remedy=remedy, file=path)
