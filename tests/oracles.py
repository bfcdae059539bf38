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
