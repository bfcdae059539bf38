"""Draw the accuracies of methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.pictures.style import BLUE, RED, check_picture, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The color of WWL, and that of all other methods.
_WWL_COLOR, _OTHER_COLOR = RED, BLUE


class HasAccuracies(Protocol):
    """What is drawn of a :class:`wassergraph.Report`."""

    @property
    def accuracies(self) -> Mapping[str, ArrayLike]:
        """The accuracies (repetitions, folds) by the title of the method."""
        ...

    @property
    def majority(self) -> float:
        """The fraction of graphs in the largest class."""
        ...


def draw_accuracies(
    accuracies: HasAccuracies | Mapping[str, ArrayLike],
    *,
    majority: float | None = None,
    path: str | Path | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the accuracies of methods as a box plot, with a point for every fold.

    The methods are sorted by their median. A box reaches from the lower to the upper quartile, with a line at the
    median; the whiskers reach to the most distant fold within 1.5 times the length of the box.

    Parameters
    ----------
    accuracies : Report, or dict of (repetitions, folds) floats
        The result of :func:`wassergraph.evaluate`, or accuracies between 0 and 1 by the title of the method.
    majority : float, optional
        The fraction of graphs in the largest class, drawn as a dashed line; a report contains it.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str, optional
        The title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    Examples
    --------
    >>> import wassergraph as wg
    >>> figure = wg.draw_accuracies({"WWL": [[0.9, 1.0, 0.95]], "V": [[0.3, 0.4, 0.35]]}, majority=1 / 3)
    """
    if path is not None:
        check_picture(path)
    if not isinstance(accuracies, Mapping):
        majority = accuracies.majority if majority is None else majority
        accuracies = accuracies.accuracies
    percentages = _sorted_percentages(accuracies)
    figure = new_figure(max(4.8, 1.05 * len(percentages) + 1.4), 4.2)
    axis = figure.subplots()
    for position, (name, values) in enumerate(percentages.items()):
        _draw_box(axis, position, values, _WWL_COLOR if name.startswith("WWL") else _OTHER_COLOR)
    if majority is not None:
        _draw_majority(figure, axis, majority)
    _style_axis(axis, list(percentages), title)
    if path is not None:
        save_figure(figure, path)
    return figure


def _sorted_percentages(accuracies: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Return all accuracies of each method in percent; the method with the best median comes first."""
    fractions = {name: np.ravel(np.asarray(values, dtype=np.float64)) for name, values in accuracies.items()}
    if not fractions:
        raise InputError("there are no accuracies to draw", remedy="pass those of at least one method")
    for name, values in fractions.items():
        if not len(values) or not ((values >= 0) & (values <= 1)).all():
            raise InputError(f"the accuracies of {name} must lie between 0 and 1, one for each fold, got {values}")
    order = sorted(fractions, key=lambda name: (-np.median(fractions[name]), -fractions[name].mean()))
    return {name: 100 * fractions[name] for name in order}


def _draw_box(axis: Axes, position: int, values: FloatArray, color: str) -> None:
    """Draw a box and its points, which are spread from left to right in the same way every time."""
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
    # Successive multiples of the golden ratio, modulo 1, are far from each other, so that equal values do not overlap.
    golden = (np.sqrt(5) - 1) / 2
    x = position + 0.4 * ((golden * np.arange(1, len(values) + 1)) % 1 - 0.5)
    axis.scatter(x, np.sort(values), s=20, color=color, alpha=0.8, edgecolors="white", linewidths=0.5, zorder=3)


def _draw_majority(figure: Figure, axis: Axes, majority: float) -> None:
    line = axis.axhline(100 * majority, color="#555555", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    line.set_label(f"largest class: {100 * majority:.1f} %")
    figure.legend(handles=[line], loc="outside lower right", frameon=False, fontsize=8)


def _style_axis(axis: Axes, names: list[str], title: str | None) -> None:
    axis.set_xticks(range(len(names)), [name.replace(" + ", "\n+ ") for name in names])
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.set_ylabel("accuracy by fold in %")
    axis.grid(axis="y", color="#eeeeee")
    axis.set_axisbelow(True)
    axis.tick_params(length=0)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.spines["bottom"].set_color("#999999")
    if title is not None:
        axis.set_title(title)
