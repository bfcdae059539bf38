"""Draw kernel and distance matrices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.pictures.matrices import are_numbers, read_matrix, read_shown_targets
from wassergraph.pictures.ordering import order_graphs
from wassergraph.pictures.style import check_picture, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: With more classes than this, the axes are named once instead of each class.
_MANY_CLASSES = 6
#: If there are many classes, names longer than this are slanted below the picture, so that they do not overlap.
_LONG_NAME = 3
#: The color of a matrix whose entries are all equal: the middle of the scale of others.
_ONLY_COLOR = "#21918c"


def draw_kernel(
    kernel: ArrayLike, y: ArrayLike | None = None, *, path: str | Path | None = None, title: str | None = None
) -> Figure:
    """Draw a kernel or distance matrix with similar graphs next to each other, and with the graphs ordered by class.

    If graphs of the same class are similar, squares along the diagonal are visible. Within a class, or without classes
    among all graphs, the order is that of a hierarchical clustering (average linkage), whose branches are turned so
    that neighbors are as similar as possible (optimal leaf order), unless there are more than 1,000 graphs. A matrix
    whose diagonal is zero is taken for distances; for any other matrix, graphs are clustered by the distances
    √(k(i, i) + k(j, j) − 2 k(i, j)) that the kernel induces. Colors cover the values off the diagonal, except the
    lowest and the highest 2 %; the color bar has a pointed end where there are values beyond it.

    Parameters
    ----------
    kernel : (N, N) floats
        Similarities or distances.
    y : (N) array, optional
        The class of every graph; lines separate the classes. If they are numbers, as
        :func:`wassergraph.plot.draw_map` tells them apart, graphs are ordered by them.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str, optional
        The title of the picture; by default it says how the graphs are ordered.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    See Also
    --------
    plot.draw_map : draw graphs as points
    kernels.laplacian_kernel : the kernel of distances
    distances : the distances

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.plot.draw_kernel(wg.kernels.laplacian_kernel(wg.distances(graphs), 1.0), y)
    """
    matrix = read_matrix("matrix", kernel)
    targets = None if y is None else read_shown_targets(y, len(matrix))
    check_picture(path)
    order, order_name = _order(matrix, targets)
    figure = new_figure(6.4, 5.6)
    axis = figure.subplots()
    _draw_matrix(figure, axis, matrix[np.ix_(order, order)])
    _mark_graphs(axis, targets)
    default = f"{'kernel' if np.diag(matrix).any() else 'distances'}, {order_name}"
    axis.set_title(default if title is None else title)
    save_figure(figure, path)
    return figure


def _order(matrix: FloatArray, targets: NDArray[Any] | None) -> tuple[IntArray, str]:
    """Return the order of the graphs, and its description."""
    if targets is not None and are_numbers(targets):
        return np.argsort(targets, kind="stable"), "graphs ordered by their numbers"
    name = "similar graphs next to each other" if targets is None else "graphs ordered by class"
    return order_graphs(_distances(matrix), targets), name


def _distances(matrix: FloatArray) -> FloatArray:
    """Return distances, half of those that a kernel induces if the matrix is one."""
    diagonal = np.diag(matrix)
    if not diagonal.any():
        return np.maximum(matrix, 0)
    # A quarter of the squares, which are finite also if entries are very large; the scale does not matter.
    squares = diagonal[:, None] / 4 + diagonal / 4 - matrix / 2
    return np.asarray(np.sqrt(np.maximum(squares, 0, out=squares), out=squares))


def _draw_matrix(figure: Figure, axis: Axes, matrix: FloatArray) -> None:
    """Draw a matrix, and a color bar that points where there are values beyond its ends."""
    low, high = _color_range(matrix)
    if _are_equal(low, high):
        _draw_constant(figure, axis, matrix)
        return
    image = axis.imshow(matrix, cmap="viridis", vmin=low, vmax=high, interpolation="nearest")
    below, above = matrix.min() < low, matrix.max() > high
    pointed: Literal["both", "min", "max", "neither"]
    pointed = ("both" if above else "min") if below else ("max" if above else "neither")
    figure.colorbar(image, ax=axis, shrink=0.85, extend=pointed)


def _draw_constant(figure: Figure, axis: Axes, matrix: FloatArray) -> None:
    """Draw a matrix whose entries are all equal: in one color, since there are no other values."""
    from matplotlib.colors import ListedColormap

    value = float(matrix[0, 0])
    one_color = ListedColormap([_ONLY_COLOR])
    image = axis.imshow(matrix, cmap=one_color, vmin=value, vmax=value, interpolation="nearest")
    bar = figure.colorbar(image, ax=axis, shrink=0.85)
    bar.set_ticks([value], labels=[f"{value:.6g}".replace("-", "−")])


def _are_equal(low: float, high: float) -> bool:
    """Return whether numbers are equal but for rounding."""
    return high - low <= 1e-9 * abs(high)


def _color_range(matrix: FloatArray) -> tuple[float, float]:
    """Return the range of the values off the diagonal except the most extreme, or of all if those are equal."""
    off_diagonal = matrix[~np.eye(len(matrix), dtype=bool)]
    low, high = np.quantile(off_diagonal, [0.02, 0.98]).tolist() if len(matrix) > 1 else (0.0, 0.0)
    return (float(matrix.min()), float(matrix.max())) if _are_equal(low, high) else (low, high)


def _mark_graphs(axis: Axes, targets: NDArray[Any] | None) -> None:
    """Write on the axes what the order of the graphs is."""
    axis.tick_params(length=0)
    if targets is not None and not are_numbers(targets):
        _mark_classes(axis, targets)
        return
    axis.set(xticks=[], yticks=[])
    if targets is not None:
        text = f"from {targets.min():.4g} to {targets.max():.4g}".replace("-", "−")
        axis.set_xlabel(text)
        axis.set_ylabel(text, rotation=270, va="top")  # read downward, as the rows are


def _mark_classes(axis: Axes, classes: NDArray[Any]) -> None:
    """Draw lines between the classes, and write their names on the axes."""
    values, counts = np.unique(classes, return_counts=True)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        axis.axhline(end - 0.5, color="white", linewidth=1)
        axis.axvline(end - 0.5, color="white", linewidth=1)
    middles = ends - counts / 2 - 0.5
    many = len(values) > _MANY_CLASSES
    names = [str(value) if many else f"class {value}" for value in values]
    slanted = many and max(map(len, names)) > _LONG_NAME
    axis.set_xticks(middles, names, rotation=40 if slanted else 0, ha="right" if slanted else "center")
    axis.set_yticks(middles, names, rotation=0 if many else 90, va="center")
    if many:
        axis.set(xlabel="class", ylabel="class")
