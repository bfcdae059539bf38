"""Read networkx graphs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.errors import InputTypeError
from wassergraph.formats.features import THINGS, Columns, FeatureNames, Names, Thing, named_parts, without_plain_names
from wassergraph.formats.impute import FillValues, Impute, fill_missing
from wassergraph.formats.unused import warn_unread
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, GraphParts, SelfLoops, pack_parts
from wassergraph.optional import require

if TYPE_CHECKING:
    import networkx


def from_networkx(
    graphs: networkx.Graph | Iterable[networkx.Graph],
    *,
    node_labels: str | None = None,
    node_attributes: Names | None = None,
    edge_weights: str | None = None,
    edge_labels: str | None = None,
    edge_attributes: Names | None = None,
    node_positions: Names | None = "auto",
    impute: Impute = "error",
    fill_values: FillValues | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read networkx graphs, with the data of their nodes and edges that is named.

    Nodes may be any objects; they are numbered in the order of ``graph.nodes``, and keep their names. Labels may be
    integers, strings or tuples of these, attributes numbers or vectors. If no data of the nodes, or of the edges, is
    named although there is some, a warning lists it.

    Parameters
    ----------
    graphs : networkx.Graph, or an iterable of them
        A ``DiGraph`` must have both directions of every edge, unless ``symmetrize=True``. A ``MultiGraph`` is an error.
    node_labels, edge_weights, edge_labels : str, optional
        The name of a label or number.
    node_attributes, edge_attributes : str or list of str, optional
        The name of a number or vector, or several names whose values are concatenated.
    node_positions : str or list of str, optional
        The name of vectors, or the names of numbers, that say where drawings show the nodes, such as ``["x", "y"]``;
        "auto" is ``pos``, or else ``x`` and ``y``, perhaps with ``z``, if all nodes of all graphs have them. Positions
        change no distance.
    impute : "error", "mean" or "flag"
        What to do if attributes are missing, or nan, on some nodes or edges: raise an error, use the mean of all graphs
        that are read in this call, or the mean followed by a column for each attribute that is 1 where it was missing.
        A warning says how many there are.
    fill_values : dict of sequences of floats, optional
        What to use in place of the mean for each column of "node_attributes" and "edge_attributes", such as
        ``{"node_attributes": training.node_attributes.mean(axis=0)}`` for graphs that a model shall predict.
    symmetrize, self_loops
        As in :func:`wassergraph.from_edges`.

    Returns
    -------
    GraphBatch
        The graphs, in the order in which they were passed.

    See Also
    --------
    from_igraph : read igraph graphs
    from_pyg : read PyTorch Geometric graphs
    from_edges : read lists of edges
    GraphBatch : what is returned

    Examples
    --------
    >>> import networkx as nx, wassergraph as wg
    >>> water = nx.Graph([("O", "H1"), ("O", "H2")])
    >>> nx.set_node_attributes(water, {"O": 8, "H1": 1, "H2": 1}, "element")
    >>> wg.from_networkx([water], node_labels="element")
    GraphBatch(1 graph, 3 nodes, 2 edges; node labels (2 kinds))
    """
    names = FeatureNames(
        node_labels, node_attributes, edge_weights, edge_labels, edge_attributes, node_positions, impute, fill_values
    )
    return read_networkx(graphs, names, EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def read_networkx(
    graphs: networkx.Graph | Iterable[networkx.Graph],
    names: FeatureNames,
    rules: EdgeRules,
    *,
    chosen: Collection[Thing] = ("node", "edge"),
    reader: str | None = None,
) -> GraphBatch:
    """Read networkx graphs; see :func:`from_networkx` and, for the other parameters, :func:`networkx_parts`."""
    parts = networkx_parts(graphs, names, chosen=chosen, reader=reader)
    return pack_parts(without_plain_names(fill_missing(parts, names.impute, names.fill_values)[0]), rules)


def networkx_parts(
    graphs: networkx.Graph | Iterable[networkx.Graph],
    names: FeatureNames,
    *,
    chosen: Collection[Thing] = ("node", "edge"),
    reader: str | None = None,
    of_files: bool = False,
) -> list[GraphParts]:
    """Return networkx graphs as their parts, with nan for missing attributes that are to be imputed.

    Parameters
    ----------
    graphs : networkx.Graph, or an iterable of them
        The graphs.
    names : FeatureNames
        What to read.
    chosen : collection of "node" and "edge"
        Of which things the user named what to read. Of others, a warning lists all that is not read, also if something
        is.
    reader : str, optional
        What a warning tells the user to call, if it is not the function that was called.
    of_files : bool
        Whether the graphs are those of files.

    Returns
    -------
    list of GraphParts
    """
    require("networkx")
    import networkx as nx

    listed = [graphs] if isinstance(graphs, nx.Graph) else list(graphs)
    parts = [_parts(graph, position, names) for position, graph in enumerate(listed)]
    found = {thing: [row for graph in listed for row in _rows(graph, thing)] for thing in THINGS}
    warn_unread(found, names, chosen, reader, of_files=of_files)
    return parts


def _parts(graph: networkx.Graph, position: int, names: FeatureNames) -> GraphParts:
    _check_class(graph, position)
    number = {node: i for i, node in enumerate(graph.nodes)}
    edges = np.array([(number[u], number[v]) for u, v in graph.edges], dtype=np.int64).reshape(-1, 2)
    nodes = networkx_columns(graph, "node")
    own = nodes.values("name")
    node_names = own if list(number) == list(range(len(number))) and None not in own else list(number)
    return named_parts(
        *(position, len(number), edges, names),
        of_nodes=nodes,
        of_edges=networkx_columns(graph, "edge"),
        undirected=not graph.is_directed(),
        node_names=node_names,
    )


def networkx_columns(graph: networkx.Graph, thing: Thing) -> Columns:
    """Return the data of the nodes, or of the edges, of a graph by name."""
    rows = _rows(graph, thing)
    names = dict.fromkeys(name for row in rows for name in row)
    return Columns(lambda name: [row.get(name) for row in rows], [str(name) for name in names])


def _rows(graph: networkx.Graph, thing: Thing) -> list[dict[Any, Any]]:
    return [row[-1] for row in (graph.nodes(data=True) if thing == "node" else graph.edges(data=True))]


def _check_class(graph: object, position: int) -> None:
    import networkx as nx

    name = type(graph).__name__
    if not isinstance(graph, nx.Graph):
        raise InputTypeError(f"the type {name} is not a networkx graph", graph=position)
    if graph.is_multigraph():
        raise InputTypeError(
            f"a {name} may have parallel edges",
            remedy="convert it with networkx.Graph(graph), which keeps one of each, or merge the edges yourself",
            graph=position,
        )
