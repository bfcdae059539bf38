"""Draw kernel and distance matrices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.pictures.style import check_picture, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage


def draw_kernel(
    kernel: ArrayLike, y: ArrayLike, *, path: str | Path | None = None, title: str = "kernel, graphs ordered by class"
) -> Figure:
    """Draw a kernel or distance matrix with the graphs ordered by class.

    If graphs of the same class are similar, squares along the diagonal are visible.

    Parameters
    ----------
    kernel : (N, N) floats
        Similarities or distances.
    y : (N) array
        The class of every graph; lines separate the classes.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str
        The title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.draw_kernel(wg.laplacian_kernel(wg.wwl_distances(graphs), 1.0), y)
    """
    matrix, classes = np.asarray(kernel, dtype=np.float64), np.asarray(y)
    if matrix.ndim != 2 or matrix.shape != (len(classes), len(classes)):
        problem = (
            f"the matrix must have a row and a column for each of {len(classes)} graphs, got the shape {matrix.shape}"
        )
        raise InputError(problem)
    if path is not None:
        check_picture(path)
    order = np.argsort(classes, kind="stable")
    figure = new_figure(6.4, 5.6)
    axis = figure.subplots()
    image = _draw_matrix(axis, matrix[np.ix_(order, order)])
    _mark_classes(axis, classes)
    axis.set_title(title)
    figure.colorbar(image, ax=axis, shrink=0.85, extend="both")
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw_matrix(axis: Axes, matrix: FloatArray) -> AxesImage:
    """Draw a matrix; the colors cover the values off the diagonal except the most extreme."""
    off_diagonal = matrix[~np.eye(len(matrix), dtype=bool)]
    low, high = np.quantile(off_diagonal, [0.02, 0.98]) if len(matrix) > 1 else (0.0, 1.0)
    return axis.imshow(matrix, cmap="viridis", vmin=low, vmax=high, interpolation="nearest")


def _mark_classes(axis: Axes, classes: NDArray[Any]) -> None:
    """Draw lines between the classes, and write their names on the axes."""
    values, counts = np.unique(classes, return_counts=True)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        axis.axhline(end - 0.5, color="white", linewidth=1)
        axis.axvline(end - 0.5, color="white", linewidth=1)
    middles = ends - counts / 2 - 0.5
    names = [f"class {value}" for value in values]
    axis.set_xticks(middles, names)
    axis.set_yticks(middles, names, rotation=90, va="center")
    axis.tick_params(length=0)
