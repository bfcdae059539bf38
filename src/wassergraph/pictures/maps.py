"""Places in the plane for the graphs of a collection, from their distances, and how well the places keep these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.pictures.layout import GOLDEN_ANGLE, start_places

#: How graphs are placed: so that neighbors stay neighbors, or so that all distances are kept as well as possible.
MapMethod: TypeAlias = Literal["tsne", "mds"]

#: t-SNE takes at least so many graphs, and its perplexity is at most this.
FEWEST_TSNE, _PERPLEXITY = 5, 30.0
#: Vectors and steps of the iteration for eigenvectors; the distances of displaced starting places.
_VECTORS, _POWER_STEPS, _APART = 10, 20, 1e-3
#: SMACOF ends after so many steps, or if one reduces the stress by less than this share.
_STEPS, _SMALLEST_DECREASE = 100, 1e-4
#: Between these limits the squares of distances, and their sums, are floats.
_SQUARES = (1e-100, 1e100)
#: Matrices are passed through in blocks of about so many entries, so that no further matrix of all pairs is needed.
_BLOCK = 2_000_000
#: How many nearest neighbors are compared, and how many pairs of graphs.
N_NEIGHBORS, _MAX_PAIRS = 10, 200_000


def place_graphs(distances: FloatArray, method: MapMethod = "tsne", *, random_state: int = 0) -> FloatArray:
    """Compute places for graphs in the plane, so that similar graphs are near each other.

    Parameters
    ----------
    distances : (N, N) floats
        Symmetric distances that are finite and not negative.
    method : "tsne" or "mds"
        t-SNE keeps neighbors together, and the distances between groups of graphs mean little. Metric multidimensional
        scaling keeps all distances as well as a plane allows. Fewer than 5 graphs are always placed by scaling.
    random_state : int
        The seed of small displacements of the places that t-SNE starts from; scaling does not use it.

    Returns
    -------
    (N, 2) floats
        The places, with the mean at the origin and the longest direction along the first axis. The same arguments
        always give the same places; graphs whose distances are all zero are at the origin. The scale is that of the
        distances for scaling, unless their squares would not be floats, and arbitrary for t-SNE.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]])
    >>> points = place_graphs(cdist(corners, corners), "mds")
    >>> bool(np.allclose(cdist(points, points), cdist(corners, corners), atol=0.01))
    True
    """
    if not distances.any():
        return np.zeros((len(distances), 2))
    largest = float(distances.max())
    if not _SQUARES[0] < largest < _SQUARES[1]:
        return place_graphs(distances / largest, method, random_state=random_state)
    start = _classical_scaling(distances)
    if method == "mds" or len(distances) < FEWEST_TSNE:
        return _turned(_reduce_stress(distances, start))
    return _turned(_tsne(distances, start, random_state))


def _tsne(distances: FloatArray, start: FloatArray, random_state: int) -> FloatArray:
    """Place graphs by t-SNE from starting places, of which only the shape matters."""
    n = len(distances)
    scaled = start / start.std(axis=0).max()
    # Equal graphs start at the same place, where nothing would drive them apart but rounding.
    scaled += 0.01 * np.random.default_rng(random_state).normal(size=(n, 2))
    tsne = TSNE(
        metric="precomputed",
        perplexity=min(_PERPLEXITY, (n - 1) / 3),
        init=(1e-4 * scaled).astype(np.float32),
        random_state=0,  # not used, since the start is given
    )
    # Threads add up sums in a different order every time, and t-SNE makes large differences of small ones.
    with threadpool_limits(1):
        return np.asarray(tsne.fit_transform(distances), dtype=np.float64)


def _classical_scaling(distances: FloatArray) -> FloatArray:
    """Return places (N, 2) from the two leading eigenvectors of the centered squared distances.

    Subspace iteration needs only products with the matrix. Eigenvalues that are equal, as those of equal distances, are
    no difficulty for it, whereas ARPACK then continues with random vectors.
    """
    n = len(distances)
    squares = distances**2

    def product(vectors: FloatArray) -> FloatArray:
        image = -0.5 * (squares @ (vectors - vectors.mean(axis=0)))
        return np.asarray(image - image.mean(axis=0))

    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(n, min(n, _VECTORS))))[0]
    for _ in range(_POWER_STEPS):
        basis = np.linalg.qr(product(basis))[0]
    small = basis.T @ product(basis)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    leading = (basis @ vectors[:, -2:]) * np.sqrt(np.maximum(values[-2:], 0))
    return start_places(leading, _APART * distances.max(), GOLDEN_ANGLE * np.arange(n))


def _reduce_stress(distances: FloatArray, points: FloatArray) -> FloatArray:
    """Move places until the stress, the sum of squared errors of distances, hardly decreases any more (SMACOF).

    scikit-learn's MDS is not used: its parameters have other names since version 1.8, versions before that one start
    from random places, and every step makes several matrices of the size of the distances.
    """
    before = np.inf
    for _ in range(_STEPS):
        moved, stress = stress_step(distances, points)
        if before - stress <= _SMALLEST_DECREASE * stress:
            break
        points, before = moved, stress
    return points


def stress_step(distances: FloatArray, points: FloatArray) -> tuple[FloatArray, float]:
    """Move places by one step of SMACOF with equal weights, the Guttman transform, which never increases the stress.

    Parameters
    ----------
    distances : (N, N) floats
        The distances to approximate.
    points : (N, 2) floats
        The places.

    Returns
    -------
    (N, 2) floats
        The new places.
    float
        The stress of the given places: the sum of (distance - distance on the map)² over all pairs.
    """
    moved, stress = np.empty_like(points), 0.0
    for rows in _blocks(len(points)):
        lengths, wanted = cdist(points[rows], points), distances[rows]
        stress += float(np.sum((wanted - lengths) ** 2)) / 2
        ratio = np.divide(wanted, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        moved[rows] = (ratio.sum(axis=1)[:, None] * points[rows] - ratio @ points) / len(points)
    return moved, stress


def _blocks(n: int) -> Iterator[slice]:
    """Yield the rows of an (n, n) matrix in blocks."""
    step = max(1, _BLOCK // max(n, 1))
    return (slice(begin, min(begin + step, n)) for begin in range(0, n, step))


def _turned(points: FloatArray) -> FloatArray:
    """Center places, and turn them so that the longest direction is the first axis and the farthest are positive."""
    centered = points - points.mean(axis=0)
    turned = centered @ np.linalg.eigh(centered.T @ centered)[1][:, ::-1]
    for column in turned.T:
        # The first of those that are equally far, but for rounding.
        farthest = np.argmax(abs(column) >= (1 - 1e-6) * abs(column).max())
        column *= -1 if column[farthest] < 0 else 1
    return np.asarray(turned)


class MapQuality(NamedTuple):
    """How well places in the plane keep distances.

    Attributes
    ----------
    neighbors_kept : float
        The share of the nearest neighbors of a graph that are among its nearest on the map, the mean of all graphs.
        The nearest are ten, or all if there are fewer; of equally near graphs, those that come first are taken. It is 1
        for a single graph.
    rank_correlation : float
        Spearman's correlation of distances and distances on the map, from -1 to 1; NaN if it is undefined, because
        there are fewer than three graphs or because all distances are equal.
    """

    neighbors_kept: float
    rank_correlation: float


def map_quality(distances: FloatArray, points: FloatArray) -> MapQuality:
    """Compute how well places in the plane keep the distances between graphs.

    Parameters
    ----------
    distances : (N, N) floats
        The distances.
    points : (N, 2) floats
        The places.

    Returns
    -------
    MapQuality
        The share of neighbors that are kept, and the rank correlation; of more than 200,000 pairs of graphs, the
        latter is estimated from so many that are drawn at random, always the same.

    Examples
    --------
    >>> line = np.arange(5.0)[:, None] ** [1, 0]
    >>> map_quality(cdist(line, line), line)
    MapQuality(neighbors_kept=1.0, rank_correlation=1.0)
    """
    return MapQuality(_neighbors_kept(distances, points), _rank_correlation(distances, points))


def _neighbors_kept(distances: FloatArray, points: FloatArray) -> float:
    n = len(points)
    k = min(N_NEIGHBORS, n - 1)
    if k < 1:
        return 1.0
    common = 0
    for rows in _blocks(n):
        near, near_on_map = (_nearest(block, rows, k) for block in (distances[rows], cdist(points[rows], points)))
        common += int(np.count_nonzero(near & near_on_map))
    return common / (n * k)


def _nearest(block: FloatArray, rows: slice, k: int) -> BoolArray:
    """Return which k entries of each row are the smallest, the first of equal ones, without the diagonal."""
    values = block.copy()
    values[np.arange(len(values)), np.arange(rows.start, rows.stop)] = np.inf
    last = np.partition(values, k - 1, axis=1)[:, k - 1, None]
    below, equal = values < last, values == last
    missing = k - np.count_nonzero(below, axis=1)[:, None]
    return np.asarray(below | (equal & (np.cumsum(equal, axis=1) <= missing)))


def _rank_correlation(distances: FloatArray, points: FloatArray) -> float:
    n = len(points)
    one, two = _pairs(n)
    lengths = np.linalg.norm(points[one] - points[two], axis=1)
    ranks = [_ranks(values) for values in (distances[one, two], lengths)]
    if n < 3 or any(np.ptp(each) == 0 for each in ranks):
        return float("nan")
    return float(np.clip(np.atleast_2d(np.corrcoef(ranks))[0, 1], -1, 1))


def _pairs(n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return all pairs of different graphs, or 200,000 random ones if there are more."""
    if n * (n - 1) // 2 <= _MAX_PAIRS:
        return np.triu_indices(n, 1)
    random = np.random.default_rng(0)
    one = random.integers(n, size=_MAX_PAIRS)
    return one, (one + random.integers(1, n, size=_MAX_PAIRS)) % n


def _ranks(values: FloatArray) -> FloatArray:
    """Return the rank of each value; values that differ by rounding only are equal."""
    scale = float(values.max(initial=0.0)) or 1.0
    return np.asarray(rankdata(np.round(values / scale, 12)), dtype=np.float64)
