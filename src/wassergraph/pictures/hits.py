"""Draw a graph and the graphs that a search has found for it, with the places of their nodes in the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.explain.plan import TransportPlan
from wassergraph.graphs.invariants import count
from wassergraph.pictures.alignment import images
from wassergraph.pictures.graphs import edge_length
from wassergraph.pictures.molecules import can_draw_molecules
from wassergraph.pictures.place_colors import CORNERS, place_colors, to_rgb
from wassergraph.pictures.plan_graphs import (
    HATCH,
    Drawn,
    draw_nodes,
    first_places,
    middle_of,
    second_places,
)
from wassergraph.pictures.plan_molecules import BOND_PIXELS, DASHES, RADIUS, depictions, draw_atoms
from wassergraph.pictures.plan_page import GRAY_INK, INK, Page, add_legend, alone, dots, new_page, says_number
from wassergraph.pictures.style import check_picture, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The most graphs of a page, and of a row.
MAX_HITS, COLUMNS = 50, 4
#: The width of a cell, the greatest height of a graph in it, the space around it, and the height of the text above it.
_CELL, _TALL, _SPACE, _TEXT = 2.0, 1.9, 0.1, 0.42
#: The greatest length of a bond, and of an edge, in inches.
_BOND, _EDGE = 0.3, 0.42
#: The height of the title in inches, and the most characters of a name above a graph.
_TITLE, _LETTERS = 0.45, 26
#: The width of the widest ring as a part of the diameter of an atom's circle, and of a node; of the thinnest in points.
_RING, _WIDE, _THIN = 0.13, 0.3, 0.4
#: How much of the color of a place is behind an atom, whose letters are black.
_TINT = 0.6


class Look(NamedTuple):
    """How the nodes of a graph look: their colors (n, 3), costs from 0 to 1 (n), and which have no partner (n)."""

    colors: FloatArray
    costs: FloatArray
    alone: BoolArray


def draw_hits(
    plans: Sequence[TransportPlan],
    *,
    names: Sequence[str] | None = None,
    distances: ArrayLike | None = None,
    path: str | Path | None = None,
    title: str | None = None,
) -> Figure:
    """Draw a graph, and the graphs that were found for it, each with the plan from the first.

    Nodes of the first graph are colored by their place on the page. A node of another graph has the mixture of the
    colors that it receives, and its graph is turned to match the first one: what has the same color and place, is the
    same part. Rings show what is different: they are the wider, the more a node costs.

    Parameters
    ----------
    plans : sequence of TransportPlan
        The plans from one graph to each of 1 to 50 others, as :func:`wassergraph.transport_plan` returns them.
    names : sequence of str, optional
        The names of the others; by default their ranks only.
    distances : sequence of float, optional
        Their distances; by default the costs of the plans, which are the same without a ``size_weight``.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str, optional
        The title of the picture, such as the name of the first graph.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    See Also
    --------
    GraphIndex : find the nearest graphs
    transport_plan : compute the plans
    plot.draw_plan : draw one plan

    Examples
    --------
    >>> import wassergraph as wg
    >>> molecules = wg.from_smiles(["CCO", "CCN", "CCCO", "c1ccccc1O"])
    >>> index = wg.GraphIndex(molecules, wg.WWL(depth=2))
    >>> distances, positions = index.query("CCCCO", k=3)
    >>> plans = [wg.transport_plan("CCCCO", molecules[g], metric=wg.WWL(depth=2)) for g in positions[0]]
    >>> figure = wg.plot.draw_hits(plans, names=index.names[positions[0]], distances=distances[0], title="butanol")
    """
    _check_plans(plans)
    check_picture(path)
    headings = _headings(plans, names, distances)
    highest = max(float(plan.target_costs.max()) for plan in plans)
    molecules = all(can_draw_molecules(graph) for plan in plans for graph in (plan.source, plan.target))
    page = (_draw_molecules if molecules else _draw_graphs)(plans, headings, highest)
    if title is not None:
        height = page.figure.get_figheight()
        page.figure.suptitle(_shorten(title, 90), y=1 - 0.12 / height, fontsize=11, color=INK)
    save_figure(page.figure, path)
    return page.figure


def _check_plans(plans: Sequence[Any]) -> None:
    if not 1 <= len(plans) <= MAX_HITS:
        problem = f"a figure shows 1 to {MAX_HITS} plans, got {len(plans)}"
        raise InputError(problem, remedy="pass those of the nearest graphs")
    for number, plan in enumerate(plans):
        if not isinstance(plan, TransportPlan):
            problem = f"plan {number} is of the type {type(plan).__name__}, not a transport plan"
            raise InputTypeError(problem, remedy="pass results of transport_plan")
        if plan.source is not plans[0].source and plan.source != plans[0].source:
            problem = f"plan {number} begins at another graph than plan 0"
            raise InputError(problem, remedy="pass plans from one graph to others")


# Text


def _headings(
    plans: Sequence[TransportPlan], names: Sequence[str] | None, distances: ArrayLike | None
) -> list[tuple[str, str]]:
    """Return two lines of text for each graph that was found."""
    costs = np.array([plan.cost for plan in plans]) if distances is None else np.asarray(distances, dtype=np.float64)
    chosen = [""] * len(plans) if names is None else [str(name) for name in names]
    for option, values in (("names", chosen), ("distances", costs)):
        if len(values) != len(plans):
            problem = f"there are {len(plans)} plans, but {{}} has {len(values)} entries"
            raise InputError(problem, options=[Option(option)])
    ranked = [f"{rank} · {name}" if name else str(rank) for rank, name in enumerate(chosen, 1)]
    sizes = [count(plan.target.n_nodes, "atom" if plan.target.molecules else "node") for plan in plans]
    return [
        (_shorten(name, _LETTERS), size if says_number(name, cost) else f"distance {cost:.4g}")
        for name, cost, size in zip(ranked, costs.tolist(), sizes, strict=True)
    ]


def _shorten(text: str, most: int) -> str:
    """Return a text in one line, without signs that matplotlib would take for mathematics."""
    line = " ".join(text.split())
    return (line if len(line) <= most else f"{line[: most - 1]}…").replace("$", r"\$")


# Pages


def _looks(plans: Sequence[TransportPlan], places: FloatArray, highest: float) -> list[Look]:
    """Return how the nodes of the first graph look, and those of all others."""
    colors = place_colors(places)
    n_nodes = len(places)
    looks = [Look(to_rgb(colors), np.zeros(n_nodes), np.zeros(n_nodes, dtype=bool))]
    for plan in plans:
        lonely = alone(plan)[1]
        mixture = np.where(lonely[:, None], 1.0, to_rgb(images(plan.matrix, colors)[0]))
        costs = plan.target_costs / highest if highest > 0 else np.zeros_like(plan.target_costs)
        looks.append(Look(mixture, costs, lonely))
    return looks


def _new_page(
    talls: FloatArray, headings: Sequence[tuple[str, str]], looks: Sequence[Look], highest: float, node: str
) -> tuple[Page, FloatArray]:
    """Return a page with a legend and a cell for each graph, and the middles of the cells (n, 2); all in inches.

    The graphs have these heights, and rows of cells are as high as their graphs need. Headings are above the cells.
    """
    entries = _legend(looks, highest, node)
    columns, cells = min(len(talls), COLUMNS), np.arange(len(talls))
    rows = np.maximum.reduceat(talls, cells[::columns]) + 2 * _SPACE + _TEXT
    height, left = float(rows.sum()), (COLUMNS - columns) / 2 * _CELL
    page = new_page(height, len(entries), title=_TITLE)
    ends = height - np.cumsum(rows)
    tops, lower = (ends + rows)[cells // columns], ends[cells // columns]
    middles = np.column_stack([left + (cells % columns + 0.5) * _CELL, (tops - _TEXT + lower) / 2])
    style: dict[str, Any] = {"ha": "center", "va": "center"}
    for (x, _), top, (name, text) in zip(middles.tolist(), tops.tolist(), headings, strict=True):
        page.axes.text(x, top - 0.14, name, fontsize=8, color=INK, **style)
        page.axes.text(x, top - 0.3, text, fontsize=7, color=GRAY_INK, **style)
    _mark_query(page.axes, left, float(ends[0]), height)
    add_legend(page, entries)
    return page, middles


def _mark_query(axes: Axes, left: float, low: float, high: float) -> None:
    """Draw a frame around the first cell."""
    from matplotlib.patches import FancyBboxPatch

    corner, size = (left + 0.06, low + 0.04), (_CELL - 0.12, high - low - 0.06)
    box = FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.06")
    box.set(facecolor="#f4f4f4", edgecolor="#c8c8c8", linewidth=0.8, zorder=0.1)
    axes.add_patch(box)


def _legend(looks: Sequence[Look], highest: float, node: str) -> dict[Any, str]:
    """Return what colors, rings and hatching mean, by the handles that show them."""
    from matplotlib.patches import Patch

    colors = dots(to_rgb(CORNERS), [0.0] * 4, 6.5)
    meaning = f"place in the query; in the others, the mixture of the colors that the {node} receives"
    entries: dict[Any, str] = {colors: meaning}
    if highest > 0:
        entries[dots(["#eeeeee"] * 4, np.linspace(_THIN, 2.2, 4), 6.5)] = (
            f"ring: cost of the {node}, up to {highest:.3g}"
        )
    if any(look.alone.any() for look in looks):
        pattern: dict[str, Any] = {"linestyle": DASHES} if node == "atom" else {"hatch": HATCH}
        handle = Patch(facecolor="white", edgecolor=INK, linewidth=0.8, **pattern)
        entries[handle] = f"{node} without a partner in the query"
    return entries


# Molecules


def _draw_molecules(plans: Sequence[TransportPlan], headings: list[tuple[str, str]], highest: float) -> Page:
    pairs = [depictions(plan) for plan in plans]
    drawn = [pairs[0][0], *(second for _, second in pairs)]
    places = drawn[0].atoms * [1, -1]  # pixels are counted downward
    looks = _looks(plans, places, highest)
    sizes = np.array([each.size for each in drawn])
    inches = min(_BOND / BOND_PIXELS, *((_CELL - 2 * _SPACE, _TALL) / sizes.max(axis=0)))
    headings = [("query", count(plans[0].source.n_nodes, "atom")), *headings]
    page, middles = _new_page(inches * sizes[:, 1], headings, looks, highest, "atom")
    widest = _RING * 72 * inches * 2 * RADIUS * BOND_PIXELS
    for depiction, look, middle in zip(drawn, looks, middles, strict=True):
        tinted, rings = 1 - _TINT * (1 - look.colors), _rings(look.costs, widest)
        draw_atoms(page.axes, depiction, middle, inches, tinted, look.alone, rings, hatch=False)
    return page


def _rings(costs: FloatArray, widest: float) -> FloatArray:
    """Return the width of rings in points; nodes that cost next to nothing have none."""
    return np.where(costs > 1e-9, _THIN + (widest - _THIN) * costs, 0.0)


# Other graphs


def _draw_graphs(plans: Sequence[TransportPlan], headings: list[tuple[str, str]], highest: float) -> Page:
    places = first_places(plans[0].source)
    layouts = [places, *(second_places(plan, places) for plan in plans)]
    graphs = [plans[0].source, *(plan.target for plan in plans)]
    looks = _looks(plans, places, highest)
    extents = np.array([np.ptp(points, axis=0) for points in layouts])
    longest = max(edge_length(graph, points) for graph, points in zip(graphs, layouts, strict=True))
    room = _CELL - 4 * _SPACE, _TALL - 2 * _SPACE
    scale = float(min(*(room / np.maximum(extents.max(axis=0), 1e-9)), _EDGE / max(longest, 1e-9)))
    diameter = float(np.clip(0.34 * 72 * _CELL / np.sqrt(max(graph.n_nodes for graph in graphs)), 1.4, 9.0))
    headings = [("query", count(graphs[0].n_nodes, "node")), *headings]
    page, middles = _new_page(scale * extents[:, 1] + 2 * _SPACE, headings, looks, highest, "node")
    for graph, points, look, middle in zip(graphs, layouts, looks, middles, strict=True):
        rings = np.maximum(_rings(look.costs, _WIDE * diameter), min(0.3, diameter / 12))
        drawn = Drawn(graph, scale * (points - middle_of(points)) + middle, look.colors, rings, look.alone)
        draw_nodes(page.axes, drawn, diameter, HATCH)
    return page
