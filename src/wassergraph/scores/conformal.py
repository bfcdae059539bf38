"""Split-conformal intervals: how far predictions are off on graphs whose numbers nothing was learned from.

If a new graph and the n graphs of the calibration set are exchangeable, as when all are drawn from one collection at
random, then the error of its prediction is at most the k-th smallest calibration error with a probability of at least
k / (n + 1), whatever the model is. The interval of level p takes the smallest such k with k / (n + 1) ≥ p.
"""

from __future__ import annotations

import math

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option


def calibration_size(n_graphs: int, share: float) -> int:
    """Return how many graphs are set aside for calibration; raise an error unless the share is from 0 to below 1."""
    if not 0 <= share < 1:
        raise InputError(f"{{}} must be at least 0 and below 1, got {share!r}", options=[Option("calibration")])
    return min(math.ceil(share * n_graphs), n_graphs - 2)


def has_intervals(n_errors: int, level: float) -> bool:
    """Return whether so many calibration errors are enough for intervals of a level."""
    return _rank(n_errors, level) <= n_errors


def _rank(n_errors: int, level: float) -> int:
    """Return which of the sorted calibration errors is the half width of intervals, counted from 1."""
    return math.ceil(level * (n_errors + 1) - 1e-9)


def conformal_radius(errors: FloatArray, level: float) -> float:
    """Return the half width of intervals.

    Parameters
    ----------
    errors : (n) floats
        The absolute errors on the calibration set, sorted.
    level : float
        The share of new graphs that an interval contains, at least, on average over calibration sets.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the level is not between 0 and 1, or if there are too few errors for it.

    Examples
    --------
    >>> conformal_radius(np.arange(1.0, 20.0), 0.9)
    18.0
    """
    if not 0 < level < 1:
        raise InputError(f"{{}} must lie between 0 and 1, got {level!r}", options=[Option("level")])
    if not has_intervals(len(errors), level):
        needed = math.ceil(level / (1 - level) - 1e-9)
        raise InputError(
            f"intervals of the level {level:g} need {needed} graphs for calibration, but there were {len(errors)}",
            remedy="train with more graphs or a larger {}, or ask for a smaller {}",
            options=[Option("calibration"), Option("level")],
        )
    return float(errors[_rank(len(errors), level) - 1])


def sorted_errors(predictions: FloatArray, targets: FloatArray) -> FloatArray:
    """Return the absolute errors of predictions, sorted."""
    return np.sort(np.abs(predictions - targets))
