"""Load a data set by name or path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.datasets.catalogue import CATALOGUE, PublishedDataset
from wassergraph.datasets.data_home import cache_folder, expand, find, homes, is_name, names_on_disk
from wassergraph.datasets.demo import make_demo
from wassergraph.datasets.download import DownloadError, UnknownDatasetError, download_dataset
from wassergraph.datasets.drugs import DRUGS, load_drugs
from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.formats.tu.reader import EmptyGraphs, read_tu
from wassergraph.formats.tu.targets import TUTargets, read_choice
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops

#: Data sets that come with the library, by name.
BUILT_IN: dict[str, Callable[[], tuple[GraphBatch, NDArray[Any]]]] = {
    DRUGS: lambda: load_drugs()[:2],
    "demo": make_demo,
}


def load_dataset(
    name_or_path: str | Path,
    *,
    data_home: str | Path | None = None,
    download: bool = False,
    target: str = "auto",
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
    empty_graphs: EmptyGraphs = "error",
) -> tuple[GraphBatch, Any]:
    """Load a data set: the graphs, and the class or number of each.

    A name is looked up in ``data_home``, in the folder that the environment variable ``WASSERGRAPH_DATA`` names, in the
    user's cache and in the current folder. A data set of the paper that is in none of them is downloaded from the
    TUDataset site into ``data_home``, or into the cache; other names are never sent anywhere, except with
    ``download=True``. The environment variable ``WASSERGRAPH_OFFLINE=1`` forbids all downloads. A data set of the paper
    that is found by name, except in the current folder, must have the published size. ``"drugs"`` and ``"demo"`` come
    with the library.

    Parameters
    ----------
    name_or_path : str or Path
        "drugs", a name of the TUDataset collection such as "MUTAG", or the path of a folder or .zip in TU format.
    data_home : str or Path, optional
        A folder with data sets, each a folder or a .zip.
    download : bool
        Whether to download any name of the TUDataset collection that is not on disk, not only the data sets of the
        paper, such as "MUTAG" and "ENZYMES".
    target : "auto", "labels" or "attributes", perhaps with a column
        Where y is read from: the graph labels, the graph attributes (regression), or the first of them that exists.
        "attributes:2" is the second column of the attributes.
    symmetrize, self_loops, repeats
        What to do with one-way edges, self-loops, and edges listed repeatedly with different data: as in
        :func:`wassergraph.from_edges`.
    empty_graphs : "error" or "drop"
        What to do with graphs without nodes.

    Returns
    -------
    graphs : GraphBatch
        The graphs, in the order of the files.
    y : (n_graphs) array, or None if the data set has no targets
        The class or number of each graph, as in the file; of "drugs" the families, as text. Attributes with several
        columns are an array (n_graphs, k): a model learns one of them.

    Raises
    ------
    ValueError
        If there is no such data set, or if its files are wrong.

    See Also
    --------
    datasets.load_drugs : the drugs, with their names
    datasets.make_demo : the data set "demo"
    datasets.make_synthie : a generated data set of the paper
    from_networkx : read networkx graphs
    from_smiles : read molecules

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("drugs")
    >>> print(len(graphs), y[0])
    152 beta-lactams
    """
    rules = EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats)
    choice = read_choice(target)
    if name_or_path in BUILT_IN:
        if choice not in (read_choice("auto"), read_choice("labels"), read_choice("labels:1")):
            problem, flags = "{}: the graphs have one class each, and nothing else", [Option("target")] * 2
            raise InputError(problem, remedy="remove {}", options=flags, file=name_or_path)
        return BUILT_IN[str(name_or_path)]()
    path, by_name = _locate(name_or_path, data_home, download)
    graphs, y = read_tu(path, target=target, empty_graphs=empty_graphs, rules=rules)
    if by_name and name_or_path in CATALOGUE:
        _check_published(str(name_or_path), graphs, None if choice.part == "attributes" else y, path)
    return graphs, y


def _locate(name_or_path: str | Path, data_home: str | Path | None, download: bool) -> tuple[Path, bool]:
    """Return the path of a data set, after downloading it if needed, and whether it was looked up by name."""
    if name_or_path == "":
        raise InputError("the name of the data set is empty")
    if not is_name(name_or_path):
        return expand(name_or_path), False
    name = str(name_or_path)
    path = find(name, homes(data_home))
    if path is not None:
        return path, True
    path = find(name, [Path()])
    if path is not None:
        return path, False
    if name not in CATALOGUE and not download:  # it may be anything, even a secret molecule, and is not sent anywhere
        known = known_names(data_home)
        similar = did_you_mean(name, known) or f"known data sets are {', '.join(known)}"
        raise UnknownDatasetError(
            f"there is no data set {name!r} on disk or in the catalogue",
            remedy=f"{similar}; pass {{}} to look for it on the TUDataset site",
            options=[Option("download", True)],
        )
    return _download(name, data_home), True


def known_names(data_home: str | Path | None) -> list[str]:
    """Return the names of the data sets that come with the library, are in its catalogue or are on disk."""
    return list(dict.fromkeys([*BUILT_IN, *CATALOGUE, *names_on_disk([*homes(data_home), Path()])]))


def _download(name: str, data_home: str | Path | None) -> Path:
    folder = expand(data_home) if data_home else cache_folder()
    if folder is None:
        raise InputError(
            f"{name} is not on disk, and there is no home folder to download it to",
            remedy="pass {}",
            options=[Option("data_home")],
        )
    known = known_names(data_home)
    similar = "" if name in known else did_you_mean(name, known)
    try:
        return download_dataset(name, folder)
    except UnknownDatasetError as error:
        raise error.with_advice(similar or f"known data sets are {', '.join(known)}") from error
    except DownloadError as error:
        raise (error.with_advice(similar) if similar else error) from error


def _check_published(name: str, graphs: GraphBatch, y: TUTargets | None, path: Path) -> None:
    """Raise an error if a file has the name of a data set of the paper but another size."""
    published = CATALOGUE[name]
    means = round(graphs.n_nodes / len(graphs), 2), round(graphs.n_edges / len(graphs), 2)
    n_classes = published.classes if y is None else len(np.unique(y))
    actual = PublishedDataset(len(graphs), n_classes, *means, published.data)
    if actual != published:
        raise InputError(
            f"this is not the published data set {name}: it has {actual} instead of {published}",
            remedy="remove it to download the published one, or pass its path to load it as it is",
            file=path,
        )
