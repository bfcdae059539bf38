"""Small drawings of the first graphs of a batch, for notebooks; they need RDKit for molecules, and never matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.notebook import html_image, html_note
from wassergraph.pictures.colors import label_colors
from wassergraph.pictures.large_layout import place_nodes
from wassergraph.pictures.molecules import can_draw_molecules, molecule_svg
from wassergraph.pictures.node_labels import node_label_names
from wassergraph.pictures.style import BLUE

#: How many graphs are drawn, up to which number of nodes and of edges, and the width and height in pixels.
MAX_GRAPHS, MAX_NODES, MAX_EDGES, PIXELS = 6, 100, 2000, 140


def thumbnails(graphs: GraphBatch) -> str:
    """Draw the first graphs of a batch as HTML.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs, of which the first six are drawn if they have at most 100 nodes.

    Returns
    -------
    str
        The drawings, and a sentence about what is not drawn.
    """
    first = graphs[:MAX_GRAPHS]
    small = [i for i, graph in enumerate(first) if graph.n_nodes <= MAX_NODES and graph.n_edges <= MAX_EDGES]
    colors = [BLUE] * first.n_nodes if first.node_labels is None else label_colors(first)[0]
    parts = [colors[begin:end] for begin, end in pairwise(first.node_ptr)]
    drawings = "".join(html_image(graph_svg(first[i], parts[i]), f"{graphs.noun} {i}") for i in small)
    return f"<div>{drawings}</div>{_note(graphs, len(small))}"


def _note(graphs: GraphBatch, drawn: int) -> str:
    """Return a sentence about graphs that are not drawn, if there are any."""
    first = min(len(graphs), MAX_GRAPHS)
    if drawn < first:
        limit = f"{MAX_NODES} nodes and {MAX_EDGES:,} edges"
        return html_note(f"Of the first {count(first, graphs.noun)}, those with at most {limit} are drawn: {drawn}.")
    if len(graphs) > first:
        return html_note(f"The first {first} of {count(len(graphs), graphs.noun)} are drawn.")
    return ""


def graph_svg(graph: GraphBatch, colors: Sequence[str]) -> str:
    """Draw one graph as SVG: a molecule with RDKit, or without it with the symbols of elements at colored nodes."""
    if can_draw_molecules(graph):
        return molecule_svg(graph, PIXELS, PIXELS)
    points = _fit(place_nodes(graph))
    one_way = graph.arc_tails < graph.indices
    ends = np.hstack([points[graph.arc_tails[one_way]], points[graph.indices[one_way]]])
    lines = (f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}"/>' for a, b, c, d in ends)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PIXELS}" height="{PIXELS}">'
        f'<g stroke="#9a9a9a">{"".join(lines)}</g>{"".join(_nodes(graph, points, colors))}</svg>'
    )


def _fit(points: FloatArray) -> FloatArray:
    """Move and scale places into the square of a drawing, with a margin."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    extent = max(np.ptp(points, axis=0).max(), 1e-9)
    scale = min(0.84 * PIXELS / extent, 0.25 * PIXELS)  # two nodes are not at opposite ends of the drawing
    return np.asarray(PIXELS / 2 + scale * (points - middle) * [1, -1])  # in SVG, the second axis points downwards


def _nodes(graph: GraphBatch, points: FloatArray, colors: Sequence[str]) -> list[str]:
    """Return circles, and the symbols of elements above them."""
    radius = max(2.5, min(6.0, 24 / np.sqrt(graph.n_nodes)))
    circles = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{color}" stroke="white" stroke-width="0.6"/>'
        for (x, y), color in zip(points, colors, strict=True)
    ]
    if not graph.molecules or graph.node_labels is None:
        return circles
    font = 'font-family="sans-serif" font-size="10" text-anchor="middle"'
    return circles + [
        f'<text x="{x:.1f}" y="{y - 7:.1f}" {font}>{escape(name)}</text>'
        for (x, y), name in zip(points, node_label_names(graph), strict=True)
    ]
