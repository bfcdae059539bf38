"""Many classes as several problems of two, in the conventions of scikit-learn's SVC.

One-vs-one has a problem for every two classes (0, 1), (0, 2), …, (1, 2), …; a positive decision speaks for the first of
them. One-vs-rest has a problem for every class; a positive decision speaks for it. Two classes are one problem, (0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

Strategy: TypeAlias = Literal["ovo", "ovr"]


class Problem(NamedTuple):
    """Two groups of training points to tell apart: the members (n), and 1 for the first group, -1 for the other."""

    members: IntArray
    signs: FloatArray


def problems(codes: IntArray, n_classes: int, strategy: Strategy = "ovo") -> list[Problem]:
    """Cut the classes (codes 0 … n_classes - 1 of the training points) into problems of two groups."""
    by_class = [np.flatnonzero(codes == c) for c in range(n_classes)]
    if strategy == "ovo" or n_classes == 2:
        pairs = [([by_class[a]], [by_class[b]]) for a in range(n_classes) for b in range(a + 1, n_classes)]
    else:
        pairs = [([by_class[c]], by_class[:c] + by_class[c + 1 :]) for c in range(n_classes)]
    return [_problem(np.concatenate(first), np.concatenate(second)) for first, second in pairs]


def _problem(first: IntArray, second: IntArray) -> Problem:
    return Problem(np.concatenate([first, second]), np.repeat([1.0, -1.0], [len(first), len(second)]))


def pair_codes(n_classes: int) -> NDArray[np.int64]:
    """List the two classes of every problem of one-vs-one (n_pairs, 2)."""
    return np.array([(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)], dtype=np.int64).reshape(-1, 2)


class Votes:
    """Count the decisions of one-vs-one machines, one pair of classes after the other, as libsvm does.

    Parameters
    ----------
    shape : tuple of int
        The shape of the decisions of one pair.
    n_classes : int
        How many classes there are.
    """

    def __init__(self, shape: tuple[int, ...], n_classes: int) -> None:
        self._pairs = pair_codes(n_classes)
        self._counts = np.zeros((*shape, n_classes), dtype=np.int32)

    def add(self, pair: int, decisions: NDArray[Any]) -> None:
        """Count the decisions of a pair: positive ones for its first class, the others for the second."""
        first, second = self._pairs[pair]
        won = decisions > 0
        self._counts[..., first] += won
        self._counts[..., second] += ~won

    def winners(self) -> IntArray:
        """Give the class with most votes; of several, the first."""
        return np.asarray(self._counts.argmax(axis=-1))


def vote(decisions: NDArray[Any], n_classes: int) -> IntArray:
    """Give the class with most of the one-vs-one decisions (..., n_pairs)."""
    votes = Votes(decisions.shape[:-1], n_classes)
    for pair in range(decisions.shape[-1]):
        votes.add(pair, decisions[..., pair])
    return votes.winners()


def scores_by_class(decisions: FloatArray, n_classes: int) -> FloatArray:
    """Turn one-vs-one decisions (n, n_pairs) into one score per class (n, n_classes): votes, ties told by confidence.

    This is scikit-learn's ``decision_function_shape="ovr"``: the sum of a class's decisions, squeezed into a third of a
    vote either way, is added to its votes.
    """
    votes = np.zeros((len(decisions), n_classes))
    sums = np.zeros((len(decisions), n_classes))
    for pair, (first, second) in enumerate(pair_codes(n_classes)):
        column = decisions[:, pair]
        sums[:, first] += column
        sums[:, second] -= column
        votes[:, first] += column >= 0
        votes[:, second] += column < 0
    scores: FloatArray = votes + sums / (3 * (np.abs(sums) + 1))
    return scores


def class_name(value: Any) -> str:
    """Write a class as one would type it: 'active', not np.str_('active')."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def present_classes(codes: IntArray, classes: Sequence[Any] | NDArray[Any], where: str) -> None:
    """Refuse training points of which a class is missing."""
    missing = np.setdiff1d(np.arange(len(classes)), codes)
    if missing.size:
        name = class_name(classes[missing[0]])
        raise ValueError(f"{where} has no graph of the class {name}: cut other folds, or leave the class out")
