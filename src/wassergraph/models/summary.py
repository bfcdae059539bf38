"""The summary of a fitted model, as a table or as a dictionary."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.errors import Option, UnusedDataWarning
from wassergraph.metrics.not_compared import not_compared
from wassergraph.metrics.wwl import WWL
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.equal_training import Contradictions, find_contradictions
from wassergraph.models.gaussian_process import GraphGaussianProcess
from wassergraph.models.regressor import GraphRegressor
from wassergraph.models.shared_process import Sharing
from wassergraph.scores.conformal import conformal_radius, has_intervals
from wassergraph.scores.measures import measure_text
from wassergraph.scores.scoring import scoring_title
from wassergraph.tuning.grid import parameters_text

Model: TypeAlias = GraphClassifier | GraphRegressor | GraphGaussianProcess

#: How many weights of classes the table shows.
_MOST_CLASSES = 6
_NOT_ESTIMATED = "not estimated, since there was one candidate"


def training_summary(model: Model) -> dict[str, Any]:
    """Return a summary of a fitted model in a form that can be written as JSON.

    Parameters
    ----------
    model : GraphClassifier, GraphRegressor or GraphGaussianProcess
        A fitted model.

    Returns
    -------
    dict
        The training data, how they are embedded, the chosen parameters and their accuracy or error in the inner folds,
        equal training graphs with different classes or numbers, the definiteness of the kernel, and the time of each
        step.
    """
    return {
        "trained_on": model.trained_on(),
        **({} if model.target_name_ is None else {"target": model.target_name_}),
        **({"source": model.source_} if model.source_ else {}),
        "graphs": model.n_train_,
        **({} if model.columns_ is None else {"columns": model.columns_.describe()}),
        "kind": model.scheme_.kind,
        "features": str(model.scheme_.features),
        **({} if (unused := _not_compared(model)) is None else {"not_compared": str(unused)}),
        "standardized": model.scheme_.standardized,
        "mass": model.scheme_.mass,
        "search": model.search_,
        "screening": model.screening_,
        "best_params": model.best_params_,
        **_facts(model),
        **_contradictions(model),
        "n_negative": model.n_negative_,
        "negative_mass": model.negative_mass_,
        "seconds": model.seconds_,
    }


def _facts(model: Model) -> dict[str, Any]:
    """Return what is known of a model of one kind only."""
    if isinstance(model, GraphClassifier):
        return _class_facts(model)
    return _number_facts(model) if isinstance(model, GraphRegressor) else _process_facts(model)


def _contradictions(model: Model) -> dict[str, Any]:
    """Return how many equal training graphs have different targets; nothing for models that do not know these."""
    if model.targets_ is None:
        return {}
    numbers, equal = not isinstance(model, GraphClassifier), model._training.equal
    if isinstance(model, GraphGaussianProcess) and model.censored_ is not None:  # bounds may agree with any number
        equal = [group[model.censored_[group] == 0] for group in equal]
    return {"contradictions": find_contradictions(equal, model.targets_, numbers=numbers)._asdict()}


def _contradiction_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    found = Contradictions(**summary["contradictions"]) if "contradictions" in summary else None
    return [("contradictions", found.sentence())] if found is not None and found.n_groups else []


def _process_facts(model: GraphGaussianProcess) -> dict[str, Any]:
    return {
        "evidence": model.evidence_,
        "signal_deviation": math.sqrt(model.signal_),
        "noise_deviation": math.sqrt(model.noise_),
        "coverage": model.coverage_,
        **({} if model.sharing_ is None else {"sharing": {**asdict(model.sharing_), "helps": model.sharing_.helps}}),
        **({} if model.censored_ is None else {"bounds": _count_bounds(model.censored_)}),
    }


def _count_bounds(sides: IntArray) -> dict[str, int]:
    """Return how many training numbers are only known to be above or below a number."""
    return {">": int((sides > 0).sum()), "<": int((sides < 0).sum())}


def _class_facts(model: GraphClassifier) -> dict[str, Any]:
    return {
        "classes": model.classes_.tolist(),
        "candidates": _count_candidates(model),
        "scoring": model.scoring_,
        "inner_score": model.best_score_,
        "inner_accuracy": model.inner_measures_.get("accuracy", model.best_score_),
        "inner_measures": model.inner_measures_,
        "majority_class": model.majority_score_,
        "unequal": model._unequal,
        "class_weight": dict(zip(map(str, model.classes_.tolist()), model.class_weight_.tolist(), strict=True)),
        "threshold": model.threshold_,
        "support_graphs": len(model.support_),
    }


def _number_facts(model: GraphRegressor) -> dict[str, Any]:
    errors = model.calibration_errors_
    return {
        "candidates": _count_candidates(model),
        "inner_rmse": None if model.best_score_ is None else math.sqrt(-model.best_score_),
        "rmse_of_the_mean": math.sqrt(-model.baseline_score_),
        "interval_half_width": conformal_radius(errors, 0.9) if has_intervals(len(errors), 0.9) else None,
        "calibration_graphs": len(errors),
        # Ridge regression, whose strength is alpha, makes use of all graphs.
        **({"support_graphs": int(np.count_nonzero(model.dual_coef_))} if "C" in model.best_params_ else {}),
    }


def training_table(model: Model, spell: Callable[[Option], str] = str) -> str:
    """Return the summary of a fitted model as a table to print, with options spelled as in Python or as flags."""
    summary, unused = training_summary(model), _not_compared(model)
    rows = [
        ("trained on", summary["trained_on"]),
        *([("target", summary["target"])] if "target" in summary else []),
        *([("columns", summary["columns"])] if "columns" in summary else []),
        ("kind", f"{summary['kind']}{_scaling(summary)}{_given_mass(summary)}"),
        *([] if unused is None else [("not compared", unused.describe(spell))]),
        *_screening(summary["screening"]),
        ("chosen", f"{parameters_text(summary['best_params'])}{_of_candidates(summary)}"),
        *_own_rows(summary),
        *_contradiction_rows(summary),
        ("kernel", _definiteness(summary["n_negative"], summary["negative_mass"])),
        *((step, f"{seconds:.2f} s") for step, seconds in summary["seconds"].items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _not_compared(model: Model) -> UnusedDataWarning | None:
    """Return what the training graphs have and the model does not compare, unless it has tried this."""
    metric = model.metric or WWL()
    if model.search_ == "wide" or not isinstance(metric, WWL):
        return None
    return not_compared(model.graphs_, metric.kind, metric.edge_labels, model.scheme_.features)


def _screening(screening: dict[str, int]) -> list[tuple[str, str]]:
    """Return how many ways to compare graphs were tried, if they were compared on a sample first."""
    if not screening:
        return []
    text = "{ways} ways to compare graphs, tried on a sample of {graphs}; the best {kept} on all graphs"
    return [("searched", text.format(**screening))]


def _count_candidates(model: GraphClassifier | GraphRegressor) -> int:
    return len(model.cv_results_.get("params", [])) or 1


def _of_candidates(summary: dict[str, Any]) -> str:
    """Return how many candidates there were; a Gaussian process has no list of them."""
    if "candidates" not in summary:
        return ""
    return f" (of {summary['candidates']:,} candidate{'' if summary['candidates'] == 1 else 's'})"


def _own_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    if "classes" in summary:
        return _class_rows(summary)
    return _process_rows(summary) if "evidence" in summary else _number_rows(summary)


def _process_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    deviations = f"{summary['signal_deviation']:.4g} of the signal, {summary['noise_deviation']:.4g} of the noise"
    covered = f"{summary['coverage']:.1%} of training numbers, each predicted from the others, are in the 90% interval"
    rows = [
        *_bound_rows(summary),
        ("evidence", f"{summary['evidence']:.2f}, the logarithm of the marginal likelihood"),
        ("deviations", deviations),
        ("coverage", covered),
    ]
    if "sharing" not in summary:
        return rows
    found = {name: value for name, value in summary["sharing"].items() if name != "helps"}
    return [*rows, ("sharing", str(Sharing(**found)))]


def _bound_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Return how many numbers are bounds, if some are."""
    counts = summary.get("bounds", {})
    listed = ", ".join(f"{sign}: {number:,}" for sign, number in counts.items() if number)
    return [("bounds", f"{sum(counts.values()):,} of {summary['graphs']:,} numbers ({listed})")] if counts else []


