"""The names under which networkx and igraph graphs keep their data, unless a reader is called with other names.

They are those of :meth:`wassergraph.GraphBatch.to_networkx`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from wassergraph.errors import InputError, Option
from wassergraph.formats.features import Thing
from wassergraph.graphs.fields import NETWORKX_NAMES

if TYPE_CHECKING:
    import igraph
    import networkx

#: Returns the values that the nodes (or edges) of a graph have under a name; None where one has no such value.
Values: TypeAlias = Callable[[Any, Thing, str], Sequence[Any]]


def names_by_convention(
    graphs: Sequence[Any], values: Values, *, things: Collection[Thing] = ("node", "edge"), strict: bool = True
) -> dict[str, Any]:
    """Return the names to read from graphs, as arguments of their reader.

    A name is read if every node (or edge) of every graph has it.

    Parameters
    ----------
    graphs : sequence of networkx.Graph or igraph.Graph
        The graphs.
    values : callable
        :func:`networkx_values` or :func:`igraph_values`.
    things : collection of "node" and "edge"
        Whether to read nodes, edges or both.
    strict : bool
        Whether it is an error if only some nodes, or edges, have a name; otherwise it is not read.

    Returns
    -------
    dict of str
    """
    names = {}
    for field, name in NETWORKX_NAMES.items():
        thing = thing_of(field)
        if thing not in things:
            continue
        present = [[value is not None for value in values(graph, thing, name)] for graph in graphs]
        if not any(any(row) for row in present):
            continue
        lacking = next((graph for graph, row in enumerate(present) if not all(row)), None)
        if lacking is None:
            names[field] = name
        elif strict:
            raise _missing_value(thing, name, lacking, present[lacking].index(False))
    return names


def thing_of(field: str) -> Thing:
    """Return whether a field of a batch is about nodes or about edges."""
    return "node" if field.startswith("node") else "edge"


def _missing_value(thing: Thing, name: str, graph: int, position: int) -> InputError:
    node, edge = (position, None) if thing == "node" else (None, position)
    return InputError(
        f"there is no {name!r}, but other {thing}s have it",
        remedy=f"add it to every {thing} of every graph or to none, or name what to read with {{}}, {{}}, …",
        options=[Option("node_labels"), Option("edge_weights")],
        graph=graph,
        node=node,
        edge=edge,
    )


def networkx_values(graph: networkx.Graph, thing: Thing, name: str) -> list[Any]:
    """Return the values that the nodes, or the edges, of a networkx graph have under a name."""
    rows = graph.nodes(data=True) if thing == "node" else graph.edges(data=True)
    return [row[-1].get(name) for row in rows]


def igraph_values(graph: igraph.Graph, thing: Thing, name: str) -> list[Any]:
    """Return the values that the nodes, or the edges, of an igraph graph have under a name."""
    rows = graph.vs if thing == "node" else graph.es
    return list(rows[name]) if name in rows.attributes() else [None] * len(rows)
