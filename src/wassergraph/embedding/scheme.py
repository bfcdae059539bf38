"""The Weisfeiler–Lehman scheme: from a batch of graphs to one vector per node (paper, section 3.1).

    graphs ──learn_scheme──▶ Scheme ──embed──▶ NodeEmbedding ──upto(h)──▶ the same for a smaller depth, a view

A :class:`Scheme` is all that is learnt of the training graphs: which kind of embedding, which labels are known, the
mean and spread of the attributes. It embeds new graphs in the same way.
"""

from __future__ import annotations

import itertools
import math
import operator
import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import name_node

Kind: TypeAlias = Literal["auto", "categorical", "continuous", "joint"]
Isolated: TypeAlias = Literal["halve", "keep"]
Codes: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True)
class NodeEmbedding:
    """The embedded nodes of many graphs, for all depths from 0 to ``depth`` at once.

    Attributes
    ----------
    ptr : (n_graphs + 1) integers
        Graph ``g`` owns the nodes ``ptr[g]`` to ``ptr[g + 1] - 1``.
    depth : int
        The number of Weisfeiler–Lehman iterations, the paper's H.
    kind : "categorical", "continuous" or "joint"
        What the embedding is made of: codes, points or both.
    features : str
        Where it comes from: "node labels", "node attributes", "one-hot labels", "degrees", or two of these.
    codes : (depth + 1, n_nodes) uint64 or None
        The label of every node at every depth, a hash of its neighborhood's content.
    points : (n_nodes, (depth + 1) * dim) floats or None
        The attributes of every node at every depth, side by side.
    weights : (n_nodes) floats or None
        The mass of every node, where it is not the same for all nodes of a graph.
    label_weight : float
        In the joint kind, the share of the labels in the ground distance.
    """

    ptr: IntArray
    depth: int
    kind: str
    features: str
    codes: Codes | None = None
    points: FloatArray | None = None
    weights: FloatArray | None = None
    label_weight: float = 0.5

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def dim(self) -> int:
        """The number of attributes at one depth."""
        return 0 if self.points is None else self.points.shape[1] // (self.depth + 1)

    def upto(self, depth: int) -> NodeEmbedding:
        """Give the embedding for a smaller depth; nothing is copied."""
        if not 0 <= operator.index(depth) <= self.depth:
            raise ValueError(f"depth {depth} is out of range: this embedding has the depths 0 to {self.depth}")
        codes = None if self.codes is None else self.codes[: depth + 1]
        points = None if self.points is None else self.points[:, : (depth + 1) * self.dim]
        return replace(self, depth=depth, codes=codes, points=points)


@dataclass(frozen=True)
class Scheme:
    """How to embed graphs, as learnt from the training graphs by :func:`learn_scheme`."""

    kind: Literal["categorical", "continuous", "joint"]
    features: str
    n_attributes: int = 0
    alphabet: IntArray | None = None
    mean: FloatArray | None = None
    scale: FloatArray | None = None
    isolated: Isolated = "halve"
    label_weight: float = 0.5
    salt: int = 0
    edge_weights: bool | None = None  # whether the edges have weights; unknown where there were no edges

    def embed(self, graphs: GraphBatch, depth: int, *, weights: ArrayLike | None = None) -> NodeEmbedding:
        """Embed graphs, new ones too, for all depths up to ``depth``."""
        codes = points = None
        if self.kind != "continuous":
            codes = wl_codes(graphs, self.labels(graphs), depth, salt=self.salt)
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
            weights=_node_weights(graphs, weights),
            label_weight=self.label_weight,
        )

    def labels(self, graphs: GraphBatch) -> IntArray:
        """Give the labels that are refined: those of the nodes, or their degrees."""
        if "degrees" in self.features:
            return graphs.degrees
        if graphs.node_labels is None:
            raise ValueError("these graphs have no node labels, but the embedding was learnt on graphs that have")
        return graphs.node_labels

    def attributes(self, graphs: GraphBatch) -> FloatArray:
        """Give the attributes that are averaged: shifted, scaled and one-hot as was learnt."""
        if self.alphabet is not None:
            values = graphs.one_hot_labels(self.alphabet, unseen="zeros").node_attributes
        elif "degrees" in self.features:
            values = graphs.degree_attributes().node_attributes
        else:
            values = graphs.node_attributes
        if values is None:
            raise ValueError("these graphs have no node attributes, but the embedding was learnt on graphs that have")
        if values.shape[1] != self.n_attributes:
            raise ValueError(
                f"these graphs have {values.shape[1]} node attributes, the embedding was learnt with "
                f"{self.n_attributes}"
            )
        if self.mean is None or self.scale is None:
            return values
        with np.errstate(over="ignore"):  # wl_points says so if something does
            return np.asarray((values - self.mean) / self.scale)

    def _check_edge_weights(self, graphs: GraphBatch) -> None:
        given = _have_edge_weights(graphs)
        if None not in (given, self.edge_weights) and given != self.edge_weights:
            ours, theirs = ("edge weights", "none") if given else ("no edge weights", "some")
            raise ValueError(
                f"these graphs have {ours}, but the embedding was learnt on graphs that have {theirs}; give weights to "
                "both, or to neither: replace(graphs, edge_weights=None) drops them"
            )


