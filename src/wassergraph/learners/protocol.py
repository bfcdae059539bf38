"""Learner: the interface of a kernel method for parameter search and nested cross-validation.

A learner fits a path of models, one for each C, on one block of a kernel, and predicts other graphs with each of them.
Search and cross-validation do not interpret the targets, which may be classes or numbers. The
support vector machine is :class:`wassergraph.learners.svm.learner.SVMLearner`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, Fold, IntArray, Stop
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.matrices import Matrix, is_known_definite
from wassergraph.scores.outputs import Needs, Outputs

#: The classes of graphs, numbered from 0, or their numbers.
TargetArray: TypeAlias = NDArray[Any]
#: What metrics need of the outputs of a model.
Needed: TypeAlias = Collection[Needs]
#: The solutions for the previous gamma, from which fits start, in a form that the learner knows; empty for the first.
WarmStart: TypeAlias = dict[str, Any]


class KernelBlock(NamedTuple):
    """The part of a kernel that one fold needs.

    Attributes
    ----------
    kernel : (n_train, n_train) floats
        The kernel of the training graphs.
    rows : (n_test, n_train) floats
        The kernel of the graphs to predict with the training graphs.
    gamma : float or None
        The gamma that it was computed with, if any.
    definite : bool
        Whether it is known to have no negative eigenvalue.
    weights : (n_train) floats or None
        How much each training graph counts, for learners that weigh graphs; None if all count the same.
    """

    kernel: FloatArray
    rows: FloatArray
    gamma: float | None
    definite: bool
    weights: FloatArray | None = None


class Path(NamedTuple):
    """The result of fits for several C.

    Attributes
    ----------
    predictions : (n_C, n_test) array
        The predicted targets for each C.
    steps : (n_C) integers
        The steps of the solver, or one of the statuses of :mod:`wassergraph.status`, which are negative;
        then the predictions are not defined.
    scores : (n_C, n_test) or (n_C, n_test, n_classes) floats, or None
        The decisions of classifiers, as in :class:`wassergraph.scores.outputs.Outputs`, if the learner scores them.
    """

    predictions: NDArray[Any]
    steps: IntArray
    scores: FloatArray | None = None


class Choice(NamedTuple):
    """Chosen parameters.

    Attributes
    ----------
    gamma : float or None
        What distances are made a kernel with; None for kernels.
    C_values : (n_C) floats
        The values of C up to the chosen one, which is the last: fits lead through the smaller ones, as they did when
        candidates were scored.
    """

    gamma: float | None
    C_values: Sequence[float]


@dataclass(frozen=True)
class FitOptions:
    """When fits end, and where they start.

    Attributes
    ----------
    stop : (1) booleans
        Becomes True if the work is to end.
    effort : Effort
        The limit on the steps of a fit, and whether a fit beyond it is an error.
    warm_start : dict or None
        The solutions for the previous gamma in this fold, which are updated. A learner may ignore it.
    """

    stop: Stop = field(default_factory=lambda: np.zeros(1, dtype=np.bool_))
    effort: Effort = NO_LIMITS
    warm_start: WarmStart | None = None


class Learner(Protocol):
    """A kernel method with one regularization parameter, which the grid calls C.

    What it chooses is another number for nearest neighbors (``Grid.neighbors``), and for ridge regression a penalty
    (``Grid.penalty``). Values that rounding makes different count as equal where a decision hangs on it.
    """

    @property
    def may_be_indefinite(self) -> bool:
        """Whether kernels may be indefinite, so that search must check which of them are."""
        ...

    def check_training(self, targets: TargetArray, where: str) -> None:
        """Raise an error if a model cannot be fitted to these targets; ``where`` names the fold."""
        ...

    def order(self, targets: TargetArray) -> IntArray:
        """Return the order of training graphs in which fits are fastest."""
        ...

    def fit_path(
        self, block: KernelBlock, targets: TargetArray, C_values: Sequence[float], options: FitOptions
    ) -> Path:
        """Fit a model for every C, and predict with each.

        Parameters
        ----------
        block : KernelBlock
            The kernel.
        targets : (n_train) array
            The targets of the training graphs.
        C_values : (n_C) floats
            The values of C, in increasing order.
        options : FitOptions
            When fits end, and where they start.

        Returns
        -------
        Path
            Predictions and steps.
        """
        ...

    def test(
        self, matrix: Matrix, targets: TargetArray, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """Fit a model with chosen parameters to the training part of a fold, and apply it to the test part.

        Parameters
        ----------
        matrix : (N, N) floats
            Distances, or a kernel.
        targets : (N) array
            The targets of all graphs.
        fold : (train, test)
            Positions of graphs.
        inner : sequence of (train, test)
            The folds of the training part in which the parameters were chosen.
        choice : Choice
            The parameters.
        needs : collection of str
            What is needed of the outputs; besides predictions, a learner may leave out what is not.

        Returns
        -------
        Outputs
        """
        ...

    def score(self, path: Path, targets: TargetArray) -> FloatArray:
        """Return how good the predictions for each C are (n_C); higher is better, NaN if there is no such score."""
        ...

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores near ``score`` on ``n_tested`` graphs."""
        ...


class LearningProblem(NamedTuple):
    """One of several targets of the same graphs, and what is fitted to it.

    Attributes
    ----------
    targets : (n) array
        The targets.
    C_values : sequence of float
        The values of C to fit, in increasing order.
    """

    targets: TargetArray
    C_values: Sequence[float]


@runtime_checkable
class SharingLearner(Learner, Protocol):
    """A learner whose fits for several targets of the same graphs share work."""

    def fit_paths(self, block: KernelBlock, problems: Sequence[LearningProblem], options: FitOptions) -> list[Path]:
        """Fit and predict for each of several targets as :meth:`Learner.fit_path` does for one, to the last bit."""
        ...


def kernel_block(
    matrix: Matrix, fold: Fold, gamma: float | None, *, definite: bool, weights: FloatArray | None = None
) -> KernelBlock:
    """Return the part of a kernel, or of distances made a kernel, that a fit on one fold needs, with its weights."""
    train, test = fold
    definite = definite or is_known_definite(matrix)
    among, across = matrix[np.ix_(train, train)], matrix[np.ix_(test, train)]
    own = None if weights is None else weights[train]
    return KernelBlock(as_kernel(among, gamma), as_kernel(across, gamma), gamma, definite, own)


def predict_fold(learner: Learner, matrix: Matrix, targets: TargetArray, fold: Fold, choice: Choice) -> Outputs:
    """Fit and apply a model as :meth:`Learner.test` does, for learners that have predictions only."""
    block = kernel_block(matrix, fold, choice.gamma, definite=not learner.may_be_indefinite)
    return Outputs(learner.fit_path(block, targets[fold[0]], choice.C_values, FitOptions()).predictions[-1])


def as_kernel(matrix: NDArray[Any], gamma: float | None, out: FloatArray | None = None) -> FloatArray:
    """Return exp(-gamma * D) of distances, or kernels as they are if gamma is None, in double precision.

    Distances are finite and not negative. The exponentials are written to ``out``, a contiguous array, if it is given.
    """
    values = np.ascontiguousarray(matrix, dtype=np.float64)
    return values if gamma is None else exponential(values, gamma, out=out)
