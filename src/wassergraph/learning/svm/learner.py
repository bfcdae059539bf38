"""The SVM as a learner: fits for every C and every two classes, and the vote among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import NotSolvedError
from wassergraph.graphs.invariants import check_choice
from wassergraph.learning.candidates import Matrix
from wassergraph.learning.classes import check_classes_present
from wassergraph.learning.effort import NO_LIMITS, Effort
from wassergraph.learning.folds import Fold
from wassergraph.learning.learners import Choice, KernelBlock, Needed, Path, WarmStart, kernel_block
from wassergraph.learning.outputs import Outputs
from wassergraph.learning.svm.calibration import fit_sigmoids, probabilities
from wassergraph.learning.svm.krein import Flip, flip
from wassergraph.learning.svm.multiclass import Problem, Votes, problems, scores_by_class, vote
from wassergraph.learning.svm.smo import NO_STARTS, starts_of, svm_path
from wassergraph.transport.status import NOT_CONVERGED, STOPPED

SVMKind: TypeAlias = Literal["auto", "svc", "krein"]

#: How precisely SVMs are solved: ten times as precisely as SVC does, so that scores are those of the exact solution.
TOLERANCE = 1e-4


def check_classifier(classifier: object) -> None:
    """Raise an error unless the value is "auto", "svc" or "krein"."""
    check_choice("classifier", classifier, SVMKind)


@dataclass(frozen=True)
class SVMLearner:
    """The support vector machine for classes that are numbered from 0.

    Parameters
    ----------
    n_classes : int
        The number of classes.
    krein : bool
        Whether kernels may be indefinite: then their negative eigenvalues are flipped.
    """

    n_classes: int
    krein: bool

    @property
    def may_be_indefinite(self) -> bool:
        """Whether kernels may be indefinite."""
        return self.krein

    def check_training(self, targets: IntArray, where: str) -> None:
        """Raise an error if a class is missing."""
        check_classes_present(targets, range(self.n_classes), where)

    def order(self, targets: IntArray) -> IntArray:
        """Return the order by class, in which the kernel of two classes need not be copied."""
        return np.argsort(targets, kind="stable")

    def fit_path(
        self,
        block: KernelBlock,
        targets: IntArray,
        C_values: Sequence[float],
        *,
        stop: NDArray[np.bool_],
        effort: Effort = NO_LIMITS,
        warm_start: WarmStart | None = None,
    ) -> Path:
        """Fit an SVM for every C and every two classes, and predict classes: see :class:`Learner`."""
        votes = Votes((len(C_values), len(block.rows)), self.n_classes)
        steps = np.zeros(len(C_values), dtype=np.int64)
        for pair in self.pair_paths(block, targets, C_values, stop=stop, effort=effort, warm_start=warm_start):
            votes.add(pair.number, pair.decisions)
            steps = np.where((steps < 0) | (pair.steps < 0), np.minimum(steps, pair.steps), steps + pair.steps)
        return Path(votes.winners(), steps)

    def test(
        self, matrix: Matrix, targets: IntArray, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """Fit to one part of a fold, and classify the other: see :class:`Learner`.

        Probabilities are calibrated in the inner folds, as those of :class:`wassergraph.WWLClassifier` are.
        """
        train, test = fold
        block = kernel_block(matrix, train, test, choice.gamma, definite=not self.krein)
        stop = np.zeros(1, dtype=np.bool_)
        pairs = self.pair_paths(block, targets[train], choice.C_values, stop=stop)
        decisions = np.column_stack([pair.decisions[-1] for pair in pairs])
        chances = None
        if "probabilities" in needs:
            calibration = out_of_fold_decisions(matrix, targets, inner, choice.gamma, choice.C_values[-1], self)
            sigmoids = fit_sigmoids(calibration[train], targets[train], self.n_classes)
            chances = probabilities(decisions, sigmoids, self.n_classes)
        scores = -decisions[:, 0] if self.n_classes == 2 else scores_by_class(decisions, self.n_classes)
        return Outputs(vote(decisions, self.n_classes), scores, chances)

    def score(self, predictions: NDArray[Any], targets: IntArray) -> FloatArray:
        """Return the accuracy of predicted classes (..., n_test)."""
        return np.asarray((predictions == targets).mean(axis=-1))

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two accuracies, as if they were independent."""
        return float(np.sqrt(2 * max(score * (1 - score), 1 / n_tested) / n_tested))

    def pair_paths(
        self,
        block: KernelBlock,
        targets: IntArray,
        C_values: Sequence[float],
        *,
        stop: NDArray[np.bool_],
        effort: Effort = NO_LIMITS,
        warm_start: WarmStart | None = None,
    ) -> Iterator[PairPath]:
        """Fit an SVM for every C and every two classes, and decide with each; the parameters are those of ``fit_path``.

        Yields
        ------
        PairPath
            The decisions for one pair of classes; nothing more follows once the work was stopped.
        """
        values = np.array(C_values)
        for number, problem in enumerate(problems(targets, self.n_classes)):
            kernel, rows = _select(block, problem, whole=self.n_classes == 2)
            flipped = Flip(kernel) if block.definite else flip(kernel)
            starts = _starts(warm_start, number, block.gamma, len(values))
            coefficients, intercepts, steps = svm_path(
                flipped.kernel, problem.signs, values, TOLERANCE, effort.max_iter, stop, starts
            )
            if warm_start is not None and block.gamma:
                solved = steps >= 0
                warm_start[number] = block.gamma, values[solved], coefficients[solved]
            if steps.min() == NOT_CONVERGED and not effort.skip_unsolved:
                raise _not_solved(steps, C_values, effort.max_iter)
            yield PairPath(number, (rows @ flipped.map_back(coefficients).T + intercepts).T, steps)
            if steps.min() == STOPPED:
                return


