"""Support vector machines for kernels that are not positive definite, in the Kreĭn spaces that such kernels span.

An indefinite kernel K = U Λ Uᵀ is the inner product of a space in which squared lengths may be negative. The problem of
the SVM has no minimum there; Loosli, Canu and Ong (Learning SVM in Kreĭn spaces, 2016) look for a stationary point
instead. They find it by an ordinary SVM on ``U |Λ| Uᵀ``, whose coefficients are mapped back by ``U S Uᵀ``, with S the
signs of Λ. Decisions use the kernel as it is: nothing is clipped, shifted or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from wassergraph.arrays import FloatArray
from wassergraph.kernels.eigenvalues import has_no_negative_part, negative_part, rounding_error
from wassergraph.learners.effort import MAX_ITER
from wassergraph.learners.svm.multiclass import Strategy, TwoGroups, problems, scores_by_class, vote
from wassergraph.learners.svm.smo import TOLERANCE, decide, not_solved, svm_path
from wassergraph.scores.classes import class_name

Shape: TypeAlias = Literal["ovr", "ovo"]


class Flip(NamedTuple):
    """A kernel with its negative eigenvalues made positive, and the map of coefficients back to the original kernel.

    With V the eigenvectors of the negative eigenvalues (n, n_negative), ``U S Uᵀ`` is ``1 - 2 V Vᵀ``.
    """

    kernel: FloatArray
    vectors: FloatArray | None = None

    def map_back(self, coefficients: FloatArray) -> FloatArray:
        """Return coefficients (..., n) of the original kernel, from those of the flipped one."""
        if self.vectors is None:
            return coefficients
        mapped: FloatArray = coefficients - 2 * (coefficients @ self.vectors) @ self.vectors.T
        return mapped


def flip(kernel: FloatArray) -> Flip:
    """Return ``U |Λ| Uᵀ``, or the kernel itself if no eigenvalue is negative beyond rounding.

    Only the negative eigenvalues are computed: ``U |Λ| Uᵀ = K - 2 V Λ₋ Vᵀ``. They are few as a rule, and a full
    decomposition would take several times as long.
    """
    if has_no_negative_part(kernel):
        return Flip(kernel)
    zero = rounding_error(kernel)
    values, vectors = eigh(kernel, subset_by_value=(-np.inf, -zero), driver="evr", check_finite=False)
    negative = values < -zero  # LAPACK includes the upper limit, at which a kernel of zeros has all its eigenvalues
    if not negative.any():
        return Flip(kernel)
    values, vectors = values[negative], vectors[:, negative]
    flipped = kernel - 2 * (vectors * values) @ vectors.T
    return Flip((flipped + flipped.T) / 2, vectors)


def fit_problems(
    kernel: FloatArray,
    parts: Sequence[TwoGroups],
    C: float,  # noqa: N803 - scikit-learn's name
    *,
    flipping: bool,
    weights: FloatArray | None = None,
    tol: float = TOLERANCE,
) -> tuple[FloatArray, FloatArray]:
    """Fit an SVM to every problem.

    Parameters
    ----------
    kernel : (n_train, n_train) floats
        The kernel of the training points.
    parts : sequence of TwoGroups
        The problems of two groups.
    C : float
        The regularization parameter.
    flipping : bool
        Whether each problem is solved in the Kreĭn space of its members; otherwise the kernel is treated as positive
        definite.
    weights : (n_train) floats, optional
        Factors of C by training point.
    tol : float
        How precisely the SVMs are solved, as in ``SVC``.

    Returns
    -------
    coefficients, intercepts : (n_problems, n_train), (n_problems) floats
        A positive decision ``kernel_row @ coefficients[p] + intercepts[p]`` means the first group of the problem.

    Raises
    ------
    NotSolvedError
        If an SVM is not solved in 10,000,000 steps.
    """
    values, stop = np.array([C], dtype=np.float64), np.zeros(1, dtype=np.bool_)
    coefficients, intercepts = np.zeros((len(parts), len(kernel))), np.zeros(len(parts))
    for p, (members, signs) in enumerate(parts):
        block = kernel[np.ix_(members, members)]
        flipped = flip((block + block.T) / 2) if flipping else Flip(block)
        factors = None if weights is None else weights[members]
        (solution,), (intercepts[p],), (steps,) = svm_path(
            flipped.kernel, signs, values, tol, MAX_ITER, stop, weights=factors
        )
        if steps < 0:
            raise not_solved(C, MAX_ITER)
        coefficients[p, members] = flipped.map_back(solution)
    return coefficients, intercepts


class KreinSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Support vector classifier for kernels that need not be positive definite.

    On a positive definite kernel this is scikit-learn's ``SVC(kernel="precomputed")``, up to ``tol``. On any other
    symmetric kernel it solves the stationarity conditions of Loosli, Canu and Ong (2016) in the Kreĭn space of the
    kernel, up to ``tol``, and decides with the unmodified kernel of new points. With more than two classes, each
    problem of two classes is solved in the Kreĭn space of its training points.

    Parameters
    ----------
    C : float
        The inverse strength of regularization; positive.
    kernel : "precomputed", str or callable
        By default X is the kernel matrix: (n_train, n_train) in ``fit``, (n, n_train) later. Otherwise X are points,
        and ``kernel`` is the name of a kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, such as "sigmoid",
        or a function of two matrices of points.
    gamma : float, "scale" or "auto"
        The parameter gamma of a named kernel, as in ``SVC``.
    degree, coef0 : int, float
        Further parameters of a named kernel, as in ``SVC``.
    strategy : "ovo" or "ovr"
        With more than two classes: an SVM for every two of them, as in ``SVC``, or one for each class against the rest.
    class_weight : dict, "balanced" or None
        Factors of C by class, as in ``SVC``.
    decision_function_shape : "ovr" or "ovo"
        With one-vs-one, whether ``decision_function`` has a column per class or per pair of classes, as in ``SVC``.
    tol : float
        The tolerance of the solver; that of ``SVC`` is 1e-3 by default.

    Attributes
    ----------
    classes_ : (n_classes) array
        The classes, sorted.
    n_negative_, negative_mass_ : int, float
        The number of negative eigenvalues of the training kernel, and their share in the sum of all absolute values.
    dual_coef_ : (n_problems, n_train) floats
        The coefficients of the decisions; those of an indefinite kernel are rarely zero.
    intercept_ : (n_problems) floats
        The intercepts of the decisions.
    support_ : (n_support) integers
        The training points with a coefficient that is not zero.

    See Also
    --------
    kernels.definiteness : whether a kernel is positive definite
    kernels.laplacian_kernel : the kernel of distances
    GraphClassifier : distances, kernel and SVM in one

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> K = wg.kernels.laplacian_kernel(wg.distances(graphs, metric=wg.WWL(depth=1)), gamma=1.0)
    >>> svm = wg.KreinSVC(C=10.0).fit(K[:40, :40], y[:40])
    >>> svm.predict(K[40:, :40]).shape, svm.n_negative_
    ((20,), 0)
    """

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803 - scikit-learn's name
        *,
        kernel: Any = "precomputed",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        strategy: Strategy = "ovo",
        class_weight: Any = None,
        decision_function_shape: Shape = "ovr",
        tol: float = TOLERANCE,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.strategy = strategy
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.tol = tol

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # noqa: N803 - scikit-learn's name
        """Fit the classifier.

        Parameters
        ----------
        X : (n_train, n_train) or (n_train, n_features) floats
            The kernel of the training points, or the points.
        y : (n_train) array
            Their classes.

        Returns
        -------
        self
        """
        self._check_parameters()
        points, targets = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(targets)
        classes, class_indices = np.unique(targets, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"there is 1 class only, {class_name(classes[0])}: a classifier needs at least two")
        compute = self._kernel_function(points)
        kernel = compute(points)
        negative = negative_part(kernel)
        fitted = fit_problems(
            kernel,
            problems(class_indices, len(classes), self.strategy),
            self.C,
            flipping=negative[0] > 0,
            weights=_class_weights(self.class_weight, classes, targets)[class_indices],
            tol=self.tol,
        )
        # A fit that fails changes nothing, and parameters that are set later do not change the fitted model.
        self.classes_, self._compute = classes, compute
        self._one_against_rest = self.strategy == "ovr" and len(classes) > 2
        self.n_negative_, self.negative_mass_ = negative
        self.dual_coef_, self.intercept_ = fitted
        self.support_ = np.flatnonzero(self.dual_coef_.any(axis=0))
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:  # noqa: N803 - scikit-learn's name
        """Compute the decisions.

        Parameters
        ----------
        X : (n, n_train) or (n, n_features) floats
            The kernel of the points with the training points, or the points.

        Returns
        -------
        (n) or (n, n_columns) floats
            For two classes one number, positive for the second class; otherwise a column per class or pair of classes.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return -decisions[:, 0]
        if self._one_against_rest or self.decision_function_shape == "ovo":
            return decisions
        return scores_by_class(decisions, len(self.classes_))

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803 - scikit-learn's name
        """Predict the class of every point.

        Parameters
        ----------
        X : (n, n_train) or (n, n_features) floats
            The kernel of the points with the training points, or the points.

        Returns
        -------
        (n) array
            The predicted classes.
        """
        decisions = self._decisions(X)
        predicted = decisions.argmax(axis=1) if self._one_against_rest else vote(decisions, len(self.classes_))
        return np.asarray(self.classes_[predicted])

    def _decisions(self, X: ArrayLike) -> FloatArray:  # noqa: N803 - scikit-learn's name
        check_is_fitted(self)
        kernel = self._compute(validate_data(self, X, reset=False, dtype=np.float64))
        if kernel.ndim != 2 or kernel.shape[1] != self.dual_coef_.shape[1]:
            raise ValueError(
                f"the kernel must have a column for each of the {self.dual_coef_.shape[1]} training points, got the "
                f"shape {kernel.shape}"
            )
        return decide(kernel, self.dual_coef_, self.intercept_)

    def _kernel_function(self, training: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the function that computes the kernel of points with the training points."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            return np.ascontiguousarray
        if callable(self.kernel):
            return partial(_call_kernel, self.kernel, training)
        options = {"gamma": _gamma_value(self.gamma, training), "degree": self.degree, "coef0": self.coef0}
        return partial(pairwise_kernels, Y=training, metric=self.kernel, filter_params=True, **options)

    def _check_parameters(self) -> None:
        for name in ("C", "tol"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
                raise ValueError(f"{name} must be a positive number, got {value!r}")
        for name in ("strategy", "decision_function_shape"):
            if getattr(self, name) not in ("ovo", "ovr"):
                raise ValueError(f'{name} must be "ovo" or "ovr", got {getattr(self, name)!r}')

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def _call_kernel(
    kernel: Callable[[FloatArray, FloatArray], ArrayLike], training: FloatArray, points: FloatArray
) -> FloatArray:
    return np.ascontiguousarray(kernel(points, training), dtype=np.float64)


def _class_weights(class_weight: Any, classes: NDArray[Any], targets: NDArray[Any]) -> FloatArray:
    weights = np.asarray(compute_class_weight(class_weight, classes=classes, y=targets))
    if not (weights > 0).all():
        name = class_name(classes[np.argmin(weights)])
        raise ValueError(f"class_weight of the class {name} is {weights.min()}: weights must be positive")
    return weights


def _gamma_value(gamma: float | str, points: FloatArray) -> float:
    """Return gamma as a number, by SVC's rules for "scale" and "auto"."""
    if gamma == "scale":
        variance = points.var()
        return 1.0 / (points.shape[1] * variance) if variance > 0 else 1.0
    return 1.0 / points.shape[1] if gamma == "auto" else float(gamma)
