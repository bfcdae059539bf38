"""Row: the results of one method of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.evaluation.plan import Fitted
from wassergraph.evaluation.repetition import ChosenParameters, Repetition, json_number
from wassergraph.metrics.node_embedding import EmbeddingKind, Features

_MEASURE = "name it in the measures of the evaluation"


class OtherFeatures(StrEnum):
    """What a method uses that does not compare nodes."""

    EDGE_LABELS = "edge labels"
    EDGE_COUNT = "number of edges"
    FINGERPRINTS = "Morgan fingerprints"
    CHOSEN = "what the folds choose"
    GIVEN = "given distances"


@dataclass(frozen=True, eq=False)
class Row:
    """The results of one method.

    Attributes
    ----------
    title : str
        The name of the method.
    kind : "categorical", "continuous" or "joint"
        Whether labels, attributes or both were compared.
    features : Features or OtherFeatures
        What was compared: "node labels", "node attributes", "one-hot labels", "degrees", "edge labels", …
    standardized : bool
        Whether attributes were standardized.
    repetitions : tuple of Repetition
        The result of each cross-validation.
    model : "svm", "ridge", "svr", "gp", "knn" or "rf"
        What was fitted.
    """

    title: str
    kind: EmbeddingKind
    features: Features | OtherFeatures
    standardized: bool
    repetitions: tuple[Repetition, ...]
    model: Fitted = "svm"

    def values(self, measure: str) -> FloatArray:
        """Return the values of a measure (repetitions, folds); NaN where it is not defined."""
        if measure not in self.measures:
            raise InputError(f"{measure!r} was not measured, only {', '.join(self.measures)}", remedy=_MEASURE)
        return np.array([repetition.scores[measure] for repetition in self.repetitions])

    @property
    def accuracy(self) -> FloatArray:
        """The fraction of test graphs that were classified correctly (repetitions, folds)."""
        return self.values("accuracy")

    @property
    def parameters(self) -> list[list[ChosenParameters]]:
        """The parameters that were chosen on the training part, for each repetition and fold."""
        return [list(repetition.parameters) for repetition in self.repetitions]

    @property
    def seconds(self) -> dict[str, float]:
        """The time of each step, summed over the repetitions; matrices are computed once."""
        first = self.repetitions[0].seconds
        total = {step: sum(repetition.seconds[step] for repetition in self.repetitions) for step in first}
        return {**total, "matrices": first["matrices"]}

    @property
    def unsolved(self) -> int:
        """How many candidates were left out in an inner fold because an SVM took too many steps."""
        return sum(repetition.unsolved for repetition in self.repetitions)

    @property
    def measures(self) -> list[str]:
        """The names of the measures; the first is the one of ``mean`` and ``std``."""
        return list(self.repetitions[0].scores)

    @property
    def mean(self) -> float:
        """The mean of the first measure: the accuracy, or the root mean squared error."""
        return mean_of(self.values(self.measures[0]))

    @property
    def std(self) -> float:
        """Its standard deviation over the means of the repetitions; if there is one repetition, over its folds."""
        return deviation_of(self.values(self.measures[0]))

    @property
    def constant(self) -> dict[str, FloatArray]:
        """The measures of always predicting the largest class, or the mean, of the training graphs."""
        names = self.repetitions[0].constant
        return {name: np.array([repetition.constant[name] for repetition in self.repetitions]) for name in names}

    @property
    def undefined(self) -> list[str]:
        """In how many folds measures are not defined, and why."""
        reasons = (reason for repetition in self.repetitions for reason in repetition.undefined.values())
        return list(dict.fromkeys(reasons))

    def most_frequent_choice(self) -> tuple[ChosenParameters, int]:
        """Return the parameters that were chosen in most folds, and the number of these folds."""
        choices = [fold for repetition in self.parameters for fold in repetition]
        winner = max(choices, key=choices.count)
        return winner, choices.count(winner)

    def to_dict(self) -> dict[str, Any]:
        """Return the results in a form that can be written as JSON."""
        return {
            "title": self.title,
            "kind": self.kind,
            "features": str(self.features),
            "standardized": self.standardized,
            **{name: json_numbers(self.values(name)) for name in self.measures},
            "parameters": self.parameters,
            "seconds": self.seconds,
            "unsolved": self.unsolved,
            "mean": json_number(self.mean),
            "std": json_number(self.std),
        }


def mean_of(values: FloatArray) -> float:
    """Return the mean of a measure over all folds in which it is defined; NaN if there are none."""
    return float(np.mean(values[~np.isnan(values)])) if not np.isnan(values).all() else float("nan")


def deviation_of(values: FloatArray) -> float:
    """Return the standard deviation of a measure over the means of repetitions, or over the folds of a single one."""
    spread = np.array([mean_of(row) for row in values]) if len(values) > 1 else values[0]
    return float(np.std(spread[~np.isnan(spread)])) if not np.isnan(spread).all() else float("nan")


def json_numbers(values: FloatArray) -> list[list[float | None]]:
    """Return numbers (repetitions, folds) as lists, with None in place of NaN."""
    return [[json_number(value) for value in row] for row in values.tolist()]
