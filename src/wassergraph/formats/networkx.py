"""Read networkx graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.errors import InputTypeError
from wassergraph.formats.features import FeatureNames, Names, named_parts
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
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read networkx graphs, with the data of their nodes and edges that is named.

    Nodes may be any objects; they are numbered in the order of ``graph.nodes``. Labels may be integers, strings or
    tuples of these, attributes numbers or vectors.

    Parameters
    ----------
    graphs : networkx.Graph, or an iterable of them
        A ``DiGraph`` must have both directions of every edge, unless ``symmetrize=True``. A ``MultiGraph`` is an error.
    node_labels, edge_weights, edge_labels : str, optional
        The name of a label or number.
    node_attributes, edge_attributes : str or list of str, optional
        The name of a number or vector, or several names whose values are concatenated.
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
    require("networkx")
    import networkx as nx

    listed = [graphs] if isinstance(graphs, nx.Graph) else list(graphs)
    names = FeatureNames(node_labels, node_attributes, edge_weights, edge_labels, edge_attributes)
    parts = [_parts(graph, position, names) for position, graph in enumerate(listed)]
    return pack_parts(parts, EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def _parts(graph: networkx.Graph, position: int, names: FeatureNames) -> GraphParts:
    _check_class(graph, position)
    number = {node: i for i, node in enumerate(graph.nodes)}
    edges = np.array([(number[u], number[v]) for u, v in graph.edges], dtype=np.int64).reshape(-1, 2)

    def of_nodes(name: str) -> list[Any]:
        return [data.get(name) for _, data in graph.nodes(data=True)]

    def of_edges(name: str) -> list[Any]:
        return [data.get(name) for _, _, data in graph.edges(data=True)]

    return named_parts(
        position, len(number), edges, names, of_nodes=of_nodes, of_edges=of_edges, undirected=not graph.is_directed()
    )


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
