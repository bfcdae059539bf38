"""Fit a method to the training part of a split, and predict its test part."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.repetition import json_number
from wassergraph.graphs.batch import GraphBatch
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.regressor import GraphRegressor
from wassergraph.parallel.step_times import StepTimes
from wassergraph.reproduction.others.benchmarks import OURS, REFERENCES
from wassergraph.reproduction.others.reading import SplitExamples, SplitPart
from wassergraph.reproduction.others.references import (
    Reference,
    descriptor_forest,
    morgan_forest,
    tanimoto_process,
    weight_line,
)
from wassergraph.scores.measures import MEASURES, NUMBER_MEASURES

#: What each method is called on the page.
METHOD_TITLES = {
    OURS: "ours",
    "tanimoto-gp": "Tanimoto, Gaussian process",
    "morgan-rf": "Morgan, random forest",
    "descriptors-rf": "descriptors, random forest",
    "weight": "molecular weight alone",
}
_FITTED: dict[str, Reference] = dict(
    zip(REFERENCES, (tanimoto_process, morgan_forest, descriptor_forest, weight_line), strict=True)
)


class EntryPrediction(NamedTuple):
    """The predictions for the test part of a split.

    Attributes
    ----------
    predictions : (n_test) array
        A class or a number for each example.
    parameters : dict
        What was chosen.
    seconds : dict of float
        The time of "training" and of "prediction", each with the reading of molecules; of references, of both at once.
    """

    predictions: NDArray[Any]
    parameters: dict[str, Any]
    seconds: dict[str, float]


def fit_and_predict(method: str, split: SplitExamples, threads: Threads) -> EntryPrediction:
    """Fit a method to the training part of a split, and predict its test part.

    Parameters
    ----------
    method : str
        "ours", which is what ``wassergraph train`` fits, without any option, or one of the references.
    split : SplitExamples
        The examples.
    threads : Threads
        How to compute.

    Returns
    -------
    EntryPrediction
    """
    times = StepTimes()
    if method == OURS:
        return _fit_ours(split, threads, times)
    train, test = split
    if isinstance(train.graphs, GraphBatch) or isinstance(test.graphs, GraphBatch):
        raise TypeError(f"{method} learns from molecules, not from graphs")
    with times.step("training and prediction"):
        found = _FITTED[method](train.graphs, train.y, test.graphs, threads)
    return EntryPrediction(found.predictions, found.parameters, times.seconds)


def _fit_ours(split: SplitExamples, threads: Threads, times: StepTimes) -> EntryPrediction:
    train, test = split
    model = (GraphRegressor if train.has_numbers else GraphClassifier)(**vars(threads))
    with times.step("training"):
        model.fit(train.graphs, train.y)
    with times.step("prediction"):
        predictions = model.predict(test.graphs)
    return EntryPrediction(predictions, dict(model.best_params_), times.seconds)


def score_predictions(test: SplitPart, predictions: NDArray[Any]) -> dict[str, float | None]:
    """Return how good predictions are, by measure: None where one is not defined.

    Of numbers these are those of :func:`wassergraph.evaluate`, Pearson's correlation, and the RMSE of the molecules on
    activity cliffs, if it is known which these are; of classes it is the accuracy.
    """
    if not test.has_numbers:
        return {"accuracy": float(np.mean(predictions == test.y))}
    measured = {name: MEASURES[name](test.y, predictions).value for name in NUMBER_MEASURES}
    varies = min(np.ptp(test.y), np.ptp(predictions)) > 0
    measured["pearson"] = float(stats.pearsonr(test.y, predictions).statistic) if varies else np.nan
    if test.cliffs is not None:
        on_cliffs = test.take(np.flatnonzero(test.cliffs))
        rmse = MEASURES["rmse"](on_cliffs.y, predictions[test.cliffs]) if len(on_cliffs) else None
        measured["cliff_rmse"] = np.nan if rmse is None else rmse.value
    return {name: json_number(value) for name, value in measured.items()}
