"""WWL: the Wasserstein Weisfeiler–Lehman distance, as an object that says how graphs are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.decisions import (
    EdgeLabels,
    Kind,
    LabelWeight,
    SizeWeight,
    Standardize,
    Stereo,
    Unmatched,
    check_standardize,
    choose_features,
    choose_kind,
    learn_attributes,
    price_of,
    weight_of_labels,
    weight_of_sizes,
)
from wassergraph.metrics.depths import Depth, deepest, single_depth
from wassergraph.metrics.embed import embed_all, embed_new
from wassergraph.metrics.estimator import TableTransformer
from wassergraph.metrics.node_embedding import Mass, NodeEmbedding
from wassergraph.metrics.scheme import Scheme, have_edge_weights
from wassergraph.metrics.solvers import SolverChoice, read_solver, seeded

#: What ``fit`` sets.
_LEARNED = ("scheme_", "graphs_", "embedding_", "depths_", "solver_")


class WWL(TableTransformer):
    """The Wasserstein Weisfeiler–Lehman distance: how graphs are compared, by everything that compares graphs.

    D(G, G') is the least cost of moving the nodes of G onto those of G'. Moving a node costs the distance between the
    embeddings of both: of its labels, refined by ``depth`` Weisfeiler–Lehman iterations, the normalized Hamming
    distance; of its attributes, averaged over neighbors as often, the Euclidean distance.

    Functions that take a metric learn what it needs, such as the scale of attributes, from the graphs that they get,
    unless the metric was fitted before. ``fit`` learns from training graphs; ``transform`` returns the distances of any
    graphs to these. Models learn from their own training graphs.

    Parameters
    ----------
    depth : int, sequence of int or "auto"
        The number of Weisfeiler–Lehman iterations, the paper's H. Of several, all distances are computed together, and
        models choose one. "auto" is 3; models choose from 0 … 7.
    kind : "auto", "categorical", "continuous" or "joint"
        "categorical" refines node labels; "continuous" averages node attributes over neighbors, weighted by the edge
        weights if there are any; "joint" does both. "auto" is "joint" for molecules with attributes. For other graphs
        it uses attributes if there are any; otherwise labels, as one-hot attributes if there are edge weights, as for
        the paper's BZR-MD and COX2-MD; otherwise the degree as attribute, as for the paper's IMDB-BINARY.
    standardize : bool or "auto"
        Whether to shift and scale the attributes to mean 0 and variance 1 over all nodes; "auto" does so if there are
        two or more attributes, except for molecules whose attributes are whole numbers, such as charges and counts.
    isolated_nodes : "halve" or "keep"
        How to average the attributes of a node without neighbors. In the paper's formula the sum over neighbors is 0,
        so the attributes are halved at every depth; "keep" leaves them unchanged.
    label_weight : float or "auto"
        In the joint kind the ground distance is ``label_weight`` times the normalized Hamming distance of the labels
        plus ``1 - label_weight`` times the Euclidean distance of the attributes divided by the root of their number.
        "auto" is 0.8 for molecules and 0.5 for other graphs.
    edge_labels : "auto", "use" or "ignore"
        Whether labels are refined over pairs of edge label and neighbor, so that bonds of different types count.
        "auto" does so for molecules, and not for other graphs, because the paper does not.
    stereo : "auto", "use" or "ignore"
        Whether the stereochemistry of molecules is a part of their labels, as far as it is specified: R and S at
        centers, E and Z at both ends of double bonds. Otherwise stereoisomers have the distance 0. "auto" is "ignore".
    degrees : bool
        Whether the degree of a node is one more attribute, the last.
    mass : "auto", "share" or "count"
        "share" gives every graph the mass 1, as in the paper, so that the size of a graph does not count. "count" gives
        every node the mass 1. Nodes of the larger graph then stay without a partner, at a price. "auto" is "share";
        models of molecules choose one of both, since properties often grow with the size.
    unmatched_cost : float or "auto"
        With ``mass="count"``, the price of a node without a partner; moving a node never costs more than twice as
        much, so that distances are a metric. For labels it is at least ½, half of the largest ground distance. "auto"
        is ½ for labels; for attributes half of the root mean square distance of the attributes of two random nodes;
        and for both kinds their mean with ``label_weight``. In the continuous kind it is multiplied by the square root
        of depth + 1, as ground distances grow.
    size_weight : float or "auto"
        Graphs with n and m nodes are moved apart by this times ``|log n - log m|``, with either mass. "auto" is 0;
        models choose between 0 and a weight at which the median of this term is 0.3 times that of the distances.
    solver : "exact", Exact, Sinkhorn or Sliced
        What computes the transport; "exact" is ``Exact()``. The others are approximations, or other distances.

    Attributes
    ----------
    scheme_ : Scheme
        What was learned; ``scheme_.kind``, ``scheme_.features`` and ``scheme_.standardized`` are decisions.
    graphs_ : GraphBatch
        The training graphs.
    embedding_ : NodeEmbedding
        The embedded training graphs.
    depths_ : int, sequence of int or "auto"
        The depth, or the depths.
    solver_ : Exact, Sinkhorn or Sliced
        The solver; random lines have a seed, so that they are the same in every ``transform``.

    See Also
    --------
    distances : distances between graphs, on threads or a cluster
    LaplacianKernel : the kernel of distances, as the next step of a pipeline
    GraphClassifier : distances, kernel and SVM in one

    Examples
    --------
    >>> import wassergraph as wg
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs, y = wg.load_dataset("demo")
    >>> metric = wg.WWL(depth=2)
    >>> wg.distances(graphs, metric=metric).shape
    (60, 60)
    >>> metric.fit(graphs[:40]).transform(graphs[40:]).shape
    (20, 40)
    >>> metric.embed(graphs).points.shape
    (840, 6)
    >>> model = make_pipeline(wg.WWL(depth=2), wg.LaplacianKernel(gamma=1.0), SVC(kernel="precomputed"))
    >>> model.fit(graphs[:40], y[:40]).predict(graphs[40:]).shape
    (20,)
    """

    scheme_: Scheme

    def __init__(
        self,
        depth: Depth = "auto",
        *,
        kind: Kind = "auto",
        standardize: Standardize = "auto",
        isolated_nodes: Isolated = "halve",
        label_weight: LabelWeight = "auto",
        edge_labels: EdgeLabels = "auto",
        stereo: Stereo = "auto",
        degrees: bool = False,
        mass: Mass | Literal["auto"] = "auto",
        unmatched_cost: Unmatched = "auto",
        size_weight: SizeWeight = 0.0,
        solver: SolverChoice = "exact",
    ) -> None:
        self.depth = depth
        self.kind = kind
        self.standardize = standardize
        self.isolated_nodes = isolated_nodes
        self.label_weight = label_weight
        self.edge_labels = edge_labels
        self.stereo = stereo
        self.degrees = degrees
        self.mass = mass
        self.unmatched_cost = unmatched_cost
        self.size_weight = size_weight
        self.solver = solver

    def set_params(self, **params: Any) -> Self:
        """Replace parameters; what was learned with others is forgotten.

        Parameters
        ----------
        **params : object
            Values by name; of the solver, as ``solver__reg``.

        Returns
        -------
        self
        """
        super().set_params(**params)
        for name in _LEARNED if params else ():
            self.__dict__.pop(name, None)
        return self

    def learn(self, graphs: GraphBatch) -> Scheme:
        """Return what was learned by ``fit``; or learn it from these graphs, and leave the metric as it is.

        Parameters
        ----------
        graphs : GraphBatch
            The graphs.

        Returns
        -------
        Scheme
            How graphs are embedded.
        """
        if hasattr(self, "scheme_"):
            return self.scheme_
        check_choice("kind", self.kind, Kind)
        check_choice("isolated_nodes", self.isolated_nodes, Isolated)
        check_standardize(self.standardize)
        if not isinstance(self.degrees, bool | np.bool_):
            raise InputError(f"{{}} must be True or False, got {self.degrees!r}", options=[Option("degrees")])
        mass: Mass = "share" if self.mass == "auto" else self.mass
        if mass not in get_args(Mass):
            problem = f'{{}} must be "auto", "share" or "count", got {self.mass!r}'
            raise InputError(problem, options=[Option("mass")])
        scheme = Scheme(
            kind=choose_kind(graphs, self.kind)[0],
            features=choose_features(graphs, self.kind, self.edge_labels, self.stereo),
            isolated=self.isolated_nodes,
            label_weight=weight_of_labels(graphs, self.label_weight),
            edge_weights=have_edge_weights(graphs),
            mass=mass,
            size_weight=weight_of_sizes(self.size_weight),
            degrees=bool(self.degrees),
        )
        if self.degrees and (scheme.kind == "categorical" or graphs.node_attributes is None):
            problem = "{} adds the degree to node attributes, but none are compared"
            raise InputError(problem, remedy="leave it out", options=[Option("degrees", True)])
        if scheme.kind != "categorical":
            scheme = learn_attributes(scheme, graphs, self.standardize)
        return replace(scheme, unmatched=price_of(scheme, graphs, self.unmatched_cost)) if mass == "count" else scheme

    def embed(self, graphs: object, *, weights: ArrayLike | None = None) -> NodeEmbedding:
        """Embed the nodes of graphs, for all depths up to the largest.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The graphs.
        weights : (n_nodes) floats, optional
            The mass of every node. Within each graph they are divided by their sum. By default all nodes of a graph
            have the same mass. All solvers round masses to integers: to multiples of 2⁻⁵² while no graph has more than
            255 nodes, and twice as coarse each time the number of nodes doubles. No node gets less than one such unit.

        Returns
        -------
        NodeEmbedding
            Its attributes ``kind`` and ``features`` show what is compared.
        """
        batch = as_batch(graphs)
        return embed_all(self.learn(batch), [batch], deepest(self.depth), [weights])[1][0]

    def fit(self, graphs: object, y: object = None) -> Self:
        """Learn from the training graphs, and embed them.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
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
        if hasattr(self, "scheme_"):
            del self.scheme_
        solver = read_solver(self.solver)
        self.scheme_, (self.embedding_,) = embed_all(self.learn(batch), [batch], deepest(self.depth), [None])
        self.solver_ = seeded(solver)
        self.depths_, self.graphs_ = self.depth, batch
        return self

    def fit_transform(self, graphs: object, y: object = None) -> Any:
        """Fit the metric, and compute the distances between the training graphs; each pair is computed once.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        (n_train, n_train) floats
            The distances.
        """
        self.fit(graphs)
        return self._distances(self.embedding_, None)

    def transform(self, graphs: object) -> Any:
        """Compute the distances from graphs to the training graphs.

        The number of threads is that of ``joblib.parallel_config``, one by default.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.

        Returns
        -------
        (n_graphs, n_train) floats
            The distances.
        """
        self._check_is_fitted()
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
        self._check_is_fitted()
        return np.array([f"distance_to_graph_{g}" for g in range(len(self.graphs_))], dtype=object)

    def _distances(self, left: NodeEmbedding, right: NodeEmbedding | None) -> Any:
        from wassergraph.pairwise.api import embedding_distances  # which needs metrics, and is above them

        depths = [single_depth(self.depths_)]
        return self._as_output(embedding_distances(left, right, depths=depths, solver=self.solver_)[0])

    def _check_is_fitted(self) -> None:
        if not hasattr(self, "scheme_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("this WWL has no training graphs; call fit first")


def paper_metric() -> WWL:
    """Return the metric of the paper's experiments: depths 0 … 7, no edge labels, and the same mass for all graphs.

    Models that have it choose depth, gamma and C, and nothing else.

    Returns
    -------
    WWL
        The metric, which has learned nothing yet.

    See Also
    --------
    WWL : the metric

    Examples
    --------
    >>> import wassergraph as wg
    >>> wg.paper_metric()
    WWL(depth=range(0, 8), edge_labels='ignore', mass='share')
    """
    return WWL(range(8), edge_labels="ignore", mass="share")
