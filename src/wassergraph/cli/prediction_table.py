"""Predictions for many graphs, as a table or as dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import BoolArray, IntArray
from wassergraph.cli.tables import csv_text, free_names
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import GraphColumns
from wassergraph.models.class_model import ClassPredictions
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.number_model import NumberModel, NumberPredictions
from wassergraph.models.training_graphs import Neighbors, training_copies
from wassergraph.scores.agreement import Agreement, measure_agreement
from wassergraph.scores.measures import MEASURES, NUMBER_MEASURES, UNEQUAL_MEASURES
from wassergraph.scores.outputs import Outputs
from wassergraph.scores.rare_classes import are_unequal


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
    predicted : (n) array
        The predicted classes or numbers.
    cells : dict of lists
        Further columns of the table, with a value for each graph.
    records : dict of lists
        The same for dictionaries: values by class are dictionaries themselves.
    classes : (n_classes) array or None
        The classes of the training graphs; None if numbers are predicted.
    training : (n) booleans or None
        Which graphs are at distance 0 from a training graph, so that the model cannot tell them from it; None if the
        model does not know its training graphs.
    unequal : bool
        Whether the classes of the training graphs are unequal.
    """

    columns: list[str]
    rows: list[list[str]]
    positions: IntArray
    predicted: NDArray[Any]
    cells: dict[str, list[Any]]
    records: dict[str, list[Any]]
    classes: NDArray[Any] | None
    training: BoolArray | None = None
    unequal: bool = False

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for every row: its cells, and the predictions, with 6 significant digits.

        Scores and probabilities are dictionaries by class. Predictions are None in rows without a graph.
        """
        names = self.columns + free_names(self.records, self.columns, "predicted_")
        values = list(zip(*self.records.values(), strict=True))
        nothing = [None] * len(self.records)
        return [
            dict(zip(names, [*cells, *(nothing if graph is None else values[graph])], strict=True))
            for cells, graph in self._rows_with_graphs()
        ]

    def to_csv(self) -> str:
        """Return a table with a header: all columns, followed by the predictions.

        Numbers have 6 significant digits. Rows without a graph have empty cells.
        """
        values = list(zip(*self.cells.values(), strict=True))
        nothing = [""] * len(self.cells)
        return csv_text(
            [*self.columns, *free_names(self.cells, self.columns, "predicted_")],
            (
                [*cells, *(nothing if graph is None else map(_cell_text, values[graph]))]
                for cells, graph in self._rows_with_graphs()
            ),
        )

    def agreement(self, values: ArrayLike, positions: IntArray) -> Agreement | None:
        """Compare predictions with what is known of some graphs.

        Parameters
        ----------
        values : (n_known) array
            The known classes or numbers.
        positions : (n_known) integers
            The graphs that they belong to.

        Returns
        -------
        Agreement or None
            The accuracy, or the root mean squared error, apart for training graphs and others; of the others also
            further measures of numbers, or those that count each class, if the classes of these or of the training
            graphs are unequal. None if nothing is known, or if what is known is no class of the training data, or no
            number.
        """
        known = np.asarray(values)
        training = None if self.training is None else self.training[positions]
        found = measure_agreement(self.predicted[positions], known, self.classes, training)
        if found is None:
            return None
        new = np.ones(len(positions), dtype=np.bool_) if training is None else ~training
        measure = self._number_measures if self.classes is None else self._class_measures
        measured = measure(known[new], positions[new])
        return replace(found, others={name: value for name, value in measured.items() if not np.isnan(value)})

    def _number_measures(self, known: NDArray[Any], positions: IntArray) -> dict[str, float]:
        """Return further measures of numbers."""
        return {name: MEASURES[name](known, self.predicted[positions]).value for name in NUMBER_MEASURES[1:]}

    def _class_measures(self, known: NDArray[Any], positions: IntArray) -> dict[str, float]:
        """Return measures of unequal classes; none if a graph is of a class that the model does not know."""
        assert self.classes is not None
        names, known = self.classes.astype(str), known.astype(str)
        if not len(known) or not np.isin(known, names).all():
            return {}
        targets = np.flatnonzero(known[:, None] == names) % len(names)
        if not self.unequal and not are_unequal(np.unique(targets, return_inverse=True)[1]):
            return {}
        predicted = np.flatnonzero(self.predicted[positions].astype(str)[:, None] == names) % len(names)
        scores = np.array([list(self.records["scores"][graph].values()) for graph in positions.tolist()])
        return {name: MEASURES[name].of(targets, Outputs(predicted, scores)).value for name in UNEQUAL_MEASURES[1:]}

    @property
    def n_less_probable(self) -> int:
        """The number of graphs whose predicted class is not the most probable one."""
        most = self.records.get("most_probable", [])
        return sum(one != other for one, other in zip(self.records.get("class", []), most, strict=True))

    def _rows_with_graphs(self) -> Iterator[tuple[list[str], int | None]]:
        """Yield the cells of every row, and the position of its graph; None if it has none."""
        graph_of_row = {row: graph for graph, row in enumerate(self.positions.tolist())}
        for row, cells in enumerate(self.rows):
            yield cells, graph_of_row.get(row)


def predict_all(
    model: GraphClassifier | NumberModel,
    graphs: GraphBatch,
    columns: list[str],
    rows: list[list[str]],
    positions: IntArray,
    beside: GraphColumns | None = None,
) -> Predictions:
    """Predict all graphs, with distances computed once.

    Parameters
    ----------
    model : GraphClassifier, GraphRegressor or GraphGaussianProcess
        A fitted model.
    graphs : GraphBatch
        New graphs.
    columns, rows, positions
        What is known of them, as in :class:`Predictions`.
    beside : GraphColumns, optional
        The columns that the model uses beside the graphs.

    Returns
    -------
    Predictions
        Classes with scores, probabilities and the most probable class, or numbers with intervals of the level 0.9 and
        the name of the target, which may have their unit; the name of the nearest training graph, its distance, whether
        the graph is in the domain of the training graphs, which of its labels no training graph has, and whether it is
        a training graph.
    """
    return describe_predictions(model, model.predictions(graphs, columns=beside), columns, rows, positions)


def describe_predictions(
    model: GraphClassifier | NumberModel,
    said: ClassPredictions | NumberPredictions,
    columns: list[str],
    rows: list[list[str]],
    positions: IntArray,
) -> Predictions:
    """Return what a model said about graphs as a table; the other parameters are those of :func:`predict_all`."""
    if isinstance(said, NumberPredictions):
        numbers = said
        training = training_copies(numbers.neighbors)
        near = _neighbor_cells(numbers.neighbors, model.names_)
        named = {} if model.target_name_ is None else {"target_name": [model.target_name_] * len(positions)}
        shown = {**_number_cells(numbers), **named, **near}
        predicted, classes, cells, records, unequal = numbers.numbers, None, shown, shown, False
    else:
        assert isinstance(model, GraphClassifier)
        found = said
        training = training_copies(found.neighbors)
        near = _neighbor_cells(found.neighbors, model.names_)
        records = {**_class_records(found, model.classes_), **near}
        predicted, classes, cells = found.classes, model.classes_, {**_class_cells(records), **near}
        unequal = model._unequal
    if training is not None:
        cells = {**cells, "training_row": ["yes" if copy else "no" for copy in training]}
        records = {**records, "training_row": training.tolist()}
    return Predictions(columns, rows, positions, predicted, cells, records, classes, training, unequal)


def side_by_side(named: Mapping[str, Predictions]) -> Predictions:
    """Return predictions of several targets as one table: the columns of each begin with its name."""
    first = next(iter(named.values()))
    cells = {
        f"{target}_{name}": column
        for target, each in named.items()
        for name, column in each.cells.items()
        if name != "target_name"
    }
    by_target = {target: _transposed(each.records, len(first.positions)) for target, each in named.items()}
    records = [{target: rows[graph] for target, rows in by_target.items()} for graph in range(len(first.positions))]
    return replace(first, cells=cells, records={"predictions": records}, classes=None, training=None)


def _transposed(records: dict[str, list[Any]], n_graphs: int) -> list[dict[str, Any]]:
    return [{name: column[graph] for name, column in records.items()} for graph in range(n_graphs)]


def _class_records(found: ClassPredictions, classes: NDArray[Any]) -> dict[str, list[Any]]:
    scores = found.decisions if found.decisions.ndim == 2 else np.column_stack([-found.decisions, found.decisions])
    names = [str(c) for c in classes.tolist()]
    by_class = {"scores": scores, "probabilities": found.probabilities}
    return {
        "class": found.classes.tolist(),
        **{
            key: [dict(zip(names, map(_rounded, row), strict=True)) for row in values]
            for key, values in by_class.items()
        },
        "most_probable": classes[found.probabilities.argmax(axis=1)].tolist(),
    }


def _class_cells(records: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return a column for the class, and one for the score and the probability of every class."""
    cells: dict[str, list[Any]] = {"class": records["class"]}
    for key, name in [("scores", "score"), ("probabilities", "probability")]:
        for each in records[key][0] if records[key] else ():
            cells[f"{name}_{each}"] = [row[each] for row in records[key]]
    return {**cells, "most_probable": records["most_probable"]}


def _number_cells(found: NumberPredictions) -> dict[str, list[Any]]:
    cells = {"predicted": [_rounded(number) for number in found.numbers]}
    if found.lower is not None and found.upper is not None:
        cells["lower_90"] = [_rounded(number) for number in found.lower]
        cells["upper_90"] = [_rounded(number) for number in found.upper]
    return cells


def _neighbor_cells(neighbors: Neighbors | None, names: NDArray[Any]) -> dict[str, list[Any]]:
    """Return columns for the nearest training graphs; none for models of earlier versions, which do not know them."""
    if neighbors is None:
        return {}
    return {
        "nearest": names[neighbors.positions].tolist(),
        "nearest_distance": [_rounded(distance) for distance in neighbors.distances],
        "percentile": [_rounded(percentile) for percentile in neighbors.percentiles],
        "domain": ["inside" if inside else "outside" for inside in neighbors.inside],
        "unseen": neighbors.unseen.tolist(),
    }


def _rounded(number: float) -> float:
    return float(f"{number:.6g}")


def _cell_text(value: Any) -> Any:
    """Return the text of a cell: numbers have 6 significant digits."""
    return f"{value:.6g}" if isinstance(value, float) else value
