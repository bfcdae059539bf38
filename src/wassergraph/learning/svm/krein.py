"""Support vector machines for kernels that are not positive definite, in the Kreĭn spaces that such kernels span.

An indefinite kernel K = U Λ Uᵀ is the inner product of a space in which lengths may be negative. Loosli, Canu and Ong
(Learning SVM in Kreĭn spaces, 2016) do not seek a minimum there, since there is none, but a point where the problem is
stationary. They find it by an ordinary support vector machine on ``U |Λ| Uᵀ``, whose coefficients ``U S Uᵀ`` maps back,
with S the signs of Λ. Decisions are made with the kernel as it is: nothing is clipped, shifted or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky, eigh
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from wassergraph.arrays import FloatArray
from wassergraph.kernels.laplacian import check_kernel, definiteness
from wassergraph.learning.svm.multiclass import Problem, Strategy, class_name, problems, scores_by_class, vote
from wassergraph.learning.svm.smo import decide

Shape: TypeAlias = Literal["ovr", "ovo"]


def has_no_negative_part(kernel: FloatArray) -> bool:
    """Find out by a Cholesky decomposition, at a fraction of the price of eigenvalues.

    The diagonal is raised by what counts as rounding, so that a kernel with eigenvalues of zero, as equal graphs make
    them, passes too.
    """
    raised = kernel.copy()
    raised.flat[:: len(kernel) + 1] += _rounding(kernel)
    try:
        cholesky(raised, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _rounding(kernel: FloatArray) -> float:
    """Up to where an eigenvalue counts as zero; the largest sum of a row stands for the largest eigenvalue."""
    return 10 * len(kernel) * float(np.finfo(np.float64).eps * np.abs(kernel).sum(axis=1).max())


class Flip(NamedTuple):
    """A kernel with its negative part turned positive, and how coefficients come back from there.

    With V the eigenvectors of the negative eigenvalues alone (n, n_negative), ``U S Uᵀ`` is ``1 - 2 V Vᵀ``.
    """

    kernel: FloatArray
    vectors: FloatArray | None = None

    def back(self, coefficients: FloatArray) -> FloatArray:
        """Map coefficients (..., n) of the flipped kernel to coefficients of the kernel itself."""
        if self.vectors is None:
            return coefficients
        mapped: FloatArray = coefficients - 2 * (coefficients @ self.vectors) @ self.vectors.T
        return mapped


def flip(kernel: FloatArray) -> Flip:
    """Give ``U |Λ| Uᵀ``, or the kernel itself where no eigenvalue is negative beyond rounding.

    Only what is negative is computed: ``U |Λ| Uᵀ = K - 2 V Λ₋ Vᵀ``. As a rule that is little, and a full decomposition
    would take several times as long.
    """
    if has_no_negative_part(kernel):
        return Flip(kernel)
    zero = _rounding(kernel)
    values, vectors = eigh(kernel, subset_by_value=(-np.inf, -zero), driver="evr", check_finite=False)
    negative = values < -zero  # LAPACK counts the upper end in, where a kernel of zeros has all of its eigenvalues
    if not negative.any():
        return Flip(kernel)
    values, vectors = values[negative], vectors[:, negative]
    flipped = kernel - 2 * (vectors * values) @ vectors.T
    return Flip((flipped + flipped.T) / 2, vectors)


def negative_part(kernel: FloatArray) -> tuple[int, float]:
    """Say how many eigenvalues of a kernel are negative, and their share in the sum of all absolute values."""
    check_kernel(kernel)
    if has_no_negative_part(kernel):
        return 0, 0.0
    verdict = definiteness(kernel)
    return verdict.n_negative, verdict.negative_mass


def train(
    kernel: FloatArray,
    parts: Sequence[Problem],
    C: float,  # noqa: N803 - scikit-learn's name
    *,
    flipping: bool,
    weights: FloatArray | None = None,
    tol: float = 1e-3,
) -> tuple[FloatArray, FloatArray]:
    """Train a machine for every problem: coefficients (n_problems, n_train), and intercepts.

    With ``flipping`` each is solved in the Kreĭn space of its members, else as if the kernel were positive definite.
    """
    coefficients, intercepts = np.zeros((len(parts), len(kernel))), np.zeros(len(parts))
    for p, (members, signs) in enumerate(parts):
        block = kernel[np.ix_(members, members)]
        flipped = flip((block + block.T) / 2) if flipping else Flip(block)
        machine = SVC(C=C, kernel="precomputed", tol=tol)
        machine.fit(flipped.kernel, signs < 0, sample_weight=None if weights is None else weights[members])
        own = np.zeros(len(members))
        own[machine.support_] = -machine.dual_coef_[0]  # scikit-learn's speak for the second group
        coefficients[p, members] = flipped.back(own)
        intercepts[p] = -machine.intercept_[0]
    return coefficients, intercepts


class KreinSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify with a kernel that need not be positive definite, by a support vector machine in its Kreĭn space.

    On a positive definite kernel this is scikit-learn's ``SVC(kernel="precomputed")``, to the last digits. On any other
    symmetric one it solves the stationarity conditions of Loosli, Canu and Ong (2016), up to ``tol``, and decides with
    the kernel's unmodified rows of new points. With more than two classes, each problem of two is solved in the Kreĭn
    space of its own points.

    Parameters
    ----------
    C : float
        How much a training point on the wrong side costs; positive.
    kernel : "precomputed", str or callable
        By default X is the kernel matrix: (n_train, n_train) in ``fit``, (n, n_train) later. Else a kernel that
        :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, such as "sigmoid", or a function of two matrices of
        points.
    gamma, degree, coef0
        Parameters of such a kernel, as in ``SVC``.
    strategy : "ovo" or "ovr"
        With more than two classes: a machine for every two of them, as in ``SVC``, or one for each against the rest.
    class_weight : dict, "balanced" or None
        Factors of C by class, as in ``SVC``.
    decision_function_shape : "ovr" or "ovo"
        With one-vs-one, whether ``decision_function`` gives a column per class or per pair of classes, as in ``SVC``.
    tol : float
        How precisely the machines are solved, as in ``SVC``.

    Attributes
    ----------
    classes_ : (n_classes) array
        The classes, sorted.
    n_negative_, negative_mass_ : int, float
        How many eigenvalues of the training kernel are negative, and their share in the sum of all absolute values.
    dual_coef_ : (n_problems, n_train) floats
        The coefficients that the decisions are made with; those of a flipped kernel are rarely zero.
    intercept_ : (n_problems) floats
        What is added.
    support_ : (n_support) integers
        The training points with a coefficient that is not zero.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> K = wg.laplacian_kernel(wg.wwl_distances(graphs, depth=1), gamma=1.0)
    >>> machine = wg.KreinSVC(C=10.0).fit(K[:40, :40], y[:40])
    >>> machine.predict(K[40:, :40]).shape, machine.n_negative_
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
        tol: float = 1e-3,
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
        """Learn from the kernel of the training points (n_train, n_train), or from the points, and their classes."""
        self._check_parameters()
        points, targets = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(targets)
        classes, codes = np.unique(targets, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"there is 1 class only, {class_name(classes[0])}: a classifier needs two, or more")
        compute = self._kernel_function(points)
        kernel = compute(points)
        negative = negative_part(kernel)
        machines = train(
            kernel,
            problems(codes, len(classes), self.strategy),
            self.C,
            flipping=negative[0] > 0,
            weights=_class_weights(self.class_weight, classes, targets)[codes],
            tol=self.tol,
        )
        # Nothing is kept before all has gone well, and nothing that was set later changes what was learned.
        self.classes_, self._compute = classes, compute
        self._one_against_rest = self.strategy == "ovr" and len(classes) > 2
        self.n_negative_, self.negative_mass_ = negative
        self.dual_coef_, self.intercept_ = machines
        self.support_ = np.flatnonzero(self.dual_coef_.any(axis=0))
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:  # noqa: N803 - scikit-learn's name
        """Give the decisions: (n) for two classes, where positive means the second; else a column per class or pair."""
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return -decisions[:, 0]
        if self._one_against_rest or self.decision_function_shape == "ovo":
            return decisions
        return scores_by_class(decisions, len(self.classes_))

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803 - scikit-learn's name
        """Give the class of every point."""
        decisions = self._decisions(X)
        codes = decisions.argmax(axis=1) if self._one_against_rest else vote(decisions, len(self.classes_))
        return np.asarray(self.classes_[codes])

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
        """Give the function that compares points with the training points."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            return np.ascontiguousarray
        if callable(self.kernel):
            return partial(_own_kernel, self.kernel, training)
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


def _own_kernel(kernel: Any, training: FloatArray, points: FloatArray) -> FloatArray:
    return np.ascontiguousarray(kernel(points, training), dtype=np.float64)


def _class_weights(class_weight: Any, classes: NDArray[Any], targets: NDArray[Any]) -> FloatArray:
    weights = np.asarray(compute_class_weight(class_weight, classes=classes, y=targets))
    if not (weights > 0).all():
        name = class_name(classes[np.argmin(weights)])
        raise ValueError(f"class_weight of the class {name} is {weights.min()}: weights must be positive")
    return weights


def _gamma_value(gamma: float | str, points: FloatArray) -> float:
    """Give the gamma of a kernel of points, by SVC's rules for "scale" and "auto"."""
    if gamma == "scale":
        spread = points.var()
        return 1.0 / (points.shape[1] * spread) if spread > 0 else 1.0
    return 1.0 / points.shape[1] if gamma == "auto" else float(gamma)
