"""Draw graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.colors import color_nodes
from wassergraph.pictures.large_layout import place_nodes
from wassergraph.pictures.molecules import can_draw_molecules, draw_molecule
from wassergraph.pictures.style import check_picture, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The most graphs of a page, and the most nodes of a graph.
MAX_GRAPHS, MAX_NODES = 400, 10_000
#: The width of a graph of up to 100 nodes on a page, the greatest width of a graph, and that of a page, in inches.
_WIDTH, _GREATEST, _PAGE = 1.9, 6.0, 12.0
#: The diameter of nodes as a part of the space that each of them has, and the width of an edge's line, in points.
_SHARE, _LINE = 0.3, 1.1


def draw_graphs(
    graphs: Any, y: ArrayLike | None = None, *, path: str | Path | None = None, columns: int | None = None
) -> Figure:
    """Draw graphs on one page.

    Molecules are drawn by RDKit as skeletal formulas, with charges, hydrogens and stereochemistry as they were read; of
    graphs that were not read from SMILES, SDF or RDKit, hydrogens and charges are shown only where they are nodes. Of
    other graphs, and of molecules where RDKit is not installed, nodes are colored by their label, otherwise by their
    first attribute, otherwise by their degree; the width of an edge grows with its weight, and a black outline marks a
    self-loop. For a large batch, take a slice: ``draw_graphs(graphs[:24], y[:24])``.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        At most 400 graphs of at most 10,000 nodes.
    y : (n_graphs) array, optional
        The class of each graph, for its title.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    columns : int, optional
        The number of graphs in a row.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    See Also
    --------
    plot.draw_plan : draw two graphs and the plan between them
    plot.draw_explanation : draw a graph and the scores of its nodes
    explore : a page that shows all graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.plot.draw_graphs(graphs[:6], y[:6])
    """
    batch = as_batch(graphs)
    _check_page(batch, columns)
    titles = _titles(batch, y)
    check_picture(path)
    molecules = can_draw_molecules(batch)
    # The width that the largest graph needs, so that its nodes can be told apart, and that there is room for.
    wanted = _WIDTH if molecules else float(np.clip(_WIDTH * np.sqrt(batch.sizes.max() / 100), _WIDTH, _GREATEST))
    columns = min(len(batch), max(1, int(_PAGE / wanted))) if columns is None else columns
    width = max(_WIDTH, min(wanted, _PAGE / columns))
    figure, axes = _page(len(batch), columns, width)
    if molecules:
        for axis, graph in zip(axes, batch, strict=False):
            draw_molecule(axis, graph, inches=width)
    else:
        _draw_all(batch, figure, axes, width)
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(title, fontsize=8, color="#333333")
        axis.set_axis_off()
    save_figure(figure, path)
    return figure


def _check_page(graphs: GraphBatch, columns: int | None) -> None:
    if not 1 <= len(graphs) <= MAX_GRAPHS:
        problem = f"a figure shows 1 to {MAX_GRAPHS} graphs, got {len(graphs)}"
        raise InputError(problem, remedy="pass a part of them, such as graphs[:24]")
    if graphs.sizes.max() > MAX_NODES:
        large = int(np.argmax(graphs.sizes))
        raise InputError(f"{graphs.sizes[large]} nodes are too many to draw: the limit is {MAX_NODES}", graph=large)
    if columns is not None and columns < 1:
        raise InputError(f"{{}} must be at least 1, got {columns}", options=[Option("columns")])


def _titles(graphs: GraphBatch, y: ArrayLike | None) -> list[str]:
    if y is None:
        return [f"graph {position}" for position in range(len(graphs))]
    classes = np.asarray(y)
    if len(classes) != len(graphs):
        problem = f"y has {len(classes)} entries for {len(graphs)} graphs"
        raise InputError(problem, remedy="pass one class for each graph")
    return [f"graph {position} · class {name}" for position, name in enumerate(classes)]


def _page(n_graphs: int, columns: int, width: float) -> tuple[Figure, NDArray[Any]]:
    """Return a figure, and its axes in the order of the graphs."""
    rows = -(-n_graphs // columns)
    figure = new_figure(width * columns, (width + 0.1) * rows + 0.5)
    figure.set_layout_engine("constrained", h_pad=0.1)  # keeps the first titles off the edge of the page
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for unused in axes[n_graphs:]:
        unused.set_axis_off()
    return figure, axes


def _draw_all(graphs: GraphBatch, figure: Figure, axes: NDArray[Any], width: float) -> None:
    """Draw every graph, and a legend for the colors of all nodes."""
    colors, add_legend = color_nodes(graphs)
    for position, graph in enumerate(graphs):
        begin, end = graphs.node_ptr[position : position + 2]
        draw_graph(axes[position], graph, colors[begin:end], inches=width)
    add_legend(figure)


def draw_graph(
    axes: Axes, graph: GraphBatch, colors: Sequence[Any], *, inches: float = _WIDTH, outline: str = "white"
) -> FloatArray:
    """Draw one graph on axes of a width in inches, with nodes of these colors; a black outline marks a self-loop.

    Returns
    -------
    (n_nodes, 2) floats
        The places of the nodes.
    """
    points = place_nodes(graph)
    diameter = node_diameter(graph.n_nodes, inches)
    thin = float(np.clip(np.sqrt(100 / graph.n_nodes), 0.25, 1))
    draw_edges(axes, graph, points, thin, "#9a9a9a")
    has_loop = np.zeros(graph.n_nodes, dtype=bool)
    has_loop[graph.indices[graph.arc_tails == graph.indices]] = True
    outlines = np.where(has_loop, "black", outline).tolist()
    style: dict[str, Any] = {"edgecolors": outlines, "linewidths": 0.6 * thin, "zorder": 2}
    axes.scatter(points[:, 0], points[:, 1], s=diameter**2, c=colors, **style)
    _set_square_limits(axes, points)
    return points


def draw_edges(axes: Axes, graph: GraphBatch, points: FloatArray, factor: float, color: str) -> None:
    """Draw the edges between nodes at these places, but for self-loops, with the usual widths times a factor."""
    from matplotlib.collections import LineCollection

    one_way = graph.arc_tails < graph.indices
    ends = np.stack([points[graph.arc_tails[one_way]], points[graph.indices[one_way]]], axis=1)
    widths = factor * edge_widths(graph)[one_way]
    axes.add_collection(LineCollection(list(ends), colors=color, linewidths=widths, zorder=1))


def edge_length(graph: GraphBatch, points: FloatArray, default: float = 1.0) -> float:
    """Return the median length of edges between nodes at these places, or a default if there are none."""
    proper = graph.arc_tails < graph.indices
    if not proper.any():
        return default
    steps = points[graph.arc_tails[proper]] - points[graph.indices[proper]]
    return float(np.median(np.linalg.norm(steps, axis=1)))


def node_diameter(n_nodes: int, inches: float) -> float:
    """Return the diameter of nodes in points: the smaller the more there are on axes of a width in inches."""
    usual = np.sqrt(130 / max(np.sqrt(n_nodes), 2)) * inches / _WIDTH
    return float(min(usual, _SHARE * 72 * inches / np.sqrt(n_nodes)))


def _set_square_limits(axes: Axes, points: FloatArray) -> None:
    """Show a square, so that all titles of a row have the same height."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = max(0.58 * np.ptp(points, axis=0).max(), 0.6)
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal")


def edge_widths(graph: GraphBatch) -> FloatArray:
    """Return the line width of every arc, which grows with its weight."""
    if graph.edge_weights is None or graph.n_arcs == 0:
        return np.full(graph.n_arcs, _LINE)
    weights = np.abs(graph.edge_weights)
    spread = np.ptp(weights)
    return 0.6 + 1.8 * (weights - weights.min()) / spread if spread else np.full(graph.n_arcs, _LINE)
