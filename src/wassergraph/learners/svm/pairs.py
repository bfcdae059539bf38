"""SVMs for every two classes: with many classes there are thousands, and each takes little time.

targets ──pair_problems──▶ problems ──smo.solve_problems──▶ solutions ──count_votes──▶ votes for every class
──decide_pairs──▶ decisions
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph import _core
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.slices import offsets, ranges
from wassergraph.learners.svm.multiclass import class_pairs
from wassergraph.learners.svm.smo import Problems, Starts, start_sources, starts_of


class Deciders(NamedTuple):
    """SVMs for every two classes, and the kernel that they are applied to.

    Attributes
    ----------
    problems : Problems
        The problem of each pair of classes.
    n_classes : int
        The number of classes.
    coefficients : (n_C, n_members) floats
        The coefficients.
    intercepts : (n_pairs, n_C) floats
        The intercepts.
    columns : (n_train, n_test) floats
        The kernel of the training graphs with the graphs to predict.
    """

    problems: Problems
    n_classes: int
    coefficients: FloatArray
    intercepts: FloatArray
    columns: FloatArray


class Solved(NamedTuple):
    """The SVMs for a gamma, which those for a larger one start from.

    Attributes
    ----------
    gamma : float
        The gamma.
    coefficients : (n_C, n_members) floats
        Their coefficients.
    n_solved : (n_pairs) integers
        For how many values of C, from the first on, each pair was solved.
    C_values : (n_C) floats
        The values of C.
    weights : (n_members) floats
        Their factors by member.
    """

    gamma: float
    coefficients: FloatArray
    n_solved: IntArray
    C_values: FloatArray
    weights: FloatArray

    def starts(self, gamma: float) -> Starts:
        """Return where to start for another gamma."""
        ratio = gamma / self.gamma
        sources = start_sources(self.C_values, ratio)
        needed = np.maximum(sources, np.arange(len(sources)))
        usable = needed < self.n_solved[:, None]
        n_starts = np.cumprod(usable, axis=1).sum(axis=1, dtype=np.int64)
        return Starts(starts_of(self.coefficients, self.C_values, ratio, self.weights), n_starts)


def pair_problems(targets: IntArray, n_classes: int, weights: FloatArray | None = None) -> Problems:
    """Return the problems of every two classes, as :func:`wassergraph.learners.svm.multiclass.problems` does.

    Weights of the training graphs (n_train) are factors of C.
    """
    positions = np.argsort(targets, kind="stable").astype(np.int64)
    sizes = np.bincount(targets, minlength=n_classes)
    pairs = class_pairs(n_classes)
    begins, lengths = offsets(sizes)[pairs], sizes[pairs]
    members = positions[ranges(begins.ravel(), lengths.ravel())]
    signs = np.repeat(np.tile([1.0, -1.0], len(pairs)), lengths.ravel())
    factors = np.ones(len(members)) if weights is None else weights[members]
    return Problems(offsets(lengths.sum(axis=1)), members, signs, factors)


def decide_pairs(deciders: Deciders, values: slice, pairs: slice = slice(None)) -> FloatArray:
    """Compute the decisions (n_pairs, n_C, n_test) of some pairs for some values of C; positive: the first class."""
    begin, end, _ = pairs.indices(len(deciders.intercepts))
    first, last, _ = values.indices(len(deciders.coefficients))
    decisions = np.empty((end - begin, last - first, deciders.columns.shape[1]))
    _core.decide_problems(deciders, len(deciders.coefficients), begin, first, decisions)
    return decisions


def count_votes(deciders: Deciders) -> NDArray[np.int32]:
    """Count the votes for every class (n_C, n_classes, n_test).

    Of each pair, there is one for its first class if the decision is positive, otherwise one for its second.
    """
    shape = len(deciders.coefficients), deciders.n_classes, deciders.columns.shape[1]
    votes = np.zeros(shape, dtype=np.int32)
    _core.count_votes(deciders, class_pairs(deciders.n_classes), votes)
    return votes
