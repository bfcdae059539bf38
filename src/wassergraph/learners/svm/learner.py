"""The SVM as a learner: fits for every C and every two classes, and the vote among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from wassergraph import _core
from wassergraph.arrays import FloatArray, Fold, IntArray, Stop
from wassergraph.learners.matrices import Matrix
from wassergraph.learners.protocol import Choice, FitOptions, KernelBlock, Needed, Path, kernel_block
from wassergraph.learners.svm.calibration import centered, fit_sigmoids, probabilities
from wassergraph.learners.svm.krein import flip
from wassergraph.learners.svm.multiclass import scores_by_class, vote
from wassergraph.learners.svm.pairs import Deciders, Solved, count_votes, decide_pairs, pair_problems
from wassergraph.learners.svm.smo import (
    TOLERANCE,
    Problems,
    Solutions,
    Starts,
    not_solved,
    solve_problems,
    svm_path,
)
from wassergraph.scores.classes import check_classes_present
from wassergraph.scores.outputs import Outputs
from wassergraph.scores.rare_classes import DecidedWeight, class_weights, graph_weights
from wassergraph.scores.scoring import ACCURACY, Scoring
from wassergraph.status import NOT_CONVERGED, STOPPED


@dataclass(frozen=True)
class SVMLearner:
    """The support vector machine for classes that are numbered from 0.

    Parameters
    ----------
    n_classes : int
        The number of classes.
    krein : bool
        Whether kernels may be indefinite: then their negative eigenvalues are flipped.
    class_weight : None, "balanced" or tuple of float
        Factors of C by class, as :func:`wassergraph.scores.rare_classes.decide_weight` returns them.
    scoring : Scoring
        What parameters are chosen by.
    """

    n_classes: int
    krein: bool
    class_weight: DecidedWeight = None
    scoring: Scoring = ACCURACY

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

    def fit_path(self, block: KernelBlock, targets: IntArray, C_values: Sequence[float], options: FitOptions) -> Path:
        """As in :class:`Learner`."""
        deciders, steps = self.solve(block, targets, C_values, options)
        solved = steps.min(axis=0) >= 0
        done = np.where(solved, steps.sum(axis=0), steps.min(axis=0))
        if self.scoring.needs == "predictions":
            return Path(count_votes(deciders).argmax(axis=1), done)
        decisions = np.moveaxis(decide_pairs(deciders, slice(None)), 0, -1)
        return Path(vote(decisions, self.n_classes), done, self._scores(decisions))

    def test(
        self, matrix: Matrix, targets: IntArray, fold: Fold, inner: Sequence[Fold], choice: Choice, needs: Needed
    ) -> Outputs:
        """As in :class:`Learner`.

        Probabilities are calibrated in the inner folds, as those of :class:`wassergraph.GraphClassifier` are.
        """
        known = targets[fold[0]]
        block = kernel_block(matrix, fold, choice.gamma, definite=not self.krein)
        decisions = self.decide(block, known, choice.C_values)
        if "probabilities" not in needs and not self.centers:
            return self.outputs(decisions)
        calibration = out_of_fold_decisions(matrix, targets, inner, choice.gamma, choice.C_values[-1], self)
        shift, sigmoids = self.calibrate(calibration[fold[0]], known)
        chances = probabilities(decisions - shift, sigmoids, self.n_classes)
        return self.outputs(decisions - shift)._replace(probabilities=chances)

    @property
    def centers(self) -> bool:
        """Whether decisions are shifted after the fit: if the score that chose the parameters depends on ranks alone.

        Such a score may choose SVMs whose decisions order graphs well, but are almost all of one sign.
        """
        return self.n_classes == 2 and self.scoring.ranks

    def calibrate(self, decisions: FloatArray, targets: IntArray) -> tuple[float, FloatArray]:
        """Return what to subtract from decisions, and the sigmoids that turn the result into probabilities.

        Parameters
        ----------
        decisions : (n, n_pairs) floats
            Decisions on training graphs, as :func:`out_of_fold_decisions` returns them.
        targets : (n) integers
            Their classes.

        Returns
        -------
        shift, sigmoids : float, (n_pairs, 2) floats
            The shift is 0 unless decisions are centered, see :func:`wassergraph.learners.svm.calibration.centered`.
        """
        sigmoids = fit_sigmoids(decisions, targets, self.n_classes)
        if not self.centers:
            return 0.0, sigmoids
        return centered(decisions, sigmoids, class_weights(self.class_weight, targets, self.n_classes))

    def outputs(self, decisions: FloatArray) -> Outputs:
        """Return the predicted classes and the scores that follow from decisions (n, n_pairs)."""
        return Outputs(vote(decisions, self.n_classes), self._scores(decisions))

    def _scores(self, decisions: FloatArray) -> FloatArray:
        """Return the scores (..., n_test) of the second of two classes, or (..., n_test, n_classes) of all."""
        if self.n_classes == 2:
            return -decisions[..., 0]
        flat = scores_by_class(decisions.reshape(-1, decisions.shape[-1]), self.n_classes)
        return flat.reshape(*decisions.shape[:-1], self.n_classes)

    def score(self, path: Path, targets: IntArray) -> FloatArray:
        """Return the score of every C; the accuracy, unless another was asked for."""
        return self.scoring(targets, path.predictions, path.scores)

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if they were independent."""
        return self.scoring.standard_error(score, n_tested)

    def decide(self, block: KernelBlock, targets: IntArray, C_values: Sequence[float]) -> FloatArray:
        """Compute the decisions (n_test, n_pairs) of every two classes for the last C.

        If decisions are centered, those on the training graphs have their middle at 0.
        """
        deciders, _ = self.solve(block, targets, C_values, FitOptions())
        decisions = decide_pairs(deciders, slice(-1, None))[:, 0].T
        if not self.centers:
            return decisions
        own = decide_pairs(deciders._replace(columns=np.ascontiguousarray(block.kernel.T)), slice(-1, None))
        return decisions - self.middle(own[0, 0], targets)

    def middle(self, decisions: FloatArray, targets: IntArray) -> float:
        """Return the middle between the mean decisions (n_train) on both of two classes.

        Without it, decisions of several SVMs cannot be compared: if no support vector is free, as with a small C, any
        intercept within a wide range is optimal.
        """
        return float((decisions[targets == 0].mean() + decisions[targets == 1].mean()) / 2)

    def solve(
        self, block: KernelBlock, targets: IntArray, C_values: Sequence[float], options: FitOptions
    ) -> tuple[Deciders, IntArray]:
        """Fit an SVM for every C and every two classes; the parameters are those of ``fit_path``.

        Returns
        -------
        deciders : Deciders
            The SVMs, whose coefficients are those of the kernel as it is.
        steps : (n_pairs, n_C) integers
            The steps of the solver, or a status.
        """
        effort, warm_start = options.effort, options.warm_start
        weights = graph_weights(self.class_weight, targets, self.n_classes, block.weights)
        problems, values = pair_problems(targets, self.n_classes, weights), np.array(C_values, dtype=np.float64)
        starts = warm_start["solved"].starts(block.gamma) if warm_start and block.gamma else None
        limits = TOLERANCE, effort.max_iter, options.stop, starts
        solutions = solve_problems(
            block.kernel, problems, values, *limits, definite=block.definite, skip_unsolved=effort.skip_unsolved
        )
        mapped = solutions.coefficients
        if solutions.skipped.any():
            mapped = _solve_flipped(block.kernel, problems, values, limits, solutions, skip=effort.skip_unsolved)
        if warm_start is not None and block.gamma:
            n_solved = (solutions.steps >= 0).sum(axis=1)
            warm_start["solved"] = Solved(block.gamma, solutions.coefficients, n_solved, values, problems.weights)
        unsolved = (solutions.steps == NOT_CONVERGED).any(axis=0)
        if unsolved.any() and not effort.skip_unsolved:
            raise not_solved(C_values[int(unsolved.argmax())], effort.max_iter)
        columns = np.ascontiguousarray(block.rows.T)
        return Deciders(problems, self.n_classes, mapped, solutions.intercepts, columns), solutions.steps


