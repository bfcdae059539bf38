"""WWLClassifier: an SVM on Wasserstein Weisfeiler–Lehman distances, with parameters chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.distances.api import embedding_distances
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.embed import embed_all, embed_new
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
from wassergraph.kernels.definiteness import negative_part
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learning.classes import read_classes
from wassergraph.learning.classifier_state import SavedClassifier
from wassergraph.learning.folds import Auto, CrossValidation, Fold, RandomState, make_folds
from wassergraph.learning.given_distances import mass_of_given, read_given
from wassergraph.learning.grid import ATTRIBUTE_C_VALUES, GAMMAS, LABEL_C_VALUES, Grid, depth_values, positive_numbers
from wassergraph.learning.selection import score_grid
from wassergraph.learning.svm.calibration import fit_sigmoids, probabilities
from wassergraph.learning.svm.krein import fit_problems
from wassergraph.learning.svm.learner import SVMKind, SVMLearner, check_classifier, out_of_fold_decisions
from wassergraph.learning.svm.multiclass import problems, scores_by_class, vote
from wassergraph.learning.svm.smo import decide
from wassergraph.parallel.compilation import StepTimes
from wassergraph.parallel.threads import n_threads

#: How many distances to new graphs are in memory at a time: a third of a gigabyte for any number of graphs.
_MAX_DISTANCES = 40_000_000


class WWLClassifier(SavedClassifier):
    """Classify graphs by their Wasserstein Weisfeiler–Lehman distances, with parameters chosen by cross-validation.

    ``fit`` computes the distances for all depths once, chooses depth, gamma and C by cross-validation (the inner
    folds), fits an SVM with the kernel ``exp(-gamma * D)``, and calibrates its probabilities. If depth, gamma and C
    have one value each, nothing is chosen.

    Parameters
    ----------
    depth : int or sequence of int
        The numbers of Weisfeiler–Lehman iterations to choose from, the paper's H.
    gamma : float or sequence of float
        The values of gamma to choose from, the paper's λ.
    C : float, sequence of float or "auto"
        The values of the SVM's C to choose from; "auto" is the paper's range, 1e-4 … 1e5 for labels and 1e-3 … 1e3 for
        attributes.
    kind, isolated, label_weight, edge_labels, unmatched, size_weight
        How to embed the nodes: see :func:`wassergraph.wl_embedding`.
    mass : "auto", "share", "count", or a sequence of the last two
        Whether all graphs have the same mass, or every node has, see :func:`wassergraph.wl_embedding`; of several, one
        is chosen together with depth, gamma and C. "auto" is both for molecules, whose properties often grow with their
        size, and "share", as in the paper, for other graphs.
    standardize : bool or "auto"
        Whether to shift and scale attributes to mean 0 and variance 1; "auto" does so if there are two or more of
        them, except for molecules whose attributes are whole numbers. Mean and variance are those of all training
        graphs, also for the inner folds. ``scheme_.standardized`` is the decision.
    classifier : "auto", "svc" or "krein"
        "svc" treats every kernel as positive definite; "krein" flips the negative eigenvalues of an indefinite kernel,
        see :class:`wassergraph.KreinSVC`. "auto" is "svc" for labels, whose kernels are always positive definite, and
        "krein" otherwise.
    cv : int, "auto", splitter or iterable
        The inner folds; a number means stratified folds. "auto" is 5, or fewer, with a warning, if no class has as many
        graphs.
    n_jobs : int, optional
        The number of threads, as in joblib: None means 1 unless ``joblib.parallel_config`` is active, -1 means
        all processors, -2 all but one.
    random_state : int, RandomState or None
        The seed for shuffling the inner folds; None keeps the order of the graphs. Graphs that are similar are often
        neighbors in a file, and folds in that order choose worse parameters: on BZR the accuracy is five points lower.
    progress : bool
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : (n_classes) array
        The classes, sorted.
    best_params_ : dict
        The chosen depth, gamma and C, and the mass if there were two to choose from: those with the best mean accuracy
        in the inner folds; of several, "share", then the smallest depth, then C, then gamma.
    best_score_ : float or None
        Their mean accuracy in the inner folds; None if there was nothing to choose.
    majority_score_ : float
        The share of the largest class: the accuracy of always predicting it.
    cv_results_ : dict
        A row for every candidate, in the columns of scikit-learn's ``GridSearchCV``; ``mean_fit_time`` is the time of
        all C with the same depth and gamma, divided by their number. Empty if there was nothing to choose.
    grid_scores_ : GridScores or None
        The same as arrays; None if there was nothing to choose.
    n_negative_, negative_mass_ : int, float
        The number of negative eigenvalues of the training kernel, and their share in the sum of all absolute values.
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    graphs_ : GraphBatch
        The training graphs that decisions need: the support vectors.
    dual_coef_, intercept_ : (n_pairs, n_support), (n_pairs) floats
        The SVMs, one for every two classes.
    sigmoids_ : (n_pairs, 2) floats
        The sigmoids that turn their decisions into probabilities.
    n_train_ : int
        The number of training graphs.
    seconds_ : dict
        The time of each step, and of compiling, which happens once per installation.
    refit_time_ : float
        The time of the final fit, as in ``GridSearchCV``.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> model = wg.WWLClassifier(depth=range(3)).fit(graphs[:40], y[:40])
    >>> model.predict(graphs[40:]).shape, model.predict_proba(graphs[40:]).shape
    ((20,), (20, 3))
    """

    def __init__(
        self,
        depth: int | Sequence[int] = range(8),
        gamma: float | Sequence[float] = GAMMAS,
        C: float | Sequence[float] | Literal["auto"] = "auto",  # noqa: N803 - scikit-learn's name
        *,
        kind: Kind = "auto",
        standardize: Standardize = "auto",
        isolated: Isolated = "halve",
        label_weight: LabelWeight = "auto",
        edge_labels: EdgeLabels = "auto",
        mass: Masses = "auto",
        unmatched: Unmatched = "auto",
        size_weight: float = 0.0,
        classifier: SVMKind = "auto",
        cv: CrossValidation | Auto = "auto",
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        progress: bool = False,
    ) -> None:
        self.depth = depth
        self.gamma = gamma
        self.C = C
        self.kind = kind
        self.standardize = standardize
        self.isolated = isolated
        self.label_weight = label_weight
        self.edge_labels = edge_labels
        self.mass = mass
        self.unmatched = unmatched
        self.size_weight = size_weight
        self.classifier = classifier
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, graphs: Any, y: ArrayLike, *, distances: Any = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            The training graphs.
        y : (n_graphs) array
            The class of every graph.
        distances : DistanceStore, or (n_depths, n_graphs, n_graphs) floats, optional
            The distances between the training graphs, if they were computed before: for every depth in increasing
            order, and embedded as the parameters of this classifier say, with one mass. Of a store, this is checked.

        Returns
        -------
        self
        """
        self._reset()
        batch = as_batch(graphs)
        self.classes_, targets = read_classes(y, len(batch))
        schemes = self._learn_schemes(batch, distances)
        kind = next(iter(schemes.values())).kind
        grid = self._grid(kind, tuple(schemes))
        folds = make_folds(targets, self.classes_, self.cv, self.random_state)
        distances = self._compute_distances(schemes, batch, grid, distances)
        learner = SVMLearner(len(self.classes_), krein=self._krein(kind))
        number = self._select(distances, targets, folds, grid, learner)
        chosen = distances[number]
        self.scheme_ = schemes[self.best_params_.get("mass", next(iter(schemes)))]
        coefficients = self._fit_svm(chosen, targets, learner)
        self._calibrate(chosen, targets, folds, learner)
        self.majority_score_ = float(np.bincount(targets).max() / len(targets))
        self.n_train_ = len(batch)
        support = np.flatnonzero(coefficients.any(axis=0))
        self.dual_coef_ = np.ascontiguousarray(coefficients[:, support])
        self._keep_support(batch[support])
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_embedding")

    def predict(self, graphs: Any) -> NDArray[Any]:
        """Predict the class of every graph.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            New graphs.

        Returns
        -------
        (n_graphs) array
            The predicted classes.
        """
        return self._classes(self._decisions(graphs))

    def decision_function(self, graphs: Any) -> FloatArray:
        """Compute the decisions.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            New graphs.

        Returns
        -------
        (n_graphs) or (n_graphs, n_classes) floats
            For two classes one number, positive for the second class; otherwise a column per class.
        """
        return self._scores(self._decisions(graphs))

    def predict_proba(self, graphs: Any) -> FloatArray:
        """Compute the probability of every class.

        Probabilities are calibrated on training graphs, with decisions of SVMs that were not trained on them. As with
        ``SVC``, the most probable class is sometimes not the predicted one.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            New graphs.

        Returns
        -------
        (n_graphs, n_classes) floats
            The probabilities, each row with the sum 1.
        """
        return probabilities(self._decisions(graphs), self.sigmoids_, len(self.classes_))

    def predictions(self, graphs: Any) -> tuple[NDArray[Any], FloatArray, FloatArray]:
        """Compute classes, decisions and probabilities together, with distances computed once.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            New graphs.

        Returns
        -------
        classes, decisions, probabilities
            As ``predict``, ``decision_function`` and ``predict_proba`` return them.
        """
        decisions = self._decisions(graphs)
        return (
            self._classes(decisions),
            self._scores(decisions),
            probabilities(decisions, self.sigmoids_, len(self.classes_)),
        )

    def trained_on(self) -> str:
        """Describe the training data.

        Returns
        -------
        str
            For example "600 graphs with node attributes (18-d), 6 classes".
        """
        check_is_fitted(self)
        features = self.scheme_.features
        attributes = f" ({self.scheme_.n_attributes}-d)" if features.uses_attributes else ""
        return f"{self.n_train_} graphs with {features}{attributes}, {len(self.classes_)} classes"

    # Steps of fit

    def _reset(self) -> None:
        """Delete the fitted attributes, so that a fit that fails leaves no mixture of two fits."""
        for name in [name for name in vars(self) if name == "_embedding" or name.endswith("_")]:
            delattr(self, name)
        self.seconds_ = StepTimes().seconds

    def _learn_schemes(self, batch: GraphBatch, given: Any) -> dict[Mass, Scheme]:
        """Learn how to embed the graphs, for each of the masses to choose from."""
        masses = candidate_masses(batch, self.mass if given is None else mass_of_given(given, batch, self.mass))
        return {mass: self._learn_scheme(batch, mass) for mass in masses}

    def _learn_scheme(self, batch: GraphBatch, mass: Mass) -> Scheme:
        return learn_scheme(
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

    def _grid(self, kind: str, masses: Sequence[Mass]) -> Grid:
        check_classifier(self.classifier)
        automatic = LABEL_C_VALUES if kind == "categorical" else ATTRIBUTE_C_VALUES
        C_values = automatic if isinstance(self.C, str) and self.C == "auto" else self.C
        return Grid.of_depths(
            depth_values(self.depth),
            positive_numbers("gamma", self.gamma),
            positive_numbers("C", C_values),
            masses,
        )

    def _krein(self, kind: str) -> bool:
        return self.classifier == "krein" or (self.classifier == "auto" and kind != "categorical")

    def _compute_distances(
        self, schemes: dict[Mass, Scheme], batch: GraphBatch, grid: Grid, given: Any
    ) -> NDArray[Any]:
        """Embed the training graphs, and compute their distances for all matrices (n_matrices, n_train, n_train)."""
        depths = sorted({matrix["depth"] for matrix in grid.matrices})
        embeddings: list[NodeEmbedding] = []
        with self._timed("embedding"):
            for mass, scheme in schemes.items():
                schemes[mass], embedded = embed_all(scheme, [batch], depths[-1], [None])
                embeddings += embedded
        with self._timed("distances"):
            if given is not None:
                (scheme,) = schemes.values()
                return read_given(given, batch, scheme, depths)
            return np.concatenate(
                [
                    embedding_distances(embedding, depths=depths, n_jobs=self.n_jobs, progress=self.progress)
                    for embedding in embeddings
                ]
            )

    def _select(
        self, distances: NDArray[Any], targets: IntArray, folds: list[Fold], grid: Grid, learner: SVMLearner
    ) -> int:
        """Choose mass, depth, gamma and C in the inner folds; return the number of the matrix."""
        number, self.best_score_, self.grid_scores_, self.cv_results_ = 0, None, None, {}
        with self._timed("selection"):
            if np.prod(grid.shape) > 1:
                scores = score_grid(
                    distances, targets, folds, grid, learner, n_jobs=self.n_jobs, progress=self.progress
                )
                number, self.best_score_ = scores.best()
                self.grid_scores_, self.cv_results_ = scores, scores.table()
        self.best_params_ = grid.candidate(number)
        return grid.indices(number)[0]

    def _fit_svm(self, distances: NDArray[Any], targets: IntArray, learner: SVMLearner) -> FloatArray:
        """Fit the final SVMs; return their coefficients (n_pairs, n_train)."""
        with self._timed("training"), threadpool_limits(n_threads(self.n_jobs)):
            kernel = laplacian_kernel(distances, self.best_params_["gamma"])
            self.n_negative_, self.negative_mass_ = negative_part(kernel)
            coefficients, self.intercept_ = fit_problems(
                kernel,
                problems(targets, learner.n_classes),
                self.best_params_["C"],
                flipping=learner.krein and self.n_negative_ > 0,
            )
        self.refit_time_ = self.seconds_["training"]
        return coefficients

    def _calibrate(self, distances: NDArray[Any], targets: IntArray, folds: list[Fold], learner: SVMLearner) -> None:
        """Fit the sigmoids that turn decisions into probabilities."""
        gamma, C = self.best_params_["gamma"], self.best_params_["C"]  # noqa: N806 - scikit-learn's name
        with self._timed("calibration"):
            decisions = out_of_fold_decisions(distances, targets, folds, gamma, C, learner)
            self.sigmoids_ = fit_sigmoids(decisions, targets, learner.n_classes)

    def _timed(self, step: str) -> AbstractContextManager[None]:
        return StepTimes(self.seconds_).step(step)

    # Decisions

    def _keep_support(self, graphs: GraphBatch) -> None:
        """Keep the graphs that decisions need, embedded for the chosen depth."""
        self.graphs_ = graphs
        self._embedding: NodeEmbedding = self.scheme_.embed(graphs, self.best_params_["depth"])

    def _decisions(self, graphs: Any) -> FloatArray:
        check_is_fitted(self)
        batch = as_batch(graphs)
        self._check_features(batch)
        size = max(1, _MAX_DISTANCES // len(self.graphs_))
        parts = [self._decide(batch[first : first + size]) for first in range(0, len(batch), size)]
        return np.concatenate([np.empty((0, len(self.intercept_))), *parts])

    def _decide(self, batch: GraphBatch) -> FloatArray:
        new, support = embed_new(self.scheme_, self.graphs_, self._embedding, batch)
        distances = embedding_distances(
            new, support, depths=[support.depth], n_jobs=self.n_jobs, progress=self.progress
        )[0]
        kernel = laplacian_kernel(distances, self.best_params_["gamma"])
        return decide(kernel, self.dual_coef_, self.intercept_)

    def _classes(self, decisions: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[vote(decisions, len(self.classes_))])

    def _scores(self, decisions: FloatArray) -> FloatArray:
        return -decisions[:, 0] if len(self.classes_) == 2 else scores_by_class(decisions, len(self.classes_))

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
        if n_attributes != self.scheme_.n_attributes:
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
