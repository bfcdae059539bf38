"""GraphGaussianProcess: Gaussian process regression on Wasserstein Weisfeiler–Lehman distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from wassergraph.arrays import FloatArray
from wassergraph.graphs.columns import ImputeColumns
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.kernels.eigenvalues import negative_part
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.gaussian import Process, fit_column_weight, fit_processes
from wassergraph.learners.number_learner import KernelModel
from wassergraph.metrics.wwl import WWL
from wassergraph.models.learning import Asked, Learning, Training
from wassergraph.models.model_files.archive import ModelState
from wassergraph.models.model_search import Scored
from wassergraph.models.number_model import NumberModel
from wassergraph.models.saved_model import n_saved_graphs
from wassergraph.parallel.estimate import with_one_bar
from wassergraph.scores.numbers import read_numbers
from wassergraph.scores.outputs import INTERVAL_LEVEL, normal_reach
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
    _process: Process
    _learns_weight = True

    def __init__(
        self,
        metric: WWL | Sequence[WWL] | None = None,
        *,
        search: Search = "auto",
        n_jobs: int | None = None,
        random_state: FoldSeed = 0,
        progress: bool = False,
    ) -> None:
        self.metric = metric
        self.search = search
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
        target_name: str | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Self:
        """Fit the Gaussian process.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : (n_graphs) floats
            The number of every graph.
        sample_weight : (n_graphs) floats, optional
            How precise each number is, positive: the variance of its noise is ``noise_`` divided by its weight, such as
            the number of measurements that it is the mean of. The mean of the numbers is weighted, too. Standard
            deviations and intervals of new graphs are those of a number of weight 1.
        groups : (n_graphs) array, optional
            The group of every graph, such as its scaffold: ``coverage_`` is then that of intervals which are predicted
            from the graphs of all other groups. Nothing else depends on them, since no folds choose parameters.
        columns, impute, distances, names, target_name, source
            As in :meth:`wassergraph.GraphClassifier.fit`.

        Returns
        -------
        self
        """
        return self._fit(
            graphs, y, Asked(distances, names, sample_weight, groups, target_name, source, columns, impute)
        )

    def _read(self, training: Training, y: ArrayLike) -> Learning:
        targets, everything = read_numbers(y, len(training)), np.arange(len(training))
        return Learning(training, targets, Scored(targets, [(everything, everything)], weights=training.weights))

    def _finish(self, learning: Learning, chosen: ChosenMatrix) -> None:
        matrix, process, targets = np.asarray(chosen.matrix), self._process, learning.targets
        self.evidence_, self.signal_, self.noise_ = process.log_likelihood, process.signal, process.noise
        mean, deviation = process.leave_out(targets, learning.training.groups)
        self.coverage_ = float(np.mean(np.abs(targets - mean) <= normal_reach(INTERVAL_LEVEL) * deviation))
        self.n_negative_, self.negative_mass_ = negative_part(exponential(matrix, process.gamma))
        self._keep_training(chosen.scheme, learning.training, matrix, targets)

    def _score_matrices(self, candidates: Candidates, scored: Scored) -> FloatArray:
        """Return the evidence of each matrix."""
        fitted = self._fit_processes(candidates, scored)
        return np.array([fitted[m].log_likelihood for m in range(len(candidates.matrices))])

    def _select(self, candidates: Candidates, scored: Scored) -> ChosenMatrix:
        """Fit a process for every matrix, and keep that with the largest evidence."""
        with self._timed("evidence"):
            fitted = self._fit_processes(candidates, scored)
            best = max(fitted, key=lambda m: fitted[m].log_likelihood)
            matrix, self._process = fit_column_weight(
                candidates.matrices[best], fitted[best], scored.targets, scored.weights
            )
        beside = {} if matrix.columns is None else {"column_weight": matrix.column_weight}
        self.best_params_ = {**candidates.parameters[best], **beside, "gamma": self._process.gamma}
        self.best_score_, self.grid_scores_, self.cv_results_ = None, None, {}
        return candidates.chosen(best)._replace(matrix=matrix)

    def _fit_processes(self, candidates: Candidates, scored: Scored) -> dict[int, Process]:
        random = check_random_state(self.random_state)
        matrices = [np.asarray(matrix) for matrix in candidates.matrices]
        options: Any = {"weights": scored.weights, "n_jobs": self.n_jobs, "progress": self.progress}
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
            The predicted numbers.
        deviation : (n_graphs) floats
            Only with ``return_std``: how uncertain a measured number is, noise included.
        """
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
            The lower and the upper end.
        """
        return self._all_intervals(graphs, level, columns)

    @staticmethod
    def _join(parts: list[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
        nothing = np.empty(0)
        means, deviations = (np.concatenate(each) for each in zip((nothing, nothing), *parts, strict=True))
        return means, deviations

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
        arrays = {"arrays/coefficients": self._process.coefficients, "arrays/factor": self._process.factor}
        return ModelState(header, arrays)

    def _read_own(self, header: dict[str, Any], arrays: Arrays) -> None:
        for name in _NUMBERS:
            setattr(self, f"{name}_", float(header[name]))
        n_graphs = n_saved_graphs(arrays)
        self._process = Process(
            self.best_params_["gamma"],
            self.signal_,
            self.noise_,
            float(header["mean"]),
            finite_floats(arrays, "coefficients", (n_graphs,)),
            finite_floats(arrays, "factor", (n_graphs, n_graphs)),
            self.evidence_,
        )
