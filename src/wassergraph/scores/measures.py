"""Measures by name: how good predictions of numbers, or of classes, are.

    targets, Outputs ──Measure.of──▶ MeasuredValue: a number, or NaN and why there is none

All formulas but the coverage are scikit-learn's and SciPy's. Classes are numbered from 0, as :func:`read_classes`
numbers them, so that test graphs need not have all of them. Where a formula has no value, as the ROC AUC of graphs of
one class, theirs warn and return NaN, 0 or 1, each in its own way; here all such cases are NaN, with the reason.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn import metrics as sklearn_metrics

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError, Option, did_you_mean
from wassergraph.graphs.invariants import check_choice, count
from wassergraph.graphs.values import DecidedTask
from wassergraph.scores.outputs import Needs, Outputs


class MeasuredValue(NamedTuple):
    """The value of a measure.

    Attributes
    ----------
    value : float
        NaN if the measure is not defined.
    reason : str
        Why it is not defined; empty if it is.
    """

    value: float
    reason: str = ""


def _never(targets: NDArray[Any], values: NDArray[Any]) -> str:
    """Return no reason why a measure is not defined: it is for all graphs."""
    return ""


@dataclass(frozen=True)
class Measure:
    """A measure of how good predictions are; call it with targets and predictions.

    Attributes
    ----------
    name : str
        What it is called in Python and on the command line.
    title : str
        What it is called in tables.
    task : "classification" or "regression"
        What it is for.
    higher_is_better : bool
        Whether good predictions have a high value.
    needs : "predictions", "scores", "probabilities" or "intervals"
        What it is computed from, besides the targets.
    percent : bool
        Whether tables show it as a percentage.
    formula : callable
        The number, of targets and values for which the measure is defined.
    why_undefined : callable
        Why the measure is not defined for targets and values; an empty string if it is.

    Examples
    --------
    >>> MEASURES["mae"]([1.0, 2.0], [1.5, 2.0])
    MeasuredValue(value=0.25, reason='')
    >>> MEASURES["roc_auc"]([1, 1], [0.3, -0.2])
    MeasuredValue(value=nan, reason='only 1 of 2 classes is among the targets')
    """

    name: str
    title: str
    task: DecidedTask
    higher_is_better: bool
    needs: Needs
    formula: Callable[[NDArray[Any], NDArray[Any]], float] = field(repr=False)
    percent: bool = False
    why_undefined: Callable[[NDArray[Any], NDArray[Any]], str] = field(default=_never, repr=False)

    def __call__(self, targets: ArrayLike, values: ArrayLike) -> MeasuredValue:
        """Compute the measure.

        Parameters
        ----------
        targets : (n) array
            The numbers, or the classes, numbered from 0.
        values : (n) or (n, n_classes) array
            What the measure needs. Scores of two classes may have one column, positive for the second class, or two;
            so may probabilities.

        Returns
        -------
        MeasuredValue
            NaN and a reason if the measure is not defined for these graphs.

        Raises
        ------
        ValueError
            If the lengths differ, a number is infinite or NaN, there is no column for a class, or probabilities do not
            sum to 1.
        """
        known, given = np.asarray(targets), np.asarray(values)
        _check_shapes(self, known, given)
        _check_finite("targets", known)
        _check_finite(self.needs, given)
        if self.needs == "probabilities":
            _check_probabilities(given)
        reason = self.why_undefined(known, given) if len(known) else "there are no graphs"
        if reason:
            return MeasuredValue(float("nan"), reason)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about classes that no test graph has; these may be
            value = float(self.formula(known, given))
        if not np.isfinite(value):
            return MeasuredValue(float("nan"), "the numbers are too large, or differ by too little, to compute with")
        return MeasuredValue(value)

    def of(self, targets: NDArray[Any], outputs: Outputs) -> MeasuredValue:
        """Compute the measure of what a model says; NaN if the model does not say what the measure needs."""
        values = getattr(outputs, self.needs)
        missing = MeasuredValue(float("nan"), f"the method has no {self.needs}")
        return missing if values is None else self(targets, values)

    def text(self, value: float) -> str:
        """Return a value for tables: percentages with two digits after the point, other numbers with four digits."""
        if np.isnan(value):
            return "–"
        return f"{100 * value:.2f}" if self.percent else f"{value:#.4g}"

    def describe_undefined(self, values: Iterable[MeasuredValue]) -> str:
        """Return in how many folds the measure is not defined, and why; an empty string if it is in all.

        Examples
        --------
        >>> MEASURES["r2"].describe_undefined([MeasuredValue(0.5), MEASURES["r2"]([1.0], [1.0])])
        'R² is not defined in 1 of 2 folds: there is one graph only'
        """
        listed = list(values)
        undefined = [value.reason for value in listed if value.reason]
        if not undefined:
            return ""
        reasons = "; ".join(dict.fromkeys(undefined))
        return f"{self.title} is not defined in {len(undefined)} of {count(len(listed), 'fold')}: {reasons}"


# Checks


def _check_shapes(measure: Measure, targets: NDArray[Any], values: NDArray[Any]) -> None:
    dimensions = {"predictions": (1,), "intervals": (2,)}.get(measure.needs, (1, 2))
    if targets.ndim != 1 or values.ndim not in dimensions or len(targets) != len(values):
        problem = f"there are targets of the shape {targets.shape} and {measure.needs} of the shape {values.shape}"
        raise InputError(problem, remedy="pass one row for each graph")
    if measure.needs in ("predictions", "intervals"):
        return
    if targets.dtype.kind not in "iu":
        raise InputTypeError(f"classes must be numbered, got targets of the type {targets.dtype}")
    n_classes = _n_classes(values)
    outside = np.flatnonzero((targets < 0) | (targets >= n_classes))
    if outside.size:
        problem = f"the target is the class {targets[outside[0]]}, but there are {measure.needs} of {n_classes} classes"
        raise InputError(problem, remedy="number the classes from 0", graph=int(outside[0]))


def _check_finite(name: str, values: NDArray[Any]) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        first = tuple(np.argwhere(~np.isfinite(values))[0])
        raise InputError(f"{name} has the value {values[first]}", remedy="leave the graph out", graph=int(first[0]))


def _check_probabilities(values: NDArray[Any]) -> None:
    """Raise an error unless every row is a distribution; one column is the probability of the second class."""
    table = np.column_stack([1 - values, values]) if values.ndim == 1 else values
    wrong = np.flatnonzero((table < 0).any(axis=1) | ~np.isclose(table.sum(axis=1), 1, rtol=1e-5, atol=0))
    if wrong.size:
        row = ", ".join(f"{number:.6g}" for number in table[wrong[0]])
        problem = f"the probabilities {row} are not between 0 and 1 with the sum 1"
        raise InputError(problem, remedy="normalize them", graph=int(wrong[0]))


def _n_classes(values: NDArray[Any]) -> int:
    """Return the number of classes that scores or probabilities are for."""
    return 2 if values.ndim == 1 else values.shape[1]


# Where a measure is not defined


def _one_number(targets: NDArray[Any], values: NDArray[Any]) -> str:
    if len(targets) < 2:
        return "there is one graph only"
    return "all targets are equal" if targets.min() == targets.max() else ""


def _no_ranks(targets: NDArray[Any], values: NDArray[Any]) -> str:
    ranks = ranked(values)
    return _one_number(targets, values) or ("all predictions are equal" if ranks.min() == ranks.max() else "")


def _one_class(targets: NDArray[Any], values: NDArray[Any]) -> str:
    return "all targets are of one class" if len(np.unique(targets)) == 1 else ""


def _absent_class(targets: NDArray[Any], values: NDArray[Any]) -> str:
    n_present, n_classes = len(np.unique(targets)), _n_classes(values)
    if n_present == n_classes:
        return ""
    return f"only {n_present} of {n_classes} classes {'is' if n_present == 1 else 'are'} among the targets"


# Measures that scikit-learn has in another form


def _pearson(targets: NDArray[Any], predictions: NDArray[Any]) -> float:
    return float(stats.pearsonr(targets, predictions).statistic)


def _spearman(targets: NDArray[Any], predictions: NDArray[Any]) -> float:
    return float(stats.spearmanr(targets, ranked(predictions)).statistic)


def ranked(values: NDArray[Any]) -> NDArray[Any]:
    """Return values to be ranked, in which those that differ by rounding alone are equal.

    The predictions for two graphs that are alike may differ in their last bits, by which no rank should be decided.
    """
    largest = np.abs(values).max(axis=0)
    return np.asarray(np.round(values / np.where(largest > 0, largest, 1.0), 12))


def _coverage(targets: NDArray[Any], intervals: NDArray[Any]) -> float:
    return float(np.mean((intervals[:, 0] <= targets) & (targets <= intervals[:, 1])))


def _one_vs_rest(measure: Callable[..., Any]) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    """Return a measure of the second of two classes, or the mean over classes of each against all others."""

    def mean(targets: NDArray[Any], scores: NDArray[Any]) -> float:
        if _n_classes(scores) == 2:
            return float(measure(targets == 1, ranked(scores if scores.ndim == 1 else scores[:, 1])))
        # scikit-learn takes several classes as they are only with probabilities; scores must be one-vs-rest.
        indicators = targets[:, None] == np.arange(scores.shape[1])
        return float(measure(indicators, ranked(scores), average="macro"))

    return mean


def _enrichment(positive: NDArray[Any], scores: NDArray[Any], *, percent: float, average: str = "macro") -> float:
    """Return how many times as frequent positive graphs are among those with the highest scores as among all.

    Of equal scores, any may be among the highest: what is expected of a random order counts.
    """
    if scores.ndim == 2:
        columns = zip(positive.T, scores.T, strict=True)
        return float(np.mean([_enrichment(*column, percent=percent) for column in columns]))
    n_highest = max(1, math.ceil(round(percent / 100 * len(scores), 9)))
    least = np.sort(scores)[-n_highest]
    above, level = scores > least, scores == least
    hits = positive[above].sum() + (n_highest - above.sum()) * positive[level].mean()
    return float(hits / n_highest / positive.mean())


def _log_loss(targets: NDArray[Any], probabilities: NDArray[Any]) -> float:
    return float(sklearn_metrics.log_loss(targets, probabilities, labels=np.arange(_n_classes(probabilities))))


_r2 = partial(sklearn_metrics.r2_score, force_finite=False)
_of_numbers = partial(Measure, task="regression", higher_is_better=False, needs="predictions")
_of_classes = partial(Measure, task="classification", higher_is_better=True, needs="predictions")
_of_shares = partial(_of_classes, percent=True)
_of_scores = partial(Measure, task="classification", higher_is_better=True, needs="scores", why_undefined=_absent_class)


def enrichment_measure(percent: float) -> Measure:
    """Return the enrichment factor of the graphs with the highest scores, so many percent of all."""
    name, formula = f"enrichment_{percent:g}", partial(_enrichment, percent=percent)
    return _of_scores(name, f"enrichment in {percent:g}%", formula=_one_vs_rest(formula))


#: All measures, by name. For several classes, ``roc_auc`` and ``pr_auc`` are the unweighted mean over classes of each
#: class against all others ("macro", one-vs-rest). For two classes they, too, are about the second one. ``pr_auc`` is
#: the average precision, the area under the curve of precision over recall without interpolation. ``log_loss`` takes
#: a probability of 0 for 2e-16, as scikit-learn does. ``balanced_accuracy`` is the mean over the classes that the
#: targets have, and ``mcc`` of predictions that are all of one class is 0, as for predictions at random.
#: ``enrichment_5`` is how many times as frequent the second class is among the 5 percent of graphs with the highest
#: scores as among all. ``coverage`` is the share of numbers in their intervals.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        _of_numbers("rmse", "RMSE", formula=sklearn_metrics.root_mean_squared_error),
        _of_numbers("mae", "MAE", formula=sklearn_metrics.mean_absolute_error),
        _of_numbers(
            "r2",
            "R²",
            higher_is_better=True,
            formula=_r2,
            why_undefined=_one_number,
        ),
        _of_numbers("spearman", "Spearman's ρ", higher_is_better=True, formula=_spearman, why_undefined=_no_ranks),
        _of_numbers("pearson", "Pearson's r", higher_is_better=True, formula=_pearson, why_undefined=_no_ranks),
        _of_shares("coverage", "coverage of 90%", task="regression", needs="intervals", formula=_coverage),
        _of_shares("accuracy", "accuracy", formula=sklearn_metrics.accuracy_score),
        _of_shares("balanced_accuracy", "balanced accuracy", formula=sklearn_metrics.balanced_accuracy_score),
        _of_scores("roc_auc", "ROC AUC", formula=_one_vs_rest(sklearn_metrics.roc_auc_score)),
        _of_scores("pr_auc", "PR AUC", formula=_one_vs_rest(sklearn_metrics.average_precision_score)),
        _of_classes("mcc", "MCC", formula=sklearn_metrics.matthews_corrcoef, why_undefined=_one_class),
        enrichment_measure(1),
        enrichment_measure(5),
        _of_classes("log_loss", "log loss", higher_is_better=False, needs="probabilities", formula=_log_loss),
    )
}


def measure_text(name: str, value: float) -> str:
    """Return the title and the value of a measure: "MCC 0.2500", "accuracy 93.21%"."""
    return f"{MEASURES[name].title} {MEASURES[name].text(value)}{'%' if MEASURES[name].percent else ''}"


#: What is shown of unequal classes, of which the accuracy says little.
UNEQUAL_MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "pr_auc", "mcc")
#: What is shown of numbers: errors and correlations.
NUMBER_MEASURES = ("rmse", "mae", "r2", "spearman")


def measures_in_folds(
    outputs: Outputs, targets: IntArray, folds: Sequence[tuple[IntArray, IntArray]]
) -> dict[str, float]:
    """Return the mean over folds of each of ``UNEQUAL_MEASURES``, without folds and measures that have no value.

    ``outputs`` are those of all graphs, by models that were not trained on them.
    """
    assert outputs.scores is not None
    tested = [(targets[test], Outputs(outputs.predictions[test], outputs.scores[test])) for _, test in folds]
    values = {name: [MEASURES[name].of(*each).value for each in tested] for name in UNEQUAL_MEASURES}
    return {name: float(np.nanmean(listed)) for name, listed in values.items() if not np.isnan(listed).all()}


def measures_for(task: DecidedTask, names: str | Sequence[str] | None = None) -> list[Measure]:
    """Return measures of predictions of classes, or of numbers.

    Parameters
    ----------
    task : "classification" or "regression"
        What is predicted.
    names : str or sequence of str, optional
        The names of the measures, in any case and with hyphens or underscores; by default all that there are for this
        task. Repeated names are used once.

    Returns
    -------
    list of Measure

    Raises
    ------
    ValueError
        If a name is unknown, or if it is that of a measure for the other task.

    Examples
    --------
    >>> [measure.name for measure in measures_for("regression")]
    ['rmse', 'mae', 'r2', 'spearman', 'pearson', 'coverage']
    >>> [measure.title for measure in measures_for("classification", ["MCC", "roc-auc"])]
    ['MCC', 'ROC AUC']
    """
    check_choice("task", task, DecidedTask)
    available = {name: measure for name, measure in MEASURES.items() if measure.task == task}
    if names is None:
        return list(available.values())
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise InputError("{} is empty", remedy=f"use {', '.join(available)}", options=[Option("measures")])
    return list(dict.fromkeys(_find(name, available, task) for name in listed))


def _find(name: str, available: dict[str, Measure], task: DecidedTask) -> Measure:
    plain = str(name).strip().lower().replace("-", "_")
    if plain in available:
        return available[plain]
    if plain in MEASURES:
        things = "numbers" if MEASURES[plain].task == "regression" else "classes"
        problem = f"{plain!r} is a measure for {things}, but the task is {task}"
    else:
        problem = f"there is no measure {name!r}"
    remedy = "; ".join(part for part in (did_you_mean(plain, available), f"use {', '.join(available)}") if part)
    raise InputError(f"{{}}: {problem}", remedy=remedy, options=[Option("measures")])
