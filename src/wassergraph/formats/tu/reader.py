"""The TU text format (https://chrsmrrs.github.io/datasets/docs/format/): a few tables of numbers.

    NAME_A.txt                  tail, head             a row per arc
    NAME_graph_indicator.txt    graph                  a row per node
    NAME_node_labels.txt        integers               a row per node, optional
    NAME_node_attributes.txt    real numbers           a row per node, optional
    NAME_edge_labels.txt        integers               a row per row of A, optional
    NAME_edge_attributes.txt    real numbers           a row per row of A, optional
    NAME_graph_labels.txt       integers               a row per graph, optional: the classes
    NAME_graph_attributes.txt   real numbers           a row per graph, optional: regression targets

Graphs and nodes are counted from 1 through the whole data set, in the order of the rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.formats.labels import tuple_labels
from wassergraph.formats.tu.archive import TUFiles, read_files
from wassergraph.formats.tu.numbers import parse_floats, parse_integers, parse_numbers
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, pack

Target: TypeAlias = Literal["auto", "labels", "attributes"]
EmptyGraphs: TypeAlias = Literal["error", "drop"]
Targets: TypeAlias = IntArray | FloatArray


def read_tu(
    path: str | Path,
    *,
    target: Target = "auto",
    empty_graphs: EmptyGraphs = "error",
    rules: EdgeRules = EdgeRules(),  # noqa: B008 - frozen
) -> tuple[GraphBatch, Targets | None]:
    """Read a data set in TU format from a folder or a .zip: the graphs, and what is to be predicted of them.

    Parameters
    ----------
    path : str or Path
        A folder or a .zip with ``NAME_A.txt`` at its top or one folder deep.
    target : "auto", "labels" or "attributes"
        Take y from ``NAME_graph_labels.txt``, as it stands there, from ``NAME_graph_attributes.txt``, or ("auto") from
        the first of the two that exists. Without either, y is None.
    empty_graphs : "error" or "drop"
        What to do with graphs without nodes: ids that ``NAME_graph_indicator.txt`` skips. Dropping one drops its y too.
    rules : EdgeRules
        What becomes of one-way edges, self-loops and repeats.
    """
    for name, value, choices in [("target", target, Target), ("empty_graphs", empty_graphs, EmptyGraphs)]:
        if value not in get_args(choices):
            raise ValueError(f"{name} must be one of {get_args(choices)}, got {value!r}")
    source = read_files(Path(path))
    y = _targets(source, target)
    indicator = _column(source, "graph_indicator")
    graphs = _graph_ids(indicator, y, empty_graphs, source.name)
    return _assemble(source, indicator, graphs, rules), None if y is None else y[graphs - 1]


def _targets(source: TUFiles, target: Target) -> Targets | None:
    wanted = (
        [target] if target != "auto" else [name for name in ("labels", "attributes") if f"graph_{name}" in source.files]
    )
    if not wanted:
        return None
    table = parse_numbers(source.require(f"graph_{wanted[0]}"), source.file(f"graph_{wanted[0]}"))
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise ValueError(f"{source.file(f'graph_{wanted[0]}')}, line {row + 1}: {table[row]} is not finite")
    if wanted[0] == "labels" and (table == np.floor(table)).all():
        table = table.astype(np.int64)
    return table[:, 0] if table.shape[1] == 1 else table


def _graph_ids(indicator: IntArray, y: Targets | None, empty_graphs: EmptyGraphs, name: str) -> IntArray:
    """Give the ids of the graphs that have nodes, in order, after making sure that they are as they should be."""
    graphs = np.unique(indicator)
    if graphs[0] < 1:
        raise ValueError(f"{name}_graph_indicator.txt names the graph {graphs[0]}: graph ids begin at 1")
    n_graphs = int(graphs[-1])
    if y is not None and (n_graphs > len(y) or (n_graphs < len(y) and empty_graphs == "error")):
        raise ValueError(
            f"{name} has {len(y)} rows of graph labels or attributes, but {name}_graph_indicator.txt goes up to graph "
            f'{n_graphs}: they must match (graphs without nodes can be left out with empty_graphs="drop")'
        )
    if len(graphs) < n_graphs and empty_graphs == "error":
        gap = int(np.flatnonzero(graphs != np.arange(1, len(graphs) + 1))[0]) + 1
        raise ValueError(
            f"{name}_graph_indicator.txt has no node of graph {gap}, though it goes up to graph {n_graphs}: a gap in "
            'the graph ids is a graph without nodes; pass empty_graphs="drop" to leave such graphs out'
        )
    return graphs


def _assemble(source: TUFiles, indicator: IntArray, graphs: IntArray, rules: EdgeRules) -> GraphBatch:
    arcs = parse_integers(source.require("A"), source.file("A"))
    _check_arcs(arcs, indicator, source.file("A"))
    n_nodes = len(indicator)
    node_data = {
        "node_labels": _labels(source, "node_labels", n_nodes, "graph_indicator"),
        "node_attributes": _attributes(source, "node_attributes", n_nodes, "graph_indicator"),
    }
    tails, heads = arcs[:, 0] - 1, arcs[:, 1] - 1
    if (indicator[1:] < indicator[:-1]).any():  # the nodes of a graph need not stand together
        order = np.argsort(indicator, kind="stable")
        place = np.empty(n_nodes, dtype=np.int64)
        place[order] = np.arange(n_nodes)
        tails, heads = place[tails], place[heads]
        node_data = {name: None if value is None else value[order] for name, value in node_data.items()}
    edge_data = {
        "edge_labels": _labels(source, "edge_labels", len(arcs), "A"),
        "edge_attributes": _attributes(source, "edge_attributes", len(arcs), "A"),
    }
    sizes = np.bincount(np.searchsorted(graphs, indicator))
    return pack(sizes, tails, heads, rules=rules, node_data=node_data, edge_data=edge_data)


def _check_arcs(arcs: IntArray, indicator: IntArray, file: str) -> None:
    if arcs.shape[1] != 2:
        raise ValueError(f"{file} has {arcs.shape[1]} column(s): it needs two, the ends of an edge")
    if arcs.min() < 1 or arcs.max() > len(indicator):
        row = np.argwhere((arcs < 1) | (arcs > len(indicator)))[0, 0]
        raise ValueError(
            f"{file}, line {row + 1}: the edge {arcs[row, 0]}, {arcs[row, 1]} names a node out of range; "
            f"node ids run from 1 to {len(indicator)}"
        )
    graphs = indicator[arcs - 1]
    between = np.flatnonzero(graphs[:, 0] != graphs[:, 1])
    if between.size:
        row = between[0]
        raise ValueError(
            f"{file}, line {row + 1}: the edge {arcs[row, 0]}, {arcs[row, 1]} joins graph {graphs[row, 0]} to graph "
            f"{graphs[row, 1]}: an edge cannot join two graphs"
        )


def _column(source: TUFiles, suffix: str) -> IntArray:
    table = parse_integers(source.require(suffix), source.file(suffix))
    if table.shape[1] != 1:
        raise ValueError(f"{source.file(suffix)} has {table.shape[1]} columns: it needs one")
    return table[:, 0]


def _labels(source: TUFiles, suffix: str, rows: int, other: str) -> IntArray | None:
    if suffix not in source.files:
        return None
    table = parse_integers(source.files[suffix], source.file(suffix))
    _check_rows(table, source.file(suffix), rows, source.file(other))
    return tuple_labels(table)


def _attributes(source: TUFiles, suffix: str, rows: int, other: str) -> FloatArray | None:
    if suffix not in source.files:
        return None
    table = parse_floats(source.files[suffix], source.file(suffix))
    _check_rows(table, source.file(suffix), rows, source.file(other))
    return table


def _check_rows(table: NDArray[np.generic], file: str, rows: int, other: str) -> None:
    if len(table) != rows:
        raise ValueError(f"{file} has {len(table)} rows, {other} has {rows}: they must match row by row")
