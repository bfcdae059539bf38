"""SeveralTargets: what models of graphs do when they are fitted to several targets, as scikit-learn's do.

y (n_graphs, n_targets), with gaps ──▶ one fitted model for each target (TargetModels) ──▶ columns of predictions
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import GraphColumns
from wassergraph.graphs.values import value_array
from wassergraph.models.fit_targets import cannot_share
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.learning import Asked
from wassergraph.models.model_files.archive import ModelState
from wassergraph.models.model_files.parts import (
    known_parameters,
    metrics_from_json,
    metrics_to_json,
    parameters_to_json,
)
from wassergraph.models.target_models import TargetModels
from wassergraph.scores.several import KnownTarget, default_names, n_columns, read_several


class SeveralTargets(GraphModel):
    """A model of one target, or of several, in which it is a model of each."""

    _several: TargetModels

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_several") or super().__sklearn_is_fitted__()

    @property
    def estimators_(self) -> list[Any]:
        """The fitted model of each target, if there are several: their attributes say what was chosen."""
        check_is_fitted(self)
        if not hasattr(self, "_several"):
            raise AttributeError("this model was fitted to one target: its attributes say what was chosen")
        return list(self._several.estimators_)

    def _fit(self, graphs: Any, y: ArrayLike, asked: Asked) -> Self:
        if n_columns(y) == 1:
            if self._shares_targets():
                raise cannot_share()
            return super()._fit(graphs, y, asked)
        self._reset()
        batch = as_batch(graphs)
        known = read_several(y, len(batch), asked.target_name)
        if asked.censored is not None:
            table = value_array(asked.censored)
            if table.shape != (len(batch), len(known)):
                problem = f"{{}} must say for {len(batch)} graphs and {len(known)} targets which numbers are bounds"
                raise InputError(f"{problem}, got the shape {table.shape}", options=[Option("censored")])
            known = [each.bounded_by(table[:, number]) for number, each in enumerate(known)]
        self._fit_several(batch, known, asked._replace(censored=None))
        return self

    def _fit_several(self, batch: Any, known: Sequence[KnownTarget], asked: Asked) -> None:
        """Fit a model to each of several targets."""
        parameters = self.get_params(deep=False)
        if isinstance(parameters.get("cv"), Iterator):  # it can be read once
            parameters["cv"] = list(parameters["cv"])
        models: list[GraphModel] = [clone(type(self)(**parameters)) for _ in known]
        self._adopt_several(TargetModels.fit(models, batch, known, asked))
        del self.seconds_, self.screening_  # each model has its own

    def _adopt_several(self, models: TargetModels) -> None:
        """Predict several targets by fitted models of this class."""
        self._several = models
        self.source_ = models.source_
        self.target_name_ = models.target_names_  # type: ignore[assignment]

    def _is_several(self) -> bool:
        check_is_fitted(self)
        return hasattr(self, "_several")

    def _of_each(self, graphs: Any, method: str, *, columns: Any, **options: Any) -> list[Any]:
        """Return what a method of the model of each target returns, with distances computed once."""

        def call(model: Any, part: GraphBatch, own: GraphColumns | None) -> Any:
            return getattr(model, method)(part, columns=own, **options)

        return self._several.each(graphs, call, columns)

    def _mean_score(self, graphs: Any, y: ArrayLike, sample_weight: ArrayLike | None, columns: Any) -> float:
        """Return the mean score of several targets, each on the graphs that have a value."""
        batch = as_batch(graphs, self._several.source_)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        known = {each.name: each for each in read_several(y, len(batch), self._names_in(y), empty=True)}
        if not any(len(each.rows) for each in known.values()):
            raise InputError("no graph has a value of a target", remedy="pass graphs whose values are known")
        predicted, scores = self._of_each(batch, "predict", columns=columns), []
        for name, numbers in zip(self._several.target_names_, predicted, strict=True):
            rows, values = known[name].rows, known[name].values
            if not len(rows):
                continue
            own = None if weights is None else weights[rows]
            scores.append(self._score_of(values, numbers[rows], own))
        return float(np.mean(scores))

    def _names_in(self, y: ArrayLike) -> list[str]:
        """Return the names of the columns of y, which must be the targets if it is a DataFrame."""
        names = self._several.target_names_
        listed = [str(name) for name in (y if isinstance(y, Mapping) else getattr(y, "columns", names))]
        if names == default_names(len(names)) and len(listed) == len(names):
            return names  # they were fitted without names
        if sorted(listed) != sorted(names):
            problem = (
                f"the columns of y are {', '.join(map(repr, listed))}, but the targets {', '.join(map(repr, names))}"
            )
            raise InputError(problem, remedy="name the columns as the targets")
        return listed

    @abstractmethod
    def _score_of(self, values: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any] | None) -> float:
        """Return how well one target is predicted."""

    def set_params(self, **params: Any) -> Self:
        """Replace parameters; ``n_jobs`` and ``progress`` also of the fitted models of several targets.

        Parameters
        ----------
        **params : object
            Values by name.

        Returns
        -------
        self
        """
        if hasattr(self, "_several"):
            self._several.set_params(**{name: params[name] for name in ("n_jobs", "progress") if name in params})
        changed: Self = super().set_params(**params)
        return changed

    def neighbors(self, graphs: Any, *, columns: Any = None) -> Any:
        """Find the nearest training graph of every graph, and whether the graph is in the domain of the training.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : optional
            Their columns, if the model was trained with some.

        Returns
        -------
        Neighbors
            The position of the nearest training graph in ``graphs_``, its distance, and the share of training graphs
            that are nearer than that to another one. Up to 95 percent the graph is inside the domain, unless it has
            labels that no training graph has, which are named: predictions for other graphs are guesses. Of several
            targets, a list with those of each model.
        """
        if self._is_several():
            return self._of_each(graphs, "neighbors", columns=columns)
        return super().neighbors(graphs, columns=columns)

    def trained_on(self) -> str:
        """Describe the training data.

        Returns
        -------
        str
            For example "600 graphs with node attributes (18-d), 6 classes".
        """
        if not self._is_several():
            return super().trained_on()
        listed = (f"{model.target_name_}: {model.trained_on()}" for model in self._several.estimators_)
        return (
            f"{len(self._several.graphs_)} graphs with {len(self._several.estimators_)} targets ({'; '.join(listed)})"
        )

    def _compare(self, graph: Any, columns: Any = None) -> Any:
        if self._is_several():
            raise InputError("there are several targets", remedy="explain the prediction of one of estimators_")
        return super()._compare(graph, columns)

    # Files

    def to_state(self) -> ModelState:
        """Return the state of the fitted model.

        Returns
        -------
        ModelState
            The header and the arrays that :meth:`save` writes.
        """
        if not self._is_several():
            return super().to_state()
        header, arrays = self._several.to_state()
        parameters = {**parameters_to_json(self), "metric": metrics_to_json(self.metric)}
        return ModelState({**header, "parameters": parameters}, arrays)

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Return the fitted model with this state; raise an error if its parts do not match.

        Parameters
        ----------
        state : ModelState
            What :meth:`to_state` returned, or what was read from a file.

        Returns
        -------
        GraphClassifier, GraphRegressor or GraphGaussianProcess
            The fitted model.
        """
        if "targets" not in state.header:
            return super().from_state(state)
        model = cls()
        parameters = {**state.header["parameters"], "metric": metrics_from_json(state.header["parameters"])}
        model.set_params(**known_parameters(model, parameters))
        model._adopt_several(TargetModels.from_state(state, _only(cls)))
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags


