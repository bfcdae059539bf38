"""The summary of a fitted model, as a table or as a dictionary."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from wassergraph.learning.classifier import WWLClassifier
from wassergraph.learning.conformal import conformal_radius, has_intervals
from wassergraph.learning.gaussian_process import WWLGaussianProcess
from wassergraph.learning.grid import parameters_text
from wassergraph.learning.regressor import WWLRegressor
from wassergraph.parallel.compilation import worth_showing

Model: TypeAlias = WWLClassifier | WWLRegressor | WWLGaussianProcess

_NOT_ESTIMATED = "not estimated, since there was one candidate"


def training_summary(model: Model) -> dict[str, Any]:
    """Return a summary of a fitted model in a form that can be written as JSON.

    Parameters
    ----------
    model : WWLClassifier, WWLRegressor or WWLGaussianProcess
        A fitted model.

    Returns
    -------
    dict
        The training data, how they are embedded, the chosen parameters and their accuracy or error in the inner folds,
        the definiteness of the kernel, and the time of each step.
    """
    return {
        "trained_on": model.trained_on(),
        **({} if model.target_name_ is None else {"target": model.target_name_}),
        **({"source": model.source_} if model.source_ else {}),
        "graphs": model.n_train_,
        "kind": model.scheme_.kind,
        "features": str(model.scheme_.features),
        "standardized": model.scheme_.standardized,
        "mass": model.scheme_.mass,
        "best_params": model.best_params_,
        **_facts(model),
        "n_negative": model.n_negative_,
        "negative_mass": model.negative_mass_,
        "seconds": model.seconds_,
    }


def _facts(model: Model) -> dict[str, Any]:
    """Return what is known of a model of one kind only."""
    if isinstance(model, WWLClassifier):
        return _class_facts(model)
    return _number_facts(model) if isinstance(model, WWLRegressor) else _process_facts(model)


def _process_facts(model: WWLGaussianProcess) -> dict[str, Any]:
    return {
        "evidence": model.evidence_,
        "signal_deviation": math.sqrt(model.signal_),
        "noise_deviation": math.sqrt(model.noise_),
        "coverage": model.coverage_,
    }


def _class_facts(model: WWLClassifier) -> dict[str, Any]:
    return {
        "classes": model.classes_.tolist(),
        "candidates": _count_candidates(model),
        "inner_accuracy": model.best_score_,
        "majority_class": model.majority_score_,
        "support_graphs": len(model.support_),
    }


def _number_facts(model: WWLRegressor) -> dict[str, Any]:
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


def training_table(model: Model) -> str:
    """Return the summary of a fitted model as a table to print."""
    summary = training_summary(model)
    rows = [
        ("trained on", summary["trained_on"]),
        *([("target", summary["target"])] if "target" in summary else []),
        ("kind", f"{summary['kind']}{_scaling(summary)}{_given_mass(summary)}"),
        ("chosen", f"{parameters_text(summary['best_params'])}{_of_candidates(summary)}"),
        *_own_rows(summary),
        ("kernel", _definiteness(summary["n_negative"], summary["negative_mass"])),
        *((step, f"{seconds:.2f} s") for step, seconds in worth_showing(summary["seconds"]).items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _count_candidates(model: WWLClassifier | WWLRegressor) -> int:
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
    return [
        ("evidence", f"{summary['evidence']:.2f}, the logarithm of the marginal likelihood"),
        ("deviations", deviations),
        ("coverage", covered),
    ]


def _class_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("inner accuracy", _inner(_percent(summary["inner_accuracy"]))),
        ("majority class", _percent(summary["majority_class"])),
        *_support_rows(summary),
    ]


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
