"""Predictions for many graphs, as a table or as dictionaries."""

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
    """The predictions of a model for graphs.

    Attributes
    ----------
    names : list of str
        The names of the graphs.
    classes : (n_classes) array
        The classes of the training graphs.
    predicted : (n) array
        The predicted classes.
    scores : (n, n_classes) floats
        The scores of ``decision_function``, for two classes with both signs. The class with the largest score is
        predicted, unless the votes of several classes tie.
    probabilities : (n, n_classes) floats
        The probabilities of the classes.
    """

    names: list[str]
    classes: NDArray[Any]
    predicted: NDArray[Any]
    scores: FloatArray
    probabilities: FloatArray

    def rows(self) -> list[dict[str, Any]]:
        """Return a dictionary for every graph: its name, class, scores and probabilities."""
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
        """Return a table with a header: graph, class, a score and a probability for every class."""
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        classes = self.classes.tolist()
        writer.writerow(["graph", "class", *(f"score_{c}" for c in classes), *(f"probability_{c}" for c in classes)])
        for row in self.rows():
            writer.writerow([row["graph"], row["class"], *row["scores"].values(), *row["probabilities"].values()])
        return table.getvalue()

    def accuracy(self, y: ArrayLike) -> float | None:
        """Compute the share of graphs whose class ``y`` was predicted; None if no class is in the training data."""
        targets = np.asarray(y)
        return float(np.mean(self.predicted == targets)) if np.isin(targets, self.classes).any() else None


def predict_all(model: WWLClassifier, graphs: GraphBatch, names: list[str]) -> Predictions:
    """Predict classes, scores and probabilities of all graphs, with distances computed once.

    Parameters
    ----------
    model : WWLClassifier
        A fitted model.
    graphs : GraphBatch
        New graphs.
    names : list of str
        Their names.

    Returns
    -------
    Predictions
        The predictions for every graph.
    """
    predicted, scores, probabilities = model.predictions(graphs)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return Predictions(names, model.classes_, predicted, scores, probabilities)