class PairPath(NamedTuple):
    """The decisions of SVMs for one pair of classes.

    Attributes
    ----------
    number : int
        The position of the pair: (0, 1), (0, 2), …, (1, 2), ….
    decisions : (n_C, n_test) floats
        Positive for the first class of the pair; without meaning where steps are negative.
    steps : (n_C) integers
        The steps of the solver, or a status.
    """

    number: int
    decisions: FloatArray
    steps: IntArray


def _select(block: KernelBlock, problem: Problem, *, whole: bool) -> tuple[FloatArray, FloatArray]:
    """Return the part of a kernel that a problem needs; ``whole`` means that all training graphs belong to it."""
    members = problem.members
    if whole and bool((members[1:] > members[:-1]).all()):
        return block.kernel, block.rows
    return block.kernel[np.ix_(members, members)], block.rows[:, members]


def _starts(warm_start: WarmStart | None, number: int, gamma: float | None, n_values: int) -> FloatArray:
    """Return coefficients to start the first values of C with, from the solutions for the previous gamma."""
    if not warm_start or not gamma or number not in warm_start:
        return NO_STARTS
    previous_gamma, C_values, coefficients = warm_start[number]
    return starts_of(coefficients, C_values, gamma / previous_gamma)[:n_values]


def _not_solved(steps: IntArray, C_values: Sequence[float], max_iter: int) -> NotSolvedError:
    value = C_values[int(np.argmax(steps == NOT_CONVERGED))]
    return NotSolvedError(
        f"the support vector machine with C={value:g} is not solved after {max_iter:,} steps: leave out such a large C"
    )


def out_of_fold_decisions(
    distances: Matrix,
    targets: IntArray,
    folds: Iterable[Fold],
    gamma: float | None,
    C: float,  # noqa: N803 - scikit-learn's name
    learner: SVMLearner,
) -> FloatArray:
    """Compute the decision on every graph by SVMs that were not trained on it.

    Parameters
    ----------
    distances : (N, N) floats
        The distances of the training graphs.
    targets : (N) integers
        Their classes, numbered from 0.
    folds : iterable of (train, test)
        Positions of graphs.
    gamma, C : float
        The parameters; gamma is None if kernels are given in place of distances.
    learner : SVMLearner
        The SVM.

    Returns
    -------
    (N, n_pairs) floats
        A decision for every pair of classes; NaN for graphs that no fold tests.
    """
    n_pairs = learner.n_classes * (learner.n_classes - 1) // 2
    decisions = np.full((len(targets), n_pairs), np.nan)
    stop = np.zeros(1, dtype=np.bool_)
    with threadpool_limits(1):
        for train, test in folds:
            ordered = train[learner.order(targets[train])]
            block = kernel_block(distances, ordered, test, gamma, definite=not learner.krein)
            for pair in learner.pair_paths(block, targets[ordered], [C], stop=stop):
                decisions[test, pair.number] = pair.decisions[0]
    return decisions
