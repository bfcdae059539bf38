"""Slow and obvious versions of what the library does fast."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import ot
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.special import ndtr


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
    neighbors = [graph.indices[a:b].tolist() for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    counts = Counter(labels)
    for _ in range(depth):
        labels = [(labels[v], tuple(sorted((labels[u] for u in neighbors[v]), key=repr))) for v in range(len(labels))]
        counts.update(labels)
    return counts


def wwl_distances_slowly(graphs, depth: int) -> np.ndarray:
    """Compute the continuous Wasserstein Weisfeiler–Lehman distances of all pairs, one by one with POT."""
    attributes = [graphs.node_attributes]
    for _ in range(depth):
        neighbors = graphs.adjacency() @ attributes[-1] / graphs.degrees[:, None]
        attributes.append((attributes[-1] + neighbors) / 2)
    points = np.split(np.hstack(attributes), graphs.node_ptr[1:-1])
    result = np.zeros((len(points), len(points)))
    for i, p in enumerate(points):
        for j, q in enumerate(points[:i]):
            result[i, j] = result[j, i] = ot.emd2([], [], cdist(p, q))
    return result


def wl_labels_slowly(graphs, labels, depth: int, *, edge_labels: bool = False) -> list[list]:
    """Refine labels with a dictionary that numbers every (label, sorted labels around) as it appears.

    With edge labels, what is around a node are pairs of the label of an edge and of the node at its other end.
    """
    edges = graphs.edge_labels if edge_labels else np.zeros(graphs.n_arcs, dtype=int)
    dictionary: dict = {}
    now = [dictionary.setdefault(int(label), len(dictionary)) for label in labels]
    result = [now]
    for _ in range(depth):
        around = [
            tuple(sorted((int(edges[a]), now[graphs.indices[a]]) for a in range(*graphs.indptr[v : v + 2])))
            for v in range(graphs.n_nodes)
        ]
        now = [dictionary.setdefault((own, near), len(dictionary)) for own, near in zip(now, around, strict=True)]
        result.append(now)
    return result


def partition(values) -> list[int]:
    """Number classes in the order in which they appear: two partitions are the same if these numbers are."""
    seen: dict = {}
    return [seen.setdefault(value, len(seen)) for value in values]


def exact_distance(embedding, other, i: int, j: int, depth: int) -> float:
    """Compute one distance from its definition: all ground distances, then POT.

    If masses are counts, nodes without a partner are moved from or to a node that is as far away as their price.
    """
    ground, masses = exact_costs(embedding, other, i, j, depth), []
    for side, g in ((embedding, i), (other, j)):
        own = slice(side.ptr[g], side.ptr[g + 1])
        count = own.stop - own.start
        masses.append(np.full(count, 1.0 if side.counted else 1 / count) if side.weights is None else side.weights[own])
    if embedding.counted:
        ground = np.pad(ground, (0, 1), constant_values=embedding.upto(depth).prices[depth])
        ground[-1, -1] = 0.0
        (n, m), total = (len(mass) for mass in masses), sum(map(len, masses))
        masses = [np.append(masses[0], m) / total, np.append(masses[1], n) / total]
        return float(total * ot.emd2(*masses, ground, numItermax=10**7))
    return float(ot.emd2(*masses, ground, numItermax=10**7))


def exact_costs(embedding, other, i: int, j: int, depth: int) -> np.ndarray:
    """Compute all ground distances between the nodes of two graphs."""
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
    return ground


# The kernels that the paper compares with


def labeled(graphs):
    """Return the graphs with their labels, or with the degrees as labels where they have none."""
    return graphs.degree_labels() if graphs.node_labels is None else graphs


def inner_products(counts: list[Counter], others: list[Counter]) -> np.ndarray:
    """Multiply how often each label occurs in two graphs, and add up, for all pairs."""
    return np.array([[float(sum(n * other[label] for label, n in own.items())) for other in others] for own in counts])


def vertex_counts(graphs) -> list[Counter]:
    """Count the node labels of each graph."""
    return [Counter(graph.node_labels.tolist()) for graph in labeled(graphs)]


def edge_counts(graphs) -> list[Counter]:
    """Count the edge labels of each graph in both directions, one label for all where there are none."""
    return [Counter([0] * g.n_arcs if g.edge_labels is None else g.edge_labels.tolist()) for g in graphs]


def wl_counts(graphs, depth: int) -> list[Counter]:
    """Count the Weisfeiler–Lehman labels of each graph."""
    return [wl_histogram(graph, depth) for graph in labeled(graphs)]


def path_counts(graphs) -> list[Counter]:
    """Count the ordered pairs of different nodes of each graph by their labels and their distance in steps."""
    counts = []
    for graph in labeled(graphs):
        label = graph.node_labels.tolist()
        lengths = dict(nx.all_pairs_shortest_path_length(skeleton(graph)))
        counts.append(Counter((label[u], d, label[v]) for u, row in lengths.items() for v, d in row.items() if u != v))
    return counts


def skeleton(graph) -> nx.Graph:
    """Return the nodes and edges of one graph without labels, attributes or weights."""
    result = nx.Graph()
    result.add_nodes_from(range(graph.n_nodes))
    result.add_edges_from(zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True))
    return result


def optimal_assignment_slowly(graphs, depth: int, *, edge_labels: bool = False) -> np.ndarray:
    """Assign the nodes of two graphs so that they share as many labels of depths 0…depth as can be, for all pairs."""
    labels = np.array(wl_labels_slowly(graphs, labeled(graphs).node_labels, depth, edge_labels=edge_labels))
    pieces = np.split(labels, graphs.node_ptr[1:-1], axis=1)
    result = np.zeros((len(pieces), len(pieces)))
    for i, p in enumerate(pieces):
        for j, q in enumerate(pieces):
            shared = (p[:, :, None] == q[:, None, :]).sum(axis=0)
            result[i, j] = shared[linear_sum_assignment(shared, maximize=True)].sum()
    return result


def gaussian(x: np.ndarray, y: np.ndarray, gamma: float) -> np.ndarray:
    """Compute the Gaussian kernel between all rows from their differences."""
    return np.exp(-gamma * ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


def rbf_sums_slowly(points: list[np.ndarray], gamma: float) -> np.ndarray:
    """Add up the Gaussian kernel over all pairs of nodes of two graphs, for all pairs of graphs."""
    return np.array([[gaussian(p, q, gamma).sum() for q in points] for p in points])


def rbf_of_sums_slowly(points: list[np.ndarray], gamma: float) -> np.ndarray:
    """Compute the Gaussian kernel between the summed nodes of two graphs, for all pairs of graphs."""
    sums = np.array([p.sum(axis=0) for p in points])
    return gaussian(sums, sums, gamma)


def all_shortest_paths(graph) -> list[tuple[int, ...]]:
    """List every shortest path between two nodes, or from a node to itself, there and back."""
    net = skeleton(graph)
    reachable = [(u, v) for u in net for v in nx.node_connected_component(net, u)]
    return [tuple(path) for u, v in reachable for path in nx.all_shortest_paths(net, u, v)]


def graph_hopper_slowly(graphs, node_kernel: np.ndarray) -> np.ndarray:
    """Compare all shortest paths of the same length node by node; ``node_kernel`` is that of all nodes (n, n)."""
    by_length: list[dict[int, np.ndarray]] = []
    for first, graph in zip(graphs.node_ptr, graphs, strict=False):
        paths = all_shortest_paths(graph)
        lengths = sorted({len(path) for path in paths})
        by_length.append({k: first + np.array([path for path in paths if len(path) == k]) for k in lengths})
    result = np.zeros((len(graphs), len(graphs)))
    for i, own in enumerate(by_length):
        for j, other in enumerate(by_length):
            for k in own.keys() & other.keys():
                result[i, j] += node_kernel[own[k][:, None, :], other[k][None, :, :]].sum()
    return result


def collision_probability(distance: float, width: float) -> float:
    """Return the probability that two points share a bin of a random Gaussian projection (Datar et al. 2004)."""
    if distance == 0:
        return 1.0
    ratio = width / distance
    outside = 2 * ndtr(-ratio)
    return float(1 - outside - 2 / (np.sqrt(2 * np.pi) * ratio) * (1 - np.exp(-(ratio**2) / 2)))


def energy(distances: np.ndarray, first: set[int]) -> float:
    """Compute the energy statistic of distances pair by pair: of the graphs in ``first``, and of all others."""
    sums = {"between": [], "first": [], "second": []}
    for i, j in itertools.combinations(range(len(distances)), 2):
        part = "between" if (i in first) != (j in first) else "first" if i in first else "second"
        sums[part].append(distances[i, j])
    mean = {part: math.fsum(values) / len(values) for part, values in sums.items()}
    return 2 * mean["between"] - mean["first"] - mean["second"]
