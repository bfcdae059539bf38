"""The TU text format (https://chrsmrrs.github.io/datasets/docs/format/): a few tables of numbers.

    NAME_A.txt                  tail, head             a row per edge and direction
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

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, Option
from wassergraph.formats.labels import tuple_labels
from wassergraph.formats.tu.archive import TUFiles, read_tu_files
from wassergraph.formats.tu.names import read_readme
from wassergraph.formats.tu.numbers import parse_floats, parse_integers
from wassergraph.formats.tu.targets import TARGET_PARTS, Part, TUTargets, first_part, read_choice, read_tu_targets
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.graphs.packing import EdgeRules, pack_arrays

_Number = TypeVar("_Number", bound=np.generic)
EmptyGraphs: TypeAlias = Literal["error", "drop"]


def read_tu(
    path: str | Path,
    *,
    target: str = "auto",
    empty_graphs: EmptyGraphs = "error",
    rules: EdgeRules = EdgeRules(),  # noqa: B008 - frozen
) -> tuple[GraphBatch, TUTargets | None]:
    """Read a data set in TU format from a folder or a .zip: the graphs and the targets.

    Parameters
    ----------
    path : str or Path
        A folder or a .zip with ``NAME_A.txt`` at its top or one folder deep.
    target : "auto", "labels" or "attributes", perhaps with a column
        Read y from ``NAME_graph_labels.txt``, from ``NAME_graph_attributes.txt``, or ("auto") from the first of the two
        that exists; "attributes:2" is the second column of the attributes.
    empty_graphs : "error" or "drop"
        What to do with graphs without nodes, whose ids ``NAME_graph_indicator.txt`` skips. Dropping a graph also drops
        its target.
    rules : EdgeRules
        What to do with one-way edges, self-loops and repeated edges.

    Returns
    -------
    graphs : GraphBatch
    y : (n_graphs) integers or floats, (n_graphs, k) floats, or None if the data set has no targets
    """
    choice = read_choice(target)
    check_choice("empty_graphs", empty_graphs, EmptyGraphs)
    files = read_tu_files(Path(path))
    y = read_tu_targets(files, choice)
    indicator = _column(files, "graph_indicator")
    graphs = _graph_ids(indicator, None if y is None else len(y), empty_graphs, files.file("graph_indicator"))
    return _assemble(files, indicator, graphs, rules), None if y is None else y[graphs - 1]


def read_graph_ids(path: Path) -> IntArray:
    """Read the ids of the graphs that have nodes, counted from 1."""
    return np.unique(_column(read_tu_files(path, ("graph_indicator",)), "graph_indicator"))


def find_target_part(path: Path) -> Part | None:
    """Return what ``target="auto"`` reads: "labels", or else "attributes"; None if the data set has neither."""
    return first_part(read_tu_files(path, ("graph_labels", "graph_attributes")))


def has_target_part(path: Path, part: str) -> bool:
    """Return whether a data set has "labels" or "attributes" of graphs; other parts are none."""
    return part in TARGET_PARTS and f"graph_{part}" in read_tu_files(path, (f"graph_{part}",)).files


def _graph_ids(indicator: IntArray, n_targets: int | None, empty_graphs: EmptyGraphs, file: str) -> IntArray:
    """Return the ids of the graphs that have nodes, in order; raise an error if ids are missing or out of range."""
    graphs = np.unique(indicator)
    if graphs[0] < 1:
        line = int(np.flatnonzero(indicator == graphs[0])[0]) + 1
        raise InputError(f"the graph id is {graphs[0]}", remedy="count graphs from 1", file=file, line=line)
    n_graphs = int(graphs[-1])
    drop = Option("empty_graphs", "drop")
    if n_targets is not None and (n_graphs > n_targets or (n_graphs < n_targets and empty_graphs == "error")):
        raise InputError(
            f"the largest graph id is {n_graphs}, but there are targets for {count(n_targets, 'graph')}",
            remedy="the numbers must match, unless {} drops graphs without nodes",
            options=[drop],
            file=file,
        )
    if len(graphs) < n_graphs and empty_graphs == "error":
        gap = int(np.flatnonzero(graphs != np.arange(1, len(graphs) + 1))[0]) + 1
        problem = f"the graph with the id {gap} has no nodes"
        raise InputError(problem, remedy="pass {} to drop such graphs", options=[drop], file=file)
    return graphs


def _assemble(files: TUFiles, indicator: IntArray, graphs: IntArray, rules: EdgeRules) -> GraphBatch:
    arcs = parse_integers(files.require("A"), files.file("A"))
    _check_arcs(arcs, indicator, files.file("A"))
    n_nodes = len(indicator)
    node_labels = _table(files, "node_labels", parse_integers, n_nodes, "graph_indicator")
    edge_labels = _table(files, "edge_labels", parse_integers, len(arcs), "A")
    node_data = {
        "node_labels": None if node_labels is None else tuple_labels(node_labels),
        "node_attributes": _table(files, "node_attributes", parse_floats, n_nodes, "graph_indicator"),
    }
    tails, heads = arcs[:, 0] - 1, arcs[:, 1] - 1
    if (indicator[1:] < indicator[:-1]).any():  # the nodes of a graph may be anywhere in the file
        order = np.argsort(indicator, kind="stable")
        position = np.argsort(order)
        tails, heads = position[tails], position[heads]
        node_data = {name: None if value is None else value[order] for name, value in node_data.items()}
    edge_data = {
        "edge_labels": None if edge_labels is None else tuple_labels(edge_labels),
        "edge_attributes": _table(files, "edge_attributes", parse_floats, len(arcs), "A"),
    }
    sizes = np.bincount(np.searchsorted(graphs, indicator))
    names = read_readme(files.readme, node_labels, edge_labels)
    return pack_arrays(sizes, tails, heads, rules=rules, node_data=node_data, edge_data=edge_data, vocabulary=names)


def _check_arcs(arcs: IntArray, indicator: IntArray, file: str) -> None:
    if arcs.shape[1] != 2:
        problem = f"the file has {count(arcs.shape[1], 'column')}"
        raise InputError(problem, remedy="list the two ends of an edge in each line", file=file)
    if arcs.min() < 1 or arcs.max() > len(indicator):
        row = np.argwhere((arcs < 1) | (arcs > len(indicator)))[0, 0]
        problem = f"the edge {arcs[row, 0]}, {arcs[row, 1]} names a node out of range"
        raise InputError(problem, remedy=f"node ids run from 1 to {len(indicator)}", file=file, line=row + 1)
    graphs = indicator[arcs - 1]
    between = np.flatnonzero(graphs[:, 0] != graphs[:, 1])
    if between.size:
        row = between[0]
        left, right = graphs[row]
        problem = f"the edge {arcs[row, 0]}, {arcs[row, 1]} joins the graphs with the ids {left} and {right}"
        raise InputError(problem, remedy="an edge must stay within a graph", file=file, line=row + 1)


def _column(files: TUFiles, suffix: str) -> IntArray:
    table = parse_integers(files.require(suffix), files.file(suffix))
    if table.shape[1] != 1:
        raise InputError(f"the file has {table.shape[1]} columns instead of one", file=files.file(suffix))
    return table[:, 0]


def _table(
    files: TUFiles, suffix: str, parse: Callable[[bytes, str], NDArray[_Number]], n_rows: int, other: str
) -> NDArray[_Number] | None:
    """Return a table, if the data set has it, which must have as many rows as another one."""
    if suffix not in files.files:
        return None
    table = parse(files.files[suffix], files.file(suffix))
    if len(table) != n_rows:
        problem = f"the file has {count(len(table), 'row')}, but {files.file(other)} has {n_rows}"
        raise InputError(problem, file=files.file(suffix))
    return table
