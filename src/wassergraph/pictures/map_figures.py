"""Draw a collection of graphs as points in the plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.pictures.maps import FEWEST_TSNE, N_NEIGHBORS, MapMethod, MapQuality, map_quality, place_graphs
from wassergraph.pictures.matrices import are_numbers, read_distances, read_shown_targets
from wassergraph.pictures.style import BLUE, PALETTE, check_picture, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The markers of classes, in the order of the colors: ten, twice, and that of the rest.
_MARKERS = (*("o", "s", "^", "D", "v", "P", "X", "<", ">", "h") * 2, "o")
#: The width of a figure in inches; that of a letter of the legend, and of what else a column has.
_WIDTH, _LETTER, _COLUMN = 6.4, 0.075, 0.45
#: The most columns of the legend, and the most letters of a class.
_MOST_COLUMNS, _LONGEST = 4, 60


def draw_map(
    distances: ArrayLike,
    y: ArrayLike | None = None,
    *,
    method: MapMethod = "tsne",
    random_state: int = 0,
    path: str | Path | None = None,
    title: str | None = None,
) -> Figure:
    """Draw every graph as a point, so that similar graphs are near each other.

    Below the map is written how far it can be trusted: the share of the ten nearest neighbors of a graph that are among
    its ten nearest on the map, and the rank correlation (Spearman) of distances and distances on the map.

    Parameters
    ----------
    distances : (N, N) floats, or DistanceStore
        Distances between all graphs, such as the result of :func:`wassergraph.distances`.
    y : (N) array, optional
        The class of every graph, shown by color and marker, or a number, shown by a color scale. Values with fractions
        are numbers; whole numbers are classes if at most two are different, or if at most 20 are and two graphs on
        average have the same one. The largest 20 classes have a color each, and the others share one, unless it is
        only one.
    method : "tsne" or "mds"
        "tsne" keeps neighbors together, but distances between groups mean little; "mds", metric multidimensional
        scaling, keeps all distances as well as a plane allows. Fewer than 5 graphs are always placed by scaling.
    random_state : int
        The seed of t-SNE; the same seed gives the same map.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str, optional
        The title of the picture; by default the number of graphs and the method.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    See Also
    --------
    plot.draw_kernel : draw a matrix of distances
    distances : the distances
    explore : a page with a map

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.plot.draw_map(wg.distances(graphs), y)
    """
    check_choice("method", method, MapMethod)
    matrix = read_distances(distances)
    targets = None if y is None else read_shown_targets(y, len(matrix))
    check_picture(path)
    points = place_graphs(matrix, method, random_state=random_state)
    classes = [] if targets is None or are_numbers(targets) else _read_classes(targets)
    figure = _new_page(points, classes)
    axis = figure.subplots()
    if classes:
        _draw_classes(figure, axis, points, classes)
    elif targets is None:
        _scatter(axis, points, len(points), color=BLUE)
    else:
        figure.colorbar(_scatter(axis, points, len(points), c=targets, cmap="viridis"), ax=axis, shrink=0.85)
    _style_axis(axis, quality_text(map_quality(matrix, points), len(points)))
    scaled = method == "mds" or len(points) < FEWEST_TSNE
    placed = f"{count(len(points), 'graph')}, placed by {'multidimensional scaling' if scaled else 't-SNE'}"
    axis.set_title(placed if title is None else title)
    save_figure(figure, path)
    return figure


def _new_page(points: FloatArray, classes: list[_Class]) -> Figure:
    """Return a figure that is as high as the map, within limits, and the lines of its legend need."""
    width, height = np.maximum(np.ptp(points, axis=0), 1e-9)
    lines = -(-len(classes) // _n_columns(classes))
    return new_figure(_WIDTH, float(np.clip(_WIDTH * height / width, 2.8, 5.4)) + 0.7 + 0.2 * lines)


def _n_columns(classes: list[_Class]) -> int:
    """Return how many columns of the legend are as wide as the figure."""
    longest = max((len(each.text) for each in classes), default=1)
    return int(np.clip(_WIDTH / (longest * _LETTER + _COLUMN), 1, _MOST_COLUMNS))


def quality_text(quality: MapQuality, n_graphs: int) -> str:
    """Describe the quality of a map of so many graphs.

    Examples
    --------
    >>> quality_text(MapQuality(0.8149, 0.7346), 188)
    '81 % of ten nearest neighbors kept, rank correlation 0.73'
    >>> quality_text(MapQuality(1.0, float("nan")), 2)
    ''
    """
    parts = []
    if n_graphs > N_NEIGHBORS + 1:  # otherwise all graphs are neighbors
        parts.append(f"{100 * quality.neighbors_kept:.0f} % of ten nearest neighbors kept")
    if not np.isnan(quality.rank_correlation):
        parts.append(f"rank correlation {quality.rank_correlation:.2f}".replace("-", "−"))
    return ", ".join(parts)


class _Class(NamedTuple):
    """Points that look alike: their name, which they are, and the position of their color and marker."""

    name: str
    members: BoolArray
    style: int

    @property
    def text(self) -> str:
        """The text of the legend."""
        name = self.name if len(self.name) <= _LONGEST else f"{self.name[: _LONGEST - 1]}…"
        return f"{name} · {count(int(self.members.sum()), 'graph')}"


def _read_classes(targets: NDArray[Any]) -> list[_Class]:
    """Return the classes, sorted; if there are more than colors, all but the largest are one, the last."""
    values, number, counts = np.unique(targets, return_inverse=True, return_counts=True)
    n_named = len(values) if len(values) <= len(PALETTE) else len(PALETTE) - 1
    largest = np.sort(np.argsort(-counts, kind="stable")[:n_named])
    prefix = "" if values.dtype.kind in "OSUT" else "class "  # a number alone says too little
    classes = [_Class(f"{prefix}{values[each]}", number == each, style) for style, each in enumerate(largest)]
    if n_named < len(values):
        classes.append(_Class(f"{len(values) - n_named} other classes", ~np.isin(number, largest), n_named))
    return classes


def _draw_classes(figure: Figure, axis: Axes, points: FloatArray, classes: list[_Class]) -> None:
    """Draw points with the color and the marker of their class, small classes over large ones, and a legend."""
    for each in classes:
        style = {"color": PALETTE[each.style], "marker": _MARKERS[each.style], "zorder": 3 - each.members.mean()}
        _scatter(axis, points[each.members], len(points), label=each.text, **style)
    columns, scale = min(len(classes), _n_columns(classes)), np.sqrt(40 / _size(len(points)))
    figure.legend(loc="outside lower center", ncols=columns, markerscale=scale, frameon=False, fontsize=9)


def _size(n_graphs: int) -> float:
    """Return the area of a point, the smaller the more graphs there are."""
    return float(np.clip(8000 / n_graphs, 6, 40))


def _scatter(axis: Axes, points: FloatArray, n_graphs: int, **style: Any) -> Any:
    size = _size(n_graphs)
    rim = 0.3 if size > 12 else 0.1
    x, y = points.T
    return axis.scatter(x, y, s=size, alpha=0.85, edgecolors="#333333", linewidths=rim, **style)


def _style_axis(axis: Axes, text: str) -> None:
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.05)
    axis.set(xticks=[], yticks=[])
    axis.set_xlabel(text, fontsize=10, labelpad=8)
    axis.spines[:].set_color("#cccccc")
