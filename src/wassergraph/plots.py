"""Pictures of graphs and kernels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import shortest_path

from wassergraph.graphs import FloatArray, GraphBatch
from wassergraph.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of the labels, the most frequent one first (Okabe and Ito: distinct also for colour-blind eyes).
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F")
MAX_GRAPHS = 400
MAX_NODES = 1000


def draw_graphs(
    graphs: GraphBatch, y: ArrayLike | None = None, *, path: str | Path | None = None, columns: int | None = None
) -> Figure:
    """Draw every graph of a batch on one page and, with a path, save the page (.png, .svg, .pdf).

    Nodes are coloured by their label, otherwise by their first attribute, otherwise by their degree; edges are as thick
    as they are heavy, and a black rim marks a self-loop. Take a slice of a large batch:
    ``draw_graphs(graphs[:24], y[:24])``.

    Parameters
    ----------
    graphs : GraphBatch
        At most 400 graphs of at most 1,000 nodes.
    y : (n_graphs), optional
        The class of each graph, written above it.
    path : str or Path, optional
        Where to save the picture.
    columns : int, optional
        How many graphs stand in a row.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.draw_graphs(graphs[:6], y[:6])
    """
    require("matplotlib")
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    _check_page(graphs, columns)
    classes = None if y is None else np.asarray(y)
    if classes is not None and len(classes) != len(graphs):
        raise ValueError(f"y has {len(classes)} entries for {len(graphs)} graphs")
    columns = min(len(graphs), 6) if columns is None else columns
    rows = -(-len(graphs) // columns)
    # The padding keeps the first titles off the edge of the page.
    figure = Figure(figsize=(1.9 * columns, 2.0 * rows + 0.5), layout=ConstrainedLayoutEngine(h_pad=0.1))
    paint, legend = _paint(graphs)
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for position, graph in enumerate(graphs):
        title = f"graph {position}" + ("" if classes is None else f" · class {classes[position]}")
        first = graphs.node_ptr[position]
        _draw_one(axes[position], graph, paint[first : first + graph.n_nodes], title)
    for unused in axes[len(graphs) :]:
        unused.set_axis_off()
    _add_legend(figure, legend)
    if path is not None:
        figure.savefig(Path(path), dpi=144)
    return figure


def draw_kernel(
    kernel: ArrayLike, y: ArrayLike, *, path: str | Path | None = None, title: str = "kernel, graphs ordered by class"
) -> Figure:
    """Draw a kernel or distance matrix with the graphs ordered by class and, with a path, save the picture.

    Where the classes differ, squares along the diagonal stand out.

    Parameters
    ----------
    kernel : (N, N) numbers
        Similarities, or distances.
    y : (N) array
        The class of every graph; lines separate them.
    path : str or Path, optional
        Where to save the picture (.png, .svg, .pdf).
    title : str
        What to write above it.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.draw_kernel(wg.laplacian_kernel(wg.wwl_distances(graphs), 1.0), y)
    """
    require("matplotlib")
    from matplotlib.figure import Figure

    matrix, classes = np.asarray(kernel, dtype=np.float64), np.asarray(y)
    if matrix.ndim != 2 or matrix.shape != (len(classes), len(classes)):
        raise ValueError(f"the matrix must have a row and a column for each of {len(classes)} graphs: {matrix.shape}")
    order = np.argsort(classes, kind="stable")
    values, counts = np.unique(classes, return_counts=True)
    ends = np.cumsum(counts)
    figure = Figure(figsize=(6.4, 5.6), layout="constrained")
    axis = figure.subplots()
    shown = matrix[np.ix_(order, order)]
    low, high = np.quantile(shown[~np.eye(len(shown), dtype=bool)], [0.02, 0.98]) if len(shown) > 1 else (0.0, 1.0)
    image = axis.imshow(shown, cmap="viridis", vmin=low, vmax=high, interpolation="nearest")
    for end in ends[:-1]:
        axis.axhline(end - 0.5, color="white", linewidth=1)
        axis.axvline(end - 0.5, color="white", linewidth=1)
    middle = ends - counts / 2 - 0.5
    axis.set_xticks(middle, [f"class {value}" for value in values])
    axis.set_yticks(middle, [f"class {value}" for value in values], rotation=90, va="center")
    axis.tick_params(length=0)
    axis.set_title(title)
    figure.colorbar(image, ax=axis, shrink=0.85, extend="both")
    if path is not None:
        figure.savefig(Path(path), dpi=144)
    return figure


def _check_page(graphs: GraphBatch, columns: int | None) -> None:
    if not isinstance(graphs, GraphBatch):
        raise TypeError(f"draw_graphs draws a GraphBatch, not a {type(graphs).__name__}")
    if not 1 <= len(graphs) <= MAX_GRAPHS:
        raise ValueError(f"a page holds 1 to {MAX_GRAPHS} graphs, got {len(graphs)}: take a slice, graphs[:24]")
    if graphs.sizes.max() > MAX_NODES:
        large = int(np.argmax(graphs.sizes))
        raise ValueError(f"graph {large} has {graphs.sizes[large]} nodes, too many to draw: the limit is {MAX_NODES}")
    if columns is not None and columns < 1:
        raise ValueError(f"columns must be at least 1, got {columns}")


def stress_layout(graph: GraphBatch, *, iterations: int = 200) -> FloatArray:
    """Place the nodes of one graph (n, 2) so that distances in the plane follow distances in the graph.

    Stress majorisation (SMACOF) on the shortest paths, from a start by classical scaling. Parts that are not connected
    stand a little apart.
    """
    n = graph.n_nodes
    distances: FloatArray = shortest_path(graph.adjacency(), unweighted=True, directed=False)
    finite = np.isfinite(distances)
    distances[~finite] = distances[finite].max(initial=0) + 1
    points = _classical_scaling(distances)
    weights = np.divide(1.0, distances**2, out=np.zeros_like(distances), where=distances > 0)
    laplacian = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(iterations if n > 1 else 0):
        apart = points[:, None] - points[None]
        length = np.linalg.norm(apart, axis=2)
        ratio = weights * np.divide(distances, length, out=np.zeros_like(length), where=length > 1e-12)
        points = laplacian @ (np.diag(ratio.sum(axis=1)) - ratio) @ points
    return np.asarray(points - points.mean(axis=0))


def _classical_scaling(distances: FloatArray) -> FloatArray:
    """Place points in the plane by the two leading eigenvectors of the centred squared distances."""
    n = len(distances)
    centring = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centring @ distances**2 @ centring)
    points = np.zeros((n, 2))
    leading = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    points[:, : leading.shape[1]] = leading[:, ::-1]
    # Nodes with equal distances to all others, such as the leaves of a star, must not begin on the same spot.
    angles = 2 * np.pi * np.arange(n) / n
    return points + 0.01 * np.column_stack([np.cos(angles), np.sin(angles)])


def _paint(graphs: GraphBatch) -> tuple[list[Any], dict[str, Any]]:
    """Choose the colour of every node of the batch, and what the legend says of the colours."""
    import matplotlib as mpl

    if graphs.node_labels is not None:
        kinds, inverse, counts = np.unique(graphs.node_labels, return_inverse=True, return_counts=True)
        rank = np.empty(len(kinds), dtype=np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(kinds)), len(PALETTE) - 1)
        shown = [(f"label {kind}", PALETTE[rank[i]]) for i, kind in enumerate(kinds) if rank[i] < len(PALETTE) - 1]
        more = [("other labels", PALETTE[-1])] if len(shown) < len(kinds) else []
        return [PALETTE[rank[i]] for i in inverse], {"kinds": shown + more}
    attributes = graphs.node_attributes
    plain = attributes is None or attributes.shape[1] == 0
    values = graphs.degrees if plain else attributes[:, 0]  # type: ignore[index]
    name = "degree" if plain else "first node attribute"
    scale = mpl.colors.Normalize(float(values.min()), float(values.max()))
    mapping = mpl.cm.ScalarMappable(scale, mpl.colormaps["viridis"])
    return list(mapping.to_rgba(values)), {"scale": mapping, "name": name}


def _draw_one(axes: Any, graph: GraphBatch, colours: list[Any], title: str) -> None:
    from matplotlib.collections import LineCollection

    points = stress_layout(graph)
    once = graph.arc_tails < graph.indices
    ends = np.stack([points[graph.arc_tails[once]], points[graph.indices[once]]], axis=1)
    size = 130 / max(np.sqrt(graph.n_nodes), 2)
    axes.add_collection(LineCollection(list(ends), colors="#9a9a9a", linewidths=_widths(graph)[once], zorder=1))
    loop = np.zeros(graph.n_nodes, dtype=bool)
    loop[graph.indices[graph.arc_tails == graph.indices]] = True
    rims = np.where(loop, "black", "white").tolist()
    axes.scatter(*points.T, s=size, c=colours, edgecolors=rims, linewidths=0.6, zorder=2)
    axes.set_title(title, fontsize=8, color="#333333")
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    reach = max(0.58 * np.ptp(points, axis=0).max(), 0.6)  # a square, so that all titles of a row stand level
    axes.set(xlim=(middle[0] - reach, middle[0] + reach), ylim=(middle[1] - reach, middle[1] + reach), aspect="equal")
    axes.set_axis_off()


def _widths(graph: GraphBatch) -> FloatArray:
    if graph.edge_weights is None or graph.n_arcs == 0:
        return np.full(graph.n_arcs, 1.1)
    weights = np.abs(graph.edge_weights)
    spread = np.ptp(weights)
    return 0.6 + 1.8 * (weights - weights.min()) / spread if spread else np.full(graph.n_arcs, 1.1)


def _add_legend(figure: Figure, legend: dict[str, Any]) -> None:
    from matplotlib.lines import Line2D

    if "kinds" in legend:
        handles = [
            Line2D([], [], marker="o", linestyle="", markerfacecolor=colour, markeredgecolor="white", label=name)
            for name, colour in legend["kinds"]
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)
    else:
        bar = figure.colorbar(legend["scale"], ax=figure.axes, location="bottom", shrink=0.4, aspect=40)
        bar.set_label(legend["name"], fontsize=8)
        bar.ax.tick_params(labelsize=7)
