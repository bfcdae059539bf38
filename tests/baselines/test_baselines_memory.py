"""Kernels of shortest paths on large graphs: what they hold is proportional to the nodes."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import wassergraph as wg
from oracles import all_shortest_paths, graph_hopper_slowly, path_counts, skeleton
from strategies import batches
from wassergraph import baselines
from wassergraph.baselines import hops
from wassergraph.baselines.paths import count_connected
from wassergraph.metrics.labels import mix


def from_nets(nets, n_labels: int = 3):
    """Make graphs with random labels and attributes."""
    random = np.random.default_rng(0)
    sizes = [len(net) for net in nets]
    return wg.from_edges(
        [list(nx.convert_node_labels_to_integers(net).edges) for net in nets],
        n_nodes=sizes,
        node_labels=[random.integers(0, n_labels, n) for n in sizes],
        node_attributes=[random.normal(size=(n, 2)) for n in sizes],
        symmetrize=True,
    )


def small_nets():
    """Return a path, a cycle, grids, a tree, and a graph in pieces, with up to 16 steps between nodes."""
    pieces = nx.disjoint_union(nx.path_graph(6), nx.complete_graph(4))
    return [
        nx.path_graph(17),
        nx.cycle_graph(12),
        nx.grid_2d_graph(4, 4),
        nx.balanced_tree(2, 3),
        pieces,
        nx.empty_graph(2),
    ]


def arrays_of(held) -> int:
    """Return the bytes of the arrays of an object."""
    return sum(value.nbytes for value in vars(held).values() if isinstance(value, np.ndarray))


def counts_of(graph, tables) -> np.ndarray:
    """Return the counts of the only graph of tables, a row for each node."""
    blocks = tables.counts.reshape(-1, graph.n_nodes, 8)
    return np.hstack(list(blocks))[:, : tables.widths[0]]


# GraphHopper


@pytest.mark.parametrize("node_kernel", ["gaussian", "linear", "dirac"])
@pytest.mark.parametrize("normalize", [False, True])
def test_windows_do_not_change_graph_hopper(monkeypatch, node_kernel, normalize):
    graphs = from_nets(small_nets())
    model = baselines.GraphHopper(node_kernel=node_kernel, normalize=normalize)
    square, across = model.fit_transform(graphs), model.fit(graphs[1:]).transform(graphs)
    for width in (1, 3, 7, 40):
        monkeypatch.setattr(hops, "WINDOW", width)
        np.testing.assert_allclose(model.fit_transform(graphs), square, rtol=1e-12, atol=1e-12 * square.max())
        np.testing.assert_allclose(model.fit(graphs[1:]).transform(graphs), across, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("width", [1, 5])
def test_graph_hopper_in_windows_compares_shortest_paths(monkeypatch, width):
    graphs = from_nets(small_nets()[1:4])
    labels = graphs.node_labels
    monkeypatch.setattr(hops, "WINDOW", width)
    found = baselines.GraphHopper(node_kernel="dirac").fit_transform(graphs)
    np.testing.assert_array_equal(found, graph_hopper_slowly(graphs, (labels[:, None] == labels).astype(float)))


def test_counts_of_positions_are_those_of_listed_paths(monkeypatch):
    monkeypatch.setattr(hops, "WINDOW", 10)
    for graph in from_nets(small_nets()):
        expected = np.zeros((graph.n_nodes, 400))
        for path in all_shortest_paths(graph):
            b = len(path) - 1
            for a, v in enumerate(path):
                if b - a <= a:
                    expected[v, (b + 1) ** 2 // 4 + b - a] += 1
        training = baselines.GraphHopper().fit(graph)._training
        found = np.hstack([counts_of(graph, training.tables(window)) for window in range(training.n_windows)])
        np.testing.assert_array_equal(found, expected[:, : found.shape[1]])
        assert not expected[:, found.shape[1] :].any()


def test_each_position_counts_for_both_directions(monkeypatch):
    """The positions a and b - a share an entry, which counts twice, unless both are the middle."""
    expected = [1.0 if c == b - c else 2.0 for b in range(80) for c in range(b // 2 + 1)]
    for width in (1, 7, 300):
        monkeypatch.setattr(hops, "WINDOW", width)
        n_windows = len(expected) // width
        found = np.concatenate([hops.window_weights(window)[:width] for window in range(n_windows)])
        np.testing.assert_array_equal(found, expected[: len(found)])


def test_graph_hopper_holds_at_most_a_window_of_each_node():
    n = 600
    path, short = from_nets([nx.path_graph(n)]), from_nets([nx.star_graph(n - 1)])
    for graph in (path, short):
        training = baselines.GraphHopper().fit(graph)._training
        assert training.tables(0).counts.size <= n * min(hops.WINDOW, int(training.lengths[0]) + 7)
        for window in (1, training.n_windows - 1):
            assert training.tables(window).counts.size <= n * hops.WINDOW
        points = training.points
        assert arrays_of(training) + points.rows.nbytes + points.columns.nbytes < 50 * n
    assert len(baselines.GraphHopper(node_kernel="dirac").fit(path)._training.tables(0).counts) == 3 * hops.WINDOW


def test_a_path_is_compared_window_by_window():
    """On a path of n nodes, 2 (n - b) shortest paths have b > 0 steps, and each has b + 1 nodes."""
    n = 150
    graph = from_nets([nx.path_graph(n)], n_labels=1)
    assert baselines.GraphHopper(node_kernel="dirac").fit(graph)._training.n_windows > 1
    expected = n**2 + sum((b + 1) * (2 * (n - b)) ** 2 for b in range(1, n))
    assert baselines.GraphHopper(node_kernel="dirac").fit_transform(graph) == expected
    same = wg.from_edges([nx.path_graph(n).edges], node_attributes=[np.ones((n, 2))], symmetrize=True)
    for node_kernel, value in (("gaussian", 1.0), ("linear", 2.0)):
        found = baselines.GraphHopper(node_kernel=node_kernel).fit_transform(same)
        np.testing.assert_allclose(found, value * expected, rtol=1e-12)


# Shortest paths


@pytest.mark.parametrize("all_pairs", [False, True])
@settings(deadline=None, max_examples=30)
@given(batches())
def test_pairs_are_counted_by_the_codes_of_labels_and_steps(all_pairs, batch):
    labels = np.arange(batch.n_nodes, dtype=np.uint64) % np.uint64(3) - np.uint64(1)  # the largest one included
    counted = count_connected(batch, labels, all_pairs=all_pairs)
    for g, (first, graph) in enumerate(zip(batch.node_ptr, batch, strict=False)):
        steps = dict(nx.all_pairs_shortest_path_length(skeleton(graph)))
        expected: Counter = Counter()
        for u in range(graph.n_nodes):
            for v in range(graph.n_nodes):
                if all_pairs or (u != v and v in steps[u]):
                    distance = np.array([steps[u].get(v, -1)]).astype(np.uint64)
                    tail, head = mix(labels[first + u : first + u + 1]), mix(labels[first + v : first + v + 1])
                    expected[int(mix(mix(tail + distance) + head)[0])] += 1
        own = slice(counted.ptr[g], counted.ptr[g + 1])
        codes, counts = counted.codes[0, own], counted.counts[own]
        assert dict(zip(codes.tolist(), counts.tolist(), strict=True)) == dict(expected)


def test_tables_of_keys_grow():
    """With a label of its own at each node, every pair is a feature."""
    nets = [nx.random_regular_graph(3, 60, seed=0), nx.path_graph(3), nx.random_regular_graph(3, 60, seed=1)]
    graphs = from_nets(nets, n_labels=10**6)
    counted = count_connected(graphs, graphs.node_labels.astype(np.uint64))
    for g, expected in enumerate(path_counts(graphs)):
        own = slice(counted.ptr[g], counted.ptr[g + 1])
        assert len(np.unique(counted.codes[0, own])) == own.stop - own.start == len(expected)
        assert sorted(counted.counts[own]) == sorted(expected.values())
    model = baselines.ShortestPath().fit(graphs)
    np.testing.assert_array_equal(
        (model.features(graphs) @ model.features(graphs).T).toarray(), model.transform(graphs)
    )


def test_shortest_paths_hold_each_kind_of_path_once():
    graph = from_nets([nx.grid_2d_graph(30, 30)])
    held = baselines.ShortestPath().fit(graph)._training
    assert len(held.counts) <= 3 * 3 * 58
    assert held.counts.sum() == 900 * 899
    hashed = baselines.HashGraphKernel("sp", iterations=2, random_state=0).fit(graph)._training
    assert arrays_of(hashed) == 2 * 8 * 900
