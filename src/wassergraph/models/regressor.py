"""GraphRegressor: ridge or support vector regression on Wasserstein Weisfeiler–Lehman distances, with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from wassergraph.arrays import BoolArray, FloatArray, Fold, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.columns import ImputeColumns
from wassergraph.graphs.invariants import check_choice
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.kernels.eigenvalues import negative_part
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners.number_learner import KernelModel
from wassergraph.learners.protocol import SharingLearner
from wassergraph.learners.ridge import RidgeLearner, fit_ridge
from wassergraph.learners.svr import SVRLearner, check_epsilon, fit_svr
from wassergraph.metrics.wwl import WWL
from wassergraph.models.learning import Asked, NumberLearning, Training
from wassergraph.models.model_files.archive import ModelState
from wassergraph.models.model_search import Scored
from wassergraph.models.number_model import NumberModel
from wassergraph.models.saved_model import n_saved_graphs
from wassergraph.models.several_targets import as_columns
from wassergraph.parallel.estimate import with_one_bar
from wassergraph.parallel.threads import n_threads
from wassergraph.scores.conformal import calibration_size, conformal_radius, has_intervals, sorted_errors
from wassergraph.scores.numbers import read_numbers
from wassergraph.tuning.candidates import Candidates, ChosenMatrix
from wassergraph.tuning.folds import Auto, CrossValidation, FoldSeed, make_folds
from wassergraph.tuning.grid import (
    ALPHAS,
    REGRESSION_GAMMAS,
    SVR_C_VALUES,
    WIDE_REGRESSION_GAMMAS,
    Grid,
    is_auto,
    positive_numbers,
    ridge_grid,
)
from wassergraph.tuning.groups import whole_groups
from wassergraph.tuning.splits import split_graphs
from wassergraph.tuning.wide import Search

RegressorKind: TypeAlias = Literal["ridge", "svr"]
#: The fitted numbers that are saved, and the coefficients of the training graphs.
_NUMBERS = ("intercept", "interval_intercept", "baseline_score")
_COEFFICIENTS = ("dual_coef", "interval_coef")


class GraphRegressor(NumberModel):
    """Ridge or support vector regression on Wasserstein Weisfeiler–Lehman distances, for numbers of graphs.

    ``fit`` sets a part of the graphs aside for the calibration of intervals. With the others it chooses depth, gamma,
    alpha (or C) and, for molecules, the mass by cross-validation, all on distances that are computed once. The final
    model is fitted to all graphs with the chosen parameters.

    Parameters
    ----------
    metric : WWL, sequence of WWL, or None
        How graphs are compared, or several ways to choose from, as in :class:`wassergraph.GraphClassifier`.
    gamma : float, sequence of float or "auto"
        The values of gamma in the kernel ``exp(-gamma * D)`` to choose from; "auto" is 1e-3 … 10, or for the wide
        search 0.06 … 2, divided by the median of D.
    alpha : float or sequence of float
        For ridge regression only: the strengths of the penalty to choose from, as in scikit-learn's ``KernelRidge``.
        Targets are centered, and the diagonal of the kernel is 1, so the same values fit all targets.
    search : "auto", "metric" or "wide"
        What is chosen, see :class:`wassergraph.GraphClassifier`. "auto" is "wide" for molecules, unless depth, gamma,
        size_weight or distances are given, and "metric" otherwise.
    regressor : "ridge" or "svr"
        Kernel ridge regression, whose errors are squared, or support vector regression, whose errors count as they are
        beyond ``epsilon``, so that single targets that are far off have less influence.
    C : float or sequence of float
        For support vector regression only: the values of C to choose from, as in scikit-learn's ``SVR``. Targets are
        standardized to mean 0 and standard deviation 1 inside of every fit, so the same values fit all targets.
    epsilon : float
        For support vector regression only: the half width of the tube inside of which errors cost nothing, in standard
        deviations of the targets.
    calibration : float
        The share of graphs that is set aside for the calibration of intervals; 0 gives no intervals.
    cv : int, "auto", splitter or iterable
        The inner folds; a number means shuffled folds. "auto" is 5, or fewer for very few graphs. Pairs of positions
        are positions among all training graphs; those in the calibration set are left out.
    n_jobs, progress
        As in :func:`wassergraph.distances`.
    random_state : int, RandomState or None
        The seed for the calibration set and for shuffling the folds. With None, the calibration set is another one in
        every fit, and folds keep the order of the graphs.

    Attributes
    ----------
    best_params_ : dict
        The chosen depth, gamma and alpha, or C, and kind and mass if there were several to choose from.
    best_score_ : float or None
        Minus their mean squared error in the inner folds, for either regressor; None if there was nothing to choose.
    baseline_score_ : float
        Minus the mean squared error of predicting the mean of all targets.
    cv_results_, grid_scores_, search_, screening_, scheme_, graphs_, names_, targets_, nearest_
        As in :class:`wassergraph.GraphClassifier`.
    columns_, target_name_, source_, n_train_, seconds_, estimators_
        As in :class:`wassergraph.GraphClassifier`.
    n_negative_, negative_mass_ : int, float
        The number of negative eigenvalues of the training kernel, and their share in the sum of all absolute values.
        Negative eigenvalues are flipped, see :class:`wassergraph.KreinSVC`.
    dual_coef_, intercept_ : (n_train) floats, float
        The model.
    interval_coef_, interval_intercept_ : (n_train) floats, float
        The model that intervals are centered at, which does not use the calibration set.
    calibration_errors_ : (n_calibration) floats
        Its absolute errors on the calibration set, sorted.

    See Also
    --------
    GraphGaussianProcess : predictions with a standard deviation each
    GraphClassifier : the same for classes
    evaluate : how well numbers can be predicted
    load_model : read a model that ``save`` wrote

    Examples
    --------
    >>> import numpy as np, wassergraph as wg
    >>> graphs, _ = wg.load_dataset("demo")
    >>> y = np.log(graphs.sizes)
    >>> model = wg.GraphRegressor(wg.WWL(depth=[0, 1], mass="count")).fit(graphs[:50], y[:50])
    >>> model.predict(graphs[50:]).shape, bool(model.score(graphs[50:], y[50:]) > 0.5)
    ((10,), True)
    """

    dual_coef_: FloatArray
    intercept_: float
    interval_coef_: FloatArray
    interval_intercept_: float
    calibration_errors_: FloatArray
    baseline_score_: float

    def __init__(
        self,
        metric: WWL | Sequence[WWL] | None = None,
        gamma: float | Sequence[float] | Literal["auto"] = "auto",
        alpha: float | Sequence[float] = ALPHAS,
        *,
        search: Search = "auto",
        regressor: RegressorKind = "ridge",
        C: float | Sequence[float] = SVR_C_VALUES,  # noqa: N803 - scikit-learn's name
        epsilon: float = 0.1,
        calibration: float = 0.2,
        cv: CrossValidation | Auto = "auto",
        n_jobs: int | None = None,
        random_state: FoldSeed = 0,
        progress: bool = False,
    ) -> None:
        self.metric = metric
        self.gamma = gamma
        self.alpha = alpha
        self.search = search
        self.regressor = regressor
        self.C = C
        self.epsilon = epsilon
        self.calibration = calibration
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    @with_one_bar("training")
    def fit(
        self,
        graphs: Any,
        y: ArrayLike,
        *,
        columns: Any = None,
        impute: ImputeColumns = "error",
        distances: Any = None,
        names: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        target_name: str | Sequence[str] | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Self:
        """Fit the regressor.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : (n_graphs) or (n_graphs, n_targets) floats
            The number of every graph; several targets may have gaps, see :meth:`wassergraph.GraphClassifier.fit`.
        sample_weight : (n_graphs) floats, optional
            How much each graph counts, positive: its squared error in ridge regression is multiplied by it, as in
            scikit-learn's ``KernelRidge``, and its C in support vector regression, as in ``SVR``. The targets' mean and
            standard deviation are weighted, too. Scores in the inner folds and calibration errors are not.
        groups : (n_graphs) array, optional
            The group of every graph, such as its scaffold: graphs of one group are in the same inner fold, and either
            all or none of them in the calibration set, so that parameters and intervals are those for graphs of other
            groups. A splitter that is given as ``cv`` gets the groups.
        columns, impute, distances, names, target_name, source
            As in :meth:`wassergraph.GraphClassifier.fit`.

        Returns
        -------
        self
        """
        return self._fit(
            graphs,
            y,
            Asked(distances, names, sample_weight, groups, target_name, source, columns=columns, impute=impute),
        )

    def predict(self, graphs: Any, *, columns: Any = None) -> FloatArray:
        """Predict the number of every graph.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : DataFrame, dict or (n_graphs, n_columns) floats, optional
            Their columns, if the model was trained with some: the same ones, by name if they have names.

        Returns
        -------
        (n_graphs) floats
            The predicted numbers; (n_graphs, n_targets) of several targets.
        """
        if self._is_several():
            return as_columns(self._of_each(graphs, "predict", columns=columns))
        return np.concatenate([np.empty(0), *self._with_distances(graphs, self._predict, columns=columns)])

    def predict_interval(self, graphs: Any, level: float = 0.9, *, columns: Any = None) -> FloatArray:
        """Compute an interval for the number of every graph.

        Intervals are split-conformal: if the new graphs and the training graphs are drawn from the same collection, at
        least the share ``level`` of intervals contains the true number, on average over training sets, whatever the
        collection is. All have the same width. They are centered at a model that was not trained on the calibration
        set, so the prediction of :meth:`predict` is not in the middle, and may even be outside.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        level : float
            The share of intervals that contain the number.
        columns : optional
            As in :meth:`predict`.

        Returns
        -------
        (n_graphs, 2) floats
            The lower and the upper end; (n_graphs, n_targets, 2) of several targets, NaN for those that have too few
            graphs for calibration.

        Examples
        --------
        >>> import numpy as np, wassergraph as wg
        >>> alcohols = ["C" * n + "O" for n in range(1, 31)]
        >>> model = wg.GraphRegressor(wg.WWL(depth=1, mass="count", kind="categorical"), gamma=0.1, alpha=0.01)
        >>> ends = model.fit(alcohols, np.arange(30.0)).predict_interval(["CCCN", "CCCCCN"], level=0.8)
        >>> ends.shape, bool((ends[:, 0] < ends[:, 1]).all())
        ((2, 2), True)
        """
        return self._all_intervals(graphs, level, columns)

    # Steps of fit

    def _read(self, training: Training, y: ArrayLike) -> NumberLearning:
        targets, learner = read_numbers(y, len(training)), self._learner()
        is_held_out = self._held_out_of(training) if training.held_out is None else training.held_out
        proper, held_out = np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
        folds = self._folds(proper, targets, training.groups)
        scored = Scored(targets, folds, lambda found: replace(learner, krein=not found.definite), training.weights)
        return NumberLearning(training, targets, scored, proper, held_out)

    def _finish(self, learning: NumberLearning, chosen: ChosenMatrix) -> None:
        matrix = np.asarray(chosen.matrix)
        self._fit_models(matrix, learning)
        self.baseline_score_ = -float(learning.targets.var())
        self._keep_training(chosen.scheme, learning.training, matrix, learning.targets)

    def _shares_fits(self) -> bool:
        return isinstance(self._learner(), SharingLearner)

    def _learner(self) -> RidgeLearner | SVRLearner:
        """Return the regression to fit."""
        check_choice("regressor", self.regressor, RegressorKind)
        return RidgeLearner() if self.regressor == "ridge" else SVRLearner(epsilon=check_epsilon(self.epsilon))

    def _is_pinned(self, metrics: WWL | list[WWL], given: Any) -> bool:
        return super()._is_pinned(metrics, given) or not is_auto(self.gamma)

    def _grid(self, candidates: Candidates) -> Grid:
        wide, matrices = self.search_ == "wide", tuple(candidates.parameters)
        default = WIDE_REGRESSION_GAMMAS if wide else REGRESSION_GAMMAS
        gammas = default if is_auto(self.gamma) else positive_numbers("gamma", self.gamma)
        if self.regressor == "svr":
            grid = Grid(matrices, gammas, positive_numbers("C", self.C))
        else:
            grid = ridge_grid(matrices, gammas, positive_numbers("alpha", self.alpha))
        return replace(grid, scales=candidates.medians(), n_simple=candidates.n_simple) if wide else grid

    def _held_out_of(self, training: Training) -> BoolArray:
        """Return which graphs intervals are calibrated with, and nothing is learned from."""
        n_held_out = calibration_size(len(training), self.calibration)
        group_of = np.arange(len(training)) if training.groups is None else training.groups
        is_held_out = whole_groups(group_of, n_held_out, check_random_state(self.random_state))
        if n_held_out and not is_held_out.any():
            warnings.warn(
                f"no intervals: every group has more than the {n_held_out} graphs of the calibration set", stacklevel=6
            )
        return is_held_out

    def _folds(self, proper: IntArray, targets: FloatArray, groups: IntArray | None) -> list[Fold]:
        """Return the inner folds of the graphs to learn from, as positions among all."""
        if isinstance(self.cv, int | np.integer | str) or hasattr(self.cv, "split"):
            own = None if groups is None else groups[proper]
            folds = split_graphs(targets[proper], None, self.cv, self.random_state, own)
            return [(proper[train], proper[test]) for train, test in folds]
        folds = make_folds(targets, None, self.cv)
        return [(np.intersect1d(train, proper), np.intersect1d(test, proper)) for train, test in folds]

    def _fit_models(self, distances: NDArray[Any], learning: NumberLearning) -> None:
        """Fit the final model to all graphs, and the one for intervals to those outside the calibration set."""
        targets, proper, held_out, weights = (
            learning.targets,
            learning.proper,
            learning.held_out,
            learning.training.weights,
        )
        with self._timed("training"), threadpool_limits(n_threads(self.n_jobs)):
            kernel = laplacian_kernel(distances, self.best_params_["gamma"])
            self.n_negative_, self.negative_mass_ = negative_part(kernel)
            self.dual_coef_, self.intercept_ = self._fit_model(kernel, targets, weights)
        with self._timed("calibration"), threadpool_limits(n_threads(self.n_jobs)):
            own = None if weights is None else weights[proper]
            model = self._fit_model(kernel[np.ix_(proper, proper)], targets[proper], own)
            self.interval_coef_, self.interval_intercept_ = np.zeros(len(targets)), model.intercept
            self.interval_coef_[proper] = model.coefficients
            predicted = model.predict(kernel[np.ix_(held_out, proper)])
            self.calibration_errors_ = sorted_errors(predicted, targets[held_out])

    def _fit_model(self, kernel: FloatArray, targets: FloatArray, weights: FloatArray | None) -> KernelModel:
        """Fit a model with the chosen parameters."""
        if self.regressor == "svr":
            return fit_svr(kernel, targets, self.best_params_["C"], self.epsilon, weights=weights)
        return fit_ridge(kernel, targets, self.best_params_["alpha"], weights=weights)

    # New graphs

    def _kernel_model(self) -> KernelModel:
        return KernelModel(self.dual_coef_, self.intercept_)

    def _predict(self, distances: FloatArray) -> FloatArray:
        return self._kernel_model().predict(laplacian_kernel(distances, self.best_params_["gamma"]))

    def _intervals(self, distances: FloatArray, level: float) -> FloatArray:
        kernel = laplacian_kernel(distances, self.best_params_["gamma"])
        centers = KernelModel(self.interval_coef_, self.interval_intercept_).predict(kernel)
        radius = self._radius(level)
        return np.column_stack([centers - radius, centers + radius])

    def _has_intervals(self, level: float) -> bool:
        return has_intervals(len(self.calibration_errors_), level)

    def _radius(self, level: float) -> float:
        if not len(self.calibration_errors_):
            problem = "this model was trained without a calibration set, which intervals need"
            raise InputError(problem, remedy="train it with {}", options=[Option("calibration", 0.2)])
        return conformal_radius(self.calibration_errors_, level)

    # Files

    def _own_state(self) -> ModelState:
        header = {name: getattr(self, f"{name}_") for name in _NUMBERS}
        arrays = {f"arrays/{name}": getattr(self, f"{name}_") for name in (*_COEFFICIENTS, "calibration_errors")}
        return ModelState(header, arrays)

    def _read_own(self, header: dict[str, Any], arrays: Arrays) -> None:
        for name in _NUMBERS:
            setattr(self, f"{name}_", float(header[name]))
        for name in _COEFFICIENTS:
            setattr(self, f"{name}_", finite_floats(arrays, name, (n_saved_graphs(arrays),)))
        n_errors = len(arrays["arrays/calibration_errors"])
        self.calibration_errors_ = finite_floats(arrays, "calibration_errors", (n_errors,))
