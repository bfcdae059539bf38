"""The colors of nodes, and the legends that explain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.style import PALETTE, label_bar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The width of a letter of the legend and of what else an entry has, and the height of a line, in inches; the most
#: letters of a name.
_LETTER, _MARK, _ROW, _LONGEST = 0.075, 0.55, 0.19, 28


#: The color of every node of a batch, and a function that explains the colors below a figure.
Coloring: TypeAlias = "tuple[Sequence[Any], Callable[[Figure], None]]"


def color_nodes(graphs: GraphBatch) -> Coloring:
    """Color nodes by their label, otherwise by their first attribute, otherwise by their degree."""
    if graphs.node_labels is not None:
        colors, names = label_colors(graphs)
        return colors, lambda figure: _add_label_legend(figure, names)
    if graphs.node_attributes is not None and graphs.node_attributes.shape[1]:
        named = graphs.vocabulary.node_attributes
        return _color_by_value(graphs.node_attributes[:, 0], named[0] if named else "first node attribute")
    return _color_by_value(graphs.degrees, "degree")


def label_colors(graphs: GraphBatch) -> tuple[list[str], dict[str, str]]:
    """Return the color of each node, and the color by the name of a label.

    Each of the most frequent labels has a color, and all others share the last one.
    """
    assert graphs.node_labels is not None
    values, inverse, counts = np.unique(graphs.node_labels, return_inverse=True, return_counts=True)
    last = len(PALETTE) - 1
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(values)), last)
    shown = [i for i in range(len(values)) if rank[i] < last]
    names = {graphs.vocabulary.node_label_title(int(values[i])): PALETTE[rank[i]] for i in shown}
    if len(names) < len(values):
        names[f"{len(values) - len(names)} other labels"] = PALETTE[last]
    return [PALETTE[rank[i]] for i in inverse], names


def _color_by_value(values: NDArray[Any], name: str) -> Coloring:
    import matplotlib as mpl

    scale = mpl.colors.Normalize(float(values.min()), float(values.max()))
    mapping = mpl.cm.ScalarMappable(scale, mpl.colormaps["viridis"])

    def add_legend(figure: Figure) -> None:
        bar = figure.colorbar(mapping, ax=figure.axes, location="bottom", shrink=0.4, aspect=40)
        label_bar(bar, name, fontsize=8)

    return list(mapping.to_rgba(values)), add_legend


def shortened(name: str, longest: int) -> str:
    """Return a name, or its beginning and end: long names often differ in their ends.

    Examples
    --------
    >>> shortened("a very long label 17", 12)
    'a very…el 17'
    """
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[len(name) - end :]}"


def _add_label_legend(figure: Figure, names: dict[str, str]) -> None:
    """Explain colors below a figure."""
    style = {"marker": "o", "markeredgecolor": "white"}
    add_names(figure, {name: {**style, "markerfacecolor": color} for name, color in names.items()})


def add_names(figure: Figure, markers: Mapping[str, Mapping[str, Any]]) -> None:
    """Write names with their markers below a figure, in as many lines as its width needs.

    Parameters
    ----------
    figure : Figure
        The figure, which becomes higher; the middle of names that are too long for it is left out.
    markers : mapping
        What matplotlib's ``Line2D`` takes to draw the marker, by name.
    """
    from matplotlib.lines import Line2D

    width, height = figure.get_size_inches().tolist()
    longest = int(min(_LONGEST, (width - _MARK) / _LETTER))
    texts = [shortened(name, longest) for name in markers]
    handles = [
        Line2D([], [], linestyle="", label=text, **marker) for text, marker in zip(texts, markers.values(), strict=True)
    ]
    ncols = int(np.clip(width / (_LETTER * max(map(len, texts)) + _MARK), 1, len(handles)))
    figure.set_figheight(height + _ROW * (-(-len(handles) // ncols) - 1))
    figure.legend(handles=handles, loc="outside lower center", ncols=ncols, frameon=False, fontsize=8)
