"""The Weisfeiler–Lehman scheme: from a batch of graphs to one vector per node (paper, section 3.1).

    graphs ──learn_scheme──▶ Scheme ──embed──▶ NodeEmbedding ──upto(h)──▶ the same for a smaller depth, a view

A :class:`Scheme` is all that is learnt of the training graphs: which kind of embedding, which labels are known, the
mean and spread of the attributes. It embeds new graphs in the same way.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array

from wassergraph.checks import name_node
from wassergraph.graphs import FloatArray, GraphBatch, IntArray

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
        The label of every node at every depth, a hash of its neighbourhood's content.
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

    def embed(self, graphs: GraphBatch, depth: int, *, weights: ArrayLike | None = None) -> NodeEmbedding:
        """Embed graphs, new ones too, for all depths up to ``depth``."""
        codes = points = None
        if self.kind != "continuous":
            codes = wl_codes(graphs, self._labels(graphs), depth, salt=self.salt)
        if self.kind != "categorical":
            points = wl_points(graphs, self._attributes(graphs), depth, isolated=self.isolated)
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

    def _labels(self, graphs: GraphBatch) -> IntArray:
        if "degrees" in self.features:
            return graphs.degrees
        if graphs.node_labels is None:
            raise ValueError("these graphs have no node labels, but the embedding was learnt on graphs that have")
        return graphs.node_labels

    def _attributes(self, graphs: GraphBatch) -> FloatArray:
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
        return values if self.mean is None or self.scale is None else (values - self.mean) / self.scale


def learn_scheme(
    graphs: GraphBatch,
    *,
    kind: Kind = "auto",
    standardise: bool = False,
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
    return scheme if chosen == "categorical" else _learn_attributes(scheme, graphs, standardise)


def wl_embedding(
    graphs: GraphBatch,
    depth: int = 3,
    *,
    kind: Kind = "auto",
    standardise: bool = False,
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
        "categorical" refines node labels, "continuous" averages node attributes over neighbours, with edge weights if
        there are any, and "joint" does both. "auto" takes attributes if there are any; else labels, which become
        one-hot attributes if there are edge weights to be used, as in the paper's BZR-MD and COX2-MD; else the degree
        as attribute, as in the paper's IMDB-BINARY. What was taken can be read off the result, ``kind`` and
        ``features``.
    standardise : bool
        Whether to shift and scale the attributes to mean 0 and variance 1 over all nodes.
    isolated : "halve" or "keep"
        What a node without neighbours does with its attributes: the paper's formula with its empty sum halves them at
        every depth, "keep" leaves them.
    label_weight : float
        In the joint kind the ground distance is ``label_weight`` times the normalised Hamming distance of the labels
        plus ``1 - label_weight`` times the Euclidean distance of the attributes divided by the root of their number.
    weights : (n_nodes) floats, optional
        The mass of every node; the nodes of a graph share a mass of 1 in these proportions. All alike by default.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> embedding = wg.wl_embedding(graphs, depth=2)
    >>> embedding.kind, embedding.features, embedding.points.shape
    ('continuous', 'node attributes', (840, 6))
    """
    scheme = learn_scheme(graphs, kind=kind, standardise=standardise, isolated=isolated, label_weight=label_weight)
    return embed_all(scheme, [graphs], depth, [weights])[1][0]


def embed_all(
    scheme: Scheme, batches: list[GraphBatch], depth: int, weights: list[ArrayLike | None]
) -> tuple[Scheme, list[NodeEmbedding]]:
    """Embed several batches in the same way: the scheme that was used, and the embeddings.

    Should two neighbourhoods share a code, within a batch or across them, all are coded anew with another salt.
    """
    if operator.index(depth) < 0:
        raise ValueError(f"depth must be at least 0, got {depth}")
    for salt in range(scheme.salt, scheme.salt + 10):
        salted = replace(scheme, salt=salt)
        try:
            embedded = [salted.embed(batch, depth, weights=own) for batch, own in zip(batches, weights, strict=True)]
            if len(batches) > 1 and scheme.kind != "continuous":
                _check_across(salted, batches, embedded)
            return salted, embedded
        except CollisionError as error:
            warnings.warn(f"{error}; coding all nodes anew with another salt", stacklevel=3)
    raise CollisionError("ten ways to code the neighbourhoods failed: this cannot be chance")


