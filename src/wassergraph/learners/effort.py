"""Limits on the work of a parameter search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray

#: The most steps of one fit, as in libsvm.
MAX_ITER = 10_000_000


@dataclass(frozen=True)
class Effort:
    """Limits on the work of a parameter search; by default every candidate is scored in every fold.

    Attributes
    ----------
    margin : float or None
        After each fold, drop the candidates whose mean score is below the best one by more than this many standard
        errors of the difference (as if both scores were independent, which drops fewer than necessary). None drops
        none.
    keep : tuple of int
        The most matrices that remain after the first fold, after the second, and so on, the last number also after all
        further folds: those with the best candidates. The simple matrices of the grid remain besides. Empty drops none.
        It needs a margin.
    lead : float
        By how many standard errors of the difference a candidate must be better than those of the simple matrices of
        the grid to be chosen in place of them.
    max_iter : int
        The most steps of one fit.
    skip_unsolved : bool
        Whether a candidate that is not solved in ``max_iter`` steps is left out, together with those of larger C;
        otherwise it is an error.
    """

    margin: float | None = None
    keep: tuple[int, ...] = ()
    lead: float = 0.0
    max_iter: int = MAX_ITER
    skip_unsolved: bool = False

    def remaining(
        self, score: FloatArray, standard_error: Callable[[float], float], n_simple: int = 0
    ) -> NDArray[np.bool_]:
        """Return which candidates are scored in further folds.

        Parameters
        ----------
        score : (n_matrices, ..., n_folds) floats
            The scores of the candidates in the folds so far.
        standard_error : function of a float
            The standard error of the difference of two mean scores that are near this number.
        n_simple : int
            The number of simple matrices, which are the first.

        Returns
        -------
        (n_matrices, ...) booleans
            True for candidates that remain.
        """
        means = mean_scores(score)
        present = ~np.isnan(means)
        if not present.any():  # no fold so far has such a score
            return np.ones_like(present)
        if self.margin is None:
            return np.asarray(present)
        best = means[present].max()
        near = np.asarray(present & (means >= best - self.margin * standard_error(best)))
        if self.keep:
            by_matrix = np.where(near, means, -np.inf).reshape(len(near), -1).max(axis=1)[n_simple:]
            limit = self.keep[min(score.shape[-1], len(self.keep)) - 1]
            near[n_simple + np.argsort(-by_matrix, kind="stable")[limit:]] = False
        return near


def mean_scores(score: FloatArray) -> FloatArray:
    """Return the mean of scores (..., n_folds) over folds; NaN for candidates that were left out of one.

    Folds in which no candidate has a score are ignored: their test graphs lack a class that the score needs.
    """
    defined = ~np.isnan(score).reshape(-1, score.shape[-1]).all(axis=0)
    return np.asarray(score[..., defined if defined.any() else slice(None)].mean(axis=-1))


NO_LIMITS = Effort()
