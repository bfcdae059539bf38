"""Read TU data sets, with targets and names."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.datasets.catalogue import published_name
from wassergraph.datasets.data_home import expand, find, homes, is_name
from wassergraph.datasets.load import BUILT_IN, load_dataset
from wassergraph.datasets.source import Source, source_of_names
from wassergraph.datasets.targets import Target, target_of_array
from wassergraph.errors import InputError, Option
from wassergraph.formats.tu.reader import EmptyGraphs, find_target_part, has_target_part, read_graph_ids
from wassergraph.graphs.packing import EdgeRules
from wassergraph.graphs.values import TaskName


def read_tu_source(
    source: str | Path,
    data_home: str | Path | None,
    rules: EdgeRules,
    *,
    download: bool = False,
    target: str | None = None,
    like: str | None = None,
    task: TaskName = "auto",
    empty: EmptyGraphs = "error",
    need_target: bool = False,
) -> Source:
    """Return the graphs of a data set.

    The parameters are those of :func:`wassergraph.datasets.inputs.load_graphs`; ``like`` is the target of earlier
    graphs, which is read if this data set has it.
    """
    if target is None and like is not None and source not in BUILT_IN:
        target = _same_target(like, _path(source, data_home))
    graphs, y = load_dataset(
        source,
        data_home=data_home,
        download=download,
        target="auto" if target is None else target,
        empty_graphs=empty,
        **asdict(rules),
    )
    path = None if source in BUILT_IN else _path(source, data_home)
    positions = np.arange(len(graphs))
    if empty == "drop" and path is not None:  # graphs keep the positions that they have in the file
        positions = read_graph_ids(path) - 1
    known = None if y is None else _read_target(y, path, None if target == "auto" else target, task, need_target)
    names = [str(position) for position in positions]
    return source_of_names(graphs, known, names, published_name(graphs, y), named=False)


def _path(source: str | Path, data_home: str | Path | None) -> Path:
    """Return where a data set was found."""
    path = find(str(source), [*homes(data_home), Path()]) if is_name(source) else None
    return path or expand(source)


def _same_target(like: str, path: Path) -> str | None:
    """Return the target of earlier graphs if a data set on disk has labels or attributes like those."""
    is_there = path.exists() and has_target_part(path, like.partition(":")[0])
    return like if is_there else None


def _read_target(y: NDArray[Any], path: Path | None, chosen: str | None, task: TaskName, needed: bool) -> Target | None:
    """Return the target, named after what it was read from, unless it is the classes that the format has by default.

    If there are several columns and none is chosen, that is an error, or, if the target is not needed, means that it
    is unknown: then None is returned.
    """
    if y.ndim > 1:
        if needed or chosen is not None:
            raise _several_columns(y.shape[1], _name(chosen, path), path)
        return None
    target = target_of_array(y, task)
    is_usual = chosen is None and target.task == "classification"
    return target if is_usual else replace(target, name=_name(chosen, path))


def _name(chosen: str | None, path: Path | None) -> str:
    return chosen or (None if path is None else find_target_part(path)) or "labels"


def _several_columns(n_columns: int, part: str, path: Path | None) -> InputError:
    return InputError(
        f"the graph {part} have {n_columns} columns, and a model predicts one",
        remedy=f"train one model for each column: {{}} for the first, up to {part}:{n_columns}",
        options=[Option("target", f"{part}:1")],
        file=path,
    )
