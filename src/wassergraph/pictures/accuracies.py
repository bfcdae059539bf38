"""Draw the accuracies, or errors, of methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, InputTypeError
from wassergraph.pictures.style import BLUE, RED, check_picture, frame_axes, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The color of WWL, and that of all other methods.
_WWL_COLOR, _OTHER_COLOR = RED, BLUE
#: A method with fewer values than this has no box: the quartiles of so few folds say little.
FEWEST_IN_BOX = 10
#: The width of a box.
_WIDTH = 0.55


class Boxes(NamedTuple):
    """What is drawn.

    Attributes
    ----------
    values : dict of arrays
        The values of each method, by its title.
    label : str
        What they are.
    constant : (str, float) or None
        The title and the value of a prediction that does not look at graphs.
    higher_is_better : bool
        Whether the largest values come first.
    percent : bool
        Whether values are fractions, which are drawn as percentages.
    skip_undefined : bool
        Whether values that are NaN are left out, and methods that have no other.
    """

    values: Mapping[str, ArrayLike]
    label: str = "accuracy"
    constant: tuple[str, float] | None = None
    higher_is_better: bool = True
    percent: bool = True
    skip_undefined: bool = False


class HasBoxes(Protocol):
    """What is drawn of a :class:`wassergraph.Evaluation`."""

    @property
    def boxes(self) -> Boxes:
        """The values of the first measure."""


def draw_accuracies(
    accuracies: HasBoxes | Mapping[str, ArrayLike],
    *,
    majority: float | None = None,
    path: str | Path | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the accuracies of methods, or the errors of a regression, as a box plot, with a point for every fold.

    The methods are sorted by their median, the best first. A box reaches from the lower to the upper quartile, with a
    line at the median; the whiskers reach to the most distant fold within 1.5 times the length of the box. A method
    with fewer than 10 folds, those of all repetitions together, has no box: only the points and the line are drawn.

    Parameters
    ----------
    accuracies : Evaluation, or dict of (repetitions, folds) floats
        The result of :func:`wassergraph.evaluate`, of which the first measure is drawn; or accuracies between 0 and 1
        by the title of the method.
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

    See Also
    --------
    evaluate : evaluate methods
    Evaluation : its result
    plot.draw_calibration : draw how well intervals fit

    Examples
    --------
    >>> import wassergraph as wg
    >>> figure = wg.plot.draw_accuracies({"WWL": [[0.9, 1.0, 0.95]], "V": [[0.3, 0.4, 0.35]]}, majority=1 / 3)
    """
    check_picture(path)
    if isinstance(accuracies, Mapping):
        boxes = Boxes(accuracies)
    elif hasattr(accuracies, "boxes"):
        boxes = accuracies.boxes
    else:
        problem = f"a report, or a dictionary of accuracies, can be drawn, not {type(accuracies).__name__}"
        raise InputTypeError(problem, remedy="pass the result of evaluate")
    if majority is not None:
        boxes = boxes._replace(constant=("largest class", majority))
    values = _sorted_values(boxes)
    figure = new_figure(max(4.8, 1.05 * len(values) + 1.4), 4.2)
    axis = figure.subplots()
    for position, (name, each) in enumerate(values.items()):
        _draw_method(axis, position, each, _WWL_COLOR if name.startswith("WWL") else _OTHER_COLOR)
    if boxes.constant is not None and not np.isnan(boxes.constant[1]):
        _draw_constant(figure, axis, *boxes.constant, percent=boxes.percent)
    _style_axis(axis, list(values), f"{boxes.label} by fold{' in %' if boxes.percent else ''}", title)
    save_figure(figure, path)
    return figure


def _sorted_values(boxes: Boxes) -> dict[str, FloatArray]:
    """Return all values of each method, fractions in percent; the method with the best median comes first."""
    numbers = {name: np.ravel(np.asarray(values, dtype=np.float64)) for name, values in boxes.values.items()}
    if boxes.skip_undefined:
        numbers = {name: values[~np.isnan(values)] for name, values in numbers.items()}
        numbers = {name: values for name, values in numbers.items() if len(values)}
    if not numbers:
        raise InputError("there are no accuracies to draw", remedy="pass those of at least one method")
    for name, values in numbers.items():
        if boxes.percent and (not len(values) or not ((values >= 0) & (values <= 1)).all()):
            raise InputError(f"the accuracies of {name} must lie between 0 and 1, one for each fold, got {values}")
    sign = -1 if boxes.higher_is_better else 1
    order = sorted(numbers, key=lambda name: (sign * np.median(numbers[name]), sign * numbers[name].mean()))
    return {name: (100 if boxes.percent else 1) * numbers[name] for name in order}


def _draw_method(axis: Axes, position: int, values: FloatArray, color: str) -> None:
    """Draw a box, or a line at the median, and points, which are spread in the same way every time."""
    if len(values) < FEWEST_IN_BOX:
        ends = [position - _WIDTH / 2, position + _WIDTH / 2]
        axis.plot(ends, [np.median(values)] * 2, color=color, linewidth=2.4, solid_capstyle="butt", zorder=2)
    else:
        _draw_box(axis, position, values, color)
    # Successive multiples of the golden ratio, modulo 1, are far from each other, so that equal values do not overlap.
    golden = (np.sqrt(5) - 1) / 2
    x = position + 0.4 * ((golden * np.arange(1, len(values) + 1)) % 1 - 0.5)
    axis.scatter(x, np.sort(values), s=20, color=color, alpha=0.8, edgecolors="white", linewidths=0.5, zorder=3)


def _draw_box(axis: Axes, position: int, values: FloatArray, color: str) -> None:
    line = {"color": color, "linewidth": 1.2}
    box = {"facecolor": f"{color}33", "edgecolor": color, "linewidth": 1.2}
    lines: dict[str, Any] = {"medianprops": {**line, "linewidth": 2.4}, "whiskerprops": line, "capprops": line}
    shown: dict[str, Any] = {"patch_artist": True, "showfliers": False, "manage_ticks": False, "zorder": 2}
    axis.boxplot(values, positions=[position], widths=_WIDTH, boxprops=box, **lines, **shown)


def _draw_constant(figure: Figure, axis: Axes, name: str, value: float, *, percent: bool) -> None:
    height, text = (100 * value, f"{100 * value:.1f} %") if percent else (value, f"{value:.3g}")
    line = axis.axhline(height, color="#555555", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    line.set_label(f"{name}: {text}")
    figure.legend(handles=[line], loc="outside lower right", frameon=False, fontsize=8)


def _style_axis(axis: Axes, names: list[str], label: str, title: str | None) -> None:
    axis.set_xticks(range(len(names)), [name.replace(" + ", "\n+ ") for name in names])
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.set_ylabel(label)
    axis.grid(axis="y", color="#eeeeee")
    axis.set_axisbelow(True)
    frame_axes(axis, "bottom")
    if title is not None:
        axis.set_title(title)
