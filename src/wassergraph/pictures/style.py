"""The palette of all pictures; functions to create and to save figures."""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wassergraph.errors import InputError
from wassergraph.files.atomic import atomic_file, check_target
from wassergraph.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.figure import Figure

# The colors of Okabe and Ito, which people with color vision deficiency can distinguish; three more, for which shapes
# must help; ten for many classes, chosen far from each other and from all others in Oklab, also as such people see
# them; and gray, for the rest.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
LIGHT_BLUE, RED, YELLOW, PURPLE = "#56B4E9", "#D55E00", "#F0E442", "#8A63C8"
OLIVE, BROWN, GRAY = "#999933", "#A0522D", "#7F7F7F"
_MORE = ("#4B005A", "#0B4A12", "#1F2FC4", "#2FE0BC", "#A50078", "#E23BF2", "#DDC3F5", "#5A3C3C", "#6A1FEF", "#FFC396")
PALETTE = (BLUE, ORANGE, GREEN, PINK, LIGHT_BLUE, RED, YELLOW, PURPLE, OLIVE, BROWN, *_MORE, GRAY)

#: Without a date, the same figure is saved as the same bytes.
_METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}

#: Pixels per inch of a figure in a notebook: one of usual width fits into a cell.
_NOTEBOOK_DPI = 100


def check_picture(path: str | Path | None) -> None:
    """Check that matplotlib is installed and that a picture can be written to a path.

    Call it before long computations whose result is to be drawn.

    Parameters
    ----------
    path : str, Path or None
        Where the picture will be written: a .png, .svg or .pdf file. None checks nothing.

    Raises
    ------
    ValueError
        If the name has another ending.
    OSError
        If the file cannot be written.
    """
    if path is None:
        return
    require("matplotlib")
    if _format(path) not in _METADATA:
        problem = "the format of a picture is chosen by the ending of its name"
        raise InputError(problem, remedy="use .png, .svg or .pdf", file=path)
    check_target(path)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a width and height in inches, which is shown as the last line of a notebook's cell."""
    require("matplotlib")
    return _figure_class()(figsize=(width, height), layout="constrained")


@functools.cache
def _figure_class() -> type[Figure]:
    """Return the class of all figures; it is made here because matplotlib is imported on first use only."""
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        """A figure that notebooks show; matplotlib shows only those of pyplot, which keeps each in memory."""

        __qualname__ = "NotebookFigure"  # by this name, pickle asks __getattr__ below for the class

        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", dpi=_NOTEBOOK_DPI)
            return buffer.getvalue()

    return NotebookFigure


def __getattr__(name: str) -> object:
    if name != "NotebookFigure":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _figure_class()


def label_bar(bar: Colorbar, label: str, *, fontsize: float) -> None:
    """Write what a horizontal color bar shows above it; below is the factor of very large or very small numbers."""
    bar.set_label(label, fontsize=fontsize)
    bar.ax.xaxis.set_label_position("top")
    bar.ax.tick_params(labelsize=fontsize - 1)
    bar.ax.xaxis.get_offset_text().set_fontsize(fontsize - 1)
    bar.ax.ticklabel_format(axis="x", useMathText=True)  # × 10⁻⁹ instead of 1e−9


def frame_axes(axes: Axes, *sides: str) -> None:
    """Leave only some sides of the frame of axes, in gray, and no ticks."""
    axes.tick_params(length=0)
    for side, spine in axes.spines.items():
        spine.set_visible(side in sides)
        spine.set_color("#999999")


def save_figure(figure: Figure, path: str | Path | None) -> None:
    """Write a figure to a file, completely or not at all; the same figure always leads to the same bytes.

    Parameters
    ----------
    figure : Figure
        A figure of matplotlib.
    path : str, Path or None
        Where to write: a .png, .svg or .pdf file. None does not write it.
    """
    if path is None:
        return
    from matplotlib import rc_context

    check_picture(path)
    kind = _format(path)
    # The ids in an SVG file are random unless they have a salt.
    with rc_context({"svg.hashsalt": "wassergraph"}), atomic_file(path) as file:
        figure.savefig(file, format=kind, dpi=144, metadata=_METADATA[kind])


def _format(path: str | Path) -> str:
    return Path(path).suffix.lower().removeprefix(".")
