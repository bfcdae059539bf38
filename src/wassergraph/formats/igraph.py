"""From igraph graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wassergraph.formats.features import FeatureNames, Names, named_parts
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.packing import EdgeRules, GraphParts, SelfLoops, pack_parts
from wassergraph.optional import require


def from_igraph(
    graphs: Any | Iterable[Any],
    *,
    node_labels: str | None = None,
    node_attributes: Names | None = None,
    edge_weights: str | None = None,
    edge_labels: str | None = None,
    edge_attributes: Names | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read one ``igraph.Graph`` or several; data is taken by the name of the vertex or edge attribute.

    The parameters are those of :func:`wassergraph.from_networkx`. Parallel edges are refused: ``graph.simplify`` merges
    them. A directed graph must have both directions of every edge, unless ``symmetrize=True``.

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


def _parts(graph: Any, position: int, names: FeatureNames) -> GraphParts:
    import igraph

    if not isinstance(graph, igraph.Graph):
        raise TypeError(f"graph {position} is a {type(graph).__name__}, not an igraph.Graph")
    if graph.has_multiple():
        raise ValueError(
            f"graph {position} has parallel edges: merge them with graph.simplify(loops=False, combine_edges=...)"
        )
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
        raise ValueError(f"graph {position} has no {thing} attribute {name!r}; it has {sequence.attributes()}")
    return list(sequence[name]) if len(sequence) else []
