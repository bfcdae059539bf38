"""Labels that are written into nodes."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Labels are written into nodes of at least this diameter in points, with at most so many characters.
_ROOM, _LETTERS = 9.5, 3
_BLACK = "#222222"


def node_label_names(graph: GraphBatch) -> list[str]:
    """Return the label of every node in short: its name, or the number."""
    assert graph.node_labels is not None
    return list(map(graph.vocabulary.node_label, graph.node_labels.tolist()))


def fit_into_nodes(graph: GraphBatch, diameter: float) -> bool:
    """Return whether the nodes of a graph have labels that can be read in circles of a diameter in points."""
    return diameter >= _ROOM and graph.node_labels is not None and max(map(len, node_label_names(graph))) <= _LETTERS


def short_labels(graph: GraphBatch, diameter: float) -> tuple[list[str], dict[str, str]]:
    """Return what to write into nodes of a diameter in points, and what it stands for.

    Parameters
    ----------
    graph : GraphBatch
        One graph.
    diameter : float
        The diameter of its nodes in points.

    Returns
    -------
    texts : list of str
        The label of each node, or a letter for it if names are long; nothing if nobody could read it.
    key : dict of str
        The name that each letter stands for.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graph = wg.from_edges([[(0, 1), (1, 2)]], node_labels=[["sheet", "helix", "sheet"]], symmetrize=True)
    >>> short_labels(graph, 12.0)
    (['B', 'A', 'B'], {'A': 'helix', 'B': 'sheet'})
    """
    if graph.node_labels is None or diameter < _ROOM:
        return [], {}
    names = node_label_names(graph)
    if fit_into_nodes(graph, diameter):
        return names, {}
    letters = dict(zip(sorted(set(names)), ascii_uppercase, strict=False))
    if len(letters) < len(set(names)):
        return [], {}
    return [letters[name] for name in names], {letter: name for name, letter in letters.items()}


def write_labels(axes: Axes, points: FloatArray, texts: Sequence[str], colors: FloatArray, diameter: float) -> None:
    """Write texts into nodes of these places, colors and diameter in points, in black or white."""
    light = colors[:, :3] @ [0.3, 0.59, 0.11] > 0.5
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": 0.58 * diameter, "zorder": 4}
    for (x, y), text, black in zip(points.tolist(), texts, light, strict=True):
        axes.text(x, y, text, color=_BLACK if black else "white", **style)
