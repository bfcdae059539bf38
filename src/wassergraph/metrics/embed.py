"""Embed graphs: one batch, several batches in the same way, or new graphs to compare with training graphs.

The codes of labels are hashes, which are checked for collisions within a batch and between batches.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.vocabulary import Vocabulary, join_vocabularies
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.labels import CollisionError, check_across
from wassergraph.metrics.node_embedding import Mass, NodeEmbedding
from wassergraph.metrics.scheme import EdgeLabels, Kind, LabelWeight, Scheme, Standardize, Unmatched, learn_scheme

#: How many salts are tried before a collision is an error.
_SALTS = 10


def wl_embedding(
    graphs: object,
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
    weights: ArrayLike | None = None,
) -> NodeEmbedding:
    """Embed the nodes of all graphs by Weisfeiler–Lehman iterations.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader accepts
        The graphs whose nodes to embed.
    depth : int
        The number of iterations, the paper's H. The result contains every smaller depth too (``upto``).
    kind : "auto", "categorical", "continuous" or "joint"
        "categorical" refines node labels; "continuous" averages node attributes over neighbors, weighted by the edge
        weights if there are any; "joint" does both. "auto" is "joint" for molecules with attributes. For other graphs
        it uses attributes if there are any; otherwise labels, as one-hot attributes if there are edge weights, as for
        the paper's BZR-MD and COX2-MD; otherwise the degree as attribute, as for the paper's IMDB-BINARY. The
        attributes ``kind`` and ``features`` of the result show what was used.
    standardize : bool or "auto"
        Whether to shift and scale the attributes to mean 0 and variance 1 over all nodes; "auto" does so if there are
        two or more attributes, except for molecules whose attributes are whole numbers, such as charges and counts.
    isolated : "halve" or "keep"
        How to average the attributes of a node without neighbors. In the paper's formula the sum over neighbors is 0,
        so the attributes are halved at every depth; "keep" leaves them unchanged.
    label_weight : float or "auto"
        In the joint kind the ground distance is ``label_weight`` times the normalized Hamming distance of the labels
        plus ``1 - label_weight`` times the Euclidean distance of the attributes divided by the root of their number.
        "auto" is 0.8 for molecules and 0.5 for other graphs.
    edge_labels : "auto", "use" or "ignore"
        Whether labels are refined over pairs of edge label and neighbor, so that bonds of different types count.
        "auto" does so for molecules, and not for other graphs, because the paper does not. The attribute ``features``
        of the result shows the choice.
    mass : "share" or "count"
        "share" gives every graph the mass 1, as in the paper, so that the size of a graph does not count. "count" gives
        every node the mass 1. Nodes of the larger graph then stay without a partner, at a price.
    unmatched : float or "auto"
        With ``mass="count"``, the price of a node without a partner; moving a node never costs more than twice as
        much, so that distances are a metric. For labels it is at least ½, half of the largest ground distance. "auto"
        is ½ for labels; for attributes half of the root mean square distance of the attributes of two random nodes;
        and for both kinds their mean with ``label_weight``. In the continuous kind it is multiplied by the square root
        of depth + 1, as ground distances grow.
    size_weight : float
        Graphs with n and m nodes are moved apart by this times ``|log n - log m|``, with either mass.
    weights : (n_nodes) floats, optional
        The mass of every node. Within each graph they are divided by their sum. By default all nodes of a graph have
        the same mass. All solvers round masses to integers: to multiples of 2⁻⁵² while no graph has more than 255
        nodes, and twice as coarse each time the number of nodes doubles. No node gets less than one such unit.

    Returns
    -------
    NodeEmbedding
        The embedded nodes.

    See Also
    --------
    NodeEmbedding : what is returned
    wwl_distances : distances between embedded graphs
    line_graph : edges as nodes

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> embedding = wg.wl_embedding(graphs, depth=2)
    >>> embedding.kind, str(embedding.features), embedding.points.shape
    ('continuous', 'node attributes', (840, 6))
    """
    batch = as_batch(graphs)
    scheme = learn_scheme(
        batch,
        kind=kind,
        standardize=standardize,
        isolated=isolated,
        label_weight=label_weight,
        edge_labels=edge_labels,
        mass=mass,
        unmatched=unmatched,
        size_weight=size_weight,
    )
    return embed_all(scheme, [batch], depth, [weights])[1][0]


def embed_all(
    scheme: Scheme, batches: Sequence[GraphBatch], depth: int, weights: Sequence[ArrayLike | None]
) -> tuple[Scheme, list[NodeEmbedding]]:
    """Embed several batches in the same way.

    If two different neighborhoods have the same code, within a batch or across batches, all are embedded again with
    another salt.

    Returns
    -------
    scheme, embeddings
        The scheme that was used, with its salt, and one embedding per batch.
    """
    if operator.index(depth) < 0:
        raise InputError(f"{{}} must be at least 0, got {depth}", options=[Option("depth")])
    _check_names(scheme, batches)
    for salt in range(scheme.salt, scheme.salt + _SALTS):
        salted = replace(scheme, salt=salt)
        try:
            embedded = [salted.embed(batch, depth, weights=w) for batch, w in zip(batches, weights, strict=True)]
            for one, other in itertools.combinations(range(len(batches)), 2):
                ends = (
                    salted.arcs(batches[other]),
                    embedded[other].codes,
                    salted.arcs(batches[one]),
                    embedded[one].codes,
                )
                check_across(*ends)
            return salted, embedded
        except CollisionError as error:
            warnings.warn(f"{error}; all nodes are embedded again with another salt", stacklevel=3)
    raise CollisionError(f"{_SALTS} different salts all led to collisions, which cannot be a coincidence")


def _check_names(scheme: Scheme, batches: Sequence[GraphBatch]) -> None:
    """Raise an error if what is compared has one name in one batch, and another name in another."""
    used = scheme.fields(1) & {"node_labels", "edge_labels", "node_attributes"}
    names = [Vocabulary(**{field: getattr(batch.vocabulary, field) for field in used}) for batch in batches]
    join_vocabularies(names if len(batches) > 1 else [])


def embed_new(
    scheme: Scheme, training: GraphBatch, training_embedding: NodeEmbedding, new: GraphBatch
) -> tuple[NodeEmbedding, NodeEmbedding]:
    """Embed new graphs so that they can be compared with training graphs that were embedded before.

    Returns
    -------
    new, training : NodeEmbedding
        ``training`` is ``training_embedding``, unless two different neighborhoods have the same code. Then both batches
        are embedded again with another salt.
    """
    depth = training_embedding.depth
    _check_names(scheme, [training, new])
    try:
        embedded = scheme.embed(new, depth)
        check_across(scheme.arcs(new), embedded.codes, scheme.arcs(training), training_embedding.codes)
        return embedded, training_embedding
    except CollisionError as error:
        warnings.warn(f"{error}; all nodes are embedded again with another salt", stacklevel=3)
    salted = replace(scheme, salt=scheme.salt + 1)
    _, (embedded, again) = embed_all(salted, [new, training], depth, [None, None])
    return embedded, replace(again, weights=training_embedding.weights)
