"""The TU text format (https://chrsmrrs.github.io/datasets/docs/format/): tables of numbers that begin to count at 1.

    NAME_A.txt                  tail, head             a row per arc
    NAME_graph_indicator.txt    graph                  a row per node
    NAME_node_labels.txt        integers               a row per node, optional
    NAME_node_attributes.txt    real numbers           a row per node, optional
    NAME_edge_labels.txt        integers               a row per row of A, optional
    NAME_edge_attributes.txt    real numbers           a row per row of A, optional
    NAME_graph_labels.txt       integers               a row per graph, optional: the classes
    NAME_graph_attributes.txt   real numbers           a row per graph, optional: regression targets
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.formats.archive import TUFiles, read_files
from wassergraph.formats.labels import tuple_labels
from wassergraph.formats.numbers import parse_floats, parse_integers
from wassergraph.graphs import GraphBatch, IntArray
from wassergraph.packing import EdgeRules, pack

Target: TypeAlias = Literal["auto", "labels", "attributes"]
Targets: TypeAlias = NDArray[np.int64] | NDArray[np.float64]


def read_tu(
    path: str | Path, *, target: Target = "auto", rules: EdgeRules = EdgeRules()
) -> tuple[GraphBatch, Targets | None]:
    """Read a data set in TU format from a folder or a .zip: the graphs, and what is to be predicted of them.

    Parameters
    ----------
    path : str or Path
        A folder or a .zip with ``NAME_A.txt`` at its top or one folder deep.
    target : "labels", "attributes" or "auto"
        Take y from ``NAME_graph_labels.txt`` (as they stand there), from ``NAME_graph_attributes.txt``, or from the first
        of the two that exists. Without either, y is None.
    rules : EdgeRules
        What becomes of one-way edges, self-loops and repeats.
    """
    source = read_files(Path(path))
    try:
        return _assemble(source, rules), _targets(source, target)
    except ValueError as error:
        error.add_note(f"while reading the data set {source.name} from {path}")
        raise


def _assemble(source: TUFiles, rules: EdgeRules) -> GraphBatch:
    indicator = _column(source, "graph_indicator")
    n_nodes = len(indicator)
    sizes = _graph_sizes(indicator, source.name)
    arcs = parse_integers(source.require("A"), f"{source.name}_A.txt")
    _check_arcs(arcs, indicator, source.name)
    order = np.argsort(indicator, kind="stable")
    new_id = np.empty(n_nodes, dtype=np.int64)
    new_id[order] = np.arange(n_nodes)
    return pack(
        sizes,
        new_id[arcs[:, 0] - 1],
        new_id[arcs[:, 1] - 1],
        rules=rules,
        node_data={
            name: None if value is None else value[order]
            for name, value in {
                "node_labels": _labels(source, "node_labels", n_nodes, "graph_indicator"),
                "node_attributes": _table(source, "node_attributes", n_nodes, "graph_indicator"),
            }.items()
        },
        edge_data={
            "edge_labels": _labels(source, "edge_labels", len(arcs), "A"),
            "edge_attributes": _table(source, "edge_attributes", len(arcs), "A"),
        },
    )
