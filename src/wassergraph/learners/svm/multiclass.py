"""Several classes as problems of two classes, in the conventions of scikit-learn's SVC.

One-vs-one has a problem for every two classes (0, 1), (0, 2), …, (1, 2), …; a positive decision means the first of
them. One-vs-rest has a problem for every class; a positive decision means this class. Two classes are one problem,
(0, 1).
"""

from __future__ import annotations

import functools
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

Strategy: TypeAlias = Literal["ovo", "ovr"]


class TwoGroups(NamedTuple):
    """Two groups of training points to separate: the members (n), and 1 for the first group, -1 for the second."""

    members: IntArray
    signs: FloatArray


def problems(targets: IntArray, n_classes: int, strategy: Strategy = "ovo") -> list[TwoGroups]:
    """Return the problems of two groups that separate several classes.

    Parameters
    ----------
    targets : (n) integers
        The classes of the training points, numbered from 0.
    n_classes : int
        The number of classes.
    strategy : "ovo" or "ovr"
        One-vs-one, or one-vs-rest.

    Returns
    -------
    list of TwoGroups
        A problem for every pair of classes, or for every class.
    """
    by_class = [np.flatnonzero(targets == c) for c in range(n_classes)]
    if strategy == "ovo" or n_classes == 2:
        groups = [(by_class[a], by_class[b]) for a, b in class_pairs(n_classes)]
    else:
        groups = [(own, np.concatenate(by_class[:c] + by_class[c + 1 :])) for c, own in enumerate(by_class)]
    return [
        TwoGroups(np.concatenate([first, second]), np.repeat([1.0, -1.0], [len(first), len(second)]))
        for first, second in groups
    ]


@functools.cache
def class_pairs(n_classes: int) -> NDArray[np.int64]:
    """Return the two classes of every problem of one-vs-one (n_pairs, 2), which must not be changed."""
    pairs = np.column_stack(np.triu_indices(n_classes, 1)).astype(np.int64)
    pairs.setflags(write=False)
    return pairs


def vote(decisions: NDArray[Any], n_classes: int) -> IntArray:
    """Return the class with most votes from one-vs-one decisions (..., n_pairs); of several, the first, as in libsvm.

    A positive decision is a vote for the first class of its pair, any other for the second.
    """
    counts = np.zeros((*decisions.shape[:-1], n_classes), dtype=np.int32)
    for pair, (first, second) in enumerate(class_pairs(n_classes)):
        positive = decisions[..., pair] > 0
        counts[..., first] += positive
        counts[..., second] += ~positive
    return np.asarray(counts.argmax(axis=-1))


def scores_by_class(decisions: FloatArray, n_classes: int) -> FloatArray:
    """Compute one score per class (n, n_classes) from one-vs-one decisions (n, n_pairs).

    This is scikit-learn's ``decision_function_shape="ovr"``: the votes for a class, plus the sum of its decisions,
    mapped to less than a third of a vote in either direction, which breaks ties.
    """
    votes = np.zeros((len(decisions), n_classes))
    sums = np.zeros((len(decisions), n_classes))
    for pair, (first, second) in enumerate(class_pairs(n_classes)):
        column = decisions[:, pair]
        sums[:, first] += column
        sums[:, second] -= column
        votes[:, first] += column >= 0
        votes[:, second] += column < 0
    scores: FloatArray = votes + sums / (3 * (np.abs(sums) + 1))
    return scores
