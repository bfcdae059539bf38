"""Pictures of graphs, kernels and accuracies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import shortest_path

from wassergraph.arrays import FloatArray
from wassergraph.files.atomic import check_target
from wassergraph.graphs.batch import GraphBatch
from wassergraph.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wassergraph.evaluation.evaluate import Report

#: Colors of the labels, the most frequent one first (Okabe and Ito: distinct also for color-blind eyes).
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F")
MAX_GRAPHS = 400
MAX_NODES = 1000
#: What WWL is drawn in, wherever methods stand beside each other, and what all others are drawn in.
_OURS, _THEIRS = PALETTE[5], PALETTE[0]
_PICTURES = (".png", ".svg", ".pdf")


def draw_graphs(
    graphs: GraphBatch, y: ArrayLike | None = None, *, path: str | Path | None = None, columns: int | None = None
) -> Figure:
    """Draw every graph of a batch on one page and, with a path, save the page (.png, .svg, .pdf).

    Nodes are colored by their label, otherwise by their first attribute, otherwise by their degree; edges are as thick
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


def draw_accuracies(
    accuracies: Report | Mapping[str, ArrayLike],
    *,
    majority: float | None = None,
    path: str | Path | None = None,
    title: str | None = None,
) -> Figure:
    """Draw how accurate methods are, a box for each and a point for every fold, and, with a path, save the picture.

    The method with the best median stands first. A box reaches from quartile to quartile, with a line at the median;
    its whiskers reach as far as there are folds, though not beyond one and a half boxes.

    Parameters
    ----------
    accuracies : Report, or dict of (repetitions, folds) floats
        What :func:`wassergraph.evaluate` gave, or shares of correctly classified graphs by the title of the method.
    majority : float, optional
        The share of the largest class, drawn as a dashed line; that of a report is known.
    path : str or Path, optional
        Where to save the picture (.png, .svg, .pdf).
    title : str, optional
        What to write above it.

    Examples
    --------
    >>> import wassergraph as wg
    >>> figure = wg.draw_accuracies({"WWL": [[0.9, 1.0, 0.95]], "V": [[0.3, 0.4, 0.35]]}, majority=1 / 3)
    """
    require("matplotlib")
    from matplotlib.figure import Figure

    if not isinstance(accuracies, Mapping):
        majority = accuracies.majority if majority is None else majority
        accuracies = accuracies.accuracies
    shown = _in_percent(accuracies)
    figure = Figure(figsize=(max(4.8, 1.05 * len(shown) + 1.4), 4.2), layout="constrained")
    axis = figure.subplots()
    for position, (name, values) in enumerate(shown.items()):
        _draw_box(axis, position, values, _OURS if name.startswith("WWL") else _THEIRS)
    if majority is not None:
        line = axis.axhline(100 * majority, color="#555555", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        line.set_label(f"largest class: {100 * majority:.1f} %")
        figure.legend(handles=[line], loc="outside lower right", frameon=False, fontsize=8)
    axis.set_xticks(range(len(shown)), [name.replace(" + ", "\n+ ") for name in shown])
    axis.set_xlim(-0.6, len(shown) - 0.4)
    axis.set_ylabel("accuracy by fold in %")
    axis.grid(axis="y", color="#eeeeee")
    axis.set_axisbelow(True)
    axis.tick_params(length=0)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.spines["bottom"].set_color("#999999")
    if title is not None:
        axis.set_title(title)
    if path is not None:
        figure.savefig(Path(path), dpi=144)
    return figure


def _in_percent(accuracies: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Give all accuracies of each method in percent, the one with the best median first."""
    shares = {name: np.ravel(np.asarray(values, dtype=np.float64)) for name, values in accuracies.items()}
    if not shares:
        raise ValueError("there are no accuracies to draw: give those of at least one method")
    for name, values in shares.items():
        if not len(values) or not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"the accuracies of {name} must be shares from 0 to 1, one a fold, got {values}")
    best = sorted(shares, key=lambda name: (-np.median(shares[name]), -shares[name].mean()))
    return {name: 100 * shares[name] for name in best}


def _draw_box(axis: Any, position: int, values: FloatArray, color: str) -> None:
    """Draw a box, and beside each other the points that it sums up: at places that are the same every time."""
    line = {"color": color, "linewidth": 1.2}
    axis.boxplot(
        values,
        positions=[position],
        widths=0.55,
        patch_artist=True,
        showfliers=False,
        manage_ticks=False,
        boxprops={"facecolor": f"{color}33", "edgecolor": color, "linewidth": 1.2},
        medianprops={**line, "linewidth": 2.4},
        whiskerprops=line,
        capprops=line,
        zorder=2,
    )
    golden = (np.sqrt(5) - 1) / 2  # the next multiple of it, modulo 1, is far from the last: equal values lie apart
    places = position + 0.4 * ((golden * np.arange(1, len(values) + 1)) % 1 - 0.5)
    axis.scatter(places, np.sort(values), s=20, color=color, alpha=0.8, edgecolors="white", linewidths=0.5, zorder=3)


def check_picture(path: str | Path) -> None:
    """Make sure that a picture can be drawn and written there, before long work begins."""
    require("matplotlib")
    if Path(path).suffix.lower() not in _PICTURES:
        raise ValueError(f"{path} is not the name of a picture: let it end in {', '.join(_PICTURES)}")
    check_target(path)


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
    """Place points in the plane by the two leading eigenvectors of the centered squared distances."""
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
    """Choose the color of every node of the batch, and what the legend says of the colors."""
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


def _draw_one(axes: Any, graph: GraphBatch, colors: list[Any], title: str) -> None:
    from matplotlib.collections import LineCollection

    points = stress_layout(graph)
    once = graph.arc_tails < graph.indices
    ends = np.stack([points[graph.arc_tails[once]], points[graph.indices[once]]], axis=1)
    size = 130 / max(np.sqrt(graph.n_nodes), 2)
    axes.add_collection(LineCollection(list(ends), colors="#9a9a9a", linewidths=_widths(graph)[once], zorder=1))
    loop = np.zeros(graph.n_nodes, dtype=bool)
    loop[graph.indices[graph.arc_tails == graph.indices]] = True
    rims = np.where(loop, "black", "white").tolist()
    axes.scatter(*points.T, s=size, c=colors, edgecolors=rims, linewidths=0.6, zorder=2)
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
            Line2D([], [], marker="o", linestyle="", markerfacecolor=color, markeredgecolor="white", label=name)
            for name, color in legend["kinds"]
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)
    else:
        bar = figure.colorbar(legend["scale"], ax=figure.axes, location="bottom", shrink=0.4, aspect=40)
        bar.set_label(legend["name"], fontsize=8)
        bar.ax.tick_params(labelsize=7)
