"""Read igraph graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.errors import InputError, InputTypeError
from wassergraph.formats.features import FeatureNames, Names, named_parts
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, GraphParts, SelfLoops, pack_parts
from wassergraph.optional import require

if TYPE_CHECKING:
    import igraph


def from_igraph(
    graphs: igraph.Graph | Iterable[igraph.Graph],
    *,
    node_labels: str | None = None,
    node_attributes: Names | None = None,
    edge_weights: str | None = None,
    edge_labels: str | None = None,
    edge_attributes: Names | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read igraph graphs, with the vertex and edge attributes that are named.

    Parameters
    ----------
    graphs : igraph.Graph, or an iterable of them
        A directed graph must have both directions of every edge, unless ``symmetrize=True``. Parallel edges are an
        error; ``graph.simplify`` merges them.
    node_labels, node_attributes, edge_weights, edge_labels, edge_attributes, symmetrize, self_loops
        As in :func:`wassergraph.from_networkx`.

    Returns
    -------
    GraphBatch
        The graphs, in the order in which they were passed.

    See Also
    --------
    from_networkx : read networkx graphs
    from_edges : read lists of edges
    GraphBatch : what is returned

    Examples
    --------
    >>> import igraph, wassergraph as wg
    >>> water = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], vertex_attrs={"kind": ["H", "O", "H"]})
    >>> wg.from_igraph(water, node_labels="kind")
    GraphBatch(1 graph, 3 nodes, 2 edges; node labels (2 kinds))
    """
    require("igraph")
    import igraph

    listed = [graphs] if isinstance(graphs, igraph.Graph) else list(graphs)
    names = FeatureNames(node_labels, node_attributes, edge_weights, edge_labels, edge_attributes)
    parts = [_parts(graph, position, names) for position, graph in enumerate(listed)]
    return pack_parts(parts, EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def _parts(graph: igraph.Graph, position: int, names: FeatureNames) -> GraphParts:
    import igraph

    if not isinstance(graph, igraph.Graph):
        raise InputTypeError(f"the type {type(graph).__name__} is not an igraph.Graph", graph=position)
    if graph.has_multiple():
        remedy = "merge them with graph.simplify(loops=False, combine_edges=...)"
        raise InputError("there are parallel edges", remedy=remedy, graph=position)
    edges = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)

    def of_nodes(name: str) -> list[Any]:
        return _attribute(graph.vs, name, position, "vertex")

    def of_edges(name: str) -> list[Any]:
        return _attribute(graph.es, name, position, "edge")

    return named_parts(
        position, graph.vcount(), edges, names, of_nodes=of_nodes, of_edges=of_edges, undirected=not graph.is_directed()
    )


def _attribute(sequence: Any, name: str, position: int, thing: str) -> list[Any]:
    if len(sequence) and name not in sequence.attributes():
        known = ", ".join(map(repr, sequence.attributes())) or "none"
        raise InputError(f"there is no {thing} attribute {name!r}, only {known}", graph=position)
    return list(sequence[name]) if len(sequence) else []
