"""Read igraph graphs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.errors import InputError, InputTypeError
from wassergraph.formats.features import THINGS, Columns, FeatureNames, Names, Thing, named_parts, without_plain_names
from wassergraph.formats.impute import FillValues, Impute, fill_missing
from wassergraph.formats.unused import warn_unread
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
    node_positions: Names | None = "auto",
    impute: Impute = "error",
    fill_values: FillValues | None = None,
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read igraph graphs, with the vertex and edge attributes that are named.

    Nodes are called by their attribute ``name``, if they have one. If no attribute of the nodes, or of the edges, is
    named although there is one, a warning lists them.

    Parameters
    ----------
    graphs : igraph.Graph, or an iterable of them
        A directed graph must have both directions of every edge, unless ``symmetrize=True``. Parallel edges are an
        error; ``graph.simplify`` merges them.
    node_labels, node_attributes, edge_weights, edge_labels, edge_attributes
        As in :func:`wassergraph.from_networkx`.
    node_positions, impute, fill_values, symmetrize, self_loops
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
    names = FeatureNames(
        node_labels, node_attributes, edge_weights, edge_labels, edge_attributes, node_positions, impute, fill_values
    )
    return read_igraph(graphs, names, EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def read_igraph(
    graphs: igraph.Graph | Iterable[igraph.Graph],
    names: FeatureNames,
    rules: EdgeRules,
    *,
    chosen: Collection[Thing] = ("node", "edge"),
    reader: str | None = None,
) -> GraphBatch:
    """Read igraph graphs; the parameters are those of :func:`wassergraph.formats.networkx.read_networkx`."""
    require("igraph")
    import igraph

    listed = [graphs] if isinstance(graphs, igraph.Graph) else list(graphs)
    parts = [_parts(graph, position, names) for position, graph in enumerate(listed)]
    found = {thing: [_first_values(igraph_columns(graph, thing)) for graph in listed] for thing in THINGS}
    warn_unread(found, names, chosen, reader)
    return pack_parts(without_plain_names(fill_missing(parts, names.impute, names.fill_values)[0]), rules)


def _first_values(columns: Columns) -> dict[str, Any]:
    """Return an example of the values under each name."""
    return {name: next((v for v in columns.values(name) if v is not None), None) for name in columns.names}


def _parts(graph: igraph.Graph, position: int, names: FeatureNames) -> GraphParts:
    import igraph

    if not isinstance(graph, igraph.Graph):
        raise InputTypeError(f"the type {type(graph).__name__} is not an igraph.Graph", graph=position)
    if graph.has_multiple():
        remedy = "merge them with graph.simplify(loops=False, combine_edges=...)"
        raise InputError("there are parallel edges", remedy=remedy, graph=position)
    edges = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    nodes = igraph_columns(graph, "node")
    own = nodes.values("name")
    return named_parts(
        *(position, graph.vcount(), edges, names),
        of_nodes=nodes,
        of_edges=igraph_columns(graph, "edge"),
        undirected=not graph.is_directed(),
        node_names=range(graph.vcount()) if None in own else own,
    )


def igraph_columns(graph: igraph.Graph, thing: Thing) -> Columns:
    """Return the attributes of the vertices, or of the edges, of a graph by name."""
    sequence = graph.vs if thing == "node" else graph.es
    known = sequence.attributes() if len(sequence) else []
    return Columns(lambda name: list(sequence[name]) if name in known else [None] * len(sequence), known)
