"""Classes of graphs: read, checked and numbered from 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError


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
        If there are no graphs, if there are fewer than two classes, or if a class has one graph only.
    """
    if not n_graphs:
        raise InputError("there are no graphs to learn from", remedy="pass at least two graphs of each class")
    classes, class_indices = number_classes(y, n_graphs)
    _check_counts(classes, np.bincount(class_indices))
    return classes, class_indices


def number_classes(y: ArrayLike | None, n_graphs: int) -> tuple[NDArray[Any], IntArray]:
    """Read the classes of graphs as :func:`read_classes` does, of any number and size."""
    if y is None:
        raise InputError("y is None", remedy="pass the class of every graph")
    targets = column_or_1d(y)
    if len(targets) != n_graphs:
        problem = f"there are {n_graphs} graphs, but {len(targets)} classes in y"
        raise InputError(problem, remedy="pass one class for each graph")
    targets = _of_one_type(targets)
    check_classification_targets(targets)
    classes, class_indices = np.unique(targets, return_inverse=True)
    return classes, class_indices.astype(np.int64)


def _check_counts(classes: NDArray[Any], counts: NDArray[np.int64]) -> None:
    if len(classes) < 2:
        problem = f"all graphs belong to the class {class_name(classes[0])}"
        raise InputError(problem, remedy="add graphs of another class, since a classifier needs two or more classes")
    if counts.min() < 2:
        name = class_name(classes[counts.argmin()])
        problem = f"the class {name} has only one graph, but cross-validation needs one to train with and one to test"
        raise InputError(problem, remedy="add a graph to this class, or leave the class out")


def _of_one_type(targets: NDArray[Any]) -> NDArray[Any]:
    """Convert classes that came as objects, as from a table, to the type that all of them share."""
    if targets.dtype != object:
        return targets
    types = {type(target) for target in targets.tolist()}
    if len(types) != 1 or not types <= {str, int, bool, float}:
        names = ", ".join(sorted(kind.__name__ for kind in types))
        problem = f"y contains values of the types {names}"
        raise InputError(problem, remedy="pass classes that are all strings, or all numbers")
    return np.array(targets.tolist())


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
