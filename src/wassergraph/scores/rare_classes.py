"""Rare classes: when classes count as unequal, and how much classes and graphs weigh.

Everything that depends on whether classes are unequal asks :func:`are_unequal`: the score that parameters are chosen
by, the weights of classes, and which measures summaries show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.invariants import check_choice
from wassergraph.scores.classes import class_name

#: Classes are unequal if the largest has at least this many times as many graphs as the smallest; of two classes, the
#: smaller one then has a quarter of the graphs at most.
UNEQUAL_RATIO = 3
#: What a user may say of the weights of classes: factors of C.
ClassWeight: TypeAlias = Literal["auto", "balanced"] | Mapping[Any, float] | None
#: The decision: None for 1, "balanced" for weights by which all classes count the same, or a weight by class.
DecidedWeight: TypeAlias = Literal["balanced"] | tuple[float, ...] | None


def are_unequal(targets: IntArray) -> bool:
    """Return whether some of the classes (n_graphs), numbered from 0, are much rarer than others.

    Examples
    --------
    >>> are_unequal(np.array([0, 0, 1, 1, 1, 1])), are_unequal(np.array([0, 1, 1, 1]))
    (False, True)
    """
    counts = np.bincount(targets)
    return bool(counts.max() / max(counts.min(), 1) >= UNEQUAL_RATIO)


def decide_weight(class_weight: Any, classes: NDArray[Any], targets: IntArray) -> DecidedWeight:
    """Check and decide the weights of classes.

    Parameters
    ----------
    class_weight : "auto", "balanced", dict or None
        What was asked for: "auto" is "balanced" for unequal classes, and None otherwise. A dict has weights by class;
        classes that it lacks have the weight 1.
    classes : (n_classes) array
        The classes.
    targets : (n_graphs) integers
        The class of every graph, numbered from 0.

    Returns
    -------
    None, "balanced" or tuple of float
        The last are the weights of all classes.

    Raises
    ------
    ValueError
        If a weight is not positive, or belongs to no class.

    Examples
    --------
    >>> decide_weight({"rare": 5}, np.array(["common", "rare"]), np.array([0, 0, 1]))
    (1.0, 5.0)
    """
    if isinstance(class_weight, Mapping):
        return _read_weights(class_weight, classes)
    if class_weight is None:
        return None
    if not isinstance(class_weight, str):
        problem = f"{{}} must be auto, balanced, None or a dict, got {type(class_weight).__name__}"
        raise InputTypeError(problem, options=[Option("class_weight")])
    check_choice("class_weight", class_weight, Literal["auto", "balanced"])
    return "balanced" if class_weight == "balanced" or are_unequal(targets) else None


def _read_weights(given: Mapping[Any, Any], classes: NDArray[Any]) -> tuple[float, ...]:
    """Return a weight for every class; a class may also be named by its text, as on the command line."""
    by_text = {str(name): name for name in classes.tolist()}
    weights = dict.fromkeys(classes.tolist(), 1.0)
    for name, weight in given.items():
        known = name if name in weights else by_text.get(str(name))
        if known is None:
            problem = f"{{}} has the class {class_name(name)}, which no graph has"
            listed = ", ".join(map(class_name, classes[:20]))
            raise InputError(problem, remedy=f"the classes are {listed}", options=[Option("class_weight")])
        weights[known] = _positive_weight(weight, f"the class {class_name(name)}")
    return tuple(weights.values())


def _positive_weight(weight: Any, whose: str) -> float:
    try:
        number = float("nan") if isinstance(weight, bool) else float(weight)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < np.inf:
        problem = f"{{}} of {whose} is {weight!r}, not a positive number"
        raise InputError(problem, remedy="use a larger weight", options=[Option("class_weight")])
    return number


def class_weights(decided: DecidedWeight, targets: IntArray, n_classes: int) -> FloatArray:
    """Return the weight of every class; "balanced" is ``n_graphs / (n_classes * n_graphs_of_the_class)``."""
    if decided is None:
        return np.ones(n_classes)
    if isinstance(decided, tuple):
        return np.array(decided)
    return np.asarray(len(targets) / (n_classes * np.bincount(targets, minlength=n_classes)))


def graph_weights(
    decided: DecidedWeight, targets: IntArray, n_classes: int, sample_weight: FloatArray | None = None
) -> FloatArray | None:
    """Return the factor of C of every graph: its own weight times that of its class; None if all are 1."""
    if decided is None:
        return sample_weight
    weights = class_weights(decided, targets, n_classes)[targets]
    return weights if sample_weight is None else np.asarray(weights * sample_weight)


def read_sample_weight(sample_weight: ArrayLike | None, n_graphs: int) -> FloatArray | None:
    """Read the weights of graphs; raise an error unless there is a positive one for each."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError("{} must be numbers", options=[Option("sample_weight")]) from None
    if weights.shape != (n_graphs,):
        problem = f"{{}} has the shape {weights.shape}, but there are {n_graphs} graphs"
        raise InputError(problem, remedy="pass one weight for each graph", options=[Option("sample_weight")])
    wrong = np.flatnonzero(~((weights > 0) & np.isfinite(weights)))
    if wrong.size:
        problem = f"{{}} is {weights[wrong[0]]:g}, but weights must be positive"
        raise InputError(problem, remedy="leave the graph out", options=[Option("sample_weight")], graph=int(wrong[0]))
    return weights