def learn_scheme(
    graphs: GraphBatch,
    *,
    kind: Kind = "auto",
    standardize: bool = False,
    isolated: Isolated = "halve",
    label_weight: float = 0.5,
) -> Scheme:
    """Learn how to embed graphs like these; the parameters are those of :func:`wl_embedding`."""
    if not isinstance(graphs, GraphBatch):
        raise TypeError(
            f"graphs must be a GraphBatch, got a {type(graphs).__name__}: a reader such as from_networkx makes one"
        )
    for name, value, choices in [("kind", kind, Kind), ("isolated", isolated, Isolated)]:
        if value not in get_args(choices):
            raise ValueError(f"{name} must be one of {get_args(choices)}, got {value!r}")
    if not 0 <= label_weight <= 1:
        raise ValueError(f"label_weight must lie between 0 and 1, got {label_weight}")
    chosen, features = _choose(graphs, kind)
    scheme = Scheme(kind=chosen, features=features, isolated=isolated, label_weight=float(label_weight))
    scheme = replace(scheme, edge_weights=_have_edge_weights(graphs))
    return scheme if chosen == "categorical" else _learn_attributes(scheme, graphs, standardize)


def wl_embedding(
    graphs: GraphBatch,
    depth: int = 3,
    *,
    kind: Kind = "auto",
    standardize: bool = False,
    isolated: Isolated = "halve",
    label_weight: float = 0.5,
    weights: ArrayLike | None = None,
) -> NodeEmbedding:
    """Embed the nodes of all graphs by Weisfeiler–Lehman iterations.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs whose nodes to embed.
    depth : int
        How many iterations, the paper's H; the result serves every smaller depth too (``upto``).
    kind : "auto", "categorical", "continuous" or "joint"
        "categorical" refines node labels, "continuous" averages node attributes over neighbors, with edge weights if
        there are any, and "joint" does both. "auto" takes attributes if there are any; else labels, which become
        one-hot attributes if there are edge weights to be used, as in the paper's BZR-MD and COX2-MD; else the degree
        as attribute, as in the paper's IMDB-BINARY. What was taken can be read off the result, ``kind`` and
        ``features``.
    standardize : bool
        Whether to shift and scale the attributes to mean 0 and variance 1 over all nodes.
    isolated : "halve" or "keep"
        What a node without neighbors does with its attributes: the paper's formula with its empty sum halves them at
        every depth, "keep" leaves them.
    label_weight : float
        In the joint kind the ground distance is ``label_weight`` times the normalized Hamming distance of the labels
        plus ``1 - label_weight`` times the Euclidean distance of the attributes divided by the root of their number.
    weights : (n_nodes) floats, optional
        The mass of every node; the nodes of a graph share a mass of 1 in these proportions. All alike by default.
        All solvers round the masses to integers: to shares of 2⁻⁵² while no graph has more than 255 nodes, and twice
        as coarse each time the number of nodes doubles. No node gets less than one such share.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> embedding = wg.wl_embedding(graphs, depth=2)
    >>> embedding.kind, embedding.features, embedding.points.shape
    ('continuous', 'node attributes', (840, 6))
    """
    scheme = learn_scheme(graphs, kind=kind, standardize=standardize, isolated=isolated, label_weight=label_weight)
    return embed_all(scheme, [graphs], depth, [weights])[1][0]


def embed_all(
    scheme: Scheme, batches: list[GraphBatch], depth: int, weights: list[ArrayLike | None]
) -> tuple[Scheme, list[NodeEmbedding]]:
    """Embed several batches in the same way: the scheme that was used, and the embeddings.

    Should two neighborhoods share a code, within a batch or across them, all are coded anew with another salt.
    """
    if operator.index(depth) < 0:
        raise ValueError(f"depth must be at least 0, got {depth}")
    for salt in range(scheme.salt, scheme.salt + 10):
        salted = replace(scheme, salt=salt)
        try:
            embedded = [salted.embed(batch, depth, weights=own) for batch, own in zip(batches, weights, strict=True)]
            for one, other in itertools.combinations(range(len(batches)), 2):
                _check_across(batches[other], embedded[other].codes, batches[one], embedded[one].codes)
            return salted, embedded
        except CollisionError as error:
            warnings.warn(f"{error}; coding all nodes anew with another salt", stacklevel=3)
    raise CollisionError("ten ways to code the neighborhoods failed: this cannot be chance")


