"""Trial: a plan on graphs, whose matrices are computed once and cross-validated as often as needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.evaluation.matrices import MatrixOptions, Threads
from wassergraph.evaluation.matrix_cache import cached
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plans import Plan
from wassergraph.evaluation.repetition import Parameters, Repetition
from wassergraph.files.content_keys import content_key
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.classification import INNER_FOLDS, OUTER_FOLDS, Evaluation, cross_validate
from wassergraph.learning.effort import Effort
from wassergraph.parallel.compilation import COMPILING, compile_clock

#: How much work the choice of parameters may be: fits that take more steps are left out. Such fits are rare; they are
#: those with the largest C on kernels of low rank.
EFFORT = Effort(max_iter=300_000, skip_unsolved=True)
#: With more graphs than this, candidates that are far behind after an inner fold are not evaluated on the next ones.
MANY_GRAPHS = 2000
RACE = replace(EFFORT, margin=3.0)


class Trial:
    """A method on graphs: its matrices are computed, and can be cross-validated as often as needed.

    Parameters
    ----------
    graphs : GraphBatch
        The prepared graphs.
    y : (N) array
        The class of every graph.
    plan : Plan
        What is evaluated.
    cache : Path, optional
        A folder to keep the matrices in, under names that depend on the content of graphs and options.
    threads : Threads
        How to compute.
    """

    def __init__(
        self,
        graphs: GraphBatch,
        y: ArrayLike,
        plan: Plan,
        *,
        cache: Path | None = None,
        threads: Threads | None = None,
    ) -> None:
        self.y, self.plan, self.threads = y, plan, threads or Threads()
        self.n_graphs = len(graphs)
        self.effort = effort_for(len(graphs))
        compiled = compile_clock().seconds
        computed = [compute_matrices(graphs, options, cache, self.threads) for options in plan.options]
        self.compiling = compile_clock().seconds - compiled
        self._stacks = [stack for stack, _ in computed]
        self.seconds = sum(seconds for _, seconds in computed)

    def run(self, random_state: int, *, folds: int = OUTER_FOLDS, inner_folds: int = INNER_FOLDS) -> Repetition:
        """Return the result of one nested cross-validation.

        Parameters
        ----------
        random_state : int
            The seed of the folds; the same seed gives the same folds for every method.
        folds, inner_folds : int
            The numbers of outer and inner folds.

        Returns
        -------
        Repetition
        """
        results = [self._cross_validate(stack, random_state, folds, inner_folds) for stack in self._stacks]
        return Repetition(
            accuracy=tuple(np.mean([result.accuracy for result in results], axis=0).tolist()),
            parameters=_parameters(results),
            majority=results[0].majority,
            n_graphs=self.n_graphs,
            random_state=random_state,
            inner_folds=inner_folds,
            unsolved=sum(result.unsolved for result in results),
            seconds=self._times(results),
        )

    def _times(self, results: Sequence[Evaluation]) -> dict[str, float]:
        """Return the time of each step; compiling is that for the matrices and for the SVM."""
        times = {step: sum(result.seconds[step] for result in results) for step in results[0].seconds}
        return {**times, "matrices": self.seconds, COMPILING: self.compiling + times[COMPILING]}

    def _cross_validate(self, stack: NDArray[Any], random_state: int, folds: int, inner_folds: int) -> Evaluation:
        return cross_validate(
            stack,
            self.y,
            self.plan.grid,
            krein=self.plan.krein,
            cv=folds,
            inner_cv=inner_folds,
            random_state=random_state,
            effort=self.effort,
            **vars(self.threads),
        )


def compute_matrices(
    graphs: GraphBatch, options: MatrixOptions, cache: Path | None, threads: Threads
) -> tuple[NDArray[Any], float]:
    """Return the matrices of graphs (n_matrices, N, N), from the cache if they are there, and the seconds they took."""
    method = METHODS[options.method]
    return cached(cache, content_key(graphs, options), lambda: method.matrices(graphs, options, threads))


def effort_for(n_graphs: int) -> Effort:
    """Return how much work the choice of parameters may be for so many graphs."""
    return RACE if n_graphs > MANY_GRAPHS else EFFORT


def _parameters(results: Sequence[Evaluation]) -> tuple[Parameters, ...]:
    """Return the chosen parameters by fold; where several matrices were evaluated, a list for each parameter."""
    if len(results) == 1:
        return tuple(results[0].parameters)
    folds = zip(*(result.parameters for result in results), strict=True)
    return tuple({name: [chosen[name] for chosen in fold] for name in fold[0]} for fold in folds)
