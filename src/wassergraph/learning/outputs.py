"""Outputs: what a fitted model says about graphs, from which metrics are computed."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from numpy.typing import NDArray

from wassergraph.arrays import FloatArray

#: What a metric is computed from besides the targets: a field of :class:`Outputs`.
Needs: TypeAlias = Literal["predictions", "scores", "probabilities", "intervals"]
#: The level of the intervals whose coverage is measured.
INTERVAL_LEVEL = 0.9


class Outputs(NamedTuple):
    """What a model says about n graphs.

    Attributes
    ----------
    predictions : (n) array
        The predicted numbers, or classes, numbered from 0.
    scores : (n) or (n, n_classes) floats, or None
        The values of a ``decision_function``.
    probabilities : (n, n_classes) floats or None
        The probability of every class.
    intervals : (n, 2) floats or None
        The ends of intervals that contain a number with a probability of 90 percent.
    """

    predictions: NDArray[Any]
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None
    intervals: FloatArray | None = None