def embed_beside(
    scheme: Scheme, training: GraphBatch, training_embedding: NodeEmbedding, new: GraphBatch
) -> tuple[NodeEmbedding, NodeEmbedding]:
    """Embed new graphs so that they can be compared with training graphs embedded before: (new, training).

    The training embedding comes back as it is, unless two neighborhoods share a code: then both are coded anew.
    """
    depth = training_embedding.depth
    try:
        embedded = scheme.embed(new, depth)
        _check_across(new, embedded.codes, training, training_embedding.codes)
        return embedded, training_embedding
    except CollisionError as error:
        warnings.warn(f"{error}; coding all nodes anew with another salt", stacklevel=3)
    again = replace(scheme, salt=scheme.salt + 1)
    _, (embedded, old) = embed_all(again, [new, training], depth, [None, None])
    return embedded, replace(old, weights=training_embedding.weights)


# Labels


class CollisionError(ArithmeticError):
    """Two different neighborhoods have the same 64-bit code."""


def wl_codes(graphs: GraphBatch, labels: IntArray, depth: int, *, salt: int = 0) -> Codes:
    """Refine labels: ℓ^{h+1}(v) = hash(ℓ^h(v), {ℓ^h(u) : u neighbor of v}) for h < depth, as codes (depth + 1,
    n_nodes).

    A code depends on the content of the neighborhood alone, so it is the same in every batch, process and machine.
    """
    codes = np.empty((depth + 1, graphs.n_nodes), dtype=np.uint64)
    codes[0] = mix(labels.astype(np.uint64) + mix(np.uint64(salt)))
    for h in range(depth):
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mix(codes[h][graphs.indices]), dtype=np.uint64)])
        neighbors = sums[graphs.indptr[1:]] - sums[graphs.indptr[:-1]]  # modulo 2^64, like all sums here
        codes[h + 1] = mix(mix(codes[h] ^ np.uint64(0x5851F42D4C957F2D)) + neighbors)
        _check_codes(graphs, codes[h], codes[h + 1])
    return codes


