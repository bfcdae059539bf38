"""Kernel ridge regression: one decomposition of a kernel serves every strength of the penalty.

With the kernel K of the training graphs, and targets y of mean m, the prediction for a graph with the kernel row k is
m + k (K + alpha)⁻¹ (y - m): kernel ridge regression with a constant. The kernel is reduced to a tridiagonal matrix,
K = Q T Qᵀ, which takes less than half the time of its eigenvectors; then (K + alpha)⁻¹ = Q (T + alpha)⁻¹ Qᵀ costs next
to nothing for each alpha. The negative eigenvalues of an indefinite kernel are flipped, as in
:class:`wassergraph.KreinSVC`.

With weights w, m is the weighted mean, and with the roots R of the weights on a diagonal, the coefficients are
R (R K R + alpha)⁻¹ R (y - m). The negative eigenvalues are those of R K R: a graph of weight 2 counts as two graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.errors import NotSolvedError
from wassergraph.kernels.eigenvalues import rounding_error
from wassergraph.learners.number_learner import KernelModel, NumberLearner
from wassergraph.learners.protocol import FitOptions, KernelBlock, LearningProblem, Path
from wassergraph.learners.tridiagonal import Eigenpairs, Tridiagonal, tridiagonalize
from wassergraph.status import NOT_CONVERGED


class RidgeLearner(NumberLearner):
    """Kernel ridge regression for parameter search; C is 1 / (2 alpha)."""

    def fit_path(self, block: KernelBlock, targets: FloatArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """As in :class:`Learner`."""
        return self.fit_paths(block, [LearningProblem(targets, C_values)], options)[0]

    def fit_paths(self, block: KernelBlock, problems: Sequence[LearningProblem], options: FitOptions) -> list[Path]:
        """As in :class:`SharingLearner`: one decomposition of the kernel serves all targets."""
        reduced = ReducedKernel.of(block.kernel, block.weights, definite=block.definite)
        paths = []
        for targets, C_values in problems:
            mean, alphas = np.average(targets, weights=block.weights), penalties(C_values)
            coefficients, solved = reduced.coefficients(targets - mean, alphas)
            if not solved.all() and not options.effort.skip_unsolved:
                raise _not_solved(alphas[~solved].max())
            paths.append(Path(mean + coefficients @ block.rows.T, np.where(solved, 1, NOT_CONVERGED)))
        return paths


def penalties(C_values: Sequence[float]) -> FloatArray:
    """Return the penalty alpha that belongs to each C."""
    return 0.5 / np.asarray(C_values, dtype=np.float64)


def fit_ridge(
    kernel: FloatArray, targets: FloatArray, alpha: float, *, weights: FloatArray | None = None
) -> KernelModel:
    """Fit kernel ridge regression.

    Parameters
    ----------
    kernel : (n, n) floats
        The kernel of the training graphs.
    targets : (n) floats
        Their numbers.
    alpha : float
        The strength of the penalty.
    weights : (n) floats, optional
        How much the squared error of each graph counts; by default 1.

    Returns
    -------
    KernelModel

    Examples
    --------
    >>> ridge = fit_ridge(np.eye(2), np.array([1.0, 3.0]), alpha=1.0)
    >>> ridge.intercept, ridge.predict(np.eye(2)).tolist()
    (2.0, [1.5, 2.5])
    """
    mean = float(np.average(targets, weights=weights))
    coefficients, solved = ReducedKernel.of(kernel, weights).coefficients(targets - mean, np.array([alpha]))
    if not solved.all():
        raise _not_solved(alpha)
    return KernelModel(coefficients[0], mean)


class ReducedKernel(NamedTuple):
    """A kernel of training graphs, R K R with the roots R of their weights, as a tridiagonal matrix.

    Attributes
    ----------
    matrix : Tridiagonal
        The matrix.
    negative : Eigenpairs or None
        Its negative eigenvalues; None if there are none.
    roots : (n) floats or None
        The roots of the weights; None if all graphs weigh the same.
    """

    matrix: Tridiagonal
    negative: Eigenpairs | None
    roots: FloatArray | None

    @classmethod
    def of(cls, kernel: FloatArray, weights: FloatArray | None, *, definite: bool = False) -> ReducedKernel:
        """Reduce a kernel (n, n)."""
        roots = None if weights is None else np.sqrt(weights)
        weighted = kernel if roots is None else kernel * np.outer(roots, roots)
        reduced = tridiagonalize(weighted)
        negative = None if definite else reduced.eigenpairs_below(-rounding_error(weighted))
        return cls(reduced, negative, roots)

    def coefficients(self, targets: FloatArray, alphas: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the coefficients for every alpha (n_alphas, n), and whether each could be computed."""
        if self.roots is None:
            return self.matrix.solve(targets, alphas, self.negative)
        coefficients, solved = self.matrix.solve(self.roots * targets, alphas, self.negative)
        return self.roots * coefficients, solved


def _not_solved(alpha: float) -> NotSolvedError:
    return NotSolvedError(f"ridge regression with alpha={alpha:g} cannot be solved precisely: use a larger alpha")
