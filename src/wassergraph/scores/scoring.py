"""Scoring: what parameters of classifiers are chosen by in the inner folds.

    a name, a scorer of scikit-learn, or "auto" ──read_scoring──▶ Scoring ──▶ a score for every C

The scores of the default, and of the accuracy, are computed for all C at once.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option, did_you_mean
from wassergraph.scores.measures import MEASURES, UNEQUAL_MEASURES, Measure, enrichment_measure, ranked
from wassergraph.scores.rare_classes import DecidedWeight, are_unequal, decide_weight

#: The scores (n_C), of targets (n_test), predicted classes (n_C, n_test) and decisions (n_C, n_test[, n_classes]).
ScoreFormula: TypeAlias = Callable[[IntArray, IntArray, FloatArray | None], FloatArray]
#: Scikit-learn's names of measures that have another name here.
_ALIASES = {"average_precision": "pr_auc", "matthews_corrcoef": "mcc", "roc_auc_ovr": "roc_auc"}
#: Scorers of scikit-learn that are computed from predicted classes; those without an average are for two classes.
_SCORERS = tuple(
    f"{name}{average}"
    for name in ("f1", "precision", "recall", "jaccard")
    for average in ("", "_macro", "_micro", "_weighted")
)
_PROBABLE = ("neg_log_loss", "log_loss", "neg_brier_score", "d2_log_loss_score", "roc_auc_ovo")
_ENRICHMENT = re.compile(r"enrichment_(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Scoring:
    """What parameters are chosen by; higher is better.

    Attributes
    ----------
    name : str
        What it is called in Python and on the command line.
    needs : "predictions" or "scores"
        Whether decisions are needed besides predicted classes.
    formula : callable
        The scores; NaN if a score is not defined for the targets.
    deciding : float
        The share of graphs that the score rests on: that of the smallest class, if rare graphs count as much.
    largest : float
        The largest value, by which standard errors are scaled.
    ranks : bool
        Whether it depends on the order of decisions alone, not on their sign.
    """

    name: str
    needs: Literal["predictions", "scores"]
    formula: ScoreFormula = field(repr=False)
    deciding: float = 1.0
    largest: float = 1.0
    ranks: bool = False

    @property
    def title(self) -> str:
        """What it is called in tables and sentences."""
        return scoring_title(self.name)

    def __call__(self, targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
        """Return the score for every C."""
        return self.formula(targets, predictions, scores)

    def standard_error(self, score: float, n_tested: int) -> float:
        """Return the standard error of the difference of two scores, as if they were independent shares."""
        n, share = max(n_tested * self.deciding, 1.0), min(max(score / self.largest, 0.0), 1.0)
        return float(self.largest * np.sqrt(2 * max(share * (1 - share), 1 / n) / n))


def scoring_title(name: str) -> str:
    """Return what a score is called in tables and sentences."""
    if name == "rare_pr_auc":
        return "PR AUC of the smaller class"
    return MEASURES[name].title if name in MEASURES else name.replace("_", " ")


def _accuracy(targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
    return np.asarray((predictions == targets).mean(axis=-1))


def _balanced_accuracy(targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
    """Return the mean, over the classes that the targets have, of the share that is found of each."""
    present, numbers = np.unique(targets, return_inverse=True)
    members = (numbers[:, None] == np.arange(len(present))) / np.bincount(numbers)
    return np.asarray(((predictions == targets) @ members).mean(axis=-1))


def _roc_auc(targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
    """Return the area under the ROC curve of the second of two classes, from ranks."""
    assert scores is not None
    positive = targets == 1
    n_positive, n_pairs = positive.sum(), positive.sum() * (~positive).sum()
    if not n_pairs:
        return np.full(len(scores), np.nan)
    ranks = rankdata([ranked(row) for row in scores], axis=1)
    return np.asarray((ranks[:, positive].sum(axis=1) - n_positive * (n_positive + 1) / 2) / n_pairs)


def _average_precision(positive: int) -> ScoreFormula:
    """Return the average precision of one of two classes."""

    def formula(targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
        assert scores is not None
        members = (targets == positive).astype(np.float64)
        if not 0 < members.sum() < len(members):
            return np.full(len(scores), np.nan)
        return np.array([_precision_of(members, ranked(row if positive else -row)) for row in scores])

    return formula


def _precision_of(members: FloatArray, scores: FloatArray) -> float:
    """Return the mean, over the members of a class, of its share among the graphs with at least their score."""
    _, places = np.unique(-scores, return_inverse=True)
    found = np.bincount(places, weights=members)
    return float((found * np.cumsum(found) / np.cumsum(np.bincount(places))).sum() / members.sum())


def _of_measure(measure: Measure) -> ScoreFormula:
    """Return the values of a measure for every C."""

    def formula(targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
        values = predictions if measure.needs == "predictions" else scores
        assert values is not None
        return np.array([measure(targets, row).value for row in values])

    return formula


class _Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What an SVM said of test graphs, as an estimator that a scorer of scikit-learn may ask; X are their positions."""

    def __init__(self, classes: NDArray[Any], predictions: NDArray[Any], scores: FloatArray) -> None:
        self.classes_, self._predictions, self._scores = classes, predictions, scores

    def predict(self, X: IntArray) -> NDArray[Any]:  # noqa: N803 - scikit-learn's name
        """Return the predicted classes."""
        return np.asarray(self._predictions[X])

    def decision_function(self, X: IntArray) -> FloatArray:  # noqa: N803 - scikit-learn's name
        """Return the decisions."""
        return np.asarray(self._scores[X])


