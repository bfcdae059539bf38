"""Scheme: what an embedding learns from the training graphs, so that new graphs are embedded in the same way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice
from wassergraph.metrics.attributes import Isolated, mean_and_scale, wl_points
from wassergraph.metrics.labels import Arcs, wl_codes
from wassergraph.metrics.node_embedding import EmbeddingKind, Features, Mass, NodeEmbedding
from wassergraph.metrics.weights import node_weights

Kind: TypeAlias = Literal["auto", "categorical", "continuous", "joint"]
Standardize: TypeAlias = bool | Literal["auto"]
EdgeLabels: TypeAlias = Literal["auto", "use", "ignore"]
LabelWeight: TypeAlias = float | Literal["auto"]
Unmatched: TypeAlias = float | Literal["auto"]
#: What models choose between: one mass or several; "auto" is both for molecules, and "share" for other graphs.
Masses: TypeAlias = Mass | Literal["auto"] | Sequence[Mass]

#: The share of the labels for molecules, whose labels say more than their attributes: see docs/molecules.md.
_MOLECULE_LABEL_WEIGHT = 0.8


@dataclass(frozen=True)
class Scheme:
    """How to embed graphs, as learned from the training graphs by :func:`learn_scheme`.

    Attributes
    ----------
    kind : "categorical", "continuous" or "joint"
        Whether nodes are embedded as codes, as points or as both.
    features : Features
        What is embedded.
    n_attributes : int
        The number of columns of the attributes, one-hot labels or degrees; 0 for the categorical kind.
    alphabet : (n_attributes) integers or None
        The label of each one-hot column.
    mean, scale : (n_attributes) floats or None
        What attributes are shifted and divided by; None if they are taken as they are.
    isolated, label_weight, mass, size_weight
        As in :func:`wassergraph.wl_embedding`.
    unmatched : float
        What a node without a partner costs if masses are counts.
    salt : int
        The seed of the hash function of the codes. It is 0 unless two neighborhoods had the same code.
    edge_weights : bool or None
        Whether the edges have weights; None if there were no edges.
    degrees : bool
        Whether the degree of a node is one more attribute, the last.
    """

    kind: EmbeddingKind
    features: Features
    n_attributes: int = 0
    alphabet: IntArray | None = None
    mean: FloatArray | None = None
    scale: FloatArray | None = None
    isolated: Isolated = "halve"
    label_weight: float = 0.5
    salt: int = 0
    edge_weights: bool | None = None
    mass: Mass = "share"
    unmatched: float = 0.5
    size_weight: float = 0.0
    degrees: bool = False

    @property
    def n_given_attributes(self) -> int:
        """The number of attributes that graphs must have: all but the degree."""
        return self.n_attributes - self.degrees

    @property
    def standardized(self) -> bool:
        """Whether attributes are shifted and scaled."""
        return self.mean is not None

    def embed(self, graphs: GraphBatch, depth: int, *, weights: ArrayLike | None = None) -> NodeEmbedding:
        """Embed graphs, training graphs or new ones, for all depths up to ``depth``."""
        codes = points = None
        shares = self.shares(graphs, weights)
        if self.kind != "continuous":
            codes = wl_codes(graphs, self.labels(graphs), depth, edge_labels=self.arcs(graphs).labels, salt=self.salt)
        if self.kind != "categorical":
            if depth > 0:
                self._check_edge_weights(graphs)
            points = wl_points(graphs, self.attributes(graphs), depth, isolated=self.isolated)
        return NodeEmbedding(
            ptr=graphs.node_ptr,
            depth=depth,
            kind=self.kind,
            features=self.features,
            codes=codes,
            points=points,
            weights=shares,
            label_weight=self.label_weight,
            mass=self.mass,
            unmatched=self.unmatched,
            size_weight=self.size_weight,
        )

    def fields(self, depth: int) -> set[str]:
        """Return the names of the fields of a GraphBatch that are embedded."""
        used = {
            "node_labels": self.features.uses_labels,
            "node_attributes": self.features.uses_attributes,
            "edge_labels": self.features.uses_edge_labels,
            "edge_weights": self.kind != "categorical" and depth > 0,
        }
        return {name for name, is_used in used.items() if is_used}

    def shares(self, graphs: GraphBatch, weights: ArrayLike | None) -> FloatArray | None:
        """Return the weights of nodes (n_nodes), divided by their sum in every graph; None if all nodes are equal."""
        if self.mass == "count" and weights is not None:
            problem = "{} gives every node the mass 1, but there are {}"
            options = [Option("mass", "count"), Option("weights"), Option("mass", "share")]
            raise InputError(problem, remedy="pass {}", options=options)
        return node_weights(graphs, weights)

    def labels(self, graphs: GraphBatch) -> IntArray:
        """Return the labels to refine (n_nodes): node labels or degrees."""
        if self.features.uses_degrees:
            return graphs.degrees
        if graphs.node_labels is None:
            raise InputError("these graphs have no node labels, but the embedding was learned on graphs that have them")
        return graphs.node_labels

    def arcs(self, graphs: GraphBatch) -> Arcs:
        """Return the arcs that labels are refined over, with edge labels if the scheme uses them."""
        if not self.features.uses_edge_labels:
            return Arcs(graphs)
        if graphs.edge_labels is None and graphs.n_arcs:
            raise InputError("these graphs have no edge labels, but the embedding was learned on graphs that have them")
        return Arcs(graphs, np.zeros(0, dtype=np.int64) if graphs.edge_labels is None else graphs.edge_labels)

    def attributes(self, graphs: GraphBatch) -> FloatArray:
        """Return the attributes to average (n_nodes, n_attributes), standardized if the scheme has a mean."""
        values = self._raw_attributes(graphs)
        if values is None:
            raise InputError(
                "these graphs have no node attributes, but the embedding was learned on graphs that have them"
            )
        if values.shape[1] != self.n_given_attributes:
            raise InputError(
                f"these graphs have {values.shape[1]} node attributes, but the embedding was learned with "
                f"{self.n_given_attributes}"
            )
        if self.degrees:
            values = np.column_stack([values, graphs.degrees])
        if self.mean is None or self.scale is None:
            return values
        with np.errstate(over="ignore"):  # wl_points raises if a value overflows
            return np.asarray((values - self.mean) / self.scale)

    def _raw_attributes(self, graphs: GraphBatch) -> FloatArray | None:
        if self.alphabet is not None:
            return graphs.one_hot_labels(self.alphabet, unseen="zeros").node_attributes
        if self.features is Features.DEGREES:
            return graphs.degree_attributes().node_attributes
        return graphs.node_attributes

    def _check_edge_weights(self, graphs: GraphBatch) -> None:
        weighted = _have_edge_weights(graphs)
        if None not in (weighted, self.edge_weights) and weighted != self.edge_weights:
            here, there = ("edge weights", "without") if weighted else ("no edge weights", "with")
            raise InputError(
                f"these graphs have {here}, but the embedding was learned on graphs {there} edge weights",
                remedy="use edge weights for all graphs or for none",
            )


def learn_scheme(
    graphs: GraphBatch,
    *,
    kind: Kind = "auto",
    standardize: Standardize = False,
    isolated: Isolated = "halve",
    label_weight: LabelWeight = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Mass = "share",
    unmatched: Unmatched = "auto",
    size_weight: float = 0.0,
    degrees: bool = False,
) -> Scheme:
    """Learn how to embed graphs like these; the parameters are those of :func:`wassergraph.wl_embedding`.

    With ``degrees`` the degree is one more attribute, as :meth:`wassergraph.GraphBatch.append_degrees` makes it.
    """
    check_choice("kind", kind, Kind)
    check_choice("isolated", isolated, Isolated)
    check_standardize(standardize)
    check_choice("mass", mass, Mass)
    if not 0 <= size_weight < math.inf:
        raise InputError(f"{{}} must be at least 0, got {size_weight}", options=[Option("size_weight")])
    chosen = _choose(graphs, kind)[0]
    features = choose_features(graphs, kind, edge_labels)
    scheme = Scheme(
        kind=chosen,
        features=features,
        isolated=isolated,
        label_weight=_weight_of_labels(graphs, label_weight),
        edge_weights=_have_edge_weights(graphs),
        mass=mass,
        size_weight=float(size_weight),
        degrees=degrees,
    )
    if chosen != "categorical":
        scheme = _learn_attributes(scheme, graphs, standardize)
    return replace(scheme, unmatched=_price(scheme, graphs, unmatched)) if mass == "count" else scheme


def choose_features(graphs: GraphBatch, kind: Kind, edge_labels: EdgeLabels) -> Features:
    """Return what is embedded."""
    chosen, features = _choose(graphs, kind)
    return features.with_edge_labels() if _refines_over_edges(graphs, chosen, edge_labels) else features


def _weight_of_labels(graphs: GraphBatch, label_weight: Any) -> float:
    """Return the share of the labels in the ground distance of the joint kind."""
    if isinstance(label_weight, str) and label_weight == "auto":
        return _MOLECULE_LABEL_WEIGHT if graphs.molecules else 0.5
    if not isinstance(label_weight, Real) or not 0 <= float(label_weight) <= 1:
        problem = f'{{}} must lie between 0 and 1, or be "auto", got {label_weight!r}'
        raise InputError(problem, options=[Option("label_weight")])
    return float(label_weight)


def _price(scheme: Scheme, graphs: GraphBatch, unmatched: Any) -> float:
    """Return what a node without a partner costs: by default half of what moving it to a random node does."""
    if not isinstance(unmatched, str) or unmatched != "auto":
        least = 0.5 if scheme.kind == "categorical" else np.nextafter(0, 1)
        if not isinstance(unmatched, Real) or not least <= float(unmatched) < math.inf:
            bound = "at least 0.5, half of the largest distance of labels" if least == 0.5 else "positive"
            raise InputError(f'{{}} must be {bound}, or "auto", got {unmatched!r}', options=[Option("unmatched")])
        return float(unmatched)
    if scheme.kind == "categorical":
        return 0.5
    attributes = scheme.attributes(graphs)
    # The mean of the squared distance of two random nodes is twice the sum of the variances.
    distance = math.sqrt(2 * float(attributes.var(axis=0).sum())) if len(attributes) else 0.0
    if scheme.kind == "joint":
        share = scheme.label_weight
        distance = share + (1 - share) * distance / math.sqrt(scheme.n_attributes)
    return distance / 2 or 0.5


def should_standardize(standardize: Standardize, graphs: GraphBatch, n_attributes: int) -> bool:
    """Return whether attributes are standardized: "auto" means yes if there are two or more of them.

    A single attribute needs no common scale; several usually have different units. Those of molecules have the same if
    all of them are whole numbers, such as charges, counts and flags.
    """
    if not isinstance(standardize, str):
        return bool(standardize)
    values = graphs.node_attributes
    counts = graphs.molecules and values is not None and not np.any(values % 1)
    return n_attributes > 1 and not counts


def check_standardize(standardize: object) -> None:
    """Raise an error unless the value is True, False or "auto"."""
    is_auto = isinstance(standardize, str) and standardize == "auto"
    if not is_auto and not isinstance(standardize, bool | np.bool_):
        raise InputError(f'{{}} must be True, False or "auto", got {standardize!r}', options=[Option("standardize")])


def _learn_attributes(scheme: Scheme, graphs: GraphBatch, standardize: Standardize) -> Scheme:
    if scheme.features is Features.ONE_HOT_LABELS:
        assert graphs.node_labels is not None
        alphabet = np.unique(graphs.node_labels)
        scheme = replace(scheme, alphabet=alphabet, n_attributes=len(alphabet))
    elif scheme.features is Features.DEGREES:
        scheme = replace(scheme, n_attributes=1)
    else:
        assert graphs.node_attributes is not None
        scheme = replace(scheme, n_attributes=graphs.node_attributes.shape[1] + scheme.degrees)
    if not scheme.n_attributes and scheme.features.uses_attributes:
        problem = "the node attributes have no columns"
        raise InputError(problem, remedy="remove them with dataclasses.replace(graphs, node_attributes=None)")
    if not should_standardize(standardize, graphs, scheme.n_attributes):
        return scheme
    if not graphs.n_nodes:
        raise InputError(
            "there are no graphs to compute the mean and the standard deviation of the attributes from",
            remedy="pass at least one graph, or {}",
            options=[Option("standardize", False)],
        )
    mean, scale = mean_and_scale(scheme.attributes(graphs))
    return replace(scheme, mean=mean, scale=scale)


def _have_edge_weights(graphs: GraphBatch) -> bool | None:
    return graphs.edge_weights is not None if graphs.n_arcs else None


def should_use_edge_labels(graphs: GraphBatch, edge_labels: EdgeLabels) -> bool:
    """Return whether labels are refined over edge labels: "auto" means yes for molecules, whose bonds these are."""
    check_choice("edge_labels", edge_labels, EdgeLabels)
    if edge_labels == "auto":
        return graphs.molecules and graphs.edge_labels is not None
    if edge_labels == "use" and graphs.edge_labels is None:
        option = Option("edge_labels", "use")
        raise InputError("{} needs edge labels, but these graphs have none", options=[option])
    return edge_labels == "use"


def candidate_masses(graphs: GraphBatch, mass: Any) -> tuple[Mass, ...]:
    """Return the masses that a model chooses from, "share" before "count"."""
    if isinstance(mass, str) and mass == "auto":
        return get_args(Mass) if graphs.molecules else ("share",)
    given = set(mass) if isinstance(mass, Iterable) and not isinstance(mass, str) else {mass}
    if not given or not given <= set(get_args(Mass)):
        problem = f'{{}} must be "auto", "share", "count", or a sequence of the last two, got {mass!r}'
        raise InputError(problem, options=[Option("mass")])
    return tuple(each for each in get_args(Mass) if each in given)


def _refines_over_edges(graphs: GraphBatch, kind: EmbeddingKind, edge_labels: EdgeLabels) -> bool:
    if not should_use_edge_labels(graphs, edge_labels):
        return False
    if kind == "continuous":
        if edge_labels == "auto":
            return False
        problem = "{} refines node labels, which {} does not use"
        remedy = "choose another {}, or compare the edges themselves: line_graph(graphs)"
        options = [Option("edge_labels", "use"), Option("kind", kind), Option("kind")]
        raise InputError(problem, remedy=remedy, options=options)
    return True


def _automatic_kind(graphs: GraphBatch) -> EmbeddingKind:
    labels, attributes = graphs.node_labels is not None, graphs.node_attributes is not None
    if graphs.molecules and labels and attributes:
        return "joint"
    return "categorical" if labels and not attributes and graphs.edge_weights is None else "continuous"


def _choose(graphs: GraphBatch, kind: Kind) -> tuple[EmbeddingKind, Features]:
    """Return the kind of embedding, and what is embedded."""
    labels, attributes = graphs.node_labels is not None, graphs.node_attributes is not None
    if kind == "auto":
        kind = _automatic_kind(graphs)
    if kind == "categorical":
        return kind, Features.NODE_LABELS if labels else Features.DEGREES
    if kind == "continuous":
        if attributes:
            return kind, Features.NODE_ATTRIBUTES
        return kind, Features.ONE_HOT_LABELS if labels else Features.DEGREES
    if not (labels and attributes):
        lacking = "node labels" if attributes else "node attributes"
        problem = f"{{}} needs node labels and node attributes, but these graphs have no {lacking}"
        raise InputError(problem, remedy="choose another {}", options=[Option("kind", "joint"), Option("kind")])
    return "joint", Features.LABELS_AND_ATTRIBUTES
