"""Slow and obvious versions of what the library does fast."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import ot
from scipy.spatial.distance import cdist


class Graph:
    """One graph as dictionaries: nodes and arcs with what belongs to them."""

    def __init__(self) -> None:
        self.nodes: list[dict] = []
        self.arcs: dict[tuple[int, int], dict] = {}


def read_tu_slowly(folder: Path, name: str) -> list[Graph]:
    """Read a TU folder line by line into dictionaries; the last of repeated rows wins."""

    def rows(suffix: str, convert=float) -> list[list] | None:
        path = folder / f"{name}_{suffix}.txt"
        if not path.exists():
            return None
        return [[convert(word) for word in line.split(",")] for line in path.read_text().splitlines()]

    def records(labels: str, attributes: str, count: int) -> list[dict]:
        columns = {"label": rows(labels, int), "attributes": rows(attributes)}
        present = {key: table for key, table in columns.items() if table is not None}
        return [{key: table[number] for key, table in present.items()} for number in range(count)]

    indicator = [graph for (graph,) in rows("graph_indicator", int)]
    graphs = [Graph() for _ in range(max(indicator))]
    place = []
    for graph, record in zip(indicator, records("node_labels", "node_attributes", len(indicator)), strict=True):
        place.append(len(graphs[graph - 1].nodes))
        graphs[graph - 1].nodes.append(record)
    arcs = rows("A", int)
    for (u, v), record in zip(arcs, records("edge_labels", "edge_attributes", len(arcs)), strict=True):
        graphs[indicator[u - 1] - 1].arcs[place[u - 1], place[v - 1]] = record
    return graphs


def wl_histogram(graph, depth: int) -> Counter:
    """Count the Weisfeiler–Lehman labels of depths 0…depth, each written out as a nested tuple."""
    labels = [int(label) for label in graph.node_labels]
    neighbours = [graph.indices[a:b].tolist() for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    counts = Counter(labels)
    for _ in range(depth):
        labels = [(labels[v], tuple(sorted((labels[u] for u in neighbours[v]), key=repr))) for v in range(len(labels))]
        counts.update(labels)
    return counts


def wwl_distances_slowly(graphs, depth: int) -> np.ndarray:
    """Compute the continuous Wasserstein Weisfeiler–Lehman distances of all pairs, one by one with POT."""
    attributes = [graphs.node_attributes]
    for _ in range(depth):
        neighbours = graphs.adjacency() @ attributes[-1] / graphs.degrees[:, None]
        attributes.append((attributes[-1] + neighbours) / 2)
    points = np.split(np.hstack(attributes), graphs.node_ptr[1:-1])
    result = np.zeros((len(points), len(points)))
    for i, p in enumerate(points):
        for j, q in enumerate(points[:i]):
            result[i, j] = result[j, i] = ot.emd2([], [], cdist(p, q))
    return result


def wl_labels_slowly(graphs, labels, depth: int) -> list[list]:
    """Refine labels with a dictionary that numbers every (label, sorted labels around) as it appears."""
    dictionary: dict = {}
    now = [dictionary.setdefault(int(label), len(dictionary)) for label in labels]
    result = [now]
    for _ in range(depth):
        around = [
            tuple(sorted(now[u] for u in graphs.indices[graphs.indptr[v] : graphs.indptr[v + 1]].tolist()))
            for v in range(graphs.n_nodes)
        ]
        now = [dictionary.setdefault((own, near), len(dictionary)) for own, near in zip(now, around, strict=True)]
        result.append(now)
    return result


def exact_distance(embedding, other, i: int, j: int, depth: int) -> float:
    """Compute one distance from its definition: all ground distances, then POT."""
    one, two = (slice(side.ptr[g], side.ptr[g + 1]) for side, g in ((embedding, i), (other, j)))
    small, small_other = embedding.upto(depth), other.upto(depth)
    ground = np.zeros((one.stop - one.start, two.stop - two.start))
    if small.codes is not None:
        hamming = (small.codes[:, one, None] != small_other.codes[:, None, two]).mean(axis=0)
        ground += hamming * (small.label_weight if small.points is not None else 1.0)
    if small.points is not None:
        euclidean = cdist(small.points[one], small_other.points[two])
        joint = small.codes is not None
        ground += euclidean * ((1 - small.label_weight) / np.sqrt(small.points.shape[1]) if joint else 1.0)
    masses = [
        np.full(s.stop - s.start, 1 / (s.stop - s.start)) if side.weights is None else side.weights[s]
        for side, s in ((embedding, one), (other, two))
    ]
    return float(ot.emd2(*masses, ground, numItermax=10**7))
