"""Classes of graphs: read, checked and numbered from 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.values import read_known_values, value_array


def read_classes(y: ArrayLike | None, n_graphs: int) -> tuple[NDArray[Any], IntArray]:
    """Read the classes of graphs.

    Parameters
    ----------
    y : (n_graphs) array
        The class of every graph: numbers, texts or booleans.
    n_graphs : int
        The number of graphs.

    Returns
    -------
    classes : (n_classes) array
        The different classes, sorted.
    class_indices : (n_graphs) integers
        The position of every graph's class among them.

    Raises
    ------
    ValueError
        If there are no graphs, if the class of a graph is missing or is a number with a fraction, if there are fewer
        than two classes, or if a class has one graph only.
    """
    if not n_graphs:
        raise InputError("there are no graphs to learn from", remedy="pass at least two graphs of each class")
    remedy = "pass classes as text or whole numbers, or learn numbers with GraphRegressor"
    classes, class_indices = number_classes(y, n_graphs, fractions=remedy)
    counts = np.bincount(class_indices)
    if len(classes) < 2:
        problem = f"all graphs belong to the class {class_name(classes[0])}"
        raise InputError(problem, remedy="add graphs of another class, since a classifier needs two or more classes")
    if counts.min() < 2:
        name = class_name(classes[counts.argmin()])
        problem = f"the class {name} has only one graph, but cross-validation needs one to train with and one to test"
        raise InputError(problem, remedy=rare_class_remedy(class_indices))
    return classes, class_indices


def number_classes(
    y: ArrayLike | None, n_graphs: int, *, fractions: str = "pass classes as text or whole numbers"
) -> tuple[NDArray[Any], IntArray]:
    """Read the classes of graphs as :func:`read_classes` does, of any number and size.

    ``fractions`` is what to do about numbers with fractions.
    """
    if y is None:
        raise InputError("y is None", remedy="pass the class of every graph")
    shape = value_array(y).shape
    if not shape or any(size != 1 for size in shape[1:]):
        raise InputError(f"y has the shape {shape}", remedy="pass one class for each graph")
    if shape[0] != n_graphs:
        problem = f"there are {n_graphs} graphs, but {shape[0]} classes in y"
        raise InputError(problem, remedy="pass one class for each graph")
    column = y if len(shape) == 1 else value_array(y).ravel()
    targets = read_known_values(column, "pass the class of every graph, or leave the graph out")
    broken = np.flatnonzero(targets != np.floor(targets)) if targets.dtype.kind == "f" else np.empty(0)
    if broken.size:
        problem = f"y is {targets[broken[0]]:g}, which is not a class"
        raise InputError(problem, remedy=fractions, graph=int(broken[0]))
    # What can still be wrong are very many classes, of which it warns.
    check_classification_targets(targets)
    classes, class_indices = np.unique(targets, return_inverse=True)
    return classes, class_indices.astype(np.int64)


def rare_class_remedy(class_indices: IntArray) -> str:
    """Return what to do about the smallest class, which has too few graphs; its graphs are named.

    Examples
    --------
    >>> rare_class_remedy(np.array([0, 0, 1, 0, 1])).partition(", such")[0]
    'add graphs to it, give its graphs 2, 4 (counted from 0) another class'
    """
    members = np.flatnonzero(class_indices == np.bincount(class_indices).argmin()).tolist()
    more, few, out = "graphs to it", f"graphs {', '.join(map(str, members))}", "them"
    if len(members) == 1:
        more, few, out = "a graph to this class", f"graph {members[0]}", "the graph"
    others = "another class, such as one for all others"
    return f"add {more}, give its {few} (counted from 0) {others}, or leave {out} out"


def class_name(value: Any) -> str:
    """Return a class as it is written in Python: 'active', not np.str_('active')."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def check_classes_present(class_indices: IntArray, classes: Sequence[Any] | NDArray[Any], where: str) -> None:
    """Raise an error if the training graphs lack a class; ``where`` names them."""
    missing = np.setdiff1d(np.arange(len(classes)), class_indices)
    if missing.size:
        name = class_name(classes[missing[0]])
        problem = f"{where} has no graph of the class {name}"
        raise InputError(problem, remedy="use other folds, or leave the class out")
