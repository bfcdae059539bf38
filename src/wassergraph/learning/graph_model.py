"""GraphModel: what the models of graphs share.

graphs ──schemes──▶ embeddings ──▶ distances ──selection──▶ depth, gamma, … ──▶ the model's own fit
new graphs ──▶ distances to the training graphs ──▶ the model's own prediction, and the nearest training graph
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.distances.api import embedding_distances
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.embed import embed_all
from wassergraph.embedding.node_embedding import Mass, NodeEmbedding
from wassergraph.embedding.scheme import (
    EdgeLabels,
    Kind,
    LabelWeight,
    Masses,
    Scheme,
    Standardize,
    Unmatched,
    candidate_masses,
    learn_scheme,
)
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.candidates import Matrices
from wassergraph.learning.effort import NO_LIMITS, Effort
from wassergraph.learning.explaining import Comparison, KernelSum, explain_sum
from wassergraph.learning.explanation import Explanation
from wassergraph.learning.folds import Fold
from wassergraph.learning.given_distances import mass_of_given, read_given
from wassergraph.learning.grid import Grid, GridScores
from wassergraph.learning.learners import Learner, Targets
from wassergraph.learning.model_files.saved_model import SavedModel
from wassergraph.learning.selection import choose, score_grid
from wassergraph.learning.training_graphs import (
    Neighbors,
    TrainingGraphs,
    nearest_distances,
    place_neighbors,
)
from wassergraph.learning.training_source import read_source, read_target_name
from wassergraph.parallel.compilation import StepTimes


class GraphModel(SavedModel, BaseEstimator):  # type: ignore[misc]
    """A model that compares new graphs with training graphs.

    Its parameters are attributes, as in scikit-learn: those of the embedding, ``n_jobs`` and ``progress``. A model adds
    its own, and documents all of them.
    """

    kind: Kind
    standardize: Standardize
    isolated: Isolated
    label_weight: LabelWeight
    edge_labels: EdgeLabels
    mass: Masses
    unmatched: Unmatched
    size_weight: float
    n_jobs: int | None
    progress: bool

    best_params_: dict[str, Any]
    best_score_: float | None
    cv_results_: dict[str, Any]
    grid_scores_: GridScores | None
    scheme_: Scheme
    graphs_: GraphBatch
    names_: NDArray[Any]
    targets_: NDArray[Any] | None
    nearest_: FloatArray | None
    target_name_: str | None
    source_: dict[str, Any]
    n_train_: int
    seconds_: dict[str, float]
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

    def neighbors(self, graphs: Any) -> Neighbors:
        """Find the nearest training graph of every graph, and whether the graph is in the domain of the training.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            New graphs.

        Returns
        -------
        Neighbors
            The position of the nearest training graph in ``graphs_``, its distance, and the share of training graphs
            that are nearer than that to another one. Up to 95 percent the graph is inside the domain: predictions for
            other graphs are guesses.
        """
        check_is_fitted(self)
        if self.nearest_ is None:
            problem = "this model was saved by an earlier version, which did not keep all training graphs"
            raise InputError(problem, remedy="train it again")
        batch = as_batch(graphs)
        self._check_features(batch)
        positions, distances = self._training.nearest_to(batch, n_jobs=self.n_jobs, progress=self.progress)
        return place_neighbors(positions, distances, self.nearest_)

    # Steps of fit

    def _reset(self) -> None:
        """Delete the fitted attributes, so that a fit that fails leaves no mixture of two fits."""
        for name in [name for name in vars(self) if name == "_training" or name.endswith("_")]:
            delattr(self, name)
        self.seconds_ = StepTimes().seconds

    def _remember(self, target_name: str | None, source: Mapping[str, Any] | None, y: ArrayLike) -> None:
        """Keep the name of the target, and how the graphs were read."""
        self.target_name_, self.source_ = read_target_name(target_name, y), read_source(source)

    def _timed(self, step: str) -> AbstractContextManager[None]:
        return StepTimes(self.seconds_).step(step)

    def _learn_schemes(self, batch: GraphBatch, given: Any) -> dict[Mass, Scheme]:
        """Learn how to embed the graphs, for each of the masses to choose from."""
        masses = candidate_masses(batch, self.mass if given is None else mass_of_given(given, batch, self.mass))
        return {
            mass: learn_scheme(
                batch,
                kind=self.kind,
                standardize=self.standardize,
                isolated=self.isolated,
                label_weight=self.label_weight,
                edge_labels=self.edge_labels,
                mass=mass,
                unmatched=self.unmatched,
                size_weight=self.size_weight,
            )
            for mass in masses
        }

    def _compute_distances(
        self, schemes: dict[Any, Scheme], batch: GraphBatch, depths: Sequence[int], given: Any
    ) -> NDArray[Any]:
        """Embed the training graphs, and compute their distances: (n_schemes * n_depths, n_train, n_train)."""
        embeddings: list[NodeEmbedding] = []
        with self._timed("embedding"):
            for name, scheme in schemes.items():
                schemes[name], embedded = embed_all(scheme, [batch], max(depths), [None])
                embeddings += embedded
        with self._timed("distances"):
            if given is not None:
                (scheme,) = schemes.values()
                return read_given(given, batch, scheme, depths)
            return np.concatenate(
                [
                    embedding_distances(each, depths=depths, n_jobs=self.n_jobs, progress=self.progress)
                    for each in embeddings
                ]
            )

    def _select(
        self,
        distances: Matrices,
        targets: Targets,
        folds: list[Fold],
        grid: Grid,
        learner: Learner,
        effort: Effort = NO_LIMITS,
    ) -> int:
        """Choose parameters in the inner folds; return the number of the candidate."""
        number, self.best_score_, self.grid_scores_, self.cv_results_ = 0, None, None, {}
        with self._timed("selection"):
            if np.prod(grid.shape) > 1:
                scores = score_grid(
                    distances, targets, folds, grid, learner, effort=effort, n_jobs=self.n_jobs, progress=self.progress
                )
                number, self.best_score_ = choose(scores, sum(len(test) for _, test in folds), learner, effort)
                self.grid_scores_, self.cv_results_ = scores, scores.table()
        self.best_params_ = grid.candidate(number)
        return number

    def _keep_training(
        self,
        scheme: Scheme,
        batch: GraphBatch,
        distances: FloatArray | None,
        names: ArrayLike | None,
        targets: NDArray[Any] | None,
    ) -> None:
        """Keep the training graphs and their targets, with the distances between them for the chosen parameters."""
        self.scheme_, self.graphs_, self.n_train_, self.targets_ = scheme, batch, len(batch), targets
        self.names_ = np.arange(len(batch)).astype(str) if names is None else np.asarray(names, dtype=np.str_)
        self.nearest_ = None if distances is None else nearest_distances(distances)
        self._training = TrainingGraphs.embed(scheme, batch, self.best_params_["depth"])

    # New graphs

    def _distances(self, graphs: Any, training: TrainingGraphs | None = None) -> Iterator[FloatArray]:
        """Yield the distances of new graphs to training graphs, by default all (n_new, n_train), part by part."""
        check_is_fitted(self)
        batch = as_batch(graphs)
        self._check_features(batch)
        to = self._training if training is None else training
        for part in to.parts(batch):
            yield to.distances_from(part, n_jobs=self.n_jobs, progress=self.progress)

    def _compare(self, graph: Any, training: TrainingGraphs | None = None) -> Comparison:
        """Compare one new graph with training graphs, by default all."""
        check_is_fitted(self)
        batch = as_batch(graph)
        self._check_features(batch)
        return Comparison.of(batch, self._training if training is None else training, n_jobs=self.n_jobs)

    def _explain(self, comparison: Comparison, function: KernelSum, positions: IntArray) -> Explanation:
        """Explain a value, from a comparison with the training graphs at some positions."""
        return explain_sum(
            comparison,
            function,
            positions=positions,
            names=self.names_,
            targets=self.targets_,
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
