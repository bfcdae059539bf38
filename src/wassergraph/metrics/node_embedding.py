"""NodeEmbedding: the embedded nodes of many graphs, for all depths at once, and GroundRules: how these are compared."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.slices import GraphSelector, offsets, positions, ranges

EmbeddingKind: TypeAlias = Literal["categorical", "continuous", "joint"]
Mass: TypeAlias = Literal["share", "count"]
Codes: TypeAlias = NDArray[np.uint64]


class Features(StrEnum):
    """What an embedding is made of."""

    NODE_LABELS = "node labels"
    NODE_AND_EDGE_LABELS = "node labels, edge labels"
    NODE_ATTRIBUTES = "node attributes"
    ONE_HOT_LABELS = "one-hot labels"
    DEGREES = "degrees"
    DEGREES_AND_EDGE_LABELS = "degrees, edge labels"
    LABELS_AND_ATTRIBUTES = "node labels and node attributes"
    ALL_LABELS_AND_ATTRIBUTES = "node labels, edge labels and node attributes"
    STEREO_LABELS = "node labels with stereochemistry"
    STEREO_AND_EDGE_LABELS = "node labels with stereochemistry, edge labels"
    STEREO_AND_ATTRIBUTES = "node labels with stereochemistry and node attributes"
    ALL_WITH_STEREO = "node labels with stereochemistry, edge labels and node attributes"

    @property
    def uses_labels(self) -> bool:
        """Whether the graphs must have node labels."""
        return not self.uses_degrees and self is not Features.NODE_ATTRIBUTES

    @property
    def uses_degrees(self) -> bool:
        """Whether degrees take the place of labels or attributes."""
        return self in (Features.DEGREES, Features.DEGREES_AND_EDGE_LABELS)

    @property
    def uses_attributes(self) -> bool:
        """Whether the graphs must have node attributes."""
        return self in (
            Features.NODE_ATTRIBUTES,
            Features.LABELS_AND_ATTRIBUTES,
            Features.ALL_LABELS_AND_ATTRIBUTES,
            Features.STEREO_AND_ATTRIBUTES,
            Features.ALL_WITH_STEREO,
        )

    @property
    def uses_edge_labels(self) -> bool:
        """Whether labels are refined over edge labels, so that the graphs must have them."""
        return self in _WITH_EDGE_LABELS.values()

    @property
    def uses_stereo(self) -> bool:
        """Whether the stereochemistry of molecules is a part of node labels."""
        return self in _WITH_STEREO.values()

    def with_edge_labels(self) -> Features:
        """Return the same features, refined over edge labels."""
        return _WITH_EDGE_LABELS[self]

    def with_stereo(self) -> Features:
        """Return the same features, with stereochemistry as a part of node labels."""
        return _WITH_STEREO[self]


_WITH_EDGE_LABELS = {
    Features.NODE_LABELS: Features.NODE_AND_EDGE_LABELS,
    Features.DEGREES: Features.DEGREES_AND_EDGE_LABELS,
    Features.LABELS_AND_ATTRIBUTES: Features.ALL_LABELS_AND_ATTRIBUTES,
    Features.STEREO_LABELS: Features.STEREO_AND_EDGE_LABELS,
    Features.STEREO_AND_ATTRIBUTES: Features.ALL_WITH_STEREO,
}
_WITH_STEREO = {
    Features.NODE_LABELS: Features.STEREO_LABELS,
    Features.NODE_AND_EDGE_LABELS: Features.STEREO_AND_EDGE_LABELS,
    Features.LABELS_AND_ATTRIBUTES: Features.STEREO_AND_ATTRIBUTES,
    Features.ALL_LABELS_AND_ATTRIBUTES: Features.ALL_WITH_STEREO,
}


@dataclass(frozen=True, kw_only=True)
class GroundRules:
    """What distances between embedded graphs depend on besides the nodes: what is compared, and what it costs.

    Attributes
    ----------
    kind : "categorical", "continuous" or "joint"
        Whether nodes are embedded as codes, as points or as both.
    features : Features
        What is embedded: "node labels", "node attributes", "one-hot labels", "degrees", "node labels and node
        attributes"; with edge labels, "node labels, edge labels" and so on; with stereochemistry, "node labels with
        stereochemistry" and so on.
    label_weight : float
        In the joint kind, the share of the labels in the ground distance.
    mass : "share" or "count"
        Whether all graphs have the same mass, or each has its number of nodes.
    unmatched : float
        With counts, what a node without a partner costs; for attributes, at depth 0, and the square root of H + 1 times
        as much at depth H.
    size_weight : float
        The weight of the difference of the logarithms of the numbers of nodes, which is added to distances.
    """

    kind: EmbeddingKind
    features: Features
    label_weight: float = 0.5
    mass: Mass = "share"
    unmatched: float = 0.5
    size_weight: float = 0.0

    def ground_rules(self) -> dict[str, Any]:
        """Return these rules by name."""
        return {field.name: getattr(self, field.name) for field in fields(GroundRules)}


@dataclass(frozen=True)
class NodeEmbedding(GroundRules):
    """The embedded nodes of many graphs, for all depths from 0 to ``depth`` at once.

    Attributes
    ----------
    ptr : (n_graphs + 1) integers
        Graph ``g`` owns the nodes ``ptr[g]`` to ``ptr[g + 1] - 1``.
    depth : int
        The number of Weisfeiler–Lehman iterations, the paper's H.
    codes : (depth + 1, n_nodes) uint64 or None
        The label of every node at every depth: a hash of its neighborhood.
    points : (n_nodes, (depth + 1) * dim) floats or None
        The attributes of every node at every depth, side by side.
    weights : (n_nodes) floats or None
        The mass of every node; None if all nodes of a graph have the same.
    counted : bool
        Whether the mass of a graph is its number of nodes.
    dim : int
        The number of attributes at one depth.
    prices : (depth + 1) floats
        With counts, what a node without a partner costs at each depth; otherwise empty.

    See Also
    --------
    WWL : how nodes are embedded
    distances : distances between embedded graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> embedding = wg.WWL(depth=2, kind="categorical").embed(["CCO", "CCN"])
    >>> embedding.codes.shape, embedding.ptr.tolist(), embedding.upto(1).codes.shape
    ((3, 6), [0, 3, 6], (2, 6))
    """

    ptr: IntArray
    depth: int
    codes: Codes | None = None
    points: FloatArray | None = None
    weights: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def counted(self) -> bool:
        """Whether the mass of a graph is its number of nodes."""
        return self.mass == "count"

    @property
    def prices(self) -> FloatArray:
        """What a node without a partner costs at each depth (depth + 1); empty if graphs have the same mass.

        Euclidean costs grow with the number of depths that they are summed over, and so does their price.
        """
        if not self.counted:
            return np.zeros(0)
        growth = np.sqrt(np.arange(1, self.depth + 2)) if self.kind == "continuous" else np.ones(self.depth + 1)
        return np.asarray(self.unmatched * growth)

    @property
    def dim(self) -> int:
        """The number of attributes at one depth."""
        return 0 if self.points is None else self.points.shape[1] // (self.depth + 1)

    def upto(self, depth: int) -> NodeEmbedding:
        """Return the embedding for a smaller depth, as a view.

        Parameters
        ----------
        depth : int
            The depth, from 0 to ``self.depth``.

        Returns
        -------
        NodeEmbedding
            The same nodes at the depths 0 to ``depth``; nothing is copied.
        """
        if not 0 <= operator.index(depth) <= self.depth:
            raise ValueError(f"depth {depth} is out of range: this embedding has the depths 0 to {self.depth}")
        codes = None if self.codes is None else self.codes[: depth + 1]
        points = None if self.points is None else self.points[:, : (depth + 1) * self.dim]
        return replace(self, depth=depth, codes=codes, points=points)

    def join(self, other: NodeEmbedding) -> NodeEmbedding:
        """Return the embedding of these graphs, followed by others that are embedded in the same way, without weights.

        Parameters
        ----------
        other : NodeEmbedding
            Further graphs.

        Returns
        -------
        NodeEmbedding
            A copy with the graphs of both.
        """
        codes, points = self.codes, self.points
        return replace(
            self,
            ptr=np.concatenate([self.ptr, self.ptr[-1] + other.ptr[1:]]),
            codes=None if codes is None or other.codes is None else np.concatenate([codes, other.codes], axis=1),
            points=None if points is None or other.points is None else np.concatenate([points, other.points]),
            weights=None,
        )

    def take(self, graphs: GraphSelector) -> NodeEmbedding:
        """Return the embedding of selected graphs.

        Parameters
        ----------
        graphs : slice, mask, or (k) integers
            Which graphs, as in an index of a :class:`wassergraph.GraphBatch`; positions may repeat.

        Returns
        -------
        NodeEmbedding
            A copy with these graphs only.
        """
        chosen = positions(graphs, len(self))
        sizes = self.ptr[chosen + 1] - self.ptr[chosen]
        nodes = ranges(self.ptr[chosen], sizes)
        return replace(
            self,
            ptr=offsets(sizes),
            codes=None if self.codes is None else self.codes[:, nodes],
            points=None if self.points is None else self.points[nodes],
            weights=None if self.weights is None else self.weights[nodes],
        )
