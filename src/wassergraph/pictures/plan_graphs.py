"""Draw a plan between two graphs whose nodes are circles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.explain.plan import TransportPlan
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.alignment import images, match_layout, upright
from wassergraph.pictures.graphs import draw_edges, edge_length
from wassergraph.pictures.large_layout import place_nodes
from wassergraph.pictures.node_labels import fit_into_nodes, node_label_names, write_labels
from wassergraph.pictures.place_colors import CORNERS, place_colors, to_rgb
from wassergraph.pictures.plan_page import (
    INK,
    NEAR,
    WIDTH,
    Page,
    add_legend,
    add_titles,
    alone,
    dearest_moves,
    dots,
    draw_moves,
    moves_handle,
    new_page,
)
from wassergraph.pictures.style import RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

#: The greatest width and height of a graph, the greatest length of an edge, and the space around, in inches.
_PANEL_WIDTH, _PANEL_HEIGHT, _EDGE, _SPACE = 3.3, 4.4, 0.7, 0.26
#: The greatest distance between the middles of the graphs, and what it exceeds their width by.
_FAR, _BETWEEN = 4.0, 1.3
#: The width of the narrowest ring in points, and that of the widest as a part of the diameter of a node.
_THIN, _WIDE = 0.5, 0.25
#: Hatching of nodes without a partner.
HATCH = "//////"


class Drawn(NamedTuple):
    """One graph as it is drawn: places in inches (n, 2), colors (n, 3), widths of rings (n), who has no partner (n)."""

    graph: GraphBatch
    points: FloatArray
    colors: FloatArray
    rings: FloatArray
    alone: BoolArray


def draw_graph_plan(plan: TransportPlan, title: str | None) -> Page:
    """Draw both graphs, lines for the dearest moves, a title and a legend."""
    from matplotlib.lines import Line2D

    places, targets, height = layouts(plan)
    # Without their rings, nodes are the smaller the more there are.
    n_nodes = max(plan.source.n_nodes, plan.target.n_nodes)
    diameter = float(np.clip(0.36 * 72 * _PANEL_WIDTH / np.sqrt(n_nodes), 1.6, 12.0))
    colors = place_colors(places)
    mixtures = images(plan.matrix, colors)[0]
    rings = ring_widths(plan, diameter)
    lonely = alone(plan)
    first, second = (
        Drawn(graph, points, np.where(white[:, None], 1.0, to_rgb(oklab)), widths, white)
        for graph, points, oklab, widths, white in zip(
            (plan.source, plan.target), (places, targets), (colors, mixtures), rings, lonely, strict=True
        )
    )
    moves = dearest_moves(plan)
    names = all(fit_into_nodes(graph, diameter) for graph in (plan.source, plan.target))
    hatch = None if names else HATCH  # nothing could be read on it
    some_alone = any(white.any() for white in lonely)
    entries = _legend(plan, diameter, some_alone, hatch) | moves_handle(plan, moves, RED)
    if names:
        letter = Line2D([], [], marker="$0$", linestyle="", markersize=5, markerfacecolor=INK, markeredgewidth=0)
        entries[letter] = "element of the atom" if plan.source.molecules else "label of the node"
    page = new_page(height, len(entries))
    for drawn in (first, second):
        draw_nodes(page.axes, drawn, diameter, hatch)
        if names:
            write_labels(page.axes, drawn.points, node_label_names(drawn.graph), drawn.colors, diameter)
    draw_moves(page, moves, places, targets, color=RED)
    add_titles(page, plan, [float(middle_of(points)[0]) for points in (places, targets)], title)
    add_legend(page, entries)
    return page


def layouts(plan: TransportPlan) -> tuple[FloatArray, FloatArray, float]:
    """Return the places of the nodes of both graphs in inches, and the height of the picture."""
    places = first_places(plan.source)
    targets = second_places(plan, places)
    extents = np.maximum(np.ptp(places, axis=0), np.ptp(targets, axis=0))
    scale = min(_PANEL_WIDTH / max(extents[0], 1e-9), _PANEL_HEIGHT / max(extents[1], 1e-9))
    scale = min(scale, _EDGE / max(edge_length(plan.source, places), edge_length(plan.target, targets), 1e-9))
    scale = scale if np.isfinite(scale) else 1.0
    width, tall = scale * extents
    apart = float(np.clip(width + _BETWEEN, NEAR, _FAR))
    height = float(tall) + 2 * _SPACE
    middles = [np.array([WIDTH / 2 + side * apart / 2, height / 2]) for side in (-1, 1)]
    first, second = (
        scale * (points - middle_of(points)) + middle for points, middle in zip((places, targets), middles, strict=True)
    )
    return first, second, height


def first_places(graph: GraphBatch) -> FloatArray:
    """Return places for the nodes of the first graph: upright, unless its nodes have positions of their own."""
    return place_nodes(graph) if graph.node_positions is not None else upright(place_nodes(graph))


def second_places(plan: TransportPlan, places: FloatArray) -> FloatArray:
    """Return places for the nodes of the second graph of a plan, turned to match those of the first.

    A graph whose nodes have positions of their own is not turned: a letter remains a letter.
    """
    points = place_nodes(plan.target)
    return points if plan.target.node_positions is not None else match_layout(points, places, plan.matrix)


def middle_of(points: FloatArray) -> FloatArray:
    """Return the middle of the box around points."""
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2)


def ring_widths(plan: TransportPlan, diameter: float) -> tuple[FloatArray, FloatArray]:
    """Return the width of the ring of every node of both graphs in points: it grows with the cost of the node."""
    thin = min(_THIN, diameter / 12)
    highest = largest_cost(plan)
    one, two = (
        thin + (_WIDE * diameter - thin) * (costs / highest if highest > 0 else np.zeros_like(costs))
        for costs in (plan.source_costs, plan.target_costs)
    )
    return one, two


def largest_cost(plan: TransportPlan) -> float:
    """Return the largest cost of a node of either graph."""
    return float(max(plan.source_costs.max(), plan.target_costs.max()))


def draw_nodes(axes: Axes, drawn: Drawn, diameter: float, hatch: str | None) -> None:
    """Draw edges, self-loops, and nodes, those without a partner in white."""
    from matplotlib.path import Path as Outline

    graph, points = drawn.graph, drawn.points
    draw_edges(axes, graph, points, float(np.clip(diameter / 8, 0.25, 1)), "#b4b4b4")
    loops = points[graph.indices[graph.arc_tails == graph.indices]]
    # The marker is a circle above the node, which touches its middle.
    circle = Outline.circle((0, 0.5), 0.5)
    style: dict[str, Any] = {"edgecolors": "#8a8a8a", "facecolors": "none", "linewidths": diameter / 10, "zorder": 1.5}
    axes.scatter(loops[:, 0], loops[:, 1], s=(2.8 * diameter) ** 2, marker=circle, **style)
    for chosen, pattern in ((~drawn.alone, None), (drawn.alone, hatch)):
        if not chosen.any():
            continue
        (x, y), rings = points[chosen].T, drawn.rings[chosen]
        sizes = (diameter + rings) ** 2  # rings are around the color, not on it
        rim: dict[str, Any] = {"edgecolors": INK, "linewidths": rings.tolist(), "hatch": pattern}
        axes.scatter(x, y, s=sizes, c=drawn.colors[chosen], zorder=3, **rim)


def _legend(plan: TransportPlan, diameter: float, some_alone: bool, hatch: str | None) -> dict[Any, str]:
    """Return what colors, rings and white nodes mean, by the handles that show them."""
    size = float(np.clip(diameter, 5, 7.5))
    colors = dots(to_rgb(CORNERS), [_THIN] * 4, size)
    rings = dots(["#dddddd"] * 4, np.linspace(_THIN, _WIDE * size, 4), size)
    highest = largest_cost(plan)
    entries: dict[Any, str] = {
        colors: "place in the first graph; in the second, the mixture of the colors that a node receives",
        rings: f"ring: cost of the node, from 0 to {highest:.3g}" if highest > 0 else "ring: every node costs 0",
    }
    if some_alone:
        text = f"without a partner, at {plan.price:.3g} each, which all nodes of the other graph share"
        entries[_white(size, hatch)] = text
    return entries


def _white(size: float, hatch: str | None) -> PathCollection:
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path as Outline
    from matplotlib.transforms import IdentityTransform

    circle = Outline.circle(radius=0.5)
    handle = PathCollection([circle], [size**2], facecolors="white", edgecolors=INK, hatch=hatch)
    handle.set_transform(IdentityTransform())
    return handle
