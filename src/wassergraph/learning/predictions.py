"""Predictions for many graphs, as a table or as dictionaries."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.classifier import WWLClassifier


@dataclass(frozen=True, eq=False)
class Predictions:
    """The predictions of a model for graphs, beside a table of what is known of them.

    Attributes
    ----------
    columns : list of str
        The columns of the table, such as the name of the graph.
    rows : list of list of str
        The rows of the table; some may have no graph, and therefore no prediction.
    positions : (n) integers
        The row of each graph.
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

    columns: list[str]
    rows: list[list[str]]
    positions: IntArray
    classes: NDArray[Any]
    predicted: NDArray[Any]
    scores: FloatArray
    probabilities: FloatArray

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for every row: its cells, and the predicted class, the scores and the probabilities.

        Scores and probabilities are dictionaries by class, with 6 significant digits. All three are None in rows
        without a graph.
        """
        classes = [str(c) for c in self.classes.tolist()]
        names = self._new_names(["class", "scores", "probabilities"])
        listed = []
        for cells, graph in self._rows_with_graphs():
            prediction: list[Any] = [None, None, None]
            if graph is not None:
                numbers = self.scores[graph], self.probabilities[graph]
                rounded = [dict(zip(classes, map(_rounded, each), strict=True)) for each in numbers]
                prediction = [self.predicted[graph].item(), *rounded]
            listed.append(dict(zip(self.columns + names, [*cells, *prediction], strict=True)))
        return listed

    def to_csv(self) -> str:
        """Return a table with a header: all columns, the class, and a score and a probability for every class.

        Numbers have 6 significant digits. Rows without a graph have empty cells.
        """
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        classes = self.classes.tolist()
        names = ["class", *(f"score_{c}" for c in classes), *(f"probability_{c}" for c in classes)]
        writer.writerow([*self.columns, *self._new_names(names)])
        for cells, graph in self._rows_with_graphs():
            prediction: list[Any] = [""] * len(names)
            if graph is not None:
                numbers = [*self.scores[graph], *self.probabilities[graph]]
                prediction = [self.predicted[graph], *(f"{number:.6g}" for number in numbers)]
            writer.writerow([*cells, *prediction])
        return table.getvalue()

    def accuracy(self, values: ArrayLike, positions: IntArray) -> float | None:
        """Compute the share of graphs that are predicted correctly, among those whose class is known.

        Parameters
        ----------
        values : (n_known) array
            The known classes.
        positions : (n_known) integers
            The graphs that they belong to.

        Returns
        -------
        float or None
            None if none of these classes is in the training data.
        """
        known = np.asarray(values).astype(str)
        if not np.isin(known, self.classes.astype(str)).any():
            return None
        return float(np.mean(self.predicted[positions].astype(str) == known))

    def _rows_with_graphs(self) -> Iterator[tuple[list[str], int | None]]:
        """Yield the cells of every row, and the position of its graph; None if it has none."""
        graph_of_row = {row: graph for graph, row in enumerate(self.positions.tolist())}
        for row, cells in enumerate(self.rows):
            yield cells, graph_of_row.get(row)

    def _new_names(self, names: list[str]) -> list[str]:
        """Return names for further columns: with "predicted_" where one is taken, in upper or lower case."""
        taken = {column.lower() for column in self.columns}
        renamed = []
        for name in names:
            while name.lower() in taken:
                name = f"predicted_{name}"
            renamed.append(name)
        return renamed


def _rounded(number: float) -> float:
    return float(f"{number:.6g}")


def predict_all(
    model: WWLClassifier, graphs: GraphBatch, columns: list[str], rows: list[list[str]], positions: IntArray
) -> Predictions:
    """Predict classes, scores and probabilities of all graphs, with distances computed once.

    Parameters
    ----------
    model : WWLClassifier
        A fitted model.
    graphs : GraphBatch
        New graphs.
    columns, rows, positions
        What is known of them, as in :class:`Predictions`.

    Returns
    -------
    Predictions
        The predictions for every graph.
    """
    predicted, scores, probabilities, _ = model.predictions(graphs)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return Predictions(columns, rows, positions, model.classes_, predicted, scores, probabilities)
