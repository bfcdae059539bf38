"""Draw what a prediction is made of: a graph with its nodes colored by their scores."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.colors import add_names, shortened
from wassergraph.pictures.graphs import MAX_NODES, draw_graph, edge_length, node_diameter
from wassergraph.pictures.molecules import BOND_LENGTH, add_disks, can_draw_molecules, depict, draw_strokes, place_atoms
from wassergraph.pictures.node_labels import short_labels, write_labels
from wassergraph.pictures.style import LIGHT_BLUE, ORANGE, check_picture, label_bar, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

#: The width and height of the graph in inches.
_WIDTH = 4.6
#: The least and the most pixels of the drawing of a molecule: bonds of small molecules would be too long otherwise.
_PIXELS = (170, 420)
#: The most letters of a line of the title, and of the name of a class at the color bar.
_LINE, _CLASS = 52, 12
#: The color of a score of 0, and of the outlines of nodes.
_NEUTRAL, _OUTLINE = "#F4F4F4", "#9A9A9A"


class HasScores(Protocol):
    """What is drawn of a :class:`wassergraph.Explanation`."""

    @property
    def graph(self) -> GraphBatch:
        """The graph."""

    @property
    def node_scores(self) -> FloatArray:
        """The score of every node."""

    @property
    def classes(self) -> tuple[Any, Any] | None:
        """The class that positive scores speak for, and the other; None for a number."""

    @property
    def headline(self) -> str:
        """The value in a few words."""


def draw_explanation(explanation: HasScores, *, path: str | Path | None = None, title: str | None = None) -> Figure:
    """Draw a graph with its nodes colored by their scores in a prediction.

    Molecules are drawn by RDKit if it is installed. Nodes of other graphs have their labels written into them, if there
    is room: up to about 70 nodes, with letters in place of long names, which are explained below. Nodes with a positive
    score are blue, those with a negative one orange, and those with none are light gray; colors are the deeper the
    larger the scores are.

    Parameters
    ----------
    explanation : Explanation
        What ``model.explain(graph)`` returns, for a graph of at most 10,000 nodes.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str, optional
        A first line above the value, such as the name of the graph.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    See Also
    --------
    Explanation : what is drawn
    GraphClassifier : a model with the method ``explain``
    plot.draw_plan : draw a transport plan
    plot.draw_graphs : draw graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> model = wg.GraphClassifier(wg.WWL(depth=1, kind="joint"), gamma=1.0, C=10.0).fit(graphs[:40], y[:40])
    >>> figure = wg.plot.draw_explanation(model.explain(graphs[40]), title="graph 40")
    """
    graph = explanation.graph
    if graph.n_nodes > MAX_NODES:
        raise InputError(f"{graph.n_nodes} nodes are too many to draw: the limit is {MAX_NODES}")
    check_picture(path)
    figure = new_figure(_WIDTH + 0.4, _WIDTH + 1.1)
    figure.set_layout_engine("constrained", h_pad=0.1)  # keeps the title off the edge
    axes, colors = figure.subplots(), _color_scale(explanation.node_scores)
    node_colors = np.asarray(colors.to_rgba(explanation.node_scores))
    if can_draw_molecules(graph):
        _draw_molecule(axes, graph, node_colors)
    else:
        _draw_circles(figure, axes, graph, node_colors)
    axes.set_axis_off()
    lines = [fill(line, _LINE) for line in (title, explanation.headline) if line]
    axes.set_title("\n".join(lines), fontsize=11, color="#333333")
    _add_color_bar(figure, axes, colors, explanation)
    save_figure(figure, path)
    return figure


def _color_scale(scores: FloatArray) -> ScalarMappable:
    """Return colors that are neutral at 0, and equally deep for scores of the same absolute value."""
    import matplotlib as mpl

    largest = float(np.abs(scores).max(initial=0.0)) or 1.0
    scale = mpl.colors.LinearSegmentedColormap.from_list("against and for", [ORANGE, _NEUTRAL, LIGHT_BLUE])
    return mpl.cm.ScalarMappable(mpl.colors.Normalize(-largest, largest), scale)


def _draw_circles(figure: Figure, axes: Axes, graph: GraphBatch, colors: FloatArray) -> None:
    """Draw a graph with the labels of its nodes, where they can be read."""
    points = draw_graph(axes, graph, list(colors), inches=_WIDTH, outline=_OUTLINE)
    diameter = node_diameter(graph.n_nodes, _WIDTH)
    texts, key = short_labels(graph, diameter)
    if texts:
        write_labels(axes, points, texts, colors, diameter)
    if key:
        style = {"markerfacecolor": "black", "markeredgewidth": 0}
        markers = {name: {**style, "marker": rf"$\mathrm{{{letter}}}$"} for letter, name in key.items()}
        add_names(figure, markers)


def _draw_molecule(axes: Axes, graph: GraphBatch, colors: FloatArray) -> None:
    """Draw a molecule in black, with a disk behind each atom."""
    pixels = int(np.clip(70 * np.sqrt(graph.n_nodes), *_PIXELS))
    svg, places = depict(place_atoms(graph), pixels, pixels, black=True)
    diameter = 0.8 * edge_length(graph, places, BOND_LENGTH)
    style: dict[str, Any] = {"facecolors": colors, "edgecolors": "none", "zorder": 0.5}
    add_disks(axes, places, diameter, "xy", **style)
    draw_strokes(axes, svg, 72 * _WIDTH / pixels)
    # A square around all of the disks, and letters beside their atoms.
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    half = float(np.ptp(places, axis=0).max()) / 2 + 0.75 * diameter
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] + half, middle[1] - half), aspect="equal")


def _add_color_bar(figure: Figure, axes: Axes, colors: ScalarMappable, explanation: HasScores) -> None:
    bar = figure.colorbar(colors, ax=axes, location="bottom", shrink=0.8, aspect=40, pad=0.02)
    noun = "atom" if explanation.graph.molecules else "node"
    label = f"score of the {noun}; the sum of all is the number"
    if explanation.classes is not None:
        toward, against = explanation.classes
        against, toward = (shortened(str(name), _CLASS) for name in (against, toward))
        label = f"← for class {against}      score of the {noun}      for class {toward} →"
    label_bar(bar, label, fontsize=9)
