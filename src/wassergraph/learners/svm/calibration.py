"""From decisions to probabilities: a sigmoid for every two classes, and the probabilities that fit all pairs best.

The sigmoids are Platt's (1999), fitted to decisions on graphs that the SVM was not trained on. The probabilities of
more than two classes are computed from those of pairs by the second method of Wu, Lin and Weng (2004), as in libsvm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learners.svm.multiclass import class_pairs

#: How near to 0 and 1 the probability of a pair may come: a sample cannot support more certainty than that.
_SMALLEST = 1e-7


def fit_sigmoids(decisions: FloatArray, targets: IntArray, n_classes: int) -> FloatArray:
    """Fit ``expit(slope * decision + offset)``, the probability of a pair's first class, for every pair.

    Parameters
    ----------
    decisions : (n, n_pairs) floats
        One-vs-one decisions; rows with NaN, of graphs without a decision, are left out.
    targets : (n) integers
        The classes, numbered from 0.
    n_classes : int
        The number of classes.

    Returns
    -------
    (n_pairs, 2) floats
        Slope and offset.
    """
    known = np.isfinite(decisions).all(axis=1)
    sigmoids = [
        _fit_sigmoid(decisions[members, pair], targets[members] == first)
        for pair, (first, second) in enumerate(class_pairs(n_classes))
        for members in [known & ((targets == first) | (targets == second))]
    ]
    return np.array(sigmoids)


def _fit_sigmoid(decisions: FloatArray, first: NDArray[np.bool_]) -> FloatArray:
    """Compute the slope and offset of the greatest likelihood, for targets slightly inside of 0 and 1 (Platt)."""
    n_first, n_second = int(first.sum()), int((~first).sum())
    target = np.where(first, (n_first + 1) / (n_first + 2), 1 / (n_second + 2))
    unit = max(float(np.abs(decisions).max(initial=0.0)), np.finfo(float).tiny)
    design = np.column_stack([decisions / unit, np.ones(len(decisions))])

    def loss(line: FloatArray) -> float:
        z = design @ line
        return float(-(target * log_expit(z) + (1 - target) * log_expit(-z)).sum())

    def gradient(line: FloatArray) -> FloatArray:
        return np.asarray(design.T @ (expit(design @ line) - target))

    def hessian(line: FloatArray) -> FloatArray:
        p = expit(design @ line)
        return np.asarray((design * (p * (1 - p))[:, None]).T @ design)

    start = np.array([0.0, np.log((n_first + 1) / (n_second + 1))])
    line = minimize(loss, start, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-8}).x
    return np.array([line[0] / unit, line[1]])


def centered(decisions: FloatArray, sigmoids: FloatArray, weights: FloatArray) -> tuple[float, FloatArray]:
    """Return what to subtract from the decisions between two classes, so that 0 is where both are worth the same.

    That is where the probability of each class, times its weight, is the same: a probability of one half if the weights
    are equal, and the share of a class if they are inversely proportional to the shares.

    Parameters
    ----------
    decisions : (n, 1) floats
        Decisions on graphs that the SVM was not trained on; NaN for graphs without one.
    sigmoids : (1, 2) floats
        The sigmoid that was fitted to them.
    weights : (2) floats
        The weights of both classes.

    Returns
    -------
    shift, sigmoids : float, (1, 2) floats
        The sigmoid is that of the decisions from which the shift was subtracted. The shift is within the range of the
        decisions. If higher decisions do not mean higher probabilities, it is one by which the more probable class is
        predicted of all graphs.
    """
    (slope, offset), known = sigmoids[0], decisions[np.isfinite(decisions)]
    if slope > 0:
        shift = float(np.clip((np.log(weights[1] / weights[0]) - offset) / slope, known.min(), known.max()))
    else:
        shift = float(known.min() - 1 if offset > 0 else known.max())
    return shift, np.array([[slope, offset + slope * shift]])


def decision_threshold(sigmoids: FloatArray) -> float | None:
    """Return the probability of the second of two classes at which its decision changes; None for other sigmoids."""
    if len(sigmoids) != 1 or sigmoids[0, 0] <= 0:
        return None
    return float(np.clip(expit(-sigmoids[0, 1]), _SMALLEST, 1 - _SMALLEST))


def probabilities(decisions: FloatArray, sigmoids: FloatArray, n_classes: int) -> FloatArray:
    """Compute the probability of every class from one-vs-one decisions.

    Parameters
    ----------
    decisions : (n, n_pairs) floats
        One-vs-one decisions.
    sigmoids : (n_pairs, 2) floats
        As :func:`fit_sigmoids` returns them.
    n_classes : int
        The number of classes.

    Returns
    -------
    (n, n_classes) floats
        Probabilities, each row with the sum 1. Those of a pair are at least 1e-7 and at most 1 - 1e-7.
    """
    first = np.clip(expit(decisions * sigmoids[:, 0] + sigmoids[:, 1]), _SMALLEST, 1 - _SMALLEST)
    pairs = np.zeros((len(decisions), n_classes, n_classes))
    for pair, (a, b) in enumerate(class_pairs(n_classes)):
        pairs[:, a, b], pairs[:, b, a] = first[:, pair], 1 - first[:, pair]
    return pairs[:, [0, 1], [1, 0]] if n_classes == 2 else _couple(pairs)


def _couple(pairs: FloatArray) -> FloatArray:
    """Compute p (n, k) with sum 1 that minimizes Σ_{i<j} (r_ji p_i - r_ij p_j)², for r (n, k, k) of pairs.

    This is a linear system with an additional row and column for the sum; its solution is positive.
    """
    n, k, _ = pairs.shape
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -pairs * pairs.transpose(0, 2, 1)
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = (pairs**2).sum(axis=1)
    system[:, k, :k] = system[:, :k, k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)  # rounding can make a probability of 0 negative
    normalized: FloatArray = p / p.sum(axis=1, keepdims=True)
    return normalized
