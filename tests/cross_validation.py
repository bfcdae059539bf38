"""Nested cross-validation of an SVM on matrices, in any folds of scikit-learn, for tests of what chooses parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.scores.classes import read_classes
from wassergraph.tuning.folds import INNER_FOLDS, OUTER_FOLDS, NestedFolds, make_folds
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES, GAMMAS, Grid, positive_numbers
from wassergraph.tuning.nested import nested_cross_validation


class Tested(NamedTuple):
    """What was found in each outer fold, and the number of fits that were left out."""

    accuracy: FloatArray
    parameters: list[dict[str, Any]]
    inner_accuracy: FloatArray
    predictions: list[NDArray[Any]]
    unsolved: int


def cross_validate(
    matrices: Any,
    y: ArrayLike,
    grid: Grid,
    *,
    krein: bool,
    cv: Any = OUTER_FOLDS,
    inner_cv: int = INNER_FOLDS,
    random_state: int | None = 0,
    effort: Effort = NO_LIMITS,
    n_jobs: int | None = None,
) -> Tested:
    """Choose parameters in inner folds, and test them in outer ones."""
    classes, targets = read_classes(y, len(matrices[0]))
    outer = make_folds(targets, classes, cv, random_state)
    inner = []
    for train, _ in outer:
        folds = make_folds(targets[train], classes, inner_cv, random_state, option="inner_cv")
        inner.append([(train[a], train[b]) for a, b in folds])
    learner, nested = SVMLearner(len(classes), krein=krein), NestedFolds(outer, inner)
    found = nested_cross_validation(matrices, targets, nested, grid, learner, effort=effort, n_jobs=n_jobs)
    predictions = [classes[each.predictions] for each in found.outputs]
    return Tested(found.score, found.parameters, found.inner_score, predictions, found.n_unsolved)


def cross_validate_distances(
    distances: Any,
    y: ArrayLike,
    *,
    depth: Any = None,
    gamma: Any = GAMMAS,
    C: Any = ATTRIBUTE_C_VALUES,  # noqa: N803 - scikit-learn's name
    classifier: str = "krein",
    **options: Any,
) -> Tested:
    """Do the same with distances for several depths."""
    stack = np.asarray(distances)
    stack = stack[None] if stack.ndim == 2 else stack
    depths = list(range(len(stack))) if depth is None else np.atleast_1d(depth).tolist()
    grid = Grid.of_depths(depths, positive_numbers("gamma", gamma), positive_numbers("C", C))
    return cross_validate(stack, y, grid, krein=classifier != "svc", **options)