def _solve_flipped(
    kernel: FloatArray,
    problems: Problems,
    C_values: FloatArray,
    limits: tuple[float, int, Stop, Starts | None],
    solutions: Solutions,
    *,
    skip: bool,
) -> FloatArray:
    """Solve the problems that were skipped, with negative eigenvalues flipped, and keep their solutions.

    Returns
    -------
    (n_C, n_members) floats
        The coefficients of all problems, mapped back to the original kernel.
    """
    tol, max_iter, stop, starts = limits
    mapped = solutions.coefficients.copy()
    for number in np.flatnonzero(solutions.skipped).tolist():
        of = slice(problems.ptr[number], problems.ptr[number + 1])
        members = problems.members[of]
        block = np.empty((len(members), len(members)))
        _core.take_block(kernel, members, members, block)
        flipped = flip(block)
        begun = None if starts is None else starts.coefficients[: starts.n_starts[number], of]
        solved, intercepts, steps = svm_path(
            flipped.kernel, problems.signs[of], C_values, tol, max_iter, stop, begun, problems.weights[of]
        )
        solutions.coefficients[:, of], mapped[:, of] = solved, flipped.map_back(solved)
        solutions.intercepts[number], solutions.steps[number] = intercepts, steps
        if steps[-1] == STOPPED or (steps[-1] == NOT_CONVERGED and not skip):
            break
    return mapped


def out_of_fold_decisions(
    distances: Matrix,
    targets: IntArray,
    folds: Iterable[Fold],
    gamma: float | None,
    C: float,  # noqa: N803 - scikit-learn's name
    learner: SVMLearner,
    sample_weight: FloatArray | None = None,
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
    sample_weight : (N) floats, optional
        Factors of C by graph.

    Returns
    -------
    (N, n_pairs) floats
        A decision for every pair of classes; NaN for graphs that no fold tests.
    """
    n_pairs = learner.n_classes * (learner.n_classes - 1) // 2
    decisions = np.full((len(targets), n_pairs), np.nan)
    with threadpool_limits(1):
        for train, test in folds:
            ordered = train[learner.order(targets[train])]
            fold = ordered, test
            block = kernel_block(distances, fold, gamma, definite=not learner.krein, weights=sample_weight)
            decisions[test] = learner.decide(block, targets[ordered], [C])
    return decisions