def _class_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        *([] if summary["scoring"] == "accuracy" else [("chosen by", _score_text(summary))]),
        ("inner accuracy", _inner(_percent(summary["inner_accuracy"]))),
        ("majority class", _percent(summary["majority_class"])),
        *_unequal_rows(summary),
        *_support_rows(summary),
    ]


def _score_text(summary: dict[str, Any]) -> str:
    """Return the score that parameters were chosen by, with its mean in the inner folds."""
    score = summary["inner_score"]
    return f"{scoring_title(summary['scoring'])}{'' if score is None else f', {score:.4g} in the inner folds'}"


def _unequal_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is said of unequal classes: other measures, weights, and the probability that decides."""
    rows = []
    shown = {name: value for name, value in summary["inner_measures"].items() if name != "accuracy"}
    if shown and summary["unequal"]:
        rows.append(("inner measures", ", ".join(measure_text(name, value) for name, value in shown.items())))
    weights = summary["class_weight"]
    if len(set(weights.values())) > 1:
        listed = ", ".join(f"{weight:.4g} for {name}" for name, weight in list(weights.items())[:_MOST_CLASSES])
        rows.append(("class weights", f"{listed}{', …' if len(weights) > _MOST_CLASSES else ''}"))
        if summary["threshold"] is not None:
            second = summary["classes"][1]
            rows.append(("threshold", f"{second} is predicted from a probability of {summary['threshold']:.4g} on"))
    return rows


def _number_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    inner, width = summary["inner_rmse"], summary["interval_half_width"]
    calibrated = f"calibrated on {summary['calibration_graphs']:,} graphs that parameters were not chosen with"
    intervals = f"± {width:.4g} for 90%, {calibrated}" if width is not None else "none: too few graphs for calibration"
    return [
        ("inner RMSE", _inner(_NOT_ESTIMATED if inner is None else f"{inner:.4g}")),
        ("RMSE of the mean", f"{summary['rmse_of_the_mean']:.4g}"),
        ("intervals", intervals),
        *_support_rows(summary),
    ]


def _support_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Return how many training graphs predictions need, if it need not be all."""
    if "support_graphs" not in summary:
        return []
    return [("support graphs", f"{summary['support_graphs']:,} of {summary['graphs']:,}")]


def _scaling(summary: dict[str, Any]) -> str:
    """Return whether attributes were standardized, which "auto" decides; labels alone are never scaled."""
    if summary["kind"] == "categorical":
        return ""
    return ", attributes standardized" if summary["standardized"] else ", attributes not standardized"


def _given_mass(summary: dict[str, Any]) -> str:
    """Return that nodes are counted, unless this is among the chosen parameters."""
    is_given = summary["mass"] == "count" and "mass" not in summary["best_params"]
    return ", every node with the mass 1" if is_given else ""


def _percent(share: float | None) -> str:
    return _NOT_ESTIMATED if share is None else f"{share:.2%}"


def _inner(score: str) -> str:
    """Return a score with what it was measured on, since it is better than that of new graphs."""
    return score if score == _NOT_ESTIMATED else f"{score} in the folds that chose the parameters (not a test)"


def _definiteness(n_negative: int, mass: float) -> str:
    if not n_negative:
        return "positive (semi)definite: no eigenvalue is negative beyond rounding"
    return f"indefinite: {n_negative} negative eigenvalue(s), {mass:.2%} of the spectrum"
