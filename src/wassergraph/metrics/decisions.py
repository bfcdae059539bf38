"""What a metric decides by the graphs that it learns from: kind, edge labels, standardization, masses, and prices.

Each decision is made by one function, and stands in the :class:`~wassergraph.metrics.scheme.Scheme`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice
from wassergraph.metrics.attributes import mean_and_scale
from wassergraph.metrics.node_embedding import EmbeddingKind, Features, Mass
from wassergraph.metrics.scheme import Scheme

Kind: TypeAlias = Literal["auto", "categorical", "continuous", "joint"]
Standardize: TypeAlias = bool | Literal["auto"]
EdgeLabels: TypeAlias = Literal["auto", "use", "ignore"]
Stereo: TypeAlias = Literal["auto", "use", "ignore"]
LabelWeight: TypeAlias = float | Literal["auto"]
Unmatched: TypeAlias = float | Literal["auto"]
SizeWeight: TypeAlias = float | Literal["auto"]
#: What models choose between: one mass or several; "auto" is both for molecules, and "share" for other graphs.
Masses: TypeAlias = Mass | Literal["auto"] | Sequence[Mass]

#: The share of the labels for molecules, whose labels say more than their attributes: see docs/molecules.md.
_MOLECULE_LABEL_WEIGHT = 0.8


def choose_features(graphs: GraphBatch, kind: Kind, edge_labels: EdgeLabels, stereo: Stereo = "ignore") -> Features:
    """Return what is embedded."""
    chosen, features = choose_kind(graphs, kind)
    if reads_stereo(graphs, chosen, stereo):
        features = features.with_stereo()
    return features.with_edge_labels() if refines_over_edges(graphs, chosen, edge_labels) else features


def weight_of_labels(graphs: GraphBatch, label_weight: Any) -> float:
    """Return the share of the labels in the ground distance of the joint kind."""
    if isinstance(label_weight, str) and label_weight == "auto":
        return _MOLECULE_LABEL_WEIGHT if graphs.molecules else 0.5
    if not isinstance(label_weight, Real) or not 0 <= float(label_weight) <= 1:
        problem = f'{{}} must lie between 0 and 1, or be "auto", got {label_weight!r}'
        raise InputError(problem, options=[Option("label_weight")])
    return float(label_weight)


def weight_of_sizes(size_weight: Any) -> float:
    """Return the weight of the size term, which only models choose."""
    if isinstance(size_weight, str) and size_weight == "auto":
        return 0.0
    if not isinstance(size_weight, Real) or not 0 <= float(size_weight) < math.inf:
        raise InputError(f'{{}} must be at least 0, or "auto", got {size_weight!r}', options=[Option("size_weight")])
    return float(size_weight)


def price_of(scheme: Scheme, graphs: GraphBatch, unmatched: Any) -> float:
    """Return what a node without a partner costs: by default half of what moving it to a random node does."""
    if not isinstance(unmatched, str) or unmatched != "auto":
        least = 0.5 if scheme.kind == "categorical" else np.nextafter(0, 1)
        if not isinstance(unmatched, Real) or not least <= float(unmatched) < math.inf:
            bound = "at least 0.5, half of the largest distance of labels" if least == 0.5 else "positive"
            raise InputError(f'{{}} must be {bound}, or "auto", got {unmatched!r}', options=[Option("unmatched_cost")])
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


def learn_attributes(scheme: Scheme, graphs: GraphBatch, standardize: Standardize) -> Scheme:
    """Return a scheme with the number of attributes, and their mean and scale if they are standardized."""
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


def should_use_edge_labels(graphs: GraphBatch, edge_labels: EdgeLabels) -> bool:
    """Return whether labels are refined over edge labels: "auto" means yes for molecules, whose bonds these are."""
    check_choice("edge_labels", edge_labels, EdgeLabels)
    if edge_labels == "auto":
        return graphs.molecules and graphs.edge_labels is not None
    if edge_labels == "use" and graphs.edge_labels is None:
        option = Option("edge_labels", "use")
        raise InputError("{} needs edge labels, but these graphs have none", options=[option])
    return edge_labels == "use"


def reads_stereo(graphs: GraphBatch, kind: EmbeddingKind, stereo: Stereo) -> bool:
    """Return whether stereochemistry is a part of node labels; raise an error if these are no labels of molecules."""
    check_choice("stereo", stereo, Stereo)
    if stereo != "use":
        return False
    options = [Option("stereo", "use")]
    if not graphs.molecules or graphs.node_labels is None:
        raise InputError("{} needs molecules, but these are other graphs", remedy="leave it out", options=options)
    if kind == "continuous":
        problem = "{} makes stereochemistry a part of node labels, which {} does not use"
        raise InputError(problem, remedy="choose another {}", options=[*options, Option("kind", kind), Option("kind")])
    return True


def candidate_masses(graphs: GraphBatch, mass: Any) -> tuple[Mass, ...]:
    """Return the masses that a model chooses from, "share" before "count"."""
    if isinstance(mass, str) and mass == "auto":
        return get_args(Mass) if graphs.molecules else ("share",)
    given = set(mass) if isinstance(mass, Iterable) and not isinstance(mass, str) else {mass}
    if not given or not given <= set(get_args(Mass)):
        problem = f'{{}} must be "auto", "share", "count", or a sequence of the last two, got {mass!r}'
        raise InputError(problem, options=[Option("mass")])
    return tuple(each for each in get_args(Mass) if each in given)


def refines_over_edges(graphs: GraphBatch, kind: EmbeddingKind, edge_labels: EdgeLabels) -> bool:
    """Return whether labels are refined over edge labels; raise an error if this kind has no labels to refine."""
    if not should_use_edge_labels(graphs, edge_labels):
        return False
    if kind == "continuous":
        if edge_labels == "auto":
            return False
        problem = "{} refines node labels, which {} does not use"
        remedy = "choose another {}, or compare the edges themselves: graphs.line_graph()"
        options = [Option("edge_labels", "use"), Option("kind", kind), Option("kind")]
        raise InputError(problem, remedy=remedy, options=options)
    return True


def _automatic_kind(graphs: GraphBatch) -> EmbeddingKind:
    labels, attributes = graphs.node_labels is not None, graphs.node_attributes is not None
    if graphs.molecules and labels and attributes:
        return "joint"
    return "categorical" if labels and not attributes and graphs.edge_weights is None else "continuous"


def choose_kind(graphs: GraphBatch, kind: Kind) -> tuple[EmbeddingKind, Features]:
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
