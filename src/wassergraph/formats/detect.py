"""From anything that a reader accepts, in memory or in a .graphml or .gml file, with the defaults of that reader.

What a thing is shows in the names of its classes, so that no optional library is imported to find out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
from scipy.sparse import issparse

from wassergraph.formats.arrays import from_adjacency
from wassergraph.formats.igraph import from_igraph
from wassergraph.formats.networkx import from_networkx
from wassergraph.formats.pyg import from_pyg
from wassergraph.formats.rdkit import from_rdkit, from_smiles
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules
from wassergraph.optional import require

#: Under which names networkx and igraph graphs keep their data by convention, which is that of GraphBatch.to_networkx.
CONVENTION = {
    "node_labels": "label",
    "node_attributes": "attributes",
    "edge_weights": "weight",
    "edge_labels": "label",
    "edge_attributes": "attributes",
}

#: What a graph has under a name: one value per "node" or "edge", None where there is none.
Values: TypeAlias = Callable[[Any, str, str], Sequence[Any]]

#: The suffixes of files that hold one graph each.
GRAPH_FILES = (".graphml", ".gml")

# The library and the name of a class, and what its objects are called here.
_CLASSES = {
    ("networkx", "Graph"): "a networkx graph",
    ("igraph", "Graph"): "an igraph graph",
    ("torch_geometric", "Data"): "a PyTorch Geometric Data",
    ("rdkit", "Mol"): "an RDKit molecule",
}


def as_batch(graphs: Any) -> GraphBatch:
    """Read graphs of any sort that a reader accepts, one or several, with the defaults of that reader.

    Nodes and edges of networkx and igraph graphs carry data under names. Here a convention says which are read, that of
    :meth:`wassergraph.GraphBatch.to_networkx`: ``label`` and ``attributes`` of the nodes become node labels and node
    attributes; ``weight``, ``label`` and ``attributes`` of the edges become edge weights, edge labels and edge
    attributes. A name is read if every node (or edge) of every graph has it; that only some have it is an error. To
    read anything else, call the reader and name it.

    Parameters
    ----------
    graphs : GraphBatch, a graph, or an iterable of graphs of one sort
        A batch is given back as it is. A graph may be a networkx or igraph graph, a PyTorch Geometric ``Data``, an
        RDKit molecule, a SMILES string, an adjacency matrix (a numpy array of two dimensions or a scipy sparse matrix),
        or a batch, several of which are joined.

    Examples
    --------
    >>> as_batch(["CCO", "c1ccccc1"])
    GraphBatch(2 graphs, 9 nodes, 8 edges; node labels (2 kinds), edge labels (2 kinds))
    >>> import networkx as nx
    >>> as_batch(nx.Graph([(0, 1, {"weight": 0.5})]))
    GraphBatch(1 graph, 2 nodes, 1 edge; edge weights)
    """
    if isinstance(graphs, GraphBatch):
        return graphs
    listed = [graphs] if _kind(graphs) else _listed(graphs)
    return _READERS[_the_one_kind(listed)](listed)


_READERS: dict[str, Callable[[list[Any]], GraphBatch]] = {
    "a networkx graph": lambda graphs: from_networkx(graphs, **_names_by_convention(graphs, _networkx_values)),
    "an igraph graph": lambda graphs: from_igraph(graphs, **_names_by_convention(graphs, _igraph_values)),
    "a PyTorch Geometric Data": from_pyg,
    "an RDKit molecule": from_rdkit,
    "a SMILES string": from_smiles,
    "an adjacency matrix": from_adjacency,
    "a GraphBatch": GraphBatch.concatenate,
}
_READABLE = (
    "graphs can be read from networkx (from_networkx), igraph (from_igraph), PyTorch Geometric (from_pyg), RDKit "
    "molecules (from_rdkit), SMILES strings (from_smiles), adjacency matrices, numpy or sparse (from_adjacency), lists "
    "of edges (from_edges) and files (load_dataset)"
)


def _kind(thing: Any) -> str | None:
    """Say what something is; None if no reader knows it as one graph."""
    if isinstance(thing, GraphBatch):
        return "a GraphBatch"
    if isinstance(thing, str):
        return "a SMILES string"
    if issparse(thing) or (isinstance(thing, np.ndarray) and thing.ndim == 2):
        return "an adjacency matrix"
    origins = ((base.__module__.partition(".")[0], base.__name__) for base in type(thing).__mro__)
    return next((_CLASSES[origin] for origin in origins if origin in _CLASSES), None)


def _listed(graphs: Any) -> list[Any]:
    """List what an iterable holds, unless its order means nothing or it would give keys instead of values."""
    try:
        iterator = None if isinstance(graphs, Mapping | Set) else iter(graphs)
    except TypeError:
        iterator = None
    if iterator is None:
        raise TypeError(f"{_type_name(graphs)} is neither a graph nor a list of graphs: {_READABLE}")
    return list(iterator)


def _the_one_kind(listed: list[Any]) -> str:
    """Give the kind that all graphs of a list have."""
    if not listed:
        raise ValueError(f"there are no graphs: give at least one; {_READABLE}")
    kinds = []
    for position, graph in enumerate(listed):
        kind = _kind(graph)
        if kind is None:
            raise TypeError(f"graph {position} is of the type {_type_name(graph)}: {_READABLE}")
        kinds.append(kind)
        if kind != kinds[0]:
            raise TypeError(
                f"graph 0 is {kinds[0]}, graph {position} is {kind} ({_type_name(graph)}): give graphs of one kind, or "
                f"read each kind with its reader and join them with GraphBatch.concatenate; {_READABLE}"
            )
    return kinds[0]


def _type_name(thing: Any) -> str:
    module = type(thing).__module__
    return type(thing).__qualname__ if module == "builtins" else f"{module}.{type(thing).__qualname__}"


# The convention


def _names_by_convention(graphs: Sequence[Any], values: Values) -> dict[str, Any]:
    """Say what to read of graphs by the convention, as arguments of their reader."""
    found = {}
    for field, name in CONVENTION.items():
        thing = field[:4]
        present = [[value is not None for value in values(graph, thing, name)] for graph in graphs]
        owner = next((position for position, here in enumerate(present) if any(here)), None)
        lacking = next((position for position, here in enumerate(present) if not all(here)), None)
        if owner is None:
            continue
        if lacking is not None:
            raise ValueError(
                f"graph {lacking}, {thing} {present[lacking].index(False)} has no {name!r}, {thing} "
                f"{present[owner].index(True)} of graph {owner} has: give it to every {thing} of every graph or to "
                "none, or call the reader with the names of what is to be read (node_labels=..., edge_weights=...)"
            )
        found[field] = name
    return found


def _networkx_values(graph: Any, thing: str, name: str) -> list[Any]:
    rows = graph.nodes(data=True) if thing == "node" else graph.edges(data=True)
    return [row[-1].get(name) for row in rows]


def _igraph_values(graph: Any, thing: str, name: str) -> list[Any]:
    rows = graph.vs if thing == "node" else graph.es
    return list(rows[name]) if name in rows.attributes() else [None] * len(rows)


# Files


def read_graph_file(file: Path) -> Any:
    """Read a .graphml or .gml file, which holds one graph, as a networkx graph."""
    require("networkx")
    import networkx as nx

    try:
        if _is_gml(file):
            return nx.read_gml(file, label="id")  # so that the labels of the nodes stay, and need not differ
        _check_graphml(file)
        return nx.read_graphml(file)
    except OSError:
        raise
    except Exception as error:  # networkx lets through whatever its parsers raise
        raise ValueError(f"{file} cannot be read as {'GML' if _is_gml(file) else 'GraphML'}: {error}") from error


def from_graph_files(
    files: Sequence[Path], graphs: Sequence[Any], names: Mapping[str, Any], rules: EdgeRules
) -> GraphBatch:
    """Read graphs that :func:`read_graph_file` gave for some files; errors name the file.

    ``names`` are arguments of :func:`wassergraph.from_networkx`; where all are None, the convention says what is read.
    In .gml files ``label`` is often but the name of a node: where it differs for all nodes of a graph, in every one of
    these files, the convention takes it for that.
    """
    try:
        if all(name is None for name in names.values()):
            _forget_node_names([graph for file, graph in zip(files, graphs, strict=True) if _is_gml(file)])
            names = _names_by_convention(graphs, _networkx_values)
        return from_networkx(graphs, **names, symmetrize=rules.symmetrize, self_loops=rules.self_loops)
    except (ValueError, TypeError) as error:
        raise located(error, [str(file) for file in files]) from error


def located(error: ValueError | TypeError, places: Sequence[str]) -> ValueError | TypeError:
    """Give the error of a reader anew, with the places that the graphs come from instead of their positions."""

    def place(match: re.Match[str]) -> str:
        return places[int(match[1])] if int(match[1]) < len(places) else match[0]

    message = re.sub(r"\b(?:graph|position) (\d+)\b", place, str(error))
    return TypeError(message) if isinstance(error, TypeError) else ValueError(message)


def _is_gml(file: Path) -> bool:
    return file.suffix.lower() == ".gml"


def _check_graphml(file: Path) -> None:
    """Refuse what networkx would pass over: all graphs but the first, nodes listed twice, edges to unlisted nodes."""
    found: dict[str, list[ElementTree.Element]] = {"graph": [], "node": [], "edge": []}
    for element in ElementTree.parse(file).iter():
        found.setdefault(element.tag.rpartition("}")[2], []).append(element)
    if len(found["graph"]) > 1:
        raise ValueError(
            f"it holds {len(found['graph'])} graphs, side by side or one in another: give each its own file"
        )
    nodes = Counter(node.get("id") for node in found["node"])
    for node, times in nodes.items():
        if times > 1:
            raise ValueError(f"it lists the node {node!r} {times} times: keep one of them")
    for end in [edge.get(end) for edge in found["edge"] for end in ("source", "target")]:
        if end not in nodes:
            raise ValueError(f"an edge names the node {end!r}, which is not listed: list it, or correct the edge")


def _forget_node_names(graphs: Sequence[Any]) -> None:
    """Remove the labels of nodes that merely name them, because no graph has one twice."""
    labels = [[str(v) for v in _networkx_values(graph, "node", "label") if v is not None] for graph in graphs]
    if all(len(set(own)) == len(own) for own in labels):
        for graph in graphs:
            for _, data in graph.nodes(data=True):
                data.pop("label", None)
