"""Draw whether predicted deviations are true: the share of targets in intervals of every level."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf
from scipy.stats import binom

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.graphs.invariants import count
from wassergraph.pictures.style import PALETTE, check_picture, frame_axes, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The levels that are drawn, the level that is written, and the probability of the range of chance.
_LEVELS, _MARKED, _CHANCE = np.linspace(0.0, 1.0, 201), 0.9, 0.95


class _Predictions(NamedTuple):
    """Targets, and a normal distribution for each (n) floats."""

    targets: FloatArray
    means: FloatArray
    deviations: FloatArray

    def coverage(self, levels: FloatArray) -> FloatArray:
        """Return the share of targets in the central interval of each level."""
        off = np.abs(self.targets - self.means) / self.deviations
        reached = np.sort(erf(off / np.sqrt(2)))  # the level of the smallest interval that contains the target
        return np.searchsorted(reached, levels, side="right") / len(reached)


def draw_calibration(
    targets: ArrayLike | Mapping[str, ArrayLike],
    means: ArrayLike | Mapping[str, ArrayLike],
    deviations: ArrayLike | Mapping[str, ArrayLike],
    *,
    path: str | Path | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the share of targets in the intervals of a model, for every level of the intervals.

    The interval of a level is the central one of the normal distribution with the predicted mean and deviation. A model
    that knows its errors is on the diagonal, but for chance: with independent errors it is in the gray range with a
    probability of 95 % at each level. Below the diagonal deviations are too small, above it too large. The shares at
    the level 90 % are marked and written in the legend.

    Parameters
    ----------
    targets : (n) floats, or dict of such
        The true numbers; for several curves one array for all, or one by name.
    means, deviations : (n) floats, or dicts of such
        What was predicted, as by ``model.predict(graphs, return_std=True)`` of a
        :class:`wassergraph.GraphGaussianProcess`; for several curves by name.
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
    GraphGaussianProcess : predict means and deviations
    plot.draw_accuracies : draw accuracies or errors

    Examples
    --------
    >>> import numpy as np, wassergraph as wg
    >>> y = np.random.default_rng(0).normal(size=200)
    >>> zero, one = np.zeros(200), np.ones(200)
    >>> figure = wg.plot.draw_calibration(y, {"true": zero, "too sure": zero}, {"true": one, "too sure": one / 2})
    """
    check_picture(path)
    curves = _curves(targets, means, deviations)
    figure = new_figure(4.8, 5.2 + 0.17 * len(curves))  # a square, with a line of the legend for each curve
    axis = figure.subplots()
    for number, (name, curve) in enumerate(curves.items()):
        _draw_curve(axis, name, curve, PALETTE[number % len(PALETTE)])
    _draw_chance(axis, sorted({len(curve.targets) for curve in curves.values()}))
    _style_axis(axis, title)
    figure.legend(loc="outside lower left", frameon=False, fontsize=8)
    save_figure(figure, path)
    return figure


def _curves(
    targets: ArrayLike | Mapping[str, ArrayLike],
    means: ArrayLike | Mapping[str, ArrayLike],
    deviations: ArrayLike | Mapping[str, ArrayLike],
) -> dict[str, _Predictions]:
    """Return what was predicted, checked, by name; the name of a single curve is empty."""
    if not isinstance(means, Mapping) and not isinstance(deviations, Mapping) and not isinstance(targets, Mapping):
        return {"": _read("", targets, means, deviations)}
    if not isinstance(means, Mapping) or not isinstance(deviations, Mapping):
        raise InputError("for several curves, means and deviations must be dictionaries, with the same names")
    true = targets if isinstance(targets, Mapping) else dict.fromkeys(means, targets)
    if not means:
        raise InputError("there is nothing to draw", remedy="pass the predictions of at least one model")
    if not set(true) == set(means) == set(deviations):
        named = {"targets": true, "means": means, "deviations": deviations}
        names = "; ".join(f"{what}: {', '.join(each)}" for what, each in named.items())
        raise InputError(f"the names of the curves differ ({names})")
    return {name: _read(f" of {name}", true[name], means[name], deviations[name]) for name in means}


def _read(of: str, targets: ArrayLike, means: ArrayLike, deviations: ArrayLike) -> _Predictions:
    """Return arrays of equal length; raise an error unless all are finite and deviations positive."""
    read = _Predictions(*(np.asarray(each, dtype=np.float64) for each in (targets, means, deviations)))
    for name, values in zip(read._fields, read, strict=True):
        if values.ndim != 1:
            raise InputError(f"the {name}{of} must be a list of numbers, got an array of {values.ndim} dimensions")
        if len(values) != len(read.targets):
            problem = f"there are {count(len(read.targets), 'target')}, but {count(len(values), name[:-1])}{of}"
            raise InputError(problem, remedy="pass one for each target")
        wrong = np.flatnonzero(~np.isfinite(values) | (name == "deviations") & ~(values > 0))
        if wrong.size:
            what = "positive and finite" if name == "deviations" else "finite"
            raise InputError(f"the {name}{of} must be {what}, got {values[wrong[0]]:g} at the position {wrong[0]}")
    if not len(read.targets):
        raise InputError(f"there are no targets{of} to draw", remedy="pass at least one")
    return read


def _draw_chance(axis: Axes, sizes: list[int]) -> None:
    """Draw the diagonal, and around it the range of the share of so many targets of a calibrated model."""
    axis.plot([0, 100], [0, 100], color="#555555", linewidth=1, linestyle=(0, (4, 3)), label="calibrated", zorder=2)
    for n in sizes:
        low, high = (binom.ppf(0.5 + side * _CHANCE / 2, n, _LEVELS) / n for side in (-1, 1))
        area = axis.fill_between(
            100 * _LEVELS, 100 * low, 100 * high, color="#999999", alpha=0.25, linewidth=0, zorder=1
        )
    numbers = " or ".join(f"{n:,}" for n in sizes)
    area.set_label(f"where {100 * _CHANCE:.0f} % of calibrated models are, n = {numbers}")


def _draw_curve(axis: Axes, name: str, curve: _Predictions, color: str) -> None:
    marked = float(curve.coverage(np.array([_MARKED]))[0])
    label = f"{name + ': ' if name else ''}{100 * marked:.1f} % of targets in the {100 * _MARKED:.0f} % interval"
    axis.plot(100 * _LEVELS, 100 * curve.coverage(_LEVELS), color=color, linewidth=1.8, label=label, zorder=3)
    style: dict[str, Any] = {"markersize": 7, "markeredgecolor": "white", "markeredgewidth": 1, "clip_on": False}
    axis.plot(100 * _MARKED, 100 * marked, "o", color=color, zorder=4, **style)


def _style_axis(axis: Axes, title: str | None) -> None:
    axis.set(xlim=(0, 100), ylim=(0, 100), xlabel="level of the intervals in %", ylabel="targets inside in %")
    axis.grid(color="#eeeeee")
    axis.set_axisbelow(True)
    frame_axes(axis, "left", "bottom")
    if title is not None:
        axis.set_title(title)
