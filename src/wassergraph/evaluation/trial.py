"""The paper's protocol (section 5.2): ten-fold cross-validation, parameters chosen on the training part only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.evaluation.methods import METHODS, Threads
from wassergraph.evaluation.plans import Plan
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.classification import Evaluation, cross_validate
from wassergraph.learning.effort import Effort
from wassergraph.reproduction.results import cached, content_key

#: The folds of the paper, and those inside, on which parameters are chosen; the paper does not say how many it has.
FOLDS, INNER_FOLDS = 10, 5
#: How much work a choice may be. A machine of so many steps is left out, as there are some with kernels of low rank and
#: the largest C. With thousands of graphs, candidates that are far behind are not followed through all inner folds.
EFFORT = Effort(max_iter=300_000, skip_unsolved=True)
MANY_GRAPHS = 2000
RACE = replace(EFFORT, margin=3.0)


class Trial:
    """A method on some graphs, whose matrices are computed, and which can be evaluated again and again.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs, prepared.
    y : (N) array
        Their classes.
    plan : Plan
        What is evaluated.
    cache : Path, optional
        A folder for the matrices, which are named by the content of graphs and recipe.
    threads : Threads
        How to compute.
    """

    def __init__(
        self, graphs: GraphBatch, y: ArrayLike, plan: Plan, *, cache: Path | None = None, threads: Threads | None = None
    ) -> None:
        self.y, self.plan, self.threads = y, plan, threads or Threads()
        self.n_graphs = len(graphs)
        self._stacks, self.seconds = [], 0.0
        for recipe in plan.recipes:
            method = METHODS[recipe.method]
            key = content_key(graphs, recipe)
            stack, seconds = cached(cache, key, lambda m=method, r=recipe: m.matrices(graphs, r, self.threads))  # type: ignore[misc]
            self._stacks.append(stack)
            self.seconds += seconds

    def repetition(self, number: int, *, folds: int = FOLDS, inner_folds: int = INNER_FOLDS) -> dict[str, Any]:
        """Cross-validate once; ``number`` is the seed of the folds, which are the same for every method."""
        results = [
            cross_validate(
                stack,
                self.y,
                self.plan.grid,
                krein=self.plan.krein,
                cv=folds,
                inner_cv=inner_folds,
                random_state=number,
                effort=RACE if self.n_graphs > MANY_GRAPHS else EFFORT,
                n_jobs=self.threads.n_jobs,
                progress=self.threads.progress,
            )
            for stack in self._stacks
        ]
        return {
            "accuracy": np.mean([result.accuracy for result in results], axis=0).tolist(),
            "parameters": _parameters(results),
            "majority": results[0].majority,
            "n_graphs": self.n_graphs,
            "random_state": number,
            "inner_folds": inner_folds,
            "unsolved": sum(result.unsolved for result in results),
            "seconds": {"matrices": self.seconds, **_total([result.seconds for result in results])},
        }


def _parameters(results: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """Give what was chosen in each fold; of several evaluations, a list for each parameter."""
    if len(results) == 1:
        return results[0].parameters
    folds = zip(*(result.parameters for result in results), strict=True)
    return [{name: [chosen[name] for chosen in fold] for name in fold[0]} for fold in folds]


def _total(seconds: Sequence[dict[str, float]]) -> dict[str, float]:
    return {step: sum(each[step] for each in seconds) for step in seconds[0]}
