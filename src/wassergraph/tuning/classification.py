"""How well graphs can be classified: nested cross-validation of an SVM on distances or kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.kernels.laplacian import check_distances
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.svm.learner import SVMKind, SVMLearner, check_classifier
from wassergraph.notebook import html_heading, html_note, html_table
from wassergraph.pairwise.distance_store import DistanceStore
from wassergraph.scores.classes import read_classes
from wassergraph.tuning.folds import Auto, CrossValidation, fit_folds, make_folds
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES, GAMMAS, Grid, positive_numbers, value_text
from wassergraph.tuning.nested import nested_cross_validation

#: The default numbers of outer and inner folds.
OUTER_FOLDS, INNER_FOLDS = 10, 5


@dataclass(frozen=True)
class Evaluation:
    """The result of a nested cross-validation of a classifier. Printed, it is a sentence.

    Attributes
    ----------
    accuracy : (n_folds) floats
        The share of test graphs that were classified correctly, by outer fold.
    parameters : list of dict
        The depth, gamma and C chosen in each outer fold, on its training part alone.
    inner_accuracy : (n_folds) floats
        The mean accuracy of these parameters in the inner folds.
    test : list of (n_test) integers
        The positions of the graphs that each outer fold tests.
    predictions : list of (n_test) arrays
        The classes predicted for them, by an SVM that was not trained on them.
    majority : float
        The share of the largest class: the accuracy of always predicting it.
    unsolved : int
        The number of candidates and inner folds that were left out because their fit, or that of a smaller C, took
        too many steps.
    seconds : dict
        The time of each step.

    See Also
    --------
    evaluate_distances : evaluate distances
    Report : the result for graphs and several methods

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> result = wg.evaluate_distances(wg.distances(graphs, metric=wg.WWL(depth=1)), y, gamma=1.0, C=10.0, cv=3)
    >>> result.accuracy.shape, round(result.majority, 3), len(result.predictions)
    ((3,), 0.333, 3)
    """

    accuracy: FloatArray
    parameters: list[dict[str, Any]]
    inner_accuracy: FloatArray
    test: list[IntArray]
    predictions: list[NDArray[Any]]
    majority: float
    unsolved: int
    seconds: dict[str, float]

    def __str__(self) -> str:
        return (
            f"accuracy {100 * self.accuracy.mean():.2f} ± {100 * self.accuracy.std():.2f} % over {len(self.accuracy)} "
            f"folds (majority class: {100 * self.majority:.2f} %)"
        )

    def _repr_html_(self) -> str:
        names = list(self.parameters[0])
        columns = zip(self.accuracy, self.inner_accuracy, self.parameters, self.test, strict=True)
        rows = [
            [f"{fold}", f"{len(test)}", _percent(outer), _percent(inner), *(value_text(chosen[name]) for name in names)]
            for fold, (outer, inner, chosen, test) in enumerate(columns)
        ]
        header = ["fold", "graphs", "accuracy in %", "inner accuracy in %", *names]
        times = ", ".join(f"{step} {seconds:.2f} s" for step, seconds in self.seconds.items())
        table = html_table(rows, header=header, numbers=range(len(header)))
        return html_heading(str(self)) + table + html_note(times)


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share:.2f}"


def evaluate_distances(
    distances: ArrayLike | DistanceStore,
    y: ArrayLike,
    *,
    depth: int | Sequence[int] | None = None,
    gamma: float | Sequence[float] = GAMMAS,
    C: float | Sequence[float] = ATTRIBUTE_C_VALUES,  # noqa: N803 - scikit-learn's name
    classifier: SVMKind = "auto",
    cv: CrossValidation | Auto = "auto",
    inner_cv: int | Auto = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Evaluation:
    """Estimate how well graphs can be classified by their distances, by nested cross-validation.

    Every outer fold chooses depth, gamma and C by cross-validation on its training graphs, fits an SVM with them, and
    tests it on graphs that were used for neither. The distances are computed once, before the folds; this is valid
    if the distance of two graphs does not depend on other graphs. With ``standardize=True`` it depends on the mean and
    standard deviation of all graphs, though not on classes. To standardize within the folds, use ``cross_val_score``
    with a :class:`wassergraph.GraphClassifier`.

    Parameters
    ----------
    distances : (n_depths, N, N) or (N, N) floats, or DistanceStore
        The distances, as :func:`wassergraph.distances` returns them.
    y : (N) array
        The class of every graph.
    depth : int or sequence of int, optional
        The depths that the distances belong to; by default those of a store, and 0, 1, 2, … for an array.
    gamma, C : float or sequence of float
        The values to choose from; by default the paper's ranges for attributes.
    classifier : "auto", "svc" or "krein"
        "svc" treats kernels as positive definite, which those of labels are; "krein", which "auto" means here, checks
        them and flips negative eigenvalues, see :class:`wassergraph.KreinSVC`.
    cv : int, "auto", splitter or iterable
        The outer folds; a number means stratified folds. "auto" is 10, or fewer, with a warning, if no class has as
        many graphs.
    inner_cv : int or "auto"
        The number of inner folds, used to choose parameters; "auto" is 5, or fewer, as before.
    random_state : int or None
        The seed for shuffling the folds; None keeps the order of the graphs.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    Evaluation
        The accuracy, the chosen parameters and the predictions of every outer fold.

    See Also
    --------
    evaluate : the same for graphs, and for several methods
    Evaluation : what is returned
    distances : the distances
    GraphClassifier : a model for new graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.distances(graphs, metric=wg.WWL(depth=range(3)))
    >>> result = wg.evaluate_distances(D, y, cv=5)
    >>> len(result.accuracy), sorted(result.parameters[0])
    (5, ['C', 'depth', 'gamma'])
    """
    check_classifier(classifier)
    stack = check_stack(distances)
    if isinstance(distances, DistanceStore):
        depth = _check_store_depths(distances, depth)
    depths, order = _check_depths(depth, len(stack))
    grid = Grid.of_depths(depths, positive_numbers("gamma", gamma), positive_numbers("C", C))
    return cross_validate(
        stack if order is None else stack[order],
        y,
        grid,
        krein=classifier != "svc",
        cv=cv,
        inner_cv=inner_cv,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )


def cross_validate(
    matrices: NDArray[Any],
    y: ArrayLike,
    grid: Grid,
    *,
    krein: bool,
    cv: CrossValidation | Auto = "auto",
    inner_cv: int | Auto = "auto",
    random_state: int | None = 0,
    effort: Effort = NO_LIMITS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Evaluation:
    """Evaluate an SVM on the matrices of a grid by nested cross-validation.

    Parameters
    ----------
    matrices : (n_matrices, N, N) floats
        Distances or kernels, which are not checked.
    y : (N) array
        The class of every graph.
    grid : Grid
        The candidates.
    krein : bool
        Whether kernels may be indefinite.
    effort : Effort
        Which candidates may be left out.
    cv, inner_cv, random_state, n_jobs, progress
        As in :func:`evaluate_distances`.

    Returns
    -------
    Evaluation
        As in :func:`evaluate_distances`.
    """
    classes, targets = read_classes(y, matrices.shape[1])
    if isinstance(cv, str):
        cv = fit_folds(cv, OUTER_FOLDS, int(np.bincount(targets).max()))
    outer = make_folds(targets, classes, cv, random_state)
    smallest = min(int(np.bincount(targets[training]).max()) for training, _ in outer)
    n_inner = fit_folds(inner_cv, INNER_FOLDS, smallest, what="inner folds")
    inner = [_inner_folds(fold, targets, classes, n_inner, random_state) for fold in outer]
    learner = SVMLearner(len(classes), krein=krein)
    result = nested_cross_validation(
        matrices, targets, outer, inner, grid, learner, effort=effort, n_jobs=n_jobs, progress=progress
    )
    return Evaluation(
        accuracy=result.score,
        parameters=result.parameters,
        inner_accuracy=result.inner_score,
        test=[test for _, test in outer],
        predictions=[classes[predicted] for predicted in result.predictions],
        majority=float(np.bincount(targets).max() / len(targets)),
        unsolved=result.n_unsolved,
        seconds=result.seconds,
    )


def _inner_folds(fold: Fold, targets: IntArray, classes: NDArray[Any], cv: int, random_state: int | None) -> list[Fold]:
    """Split the training part of an outer fold; positions are those among all graphs."""
    training, _ = fold
    splits = make_folds(targets[training], classes, cv, random_state, option="inner_cv")
    return [(training[a], training[b]) for a, b in splits]


def check_stack(distances: ArrayLike | DistanceStore) -> NDArray[Any]:
    """Return distances as an array (n_depths, N, N); raise an error unless every matrix is square and symmetric."""
    stack = check_distances(distances)
    stack = stack[None] if stack.ndim == 2 else stack
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2]:
        raise ValueError(
            f"distances must be square, (N, N) or (n_depths, N, N), got the shape {np.shape(distances)}; "
            "distances(graphs, metric=wg.WWL(depth=range(8))) computes them"
        )
    for number, matrix in enumerate(stack):
        if not np.allclose(matrix, matrix.T, rtol=1e-5, atol=0):
            raise ValueError(
                f"matrix {number} of the distances is not symmetric: pass distances of the same graphs in rows and "
                "columns"
            )
    return stack


def _check_store_depths(store: DistanceStore, depth: int | Sequence[int] | None) -> Any:
    """Return the depths of a store; raise an error if others are given."""
    stored = store.recipe["depth"]
    if depth is not None and np.atleast_1d(depth).tolist() != np.atleast_1d(stored).tolist():
        problem = f"{{}} is {stored} in the store, got {depth!r}"
        raise InputError(problem, remedy="leave it out", options=[Option("depth")], file=store.path)
    return stored


def _check_depths(depth: int | Sequence[int] | None, n_matrices: int) -> tuple[list[int], IntArray | None]:
    """Return the depths of matrices in increasing order, and the order of the matrices, or None if they are sorted."""
    depths = list(range(n_matrices)) if depth is None else [int(h) for h in np.atleast_1d(depth)]
    if len(depths) != n_matrices or len(set(depths)) < len(depths) or min(depths, default=0) < 0:
        problem = f"{{}} must have a different number of at least 0 for each of {n_matrices} matrices, got {depth!r}"
        raise InputError(problem, options=[Option("depth")])
    order = np.argsort(depths)
    return sorted(depths), None if (np.diff(order) > 0).all() else order
