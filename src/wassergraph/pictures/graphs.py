"""Draw graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.layout import stress_layout
from wassergraph.pictures.style import PALETTE, check_picture, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The most graphs of a page, and the most nodes of a graph.
MAX_GRAPHS, MAX_NODES = 400, 1000


def draw_graphs(
    graphs: Any, y: ArrayLike | None = None, *, path: str | Path | None = None, columns: int | None = None
) -> Figure:
    """Draw graphs on one page.

    Nodes are colored by their label, otherwise by their first attribute, otherwise by their degree. The width of an
    edge grows with its weight, and a black outline marks a self-loop. For a large batch, take a slice:
    ``draw_graphs(graphs[:24], y[:24])``.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader accepts
        At most 400 graphs of at most 1,000 nodes.
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

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.draw_graphs(graphs[:6], y[:6])
    """
    batch = as_batch(graphs)
    _check_page(batch, columns)
    titles = _titles(batch, y)
    if path is not None:
        check_picture(path)
    figure, axes = _page(len(batch), min(len(batch), 6) if columns is None else columns)
    coloring = _color_nodes(batch)
    for position, graph in enumerate(batch):
        first = batch.node_ptr[position]
        _draw_graph(axes[position], graph, coloring.colors[first : first + graph.n_nodes], titles[position])
    coloring.add_legend(figure)
    if path is not None:
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
        raise InputError(
            f"y has {len(classes)} entries for {len(graphs)} graphs", remedy="pass one class for each graph"
        )
    return [f"graph {position} · class {name}" for position, name in enumerate(classes)]


def _page(n_graphs: int, columns: int) -> tuple[Figure, NDArray[Any]]:
    """Return a figure, and its axes in the order of the graphs."""
    rows = -(-n_graphs // columns)
    figure = new_figure(1.9 * columns, 2.0 * rows + 0.5)
    figure.set_layout_engine("constrained", h_pad=0.1)  # keeps the first titles off the edge of the page
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for unused in axes[n_graphs:]:
        unused.set_axis_off()
    return figure, axes


# Colors


@dataclass(frozen=True)
class _Coloring:
    """The color of every node of a batch, and a function that explains the colors below a figure."""

    colors: Sequence[Any]
    add_legend: Callable[[Figure], None]


def _color_nodes(graphs: GraphBatch) -> _Coloring:
    if graphs.node_labels is not None:
        return _color_by_label(graphs.node_labels)
    if graphs.node_attributes is not None and graphs.node_attributes.shape[1]:
        return _color_by_value(graphs.node_attributes[:, 0], "first node attribute")
    return _color_by_value(graphs.degrees, "degree")


def _color_by_label(labels: IntArray) -> _Coloring:
    """Return one color for each of the most frequent labels, and the last color for all others."""
    values, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    last = len(PALETTE) - 1
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(values)), last)
    names = {f"label {value}": PALETTE[rank[i]] for i, value in enumerate(values) if rank[i] < last}
    if len(names) < len(values):
        names["other labels"] = PALETTE[last]
    return _Coloring([PALETTE[rank[i]] for i in inverse], lambda figure: _add_label_legend(figure, names))


def _color_by_value(values: NDArray[Any], name: str) -> _Coloring:
    import matplotlib as mpl

    scale = mpl.colors.Normalize(float(values.min()), float(values.max()))
    mapping = mpl.cm.ScalarMappable(scale, mpl.colormaps["viridis"])

    def add_legend(figure: Figure) -> None:
        bar = figure.colorbar(mapping, ax=figure.axes, location="bottom", shrink=0.4, aspect=40)
        bar.set_label(name, fontsize=8)
        bar.ax.tick_params(labelsize=7)

    return _Coloring(list(mapping.to_rgba(values)), add_legend)


def _add_label_legend(figure: Figure, names: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker="o", linestyle="", markerfacecolor=color, markeredgecolor="white", label=name)
        for name, color in names.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)


# One graph


def _draw_graph(axes: Axes, graph: GraphBatch, colors: Sequence[Any], title: str) -> None:
    from matplotlib.collections import LineCollection

    points = stress_layout(graph)
    one_way = graph.arc_tails < graph.indices
    ends = np.stack([points[graph.arc_tails[one_way]], points[graph.indices[one_way]]], axis=1)
    axes.add_collection(LineCollection(list(ends), colors="#9a9a9a", linewidths=_widths(graph)[one_way], zorder=1))
    has_loop = np.zeros(graph.n_nodes, dtype=bool)
    has_loop[graph.indices[graph.arc_tails == graph.indices]] = True
    outlines = np.where(has_loop, "black", "white").tolist()
    size = 130 / max(np.sqrt(graph.n_nodes), 2)
    axes.scatter(points[:, 0], points[:, 1], s=size, c=colors, edgecolors=outlines, linewidths=0.6, zorder=2)
    axes.set_title(title, fontsize=8, color="#333333")
    _set_square_limits(axes, points)
    axes.set_axis_off()


def _set_square_limits(axes: Axes, points: FloatArray) -> None:
    """Show a square, so that all titles of a row have the same height."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = max(0.58 * np.ptp(points, axis=0).max(), 0.6)
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal")


def _widths(graph: GraphBatch) -> FloatArray:
    """Return the line width of every arc."""
    if graph.edge_weights is None or graph.n_arcs == 0:
        return np.full(graph.n_arcs, 1.1)
    weights = np.abs(graph.edge_weights)
    spread = np.ptp(weights)
    return 0.6 + 1.8 * (weights - weights.min()) / spread if spread else np.full(graph.n_arcs, 1.1)