def _only(estimator: type[GraphModel]) -> Callable[[object], type[GraphModel]]:
    """Return a function that accepts the name of one class of models, that of all targets."""

    def find(name: object) -> type[GraphModel]:
        if name != estimator.__name__:
            raise ValueError(f"the model of a target is a {name!r}, not a {estimator.__name__}")
        return estimator

    return find


def one_model(models: TargetModels) -> TargetModels | SeveralTargets:
    """Return models of one class as the model of that class that is fitted to several targets; others as they are."""
    first = models.estimators_[0]
    if not isinstance(first, SeveralTargets) or any(type(each) is not type(first) for each in models.estimators_):
        return models
    joint: SeveralTargets = clone(first)
    joint._adopt_several(models)
    return joint


def as_columns(results: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return predictions of several targets as the columns of one array, of objects if their types differ.

    Examples
    --------
    >>> as_columns([np.array([1.5, 2.5]), np.array([0.5, 1.0])]).tolist()
    [[1.5, 0.5], [2.5, 1.0]]
    >>> as_columns([np.array(["a", "b"]), np.array([1, 2])]).tolist()
    [['a', 1], ['b', 2]]
    """
    if len({each.dtype.kind for each in results}) == 1:
        return np.stack(results, axis=1)
    columns = np.empty((len(results[0]), len(results)), dtype=object)
    for number, each in enumerate(results):
        columns[:, number] = each.tolist()
    return columns
