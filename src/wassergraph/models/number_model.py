"""NumberModel: what models of numbers share: predictions with intervals and nearest training graphs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from wassergraph.arrays import FloatArray
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learners.number_learner import KernelModel
from wassergraph.models.explaining import KernelSum
from wassergraph.models.explanation import Explanation
from wassergraph.models.several_targets import SeveralTargets
from wassergraph.models.training_graphs import Neighbors, find_neighbors, join_neighbors, mark_unseen


class NumberPredictions(NamedTuple):
    """What a regressor says about graphs.

    Attributes
    ----------
    numbers : (n) floats
        The predicted numbers.
    lower, upper : (n) floats or None
        The ends of intervals; None if the model was trained without a calibration set, or with too small a one.
    neighbors : Neighbors
        The nearest training graphs.
    """

    numbers: FloatArray
    lower: FloatArray | None
    upper: FloatArray | None
    neighbors: Neighbors


class NumberModel(RegressorMixin, SeveralTargets):  # type: ignore[misc]
    """A model that predicts numbers."""

    def score(self, graphs: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, columns: Any = None) -> float:
        """Compute R², as regressors of scikit-learn do.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        y : (n_graphs) or (n_graphs, n_targets) floats
            Their numbers; those of several targets may have gaps, and each target counts where it has values.
        sample_weight : (n_graphs) floats, optional
            How much each graph counts.
        columns : optional
            As in :meth:`predict`.

        Returns
        -------
        float
            1 for perfect predictions, and 0 for the mean of the numbers; of several targets the mean.
        """
        if self._is_several():
            return self._mean_score(graphs, y, sample_weight, columns)
        return float(r2_score(y, self.predict(graphs, columns=columns), sample_weight=sample_weight))

    def _all_intervals(self, graphs: Any, level: float, columns: Any) -> FloatArray:
        """Compute an interval for each number: (n_graphs, 2), or of several targets (n_graphs, n_targets, 2)."""
        if self._is_several():
            return self._intervals_of_several(graphs, level, columns)
        parts = self._with_distances(graphs, lambda distances: self._intervals(distances, level), columns=columns)
        return np.concatenate([np.empty((0, 2)), *parts])

    def _intervals_of_several(self, graphs: Any, level: float, columns: Any) -> FloatArray:
        """Compute the intervals of several targets, NaN for those that have too few graphs for calibration."""
        known = any(each._has_intervals(level) for each in self.estimators_)

        def compute(model: Any, part: GraphBatch, own: Any) -> FloatArray:
            if known and not model._has_intervals(level):
                return np.full((len(part), 2), np.nan)
            return np.asarray(model.predict_interval(part, level, columns=own))

        return np.stack(self._several.each(graphs, compute, columns), axis=1)

    def predictions(self, graphs: Any, level: float = 0.9, *, columns: Any = None) -> Any:
        """Compute numbers, intervals and nearest training graphs, with distances computed once.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        level : float
            The level of the intervals.
        columns : optional
            As in ``predict``.

        Returns
        -------
        NumberPredictions
            As ``predict``, ``predict_interval`` and ``neighbors`` return them. Of several targets, a list with those
            of each.
        """
        if self._is_several():
            return self._of_each(graphs, "predictions", level=level, columns=columns)
        batch = as_batch(graphs, self.source_)
        numbers, intervals, neighbors = [np.empty(0)], [np.empty((0, 2))], list[Neighbors]()

        def predict_part(distances: FloatArray) -> None:
            assert self.nearest_ is not None
            numbers.append(self._predict(distances))
            intervals.extend([self._intervals(distances, level)] if self._has_intervals(level) else [])
            neighbors.append(find_neighbors(distances, self.nearest_))

        self._with_distances(batch, predict_part, columns=columns)
        lower, upper = np.concatenate(intervals).T if self._has_intervals(level) else (None, None)
        marked = mark_unseen(join_neighbors(neighbors), self._training.unseen_in(batch))
        return NumberPredictions(np.concatenate(numbers), lower, upper, marked)

    def explain(self, graph: Any, *, columns: Any = None) -> Explanation:
        """Explain the number that is predicted for one graph.

        Parameters
        ----------
        graph : GraphBatch, or graphs of another library
            One graph.
        columns : optional
            Its columns, as in ``predict``.

        Returns
        -------
        Explanation
            The contributions of the training graphs, and the scores of the nodes, whose sum is the number: see
            :class:`wassergraph.Explanation` for the formula. It is exact, with an optimal plan for every training graph
            whose coefficient is not 0.

        Examples
        --------
        >>> import numpy as np, wassergraph as wg
        >>> alcohols = ["C" * n + "O" for n in range(1, 11)]
        >>> model = wg.GraphRegressor(wg.WWL(depth=1, mass="count", kind="categorical"), gamma=0.1, alpha=0.01)
        >>> explanation = model.fit(alcohols, -np.arange(10.0)).explain("CCCN")
        >>> bool(abs(explanation.node_scores.sum() - model.predict("CCCN")[0]) < 1e-9)
        True
        """
        comparison = self._compare(graph, columns)
        coefficients, intercept = self._kernel_model()
        value = float(self._predict(comparison.distances)[0])
        function = KernelSum(value, intercept, coefficients, self.best_params_["gamma"])
        return self._explain(comparison, function)

    def _score_of(self, values: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any] | None) -> float:
        return float(r2_score(values, predicted, sample_weight=weights))

    def _describe_targets(self) -> str:
        return "numbers"

    @abstractmethod
    def _kernel_model(self) -> KernelModel:
        """Return the coefficients and the constant that numbers are predicted with."""

    @abstractmethod
    def _predict(self, distances: FloatArray) -> FloatArray:
        """Predict numbers, from distances to the training graphs."""

    @abstractmethod
    def _intervals(self, distances: FloatArray, level: float) -> FloatArray:
        """Compute intervals (n, 2), from distances to the training graphs."""

    def _has_intervals(self, level: float) -> bool:
        """Return whether there are intervals of this level."""
        return True
