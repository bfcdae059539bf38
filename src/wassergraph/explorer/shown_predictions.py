"""Predictions that a page shows: those of a model, or those of a nested cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.evaluation.evaluation import Evaluation
from wassergraph.evaluation.row import Row
from wassergraph.explorer.container import smallest
from wassergraph.explorer.targets import (
    UNKNOWN,
    GivenTarget,
    ShownClasses,
    ShownNumbers,
    ShownTarget,
    class_text,
    clean_text,
)
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.graphs.values import DecidedTask
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.number_model import NumberModel
from wassergraph.models.training_graphs import training_copies
from wassergraph.scores.tasks import ClassTask


@dataclass(frozen=True, eq=False)
class ShownPredictions:
    """Predicted classes or numbers.

    Attributes
    ----------
    source : str
        A sentence that says where they come from.
    predicted : (n_graphs) array
        The positions of classes among the names of the target, or numbers.
    decisions : (n_graphs, n_columns) floats or None
        The decisions that classes follow from.
    decision_names : list of str
        The class that each column speaks for: of two classes the second, for which the decision is positive.
    tested : (n_graphs) booleans
        Which graphs have a prediction.
    """

    source: str
    predicted: NDArray[Any]
    decisions: FloatArray | None
    decision_names: list[str]
    tested: BoolArray

    def content(self) -> dict[str, Any]:
        """Return the predictions as the page reads them."""
        return {
            "source": self.source,
            "predicted": self.predicted if self.predicted.dtype.kind == "f" else smallest(self.predicted),
            "decisions": self.decisions,
            "decision_names": self.decision_names,
            "tested": None if self.tested.all() else self.tested.astype(np.uint8),
        }


#: What is known of the graphs, and what is predicted.
Shown: TypeAlias = tuple[ShownTarget | None, ShownPredictions | None]


def read_shown(batch: GraphBatch, target: GivenTarget, predicted_by: object, columns: Any = None) -> Shown:
    """Return what is known of the graphs, and what is predicted."""
    target = target._replace(name=None if target.name is None else clean_text(target.name))
    if isinstance(predicted_by, GraphModel):
        return _shown_by_model(batch, target, predicted_by, columns)
    if not isinstance(predicted_by, Evaluation):
        return target.read(len(batch)), None
    check_evaluation(predicted_by, len(batch))
    read = target.read(len(batch), predicted_by.task.name)
    return target_of_evaluation(predicted_by, read, target.name), predictions_of_evaluation(predicted_by)


def _shown_by_model(batch: GraphBatch, target: GivenTarget, model: GraphModel, columns: Any) -> Shown:
    if target.name is None and model.target_name_ is not None:
        target = target._replace(name=clean_text(model.target_name_))
    task: DecidedTask = "classification" if isinstance(model, GraphClassifier) else "regression"
    known = target.read(len(batch), task, classes_of_model(model))
    return known or unknown_target(model, len(batch), target.name), predictions_of_model(model, batch, columns)


def _columns(scores: FloatArray, classes: Sequence[str]) -> tuple[FloatArray, list[str]]:
    """Return decisions as columns, and their names."""
    return scores.reshape(len(scores), -1), list(classes) if len(classes) > 2 else [classes[1]]


# Models


def read_predictor(predicted_by: object) -> GraphModel | None:
    """Return the model that predicts, None for an evaluation or nothing; raise an error for anything else."""
    if predicted_by is None or isinstance(predicted_by, Evaluation):
        return None
    if not isinstance(predicted_by, GraphModel):
        problem = f"{{}} must be a fitted model or the result of wassergraph.evaluate, got {predicted_by!r}"
        raise InputTypeError(problem, options=[Option("predicted_by")])
    if not predicted_by.__sklearn_is_fitted__():
        raise InputError("{} is not fitted", remedy="call fit first", options=[Option("predicted_by")])
    if not hasattr(predicted_by, "scheme_"):
        problem, remedy = "{} predicts several targets, and a page shows one", "pass one of its estimators_"
        raise InputError(problem, remedy=remedy, options=[Option("predicted_by")])
    return predicted_by


def classes_of_model(model: GraphModel) -> list[str]:
    """Return the names of the classes of a model; none for numbers."""
    return [class_text(each) for each in model.classes_.tolist()] if isinstance(model, GraphClassifier) else []


def unknown_target(model: GraphModel, n_graphs: int, name: str | None) -> ShownTarget:
    """Return a target of which nothing is known, for graphs that only have predictions."""
    if isinstance(model, GraphClassifier):
        return ShownClasses(name or "class", classes_of_model(model), np.full(n_graphs, UNKNOWN, dtype=np.int64))
    return ShownNumbers(name or "number", np.zeros(n_graphs), np.zeros(n_graphs, dtype=np.bool_))


def predictions_of_model(model: GraphModel, graphs: GraphBatch, columns: Any = None) -> ShownPredictions:
    """Predict graphs with a model; classes of the target begin with those of the model."""
    tested = np.ones(len(graphs), dtype=np.bool_)
    if isinstance(model, GraphClassifier):
        found = model.predictions(graphs, columns=columns)
        decisions, names = _columns(found.decisions, classes_of_model(model))
        predicted = np.searchsorted(model.classes_, found.classes)
        source = _training(model, training_copies(found.neighbors))
        return ShownPredictions(source, predicted, decisions, names, tested)
    assert isinstance(model, NumberModel)
    numbers = model.predictions(graphs, columns=columns)
    source = _training(model, training_copies(numbers.neighbors))
    return ShownPredictions(source, numbers.numbers, None, [], tested)


def _training(model: GraphModel, copies: BoolArray | None) -> str:
    """Return what predictions are of, and how many graphs are no test, since they are training graphs."""
    trained = f"Predictions of a model trained on {count(model.n_train_, 'graph')}"
    if copies is None:
        return f"{trained}; if these are among them, errors are underestimated."
    if copies.all():
        return f"{trained}; all of these are among them: this is not a test, and errors are underestimated."
    if not copies.any():
        return f"{trained}, none of which is shown here."
    some = f"{int(copies.sum()):,} of these {'is' if copies.sum() == 1 else 'are'} among them"
    return f"{trained}; {some}, for which this is not a test, and errors are underestimated."


# Evaluations


def check_evaluation(evaluation: Evaluation, n_graphs: int) -> None:
    """Raise an error unless an evaluation is of so many graphs."""
    n_evaluated = len(evaluation.full_task.targets)
    if n_evaluated != n_graphs:
        problem = f"{{}} is of {count(n_evaluated, 'graph')}, but there are {n_graphs}"
        raise InputError(problem, remedy="evaluate the graphs of the page", options=[Option("predicted_by")])


def target_of_evaluation(evaluation: Evaluation, shown: ShownTarget | None, name: str | None) -> ShownTarget:
    """Return the classes or numbers of an evaluation; raise an error if others are shown."""
    task = evaluation.full_task
    target: ShownTarget
    if isinstance(task, ClassTask):
        target = ShownClasses(name or "class", [class_text(each) for each in task.classes.tolist()], task.targets)
        agrees = shown is None or _class_names(shown) == _class_names(target)
    else:
        target = ShownNumbers(name or "number", task.targets, np.ones(len(task.targets), dtype=np.bool_))
        agrees = shown is None or (isinstance(shown, ShownNumbers) and np.array_equal(shown.numbers, task.targets))
    if not agrees:
        problem, remedy = "{} is of other classes or numbers than those in y", "evaluate the graphs of the page"
        raise InputError(problem, remedy=remedy, options=[Option("predicted_by")])
    return target


def _class_names(target: ShownTarget) -> list[str] | None:
    """Return the class of each graph by name."""
    if not isinstance(target, ShownClasses):
        return None
    return ["" if code == UNKNOWN else target.values[code] for code in target.codes.tolist()]


def predictions_of_evaluation(evaluation: Evaluation) -> ShownPredictions:
    """Return what was predicted in the outer folds of the first repetition of the first method.

    Parameters
    ----------
    evaluation : Evaluation
        The result of :func:`wassergraph.evaluate`.

    Returns
    -------
    ShownPredictions
        Graphs that no fold tests have no prediction, nor have duplicates that were left out.
    """
    row = next(iter(evaluation.rows.values()))
    first = row.repetitions[0]
    if first.predictions is None:
        problem = f"there are no predictions of {row.title}, whose measures are means over several matrices"
        raise InputError(problem, remedy="choose another method")
    task, predicted, decisions, names = evaluation.task, first.predictions, first.decisions, list[str]()
    if isinstance(task, ClassTask) and decisions is not None:
        decisions, names = _columns(decisions, [class_text(each) for each in task.classes.tolist()])
    if evaluation.deduplication is not None:
        predicted = evaluation.deduplication.spread(predicted, UNKNOWN if isinstance(task, ClassTask) else np.nan)
        decisions = None if decisions is None else evaluation.deduplication.spread(decisions, np.nan)
    tested = predicted != UNKNOWN if isinstance(task, ClassTask) else np.isfinite(predicted)
    return ShownPredictions(_protocol(evaluation, row), predicted, decisions, names, tested)


def _protocol(evaluation: Evaluation, row: Row) -> str:
    which = "" if evaluation.repetitions == 1 else f", the first of {evaluation.repetitions} repetitions"
    folds = f"{count(evaluation.folds, 'outer fold')}{evaluation.splitting.words}"
    duplicates = "" if evaluation.deduplication is None else "; duplicates were left out"
    return (
        f"Predictions of {row.title} in a nested cross-validation with {folds}{which}: "
        f"each graph is predicted by a model that was not trained on it{duplicates}."
    )
