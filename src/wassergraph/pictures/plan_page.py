"""The page of a plan: axes in inches, title and legend, and the moves that lines are drawn for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.explain.plan import TransportPlan
from wassergraph.graphs.invariants import count
from wassergraph.pictures.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

#: Lines are drawn for the dearest moves that make up this part of the cost of all moves, but at most for so many.
MOVES_SHARE, MAX_MOVES = 0.5, 12
#: The width of the page, its margins, and the height of the title and of a line of the legend, in inches.
WIDTH, MARGIN, TITLE, LINE = 8.0, 0.2, 0.75, 0.17
#: The color of outlines and of text.
INK, GRAY_INK = "#222222", "#555555"
#: The least distance between the middles of both graphs in inches: the titles above them are that wide.
NEAR = 2.7
#: The opacity of the lines of moves.
_ALPHA = 0.75


class Moves(NamedTuple):
    """Moves of a plan: nodes of the first graph, of the second, and costs (k); and their part of all moves' cost."""

    sources: IntArray
    targets: IntArray
    costs: FloatArray
    share: float


class Page(NamedTuple):
    """A figure, and its axes, whose coordinates are inches."""

    figure: Figure
    axes: Axes


def dearest_moves(plan: TransportPlan) -> Moves:
    """Return the most expensive moves: as few as make up half of the cost of all moves, at most 12."""
    moves = plan.move_costs.tocoo()
    sources, targets = (axis.astype(np.int64) for axis in moves.coords)
    costs: FloatArray = moves.data
    order = np.lexsort((targets, sources, -costs))
    total = float(costs.sum())
    enough = 1 + int(np.searchsorted(np.cumsum(costs[order]), MOVES_SHARE * total * (1 - 1e-9)))
    chosen = order[: min(enough, MAX_MOVES)]
    chosen = chosen[costs[chosen] > 0]
    share = float(costs[chosen].sum()) / total if total > 0 else 0.0
    return Moves(sources[chosen], targets[chosen], costs[chosen], share)


def alone(plan: TransportPlan) -> tuple[BoolArray, BoolArray]:
    """Return which nodes of the first and of the second graph have no partner."""
    rows, columns = (np.asarray(plan.matrix.sum(axis=axis)).ravel() for axis in (1, 0))
    return rows <= 0, columns <= 0


def new_page(height: float, lines: int, *, title: float = TITLE, bar: float = 0.0) -> Page:
    """Return a page with axes of a height in inches, a title above, and below a color bar and lines of a legend."""
    below = LINE * lines + 1.5 * MARGIN + bar
    total = title + height + below
    figure = new_figure(WIDTH, total)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, below / total, 1, height / total))
    axes.set(xlim=(0, WIDTH), ylim=(0, height))
    axes.set_axis_off()
    return Page(figure, axes)


def dots(colors: Iterable[Any], widths: Iterable[float], size: float) -> tuple[Line2D, ...]:
    """Return what the legend shows: circles of these colors, with outlines of these widths, in points."""
    from matplotlib.lines import Line2D

    style: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": size, "markeredgecolor": INK}
    pairs = zip(colors, widths, strict=True)
    return tuple(Line2D([], [], markerfacecolor=color, markeredgewidth=width, **style) for color, width in pairs)


def add_titles(page: Page, plan: TransportPlan, centers: Sequence[float], title: str | None) -> None:
    """Write the title with the cost, unless the title says it, and the size of each graph above it."""
    height = page.figure.get_figheight()
    text = "Transport plan" if title is None else title
    if not says_number(text, plan.cost):
        text += f" · cost {plan.cost:.4g}"
    page.figure.suptitle(text, y=1 - 0.12 / height, fontsize=11, color=INK)
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9, "color": GRAY_INK}
    for which, graph, x in zip(("first", "second"), (plan.source, plan.target), centers, strict=True):
        noun, node, edge = ("molecule", "atom", "bond") if graph.molecules else ("graph", "node", "edge")
        size = f"{which} {noun}: {count(graph.n_nodes, node)}, {count(graph.n_edges, edge)}"
        page.figure.text(x / WIDTH, 1 - 0.52 / height, size, **style)


def says_number(text: str, number: float) -> bool:
    """Return whether a text has a number, with two decimals or more, rounded in any way.

    Examples
    --------
    >>> says_number("A to B: distance 0.13", 0.12987), says_number("A to B", 0.12987)
    (True, False)
    """
    found = re.findall(r"\d*\.(\d{2,})", text)
    return any(f"{number:.{len(decimals)}f}" in text for decimals in found)


def draw_moves(
    page: Page, moves: Moves, source: FloatArray, target: FloatArray, *, color: str, radius: float = 0.0
) -> None:
    """Draw a line for every move, the wider the dearer, between places of the first graph and of the second.

    Lines end at a radius in inches around the places.
    """
    from matplotlib.collections import LineCollection

    one, two = source[moves.sources], target[moves.targets]
    lengths = np.linalg.norm(two - one, axis=1, keepdims=True)
    inset = (two - one) * radius / np.maximum(lengths, 1e-9)
    ends = np.stack([one + inset, two - inset], axis=1)
    widths = 0.6 + 1.6 * moves.costs / moves.costs.max(initial=1e-300)
    page.axes.add_collection(LineCollection(list(ends), colors=color, alpha=_ALPHA, linewidths=widths, zorder=2))


def moves_handle(plan: TransportPlan, moves: Moves, color: str) -> dict[Any, str]:
    """Return what the legend says about lines: nothing if there are none."""
    from matplotlib.lines import Line2D

    if not len(moves.costs):
        return {}
    number = "the only move that costs anything"
    if plan.move_costs.count_nonzero() > 1:
        number = f"the {len(moves.costs)} dearest of {plan.matrix.nnz:,} moves"
        number = "the dearest move" if len(moves.costs) == 1 else number
    share = f"{moves.share:.0%}" if moves.share >= 0.01 else f"{moves.share:.2%}"
    return {Line2D([], [], color=color, linewidth=1.6, alpha=_ALPHA): f"{number}: {share} of the cost of moves"}


def add_legend(page: Page, entries: Mapping[Any, str]) -> None:
    """Explain the picture below it, one line for each entry."""
    from matplotlib.legend_handler import HandlerTuple

    place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 0.3 * MARGIN / page.figure.get_figheight())}
    style: dict[str, Any] = {"handlelength": 6, "scatterpoints": 1, "frameon": False, "fontsize": 8, "labelcolor": INK}
    handlers: dict[type, Any] = {tuple: HandlerTuple(ndivide=None, pad=0.2)}
    page.figure.legend(list(entries), list(entries.values()), handler_map=handlers, **place, **style)
