"""Predictions for many graphs, as rows for people and programs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.classifier import WWLClassifier


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of graphs: the class, and for every class a score and a probability (n, n_classes).

    Scores are those of ``decision_function``, for two classes with both signs: the class with the larger one is
    predicted, unless votes of several classes tie.
    """

    names: list[str]
    classes: NDArray[Any]
    predicted: NDArray[Any]
    scores: FloatArray
    probabilities: FloatArray

    def rows(self) -> list[dict[str, Any]]:
        """Give a dictionary for every graph."""
        classes = [str(c) for c in self.classes.tolist()]
        return [
            {
                "graph": name,
                "class": predicted,
                "scores": dict(zip(classes, scores, strict=True)),
                "probabilities": dict(zip(classes, probabilities, strict=True)),
            }
            for name, predicted, scores, probabilities in zip(
                self.names, self.predicted.tolist(), self.scores.tolist(), self.probabilities.tolist(), strict=True
            )
        ]

    def to_csv(self) -> str:
        """Give a table with a header: graph, class, a score and a probability for every class."""
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        classes = self.classes.tolist()
        writer.writerow(["graph", "class", *(f"score_{c}" for c in classes), *(f"probability_{c}" for c in classes)])
        for row in self.rows():
            writer.writerow([row["graph"], row["class"], *row["scores"].values(), *row["probabilities"].values()])
        return table.getvalue()

    def accuracy(self, y: ArrayLike) -> float | None:
        """Give the share of graphs whose class ``y`` was predicted; None if the model knows none of these classes."""
        targets = np.asarray(y)
        return float(np.mean(self.predicted == targets)) if np.isin(targets, self.classes).any() else None


def predict_all(model: WWLClassifier, graphs: GraphBatch, names: list[str]) -> Predictions:
    """Predict classes, scores and probabilities of all graphs, with distances computed once."""
    predicted, scores, probabilities = model.predictions(graphs)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return Predictions(names, model.classes_, predicted, scores, probabilities)
