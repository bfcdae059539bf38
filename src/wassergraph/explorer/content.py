"""The content of a page: everything that it shows of a collection, as numbers and texts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.explorer.collection import Collection
from wassergraph.explorer.container import smallest
from wassergraph.explorer.foresight import MAPS
from wassergraph.explorer.graph_content import embedding_content, graph_content
from wassergraph.explorer.shown_predictions import ShownPredictions
from wassergraph.explorer.targets import ShownTarget
from wassergraph.files.provenance import current_provenance
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.stages import stage
from wassergraph.pictures.maps import MapMethod, map_quality, place_graphs
from wassergraph.pictures.ordering import order_graphs

#: The version of the content, for programs that read a page.
VERSION = 1
#: Up to so many graphs the page has every distance; of more it has the means of this number of blocks.
MAX_MATRIX, N_BLOCKS = 1500, 500
#: The number of nearest neighbors.
N_NEIGHBORS = 10
_MAPS: dict[MapMethod, str] = {"tsne": "t-SNE", "mds": "MDS"}
_LEVELS, _PLACES = 255, 65535


def page_content(
    title: str,
    names: Sequence[str],
    collection: Collection,
    distances: FloatArray,
    target: ShownTarget | None,
    predictions: ShownPredictions | None,
    *,
    random_state: int = 0,
    progress: bool = False,
) -> dict[str, Any]:
    """Return what a page shows.

    Parameters
    ----------
    title : str
        The title.
    names : sequence of str
        The name of each graph.
    collection : Collection
        The graphs.
    distances : (N, N) floats
        The distances between them.
    target : ShownClasses, ShownNumbers or None
        What is known of them.
    predictions : ShownPredictions or None
        What is predicted.
    random_state : int
        The seed of the map.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    dict
        What :func:`wassergraph.explorer.container.pack` packs.
    """
    largest = float(distances.max())
    with stage(MAPS), Progress("maps and order", len(_MAPS) + 1, "steps", show=progress) as bar:
        maps = []
        for method in _MAPS:
            maps.append(map_content(distances, method, random_state))
            bar.update(1)
        order = order_graphs(distances, None if target is None else target.order_by())
        bar.update(1)
    is_small = len(distances) <= MAX_MATRIX
    return {
        "version": VERSION,
        "title": title,
        "noun": collection.graphs.noun,
        "n_graphs": len(distances),
        "names": list(names),
        "facts": facts(collection, target),
        "target": None if target is None else target.content(),
        "maps": maps,
        "order": smallest(order),
        "largest": largest,
        "matrix": matrix_levels(distances, largest) if is_small else None,
        "averages": None if is_small else block_averages(distances, order, largest, N_BLOCKS),
        "neighbors": nearest_neighbors(distances, N_NEIGHBORS),
        "predictions": None if predictions is None else predictions.content(),
        "embedding": embedding_content(collection.scheme, collection.embedding, collection.graphs),
        "graphs": graph_content(collection.graphs, collection.embedding),
    }


def facts(collection: Collection, target: ShownTarget | None) -> list[list[str]]:
    """Return names and texts of what holds for all graphs: how many there are, what is compared, and how."""
    scheme, graphs = collection.scheme, collection.graphs
    mass = scheme.mass if scheme.mass == "share" else f"count, {collection.embedding.prices[-1]:.4g} without a partner"
    found = [[f"{graphs.noun}s", f"{len(graphs):,}"]]
    found += [] if target is None else [[target.name, target.describe()]]
    found += [["compared", str(scheme.features)], ["kind", scheme.kind], ["depth", str(collection.embedding.depth)]]
    found += [["mass", mass]]
    found += [["size weight", f"{scheme.size_weight:g}"]] if scheme.size_weight else []
    if scheme.kind != "categorical":
        found += [["attributes", "standardized" if scheme.standardized else "not standardized"]]
    return [*found, ["wassergraph", current_provenance().versions["wassergraph"]]]


def map_content(distances: FloatArray, method: MapMethod, random_state: int) -> dict[str, Any]:
    """Return the places of graphs on a map, and how well they keep the distances."""
    points = place_graphs(distances, method, random_state=random_state)
    quality = map_quality(distances, points)
    # Of so few graphs, all others are nearest neighbors, on any map.
    few = len(distances) <= N_NEIGHBORS + 1
    return {
        "id": method,
        "title": _MAPS[method],
        "places": _steps(points),
        "neighbors_kept": None if few else quality.neighbors_kept,
        "rank_correlation": None if math.isnan(quality.rank_correlation) else float(quality.rank_correlation),
    }


def _steps(points: FloatArray) -> NDArray[np.uint16]:
    """Return places (2, N) as integers, with the same scale on both axes."""
    offsets = points - points.min(axis=0)
    extent = float(offsets.max())
    steps: NDArray[np.uint16] = np.rint(offsets.T * (_PLACES / extent if extent else 0.0)).astype(np.uint16)
    return steps


def _levels(values: FloatArray, largest: float) -> NDArray[np.uint8]:
    """Return distances as integers from 0 to 255."""
    return np.rint(_LEVELS * (values / (largest or 1.0))).astype(np.uint8)


def matrix_levels(distances: FloatArray, largest: float) -> NDArray[np.uint8]:
    """Return the distances above the diagonal, row by row, as integers from 0 to 255."""
    return _levels(distances[np.triu_indices(len(distances), 1)], largest)


def block_averages(distances: FloatArray, order: IntArray, largest: float, n_blocks: int) -> dict[str, Any]:
    """Return the mean distances between blocks of graphs that follow each other in an order.

    Parameters
    ----------
    distances : (N, N) floats
        The distances.
    order : (N) integers
        The positions of graphs in their order.
    largest : float
        The largest distance.
    n_blocks : int
        The number of blocks, at most N.

    Returns
    -------
    dict
        ``bounds`` (n_blocks + 1), the places in the order where blocks begin and end, and ``means``
        (n_blocks, n_blocks), from 0 to 255. The distance of a graph to itself does not count.
    """
    bounds = np.arange(n_blocks + 1) * len(order) // n_blocks
    sizes = np.diff(bounds)
    # Rows are summed block by block, so that no second matrix of all pairs is needed.
    # Distances are divided by the largest one before, since the sum of very large ones is not finite.
    scale = largest or 1.0
    rows = np.array([(distances[order[a:b]] / scale).sum(axis=0) for a, b in itertools.pairwise(bounds)])
    sums = np.add.reduceat(rows[:, order], bounds[:-1], axis=1)
    diagonal = np.arange(n_blocks)
    sums[diagonal, diagonal] -= np.add.reduceat(distances.diagonal()[order] / scale, bounds[:-1])
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    means = np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)
    return {"bounds": smallest(bounds), "means": _levels(means, 1.0)}


def nearest_neighbors(distances: FloatArray, n_neighbors: int) -> dict[str, Any]:
    """Return the nearest graphs of each graph, but for itself; of equally near ones those that come first.

    Parameters
    ----------
    distances : (N, N) floats
        The distances.
    n_neighbors : int
        The number of neighbors, of which there are no more than other graphs.

    Returns
    -------
    dict
        ``positions`` and ``distances``, both (N, n_neighbors).
    """
    n = len(distances)
    k = min(n_neighbors, n - 1)
    positions = np.zeros((n, k), dtype=np.int64)
    for graph in range(n if k else 0):
        row = distances[graph].copy()
        row[graph] = np.inf
        near = np.flatnonzero(row <= np.partition(row, k - 1)[k - 1])
        positions[graph] = near[np.argsort(row[near], kind="stable")[:k]]
    return {"positions": smallest(positions), "distances": np.take_along_axis(distances, positions, axis=1)}