def _of_scorer(scorer: Callable[..., Any], classes: NDArray[Any], name: str) -> ScoreFormula:
    """Return the scores of a scorer of scikit-learn, which is called with an estimator, X and y."""

    def formula(targets: IntArray, predictions: IntArray, scores: FloatArray | None) -> FloatArray:
        said = np.full(predictions.shape, np.nan) if scores is None else scores
        positions, values = np.arange(len(targets)), []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about classes that no test graph has, or none is predicted
            for row, decisions in zip(predictions, said, strict=True):
                values.append(scorer(_Answers(classes, classes[row], decisions), positions, classes[targets]))
        numbers = np.asarray(values, dtype=np.float64)
        if np.isnan(numbers).any():
            problem = f"{{}} {name} is not a number in an inner fold"
            raise InputError(problem, remedy="use fewer folds, or another score", options=[Option("scoring")])
        return numbers

    return formula


#: What parameters are chosen by, unless something else is asked for.
ACCURACY = Scoring("accuracy", "predictions", _accuracy)


class ClassOptions(NamedTuple):
    """How classes of different sizes are treated.

    Attributes
    ----------
    scoring : Scoring
        What parameters are chosen by.
    class_weight : None, "balanced" or tuple of float
        The weights of classes.
    """

    scoring: Scoring = ACCURACY
    class_weight: DecidedWeight = None

    @classmethod
    def read(cls, scoring: Any, class_weight: Any, classes: NDArray[Any], targets: IntArray) -> ClassOptions:
        """Check and decide both, by :func:`read_scoring` and :func:`wassergraph.scores.rare_classes.decide_weight`.

        This is the one place where models and evaluations decide them, so that both do the same.
        """
        return cls(read_scoring(scoring, classes, targets), decide_weight(class_weight, classes, targets))


