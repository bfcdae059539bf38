"""The palette of all pictures; functions to create and to save figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wassergraph.errors import InputError
from wassergraph.files.atomic import atomic_file, check_target
from wassergraph.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The colors of Okabe and Ito, which people with color vision deficiency can distinguish, and gray.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
LIGHT_BLUE, RED, YELLOW, GRAY = "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F"
PALETTE = (BLUE, ORANGE, GREEN, PINK, LIGHT_BLUE, RED, YELLOW, GRAY)

#: Without a date, the same figure is saved as the same bytes.
_METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def check_picture(path: str | Path) -> None:
    """Check that matplotlib is installed and that a picture can be written to a path.

    Call it before long computations whose result is to be drawn.

    Parameters
    ----------
    path : str or Path
        Where the picture will be written: a .png, .svg or .pdf file.

    Raises
    ------
    ValueError
        If the name has another ending.
    OSError
        If the file cannot be written.
    """
    require("matplotlib")
    if _format(path) not in _METADATA:
        problem = "the format of a picture is chosen by the ending of its name"
        raise InputError(problem, remedy="use .png, .svg or .pdf", file=path)
    check_target(path)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a width and height in inches."""
    require("matplotlib")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file, completely or not at all; the same figure always leads to the same bytes.

    Parameters
    ----------
    figure : Figure
        A figure of matplotlib.
    path : str or Path
        Where to write: a .png, .svg or .pdf file.
    """
    from matplotlib import rc_context

    check_picture(path)
    kind = _format(path)
    # The ids in an SVG file are random unless they have a salt.
    with rc_context({"svg.hashsalt": "wassergraph"}), atomic_file(path) as file:
        figure.savefig(file, format=kind, dpi=144, metadata=_METADATA[kind])


def _format(path: str | Path) -> str:
    return Path(path).suffix.lower().removeprefix(".")
