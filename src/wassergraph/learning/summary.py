"""The summary of a fitted model, as a table or as a dictionary."""

from __future__ import annotations

from typing import Any

from wassergraph.learning.classifier import WWLClassifier
from wassergraph.learning.grid import parameters_text
from wassergraph.parallel.compilation import worth_showing


def training_summary(model: WWLClassifier) -> dict[str, Any]:
    """Return a summary of a fitted model in a form that can be written as JSON.

    Parameters
    ----------
    model : WWLClassifier
        A fitted model.

    Returns
    -------
    dict
        The training data, how they are embedded, the chosen parameters and their accuracy in the inner folds, the
        definiteness of the kernel, and the time of each step.
    """
    return {
        "trained_on": model.trained_on(),
        "graphs": model.n_train_,
        "classes": model.classes_.tolist(),
        "kind": model.scheme_.kind,
        "features": str(model.scheme_.features),
        "standardized": model.scheme_.standardized,
        "mass": model.scheme_.mass,
        "best_params": model.best_params_,
        "inner_accuracy": model.best_score_,
        "majority_class": model.majority_score_,
        "candidates": len(model.cv_results_.get("params", [])) or 1,
        "support_graphs": len(model.graphs_),
        "n_negative": model.n_negative_,
        "negative_mass": model.negative_mass_,
        "seconds": model.seconds_,
    }


def training_table(model: WWLClassifier) -> str:
    """Return the summary of a fitted model as a table to print."""
    summary = training_summary(model)
    chosen = parameters_text(summary["best_params"])
    plural = "" if summary["candidates"] == 1 else "s"
    rows = [
        ("trained on", summary["trained_on"]),
        ("kind", f"{summary['kind']}{_scaling(summary)}{_given_mass(summary)}"),
        ("chosen", f"{chosen} (of {summary['candidates']:,} candidate{plural})"),
        ("inner accuracy", _percent(summary["inner_accuracy"])),
        ("majority class", _percent(summary["majority_class"])),
        ("kernel", _definiteness(summary["n_negative"], summary["negative_mass"])),
        ("support graphs", f"{summary['support_graphs']:,} of {summary['graphs']:,}"),
        *((step, f"{seconds:.2f} s") for step, seconds in worth_showing(summary["seconds"]).items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


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
    return "not estimated, since there was one candidate" if share is None else f"{share:.2%}"


def _definiteness(n_negative: int, mass: float) -> str:
    if not n_negative:
        return "positive (semi)definite: no eigenvalue is negative beyond rounding"
    return f"indefinite: {n_negative} negative eigenvalue(s), {mass:.2%} of the spectrum"