def mix(values: Any) -> Any:
    """Scramble 64-bit integers one to one (the finalizer of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = values + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _check_codes(graphs: GraphBatch, before: Codes, after: Codes) -> None:
    """Make sure that nodes with the same new code have the same old code and the same old codes around them."""
    _, first, group = np.unique(after, return_index=True, return_inverse=True)
    if len(first) == len(after):
        return  # every node has a code of its own
    # Only nodes that share a code with another need a look, and the node that stands for all with their code.
    model = first[group]
    twins = np.flatnonzero(model != np.arange(len(model)))
    _check_alike(graphs, before, twins, graphs, before, model[twins])


def _check_across(graphs: GraphBatch, codes: Codes | None, others: GraphBatch, other_codes: Codes | None) -> None:
    """Make sure that no neighborhood of one batch has the code of another neighborhood in another batch.

    Within each batch this is known, so one node for every code that both have is enough; others may be many.
    """
    if codes is None or other_codes is None or not graphs.n_nodes:
        return
    for h in range(1, len(codes)):
        kinds, mine = np.unique(codes[h], return_index=True)
        place = np.minimum(np.searchsorted(kinds, other_codes[h]), len(kinds) - 1)
        shared = np.flatnonzero(kinds[place] == other_codes[h])
        theirs = np.full(len(kinds), -1)
        theirs[place[shared]] = shared
        both = theirs >= 0
        _check_alike(graphs, codes[h - 1], mine[both], others, other_codes[h - 1], theirs[both])


def _check_alike(
    graphs: GraphBatch, codes: Codes, nodes: IntArray, others: GraphBatch, other_codes: Codes, other_nodes: IntArray
) -> None:
    """Make sure that nodes and other nodes, pair by pair, have the same code and the same codes around them."""
    same = (codes[nodes] == other_codes[other_nodes]) & (graphs.degrees[nodes] == others.degrees[other_nodes])
    if not same.all() or not np.array_equal(_around(graphs, codes, nodes), _around(others, other_codes, other_nodes)):
        raise CollisionError("two different neighborhoods have the same 64-bit code")


def _around(graphs: GraphBatch, codes: Codes, nodes: IntArray) -> Codes:
    """Give the sorted codes of the neighbors of some nodes, one node behind the other."""
    degrees = graphs.degrees[nodes]
    ends = np.cumsum(degrees)
    arcs = np.repeat(graphs.indptr[nodes] - ends + degrees, degrees) + np.arange(ends[-1] if len(ends) else 0)
    owner = np.repeat(np.arange(len(nodes)), degrees)
    found: Codes = codes[graphs.indices[arcs]]
    return np.asarray(found[np.lexsort((found, owner))])


# Attributes


def wl_points(graphs: GraphBatch, attributes: FloatArray, depth: int, *, isolated: Isolated = "halve") -> FloatArray:
    """Average attributes over neighbors: (n_nodes, (depth + 1) * d), one block of columns per depth.

    a^{h+1}(v) = ½ (a^h(v) + 1/deg(v) Σ_u w(v, u) a^h(u)), where the sum of a node without neighbors is empty.
    """
    n, d = attributes.shape
    points = np.empty((n, (depth + 1) * d))
    points[:, :d] = attributes
    adjacency, degrees = graphs.adjacency(), np.maximum(graphs.degrees, 1)[:, None]
    lonely = graphs.degrees == 0
    for h in range(depth):
        now = points[:, h * d : (h + 1) * d]
        with np.errstate(over="ignore", invalid="ignore"):  # an error below
            new = 0.5 * (now + adjacency @ now / degrees)
        if isolated == "keep":
            new[lonely] = now[lonely]
        points[:, (h + 1) * d : (h + 2) * d] = new
    if not np.isfinite(points).all():
        raise ValueError("the averaged attributes overflow: scale the attributes or the edge weights down")
    return points


def _learn_attributes(scheme: Scheme, graphs: GraphBatch, standardize: bool) -> Scheme:
    if "one-hot" in scheme.features:
        assert graphs.node_labels is not None
        alphabet = np.unique(graphs.node_labels)
        scheme = replace(scheme, alphabet=alphabet, n_attributes=len(alphabet))
    else:
        attributes = graphs.node_attributes if "attributes" in scheme.features else None
        scheme = replace(scheme, n_attributes=1 if attributes is None else attributes.shape[1])
    if not scheme.n_attributes and "attributes" in scheme.features:
        raise ValueError("the node attributes have no columns: leave them out, replace(graphs, node_attributes=None)")
    if not standardize:
        return scheme
    if not graphs.n_nodes:
        raise ValueError("there are no graphs to learn the mean and spread of: give one, or pass standardize=False")
    mean, scale = _mean_and_spread(scheme.attributes(graphs))
    return replace(scheme, mean=mean, scale=scale)


def _mean_and_spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the mean and the standard deviation of every column; those of a constant one are itself and 1.

    Powers of two bring every column to the size of 1, exactly, so that no square leaves the range of floats. That a
    column is constant cannot be read off its deviation: rounding makes it 1e-17 for many a column of 0.1.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    exponents = np.frexp(np.maximum(-low, high))[1]
    scaled = np.ldexp(values, -exponents)
    spread = np.maximum(np.ldexp(scaled.std(axis=0), exponents), np.finfo(np.float64).smallest_subnormal)
    mean = np.ldexp(scaled.mean(axis=0), exponents)
    return np.where(low < high, mean, low), np.where(low < high, spread, 1.0)


def _have_edge_weights(graphs: GraphBatch) -> bool | None:
    return graphs.edge_weights is not None if graphs.n_arcs else None


def _choose(graphs: GraphBatch, kind: Kind) -> tuple[Literal["categorical", "continuous", "joint"], str]:
    """Say which kind of embedding is made, and of what."""
    labels, attributes = graphs.node_labels is not None, graphs.node_attributes is not None
    if kind == "auto":
        kind = "categorical" if labels and not attributes and graphs.edge_weights is None else "continuous"
    if kind == "categorical":
        return kind, "node labels" if labels else "degrees"
    if kind == "continuous":
        return kind, "node attributes" if attributes else "one-hot labels" if labels else "degrees"
    if not (labels and attributes):
        lacking = "node labels" if attributes else "node attributes"
        raise ValueError(f"the joint kind needs node labels and node attributes; these graphs have no {lacking}")
    return "joint", "node labels and node attributes"


def _node_weights(graphs: GraphBatch, weights: ArrayLike | None) -> FloatArray | None:
    """Check the masses of the nodes and scale them to a sum of 1 in every graph; None if they are alike in each."""
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"weights must be real numbers, got values of type {array.dtype}")
    array = array.astype(np.float64)
    if array.shape != (graphs.n_nodes,):
        raise ValueError(
            f"weights must have one number for each of the {graphs.n_nodes} nodes, got shape {array.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        raise ValueError(
            f"{name_node(graphs, wrong[0])} has the weight {array[wrong[0]]}: weights must be positive numbers"
        )
    largest, least = (f.reduceat(array, graphs.node_ptr[:-1]) for f in (np.maximum, np.minimum))
    if (largest == least).all():
        return None
    # Divided by the largest first, so that the sum is finite; the sum is that of fsum, whatever the order of the nodes.
    shares = array / largest[graphs.graph_of_node]
    sums = [math.fsum(own) for own in np.split(shares, graphs.node_ptr[1:-1])]
    return np.asarray(shares / np.array(sums)[graphs.graph_of_node])
