"""WWLClassifier: graphs and classes in, an honest classifier out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.distances.api import embedding_distances
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.embed import embed_all, embed_beside
from wassergraph.embedding.node_embedding import NodeEmbedding
from wassergraph.embedding.scheme import Kind, Scheme, learn_scheme
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learning.folds import make_folds, read_classes
from wassergraph.learning.model_files.archive import ModelFileError, read_model, write_model
from wassergraph.learning.model_files.classifier_state import restore, state_of
from wassergraph.learning.nested import Machine
from wassergraph.learning.selection import (
    ATTRIBUTE_COSTS,
    GAMMAS,
    LABEL_COSTS,
    Fold,
    Grid,
    GridScores,
    out_of_fold,
    positive_numbers,
    score_grid,
)
from wassergraph.learning.svm.calibration import fit_sigmoids, probabilities
from wassergraph.learning.svm.krein import negative_part, train
from wassergraph.learning.svm.multiclass import problems, scores_by_class, vote
from wassergraph.learning.svm.smo import decide
from wassergraph.parallel.threads import n_threads

Standardize: TypeAlias = bool | Literal["auto"]

#: How many distances to new graphs are held at a time: a third of a gigabyte, however many graphs there are.
_ENTRIES = 40_000_000


class WWLClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify graphs by their Wasserstein Weisfeiler–Lehman distances, with parameters chosen by cross-validation.

    ``fit`` computes the distances of all depths once, chooses depth, gamma and C on them by inner cross-validation,
    trains a support vector machine on the kernel ``exp(-gamma * D)``, and calibrates its probabilities. If a value is
    given for each parameter there is nothing to choose.

    Parameters
    ----------
    depth : int or sequence of int
        The Weisfeiler–Lehman iterations to choose from, the paper's H.
    gamma : float or sequence of float
        The values of gamma to choose from, the paper's λ.
    C : float, sequence of float or "auto"
        The costs to choose from; "auto" is the paper's range, 1e-4 … 1e5 for labels and 1e-3 … 1e3 for attributes.
    kind, isolated, label_weight
        How to embed the nodes: see :func:`wassergraph.wl_embedding`.
    standardize : bool or "auto"
        Whether to shift and scale attributes; "auto" does if there are two or more of them. Mean and spread are those
        of all training graphs, also for the inner folds.
    classifier : "auto", "svc" or "krein"
        "krein" flips the negative part of an indefinite kernel, see :class:`wassergraph.KreinSVC`; "svc" takes every
        kernel for positive definite. "auto" is "svc" for labels, whose kernels always are, and "krein" otherwise.
    cv : int, splitter or iterable
        The inner folds; a number means stratified ones.
    n_jobs : int, optional
        The number of threads; None means 1, and -1 all processors.
    random_state : int, RandomState or None
        What the inner folds are shuffled with; None takes the graphs in their order. Files often go by series of
        similar graphs, and folds in that order choose badly: on BZR that costs five points of accuracy.
    progress : bool
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : (n_classes) array
        The classes, sorted.
    best_params_ : dict
        The depth, gamma and C that were chosen: those with the best mean accuracy in the inner folds; of several, the
        smallest depth, then C, then gamma.
    best_score_, majority_score_ : float
        That accuracy (None without a choice), and what always answering with the largest class would reach.
    cv_results_ : dict
        A row for every candidate, in the columns of scikit-learn's ``GridSearchCV``; ``mean_fit_time`` is the time of
        the row of C that a candidate was solved in, shared equally. Empty without a choice.
    n_negative_, negative_mass_ : int, float
        How many eigenvalues of the training kernel are negative, and their share in the spectrum.
    scheme_ : Scheme
        What the embedding has learned from the training graphs.
    graphs_ : GraphBatch
        The training graphs that decisions need: the support vectors.
    dual_coef_, intercept_ : (n_problems, n_support), (n_problems) floats
        The machines, one for every two classes.
    sigmoids_ : (n_problems, 2) floats
        What turns their decisions into probabilities.
    n_train_ : int
        The number of training graphs.
    seconds_ : dict
        The time of each step; ``refit_time_`` that of the last training.

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
        label_weight: float = 0.5,
        classifier: Machine = "auto",
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = 0,
        progress: bool = False,
    ) -> None:
        self.depth = depth
        self.gamma = gamma
        self.C = C
        self.kind = kind
        self.standardize = standardize
        self.isolated = isolated
        self.label_weight = label_weight
        self.classifier = classifier
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, graphs: Any, y: ArrayLike) -> Self:
        """Learn from graphs, a :class:`GraphBatch` or anything that a reader takes, and the class of each."""
        self._forget()
        batch = as_batch(graphs)
        self.classes_, codes = read_classes(y, len(batch))
        scheme = self._learn_scheme(batch)
        grid = self._grid(scheme.kind)
        depths = [matrix["depth"] for matrix in grid.matrices]
        folds = make_folds(codes, self.classes_, self.cv, self.random_state)
        self.seconds_: dict[str, float] = {}
        with self._timed("embedding"):
            self.scheme_, (embedding,) = embed_all(scheme, [batch], depths[-1], [None])
        with self._timed("distances"):
            distances = embedding_distances(embedding, depths=depths, n_jobs=self.n_jobs, progress=self.progress)
        with self._timed("selection"):
            chosen = self._select(distances, codes, folds, grid)
        matrix = distances[depths.index(chosen["depth"])]
        with self._timed("training"), threadpool_limits(n_threads(self.n_jobs)):
            coefficients = self._train(matrix, codes, chosen)
        with self._timed("calibration"):
            decisions = out_of_fold(matrix, codes, folds, chosen["gamma"], chosen["C"], krein=self._krein())
            self.sigmoids_ = fit_sigmoids(decisions, codes, len(self.classes_))
        self.refit_time_ = self.seconds_["training"]
        self.best_params_ = chosen
        self.majority_score_ = float(np.bincount(codes).max() / len(codes))
        self.n_train_ = len(batch)
        support = np.flatnonzero(coefficients.any(axis=0))
        self.dual_coef_ = np.ascontiguousarray(coefficients[:, support])
        self._remember(batch[support])
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit has learned: should this one fail, nothing of both is mixed."""
        for name in [name for name in vars(self) if name == "_embedding" or name.endswith("_")]:
            delattr(self, name)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_embedding")

    def predict(self, graphs: Any) -> NDArray[Any]:
        """Give the class of every graph."""
        return self._classes(self._decisions(graphs))

    def decision_function(self, graphs: Any) -> FloatArray:
        """Give the decisions: (n) for two classes, where positive means the second; else a column per class."""
        return self._scores(self._decisions(graphs))

    def predict_proba(self, graphs: Any) -> FloatArray:
        """Give the probability of every class (n, n_classes).

        They are calibrated on training graphs that the deciding machine had not seen. As with ``SVC``, the most
        probable class may now and then be another than the predicted one.
        """
        return probabilities(self._decisions(graphs), self.sigmoids_, len(self.classes_))

    def predictions(self, graphs: Any) -> tuple[NDArray[Any], FloatArray, FloatArray]:
        """Give classes, decisions and probabilities at the price of one of them: the distances are computed once."""
        decisions = self._decisions(graphs)
        probable = probabilities(decisions, self.sigmoids_, len(self.classes_))
        return self._classes(decisions), self._scores(decisions), probable

    def save(self, path: str | Path) -> None:
        """Write the model to one file, at once or not at all; :func:`wassergraph.load_model` reads it again."""
        check_is_fitted(self)
        write_model(path, *state_of(self))

    # Steps of fit

    def _learn_scheme(self, batch: GraphBatch) -> Scheme:
        if not len(batch):
            raise ValueError("there are no graphs to learn from")
        automatic = isinstance(self.standardize, str) and self.standardize == "auto"
        if not automatic and not isinstance(self.standardize, bool | np.bool_):
            raise ValueError(f'standardize must be True, False or "auto", got {self.standardize!r}')
        options: Any = {"kind": self.kind, "isolated": self.isolated, "label_weight": self.label_weight}
        scheme = learn_scheme(batch, standardize=not automatic and bool(self.standardize), **options)
        if automatic and scheme.n_attributes > 1:
            scheme = learn_scheme(batch, standardize=True, **options)
        return scheme

    def _grid(self, kind: str) -> Grid:
        if self.classifier not in ("auto", "svc", "krein"):
            raise ValueError(f'classifier must be "auto", "svc" or "krein", got {self.classifier!r}')
        depths: list[Any] = [self.depth] if np.ndim(self.depth) == 0 else list(self.depth)  # type: ignore[arg-type]
        if not depths or not all(isinstance(h, int | np.integer) and h >= 0 for h in depths):
            raise ValueError(f"depth must be a whole number from 0 on, or several, got {self.depth!r}")
        automatic = LABEL_COSTS if kind == "categorical" else ATTRIBUTE_COSTS
        costs = automatic if isinstance(self.C, str) and self.C == "auto" else self.C
        return Grid.of_depths(
            sorted({int(h) for h in depths}),
            positive_numbers("gamma", self.gamma),
            positive_numbers("C", costs),
        )

    def _select(self, distances: NDArray[Any], codes: IntArray, folds: list[Fold], grid: Grid) -> dict[str, Any]:
        self.grid_scores_: GridScores | None = None
        self.best_score_: float | None = None
        self.cv_results_: dict[str, Any] = {}
        if np.prod(grid.shape) == 1:
            return grid.candidate(0)
        scores = score_grid(
            distances, codes, folds, grid, krein=self._krein(), n_jobs=self.n_jobs, progress=self.progress
        )
        number, self.best_score_ = scores.best()
        self.grid_scores_, self.cv_results_ = scores, scores.table()
        return grid.candidate(number)

    def _train(self, distances: NDArray[Any], codes: IntArray, chosen: dict[str, Any]) -> FloatArray:
        kernel = laplacian_kernel(distances, chosen["gamma"])
        self.n_negative_, self.negative_mass_ = negative_part(kernel)
        coefficients, self.intercept_ = train(
            kernel,
            problems(codes, len(self.classes_)),
            chosen["C"],
            flipping=self._krein() and self.n_negative_ > 0,
        )
        return coefficients

    def _krein(self) -> bool:
        return self.classifier == "krein" or (self.classifier == "auto" and self.scheme_.kind != "categorical")

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds_[step] = time.perf_counter() - begin

    # Decisions

    def _remember(self, graphs: GraphBatch) -> None:
        """Keep the graphs that decisions need, embedded as deep as they need."""
        self.graphs_ = graphs
        self._embedding: NodeEmbedding = self.scheme_.embed(graphs, self.best_params_["depth"])

    def _decisions(self, graphs: Any) -> FloatArray:
        check_is_fitted(self)
        batch = as_batch(graphs)
        self._check_kind(batch)
        at_a_time = max(1, _ENTRIES // len(self.graphs_))
        parts = [self._decide(batch[first : first + at_a_time]) for first in range(0, len(batch), at_a_time)]
        return np.concatenate([np.empty((0, len(self.intercept_))), *parts])

    def _decide(self, batch: GraphBatch) -> FloatArray:
        new, support = embed_beside(self.scheme_, self.graphs_, self._embedding, batch)
        distances = embedding_distances(
            new, support, depths=[support.depth], n_jobs=self.n_jobs, progress=self.progress
        )[0]
        kernel = laplacian_kernel(distances, self.best_params_["gamma"])
        return decide(kernel, self.dual_coef_, self.intercept_)

    def _classes(self, decisions: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[vote(decisions, len(self.classes_))])

    def _scores(self, decisions: FloatArray) -> FloatArray:
        return -decisions[:, 0] if len(self.classes_) == 2 else scores_by_class(decisions, len(self.classes_))

    def _check_kind(self, batch: GraphBatch) -> None:
        """Refuse graphs that lack what the model was trained on."""
        for part, name in [("labels", "node_labels"), ("attributes", "node_attributes")]:
            mine, theirs = getattr(self.graphs_, name), getattr(batch, name)
            if part not in self.scheme_.features:
                continue
            if theirs is None:
                raise ValueError(
                    f"these graphs have no node {part}, but the model was trained on {self.trained_on()}; name them "
                    f'when the graphs are read, as in node_{part}="label"'
                )
            if theirs.ndim == 2 and theirs.shape[1] != mine.shape[1]:
                raise ValueError(
                    f"these graphs have {theirs.shape[1]} node attributes, but the model was trained on "
                    f"{self.trained_on()}"
                )

    def trained_on(self) -> str:
        """Say in words what the model was trained on: "600 graphs with node attributes (18-d), 6 classes"."""
        check_is_fitted(self)
        attributes = f" ({self.scheme_.n_attributes}-d)" if "node attributes" in self.scheme_.features else ""
        return f"{self.n_train_} graphs with {self.scheme_.features}{attributes}, {len(self.classes_)} classes"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # what comes in is graphs
        return tags


def load_model(path: str | Path) -> WWLClassifier:
    """Read a model that :meth:`WWLClassifier.save` wrote; it decides as the one that was saved, to the last bit.

    A file that is damaged, cut short, foreign, or written by a newer version is refused. Loading runs no code of the
    file and writes nothing.

    Examples
    --------
    >>> import tempfile, wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> model = wg.WWLClassifier(depth=1, gamma=1.0, C=10.0).fit(graphs, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/demo.wgm")
    ...     again = wg.load_model(f"{folder}/demo.wgm")
    >>> bool((again.predict(graphs) == model.predict(graphs)).all())
    True
    """
    header, arrays = read_model(path)
    model = WWLClassifier()
    try:
        model._remember(restore(model, header, arrays))
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError) as error:
        raise ModelFileError(f"{path} does not hold together as a model: {error}") from error
    return model
