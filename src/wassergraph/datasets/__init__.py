"""Data sets by name: where they lie on disk, where they come from, and ones that are made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wassergraph.datasets.catalogue import CATALOGUE, Published
from wassergraph.datasets.data_home import cache_folder, expand, find, homes, is_name
from wassergraph.datasets.demo import make_demo
from wassergraph.datasets.download import UnknownDatasetError, download
from wassergraph.datasets.synthetic import make_noisy_erdos_renyi, make_synthetic_new, make_synthie
from wassergraph.formats.tu.reader import EmptyGraphs, Target, Targets, read_tu
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, Repeats, SelfLoops

__all__ = ["BUILT_IN", "load_dataset", "make_demo", "make_noisy_erdos_renyi", "make_synthetic_new", "make_synthie"]

#: Data sets that are made on the spot, by the name that load_dataset knows them under.
BUILT_IN: dict[str, Callable[[], tuple[GraphBatch, Targets]]] = {"demo": make_demo}


def load_dataset(
    name_or_path: str | Path,
    *,
    data_home: str | Path | None = None,
    target: Target = "auto",
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
    empty_graphs: EmptyGraphs = "error",
) -> tuple[GraphBatch, Any]:
    """Load a data set: the graphs, and the class of each (y), as the file has it.

    A name is looked up in ``data_home``, in the folder that the environment variable ``WASSERGRAPH_DATA`` names, in the
    user's cache and in the current folder, and otherwise downloaded from the TUDataset site into ``data_home``, or into
    the cache. Sets of the paper that are found by name are compared with the numbers published for them, except in the
    current folder. ``"demo"`` is made on the spot.

    Parameters
    ----------
    name_or_path : str or Path
        A name of the TUDataset collection such as "MUTAG", or the path of a folder or .zip in TU format.
    data_home : str or Path, optional
        A folder with data sets, each a folder or a .zip.
    target : "auto", "labels" or "attributes"
        Where y comes from: the graph labels, the graph attributes (regression), or the first of them that exists.
        Without either, y is None.
    symmetrize, self_loops, repeats
        What becomes of one-way edges, self-loops, and edges listed repeatedly with different data: see
        :class:`wassergraph.graphs.packing.EdgeRules`.
    empty_graphs : "error" or "drop"
        What becomes of graphs without nodes.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> len(graphs) == len(y)
    True
    """
    rules = EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats)
    if name_or_path in BUILT_IN:
        return BUILT_IN[str(name_or_path)]()
    path, by_name = _locate(name_or_path, data_home)
    graphs, y = read_tu(path, target=target, empty_graphs=empty_graphs, rules=rules)
    if by_name and name_or_path in CATALOGUE:
        _compare(str(name_or_path), graphs, None if target == "attributes" else y, path)
    return graphs, y


def _locate(name_or_path: str | Path, data_home: str | Path | None) -> tuple[Path, bool]:
    """Give the path of a data set, downloaded if need be, and whether it was meant by its name."""
    if name_or_path == "":
        raise ValueError("the name of the data set is empty")
    if not is_name(name_or_path):
        return expand(name_or_path), False
    name = str(name_or_path)
    found = find(name, homes(data_home))
    if found is not None:
        return found, True
    here = find(name, [Path()])
    if here is not None:
        return here, False
    folder = expand(data_home) if data_home else cache_folder()
    if folder is None:
        raise ValueError(f"{name} is not on disk, and there is no home folder to download it to: give data_home")
    try:
        return download(name, folder), True
    except UnknownDatasetError as error:
        known = ", ".join([*BUILT_IN, *CATALOGUE])
        raise UnknownDatasetError(f"{error}. The sets of the paper are {known}") from error


def _compare(name: str, graphs: GraphBatch, y: Targets | None, path: Path) -> None:
    """Refuse a file that bears the name of a known data set but is not it."""
    published = CATALOGUE[name]
    found = Published(
        graphs=len(graphs),
        classes=published.classes if y is None else len(np.unique(y)),
        mean_nodes=round(graphs.n_nodes / len(graphs), 2),
        mean_edges=round(graphs.n_edges / len(graphs), 2),
        data=published.data,
    )
    if found != published:
        raise ValueError(
            f"{path} is not the {name} that was published: it has {found}, where {name} has {published}. "
            "Remove it to get the published set anew, or load it by its path to take it as it is"
        )
