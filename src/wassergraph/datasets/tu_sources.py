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
from wassergraph.datasets.reading import ReadingOptions
from wassergraph.datasets.source import Source, source_of_names
from wassergraph.datasets.targets import Target, target_of_array
from wassergraph.errors import InputError, Option
from wassergraph.formats.tu.reader import find_target_part, has_target_part, read_graph_ids


def read_tu_source(source: str | Path, options: ReadingOptions) -> Source:
    """Return the graphs of a data set; the target of earlier graphs is read if this data set has it."""
    target, like = options.one_target, (options.like or {}).get("target")
    if target is None and like is not None and source not in BUILT_IN:
        former = _path(source, options)
        target = like if former.exists() and has_target_part(former, like.partition(":")[0]) else None
    graphs, y = load_dataset(
        source,
        data_home=options.data_home,
        download=options.download,
        target="auto" if target is None else target,
        empty_graphs=options.empty_graphs,
        **asdict(options.edge_rules),
    )
    path = None if source in BUILT_IN else _path(source, options)
    positions = np.arange(len(graphs))
    if options.empty_graphs == "drop" and path is not None:  # graphs keep the positions that they have in the file
        positions = read_graph_ids(path) - 1
    known = None if y is None else _read_target(y, path, None if target == "auto" else target, options)
    names = [str(position) for position in positions]
    return source_of_names(graphs, known, names, published_name(graphs, y), named=False)


def _path(source: str | Path, options: ReadingOptions) -> Path:
    """Return where a data set was found."""
    path = find(str(source), [*homes(options.data_home), Path()]) if is_name(source) else None
    return path or expand(source)


def _read_target(y: NDArray[Any], path: Path | None, chosen: str | None, options: ReadingOptions) -> Target | None:
    """Return the target, named after what it was read from, unless it is the classes that the format has by default.

    If there are several columns and none is chosen, that is an error, or, if the target is not needed, means that it
    is unknown: then None is returned.
    """
    name = chosen or (None if path is None else find_target_part(path)) or "labels"
    if y.ndim > 1:
        if options.need_target or chosen is not None:
            raise InputError(
                f"the graph {name} have {y.shape[1]} columns, and a model predicts one",
                remedy=f"train one model for each column: {{}} for the first, up to {name}:{y.shape[1]}",
                options=[Option("target", f"{name}:1")],
                file=path,
            )
        return None
    target = target_of_array(y, options.task)
    is_usual = chosen is None and target.task == "classification"
    return target if is_usual else replace(target, name=name)
