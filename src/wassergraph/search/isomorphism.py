"""Isomorphism: whether graphs are the same but for the order of their nodes, with all data of nodes and edges.

Nodes are colored by their neighborhoods (Weisfeiler–Lehman, over all data), and colors must agree. Then a search maps
the nodes of one graph onto those of the other, one after the other along edges, and goes back where it gets stuck.
Colors leave so few possibilities in most graphs that it never does; in the others it gives up after many steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import EDGE_DATA, NODE_DATA, STEREO
from wassergraph.graphs.slices import opposite_arcs
from wassergraph.metrics.labels import wl_codes

#: How often neighborhoods are widened. Colors only save work, so that any number is correct.
_ROUNDS = 8
#: How many pairs of nodes are tried before a search gives up.
MAX_STEPS = 100_000


class ColoredGraph(NamedTuple):
    """A graph whose data was numbered.

    Attributes
    ----------
    colors : list of int
        A number for each node; nodes that an isomorphism maps onto each other have the same.
    neighbors : list of dict of int
        For each node, the number of the data of the edge to each neighbor, in both directions.
    """

    colors: list[int]
    neighbors: list[dict[int, int]]


def count_different(graphs: GraphBatch, groups: Sequence[IntArray], max_steps: int = MAX_STEPS) -> list[int | None]:
    """Count the graphs of each group that are not isomorphic to each other.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    groups : sequence of (n) integers
        Positions of graphs.
    max_steps : int
        How many pairs of nodes are tried for two graphs.

    Returns
    -------
    list of int or None
        1 if all graphs of a group are isomorphic, with all data of their nodes and edges. None if a search gave up.

    Examples
    --------
    >>> import wassergraph as wg
    >>> count_different(wg.from_smiles(["CCO", "OCC", "CCN"]), [np.arange(3)])
    [2]
    """
    if not groups:
        return []
    colored = color(graphs[np.concatenate(groups)])
    return [_count([next(colored) for _ in group], max_steps) for group in groups]


def _count(graphs: Sequence[ColoredGraph], max_steps: int) -> int | None:
    found: defaultdict[tuple[int, ...], list[ColoredGraph]] = defaultdict(list)
    for graph in graphs:
        similar = found[tuple(sorted(graph.colors))]
        answers = [are_isomorphic(graph, other, max_steps) for other in similar]
        if True not in answers and None in answers:
            return None
        if True not in answers:
            similar.append(graph)
    return sum(map(len, found.values()))


def color(graphs: GraphBatch) -> Iterator[ColoredGraph]:
    """Yield each graph, with numbered data and colored nodes."""
    nodes = _number([_column(graphs, name) for name in (*NODE_DATA, STEREO)], graphs.n_nodes)
    one_way = _number([_column(graphs, name) for name in EDGE_DATA], graphs.n_arcs)
    edges = _number([one_way, one_way[opposite_arcs(graphs.arc_tails, graphs.indices)]], graphs.n_arcs)
    colors = wl_codes(graphs, nodes, _ROUNDS, edge_labels=edges)[-1]
    return (_one_graph(graphs, g, colors, edges) for g in range(len(graphs)))


def _column(graphs: GraphBatch, name: str) -> NDArray[Any] | None:
    value: NDArray[Any] | None = getattr(graphs, name)
    return value if value is None or value.dtype.kind != "f" else value + 0.0  # -0.0 becomes 0.0


def _number(columns: Sequence[NDArray[Any] | None], n_rows: int) -> IntArray:
    """Return a number for each row, the same for equal rows."""
    numbers = [np.unique(each, axis=0, return_inverse=True)[1].ravel() for each in columns if each is not None]
    if len(numbers) < 2 or not n_rows:
        return numbers[0] if numbers and n_rows else np.zeros(n_rows, dtype=np.int64)
    return np.unique(np.stack(numbers), axis=1, return_inverse=True)[1].ravel()


def _one_graph(graphs: GraphBatch, g: int, colors: NDArray[np.uint64], edges: IntArray) -> ColoredGraph:
    first, last = int(graphs.node_ptr[g]), int(graphs.node_ptr[g + 1])
    ends = graphs.indptr[first : last + 1].tolist()
    heads, kinds = (each[ends[0] : ends[-1]].tolist() for each in (graphs.indices - first, edges))
    pieces = [slice(a - ends[0], b - ends[0]) for a, b in pairwise(ends)]
    neighbors = [dict(zip(heads[piece], kinds[piece], strict=True)) for piece in pieces]
    return ColoredGraph(colors[first:last].tolist(), neighbors)


def are_isomorphic(one: ColoredGraph, other: ColoredGraph, max_steps: int = MAX_STEPS) -> bool | None:
    """Return whether two graphs of one batch are isomorphic; None if the search gave up."""
    if Counter(one.colors) != Counter(other.colors):
        return False
    order = _order(one)
    mapped, taken = dict[int, int](), set[int]()
    open_choices = [_candidates(one, other, order[0], mapped)]
    for _ in range(max_steps):
        node = order[len(open_choices) - 1].node
        if node in mapped:  # the search is back at this node
            taken.remove(mapped.pop(node))
        image = next((w for w in open_choices[-1] if w not in taken), None)
        if image is None:
            open_choices.pop()
            if not open_choices:
                return False
            continue
        mapped[node] = image
        taken.add(image)
        if not _fits(one, other, node, mapped, taken):
            continue
        if len(mapped) == len(order):
            return True
        open_choices.append(_candidates(one, other, order[len(mapped)], mapped))
    return None


class _Step(NamedTuple):
    """A node to map, and a neighbor that is mapped before it; None for the first node of a component."""

    node: int
    before: int | None


def _order(graph: ColoredGraph) -> list[_Step]:
    """Return the nodes along edges, beginning with the rarest color."""
    frequency = Counter(graph.colors)
    rarest = sorted(range(len(graph.colors)), key=lambda v: frequency[graph.colors[v]])
    steps, seen = list[_Step](), set[int]()
    for root in rarest:
        if root in seen:
            continue
        seen.add(root)
        waiting = deque([_Step(root, None)])
        while waiting:
            steps.append(waiting.popleft())
            node = steps[-1].node
            new = sorted(graph.neighbors[node].keys() - seen, key=lambda v: frequency[graph.colors[v]])
            seen.update(new)
            waiting.extend(_Step(v, node) for v in new)
    return steps


def _candidates(one: ColoredGraph, other: ColoredGraph, step: _Step, mapped: dict[int, int]) -> Iterator[int]:
    """Yield the nodes that a node may be mapped onto: of its color, and beside the image of its neighbor."""
    near = range(len(other.colors)) if step.before is None else other.neighbors[mapped[step.before]]
    return (w for w in list(near) if other.colors[w] == one.colors[step.node])


def _fits(one: ColoredGraph, other: ColoredGraph, node: int, mapped: dict[int, int], taken: set[int]) -> bool:
    """Return whether the edges of a node to mapped nodes are those of its image, with the same data."""
    image = other.neighbors[mapped[node]]
    edges = {mapped[v]: kind for v, kind in one.neighbors[node].items() if v in mapped}
    return edges == {w: kind for w, kind in image.items() if w in taken}
