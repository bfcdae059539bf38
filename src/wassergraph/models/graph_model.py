"""GraphModel: what the models of graphs share.

graphs ──schemes──▶ embeddings ──▶ distances ──selection──▶ depth, gamma, … ──▶ the model's own fit
new graphs ──▶ distances to the training graphs ──▶ the model's own prediction, and the nearest training graph
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.errors import InputError, Option, warn_outside
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.saved_source import read_source
from wassergraph.metrics.not_compared import stereo_not_compared
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.wwl import WWL
from wassergraph.models.column_term import TrainingColumns, refuse_columns
from wassergraph.models.explaining import Comparison, KernelSum, explain_sum
from wassergraph.models.explanation import Explanation
from wassergraph.models.learning import Asked, Training
from wassergraph.models.saved_model import SavedModel, read_target_name
from wassergraph.models.training_graphs import (
    PREDICTIONS,
    Neighbors,
    TrainingGraphs,
    mark_unseen,
    nearest_distances,
    place_neighbors,
)
from wassergraph.parallel.estimate import announce, whole
from wassergraph.parallel.stages import part, stage
from wassergraph.parallel.step_times import StepTimes
from wassergraph.parallel.threads import n_threads
from wassergraph.scores.several import KnownTarget
from wassergraph.tuning.candidates import ChosenMatrix

PartOfResult = TypeVar("PartOfResult")


class GraphModel(SavedModel):
    """A model that compares new graphs with training graphs.

    Its parameters are attributes, as in scikit-learn: the metric, ``n_jobs`` and ``progress``. A model adds
    its own, and documents all of them.
    """

    _training: TrainingGraphs

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_training")

    def trained_on(self) -> str:
        """Describe the training data.

        Returns
        -------
        str
            For example "600 graphs with node attributes (18-d), 6 classes".
        """
        check_is_fitted(self)
        features = self.scheme_.features
        attributes = f" ({self.scheme_.n_given_attributes}-d)" if features.uses_attributes else ""
        attributes += " and degrees" if self.scheme_.degrees else ""
        return f"{self.n_train_} graphs with {features}{attributes}, {self._describe_targets()}"

    def _describe_targets(self) -> str:
        raise NotImplementedError

    def neighbors(self, graphs: Any, *, columns: Any = None) -> Neighbors:
        """Find the nearest training graph of every graph, and whether the graph is in the domain of the training.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : optional
            As in ``predict``.

        Returns
        -------
        Neighbors
            The position of the nearest training graph in ``graphs_``, its distance, and the share of training graphs
            that are nearer than that to another one. Up to 95 percent the graph is inside the domain, unless it has
            labels that no training graph has, which are named: predictions for other graphs are guesses.
        """
        check_is_fitted(self)
        if self.nearest_ is None:
            problem = "this model was saved by an earlier version, which did not keep all training graphs"
            raise InputError(problem, remedy="train it again")
        batch, own = self._read_new(graphs, columns)
        positions, distances = self._training.nearest_to(batch, own, n_jobs=self.n_jobs, progress=self.progress)
        placed = place_neighbors(positions, distances, self.nearest_)
        return mark_unseen(placed, self._training.unseen_in(batch))

    # Steps of fit

    def _reset(self) -> None:
        """Delete the fitted attributes, so that a fit that fails leaves no mixture of two fits."""
        for name in [name for name in vars(self) if name in ("_training", "_several") or name.endswith("_")]:
            delattr(self, name)
        self.seconds_, self.screening_ = StepTimes().seconds, {}

    def _fit(self, graphs: Any, y: ArrayLike, asked: Asked) -> Self:
        """Fit the model, as the public method of each class says."""
        self._reset()
        self._remember(asked.target_name, asked.source, y)
        batch = as_batch(graphs)
        learning = self._read(asked.read(batch), y)
        columns = learning.training.columns
        apart = None if columns is None else columns.between
        self._finish(learning, self._choose(batch, learning.scored, asked.distances, apart))
        self._tell_stereo(batch)
        return self

    def _tell_stereo(self, batch: GraphBatch) -> None:
        """Warn about molecules that differ in stereochemistry only, unless someone decided whether it is compared."""
        if self.scheme_.features.uses_stereo:
            return
        metrics = self.metric if isinstance(self.metric, list | tuple) else [self.metric or WWL()]
        decided = any(getattr(metric, "stereo", "ignore") != "auto" for metric in metrics)
        if not decided and (unused := stereo_not_compared(batch, "auto")) is not None:
            warn_outside(unused)

    def _remember(self, target_name: str | None, source: Mapping[str, Any] | None, y: ArrayLike | None) -> None:
        """Keep the name of the target, and how the graphs were read."""
        self.target_name_, self.source_ = read_target_name(target_name, y), read_source(source)

    @abstractmethod
    def _read(self, training: Training, y: ArrayLike) -> Any:
        """Check the targets, and return a :class:`wassergraph.models.learning.Learning` of the model's own kind."""

    @abstractmethod
    def _finish(self, learning: Any, chosen: ChosenMatrix) -> None:
        """Fit the final model, with what was read and what was chosen, and keep the training graphs."""

    def _shares_fits(self) -> bool:
        """Return whether fits for several targets of the same graphs share work."""
        return False

    def _shares_targets(self) -> bool:
        """Return whether models of several targets are to share what they learn."""
        return False

    def _share_between(
        self, models: Sequence[GraphModel], known: Sequence[KnownTarget], training: Training
    ) -> IntArray:
        """Let fitted models of several targets learn from each other; return the positions of their graphs."""
        raise NotImplementedError

    def _held_out_of(self, training: Training) -> BoolArray | None:
        """Return which graphs intervals are calibrated with, and nothing is learned from; None without such graphs."""
        return None

    def _keep_training(
        self, scheme: Scheme, training: Training, distances: FloatArray | None, targets: NDArray[Any] | None
    ) -> None:
        """Keep the training graphs and their targets, with the distances between them for the chosen parameters."""
        self.scheme_, self.graphs_, self.n_train_, self.targets_ = scheme, training.graphs, len(training), targets
        self.names_, self.nearest_ = training.names, None if distances is None else nearest_distances(distances)
        columns = training.columns
        if columns is not None:
            columns = replace(columns, weight=self.best_params_.get("column_weight", 0.0))
        self.columns_ = None if columns is None else columns.scheme
        self._train_on(TrainingGraphs.embed(scheme, training.graphs, self.best_params_["depth"], columns))

    def _train_on(self, training: TrainingGraphs) -> None:
        """Compare new graphs with these training graphs."""
        self._training = training

    @property
    def _columns(self) -> TrainingColumns | None:
        """The columns of the training graphs, if there are any."""
        return self._training.columns

    # New graphs

    def _with_distances(
        self,
        graphs: Any,
        function: Callable[[FloatArray], PartOfResult],
        training: TrainingGraphs | None = None,
        *,
        columns: Any = None,
    ) -> list[PartOfResult]:
        """Call a function with the distances of new graphs to training graphs, by default all, part by part."""
        batch, own = self._read_new(graphs, columns)
        to, results = self._training if training is None else training, list[PartOfResult]()
        with whole("prediction", progress=self.progress) as stages:
            if stages.told and len(batch):
                announce(to.foresee(batch, n_threads(self.n_jobs)), stages)
            for rows in (parts := to.parts(len(batch))):
                each = batch if len(parts) == 1 else batch[rows]
                with stage(PREDICTIONS), part(len(each) / len(batch)):
                    beside = None if own is None else own[rows]
                    found = to.distances_from(each, beside, n_jobs=self.n_jobs, progress=self.progress)
                    results.append(function(found))
        return results

    def _read_new(self, graphs: Any, columns: Any) -> tuple[GraphBatch, FloatArray | None]:
        """Return new graphs, with their columns if the model has some; raise an error if they lack what it needs."""
        check_is_fitted(self)
        batch = as_batch(graphs, self.source_)
        self._check_features(batch)
        if self._training.columns is None:
            refuse_columns(columns)
            return batch, None
        return batch, self._training.columns.read_new(columns, len(batch))

    def _compare(self, graph: Any, columns: Any = None) -> Comparison:
        """Compare one new graph with all training graphs."""
        batch, own = self._read_new(graph, columns)
        return Comparison.of(batch, self._training, own, n_jobs=self.n_jobs)

    def _explain(self, comparison: Comparison, function: KernelSum) -> Explanation:
        """Explain a value, from a comparison with the training graphs."""
        return explain_sum(
            comparison,
            function,
            names=self.names_,
            targets=self.targets_,
            equal=self._training.equal,
            unseen=str(self._training.unseen_in(comparison.graph)[0]),
            knows_all=self.nearest_ is not None,
            target_name=self.target_name_,
            progress=self.progress,
        )

    def _check_features(self, batch: GraphBatch) -> None:
        """Raise an error if graphs lack what the model was trained on."""
        features = self.scheme_.features
        if features.uses_labels and batch.node_labels is None:
            raise self._missing("node_labels", "label")
        if features.uses_edge_labels and batch.edge_labels is None and batch.n_arcs:
            raise self._missing("edge_labels")
        if not features.uses_attributes:
            return
        if batch.node_attributes is None:
            raise self._missing("node_attributes", "x")
        n_attributes = batch.node_attributes.shape[1]
        if n_attributes != self.scheme_.n_given_attributes:
            raise InputError(
                f"these graphs have {n_attributes} node attributes, but the model was trained on {self.trained_on()}"
            )

    def _missing(self, field: str, example: str | None = None) -> InputError:
        return InputError(
            f"these graphs have no {field.replace('_', ' ')}, but the model was trained on {self.trained_on()}",
            remedy="" if example is None else "name them when the graphs are read, as in {}",
            options=[] if example is None else [Option(field, example)],
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # the input is graphs
        return tags