def _check_across(scheme: Scheme, batches: list[GraphBatch], embedded: list[NodeEmbedding]) -> None:
    """Make sure that no neighbourhood of one batch has the code of another neighbourhood in another batch."""
    bare = [GraphBatch(batch.node_ptr, batch.indptr, batch.indices) for batch in batches]
    together = GraphBatch.concatenate(bare)
    codes = [np.concatenate(level) for level in zip(*(e.codes for e in embedded if e.codes is not None), strict=True)]
    for before, after in itertools.pairwise(codes):
        _check_codes(together, before, after)


# Labels


class CollisionError(ArithmeticError):
    """Two different neighbourhoods have the same 64-bit code."""


def wl_codes(graphs: GraphBatch, labels: IntArray, depth: int, *, salt: int = 0) -> Codes:
    """Refine labels: ℓ^{h+1}(v) = hash(ℓ^h(v), {ℓ^h(u) : u neighbour of v}) for h < depth, as codes (depth + 1,
    n_nodes).

    A code depends on the content of the neighbourhood alone, so it is the same in every batch, process and machine.
    """
    codes = np.empty((depth + 1, graphs.n_nodes), dtype=np.uint64)
    codes[0] = _mix(labels.astype(np.uint64) + _mix(np.uint64(salt)))
    for h in range(depth):
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mix(codes[h][graphs.indices]), dtype=np.uint64)])
        neighbours = sums[graphs.indptr[1:]] - sums[graphs.indptr[:-1]]  # modulo 2^64, like all sums here
        codes[h + 1] = _mix(_mix(codes[h] ^ np.uint64(0x5851F42D4C957F2D)) + neighbours)
        _check_codes(graphs, codes[h], codes[h + 1])
    return codes


def _mix(values: Any) -> Any:
    """Scramble 64-bit integers one to one (the finaliser of SplitMix64)."""
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
    same = (before[twins] == before[model[twins]]) & (graphs.degrees[twins] == graphs.degrees[model[twins]])
    if not same.all() or not np.array_equal(_around(graphs, before, twins), _around(graphs, before, model[twins])):
        raise CollisionError("two different neighbourhoods have the same 64-bit code")


def _around(graphs: GraphBatch, codes: Codes, nodes: IntArray) -> Codes:
    """Give the sorted codes of the neighbours of some nodes, one node behind the other."""
    degrees = graphs.degrees[nodes]
    ends = np.cumsum(degrees)
    arcs = np.repeat(graphs.indptr[nodes] - ends + degrees, degrees) + np.arange(ends[-1] if len(ends) else 0)
    owner = np.repeat(np.arange(len(nodes)), degrees)
    found: Codes = codes[graphs.indices[arcs]]
    return np.asarray(found[np.lexsort((found, owner))])


# Attributes


def wl_points(graphs: GraphBatch, attributes: FloatArray, depth: int, *, isolated: Isolated = "halve") -> FloatArray:
    """Average attributes over neighbours: (n_nodes, (depth + 1) * d), one block of columns per depth.

    a^{h+1}(v) = ½ (a^h(v) + 1/deg(v) Σ_u w(v, u) a^h(u)), where the sum of a node without neighbours is empty.
    """
    n, d = attributes.shape
    points = np.empty((n, (depth + 1) * d))
    points[:, :d] = attributes
    adjacency, degrees = graphs.adjacency(), np.maximum(graphs.degrees, 1)[:, None]
    lonely = graphs.degrees == 0
    for h in range(depth):
        now = points[:, h * d : (h + 1) * d]
        new = 0.5 * (now + adjacency @ now / degrees)
        if isolated == "keep":
            new[lonely] = now[lonely]
        points[:, (h + 1) * d : (h + 2) * d] = new
    if not np.isfinite(points).all():
        raise ValueError("the averaged attributes overflow: scale the attributes or the edge weights down")
    return points