def read_scoring(scoring: Any, classes: NDArray[Any], targets: IntArray) -> Scoring:
    """Return what parameters are chosen by.

    Parameters
    ----------
    scoring : str or callable
        "auto" is the accuracy, unless classes are unequal: then "rare_pr_auc" for two classes, the area under the curve
        of precision over recall of the smaller one, and the balanced accuracy for more. Otherwise a measure of classes,
        ``enrichment_P`` with P in percent, a name of a scorer of scikit-learn that is computed from classes or
        decisions, or such a scorer. Of two classes, measures like precision are about the second.
    classes : (n_classes) array
        The classes.
    targets : (n_graphs) integers
        The class of every graph, numbered from 0.

    Returns
    -------
    Scoring

    Raises
    ------
    ValueError
        If there is no such score, or if it is for two classes only and there are more.

    Examples
    --------
    >>> classes, targets = np.array(["active", "inactive"]), np.array([0] * 3 + [1] * 30)
    >>> read_scoring("auto", classes, targets).name, read_scoring("f1_macro", classes, targets).name
    ('rare_pr_auc', 'f1_macro')
    """
    counts = np.bincount(targets)
    if callable(scoring):
        function = getattr(scoring, "_score_func", scoring)  # of a scorer that make_scorer returned
        name = str(getattr(function, "__name__", type(function).__name__))
        return Scoring(name, "scores", _of_scorer(scoring, classes, name), float(counts.min() / len(targets)))
    if not isinstance(scoring, str):
        problem = f"{{}} must be a name or a scorer of scikit-learn, got {type(scoring).__name__}"
        raise InputTypeError(problem, options=[Option("scoring")])
    name = scoring.strip().lower().replace("-", "_")
    if name == "auto" and not are_unequal(targets):
        return ACCURACY
    if name == "auto":
        # For two unequal classes, the average precision of the smaller one rests on the graphs with the highest
        # decisions and not on their sign; benchmarks/rare_classes.py compares it. Of more classes, decisions of pairs
        # give no such ranks.
        name = "rare_pr_auc" if len(counts) == 2 else "balanced_accuracy"
    return _named(_ALIASES.get(name, name), scoring, counts)


def _named(name: str, given: str, counts: IntArray) -> Scoring:
    rarest = float(counts.min() / counts.sum())
    if name == "accuracy":
        return ACCURACY
    if name == "balanced_accuracy":
        # The variance of a mean of shares over classes is that of one share of so many graphs.
        return Scoring(name, "predictions", _balanced_accuracy, float(len(counts) ** 2 / (counts.sum() / counts).sum()))
    if name == "roc_auc" and len(counts) == 2:
        return Scoring(name, "scores", _roc_auc, rarest, ranks=True)
    if name in ("pr_auc", "rare_pr_auc") and len(counts) == 2:
        smaller = int(counts[1] <= counts[0]) if name == "rare_pr_auc" else 1
        return Scoring(name, "scores", _average_precision(smaller), rarest, ranks=True)
    if name in UNEQUAL_MEASURES:  # those that need neither probabilities nor numbers
        ranks = MEASURES[name].needs == "scores"
        return Scoring(name, "scores" if ranks else "predictions", _of_measure(MEASURES[name]), rarest, ranks=ranks)
    percent = _ENRICHMENT.fullmatch(name)
    if percent and 0 < float(percent[1]) < 100:
        share = float(percent[1])
        return Scoring(name, "scores", _of_measure(enrichment_measure(share)), rarest, 100 / share, ranks=True)
    if name in _SCORERS:
        _check_average(name, len(counts))
        return Scoring(name, "predictions", _of_scorer(get_scorer(name), np.arange(len(counts)), name), rarest)
    raise _unknown(name, given)


def _check_average(name: str, n_classes: int) -> None:
    if n_classes > 2 and "_" not in name:
        problem, remedy = f"{{}} is for two classes, but there are {n_classes}", f"use {name}_macro"
        raise InputError(problem, remedy=f"{remedy}, the mean over classes", options=[Option("scoring", name)])


def _unknown(name: str, given: str) -> InputError:
    if name in _PROBABLE or name.startswith(("neg_log", "roc_auc_ov")):
        problem = "{} needs probabilities, which are calibrated after parameters were chosen"
        return InputError(problem, remedy="use roc_auc or another score", options=[Option("scoring", given)])
    known = ["auto", *UNEQUAL_MEASURES, "rare_pr_auc", "enrichment_1", "enrichment_5", *_ALIASES, *_SCORERS]
    remedy = "; ".join(part for part in (did_you_mean(name, known), f"use {', '.join(known)}") if part)
    return InputError(f"{{}}: there is no score {given!r}", remedy=remedy, options=[Option("scoring")])
