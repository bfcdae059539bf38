"""From decisions to probabilities: a sigmoid for every two classes, and what agrees best with all of them.

The sigmoids are Platt's (1999), fitted to decisions on graphs that the deciding machine had not seen. The probabilities
of more than two classes come from those of pairs by the second method of Wu, Lin and Weng (2004), as in libsvm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.multiclass import pair_codes

#: How near to 0 and 1 the probability of a pair may come: beyond that, none is really known.
_SURE = 1e-7


def fit_sigmoids(decisions: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    """Fit ``expit(slope * decision + offset)``, the probability of a pair's first class: (n_pairs, 2).

    Decisions (n, n_pairs) that are NaN, of graphs that were not decided on, are left out.
    """
    known = np.isfinite(decisions).all(axis=1)
    sigmoids = [
        _fit_sigmoid(decisions[among, pair], codes[among] == first)
        for pair, (first, second) in enumerate(pair_codes(n_classes))
        for among in [known & ((codes == first) | (codes == second))]
    ]
    return np.array(sigmoids)


def _fit_sigmoid(decisions: FloatArray, first: NDArray[np.bool_]) -> FloatArray:
    """Find the slope and offset of the greatest likelihood, for targets drawn a little towards the middle (Platt)."""
    n_first, n_second = int(first.sum()), int((~first).sum())
    target = np.where(first, (n_first + 1) / (n_first + 2), 1 / (n_second + 2))
    unit = max(float(np.abs(decisions).max(initial=0.0)), np.finfo(float).tiny)
    design = np.column_stack([decisions / unit, np.ones(len(decisions))])

    def loss(line: FloatArray) -> float:
        z = design @ line
        return float(-(target * log_expit(z) + (1 - target) * log_expit(-z)).sum())

    def slope(line: FloatArray) -> FloatArray:
        return np.asarray(design.T @ (expit(design @ line) - target))

    def curvature(line: FloatArray) -> FloatArray:
        p = expit(design @ line)
        return np.asarray((design * (p * (1 - p))[:, None]).T @ design)

    begin = np.array([0.0, np.log((n_first + 1) / (n_second + 1))])
    line = minimize(loss, begin, jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-8}).x
    return np.array([line[0] / unit, line[1]])


def probabilities(decisions: FloatArray, sigmoids: FloatArray, n_classes: int) -> FloatArray:
    """Turn decisions (n, n_pairs) into probabilities (n, n_classes) that sum to 1."""
    first = np.clip(expit(decisions * sigmoids[:, 0] + sigmoids[:, 1]), _SURE, 1 - _SURE)
    pairs = np.zeros((len(decisions), n_classes, n_classes))
    for pair, (a, b) in enumerate(pair_codes(n_classes)):
        pairs[:, a, b], pairs[:, b, a] = first[:, pair], 1 - first[:, pair]
    return pairs[:, [0, 1], [1, 0]] if n_classes == 2 else _couple(pairs)


def _couple(pairs: FloatArray) -> FloatArray:
    """Find p (n, k) with sum 1 that minimizes Σ_{i<j} (r_ji p_i - r_ij p_j)², for probabilities r (n, k, k) of pairs.

    That is a linear system with one more row and column for the sum; its solution is positive.
    """
    n, k, _ = pairs.shape
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -pairs * pairs.transpose(0, 2, 1)
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = (pairs**2).sum(axis=1)
    system[:, k, :k] = system[:, :k, k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)  # where rounding made a probability of 0 negative
    total: FloatArray = p / p.sum(axis=1, keepdims=True)
    return total
