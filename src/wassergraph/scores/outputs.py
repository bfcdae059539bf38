"""Outputs: what a fitted model says about graphs, from which measures are computed."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option

#: What a measure is computed from besides the targets: an attribute of :class:`Outputs`.
Needs: TypeAlias = Literal["predictions", "scores", "probabilities", "intervals"]
#: The level of the intervals whose coverage is measured.
INTERVAL_LEVEL = 0.9


def normal_reach(level: float) -> float:
    """Return how many standard deviations the central interval of a normal distribution reaches to either side."""
    if not 0 < level < 1:
        raise InputError(f"{{}} must lie between 0 and 1, got {level!r}", options=[Option("level")])
    return float(norm.ppf(0.5 + level / 2))


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
    deviations : (n) floats or None
        The standard deviations of predicted numbers.
    """

    predictions: NDArray[Any]
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None
    deviations: FloatArray | None = None

    @property
    def intervals(self) -> FloatArray | None:
        """The ends (n, 2) of intervals that contain a number with a probability of 90 percent; None if not known."""
        if self.deviations is None:
            return None
        reach = normal_reach(INTERVAL_LEVEL) * self.deviations
        return np.column_stack([self.predictions - reach, self.predictions + reach])
