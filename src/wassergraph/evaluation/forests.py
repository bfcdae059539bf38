"""Random forests on features of graphs, such as fingerprints of molecules: a reference for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, Fold
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.step_times import StepTimes
from wassergraph.parallel.threads import n_threads
from wassergraph.scores.outputs import Outputs
from wassergraph.scores.rare_classes import DecidedWeight
from wassergraph.scores.tasks import ClassTask, NumberTask
from wassergraph.tuning.nested import NestedScores

#: The number of trees; more change little.
N_TREES = 500
#: How many of them are timed for an estimate.
_FEW_TREES = 10
#: The share of features that a split of numbers chooses from; for classes it is the square root of their number.
_SHARE_FOR_NUMBERS = 1 / 3


def nested_forests(
    features: NDArray[Any],
    task: ClassTask | NumberTask,
    outer: Sequence[Fold],
    *,
    class_weight: DecidedWeight = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NestedScores:
    """Fit a random forest to the training part of every outer fold, and test it.

    It is scikit-learn's, with 500 trees and otherwise its defaults, but for numbers a split chooses from a third of the
    features. Nothing is chosen, so that there are no inner folds, and no inner score.

    Parameters
    ----------
    features : (N, n_features) array
        The features of all graphs.
    task : ClassTask or NumberTask
        What is learned.
    outer : sequence of (train, test)
        The outer folds, as positions of graphs.
    class_weight : None, "balanced" or tuple of float
        The weights of classes.
    random_state : int
        The seed of the trees.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    NestedScores
        Scores are the accuracy, or minus the mean squared error.
    """
    times, outputs = StepTimes(), []
    with times.step("selection"):
        pass  # nothing is chosen
    with times.step("training and test"), Progress("forests", len(outer), "folds", show=progress) as bar:
        for train, test in outer:
            forest = _new_forest(task, class_weight, random_state, n_threads(n_jobs))
            forest.fit(features[train], task.targets[train])
            outputs.append(_outputs(forest, features[test], task))
            bar.update(1)
    pairs = [(each.predictions, task.targets[test]) for each, (_, test) in zip(outputs, outer, strict=True)]
    classify = isinstance(task, ClassTask)
    return NestedScores(
        score=np.array([np.mean(said == y) if classify else -np.mean((said - y) ** 2) for said, y in pairs]),
        parameters=[{"trees": N_TREES} for _ in outer],
        inner_score=np.full(len(outer), np.nan),
        outputs=outputs,
        n_unsolved=0,
        seconds=times.seconds,
    )


def forest_seconds(features: NDArray[Any], task: ClassTask | NumberTask, n_forests: int) -> float:
    """Estimate the time of fitting some forests to all graphs, from a few trees fitted to the first graphs of all.

    Parameters
    ----------
    features : (n, n_features) array
        The features of some graphs.
    task : ClassTask or NumberTask
        What is learned, of all N graphs.
    n_forests : int
        The number of forests.

    Returns
    -------
    float
        The seconds.
    """
    forest = _new_forest(task, None, 0, 1).set_params(n_estimators=_FEW_TREES)
    begin = process_time()
    forest.fit(features, np.resize(task.targets, len(features)))
    return (process_time() - begin) * N_TREES / _FEW_TREES * len(task.targets) / len(features) * n_forests


def _new_forest(task: ClassTask | NumberTask, class_weight: DecidedWeight, random_state: int, n_jobs: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor  # which take long to import

    common: Any = {"n_estimators": N_TREES, "random_state": random_state, "n_jobs": n_jobs}
    if isinstance(task, NumberTask):
        return RandomForestRegressor(max_features=_SHARE_FOR_NUMBERS, **common)
    weights = dict(enumerate(class_weight)) if isinstance(class_weight, tuple) else class_weight
    return RandomForestClassifier(class_weight=weights, **common)


def _outputs(forest: Any, features: NDArray[Any], task: ClassTask | NumberTask) -> Outputs:
    """Return what a forest says; of classes that it was not trained on, the probability is 0."""
    if isinstance(task, NumberTask):
        return Outputs(forest.predict(features))
    chances: FloatArray = np.zeros((len(features), len(task.classes)))
    chances[:, forest.classes_] = forest.predict_proba(features)
    scores = chances[:, 1] - chances[:, 0] if len(task.classes) == 2 else chances
    return Outputs(chances.argmax(axis=1), scores, chances)
