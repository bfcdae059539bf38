"""Equal graphs: those at distance 0, found without comparing all pairs.

Graphs at distance 0 have the same labels at all depths in the same shares, and points with the same mean. Graphs that
agree in both are a block, and only distances within blocks are computed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.graphs.slices import offsets
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.api import embedding_distances
from wassergraph.parallel.progress import Progress

#: Points that differ by less than this share of the largest coordinate are equal: means over neighbors in another order
#: differ in their last digits.
_ROUNDING = 1e-12
#: By how much more the means of points may differ than distances do, so that no two equal graphs are in two blocks.
_MARGIN = 10.0


def rounding_of(embedding: NodeEmbedding) -> float:
    """Return the distance up to which graphs are equal but for rounding; 0 for labels."""
    return 0.0 if embedding.points is None else _ROUNDING * float(np.abs(embedding.points).max(initial=0.0))


def equal_groups(embedding: NodeEmbedding, *, n_jobs: int | None = None, progress: bool = False) -> list[IntArray]:
    """Find the groups of graphs at distance 0.

    Parameters
    ----------
    embedding : NodeEmbedding
        The graphs, whose nodes all have the same mass.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    list of (n) integers
        The positions of the graphs of each group, of two or more, in rising order.
    """
    blocks = _blocks(embedding)
    if embedding.points is None:
        return blocks
    rounding, found = rounding_of(embedding), list[IntArray]()
    with Progress("equal graphs", sum(map(len, blocks)), "graphs", show=progress) as bar:
        for block in blocks:
            part = embedding.take(block)
            distances = embedding_distances(part, depths=[embedding.depth], n_jobs=n_jobs)[0]
            found += [block[group] for group in linked_groups(csr_array(distances <= rounding))]
            bar.update(len(block))
    return found


def linked_groups(links: csr_array) -> list[IntArray]:
    """Return the connected components of links (N, N) that have two or more members."""
    return _gather(connected_components(links, directed=False)[1])


def _gather(keys: IntArray) -> list[IntArray]:
    """Return the positions of each key that occurs twice or more."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    return [np.asarray(group) for group in np.split(order, ends) if len(group) > 1]


def _blocks(embedding: NodeEmbedding) -> list[IntArray]:
    """Return the graphs that agree in their labels, and in the mean of their points, as far as these count."""
    keys = np.zeros((len(embedding), 2), dtype=np.int64)
    if embedding.codes is not None and (embedding.points is None or embedding.label_weight > 0):
        keys[:, 0] = _number_labels(embedding)
    if embedding.points is not None and (embedding.codes is None or embedding.label_weight < 1):
        keys[:, 1] = _number_means(embedding, embedding.points)
    return _gather(np.unique(keys, axis=0, return_inverse=True)[1].ravel())


def _number_labels(embedding: NodeEmbedding) -> IntArray:
    """Return a number for each graph, the same for graphs with the same labels in the same shares or counts."""
    numbers: defaultdict[bytes, int] = defaultdict(lambda: len(numbers))
    counts = embedding.counted or embedding.size_weight > 0
    return np.array([numbers[key] for key in _label_keys(embedding, counts=counts)], dtype=np.int64)


def _label_keys(embedding: NodeEmbedding, *, counts: bool) -> Iterator[bytes]:
    assert embedding.codes is not None
    deepest = embedding.codes[-1]  # equal codes have equal codes at all smaller depths
    for first, last in pairwise(embedding.ptr.tolist()):
        codes, numbers = np.unique(deepest[first:last], return_counts=True)
        yield codes.tobytes() + (numbers if counts else numbers // np.gcd.reduce(numbers)).tobytes()


def _number_means(embedding: NodeEmbedding, points: FloatArray) -> IntArray:
    """Return a number for each graph, the same for graphs whose points have the same mean in a random direction.

    The distance of two graphs is at least that of these means, but for the share of attributes in the ground distance.
    """
    direction = np.random.default_rng(0).normal(size=points.shape[1])
    projected = np.concatenate([[0.0], np.cumsum(points @ (direction / np.linalg.norm(direction)))])
    sizes = np.diff(embedding.ptr)
    means = np.diff(projected[embedding.ptr]) / sizes
    return _number_steps(means, _step(embedding, points, float(np.abs(projected).max())))


def _step(embedding: NodeEmbedding, points: FloatArray, largest_sum: float) -> float:
    """Return how far the means of equal graphs may be apart: as far as distances, and as sums are rounded."""
    share = 1.0 if embedding.codes is None else 1 - embedding.label_weight
    scale = np.sqrt(points.shape[1]) * (embedding.depth + 1) / share
    return float(_MARGIN * (rounding_of(embedding) * scale + np.finfo(np.float64).eps * largest_sum))


def _number_steps(values: FloatArray, step: float) -> IntArray:
    """Return a number for each value, the same for neighbors in their order that differ by at most a step."""
    order = np.argsort(values)
    new: BoolArray = np.diff(values[order]) > step
    numbers = np.empty(len(values), dtype=np.int64)
    numbers[order] = offsets(new)
    return numbers
