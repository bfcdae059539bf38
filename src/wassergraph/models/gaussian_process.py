"""GraphGaussianProcess: Gaussian process regression on Wasserstein Weisfeiler–Lehman distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.columns import ImputeColumns
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.kernels.eigenvalues import negative_part
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.censored import fit_censored_processes
from wassergraph.learners.gaussian import Process, fit_column_weight, fit_processes
from wassergraph.learners.number_learner import KernelModel
from wassergraph.metrics.wwl import WWL
from wassergraph.models.explaining import Comparison, KernelSum
from wassergraph.models.explanation import Explanation
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.learning import Asked, Learning, Training
from wassergraph.models.model_files.archive import ModelState
from wassergraph.models.model_search import Scored
from wassergraph.models.number_model import NumberModel
from wassergraph.models.saved_model import n_saved_graphs
from wassergraph.models.shared_process import SharedFit, Sharing, TargetProcess, fit_shared
from wassergraph.parallel.estimate import with_one_bar
from wassergraph.scores.numbers import read_numbers
from wassergraph.scores.outputs import INTERVAL_LEVEL, normal_reach
from wassergraph.scores.several import KnownTarget
from wassergraph.tuning.candidates import Candidates, ChosenMatrix
from wassergraph.tuning.folds import FoldSeed
from wassergraph.tuning.wide import Search

#: The fitted numbers that are saved.
_NUMBERS = ("evidence", "signal", "noise", "coverage")


class GraphGaussianProcess(NumberModel):
    """Gaussian process on WWL distances, which predicts numbers of graphs, and how uncertain they are.

    The covariance of two graphs is ``signal * exp(-gamma * D)``, and every number has independent noise. For every
    depth (and mass, for molecules) gamma and the variances of signal and noise maximize the marginal likelihood; the
    depth with the largest likelihood, the evidence, is taken. With more than 500 graphs, depths are compared on a
    random part of them first, and the three best are fitted to all. For molecules, labels and both labels and
    attributes are compared.

    Parameters
    ----------
    metric : WWL, sequence of WWL, or None
        How graphs are compared, or several ways to choose from, as in :class:`wassergraph.GraphClassifier`.
    search : "auto", "metric" or "wide"
        What is chosen, see :class:`wassergraph.GraphRegressor`.
    share_targets : bool
        Whether the targets of a y with several columns share information: their covariance is learned, too, by the
        marginal likelihood (intrinsic coregionalization), with one way to compare graphs for all. It is exact, also
        with gaps, and takes as long as one target with all their numbers. ``sharing_`` says whether it helps.
    n_jobs, progress
        As in :func:`wassergraph.distances`.
    random_state : int, RandomState or None
        The seed for the part of the graphs that depths are compared on.

    Attributes
    ----------
    best_params_ : dict
        The chosen depth and gamma, and kind and mass if there were several to choose from.
    evidence_ : float
        The logarithm of the marginal likelihood.
    signal_, noise_ : float
        The variances of the signal and of the noise; with ``sample_weight``, of that of a number of weight 1.
    coverage_ : float
        The share of training numbers in the interval of the level 0.9 that is predicted from all other graphs (from
        those of other groups, if ``fit`` gets groups), with parameters fitted to all: near 0.9 if the model knows its
        errors.
    estimators_ : list
        As in :class:`wassergraph.GraphClassifier`.
    sharing_ : Sharing or None
        With ``share_targets``, whether the other targets help to predict this one; see the models in ``estimators_``.
    censored_ : (n_train) integers or None
        Which training numbers are bounds: -1 if the number is below, 1 if it is above, 0 if it is known; None if none
        is a bound.
    search_, screening_, scheme_, graphs_, names_, targets_, nearest_, columns_
        As in :class:`wassergraph.GraphClassifier`.
    target_name_, source_, n_train_, seconds_
        As in :class:`wassergraph.GraphClassifier`.
    n_negative_, negative_mass_ : int, float
        The number of negative eigenvalues of the training kernel, and their share in the sum of all absolute values.
        ``noise_ / signal_`` is never smaller than the absolute value of the most negative one.
    best_score_, grid_scores_, cv_results_ : None, None, empty dict
        Present as in :class:`wassergraph.GraphRegressor`; the evidence chooses, not folds.

    See Also
    --------
    GraphRegressor : regression, with intervals that need no model of the errors
    plot.draw_calibration : draw how well its intervals fit
    load_model : read a model that ``save`` wrote

    Examples
    --------
    >>> import numpy as np, wassergraph as wg
    >>> graphs, _ = wg.load_dataset("demo")
    >>> y = np.log(graphs.sizes)
    >>> model = wg.GraphGaussianProcess(wg.WWL(depth=[0, 1], mass="count")).fit(graphs[:50], y[:50])
    >>> mean, deviation = model.predict(graphs[50:], return_std=True)
    >>> mean.shape, bool((deviation > 0).all())
    ((10,), True)
    """

    evidence_: float
    signal_: float
    noise_: float
    coverage_: float
    sharing_: Sharing | None
    censored_: IntArray | None
    _process: Process | TargetProcess
    _learns_weight = True

    def __init__(
        self,
        metric: WWL | Sequence[WWL] | None = None,
        *,
        search: Search = "auto",
        share_targets: bool = False,
        n_jobs: int | None = None,
        random_state: FoldSeed = 0,
        progress: bool = False,
    ) -> None:
        self.metric = metric
        self.search = search
        self.share_targets = share_targets
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
        censored: ArrayLike | None = None,
    ) -> Self:
        """Fit the Gaussian process.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : (n_graphs) or (n_graphs, n_targets) floats
            The number of every graph; several targets may have gaps, see :meth:`wassergraph.GraphClassifier.fit`.
        sample_weight : (n_graphs) floats, optional
            How precise each number is, positive: the variance of its noise is ``noise_`` divided by its weight, such as
            the number of measurements that it is the mean of. The mean of the numbers is weighted, too. Standard
            deviations and intervals of new graphs are those of a number of weight 1.
        groups : (n_graphs) array, optional
            The group of every graph, such as its scaffold: ``coverage_`` is then that of intervals which are predicted
            from the graphs of all other groups. Nothing else depends on them, since no folds choose parameters.
        columns, impute, distances, names, target_name, source
            As in :meth:`wassergraph.GraphClassifier.fit`.
        censored : (n_graphs) array, optional
            For each number "=" or 0 if it is known, "<" or -1 if it is only known to be below ``y``, or ">" or 1 if it
            is above. The likelihood of such a number is the probability that it is beyond its bound; expectation
            propagation approximates it. ``coverage_`` is that of the numbers that are known.

        Returns
        -------
        self
        """
        asked = Asked(
            distances,
            names,
            sample_weight,
            groups,
            target_name,
            source,
            censored=censored,
            columns=columns,
            impute=impute,
        )
        return self._fit(graphs, y, asked)

    def _read(self, training: Training, y: ArrayLike) -> Learning:
        targets, everything = read_numbers(y, len(training)), np.arange(len(training))
        scored = Scored(targets, [(everything, everything)], weights=training.weights, sides=training.sides)
        return Learning(training, targets, scored)

    def _finish(self, learning: Learning, chosen: ChosenMatrix) -> None:
        matrix, process, targets = np.asarray(chosen.matrix), self._process, learning.targets
        assert isinstance(process, Process)
        self.sharing_ = None
        self.evidence_, self.signal_, self.noise_ = process.log_likelihood, process.signal, process.noise
        mean, deviation = process.leave_out(targets, learning.training.groups)
        self.censored_ = learning.training.sides
        known = slice(None) if self.censored_ is None else self.censored_ == 0
        self.coverage_ = float(np.mean((np.abs(targets - mean) <= normal_reach(INTERVAL_LEVEL) * deviation)[known]))
        self.n_negative_, self.negative_mass_ = negative_part(exponential(matrix, process.gamma))
        self._keep_training(chosen.scheme, learning.training, matrix, targets)

    def _shares_targets(self) -> bool:
        return self.share_targets

    def _share_between(
        self, models: Sequence[GraphModel], known: Sequence[KnownTarget], training: Training
    ) -> IntArray:
        """Fit one process to the targets of several models of this class, and let each of them predict by it."""
        processes: list[Any] = list(models)
        with self._timed("shared evidence"):
            ways = [(each.scheme_, each.best_params_) for each in processes]
            shared = fit_shared(ways, known, training, random_state=self.random_state, n_jobs=self.n_jobs)
            for number, (model, each) in enumerate(zip(processes, known, strict=True)):
                model._adopt_shared(shared, number, [other.name for other in known], each, training)
        return shared.rows

    def _adopt_shared(
        self, shared: SharedFit, target: int, names: Sequence[str], known: KnownTarget, training: Training
    ) -> None:
        """Predict by a process of several targets, and compare it with that of this target alone."""
        assert isinstance(self._process, Process)
        groups = None if training.groups is None else training.groups[known.rows]
        left_out, _ = self._process.leave_out(known.values, groups)
        alone = float(np.sqrt(np.mean((left_out - known.values) ** 2)))
        self.sharing_ = shared.sharing(target, alone, names)
        self._process = process = TargetProcess(shared.process, target, len(shared.rows))
        self.evidence_, self.signal_, self.noise_ = process.log_likelihood, process.signal, process.noise
        own = np.flatnonzero(shared.observed.targets == target)
        mean, deviation = (each[own] for each in shared.left_out)
        self.coverage_ = float(np.mean(np.abs(known.values - mean) <= normal_reach(INTERVAL_LEVEL) * deviation))
        self.n_negative_, self.negative_mass_ = negative_part(exponential(shared.distances, process.gamma))
        self.best_params_ = {**shared.parameters, "gamma": process.gamma}
        targets = np.full(len(shared.rows), np.nan)
        targets[np.searchsorted(shared.rows, known.rows)] = known.values
        self._keep_training(shared.scheme, training.take(shared.rows), shared.distances, targets)

    def _score_matrices(self, candidates: Candidates, several: Sequence[Scored]) -> list[FloatArray]:
        """Return the evidence of each matrix, for each of several targets."""
        fitted = [self._fit_processes(candidates, scored) for scored in several]
        return [np.array([each[m].log_likelihood for m in range(len(candidates.matrices))]) for each in fitted]

    def _select(self, candidates: Candidates, scored: Scored) -> ChosenMatrix:
        """Fit a process for every matrix, and keep that with the largest evidence."""
        with self._timed("evidence"):
            fitted = self._fit_processes(candidates, scored)
            best = max(fitted, key=lambda m: fitted[m].log_likelihood)
            matrix, self._process = candidates.matrices[best], fitted[best]
            if scored.sides is None:  # with bounds, the weight is one of those that are tried
                matrix, self._process = fit_column_weight(matrix, self._process, scored.targets, scored.weights)
        beside = {} if matrix.columns is None else {"column_weight": matrix.column_weight}
        self.best_params_ = {**candidates.parameters[best], **beside, "gamma": self._process.gamma}
        self.best_score_, self.grid_scores_, self.cv_results_ = None, None, {}
        return candidates.chosen(best)._replace(matrix=matrix)

    def _fit_processes(self, candidates: Candidates, scored: Scored) -> dict[int, Process]:
        random = check_random_state(self.random_state)
        matrices = [np.asarray(matrix) for matrix in candidates.matrices]
        options: Any = {"weights": scored.weights, "n_jobs": self.n_jobs, "progress": self.progress}
        if scored.sides is not None:
            return fit_censored_processes(matrices, scored.targets, scored.sides, random, **options)
        return fit_processes(matrices, scored.targets, random, **options)

    @overload
    def predict(self, graphs: Any, return_std: Literal[False] = ..., *, columns: Any = ...) -> FloatArray: ...
    @overload
    def predict(
        self, graphs: Any, return_std: Literal[True], *, columns: Any = ...
    ) -> tuple[FloatArray, FloatArray]: ...
    def predict(
        self, graphs: Any, return_std: bool = False, *, columns: Any = None
    ) -> FloatArray | tuple[FloatArray, FloatArray]:
        """Predict the number of every graph.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        return_std : bool
            Whether to return the standard deviations, too.
        columns : DataFrame, dict or (n_graphs, n_columns) floats, optional
            Their columns, if the model was trained with some: the same ones, by name if they have names.

        Returns
        -------
        mean : (n_graphs) floats
            The predicted numbers; (n_graphs, n_targets) of several targets, and so are the deviations.
        deviation : (n_graphs) floats
            Only with ``return_std``: how uncertain a measured number is, noise included.
        """
        if self._is_several():
            means, deviations = zip(*self._of_each(graphs, "predict", return_std=True, columns=columns), strict=True)
            return (np.stack(means, axis=1), np.stack(deviations, axis=1)) if return_std else np.stack(means, axis=1)
        mean, deviation = self._join(self._with_distances(graphs, self._process.predict, columns=columns))
        return (mean, deviation) if return_std else mean

    def predict_interval(self, graphs: Any, level: float = 0.9, *, columns: Any = None) -> FloatArray:
        """Compute an interval for the number of every graph.

        If the model is right, the share ``level`` of intervals contains the true number; ``coverage_`` shows whether it
        does on the training graphs.

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
            The lower and the upper end; (n_graphs, n_targets, 2) of several targets.
        """
        return self._all_intervals(graphs, level, columns)

    @staticmethod
    def _join(parts: list[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
        nothing = np.empty(0)
        means, deviations = (np.concatenate(each) for each in zip((nothing, nothing), *parts, strict=True))
        return means, deviations

    def _explain(self, comparison: Comparison, function: KernelSum) -> Explanation:
        explained, sides = super()._explain(comparison, function), self.censored_
        if sides is None:
            return explained
        groups = tuple(group._replace(censored=sides[group.positions]) for group in explained.groups)
        return replace(explained, groups=groups)

    def _kernel_model(self) -> KernelModel:
        return KernelModel(self._process.coefficients, self._process.mean)

    def _predict(self, distances: FloatArray) -> FloatArray:
        return self._process.predict(distances)[0]

    def _intervals(self, distances: FloatArray, level: float) -> FloatArray:
        mean, deviation = self._process.predict(distances)
        reach = normal_reach(level) * deviation
        return np.column_stack([mean - reach, mean + reach])

    # Files

    def _own_state(self) -> ModelState:
        header = {name: getattr(self, f"{name}_") for name in _NUMBERS} | {"mean": self._process.mean}
        if isinstance(self._process, TargetProcess):
            return ModelState({**header, "shared": self._process.header(self.sharing_)}, self._process.arrays())
        arrays: Arrays = {"arrays/coefficients": self._process.coefficients, "arrays/factor": self._process.factor}
        bounds = {} if self.censored_ is None else {"arrays/censored": self.censored_}
        return ModelState(header, {**arrays, **bounds})

    def _read_own(self, header: dict[str, Any], arrays: Arrays) -> None:
        for name in _NUMBERS:
            setattr(self, f"{name}_", float(header[name]))
        n_graphs, self.sharing_ = n_saved_graphs(arrays), None
        self.censored_ = _read_censored(arrays, n_graphs)
        if "shared" in header:
            self._process = TargetProcess.read(header["shared"], arrays, n_graphs)
            self.sharing_ = Sharing(**header["shared"]["sharing"])
            return
        self._process = Process(
            self.best_params_["gamma"],
            self.signal_,
            self.noise_,
            float(header["mean"]),
            finite_floats(arrays, "coefficients", (n_graphs,)),
            finite_floats(arrays, "factor", (n_graphs, n_graphs)),
            self.evidence_,
        )


def _read_censored(arrays: Arrays, n_graphs: int) -> IntArray | None:
    """Return which training numbers are bounds; files of earlier versions, and most others, have none."""
    sides = arrays.get("arrays/censored")
    if sides is not None and (sides.dtype.kind != "i" or sides.shape != (n_graphs,) or (np.abs(sides) > 1).any()):
        raise ValueError(f"there are {n_graphs} training graphs, but bounds are {sides.dtype} {sides.shape}")
    return sides
