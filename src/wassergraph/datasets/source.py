"""Graphs with their classes and names, as the command line reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from wassergraph.graphs.batch import GraphBatch


@dataclass(frozen=True, eq=False)
class Source:
    """Graphs with their classes and names.

    Attributes
    ----------
    graphs : GraphBatch
    y : (n_graphs) array, or None
        The class of each graph; None if classes are unknown.
    names : list of str
        The name of each graph.
    published : str or None
        The name of the data set of the paper that graphs and classes are, by their content; None if they are none.
    """

    graphs: GraphBatch
    y: NDArray[Any] | None
    names: list[str]
    published: str | None = None
