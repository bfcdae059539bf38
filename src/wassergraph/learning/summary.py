"""What came of a training, as a table for people and as plain numbers for programs."""

from __future__ import annotations

from typing import Any

from wassergraph.learning.classifier import WWLClassifier


def training_summary(model: WWLClassifier) -> dict[str, Any]:
    """Tell what a model was trained on, what was chosen, how good it was inside, and where the time went."""
    return {
        "trained_on": model.trained_on(),
        "graphs": model.n_train_,
        "classes": model.classes_.tolist(),
        "kind": model.scheme_.kind,
        "features": model.scheme_.features,
        "standardized": model.scheme_.mean is not None,
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
    """Lay the summary out as a table."""
    told = training_summary(model)
    chosen = ", ".join(f"{name} = {value:g}" for name, value in told["best_params"].items())
    rows = [
        ("trained on", told["trained_on"]),
        ("kind", f"{told['kind']}{', standardized' if told['standardized'] else ''}"),
        ("chosen", f"{chosen} (of {told['candidates']:,} candidates)"),
        ("inner accuracy", _percent(told["inner_accuracy"])),
        ("majority class", _percent(told["majority_class"])),
        ("kernel", _definiteness(told["n_negative"], told["negative_mass"])),
        ("support graphs", f"{told['support_graphs']:,} of {told['graphs']:,}"),
        *((step, f"{seconds:.2f} s") for step, seconds in told["seconds"].items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _percent(share: float | None) -> str:
    return "nothing to choose" if share is None else f"{share:.2%}"


def _definiteness(n_negative: int, mass: float) -> str:
    if not n_negative:
        return "positive (semi)definite: no eigenvalue is negative beyond rounding"
    return f"indefinite: {n_negative} negative eigenvalue(s), {mass:.2%} of the spectrum"
