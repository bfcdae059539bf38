"""ClassPredictions: what a classifier says about graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.models.training_graphs import Neighbors


class ClassPredictions(NamedTuple):
    """What a classifier says about graphs.

    Attributes
    ----------
    classes : (n) array
        The predicted classes.
    decisions : (n) or (n, n_classes) floats
        The scores of ``decision_function``.
    probabilities : (n, n_classes) floats
        The probabilities of the classes.
    neighbors : Neighbors or None
        The nearest training graphs, if they are known.
    """

    classes: NDArray[Any]
    decisions: FloatArray
    probabilities: FloatArray
    neighbors: Neighbors | None
