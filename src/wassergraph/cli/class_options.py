"""Options for classes of different sizes, which ``train`` and ``evaluate`` share."""

from __future__ import annotations

import argparse
from typing import Any

#: The options, as they are called in Python.
CLASS_OPTIONS = ("class_weight", "scoring")


def add_class_options(command: argparse.ArgumentParser) -> None:
    """Add the options; those that are not given are None."""
    command.add_argument(
        "--class-weight",
        type=read_class_weight,
        metavar="W",
        help="for classes, factors of C: balanced lets all classes count the same, none is 1 for all, and "
        "active=5,inactive=1 names them (default: auto, balanced if the largest class has at least three times as many "
        "graphs as the smallest, otherwise none)",
    )
    command.add_argument(
        "--scoring",
        metavar="S",
        help="for classes, what parameters are chosen by: accuracy, balanced-accuracy, roc-auc, average-precision, "
        "rare-pr-auc, mcc, f1, f1-macro, precision, recall, enrichment-5 (the enrichment factor of the highest 5 "
        "percent) and others (default: auto, accuracy; if the largest class has at least three times as many graphs as "
        "the smallest, rare-pr-auc, the average precision of the smaller of two classes, or balanced-accuracy of more)",
    )


def read_class_weight(text: str) -> Any:
    """Read "auto", "balanced", "none" or weights by class; the latter are checked when the classes are known."""
    if "=" not in text:
        return text.strip().lower()
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(name.strip() and weight.strip() for name, _, weight in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of weights such as active=5,inactive=1")
    return {name.strip(): weight.strip() for name, _, weight in parts}


def given_class_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that are given, as Python has them: none is None there."""
    given = {name: getattr(options, name) for name in CLASS_OPTIONS if getattr(options, name) is not None}
    return {name: None if name == "class_weight" and value == "none" else value for name, value in given.items()}
