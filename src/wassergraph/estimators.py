"""Distances and kernels as scikit-learn transformers.

    graphs ──WWLDistance──▶ D ──LaplacianKernel──▶ K ──SVC(kernel="precomputed")──▶ predictions

A pipeline that begins with :class:`WWLDistance` learns from graphs. One that begins with :class:`LaplacianKernel`
learns from distances that were computed once; a search over ``gamma`` and ``C`` then costs next to nothing.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from wassergraph.arrays import FloatArray
from wassergraph.distances.api import embedding_distances
from wassergraph.distances.options import Solver
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.invariants import check_whole
from wassergraph.kernels.laplacian import check_distances, check_gamma, laplacian_kernel
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.embed import embed_all, embed_new
from wassergraph.metrics.node_embedding import Mass, NodeEmbedding
from wassergraph.metrics.scheme import EdgeLabels, Kind, LabelWeight, Standardize, Unmatched, learn_scheme


class WWLDistance(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer of graphs into their Wasserstein Weisfeiler–Lehman distances to the training graphs.

    The embedding is learned from the training graphs alone: its kind, the alphabet of one-hot labels, the mean and
    scale of the attributes. New graphs are embedded in the same way; they may have labels that no training graph has.

    Parameters
    ----------
    depth : int
        The number of Weisfeiler–Lehman iterations, the paper's H.
    kind, standardize, isolated, label_weight, edge_labels, mass, unmatched, size_weight
        How to embed the nodes, as in :func:`wassergraph.wl_embedding`.
    solver, reg, tol, max_iter, n_projections, n_jobs, progress
        How to compute the distances, as in :func:`wassergraph.wwl_distances`.
    random_state : int, RandomState, Generator or None
        The seed of the projections with ``solver="sliced"``. They are the same in ``fit_transform`` and in every
        ``transform`` after it.

    Attributes
    ----------
    scheme_ : Scheme
        What was learned; ``scheme_.kind`` and ``scheme_.features`` are the data that the embedding uses.
    embedding_ : NodeEmbedding
        The embedded training graphs.
    graphs_ : GraphBatch
        The training graphs.
    seed_ : int
        The seed of the projections with ``solver="sliced"``.

    See Also
    --------
    wwl_distances : the same as a function
    LaplacianKernel : the kernel of distances, as the next step
    WWLClassifier : distances, kernel and SVM in one

    Examples
    --------
    >>> import wassergraph as wg
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.WWLDistance(depth=2).fit(graphs[:40]).transform(graphs[40:]).shape
    (20, 40)
    >>> model = make_pipeline(wg.WWLDistance(depth=2), wg.LaplacianKernel(gamma=1.0), SVC(kernel="precomputed"))
    >>> model.fit(graphs[:40], y[:40]).predict(graphs[40:]).shape
    (20,)
    """

    def __init__(
        self,
        depth: int = 3,
        *,
        kind: Kind = "auto",
        standardize: Standardize = False,
        isolated: Isolated = "halve",
        label_weight: LabelWeight = "auto",
        edge_labels: EdgeLabels = "auto",
        mass: Mass = "share",
        unmatched: Unmatched = "auto",
        size_weight: float = 0.0,
        solver: Solver = "auto",
        reg: float | None = None,
        tol: float = 1e-9,
        max_iter: int | None = None,
        n_projections: int = 100,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.depth = depth
        self.kind = kind
        self.standardize = standardize
        self.isolated = isolated
        self.label_weight = label_weight
        self.edge_labels = edge_labels
        self.mass = mass
        self.unmatched = unmatched
        self.size_weight = size_weight
        self.solver = solver
        self.reg = reg
        self.tol = tol
        self.max_iter = max_iter
        self.n_projections = n_projections
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, graphs: object, y: object = None) -> Self:
        """Learn the embedding from the training graphs, and embed them.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            The training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self
        """
        batch = as_batch(graphs)
        if not len(batch):
            raise InputError("there are no graphs to learn from", remedy="pass at least one")
        scheme = learn_scheme(
            batch,
            kind=self.kind,
            standardize=self.standardize,
            isolated=self.isolated,
            label_weight=self.label_weight,
            edge_labels=self.edge_labels,
            mass=self.mass,
            unmatched=self.unmatched,
            size_weight=self.size_weight,
        )
        self.scheme_, (self.embedding_,) = embed_all(scheme, [batch], check_whole("depth", self.depth, 0), [None])
        self.graphs_ = batch
        self.seed_ = _seed(self.random_state)
        return self

    def fit_transform(self, graphs: object, y: object = None) -> FloatArray:
        """Fit the transformer, and compute the distances between the training graphs; each pair is computed once.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            The training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        (n_train, n_train) floats
            The distances.
        """
        return self.fit(graphs)._distances(self.embedding_, None)

    def transform(self, graphs: object) -> FloatArray:
        """Compute the distances from graphs to the training graphs.

        Parameters
        ----------
        graphs : GraphBatch, or anything that a reader accepts
            New graphs.

        Returns
        -------
        (n_graphs, n_train) floats
            The distances.
        """
        check_is_fitted(self)
        return self._distances(*embed_new(self.scheme_, self.graphs_, self.embedding_, as_batch(graphs)))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        (n_train) array of str
            ``distance_to_graph_0``, ``distance_to_graph_1`` and so on.
        """
        check_is_fitted(self)
        return np.array([f"distance_to_graph_{g}" for g in range(len(self.graphs_))], dtype=object)

    def _distances(self, left: NodeEmbedding, right: NodeEmbedding | None) -> FloatArray:
        distances: FloatArray = embedding_distances(
            left,
            right,
            depths=[self.embedding_.depth],
            solver=self.solver,
            reg=self.reg,
            tol=self.tol,
            max_iter=self.max_iter,
            n_projections=self.n_projections,
            random_state=self.seed_,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )[0]
        return distances

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # the input is graphs
        return tags


class LaplacianKernel(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer of distances into the kernel ``exp(-gamma * D)``.

    As a pipeline step before ``SVC(kernel="precomputed")`` a grid search can choose ``gamma`` on distances that
    were computed once. It has scikit-learn's pairwise tag: cross-validation selects rows and columns of D together.

    Parameters
    ----------
    gamma : float
        How fast the similarity decreases with the distance; positive.

    Attributes
    ----------
    n_features_in_ : int
        The number of training graphs, one column of D for each.

    See Also
    --------
    laplacian_kernel : the same as a function
    WWLDistance : distances, as the step before
    KreinSVC : an SVM for kernels that are not positive definite

    Examples
    --------
    >>> import wassergraph as wg
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs, y = wg.load_dataset("demo")
    >>> distances = wg.wwl_distances(graphs, kind="categorical")
    >>> model = make_pipeline(wg.LaplacianKernel(), SVC(kernel="precomputed"))
    >>> search = GridSearchCV(model, {"laplaciankernel__gamma": [0.1, 1.0, 10.0], "svc__C": [1.0, 100.0]})
    >>> search.fit(distances, y).best_params_["laplaciankernel__gamma"] in (0.1, 1.0, 10.0)
    True
    """

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def fit(self, D: ArrayLike, y: object = None) -> Self:  # noqa: N803 - D is a matrix
        """Check gamma and the distances between the training graphs.

        Parameters
        ----------
        D : (n_train, n_train) floats
            The distances between the training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self
        """
        check_gamma(self.gamma)
        distances = validate_data(self, D, dtype=[np.float64, np.float32])
        if distances.shape[0] != distances.shape[1]:
            raise InputError(
                f"the distances between the training graphs must be a square matrix, got the shape {distances.shape}",
                remedy="to compute distances from graphs, begin the pipeline with WWLDistance",
            )
        check_distances(distances)
        return self

    def transform(self, D: ArrayLike) -> NDArray[Any]:  # noqa: N803 - D is a matrix
        """Compute the kernel of distances.

        Parameters
        ----------
        D : (n_graphs, n_train) floats
            The distances from graphs to the training graphs.

        Returns
        -------
        (n_graphs, n_train) floats
            The kernel, of the same data type as the distances.
        """
        check_is_fitted(self)
        return laplacian_kernel(validate_data(self, D, reset=False, dtype=[np.float64, np.float32]), self.gamma)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _seed(random_state: int | np.random.RandomState | np.random.Generator | None) -> int:
    """Draw one seed, so that training and new graphs are projected in the same way even if ``random_state`` is None."""
    if isinstance(random_state, int | np.integer):
        if random_state < 0:
            raise InputError(f"{{}} must be at least 0, got {random_state}", options=[Option("random_state")])
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int32).max))
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
