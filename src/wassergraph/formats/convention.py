"""The names under which networkx and igraph graphs keep their data, unless a reader is called with other names.

They are those of :meth:`wassergraph.GraphBatch.to_networkx`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from wassergraph.errors import InputError, Option
from wassergraph.formats.features import THINGS, Columns, Thing
from wassergraph.graphs.fields import NETWORKX_NAMES


def names_by_convention(
    graphs: Sequence[Any],
    columns: Callable[[Any, Thing], Columns],
    *,
    things: Collection[Thing] = THINGS,
    strict: bool = True,
) -> dict[str, Any]:
    """Return the names to read from graphs, as arguments of their reader.

    A name is read if every node (or edge) of every graph has it.

    Parameters
    ----------
    graphs : sequence of networkx.Graph or igraph.Graph
        The graphs.
    columns : callable
        Returns the data of nodes, or of edges, of a graph by name, such as
        :func:`wassergraph.formats.networkx.networkx_columns`.
    things : collection of "node" and "edge"
        Whether to read nodes, edges or both.
    strict : bool
        Whether it is an error if only some nodes, or edges, have a name; otherwise it is not read.

    Returns
    -------
    dict of str
    """
    names, known = {}, {thing: [columns(graph, thing) for graph in graphs] for thing in things}
    for field, name in NETWORKX_NAMES.items():
        thing = thing_of(field)
        present = [[value is not None for value in data.values(name)] for data in known.get(thing, ())]
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
    return InputError(
        f"there is no {name!r}, but other {thing}s have it",
        remedy=f"add it to every {thing} of every graph or to none, or name what to read with {{}}, {{}}, …",
        options=[Option("node_labels"), Option("edge_weights")],
        graph=graph,
        node=position if thing == "node" else None,
        edge=position if thing == "edge" else None,
    )
