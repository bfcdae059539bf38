"""How good is it? Nested cross-validation on distances that were computed once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.kernels.laplacian import check_distances
from wassergraph.learning.folds import make_folds, read_classes
from wassergraph.learning.selection import (
    ATTRIBUTE_COSTS,
    FULL,
    GAMMAS,
    Effort,
    Fold,
    Grid,
    as_kernel,
    path_decisions,
    positive_numbers,
    score_grid,
)
from wassergraph.learning.svm.multiclass import Votes
from wassergraph.learning.svm.smo import NOT_CONVERGED
from wassergraph.parallel.threads import n_threads

Machine: TypeAlias = Literal["auto", "svc", "krein"]


@dataclass(frozen=True)
class Evaluation:
    """What a nested cross-validation found; print it for a sentence.

    Attributes
    ----------
    accuracy : (n_folds) floats
        The share of test graphs that were classified correctly, by outer fold.
    parameters : list of dict
        The depth, gamma and C chosen in each outer fold, on its training part alone.
    inner_accuracy : (n_folds) floats
        The mean accuracy of these in the inner folds.
    test : list of (n_test) integers
        The positions of the graphs that each outer fold tests.
    predictions : list of (n_test) arrays
        The classes given to these, by a machine that had not seen them.
    majority : float
        The share of the largest class: what always answering with it would reach.
    unsolved : int
        How many candidates were left out in an inner fold: a machine, of theirs or of a smaller C, took too many steps.
    seconds : dict
        The time of each step.
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