def _learn_attributes(scheme: Scheme, graphs: GraphBatch, standardise: bool) -> Scheme:
    if "one-hot" in scheme.features:
        assert graphs.node_labels is not None
        alphabet = np.unique(graphs.node_labels)
        scheme = replace(scheme, alphabet=alphabet, n_attributes=len(alphabet))
    else:
        attributes = graphs.node_attributes if "attributes" in scheme.features else None
        scheme = replace(scheme, n_attributes=1 if attributes is None else attributes.shape[1])
    if not standardise:
        return scheme
    values = scheme._attributes(graphs)
    scale = values.std(axis=0)
    return replace(scheme, mean=values.mean(axis=0), scale=np.where(scale > 0, scale, 1.0))


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
    """Check the masses of the nodes and scale them to a sum of 1 in every graph."""
    if weights is None:
        return None
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (graphs.n_nodes,):
        raise ValueError(
            f"weights must have one number for each of the {graphs.n_nodes} nodes, got shape {array.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        raise ValueError(
            f"{name_node(graphs, wrong[0])} has the weight {array[wrong[0]]}: weights must be positive numbers"
        )
    return array / np.add.reduceat(array, graphs.node_ptr[:-1])[graphs.graph_of_node]


# Edges as nodes


def line_graph(graphs: GraphBatch) -> GraphBatch:
    """Turn edges into nodes: the dual of every graph, in which two edges are joined if they share an end.

    Edge labels and attributes become those of the nodes, so that edges take part in the distance, as the paper
    suggests. A kernel on the graphs and one on their line graphs combine to a product, or to a weighted sum:

    >>> import numpy as np, wassergraph as wg
    >>> batch = wg.from_smiles(["CCO", "CC=O", "CC#N"])
    >>> nodes, edges = wg.wwl_distances(batch), wg.wwl_distances(wg.line_graph(batch))
    >>> kernel = np.exp(-(0.5 * nodes + 0.5 * edges))

    A graph without edges has no line graph, which is an error.
    """
    tails, heads = graphs.arc_tails, graphs.indices
    once = np.flatnonzero(tails <= heads)
    owner = graphs.graph_of_node[tails[once]]
    sizes = np.bincount(owner, minlength=len(graphs))
    if (sizes == 0).any():
        raise ValueError(f"graph {int(np.argmin(sizes))} has no edges, hence no line graph: leave it out")
    _check_both_directions(graphs, once)
    n_edges = len(once)
    ends = np.concatenate([tails[once], heads[once]])
    incidence = coo_array(
        (np.ones(2 * n_edges), (np.tile(np.arange(n_edges), 2), ends)), shape=(n_edges, graphs.n_nodes)
    ).tocsr()
    joined = (incidence @ incidence.T).tocsr()
    joined.setdiag(0)
    joined.eliminate_zeros()
    joined.sort_indices()
    return GraphBatch(
        node_ptr=np.concatenate([[0], np.cumsum(sizes)]),
        indptr=joined.indptr,
        indices=joined.indices,
        node_labels=None if graphs.edge_labels is None else graphs.edge_labels[once],
        node_attributes=None if graphs.edge_attributes is None else graphs.edge_attributes[once],
    )


def _check_both_directions(graphs: GraphBatch, once: IntArray) -> None:
    reverse = np.lexsort((graphs.arc_tails, graphs.indices))[once]
    for name in ("edge_labels", "edge_attributes"):
        value = getattr(graphs, name)
        if value is not None and not np.array_equal(value[once], value[reverse]):
            raise ValueError(f"the {name} depend on the direction: a line graph has one node for both")
