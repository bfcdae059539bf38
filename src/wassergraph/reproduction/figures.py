"""A picture per table: our accuracies beside the paper's, a panel a data set."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wassergraph.files.atomic import write_atomically
from wassergraph.optional import require
from wassergraph.reproduction.paper import Table, dataset_title, method_title
from wassergraph.reproduction.statistics import Cell, Key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colors of the methods (Okabe and Ito: distinct also for color-blind eyes); a method has its color in every table.
COLORS = {
    "v": "#7F7F7F",
    "e": "#56B4E9",
    "wl": "#E69F00",
    "wl-oa": "#009E73",
    "vh-c": "#7F7F7F",
    "rbf-wl": "#56B4E9",
    "hgk-wl": "#E69F00",
    "hgk-sp": "#CC79A7",
    "gh": "#009E73",
    "wwl": "#D55E00",
}
_COLUMNS = 4
_LIFT = 0.16  # ours stands this much above the line of its method, the paper's as much below


def draw_table(table: Table, found: Mapping[Key, Cell]) -> Figure:
    """Draw the accuracies of a table: ours as dots, the paper's as circles, each with its standard deviation."""
    require("matplotlib")
    from matplotlib.figure import Figure

    columns = 3 if len(table.datasets) % 3 == 0 else min(_COLUMNS, len(table.datasets))
    rows = -(-len(table.datasets) // columns)
    height = 0.34 * len(table.methods) + 0.7
    figure = Figure(figsize=(max(2.7 * columns, 6.4), height * rows + 0.5), layout="constrained")
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for position, (dataset, axis) in enumerate(zip(table.datasets, axes, strict=False)):
        _draw_panel(axis, table, dataset, found)
        if position % columns:
            axis.tick_params(labelleft=False)
    for unused in axes[len(table.datasets) :]:
        unused.set_axis_off()
    _add_legend(figure)
    return figure


def save_picture(figure: Figure, path: Path) -> None:
    """Write a picture so that the same figure gives the same bytes: no date, and ids that are not random."""
    from matplotlib import rc_context

    stream, kind = io.BytesIO(), path.suffix.removeprefix(".")
    with rc_context({"svg.hashsalt": "wassergraph"}):
        figure.savefig(stream, format=kind, dpi=144, metadata={"Date": None} if kind == "svg" else None)
    write_atomically(path, stream.getvalue())


def _draw_panel(axis: Any, table: Table, dataset: str, found: Mapping[Key, Cell]) -> None:
    """Draw one data set: a line a method, the first one on top."""
    majority = None
    for line, method in enumerate(table.methods):
        color = COLORS[method]
        number, cell = table.numbers[method, dataset], found.get((dataset, method, table.kind))
        axis.axhline(line, color="#eeeeee", linewidth=9, zorder=0)
        _draw_dot(axis, number.mean, number.std, line + _LIFT, color, hollow=True)
        if cell is not None:
            _draw_dot(axis, cell.mean, cell.std, line - _LIFT, color, hollow=False)
            majority = cell.majority
    if majority is not None:
        axis.axvline(majority, color="#555555", linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
    axis.set_yticks(range(len(table.methods)), [method_title(method) for method in table.methods], fontsize=8)
    axis.set_ylim(len(table.methods) - 0.4, -0.6)
    axis.set_title(dataset_title(dataset), fontsize=9)
    axis.tick_params(axis="y", length=0)
    axis.tick_params(axis="x", labelsize=7, color="#999999")
    axis.margins(x=0.08)
    axis.locator_params(axis="x", nbins=5)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.spines["bottom"].set_color("#999999")


def _draw_dot(axis: Any, mean: float, std: float, height: float, color: str, *, hollow: bool) -> None:
    face = "white" if hollow else color
    axis.errorbar(
        mean, height, xerr=std, fmt="o", color=color, mfc=face, markersize=5, markeredgewidth=1.2, elinewidth=1.2
    )


def _add_legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color="#333333", marker="o", markersize=5, linewidth=1.2, label="ours"),
        Line2D([], [], color="#333333", marker="o", mfc="white", markersize=5, linewidth=1.2, label="the paper's"),
        Line2D([], [], color="#555555", linewidth=0.9, linestyle=(0, (3, 2)), label="largest class"),
    ]
    title = "accuracy in %, mean ± standard deviation of the repetitions"
    size = {"fontsize": 8, "title_fontsize": 8}
    figure.legend(handles=handles, title=title, loc="outside lower center", ncols=3, frameon=False, **size)
