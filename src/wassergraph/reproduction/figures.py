"""Figures of the tables: our accuracies next to those of the paper, with one panel for each data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from wassergraph.evaluation.methods import method_title
from wassergraph.pictures.style import GRAY, GREEN, LIGHT_BLUE, ORANGE, PINK, RED, new_figure
from wassergraph.reproduction.paper import PaperTable, dataset_title
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.statistics import Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The colors of the methods, the same in every table.
COLORS = {
    "v": GRAY,
    "e": LIGHT_BLUE,
    "wl": ORANGE,
    "wl-oa": GREEN,
    "vh-c": GRAY,
    "rbf-wl": LIGHT_BLUE,
    "hgk-wl": ORANGE,
    "hgk-sp": PINK,
    "gh": GREEN,
    "wwl": RED,
}
_COLUMNS = 4
_OFFSET = 0.16  # our dot is so far above the line of its method, that of the paper as far below


def draw_table(table: PaperTable, cells: Mapping[Key, Cell]) -> Figure:
    """Draw the accuracies of a table: ours as dots, those of the paper as circles, with standard deviations."""
    columns = 3 if len(table.datasets) % 3 == 0 else min(_COLUMNS, len(table.datasets))
    rows = -(-len(table.datasets) // columns)
    height = 0.34 * len(table.methods) + 0.7
    figure = new_figure(max(2.7 * columns, 6.4), height * rows + 0.5)
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for position, (dataset, axis) in enumerate(zip(table.datasets, axes, strict=False)):
        _draw_panel(axis, table, dataset, cells)
        if position % columns:
            axis.tick_params(labelleft=False)
    for unused in axes[len(table.datasets) :]:
        unused.set_axis_off()
    _add_legend(figure)
    return figure


def _draw_panel(axis: Axes, table: PaperTable, dataset: str, cells: Mapping[Key, Cell]) -> None:
    """Draw one data set, with a line for each method."""
    majority = None
    for line, method in enumerate(table.methods):
        color = COLORS[method]
        number, cell = table.numbers[method, dataset], cells.get(Key(dataset, method, table.kind))
        axis.axhline(line, color="#eeeeee", linewidth=9, zorder=0)
        _draw_dot(axis, number.mean, number.std, line + _OFFSET, color, hollow=True)
        if cell is not None:
            _draw_dot(axis, cell.mean, cell.std, line - _OFFSET, color, hollow=False)
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


def _draw_dot(axis: Axes, mean: float, std: float, height: float, color: str, *, hollow: bool) -> None:
    face = "white" if hollow else color
    axis.errorbar(
        mean, height, xerr=std, fmt="o", color=color, mfc=face, markersize=5, markeredgewidth=1.2, elinewidth=1.2
    )


def _add_legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color="#333333", marker="o", markersize=5, linewidth=1.2, label="ours"),
        Line2D([], [], color="#333333", marker="o", mfc="white", markersize=5, linewidth=1.2, label="paper"),
        Line2D([], [], color="#555555", linewidth=0.9, linestyle=(0, (3, 2)), label="largest class"),
    ]
    title = "accuracy in %, mean ± standard deviation over repetitions"
    size = {"fontsize": 8, "title_fontsize": 8}
    figure.legend(handles=handles, title=title, loc="outside lower center", ncols=3, frameon=False, **size)