def evaluate_distances(
    distances: ArrayLike,
    y: ArrayLike,
    *,
    depth: int | Sequence[int] | None = None,
    gamma: float | Sequence[float] = GAMMAS,
    C: float | Sequence[float] = ATTRIBUTE_COSTS,  # noqa: N803 - scikit-learn's name
    classifier: Machine = "auto",
    cv: Any = 10,
    inner_cv: int = 5,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Evaluation:
    """Estimate how well graphs can be classified by their distances: parameters chosen inside, tested outside.

    Every outer fold chooses depth, gamma and C by cross-validation on its training graphs, trains with them, and is
    tested on graphs that took no part in either. The distances are computed once, which is sound as long as they do not
    learn from the graphs; with ``standardize=True`` they know the mean and spread of all graphs, though no class. For
    standardization within the folds, use ``cross_val_score`` with a :class:`wassergraph.WWLClassifier`.

    Parameters
    ----------
    distances : (n_depths, N, N) or (N, N) floats
        As :func:`wassergraph.wwl_distances` gives them.
    y : (N) array
        The class of every graph.
    depth : int or sequence of int, optional
        The depths that the distances belong to; 0, 1, 2, … by default.
    gamma, C : float or sequence of float
        The values to choose from; by default the paper's ranges for attributes.
    classifier : "auto", "svc" or "krein"
        "svc" takes kernels for positive definite, as those of labels are; "krein", which "auto" means here, looks and
        flips what is negative.
    cv : int, splitter or iterable
        The outer folds; a number means stratified and shuffled ones.
    inner_cv : int
        The number of inner folds.
    random_state : int or None
        What the folds are shuffled with; None leaves the order.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.wwl_distances(graphs, depth=range(3))
    >>> result = wg.evaluate_distances(D, y, cv=5)
    >>> len(result.accuracy), sorted(result.parameters[0])
    (5, ['C', 'depth', 'gamma'])
    """
    stack, grid = _read(distances, depth, gamma, C)
    if classifier not in ("auto", "svc", "krein"):
        raise ValueError(f'classifier must be "auto", "svc" or "krein", got {classifier!r}')
    return cross_validate(
        stack,
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
    cv: Any = 10,
    inner_cv: int = 5,
    random_state: int | None = 0,
    effort: Effort = FULL,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Evaluation:
    """Evaluate the matrices that a grid names, distances or kernels (n_matrices, N, N), as they are: checked before.

    ``krein`` says that kernels may be indefinite, ``effort`` which candidates may be left out; the others are those of
    :func:`evaluate_distances`.
    """
    classes, codes = read_classes(y, matrices.shape[1])
    outer = make_folds(codes, classes, cv, random_state)
    inner = [_inner_folds(fold, codes, classes, inner_cv, random_state) for fold in outer]
    begin = time.perf_counter()
    every = [fold for folds in inner for fold in folds]
    groups = np.repeat(np.arange(len(inner)), [len(folds) for folds in inner]).tolist()
    scores = score_grid(
        matrices, codes, every, grid, krein=krein, groups=groups, effort=effort, n_jobs=n_jobs, progress=progress
    )
    selected = time.perf_counter()
    ends = np.cumsum([len(folds) for folds in inner])
    best = [scores.take(range(end - len(folds), end)).best() for end, folds in zip(ends, inner, strict=True)]
    with threadpool_limits(n_threads(n_jobs)):
        predicted = [
            _predict(matrices, codes, fold, grid, number, krein) for fold, (number, _) in zip(outer, best, strict=True)
        ]
    right = [(found == codes[test]).mean() for found, (_, test) in zip(predicted, outer, strict=True)]
    return Evaluation(
        accuracy=np.array(right),
        parameters=[grid.candidate(number) for number, _ in best],
        inner_accuracy=np.array([score for _, score in best]),
        test=[test for _, test in outer],
        predictions=[classes[found] for found in predicted],
        majority=float(np.bincount(codes).max() / len(codes)),
        unsolved=int((scores.steps == NOT_CONVERGED).sum()),
        seconds={"selection": selected - begin, "training and test": time.perf_counter() - selected},
    )


def _read(distances: ArrayLike, depth: Any, gamma: Any, cost: Any) -> tuple[NDArray[Any], Grid]:
    stack = check_distances(distances)
    stack = stack[None] if stack.ndim == 2 else stack
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2]:
        raise ValueError(
            f"distances must be square, (N, N) or (n_depths, N, N), got the shape {np.shape(distances)}; "
            "wwl_distances(graphs, depth=range(8)) makes them"
        )
    crooked = [h for h, matrix in enumerate(stack) if not np.allclose(matrix, matrix.T, rtol=1e-5, atol=0)]
    if crooked:
        raise ValueError(f"matrix {crooked[0]} of the distances is not symmetric: give the graphs against themselves")
    depths = list(range(len(stack))) if depth is None else [int(h) for h in np.atleast_1d(depth)]
    if len(depths) != len(stack) or len(set(depths)) < len(depths) or min(depths) < 0:
        raise ValueError(f"depth must be a different number from 0 on for each of {len(stack)} matrices, got {depth!r}")
    order = np.argsort(depths)
    stack = stack if (np.diff(order) > 0).all() else stack[order]
    return stack, Grid.of_depths(sorted(depths), positive_numbers("gamma", gamma), positive_numbers("C", cost))


def _inner_folds(fold: Fold, codes: IntArray, classes: NDArray[Any], cv: int, random_state: int | None) -> list[Fold]:
    """Cut the training part of an outer fold; positions are those among all graphs."""
    training, _ = fold
    return [(training[a], training[b]) for a, b in make_folds(codes[training], classes, cv, random_state)]


def _predict(matrices: NDArray[Any], codes: IntArray, fold: Fold, grid: Grid, number: int, krein: bool) -> IntArray:
    """Train with the chosen candidate, and give the classes of the test graphs."""
    training, test = fold
    n_classes = int(codes.max()) + 1
    m, g, c = grid.place(number)
    kernel, rows = (as_kernel(matrices[m][np.ix_(some, training)], grid.scales[g]) for some in (training, test))
    votes = Votes((len(test),), n_classes)
    costs = grid.costs[: c + 1]  # the smaller ones lead to the chosen one, as they did when it was scored
    for pair, decisions, _ in path_decisions(
        kernel, rows, codes[training], n_classes, costs, not krein, np.zeros(1, dtype=np.bool_)
    ):
        votes.add(pair, decisions[-1])
    return votes.winners()
