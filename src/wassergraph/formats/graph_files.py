"""Read .graphml and .gml files, which contain one graph each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from wassergraph.errors import InputError, Place, StructuredError
from wassergraph.formats.convention import names_by_convention, thing_of
from wassergraph.formats.features import FeatureNames, Thing, without_plain_names
from wassergraph.formats.impute import fill_missing
from wassergraph.formats.networkx import networkx_columns, networkx_parts
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import NETWORKX_NAMES
from wassergraph.graphs.packing import EdgeRules, pack_parts
from wassergraph.optional import require

if TYPE_CHECKING:
    import networkx

#: The suffixes of files that hold one graph each.
GRAPH_FILES = (".graphml", ".gml")
#: Arguments of from_networkx that name nothing that is compared.
_HOW = ("node_positions", "impute", "fill_values")


def read_graph_file(file: Path) -> networkx.Graph:
    """Read a .graphml or .gml file as a networkx graph."""
    require("networkx")
    import networkx as nx

    try:
        if _is_gml(file):
            return nx.read_gml(file, label="id")  # keeps the labels of the nodes, which may repeat
        _check_graphml(file)
        return nx.read_graphml(file)
    except (OSError, InputError):
        raise
    except Exception as error:  # the parsers of networkx raise errors of many types
        format_name = "GML" if _is_gml(file) else "GraphML"
        raise InputError(f"the file cannot be read as {format_name}: {error}", file=file) from error


def from_graph_files(
    files: Sequence[Path], graphs: Sequence[networkx.Graph], names: Mapping[str, Any], rules: EdgeRules
) -> tuple[GraphBatch, dict[str, Any]]:
    """Return a batch of graphs that :func:`read_graph_file` returned for files; errors name the file.

    Parameters
    ----------
    files : sequence of Path
        The file of each graph.
    graphs : sequence of networkx.Graph
        The graphs.
    names : dict
        Arguments of :func:`wassergraph.from_networkx`, such as :func:`names_to_read` returns.
    rules : EdgeRules
        What to do with one-way edges and self-loops.

    Returns
    -------
    graphs : GraphBatch
    names : dict
        The same names, with which other graphs are read in the same way: if attributes are imputed, also the values.
    """
    try:
        read = FeatureNames(**{"node_positions": "auto", **names})
        parts = networkx_parts(graphs, read, chosen=_chosen_things(names), of_files=True)
        filled, values = fill_missing(parts, read.impute, read.fill_values)
        learned = {"fill_values": values} if values else {}
        return pack_parts(without_plain_names(filled), rules), {**names, **learned}
    except StructuredError as error:
        raise error.in_places([Place(file) for file in files]) from error


def names_to_read(
    files: Sequence[Path],
    graphs: Sequence[networkx.Graph],
    names: Mapping[str, Any],
    like: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the names of the data to read from graphs.

    They are those given; or else those that earlier graphs were read with, if they were given then; or else those that
    :func:`wassergraph.formats.detect.as_batch` reads. This is decided for nodes and for edges apart: names of node data
    do not change what is read of the edges. In .gml files ``label`` is often just the name of a node: if no graph of
    these files has one label twice, it becomes the name of its node, unless earlier graphs had labels.

    Parameters
    ----------
    files, graphs
        As for :func:`from_graph_files`.
    names : dict
        Arguments of :func:`wassergraph.from_networkx`, None if they are not given.
    like : dict, optional
        What was returned for earlier graphs, perhaps among other things.

    Returns
    -------
    dict
        The names that are not None.
    """
    known = {**(like or {}), **{field: name for field, name in names.items() if name is not None}}
    how = {field: known[field] for field in _HOW if field in known}
    if how.get("impute", "error") == "error":
        how.pop("fill_values", None)
    given = {field: name for field, name in names.items() if field in NETWORKX_NAMES and name is not None}
    before = {field: name for field, name in (like or {}).items() if field in NETWORKX_NAMES}
    named = {thing_of(field) for field in given}
    if _chosen_things(before):
        return {**{field: name for field, name in before.items() if thing_of(field) not in named}, **given, **how}
    usual = set[Thing](("node", "edge")) - named
    try:
        if "node" in usual and "node_labels" not in before:
            _move_node_names([graph for file, graph in zip(files, graphs, strict=True) if _is_gml(file)])
        return {**given, **names_by_convention(graphs, networkx_columns, things=usual, strict=not given), **how}
    except StructuredError as error:
        raise error.in_places([Place(file) for file in files]) from error


def _chosen_things(names: Mapping[str, Any]) -> set[Thing]:
    """Return of which things something is read that has another name than usual."""
    return {thing_of(field) for field, name in names.items() if name != NETWORKX_NAMES.get(field, name)}


def _is_gml(file: Path) -> bool:
    return file.suffix.lower() == ".gml"


def _check_graphml(file: Path) -> None:
    """Raise an error about what networkx ignores: further graphs, nodes listed twice, edges to unlisted nodes."""
    elements = defaultdict[str, list[ElementTree.Element]](list)
    for element in ElementTree.parse(file).iter():
        elements[element.tag.rpartition("}")[2]].append(element)
    if len(elements["graph"]) > 1:
        raise InputError(f"there are {len(elements['graph'])} graphs", remedy="use one file per graph", file=file)
    nodes = Counter(node.get("id") for node in elements["node"])
    for node, times in nodes.items():
        if times > 1:
            raise InputError(f"the node {node!r} is listed {times} times", remedy="list it once", file=file)
    for end in [edge.get(end) for edge in elements["edge"] for end in ("source", "target")]:
        if end not in nodes:
            problem = f"an edge names the node {end!r}, which is not listed"
            raise InputError(problem, remedy="list the node or correct the edge", file=file)


def _move_node_names(graphs: Sequence[networkx.Graph]) -> None:
    """Make the labels of nodes their names if they are just that, because no graph has one twice."""
    labels = [[str(v) for _, v in graph.nodes(data="label") if v is not None] for graph in graphs]
    if all(len(set(names)) == len(names) for names in labels):
        for graph in graphs:
            for _, data in graph.nodes(data=True):
                if "label" in data:
                    data["name"] = str(data.pop("label"))
